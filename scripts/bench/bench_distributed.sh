#!/bin/bash
# bench_distributed.sh [OPTION...] BUILD [FOLDER]: how does one grid, cut over 1, 2, 4 ... ranks, scale? Weak: as many
# points a rank; strong: as many in all. Every result is verified (`sweep bench`), the tridiagonal systems but for their
# backward error in the file.
#   BUILD            a folder with the program, as `make` leaves in build and `make portable` in build/portable
#   FOLDER           where distributed_DEVICE.csv goes, and the rows of `sweep bench` in distributed_DEVICE_rows.csv
#                    (default: results/bench)
#   --device DEVICE  cpu or cuda (default: cuda where there is one, else cpu)
#   --ranks LIST     '1 2 4' (default: 1, 2, 4 ... as many as there are GPUs, or processors)
#   --by KIND        threads (of one process, with a device each) or processes (of mpirun); default: both, where this
#                    program has MPI; repeatable
#   --work NAME      those of the table below whose names begin so (default: all)
#   --scaling WHAT   weak or strong (default: both)
#   --side N         points of a cube a rank in place of 512 (CPU: 128), and the other grids in proportion
#   --repeats N, --longest S  as `sweep bench` takes them (default: 5 and 0.5)
#   --rows-from CSV  take rows of `sweep bench` that an earlier call left, instead of running them; what it has not is
#                    left out
#   --dry-run        print what would be run
# Columns: speed is points * steps a second of all ranks over that of 1 rank; ratio is what goals are given for, of 2
# ranks: weak the speed over the number of ranks, strong the speed. On the CPU each rank has one thread.
. "$(dirname "$0")/measure.sh"
device='' ranks='' by='' work='' scaling='' side='' repeats=5 longest=0.5 rows_from='' dry_run=''
take_options 'device= ranks= by+ work= scaling= side= repeats= longest= rows-from= dry-run' "$@"
take_build_and_folder
[ -n "$device" ] || { device=cpu; ! has_gpu || device=cuda; }
[ -n "$side" ] || { side=512; [ "$device" = cuda ] || side=128; }
if [ -z "$ranks" ]; then
    there=$(nproc)
    [ "$device" = cpu ] || there=$(echo "$listed" | grep -cE '^  cuda(:[0-9]+)? ')
    for ((count = 1; count <= there; count *= 2)); do ranks="$ranks $count"; done
fi
[ -n "$by" ] || { by=threads; ! { has mpi && command -v mpirun >/dev/null; } || by='threads processes'; }
python=${SWEEP_PYTHON:-$(command -v python3)}
[ -n "$python" ] || give_up 'needs python3'
make_tmp
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
"$python" - "$sweep" "$folder" "$device" "$ranks" "$by" "$work" "${scaling:-weak strong}" "$side" "$repeats" \
    "$longest" "$(machine)" "$(commit)" "$tmp" "$dry_run" "$rows_from" <<'PY'
import csv
import os
import subprocess
import sys
import time

(sweep, folder, device, ranks, kinds, wanted, scalings, side, repeats, longest, cpu, commit, tmp,
 dry_run, rows_from) = sys.argv[1:]
ranks, kinds, wanted, side = [int(r) for r in ranks.split()], kinds.split(), wanted, int(side)
cuda = device == "cuda"

