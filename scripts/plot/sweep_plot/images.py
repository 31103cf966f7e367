"""Fields as images: over space and time, and on planes of two and three dimensions."""
import numpy as np

from pysweep.refusal import Refusal
from pysweep.results import FIELDS_WITHOUT_TIME, choose_runs, edges, map_of_sphere, number, told_time

from . import look
from .options import logarithmic

MOST_PANELS = 16
LONGEST_SIDE = 3.0      # of a plane, in lengths of the other: longer ones are not drawn to scale


def grid_shape(count, size):
    """Columns and rows for count panels; in a picture of a size that is given those that make the panels largest."""
    columns = 3 if count in (5, 6, 9) else min(count, 4)
    if size:
        width, height = size[0] - 1.2, size[1] - 1.0    # less what stands beside, above and below
        columns = max(range(1, count + 1), key=lambda columns: min(width / columns, height / -(-count // columns)))
    return columns, -(-count // columns)


def choose_field(results, ask, kind):
    """The field and the rows to be drawn."""
    if not results.fields() and ask.of is None:
        if kind == "slice" or results.timed:
            raise Refusal("this file holds no fields: set output.fields.times in the config, e.g. "
                          "\"linspace(0, end, 101)\"" if results.timed else
                          f"this file holds no fields: {FIELDS_WITHOUT_TIME}")
        raise Refusal(f"problem {results.problem} has no time; {FIELDS_WITHOUT_TIME}, for --kind lines or slice")
    of = results.choose(ask.of, (results.fields() or [None])[0], results.fields(), kind)
    rows = choose_runs(results, ask.run) or list(np.flatnonzero(results.ok)[:1]) or [0]
    if len(rows) > MOST_PANELS:
        raise Refusal(f"{len(rows)} runs are too many for one picture; choose at most {MOST_PANELS} with --run 0,5,9")
    return of, rows


def require_times(results, of, rows, data):
    """Refuse a picture over time where no run has two times, and say what would help."""
    if any(len(t) > 1 for t, _ in data):
        return
    if not results.timed:
        raise Refusal(f"problem {results.problem} has no time; draw {of} with --kind lines")
    group, k = results.find(rows[0], of)
    asked = results.coordinates(group, k, "time")
    asked = asked[np.isfinite(asked)]
    if len(asked) < 2:
        raise Refusal(f"{of} was saved at one time only; "
                      "draw it with --kind lines, or save more in output.fields.times")
    raise Refusal(f"run {results.run[rows[0]]} {ended(results, rows[0])}, "
                  f"before {of} was saved a second time (at t = {number(asked[1])}); choose others with --run")


def ended(results, row):
    return f"{results.state(row)} at t = {number(results.t_reached[row])}"


def colours_of(results, ask, rows, data):
    """The colour scale of all panels. Runs that diverged do not decide it where others finished."""
    finished = [values.ravel() for row, values in zip(rows, data) if results.ok[row] and values.size]
    values = np.concatenate(finished or [values.ravel() for values in data])
    cmap, norm, beyond = look.colour_scale(values, ask)
    if finished and not results.ok[rows].all() and beyond == "neither":
        every = np.concatenate([values[np.isfinite(values)].ravel() for values in data])
        over, under = every.max() > norm.vmax, every.min() < norm.vmin
        beyond = "both" if over and under else "max" if over else "min" if under else "neither"
    return {"cmap": cmap, "norm": norm}, beyond


def draw_image(axes, x, y, values, colours):
    """Cells between edges; what is not finite stays grey."""
    axes.set_facecolor(look.MISSING)
    return axes.pcolormesh(x, y, np.ma.masked_invalid(values), **colours, rasterized=True)


def draw_nothing(axes, text):
    """A panel of a run that has nothing to draw says why."""
    axes.set_facecolor(look.MISSING)
    axes.text(0.5, 0.5, text, transform=axes.transAxes, ha="center", va="center", wrap=True)


def panels_of(ask, count, one, panel):
    """A figure with so many panels: one is the size of a figure of one, panel the size of each of several. Compressed:
    where panels have a shape of their own, a constrained layout cuts labels at the left."""
    columns, height = grid_shape(count, ask.size)
    size = one if count == 1 else (1.6 + panel[0] * columns, 1.2 + panel[1] * height)
    figure, panels = look.plt.subplots(height, columns, figsize=look.figure_size(ask, size), layout="compressed",
                                       squeeze=False)
    for axes in list(panels.flat)[count:]:
        axes.set_visible(False)
    return figure, panels, 0.72 * figure.get_figwidth() / columns - 0.12


def from_positive(points):
    """Edges of a logarithmic axis: those at 0 and below move to half of the first one above."""
    positive = points[points > 0]
    if len(positive) == 0:
        raise Refusal("--log: nothing on this axis is greater than 0")
    return np.where(points > 0, points, positive[0] / 2)


def spacetime(results, ask):
    """u(x, t) as an image, of one run or of several in panels with one colour scale."""
    of, rows = choose_field(results, ask, "spacetime")
    results.require_line(rows, of, "spacetime")
    data = [results.outputs(row, of) for row in rows]
    require_times(results, of, rows, data)
    colours, beyond = colours_of(results, ask, rows, [u if len(t) > 1 else u[:0] for t, u in data])
    figure, panels, width = panels_of(ask, len(rows), (7.0, 4.6), (2.9, 2.5))
    used = list(panels.flat)[:len(rows)]
    ends = [(x.min(), x.max()) for x in (results.space(row, of) for row in rows)]
    image = None
    for axes, row, (t, u) in zip(used, rows, data):
        if len(t) < 2:
            draw_nothing(axes, ended(results, row).replace(" at", "\nat"))
            continue
        x, again = results.cells(row, of, "x")
        values = np.hstack([u, u[:, :1]]) if again else u
        x, y = (from_positive(points) if axis in logarithmic(ask) else points for axis, points in
                (("x", x), ("y", edges(t))))
        image = draw_image(axes, x, y, values, colours)
    drawn = [axes for axes, (t, _) in zip(used, data) if len(t) > 1]
    look.set_axes(drawn, ask)
    if not ask.ylim and "y" not in logarithmic(ask):
        last = max(t[-1] for t, _ in data if len(t) > 1)
        for axes in drawn:      # one scale: panels are read across
            axes.set_ylim(min(axes.get_ylim()[0], 0.0), max(last, axes.get_ylim()[1]))
    label_panels(results, axes_of=panels, used=used, same=len(set(ends)) == 1, x=results.along("x"),
                 y=results.along("time"))
    for axes, (t, _) in zip(used, data):
        if len(t) < 2:
            axes.set(xticks=[], yticks=[], xlabel="", ylabel="")
    if len(rows) > 1:
        look.panel_titles(figure, used, [results.describe(row, rows) for row in rows], width)
    look.colour_bar(figure, image, panels, results.label(of), beyond, shrink=1.0 if len(rows) == 1 else 0.8)
    second = results.common(rows) + ("" if len(rows) > 1 or results.ok[rows[0]] else "; " + ended(results, rows[0]))
    look.finish(figure, results, second, len(rows) > 1)
    return figure


def label_panels(results, axes_of, used, same, x, y):
    """Labels at the left and below; numbers at each panel where the axes differ."""
    columns = axes_of.shape[1]
    for k, axes in enumerate(used):
        if k + columns >= len(used):
            axes.set_xlabel(x)
        elif same:
            axes.tick_params(labelbottom=False)
        if k % columns == 0:
            axes.set_ylabel(y)
        else:
            axes.tick_params(labelleft=False)


def slices(results, ask):
    """A field of two or three dimensions at one time: all of it, or on planes through the places that --at names, else
    through its middle. Of one run in three dimensions the three planes; of several runs the plane of x and y, in panels
    with one colour scale. Where --at names axes, the planes across these. A level of a cubed sphere is a map."""
    of, rows = choose_field(results, ask, "slice")
    if min(results.dimensions(row, of) for row in rows) < 2:
        raise Refusal(f"{of} has one dimension in space: draw it with --kind lines or --kind spacetime")
    box = all(results.dimensions(row, of) == 3 for row in rows)
    if ask.places and not box:
        raise Refusal(f"--at: {of} has two dimensions in space, and all of it is drawn")
    across_to = {"z": ("x", "y"), "y": ("x", "z"), "x": ("y", "z")}
    sphere = all(results.on_sphere(row, of) for row in rows)
    planes = [across_to[axis] for axis in ask.places or (across_to if len(rows) == 1 and box and not sphere else "z")]
    if len(rows) * len(planes) > MOST_PANELS:
        raise Refusal(f"{len(planes)} planes of {len(rows)} runs are too many for one picture; choose fewer")
    panes = [(row, across, up) for row in rows for across, up in planes]
    data = [results.plane(row, of, ask.time, across, up, ask.places) for row, across, up in panes]
    there = [plane for plane in data if plane is not None]
    if not there:
        raise Refusal(f"run {results.run[rows[0]]} {ended(results, rows[0])}, before {of} was saved; "
                      "choose others with --run")
    nothing = np.empty((0, 0))
    colours, beyond = colours_of(results, ask, [row for row, _, _ in panes],
                                 [nothing if plane is None else plane[0] for plane in data])
    figure, panels, width = panels_of(ask, len(panes), (6.0, 4.8), (3.0, 2.7))
    used = list(panels.flat)[:len(panes)]
    image = None
    for axes, (row, across, up), plane in zip(used, panes, data):
        if plane is None:
            draw_nothing(axes, ended(results, row).replace(" at", "\nat"))
            axes.set(xticks=[], yticks=[])
            continue
        values = plane[0]
        (x, x_again), (y, y_again) = results.cells(row, of, across), results.cells(row, of, up)
        values = np.hstack([values, values[:, :1]]) if x_again else values
        values = np.vstack([values, values[:1]]) if y_again else values
        labels = results.along(across), results.along(up)
        if (across, up) == ("x", "y") and results.on_sphere(row, of):
            values, labels = map_of_sphere(values), ("longitude", "latitude")
            x, y = (np.linspace(-end, end, count + 1) for end, count in zip((np.pi, np.pi / 2), values.shape[::-1]))
        x, y = (from_positive(points) if axis in logarithmic(ask) else points for axis, points in (("x", x), ("y", y)))
        image = draw_image(axes, x, y, values, colours)
        axes.set_xlabel(labels[0])
        axes.set_ylabel(labels[1])
        look.set_axes([axes], ask)
        ratio = np.ptp(axes.get_xlim()) / np.ptp(axes.get_ylim())
        if not logarithmic(ask).strip("c") and 1 / LONGEST_SIDE <= ratio <= LONGEST_SIDE:
            axes.set_aspect("equal")
    if len(panes) > 1:
        look.panel_titles(figure, used, [", ".join(filter(None, [
            results.describe(row, rows) if len(rows) > 1 else "", plane[2] if plane and len(planes) > 1 else ""]))
            for (row, _, _), plane in zip(panes, data)], width)
    look.colour_bar(figure, image, panels, results.label(of), beyond, shrink=0.9)
    time = told_time([plane[1] for plane in there], ask.time, of) if results.timed else ""
    plane = there[0][2] if len(planes) == 1 else ""
    look.finish(figure, results, ", ".join(filter(None, [time, plane, results.common(rows)])), len(panes) > 1)
    return figure
