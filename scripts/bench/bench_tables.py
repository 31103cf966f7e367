#!/usr/bin/env python3
"""Write the tables of the pages about benchmarks again from results/bench/*.csv, where every figure in them comes from.

usage: bench_tables.py [--check] [FOLDER [DOCUMENT...]]
                                 default: results/bench, and the pages in PAGES below
A table stands between the lines `<!-- NAME -->` and `<!-- end -->`. --check writes nothing and fails where it would.
Standard library only."""
import csv
import os
import statistics
import sys
import textwrap

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "papers"))
import bench_data as data
import claims
from bench_data import figure_text

PAGES = ["docs/explanation/benchmarks.md", "docs/explanation/overheads.md", "docs/explanation/papers.md",
         "docs/explanation/claims.md", "docs/explanation/claims_systems.md", "docs/explanation/claims_elliptic.md",
         "docs/reference/benchmark_tables.md", "docs/reference/benchmark_tables_systems.md"]


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return lines + ["| " + " | ".join(row) + " |" for row in rows]


def goal_text(goal):
    return f"≥ {figure_text(goal.least)}" if goal.least is not None else f"≤ {figure_text(goal.most)}"


def goals(folder):
    measured = data.steps(folder)
    rows = []
    for goal in data.GOALS:
        value = goal.value(measured)
        verdict = "not measured" if value is None else "yes" if data.reached(goal, value) else "no"
        rows.append([goal.work, goal.what, goal_text(goal), figure_text(value), verdict])
    return table(["work", "what", "goal", "measured", "reached"], rows) + origins(measured, *measured.compact.values())


def last(folder):
    """The works furthest from their limits, by the oldest program that bench_last.sh timed and by the last."""
    tables = list(data.last(folder).items())
    if not tables:
        return []
    ends = [tables[0], tables[-1]] if len(tables) > 1 else tables
    rows = []
    for goal in data.LAST_GOALS:
        values = [goal.value(of) for _, of in ends]
        verdict = "not measured" if values[-1] is None else "yes" if data.reached(goal, values[-1]) else "no"
        rows.append([goal.work, goal.what, goal_text(goal), *map(figure_text, values), verdict])
    head = ["work", "what", "goal", *(commit[:8] for commit, _ in ends), "reached"]
    return table(head, rows) + origins(*(of for _, of in ends))


def origins(*measured):
    lines = dict.fromkeys(one.origin(where) for where in ("cuda", "cpu") for one in measured)
    return ["", *measured_on(lines)] if any(lines) else []


def measured_on(lines):
    return textwrap.wrap("Measured on " + "; ".join(line for line in lines if line) + ".", 100,
                         break_long_words=False, break_on_hyphens=False)


def percent(text):
    return f"{100 * float(text):.1f} %" if text else "–"


def answers(folder):
    """The rates that a user asks for first, each beside its limit and what one would use otherwise."""
    rows, tables = [], []
    for answer in data.ANSWERS:
        measured = answer.table(folder)
        rate = measured.get(answer.spec, answer.row)
        if rate is None:
            continue
        tables.append(measured)
        limit = measured.get(answer.spec, answer.row, answer.limit)
        ratio = measured.ratio(answer.spec, answer.row, answer.peer)
        rows.append([answer.work, answer.row, figure_text(rate), f"{percent(limit)} of {data.LIMITS[answer.limit]}",
                     f"{figure_text(ratio)} × {answer.peer_name}" if ratio else "–"])
    return table(["what", "row", "points × steps a second", "limit", "against"], rows) + origins(*tables)


def step_row(line):
    if line["state"] != "ok":
        return [line["row"], line["state"], "", "", "", ""]
    return [line["row"], figure_text(float(line["rate"])), figure_text(float(line["ratio"])) if line["ratio"] else "–",
            percent(line["of_copy"]), percent(line["of_fma"]), f"{float(line['error']):.0e}"]


def step_tables(folder, chosen):
    """One table for each work, rows as measured."""
    measured, lines = data.steps(folder), []
    for spec in measured.specs:
        if not chosen(spec):
            continue
        rows = measured.rows(spec)
        lines += [f"`{spec}`", ""]
        unit = "unknowns/s" if spec.startswith("band") else "point·steps/s"
        head = ["row", unit, f"× {rows[0]['baseline']}", "of copy", "of FMA", "error"]
        lines += table(head, map(step_row, rows)) + [""]
    return lines[:-1]


