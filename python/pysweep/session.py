"""A session of `sweep ask`: rows of parameters in, what the runs came to out. The protocol is in docs/howto/ask.md."""
from __future__ import annotations

import contextlib
import json
import os
import subprocess
from collections.abc import Iterable, Mapping
from typing import Any

from . import program as programs
from .config import on_disk, settings


class Session:
    """Each list that ask() gets is computed as one batch; all runs are in the output file at the end.

        with pysweep.ask("configs/front_fit.cfg", of=["miss"]) as session:
            answers = session.ask([{"D": 0.8, "r": 1.2}, {"D": 0.9, "r": 1.2}])
            print(answers[0]["status"], answers[0]["miss"])

    config, options (of `sweep ask`), file, program and overrides are those of run(); of: what answers have beside
    "run", "status" and "message"; None: all.
    """

    def __init__(self, config: Mapping[str, Any] | str | os.PathLike[str], *options: str,
                 of: str | Iterable[str] | None = None, file: str | os.PathLike[str] | None = None,
                 program: str | os.PathLike[str] | None = None, **overrides: Any):
        words = [*options, *settings(overrides)]
        words += ["--of", of if isinstance(of, str) else ",".join(of)] if of is not None else []
        words += ["-o", os.fspath(file)] if file is not None else []
        with contextlib.ExitStack() as stack:
            path = stack.enter_context(on_disk(config))
            self.process = programs.start(["ask", path, *words], program, stdin=subprocess.PIPE, text=True,
                                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
            assert self.process.stdin and self.process.stdout and self.process.stderr
            self.requests, self.answers = self.process.stdin, self.process.stdout
            self.folder = os.path.dirname(path) if path != config else ""
            self.said = programs.Listener(self.process, programs.is_quiet(options))
            self.stack = stack.pop_all()

    def ask(self, rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """A list of dictionaries, one for each row. Refusal where the session has ended; ValueError names the first row
        that was refused."""
        rows = list(rows)
        answers = self.ask_all(rows)
        for row, answer in zip(rows, answers):
            if "error" in answer:
                raise ValueError(f"{row}: {answer['error']}")
        return answers

    def ask_all(self, rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """The same; of a row that was refused the answer has nothing but "error"."""
        if self.requests.closed:
            raise ValueError("the session is closed")
        if isinstance(rows, Mapping):
            raise TypeError("ask() takes a list of rows, each a dictionary: [{...}]")
        rows = [{name: value.tolist() if hasattr(value, "tolist") else value for name, value in row.items()}
                for row in rows]
        try:
            self.requests.write(json.dumps(rows) + "\n")
            self.requests.flush()
        except BrokenPipeError:
            pass  # it has said why on standard error
        line = self.answers.readline()
        if not line:
            raise self.refusal(self.process.wait())
        answers = json.loads(line)
        return answers if isinstance(answers, list) else [answers] * len(rows)  # the line was refused

    def refusal(self, code: int) -> Exception:
        return self.said.refusal(code, "sweep ask", self.folder)

    def close(self) -> int:
        """The end of its input ends the session; all runs are then in the file. Returns the exit code."""
        with contextlib.suppress(BrokenPipeError):
            self.requests.close()
        code = self.process.wait()
        self.answers.close()
        self.said.thread.join()
        self.stack.close()
        return code

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *failure: Any) -> None:
        code = self.close()
        if code and not any(failure):
            raise self.refusal(code)


ask = Session
