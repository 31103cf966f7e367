"""What the five papers publish: each table, figure, number and claim, and how ours is computed from the CSV files that
scripts/papers/reproduce_*.sh leave. claims.py prints both side by side. Published tables stand in *_paper.csv, numbers
of the papers' texts here; ours stands nowhere but in the CSV files. Standard library only."""
import collections
import csv
import math
import os
import re
import statistics
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bench"))
import bench_data as data
from bench_data import figure_text as text

PAPERS = {"P": "cuPentBatch", "B": "the boundary value paper", "K": "the compact paper", "S": "the SPIKE paper",
          "E": "the elliptic paper"}

# met: True, False, or None where ours and the published value are not comparable; why says so, then.
Ours = collections.namedtuple("Ours", "text met")
# A number of a table: label names it, published is its text, ours a number or a text, None where there is none; why
# then says for what reason, if there is one.
Cell = collections.namedtuple("Cell", "label published ours why", defaults=("",))
# ours: function of the folder with the CSV files: Ours, or None where they have none. cells: function of the folder,
# of tables. files: the CSV files (without .csv) from which ours comes. why: why ours is not met, or not comparable.
# note: what the reader should know of ours in any case. lacks: why a machine may have none of ours; rows of a GPU need
# no such word.
Claim = collections.namedtuple("Claim", "paper place what published files ours cells why note lacks",
                               defaults=((), None, None, "", "", ""))
CLAIMS = []


def claim(paper, place, what, published, files="", ours=None, **more):
    CLAIMS.append(Claim(paper, place, what, published, tuple(files.split()), ours, **more))


def read(folder, name):
    """Lines of a CSV file, without those at its top that begin with #."""
    return read_path(os.path.join(folder, f"{name}.csv"))


def read_path(path):
    if not os.path.exists(path):
        return []
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def span(values, unit=""):
    values = [value for value in values if value is not None]
    if not values:
        return None
    low, high = text(min(values)), text(max(values))
    return (low if low == high else f"{low} to {high}") + unit


def judged(values, met, unit="", note=""):
    """Ours: the least and the largest of the values; met: function of the list of them."""
    values = [value for value in values if value is not None]
    return Ours(span(values, unit) + note, met(values)) if values else None


def at_least(least):
    return lambda values: min(values) >= least


def quotient(a, b):
    return a / b if a and b else None


# ---------------------------------------------------------------- judging tables

def pairs(cells):
    """(label, published, ours) of the cells where both are numbers."""
    return [(cell.label, float(cell.published), cell.ours) for cell in cells
            if cell.ours is not None and data.is_number(cell.published) and not isinstance(cell.ours, str)]


def within(factor):
    """A table is met where each of ours is at most so many times the published value, or its part."""
    def judge(cells):
        known = pairs(cells)
        off = [(label, max(ours / there, there / ours) if ours else float("inf")) for label, there, ours in known]
        bad = [(label, by) for label, by in off if by > factor]
        words = f"{len(known) - len(bad)} of {len(known)} within a factor of {text(factor)}"
        if bad:
            label, by = max(bad, key=lambda one: one[1])
            words += f"; farthest {label}: {text(by)} times"
        return Ours(words, not bad) if known else None
    return judge


def no_larger(factor):
    """Errors: met where each of ours is at most so many times the published one."""
    def judge(cells):
        known = pairs(cells)
        worse = [(label, ours / there) for label, there, ours in known if ours > factor * there]
        words = f"{len(known) - len(worse)} of {len(known)} at most {text(factor)} times the published value"
        if worse:
            label, by = max(worse, key=lambda one: one[1])
            words += f"; worst {label}: {text(by)} times"
        return Ours(words, not worse) if known else None
    return judge


def faster(cells):
    """Seconds of another machine: how many times faster, no verdict."""
    ratios = [there / ours for _, there, ours in pairs(cells) if ours]
    return Ours(f"{span(ratios)} times as fast, {len(ratios)} of {len(cells)} cells", None) if ratios else None


def table(paper, place, what, files, cells, judge, **more):
    def published(folder):
        return sum(1 for cell in cells(folder) if cell.published)
    claim(paper, place, what, published, files, lambda folder: judge(cells(folder)), cells=cells, **more)


def times(numerator, denominator, met, unit=" times"):
    """Ours: the quotient of two functions of the folder."""
    def ours(folder):
        value = quotient(numerator(folder), denominator(folder))
        return Ours(text(value) + unit, met(value)) if value else None
    return ours


# ---------------------------------------------------------------- P: cuPentBatch

def speedups(part, row, chosen=lambda n, batch: True):
    """function of a folder: {(n, batch): speed-up} of a part of reproduce_cupentbatch.sh"""
    def found(folder):
        measured = data.figures(folder).get(part)
        return measured.points(row, chosen) if measured else {}
    return found


def largest(points, k):
    """The values where n (k = 0) or the batch (k = 1) is largest."""
    top = max(at[k] for at in points)
    return [value for at, value in points.items() if at[k] == top]


def smallest(points, k):
    low = min(at[k] for at in points)
    return [value for at, value in points.items() if at[k] == low]


def figure(number, what, published, part, row, met, at=lambda points: points.values(), chosen=lambda n, batch: True,
           why=""):
    points = speedups(part, row, chosen)

    def ours(folder):
        found = points(folder)
        if not found:
            return None
        there, all_points = span(at(found)), span(found.values())
        return Ours(there + (f"; all points {all_points}" if all_points != there else ""), met(found))
    claim("P", f"Figure {number}", what, published, f"cupentbatch_{part}", ours, why=why, lacks="needs a GPU")


PUBLISHED_SLOPE = -2.0162


def slope(points):
    """Of the line through the logarithms of pairs that fits best."""
    logs = [(math.log(x), math.log(y)) for x, y in points if x > 0 and y > 0]
    x, y = (sum(pair[k] for pair in logs) / len(logs) for k in (0, 1))
    return sum((a - x) * (b - y) for a, b in logs) / sum((a - x)**2 for a, _ in logs)


def convergence(folder, over):
    """[(n or steps, error)] of the part convergence of reproduce_cupentbatch.sh"""
    return [(float(line["value"]), float(line["err_l2"])) for line in read(folder, "cupentbatch_convergence")
            if line["over"] == over]


def fitted(over, there, tolerance):
    def ours(folder):
        points = convergence(folder, over)
        if len(points) < 3:
            return None
        value = slope(points)
        return Ours(f"{value:.4f}, {over} = {points[0][0]:.0f} … {points[-1][0]:.0f}", abs(value - there) <= tolerance)
    return ours


def decay(folder):
    lines = read(folder, "cupentbatch_spacetime")
    if not lines:
        return None
    first, last = lines[0], lines[-1]
    rate = math.log(float(first["u_max"]) / float(last["u_max"])) / float(last["t"])
    exact = (4 * math.pi)**4
    return Ours(f"u_max falls to {text(float(last['u_max']))}: rate {rate:.1f}, exact {exact:.1f}",
                abs(rate / exact - 1) < 0.01)


def share_above(limit, row):
    def ours(folder):
        values = [value for part in ("small", "large", "long") for value in speedups(part, row)(folder).values()]
        above = sum(value > limit for value in values)
        return Ours(f"{above} of {len(values)} points", above >= 0.9 * len(values)) if values else None
    return ours


CHAINS = "a batch this small waits for its chains of loads on an H200, not for bytes: their lengths are compared"
C, R = data.CONSTANT, data.REWRITE

claim("P", "Abstract", "cuPentBatch is faster than gpsv for parabolic problems, one factor for all steps", "> 1",
      "cupentbatch_small cupentbatch_large cupentbatch_long", share_above(1, C), lacks="needs a GPU")
claim("P", "Section II.2", "Crank–Nicolson: error O(dt²), stable for any dt", "slope -2 over the number of steps",
      "cupentbatch_convergence", fitted("steps", -2, 0.05), note=f"dt up to {1e-4 / 4 * 2048**4:.0e} dx⁴")
claim("P", "Section II.4", "vectors of the method", "6: five of the matrix, one right-hand side", "", None,
      why="`cuda.thomas` keeps five of the matrix and one right-hand side, too, and the closure of the circle")
claim("P", "Section II.6", "gpsv (QR) has more operations than cuPentBatch (LU)", "not counted", "", None,
      why="the library does not say what it computes; times are in figures 4, 6, 8 and 10")
