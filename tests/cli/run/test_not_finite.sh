#!/bin/bash
# What a config makes infinite is named before a run and by the run that fails: which text, its value, where and when.
# The other runs of its batch do not notice.
. tests/helpers/helpers.sh || exit 1

cat >ch.cfg <<'C'
problem = "cahn_hilliard";
grid    = { n = 64; length = 1.0; };
physics = { gamma = 0.001; D = 1.0; };
time    = { dt = 1e-4; end = 0.01; };
initial = "0.1*cos(2*pi*x)";
output  = { fields = { times = ["end"]; }; };
C
cat >heat.cfg <<'C'
problem = "heat";
order   = 2;
grid    = { n = 65; length = 1.0; };
physics = { kappa = 0.1; };
time    = { dt = 1e-3; end = 1.0; };
left    = { dirichlet = "t"; };
right   = { dirichlet = "0"; };
initial = "0";
output  = { fields = { times = ["end"]; }; };
C
cat >own.cfg <<'C'
problem = "equation";
rhs     = "dxx(u)";
grid    = { n = 64; length = 1.0; };
time    = { dt = 1e-3; end = 0.1; };
initial = "sin(2*pi*x)";
output  = { fields = { times = ["end"]; }; };
C
cat >waves.cfg <<'C'
problem  = "advection";
grid     = { n = 64; length = 1.0; };
velocity = { x = "1"; };
time     = { dt = 1e-3; end = 0.1; };
initial  = "sin(2*pi*x)";
output   = { fields = { times = ["end"]; }; };
C

# named CONFIG NOTE MESSAGE SETTING...: check notes that the run may diverge; the run says, in its last line, too, why
# it has. NOTE or MESSAGE '': nothing is to be said, or the run is done
named() {
    local config=$1 note=$2 message=$3 set=() s
    shift 3
    for s; do set+=(-s "$s"); done
    rm -rf bad.h5 bad.h5.d
    expect 0 check "$config" --device cpu "${set[@]}"
    if [ -n "$note" ]; then prints "note     $note"; else ! grep -q 'may diverge' out || fail "$*: check warns"; fi
    ! grep -qE 'inf of max|nan of max|mean (inf|nan)|e-[123][0-9][0-9] is stable' out || fail "$*: nonsense in check"
    if [ -z "$message" ]; then expect 0 run "$config" --device cpu -o bad.h5 "${set[@]}"; return; fi
    expect 1 run "$config" --device cpu -o bad.h5 "${set[@]}"
    says "${message%% (*}"
    expect 0 show bad.h5
    prints "$message"
}
step1='not finite at t = 0.0001: '
named ch.cfg 'forcing = "1/x" is inf at x = 0 (i = 0): the run may diverge' \
    "${step1}"'forcing = "1/x" is inf at x = 0 (i = 0); step 1 of 100' 'forcing="1/x"'
named ch.cfg 'forcing = "1/(x-0.5)" is inf at x = 0.5 (i = 32): the run' \
    "${step1}"'forcing = "1/(x-0.5)" is inf at x = 0.5' \
    'forcing="1/(x-0.5)"'
named ch.cfg 'forcing = "1/t" is inf at t = 0: the run' "${step1}"'forcing = "1/t" is inf at t = 0' 'forcing="1/t"'
named ch.cfg 'forcing = "u/x" is not finite at the beginning, at x = 0 (i = 0), where u = 0.1: the run' \
    'not finite at t = 0.0001 (step 1 of 100); first at x = 0 (i = 0)' 'forcing="u/x"'
prints '; forcing = "u/x" is not finite at the beginning, at x = 0 (i = 0), where u = 0.1'
if grep -q 'use a smaller time.dt' out; then fail 'a time step is blamed for a force that is infinite'; fi
named ch.cfg 'initial = "1/x" is inf at x = 0 (i = 0): the run' 'the initial value is inf at x = 0 (i = 0)' \
    'initial="1/x"'
named ch.cfg 'the right-hand side is not finite at the beginning, at x = 0 (i = 0), where u = 1e+200: the run' \
    "${step1}"'initial = "1e200" is 1e+200' 'initial="1e200"'
