#!/usr/bin/env python3
"""Steps of a field's own: work and true error by the rule for the matrix (docs/explanation/fields.md).

W-methods of order 2 and 3 with products of line matrices on periodic grids, as src/problem/fields takes them, with the
rule

    m4 = sigma A4,    m2 = max(a2, mu A2 - nu sqrt(A4/dt), 0)

for several mu and nu; `linear` is m2 = max(a2, 0). Fields are kept as Fourier coefficients, where products of line
matrices are products of numbers, with the symbols of second-order differences. Steps are chosen as in
src/problem/line/stepper/own_steps_point.h. The reference is imex3 with a tolerance of 1e-8, or what --reference says.

    python3 scripts/measure_field_steps.py --problem pfhub --method imex3 --rule linear full --tolerance 1e-3 1e-4
"""
import argparse
import csv
import math
import sys
import time

import numpy as np

# ---------------------------------------------------------------- methods (src/problem/fields/w_methods.c)

G2 = 1 - 1 / math.sqrt(2)
R2 = 1 + 1 / math.sqrt(2)
METHODS = {
    "imex2": dict(k=2, gamma=G2, a=[[], [G2]], h=[[], [-2 * G2]], b=[1 - R2, R2], e=[-R2, R2], sigma=1.15, mu=0.855,
                  nu=0.3),
    "imex3": dict(k=3, gamma=0.2223, a=[[], [0.388], [0.316, 0.1055], [0.0748, -0.8201, 1.4901]],
                  h=[[], [-0.49572649572649572650], [-0.24350719846745123812, -0.66893674153194498199],
                     [0.58861337629008064443, -0.24201529464687359424, -1.87484112139970327928]],
                  b=[0.19991486801834702791, 0.11349801626028981931, 0.17138049520032083540, 0.51520662052104231738],
                  e=[0.25559105938436656532, -0.07937706061225394871, -0.50121399877211261661, 0.325],
                  sigma=1.0, mu=0.647, nu=0.3),
}

# ---------------------------------------------------------------- problems


