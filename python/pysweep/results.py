"""What an output file of sweep holds: runs and their parameters, series over time, fields over space.
docs/reference/output.md describes the file. Runs are addressed by their row in the run table at the root."""
import difflib
import functools
import os
import re

import numpy as np

from .ensembles import GROUP, Ensembles
from .refusal import FILE, Refusal, note
from .stored import Stored, text_of
from .where import chosen

NORM_PREFIX = "err_"           # of the error norms in the run table
NORM_LABELS = {"err_l2": "root mean square error", "err_max": "largest error", "err_rel": "relative error",
               "err_interior": "largest error away from walls",    # of others the long_name is the label
               "residual": "relative residual", "backward_error": "backward error", "forward_error": "forward error"}
OWN_COORDINATES = {"time": "t", "time_s": "t_s",    # scale, and what replaces it where runs differ
                   "x": "xc", "i": "xc", "y": "yc", "z": "zc"}
ANGLES = ("lon", "lat")        # of the points of a cubed sphere: (run, y, x)
CELLS = ("elliptic",)          # problems whose points are the centres of cells
NUMBERED = ("tridiagonal", "banded")    # problems whose points are numbered: the scale along x is i, x may be a field
RUNS = ("group_run", "run")    # the scale of runs, in a group of its own and at the root; schema 1 had run in both
SCALES = (*RUNS, *OWN_COORDINATES, "iteration")
OTHER_NAMES = {"min": "u_min", "max": "u_max", "u_min": "min", "u_max": "max"}    # of series; schema 1 had the short
NEWEST_SCHEMA = 3              # of files: attribute sweep_schema of the root, "3.0"
PENDING, DONE = 0, 1
ENDED = {0: "stopped", 1: "ended", 2: "diverged", 3: "failed"}    # as status tells
FIELDS_WITHOUT_TIME = "set output.fields in the config, e.g. output = { fields = { precision = \"double\"; }; }"
LONGEST_LABEL = 32


def number(value, digits=6):
    """For people: a whole number in full, others with so many digits."""
    if not isinstance(value, (float, np.floating)):
        return str(value)
    return f"{value:.0f}" if value == np.rint(value) and abs(value) < 1e9 else f"{value:.{digits}g}"


def legible(values):
    """Numbers for people: three digits, or as many as tell the values apart, but all of a short one."""
    different = len(set(values))
    for digits in (3, 4, 5, 6):
        names = [number(v) if len(number(v)) <= 6 else number(v, digits) for v in values]
        if len(set(names)) == different:
            break
    return names


def levels(values):
    """The different values of a parameter, ascending (words: in order of appearance)."""
    return list(dict.fromkeys(values)) if values.dtype.kind in "US" else sorted(set(values))


def short_list(values):
    """The different values of a parameter in a message."""
    names = values if isinstance(values[0], str) else [number(v) for v in values]
    return " ".join(names if len(names) <= 8 else [*names[:4], "…", *names[-3:]])


def map_of_sphere(values):
    """Of a field on a cubed sphere, [6 n][n], the cell at each place of a map: longitudes from -pi, latitudes from
    -pi/2 upwards."""
    n = values.shape[1]
    longitude = ((np.arange(4 * n) + 0.5) / (4 * n) * 2 - 1) * np.pi
    latitude = ((np.arange(2 * n) + 0.5) / (2 * n) - 0.5)[:, None] * np.pi
    x, y, z = (np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude),
               np.sin(latitude) + 0 * longitude)
    middle = np.array([z, y, -z, -y, x, -x])    # towards the middle of each panel, its x and its y
    along_x, along_y = np.array([x, x, x, x, -z, z]), np.array([y, -z, -y, z, y, y])
    panel = middle.argmax(axis=0)
    here = (panel, *np.indices(panel.shape))
    i, j = (np.clip(((along[here] / middle[here] + 1) / 2 * n).astype(int), 0, n - 1) for along in (along_x, along_y))
    return values[panel * n + j, i]