# A row a work: its text with {n} for the grid, the grid as multiples of the side (weak: P times as many points along
# the axis of number `grows`), the axis that is cut, rows of the undivided grid and of the one that is cut ("": those
# that there are), and what 2 ranks are to reach. A work that this program does not cut yet is left out.
ONE = "cuda.fused" if cuda else "cpu.simd"
CUBE, FLAT = (1, 1, 1), (1, 1, 0.25)
D1 = "scheme=d1_c6,boundary=periodic"
WORKS = [
    # name, text, grid, grows, along, rows whole, rows cut, weak goal, strong: grid and goal
    ("compact, cut lines", "compact:grid.n={n},axis=z," + D1, CUBE, 2, "z", ONE, "", .95, (2, 2, 2), 1.9),
    ("compact, whole lines y", "compact:grid.n={n},axis=y," + D1, CUBE, 2, "z", ONE, ONE, .95, (2, 2, 2), 1.9),
    ("compact, whole lines x", "compact:grid.n={n},axis=x," + D1, CUBE, 2, "z", ONE, ONE, .95, (2, 2, 2), 1.9),
    ("compact, cut along x", "compact:grid.n={n},axis=x," + D1, CUBE, 0, "x", ONE, "", None, None, None),
    ("gradient", "gradient:grid.n={n}," + D1, CUBE, 2, "z", ONE, ONE, None, None, None),
    ("advection RK4", "advection:grid.n={n},dim=3,batch=1,steps=2,dt=1e-5,method=rk4", CUBE, 2, "z", ONE, ONE, .93,
     None, None),
    ("elliptic PCG", "elliptic:grid.n={n}", FLAT, 1, "y", device + ".interleaved", device + ".interleaved", .93,
     (2, 2, .25), 1.85),
    ("elliptic multigrid", "elliptic:grid.n={n}", FLAT, 1, "y", device + ".multigrid", device + ".multigrid", .80,
     (2, 2, .25), 1.85),
    ("elliptic modal", "elliptic:grid.n={n}", FLAT, 1, "y", device + ".modal", device + ".modal", .70,
     (2, 2, .25), 1.85),
    # by `sweep run`: unknowns a rank in cubes of the side, 2^28 at 512 beside two of them
    ("tridiagonal", "tridiagonal", 2, None, None, "", "", .97, 8, 1.9),
]
FIELDS = ["work", "scaling", "by", "ranks", "spec", "row", "comm", "seconds", "iterations", "points", "rate", "speed",
          "ratio", "goal", "bytes", "of_copy", "copy_bytes_per_s", "sent_bytes", "least_bytes", "sent_messages",
          "least_messages", "device", "cpu", "commit", "host", "when"]


def say(command):
    print("[%.0f s] %s" % (time.perf_counter() - START, " ".join(command)), file=sys.stderr, flush=True)


def call(command):
    say(command)
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def launch(kind, count, arguments):
    """The command of so many ranks: a device each; of the CPU a thread each."""
    if cuda:
        of = ["--device", "cuda" if kind == "processes" else "cuda:" + ",".join(str(k) for k in range(count))]
    else:
        of = ["--device", "cpu", "-j", "1" if kind == "processes" else str(count)]
    start = ["mpirun", "-n", str(count)] if kind == "processes" and count > 1 else []
    return start + [sweep] + arguments + of


def points(grid):
    product = 1
    for n in grid:
        product *= n
    return product


def bench(kind, count, text, grid, along, rows):
    """The row of the highest rate, or why there is none."""
    table = os.path.join(tmp, "rows.csv")
    if os.path.exists(table):
        os.unlink(table)
    spec = text.format(n="[" + ",".join(str(n) for n in grid) + "]")
    if count > 1:
        spec += f",split={count},along={along}"
    command = launch(kind, count, ["bench", spec, "--repeats", repeats, "--longest", longest, "-q", "-o", table])
    if rows:
        command += ["--rows", rows]
    if dry_run:
        say(command)
        return spec, None, "not run"
    if rows_from:
        return best_of(spec, [r for r in EARLIER if r["spec"] == spec and (not rows or r["row"] == rows) and
                              (count == 1 or of_kind(r["comm"], kind))], grid)
    done = call(command)
    if "has no setting 'split'" in done.stderr:
        return spec, None, "this program does not cut it yet"
    if not os.path.exists(table):
        return spec, None, done.stderr.strip().split("\n")[0][:300] or f"exit code {done.returncode}"
    with open(table) as f:
        found = list(csv.DictReader(f))
    kept = os.path.join(folder, f"distributed_{device}_rows.csv")
    new = not os.path.exists(kept)
    with open(kept, "a", newline="") as f:
        out = csv.DictWriter(f, found[0].keys(), lineterminator="\n")
        if new:
            out.writeheader()
        out.writerows(found)
    return best_of(spec, found, grid)


def of_kind(comm, kind):
    return (comm in ("threads", "peer")) == (kind == "threads")


def best_of(spec, found, grid):
    good = [r for r in found if r["state"] == "ok"]
    if not good:
        return spec, None, "no row is ok: " + ", ".join(r["row"] + " " + r["state"] for r in found)[:300]
    best = max(good, key=lambda r: float(r["rate"]))
    best["seconds"] = float(best["least_s"]) / float(best["steps"])
    best["points"] = points(grid)
    if best.get("iterations"):  # compared by the iteration
        best["seconds"] /= float(best["iterations"])
    return spec, best, ""


