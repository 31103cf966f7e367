#!/bin/bash
# Initial values from files: the results of another sweep, other HDF5 files, and what is refused. SWEEP is the program.
cd "$(dirname "$0")/../../.." || exit 1
. tests/helpers/helpers.sh || exit 1

cat >one.cfg <<'CFG'
problem = "cahn_hilliard";
sweep   = { a = [0.1, 0.2, 0.3]; };
grid    = { n = 32; length = "2*pi*2"; };
physics = { D = 1.0; gamma = 0.5; };
time    = { dt = 0.01; end = 1.0; };
initial = "a*randn(3)";
forcing = "a*cos(x)";
run     = { device = "cpu"; };
output  = { file = "one.h5"; fields = { times = [0.0, 0.5, 1.0]; precision = "double"; }; scalars = { every = 0.1; }; };
CFG
sed 's/^initial.*/initial = { file = "one.h5"; };/; s/"one.h5"; fields/"two.h5"; fields/' one.cfg >two.cfg
expect 0 run one.cfg
expect 0 check two.cfg
expect 0 run two.cfg
expect 0 run two.cfg; says 'nothing to do'
expect 0 run one.cfg -o long.h5 -s time.end=2.0 -s 'output.fields.times=[1.0, 1.5, 2.0]'
# a chain of two has the bits of one that is as long
holds two.h5 long.h5 'np.array_equal(a["u"][:], b["u"][:]) and np.array_equal(a["mass"][:], b["mass"][:, 10:])'

# so have those of every line equation, on every row of the CPU, where the first takes an even number of steps: even
# steps and odd ones of cpu.simd sweep the line in opposite directions. After an odd number they differ by the rounding
# of the 25 steps that follow, 1.1e-16 each of numbers below 1 that grow by less than 2 in them: 6e-15 at most
chain() {  # chain PROBLEM KEYS OF IT
    for row in cpu.simd cpu.plain; do
        sed -e "s/^problem.*/problem = \"$1\"; stepper = \"$row\";/; s/^physics.*/$2/" \
            -e 's/^initial.*/initial = "a*cos(x)";/' \
            -e 's/end = 1.0/end = 0.5/; s/times = [^;]*;/times = [0.0, 0.25, 0.26, 0.5];/; s/one.h5/all.h5/' \
            one.cfg >all.cfg
        expect 0 run all.cfg --force
        part all.cfg 0.26 0.24 'np.array_equal(a["u"][:], b["u"][:, 2:])'
        part all.cfg 0.25 0.25 'np.allclose(a["u"][:], b["u"][:, [1, 3]], rtol=0, atol=1e-14)'
    done
}
part() {  # part CONFIG FROM LENGTH HOLDS
    expect 0 run "$1" --force -o part.h5 -s "time.end=$3" -s "output.fields.times=[0.0, $3]" \
        -s "initial={file=\"all.h5\"; time=$2;}"
    holds part.h5 all.h5 "$4"
}
chain hyperdiffusion 'physics = { gamma = 0.1; D = 1.0; };'
chain heat 'physics = { kappa = 0.3; };'
chain cahn_hilliard 'physics = { D = 1.0; gamma = 0.5; };'
chain swift_hohenberg 'physics = { r = 0.3; };'
chain allen_cahn 'physics = { gamma = 0.5; };'

# and equations of the user's own, with a dataset for each unknown: by default of its name
cat >two_unknowns.cfg <<'CFG'
problem  = "equation";
unknowns = ["u", "w"];
rhs      = { u = "0.1*dxx(u) - u*w^2 + F*(1 - u)"; w = "0.05*dxx(w) + u*w^2 - (F + 0.06)*w"; };
initial  = { u = "1 - 0.5*exp(-4*(x - 3)^2)"; w = "0.25*exp(-4*(x - 3)^2)"; };
sweep    = { F = [0.03, 0.04, 0.05]; };
grid     = { n = 48; length = 6.0; };
time     = { dt = 0.1; end = 4.0; };
run      = { device = "cpu"; };
output   = { file = "all.h5"; fields = { times = [0.0, 2.0, 4.0]; precision = "double"; }; };
CFG
expect 0 run two_unknowns.cfg --force
for method in imex1 imex2 imex3; do
    expect 0 run two_unknowns.cfg --force -s method=$method
    for names in '' 'dataset="/u,/w";'; do
        expect 0 run two_unknowns.cfg --force -o part.h5 -s method=$method -s time.end=2.0 \
            -s 'output.fields.times=[0.0, 2.0]' -s "initial={file=\"all.h5\"; time=2.0; $names}"
        holds part.h5 all.h5 'all(np.array_equal(a[v][:], b[v][:, 1:]) for v in ("u", "w"))'
    done
