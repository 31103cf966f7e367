#!/bin/bash
# Ladders: each run starts from the end of the one below. Against single sweeps chained by hand through initial.file,
# killed and stopped anywhere, in shards, by ranks, with runs that fail; and what is refused. SWEEP is the program.
cd "$(dirname "$0")/../../.." || exit 1
build=${BUILD:-$PWD/build}
. tests/helpers/helpers.sh || exit 1
. "$top/tests/helpers/mpi_helpers.sh"

# u_t = u_xx + r + u - u^3 has two stable states for |r| < 2/(3 sqrt(3)) = 0.385
cat >up.cfg <<'CFG'
problem = "equation";
rhs     = "0.1*dxx(u) + r + s*u - u^3";
sweep   = { r = { values = "linspace(-0.5, 0.5, 11)"; ladder = "up"; }; s = [0.9, 1.0, 1.1]; };
grid    = { n = 32; length = "2*pi"; };
time    = { dt = 0.05; end = 6.0; };
initial = "-1 + 0.1*cos(x)*s";
run     = { device = "cpu"; };
output  = { file = "up.h5"; fields = { times = "linspace(0, end, 2)"; }; scalars = { every = 3.0; }; };
CFG

# ---- by hand: a sweep for each rung, which begins with the file of the one before; the same bits
expect 0 run up.cfg; prints_batches=$(grep -o '[0-9]* batches' err)
[ "$prints_batches" = '11 batches' ] || fail "a rung is a batch: $prints_batches"
by_hand() {  # by_hand CONFIG FILE VALUE...: the rungs with r = VALUE; FILE.0.h5, FILE.1.h5, ...
    local config=$1 file=$2 k=0 first=()
    shift 2
    for r; do
        expect 0 run "$config" -q -o "$file.$k.h5" -s "sweep.r=$r" "${first[@]}"
        first=(-s "initial={file=\"$file.$k.h5\"; run=\"$same_run\";}")
        k=$((k + 1))
    done
}
same_run='s < 0.95 ? 0 : s < 1.05 ? 1 : 2'
values=(-0.5 -0.4 -0.3 -0.2 -0.1 0.0 0.1 0.2 0.3 0.4 0.5)
by_hand up.cfg hand "${values[@]}"
like_hand() {  # like_hand FILE HAND RUNGS [DIRECTION]: all variables, to the bit
    [ -z "$python" ] || py - "$@" 2>out <<'PY' || fail "$*"
import sys, h5py, numpy as np
a, hand, rungs = h5py.File(sys.argv[1]), sys.argv[2], int(sys.argv[3])
r = np.unique(a["r"][:])
for k in range(rungs):
    b = h5py.File(f"{hand}.{k}.h5")
    up = k < len(r)
    rows = a["r"][:] == (r[k] if up else r[2*len(r) - 1 - k])
    if "direction" in a: rows &= a["direction"][:] == (b"up" if up else b"down")
    assert rows.sum() == len(b["run"])
    for name in "u", "u_mean", "u_max", "error_time" if len(a["run"]) < 64 else "u_min":
        assert np.array_equal(a[name][:][rows], b[name][:], equal_nan=True), (k, name)
PY
}
like_hand up.h5 hand 11
holds up.h5 up.h5 '"state_last" not in a and a["u"].shape == (33, 2, 32)'
# the branch from below ends at r = 0.385 where s = 1; the end of a rung is the beginning of the one above
holds up.h5 up.h5 'all(a["u_mean"][i, -1] < 0 for i in range(33) if a["r"][i] < 0.35 and a["s"][i] == 1)'
holds up.h5 up.h5 'np.array_equal(a["u"][3:, 0], a["u"][:-3, 1]) and a["u_mean"][-2, -1] > 0'

# ---- down, and both ways: a loop, with the axis `direction`
sed 's/ladder = "up"/ladder = "both"/; s/"up.h5"/"both.h5"/' up.cfg >both.cfg
expect 0 run both.cfg; prints_axes=$(grep -c 'r(11) × s(3) × direction(2)' err)
[ "$prints_axes" = 1 ] || fail 'the axes of both ways'
by_hand up.cfg loop "${values[@]}" 0.5 0.4 0.3 0.2 0.1 0.0 -0.1 -0.2 -0.3 -0.4 -0.5
like_hand both.h5 loop 22
holds both.h5 up.h5 'np.array_equal(a["u"][::2], b["u"][:])'
expect 0 run up.cfg -o down.h5 -s sweep.r.ladder=down -s 'initial="1 + 0.1*cos(x)*s"'
holds down.h5 up.h5 'np.array_equal(a["u"][:-3, 0], a["u"][3:, 1])'
expect 0 run up.cfg -o listed.h5 -s 'sweep.r.values=[0.1, -0.4, 0.5, 0.4, -0.5, 0.0, -0.1, 0.3, -0.3, 0.2, -0.2]'
holds listed.h5 up.h5 'np.array_equal(a["u"][:][np.lexsort((a["s"][:], a["r"][:]))], b["u"][:])'

