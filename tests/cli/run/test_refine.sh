#!/bin/bash
# Refinement: cells between the values of axes are split where a result changes. Against the full grid, killed and
# stopped anywhere, with runs that fail; and what is refused. SWEEP is the program.
cd "$(dirname "$0")/../../.." || exit 1
build=${BUILD:-$PWD/build}
. tests/helpers/helpers.sh || exit 1
. "$top/tests/helpers/mpi_helpers.sh"

# after a step u is negative inside of an egg
cat >egg.cfg <<'CFG'
problem  = "equation";
rhs      = "dxx(u) + 4*(a - 0.43)^2 + 5*(b - 0.52)^2 - 0.6 + 0.3*sin(7*a)";
sweep    = { a = "linspace(0, 1, 17)"; b = "linspace(0, 1, 17)"; };
refine   = { of = "inside"; over = ["a", "b"]; levels = 5; };
grid     = { n = 8; length = 1.0; };
time     = { dt = 0.1; end = 0.1; };
initial  = "0";
run      = { device = "cpu"; };
accuracy = { runs = 0; };
output   = { file = "egg.h5"; scalars = { times = ["end"]; define = { inside = "mean(u) < 0"; }; }; };
CFG
holds() {  # holds A B EXPRESSION: of the files a and b
    [ -z "$python" ] || py - "$@" 2>out <<'PY' || fail "$*"
import sys, h5py, numpy as np
a, b = h5py.File(sys.argv[1]), h5py.File(sys.argv[2])
assert eval(sys.argv[3])
PY
}

# ---- against the full grid: each cell of its boundary, the same runs to the bit and the id, for less than 4 % of them
sed '/^refine/d; s/, 17)/, 513)/g; s/egg.h5/full.h5/' egg.cfg >full.cfg
expect 0 run full.cfg -q
expect 0 run egg.cfg
says 'refine   round 1 · '; says 'refine   finished after 5 rounds · '; says ' runs of 263169 on the finest grid (2.4 %)'
like_full() {  # like_full FILE OF [LEVEL]: all cells of the full grid whose corners differ in OF, or lie about LEVEL
    [ -z "$python" ] || py - "$@" 2>out <<'PY' || fail "$*"
import sys, h5py, numpy as np
a, b, of = h5py.File(sys.argv[1]), h5py.File("full.h5"), sys.argv[2]
place = {run: k for k, run in enumerate(b["run_id"][:])}
rows = np.array([place[run] for run in a["run_id"][:]])
assert len(set(rows)) == len(rows) < 0.04*513**2 and list(a["run"][:]) == list(range(len(rows)))
for name in "a", "b", "inside", "u_mean", "steps": assert np.array_equal(a[name][:], b[name][:][rows]), name
v = b[of][:].reshape(513, 513)
if len(sys.argv) > 3: v = v >= float(sys.argv[3])
corner = [v[i:512 + i, j:512 + j] for i in (0, 1) for j in (0, 1)]
there = np.zeros(513**2, bool); there[rows] = True; there = there.reshape(513, 513)
whole = np.all([there[i:512 + i, j:512 + j] for i in (0, 1) for j in (0, 1)], axis=0)
differ = np.min(corner, axis=0) != np.max(corner, axis=0)
assert differ.sum() > 1500 and whole[differ].all(), (differ.sum(), whole[differ].sum())
level = a["refine_level"][:]
assert list(np.flatnonzero(level == 0)) == list(range(289)) and level.max() == 5
step = 2**(5 - level)
assert all(np.all(np.round(512*a[n][:]) % step == 0) for n in "ab")
PY
}
like_full egg.h5 inside
expect 0 run egg.cfg -q -o between.h5 -s 'refine={of="u_mean"; over=["a", "b"]; where="between"; at=0; levels=5;}'
holds between.h5 egg.h5 'np.array_equal(a["run_id"][:], b["run_id"][:])'
expect 0 run egg.cfg -q -o level.h5 -s 'refine={of="u_mean"; over=["a", "b"]; where="between"; at=0.013; levels=5;}'
like_full level.h5 u_mean 0.013
# those of the config are the runs of the sweep without it, with their numbers, also of random numbers
sed 's/initial  = "0"/initial = "0.001*randn(x)"/; s/levels = 5/levels = 2/' egg.cfg >noisy.cfg
expect 0 run noisy.cfg -q -o noisy.h5 -s 'noise="0.001"'
sed '/^refine/d' noisy.cfg >coarse.cfg; expect 0 run coarse.cfg -q -o coarse.h5 -s 'noise="0.001"'
holds noisy.h5 coarse.h5 'all(np.array_equal(a[n][:289], b[n][:]) for n in ("run_id", "a", "b", "u_mean", "u_max"))'
holds noisy.h5 noisy.h5 'len(np.unique(a["u_max"][:])) == len(a["run"])'

