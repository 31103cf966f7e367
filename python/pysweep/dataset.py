"""A file of sweep as an xarray Dataset, or of several grids as a DataTree. What is read, and what is wrong with a file,
comes from results.py."""
from __future__ import annotations

import json
import os
import shutil
import subprocess
import warnings
from typing import Any

import h5py
import numpy as np
import xarray as xr
from xarray.backends import BackendArray
from xarray.core import indexing

from . import accessor      # which registers .sweep
from .ensembles import GROUP
from .program import name_of
from .refusal import FILE, PROGRAM, Refusal
from .results import ANGLES, OTHER_NAMES, OWN_COORDINATES, RUNS, Results, require
from .stored import Stored, text_of

VERIFIED = 1 << 30      # bytes of a file that is compared with its checksums unless asked otherwise
SETTLED = 1             # dimensions of what is read at once
OF_HDF5 = ("CLASS", "NAME", "REFERENCE_LIST", "DIMENSION_LIST", "coordinates", "_FillValue", "_Netcdf4Dimid",
           "sweep_role", "sweep_checksum")
GROUP_RUN, ROOT_RUN = RUNS
DATATREE = getattr(xr, "DataTree", None)        # since 2024.10


class Later(BackendArray):
    """A variable whose numbers are read when they are used."""

    def __init__(self, stored: Stored, data: h5py.Dataset):
        self.take(stored, data)

    def take(self, stored: Stored, data: h5py.Dataset) -> None:
        self.stored, self.data = stored, data
        self.shape, self.dtype = data.shape, data.dtype

    def __getitem__(self, key: Any) -> Any:
        return indexing.explicit_indexing_adapter(key, self.shape, indexing.IndexingSupport.OUTER_1VECTOR, self.read)

    def read(self, key: Any) -> Any:
        if not self.stored.root:
            raise Refusal(f"{self.stored.path} is closed: open it again", FILE)
        with self.stored.reading(f"'{self.data.name}'"):
            return self.data[key]

    def __getstate__(self) -> tuple[str, str]:      # for other processes
        return os.path.abspath(self.stored.path), self.data.name

    def __setstate__(self, state: tuple[str, str]) -> None:
        stored = Stored(state[0])
        self.take(stored, stored.dataset(stored.root, state[1]))


class Close:
    """Closes the file; a copy in another process has none to close."""

    def __init__(self, stored: Stored):
        self.stored: Stored | None = stored

    def __call__(self) -> None:
        if self.stored:
            self.stored.root.close()

    def __getstate__(self) -> dict[str, None]:
        return {"stored": None}


def attributes(stored: Stored, owner: Any) -> dict[str, Any]:
    """Texts and numbers; those of HDF5 and netCDF themselves are left out."""
    with stored.reading(f"the attributes of '{owner.name}'"):
        found = {name: value for name, value in owner.attrs.items() if name not in OF_HDF5}
    return {name: text_of(value) if isinstance(value, (str, bytes)) else
            value.item() if isinstance(value, np.ndarray) and value.size == 1 else value
            for name, value in found.items() if not isinstance(value, h5py.Empty)}


def values_of(stored: Stored, group: h5py.Group, name: str, data: h5py.Dataset) -> Any:
    if data.dtype.kind == "O":
        return np.array(stored.texts(group, name, *data.shape), object)
    if name == "run_id":    # as sweep shows them
        return np.array(stored.ids(group, name, *data.shape), object)
    if data.ndim <= SETTLED:
        with stored.reading(f"'{data.name}'"):
            return data[()]
    return indexing.LazilyIndexedArray(Later(stored, data))


def variables(results: Results, group: h5py.Group) -> dict[str, tuple[xr.Variable, bool]]:
    """Of a group by name, each with whether it is a coordinate. Names are those of schema 3."""
    stored, inside = results.stored, group.name not in ("/", f"/{GROUP}")
    data = {name: one for name, one in stored.datasets(group).items() if one.dtype.kind in "iufO" and one.ndim}
    with stored.reading(f"the dimensions in '{group.name}'"):
        scales = {name: one for name, one in data.items() if one.ndim == 1 and h5py.h5ds.is_scale(one.id)}
    there = {}
    ordered = [name for name in results.param if name in data]     # as in the config
    for name, one in [(name, data[name]) for name in dict.fromkeys([*ordered, *data])]:
        dims = [name] if name in scales else stored.dimensions(one, scales)
        if "" in dims:
            raise stored.damaged(f"'{one.name}' does not tell its dimensions")
        about = attributes(stored, one)
        own = stored.attribute(one, "sweep_role") == "parameter"
        known = own or name in scales or name in OWN_COORDINATES.values() and name not in scales or \
            name == "run_id" or name in ANGLES and one.ndim > 1
        dims = [GROUP_RUN if inside and dim == ROOT_RUN else dim for dim in dims]
        renamed = GROUP_RUN if inside and name == ROOT_RUN else name
        if results.schema == 1 and name in ("min", "max") and one.ndim == 2:
            renamed = OTHER_NAMES[name]
        there[renamed] = xr.Variable(dims, values_of(stored, group, name, one), about), known
    return there