def edges(points):
    """Of cells around points: half way between them, and the first and last point, beyond which there are no data."""
    if len(points) == 1:
        return points[0] + np.array([-0.5, 0.5])
    return np.concatenate([points[:1], (points[1:] + points[:-1]) / 2, points[-1:]])


def cell_edges(centres):
    """Of cells around their centres: half way between them, and as far beyond the first and the last."""
    if len(centres) == 1:
        return edges(centres)
    between = (centres[1:] + centres[:-1]) / 2
    return np.concatenate([[2 * centres[0] - between[0]], between, [2 * centres[-1] - between[-1]]])


def nearest(times, t):
    """Index of the time nearest to t (None: the last)."""
    return len(times) - 1 if t is None else int(np.argmin(np.abs(times - t)))


def told_time(times, asked, name):
    """The times at which runs are drawn, as a text, and a note where they are not the one asked for. asked None: the
    last of each run."""
    low, high = min(times), max(times)
    if high - low <= 1e-9 * max(1.0, abs(high)):
        if asked is not None and abs(low - asked) > 1e-9 * max(1.0, abs(asked)):
            note(f"{name} is not there at t = {number(asked)}; taking the nearest, t = {number(low)}")
        return f"t = {number(low)}"
    if asked is None:
        return f"the last time of each run, t = {number(low)} … {number(high)}"
    note(f"{name} is not there at t = {number(asked)} in all runs; taking the nearest, "
         f"t = {number(low)} … {number(high)}")
    return f"the times nearest to t = {number(asked)}, {number(low)} … {number(high)}"


def require(name, known, what):
    """A name that the user gave, if it is known; else the refusal says that there is no such, and what is."""
    if name in known:
        return name
    near = difflib.get_close_matches(str(name), [str(one) for one in known], 1)
    raise Refusal(f"no {what}" + (f"; did you mean '{near[0]}'?" if near else "") +
                  (f"\n  there is: {' '.join(map(str, known))}" if known else "; it has none"))


