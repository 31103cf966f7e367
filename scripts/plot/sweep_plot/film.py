"""Films of fields: over all saved times, or over the values of a parameter (--over A). A field of two dimensions, or a
plane of three, has a panel for each run; a field over x a line for each, and over A it is drawn over x and t."""
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile

import numpy as np

from pysweep.refusal import PROGRAM, Refusal, note
from pysweep.results import choose_runs, edges, levels, nearest, number, told_time
from pysweep.stored import first_line

from . import look
from .images import colours_of, draw_image
from .lines import name_of
from .panels import axes_of_plane, choose_field, choose_rows, evenly, figure_of, require_planes, times_of

MOST_FRAMES = 240
SEEN = 12               # frames that decide the colours
FRAME_TIME = 0.1        # seconds
LAST_TIME = 1.5         # that the last frame stays
GREYS = 40              # of 256 colours


# ------------------------------------------------------------------------------------------------------------ frames

def palette_of(cmaps):
    """256 colours, [256][3]: greys, among them black and white, and the rest of the colour maps."""
    greys = np.linspace(0, 255, GREYS)[:, None] * np.ones(3)
    missing = 255 * np.array(look.matplotlib.colors.to_rgb(look.MISSING))
    most = (256 - GREYS - 1) // len(cmaps)
    of_map = [255 * cmap(np.linspace(0, 1, most))[:, :3] for cmap in cmaps]
    found = np.vstack([greys, missing, *of_map])
    return np.rint(np.vstack([found, np.zeros((256 - len(found), 3))])).astype(np.uint8)


class Frames:
    """A figure that changes: show(k) draws frame k. cmaps: the colour maps in it."""

    def __init__(self, figure, cmaps, count, show):
        self.figure, self.cmaps, self.count, self.show = figure, cmaps, count, show

    def picture(self, k, dpi):
        from PIL import Image
        drawn = io.BytesIO()
        self.show(k)
        self.figure.savefig(drawn, format="rgba", dpi=dpi)
        size = tuple(int(length) for length in self.figure.get_size_inches() * dpi)     # as matplotlib rounds them
        return Image.frombytes("RGBA", size, drawn.getvalue()).convert("RGB")

    def pictures(self, dpi):
        """All of them, one after another; a terminal shows how far it is."""
        told = sys.stderr.isatty()
        for k in range(self.count):
            if told:
                print(f"\rframe {k + 1} of {self.count}", end="", file=sys.stderr, flush=True)
            yield self.picture(k, dpi)
        if told:
            print("\r\033[K", end="", file=sys.stderr, flush=True)

    def write(self, ending, dpi):
        """The film, as bytes."""
        return WRITERS[ending](self, dpi)


def animated(frames, dpi, kind):
    """A file that Pillow writes. All frames share one palette, so that no colour flickers."""
    from PIL import Image
    palette = Image.new("P", (1, 1))
    palette.putpalette(palette_of(frames.cmaps).ravel().tolist())
    made = [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in frames.pictures(dpi)]
    lasts = [int(1000 * FRAME_TIME)] * (frames.count - 1) + [int(1000 * LAST_TIME)]
    out = io.BytesIO()
    made[0].save(out, format=kind, save_all=True, append_images=made[1:], duration=lasts, loop=0)
    return out


def mp4(frames, dpi):
    """By ffmpeg. Players want even sides and colours of half the resolution; the last frame is repeated."""
    program = shutil.which("ffmpeg")
    if not program:
        raise Refusal("there is no ffmpeg, which writes .mp4 (Debian: ffmpeg); .gif and .apng need none", PROGRAM)
    pictures = frames.pictures(dpi)
    first = next(pictures)
    with tempfile.TemporaryDirectory() as folder:
        made = os.path.join(folder, "film.mp4")
        command = [program, "-v", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{first.width}x{first.height}",
                   "-r", f"{1 / FRAME_TIME:g}", "-i", "-", "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2:color=white",
                   "-c:v", "libx264", "-crf", "16", "-pix_fmt", "yuv420p", "-movflags", "+faststart", made]
        with tempfile.TemporaryFile() as said:
            encoder = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=said, stderr=said)
            try:
                last = first
                encoder.stdin.write(first.tobytes())
                for last in pictures:
                    encoder.stdin.write(last.tobytes())
                for _ in range(int(LAST_TIME / FRAME_TIME) - 1):
                    encoder.stdin.write(last.tobytes())
                encoder.stdin.close()
            except BrokenPipeError:     # it says why
                pass
            code = encoder.wait()
            said.seek(0)
            text = said.read().decode(errors="replace")
        if code:
            raise Refusal(f"ffmpeg ended with exit code {code}: {first_line(text)}; .gif and .apng need none", PROGRAM)
        with open(made, "rb") as f:
            return io.BytesIO(f.read())


