#!/bin/bash
# bench_night.sh BUILD [CSV]: which method and tolerance suit the forces of configs/night.cfg: 8 amplitudes x 5 speeds x
# 4 wave numbers, one seed, to t = 10^3, on the CPU; some minutes. Needs Python with h5py.
#   BUILD  a folder with the program, as `make` leaves in build
#   CSV    what is written (default: results/bench/night.csv)
# Columns: method, dt or tolerance, steps of a run (mean, most), error of the domain length at the end (mean, most) and
# of the field (the median over the runs of the largest over the line), against the last row.
. "$(dirname "$0")/measure.sh"
take_options '' "$@"
[ ${#arguments[@]} -ge 1 ] && [ ${#arguments[@]} -le 2 ] || usage
take_program "$(realpath "${arguments[0]}")"
csv=${arguments[1]:-results/bench/night.csv}
python=$(scripts/build/find_python.sh)
[ -n "$python" ] || give_up "no Python with h5py"
make_tmp
mkdir -p "$(dirname "$csv")" || exit 1
works='imex1:dt=0.02 imex2:tolerance=1e-3 imex3:tolerance=1e-3 imex3:tolerance=1e-4'
for work in $works; do
    step=${work#*:}
    "$sweep" run configs/night.cfg -q --device cpu --force -o "$tmp/$work.h5" -s "method=${work%%:*}" \
        -s "time={ ${step/=/ = }; end = 1.0e3; }" -s 'sweep.a="logspace(0.001, 0.2, 8)"' \
        -s 'sweep.v="linspace(0, 0.75, 5)"' -s 'sweep.seed=[1]' \
        -s 'output.fields={ times = ["end"]; precision = "double"; }' -s 'output.scalars={ times = ["end"]; }' || exit 1
done
printf '# Methods under the forces of night.cfg; %s, commit %s\n' "$(machine)" "$(commit)" >"$csv"
"$python" - "$tmp" $works >>"$csv" <<'PY'
import sys

import h5py
import numpy as np

folder, works = sys.argv[1], sys.argv[2:]
last = h5py.File(f"{folder}/{works[-1]}.h5")
print("method,step,steps_mean,steps_most,length_mean,length_most,field_median")
for work in works:
    f = h5py.File(f"{folder}/{work}.h5")
    length = abs(f["domain_length"][:, -1]/last["domain_length"][:, -1] - 1)
    field = np.median(abs(f["u"][:, -1] - last["u"][:, -1]).max(axis=1))
    numbers = [f["steps"][:].mean(), f["steps"][:].max()] + ([length.mean(), length.max(), field] if f != last else [])
    print(work.replace(":", ","), *(f"{x:.4g}" for x in numbers), sep=",")
PY
cat "$csv"
