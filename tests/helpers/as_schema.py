#!/usr/bin/python3
"""as_schema.py 1|2 FILE: turn an output file into one as earlier builds of sweep wrote it, without checksums. Schema 2:
the ids of runs are texts. Schema 1 (before 1.0.0): so they are, the runs of a group are called `run`, as at the root,
and the least and greatest u `min` and `max`."""
import sys

import h5py


def with_texts(f):
    """The ids as texts, at the end of the group."""
    ids, name = f["run_id"], f["run_id"].attrs["long_name"]
    texts = [f"{v:016x}" for v in ids[:].tolist()]
    ids.dims[0].detach_scale(f["run"])
    del f["run_id"]
    ids = f.create_dataset("run_id", data=texts, dtype=h5py.string_dtype())
    ids.attrs["long_name"] = name
    ids.dims[0].attach_scale(f["run"])


schema = sys.argv[1]
with h5py.File(sys.argv[2], "r+") as f:
    assert f.attrs["sweep_schema"] == "3.0"
    f.attrs["sweep_schema"] = schema + ".0"
    del f.attrs["sweep_checksum"]  # and HDF5 cuts off what lies behind its end
    with_texts(f)
    for group in [f] + [g for g in f.values() if isinstance(g, h5py.Group) and "points" in g.attrs]:
        for new, old in (("group_run", "run"), ("u_min", "min"), ("u_max", "max")):
            if schema == "1" and new in group:
                group.move(new, old)
