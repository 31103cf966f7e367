"""One number a run over one swept parameter, with a curve for each value of a second one: means with their standard
errors, and the ways up and down a ladder told apart."""
import numpy as np

from pysweep.ensembles import means
from pysweep.refusal import Refusal
from pysweep.results import levels

from . import look
from .choice import averaged, choose_axes, choose_number, told
from .heatmap import is_sample, usual_log
from .options import logarithmic

MOST_MARKS = 64     # points of a curve that have a marker
MOST_BARS = 40      # of a curve that have bars of their errors; more have a band
WAYS = {"up": {"linestyle": "-"}, "down": {"linestyle": (0, (4, 2))}}
FEW_ARROWS = 3      # among more curves than have colours of their own


def draw_errors(axes, x, y, error, colour):
    """Bars from a standard error below the mean to one above it, or a band."""
    some = np.isfinite(error) & (error > 0)
    if not some.any():
        return
    if len(x) > MOST_BARS:
        axes.fill_between(x, y - error, y + error, color=colour, alpha=0.22, linewidth=0)
    else:
        axes.errorbar(x[some], y[some], yerr=error[some], fmt="none", ecolor=colour, elinewidth=1.3)


def draw_arrows(axes, up, down, colour):
    """An arrow along each way of a ladder, in the middle of where they are apart."""
    x = np.intersect1d(up[0], down[0])
    if len(x) < 3:
        return
    apart = np.abs(np.interp(x, *up) - np.interp(x, *down))
    loop = np.flatnonzero(apart > 0.05 * max(np.ptp(up[1]), np.ptp(down[1])))
    middle = loop[len(loop) // 2] if len(loop) else len(x) // 2
    for k, (own, ahead) in enumerate(((up, 1), (down, -1))):
        # where the ways are one, the arrows are beside each other
        at = np.searchsorted(own[0], x[middle if len(loop) else min(max(middle - ahead * len(x) // 8, 1), len(x) - 2)])
        at = min(max(at, 1), len(own[0]) - 2)
        ends = [(own[0][at + step], own[1][at + step]) for step in (0, ahead)]
        axes.annotate("", ends[1], ends[0], annotation_clip=True, zorder=4, arrowprops={
            "arrowstyle": "-|>", "color": colour, "mutation_scale": 17, "shrinkA": 0, "shrinkB": 0, "linewidth": 0})


def rows_of(found, **wanted):
    """The places of means whose parameters have these values, and a mean."""
    kept = np.isfinite(found.mean)
    for name, value in wanted.items():
        kept &= found.param[name] == value
    return np.flatnonzero(kept)


def draw_ladder(axes, curve, arrows, colours, name):
    """The ways along a ladder, [way] -> x, y: solid and dashed, arrows: with an arrow along each."""
    for way, (x, y) in curve.items():
        axes.plot(x, y, color=colours["color"], linewidth=1.5, label=name if way == next(iter(curve)) else None,
                  **WAYS[way])
    if arrows and len(curve) == 2:
        draw_arrows(axes, curve["up"], curve["down"], colours["color"])


def curves(results, ask):
    """One number a run over one swept parameter: a curve for each value of a second one, the mean over the others. Runs
    that are scattered over these two are points, unless both are asked for."""
    kind = ask.kind or "curves"
    over, *by = choose_axes(results, ask, kind, 1)
    of = choose_number(results, ask, kind)
    asked = (ask.over or "").split(",")
    ways = results.ways if over != results.ways else None
    by = [p for p in by if p in asked or p not in averaged(results)]
    by = [p for p in by if p != ways]
    sampled = bool(by) and is_sample(results, [over, *by])
    by = by if not sampled or "," in (ask.over or "") else []
    found = means(results, of, ask.time, results.swept if sampled else [over, *by] + [ways] * bool(ways))
    done = np.isfinite(found.mean)
    if not done.any():
        raise Refusal("there is nothing finite to draw")
    across = levels(results.param[over])
    words = isinstance(across[0], str)
    x = np.array([across.index(v) for v in found.param[over]], float) if words else found.param[over]
    lines = levels(found.param[by[0]][done]) if by else [None]
    named = isinstance(lines[0], str) or len(lines) <= look.MOST_NAMES
    figure, axes = look.plt.subplots(figsize=look.figure_size(ask, (7.2, 4.6)), layout="constrained")
    drawn, arrows = [], np.unique(np.linspace(0, len(lines) - 1, FEW_ARROWS).round())
    for k, (value, colours) in enumerate(zip(lines, look.line_looks([(value,) for value in lines]))):
        curve = {}
        for way in (WAYS if ways else [None]):
            rows = rows_of(found, **dict(zip(by, [value])), **({ways: way} if ways else {}))
            rows = rows[np.argsort(x[rows], kind="stable")]
            if len(rows) == 0:
                continue
            curve[way] = x[rows], found.mean[rows]
            draw_errors(axes, *curve[way], found.error[rows], colours["color"])
        name = f"{by[0]} = {named_value(results, by[0], value)}" if by and named else None
        if ways:
            climbs = over == results.ladder[0] and (len(lines) <= look.MOST_LINES or k in arrows)
            draw_ladder(axes, curve, climbs, colours, name)
            continue
        for places, numbers in curve.values():
            mark = colours["marker"] if sampled or len(places) <= MOST_MARKS else "None"
            small = {"markersize": 4} if np.isfinite(found.error).any() else {}     # bars are seen beside them
            drawn += axes.plot(places, numbers, **{**colours, "marker": mark, **small}, label=name)
            if sampled:
                drawn[-1].set_linestyle("None")
    for way in WAYS if ways else ():
        axes.plot([], [], color="#444444", label=way, **WAYS[way])
    axes.set_xlabel(results.label(over))
    axes.set_ylabel(look.label_of(results, of))
    log = usual_log(across, [1.0]) + "y" * (of in results.norms and bool((found.mean[done] > 0).all()))
    if words and "x" in logarithmic(ask, log):
        raise Refusal("--log x: the parameter on the x axis has words for values")
    look.set_axes([axes], ask, log)
    if words:
        look.category_ticks(axes.xaxis, across, 0.8 * figure.get_figwidth())
    elif not ways:
        look.value_ticks(axes.xaxis, across)
    axes.grid(True)
    look.tell_apart(axes, drawn)
    if not named:
        look.ramp_bar(axes, lines, results.label(by[0]))
    notes = told(results, ask, of, found, errors=bool(np.isfinite(found.error).any()))
    others = [p for p in results.swept if p not in [over, *by, ways]]
    if sampled and others:
        notes.append(f"one point a run; {' and '.join(others)} {'differ' if len(others) > 1 else 'differs'}, too")
    look.finish(figure, results, "; ".join(notes), legend=lambda: look.legend(axes, ask))
    return figure


def named_value(results, name, value):
    """A value of a parameter, told apart from its others."""
    values = levels(results.param[name])
    return results.told(name, int(np.flatnonzero(results.param[name] == value)[0]),
                        [int(np.flatnonzero(results.param[name] == v)[0]) for v in values]).split(" = ", 1)[1]