done
expect 0 run two_unknowns.cfg --force -o part.h5 -s grid.n=96 -s 'initial={file="all.h5"; dataset="w, u";}'
holds part.h5 all.h5 'all(np.allclose(a[v][:, 0, ::2], b[w][:, 2], atol=1e-14) for v, w in ("uw", "wu"))'
expect 3 check two_unknowns.cfg -s 'initial={file="all.h5"; dataset="/u";}'
says "'initial.dataset' = \"/u\": there are 2 unknowns: give as many datasets, with commas between them"
expect 3 check two_unknowns.cfg -s 'initial={file="one.h5";}'
says "'initial.dataset' is missing: there is no dataset '/w'"
expect 3 check two_unknowns.cfg -s 'initial={file="all.h5"; u="1";}'; says "unknown key 'initial.u'"

# runs are matched by the values of the axes that both files have, wherever these lie
expect 0 run two.cfg -o turned.h5 -s 'sweep.a=[0.3, 0.1]'
holds turned.h5 one.h5 'np.array_equal(a["u"][:, 0], b["u"][:][[2, 0], 2])'
expect 0 run one.cfg -q -o many.h5 -s 'sweep={ b = [1, 2]; a = [0.1, 0.2]; }' -s 'forcing="a*b*cos(x)"'
expect 0 run two.cfg -o of_many.h5 -s 'sweep={ a = [0.2, 0.1]; b = [2, 1]; c = [1, 2]; }' -s 'forcing="a*b*c*cos(x)"' \
    -s initial.file=many.h5
holds of_many.h5 many.h5 'np.array_equal(a["u"][::2, 0], b["u"][:][[3, 1, 2, 0], 2])'
holds of_many.h5 many.h5 'np.array_equal(a["u"][1::2, 0], a["u"][::2, 0])'
expect 0 run one.cfg -q -o single.h5 -s sweep.a=0.2
expect 0 run two.cfg -o of_single.h5 -s 'sweep={ k = [5, 6]; }' -s 'define.a=0.2' -s 'forcing="a*k*x/100"' \
    -s initial.file=single.h5
holds of_single.h5 single.h5 'all(np.array_equal(a["u"][k, 0], b["u"][0, 2]) for k in (0, 1))'

# with any stepper, interrupted, another run, another time, and none of the other sweep's axes
expect 0 run two.cfg -o plain.h5 -s stepper=cpu.plain
holds plain.h5 two.h5 'np.array_equal(a["u"][:, 0], b["u"][:, 0]) and np.allclose(a["u"][:], b["u"][:], atol=1e-9)'
expect 0 run two.cfg -o other.h5 -s 'initial={file="one.h5"; run="2 - round(10*a - 1)"; time=0.5;}'
holds other.h5 one.h5 'np.array_equal(a["u"][:, 0], b["u"][:][::-1, 1])'
expect 0 run two.cfg -o free.h5 -s sweep='{ k = [5, 6]; }' -s forcing=0.1*x -s initial.match=run
holds free.h5 one.h5 'np.array_equal(a["u"][:, 0], b["u"][:2, 2])'
expect 0 run two.cfg -o float.h5 -s run.precision=single
holds float.h5 one.h5 'np.array_equal(a["u"][:, 0], b["u"][:, 2].astype("f4"))'
expect 0 check two.cfg -v
says 'initial.run              same  (default)'
says 'initial.match            axes  (default)'
says 'initial.time             last  (default)'
says 'initial.interpolate      true  (default)'
expect 0 check two.cfg -v -s initial.run=same -s initial.time=last -s initial.interpolate=false
says 'initial.run              same  (given)'
says 'initial.time             last  (given)'
says 'initial.interpolate      false  (given)'
expect 0 check one.cfg -v; ! grep -q 'initial[.]' err || fail 'settings of a file that there is not'