def output_table(folder):
    columns = ("device", "n", "runs", "outputs", "out_s", "compute_s", "plain_s", "hidden", "file_system", "commit")
    rows = [[line[name] for name in columns] for line in data.outputs(folder)]
    head = ["device", "n", "runs", "outputs", "with outputs, s", "compute, s", "write, s", "hidden", "to", "commit"]
    return table(head, rows) if rows else []


def devices_table(folder):
    columns = ("device", "runs", "n", "steps", "batches", "compute_s", "of_compute", "total_s", "of_total", "same",
               "machine", "threads", "commit")
    rows = [[line[name] for name in columns] for line in data.several(folder)]
    head = ["devices", "runs", "n", "steps", "batches", "compute, s", "× the first", "start to merged file, s",
            "× the first", "same bits", "machine", "threads of its host", "commit"]
    return table(head, rows) if rows else []


def span(points):
    """Least and largest speed-up, and where."""
    if not points:
        return "not measured"
    low, high = min(points.values()), max(points.values())
    return figure_text(low) if low == high else f"{figure_text(low)} to {figure_text(high)}"


def lengths(folder):
    here = os.path.exists(os.path.join(folder, "lengths.png"))
    return ["![Rates over the length of a line](../../results/bench/lengths.png)"] if here else []


def paper_origin(measured):
    """The GPU's rows and the serial program's may be of different days."""
    lines = [table.origin(where) for where in ("cuda", "cpu") for table in measured.values()]
    return ["", *measured_on(dict.fromkeys(lines))] if any(lines) else []


def paper(folder):
    measured, rows = data.figures(folder), []
    for picture in data.PICTURES:
        part = measured.get(picture.part)
        beside = [f"{data.NAMES[row]}: {span(part.points(row, picture.chosen))}" for row in picture.ours
                  if part and part.points(row, picture.chosen)]
        for fig in picture.figures:
            here = span(part.points(fig.row, picture.chosen)) if part else "not measured"
            rows.append([str(fig.number), data.NAMES[fig.row].split(", ")[1], picture.baseline,
                         "batch size" if picture.over == "batch" else "n", fig.says, here, "; ".join(beside)])
    head = ["figure", "cuPentBatch", "speed-up over", "along", "P's text", "here", "this program's rows beside it"]
    return table(head, rows) + paper_origin(measured)


def bvp_paper(folder):
    """Tables I to IV of the boundary value paper: here / there."""
    lines = []
    for number in (1, 2, 3, 4):
        measured = data.bvp_table(folder, number)
        if not measured:
            continue
        rows = sorted({n for points in measured.here.values() for n in points})
        single = len({name.split(".")[0] for name in measured.here}) == 1
        lines += [f"{measured.title}: here / in the paper", ""]
        faster = claims.published_bvp.bvp_speedups(number, "a2d")(folder) if number > 2 else {}
        head = ["n", *(name.split(".")[1] if single else name for name in measured.here)]
        lines += table(head + ["speed-up of a2d over a1d"] * bool(faster),
                       [[str(n), *(bvp_cell(measured.here[name], measured.paper.get(name.split(".")[1], {}), n)
                                   for name in measured.here),
                         *([bvp_cell(faster, measured.paper["speed-up"], n)] if faster else [])] for n in rows])
        lines += ["", *measured_on(measured.origins), ""]
    return lines[:-1]


def bvp_cell(here, paper, n):
    return figure_text(here.get(n)) + (f" / {figure_text(paper[n])}" if n in paper else "")


BVP_PARTS = {"sizes": "One problem, r = √n as published", "best": "One problem, each row with its fastest r",
             "single": "One problem in single precision", "batch": "65536 problems of 1024 points that differ"}


def bvp_row(line):
    first = [f"`{line['spec']}`", line["row"] + (f", r = {line['r']}" if line.get("r") else "")]
    if line["state"] != "ok":
        return first + [line["state"], "", "", "", "", ""]
    return first + [figure_text(float(line["median_s"]) / int(line["steps"])), figure_text(float(line["rate"])),
                    figure_text(float(line["ratio"])) if line["ratio"] else "–", percent(line["of_copy"]),
                    percent(line["of_fma"]), f"{float(line['error']):.1e}"]


def bvp_rows(folder):
    """What scripts/bench/bench_bvp.sh measured."""
    lines = []
    head = ["work", "row", "s/solve", "points/s", "× the first", "of copy", "of FMA", "error"]
    for part, title in BVP_PARTS.items():
        measured = data.bvp(folder, part)
        rows = [bvp_row(line) for spec in measured.specs for line in measured.rows(spec)]
        if rows:
            lines += [f"{title}:", "", *table(head, rows), *origins(measured), ""]
    return lines[:-1]