# ---- any batches, two devices; stopped, killed and resumed: the same file
expect 0 run egg.cfg -q -o batch.h5 -s run.batch=37; same egg.h5 batch.h5
expect 0 run egg.cfg -q -o two.h5 --device cpu:0,1; same egg.h5 two.h5
slow=(run egg.cfg -s time.dt=0.0001 -s refine.levels=3 -s grid.n=16)
expect 0 "${slow[@]}" -q -o whole.h5
stopped_often stop.h5 "${slow[@]}"; same whole.h5 stop.h5
killed_after '0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9' kill.h5 "${slow[@]}" -s run.batch=100
same whole.h5 kill.h5
# a file of some rounds is not finished, and tells it
"$sweep" "${slow[@]}" -o part.h5 --max-time 0.1s >out 2>err
expect 0 status part.h5; grep -q finished out && fail 'status of a part'
expect 0 resume part.h5 -q; same whole.h5 part.h5
expect 0 status part.h5; prints finished
expect 0 run egg.cfg; says 'nothing to do: '; says 'refine   finished after 5 rounds'
expect 0 verify egg.h5
# fewer levels first, then more
expect 0 run egg.cfg -q -o more.h5 -s refine.levels=2
expect 0 run egg.cfg -o more.h5; says 'refine   round 3'; same egg.h5 more.h5
expect 5 run egg.cfg -o more.h5 -s refine.levels=3; says 'holds another sweep (refine.levels 5 -> 3)'
expect 5 run egg.cfg -o more.h5 -s time.dt=0.05; says 'holds another sweep (time.dt 0.1 -> 0.05)'
expect 0 run egg.cfg -q -o more.h5 -s refine.levels=3 --force
holds more.h5 egg.h5 'np.array_equal(a["run_id"][:], b["run_id"][:len(a["run"])]) and max(a["refine_level"][:]) == 3'
# the runs of the sweep without refinement are taken
expect 0 run coarse.cfg -q -o start.h5 -s 'initial="0"'
expect 0 run egg.cfg -o start.h5; says '184 of 473 runs left'; same egg.h5 start.h5
# runs of another file are taken in each round
expect 0 run egg.cfg -o reuse.h5 -s 'reuse="full.h5"'
says 'reuse    289 of 289 runs from full.h5'; says 'reuse    3064 of 6216 runs from full.h5'
grep -q '^plan' err && fail 'all runs are there, and none is computed'
same egg.h5 reuse.h5
# --only: cells wait for all runs
expect 0 run egg.cfg -o only.h5 --only 'a < 0.5'; says 'refine   waits in round 0 for runs that --only leaves out'
expect 0 run egg.cfg -q -o only.h5; same egg.h5 only.h5

# ---- other axes: each of their points by itself; unsorted values, logarithmic ones; one axis, three axes
expect 0 run egg.cfg -q -o c.h5 -s 'sweep.c=[1, 0.5]' -s refine.levels=3 \
    -s 'rhs="dxx(u) + 4*(a - 0.43)^2 + 5*(b - 0.52)^2 - 0.6*c + 0.3*sin(7*a)"'
for c in 0.5 1; do
    expect 0 run egg.cfg -q -o c1.h5 --force -s "sweep.c=$c" -s refine.levels=3 \
        -s 'rhs="dxx(u) + 4*(a - 0.43)^2 + 5*(b - 0.52)^2 - 0.6*c + 0.3*sin(7*a)"'
    holds c.h5 c1.h5 "set(a['run_id'][:][a['c'][:] == $c]) == set(b['run_id'][:])"
