#!/bin/bash
# gpu_elliptic.sh BUILD OUTDIR [PART...]: the elliptic rows on a machine with a GPU. Parts, all if none is named:
#   tests, at most 90 s; bench, 2 minutes; sanitizers, 4 minutes; ncu, 2 minutes
#   BUILD   a folder with sweep and the test programs, as `make portable` fills build/portable
#   OUTDIR  where all output goes
# Another build, as that of a variant, goes into another OUTDIR: `diff` then tells what changed.
cd "$(dirname "$0")/../.." || exit 1
all_parts="tests bench sanitizers ncu"
. scripts/gpu/gpu_parts.sh
SWEEP=$(cd "$build" && pwd)/sweep || exit 1
export OMP_WAIT_POLICY=passive SWEEP
rows="cuda.modal cuda.multigrid cuda.interleaved cuda.interleaved_single cuda.pcg cuda.csr"
"$build/sweep" -V | tee -a "$out/device.txt"

# ended NAME SECONDS COMMAND...: run it into OUTDIR/NAME.txt, beside others; a line when it has ended
ended() {
    local name=$1 most=$2 start=$SECONDS code
    shift 2
    timeout -k 5 "$most" "$@" > "$out/$name.txt" 2>&1 < /dev/null
    code=$?
    printf '%-48s %4d s  exit code %d\n' "$name" $((SECONDS - start)) $code
    [ $code -eq 0 ] || grep -E 'ERROR|FAILED|Error:|========= .*(error|hazard|race)' "$out/$name.txt" | head -8
}

if wanted tests; then
    for row in $rows; do ended "test_$row" 90 env OMP_NUM_THREADS=2 SW_ROWS="$row" "$build/test_elliptic" & done
    ended test_csr 60 "$build/test_elliptic_csr" &
    for test in tests/cli/problem/test_elliptic{,_history,_stop}.sh; do ended "$(basename $test .sh)" 90 $test & done
    wait
fi

# ---- the goals: of one H200, each alone on the GPU
bench() {  # bench NAME ROWS SPEC
    printf '\n# %s\n' "$3" | tee -a "$out/bench.txt"
    timeout 40 "$build/sweep" bench "$3" --rows "$2" --repeats 5 --longest 0.5 > "$out/bench_$1.txt" 2>&1
    grep '^cuda' "$out/bench_$1.txt" | tee -a "$out/bench.txt"
}
if wanted bench; then
    : > "$out/bench.txt"
    all=$(tr ' ' ',' <<< "$rows") fast=cuda.modal,cuda.multigrid pcg=cuda.interleaved,cuda.interleaved_single
    grep -m 1 '' "$out/device.txt" >> "$out/bench.txt"
    bench usual "$all" 'elliptic:n=[256,256,128]'
    bench courant "$fast" 'elliptic:n=[256,256,128],courant=40'
    bench full "$fast,$pcg" 'elliptic:n=[256,256,128],stencil=full'
    bench variable "cuda.multigrid,$pcg" 'elliptic:n=[256,256,128],geometry="box",kx="1+x",ky="2-y",kz="1+x*y"'
    bench batch cuda.modal 'elliptic:n=[256,256,128],batch=64'
    bench large "$fast,$pcg" 'elliptic:n=[1024,1024,128]'
    bench odd "$fast,$pcg" 'elliptic:n=[250,254,120]'
    bench deep "$fast,$pcg" 'elliptic:n=[128,128,512]'
    bench flat "$fast,$pcg" 'elliptic:n=[512,512,8]'
fi

if wanted sanitizers; then
    if command -v compute-sanitizer > /dev/null; then
        for tool in memcheck racecheck initcheck synccheck; do
            for row in $rows; do
                ended "${tool}_$row" 240 env SW_SMALL=1 SW_DEVICE_ROWS=1 OMP_NUM_THREADS=1 SW_ROWS="$row" \
                    compute-sanitizer --tool $tool --report-api-errors no --error-exitcode 99 "$build/test_elliptic" &
            done
        done
        wait
    else
        echo "compute-sanitizer: not on this machine"
    fi
fi

# ---- kernels of a solve: us, share of the memory's rate, MB, warps, registers, and what warps wait for
wanted ncu || exit 0
if ! command -v ncu > /dev/null; then
    echo "ncu: not on this machine"
    exit 0
