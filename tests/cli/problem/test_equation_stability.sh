#!/bin/bash
# What is said of equations whose short waves grow without bound, of steps that let waves grow or vanish, and that
# nothing is said of those of the catalogue. SWEEP is the program.
cd "$(dirname "$0")/../../.." || exit 1
. tests/helpers/helpers.sh || exit 1
cat >line.cfg <<'CFG'
problem = "equation"; rhs = "dxx(u)"; initial = "0.5 + 0.1*cos(x)";
grid = { n = 64; length = "2*pi"; }; time = { dt = 0.01; end = 2.0; };
CFG
cat >pair.cfg <<'CFG'
problem = "equation"; unknowns = ["u", "v"]; rhs = { u = "v"; v = "dxx(u)"; };
initial = { u = "cos(x)"; v = "0"; }; grid = { n = 128; length = "2*pi"; }; time = { dt = 0.02; end = 50.0; };
CFG
ill() { expect 0 check line.cfg -s "rhs=\"$1\""; prints "waves of $2 points grow as"; prints 'ill-posed there'; }
ill 'sin(x)*dxx(u)' 2
ill 'dx(sin(x)*dx(u))' 2
ill '-(1+u^2)*dxx(u)' 2
ill '-dx(u*dx(u))' 2
ill 'dxx(u^3-3*u)' 2
ill 'dxxxx(u^3)' 2
ill '-dxx(u)-1e-12*dxxxx(u)' 2
expect 0 check pair.cfg -s 'rhs.u="dxx(u)+3*dxx(v)"' -s 'rhs.v="3*dxx(u)+dxx(v)"'; prints 'waves of 2 points grow as'
expect 0 check pair.cfg -s 'rhs.u="dx(v)"' -s 'rhs.v="-dx(u)"'; prints 'waves of 4 points grow as exp(20.4 t)'

# ---- steps: explicit oscillations, explicit diffusion beyond its bound, stabilisation with a method that it is not for
expect 0 check pair.cfg
prints 'the steps let waves of 2 points grow by 1.054 each'; prints 'time.dt <= 0.008 is stable there'
expect 0 check pair.cfg -s time.dt=0.008; ! grep -q 'the steps let' out || fail 'the step named is not stable'
expect 0 check pair.cfg -s 'method="imex3"'; ! grep -q 'the steps let' out || fail 'imex3 keeps waves'
expect 0 check pair.cfg -s 'rhs.u="dxx(u)+3*dxx(v)"' -s 'rhs.v="-3*dxx(u)+2*dxx(v)"' -s time.dt=0.01
prints 'grow by 21.02 each'; prints 'and the equation does not let them'
for order in 2 4; do  # five points have 4/3 of the largest eigenvalue of three
    expect 0 check line.cfg -s 'rhs="dxx(u^3)"' -s order=$order -s time.dt=0.0125
    prints "time.dt <= 0.00$((order == 2 ? 44 : 33)) is stable there"
done
thin='rhs="-dx(u^3*dxxx(u))"' with='implicit="-2*dxxxx(u)"'
expect 0 check line.cfg -s "$thin" -s "$with"; ! grep -q 'the steps let' out || fail 'imex2 with a stabilisation'
expect 0 check line.cfg -s "$thin" -s "$with" -s 'method="imex3"'; prints 'the steps let waves of 2 points grow by'
expect 0 check line.cfg -s 'rhs="-200*dx(u)"' -s time.dt=0.1 -s time.end=20.0
prints 'the steps damp waves of 16 points, which the equation keeps'
sed 's/dt = 0.01;/tolerance = 1e-4;/; s/dxx(u)/u*dxx(u)/' line.cfg >own.cfg
expect 0 check own.cfg; ! grep -q 'the steps let' out || fail 'own steps are not given'

# ---- a run that ends has the note; one that diverges the advice
expect 0 run pair.cfg -o w.h5; expect 0 show w.h5 --run 0; prints 'half the step changes u'
expect 1 run pair.cfg -o w.h5 --force -s time.dt=0.2; expect 0 show w.h5 --run 0; prints 'is stable there'

for config in "$top"/configs/equations/*.cfg "$top"/configs/fronts.cfg; do
    expect 0 check "$config" -s 'output.file="none.h5"'
    ! grep -qE 'the steps (let|damp)|ill-posed' out || fail "$config"
done
summary
