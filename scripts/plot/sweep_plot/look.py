"""How pictures look: colours, line styles, colour scales, ticks, titles and legends that fit."""
import logging
import textwrap
import warnings

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import LogNorm, Normalize, TwoSlopeNorm
from matplotlib.font_manager import FontProperties

from pysweep.refusal import FILE, Refusal, note
from pysweep.results import NORM_LABELS, number

# Okabe and Ito: told apart by all
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"]
DASHES = ["-", (0, (5, 2)), (0, (1.2, 1.6)), (0, (6, 2, 1.2, 2)), (0, (3, 1.5, 1, 1.5, 1, 1.5))]
MARKERS = ["o", "s", "^", "D", "v", "P", "X"]
SEQUENTIAL, DIVERGING = "viridis", "RdBu_r"    # perceptually uniform; white at 0
MISSING = "#bbbbbb"     # what is not finite, or not there
MOST_LINES = len(COLOURS)
MOST_ENTRIES = 40       # of a legend, or of ticks at values
MOST_NAMES = 12         # of a parameter's values in a legend; more numbers have a colour bar
LONGEST_WORD = 24       # letters of a word at a tick
PIXEL_LIMIT = 2**28     # 1 GiB of memory while it is drawn
PRINTS = (1.0, 0.8, 0.64, 0.5)  # sizes of print, the largest of which fits is taken
STYLE = {
    "font.size": 10.5, "axes.titlesize": 10.5, "axes.labelsize": 11, "figure.titlesize": 12.5, "legend.fontsize": 9.5,
    "axes.prop_cycle": matplotlib.cycler(color=COLOURS), "axes.spines.top": False, "axes.spines.right": False,
    "axes.grid": False, "grid.color": "#d9d9d9", "grid.linewidth": 0.6, "lines.linewidth": 1.6, "lines.markersize": 5.5,
    "axes.formatter.limits": (-4, 5), "axes.formatter.use_mathtext": True,
    "legend.frameon": False, "figure.dpi": 100, "savefig.dpi": 150, "svg.fonttype": "none", "pdf.fonttype": 42,
}


def style_of(path):
    """Our style, with the user's style sheet on top of it."""
    if path is None:
        return STYLE
    said = []
    handler = logging.Handler()
    handler.emit = lambda record: said.append(record.getMessage())
    logger = logging.getLogger("matplotlib")
    logger.addHandler(handler)
    logger.propagate = False
    try:
        own = matplotlib.rc_params_from_file(path, fail_on_error=True, use_default_template=False)
    except OSError as error:
        raise Refusal(f"cannot read the style sheet {path}: {error.strerror or error}", FILE)
    except Exception as error:
        raise Refusal(f"{path} is no style sheet of matplotlib: {' '.join(str(error).split())}; it has lines such as "
                      "'axes.labelsize: 14'")
    finally:
        logger.removeHandler(handler)
    if said:
        raise Refusal(f"{path} is no style sheet of matplotlib: {' '.join(said[0].split())}; it has lines such as "
                      "'axes.labelsize: 14'")
    with warnings.catch_warnings(), matplotlib.style.context(path):  # which leaves keys that are no matter of style
        warnings.simplefilter("ignore")
        return {**STYLE, **{key: matplotlib.rcParams[key] for key in own}}


# ------------------------------------------------------------------------------------------------------- what fits

def fitted(draw):
    """The figure that draw() makes, in the largest print in which no text lies on another or leaves the picture. It is
    laid out, and stays so: a layout takes as long as all the rest of drawing, and frames of films keep their places."""
    sizes = {key: size for key, size in plt.rcParams.items()
             if key in STYLE and key.endswith(("size", "linewidth")) and not isinstance(size, str)}
    for scale in PRINTS:
        plt.close("all")
        plt.rcParams.update({key: scale * size for key, size in sizes.items()})
        figure = draw()
        if not crowded(figure):
            break
    else:
        note("names run together; a larger --size makes room")
    with matplotlib.rc_context({"figure.autolayout": False, "figure.constrained_layout.use": False}):
        figure.set_layout_engine(None)  # "none" leaves one, for which savefig would draw everything once more
    return figure


