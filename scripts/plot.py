#!/usr/bin/python3
"""Draw the results of sweep: convergence, lines, spacetime, slice and heatmap pictures.

All that is written on a picture (names, units, titles) comes from the file; docs/output.md describes the file.
Needs h5py, numpy and matplotlib (Debian: python3-h5py python3-matplotlib).
"""
import argparse
import difflib
import functools
import os
import re
import resource
import signal
import sys
import warnings

# Ctrl-C ends the program as it ends others, and silently, be it in the imports (unless the caller has it ignored)
if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)

try:
    import h5py
    import numpy as np
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.colors import LogNorm, Normalize, TwoSlopeNorm
except ImportError as error:
    print(f"error: {error}; install python3-h5py and python3-matplotlib (Debian, Ubuntu)", file=sys.stderr)
    sys.exit(4)

NORMS = {"err_l2": "root mean square error", "err_max": "largest error", "err_rel": "relative error",
         "err_interior": "largest error away from walls"}
OWN_COORDINATES = {"time": "t", "time_s": "t_s",    # scale, and what replaces it where runs differ
                   "x": "xc", "y": "yc", "z": "zc"}
RUNS = ("group_run", "run")    # the scale of runs, in a group of its own and at the root; schema 1 had run in both
SCALES = (*RUNS, *OWN_COORDINATES)
SCHEMA_1 = {"u_min": "min", "u_max": "max"}    # what series were called in files of schema 1
DONE = 1
ENDED = {0: "stopped", 1: "ended", 2: "diverged", 3: "failed"}    # as status tells
FIELDS_WITHOUT_TIME = "set output.fields in the config, e.g. output = { fields = { precision = \"double\"; }; }"
# Okabe and Ito: told apart by all
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"]
SEQUENTIAL, DIVERGING = "viridis", "RdBu_r"    # perceptually uniform; white at 0
NEARLY_CONSTANT = 1e-6    # what varies by less, of itself, is drawn as its change
MOST_PANELS, MOST_LINES, MOST_RUNS, LONGEST_LABEL = 16, 7, 8, 32
STYLE = {
    "font.size": 10.5, "axes.titlesize": 10.5, "axes.labelsize": 11, "figure.titlesize": 12.5, "legend.fontsize": 9.5,
    "axes.prop_cycle": matplotlib.cycler(color=COLOURS), "axes.spines.top": False, "axes.spines.right": False,
    "axes.grid": False, "grid.color": "#d9d9d9", "grid.linewidth": 0.6, "lines.linewidth": 1.6, "lines.markersize": 5.5,
    "legend.frameon": False, "figure.dpi": 100, "savefig.dpi": 150, "svg.fonttype": "none", "pdf.fonttype": 42,
}


class Refusal(Exception):
    """What was asked for cannot be drawn; the text tells the user why. code is the exit code of the program."""
    def __init__(self, text, code=2):
        super().__init__(text)
        self.code = code


# ---------------------------------------------------------------------------------------------------------- the file

def text_of(value):
    """Bytes that are no UTF-8 (h5py hands them on as surrogates) are drawn as replacement characters."""
    value = value if isinstance(value, bytes) else str(value).encode(errors="surrogateescape")
    return value.decode(errors="replace")


def number(value):
    return f"{value:.6g}" if isinstance(value, (float, np.floating)) else str(value)


