#!/bin/bash
# Runs that take steps of their own (time.tolerance): what a config may ask for, what the file says of them, and the
# same numbers in any batch, after an interruption, and on any number of threads.
. tests/helpers/helpers.sh || exit 1

cat >own.cfg <<'END'
problem = "cahn_hilliard";
grid    = { n = 32; length = "2*pi*2"; };
physics = { D = 1.0; gamma = 1.0; };
sweep   = { a = [0.0, 0.3, 1.0]; tol = [1e-3, 1e-5]; };
time    = { tolerance = "tol"; end = 20.0; };
method  = "imex2";
initial = "0.2*cos(x)";
forcing = "a*cos(x - 0.1*t)";
output  = { file = "own.h5"; fields = { times = [0.0, 1e-3, 7.3, 20.0]; }; scalars = { every = 3.0; }; };
END

# ---- what a check and the file say
expect 0 check own.cfg --device cpu
prints 'batches  1 · each run takes steps of its own'
prints 'solver cpu.simd'
expect 0 run own.cfg --device cpu
says 'done     6 ok'
expect 0 show own.h5
prints 'steps_refused'
[ -z "$python" ] || py - <<'END' 2>err || fail 'the file of runs with steps of their own'
import h5py, numpy as np
f = h5py.File("own.h5")
assert list(f["time"][()]) == [0.0, 1e-3, 7.3, 20.0], f["time"][()]            # the times asked for, to the last bit
assert list(f["time_s"][()]) == [0, 3, 6, 9, 12, 15, 18, 20], f["time_s"][()]
names = ("steps", "steps_refused", "dt_min", "dt_max", "error_estimate")
steps, refused, least, most, error = (f[k][()] for k in names)
assert (f["t_reached"][()] == 20).all() and (steps > 10).all() and (least <= most).all() and (least > 0).all()
assert (steps[1::2] > 3*steps[0::2]).all(), steps        # a hundredth of the error: ten times as many
assert (error > 0).all() and (error[1::2] < error[0::2]/3).all(), error
u = f["u"][()]
assert np.isfinite(u).all() and np.ptp(u[0, 0]) > 0
END

# ---- a jump of an explicit term in t, wherever in a step, costs a part of the tolerance; nothing is told of it
cat >jump.cfg <<'END'
problem = "equation";
grid    = { n = 16; length = 1.0; };
rhs     = "0.01*dxx(u) - u + 0.5*(t > s)";
sweep   = { tol = [1e-3, 1e-5, 1e-7]; s = "linspace(0.9, 1.9, 41)"; };
initial = "1";
method  = "imex2";
time    = { tolerance = "tol"; end = 3.0; };
output  = { file = "jump.h5"; fields = { times = [3.0]; }; };
END
expect 0 check jump.cfg --device cpu
! grep -q '^note' out || fail "a note where nothing is missed: $(grep '^note' out)"
expect 0 run jump.cfg --device cpu
[ -z "$python" ] || py - <<'END' 2>err || fail 'imex2 does not see a jump'
import h5py, numpy as np
f = h5py.File("jump.h5")
tol, s = f["tol"][()], f["s"][()]
error = np.abs(f["u"][:, -1] - (np.exp(-3) + 0.5*(1 - np.exp(s - 3)))[:, None]).max(axis=1)/tol
assert error.max() < 0.3, error.max()     # measured: 0.1; by its stages alone 4 at 1e-3 and 488 at 1e-7
END

# ---- the same numbers in other batches, with other threads, and after an interruption
expect 0 run own.cfg --device cpu -s run.batch=1 -o batch.h5
expect 0 run own.cfg --device cpu:0 -o thread.h5
same own.h5 batch.h5
same own.h5 thread.h5
long=(-s sweep.tol=[1e-7] -s sweep.a=[0.3] -s time.end=100.0 -s run.checkpoint=0 -s 'output.fields.times=[100.0]'
      -s output.scalars.every=100.0)
expect 0 run own.cfg --device cpu "${long[@]}" -o whole.h5
stopped=0
looks=(0.02 0.01 0.006 0.003)
for try in {0..60}; do
    slowly ${looks[try]:-0} "$sweep" run own.cfg --device cpu "${long[@]}" -o parts.h5 --max-time 0.15 >out 2>&1
    code=$?
    [ $code = 0 ] && break
    stopped=$((stopped + 1))
