"""One number a run over one swept parameter, as curves, or over two, as a table of colours or as points of a sample."""
import matplotlib
import numpy as np

from . import look
from .convergence import one_each
from .options import logarithmic
from .refusal import Refusal
from .results import cell_edges, levels, number, told_time

MOST_MARKS = 64     # points of a curve that have a marker


def is_sample(results, pair):
    """Whether runs are scattered over two parameters (a random sweep, a list of points) and fill no table of them."""
    if any(results.param[p].dtype.kind != "f" for p in pair):
        return False
    places = len(set(zip(*(results.param[p] for p in pair))))
    across, up = (len(levels(results.param[p])) for p in pair)
    return 2 * places < across * up or places == across == up > 1


def draw_sample(axes, cells, means, across, up, ask, colours):
    """A point for each place that has runs; a cross where none finished."""
    x, y = np.array(list(means)).T
    size = max(4, min(70, 2e4 / len(x)))
    image = axes.scatter(x, y, c=list(means.values()), s=size, edgecolors="#555555", linewidths=0.5, zorder=2,
                         **colours)
    if len(means) < len(cells):
        axes.plot(*np.array([place for place in cells if place not in means]).T, "x", color="#777777", zorder=2)
    look.set_axes([axes], ask, usual_log(across, up))
    axes.grid(True)
    axes.set_axisbelow(True)
    return image


def usual_log(across, up):
    return "".join(axis for axis, values in (("x", across), ("y", up)) if look.usually_log(values))


def cells_along(values, axis, log):
    """Edges of cells around the values of a parameter, to scale; words have the places 0, 1, 2 ..."""
    if isinstance(values[0], str):
        if axis in log:
            raise Refusal(f"--log {axis}: the parameter on the {axis} axis has words for values")
        return np.arange(len(values) + 1) - 0.5
    if axis not in log:
        return cell_edges(np.array(values))
    if values[0] <= 0:
        raise Refusal(f"--log {axis}: the parameter on the {axis} axis has values of 0 or less")
    return np.exp(cell_edges(np.log(values)))


def draw_table(axes, cells, means, across, up, ask, colours):
    """A rectangle for each pair of values: grey where runs were and none finished, white where none was."""
    table = np.array([[means.get((a, b), np.nan) for a in across] for b in up])
    there = np.array([[(a, b) in cells for a in across] for b in up])
    grey = matplotlib.colors.ListedColormap([look.MISSING])
    usual = usual_log(across, up)
    x, y = (cells_along(values, axis, logarithmic(ask, usual)) for axis, values in (("x", across), ("y", up)))
    axes.pcolormesh(x, y, np.ma.masked_where(~there, np.zeros(there.shape)), cmap=grey)
    image = axes.pcolormesh(x, y, np.ma.masked_invalid(table), **colours)
    axes.set(xlim=(x[0], x[-1]), ylim=(y[0], y[-1]))
    look.set_axes([axes], ask, usual)
    width, height = axes.figure.get_size_inches()
    for axis, values, room in ((axes.xaxis, across, 0.75 * width), (axes.yaxis, up, height - 1.3)):
        if isinstance(values[0], str):
            look.category_ticks(axis, values, room)
        else:
            look.value_ticks(axis, values)
    axes.spines[:].set_visible(False)
    return image


def within(values, asked, option):
    """The values of a parameter within the limits of its axis."""
    if asked is None:
        return values
    if isinstance(values[0], str):
        raise Refusal(f"--{option}: the parameter on this axis has words for values")
    low, high = (-np.inf if asked[0] is None else asked[0]), (np.inf if asked[1] is None else asked[1])
    kept = [v for v in values if low <= v <= high]
    if not kept:
        raise Refusal(f"--{option}: the parameter on this axis has no value there; it goes from {number(values[0])} to "
                      f"{number(values[-1])}")
    return kept


def choose_axes(results, ask, kind, least):
    """Two parameters, or the only one: those that --over names first, then those of most values, seeds last."""
    if len(results.swept) < least:
        raise Refusal(f"{kind} needs {('a', 'two')[least - 1]} swept parameter{'s' * (least - 1)}; this sweep has "
                      f"{len(results.swept)}: " + (" ".join(results.swept) or "none") +
                      ("; --kind curves draws numbers over one" if results.swept else
                       "; sweep show prints the numbers of its runs"))
    by_size = sorted(results.swept, key=lambda p: -len(levels(results.param[p])))
    seeds_last = sorted(by_size, key=lambda p: p.startswith("seed"))
    asked = ask.over.split(",") if ask.over else []
    if len(asked) > 2 or len(set(asked)) < len(asked):
        raise Refusal(f"--over {ask.over}: {kind} lies over two different parameters, A,B")
    pair = [results.require(p, results.swept, "swept parameter") for p in asked]
    return (pair + [p for p in seeds_last if p not in pair])[:2]


def known(results):
    there = results.drawable()
    return there["norms"] + there["series"] + there["numbers of a run"]


def choose_number(results, ask, kind):
    """The number of a run that is drawn: unless one is named, the first that differs, the user's own before others."""
    scalars = results.series()
    usual = (results.own_series() + results.norms + [n for n in ("domain_length", "energy") if n in scalars] +
             known(results))
    of = results.choose(ask.of, None, known(results), kind)
    if ask.time is not None and of not in [None, *scalars]:
        raise Refusal(f"--time: there is one {of} a run; it goes with a series" +
                      (f", --of {scalars[0]}" if scalars else ""))
    return of or next((name for name in usual if np.ptp(finite(results, name, ask)) > 0), usual[0])


