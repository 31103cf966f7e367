#!/bin/bash
# Tridiagonal systems from files: HDF5 and Matrix Market, one system or many, and what is refused. SWEEP is the program.
cd "$(dirname "$0")/../../.." || exit 1
. tests/helpers/helpers.sh || exit 1

# ---- Matrix Market
cat >a.mtx <<'MTX'
%%MatrixMarket matrix coordinate real general
% a comment
4 4 10
1 1 2.0
2 2 3
3 3 -1.5e0
4 4 5

2 1 1
3 2 -1
4 3 2
1 2 0.5
2 3 4
3 4 1
MTX
printf '%%%%MatrixMarket matrix array real general\n4 2\n1\n2\n3\n4\n5\n6\n7\n8\n' >f.mtx
cat >market.cfg <<'CFG'
problem = "tridiagonal";
sweep   = { k = [1, 2]; };
grid    = { n = 4; };
source  = { file = "a.mtx"; rhs = "f.mtx"; system = "k"; };
run     = { device = "cpu"; };
output  = { file = "market.h5"; fields = { precision = "double"; }; };
CFG
expect 0 check market.cfg
expect 0 run market.cfg
[ -z "$python" ] || py - 2>out <<'PY' || fail "market.h5"
import h5py, numpy as np
a = np.diag([2, 3, -1.5, 5]) + np.diag([1, -1, 2], -1) + np.diag([0.5, 4, 1], 1)
x = h5py.File("market.h5")["x"][:, 0]
assert np.allclose(x, np.linalg.solve(a, np.arange(1.0, 9).reshape(2, 4).T).T, rtol=1e-13), x
PY
expect 0 run market.cfg; says 'nothing to do'

# another content makes other runs
sed -i 's/^2 2 3$/2 2 3.5/' a.mtx
expect 0 check market.cfg; prints 'holds another sweep'
expect 5 run market.cfg; says 'another sweep'

# a column of results in which all runs have one number: nothing of it is stored, and it is read as any other
cat >heat.cfg <<'CFG'
problem = "heat";
sweep   = { k = "range(1, 9)"; };
physics = { kappa = 0.1; };
grid    = { n = 32; length = 1.0; };
time    = { dt = 0.01; end = 0.05; };
initial = "cos(2*pi*k*x)";
run     = { device = "cpu"; };
output  = { fields = { times = ["end"]; }; };
CFG
expect 0 run heat.cfg -q -o heat.h5
cat >column.cfg <<'CFG'
problem = "tridiagonal";
lower   = "0";
main    = "2";
upper   = "0";
source  = { file = "heat.h5"; rhs = "/steps"; };
run     = { device = "cpu"; };
output  = { file = "column.h5"; fields = { precision = "double"; }; };
CFG
expect 0 run column.cfg
holds column.h5 heat.h5 'b["steps"].id.get_storage_size() == 0 and list(a["x"][0, 0]) == [2.5]*9'

# symmetric; closed to a circle; with an exact solution in place of rhs
cat >s.mtx <<'MTX'
%%MatrixMarket matrix coordinate integer symmetric
4 4 8
1 1 4
2 2 4
3 3 4
4 4 4
2 1 -1
3 2 -1
4 3 -2
4 1 1
MTX
circle=(-s 'source={ file="s.mtx"; }' -s 'exact="i + k"')
expect 0 run market.cfg -o circle.h5 "${circle[@]}" -s cyclic=true
[ -z "$python" ] || py - 2>out <<'PY' || fail "circle.h5"
import h5py, numpy as np
f = h5py.File("circle.h5")
assert np.allclose(f["x"][:, 0], np.add.outer([1, 2], [1, 2, 3, 4]), rtol=1e-14)
assert (f["forward_error"][:] < 1e-15).all()
PY
expect 3 check market.cfg "${circle[@]}"
says 'line 10: the entry (1, n) is off the three diagonals; cyclic = true closes the system'

