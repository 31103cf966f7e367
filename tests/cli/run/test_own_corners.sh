#!/bin/bash
# The corners of the forces that configs/night.cfg and configs/ch_forcing.cfg sweep over: no run diverges where each run
# takes steps of its own, with either method and at loose and tight tolerances; and the steps of night.cfg are fewer and
# better than its forces would need with one dt for all. On a quarter of the line of night.cfg and a quarter of its
# waves: the same dx, the same q and so the same u.
. tests/helpers/helpers.sh || exit 1

night=(-q -s 'grid={ n = 256; length = "2*pi*16"; }' -s 'sweep.m=[2.0, 4.0, 16.0]'
       -s time.end=100.0 -s output.scalars.every=50.0 -s output.fields.precision=double)
corners='(a < 0.0011 || a > 0.018 && a < 0.019 || a > 0.19) && (v == 0 || v == 0.1 || v == 0.75) && seed == 1'
forcing=(--device cpu -q -s output.scalars.every=50.0 -s 'output.fields.times=["end"]')
all_done() {  # FILE RUNS: it has so many runs, and all are done
    expect 0 show "$1" --csv
    local done; done=$(grep -c ',done,' out)
    [ "$done" = "$2" ] || fail "$1: $done of $2 runs are done"
}

# ---- as night.cfg has it
expect 0 check "$top/configs/night.cfg" --device cpu
prints 'each run takes steps of its own'
expect 0 run "$top/configs/night.cfg" "${night[@]}" --device cpu --only "$corners" -o night.h5
all_done night.h5 27
expect 0 run "$top/configs/night.cfg" "${night[@]}" --device cpu --only "$corners" -o fine.h5 -s time.tolerance=1e-6
all_done fine.h5 27
expect 0 run "$top/configs/night.cfg" "${night[@]}" --device cpu --only "$corners" -o same.h5 -s method=imex1 \
    -s 'time={ dt = 0.02; end = 100.0; }'
all_done same.h5 27
[ -z "$python" ] || py - <<'PY' 2>err || fail 'night.cfg with steps of its own and with dt = 0.02'
import h5py, numpy as np
night, fine, same = (h5py.File(name) for name in ("night.h5", "fine.h5", "same.h5"))
off = [np.abs(f["u"][:, -1] - fine["u"][:, -1]).max(axis=-1) for f in (night, same)]
solves = [3*night["steps"][()].mean(), same["steps"][()].mean()]
assert np.ptp(fine["u"][:, -1], axis=-1).min() > 1, "no domains have formed"
assert (np.median(off, axis=1)[0] < np.median(off, axis=1)[1]) and (off[0].max() < off[1].max()), (off)
assert solves[0] < solves[1], solves
PY

# ---- on a GPU
if "$sweep" run "$top/configs/night.cfg" "${night[@]}" --device cuda --only "$corners" -o gpu.h5 >out 2>err; then
    all_done gpu.h5 27
else
    skip_gpu 'the corners of night.cfg'
fi

# ---- other methods and tolerances, of the strongest forces, at rest and fast
strongest='a > 0.19 && (v == 0 || v == 0.75) && m < 8 && seed < 3'
for other in 'imex2 1e-2' 'imex2 1e-3' 'imex3 1e-2' 'imex3 1e-5'; do
    expect 0 run "$top/configs/night.cfg" "${night[@]}" --device cpu --only "$strongest" -o "night_$other.h5" \
        -s method="${other% *}" -s time.tolerance="${other#* }" -s time.end=50.0
    all_done "night_$other.h5" 8
done
for other in 'imex2 1e-3' 'imex3 1e-2' 'imex3 1e-3' 'imex3 1e-5'; do
    expect 0 run "$top/configs/ch_forcing.cfg" "${forcing[@]}" --only '(a == 0 || a > 0.152) && (v == 0 || v > 0.6)' \
        -o "forcing_$other.h5" -s method="${other% *}" -s "time={ tolerance = ${other#* }; end = 200.0; }"
    all_done "forcing_$other.h5" 16
done
summary
