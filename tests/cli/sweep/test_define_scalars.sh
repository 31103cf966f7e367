#!/bin/bash
# Scalars of the user's own as a user meets them: computed of saved fields again, stopped and resumed, refused.
# SWEEP is the program.
cd "$(dirname "$0")/../../.." || exit 1
. tests/helpers/helpers.sh || exit 1
configs=$top/configs
read -r -d '' define <<'TEXT'
msq = "mean(u^2)"; front = "integral(u)"; crossings = "crossings(u)"; rms = "sqrt(mean(u^2) - mean(u)^2)";
variance = "mean((u - mean(u))^2)"; largest = "max(abs(u))"; least = "min(u)"; wave = "2*integral(u*cos(x))/length";
late = "max(max(u), t)"; there = "mean(u > 0.01) > 0.5 ? end : -dt";
TEXT

cat >check_scalars.py <<'PYTHON'
import sys, h5py, numpy as np
f = h5py.File(sys.argv[1])
on_cpu = sys.argv[2] == "cpu"
advection = "advection" in f.attrs["problem"]
groups = [g for g in f.values() if isinstance(g, h5py.Group) and "u" in g] or [f]
assert sum(len(g["u"]) for g in groups) == len(f["run"])
for g in groups:
    walls = advection  # along y
    u = g["u"][:]                                                       # run, time, ..., x
    assert not np.isnan(u).any()
    axes = tuple(range(2, u.ndim))
    weight = np.ones(u.shape[2:])
    if walls: weight[..., [0, -1], :] /= 2
    weight /= weight.sum()
    def mean(v): return (weight*v).sum(axis=axes)
    # sums of some 10^2 to 10^3 numbers below 2, in another order
    def near(name, v, size=1): assert np.abs(g[name][:] - v).max() <= 1e-14*size, (name, g[name][:], v)
    def is_(name, v): assert np.array_equal(g[name][:], v), (name, g[name][:], v)
    near("msq", mean(u**2))
    near("variance", mean((u - mean(u).reshape(mean(u).shape + (1,)*len(axes)))**2))
    big = g["rms"][:] > 1e-3
    assert np.abs(g["rms"][:]**2 - g["variance"][:])[big].max(initial=0) < 1e-13
    is_("largest", np.abs(u).max(axis=axes))
    is_("least", u.min(axis=axes))
    is_("least", g["u_min"][:])
    is_("crossings", ((u < 0) != (np.roll(u, -1, axis=-1) < 0)).sum(axis=axes))
    if advection or not on_cpu: assert np.allclose(g["front"], g["mass"], rtol=1e-13, atol=1e-13)
    else: is_("front", g["mass"][:])
    assert g["msq"].attrs["long_name"] == "msq = mean(u^2)" and g["msq"].attrs["units"] == "1"
    t = g["t_s"][:] if "t_s" in g else np.broadcast_to(g["time_s"][:], g["msq"].shape)
    is_("late", np.maximum(g["u_max"][:], t))
    assert np.array_equal(g["there"][:] > 0, mean(u > 0.01) > 0.5)
    if not advection:
        x = g["xc"][:][:, None, :] if "xc" in g else g["x"][:]
        # wave = 2 mean(u cos x)
        assert np.abs(g["wave"][:] - 2*mean(u*np.cos(x))).max() < 1e-13
PYTHON
numbers() { [ -z "$python" ] || py check_scalars.py "$1" "$2" 2>err || fail "the scalars of $3"; }

# ---- in all problems: the numbers that saved fields have, in any batch, by any number of threads
scalars=(-s 'output.fields={ times = "linspace(0, end, 3)"; }'
         -s "output.scalars={ times = \"linspace(0, end, 3)\"; define = { $define }; }")
for problem in hyperdiffusion heat ch sh advection; do
    rm -f one.h5 other.h5
    expect 0 run "$configs/tiny_$problem.cfg" --device cpu "${scalars[@]}" -o one.h5
    expect 0 run "$configs/tiny_$problem.cfg" --device cpu "${scalars[@]}" -s run.batch=2 -j 1 -o other.h5
    same one.h5 other.h5
    expect 0 show one.h5 --csv
    numbers one.h5 cpu "$problem"
done

