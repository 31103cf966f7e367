#!/bin/bash
# source = "exact": the program makes the source with which `exact` solves an equation. Orders in space and time against
# it, on lines and on fields, with walls and several unknowns; PFHub's benchmark 7a; what is refused. SWEEP is the
# program.
cd "$(dirname "$0")/../../.." || exit 1
. tests/helpers/helpers.sh || exit 1

# orders FILE KEY LEAST...: orders of err_l2 of the runs of each least order, those of an axis KEY that halve a step,
# from the last two
orders() {
    [ -z "$python" ] || py - "$@" >out 2>err <<'PY' || fail "orders of $1"
import sys, h5py, numpy as np
f = h5py.File(sys.argv[1])
least = [float(v) for v in sys.argv[2:]]
e = np.ravel(f["err_l2"][:]).reshape(len(least), -1)
slope = np.log2(e[:, -2]/e[:, -1])
print(e, slope)
assert (slope > np.array(least) - 0.12).all() and (slope < np.array(least) + 1).all()
PY
}

# ---- a line with walls, two unknowns, nonlinear and nested derivatives; dx
cat >line.cfg <<'CFG'
problem  = "equation";
unknowns = ["u", "v"];
rhs      = { u = "dxx(u^3 - u - g*dxx(u)) + dx(u*v)"; v = "D*dxx(v) + exp(-v^2)*dx(u) - u*v"; };
exact    = { u = "sin(2*x)*cos(a*t)"; v = "1 + x^2*exp(-t)"; };
source   = "exact";
define   = { g = 0.2; D = 0.5; a = 1.5; };
sweep    = { n = [17, 33, 65]; };
left     = { dirichlet = { u = 0.0; v = 1.0; }; dxx = { u = 0.0; }; };
right    = { dirichlet = { u = "sin(2.0)*cos(a*t)"; v = "1 + exp(-t)"; }; dxx = { u = "-4*sin(2.0)*cos(a*t)"; }; };
grid     = { n = "n"; length = 1.0; };
time     = { dt = 0.001; end = 0.5; };
method   = "imex3";
initial  = { u = "sin(2*x)"; v = "1 + x^2"; };
run      = { device = "cpu"; };
CFG
expect 0 check line.cfg; prints 'source   exact_t - rhs(exact)'
expect 0 run line.cfg -o line.h5
orders line.h5 2
expect 0 run line.cfg -o other.h5 -s 'stepper="cpu.plain"' -s 'sweep.n=[65]'
[ -z "$python" ] || py - >out 2>err <<'PY' || fail 'rows of lines'
import h5py, numpy as np
a, b = np.ravel(h5py.File("line.h5")["err_l2"][:])[2], np.ravel(h5py.File("other.h5")["err_l2"][:])[0]
assert abs(a/b - 1) < 1e-6, (a, b)  # rounding of steps of -dxxxx, against errors of 1e-4
PY

# ---- a periodic line of fourth order, and dt
cat >wave.cfg <<'CFG'
problem = "equation";
rhs     = "r*u + 0.1*dxx(u) - 0.01*dxxxx(u) - u^3 + 0.3*u*dx(u)";
exact   = "exp(sin(x - c*t))/2";
source  = "exact";
define  = { r = 0.2; c = 2.0; };
sweep   = { method = ["imex1", "imex2", "imex3"]; dt = [0.04, 0.02, 0.01]; };
method  = "$method";
order   = "4";
grid    = { n = 256; length = "2*pi"; };
time    = { dt = "dt"; end = 1.0; };
initial = "exp(sin(x))/2";
run     = { device = "cpu"; };
CFG
expect 0 run wave.cfg -o wave.h5
orders wave.h5 1 2 3
expect 0 run wave.cfg -o wave4.h5 -s 'sweep.method=["imex3"]' -s 'sweep.dt=[0.001]' -s 'sweep.n=[16, 32]' \
    -s 'grid.n="n"'
orders wave4.h5 4

# ---- fields: walls with values and slopes that move, two unknowns, fluxes and mixed derivatives; three dimensions
cat >field.cfg <<'CFG'
problem  = "equation";
unknowns = ["u", "v"];
rhs      = { u = "div((1 + u^2)*dx(u), (1 + u^2)*dy(u)) + dxy(v) - u*v";
             v = "D*lap(v) - 0.01*lap(lap(v)) + grad2(u)"; };
exact    = { u = "sin(2*pi*x - t)*exp(-y)/2"; v = "cos(2*pi*x)*cos(pi*y)*sin(t)"; };
source   = "exact";
define   = { D = 0.3; };
sweep    = { n = [16, 32]; };
left     = { y = { dirichlet = { u = "sin(2*pi*x - t)/2"; }; neumann = { v = 0.0; }; }; };
right    = { y = { neumann = { u = "-sin(2*pi*x - t)*exp(-1)/2"; v = 0.0; }; }; };
grid     = { n = ["n", "n + 1"]; length = 1.0; };
time     = { dt = 0.01; end = 0.1; };
method   = "imex3";
initial  = { u = "sin(2*pi*x)*exp(-y)/2"; v = "0"; };
run      = { device = "cpu"; };
CFG
expect 0 run field.cfg -o field.h5
orders field.h5 2
cat >space.cfg <<'CFG'
problem = "equation";
rhs     = "lap(u^3 - lap(u)/50) + x*dz(u)";
exact   = "(1 + cos(x + 2*y - z - t)/4)*exp(-t)";
source  = "exact";
sweep   = { n = [12, 24]; };
grid    = { n = ["n", "n", "n"]; length = "2*pi"; };
time    = { dt = 0.01; end = 0.05; };
method  = "imex3";
initial = "1 + cos(x + 2*y - z)/4";
run     = { device = "cpu"; };
CFG
expect 0 run space.cfg -o space.h5
orders space.h5 2