# as other programs write them: numbers of Fortran, and zeros that are stored off the diagonals
cat >z.mtx <<'MTX'
%%MatrixMarket matrix coordinate real general
4 4 14
1 1 2.0D+00
2 2 3d0
3 3 -1.5D0
4 4 0.5D+01
2 1 1
3 2 -1
4 3 2
1 2 5.0D-01
2 3 4
3 4 1
1 3 0.0
4 2 0
1 4 0.0D+00
4 1 -0.0
MTX
sed 's/^2 2 3.5$/2 2 3/' a.mtx >a3.mtx
expect 0 run market.cfg -o z.h5 -s 'source.file="z.mtx"'
expect 0 run market.cfg -o a3.h5 -s 'source.file="a3.mtx"'; same z.h5 a3.h5

# ---- texts that are wrong, with their lines
wrong() {
    printf '%b' "$2" >w.mtx
    expect 3 check market.cfg -s 'source={ file="w.mtx"; }' -s 'rhs="k"'
    says "$1"
}
head='%%MatrixMarket matrix coordinate real general\n'
two='2 2 2\n1 1 1\n'
wrong 'line 4: the entry (1, 3) is off the three diagonals; the matrix has to be tridiagonal' \
    "${head}4 4 4\n1 1 1\n1 3 1\n3 3 1\n4 4 1\n"
wrong 'line 4: the entry (1, 1) is there for the second time' "${head}${two}1 1 1\n"
wrong 'line 5: the entry (1, 2) is there for the second time; it stands for the one across the main diagonal, too' \
    "%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 1\n2 1 1\n1 2 1\n"
wrong "line 4: a row and a column from 1 to 2 and a number are expected, as in '1 1 0.5'" "${head}${two}1 5 1\n"
wrong 'line 4: a row and a column from 1 to 2 and a number are expected' "${head}${two}1 1 one\n"
wrong 'it ends after line 3, before all entries are there' "${head}2 2 2\n1 1 1.00000000\n"
wrong 'line 5: it goes on after the last of 2 entries' "${head}${two}2 2 2\n2 1 2\n"
wrong 'line 2: the matrix is 4 x 5, not square' "${head}4 5 1\n1 1 1\n"
wrong 'line 2: the numbers of rows, columns and entries are expected, whole numbers and nothing else' \
    "${head}4 4\n1 1 1\n"
wrong 'line 2: a matrix has 1 to 10^12 rows, an array up to 10^6 columns' "${head}2000000000000 2000000000000 4\n"
wrong 'line 3: the entry (2, 2) of a skew-symmetric matrix is 0 and is left out' \
    '%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 2 1\n'
wrong "line 1: the entries are 'complex'; real or integer is needed there, and one number an entry" \
    '%%MatrixMarket matrix coordinate complex general\n'
wrong "line 1: the matrix is 'hermitian'; general, symmetric or skew-symmetric is needed there" \
    '%%MatrixMarket matrix coordinate real hermitian\n'
wrong "line 1: it is 'tensor coordinate'; a matrix begins '%%MatrixMarket matrix coordinate real general', right-hand \
sides 'matrix array' in place of that" '%%MatrixMarket tensor coordinate real general\n'
# counts that the file cannot hold, before memory is taken for them
wrong 'line 2: there are to be 900000000000 entries, and the rest of the file has room for 2 at most: is it cut off?' \
    "${head}4 4 900000000000\n1 1 1\n2 2 2"
wrong 'line 2: 900000000000 rows and 4 entries: a row has none, which makes the matrix singular' \
    "${head}900000000000 900000000000 4\n1 1 1\n"
wrong 'it is neither an HDF5 file nor a Matrix Market one, whose first line begins %%MatrixMarket' 'hello\n'
wrong 'it is neither an HDF5 file nor a Matrix Market one' ''
wrong_rhs() {
    printf '%b' "$2" >w.mtx
    expect 3 check market.cfg -s 'source.rhs="w.mtx"'
    says "'source.rhs' = \"w.mtx\": $1"
}
head='%%MatrixMarket matrix array real general\n'
wrong_rhs 'line 2: the numbers of rows and columns are expected' "${head}4\n"
wrong_rhs 'line 4: a number is expected: an array has one a line, column after column' "${head}4 1\n1\none\n3\n4\n"
wrong_rhs 'line 4: a number is expected' "${head}4 1\n1\n2 3\n4\n"
wrong_rhs 'it ends after line 5, before all entries are there' "${head}4 1\n1\n2\n3.0\n"
wrong_rhs 'line 2: there are to be 900000000000 entries, and the rest of the file has room for 2 at most' \
    "${head}900000000000 1\n1\n2\n"
