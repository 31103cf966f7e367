"""What the scripts bench_*.sh and reproduce_*.sh left in results/bench, the goals it is held to, and what the
cuPentBatch paper reports. Standard library only; bench_tables.py makes tables, plot_bench.py pictures."""
import collections
import csv
import glob
import os

FUSED, SIMD = "cuda.fused", "cpu.simd"
STRIDED = "cusparse.gtsv_strided"
CONSTANT, REWRITE = "cuda.split+cuda.thomas", "cuda.split+cuda.thomas_rewrite"
SHARED, GPSV = "cuda.split+cuda.thomas_shared", "cuda.split+cusparse.gpsv"
PLAIN, LAPACK = "cpu.plain+cpu.thomas", "cpu.plain+cpu.lapack_spd"
NAMES = {CONSTANT: "cuPentBatch, constant", REWRITE: "cuPentBatch, rewrite", SHARED: "one shared factor", GPSV: "gpsv",
         FUSED: "cuda.fused", "cuda.stream": "cuda.stream", SIMD: "cpu.simd", SIMD + "@1": "cpu.simd, 1 thread",
         SIMD + "@8": "cpu.simd, 8 threads"}


def number(text):
    return float(text) if text else None


def published(folder, paper):
    """Path of PAPER_paper.csv, what a paper prints: in the folder, or where the checkout has it."""
    path = os.path.join(folder, f"{paper}_paper.csv")
    if os.path.exists(path):
        return path
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), f"../../results/bench/{paper}_paper.csv")


class Table:
    """Rows of CSV files as `sweep bench -o` writes them: at[spec, row], the last where one was timed twice."""
    def __init__(self, paths):
        self.at, self.specs = {}, []
        for path in sorted(paths):
            with open(path, newline="") as file:
                for line in csv.DictReader(file):
                    if line["spec"] not in self.specs:
                        self.specs.append(line["spec"])
                    self.at[line["spec"], line["row"]] = line

    def rows(self, spec):
        return [line for (s, _), line in self.at.items() if s == spec]

    def get(self, spec, row, column="rate"):
        line = self.at.get((spec, row))
        return number(line[column]) if line and line["state"] == "ok" else None

    def ratio(self, spec, row, baseline):
        ours, theirs = self.get(spec, row), self.get(spec, baseline)
        return ours / theirs if ours and theirs else None

    def points(self, row, chosen=lambda n, batch: True):
        """{(n, batch): rate over that of the baseline of the run}"""
        found = {(int(line["n"]), int(line["batch"])): float(line["ratio"]) for (_, name), line in self.at.items()
                 if name == row and line["state"] == "ok" and line["ratio"]}
        return {at: ratio for at, ratio in found.items() if chosen(*at)}

    def origin(self, where="cuda"):
        """Machine, versions and commit of the rows of one kind of device; of some rows another commit, maybe."""
        of = {}  # commits of one machine, the latest first
        for line in reversed(list(self.at.values())):
            if not line["row"].startswith(where) or line["state"] != "ok":
                continue
            versions = f", driver {line['driver']}, CUDA {line['cuda']}" if where == "cuda" else ""
            of.setdefault(f"{line['device']}{versions}", {})[f"{line['commit']}, {line['when'][:10]}"] = True
        for machine, commits in of.items():
            return f"{machine}, commit " + ", and ".join(commits)
        return ""


def outputs(folder):
    """The rows of bench_output.sh: an output every 10 steps beside computing alone and writing alone."""
    path = os.path.join(folder, "output.csv")
    if not os.path.exists(path):
        return []
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def several(folder):
    """The rows of bench_devices.sh: one sweep on several devices, each measured last, by number and host."""
    found = {}
    for path in sorted(glob.glob(os.path.join(folder, "devices_*.csv"))):
        with open(path, newline="") as file:
            for line in csv.DictReader(file):
                found[line["device"], line["host"], line["threads"]] = line
    return list(found.values())


