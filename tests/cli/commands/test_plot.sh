#!/bin/sh
# sweep plot draws what the program writes, fits slopes, and says what is wrong when it cannot.
cd "$(dirname "$0")/../../.." || exit 1
: "${SWEEP:=./build/sweep}"
program=$(realpath "$SWEEP")
python=${SW_PYTHON-$(scripts/build/find_python.sh)}
export SWEEP_PYTHON=${python:-none}
$SWEEP_PYTHON -c 'import h5py, matplotlib' 2>/dev/null ||
    { echo "  skip  no python3 with h5py and matplotlib"; exit 0; }
failed=0 by_program=
dir=$(mktemp -d) || exit 1
trap 'exec 3>&-; wait; rm -rf "$dir"' EXIT
mkfifo "$dir/ask" "$dir/told" || exit 1
$SWEEP_PYTHON -B tests/cli/commands/plot_many.py "$dir" <"$dir/ask" >"$dir/told" &
exec 3>"$dir/ask" 4<"$dir/told"
ok() { echo "  ok    $1"; }
bad() { echo "  BAD   $1"; failed=1; }

make_file() {  # make_file CONFIG [EXIT_CODE]
    "$SWEEP" run -q "configs/$1.cfg" --device "${3:-auto}" -o "$dir/$1.h5"
    code=$?
    [ $code -eq "${2:-0}" ] || bad "sweep $1: exit code $code"
}
plot() {  # plot ARGUMENTS...: as sweep plot does; what it says is in $dir/out
    if [ -n "$by_program" ]; then "$SWEEP" plot "$@" >"$dir/out" 2>&1; return; fi
    printf '%s\0' "$@" >"$dir/words"
    echo >&3
    read -r code <&4 && return "$code"
    echo "plot_many.py has ended"; exit 1
}
itself() { by_program=1; "$@"; by_program=; }  # a test, by the program itself
draws() {  # draws "what" PICTURE ARGUMENTS...
    what=$1 picture=$dir/$2
    shift 2
    plot "$@" -o "$picture" && [ "$(wc -c <"$picture")" -gt 4000 ] && ok "draws $what" ||
        { cat "$dir/out"; bad "draws $what"; }
}
refuses() {  # refuses "what" TEXT ARGUMENTS...
    what=$1 text=$2
    shift 2
    if plot "$@" -o "$dir/never.png"; then bad "refuses $what: exit code 0"
    elif grep -qF -- "$text" "$dir/out" && [ ! -e "$dir/never.png" ]; then ok "refuses $what"
    else cat "$dir/out"; bad "refuses $what: not with '$text'"; fi
}
in_python() {  # in_python "what" PROGRAM ARGUMENTS...: draw(FILE, OPTIONS...) gives a figure
    what=$1
    shift
    plot program "$@" && ok "$what" || { cat "$dir/out"; bad "$what"; }
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

itself draws "a spacetime picture" a.png "$dir/tiny_ch.h5" --kind spacetime --run 3
draws "several runs in panels, as PDF" b.pdf "$dir/tiny_ch.h5" --kind spacetime --run 0-5
draws "a series over time, without --kind" c.svg "$dir/tiny_ch.h5" --of mass
draws "a field over x" d.png "$dir/tiny_ch.h5" --kind lines --of u --run 1
draws "a heatmap" e.png "$dir/tiny_ch.h5" --kind heatmap --of domain_length
draws "a field of a group by n" f.png "$dir/tiny_nsweep.h5" --kind spacetime --run 5
itself draws "what suits the file" g.png "$dir/tiny_nsweep.h5"
grep -q '^slope -' "$dir/out" && ok "prints a slope for each line" || bad "prints a slope for each line"
"$SWEEP" run -q configs/tiny_ch.cfg -s accuracy.runs=6 -o "$dir/accuracy.h5" || bad "sweep with accuracy.runs"
draws "estimated errors" accuracy.png "$dir/accuracy.h5" --kind heatmap --of error_time
draws "runs of different times" j.png "$dir/times.h5" --kind heatmap --of domain_length
draws "runs of different times and lengths in panels" k.png "$dir/times.h5" --kind spacetime --run 0-3
draws "runs beside one that diverged" h.png "$dir/tiny_diverge.h5" --kind lines --of energy

draws "the three planes of a box" l.png "$dir/tiny_compact.h5" --run 8
draws "planes of several runs" m.png "$dir/tiny_compact.h5" --kind slice --of g_error --run 8-11
draws "a field of two dimensions" n.pdf "$dir/tiny_compact.h5" --kind slice --run 0
draws "convergence where rounding ends it" o.png "$dir/compact.h5" --kind convergence
grep -qE '^slope -10\.[0-4]' "$dir/out" && ok "fits up to there" || bad "fits up to there: $(cat "$dir/out")"

# ---- orders of convergence: what is said of them is true
in_python "knows saturation from a lower order, and an order from none" '
x = 2.0**numpy.arange(4, 11)
fit = convergence.fit_order
assert convergence.before_saturation(x, x**-5 + 0.02*x**-3) == 7, "a lower order that shows is no saturation"
assert convergence.before_saturation(x, (x/16)**-5 + 1e-5) < 7, "a floor is"
assert convergence.before_saturation(x[:5], x[:5]**-4.0) == 5
for order in (2.0, 4.0, 10.0):
    found = fit(x, 7*x**-order, -1)
    assert found.good and abs(found.slope + order) < 1e-12 and found.count == 7
found = fit(x, 3*x**-2.0 + 1e-2, -1)    # limited by another step at 1e-2
assert not found.good or found.count < 7, found
assert not fit(x, 1e-3 + 0*x, -1).good and not fit(x, 1e-40*x**30.0, -1).good, "errors that do not fall have no order"
assert not fit(x, numpy.array([1e-7, 2e-8, 2e-7, 3e-8, 1e-7, 5e-8, 1e-7]), -1).good, "nor has noise"
assert not fit(x[:3], numpy.array([1.0, 0.25, 0.2]), -1).good, "nor what ends after two points"
assert fit(x, 1e-40*x**30.0).good, "over a parameter of unknown direction a rise is a law"'
"$SWEEP" run -q configs/heat_convergence.cfg -s 'time.dt=2e-3' -s 'time.end=0.1' -s 'sweep.n=[6,8,12,16,24,32,48,64]' \
    --device cpu -o "$dir/limited.h5" || bad "sweep limited by dt"
in_python "points that another step limits are not called rounding" '
axes = draw(sys.argv[1]).axes[0]
text = " ".join(names(axes))
assert "rounding" not in text and ("saturated" in text or "no order" in text), text
assert "guide" not in text or "slope" in text, text
error = results.Results(sys.argv[1]).of_runs("err_l2")
assert error.min() > 1e-6, error' "$dir/limited.h5"
"$SWEEP" run -q configs/bvp_robin.cfg -s 'exact="sin(2*x) + x^2 + 0.01"' -s 'sweep.n=[8192,16384,32768,65536]' \
    --device cpu -o "$dir/wrong.h5" || bad "sweep of a wrong solution"
draws "a sweep that does not converge" w.svg "$dir/wrong.h5"
grep -q '^no order: slopes from point to point are' "$dir/out" && grep -q 'no order' "$dir/w.svg" &&
    ! grep -q guide "$dir/w.svg" && ok "and says that it has no order, without a guide" ||
    { cat "$dir/out"; bad "says that it has no order, without a guide"; }

refuses "a line of a box" "3 dimensions in space, and lines draws one; --kind slice" \
    "$dir/tiny_compact.h5" --kind lines --of g --run 8
refuses "space and time of a box" "--kind slice draws it" "$dir/tiny_compact.h5" --kind spacetime --run 0
refuses "a slice of a line" "one dimension in space" "$dir/tiny_ch.h5" --kind slice
draws "runs in panels beside one that diverged" t.svg "$dir/tiny_diverge.h5" --kind spacetime --run all
grep -q 'diverged' "$dir/t.svg" && ok "whose panel says so" || bad "a panel says that its run diverged"
draws "profiles of runs beside one that diverged" u.svg "$dir/tiny_diverge.h5" --kind lines --of u --run all --time 4
grep -q '(diverged)' "$dir/u.svg" && ok "whose name says so" || bad "the legend says that a run diverged"
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
refuses "what no kind suits" "--run is not for convergence, the kind of picture that suits this file" \
    "$dir/compact.h5" --run 0 --over n
draws "what suits file and options" q.png "$dir/tiny_ch.h5" --log x
refuses "a time of a series" "energy is drawn over time, all of it; a field is drawn at one time, with --of u" \
    "$dir/tiny_ch.h5" --kind lines --of energy --time 1
refuses "runs and all runs" "--over and --run exclude each other" "$dir/tiny_ch.h5" --kind lines --over v --run 0-3
refuses "an axis against itself" "two different parameters" "$dir/tiny_ch.h5" --kind heatmap --over v,v
itself refuses "a kind that is not there" "there is no kind 'pie' of pictures" "$dir/tiny_ch.h5" --kind pie
refuses "axes that are not there" "--log 'q': the axes that are to be logarithmic are x" "$dir/tiny_ch.h5" --log q
refuses "a time that is none" "--time 'soon': takes a number" "$dir/tiny_ch.h5" --kind lines --time soon
refuses "an unknown name, with the nearest" "did you mean 'energy'?" "$dir/tiny_ch.h5" --kind lines --of energi
plot "$dir/tiny_nsweep.h5" --of nonsense -o "$dir/never.png"
grep -q '  norms: .*err_l2' "$dir/out" && grep -q '  series: .*energy' "$dir/out" && grep -q '  fields: u' "$dir/out" &&
    ok "an unknown name: lists norms, series and fields" ||
    { cat "$dir/out"; bad "an unknown name: lists norms, series and fields"; }
draws "a series of a file with norms, without --kind" v.png "$dir/tiny_nsweep.h5" --of energy
refuses "a series as convergence" "convergence does not draw series; --kind lines, curves or heatmap does" \
    "$dir/tiny_nsweep.h5" --kind convergence --of energy
in_python "min and u_min are the same series" '
file = results.Results(sys.argv[1])
there = [name for name in ("min", "u_min") if name in file.series()]
for asked in ("min", "u_min"):
    assert file.choose(asked, None, lines.known(file), "lines") in there
' "$dir/tiny_ch.h5"
# ---- histories: one line a run, those that failed too; a median of many
cat >"$dir/history.cfg" <<'END'
problem = "elliptic";
sweep   = { courant = [2.0, 9.0]; omega = [1, 2, 3]; };
grid    = { n = [12, 12, 6]; depth = 0.1; };
physics = { courant = "courant"; };
solver  = "cpu.pcg";
f       = "sin(omega*pi*x)";
run     = { device = "cpu"; };
output  = { history = true; };
END
history() { "$SWEEP" run -q "$dir/history.cfg" -o "$dir/$1" -s "${2:-iterations=1000}"; }
history tiny_history.h5 || bad "sweep of histories"
history histories.h5 'sweep.omega="range(1, 20)"' || bad "sweep of many histories"
history failed.h5 iterations=3 && bad "sweep of runs that miss their tolerance"
draws "histories" h.png "$dir/tiny_history.h5"
in_python "histories end where the iterations do, over a logarithmic axis" '
file, axes = results.Results(sys.argv[1]), draw(sys.argv[1]).axes[0]
assert len(axes.lines) == len(file.run) == 6 and axes.get_yscale() == "log" and axes.get_xlabel() == "iteration"
for line, count, last in zip(axes.lines, file.of_runs("iterations"), file.of_runs("residual_reported")):
    x, y = line.get_data()
    assert x[0] == 0 and y[0] == 1 and x[-1] == count and y[-1] == last, (x, count)
assert draw(sys.argv[1], "--log", "none").axes[0].get_yscale() == "linear"
assert len(draw(sys.argv[1], "--run", "1,4").axes[0].lines) == 2
many = draw(sys.argv[2]).axes[0]
assert len(many.lines) == 2, many.lines
failed = draw(sys.argv[3]).axes[0]
assert len(failed.lines) == 6 and all("(failed)" in name for name in names(failed)), names(failed)
for line in many.lines:
    assert (numpy.diff(line.get_ydata())[3:] <= 0).all(), "a median that rises where runs have ended"
' "$dir/tiny_history.h5" "$dir/histories.h5" "$dir/failed.h5"
refuses "a history at a time" "is drawn over iterations, all of it" "$dir/tiny_history.h5" --kind lines --time 1 \
    --of residual_history
refuses "a heatmap of histories" "heatmap does not draw histories; --kind lines does" "$dir/tiny_history.h5" \
    --kind heatmap --of residual_history
refuses "a heatmap of runs that failed" "none of the 6 runs" "$dir/failed.h5" --kind heatmap
history plain.h5 output.history=false || bad "sweep without histories"
refuses "lines without any" "or output.history for residuals over iterations" "$dir/plain.h5" --kind lines

refuses "norms that are not there" "no error norms" "$dir/tiny_ch.h5" --kind convergence
refuses "a heatmap of one axis" "needs two swept parameters" "$dir/tiny_heat.h5" --kind heatmap
refuses "a run that is not there" "no run '77'" "$dir/tiny_ch.h5" --kind spacetime --run 77
itself refuses "a file that is not there" "$dir/none.h5" "$dir/none.h5"
refuses "a file that is no HDF5" "README.md" README.md

# ---- what pictures show ends where the data end: from the first time to the last, from x0 to x0 + length, or the walls
make_file tiny_advection
in_python "a spacetime picture ends where the data do" '
axes = draw(sys.argv[1], "--kind", "spacetime").axes[0]
assert axes.get_ylim() == (0, 1), axes.get_ylim()
assert numpy.allclose(axes.get_xlim(), (0, 2*numpy.pi), rtol=0, atol=1e-12), axes.get_xlim()' "$dir/tiny_heat.h5"
in_python "a slice ends at its walls, and where it is periodic at x0 + length" '
axes = draw(sys.argv[1], "--kind", "slice", "--run", "0").axes[0]
file = results.Results(sys.argv[1])
assert [file.has_walls(0, axis) for axis in "xy"] == [False, True]
x, y = file.space(0, "u", "x"), file.space(0, "u", "y")
assert numpy.allclose(axes.get_xlim(), (x[0], x[0] + len(x)*(x[1] - x[0])), rtol=0, atol=1e-12), axes.get_xlim()
assert axes.get_ylim() == (y[0], y[-1]), axes.get_ylim()' "$dir/tiny_advection.h5"

in_python "says which time it shows" '
def second(*words):
    figure = draw(sys.argv[1], *words)
    return figure.axes[0].get_title() + figure._suptitle.get_text()
told = second("--kind", "heatmap", "--of", "energy", "--time", "12.2")
assert "last" not in told and "the times nearest to t = 12.2, 10 … 12" in told, told
told = second("--kind", "heatmap", "--of", "energy")
assert "the last time of each run, t = 10 … 20" in told, told
told = second("--kind", "heatmap", "--of", "energy", "--time", "2")
assert "at t = 2" in told and "last" not in told, told
told = second("--kind", "lines", "--of", "u", "--run", "0-3", "--time", "10")
assert "nearest to t = 10, 8 … 10" in told, told
' "$dir/times.h5"

# ---- legends, labels and what is drawn by default
in_python "numbers on an axis are in one style" '
assert look.tick_names([16.0, 32.0, 65536.0]) == ["16", "32", "65536"]
names = look.tick_names([1e3, 2e4, 1e6])
assert names == ["$10^{3}$", "$2 \\cdot 10^{4}$", "$10^{6}$"], names
assert look.tick_names([0.0, 0.025, 0.5]) == ["0", "0.025", "0.5"]'
in_python "a legend lies on no curve" '
ask = options.arguments(["none.h5"])
for swings in (0, 60):      # a straight line leaves room for the legend, one that fills the axes does not
    figure, axes = plot.plt.subplots(layout="constrained")
    for k in range(2):
        axes.plot(numpy.linspace(0, 1, 2000), numpy.sin(swings*numpy.linspace(0, 6, 2000) + k), label=f"line {k}")
    look.legend(axes, ask)
    figure.draw_without_rendering()
    legend = axes.get_legend().get_window_extent()
    assert (legend.x0 > axes.get_window_extent().x1) == (swings > 0), (swings, legend)'
in_python "a legend is within the picture, be it long" '
for count in (3, 25, 60):
    figure, axes = plot.plt.subplots(layout="constrained")
    for k in range(count):
        axes.plot([0, 1], [k % 2, 1 - k % 2], label=f"scheme = d{k}_c10, boundary = 3-4-6: slope {k}.25")
    look.legend(axes, options.arguments(["none.h5"]), beside=True)
    figure.draw_without_rendering()
    legend, room = axes.get_legend().get_window_extent(), figure.bbox
    assert legend.x1 <= room.x1 + 1 and legend.y0 >= -1 and legend.y1 <= room.y1 + 1, (count, legend, room)
    assert axes.get_window_extent().height > 0.7*room.height, (count, axes.get_window_extent())'
in_python "16 categories are told apart" '
for count in (2, 7, 8, 16, 35):
    looks = look.line_looks([(f"scheme {k}",) for k in range(count)])
    assert len({str((one["color"], one["linestyle"])) for one in looks}) == count
    assert {one["color"] for one in looks} <= set(look.COLOURS), "a ramp has an order, names have none"
looks = look.line_looks([(scheme, a) for scheme in ("f2", "f4", "f6") for a in (0.1, 0.2, 0.3)])
assert [one["color"] for one in looks[:3]] == 3*look.COLOURS[:1], "a colour for one parameter, dashes for the other"
assert len({str((one["color"], one["linestyle"])) for one in looks}) == 9'
in_python "equal lines are both seen" '
figure, axes = plot.plt.subplots()
drawn = [axes.plot(x, x**2)[0] for x in (numpy.linspace(0, 1, 50), numpy.linspace(0, 1, 70))]
drawn += axes.plot([0, 1], [1, 0])
look.tell_apart(axes, drawn)
assert [line.is_dashed() for line in drawn] == [False, True, False]'
in_python "what hardly changes is drawn as its change" '
t = numpy.linspace(0, 1, 5)
series, change = lines.less_first_value({0: (t, 7 + 1e-8*t), 3: (t, 7 - 1e-8*t)})
assert change and abs(series[3][1] + 1e-8*t).max() < 1e-14, series
assert not lines.less_first_value({0: (t, 7 + t)})[1] and not lines.less_first_value({0: (t, 7 + 0*t)})[1]'
"$SWEEP" run -q configs/tiny_ch.cfg -s 'sweep={mode="random"; a="uniform(0,0.1)"; v="loguniform(0.01,2)";}' \
    -s 'initial="0.1*cos(x)"' -s 'sample={method="sobol"; count=10; seed=0;}' --device cpu -o "$dir/sample.h5" ||
    bad "sweep of a sample"
in_python "runs of a sample are points, not a table" '
axes = draw(sys.argv[1], "--kind", "heatmap", "--of", "energy").axes[0]
assert len(axes.collections[0].get_offsets()) == 10 and not axes.images
assert "no run" not in axes.get_title() and "mean" not in axes.get_title(), axes.get_title()
assert draw(sys.argv[1], "--kind", "lines", "--of", "energy").axes[0].get_title() == "one line a run; v differs, too"
' "$dir/sample.h5"
"$SWEEP" run -q configs/tiny_heat.cfg -s 'initial="cos(x)"' -s 'exact="cos(x)"' -s 'output.fields.times=[0.0]' \
    -s "title=\"$(printf 'caf\303\251 \344\270\255 $\\\\foo$')\"" --device cpu -o "$dir/odd.h5" ||
    bad "sweep of an odd title"
itself draws "a title of letters that the font has not" r.png "$dir/odd.h5" --kind lines
[ "$(wc -l <"$dir/out")" -eq 1 ] && ok "no word about its letters" ||
    { cat "$dir/out"; bad "no word about its letters"; }
in_python "a title that is no UTF-8" 'assert stored.text_of("caf\udce9") == stored.text_of(b"caf\xe9") == "caf\ufffd"'
draws "errors over what refines nothing" s.png "$dir/odd.h5" --kind convergence --over c
grep -q "note: c changes neither the grid nor the time step" "$dir/out" && ok "and says so" || bad "and says so"

"$SWEEP" run -q configs/tiny_ch.cfg -s 'sweep={mode="random"; amplitude="uniform(0,0.1)"; speed="loguniform(0.01,2)";
    mean="uniform(-0.2,0.2)"; width="uniform(0.1,1)"; ripple="uniform(0.01,0.1)";}' -s 'define={a="amplitude";
    v="speed"; q="2*pi/length"; }' -s 'initial="mean + width*ripple*randn(1)"' \
    -s 'sample={method="sobol"; count=8; seed=0;}' --device cpu -o "$dir/random.h5" ||
    bad "sweep of five random parameters"
