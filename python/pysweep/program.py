"""The program `sweep`: where it is, and what it says while it computes."""
from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterable
from typing import Any, Callable

from .refusal import PROGRAM, Refusal

FRAME = "\r\x1b[K"      # before what the progress bar shows
KEPT = 200              # lines of standard error for a refusal


def name_of(program: str | os.PathLike[str] | None) -> str:
    return os.fspath(program or os.environ.get("SWEEP") or "sweep")


def start(words: list[str], program: str | os.PathLike[str] | None, **how: Any) -> subprocess.Popen:
    name = name_of(program)
    try:
        return subprocess.Popen([name, *words], **how)
    except (FileNotFoundError, PermissionError, NotADirectoryError):
        raise Refusal(f"there is no program '{name}': put sweep into a folder of PATH, or name it by the environment "
                      "variable SWEEP or by program=", PROGRAM) from None


class Terminal:
    """Shows what a program writes, bar and lines, as it comes."""

    def show(self, text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()


class Notebook:
    """The bar in one place, which each frame takes anew; lines below it."""

    def __init__(self) -> None:
        from IPython.display import display

        self.handle = display({"text/plain": ""}, raw=True, display_id=True)
        self.begun = ""

    def show(self, text: str) -> None:
        *lines, self.begun = (self.begun + text).split("\n")
        for line in lines:
            *_, line = line.split(FRAME)
            if line:
                print(line)
        frames = self.begun.split(FRAME)
        if len(frames) > 1:
            self.handle.update({"text/plain": frames[-1] or frames[-2]}, raw=True)
            self.begun = FRAME + frames[-1]


def unseen(text: str) -> None:
    pass


def is_quiet(options: Iterable[str]) -> bool:
    return not {"-q", "--quiet"}.isdisjoint(options)


def in_notebook() -> bool:
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return type(shell).__name__ == "ZMQInteractiveShell"


class Listener:
    """Reads the standard error of a process to its end, keeps its lines, and shows it unless it is quiet: then errors
    are those of a refusal. bar: the process shows its progress."""

    def __init__(self, process: subprocess.Popen, quiet: bool, bar: bool = False):
        self.text = ""
        show: Callable[[str], None] = unseen if quiet else (Notebook() if bar and in_notebook() else Terminal()).show
        self.thread = threading.Thread(target=self.listen, args=(process.stderr, show), daemon=True)
        self.thread.start()

    def listen(self, stream: Any, show: Callable[[str], None]) -> None:
        rest = b""
        while True:
            some = os.read(stream.fileno(), 1 << 16)
            whole, rest = cut_letter(rest + some)
            text = whole.decode(errors="replace")
            self.text = "\n".join((self.text + text).split("\n")[-KEPT:])
            if text:
                try:
                    show(text)
                except Exception:   # standard error is closed, or a notebook is gone: the sweep goes on
                    show = unseen
            if not some:
                stream.close()
                return

    def refusal(self, code: int, what: str, folder: str = "") -> Refusal:
        """What the program has said of its failure; folder: a temporary one, of no interest to the user."""
        self.thread.join()
        lines = [line.split(FRAME)[-1] for line in self.text.split("\n")]
        first = next((k for k, line in enumerate(lines) if re.match(r"(.*: )?error: ", line)), None)
        text = f"{what} ended with exit code {code}" if first is None else "\n".join(lines[first:]).strip()
        text = text.replace(folder + os.sep, "") if folder else text
        return Refusal(text.removeprefix("error: "), code)


def cut_letter(data: bytes) -> tuple[bytes, bytes]:
    """Bytes of UTF-8 up to the last whole letter, and the rest."""
    for k in range(1, min(4, len(data)) + 1):
        if data[-k] >= 0xc0:
            size = 2 + (data[-k] >= 0xe0) + (data[-k] >= 0xf0)
            return (data[:-k], data[-k:]) if k < size else (data, b"")
        if data[-k] < 0x80:
            break
    return data, b""