named ch.cfg 'time.dt = 0.0001 is stable for |u| up to 1.82 but a force of mean 1e+200' \
    'not finite at t = 0.0002: forcing = "1e200" is 1e+200; step 2 of 100' 'forcing="1e200"'
named ch.cfg 'forcing = "log(k)" is nan: the run may diverge' "${step1}"'forcing = "log(k)" is nan; step 1' \
    'sweep={ k = [-1.0]; }' 'forcing="log(k)"'
expect 0 check ch.cfg -s 'sweep={ k = [1.0, -1.0]; }' -s 'forcing="log(k)"'
prints 'forcing = "log(k)" is nan: the run may diverge (k = -1)'  # which run, by its axes

# at ends; a force is not asked for where u is given, nor by Crank-Nicolson at t = 0
named heat.cfg 'left.dirichlet = "1/t" is inf at t = 0: the run may diverge' \
    'not finite at t = 0.001: left.dirichlet = "1/t" is inf at t = 0; step 1 of 1000' 'left={ dirichlet = "1/t"; }'
named heat.cfg 'left.dirichlet = "1/(t-0.5)" is inf at t = 0.5: the run' \
    'not finite at t = 0.5: left.dirichlet = "1/(t-0.5)" is inf at t = 0.5; step 500' \
    'left={ dirichlet = "1/(t-0.5)"; }'
named heat.cfg 'right.neumann = "1/t" is inf at t = 0: the run' \
    'not finite at t = 0.001: right.neumann = "1/t" is inf' 'right={ neumann = "1/t"; }'
named heat.cfg 'left.dirichlet = "1e308*t*10" is inf at t = 0.18: the run' \
    'left.dirichlet = "1e308*t*10" is 8.6e+307 at t = 0.086; step 87' 'left={ dirichlet = "1e308*t*10"; }'
named heat.cfg '' '' 'forcing="1/x"'
named heat.cfg '' '' 'forcing="1/t"'
named heat.cfg 'forcing = "1/x" is inf at x = 0 (i = 0): the run' 'not finite at t = 0.001: forcing = "1/x" is inf' \
    'forcing="1/x"' 'left={ neumann = "0"; }'

# equations: which text, though no program of it is kept
named own.cfg 'rhs = "dxx(u)+1/x" is not finite at the beginning, at x = 0 (i = 0), where u = 0: the run' \
    'not finite at t = 0.001 (step 1 of 100); first at x = 0 (i = 0)' 'rhs="dxx(u)+1/x"'
prints '; rhs = "dxx(u)+1/x" is not finite at the beginning, at x = 0 (i = 0), where u = 0'
named own.cfg 'rhs = "dxx(u)-u^3" is not finite at the beginning' 'initial = "1e200" is 1e+200' 'rhs="dxx(u)-u^3"' \
    'initial="1e200"'
named own.cfg '' '' 'rhs="dxx(u)+1/x"' 'left={ dirichlet = "0"; }' 'right={ dirichlet = "0"; }'
named own.cfg 'left.dirichlet of v = "1/t" is inf at t = 0: the run' 'left.dirichlet of v = "1/t" is inf at t = 0' \
    'unknowns=["u", "v"]' 'rhs={ u = "dxx(u)"; v = "dxx(v)"; }' 'initial={ u = "0"; v = "0"; }' 'boundary="no_flux"' \
    'left={ dirichlet = { v = "1/t"; }; }' 'method="imex3"'  # which looks at t = 0

named waves.cfg 'forcing = "1/x" is inf at x = 0 (i = 0): the run' 'not finite at t = 0.001: forcing = "1/x" is inf' \
    'forcing="1/x"'
named waves.cfg 'forcing = "1/(t-0.05)" is inf at t = 0.05: the run' \
    'not finite at t = 0.05: forcing = "1/(t-0.05)" is inf at t = 0.05; step 50' 'forcing="1/(t-0.05)"'