WRITERS = {".gif": lambda frames, dpi: animated(frames, dpi, "GIF"),
           ".apng": lambda frames, dpi: animated(frames, dpi, "PNG"), ".mp4": mp4}


# ----------------------------------------------------------------------------------------------------- what they show

def frames_over_time(results, of, rows):
    """The times of the frames: all that were saved of any of these runs, or as many as there may be."""
    every = np.unique(np.concatenate([times_of(results, row, of) for row in rows]))
    kind = "image" if results.dimensions(rows[0], of) > 1 else "lines"
    if len(every) < 2:
        raise Refusal(f"{of} was saved at one time only; draw it with --kind {kind}, or save more in "
                      "output.fields.times" if results.timed else
                      f"problem {results.problem} has no time; draw {of} with --kind {kind}, or give --over PARAM")
    times = every[evenly(len(every), MOST_FRAMES)]
    if len(times) < len(every):
        note(f"drawing {len(times)} of {len(every)} saved times")
    return times


def runs_over(results, ask, of):
    """A run for each value of the parameter of --over, ascending: those that are in all else as the run of --run, or
    the first one that finished."""
    if "," in ask.over:
        raise Refusal(f"--over {ask.over}: a film shows one parameter, a value a frame")
    name = results.require(ask.over, results.swept, "swept parameter")
    chosen = choose_runs(results, ask.run) or list(np.flatnonzero(results.ok)[:1])
    if len(chosen) > 1:
        raise Refusal(f"--run: over {name} the film shows one run for each of its values; name the one that says what "
                      "else they have")
    others = [p for p in results.swept if p != name]
    alike = [row for row in range(len(results.run)) if results.worth_drawing(of)[row] and
             all(results.param[p][row] == results.param[p][chosen[0]] for p in others)]
    order = {value: k for k, value in enumerate(levels(results.param[name]))}
    rows = sorted({results.param[name][row]: row for row in reversed(alike)}.values(),
                  key=lambda row: order[results.param[name][row]])
    if len(rows) < 2:
        raise Refusal(f"--over {name}: one run alone has {results.common(chosen)} but another {name}; choose others "
                      "with --run")
    require_planes(results, ask, of, rows, lines=True)
    if others and not ask.run:
        note(f"drawing the runs with {', '.join(results.told(p, rows[0], ()) for p in others)}; --run chooses others")
    points = {axis: [results.space(row, of, axis) for row in rows]
              for axis in ("x", "y", "z")[:results.dimensions(rows[0], of)]}
    for axis, found in points.items():
        if any(len(x) != len(found[0]) or not np.allclose(x, found[0], 1e-9, 0) for x in found):
            raise Refusal(f"--over {name}: the points along {axis} are not the same in these runs, and a film has one "
                          "grid")
    some = evenly(len(rows), MOST_FRAMES)
    if len(some) < len(rows):
        note(f"drawing {len(some)} of {len(rows)} values of {name}")
    return name, [rows[k] for k in some]


def retitled(figure, before):
    """A function that writes another text in place of this one in the title of a figure."""
    titles = [figure._suptitle, *(axes.title for axes in figure.axes)]
    told = next((text for text in titles if before in text.get_text()), None)
    if told is None:        # it does not fit into a line
        return lambda now: None
    above = told.get_text()
    place = r"(?<!\w)" + re.escape(before) + r"(?![\w.])"
    return lambda now: told.set_text(re.sub(place, lambda _: now, above, count=1))


def maps_of(images):
    return list({image.get_cmap().name: image.get_cmap() for image in images}.values())


def draw_planes(results, ask, of, rows, moments, now):
    """Panels, [k]: of which run and at which time each shows in frame k."""
    plane = axes_of_plane(ask)
    count = len(moments[0])
    deciding = {}
    for column, k in enumerate(evenly(len(moments), SEEN)):
        for panel, (row, t) in enumerate(moments[k]):
            there = results.plane(row, of, t, *plane, ask.places)
            if there:
                deciding[panel, column] = there
    last = [[t if t is not None else times_of(results, row, of)[-1]] for row, t in moments[-1]]
    figure, drawn = figure_of(results, ask, of, [row for row, _ in moments[-1]][:count], last, deciding, now)

    def show(k):
        for (panel, _), picture in drawn.items():
            row, t = moments[k][panel]
            values = results.plane(row, of, t, *plane, ask.places)[0]
            if not isinstance(picture, look.matplotlib.image.AxesImage):
                x, y = (results.cells(row, of, axis) for axis in plane)
                values = np.hstack([values, values[:, :1]]) if x[1] else values
                values = np.vstack([values, values[:1]]) if y[1] else values
            (picture.set_data if hasattr(picture, "set_data") else picture.set_array)(np.ma.masked_invalid(values))
    return figure, maps_of(drawn.values()), show


