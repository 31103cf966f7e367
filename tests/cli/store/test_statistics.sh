#!/bin/bash
# Statistics over runs, as a user meets them: against numpy, over any axes; the same bits in any batches, threads and
# shards, and after a kill; runs that fail; formed again of a finished file; what is refused. SWEEP is the program.
cd "$(dirname "$0")/../../.." || exit 1
. tests/helpers/helpers.sh || exit 1

cat >check.py <<'PYTHON'
import sys, h5py, numpy as np
f = h5py.File(sys.argv[1])
over = sys.argv[2].split(",")
s = f["statistics"]
params = [k for k, v in f.items() if v.attrs.get("sweep_role") in ("parameter", b"parameter")]
left = [p for p in params if p not in over]
table = {p: f[p].asstr()[:] if f[p].dtype.kind == "O" else f[p][:] for p in params}
done = f["status"][:] == 1
def unique(v):  # in the order in which they come
    out = []
    for x in v:
        if x not in out: out.append(x)
    return out
grid = "point" not in s
if grid:
    axes = [unique(table[p]) for p in left]
    all = np.array(np.meshgrid(*axes, indexing="ij"), dtype=object)
    points = [dict(zip(left, c)) for c in all.reshape(len(left), -1).T] if left else [{}]
    shape = tuple(len(a) for a in axes)
    for p, a in zip(left, axes):
        assert list(s[p].asstr()[:] if s[p].dtype.kind == "O" else s[p][:]) == a
else:
    points = [dict(zip(left, c)) for c in unique(list(zip(*(table[p] for p in left))))]
    shape = (len(points),)
    for p in left: assert list(s[p][:]) == [c[p] for c in points]
def runs(point): return np.all([table[p] == v for p, v in point.items()], axis=0) if point else np.full(len(done), True)
groups = [g for k, g in f.items() if isinstance(g, h5py.Group) and "group_run" in g] or [f]
def spectrum(u):  # run, time, ..., x: power of modes over rings of |k|
    dims = u.shape[2:]
    dx = [f[c][1] - f[c][0] for c in "zyx"[3-len(dims):]]
    k = np.meshgrid(*(2*np.pi*np.fft.fftfreq(n, d) for n, d in zip(dims, dx)), indexing="ij")
    k = np.sqrt(sum(c**2 for c in k))
    dk = 2*np.pi/min(n*d for n, d in zip(dims, dx))
    ring = np.floor(k/dk + 0.5).astype(int)
    axes = tuple(range(2, u.ndim))
    power = np.abs(np.fft.fftn(u, axes=axes))**2*np.prod([n*d for n, d in zip(dims, dx)])/np.prod(dims)**2
    whole = range(int(np.floor(min(np.pi/d for d in dx)/dk*(1 + 1e-12))) + 1)
    wave = np.array([k[ring == j].mean() for j in whole])
    assert np.allclose(s["wave_number"][:], wave, rtol=1e-13)
    return np.stack([power[..., ring == j].mean(axis=-1) for j in whole], axis=-1)
def values(name):  # of all runs
    if name.startswith("spectrum("): return spectrum(values(name[9:-1]))
    if name not in groups[0]: return f[name][:].astype(float)
    if groups == [f]: return f[name][:].astype(float)
    all = np.full((len(done),) + groups[0][name].shape[1:], np.nan)
    for g in groups: all[np.isin(f["run"][:], g["group_run"][:])] = g[name][:]
    return all
