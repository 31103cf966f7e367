#!/bin/bash
# The residual histories of elliptic problems, output.history: what they hold, however the file came about - in parts,
# joined, resumed, by ranks, as shards - and what is refused. SWEEP is the program.
cd "$(dirname "$0")/../../.." || exit 1
. tests/helpers/helpers.sh || exit 1
. "$top/tests/helpers/mpi_helpers.sh"

cat >h.cfg <<'CFG'
problem = "elliptic";
sweep   = { n = [12, 16]; courant = [2.0, 9.0]; row = ["cpu.pcg", "cpu.interleaved", "cpu.multigrid", "cpu.modal"]; };
grid    = { n = ("n", "n", 6); depth = 0.1; grading = "quadratic"; };
physics = { courant = "courant"; };
solver  = "$row";
f       = "1 + x - y*z";
run     = { device = "cpu"; };
output  = { history = true; fields = { precision = "double"; }; };
CFG

# holds FILE [MOST]: each history ends at its run's iterations with what the run reported; of MOST iterations at most
holds() {
    [ -z "$python" ] || py - "$@" >out 2>err <<'PY' || fail "the histories of $1"
import sys, h5py, numpy as np
f, most = h5py.File(sys.argv[1]), int((sys.argv[2:] or [1024])[0])
groups = [g for g in f.values() if isinstance(g, h5py.Group) and "residual_history" in g] or [f]
seen = 0
for g in groups:
    h, runs = g["residual_history"], g["group_run" if "group_run" in g else "run"][:]
    rows = np.searchsorted(f["run"][:], runs)
    its, reported = f["iterations"][:][rows], f["residual_reported"][:][rows]
    assert h.dims[1][0] == g["iteration"] and h.attrs["units"] == "1" and h.attrs["long_name"], dict(h.attrs)
    assert (g["iteration"][:] == np.arange(h.shape[1])).all()
    began = np.isfinite(reported)
    assert h.shape == (len(runs), 1 + (min(its[began].max(), most) if began.any() else 0)), (h.shape, its)
    for values, count, last, good in zip(h[:], its, reported, began):
        end = min(count, most)
        assert np.isnan(values[end + 1:]).all()
        if not good:
            assert np.isnan(values).all()
            continue
        assert values[0] == 1 and np.isfinite(values[:end + 1]).all(), (values, count)
        assert count > most or values[end] == last, (values[end], last)
        seen += 1
assert seen or len(sys.argv) > 3, "no history"
PY
}

expect 0 run h.cfg -o whole.h5; holds whole.h5
# ---- in parts, joined, also from files whose histories have other lengths
expect 0 run h.cfg -o parts.h5 -s run.batch=1; same whole.h5 parts.h5
for shard in 1 2 3; do expect 0 run h.cfg -o part.h5 --shard $shard/3; done
expect 0 merge part.shard-?-of-3.h5 -o joined.h5; holds joined.h5; same whole.h5 joined.h5
# ---- a longer sweep adds to it; what was interrupted goes on
expect 0 run h.cfg -o grown.h5 -s 'sweep.courant=[2.0]'; holds grown.h5
expect 0 run h.cfg -o grown.h5; holds grown.h5; same whole.h5 grown.h5
large='sweep.n=[192, 224]'  # several times the 0.1 s that each start computes
slowly 0.05 expect 75 run h.cfg -o stopped.h5 -s run.batch=1 -s "$large" --max-time 0.001s
[ -d stopped.h5.d ] || fail 'nothing is left of what was stopped'
expect 0 resume stopped.h5; holds stopped.h5
expect 0 run h.cfg -o large.h5 -s "$large"; same large.h5 stopped.h5
# ---- runs that cannot begin have none; those that miss their tolerance do; iterations that are too many are cut off
expect 1 run h.cfg -o failed.h5 -s 'f="log(courant - 2) + x"' -s 'sweep.courant=[2.0, 9.0]' -s tolerance=1e-17
expect 0 show failed.h5 --csv; prints 'rounding keeps the residual'; prints 'f is '
holds failed.h5
expect 1 run h.cfg -o none.h5 -s 'f="1/(x - x)"' -s 'sweep.n=[12]'; holds none.h5 1024 none
expect 1 run h.cfg -o few.h5 -s iterations=7; holds few.h5 7
cat >long.cfg <<'CFG'
problem = "elliptic";
sweep   = { seed = [1, 2]; };
grid    = { n = [400, 2]; };
physics = { omega2 = 1e6; delta = 1e-9; };
boundary = { sides = "neumann"; };
f       = "x - 0.5 + randn(seed)*sin(9*x)";
tolerance = 1e-14;
iterations = 3000;
solver  = "cpu.pcg";
run     = { device = "cpu"; };
output  = { history = true; };
CFG
"$sweep" run long.cfg -o long.h5 >out 2>err
[ -z "$python" ] || py -c 'import h5py
f = h5py.File("long.h5")
assert f["iterations"][:].max() > 1024 and f["residual_history"].shape[1] == 1025, f["iterations"][:]' || fail 'long.h5'
holds long.h5 1024

# ---- readers
if command -v ncdump >/dev/null; then
    ncdump -h whole.h5 >out 2>err || fail 'ncdump'
    prints 'double residual_history(group_run, iteration)'
    grep -q phony out && fail 'ncdump: a dimension without a scale'
else
    skipped 'netCDF: no ncdump'
fi
expect 0 show whole.h5; expect 0 status whole.h5

# ---- not asked for; not there; other outputs of a file; names
expect 0 run h.cfg -o without.h5 -s output.history=false
[ -z "$python" ] || py -c 'import h5py; f = h5py.File("without.h5")
assert "iteration" not in f["n00012x00012x00006"] and "residual_history" not in f["n00012x00012x00006"]' ||
    fail 'histories that nobody asked for'
expect 5 run h.cfg -o without.h5; says 'output.history false -> true'; says 'use -o FILE or --force'
expect 0 run h.cfg -o without.h5 --force; same whole.h5 without.h5
expect 3 check h.cfg -s output.history=200; says "'output.history' must be true or false"
expect 3 check "$top/configs/bvp_table1.cfg" -s output.history=true
says "'output.history' is a key of elliptic, not of bvp"
sed 's/output *= {/output = { history = true;/' "$top/configs/tiny_heat.cfg" >heat.cfg
expect 3 check heat.cfg; grep -Eq "^heat.cfg:[0-9]+: error: 'output.history' is a key of elliptic, not of heat" err ||
    fail 'a heat equation with a history'
expect 3 check h.cfg -s 'sweep={ iteration = [1, 2]; }'; says 'it is a variable of the output file'
expect 0 explain output.history; prints '1024 of them, as residual_history'

# ---- the plan counts it: 8 bytes an iteration that may come
bytes() { "$sweep" check "$@" --json 2>err | grep -o '"bytes_output": [0-9.e+]*' | cut -d' ' -f2; }
awk -v with="$(bytes h.cfg -s iterations=500)" -v without="$(bytes h.cfg -s iterations=500 -s output.history=false)" \
    'BEGIN { exit !(with - without == 16*8*501) }' || fail 'what check says of the output'

# ---- ranks
if built_with_mpi && command -v mpirun >/dev/null; then
    for n in 2 3; do
        ranks 0 $n "$sweep" run h.cfg -o ranks.h5 -s run.batch=2 --force; holds ranks.h5; same whole.h5 ranks.h5
    done
else
    skipped 'ranks: no mpirun, or built without MPI'
fi

summary
