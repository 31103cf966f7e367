#!/usr/bin/python3
"""Draw the results of sweep: convergence, lines, spacetime, image, film, slice, curves and heatmap
pictures; or write a page with all of a file (--report).

All that is written on a picture (names, units, titles) comes from the file, which
docs/reference/output.md describes.
Needs h5py, numpy and matplotlib (Debian: python3-h5py python3-matplotlib). The parts are in sweep_plot/;
pysweep/, which is python/pysweep of the repository, reads the file.
"""
import copy
import errno
import io
import os
import shlex
import shutil
import signal
import sys
import warnings

# Ctrl-C ends the program as it ends others, and silently, be it in the imports (unless the caller has it ignored)
if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
sys.dont_write_bytecode = True      # nothing is left in the folder it is installed in


def use_other_python():
    """Go on with python3 of the PATH, where this one lacks a package; only once. Names are compared: the Python of a
    venv is a link to the same file."""
    other = shutil.which("python3")
    if other and not os.environ.get("SWEEP_PYTHON") and os.path.abspath(other) != sys.executable:
        os.execve(other, [other, *sys.argv], dict(os.environ, SWEEP_PYTHON=other))


def import_matplotlib():
    """Without what the user has set for programs of his own: the MPLBACKEND of a notebook, a matplotlibrc (the one of
    the current folder comes before all others). They may not even be readable, and pictures are the same for all."""
    os.environ.update(MPLBACKEND="Agg", MATPLOTLIBRC=os.devnull)
    sys.path[:] = map(os.path.abspath, sys.path)
    here = os.open(".", os.O_PATH)
    os.chdir(os.path.dirname(os.path.abspath(__file__)))
    try:
        import matplotlib   # which reads them
    finally:
        os.fchdir(here)
        os.close(here)
    matplotlib.get_configdir = lambda: os.devnull   # nor his style sheets, all of which pyplot reads
    return matplotlib


try:
    import numpy as np
    matplotlib = import_matplotlib()
    import matplotlib.pyplot as plt
    from pysweep.guard import HINT, guarded, print_refusal
    from pysweep.refusal import FILE, PROGRAM, Refusal
    from pysweep.results import OTHER_NAMES, Results
    from pysweep.stored import first_line
    from sweep_plot import look
    from sweep_plot.convergence import convergence, converges
    from sweep_plot.curves import curves
    from sweep_plot.film import film
    from sweep_plot.heatmap import heatmap
    from sweep_plot.images import slices, spacetime
    from sweep_plot.lines import ALONG, lines, lines_fit
    from sweep_plot.options import FILMS, USES, arguments, given, require_used
    from sweep_plot.panels import image
    from sweep_plot.report import DPI, PICTURES, page
except ImportError as error:
    own = (error.name or "").split(".")[0] in ("sweep_plot", "pysweep")
    if not own:
        use_other_python()
    print(f"error: {error}; " + ("sweep_plot and pysweep have to be beside plot.py: install sweep again" if own else
                                 "install python3-h5py and python3-matplotlib (Debian, Ubuntu)"), file=sys.stderr)
    sys.exit(4)
except (MemoryError, OSError) as error:   # else import_matplotlib() could not come back
    if isinstance(error, MemoryError) or error.errno == errno.ENOMEM:
        print("error: not enough memory for numpy and matplotlib: raise `ulimit -v`", file=sys.stderr)
        sys.exit(4)
    print(f"error: the current folder cannot be entered again: {error.strerror}", file=sys.stderr)
    sys.exit(5)

KINDS = {"convergence": convergence, "lines": lines, "spacetime": spacetime, "image": image, "film": film,
         "slice": slices, "curves": curves, "heatmap": heatmap}


def suitable_kinds(results):
    """What the file seems made for, and what else it can be drawn as: kinds, and what --of may name there."""
    there = results.drawable()
    numbers = there["norms"] + there["series"] + there["numbers of a run"] + there["statistics"]
    over = "heatmap" if len(results.swept) > 1 else "curves"
    means = results.ensembles.scalars if results.ensembles else []
    if means and results.ensembles.left:
        yield "curves", numbers
    elif any(results.ensembles.over_time(name) for name in means):
        yield "lines", means
    if results.profiles and not means:
        yield "lines", results.profiles
    if results.ladder and there["norms"] + there["series"] + there["statistics"]:
        yield "curves", numbers
    if len(results.swept) > 1 and results.refined:
        yield "heatmap", numbers
    if converges(results):
        yield "convergence", there["norms"]
    if there["fields"] and results.ok.any() and results.timed:
        first = np.flatnonzero(results.ok)[0]
        if results.dimensions(first, there["fields"][0]) == 2:
            yield "image", there["fields"]
    once = [name for name in there["series"] if results.saved_once(name)]
    if once and results.swept:
        yield over, numbers
    if there["fields"] and results.ok.any():
        first = np.flatnonzero(results.ok)[0]
        if results.dimensions(first, there["fields"][0]) > 1:
            yield "slice", there["fields"]
        elif results.timed and not results.saved_once(there["fields"][0]):
            yield "spacetime", there["fields"]
        yield "lines", there["fields"]
    over_time = [name for name in there["series"] if name not in once] + there["histories"]
    if over_time and lines_fit(results, over_time[0]):
        yield "lines", over_time
    if results.swept:
        yield over, numbers
        yield "curves", numbers
    if there["fields"] + over_time + results.profiles:
        yield "lines", there["fields"] + over_time + results.profiles


