#!/usr/bin/env python3
"""What a kernel of a warp executes, from ncu: count_instructions.py FILE.csv...

    ncu --set full -k KERNEL -s 1 -c 1 -o FILE sweep bench SPEC --rows ROW ...
    ncu -i FILE.ncu-rep --page source --csv --print-source sass > FILE.csv

A line for each kernel of each file. Counts are divided by those of the instructions that most share (a step's, where
one launch is one step or its loop is most of it): all instructions, those of double precision, wavefronts of shared
memory and shuffles, in clocks of a multiprocessor as such (an instruction of double precision takes half of one, of
any kind a quarter); then the share of samples in which warps waited, by reason.
"""
import collections
import csv
import re
import sys


def kernels(name):
    """The kernels of a file: column names, rows of instructions."""
    rows = list(csv.reader(open(name)))
    heads = [k for k, row in enumerate(rows) if "Source" in row] + [len(rows)]
    for head, end in zip(heads, heads[1:]):
        yield rows[head], [row for row in rows[head + 1:end] if len(row) == len(rows[head])]


def number(text):
    return float(text or 0)


def summary(columns, rows):
    at = {column: k for k, column in enumerate(columns)}
    executed = [number(row[at["Instructions Executed"]]) for row in rows]
    once = collections.Counter(e for e in executed if e).most_common(1)[0][0]
    total = double = shared = 0
    for row, times in zip(rows, executed):
        operation = re.sub(r"^@!?U?P\w+ ", "", row[at["Source"]].strip()).split()[0].split(".")[0]
        total += times
        double += times * (operation in ("DFMA", "DADD", "DMUL", "DSETP"))
        shared += times * (operation == "SHFL") + number(row[at["L1 Wavefronts Shared"]])
    reasons = [c for c in columns if c.startswith("stall_") and "Not Issued" not in c]
    samples = {r[6:]: sum(number(row[at[r]]) for row in rows) for r in reasons}
    most = sorted(samples, key=samples.get, reverse=True)[:5]
    return (f"{total / once:.0f} instructions ({total / once / 4:.0f} clocks), {double / once:.0f} of double precision "
            f"({double / once / 2:.0f}), shared memory {shared / once:.0f}; "
            + ", ".join(f"{r} {100 * samples[r] / sum(samples.values()):.0f} %" for r in most))


for file in sys.argv[1:]:
    for columns, rows in kernels(file):
        print(f"{file.split('/')[-1].split('.')[0]}: {summary(columns, rows)}")