def draw_lines(results, ask, of, moments, now):
    """A line for each run, between limits that hold for all frames."""
    of_run = {row: results.outputs(row, of) for row in dict.fromkeys(row for moment in moments for row, _ in moment)}
    values = {row: u.ravel() for row, (_, u) in of_run.items()}
    shown = [values[row][np.isfinite(values[row])] for row in values if results.ok[row]] or list(values.values())
    every = np.concatenate(shown)
    every = every[np.isfinite(every)]
    if len(every) == 0:
        raise Refusal("there is nothing finite to draw")
    rows = [row for row, _ in moments[-1]]
    figure, axes = look.plt.subplots(figsize=look.figure_size(ask, (7.2, 4.6)), layout="constrained")
    looks = look.line_looks([tuple(results.param[p][row] for p in results.differing(rows)) for row in rows])

    def state(row, t):
        times, u = of_run[row]
        return u[nearest(times, t)] if len(times) else np.full(len(results.space(row, of)), np.nan)
    lines = [axes.plot(results.space(row, of), state(row, t), label=name_of(results, row, rows),
                       **{**colours, "marker": "None"})[0] for (row, t), colours in zip(moments[-1], looks)]
    room = 0.04 * (np.ptp(every) or abs(every[0]) or 1.0)
    axes.set_ylim(every.min() - room, every.max() + room)
    axes.set(xlabel=results.along("x"), ylabel=results.label(of))
    look.set_axes([axes], ask)
    axes.grid(True)
    second = ", ".join(filter(None, [now, results.common(rows)]))
    look.finish(figure, results, second, legend=lambda: look.legend(axes, ask))

    def show(k):
        for line, (row, t) in zip(lines, moments[k]):
            line.set_ydata(state(row, t))
    fading = look.matplotlib.colors.LinearSegmentedColormap.from_list    # what the edges of lines have
    cmaps = [fading(str(colour), ["white", colour]) for colour in dict.fromkeys(line.get_color() for line in lines)]
    return figure, cmaps, show


def draw_spacetimes(results, ask, of, rows):
    """A field over x and t, of one run after another."""
    data = [results.outputs(row, of) for row in rows]
    t = max((t for t, _ in data), key=len)
    if len(t) < 2 or any(not np.array_equal(own, t[:len(own)]) for own, _ in data):
        raise Refusal(f"{of} was not saved at two times or more that all these runs have; give --time to draw it at "
                      "one")
    colours, beyond = colours_of(results, ask, rows, [u for _, u in data])
    figure, axes = look.plt.subplots(figsize=look.figure_size(ask, (7.0, 4.6)), layout="compressed")
    x, again = results.cells(rows[0], of, "x")

    def cells(k):
        own, u = data[k]
        u = np.vstack([u, np.full((len(t) - len(own), u.shape[1]), np.nan)])
        return np.ma.masked_invalid(np.hstack([u, u[:, :1]]) if again else u)
    image = draw_image(axes, x, edges(t), cells(len(rows) - 1), colours)
    axes.set(xlabel=results.along("x"), ylabel=results.along("time"))
    look.set_axes([axes], ask)
    look.colour_bar(figure, image, axes, results.label(of), beyond)
    look.finish(figure, results, results.common(rows[-1:]))
    return figure, maps_of([image]), lambda k: image.set_array(cells(k))


def film(results, ask):
    """The figure of a film, whose frames are figure.frames."""
    of = choose_field(results, ask, "film")
    if ask.over:
        name, rows = runs_over(results, ask, of)
        moments = [[(row, ask.time)] for row in rows]
        texts = [results.told(name, row, rows) for row in rows]
        before = results.told(name, rows[-1], ())
    else:
        if ask.time is not None:
            raise Refusal("--time: a film shows all saved times; with --over PARAM it shows one, for each value")
        rows = choose_rows(results, ask, of, lines=True)
        times = frames_over_time(results, of, rows)
        moments = [[(row, t) for row in rows] for t in times]
        texts = [f"t = {number(t, 4)}" for t in times]
        before = texts[-1]
    now = before if not ask.over else None
    if min(results.dimensions(row, of) for row in rows) > 1:
        figure, cmaps, show = draw_planes(results, ask, of, rows, moments, now)
    elif ask.over and ask.time is None:
        figure, cmaps, show = draw_spacetimes(results, ask, of, rows)
    else:
        if ask.over:
            now = told_time([nearest_time(results, row, of, ask.time) for row in rows], ask.time, of)
        figure, cmaps, show = draw_lines(results, ask, of, moments, now)
    write = retitled(figure, before)

    def show_frame(k):
        show(k)
        write(texts[k])
    figure.frames = Frames(figure, cmaps, len(moments), show_frame)
    return figure


def nearest_time(results, row, of, t):
    times = times_of(results, row, of)
    return times[nearest(times, t)]
