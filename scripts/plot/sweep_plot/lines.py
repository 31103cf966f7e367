"""Series over time, histories over iterations, and fields over x."""
import numpy as np

from pysweep.refusal import Refusal, note
from pysweep.results import FIELDS_WITHOUT_TIME, choose_runs, legible, levels, nearest, number, told_time

from . import look
from .curves import MOST_BARS, curves, draw_errors
from .options import logarithmic

MOST_RUNS = 8           # that are drawn one by one unless --run asks for more
MOST_HISTORIES = 16     # of them
ALONG = ("time", "iteration")   # what a series and a history lie over
MOST_MEANS = 16         # lines of them, of places along several axes
MOST_VALUES = 64        # of a parameter with a line each
NEARLY_CONSTANT = 1e-6  # what varies by less, of itself, is drawn as its change


def series_of(series, rows, stays):
    """Series of several runs, on the times of the one that has most; the others are interpolated. stays: behind its
    end a series has its last value; else none."""
    t = max((series[row][0] for row in rows), key=len)
    return t, np.array([y if np.array_equal(own, t) else np.interp(t, own, y, right=y[-1] if stays else np.nan)
                        for own, y in (series[row] for row in rows)])


def less_first_value(series):
    """The changes from their first values where all vary by less than an axis can tell, and whether it is so."""
    y = np.concatenate([y for _, y in series.values()])
    if not 0 < np.nanmax(y) - np.nanmin(y) < NEARLY_CONSTANT * np.nanmax(np.abs(y)):
        return series, False
    return {row: (t, y - y[0]) for row, (t, y) in series.items()}, True


def leave_out_empty(results, series, of):
    """The series that have entries; a note names the runs that have none."""
    empty = [row for row, (t, _) in series.items() if len(t) == 0]
    if len(empty) == len(series):
        raise Refusal(f"{of} has no entries in " + ("these runs" if len(series) > 1 else f"run {results.run[empty[0]]}")
                      + "; choose others with --run, or another name with --of")
    if empty:
        note(f"left out: {of} has no entries in run{'s' * (len(empty) > 1)} "
             f"{' '.join(str(results.run[row]) for row in empty[:8])}{' …' * (len(empty) > 8)}")
    return {row: found for row, found in series.items() if row not in empty}


def keep_in_range_of_finished(results, axes, rows, values):
    """A run that diverges must not press the others flat: the axis ends where those end that finished."""
    if results.ok[rows].all() or not results.ok[rows].any():
        return
    finished = np.concatenate([values[row][np.isfinite(values[row])] for row in rows if results.ok[row]])
    every = np.concatenate([values[row][np.isfinite(values[row])] for row in rows])
    if len(finished) == 0 or np.ptp(every) <= 4 * np.ptp(finished):
        return
    room = 0.08 * (np.ptp(finished) or abs(finished[0]) or 1.0)
    axes.set_ylim(finished.min() - room, finished.max() + room)
    note("the y axis ends with the runs that finished; --ylim shows more of the others")


def name_of(results, row, rows):
    """Of a run in a legend."""
    return results.describe(row, rows) + ("" if results.ok[row] else f" ({results.state(row)})")


def draw_runs(results, of, rows, series, axes):
    """One line a run."""
    rows = [row for row in rows if row in series]
    looks = look.line_looks([tuple(results.param[p][row] for p in results.differing(rows)) for row in rows])
    drawn = []
    for row, colours in zip(rows, looks):
        t, y = series[row]
        mark = colours["marker"] if len(t) == 1 else "None"
        drawn += axes.plot(t, y, **{**colours, "marker": mark}, label=name_of(results, row, rows))
    if of not in results.histories():
        keep_in_range_of_finished(results, axes, rows, {row: y for row, (_, y) in series.items()})
    look.tell_apart(axes, drawn)
    return results.common(rows)


