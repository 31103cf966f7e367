#!/bin/bash
# bench_read_back.sh [OPTION...] BUILD OTHER FOLDER [CSV]: what it costs a whole sweep that does little but write
# to read its file back from the disk. Pairs of calls, one by each of two programs, each of them first in turn.
#   BUILD         a folder with the program, as `make` leaves in build
#   OTHER         a folder with one of the same tree that reads nothing back: sw_files_sync() takes read_back for false,
#                 and sw_files_read_back() returns SW_OK
#   FOLDER        what is written to: a disk
#   CSV           where the rows are added (default: results/bench/read_back.csv)
#   --mb "M..."   10^6 bytes of a file, about (default: "212 1060")
#   --repeats N   pairs of each (default: 15)
# Rows: parts 1: one batch, whose part becomes the file; 4: four, which are joined. Columns: least and median seconds
# without and with; percent: what the least differ by, and the median of what each pair differs by; processor seconds,
# median, user and system.
. "$(dirname "$0")/measure.sh"
mb='212 1060' repeats=15
take_options 'mb= repeats=' "$@"
[ ${#arguments[@]} -ge 1 ] || usage
take_program "${arguments[0]}"
[ ${#arguments[@]} -ge 3 ] && [ ${#arguments[@]} -le 4 ] || usage
other=$(realpath "${arguments[1]}/sweep") csv=${arguments[3]:-results/bench/read_back.csv}
[ -x "$other" ] || give_up "no program $other"
make_tmp "${arguments[2]}/bench-read-back-XXXXXX"
mkdir -p "$(dirname "$csv")" || exit 1
of="$(stat -f -c %T "$tmp"),$(machine),$(nproc),$(commit),$(date -u +%Y-%m-%dT%H:%M:%SZ)"
python3 - "$(realpath "$sweep")" "$other" "$tmp" "$csv" "$mb" "$repeats" "$of" <<'PY'
import os
import statistics
import subprocess
import sys
import time

sweep, other, folder, table, mb, repeats, of = sys.argv[1:]
RUNS, N = 256, 1024
CONFIG = """problem = "heat";
grid = {{ n = {n}; length = 1.0; }};
physics = {{ kappa = 1.0; }};
time = {{ dt = 1.0e-6; end = {end:.17g}; }};
sweep = {{ g = "range(1, {runs})"; }};
initial = "sin(2*pi*x) + 1.0e-3*g*cos(4*pi*x)";
output = {{ fields = {{ times = "linspace(0, end, {outputs})"; }}; }};
run = {{ device = "cpu"; }};
"""
HEAD = "bytes,parts,pairs,without_least_s,with_least_s,without_median_s,with_median_s,least_percent,median_percent," \
       "without_cpu_s,with_cpu_s,file_system,machine,threads,commit,when\n"
config, file = os.path.join(folder, "w.cfg"), os.path.join(folder, "w.h5")


def call(program, parts):
    """Seconds, and processor seconds."""
    if os.path.exists(file):
        os.unlink(file)
    used, start = os.times(), time.perf_counter()
    subprocess.run([program, "run", "-q", config, "-o", file, "-s", f"run.batch={RUNS // parts}"], check=True)
    seconds, now = time.perf_counter() - start, os.times()
    return seconds, now.children_user + now.children_system - used.children_user - used.children_system


if not os.path.exists(table):
    with open(table, "w") as out:
        out.write(HEAD)
for size in map(float, mb.split()):
    outputs = max(2, round(size * 1e6 / (RUNS * N * 8)))
    with open(config, "w") as out:
        out.write(CONFIG.format(n=N, runs=RUNS, outputs=outputs, end=1e-6 * (outputs - 1)))
    for parts in 1, 4:
        call(sweep, parts)
        pairs = []
        for k in range(int(repeats)):
            first, second = (sweep, other) if k % 2 else (other, sweep)
            pair = call(first, parts), call(second, parts)
            pairs.append(pair[::-1] if k % 2 else pair)
        without, read = [[pair[j][0] for pair in pairs] for j in (0, 1)]
        cpu = [statistics.median(pair[j][1] for pair in pairs) for j in (0, 1)]
        percent = statistics.median(100 * (b / a - 1) for a, b in zip(without, read))
        row = f"{os.path.getsize(file)},{parts},{len(pairs)},{min(without):.3f},{min(read):.3f}," \
              f"{statistics.median(without):.3f},{statistics.median(read):.3f}," \
              f"{100 * (min(read) / min(without) - 1):.1f},{percent:.1f},{cpu[0]:.2f},{cpu[1]:.2f},{of}"
        print(row)
        with open(table, "a") as out:
            out.write(row + "\n")
PY
