#!/bin/bash
# Runs that end early, by stop.steady and stop.when, as a user meets them: when, what is stored, stopped and resumed,
# lengthened, refused. SWEEP is the program.
cd "$(dirname "$0")/../../.." || exit 1
. tests/helpers/helpers.sh || exit 1

cat >heat.cfg <<'CFG'
problem = "heat";
grid    = { n = 32; length = "2*pi"; };
physics = { kappa = "k"; };
time    = { dt = 0.01; end = 20.0; };
sweep   = { k = [0.05, 0.5, 1.0, 2.0, 4.0, 8.0]; s = [1e-3, 1e-5]; };
stop    = { steady = "s"; when = "max(u) > 3*s*1e3 + 1"; every = 0.5; };
initial = "1 + cos(x) + 0.5*sin(2*x)";
exact   = "1 + exp(-kappa*t)*cos(x) + 0.5*exp(-4*kappa*t)*sin(2*x)";
output  = { fields  = { times = "linspace(0, end, 5)"; };
            scalars = { every = 2.5; define = { span = "max(u) - min(u)"; late = "t*mean(u)"; }; }; };
run     = { device = "cpu"; };
CFG

# ---- when: as of fields that are saved at every look of runs that do not end early; and what is stored then
looks=(-s 'stop={ when="0"; every=0.5; }' -s 'output.fields.times="linspace(0, end, 41)"'
       -s 'exact="s"' -s output.scalars.every=0.5)
cat >check_stop.py <<'PYTHON'
import sys, h5py, numpy as np
f, whole = h5py.File(sys.argv[1]), h5py.File(sys.argv[2])
t, s, seen = whole["time"][:], f["s"][:], set()
words = f["stopped"].attrs["flag_meanings"].split()
assert words == ["no", "steady", "when"] and list(f["stopped"].attrs["flag_values"]) == [0, 1, 2]
assert (f["status"][:] == 1).all() and (whole["stopped"][:] == 0).all()
for run in range(len(s)):
    u, why, end = whole["u"][run], "no", len(t) - 1
    for k in range(1, len(t)):
        size = np.abs(u[k]).max()
        if u[k].max() > 3*s[run]*1e3 + 1: why, end = "when", k
        elif np.abs(u[k] - u[k - 1]).max() <= s[run]*(t[k] - t[k - 1])*size: why, end = "steady", k
        if why != "no": break
    assert words[f["stopped"][run]] == why, (run, why)
    assert f["t_reached"][run] == t[end] and f["steps"][run] == round(t[end]/0.01), (run, f["t_reached"][run])
    seen.add(why)
    # fields, and scalars of the problem and of the user's own, after the end: those of the end
    for k, time in enumerate(f["time"][:]):
        assert np.array_equal(f["u"][run, k], u[min(np.flatnonzero(t == time)[0], end)]), (run, k)
    for name in "mass", "energy", "u_min", "u_max", "span", "late":
        for k, time in enumerate(f["time_s"][:]):
            at = min(np.flatnonzero(t == time)[0], end)
            assert f[name][run, k] == whole[name][run, at], (name, run, k)
    # the error is that of the end: dt^2 of Crank-Nicolson and dx^4, where it has not decayed
    x, k = f["x"][:], f["k"][run]
    exact = 1 + np.exp(-k*t[end])*np.cos(x) + 0.5*np.exp(-4*k*t[end])*np.sin(2*x)
    assert abs(np.abs(u[end] - exact).max() - f["err_max"][run]) < 1e-14, run
assert seen == {"no", "steady", "when"}, seen
PYTHON
expect 0 run heat.cfg "${looks[@]}" -o looks.h5
expect 0 run heat.cfg -o heat.h5; says ' stopped early'
[ -z "$python" ] || py check_stop.py heat.h5 looks.h5 2>err || fail heat.h5
expect 0 show heat.h5; matches 'heat · 12 runs · [0-9]+ stopped early \([0-9]+ steady, [0-9]+ when\)'; prints 'steady'
expect 0 show heat.h5 --csv; prints ',stopped,'
expect 0 show heat.h5 --json; prints '"stopped": "steady"'; is_json out
expect 0 show heat.h5 --run 11; matches '^stopped +(steady|when)$'