done
# more of their values are another file, into which all runs are taken
with_c=(run egg.cfg -s refine.levels=3
    -s 'rhs="dxx(u) + 4*(a - 0.43)^2 + 5*(b - 0.52)^2 - 0.6*c + 0.3*sin(7*a)"' -s 'sweep.c=[1, 0.5, 0.7]')
expect 5 "${with_c[@]}" -o c.h5
says "c.h5 holds another sweep (sweep.c [1, 0.5] -> [1, 0.5, 0.7]); use -o FILE, with -s 'reuse=\"c.h5\"' for the"
expect 0 "${with_c[@]}" -q -o three.h5
expect 0 "${with_c[@]}" -o taken.h5 -s 'reuse="c.h5"'; same three.h5 taken.h5
expect 0 run egg.cfg -q -o sorted.h5 -s refine.levels=3 -s 'sweep.a=[0, 0.2, 0.25, 0.5, 1]' \
    -s 'sweep.b="range(0, 1, 0.25)"'
expect 0 run egg.cfg -q -o listed.h5 -s refine.levels=3 -s 'sweep.a=[0.5, 0, 1, "linspace(0.2, 0.25, 2)"]' \
    -s 'sweep.b="linspace(1, 0, 5)"'
holds sorted.h5 listed.h5 'set(a["run_id"][:]) == set(b["run_id"][:]) and len(a["run"]) > 100'
expect 0 run egg.cfg -q -o log.h5 -s refine.levels=3 -s 'sweep.a="logspace(0.01, 1, 5)"'
holds log.h5 log.h5 'abs(np.log10(a["a"][:])*16 - np.round(np.log10(a["a"][:])*16)).max() < 1e-12'
expect 0 run egg.cfg -q -o line.h5 -s sweep.b=0.5 -s 'refine.over="a"' -s refine.levels=12
holds line.h5 line.h5 '17 < len(a["run"]) <= 17 + 2*12'
cat >ball.cfg <<'CFG'
problem = "equation"; rhs = "dxx(u) + (a - 0.41)^2 + (b - 0.52)^2 + (c - 0.5)^2 - 0.1";
sweep   = { a = "linspace(0, 1, 5)"; b = "linspace(0, 1, 5)"; c = "linspace(0, 1, 5)"; };
refine  = { of = "u_mean"; over = ["a", "b", "c"]; where = "between"; at = 0.0; levels = 3; };
grid    = { n = 8; length = 1.0; }; time = { dt = 0.1; end = 0.1; }; initial = "0"; run = { device = "cpu"; };
output  = { file = "ball.h5"; scalars = { times = ["end"]; }; };
CFG
expect 0 run ball.cfg -q
[ -z "$python" ] || py - 2>out <<'PY' || fail 'a ball'
import h5py, numpy as np
f = h5py.File("ball.h5"); x = np.arange(33)/32
v = (x[:, None, None] - 0.41)**2 + (x[:, None] - 0.52)**2 + (x - 0.5)**2 < 0.1
there = np.zeros((33,)*3, bool); there[tuple(np.round(32*f[n][:]).astype(int) for n in "abc")] = True
corners = [(slice(i, 32 + i), slice(j, 32 + j), slice(k, 32 + k)) for i in (0, 1) for j in (0, 1) for k in (0, 1)]
differ = np.any([v[c] for c in corners], axis=0) & ~np.all([v[c] for c in corners], axis=0)
assert np.all([there[c] for c in corners], axis=0)[differ].all() and differ.sum() > 1000
PY
# points that are no runs have no cells
expect 0 run egg.cfg -q -o some.h5 -s refine.levels=3 -s 'sweep.where="a + b < 1.01"'
holds some.h5 egg.h5 'a["a"][:].max() == 1 and (a["a"][:] + a["b"][:]).max() < 1.01 and len(a["run"]) > 300'
expect 0 run egg.cfg -s refine.levels=3 -s 'sweep.where="a + b < 1.01"' -o some.h5; says 'nothing to do'
# the difference that counts; a share of the range; statistics beside it
expect 0 run egg.cfg -q -o by.h5 -s 'refine.of="u_mean"' -s refine.by=0.02 -s refine.levels=2
expect 0 run egg.cfg -q -o share.h5 -s 'refine={of="u_mean"; over=["a", "b"]; where="gradient"; by=0.05; levels=4;}'
holds by.h5 share.h5 '289 < len(a["run"]) < 4225 and 289 < len(b["run"]) < 6000'
[ -z "$python" ] || py - 2>out <<'PY' || fail 'a share of the range'
import h5py, numpy as np
f = h5py.File("share.h5"); v = dict(zip(zip(f["a"][:], f["b"][:]), f["u_mean"][:, 0])); a = np.unique(f["a"][:])
step = 1/16
wide = np.ptp(list(v.values()))
for i in range(16):
    for j in range(16):
        c = [v[(i + k)*step, (j + l)*step] for k in (0, 1) for l in (0, 1)]
        assert (((i + 0.5)*step, (j + 0.5)*step) in v) or max(c) - min(c) <= 0.05*wide*1.05
