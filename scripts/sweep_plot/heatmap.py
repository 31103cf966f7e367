"""One number a run over two swept parameters, as a table of colours or as points of a sample."""
import matplotlib
import numpy as np

from . import look
from .options import logarithmic
from .refusal import Refusal
from .results import levels, number, told_time


def is_sample(results, pair, cells):
    """Whether runs are scattered over two parameters (a random sweep, a list of points) and fill no table of them."""
    if any(results.param[p].dtype.kind != "f" for p in pair):
        return False
    across, up = (len(levels(results.param[p])) for p in pair)
    return 2 * len(cells) < across * up or len(cells) == across == up > 1


def draw_sample(axes, cells, means, across, up, ask, colours):
    """A point for each place that has runs; a cross where none finished."""
    x, y = np.array(list(means)).T
    image = axes.scatter(x, y, c=list(means.values()), s=70, edgecolors="#555555", linewidths=0.5, zorder=2, **colours)
    if len(means) < len(cells):
        axes.plot(*np.array([place for place in cells if place not in means]).T, "x", color="#777777", zorder=2)
    usual = "".join(axis for axis, values in (("x", across), ("y", up)) if values[0] > 0 and
                    values[-1] >= 100 * values[0])
    look.set_axes([axes], ask, usual)
    axes.grid(True)
    axes.set_axisbelow(True)
    return image


def log_edges(values, axis):
    """Of cells around values on a logarithmic axis."""
    if min(values) <= 0:
        raise Refusal(f"--log {axis}: the parameter on the {axis} axis has values of 0 or less")
    logs = np.log(values)
    middle = (logs[1:] + logs[:-1]) / 2
    first, last = (2 * logs[0] - middle[0], 2 * logs[-1] - middle[-1]) if len(middle) else (logs[0] - 1, logs[0] + 1)
    return np.exp([first, *middle, last])


def draw_table(axes, cells, means, across, up, ask, colours):
    """A rectangle for each pair of values: grey where runs were and none finished, white where none was."""
    table = np.array([[means.get((a, b), np.nan) for a in across] for b in up])
    there = np.array([[(a, b) in cells for a in across] for b in up])
    grey = matplotlib.colors.ListedColormap([look.MISSING])
    log = logarithmic(ask)
    for axis, values in (("x", across), ("y", up)):
        if axis in log and isinstance(values[0], str):
            raise Refusal(f"--log {axis}: the parameter on the {axis} axis has words for values")
    x, y = (log_edges(values, axis) if axis in log else np.arange(len(values) + 1) - 0.5
            for axis, values in (("x", across), ("y", up)))
    axes.pcolormesh(x, y, np.ma.masked_where(~there, np.zeros(there.shape)), cmap=grey)
    image = axes.pcolormesh(x, y, np.ma.masked_invalid(table), **colours)
    width, height = axes.figure.get_size_inches()
    for axis, values, room in ((axes.xaxis, across, 0.75 * width), (axes.yaxis, up, height - 1.3)):
        if axis.axis_name in log:
            getattr(axes, f"set_{axis.axis_name}scale")("log")
        else:
            look.category_ticks(axis, values, room)
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


def choose_pair(results, ask):
    """The two parameters: those that --over names first, then those of most values, seeds last."""
    if len(results.swept) < 2:
        raise Refusal(f"a heatmap needs two swept parameters; this sweep has {len(results.swept)}: " +
                      (" ".join(results.swept) or "none"))
    by_size = sorted(results.swept, key=lambda p: -len(levels(results.param[p])))
    seeds_last = sorted(by_size, key=lambda p: p.startswith("seed"))
    asked = ask.over.split(",") if ask.over else []
    if len(asked) > 2 or len(set(asked)) < len(asked):
        raise Refusal(f"--over {ask.over}: a heatmap lies over two different parameters, A,B")
    pair = [results.require(p, results.swept, "swept parameter") for p in asked]
    return (pair + [p for p in seeds_last if p not in pair])[:2]


def known(results):
    there = results.drawable()
    return there["norms"] + there["series"] + there["numbers of a run"]


def heatmap(results, ask):
    """One number a run over two swept parameters, the mean over the others."""
    scalars = results.series()
    usual = results.norms + [n for n in ("domain_length", "energy") if n in scalars] + known(results)
    of = results.choose(ask.of, usual[0], known(results), "heatmap")
    pair = choose_pair(results, ask)
    if ask.time is not None and of not in scalars:
        raise Refusal(f"--time: there is one {of} a run; it goes with a series" +
                      (f", --of {scalars[0]}" if scalars else ""))
    across, up = (within(levels(results.param[p]), asked, option) for p, asked, option in
                  zip(pair, (ask.xlim, ask.ylim), ("xlim", "ylim")))
    values, times = results.final(of, ask.time)
    cells = {}
    for row in range(len(results.run)):
        place = tuple(results.param[p][row] for p in pair)
        if place[0] in across and place[1] in up:
            cells.setdefault(place, []).append(values[row])
    cells = {place: [v for v in found if np.isfinite(v)] for place, found in cells.items()}
    means = {place: np.mean(found) for place, found in cells.items() if found}
    cmap, norm, beyond = look.colour_scale(np.array(list(means.values()) or [np.nan]), ask, of in results.norms)
    sampled = is_sample(results, pair, cells)
    height = 4.8 if sampled else min(6.5, max(3.2, 1.6 + 0.38 * len(up)))
    figure, axes = look.plt.subplots(figsize=look.figure_size(ask, (7.4, height)), layout="constrained")
    image = (draw_sample if sampled else draw_table)(axes, cells, means, across, up, ask,
                                                     {"cmap": cmap, "norm": norm})
    axes.set_xlabel(results.label(pair[0]))
    axes.set_ylabel(results.label(pair[1]))
    time = f" at {told_time(times, ask.time, of)}" if times else ""
    label = look.label_of(results, of)
    look.colour_bar(figure, image, axes, label, beyond)
    others = [p for p in results.swept if p not in pair]
    many = max(map(len, cells.values())) > 1
    notes = [f"mean over {' and '.join(others)}"] if others and many else []
    if len(means) < len(cells):
        notes.append("crosses: no run finished" if sampled else "grey: no run finished")
    if not sampled and len(cells) < len(across) * len(up):
        notes.append("white: no run")
    look.title(figure, results, "; ".join([f"{label}{time}"] + notes))
    return figure