def steps(folder):
    """With .several: {devices: the row of bench_devices.sh with so many}; .hidden: {device: time with outputs over the
    larger of computing and writing, the worst}; .compact: {part of scripts/bench/bench_compact.sh: Table}."""
    table = Table(glob.glob(os.path.join(folder, "steps_*.csv")))
    table.compact = {part: compact(folder, part) for part in COMPACT}
    table.several = {int(line["devices"]): line for line in several(folder) if line["same"] == "yes"}
    table.hidden = {}
    for line in outputs(folder):
        if line["commit"].endswith("+"):  # --before
            continue
        table.hidden[line["device"]] = max(float(line["hidden"]), table.hidden.get(line["device"], 0))
    return table


# ---------------------------------------------------------------- compact differences

COMPACT = {"cube": "512³, every row", "paper": "Lines of n points between walls, `d1_c4`",
           "lengths": "Any n, `d1_c6`", "schemes": "Every scheme and closure, 512³",
           "single": "512³ in single precision",
           "gradient": "Gradients, 512³: two axes at once, and one after the other"}


def compact(folder, part):
    """A Table of a part of scripts/bench/bench_compact.sh, of all devices."""
    return Table(glob.glob(os.path.join(folder, f"compact_{part}_*.csv")))


# ---------------------------------------------------------------- the boundary value problem

# here: {row: {n: value}}, paper: {algorithm: {n: value}}
PaperTable = collections.namedtuple("PaperTable", "title origins here paper")


def bvp_table(folder, number):
    """bvp_tableK.csv and bvp_tableK_cuda.csv of scripts/papers/reproduce_bvp.sh together, None where there is none."""
    here, paper, origins, title = collections.defaultdict(dict), collections.defaultdict(dict), [], None
    with open(published(folder, "bvp"), newline="") as file:
        file.readline()
        for line in csv.DictReader(file):
            if line["table"] == str(number):
                paper[line["algorithm"]][int(line["n"])] = float(line["value"])
    for where, suffix in (("cpu", ""), ("cuda", "_cuda")):
        path = os.path.join(folder, f"bvp_table{number}{suffix}.csv")
        if not os.path.exists(path):
            continue
        with open(path, newline="") as file:
            title, origin = file.readline().lstrip("# ").rstrip("\n").split("; ", 1)
            origins.append(origin)
            for line in csv.DictReader(file):
                here[f"{where}.{line['algorithm']}"][int(line["n"])] = float(line["here"])
    return PaperTable(title, origins, here, paper) if title else None


def bvp(folder, part):
    """A Table of a part of scripts/bench/bench_bvp.sh, of all devices."""
    return Table(glob.glob(os.path.join(folder, f"bvp_{part}_*.csv")))


# ---------------------------------------------------------------- tridiagonal systems, reproduce_spike.sh

# Which of the paper's solvers a solver here is compared with: the same method, or the same library.
SPIKE_PEERS = {"cpu.spike": "SPIKE-diag_pivot", "cuda.spike": "SPIKE-diag_pivot", "cpu.spike_thomas": "SPIKE-Thomas",
               "cuda.spike_thomas": "SPIKE-Thomas", "cpu.lapack": "MKL", "cusparse.gtsv2_nopivot": "CUSPARSE"}
SpikeTable = collections.namedtuple("SpikeTable", "origin matrices solvers residuals backward paper condition")


def is_number(text):
    """Whether a field has a finite number: 'Inf', 'Nan', 'Fail' and '' have none."""
    try:
        return abs(float(text)) < float("inf")
    except ValueError:
        return False


def part_rows(folder, name, suffix=None):
    """Machines and commits, and the rows of NAME.csv and NAME_cuda.csv together, which begin as `first` of
    scripts/bench/measure.sh has it."""
    origins, rows = [], []
    for one in ("", "_cuda") if suffix is None else (suffix,):
        path = os.path.join(folder, f"{name}{one}.csv")
        if not os.path.exists(path):
            continue
        with open(path, newline="") as file:
            origins.append(file.readline().rstrip("\n").split("; ", 1)[1])
            rows += csv.DictReader(file)
    return "; ".join(origins), rows


def spike_rows(folder, part, suffix=None):
    return part_rows(folder, f"spike_{part}", suffix)


