#!/usr/bin/env python3
"""Draw what the scripts reproduce_*.sh and bench_steps.sh measured: figures 2 to 14 of the cuPentBatch paper with this
program's rows beside them, tables I to IV of the boundary value paper, the goals, and the rates over the length of a
line.

usage: plot_bench.py FOLDER     the pictures go beside the CSV files
Needs matplotlib. Speed-ups are ratios of rates (points times steps a second, by the median) measured in one run of
`sweep bench`."""
import collections
import csv
import os
import sys
import textwrap

try:
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator
except ImportError as error:
    print(f"error: {error}; install python3-matplotlib (Debian, Ubuntu)", file=sys.stderr)
    sys.exit(4)

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "papers"))
import bench_data as data
from published import slope
from published_cupentbatch import PUBLISHED_SLOPE

COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"]   # as in plot.py
plt.rcParams.update({
    "font.size": 10.5, "axes.prop_cycle": matplotlib.cycler(color=COLOURS), "axes.spines.top": False,
    "axes.spines.right": False, "axes.grid": True, "grid.color": "#d9d9d9", "grid.linewidth": 0.6,
    "lines.linewidth": 1.6, "lines.markersize": 5, "legend.frameon": False, "legend.fontsize": 9.5, "savefig.dpi": 130,
})
GREY, PAPER = "#666666", "#b07d00"


def plain(value, _=None):
    """0.5, 1, 20, 1000: ticks of a logarithmic axis without powers."""
    return f"{value:g}" if value < 1e5 else f"{value:.0e}".replace("e+0", "e")


def log_axis(axis, low, high):
    """Ticks at 1, 2, 5 times powers of ten where there is room for them, else at the powers."""
    steps = (1.0, 2.0, 5.0) if high < 200 * low else (1.0,)
    axis.set_major_locator(LogLocator(base=10, subs=steps))
    axis.set_major_formatter(FuncFormatter(plain))
    axis.set_minor_formatter(NullFormatter())


def save(figure, folder, name, origin, top=1.0):
    figure.text(0.995, 0.006, origin, ha="right", va="bottom", fontsize=7.5, color=GREY)
    figure.tight_layout(rect=(0, 0.035, 1, top))
    path = os.path.join(folder, f"{name}.png")
    figure.savefig(path)
    plt.close(figure)
    print(path)


# ---------------------------------------------------------------- the paper's figures

def curves(points, over):
    """[(label's value, [(x, ratio)])]: one curve for each value of what is not on the axis."""
    lines = collections.defaultdict(list)
    for (n, batch), ratio in sorted(points.items()):
        x, key = (n, batch) if over == "n" else (batch, n)
        lines[key].append((x, ratio))
    return sorted(lines.items())


def draw_panel(axes, points, over, keys, title):
    for key, line in curves(points, over):
        k = keys.index(key)
        label = f"{'n' if over == 'batch' else 'batch'} = {key}"
        axes.plot(*zip(*sorted(line)), marker="osD^v<>Xph*"[k % 11], color=COLOURS[k % len(COLOURS)], label=label)
    ticks = sorted({x for _, line in curves(points, over) for x, _ in line})
    axes.set_xscale("log", base=2)
    axes.set_xticks(ticks)
    axes.set_xticklabels([str(x) for x in ticks], rotation=35 if max(ticks) >= 10000 or len(ticks) > 5 else 0)
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel("batch size" if over == "batch" else "n, unknowns a system")
    axes.set_title(title, fontsize=10.5)
    axes.axhline(1, color=GREY, linewidth=1.1)


def draw_paper(axes, fig):
    """What the paper's text says of a figure: a line or band, and its words."""
    if fig.low is not None and fig.low > 1:
        if fig.high:
            axes.axhspan(fig.low, fig.high, color=PAPER, alpha=0.3, linewidth=0)
        else:
            axes.axhline(fig.low, color=PAPER, linewidth=1.1, linestyle="--")
    words = textwrap.fill("paper: " + fig.says, 44)
    axes.text(0.03, 0.97, words, transform=axes.transAxes, ha="left", va="top", fontsize=9, color=PAPER)