def default_kind(results, ask):
    """The first of the suitable kinds that uses the options given and draws what --of names; the first one, if none
    does."""
    if ask.over and ask.over.split(",")[0] in ALONG:
        return "lines"
    kinds = list(suitable_kinds(results)) or [("lines", [])]
    using = [(kind, names) for kind, names in kinds if set(given(ask)) <= set(USES[kind])] or kinds
    return next((kind for kind, names in using if ask.of in names or OTHER_NAMES.get(ask.of) in names), using[0][0])


def picture_of(results, ask):
    """The figure that is asked for, and its kind."""
    kind = ask.kind or default_kind(results, ask)
    require_used(ask, kind)
    if kind != "lines":
        results.require_runs()
    return look.fitted(lambda: KINDS[kind](results, ask)), kind


def save(figure, picture, ask):
    """Write the picture."""
    dpi = ask.dpi or plt.rcParams["savefig.dpi"]
    dpi = figure.dpi if dpi == "figure" else dpi
    width, height = figure.get_size_inches() * dpi
    if picture.endswith(".png") and (width * height > look.PIXEL_LIMIT or max(width, height) >= 2**16):
        raise Refusal(f"a picture of {width:.0f} x {height:.0f} pixels is too large; give a smaller --size or --dpi")
    drawn = io.BytesIO()
    ending = os.path.splitext(picture)[1]
    if ending in FILMS:
        drawn = figure.frames.write(ending, dpi)
    else:
        figure.savefig(drawn, format=ending[1:], dpi=dpi)
    write(drawn.getbuffer(), picture)


def write(made, picture):
    """A file, which appears whole or not at all."""
    part = f"{picture}.part{os.getpid()}"
    try:
        if os.path.exists(picture) and not os.path.isfile(picture):
            with open(picture, "wb") as f:      # /dev/stdout
                f.write(made)
            return
        try:
            with open(part, "wb") as f:
                f.write(made)
            os.replace(part, os.path.realpath(picture))
        finally:
            if os.path.exists(part):
                os.unlink(part)
    except OSError as error:
        raise Refusal(f"cannot write {picture}: {error.strerror}", FILE)


def pictures_for(results, ask):
    """The pictures of a page: each as PNG, or why there is none; what it shows; and the command that draws it."""
    kinds = list(dict.fromkeys(kind for kind, _ in suitable_kinds(results)))[:PICTURES]
    for kind in kinds if results.worth_drawing().any() or results.histories() else []:
        one = copy.copy(ask)
        one.kind = kind
        some = ["--where", ask.where_text] if ask.where_text else []
        command = ["sweep", "plot", results.path, "--kind", kind, *some]
        drawn = io.BytesIO()
        try:
            figure, _ = picture_of(results, one)
            figure.savefig(drawn, format="png", dpi=DPI)
            drawn = drawn.getvalue()
        except Refusal as refusal:
            drawn = refusal
        yield drawn, f"{kind} of {results.attribute('title') or results.problem}", shlex.join(command)


def report(ask):
    """The page of a file, whatever became of its runs."""
    results = Results(ask.file, ask.where, ask.stored)
    made = ask.output or f"{os.path.splitext(ask.file)[0]}.report.html"
    write(page(results, list(pictures_for(results, ask))).encode(), made)
    print(made)


def draw(ask):
    """The picture that is asked for, from the file to its own file. Whatever goes wrong is a Refusal."""
    try:
        if ask.report:
            return report(ask)
        results = Results(ask.file, ask.where, ask.stored)
        if not results.histories():
            results.require_runs()
        figure, kind = picture_of(results, ask)
        picture = ask.output or f"{os.path.splitext(ask.file)[0]}.{kind}{FILMS[0] if kind == 'film' else '.png'}"
        save(figure, picture, ask)
        print(picture)
    except MemoryError:
        raise Refusal("not enough memory; choose fewer runs with --run", PROGRAM)
    except Refusal:
        raise
    except Exception as error:
        if ask.verbose:
            raise
        if ask.style:
            raise Refusal(f"cannot draw {ask.file} in the style of {ask.style}: {first_line(error)}; try it without "
                          "--style")
        raise Refusal(f"cannot draw {ask.file}: {type(error).__name__}: {first_line(error)}; if sweep show reads it, "
                      f"this is a mistake in sweep plot (--verbose says where); else {HINT}", FILE)


def attempt(work):
    """The exit code of work(), whose refusal is printed."""
    try:
        work()
        return 0
    except Refusal as refusal:
        print_refusal(refusal)
        return refusal.code


def main(argv):
    """Exit code."""
    ask = None

    def prepare():
        nonlocal ask
        ask = arguments(argv)
        if not ask.verbose:
            warnings.simplefilter("ignore")     # of letters that the font has not (a box is drawn), of overflow
        if ask.kind:
            require_used(ask, ask.kind)
        matplotlib.rcParams.update(look.style_of(ask.style))

    return attempt(prepare) or guarded(lambda: attempt(lambda: draw(ask)), ask.file)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