def spike_table4(folder):
    """residuals, backward[matrix, solver]: a number or None a seed; paper[solver][matrix]: text as it is printed."""
    origin, rows = spike_rows(folder, "table4")
    residuals, backward = collections.defaultdict(list), collections.defaultdict(list)
    paper, condition = collections.defaultdict(dict), {}
    with open(published(folder, "spike"), newline="") as file:
        file.readline()
        for line in csv.DictReader(file):
            paper[line["solver"]][line["matrix"]] = line["residual"]
            condition[line["matrix"]] = line["condition"]
    for row in rows:
        for errors, name in ((residuals, "residual"), (backward, "backward_error")):
            value = float(row[name]) if row["status"] == "done" and is_number(row[name]) else None
            errors[row["matrix"], row["solver"]].append(value)
    matrices, solvers = (list(dict.fromkeys(row[name] for row in rows)) for name in ("matrix", "solver"))
    return SpikeTable(origin, matrices, solvers, residuals, backward, paper, condition)


def part_times(folder, name):
    """A Table of the works that were timed, of all devices."""
    return Table(glob.glob(os.path.join(folder, f"{name}.csv")) + glob.glob(os.path.join(folder, f"{name}_cuda.csv")))


def spike_times(folder, part):
    return part_times(folder, f"spike_{part}")


def spike_matrix(spec):
    """'tridiagonal:n=2^23,matrix=uniform': uniform"""
    words = dict(word.split("=", 1) for word in spec.split(":", 1)[1].split(",") if "=" in word)
    return "zero main diagonal" if words.get("main") == "0" else words.get("matrix", "uniform")


# ---------------------------------------------------------------- elliptic problems, reproduce_elliptic.sh

ELLIPTIC_CELLS = 256 * 256 * 128    # of the published values


def elliptic_method(row, single=False):
    """'cuda.interleaved_single', 'cpu.pcg@1': the paper's method, and its precision, where rows that compute in double
    may have been asked for single"""
    name = row.split(".")[1].split("@")[0]
    return name.removesuffix("_single"), "single" if single or name.endswith("_single") else "double"


def elliptic_is_single(spec):
    return ",single" in spec


def elliptic_paper(folder):
    """{(table, precision, method, kernel, quantity): value}, milliseconds in tables 3 to 6"""
    with open(published(folder, "elliptic"), newline="") as file:
        file.readline()
        return {(line["table"], line["precision"], line["method"], line["kernel"], line["quantity"]):
                float(line["value"]) for line in csv.DictReader(file)}


Iteration = collections.namedtuple("Iteration", "cells seconds operations words flops bytes")


def elliptic_iteration(line):
    """Of a timed row, what it says of an iteration: operations and words of a cell, flops and bytes a second."""
    nx, ny, nz = (int(n) for n in line["spec"].split("n=[")[1].split("]")[0].split(","))
    iterations = int(line["iterations"])
    cells, seconds = nx * ny * nz, float(line["least_s"]) / int(line["steps"]) / iterations
    operations = float(line["ops"]) / iterations if line["ops"] else None  # of rows in single precision: not counted
    single = elliptic_method(line["row"], elliptic_is_single(line["spec"]))[1] == "single"
    size, word = float(line["bytes"]) / iterations, 4 if single else 8
    return Iteration(cells, seconds, operations, size / word, cells * operations / seconds if operations else None,
                     cells * size / seconds)


def elliptic_iterations(folder, part="iteration"):
    """The table, and {(spec, row): Iteration} of the rows that count."""
    table = part_times(folder, f"elliptic_{part}")
    return table, {at: elliptic_iteration(line) for at, line in table.at.items()
                   if line["state"] == "ok" and line.get("iterations") and is_number(line["bytes"])}


def figures(folder):
    """{part: Table} of the parts of reproduce_cupentbatch.sh that are there."""
    parts = ("small", "large", "long", "serial", "openmp")
    paths = {part: os.path.join(folder, f"cupentbatch_{part}.csv") for part in parts}
    return {part: Table([path]) for part, path in paths.items() if os.path.exists(path)}


# ---------------------------------------------------------------- the paper

