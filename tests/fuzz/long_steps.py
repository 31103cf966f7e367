#!/usr/bin/env python3
"""Look for results that steps have made wrong without a word: long_steps.py SWEEP [--count N] [--seed S].

Draws problem, method, equation and dt, from 1/1000 to 1000 of a step that is about stable, and runs each config beside
itself with steps 64 times shorter. A finding is a run that is `done`, is off by more than 5 % of the field (of its
root mean square at the end of the fine run, or a thousandth of that at the beginning if that is more), and about which
nothing was said: no line "warning" or "note", and no message in the run table. Exit 1 if there is one."""
import argparse
import math
import os
import random
import subprocess
import sys
import tempfile

import h5py
import numpy as np

# physics, text or velocity; length; initial value; a step that is about stable
LINES = [
    ("hyperdiffusion", "physics = { D = 1.0; gamma = 1.0; };", "8*pi", "0.5*sin(x) + 0.2*cos(3*x)", 0.3),
    ("hyperdiffusion", "physics = { D = 1.0; gamma = 1.0; }; forcing = \"sin(x - t)\";", "8*pi", "0.5*sin(x)", 0.3),
    ("heat", "physics = { kappa = 0.01; }; forcing = \"-100*u/(1 + u^2)\";", "1.0", "0.3*cos(2*pi*x) + 1", 0.02),
    ("heat", "physics = { kappa = 0.1; }; forcing = \"3*sin(u)\";", "4.0", "0.1*randn(1)", 0.5),
    ("heat", "physics = { kappa = 1.0; };", "2*pi", "sin(x) + 0.3*sin(4*x)", 0.5),
    ("cahn_hilliard", "physics = { D = 1.0; gamma = 1.0; };", "8*pi", "0.05*randn(1)", 2.0),
    ("cahn_hilliard",
     "physics = { D = 1.0; gamma = 0.5; }; forcing = \"0.2*cos(x/2 - t)\";", "8*pi", "0.2*sin(x)", 1.0),
    ("swift_hohenberg", "physics = { r = 0.3; wavenumber = 1.0; };", "16*pi", "0.1*randn(2)", 1.0),
    ("allen_cahn", "physics = { gamma = 4.0; };", "100.0", "sin(2*pi*x/length)", 1.0),
    ("allen_cahn", "physics = { gamma = 1.0; };", "20.0", "0.5*randn(3)", 1.0),
]
EQUATIONS = [
    ({"u": "-dxx(u) - dxxxx(u) - u*dx(u)"}, "", "8*pi", {"u": "0.1*cos(x/4)"}, 0.1),
    ({"u": "dxx(u) + u*(1 - u)"}, "", "40.0", {"u": "exp(-(x - 20)^2)"}, 1.0),
    ({"u": "0.1*dxx(u) - u*dx(u)"}, "", "2*pi", {"u": "sin(x)"}, 0.1),
    ({"u": "0.01*dxx(u) + 40*(u - u^3)"}, "", "2*pi", {"u": "0.4*sin(x)"}, 0.03),
    ({"u": "v", "v": "-u"}, "", "1.0", {"u": "1 + 0.1*sin(2*pi*x)", "v": "0"}, 0.5),
    ({"u": "0.2*dxx(u) - u*v^2 + 0.04*(1 - u)", "v": "0.1*dxx(v) + u*v^2 - 0.1*v"}, "", "30.0",
     {"u": "1 - 0.5*exp(-(x - 15)^2)", "v": "0.25*exp(-(x - 15)^2)"}, 1.0),
]
ADVECTIONS = [
    ("velocity = { x = 1.0; }; physics = { nu = 0.0; };", "2*pi", "sin(x) + 0.3*cos(2*x)", 0.1),
    ("velocity = { x = 1.0; }; physics = { nu = 0.0; }; forcing = \"40*(u - u^3)\";", "2*pi", "0.4*sin(x)", 0.03),
    ("velocity = { x = \"u\"; }; physics = { nu = 0.1; };", "2*pi", "1 + 0.5*sin(x)", 0.1),
]
METHODS = ["imex1", "imex2", "imex3"]


def group(values):
    return "{ " + " ".join(f'{name} = "{text}";' for name, text in values.items()) + " }"


