#!/bin/sh
# sweep plot draws what the program writes, fits slopes, and says what is wrong when it cannot.
cd "$(dirname "$0")/.." || exit 1
: "${SWEEP:=./build/sweep}"
python=$(scripts/find_python.sh)
export SWEEP_PYTHON=${python:-none}
$SWEEP_PYTHON -c 'import h5py, matplotlib' 2>/dev/null ||
    { echo "  skip  no python3 with h5py and matplotlib"; exit 0; }
failed=0
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
ok() { echo "  ok    $1"; }
bad() { echo "  BAD   $1"; failed=1; }

make_file() {  # make_file CONFIG [EXIT_CODE]
    "$SWEEP" run -q "configs/$1.cfg" --device "${3:-auto}" -o "$dir/$1.h5"
    code=$?
    [ $code -eq "${2:-0}" ] || bad "sweep $1: exit code $code"
}
draws() {  # draws "what" PICTURE ARGUMENTS...
    what=$1 picture=$dir/$2
    shift 2
    "$SWEEP" plot "$@" -o "$picture" >"$dir/out" 2>&1 && [ "$(wc -c <"$picture")" -gt 4000 ] && ok "draws $what" ||
        { cat "$dir/out"; bad "draws $what"; }
}
refuses() {  # refuses "what" TEXT ARGUMENTS...
    what=$1 text=$2
    shift 2
    if "$SWEEP" plot "$@" -o "$dir/never.png" >"$dir/out" 2>&1; then bad "refuses $what: exit code 0"
    elif grep -qF -- "$text" "$dir/out" && [ ! -e "$dir/never.png" ]; then ok "refuses $what"
    else cat "$dir/out"; bad "refuses $what: not with '$text'"; fi
}

make_file tiny_ch
make_file tiny_nsweep
make_file tiny_heat
make_file tiny_diverge 1
make_file tiny_compact 0 cpu
"$SWEEP" run -q configs/compact_convergence.cfg --device cpu -s 'sweep.scheme=["d1_c10"]' -o "$dir/compact.h5" ||
    bad "sweep compact_convergence"
"$SWEEP" run -q configs/tiny_ch.cfg -s 'sweep.v=[0.0,1.0]' -s 'time.end="10*(1+v)"' -s 'grid.length="6*pi*(1+v)"' \
    -o "$dir/times.h5" || bad "sweep tiny_ch with different times"

draws "a spacetime picture" a.png "$dir/tiny_ch.h5" --kind spacetime --run 3
draws "several runs in panels, as PDF" b.pdf "$dir/tiny_ch.h5" --kind spacetime --run 0-5
draws "a series over time" c.svg "$dir/tiny_ch.h5" --kind lines --of mass
draws "a field over x" d.png "$dir/tiny_ch.h5" --kind lines --of u --run 1
draws "a heatmap" e.png "$dir/tiny_ch.h5" --kind heatmap --of domain_length
draws "a field of a group by n" f.png "$dir/tiny_nsweep.h5" --kind spacetime --run 5
draws "what suits the file" g.png "$dir/tiny_nsweep.h5"
grep -q '^slope -' "$dir/out" && ok "prints a slope for each line" || bad "prints a slope for each line"
draws "runs of different times" j.png "$dir/times.h5" --kind heatmap --of domain_length
draws "runs of different times and lengths in panels" k.png "$dir/times.h5" --kind spacetime --run 0-3
draws "runs beside one that diverged" h.png "$dir/tiny_diverge.h5" --kind lines --of energy

