"""Means of numbers over runs, and their standard errors: those that the file has in its group statistics, else formed
of the runs."""
import collections
import functools
import re

import numpy as np

from .refusal import Refusal
from .where import chosen

GROUP = "statistics"

# numbers at places: the parameters that tell the places apart and their values there, [place]; mean, and its standard
# error (NaN: none); of how many runs; the times of the numbers; and the parameters that the mean is over
Means = collections.namedtuple("Means", "param mean error count times over")


class Ensembles:
    """The group statistics of a file, at the places that --where takes. A scalar is one that has its mean there."""

    def __init__(self, results):
        self.results, self.stored = results, results.stored
        with self.stored.reading(f"'{GROUP}'"):
            self.group = results.file[GROUP]
            asked = self.stored.attribute(results.file["provenance"], GROUP)
        self.of, self.over = (re.findall(r"[^\s;]+", re.findall(rf"; {word} ([^;]*)", asked + ";")[0])
                              if f"; {word} " in asked else [] for word in ("of", "over"))
        data = self.stored.datasets(self.group)
        scales = {name: values for name, values in data.items() if values.ndim == 1}
        self.data = {name: (values.shape, self.stored.dimensions(values, scales)) for name, values in data.items()}
        if "n_ok" not in self.data or "" in self.data["n_ok"][1] or 0 in self.data["n_ok"][0]:
            raise self.stored.damaged(f"'{GROUP}' does not tell its axes")
        self.shape, self.axes = self.data["n_ok"]
        self.param = self.places()
        wanted = results.where or []
        self.apply = all(name in self.param for name, *_ in wanted)     # else the runs that are meant are not known
        kept = chosen(self.param, wanted) if self.param and self.apply else np.full(self.count, True)
        self.param = {name: values[kept] for name, values in self.param.items()}
        self.kept = kept
        for name, values in self.param.items():
            if name not in results.param or self.apply and not set(values) <= set(results.param[name]):
                raise self.stored.damaged(f"'{GROUP}/{name}' has other values than the runs")
        self.count_ok = self.numbers("n_ok")[:, 0]

    @property
    def count(self):
        return int(np.prod(self.shape, dtype=int))

    def places(self):
        """The parameters at all places."""
        if self.axes == ["point"]:
            names = [name for name in self.results.param if name in self.data]
            return {name: self.values(name, self.shape) for name in names}
        along = [self.values(name, (size,)) for name, size in zip(self.axes, self.shape)]
        at = np.indices(self.shape).reshape(len(self.shape), self.count)
        return {name: values[k] for name, values, k in zip(self.axes, along, at)}

    def values(self, name, shape):
        """Of a parameter: numbers or words."""
        if self.stored.dataset(self.group, name).dtype.kind == "O":
            return np.array(self.stored.texts(self.group, name, *shape))
        return self.stored.numbers(self.group, name, shape=shape)

    def numbers(self, name):
        """[place][time, or 1 where it has none]"""
        shape, dims = self.data[name]
        sizes = (*self.shape, *([len(self.times)] if dims != self.axes else []))
        if shape != sizes or 0 in sizes:
            raise self.stored.damaged(f"'{GROUP}/{name}' has the shape {shape}, not {sizes}")
        values = self.stored.numbers(self.group, name, shape=shape)
        return values.reshape(self.count, -1)[self.kept]

    def has(self, of):
        """Whether the mean of a number over runs is there, over the places and over time."""
        dims = self.data.get(f"{of}_mean", ((), None))[1]
        return self.apply and dims in (self.axes, [*self.axes, "time_s"])

    @functools.cached_property
    def scalars(self):
        """What statistics are of: their means are drawn of it, or where these are not those of the runs that are meant,
        of what the file has of the runs."""
        known = self.results.series() + self.results.columns
        return [name for name in self.of if self.has(name) or not self.apply and name in known]

    def stem(self, of):
        """What the numbers of a quantity are called: u_spectrum of spectrum(u)."""
        return re.sub(r"^spectrum\((.*)\)$", r"\1_spectrum", of)

    @functools.cached_property
    def profiles(self):
        """The spectra, and the fields that the file does not have of the runs, with means over one coordinate and
        time: its name, by theirs."""
        found = {}
        for of in self.of:
            dims = self.data.get(f"{self.stem(of)}_mean", ((), []))[1]
            along = dims[-1] if dims[:-1] == [*self.axes, "time"] else None
            if self.apply and along in ("wave_number", "x") and of not in self.results.fields():
                found[of] = along
        return found

    def profile(self, of):
        """The coordinate, the times, and the means and their errors, [place][time][coordinate]."""
        x = self.stored.numbers(self.group, self.profiles[of], shape=(None,))
        times = self.stored.numbers(self.group, "time", shape=(None,))
        sizes = (*self.shape, len(times), len(x))
        def numbers(what):
            name, nothing = f"{self.stem(of)}_{what}", np.full(sizes, np.nan)
            there = self.data.get(name, ((),))[0] == sizes
            values = self.stored.numbers(self.group, name, shape=sizes) if there else nothing
            return values.reshape(self.count, len(times), len(x))[self.kept]
        error, var = numbers("sem"), numbers("var")
        own = np.isfinite(error).any()
        return x, times, numbers("mean"), error if own else np.sqrt(var / np.maximum(self.count_ok, 1)[:, None, None])

    @property
    def left(self):
        """The parameters with more than one value that statistics are not over."""
        return [p for p in self.param if p in self.results.swept]

    @functools.cached_property
    def times(self):
        return self.stored.numbers(self.group, "time_s", shape=(None,))

    def numbers_outputs(self, scale="time"):
        """Whether runs have output times of their own: statistics then lie over the number of the output."""
        scale = self.stored.dataset(self.group, scale) if self.stored.has(self.group, scale) else None
        return bool(scale) and self.stored.attribute(scale, "long_name", "").startswith("number")

    @functools.cached_property
    def numbered(self):
        return self.numbers_outputs("time_s")

    def is_timed(self, of):
        return self.data[f"{of}_mean"][1][-1:] == ["time_s"]

    def over_time(self, of):
        """Whether there is more than one time, the same for all runs."""
        return self.has(of) and self.is_timed(of) and len(self.times) > 1 and not self.numbered

    def mean_and_error(self, of):
        """[place][time] each. The standard error comes from the variance where it is not there itself."""
        mean = self.numbers(f"{of}_mean")
        for what in ("sem", "var"):
            if self.data.get(f"{of}_{what}") == self.data[f"{of}_mean"]:
                found = self.numbers(f"{of}_{what}")
                return mean, found if what == "sem" else np.sqrt(found / np.maximum(self.count_ok, 1)[:, None])
        return mean, np.full(mean.shape, np.nan)

    def at(self, of, t):
        """The means of a number at the time nearest to t (None: the last)."""
        mean, error = self.mean_and_error(of)
        timed = self.is_timed(of)
        if timed and self.numbered and t is not None:
            raise Refusal(f"--time: the runs have output times of their own, and statistics of {of} are of the output "
                          "of the same number; leave --time out to draw the last one")
        k = 0 if not timed else len(self.times) - 1 if t is None else int(np.argmin(np.abs(self.times - t)))
        times = [self.times[k]] if timed and not self.numbered else []
        return Means(self.param, mean[:, k], error[:, k], self.count_ok, times,
                     [p for p in self.over if p in self.results.swept])


