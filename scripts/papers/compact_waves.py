#!/usr/bin/env python3
"""Read from output files what compact schemes made of waves, and compare it with what they should have.

usage: compact_waves.py CSV FILE...     FILE: of configs/compact_waves.cfg, compact_filters.cfg or
       compact_families.cfg
Writes a row a run: the wave's w = k h, the symbol read from the file (k' h of first derivatives, (k'' h)^2 of second
ones, the transfer function of filters and of values half-way), how far it is from that of the coefficients in
fractions, what is left of the result beside the wave it should be, and the bound on both. Fails where
rounding does not explain a difference. Needs h5py and numpy."""
import csv
import math
import sys

import h5py
import numpy as np

from compact_schemes import FIRST, MIDPOINT, SECOND, STAGGERED, Scheme, takes_alpha

U = 2.0**-53
PHASE = 0.5      # of the configs' waves


def wave(n, k, half, quarter):
    """sin(k x + 1/2) at the points, or half-way behind them; quarter: a quarter of a wave ahead, the cosine. Whole
    waves are taken off in integers, so that the argument is exact to a rounding."""
    turns = (2 * k * np.arange(n) + (k if half else 0)) % (2 * n)
    return np.sin(np.pi * turns / n + PHASE + (np.pi / 2 if quarter else 0))


def amplitude(g, shape):
    return float(np.dot(g, shape) / np.dot(shape, shape))


def bound(scheme, k, n, shape):
    """f is off where its argument is: x_i, k x_i and the sum round, and 2 pi is rounded in the length of the domain,
    4 u (k 2 pi + 1/2), and by 2 u from sin. The scheme may lift that by its gain, and adds 16 u times its terms times
    |T^-1| at most (docs/explanation/compact.md: cpu.simd and the reference differ by half of that, 4 roundings of 2 u).
    A projection on a wave of mean square q lifts it by 1/sqrt(q)."""
    return scheme.gain() * U * (4 * (2 * math.pi * k + PHASE) + 2 + 16) / math.sqrt(float(np.mean(shape**2)))


def measure(scheme, k, g, h):
    """The symbol, and the amplitude of the wave a quarter ahead of the one that the result should be."""
    n, kind = len(g), scheme.kind
    half = kind in (STAGGERED, MIDPOINT)
    sine, cosine = (wave(n, k, half, quarter) for quarter in (False, True))
    right, other = (cosine, sine) if kind in (FIRST, STAGGERED) else (sine, cosine)
    factor = {FIRST: h, STAGGERED: h, SECOND: -h * h}.get(kind, 1.0)
    beside = 0.0 if 2 * k == n else factor * amplitude(g, other)     # of the shortest wave both are the same
    return factor * amplitude(g, right), beside, bound(scheme, k, n, right)


def runs(path):
    """(scheme, k, n, alpha, g, h) of each run."""
    with h5py.File(path) as f:
        names, k = f["scheme"].asstr()[:], f["k"][:]
        alpha = f["a"][:] if "a" in f else np.zeros(len(k))
        h = 2 * math.pi / f["g"].shape[-1]
        if not (f["status"][:] == 1).all():
            raise SystemExit(f"{path}: not all runs are done")
        for j, name in enumerate(names):
            yield Scheme(name, alpha[j]), int(k[j]), alpha[j], f["g"][j, 0], h


def main():
    if len(sys.argv) < 3 or sys.argv[1].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    wrong, worst, count = 0, 0.0, 0
    with open(sys.argv[1], "a", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["scheme", "alpha", "k", "n", "w", "symbol", "difference", "beside", "bound"])
        for path in sys.argv[2:]:
            for scheme, k, alpha, g, h in runs(path):
                n = len(g)
                symbol, beside, most = measure(scheme, k, g, h)
                exact = scheme.symbol(2 * math.pi * k / n)
                off = max(abs(symbol - exact), abs(beside))
                count, worst = count + 1, max(worst, off / most)
                if not off <= most:
                    wrong += 1
                    print(f"{scheme.name}, k = {k}: {symbol!r} where the coefficients say {exact!r}, {beside:.2g} "
                          f"beside it; rounding explains {most:.2g}", file=sys.stderr)
                out.writerow([scheme.name, f"{alpha:g}" if takes_alpha(scheme.name) else "", k, n,
                              f"{2 * math.pi * k / n:.8g}", f"{symbol:.15g}", f"{symbol - exact:.1e}",
                              f"{beside:.1e}", f"{most:.1e}"])
    print(f"{count} waves: off from the coefficients in fractions by {worst:.2g} of what rounding may do"
          + (f"; {wrong} by more" if wrong else ""))
    return int(wrong > 0)


sys.exit(main())
