"""A sweep from a config to its file."""
from __future__ import annotations

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from typing import Any

from . import program as programs
from .config import on_disk, settings
from .refusal import Refusal

SOME_FAILED, STOPPED, INTERRUPTED = 1, 75, 130      # exit codes of sweep


def run(config: Mapping[str, Any] | str | os.PathLike[str], *options: str,
        file: str | os.PathLike[str] | None = None, program: str | os.PathLike[str] | None = None,
        progress: bool | None = None, **overrides: Any) -> pathlib.Path:
    """Run a sweep, or go on with an interrupted one, and give the name of its file. Runs that diverged or failed are
    results like others.

    config: a path, the text of a config, or a dictionary of its keys.
    options: of `sweep run`, such as "--device", "cpu".
    file: the output (-o).
    overrides: keys of the config with other values, time__end=5 for time.end; a dictionary replaces a group.
    progress: True: show it as a bar; False: show errors only; None: a bar in a terminal or a notebook, else lines.
    Refusal with what `sweep` says, and its exit code as code. Ctrl-C, and the kernel's interrupt, stop the sweep such
    that the same call goes on with it.
    """
    bar = programs.in_notebook() or getattr(sys.stderr, "isatty", bool)() if progress is None else progress
    words = ["--progress", "always"] if bar else ["-q"] if progress is False else []
    words += [*options, *settings(overrides), *(["-o", os.fspath(file)] if file is not None else [])]
    with tempfile.TemporaryDirectory(prefix="pysweep-") as folder, on_disk(config) as path:
        log = os.path.join(folder, "log")
        process = programs.start(["run", path, "--log-json", log, *words], program, stdin=subprocess.DEVNULL,
                                 stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
        said = programs.Listener(process, programs.is_quiet(words), bar)
        code = wait(process)
        if code not in (0, SOME_FAILED):
            raise said.refusal(code, "sweep run", os.path.dirname(path) if path != config else "")
        said.thread.join()
        with open(log, encoding="utf-8") as f:
            return pathlib.Path(json.loads(f.readline())["file"])


def wait(process: subprocess.Popen) -> int:
    """Its exit code. An interrupt is handed on, since not every one reaches the group of processes; the program takes
    two within half a second as one. The first lets it store what it has, another ends it at once."""
    interrupted = False
    while True:
        try:
            code = process.wait()
            break
        except KeyboardInterrupt:
            interrupted = True
            process.send_signal(signal.SIGINT)
        except BaseException:
            process.send_signal(signal.SIGTERM)
            process.wait()  # until it has stored what it has; who does not want to wait ends this once more
            raise
    if interrupted or code in (INTERRUPTED, -signal.SIGINT):
        raise KeyboardInterrupt
    if code == STOPPED:
        raise Refusal("the sweep was stopped early; the same call goes on with it", STOPPED)
    return code