def crowded(figure):
    """Whether a text lies on another or leaves the picture. Of two turned ones the boxes do not tell."""
    figure.draw_without_rendering()
    texts = [figure._suptitle, figure._supxlabel]
    for axes in (axes for axes in figure.axes if axes.get_visible()):
        texts += [axes.title, *axes.texts, axes.get_legend()]
        for axis in (axes.xaxis, axes.yaxis):
            texts += [axis.label, axis.get_offset_text(), *tick_texts(axis)]
    boxes = [(text.get_window_extent().padded(-1), getattr(text, "get_rotation", float)() % 90 != 0) for text in texts
             if text and text.get_visible() and getattr(text, "get_text", lambda: "legend")().strip()]
    return (any(box.x0 < 0 or box.y0 < 0 or box.x1 > figure.bbox.x1 or box.y1 > figure.bbox.y1 for box, _ in boxes) or
            any(box.overlaps(other) and not (turned and also) for k, (box, turned) in enumerate(boxes)
                for other, also in boxes[:k]))


def tick_texts(axis):
    """The names of the ticks that are drawn."""
    low, high = sorted(axis.get_view_interval())
    room = 1e-9 * (high - low)
    return [tick.label1 for tick in axis.get_major_ticks() if low - room <= tick.get_loc() <= high + room and
            tick.label1.get_visible() and tick.label1.get_text()]


# ---------------------------------------------------------------------------------------------------------- colours

def colour_scale(data, ask, many_decades=False):
    """Colour map, range, and the ends of the colour bar beyond which data lie: diverging and centred at 0 for signed
    data, else sequential; logarithmic where it is asked for, or, with many_decades, if need be."""
    finite = data[np.isfinite(data)]
    if len(finite) == 0:
        raise Refusal("there is nothing finite to draw")
    logarithmic = ask.log not in (None, "none") and "c" in ask.log
    if logarithmic and not (finite > 0).any():
        raise Refusal("--log c: no value is greater than 0")
    low, high = (finite[finite > 0] if logarithmic else finite).min(), finite.max()
    if logarithmic and finite.min() <= 0:
        note("--log c: values of 0 and less are grey")
    asked = ask.clim or (None, None)
    low, high = (own if given is None else given for own, given in zip((low, high), asked))
    if ask.clim and low >= high:
        raise Refusal(f"--clim: the values end at {number(finite.min())} and {number(finite.max())}; nothing is left")
    if logarithmic and low <= 0:
        raise Refusal("--clim and --log c: a logarithmic axis has its ends above 0")
    beyond = {(True, True): "both", (True, False): "min", (False, True): "max", (False, False): "neither"}[
        (finite.min() < low and not logarithmic, finite.max() > high)]
    if logarithmic or (many_decades and ask.log is None and 0 < low < high / 100):
        return SEQUENTIAL, LogNorm(low, high if high > low else 10 * low), beyond
    if low < 0 < high and -low > 0.05 * high and high > -0.05 * low:
        top = max(-low, high)
        low, high = (-top, top) if not ask.clim else (low, high)
        return DIVERGING, TwoSlopeNorm(0.0, low, high), beyond
    return SEQUENTIAL, Normalize(low, high if high > low else low + (abs(low) or 1.0)), beyond


def colour_bar(figure, image, panels, label, beyond="neither", **options):
    bar = figure.colorbar(image, ax=panels, label=label, extend=beyond, **options)
    bar.outline.set_visible(False)
    return bar


def ramp(count):
    """Colours in order, which stop short of pale yellow."""
    return [plt.get_cmap(SEQUENTIAL)(k / max(count - 1, 1) * 0.9) for k in range(count)]


def ramp_bar(axes, values, label):
    """A colour bar for lines in a ramp, where they are too many to be named."""
    scale = plt.cm.ScalarMappable(Normalize(min(values), max(values)), matplotlib.colors.ListedColormap(ramp(256)))
    colour_bar(axes.figure, scale, axes, label)


