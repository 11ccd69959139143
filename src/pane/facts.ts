/**
 * What is known about a pane beside its text: what tmux says of it and which processes run under it. A live pane and a
 * recorded one give the same facts, so that everything that judges a pane can be tested against recordings.
 */

/** A process under a pane, in the order of a walk down the tree. */
export interface PaneProcess {
  /** 0 for the pane's own process, one more per generation. */
  readonly depth: number;
  /** The kernel's short name of it. */
  readonly comm: string;
  /** Its arguments, the program first; empty where they are not known. */
  readonly argv: readonly string[];
  /** Its id; `null` in a recording. */
  readonly pid: number | null;
  /** True when it is in the foreground process group of the pane's terminal; `null` where that is not known. */
  readonly foreground: boolean | null;
}

/** The facts of one pane at one moment. */
export interface PaneFacts {
  /** Size in cells. */
  readonly columns: number;
  readonly rows: number;
  /** The terminal's cursor, from 0; `visible` is false where the program hides it. */
  readonly cursor: { readonly x: number; readonly y: number; readonly visible: boolean };
  /** Title set by the program. */
  readonly title: string;
  /** The foreground command's name, as tmux sees it. */
  readonly command: string;
  /** Name of the mode that takes the keys (`copy-mode`, `tree-mode`), or empty. */
  readonly mode: string;
  readonly alternateScreen: boolean;
  readonly mouse: boolean;
  /** The pane's process has ended. */
  readonly dead: boolean;
  /** Keys to it are dropped, or go to other panes as well. */
  readonly inputOff: boolean;
  readonly synchronized: boolean;
  readonly processes: readonly PaneProcess[];
}