assert np.array_equal(s["n_runs"][()], np.array([runs(p).sum() for p in points]).reshape(shape))
assert np.array_equal(s["n_ok"][()], np.array([(runs(p) & done).sum() for p in points]).reshape(shape))
asked = f["provenance"].attrs["statistics"]
asked = asked if isinstance(asked, str) else asked.decode()
what, of = asked.split("; ")[0].split(), asked.split("; ")[1].split()[1:]
at = [[int(k) for k in part.split()[1:]] for part in asked.split("; ") if part.startswith("at ")]
if at and "t" not in f: assert list(s["time"][:]) == list(f["time"][:][at[0]])
q = np.array([float(w) for w in what if w[0].isdigit()])
checked = 0
for name in of:
    v = values(name)
    if at and ("(" in name or v.ndim > 2): v = v[:, at[0]]
    for kind in (w for w in what if not w[0].isdigit()):
        stored = s[f"{name[9:-1]}_spectrum_{kind}" if "(" in name else f"{name}_{kind}"]
        expect = []
        for p in points:
            x = v[runs(p) & done]
            nan = np.full(v.shape[1:], np.nan)
            n = len(x)
            expect.append(nan if not n else x.mean(axis=0) if kind == "mean" else x.min(axis=0) if kind == "min" else
                          x.max(axis=0) if kind == "max" else np.quantile(x, q, axis=0) if kind == "quantiles" else
                          nan if n < 2 else x.var(axis=0, ddof=1) if kind == "var" else
                          np.sqrt(x.var(axis=0, ddof=1)/n))
            if kind == "quantiles" and not n: expect[-1] = np.full((len(q),) + v.shape[1:], np.nan)
        expect = np.array(expect).reshape(shape + np.shape(expect[0]))
        assert stored.shape == expect.shape, (name, kind, stored.shape, expect.shape)
        if kind in ("min", "max") and "(" not in name: assert np.array_equal(stored[()], expect, equal_nan=True)
        # sums of n numbers in pairs, by numpy in another order: log2(n) roundings of the largest |v|, or its square
        size = np.nanmax(np.abs(v[done]), initial=0)
        size = size**2 if kind == "var" else size
        if kind == "sem":  # of a difference e of the variance the root has up to sqrt(e)
            assert np.allclose(stored[()]**2, expect**2, rtol=1e-12, atol=1e-14*size**2, equal_nan=True)
        else: assert np.allclose(stored[()], expect, rtol=1e-12, atol=1e-14*size, equal_nan=True), (name, kind)
        checked += np.isfinite(expect).sum()
        labels = left if grid else ["point"]
        labels = labels + ["quantile"]*(kind == "quantiles")
        if v.ndim == 2: labels = labels + ["time_s"]
        if "(" in name: labels = labels + ["time", "wave_number"]
        elif v.ndim > 2: labels = labels + ["time"] + ["z", "y", "x"][5-v.ndim:]
        scales = [d[0].name.split("/")[-1] for d in stored.dims] if stored.ndim else []
        assert scales == labels, (name, kind, scales, labels)
        if not grid: assert stored.attrs["coordinates"] in (" ".join(left), " ".join(left).encode())
print(checked)
PYTHON
numbers() { [ -z "$python" ] || py check.py "$1" "$2" >out 2>err || fail "the statistics of $1 over $2"; }

config() {  # config STATISTICS
    cat <<CFG
problem = "allen_cahn";
stepper = "\$row";
grid    = { n = 24; length = 12.0; };
physics = { gamma = "gamma"; };
time    = { dt = 0.02; end = 1.0; };
sweep   = { gamma = [0.5, 2.0, 1.0]; row = ["cpu.simd", "cpu.plain"]; seed = "range(1, 21)"; };
initial = "0.3*randn(seed)";
output  = { file = "s.h5"; fields = { times = [0.5, 1.0]; };
            scalars = { every = 0.25; define = { fronts = "crossings(u)"; }; }; };
statistics = { $1 };
accuracy = { runs = 0; };
run     = { device = "cpu"; };
CFG
}
all='of = ["energy", "fronts", "u", "spectrum(u)", "t_reached", "steps"]; '
all+='what = ["mean", "sem", "var", "min", "max", "quantiles"];'

# ---- against numpy: over one axis, the first, two and all of them
config "over = [\"seed\"]; $all" >s.cfg
expect 0 s.cfg
numbers s.h5 seed
expect 0 s.cfg -o two.h5 -s 'statistics.over=["seed","gamma"]' -s 'statistics.quantiles=[0.0,0.1,1.0]'
numbers two.h5 seed,gamma
expect 0 s.cfg -o all.h5 -s 'statistics.over=["row","seed","gamma"]'
numbers all.h5 seed,gamma,row
expect 0 s.cfg -o single.h5 -s 'output.fields.precision="single"' -s 'statistics.over="row"'
numbers single.h5 row

# ---- the same bits in any batches, threads and shards
expect 0 s.cfg -o other.h5 -s run.batch=7 -j 1
same s.h5 other.h5
for shards in 1 3 7; do
    files=()
    for ((k = 1; k <= shards; k++)); do
        expect 0 s.cfg --shard $k/$shards -j 1
        files+=("s.shard-$k-of-$shards.h5")
    done
    numbers "s.shard-1-of-$shards.h5" seed
    expect 0 merge "${files[@]}" -o merged.h5 --force
    same s.h5 merged.h5