# Figures that share an axis make one picture. low, high: what the paper's text says of the speed-up (None: open).
Figure = collections.namedtuple("Figure", "number row says low high")
Picture = collections.namedtuple("Picture", "name part over baseline chosen figures ours")
FEW, MANY = (lambda n, batch: batch <= 8192), (lambda n, batch: batch > 8192)
ANY = lambda n, batch: True
BESIDE = [SHARED, FUSED]
PICTURES = [
    Picture("figures_03_04", "small", "batch", "gpsv", ANY,
            [Figure(3, CONSTANT, "generally above 2 where n is large", 2, None),
             Figure(4, REWRITE, "1.2 to 1.3 at the larger batches", 1.2, 1.3)], BESIDE),
    Picture("figures_05_06", "large", "batch", "gpsv", ANY,
            [Figure(5, CONSTANT, "falls with the batch size, stays above 1", 1, None),
             Figure(6, REWRITE, "falls with the batch size, stays above 1", 1, None)], BESIDE),
    Picture("figures_07_08", "small", "n", "gpsv", ANY,
            [Figure(7, CONSTANT, "well above 2 at large n", 2, None),
             Figure(8, REWRITE, "above 1, most at large n", 1, None)], BESIDE),
    Picture("figures_09_10", "long", "n", "gpsv", ANY,
            [Figure(9, CONSTANT, "confirms figure 7", 2, None),
             Figure(10, REWRITE, "confirms figure 8", 1, None)], BESIDE),
    Picture("figure_11", "serial", "n", "the serial program", FEW,
            [Figure(11, CONSTANT, "above 20 at a batch of 8192", 20, None)], [SIMD + "@1", FUSED]),
    Picture("figure_12", "serial", "batch", "the serial program", FEW,
            [Figure(12, CONSTANT, "above 10 for most n at batches above 2048", 10, None)], [SIMD + "@1", FUSED]),
    Picture("figure_13", "serial", "batch", "the serial program", MANY,
            [Figure(13, CONSTANT, "goes on growing with the batch size, then levels off", None, None)],
            [SIMD + "@1", FUSED]),
    Picture("figure_14", "openmp", "batch", "OpenMP, 8 threads", ANY,
            [Figure(14, CONSTANT, "5 to 6", 5, 6)], [SIMD + "@8", FUSED]),
]

# ---------------------------------------------------------------- the goals

# value: of a Table, None where it was not measured. least: the goal; most: for errors, which should be small.
Goal = collections.namedtuple("Goal", "work what value least most", defaults=(None, None))


def line_spec(kind, n, batch, words=""):
    return f"{kind}:n={n},batch={batch}{words},steps=250"