claim("P", "Figure 1", "space and time of hyperdiffusion to T = 1e-4: a wave decays as exp(-λt)", "a picture",
      "cupentbatch_spacetime", decay)
claim("P", "Figure 2", "slope of the error over N", f"{PUBLISHED_SLOPE} (theory: -2)", "cupentbatch_convergence",
      fitted("n", -2, abs(PUBLISHED_SLOPE + 2)), note="P does not state its N")
figure(3, "constant / gpsv over the batch: at high n", "generally over 2", "small", C,
       lambda p: statistics.median(largest(p, 0)) > 2, lambda p: largest(p, 0), why=CHAINS)
figure(4, "rewrite / gpsv over the batch: at larger batches", "1.2 to 1.3", "small", R,
       lambda p: min(largest(p, 1)) >= 1.2, lambda p: largest(p, 1), why=CHAINS)
figure(5, "constant / gpsv, batches 10⁴ to 10⁵", "falls with the batch, stays above 1", "large", C,
       lambda p: min(p.values()) > 1 and max(largest(p, 1)) < min(smallest(p, 1)), lambda p: largest(p, 1),
       why="stays above 1, and grows: bytes decide at the largest batches only")
figure(6, "rewrite / gpsv, batches 10⁴ to 10⁵", "falls with the batch, stays above 1", "large", R,
       lambda p: min(p.values()) > 1 and max(largest(p, 1)) < min(smallest(p, 1)), lambda p: largest(p, 1),
       why="stays above 1, and grows: bytes decide at the largest batches only")
figure(7, "constant / gpsv over n: at higher n", "well over 2", "small", C,
       lambda p: statistics.median(largest(p, 0)) > 2, lambda p: largest(p, 0), why=CHAINS)
figure(8, "rewrite / gpsv over n: at higher n", "above 1", "small", R,
       lambda p: min(largest(p, 0)) > 1, lambda p: largest(p, 0), why=CHAINS)
figure(9, "constant / gpsv, n of order 10⁴", "confirms figure 7", "long", C,
       lambda p: statistics.median(p.values()) > 2, why=CHAINS)
figure(10, "rewrite / gpsv, n of order 10⁴", "confirms figure 8", "long", R,
       lambda p: min(p.values()) > 1, why=CHAINS)
claim("P", "Section III.1", "faster than gpsv for almost all batches, with a new matrix each step, too", "> 1",
      "cupentbatch_small cupentbatch_large cupentbatch_long", share_above(1, R), lacks="needs a GPU", why=CHAINS)
figure(11, "constant / serial, a batch of 8192", "over 20", "serial", C,
       lambda p: min(p.values()) > 20, chosen=lambda n, batch: batch == 8192)
figure(11, "constant / serial, low batches", "minimal", "serial", C,
       lambda p: max(p.values()) < 3, chosen=lambda n, batch: batch <= 128)
figure(12, "constant / serial, batches above 2048", "over 10 for most n", "serial", C,
       lambda p: statistics.median(p.values()) > 10, chosen=lambda n, batch: 2048 < batch <= 8192)
figure(13, "constant / serial, batches to 10⁵", "goes on growing", "serial", C,
       lambda p: min(largest(p, 1)) > max(smallest(p, 1)), lambda p: largest(p, 1),
       chosen=lambda n, batch: batch > 8192)
figure(14, "constant / OpenMP, 8 threads, n = 512", "5 to 6 in every case", "openmp", C,
       lambda p: min(p.values()) >= 5)

# ---------------------------------------------------------------- B: the boundary value paper

def bvp_published(folder):
    return {(int(line["table"]), line["algorithm"], int(line["n"])): line["value"]
            for line in read_path(data.published(folder, "bvp"))}


def bvp_here(folder, number, where):
    """{(algorithm, n): value} of a device"""
    name = f"bvp_table{number}" + ("" if where == "cpu" else f"_{where}")
    return {(line["algorithm"], int(line["n"])): float(line["here"]) for line in read(folder, name)}


def bvp_cells(number, where, algorithms):
    def cells(folder):
        here = bvp_here(folder, number, where)
        return [Cell(f"{algorithm}, n = {n}", value, here.get((algorithm, n)))
                for (of, algorithm, n), value in bvp_published(folder).items()
                if of == number and algorithm in algorithms]
    return cells


def bvp_speedups(number, fast, slow="a1d"):
    """{n: a row of the GPU, or without its times of the CPU, over a1d on one core}"""
    def ratios(folder):
        cpu, gpu = bvp_here(folder, number, "cpu"), bvp_here(folder, number, "cuda")
        rows = gpu or cpu
        return {n: cpu[slow, n] / value for (name, n), value in rows.items() if name == fast and (slow, n) in cpu}
    return ratios


def bvp_speedup_cells(number):
    def cells(folder):
        here = bvp_speedups(number, "a2d")(folder)
        return [Cell(f"n = {n}", value, here.get(n)) for (of, name, n), value in bvp_published(folder).items()
                if of == number and name == "speed-up"]
    return cells


def bvp_compared(numbers, how, met, note=""):
    """Ours: how(folder, number) makes a list of values of each table."""
    return lambda folder: judged([value for number in numbers for value in how(folder, number)], met, "", note)


def bvp_errors(one, other):
    """error of one over that of the other, for each n"""
    def ratios(folder, number):
        here = bvp_here(folder, number, "cpu")
        return [here[one, n] / value for (name, n), value in here.items() if name == other and (one, n) in here]
    return ratios


def bvp_column(name):
    return lambda folder, number: [value for (of, _), value in bvp_here(folder, number, "cpu").items() if of == name]


def bvp_ratio(slow, fast):
    """Seconds of a row of the GPU, or without its times of the CPU, over those of another"""
    def ratios(folder, number):
        here = bvp_here(folder, number, "cuda") or bvp_here(folder, number, "cpu")
        return [here[slow, n] / value for (name, n), value in here.items() if name == fast and (slow, n) in here]
    return ratios


def bvp_most(name, least):
    def ours(folder):
        found = [value for number in (3, 4) for value in bvp_speedups(number, name)(folder).values()]
        return Ours(f"up to {text(max(found))}", max(found) >= least) if found else None
    return ours


def bvp_grows(folder):
    """Speed-ups of both rows grow from the smallest n to the largest."""
    words, met = [], True
    for number in (3, 4):
        for name in ("a2d", "a2sd"):
            found = bvp_speedups(number, name)(folder)
            if len(found) < 2:
                return None
            first, last = found[min(found)], found[max(found)]
            words.append(f"{text(first)} to {text(last)}")
            met = met and last > first
    return Ours("; ".join(words), met)


def bvp_beyond(folder):
    here = bvp_here(folder, 3, "cuda") or bvp_here(folder, 3, "cpu")
    value = here.get(("a2d", 1 << 28))
    return Ours(f"{text(value)} s", True) if value else None


TIMES = "bvp_table3 bvp_table4 bvp_table3_cuda bvp_table4_cuda"
ERRORS = "bvp_table1 bvp_table2"
for number, problem in ((1, "P1"), (2, "P2")):
    for where, names in (("cpu", ("a1s", "a1d", "a2s", "a2d", "a2sd")), ("cuda", ("a2s", "a2d", "a2sd"))):
        table("B", f"Table {'I' * number}", f"relative errors, {problem}, {'CPU' if where == 'cpu' else 'GPU'}",
              f"bvp_table{number}" + ("" if where == "cpu" else "_cuda"), bvp_cells(number, where, names),
              within(1.5) if number == 1 else within(2.5),
              why="rounding of single precision falls as it falls: a2s and a2sd follow the order of the sums")
for number, roman, problem in ((3, "III", "P1"), (4, "IV", "P2")):
    table("B", f"Table {roman}", f"seconds, {problem}, A1D on one core", f"bvp_table{number}",
          bvp_cells(number, "cpu", ("a1d",)), faster, why="another machine")
    table("B", f"Table {roman}", f"seconds, {problem}, A2D and A2SD on a GPU", f"bvp_table{number}_cuda",
          bvp_cells(number, "cuda", ("a2d", "a2sd")), faster, why="another machine")
    table("B", f"Table {roman}", f"speed-up of A2D over A1D, {problem}", f"bvp_table{number} bvp_table{number}_cuda",
          bvp_speedup_cells(number),
          lambda cells: judged([ours / there for _, there, ours in pairs(cells)], at_least(1), " times the published"),
          note="steps 1B and 2B on the CPU take most of the time of small n; without a GPU: A2D on all cores")