def draw_picture(folder, table, picture):
    rows = [(fig.row, fig) for fig in picture.figures] + [(row, None) for row in picture.ours]
    rows = [(row, fig, table.points(row, picture.chosen)) for row, fig in rows]
    rows = [item for item in rows if item[2]]
    if not rows:
        return
    every = [ratio for _, _, points in rows for ratio in points.values()]
    every += [bound for fig in picture.figures for bound in (fig.low, fig.high) if bound]
    low, high = min(every + [0.9]), max(every)
    keys = sorted({batch if picture.over == "n" else n for _, _, points in rows for n, batch in points})
    figure, panels = plt.subplots(1, len(rows), figsize=(3.7 * len(rows) + 0.6, 4.3), squeeze=False, sharey=True)
    for axes, (row, fig, points) in zip(panels[0], rows):
        title = f"figure {fig.number}: {data.NAMES[row]}" if fig else f"beside it: {data.NAMES[row]}"
        draw_panel(axes, points, picture.over, keys, title)
        axes.set_yscale("log")
        axes.set_ylim(low / 1.25, high * 2.4)   # room for the words above
        log_axis(axes.yaxis, low, high)
        if fig:
            draw_paper(axes, fig)
    panels[0][0].set_ylabel(f"speed-up over {picture.baseline}")
    handles, labels = max((axes.get_legend_handles_labels() for axes in panels[0]), key=lambda pair: len(pair[0]))
    figure.legend(handles, labels, loc="upper center", ncol=len(handles))
    save(figure, folder, f"cupentbatch_{picture.name}", table.origin(), top=0.93)


def draw_convergence(folder):
    """Figure 2, and the order in time, which the paper states."""
    path = os.path.join(folder, "cupentbatch_convergence.csv")
    if not os.path.exists(path):
        return False
    with open(path, newline="", encoding="utf-8") as file:
        origin = file.readline().split("; ")[-1].strip()
        lines = list(csv.DictReader(file))
    figure, panels = plt.subplots(1, 2, figsize=(9.4, 4.2))
    slope_there = f"; the paper's slope: {PUBLISHED_SLOPE}"
    for axes, over, label, theirs in ((panels[0], "n", "N, points", slope_there),
                                      (panels[1], "steps", "steps to T, n = 2048", "; the paper states order 2")):
        points = [(float(line["value"]), float(line["err_l2"])) for line in lines if line["over"] == over]
        fitted = slope(points)
        axes.loglog(*zip(*points), marker="o", label=f"here, slope {fitted:.4f}")
        (x, y), (end, _) = points[0], points[-1]
        axes.loglog([x, end], [y, y * (end / x)**-2], color=GREY, linestyle=":", label="slope -2")
        axes.set_xscale("log", base=2)
        axes.set_xticks([x for x, _ in points])
        axes.set_xticklabels([f"{x:.0f}" for x, _ in points])
        axes.xaxis.set_minor_locator(NullLocator())
        axes.set_xlabel(label)
        axes.set_title(("figure 2: error over N" if over == "n" else "error over dt") + theirs, fontsize=10.5)
        axes.legend()
    panels[0].set_ylabel(r"$\epsilon_N(T)$, T = 1e-4")
    save(figure, folder, "cupentbatch_figure_02", origin)
    return True


# ---------------------------------------------------------------- goals, lengths

def draw_goals(folder, table):
    """How far each figure is from its goal: 1 is just there; beyond the line is better, for errors too."""
    bars = []
    for goal in data.GOALS:
        value = goal.value(table)
        if value is not None:
            better = value / goal.least if goal.least is not None else goal.most / value
            bars.append((f"{goal.work}, {goal.what}", better, f"{data.figure_text(value)} "
                         f"(goal {data.figure_text(goal.least if goal.least is not None else goal.most)})"))
    if not bars:
        return
    figure, axes = plt.subplots(figsize=(9.6, 0.31 * len(bars) + 1.3))
    places = range(len(bars), 0, -1)
    colours = [COLOURS[2] if bar[1] >= 1 else COLOURS[1] for bar in bars]
    axes.barh(places, [min(bar[1], 10) for bar in bars], color=colours, height=0.6, zorder=2)
    for place, (_, better, text) in zip(places, bars):
        axes.text(11, place, text, va="center", fontsize=9, clip_on=False)
    axes.set_yticks(list(places))
    axes.set_yticklabels([bar[0] for bar in bars], fontsize=9)
    axes.set_xscale("log")
    axes.set_xlim(0.1, 10)
    axes.xaxis.set_major_formatter(FuncFormatter(plain))
    axes.axvline(1, color="black", linewidth=1.2, zorder=3)
    axes.grid(False, axis="y")
    axes.set_xlabel("measured over goal (for an error: goal over measured); more than 1 is reached")
    save(figure, folder, "goals", table.origin())