class Results:
    """An output file. Runs are addressed by their row in the run table at the root."""

    def __init__(self, path):
        self.file = self.open(path)
        root = self.file.attrs
        if "sweep_schema" not in root or "run" not in self.file:
            raise Refusal(f"{path} is an HDF5 file, but not one that sweep wrote", 5)
        if "provenance/parts" in self.file:
            self.check_parts(path)
        self.title = (text_of(root.get("title", "")) or text_of(root.get("problem", ""))).replace("$", "\\$")
        self.origin = f"{text_of(root.get('source', ''))} · sweep {text_of(root.get('sweep_id', ''))}"
        self.run = self.file["run"][:]
        self.run_id = [text_of(v) for v in self.file["run_id"][:]]
        self.ok = self.file["status"][:] == DONE
        self.problem = text_of(root.get("problem", ""))
        self.timed = (self.file["t_reached"][:][self.ok] > 0).any()    # compact and bvp have no time
        order = text_of(self.file["status"].attrs.get("coordinates", "")).split()   # as in the config
        found = [name for name, data in self.file.items()
                 if isinstance(data, h5py.Dataset) and text_of(data.attrs.get("sweep_role", "")) == "parameter"]
        self.param = {name: self.parameter(name) for name in sorted(found, key=(order + found).index)}
        self.swept = [name for name, values in self.param.items() if len(set(values)) > 1]
        # where fields and series are: the root, or a group for each n
        self.read = {}
        self.groups = [self.file] + [g for g in self.file.values()
                                     if isinstance(g, h5py.Group) and any(name in g for name in RUNS)]
        self.homes = {}    # run: the groups that know it, and its row in each
        for group in self.groups:
            for k, run in enumerate(group[next(name for name in RUNS if name in group)][:]):
                self.homes.setdefault(run, []).append((group, k))

    @staticmethod
    def open(path):
        if not os.path.exists(path):
            hint = " yet; its parts are there: sweep resume finishes it" if os.path.isdir(path + ".d") else ""
            raise Refusal(f"there is no file {path}{hint}", 5)
        try:
            return h5py.File(path, "r")
        except OSError as error:
            raise Refusal(f"cannot read {path} as HDF5: {error}", 5)

    def check_parts(self, path):
        """Of a virtual file whose part is not there, or cannot be opened any more, HDF5 reads NaN and says nothing."""
        parts, sizes = self.file["provenance/parts"][:], self.file["provenance/part_bytes"][:]
        for part, size in zip(map(text_of, parts), sizes):
            there = os.path.join(os.path.dirname(path), part)
            if not os.path.exists(there) or os.path.getsize(there) != size:
                raise Refusal(f"{path} is virtual: the fields are in its parts, and {there} is not there or not what "
                              "it was; a virtual file and its parts are moved together", 5)
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        need = len(parts) + 64
        if soft == resource.RLIM_INFINITY or soft >= need:
            return
        if hard != resource.RLIM_INFINITY and hard < need:
            raise Refusal(f"{path} is virtual and has {len(parts)} parts, more than may be open at once here "
                          f"(ulimit -n: {hard}); make a file of its own of it: sweep merge {path} -o OTHER.h5", 5)
        resource.setrlimit(resource.RLIMIT_NOFILE, (need, hard))

    def parameter(self, name):
        """Values of a parameter, one a run: numbers or words."""
        data = self.file[name]
        return np.array([text_of(v) for v in data[:]]) if data.dtype.kind == "O" else data[:].astype(float)

    def label(self, name):
        """long_name, or the name where that is shorter than a sentence, with its unit where it has one."""
        attrs = next((g[name].attrs for g in self.groups if name in g), {})
        unit = text_of(attrs.get("units", "1"))
        long_name = text_of(attrs.get("long_name", ""))
        if not 0 < len(long_name) <= LONGEST_LABEL:
            long_name = NORMS.get(name, name.replace("_", " "))
        return long_name + (f" ({unit})" if unit != "1" else "")

    @functools.cached_property
    def catalogue(self):
        """The names of the dimensions of each variable over runs, by (name, ndim). Scales are told by comparing them
        with those of the variable's group: HDF5 finds the name of one by a walk through the file, 0.1 s and more where
        there are a hundred groups. Groups that hold the same names (scales are among them) hold the same variables."""
        known, seen = {}, set()
        for group in self.groups:
            names = tuple(group)
            if names in seen:
                continue
            seen.add(names)
            scales = {name: group[name].id for name in SCALES if name in group}
            for name, data in group.items():
                if isinstance(data, h5py.Dataset) and data.dtype.kind == "f":
                    dims = [next((s for s, scale in scales.items() if len(dim) and dim[0].id == scale), "")
                            for dim in data.dims]
                    known.setdefault((name, data.ndim), dims)
        return {key: dims for key, dims in known.items() if dims and dims[0] in RUNS}

    def variables(self, ndim, last=None):
        """Names of the variables with so many dimensions, the first of them run (last: and the last one that)."""
        return [name for (name, n), dims in self.catalogue.items()
                if n == ndim and name not in OWN_COORDINATES.values() and (last is None or dims[-1] == last)]

    def fields(self):
        """Of one to three dimensions in space."""
        return list(dict.fromkeys(name for ndim in (3, 4, 5) for name in self.variables(ndim)))

    def dimensions(self, row, name):
        """In space, of a run's field."""
        group, _ = self.find(row, name)
        return group[name].ndim - 2

    def saved_times(self, row):
        group, _ = self.find(row, self.fields()[0])
        return group["time"].shape[0]

    def require_line(self, rows, name, kind):
        """Refuse a picture of a field over x alone where it lies over y as well."""
        most = max((self.dimensions(row, name) for row in rows), default=1)
        if most > 1:
            raise Refusal(f"{name} has {most} dimensions in space, and {kind} draws one; --kind slice draws it on the "
                          "planes through its middle")

    def series(self):
        return self.variables(2, "time_s")

    def norms(self):
        return [n for n in NORMS if n in self.file and np.isfinite(self.file[n][:]).any()]

    def find(self, row, name):
        """The group that holds a variable of a run, and the run's row there."""
        for group, k in self.homes[self.run[row]]:
            if name in group:
                return group, k
        raise Refusal(f"run {self.run[row]} has no {name}")

    def whole(self, group, name):
        """All values of a variable other than a field, read once."""
        key = (group.name, name)
        if key not in self.read:
            self.read[key] = group[name][:].astype(float)
        return self.read[key]

    def coordinates(self, group, k, scale):
        """Of a run along a dimension."""
        own = OWN_COORDINATES[scale]
        return self.whole(group, own)[k] if own in group else self.whole(group, scale)

    def outputs(self, row, name):
        """Times and values of a run's series or field, up to the time it reached (beyond it there are NaN)."""
        group, k = self.find(row, name)
        field = (group.name, name) not in self.read and group[name].ndim > 2
        t = self.coordinates(group, k, "time" if field else "time_s")
        reached = t <= self.whole(self.file, "t_reached")[row] * (1 + 1e-12)
        return t[reached], (group[name][k].astype(float) if field else self.whole(group, name)[k])[reached]

    def space(self, row, name, axis="x"):
        group, k = self.find(row, name)
        return self.coordinates(group, k, axis)

    @functools.cached_property
    def config(self):
        """Text of the config without its comments, with the -s arguments behind it."""
        text = text_of(self.file["provenance/config_text"][()]) if "provenance/config_text" in self.file else ""
        text = re.sub(r'("(?:[^"\\]|\\.)*")|//[^\n]*|#[^\n]*|/\*.*?\*/', lambda m: m[1] or " ", text, flags=re.S)
        given = self.file["provenance"].attrs.get("overrides", ()) if "provenance" in self.file else ()
        return "\n".join([text, *map(text_of, np.atleast_1d(given))])

    def has_walls(self, row, axis):
        """Whether a run's axis ends in walls, which are points; else the first point comes again at x0 + length."""
        word_of = {}
        for of, what in re.findall(r'\bboundary(?:\.([xyz]))?\s*[=:]\s*(\{[^}]*\}|"[^"]*")', self.config):
            own = re.findall(r'\baxis\s*[=:]\s*"([^"]*)"', self.config)[-1:] or ["x"]    # of one word for all
            word_of.update(re.findall(r'\b([xyz])\s*[=:]\s*"([^"]*)"', what) if what[0] == "{" else
                           [(of or self.in_run(row, own[0]), what.strip('"'))])
        return self.in_run(row, word_of.get(axis, "periodic")) != "periodic"

    def in_run(self, row, word):
        """A word of the config; "$axis" is what the sweep's axis has in this run."""
        return str(self.param[word[1:]][row]) if word[1:] in self.param and word[0] == "$" else word

    def cells(self, row, name, axis):
        """Edges of the cells around a run's points, and whether the first point comes again behind the last."""
        x = self.space(row, name, axis)
        again = len(x) > 1 and not self.has_walls(row, axis)
        return edges(np.append(x, 2 * x[-1] - x[-2]) if again else x), again

    def plane(self, row, name, t, across, up):
        """A run's field at the saved time nearest to t (None: the last), in the plane through its middle that the two
        axes span: the values, the time, and text that says where the plane lies. Only the plane is read."""
        group, k = self.find(row, name)
        times = self.coordinates(group, k, "time")
        reached = np.flatnonzero(times <= self.whole(self.file, "t_reached")[row] * (1 + 1e-12))
        if len(reached) == 0:
            raise Refusal(f"run {self.run[row]} has no {name}")
        now = reached[nearest(times[reached], t, name)]
        where, at = [], []
        for scale, count in list(zip(self.catalogue[name, group[name].ndim], group[name].shape))[2:]:
            middle = count // 2
            at.append(slice(None) if scale in (across, up) else middle)
            if scale not in (across, up):
                where.append(f"{scale} = {number(float(self.coordinates(group, k, scale)[middle]))}")
        values = group[name][(k, now, *at)].astype(float)
        return values, times[now], ", ".join(where)

    def refines(self, over, lines):
        """Whether grid or time step differ along a line of runs over a parameter; true where the file does not tell."""
        if over in ("n", "dt") or not self.timed or not self.series() + self.fields():
            return True
        steps, reached = self.file["steps"][:], self.whole(self.file, "t_reached")
        grid = [self.homes[run][-1][0].name for run in self.run]    # each n has its group, or there is one for all
        return any(len({(grid[row], f"{reached[row] / max(steps[row], 1):.9g}") for row in rows}) > 1 for rows in lines)

    def varies(self, name):
        """Whether a series changes by more than rounding in one of the first runs."""
        runs = (self.outputs(row, name)[1] for row in np.flatnonzero(self.ok)[:16])
        return any(np.ptp(y) > 1e-12 * np.abs(y).max() for y in runs if len(y))    # sums of 10^4 terms: some 1e-14

    def state(self, row):
        """What became of a run, as a verb."""
        return ENDED.get(int(self.file["status"][row]), "stopped")

    def describe(self, row, among=()):
        """The parameters of a run: all that are swept, or only those that differ among some runs."""
        names = [p for p in self.swept if len(among) < 2 or len({self.param[p][k] for k in among}) > 1]
        return ", ".join(f"{p} = {number(self.param[p][row])}" for p in names) or f"run {self.run[row]}"

    def common(self, rows):
        """The swept parameters that these runs have in common, with their values."""
        names = [p for p in self.swept if len({self.param[p][k] for k in rows}) == 1]
        return ", ".join(f"{p} = {number(self.param[p][rows[0]])}" for p in names)

    def along(self, scale):
        """Label of a coordinate axis: x or t, with its unit where it has one."""
        unit = next((text_of(g[scale].attrs.get("units", "1")) for g in self.groups if scale in g), "1")
        return ("t" if scale.startswith("time") else scale) + (f" ({unit})" if unit != "1" else "")

    def require(self, name, known, what):
        """Check a name the user gave; the refusal says what is near, or what there is."""
        if name in known:
            return name
        if SCHEMA_1.get(name) in known:
            return SCHEMA_1[name]
        near = difflib.get_close_matches(name, known, 1)
        raise Refusal(f"no {what} '{name}' in this file" + (f"; did you mean '{near[0]}'?" if near else "") +
                      (f"\n  there is: {' '.join(known)}" if known else "; it has none"))