# ---- in any batch, by any number of threads: the same bits. Fields in single precision are the rounded ones
for batch in 1 5; do
    expect 0 run heat.cfg -s run.batch=$batch -j 1 -o batch.h5
    same heat.h5 batch.h5
    rm -f batch.h5
done
expect 0 run heat.cfg -s output.fields.precision=single -o single.h5
[ -z "$python" ] || py -c '
import h5py, numpy as np
a, b = h5py.File("heat.h5"), h5py.File("single.h5")
assert np.array_equal(a["u"][:].astype("f"), b["u"][:]) and np.array_equal(a["stopped"], b["stopped"])
' 2>err || fail single.h5

# ---- steps of each run's own; several unknowns; advection, with what it records; all runs end early
cat >own.cfg <<'CFG'
problem  = "equation";
unknowns = ["u", "v"];
method   = "imex2";
rhs      = { u = "dxx(u) + u - u^3"; v = "0.1*dxx(v) + c*u - v"; };
initial  = { u = "0.5 + 0.1*cos(2*pi*x/length)"; v = "0"; };
sweep    = { c = [0.0, 0.5, 1.0, 2.0]; };
grid     = { n = 32; length = 20.0; };
time     = { tolerance = 1e-6; end = 200.0; };
stop     = { steady = 1e-8; when = "min(v) > 1.5"; every = 1.0; };
output   = { fields = { times = "linspace(0, end, 3)"; }; scalars = { every = 25.0; define = { m = "mean(u*v)"; }; }; };
run      = { device = "cpu"; };
CFG
expect 0 run own.cfg -o own.h5; says '4 ok · 4 stopped early'
expect 0 run own.cfg -o own1.h5 -s run.batch=3 -j 1; same own.h5 own1.h5
[ -z "$python" ] || py -c '
import h5py, numpy as np
f = h5py.File("own.h5")
assert list(f["stopped"]) == [1, 1, 1, 2] and (f["t_reached"][:] < 40).all() and (f["dt_max"][:] > 0).all()
assert (f["steps"][:] > 100).all() and (np.diff(f["u"][:, 1:], axis=1) == 0).all()
assert np.abs(f["u"][:3, -1] - 1).max() < 1e-7 and np.abs(f["v"][2, -1] - 1).max() < 1e-7
assert (f["v"][3, -1] > 1.5).all() and (f["v"][3, -1] < 1.9).all()  # a look after v = 1.5: v tends to 2
' 2>err || fail own.h5
cat >advection.cfg <<'CFG'
problem  = "advection";
grid     = { n = [24, 16]; length = "2*pi"; };
velocity = { x = "1"; y = "sin(x)"; };
physics  = { nu = "d"; };
time     = { cfl = 0.9; end = 12.0; };
sweep    = { d = [0.1, 1.0, 2.0, 4.0]; };
initial  = "2 + sin(x)*cos(y)";
stop     = { steady = 1e-7; };
output   = { fields = { times = "linspace(0, end, 3)"; }; scalars = { every = 0.5; define = { m = "mean(u^2)"; }; }; };
run      = { device = "cpu"; };
CFG
expect 0 run advection.cfg -o advection.h5; says 'stopped early'
expect 0 run advection.cfg -o advection1.h5 -s run.batch=3 -j 1; same advection.h5 advection1.h5
expect 0 run advection.cfg -o never.h5 -s 'stop={ when="0"; }'
[ -z "$python" ] || py -c '
import h5py, numpy as np
f, whole = h5py.File("advection.h5"), h5py.File("never.h5")
assert f["stopped"][0] == 0 and f["stopped"][3] == 1 and (whole["stopped"][:] == 0).all()
for run in range(4):
    t = np.array(f["t_s"][run])
    k = np.flatnonzero(t >= f["t_reached"][run]*(1 - 1e-9))[0]  # steps differ from run to run: looks and series agree
    for name in "courant", "mass", "m":
        assert np.array_equal(f[name][run, :k + 1], whole[name][run, :k + 1]), (name, run)
        assert (f[name][run, k:] == f[name][run, k]).all(), (name, run)
