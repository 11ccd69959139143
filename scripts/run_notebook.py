#!/usr/bin/python3
"""Runs one notebook in a fresh Deno kernel and fails when a cell does.

Everything written on the way goes to a temporary directory that is removed at the end, and every wait has a bound.
A failure is one sentence: which cell, its number and first line, or that no kernel started, which is no cell's fault.
Jupyter must see the kernel and `deno` must be on PATH: `deno task kernel scripts/run_notebook.py NOTEBOOK` sees to both.
"""
import argparse
import json
import logging
import math
import os
import queue
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

try:
    import nbformat
    from jupyter_client.kernelspec import NoSuchKernel
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionComplete, CellExecutionError, CellTimeoutError, DeadKernelError
    from nbclient.util import ensure_async
except ImportError as error:
    sys.exit(f"Cannot run notebooks: {error}; run `deno task setup`")

START_SECONDS = 30  # a loaded machine needs 4; past this the kernel is killed and started once more
CELL_SECONDS = 30  # past this a cell counts as hanging: the kernel is killed, the notebook fails
NOTEBOOK_SECONDS = 120  # the same for all cells of a notebook together
DRAIN_SECONDS = 0.15  # the Deno kernel publishes some outputs after it has said that it is idle


class Failure(Exception):
    """What went wrong, as one sentence without a final full stop."""


class Client(NotebookClient):
    """The stock client, except that it goes on reading for a moment after a cell ended: no output is lost."""

    async def _async_poll_output_msg(self, parent_msg_id, cell, cell_index):
        patience = None
        while True:
            try:
                message = await ensure_async(self.kc.iopub_channel.get_msg(timeout=patience))
            except queue.Empty:
                return
            if message["parent_header"].get("msg_id") != parent_msg_id:
                continue
            try:
                self.process_message(message, cell, cell_index)
            except CellExecutionComplete:
                patience = DRAIN_SECONDS


def start(notebook, folder, log, seconds):
    """A client with a running kernel. A start that fails is tried once more, for it says nothing about the cells."""
    for attempt in (1, 2):
        client = Client(
            notebook, kernel_name="deno", startup_timeout=seconds, shutdown_kernel="immediate", record_timing=False
        )
        try:
            client.create_kernel_manager()
            client.start_new_kernel(cwd=str(folder), stdout=log, stderr=log)
            client.start_new_kernel_client()
            return client
        except NoSuchKernel:
            raise Failure("Jupyter sees no kernel named deno; run this through `deno task kernel`") from None
        except (OSError, RuntimeError) as error:
            print(f"kernel start {attempt} of 2 failed: {error}", file=sys.stderr)
    raise Failure("no kernel started, so no cell was run; look into it with `deno task kernel`")


def run_cell(client, index, number, seconds):
    """Runs one code cell. An error among its outputs counts whatever the kernel says of the cell."""
    cell = client.nb.cells[index]
    where = f"code cell {number} `{cell.source.strip().splitlines()[0]}`"
    client.timeout = seconds
    try:
        client.execute_cell(cell, index, execution_count=number)
    except DeadKernelError:
        raise Failure(f"the kernel died in {where}") from None
    except CellTimeoutError:
        raise Failure(f"{where} did not end within {seconds} s") from None
    except CellExecutionError as error:
        raise Failure(f"{where} failed: {trace(cell) or error.evalue or 'the kernel could not parse it'}") from None
    if any(output.output_type == "error" for output in cell.outputs):
        raise Failure(f"{where} failed: {trace(cell)}")


def trace(cell):
    """The error as the cell shows it, or an empty string."""
    errors = (output for output in cell.outputs if output.output_type == "error")
    return "\n".join("\n".join(error.traceback) or f"{error.ename}: {error.evalue}" for error in errors)


def run(notebook, folder, log, start_seconds, cell_seconds):
    client = start(notebook, folder, log, start_seconds)
    ends = time.monotonic() + NOTEBOOK_SECONDS
    code = [index for index, cell in enumerate(notebook.cells) if cell.cell_type == "code" and cell.source.strip()]
    with client.setup_kernel(cleanup_kc=True):
        for number, index in enumerate(code, 1):
            left = math.ceil(ends - time.monotonic())
            if left <= 0:
                raise Failure(f"it took more than {NOTEBOOK_SECONDS} s before code cell {number}")
            run_cell(client, index, number, min(cell_seconds, left))


