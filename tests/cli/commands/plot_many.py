#!/usr/bin/python3
"""plot_many.py FOLDER: sweep plot for many command lines, without a start of Python with matplotlib for each.

For each line of the input, the words in FOLDER/words, each ended by a 0 byte, are done in a process of its own. What it
says goes to FOLDER/out; its exit code is printed as a shell tells it. The words are those after 'sweep plot', or
'program', the text of a program in Python and its arguments; there draw(FILE, OPTIONS...) gives a figure.
"""
import gc
import io
import os
import sys
import warnings

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "fuzz"))
import fuzz_plot
from fuzz_plot import plot
from pysweep import results, stored
from sweep_plot import convergence, heatmap, images, lines, look, options


def draw(*words):
    """The figure, laid out; without options it has data."""
    ask = options.arguments(words)
    figure, _ = plot.picture_of(results.Results(ask.file, ask.where), ask)
    assert len(words) > 1 or has_data(figure), words
    return figure


def has_data(figure):
    marks = 0
    for axes in figure.axes:
        marks += sum(plot.np.isfinite(drawn.get_array()).sum() for drawn in axes.images)
        marks += sum(plot.np.isfinite(line.get_ydata()).sum() > (line.get_marker() == "None") for line in axes.lines)
        marks += sum(plot.np.isfinite(drawn.get_array()).sum() for drawn in axes.collections
                     if drawn.get_array() is not None and axes.get_label() != "<colorbar>")
    return marks > 0


def texts(figure):
    """All texts that are drawn, and their boxes."""
    kind, drawn = plot.matplotlib.text.Text, []
    ours = kind.draw
    kind.draw = lambda self, *more: (drawn.append(self), ours(self, *more))
    figure.draw_without_rendering()
    kind.draw = ours
    return [(text, text.get_window_extent()) for text in drawn if text.get_visible() and text.get_text().strip()]


def crowded(figure):
    """Pairs of texts that lie on one another by more than a pixel, and texts that leave the picture. Of two turned by
    45 degrees the boxes do not tell."""
    found, width, height = texts(figure), figure.bbox.x1, figure.bbox.y1
    pairs = [(a.get_text(), b.get_text()) for k, (a, x) in enumerate(found) for b, y in found[:k]
             if min(x.x1, y.x1) - max(x.x0, y.x0) > 1 and min(x.y1, y.y1) - max(x.y0, y.y0) > 1 and
             not a.get_rotation() % 90 and not b.get_rotation() % 90]
    return pairs + [a.get_text() for a, x in found if x.x0 < -1 or x.y0 < -1 or x.x1 > width + 1 or x.y1 > height + 1]


def ticks(axis):
    """What is written at the ticks that are seen."""
    low, high = sorted(axis.get_view_interval())
    return [tick.label1.get_text() for tick in axis.get_major_ticks() + axis.get_minor_ticks()
            if low <= tick.get_loc() <= high and tick.label1.get_text()]


def edges(mesh):
    """Of the cells of a table of colours, along x and y."""
    corners = plot.np.concatenate([path.vertices for path in mesh.get_paths()])
    return tuple(plot.np.unique(corners[:, k].round(12)) for k in (0, 1))


def names(axes):
    return [text.get_text() for text in axes.get_legend().get_texts()]


def execute(text, arguments):
    plot.matplotlib.rcParams.update(look.STYLE)
    sys.argv = ["program", *arguments]
    exec(text, {"draw": draw, "names": names, "texts": texts, "crowded": crowded, "ticks": ticks, "edges": edges,
                "numpy": plot.np, "plot": plot, "sys": sys, "convergence": convergence, "heatmap": heatmap,
                "images": images, "lines": lines, "look": look, "options": options, "results": results,
                "stored": stored})
    return 0


def load_fonts_and_backends():
    """Once, in the process from which the others are forked: matplotlib loads them when they are first used."""
    with plot.matplotlib.rc_context(look.STYLE):
        figure = plot.matplotlib.figure.Figure()
        axes = figure.subplots()
        axes.plot([1, 2], [1, 2], label="abc")
        axes.set(xscale="log", yscale="log", title="$10^{-3}$ abcdefghijklmnopqrstuvwxyz 0123456789", xlabel="$x_1$")
        axes.legend()
        for kind in ("png", "svg", "pdf"):
            figure.savefig(io.BytesIO(), format=kind)


def main(folder):
    warnings.resetwarnings()    # fuzz_plot has switched them off
    load_fonts_and_backends()
    gc.freeze()     # forks are short: none looks for cycles, among all that is loaded
    gc.disable()
    for _ in sys.stdin:
        with open(os.path.join(folder, "words"), "rb") as f:
            words = os.fsdecode(f.read()).split("\0")[:-1]
        work = (lambda: execute(words[1], words[2:])) if words[0] == "program" else (lambda: plot.main(words))
        code = fuzz_plot.run(work, os.path.join(folder, "out"))
        print(code if code >= 0 else 128 - code, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