' 2>err || fail advection.h5
if "$sweep" run heat.cfg --device cuda -o cuda.h5 >out 2>err; then
    [ -z "$python" ] || py -c '
import h5py, numpy as np
a, b = h5py.File("heat.h5"), h5py.File("cuda.h5")
assert np.array_equal(a["stopped"], b["stopped"]) and np.array_equal(a["t_reached"], b["t_reached"])
assert np.abs(a["u"][:] - b["u"][:]).max() < 1e-12
' 2>err || fail 'on a GPU'
    expect 0 run own.cfg --device cuda -o cuda1.h5; says '4 ok · 4 stopped early'
    expect 0 run own.cfg --device cuda -s run.batch=3 -o cuda2.h5; same cuda1.h5 cuda2.h5
    [ -z "$python" ] || py -c '
import h5py, numpy as np
a, b = h5py.File("own.h5"), h5py.File("cuda1.h5")
for name in "stopped", "t_reached", "steps", "steps_refused":
    assert np.array_equal(a[name], b[name]), name
for name in "dt_min", "dt_max", "error_estimate", "u", "v", "m":
    assert np.abs(a[name][:] - b[name][:]).max() < 1e-8, name  # rounding over the tolerance of 1e-6, of errors and dt
' 2>err || fail "steps of each run's own on a GPU"
else
    skip_gpu 'runs that end early'
fi

# ---- stopped and resumed, before and after runs have ended early: the same bits
long=(-s time.dt=0.00001 -s stop.every=0.3 -s output.scalars.every=0.25)
expect 0 run heat.cfg "${long[@]}" -o whole.h5
stops=0
while [ $stops -lt 12 ] && ! slowly 0.0$((12 - stops)) "$sweep" run heat.cfg "${long[@]}" \
    -o parts.h5 --max-time 0.2s >out 2>err; do
    stops=$((stops + 1))
done
[ $stops -gt 0 ] || fail 'it was too fast to be stopped'
[ ! -e parts.h5.d ] || expect 0 resume parts.h5
same whole.h5 parts.h5
expect 0 run own.cfg -s time.tolerance=1e-9 -s run.batch=2 -o whole2.h5
while ! "$sweep" run own.cfg -s time.tolerance=1e-9 -s run.batch=2 -o parts2.h5 --max-time 0.1s >out 2>err; do
    [ $((stops += 1)) -lt 60 ] || break
done
same whole2.h5 parts2.h5

# ---- lengthened: runs that have ended early stay so; those that have not may
state=(-s output.state=true -s 'output.fields.times=[0.0, 5.0]')
expect 0 run heat.cfg "${state[@]}" -s time.end=5.0 -o longer.h5
expect 0 run heat.cfg "${state[@]}" -o longer.h5; says '12 runs of longer.h5 continue from where they ended'
expect 0 run heat.cfg "${state[@]}" -o at_once.h5; same longer.h5 at_once.h5
expect 0 run heat.cfg "${state[@]}" -o longer.h5; says 'nothing to do'

