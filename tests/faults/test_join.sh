#!/bin/bash
# When parts are joined, nothing is lost without a word: each read and each open of a join fails once, parts are removed
# and cut while the sweep runs; and the file has all rows, or the call ends with 5 and what it had is kept. The same for
# `sweep merge`.
cd "$(dirname "$0")/../.." || exit 1
. tests/helpers/helpers.sh || exit 1
library=$(dirname "$sweep")/fail_nth.so
[ -e "$library" ] || { echo "$library is missing: make tests" >&2; exit 1; }
export OMP_NUM_THREADS=1

cat > j.cfg <<'CFG'
title   = "joining";
problem = "hyperdiffusion";
grid    = { n = 16; length = 1.0; };
physics = { gamma = "g"; D = 1.0; };
time    = { dt = 1.0e-6; end = 2.0e-5; };
sweep   = { g = [0.5, 1.0, 2.0, 4.0]; };
initial = "cos(2*pi*x)";
exact   = "cos(2*pi*x)*exp(-gamma*D*(2*pi)^4*t)";
output  = { fields = { times = "linspace(0, end, 3)"; }; scalars = { every = 1.0e-5; }; };
run     = { batch = 2; device = "cpu"; };
CFG
"$sweep" run j.cfg -q -o whole.h5 || { fail "the undisturbed run"; summary; }
mkdir again

# faulty KIND K ARGUMENT...: a call whose K-th KIND fails with EIO
faulty() {
    local kind=$1 k=$2
    shift 2
    rm -f log
    env FAIL_KIND="$kind" FAIL_ERRNO=5 FAIL_AT="$k" FAIL_LOG="$tmp/log" LD_PRELOAD="$library" "$sweep" "$@" >out 2>err
    code=$?
    [ -e log ] || fail "$kind $k: it ended without saying so: exit code $code"
}
next() { if [ -n "$SW_LONG" ] || [ "$k" -lt 12 ]; then k=$((k + 1)); else k=$((k * 4 / 3)); fi; }

# ---- all parts are there, and the rename of what they were joined to has failed: what is left is the join
for ((k = 1; k < 20; k++)); do
    faulty rename $k run j.cfg -q -o ready.h5
    [ -e ready.h5.d ] && [ ! -e ready.h5 ] && [ "$(find ready.h5.d -name 'part-*.h5' | wc -l)" = 2 ] && break
    rm -rf ready.h5*
done
[ -e ready.h5.d ] || fail "there are no parts that are ready to be joined"
for kind in read open; do
    k=1
    while :; do
        cp -r ready.h5.d x.h5.d
        faulty $kind $k run j.cfg -q -o x.h5
        case $code in
            0) ;;
            5) grep -qE '(x\.h5|x\.xdmf|j\.cfg)' err || fail "$kind $k: names no file"
               [ -e x.h5 ] || [ "$(find x.h5.d -name 'part-*.h5' | wc -l)" = 2 ] || fail "$kind $k: parts are gone"
               "$sweep" run j.cfg -q -o x.h5 2>err || fail "$kind $k: the call after it" ;;
            *) fail "$kind $k: exit code $code" ;;
        esac
        [ ! -e x.h5.d ] || fail "$kind $k: left behind: $(ls x.h5.d)"
        mv x.h5 "again/$kind-$k.h5" || fail "$kind $k: no file"
        grep -q fired log || break
        next
    done
    [ $k -gt 10 ] || fail "$kind: hardly a call was counted"
    echo "join, $kind: $(cut -d' ' -f1 log) calls"
done

# ---- the files of shards, whose join is asked for
for k in 1 2; do "$sweep" run j.cfg -q -o s.h5 --shard $k/2 || fail "shard $k"; done
for kind in read open; do
    k=1
    while :; do
        faulty $kind $k merge s.shard-{1,2}-of-2.h5 -o x.h5 -q
        case $code in
            0) mv x.h5 "again/merge-$kind-$k.h5" ;;
            5) grep -qE '(x|s\.shard-.-of-2)\.(h5|xdmf)' err || fail "merge, $kind $k: names no file" ;;
            *) fail "merge, $kind $k: exit code $code" ;;
        esac
        rm -rf x.h5 x.h5.d
        grep -q fired log || break
        next
    done
    [ $k -gt 10 ] || fail "merge, $kind: hardly a call was counted"
    echo "merge, $kind: $(cut -d' ' -f1 log) calls"
done

