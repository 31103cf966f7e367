#!/bin/bash
# The papers' tables and figures again: each published value has ours beside it, or a reason; a missing one is found.
# The quickest part runs. SWEEP is the program.
cd "$(dirname "$0")/../../.." || exit 1
. tests/helpers/helpers.sh || exit 1
cd "$top" || exit 1
command -v python3 >/dev/null || { skipped 'no python3'; summary; exit; }
build=$(dirname "$sweep") claims=scripts/papers/claims.py all=scripts/papers/reproduce_all.sh
export PYTHONDONTWRITEBYTECODE=1
# run CODE COMMAND...: its output goes to out and err
run() {
    local code=$1
    shift
    "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    local got=$?
    [ $got = "$code" ] || fail "$*: exit code $got, expected $code"
}
finds() { grep -qE -- "$1" "$tmp/out" || fail "stdout does not match: $1"; }
lists() { grep -qF -- "$1" "$tmp/err" || fail "stderr does not list: $1"; }

# ---- parts, their time, and what they make
run 0 $all --list "$build"
finds '^cupentbatch[.]convergence +[0-9]+ s  cupentbatch_convergence,cupentbatch_spacetime$'
[ "$(awk '{ sum += $2 } END { print sum <= 1200 }' "$tmp/out")" = 1 ] || fail 'parts take more than 20 minutes'
run 0 $all --dry-run --paper bvp --time 100 "$build" "$tmp/dry"
finds '^\[[0-9]+ s\] bvp[.]errors, at most [0-9]+ s: scripts/papers/reproduce_bvp[.]sh --table 1 --table 2 '
[ ! -e "$tmp/dry" ] || fail 'a dry run makes a folder'
run 1 $all --part no.such "$build" "$tmp/none"; lists 'no part no.such: see --list'
run 2 $all --no-such-option; lists 'reproduce_all.sh [OPTION...] BUILD [FOLDER]'

# ---- a part: ours beside what is published
# no pictures: test_bench.sh draws them
printf '#!/bin/sh\ncase $1 in *plot*) exit 0 ;; esac\nexec %s "$@"\n' "${python:-false}" >"$tmp/python"
chmod +x "$tmp/python"
export SWEEP_PYTHON=$tmp/python
run 0 $all --part cupentbatch.convergence "$build" "$tmp/all"
finds '^Figure 2: slope of the error over N$'
finds '^    published -2[.]0162 .*; ours -2[.]0065, n = 32 … 512; met'
finds '^    published slope -2 over the number of steps; ours -2[.]01[0-9]*, steps = 4 … 32; met'
[ -z "$python" ] ||
    finds '^    published a picture; ours u_max falls to 0[.]0827: rate 249[0-9.]*, exact 24936[.]7; met'

# ---- a value that is missing is found, in a table too, and a part that fails
expected=cupentbatch_convergence,cupentbatch_spacetime
mkdir "$tmp/few"
grep -v '^n,' "$tmp/all/cupentbatch_convergence.csv" >"$tmp/few/cupentbatch_convergence.csv"
run 1 $claims --check --device cpu --expect $expected "$tmp/few"
lists 'rows have a published value and none of ours:'; lists 'cuPentBatch, Figure 2: slope of the error over N'
printf '# Table I; a machine, commit 0\nn,algorithm,here\n1048576,a1d,1.9e-13\n' >"$tmp/few/bvp_table1.csv"
run 1 $claims --check --device cpu --expect bvp_table1 "$tmp/few"
finds ' a1d, n = 1048576  *1.930917e-13  *1.90e-13 '
lists 'the boundary value paper, Table I: relative errors, P1, CPU: a1s, n = 1048576'
mkdir "$tmp/broken"
printf '#!/bin/sh\n[ "$1" != run ] || { echo "cannot run" >&2; exit 4; }\nexec %s "$@"\n' "$(realpath "$sweep")" \
    >"$tmp/broken/sweep"
chmod +x "$tmp/broken/sweep"
run 1 $all --part cupentbatch.convergence "$tmp/broken" "$tmp/nothing"
finds '  failed: .*convergence failed$'
lists 'reproduce_all.sh: failed: cupentbatch.convergence claims'

# ---- what is kept: rows of the GPU are not asked of a machine without one; each row without a value has a reason
run 2 $claims --paper X
run 0 $claims --csv --expect none results/bench
[ "$(head -n 1 "$tmp/out")" = paper,place,what,published,ours,verdict,files ] || fail 'the columns of claims'
grep -q '^K,Section 3.2,.*,8 (log2 n - 1) + 2,17 (log2 n - 1) + 4,not met,$' "$tmp/out" || fail 'numbers a level'
run 0 $claims --check --device cpu --expect none results/bench

# ---- counters of kernels, as ncu prints them: weighed by time
cat >"$tmp/ncu.csv" <<'CSV'
==PROF== Connected
"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"
"","","","",""
"0","partitions_k(rows)","gpu__time_duration.sum","nsecond","3,000"
"0","partitions_k(rows)","l1tex__t_sector_hit_rate.pct","%","40"
"1","partitions_k(rows)","gpu__time_duration.sum","nsecond","1,000"
"1","partitions_k(rows)","l1tex__t_sector_hit_rate.pct","%","80"
"2","trees_k(level)","gpu__time_duration.sum","usecond","0.5"
CSV
python3 scripts/papers/counters.py cuda.spike partitions=partitions_k 'reduced system=trees_k' none=other \
    <"$tmp/ncu.csv" >"$tmp/out" 2>"$tmp/err"
[ "$(cat "$tmp/out")" = "cuda.spike,partitions,2,4,,,50
cuda.spike,reduced system,1,0.5,,," ] || fail counters.py
run 0 python3 scripts/papers/counters.py --metrics; finds '^gpu__time_duration.sum,.*l1tex__t_sector_hit_rate.pct$'
run 2 python3 scripts/papers/transfers.py
summary
