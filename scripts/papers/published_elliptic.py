"""The elliptic paper: what it publishes, and ours (see published.py)."""
import math

from published import (
    data, at_least, Cell, claim, faster, judged, moved, no_larger, Ours, pairs, quotient, read, span, table, text,
    times, within)


def elliptic_published(number, quantities, precision="", methods=("csr", "pcg", "interleaved")):
    """function of a folder: {(precision, method, kernel, quantity): value} of a table"""
    def found(folder):
        return {key[1:]: value for key, value in data.elliptic_paper(folder).items()
                if key[0] == str(number) and key[4] in quantities and key[1].startswith(precision)
                and key[2] in methods}
    return found


def place_of(row, spec=""):
    """'cpu.pcg@1': ('C', 'double', 'pcg'), as elliptic_paper.csv has the words"""
    method, precision = data.elliptic_method(row, data.elliptic_is_single(spec))
    return "CUDA" if row.startswith("cuda") else "C", precision, method


def iterations(folder, part="iteration"):
    """{(C or CUDA, precision, method): Iteration}, of the largest problem; of two rows in single precision that which
    computes so throughout"""
    found = {}
    for (spec, row), one in data.elliptic_iterations(folder, part)[1].items():
        at = place_of(row, spec)
        if at[0] == "C" and not row.endswith("@1"):
            continue
        if at not in found or (one.cells, data.elliptic_is_single(spec)) > (found[at].cells, False):
            found[at] = one
    return found


def kernels(folder):
    """{(C or CUDA, precision, method, kernel): line of elliptic_kernels*.csv}; of kernels that it lacks what Nsight
    Compute measured, a launch of 256 x 256 x 128 cells, with no operations and words"""
    found = {(*place_of(line["row"]), line["kernel"]): {"seconds": 1e-6 * float(line["microseconds"]) /
                                                        int(line["launches"]), "cells": data.ELLIPTIC_CELLS}
             for line in read(folder, "elliptic_counters_cuda")}
    for line in data.part_rows(folder, "elliptic_kernels")[1]:
        where, precision, method = place_of(line["row"])
        found[where, line.get("precision") or precision, method, line["kernel"]] = line
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
        if at == where and "words" in line and data.is_number(line["operations"]):
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


def iteration_seconds(at):
    """function of a folder: seconds of an iteration, a cell, of (C or CUDA, precision, method, "iteration")"""
    def seconds(folder):
        one = iterations(folder).get(at[:3])
        return one.seconds / one.cells if one else None
    return seconds


def kernel_seconds(at):
    """function of a folder: seconds of a kernel, a cell, of (C or CUDA, precision, method, kernel)"""
    def seconds(folder):
        line = kernels(folder).get(at)
        return cell_seconds(line) if line else None
    return seconds


PRECISIONS = ("single", "double")


def ratio_cells(seconds, entries, tables):
    """Ratios of published seconds, and of ours. entries: ((precision, method, kernel), C or csr, CUDA): over the same
    of the GPU that of one core, or that of the explicit matrix on the GPU. tables: where both are published."""
    def cells(folder):
        out, printed = [], data.elliptic_paper(folder)
        for (precision, method, kernel), slow, fast in entries:
            other = ("CUDA", precision, "csr", kernel) if slow == "csr" else ("C", precision, method, kernel)
            there = [printed[str(number), *at[1:], at[0]]
                     for number, at in zip(tables, (other, (fast, precision, method, kernel)))]
            ours = quotient(seconds(other)(folder), seconds((fast, precision, method, kernel))(folder))
            out.append(Cell(f"{precision}, {method}, {kernel}", text(there[0] / there[1]), ours))
        return out
    return cells


def at_least_published(cells):
    known = pairs(cells)
    less = [(label, ours, there) for label, there, ours in known if ours < there]
    words = f"{len(known) - len(less)} of {len(known)} at least the published, {span(ours for *_, ours in known)} times"
    for label, ours, there in less[:2]:
        words += f"; {label}: {text(ours)} for {text(there)}"
    return Ours(words, not less) if known else None


def iteration_ratio(slow, fast, met):
    return times(iteration_seconds((*slow, "iteration")), iteration_seconds((*fast, "iteration")), met)


def kernel_ratio(slow, fast, met):
    return times(kernel_seconds(slow), kernel_seconds(fast), met)


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


