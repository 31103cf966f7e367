#!/usr/bin/env python3
"""scaling_model.py [FOLDER [PICTURE]]: what one problem over many GPUs should take (docs/explanation/scaling.md).

Prints tables in Markdown: weak and strong efficiency of each work on 1 .. 10000 GPUs, and the measured points in
FOLDER (default: results/bench) beside what the model says of them: distributed_cuda.csv (bench_distributed.sh) and
spike_devices_cuda.csv. PICTURE (a .png) needs matplotlib.

A step of a GPU with neighbours takes

    points*bytes/rate + messages*latency + sent/link + reductions*latency*log2 P + more/rate + kernels*launch

where `more` are bytes and `kernels` those that only a grid that is cut takes. rate is what the row reaches on one
GPU, measured. Nothing overlaps, but where `hidden` says so."""
import csv
import math
import os
import re
import sys

# ---- machines: bytes a second each way of a GPU, seconds of a message
NVLINK = {"name": "NVLink, one host", "link": 450e9, "latency": 10e-6, "most": 8}
CLUSTER = {"name": "network", "link": 50e9, "latency": 5e-6, "most": 10**6}
HOST = 8          # GPUs of a host; beyond, the slowest link is the network's
COPY = 4.24e12    # bytes a second that an H200 copies (results/bench/compact_cube_cuda.csv)


def network(P):
    return NVLINK if P <= HOST else CLUSTER


# ---- works: for a GPU with n = (nx, ny, nz) points, on P GPUs: bytes of its memory a point and step, the share of COPY
# that the row reaches on one GPU, and what it sends: (messages one after another, bytes, reductions)
def lines(n, halo=2, numbers=1):
    """Slabs cut along z: twice half_width planes and `numbers` values of each line, each way, in one message."""
    across = n[0] * n[1]
    return 1, 2 * 8 * across * (2 * halo + numbers), 0


def mattor(n, P):
    """All ranks gather two numbers of each line of all ranks."""
    across = n[0] * n[1]
    return 1 + max(1, math.ceil(math.log2(P))), 2 * 8 * across * 2 + 2 * 8 * across * (P - 1), 0


def advection(n):
    """RK4: in each of 4 stages u_z and u_zz; they share the planes."""
    across = n[0] * n[1]
    return 4 * 3, 4 * 2 * 8 * across * (2 + 2), 0


def pcg(n):
    """Blocks in the plane, columns whole: 4 sides, one reduction an iteration."""
    return 1, 8 * n[2] * 2 * (n[0] + n[1]), 1


def multigrid(n, P):
    """A V-cycle: smoothing before and after, residual and correction on each level, four exchanges of 4 sides; levels
    halve in the plane down to 16 columns a side of a GPU, then all P blocks are gathered and solved by one."""
    messages = sent = 0
    side = min(n[0], n[1])
    while side >= 16:
        messages += 4
        sent += 4 * 8 * n[2] * 4 * side
        side //= 2
    return messages + 2 * math.ceil(math.log2(P)), sent + 2 * 8 * n[2] * side * side * min(P, 64), 1


def modal(n, P):
    """An all-to-all each way: (P - 1)/P of the field. P - 1 messages follow one another at a fifth of the latency."""
    return 2 * (1 + (P - 1) / 5), 2 * 8 * n[0] * n[1] * n[2] * (P - 1) / P, 1


def tridiagonal(n, P):
    """A few numbers of each slice, gathered by all; twice."""
    return 2 * math.ceil(math.log2(P)), 2 * 64 * P, 0


LAUNCH = 5e-6     # seconds of one kernel more: its start, and what the one before leaves idle (measured: 6 us)


def more(work, n):
    """Seconds that a part of a line costs its GPU: 40 points of each end and their stencils are read once more, by two
    kernels of two batches; two complete the values beside it; the solve itself is two kernels."""
    if work[0] != "compact, truncated":
        return 0.0
    return 2 * (40 + 4) * 8 * n[0] * n[1] / (work[3] * COPY) + 5 * LAUNCH