def edges(points):
    """Of cells around points: half way between them, and the first and last point, beyond which there are no data."""
    if len(points) == 1:
        return points[0] + np.array([-0.5, 0.5])
    return np.concatenate([points[:1], (points[1:] + points[:-1]) / 2, points[-1:]])


def choose_runs(results, text):
    """Rows of the runs meant by --run: "7", "0,5,9", "0-15", "all", or the beginning of a run id."""
    if text is None:
        return None
    if text == "all":
        return list(range(len(results.run)))
    row_of = {int(r): k for k, r in enumerate(results.run)}
    rows = []
    for part in text.split(","):
        first, dash, last = part.partition("-")
        if first.isdigit() and (not dash or last.isdigit()) and int(first) in row_of:
            rows += [row_of[r] for r in range(int(first), int(last or first) + 1) if r in row_of]
            continue
        rows_of_id = [k for k, run_id in enumerate(results.run_id) if run_id.startswith(part)]
        if len(rows_of_id) != 1 or len(part) < 4:
            raise Refusal(f"no run '{part}': give an index from {results.run.min()} to {results.run.max()}, "
                          "a list 0,5,9, a range 0-15, all, or the first digits of a run id")
        rows += rows_of_id
    return rows


@functools.lru_cache(maxsize=None)      # once each, not once a run
def note(text):
    print(f"note: {text}", file=sys.stderr)


def nearest(times, t, what):
    """Index of the time nearest to t (None: the last)."""
    if t is None:
        return len(times) - 1
    k = int(np.nanargmin(np.abs(times - t)))
    if abs(times[k] - t) > 1e-9 * max(1.0, abs(t)):
        note(f"{what} is not there at t = {number(t)}; taking the nearest, t = {number(times[k])}")
    return k


def final_values(results, name, t):
    """One number a run: a norm, or the entry of a series at t (the last, if None). NaN for runs that did not finish."""
    if name in results.norms() or name in results.variables(1):
        values = results.file[name][:].astype(float)
    else:
        values = np.full(len(results.run), np.nan)
        for row in np.flatnonzero(results.ok):
            times, series = results.outputs(row, name)
            values[row] = series[nearest(times, t, name)]
    return np.where(results.ok, values, np.nan)


def levels(values):
    """The different values of a parameter, ascending (words: in order of appearance)."""
    return list(dict.fromkeys(values)) if values.dtype.kind in "US" else sorted(set(values))


# ------------------------------------------------------------------------------------------------------- the pictures

