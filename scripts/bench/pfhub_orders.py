"""Errors and orders of PFHub's benchmark 7a, of the runs that bench_fields.sh has made: over points against the
manufactured solution, over dt against far shorter steps on the same points.

    pfhub_orders.py FOLDER MACHINE COMMIT  > FILE.csv"""
import sys

import h5py
import numpy as np

folder, machine, commit = sys.argv[1:]


def rows(kind, methods, cells, dts, l2, largest):
    """Of runs next to each other, the later the finer."""
    for k, (method, n, dt) in enumerate(zip(methods, cells, dts)):
        same = k and methods[k - 1] == method
        order = f"{np.log2(l2[k - 1]/l2[k]):.2f}" if same else ""
        print(f"{kind},{method},{n},{dt:g},{l2[k]:.4e},{largest[k]:.4e},{order}")


print(f"# PFHub 7a at t = 8, 2 cells x (cells + 1) points, {machine}, commit {commit}; space: against the exact "
      "solution, time: against imex3 with dt = 0.005 on the same points")
print("kind,method,cells,dt,err_l2,err_max,order")
with h5py.File(f"{folder}/space.h5") as f:
    cells = [int(n) for n in np.ravel(f["cells"][:])]
    rows("space", ["imex3"]*len(cells), cells, [0.1]*len(cells), np.ravel(f["err_l2"][:]), np.ravel(f["err_max"][:]))
with h5py.File(f"{folder}/dt.h5") as f, h5py.File(f"{folder}/fine.h5") as g:
    off = abs(f["eta"][:, -1] - g["eta"][0, -1])
    methods = [m.decode() if isinstance(m, bytes) else str(m) for m in np.ravel(f["method"][:])]
    rows("time", methods, [64]*len(off), np.ravel(f["dt"][:]), np.sqrt((off**2).mean(axis=(1, 2))),
         off.max(axis=(1, 2)))