done
[ $code = 0 ] || fail "interrupted runs do not come to their end: $(cat out)"
[ $stopped -gt 0 ] || fail 'the run was never interrupted'
same whole.h5 parts.h5

# ---- on a GPU: the same steps, and numbers that differ by rounding alone; the same bits in other batches
if "$sweep" run own.cfg --device cuda -o cuda.h5 >out 2>err; then
    says 'done     6 ok'
    expect 0 run own.cfg --device cuda -s run.batch=1 -o cuda1.h5
    same cuda.h5 cuda1.h5
    [ -z "$python" ] || py - <<'END' 2>err || fail "steps of each run's own on a GPU"
import h5py, numpy as np
a, b = h5py.File("own.h5"), h5py.File("cuda.h5")
for name in "steps", "steps_refused":
    assert (a[name][()] == b[name][()]).all(), (name, a[name][()], b[name][()])
for name in "dt_min", "dt_max", "error_estimate":       # rounding over the tolerance
    assert np.allclose(a[name][()], b[name][()], rtol=1e-8, atol=0), name
assert np.abs(a["u"][()] - b["u"][()]).max() < 1e-10
END
    for on in cpu cuda; do
        expect 0 run own.cfg --device $on -s 'output.scalars.define={ m = "max(u) + 10*t"; }' -o define_$on.h5
    done
    holds define_cpu.h5 define_cuda.h5 "np.abs(a['m'][()] - b['m'][()]).max() < 1e-10"
    long+=(-s time.end=60.0 -s 'output.fields.times=[60.0]' -s output.scalars.every=60.0)
    expect 0 run own.cfg --device cuda "${long[@]}" -o whole_gpu.h5
    for try in {1..60}; do
        "$sweep" run own.cfg --device cuda "${long[@]}" -o parts_gpu.h5 --max-time 0.15 >out 2>&1; code=$?
        [ $code = 0 ] && break
    done
    [ $code = 0 ] || fail "interrupted runs on a GPU do not come to their end: $(cat out)"
    same whole_gpu.h5 parts_gpu.h5
else
    skip_gpu "steps of each run's own"
fi

# ---- a run that cannot go on fails alone, with its time and its dt
cat >blow.cfg <<'END'
problem = "heat";
grid    = { n = 16; length = 1.0; };
physics = { kappa = 1.0; };
sweep   = { b = [0.1, 2.0]; };
time    = { tolerance = 1e-5; end = 1.0; };
method  = "imex3";
initial = "1";
forcing = "b*u^2";
output  = { file = "blow.h5"; scalars = { every = 0.25; }; };
END
expect 1 run blow.cfg --device cpu
expect 0 show blow.h5 --run 1
prints 'diverged'
prints 'however small the step: dt fell to '
prints 'at t = 0.5'
expect 0 show blow.h5 --run 0
prints 'done'

# ---- a line at rest that is switched on, and one whose jump is below rounding of the time
cat >rest.cfg <<'END'
problem = "heat";
order   = 2;
grid    = { n = 65; length = 1.0; };
physics = { kappa = 1.0; };
left    = { dirichlet = "exp(-((t - 1)/0.01)^2)"; };
right   = { dirichlet = 0.0; };
initial = "0";
method  = "imex3";
time    = { tolerance = 1e-6; end = 2.0; };
output  = { file = "rest.h5"; fields = { times = ["1", "end"]; }; };
END
expect 0 run rest.cfg --device cpu
expect 0 run rest.cfg --device cpu -s stepper=cpu.plain -o rest_plain.h5
expect 0 run rest.cfg --device cpu -s 'left={ neumann = "t > 1.4 ? 1 : 0"; }' -o rest_jump.h5
[ -z "$python" ] || py - <<'END' 2>err || fail 'a line at rest that is switched on'
import h5py, numpy as np
rest, plain, jump = (h5py.File(name) for name in ("rest.h5", "rest_plain.h5", "rest_jump.h5"))
assert abs(rest["u"][0, 0, 0] - 1) < 1e-15 and 1e-6 < np.abs(rest["u"][0, 1]).max() < 1e-3
assert abs(rest["steps"][0] - plain["steps"][0]) < 20 and rest["steps"][0] < 2000
assert np.abs(rest["u"][()] - plain["u"][()]).max() < 1e-10            # rounding over the tolerance
x = np.linspace(0, 1, 65)   # u_x = 1 on the left: on its way from 0 to x - 1, by modes cos(m x)
m = (np.arange(200) + 0.5)*np.pi
exact = x - 1 + (2/m**2*np.exp(-0.6*m**2)*np.cos(np.outer(x, m))).sum(axis=1)
assert np.abs(jump["u"][0, 1] - exact).max() < 1e-4, np.abs(jump["u"][0, 1] - exact).max()  # dx^2 m^2/12
END
hard=(-s 'left={ neumann = "t > 1.4 ? 1 : 0"; }' -s time.tolerance=1e-14 -s 'output.fields.times=["end"]' -o hard.h5)
expect 1 run rest.cfg --device cpu "${hard[@]}"
expect 0 show hard.h5 --run 0
prints 'not within the tolerance at t = 1.4 however small the step: dt fell to '
prints 'u has a pole, or is small and jumps: give time.tolerance_absolute'
expect 1 run rest.cfg --device cpu --force "${hard[@]}" -s time.tolerance_absolute=1e-40
expect 0 show hard.h5 --run 0
prints 'u has a pole, or is small and jumps: raise time.tolerance_absolute'