wrong_rhs 'line 7: it goes on after the last of 4 entries' "${head}4 1\n1\n2\n3\n4\n5\n"
wrong_rhs 'line 3 is too long' "${head}4 1\n$(printf '%2000d' 1)\n"
wrong_rhs "line 1: the array is 'symmetric'; general is needed there: all numbers, column after column" \
    '%%MatrixMarket matrix array real symmetric\n4 1\n'
wrong_rhs 'it has 3 entries, and source.lower 4' "${head}3 1\n1\n2\n3\n"
expect 3 check market.cfg -s 'source.file="absent.mtx"'
says "'source.file' = \"absent.mtx\": there is no such file; a path begins in this folder"
expect 3 check market.cfg -s 'source.file="."'; says "it is a folder, not a file"
mkfifo pipe.mtx  # nobody writes into it
expect 3 check market.cfg -s 'source.file="pipe.mtx"'
says "'source.file' = \"pipe.mtx\": it is a device or a pipe, not a file"
expect 3 check market.cfg -s 'source.rhs="pipe.mtx"'; says "'source.rhs' = \"pipe.mtx\": it is a device or a pipe"
expect 3 check market.cfg -s 'source.rhs="absent.mtx"'; says "'source.rhs' = \"absent.mtx\": there is no such file"
expect 3 check market.cfg -s grid.n=5; says "'grid.n' = 5 in run 0 (k = 1): the arrays of a.mtx have n = 4"
expect 3 check market.cfg -s 'sweep.k=[1, 3]'; says "'source.system' = 3 in run 1 (k = 3): a.mtx holds 2 systems"
expect 3 check market.cfg -s 'source.main="/d"'
says 'a Matrix Market matrix has no datasets: all three diagonals are taken; leave it out'
expect 3 check market.cfg -s 'rhs="1"'; says "'rhs' = \"1\": the source has it as well; leave one of the two out"
expect 3 check market.cfg -s 'matrix="uniform"'
says 'matrix = "uniform" has its own diagonals; leave one of the two out'
expect 3 check market.cfg -s 'source={ main="/d"; }'
says "'source.main' = \"/d\": source.file is missing: which file is it in?"
expect 3 check market.cfg -s 'source={ system="k"; }' -s 'matrix="uniform"' -s 'rhs="1"'
says "'source.system' = 2 in run 1 (k = 2): source.file is missing: which file is it in?"
expect 3 check market.cfg -s 'source={ file="f.mtx"; rhs="/f"; }'
says "'source.file' = \"f.mtx\": a Matrix Market array is no matrix by coordinates ('matrix coordinate' in its first \
line); it can be source.rhs beside one"
expect 3 check market.cfg -s 'source.rhs="a.mtx"'
says "'source.rhs' = \"a.mtx\": beside a Matrix Market matrix a Matrix Market array is needed ('matrix array' in its \
first line), whose columns are systems"

# ---- HDF5
[ -n "$python" ] || { skipped 'arrays in HDF5 files, which h5py writes'; summary; exit; }
py - <<'PY'
import h5py, numpy as np
rng = np.random.default_rng(1)
with h5py.File("system.h5", "w") as f:
    n, systems = 300, 5
    for name in ("dl", "d", "du", "f"):
        f["batch/" + name] = rng.uniform(-1, 1, (systems, n))
        f[name] = f["batch/" + name][0]
    f["single"] = f["d"][:].astype("f4")
    f["count"] = np.arange(1, n + 1)
    f["short"] = f["d"][1:]
    f["cube"] = np.zeros((2, 3, n))
    f["text"] = np.array([b"a", b"b"])
    f["none"] = np.zeros(0)
    bad = f["d"][:]
    bad[16] = np.nan
    f["bad"] = bad
    f["first"] = np.where(np.arange(n) == 0, np.nan, f["dl"][:])
    f["three"] = f["batch/d"][:3]