fi
waits="barrier branch_resolving lg_throttle long_scoreboard math_pipe_throttle membar mio_throttle no_instruction"
waits="$waits not_selected short_scoreboard wait"
metrics=gpu__time_duration.sum,dram__throughput.avg.pct_of_peak_sustained_elapsed,dram__bytes_read.sum
metrics=$metrics,dram__bytes_write.sum,sm__warps_active.avg.pct_of_peak_sustained_active,launch__registers_per_thread
metrics=$metrics,smsp__issue_active.avg.pct_of_peak_sustained_active
for wait in $waits; do metrics=$metrics,smsp__average_warps_issue_stalled_${wait}_per_issue_active.ratio; done
longest() {  # longest FILE: of each kernel that ncu saw its longest launch
    python3 - "$1" <<'PY'
import csv, re, sys
lines = [line for line in open(sys.argv[1]) if line.startswith('"')]
kernels = {}
for row in csv.DictReader(lines):
    if not row["ID"].isdigit():
        continue
    value = row["Metric Value"].replace(",", "")
    kernels.setdefault(row["ID"], {"name": row["Kernel Name"]})[row["Metric Name"]] = (float(value), row["Metric Unit"])
scale = {"nsecond": 1e-3, "ns": 1e-3, "usecond": 1, "us": 1, "msecond": 1e3, "ms": 1e3, "byte": 1e-6, "Kbyte": 1e-3,
         "Mbyte": 1, "Gbyte": 1e3}
def number(kernel, name):
    value, unit = kernel.get(name, (float("nan"), ""))
    return value * scale.get(unit, 1)
seen = {}
for kernel in kernels.values():
    name = re.sub(r"\(.*", "", re.sub(r"struct |void |sw_cuda_\w+", "", kernel["name"])).strip()
    old = seen.setdefault(name, [0, kernel])
    old[0] += 1
    if number(kernel, "gpu__time_duration.sum") > number(old[1], "gpu__time_duration.sum"):
        old[1] = kernel
print(f"{'kernel':52} times     us  DRAM %  MB read  written  warps %  registers  issue %  waits")
for name, (times, kernel) in seen.items():
    waits = sorted(((number(kernel, m), re.search(r"stalled_(\w+)_per", m).group(1)) for m in kernel if "stalled" in m),
                   reverse=True)[:5]
    dram = "dram__throughput.avg.pct_of_peak_sustained_elapsed"
    warps = "sm__warps_active.avg.pct_of_peak_sustained_active"
    issue = "smsp__issue_active.avg.pct_of_peak_sustained_active"
    print(f"{name[:52]:52} {times:5} {number(kernel, 'gpu__time_duration.sum'):6.1f} {number(kernel, dram):7.0f}"
          f" {number(kernel, 'dram__bytes_read.sum'):8.0f} {number(kernel, 'dram__bytes_write.sum'):8.0f}"
          f" {number(kernel, warps):8.0f} {number(kernel, 'launch__registers_per_thread'):10.0f}"
          f" {number(kernel, issue):8.0f}  "
          + " ".join(f"{what} {much:.1f}" for much, what in waits))
PY
}
profile() {  # profile NAME ROW LAUNCHES SPEC: the first launches of a row
    timeout 60 ncu --clock-control none --csv --print-units base -c "$3" --metrics "$metrics" \
        -k 'regex:elliptic|columns|pivots|begin|add|direct|restrict|prolong' \
        "$build/sweep" bench "$4" --rows "$2" --repeats 1 --longest 0.01 > "$out/ncu_$1.csv" 2> "$out/ncu_$1.err"
    printf '\n# %s, %s\n' "$2" "$4" | tee -a "$out/ncu.txt"
    longest "$out/ncu_$1.csv" 2>&1 | tee -a "$out/ncu.txt"
}
: > "$out/ncu.txt"
profile modal cuda.modal 16 'elliptic:n=[256,256,128]'
profile interleaved cuda.interleaved 16 'elliptic:n=[256,256,128]'
profile single cuda.interleaved_single 16 'elliptic:n=[256,256,128]'
profile multigrid cuda.multigrid 90 'elliptic:n=[256,256,128]'
profile multigrid_full cuda.multigrid 90 'elliptic:n=[256,256,128],stencil=full'
