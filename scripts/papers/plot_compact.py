#!/usr/bin/env python3
"""Draw what scripts/papers/reproduce_compact.sh measured: orders of the compact schemes and closures, modified
wavenumbers, speed over the length of a line.

usage: plot_compact.py FOLDER     the pictures go beside the CSV files
Needs matplotlib, numpy and h5py. Curves of wavenumbers are those of the coefficients in fractions, points what the
program made of waves."""
import collections
import csv
import math
import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bench"))
from bench_figures import GREY, plt, save  # first: it says what is missing
import numpy as np
from matplotlib.ticker import FixedLocator, LogLocator, NullFormatter, NullLocator
from sweep_plot.convergence import fit_order
from sweep_plot.look import COLOURS

from bench_data import Table
from compact_schemes import FILTER, FIRST, MIDPOINT, SCHEMES, SECOND, STAGGERED, Scheme, kind_of, order_of

NORM = {"err_max": ("o", "-", "largest"), "err_l2": ("s", "--", "root mean square"),
        "err_interior": ("^", ":", "middle half")}


def read(path):
    """The line above the columns, and the rows."""
    if not os.path.exists(path):
        return "", []
    with open(path, newline="") as file:
        origin = file.readline().lstrip("# ").rstrip("\n").split("; ", 1)[1]
        return origin, list(csv.DictReader(file))


def panels(rows, columns, size):
    figure, axes = plt.subplots(rows, columns, figsize=size, layout="constrained", squeeze=False)
    for one in axes.flat:
        one.grid(True)
    return figure, axes


# ---------------------------------------------------------------- orders

def error_line(axes, n, error, colour, marker="o", style="-", label=None):
    """Points, hollow where rounding rules, the fitted line, and its slope at its end. Returns where that is."""
    fit = fit_order(n, error)
    fitted, slope, factor = fit.count, fit.slope, fit.factor
    axes.loglog(n[:fitted], error[:fitted], marker, color=colour, markersize=4.5, zorder=3)
    axes.loglog(n[fitted:], error[fitted:], marker, color=colour, markersize=4.5, markerfacecolor="white", zorder=3)
    axes.loglog(n[:fitted], factor * n[:fitted]**slope, style, color=colour, linewidth=1.2, zorder=2, label=label)
    return n[fitted - 1], factor * n[fitted - 1]**slope, f"{-slope:.2f}", colour


def put_slopes(axes, ends, apart=0.05):
    """The slopes to the right of the ends of their lines, those that would touch moved apart."""
    axes.figure.draw_without_rendering()
    inverse = axes.transAxes.inverted()
    placed = []
    for x, y, text, colour in sorted(ends, key=lambda end: -end[1]):
        at, up = inverse.transform(axes.transData.transform((x, y)))
        while any(abs(at - a) < 0.15 and abs(up - u) < apart for a, u in placed):
            up -= 0.25 * apart
        placed.append((at, up))
        axes.text(at + 0.02, up, text, transform=axes.transAxes, color=colour, fontsize=8.5, va="center", zorder=4,
                  bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.4, "alpha": 0.8})


def guide(axes, p, n, start, at):
    """A thin line of slope p, its name at point number `at`."""
    axes.loglog(n, start * (n / n[0])**-float(p), "-", color="#bbbbbb", linewidth=0.9, zorder=1)
    axes.text(n[at], start * (n[at] / n[0])**-float(p), f"$h^{{{p}}}$", fontsize=8, color=GREY, ha="center",
              va="center", bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5}, zorder=1)


def finish_orders(axes, n, title):
    axes.set_title(title)
    axes.xaxis.set_major_locator(FixedLocator(n))
    axes.set_xticklabels([str(int(v)) for v in n])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel("n")
    axes.set_xlim(n[0] / 1.25, n[-1] * 1.75)    # room for the last slopes


def series(rows, scheme, boundary, norm):
    points = sorted((int(row["n"]), float(row[norm])) for row in rows
                    if row["scheme"] == scheme and row["boundary"] == boundary)
    return np.array([p[0] for p in points], float), np.array([p[1] for p in points])


GROUPS = [("first derivatives", (FIRST,)), ("second derivatives", (SECOND,)),
          ("half-way: derivatives, interpolation", (STAGGERED, MIDPOINT)), ("filters, alpha = 0.4", (FILTER,))]