# ---- any batches, two devices, and shards, which have whole ladders
for batch in 1 2; do
    expect 0 run both.cfg -q -o batch.h5 -s run.batch=$batch --force; same both.h5 batch.h5
done
expect 0 run both.cfg -q -o two.h5 --device cpu:0,1; same both.h5 two.h5
for k in 1 2; do expect 0 run both.cfg -q -o s.h5 --shard $k/2; done
holds s.shard-1-of-2.h5 s.shard-2-of-2.h5 'sorted(len(f["run"]) for f in (a, b)) == [22, 44]'
holds s.shard-1-of-2.h5 s.shard-2-of-2.h5 'not set(a["s"][:]) & set(b["s"][:])'
expect 0 merge s.shard-1-of-2.h5 s.shard-2-of-2.h5 -o shards.h5; same both.h5 shards.h5
expect 2 run both.cfg -q --shard 4/4; says 'shard 4 of 4 has no run'  # there are three ladders

# ---- every kind with time: lines of several unknowns, fields, built-in kinds, advection; their own steps
kind() {  # kind NAME AXIS-VALUES: the config NAME.cfg, whose axis is r, against two rungs by hand
    expect 0 run "$1.cfg" -q -o "$1.h5" -s "sweep.r={values=[$2, $3]; ladder=\"up\";}"
    expect 0 run "$1.cfg" -q -o "$1.0.h5" -s "sweep.r=$2"
    expect 0 run "$1.cfg" -q -o "$1.1.h5" -s "sweep.r=$3" -s "initial={file=\"$1.0.h5\"; run=\"a < 1.5 ? 0 : 1\";}"
    for k in 0 1; do
        holds "$1.h5" "$1.$k.h5" "all(np.array_equal(a[n][:].reshape(2, 2, *a[n].shape[1:])[$k], b[n][:]) for n in $4)"
    done
}
rest='run = { device = "cpu"; }; output = { fields = { times = "linspace(0, end, 2)"; }; };'
cat >unknowns.cfg <<CFG
problem  = "equation"; unknowns = ["u", "v"];
rhs      = { u = "dxx(u) + u - u^3 - v + r"; v = "0.1*dxx(v) + a*u - v"; };
sweep    = { r = [0, 1]; a = [1.0, 2.0]; };
grid     = { n = 24; length = 10.0; };
time     = { dt = 0.02; end = 0.5; };
initial  = { u = "cos(2*pi*x/10)"; v = "0"; }; $rest
CFG
sed 's/time     = .*/time = { end = 0.5; tolerance = 1e-4; };/' unknowns.cfg >own.cfg
sed 's/n = 24/n = [16, 12]/; s/dxx(/lap(/g' unknowns.cfg >plane.cfg
cat >swift.cfg <<CFG
problem = "swift_hohenberg"; physics = { r = "r"; };
sweep   = { r = [0, 1]; a = [1.0, 2.0]; };
grid    = { n = 32; length = "2*pi*2"; };
time    = { dt = 0.02; end = 0.5; };
initial = "0.1*a*cos(x)"; run.precision = "single"; $rest
CFG
sed -i 's/run.precision = "single"; //; s/run = { device/run = { precision = "single"; device/' swift.cfg
sed 's/n = 32/n = [16, 16]/; s/precision = "single"; //' swift.cfg >swift_plane.cfg
cat >advection.cfg <<CFG
problem  = "advection"; velocity = { x = "1 + r/10"; };
sweep    = { r = [0, 1]; a = [1.0, 2.0]; };
grid     = { n = 32; length = 1.0; };
time     = { dt = 0.01; end = 0.2; };
initial  = "a*sin(2*pi*x)"; $rest
CFG
kind unknowns 0.1 0.3 '("u", "v")'
kind own 0.1 0.3 '("u", "v")'
kind plane 0.1 0.3 '("u", "v")'
kind swift 0.1 0.3 '("u",)'
kind swift_plane 0.1 0.3 '("u",)'
kind advection 0.1 0.3 '("u",)'