WORKS = [  # name, grid of a GPU, bytes a point, share of COPY, what is sent, strong: grid of all, axis or axes cut
    ("compact, truncated", (512, 512, 512), 16, .93, lambda n, P: lines(n), (1024, 1024, 1024), "z"),
    ("compact, Mattor", (512, 512, 512), 16, .93, mattor, (1024, 1024, 1024), "z"),
    ("advection RK4", (512, 512, 512), 4 * 176, .80, lambda n, P: advection(n), (1024, 1024, 1024), "z"),
    ("elliptic PCG", (512, 512, 128), 88, .67, lambda n, P: pcg(n), (1024, 1024, 128), "xy"),
    ("elliptic multigrid", (512, 512, 128), 346.7 / 5, .30, multigrid, (1024, 1024, 128), "xy"),
    ("elliptic modal", (512, 512, 128), .67 * COPY / 8.16e9, .67, modal, (1024, 1024, 128), "xy"),  # 8.16e9 cells/s
    ("tridiagonal", (2**28, 1, 1), 72, .98, tridiagonal, (2**30, 1, 1), "x"),
]
COUNTS = [1, 2, 4, 8, 64, 512, 4096, 10000]


def compute(work, n):
    return n[0] * n[1] * n[2] * work[2] / (work[3] * COPY)


def exchange(work, n, P, hidden=0.0):
    """Seconds; `hidden`: the share of the time of bytes that work on points inside covers."""
    if P == 1:
        return 0.0
    net = network(P)
    messages, sent, reductions = work[4](n, P)
    rounds = messages + reductions * math.ceil(math.log2(P))
    return rounds * net["latency"] + (1 - hidden) * sent / net["link"] + more(work, n)


def step(work, n, P, hidden=0.0):
    return compute(work, n) + exchange(work, n, P, hidden)


def share(work, P, whole=None):
    """The grid of a GPU where the whole stays the same."""
    n = list(whole or work[5])
    if work[6] == "xy":
        a = 2 ** math.ceil(math.log2(P) / 2) if P & (P - 1) == 0 else math.sqrt(P)
        n[0], n[1] = n[0] / a, n[1] / (P / a)
    else:
        axis = "xyz".index(work[6])
        n[axis] /= P
    return tuple(n)


def least(work):
    """Points along a cut axis that a GPU has to have."""
    known = {"compact, truncated": 39, "advection RK4": 39, "tridiagonal": 2**16}
    return known.get(work[0], 4 if "z" in work[6] else 16)


def weak(work, P, hidden=0.0):
    return step(work, work[1], 1) / step(work, work[1], P, hidden)


def strong(work, P):
    """None: the parts are too thin."""
    n = share(work, P)
    if min(n["xyz".index(axis)] for axis in work[6]) < least(work):
        return None
    return step(work, share(work, 1), 1) / step(work, n, P) / P


def table(title, value):
    print(f"\n{title}\n")
    print("| work | " + " | ".join(str(P) for P in COUNTS) + " |")
    print("|---" * (len(COUNTS) + 1) + "|")
    for work in WORKS:
        cells = [value(work, P) for P in COUNTS]
        print(f"| {work[0]} | " + " | ".join("–" if c is None else f"{c:.2f}" for c in cells) + " |")


def print_sent():
    print("\nWhat a GPU with neighbours sends in a step, 2 of one host:\n")
    print("| work | grid of a GPU | own memory, MB | sent, MB | messages | step, ms | of it exchange |")
    print("|---|---|---|---|---|---|---|")
    for work in WORKS:
        n = work[1]
        messages, sent, reductions = work[4](n, 2)
        own = "–" if "modal" in work[0] else f"{n[0] * n[1] * n[2] * work[2] / 1e6:.0f}"
        print(f"| {work[0]} | {' × '.join(str(m) for m in n if m > 1)} | {own} | "
              f"{sent / 1e6:.3g} | {messages + reductions:.3g} | {1e3 * step(work, n, 2):.3g} | "
              f"{100 * exchange(work, n, 2) / step(work, n, 2):.1f} % |")


# ---- measured points
def find(name):
    prefixes = {"compact, cut lines": "compact, truncated", "advection RK4": "advection RK4",
                "elliptic PCG": "elliptic PCG", "elliptic multigrid": "elliptic multigrid",
                "elliptic modal": "elliptic modal", "tridiagonal": "tridiagonal"}
    return next((w for w in WORKS if w[0] == prefixes.get(name)), None)


