#!/usr/bin/python3
"""as_schema_1.py FILE: turn an output file into one as versions of sweep up to 0.1.0 wrote it (schema 1.0): the runs of
a group are called `run`, as at the root, and the least and greatest u `min` and `max`, and there are no checksums."""
import sys

import h5py

with h5py.File(sys.argv[1], "r+") as f:
    assert f.attrs["sweep_schema"] == "2.0"
    f.attrs["sweep_schema"] = "1.0"
    del f.attrs["sweep_checksum"]  # and HDF5 cuts off what lies behind its end
    for group in [f] + [g for g in f.values() if isinstance(g, h5py.Group) and "points" in g.attrs]:
        for new, old in (("group_run", "run"), ("u_min", "min"), ("u_max", "max")):
            if new in group:
                group.move(new, old)