# ---- on a GPU, if there is one: the numbers of the fields that it has computed, by the rows that keep lines in both
# ways, and where the state is copied to the host; in any batch
for case in ch sh ch+cuda.split heat+cuda.split advection; do
    problem=${case%%+*} stepper=()
    [ "$problem" = "$case" ] || stepper=(-s "stepper=${case#*+}")
    rm -f one.h5 other.h5
    of_case=(run "$configs/tiny_$problem.cfg" --device cuda "${stepper[@]}" "${scalars[@]}")
    if "$sweep" "${of_case[@]}" -o one.h5 >out 2>err; then
        expect 0 "${of_case[@]}" -s run.batch=3 -o other.h5
        same one.h5 other.h5
        numbers one.h5 cuda "$case on a GPU"
    else
        skip_gpu "$case"
        break
    fi
done

# ---- derivatives, on lines: the free energy of the equation, which is a built-in scalar
expect 0 run "$configs/tiny_ch.cfg" --device cpu -o energy.h5 -s 'output.scalars={ every=1.0; define={
    free = "integral((u^2 - 1)^2/4 + gamma*dx(u)^2/2)"; bent = "max(dxx(u))"; }; }' -s output.fields.precision=double
[ -z "$python" ] || py -c '
import h5py, numpy as np
f = h5py.File("energy.h5")
assert np.allclose(f["free"], f["energy"], rtol=1e-13)
u, dx = f["u"][:], f["x"][1] - f["x"][0]
bent = (np.roll(u, 1, -1) - 2*u + np.roll(u, -1, -1)).max(-1)/dx**2  # fields are saved at every second entry
assert np.allclose(bent, f["bent"][:, ::2], rtol=1e-12, atol=1e-14), bent
' 2>err || fail energy.h5

# ---- of several unknowns, of several runs: those of the fields that are saved
cat >two.cfg <<'CFG'
problem  = "equation";
unknowns = ["u", "v"];
rhs      = { u = "Du*dxx(u) - u*v^2 + F*(1 - u)"; v = "Dv*dxx(v) + u*v^2 - (F + 0.06)*v"; };
initial  = { u = "1 - 0.5*exp(-(x - 20)^2)"; v = "0.25*exp(-(x - 20)^2)"; };
define   = { Du = 1.0; Dv = 0.5; };
sweep    = { F = [0.03, 0.035, 0.04]; };
grid     = { n = 64; length = 40.0; };
time     = { dt = 0.5; end = 20.0; };
output   = { fields  = { times = "linspace(0, end, 3)"; };
             scalars = { times = "linspace(0, end, 3)";
                         define = { overlap = "mean(u*v^2)"; v_most = "max(v)"; u_most = "max(u)";
                                    slope = "mean(dx(u)*dx(v))"; }; }; };
run      = { device = "cpu"; };
CFG
expect 0 run two.cfg -o two.h5
[ -z "$python" ] || py -c '
import h5py, numpy as np
f = h5py.File("two.h5")
u, v, dx = f["u"][:], f["v"][:], f["x"][1] - f["x"][0]
assert np.array_equal(f["u_most"][:], u.max(-1)) and np.array_equal(f["v_most"][:], v.max(-1))
assert np.abs(f["overlap"][:] - (u*v*v).mean(-1)).max() < 1e-15
d = lambda w: (np.roll(w, -1, -1) - np.roll(w, 1, -1))/(2*dx)
assert np.abs(f["slope"][:] - (d(u)*d(v)).mean(-1)).max() < 1e-15
' 2>err || fail two.h5

# ---- a scalar uses others, in the order of any; so does what ends runs; and show has those with which runs ended
expect 0 run two.cfg -o of.h5 \
    -s 'output.scalars.define={ ratio="spread/most^2"; spread="most - min(u)"; most="max(u)"; }' \
    -s 'stop={ when="spread > 1e9"; every=10.0; }'
[ -z "$python" ] || py -c '
import h5py
f = h5py.File("of.h5")
u = f["u"][:]
most, spread = u.max(-1), u.max(-1) - u.min(-1)
assert (f["spread"][:] == spread).all() and abs(f["ratio"][:] - spread/most**2).max() < 1e-15
assert f["ratio"].attrs["long_name"] == "ratio = spread/most^2"
import csv, json, subprocess, sys
show = lambda *more: subprocess.run([sys.argv[1], "show", "of.h5", *more], capture_output=True, text=True).stdout
for rows in csv.DictReader(show("--csv").splitlines()), json.loads(show("--json"))["runs"]:
    for k, row in enumerate(rows):
        assert float(row["ratio"]) == f["ratio"][k, -1] and float(row["v_max"]) == f["v_max"][k, -1], row