def draw_periodic(folder, origin, rows):
    figure, axes = panels(2, 2, (10.0, 8.2))
    for one, (title, kinds) in zip(axes.flat, GROUPS):
        ends = []
        schemes = [s for s in SCHEMES if kind_of(s) in kinds]
        for k, scheme in enumerate(schemes):
            n, error = series(rows, scheme, "periodic", "err_l2")
            ends.append(error_line(one, n, error, COLOURS[k], "os^Dv"[k], label=scheme))
            guide(one, order_of(scheme), n[n <= ends[-1][0]], 4 * error[0], 2)
        finish_orders(one, n, title)
        one.set_ylim(1e-16, None)
        put_slopes(one, ends)
        one.legend(loc="lower left")
    for one in axes[:, 0]:
        one.set_ylabel("root mean square error")
    figure.suptitle("Compact schemes on a circle, exp(sin x): observed orders; hollow: rounding rules, not fitted")
    save(figure, folder, "compact_orders", origin)


WALLS = [("d1_c4", ("3-4-4", "4-4-4")), ("d1_c6", ("3-4-6", "4-4-6")), ("d2_c4", ("3-4-4", "4-4-4")),
         ("d2_c6", ("3-4-6", "4-4-6"))]
LETTER = {"d1": "first derivative", "d2": "second derivative"}


def draw_walls(folder, origin, rows):
    figure, axes = panels(2, 3, (14.0, 8.6))
    for one, (scheme, boundaries) in zip([axes[0][0], axes[0][1], axes[1][0], axes[1][1]], WALLS):
        ends = []
        for k, boundary in enumerate(boundaries):
            for norm, (marker, style, _) in NORM.items():
                n, error = series(rows, scheme, boundary, norm)
                ends.append(error_line(one, n, error, COLOURS[k], marker, style))
        low, high = one.get_ylim()
        for p in sorted({3, 4, order_of(scheme)}):
            guide(one, p, n[-3:], high, -1)     # where nothing else is
        finish_orders(one, n, f"{LETTER[kind_of(scheme)]}, {scheme}")
        one.set_ylim(low / 10, 4 * high)
        put_slopes(one, ends, 0.04)
        handles = [plt.Line2D([], [], color=COLOURS[k], label=b) for k, b in enumerate(boundaries)]
        handles += [plt.Line2D([], [], color=GREY, marker=m, linestyle=s, label=text) for m, s, text in NORM.values()]
        one.legend(handles=handles, loc="lower left")
    for one, norm in ((axes[0][2], "err_max"), (axes[1][2], "err_interior")):
        ends = []
        for k, scheme in enumerate(s for s in SCHEMES if kind_of(s) == FILTER):
            n, error = series(rows, scheme, "reduced", norm)
            ends.append(error_line(one, n, error, COLOURS[k], "os^Dv"[k], label=scheme))
            if norm != "err_max" or k == 0:
                guide(one, order_of(scheme), n[n <= ends[-1][0]], 6 * error[0], -1)
        finish_orders(one, n, f"filters, reduced, alpha = 0.4: {NORM[norm][2]}")
        one.set_ylim(1e-16, None)
        put_slopes(one, ends)
        one.legend(loc="lower left")
    for one in axes[:, 0]:
        one.set_ylabel("error")
    figure.suptitle("Compact schemes between walls, exp(sin 3x) on 0 … 2: observed orders; hollow: rounding rules, "
                    "not fitted")
    save(figure, folder, "compact_closures", origin)


def draw_orders(folder):
    origin, rows = read(os.path.join(folder, "compact_convergence.csv"))
    if rows:
        draw_periodic(folder, origin, rows)
        draw_walls(folder, origin, rows)
    return bool(rows)


# ---------------------------------------------------------------- waves

def wave_lines(axes, rows, chosen, w, every=4):
    """chosen: (scheme, alpha, label): the curve of the coefficients, points of the program."""
    for k, (scheme, alpha, label) in enumerate(chosen):
        exact = Scheme(scheme, float(alpha or 0))
        axes.plot(w, [exact.symbol(float(v)) for v in w], color=COLOURS[k], linewidth=1.2)
        at = [(float(row["w"]), float(row["symbol"])) for row in rows
              if row["scheme"] == scheme and row["alpha"] == alpha]
        axes.plot(*zip(*sorted(at)[every - 1::every]), "os^Dv"[k], color=COLOURS[k], markersize=4, label=label,
                  clip_on=False)


