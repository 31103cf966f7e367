"""What the user asks for: the options, each checked as far as it can be without the file."""
import argparse
import difflib
import os

import numpy as np

from pysweep.refusal import Refusal
from pysweep.where import comparisons, number_in

# which options a kind of picture uses beside those that all use; and which axes may be logarithmic
USES = {"convergence": ("of", "over", "log"), "lines": ("of", "run", "time", "over", "log"),
        "spacetime": ("of", "run", "log", "clim"), "image": ("of", "run", "time", "at", "log", "clim"),
        "film": ("of", "run", "time", "at", "over", "log", "clim"), "slice": ("of", "run", "time", "at", "log", "clim"),
        "curves": ("of", "time", "over", "log"), "heatmap": ("of", "time", "over", "log", "clim")}
LOG_AXES = {"convergence": "xy", "lines": "xy", "curves": "xy", "spacetime": "xyc", "image": "xyc",
            "film": "xyc", "slice": "xyc", "heatmap": "xyc"}
PICTURES = (".png", ".pdf", ".svg")
FILMS = (".gif", ".apng", ".mp4")
PAGES = (".html", ".htm")
MOST_TIMES = 12         # columns of an image


class Arguments(argparse.ArgumentParser):
    def error(self, message):
        """As all refusals are told: in a line, without the usage."""
        raise Refusal(f"{message}; sweep --help says what there is")


def number_of(text, option, example):
    value = number_in(text)
    if value is None:
        raise Refusal(f"--{option} '{text}': {example}")
    return value


def limits(text, option):
    """A,B: the ends of an axis, ascending; one of them may be left out (None), which the data then decide."""
    if text is None:
        return None
    parts = text.split(",")
    example = f"takes two numbers, the ends of the axis, e.g. --{option} 0,2.5; one may be left out: --{option} 0,"
    if len(parts) != 2 or not any(parts):
        raise Refusal(f"--{option} '{text}': {example}")
    low, high = (number_of(part, option, example) if part else None for part in parts)
    if None not in (low, high) and low >= high:
        raise Refusal(f"--{option} '{text}': the first end has to be the smaller one")
    return low, high


def places(text):
    """A place on each of some axes, of x=0.5,z=1; {}: none is given."""
    found = {}
    for part in text.split(",") if text is not None else []:
        axis, _, place = part.partition("=")
        example = "takes places on the axes x, y and z, e.g. --at z=0.5 or --at x=0,y=1.5"
        if axis not in ("x", "y", "z") or axis in found:
            raise Refusal(f"--at '{text}': {example}")
        found[axis] = number_of(place, "at", example)
    return found


def times(text, kind):
    """The times that are meant: one, or of an image several; None: none is given."""
    example = "takes a number: the time meant, e.g. 0.5"
    if text is None:
        return None
    if "," in text and kind in ("image", None):
        found = [number_of(part, "time", example + ", or several: 0,10,100") for part in text.split(",")]
        if (np.diff(found) <= 0).any() or len(found) > MOST_TIMES:
            raise Refusal(f"--time '{text}': the times ascend, and are {MOST_TIMES} at most")
        return found
    return [number_of(text, "time", example)]


def size_in_inches(text):
    if text is None:
        return None
    parts = text.lower().split("x")
    example = "takes width and height in inches, each from 1 to 200, e.g. --size 8x5"
    if len(parts) != 2:
        raise Refusal(f"--size '{text}': {example}")
    size = [number_of(part, "size", example) for part in parts]
    if not all(1 <= length <= 200 for length in size):
        raise Refusal(f"--size '{text}': {example}")
    return size