def line_looks(keys):
    """Colour, dashes and marker of each line. keys: the values of the parameters that tell the lines apart, one tuple
    a line. Few lines: a colour each. One number: a ramp. Two parameters of few values: colours for the one, dashes for
    the other. Else colours with dashes while these suffice, then a ramp."""
    columns = [list(dict.fromkeys(column)) for column in zip(*keys)]
    columns = [values for values in columns if len(values) > 1]
    where = [k for k, column in enumerate(zip(*keys)) if len(set(column)) > 1]
    numeric = all(not isinstance(v, str) for values in columns for v in values)
    count = len(keys)
    if count <= MOST_LINES:
        pairs = [(k, 0, k) for k in range(count)]
    elif len(columns) == 2 and any(a <= MOST_LINES and b <= len(DASHES) for a, b in
                                   (map(len, columns), map(len, columns[::-1]))):
        order = (0, 1) if len(columns[0]) <= MOST_LINES and len(columns[1]) <= len(DASHES) else (1, 0)
        pairs = [tuple(columns[c].index(key[where[c]]) for c in order) for key in keys]
        pairs = [(colour, dash, dash) for colour, dash in pairs]
    elif not (len(columns) == 1 and numeric) and count <= MOST_LINES * len(DASHES):
        pairs = [(k % MOST_LINES, k // MOST_LINES, k // MOST_LINES) for k in range(count)]
    else:
        return [{"color": colour, "linestyle": "-", "marker": "o"} for colour in ramp(count)]
    return [{"color": COLOURS[c], "linestyle": DASHES[d], "marker": MARKERS[m]} for c, d, m in pairs]


def tell_apart(axes, drawn):
    """Lines that lie on one another: those drawn later get gaps (or smaller markers) that show the ones below. Of many
    lines gaps would show nothing."""
    if len(drawn) > MOST_LINES:
        return
    plain_ticks(axes.figure)
    axes.figure.draw_without_rendering()
    places = [axes.transData.transform(np.column_stack(line.get_data())) for line in drawn]
    for k, line in enumerate(drawn):
        below = sum(lie_together(place, places[k]) for place in places[:k])
        if below and line.get_linestyle() != "None":
            line.set_linestyle((0, (4, 4)) if below == 1 else (0, (1.5, 6.5)))
        elif below:
            line.set_markersize(line.get_markersize() * max(0.7**below, 0.3))


def lie_together(a, b):
    """Whether two curves, [points][x, y] in pixels, are less than two pixels apart where both are."""
    a, b = a[np.isfinite(a).all(axis=1)], b[np.isfinite(b).all(axis=1)]
    if len(a) < 2 or len(b) < 2 or (np.diff(a[:, 0]) <= 0).any() or (np.diff(b[:, 0]) <= 0).any():
        return len(a) == len(b) > 0 and bool(np.abs(a - b).max() < 2)
    low, high = max(a[0, 0], b[0, 0]), min(a[-1, 0], b[-1, 0])
    if high - low < 0.5 * max(np.ptp(a[:, 0]), np.ptp(b[:, 0])):
        return False
    x = np.linspace(low, high, 100)
    return bool(np.abs(np.interp(x, *a.T) - np.interp(x, *b.T)).max() < 2)


# ------------------------------------------------------------------------------------------------------------- text

def width_of(figure, text, size):
    """Of a text in inches."""
    width, _, _ = figure.canvas.get_renderer().get_text_width_height_descent(text, FontProperties(size=size), False)
    return width / figure.dpi


def wrapped(figure, text, width, size):
    """A text in lines that are no wider than so many inches, broken after commas and semicolons where it has them, else
    between words, and in a word where that alone is wider."""
    size = FontProperties(size=size).get_size_in_points()
    lines = [""]
    for part in text.replace("; ", ";\0").replace(", ", ",\0").split("\0"):
        if width_of(figure, f"{lines[-1]} {part}", size) <= width or not lines[-1]:
            lines[-1] = f"{lines[-1]} {part}".strip()
        else:
            lines.append(part)
    letters = max(4, int(width / max(width_of(figure, text, size) / max(len(text), 1), 1e-3)))
    return "\n".join("\n".join(textwrap.wrap(line, letters)) if width_of(figure, line, size) > width else line
                     for line in lines)


def finish(figure, results, second="", panels=False, legend=None):
    """The sweep's title, a line that says what is drawn (panels: above all of them), and in small print where the
    numbers come from; labels in lines that fit, what legend() adds, and ticks. To be called when all is drawn."""
    plain_ticks(figure)
    width = figure.get_figwidth() - 0.3
    second = "; ".join(filter(None, [second, results.told_where]))
    text = wrapped(figure, results.title, width, matplotlib.rcParams["figure.titlesize"])
    second = wrapped(figure, second, width - 0.6, matplotlib.rcParams["axes.titlesize"])
    if panels and second:
        text += "\n" + second
    elif second:
        figure.axes[0].set_title(second, color="#555555")
    figure.suptitle(text)
    small = 0.62 * matplotlib.rcParams["font.size"]
    figure.supxlabel(wrapped(figure, results.origin, width, small), x=0.995, ha="right", fontsize=small,
                     color="#888888")
    for axes in figure.axes:
        place = getattr(axes, "get_subplotspec", lambda: None)()     # a colour bar has none
        rows, columns = place.get_gridspec().get_geometry() if place else (1, 1)
        for label, room in ((axes.xaxis.label, (width - 0.6) / columns),
                            (axes.yaxis.label, (figure.get_figheight() - 0.9) / rows)):
            label.set_text(wrapped(figure, label.get_text(), room, label.get_size()))
    if legend:
        legend()        # which may leave the axes beside the middle of the picture
        box, size = figure.axes[0].get_window_extent(), matplotlib.rcParams["axes.titlesize"]
        room = 2 * min(box.x0 + box.width / 2, figure.bbox.x1 - box.x1 + box.width / 2) / figure.dpi - 0.2
        figure.axes[0].set_title(wrapped(figure, second.replace("\n", " "), room, size), color="#555555")
    settle(figure)


def panel_titles(figure, axes, names, width):
    """A title for each panel, in smaller print where they need many lines."""
    size = usual = matplotlib.rcParams["axes.titlesize"]
    parts = [part for name in names for part in name.replace(", ", ",\0").split("\0")]
    while size > 0.67 * usual and (any(width_of(figure, part, size) > width for part in parts) or
                                   any(width_of(figure, name, size) > 2 * width for name in names)):
        size -= 0.5
    for panel, name in zip(axes, names):
        panel.set_title(wrapped(figure, name, width, size), fontsize=size)


def tick_names(values):
    """Of numbers, all in one style: as they are, or where one would have an exponent all as powers of ten."""
    for digits in (3, 4):
        names = [f"{v:.0f}" if v == int(v) and abs(v) < 1e6 else f"{v:.{digits}g}" for v in values]
        if len(set(names)) == len(set(values)) and not any("e" in n for n in names) and max(map(len, names)) <= 7:
            return names
    parts = [f"{v:.2e}".split("e") for v in values]
    parts = [(mantissa.rstrip("0").rstrip("."), int(exponent)) for mantissa, exponent in parts]
    return ["0" if m == "0" else f"$10^{{{e}}}$" if m == "1" else f"${m} \\cdot 10^{{{e}}}$" for m, e in parts]


class GridValues(matplotlib.ticker.FixedLocator):
    """Ticks at the values of a parameter that are seen, while their names do not run together."""
    def __call__(self):
        low, high = sorted(self.axis.get_view_interval())
        return [value for value in self.locs if low <= value <= high]


class Names(matplotlib.ticker.Formatter):
    def __call__(self, value, place=None):
        return tick_names([value])[0]

    def format_ticks(self, values):
        return tick_names(values)


class Plain(matplotlib.ticker.ScalarFormatter):
    """Numbers at ticks without a formula about each, which takes ten times as long to lay out; the power of ten beside
    an axis is one."""
    def __call__(self, value, place=None):
        name, (before, behind) = super().__call__(value, place), ("$\\mathdefault{", "}$")
        return name[len(before):-len(behind)] if name.startswith(before) and name.endswith(behind) else name


def plain_ticks(figure):
    """Before it is laid out."""
    for axis in (axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)):
        if type(axis.get_major_formatter()) is matplotlib.ticker.ScalarFormatter:
            axis.set_major_formatter(Plain())


def value_ticks(axis, values):
    """Ticks at these values, if settle() finds that they fit."""
    if len(values) <= MOST_ENTRIES:
        axis.set_major_locator(GridValues(values))
        axis.set_major_formatter(Names())
        axis.set_minor_locator(matplotlib.ticker.NullLocator())


def settle(figure):
    """Ticks whose names do not run together, and two at least on a logarithmic axis. To be called when the axes have
    their limits."""
    axes_of = [axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)]
    for axis in axes_of:
        if axis.get_scale() == "log" and not isinstance(axis.get_major_locator(), GridValues):
            logarithmic_ticks(axis)
    wanted = [axis for axis in axes_of if isinstance(axis.get_major_locator(), GridValues)]
    if wanted:
        figure.draw_without_rendering()
    for axis in wanted:
        if run_together(axis):
            getattr(axis.axes, f"set_{axis.axis_name}scale")(axis.get_scale())  # which brings the usual ticks
            if axis.get_scale() == "log":
                logarithmic_ticks(axis)