named waves.cfg 'velocity.x = "1/x" is inf at x = 0 (i = 0): the run' 'velocity.x = "1/x" is inf' 'velocity.x="1/x"'
named waves.cfg 'left.x = "1/t" is inf at t = 0: the run' 'not finite at t = 0: left.x = "1/t" is inf at t = 0' \
    'boundary.x="3-4-6"' 'left={ x = "1/t"; }' 'initial="sin(pi*x)"'
named waves.cfg '' '' 'boundary.x="3-4-6"' 'left={ x = "t/(x-0.5)"; }' 'initial="sin(pi*x)"'  # asked for at x = 0

# steps of each run's own: texts are looked at between 0 and the end, and where a step fails to its end
steps=('method="imex3"' 'time={ tolerance = 1e-4; end = 1.0; }')
named heat.cfg 'left.dirichlet = "1/(t-0.5)" is inf at t = 0.5: the run may diverge' '' "${steps[@]}" \
    'left={ dirichlet = "1/(t-0.5)"; }'
expect 0 show bad.h5 --run 0
matches 'error_estimate = [0-9.e+]+ is above the largest .u. at the end, 2: u has decayed, or a pole was stepped over'
named heat.cfg 'left.dirichlet = "1/(t-0.3)" is inf at t = 0.3: the run may diverge' \
    'left.dirichlet = "1/(t-0.3)" is inf at t = 0.3' "${steps[@]}" 'left={ dirichlet = "1/(t-0.3)"; }' \
    'output.fields.times=[0.3, 1.0]'  # an output time, on which steps land
named heat.cfg 'left.dirichlet = "t>0.5 ? log(0.5-t) : 0" is nan at t = 0.500244: the run may diverge' \
    'left.dirichlet = "t>0.5 ? log(0.5-t) : 0" is nan at t = 0.5; not finite at t = 0.5 however small' "${steps[@]}" \
    'left={ dirichlet = "t>0.5 ? log(0.5-t) : 0"; }'
named heat.cfg '' '' "${steps[@]}"
expect 0 show bad.h5 --run 0
! grep -q 'above the largest' out || fail 'a run without a pole is warned of'

# problems without time: beside the walls where u is given
cat >bvp.cfg <<'C'
problem = "bvp";
grid    = { n = 64; };
f       = "1/x";
C
cat >slope.cfg <<'C'
problem = "compact";
grid    = { n = 16; length = "2*pi"; };
field   = "1/(x - pi)";
C
expect 0 check bvp.cfg --device cpu; prints 'note     f = "1/x" is inf at x = 0 (i = 0): the run will fail'
expect 1 run bvp.cfg --device cpu -o bvp.h5; says 'f = "1/x" is inf at x = 0'
expect 0 check bvp.cfg --device cpu -s 'left={ dirichlet = "0"; }'
if grep -q 'will fail' out; then fail 'f is blamed where u is given'; fi
expect 0 run bvp.cfg --device cpu -o bvp.h5 --force -s 'left={ dirichlet = "0"; }'
expect 0 check bvp.cfg --device cpu -s 'f="1"' -s 'q="1/(x-0.5)"'
prints 'note     q = "1/(x-0.5)" is inf at x = 0.5 (i = 32): the run will fail'
expect 0 check slope.cfg --device cpu
prints 'note     field = "1/(x - pi)" is inf at x = 3.14159 (i = 8): the run will fail'
expect 1 run slope.cfg --device cpu -o slope.h5; says 'run 0: field = "1/(x - pi)" is inf at x = 3.14159'
expect 1 run slope.cfg --device cpu -o slope.h5 --force -s 'field="sqrt(x)"'
says 'the field or its derivative is not finite at x = 0'