# ---- shards; what decides the numbers of a run: the condition and the looks, wherever these are given
for k in 1 2; do expect 0 run heat.cfg -o s.h5 --shard $k/2; done
expect 0 merge s.shard-*.h5 -o merged.h5; same heat.h5 merged.h5
expect 0 run heat.cfg -o heat.h5; says 'nothing to do'
expect 0 run heat.cfg -o heat.h5 -s 'stop.when="max( u )>3*s*1e3+1"'; says 'nothing to do'
expect 5 run heat.cfg -o heat.h5 -s 'stop.when="max(u) > 2*s*1e3 + 1"'; says 'another sweep (stop.when '
expect 5 run heat.cfg -o heat.h5 -s stop.every=0.25; says 'another sweep (stop.every '
expect 0 run heat.cfg -o every.h5 -s 'stop={ steady="s"; every=2.5; }'
expect 0 run heat.cfg -o every.h5 -s 'stop={ steady="s"; }'; says 'nothing to do'
expect 5 run heat.cfg -o every.h5 -s 'stop={ steady="s"; }' -s output.scalars.every=1.25

# ---- a run that diverges has diverged, and is no run that has ended early
expect 1 run "$top/configs/tiny_diverge.cfg" --device cpu -o bad.h5 \
    -s 'stop={ steady=1e-12; when="max(u) > 1e300"; every=0.1; }'
expect 1 run "$top/configs/tiny_diverge.cfg" --device cpu -o bad2.h5
[ -z "$python" ] || py -c '
import h5py, numpy as np
f, whole = h5py.File("bad.h5"), h5py.File("bad2.h5")
assert (f["status"][:] == 2).any() and not f["stopped"][:].any()
for name in set(whole) - {"run_id", "wall_time", "provenance"}:
    equal_nan = whole[name].dtype.kind == "f"
    assert np.array_equal(f[name][:], whole[name][:], equal_nan=equal_nan), name
' 2>err || fail bad.h5

# ---- a state that changes its sign each step is not steady, though looks are an even number of steps apart: in any
# batch, by any threads, stopped and resumed. Runs beside it that are steady end
cat >flip.cfg <<'CFG'
problem = "heat";
grid    = { n = 64; length = "2*pi"; };
physics = { kappa = 1e4; };
time    = { dt = 0.5; end = 60.0; };
sweep   = { a = [0.0, 1e-12, 0.5]; q = [32.0, 1.0]; };
initial = "1 + a*cos(32*x)*(q > 9)";
stop    = { steady = 1e-6; every = 10.0; };
run     = { device = "cpu"; };
output  = { fields = { times = "linspace(0, end, 5)"; }; scalars = { every = 10.0; define = { top = "max(u)"; }; }; };
CFG
for row in cpu.simd cpu.plain; do
    on=(-s "stepper=\"$row\"")
    expect 0 run flip.cfg "${on[@]}" --force -o flip.h5; says '6 ok · 5 stopped early'
    expect 0 run flip.cfg "${on[@]}" --force -s 'stop={ when="0"; every=1.0; }' -o on.h5
    for batch in 1 4; do
        expect 0 run flip.cfg "${on[@]}" -s run.batch=$batch -j 1 -o flip1.h5; same flip.h5 flip1.h5
        rm -f flip1.h5
    done
    [ -z "$python" ] || py -c '
import h5py, numpy as np
f, on = h5py.File("flip.h5"), h5py.File("on.h5")
assert list(f["stopped"]) == [1, 1, 1, 1, 0, 1], f["stopped"][:]
assert list(f["t_reached"]) == [10, 10, 10, 10, 60, 10], f["t_reached"][:]
for name in "mass", "energy", "top":
    for run in range(6):
        last = 6 if run == 4 else 1
        assert np.array_equal(f[name][run, :last + 1], on[name][run, :last + 1]), (name, run)
assert np.array_equal(f["u"][4], on["u"][4])
' 2>err || fail "a sign that changes each step, by $row"
done
long=(-s time.dt=0.000025 -s physics.kappa=1e9 -s output.scalars.every=1.0 -s stop.every=0.05)
expect 0 run flip.cfg "${long[@]}" -o whole3.h5; says '6 ok · 5 stopped early'
stops=0
while ! slowly $((stops < 4 ? 1 : 0))e-2 "$sweep" run flip.cfg "${long[@]}" -o parts3.h5 --max-time 0.1s >out 2>err; do
    [ $((stops += 1)) -lt 60 ] || break