def order_on_sphere(row, stencil):
    """Of the errors of the part sphere, from the last two n"""
    def ours(folder):
        lines = [line for line in read(folder, "elliptic_sphere")
                 if line["row"] == row and line["stencil"] == stencil and line["err_l2"]]
        if len(lines) < 2:
            return None
        (n, e), (m, d) = ((int(line["n"]), float(line["err_l2"])) for line in lines[-2:])
        order = math.log(e / d) / math.log(m / n)
        return Ours(f"order {order:.2f}", order > 1.9)
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
SETUP = "set-up as `sweep bench` counts it: f formed, too; single precision of a CPU to 1e-4"
PRECISION = "this row is not there in this precision"
KERNELS = "the row or its precision is not there, or on a GPU needs Nsight Compute"
COUNTING = "differences keep what a sum of weights would round away, and take more operations"
claim("E", "Table 1", "operations and references of each vector operation", "-", "", None,
      why="the text at hand has lost its numbers; their sum is the row BLAS of table 2")
table("E", "Table 2", "operations of a cell and iteration", "elliptic_kernels elliptic_iteration",
      operations_cells("operations", counted("operations")), within(1.5), note=COUNTING, cells_lack=KERNELS)
table("E", "Table 2", "words of a cell and iteration, columns cached", "elliptic_kernels elliptic_iteration",
      operations_cells("words columns cached", counted("words")), no_larger(1), cells_lack=KERNELS)
for quantity in ("words no cache", "words vectors cached"):
    claim("E", "Table 2", f"words of a cell and iteration: {quantity[6:]}",
          "33 to 40" if quantity == "words no cache" else "25 to 32", "", None,
          why="today's caches hold the vectors and columns: the third count is compared")
for number, what, methods in ((3, "matrix-explicit kernels", ("csr",)),
                              (4, "matrix-free kernels", ("pcg", "interleaved"))):
    table("E", f"Table {number}", f"ms of {what}, one core", "elliptic_kernels", kernel_cells(number, "C", methods),
          faster, why=MACHINE, cells_lack=KERNELS, lacks=KERNELS if number == 3 else "")
    table("E", f"Table {number}", f"ms of {what}, GPU", "elliptic_kernels_cuda", kernel_cells(number, "CUDA", methods),
          faster, why=MACHINE, cells_lack=KERNELS, lacks=KERNELS if number == 3 else "")


VECTORS = "column solves of a CPU are vectorized here"
table("E", "Table 3", "C over CUDA, kernels of csr", "elliptic_kernels elliptic_kernels_cuda",
      ratio_cells(kernel_seconds, [((precision, "csr", kernel), "C", "CUDA") for precision in PRECISIONS
                                   for kernel in ("SpMV", "prec")], (3, 3)), at_least_published, lacks=KERNELS,
      why=VECTORS)
table("E", "Table 4", "C over CUDA, kernels of pcg and interleaved", "elliptic_kernels elliptic_kernels_cuda",
      ratio_cells(kernel_seconds, [((precision, method, kernel), "C", "CUDA") for precision in PRECISIONS
                                   for method in ("pcg", "interleaved") for kernel in ("SpMV", "prec")], (4, 4)),
      at_least_published, cells_lack=KERNELS, why=VECTORS)
table("E", "Table 4", "matrix-explicit over matrix-free kernels, GPU", "elliptic_kernels_cuda",
      ratio_cells(kernel_seconds, [((precision, "pcg", kernel), "csr", "CUDA") for precision in PRECISIONS
                                   for kernel in ("SpMV", "prec")], (3, 4)), at_least_published, lacks=KERNELS)
claim("E", "Section 7.3", "matrix-free SpMV over CSR on one core", "more than 2 times (2.2 and 2.3)",
      "elliptic_kernels", kernel_ratio(("C", "double", "csr", "SpMV"), ("C", "double", "pcg", "SpMV"),
                                       lambda value: value >= 2), lacks=KERNELS)
table("E", "Table 5", "ms of a solve to 1e-5 with set-up, one core", ITERATION, total_cells("C"), faster, why=MACHINE,
      note=SETUP, cells_lack=PRECISION)
table("E", "Table 5", "ms of a solve to 1e-5 with set-up and transfer, GPU", f"{GPU_ITERATION} transfers_cuda",
      total_cells("CUDA"), faster, why=MACHINE, note=SETUP, cells_lack=PRECISION)
for precision, there in (("single", 37.39 / 0.62), ("double", 45.78 / 0.96)):
    claim("E", "Table 5", f"a solve, one core over GPU: interleaved, {precision}", f"{text(there)} times",
          f"{ITERATION} {GPU_ITERATION} transfers_cuda", total_ratio(precision, there), note=SETUP,
          lacks=PRECISION if precision == "single" else "",
          why="set-up and copies through the host take most of a solve on an H200")
claim("E", "Section 7.4", "iterations that reduce the residual by five orders", "100, around", ITERATION,
      iteration_counts(("pcg", "interleaved"), lambda values: max(values) <= 100))
