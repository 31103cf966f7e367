#!/bin/bash
# bench_output.sh [OPTION...] BUILD FOLDER [CSV]: does output hide behind computing? The same sweep with the fields
# saved every 10 steps, and computing alone, and writing alone, in turn, several times; whole calls; medians.
#   BUILD            a folder with the program, as `make` leaves in build and `make portable` in build/portable
#   FOLDER           what is written to: a disk, or memory (/dev/shm). It needs room for twice the bytes
#   CSV              where the rows are added (default: results/bench/output.csv)
#   --device DEVICE  cpu or cuda (default: both, as far as they are there)
#   --gb G           10^9 bytes that a sweep saves, about (default: cpu 2, cuda 12)
#   --repeats N      how often (default: 5)
# Columns: out_s: fields saved every 10 steps. compute_s: no fields saved. write_s: a step between two outputs.
# plain_s: write() of as many bytes, a field of all runs at a time, then fsync(), to one file there. start_s: no fields
# saved, one step: what a call takes before and after; all but plain_s contain it. Then
# hidden = out_s / max(compute_s, start_s + plain_s) and written = plain_s / (write_s - start_s).
. "$(dirname "$0")/measure.sh"
device='' gb='' repeats=5
take_options 'device= gb= repeats=' "$@"
[ ${#arguments[@]} -ge 2 ] && [ ${#arguments[@]} -le 3 ] || usage
take_program "${arguments[0]}"
csv=${arguments[2]:-results/bench/output.csv} devices=$device
python=$(scripts/build/find_python.sh)
[ -n "$python" ] || give_up 'needs python3 with h5py'
if [ -z "$devices" ]; then
    devices=cpu
    ! has_gpu || devices='cpu cuda'
fi
make_tmp "${arguments[1]}/bench-output-XXXXXX"
mkdir -p "$(dirname "$csv")" || exit 1

"$python" - "$sweep" "$tmp" "$csv" "$repeats" "$devices" "$gb" <<'PY'
import csv
import os
import shutil
import statistics
import subprocess
import sys
import time

import h5py

sweep, folder, table, repeats, devices, gb = sys.argv[1:]
N = 1024
SLICES = {"cpu": [(2048, 2.0), (128, 2.0)], "cuda": [(65536, 12.0), (4096, 12.0)]}  # runs, 10^9 bytes
CONFIG = """problem = "hyperdiffusion";
grid = {{ n = {n}; length = 1.0; }};
physics = {{ gamma = 1.0; D = 1.0; }};
time = {{ dt = 1.0e-8; end = {end:.17g}; }};
sweep = {{ k = "range(1, {runs})"; }};
initial = "cos(2*pi*x) + k*1.0e-6*sin(4*pi*x)";
run = {{ device = "{device}"; }};
"""
FIELDS = 'output = {{ fields = {{ times = "linspace(0, end, {outputs})"; }}; }};\n'
file, plain = os.path.join(folder, "o.h5"), os.path.join(folder, "plain")


def clear():
    for path in (file, plain):
        if os.path.exists(path):
            os.unlink(path)


def call(device, runs, steps, outputs):
    """Seconds of a call that takes so many steps and saves so many times (0: none)."""
    clear()
    config = os.path.join(folder, "o.cfg")
    with open(config, "w") as f:
        f.write(CONFIG.format(n=N, end=steps * 1e-8, runs=runs, device=device))
        if outputs:
            f.write(FIELDS.format(outputs=outputs))
    start = time.perf_counter()
    subprocess.run([sweep, "run", "-q", config, "-o", file], check=True)
    return time.perf_counter() - start


def write_plain(slices, size):
    clear()
    data = os.urandom(1 << 20) * (size >> 20) + os.urandom(size & (1 << 20) - 1)
    start = time.perf_counter()
    fd = os.open(plain, os.O_CREAT | os.O_EXCL | os.O_WRONLY)
    for _ in range(slices):
        left = memoryview(data)
        while left:
            left = left[os.write(fd, left):]
    os.fsync(fd)
    os.close(fd)
    return time.perf_counter() - start


def facts():
    with h5py.File(file) as f:
        p = f["provenance"].attrs
        u = f["u"]
        return {"solver": p["solver"], "machine": p["device"], "driver": p["driver"], "compiler": p["compiler"],
                "commit": p["git_commit"] + ("+" if p["git_dirty"] else ""), "host": p["hostname"],
                "file_bytes": os.path.getsize(file), "saved": f"{u.shape[1]} of {u.shape[0]} x {u.shape[2]}"}


def file_system():
    best = ""
    kind = "?"
    with open("/proc/mounts") as mounts:
        for line in mounts:
            _, where, what = line.split()[:3]
            if (os.path.realpath(folder) + "/").startswith(where.rstrip("/") + "/") and len(where) >= len(best):
                best, kind = where, what
    return kind


def case(device, runs, total):
    size = runs * N * 8
    outputs = max(3, round(total * 1e9 / size))
    steps = outputs - 1
    seconds = {name: [] for name in ("out", "compute", "write", "plain", "start")}
    row = {}
    for repeat in range(int(repeats) + 1):  # the first is to warm up
        took = {"plain": write_plain(outputs, size), "out": call(device, runs, 10 * steps, outputs)}
        row = row or facts()
        took["compute"] = call(device, runs, 10 * steps, 0)
        took["write"] = call(device, runs, steps, outputs)
        took["start"] = call(device, runs, 1, 0)
        for name in seconds if repeat else ():
            seconds[name].append(took[name])
    clear()
    median = {name: statistics.median(s) for name, s in seconds.items()}
    row = {"device": device, "n": N, "runs": runs, "steps": 10 * steps, "outputs": outputs, "slice_bytes": size,
           "bytes": size * outputs, "file_system": file_system(), "repeats": repeats,
           **{name + "_s": f"{value:.4f}" for name, value in median.items()},
           "hidden": f"{median['out'] / max(median['compute'], median['start'] + median['plain']):.3f}",
           "written": f"{median['plain'] / (median['write'] - median['start']):.3f}",
           "out_least_s": f"{min(seconds['out']):.4f}", "out_most_s": f"{max(seconds['out']):.4f}",
           "plain_least_s": f"{min(seconds['plain']):.4f}", "plain_most_s": f"{max(seconds['plain']):.4f}", **row,
           "threads": os.cpu_count(), "when": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}
    print(f"{device:5}{runs:6} runs, {size / 1e6:6.1f} MB x {outputs:5}, {row['file_system']}: "
          f"out {median['out']:6.2f} s, "
          f"compute {median['compute']:6.2f}, write {median['write']:6.2f}, plain {median['plain']:6.2f}, start "
          f"{median['start']:5.2f}; hidden {row['hidden']}, written {row['written']}", flush=True)
    return row


def add(row):
    new = not os.path.exists(table)
    with open(table, "a", newline="") as f:
        out = csv.DictWriter(f, row.keys(), lineterminator="\n")
        if new:
            out.writeheader()
        out.writerow(row)


for device in devices.split():
    for runs, total in SLICES[device]:
        total = float(gb or total)
        if shutil.disk_usage(folder).free < 2.1e9 * total:
            sys.exit(f"bench_output.sh: {folder} has less than {2.1 * total:.1f} GB free; give another folder or --gb")
        add(case(device, runs, total))
PY
