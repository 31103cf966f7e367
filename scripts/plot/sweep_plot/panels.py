"""Fields of two dimensions, or planes of three, in panels: runs down, times across."""
import numpy as np

from pysweep.refusal import Refusal, note
from pysweep.results import FIELDS_WITHOUT_TIME, choose_runs, number, told_time

from . import look
from .images import LONGEST_SIDE, colours_of, draw_image, draw_nothing, ended, from_positive, panels_of
from .options import logarithmic

USUAL_RUNS, USUAL_TIMES = 4, 5      # of a picture that names none
MOST_RUNS, MOST_PANELS = 16, 48
ALIKE = 8.0             # where the range of half of the runs is less than the largest over this, each has its colours
DEAD = 1e-6             # of the largest range: a run that has come to rest shows that best on the others' scale


def evenly(count, most):
    """So many of count things, the first and the last of them."""
    return np.unique(np.rint(np.linspace(0, count - 1, min(count, most))).astype(int))


def choose_field(results, ask, kind):
    if not results.fields() and ask.of is None:
        raise Refusal("this file holds no fields: " + (
            "set output.fields.times in the config, e.g. \"linspace(0, end, 11)\"" if results.timed else
            FIELDS_WITHOUT_TIME))
    return results.choose(ask.of, (results.fields() or [None])[0], results.fields(), kind)


def choose_rows(results, ask, of, lines=False):
    """The runs that are drawn: those of --run, else a few that finished, evenly spread over the sweep. lines: fields
    of one dimension can be drawn, too."""
    rows = choose_runs(results, ask.run)
    if rows is None:
        there = np.flatnonzero(results.ok)
        rows = list(there[evenly(len(there), USUAL_RUNS)])
        if len(rows) < len(there):
            note(f"drawing runs {','.join(str(results.run[row]) for row in rows)} of {len(there)} that finished; "
                 "--run chooses others")
    if len(rows) > MOST_RUNS:
        raise Refusal(f"{len(rows)} runs are too many for one picture; choose at most {MOST_RUNS} with --run 0,5,9")
    require_planes(results, ask, of, rows, lines)
    return rows


def require_planes(results, ask, of, rows, lines=False):
    least = min(results.dimensions(row, of) for row in rows)
    if least < 2 and not lines:
        raise Refusal(f"{of} has one dimension in space: draw it with --kind lines or --kind spacetime")
    if any(results.on_sphere(row, of) for row in rows):
        raise Refusal(f"{of} lies on a sphere: draw it with --kind slice")
    if ask.places and least < 3:
        raise Refusal(f"--at: {of} has {'two dimensions' if least > 1 else 'one dimension'} in space, and all of it is "
                      "drawn")
    if len(ask.places) > 1:
        raise Refusal(f"--at '{ask.at}': a panel is one plane, across one axis, e.g. --at z=0.5")


def times_of(results, row, of):
    """The saved times that a run reached."""
    group, _ = results.find(row, of)
    times = results.coordinates(group, results.find(row, of)[1], "time") if results.timed else np.zeros(1)
    return times[times <= results.t_stored[row] * (1 + 1e-12)] if results.timed else times