# the file decides the ids; it need not be there to look at results
expect 0 check two.cfg; prints '3 of 3 runs are in two.h5 already'
cp one.h5 kept.h5
expect 0 run one.cfg --force -s physics.gamma=0.6
expect 0 check two.cfg; prints "('initial.file' has other numbers by now, or another version of sweep made it)"
expect 5 run two.cfg; says 'another sweep'
mv one.h5 away.h5
expect 3 run two.cfg; says "two.cfg:6: error: 'initial.file' = \"one.h5\": there is no such file"
expect 0 show two.h5
cp kept.h5 one.h5
expect 0 run two.cfg; says 'nothing to do'
expect 5 run two.cfg -o one.h5 --force; says "one.h5 is the file that 'initial.file' reads"

# a run that has failed there fails here, alone, and is told what is left of it
sed -e 's/0.2, 0.3/50.0, 0.3/; s/"one.h5"; fields/"lost.h5"; fields/; s/^initial.*/initial = "a*cos(x)";/' \
    one.cfg >lost.cfg
expect 1 run lost.cfg
lost='the initial value is nan at i = 0 of run 1, time 1, of "/u" of "lost.h5"; it is finite at time 0'
expect 3 check two.cfg -s initial.file=lost.h5
says "'initial.match' = \"axes\", its default: no run of the file has a = 0.2; say which is meant"
expect 0 check two.cfg -s initial.file=lost.h5 -s initial.match=run
lost_run=(-s initial.file=lost.h5 -s 'initial.run="round(10*a - 1)"')
expect 0 check two.cfg -o after.h5 "${lost_run[@]}"; prints "$lost; the run fails (a = 0.2)"
expect 1 run two.cfg -o after.h5 "${lost_run[@]}"; says "$lost; the run fails (a = 0.2)"
expect 0 show after.h5; prints "$lost"
holds after.h5 lost.h5 'list(a["status"]) == [1, 2, 1] and np.array_equal(a["u"][::2, 0], b["u"][::2, 2])'
expect 0 run two.cfg -o before.h5 -s initial.file=lost.h5 -s 'initial.run="a > 0.15 && a < 0.25 ? 0 : round(10*a - 1)"'

# points that lie elsewhere, which is not refused
expect 0 check two.cfg -s grid.length=20.0 -s grid.x0=1.0
prints 'along x the points of the file begin at 0 and take up 12.5664, those of the run begin at 1 and take up 20:'
no_flux 'dxx(u)' 96 240.0 0.1 'cos(x)' >walls.cfg
expect 0 run walls.cfg -o walls.h5
expect 0 check walls.cfg -o next.h5 -s 'initial={file="walls.h5";}' -s grid.length=120
prints 'begin at 0 and take up 240, those of the run begin at 0 and take up 120:'
expect 0 check two.cfg; ! grep -q 'take up' out || fail 'the same points are called others'

# runs that were interrupted go on from the same file, or not at all
long=(-s 'time.end=200.0' -s 'output.fields.times=[200.0]' -s 'output.scalars.every=100.0' -o stopped.h5)
expect 0 run two.cfg "${long[@]}" -o whole.h5
expect_any() { "$sweep" "$@" >out 2>&1; }
expect_any run two.cfg "${long[@]}" --max-time 0.02s
if [ -d stopped.h5.d ]; then
    cp away.h5 one.h5
    expect 5 run two.cfg "${long[@]}"; says 'another sweep'
    cp kept.h5 one.h5
    expect 0 run two.cfg "${long[@]}"
fi
[ ! -f stopped.h5 ] || holds stopped.h5 whole.h5 'np.array_equal(a["u"][:], b["u"][:])'

# what is refused, at the line of the key
refused() { expect 3 check two.cfg "${@:2}"; says "$1"; }
refused "'initial.match' = \"axes\", its default: no run of the file has a = 0.4; say which is meant" \
    -s 'sweep.a=[0.1, 0.2, 0.3, 0.4]'
says 'two.cfg:6: error'
refused "'initial.run' = 3 in run 3 (a = 0.4): the file has 3 runs, 0 to 2" -s 'sweep.a=[0.1, 0.2, 0.3, 0.4]' \
    -s initial.match=run
refused 'several runs of the file have a = 0.1, such as 0 and 2; say which is meant, by a number or an expression' \
    -s initial.file=many.h5 -s sweep.a=0.1