PY
cat >batch.cfg <<'CFG'
problem = "tridiagonal";
sweep   = { s = "range(1, 5, 1)"; };
grid    = { n = 300; };
source  = { file = "system.h5"; lower = "/batch/dl"; main = "/batch/d"; upper = "/batch/du"; rhs = "/batch/f";
            system = "s"; };
run     = { device = "cpu"; };
output  = { file = "batch.h5"; fields = { precision = "double"; }; };
CFG
expect 0 check batch.cfg; matches '^batches +1$'
expect 0 run batch.cfg
py - 2>out <<'PY' || fail "batch.h5"
import h5py, numpy as np
f, r = h5py.File("system.h5"), h5py.File("batch.h5")
for s in range(5):
    dl, d, du, b = (f["batch/" + name][s] for name in ("dl", "d", "du", "f"))
    a = np.diag(d) + np.diag(dl[1:], -1) + np.diag(du[:-1], 1)
    x = np.linalg.solve(a, b)
    assert np.abs(r["x"][s, 0] - x).max() < 1e-9 * np.abs(x).max(), s
    residual = np.linalg.norm(a @ r["x"][s, 0] - b) / np.linalg.norm(b)
    assert r["residual"][s] < 1e-12 and residual < 1e-12 and r["backward_error"][s] < 1e-15
PY
expect 0 run batch.cfg; says 'nothing to do'
expect 0 run batch.cfg -s 'sweep.s="range(1, 4, 1)"' -o less.h5
expect 0 run batch.cfg -o less.h5; says '1 of 5 runs left'

# on a GPU, if there is one
if "$sweep" run batch.cfg -o gpu.h5 -s run.device=cuda >out 2>err; then
    py - 2>out <<'PY' || fail "a GPU beside the CPU"
import h5py, numpy as np
gpu, cpu = h5py.File("gpu.h5"), h5py.File("batch.h5")
assert (gpu["backward_error"][:] < 4e-15).all() and np.allclose(gpu["x"][:], cpu["x"][:], rtol=1e-8)
PY
else
    skip_gpu batch.cfg
fi

# grid.n may be left out: it is that of the file
sed '/^grid/d' batch.cfg >short.cfg
expect 0 run short.cfg -o batch.h5; says 'nothing to do'
expect 3 check short.cfg -s 'source.file="absent.h5"'; says "'source.file' = \"absent.h5\": there is no such file"
expect 3 check short.cfg -s 'source={ file="$s"; }' -s 'sweep.s=["system.h5"]'
says "'source.file' = \"\$s\": it is an axis, of which each word may have an n of its own: give grid.n"
expect 3 check short.cfg -s 'source.lower="$s"' -s 'sweep.s=["/dl"]'; says "'source.lower' = \"\$s\": it is an axis"
expect 3 check short.cfg -s 'source={ lower="/dl"; main="/d"; }'
says "'source.lower' = \"/dl\": source.file is missing: which file is it in?"
expect 3 check short.cfg -s 'source={ system="s"; }'; says "'grid.n' is missing"

# arrays and expressions side by side, floats and integers; entries that do not count; one file or the other
one=(-s 'source={ file="system.h5"; lower="/first"; main="/count"; upper="/single"; }' -s 'exact="s + i"')
expect 0 run batch.cfg -o one.h5 "${one[@]}"
py - 2>out <<'PY' || fail "one.h5"
import h5py
f = h5py.File("one.h5")
assert (f["status"][:] == 1).all() and (f["backward_error"][:] < 1e-15).all() and (f["err_rel"][:] < 1e-6).all()
PY
expect 0 run batch.cfg -o rhs.h5 -s 'source={ file="system.h5"; rhs="/batch/f"; system="s"; }' -s 'matrix="main_64"'
says '5 ok'
cp system.h5 again.h5
files=(-s 'sweep={ from=["system.h5", "again.h5"]; }'
       -s 'source={ file="$from"; lower="/dl"; main="/d"; upper="/du"; rhs="/f"; }')
