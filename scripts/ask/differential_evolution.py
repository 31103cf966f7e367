#!/usr/bin/env python3
"""Make a scalar of a config as small as it can be, by differential evolution (scipy): each generation is one batch.

    python3 scripts/ask/differential_evolution.py configs/front_fit.cfg miss D=0.2,3 r=0.2,3

Arguments: the config; the scalar; of each parameter its ends. Options of `sweep ask` follow `--`, such as -o FILE.
Needs scipy 1.9 or later (Debian: python3-scipy).
"""
import sys

import pysweep
import sweep_ask

try:
    from scipy.optimize import differential_evolution
except ImportError:
    sys.exit("this needs scipy: pip install scipy, or apt-get install python3-scipy")


def main():
    args = sweep_ask.command_line(__doc__, generations=(60, None),
                                  population=(12, "rows of a generation, for each parameter"))
    ends = args.ends

    asked = 0
    with pysweep.ask(args.config, *args.options, of=args.scalar) as session:
        def objective(x):  # [parameters][rows], or of one row [parameters]
            nonlocal asked
            rows = [dict(zip(ends, map(float, row))) for row in x.T.reshape(-1, len(ends))]
            asked += len(rows)
            values = sweep_ask.numbers(session.ask(rows), args.scalar)
            return values if x.ndim > 1 else values[0]

        found = differential_evolution(objective, list(ends.values()), vectorized=True, updating="deferred",
                                       polish=False, init="sobol", popsize=args.population, tol=1e-8,
                                       maxiter=args.generations, seed=args.seed)
    print(f"{args.scalar} = {found.fun:.6g} after {asked} rows in {found.nit + 1} generations")
    for name, value in zip(ends, found.x):
        print(f"{name} = {value:.6g}")


if __name__ == "__main__":
    main()
