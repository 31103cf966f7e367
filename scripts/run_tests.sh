#!/bin/sh
# run_tests.sh BUILD: run every test program in BUILD from the top of the checkout, then the script tests.
# SW_NEED=cuda turns the skips of rows that need a GPU into failures. SW_SANITIZED=1: the build has sanitizers.
# SW_JOBS=N runs N at a time; the output of each comes when it has ended. SW_EXCEPT=NAME leaves one out.
cd "$(dirname "$0")/.." || exit 1
if [ "$1" = --one ]; then  # FOLDER PROGRAM: for ourselves
    folder=$2 name=$(basename "$3")
    {
        printf '== %s\n' "$3"
        "$3" || { echo "FAILED: $3"; echo "$3" > "$folder/$name.failed"; }
    } > "$folder/$name.out" 2>&1
    exec flock "$folder" cat "$folder/$name.out"
fi
build=$1
export SWEEP="$PWD/$build/sweep" ASAN_OPTIONS="${ASAN_OPTIONS:-detect_leaks=1}"
programs() {
    [ -z "$SW_SANITIZED" ] && [ -e .git ] && printf '%s\n' scripts/check_includes.sh scripts/check_columns.sh
    for program in "$build"/test_*; do
        case $program in *.o|*.d|*/"$SW_EXCEPT") continue ;; esac
        [ -x "$program" ] && echo "$program"
    done
    [ -z "$SW_SANITIZED" ] && ls tests/test_*.sh
}
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
programs | xargs -P "${SW_JOBS:-1}" -n 1 scripts/run_tests.sh --one "$folder"
total=$(programs | wc -l)
failed=$(cat "$folder"/*.failed 2> /dev/null | tr '\n' ' ')
set -- $failed
echo "$((total - $#)) passed, $# failed"
[ $# -eq 0 ] || { echo "failed: $failed" >&2; exit 1; }
