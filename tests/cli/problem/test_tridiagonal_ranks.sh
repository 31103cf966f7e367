#!/bin/bash
# Runs of `tridiagonal` that do not fit the memory (run.memory makes it small), by the ranks that mpirun has started:
# those that have no run of their own take slices of another's. The file has the bits of one process, also where a rank
# was killed, all were stopped, or a rank has lost its device (in the middle of a step: test_workers.c), and whether MPI
# buffers messages or not. Skipped where test_mpi.sh is.
build=$(dirname "${SWEEP:-build/sweep}")
cd "$(dirname "$0")/../../.." || exit 1
case $build in /*) ;; *) build=$PWD/$build ;; esac
. tests/helpers/helpers.sh || exit 1
. "$top/tests/helpers/mpi_helpers.sh"
. "$top/tests/helpers/tridiagonal_config.sh"
built_with_mpi || { skipped 'several ranks: built without MPI'; summary; exit; }
need_mpirun

config() { tridiagonal_config 'memory = 0.004;' "$@"; }
config 1500000 "$given" 'exact = "sin(i)*cos(i/3)*exp(-i*1e-7) + tanh(i/1e6)";' >slow.cfg
expect 0 -q run slow.cfg -j 1 -o slow.h5
expect 0 check slow.cfg -j 1
slices=$(sed -n 's/.* \([0-9]*\) slices a run.*/\1/p' out)
[ "$slices" -ge 32 ] || fail "only $slices slices"

# ---- several take slices of one run: a device of each rank, two of each
together() { grep -qE "^devices +batch 1, step [0-9]+, $1 at once" err; }
# a rank that starts late on a busy machine comes when all is done: then once more
tries() {  # tries FILE DEVICES NUMBER PROGRAM...
    local t
    for t in 1 2 3 4; do
        rm -rf "$1" log
        ranks 0 "${@:3}" -o "$1"
        together "$2" && break
    done
}
for n in 2 3; do
    tries by-$n.h5 $n $n "$sweep" run slow.cfg -v --log-json log
    together $n || fail "stderr does not say $n at once"
    grep -q "\"event\": \"devices\", .*\"devices\": $n" log || fail "the log does not say that $n devices compute it"
    same slow.h5 by-$n.h5
    [ -e by-$n.h5.d ] && fail "by-$n.h5.d was left"
done
tries teams.h5 4 2 "$sweep" run slow.cfg -v --device cpu:0,1
together 4 || fail 'stderr does not say 4 at once'
same slow.h5 teams.h5

# ---- more runs than ranks, a circle, fields in single precision, or none; a run that fails harms no other
config 300000 'sweep = { s = [1, 2, 3]; };' 'matrix = "uniform"; seed = "s"; exact = "cos(i)";' >three.cfg
for more in output.fields.precision=double output.fields.precision=single cyclic=true; do
    expect 0 -q run three.cfg -j 1 --set $more -o three.h5 --force
    ranks 0 3 $unbuffered "$sweep" run three.cfg --set $more -o ranks.h5 --force; same three.h5 ranks.h5
done
sed '/^output/d' three.cfg >bare.cfg
expect 0 -q run bare.cfg -j 1 -o bare.h5
ranks 0 2 "$sweep" run bare.cfg -o bare-2.h5; same bare.h5 bare-2.h5
config 300000 'sweep = { at = [0, 250000]; };' \
    'lower = "1"; main = "(i == at ? 1/0 : 4)"; upper = "1"; rhs = "1";' >bad.cfg
expect 1 -q run bad.cfg -j 1 -o bad.h5
ranks 1 3 "$sweep" run bad.cfg -o bad-3.h5; same bad.h5 bad-3.h5
expect 0 show bad-3.h5 --run 1; prints 'main of row 250000 is infinite'

# ---- a rank is killed, or stopped, while all compute one run; another number goes on
config 1500000 "$given" 'exact = "sin(sin(sin(sin(sin(sin(i)))))) + cos(cos(cos(cos(cos(cos(i/3)))))) +"
    "exp(-exp(-exp(-exp(-i*1e-7)))) + tanh(tanh(tanh(tanh(tanh(tanh(tanh(i/1e6)))))))";' >long.cfg