# ---- what is refused
refused() {  # MESSAGE OVERRIDE...
    local message=$1; shift
    local args=(); for o in "$@"; do args+=(-s "$o"); done
    expect 3 check own.cfg --device cpu "${args[@]}"
    says "$message"
}
refused "'time.tolerance' = 0.001 in run 0 (a = 0): it needs a method that estimates its errors, method = " \
    time.tolerance=0.001 method=imex1 'sweep={ a = [0.0]; }'
refused "'time.tolerance' = 0: must be at least 1e-14" time.tolerance=0.0 'sweep={ a = [0.0]; }'
refused "'accuracy.runs' needs steps that can be halved" accuracy.runs=2
refused "'time.tolerance_absolute' = -1e-09: must be at least 0" time.tolerance_absolute=-1e-9
refused "'time.tolerance_absolute' adds to time.tolerance, which is not given: give both, or time.dt alone" \
    'time={ dt = 0.1; end = 20.0; tolerance_absolute = 1e-9; }' 'sweep={ a = [0.0]; }'
refused "'time.dt_max' bounds the steps of time.tolerance, which is not given: give both, or time.dt alone" \
    'time={ dt = 0.1; end = 20.0; dt_max = 1.0; }' 'sweep={ a = [0.0]; }'
refused "'time.dt_max' = 0: must be greater than 0" time.dt_max=0.0
refused "'time.dt_max' = -1 in run 3 (a = 0.3, tol = 1e-05): must be greater than 0" \
    'time.dt_max=a > 0.2 && tol < 1e-4 ? -1 : 1'
refused "'time.dt_max' = inf: must be finite" 'time.dt_max=1/0'
refused "rand and randn are drawn anew at each step" 'forcing=a*randn(1)'
refused "unknown name 'dt'" 'define={ h = "dt"; }'
refused "'time.tolerance' = 0.0001, its default in run 0 (a = 0): it needs a method that estimates its errors, " \
    'time={ end = 1.0; }' 'sweep={ a = [0.0]; }' method=imex1
expect 3 check own.cfg --device cpu -s stepper=cpu.simd -s run.precision=single
says '-s: error: stepper cpu.simd: it does not do these runs in single precision; set run.precision = "double"'
expect 0 check own.cfg --device cpu -s run.precision=single
prints ": stepper: no row takes steps of each run's own on this device in single precision; give time.dt, without "

# ---- a longer run lands elsewhere: it is another one, and states to lengthen it from are refused beforehand
expect 0 run own.cfg --device cpu -o end.h5
expect 5 run own.cfg --device cpu -s time.end=30.0 -o end.h5; says 'holds another sweep (time.end 20.0 -> 30.0)'
for command in check run; do
    expect 3 $command own.cfg --device cpu -s output.state=true
    says "-s: error: 'output.state' is for a longer sweep, and where runs choose their steps there is none"
done