def colour_scale(data, many_decades=False):
    """Colour map and range: diverging and centred at 0 for signed data, else sequential; many_decades: logarithmic if
    need be."""
    low, high = np.nanmin(data), np.nanmax(data)
    if not np.isfinite([low, high]).all():
        raise Refusal("there is nothing finite to draw")
    if many_decades and 0 < low < high / 100:
        return SEQUENTIAL, LogNorm(low, high)
    if low < 0 < high and -low > 0.05 * high and high > -0.05 * low:
        top = max(-low, high)
        return DIVERGING, TwoSlopeNorm(0.0, -top, top)
    return SEQUENTIAL, Normalize(low, high if high > low else low + (abs(low) or 1.0))


def line_colours(count):
    """Colours for count lines: names apart for few, a ramp that stops short of pale yellow for many."""
    if count <= MOST_LINES:
        return COLOURS[:count]
    return [plt.get_cmap(SEQUENTIAL)(k / (count - 1) * 0.9) for k in range(count)]


def title(figure, results, second=""):
    """The sweep's title, a line that says what is drawn, and in small print where the numbers come from."""
    figure.suptitle(results.title)
    if second:
        figure.axes[0].set_title(second, color="#555555")
    figure.supxlabel(results.origin, x=0.995, ha="right", fontsize=6.5, color="#888888")


BESIDE = {"loc": "upper left", "bbox_to_anchor": (1.01, 1.0)}    # a legend that covers nothing


def legend(axes, count, **options):
    if count > 1:
        axes.legend(ncols=1 if count <= 8 else 2, **options)


def legend_clear_of_data(axes, count):
    """A legend within the axes where it covers nothing, else beside them, in a wider figure. To be called when all is
    drawn."""
    legend(axes, count, loc="best")
    if axes.get_legend() is None:
        return
    axes.figure.canvas.draw()
    box = axes.get_legend().get_window_extent().padded(3)
    curves = [line.get_transform().transform_path(line.get_path()) for line in axes.lines if len(line.get_xdata()) > 0]
    bands = [axes.transData.transform_path(path) for band in axes.collections for path in band.get_paths()]
    if any(curve.intersects_bbox(box, filled=False) for curve in curves) or any(b.intersects_bbox(box) for b in bands):
        axes.get_legend().remove()
        legend(axes, count, **BESIDE)
        figure = axes.figure
        figure.set_figwidth(figure.get_figwidth() + box.width / figure.dpi)


def tick_names(values):
    """Of numbers, all in one style: as they are, or where one would have an exponent all as powers of ten."""
    names = [f"{v:.4g}" if 1e4 > abs(v) or v != int(v) else f"{v:.0f}" for v in values]
    if not any("e" in name for name in names) and max(map(len, names)) < 7:
        return names
    parts = [f"{v:.2e}".split("e") for v in values]
    parts = [(mantissa.rstrip("0").rstrip("."), int(exponent)) for mantissa, exponent in parts]
    return ["0" if m == "0" else f"$10^{{{e}}}$" if m == "1" else f"${m} \\cdot 10^{{{e}}}$" for m, e in parts]


def before_rounding(x, y):
    """How many points, from the coarsest on, come before rounding takes over: there a finer grid does not help as it
    did. A slope of less than three quarters of the median one before it ends them, if it or one behind it is less than
    1, too, or the error has come down by 1e9 and more: an error of lower order that shows on fine grids is none of
    rounding. Three are kept."""
    slopes = np.diff(np.log(y)) / np.diff(np.log(x))
    for k in range(2, len(slopes)):
        usual = np.median(slopes[:k])
        if slopes[k] / usual < 0.75 and ((slopes[k:] * np.sign(usual)).min() < 1 or y[k + 1] < 1e-9 * y.max()):
            return k + 1
    return len(x)


def fit_slope(x, y):
    """Least squares on logarithms: exponent and factor."""
    slope, offset = np.polyfit(np.log(x), np.log(y), 1)
    return slope, np.exp(offset)


def convergence(results, ask):
    """An error norm over n (or dt, ...): one line per combination of the other parameters, slope by least squares over
    the points that rounding does not rule."""
    if not results.norms():
        raise Refusal("this file has no error norms: they come with an 'exact' solution in the config")
    of = results.require(ask.of or "err_l2", results.norms(), "error norm")
    numeric = [p for p in results.swept if results.param[p].dtype.kind == "f" and (results.param[p] > 0).all()]
    if not numeric:
        raise Refusal("no parameter is swept that an error could converge with (sweep n, or dt)")
    likely = next((p for p in ("n", "dt") if p in numeric), numeric[0])
    over = results.require(ask.over or likely, numeric, "swept parameter")
    others = [p for p in results.swept if p != over]
    error = final_values(results, of, None)
    usable = np.isfinite(error) & (error > 0)
    lines = {}
    for row in np.flatnonzero(usable):
        lines.setdefault(tuple(results.param[p][row] for p in others), []).append(row)
    lines = {key: sorted(rows, key=lambda r: results.param[over][r]) for key, rows in lines.items() if len(rows) > 1}
    if not lines:
        raise Refusal(f"{of} over {over} has fewer than two points to draw a line through")

    if not results.refines(over, lines.values()):
        note(f"{over} changes neither the grid nor the time step: the slopes are no orders of convergence")
    beside = len(lines) > MOST_LINES    # names of many lines would cover them
    figure, axes = plt.subplots(figsize=(9.2, 4.8) if beside else (6.4, 4.8), layout="constrained")
    slopes, hollow = [], False
    for (key, rows), colour in zip(lines.items(), line_colours(len(lines))):
        x, y = results.param[over][rows], error[rows]
        fitted = before_rounding(x, y)
        slope, factor = fit_slope(x[:fitted], y[:fitted])
        slopes.append(slope)
        hollow |= fitted < len(x)
        name = ", ".join(f"{p} = {number(v)}" for p, v in zip(others, key))
        print(f"slope {slope:.4f}" + (f"  {name}" if name else ""))
        axes.loglog(x[:fitted], y[:fitted], "o", color=colour, zorder=3)
        axes.loglog(x[fitted:], y[fitted:], "o", color=colour, markerfacecolor="white", zorder=3)    # not fitted
        axes.loglog(x[:fitted], factor * x[:fitted]**slope, "-", color=colour, zorder=2,
                    label=(f"{name}: " if name else "fit: ") + f"slope {slope:.4f}")
    order = int(np.rint(np.median(slopes)))
    if order and max(abs(s - order) for s in slopes) < 0.5:
        x = np.array(levels(results.param[over]))
        top = max(error[rows[0]] for rows in lines.values())    # the guide lies a little above the first points
        axes.loglog(x, 1.8 * top * (x / x[0])**order, "--", color="#777777", linewidth=1.2, zorder=1,
                    label=f"guide: {over}$^{{{order}}}$")
    ticks = levels(results.param[over])
    if len(ticks) <= 10:
        axes.set_xticks(ticks, tick_names(ticks))
        axes.xaxis.set_minor_locator(matplotlib.ticker.NullLocator())
    axes.grid(True)
    axes.set_xlabel(results.label(over))
    axes.set_ylabel(results.label(of))
    if hollow:
        axes.plot([], [], "o", color="#777777", markerfacecolor="white", label="left out of the fit: rounding")
    title(figure, results)
    axes.legend(**BESIDE) if beside else legend_clear_of_data(axes, 2)
    return figure


