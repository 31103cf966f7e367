#!/usr/bin/env python3
"""Draw figures 3 to 14 of the cuPentBatch paper from cupentbatch_*.csv, as scripts/reproduce_cupentbatch.sh writes
them.

usage: plot_bench.py FOLDER     the pictures go beside the CSV files
Needs matplotlib. Speed-ups are ratios of rates (points times steps a second, by the median) measured in one run of
`sweep bench`.
"""
import collections
import csv
import os
import sys

try:
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
except ImportError as error:
    print(f"error: {error}; install python3-matplotlib (Debian, Ubuntu)", file=sys.stderr)
    sys.exit(4)

COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"]   # as in plot.py
plt.rcParams.update({
    "font.size": 10.5, "axes.prop_cycle": matplotlib.cycler(color=COLOURS), "axes.spines.top": False,
    "axes.spines.right": False, "axes.grid": True, "grid.color": "#d9d9d9", "grid.linewidth": 0.6,
    "lines.linewidth": 1.6, "lines.markersize": 5, "legend.frameon": False, "legend.fontsize": 9, "savefig.dpi": 130,
})
CONSTANT, REWRITE, OURS = "cuda.split+cuda.thomas", "cuda.split+cuda.thomas_rewrite", "cuda.fused"
ROWS = {CONSTANT: "cuPentBatch, constant", REWRITE: "cuPentBatch, rewrite", OURS: "cuda.fused"}
SIZE = {"batch": "batch size", "n": "unknowns a system"}

# One picture: the part of the script that measured it, what is on the axis, the rows and the paper's figures they
# belong to (0: not in the paper), the baseline, which points.
GPSV = "gpsvInterleavedBatch"
ANY, FEW, MANY = (lambda n, batch: True), (lambda n, batch: batch <= 8192), (lambda n, batch: batch > 8192)
PICTURES = [
    ("figures_03_04", "small", "batch", {CONSTANT: 3, REWRITE: 4, OURS: 0}, GPSV, ANY),
    ("figures_05_06", "large", "batch", {CONSTANT: 5, REWRITE: 6, OURS: 0}, GPSV, ANY),
    ("figures_07_08", "small", "n", {CONSTANT: 7, REWRITE: 8, OURS: 0}, GPSV, ANY),
    ("figures_09_10", "long", "n", {CONSTANT: 9, REWRITE: 10, OURS: 0}, GPSV, ANY),
    ("figure_11", "serial", "n", {CONSTANT: 11, OURS: 0}, "the serial program", FEW),
    ("figure_12", "serial", "batch", {CONSTANT: 12, OURS: 0}, "the serial program", FEW),
    ("figure_13", "serial", "batch", {CONSTANT: 13, OURS: 0}, "the serial program", MANY),
    ("figure_14", "openmp", "batch", {CONSTANT: 14, OURS: 0}, "8 threads", ANY),
]


class Table:
    """The rows of a CSV file that were timed: ratio[row][(n, batch)], to the baseline of their run."""
    def __init__(self, path):
        self.ratio = collections.defaultdict(dict)
        self.origin = ""
        with open(path, newline="") as file:
            for line in csv.DictReader(file):
                if line["state"] != "ok" or not line["ratio"]:
                    continue
                self.ratio[line["row"]][int(line["n"]), int(line["batch"])] = float(line["ratio"])
                if line["row"].startswith("cuda"):
                    self.origin = (f"{line['device']}, driver {line['driver']}, CUDA {line['cuda']}, "
                                   f"commit {line['commit']}")


def draw_panel(axes, points, over, chosen, title):
    """points: {(n, batch): ratio}. One line for each value of what is not on the axis."""
    lines = collections.defaultdict(list)
    for (n, batch), ratio in sorted(points.items()):
        if chosen(n, batch):
            x, key = (n, batch) if over == "n" else (batch, n)
            lines[key].append((x, ratio))
    other = "n" if over == "batch" else "batch"
    for (key, line), marker in zip(sorted(lines.items()), "osD^v<>Xph*"):
        axes.plot(*zip(*sorted(line)), marker=marker, label=f"{other} = {key}")
    axes.set_xscale("log", base=2)
    axes.set_xlabel(SIZE[over])
    axes.set_title(title, fontsize=10.5)
    axes.axhline(1, color="#777777", linewidth=0.8)
    axes.set_ylim(bottom=0)
    if lines:
        axes.legend(ncol=2 if len(lines) > 4 else 1)
    return bool(lines)


def draw(folder, tables, name, table, over, rows, baseline, chosen):
    if table not in tables:
        return
    here = [row for row in rows if any(chosen(*at) for at in tables[table].ratio.get(row, {}))]
    if not here:
        return
    figure, panels = plt.subplots(1, len(here), figsize=(4.6 * len(here), 3.9), squeeze=False)
    for axes, row in zip(panels[0], here):
        title = f"{ROWS[row]}" + (f" (the paper's figure {rows[row]})" if rows[row] else "")
        draw_panel(axes, tables[table].ratio[row], over, chosen, title)
    panels[0][0].set_ylabel(f"speed-up over {baseline}")
    figure.text(0.995, 0.005, tables[table].origin, ha="right", va="bottom", fontsize=7, color="#777777")
    figure.tight_layout(rect=(0, 0.03, 1, 1))
    path = os.path.join(folder, f"cupentbatch_{name}.png")
    figure.savefig(path)
    plt.close(figure)
    print(path)


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    folder, tables = sys.argv[1], {}
    for name in sorted({picture[1] for picture in PICTURES}):
        path = os.path.join(folder, f"cupentbatch_{name}.csv")
        if os.path.exists(path):
            tables[name] = Table(path)
    if not tables:
        print(f"error: no cupentbatch_*.csv in {folder}", file=sys.stderr)
        return 5
    for picture in PICTURES:
        draw(folder, tables, *picture)
    return 0


sys.exit(main())