# axes of words, also of words alone: the program does not take the run of the same number for the same run
expect 0 run one.cfg -q -o words.h5 -s 'sweep={ a = [0.1, 0.2]; s = ["cpu.plain", "cpu.simd"]; }' -s 'stepper="$s"'
refused 'several runs of the file have a = 0.1, such as 0 and 1 (s, of words, is not compared); say which is meant' \
    -s initial.file=words.h5 -s sweep.a=0.1
expect 0 run one.cfg -q -o word.h5 -s 'sweep={ s = ["cpu.plain", "cpu.simd"]; }' -s 'stepper="$s"' -s 'define.a=0.1'
refused 'several runs of the file are there, such as 0 and 1 (s, of words, is not compared); say which is meant' \
    -s initial.file=word.h5
expect 0 check two.cfg -s initial.file=words.h5 -s sweep.a=0.1 -s 'initial.run="2*round(10*a - 1)"'
# found by its numbers, also in words: the program says that it has not compared those
expect 0 run one.cfg -q -o zip.h5 -s 'sweep={ mode = "zip"; a = [0.1, 0.2]; s = ["cpu.plain", "cpu.simd"]; }' \
    -s 'stepper="$s"'
expect 0 check two.cfg -s initial.file=zip.h5 -s sweep.a=0.2
prints 'are those of run 1 of the file, whose runs also differ in s: words are not compared; initial.run says which'
expect 0 check two.cfg -s initial.file=zip.h5 -s sweep.a=0.2 -s initial.run=1
grep -q 'words are not compared' out && fail 'words, of a run that is named'
refused 'runs of the file differ in a, which are no axes here; match = "run" takes the run of the same number' \
    -s 'sweep={ k = [5, 6]; }' -s forcing=0.1*x
refused "'initial.match' = \"number\" is none of axes, run" -s initial.match=number
refused "'initial.run' = 7 in run 0 (a = 0.1): the file has 3 runs, 0 to 2; an expression can pick from them" \
    -s initial.run=7
refused "'initial.run' = 0.5: must be a whole number" -s initial.run=0.5
refused "'initial.run' = -1: must be at least 0" -s initial.run=-1
refused "'initial.time' = 0.7 in run 0 (a = 0.1): nothing was saved then; run 0 has the times 0, 0.5, 1" \
    -s initial.time=0.7
refused "'initial.time', column 1: unknown name 'first'" -s initial.time=first
refused "'initial.dataset' = \"/v\": there is no dataset '/v'; there is:" -s initial.dataset=/v
if [ -n "$python" ]; then
    py -c 'import h5py, numpy as np; h5py.File("column.h5", "w")["u"] = np.ones((32, 1))'
    expect 0 check two.cfg -s 'initial.file="column.h5"'  # a vector of MATLAB
fi
refused "'initial.file' = \".\": it is a folder, not a file" -s initial.file=.
refused "'initial.dataset' = \"/u, /u\": there is 1 unknown: give as many datasets, with commas between them" \
    -s 'initial.dataset="/u, /u"'
refused "'initial.dataset' = \"/u,\": the name of a dataset is missing" -s 'initial.dataset="/u,"'
refused "'initial.dataset' = \"u,u,u,u,u\": more datasets than a problem may have unknowns" \
    -s 'initial.dataset="u,u,u,u,u"'
refused "'initial.interpolate' = false: the field in the file has 32 points, and the run 64; give the run those, or" \
    -s initial.interpolate=false -s grid.n=64
expect 0 check two.cfg -s initial.interpolate=false
refused "'initial.file' is missing" -s 'initial={run=1;}'
refused "unknown key 'initial.fill'" -s initial.fill=1
refused "'initial.file' must be a text in quotes" -s initial.file=1
refused "'forcing' is a group; write an expression in quotes" -s 'forcing={file="one.h5";}'
refused "'initial.file' = \"one.cfg\": it is neither an HDF5 file nor a Matrix Market one" -s initial.file=one.cfg
head -c 1000 one.h5 >cut.h5
refused "'initial.file' = \"cut.h5\": it is a damaged HDF5 file" -s initial.file=cut.h5

# n that is swept: the groups of all n count together; other n are interpolated
sed -e 's/^sweep.*/sweep = { n = [32, 48]; };/; s/n = 32/n = "n"/; s/^initial.*/initial = "cos(x)";/; s/^forcing.*//' \
    -e 's/one.h5/groups.h5/' one.cfg >groups.cfg