def compact_row(line, compared):
    first = [f"`{line['spec']}`", line["row"]]
    if line["state"] != "ok":
        return first + [line["state"], *[""] * (3 if compared else 2)]
    ratio = [figure_text(float(line["ratio"])) if line["ratio"] else "–"] if compared else []
    return first + [figure_text(float(line["rate"])), *ratio, percent(line["of_copy"]), f"{float(line['error']):.0e}"]


def compact_rows(folder):
    """What scripts/bench/bench_compact.sh measured."""
    lines = []
    for part, title in data.COMPACT.items():
        measured = data.compact(folder, part)
        every = [line for spec in measured.specs for line in measured.rows(spec)]
        for where, words in (("cuda", title), ("cpu", "On the CPU")):
            at = [line for line in every if line["row"].startswith("cpu") == (where == "cpu")]
            if not at:
                continue
            compared = len({line["row"] for line in at}) > 1
            head = ["work", "row", "points/s", *([f"× {at[0]['baseline']}"] if compared else []), "of copy", "error"]
            rows = table(head, [compact_row(line, compared) for line in at])
            lines += [f"{words}:", "", *rows, "", *measured_on([measured.origin(where)]), ""]
    if os.path.exists(os.path.join(folder, "compact_speed.png")):
        lines += ["![Speed over the length of a line](../../results/bench/compact_speed.png)", ""]
    return lines[:-1]


def spike_cell(values):
    """The median of the seeds, and how many failed."""
    numbers = sorted(value for value in values if value is not None)
    failed = len(values) - len(numbers)
    if not values:
        return "–"
    median = figure_text(statistics.median(numbers)) if numbers else "fails"
    return median + (f" ({failed} of {len(values)} fail)" if failed and numbers else "")


def spike_condition(folder, matrix, there):
    """In double precision, as there, of the paper's matrices: those it calls Toeplitz are."""
    toeplitz = matrix.endswith(" Toeplitz")
    lines = {line["matrix"]: line for line in claims.published.read(folder, "spike_condition")}
    others = {"main_1e8", "main_64", "main_1e8_inverse", "zero_main"}
    line = lines.get(matrix.removesuffix(" Toeplitz")) if toeplitz or matrix not in others else None
    return " / ".join(word for word in (f"{float(line['double']):.2e}" if line else "", there) if word) or "–"


def spike_table4(folder):
    """The paper's table IV: here / there."""
    measured, rows = data.spike_table4(folder), []
    if not measured.solvers:
        return []
    for matrix in measured.matrices:
        of = matrix.removesuffix(" Toeplitz")
        cells = []
        for solver in measured.solvers:
            theirs = measured.paper.get(data.SPIKE_PEERS.get(solver), {}).get(of)
            cells.append(spike_cell(measured.residuals[matrix, solver]) + (f" / {theirs}" if theirs else ""))
        theirs = [measured.paper.get(name, {}).get(of, "–") for name in ("Intel SPIKE", "Matlab")]
        rows.append([matrix, spike_condition(folder, matrix, measured.condition.get(of)), *cells, *theirs])
    head = ["matrix", "condition number", *measured.solvers, "Intel SPIKE there", "Matlab there"]
    return table(head, rows) + ["", *measured_on(measured.origin.split("; "))]


SPIKE_PARTS = {"matrices": "One large system, random and diagonally dominant (figure 12)",
               "sizes": "Random systems by their size (figure 13)",
               "layout": "Data marshalling and dynamic tiling (figures 7 and 10)"}


def spike_row(line):
    first = [f"`{line['spec']}`", line["row"]]
    if line["state"] != "ok":
        return first + [line["state"], "", "", "", ""]
    return first + [figure_text(1e3 * float(line["median_s"]) / int(line["steps"])), figure_text(float(line["rate"])),
                    figure_text(float(line["ratio"])) if line["ratio"] else "–", percent(line["of_copy"]),
                    f"{float(line['error']):.0e}"]


def spike_times(folder):
    """What scripts/papers/reproduce_spike.sh timed."""
    lines = []
    for part, title in SPIKE_PARTS.items():
        measured = data.spike_times(folder, part)
        rows = [spike_row(line) for spec in measured.specs for line in measured.rows(spec)]
        if rows:
            head = ["work", "row", "ms/solve", "rows/s", "× the baseline", "of copy", "backward error"]
            lines += [f"{title}:", "", *table(head, rows), *origins(measured), ""]
    return lines[:-1]


def ns(seconds, cells):
    return figure_text(1e9 * seconds / cells)


