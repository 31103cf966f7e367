#!/bin/bash
# gpu_check.sh BUILD [LOG [PART]]: everything that a machine with a GPU has to show, in one go of at most 9 minutes.
#   BUILD  a folder with sweep and the test programs, as `make portable` fills build/portable (where the machine has a
#          compiler, but not the libraries: scripts/build/pack_libraries.sh)
#   LOG    where all output goes (default: BUILD/gpu_check.log); the summary goes to stdout
#   PART   suite (the tests, no row skipped for want of a device), scripts (those of the suite alone), runs
#          (compute-sanitizer on small sweeps by every row, small_runs.sh) or sanitizers (the same on the small suite);
#          default: suite, runs and sanitizers, side by side. Where there are several GPUs the sanitizers are spread
#          over them; a test of the suite has all of them
# SW_SANITIZE=GLOB leaves only tests, or sweeps, of such a name to the sanitizers: one GPU does not get through all
# tests in time.
# It fails if any step fails, or does not end in time. A tool that is not there is reported, and counts as a failure
# too.
cd "$(dirname "$0")/../.." || exit 1
build=${1:?usage: scripts/gpu/gpu_check.sh BUILD [LOG [PART]]}
log=${2:-$build/gpu_check.log}
part=${3:-suite runs sanitizers}
limit=${SW_LIMIT:-560}  # seconds
: > "$log" || exit 1
failures=$(mktemp) || exit 1
small=$(mktemp -d) || exit 1
trap 'rm -rf "$failures" "$small"' EXIT

say() { printf '%s\n' "$*" | tee -a "$log"; }
left() { echo $((limit - SECONDS > 5 ? limit - SECONDS : 5)); }

# step NAME SECONDS COMMAND...: run it, its output into the log when it has ended; one line of summary. Steps may run
# side by side.
step() {
    local name=$1 most=$2 start=$SECONDS code verdict output
    output=$(mktemp)
    shift 2
    [ "$most" -lt "$(left)" ] || most=$(left)
    printf '\n===== %s: %s\n' "$name" "$*" > "$output"
    timeout -k 5 "$most" "$@" >> "$output" 2>&1 < /dev/null
    code=$?
    case $code in
        0) verdict=ok ;;
        124|137) verdict="FAILED: not done after $most s" ;;
        *) verdict="FAILED: exit code $code" ;;
    esac
    [ $code -eq 0 ] || echo "$name" >> "$failures"
    cat "$output" >> "$log"
    rm -f "$output"
    say "$(printf '%-76s %4d s  %s' "$name" $((SECONDS - start)) "$verdict")"
}

# queued ...: a step as soon as one of so many places is free
places=$(($(nproc) / 2 > 16 ? $(nproc) / 2 : 16)) taken=0
queued() {
    [ $taken -lt $places ] || { wait -n; taken=$((taken - 1)); }
    step "$@" &
    taken=$((taken + 1))
}

missing() { echo "$1" >> "$failures"; say "$(printf '%-76s         FAILED: %s' "$1" "$2")"; }

"$build/sweep" -V 2>&1 | tee -a "$log"  # version, commit, compiler
say "device   $(nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader 2>&1 | head -n 1)"
say "date     $(date -u +%Y-%m-%dT%H:%M:%SZ)"

