"""Pictures in a notebook: .sweep.plot.heatmap() and .sweep.plot.spacetime() draw what a Dataset has into matplotlib's
axes, to go on with. `sweep plot` draws pictures that are finished."""
from __future__ import annotations

from typing import Any

import numpy as np

from .refusal import PROGRAM, Refusal
from .results import OWN_COORDINATES, cell_edges, edges, levels, number, require

USUAL = ("err_l2", "residual", "domain_length", "energy")       # numbers that are drawn before others
NO_RESULT = ("wall_time", "steps", "t_reached", "refine_level")


def axes_of(ax: Any) -> Any:
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise Refusal("pictures need matplotlib: pip install matplotlib", PROGRAM) from None
    return plt.subplots(layout="constrained")[1]


def label(data: Any, name: str) -> str:
    """long_name (units), or the name."""
    about = data[name].attrs if name in data.variables else {}
    long_name, unit = str(about.get("long_name", name)), str(about.get("units", "1"))
    return (long_name if len(long_name) <= 40 else name).replace("$", "\\$") + (f" ({unit})" if unit != "1" else "")


def along(data: Any, dim: str, name: str) -> str:
    """Of a coordinate axis: x or t, with its unit where it has one."""
    unit = str(data[dim].attrs.get("units", "1"))
    return name + (f" ({unit})" if unit != "1" else "")


def swept(table: Any, parameters: list[str]) -> list[str]:
    return [name for name in parameters if table[name].nunique() > 1]


class Pictures:
    """of: the accessor of a Dataset or a DataTree."""

    def __init__(self, of: Any):
        self.of = of

    def heatmap(self, of: str | None = None, over: tuple[str, str] | None = None, *, time: float | None = None,
                ax: Any = None, **options: Any) -> Any:
        """A number of the runs, a column of table(), over two parameters, the mean over the others; runs that are not
        done do not count, and a place without any stays white. Returns matplotlib's axes.

        over: (across, up); None: the two that have most values. options: of pcolormesh."""
        table = self.of.table(time)
        data = self.of.data
        parameters = [name for name in table.columns if name in data.coords and name not in ("run_id", "status")]
        axes = swept(table, parameters)
        if over is None and len(axes) < 2:
            raise Refusal(f"heatmap needs two swept parameters; this sweep has {len(axes)}: {' '.join(axes) or 'none'}")
        pair = list(over or sorted(axes, key=lambda name: -table[name].nunique())[:2])
        if len(pair) != 2 or pair[0] == pair[1]:
            raise Refusal("over= takes two different parameters, such as (\"k\", \"F\")")
        for name in pair:
            require(name, parameters, f"parameter '{name}'")
        numbers = [name for name in table.columns if name not in parameters and table[name].dtype.kind in "iuf"]
        of = require(of, numbers, f"number of a run '{of}'") if of is not None else usual(table, numbers)
        if table.get("status") is not None:
            table = table[table["status"] == "done"]
        found = table.pivot_table(values=of, index=pair[1], columns=pair[0], aggfunc="mean", sort=False)
        if not found.size:
            raise Refusal(f"no run that is done has a finite {of}")
        across, up = (levels(table[name].to_numpy(str if table[name].dtype.kind == "O" else float)) for name in pair)
        values = found.reindex(index=up, columns=across).to_numpy(float)
        ax = axes_of(ax)
        words = [isinstance(one[0], str) for one in (across, up)]
        x, y = (np.arange(len(one) + 1) - 0.5 if word else cell_edges(np.array(one, float))
                for one, word in zip((across, up), words))
        mesh = ax.pcolormesh(x, y, np.ma.masked_invalid(values), **options)
        if words[0]:
            ax.set_xticks(range(len(across)), across)
        if words[1]:
            ax.set_yticks(range(len(up)), up)
        ax.set(xlabel=label(data, pair[0]), ylabel=label(data, pair[1]))
        others = [name for name in swept(table, parameters) if name not in pair]
        ax.set_title(", ".join([f"t = {number(time)}"] * (time is not None) +
                               [f"mean over {' and '.join(others)}"] * bool(others)))
        where = data if of in data.variables else self.of.of_run(None)[0]
        ax.figure.colorbar(mesh, ax=ax, label=label(where, of))
        return ax

    def spacetime(self, run: int | None = None, of: str | None = None, *, ax: Any = None, **options: Any) -> Any:
        """A field of a run over x and time; white after a run has diverged. Returns matplotlib's axes.

        run: its number; None: the first that is done. of: the field; None: the first. options: of pcolormesh."""
        data, place = self.of.of_run(run)
        runs = next(dim for dim in ("run", "group_run") if dim in data.dims)
        fields = [str(name) for name, one in data.data_vars.items() if {runs, "time"} < set(one.dims)]
        if not fields:
            raise Refusal("there are no fields: output.fields.times in the config saves them")
        field = data[require(of, fields, f"field '{of}'") if of is not None else fields[0]].isel({runs: place})
        space = [str(dim) for dim in field.dims if dim != "time"]
        if len(space) > 1:
            raise Refusal(f"{field.name} has {len(space)} dimensions in space, and spacetime draws one; select: "
                          f"ds.isel({space[0]}=0)")
        t, x = (own(data, field, dim, runs, place) for dim in ("time", space[0]))
        there = np.isfinite(t)
        if there.sum() < 2:
            raise Refusal(f"{field.name} was saved at {there.sum()} time of this run; output.fields.times saves more")
        values = field.transpose("time", space[0]).values[there]
        ax = axes_of(ax)
        mesh = ax.pcolormesh(edges(x), edges(t[there]), np.ma.masked_invalid(values), rasterized=True, **options)
        ax.set(xlabel=along(data, space[0], space[0]), ylabel=along(data, "time", "t"))
        parameters = [f"{name} = {one.values[place] if one.dtype.kind == 'O' else number(one.values[place], 4)}"
                      for name, one in data.coords.items()
                      if one.dims == (runs,) and name not in (runs, "run_id", "status") and len(set(one.values)) > 1]
        ax.set_title(", ".join([f"run {data[runs].values[place]}", *parameters]).replace("$", "\\$"))
        ax.figure.colorbar(mesh, ax=ax, label=label(data, str(field.name)))
        return ax


def own(data: Any, field: Any, dim: str, runs: str, place: int) -> np.ndarray:
    """The coordinates of a run along a dimension: its own, where runs differ."""
    name = OWN_COORDINATES.get(dim)
    if name in data.coords and data[name].dims == (runs, dim):
        return data[name].isel({runs: place}).values
    return field[dim].values.astype(float)


def usual(table: Any, numbers: list[str]) -> str:
    """The first number that differs, a scalar of the user's own or a norm before others."""
    differ = [name for name in numbers if table[name].nunique() > 1] or numbers
    if not differ:
        raise Refusal("the runs have no numbers")
    order = [name for name in differ if name not in NO_RESULT] or differ
    return next((name for name in USUAL if name in order), order[0])