done
[ $stops -gt 0 ] || fail 'it was too fast to be stopped'
same whole3.h5 parts3.h5
# a wave that is back where it was at each look is not at rest, with steps of its own, too
cat >wave.cfg <<'CFG'
problem = "equation";
rhs     = "-dx(u) - c*(u - cos(2*pi*x))";
method  = "imex3";
grid    = { n = 32; length = 1.0; };
time    = { dt = 0.01; end = 40.0; };
sweep   = { c = [0.0, 5.0]; };
initial = "1 + sin(2*pi*x)";
stop    = { steady = 1e-2; every = 1.0; };
run     = { device = "cpu"; };
CFG
for own in '' 'time={ tolerance=1e-7; end=40.0; }'; do
    expect 0 run wave.cfg ${own:+-s "$own"} --force -o wave.h5
    expect 0 show wave.h5 --csv; grep -q '^0,0,done,no,40,' out && grep -q '^1,5,done,steady,' out || fail 'a wave'
done
# nor is it with steps so short that one moves it less than `steady` allows in the time between two looks; what is at
# rest, or whose rate has fallen to `steady`, is found at the same look with all of them
for dt in 0.01 0.001 0.0002; do
    expect 0 run wave.cfg -s grid.n=256 -s time.end=3.0 -s time.dt=$dt --force -o wave.h5
    expect 0 show wave.h5 --csv
    grep -q '^0,0,done,no,3,' out && grep -q '^1,5,done,steady,3,' out || fail "a wave with dt = $dt"
done
cat >turn.cfg <<'CFG'
problem  = "advection";
grid     = { n = [32, 8]; length = 1.0; };
velocity = { x = "v"; };
physics  = { nu = 0.0; };
time     = { dt = 0.001; end = 4.0; };
sweep    = { v = [0.0, 1.0]; };
initial  = "2 + sin(2*pi*x)";
stop     = { steady = 1e-1; every = 1.0; };
run      = { device = "cpu"; };
CFG
for dt in 0.001 0.0002; do
    expect 0 run turn.cfg -s time.dt=$dt --force -o turn.h5
    expect 0 show turn.h5 --csv; grep -q '^0,0,done,steady,1,' out && grep -q '^1,1,done,no,4,' out || fail "dt = $dt"
done
cat >decay.cfg <<'CFG'
problem  = "equation";
rhs      = "q*dxx(u)";
method   = "imex2";
grid     = { n = 32; length = "2*pi"; };
time     = { dt = 0.01; end = 40.0; };
sweep    = { q = [0.5, 1.0]; };
initial  = "1 + 0.5*sin(x)";
stop     = { steady = 1e-6; every = 1.0; };
run      = { device = "cpu"; };
CFG
# 0.5 exp(-q t) (exp(q) - 1) has fallen to 1e-6 at t = 25.4 and 13.7; with a tolerance u has other errors than that
for steps in 'dt=0.01;' 'dt=0.001;' 'dt=0.0001;' 'tolerance=1e-6;' 'tolerance=1e-9;'; do
    expect 0 run decay.cfg -s "time={ $steps end=40.0; }" --force -o decay.h5
    expect 0 show decay.h5 --csv
    grep -q '^0,0.5,done,steady,26,' out && grep -q '^1,1,done,steady,14,' out || fail "a decay with $steps"
