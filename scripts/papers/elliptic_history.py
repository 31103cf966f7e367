#!/usr/bin/env python3
"""Print the residual histories of a sweep over `row` and `courant`, a line an iteration:
row,courant,iteration,residual.

usage: elliptic_history.py DEVICE FILE     rows are named DEVICE.ROW
Needs h5py and numpy."""
import sys

import h5py
import numpy as np


def main():
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    with h5py.File(sys.argv[2], "r") as file:
        for run, history in enumerate(file["residual_history"][:]):
            row, courant = file["row"][run].decode(), file["courant"][run]
            for iteration in np.flatnonzero(np.isfinite(history)):
                print(f"{sys.argv[1]}.{row},{courant:g},{iteration},{history[iteration]:.6g}")
    return 0


sys.exit(main())