def run_together(axis):
    """Whether names of ticks have less than a letter between them."""
    boxes = [text.get_window_extent() for text in tick_texts(axis)]
    ends = sorted((box.x0, box.x1) if axis.axis_name == "x" else (box.y0, box.y1) for box in boxes)
    room = matplotlib.rcParams["font.size"] / 72 * axis.axes.figure.dpi * 0.7 if axis.axis_name == "x" else 0
    return any(after[0] < before[1] + room for before, after in zip(ends, ends[1:]))


def logarithmic_ticks(axis):
    """Where fewer than two powers of ten are on an axis, numbers between them have ticks with names."""
    low, high = sorted(axis.get_view_interval())
    if not 0 < low < high:
        return
    decades = range(int(np.floor(np.log10(low))), int(np.ceil(np.log10(high))) + 1)
    for digits in ((1,), (1, 3), (1, 2, 5), (1, 2, 3, 5, 7)):
        ticks = [digit * 10.0**decade for decade in decades for digit in digits if low <= digit * 10.0**decade <= high]
        if len(ticks) > (digits != (1,)) + 1:
            break
    if digits == (1,):
        return
    if len(ticks) < 2:
        ticks = [tick for tick in matplotlib.ticker.MaxNLocator(4).tick_values(low, high) if low <= tick <= high]
    axis.set_major_locator(matplotlib.ticker.FixedLocator(ticks))
    axis.set_major_formatter(Names())
    axis.set_minor_formatter(matplotlib.ticker.NullFormatter())