in_python "titles of panels do not overlap, with many random parameters" '
figure = draw(sys.argv[1], "--kind", "spacetime", "--run", "0-7", "--of", "u")
boxes = [axes.title.get_window_extent() for axes in figure.axes if axes.get_title()]
assert len(boxes) == 8, boxes
for k, box in enumerate(boxes):
    assert box.x0 >= 0 and box.x1 <= figure.bbox.x1 and not any(box.overlaps(other) for other in boxes[:k]), boxes
' "$dir/random.h5"

# ---- fields of two and three dimensions in panels of runs and times, and as films
cat >"$dir/plane.cfg" <<'END'
problem = "equation";
rhs     = "D*lap(u)";
sweep   = { D = [0.5, 1.0, 2.0]; A = [0.001, 0.01, 1.0]; };
initial = "A*(2 + sin(x)*cos(y))";
grid    = { n = [16, 12]; length = "2*pi"; };
time    = { end = 1.0; dt = 0.05; };
method  = "imex2";
run     = { device = "cpu"; };
output  = { fields = { times = "linspace(0, end, 7)"; }; scalars = { times = "linspace(0, end, 3)"; }; };
END
"$SWEEP" run -q "$dir/plane.cfg" -o "$dir/plane.h5" || bad "sweep of a plane"
"$SWEEP" run -q "$dir/plane.cfg" -o "$dir/cube.h5" -s 'grid.n=[12,8,6]' -s 'sweep.D=[1.0]' \
    -s 'output.fields.times="linspace(0, end, 3)"' || bad "sweep of a cube"
