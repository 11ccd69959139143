import { type Answer, failure, quote, value } from "./answer.ts";
import {
  type ListedClient,
  type ListedPane,
  type PaneList,
  type PaneLook,
  type PanePlace,
  type PaneRef,
  sameServer,
} from "./multiplexer.ts";
import { endLine, parseCount, parseParts, parseRows, rowFormat } from "./rows.ts";
import type { TmuxCommand } from "./tmux_process.ts";

/**
 * What tmux is asked, and how its answers are read: strictly, so that a short row is a failure and never a wrong pane.
 * A list of commands is carried out between two reads of any pane, so the parts of one answer are of one moment.
 */

/** The option of a pane that holds the name of its cell. */
export const CELL_OPTION = "@deaddrop_cell";

const SERVER = ["pid", "start_time", "version"] as const;
const PANE = [
  "pane_id",
  "session_id",
  "session_name",
  "window_id",
  "window_index",
  "window_name",
  "pane_index",
  CELL_OPTION,
  "pane_pid",
  "pane_dead",
  "pane_current_command",
  "pane_title",
  "pane_current_path",
] as const;
const CLIENT = ["client_name", "window_id", "client_activity", "client_flags"] as const;
const LOOK = [
  "pid",
  "start_time",
  "pane_id",
  "window_id",
  "pane_pid",
  "pane_width",
  "pane_height",
  "cursor_x",
  "cursor_y",
  "cursor_flag",
  "pane_title",
  "pane_current_command",
  "pane_mode",
  "alternate_on",
  "mouse_any_flag",
  "pane_dead",
  "pane_input_off",
  "pane_synchronized",
] as const;

const print = (text: string): TmuxCommand => ["display-message", "-p", text];
const clientsCommand = (nonce: string): TmuxCommand => ["list-clients", "-F", rowFormat(CLIENT, nonce)];

/** Asks for everything on the server. */
export function listCommands(nonce: string): TmuxCommand[] {
  const end = print(endLine(nonce));
  const panes = ["list-panes", "-a", "-F", rowFormat(PANE, nonce)];
  return [print(rowFormat(SERVER, nonce)), end, panes, end, clientsCommand(nonce), end];
}

/** Asks for one pane's facts and screen, and for the people who may be typing into it. */
export function lookCommands(target: string, nonce: string): TmuxCommand[] {
  const end = print(endLine(nonce));
  return [
    ["display-message", "-p", "-t", target, rowFormat(LOOK, nonce)],
    end,
    ["capture-pane", "-p", "-e", "-t", target],
    end,
    clientsCommand(nonce),
    end,
  ];
}

/** Thrown inside this file at the first value that tmux cannot have meant. */
class Unreadable extends Error {}

function count(row: Readonly<Record<string, string>>, field: string): number {
  const number = parseCount(row[field]);
  if (number === null) throw new Unreadable(`${field} is ${quote(row[field])}`);
  return number;
}

function id(row: Readonly<Record<string, string>>, field: string, pattern: RegExp): string {
  if (!pattern.test(row[field])) throw new Unreadable(`${field} is ${quote(row[field])}`);
  return row[field];
}

/** A flag of tmux: 1, or 0 or nothing. */
const flag = (text: string) => text !== "" && text !== "0";

function rowsOf<F extends string>(text: string, fields: readonly F[], nonce: string): Record<F, string>[] {
  const rows = parseRows(text, fields, nonce);
  if (rows === null) throw new Unreadable(`a row is not ${fields.length} fields long`);
  return rows;
}

function partsOf(text: string, number: number, nonce: string): string[] {
  const parts = parseParts(text, number, nonce);
  if (parts === null) throw new Unreadable(`there are not ${number} parts`);
  return parts;
}

function oneRow<F extends string>(text: string, fields: readonly F[], nonce: string): Record<F, string> {
  const rows = rowsOf(text, fields, nonce);
  if (rows.length !== 1) throw new Unreadable(`${rows.length} rows stand where one belongs`);
  return rows[0];
}

function reading<T>(what: string, parse: () => Answer<T>): Answer<T> {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return failure("garbled", `tmux's answer about ${what} cannot be read: ${error.message}`);
  }
}

