#!/bin/bash
# What `sweep check --json` and `sweep list --json` print: JSON with the fields that docs/reference/json.md names.
cd "$(dirname "$0")/../../.." || exit 1
. tests/helpers/helpers.sh || exit 1
[ -n "$python" ] || { echo '# skipped: json: no python3 with h5py here'; exit 0; }
cat >c.cfg <<'CFG'
title   = "two \"quotes\", a \\ and a ü";
problem = "heat";
grid    = { n = "m"; length = 1.0; };
physics = { kappa = 1.0; };
time    = { dt = "0.001*16/m"; end = 0.01; };
sweep   = { m = [16, 32]; k = [1.0, 2.0, 3.0]; };
initial = "cos(2*pi*k*x)";
output  = { fields = { times = [0.01]; }; };
CFG
cat >holds.py <<'END'
# holds.py FILE EXPRESSION...: each is true of d, the object in the file; fields stand in docs/reference/json.md
import json, re, sys
d = json.load(open(sys.argv[1], encoding="utf-8"))
for expression in sys.argv[3:]:
    if not eval(expression):
        sys.exit(f"does not hold: {expression}\n{d}")
def fields(value):
    if isinstance(value, dict):
        for name, inner in value.items():
            yield name
            yield from fields(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from fields(inner)
known = set(re.findall(r"`([a-z_]+)`", open(sys.argv[2], encoding="utf-8").read()))
unknown = set(fields(d)) - known
if unknown:
    sys.exit(f"docs/reference/json.md does not name {sorted(unknown)}")
END
holds() { is_json out; py holds.py out "$top/docs/reference/json.md" "$@" 2>err || fail "$subcommand --json"; }

# ---- a config that is right
expect 0 check c.cfg --json; silent err
holds 'd["title"] == "two \"quotes\", a \\ and a ü"' 'd["problem"] == "heat"' 'd["runs"] == d["sweep_runs"] == 6' \
    'd["mode"] == "product"' 'd["axes"] == [{"name": "m", "values": 2}, {"name": "k", "values": 3}]' \
    'd["file"] == "results/c.h5"' 'd["precision"] == "double"' 'd["errors"] == []' 'len(d["sweep_id"]) == 12' \
    'd["plan"]["steps_least"] == 10 and d["plan"]["steps_most"] == 20' 'd["plan"]["batches"] == 2' \
    'd["plan"]["points_steps"] == 3*(16*10 + 32*20)' 'd["plan"]["runs_to_do"] == 6' 'd["plan"]["runs_done"] == 0' \
    'd["plan"]["solver"] == "cpu.simd" or d["plan"]["device"]' 'd["plan"]["seconds"] > 0' \
    'd["plan"]["bytes_output"] > 0 and d["plan"]["bytes_device"] > d["plan"]["bytes_batch"] >= d["plan"]["bytes_run"]'
expect 0 check c.cfg --json --only 'm == 16'; holds 'd["runs"] == 3 and d["sweep_runs"] == 6'

# ---- what is there already; a file of another sweep
"$sweep" run c.cfg -q --device cpu -o c.h5 || fail 'the run'
expect 0 check c.cfg --json -o c.h5
holds 'd["plan"]["runs_done"] == 6 and d["plan"]["runs_to_do"] == 0' 'd["plan"]["seconds"] is None' \
    'd["plan"]["solver"] is None'
expect 0 check c.cfg --json -o c.h5 -s physics.kappa=7.0
holds 'len(d["notes"]) == 1 and "holds another sweep" in d["notes"][0]' 'd["plan"]["runs_to_do"] == 6'

# ---- a device that is not here; a config that is refused
expect 0 check c.cfg --json --device cuda:63; holds 'd["plan"] is None' '"not planned here" in d["notes"][0]'
expect 3 check c.cfg --json -s physics.kapa=1.0 -s grid.n=2.5; says "did you mean 'kappa'"
holds 'list(d) == ["errors"]' 'len(d["errors"]) >= 2' \
    'any(e["file"] == "-s" and "did you mean" in e["text"] and e["line"] >= 0 for e in d["errors"])'

# ---- usage
expect 2 check c.cfg c.cfg --json; says 'one config at a time'
expect 2 check c.cfg --list --json; says 'not both'

# ---- list
expect 0 list --json
holds 'set(d) == {"problems", "equations", "steppers", "field_steppers", "band_solvers", "bvp_solvers",
                  "tridiagonal_solvers", "matrices", "banded_matrices",
                  "elliptic_solvers", "difference_solvers", "schemes", "boundaries", "transports",
                  "devices"}' \
    'all(set(r) >= {"name", "about", "absent"} for rows in d.values() for r in rows)' \
    'next(r for r in d["problems"] if r["name"] == "heat")["equation"] == "u_t = kappa u_xx + forcing"' \
    'any(r["name"] == "cpu.plain" and r["absent"] is None for r in d["steppers"])' \
    'any(r["name"].startswith("cpu") for r in d["devices"])'
summary
