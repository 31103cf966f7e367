#!/usr/bin/env python3
"""Draw what reproduce_elliptic.sh measured: orders of both stencils, iterations over the numbers of a problem,
residuals after each iteration, and figures 4 to 7 of the paper.

usage: plot_elliptic.py FOLDER     the pictures go beside the CSV files
Needs matplotlib, numpy and h5py."""
import collections
import math
import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bench"))
from bench_figures import GREY, plt, save  # first: it says what is missing
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator
from sweep_plot.look import COLOURS

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
import bench_data as data
import published_elliptic

PAPER = "#b07d00"
MARKS = "os^Dv<>P"
METHODS = ["pcg", "interleaved", "multigrid", "modal", "csr", "interleaved_single"]


def panels(count, size, across=4, **options):
    across = min(across, count)
    down = -(-count // across)
    figure, axes = plt.subplots(down, across, figsize=(size[0] * across + 0.4, size[1] * down + 0.3),
                                layout="constrained", squeeze=False, **options)
    for one in axes.flat:
        one.grid(True)
    return figure, list(axes.flat)


def style_of(row):
    """A colour a method; a GPU's lines are dashed."""
    where, method = row.split("@")[0].split(".")
    k = METHODS.index(method) if method in METHODS else len(METHODS)
    return {"color": COLOURS[k % len(COLOURS)], "marker": MARKS[k % len(MARKS)],
            "linestyle": "-" if where == "cpu" else "--"}


def plain(value, _=None):
    return f"{value:g}"


def ticks_at(axis, values):
    """At these alone, as one writes them."""
    axis.set_ticks(sorted(set(values)))
    axis.set_major_formatter(FuncFormatter(plain))
    axis.set_minor_locator(NullLocator())


# ---------------------------------------------------------------- orders

WORDS = {"full": "shell, full", "tpfa": "shell, tpfa, against the sphere's solution",
         "tpfa against its limit": "shell, tpfa, against its own limit", "box": "box"}


def draw_orders(folder):
    origin, rows = data.part_rows(folder, "elliptic_orders")
    if not rows:
        return
    figure, axes = panels(2, (4.9, 4.2), sharey=True)
    for one, norm, title in zip(axes, ("err_l2", "err_max"), ("in L2, relative, weighted by volume", "the largest")):
        for k, what in enumerate(dict.fromkeys(row["what"] for row in rows)):
            line = [(int(row["n"]), float(row[norm])) for row in rows
                    if row["what"] == what and row["status"] == "done"]
            order = math.log(line[-2][1] / line[-1][1]) / math.log(line[-1][0] / line[-2][0]) if len(line) > 1 else 0
            order = round(order, 2) + 0.0   # not -0.00
            one.plot(*zip(*line), color=COLOURS[k], marker=MARKS[k],
                     label=f"{WORDS.get(what, what)}: order {order:.2f}")
        one.set_xscale("log", base=2)
        one.set_yscale("log")
        ticks_at(one.xaxis, [int(row["n"]) for row in rows])
        one.set_xlabel("n, of n³ cells")
        one.set_title(title)
        one.legend(fontsize=8, loc="lower left")
    axes[0].set_ylabel("error")
    figure.suptitle("Errors over the grid; orders of the last two points")
    save(figure, folder, "elliptic_orders", origin)


# ---------------------------------------------------------------- iterations

ALONG = {"courant": "Courant number", "lambda2": "lambda2", "depth": "depth H over the radius",
         "n": "n, of n × n × 32 cells"}


def draw_counts(folder):
    origin, rows = data.part_rows(folder, "elliptic_counts")
    if not rows:
        return
    figure, axes = panels(len(ALONG), (3.3, 3.9), sharey=True)
    for one, (over, words) in zip(axes, ALONG.items()):
        lines = collections.defaultdict(list)
        for row in rows:
            if row["over"] == over and row["status"] == "done":
                lines[row["row"]].append((float(row["value"]), int(row["iterations"])))
        for name, line in lines.items():
            one.plot(*zip(*sorted(line)), label=name, **style_of(name))
        one.set_xscale("log")
        one.set_yscale("log")
        values = {x for line in lines.values() for x, _ in line}
        ticks_at(one.xaxis, values)
        one.tick_params(axis="x", labelrotation=40 if over in ("lambda2", "courant") else 0)
        one.set_xlabel(words)
        one.yaxis.set_major_formatter(FuncFormatter(plain))
        one.yaxis.set_minor_formatter(NullFormatter())
    axes[0].set_ylabel("iterations to 1e-5")
    axes[0].legend()
    figure.suptitle("Iterations: f random, a thin shell; Courant number 8.4, H = 0.01, lambda2 = 0.033 where not "
                    "varied")
    save(figure, folder, "elliptic_counts", origin)


def draw_history(folder):
    origin, rows = data.part_rows(folder, "elliptic_history")
    courants = list(dict.fromkeys(row["courant"] for row in rows))
    if not rows:
        return
    figure, axes = panels(len(courants), (5.4, 4.1), sharey=True)
    for one, courant in zip(axes, courants):
        lines = collections.defaultdict(list)
        for row in rows:
            if row["courant"] == courant:
                lines[row["row"]].append((int(row["iteration"]), float(row["residual"])))
        for name, line in lines.items():
            few, look = len(line) < 40, style_of(name)
            if name.split(".")[1] == "pcg":  # under that of interleaved, which takes the same way
                look.update(linewidth=4, alpha=0.4)
            one.plot(*zip(*line), label=name, markersize=4.5 if few else 0, **look)
            if name.split(".")[1] != "interleaved":
                one.annotate(str(line[-1][0]), line[-1], (0, -9), textcoords="offset points", ha="center", va="top",
                             fontsize=8.5, color=look["color"])
        one.set_xscale("symlog", linthresh=1)
        one.set_xlim(left=0)
        one.set_yscale("log")
        ticks_at(one.xaxis, [0, 1, 2, 5, 10, 20, 50, 100, 200] + ([500] if max(map(len, lines.values())) > 400 else []))
        one.set_xlabel("iteration")
        one.set_title(f"Courant number {courant}")
    axes[0].set_ylabel("reported residual |r|/|f|")
    axes[0].set_ylim(bottom=1e-12)
    axes[-1].legend(*axes[0].get_legend_handles_labels(), loc="center left", bbox_to_anchor=(1, 0.5))
    figure.suptitle("Residual after each iteration, f = 1; an iteration of modal solves all vertical modes")
    save(figure, folder, "elliptic_history", origin)


# ---------------------------------------------------------------- figures 4 and 5

PARTS = ("SpMV", "prec", "rest")


def parts_there(folder, precision):
    """[(name, {part: ms})] of the paper's GPU"""
    paper, bars = data.elliptic_paper(folder), []
    for method, number in (("csr", "3"), ("pcg", "4"), ("interleaved", "4")):
        parts = {kernel: paper[number, precision, method, kernel, "CUDA"] for kernel in ("SpMV", "prec")}
        parts["rest"] = max(0, paper["6", precision, method, "iteration", "CUDA"] - sum(parts.values()))
        bars.append((f"{method}, the paper's GPU", parts))
    return bars


def parts_here(folder, precision):
    """The same of ours, of GPU and one core; an iteration whose kernels were not timed has a part `whole`"""
    times, kernels = published_elliptic.iterations(folder), published_elliptic.kernels(folder)
    bars = []
    for where, word in (("CUDA", "GPU here"), ("C", "one core here")):
        for method in ("csr", "pcg", "interleaved"):
            one = times.get((where, precision, method))
            if not one:
                continue
            whole = 1e3 * one.seconds / one.cells * data.ELLIPTIC_CELLS
            known = {kernel: kernels.get((where, precision, method, kernel)) for kernel in ("SpMV", "prec")}
            parts = {"whole": whole}
            if all(known.values()):
                parts = {kernel: published_elliptic.milliseconds(line) for kernel, line in known.items()}
                parts["rest"] = max(0, whole - sum(parts.values()))
            bars.append((f"{method}, {word}", parts))
    return bars


def scaled(bars):
    """In units of an iteration of pcg on the same device."""
    unit = {name.split(", ")[1]: sum(parts.values()) for name, parts in bars if name.startswith("pcg, ")}
    return [(name, {part: value / unit[name.split(", ")[1]] for part, value in parts.items()})
            for name, parts in bars if name.split(", ")[1] in unit]


def draw_breakdown(folder):
    """Figures 4 (single) and 5 (double); of machines this different, shares are compared."""
    table, found = data.elliptic_iterations(folder)
    if not found:
        return
    words = {"SpMV": "matrix, with what is fused to it", "prec": "preconditioner, with what is fused to it",
             "rest": "other vector operations", "whole": "not broken down"}
    colours = {part: COLOURS[k] for k, part in enumerate(PARTS)} | {"whole": "#cccccc"}
    bars = [scaled(parts_there(folder, precision) + parts_here(folder, precision))
            for precision in ("single", "double")]
    figure, axes = plt.subplots(2, 1, figsize=(8.6, 1.9 + 0.3 * sum(map(len, bars))), layout="constrained", sharex=True,
                                gridspec_kw={"height_ratios": [len(some) + 1 for some in bars]})
    for one, some, title in zip(axes, bars, ("figure 4: single precision", "figure 5: double precision")):
        for y, (_, parts) in enumerate(some):
            left = 0
            for part in (*PARTS, "whole"):
                one.barh(y, parts.get(part, 0), left=left, color=colours[part], height=0.66, zorder=2,
                         label=words[part] if y == 0 else None)
                left += parts.get(part, 0)
            one.text(left, y, f" {left:.2f}", va="center", fontsize=8)
        one.set_yticks(range(len(some)), [name for name, _ in some], fontsize=8.5)
        one.yaxis.set_minor_locator(NullLocator())
        one.invert_yaxis()
        one.grid(False, axis="y")
        one.set_title(title, fontsize=10.5)
    axes[1].set_xlabel("an iteration, over that of pcg on the same device")
    axes[1].legend(loc="lower right", fontsize=8)
    save(figure, folder, "elliptic_breakdown", "; ".join(filter(None, (table.origin("cuda"), table.origin("cpu")))))


# ---------------------------------------------------------------- figures 6 and 7

def draw_band(axes, low, high, words):
    axes.axhspan(low, high, color=PAPER, alpha=0.25, linewidth=0)
    axes.text(0.01, math.sqrt(low * high), f"{words}, M2090", transform=axes.get_yaxis_transform(), fontsize=7.5,
              color=PAPER, va="center")


def draw_sizes(folder):
    """Bands: what the paper's text says of figure 6, and the kernels of its table 7."""
    table, found = data.elliptic_iterations(folder, "sizes")
    lines = collections.defaultdict(list)
    for (spec, row), one in found.items():
        lines[row, data.elliptic_is_single(spec)].append(one)
    if not lines:
        return
    figure, axes = panels(2, (4.9, 4.2))
    for (row, single), line in sorted(lines.items(), key=lambda item: item[0][1]):
        line.sort(key=lambda one: one.cells)
        cells = [one.cells for one in line]
        style = {"label": row + ", single" * single, **style_of(row), **({"mfc": "white"} if single else {})}
        if all(one.flops for one in line):
            axes[0].plot(cells, [1e-9 * one.flops for one in line], **style)
        axes[1].plot(cells, [1e-9 * one.bytes for one in line], **style)
    paper = data.elliptic_paper(folder)
    for precision, low, high in (("single", 70, 80), ("double", 40, 50)):
        draw_band(axes[0], low, high, f"interleaved, {precision}")
        rates = [paper.get(("7", precision, "interleaved", kernel, "GB/s")) for kernel in ("SpMV", "prec")]
        if all(rates):
            draw_band(axes[1], min(rates), max(rates), f"interleaved, {precision}")
    for one, title, unit in zip(axes, ("figure 6", "figure 7"), ("10⁹ operations/s", "GB/s, counted from the source")):
        one.set_xscale("log")
        one.set_yscale("log")
        one.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        one.yaxis.set_major_formatter(FuncFormatter(plain))
        one.yaxis.set_minor_formatter(NullFormatter())
        one.set_xlabel("cells, 128 levels")
        one.set_ylabel(unit)
        one.set_title(title)
    axes[1].legend(loc="center left", bbox_to_anchor=(1, 0.5))
    figure.suptitle("An iteration over the number of cells")
    save(figure, folder, "elliptic_sizes", "; ".join(filter(None, (table.origin("cuda"), table.origin("cpu")))))


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    for draw in (draw_orders, draw_counts, draw_history, draw_breakdown, draw_sizes):
        draw(sys.argv[1])
    return 0


sys.exit(main())