# ---- runs that end early start the next from where they ended
expect 0 run both.cfg -q -o early.h5 -s 'stop={steady=1e-3; every=0.5;}' -s 'output.fields.times=linspace(0, end, 2)'
holds early.h5 early.h5 '(a["stopped"][:] > 0).any() and (a["status"][:] == 1).all()'

# ---- stopped and killed anywhere: the same file
slow=(run both.cfg -s time.dt=0.005 -s time.end=40.0 -s output.scalars.every=20.0)
expect 0 "${slow[@]}" -q -o whole.h5
stopped_often stop.h5 "${slow[@]}"; same whole.h5 stop.h5
killed_after '0.05 0.1 0.15 0.2 0.25' kill.h5 "${slow[@]}"
same whole.h5 kill.h5
# half of the rungs, then all: the file keeps the ends as long as a rung above is not there
expect 0 run both.cfg -q -o half.h5 --only 'direction == up && r < 0.05'
holds half.h5 half.h5 '"state_last" in a and len(a["run"]) == 18'
expect 0 run both.cfg -q -o half.h5; same both.h5 half.h5
expect 5 run both.cfg -q -o none.h5 --only 'r > 0'
says 'run 36 (r = 0.1, s = 0.9, direction = up) starts from the end of run 30 (r = 0, s = 0.9, direction = up), a rung'
says 'which --only leaves out: take it as well'
expect 0 check both.cfg; prints '66 of 66 runs are in both.h5 already'
expect 5 run up.cfg -s 'sweep.r.values=linspace(-0.5, 0.7, 13)'; says 'output.state = true keeps the ends'
expect 0 run up.cfg -q -o kept.h5 -s output.state=true
expect 0 run up.cfg -o kept.h5 -s output.state=true -s 'sweep.r.values=linspace(-0.5, 0.7, 13)'
says '6 of 39 runs left'
holds kept.h5 up.h5 'np.array_equal(a["u"][:33], b["u"][:])'
# what lies below decides the id of a run: another rung below is another run
expect 5 run up.cfg -s 'sweep.r.values=linspace(-0.5, 0.5, 6)'; says 'another sweep'
expect 5 run up.cfg -s time.end=12.0
expect 5 run up.cfg -s time.end=12.0 -s output.state=true -o kept.h5 -s 'sweep.r.values=linspace(-0.5, 0.7, 13)'
says 'holds another sweep (time.end 6.0 -> 12.0)'

# ---- a run that fails fails those above it, with its reason, and no others
fails=(run up.cfg -o fails.h5 -s 'rhs="0.1*dxx(u) + r + s*u - u^3 + (s > 1.05 && r > -0.25 && r < 0.05 ? 9*u^3 : 0)"')
expect 1 "${fails[@]}"
holds fails.h5 up.h5 'list(a["status"][:]) == [2 if i == 11 else 3 if i % 3 == 2 and i > 11 else 1 for i in range(33)]'
holds fails.h5 up.h5 'all(np.array_equal(a["u"][k::3], b["u"][k::3]) for k in (0, 1))'
because='run 11 (r = -0.2, s = 1.1), on a rung below, has failed: '
[ -z "$python" ] || py - "$because" 2>out <<'PY' || fail 'the reason is stored'
import sys, h5py
m = [text.decode() for text in h5py.File("fails.h5")["message"][:]]
assert "not finite" in m[11] and not any(m[k] for k in range(33) if k % 3 < 2), m
assert all(m[k] == sys.argv[1] + m[11] for k in range(14, 33, 3)), m
PY
cp fails.h5 fails.once.h5
for seconds in 1 2 3; do  # and where the failure was in an earlier call
    slowly 0.02 "$sweep" "${fails[@]}" --force --max-time 0.1s >out 2>err
    "$sweep" "${fails[@]}" >out 2>err
    same fails.once.h5 fails.h5
done
expect 1 "${fails[@]}" --retry-failed; same fails.once.h5 fails.h5