expect 3 check batch.cfg "${files[@]}"; says 'runs 0 (from = system.h5) and 1 (from = again.h5) compute the same'
py -c 'import h5py
with h5py.File("again.h5", "a") as f: f["d"][3] = 2'
expect 0 run batch.cfg -o files.h5 "${files[@]}"; says '2 ok'
rm -f less.h5
expect 0 run batch.cfg -o less.h5 --only 's < 3'; expect 0 resume less.h5; says '3 of 5 runs left'
mv again.h5 elsewhere.h5
expect 0 run batch.cfg -o files.h5 "${files[@]}" -s 'sweep.from=["system.h5", "elsewhere.h5"]'; says 'nothing to do'

# ---- as others write them: vectors of MATLAB, n x 1 and 1 x n; systems in columns, by the names of dimensions; packed
py - <<'PY'
import h5py, numpy as np
f = h5py.File("system.h5")
with h5py.File("vectors.h5", "w") as g:
    g["dl"], g["d"], g["du"] = f["dl"][:][:, None], f["d"][:][None], f["du"][:][:, None]
    g["f"] = f["f"][:]
with h5py.File("columns.h5", "w") as g:
    for name in ("dl", "d", "du", "f"):
        g[name] = f["batch/" + name][:].T
        g[name].dims[0].label, g[name].dims[1].label = "x", "run"
with h5py.File("packed.h5", "w") as g, h5py.File("unpacked.h5", "w") as h:
    for name in ("dl", "d", "du", "f"):
        raw = np.round(1000*f["batch/" + name][:]).astype("i2")
        g[name], h[name] = raw, raw*0.25 + 3.0
        g[name].attrs.update(scale_factor=0.25, add_offset=3.0, _FillValue=np.int16(-9999))
    g["d"][2, 16] = -9999
PY
named='lower="/dl"; main="/d"; upper="/du"; rhs="/f"'
for file in vectors system; do
    expect 0 run batch.cfg -o $file.x.h5 -s "source={ file=\"$file.h5\"; $named; }" -s 'sweep.s=[1]'
done
same vectors.x.h5 system.x.h5
expect 0 run batch.cfg -o columns.x.h5 -s "source={ file=\"columns.h5\"; $named; system=\"s\"; }"
same columns.x.h5 batch.h5
expect 1 run batch.cfg -o packed.x.h5 -s "source={ file=\"packed.h5\"; $named; system=\"s\"; }"
says '4 ok, 1 failed (run 2: main of row 17 is not a number)'
expect 0 run batch.cfg -o unpacked.x.h5 -s "source={ file=\"unpacked.h5\"; $named; system=\"s\"; }"
py - 2>out <<'PY' || fail "packed.h5"
import h5py, numpy as np
a, b = h5py.File("packed.x.h5")["x"][:, 0], h5py.File("unpacked.x.h5")["x"][:, 0]
assert np.isnan(a[2]).all() and np.array_equal(np.delete(a, 2, 0), np.delete(b, 2, 0))
PY

# ---- what is stored needs no source: status and merge
cp system.h5 other.h5
shards=(-s 'source.file="other.h5"' -s 'sweep.s="range(1, 4, 1)"' -o joined.h5)
expect 0 run batch.cfg "${shards[@]}" --shard 1/2; expect 0 run batch.cfg "${shards[@]}" --shard 2/2
rm other.h5
expect 0 status joined.h5; prints '4 done, 0 pending'
expect 0 merge joined.shard-*.h5 -o joined.h5; says 'merged   2 files into joined.h5: 4 runs'
expect 0 status joined.h5; prints 'joined.h5  finished'; prints '4 done, 0 diverged, 0 failed, 0 pending'
expect 0 status joined.shard-1-of-2.h5; prints '2 done, 0 diverged, 0 failed, 0 pending'
expect 0 show joined.h5
expect 3 resume joined.h5; says "'source.file' = \"other.h5\": there is no such file"
cp system.h5 other.h5
expect 0 resume joined.h5; says 'nothing to do'
py -c 'import h5py
with h5py.File("other.h5", "a") as f: f["batch/d"][2, 7] = 3'
expect 0 status joined.h5; prints 'joined.h5  finished'; prints '4 done, 0 diverged, 0 failed, 0 pending'
expect 5 resume joined.h5; says "('source.file' has other numbers by now, or another version of sweep made it)"
rm joined.shard-2-of-2.h5
expect 0 run batch.cfg "${shards[@]}" --shard 2/2  # of the same config, with another number
expect 5 merge joined.shard-*.h5 -o mixed.h5; says 'are of different sweeps: leave out what does not belong'
rm joined.h5
expect 0 status joined.h5; prints '1 done, 1 foreign'
expect 5 run batch.cfg -o system.h5 --force; says "system.h5 is the file that 'source.file' reads"

