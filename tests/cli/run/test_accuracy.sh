#!/bin/bash
# The accuracy of a sample of runs, told with the results: estimates against known errors, which runs, what is told.
# SWEEP is the program.
cd "$(dirname "$0")/../../.." || exit 1
. tests/helpers/helpers.sh || exit 1

cat >wave.cfg <<'CFG'
problem  = "equation";
rhs      = "-dx(u) + 0.05*dxx(u) - u + u*cos(0*x)^3";
sweep    = { m = [1.0, 2.0, 3.0, 4.0, 5.0]; };
grid     = { n = 64; length = "2*pi"; };
time     = { dt = 0.0125; end = 1.0; };
method   = "imex1";
initial  = "sin(m*x)";
exact    = "exp(-0.05*m^2*t)*sin(m*(x - t))";
accuracy = { runs = 5; };
run      = { device = "cpu"; };
output   = { fields = { times = [1.0]; }; };
CFG
# ---- the estimates of both errors come to the difference from the exact solution, to terms of a higher order
expect 0 run wave.cfg -o wave.h5
says 'accuracy 5 runs computed again: estimated errors at most'
expect 0 show wave.h5; prints 'error_time  error_space'
[ -z "$python" ] || py - >out 2>err <<'PY' || fail 'estimates'
import h5py, numpy as np
f = h5py.File("wave.h5")
both = f["error_time"][:] + f["error_space"][:]  # both turn the wave back
print(both, f["err_l2"][:])
assert (abs(both/f["err_l2"][:] - 1) < 0.05).all(), both/f["err_l2"][:]
PY
# ---- a sample is one of each equal share, whatever the batches; the others have none
for batch in 1 5; do
    expect 0 run wave.cfg -o few.h5 --force -s accuracy.runs=2 -s run.batch=$batch
    [ -z "$python" ] || py - >out 2>err <<'PY' || fail "the sample with run.batch = $batch"
import h5py, numpy as np
f, g = h5py.File("few.h5"), h5py.File("wave.h5")
some = np.isfinite(f["error_time"][:])
assert some[:2].sum() == 1 and some[2:].sum() == 1 and (np.isfinite(f["error_space"][:]) == some).all()
for name in "error_time", "error_space":
    assert (f[name][some] == g[name][some]).all()
