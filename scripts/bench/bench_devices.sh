#!/bin/bash
# bench_devices.sh [OPTION...] BUILD [FOLDER [CSV]]: one sweep on 1, 2, 4, ... devices of one host: how much sooner is
# it done? An ensemble of forced Cahn-Hilliard runs of n = 512, amplitude, speed and seed differing, the last field
# saved; whole calls, from the start to the merged file, and the files must hold the same bits. About 2.5 minutes.
#   BUILD              a folder with the program, as `make` leaves in build and `make portable` in build/portable
#   FOLDER             what is written to: a disk, or memory (default: /dev/shm); two files of 2 kB a run
#   CSV                where the rows are added (default: results/bench/devices_cuda.csv)
#   --devices SPECS    which, the first is what the others are compared with (default: cuda:0 cuda:0,1 cuda:0,1,2,3 ...,
#                      as many as there are); 'cpu:0 cpu:0,1' where there is no GPU
#   --runs N           about so many (default: 100000)
#   --seconds S        that the first shall compute, about: the steps follow from a trial (default: 40)
#   --repeats N        how often, in turn (default: 2); the least times count
# Columns: compute_s, rate (points times steps a second): the call without planning and merging. total_s: all of it.
# of_compute, of_total: times as fast as the first. same: the file equals that of the first, bit by bit.
. "$(dirname "$0")/measure.sh"
devices='' runs=100000 seconds=40 repeats=2
take_options 'devices= runs= seconds= repeats=' "$@"
[ ${#arguments[@]} -ge 1 ] && [ ${#arguments[@]} -le 3 ] || usage
take_program "${arguments[0]}"
folder=${arguments[1]:-/dev/shm} csv=${arguments[2]:-results/bench/devices_cuda.csv}
python=$(scripts/build/find_python.sh)
[ -n "$python" ] || give_up 'needs python3 with h5py'
if [ -z "$devices" ]; then
    has_gpu || give_up "no GPU here; --devices 'cpu:0 cpu:0,1' tries the CPU in groups of threads"
    visible=$(echo "$listed" | grep -cE '^  cuda:[0-9]+ ')
    spec=cuda:0
    for ((count = 1; count <= visible; count++)); do
        [ $((count & (count - 1))) != 0 ] || devices="$devices $spec"
        spec=$spec,$count
    done
fi
make_tmp "$folder/bench-devices-XXXXXX"
mkdir -p "$(dirname "$csv")" || exit 1

export PYTHONPATH=tests/helpers PYTHONDONTWRITEBYTECODE=1
"$python" - "$sweep" "$tmp" "$csv" "$repeats" "$runs" "$seconds" "$devices" <<'PY'
import csv
import json
import os
import shutil
import subprocess
import sys
import time

import h5py
from compare_h5 import compare

sweep, folder, table, repeats, runs, seconds, devices = sys.argv[1:]
N, DT, SEEDS, SPEEDS = 512, 0.02, 8, 50
devices, repeats = devices.split(), int(repeats)
amplitudes = max(1, round(int(runs) / (SEEDS * SPEEDS)))
runs = amplitudes * SEEDS * SPEEDS
CONFIG = f"""problem = "cahn_hilliard";
grid = {{ n = {N}; length = "2*pi*32"; }};
physics = {{ D = 1.0; gamma = 1.0; }};
time = {{ dt = {DT}; end = "{DT}*%d"; }};
sweep = {{ a = "linspace(0, 0.155, {amplitudes})"; v = "linspace(0, 0.7, {SPEEDS})"; seed = "range(1, {SEEDS})"; }};
define = {{ q = "2*pi*8/length"; }};
initial = "0.05*randn(seed)";
forcing = "a*cos(q*(x - v*t))";
output = {{ fields = {{ times = ["end"]; precision = "single"; }}; }};
"""
config, log = os.path.join(folder, "d.cfg"), os.path.join(folder, "log")


def call(device, steps, file):
    """What the log says of a call, and its seconds in all."""
    for path in (file, log):
        if os.path.exists(path):
            os.unlink(path)
    with open(config, "w") as f:
        f.write(CONFIG % steps)
    start = time.perf_counter()
    done = subprocess.run([sweep, "run", "-q", config, "--device", device, "-o", file, "--log-json", log])
    total = time.perf_counter() - start
    if done.returncode not in (0, 1):  # 1: some runs diverged, which is a result
        sys.exit(f"bench_devices.sh: {device}: exit code {done.returncode}")
    with open(log) as f:
        events = {e["event"]: e for e in map(json.loads, f)}
    return {"compute": events["done"]["seconds"], "rate": events["done"]["points_steps_per_second"], "total": total,
            "batches": events["plan"]["batches"], "machine": events["plan"]["device"]}


def facts(file):
    with h5py.File(file) as f:
        p = f["provenance"].attrs
        return {"solver": p["solver"], "driver": p["driver"], "cuda": p["cuda"], "compiler": p["compiler"],
                "commit": p["git_commit"] + ("+" if p["git_dirty"] else ""), "host": p["hostname"],
                "ok": int((f["status"][:] == 1).sum())}


def same(a, b):
    with h5py.File(a) as x, h5py.File(b) as y:
        return not compare(x, y)


def file_of(device):
    return os.path.join(folder, "first.h5" if device == devices[0] else "other.h5")


def steps_for(wanted):
    """Trials on the first device, longer and longer, until one says how fast it is."""
    steps = 4
    while True:
        took = call(devices[0], steps, file_of(devices[0]))
        if took["compute"] > min(2, wanted / 4):
            return max(1, round(wanted * took["rate"] / (runs * N)))
        steps *= 4


if shutil.disk_usage(folder).free < 3.5 * runs * N * 4:  # two files, one of them in parts, too
    sys.exit(f"bench_devices.sh: {folder} has less than {3.5 * runs * N * 4 / 1e9:.1f} GB free; give another folder")
steps = steps_for(float(seconds))
print(f"{runs} runs of n = {N}, {steps} steps", flush=True)
best, rows, equal = {}, {}, {}
for repeat in range(repeats):
    for device in devices:
        took = call(device, steps, file_of(device))
        rows.setdefault(device, {**took, **facts(file_of(device))})
        least = best.setdefault(device, dict(took))
        for name in ("compute", "total"):
            least[name] = min(least[name], took[name])
        equal[device] = equal.get(device, True) and same(file_of(devices[0]), file_of(device))
new = not os.path.exists(table)
with open(table, "a", newline="") as f:
    out = None
    for device in devices:
        first, b, r = best[devices[0]], best[device], rows[device]
        row = {"device": device, "devices": device.count(",") + 1, "n": N, "runs": runs, "steps": steps,
               "batches": r["batches"], "repeats": repeats, "compute_s": f"{b['compute']:.4f}",
               "total_s": f"{b['total']:.4f}", "rate": f"{runs * N * steps / b['compute']:.6g}",
               "of_compute": f"{first['compute'] / b['compute']:.3f}", "of_total": f"{first['total'] / b['total']:.3f}",
               "same": "yes" if equal[device] else "no", "ok": r["ok"], "solver": r["solver"],
               "machine": r["machine"], "driver": r["driver"], "cuda": r["cuda"], "compiler": r["compiler"],
               "commit": r["commit"], "host": r["host"], "threads": os.cpu_count(),
               "when": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}
        if out is None:
            out = csv.DictWriter(f, row.keys(), lineterminator="\n")
            if new:
                out.writeheader()
        out.writerow(row)
        print(f"{device:16} {row['batches']:3} batches: compute {row['compute_s']} s, "
              f"{float(row['rate']):.3g} points*steps/s, x {row['of_compute']}; "
              f"total {row['total_s']} s, x {row['of_total']}; same bits: {row['same']}", flush=True)
sys.exit(0 if all(equal.values()) else "bench_devices.sh: the files are not the same")
PY
