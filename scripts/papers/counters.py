#!/usr/bin/env python3
"""Of what Nsight Compute counted (ncu --csv), the kernels that a paper has figures of.

usage: counters.py ROW NAME=PATTERN... <NCU_CSV
A line a kernel NAME, whose name has the regular expression PATTERN: row,kernel,launches,microseconds,load efficiency,
store efficiency,L1 hits; means over its launches, in %, weighed by their time. --metrics prints what ncu is to count.
Standard library only."""
import csv
import re
import sys

TIME = "gpu__time_duration.sum"
# Bytes that threads ask for over those of the sectors that move; what the papers' profiler called efficiencies.
COUNTERS = {"load efficiency": "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct",
            "store efficiency": "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct",
            "L1 hits": "l1tex__t_sector_hit_rate.pct"}
MICROSECONDS = {"nsecond": 1e-3, "ns": 1e-3, "usecond": 1, "us": 1, "msecond": 1e3, "ms": 1e3, "second": 1e6, "s": 1e6}


def launches(lines):
    """[(name of the kernel, {metric: number})]"""
    found = {}
    for row in csv.DictReader(line for line in lines if line.startswith('"')):
        if not row["ID"].isdigit():  # the line of units
            continue
        _, metrics = found.setdefault(row["ID"], (row["Kernel Name"], {}))
        try:
            value = float(row["Metric Value"].replace(",", ""))
        except ValueError:
            continue
        metrics[row["Metric Name"]] = value * (MICROSECONDS.get(row["Metric Unit"], 1)
                                               if row["Metric Name"] == TIME else 1)
    return list(found.values())


def mean(ones, metric):
    known = [one for one in ones if metric in one]
    weight = sum(one.get(TIME, 0) for one in known)
    return f"{sum(one[metric] * one[TIME] for one in known) / weight:.4g}" if weight else ""


def main():
    if sys.argv[1:] == ["--metrics"]:
        print(",".join([TIME, *COUNTERS.values()]))
        return 0
    if len(sys.argv) < 3 or not all("=" in word for word in sys.argv[2:]):
        print(__doc__, file=sys.stderr)
        return 2
    found = launches(sys.stdin)
    for word in sys.argv[2:]:
        name, pattern = word.split("=", 1)
        ones = [metrics for kernel, metrics in found if re.search(pattern, kernel)]
        if ones:
            values = [mean(ones, metric) for metric in COUNTERS.values()]
            whole = sum(one.get(TIME, 0) for one in ones)
            print(",".join([sys.argv[1], name, str(len(ones)), f"{whole:.4g}", *values]))
    return 0


sys.exit(main())
