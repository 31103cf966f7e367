"""Errors over the number of points, the time step or another parameter, with their orders."""
import collections

import numpy as np

from pysweep.refusal import Refusal, note, say
from pysweep.results import levels, number

from . import look
from .options import logarithmic

GOOD_FIT = 0.99     # of the variance of log(error); one whose slope halves on the way has less
HIGHEST_ORDER = 12  # of a guide; the highest of a scheme is 10
FLAT = 0.25         # a slope less steep than that is none

Fit = collections.namedtuple("Fit", "count slope factor good locally")


def before_saturation(x, y):
    """How many points, from the coarsest on, come before the error saturates: there a finer grid does not help as it
    did, because rounding or another step limits the error. A slope of less than three quarters of the median one before
    it ends them, if it or one behind it is less than 1, too, or the error has come down by 1e9 and more: an error of
    lower order that shows on fine grids is no saturation. Three are kept."""
    slopes = np.diff(np.log(y)) / np.diff(np.log(x))
    for k in range(2, len(slopes)):
        usual = np.median(slopes[:k])
        if slopes[k] / usual < 0.75 and ((slopes[k:] * np.sign(usual)).min() < 1 or y[k + 1] < 1e-9 * y.max()):
            return k + 1
    return len(x)


def fit_order(x, y, sign=0, saturates=True):
    """Least squares on logarithms over the points (saturates: those before saturation): their count, exponent and
    factor, whether they lie on that line and fall (in the direction of sign; 0: either), and the slopes from point to
    point."""
    count = before_saturation(x, y) if saturates else len(x)
    log_x, log_y = np.log(x[:count]), np.log(y[:count])
    slope, offset = np.polyfit(log_x, log_y, 1)
    rest = np.sum((log_y - offset - slope * log_x)**2)
    good = (abs(slope) >= FLAT and slope * (sign or slope) > 0 and
            rest <= (1 - GOOD_FIT) * np.sum((log_y - log_y.mean())**2))
    return Fit(count, slope, np.exp(offset), bool(good), np.diff(log_y) / np.diff(log_x))


def choose_axis(results, asked):
    """The parameter that the errors are drawn over."""
    numeric = [p for p in results.swept if results.param[p].dtype.kind == "f" and (results.param[p] > 0).all()]
    if not numeric:
        raise Refusal("no parameter is swept that an error could converge with (sweep n, or dt)")
    likely = next((p for p in ("n", "dt") if p in numeric), numeric[0])
    return results.require(asked or likely, numeric, "swept parameter")


def lines_of_runs(results, of, over, others):
    """The rows of each line, its places and its errors, by the values of the other parameters."""
    error, _ = results.final(of, None)
    lines = {}
    for row in np.flatnonzero(np.isfinite(error) & (error > 0)):
        lines.setdefault(tuple(results.param[p][row] for p in others), []).append(row)
    lines = {key: rows for key, rows in lines.items() if len(set(results.param[over][rows])) > 1}
    if not lines:
        raise Refusal(f"{of} over {over} has fewer than two points to draw a line through")
    return {key: (rows, *one_each(results.param[over][rows], error[rows])) for key, rows in lines.items()}


def converges(results):
    """Whether there is a line of errors over what is known to refine the grid or the time step."""
    if not results.norms:
        return False
    try:
        over = choose_axis(results, None)
        lines = lines_of_runs(results, main_norm(results), over, [p for p in results.swept if p != over])
    except Refusal:
        return False
    return over in ("n", "dt") or (results.tells_refinement() and
                                   results.refines(over, [rows for rows, _, _ in lines.values()]))


def main_norm(results):
    return "err_l2" if "err_l2" in results.norms else results.norms[0]


def one_each(x, y):
    """The mean of the numbers at each place."""
    places = np.unique(x)
    return places, np.array([y[x == place].mean() for place in places])


def told(fit, count, law):
    """What a line's slopes say, for the terminal: more than the legend has room for."""
    if fit.good:
        return f"slope {fit.slope:.4f}", f"; saturated behind {fit.count} of {count} points" * (fit.count < count)
    low, high = fit.locally.min(), fit.locally.max()
    return f"no {law}", f": slopes from point to point are {low:.2f} … {high:.2f}" if count > 2 else \
        f": slope {fit.slope:.2f}"


