"""A page with all of an output file, for a browser: one HTML file, without anything from elsewhere. It says what was
computed, how it went and where it comes from, shows pictures, and has the table of runs, which a reader can sort."""
import base64
import html
import json
import os
import re
import shlex

import numpy as np

from pysweep.refusal import Refusal
from pysweep.results import levels, number, short_list

STATES = {0: "pending", 1: "done", 2: "diverged", 3: "failed"}      # as status tells
MOST_BYTES = 3_400_000      # of the table, encoded: the page then has less than 5 MB
MOST_REASONS = 8
PICTURES = 3
DPI = 110
TEMPLATE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "report.html")
MADE_BY = ("solver", "precision", "device", "gpu", "driver", "cuda", "hostname", "git_commit", "compiler", "hdf5",
           "slurm_job_id", "command_line")


def told(text):
    return html.escape(str(text))


def paragraph(text, kind=""):
    return f'<p class="{kind}">{text}</p>' if kind else f"<p>{text}</p>"


def table(head, rows):
    """Of cells that are HTML."""
    cells = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>\n" for row in rows)
    names = "".join(f'<th scope="col">{told(name)}</th>' for name in head)
    return f'<div class="wide"><table><thead><tr>{names}</tr></thead><tbody>\n{cells}</tbody></table></div>\n'


def plural(count, what):
    return f"{count} {what}" + ("" if count == 1 else "s")


def duration(seconds):
    for unit, length in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.3g} {unit}"
    return f"{seconds:.3g} s"


# ------------------------------------------------------------------------------------------------------- what it says

class Facts:
    """What the page says of the runs that are meant, as text."""

    def __init__(self, results):
        self.results = results
        stored = results.stored
        self.made = {}
        if stored.has(results.file, "provenance"):
            group = results.file["provenance"]
            self.made = {name: stored.attribute(group, name) for name in (*MADE_BY, "user_expressions", "git_dirty")}
        self.equation = results.attribute("equation")
        self.message = np.array(stored.texts(results.file, "message", len(results.every_run)),
                                dtype=object)[results.kept]
        self.columns = {}       # numbers of the runs that are known of any
        self.same = {}          # and those that all runs have
        for name in results.columns:
            values = results.of_runs(name)
            different = np.unique(values)
            if len(different) > 1:
                self.columns[name] = values
            elif np.isfinite(different).all():
                self.same[name] = different[0]

    def number_of(self, name):
        """Of all runs that are meant; None: the file does not have it."""
        return np.full(len(self.results.run), self.same[name]) if name in self.same else self.columns.get(name)

    def reasons(self, rows):
        """Messages of runs, those alike in all but their numbers together: how many, and the first of them."""
        alike = {}
        for row in rows:
            if self.message[row]:
                alike.setdefault(re.sub(r"[-+]?\d[\w.+-]*", "#", self.message[row]), []).append(row)
        return sorted(alike.values(), key=len, reverse=True)


def head(results, facts):
    counts = {state: int((results.status == state).sum()) for state in STATES}
    written = results.attribute("history").split("\n")[0].split(" ")[0]
    tiles = [(len(results.run), "run" if len(results.run) == 1 else "runs", ""),
             (counts[1], "done", "good" if counts[1] == len(results.run) else "")]
    tiles += [(counts[state], STATES[state], "bad") for state in (0, 2, 3) if counts[state]]
    points = results.attribute("points")
    if points:
        tiles.append((points, "points", ""))
    steps, wall = facts.number_of("steps"), facts.number_of("wall_time")
    if steps is not None and steps.max() > 1:
        tiles.append((number(steps.max()) if steps.min() == steps.max() else
                      f"{number(steps.min())} – {number(steps.max())}", "steps a run", ""))
    if wall is not None and np.isfinite(wall).any():
        tiles.append((duration(np.nansum(wall)), "of computing", ""))
    shown = "".join(f'<li><b class="{kind}">{told(value)}</b><span>{told(name)}</span></li>'
                    for value, name, kind in tiles)
    meant = f", those with {results.told_where}" if results.where else ""
    return (paragraph(told(f"{os.path.basename(results.path)} · {results.problem}{meant} · "
                           f"{results.attribute('source')} · {written}"), "soft") +
            f'<ul class="facts">{shown}</ul>')


