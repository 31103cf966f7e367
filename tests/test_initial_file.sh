#!/bin/bash
# Initial values from files: the results of another sweep, other HDF5 files, and what is refused. SWEEP is the program.
cd "$(dirname "$0")/.." || exit 1
. tests/helpers.sh

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
holds() {  # holds ONE TWO EXPRESSION: of the files a and b
    [ -z "$python" ] || $python - "$@" 2>out <<'PY' || fail "$*"
import sys, h5py, numpy as np
a, b = h5py.File(sys.argv[1]), h5py.File(sys.argv[2])
assert eval(sys.argv[3]), (a["u"][:], b["u"][:])
PY
}
# a chain of two has the bits of one that is as long
holds two.h5 long.h5 'np.array_equal(a["u"][:], b["u"][:]) and np.array_equal(a["mass"][:], b["mass"][:, 10:])'

# with any stepper, interrupted, another run, another time, and none of the other sweep's axes
expect 0 run two.cfg -o plain.h5 -s stepper=cpu.plain
holds plain.h5 two.h5 'np.array_equal(a["u"][:, 0], b["u"][:, 0]) and np.allclose(a["u"][:], b["u"][:], atol=1e-9)'
expect 0 run two.cfg -o other.h5 -s 'initial={file="one.h5"; run="2 - round(10*a - 1)"; time=0.5;}'
holds other.h5 one.h5 'np.array_equal(a["u"][:, 0], b["u"][:][::-1, 1])'
expect 0 run two.cfg -o free.h5 -s sweep='{ k = [5, 6]; }' -s forcing=0.1*x
holds free.h5 one.h5 'np.array_equal(a["u"][:, 0], b["u"][:2, 2])'
expect 0 run two.cfg -o float.h5 -s run.precision=single
holds float.h5 one.h5 'np.array_equal(a["u"][:, 0], b["u"][:, 2].astype("f4"))'
expect 0 check two.cfg -v
says 'initial.run              same  (default)'
says 'initial.time             last  (default)'

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
refused "'initial.run' = 3 in run 3 (a = 0.4): the file has 3 runs, 0 to 2" -s 'sweep.a=[0.1, 0.2, 0.3, 0.4]'
says 'two.cfg:6: error'
refused "'initial.run' = 7 in run 0 (a = 0.1): the file has 3 runs, 0 to 2; 3 of 3 runs do not fit" -s initial.run=7
refused "'initial.run' = 0.5: must be a whole number" -s initial.run=0.5
refused "'initial.run' = -1: must be at least 0" -s initial.run=-1
refused "'initial.time' = 0.7 in run 0 (a = 0.1): nothing was saved then; run 0 has the times 0, 0.5, 1" \
    -s initial.time=0.7
refused "'initial.time', column 1: unknown name 'first'" -s initial.time=first
refused "'initial.dataset' = \"/v\": there is no dataset '/v'" -s initial.dataset=/v
refused "'initial.file' = \".\": it is a folder, not a file" -s initial.file=.
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
[ -z "$python" ] || $python - 2>out <<'PY' || fail "more.h5"
import h5py, numpy as np
a, b = h5py.File("more.h5"), h5py.File("groups.h5")
for n in ("n00032", "n00048"):
    assert np.array_equal(a[n]["u"][:, 0], b[n]["u"][:, -1])
PY
expect 0 check more.cfg -o finer.h5 -s 'sweep.n=[64, 48]'
prints 'initial: the field in the file has 32 points, and the run 64: it is interpolated by the waves that both grids'
expect 0 run more.cfg -o finer.h5 -s 'sweep.n=[64, 48]'; says 'it is interpolated by the waves that both grids have'
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
expect 3 check plane.cfg "${chain[@]}" -s 'time={cfl=0.5; end=0.25;}'
says "'time.cfl' = 0.5 in run 0 (s = 1): the velocity depends on u, which begins with a field in a file: give time.dt"

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
    f["far"] = h5py.ExternalLink("one.h5", "/u")
    layout = h5py.VirtualLayout((3, 32), "f8")
    for k in range(3): layout[k] = h5py.VirtualSource("one.h5", "u", (3, 3, 32))[k, 2]
    f.create_virtual_dataset("virtual", layout)
PY
$python make.py || fail 'make.py'
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
refused "'initial.run' = 2 in run 2 (k = 3): the file has 2 runs, 0 to 1" -s initial.dataset=/two
refused "'initial.dataset' = \"/cube\": it has 3 dimensions; one (n) or two (runs, n) are needed" \
    -s initial.dataset=/cube
refused "'initial.time' = 1 in run 0 (k = 1): the dataset has no times; leave it out" -s initial.time=1.0
refused "'initial.dataset' = \"/text\": it does not hold numbers" -s initial.dataset=/text
refused "'initial.dataset' = \"/far\": it is a link into another file; name the file that holds" -s initial.dataset=/far
refused "'initial.dataset' = \"/virtual\": it is a virtual dataset" -s initial.dataset=/virtual
summary
