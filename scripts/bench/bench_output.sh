#!/bin/bash
# bench_output.sh [OPTION...] BUILD FOLDER [CSV]: does output hide behind computing? The same sweep with the fields
# saved every 10 steps, and computing alone, and writing alone, in turn, several times; whole calls; medians.
#   BUILD            a folder with the program, as `make` leaves in build and `make portable` in build/portable
#   FOLDER           what is written to: a disk, or memory (/dev/shm). It needs room for twice the bytes
#   CSV              where the rows are added (default: results/bench/output.csv)
#   --device DEVICE  cpu or cuda (default: both, as far as they are there)
#   --gb G           10^9 bytes that a sweep saves, about (default: cpu 2, cuda 12)
#   --repeats N      how often (default: 5)
#   --before BUILD   another build, called in turn with the first in the same run: it gets rows of its own
# Columns: out_s: fields saved every 10 steps. compute_s: no fields saved. write_s: a step between two outputs.
# plain_s: write() of as many bytes, a field of all runs at a time, then fsync(), to one file there. start_s: no fields
# saved, one step: what a call takes before and after; all but plain_s contain it. Then
# hidden = out_s / max(compute_s, start_s + plain_s) and written = plain_s / (write_s - start_s). _cpu_s: the processor
# seconds of these calls. On P processors no call is shorter than out_cpu_s / P.
. "$(dirname "$0")/measure.sh"
device='' gb='' repeats=5 before=''
take_options 'device= gb= repeats= before=' "$@"
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

[ -z "$before" ] || [ -x "$before/sweep" ] || give_up "no program $before/sweep"
"$python" - "$sweep" "$tmp" "$csv" "$repeats" "$devices" "$gb" "${before:+$before/sweep}" <<'PY'
import csv
import os
import resource
import shutil
import statistics
import subprocess
import sys
import time

import h5py

sweep, folder, table, repeats, devices, gb, before = sys.argv[1:]
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


def processor_seconds(who):
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


def call(program, device, runs, steps, outputs):
    """Seconds, of the clock and of processors, of a call that takes so many steps and saves so often (0: never)."""
    clear()
    config = os.path.join(folder, "o.cfg")
    with open(config, "w") as f:
        f.write(CONFIG.format(n=N, end=steps * 1e-8, runs=runs, device=device))
        if outputs:
            f.write(FIELDS.format(outputs=outputs))
    start, used = time.perf_counter(), processor_seconds(resource.RUSAGE_CHILDREN)
    subprocess.run([program, "run", "-q", config, "-o", file], check=True)
    return time.perf_counter() - start, processor_seconds(resource.RUSAGE_CHILDREN) - used


def write_plain(slices, size):
    clear()
    data = os.urandom(1 << 20) * (size >> 20) + os.urandom(size & (1 << 20) - 1)
    start, used = time.perf_counter(), processor_seconds(resource.RUSAGE_SELF)
    fd = os.open(plain, os.O_CREAT | os.O_EXCL | os.O_WRONLY)
    for _ in range(slices):
        left = memoryview(data)
        while left:
            left = left[os.write(fd, left):]
    os.fsync(fd)
    os.close(fd)
    return time.perf_counter() - start, processor_seconds(resource.RUSAGE_SELF) - used


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
    names = ("out", "compute", "write", "plain", "start")
    programs = [sweep] + [before] * bool(before)
    seconds = {program: {name: [] for name in names} for program in programs}
    about = {}
    for repeat in range(int(repeats) + 1):  # the first is to warm up
        for program in programs:
            took = {"plain": write_plain(outputs, size), "out": call(program, device, runs, 10 * steps, outputs)}
            about[program] = about.get(program) or facts()
            took["compute"] = call(program, device, runs, 10 * steps, 0)
            took["write"] = call(program, device, runs, steps, outputs)
            took["start"] = call(program, device, runs, 1, 0)
            for name in names if repeat else ():
                seconds[program][name].append(took[name])
    clear()
    fixed = {"device": device, "n": N, "runs": runs, "steps": 10 * steps, "outputs": outputs, "slice_bytes": size,
             "bytes": size * outputs, "file_system": file_system(), "repeats": repeats}
    return [row_of(fixed, seconds[program], about[program]) for program in programs]


def row_of(fixed, seconds, about):
    clock = {name: [pair[0] for pair in pairs] for name, pairs in seconds.items()}
    median = {name: statistics.median(values) for name, values in clock.items()}
    used = {name: statistics.median(pair[1] for pair in pairs) for name, pairs in seconds.items()}
    row = {**fixed, **{name + "_s": f"{value:.4f}" for name, value in median.items()},
           "hidden": f"{median['out'] / max(median['compute'], median['start'] + median['plain']):.3f}",
           "written": f"{median['plain'] / (median['write'] - median['start']):.3f}",
           "out_least_s": f"{min(clock['out']):.4f}", "out_most_s": f"{max(clock['out']):.4f}",
           "plain_least_s": f"{min(clock['plain']):.4f}", "plain_most_s": f"{max(clock['plain']):.4f}", **about,
           "threads": os.cpu_count(), "when": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
           **{name + "_cpu_s": f"{value:.4f}" for name, value in used.items()}}
    print(f"{row['device']:5}{row['runs']:6} runs, {row['slice_bytes'] / 1e6:6.1f} MB x {row['outputs']:5}, "
          f"{row['file_system']}, {row['commit']}: "
          f"out {median['out']:6.2f} s, "
          f"compute {median['compute']:6.2f}, write {median['write']:6.2f}, plain {median['plain']:6.2f}, start "
          f"{median['start']:5.2f}; hidden {row['hidden']}, written {row['written']}, processors {used['out']:5.2f} s, "
          f"compute {used['compute']:5.2f}, plain {used['plain']:5.2f}", flush=True)
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
        for row in case(device, runs, total):
            add(row)
PY
