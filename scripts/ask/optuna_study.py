#!/usr/bin/env python3
"""Make a scalar of a config as small as it can be, by optuna: what it suggests at a time is one batch.

    python3 scripts/ask/optuna_study.py configs/front_fit.cfg miss D=0.2,3 r=0.2,3

Arguments: the config; the scalar; of each parameter its ends. Options of `sweep ask` follow `--`, such as -o FILE.
Needs optuna (pip install optuna).
"""
import math
import sys

import pysweep
import sweep_ask

try:
    import optuna
except ImportError:
    sys.exit("this needs optuna: pip install optuna")


def main():
    args = sweep_ask.command_line(__doc__, batches=(20, None), rows=(16, "of a batch"))
    ends = args.ends

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    # constant_liar: trials of a batch keep away from one another, though none of them has its value yet
    sampler = optuna.samplers.TPESampler(seed=args.seed, constant_liar=True)
    study = optuna.create_study(sampler=sampler)
    with pysweep.ask(args.config, *args.options, of=args.scalar) as session:
        for _ in range(args.batches):
            trials = [study.ask() for _ in range(args.rows)]
            rows = [{name: trial.suggest_float(name, *ends[name]) for name in ends} for trial in trials]
            for trial, value in zip(trials, sweep_ask.numbers(session.ask(rows), args.scalar)):
                if math.isfinite(value):
                    study.tell(trial, value)
                else:
                    study.tell(trial, state=optuna.trial.TrialState.FAIL)
    print(f"{args.scalar} = {study.best_value:.6g} after {len(study.trials)} runs in {args.batches} batches")
    for name, value in study.best_params.items():
        print(f"{name} = {value:.6g}")


if __name__ == "__main__":
    main()