def draw(rng):
    """A config without time, and its stable step."""
    kind = rng.randrange(4)
    n = rng.choice([24, 32, 48])
    if kind <= 1:
        name, physics, length, initial, step = rng.choice(LINES)
        methods = METHODS + (["crank_nicolson"] if name in ("heat", "hyperdiffusion") else [])
        return (f'problem = "{name}"; {physics} initial = "{initial}"; method = "{rng.choice(methods)}";\n'
                f'grid = {{ n = {n}; length = "{length}"; }};\n', step)
    if kind == 2:
        rhs, more, length, initial, step = rng.choice(EQUATIONS)
        names = ", ".join(f'"{name}"' for name in rhs)
        return (f'problem = "equation"; unknowns = [{names}]; rhs = {group(rhs)}; {more}\ninitial = {group(initial)}; '
                f'method = "{rng.choice(METHODS)}";\ngrid = {{ n = {n}; length = "{length}"; }};\n', step)
    physics, length, initial, step = rng.choice(ADVECTIONS)
    return (f'problem = "advection"; {physics} initial = "{initial}"; method = "{rng.choice(["rk4", "ssp_rk3"])}";\n'
            f'grid = {{ n = {n}; length = "{length}"; }};\n', step)


def run(sweep, folder, text, dt, end, name, more=""):
    """@return (exit status, what was said, last fields, first fields, messages)"""
    config, file = os.path.join(folder, name + ".cfg"), os.path.join(folder, name + ".h5")
    with open(config, "w", encoding="utf-8") as f:
        f.write(text + f"time = {{ dt = {dt!r}; end = {end!r}; }};\n{more}\n"
                f'output = {{ file = "{file}"; fields = {{ times = [0.0, {end!r}]; }}; }};\n')
    done = subprocess.run([sweep, "run", config, "--force", "--device", "cpu", "-j", "1"], capture_output=True,
                          text=True, timeout=600, check=False)
    if done.returncode not in (0, 1):
        return done.returncode, done.stderr, None, None, ""
    with h5py.File(file, "r") as h:
        fields = [h[k] for k in h if isinstance(h[k], h5py.Dataset) and h[k].ndim == 3 and k != "residual_history"]
        messages = " ".join(m.decode() if isinstance(m, bytes) else str(m) for m in h["message"][:]) \
            if "message" in h else ""
        return (done.returncode, done.stderr, [np.array(f[0, -1], float) for f in fields],
                [np.array(f[0, 0], float) for f in fields], messages)


def off(fields, fine, first):
    """How far fields are off in terms of the field, the unknown that is worst."""
    worst = 0.0
    for u, v, w in zip(fields, fine, first):
        size = max(np.sqrt(np.mean(v**2)), 1e-3 * np.sqrt(np.mean(w**2)))
        error = np.sqrt(np.mean((u - v)**2))
        worst = max(worst, error / size if size > 0 else (math.inf if error > 0 else 0.0))
    return worst


def main():
    np.seterr(all="ignore")  # what is off by infinity is off
    options = argparse.ArgumentParser()
    options.add_argument("sweep")
    options.add_argument("--count", type=int, default=100)
    options.add_argument("--seed", type=int, default=1)
    o = options.parse_args()
    rng = random.Random(o.seed)
    tried = compared = wrong = told = findings = 0
    with tempfile.TemporaryDirectory() as folder:
        for k in range(o.count):
            text, stable = draw(rng)
            dt = float(f"{stable * 10**rng.uniform(-3, 3):.3g}")
            steps = max(3, min(round(rng.choice([20, 100, 400]) * stable / dt), 20000))
            end = float(repr(dt * steps))
            tried += 1
            status, said, u, first, messages = run(o.sweep, folder, text, dt, end, "coarse")
            if status:
                continue  # refused, or failed: both are said
            _, _, fine, _, _ = run(o.sweep, folder, text, dt / 64, end, "fine", "accuracy = { runs = 0; };")
            if fine is None or not all(np.all(np.isfinite(f)) for f in fine):
                continue
            compared += 1
            error = off(u, fine, first)
            if not error <= 0.05:  # or no number
                wrong += 1
                if messages.strip() or any(w in said for w in ("warning", "note ")):
                    told += 1
                else:
                    findings += 1
                    print(f"FINDING {k}: off by {error:.3g} of the field, dt = {dt}, {steps} steps\n{text}{said}")
    print(f"long_steps: {tried} tried, {compared} compared, {wrong} off by more than 5 %, {told} of them told, "
          f"{findings} findings (seed {o.seed})")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