sed 's/D\*lap(u)/D*lap(u) + (A > 0.5 ? u^2 : 0)/; s/end = 1.0/end = 2.0/' "$dir/plane.cfg" >"$dir/burst.cfg"
"$SWEEP" run -q "$dir/burst.cfg" -o "$dir/burst.h5" 2>/dev/null
itself draws "images of runs and times, which is what suits a plane" image.png "$dir/plane.h5"
for told in 'drawing runs 0,3,5,8 of 9 that finished; --run chooses others' \
    'drawing 5 of 7 saved times; --time chooses others'; do
    grep -q "note: $told" "$dir/out" && ok "says what it draws" || { cat "$dir/out"; bad "says what it draws"; }
done
itself draws "a film" film.gif "$dir/plane.h5" --run 0-3 --dpi 40
draws "a film of planes across x" film_x.gif "$dir/cube.h5" --at x=1
draws "a film of lines" film_lines.gif "$dir/tiny_ch.h5" --run 0,8
draws "a film of x and t over a parameter" film_over.apng "$dir/tiny_ch.h5" --over a --run 3
if command -v ffmpeg >/dev/null; then
    draws "a film by ffmpeg" film.mp4 "$dir/tiny_ch.h5" --over a --time 10 --run 3
else echo "  skip  a film by ffmpeg: there is none"; fi
draws "images beside a run that diverged" burst.pdf "$dir/burst.h5" --kind image --run 1,8
draws "a heatmap of a plane's scalars" plane_map.svg "$dir/plane.h5" --kind heatmap --of u_max --time 0.5
in_python "panels of an image hold runs and times, the film the same at all times" '
from PIL import Image
import numpy as np
file = sys.argv[1]
figure = draw(file, "--run=2,5,8", "--time=0,0.5,1")
results = results.Results(file)
panels = [axes for axes in figure.axes if axes.images]
assert len(panels) == 9, len(panels)
for k, axes in enumerate(panels):
    t, u = results.outputs([2, 5, 8][k // 3], "u")
    assert (axes.images[0].get_array() == u[[0, 3, 6][k % 3]]).all(), k
assert [axes.get_title() for axes in panels] == ["t = 0", "t = 0.5", "t = 1", "", "", "", "", "", ""]
assert [axes.get_ylabel() for axes in panels[::3]] == ["D = 0.5", "D = 1", "D = 2"]
limits = {axes.images[0].get_clim() for axes in panels}
assert len(limits) == 1, limits
own = draw(file, "--run=0-2", "--time=0,1")
limits = {axes.images[0].get_clim() for axes in own.axes if axes.images}
assert len(limits) == 3, limits
assert "each run with colours of its own" in own._suptitle.get_text()
same = draw(file, "--run=0-2", "--time=0,1", "--clim=0,3")
assert len({axes.images[0].get_clim() for axes in same.axes if axes.images}) == 1
film = draw(file, "--kind=film", "--run=5")
for k in range(7):
    film.frames.show(k)
    assert (film.axes[0].images[0].get_array() == results.outputs(5, "u")[1][k]).all(), k
frames = Image.open(sys.argv[2])
assert frames.n_frames == 7 and frames.info["duration"] == 100, frames.info
lines = draw(sys.argv[4], "--kind=film", "--run=0,8")
of = type(results)(sys.argv[4])
for k in range(6):
    lines.frames.show(k)
    for line, run in zip(lines.axes[0].lines, (0, 8)):
        assert (line.get_ydata() == of.outputs(run, "u")[1][k]).all(), k
    assert f"t = {2 * k}" in lines.axes[0].get_title()
over = draw(sys.argv[4], "--kind=film", "--run=3", "--over=a")
for k, run in enumerate((3, 7, 11)):    # v = 0.5, seed = 2
    over.frames.show(k)
    cells = over.axes[0].collections[0].get_array().reshape(6, 49)
    assert (cells[:, :48] == of.outputs(run, "u")[1]).all() and (cells[:, 48] == cells[:, 0]).all(), k
    assert f"a = {[0, 0.05, 0.1][k]}, v = 0.5, seed = 2" in over.axes[0].get_title(), over.axes[0].get_title()
frames = Image.open(sys.argv[5])
assert frames.n_frames == 3 and frames.format == "PNG"
cube = draw(sys.argv[3], "--kind=image", "--run=0", "--at=y=1.6")
assert cube._suptitle.get_text().count("y = 1.571"), cube._suptitle.get_text()
' "$dir/plane.h5" "$dir/film.gif" "$dir/cube.h5" "$dir/tiny_ch.h5" "$dir/film_over.apng"
refuses_film() {  # refuses_film "what" TEXT ARGUMENTS...
    what=$1 text=$2
    shift 2
    ! plot "$@" -o "$dir/never.gif" && grep -q "$text" "$dir/out" && ok "refuses $what" || bad "refuses $what"
}
refuses_film "a film of two parameters" "a film shows one parameter" "$dir/tiny_ch.h5" --over a,v
refuses_film "a film of several grids" "a film has one grid" "$dir/tiny_nsweep.h5" --over n
refuses_film "a film of one time of many" "a film shows all saved times" "$dir/tiny_ch.h5" --time 3
refuses "an image of a line" "one dimension in space" "$dir/tiny_ch.h5" --kind image
refuses "a place in a plane" "has two dimensions in space" "$dir/plane.h5" --at z=0
refuses "two planes in a panel" "a panel is one plane" "$dir/cube.h5" --kind image --at z=0,y=0
refuses "times in disorder" "the times ascend" "$dir/plane.h5" --time 1,0.5
refuses "several times of a slice" "takes a number" "$dir/plane.h5" --kind slice --time 0,1
"$SWEEP" run -q "$dir/plane.cfg" -o "$dir/plane_end.h5" -s 'output.fields.times=["end"]' || bad "sweep of one time"
if plot "$dir/plane_end.h5" -o "$dir/one_time.gif"; then bad "refuses a film of one time"; else
    grep -q "was saved at one time only; draw it with --kind image" "$dir/out" && ok "refuses a film of one time" ||
    bad "refuses a film of one time"; fi
draws "images of one time" one_time.png "$dir/plane_end.h5"
plot "$dir/plane.h5" --kind film -o "$dir/never.png"
grep -q "a film's name must end in .gif" "$dir/out" && ok "refuses a film in a .png" || bad "refuses a film in a .png"

# ---- numbers at the end, over the axes of the sweep: cells to scale, points, no picture without data
cat >"$dir/end.cfg" <<'END'
problem = "heat";
sweep   = { a = [0.0, 0.1, 0.3, 1.0]; b = [1, 10, 1000]; };
grid    = { n = 16; length = 1.0; };
physics = { kappa = 0.1; };
time    = { dt = 0.001; end = 0.01; };
initial = "1 + a*sqrt(b)*cos(2*pi*x)";
run     = { device = "cpu"; };
output  = { scalars = { times = ["end"]; define = { top = "max(u)"; bottom = "min(u)"; }; }; };
END
at_end() {  # at_end FILE ARGUMENTS...
    file=$dir/$1
    shift
    "$SWEEP" run -q "$dir/end.cfg" -o "$file" "$@" || bad "sweep of $file"
}
at_end ends.h5
at_end one_axis.h5 -s 'sweep={a="linspace(0,1,21)";}' -s 'define={b=4;}'
at_end map.h5 -s 'sweep={a="linspace(0,1,70)"; b="linspace(1,2,70)";}'
at_end alone.h5 -s 'sweep={a=[1.0];}' -s 'define={b=4;}'
long=a_name_of_a_parameter_that_goes_on_and_on
at_end long.h5 -s "sweep={${long}_a=[0.001,0.001001,0.5]; ${long}_b=\"linspace(0,1000,12)\";}" \
    -s "initial=\"${long}_a*${long}_b*cos(2*pi*x)\"" -s "output={scalars={times=[\"end\"]; define={
        $long=\"max(u)\";};};}" -s "title=\"A title that is too long for one line, $long, and goes on and on\""
in_python "a number at the end is drawn over the axes, without options" '
figure = draw(sys.argv[1])
axes, mesh = figure.axes[0], figure.axes[0].collections[1]
x, y = edges(mesh)      # by hand: half way between values, on the logarithmic axis between logarithms
assert numpy.allclose(x, [-0.05, 0.05, 0.2, 0.65, 1.35]), x
assert numpy.allclose(numpy.log10(y), [-0.5, 0.5, 2, 4]) and axes.get_yscale() == "log", y
assert ticks(axes.xaxis) == ["0", "0.1", "0.3", "1"] and ticks(axes.yaxis) == ["1", "10", "1000"]
right = 1 + numpy.outer(numpy.sqrt([1, 10, 1000]), [0, 0.1, 0.3, 1])*numpy.exp(-0.4*numpy.pi**2*0.01)
assert numpy.allclose(mesh.get_array().reshape(3, 4), right, rtol=2e-3), mesh.get_array()
assert "top" in figure.axes[1].get_ylabel(), "the first scalar of the config"
axes = draw(sys.argv[1], "--xlim=0.02,0.5", "--ylim=1,20").axes[0]
assert axes.get_xlim() == (0.02, 0.5) and axes.get_ylim() == (1, 20)
mesh = axes.collections[1]
assert mesh.get_array().size == 12 and numpy.allclose(mesh.get_clim(), (right[0, 1], right[1, 2]), rtol=2e-3)
one = draw(sys.argv[1], "--xlim=0.25,0.5", "--ylim=5,20").axes[0].collections
assert type(one[1]).__name__ == "QuadMesh", "one cell is a cell"
mesh = draw(sys.argv[2]).axes[0].collections[1]
assert mesh.get_array().size == 4900 and not numpy.ma.getmaskarray(mesh.get_array()).any()
line, = draw(sys.argv[3]).axes[0].lines
x, y = line.get_data()
assert len(x) == 21 and numpy.allclose(y, 1 + 2*x*numpy.exp(-0.4*numpy.pi**2*0.01), rtol=2e-3), (x, y)
axes = draw(sys.argv[1], "--kind=curves", "--over=b,a").axes[0]
assert axes.get_xscale() == "log" and names(axes) == [f"a = {a}" for a in ("0", "0.1", "0.3", "1")], names(axes)
for k, line in enumerate(axes.lines):
    assert numpy.allclose(line.get_ydata(), right[:, k], rtol=2e-3)
' "$dir/ends.h5" "$dir/map.h5" "$dir/one_axis.h5"
refuses "lines of one time" "top was saved at one time only; draw it over the axes with --kind curves or heatmap" \
    "$dir/ends.h5" --kind lines --of top
refuses "one number of one run" "top was saved at one time only; sweep show prints it" "$dir/alone.h5" --kind lines \
    --of top
refuses "curves without an axis" "curves needs a swept parameter; this sweep has 0: none; sweep show prints" \
    "$dir/alone.h5" --kind curves
refuses "a heatmap of one axis, and says what draws it" "--kind curves draws numbers over one" "$dir/one_axis.h5" \
    --kind heatmap
in_python "a field at one time is drawn of all of a few runs" '
file, axes = results.Results(sys.argv[1]), draw(sys.argv[1], "--kind=lines").axes[0]
assert len(axes.lines) == len(file.run) > 1, axes.lines' "$dir/once.h5"
in_python "what spreads by factors has a logarithmic axis" '
for values, log in (((1, 2, 5), True), ((0.01, 0.1, 1), True), (numpy.linspace(0.01, 2, 50), False), ((1, 2, 3), False),
                    ((0, 1, 100), False), ((16, 32, 64), True), ((0.1, 0.5, 1), False), (("a", "b"), False)):
    assert look.usually_log(values) == log, values'

# ---- answers: ladders, means with their errors, runs by their parameters
"$SWEEP" run -q configs/hysteresis.cfg -s 'sweep.r={ values = "linspace(-0.3,0.1,9)"; ladder = "both"; }' \
    -s 'sweep.s=[0.8,1.0]' \
    -s time.end=20.0 --device cpu -o "$dir/ladder.h5" || bad "sweep of a ladder"
cat >"$dir/means.cfg" <<'END'
problem    = "equation";
rhs        = "dxx(u) + T";
sweep      = { T = [0.1, 0.2]; c = [1, 2]; seed = "range(1, 5)"; };
grid       = { n = 16; length = "2*pi"; };
time       = { dt = 0.01; end = 0.1; };
initial    = "c*cos(x) + 0.1*randn(seed)";
run        = { device = "cpu"; };
output     = { scalars = { times = [0.0, 0.05, 0.1]; define = { square = "mean(u^2)"; }; }; };
statistics = { over = ["seed"]; of = ["square"]; what = ["mean", "sem"]; };
END
"$SWEEP" run -q "$dir/means.cfg" -o "$dir/means.h5" || bad "sweep of statistics"
"$SWEEP" run -q "$dir/means.cfg" -s 'sweep={seed="range(1,5)";}' -s 'define={T=0.1; c=1;}' \
    -s output.scalars.keep=false -o "$dir/alone_means.h5" || bad "sweep of statistics alone"
# ---- a refined sweep: cells that cover the plane once, each between runs, the smallest along the boundary
"$SWEEP" run -q configs/refine.cfg -s refine.levels=4 -s time.end=20.0 --device cpu -o "$dir/refined.h5" ||
    bad "sweep with refinement"
"$SWEEP" run -q configs/refine.cfg -s refine.levels=4 -s 'refine.over="r"' -s 'sweep.s=[0.6, 1.0, 1.2]' \
    -s time.end=20.0 --device cpu -o "$dir/refined_rows.h5" || bad "sweep with one refined axis"
in_python "a refined sweep is drawn as its cells" '
file, axes = results.Results(sys.argv[1]), draw(sys.argv[1]).axes[0]
shapes = numpy.array([path.vertices[:4] for path in axes.collections[0].get_paths()])
size = numpy.ptp(shapes, axis=1)
assert axes.get_xlabel() == "s" and axes.get_ylabel() == "r" and len(axes.collections) == 1
assert abs(size.prod(axis=1).sum() - 0.6) < 1e-12, size.prod(axis=1).sum()
assert set(numpy.round(numpy.log2(size[:, 0]/0.125)).astype(int)) == {0, -1, -2, -3, -4}
assert numpy.allclose(size[:, 1]/size[:, 0], 0.6)
values, _ = file.final("amplitude", None)
value = dict(zip(zip(file.param["s"], file.param["r"]), values))
corner = numpy.array([[value[tuple(place)] for place in shape] for shape in shapes])
assert numpy.allclose(axes.collections[0].get_array(), corner.mean(axis=1))
apart = (corner.min(axis=1) < 0.2) & (corner.max(axis=1) >= 0.2)
assert apart.any() and (size[apart, 0] < 0.125/2**3.5).all()' "$dir/refined.h5"
in_python "of one refined axis rows of intervals are drawn" '
axes = draw(sys.argv[1], "--kind", "heatmap").axes[0]
shapes = numpy.array([path.vertices[:4] for path in axes.collections[0].get_paths()])
size = numpy.ptp(shapes, axis=1)
assert axes.get_xlabel() == "r" and abs(size.prod(axis=1).sum() - 0.6*numpy.ptp(axes.get_ylim())) < 1e-12
assert len(shapes) == 3*(8 + 4), len(shapes)' "$dir/refined_rows.h5"
"$SWEEP" run -q configs/refine.cfg -s refine.levels=2 -s 'sweep.k=[1.0, 1.1]' -s time.end=20.0 --device cpu \
    -s 'rhs="r*u - k*(u + 2*dxx(u) + dxxxx(u)) + s*u^3 - k*u^5"' -o "$dir/refined_two.h5" || bad "two refined planes"
refuses "means over values that are not at each place" "has not all values of k at each place" "$dir/refined_two.h5"
draws "one of two refined planes" rt.png "$dir/refined_two.h5" --where 'k == 1'
in_python "a ladder is drawn as its ways, solid and dashed, each with its arrow" '
file, axes = results.Results(sys.argv[1]), draw(sys.argv[1]).axes[0]
drawn = [line for line in axes.lines if len(line.get_xdata())]
assert len(drawn) == 4 and axes.get_xlabel() == "r" and names(axes) == ["s = 0.8", "s = 1", "up", "down"], names(axes)
values, _ = file.final("amplitude", None)
for line, (s, way) in zip(drawn, ((s, way) for s in (0.8, 1.0) for way in ("up", "down"))):
    rows = numpy.flatnonzero((file.param["s"] == s) & (file.param["direction"] == way))
    rows = rows[numpy.argsort(file.param["r"][rows])]
    assert numpy.array_equal(line.get_ydata(), values[rows]) and line.is_dashed() == (way == "down"), (s, way)
ahead = [numpy.sign(arrow.xy[0] - arrow.xyann[0]) for arrow in axes.texts]
assert ahead == [1, -1, 1, -1], ahead
one = draw(sys.argv[1], "--where", "s == 0.8 and r < 0")
assert names(one.axes[0]) == ["up", "down"] and "s == 0.8 and r < 0" in one.axes[0].get_title()
assert all((line.get_xdata() < 0).all() for line in one.axes[0].lines)
assert not draw(sys.argv[1], "--over=s").axes[0].texts, "arrows lie along the ladder"
' "$dir/ladder.h5"
in_python "means have their standard errors, of the statistics or of runs" '
file, axes = results.Results(sys.argv[1]), draw(sys.argv[1]).axes[0]
values, _ = file.final("square", None)
def bars(axes, k):
    return numpy.array([part[:, 1] for part in axes.collections[k].get_segments()])
for k, c in enumerate((1, 2)):
    cells = [values[(file.param["T"] == T) & (file.param["c"] == c)] for T in (0.1, 0.2)]
    mean, error = (numpy.array([f(v) for v in cells]) for f in (numpy.mean, lambda v: v.std(ddof=1)/5**0.5))
    assert numpy.allclose(axes.lines[k].get_ydata(), mean, rtol=1e-13), c
    assert numpy.allclose(bars(axes, k), numpy.array([mean - error, mean + error]).T, rtol=1e-12), c
assert names(axes) == ["c = 1", "c = 2"] and "mean over seed, with its standard error" in axes.get_title()
same = draw(sys.argv[1], "--kind=lines", "--over=T,c", "--of=square").axes[0]
assert all(numpy.array_equal(a.get_ydata(), b.get_ydata()) for a, b in zip(axes.lines, same.lines))
some = draw(sys.argv[1], "--where", "seed <= 3 && c == 2").axes[0]
cells = [values[(file.param["T"] == T) & (file.param["c"] == 2) & (file.param["seed"] <= 3)] for T in (0.1, 0.2)]
assert numpy.allclose(some.lines[0].get_ydata(), [v.mean() for v in cells], rtol=1e-13)
assert numpy.allclose(numpy.diff(bars(some, 0)).ravel(), [2*v.std(ddof=1)/3**0.5 for v in cells], rtol=1e-12)
own = draw(sys.argv[1], "--over=time,c", "--where=T == 0.2").axes[0]
assert names(own) == ["c = 1", "c = 2"] and list(own.lines[0].get_xdata()) == [0, 0.05, 0.1]
assert own.lines[1].get_ydata()[-1] == axes.lines[1].get_ydata()[1]
alone = draw(sys.argv[2]).axes[0]
assert alone.get_xlabel() == "t" and len(alone.lines) == 1 and len(alone.lines[0].get_xdata()) == 3
' "$dir/means.h5" "$dir/alone_means.h5"
"$SWEEP" run -q "$dir/means.cfg" -s 'output.fields={ times=[0.05, 0.1]; precision="double"; }' \
    -s 'statistics.of=["spectrum(u)", "u"]' -o "$dir/spectra.h5" || bad "sweep of spectra"
"$SWEEP" run -q "$dir/means.cfg" -s 'output.fields={ times=[0.05, 0.1]; keep=false; }' -s 'sweep.c=[1]' \
    -s 'sweep.T=[0.1]' -s 'statistics.of=["u"]' -o "$dir/mean_fields.h5" || bad "sweep of means of fields"
in_python "spectra are drawn over wave numbers, means of fields over x" '
file, axes = results.Results(sys.argv[1]), draw(sys.argv[1]).axes[0]
u = file.file["u"][:]
rows = lambda T, c: (file.param["T"] == T) & (file.param["c"] == c)
assert axes.get_xlabel() == "wave number" and axes.get_ylabel() == "structure factor of u" and len(axes.lines) == 4
assert axes.get_xscale() == axes.get_yscale() == "log"
places = [(T, c) for T in (0.1, 0.2) for c in (1, 2)]
assert names(axes) == [f"T = {T}, c = {c}" for T, c in places], names(axes)
for k, place in enumerate(places):
    power = 2*numpy.pi*abs(numpy.fft.rfft(u[rows(*place), 1]))**2/16**2
    assert numpy.allclose(axes.lines[k].get_ydata(), power.mean(axis=0)[1:], rtol=1e-8), place
    assert numpy.allclose(axes.lines[k].get_xdata(), numpy.arange(1, 9)), place
    ends = numpy.array([part[:, 1] for part in axes.collections[k].get_segments()])
    assert numpy.allclose(numpy.diff(ends)[:, 0], 2*power.std(axis=0, ddof=1)[1:]/5**0.5, rtol=1e-6)
one = draw(sys.argv[1], "--of=spectrum(u)", "--where=T == 0.1 and c == 2", "--log=none").axes[0]
assert names(one) == ["t = 0.05", "t = 0.1"] and len(one.lines[0].get_xdata()) == 9, names(one)
assert numpy.allclose(one.lines[1].get_ydata()[1:], axes.lines[1].get_ydata(), rtol=1e-12)
assert draw(sys.argv[1], "--of=u", "--kind=lines").axes[0].get_xlabel() == "x"
alone = draw(sys.argv[2]).axes[0]
assert alone.get_xlabel() == "x" and names(alone) == ["t = 0.05", "t = 0.1"], names(alone)
assert numpy.allclose(alone.lines[1].get_ydata(), u[rows(0.1, 1), 1].mean(axis=0), rtol=1e-6)
' "$dir/spectra.h5" "$dir/mean_fields.h5"
refuses "lines of runs in a mean" "--run: the file has means of spectrum(u) over wave_number" "$dir/spectra.h5" \
    --of 'spectrum(u)' --run 3
"$SWEEP" run -q "$dir/means.cfg" -s 'time.end="0.1*c"' -s 'output.scalars.times="linspace(0, end, 3)"' \
    -o "$dir/own_times.h5" || bad "sweep of statistics over numbers of outputs"
in_python "runs with output times of their own lie over these" '
axes = draw(sys.argv[1], "--over=time,c", "--of=square").axes[0]
assert [line.get_xdata()[-1] for line in axes.lines[:2]] == [0.1, 0.2] and names(axes) == ["c = 1", "c = 2"]
assert " at t" not in draw(sys.argv[1], "--over=T,c", "--of=square").axes[0].get_title()
' "$dir/own_times.h5"
refuses "a time of statistics over numbers of outputs" "--time: the runs have output times of their own" \
    "$dir/own_times.h5" --over T,c --of square --time 0.05
refuses "runs by a parameter that is not there" "no parameter 'R' in this file" "$dir/ladder.h5" --where 'R == 1'
refuses "no run, and tells the values" "--where: no run is such; s has the values 0.8 1" "$dir/ladder.h5" \
    --where 's == 0.9'
refuses "a program for a comparison" "takes comparisons of parameters" "$dir/ladder.h5" --where '__import__("os")'
refuses "a comparison that goes on" "behind 's > 0' comes 'and' or the end" "$dir/ladder.h5" --where 's > 0 or s < 1'
refuses "an order of words" "direction has words for values, which == and != compare" "$dir/ladder.h5" \
    --where 'direction < up'
refuses "a word for a number" "s has numbers for values, and 'up' is none" "$dir/ladder.h5" --where 's == up'
refuses "runs of which the file keeps statistics alone" "the file keeps statistics of square over seed, and not the" \
    "$dir/alone_means.h5" --kind curves --of square --over seed
refuses "lines of such runs" "keeps statistics of square over seed, and not the runs themselves: no seed has one" \
    "$dir/alone_means.h5" --over time,seed --of square
refuses "some of the runs of such" "statistics of square over seed, and not the runs themselves, of which --where" \
    "$dir/alone_means.h5" --of square --where 'seed < 3'
refuses "time beside what it is not over" "square lies over time; a line for each value of a parameter is time,PARAM" \
    "$dir/means.h5" --kind lines --of square --over time,T,c

rm "$dir/alone.h5"
# those that are drawn so above and below had data, too
in_python "what a file holds is drawn without options, and has data" '
for path in sys.argv[1:]:
    draw(path)' $(ls "$dir"/*.h5 |
    grep -vE '/(ladder|means|alone_means|tiny_history|histories|failed|limited|ends|map|one_axis|long)\.h5$' |
    grep -vE '/(refined|spectra|mean_fields|plane|own_times)\.h5$' |
    grep -vF /refined_two.h5)

# ---- where planes lie
in_python "planes lie where they are asked to" '
import h5py
with h5py.File(sys.argv[1]) as f:
    group = next(v for v in f.values() if "group_run" in v and 8 in v["group_run"][:])
    k = list(group["group_run"][:]).index(8)
    u = group["g"][k, -1]
    x, y, z = (group[axis + "c"][k] if axis + "c" in group else group[axis][:] for axis in "xyz")
def shown(axes, rows, columns):
    across = len(edges(axes.collections[0])[0]) - 1
    return axes.collections[0].get_array().reshape(-1, across)[:rows, :columns]
figure = draw(sys.argv[1], "--of=g", "--run=8", f"--at=z={z[3] + 0.1*(z[1] - z[0])},x={x[5]}")
flat, upright = figure.axes[:2]
assert numpy.array_equal(shown(flat, *u[3].shape), u[3]), "the point nearest to the place"
assert numpy.array_equal(shown(upright, *u[:, :, 5].shape), u[:, :, 5])
assert flat.get_title() == f"z = {z[3]:.4g}" and (upright.get_xlabel(), upright.get_ylabel()) == ("y", "z")
assert len(draw(sys.argv[1], "--kind=slice", "--run=8-11", "--at=y=-0.8").axes) == 5, "four panels and the colours"
' "$dir/tiny_compact.h5"
itself refuses "a place outside" "--at z=99: z goes from" "$dir/tiny_compact.h5" --run 8 --at z=99
refuses "a place on no axis" "takes places on the axes x, y and z, e.g. --at z=0.5" "$dir/tiny_compact.h5" --at w=1
refuses "a place twice" "takes places on the axes x, y and z" "$dir/tiny_compact.h5" --at z=1,z=2
refuses "a place that is no number" "takes places on the axes x, y and z" "$dir/tiny_compact.h5" --at z
refuses "a place in a plane" "has two dimensions in space, and all of it is drawn" "$dir/tiny_compact.h5" --run 0 \
    --at x=1
refuses "a place of another kind" "--at is not for --kind lines; it goes with --kind image, film or slice" \
    "$dir/tiny_ch.h5" --kind lines --at x=1

# ---- print: no text on another, none outside, at any size; two ticks at least
in_python "no text lies on another or leaves the picture" '
ch, nsweep, box, times, ends, long, whole = sys.argv[1:]
pictures = [(ch, "--kind=spacetime", "--run=0-7"), (ch, "--kind=lines", "--run=0-7"), (nsweep, "--kind=convergence"),
            (ch, "--kind=lines", "--of=energy"), (box, "--run=8"), (box, "--kind=slice", "--run=8-11"),
            (times, "--kind=spacetime", "--run=0-3"), (ends,), (long,), (long, "--kind=curves"), (whole,)]
small = [(*picture, "--size=3.4x2.5") for picture in pictures]
for picture in small + [pictures[0], pictures[2], pictures[5], *pictures[-3:]]:    # of the usual size: one of each kind
    found = crowded(draw(*picture))
    assert not found, (picture, found[:3])
' "$dir/tiny_ch.h5" "$dir/tiny_nsweep.h5" "$dir/tiny_compact.h5" "$dir/times.h5" "$dir/ends.h5" "$dir/long.h5" \
    "$dir/map.h5"
in_python "ticks at values do not run together" '
for values in ([100, 101, 102, 104, 116, 132], [1, 2, 4, 8], [10.0**-k for k in range(9)]):
    figure, axes = plot.plt.subplots(layout="constrained", figsize=(3, 2))
    axes.plot(values, values)
    axes.set_xscale("log")
    look.value_ticks(axes.xaxis, sorted(values))
    look.settle(figure)
    boxes = sorted((box.x0, box.x1) for text, box in texts(figure) if box.y1 < axes.get_window_extent().y0)
    assert len(boxes) >= 2 and all(a[1] < b[0] for a, b in zip(boxes, boxes[1:])), (values, boxes)'
in_python "an axis has two named ticks, be it a part of a decade" '
for low, high in ((1.1, 9), (2, 30), (0.9, 1.2), (1e-9, 8e-9), (3e-5, 3e5), (1.01, 1.02), (0.5, 60)):
    figure, axes = plot.plt.subplots(layout="constrained")
    axes.loglog([low, high], [low, high])
    axes.set(xlim=(low, high), ylim=(low, high))
    look.settle(figure)
    figure.draw_without_rendering()
    for axis in (axes.xaxis, axes.yaxis):
        found = ticks(axis)
        assert len(found) >= 2 and len(set(found)) == len(found), (low, high, found)'

# ---- options for the axes, the size and the style
"$SWEEP" run -q configs/tiny_ch.cfg -s 'sweep.a=[0.02,0.05,0.1]' -s 'sweep.v=[0.1,0.5]' --device cpu -o "$dir/log.h5" ||
    bad "sweep of parameters above 0"
"$SWEEP" run -q configs/tiny_heat.cfg -s 'initial="-2-cos(x)"' -s 'forcing="0"' -s 'exact="0"' --device cpu \
    -o "$dir/negative.h5" || bad "sweep of what is below 0"
in_python "axes are logarithmic, and end, where they are asked to" '
for kind, of in (("lines", "energy"), ("lines", "u"), ("spacetime", "u"), ("heatmap", "energy")):
    axes = draw(sys.argv[1], f"--kind={kind}", f"--of={of}", "--log=x").axes[0]
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "linear"), (kind, of)
axes = draw(sys.argv[1], "--kind=spacetime", "--xlim=1,4", "--ylim=,5", "--clim=-0.5,0.25").axes[0]
assert axes.get_xlim() == (1, 4) and axes.get_ylim() == (0, 5), (axes.get_xlim(), axes.get_ylim())
assert axes.collections[0].get_clim() == (-0.5, 0.25)
axes = draw(sys.argv[1], "--kind=heatmap", "--of=steps", "--log=c").axes[0]
assert type(axes.collections[1].norm).__name__ == "LogNorm"
axes = draw(sys.argv[2], "--kind=convergence", "--log=none").axes[0]
assert (axes.get_xscale(), axes.get_yscale()) == ("linear", "linear")
axes = draw(sys.argv[1], "--kind=heatmap", "--of=energy", "--xlim=0.04,").axes[0]
assert [label.get_text() for label in axes.get_xticklabels()] == ["0.05", "0.1"]
assert tuple(draw(sys.argv[1], "--kind=lines", "--size=9x3").get_size_inches()) == (9, 3)
' "$dir/log.h5" "$dir/tiny_nsweep.h5"
printf 'axes.labelsize: 20\nlines.linewidth: 4\n' >"$dir/own.mplstyle"
draws "in a style, a size and a resolution of one's own" x.png "$dir/tiny_ch.h5" --style "$dir/own.mplstyle" \
    --size 5x4 --dpi 40