def category_ticks(axis, words, room):
    """Ticks at 0, 1, 2 ... with words, in so many inches: turned where they need it."""
    figure, size = axis.axes.figure, matplotlib.rcParams["font.size"]
    names = [textwrap.shorten(word, LONGEST_WORD, placeholder=" …") if " " in word else
             word if len(word) <= LONGEST_WORD else word[:LONGEST_WORD - 1] + "…" for word in words]
    names = [name.replace("$", "\\$") for name in names]
    height = 1.6 * size / 72
    upright = axis.axis_name == "y"
    need = height if upright else 0.14 + max(width_of(figure, name, size) for name in names)
    turned = not upright and need * len(words) > room
    step = max(1, int(np.ceil((height if turned else need) * len(words) / room)))
    axis.set_ticks(range(0, len(words), step), names[::step])
    if turned:
        for text in axis.get_ticklabels():
            text.set(rotation=45, ha="right", rotation_mode="anchor")
    if step > 1:
        note(f"{len(words)} names are more than fit on the {axis.axis_name} axis: every {step}th is written; "
             "--size makes room")


def label_of(results, of):
    return NORM_LABELS.get(of) or results.label(of)


# ---------------------------------------------------------------------------------------------------------- legends

BESIDE = {"loc": "upper left", "bbox_to_anchor": (1.01, 1.0)}    # a legend that covers nothing