def draw_waves(folder):
    origin, rows = read(os.path.join(folder, "compact_waves.csv"))
    if not rows:
        return False
    w = np.linspace(0, np.pi, 401)
    figure, axes = panels(2, 3, (13.2, 8.2))
    def of(kind):
        return [(s, "", s) for s in SCHEMES if kind_of(s) == kind]
    flat = list(axes.flat)
    for one, kind, exact, title, label in (
            (flat[0], FIRST, w, "first derivatives", "$k'h$"),
            (flat[1], SECOND, w**2, "second derivatives", "$(k''h)^2$"),
            (flat[2], STAGGERED, w, "first derivatives half-way", "$k'h$"),
            (flat[3], MIDPOINT, np.ones_like(w), "interpolation half-way", "transfer function")):
        one.plot(w, exact, color=GREY, linewidth=1.2, label="exact")
        wave_lines(one, rows, of(kind), w)
        one.set_title(title)
        one.set_ylabel(label)
    alphas = sorted({row["alpha"] for row in rows if row["scheme"] == "f6"}, key=float)
    wave_lines(flat[4], rows, [(s, "0.4", s) for s in SCHEMES if kind_of(s) == FILTER], w)
    flat[4].set_title("filters, alpha = 0.4")
    wave_lines(flat[5], rows, [("f6", a, f"alpha = {a}") for a in alphas], w)
    flat[5].set_title("filter f6 over alpha")
    for one in (flat[4], flat[5]):
        one.set_ylabel("transfer function")
    for one in flat:
        one.set_xlim(0, np.pi)
        one.set_ylim(0, None)
        one.set_xticks([0, np.pi / 4, np.pi / 2, 3 * np.pi / 4, np.pi], ["0", "π/4", "π/2", "3π/4", "π"])
        one.set_xlabel("$kh$")
        one.legend(loc="lower left" if one in flat[3:] else "upper left")
    worst = max(max(abs(float(row["difference"])), abs(float(row["beside"]))) / float(row["bound"]) for row in rows)
    figure.suptitle("Waves under compact schemes: lines from the coefficients in fractions, points from the program "
                    f"(apart by {worst:.2g} of the bound on rounding)")
    save(figure, folder, "compact_waves", origin)
    return True


def draw_wave_errors(folder):
    """|k'/k - 1| and the like over k h: how many points a wave needs for a given error."""
    origin, rows = read(os.path.join(folder, "compact_waves.csv"))
    if not rows:
        return False
    w = np.geomspace(2 * np.pi / 128, np.pi, 300)
    figure, axes = panels(2, 2, (10.0, 8.2))
    for one, (title, kinds) in zip(axes.flat, GROUPS):
        for k, scheme in enumerate(s for s in SCHEMES if kind_of(s) in kinds):
            exact = Scheme(scheme, 0.4 if FILTER in kinds else 0)
            power = {FIRST: 1, STAGGERED: 1, SECOND: 2}.get(kind_of(scheme), 0)
            one.loglog(w, [abs(exact.symbol(float(v)) / v**power - 1) for v in w], color=COLOURS[k], linewidth=1.2)
            at = [(2 * np.pi * int(row["k"]) / int(row["n"]), float(row["symbol"])) for row in rows
                  if row["scheme"] == scheme and row["alpha"] == ("0.4" if FILTER in kinds else "")]
            at = [(v, abs(symbol / v**power - 1)) for j, (v, symbol) in enumerate(sorted(at)) if j < 4 or j % 4 == 3]
            one.loglog(*zip(*at), "os^Dv"[k], color=COLOURS[k], markersize=4,
                       label=f"{scheme}, order {order_of(scheme)}")
        one.set_title(title)
        one.set_ylim(1e-15, 3)
        one.set_xlim(w[0] / 1.1, 3.5)
        one.xaxis.set_major_locator(FixedLocator([np.pi / d for d in (64, 32, 16, 8, 4, 2, 1)]))
        one.set_xticklabels(["π/64", "π/32", "π/16", "π/8", "π/4", "π/2", "π"])
        one.xaxis.set_minor_locator(NullLocator())
        one.set_xlabel("$kh$")
        one.legend(loc="lower right")
    axes[0][0].set_ylabel("$|k'/k - 1|$")
    axes[0][1].set_ylabel("$|(k''/k)^2 - 1|$")
    axes[1][0].set_ylabel("$|k'/k - 1|$; $|T - 1|$")
    axes[1][1].set_ylabel("$|T - 1|$")
    figure.suptitle("How far waves are off: lines from the coefficients in fractions, points from the program")
    save(figure, folder, "compact_wave_errors", origin)
    return True


