#!/bin/bash
# Many steps in single precision: what their roundings come to is told before and after, neither too late nor where it
# is little. The reference is the same run in double precision.
cd "$(dirname "$0")/../../.." || exit 1
. tests/helpers/helpers.sh || exit 1

grid='grid = { n = 64; length = 1.0; }; time = { dt = "d"; end = "d*many"; }; accuracy = { runs = 0; };
output = { fields = { times = ["end"]; }; };'
heat='problem = "heat"; physics = { kappa = 1.0; }; initial = "c + cos(2*pi*x)";'
equation='problem = "equation"; rhs = "dxx(u) - 100*dx(u)"; initial = "c + cos(2*pi*x)";'
advection='problem = "advection"; physics = { nu = 1.0; }; velocity = { x = 100.0; }; initial = "c + cos(2*pi*x)";'
# the lengths are 8 pi: x is theirs in terms of the line
phases='initial = "0.5*c + 0.5*cos(2*pi*x) + 0.1*cos(8*pi*x)"; physics = { '
k2='(8*pi)^-2'
cahn_hilliard="problem = \"cahn_hilliard\"; $phases gamma = \"$k2\"; D = \"$k2\"; };"
allen_cahn="problem = \"allen_cahn\"; $phases gamma = \"$k2\"; };"
run() {  # NAME TEXT STEPS DT...
    local name=$1 text=$2 steps=$3; shift 3
    echo "$text $grid sweep = { d = [$(tr ' ' , <<<"$*")]; c = [0.0, 1.0]; }; define = { many = $steps; };" >$name.cfg
    expect 0 run $name.cfg --device cpu -j 1 -s run.precision=single "${more[@]}" -o $name.single.h5
    expect 0 run $name.cfg --device cpu -j 1 "${more[@]}" -o $name.double.h5
}
for method in crank_nicolson imex1 imex2 imex3; do run heat_$method "$heat method = \"$method\";" 200000 1e-9 1e-7; done
run equation "$equation" 200000 1e-9 1e-7
more=(-s 'sweep.c=[1.0]')  # it takes ten times as long as the others
run advection "$advection" 200000 1e-9 1e-7
more=()
run cahn_hilliard "$cahn_hilliard" 200000 1e-4 1e-3 1e-2
run allen_cahn "$allen_cahn" 200000 1e-4 1e-3 1e-2
run short "$cahn_hilliard" 20000 1e-4 1e-3 1e-2
[ -z "$python" ] || py - <<'END' 2>err || fail 'what is told of rounding'
import glob, re, h5py, numpy as np
told = 0
for name in glob.glob("*.single.h5"):
    single, double = h5py.File(name), h5py.File(name.replace("single", "double"))
    u, v, initial = single["u"][:, -1], double["u"][:, -1], 1 + single["c"][:]
    for j in range(len(u)):
        off = np.abs(u[j] - v[j]).max()/max(np.abs(v[j]).max(), initial[j] if "heat" in name else 1)
        claim = re.search(r"could move u by about ([0-9.e-]+) of", single["message"][j].decode())
        where = (name, single["d"][j], single["c"][j], off, claim and claim.group(1))
        told += claim is not None
        assert claim or off < 0.025, where
        assert not claim or float(claim.group(1)) > off/2.6, where
        assert not claim or off > 1e-4 or float(claim.group(1)) < 0.03, where
        assert b"rounding" not in double["message"][j] and ("short" not in name or not claim), where
assert told > 20, told
END

# ---- the case of a report: 10^6 steps; and in double precision
echo "$heat $grid sweep = { d = [1e-9]; c = [0.0]; }; define = { many = 1e6; };" >heat.cfg
expect 0 check heat.cfg --device cpu -s run.precision=single
prints 'rounding in 1e+06 steps could move u by about 0.15 of max|u|, where nothing draws it back; use a longer time.dt or '
expect 0 check heat.cfg --device cpu; grep -q rounding out && fail 'a word on double precision'
expect 0 check heat.cfg --device cpu -s define.many=1e14 -s 'sweep.d=[1e-15]'
prints 'rounding in 1e+14 steps could move u by about 0.028 of max|u|, where nothing draws it back; use a longer time.dt'
expect 0 run heat.cfg --device cpu -s run.precision=single
expect 0 show results/heat.h5 --run 0
prints 'rounding in 1e+06 steps could move u by about 0.15 of max|u|, which moved by 0.067, where nothing draws it back'
summary
