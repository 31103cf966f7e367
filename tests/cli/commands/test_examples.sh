#!/bin/bash
# The table "I want to …" of docs/howto/examples.md: each config passes `sweep check` without a warning, names the file
# that the command reads, and each picture is there; what takes no second is run, and drawn by the command as it stands.
# (test_shipped.sh and test_equations.sh run the others.) SWEEP is the program.
cd "$(dirname "$0")/../../.." || exit 1
. tests/helpers/helpers.sh || exit 1
py_plots && draws=1 || skipped 'pictures: no python3 with matplotlib'
ln -s "$top/configs" .
page=$top/docs/howto/examples.md
grep '^|.*[.]cfg' "$page" >rows
[ "$(wc -l <rows)" -ge 25 ] || fail "only $(wc -l <rows) examples"
while IFS= read -r row; do
    config=$(grep -o 'configs/[a-z0-9_/]*[.]cfg' <<<"$row" | head -n 1)
    command=$(grep -oE '`sweep (plot|show) [^`]*`' <<<"$row" | tr -d '`' | cut -d' ' -f2-)
    picture=$(grep -o 'pictures/[a-z0-9_]*[.]png' <<<"$row")
    expect 0 check "$config" --device cpu
    if grep -qE 'may diverge|probably diverge|under-resolved|rounding of' out; then fail "check $config warns"; fi
    case $config in *night.cfg) continue ;; esac
    case $config in *banded.cfg) ;; *) [ -s "$top/docs/$picture" ] || fail "no picture of $config" ;; esac
    file=$(cut -d' ' -f2 <<<"$command")
    [ "$file" = "results/$(sed 's,^configs/,,; s/cfg$/h5/' <<<"$config")" ] || fail "$config does not write $file"
    case $config in
    */random.cfg | */table.cfg | */walls.cfg | */manufactured.cfg | */steady.cfg | */hyperdiffusion.cfg | \
        */bvp_robin.cfg | */banded.cfg | */front_fit.cfg)
        expect 0 run "$config" --device cpu -q
        case $command in
        plot*) [ -z "$draws" ] || expect 0 $command --dpi 30 -o picture.png ;;
        *) expect 0 $command ;;
        esac
        ;;
    esac
done <rows

# ---- what their comments say
expect 0 show results/steady.h5 --csv
[ "$(grep -c ',done,steady,' out)" = 25 ] || fail 'not all 25 runs of steady.cfg come to rest'
if [ -n "$python" ]; then
    py - "$top/python" <<'PY' 2>err || fail 'the numbers of the examples'
import sys
import h5py, numpy as np
sys.path.insert(0, sys.argv[1])
from pysweep.results import Results
steady = h5py.File("results/steady.h5")
at_rest = steady["u_max"][:, -1]/np.sqrt(steady["r"][:])
assert np.abs(at_rest - 1).max() < 2e-3, at_rest                     # 1e-6/(2 r) of sqrt(r) are left
walls = h5py.File("results/walls.h5")
x, t, u = walls["x"][:], walls["time"][:], walls["u"][:]
periods = walls["periods"][:]
for run, k in enumerate(periods):
    d = 1/np.sqrt(k)
    known = np.exp(-x/d)*np.cos(2*np.pi*k*t[:, None] - x/d)
    assert np.abs(u[run][:, x < 4] - known[:, x < 4]).max() < 0.012*k**0.5, (k, np.abs(u[run] - known).max())
made = h5py.File("results/manufactured.h5")
slope = np.diff(np.log(made["err_l2"][:]))/np.log(2)
assert np.abs(slope + 2).max() < 0.1, slope
assert Results("results/walls.h5").has_walls(0, "x") and Results("results/table.h5").has_walls(0, "x")
assert not Results("results/steady.h5").has_walls(0, "x")           # or a picture repeats the first point at the end
PY
fi
summary
