#!/bin/bash
# bench_scale.sh [OPTION...] BUILD FOLDER [CSV]: what many parts, output times and runs cost, one call of each.
#   BUILD          a folder with the program, as `make` leaves in build and `make portable` in build/portable
#   FOLDER         what is written to: a disk, or memory (/dev/shm). It needs room for 1 GB
#   CSV            where the rows are added (default: results/bench/scale.csv)
#   --parts N      batches, and 71 % of them parts (default: 10000)
#   --small        a hundredth of all, to try it out
#   --short        whole short processes only
#   --only WHAT    one row, by its name
#   --device WHERE where these compute: cpu (the default), cuda
# Rows: `outputs`, one run of 16 points with 10^6 output times; `parts`, N runs, a batch each; `half`, 71 of 100 grids
# of one run, a part each, and a stop; `status` of them; `runs`, 10^6 runs of one step; `plan`, `check` of 10^7 runs;
# `refused`, `check` of an axis of 10^9 values; `stop`, from SIGTERM to the end while 10^7 runs are expanded. Short
# processes: `few`, 27 runs of 64 points and ten steps; `forced`, 10^5 forced Cahn-Hilliard runs of 512 points and
# five steps; `many`, 10^6 of 16 points and one step. Each `cold`, without cached kernels and with the program read
# from its disk again, then `warm`; the device is in the name.
# Columns: seconds of the wall clock, of the user, of the system; peak of memory.
. "$(dirname "$0")/measure.sh"
small= short= only= parts=10000 device=cpu
take_options 'small short only= parts= device=' "$@"
[ ${#arguments[@]} -ge 2 ] && [ ${#arguments[@]} -le 3 ] || usage
take_program "$(realpath "${arguments[0]}")"
csv=$(realpath -m "${arguments[2]:-results/bench/scale.csv}")
python=$(command -v python3) || give_up 'needs python3'
of=$((small ? 100 : 1))
make_tmp "${arguments[1]}/bench-scale-XXXXXX"
mkdir -p "$(dirname "$csv")" && cd "$tmp" || exit 1
[ -e "$csv" ] || echo what,count,wall_s,user_s,system_s,peak_bytes,file_system,machine,threads,commit,when >"$csv"
cat >heat.cfg <<'CFG'
problem = "heat";
grid    = { n = 16; length = 1.0; };
physics = { kappa = "k"; };
time    = { dt = 1.0e-6; end = "end"; };
sweep   = { k = [1.0]; end = [1.0e-6]; };
initial = "cos(2*pi*x)";
output  = { file = "x.h5"; scalars = { every = 1.0e-6; }; };
run     = { device = "cpu"; };
CFG
# Prints wall, user and system seconds and bytes of a command; with SIGNAL_AFTER seconds it is sent SIGTERM then, and
# the wall clock counts from there. Until WAIT_FOR files are in the folder x.h5.d it is not sent either.
cat >cost.py <<'PY'
import os, resource, signal, subprocess, sys, time
begun = time.monotonic()
p = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
if "SIGNAL_AFTER" in os.environ or "WAIT_FOR" in os.environ:
    time.sleep(float(os.environ.get("SIGNAL_AFTER", 0)))
    while p.poll() is None and len(os.listdir("x.h5.d") if os.path.isdir("x.h5.d") else []) < int(
            os.environ.get("WAIT_FOR", 0)):
        time.sleep(0.05)
    if "SIGNAL_AFTER" in os.environ:
        begun = time.monotonic()
    p.send_signal(signal.SIGTERM)
p.wait()
wall = time.monotonic() - begun
r = resource.getrusage(resource.RUSAGE_CHILDREN)
print(f"{wall:.3f},{r.ru_utime:.2f},{r.ru_stime:.2f},{r.ru_maxrss * 1024}")
PY
row() {  # row WHAT COUNT ARGUMENT...
    local what=$1 count=$2 cost
    [ -z "$only" ] || [ "$only" = "$what" ] || return 0
    shift 2
    cost=$("$python" cost.py "$sweep" "$@") || give_up "$what"
    echo "$what,$count,$cost,$(stat -f -c %T .),$(machine),$(nproc),$(commit),$(date -u +%FT%TZ)" | tee -a "$csv"
}
axis() { echo "sweep.k=\"linspace(1, 2, $1)\""; }

cat >short.cfg <<'CFG'
problem = "cahn_hilliard";
grid    = { n = 512; length = "2*pi*8"; };
physics = { D = 1.0; gamma = "g"; };
time    = { dt = 0.001; end = 0.005; };
sweep   = { a = "linspace(0.01, 0.3, 100)"; v = "linspace(0, 1, 100)"; g = "linspace(0.5, 1.5, 10)"; };
initial = "0.05*cos(x/4) + 0.01*a*sin(x)";
forcing = "a*cos(x - v*t)";
output  = { file = "x.h5"; scalars = { times = ["end"]; }; };
CFG
short() {  # short WHAT COUNT ARGUMENT...
    local what=$1 count=$2 state
    shift 2
    export XDG_CACHE_HOME=$tmp/cache
    rm -rf "$XDG_CACHE_HOME"
    "$python" -c 'import os, sys; os.posix_fadvise(os.open(sys.argv[1], 0), 0, 0, os.POSIX_FADV_DONTNEED)' "$sweep"
    for state in cold warm; do
        row "$what.$state.$device" $count run short.cfg -q --device "$device" "$@"
        rm -f x.h5
    done
}
short few 27 -s grid.n=64 -s time.end=0.01 -s 'sweep={ a = [1, 2, 3]; v = [1, 2, 3]; g = [1, 2, 3]; }'
n=$((100 / of))
short forced $((n * 1000)) -s "sweep.a=\"linspace(0.01, 0.3, $n)\""
n=$((1000 / of))
short many $((n * 1000)) -s "sweep.a=\"linspace(0.01, 0.3, $n)\"" -s grid.n=16 -s time.end=0.001
[ -z "$short" ] || exit 0

n=$((1000000 / of))
row outputs $n run heat.cfg -q -s "sweep.end=[${n}e-6]"
rm -f x.h5
n=$((parts / of))
row parts $n run heat.cfg -q -s run.batch=1 -s "$(axis $n)"
rm -f x.h5
n=$((parts * 71 / 100 / of))
WAIT_FOR=$n row half $n run heat.cfg -q -s "sweep={ n = \"range(16, $((2 * n + 15)))\"; }" -s 'grid.n="n"' \
    -s physics.kappa=1.0 -s time.end=1.0e-6
row status $n status x.h5
rm -rf x.h5.d
n=$((1000000 / of))
row runs $n run heat.cfg -q -s "$(axis $n)"
rm -f x.h5
n=$((10000000 / of))
row plan $n check heat.cfg -s "$(axis $n)"
row refused 1000000000 check heat.cfg -s "$(axis 1000000000)"
SIGNAL_AFTER=$([ -n "$small" ] && echo 0.02 || echo 1) row stop $n run heat.cfg -q -s "$(axis $n)"