head -c 24 "$dir/x.png" | tail -c 8 | od -An -tu1 | tr -s ' ' | grep -q '^ 0 0 0 200 0 0 0 160' &&
    ok "which has so many pixels" || bad "which has so many pixels"
echo 'axes.labelsize: huge' >"$dir/bad.mplstyle"
echo 'no.such.key: 1' >"$dir/key.mplstyle"
printf 'text.usetex: True\n' >"$dir/tex.mplstyle"
command -v latex >/dev/null || { refuses "a style that needs LaTeX where there is none" \
    "in the style of $dir/tex.mplstyle" "$dir/tiny_ch.h5" --style "$dir/tex.mplstyle"
    grep -q damaged "$dir/out" && bad "calls no file damaged for it"; }
# ---- settings for programs of the user's own: pictures are the same
mkdir -p "$dir/home/stylelib"
printf 'text.usetex: True\nfont.size: 40\nno.such: 1\nfigure.dpi: bad\n' >"$dir/home/matplotlibrc"
printf '\377\376\n' >"$dir/home/stylelib/own.mplstyle"
plot "$dir/tiny_ch.h5" --kind lines -o "$dir/plain.png"
for settings in "MPLBACKEND=module://none.such MATPLOTLIBRC=$dir/home/matplotlibrc" \
    "MPLBACKEND=nothing MATPLOTLIBRC=$dir/home/stylelib/own.mplstyle" "MPLCONFIGDIR=$dir/home"; do
    (export ${settings?}; cd "$dir/home" && "$program" plot ../tiny_ch.h5 --kind lines -o own.png) >"$dir/out" 2>&1
    [ "$(wc -l <"$dir/out")" -eq 1 ] && cmp -s "$dir/home/own.png" "$dir/plain.png" &&
        ok "is the same with $settings" || { cat "$dir/out"; bad "is the same with $settings"; }
    rm -f "$dir/home/own.png"