def means_of_runs(results, of, t, keep):
    """The means over the runs that have the same values of these parameters; NaN where none finished."""
    values, times = results.final(of, t)
    cells = {}
    for *place, value in zip(*(results.param[p] for p in keep), values):
        cells.setdefault(tuple(place), []).append(value)
    found = [np.array(cell)[np.isfinite(cell)] for cell in cells.values()]
    param = {p: np.array([place[k] for place in cells]) for k, p in enumerate(keep)}
    return Means(param, np.array([cell.mean() if len(cell) else np.nan for cell in found]),
                 np.array([cell.std(ddof=1) / np.sqrt(len(cell)) if len(cell) > 1 else np.nan for cell in found]),
                 np.array([len(cell) for cell in found]), times, [p for p in results.swept if p not in keep])


def require_all(results, keep):
    """Of a refined sweep the means over other parameters would be of other values at each place."""
    left = [p for p in results.swept if p not in keep]
    if not results.refined or not left:
        return
    counts = {}
    for place in zip(*(results.param[p] for p in keep)):
        counts[place] = counts.get(place, 0) + 1
    if len(set(counts.values())) > 1:
        raise Refusal(f"a refined sweep has not all values of {' and '.join(left)} at each place, and a mean over "
                      f"those that are there misleads; choose one: --where '{left[0]} == {results.param[left[0]][0]}'")


def means(results, of, t, keep):
    """The means of a number over all parameters but these, at each of their values."""
    require_all(results, keep)
    there = results.ensembles
    left = [p for p in there.left if p not in keep] if there else []
    if there and there.has(of) and not left and set(keep) <= set(there.param):
        return there.at(of, t)
    if of in results.of_statistics:
        own = f"the file keeps statistics of {of} over {' and '.join(there.over)}, and not the runs themselves"
        raise Refusal(f"{own}: nothing is known over {' and '.join(p for p in keep if p not in there.param)}"
                      if not left else f"{own}; choose one value of {' and '.join(left)}: --where "
                      f"'{left[0]} == {there.param[left[0]][0]}'")
    return means_of_runs(results, of, t, keep)
