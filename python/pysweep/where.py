"""Which runs are drawn, by their parameters: --where 'k == 0.06 and scheme != f4'. The text is read as a list of
comparisons; nothing of it is executed."""
import re

import numpy as np

from .refusal import Refusal

COMPARISON = re.compile(r"""\s*(\w+)\s*(==|!=|<=|>=|<|>)\s*("[^"]*"|'[^']*'|[^\s&"'<>=!]+)\s*""")
JOINED = re.compile(r"and\b|&&")
CLOSE = 1e-9        # numbers that differ by less, of themselves, are equal: linspace has 0.06 to rounding
EXAMPLE = "takes comparisons of parameters, e.g. --where 'k == 0.06 and r < 0.5'"


def comparisons(text):
    """The comparisons of a text, each (name, operator, value as it is written); None: no text."""
    if text is None:
        return None
    found, at = [], 0
    while True:
        one = COMPARISON.match(text, at)
        if not one:
            raise Refusal(f"--where '{text}': {EXAMPLE}")
        found.append((one[1], one[2], one[3].strip("\"'")))
        at = one.end()
        if at == len(text):
            return found
        joined = JOINED.match(text, at)
        if not joined:
            raise Refusal(f"--where '{text}': behind '{text[:at].strip()}' comes 'and' or the end; {EXAMPLE}")
        at = joined.end()


def number_in(text):
    """A finite number; None: the text is none."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if np.isfinite(value) else None


def holds(values, name, operator, value):
    """For which values of a parameter a comparison holds."""
    if values.dtype.kind == "U":
        if operator not in ("==", "!="):
            raise Refusal(f"--where: {name} has words for values, which == and != compare")
        return (values == value) == (operator == "==")
    number = number_in(value)
    if number is None:
        raise Refusal(f"--where: {name} has numbers for values, and '{value}' is none")
    equal = np.isclose(values, number, rtol=CLOSE, atol=0)
    return {"==": equal, "!=": ~equal, "<": (values < number) & ~equal, "<=": (values < number) | equal,
            ">": (values > number) & ~equal, ">=": (values > number) | equal}[operator]


def chosen(param, asked):
    """For which rows all comparisons hold. param: the values of each parameter."""
    kept = np.full(len(next(iter(param.values()))), True)
    for comparison in asked:
        kept &= holds(param[comparison[0]], *comparison)
    return kept