def draw_medians(results, of, by, series, axes):
    """One line for each value of a parameter: the median over its runs, and their quartiles."""
    values = levels(results.param[by])
    few = len(values) <= look.MOST_LINES
    words = isinstance(values[0], str)
    named = words or len(values) <= look.MOST_NAMES
    most, drawn = 0, []     # most: runs in a line
    for value, name, colours in zip(values, values if words else legible(values),
                                    look.line_looks([(value,) for value in values])):
        rows = [row for row in np.flatnonzero(results.param[by] == value) if row in series]
        if not rows:
            continue
        most = max(most, len(rows))
        t, y = series_of(series, rows, of in results.histories())
        if few and len(rows) > 1:
            axes.fill_between(t, *np.nanquantile(y, [0.25, 0.75], axis=0), color=colours["color"], alpha=0.16,
                              linewidth=0)
        mark = colours["marker"] if len(t) == 1 else "None"
        drawn += axes.plot(t, np.nanmedian(y, axis=0), **{**colours, "marker": mark},
                           label=f"{by} = {name}" if named else None)
    look.tell_apart(axes, drawn)
    if not named:
        look.ramp_bar(axes, values, results.label(by))
    others = " and ".join(p for p in results.swept if p != by)
    if most == 1:
        return others and f"one line a run; {others} {'differ' if ' and ' in others else 'differs'}, too"
    return others and f"median over {others}" + ("; bands hold the middle half of the runs" if few else "")


def usual_log(results, of):
    """The residuals of a history fall by orders of magnitude, and so do spectra."""
    if of in results.profiles:
        return "xy" if results.ensembles.profiles[of] == "wave_number" else ""
    return "y" if of in results.histories() else ""


def by_parameter(results):
    """The parameters that may have a line for each value."""
    return [p for p in results.swept if len(levels(results.param[p])) <= MOST_VALUES]


def lines_fit(results, of):
    """Whether there are few runs, or few values of a parameter."""
    few = MOST_HISTORIES if of in results.histories() else MOST_RUNS
    return np.count_nonzero(results.worth_drawing(of)) <= few or bool(by_parameter(results))


def draw_places(results, of, by, axes, x, mean, error):
    """Means in the file over x: a line for each place of the axes that are left, by the values of `by` first."""
    there = results.ensembles
    names = sorted(there.left, key=lambda p: (p != by, -len(set(there.param[p]))))
    ordered = len(names) == 1 and not isinstance(there.param[names[0]][0], str)
    if len(mean) > (MOST_VALUES if ordered else MOST_MEANS):
        raise Refusal(f"{of} has means at {len(mean)} places, too many lines; choose some with --where "
                      f"'{names[0]} == {number(there.param[names[0]][0])}', or draw the last ones with --kind curves")
    order = range(len(mean)) if not names else np.lexsort([there.param[p] for p in names[::-1]])
    told = {p: dict(zip(values, values if isinstance(values[0], str) else legible(values)))
            for p, values in ((p, levels(there.param[p])) for p in names)}
    drawn, bar = [], ordered and len(mean) > look.MOST_NAMES
    def name_of_place(k):
        return ", ".join(f"{p} = {told[p][there.param[p][k]]}" for p in names) or None
    for k, colours in zip(order, look.line_looks([tuple(there.param[p][k] for p in names) for k in order])):
        some = np.isfinite(mean[k])
        t, y = x[some], mean[k][some]
        mark = colours["marker"] if len(t) <= MOST_BARS else "None"
        drawn += axes.plot(t, y, **{**colours, "marker": mark, "markersize": 4},
                           label=None if bar else name_of_place(k))
        draw_errors(axes, t, y, error[k][some], colours["color"])
    if not any(len(line.get_xdata()) for line in drawn):
        raise Refusal("there is nothing finite to draw")
    if bar:
        look.ramp_bar(axes, levels(there.param[names[0]]), results.label(names[0]))


def told_means(results, error):
    errors = ", with its standard error" * bool(np.isfinite(error).any())
    return f"mean over {' and '.join(results.ensembles.over)}{errors}"


def draw_means(results, of, by, axes):
    """The statistics in the file over time."""
    mean, error = results.ensembles.mean_and_error(of)
    draw_places(results, of, by, axes, results.ensembles.times, mean, error)
    return f"{look.label_of(results, of)}; {told_means(results, error)}"


def draw_mean_profiles(results, ask, of, axes, log):
    """Spectra over wave numbers, or means of a field over x: at the time asked for, else the last one; of one place
    alone at up to six times."""
    x, times, mean, error = results.ensembles.profile(of)
    kept = x > 0 if "x" in log else np.full(len(x), True)     # the mean of u has the wave number 0
    x, mean, error = x[kept], mean[..., kept], error[..., kept]
    numbered = results.ensembles.numbers_outputs()
    if numbered and ask.time is not None:
        raise Refusal(f"--time: the runs have output times of their own, and statistics of {of} are of the saved field "
                      "of the same number; leave --time out to draw the last one")
    if len(mean) == 1 and len(times) > 1 and ask.time is None:
        chosen = np.unique(np.linspace(0, len(times) - 1, 6).round().astype(int))
        for k, name, colour in zip(chosen, legible([float(times[k]) for k in chosen]), look.ramp(len(chosen))):
            axes.plot(x, mean[0][k], color=colour, label=f"{'field' if numbered else 't ='} {name}")
            draw_errors(axes, x, mean[0][k], error[0][k], colour)
        return told_means(results, error)
    k = nearest(times, ask.time)
    draw_places(results, of, None, axes, x, mean[:, k], error[:, k])
    at = "the last saved field of each run" if numbered else told_time([times[k]], ask.time, of)
    return f"{at}; {told_means(results, error)}"