/** Clients that take no output are programs that ask questions, as this one; nobody types into them. */
function readClients(text: string, nonce: string): ListedClient[] {
  return rowsOf(text, CLIENT, nonce)
    .filter((row) => !row.client_flags.split(",").includes("no-output"))
    .map((row) => ({
      name: row.client_name,
      windowId: row.window_id,
      lastKeyAtMs: count(row, "client_activity") * 1000,
    }));
}

/** Reads the answer to {@linkcode listCommands}. */
export function readList(text: string, nonce: string): Answer<PaneList> {
  return reading("its panes", () => {
    const [serverPart, panePart, clientPart] = partsOf(text, 3, nonce);
    const head = oneRow(serverPart, SERVER, nonce);
    const server = { pid: count(head, "pid"), startTime: count(head, "start_time") };
    const panes = new Map<string, ListedPane & { readonly places: PanePlace[] }>();
    for (const row of rowsOf(panePart, PANE, nonce)) {
      const target = id(row, "pane_id", /^%\d+$/);
      const place = {
        sessionId: id(row, "session_id", /^\$\d+$/),
        session: row.session_name,
        windowIndex: count(row, "window_index"),
        window: row.window_name,
        paneIndex: count(row, "pane_index"),
      };
      const known = panes.get(target);
      if (known !== undefined) known.places.push(place);
      else {
        panes.set(target, {
          ref: { target, server },
          places: [place],
          windowId: id(row, "window_id", /^@\d+$/),
          cell: row[CELL_OPTION] === "" ? null : row[CELL_OPTION],
          pid: count(row, "pane_pid"),
          command: row.pane_current_command,
          title: row.pane_title,
          path: row.pane_current_path,
          dead: flag(row.pane_dead),
        });
      }
    }
    return value({
      server,
      version: head.version,
      panes: [...panes.values()],
      clients: readClients(clientPart, nonce),
    });
  });
}

/** Reads the answer to {@linkcode lookCommands}. */
export function readLook(text: string, ref: PaneRef, nonce: string): Answer<PaneLook> {
  return reading(`pane ${ref.target}`, () => {
    const [factPart, ansi, clientPart] = partsOf(text, 3, nonce);
    const row = oneRow(factPart, LOOK, nonce);
    const server = { pid: count(row, "pid"), startTime: count(row, "start_time") };
    if (!sameServer(server, ref.server)) return otherServer(ref);
    if (row.pane_id !== ref.target) return failure("gone", `Pane ${ref.target} is not there any more; resolve it anew`);
    const rows = count(row, "pane_height");
    if (ansi.split("\n").length !== rows + 1) throw new Unreadable(`its screen is not ${rows} rows high`);
    const keys = readClients(clientPart, nonce).filter((client) => client.windowId === row.window_id);
    return value({
      ref,
      pid: count(row, "pane_pid"),
      facts: {
        columns: count(row, "pane_width"),
        rows,
        cursor: { x: count(row, "cursor_x"), y: count(row, "cursor_y"), visible: flag(row.cursor_flag) },
        title: row.pane_title,
        command: row.pane_current_command,
        mode: row.pane_mode,
        alternateScreen: flag(row.alternate_on),
        mouse: flag(row.mouse_any_flag),
        dead: flag(row.pane_dead),
        inputOff: flag(row.pane_input_off),
        synchronized: flag(row.pane_synchronized),
      },
      ansi,
      lastKeyAtMs: keys.length === 0 ? null : Math.max(...keys.map((client) => client.lastKeyAtMs)),
    });
  });
}

/** Asks who the server is. */
export function serverCommand(nonce: string): TmuxCommand {
  return print(rowFormat(SERVER, nonce));
}

/** Reads the answer to {@linkcode serverCommand} and tells whether it is the server that `ref` was seen on. */
export function readSameServer(text: string, ref: PaneRef, nonce: string): Answer<null> {
  return reading("itself", () => {
    const row = oneRow(text, SERVER, nonce);
    const server = { pid: count(row, "pid"), startTime: count(row, "start_time") };
    return sameServer(server, ref.server) ? value(null) : otherServer(ref);
  });
}

/** The failure of a pane that was seen in another life of the server. */
export function otherServer({ target }: PaneRef): Answer<never> {
  return failure("gone", `Pane ${target} was seen on another tmux server than the one that runs now; resolve it anew`);
}