assert "ratio        %.10g\n" % f["ratio"][1, -1] in show("--run", "1")
head = show().splitlines()[3].split()
assert head[-3:] == ["ratio", "spread", "most"] and "v_max" not in head, head
' "$sweep" 2>err || fail 'scalars of scalars, or those of show'
expect 3 check two.cfg -s 'output.scalars.define={ a="2*b"; b="mean(u) + a"; }'
says "'output.scalars.define.a' uses itself"; says "'output.scalars.define.b' uses itself"

# ---- stopped and resumed: the same bits
base='problem="allen_cahn"; grid={ n=64; length=32.0; }; physics={ gamma=1.0; }; time={ dt=0.0005; end=500.0; };
sweep={ seed=[1, 2, 3]; c=[0.1, 0.3]; }; initial="0.05*randn(seed)"; run={ device="cpu"; };'
echo "$base"' output={ scalars={ every=0.5; define={ above="mean(u > c)"; late="t*max(u)"; }; }; };' >long.cfg
expect 0 check long.cfg
expect 0 run long.cfg -o whole.h5
stops=0
while [ $stops -lt 6 ] && ! slowly 0.00$((7 - stops)) "$sweep" run long.cfg -o parts.h5 --max-time 0.1s >out 2>err; do
    stops=$((stops + 1))
done
[ $stops -gt 0 ] || fail 'it was too fast to be stopped'
[ ! -e parts.h5.d ] || expect 0 resume parts.h5
same whole.h5 parts.h5

# ---- a file whose scalars are other numbers holds another sweep: also where only a name that they use is another
short=(-s time.end=1.0 -s 'sweep={ seed=[1, 2]; }' -s 'define={ c=0.2; }')
expect 0 run long.cfg "${short[@]}" -o short.h5
expect 0 run long.cfg "${short[@]}" -o short.h5; says 'nothing to do'
expect 0 run long.cfg "${short[@]}" -o short.h5 -s 'output.scalars.define.above="mean( u>c )"'; says 'nothing to do'
expect 5 run long.cfg "${short[@]}" -o short.h5 -s 'output.scalars.define.above="mean(u > 2*c)"'
says 'another sweep (output.scalars.define.above "mean(u > c)" -> "mean(u > 2*c)")'
expect 5 run long.cfg "${short[@]}" -o short.h5 -s 'define={ c=0.25; }'; says 'another sweep (define.c 0.2 -> 0.25)'
expect 5 run long.cfg "${short[@]}" -o short.h5 -s 'output.scalars.define={ late="t*max(u)"; }'
says 'another sweep (output.scalars.define.above "mean(u > c)" -> not set)'
expect 0 run long.cfg "${short[@]}" -o short.h5 \
    -s 'output.scalars.define={ late="t*max(u)"; above="mean(u > c)"; }'; says 'nothing to do'
expect 0 run long.cfg "${short[@]}" -o s.h5 --shard 1/2
expect 0 run long.cfg "${short[@]}" -o s.h5 --shard 2/2
expect 0 run long.cfg "${short[@]}" -o o.h5 --shard 2/2 -s 'output.scalars.define.above="mean(u > 2*c)"'
expect 0 merge s.shard-*.h5 -o merged.h5; same short.h5 merged.h5
expect 5 merge s.shard-1-*.h5 o.shard-2-*.h5 -o merged2.h5; says 'are of different sweeps'

# ---- a sweep that is lengthened goes on with its scalars, unless they name the end
state=(-s output.state=true -s output.scalars.every=0.5)
expect 0 run long.cfg "${short[@]}" "${state[@]}" -o grown.h5
expect 0 run long.cfg "${short[@]}" "${state[@]}" -s time.end=2.0 -o grown.h5; says 'longer'
expect 0 run long.cfg "${short[@]}" "${state[@]}" -s time.end=2.0 -o straight.h5; same grown.h5 straight.h5
late=(-s 'output.scalars.define={ late="max(u)*t/end"; }')
expect 0 run long.cfg "${short[@]}" "${state[@]}" "${late[@]}" -o grown2.h5
expect 5 run long.cfg "${short[@]}" "${state[@]}" "${late[@]}" -s time.end=2.0 -o grown2.h5

