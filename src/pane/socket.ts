/** Where a tmux server listens: from configuration, or from the `$TMUX` that its panes carry. */

/** A name as in `tmux -L`, or a path as in `tmux -S`. */
export type SocketAddress = { readonly name: string } | { readonly path: string };

/** The server that tmux itself takes when it is told nothing. */
export const DEFAULT_SOCKET: SocketAddress = { name: "default" };

/**
 * The socket that a setting names: a path when it has a slash, a name otherwise.
 *
 * @throws {TypeError} when it is empty or holds a control character.
 *
 * @example
 * ```ts
 * import { parseSocket } from "./socket.ts";
 * console.log(parseSocket("agents"), parseSocket("/run/user/1000/tmux"));
 * ```
 */
export function parseSocket(setting: string): SocketAddress {
  if (setting === "" || /\p{Cc}/u.test(setting)) {
    throw new TypeError(`Cannot use ${JSON.stringify(setting)} as a tmux socket: give a name or a path`);
  }
  return setting.includes("/") ? { path: setting } : { name: setting };
}

/** The socket in a `$TMUX` variable (`path,pid,session`), or `null` where that is no such variable. */
export function socketOfPane(tmux: string | undefined): SocketAddress | null {
  const path = tmux?.match(/^(\/.*),\d+,\d+$/s)?.[1];
  return path === undefined ? null : { path };
}

/** The socket's path: tmux puts named ones into a folder of the user. */
export function socketPath(socket: SocketAddress, uid: number | null, tmpDir = "/tmp"): string {
  return "path" in socket ? socket.path : `${tmpDir}/tmux-${uid ?? ""}/${socket.name}`;
}

/** File systems that other hosts may have mounted too. Their sockets work on one host only, and hosts delete each other's. */
const NETWORK_TYPES =
  /^(nfs\d?|cifs|smb\d?|smbfs|ncpfs|9p|afs|ceph|glusterfs|lustre|gpfs|beegfs|ocfs2|gfs2?|orangefs|fuse\.(sshfs|s3fs|rclone|glusterfs|cephfs.*|davfs.*|gcsfuse|juicefs))$/;

/** Octal escapes of the kernel's mount table, as `\040` for a blank. */
function unescape(field: string): string {
  return field.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(parseInt(octal, 8)));
}

/**
 * The type of the network file system that a path lies on, or `null` when it lies on a local one.
 *
 * @param path An absolute path without links.
 * @param mounts The text of `/proc/mounts`.
 */
export function networkFileSystem(path: string, mounts: string): string | null {
  let best = { point: "", type: "" };
  for (const line of mounts.split("\n")) {
    const [, rawPoint, type] = line.split(" ");
    if (type === undefined) continue;
    const point = unescape(rawPoint);
    const holds = point === "/" || path === point || path.startsWith(`${point}/`);
    if (holds && point.length >= best.point.length) best = { point, type }; // of equal ones the later mount is on top
  }
  return NETWORK_TYPES.test(best.type) ? best.type : null;
}
