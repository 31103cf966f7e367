"""A config that Python holds, as the text that `sweep` reads, and options of its command line."""
from __future__ import annotations

import contextlib
import math
import os
import re
import tempfile
from collections.abc import Iterator, Mapping
from typing import Any

from .refusal import Refusal

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


def as_text(value: Any, name: str = "config") -> str:
    """In the syntax of libconfig. name: of the value, for refusals."""
    value = value.tolist() if hasattr(value, "tolist") else value      # of numpy
    if isinstance(value, Mapping):
        return "{ " + members(value, " ") + " }"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value) + "L" * (not -2**31 <= value < 2**31)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise Refusal(f"{name} = {value}: a config has finite numbers")
        return repr(value)
    if isinstance(value, (str, os.PathLike)):
        text = os.fspath(value).replace("\\", "\\\\").replace('"', '\\"')
        return '"' + text.replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r") + '"'
    if isinstance(value, (list, tuple, range)):
        return as_list([v.tolist() if hasattr(v, "tolist") else v for v in value], name)
    raise Refusal(f"{name} is a {type(value).__name__}; a config has numbers, texts, lists and dictionaries")


def as_list(values: list[Any], name: str) -> str:
    """Numbers are all real where one is: libconfig refuses a mixture. Of others than numbers or texts a list, which
    may have any elements."""
    numbers = all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in values)
    if numbers and any(isinstance(v, float) for v in values):
        values = [float(v) for v in values]
    begin, end = "[]" if numbers or all(isinstance(v, str) for v in values) else "()"
    return begin + ", ".join(as_text(v, name) for v in values) + end


def members(config: Mapping[str, Any], between: str) -> str:
    for name in config:
        if not isinstance(name, str) or not NAME.fullmatch(name):
            raise Refusal(f"{name!r} is no name of a config's key")
    return between.join(f"{name} = {as_text(value, name)};" for name, value in config.items())


def is_text(config: str) -> bool:
    """Whether it is the text of a config, and not its path."""
    return "\n" in config or "=" in config and not os.path.exists(config)


@contextlib.contextmanager
def on_disk(config: Mapping[str, Any] | str | os.PathLike[str]) -> Iterator[str]:
    """The path of a config: a dictionary, or a text, is in a folder of its own until this ends. It bears the name of
    its problem, from which `sweep` forms that of the output, results/PROBLEM.h5, if the config has none."""
    if not isinstance(config, Mapping) and not (isinstance(config, str) and is_text(config)):
        yield os.fspath(config)
        return
    text = members(config, "\n") + "\n" if isinstance(config, Mapping) else config
    problem = re.search(r'^\s*problem\s*[=:]\s*"(\w+)"', text, re.M)
    with tempfile.TemporaryDirectory(prefix="pysweep-") as folder:
        path = os.path.join(folder, (problem[1] if problem else "sweep") + ".cfg")
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        yield path


def settings(overrides: Mapping[str, Any]) -> list[str]:
    """Keyword arguments as -s: time__end=5 is time.end = 5."""
    return [word for name, value in overrides.items()
            for word in ("-s", f"{name.replace('__', '.')}={as_text(value, name)}")]