sed -e 's/^initial.*/initial = { file = "groups.h5"; };/; s/"groups.h5"; fields/"more.h5"; fields/' groups.cfg >more.cfg
expect 0 run groups.cfg
expect 0 run more.cfg
[ -z "$python" ] || py - 2>out <<'PY' || fail "more.h5"
import h5py, numpy as np
a, b = h5py.File("more.h5"), h5py.File("groups.h5")
for n in ("n00032", "n00048"):
    assert np.array_equal(a[n]["u"][:, 0], b[n]["u"][:, -1])
PY
expect 3 check more.cfg -s 'sweep.n=[64, 48]'; says 'no run of the file has n = 64'  # it may be either
expect 0 check more.cfg -o finer.h5 -s 'sweep.n=[64, 48]' -s initial.match=run
prints 'initial: the field in the file has 32 points, and the run 64: it is interpolated by the waves that both grids'
expect 0 run more.cfg -o finer.h5 -s 'sweep.n=[64, 48]' -s initial.match=run
says 'it is interpolated by the waves that both grids have'
expect 3 check more.cfg -s initial.run=2; says 'the file has 2 runs, 0 to 1'

# a dimension more; walls; a velocity that depends on u
cat >plane.cfg <<'CFG'
problem  = "advection";
sweep    = { s = [1, 2]; };
grid     = { n = [16, 12]; length = ["2*pi", "2*pi"]; };
velocity = { x = "u"; y = 1.0; };
physics  = { nu = 0.05; };
time     = { dt = 0.01; end = 0.5; };
initial  = "sin(x + s)*cos(y)";
run      = { device = "cpu"; };
output   = { file = "plane.h5"; fields = { times = [0.0, 0.25, 0.5]; precision = "double"; };
             scalars = { every = 0.05; }; };
CFG
expect 0 run plane.cfg
chain=(-s 'initial={file="plane.h5"; time=0.25;}' -s time.end=0.25 -s 'output.fields.times=[0.0, 0.25]' -o chain.h5)
expect 0 run plane.cfg "${chain[@]}"
holds chain.h5 plane.h5 'np.array_equal(a["u"][:], b["u"][:, 1:])'
holds chain.h5 plane.h5 'np.array_equal(a["courant"][:], b["courant"][:, 5:])'
expect 3 check plane.cfg "${chain[@]}" -s 'grid.n=[16, 16]'
says "the field in the file has 16 x 12 points, and the run 16 x 16; only periodic lines are interpolated"
# the largest u of the field gives the step: that of the expression which it holds
sed 's/^time .*/time = { cfl = 0.5; end = 0.5; };/' plane.cfg >cfl.cfg
expect 0 run cfl.cfg -o steps.h5
expect 0 run cfl.cfg -o again.h5 -s 'initial={file="plane.h5"; time=0;}'
holds steps.h5 again.h5 'np.array_equal(a["time_step"][:], b["time_step"][:]) and np.array_equal(a["u"][:], b["u"][:])'

[ -n "$python" ] || { summary; exit; }
# other HDF5 files
cat >make.py <<'PY'
import h5py, numpy as np
u = np.cos(2*np.pi*np.arange(32)/32)
with h5py.File("x.h5", "w") as f:
    f["u"], f["three"], f["two"], f["cube"] = u, np.array([u, 2*u, 3*u]), np.array([u, u]), np.zeros((3, 2, 32))
    bad = np.array([u, 2*u, 3*u])
    bad[1, 7], bad[2, 9] = np.nan, np.inf
    f["bad"], f["huge"], f["whole"] = bad, 1e200*bad[:1], np.arange(32, dtype="i4")
    f["text"] = "no numbers"
    f["nan"] = bad[1]
    f["plane"], f["planes"] = np.outer(np.arange(12.), u[:16]), np.array([np.outer(np.arange(12.), u[:16])]*2)
    f["planes"][1, 3, 5] = np.nan
with h5py.File("numbered.h5", "w") as f:
    f["run"], f["u"] = [2, 0, 7, 1], np.array([3*u, u, 9*u, 2*u])
with h5py.File("x.h5", "a") as f:
    f["far"] = h5py.ExternalLink("one.h5", "/u")
    layout = h5py.VirtualLayout((3, 32), "f8")
    for k in range(3): layout[k] = h5py.VirtualSource("one.h5", "u", (3, 3, 32))[k, 2]
    f.create_virtual_dataset("virtual", layout)