assert (f["u"][:] == g["u"][:]).all() and (f["run_id"][:] == g["run_id"][:]).all()
PY
done
# ---- where the shares are whole rows of the last axis the sample has many of its values
cat >rows.cfg <<'CFG'
problem  = "equation";
rhs      = "F - k*u^3";
sweep    = { F = "linspace(0, 1, 20)"; k = "linspace(0, 50, 20)"; };
grid     = { n = 8; length = 1.0; };
time     = { dt = 0.0625; end = 0.125; };
method   = "imex1";
initial  = "1";
accuracy = { runs = 10; };
run      = { device = "cpu"; };
CFG
expect 0 run rows.cfg -o rows.h5
[ -z "$python" ] || py - >out 2>err <<'PY' || fail 'the sample of two axes'
import h5py, numpy as np
some = np.isfinite(h5py.File("rows.h5")["error_time"][:])
place = np.flatnonzero(some)
print(place)
assert (place // 40 == range(10)).all()      # one of each share
assert len(set(place % 20)) > 5              # of 20 values of k
PY
# ---- without the key there is no such column, and the file goes on with it
expect 0 run wave.cfg -o plain.h5 -s accuracy.runs=0
[ -z "$python" ] || py -c 'import h5py; assert "error_time" not in h5py.File("plain.h5")' || fail 'a column'
expect 0 run wave.cfg -o plain.h5 -s 'sweep.m=[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]' -s accuracy.runs=6
[ -z "$python" ] || py - >out 2>err <<'PY' || fail 'a file that goes on'
import h5py, numpy as np
assert np.isfinite(h5py.File("plain.h5")["error_time"][:]).tolist() == [False]*5 + [True]
PY
# ---- noise at the beginning is the same on the finer grid; of a built-in problem, and with ends
cat >noise.cfg <<'CFG'
problem = "cahn_hilliard";
sweep   = { seed = [1, 2]; };
grid    = { n = 64; length = 40.0; };
physics = { D = 1.0; gamma = 1.0; };
time    = { dt = 0.01; end = 1.0; };
initial = "0.1*cos(2*pi*x/40) + 0.001*randn(seed)";
accuracy = { runs = 2; };
run     = { device = "cpu"; };
output  = { fields = { times = [1.0]; }; };
CFG
expect 0 run noise.cfg -o noise.h5
[ -z "$python" ] || py - >out 2>err <<'PY' || fail 'noise'
import h5py, numpy as np
f = h5py.File("noise.h5")
for name in "error_time", "error_space":
    e = f[name][:]
    assert (e > 0).all() and (e < 0.02*abs(f["u"][:]).max()).all(), e
PY
# forces that are noise have no estimate
expect 0 run noise.cfg -o noise.h5 --force -s 'forcing="0.01*randn(seed)"'
says 'accuracy 0 of 2 sampled runs computed again (2 with noise at each step'
expect 0 show noise.h5; prints 'error_time, error_space: none of these runs'
[ -z "$python" ] ||
    py -c 'import h5py, numpy as np; assert np.isnan(h5py.File("noise.h5")["error_time"][:]).all()' ||
    fail 'noise in time'
# noise between walls has none in space, and who runs and reads it is told so, once
expect 0 run noise.cfg -o walls.h5 -s 'boundary="no_flux"' -s sweep.seed='"range(1,5)"' -s accuracy.runs=5 -j 1
says 'accuracy 5 runs computed again: estimated errors at most'
says 'what the points make of the error is not known of 5 runs (error_space is NaN): between walls noise'
[ "$(grep -c 'error_space' err)" = 1 ] || fail 'it is told more than once'
expect 0 show walls.h5; prints 'error_space: not known of 5 runs computed again with half the step: between walls noise'
[ "$(grep -c '^note' out)" = 1 ] || fail 'it is shown more than once'
expect 0 show walls.h5 --csv; grep -q '^note' out && fail 'a note in a table for programs'
expect 0 run noise.cfg -o smooth.h5 -s 'boundary="no_flux"' -s 'initial="seed*0.1*cos(pi*x/40)"'
grep -q error_space err && fail 'a note on what is known'
expect 0 show smooth.h5; grep -q '^note' out && fail 'a note on what is known'
cat >box.cfg <<'CFG'
problem  = "advection";
grid     = { n = [12, 12]; length = "2*pi"; };
velocity = { x = "1"; };
time     = { cfl = 0.5; end = 1.0; };
initial  = "sin(x + y)";
accuracy = { runs = 1; };
run      = { device = "cpu"; };
CFG
expect 0 run box.cfg -o box.h5; says 'not known of 1 run (error_space is NaN): they are not doubled in two or three dim'
cat >ends.cfg <<'CFG'
problem  = "equation";
rhs      = "dxx(u)";
left     = { dirichlet = 0.0; };
right    = { neumann = 0.0; };
grid     = { n = 17; length = 1.0; };
time     = { dt = 0.0001; end = 0.1; };
initial  = "sin(pi*x/2)";
exact    = "exp(-pi^2/4*t)*sin(pi*x/2)";
accuracy = { runs = 1; };
run      = { device = "cpu"; };
output   = { fields = { times = [0.1]; }; };
CFG
expect 0 run ends.cfg -o ends.h5
[ -z "$python" ] || py - >out 2>err <<'PY' || fail 'ends'
import h5py
f = h5py.File("ends.h5")
assert abs(f["error_space"][0]/f["err_l2"][0] - 1) < 0.05, (f["error_space"][0], f["err_l2"][0])
PY
# ---- where the estimates say little: the finer computation diverges; a wave is gone; runs of the sample diverge
cat >again.cfg <<'CFG'
problem  = "equation";
unknowns = ["u", "v"];
rhs      = { u = "v"; v = "dxx(u)"; };
initial  = { u = "cos(x)"; v = "0"; };
grid     = { n = 64; length = "2*pi"; };
time     = { dt = 0.04; end = 40.0; };
accuracy = { runs = 1; };
run      = { device = "cpu"; };
CFG
expect 0 run again.cfg -o again.h5; says 'accuracy 1 run computed again: estimated errors at most'
says 'with twice the points 1 run diverged'
cat >gone.cfg <<'CFG'
problem  = "equation";
rhs      = "-200*dx(u)";
initial  = "cos(x)";
exact    = "cos(x-200*t)";
grid     = { n = 32; length = "2*pi"; };
time     = { dt = 0.1; end = 10.0; };
accuracy = { runs = 1; };
run      = { device = "cpu"; };
CFG
expect 0 run gone.cfg -o gone.h5; says '1 run is off from exact by up to 0.71, far beyond the estimates'
sed "/^exact/d" gone.cfg >vague.cfg
expect 0 run vague.cfg -o gone.h5 --force; says 'of 1 run the estimate is as large as the field'
expect 1 run rows.cfg -o rows.h5 --force -s 'sweep.k="linspace(0,60,20)"' -s time.end=1.0
grep -qE 'accuracy [1-9] of 10 sampled runs computed again \([1-9] diverged or failed\): estimated errors' err ||
    fail "sampled runs that diverge"
# ---- a stop while runs are computed again: it is told, nothing is lost, and the same command, or resume, goes on
# there; one run diverges, one ends early
cat >slow.cfg <<'CFG'
problem  = "equation";
rhs      = "dxx(u) + q*u";
sweep    = { q = [0.1, 0.2, 9e3, 0.4, 0.0, 0.15]; };
grid     = { n = 64; length = "2*pi"; };
time     = { dt = 0.000008; end = 4.0; };
method   = "imex1";
initial  = "1 + 0.1*cos(x) + 0.01*randn(1)";
stop     = { when = "max(u) > 3"; every = 0.5; };
accuracy = { runs = 6; };
run      = { device = "cpu"; };
output   = { fields = { times = [0.5, 3.0]; }; scalars = { every = 1.0; }; };
CFG
begun=$(date +%s%N)
expect 1 run slow.cfg -o slow.h5; says '1 diverged'
says 'accuracy 4 of 6 sampled runs computed again (1 diverged or failed, 1 stopped early)'
# Steps take a part of it: of stops so far apart, whatever else the machine does, one comes behind them.
part=$(awk "BEGIN { print ($(date +%s%N) - $begun)/4e9 }")
stopped() {  # after a stop
    says 'note     accuracy: all steps of 4 sampled runs are taken, and their estimates, in time and in space, are'
    says 'stopped; run the same command again to continue'
    expect 0 show stopped.h5; grep -q ' pending ' out || fail 'runs whose estimates are missing are done'
}
steps_are_taken() { grep -q 'note     accuracy: all steps' err; }
for try in $(seq 30); do
    "$sweep" run slow.cfg -o stopped.h5 >out 2>err &
    pid=$!
    sleep "$part"; kill -INT $pid; wait $pid
    [ $? = 130 ] || fail 'a signal while runs are computed again'
    steps_are_taken && break
done
stopped
expect 1 resume stopped.h5; says 'from step 500000 of 500000'; says 'accuracy 4 of 6 sampled runs computed again'
same slow.h5 stopped.h5; rm -f stopped.h5
for try in $(seq 30); do
    expect 75 run slow.cfg -o stopped.h5 --max-time "${part}s"
    steps_are_taken && break
done
stopped
expect 1 run slow.cfg -o stopped.h5 --max-time 0.01s  # each call advances
same slow.h5 stopped.h5; rm -f stopped.h5
stops=0
while "$sweep" run slow.cfg -o stopped.h5 -s run.batch=2 -j 1 --max-time 0.01s >out 2>err; [ $? = 75 ]; do
    [ $((stops += 1)) -lt 60 ] || break
done
[ $stops -gt 1 ] || fail 'it was too fast to be stopped'
same slow.h5 stopped.h5
# of a sweep that is finished without them there are none, and who asks for them is told why
expect 0 run rows.cfg -o none.h5 -s accuracy.runs=0
expect 0 run rows.cfg -o none.h5; says 'note     none.h5 was computed without accuracy.runs, and has no estimates'
says 'nothing to do: 400 done'
expect 0 run rows.cfg -o none.h5 --force; says 'accuracy 10 runs computed again'
expect 0 run rows.cfg -o none.h5; grep -q 'without accuracy' err && fail 'a note on estimates that are there'

# ---- refused: without a number; of a problem without time
expect 3 check wave.cfg -s 'accuracy={}'; says "-s: error: 'accuracy' does not say of how many runs: add runs = 8"
expect 3 check wave.cfg -s 'accuracy={ run=8; }'; [ "$(grep -c error err)" = 1 ] || fail 'a misspelt key, told twice'
echo 'problem = "bvp"; grid = { n = 16; length = 1.0; }; f = "1"; accuracy = { runs = 1; };' >bvp.cfg
expect 3 check bvp.cfg; says 'accuracy'

summary