PY
expect 0 run egg.cfg -q -o seeds.h5 -s 'sweep.seed="range(1, 3)"' -s 'initial="0*seed"' -s refine.levels=2 \
    -s 'statistics={over=["seed"]; of=["inside"];}'
holds seeds.h5 seeds.h5 'len(a["statistics/n_ok"][:].ravel()) > 289'

# ---- nothing to refine is told; runs that fail
expect 0 run egg.cfg -o flat.h5 -s 'rhs="dxx(u) - 1 - 0*a*b"'
says 'refine   inside is 1 in all 289 runs that have it: nothing is refined'
expect 0 run egg.cfg -o far.h5 -s 'refine={of="u_mean"; over=["a", "b"]; where="between"; at=99;}'
says 'refine   no cell fulfils where = "between" (u_mean is -0.0'
fails=(run egg.cfg -s 'rhs="dxx(u) + (a > 0.6 ? 1/0 : 0) + b - 0.5"' -s refine.levels=3 -o fails.h5)
expect 1 "${fails[@]}"
says ' cells not split: a run at a corner has no value'
holds fails.h5 fails.h5 'a["a"][:][a["refine_level"][:] > 0].max() < 0.63 and (a["status"][:] > 1).sum() == 7*17'
expect 2 "${fails[@]}" --retry-failed; says "-o NEW -s 'reuse=\"fails.h5\"' takes those that did not fail"
expect 1 "${fails[@]}" -o status.h5 -s 'refine.of="status"'  # where runs begin to fail
holds status.h5 status.h5 '(np.diff(np.unique(a["a"][:][a["refine_level"][:] == 3])) == 1/128).all()'

# ---- rounds of which another file has all runs, behind one that computes some
expect 0 run egg.cfg -o from.h5 -s 'reuse="egg.h5"' -s refine.levels=4 -s sweep.a='"linspace(0, 1, 33)"' \
    -s sweep.b='"linspace(0, 1, 33)"'
says 'refine   finished after '; [ "$(grep -c 'refine   finished' err)" = 1 ] || fail 'it ends more than once'

# ---- the shipped boundary: the fold r = -0.225 s^2; near it runs slow down, and other waves of the pattern count
expect 0 run "$top/configs/refine.cfg" -q -o fold.h5
[ -z "$python" ] || py - 2>out <<'PY' || fail 'the fold'
import h5py, numpy as np
f = h5py.File("fold.h5"); s, r, a = f["s"][:], f["r"][:], f["amplitude"][:, -1]
assert len(s) < 0.04*513**2
for one in np.unique(s)[f["refine_level"][:].max() and slice(None, None, 32)]:
    live, dead = r[(s == one) & (a > 0.2)].min(), r[(s == one) & (a <= 0.2)].max()
    assert 0 < live - dead < 1.0001*0.6/512 and abs(live + 0.225*one**2) < 0.012, (one, live, dead)
PY

# ---- what check shows
expect 0 check egg.cfg -o new.h5
prints 'refine   inside over a, b, where = "jump" · 289 runs first, then cells are split up to 5 times · at most 263169 runs'
expect 0 check egg.cfg -o new.h5 --json; prints '"runs_most": 263169'
expect 0 show egg.h5; prints refine_level