def read(path):
    if not os.path.exists(path):
        return []
    with open(path) as f:
        return list(csv.DictReader(line for line in f if not line.startswith("#")))


def grid_of(spec):
    """The whole grid of a row of bench_distributed.sh."""
    numbers = [int(n) for n in re.search(r"n=\[?([0-9,]+)", spec).group(1).strip(",").split(",")]
    return tuple(numbers + [1] * (3 - len(numbers)))


def said(work, scaling, P, whole):
    """The efficiency of the model, the whole grid on P GPUs."""
    n = share(work, P, whole)
    one = share(work, 1, whole) if scaling == "strong" else n
    return step(work, one, 1) / step(work, n, P) / (P if scaling == "strong" else 1)


def measured(folder):
    """(work, scaling, GPUs, measured efficiency, by what, whole grid)"""
    found = []
    for row in read(os.path.join(folder, "distributed_cuda.csv")):
        work, P = find(row["work"]), int(row["ranks"])
        if work and P > 1:
            efficiency = float(row["ratio"]) / (1 if row["scaling"] == "weak" else P)
            found.append((work, row["scaling"], P, efficiency, row["by"], grid_of(row["spec"])))
    times = {(r["scaling"], int(r["devices"]), int(r["n"])): float(r["seconds"])
             for r in read(os.path.join(folder, "spike_devices_cuda.csv")) if r["status"] == "done"}
    for (scaling, P, n), seconds in sorted(times.items()):
        one = times.get((scaling, 1, n if scaling == "strong" else n // P))
        if P > 1 and one and n >= 2**28:
            efficiency = one / seconds / (P if scaling == "strong" else 1)
            found.append((find("tridiagonal"), scaling, P, efficiency, "threads", (n, 1, 1)))
    return found


def print_measured(folder):
    points = measured(folder)
    if not points:
        return
    print("\nMeasured, beside the model: efficiency (weak: t1/tP; strong: t1/tP/P).\n")
    print("| work | scaling | whole grid | GPUs | ranks | measured | model |")
    print("|---|---|---|---|---|---|---|")
    for work, scaling, P, efficiency, by, whole in points:
        print(f"| {work[0]} | {scaling} | {' × '.join(str(m) for m in whole if m > 1)} | {P} | {by} | "
              f"{efficiency:.3f} | {said(work, scaling, P, whole):.3f} |")


def draw(folder, path):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt
    figure, axes = plt.subplots(1, 2, figsize=(11, 4.2), sharey=True)
    counts = sorted({int(round(10 ** (k / 8))) for k in range(33)})
    for number, work in enumerate(WORKS):
        colour = f"C{number}"
        axes[0].plot(counts, [weak(work, P) for P in counts], color=colour, label=work[0])
        powers = [2 ** k for k in range(14)]
        known = [(P, strong(work, P)) for P in powers if strong(work, P) is not None]
        axes[1].plot([P for P, _ in known], [s for _, s in known], color=colour)
        for which, scaling in enumerate(("weak", "strong")):
            points = [(P, e) for w, s, P, e, _, _ in measured(folder) if w is work and s == scaling]
            axes[which].plot([P for P, _ in points], [e for _, e in points], "o", color=colour)
    for a, title in zip(axes, ("weak: as many points a GPU", "strong: as many points in all")):
        a.set_xscale("log")
        a.set_ylim(0, 1.05)
        a.set_xlabel("GPUs")
        a.set_title(title)
        a.axvline(HOST, color="0.8", linewidth=1, zorder=0)
        a.grid(alpha=0.3)
    axes[0].set_ylabel("efficiency")
    axes[0].legend(fontsize=8, loc="lower left")
    figure.tight_layout()
    figure.savefig(path, dpi=110, metadata={"Software": None})


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else "results/bench"
    print_sent()
    table("Weak efficiency, as many points a GPU:", weak)
    table("The same where all bytes travel behind work on points inside, and only latencies are left:",
          lambda work, P: weak(work, P, 1.0))
    table("Strong efficiency, as many points in all:", strong)
    print_measured(folder)
    if len(sys.argv) > 2:
        draw(folder, sys.argv[2])


main()