def as_dataset(results: Results, group: h5py.Group, table: dict[str, tuple[xr.Variable, bool]] | None = None) -> Any:
    """table: the variables of the root, of which a group of one grid gets the parameters and the states of its runs."""
    there = variables(results, group)
    if table is not None and GROUP_RUN in there:
        row = {run: k for k, run in enumerate(results.run)}
        rows = [row[run] for run in there[GROUP_RUN][0].values]
        for name, (one, known) in table.items():
            if name not in there and one.dims == (ROOT_RUN,) and (known and name != ROOT_RUN or name == "status"):
                there[name] = xr.Variable((GROUP_RUN,), one.values[rows], one.attrs), True
    try:
        return xr.Dataset({name: one for name, (one, known) in there.items() if not known},
                          {name: one for name, (one, known) in there.items() if known},
                          attributes(results.stored, group))
    except ValueError as error:     # lengths that do not fit each other
        raise results.stored.damaged(f"'{group.name}': {str(error).splitlines()[0]}")


def open_file(file: str, group: str | None = None, verify: bool | None = None) -> Any:
    """As pysweep.open()."""
    file = os.path.expanduser(file)
    compare(file, verify)
    results = Results(file)
    if group is None:
        tell_unfinished(results)
    grids = {one.name.strip("/"): one for one in results.groups[1:]}
    others = {**grids, **({GROUP: results.file[GROUP]} if results.ensembles else {})}
    if group is not None:
        asked = others[require(group, list(others), f"group '{group}' in {file}")]
        found = as_dataset(results, asked, variables(results, results.file) if group in grids else None)
        found.attrs = {**attributes(results.stored, results.file), **found.attrs}
        return prepared(found, results)
    if not grids:
        return prepared(as_dataset(results, results.file), results)
    if DATATREE is None:
        raise Refusal(f"{file} has several grids, which need a DataTree, of xarray 2024.10 or later; open one of them: "
                      f"pysweep.open(file, group=\"{next(iter(grids))}\") ({' '.join(grids)})", PROGRAM)
    root = as_dataset(results, results.file)
    table = variables(results, results.file)
    tree = DATATREE.from_dict({"/": root, **{name: as_dataset(results, one, table) for name, one in others.items()}})
    for node in tree.subtree:
        node.encoding["source"] = results.path
    tree.set_close(Close(results.stored))
    return tree


def prepared(data: Any, results: Results) -> Any:
    data.encoding["source"] = results.path
    data.set_close(Close(results.stored))
    return data


def tell_unfinished(results: Results) -> None:
    """A file that lacks runs is opened all the same."""
    whole, there = results.attribute("sweep_runs"), len(results.run)
    pending = int((results.status == 0).sum())
    if pending or whole.isdecimal() and there < int(whole):
        warnings.warn(f"{results.path} is unfinished: it has {there - pending} of {max(int(whole or 0), there)} runs; "
                      f"sweep resume {results.path} goes on with it", stacklevel=4)


def compare(file: str, verify: bool | None) -> None:
    """With the checksums that the file was written with, by the program."""
    if verify is False or not os.path.isfile(file):
        return
    program = shutil.which(name_of(None))
    if verify is None and (program is None or os.path.getsize(file) > VERIFIED):
        return
    if program is None:
        raise Refusal(f"verify=True needs the program '{name_of(None)}': put it into a folder of PATH, or name it by "
                      "the environment variable SWEEP", PROGRAM)
    told = subprocess.run([program, "verify", "--json", "--", file], stdin=subprocess.DEVNULL, capture_output=True)
    try:
        said = json.loads(told.stdout)["files"]
    except (ValueError, KeyError):
        lines = told.stderr.decode(errors="replace").strip().splitlines() or [f"exit code {told.returncode}"]
        raise Refusal(f"sweep verify {file}: " + lines[-1].removeprefix("error: "), FILE) from None
    for one in said:
        if one["verdict"] in ("damaged", "other"):
            where = f" ({one['where']})" if one.get("where") else ""
            raise Refusal(f"{one.get('why') or one['file']}{where}", FILE)
        if one["verdict"] == "changed":
            warnings.warn(f"{one['file']} was changed after sweep had written it, and has no checksums any more; its "
                          "numbers are taken as they are", stacklevel=4)
