#!/bin/sh
# run_tests.sh BUILD: run every test program in BUILD from the top of the checkout, and the script tests.
# SW_NEED=cuda turns the skips of rows that need a GPU into failures. SW_SANITIZED=1: the build has sanitizers.
# SW_JOBS=N runs N at a time (else one for each core, up to four); the output of each comes when it has ended.
# SW_EXCEPT=GLOB leaves programs out.
cd "$(dirname "$0")/../.." || exit 1
if [ "$1" = --one ]; then  # FOLDER PROGRAM: for ourselves
    folder=$2 name=$(basename "$3")
    began=$(date +%s)
    "$3" > "$folder/$name.said" 2>&1 || echo "$3" > "$folder/$name.failed"
    took=$(($(date +%s) - began))
    # What its processes have computed: the last line of `times`, as in 0m1.5s 0m0.2s.
    times > "$folder/$name.times"
    cpu=$(awk 'END { gsub(/[ms]/, " "); printf "%.0f", 60*($1 + $3) + $2 + $4 }' "$folder/$name.times")
    echo "$took $cpu $3" > "$folder/$name.took"
    {
        printf '== %s (%d s, %d of the processor)\n' "$3" $took "$cpu"
        cat "$folder/$name.said"
        [ ! -e "$folder/$name.failed" ] || echo "FAILED: $3"
    } > "$folder/$name.out"
    exec flock scripts/build/run_tests.sh cat "$folder/$name.out"  # of all suites that run
fi
build=$1
export BUILD="$build" SWEEP="$PWD/$build/sweep" ASAN_OPTIONS="${ASAN_OPTIONS:-detect_leaks=1:handle_sigill=2}"
export SW_PYTHON="$(scripts/build/find_python.sh)"  # looked for once, as that takes time
export OMP_WAIT_POLICY="${OMP_WAIT_POLICY:-passive}"  # threads that spin take the time of the test beside them
# The longest begin first, so that none is left alone at the end; the others in any order.
longest='plot fields_emulated domains mpi fields_kernels bench fields_walls_emulated field_rows_agree refine equations
    own_steps gather shipped elliptic cli ladder fuzz_smoke kernels bvp pencils tridiagonal_stream fd_cut problem
    kernel tridiagonal equation_stability paces report faults stop stepper clock readers fd field_rows commands
    tutorial statistics scale ladders equation attack paces_emulated fd_fused fields_random steps_rounding advection
    workers lengthen evaluations elliptic_cut wrong_values tridiagonal_ranks submit kill initial_file writers
    results join field_walls comm bvp_reference w_methods stepper_long line_ends not_finite status noise checksum'
programs() {
    {
        if [ -z "$SW_SANITIZED" ]; then
            [ -e .git ] && ls scripts/build/check_*.sh
            grep -L "$waits" $scripts
        fi
        for program in "$build"/test_*; do
            case $program in *.o|*.d|*/${SW_EXCEPT:-none}) continue ;; esac
            [ -x "$program" ] && echo "$program"
        done
    } | awk -v longest="$longest" 'BEGIN { n = split(longest, name, " "); for (k = 1; k <= n; k++) at[name[k]] = k }
        { name_of = $0; sub(/.*\/test_/, "", name_of); sub(/[.]sh$/, "", name_of)
          print (name_of in at ? at[name_of] : n + 1), $0 }' | sort -n -s -k 1,1 | cut -d' ' -f2
}
# Scripts whose first lines say so hardly compute, and go on beside the others from the start.
waits='^# .*Mostly waits'
scripts=$(find tests/cli tests/faults -name 'test_*.sh' | sort)
waiting() { [ -n "$SW_SANITIZED" ] || grep -l "$waits" $scripts; }
run() { xargs -r -P "$1" -n 1 scripts/build/run_tests.sh --one "$folder"; }
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
waiting | run 100 &
cores=$(nproc)
programs | run "${SW_JOBS:-$((cores < 4 ? cores : 4))}"
wait
total=$({ programs; waiting; } | wc -l)
echo 'The ten that took longest: seconds, seconds of the processor, name'
cat "$folder"/*.took | sort -rn | head -n 10
awk '{ all += $2 } END { print all " seconds of the processor in all" }' "$folder"/*.took
set -- $(cat "$folder"/*.failed 2> /dev/null)
echo "$((total - $#)) passed, $# failed"
[ $# -eq 0 ] && exit 0
for failed; do  # again at the end, where they are looked for
    echo "== $failed, its last lines"
    tail -n 15 "$folder/$(basename "$failed").said"
done >&2
echo "failed: $*" >&2
exit 1