expect 0 -q run long.cfg -j 1 -o long.h5
parts() { local p=0 f; for f in "$1".d/part-*.h5; do [ -e "$f" ] && p=$((p + 1)); done; echo $p; }
interrupted() {  # interrupted RANKS RANK SIGNAL CODE CHECKPOINT: while the leader stores that one, and waits
    local n=$1 rank=$2 signal=$3 code=$4 pid
    rm -f there go
    FAIL_KIND=rename FAIL_FROM=part- FAIL_AT=$5 FAIL_MARK=$tmp/there FAIL_SLEEP=60 FAIL_UNTIL=$tmp/go \
        LD_PRELOAD=$build/fail_nth.so timeout -k 5 100 mpirun -n $n \
        "$sweep" run long.cfg -v -s run.checkpoint=1e-6 -o k.h5 >out 2>err </dev/null &
    local mpirun=$!
    while kill -0 $mpirun 2>/dev/null && [ ! -e there ]; do sleep 0.05; done
    for pid in $(pgrep -f 'run long.cfg -v -s run.checkpoint=1e-6 -o k.h5$'); do
        tr '\0' '\n' </proc/$pid/environ 2>/dev/null | grep -qx "OMPI_COMM_WORLD_RANK=$rank" && kill -$signal $pid
    done
    touch go
    wait $mpirun
    local got=$?
    [ $got = "$code" ] || fail "after $signal of rank $rank of $n: exit code $got, expected $code"
    [ ! -e k.h5 ] || fail "k.h5 is there, after $signal of rank $rank"
}
interrupted 2 1 KILL 137 4                       # in the first pass
interrupted 3 0 KILL 137 4
interrupted 3 2 USR1 75 14                       # in the second pass
interrupted 2 1 KILL 137 3
ranks 0 3 "$sweep" run long.cfg -o k.h5; says ' from step '
same long.h5 k.h5
[ -e k.h5.d ] && fail 'k.h5.d was left'
interrupted_by_one() { rm -rf k.h5 k.h5.d; interrupted 3 1 USR1 75 5; expect 0 run long.cfg -j 1 -o k.h5; }
interrupted_by_one; says ' from step '; same long.h5 k.h5
# with less memory it begins again, in more slices
slowly 0.02 expect 75 run slow.cfg -j 1 -o less.h5 -s run.memory=0.008 -s run.checkpoint=1e-6 --max-time 0.01
ranks 0 2 "$sweep" run slow.cfg -o less.h5; says "run 0 begins again, in $slices slices"; same slow.h5 less.h5

# ---- memory fails in the rank that helps: the other goes on without its device; a disk fails there: that ends the job,
# and says where
failing() {  # failing CODES KIND AT CONFIG OPTION...: call AT of rank 1 of 2; its exit code goes to $code
    local codes=$1 kind=$2 at=$3
    shift 3
    rm -rf f.h5 f.h5.d fault
    local harm="FAIL_KIND=$kind FAIL_AT=$at FAIL_LOG=$tmp/fault LD_PRELOAD=$build/fail_nth.so"
    timeout -k 5 100 mpirun -n 2 sh -c "[ \$OMPI_COMM_WORLD_RANK != 1 ] || export $harm
        exec '$sweep' run $* -j 1 -o f.h5" >out 2>err </dev/null
    code=$?
    case " $codes " in *" $code "*) ;; *) fail "$kind fails at call $at of rank 1: exit code $code" ;; esac
}
export FAIL_BYTES=$((80 * slices))  # the relations: once for the plan's trial, once for the run
for tries in 1 2 3 4; do failing 0 memory 2 slow.cfg; grep -q fired fault && break; done
grep -q fired fault || fail 'memory did not fail in the run'
says 'warning: rank 1 of 2 on '; says 'the other devices continue without it'; same slow.h5 f.h5
unset FAIL_BYTES
if [ -n "$python" ]; then
    py - <<'PY' || fail 'system.h5'
import h5py, numpy
random = numpy.random.default_rng(1)
with h5py.File("system.h5", "w") as f:
    for name in "dl", "d", "du", "f": f[name] = random.uniform(-1, 1, 1000000)
PY
    config 1000000 'source = { file = "system.h5"; lower = "/dl"; main = "/d"; upper = "/du"; rhs = "/f"; };' >file.cfg
    sed -i 's/memory = 0.004/memory = 0.005/' file.cfg
    expect 0 -q run file.cfg -j 1 -o file.h5
    failing 0 read 1000000 file.cfg; same file.h5 f.h5
    FAIL_KIND=read FAIL_AT=1000000 FAIL_LOG=$tmp/fault LD_PRELOAD=$build/fail_nth.so \
        "$sweep" check --device cpu -j 1 file.cfg >out
    plan=$(sed -n 's/ calls.*//p' fault)
    for behind in 28 20 36 12 24 44 8 16 32 52 60 40; do  # its reads for the plan; how many steps it has, differs
        failing '0 3 4 5' read $((plan + behind)) file.cfg
        [ $code = 5 ] && grep -qF 'rank 1 of 2 on ' err && grep -qF system.h5 err && break  # not one of a part
    done
    says 'rank 1 of 2 on '; says 'system.h5'
    ranks 0 2 "$sweep" run file.cfg -j 1 -o f.h5; same file.h5 f.h5
fi

summary