claim("B", "Table III", "A2D at n = 268435456", "impossible: 2048 MB of 1792", "bvp_table3 bvp_table3_cuda",
      bvp_beyond)
claim("B", "Section IV", "A1S has a very poor accuracy", "up to 0.98", ERRORS,
      bvp_compared((1, 2), bvp_column("a1s"), lambda values: max(values) > 0.1))
claim("B", "Section IV", "A1D is much better: error of A1S over A1D", "5e8 to 1e13 (from I and II)", ERRORS,
      bvp_compared((1, 2), bvp_errors("a1s", "a1d"), at_least(1e6)))
claim("B", "Section IV", "A2S is reasonably accurate", "6e-7 to 7e-5", ERRORS,
      bvp_compared((1, 2), bvp_column("a2s"), lambda values: max(values) < 1e-4))
claim("B", "Section IV", "double precision in steps 1B and 2B improves A2S: error of A2SD over A2S",
      "0.05 to 2.1 (from I and II)", ERRORS,
      bvp_compared((1, 2), bvp_errors("a2sd", "a2s"), lambda values: statistics.median(values) < 1),
      note="at the median; the published A2SD is worse than A2S in one of ten cells")
claim("B", "Section IV", "A2D is more accurate than A1D: error of A2D over A1D", "0.004 to 1.0 (from I and II)", ERRORS,
      bvp_compared((1, 2), bvp_errors("a2d", "a1d"), lambda values: max(values) < 1.01))
claim("B", "Section IV", "A2D and A2SD are much faster than A1D, and the more so the larger n is",
      "8.6 to 25.7 (A2D), 15.9 to 96.8 (A2SD)", TIMES, bvp_grows,
      note="of III and IV, A2D and A2SD each, from the smallest n to the largest; without a GPU all cores stand for it")
claim("B", "Section IV", "A2SD is 2 to 3 times as fast as A2D", "2 to 3 (1.5 to 2.8 in III and IV)", TIMES,
      bvp_compared((3, 4), bvp_ratio("a2d", "a2sd"), at_least(2)),
      why="B's GPU had an eighth of the speed in double precision, today's has half; bytes of half the width are left, "
          "and steps 1B and 2B on the CPU hide them")
claim("B", "Section IV", "A2SD is up to 95 times as fast as A1D", "95", TIMES, bvp_most("a2sd", 95))
claim("B", "Section IV", "the next GPUs (Fermi) are much faster in double precision: A2D over A2SD", "not measured",
      TIMES, bvp_compared((3, 4), bvp_ratio("a2d", "a2sd"), lambda values: max(values) < 2))
claim("B", "Section V", "reasonable accuracy and excellent speed-up", "95, as above", TIMES, bvp_most("a2sd", 95))

# ---------------------------------------------------------------- K: the compact paper

def compact_leads(row, baseline):
    """Rates of a row over those of another, for each length of a line."""
    def found(folder):
        measured = data.compact(folder, "paper")
        return [ratio for spec in measured.specs if (ratio := measured.ratio(spec, row, baseline))]
    return found


def compact_lead(row, baseline, least):
    def ours(folder):
        found = compact_leads(row, baseline)(folder)
        return Ours(f"{span(found)}, median {text(statistics.median(found))}", max(found) >= least) if found else None
    return ours


def numbers_a_level(folder):
    """What a level of cuda.cr keeps, counted in its header."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../src/fd/papers/fd_cr_point.h")) as file:
        header = file.read()
    members = {name: len(words.split(",")) for name, words in re.findall(r"struct (fd_cr_\w+) \{ double ([^;]*); \}",
                                                                          header)}
    count = sum(int(times) * members[name] for name, times in re.findall(r"struct (fd_cr_\w+) +\w+\[(\d+)\];", header)
                if name in members)
    return Ours(f"{count} (log2 n - 1) + 4", False)


def operations_of(row):
    def ours(folder):
        measured = data.compact(folder, "paper")
        values = {float(line["ops"]) for (_, name), line in measured.at.items() if name == row and line["ops"]}
        return judged(list(values), lambda found: max(found) <= 12, " a point, right-hand side included")
    return ours


def compact_slope(scheme, order):
    """The order of a scheme on a circle, over the points that rounding leaves alone."""
    def ours(folder):
        points = [(float(line["n"]), float(line["err_max"])) for line in read(folder, "compact_convergence")
                  if (line["scheme"], line["boundary"]) == (scheme, "periodic") and float(line["err_max"]) > 1e-11]
        value = -slope(points) if len(points) > 1 else None
        return Ours(f"order {value:.2f}", value > order - 0.2) if value else None
    return ours


def device_speeds(work, row_has):
    def ours(folder):
        found = [float(line["ratio"]) for line in read(folder, "distributed_cuda")
                 if line["work"] == work and int(line["ranks"]) > 1 and row_has in line["row"]
                 and line["comm"] in ("peer", "nccl")]
        return judged(found, lambda values: min(values) > 0.5, " of ideal") if found else None
    return ours


claim("K", "Abstract", "cyclic reduction with precomputed coefficients over gtsvStridedBatch", "up to 2 times as fast",
      "compact_paper_cuda", compact_lead("cuda.cr", data.STRIDED, 2), note="right-hand side and solve, n = 32 … 4096")
claim("K", "Introduction", "comparison with the CPU's Thomas algorithm: announced", "no number", "compact_paper_cpu",
      lambda folder: (lambda found: Ours(f"cpu.simd {span(found)} times cpu.thomas", None) if found else None)(
          compact_leads("cpu.simd", "cpu.thomas")(folder)), why="nothing published")
claim("K", "Introduction", "cyclic reduction on a GPU over the CPU's Thomas algorithm: announced", "no number",
      "compact_paper_cuda compact_paper_cpu",
      lambda folder: (lambda found: Ours(f"{span(found)} times", None) if found else None)(
          compact_leads("cuda.cr", "cpu.thomas")(folder)), why="nothing published")
claim("K", "Section 2.1", "steps of cyclic reduction, of parallel cyclic reduction, with n processors",
      "2 log2 n - 1; log2 n", "", None, why="a count of the method: `cuda.cr` takes as many, log2 n - 1 down, one "
      "solve of two rows, log2 n - 1 up")
claim("K", "Section 3.1", "numbers of a general matrix, precomputed", "9n in shared memory", "", None,
      why="`cuda.cr` takes near-Toeplitz matrices only, where this storage is what the paper avoids")
claim("K", "Section 3.2", "numbers of a near-Toeplitz matrix", "8 (log2 n - 1) + 2", "", numbers_a_level,
      why="closures of two rows make row N - 1 differ on each level and row 2 on the first, so rows {1, 2}, {N - 1, "
          "N - 2} and N are kept apart; 4 numbers of the last two rows")
claim("K", "Section 4", "operations of a step of forward reduction, nothing precomputed", "12 a row",
      "compact_paper_cuda", operations_of("cuda.cr"), note="with what is precomputed")
claim("K", "Section 4", "the family beta = 0: fourth order", "4", "compact_convergence", compact_slope("d1_c4", 4))
claim("K", "Section 4", "the family beta = 0: sixth order", "6", "compact_convergence", compact_slope("d1_c6", 6))
claim("K", "Section 4", "the general relation (beta not 0): tenth order", "10", "compact_convergence",
      compact_slope("d1_c10", 10))
claim("K", "Section 4", "Mattor's method over P processes: a reduced system of 2P - 2 unknowns", "2P - 2", "", None,
      why="`cpu.mattor`, `cuda.mattor` do so, and tests compare them with lines that are not cut")
claim("K", "Abstract", "lines over several GPUs, nothing through the host", "no number", "distributed_cuda",
      device_speeds("compact, cut lines", "truncated"), note="2 GPUs of one machine, weak and strong",
      lacks="needs two GPUs")
claim("K", "Figures", "drawings of cyclic reduction, its boundaries, PCR, the domain", "no data", "", None,
      why="nothing measured")
claim("K", "Section 5", "results on a K20 and a K40", "the section is empty", "compact_paper_cuda",
      lambda folder: (lambda one: Ours(f"cuda.cr {span(one, ' points/s')}", None) if one else None)(
          [float(line["rate"]) for (_, name), line in data.compact(folder, "paper").at.items()
           if name == "cuda.cr" and line["state"] == "ok"]), why="nothing published")

# ---------------------------------------------------------------- S: the SPIKE paper

def spike_published(folder):
    return read_path(data.published(folder, "spike"))


def condition_lines(folder):
    """[(type and name of a matrix, published, line of spike_condition.csv or None)]"""
    here = {line["matrix"]: line for line in read(folder, "spike_condition")}
    published = {line["matrix"]: line for line in spike_published(folder)}
    return [(f"{line['type']}, {matrix}", line["condition"], here.get(matrix)) for matrix, line in published.items()]


def condition_cells(folder):
    cells = []
    for label, there, line in condition_lines(folder):
        finite = line and data.is_number(line["double"])
        cells.append(Cell(label, there, (float(line["double"]) if finite else "beyond") if line else None,
                          f"as it is {line['least']} to {line['most']}" if line else ""))
    return cells


def conditions(folder):
    """The published number is in the range of the seeds or a factor of 10 from it, or that far from numpy's."""
    lines = [(label, float(there), line) for label, there, line in condition_lines(folder) if line]
    bad = [label for label, there, line in lines
           if not (float(line["least"]) / 10 <= there <= 10 * float(line["most"]) or
                   float(line["double"]) / 10 <= there <= 10 * float(line["double"]))]
    words = f"{len(lines) - len(bad)} of {len(lines)} in the range of the seeds, or a factor of 10 from it"
    return Ours(words + (f"; not {', '.join(bad)}" if bad else ""), not bad) if lines else None