def series_of(series, rows):
    """Series of several runs, on the times of the one that has most; the others are interpolated."""
    t = max((series[row][0] for row in rows), key=len)
    return t, np.array([y if np.array_equal(own, t) else np.interp(t, own, y, right=np.nan)
                        for own, y in (series[row] for row in rows)])


def less_first_value(series):
    """The changes from their first values where all vary by less than an axis can tell, and whether it is so."""
    y = np.concatenate([y for _, y in series.values()])
    if not 0 < np.nanmax(y) - np.nanmin(y) < NEARLY_CONSTANT * np.nanmax(np.abs(y)):
        return series, False
    return {row: (t, y - y[0]) for row, (t, y) in series.items()}, True


def draw_series(results, ask, of, rows, axes):
    """One line a run if there are few; else one line for each value of a parameter: the median over its runs, and their
    quartiles. Returns what the second line of the title says."""
    if rows is None and np.count_nonzero(results.ok) <= MOST_RUNS and not ask.over:
        rows = list(np.flatnonzero(results.ok))
    candidates = [p for p in results.swept if len(levels(results.param[p])) <= 64]
    if rows is None and not candidates:
        raise Refusal(f"{len(results.run)} runs are too many lines; choose some with --run 0,5,9")
    by = results.require(ask.over, results.swept, "swept parameter") if ask.over else candidates and candidates[0]
    series = {row: results.outputs(row, of) for row in (np.flatnonzero(results.ok) if rows is None else rows)}
    series, change = (series, False) if "y" in ask.log else less_first_value(series)
    axes.set_ylabel(results.label(of) + (", less its first value" if change else ""))
    after = 0.0 if "x" in ask.log else -np.inf    # a logarithmic axis begins behind t = 0
    if rows is not None:
        for row, colour in zip(rows, line_colours(len(rows))):
            t, y = series[row]
            axes.plot(t[t > after], y[t > after], color=colour, label=results.describe(row, rows))
        return results.common(rows)

    values = levels(results.param[by])
    most = 0    # runs in a line
    for value, colour in zip(values, line_colours(len(values))):
        rows = np.flatnonzero(results.ok & (results.param[by] == value))
        if len(rows) == 0:
            continue
        most = max(most, len(rows))
        t, y = series_of(series, rows)
        t, y = t[t > after], y[:, t > after]
        if len(values) <= MOST_LINES and len(rows) > 1:
            axes.fill_between(t, *np.nanquantile(y, [0.25, 0.75], axis=0), color=colour, alpha=0.16, linewidth=0)
        name = number(value) if most > 1 or isinstance(value, str) else f"{value:.3g}"
        axes.plot(t, np.nanmedian(y, axis=0), color=colour, label=f"{by} = {name}" if len(values) <= 12 else None)
    if len(values) > 12:
        colours = matplotlib.colors.ListedColormap(line_colours(256))
        scale = plt.cm.ScalarMappable(Normalize(min(values), max(values)), colours)
        axes.figure.colorbar(scale, ax=axes, label=results.label(by))
    others = " and ".join(p for p in results.swept if p != by)
    if most == 1:
        return others and f"one line a run; {others} {'differ' if ' and ' in others else 'differs'}, too"
    bands = "; bands hold the middle half of the runs" if len(values) <= MOST_LINES else ""
    return others and f"median over {others}{bands}"


def draw_profiles(results, ask, of, rows, axes):
    """A field over x: one run at several times, or several runs at one time."""
    rows = rows if rows is not None else list(np.flatnonzero(results.ok)[:1])
    results.require_line(rows, of, "lines")
    if len(rows) > 32:
        raise Refusal(f"{len(rows)} runs are too many lines; choose some with --run 0,5,9")
    if len(rows) == 1 and ask.time is None:
        row = rows[0]
        (t, u), x = results.outputs(row, of), results.space(row, of)
        chosen = np.unique(np.linspace(0, len(t) - 1, 6).round().astype(int))
        for k, colour in zip(chosen, [plt.get_cmap(SEQUENTIAL)(c) for c in np.linspace(0.0, 0.9, len(chosen))]):
            axes.plot(x, u[k], color=colour, label=f"t = {number(t[k])}")
        legend(axes, len(chosen), **BESIDE)
        return results.describe(row)
    for row, colour in zip(rows, line_colours(len(rows))):
        t, u = results.outputs(row, of)
        k = nearest(t, ask.time, of)
        axes.plot(results.space(row, of), u[k], color=colour,
                  label=results.describe(row, rows))
    legend(axes, len(rows), **BESIDE)
    return ", ".join(filter(None, [f"t = {number(t[k])}", results.common(rows)]))