def isolate(temp):
    """Points all that keeps files by itself at `temp`. Only downloaded npm packages are shared: nothing is fetched."""
    info = subprocess.run(["deno", "info", "--json"], capture_output=True, check=True)
    for name in ("home", "runtime", "ipython", "tmp", "deno"):
        (temp / name).mkdir()
    (temp / "deno" / "npm").symlink_to(json.loads(info.stdout)["npmCache"])
    for name in [*os.environ]:
        if name.startswith("XDG_") or name in ("CLAUDE_CODE_SESSION_ID", "DEADDROP_DIR"):
            del os.environ[name]
    os.environ["HOME"] = str(temp / "home")
    os.environ["JUPYTER_RUNTIME_DIR"] = str(temp / "runtime")
    os.environ["IPYTHONDIR"] = str(temp / "ipython")
    os.environ["TMPDIR"] = str(temp / "tmp")
    os.environ["DENO_DIR"] = str(temp / "deno")


def merged(outputs, mask):
    """Masked outputs, with neighbouring pieces of one stream as one: how the kernel cuts them differs, too."""
    kept = []
    for output in outputs:
        if output.output_type != "stream":
            output.data = {kind: mask(data) if isinstance(data, str) else data for kind, data in output.data.items()}
            kept.append(output)
        elif kept and kept[-1].output_type == "stream" and kept[-1].name == output.name:
            kept[-1].text = mask(kept[-1].text + output.text)
        else:
            output.text = mask(output.text)
            kept.append(output)
    return kept


def record(notebook, path, temp):
    """Writes the outputs into the notebook, without what differs from run to run."""
    masks = [
        (re.compile(rf"{re.escape(str(temp))}(/tmp/[\w-]+)?"), "<tmp>"),
        (re.compile(r"\b\d{8}T\d{9}-(\w+)-[0-9a-f]{6}\b"), r"<time>-\1-<random>"),
        (re.compile(r"\b\d{19}-[0-9a-f]{8}\b"), "<time>-<random>"),
        (re.compile(r"\b127\.0\.0\.1:\d+"), "127.0.0.1:<port>"),
    ]

    def mask(text):
        for pattern, stand_in in masks:
            text = pattern.sub(stand_in, text)
        return text

    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = merged(cell.outputs, mask)
        elif cell.cell_type == "markdown":
            cell.source = cell.source.rstrip() + "\n"  # what `deno fmt --check` asks for
    notebook.metadata.pop("language_info", None)  # front ends add it; with it, no code cell passes `deno fmt --check`
    nbformat.write(notebook, path)


def main():
    parser = argparse.ArgumentParser(description="Run one notebook in a fresh Deno kernel.")
    parser.add_argument("notebook", type=Path)
    parser.add_argument("--record", action="store_true", help="write the outputs into the notebook")
    parser.add_argument("--cell-seconds", type=int, default=CELL_SECONDS, help="limit per cell (%(default)s)")
    parser.add_argument("--start-seconds", type=int, default=START_SECONDS, help="limit per start (%(default)s)")
    options = parser.parse_args()
    path = options.notebook.resolve()
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)  # a cell that hangs leaves its reader behind: no news
    for number in (signal.SIGINT, signal.SIGTERM):  # so that the kernel and the directory go, too
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    with tempfile.TemporaryDirectory(prefix="notebook-") as name, open(Path(name) / "kernel.log", "w+") as log:
        temp = Path(name).resolve()
        try:
            notebook = nbformat.read(path, as_version=4)
            isolate(temp)
            run(notebook, path.parent, log, options.start_seconds, options.cell_seconds)
        except Failure as failure:
            print(f"{path.name}: {failure}", file=sys.stderr)
            log.seek(0)
            sys.stderr.write("".join(line for line in log if '"deno jupyter" is unstable' not in line))
            return 1
        except (OSError, ValueError) as error:  # no such file, no notebook, no deno
            print(f"{path.name}: {error}", file=sys.stderr)
            return 1
        if options.record:
            record(notebook, path, temp)
    return 0


if __name__ == "__main__":
    sys.exit(main())
