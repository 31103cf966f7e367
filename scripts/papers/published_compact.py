"""The compact paper: what it publishes, and ours (see published.py)."""
import os
import re
import statistics

from published import data, claim, judged, Ours, read, slope, span, text, times


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
        found = [float(line["speed"]) / int(line["ranks"]) for line in read(folder, "distributed_cuda")
                 if line["work"] == work and int(line["ranks"]) > 1 and row_has in line["row"]
                 and line["comm"] in ("peer", "nccl")]
        return judged(found, lambda values: min(values) > 0.5, " of as many times one GPU's rate") if found else None
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