draws "the three planes of a box" l.png "$dir/tiny_compact.h5" --run 8
draws "planes of several runs" m.png "$dir/tiny_compact.h5" --kind slice --of g_error --run 8-11
draws "a field of two dimensions" n.pdf "$dir/tiny_compact.h5" --kind slice --run 0
draws "convergence where rounding ends it" o.png "$dir/compact.h5" --kind convergence
grep -qE '^slope -10\.[0-4]' "$dir/out" && ok "fits up to there" || bad "fits up to there: $(cat "$dir/out")"
(cd scripts && $SWEEP_PYTHON -c '
import numpy, plot
x = numpy.array([1.0, 2, 4, 8, 16, 32])
assert plot.before_rounding(x, x**-5 + 0.02*x**-3) == 6, "a lower order that shows is no rounding"
assert plot.before_rounding(x, x**-5 + 1e-5) == 4, "a floor is"
assert plot.before_rounding(x[:5], x[:5]**-4.0) == 5') >"$dir/out" 2>&1 && ok "knows rounding from a lower order" ||
    { cat "$dir/out"; bad "knows rounding from a lower order"; }

refuses "a line of a box" "3 dimensions in space, and lines draws one; --kind slice" \
    "$dir/tiny_compact.h5" --kind lines --of g --run 8
refuses "space and time of a box" "--kind slice draws it" "$dir/tiny_compact.h5" --kind spacetime --run 0
refuses "a slice of a line" "one dimension in space" "$dir/tiny_ch.h5" --kind slice
refuses "space and time of a run that diverged" "run 2 diverged at t = 0.25, before u was saved a second time (at t" \
    "$dir/tiny_diverge.h5" --kind spacetime --run 2
"$SWEEP" run -q configs/tiny_heat.cfg -s 'output.fields.times=[1.0]' -o "$dir/once.h5" || bad "sweep of one saved time"
refuses "space and time of one time" "saved at one time only; draw it with --kind lines, or save more" "$dir/once.h5" \
    --kind spacetime
make_file tiny_bvp 0 cpu
refuses "space and time of what has no time" "problem bvp has no time; draw u with --kind lines" "$dir/tiny_bvp.h5" \
    --kind spacetime
refuses "lines of what has no fields and no time" "no fields: set output.fields in the config, e.g. output = { fields" \
    "$dir/compact.h5" --kind lines
refuses "space and time of what has neither" "problem compact has no time; set output.fields" "$dir/compact.h5" \
    --kind spacetime
refuses "an option of another kind" "--over is not for --kind spacetime; it goes with --kind convergence, lines" \
    "$dir/tiny_ch.h5" --kind spacetime --over zz
refuses "a time of all times" "--time is not for --kind spacetime" "$dir/tiny_ch.h5" --kind spacetime --time 3
refuses "what no kind suits" "--log is not for convergence, the kind of picture that suits this file" \
    "$dir/compact.h5" --log x
draws "what suits file and options" q.png "$dir/tiny_ch.h5" --log x
refuses "a time of a series" "energy is drawn over time, all of it; a field is drawn at one time, with --of u" \
    "$dir/tiny_ch.h5" --kind lines --of energy --time 1
refuses "runs and all runs" "--over and --run exclude each other" "$dir/tiny_ch.h5" --kind lines --over v --run 0-3
refuses "an axis against itself" "two different parameters" "$dir/tiny_ch.h5" --kind heatmap --over v,v
refuses "a kind that is not there" "there is no kind 'pie' of pictures" "$dir/tiny_ch.h5" --kind pie
refuses "axes that are not there" "--log 'q': the axes that are to be logarithmic are x" "$dir/tiny_ch.h5" --log q
refuses "a time that is none" "--time takes a number" "$dir/tiny_ch.h5" --kind lines --time soon
refuses "an unknown name, with the nearest" "did you mean 'energy'?" "$dir/tiny_ch.h5" --kind lines --of energi
refuses "norms that are not there" "no error norms" "$dir/tiny_ch.h5" --kind convergence
refuses "a heatmap of one axis" "needs two swept parameters" "$dir/tiny_heat.h5" --kind heatmap
refuses "a run that is not there" "no run '77'" "$dir/tiny_ch.h5" --kind spacetime --run 77
refuses "a file that is not there" "$dir/none.h5" "$dir/none.h5"
refuses "a file that is no HDF5" "README.md" README.md

# ---- what pictures show ends where the data end: from the first time to the last, from x0 to x0 + length, or the walls
make_file tiny_advection
in_python() {  # in_python "what" PROGRAM ARGUMENTS...: it may import plot, and draw(FILE, OPTIONS...) gives its axes
    what=$1 program=$2
    shift 2
    (cd scripts && $SWEEP_PYTHON -c "
import sys, numpy, plot
def draw(*words):
    ask = plot.arguments(words)
    results = plot.Results(ask.file)
    return plot.KINDS[ask.kind][0](results, ask).axes
$program" "$@") >"$dir/out" 2>&1 && ok "$what" || { cat "$dir/out"; bad "$what"; }
}
in_python "a spacetime picture ends where the data do" '
axes = draw(sys.argv[1], "--kind", "spacetime")[0]
assert axes.get_ylim() == (0, 1), axes.get_ylim()
assert numpy.allclose(axes.get_xlim(), (0, 2*numpy.pi), rtol=0, atol=1e-12), axes.get_xlim()' "$dir/tiny_heat.h5"
in_python "a slice ends at its walls, and where it is periodic at x0 + length" '
axes = draw(sys.argv[1], "--kind", "slice", "--run", "0")[0]
results = plot.Results(sys.argv[1])
assert [results.has_walls(0, axis) for axis in "xy"] == [False, True]
x, y = results.space(0, "u", "x"), results.space(0, "u", "y")
assert numpy.allclose(axes.get_xlim(), (x[0], x[0] + len(x)*(x[1] - x[0])), rtol=0, atol=1e-12), axes.get_xlim()
assert axes.get_ylim() == (y[0], y[-1]), axes.get_ylim()' "$dir/tiny_advection.h5"

# ---- legends, labels and what is drawn by default
in_python "numbers on an axis are in one style" '
assert plot.tick_names([16.0, 32.0, 65536.0]) == ["16", "32", "65536"]
names = plot.tick_names([1e3, 2e4, 1e6])
assert names == ["$10^{3}$", "$2 \\cdot 10^{4}$", "$10^{6}$"], names
assert plot.tick_names([0.0, 0.025, 0.5]) == ["0", "0.025", "0.5"]'
in_python "a legend lies on no curve" '
for swings in (0, 60):      # a straight line leaves room for the legend, one that fills the axes does not
    figure, axes = plot.plt.subplots(layout="constrained")
    for k in range(2):
        axes.plot(numpy.linspace(0, 1, 2000), numpy.sin(swings*numpy.linspace(0, 6, 2000) + k), label=f"line {k}")
    plot.legend_clear_of_data(axes, 2)
    figure.canvas.draw()
    legend = axes.get_legend().get_window_extent()
    assert (legend.x0 > axes.get_window_extent().x1) == (swings > 0), (swings, legend)'
in_python "what hardly changes is drawn as its change" '
t = numpy.linspace(0, 1, 5)
series, change = plot.less_first_value({0: (t, 7 + 1e-8*t), 3: (t, 7 - 1e-8*t)})
assert change and abs(series[3][1] + 1e-8*t).max() < 1e-14, series
assert not plot.less_first_value({0: (t, 7 + t)})[1] and not plot.less_first_value({0: (t, 7 + 0*t)})[1]'
"$SWEEP" run -q configs/tiny_ch.cfg -s 'sweep={mode="random"; a="uniform(0,0.1)"; v="loguniform(0.01,2)";}' \
    -s 'initial="0.1*cos(x)"' -s 'sample={method="sobol"; count=10; seed=0;}' --device cpu -o "$dir/sample.h5" ||
    bad "sweep of a sample"
in_python "runs of a sample are points, not a table" '
axes = draw(sys.argv[1], "--kind", "heatmap", "--of", "energy")[0]
assert len(axes.collections[0].get_offsets()) == 10 and not axes.images
assert "no run" not in axes.get_title() and "mean" not in axes.get_title(), axes.get_title()
assert draw(sys.argv[1], "--kind", "lines", "--of", "energy")[0].get_title() == "one line a run; v differs, too"
' "$dir/sample.h5"
"$SWEEP" run -q configs/tiny_heat.cfg -s 'initial="cos(x)"' -s 'exact="cos(x)"' -s 'output.fields.times=[0.0]' \
    -s "title=\"$(printf 'caf\303\251 \344\270\255 $\\\\foo$')\"" --device cpu -o "$dir/odd.h5" ||
    bad "sweep of an odd title"
draws "a title of letters that the font has not" r.png "$dir/odd.h5" --kind lines
[ "$(wc -l <"$dir/out")" -eq 1 ] && ok "no word about its letters" ||
    { cat "$dir/out"; bad "no word about its letters"; }
in_python "a title that is no UTF-8" 'assert plot.text_of("caf\udce9") == plot.text_of(b"caf\xe9") == "caf\ufffd"'
draws "errors over what refines nothing" s.png "$dir/odd.h5" --kind convergence --over c
grep -q "note: c changes neither the grid nor the time step" "$dir/out" && ok "and says so" || bad "and says so"

# ---- a group for each of 150 n: looking at them took half a minute when HDF5 was asked for the names of scales
"$SWEEP" run -q configs/tiny_heat.cfg -s 'sweep={c=[1.0]; n="range(20,169)";}' -s 'grid.n="n"' \
    -s 'output={scalars={every=0.1;};}' --device cpu -o "$dir/many.h5" || bad "sweep 150 values of n"
draws "one of 150 grids" p.png "$dir/many.h5" --kind lines --of energy --run 149
refuses "150 lines" "150 runs are too many lines; choose some with --run" "$dir/many.h5" --kind lines --of energy
(cd scripts && timeout 60 $SWEEP_PYTHON -c '
import sys, time, plot
begin = time.process_time()
results = plot.Results(sys.argv[1])
assert "energy" in results.series(), results.series()
took = time.process_time() - begin
assert took < 5, f"{took} s to look at 150 grids"' "$dir/many.h5") >"$dir/out" 2>&1 &&
    ok "looks at 150 grids in an instant" || { cat "$dir/out"; bad "looks at 150 grids in an instant"; }

# ---- Ctrl-C: by the signal, which a shell tells as 130, and without a word
cat >"$dir/interrupt.py" <<'END'
import signal, subprocess, sys, time
program = subprocess.Popen([sys.argv[1], "plot", sys.argv[2], "-o", sys.argv[3]], stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, preexec_fn=lambda: signal.signal(2, signal.default_int_handler))
while program.poll() is None and "numpy" not in open(f"/proc/{program.pid}/maps").read():
    time.sleep(0.005)
program.send_signal(signal.SIGINT)
said = program.communicate()[0].decode()
assert program.returncode == -signal.SIGINT and not said, (program.returncode, said)
END
$SWEEP_PYTHON "$dir/interrupt.py" "$SWEEP" "$dir/tiny_ch.h5" "$dir/interrupted.png" >"$dir/out" 2>&1 &&
    ok "Ctrl-C ends it silently" || { cat "$dir/out"; bad "Ctrl-C ends it silently"; }

# ---- the slopes of the paper's figure 2 and of the fourth-order heat equation
slope_of() {  # slope_of CONFIG LEAST MOST
    make_file "$1"
    slope=$("$SWEEP" plot "$dir/$1.h5" --kind convergence -o "$dir/$1.png" | sed -n 's/^slope //p')
    awk -v s="$slope" -v a="$2" -v b="$3" 'BEGIN { exit !(s != "" && s >= a && s <= b) }' &&
        ok "$1: slope $slope from $2 to $3" || bad "$1: slope '$slope' is not from $2 to $3"
}
slope_of hyperdiffusion_convergence -2.05 -1.95
slope_of heat_convergence -4.1 -3.9

exit $failed