def median_residual(table, matrix, solver):
    """A number, 'fails', or None where it was not measured."""
    for name in (f"{matrix} Toeplitz", matrix):
        values = table.residuals.get((name, solver))
        if values:
            numbers = [value for value in values if value is not None]
            return statistics.median(numbers) if len(numbers) > len(values) / 2 else "fails"
    return None


def residual_cells(theirs, solver):
    def cells(folder):
        measured = data.spike_table4(folder)
        return [Cell(line["matrix"], line["residual"], median_residual(measured, line["matrix"], solver))
                for line in spike_published(folder) if line["solver"] == theirs]
    return cells


def no_worse(factor):
    """Residuals: met where ours is at most so many times the published one, or both fail."""
    def judge(cells):
        if all(cell.ours is None for cell in cells):
            return None
        bad = []
        for cell in cells:
            there = data.is_number(cell.published)
            if there and (isinstance(cell.ours, str) or cell.ours is None or
                          cell.ours > factor * float(cell.published)):
                bad.append(cell.label)
        words = f"{len(cells) - len(bad)} of {len(cells)} no worse than {text(factor)} times the published"
        return Ours(words + (f"; not {', '.join(bad)}" if bad else ""), not bad)
    return judge


def spike_ms(part, matrix, row):
    """function of a folder: seconds of a solve"""
    def seconds(folder):
        for (spec, name), line in data.spike_times(folder, part).at.items():
            if name == row and matrix in spec and line["state"] == "ok":
                return float(line["median_s"]) / int(line["steps"])
        return None
    return seconds


def ratio_of(part, matrix, slow, fast, met):
    return times(spike_ms(part, matrix, slow), spike_ms(part, matrix, fast), met)


def ratios_of(part, matrices, slow, fast, met):
    def ours(folder):
        return judged([quotient(spike_ms(part, matrix, slow)(folder), spike_ms(part, matrix, fast)(folder))
                       for matrix in matrices], met, " times")
    return ours


def moved(kind, to, back):
    """function of a folder: seconds to copy so many numbers to a GPU and back, of pageable or pinned memory"""
    def seconds(folder):
        at = {(line["direction"], int(line["words"])): float(line["seconds"])
              for line in read(folder, "transfers_cuda") if line["memory"] == kind}
        there, here = at.get(("to", to)), at.get(("from", back))
        return there + here if there and here else None
    return seconds


ROWS = 1 << 23  # of figures 7, 10 to 12


def with_transfer(matrix, row, kind):
    def seconds(folder):
        solve, copy = spike_ms("matrices", matrix, row)(folder), moved(kind, 4 * ROWS, ROWS)(folder)
        return solve + copy if solve and copy else None
    return seconds


def worse_than(reference, solver, factor):
    """Matrices on which a solver's residual is finite, and larger than LAPACK's by a factor."""
    def ours(folder):
        measured = data.spike_table4(folder)
        if solver not in measured.solvers or reference not in measured.solvers:
            return None
        bad = []
        for matrix in dict.fromkeys(line["matrix"] for line in spike_published(folder)):
            mine, other = (median_residual(measured, matrix, name) for name in (solver, reference))
            if isinstance(mine, float) and isinstance(other, float) and mine > factor * other:
                bad.append(matrix)
        return bad
    return ours


def count_worse(solver, factor, most):
    def ours(folder):
        bad = worse_than("cpu.lapack", solver, factor)(folder)
        return None if bad is None else Ours(f"{len(bad)}" + (f" ({', '.join(bad)})" if bad else ""), len(bad) <= most)
    return ours


def failures(solver, most):
    def ours(folder):
        measured = data.spike_table4(folder)
        if solver not in measured.solvers:
            return None
        bad = [matrix for matrix in dict.fromkeys(line["matrix"] for line in spike_published(folder))
               if median_residual(measured, matrix, solver) == "fails"]
        return Ours(f"{len(bad)}" + (f" ({', '.join(bad)})" if bad else ""), len(bad) <= most)
    return ours


def backward_of(solver):
    def ours(folder):
        measured = data.spike_table4(folder)
        values = [value for (_, name), errors in measured.backward.items() if name == solver
                  for value in errors if value is not None]
        return Ours(f"backward errors up to {text(max(values))}", max(values) < 1e-12) if values else None
    return ours


def devices_ratio(scaling, n_of_one, met):
    """Seconds of one GPU over those of two."""
    def ours(folder):
        at = {int(line["devices"]): float(line["seconds"]) for line in read(folder, "spike_devices_cuda")
              if line["scaling"] == scaling and data.is_number(line["seconds"])
              and int(line["n"]) == n_of_one * (int(line["devices"]) if scaling == "weak" else 1)}
        if len(at) < 2:
            return None
        most = max(at)
        value = at[1] / at[most]
        return Ours(f"{text(value)} times as fast on {most} GPUs", met(value, most))
    return ours


def distribution(scaling):
    """Seconds to copy all rows from one process and x back, over those of a solve on all GPUs"""
    def ours(folder):
        at = {int(line["devices"]): float(line["seconds"]) / int(line["n"])
              for line in read(folder, "spike_devices_cuda")
              if line["scaling"] == scaling and data.is_number(line["seconds"]) and int(line["n"]) < 1 << 28}
        copied = moved("pinned", 4 * ROWS, ROWS)(folder)
        if len(at) < 2 or not copied:
            return None
        value = copied / ROWS / at[max(at)]
        return Ours(f"copies of one host take {text(value)} times a solve on {max(at)} GPUs", value > 1)
    return ours


def counter_cells(folder):
    here = {line["row"]: line for line in read(folder, "spike_counters_cuda") if line["kernel"] == "partitions"}
    published = (("load efficiency", "11.7", "32.5"), ("store efficiency", "25.3", "46.1"), ("L1 hits", "17.2", "48.0"))
    return [Cell(f"{counter}, {words}", there, float(here[row][counter]) if row in here else None)
            for counter, *both in published
            for words, row, there in zip(("not tiled", "tiled"), ("cuda.spike_untiled", "cuda.spike"), both)]


def kernel_share(kernel, most):
    """Of the time of a solve by cuda.spike, in %"""
    def ours(folder):
        at = {line["kernel"]: float(line["microseconds"]) for line in read(folder, "spike_counters_cuda")
              if line["row"] == "cuda.spike"}
        return judged([100 * at[kernel] / sum(at.values())], lambda values: max(values) < most, " %") if kernel in at \
            else None
    return ours


def largest_solved(row):
    def ours(folder):
        found = [int(line["n"]) for (_, name), line in data.spike_times(folder, "sizes").at.items()
                 if name == row and line["state"] == "ok"]
        return Ours(f"{max(found)} rows solved", None) if found else None
    return ours