def legend(axes, ask, beside=False, least=2):
    """A legend where there are that many names: within the axes where it covers nothing, else beside them, in as many
    columns as its length needs, in a figure that is wider by it (unless its size is given). To be called when all is
    drawn."""
    handles, names = axes.get_legend_handles_labels()
    if len(names) < least:
        return
    if len(names) > MOST_ENTRIES:
        note(f"the legend names {MOST_ENTRIES} of {len(names)} lines; choose some with --run")
        handles, names = handles[:MOST_ENTRIES], names[:MOST_ENTRIES - 1] + [f"… {len(names) - MOST_ENTRIES + 1} more"]
    figure = axes.figure
    room = 0.45 * figure.get_figwidth() if ask.size else 4.0
    names = [wrapped(figure, name, room, matplotlib.rcParams["legend.fontsize"]) for name in names]
    if not beside:
        axes.legend(handles, names, loc="best", ncols=1 if len(names) <= 8 else 2)
        figure.draw_without_rendering()
        box, inside = axes.get_legend().get_window_extent().padded(3), axes.get_window_extent()
        if not covers(axes, box) and box.width < 0.9 * inside.width and box.height < 0.9 * inside.height:
            return
        axes.get_legend().remove()
    for columns in range(1, 5):
        axes.legend(handles, names, ncols=columns, **BESIDE)
        figure.draw_without_rendering()
        box = axes.get_legend().get_window_extent()
        if box.height <= axes.get_window_extent().height * 1.02:
            break
        axes.get_legend().remove() if columns < 4 else None
    if not ask.size:
        figure.set_figwidth(figure.get_figwidth() + box.width / figure.dpi)


def covers(axes, box):
    """Whether a box hides some of what is drawn."""
    curves = [line.get_transform().transform_path(line.get_path()) for line in axes.lines if len(line.get_xdata()) > 0]
    bands = [axes.transData.transform_path(path) for band in axes.collections for path in band.get_paths()]
    points = [path.vertices for line, path in zip([li for li in axes.lines if len(li.get_xdata()) > 0], curves)
              if line.get_marker() not in (None, "None", "")]
    return (any(curve.intersects_bbox(box, filled=False) for curve in curves) or
            any(band.intersects_bbox(box) for band in bands) or any(box.count_contains(p) for p in points))


# ------------------------------------------------------------------------------------------------------------ axes

def figure_size(ask, usual):
    return ask.size or usual


def usually_log(values):
    """Whether ascending values want a logarithmic axis: those that spread over a factor of 4 and more, and whose median
    lies where the middle of such an axis is rather than that of a linear one."""
    if isinstance(values[0], str) or not 0 < 4 * values[0] <= values[-1]:
        return False
    off = [abs(np.median(v) - (v[0] + v[-1]) / 2) / (v[-1] - v[0]) for v in (np.asarray(values), np.log(values))]
    return bool(off[1] < off[0])


def set_axes(panels, ask, usual_log=""):
    """Scales and limits of axes, as asked for."""
    log = usual_log if ask.log is None else "" if ask.log == "none" else ask.log
    for axes in panels:
        for axis, name, asked in (("x", "xlim", ask.xlim), ("y", "ylim", ask.ylim)):
            if axis in log:
                require_positive(axes, axis)
                getattr(axes, f"set_{axis}scale")("log")
            if asked is None:
                continue
            if axis in log and asked[0] is not None and asked[0] <= 0:
                raise Refusal(f"--{name} {number(asked[0])}: a logarithmic axis begins above 0")
            low, high = (own if end is None else end for end, own in zip(asked, getattr(axes, f"get_{name}")()))
            if low >= high:
                raise Refusal(f"--{name}: the data end at {number(low)} and {number(high)}; nothing is left")
            getattr(axes, f"set_{name}")(low, high)


def require_positive(axes, axis):
    low, high = getattr(axes.dataLim, f"interval{axis}")
    if not np.isfinite([low, high]).all():
        return
    if high <= 0:
        raise Refusal(f"--log {axis}: nothing on the {axis} axis is greater than 0")
    if low < 0:
        note(f"--log {axis}: what is 0 or less on the {axis} axis is left out")