def finite(results, name, ask):
    """The values that are, or a 0."""
    values, _ = results.final(name, ask.time)
    return values[np.isfinite(values)] if np.isfinite(values).any() else np.zeros(1)


def told(results, ask, of, times, others, most):
    """What the second line of the title says: the number, its time, and what it is a mean over where that is so."""
    time = f" at {told_time(times, ask.time, of)}" if times else ""
    return [f"{look.label_of(results, of)}{time}"] + [f"mean over {' and '.join(others)}"] * bool(others and most > 1)


def heatmap(results, ask):
    """One number a run over two swept parameters, the mean over the others."""
    pair = choose_axes(results, ask, "heatmap", 2)
    of = choose_number(results, ask, "heatmap")
    across, up = (levels(results.param[p]) for p in pair)
    values, times = results.final(of, ask.time)
    cells = {}
    for *place, value in zip(*(results.param[p] for p in pair), values):
        cells.setdefault(tuple(place), []).append(value)
    cells = {place: [v for v in found if np.isfinite(v)] for place, found in cells.items()}
    means = {place: np.mean(found) for place, found in cells.items() if found}
    seen = [set(within(one, asked, option)) for one, asked, option in
            zip((across, up), (ask.xlim, ask.ylim), ("xlim", "ylim"))]
    shown = [mean for (a, b), mean in means.items() if a in seen[0] and b in seen[1]]
    cmap, norm, beyond = look.colour_scale(np.array(shown or [np.nan]), ask, of in results.norms)
    sampled = is_sample(results, pair)
    height = 4.8 if sampled else min(6.5, max(3.2, 1.6 + 0.38 * len(up)) + isinstance(across[0], str))
    figure, axes = look.plt.subplots(figsize=look.figure_size(ask, (7.4, height)), layout="constrained")
    image = (draw_sample if sampled else draw_table)(axes, cells, means, across, up, ask,
                                                     {"cmap": cmap, "norm": norm})
    axes.set_xlabel(results.label(pair[0]))
    axes.set_ylabel(results.label(pair[1]))
    look.colour_bar(figure, image, axes, look.label_of(results, of), beyond)
    notes = told(results, ask, of, times, [p for p in results.swept if p not in pair], max(map(len, cells.values())))
    if len(means) < len(cells):
        notes.append("crosses: no run finished" if sampled else "grey: no run finished")
    if not sampled and len(cells) < len(across) * len(up):
        notes.append("white: no run")
    look.finish(figure, results, "; ".join(notes))
    return figure


def curves(results, ask):
    """One number a run over one swept parameter: a curve for each value of a second one, the mean over the others. Runs
    that are scattered over these two are points, unless both are asked for."""
    over, *by = choose_axes(results, ask, "curves", 1)
    of = choose_number(results, ask, "curves")
    sampled = bool(by) and is_sample(results, [over, *by])
    by = by if not sampled or "," in (ask.over or "") else []
    values, times = results.final(of, ask.time)
    done = np.isfinite(values)
    if not done.any():
        raise Refusal("there is nothing finite to draw")
    across = levels(results.param[over])
    words = isinstance(across[0], str)
    x = np.array([across.index(v) for v in results.param[over]], float) if words else results.param[over]
    ways = levels(results.param[by[0]][done]) if by else [None]
    named = isinstance(ways[0], str) or len(ways) <= look.MOST_NAMES
    figure, axes = look.plt.subplots(figsize=look.figure_size(ask, (7.2, 4.6)), layout="constrained")
    drawn, most = [], 1
    for value, colours in zip(ways, look.line_looks([(value,) for value in ways])):
        rows = np.flatnonzero(done & (results.param[by[0]] == value)) if by else np.flatnonzero(done)
        places, means = (x[rows], values[rows]) if sampled else one_each(x[rows], values[rows])
        most = max(most, len(rows) / len(places))
        name = results.told(by[0], rows[0], list(map(int, np.flatnonzero(done)))) if by and named else None
        mark = colours["marker"] if sampled or len(places) <= MOST_MARKS else "None"
        drawn += axes.plot(places, means, **{**colours, "marker": mark}, label=name)
        if sampled:
            drawn[-1].set_linestyle("None")
    axes.set_xlabel(results.label(over))
    axes.set_ylabel(look.label_of(results, of))
    log = usual_log(across, [1.0]) + "y" * (of in results.norms and bool((values[done] > 0).all()))
    if words and "x" in logarithmic(ask, log):
        raise Refusal("--log x: the parameter on the x axis has words for values")
    look.set_axes([axes], ask, log)
    if words:
        look.category_ticks(axes.xaxis, across, 0.8 * figure.get_figwidth())
    else:
        look.value_ticks(axes.xaxis, across)
    axes.grid(True)
    look.tell_apart(axes, drawn)
    if not named:
        look.ramp_bar(axes, ways, results.label(by[0]))
    others = [p for p in results.swept if p not in [over, *by]]
    notes = told(results, ask, of, times, others, most)
    if sampled and others:
        notes.append(f"one point a run; {' and '.join(others)} {'differ' if len(others) > 1 else 'differs'}, too")
    look.finish(figure, results, "; ".join(notes), legend=lambda: look.legend(axes, ask))
    return figure