def draw_lengths(folder, table):
    """Rates over n where all works have the same number of points."""
    lines = collections.defaultdict(dict)
    for (spec, row), line in table.at.items():
        n = int(line["n"])
        if spec == data.length_spec(n) and line["state"] == "ok" and row in data.NAMES:
            lines[row][n] = float(line["rate"])
    if not any(len(line) > 1 for line in lines.values()):
        return
    figure, axes = plt.subplots(figsize=(8.2, 4.6))
    for k, (row, line) in enumerate(sorted(lines.items(), key=lambda item: -max(item[1].values()))):
        axes.plot(*zip(*sorted(line.items())), marker="osD^v"[k % 5], label=data.NAMES[row])
    ticks = []
    for n in sorted({n for line in lines.values() for n in line}):
        if not ticks or n > 1.45 * ticks[-1]:   # room for its number
            ticks.append(n)
    copy = max(float(line["copy_bytes_per_s"]) for line in table.at.values() if line["row"].startswith("cuda"))
    axes.axhline(copy / 16, color=GREY, linewidth=1.1, linestyle=":", label="the field read and written in each step")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xticks(ticks)
    axes.set_xticklabels([str(n) for n in ticks], rotation=35)
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel("n, points a line; $2^{26}$ points in all")
    axes.set_ylabel("point·steps/s")
    axes.set_title("hyperdiffusion, 250 steps between outputs")
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    save(figure, folder, "lengths", table.origin())


# ---------------------------------------------------------------- tables of the boundary value paper

ALGORITHMS = ["a1s", "a1d", "a2s", "a2d", "a2sd", "scan"]
WHERE = {"cpu": "CPU", "cuda": "GPU"}


def draw_table(axes, table):
    """Lines as measured here, dashed on a GPU; open symbols: the paper's."""
    for row in sorted(table.here, key=lambda row: (ALGORITHMS.index(row.split(".")[1]), row)):
        where, how = row.split(".")
        k = ALGORITHMS.index(how)
        label = how if len({row.split(".")[0] for row in table.here}) == 1 else f"{how}, {WHERE[where]}"
        axes.plot(*zip(*sorted(table.here[row].items())), marker="osD^vP"[k], color=COLOURS[k], markersize=4,
                  linestyle="-" if where == "cpu" else "--", label=label)
    for how, points in table.paper.items():
        if how not in ALGORITHMS:
            continue
        k = ALGORITHMS.index(how)
        axes.plot(*zip(*sorted(points.items())), marker="osD^vP"[k], color=COLOURS[k], markersize=9, linestyle="",
                  markerfacecolor="none", markeredgewidth=1.2)
    ticks = sorted({n for points in table.here.values() for n in points})
    axes.set_xscale("log", base=2)
    axes.set_xticks(ticks)
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_yscale("log")
    axes.set_xlabel("n, points")
    axes.set_title(table.title.split(", ")[-1], fontsize=10.5)


def draw_tables(folder, name, tables, what, paper):
    tables = [table for table in tables if table]
    if not tables:
        return
    figure, panels = plt.subplots(1, len(tables), figsize=(4.6 * len(tables) + 1.6, 4.4), squeeze=False, sharey=True)
    for axes, table in zip(panels[0], tables):
        draw_table(axes, table)
    panels[0][0].set_ylabel(what)
    handles, labels = panels[0][0].get_legend_handles_labels()
    handles.append(plt.Line2D([], [], marker="o", color=GREY, linestyle="", markerfacecolor="none", markersize=9))
    panels[0][-1].legend(handles, labels + [paper], loc="center left", bbox_to_anchor=(1, 0.5))
    save(figure, folder, name, "; ".join(tables[0].origins))


def draw_bvp(folder):
    tables = {number: data.bvp_table(folder, number) for number in (1, 2, 3, 4)}
    draw_tables(folder, "bvp_errors", [tables[1], tables[2]], "relative error", "the paper's")
    draw_tables(folder, "bvp_times", [tables[3], tables[4]], "seconds a solve",
                "the paper's: a1 on\na core, a2 on a GPU")
    return any(tables.values())


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    folder = sys.argv[1]
    parts, steps = data.figures(folder), data.steps(folder)
    drawn = [draw_bvp(folder), draw_convergence(folder)]
    if not (any(drawn) or parts or steps.at):
        print(f"error: no cupentbatch_*.csv, no steps_*.csv and no bvp_table*.csv in {folder}", file=sys.stderr)
        return 5
    for picture in data.PICTURES:
        if picture.part in parts:
            draw_picture(folder, parts[picture.part], picture)
    draw_goals(folder, steps)
    draw_lengths(folder, steps)
    return 0


sys.exit(main())