def arguments(argv):
    parser = Arguments(prog="sweep plot", description="Draw the results of a sweep.", allow_abbrev=False)
    parser.add_argument("file", metavar="FILE", help="what sweep wrote, results/NAME.h5")
    parser.add_argument("--kind", metavar="KIND",
                        help="kind of picture: " + ", ".join(USES) + " (default: by what the file holds)")
    parser.add_argument("--of", metavar="NAME", help="error norm, series, history or field to draw")
    parser.add_argument("--run", metavar="RUNS", help="7 or 0,5,9 or 0-15 or all, or the first digits of a run id")
    parser.add_argument("--time", metavar="T",
                        help="the time meant (nearest saved one; default: the last); image: one or more, e.g. 0,10,100")
    parser.add_argument("--at", metavar="PLACES",
                        help="slice, image, film: where planes lie, e.g. z=0.5 (default: the middle)")
    parser.add_argument("--over", metavar="PARAM",
                        help="A, on the x axis, or A,B: a line for each B; lines: time,B, too; heatmap: A,B; film: A, "
                             "a frame for each value")
    parser.add_argument("--where", metavar="TEXT",
                        help="only runs whose parameters are such, e.g. 'k == 0.06 and r < 0.5'")
    parser.add_argument("--log", metavar="AXES", help="the logarithmic axes, of x, y and c (colour); none: none")
    parser.add_argument("--xlim", metavar="A,B", help="ends of the x axis")
    parser.add_argument("--ylim", metavar="A,B", help="ends of the y axis")
    parser.add_argument("--clim", metavar="A,B", help="ends of the colours")
    parser.add_argument("--size", metavar="WxH", help="width and height in inches")
    parser.add_argument("--dpi", metavar="N", help="pixels an inch (default: 150)")
    parser.add_argument("--style", metavar="FILE", help="matplotlib style sheet, applied last")
    parser.add_argument("--verbose", action="store_true", help="where an error was raised")
    parser.add_argument("--report", action="store_true", help="in place of a picture, a page with all of the file")
    parser.add_argument("--stored", metavar="PATH", help="where FILE is stored, if not under its name")
    parser.add_argument("-o", "--output", metavar="PICTURE", type=os.path.expanduser,
                        help=".png, .pdf or .svg, of a film .gif, .apng or .mp4 (default: FILE.KIND.png)")
    ask = parser.parse_args(argv)
    if ask.kind is not None and ask.kind not in USES:
        near = difflib.get_close_matches(ask.kind, USES, 1)
        raise Refusal(f"there is no kind '{ask.kind}' of pictures" + (f"; did you mean '{near[0]}'?" if near else "") +
                      f"\n  there is: {' '.join(USES)}")
    if ask.log not in (None, "none") and (set(ask.log) - set("xyc") or len(set(ask.log)) < len(ask.log)):
        raise Refusal(f"--log '{ask.log}': the axes that are to be logarithmic are x, y and c (the colours), e.g. xy, "
                      "or none")
    end = os.path.splitext(ask.output or "")[1]
    if ask.report and ask.output and end not in PAGES:
        raise Refusal(f"'{ask.output}': the name of a page must end in .html")
    if ask.output and not ask.report and end not in (*PICTURES, *FILMS):
        raise Refusal(f"'{ask.output}': the picture's name must end in .png, .pdf or .svg, that of a film "
                      "in .gif, .apng or .mp4")
    ask.kind = ask.kind or ("film" if end in FILMS else None)
    if ask.output and not ask.report and ask.kind and (ask.kind == "film") != (end in FILMS):
        raise Refusal(f"'{ask.output}': " + ("a film's name must end in .gif, .apng or .mp4" if ask.kind == "film" else
                                             "a film, --kind film, ends in .gif, .apng or .mp4; pictures in .png, .pdf "
                                             "or .svg"))
    ask.times = times(ask.time, ask.kind)
    ask.time = ask.times[0] if ask.times else None
    ask.places = places(ask.at)
    ask.where_text = ask.where
    ask.where = comparisons(ask.where)
    ask.xlim, ask.ylim, ask.clim = limits(ask.xlim, "xlim"), limits(ask.ylim, "ylim"), limits(ask.clim, "clim")
    ask.size = size_in_inches(ask.size)
    if ask.dpi is not None:
        ask.dpi = number_of(ask.dpi, "dpi", "takes the number of pixels an inch, e.g. 300")
        if not 10 <= ask.dpi <= 2400:
            raise Refusal(f"--dpi {ask.dpi:g}: from 10 to 2400 pixels an inch can be drawn")
    return ask


def given(ask):
    return [option for option in ("of", "run", "time", "at", "over", "log", "clim") if getattr(ask, option) is not None]


def logarithmic(ask, usual=""):
    """The axes that are to be logarithmic: what is asked for, or what is usual."""
    return usual if ask.log is None else "" if ask.log == "none" else ask.log


def require_used(ask, kind):
    """Refuse options that the kind of picture does not use: who gives one expects it to do something."""
    what = f"--kind {kind}" if ask.kind else f"{kind}, the kind of picture that suits this file"
    for option in given(ask):
        if option not in USES[kind]:
            others = [other for other, options in USES.items() if option in options]
            raise Refusal(f"--{option} is not for {what}; it goes with --kind " +
                          " or ".join(filter(None, [", ".join(others[:-1]), others[-1]])))
    if ask.times and len(ask.times) > 1 and kind != "image":
        raise Refusal(f"--time: {what} takes one time; --kind image takes several")
    if "c" in logarithmic(ask) and "c" not in LOG_AXES[kind]:
        raise Refusal(f"--log {ask.log}: {what} has no colour axis; it takes x, y, xy or none")