def grow(cells):
    """Dynamic tiling raises each counter."""
    known = pairs(cells)
    if len(known) < len(cells):
        return None
    gains = [known[k + 1][2] / known[k][2] for k in range(0, len(known), 2)]
    return Ours(f"tiling multiplies them by {span(gains)}", min(gains) > 1)


CPU_LIST = "spike_table4"
claim("S", "Table I", "which solvers are stable, fast on CPU and GPU, and scale over a cluster", "6 solvers, ticks", "",
      None, why="words: tables III and IV and figures 12 to 16 have the numbers")
claim("S", "Table II", "machines", "2 clusters", "", None, why="each CSV names its machine")
claim("S", "Table III", "condition numbers of 16 matrices, n = 512", "16 values", "spike_condition", conditions,
      cells=condition_cells, note="2-norm, medians in double precision as Matlab has them; as they are, `dorr` and "
      "`clement` are far larger", why="S does not give its random numbers; 14 and 16 are powers of a ratio of two")
for theirs, solver, files in (("SPIKE-diag_pivot", "cpu.spike", "spike_table4"),
                              ("SPIKE-diag_pivot", "cuda.spike", "spike_table4_cuda"),
                              ("SPIKE-Thomas", "cpu.spike_thomas", "spike_table4"),
                              ("SPIKE-Thomas", "cuda.spike_thomas", "spike_table4_cuda"),
                              ("CUSPARSE", "cusparse.gtsv2_nopivot", "spike_table4_cuda"),
                              ("MKL", "cpu.lapack", "spike_table4")):
    table("S", "Table IV", f"residuals of {theirs} with 16 matrices: `{solver}`", files,
          residual_cells(theirs, solver), no_worse(100), note="medians of 10 seeds",
          why="residuals of ill-conditioned matrices follow their random numbers")
for theirs in ("Intel SPIKE", "Matlab"):
    claim("S", "Table IV", f"residuals of {theirs} with 16 matrices", "16 values", "", None,
          why="not to be had here: its column stands beside ours in the table of residuals")
claim("S", "Section IV.A", "matrices on which CUSPARSE is 100 times worse than elimination with pivoting", "7",
      "spike_table4_cuda spike_table4", count_worse("cusparse.gtsv2_nopivot", 100, 7),
      note="the library's routine without pivoting, of today, against `cpu.lapack`", why="and fails on others")
claim("S", "Section IV.A", "the same for 10⁶ times", "5", "spike_table4_cuda spike_table4",
      count_worse("cusparse.gtsv2_nopivot", 1e6, 5))
claim("S", "Section IV.A", "matrices on which SPIKE-Thomas is 100 times worse, and finite", "1", CPU_LIST,
      count_worse("cpu.spike_thomas", 100, 1))
claim("S", "Section IV.A", "matrices on which SPIKE-Thomas fails", "2", CPU_LIST, failures("cpu.spike_thomas", 2))
claim("S", "Section IV.A", "matrices on which SPIKE with diagonal pivoting fails", "1", CPU_LIST,
      failures("cpu.spike", 1))
claim("S", "Abstract", "SPIKE with diagonal pivoting is as stable as MKL and Matlab", "residuals of table IV",
      CPU_LIST, backward_of("cpu.spike"), note="of the runs that have a solution")
claim("S", "Section I", "before dynamic tiling: slower than a parallel Thomas algorithm, random rows",
      "up to 9.6 times", "spike_layout_cuda spike_matrices_cuda",
      times(spike_ms("layout", "matrix=uniform", "cuda.spike_untiled"),
            spike_ms("matrices", "matrix=uniform", "cuda.spike_thomas"), lambda value: value <= 9.6))
claim("S", "Section II.A", "share of the reduced system in the time of a solve", "below 5 %", "spike_counters_cuda",
      kernel_share("reduced system", 5), lacks="needs Nsight Compute")
claim("S", "Figure 7", "overhead of marshalling, share of a solve", "a bar", "spike_counters_cuda",
      kernel_share("marshalling", 50), lacks="needs Nsight Compute", note="new layout pays with it, as there")
claim("S", "Figure 7", "marshalling alone, rows without divergence", "3.99 to 4.89 times", "spike_layout_cuda",
      ratios_of("layout", ("matrix=main_64", "matrix=given"), "cuda.spike_unmarshalled", "cuda.spike_untiled",
                at_least(3.99)), note="its own time included")
claim("S", "Figure 7", "marshalling alone, random rows", "minimal gain, never a loss", "spike_layout_cuda",
      ratio_of("layout", "matrix=uniform", "cuda.spike_unmarshalled", "cuda.spike_untiled", lambda value: value >= 1),
      note="its own time included")
claim("S", "Figure 10", "dynamic tiling alone, random rows", "up to 3.56 times", "spike_layout_cuda",
      ratio_of("layout", "matrix=uniform", "cuda.spike_untiled", "cuda.spike", lambda value: value >= 3.56),
      why="the caches of an H200 hold most of the footprint that tiling bounds")
claim("S", "Figure 10", "dynamic tiling alone, no divergence", "minimal overhead", "spike_layout_cuda",
      ratios_of("layout", ("matrix=main_64", "matrix=given"), "cuda.spike_untiled", "cuda.spike", at_least(0.95)))
table("S", "Figure 11", "counters of the partitioned solver, random rows, %", "spike_counters_cuda", counter_cells,
      grow, lacks="needs Nsight Compute")
claim("S", "Figures 1 to 6, 8, 9", "drawings and listings", "no data", "", None, why="nothing measured")
for matrix, words, over in (("matrix=uniform", "random rows", ("3.20", "12.61", "about 1 (5 % apart)")),
                            ("matrix=main_64", "dominant rows", ("3.13", "16.06", "1.35"))):
    for kind, there in (("pageable", over[0]), ("pinned", "not said")):
        claim("S", "Figure 12", f"SPIKE-diag_pivot over one core's MKL, with {kind} transfer, {words}", there,
              "spike_matrices_cuda transfers_cuda",
              times(spike_ms("matrices", matrix, "cpu.lapack@1"), with_transfer(matrix, "cuda.spike", kind),
                    lambda value: value >= 3))
    claim("S", "Figure 12", f"SPIKE-diag_pivot over one core's MKL, no transfer, {words}", over[1],
          "spike_matrices_cuda", ratio_of("matrices", matrix, "cpu.lapack@1", "cuda.spike",
                                          lambda value, least=float(over[1]): value >= least))
    claim("S", "Figure 12", f"SPIKE-diag_pivot over CUSPARSE, {words}", over[2], "spike_matrices_cuda",
          ratio_of("matrices", matrix, "cusparse.gtsv2_nopivot", "cuda.spike",
                   lambda value, least=0.95 if words == "random rows" else 1.35: value >= least),
          note="today's gtsv2_nopivot")
claim("S", "Figure 12", "SPIKE-Thomas over CUSPARSE, random rows", "1.72", "spike_matrices_cuda",
      ratio_of("matrices", "matrix=uniform", "cusparse.gtsv2_nopivot", "cuda.spike_thomas",
               lambda value: value >= 1.72), why="CUSPARSE of 2012 was another program")
claim("S", "Figure 12", "SPIKE-Thomas over one core's MKL, no transfer, random rows", "22.70", "spike_matrices_cuda",
      ratio_of("matrices", "matrix=uniform", "cpu.lapack@1", "cuda.spike_thomas", lambda value: value >= 22.7))
claim("S", "Figure 12", "SPIKE-Thomas over one core's MKL, with transfer, random rows", "3.60",
      "spike_matrices_cuda transfers_cuda",
      times(spike_ms("matrices", "matrix=uniform", "cpu.lapack@1"),
            with_transfer("matrix=uniform", "cuda.spike_thomas", "pageable"), lambda value: value >= 3.6))
claim("S", "Figure 12", "SPIKE-Thomas as fast on random as on dominant rows (no branches on data)", "1",
      "spike_matrices_cuda", times(
          spike_ms("matrices", "matrix=uniform", "cuda.spike_thomas"),
          spike_ms("matrices", "matrix=main_64", "cuda.spike_thomas"), lambda value: 0.95 < value < 1.05))