def has_means(results, of, by, rows):
    """Whether means over time are what is drawn of a series."""
    there = results.ensembles
    return bool(there and rows is None and there.over_time(of) and (by is None or by in there.param))


def draw_series(results, of, by, rows, axes, log):
    """One line a run if there are few; else one line for each value of a parameter, `by` if it is one. Returns what the
    second line of the title says."""
    if has_means(results, of, by, rows):
        axes.set_ylabel(results.label(of))
        return draw_means(results, of, by, axes)
    if of in results.of_statistics:
        raise Refusal(f"the file keeps statistics of {of} over {' and '.join(results.ensembles.over)}, and not the "
                      f"runs themselves: " + ("no run has a line" if by is None else f"no {by} has one"))
    usual = np.flatnonzero(results.worth_drawing(of))
    if rows is None and len(usual) <= (MOST_HISTORIES if of in results.histories() else MOST_RUNS) and not by:
        rows = list(usual)
    candidates = by_parameter(results)
    if rows is None and not candidates and not by:
        raise Refusal(f"{len(results.run)} runs are too many lines; choose some with --run 0,5,9, or draw the last "
                      "values with --kind curves")
    by = by or candidates and candidates[0]
    wanted = usual if rows is None else rows
    series = leave_out_empty(results, {row: results.outputs(row, of) for row in wanted}, of)
    alike = "y" not in log
    series, change = less_first_value(series) if alike else (series, False)
    axes.set_ylabel(results.label(of) + (", less its first value" if change else ""))
    if "x" in log:     # a logarithmic axis begins behind t = 0
        series = leave_out_empty(results, {row: (t[t > 0], y[t > 0]) for row, (t, y) in series.items()}, of)
    if rows is not None:
        return draw_runs(results, of, rows, series, axes)
    return draw_medians(results, of, by, series, axes)


def draw_profiles(results, ask, of, rows, axes):
    """A field over x: one run at several times, or several runs at one time."""
    if rows is None:
        rows = list(np.flatnonzero(results.ok))
        rows = rows[:1] if len(rows) > MOST_RUNS or not results.saved_once(of) else rows
    results.require_line(rows, of, "lines")
    if len(rows) > 4 * MOST_RUNS:
        raise Refusal(f"{len(rows)} runs are too many lines; choose at most {4 * MOST_RUNS} with --run 0,5,9")
    axes.set_ylabel(results.label(of))
    fields = leave_out_empty(results, {row: results.outputs(row, of) for row in rows}, of)
    rows = [row for row in rows if row in fields]
    if len(rows) == 1 and ask.time is None:
        row, = rows
        (t, u), x = fields[row], results.space(row, of)
        chosen = np.unique(np.linspace(0, len(t) - 1, 6).round().astype(int))
        names = legible([float(t[k]) for k in chosen])
        colours = look.ramp(len(chosen)) if len(chosen) > 1 else look.COLOURS
        for k, name, colour in zip(chosen, names, colours):
            axes.plot(x, u[k], color=colour, marker="o" if len(x) == 1 else "None", label=f"t = {name}")
        state = "" if results.ok[row] else f"; {results.state(row)} at t = {number(results.t_reached[row])}"
        return results.describe(row) + state
    drawn, times, values = [], [], {}
    looks = look.line_looks([tuple(results.param[p][row] for p in results.differing(rows)) for row in rows])
    for row, colours in zip(rows, looks):
        t, u = fields[row]
        k = nearest(t, ask.time)
        times.append(t[k])
        values[row] = u[k]
        mark = colours["marker"] if u.shape[1] == 1 else "None"
        drawn += axes.plot(results.space(row, of), u[k], **{**colours, "marker": mark},
                           label=name_of(results, row, rows))
    keep_in_range_of_finished(results, axes, rows, values)
    look.tell_apart(axes, drawn)
    time = told_time(times, ask.time, of) if results.timed else ""
    return ", ".join(filter(None, [time, results.common(rows)]))