# ---------------------------------------------------------------- speed

def draw_speed(folder):
    """From the CSV of a GPU, and the CPU's Thomas algorithm beside; without one the CPU's."""
    for where in ("cuda", "cpu"):
        path = os.path.join(folder, f"compact_paper_{where}.csv")
        if os.path.exists(path):
            break
    else:
        return False
    table = Table([path])
    good = [line for line in table.at.values() if line["state"] == "ok"]
    baseline = good[0]["baseline"] if good else ""
    lines = collections.defaultdict(list)
    for line in good:
        share = 16 * float(line["rate"]) / float(line["copy_bytes_per_s"])    # f read, the result written
        lines[line["row"]].append((int(line["n"]), float(line["rate"]), share, line["spec"]))
    rate = {line["spec"]: float(line["rate"]) for line in good if line["row"] == baseline}
    of_cpu = os.path.join(folder, "compact_paper_cpu.csv")
    for line in Table([of_cpu]).at.values() if where == "cuda" and os.path.exists(of_cpu) else []:
        if line["state"] == "ok" and line["row"] == "cpu.thomas":
            share = 16 * float(line["rate"]) / float(line["copy_bytes_per_s"])
            lines["cpu.thomas"].append((int(line["n"]), float(line["rate"]), share, line["spec"]))
    figure, axes = panels(1, 2, (11.0, 4.6))
    for k, (row, points) in enumerate(sorted(lines.items(), key=lambda item: -max(p[1] for p in item[1]))):
        ratio = [(n, own / rate[spec] if row == "cpu.thomas" and spec in rate else table.ratio(spec, row, baseline))
                 for n, own, _, spec in sorted(points)]
        ratio = [(n, v) for n, v in ratio if v]
        options = {"marker": "os^Dv"[k % 5], "color": COLOURS[k % 7], "label": row}
        if ratio:
            axes[0][0].loglog(*zip(*ratio), **options)
        axes[0][1].semilogx([p[0] for p in sorted(points)], [100 * p[2] for p in sorted(points)], **options)
    n = sorted({int(line["n"]) for line in good})
    if where == "cuda":
        axes[0][0].axhspan(1, 2, color="#b07d00", alpha=0.15, linewidth=0)
        axes[0][0].text(n[-1], 1.41, "paper: up to 2", fontsize=9, color="#b07d00", va="center", ha="right")
    for one in axes[0]:
        one.xaxis.set_major_locator(FixedLocator(n))
        one.set_xticklabels([str(v) for v in n])
        one.xaxis.set_minor_locator(NullLocator())
        one.set_xlabel("n, points a line")
    axes[0][0].yaxis.set_major_locator(LogLocator(base=10, subs=(1.0, 2.0, 5.0)))
    axes[0][0].yaxis.set_major_formatter(lambda v, _: f"{v:g}")
    axes[0][0].yaxis.set_minor_formatter(NullFormatter())
    axes[0][0].set_ylabel(f"speed-up over {baseline}")
    axes[0][1].set_ylabel("16 bytes a point, of the copy bandwidth, %")
    axes[0][1].set_ylim(0, None)
    axes[0][1].legend(loc="upper left", bbox_to_anchor=(1.01, 1.0))
    points = int(good[0]["n"]) * int(good[0]["batch"])
    figure.suptitle("First derivatives between walls, d1_c4, 3-4-4: right-hand side and solve; "
                    f"2$^{{{round(math.log2(points))}}}$ points in lines of n")
    save(figure, folder, "compact_speed", table.origin(where))
    return True


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    drawn = [draw(sys.argv[1]) for draw in (draw_orders, draw_waves, draw_wave_errors, draw_speed)]
    if not any(drawn):
        print(f"error: neither compact_convergence.csv nor compact_waves.csv nor compact_paper_*.csv in {sys.argv[1]}",
              file=sys.stderr)
        return 5
    return 0


sys.exit(main())