# ---- PFHub's benchmark 7a: orders in space and time
pfhub() { expect 0 run "$top/configs/pfhub/7a.cfg" -o "$1" -s 'run.device="cpu"' "${@:2}"; }
pfhub space.7a.h5 -s 'sweep.cells=[64, 128]' -s time.end=0.3 -s 'output.fields.times=[0.3]'
orders space.7a.h5 2
steps() { pfhub "$1" -s 'sweep.cells=[32]' -s "sweep.method=$2" -s "sweep.dt=$3" -s 'time={ dt="dt"; end=0.4; }' \
    -s 'method="$method"' -s 'output.fields.times=[0.4]'; }
steps dt.7a.h5 '["imex1", "imex2", "imex3"]' '[0.05, 0.025]'
steps fine.7a.h5 '["imex3"]' '[0.005]'
[ -z "$python" ] || py - >out 2>err <<'PY' || fail 'orders of 7a in time'
import h5py, numpy as np
fine, u = h5py.File("fine.7a.h5")["eta"][0, -1], h5py.File("dt.7a.h5")["eta"][:, -1]
e = np.sqrt(((u - fine)**2).mean(axis=(1, 2))).reshape(3, 2)
slope = np.log2(e[:, 0]/e[:, 1])
print(e, slope)
assert (abs(slope - [1, 2, 3]) < 0.2).all()
PY

# ---- without initial values runs begin with those of the exact solution: the same to the last bit
for k in line field wave; do
    sed '/^initial/d' $k.cfg >$k.from.cfg
    expect 0 check $k.from.cfg; prints "method   imex"
    says "$k.from.cfg:$(grep -n '^exact' $k.from.cfg | cut -d: -f1): warning: 'initial' is not given: it is taken from"
    expect 0 run $k.from.cfg -o $k.from.h5
done
sed '/^rhs/d; s/^problem.*/problem = "heat"; physics = { kappa = 0.1; };/; /^source/d' space.cfg >heat.cfg
expect 0 run heat.cfg -o heat.h5
sed '/^initial/d' heat.cfg >heat.from.cfg
expect 0 run heat.from.cfg -o heat.from.h5
[ -z "$python" ] || py - >out 2>err <<'PY' || fail 'initial values of the exact solution'
import h5py
for k in ("line", "field", "wave", "heat"):
    a, b = h5py.File(k + ".h5"), h5py.File(k + ".from.h5")
    print(k, a["err_l2"][:])
    assert (a["err_l2"][:] == b["err_l2"][:]).all() and (a["err_max"][:] == b["err_max"][:]).all()
PY
one=(-s 'initial={ u="sin(2*pi*x)*exp(-y)/2"; }')  # v from exact
sed '/^initial/d' field.cfg >one.cfg
expect 0 check one.cfg "${one[@]}"; says "'initial' is not given"
sed '/^initial/d; /^source/d; s/; v = "cos(2.*/; };/' field.cfg >none.cfg
expect 3 check none.cfg; says "'initial' has no expression for the unknown 'v', and 'exact' has none that stands for it"
expect 3 check none.cfg "${one[@]}"; says "'initial' has no expression for the unknown 'v'"
expect 3 check one.cfg -s 'exact.u="cos(q*x)"'
[ "$(grep -c "unknown name 'q'" err)" = 1 ] || fail 'an error of exact is told twice'
sed '/^initial/d; /^exact/d; /^source/d' wave.cfg >neither.cfg
expect 3 check neither.cfg; says "'initial' is missing"

# ---- what is refused, and warned of
expect 3 check wave.cfg -s 'rhs="dxx(u) + randn(1)"'; says "no source makes up for randn()"
expect 3 check field.cfg -s 'exact={ u="x"; }'; says '`exact` has none of v'
sed '/^exact/d' wave.cfg >without.cfg
expect 3 check without.cfg; says '`exact` has none of u'
expect 3 check wave.cfg -s 'source="rhs"'; says 'source'
expect 0 check wave.cfg -s 'exact="abs(sin(x))"'
prints "exact of u, column 1: the source takes 'abs', whose slope jumps"
expect 0 check field.cfg -s 'exact.u="y < 0.5 ? x : y"'; prints "the source takes '<', which jumps"
expect 0 check field.cfg -s 'exact.v="sin(2*pi*x)*sqrt(y)"'
prints 'source of u = "exact_t - rhs(exact)" is -inf at x = 0, y = 0'
expect 3 check field.cfg -s 'rhs.u="u_y"'; says 'write dy(u)'
long='sin(x)'
for _ in 1 2 3 4 5 6 7 8 9 10; do long="sin(2 + $long)^(2 + $long)"; done
expect 3 check wave.cfg -s "exact=\"$long\""; says 'the derivatives of `exact` that it takes have more than'

[ $failures = 0 ]