def elliptic_table2(folder):
    """Operations and words of an iteration, published and counted here."""
    paper, (measured, found) = data.elliptic_paper(folder), data.elliptic_iterations(folder)
    rows, seen = [], set()
    for (_, row), one in found.items():
        method, _ = data.elliptic_method(row)
        if row.split("@")[0] in seen:
            continue
        seen.add(row.split("@")[0])
        there = [paper.get(("2", "", method, "total", of)) for of in
                 ("operations", "words no cache", "words vectors cached", "words columns cached")]
        rows.append([row.split("@")[0], figure_text(one.operations), figure_text(one.words), *map(figure_text, there)])
    head = ["row", "operations here", "words here", "operations there", "words there: no cache", "vectors cached",
            "columns cached"]
    return table(head, rows) + origins(measured) if rows else []


def elliptic_table6(folder):
    """An iteration of each row, and of the same method there: on one core, and on its GPU."""
    paper, (measured, found) = data.elliptic_paper(folder), data.elliptic_iterations(folder)
    cores = {data.elliptic_is_single(spec): one for (spec, row), one in found.items() if row == "cpu.pcg@1"}
    rows = []
    for (spec, row), one in found.items():
        method, precision = data.elliptic_method(row, data.elliptic_is_single(spec))
        core = cores.get(precision == "single") or cores.get(False)
        at = ("6", precision, method, "iteration")
        of_core, there = paper.get(("6", precision, "pcg", "iteration", "C")), \
            paper.get((*at, "CUDA" if row.startswith("cuda") else "C"))
        faster = core.seconds / core.cells * one.cells / one.seconds if core else None
        rows.append([row, precision, str(one.cells), figure_text(1e3 * one.seconds), ns(one.seconds, one.cells),
                     figure_text(faster), figure_text(one.flops and 1e-9 * one.flops), figure_text(1e-9 * one.bytes),
                     figure_text(there), ns(1e-3 * there, data.ELLIPTIC_CELLS) if there else "–",
                     figure_text(of_core / there) if there else "–"])
    head = ["row", "precision", "cells", "ms", "ns a cell", "× cpu.pcg@1", "10⁹ operations/s", "GB/s", "ms there",
            "ns a cell there", "× pcg on its core"]
    return table(head, rows) + origins(measured) if rows else []


def elliptic_kernels(folder):
    """Tables 3, 4 and 7: one application of the matrix and of the preconditioner, in both precisions."""
    paper, (origin, lines) = data.elliptic_paper(folder), data.part_rows(folder, "elliptic_kernels")
    rows = []
    for line in lines:
        seconds, cells = float(line["seconds"]), int(line["cells"])
        where = "CUDA" if line["row"].startswith("cuda") else "C"
        precision = line.get("precision") or "double"
        method, word = data.elliptic_method(line["row"])[0], 4 if precision == "single" else 8
        there = paper.get(("3" if method == "csr" else "4", precision, method, line["kernel"], where))
        rates = [paper.get(("7", precision, method, line["kernel"], of)) if where == "CUDA" else None
                 for of in ("GFLOP/s", "GB/s")]
        operations = None if line["operations"] == "nan" else 1e-9 * cells * float(line["operations"]) / seconds
        rows.append([line["row"], precision, line["kernel"], line["cells"], figure_text(1e3 * seconds),
                     ns(seconds, cells), figure_text(operations),
                     figure_text(1e-9 * word * cells * float(line["words"]) / seconds), figure_text(there),
                     ns(1e-3 * there, data.ELLIPTIC_CELLS) if there else "–", *map(figure_text, rates)])
    head = ["row", "precision", "kernel", "cells", "ms", "ns a cell", "10⁹ operations/s", "GB/s", "ms there",
            "ns a cell there", "GFLOP/s there", "GB/s there"]
    return table(head, rows) + ["", *measured_on(origin.split("; "))] if rows else []


def elliptic_solves(folder):
    """Seconds to a tolerance: 1e-5 as the paper has it, 1e-7 by every method."""
    rows, tables = [], []
    for part in ("iteration", "solve"):
        measured = data.part_times(folder, f"elliptic_{part}")
        tables.append(measured)
        for spec in measured.specs:
            for line in measured.rows(spec):
                if line["state"] != "ok":
                    rows.append([f"`{spec}`", line["row"], line["state"], "", "", ""])
                    continue
                rows.append([f"`{spec}`", line["row"], figure_text(1e3 * float(line["median_s"]) / int(line["steps"])),
                             line["iterations"], figure_text(float(line["ratio"])) if line["ratio"] else "–",
                             f"{float(line['error']):.0e}"])
    head = ["work", "row", "ms/solve", "iterations", "× the baseline", "residual"]
    return table(head, rows) + origins(*tables) if rows else []