done
[ -z "$python" ] || py -c 'import h5py
assert h5py.File("s.shard-2-of-7.h5")["statistics/n_runs"][()].sum() < 120' || fail 'statistics of a shard'

# ---- killed, stopped and resumed at any time
killed() {  # killed OPTION...: killed.h5, begun again after each kill until it is there
    local kills=0 tries pid code
    rm -f killed.h5
    for ((tries = 0; tries < 200; tries++)); do
        "$sweep" s.cfg -o killed.h5 -j 1 -s run.batch=3 "$@" >/dev/null 2>err & pid=$!
        sleep "$(awk -v s="$RANDOM" 'BEGIN {print s/32768*0.3}')"
        [ $tries -lt 8 ] && kill -9 $pid 2>/dev/null && kills=$((kills + 1))
        wait $pid 2>/dev/null
        code=$?
        [ $code = 0 ] && break
        [ $code = 137 ] || fail "killed: exit code $code"
    done
    [ $kills -gt 0 ] || fail 'it was never killed'
}
killed
same s.h5 killed.h5
slowly 0.02 expect 75 s.cfg -o stopped.h5 -s run.batch=50 --max-time 0.5s
expect 0 resume stopped.h5
same s.h5 stopped.h5

# ---- of a finished file: formed again, of the numbers that are there; or taken out
expect 0 s.cfg -o two.h5 --force -s 'statistics.what=["max"]'
cp two.h5 again.h5
expect 0 s.cfg -o again.h5; says 'statistics mean sem var min max quantiles 0.05 0.25 0.5 0.75 0.95; of energy'
same s.h5 again.h5
grep -v statistics s.cfg >none.cfg
expect 0 none.cfg -o again.h5; says 'statistics taken out'
expect 0 none.cfg -o none.h5
same none.h5 again.h5
expect 0 s.cfg -o none.h5
same s.h5 none.h5

# ---- of some output times of fields, with steps given and of a run's own; scalars have all
fields='output={ fields={ times=[0.0, 0.21, 0.5, 1.0]; }; scalars={ every=0.25; }; }'
some=(-s "$fields" -s 'statistics.of=["energy", "u", "spectrum(u)", "steps"]' -s 'statistics.times=("end", 0.21)')
expect 0 s.cfg -o times.h5 "${some[@]}"; numbers times.h5 seed
expect 0 s.cfg -o own.h5 "${some[@]}" -s 'time={ end=1.0; }' -s method=imex2; numbers own.h5 seed
expect 0 s.cfg -o t_zip.h5 "${some[@]}" -s stepper=auto \
    -s 'sweep={ mode="zip"; gamma=[0.5,0.5,1.0,1.0,2.0]; seed=[1,2,3,4,5]; }'
numbers t_zip.h5 seed
[ -z "$python" ] || py - <<'P' 2>err || fail 'the output times of statistics'
import h5py, numpy as np
for name, times in (("times.h5", [0.22, 1.0]), ("own.h5", [0.21, 1.0])):  # 0.21 is half-way between steps of 0.02
    s = h5py.File(name)["statistics"]
    assert np.allclose(s["time"][:], times, rtol=1e-9) and s["u_mean"].shape == (3, 2, 2, 24), name
    assert s["u_spectrum_sem"].shape == (3, 2, 2, 13) and s["energy_mean"].shape == (3, 2, 5), name
P
expect 0 s.cfg -o t_other.h5 "${some[@]}" -s run.batch=7 -j 1; same times.h5 t_other.h5
for k in 1 2 3; do expect 0 s.cfg "${some[@]}" -o t.h5 --shard $k/3 -j 1; done
expect 0 merge t.shard-*-of-3.h5 -o t_merged.h5 --force; same times.h5 t_merged.h5
# formed again of a finished file; and with each dt, though steps have other numbers
expect 0 s.cfg -o t_again.h5 "${some[@]}" -s 'statistics.times=[0.0, 0.5]' --force
expect 0 s.cfg -o t_again.h5 "${some[@]}"; says '; over seed; at 1 3 in t_again.h5'
same times.h5 t_again.h5
expect 0 s.cfg -o dts.h5 "${some[@]}" -s time.dt=0.01*gamma -s 'statistics.times=[0.5]'; numbers dts.h5 seed
expect 0 s.cfg -o t_alone.h5 "${some[@]}" -s 'output.fields.keep=false'
[ -z "$python" ] || py -c 'import h5py
a, b = h5py.File("times.h5"), h5py.File("t_alone.h5")
assert "u" not in b
for k, v in a["statistics"].items():
    assert v[()].tobytes() == b["statistics"][k][()].tobytes() or v.dtype.kind == "O", k' 2>err || fail 'times alone'