# ---- what takes longest begins first; test_fd compiles some thousand kernels, each row's tests in a process of their
# own. Threads of so many processes get in each other's way if they spin.
export SW_NEED=cuda OMP_WAIT_POLICY=passive
IFS=, read -ra gpus <<< "${CUDA_VISIBLE_DEVICES:-$(nvidia-smi --query-gpu=index --format=csv,noheader | paste -sd,)}"
[ ${#gpus[@]} -gt 0 ] || gpus=(0)
turn=0
# sanitized TOOL TEST [NAME [ROW]]: all of a test program, or its test of that name, of all rows or of one
sanitized() {
    local tool=$1 test=$2 only=${3:-} row=${4:-}
    [[ $test == ${SW_SANITIZE:-*} ]] || return
    [ -x "$build/$test" ] || { missing "$tool $test" "$build/$test is not there"; return; }
    queued "$tool $test $only $row" 450 env SW_SMALL=1 SW_DEVICE_ROWS=1 OMP_NUM_THREADS=1 \
        ${only:+SW_TESTS="$only"} ${row:+SW_ROWS="$row"} \
        CUDA_VISIBLE_DEVICES="${gpus[turn++ % ${#gpus[@]}]}" \
        compute-sanitizer --tool "$tool" --report-api-errors no --error-exitcode 99 "$build/$test"
}
# names_of TEST: of its tests, in their order, as the program itself tells them
names_of() { SW_LIST=1 "$build/$1" | awk '!seen[$0]++'; }
# rows_of TITLE: the rows that `sweep list` has under it
rows_of() { "$build/sweep" list | awk -v title="$1" '/^[^ ]/ { here = $0 == title; next } here { print $1 }'; }
# Rows of compact differences: those that compile kernels one by one, the others together.
fd_rows() {
    rows_of 'compact finite differences' | awk '/^cuda/ { print; next } { others = others (others ? "," : "") $1 }
        END { if (others) print others }'
}
scripts() {
    SW_JOBS=$((places / 4)) SW_EXCEPT='test_*' queued 'scripts of the suite' 550 scripts/build/run_tests.sh "$build"
}
suite() {
    local row test rows tests program memory=takes_no_more_memory_than_it_says
    # what is free of the GPU's memory says nothing where others take it: by itself
    SW_TESTS=$memory step "test_tridiagonal $memory" 60 "$build/test_tridiagonal"
    scripts  # they take longest
    for row in $(rows_of steppers); do  # cuda.fused compiles a kernel for each of its random models
        queued "test_line_models $row" 500 env OMP_NUM_THREADS=4 SW_ROWS="$row" "$build/test_line_models"
    done
    for program in "$build"/test_*; do
        test=${program##*/}
        # below, in parts
        case $test in test_fd|test_elliptic|test_field_rows_agree|test_line_models|test_own_steps|test_tridiagonal)
            continue ;; esac
        queued "$test" 400 env OMP_NUM_THREADS=4 "$program"
    done
    for row in $(rows_of 'elliptic problems'); do
        queued "test_elliptic $row" 400 env OMP_NUM_THREADS=4 SW_ROWS="$row" "$build/test_elliptic"
    done
    for row in $(rows_of 'steppers in two and three dimensions'); do
        [ "$row" != cpu.plain ] || continue  # the reference of the others
        for test in $(names_of test_field_rows_agree); do
            queued "test_field_rows_agree $row $test" 500 env OMP_NUM_THREADS=4 SW_ROWS="$row" SW_TESTS="$test" \
                "$build/test_field_rows_agree"
        done
    done
    for program in test_own_steps test_tridiagonal; do
        tests=$(names_of $program)
        [ "$tests" ] || missing "tests of $program" "$build/$program names none"
        for test in $tests; do
            [ "$program $test" = "test_tridiagonal $memory" ] ||
                queued "$program $test" 400 env OMP_NUM_THREADS=4 SW_TESTS="$test" "$build/$program"
        done
    done
    rows=$(fd_rows) tests=$(names_of test_fd)
    [ "$rows" ] || missing 'rows of test_fd' "$build/sweep list names none"
    [ "$tests" ] || missing 'tests of test_fd' "$build/test_fd names none"
    for row in $rows; do
        for test in $tests; do
            queued "test_fd ${row%%,*} $test" 400 env OMP_NUM_THREADS=4 SW_ROWS=$row SW_TESTS="$test" "$build/test_fd"
        done
    done
}
runs() {
    local tool name
    command -v compute-sanitizer > /dev/null || { missing 'compute-sanitizer' 'not on this machine'; return; }
    for tool in racecheck memcheck initcheck synccheck; do
        mkdir "$small/$tool"
        for name in $(scripts/gpu/small_runs.sh --list "$build/sweep"); do
            # shellcheck disable=SC2053  # a pattern
            [[ $name == ${SW_SANITIZE:-*} && "$tool $name" != 'racecheck elliptic_csr' ]] || continue
            queued "$tool of a small sweep: $name" 300 env OMP_NUM_THREADS=2 \
                CUDA_VISIBLE_DEVICES="${gpus[turn++ % ${#gpus[@]}]}" scripts/gpu/small_runs.sh --only "$name" \
                "$build/sweep" "$small/$tool" \
                compute-sanitizer --tool "$tool" --report-api-errors no --error-exitcode 99
        done
    done
}
sanitizers() {
    local tool test tests row
    command -v compute-sanitizer > /dev/null || { missing 'compute-sanitizer' 'not on this machine'; return; }
    tests=$(SW_SMALL=1 SW_DEVICE_ROWS=1 names_of test_stepper)
    [ "$tests" ] || missing 'tests of test_stepper' "$build/test_stepper names none"
    for tool in racecheck memcheck initcheck synccheck; do  # test_stepper compiles most, and takes longest
        for test in $tests; do sanitized $tool test_stepper "$test"; done
    done
    for tool in racecheck memcheck initcheck synccheck; do
        for test in test_advection test_band test_fd_fused test_fd_nabla test_bvp test_stepper_long \
                    test_stepper_single test_bvp_ends test_imex test_line_models; do
            sanitized $tool $test
        done
        for row in relations relations_adaptive spike spike_untiled spike_unmarshalled spike_thomas; do
            sanitized $tool test_tridiagonal '' cuda.$row
        done
        sanitized $tool test_system_entries
        sanitized $tool test_fd_cut
        for row in cuda.modal cuda.multigrid cuda.interleaved cuda.pcg; do
            sanitized $tool test_elliptic_cut '' $row
        done
        for test in $(SW_SMALL=1 SW_DEVICE_ROWS=1 names_of test_own_steps); do
            sanitized $tool test_own_steps "$test"
        done
        for row in $(rows_of 'elliptic problems' | grep ^cuda); do
            [ "$tool $row" = "racecheck cuda.csr" ] && continue  # it reports cuSPARSE's own kernels
            for test in $(SW_SMALL=1 SW_DEVICE_ROWS=1 SW_ROWS=$row names_of test_elliptic); do
                sanitized $tool test_elliptic "$test" "$row"
            done
        done
    done
}
for one in $part; do
    case $one in suite|scripts|runs|sanitizers) $one ;; *) missing "$one" 'there is no such part' ;; esac
