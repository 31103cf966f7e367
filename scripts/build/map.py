#!/usr/bin/env python3
"""map.py BUILD [--list] [--write] [--raise]: hold the numbers of docs/developer/map.md against the tree, and against
the objects in BUILD.

A number may fall and never rise: the check fails where one is above its limit. --write lowers the limits to what is
there (lines and percents rounded up, so that a line more is no failure); --raise sets them, up or down, for a commit
that says why. --list names the functions and files that are counted. What a build may lack, objects of CUDA and
MPI and the sets of lanes, is left out of what is counted of objects, so that every build counts the same.
"""
import collections
import glob
import os
import re
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MAP = "docs/developer/map.md"
DESIGN = "docs/developer/design.md"
PLATFORM = "sweep store run cli comm base expr device field input".split()
ROOMS = PLATFORM + "bench linalg fd elliptic problem/line problem/bvp problem/systems problem/tridiagonal " \
    "problem/elliptic problem/banded problem/compact problem/advection problem/fields".split()
ROW = re.compile(r"^\| (?P<name>[^|]+?) +\| +(?P<limit>[\d.]+) \|(?P<rest>.*)$", re.M)


def files(*patterns):
    return sorted(path for pattern in patterns for path in glob.glob(pattern, recursive=True) if os.path.isfile(path))


def sources(folder):
    return files(*(f"{folder}/**/*.{kind}" for kind in ("c", "h", "cu", "cuh")))


def lines(paths):
    return sum(open(path, encoding="utf-8").read().count("\n") for path in paths)


def members(header, name):
    """How many members a struct has: what ends with ';' between its braces."""
    text = re.sub(r"/\*.*?\*/", "", open(header, encoding="utf-8").read(), flags=re.S)
    return re.search(r"struct %s \{(.*?)\n\};" % name, text, re.S).group(1).count(";")


def calls(build):
    """{function: its file} of what is exported, and {function: the files that use it}, by nm."""
    objects = [path for path in files(f"{build}/src/**/*.o")
               if not re.search(r"(_cuda|_mpi|/lanes_\w+|_absent)\.o$", path)
               and os.path.exists(os.path.relpath(path[:-1] + "c", build))]  # not of a source that is gone
    if len(objects) < 200:
        print(f"# skipped: exports: {build} has {len(objects)} objects of src")
        sys.exit(0)
    defined, used = {}, collections.defaultdict(set)
    table = subprocess.run(["nm", "-A", *objects], check=True, capture_output=True, text=True).stdout
    for line in table.splitlines():
        found = re.match(r"(\S+?)\.o: *[0-9a-f]* +(\w) (\S+)$", line)
        if not found:
            continue
        path, kind, symbol = found.groups()
        path = os.path.relpath(path, build)
        if kind == "T" and not symbol.startswith("_"):
            defined[symbol] = path
        elif kind == "U":
            used[symbol].add(path)
    return defined, used


def both_ways(defined, used):
    """Pairs of files that call each other."""
    calling = {(user, path) for symbol, path in defined.items() for user in used[symbol] if user != path}
    return sorted((a, b) for a, b in calling if a < b and (b, a) in calling)


def count(build):
    """{name of a row: what it is now}, and what to say of those that are too large."""
    rooms = {room: sources(f"src/{room}") for room in ROOMS}
    root = [path for path in sources("src/problem") if path.count("/") == 2]
    everything = sources("src") + sources("cuda")
    now = {f"files in `{room}`": len(paths) for room, paths in rooms.items()}
    now["files in the root of `problem`"] = len(root)
    now["lines of the platform"] = sum(lines(rooms[room]) for room in PLATFORM) + lines(root)
    now["lines of `src` and `cuda`"] = lines(everything)
    now["members of `struct sw_problem`"] = members("src/problem/sw_problem.h", "sw_problem")
    defined, used = calls(build)
    callers = {symbol: used[symbol] - {path} for symbol, path in defined.items()}
    single = sorted((defined[symbol], symbol, *who) for symbol, who in callers.items() if len(who) == 1)
    now["percent of exported functions that one file calls"] = round(100 * len(single) / len(defined), 1)
    pairs = both_ways(defined, used)
    now["pairs of files that call each other"] = len(pairs)
    return now, {"percent of exported functions that one file calls": [f"{a}: {b} <- {c}" for a, b, c in single],
                 "pairs of files that call each other": [f"{a} <-> {b}" for a, b in pairs]}


def rounded(name, value):
    if name.startswith("lines"):
        return -(-value // 500) * 500
    return int(-(-value // 1)) if name.startswith("percent") else value


def tables_missing():
    """A table of rows is named in the design text."""
    design = open(DESIGN, encoding="utf-8").read()
    return [path for path in files("src/**/*_table.c") if not path.endswith("/run_table.c")  # of runs, not of rows
            and path[:-1] not in design]


def main():
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    if len(words) != 1 or set(sys.argv[1:]) - set(words) - {"--write", "--raise", "--list"}:
        sys.exit(__doc__)
    build = os.path.abspath(words[0])
    os.chdir(TOP)
    text = open(MAP, encoding="utf-8").read()
    now, detail = count(build)
    if "--list" in sys.argv:
        for name, found in detail.items():
            print(f"{name}:", *found, sep="\n    ")
    if "--write" in sys.argv or "--raise" in sys.argv:
        def limited(row):
            value = rounded(row["name"], now[row["name"]])
            limit = value if "--raise" in sys.argv else min(value, float(row["limit"]))
            return f"| {row['name']} | {limit:g} |{row['rest']}"
        with open(MAP, "w", encoding="utf-8") as file:
            file.write(ROW.sub(lambda row: limited(row) if row["name"] in now else row[0], text))
        return 0
    limits = {row["name"]: float(row["limit"]) for row in ROW.finditer(text)}
    wrong = [f"{MAP} has no row '{name}', which is {value}" for name, value in now.items() if name not in limits]
    for name, value in now.items():
        if value > limits.get(name, value):
            wrong.append(f"{name}: {value}, and at most {limits[name]:g} are allowed ({MAP})")
            wrong += [f"    {found}" for found in detail.get(name, []) if "percent" not in name]
    wrong += [f"{DESIGN} does not name the table {path}" for path in tables_missing()]
    for line in wrong:
        print(line, file=sys.stderr)
    return int(bool(wrong))


sys.exit(main())
