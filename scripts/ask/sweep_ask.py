"""What the programs beside this one share: their command lines, and the numbers of a session's answers."""
import argparse
import sys


def numbers(answers, name):
    """What is to be made small, of each answer: infinite where the run failed, or has no finite number."""
    return [float("inf") if a["status"] != "done" or a[name] is None else a[name] for a in answers]


def command_line(about, **numbers):
    """CONFIG SCALAR NAME=LOW,HIGH ..., whole numbers (name: default, help), and behind -- options of `sweep ask`:
    what the programs beside this one take, with args.ends as of bounds() and args.options."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("config")
    parser.add_argument("scalar")
    parser.add_argument("ends", nargs="+", metavar="NAME=LOW,HIGH")
    for name, (default, text) in {**numbers, "seed": (1, None)}.items():
        parser.add_argument(f"--{name}", type=int, default=default, help=text)
    own = sys.argv[1:sys.argv.index("--")] if "--" in sys.argv else sys.argv[1:]
    args = parser.parse_args(own)
    args.ends, args.options = bounds(args.ends), sys.argv[len(own) + 2:]
    return args


def bounds(words):
    """["D=0.2,3", "r=1,2"] as {"D": (0.2, 3.0), "r": (1.0, 2.0)}"""
    found = {}
    for word in words:
        name, _, ends = word.partition("=")
        low, _, high = ends.partition(",")
        found[name] = float(low), float(high)
    return found
