"""check_readers.py FILE KIND...: open output files as users do and compare what the readers see with each other.
KIND: root (arrays at the root), groups (an n swept) or virtual (the same, and the arrays are in other files).
Fields may have one to three dimensions in space. Prints what is wrong and exits 1; a library that is missing is
skipped with a message, unless SW_NEED contains "readers"."""
import os
import re
import subprocess
import sys
import warnings

import h5py
import numpy as np

PATH = KIND = None  # of the file that is looked at
wrong = []


def expect(condition, text):
    if not condition:
        wrong.append(text)


def skip(what):
    if "readers" in os.environ.get("SW_NEED", ""):
        wrong.append(f"{what} is needed (SW_NEED) but missing")
    print(f"skipped: {what} is not installed")


def same(a, b):
    """Equal, and NaN where the other is NaN."""
    a, b = np.asarray(a), np.asarray(b)
    if a.shape != b.shape:
        return False
    if a.dtype.kind == "f":
        return np.array_equal(a, b, equal_nan=True)
    return list(a.astype(str).flat) == list(b.astype(str).flat)


def runs_of(where):
    """The name of the dimension of runs: that of a group is another one than that of the root."""
    return "run" if where.name == "/" else "group_run"


def fields_of(where):
    """The fields of a group, with the dimensions they must have."""
    space = ("z", "y", "x")
    return {k: (runs_of(where), "time") + space[5 - v.ndim:] for k, v in where.items()
            if isinstance(v, h5py.Dataset) and v.ndim > 2}


def check_types(name, node):
    """No enum, bool, compound or fixed-length text: readers built on netCDF-C drop them or crash."""
    if not isinstance(node, h5py.Dataset):
        return
    string = h5py.check_string_dtype(node.dtype)
    if string is not None:
        expect(string.length is None and string.encoding == "utf-8", f"{name}: a text of fixed length")
    else:
        expect(node.dtype.kind in "fiu" and h5py.check_enum_dtype(node.dtype) is None, f"{name}: type {node.dtype}")
    expect(node.attrs.get("units", "1") in ("1", "s"), f"{name}: units {node.attrs.get('units')}")


def check_h5py():
    with h5py.File(PATH) as f:
        f.visititems(check_types)
        for key in "Conventions title source history problem sweep_schema sweep_id config_sha256".split():
            expect(isinstance(f.attrs.get(key), str), f"attribute {key} is missing")
        expect(f.attrs["Conventions"] == "CF-1.10", "Conventions")
        expect(f["provenance/config_text"].asstr()[()].count("problem") > 0, "config_text")
        for key in ("solver precision git_commit command_line hostname device gpu driver cuda hdf5 compiler "
                    "slurm_job_id user_expressions").split():
            expect(isinstance(f["provenance"].attrs.get(key), str), f"provenance: attribute {key} is missing")
        params = [k for k, v in f.items() if v.attrs.get("sweep_role") == "parameter"]
        expect(set(f["status"].attrs["coordinates"].split()) == set(params), f"coordinates of status: {params}")
        expect(f["status"].dtype == np.uint8 and f["run"].maxshape == (None,), "status or run")
        expect(f["status"].attrs["flag_meanings"] == "pending done diverged error", "flag_meanings")
        expect(list(f["status"].attrs["flag_values"]) == [0, 1, 2, 3], "flag_values")
        expect(np.all(np.diff(f["run"][:]) > 0), "runs do not ascend")
        expect(f["run_id"].dtype == np.uint64 and len(set(f["run_id"][:])) == len(f["run"]), "run_id")
        groups = [g for g in f if re.fullmatch(r"n\d+(x\d+){0,2}", g)]
        expect(bool(groups) == (KIND != "root"), f"groups: {groups}")
        for group in groups:
            both = {k for k, v in f[group].items() if isinstance(v, h5py.Dataset)} & set(f)
            expect(not both, f"{group}: {both} are names at the root, too: a tree of datasets could not be told")
        for where in [f[g] for g in groups] or [f]:
            expect(fields_of(where), f"{where.name}: there is no field")
            for name, dims in fields_of(where).items():
                u = where[name]
                whole = KIND == "root" and u.chunks and u.chunks[1:] == u.shape[1:]  # of one part: as it was computed
                expect(whole or not u.chunks, f"{u.name}: chunks {u.chunks}")  # of several: contiguous
                expect(tuple(d[0].name.split("/")[-1] for d in u.dims) == dims, f"{u.name}: scales")
                expect(np.isnan(u.attrs["_FillValue"]) and np.isnan(u.fillvalue), f"{u.name}: fill value")
                expect(all(where[s].attrs["axis"] == s.upper() for s in dims[2:]), f"{u.name}: axes")
                done = f["status"][:][np.searchsorted(f["run"][:], where[runs_of(where)][:])] == 1
                expect(np.all(np.isfinite(u[:][done])), f"{u.name}: a run that is done holds NaN")
            if "mass" in where:
                expect([d[0].name.split("/")[-1] for d in where["mass"].dims] == [runs_of(where), "time_s"],
                       "mass: scales")
        return groups