BUSY = 4.0  # a load beyond which a table says that the machine did other things, too


def equations_of(name):
    return lambda folder: equations(os.path.join(folder, f"{name}.csv"))


def equations(path):
    """Equations by programs side by side; of a program's ways with a method the fastest, of all times it was timed."""
    best = {}
    if not os.path.exists(path):
        return []
    with open(path, newline="") as file:
        for line in csv.DictReader(file):
            key = (line["equation"], line["program"], line["method"],
                   line["setup"] if line["program"] == "sweep" else "")
            if key not in best or float(line["rate"]) > float(best[key]["rate"]):
                best[key] = line
    rows = [[line["equation"], line["program"], f"{line['method']}, {line['setup']}", figure_text(float(line["rate"])),
             figure_text(float(line["time_rate"])), f"{float(line['error']):.1e}", f"{float(line['error_at']):g}"]
            for line in best.values()]
    origin = dict.fromkeys(f"{line['device']}, commit {line['commit']}, {line['when'][:10]}" for line in best.values())
    versions = [line["version"] for line in best.values() if line["program"] != "sweep"]
    programs = dict.fromkeys(one for version in versions for one in version.split(", "))
    head = ["equation", "program", "how", "points × steps/s", "points × time/s", "error", "at t ="]
    load = max((float(line["load"]) for line in best.values()), default=0)
    beside = ["", f"Other programs ran at the same time: a load of up to {load:.0f}."] if load > BUSY else []
    return table(head, rows) + ["", *measured_on([*origin, ", ".join(programs)])] + beside


def claims_of(paper):
    """What a paper publishes, and ours."""
    head = ["where", "what", "published", "ours", "met?", "from"]
    return lambda folder: table(head, claims.page_rows(paper, folder))


TABLES = {
    **{f"claims_{paper}": claims_of(paper) for paper in claims.PAPERS},
    "spike_table4": spike_table4,
    "spike_times": spike_times,
    "elliptic_table2": elliptic_table2,
    "elliptic_table6": elliptic_table6,
    "elliptic_kernels": elliptic_kernels,
    "elliptic_solves": elliptic_solves,
    "equations_cpu": equations_of("equations_cpu"),
    "fields_peers_cpu": equations_of("fields_peers_cpu"),
    "fields_peers_cuda": equations_of("fields_peers_cuda"),
    "answers": answers,
    "compact_rows": compact_rows,
    "bvp_paper": bvp_paper,
    "bvp_rows": bvp_rows,
    "goals": goals,
    "last": last,
    "steps": lambda folder: step_tables(folder, lambda spec: not spec.startswith("band")),
    "bands": lambda folder: step_tables(folder, lambda spec: spec.startswith("band")),
    "lengths": lengths,
    "output": output_table,
    "devices": devices_table,
    "paper": paper,
}


def rewrite(text, folder):
    """The document with its tables made again."""
    lines, out, inside = text.split("\n"), [], None
    for line in lines:
        name = line[5:-4] if line.startswith("<!-- ") and line.endswith(" -->") else None
        if inside is None or name == "end":
            out.append(line)
        if name == "end":
            inside = None
        elif name in TABLES:
            inside = name
            made = TABLES[name](folder)
            out += ["", *(made or ["Nothing measured yet."]), ""]
    if inside:
        raise SystemExit(f"error: <!-- {inside} --> has no <!-- end -->")
    return "\n".join(out)


def main():
    arguments = [a for a in sys.argv[1:] if a != "--check"]
    if any(a.startswith("-") for a in arguments):
        print(__doc__, file=sys.stderr)
        return 2
    folder = arguments[0] if arguments else "results/bench"
    changed = [path for path in arguments[1:] or PAGES
               if update(path, folder, "--check" in sys.argv)]
    for path in changed if "--check" in sys.argv else []:
        print(f"{path} is not what {folder} says: run scripts/bench/bench_tables.py", file=sys.stderr)
    return int("--check" in sys.argv and bool(changed))


def update(path, folder, only_check):
    """Whether the document differs from what the folder says; it does not any more, unless only_check."""
    with open(path, encoding="utf-8") as file:
        old = file.read()
    new = rewrite(old, folder)
    if new != old and not only_check:
        with open(path, "w", encoding="utf-8") as file:
            file.write(new)
    return new != old


sys.exit(main())
