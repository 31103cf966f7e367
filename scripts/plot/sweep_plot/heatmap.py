"""One number a run over two swept parameters, as a table of colours, as cells of a refined sweep, or as points of a
sample."""
import matplotlib
import numpy as np

from pysweep.ensembles import means
from pysweep.refusal import Refusal
from pysweep.results import cell_edges, levels, number

from . import look
from .cells import draw_cells
from .choice import choose_axes, choose_number, told
from .options import logarithmic


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


def heatmap(results, ask):
    """One number a run over two swept parameters, the mean over the others."""
    pair = choose_axes(results, ask, "heatmap", 2)
    of = choose_number(results, ask, "heatmap")
    across, up = (levels(results.param[p]) for p in pair)
    found = means(results, of, ask.time, pair)
    cells = dict(zip(zip(*(found.param[p] for p in pair)), found.mean))
    there = {place: mean for place, mean in cells.items() if np.isfinite(mean)}
    seen = [set(within(one, asked, option)) for one, asked, option in
            zip((across, up), (ask.xlim, ask.ylim), ("xlim", "ylim"))]
    shown = [mean for (a, b), mean in there.items() if a in seen[0] and b in seen[1]]
    cmap, norm, beyond = look.colour_scale(np.array(shown or [np.nan]), ask, of in results.norms)
    refined = any(p in results.refined for p in pair)
    sampled = not refined and is_sample(results, pair)
    height = 4.8 if sampled or refined else min(6.5, max(3.2, 1.6 + 0.38 * len(up)) + isinstance(across[0], str))
    figure, axes = look.plt.subplots(figsize=look.figure_size(ask, (7.4, height)), layout="constrained")
    colours = {"cmap": cmap, "norm": norm}
    if refined:
        image = draw_cells(results, pair, axes, there, colours)
        look.set_axes([axes], ask, usual_log(across, up))
    else:
        image = (draw_sample if sampled else draw_table)(axes, cells, there, across, up, ask, colours)
    axes.set_xlabel(results.label(pair[0]))
    axes.set_ylabel(results.label(pair[1]))
    look.colour_bar(figure, image, axes, look.label_of(results, of), beyond)
    notes = told(results, ask, of, found)
    if len(there) < len(cells):
        notes.append("crosses: no run finished" if sampled else "grey: no run finished")
    if refined:
        notes.append(f"{len(image.get_array())} cells at their true size, of the mean over their corners")
    elif not sampled and len(cells) < len(across) * len(up):
        notes.append("white: no run")
    look.finish(figure, results, "; ".join(notes))
    return figure