PY
py make.py || fail 'make.py'
cat >heat.cfg <<'CFG'
problem = "heat";
sweep   = { k = [1.0, 2.0, 3.0]; };
grid    = { n = 32; length = "2*pi"; };
physics = { kappa = "k"; };
time    = { dt = 0.01; end = 0.1; };
initial = { file = "x.h5"; };
run     = { device = "cpu"; };
output  = { file = "heat.h5"; fields = { times = [0.0, 0.1]; precision = "double"; }; };
CFG
expect 0 run heat.cfg
expect 0 run heat.cfg -o three.h5 -s initial.dataset=three
holds three.h5 heat.h5 'np.array_equal(a["u"][1, 0], 2*b["u"][1, 0]) and np.allclose(a["u"][2, 1], 3*b["u"][2, 1])'
expect 0 run heat.cfg -o whole.h5 -s initial.dataset=/whole --force
holds whole.h5 heat.h5 'np.array_equal(a["u"][0, 0], np.arange(32.0))'
expect 0 run heat.cfg -o numbered.out.h5 -s initial.file=numbered.h5
holds numbered.out.h5 heat.h5 'all(np.array_equal(a["u"][k, 0], (k + 1)*b["u"][0, 0]) for k in range(3))'
for n in 6 25 31 33 64 97 100; do
    expect 0 run heat.cfg -o n.h5 --force -s grid.n=$n
    holds n.h5 heat.h5 "np.allclose(a['u'][:, 0], np.cos(2*np.pi*np.arange($n)/$n), rtol=0, atol=1e-14)"
done
# a run whose numbers are not finite fails alone
expect 1 run heat.cfg -o bad.h5 -s initial.dataset=/bad
expect 0 show bad.h5
prints 'the initial value is nan at i = 7 of run 1 of "/bad" of "x.h5"'
prints 'the initial value is inf at i = 9 of run 2 of "/bad" of "x.h5"'
holds bad.h5 heat.h5 'list(a["status"]) == [1, 2, 2] and np.array_equal(a["u"][0], b["u"][0])'
holds bad.h5 heat.h5 'np.isnan(a["u"][1]).all()'
expect 1 run heat.cfg -o huge.h5 -s initial.dataset=/huge -s sweep='{ k = [1.0]; }' -s run.precision=single
expect 0 show huge.h5; prints 'the initial value is 1e+200, beyond single precision, at i = 0 of run 0 of "/huge"'
refused() { expect 3 check heat.cfg "${@:2}"; says "$1"; }
refused "'initial.dataset' = \"/nan\": it is nan at i = 7, and all runs begin with it; give finite numbers" \
    -s initial.dataset=/nan
refused "'initial.run' = 3 in run 0 (k = 1): the file has 4 runs of numbers between 0 and 7, and not this one" \
    -s initial.file=numbered.h5 -s initial.run=3
refused "'initial.run' = 2 in run 2 (k = 3): the file has 2 runs, 0 to 1" -s initial.dataset=/two
refused "'initial.dataset' = \"/cube\": it has 3 dimensions; 1 (n) or 2 (runs, n) are needed" \
    -s initial.dataset=/cube
refused "'initial.time' = 1 in run 0 (k = 1): the dataset has no times; leave it out" -s initial.time=1.0
refused "'initial.dataset' = \"/text\": it does not hold numbers" -s initial.dataset=/text
refused "'initial.dataset' = \"/far\": it is a link into another file; name the file that holds" -s initial.dataset=/far
refused "'initial.dataset' = \"/virtual\": it is a virtual dataset" -s initial.dataset=/virtual

# of two dimensions: a plane for all runs, or one for each
expect 0 run plane.cfg -o flat.h5 -s 'initial={file="x.h5"; dataset="/plane";}' -s 'velocity.x=0.1*s'
holds flat.h5 x.h5 'np.array_equal(a["u"][0, 0], b["plane"][:]) and np.array_equal(a["u"][1, 0], b["plane"][:])'
nan='the initial value is nan at i = 5, j = 3 of run 1 of "/planes" of "x.h5"'
expect 1 run plane.cfg -o flats.h5 -s 'initial={file="x.h5"; dataset="/planes";}'; says "$nan; the run fails (s = 2)"
expect 0 show flats.h5; prints "$nan"
holds flats.h5 x.h5 'np.array_equal(a["u"][0, 0], b["planes"][0]) and np.isnan(a["u"][1]).all()'
refused() { expect 3 check plane.cfg "${@:2}"; says "$1"; }
refused "'initial.file' = \"x.h5\": the field in the file has 32 x 2 points, and the run 16 x 12; only periodic" \
    -s 'initial={file="x.h5"; dataset="/cube";}'