done
refuses "a style of a bad value" "is no style sheet of matplotlib" "$dir/tiny_ch.h5" --style "$dir/bad.mplstyle"
refuses "a style of an unknown key" "is no style sheet of matplotlib" "$dir/tiny_ch.h5" --style "$dir/key.mplstyle"
refuses "a style that is not there" "cannot read the style sheet" "$dir/tiny_ch.h5" --style "$dir/none.mplstyle"
refuses "a size that is none" "--size '5': takes width and height in inches" "$dir/tiny_ch.h5" --size 5
refuses "a size that is huge" "takes width and height in inches, each from 1 to 200" "$dir/tiny_ch.h5" --size 5x1e9
refuses "a resolution that is none" "--dpi 1e+06: from 10 to 2400" "$dir/tiny_ch.h5" --dpi 1e6
refuses "pixels beyond all memory" "pixels is too large; give a smaller --size or --dpi" "$dir/tiny_ch.h5" \
    --size 200x200 --dpi 2400
itself refuses "limits that are none" "--xlim '3': takes two numbers" "$dir/tiny_ch.h5" --xlim 3
refuses "limits the wrong way round" "--ylim '3,1': the first end has to be the smaller one" "$dir/tiny_ch.h5" \
    --ylim 3,1
refuses "limits of colours where there are none" "--clim is not for --kind lines" "$dir/tiny_ch.h5" --kind lines \
    --clim 0,1