# ---- what `check` says: no time, and why; what ends and forces bring is a number for each of 64 windows
cat >plan.cfg <<'CFG'
problem = "heat"; method = "imex2"; physics = { kappa = 1.0; }; grid = { n = 32; length = 1.0; };
initial = "cos(2*pi*x)";
forcing = "sin(t)*cos(2*pi*x)"; time = { tolerance = 1e-4; end = 1.0; }; run = { device = "cpu"; };
output = { scalars = { times = "linspace(0, 1, 2)"; }; };
CFG
expect 0 check plan.cfg
prints 'time     not estimated: each run takes as many steps as its error asks for'
if [ -n "$python" ]; then
    for row in cpu.simd cpu.plain; do
        for times in 2 65 1001; do
            expect 0 check plan.cfg --json -s "stepper=\"$row\"" -s "output.scalars.times=\"linspace(0, 1, $times)\""
            py -c 'import json; print(json.load(open("out"))["plan"]["bytes_run"])' >bytes$times
        done
        [ $(($(cat bytes65) - $(cat bytes2))) = $((63 * 8)) ] && cmp bytes65 bytes1001 ||
            fail "$row: bytes a run of 1, 64 and 1000 output times: $(cat bytes2 bytes65 bytes1001)"
    done
fi

# ---- without time.dt steps are a run's own, as if the config said what `check` prints
cat >left_out.cfg <<'CFG'
problem = "heat"; physics = { kappa = 1.0; }; grid = { n = 64; length = 1.0; }; time = { end = 0.05; };
initial = "cos(2*pi*x)"; exact = "exp(-4*pi^2*t)*cos(2*pi*x)";
output = { file = "left_out.h5"; scalars = { every = 0.01; }; };
CFG
of_check() { expect 0 check "$@" --device cpu; prints "steps    time.dt is left out: $says"; }
says='each run chooses them, with time.tolerance = 1e-4, method = imex3'; of_check left_out.cfg
said=(-s 'time={ tolerance = 1e-4; end = 0.05; }' -s method=imex3)
expect 0 check left_out.cfg --device cpu "${said[@]}"; grep -q '^steps ' out && fail 'a default that is given'
expect 0 run left_out.cfg --device cpu
expect 0 run left_out.cfg --device cpu "${said[@]}"; says 'nothing to do'  # the same ids
[ -z "$python" ] || py - <<'END' 2>err || fail 'without time.dt'
import h5py
f = h5py.File("left_out.h5")
assert f["err_max"][0] < 1e-4 and f["dt_max"][0] > 2*f["dt_min"][0], (f["err_max"][0], f["dt_max"][0], f["dt_min"][0])
END
cat >left_out.cfg <<'CFG'
problem = "equation"; rhs = "dxx(u) - u^3"; grid = { n = 64; length = 1.0; }; time = { end = 0.05; };
initial = "cos(2*pi*x)";
CFG
of_check left_out.cfg
says='each run chooses them, with time.tolerance = 1e-4, method = imex2'
of_check left_out.cfg -s 'implicit=2*dxx(u)'
expect 0 check left_out.cfg --device cpu -s time.tolerance=1e-4; prints 'method   imex2: '
cat >left_out.cfg <<'CFG'
problem = "advection"; velocity = { x = 1.0; }; grid = { n = 64; length = 1.0; }; time = { end = 1.0; };
initial = "cos(2*pi*x)";
CFG
says='the largest that are stable, with time.cfl = 0.5, method = rk4'; of_check left_out.cfg
prints ' · 128 steps a run'

# ---- an equilibrium that is not stable: what is far below the tolerance grows. u(t) from 0.2 + 1e-8 is known in
# quadrature, 0.05 t = [-5 ln u + 6.25 ln(u - 0.2) - 1.25 ln(1 - u)], and is 1/2 at t = 2072.2; with x it is 1 in the
# end, as 1 invades 0 where the middle state is below 1/2
cat >unstable.cfg <<'CFG'
problem = "equation"; rhs = "0.001*dxx(u) + 0.05*u*(u - 0.2)*(1 - u)"; grid = { n = 32; length = "2*pi"; };
sweep = { tol = [1e-2, 1e-4, 1e-6]; method = ["imex2", "imex3"]; wave = [0, 1]; };
method = "$method"; time = { tolerance = "tol"; end = 6000.0; };
initial = "0.2 + 1e-8*cos(wave*x)"; output = { file = "unstable.h5"; fields = { times = [2072.2095, 6000.0]; }; };
CFG
for row in cpu.simd cpu.plain; do
    expect 0 run unstable.cfg --device cpu --force -s stepper=$row
    [ -z "$python" ] || py - <<'END' 2>err || fail "an unstable equilibrium, $row"
import h5py, numpy as np
f = h5py.File("unstable.h5")
u, wave = f["u"][()], f["wave"][()]
assert np.abs(u[:, 1] - 1).max() < 0.01, u[:, 1].min()
assert np.abs(u[wave == 0, 0] - 0.5).max() < 0.05, u[wave == 0, 0, 0]
END
done
summary