refused "'initial.dataset' = \"/x\": there is no dataset '/x'" -s 'initial={file="x.h5"; dataset="/x";}'
refused "it has 1 dimension; 2 (ny, nx) or 3 (runs, ny, nx) are needed" -s 'initial={file="x.h5"; dataset="/u";}'
refused "it is a field of 1 dimensions over runs and times, and the run has 2" \
    -s 'initial={file="one.h5"; match="run";}'

# an axis that changes nothing: where all runs begin with one field, their numbers are no difference
expect 0 check heat.cfg -s physics.kappa=1.0 -s initial.dataset=three
expect 3 check heat.cfg -s physics.kappa=1.0
says "'sweep.k' changes nothing: no key or expression uses it"
expect 0 check heat.cfg -s physics.kappa=1.0 -s 'sweep.k=[1.0]'

# ---- files of others: what attributes of CF and names of dimensions say
cat >others.py <<'PY'
import h5py, numpy as np
x, t = 2*np.pi*np.arange(32)/32, np.array([0.0, 1.0, 2.5])
wave = np.array([[np.cos(x + k + s) for s in t] for k in range(3)])  # (run, time, x)
raw = np.round(1000*wave[:, 0]).astype("i2")
holes, far = raw.copy(), raw.astype("f4")
holes[1, 7], far[2, 9] = -32768, 1e20


def write(file, **how):
    f = h5py.File(file, "w", **how)
    for name, values in ("x", x), ("time", t), ("member", np.arange(3.0)), ("y", np.arange(3.0)), ("system", [2, 0, 1]):
        f[name] = values
        f[name].make_scale(name)
    f.create_dataset("run", (3,), ">f4").make_scale(f"This is a netCDF dimension but not a netCDF variable. {3:9}")

    def put(name, values, *dims, **attributes):
        f["in/" + name] = values
        for d, dim in enumerate(dims): f["in/" + name].dims[d].attach_scale(f[dim])
        f["in/" + name].attrs.update(attributes)
    missing, packed = dict(_FillValue=np.int16(-32768)), dict(scale_factor=0.001, add_offset=10.0)
    put("packed", raw, "run", "x", **missing, **packed)
    put("holes", holes, "run", "x", **missing, **packed)
    put("far", far, "run", "x", missing_value=np.array([7e7, 1e20], "f4"))
    put("valid", raw, "run", "x", valid_range=np.array([-999, 999], "i2"))
    put("hole", holes[1], "x", **missing)
    f.create_dataset("in/unwritten", (3, 32), "f8", fillvalue=9.9692099683868690e+36)[:2] = 1.0
    for d, dim in enumerate(("run", "x")): f["in/unwritten"].dims[d].attach_scale(f[dim])
    put("series", wave[1], "time", "x")
    put("late", wave[1].T, "x", "time")
    put("all", wave.transpose(2, 1, 0), "x", "time", "run")
    put("columns", wave[:, 0].T, "x", "run")
    put("members", wave[:, 0], "member", "x")
    put("column_members", wave[:, 0].T, "x", "member")
    put("numbered", wave[:, 0], "system", "x")
    put("profiles", wave[:, 0], "y", "x")
    return f, put


