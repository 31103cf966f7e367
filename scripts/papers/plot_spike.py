#!/usr/bin/env python3
"""Draw what scripts/papers/reproduce_spike.sh measured: residuals of the paper's table IV beside the published ones,
backward errors over n, forward errors over condition numbers, times.

usage: plot_spike.py FOLDER     the pictures go beside the CSV files
Needs matplotlib."""
import collections
import os
import statistics
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bench"))
from bench_figures import GREY, plt, save  # first: it says what is missing
from matplotlib.ticker import NullLocator
from sweep_plot.look import COLOURS

import bench_data as data

MARKS = "os^Dv<>Pp*"


def panels(count, size, across=4, **options):
    """So many panels of a size, a few in a row."""
    across = min(across, count)
    down = -(-count // across)
    figure, axes = plt.subplots(down, across, figsize=(size[0] * across + 0.6, size[1] * down), layout="constrained",
                                squeeze=False, **options)
    for k, one in enumerate(axes.flat):
        one.grid(True)
        one.tick_params(labelbottom=True)
        if k >= count:
            one.set_axis_off()
    return figure, axes.flat[:count]


def style_of(solvers):
    return {name: {"color": COLOURS[k % len(COLOURS)], "marker": MARKS[k % len(MARKS)]}
            for k, name in enumerate(solvers)}


# ---------------------------------------------------------------- table IV

MOST_RESIDUAL = 1e65    # beyond it Toeplitz matrices spread over 200 orders of magnitude


def draw_medians(axes, errors, table, style):
    """The median and the range of the seeds, solvers side by side; a median that is no number: most runs failed."""
    for k, solver in enumerate(table.solvers):
        points = []
        for place, matrix in enumerate(table.matrices):
            x = place + 0.7 * ((k + 0.5) / len(table.solvers) - 0.5)
            values = errors[matrix, solver]
            median = statistics.median(float("inf") if value is None else value for value in values)
            numbers = [value for value in values if value]
            if numbers and median < float("inf"):
                axes.vlines(x, min(numbers), max(numbers), color=style[solver]["color"], linewidth=1)
                points.append((x, median))
        axes.plot(*zip(*points), linestyle="", markersize=4.5, label=solver, **style[solver])
    axes.set_yscale("log")


def draw_table4(folder):
    table = data.spike_table4(folder)
    if not table.solvers:
        return
    style = style_of(table.solvers)
    figure, (above, below) = plt.subplots(2, 1, figsize=(11.5, 8.6), layout="constrained", sharex=True)
    draw_medians(above, table.residuals, table, style)
    draw_medians(below, table.backward, table, style)
    for solver, values in table.paper.items():
        points = [(place, float(values[matrix])) for place, matrix in enumerate(table.matrices)
                  if data.is_number(values.get(matrix, ""))]
        above.plot(*zip(*points), linestyle="", marker="_", markersize=17, color=GREY, zorder=1,
                   label="the paper's six solvers" if solver == next(iter(table.paper)) else None)
    above.set_ylim(1e-18, MOST_RESIDUAL)
    above.set_ylabel("residual |Ax - f| / |f|")
    above.legend(loc="upper left")
    below.axhline(2.0**-53, color=GREY, linewidth=1, linestyle=":")
    below.set_ylabel("backward error; dotted: $2^{-53}$")
    below.set_xticks(range(len(table.matrices)))
    below.set_xticklabels(table.matrices, rotation=60, ha="right")
    below.xaxis.set_minor_locator(NullLocator())
    for axes in (above, below):
        axes.grid(True)
    above.set_title("16 matrices, n = 512, as table IV has them: median and range of 10 seeds; a solver that is "
                    "missing broke down", fontsize=10)
    save(figure, folder, "spike_table4", table.origin)


# ---------------------------------------------------------------- errors of ours

def draw_backward(folder):
    origin, rows = data.spike_rows(folder, "backward")
    solvers = list(dict.fromkeys(row["solver"] for row in rows))
    if not rows:
        return
    worst = collections.defaultdict(float)
    for row in rows:
        if data.is_number(row["backward_error"]):
            at = row["solver"], row["matrix"], int(row["n"])
            worst[at] = max(worst[at], float(row["backward_error"]))
    figure, axes = panels(len(solvers), (5.2, 4.4), 3, sharey=True)
    matrices = list(dict.fromkeys(row["matrix"] for row in rows))
    for one, solver in zip(axes, solvers):
        for k, matrix in enumerate(matrices):
            line = sorted((n, error) for (name, of, n), error in worst.items() if name == solver and of == matrix)
            if line:
                one.plot(*zip(*line), color=COLOURS[k % len(COLOURS)], marker=MARKS[k % len(MARKS)], markersize=4,
                         linewidth=1, label=matrix)
        one.axhline(2.0**-53, color=GREY, linewidth=1, linestyle=":")
        one.set_xscale("log", base=2)
        one.set_yscale("log")
        one.set_title(solver)
        one.set_xlabel("n")
    for one in axes[::3]:
        one.set_ylabel("backward error, worst of the seeds; dotted: $2^{-53}$")
    lines, names = axes[0].get_legend_handles_labels()
    if len(figure.axes) > len(solvers):  # a panel is free
        figure.axes[len(solvers)].legend(lines, names, loc="center", ncols=2, fontsize=9)
    else:
        axes[-1].legend(lines, names, loc="center left", bbox_to_anchor=(1, 0.5), fontsize=8)
    save(figure, folder, "spike_backward", origin)


LEAST_ERROR = 1e-17
MOST_CONDITION = 1e40   # the means of three matrices are 1e77 to 1e101


def draw_forward(folder):
    """A mark a matrix: geometric means over the seeds, with the ranges of both numbers."""
    origin, rows = data.spike_rows(folder, "forward")
    points = collections.defaultdict(list)
    for row in rows:
        if row["solver"] != "cpu.lapack" and int(row["failed"]) < int(row["seeds"]):  # dgtsv is there by its own name
            points[row["solver"]].append([tuple(float(row[f"{of}_{name}"]) for of in ("least", "mean", "most"))
                                          for name in ("condition", "forward_error")])
    if not points:
        return
    style = style_of(points)
    figure, axes = panels(len(points), (5.0, 3.8), 3, sharey=True, sharex=True)
    for one, (solver, matrices) in zip(axes, points.items()):
        for (least, mean, most), errors in matrices:
            low, middle, high = (max(error, LEAST_ERROR) for error in errors)
            mean = min(mean, MOST_CONDITION)
            one.hlines(middle, least, most, color=style[solver]["color"], linewidth=1, alpha=0.6)
            one.vlines(mean, low, high, color=style[solver]["color"], linewidth=1, alpha=0.6)
            one.plot(mean, middle, markersize=4.5, **style[solver])
        one.plot([1, 2.0**53], [2.0**-53, 1], color=GREY, linewidth=1, zorder=1)
        one.set_xscale("log")
        one.set_xlim(0.5, 10 * MOST_CONDITION)
        one.set_yscale("log")
        one.set_ylim(LEAST_ERROR, 1e2)
        one.set_title(solver, fontsize=10)
        one.set_xlabel("condition number (at the right end: beyond)")
    figure.suptitle(f"A mark a matrix, n = {rows[0]['n']}: geometric mean and range of {rows[0]['seeds']} seeds; a "
                    "matrix that is missing broke down", fontsize=10.5)
    for one in axes[::3]:
        one.set_ylabel("forward error; line: condition × $2^{-53}$")
    save(figure, folder, "spike_forward", origin)


# ---------------------------------------------------------------- times

def draw_sizes(folder):
    table = data.spike_times(folder, "sizes")
    lines = collections.defaultdict(list)
    for (_, row), line in table.at.items():
        if line["state"] == "ok":
            lines[row].append((int(line["n"]), float(line["rate"])))
    if not lines:
        return
    style = style_of(lines)
    figure, (axes,) = panels(1, (7.8, 4.6))
    for row, points in lines.items():
        axes.plot(*zip(*sorted(points)), markersize=4.5, label=row, **style[row])
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xlabel("n, one random system")
    axes.set_ylabel("rows/s")
    axes.set_title("Solves in the memory of the device (the paper's figure 13)", fontsize=10.5)
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    save(figure, folder, "spike_sizes", "; ".join(filter(None, (table.origin("cuda"), table.origin("cpu")))))


def draw_bars(folder, part, title):
    """A group of bars for each matrix, a bar a row: milliseconds; on a logarithmic axis where the least would be too
    low to be seen."""
    table = data.spike_times(folder, part)
    groups = [(spec, [line for line in table.rows(spec) if line["state"] == "ok"]) for spec in table.specs]
    if not any(lines for _, lines in groups):
        return
    rows = list(dict.fromkeys(line["row"] for _, lines in groups for line in lines))
    style = style_of(rows)
    figure, (axes,) = panels(1, (2.0 * len(groups) + 4.8, 4.4))
    for k, (_, lines) in enumerate(groups):
        for line in lines:
            x = k + 0.8 * ((rows.index(line["row"]) + 0.5) / len(rows) - 0.5)
            ms = 1e3 * float(line["median_s"]) / int(line["steps"])
            axes.bar(x, ms, width=0.75 / len(rows), color=style[line["row"]]["color"], zorder=2,
                     label=line["row"] if k == 0 else None)
    heights = [bar.get_height() for bar in axes.patches]
    axes.set_yscale("log" if max(heights) > 30 * min(heights) else "linear")
    axes.set_xticks(range(len(groups)))
    axes.set_xticklabels([data.spike_matrix(spec) for spec, _ in groups])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.grid(False, axis="x")
    axes.set_ylabel("ms a solve")
    axes.set_title(title, fontsize=10.5)
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    save(figure, folder, f"spike_{part}", "; ".join(filter(None, (table.origin("cuda"), table.origin("cpu")))))


def draw_devices(folder):
    """Seconds over the number of GPUs, and of threads; a line a size, that of one device where it grows with them."""
    kinds = [(title, *data.spike_rows(folder, "devices", suffix))
             for title, suffix in (("threads", ""), ("GPUs", "_cuda"))]
    kinds = [(title, origin, rows) for title, origin, rows in kinds if any(int(row["devices"]) > 1 for row in rows)]
    if not kinds:  # one device has nothing to scale with
        return
    figure, axes = panels(len(kinds), (5.2, 4.2))
    for one, (title, _, rows) in zip(axes, kinds):
        lines = collections.defaultdict(list)
        for row in rows:
            if data.is_number(row["seconds"]):
                count, n = int(row["devices"]), int(row["n"])
                rows_of_one = n // count if row["scaling"] == "weak" else n
                lines[row["scaling"], rows_of_one].append((count, float(row["seconds"])))
        for k, ((scaling, n), line) in enumerate(lines.items()):
            one.plot(*zip(*sorted(line)), color=COLOURS[k % len(COLOURS)], marker=MARKS[k % len(MARKS)],
                     label=f"{scaling}, $2^{{{n.bit_length() - 1}}}$ rows" + (" each" if scaling == "weak" else ""))
        one.set_xscale("log", base=2)
        one.set_yscale("log")
        counts = sorted({count for line in lines.values() for count, _ in line})
        one.set_xticks(counts, counts)
        one.set_xlabel(title)
        one.legend()
    axes[0].set_ylabel("seconds")
    figure.suptitle("One random system (the paper's figures 14 to 16)", fontsize=10.5)
    save(figure, folder, "spike_devices", "; ".join(origin for _, origin, _ in kinds))


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    folder = sys.argv[1]
    draw_table4(folder)
    draw_backward(folder)
    draw_forward(folder)
    draw_bars(folder, "matrices", "One large system, random and diagonally dominant (the paper's figure 12)")
    draw_sizes(folder)
    draw_bars(folder, "layout", "Data marshalling and dynamic tiling (the paper's figures 7 and 10)")
    draw_devices(folder)
    return 0


sys.exit(main())
