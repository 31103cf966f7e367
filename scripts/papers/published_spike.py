"""The SPIKE paper: what it publishes, and ours (see published.py)."""
import statistics

from published import (
    data, at_least, Cell, claim, judged, moved, Ours, pairs, quotient, read, read_path, span, table, text, times)


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
      "`clement` are far larger", lacks="needs python3 with numpy and mpmath",
      why="S does not give its random numbers; 14 and 16 are powers of a ratio of two")
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
      why="an H200 has larger caches than a GTX 480; counters would tell")
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
      why="a solve is a small part of the 2 ms that are timed on an H200; the rest does not shrink",
      lacks="needs two GPUs")
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