write("plain.h5")[0].close()
f, put = write("others.h5", userblock_size=512)  # as MATLAB does, with what netCDF does not read
f["in/bare"], f["in/labels"] = np.tile(wave[:, 0], (2, 1)).T, wave[:, 0].T
f["in/labels"].dims[0].label, f["in/labels"].dims[1].label = "x", "run"
put("word", raw, "run", "x", _FillValue="none")
put("unsigned", raw, "run", "x", _Unsigned="true")
f.close()
with open("others.h5", "r+b") as f: f.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(124) + b"\0\2IM")
np.save("wave", wave)
PY
py others.py || fail 'others.py'
# begins DATASET FIELDS: netcdf(NAME) is what netCDF4, which obeys the conventions, reads; where it is not there, the
# same by hand
begins() {
    expect "${code:-0}" run heat.cfg --force -o o.h5 -s "initial={file=\"others.h5\"; dataset=\"in/$1\"; $3}"
    py - "$2" 2>out <<'PY' || fail "$1: $2"
import sys, h5py, numpy as np
wave, got = np.load("wave.npy"), h5py.File("o.h5")["u"][:, 0]
def netcdf(name):
    try: import netCDF4
    except ImportError: return by_hand(h5py.File("plain.h5")["in"][name])
    return np.ma.filled(netCDF4.Dataset("plain.h5")["in"][name][:].astype("f8"), np.nan)
def by_hand(d):
    raw, a = d[:].astype("f8"), d.attrs
    least, most = a.get("valid_range", (-np.inf, np.inf))
    gone = np.isin(raw, [*np.atleast_1d(a.get("_FillValue", 9.9692099683868690e+36)),
                         *np.atleast_1d(a.get("missing_value", [])).astype(d.dtype)])
    return np.where(gone | (raw < least) | (raw > most), np.nan, raw*a.get("scale_factor", 1) + a.get("add_offset", 0))
lost = np.isnan(expected := eval(sys.argv[1])).any(axis=1)  # those fail, and no other
assert np.array_equal(got[~lost], expected[~lost]) and np.isnan(got[lost]).all()
PY
}
begins packed 'netcdf("packed")'
code=1 begins holes 'netcdf("holes")'
says 'the initial value is nan or a fill value at i = 7 of run 1 of "in/holes" of "others.h5"; the run fails (k = 2)'
code=1 begins far 'netcdf("far")'; says 'fill value at i = 9 of run 2'
code=1 begins valid 'netcdf("valid")'; says 'the initial value is nan at i = 0 of run 0'
code=1 begins unwritten 'netcdf("unwritten")'; says 'fill value at i = 0 of run 2'
begins series 'wave[[1, 1, 1], 2]'
begins series 'wave[[1, 1, 1], 1]' 'time=1.0;'
begins late 'wave[[1, 1, 1], 2]'
begins all 'wave[:, 2]'
begins all 'wave[[2, 0, 1], 0]' 'time=0.0; run="k == 1 ? 2 : k - 2";'
begins columns 'wave[:, 0]'
begins labels 'wave[:, 0]'
begins members 'wave[:, 0]'
begins numbered 'wave[[1, 2, 0], 0]'
py - <<'PY'
import h5py, numpy as np
plane = h5py.File("x.h5")["plane"][:]  # (y, x)
with h5py.File("turned.h5", "w") as f:
    f["u"], f["w"] = plane.T, np.array([plane, 2*plane]).transpose(2, 0, 1)
    for name, labels in ("u", "xy"), ("w", ("x", "run", "y")):
        for d, label in enumerate(labels): f[name].dims[d].label = label
PY
expect 0 run plane.cfg -o turned.x.h5 -s 'initial={file="turned.h5";}' -s 'velocity.x=0.1*s'
holds turned.x.h5 x.h5 'np.array_equal(a["u"][0, 0], b["plane"][:]) and np.array_equal(a["u"][1, 0], b["plane"][:])'
expect 0 run plane.cfg -o turned.x.h5 -s 'initial={file="turned.h5"; dataset="w";}' -s velocity.x=0.1 --force
holds turned.x.h5 x.h5 'np.array_equal(a["u"][0, 0], b["plane"][:]) and np.array_equal(a["u"][1, 0], 2*b["plane"][:])'
refused() { expect 3 check heat.cfg -s "initial={file=\"others.h5\"; dataset=\"in/$1\"; $3}"; says "$2"; }
refused hole "'initial.dataset' = \"in/hole\": it is nan or a fill value at i = 7, and all runs begin with it"
refused late "'initial.time' = 0.5 in run 0 (k = 1): nothing was saved then; run 0 has the times 0, 1, 2.5" 'time=0.5;'
refused column_members 'its dimensions are (x, member): name all of them, run, time, z, y, x, or put them in this order'
refused profiles 'its dimensions are (y, x), and the run has 1 of points'
refused bare 'it is taken for runs of 6 points, and not of 32: transpose it, or name its dimensions run and x'
refused word "its attribute '_FillValue' is not understood: 1 to 1 numbers are needed there"
refused unsigned "its attribute '_Unsigned' is not understood"
summary