def what(results, facts):
    text = f"<pre>{told(facts.equation)}</pre>\n" if facts.equation else ""
    own = re.split(r"; (?=[\w.]+: )", facts.made.get("user_expressions", ""))
    rows = [[f"<code>{told(name)}</code>", f"<code>{told(expression)}</code>"]
            for name, _, expression in (one.partition(": ") for one in own) if expression]
    if rows:
        text += table(["key", "expression"], rows)
    axes = [[f"<code>{told(name)}</code>", told(len(levels(values))), told(short_list(levels(values)))]
            for name, values in results.param.items()]
    text += table(["axis", "how many", "values"], axes) if axes else paragraph("One run: the config has no axes.")
    given = f"<pre>{told(chr(10).join(results.overrides))}</pre>" if results.overrides else ""
    return text + f"<details><summary>The config</summary><pre>{told(results.config_text)}</pre>{given}</details>\n"


def reason_rows(results, facts, rows):
    for alike in facts.reasons(rows)[:MOST_REASONS]:
        first = alike[0]
        yield [told(plural(len(alike), "run")), f"run {results.run[first]}" +
               (f" ({told(results.describe(first))})" if results.swept else ""), told(facts.message[first])]


def how(results, facts):
    bad = np.flatnonzero((results.status == 2) | (results.status == 3))
    text = ""
    missing = int(results.attribute("sweep_runs") or 0) - len(results.every_run)
    if missing > 0:
        text += paragraph(f"The sweep is not complete: these are {len(results.every_run)} of its "
                          f"{missing + len(results.every_run)} runs.", "bad")
    if (results.status == 0).any():
        text += paragraph("The sweep is not complete: runs are pending. <code>sweep resume</code> computes "
                          "them.", "bad")
    if len(bad):
        text += paragraph(f"{plural(len(bad), 'run')} of {len(results.run)} did not end well:", "bad")
        text += table(["", "for example", "reason"], reason_rows(results, facts, bad))
    else:
        text += paragraph("No run diverged or failed.")
    doubts = np.flatnonzero(results.status == 1)
    rows = list(reason_rows(results, facts, doubts))
    if rows:
        text += paragraph("What the program says of runs that are done:")
        text += table(["", "for example", "message"], rows)
    measured = []
    for name in [*results.norms, "error_time", "error_space", "error_estimate"]:
        values = facts.number_of(name)
        values = values[np.isfinite(values) & results.ok] if values is not None else []
        if len(values):
            measured.append([f"<code>{told(name)}</code>", told(results.label(name)), told(len(values)),
                             told(number(np.median(values), 3)), told(number(values.max(), 3))])
    if measured:
        text += table(["error", "", "runs", "median", "largest"], measured)
    else:
        text += paragraph("The file has no estimate of errors, and no exact solution to compare with.", "soft")
    return text


def pictures(drawn):
    """drawn: of each picture its PNG or the Refusal, what it shows, and the command that draws it."""
    figures, missing = "", ""
    for picture, shows, command in drawn:
        if isinstance(picture, Refusal):
            missing += paragraph(told(f"No {shows}: {picture}"), "soft")
            continue
        data = base64.b64encode(picture).decode()
        figures += (f'<figure><img alt="{told(shows)}" src="data:image/png;base64,{data}">'
                    f"<figcaption><code>{told(command)}</code></figcaption></figure>\n")
    return (f'<div class="pictures">{figures}</div>' if figures else paragraph("There is nothing to draw.")) + missing


def again(results, facts):
    name = os.path.splitext(os.path.basename(results.path))[0]
    config = base64.b64encode(results.config_text.encode()).decode()
    overrides = results.overrides
    command = " ".join(["sweep run", shlex.quote(f"{name}.cfg"), "-o", shlex.quote(f"{name}.again.h5"),
                        *(f"-s {shlex.quote(one)}" for one in overrides)])
    dirty = ", with changes that were not committed" if facts.made.get("git_dirty") == "1" else ""
    return (paragraph(f'<a download="{told(name)}.cfg" href="data:text/plain;charset=utf-8;base64,{config}">'
                      f"{told(name)}.cfg</a>, the config that the file keeps, and") +
            f"<pre>{told(command)}</pre>\n" +
            paragraph(told(f"with {results.attribute('source')}{dirty}. The same runs have the same ids; on the same "
                           "kind of device they have the same digits.")))


