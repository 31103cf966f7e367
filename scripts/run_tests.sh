#!/bin/sh
# run_tests.sh BUILD: run every test program in BUILD from the top of the checkout, then the script tests.
# SW_NEED=cuda turns the skips of rows that need a GPU into failures. SW_SANITIZED=1: the build has sanitizers.
cd "$(dirname "$0")/.." || exit 1
build=$1
failed=''
passed=0
export SWEEP="$PWD/$build/sweep" ASAN_OPTIONS="${ASAN_OPTIONS:-detect_leaks=1}"
run() {
    printf '== %s\n' "$*"
    if "$@"; then passed=$((passed + 1)); else failed="$failed $1"; echo "FAILED: $*" >&2; fi
}
if [ -z "$SW_SANITIZED" ] && [ -e .git ]; then run scripts/check_includes.sh; fi
for program in "$build"/test_*; do
    case $program in *.o|*.d) continue ;; esac
    [ -x "$program" ] && run "$program"
done
if [ -z "$SW_SANITIZED" ]; then
    for script in tests/test_*.sh; do [ -e "$script" ] && run "$script"; done
fi
set -- $failed
echo "$passed passed, $# failed"
[ $# -eq 0 ] || { echo "failed:$failed" >&2; exit 1; }