refuses "a logarithmic colour where there is none" "--log c: --kind lines has no colour axis" "$dir/tiny_ch.h5" \
    --kind lines --log c
refuses "logarithms of words" "--log x: the parameter on the x axis has words" "$dir/tiny_compact.h5" --kind heatmap \
    --log x --over axis,m
refuses "logarithms of what is not above 0" "--log c: no value is greater than 0" "$dir/negative.h5" --kind spacetime \
    --log c

# ---- a group for each of 150 n: looking at them took half a minute when HDF5 was asked for the names of scales
"$SWEEP" run -q configs/tiny_heat.cfg -s 'sweep={c=[1.0]; n="range(20,169)";}' -s 'grid.n="n"' \
    -s 'output={scalars={every=0.1;};}' --device cpu -o "$dir/many.h5" || bad "sweep 150 values of n"
draws "one of 150 grids" p.png "$dir/many.h5" --kind lines --of energy --run 149
refuses "150 lines" "150 runs are too many lines; choose some with --run" "$dir/many.h5" --kind lines --of energy
(cd scripts/plot && timeout 60 $SWEEP_PYTHON -B -c '
import sys, time
from pysweep.results import Results
begin = time.process_time()
results = Results(sys.argv[1])
assert "energy" in results.series(), results.series()
took = time.process_time() - begin
assert took < 5, f"{took} s to look at 150 grids"' "$dir/many.h5") >"$dir/out" 2>&1 &&
    ok "looks at 150 grids in an instant" || { cat "$dir/out"; bad "looks at 150 grids in an instant"; }

# ---- damaged files: one message with its cause and a hint, exit code 5, no picture
damaged() {  # damaged "what" TEXT ARGUMENTS...: $dir/damaged.h5
    what=$1 text=$2
    shift 2
    plot "$dir/damaged.h5" "$@" -o "$dir/never.png"
    code=$?
    [ $code -eq 5 ] && [ "$(wc -l <"$dir/out")" -eq 1 ] && grep -q "^error: .*damaged.h5.*$text.*; .*copy it again" \
        "$dir/out" && [ ! -e "$dir/never.png" ] && ok "damaged: $what" ||
        { cat "$dir/out"; bad "damaged: $what: $code"; }
}
alter() {  # alter PROGRAM: of h5py, which has the file as f
    cp "$dir/tiny_nsweep.h5" "$dir/damaged.h5"
    $SWEEP_PYTHON -c "import sys, h5py, numpy
with h5py.File(sys.argv[1], 'r+') as f:
    $1" "$dir/damaged.h5"
}
alter 'del f["status"]'
damaged "the status is gone" "cannot read 'status'"
alter 'del f["g"]; f["g"] = numpy.zeros(3); f["g"].attrs["sweep_role"] = "parameter"'
damaged "a parameter of another shape" "cannot read 'g': its shape is (3,), not (6,)"
alter 'f["g"][2] = numpy.nan'
damaged "a parameter that is not a number" "the parameter 'g' is not finite in run 2"
alter 'f["run"][1] = 0'
damaged "a run twice" "names runs twice"
alter 'group = next(v for v in f.values() if "x" in v); x = group["x"][:]; group["x"][:] = x[::-1]'
damaged "points in disorder" "'x' does not ascend" --kind spacetime --run 0
alter 'del f["t_reached"]; f["t_reached"] = 1'
damaged "a number for a list" "cannot read 't_reached': its shape is"
head -c 3000 "$dir/tiny_nsweep.h5" >"$dir/damaged.h5"
"$SWEEP" plot "$dir/damaged.h5" >"$dir/out" 2>&1
[ $? -eq 5 ] && grep -q 'cannot read .*damaged.h5 as HDF5: .*; give a file that sweep wrote' "$dir/out" &&
    ok "damaged: cut short" || { cat "$dir/out"; bad "damaged: cut short"; }
in_python "a mistake in the program shows its traceback" '
import os
from pysweep import guard
said, keep = os.path.join(sys.argv[1], "said"), os.dup(2)
with open(said, "w") as out:
    os.dup2(out.fileno(), 2)
code = guard.guarded(lambda: {}["no such key"], "x.h5")
os.dup2(keep, 2)
told = open(said).read()
assert code == 4 and "Traceback" in told and "KeyError" in told, (code, told)' "$dir"
in_python "what h5py cannot close is passed over, other mistakes are not" '
import h5py, os, shutil
from pysweep import guard
copy, said, keep = os.path.join(sys.argv[1], "copy.h5"), os.path.join(sys.argv[1], "said"), os.dup(2)
shutil.copyfile(sys.argv[2], copy)
class Other:
    def __del__(self):
        raise ValueError("of another class")
def close():
    file = h5py.File(copy, "r+")
    file.attrs["x"] = 1
    os.close(file.id.get_vfd_handle())      # so that nothing can be written any more
    del file
    Other()
    return 3
with open(said, "w") as out:
    os.dup2(out.fileno(), 2)
code = guard.guarded(close, "x.h5")
os.dup2(keep, 2)
told = open(said).read()
assert code == 3 and "dealloc" not in told and "of another class" in told, (code, told)' "$dir" "$dir/tiny_nsweep.h5"
in_python "a crash of HDF5, and one without an end, are messages" '
import os, signal
from pysweep import guard
def end():
    with guard.watched("u"):
        while True:
            pass
guard.LONGEST = 0.1
said = os.path.join(sys.argv[1], "said")
keep = os.dup(2)
for work, text in ((lambda: os.kill(os.getpid(), signal.SIGSEGV), "x.h5: HDF5 crashed reading"),
                   (end, "x.h5: HDF5 did not end reading u within")):
    with open(said, "w") as out:
        os.dup2(out.fileno(), 2)
    code = guard.guarded(work, "x.h5")
    os.dup2(keep, 2)
    told = open(said).read()
    assert code == 5 and text in told and "copy it again" in told and told.count("\n") == 1, (code, told)
assert guard.guarded(lambda: 3, "x.h5") == 3' "$dir"
timeout 300 $SWEEP_PYTHON -B tests/fuzz/fuzz_plot.py "${SW_FUZZ_SECONDS:-2}" 1 "$dir"/tiny_*.h5 >"$dir/out" 2>&1 &&
    ok "$(tail -n 1 "$dir/out")" || { cat "$dir/out"; bad "damaged files"; }

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
    plot "$dir/$1.h5" --kind convergence -o "$dir/$1.png"
    slope=$(sed -n 's/^slope //p' "$dir/out")
    awk -v s="$slope" -v a="$2" -v b="$3" 'BEGIN { exit !(s != "" && s >= a && s <= b) }' &&
        ok "$1: slope $slope from $2 to $3" || bad "$1: slope '$slope' is not from $2 to $3"
}
slope_of hyperdiffusion_convergence -2.05 -1.95
slope_of heat_convergence -4.1 -3.9

exit $failed