# ---- a source that changes while a run in slices reads it: no result is stored
py - <<'PY'
import h5py, numpy as np
with h5py.File("keep.h5", "w") as f:
    for name, value in (("dl", 1), ("d", 3), ("du", -1), ("f", 2)):
        f[name] = np.full(2000000, float(value))
PY
cat >slices.cfg <<'CFG'
problem = "tridiagonal";
source  = { file = "long.h5"; lower = "/dl"; main = "/d"; upper = "/du"; rhs = "/f"; };
run     = { device = "cpu"; memory = 0.004; checkpoint = 0.0002; };
CFG
# stopped after its first checkpoint, unless it has ended by then
change() {
    local k pid
    for k in 1 2 3 4 5; do
        cp keep.h5 long.h5
        rm -rf slices.h5*
        "$sweep" run slices.cfg -o slices.h5 -j 1 >out 2>err </dev/null & pid=$!
        while kill -0 $pid 2>/dev/null && [ ! -e slices.h5.d/part-000001.h5 ]; do sleep 0.01; done
        kill -STOP $pid 2>/dev/null && [ ! -e slices.h5 ] && break
        wait $pid
    done
    "$@"
    kill -CONT $pid
    wait $pid
    [ $? = 5 ] || fail "$*: another exit code"
    [ ! -e slices.h5 ] || fail "$*: there is a result"
}
change py -c 'import h5py
with h5py.File("long.h5", "a") as f: f["f"][1000000:1500000] = 7'
says 'of "long.h5": it has changed since this command began to read it; nothing is stored of what was read'
change truncate -s 50000000 long.h5; says 'of "long.h5": it has changed since'
change rm long.h5; says 'of "long.h5": it is not there any more, and has not been read to its end'
cp keep.h5 long.h5
expect 0 run slices.cfg -o slices.h5; says 'from step'; says '1 ok'
expect 0 run slices.cfg -o whole.h5 -s run.memory=0; same slices.h5 whole.h5

# ---- a run with an entry that is not finite fails, and no other
py -c 'import h5py
with h5py.File("system.h5", "a") as f: f["batch/d"][2, 16] = float("nan")'
expect 1 run batch.cfg -o nan.h5; says '4 ok, 1 failed (run 2: main of row 17 is not a number)'
expect 1 run batch.cfg -o nan.h5 --force -s 'source.main="/bad"'; says 'main of row 17 is not a number'
expect 1 run batch.cfg -o nan.h5 --force -s 'source={ file="system.h5"; main="/bad"; upper="/du"; rhs="/f"; }' \
    -s 'lower="(i == 3 || i == 20 ? 1/0 : s)"'
says 'lower of row 3 is infinite'  # the first, whatever it is from

# ---- what is refused
cp system.h5 again.h5
py - <<'PY'
import h5py, numpy as np
with h5py.File("system.h5", "a") as f:
    f["gone"] = h5py.SoftLink("/nothing")
    f["away"] = h5py.ExternalLink("nowhere.h5", "/d")
    f["linked"] = h5py.ExternalLink("again.h5", "/d")
    f["soft"] = h5py.SoftLink("/d")
    layout = h5py.VirtualLayout(300, "f8")
    layout[:] = h5py.VirtualSource("nowhere.h5", "d", 300)
    f.create_virtual_dataset("virtual", layout, fillvalue=1)
    f.create_dataset("external", (300,), "f8", external=[("nowhere.raw", 0, 2400)])
    f.create_dataset("unwritten", (300,), "f8", fillvalue=1)
    f.create_dataset("checked", data=f["d"][:], chunks=(100,), fletcher32=True)
    at = f["checked"].id.get_chunk_info(1).byte_offset