def lines(results, ask):
    """A scalar over time, or a field over x (which --time asks for)."""
    known = results.series() + results.fields()
    if not known:
        raise Refusal("this file holds neither scalar series nor fields: "
                      "set output.scalars or output.fields in the config" if results.timed else
                      f"this file holds no fields: {FIELDS_WITHOUT_TIME}")
    usual = [n for n in ("domain_length", "energy") if n in results.series()] + results.series()
    preferred = next((n for n in usual if ask.of or results.varies(n)), known[0])
    if ask.time is not None and results.fields():
        preferred = results.fields()[0]
    of = results.require(ask.of or preferred, known, "series or field")
    scalar = of in results.series()
    if scalar and ask.time is not None:
        raise Refusal(f"--time: {of} is drawn over time, all of it; a field is drawn at one time" +
                      (f", with --of {results.fields()[0]}" if results.fields() else ""))
    if ask.over and not scalar:
        raise Refusal(f"--over: one line for each value of a parameter is drawn of a series, and {of} is a field; "
                      "choose its runs with --run 0,5,9")
    if ask.over and ask.run:
        raise Refusal("--over and --run exclude each other: one line for each value of a parameter, over all runs, "
                      "or one for each run chosen")
    figure, axes = plt.subplots(figsize=(7.2, 4.6), layout="constrained")
    rows = choose_runs(results, ask.run)
    second = (draw_series if scalar else draw_profiles)(results, ask, of, rows, axes)
    axes.set_xlabel(results.along("time_s" if scalar else "x"))
    if not scalar:
        axes.set_ylabel(results.label(of))
    axes.set_xscale("log" if "x" in ask.log else "linear")
    axes.set_yscale("log" if "y" in ask.log else "linear")
    axes.grid(True)
    title(figure, results, second)
    if scalar:
        legend_clear_of_data(axes, len(axes.get_legend_handles_labels()[0]))
    return figure


