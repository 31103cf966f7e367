"""Which number of the runs is drawn, over which parameters, and what is said of it."""
import numpy as np

from pysweep.ensembles import means
from pysweep.refusal import Refusal
from pysweep.results import levels, told_time

from . import look


def averaged(results):
    """The parameters that a mean is formed over unless they are asked for: those that statistics in the file are over,
    and seeds; and the way along a ladder, which is told apart or averaged, and no axis."""
    over = results.ensembles.over if results.ensembles else []
    return [p for p in results.swept if p in over or p.startswith("seed") or p == results.ways]


def choose_axes(results, ask, kind, least):
    """Two parameters, or the only one: those that --over names first, then the axis of a ladder, then those that are
    refined, then those of most values; last those that a mean is over."""
    if len(results.swept) < least:
        raise Refusal(f"{kind} needs {('a', 'two')[least - 1]} swept parameter{'s' * (least - 1)}; this sweep has "
                      f"{len(results.swept)}: " + (" ".join(results.swept) or "none") +
                      ("; --kind curves draws numbers over one" if results.swept else
                       "; sweep show prints the numbers of its runs"))
    last = averaged(results)
    climbed = results.ladder and results.ladder[0]
    usual = sorted(results.swept, key=lambda p: (p in last, p == results.ways, p != climbed, p not in results.refined,
                                                 -len(levels(results.param[p])) if p not in results.refined else 0))
    asked = ask.over.split(",") if ask.over else []
    if len(asked) > 2 or len(set(asked)) < len(asked):
        raise Refusal(f"--over {ask.over}: {kind} lies over two different parameters, A,B")
    pair = [results.require(p, results.swept, "swept parameter") for p in asked]
    return (pair + [p for p in usual if p not in pair])[:2]


def known(results):
    there = results.drawable()
    return there["norms"] + there["series"] + there["numbers of a run"] + there["statistics"]


def choose_number(results, ask, kind):
    """The number of a run that is drawn: unless one is named, the first that differs, what statistics are of and the
    user's own before others."""
    scalars = results.series() + results.of_statistics
    usual = ((results.ensembles.scalars if results.ensembles else []) + results.own_series() + results.norms +
             [n for n in ("domain_length", "energy") if n in scalars] + known(results))
    of = results.choose(ask.of, None, known(results), kind)
    if ask.time is not None and of not in [None, *scalars]:
        raise Refusal(f"--time: there is one {of} a run; it goes with a series" +
                      (f", --of {scalars[0]}" if scalars else ""))
    return of or next((name for name in usual if np.ptp(finite(results, name, ask)) > 0), usual[0])


def finite(results, name, ask):
    """The values that are, or a 0."""
    if name in results.of_statistics:
        values = means(results, name, ask.time, list(results.ensembles.param)).mean
    else:
        values, _ = results.final(name, ask.time)
    return values[np.isfinite(values)] if np.isfinite(values).any() else np.zeros(1)


def told(results, ask, of, found, errors=False):
    """What the second line of the title says: the number, its time, and what it is a mean over where that is so."""
    time = f" at {told_time(found.times, ask.time, of)}" if len(found.times) else ""
    over = f"mean over {' and '.join(found.over)}" + ", with its standard error" * errors
    return [f"{look.label_of(results, of)}{time}"] + [over] * bool(found.over and found.count.max(initial=0) > 1)