done
wait
if [[ $part != suite ]]; then
    grep -aE '^=+ ERROR SUMMARY|^=+ RACECHECK SUMMARY' "$log" | sort | uniq -c | sed 's/^/    /'
fi
grep -aE '^FAILED: [a-z]+/|^\[  FAILED  \] [a-z]|passed, [0-9]+ failed$' "$log" | sort -u | sed 's/^/    /' | head -n 40

[[ $part == *suite* ]] || { say "$(wc -l < "$failures") failed, $SECONDS s"; [ ! -s "$failures" ]; exit; }

# ---- the CPU's answer within rounding, over a time in which rounding grows little (growth rate <= 1/4)
compare() {
    python3 - "$1" "$2" <<'END'
import sys, h5py, numpy as np
a, b = (h5py.File(f, "r")["u"][...].astype(float) for f in sys.argv[1:3])
off = np.abs(a - b).max()
print(f"{a.shape}: largest difference {off:.3g} of {np.abs(a).max():.3g}")
sys.exit(not off <= 1e-10 * np.abs(a).max())
END
}
if python3 -c 'import h5py' 2> /dev/null; then
    folder=$(mktemp -d)
    for device in cpu cuda; do
        step "ch_forcing on $device" 60 "$build/sweep" configs/ch_forcing.cfg --device $device -o "$folder/$device.h5" \
            -s time.end=10.0 -s output.fields.precision=double
    done
    export -f compare
    step 'ch_forcing: cuda = cpu' 30 bash -c "compare $folder/cpu.h5 $folder/cuda.h5"
    grep -a 'largest difference' "$log" | sed 's/^/    /'
    rm -rf "$folder"
else
    say 'ch_forcing: python3 has no h5py here; not compared'
fi

say "$(wc -l < "$failures") failed, $SECONDS s"
[ ! -s "$failures" ]