claim("S", "Figure 13", "SPIKE-diag_pivot over MKL, transfers included, random rows, in GPU memory", "up to 3.54",
      "spike_sizes_cuda transfers_cuda",
      times(spike_ms("sizes", "n=2^23", "cpu.lapack@1"), with_transfer("matrix=uniform", "cuda.spike", "pageable"),
            lambda value: value >= 3.54), note="n = 2²³")
claim("S", "Figure 13", "the same beyond GPU memory, chunk by chunk", "up to 1.95", "spike_beyond_cuda",
      lambda folder: (lambda found: judged(found, lambda values: max(values) >= 1.95, " times"))(
          [float(line["ratio"]) for line in read(folder, "spike_beyond_cuda")]),
      lacks="SPIKE's rows are not cut: only relations take a system beyond the memory")
claim("S", "Figure 13", "CUSPARSE fails beyond 16776960 rows", "8M is the largest", "spike_sizes_cuda",
      largest_solved("cusparse.gtsv2_nopivot"), why="another memory, another CUSPARSE")
claim("S", "Figure 14", "strong scaling, 2²⁴ rows, predistributed", "nearly linear in a node, linear over nodes",
      "spike_devices_cuda", devices_ratio("strong", 1 << 24, lambda value, count: value > 0.8 * count),
      why="2²⁴ rows take an H200 2 ms: what is exchanged is as long", lacks="needs two GPUs")
claim("S", "Figure 14", "strong scaling, 2³⁰ rows: as long for a GPU of today", "nearly linear in a node",
      "spike_devices_cuda",
      devices_ratio("strong", 1 << 30, lambda value, count: value > 0.8 * count), lacks="needs two GPUs")
claim("S", "Figure 15", "weak scaling, 2²⁴ rows each, predistributed", "good", "spike_devices_cuda",
      devices_ratio("weak", 1 << 24, lambda value, count: value > 0.8), lacks="needs two GPUs")
for number, scaling in ((14, "strong"), (15, "weak")):
    claim("S", f"Figure {number}", f"{scaling} scaling, rows and x in one process: their distribution dominates",
          "dominates over nodes", "spike_devices_cuda transfers_cuda", distribution(scaling), lacks="needs two GPUs",
          note="pinned, through one link")
claim("S", "Figure 16", "CPUs only, GPUs only, both, over nodes, against Intel SPIKE", "GPUs and both scale", "", None,
      why="one run takes devices of one kind, and shares by measured speed are not there; figure 14 has GPUs, "
          "`spike_devices` threads of the CPU")
claim("S", "Section V", "one library for shared and distributed memory, called from one process or many", "words", "",
      None, why="`--device cuda:0,1`, `mpirun` and shards: docs/howto/mpi.md")

# ---------------------------------------------------------------- E: the elliptic paper


def elliptic_published(number, quantities, precision="", methods=("csr", "pcg", "interleaved")):
    """function of a folder: {(precision, method, kernel, quantity): value} of a table"""
    def found(folder):
        return {key[1:]: value for key, value in data.elliptic_paper(folder).items()
                if key[0] == str(number) and key[4] in quantities and key[1].startswith(precision)
                and key[2] in methods}
    return found


def place_of(row, spec=""):
    """'cpu.pcg@1': ('C', 'double', 'pcg'), as elliptic_paper.csv has the words"""
    method, precision = data.elliptic_method(row, spec)
    return "CUDA" if row.startswith("cuda") else "C", precision, method


def iterations(folder, part="iteration"):
    """{(C or CUDA, precision, method): Iteration}, of the largest problem"""
    found = {}
    for (spec, row), one in data.elliptic_iterations(folder, part)[1].items():
        at = place_of(row, spec)
        if at[0] == "C" and not row.endswith("@1"):
            continue
        if at not in found or one.cells > found[at].cells:
            found[at] = one
    return found


def kernels(folder):
    """{(C or CUDA, precision, method, kernel): line of elliptic_kernels*.csv}; of kernels that it lacks what Nsight
    Compute measured, a launch of 256 x 256 x 128 cells, with no operations and words"""
    found = {(*place_of(line["row"]), line["kernel"]): {"seconds": 1e-6 * float(line["microseconds"]) /
                                                        int(line["launches"]), "cells": data.ELLIPTIC_CELLS}
             for line in read(folder, "elliptic_counters_cuda")}
    found.update({(*place_of(line["row"]), line["kernel"]): line
                  for line in data.part_rows(folder, "elliptic_kernels")[1]})
    return found


def cell_seconds(line):
    return float(line["seconds"]) / int(line["cells"])


def milliseconds(line):
    """A kernel of ours, of as many cells as the published one"""
    return 1e3 * cell_seconds(line) * data.ELLIPTIC_CELLS


def operations_cells(quantity, here):
    """Table 2: what is counted here; here(folder): {(method, kernel): number}"""
    def cells(folder):
        counted = here(folder)
        return [Cell(f"{method}, {kernel}", text(value), counted.get((method, kernel)))
                for (_, method, kernel, _), value in elliptic_published(2, (quantity,))(folder).items()]
    return cells


def counted(name):
    """Operations or words of the kernels of `pcg` and `interleaved`, and of an iteration of each; the rest of an
    iteration of `pcg` is vector operations."""
    def found(folder):
        out = {}
        for (_, precision, method, kernel), line in kernels(folder).items():
            if precision == "double" and kernel in ("SpMV", "prec") and name in line:
                out.setdefault((method, kernel), float(line[name]))
        for (where, precision, method), one in iterations(folder).items():
            if where == "C" and precision == "double":
                out[method, "total"] = getattr(one, name)
        if all(("pcg", kernel) in out for kernel in ("SpMV", "prec", "total")):
            out["pcg", "BLAS"] = out["pcg", "total"] - out["pcg", "SpMV"] - out["pcg", "prec"]
        return out
    return found


def kernel_cells(number, where, methods):
    """Tables 3 and 4: milliseconds"""
    def cells(folder):
        here = kernels(folder)
        out = []
        for (precision, method, kernel, _), value in elliptic_published(number, (where,), "", methods)(folder).items():
            line = here.get((where, precision, method, kernel))
            out.append(Cell(f"{precision}, {method}, {kernel}", text(value), milliseconds(line) if line else None))
        return out
    return cells


def iteration_cells(where):
    """Table 6: milliseconds of an iteration, of as many cells"""
    def cells(folder):
        here = iterations(folder)
        out = []
        for (precision, method, _, _), value in elliptic_published(6, (where,))(folder).items():
            one = here.get((where, precision, method))
            ms = 1e3 * one.seconds / one.cells * data.ELLIPTIC_CELLS if one else None
            out.append(Cell(f"{precision}, {method}", text(value), ms))
        return out
    return cells


def total_lines(folder, where):
    """{(precision, method): line of the part iteration}: a solve to 1e-5, of the largest problem"""
    found = {}
    for (spec, row), line in data.part_times(folder, "elliptic_iteration").at.items():
        at = place_of(row, spec)
        if at[0] == where and line["state"] == "ok" and (where == "CUDA" or row.endswith("@1")):
            found[at[1:]] = line
    return found


def elliptic_transfer(precision):
    """Seconds to copy f there and u back, pageable"""
    words = data.ELLIPTIC_CELLS // (2 if precision == "single" else 1)
    return moved("pageable", words, words)


def total_cells(where):
    """Table 5: milliseconds of a solve to 1e-5 with set-up, and on a GPU with transfer"""
    def cells(folder):
        here, out = total_lines(folder, where), []
        for (precision, method, _, _), value in elliptic_published(5, (where,))(folder).items():
            line = here.get((precision, method))
            transfer = 0 if where == "C" else elliptic_transfer(precision)(folder)
            ours = why = None
            if line and transfer is not None:
                nx, ny, nz = (int(n) for n in line["spec"].split("n=[")[1].split("]")[0].split(","))
                solve, setup = float(line["least_s"]) / int(line["steps"]), float(line["setup_s"])
                scale = data.ELLIPTIC_CELLS / (nx * ny * nz)
                ours = 1e3 * (scale * (solve + setup) + transfer)
                why = f"set-up {text(1e3 * scale * setup)}, transfer {text(1e3 * transfer)}"
            out.append(Cell(f"{precision}, {method}", text(value), ours, why or ""))
        return out
    return cells


