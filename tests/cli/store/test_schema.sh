#!/bin/bash
# Files of schemas 1 and 2, as older versions wrote them, are read, joined and gone on with; the results have today's
# names.
. tests/helpers/helpers.sh || exit 1
py_loads=matplotlib.pyplot
[ -n "$python" ] || { echo "skipped: no python3 with h5py"; exit 0; }
old() { py "$top/tests/helpers/as_schema.py" "${2:-1}" "$1" 2>err || fail "as_schema.py $*"; }
new=(run "$top/configs/tiny_nsweep.cfg" --device cpu)

expect 0 "${new[@]}" -o new.h5
cp new.h5 old.h5; old old.h5
expect 0 show new.h5 --csv; cp out rows
expect 0 show old.h5 --csv  # scalars are in the order in which a file has them
py -c 'import csv; assert list(csv.DictReader(open("out"))) == list(csv.DictReader(open("rows")))' 2>err ||
    fail 'show of an old file'
cp new.h5 texts.h5; old texts.h5 2  # ids of runs were texts; they are found as before
expect 0 show texts.h5 --csv; cmp -s out rows || fail 'show of a file with ids as texts'
expect 0 "${new[@]}" -o texts.h5; says 'nothing to do'
expect 0 "${new[@]}" -o reused.h5 -s 'reuse="texts.h5"'; same reused.h5 new.h5
expect 0 status old.h5
for file in new old; do expect 0 xdmf $file.h5; done
sed 's/old[.]h5/new.h5/' old.xdmf | cmp -s - new.xdmf || fail 'xdmf of an old file'
expect 0 "${new[@]}" -o old.h5; says 'nothing to do'
if py_plots; then
    for of in u_min min u; do expect 0 plot old.h5 --kind lines --run 3 --of $of -o old.png; done
    expect 0 plot new.h5 --kind lines --run 3 --of min -o old.png
fi

# joined: with each other, with new ones
for k in 1 2; do expect 0 "${new[@]}" -o s.h5 --shard $k/2; done
expect 0 merge s.shard-*.h5 -o whole.h5; same whole.h5 new.h5
old s.shard-1-of-2.h5
expect 0 merge s.shard-*.h5 -o mixed.h5; same mixed.h5 whole.h5
old s.shard-2-of-2.h5
expect 0 merge s.shard-*.h5 -o mixed.h5 --force; same mixed.h5 whole.h5
py - <<'PY' 2>err || fail 'what was joined has ids as numbers'
import h5py, numpy as np
with h5py.File("mixed.h5") as mixed, h5py.File("new.h5") as new, h5py.File("texts.h5") as texts:
    assert mixed.attrs["sweep_schema"] == "3.0" and mixed["run_id"].dtype == np.uint64
    assert (mixed["run_id"][:] == new["run_id"][:]).all()
    assert mixed["run_id"].id.get_storage_size() == 8 * len(new["run"])
    assert [f"{k:016x}".encode() for k in new["run_id"][:].tolist()] == list(texts["run_id"][:])
PY

# an axis that has become longer
expect 0 "${new[@]}" -o longer.h5 -s 'sweep.g=[1.0]'; old longer.h5
expect 0 "${new[@]}" -o longer.h5 -s 'sweep.g=[1.0, 2.0]'; says '3 of 6 runs left'
expect 0 "${new[@]}" -o whole.h5 -s 'sweep.g=[1.0, 2.0]' --force; same longer.h5 whole.h5

# a column whose values are all the same has none of its own, and may have some afterwards
py - <<'PY' 2>err || fail 'constant columns'
import h5py, shutil
with h5py.File("new.h5") as h:
    for name, value in ("status", 1), ("steps", h["steps"][0]), ("t_reached", h["t_reached"][-1]):
        assert len(h[name]) > 1 and (h[name][:] == value).all(), name
        assert h[name].id.get_storage_size() == 0 and h[name].fillvalue == value, name
    assert h["run"].id.get_storage_size() and h["run_id"].id.get_storage_size() and h["wall_time"][0] > 0
    assert (h["message"].asstr()[:] == "").all() and h["message"].id.get_storage_size() == 0
shutil.copy("new.h5", "stored.h5")
with h5py.File("stored.h5", "r+") as h:
    del h.attrs["sweep_checksum"]
    h["wall_time"][:], h["message"][0], h["status"][:] = 1.5, "a warning", h["status"][:]
PY
expect 0 show stored.h5 --csv
sed 's/,a warning//; s/,$//' out | cut -d, -f1-4 >cut; cut -d, -f1-4 rows | cmp -s - cut ||
    fail 'columns that were stored later'
if command -v h5repack >/dev/null; then  # copies, and what was compressed and is not any more, have the same rows
    expect 0 show new.h5 --csv; mv out all
    h5repack new.h5 copy.h5 && h5repack -f GZIP=3 new.h5 zip.h5 && h5repack -f NONE zip.h5 back.h5 || fail 'h5repack'
    for copy in copy back; do
        expect 0 show $copy.h5 --csv; cmp -s out all || fail "the rows of $copy.h5"
    done
fi

# a batch that stopped half-way, and a part that is all there is
long=(run "$top/configs/tiny_ch.cfg" --device cpu -s time.end=20000.0 -s output.scalars.every=1000.0)
slowly 0.005 expect 75 "${long[@]}" -o half.h5 --max-time 0.2s
ls half.h5.d/part-*.h5 >out || fail 'no checkpoint'
for part in half.h5.d/part-*.h5; do old $part; done
expect 0 resume half.h5 --device cpu; says ' from step '
expect 0 "${long[@]}" -o whole.h5 --force; same half.h5 whole.h5
summary