while IFS='|' read -r set message; do
    expect 3 check s.cfg "${some[@]}" -s "$set"; says "$message"
done <<'R'
statistics.times=[0.3]|'statistics.times': no field is saved at 0.3: add it to output.fields.times
statistics.times=[2.0]|'statistics.times': no field is saved at 2: add it to output.fields.times
statistics.times=(0.5, 1.0, "end")|'statistics.times': 1 stands there twice
statistics.times=["last"]|'statistics.times' is a list of times, numbers or "end", (5.0, "end")
statistics.times=true|'statistics.times' is a list of times
statistics.times=[]|'statistics.times' is a list of times, numbers or "end", (5.0, "end")
statistics.of=["energy"]|'statistics.times' is of fields, and statistics.of names none
time.end=gamma+1|'statistics.times': "end" is another time from run to run
output.fields.times=["gamma/2"]|'statistics.times': the output times of fields differ from run to run here
R
expect 0 check s.cfg "${some[@]}" -s time.end=gamma+1 -s 'statistics.times=[0.5, 1.0]'
expect 0 check s.cfg "${some[@]}" -s 'statistics.times="end"'
expect 3 check "$top/configs/tiny_bvp.cfg" -s 'statistics={ over="n"; of="u"; times="end"; }'
says "unknown key 'statistics.times'"

# ---- more seeds: the runs that are there are not computed again
sed 's/range(1, 21)/range(1, 9)/' s.cfg >few.cfg
expect 0 few.cfg -o more.h5
numbers more.h5 seed
expect 0 s.cfg -o more.h5
[ -z "$python" ] || py -c 'import h5py; a, b = h5py.File("s.h5"), h5py.File("more.h5")
for k, v in a["statistics"].items():
    assert v[()].tobytes() == b["statistics"][k][()].tobytes() or v.dtype.kind == "O", k' 2>err || fail 'more seeds'

# ---- axes value by value are points, not a grid; so are those of a random sample
zip='sweep={ mode="zip"; gamma=[0.5,0.5,1.0,1.0,2.0]; twist=[0.0,0.0,0.1,0.1,0.2]; seed=[1,2,3,4,5]; }'
expect 0 s.cfg -o zip.h5 -s "$zip" -s stepper=auto -s 'initial="0.3*randn(seed) + twist"' \
    -s 'statistics.what=["mean","min","var","sem"]'
numbers zip.h5 seed
random='sweep={ mode="random"; gamma="uniform(0.5, 2)"; twist="uniform(0, 0.2)"; seed=[1,2,3,4]; }'
expect 0 s.cfg -o random.h5 -s "$random" -s sample.count=5 -s stepper=auto -s 'initial="0.3*randn(seed) + twist"'
numbers random.h5 seed

# ---- runs that diverge are counted, and left out; of one run there is no variance
expect 1 "$top/configs/tiny_diverge.cfg" -o d.h5 -s 'sweep={ amplitude=[0.1,100.0,0.5,0.9]; D=[1.0,0.99]; }' \
    -s physics.D=D -s 'statistics={ over="amplitude"; of=["energy","u","steps"]; what=["mean","sem","quantiles"]; }'
numbers d.h5 amplitude
expect 1 "$top/configs/tiny_diverge.cfg" -o e.h5 -s 'sweep={ amplitude=[0.1,100.0,0.5]; D=[1.0,0.99]; }' \
    -s physics.D=D -s 'statistics={ over="D"; of=["energy","u","steps"]; what=["mean","max","quantiles"]; }'
numbers e.h5 D
expect 0 "$top/configs/tiny_ch.cfg" -o f.h5 -s 'statistics={ over="v"; of="mass"; what=["mean","var"]; }' \
    -s 'sweep={ v=[0.1]; A=[1.0, 2.0]; }' -s 'initial="v*A*cos(x)"' -s forcing=0.0
numbers f.h5 v

