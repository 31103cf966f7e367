#!/usr/bin/python3
"""compare_h5.py A B...: fail unless each B holds the same as the output file A, dataset by dataset, bit by bit (a NaN
equals the same NaN). Left out: what tells of the call and not of the results (wall_time, history, provenance, the hash
of the config text)."""
import sys

import h5py
import numpy as np

IGNORED_DATA = {"wall_time", "provenance"}
IGNORED_ATTRIBUTES = {"history", "config_sha256", "REFERENCE_LIST", "DIMENSION_LIST"}


def datasets(group, path=""):
    for name in group:
        if name in IGNORED_DATA:
            continue
        item = group[name]
        if isinstance(item, h5py.Group):
            yield from datasets(item, path + name + "/")
        else:
            yield path + name, item


def same(a, b):
    if a.dtype.kind == "f":
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    return a.shape == b.shape and np.array_equal(a, b)


def attributes(item):
    return {k: v for k, v in item.attrs.items() if k not in IGNORED_ATTRIBUTES}


def compare(a, b):
    faults = []
    left, right = dict(datasets(a)), dict(datasets(b))
    if left.keys() != right.keys():
        faults.append(f"datasets differ: {sorted(left.keys() ^ right.keys())}")
    for name in sorted(left.keys() & right.keys()):
        x, y = left[name][()], right[name][()]
        if not same(np.asarray(x), np.asarray(y)):
            faults.append(f"{name} differs")
        if str(attributes(left[name])) != str(attributes(right[name])):
            faults.append(f"attributes of {name} differ: {attributes(left[name])} and {attributes(right[name])}")
    if str(attributes(a)) != str(attributes(b)):
        faults.append(f"root attributes differ: {attributes(a)} and {attributes(b)}")
    return faults


if __name__ == "__main__":
    found = []
    with h5py.File(sys.argv[1], "r") as first:
        for path in sys.argv[2:]:
            with h5py.File(path, "r") as other:
                found += [f"{sys.argv[1]} {path}: {fault}" for fault in compare(first, other)]
    for line in found:
        print(line, file=sys.stderr)
    sys.exit(1 if found else 0)