def choose_times(results, ask, of, rows):
    """[row][column] of times, all rows of one length: those of --time, else a few of each run, its first and last."""
    saved = [times_of(results, row, of) for row in rows]
    longest = max(map(len, saved))
    if longest == 0:
        raise Refusal(f"run {results.run[rows[0]]} {ended(results, rows[0])}, before {of} was saved; "
                      "choose others with --run")
    if ask.times:
        for k, asked in enumerate(ask.times):
            there = [times[np.argmin(np.abs(times - asked))] for times in saved if len(times)]
            told_time(there, asked, of)
        return [list(ask.times)] * len(rows)
    usual = USUAL_TIMES if len(rows) > 1 else 6
    most = max(2, min(usual, MOST_PANELS // len(rows)))
    full = next(times for times in saved if len(times) == longest)
    if all(len(times) <= len(full) and np.array_equal(times, full[:len(times)]) for times in saved):
        chosen = evenly(longest, most)
        told = len(chosen) < longest
        columns = [list(full[chosen])] * len(rows)
    else:
        told = longest > most
        columns = [list(times[evenly(len(times), most)]) if len(times) else [] for times in saved]
        width = max(map(len, columns))
        columns = [times + [np.nan] * (width - len(times)) for times in columns]
    if told:
        note(f"drawing {len(columns[0])} of {longest} saved times; --time chooses others, --kind film draws all")
    return columns


# ------------------------------------------------------------------------------------------------------------ panels

def axes_of_plane(ask):
    across = next(iter(ask.places), "z")
    return {"z": ("x", "y"), "y": ("x", "z"), "x": ("y", "z")}[across]


def shape_of(results, row, of, plane):
    """Height over width of a run's panel, in the picture."""
    (x, _), (y, _) = (results.cells(row, of, axis) for axis in plane)
    ratio = np.ptp(y) / np.ptp(x)
    return ratio if 1 / LONGEST_SIDE <= ratio <= LONGEST_SIDE else 0.8


def draw_plane(results, ask, axes, row, of, plane, values, colours):
    """A run's field as cells. Of a periodic grid they are pixels, which are drawn faster."""
    (x, x_again), (y, y_again) = (results.cells(row, of, axis) for axis in plane)
    scaled = logarithmic(ask).strip("c")
    if x_again and y_again and not scaled:
        axes.set_facecolor(look.MISSING)
        half = [np.diff(results.space(row, of, axis)[:2])[0] / 2 for axis in plane]
        image = axes.imshow(np.ma.masked_invalid(values), **colours, origin="lower", aspect="auto",
                            extent=(x[0] - half[0], x[-1] - half[0], y[0] - half[1], y[-1] - half[1]))
    else:
        values = np.hstack([values, values[:, :1]]) if x_again else values
        values = np.vstack([values, values[:1]]) if y_again else values
        x, y = (from_positive(points) if axis in logarithmic(ask) else points for axis, points in (("x", x), ("y", y)))
        image = draw_image(axes, x, y, values, colours)
    look.set_axes([axes], ask)
    ratio = np.ptp(axes.get_xlim()) / np.ptp(axes.get_ylim())
    if not scaled and 1 / LONGEST_SIDE <= ratio <= LONGEST_SIDE:
        axes.set_aspect("equal")
    return image


def read_panels(results, ask, of, rows, columns, plane):
    """{(k, column): (values, time, place)} of the panels that there are."""
    found = {}
    for k, (row, times) in enumerate(zip(rows, columns)):
        last = times_of(results, row, of)
        for column, t in enumerate(times):
            if np.isnan(t) or len(last) == 0 or t > last[-1] * (1 + 1e-9) and not results.ok[row]:
                continue
            there = results.plane(row, of, t, *plane, ask.places)
            if there:
                found[k, column] = there
    return found


def scales_of(results, ask, rows, data):
    """Colours of each run: one scale for all, or one each where their ranges differ by far. Whether it is one."""
    of_run = [[values for (k, _), (values, _, _) in data.items() if k == j] for j in range(len(rows))]
    empty = np.empty((0, 0))
    stacked = [np.concatenate([values.ravel() for values in found]) if found else empty for found in of_run]
    ranges = [np.ptp(values[np.isfinite(values)]) for values, row in zip(stacked, rows)
              if results.ok[row] and np.isfinite(values).any()]
    ranges = sorted(size for size in ranges if size > DEAD * max(ranges))
    own = ask.clim is None and len(ranges) > 1 and ranges[-1] > ALIKE * ranges[(len(ranges) - 1) // 2]
    if not own:
        return [colours_of(results, ask, rows, stacked)] * len(rows), True
    return [colours_of(results, ask, rows[k:k + 1], stacked[k:k + 1]) if np.isfinite(stacked[k]).any() else (None, None)
            for k in range(len(rows))], False


def title_times(times):
    """The times of a column, as one text; None where they differ."""
    return f"t = {number(times[0])}" if times and np.ptp(times) <= 1e-9 * max(1.0, abs(times[0])) else None


def matrix_of(ask, rows, columns, shape):
    """A figure with a row of panels for each run, and a column for each time."""
    width = min(2.3, 12.0 / columns)
    size = 1.9 + width * columns, 1.3 + (0.16 + 0.88 * width * shape) * rows
    figure, panels = look.plt.subplots(rows, columns, figsize=look.figure_size(ask, size), layout="compressed",
                                       squeeze=False)
    return figure, panels, 0.8 * width


def show_edge(axes, left, below, plane_labels):
    axes.tick_params(labelleft=left, labelbottom=below)
    axes.set_xlabel(plane_labels[0] if below else "")
    axes.set_ylabel(plane_labels[1] if left else "")


def image(results, ask):
    """A field of two dimensions, or a plane of one of three: a row of panels for each run, a column for each time, with
    one scale of colours, or one a run where their ranges differ by far. Where there is one run or one time only, the
    panels fill rows one after another."""
    of = choose_field(results, ask, "image")
    rows = choose_rows(results, ask, of)
    columns = choose_times(results, ask, of, rows)
    return figure_of(results, ask, of, rows, columns)[0]


def figure_of(results, ask, of, rows, columns, deciding=None, now=None):
    """The figure, and the images in it by run and column. @param deciding  panels whose values decide the colours, as
    read_panels() has them; None: those that are drawn
    @param now  what is written of the time, where it is not that of a column"""
    plane = axes_of_plane(ask)
    data = read_panels(results, ask, of, rows, columns, plane)
    if not data:
        raise Refusal(f"run {results.run[rows[0]]} {ended(results, rows[0])}, before {of} was saved; "
                      "choose others with --run")
    scales, one_scale = scales_of(results, ask, rows, deciding or data)
    width = len(columns[0])
    matrix = len(rows) > 1 and width > 1
    shape = shape_of(results, rows[0], of, plane)
    figure, panels, room = (
        matrix_of(ask, len(rows), width, shape) if matrix else
        panels_of(ask, len(rows) * width, (6.0, min(1.3 + 4.2 * shape, 9.0)),
                  (2.7 + (not one_scale), 0.35 + 2.2 * shape)))
    used = list(panels.flat)[:len(rows) * width]
    drawn = {}
    for axes, (k, column) in zip(used, np.ndindex(len(rows), width)):
        if (k, column) in data:
            drawn[k, column] = draw_plane(results, ask, axes, rows[k], of, plane, data[k, column][0], scales[k][0])
        else:
            past = not np.isnan(columns[k][column])
            draw_nothing(axes, ended(results, rows[k]).replace(" at", "\nat") if past else "")
            axes.set(xticks=[], yticks=[])
    if matrix:
        label_matrix(results, figure, panels, rows, data, plane, room)
    else:
        label_grid(results, figure, panels, rows, data, used, plane, width, room)
    for k in range(1 if one_scale else len(rows)):
        image = next((drawn[at] for at in sorted(drawn) if one_scale or at[0] == k), None)
        if image is not None:
            beside = panels if one_scale else list(panels[k]) if matrix else used[k]
            look.colour_bar(figure, image, beside, results.label(of), scales[k][1],
                            **({"shrink": 0.9, "aspect": 30} if one_scale else {}))
    place = next(iter(data.values()))[2]
    times = [t for _, t, _ in data.values()]
    if now is None:
        now = told_time(times, ask.times[0] if ask.times else None, of) if results.timed and width == 1 else ""
    second = ", ".join(filter(None, [
        now, place,
        results.common(rows), "" if one_scale else "each run with colours of its own"]))
    look.finish(figure, results, second, len(used) > 1)
    return figure, drawn


def label_matrix(results, figure, panels, rows, data, plane, room):
    """Times above the columns, or above each panel where they differ; parameters beside the rows."""
    height, width = panels.shape
    of_column = [[data[k, column][1] for k in range(height) if (k, column) in data] for column in range(width)]
    common = [title_times(times) for times in of_column]
    labels = results.along(plane[0]), results.along(plane[1])
    for k, column in np.ndindex(height, width):
        axes = panels[k, column]
        show_edge(axes, column == 0, k == height - 1, labels)
        if column == 0:
            axes.set_ylabel(results.describe(rows[k], rows) if height > 1 else labels[1])
        if not results.timed:
            continue
        if None in common and (k, column) in data:
            axes.set_title(f"t = {number(data[k, column][1], 4)}")
        elif None not in common and k == 0:
            axes.set_title(common[column])
    if height > 1:
        figure.supylabel(labels[1], fontsize=look.matplotlib.rcParams["axes.labelsize"])


def label_grid(results, figure, panels, rows, data, used, plane, width, room):
    """A title above each panel of a time, or of a run."""
    columns = panels.shape[1]
    labels = results.along(plane[0]), results.along(plane[1])
    for k, axes in enumerate(used):
        show_edge(axes, k % columns == 0, k + columns >= len(used), labels)
    if len(used) > 1:
        look.panel_titles(figure, used, [
            (f"t = {number(data[at][1])}" if at in data else "") if width > 1 else results.describe(rows[at[0]], rows)
            for at in np.ndindex(len(rows), width)], room)
