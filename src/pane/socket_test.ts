import assert from "node:assert/strict";
import { networkFileSystem, parseSocket, socketOfPane, socketPath } from "./socket.ts";

const mounts = [
  "/dev/vda1 / ext4 rw 0 0",
  "tmpfs /tmp tmpfs rw 0 0",
  "host:/home /home nfs4 rw 0 0",
  "host:/a /srv/my\\040share cifs rw 0 0",
  "tmpfs /home/me/local tmpfs rw 0 0",
  "me@host:/ /mnt fuse.sshfs rw 0 0",
  "/dev/vdb /mnt ext4 rw 0 0",
  "",
].join("\n");

Deno.test("networkFileSystem(): the longest mount point decides, of equal ones the later (PANE-08)", () => {
  const types = ["/tmp/tmux-0", "/home/me/tmux", "/home/me/local/x", "/srv/my share/x", "/homes", "/mnt/x", "/home"]
    .map((path) => networkFileSystem(path, mounts));
  assert.deepEqual(types, [null, "nfs4", null, "cifs", null, null, "nfs4"]);
  assert.equal(networkFileSystem("/tmp", ""), null);
});

Deno.test("parseSocket(): a slash makes a path; nothing and control characters are refused (PANE-07)", () => {
  assert.deepEqual(parseSocket("agents"), { name: "agents" });
  assert.deepEqual(parseSocket("./agents"), { path: "./agents" });
  for (const setting of ["", "a\nb"]) assert.throws(() => parseSocket(setting), TypeError);
});

Deno.test("socketOfPane(): takes the path out of $TMUX, commas in it too (PANE-07)", () => {
  assert.deepEqual(socketOfPane("/tmp/tmux-0/default,123,4"), { path: "/tmp/tmux-0/default" });
  assert.deepEqual(socketOfPane("/tmp/a,1,b,123,4"), { path: "/tmp/a,1,b" });
  for (const value of [undefined, "", "default,1,2", "/tmp/x"]) assert.equal(socketOfPane(value), null);
});

Deno.test("socketPath(): puts a name where tmux puts it", () => {
  assert.equal(socketPath({ name: "agents" }, 1000), "/tmp/tmux-1000/agents");
  assert.equal(socketPath({ name: "agents" }, 1000, "/run/me"), "/run/me/tmux-1000/agents");
  assert.equal(socketPath({ path: "/a/b" }, 1000), "/a/b");
});