with open("system.h5", "r+b") as f:
    f.seek(at)
    f.write(b"damaged")
PY
expect 0 check batch.cfg -s 'source.main="/soft"'
expect 5 check batch.cfg -s 'source.main="/checked"'
says '-s: source.main = "/checked" of "system.h5": it cannot be read: '
sed 's|/batch/d"|/checked"|' batch.cfg >damaged.cfg
expect 5 run damaged.cfg -o damaged.h5
says 'damaged.cfg:4: source.main = "/checked" of "system.h5": it cannot be read: data error detected by Fletcher32'
refused() { expect 3 check batch.cfg "${@:2}"; says "$1"; }
refused "'source.main' = \"/batch/dd\": there is no dataset '/batch/dd'; did you mean '/batch/d'?" \
    -s 'source.main="/batch/dd"'
refused "there is no dataset '/nothing/like'; there is: /bad /batch/d /batch/dl" -s 'source.main="/nothing/like"'
refused "'source.main' = \"/batch\": it is a group, not a dataset" -s 'source.main="/batch"'
refused "'source.main' = \"/gone\": it is a link that leads nowhere: to '/nothing'" -s 'source.main="/gone"'
refused "'source.main' = \"/away\": it is a link into another file; name the file" -s 'source.main="/away"'
refused "'source.main' = \"/linked\": it is a link into another file; name the file that holds the numbers" \
    -s 'source.main="/linked"'
refused "'source.main' = \"/virtual\": it is a virtual dataset: its numbers are in other files" \
    -s 'source.main="/virtual"'
refused "'source.main' = \"/external\": its numbers are in other files (external storage); copy them into this one" \
    -s 'source.main="/external"'
refused "'source.main' = \"/unwritten\": nothing was ever written to it" -s 'source.main="/unwritten"'
refused "'source.main' = \"/cube\": it has 3 dimensions; one (n) or two (systems, n) are needed" \
    -s 'source.main="/cube"'
refused "'source.main' = \"/text\": it does not hold numbers; integers or reals are needed" \
    -s 'source.main="/text"'
refused "'source.main' = \"/none\": it is empty" -s 'source.main="/none"'
refused "'source.main' = \"/short\": it has 299 entries, and source.lower 300: entry i of each diagonal belongs to " \
    -s 'source.main="/short"'
refused "'source.main' = \"/three\": it holds 3 systems, and another array 5" -s 'source.main="/three"'
refused "'grid.n' = 299" -s grid.n=299
refused "system.h5 holds 5 systems" -s 'sweep.s=[6]'
refused "'source.main' is missing: give it, or main, an expression in i = 1 .. n; system.h5 has /bad /batch/d " \
    -s 'source={ file="system.h5"; lower="/dl"; upper="/du"; rhs="/f"; }' -s 'define.unused="s"'
refused "'lower' is missing: give lower, main and upper, each an expression in i = 1 .. n, or the word of a matrix" \
    -s 'source={ file="system.h5"; rhs="/f"; }' -s 'define.unused="s"'
refused "'rhs' is missing: give rhs, source.rhs, or exact, the solution: the right-hand side is then A x" \
    -s 'source={ file="system.h5"; lower="/dl"; main="/d"; upper="/du"; }' -s 'define.unused="s"'
sed 's/upper = "[^"]*"; //' batch.cfg >lacks.cfg
expect 3 check lacks.cfg; says "lacks.cfg:4: error: 'source.upper' is missing: give it, or upper, an expression in i"
refused "unknown key 'source.uper'; did you mean 'upper'?" -s 'source.uper="/du"'
refused "say what to take from it: source.lower, main, upper or rhs name its datasets" -s 'source={ file="system.h5"; }'
refused "'lower' = \"1\": the source has it as well; leave one of the two out" -s 'lower="1"'
head -c 3000 system.h5 >cut.h5
refused "it is a damaged HDF5 file" -s 'source.file="cut.h5"'
py -c 'import h5py; h5py.File("empty.h5", "w").create_group("group")'
refused "there is no dataset '/batch/dl'; there is none at all" -s 'source.file="empty.h5"'
summary