def length_spec(n):
    """Of 2^26 points, as scripts/bench/bench_steps.sh has it."""
    return line_spec("hyperdiffusion", n, 67108864 // n, ",dt=1e-12" if n >= 10000 else "")


def times(spec, row, baseline):
    return lambda table: table.ratio(spec, row, baseline)


def value_of(spec, row, column="rate"):
    return lambda table: table.get(spec, row, column)


def share(spec, of, row):
    def value(table):
        rate, whole = table.get(spec, row), table.get(of, row)
        return rate / whole if rate and whole else None
    return value


def cube_spec(axis, boundary):
    return f"compact:n=512,axis={axis},scheme=d1_c6,boundary={boundary}"


def copy_share(axis, boundary):
    return lambda table: table.compact["cube"].get(cube_spec(axis, boundary), FUSED, "of_copy")


def least_share(part):
    """The smallest share of the copy bandwidth in a part."""
    def value(table):
        shares = [table.compact[part].get(spec, FUSED, "of_copy") for spec in table.compact[part].specs]
        return min((share for share in shares if share is not None), default=None)
    return value


def least_lead(wanted, row=FUSED):
    """The smallest lead of a row over the fastest of the rows wanted, over the axes and boundaries of the cube."""
    def value(table):
        cube, leads = table.compact["cube"], []
        for spec in cube.specs:
            rates = [cube.get(spec, line["row"]) for line in cube.rows(spec) if wanted(line["row"])]
            best, ours = max((rate for rate in rates if rate), default=None), cube.get(spec, row)
            if best and ours:
                leads.append(ours / best)
        return min(leads, default=None)
    return value


def gradient_bytes(boundary):
    """What a point of a gradient costs, in bytes that could have been copied in the same time."""
    def value(table):
        gradient, spec = table.compact["gradient"], f"gradient:n=512,scheme=d1_c6,boundary={boundary}"
        rate, copied = gradient.get(spec, FUSED), gradient.get(spec, FUSED, "copy_bytes_per_s")
        return copied / rate if rate and copied else None
    return value


def compact_goals():
    goals = [Goal(f"compact f', 512³ along {axis}, {words}", "of the copy bandwidth", copy_share(axis, boundary), least)
             for boundary, words in (("periodic", "periodic"), ("3-4-6", "walls"))
             for axis, least in (("x", 0.95), ("y", 0.95), ("z", 0.92))]
    return goals + [
        Goal("compact f', 512³", "× the best cuSPARSE route", least_lead(lambda row: row.startswith("cusparse")), 5),
        Goal("compact f', 512³", "× gtsv2StridedBatch", least_lead(lambda row: row == STRIDED), 15),
        Goal("compact f', n = 96 … 2048", "of the copy bandwidth", least_share("lengths"), 0.85),
        Goal("compact, every scheme and closure, 512³", "of the copy bandwidth", least_share("schemes"), 0.85),
        *(Goal(f"gradient, 512³, {words}", "bytes of copy a point", gradient_bytes(boundary), None, 44)
          for boundary, words in (("periodic", "periodic"), ("3-4-6", "walls"))),
        Goal("CPU: compact f', 128³", "× cpu.thomas", least_lead(lambda row: row == "cpu.thomas", SIMD), 5),
    ]


def make_goals():
    large, small = line_spec("hyperdiffusion", 1024, 65536), line_spec("hyperdiffusion", 512, 8192)
    cahn, forced = line_spec("cahn_hilliard", 1024, 65536), line_spec("cahn_hilliard", 1024, 65536, ",forced,per_run")
    goals = [
        Goal("hyperdiffusion, 1024 × 65536", "× gpsv", times(large, FUSED, GPSV), 75),
        Goal("hyperdiffusion, 1024 × 65536", "× cuPentBatch, constant", times(large, FUSED, CONSTANT), 45),
        Goal("hyperdiffusion, 1024 × 65536", "point·steps/s", value_of(large, FUSED), 1.3e12),
        Goal("hyperdiffusion, 1024 × 65536", "of the FMA rate", value_of(large, FUSED, "of_fma"), 0.7),
        Goal("hyperdiffusion, 1024 × 65536", "error", value_of(large, FUSED, "error"), None, 5e-12),
        Goal("hyperdiffusion, 512 × 8192", "× gpsv", times(small, FUSED, GPSV), 180),
    ]
    for n in (100, 333, 1000, 3000, 10000, 65536, 131072):
        spec = length_spec(n)
        least = 20 if n <= 16384 else 8
        goals.append(Goal(f"hyperdiffusion, {n} × {67108864 // n}", "× gpsv", times(spec, FUSED, GPSV), least))
    for n in (64, 128, 256):
        rate = value_of(length_spec(n), FUSED)
        goals.append(Goal(f"hyperdiffusion, {n} × {67108864 // n}", "point·steps/s", rate, 9e11))
    cpu, cpu_forced = small, line_spec("cahn_hilliard", 512, 8192, ",forced,per_run")
    return goals + [
        Goal("coefficients that differ, 1024 × 65536", "of the uniform case",
             share(line_spec("hyperdiffusion", 1024, 65536, ",per_run"), large, FUSED), 0.8),
        Goal("Cahn–Hilliard, 1024 × 65536", "point·steps/s", value_of(cahn, FUSED), 9e11),
        Goal("Cahn–Hilliard under a travelling force, per run", "point·steps/s", value_of(forced, FUSED), 6e11),
        *(Goal(f"an output every 10 steps, {name}", "× max(compute, write)",
               lambda table, device=device: table.hidden.get(device), None, 1.2)
          for name, device in (("GPU", "cuda"), ("CPU", "cpu"))),
        *(Goal("10⁵ forced Cahn–Hilliard runs, n = 512, on 4 GPUs", f"× one GPU, {words}",
               lambda table, column=column: number(table.several.get(4, {}).get(column)), least)
          for words, column, least in (("computing", "of_compute", 3.8), ("start to merged file", "of_total", 3.5))),
        *compact_goals(),
        Goal("CPU: hyperdiffusion, 512 × 8192", "× the paper's program", times(cpu, SIMD, PLAIN), 30),
        Goal("CPU: hyperdiffusion, 512 × 8192", "× LAPACK (dpbtrs)", times(cpu, SIMD, LAPACK), 80),
        Goal("CPU: forced Cahn–Hilliard, per run", "× cpu.plain", times(cpu_forced, SIMD, PLAIN), 15),
        Goal("CPU: forced Cahn–Hilliard, one run of 256 points", "point·steps/s",
             value_of("cahn_hilliard:n=256,batch=1,forced,per_run,steps=2000", SIMD), 2e8),
    ]


GOALS = make_goals()

# ---------------------------------------------------------------- the works of bench_last.sh

def last(folder):
    """{commit: Table} of last.csv, the oldest first; of last_runs.csv .own[n]: the rate of lines with steps of their
    own over that with steps that all share."""
    tables, path = {}, os.path.join(folder, "last.csv")
    if os.path.exists(path):
        with open(path, newline="") as file:
            for line in sorted(csv.DictReader(file), key=lambda line: line["when"]):
                table = tables.setdefault(line["commit"], Table([]))
                table.at[line["spec"], line["row"]] = line
    rates, path = {}, os.path.join(folder, "last_runs.csv")
    if os.path.exists(path):
        with open(path, newline="") as file:
            for n, _, step, _, _, _, rate, commit in csv.reader(line for line in file if line[0] != "#"):
                rates[commit, int(n), step.split("=")[0]] = float(rate)
    for commit, table in tables.items():
        table.own = {n: rate / rates[commit, n, "dt"] for (of, n, step), rate in rates.items()
                     if of == commit and step == "tolerance" and (commit, n, "dt") in rates}
    return tables


def milliseconds(points, spec, row):
    """Of a solve of so many points."""
    def value(table):
        rate = table.get(spec, row)
        return 1e3 * points / rate if rate else None
    return value


def make_last_goals():
    cahn, large = line_spec("cahn_hilliard", 1024, 65536), line_spec("hyperdiffusion", 1024, 65536)
    order = "cahn_hilliard:n={},batch={},steps=100,per_run,method=imex2,order="
    orders = {n: order.format(n, 67108864 // n) for n in (256, 1024)}
    gray_scott = "configs/equations/gray_scott.cfg:n=512,batch=16384,method=imex2,dt=0.5,steps=100"
    cube, full = "elliptic:n=[256,256,128],courant=8.4,", 256 * 256 * 128
    modal, layers = cube + "tolerance=1e-7", cube + "stencil=full"
    varying = 'elliptic:n=[256,256,128],geometry="box",kx="1+x",ky="2-y",kz="1+x*y"'
    return [
        Goal("hyperdiffusion, 1024 × 65536, coefficients that differ", "of the uniform case",
             share(large + ",per_run", large, FUSED), 0.85),
        Goal("Cahn–Hilliard, likewise", "of the uniform case", share(cahn + ",per_run", cahn, FUSED), 0.85),
        *(Goal(f"steps of each run's own, n = {n}", "of shared ones", lambda table, n=n: table.own.get(n), 0.8)
          for n in (256, 1024)),
        *(Goal(f"order 4, n = {n}", "of order 2", share(spec + "4", spec + "2", FUSED), 0.8)
          for n, spec in orders.items()),
        Goal("Gray–Scott, 512 × 16384, imex2", "point·steps/s", value_of(gray_scott, FUSED), 2.3e11),
        Goal("one run of 256 points, forced Cahn–Hilliard", "point·steps/s",
             value_of("cahn_hilliard:n=256,batch=1,forced,steps=20000", FUSED), 5e8),
        Goal("elliptic 256² × 128, cuda.modal, to 1e-7", "ms", milliseconds(full, modal, "cuda.modal"), None, 0.37),
        Goal("elliptic 256² × 128, cuda.multigrid", "ms", milliseconds(full, modal, "cuda.multigrid"), None, 2.2),
        Goal("elliptic 256² × 128, cuda.multigrid, full", "ms", milliseconds(full, layers, "cuda.multigrid"), None,
             2.8),
        Goal("elliptic 256² × 128, cuda.multigrid, coefficients that vary", "ms",
             milliseconds(full, varying, "cuda.multigrid"), None, 3.8),
        Goal("tridiagonal 2²⁶, cuda.relations", "of the copy bandwidth",
             value_of("tridiagonal:n=2^26,batch=1", "cuda.relations", "of_copy"), 0.97),
        Goal("tridiagonal 2²⁶, cuda.relations_adaptive", "ms",
             milliseconds(2**26, "tridiagonal:n=2^26,batch=1", "cuda.relations_adaptive"), None, 0.75),
        Goal("-u'' = f, n = 2²⁸, cuda.scan", "ms",
             milliseconds(2**28, "bvp:n=2^28,problem=P2,r=best", "cuda.scan"), None, 1.2),
        *(Goal(f"compact f', 333³ along {axis}", "of the copy bandwidth",
               value_of(f"compact:n=333,axis={axis}", FUSED, "of_copy"), 0.88) for axis in "xyz"),
    ]


LAST_GOALS = make_last_goals()

# ---------------------------------------------------------------- what users ask first

# table: of a folder; limit: the column with the share of the limit that binds; peer: a row of the same measurement.
Answer = collections.namedtuple("Answer", "work table spec row limit peer peer_name")
LIMITS = {"of_fma": "the FMA rate", "of_copy": "copying"}


def make_answers():
    answer, large = Answer, 1024
    short = line_spec("hyperdiffusion", large, 65536)
    cube, gradient = (lambda folder: compact(folder, "cube")), (lambda folder: compact(folder, "gradient"))
    sizes = lambda folder: bvp(folder, "sizes")
    forced = ",forced,per_run"
    return [
        answer("GPU: hyperdiffusion, n = 1024", steps, short, FUSED, "of_fma", GPSV, "cuSPARSE gpsv"),
        answer("GPU: heat, n = 1024", steps, line_spec("heat", large, 65536), FUSED, "of_fma", CONSTANT, "cuPentBatch"),
        answer("GPU: Cahn–Hilliard, n = 1024", steps, line_spec("cahn_hilliard", large, 65536), FUSED, "of_fma",
               CONSTANT, "cuPentBatch"),
        answer("GPU: Cahn–Hilliard, each run its own force and coefficients", steps,
               line_spec("cahn_hilliard", large, 65536, forced), FUSED, "of_fma", CONSTANT, "cuPentBatch"),
        answer("GPU: hyperdiffusion, n = 2²⁰", steps, "hyperdiffusion:n=1048576,batch=64,dt=1e-12,steps=250",
               "cuda.stream", "of_copy", GPSV, "gpsv"),
        answer("GPU: -u'' = f, n = 2²⁸", sizes, "bvp:n=2^28,problem=P1", "cuda.scan", "of_copy", "cuda.a2d",
               "the paper's program"),
        answer("GPU: compact f', 512³ along x", cube, cube_spec("x", "periodic"), FUSED, "of_copy",
               "cusparse.gtsv_interleaved", "cuSPARSE gtsv"),
        answer("GPU: compact gradient, 512³", gradient, "gradient:n=512,scheme=d1_c6,boundary=periodic", FUSED,
               "of_copy", FUSED + "+apart", "one axis at a time"),
        answer("CPU: hyperdiffusion, n = 512", steps, line_spec("hyperdiffusion", 512, 8192), SIMD, "of_fma", LAPACK,
               "LAPACK"),
        answer("CPU: Cahn–Hilliard, n = 512", steps, line_spec("cahn_hilliard", 512, 8192), SIMD, "of_fma", LAPACK,
               "LAPACK"),
        answer("CPU: Cahn–Hilliard, each run its own force and coefficients", steps,
               line_spec("cahn_hilliard", 512, 8192, forced), SIMD, "of_fma", LAPACK, "LAPACK"),
        answer("CPU: compact f', 128³ along x", cube, cube_spec("x", "periodic").replace("512", "128"), SIMD,
               "of_copy", "cpu.thomas", "the Thomas algorithm"),
    ]


ANSWERS = make_answers()


def reached(goal, value):
    return value >= goal.least if goal.least is not None else value <= goal.most


def figure_text(value):
    """Three digits, as a person writes them."""
    if value is None:
        return "–"
    if value != 0 and (abs(value) >= 1e5 or abs(value) < 1e-2):
        mantissa, exponent = f"{value:.2e}".split("e")
        return f"{mantissa}e{int(exponent)}"
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"