claim("E", "Conclusions", "multigrid needs far fewer iterations", "much smaller than 100", "elliptic_counts",
      lambda folder: (lambda found: judged(found, lambda values: max(values) < 20))(
          [int(line["iterations"]) for line in read(folder, "elliptic_counts")
           if line["row"].endswith(".multigrid") and line["status"] == "done"]),
      note="over Courant numbers, anisotropy, depth and resolution")
claim("E", "Section 7.4", "multigrid over conjugate gradients on a CPU, seconds of a solve", "around 4",
      "elliptic_solve", times(solve_seconds("cpu.interleaved"), solve_seconds("cpu.multigrid"),
                              lambda value: value >= 3), note="to 1e-5, all cores")
table("E", "Table 6", "ms of an iteration, one core", ITERATION, iteration_cells("C"), faster, why=MACHINE,
      cells_lack=PRECISION)
table("E", "Table 6", "ms of an iteration, GPU", GPU_ITERATION, iteration_cells("CUDA"), faster, why=MACHINE,
      cells_lack=PRECISION)
table("E", "Table 6", "an iteration, C over CUDA", f"{ITERATION} {GPU_ITERATION}",
      ratio_cells(iteration_seconds, [((precision, method, "iteration"), "C", "CUDA") for precision in PRECISIONS
                                      for method in ("csr", "pcg", "interleaved")], (6, 6)), at_least_published,
      cells_lack=PRECISION)
table("E", "Table 6", "an iteration, matrix-explicit over matrix-free, GPU", GPU_ITERATION,
      ratio_cells(iteration_seconds, [((precision, method, "iteration"), "csr", "CUDA") for precision in PRECISIONS
                                      for method in ("pcg", "interleaved")], (6, 6)), at_least_published,
      cells_lack=PRECISION, why="`cuda.csr` had our column solves inside when this was measured, not the library's")
claim("E", "Abstract", "fused loops on the GPU, single: pcg over interleaved", f"{text(8.1 / 5.6)} times",
      GPU_ITERATION, iteration_ratio(("CUDA", "single", "pcg"), ("CUDA", "single", "interleaved"),
                                     lambda value: value >= 8.1 / 5.6), lacks=PRECISION)
claim("E", "Abstract", "fused loops on the GPU, double: pcg over interleaved", f"{text(13.9 / 8.8)} times",
      GPU_ITERATION, iteration_ratio(("CUDA", "double", "pcg"), ("CUDA", "double", "interleaved"),
                                     lambda value: value >= 13.9 / 8.8))
claim("E", "Section 7.4", "fused loops on one core: only slightly faster", f"{text(376.3 / 370.6)} to "
      f"{text(491.5 / 453.4)} times", ITERATION,
      iteration_ratio(("C", "double", "pcg"), ("C", "double", "interleaved"), lambda value: value > 0.95))
claim("E", "Conclusions", "double over single, interleaved, GPU", "1.5 times (0.96 to 0.62 s)", GPU_ITERATION,
      iteration_ratio(("CUDA", "double", "interleaved"), ("CUDA", "single", "interleaved"), lambda value: value < 2),
      note="single: throughout, or by `cuda.interleaved_single`, which refines in double")
for quantity, k in (("GFLOP/s", 0), ("GB/s", 1)):
    table("E", "Table 7", f"{quantity} of kernels, GPU", "elliptic_kernels_cuda", rate_cells(quantity, k),
          lambda cells: judged([ours / there for _, there, ours in pairs(cells)], at_least(1), " times the published"),
          cells_lack=KERNELS)
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
          lacks=PRECISION)
claim("E", "Section 7.5", "share of the memory's peak", "0.26 to 0.45 (65 … 79 of 177 GB/s, 46 … 65)", GPU_ITERATION,
      lambda folder: (lambda found: judged(found, at_least(0.45), " of copying"))(
          [float(line["of_copy"]) for (_, row), line in data.part_times(folder, "elliptic_iteration").at.items()
           if row in ("cuda.interleaved", "cuda.interleaved_single") and line["of_copy"]]))
claim("E", "Section 3", "iterations do not grow with the resolution at a fixed Courant number", "bounded",
      "elliptic_counts", counts_over("n", "pcg"),
      note="the Courant number 8.4")
claim("E", "Section 4.1", "anisotropy changes nothing: columns are solved exactly", "very efficient",
      "elliptic_counts", counts_over("lambda2", "pcg"))
claim("E", "Section 3.2", "can be extended to the whole sphere", "not done there", "elliptic_sphere",
      order_on_sphere("cpu.multigrid", "full"), note="against spherical harmonics of degree 4, largest n",
      lacks="`results/bench` has none yet")
claim("E", "Figures 1 to 3", "drawings of the matrix, the panel, the layout of the memory", "no data", "", None,
      why="nothing measured")
