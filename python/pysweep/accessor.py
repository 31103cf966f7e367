"""What Datasets and DataTrees of sweep can be asked for: .sweep.table(), .sweep.converged(), .sweep.plot."""
from __future__ import annotations

from typing import Any, Iterator

import numpy as np
import pandas as pd
import xarray as xr

from .pictures import Pictures
from .refusal import Refusal
from .results import DONE, RUNS


def runs_of(data: xr.Dataset) -> str:
    """The name of the dimension of runs."""
    for name in RUNS:
        if name in data.dims:
            return name
    raise Refusal("this Dataset has no dimension run: .sweep is for what pysweep.open() gives, of several runs")


def words(flags: xr.DataArray) -> np.ndarray:
    """Numbers that mean something, as words: "done"."""
    meaning = dict(zip(np.atleast_1d(flags.attrs.get("flag_values", ())).tolist(),
                       str(flags.attrs.get("flag_meanings", "")).split()))
    return np.array([meaning.get(int(value), str(value)) for value in flags.values], object)


def last(values: np.ndarray, done: np.ndarray) -> np.ndarray:
    """Of [run][time] the last entry that a run has; NaN of a run that is not done."""
    there = ~np.isnan(values)
    if not values.shape[1]:
        return np.full(len(values), np.nan)
    at = values.shape[1] - 1 - there[:, ::-1].argmax(axis=1)
    return np.where(done & there.any(axis=1), values[np.arange(len(values)), at], np.nan)


def nearest(values: np.ndarray, times: np.ndarray, done: np.ndarray, time: float) -> np.ndarray:
    """The same, of the entry whose time is nearest to the one asked for."""
    away = np.where(np.isnan(values), np.inf, np.abs(np.broadcast_to(times, values.shape) - time))
    if not values.shape[1]:
        return np.full(len(values), np.nan)
    at = away.argmin(axis=1)
    return np.where(done & np.isfinite(away.min(axis=1)), values[np.arange(len(values)), at], np.nan)


def numbers_of_series(data: xr.Dataset, time: float | None) -> Iterator[tuple[str, np.ndarray]]:
    runs = runs_of(data)
    if "time_s" not in data.dims:
        return
    done = data["status"].values == DONE if "status" in data else np.full(data.sizes[runs], True)
    times = data["t_s"].transpose(runs, "time_s").values if "t_s" in data.coords else data["time_s"].values
    for name, one in data.data_vars.items():
        if set(one.dims) == {runs, "time_s"}:
            values = one.transpose(runs, "time_s").values
            yield str(name), last(values, done) if time is None else nearest(values, times, done, time)


def table_of(data: xr.Dataset, time: float | None) -> pd.DataFrame:
    """A row a run: parameters, status, numbers, series, then the texts."""
    runs = runs_of(data)
    flat = {str(name): one for name, one in data.variables.items() if one.dims == (runs,) and name != runs}
    texts = [name for name in ("run_id", "message") if name in flat]
    parameters = [name for name in flat if name in data.coords and name not in ("status", *texts)]
    rest = [name for name in flat if name not in parameters and name not in texts and name != "status"]
    columns: dict[str, Any] = {name: flat[name].values for name in parameters}
    if "status" in flat:
        columns["status"] = words(data["status"])
    for name in rest:
        columns[name] = words(data[name]) if "flag_values" in flat[name].attrs else flat[name].values
    columns.update(numbers_of_series(data, time))
    columns.update({name: flat[name].values for name in texts})
    return pd.DataFrame(columns, index=pd.Index(data[runs].values, name="run"))


def done_of(data: xr.Dataset) -> xr.Dataset:
    runs = runs_of(data)
    if "status" not in data.variables:
        raise Refusal("this Dataset does not tell the status of its runs")
    return data.isel({runs: np.flatnonzero(data["status"].values == DONE)})


@xr.register_dataset_accessor("sweep")
class Sweep:
    """Of one grid."""

    def __init__(self, data: xr.Dataset):
        self.data = data

    def table(self, time: float | None = None) -> pd.DataFrame:
        """A row a run: its parameters, status, columns, and of each series the value with which the run ended (time:
        the one nearest to that); NaN where the run diverged or failed."""
        return table_of(self.data, time)

    def converged(self) -> xr.Dataset:
        """The runs that are done; those that diverged, failed or are pending are left out."""
        return done_of(self.data)

    def of_run(self, run: int | None) -> tuple[xr.Dataset, int]:
        """The Dataset that has a run, and its place there; None: the first that is done."""
        runs = runs_of(self.data)
        there = self.data[runs].values.tolist()
        if run is None:
            done = np.flatnonzero(self.data["status"].values == DONE) if "status" in self.data.variables else [0]
            return self.data, int(done[0]) if len(done) else 0
        if run not in there:
            raise Refusal(f"no run {run}: there are {min(there)} to {max(there)}" if there else "there are no runs")
        return self.data, there.index(run)

    @property
    def plot(self) -> Pictures:
        return Pictures(self)


if hasattr(xr, "register_datatree_accessor"):

    @xr.register_datatree_accessor("sweep")
    class SweepTree:
        """Of several grids: the table of runs at the root, and a group for each grid."""

        def __init__(self, tree: xr.DataTree):
            self.tree = tree

        @property
        def data(self) -> xr.Dataset:
            return self.tree.to_dataset(inherit=False)

        @property
        def grids(self) -> list[xr.Dataset]:
            return [one for one in (node.to_dataset(inherit=False) for node in self.tree.children.values())
                    if RUNS[0] in one.dims]

        def table(self, time: float | None = None) -> pd.DataFrame:
            """As Sweep.table(), of all grids."""
            found = table_of(self.data, time)
            texts = [name for name in ("run_id", "message") if name in found]
            series: dict[str, pd.Series] = {}
            for grid in self.grids:
                for name, values in numbers_of_series(grid, time):
                    one = series.setdefault(name, pd.Series(np.nan, index=found.index))
                    one.loc[grid[RUNS[0]].values] = values
            return found.drop(columns=texts).assign(**series, **{name: found[name] for name in texts})

        def converged(self) -> xr.DataTree:
            """As Sweep.converged(), of all grids."""
            found = {"/": done_of(self.data)}
            for name, node in self.tree.children.items():
                one = node.to_dataset(inherit=False)
                found[name] = done_of(one) if RUNS[0] in one.dims else one
            return xr.DataTree.from_dict(found)

        def of_run(self, run: int | None) -> tuple[xr.Dataset, int]:
            """As Sweep.of_run()."""
            grids = self.grids
            for grid in grids:
                place, there = Sweep(grid), grid[RUNS[0]].values.tolist()
                if run in there or run is None and (grid["status"].values == DONE).any():
                    return place.of_run(run)
            return Sweep(self.data).of_run(run)

        @property
        def plot(self) -> Pictures:
            return Pictures(self)
