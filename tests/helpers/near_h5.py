#!/usr/bin/python3
"""near_h5.py A B RELATIVE: fail unless B has the datasets of A, and their numbers differ by at most RELATIVE times the
largest number of the dataset, or times 1 (0: by no bit), in fields and series, and by 1e-12 times the number in error
norms, whose sums have another order. The same runs have failed, with the same messages."""
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


with h5py.File(sys.argv[1], "r") as A, h5py.File(sys.argv[2], "r") as B:
    names = [k for k in A if isinstance(A[k], h5py.Dataset) and k not in IGNORED]
    wrong = [k for k in names if k not in B or off(k, A[k][()], B[k][()], float(sys.argv[3]))]
if wrong or not names:
    sys.exit(f"{sys.argv[2]} is not near {sys.argv[1]}: {', '.join(wrong)}")