def draw_line(axes, x, y, fit, colours, name, refines):
    """The points, and the line through those that were fitted; points without an order are joined by dots."""
    marks = {"color": colours["color"], "marker": colours["marker"], "linestyle": "None", "zorder": 3}
    dashes = colours["linestyle"]
    if not fit.good:
        axes.plot(x, y, linestyle=":", linewidth=1.0, color=colours["color"], zorder=2)
        return axes.plot(x, y, label=f"{name}no order" if refines else name.rstrip(": ") or "_", **marks)[0]
    drawn, = axes.plot(x[:fit.count], y[:fit.count], **marks)
    axes.plot(x[fit.count:], y[fit.count:], markerfacecolor="white", **marks)    # not fitted
    axes.plot(x[:fit.count], fit.factor * x[:fit.count]**fit.slope, linestyle=dashes, color=colours["color"], zorder=2)
    label = f"{name or 'fit: '}slope {fit.slope:.2f}".replace("slope -", "slope \N{MINUS SIGN}")
    axes.plot([], [], linestyle=dashes, color=colours["color"], marker=colours["marker"], label=label)
    return drawn


def draw_guide(axes, over, lines, fits):
    """A line of the integer order that all fits are close to, a little above the first points."""
    order = int(np.rint(np.median([fit.slope for fit in fits])))
    if not 0 < abs(order) <= HIGHEST_ORDER or any(not fit.good or fit.count < 3 or abs(fit.slope - order) >= 0.35
                                                  for fit in fits):
        return
    x = np.unique(np.concatenate([x for x, _ in lines]))
    top = max(y[np.argmin(x_own)] / (x_own.min() / x[0])**order for x_own, y in lines)
    axes.plot(x, 1.8 * top * (x / x[0])**order, "--", color="#777777", linewidth=1.2, zorder=1,
              label=f"guide: {over}$^{{{order}}}$")


def convergence(results, ask):
    """An error norm over n (or dt, ...): one line per combination of the other parameters, slope by least squares over
    the points before the error saturates. Lines without an order say so."""
    if not results.norms and (ask.of is None or ask.kind):
        if ask.of is not None:
            results.choose(ask.of, None, [], "convergence")
        raise Refusal("this file has no error norms: they come with an 'exact' solution in the config")
    of = results.choose(ask.of, main_norm(results), results.norms, "convergence")
    over = choose_axis(results, ask.over)
    others = [p for p in results.swept if p != over]
    lines = lines_of_runs(results, of, over, others)
    refines = results.refines(over, [rows for rows, _, _ in lines.values()])
    second = ""
    if not refines:
        second = f"{over} changes neither the grid nor the time step: the slopes are no orders of convergence"
        note(second)
    many = len(lines) > look.MOST_LINES * len(look.DASHES)      # no legend could name them
    figure, axes = look.plt.subplots(figsize=look.figure_size(ask, (6.4, 4.8)), layout="constrained")
    fits, drawn = [], []
    for (key, (_, x, y)), colours in zip(lines.items(), look.line_looks(list(lines))):
        fit = fit_order(x, y, {"n": -1, "dt": 1}.get(over, 0), refines)
        fits.append(fit)
        name = ", ".join(f"{p} = {number(v)}" for p, v in zip(others, key))
        what, why = told(fit, len(x), "order" if refines else "power law")
        say(what + (f"  {name}" if name else "") + why)
        drawn.append(draw_line(axes, x, y, fit, colours, f"{name}: " if name else "", refines))
    if refines:
        draw_guide(axes, over, [(x, y) for _, x, y in lines.values()], fits)
    if any(fit.good and fit.count < len(x) for fit, (_, x, _) in zip(fits, lines.values())):
        axes.plot([], [], "o", color="#777777", markerfacecolor="white", label="left out of the fit: saturated")
    look.set_axes([axes], ask, "xy")
    ticks = levels(results.param[over])
    if len(ticks) <= 10 and "x" in logarithmic(ask, "xy"):
        look.value_ticks(axes.xaxis, ticks)
    axes.grid(True)
    axes.set_xlabel(results.label(over))
    axes.set_ylabel(look.label_of(results, of))
    look.tell_apart(axes, drawn)
    if many:
        note(f"{len(lines)} lines are more than a legend can name; their slopes are printed")
    look.finish(figure, results, second, legend=None if many else lambda: look.legend(
        axes, ask, beside=len(lines) > look.MOST_LINES, least=1))
    return figure