done
# what the step ahead puts back is all there, also what a state alone does not hold: the Courant numbers of advection
expect 0 run advection.cfg -s stop.steady=1e-5 -o ahead.h5
[ -z "$python" ] || py -c '
import h5py, numpy as np
f, whole = h5py.File("ahead.h5"), h5py.File("never.h5")
assert (f["stopped"][:] == 1).sum() > 1
for run in range(4):
    k = np.flatnonzero(np.array(f["t_s"][run]) >= f["t_reached"][run]*(1 - 1e-9))[0]
    for name in "courant", "mass", "m":
        assert np.isfinite(f[name][run]).all(), (name, run)
        assert np.array_equal(f[name][run, :k + 1], whole[name][run, :k + 1]), (name, run)
' 2>err || fail 'what advection has after a step ahead'

# ---- a condition that is NaN: the run fails, and says when; comparisons and logic do not hide it
cat >nan.cfg <<'CFG'
problem = "heat";
grid    = { n = 32; length = "2*pi"; };
physics = { kappa = 1.0; };
sweep   = { m = [0.3, 1.05, 2.5, 5.0]; };
time    = { dt = 0.01; end = 2.0; };
initial = "m + cos(x)";
stop    = { when = "log(mean(u) - t) > 1.5"; every = 0.1; };
run     = { device = "cpu"; };
output  = { fields = { times = "linspace(0, end, 5)"; }; scalars = { every = 0.5; define = { w = "mean(u)"; }; }; };
CFG
cat >check_nan.py <<'PYTHON'
import sys, h5py, numpy as np
f = h5py.File(sys.argv[1])
t = f["t_reached"][:]
assert list(f["status"]) == [3, 3, 1, 1] and list(f["stopped"]) == [0, 0, 0, 2], f["stopped"][:]
assert abs(t[0] - 0.35) < 0.06 and abs(t[1:] - [1.1, 2.0, 0.1]).max() < 1e-12, t
for name, time in ("u", f["time"][:]), ("w", f["time_s"][:]), ("mass", f["time_s"][:]):
    for run in range(4):  # up to its end a failed run has its numbers, and NaN from then on
        bad = np.isnan(f[name][run].reshape(len(time), -1)).any(axis=1)
        assert np.array_equal(bad, (time > t[run] + 1e-9) & (run < 2)), (name, run, bad)
PYTHON
for steps in fixed own; do
    own=()
    [ $steps = fixed ] || own=(-s 'time={ tolerance=1e-6; end=2.0; }' -s 'method="imex2"')
    expect 1 run nan.cfg "${own[@]}" -o nan_$steps.h5
    says '2 failed (run 0: stop.when is NaN at t = 0.'; says '; run 1: stop.when is NaN at t = 1.1: log(mean(u) - t) > '
    expect 1 run nan.cfg "${own[@]}" -s run.batch=3 -j 1 -o nan1.h5; same nan_$steps.h5 nan1.h5
    rm -f nan1.h5
    [ -z "$python" ] || py check_nan.py nan_$steps.h5 2>err || fail "a condition that is NaN, with $steps steps"
done
expect 0 show nan_fixed.h5; matches 'error +no +1.1 .*stop.when is NaN at t = 1.1: log\(mean\(u\) - t\) > 1.5'
expect 0 run nan.cfg -s 'stop.when="mean(u) > t && log(mean(u) - t) > 1.5"' -o decided.h5
says '4 ok · 1 stopped early'
expect 1 run nan.cfg -s 'stop.when="log(mean(u) - 9)"' -o all.h5; says '4 failed'; says 'at t = 0.1: log(mean(u) - 9)'
long=(-s time.dt=0.000001 -s stop.every=0.3 -s output.scalars.every=0.25)
expect 1 run nan.cfg "${long[@]}" -o whole4.h5
stops=0
until slowly $((stops < 4 ? 1 : 0))e-2 "$sweep" run nan.cfg "${long[@]}" \
    -o parts4.h5 --max-time 0.1s >out 2>err || [ $? = 1 ]; do
    [ $((stops += 1)) -lt 60 ] || break
done
[ $stops -gt 0 ] || fail 'it was too fast to be stopped'
same whole4.h5 parts4.h5