class Field:
    """u_t = F in Fourier coefficients: lap(g(u)) + a0 u + a2 lap u - a4 lap lap u + more(u)."""
    a0 = a2 = a4 = 0.0

    def __init__(self, n, length):
        self.n, self.dx = n, length / n
        k = 2 * np.pi * np.fft.fftfreq(n)
        self.w1 = (2 - 2 * np.cos(k)) / self.dx ** 2
        self.wx, self.wy = self.w1[: n // 2 + 1][None, :], self.w1[:, None]
        self.w = self.wx + self.wy
        x = np.arange(n) * self.dx
        self.x, self.y = x[None, :], x[:, None]

    def real(self, s):
        return np.fft.irfft2(s, (self.n, self.n))

    def rhs(self, s):
        linear = self.a0 - self.a2 * self.w - self.a4 * self.w ** 2
        return np.fft.rfft2(self.point(self.real(s))) * -self.w + linear * s


class PFHub(Field):
    """c_t = M lap(f' - kappa lap c), f = 5 (c - 0.3)^2 (0.7 - c)^2."""
    M, kappa, a4 = 5.0, 2.0, 10.0
    times = [1, 10, 100]

    def start(self):
        x, y, c = self.x, self.y, np.cos
        return 0.5 + 0.01 * (c(0.105 * x) * c(0.11 * y) + (c(0.13 * x) * c(0.087 * y)) ** 2
                             + c(0.025 * x - 0.15 * y) * c(0.07 * x - 0.02 * y))

    def point(self, c):
        return self.M * 10 * (c - 0.3) * (0.7 - c) * (1 - 2 * c)

    def stiff(self, c):
        a, b = c - 0.3, 0.7 - c
        return self.M * 10 * np.max(a * a + b * b - 4 * a * b), 10.0

    def energy(self, s):
        c = self.real(s)
        gx, gy = (np.roll(c, -1, 1) - c) / self.dx, (np.roll(c, -1, 0) - c) / self.dx
        return self.dx ** 2 * np.sum(5 * ((c - 0.3) * (0.7 - c)) ** 2 + self.kappa / 2 * (gx * gx + gy * gy))


class CahnHilliard(Field):
    """u_t = lap(u^3 - u - lap u)."""
    a2, a4 = -1.0, 1.0
    times = [2]

    def start(self):
        x, y = self.x, self.y
        return 0.3 * np.cos(x / 2) * np.cos(y / 4) + 0.2 * np.sin(0.75 * x + y / 2)

    def point(self, u):
        return u ** 3

    def stiff(self, u):
        return np.max(3 * u * u) - 1, 1.0

    def energy(self, s):
        u = self.real(s)
        gx, gy = (np.roll(u, -1, 1) - u) / self.dx, (np.roll(u, -1, 0) - u) / self.dx
        return self.dx ** 2 * np.sum((u * u - 1) ** 2 / 4 + (gx * gx + gy * gy) / 2)


class Noise(CahnHilliard):
    times = [1, 10, 100]

    def start(self):
        return 0.1 * np.random.default_rng(7).standard_normal((self.n, self.n))


class ThinFilm(Field):
    """h_t = div(h^3 grad h) - div(h^3 grad lap h)."""
    times = [1, 10]

    def start(self):
        x, y = self.x, self.y
        return 1 + 0.5 * np.cos(x) * np.cos(y / 2) + 0.3 * np.sin(2 * x + y)

    def rhs(self, s):
        h, p = self.real(s), self.real((1 + self.w) * s)
        out = 0
        for axis in (0, 1):
            flux = (0.5 * (h + np.roll(h, -1, axis))) ** 3 * (np.roll(p, -1, axis) - p)
            out = out + (flux - np.roll(flux, 1, axis)) / self.dx ** 2
        return np.fft.rfft2(out)

    def stiff(self, h):
        return np.max(h) ** 3, np.max(h) ** 3

    def energy(self, s):
        h = self.real(s)
        return self.dx ** 2 * np.sum(h * h / 2)


def problem(name):
    return {"pfhub": lambda: PFHub(100, 100.0), "pfhub200": lambda: PFHub(200, 200.0),
            "ch": lambda: CahnHilliard(64, 8 * np.pi), "noise": lambda: Noise(64, 64.0),
            "film": lambda: ThinFilm(64, 4 * np.pi)}[name]()


# ---------------------------------------------------------------- steps


def raised(x):
    return 2 ** (math.ceil(8 * math.log2(x)) / 8) if x > 0 else x


class Steps:
    def __init__(self, p, method, rule, exact=False):
        self.p, self.m, self.rule, self.exact = p, METHODS[method], rule, exact
        self.made, self.factored, self.taken, self.refused = None, 0, 0, 0

    def matrix(self, s, dt):
        p, m, g = self.p, self.m, self.m["gamma"] * dt
        most2, most4 = (raised(x) for x in p.stiff(p.real(s)))
        mu, nu = self.rule
        m2 = max(p.a2, mu * most2 - nu * math.sqrt(max(most4, 0) / dt), 0)
        m4 = m["sigma"] * most4
        if (g, m2, m4) == self.made:
            return
        self.made, self.factored = (g, m2, m4), self.factored + 1
        if self.exact:
            self.q = 1 / (1 - g * np.minimum(p.a0 - m2 * p.w - max(p.a4, m["mu"] * most4) * p.w ** 2, 0))
        else:
            a0 = min(p.a0, 0) / 2
            self.q = 1 / ((1 - g * (a0 - m2 * p.wx - m4 * p.wx ** 2)) * (1 - g * (a0 - m2 * p.wy - m4 * p.wy ** 2)))

    def step(self, s, dt):
        m, k = self.m, []
        self.matrix(s, dt)
        for a, h in zip(m["a"], m["h"]):
            stage = s + sum(c * x for c, x in zip(a, k)) if k else s
            d = sum(c * x for c, x in zip(h, k)) if k else 0
            k.append(self.q * (dt * self.p.rhs(stage) + d) - d)
        return s + sum(c * x for c, x in zip(m["b"], k)), sum(c * x for c, x in zip(m["e"], k))

    def run(self, tolerance, times):
        p, k, size = self.p, self.m["k"], lambda v: float(np.max(np.abs(v)))
        u = p.start() + np.zeros((p.n, p.n))
        s, t, memory, peak, out = np.fft.rfft2(u), 0.0, 0.0, size(u), []
        before = peak
        wanted = min(0.01 * before / size(p.real(p.rhs(s))), times[-1])
        for goal in times:
            left = max(1, math.ceil((goal - t) / wanted - 1e-6))
            dt = (goal - t) / left
            while left:
                following, missed = self.step(s, dt)
                after = p.real(following)
                largest, error = size(after), size(p.real(missed))
                ratio = error / (tolerance * (max(largest, before) + 0.1 * peak))
                if not np.isfinite(ratio):
                    ratio = 1e30
                if ratio <= 1:
                    e = math.log2(max(ratio, 1e-12))
                    factor = min(max(0.9 * 2 ** ((0.4 * memory - 0.7 * e) / k), 0.3), 3)
                    memory, left, s, before = max(e, -10), left - 1, following, largest
                    peak, self.taken = max(peak, largest), self.taken + 1
                    want = min(dt * factor, times[-1])
                    if left == 0:
                        wanted = want
                    elif want > 1.15 * dt or want < 0.95 * dt:
                        rest = left * dt
                        left = max(1, math.ceil(rest / want - 1e-6))
                        dt = rest / left
                else:
                    self.refused += 1
                    memory, rest = 0.0, left * dt
                    want = dt * min(max(0.9 * ratio ** (-1 / k), 0.1), 0.8)
                    left = max(1, math.ceil(rest / want - 1e-6))
                    dt = rest / left
                if self.taken + self.refused > 200000:
                    raise RuntimeError("too many steps")
            t = goal
            out.append((p.real(s), p.energy(s), self.taken))
        return out


RULES = {"linear": (0.0, 0.0), "full": None, "mu1": (1.0, 0.3), "mu1nu0": (1.0, 0.0), "mu.5": (0.5, 0.3),
         "nu.6": "nu", "mu.8": (0.8, 0.3), "mu1.2": (1.2, 0.3)}


def rule_of(name, method):
    m = METHODS[method]
    rule = RULES.get(name)
    if name == "full":
        return m["mu"], m["nu"]
    if rule == "nu":
        return m["mu"], 0.6
    return rule


def main():
    a = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    a.add_argument("--problem", nargs="+", default=["ch", "noise", "film", "pfhub"])
    a.add_argument("--method", nargs="+", default=["imex2", "imex3"])
    a.add_argument("--rule", nargs="+", default=["linear", "full"])
    a.add_argument("--tolerance", nargs="+", type=float, default=[1e-3, 1e-4, 1e-5])
    a.add_argument("--reference", type=float, default=1e-8)
    a.add_argument("--times", nargs="+", type=float)
    a.add_argument("--exact", action="store_true")
    a.add_argument("--csv")
    args = a.parse_args()
    to = open(args.csv, "w", buffering=1) if args.csv else sys.stdout
    out = csv.writer(to)
    out.writerow(["problem", "method", "rule", "tolerance", "t", "steps", "refused", "factorisations", "error",
                  "error_over_tolerance", "energy", "energy_error", "seconds"])
    for name in args.problem:
        p = problem(name)
        times = args.times or p.times
        reference = Steps(p, "imex3", rule_of("linear", "imex3")).run(args.reference, times)
        for method in args.method:
            for rule in args.rule:
                for tolerance in args.tolerance:
                    s, begin = Steps(p, method, rule_of(rule, method), args.exact), time.time()
                    for t, (u, energy, steps), (v, true, _) in zip(times, s.run(tolerance, times), reference):
                        error = np.max(np.abs(u - v)) / np.max(np.abs(v))
                        out.writerow([name, method, rule, f"{tolerance:.0e}", t, steps, s.refused, s.factored,
                                      f"{error:.3g}", f"{error / tolerance:.3g}", f"{energy:.10g}",
                                      f"{energy - true:.2g}", f"{time.time() - begin:.1f}"])
                    to.flush()


if __name__ == "__main__":
    main()