def origin(results, facts):
    rows = [["file", results.path], ["sweep", results.attribute("sweep_id")],
            *([name.replace("_", " "), facts.made[name]] for name in MADE_BY if facts.made.get(name)),
            *(["history", line] for line in results.attribute("history").split("\n") if line)]
    return table(["", ""], [[told(name), f"<code>{told(value)}</code>"] for name, value in rows])


# ------------------------------------------------------------------------------------------------------ table of runs

def coded(value):
    """A number as JSON has it; infinite ones as texts."""
    return None if np.isnan(value) else float(value) if np.isfinite(value) else "-inf" if value < 0 else "inf"


def packed(name, values, label=None):
    """A column: numbers that are stored as they are, or the different ones and which of them each run has. Numbers have
    single precision, of which a reader sees six digits."""
    word = values.dtype.kind in "OUS"
    column = {"name": name, "label": label or name, "word": bool(word)}
    if not word and len(values) > 1 and (np.diff(values) == 1).all():
        return {**column, "type": "range", "first": float(values[0])}
    different, which = np.unique(values.astype(str) if word else values, return_inverse=True)
    if len(different) == 1:
        return {**column, "type": "one", "values": [str(different[0]) if word else coded(different[0])]}
    wide = next(n for n in (1, 2, 4) if len(different) <= 256**n)
    whole = not word and np.array_equal(values, np.rint(values)) and np.abs(values).max(initial=0) < 2**31
    if word or wide * len(values) + 12 * len(different) < 4 * len(values):
        column["values"] = [str(v) if word else coded(v) for v in different]
        numbers, column["type"] = which.astype(f"<u{wide}"), f"u{wide}"
    else:
        finite = np.abs(values[np.isfinite(values) & (values != 0)]) if not whole else []
        kind = "i4" if whole else "f4" if 1e-37 < min(finite, default=1) <= max(finite, default=1) < 1e38 else "f8"
        numbers, column["type"] = values.astype(f"<{kind}"), kind
    column["data"] = base64.b64encode(numbers.tobytes()).decode()
    return column


def runs(results, facts):
    """What is said of the table, and the table for the script."""
    count = len(results.run)
    state = np.array([STATES.get(int(s), "failed") for s in results.status], dtype=object)
    wanted = [("status", state), ("run", results.run.astype(float)), *results.param.items(), *facts.columns.items()]
    if any(facts.message):
        wanted.append(("message", facts.message))
    columns, left, used = [], [], 0
    for name, values in wanted:
        column = packed(name, values)
        size = len(json.dumps(column))
        if used + size > MOST_BYTES and name not in ("run", "status"):
            left.append(name)
            continue
        columns.append(column)
        used += size
    columns.insert(1 + len([name for name in results.param if name not in left]), columns.pop(0))    # status
    text = paragraph("A click on a name sorts by it.", "soft")
    if facts.same:
        text += paragraph("The same in all runs: " + told(", ".join(
            f"{name} {number(value)}" for name, value in facts.same.items())) + ".", "soft")
    if left:
        text += paragraph(told(f"Left out, so that the page stays small: {', '.join(left)}; "
                               f"sweep show {results.path} --csv prints them."), "soft")
    return text, {"count": count, "columns": columns}


def page(results, drawn):
    """The page, as text. drawn: see pictures()."""
    facts = Facts(results)
    said, data = runs(results, facts)
    parts = {"title": told(results.attribute("title") or os.path.basename(results.path)), "head": head(results, facts),
             "what": what(results, facts), "how": how(results, facts), "pictures": pictures(drawn), "runs": said,
             "again": again(results, facts), "origin": origin(results, facts),
             "data": json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")}
    with open(TEMPLATE, encoding="utf-8") as f:
        text = f.read()
    return re.sub(r"<!--(\w+)-->", lambda m: parts[m[1]], text)