def rates(folder, where="CUDA"):
    """{(precision, method, kernel): (operations a second, bytes a second)}"""
    out = {}
    for (at, precision, method, kernel), line in kernels(folder).items():
        if at == where and "words" in line:
            word = 4 if precision == "single" else 8
            out[precision, method, kernel] = float(line["operations"]) / cell_seconds(line), \
                word * float(line["words"]) / cell_seconds(line)
    return out


def rate_cells(quantity, k):
    """Table 7: 10⁹ operations or bytes a second"""
    def cells(folder):
        here, out = rates(folder), []
        for (precision, method, kernel, _), value in elliptic_published(7, (quantity,))(folder).items():
            one = here.get((precision, method, kernel))
            out.append(Cell(f"{precision}, {method}, {kernel}", text(value), 1e-9 * one[k] if one else None))
        return out
    return cells


def elliptic_counters(quantity):
    def cells(folder):
        here = {(*place_of(line["row"])[1:], line["kernel"]): float(line[quantity])
                for line in read(folder, "elliptic_counters_cuda") if line[quantity]}
        return [Cell(f"{precision}, {method}, {kernel}", text(value), here.get((precision, method, kernel)))
                for (precision, method, kernel, _), value in elliptic_published(7, (quantity,))(folder).items()]
    return cells


def iteration_ratio(slow, fast, met):
    """Seconds of an iteration, a cell, of one (where, precision, method) over another's"""
    def of(at):
        def seconds(folder):
            one = iterations(folder).get(at)
            return one.seconds / one.cells if one else None
        return seconds
    return times(of(slow), of(fast), met)


def kernel_ratio(slow, fast, met):
    def of(at):
        def seconds(folder):
            line = kernels(folder).get(at)
            return cell_seconds(line) if line else None
        return seconds
    return times(of(slow), of(fast), met)


def total_ratio(precision, most_of):
    """Seconds of a solve with set-up and transfer, C over CUDA"""
    def ours(folder):
        cells = {where: {cell.label: cell.ours for cell in total_cells(where)(folder)} for where in ("C", "CUDA")}
        label = f"{precision}, interleaved"
        value = quotient(cells["C"].get(label), cells["CUDA"].get(label))
        return Ours(f"{text(value)} times", value >= most_of) if value else None
    return ours


def solve_seconds(row):
    """function of a folder: seconds of a solve to 1e-5 by a row, on all threads"""
    def seconds(folder):
        for (spec, name), line in data.part_times(folder, "elliptic_solve").at.items():
            if name == row and line["state"] == "ok" and "tolerance=1e-5" in spec:
                return float(line["least_s"]) / int(line["steps"])
        return None
    return seconds


def iteration_counts(methods, met):
    """Of the parts iteration and counts: iterations to 1e-5 at the Courant number 8.4"""
    def ours(folder):
        found = [int(line["iterations"]) for (_, row), line in data.part_times(folder, "elliptic_iteration").at.items()
                 if line["state"] == "ok" and data.elliptic_method(row)[0] in methods]
        return judged(found, met)
    return ours


def counts_over(over, method):
    """Iterations along an axis of the part counts"""
    def ours(folder):
        lines = [line for line in read(folder, "elliptic_counts") if line["over"] == over
                 and line["row"].endswith(method) and line["status"] == "done"]
        if len(lines) < 3:
            return None
        lines.sort(key=lambda line: float(line["value"]))
        last, before = (int(line["iterations"]) for line in (lines[-1], lines[-2]))
        words = ", ".join(f"{line['iterations']}" for line in lines)
        return Ours(f"{words} for {over} = {text(float(lines[0]['value']))} … {text(float(lines[-1]['value']))}",
                    last <= 1.5 * before)
    return ours


def size_rates(precision, number):
    """Figures 6 and 7: rates of an iteration of `interleaved` on a GPU over sizes, or without it on one core"""
    def ours(folder):
        _, found = data.elliptic_iterations(folder, "sizes")
        for where in ("CUDA", "C"):
            ones = [one for (spec, row), one in found.items()
                    if place_of(row, spec) == (where, precision, "interleaved")]
            values = [1e-9 * (one.flops if number == 6 else one.bytes) for one in ones
                      if number == 7 or one.flops]
            if values:
                least = {(6, "single"): 70, (6, "double"): 40, (7, "single"): 40, (7, "double"): 60}[number, precision]
                unit = " · 10⁹ operations/s" if number == 6 else " GB/s"
                return Ours(span(values, unit) + ("" if where == "CUDA" else ", one core"),
                            max(values) >= least if where == "CUDA" else None)
        return None
    return ours


def breakdown(precision):
    """Figures 4 and 5: milliseconds of what an iteration of pcg consists of, and of the two passes of interleaved"""
    def ours(folder):
        here = kernels(folder)
        for where in ("CUDA", "C"):
            at = {key[2:]: milliseconds(line) for key, line in here.items() if key[:2] == (where, precision)}
            if ("pcg", "SpMV") not in at:
                continue
            one = iterations(folder).get((where, precision, "pcg"))
            whole = 1e3 * one.seconds / one.cells * data.ELLIPTIC_CELLS if one else None
            words = [f"pcg: SpMV {text(at['pcg', 'SpMV'])}, prec {text(at['pcg', 'prec'])}"]
            if whole:
                words[0] += f", vectors {text(whole - at['pcg', 'SpMV'] - at['pcg', 'prec'])}"
            if ("interleaved", "SpMV") in at:
                words.append(f"interleaved: SpMV {text(at['interleaved', 'SpMV'])}, "
                             f"prec {text(at['interleaved', 'prec'])}")
            vectors = whole and whole > 1.3 * (at["pcg", "SpMV"] + at["pcg", "prec"])
            return Ours("; ".join(words) + " ms" + ("" if where == "CUDA" else ", one core"),
                        bool(vectors) if where == "CUDA" and whole else None)
        return None
    return ours


ITERATION, GPU_ITERATION = "elliptic_iteration", "elliptic_iteration_cuda"
MACHINE = "another machine"
KERNELS = "the row or its precision is not there, or on a GPU needs Nsight Compute"
COUNTING = "differences keep what a sum of weights would round away, and take more operations"
claim("E", "Table 1", "operations and references of each vector operation", "-", "", None,
      why="the text at hand has lost its numbers; their sum is the row BLAS of table 2")
table("E", "Table 2", "operations of a cell and iteration", "elliptic_kernels elliptic_iteration",
      operations_cells("operations", counted("operations")), within(1.5), note=COUNTING, lacks=KERNELS)
table("E", "Table 2", "words of a cell and iteration, columns cached", "elliptic_kernels elliptic_iteration",
      operations_cells("words columns cached", counted("words")), no_larger(1), lacks=KERNELS)
for quantity in ("words no cache", "words vectors cached"):
    claim("E", "Table 2", f"words of a cell and iteration: {quantity[6:]}",
          "33 to 40" if quantity == "words no cache" else "25 to 32", "", None,
          why="today's caches hold the vectors and columns: the third count is compared")
for number, what, methods in ((3, "matrix-explicit kernels", ("csr",)),
                              (4, "matrix-free kernels", ("pcg", "interleaved"))):
    table("E", f"Table {number}", f"ms of {what}, one core", "elliptic_kernels", kernel_cells(number, "C", methods),
          faster, why=MACHINE, lacks=KERNELS)
    table("E", f"Table {number}", f"ms of {what}, GPU", "elliptic_kernels_cuda", kernel_cells(number, "CUDA", methods),
          faster, why=MACHINE, lacks=KERNELS)


def kernel_at_least(least):
    return lambda value: value >= least


for precision, method, kernel, there in (
        ("single", "csr", "SpMV", 170.6 / 6.91), ("single", "csr", "prec", 205.3 / 12.5),
        ("double", "csr", "SpMV", 182.2 / 10.91), ("double", "csr", "prec", 249.7 / 23.2),
        ("single", "pcg", "SpMV", 78.5 / 0.75), ("single", "pcg", "prec", 252.6 / 2.4),
        ("single", "interleaved", "SpMV", 129.9 / 2.16), ("single", "interleaved", "prec", 253.1 / 3.34),
        ("double", "pcg", "SpMV", 80.7 / 1.41), ("double", "pcg", "prec", 350.4 / 3.75),
        ("double", "interleaved", "SpMV", 132.3 / 3.86), ("double", "interleaved", "prec", 351.3 / 4.86)):
    claim("E", "Table 3" if method == "csr" else "Table 4", f"C over CUDA: {kernel} of {method}, {precision}",
          f"{text(there)} times", "elliptic_kernels elliptic_kernels_cuda",
          kernel_ratio(("C", precision, method, kernel), ("CUDA", precision, method, kernel), kernel_at_least(there)),
          lacks=KERNELS)