def solve(kind, count, n):
    """One tridiagonal system by `sweep run`: its wall time, entries formed."""
    file = os.path.join(tmp, "t.h5")
    command = launch(kind, count, ["run", "configs/tridiagonal_scaling.cfg", "-q", "--force", "-o", file, "-s",
                                   f"grid.n={n}.0"])
    if dry_run:
        say(command)
        return f"n={n}", None, "not run"
    if rows_from:
        return f"n={n}", None, "it is no row of `sweep bench`"
    best = None
    for _ in range(2):
        done = call(command)
        if done.returncode:
            return f"n={n}", None, done.stderr.strip().split("\n")[0][:300]
        shown = call([sweep, "show", file, "--csv"])
        row = next(csv.DictReader(shown.stdout.splitlines()))
        seconds = float(row["wall_time"])
        if best is None or seconds < best["seconds"]:
            best = {"row": row.get("solver", ""), "seconds": seconds, "points": n}
    return f"n={n}", best, ""


def measure(work, scaling, kind, count):
    name, text, shape, grows, along, whole, cut, weak_goal, strong_shape, strong_goal = work
    shape = shape if scaling == "weak" else strong_shape
    times = count if scaling == "weak" else 1
    if text == "tridiagonal":
        return solve(kind, count, int(shape * side ** 3) * times)
    grid = [int(s * side) for s in shape]
    grid[grows] *= times
    return bench(kind, count, text, grid, along, cut if count > 1 else whole)


START = time.perf_counter()
EARLIER = []
if rows_from:
    with open(rows_from) as f:
        EARLIER = list(csv.DictReader(f))
results, problems = [], []
for work in WORKS:
    if not work[0].startswith(wanted):
        continue
    for scaling in scalings.split():
        goal = work[7] if scaling == "weak" else work[9]
        if scaling == "strong" and work[8] is None:
            continue
        first = None
        for kind in kinds:
            for count in ranks:
                if count == 1 and kind != kinds[0]:
                    continue
                spec, row, why = measure(work, scaling, kind, count)
                if row is None:
                    problems.append(f"{work[0]}, {scaling}, {count} {kind}: {why}")
                    continue
                rate = row["points"] / row["seconds"]
                if count == 1:
                    first = rate
                speed = rate / first if first else float("nan")
                results.append({**{k: row.get(k, "") for k in FIELDS}, "work": work[0], "scaling": scaling, "by": kind,
                                "ranks": count, "spec": spec, "seconds": f"{row['seconds']:.6g}",
                                "rate": f"{rate:.6g}", "speed": f"{speed:.4g}",
                                "ratio": f"{speed / count if scaling == 'weak' else speed:.4g}",
                                "goal": goal if goal and count == 2 else "",
                                "cpu": row["host"] if rows_from else cpu, "commit": row.get("commit") or commit,
                                "when": row.get("when") or time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())})
                with open(os.path.join(folder, f"distributed_{device}.csv"), "w", newline="") as f:
                    out = csv.DictWriter(f, FIELDS, lineterminator="\n")  # each time, for a call that is ended
                    out.writeheader()
                    out.writerows(results)
if results:
    print("%-24s %-7s %-10s %5s %-16s %10s %8s %6s %6s  %s" % ("work", "scaling", "by", "ranks", "row", "seconds",
                                                             "of copy", "ratio", "goal", "bytes a step, least"))
for r in results:
    short = r["goal"] != "" and float(r["ratio"]) < float(r["goal"])
    share = "%.1f %%" % (100 * float(r["of_copy"])) if r["of_copy"] else "-"
    sent = f"{r['sent_bytes']}, {r['least_bytes'] or '-'}" if r["sent_bytes"] else ""
    print("%-24s %-7s %-10s %5d %-16s %10.4g %8s %6.3f %6s%s  %s" %
          (r["work"], r["scaling"], r["by"], r["ranks"], r["row"], float(r["seconds"]), share, float(r["ratio"]),
           r["goal"], "!" if short else " ", sent))
for problem in problems:
    print("left out:", problem)
PY