# One run of a batch is not finite, in each way: the others have the bits they have without it
alone() {
    local config=$1 s set=()
    shift
    for s; do set+=(-s "$s"); done
    rm -rf with.h5* without.h5*
    expect 1 run "$config" -o with.h5 --device cpu "${set[@]}" -s 'sweep={ k = [1.0, 2.0, 0.0, 3.0, 4.0, 5.0]; }'
    expect 0 run "$config" -o without.h5 --device cpu "${set[@]}" -s 'sweep={ k = [1.0, 2.0, 3.0, 4.0, 5.0]; }'
    [ -z "$python" ] || py - >out 2>err <<'P' || fail "$config $*: a run that is not finite changes others"
import h5py, numpy
a, b = (h5py.File(name)["u"][...] for name in ("with.h5", "without.h5"))
a = a.reshape(6, -1)[[0, 1, 3, 4, 5]]
assert a.tobytes() == b.reshape(5, -1).tobytes() and numpy.isfinite(a).all()
P
}
for stepper in cpu.simd cpu.plain; do
    for how in 'forcing="1/k"' 'forcing="0.1*cos(2*pi*x)/k"' 'initial="0.1*cos(2*pi*x)/k"' \
               'initial="k == 0 ? 1e200 : 0.1*cos(2*pi*x*k)"' 'forcing="log(k)*u"'; do
        alone ch.cfg "stepper=\"$stepper\"" "$how"
    done
    for how in 'left={ dirichlet = "t/k"; }' 'right={ neumann = "t/k"; }' \
               'left={ dirichlet = "k == 0 ? 1e308 : t"; }'; do
        alone heat.cfg "stepper=\"$stepper\"" "$how"
        alone heat.cfg "stepper=\"$stepper\"" "$how" 'method="imex3"'
    done
    alone own.cfg "stepper=\"$stepper\"" 'rhs="dxx(u) + u/k"'
    alone own.cfg "stepper=\"$stepper\"" 'rhs="dxx(u) - dx(u^2)/k"'
    alone own.cfg "stepper=\"$stepper\"" 'rhs="dxx(u) + sin(x)/k"' 'method="imex3"'
done
alone waves.cfg 'forcing="sin(2*pi*x)/k"'
alone waves.cfg 'velocity.x="0.1/k"'
alone waves.cfg 'initial="sin(2*pi*x)/k"'

# Numbers that are finite and mean nothing
refused() { local what=$1; shift; expect 3 check "$@"; says "$what"; }
refused "-s: error: 'grid.length' = 1e+301: must be at most 1e+300" ch.cfg -s grid.length=1e301
sed 's/length = 1.0/length = 1e-300/' ch.cfg >short.cfg
refused "short.cfg:4: error: 'time.dt' = 0.0001: a step's coefficients are beyond all numbers: s4 = inf" short.cfg
sed 's/length = 1.0/length = 1.0; x0 = 1e16/' ch.cfg >far.cfg
refused "far.cfg:2: error: 'grid.x0' = 1e+16: points are 0.0156 apart, and numbers there 2.22: they are not" far.cfg
refused "'grid.x0' = 1e+16 in run 1 (z = 1e+16): points are" ch.cfg -s 'sweep={ z = [0.0, 1e16]; }' -s 'grid.x0="z"'
sed 's/n = 64; length = 1.0/n = [64, 64]; length = [1.0, 1.0]; x0 = [0.0, 3e14]/' waves.cfg >far2.cfg
refused "'grid.x0' = 300000000000000 of y: points are 0.0156 apart, and numbers there 0.0666: they are not" far2.cfg
says 'begin nearer to 0, or take fewer points'
refused "'grid.x0' = 1e+17 of y: points are" far2.cfg -s 'grid.x0=[0.0, 1e17]'
! grep -q 'fewer points' err || fail 'fewer points do not tell points at 1e17 apart'
expect 0 check ch.cfg -s grid.x0=1e12
expect 0 check ch.cfg --list -s 'initial="1e-308*k*x"' -s 'sweep={ k = "linspace(-1.5e308, 1.5e308, 5)"; }'
matches '^1,[0-9a-f]*,-7[.]50*1?e[+]307$'; matches '^2,[0-9a-f]*,0$'
expect 0 check ch.cfg -s grid.length=1e300; prints 'more than it may be: a smaller grid.length does'
refused "-s: error: 'time.dt' = 1e-300: time.end = 0.01 would take 1e+298 steps" ch.cfg -s time.dt=1e-300
for n in 1 4; do
    refused "-s: error: 'grid.n' = $n: the stencil of cahn_hilliard needs at least 5" ch.cfg -s grid.n=$n
done

summary