def known(results):
    return results.series() + results.histories() + results.fields() + results.of_statistics + results.profiles


def line_for_each(results, ask, of):
    """The parameter with a line for each value, of --over time,PARAM; None: none is named."""
    if not ask.over:
        return None
    along, *by = ask.over.split(",")
    own = "iteration" if of in results.histories() else "time"
    if along != own or len(by) > 1:
        raise Refusal(f"--over {ask.over}: {of} lies over {own}; a line for each value of a parameter is {own},PARAM")
    return results.require(by[0], results.swept, "swept parameter") if by else None


def saved_once(results, of):
    if of in results.of_statistics:
        return not results.ensembles.over_time(of)
    return results.saved_once(of)


def usually(results, ask):
    """What is drawn unless --of names it: what the file has means of, else the first series that varies."""
    there = results.ensembles
    means = [name for name in there.scalars if there.over_time(name)] if there else []
    usual = (results.own_series() + [n for n in ("domain_length", "energy") if n in results.series()] +
             results.series())
    if results.profiles and not means and not ask.over and not ask.run:
        return results.profiles[0]
    if ask.time is not None and results.fields():
        return results.fields()[0]
    whole = results.fields() + results.histories() + results.profiles
    drawn = [n for n in known(results) if n in whole or not saved_once(results, n)]
    drawn = drawn or known(results)
    return means[0] if means else next((n for n in usual if n in drawn and results.varies(n)), drawn[0])


def lines(results, ask):
    """A scalar over time or over a parameter, a residual over iterations, or a field over x (which --time asks for)."""
    if not known(results) and ask.of is None:
        raise Refusal("this file holds neither scalar series nor fields: "
                      "set output.scalars or output.fields in the config" if results.timed else
                      f"this file holds no fields: {FIELDS_WITHOUT_TIME}" +
                      ("; or output.history for residuals over iterations" * results.iterates))
    if ask.over and ask.run:
        raise Refusal("--over and --run exclude each other: one line for each value of a parameter, over all runs, "
                      "or one for each run chosen")
    if (ask.over or ask.run) and ask.of in results.profiles:
        raise Refusal(f"{'--over' if ask.over else '--run'}: the file has means of {ask.of} over "
                      f"{results.ensembles.profiles[ask.of]}, with a line for each place of the other axes; choose "
                      "some with --where")
    if ask.over and ask.of in results.fields():
        raise Refusal(f"--over: a series has a parameter on its x axis, or a line for each of its values, and {ask.of} "
                      "is a field; choose its runs with --run 0,5,9")
    if ask.over and ask.over.split(",")[0] not in ALONG and ask.of not in results.histories():
        return curves(results, ask)
    of = results.choose(ask.of, None if ask.of else usually(results, ask), known(results), "lines")
    along = results.ensembles.profiles[of] if of in results.profiles else None
    if not along:
        results.require_runs(of)
    scalar = of not in results.fields() and not along
    if scalar and ask.time is not None:
        raise Refusal(f"--time: {of} is drawn over {'iterations' if of in results.histories() else 'time'}, all of it; "
                      "a field is drawn at one time" +
                      (f", with --of {results.fields()[0]}" if results.fields() else ""))
    if scalar and of not in results.histories() and saved_once(results, of):
        kinds = "curves or heatmap" if len(results.swept) > 1 else "curves"
        raise Refusal(f"{of} was saved at one time only; " +
                      (f"draw it over the axes with --kind {kinds}" if results.swept else "sweep show prints it") +
                      ", or save more in output.scalars")
    by = line_for_each(results, ask, of)
    figure, axes = look.plt.subplots(figsize=look.figure_size(ask, (7.2, 4.6)), layout="constrained")
    rows = choose_runs(results, ask.run)
    log = logarithmic(ask, usual_log(results, of))
    if along:
        axes.set_ylabel(look.label_of(results, of) if along == "x" else
                        "structure factor of " + of[len("spectrum("):-1])
        second = draw_mean_profiles(results, ask, of, axes, log)
    elif scalar:
        second = draw_series(results, of, by, rows, axes, log)
    else:
        second = draw_profiles(results, ask, of, rows, axes)
    axes.set_xlabel("wave number" if along == "wave_number" else
                    results.along("iteration" if of in results.histories() else "time_s" if scalar else "x"))
    look.set_axes([axes], ask, usual_log(results, of))
    axes.grid(True)
    look.finish(figure, results, second, legend=lambda: look.legend(axes, ask))
    return figure