# ---- a part is harmed while the sweep runs: its runs are computed again, and that is said. The folder's fsync after
# the last part is held up for a second, which is when the harm is done
harmed() {  # harmed NUMBER HARM RUNS ARGUMENT...: when the last of NUMBER parts is there
    local number=$1 harm=$2 runs=$3
    shift 3
    last=x.h5.d/part-00000$number.h5
    (for ((k = 0; k < 6000; k++)); do [ -e $last ] && break; sleep 0.01; done; eval "$harm") & harming=$!
    FAIL_KIND=fsync FAIL_AT=$((2 * number)) FAIL_FROM=part- FAIL_SLEEP=1 LD_PRELOAD=$library \
        expect 0 run j.cfg -o x.h5 "$@"
    wait $harming || fail "$harm: there was nothing to harm"
    says "warning: x.h5: the results of $runs had ended are gone"; says 'computed again'; says 'done     4 ok'
    [ ! -e x.h5.d ] || fail "$harm: left behind: $(ls x.h5.d)"
    mv x.h5 "again/harmed-$((++harms)).h5" || fail "$harm: no file"
}
first=x.h5.d/part-000001.h5
harmed 2 "rm $first" '2 runs that'
harmed 2 "truncate -s 5000 $first" '2 runs that'; says "$first is a damaged HDF5 file"
harmed 2 "truncate -s -1 $first" '2 runs that'
harmed 2 "truncate -s 0 x.h5.d/part-000002.h5" '2 runs that'; says 'x.h5.d/part-000002.h5 is not an HDF5 file'
harmed 2 "rm $first ${first/1.h5/2.h5}" '4 runs that'
harmed 1 "rm $first" '4 runs that' -s run.batch=0
harmed 1 "truncate -s 5000 $first" '4 runs that' -s run.batch=0
harmed 1 "rm $first" '4 runs that' -s run.batch=0 --force --log-json events
[ "$(grep -c '"event": "missing", .*"runs": 4' events)" = 1 ] || fail 'the log says nothing of what was missing'

# ---- damage in the middle of a part that opens: the index of a dataset's chunks is zeros, which is seen before
# anything is computed, or leads beyond the file's end, which the join meets
ready() { rm -rf x.h5*; cp -r ready.h5.d x.h5.d; }
again() {  # again NAME: the two runs of the first part are done once more
    says 'plan     2 of 4 runs left'; says 'done     4 ok'
    [ ! -e x.h5.d ] || fail "$1: left behind: $(ls x.h5.d)"
    mv x.h5 "again/$1.h5" || fail "$1: no file"
}
zeros() { dd if=/dev/zero of="${2:-$first}" bs=1 seek="$1" count=64 conv=notrunc status=none; }
astray() {  # of three dimensions, the address of the first chunk
    printf '\177' | dd of="${2:-$first}" bs=1 seek=$(($1 + 24 + 8 + 8 * 4 + 3)) conv=notrunc status=none
}
# Checksums would tell of it before HDF5 met it: these parts are of a build that wrote none.
[ -n "$python" ] || { summary; exit; }
without_checksums ready.h5.d/part-*.h5
ready
mapfile -t index < <(grep -obUa $'TREE\001' $first | cut -d: -f1)
[ ${#index[@]} -ge 3 ] || fail "the first part has ${#index[@]} indices of chunks"
for command in 'run j.cfg -o x.h5' 'resume x.h5' 'run j.cfg -o x.h5 --force'; do
    for at in "${index[@]}"; do
        ready; zeros $at
        expect 0 status x.h5
        prints '2 done, 0 diverged, 0 failed, 2 pending'; says "warning: $first: wrong B-tree signature; ignored"
        expect 0 $command; says "warning: $first: wrong B-tree signature; ignored"
        again "zeros-$at-${command//[^a-z]/}"
    done
    ready; astray ${index[0]}
    expect 0 $command; says "; put aside as $first.damaged, its results are lost; computed again"
    grep -qE "^warning: $first: addr overflow" err || fail "astray: the cause is not told"
    grep -E '^device ' err | head -n1 | grep -q solver && fail 'names a solver where nothing is left to compute'
    again "astray-${command//[^a-z]/}"
done
harmed 2 "zeros ${index[0]}" '2 runs that'
says "warning: $first is a damaged HDF5 file: by their checksum, bytes 0 to "; says "kept     $first.damaged, until x.h5 has"
harmed 1 "zeros ${index[0]}" '4 runs that' -s run.batch=0

# ---- the same of a file that runs are to be added to: it is not put aside, and the message says what to do
rm -rf x.h5*
expect 0 run j.cfg -o x.h5 -s run.batch=0
without_checksums x.h5
cp x.h5 kept.h5
at=$(grep -obUa $'TREE\001' x.h5 | head -n1 | cut -d: -f1)
astray $at x.h5
expect 5 run j.cfg -o x.h5 -s 'sweep.g=[0.5, 1.0, 2.0, 4.0, 8.0]'
says 'error: x.h5: addr overflow'; says 'the file is damaged: move it away, and the same command computes its runs again'
[ -e x.h5 ] || fail 'a file was put aside'
mv x.h5 away.h5
expect 0 run j.cfg -o x.h5 -s 'sweep.g=[0.5, 1.0, 2.0, 4.0, 8.0]'; says 'done     5 ok'
cp kept.h5 x.h5
zeros $at x.h5
expect 5 run j.cfg -o x.h5; says 'error: x.h5: wrong B-tree signature'
expect 0 run j.cfg -o x.h5 --force; says 'done     4 ok'
mv x.h5 again/forced.h5

py "$top/tests/helpers/compare_h5.py" whole.h5 again/*.h5 || fail "datasets differ after a fault"
summary