def grid_shape(count):
    """Columns and rows for count panels."""
    columns = 3 if count in (5, 6, 9) else min(count, 4)
    return columns, -(-count // columns)


def require_times(results, of, rows, data):
    """Refuse a picture over time of runs that have no two times, and say what would help."""
    short = next((row for row, (t, _) in zip(rows, data) if len(t) < 2), None)
    if short is None:
        return
    if not results.timed:
        raise Refusal(f"problem {results.problem} has no time; draw {of} with --kind lines")
    group, k = results.find(short, of)
    asked = results.coordinates(group, k, "time")
    asked = asked[np.isfinite(asked)]
    if len(asked) < 2:
        raise Refusal(f"{of} was saved at one time only; "
                      "draw it with --kind lines, or save more in output.fields.times")
    raise Refusal(f"run {results.run[short]} {results.state(short)} at t = {number(results.file['t_reached'][short])}, "
                  f"before {of} was saved a second time (at t = {number(asked[1])}); choose others with --run")


def spacetime(results, ask):
    """u(x, t) as an image, of one run or of several in panels with one colour scale."""
    if not results.fields():
        raise Refusal("this file holds no fields: "
                      "set output.fields.times in the config, e.g. \"linspace(0, end, 101)\"" if results.timed else
                      f"problem {results.problem} has no time; {FIELDS_WITHOUT_TIME}, for --kind lines or slice")
    of = results.require(ask.of or results.fields()[0], results.fields(), "field")
    rows = choose_runs(results, ask.run) or list(np.flatnonzero(results.ok)[:1]) or [0]
    if len(rows) > MOST_PANELS:
        raise Refusal(f"{len(rows)} runs are too many for one picture; choose at most {MOST_PANELS} with --run 0,5,9")
    results.require_line(rows, of, "spacetime")
    data = [results.outputs(row, of) for row in rows]
    require_times(results, of, rows, data)
    cmap, norm = colour_scale(np.concatenate([u.ravel() for _, u in data]))
    columns, height = grid_shape(len(rows))
    size = (7.0, 4.6) if len(rows) == 1 else (1.6 + 2.9 * columns, 1.1 + 2.5 * height)
    figure, panels = plt.subplots(height, columns, figsize=size, layout="constrained", squeeze=False, sharex=True,
                                  sharey=True)
    for axes, row, (t, u) in zip(panels.flat, rows, data):
        x, again = results.cells(row, of, "x")
        values = np.hstack([u, u[:, :1]]) if again else u
        image = axes.pcolormesh(x, edges(t), np.ma.masked_invalid(values), cmap=cmap, norm=norm, rasterized=True)
        axes.set_facecolor("#bbbbbb")     # what is not finite, or not there
        if len(rows) > 1:
            axes.set_title(results.describe(row, rows))
    for axes in list(panels.flat)[len(rows):]:
        axes.set_visible(False)
    for axes in panels[-1]:
        axes.set_xlabel(results.along("x"))
    for axes in panels[:, 0]:
        axes.set_ylabel(results.along("time"))
    bar = figure.colorbar(image, ax=panels, label=results.label(of), shrink=1.0 if len(rows) == 1 else 0.8)
    bar.outline.set_visible(False)
    title(figure, results, results.common(rows) if len(rows) == 1 else "")
    if len(rows) > 1 and results.common(rows):
        figure.suptitle(f"{results.title}\n{results.common(rows)}")
    return figure


def slices(results, ask):
    """A field of two or three dimensions at one time: all of it, or on the planes through its middle. Of one run in
    three dimensions the three planes; of several runs the plane of x and y, in panels with one colour scale."""
    if not results.fields():
        raise Refusal("this file holds no fields: set output.fields.times in the config" if results.timed else
                      f"this file holds no fields: {FIELDS_WITHOUT_TIME}")
    of = results.require(ask.of or results.fields()[0], results.fields(), "field")
    rows = choose_runs(results, ask.run) or list(np.flatnonzero(results.ok)[:1]) or [0]
    if len(rows) > MOST_PANELS:
        raise Refusal(f"{len(rows)} runs are too many for one picture; choose at most {MOST_PANELS} with --run 0,5,9")
    if min(results.dimensions(row, of) for row in rows) < 2:
        raise Refusal(f"{of} has one dimension in space: draw it with --kind lines or --kind spacetime")
    planes = [("x", "y")]
    if len(rows) == 1 and results.dimensions(rows[0], of) == 3:
        planes = [("x", "y"), ("x", "z"), ("y", "z")]
    panes = [(row, across, up) for row in rows for across, up in planes]
    data = [results.plane(row, of, ask.time, across, up) for row, across, up in panes]
    cmap, norm = colour_scale(np.concatenate([values.ravel() for values, _, _ in data]))
    columns, height = grid_shape(len(panes))
    size = (6.0, 4.8) if len(panes) == 1 else (1.6 + 3.0 * columns, 1.2 + 2.7 * height)
    figure, panels = plt.subplots(height, columns, figsize=size, layout="constrained", squeeze=False)
    for axes, (row, across, up), (values, _, where) in zip(panels.flat, panes, data):
        (x, x_again), (y, y_again) = results.cells(row, of, across), results.cells(row, of, up)
        values = np.hstack([values, values[:, :1]]) if x_again else values
        values = np.vstack([values, values[:1]]) if y_again else values
        image = axes.pcolormesh(x, y, np.ma.masked_invalid(values), cmap=cmap, norm=norm, rasterized=True)
        axes.set_facecolor("#bbbbbb")     # what is not finite
        axes.set_xlabel(results.along(across))
        axes.set_ylabel(results.along(up))
        if len(panes) > 1:
            axes.set_title(where if len(rows) == 1 else results.describe(row, rows))
    for axes in list(panels.flat)[len(panes):]:
        axes.set_visible(False)
    figure.colorbar(image, ax=panels, label=results.label(of), shrink=0.9).outline.set_visible(False)
    same = len({t for _, t, _ in data}) == 1
    time = f"t = {number(data[0][1])}" if same and data[0][1] > 0 else ""
    plane = data[0][2] if len(panes) == 1 or len(rows) > 1 else ""
    second = ", ".join(filter(None, [time, plane, results.common(rows)]))
    title(figure, results, second if len(panes) == 1 else "")
    if len(panes) > 1 and second:
        figure.suptitle(f"{results.title}\n{second}")
    return figure


def is_sample(results, pair, cells):
    """Whether runs are scattered over two parameters (a random sweep, a list of points) and fill no table of them."""
    if any(results.param[p].dtype.kind != "f" for p in pair):
        return False
    across, up = (len(levels(results.param[p])) for p in pair)
    return 2 * len(cells) < across * up or len(cells) == across == up > 1


def draw_sample(axes, cells, means, across, up, **colours):
    """A point for each place that has runs; a cross where none finished."""
    x, y = np.array(list(means)).T
    image = axes.scatter(x, y, c=list(means.values()), s=70, edgecolors="#555555", linewidths=0.5, zorder=2, **colours)
    if len(means) < len(cells):
        axes.plot(*np.array([place for place in cells if place not in means]).T, "x", color="#777777", zorder=2)
    for set_scale, values in ((axes.set_xscale, across), (axes.set_yscale, up)):
        if values[0] > 0 and values[-1] >= 100 * values[0]:
            set_scale("log")
    axes.grid(True)
    axes.set_axisbelow(True)
    return image


def draw_table(axes, cells, means, across, up, **colours):
    """A rectangle for each pair of values: grey where runs were and none finished, white where none was."""
    table = np.array([[means.get((a, b), np.nan) for a in across] for b in up])
    there = np.array([[(a, b) in cells for a in across] for b in up])
    placed = {"origin": "lower", "aspect": "auto", "interpolation": "nearest"}
    grey = matplotlib.colors.ListedColormap(["#bbbbbb"])
    axes.imshow(np.ma.masked_where(~there, np.zeros(there.shape)), cmap=grey, **placed)
    image = axes.imshow(np.ma.masked_invalid(table), **colours, **placed)
    for set_ticks, values, most in ((axes.set_xticks, across, 11), (axes.set_yticks, up, 16)):
        step = -(-len(values) // most)
        set_ticks(range(0, len(values), step),
                  [number(v) for v in values[::step]] if isinstance(values[0], str) else tick_names(values[::step]))
    axes.spines[:].set_visible(False)
    return image


def heatmap(results, ask):
    """One number a run over two swept parameters, the mean over the others."""
    scalars = results.series()
    known = results.norms() + scalars + [n for n in ("t_reached", "wall_time", "steps") if n in results.file]
    first = (results.norms() or [n for n in ("domain_length", "energy") if n in scalars] or known)[0]
    of = results.require(ask.of or first, known, "norm or scalar")
    if len(results.swept) < 2:
        raise Refusal(f"a heatmap needs two swept parameters; this sweep has {len(results.swept)}: " +
                      (" ".join(results.swept) or "none"))
    by_size = sorted(results.swept, key=lambda p: -len(levels(results.param[p])))
    unlike_seed = [p for p in by_size if not p.startswith("seed")] + [p for p in by_size if p.startswith("seed")]
    asked = ask.over.split(",") if ask.over else []
    if len(asked) > 2 or len(set(asked)) < len(asked):
        raise Refusal(f"--over {ask.over}: a heatmap lies over two different parameters, A,B")
    if ask.time is not None and of not in scalars:
        raise Refusal(f"--time: there is one {of} a run; it goes with a series" +
                      (f", --of {scalars[0]}" if scalars else ""))
    pair = [results.require(p, results.swept, "swept parameter") for p in asked]
    pair = (pair + [p for p in unlike_seed if p not in pair])[:2]
    across, up = (levels(results.param[p]) for p in pair)
    values = final_values(results, of, ask.time)
    cells = {}
    for row in range(len(results.run)):
        cells.setdefault(tuple(results.param[p][row] for p in pair), []).append(values[row])
    cells = {place: [v for v in found if np.isfinite(v)] for place, found in cells.items()}
    means = {place: np.mean(found) for place, found in cells.items() if found}
    cmap, norm = colour_scale(np.array(list(means.values()) or [np.nan]), of in NORMS)
    sampled = is_sample(results, pair, cells)
    height = 4.8 if sampled else min(6.5, max(2.6, 1.6 + 0.38 * len(up)))
    figure, axes = plt.subplots(figsize=(7.4, height), layout="constrained")
    image = (draw_sample if sampled else draw_table)(axes, cells, means, across, up, cmap=cmap, norm=norm)
    axes.set_xlabel(results.label(pair[0]))
    axes.set_ylabel(results.label(pair[1]))
    time = ""
    if of in scalars:
        series = (results.outputs(row, of)[0] for row in np.flatnonzero(results.ok))
        times = [t[nearest(t, ask.time, of)] for t in series]
        same = max(times) - min(times) <= 1e-12 * max(times)
        time = f" at t = {number(times[0])}" if same else " at the last time of each run"
    figure.colorbar(image, ax=axes, label=results.label(of)).outline.set_visible(False)
    others = [p for p in results.swept if p not in pair]
    many = max(map(len, cells.values())) > 1
    notes = [f"mean over {' and '.join(others)}"] if others and many else []
    if len(means) < len(cells):
        notes.append("crosses: no run finished" if sampled else "grey: no run finished")
    if not sampled and len(cells) < len(across) * len(up):
        notes.append("white: no run")
    title(figure, results, "; ".join([f"{results.label(of)}{time}"] + notes))
    return figure


def suitable_kinds(results):
    """What the file seems made for, and what else it can be drawn as."""
    if results.norms() and ("n" in results.swept or "dt" in results.swept):
        yield "convergence"
    if results.fields():
        first = np.flatnonzero(results.ok)[0]
        if results.dimensions(first, results.fields()[0]) > 1:
            yield "slice"
        else:
            yield "spacetime" if results.saved_times(first) > 1 else "lines"
            yield "lines"
    if results.series():
        yield "lines"
    yield "heatmap"


def given(ask):
    return [option for option in ("of", "run", "time", "over", "log") if getattr(ask, option) not in (None, "")]


def default_kind(results, ask):
    """The first of the suitable kinds that uses the options given; the first one, if none does."""
    kinds = list(suitable_kinds(results))
    return next((kind for kind in kinds if set(given(ask)) <= set(KINDS[kind][1])), kinds[0])


# which function draws it, and which options it uses
KINDS = {"convergence": (convergence, ("of", "over")), "lines": (lines, ("of", "run", "time", "over", "log")),
         "spacetime": (spacetime, ("of", "run")), "slice": (slices, ("of", "run", "time")),
         "heatmap": (heatmap, ("of", "time", "over"))}


# ---------------------------------------------------------------------------------------------------------------- main

class Arguments(argparse.ArgumentParser):
    def error(self, message):
        """As all refusals are told: in a line, without the usage."""
        raise Refusal(f"{message}; sweep --help says what there is")


def arguments(argv):
    parser = Arguments(prog="sweep plot", description="Draw the results of a sweep.", allow_abbrev=False)
    parser.add_argument("file", metavar="FILE", help="what sweep wrote, results/NAME.h5")
    parser.add_argument("--kind", metavar="KIND",
                        help="kind of picture: " + ", ".join(KINDS) + " (default: by what the file holds)")
    parser.add_argument("--of", metavar="NAME", help="error norm, scalar or field to draw")
    parser.add_argument("--run", metavar="RUNS", help="7 or 0,5,9 or 0-15 or all, or the first digits of a run id")
    parser.add_argument("--time", metavar="T", help="the time meant (nearest saved one; default: the last)")
    parser.add_argument("--over", metavar="PARAM",
                        help="convergence: the axis; lines: one line each value; heatmap: A,B")
    parser.add_argument("--log", metavar="AXES", default="", help="lines: logarithmic x, y, xy")
    parser.add_argument("-o", "--output", metavar="PICTURE", help=".png, .pdf or .svg (default: FILE.KIND.png)")
    ask = parser.parse_args(argv)
    if ask.kind is not None and ask.kind not in KINDS:
        near = difflib.get_close_matches(ask.kind, KINDS, 1)
        raise Refusal(f"there is no kind '{ask.kind}' of pictures" + (f"; did you mean '{near[0]}'?" if near else "") +
                      f"\n  there is: {' '.join(KINDS)}")
    if ask.log not in ("", "x", "y", "xy"):
        raise Refusal(f"--log '{ask.log}': the axes that are to be logarithmic are x, y or xy")
    if ask.output and os.path.splitext(ask.output)[1] not in (".png", ".pdf", ".svg"):
        raise Refusal(f"'{ask.output}': the picture's name must end in .png, .pdf or .svg")
    try:
        ask.time = None if ask.time is None else float(ask.time)
    except ValueError:
        ask.time = np.nan
    if ask.time is not None and not np.isfinite(ask.time):
        raise Refusal("--time takes a number: the time meant, e.g. 0.5")
    return ask


def require_used(ask, kind):
    """Refuse options that the kind of picture does not use: who gives one expects it to do something."""
    for option in given(ask):
        if option not in KINDS[kind][1]:
            others = [other for other, (_, options) in KINDS.items() if option in options]
            what = f"--kind {kind}" if ask.kind else f"{kind}, the kind of picture that suits this file"
            raise Refusal(f"--{option} is not for {what}; it goes with --kind " +
                          " or ".join(filter(None, [", ".join(others[:-1]), others[-1]])))


def main(argv):
    warnings.filterwarnings("ignore", message="Glyph .* missing")     # of a title: a box is drawn in its place
    ask = arguments(argv)
    if ask.kind:
        require_used(ask, ask.kind)
    results = Results(ask.file)
    if not results.ok.any():
        raise Refusal(f"none of the {len(results.run)} runs in {ask.file} finished: "
                      "nothing to draw (sweep show says why)")
    kind = ask.kind or default_kind(results, ask)
    require_used(ask, kind)
    with plt.rc_context(STYLE):
        figure = KINDS[kind][0](results, ask)
        picture = ask.output or f"{os.path.splitext(ask.file)[0]}.{kind}.png"
        try:
            figure.savefig(picture)
        except OSError as error:
            raise Refusal(f"cannot write {picture}: {error.strerror}", 5)
    print(picture)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except Refusal as refusal:
        print(f"error: {refusal}", file=sys.stderr)
        sys.exit(refusal.code)
