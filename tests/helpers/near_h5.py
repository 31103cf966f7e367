#!/usr/bin/python3
"""Of each line "A B RELATIVE" of standard input: fail unless B has the datasets of A, and their numbers differ by at
most RELATIVE times the largest number of the dataset, or times 1 (0: by no bit), in fields and series, and by 1e-12
times the number in error norms, whose sums have another order. The same runs have failed, with the same messages."""
import sys

import h5py
import numpy as np

NORMS = {"err_l2", "err_max", "err_rel", "err_interior"}
IGNORED = {"wall_time", "provenance"}


def off(name, a, b, relative):
    if a.dtype.kind != "f":
        return not np.array_equal(a, b)
    if a.shape != b.shape or not np.array_equal(np.isnan(a), np.isnan(b)):
        return True
    a, b = np.nan_to_num(a), np.nan_to_num(b)
    # a norm of an error that is itself rounding is off by what the field may be
    bound = np.maximum(1e-12 * np.abs(a), relative) if name in NORMS else relative * np.abs(a).max(initial=1)
    return bool(np.any(np.abs(a - b) > bound))


def far(one, other, relative):
    with h5py.File(one, "r") as A, h5py.File(other, "r") as B:
        names = [k for k in A if isinstance(A[k], h5py.Dataset) and k not in IGNORED]
        return [k for k in names if k not in B or off(k, A[k][()], B[k][()], relative)] or not names


lines = [line.split() for line in sys.stdin]
wrong = [(a, b, names) for a, b, bound in lines if (names := far(a, b, float(bound)))]
for a, b, names in wrong:
    print(f"{b} is not near {a}: {names}", file=sys.stderr)
sys.exit(bool(wrong))
