"""The boundary value paper: what it publishes, and ours (see published.py)."""
import statistics

from published import data, at_least, Cell, claim, faster, judged, Ours, pairs, read, read_path, table, text, within


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


def bvp_speedups(number, fast, slow="a1d", or_cpu=True):
    """{n: a row of the GPU, or without its times of the CPU, over a1d on one core}"""
    def ratios(folder):
        cpu, gpu = bvp_here(folder, number, "cpu"), bvp_here(folder, number, "cuda")
        rows = gpu or (cpu if or_cpu else {})
        return {n: cpu[slow, n] / value for (name, n), value in rows.items() if name == fast and (slow, n) in cpu}
    return ratios


def bvp_speedup_cells(number):
    def cells(folder):
        here = bvp_speedups(number, "a2d", or_cpu=False)(folder)
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


def of_gpu(ours):
    """The verdict is of a GPU: without its files all cores of the CPU stand for it, and there is none."""
    def judged_there(folder):
        found = ours(folder)
        if found is None or bvp_here(folder, 3, "cuda"):
            return found
        return Ours(f"{found.text}, all cores of a CPU", None)
    return judged_there


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
              why="errors in single precision depend on the order of the sums and on the compiler")
for number, roman, problem in ((3, "III", "P1"), (4, "IV", "P2")):
    table("B", f"Table {roman}", f"seconds, {problem}, A1D on one core", f"bvp_table{number}",
          bvp_cells(number, "cpu", ("a1d",)), faster, why="another machine")
    table("B", f"Table {roman}", f"seconds, {problem}, A2D and A2SD on a GPU", f"bvp_table{number}_cuda",
          bvp_cells(number, "cuda", ("a2d", "a2sd")), faster, why="another machine")
    table("B", f"Table {roman}", f"speed-up of A2D over A1D, {problem}", f"bvp_table{number} bvp_table{number}_cuda",
          bvp_speedup_cells(number),
          lambda cells: judged([ours / there for _, there, ours in pairs(cells)], at_least(1), " times the published"),
          note="A2D on the GPU, A1D on one core here")
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
      "8.6 to 25.7 (A2D), 15.9 to 96.8 (A2SD)", TIMES, of_gpu(bvp_grows),
      note="of III and IV, A2D and A2SD each, from the smallest n to the largest")
claim("B", "Section IV", "A2SD is 2 to 3 times as fast as A2D", "2 to 3 (1.5 to 2.8 in III and IV)", TIMES,
      of_gpu(bvp_compared((3, 4), bvp_ratio("a2d", "a2sd"), at_least(2))),
      why="B's GPU had an eighth of the speed in double precision, today's has half; and √n threads, one a column, "
          "wait for chains of loads, as long in either precision")
claim("B", "Section IV", "A2SD is up to 95 times as fast as A1D", "95", TIMES, of_gpu(bvp_most("a2sd", 95)))
claim("B", "Section IV", "the next GPUs (Fermi) are much faster in double precision: A2D over A2SD", "not measured",
      TIMES, of_gpu(bvp_compared((3, 4), bvp_ratio("a2d", "a2sd"), lambda values: max(values) < 2)))
claim("B", "Section V", "reasonable accuracy and excellent speed-up", "95, as above", TIMES,
      of_gpu(bvp_most("a2sd", 95)))
