#!/usr/bin/python3
"""make_virtual.py FILE SOURCE...: make FILE, which `sweep merge SOURCE... -o FILE` has written, the virtual file that
`sweep merge --virtual` of earlier versions made of these files: its fields and series are virtual datasets, whose
values are in the sources, and provenance/parts lists these. (Its checksums are gone, as in a file of a version without
any.)"""
import os
import sys

import h5py
import numpy as np

COPIED = {"t", "t_s", "xc", "yc", "zc", "state_last"}  # also in a virtual file


def runs(group):
    return group["group_run" if "group_run" in group else "run"][:]


def data_groups(file):
    return [file[name] for name in ["/"] + list(file) if isinstance(file[name], h5py.Group) and "points" in
            file[name].attrs]


def map_sources(group, name, folder, sources):
    """The layout of a dataset: each row that a source has, and as many outputs of it as it has."""
    layout = h5py.VirtualLayout(group[name].shape, group[name].dtype)
    row_of = {run: row for row, run in enumerate(runs(group))}
    for source in sources:
        with h5py.File(source) as part:
            there = part[group.name] if group.name in part else {}
            if name not in there:
                continue
            values = h5py.VirtualSource(os.path.relpath(source, folder), there[name].name, there[name].shape,
                                        there[name].dtype)
            for row, run in enumerate(runs(there)):
                if run in row_of:
                    layout[row_of[run], :there[name].shape[1]] = values[row]
    return layout


def make_virtual(group, name, folder, sources):
    data = group[name]
    attributes = {k: v for k, v in data.attrs.items() if k != "DIMENSION_LIST"}
    scales = [dim[0] if len(dim) else None for dim in data.dims]
    fill = data.fillvalue
    layout = map_sources(group, name, folder, sources)
    for dim, scale in zip(data.dims, scales):
        if scale is not None:
            dim.detach_scale(scale)
    del group[name]
    data = group.create_virtual_dataset(name, layout, fillvalue=fill)
    for key, value in attributes.items():
        data.attrs[key] = value
    for dim, scale in zip(data.dims, scales):
        if scale is not None:
            dim.attach_scale(scale)


def main(path, sources):
    folder = os.path.dirname(os.path.abspath(path))
    with h5py.File(path, "r+", track_order=True) as file:
        for group in data_groups(file):
            own = runs(group).size
            for name in [n for n in group if isinstance(group[n], h5py.Dataset) and n not in COPIED and
                         group[n].ndim > 1 and group[n].shape[0] == own]:
                make_virtual(group, name, folder, sources)
        provenance = file["provenance"]
        provenance["part"] = np.arange(len(sources))
        provenance["part"].make_scale()
        provenance.create_dataset("parts", data=[os.path.relpath(s, folder) for s in sources],
                                  dtype=h5py.string_dtype())
        provenance["part_bytes"] = np.array([os.path.getsize(s) for s in sources])
        for name in "parts", "part_bytes":
            provenance[name].dims[0].attach_scale(provenance["part"])
        del file.attrs["sweep_checksum"]


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