# ---- scalars of runs of several numbers of points; two dimensions; a problem without time
cat >n.cfg <<'CFG'
problem = "heat";
grid    = { n = "n"; length = 1.0; };
physics = { kappa = "k"; };
time    = { dt = 1.0e-5; end = 1.0e-4; };
sweep   = { n = [16, 24]; k = [1.0, 2.0, 3.0]; };
initial = "cos(2*pi*x)";
output  = { fields = { times = [1.0e-4]; }; scalars = { every = 5e-5; }; };
statistics = { over = "k"; of = ["energy", "u_max"]; what = ["mean", "var", "max"]; };
run     = { device = "cpu"; };
CFG
expect 0 n.cfg -o n.h5
numbers n.h5 k
expect 3 n.cfg -o n2.h5 -s 'statistics.of="u"'
says "the runs have 'u' at different numbers of points (grid.n)"
cat >plane.cfg <<'CFG'
problem = "equation";
rhs     = "D*lap(u)";
grid    = { n = [12, 8]; length = 1.0; };
time    = { dt = 1.0e-5; end = 1.0e-4; };
sweep   = { D = [1.0, 2.0]; seed = "range(1, 5)"; };
initial = "randn(seed)";
output  = { fields = { times = [0.0, 1.0e-4]; }; scalars = { every = 5e-5; }; };
statistics = { over = "seed"; of = ["u", "u_mean", "spectrum(u)"]; what = ["mean", "var", "quantiles"]; };
run     = { device = "cpu"; };
CFG
expect 0 plane.cfg -o plane.h5
numbers plane.h5 seed
expect 0 "$top/configs/tiny_bvp.cfg" -o b.h5 -s 'statistics={ over="n"; of=["err_max"]; what=["max"]; }'
numbers b.h5 n

# ---- fields that do not fit in memory together: so many points at a time (33 and 39 MB here)
once=(-s 'output.fields.times=[1.0e-4]')
expect 0 plane.cfg "${once[@]}" -o big.h5 -s 'grid={ n=[64,48]; length=1.0; }' \
    -s 'sweep={ D=[1.0,2.0]; seed="range(1, 700)"; }'
numbers big.h5 seed
expect 0 plane.cfg "${once[@]}" -o big.h5 --force -s 'grid={ n=[12,10,30]; length=1.0; }' \
    -s 'sweep={ D=[1.0]; seed="range(1, 1200)"; }' -s 'output.fields.precision="single"' \
    -s 'statistics.over=["D","seed"]'
numbers big.h5 D,seed
rm big.h5

# ---- spectra of many runs, rings by rings; of a field alone; in thermal equilibrium T/(1 + k²), with the second
# difference in place of k, within four standard errors: the steps make some 1 % of it, and the errors are 10 %
cat >noise.cfg <<'CFG'
problem = "equation";
rhs     = "-u + dxx(u) + sqrt(2*T*n/length/dt)*randn(seed)";
grid    = { n = 32; length = 16.0; };
time    = { dt = 0.01; end = 6.0; };
sweep   = { T = [0.5, 2.0]; seed = "range(1, 100)"; };
initial = "0";
output  = { fields = { times = [6.0]; }; };
statistics = { over = "seed"; of = ["spectrum(u)"]; what = ["mean", "sem"]; };
run     = { device = "cpu"; };
CFG
expect 0 noise.cfg -o noise.h5
numbers noise.h5 seed
[ -z "$python" ] || py -c 'import h5py, numpy as np
s = h5py.File("noise.h5")["statistics"]
k, dx, T = s["wave_number"][:], 0.5, s["T"][:][:, None]
off = (s["u_spectrum_mean"][:, 0] - T/(1 + (2 - 2*np.cos(k*dx))/dx**2))/s["u_spectrum_sem"][:, 0]
assert "x" not in s and off.shape == (2, 17) and np.abs(off).max() < 4, off' 2>err || fail 'a spectrum in equilibrium'