for precision, kernel, there in (("single", "SpMV", 6.91 / 0.75), ("single", "prec", 12.5 / 2.4),
                                 ("double", "SpMV", 10.91 / 1.41), ("double", "prec", 23.2 / 3.75)):
    claim("E", "Table 4", f"matrix-free over CSR on the GPU: {kernel}, {precision}", f"{text(there)} times",
          "elliptic_kernels_cuda", kernel_ratio(("CUDA", precision, "csr", kernel), ("CUDA", precision, "pcg", kernel),
                                                kernel_at_least(there)),
          lacks=KERNELS)
claim("E", "Section 7.3", "matrix-free SpMV over CSR on one core", "more than 2 times (2.2 and 2.3)",
      "elliptic_kernels", kernel_ratio(("C", "double", "csr", "SpMV"), ("C", "double", "pcg", "SpMV"),
                                       kernel_at_least(2)), lacks=KERNELS)
table("E", "Table 5", "ms of a solve to 1e-5 with set-up, one core", ITERATION, total_cells("C"), faster, why=MACHINE)
table("E", "Table 5", "ms of a solve to 1e-5 with set-up and transfer, GPU", f"{GPU_ITERATION} transfers_cuda",
      total_cells("CUDA"), faster, why=MACHINE)
for precision, there in (("single", 37.39 / 0.62), ("double", 45.78 / 0.96)):
    claim("E", "Table 5", f"a solve, one core over GPU: interleaved, {precision}", f"{text(there)} times",
          f"{ITERATION} {GPU_ITERATION} transfers_cuda", total_ratio(precision, there))
claim("E", "Section 7.4", "iterations that reduce the residual by five orders", "100, around", ITERATION,
      iteration_counts(("pcg", "interleaved"), lambda values: max(values) <= 100))
claim("E", "Conclusions", "multigrid needs far fewer iterations", "not measured there", "elliptic_solve",
      lambda folder: (lambda found: judged(found, lambda values: max(values) < 20))(
          [int(line["iterations"]) for (_, row), line in data.part_times(folder, "elliptic_solve").at.items()
           if line["state"] == "ok" and data.elliptic_method(row)[0] == "multigrid"]))
claim("E", "Section 7.4", "multigrid over conjugate gradients on a CPU, seconds of a solve", "around 4",
      "elliptic_solve", times(solve_seconds("cpu.interleaved"), solve_seconds("cpu.multigrid"),
                              lambda value: value >= 3), note="to 1e-5, all cores")
table("E", "Table 6", "ms of an iteration, one core", ITERATION, iteration_cells("C"), faster, why=MACHINE)
table("E", "Table 6", "ms of an iteration, GPU", GPU_ITERATION, iteration_cells("CUDA"), faster, why=MACHINE)
for precision, method, there in (("single", "csr", 410.8 / 23.5), ("single", "pcg", 376.3 / 8.1),
                                 ("single", "interleaved", 370.6 / 5.6), ("double", "csr", 494.6 / 41.4),
                                 ("double", "pcg", 491.5 / 13.9), ("double", "interleaved", 453.4 / 8.8)):
    claim("E", "Table 6", f"an iteration, C over CUDA: {method}, {precision}", f"{text(there)} times",
          f"{ITERATION} {GPU_ITERATION}",
          iteration_ratio(("C", precision, method), ("CUDA", precision, method), kernel_at_least(there)))
for precision, method, there in (("single", "pcg", 23.5 / 8.1), ("single", "interleaved", 23.5 / 5.6),
                                 ("double", "pcg", 41.4 / 13.9), ("double", "interleaved", 41.4 / 8.8)):
    claim("E", "Table 6", f"an iteration, CSR over {method} on the GPU, {precision}", f"{text(there)} times",
          GPU_ITERATION, iteration_ratio(("CUDA", precision, "csr"), ("CUDA", precision, method),
                                         kernel_at_least(there)),
          why="`cuda.csr` has our column solves, three times as fast as the library's")
claim("E", "Abstract", "fused loops on the GPU, single: pcg over interleaved", f"{text(8.1 / 5.6)} times",
      GPU_ITERATION, iteration_ratio(("CUDA", "single", "pcg"), ("CUDA", "single", "interleaved"),
                                     kernel_at_least(8.1 / 5.6)))
claim("E", "Abstract", "fused loops on the GPU, double: pcg over interleaved", f"{text(13.9 / 8.8)} times",
      GPU_ITERATION, iteration_ratio(("CUDA", "double", "pcg"), ("CUDA", "double", "interleaved"),
                                     kernel_at_least(13.9 / 8.8)))
claim("E", "Section 7.4", "fused loops on one core: only slightly faster", f"{text(376.3 / 370.6)} to "
      f"{text(491.5 / 453.4)} times", ITERATION,
      iteration_ratio(("C", "double", "pcg"), ("C", "double", "interleaved"), lambda value: value > 0.95))
claim("E", "Conclusions", "double over single, interleaved, GPU", "1.5 times (0.96 to 0.62 s)", GPU_ITERATION,
      iteration_ratio(("CUDA", "double", "interleaved"), ("CUDA", "single", "interleaved"), lambda value: value < 2),
      note="`cuda.interleaved_single` refines in double")
for quantity, k in (("GFLOP/s", 0), ("GB/s", 1)):
    table("E", "Table 7", f"{quantity} of kernels, GPU", "elliptic_kernels_cuda", rate_cells(quantity, k),
          lambda cells: judged([ours / there for _, there, ours in pairs(cells)], at_least(1), " times the published"),
          lacks=KERNELS)
for quantity, words in (("load efficiency", "global load efficiency, %"), ("L1 hits", "hits of the first cache, %")):
    table("E", "Table 7", f"{words} of kernels", "elliptic_counters_cuda", elliptic_counters(quantity),
          within(1.25 if quantity == "load efficiency" else 3), lacks="needs Nsight Compute")
for number, precision in ((4, "single"), (5, "double")):
    claim("E", f"Figure {number}", f"an iteration broken down, {precision}: vector operations are a significant part",
          "a picture", "elliptic_kernels elliptic_kernels_cuda elliptic_iteration_cuda", breakdown(precision),
          why="a verdict is of a GPU", lacks=KERNELS if number == 4 else "")
for precision, there in (("single", "70 to 80"), ("double", "40 to 50")):
    claim("E", "Figure 6", f"10⁹ operations/s of an iteration over sizes, interleaved, {precision}", there,
          "elliptic_sizes elliptic_sizes_cuda", size_rates(precision, 6), why="a verdict is of a GPU",
          lacks="operations in single precision are not counted")
for precision, there in (("single", "46 to 65 (kernels, table 7)"), ("double", "65 to 79 (kernels, table 7)")):
    claim("E", "Figure 7", f"GB/s of an iteration over sizes, interleaved, {precision}", there,
          "elliptic_sizes elliptic_sizes_cuda", size_rates(precision, 7), why="a verdict is of a GPU",
          lacks="not measured in single precision")
claim("E", "Section 7.5", "share of the memory's peak", "0.26 to 0.45 (65 … 79 of 177 GB/s, 46 … 65)", GPU_ITERATION,
      lambda folder: (lambda found: judged(found, at_least(0.45), " of copying"))(
          [float(line["of_copy"]) for (_, row), line in data.part_times(folder, "elliptic_iteration").at.items()
           if row in ("cuda.interleaved", "cuda.interleaved_single") and line["of_copy"]]))
claim("E", "Section 3", "iterations do not grow with the resolution at a fixed Courant number", "bounded",
      "elliptic_counts", counts_over("n", "pcg"),
      why="as far as the corners of the panel let them")
claim("E", "Section 4.1", "anisotropy changes nothing: columns are solved exactly", "very efficient",
      "elliptic_counts", counts_over("lambda2", "pcg"))
claim("E", "Section 3.2", "can be extended to the whole sphere", "not done there", "", None,
      why="one panel here")
claim("E", "Figures 1 to 3", "drawings of the matrix, the panel, the layout of the memory", "no data", "", None,
      why="nothing measured")