class Results:
    """An output file. What cannot be read, or cannot be as it is, is refused (see stored.py)."""

    def __init__(self, path, where=None, stored=None):
        """where: the comparisons that hold for the runs which are meant (see where.py); None: all are.
        stored: the file itself, where path is only its name."""
        self.path, self.where = path, where
        self.stored = Stored(stored or path)
        self.file = self.stored.root
        if not self.stored.has(self.file, "run") or "sweep_schema" not in self.attributes():
            raise Refusal(f"{path} is an HDF5 file, but not one that sweep wrote; give one that it wrote, "
                          "results/NAME.h5", FILE)
        schema = self.attribute("sweep_schema")
        self.schema = int(re.match(r"\d*", schema)[0] or 0)
        if not 0 < self.schema <= NEWEST_SCHEMA:
            raise Refusal(f"{path} has schema {schema}, and schemas 1 to {NEWEST_SCHEMA} are known here: a newer sweep "
                          "wrote it; use what came with that", FILE)
        self.stored.check_parts()
        self.problem = self.attribute("problem")
        self.iterates = self.stored.has(self.file, "iterations")
        self.numbered = self.problem in NUMBERED
        # "equation" would say nothing
        name = self.problem if self.problem != "equation" else os.path.splitext(os.path.basename(path))[0]
        self.title = (self.attribute("title") or name).replace("$", "\\$")
        self.origin = f"{self.attribute('source')} · sweep {self.attribute('sweep_id')}".replace("$", "\\$")
        self.run = self.every_run = self.indices(self.file)
        count = len(self.run)
        if count == 0:
            raise Refusal(f"{path} holds no runs: nothing to draw (sweep status says what became of the sweep)")
        self.run_id = self.stored.ids(self.file, "run_id", count)
        self.status = self.stored.numbers(self.file, "status", shape=(count,))
        self.ok = self.status == DONE
        self.t_reached = self.stored.numbers(self.file, "t_reached", shape=(count,))
        self.timed = (self.t_reached[self.ok] > 0).any()    # compact and bvp have no time
        # beyond it there are NaN; a run that ended early (stop) has its last state at all later times
        self.t_stored = self.t_reached
        if self.stored.has(self.file, "stopped"):
            stopped = self.stored.numbers(self.file, "stopped", shape=(count,)) > 0
            self.t_stored = np.where(stopped, np.inf, self.t_reached)
        order = self.stored.attribute(self.file["status"], "coordinates").split()   # as in the config
        found = [name for name, data in self.stored.datasets(self.file).items()
                 if self.stored.attribute(data, "sweep_role") == "parameter"]
        self.param = {name: self.parameter(name) for name in sorted(found, key=(order + found).index)}
        # where fields and series are: the root, or a group for each n
        self.read, self.ascend = {}, set()      # what was read, and which coordinates were looked at
        self.groups = [self.file] + self.stored.groups(RUNS)
        self.homes = {}    # run: the groups that know it, and its row in each
        self.counts = {}   # of the runs of a group, by its name
        for group in self.groups:
            runs = self.indices(group)
            self.counts[group.name] = len(runs)
            for k, run in enumerate(runs):
                self.homes.setdefault(run, []).append((group, k))
        self.kept = np.arange(count)
        if where:
            self.keep(where)
        self.swept = [name for name, values in self.param.items() if len(set(values)) > 1]

    @property
    def told_where(self):
        """Which runs are meant, for a title."""
        return " and ".join(" ".join(one) for one in self.where or []).replace("$", "\\$")

    def keep(self, where):
        """Go on with the runs for which comparisons hold."""
        for name, *_ in where:
            self.require(name, list(self.param), "parameter")
        self.kept = np.flatnonzero(chosen(self.param, where))
        if len(self.kept) == 0:
            told = "; ".join(f"{name} has the values {short_list(levels(self.param[name]))}"
                             for name in dict.fromkeys(name for name, *_ in where))
            raise Refusal(f"--where: no run is such; {told}")
        self.run, self.status, self.ok, self.t_reached, self.t_stored = (
            values[self.kept] for values in (self.run, self.status, self.ok, self.t_reached, self.t_stored))
        self.run_id = [self.run_id[row] for row in self.kept]
        self.param = {name: values[self.kept] for name, values in self.param.items()}

    def attributes(self):
        with self.stored.reading("the attributes of the root"):
            return list(self.file.attrs)

    def attribute(self, name):
        """Of the root, as text."""
        return self.stored.attribute(self.file, name)

    def indices(self, group):
        """The runs of a group. Each has an id of 16 letters at the root: there are no more than that much fits into the
        file."""
        name = next(name for name in RUNS if self.stored.has(group, name))
        data = self.stored.dataset(group, name)
        if len(data.shape) != 1 or data.dtype.kind not in "iu" or 16 * data.shape[0] > self.stored.bytes:
            raise self.stored.damaged(f"'{data.name}' is no list of runs")
        runs = self.stored.numbers(group, name).astype(int)
        if len(set(runs)) < len(runs) or (group != self.file and not set(runs) <= set(self.every_run)):
            raise self.stored.damaged(f"'{data.name}' names runs twice, or such as there are not")
        return runs

    def parameter(self, name):
        """Values of a parameter, one a run: numbers or words."""
        count = len(self.run)
        if self.stored.dataset(self.file, name).dtype.kind == "O":
            return np.array(self.stored.texts(self.file, name, count))
        values = self.stored.numbers(self.file, name, shape=(count,))
        if not np.isfinite(values).all():
            bad = self.run[~np.isfinite(values)][0]
            raise self.stored.damaged(f"the parameter '{name}' is not finite in run {bad}")
        return values

    def label(self, name):
        """long_name, or the name where that is shorter than a sentence, with its unit where it has one."""
        group = next((g for g in self.groups if self.stored.has(g, name)), None)
        data = group and self.stored.dataset(group, name)
        unit = self.stored.attribute(data, "units", "1") if group else "1"
        long_name = self.stored.attribute(data, "long_name") if group else ""
        if not 0 < len(long_name) <= LONGEST_LABEL:
            long_name = NORM_LABELS.get(name, name.replace("_", " "))
        return (long_name + (f" ({unit})" if unit != "1" else "")).replace("$", "\\$")

    @functools.cached_property
    def catalogue(self):
        """The names of the dimensions of each variable over runs, by (name, ndim). Groups that hold the same names
        (scales are among them) hold the same variables."""
        known, seen = {}, set()
        for group in self.groups:
            names = tuple(self.stored.names(group))
            if names in seen:
                continue
            seen.add(names)
            data = self.stored.datasets(group)
            scales = {name: data[name] for name in SCALES
                      if name in data and name != ("x" if self.numbered else "i")}
            for name, values in data.items():
                if values.dtype.kind == "f":
                    known.setdefault((name, values.ndim), self.stored.dimensions(values, scales))
        return {key: dims for key, dims in known.items() if dims and dims[0] in RUNS}

    def variables(self, ndim, last=None):
        """Names of the variables with so many dimensions, the first of them run (last: and the last one that)."""
        return [name for (name, n), dims in self.catalogue.items()
                if n == ndim and name not in OWN_COORDINATES.values() and (last is None or dims[-1] == last)
                and not (name in ANGLES and n == 3 and dims[1] == "y")]

    @property
    def profiles(self):
        """What has means over a coordinate in the file: spectra, and fields of which it keeps statistics alone."""
        return list(self.ensembles.profiles) if self.ensembles else []

    def fields(self):
        """Of one to three dimensions in space."""
        return list(dict.fromkeys(name for ndim in (3, 4, 5) for name in self.variables(ndim)))

    def series(self):
        return self.variables(2, "time_s")

    def own_series(self):
        """Those that the config defines, in its order: their long_name is 'name = expression'."""
        own = [name for name in self.series() if any(
            self.stored.attribute(self.stored.dataset(group, name), "long_name").startswith(f"{name} = ")
            for group in self.groups if self.stored.has(group, name))]
        place = {m[1]: m.start() for m in re.finditer(r"(\w+)\s*[=:]", self.config)}
        return sorted(own, key=lambda name: place.get(name, 0))

    def saved_once(self, name):
        """Whether a series or field is saved at no more than one time in any run."""
        return all(self.stored.dataset(group, name).shape[1:2] in ((0,), (1,))
                   for group in self.groups if self.stored.has(group, name))

    def histories(self):
        return self.variables(2, "iteration")

    def worth_drawing(self, of=None):
        """Which runs are drawn unless some are named: those that finished, and of a history those that failed, too."""
        return self.status != PENDING if of in self.histories() else self.ok

    def require_runs(self, of=None):
        if not self.worth_drawing(of).any():
            raise Refusal(f"none of the {len(self.run)} runs in {self.path} finished: "
                          "nothing to draw (sweep show says why)")

    @functools.cached_property
    def norms(self):
        """The error norms that a run has, those of NORM_LABELS first."""
        there = [n for n in self.stored.names(self.file) if (n.startswith(NORM_PREFIX) or n in NORM_LABELS) and
                 n not in self.param]
        there.sort(key=lambda n: list(NORM_LABELS).index(n) if n in NORM_LABELS else len(NORM_LABELS))
        return [n for n in there if np.isfinite(self.of_runs(n)).any()]

    @functools.cached_property
    def columns(self):
        """The names of the numbers that the run table has of each run, the time reached and taken first: columns alone
        name their coordinates, and where there are no axes all that is no scale is one."""
        def is_column(data):
            with self.stored.reading(f"the attributes of '{data.name}'"):
                return data.ndim == 1 and data.dtype.kind in "iuf" and "flag_values" not in data.attrs and \
                    ("coordinates" in data.attrs or not self.param and "CLASS" not in data.attrs)
        there = [name for name, data in self.stored.datasets(self.file).items() if is_column(data)]
        return sorted(there, key=lambda name: name not in ("t_reached", "wall_time"))

    def of_runs(self, name):
        """A number a run, from the run table."""
        return self.stored.numbers(self.file, name, shape=(len(self.every_run),))[self.kept]

    def dimensions(self, row, name):
        """In space, of a run's field."""
        group, _ = self.find(row, name)
        return self.stored.dataset(group, name).ndim - 2

    def require_line(self, rows, name, kind):
        """Refuse a picture of a field over x alone where it lies over y as well."""
        most = max((self.dimensions(row, name) for row in rows), default=1)
        if most > 1:
            raise Refusal(f"{name} has {most} dimensions in space, and {kind} draws one; --kind slice draws it on "
                          "planes")

    def find(self, row, name):
        """The group that holds a variable of a run, and the run's row there."""
        for group, k in self.homes[self.run[row]]:
            if self.stored.has(group, name):
                return group, k
        raise Refusal(f"run {self.run[row]} has no {name}; choose others with --run")

    def whole(self, group, name, shape=None):
        """All values of a variable other than a field, read once."""
        key = (group.name, name)
        if key not in self.read:
            self.read[key] = self.stored.numbers(group, name, shape=shape)
        return self.read[key]

    def all_coordinates(self, group, scale):
        """Along a dimension, [runs, or 1 where all have the same][point]; NaN behind the last one that a run has."""
        own = OWN_COORDINATES.get(scale)
        if own and self.stored.has(group, own):
            found = self.whole(group, own, (self.counts[group.name], None))
        else:
            found = self.whole(group, scale, (None,))[None, :]
        if (group.name, scale) not in self.ascend:
            finite = np.isfinite(found)
            if found.shape[1] == 0 or (np.diff(found) <= 0).any() or (finite[:, 1:] & ~finite[:, :-1]).any():
                raise self.stored.damaged(f"'{scale}' does not ascend")
            self.ascend.add((group.name, scale))
        return found

    def coordinates(self, group, k, scale):
        """Of a run along a dimension."""
        found = self.all_coordinates(group, scale)
        return found[k if len(found) > 1 else 0]

    def outputs(self, row, name):
        """Times and values of a run's series or field, as far as they are stored, or
        iterations and values of its history. Entries of these two that the run does not have are left out."""
        group, k = self.find(row, name)
        data = self.stored.dataset(group, name)
        history = name in self.histories()
        t = self.coordinates(group, k, "iteration" if history else "time" if data.ndim > 2 else "time_s")
        if data.ndim < 2 or data.shape[1] != len(t) or k >= data.shape[0]:
            raise self.stored.damaged(f"'{name}' and its times have different lengths")
        reached = np.full(len(t), True) if history else t <= self.t_stored[row] * (1 + 1e-12)
        if data.ndim == 2:
            values = self.whole(group, name)[k]
            reached &= ~np.isnan(values)
        else:
            values = self.stored.numbers(group, name, k)
        return t[reached], values[reached]

    def space(self, row, name, axis="x"):
        """The coordinates of a run's points along an axis."""
        axis = self.scale(axis)
        group, k = self.find(row, name)
        x = self.coordinates(group, k, axis)
        data = self.stored.dataset(group, name)
        along = self.catalogue[name, data.ndim]
        if not np.isfinite(x).all() or axis not in along or len(x) != data.shape[along.index(axis)]:
            raise self.stored.damaged(f"'{name}' and its coordinate '{axis}' do not fit each other")
        return x

    @functools.cached_property
    def config_text(self):
        """The config, as the file keeps it."""
        with self.stored.reading("'provenance/config_text'"):
            return text_of(self.file["provenance/config_text"][()]) if "provenance/config_text" in self.file else ""

    @functools.cached_property
    def overrides(self):
        """The -s arguments, which come behind the config."""
        with self.stored.reading("'provenance'"):
            given = self.file["provenance"].attrs.get("overrides", ()) if "provenance" in self.file else ()
            return list(map(text_of, np.atleast_1d(given)))

    @functools.cached_property
    def config(self):
        """Text of the config without its comments, with the -s arguments behind it."""
        text = re.sub(r'("(?:[^"\\]|\\.)*")|//[^\n]*|#[^\n]*|/\*.*?\*/', lambda m: m[1] or " ", self.config_text,
                      flags=re.S)
        return "\n".join([text, *self.overrides])

    @functools.cached_property
    def ladder(self):
        """The axis whose runs start from the end of the one before them, and "up", "down" or "both" (then there is an
        axis direction); None: there is none. The config says so; what -s gives comes behind it."""
        found = {}
        for m in re.finditer(r'(\w+)\s*[=:]\s*\{[^{}]*\bladder\s*[=:]\s*"(\w+)"|^sweep\.(\w+)(\.ladder)?\s*=(.*)',
                             self.config, re.M):
            name = m[1] or m[3]
            inside = None if m[1] else re.search(r'\bladder\s*[=:]\s*"(\w+)"', m[5])
            found[name] = m[2] or (m[5].strip(' ";') if m[4] else inside and inside[1])
        return next(((name, way) for name, way in found.items() if way and name in self.swept and
                     self.param[name].dtype.kind == "f"), None)

    @functools.cached_property
    def refine_level(self):
        """How often cells were split before each run was added; None: none is."""
        if not self.stored.has(self.file, "refine_level") or "refine_level" in self.param:
            return None
        level = self.stored.numbers(self.file, "refine_level", shape=(len(self.every_run),))[self.kept]
        return level if level.max() > 0 >= level.min() else None

    @functools.cached_property
    def refined(self):
        """The parameters between whose values cells are split: those that have others in runs that were added."""
        added = None if self.refine_level is None else self.refine_level > 0
        return [p for p in self.swept if added is not None and set(self.param[p][added]) - set(self.param[p][~added])]

    @property
    def ways(self):
        """The axis that tells the way up a ladder from the way down, if both are drawn."""
        both = self.ladder and self.ladder[1] == "both" and "direction" in self.swept
        return "direction" if both and self.param["direction"].dtype.kind == "U" else None

    @functools.cached_property
    def ensembles(self):
        """The statistics over runs; None: the file has none."""
        return Ensembles(self) if self.stored.has(self.file, GROUP) else None

    @property
    def of_statistics(self):
        """The numbers of which the file keeps statistics alone."""
        known = self.series() + self.columns
        return [name for name in self.ensembles.scalars if name not in known] if self.ensembles else []

    def scale(self, axis):
        """The scale along an axis of space."""
        return "i" if self.numbered and axis == "x" else axis

    def has_walls(self, row, axis):
        """Whether a run's axis ends in walls, which are points; else the first point comes again at x0 + length."""
        if self.numbered:
            return True
        ends = re.findall(r'\b(?:left|right)\s*[=:]\s*\{\s*(?:([xyz])\s*[=:])?', self.config)    # left = { y = { …
        if axis in (of or "x" for of in ends):
            return True
        word_of = {}
        for of, what in re.findall(r'\bboundary(?:\.([xyz]))?\s*[=:]\s*(\{[^}]*\}|"[^"]*")', self.config):
            own = re.findall(r'\baxis\s*[=:]\s*"([^"]*)"', self.config)[-1:] or ["x"]    # of one word for all
            word_of.update(re.findall(r'\b([xyz])\s*[=:]\s*"([^"]*)"', what) if what[0] == "{" else
                           [(of or self.in_run(row, own[0]), what.strip('"'))])
        return self.in_run(row, word_of.get(axis, "periodic")) != "periodic"

    def in_run(self, row, word):
        """A word of the config; "$axis" is what the sweep's axis has in this run."""
        return str(self.param[word[1:]][row]) if word[1:] in self.param and word[:1] == "$" else word

    def cells(self, row, name, axis):
        """Edges of the cells around a run's points, and whether the first point comes again behind the last."""
        x = self.space(row, name, axis)
        if self.problem in CELLS:
            return cell_edges(x), False
        again = len(x) > 1 and not self.has_walls(row, axis)
        return edges(np.append(x, 2 * x[-1] - x[-2]) if again else x), again

    def plane(self, row, name, t, across, up, places):
        """A run's field at the saved time nearest to t (None: the last), in the plane that two axes span: the values,
        the time, and text that says where the plane lies: at the point nearest to the place along the third axis that
        places has, or in the middle. Only the plane is read. None where the run reached no saved time."""
        group, k = self.find(row, name)
        times = self.coordinates(group, k, "time")
        reached = np.flatnonzero(times <= self.t_stored[row] * (1 + 1e-12))
        if len(reached) == 0:
            return None
        now = reached[nearest(times[reached], t)]
        where, at = [], []
        data = self.stored.dataset(group, name)
        for scale, count in list(zip(self.catalogue[name, data.ndim], data.shape))[2:]:
            if scale in (across, up):
                at.append(slice(None))
                continue
            x = self.space(row, name, scale)
            ends = self.cells(row, name, scale)[0][[0, -1]]
            if scale in places and not ends[0] <= places[scale] <= ends[1]:
                raise Refusal(f"--at {scale}={number(places[scale])}: {scale} goes from {number(ends[0])} to "
                              f"{number(ends[1])} in run {self.run[row]}")
            at.append(nearest(x, places[scale]) if scale in places else count // 2)
            where.append(f"{scale} = {x[at[-1]]:.4g}")
        return self.stored.numbers(group, name, (k, now, *at)), times[now], ", ".join(where)

    def on_sphere(self, row, name):
        """Whether a run's field is on a cubed sphere: six panels, stacked along y."""
        group, _ = self.find(row, name)
        return self.stored.has(group, "lat")

    def tells_refinement(self):
        """Whether the file tells which runs differ in grid or time step."""
        return len(self.groups) > 1 or bool(self.timed and self.series() + self.fields())

    def refines(self, over, lines):
        """Whether grid or time step differ along a line of runs over a parameter; true where the file does not tell."""
        if over in ("n", "dt") or not self.tells_refinement():
            return True
        steps = self.of_runs("steps")
        grid = [self.homes[run][-1][0].name for run in self.run]    # each n has its group, or there is one for all
        return any(len({(grid[row], f"{self.t_reached[row] / max(steps[row], 1):.9g}") for row in rows}) > 1
                   for rows in lines)

    def varies(self, name):
        """Whether a series changes by more than rounding in one of the first runs."""
        runs = (self.outputs(row, name)[1] for row in np.flatnonzero(self.ok)[:16])
        return any(np.ptp(y) > 1e-12 * np.abs(y).max() for y in runs if len(y))    # sums of 10^4 terms: some 1e-14

    def final(self, name, t):
        """A number a run, and the times they are of: a norm or another entry of the run table (no times), or the entry
        of a series at t (the last, if None). NaN for runs that did not finish or have none."""
        if name not in self.series():
            return np.where(self.ok, self.of_runs(name), np.nan), []
        values, times = np.full(len(self.run), np.nan), np.full(len(self.run), np.nan)
        row_of = {run: row for row, run in enumerate(self.run)}
        for group in (group for group in self.groups if self.stored.has(group, name)):
            rows = np.array([row_of.get(run, -1) for run in self.indices(group)], int)
            series, own = self.whole(group, name), self.all_coordinates(group, "time_s")
            if series.shape != (len(rows), own.shape[1]):
                raise self.stored.damaged(f"'{name}' and its times have different lengths")
            own = np.broadcast_to(own, series.shape)[rows >= 0]
            series, rows = series[rows >= 0], rows[rows >= 0]
            there = (own <= self.t_stored[rows, None] * (1 + 1e-12)) & ~np.isnan(series)
            at = (own.shape[1] - 1 - np.argmax(there[:, ::-1], axis=1) if t is None else
                  np.argmin(np.where(there, np.abs(own - t), np.inf), axis=1))
            some = np.flatnonzero(there.any(axis=1) & self.ok[rows])
            values[rows[some]], times[rows[some]] = series[some, at[some]], own[some, at[some]]
        return values, list(times[np.isfinite(times)])

    def state(self, row):
        """What became of a run, as a verb."""
        return ENDED.get(int(self.status[row]), "stopped")

    def differing(self, rows):
        """The swept parameters that differ among some runs."""
        return [p for p in self.swept if len({self.param[p][k] for k in rows}) > 1]

    def told(self, name, row, rows):
        """A parameter of a run with its value, which is told apart from those of the other runs."""
        values = self.param[name]
        if values.dtype.kind != "f":
            return f"{name} = {values[row]}".replace("$", "\\$")
        return f"{name} = {legible([values[row], *(values[k] for k in rows)])[0]}"

    def describe(self, row, among=()):
        """The parameters of a run: all that are swept, or only those that differ among some runs."""
        names = self.differing(among) if len(among) > 1 else self.swept
        return ", ".join(self.told(p, row, among) for p in names) or f"run {self.run[row]}"

    def common(self, rows):
        """The swept parameters that these runs have in common, with their values."""
        differ = self.differing(rows)
        return ", ".join(self.told(p, rows[0], ()) for p in self.swept if p not in differ)

    def along(self, scale):
        """Label of a coordinate axis: x or t, with its unit where it has one."""
        scale = self.scale(scale)
        group = next((g for g in self.groups if self.stored.has(g, scale)), None)
        unit = self.stored.attribute(self.stored.dataset(group, scale), "units", "1") if group else "1"
        return ("t" if scale.startswith("time") else scale) + (f" ({unit})" if unit != "1" else "")

    def require(self, name, known, what):
        """Check a name the user gave; the refusal says what is near, or what there is."""
        return require(name, known, f"{what} '{name}' in this file")

    def drawable(self):
        """All that --of may name: norms and other numbers of a run, series, histories, fields."""
        scalars = [n for n in self.columns if not n.startswith(NORM_PREFIX) and n not in NORM_LABELS]
        return {"norms": self.norms, "series": self.series(), "histories": self.histories(), "fields": self.fields(),
                "numbers of a run": scalars, "statistics": self.of_statistics, "means over a coordinate": self.profiles}

    def choose(self, asked, usual, known, kind):
        """What --of names, or what is usual, if the kind of picture draws that. The refusal tells all that may be
        named, and what would draw it."""
        if asked is None:
            return usual
        if asked not in known and OTHER_NAMES.get(asked) in known:
            return OTHER_NAMES[asked]
        if asked in known:
            return asked
        there = self.drawable()
        names = [name for found in there.values() for name in found]
        if asked in names or OTHER_NAMES.get(asked) in names:
            what = next(what for what, found in there.items() if asked in found or OTHER_NAMES.get(asked) in found)
            with_kind = {"norms": "convergence, curves or heatmap", "series": "lines, curves or heatmap",
                         "histories": "lines", "fields": "lines, spacetime, image or slice",
                         "numbers of a run": "curves or heatmap", "statistics": "lines, curves or heatmap",
                         "means over a coordinate": "lines"}[what]
            raise Refusal(f"--of {asked}: {kind} does not draw {what}; --kind {with_kind} does")
        if self.ensembles and not self.ensembles.apply and asked in self.ensembles.of:
            raise Refusal(f"the file keeps statistics of {asked} over {' and '.join(self.ensembles.over)}, and not the "
                          "runs themselves, of which --where takes some")
        near = difflib.get_close_matches(asked, names, 1)
        listed = "".join(f"\n  {what}: {' '.join(found)}" for what, found in there.items() if found)
        raise Refusal(f"there is no '{asked}' in this file" + (f"; did you mean '{near[0]}'?" if near else "") +
                      (listed or "; it holds nothing to draw"))


def choose_runs(results, text):
    """Rows of the runs meant by --run: "7", "0,5,9", "0-15", "all", or the beginning of a run id. None: not given."""
    if text is None:
        return None
    if text == "all":
        return list(range(len(results.run)))
    row_of = {int(r): k for k, r in enumerate(results.run)}
    rows = []
    for part in text.split(","):
        first, dash, last = part.partition("-")
        if first.isdecimal() and (not dash or last.isdecimal()) and int(first) in row_of:
            rows += [row_of[r] for r in sorted(row_of) if int(first) <= r <= int(last or first)]
            continue
        rows_of_id = [k for k, run_id in enumerate(results.run_id) if run_id.startswith(part)]
        if len(rows_of_id) != 1 or len(part) < 4:
            raise Refusal(f"no run '{part}': give an index from {results.run.min()} to {results.run.max()}, "
                          "a list 0,5,9, a range 0-15, all, or the first digits of a run id")
        rows += rows_of_id
    return list(dict.fromkeys(rows))