# ---- looks closer to each other than the steps of a run, where runs differ in them: one a step
expect 0 run nan.cfg -s 'stop={ when="mean(u) > 2"; every="gap"; }' -s 'sweep.gap=[0.0001,0.004,0.5]' -o close.h5
[ -z "$python" ] || py -c '
import h5py
f = h5py.File("close.h5")
assert list(f["stopped"]) == 6*[0] + 6*[2] and list(f["t_reached"][6:]) == [0.01, 0.01, 0.5]*2, f["t_reached"][:]
' 2>err || fail 'looks closer than steps'

# ---- the same on a GPU
if "$sweep" run flip.cfg --device cuda -o cuda3.h5 >out 2>err; then
    says '6 ok · 5 stopped early'
    expect 0 run flip.cfg --device cuda -s run.batch=4 -o cuda4.h5; same cuda3.h5 cuda4.h5
    expect 1 run nan.cfg --device cuda -o cuda5.h5; says '; run 1: stop.when is NaN at t = 1.1: log(mean(u) - t) > 1.5)'
    [ -z "$python" ] || py check_nan.py cuda5.h5 2>err || fail 'a condition that is NaN, on a GPU'
else
    skip_gpu 'a sign that changes each step'
fi

# ---- pictures show the last state of runs that have ended early
if [ -n "$python" ] && py -c 'import matplotlib' 2>/dev/null; then
    expect 0 plot heat.h5 --kind heatmap --of span --over k,s -o span.png
    expect 0 plot heat.h5 --kind lines --of span -o lines.png
fi

# ---- what is refused: where, and what to do
refused() {  # STOP MESSAGE...
    { grep -v '^stop' heat.cfg | sed 's/^output.*/output  = { fields = { times = [0.0]; };/; s/^ *scalars.*/};/'
      echo "stop = { $1 };"; } >bad.cfg
    expect 3 check bad.cfg
    shift
    says 'bad.cfg:1'; says ': error: '
    for message in "$@"; do says "$message"; done
}
refused 'every = 1.0;' "'stop' does not say why: add steady = 1e-8"
refused 'steady = 1e-8;' "'stop' does not say when to look at the runs: add every"
refused 'steady = 0.0; every = 1.0;' "'stop.steady' = 0: must be greater than 0"
refused 'steady = 1e-8; every = -1.0;' "'stop.every'" 'the time between two entries must be positive and finite'
refused 'steady = 1e-8; every = 30.0;' "'stop.every': the run would first be looked at at t = 30 and ends at 20"
expect 3 check heat.cfg -s output.scalars.every=30.0 -s 'stop={ steady="s"; }'
says "'output.scalars.every': the run would first be looked at at t = 30 and ends at 20: nothing stops it early"
expect 3 check heat.cfg -s time.end=T -s sweep.T=[0.2,20.0]; says "'stop.every' in run 0"
expect 3 check own.cfg -s stop.every=300.0; says "'stop.every': the run would first be looked at at t = 300"
expect 0 check heat.cfg -s stop.every=20.0
refused 'stedy = 1e-8; every = 1.0;' "unknown key 'stop.stedy'; did you mean 'steady'?"
refused 'when = "u > 10"; every = 1.0;' "'stop.when', column 1: 'u' is a field"
refused 'when = "max(w) > 10"; every = 1.0;' "unknown name 'w'" '    max(w) > 10'
refused 'when = 10; every = 1.0;' "'stop.when' must be an expression in quotes"
expect 3 check heat.cfg -s stop=1; says "'stop' is a group"
expect 3 check "$top/configs/tiny_bvp.cfg" -s 'stop={ steady=1e-8; every=1.0; }'; says "unknown key 'stop"
expect 0 explain stop.steady; prints 'ends early'
expect 0 check heat.cfg; prints 'stop     every 0.5: where a run is steady to s, or max(u) > 3*s*1e3 + 1'
summary