# ---- the shipped loop: the pattern goes at the fold, r = -0.225 s^2, where 0 = r + 3/4 s a^2 - 5/8 a^4 has its last a;
# r is in steps of 0.02. At r = 0.2 the other waves of the pattern change a by 1 % at most
expect 0 run "$top/configs/hysteresis.cfg" -q -o loop.h5
[ -z "$python" ] || py - 2>out <<'PY' || fail 'the folds'
import h5py, numpy as np
f = h5py.File("loop.h5")
r, s, down, a = f["r"][:], f["s"][:], f["direction"][:] == b"down", f["amplitude"][:, -1]
for one in np.unique(s):
    last = r[(s == one) & down & (a > 0.3)].min()
    assert -0.225*one**2 < last < -0.225*one**2 + 0.02, (one, last)
    assert r[(s == one) & ~down & (a > 0.3)].min() > 0
    wanted = np.sqrt((0.75*one + np.sqrt(0.5625*one**2 + 2.5*0.2))/1.25)
    assert abs(a[(s == one) & (r == 0.2)]/wanted - 1).max() < 0.01
PY

# ---- where points are left out a run starts from the nearest rung below that is there
some=(up.cfg -s 'sweep.where="(s < 1.05 || r > -0.25) && (abs(r) > 0.05 || s > 0.95)"')
expect 0 check "${some[@]}" -o some.h5; prints '3 ladders of at most 11 rungs side by side'
expect 0 run "${some[@]}" -o some.h5 -s 'initial="-1 + 0.1*cos(x)*s"'
holds some.h5 up.h5 'np.array_equal(a["u"][:][a["s"][:] == 1], b["u"][:][b["s"][:] == 1])'
[ -z "$python" ] || py - 2>out <<'PY' || fail 'rungs that are left out'
import h5py, numpy as np
f = h5py.File("some.h5")
for s in 0.9, 1.0, 1.1:
    u = f["u"][:][abs(f["s"][:] - s) < 0.01]
    assert len(u) == {0.9: 10, 1.0: 11, 1.1: 8}[s] and np.array_equal(u[1:, 0], u[:-1, 1]), s
    assert np.allclose(u[0, 0], -1 + 0.1*s*np.cos(2*np.pi*np.arange(32)/32), atol=1e-15)
PY
expect 0 run "${some[@]}" -q -o again.h5 -s run.batch=1; same some.h5 again.h5
# and beside a table, whose rows are ladders
printf 's\n0.9\n1.1\n' >s.csv
expect 0 run up.cfg -q -o table.h5 \
    -s 'sweep={ mode = "table"; file = "s.csv"; r = { values = "linspace(-0.5, 0.5, 11)"; ladder = "up"; }; }'
holds table.h5 up.h5 'np.array_equal(a["u"][:11], b["u"][::3]) and np.array_equal(a["u"][11:], b["u"][2::3])'

# drawn axes, steps that follow from a Courant number, and so differ from rung to rung; the second is half as fast
cat >drawn.cfg <<'CFG'
problem = "advection"; velocity = { x = "1 + r/3"; };
sweep   = { mode = "random"; r = { values = [0.0, 1.0, 2.0]; ladder = "down"; }; a = "uniform(1, 2)"; };
sample  = { count = 3; seed = 2; };
grid    = { n = 40; length = 1.0; };
time    = { cfl = 0.4; end = 0.3; };
initial = "a*sin(2*pi*x)"; run = { device = "cpu"; };
output  = { file = "drawn.h5"; fields = { times = "linspace(0, end, 2)"; }; };
CFG
expect 0 run drawn.cfg
[ -z "$python" ] || py - 2>out <<'PY' || fail 'drawn axes'
import h5py, numpy as np
f = h5py.File("drawn.h5")
order = np.lexsort((-f["r"][:], f["a"][:]))
u = f["u"][:][order].reshape(3, 3, 2, 40)
assert np.array_equal(u[:, 1:, 0], u[:, :-1, 1]) and list(f["steps"][:][order]) == 3*[50, 40, 30]
PY
# each rung has noise of its own, whatever the batch, also where it went on from a stop; means over seeds
noisy=(run up.cfg -s 'noise="0.1"' -s 'sweep.s="range(1, 8)"' -s 'rhs="0.1*dxx(u) + r + u - u^3"' -s sweep.r.ladder=both
       -s time.end=60.0 -s output.scalars.every=30.0
       -s 'statistics={ over = ["s"]; of = ["u_mean"]; what = ["mean", "sem"]; }')