# ---- grids that are cut: each part has the points of a slab
cat >cut.cfg <<'CFG'
problem = "compact";
sweep   = { k = [1, 2, 3]; m = [0.5, 1.0]; };
grid    = { n = [16, 17, 59]; length = "2*pi"; };
scheme  = "d1_c6";
axis    = "x";
field   = "m*exp(sin(k*x)*cos(y))*sin(z + x)";
output  = { fields = { precision = "double"; }; };
statistics = { over = "k"; of = ["g", "err_max"]; what = ["mean", "var", "max"]; };
run     = { device = "cpu"; };
CFG
expect 0 cut.cfg -o whole.h5
numbers whole.h5 k
expect 0 cut.cfg -o cut.h5 -s 'run={ device="cpu:0,1"; split="grid"; }'
numbers cut.h5 k
expect 0 cut.cfg -o gradient.h5 -s 'operator="gradient"' -s 'statistics.of=["g_z"]'
numbers gradient.h5 k
near() { [ -z "$python" ] || py -c 'import h5py, numpy as np
a, b = h5py.File("whole.h5")["statistics"], h5py.File("cut.h5")["statistics"]
for k, v in a.items(): assert np.allclose(v[()], b[k][()], rtol=1e-13, atol=1e-13), k' 2>err || fail 'cut grids'; }
near  # sums of norms over slabs are in another order
expect 0 cut.cfg -o cut.h5 --force -s output.fields.keep=false -s 'run={ device="cpu:0,1"; split="grid"; }'
near

# ---- xarray has the group as a dataset with coordinates
[ -z "$python" ] || ! py -c 'import xarray, netCDF4' 2>/dev/null || py -c 'import xarray, numpy
s, f = xarray.open_dataset("s.h5", group="statistics"), xarray.open_dataset("s.h5")
one = s.energy_mean.sel(gamma=2.0, row="cpu.plain").isel(time_s=-1)
runs = f.energy.isel(time_s=-1)[(f.gamma == 2.0).values & (f.row == "cpu.plain").values]
assert len(runs) == 21 and numpy.isclose(one, runs.mean(), rtol=1e-13)
assert s.u_quantiles.dims == ("gamma", "row", "quantile", "time", "x")
xarray.open_datatree("s.h5") if hasattr(xarray, "open_datatree") else None
z = xarray.open_dataset("zip.h5", group="statistics")
assert "gamma" in z.u_mean.coords and z.u_mean.gamma.dims == ("point",)' 2>err || fail 'xarray'

# ---- statistics alone: a file with all runs keeps neither fields nor series, the file of a shard does
only=(-s output.fields.keep=false -s output.scalars.keep=false)
alone() {  # alone FILE FILE: the statistics of both are the same, and the second has nothing else of the runs
    [ -z "$python" ] || py -c 'import sys, h5py
a, b = (h5py.File(f) for f in sys.argv[1:])
assert "u" in a and "u" not in b and "energy" not in b and "time" not in b and "x" not in b
assert list(a["statistics"]) == list(b["statistics"])
for k, v in a["statistics"].items():
    assert v.dtype.kind == "O" or v[()].tobytes() == b["statistics"][k][()].tobytes(), k
assert len(b["run"]) == len(a["run"]) and (a["status"][()] == b["status"][()]).all()' "$1" "$2" 2>err || fail "$2 alone"
}
expect 0 s.cfg -o alone.h5 "${only[@]}"
alone s.h5 alone.h5
files=()
for k in 1 2 3; do
    expect 0 s.cfg -o alone.shard-$k-of-3.h5 --shard $k/3 "${only[@]}"
    files+=("alone.shard-$k-of-3.h5")
done
expect 5 merge "${files[0]}" "${files[1]}" -o two.h5 --force; says 'two.h5 would lack 42 of 126 runs'
expect 0 merge "${files[@]}" -o merged.h5 --force
same alone.h5 merged.h5
slowly 0.02 expect 75 s.cfg -o begun.h5 -s run.batch=50 "${only[@]}" --max-time 0.5s
expect 0 resume begun.h5
same alone.h5 begun.h5
killed "${only[@]}"
same alone.h5 killed.h5
# parts that a kill between the join and their end has left
"$sweep" s.cfg -q -o left.h5 -s run.batch=30 "${only[@]}"
slowly 0.02 expect 75 s.cfg -o parts.h5 -s run.batch=50 "${only[@]}" --max-time 0.5s
mkdir left.h5.d && cp parts.h5.d/part-*.h5 left.h5.d/ 2>/dev/null
expect 0 s.cfg -o left.h5 "${only[@]}"
[ ! -e left.h5.d ] || fail "parts are left: $(ls left.h5.d)"
same alone.h5 left.h5
expect 0 s.cfg -o alone.h5 "${only[@]}"; says 'nothing to do'
expect 0 verify alone.h5
expect 0 show alone.h5 --statistics; matches '^ +2  cpu.plain +21 +21 '
# a run that failed, as above one that diverged on a ladder, may be computed again: all is kept until none has
cat >ladder.cfg <<'CFG'
problem    = "equation";
rhs        = "0.1*dxx(u) + r*u + 5*k*u^3";
sweep      = { k = [-1, 0.5]; r = { values = "linspace(-0.5, 3, 5)"; ladder = "up"; }; };
grid       = { n = 16; length = 8.0; };
time       = { dt = 0.05; end = 2.0; };
initial    = "0.1*cos(2*pi*x/8) + 0.01";
output     = { fields = { times = [2.0]; keep = false; }; };
statistics = { over = ["r"]; of = ["u"]; };
CFG
expect 1 ladder.cfg -o failed.h5; expect 0 ladder.cfg -o ended.h5 -s 'sweep.k=[-1, -2]'
[ -z "$python" ] || py -c 'import h5py
failed, whole = h5py.File("failed.h5"), h5py.File("ended.h5")
assert (failed["status"][()] == 3).any() and "u" in failed and "u" not in whole' 2>err || fail 'runs that failed'
# nothing is added to it; a file that has all can become one
expect 5 s.cfg -o alone.h5 "${only[@]}" -s 'sweep.seed="range(1, 25)"'
says 'alone.h5 has the statistics of its runs, and not what they are formed of (keep = false): nothing can be added'
expect 5 merge alone.h5 s.shard-1-of-3.h5 -o two.h5 --force; says 'nothing can be added to it'
expect 0 s.cfg -o alone.h5 "${only[@]}" -s 'title="other"'; says 'it stays as it is, and --force computes'
cp s.h5 again.h5
expect 0 s.cfg -o again.h5 "${only[@]}"; says '; without fields scalars in again.h5'
alone s.h5 again.h5
expect 0 s.cfg -o again.h5; says 'it stays as it is'
expect 0 s.cfg -o again.h5 --force
same s.h5 again.h5
expect 3 check none.cfg "${only[@]}"
says "'output.fields.keep' = false keeps the statistics of fields alone, and none are asked for: name a field"
says "'output.scalars.keep' = false keeps the statistics of scalars alone, and none are asked for: name a scalar"
expect 3 check s.cfg "${only[@]}" -s output.state=true; says "'output.state' is for a longer sweep, which"
expect 3 check s.cfg "${only[@]}" -s output.xdmf=true; says 'output.fields.keep = false keeps none'

# ---- sweep show: for people, as CSV, as JSON
expect 0 show s.h5 --statistics
matches '^gamma  row +n_ok  n_runs  energy_mean +energy_sem +energy_var .* energy_q0.05 '
matches '^ +2  cpu.plain +21 +21 '
prints 'note     12 statistics more, of fields, are in the group statistics of the file'
expect 0 show s.h5 --statistics --json; is_json out
cp out show.json
expect 0 show s.h5 --statistics --csv
[ -z "$python" ] || py -c 'import csv, json, h5py
rows, f = list(csv.DictReader(open("out"))), h5py.File("s.h5")["statistics"]
for k, r in enumerate(rows):
    i, j = k // 2, k % 2
    assert float(r["gamma"]) == f["gamma"][i] and r["row"] == f["row"].asstr()[j] and r["n_ok"] == "21"
    assert float(r["energy_sem"]) == f["energy_sem"][i, j, -1]
    assert float(r["steps_q0.95"]) == f["steps_quantiles"][i, j, 4]
assert len(rows) == 6
for a, b in zip(json.load(open("show.json"))["statistics"], rows): assert a["fronts_var"] == float(b["fronts_var"])' \
    2>err || fail 'show --statistics --csv, --json'
expect 0 show all.h5 --statistics; matches '^ *126 +126 '
expect 0 show zip.h5 --statistics; matches '^gamma  twist  n_ok'
"$sweep" -q none.cfg -o without.h5
expect 5 show without.h5 --statistics; says 'without.h5 has no statistics: add statistics = { over = ...; of = ...; }'
expect 2 show s.h5 --statistics --run 3; says '--statistics shows numbers over all runs: not with --run'

# ---- refused, at the line
refused() {  # refused SETTING TEXT
    expect 3 check s.cfg -s "$1"
    says "$2"
}
refused 'statistics.over=["sed"]' "'statistics.over': unknown axis 'sed'; did you mean 'seed'?"
refused 'statistics.over="time"' "'statistics.over': unknown axis 'time'; known here: gamma, row, seed"
refused 'statistics.over=["seed","seed"]' "'seed' stands there twice"
refused 'statistics.over=[]' "'statistics.over' is empty: name at least one axis"
refused 'statistics.over=[1]' "'statistics.over' is a list of names in quotes"
refused 'statistics.of=["pulses"]' \
    "unknown quantity 'pulses'; known here: mass, energy, u_min, u_max, domain_length, fronts, u, t_reached"
refused 'statistics.of="enrgy"' "did you mean 'energy'?"
refused 'statistics.of=["energy", "err_l2"]' "'statistics.of': no run has 'err_l2', an error: add exact"
refused 'statistics.of="status"' "unknown quantity 'status'"
refused 'statistics.of="spectrum(v)"' "unknown quantity 'spectrum(v)'; did you mean 'spectrum(u)'?"
expect 3 check s.cfg -s 'grid.length="6*gamma"' -s 'statistics.of="spectrum(u)"'
says "'spectrum(u)' takes one grid.length in all runs"
# points of runs that are taken together lie at the same places, those of other means need not
for key in length x0; do
    expect 3 check s.cfg -s "grid.$key=6+0.1*wide" -s define.wide='"2*seed"' -s 'statistics.of=["energy", "u"]'
    says "'statistics.of': 'u' of runs over 'seed' lies at other places in each (grid.$key); take 'seed' out of"
    expect 0 check s.cfg -s "grid.$key=6+0.1*wide" -s define.wide='"2*seed"' -s 'statistics.of=["energy"]'
    expect 0 check s.cfg -s "grid.$key=6+0.1*gamma" -s 'statistics.of=["energy", "u"]'
done
expect 3 check s.cfg -s 'boundary="no_flux"' -s 'statistics.of="spectrum(u)"'
says "'spectrum(u)' is that of a periodic field, and there are walls here"
refused 'statistics.what=["kurtosis"]' \
    "'statistics.what': unknown statistic 'kurtosis'; known here: mean, sem, var, min, max, quantiles"
refused 'statistics.quantiles=[0.5,0.1]' "'statistics.quantiles' is a list of ascending numbers from 0 to 1"
refused 'statistics.quantiles=[1.5]' "'statistics.quantiles' is a list of ascending numbers from 0 to 1"
refused 'statistics.quantiles="0.5"' "'statistics.quantiles' is a list of one to 64 numbers"
refused 'statistics={ of="u"; }' "'statistics' does not say over which axes: add over = [\"seed\"]"
refused 'statistics={ over="seed"; }' "'statistics' does not say of what: add of = [\"energy\"]"
refused 'statistics={ over="seed"; of="u"; quantiles=[0.5]; }' "means nothing without \"quantiles\" in statistics.what"
refused 'statistics={ over="seed"; of="u"; wat="mean"; }' "unknown key 'statistics.wat'; did you mean 'what'?"
refused 'statistics="seed"' "'statistics' is a group of over, of, what, quantiles, times"
refused 'output={ fields={ times=[1.0]; }; }' "no run saves 'energy': add output.scalars"
refused 'output={ scalars={ every=0.5; define={ fronts="crossings(u)"; }; }; }' "no run saves 'u': add output.fields"
expect 3 check s.cfg -s 'statistics.of=["u_spectrum", "spectrum(u)"]' \
    -s 'output.scalars={ every=0.5; define={ u_spectrum="mean(u)"; }; }'
says "'u_spectrum' and 'spectrum(u)' would both be 'u_spectrum' in the file; give the scalar another name"
expect 3 check s.cfg -s 'sweep={ u_spectrum_mean=[0.5, 1.0]; seed=[1, 2]; }' -s physics.gamma=u_spectrum_mean \
    -s stepper=auto -s 'statistics.of="spectrum(u)"'
says "'statistics': an axis cannot be called 'u_spectrum_mean', as a part of the statistics is"
expect 3 check s.cfg -s 'sweep={ quantile=[0.5, 1.0]; seed=[1, 2]; }' -s physics.gamma=quantile -s stepper=auto
says "'statistics': an axis cannot be called 'quantile', as a part of the statistics is"
sed 's/\["seed"\]/["seeds"]/' s.cfg >line.cfg
expect 3 check line.cfg
says "line.cfg:10: error: 'statistics.over': unknown axis 'seeds'; did you mean 'seed'?"

summary
