#!/usr/bin/env python3
"""Print what the five papers publish beside ours, row by row, from the CSV files of scripts/papers/reproduce_*.sh.

usage: claims.py [OPTION...] [FOLDER]    FOLDER with the CSV files (default: results/bench)
  --paper P       only this paper: P (cuPentBatch), B (boundary values), K (compact), S (SPIKE), E (elliptic)
  --expect NAMES  only rows that come from these CSV files alone, and those of no file; names without .csv, commas
  --device NAMES  the kinds of devices that measured, cpu or cpu,cuda (default): rows of others are not expected
  --all           rows without ours too, and why they have none
  --check         fail where a row has a published value, none of ours and no reason, and list these rows
  --csv           a line a row: paper,place,what,published,ours,verdict,files
Standard library only."""
import csv
import os
import sys

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
import published
# lists of claims, in the order in which they are printed
import published_cupentbatch
import published_bvp
import published_compact
import published_spike
import published_elliptic
from published import CLAIMS, PAPERS, Cell, text

VERDICTS = {True: "met", False: "not met", None: "not comparable"}


def published_text(claim, folder):
    if not callable(claim.published):
        return claim.published
    return f"{claim.published(folder)} values"


def excuse(claim, devices):
    """Why this machine may have none of ours; empty: it should have."""
    if claim.ours is None and claim.cells is None:
        return claim.why
    if "cuda" not in devices and (claim.lacks == "needs a GPU" or any(name.endswith("_cuda") for name in claim.files)):
        return "needs a GPU"
    return "" if claim.lacks == "needs a GPU" else claim.lacks


def verdict(claim, ours, devices):
    """The word, and why."""
    if ours is None:
        reason = excuse(claim, devices)
        return "no value" if claim.ours is None else "not measured" if reason else "not measured yet", reason
    said = (claim.note, "" if ours.met else claim.why)
    return VERDICTS[ours.met], "; ".join(word for word in said if word)


def rows(claim, folder, devices):
    """(what, published, ours, verdict, why, missing) of a claim, and of each cell of a table."""
    ours = claim.ours(folder) if claim.ours else None
    word, why = verdict(claim, ours, devices)
    missing = ours is None and not excuse(claim, devices)
    out = [(claim.what, published_text(claim, folder), ours.text if ours else "–", word, why, missing)]
    for cell in claim.cells(folder) if claim.cells and ours else ():
        out.append(cell_row(cell, claim, devices))
    return out


def cell_row(cell, claim, devices):
    if cell.ours is None:
        reason = cell.why or claim.cells_lack or excuse(claim, devices)
        return f"  {cell.label}", cell.published, "–", "not measured", reason, bool(cell.published) and not reason
    if isinstance(cell.ours, str):
        return f"  {cell.label}", cell.published, cell.ours, "", cell.why, False
    there = float(cell.published) if published.data.is_number(cell.published) else None
    times = f"{text(cell.ours / there)} ×" if there and cell.ours else ""
    return f"  {cell.label}", cell.published, text(cell.ours), times, cell.why, False


# ---------------------------------------------------------------- the table of a page

def sources(claim, folder):
    names = [name for name in claim.files if os.path.exists(os.path.join(folder, f"{name}.csv"))]
    return ", ".join(f"`{name}`" for name in names)


def page_rows(paper, folder):
    """[where, what, published, ours, verdict and why, from], all devices expected."""
    out = []
    for claim in CLAIMS:
        if claim.paper != paper:
            continue
        what, there, ours, word, why, _ = rows(claim, folder, ("cpu", "cuda"))[0]
        said = {"met": "met", "not met": "**not met**"}.get(word, word)
        out.append([claim.place, what, there, ours, said + (f": {why}" if why else ""), sources(claim, folder)])
    return out


# ---------------------------------------------------------------- the command line

def chosen(options):
    names = set(options["expect"].split(",")) if options["expect"] else None
    for claim in CLAIMS:
        if options["paper"] and claim.paper != options["paper"]:
            continue
        if names is not None and not names.issuperset(claim.files):
            continue
        yield claim


def parse(arguments):
    options = {"paper": "", "expect": "", "device": "cpu,cuda", "all": False, "check": False, "csv": False,
               "folder": "results/bench"}
    rest, wanted = [], iter(arguments)
    for word in wanted:
        name = word.removeprefix("--")
        if name == word:
            rest.append(word)
        elif name in ("all", "check", "csv"):
            options[name] = True
        elif name in ("paper", "expect", "device"):
            options[name] = next(wanted, None)
            if options[name] is None:
                return None
        else:
            return None
    if len(rest) > 1 or options["paper"] and options["paper"] not in PAPERS:
        return None
    options["folder"] = rest[0] if rest else options["folder"]
    return options


def show(claim, lines, every):
    for k, (what, there, ours, word, why, _) in enumerate(lines):
        if ours == "–" and not every:
            continue
        if k == 0:
            print(f"{claim.place}: {what}")
            print(f"    published {there}; ours {ours}; {word}" + (f": {why}" if why else ""))
        else:
            print(f"    {what:<44} {there:>12} {ours:>12} {word:>12}" + (f"  {why}" if why else ""))


def main():
    options = parse(sys.argv[1:])
    if options is None:
        print(__doc__, file=sys.stderr)
        return 2
    devices, missing, paper, without = options["device"].split(","), [], None, 0
    writer = csv.writer(sys.stdout, lineterminator="\n")
    if options["csv"]:
        writer.writerow(["paper", "place", "what", "published", "ours", "verdict", "files"])
    for claim in chosen(options):
        lines = rows(claim, options["folder"], devices)
        missing += [f"{PAPERS[claim.paper]}, {claim.place}: {claim.what}" + (f": {line[0].strip()}" if k else "")
                    for k, line in enumerate(lines) if line[5]]
        if options["csv"]:
            for k, (what, *values) in enumerate(lines):
                what = f"{claim.what}: {what.strip()}" if k else what
                writer.writerow([claim.paper, claim.place, what, *values[:3], " ".join(claim.files)])
            continue
        if claim.paper != paper:
            paper = claim.paper
            print(f"\n{PAPERS[paper][0].upper()}{PAPERS[paper][1:]}: published, and ours")
        show(claim, lines, options["all"])
        without += sum(line[2] == "–" for line in lines)
    if without and not options["all"] and not options["csv"]:
        print(f"{without} more without ours: scripts/papers/claims.py --all {options['folder']}")
    if options["check"] and missing:
        print(f"{len(missing)} rows have a published value and none of ours:", file=sys.stderr)
        for line in missing:
            print(f"  {line}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
