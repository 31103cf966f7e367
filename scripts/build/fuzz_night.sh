#!/bin/bash
# fuzz_night.sh [SECONDS [SEED]]: damaged configs and damaged output files for the whole program, for so long in all
# (8 hours), one process at a time:
#     3 tenths  tests/unit/sweep/test_mutants.c: configs with a few edits, in one process, under sanitizers
#     2 tenths  tests/fuzz/mutate_configs.py: such configs through check, run and show of the sanitized program
#     1 tenth   tests/rows/problem/fields/test_fields_random.c: random equations of fields in each row of a CPU
#     2 tenths  tests/fuzz/damage_results.py: show, status, merge, xdmf, resume, run, plot on damaged files and parts
#     besides   tests/faults with SW_LONG=1: each call that may fail, in each order; and all random cases of tests in C
#     2 tenths  scripts/build/fuzz.sh: the libFuzzer targets, where there is clang
# SEED (the day: 20261122) makes other mutants. Inputs that found something, and the logs, go to build/fuzz; the summary
# is printed at the end. Exit code 1: something was found; what happens inside libhdf5 is counted, and is none of it.
cd "$(dirname "$0")/../.." || exit 1
seconds=${1:-28800}
seed=${2:-$(date +%Y%m%d)}
folder=$PWD/build/fuzz
python=$(scripts/build/find_python.sh)
sanitized=build/sanitize
mkdir -p "$folder" || exit 1
long='bvp bvp_reference elliptic equation_differences recursive tridiagonal'
make -s -j"$(nproc)" sweep build/fail_nth.so build/jump_clock.so build/at_call \
        build/test_fields_random $(printf 'build/test_%s ' $long) &&
    make -s -j"$(nproc)" B=$sanitized SANITIZE=1 CUDA= $sanitized/sweep $sanitized/test_mutants || exit 1
export OMP_WAIT_POLICY=passive
found=0
running=''
# timeout has a process group of its own, which Ctrl-C does not reach
trap '[ -z "$running" ] || { kill $running; wait $running; }; echo "fuzz: stopped; logs are in $folder" >&2; exit 130' \
    INT TERM

# part NAME SECONDS COMMAND...: nothing goes on for much longer than it was given
part() {
    local name=$1 limit=$(($2 * 2 + 900))
    shift 2
    timeout -k 60 "$limit" nice -n 19 "$@" > "$folder/$name.log" 2>&1 &
    running=$!
    wait $running
    local code=$?
    [ $code = 0 ] || [ $code = 77 ] || { found=1; echo "$name: exit code $code, see $folder/$name.log"; }
    grep -E '^(FOUND|in libhdf5|seed )|mutants|texts in|cases, ' "$folder/$name.log"
}

part mutants $((seconds * 3 / 10)) env SW_SANITIZED=1 SW_FUZZ_SECONDS=$((seconds * 3 / 10)) SW_FUZZ_SEED="$seed" \
    SW_FUZZ_FOLDER="$folder" LSAN_OPTIONS=print_suppressions=0 $sanitized/test_mutants
part fields $((seconds / 10)) env SW_FUZZ_SECONDS=$((seconds / 30)) SW_FUZZ_SEED="$seed" build/test_fields_random
if [ -n "$python" ]; then
    part configs $((seconds * 2 / 10)) "$python" tests/fuzz/mutate_configs.py $sanitized/sweep $((seconds * 2 / 10)) \
        --seed "$seed" --folder "$folder"
    part results $((seconds * 2 / 10)) "$python" tests/fuzz/damage_results.py $sanitized/sweep $((seconds * 2 / 10)) \
        --seed "$seed" --folder "$folder" --plain ./sweep
else
    echo 'skipped: what is driven by Python (needs python3 with h5py)'
fi
for test in faults writers join checksum; do
    part "$test" 3600 env SW_LONG=1 SWEEP="$PWD/build/sweep" "tests/faults/test_$test.sh"
done
for test in $long; do part "$test" 3600 env SW_LONG=1 "build/test_$test"; done
part libfuzzer $((seconds * 2 / 10)) scripts/build/fuzz.sh $((seconds / 10)) "$folder"
if [ $found = 0 ]; then echo "fuzz: nothing found in $seconds s, seed $seed"
else echo "fuzz: something was found; it is in $folder"; fi
exit $found
