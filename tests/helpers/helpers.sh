# What tests of the program share; a test goes to the top of the checkout and sources it. It makes an empty folder, goes
# there and removes it at the end. $top is the checkout, $sweep the program (SWEEP in the environment), $tmp the folder,
# $python what reads output files, or nothing.
top=$PWD
sweep=${SWEEP:-$top/sweep}
python=${SW_PYTHON-$(scripts/build/find_python.sh)}  # run_tests.sh has looked already
[ -z "$python" ] || export SWEEP_PYTHON=$python  # that of sweep plot, too
tmp=$(mktemp -d "${TMPDIR:-/tmp}/sweep-$(basename "$0" .sh)-XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
export LC_ALL=C.UTF-8
export OMP_WAIT_POLICY=passive  # on a busy machine, threads that spin take the time from those that work
failures=0
: >out; : >err

skipped() { echo "# skipped: $*"; }  # what, and why
[ -n "$python" ] || skipped 'what is in the files: no python3 with h5py'
fail() { echo "FAILED: $*" >&2; sed 's/^/    /' "$tmp/out" "$tmp/err" >&2; failures=$((failures + 1)); }
# expect CODE ARGUMENT...: run sweep, or sweep $subcommand; its output goes to out and err
expect() {
    local code=$1
    shift
    "$sweep" $subcommand "$@" >out 2>err </dev/null
    local got=$?
    [ $got = "$code" ] || fail "sweep $subcommand $*: exit code $got, expected $code"
}
# slowly SECONDS COMMAND...: the program's clock goes SECONDS further at each look: --max-time then comes after so many
# chunks of steps, however fast the machine is (0.02: some steps, 0.005: some hundreds; 0: the clock as it is)
slowly() { LOOK=$1 LD_PRELOAD=$(dirname "$sweep")/jump_clock.so "${@:2}"; }
# begun FILE: wait until it is there
begun() {
    local waits
    for ((waits = 0; waits < 1000; waits++)); do [ -e "$1" ] && return; sleep 0.01; done
    fail "no $1 after 10 s"
}
says() { grep -qF -- "$1" err || fail "stderr does not say: $1"; }
prints() { grep -qF -- "$1" out || fail "stdout does not print: $1"; }
matches() { grep -qE -- "$1" out || fail "stdout does not match: $1"; }
silent() { [ ! -s "$1" ] || fail "$1 is not empty"; }
# skip_gpu WHAT: the last command failed on a GPU. There is none (unless SW_NEED names cuda), or this is a failure
skip_gpu() {
    if [ "${SW_NEED#*cuda}" = "$SW_NEED" ] && grep -qE 'no CUDA device|built without CUDA|NVRTC, which is not' err; then
        skipped "$1 on a GPU: $(tail -n 1 err)"
    else
        fail "$1 on a GPU"
    fi
}
helpers=$top/tests/helpers
. "$helpers/py_client.sh"
# py ARGUMENT...: as $python ARGUMENT..., by a fork of a Python that has loaded h5py and numpy (and $py_loads) for all
# calls in $tmp; one call at a time, in the environment of the first
py() {
    if [ "$PY_SAID" != "$tmp/.py" ]; then
        PY_SAID=$tmp/.py
        mkfifo "$PY_SAID.ask" "$PY_SAID.told" || return 1
        # in (), so that no `wait` is for it
        ("$python" -B "$helpers/py_server.py" "$PY_SAID" $py_loads <"$PY_SAID.ask" >"$PY_SAID.told" &)
        exec {PY_ASK}>"$PY_SAID.ask" {PY_TOLD}<"$PY_SAID.told"
        rm "$PY_SAID.ask" "$PY_SAID.told"  # a subshell that asks first starts one that ends with it
    fi
    py_request "$@"
}
PY_SAID='' py_loads=''
# py_plots: from now on `sweep plot` draws by a fork, too, of a Python that has loaded matplotlib; false without that
py_plots() {
    py_loads=matplotlib.pyplot
    py -c 'import matplotlib.pyplot' 2>err || return
    export PY_SAID PY_ASK PY_TOLD SWEEP_PYTHON=$helpers/py_client.sh
}
same() { [ -z "$python" ] || py "$helpers/compare_h5.py" "$1" "$2" 2>"$tmp/err" || fail "$1 and $2 differ"; }
holds() {  # holds A B EXPRESSION: of the files a and b
    [ -z "$python" ] || py - "$@" 2>out <<'PY' || fail "$*"
import sys, h5py, numpy as np
a, b = h5py.File(sys.argv[1]), h5py.File(sys.argv[2])
assert eval(sys.argv[3])
PY
}
# as_virtual FILE SOURCE...: FILE, joined from the sources, as `merge --virtual` of earlier versions made it
as_virtual() { py "$helpers/make_virtual.py" "$@" 2>err || fail "make_virtual.py $*"; }
# without_checksums FILE...: as builds before checksums wrote them; with python alone
without_checksums() { py "$helpers/without_checksums.py" "$@" 2>err || fail "without_checksums.py $*"; }
is_json() {
    [ -z "$python" ] || py -c 'import json, sys; json.load(open(sys.argv[1]))' "$1" 2>err || fail "$1 is not JSON"
}
# no_flux RHS N LENGTH END INITIAL [OUTPUT]: a config of an equation between walls without flux, on the CPU; its field
# at the end is saved, and what OUTPUT says besides
no_flux() {
    cat <<CFG
problem  = "equation";
rhs      = "$1";
boundary = "no_flux";
grid     = { n = $2; length = $3; };
time     = { dt = 0.01; end = $4; };
initial  = "$5";
run      = { device = "cpu"; };
output   = { fields = { times = [$4]; }; $6 };
CFG
}
three_heats() {  # a config of three short runs, which go into o.h5
    cat <<'CFG'
problem = "heat";
grid    = { n = 16; length = 1.0; };
physics = { kappa = "k"; };
time    = { dt = 1.0e-5; end = 1.0e-4; };
sweep   = { k = [1.0, 2.0, 3.0]; };
initial = "cos(2*pi*x)";
output  = { file = "o.h5"; fields = { times = [1.0e-4]; }; };
run     = { device = "cpu"; };
CFG
}
stopped_often() {  # stopped_often FILE ARGUMENTS...: by --max-time, and begun again until FILE is there
    local file=$1 calls=0 code=75
    shift
    while [ $code = 75 ] && [ $calls -lt 100 ]; do
        "$sweep" "$@" -o "$file" --max-time 0.1s >out 2>err
        code=$?
        calls=$((calls + 1))
    done
    [ $code = 0 ] && [ $calls -gt 1 ] || fail "stopped by --max-time: $calls calls, exit code $code"
}
killed_after() {  # killed_after 'SECONDS ...' FILE ARGUMENTS...: so long after each start; then it may end
    local seconds file=$2 kills=0 times=$1
    shift 2
    for seconds in $times; do
        "$sweep" "$@" -q -o "$file" -s run.checkpoint=0.0005 >out 2>err &
        sleep "$seconds"
        kill -9 $! 2>err && kills=$((kills + 1))
        wait $! 2>err
    done
    [ $kills -gt 0 ] || fail "only $kills calls were killed"
    expect 0 "$@" -q -o "$file"
}
summary() {  # the last line of a test
    [ $failures = 0 ] || { echo "$failures failed" >&2; exit 1; }
    echo "all passed${*:+: $*}"
}