# ---- runs that diverge have NaN, and the others their numbers
expect 1 run "$configs/tiny_diverge.cfg" --device cpu -o bad.h5 \
    -s 'output.scalars={ every=0.5; define={ msq="mean(u^2)"; one="1+0*mean(u)"; }; }'
[ -z "$python" ] || py -c '
import h5py, numpy as np
f = h5py.File("bad.h5")
lost = np.isnan(f["mass"][:])
assert lost.any() and not lost.all()
for name in "msq", "one": assert np.array_equal(np.isnan(f[name][:]), lost), f[name][:]
' 2>err || fail bad.h5

# ---- what is refused: where, and what to do
tiny="$configs/tiny_ch.cfg"
refused() {  # EXPRESSION MESSAGE...
    printf '%s\n' "$base" 'output={ scalars={ every=0.5;' "define={ $1; }; }; };" >bad.cfg
    expect 3 check bad.cfg
    shift
    says 'bad.cfg:4: error: '
    for message in "$@"; do says "$message"; done
}
refused 'm = "u"' "'output.scalars.define.m', column 1: 'u' is a field, of which a scalar is one number" 'mean(u)'
refused 'm = "mean(u) + x"' "column 11: 'x' is a coordinate"
refused 'm = "mean(w)"' "column 6: unknown name 'w'" 'known: u x t seed c'
refused 'm = "mean(u"' "column 5: '(' without ')'"
refused 'm = "mean(u, 2)"' 'column 1: mean takes 1 argument, not 2'
refused 'm = "mean(rand(1))"' 'column 6: rand cannot be used here'
refused 'm = "mean(y)"' "unknown name 'y'"
refused 'm = ""' 'empty expression'
refused 'm = 1.0' "'output.scalars.define.m' must be an expression in quotes"
refused 'mass = "mean(u)"' "cannot be called 'mass': it is a variable of the output file"
refused "$(printf 'a%.0s' {1..64}) = \"mean(u)\"" 'a name has at most 63 characters'
refused 'state = "mean(u)"' "cannot be called 'state': it is a variable of the output file"
refused 'status = "mean(u)"' "cannot be called 'status': it is a variable of the output file"
refused 'u = "mean(u)"' "cannot be called 'u': it is a coordinate, the time or the field"
refused 'max = "mean(u)"' "cannot be called 'max': it is a function"
refused 'c = "mean(u)"' "'output.scalars.define.c' has the name of an axis; give the scalar another name"
refused 'gamma = "mean(u)"' "has the name of a key, physics.gamma; give the scalar another name"
refused 'm = "mean(u)"; m = "max(u)"' "'m' is set twice"
refused 'm = { u = "mean(u)"; }' 'must be an expression in quotes'
refused 'm = "dx(mean(u))"' 'column 1: dx() of what is one number' 'mean(dx(u)^2)'
refused 'm = "mean(dxxx(dxx(u)))"' 'column 6:'
expect 3 check "$configs/tiny_advection.cfg" -s 'output.scalars.define={ m="mean(dx(u))"; }'
says 'column 6: dx() is not known in scalars of this problem'
says 'of equations on lines and in fields they are differences of neighbours'
for text in mean\(x\) max\(x\) crossings\(x\); do
    expect 3 check "$tiny" -s initial="$text"; says 'known in output.scalars.define alone'
done
expect 3 check "$tiny" -s 'output={ scalars={ define={ m="mean(u)"; }; }; }'
says "'output.scalars' does not say when"
expect 3 check "$tiny" -s 'output.scalars.define="mean(u)"'; says "'output.scalars.define' is a group"
expect 3 check "$configs/tiny_bvp.cfg" -s 'output.scalars.define={ m="mean(u)"; }'; says 'output.scalars'
expect 3 check "$configs/tiny_sh.cfg" -s 'output.scalars.define={ m="mean(u)*scheme"; }'; says "name 'scheme'"
expect 0 explain output.scalars.define; prints 'Scalars of your own'
expect 0 explain crossings; prints 'how often the sign changes'
expect 0 explain mean; prints 'A reduction'
summary