expect 0 "${noisy[@]}" -q -o noisy.h5
expect 0 "${noisy[@]}" -q -o noisy1.h5 -s run.batch=3; same noisy.h5 noisy1.h5
for k in 1 2 3; do "$sweep" "${noisy[@]}" -q -o noisy2.h5 --max-time 0.05s >out 2>err; done
expect 0 "${noisy[@]}" -q -o noisy2.h5; same noisy.h5 noisy2.h5
holds noisy.h5 noisy.h5 'a["statistics/u_mean_mean"].shape == (11, 2, 3) and len(np.unique(a["u"][:, 1, 0])) == 176'

# ---- what check shows
expect 0 check both.cfg -o new.h5
prints 'ladder   r goes up and down · 3 ladders of 22 rungs side by side'
prints 'batches  22'
expect 0 check both.cfg -o new.h5 --json; prints '"rungs": 22'

# ---- what is refused, at its line
refused() { expect 3 check up.cfg "${@:2}"; says "$1"; }
refused "'sweep.r.ladder': a ladder of one rung is no ladder" -s 'sweep.r.values=[0.1]'
says 'up.cfg:3: error'
refused "'sweep.r.ladder' must be one of up, down, both" -s sweep.r.ladder=sideways
refused "'sweep.r' has no values" -s 'sweep.r={ladder="up";}'
refused "'sweep.r' is a group without ladder" -s 'sweep.r={values=[1, 2];}'
refused "unknown key 'sweep.r.rungs'; known of an axis: values, ladder" -s sweep.r.rungs=2
refused "'sweep.s' is a second ladder, beside 'sweep.r.ladder'" -s 'sweep.s={values=[1, 2]; ladder="up";}'
refused 'words have no order' -s 'sweep.r.values=["one", "two"]'
refused 'the values are drawn at random' -s 'sweep.mode="random"' -s sample.count=4 -s 'sweep.r.values="uniform(0, 1)"'
refused 'with sweep.mode = "zip"' -s 'sweep.mode="zip"' -s 'sweep.s="linspace(0.9, 1.1, 11)"'
refused "'grid.n' changes along the ladder 'sweep.r.ladder'" -s 'grid.n="round(32 + 8*r)*2"'
refused "'grid.length' changes along the ladder 'sweep.r.ladder'" -s 'grid.length="2*pi + r"'
expect 0 check up.cfg -s 'grid.n="round(30*s)"'  # each ladder on a grid of its own
refused "'sweep.direction' has the name of the axis that 'sweep.r.ladder' = \"both\" makes" \
    -s sweep.r.ladder=both -s 'sweep.direction=[1, 2]' -s 'initial="direction"'
expect 0 check up.cfg -s 'sweep.direction=[1, 2]' -s 'initial="direction*cos(x)"'
if built_with_mpi && command -v mpirun >/dev/null; then
    # a ladder is climbed by one rank: to the bits of one process, also when all are stopped, and one
    # is killed, and another number goes on
    ranks 0 3 "$sweep" run both.cfg -q -o ranks.h5 -j 1; same both.h5 ranks.h5
    ranks 0 2 "$sweep" run both.cfg -q -o ranks.h5 --force -s run.batch=2; same both.h5 ranks.h5
    ranks 1 3 "$sweep" "${fails[@]}" -q -o ranks.h5 --force -j 1; same fails.h5 ranks.h5
    slow=(run both.cfg -q -s time.dt=0.0005 -s time.end=40.0 -s output.scalars.every=20.0 -s accuracy.runs=0)
    expect 0 "${slow[@]}" -o whole.h5 --force
    ranks 75 3 "$sweep" "${slow[@]}" -o paused.h5 -j 1 --max-time 0.7s
    ranks 0 2 "$sweep" "${slow[@]}" -o paused.h5 -j 1; same whole.h5 paused.h5
    ranks 137 3 sh -c '[ $OMPI_COMM_WORLD_RANK != 1 ] || (sleep 0.7; kill -KILL $$) & exec "$@"' - \
        "$sweep" "${slow[@]}" -o ended.h5 -j 1
    expect 0 "${slow[@]}" -o ended.h5; same whole.h5 ended.h5
else skipped 'processes: built without MPI, or no mpirun'; fi
cat >bvp.cfg <<'CFG'
problem = "bvp";
sweep   = { k = { values = [1, 2]; ladder = "up"; }; };
grid    = { n = 64; length = 1.0; };
f       = "k";
CFG
expect 3 check bvp.cfg; says "bvp.cfg:2: error: 'sweep.k.ladder': bvp has no time"
summary
