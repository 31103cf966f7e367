"""What a published table, figure, number or claim is, and how ours is judged beside it. published_PAPER.py list those
of a paper, with a function each that computes ours from the CSV files that scripts/papers/reproduce_*.sh leave;
claims.py prints both side by side. Published tables stand in *_paper.csv, numbers of the papers' texts in the lists;
ours stands nowhere but in the CSV files. Standard library only."""
import collections
import csv
import math
import os
import statistics
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bench"))
import bench_data as data
from bench_data import figure_text as text

PAPERS = {"P": "cuPentBatch", "B": "the boundary value paper", "K": "the compact paper", "S": "the SPIKE paper",
          "E": "the elliptic paper"}

# met: True, False, or None where ours and the published value are not comparable; why says so, then.
Ours = collections.namedtuple("Ours", "text met")
# A number of a table: label names it, published is its text, ours a number or a text, None where there is none; why
# then says for what reason, if there is one.
Cell = collections.namedtuple("Cell", "label published ours why", defaults=("",))
# ours: function of the folder with the CSV files: Ours, or None where they have none. cells: function of the folder,
# of tables. files: the CSV files (without .csv) from which ours comes. why: why ours is not met, or not comparable.
# note: what the reader should know of ours in any case. lacks: why a machine may have none of ours; rows of a GPU need
# no such word. cells_lack: why it may have none of some cells of a table.
Claim = collections.namedtuple("Claim", "paper place what published files ours cells why note lacks cells_lack",
                               defaults=((), None, None, "", "", "", ""))
CLAIMS = []


def claim(paper, place, what, published, files="", ours=None, **more):
    CLAIMS.append(Claim(paper, place, what, published, tuple(files.split()), ours, **more))


def read(folder, name):
    """Lines of a CSV file, without those at its top that begin with #."""
    return read_path(os.path.join(folder, f"{name}.csv"))


def read_path(path):
    if not os.path.exists(path):
        return []
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def span(values, unit=""):
    values = [value for value in values if value is not None]
    if not values:
        return None
    low, high = text(min(values)), text(max(values))
    return (low if low == high else f"{low} to {high}") + unit


def judged(values, met, unit="", note=""):
    """Ours: the least and the largest of the values; met: function of the list of them."""
    values = [value for value in values if value is not None]
    return Ours(span(values, unit) + note, met(values)) if values else None


def at_least(least):
    return lambda values: min(values) >= least


def quotient(a, b):
    return a / b if a and b else None


def slope(points):
    """Of the line through the logarithms of pairs that fits best."""
    logs = [(math.log(x), math.log(y)) for x, y in points if x > 0 and y > 0]
    x, y = (sum(pair[k] for pair in logs) / len(logs) for k in (0, 1))
    return sum((a - x) * (b - y) for a, b in logs) / sum((a - x)**2 for a, _ in logs)


def moved(kind, to, back):
    """function of a folder: seconds to copy so many numbers to a GPU and back, of pageable or pinned memory"""
    def seconds(folder):
        at = {(line["direction"], int(line["words"])): float(line["seconds"])
              for line in read(folder, "transfers_cuda") if line["memory"] == kind}
        there, here = at.get(("to", to)), at.get(("from", back))
        return there + here if there and here else None
    return seconds


# ---------------------------------------------------------------- judging tables

def pairs(cells):
    """(label, published, ours) of the cells where both are numbers."""
    return [(cell.label, float(cell.published), cell.ours) for cell in cells
            if cell.ours is not None and data.is_number(cell.published) and not isinstance(cell.ours, str)]


def at_most(factor, ratio, words, farthest):
    """A judge of a table: met where ratio(published, ours) is at most so much in each cell."""
    def judge(cells):
        known = pairs(cells)
        off = [(label, ratio(there, ours)) for label, there, ours in known]
        bad = [(label, by) for label, by in off if by > factor]
        said = f"{len(known) - len(bad)} of {len(known)} {words}"
        if bad:
            label, by = max(bad, key=lambda one: one[1])
            said += f"; {farthest} {label}: {text(by)} times"
        return Ours(said, not bad) if known else None
    return judge


def within(factor):
    """A table is met where each of ours is at most so many times the published value, or its part."""
    return at_most(factor, lambda there, ours: max(ours / there, there / ours) if ours else float("inf"),
                   f"within a factor of {text(factor)}", "farthest")


def no_larger(factor):
    """Errors: met where each of ours is at most so many times the published one."""
    words = "no larger than published" if factor == 1 else f"at most {text(factor)} times the published value"
    return at_most(factor, lambda there, ours: ours / there, words, "worst")


def faster(cells):
    """Seconds of another machine: how many times faster, no verdict."""
    ratios = [there / ours for _, there, ours in pairs(cells) if ours]
    return Ours(f"{span(ratios)} times as fast, {len(ratios)} of {len(cells)} cells", None) if ratios else None


def table(paper, place, what, files, cells, judge, **more):
    def published(folder):
        return sum(1 for cell in cells(folder) if cell.published)
    claim(paper, place, what, published, files, lambda folder: judge(cells(folder)), cells=cells, **more)


def times(numerator, denominator, met, unit=" times"):
    """Ours: the quotient of two functions of the folder."""
    def ours(folder):
        value = quotient(numerator(folder), denominator(folder))
        return Ours(text(value) + unit, met(value)) if value else None
    return ours