# ---- what is refused, at its line
refused() { expect 3 check egg.cfg "${@:2}"; says "$1"; }
refused "'refine.over': the sweep has no axis 'c'; its axes are a, b" -s 'refine.over=["c"]'
refused "'refine.over': 'a' stands there twice" -s 'refine.over=["a", "a"]'
refused "'refine.over' names one axis to 3" -s 'refine.over=[]'
refused "'refine.over' is a list of names of axes in quotes" -s refine.over=1
refused "'refine.over': a has one value, and a cell lies between two" -s sweep.a=0.3
says 'egg.cfg:4: error'
refused 'the values of a are words' -s 'sweep.a=["one", "two"]' -s 'rhs="dxx(u) + b"'
refused "'refine.of': unknown number of a run 'insid'; did you mean 'inside'?" -s 'refine.of="insid"'
refused "'refine.of': no run saves 'u_max': add output.scalars" -s 'refine.of="u_max"' -s 'output={file="o.h5";}'
refused "'refine.of': no run has 'err_max', an error: add exact" -s 'refine.of="err_max"'
refused "'refine' does not say by what" -s 'refine={over="a";}'
refused "'refine' does not say over which axes" -s 'refine={of="inside";}'
refused "does not say which value is to lie between" -s 'refine.where="between"'
refused "'refine.at' means nothing without where" -s refine.at=0.5
refused "'refine.by' means nothing with where = \"between\"" -s refine.by=1 -s refine.at=1 -s 'refine.where="between"'
refused "'refine.by' = 2: a share of the range" -s refine.by=2 -s 'refine.where="gradient"'
refused "'refine.where'" -s 'refine.where="sideways"'
refused "'refine.levels' = 40: must be at most 12" -s refine.levels=40
refused "unknown key 'refine.deep'" -s refine.deep=2
sed 's/over *= *\["a"/m1over = ["a"/' egg.cfg >typo.cfg
expect 3 check typo.cfg; says "unknown key 'refine.m1over'; did you mean 'over'?"
refused 'between rows of a table there is none' -s 'sweep={mode="table";}' -s 'table.rows="a,b\n1,2\n3,4\n"'
refused 'between points drawn at random there is none' -s 'sweep={mode="random"; a="uniform(0,1)"; b=[1,2];}' \
    -s sample.count=4
refused 'between values that go together there is none' -s 'sweep.mode="zip"'
refused 'a ladder cannot be refined' -s 'sweep.a={values=[0, 1]; ladder="up";}'
refused "'refine.over': a is for grid.n, a whole number" -s 'sweep.a=[8, 16]' -s 'grid.n="a"' -s 'rhs="dxx(u) + b"'
refused 'the finest grid has' -s refine.levels=12
refused "takes no more runs, and each round adds some" -s output.scalars.keep=false \
    -s 'statistics={over=["a"]; of=["inside"];}'
expect 2 run egg.cfg --shard 1/2; says 'a sweep with `refine` is computed by one job'; says 'leave out the shards'
for jobs in '--shards 2' '--nodes 2 --ranks-per-node 2'; do
    expect 2 submit egg.cfg $jobs --print -o jobs.h5; says 'let a job of your own start `sweep run`'
done
if built_with_mpi && command -v mpirun >/dev/null; then
    # ranks share the runs of each round: to the bits of one process, also when all are stopped, and one is killed, and
    # another number goes on
    ranks 0 3 "$sweep" run egg.cfg -q -o ranks.h5 -j 1; same egg.h5 ranks.h5
    slow=(run egg.cfg -q -s time.dt=0.000005 -s refine.levels=3 -s grid.n=16)
    expect 0 "${slow[@]}" -o whole.h5 --force
    ranks 75 3 "$sweep" "${slow[@]}" -o paused.h5 -j 1 --max-time 0.7s
    ranks 0 2 "$sweep" "${slow[@]}" -o paused.h5 -j 1; same whole.h5 paused.h5
    ranks 137 3 sh -c '[ $OMPI_COMM_WORLD_RANK != 1 ] || (sleep 0.8; kill -KILL $$) & exec "$@"' - \
        "$sweep" "${slow[@]}" -o ended.h5 -j 1
    ranks 0 2 "$sweep" "${slow[@]}" -o ended.h5 -j 1 -s 'reuse="paused.h5"'; same whole.h5 ended.h5
else skipped 'processes: built without MPI, or no mpirun'; fi
summary