def check_names(xarray, names):
    """data.NAME is the variable only where xarray has no attribute or method of that name."""
    kinds = [getattr(xarray, kind) for kind in ("Dataset", "DataTree") if hasattr(xarray, kind)]
    taken = sorted(name for name in names if any(hasattr(kind, name) for kind in kinds))
    expect(not taken, f"xarray has methods called {taken}")


def check_tree(xarray, engine, groups):
    """All groups at once: the root hands its scales down to them. (xarray before 2024.10 cannot; check_h5py() looks at
    the names, which is what it takes.)"""
    if not hasattr(xarray, "open_datatree"):
        return
    with h5py.File(PATH) as f, xarray.open_datatree(PATH, engine=engine) as tree:
        expect(tree.sizes["run"] == f["run"].size, f"{engine}: runs of the tree")
        for group in groups:
            for name, dims in fields_of(f[group]).items():
                expect(tree[group][name].dims == dims, f"{engine}: the tree's dims of {group}/{name}")
                expect(same(tree[group][name].values, f[group][name][()]), f"{engine}: {group}/{name} of the tree")
            own = tree.status.sel(run=f[group]["group_run"][:])
            expect(own.size == f[group]["group_run"].size, f"{engine}: status of the runs of {group}")


def check_xarray(groups):
    try:
        import xarray
    except ImportError:
        return skip("xarray")
    for engine, module in (("h5netcdf", "h5netcdf"), ("netcdf4", "netCDF4")):
        try:
            __import__(module)
        except ImportError:
            skip(module)
            continue
        with h5py.File(PATH) as f, warnings.catch_warnings():
            warnings.simplefilter("error")
            for group in groups or [None]:
                with xarray.open_dataset(PATH, engine=engine, group=group) as data:
                    node = f[group] if group else f
                    names = {k for k, v in node.items() if isinstance(v, h5py.Dataset)}
                    own = {k for k, v in node.items()
                           if isinstance(v, h5py.Dataset) and "sweep_role" not in v.attrs}
                    check_names(xarray, own)
                    expect(set(data.variables) == names, f"{engine}: sees {set(data.variables) ^ names} differently")
                    for name in names:
                        raw = node[name].asstr()[()] if h5py.check_string_dtype(node[name].dtype) else node[name][()]
                        expect(same(data[name].values, raw), f"{engine}: {group or ''}/{name} reads differently")
                    for name, dims in fields_of(node).items():
                        expect(data[name].dims == dims, f"{engine}: dims of {name} {data[name].dims}")
            with xarray.open_dataset(PATH, engine=engine) as data:
                params = [k for k, v in f.items() if v.attrs.get("sweep_role") == "parameter"]
                expect(all(p in data.coords for p in params), f"{engine}: parameters are no coordinates")
                expect(data.sizes["run"] == f["run"].size, f"{engine}: runs")
            check_tree(xarray, engine, groups)


def check_tool(*command):
    try:
        out = subprocess.run(command + (PATH,), capture_output=True, text=True)
    except FileNotFoundError:
        return skip(command[0])
    expect(out.returncode == 0 and not out.stderr, f"{command[0]}: {out.stderr or out.returncode}")
    if command[0] == "ncdump":
        expect("run = UNLIMITED" in out.stdout, "ncdump: run is not unlimited")
        expect("phony" not in out.stdout, "ncdump: a dimension without a scale")
        with h5py.File(PATH) as f:
            groups = [f] + [g for g in f.values() if isinstance(g, h5py.Group)]
            known = [f"{k}({', '.join(d)})" for g in groups for k, d in fields_of(g).items()]
            known += ["mass(run, time_s)"] if "mass" in f else []
        for text in (*known, "ubyte status(run)", "uint64 run_id(run)",
                     'flag_meanings = "pending done diverged error"', "group: provenance"):
            expect(text in out.stdout, f"ncdump does not show {text}")


failed = False
for PATH, KIND in zip(sys.argv[1::2], sys.argv[2::2]):
    found = check_h5py()
    check_xarray(found)
    check_tool("ncdump", "-h")
    check_tool("ncdump")
    check_tool("h5dump", "-H")
    check_tool("h5dump")
    for text in wrong:
        print(f"{PATH}: {text}", file=sys.stderr)
    failed = failed or bool(wrong)
    wrong.clear()
sys.exit(failed)
