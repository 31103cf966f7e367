#!/bin/sh
# Output files open as they are with h5py, xarray (both engines), ncdump and h5dump; all of them see the same numbers,
# and none minds the checksums behind the end of the HDF5 data.
# $SWEEP_PYTHON or the distribution's python: its packages belong together. Skipped where it has no h5py, unless SW_NEED
# has "readers".
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
python=${SWEEP_PYTHON:-/usr/bin/python3}
if ! $python -c 'import h5py' 2>/dev/null; then
    case $SW_NEED in *readers*) echo "h5py is needed (SW_NEED) but missing" >&2; exit 1 ;; esac
    echo "skipped: $python has no h5py"
    exit 0
fi
failed=0 files=
look() {  # look NAME KIND EXIT-CODE [sweep options]: run a config; what it writes is read at the end, with all others
    name=$1 kind=$2 code=$3 file="$tmp/$(echo $files | wc -w)-$1.h5"
    shift 3
    "$SWEEP" run configs/$name.cfg --device cpu -q -o "$file" "$@"
    [ $? -eq "$code" ] || { echo "sweep run $name did not end with $code" >&2; failed=1; return; }
    tail -n 1 "$file" | grep -q '^checksum ends[.]$' || { echo "$file has no checksums" >&2; failed=1; }
    files="$files $file $kind"
}
look tiny_ch root 0
look tiny_ch root 0 -s run.batch=5
look tiny_diverge root 1 -s output.state=true
look tiny_nsweep groups 0
look tiny_nsweep groups 0 -s output.state=true
look tiny_heat root 0
look tiny_compact groups 0
look tiny_advection groups 0
look tiny_elliptic groups 0
look tiny_elliptic groups 0 -s run.batch=1 -s output.fields.precision=single -s 'grid.depth="0.1*m"'
# shards that an earlier version joined without copying
for shard in 1 2; do
    "$SWEEP" run configs/tiny_nsweep.cfg --device cpu -q -o "$tmp/s.h5" --shard $shard/2 || failed=1
done
"$SWEEP" merge -q "$tmp"/s.shard-*.h5 -o "$tmp/v.h5" &&
    $python tests/helpers/make_virtual.py "$tmp/v.h5" "$tmp"/s.shard-*.h5 && files="$files $tmp/v.h5 virtual" ||
    failed=1
# one box; and three whose lengths differ, so that xc, yc, zc hold the coordinates
look tiny_compact root 0 -s grid.dim=3 -s 'grid.n=[8, 10, 12]' -s grid.length=1.0 \
    -s 'sweep={ a=[0.5, 1.0]; axis=["x", "y"]; }'
look tiny_compact root 0 -s grid.dim=3 -s 'grid.n=[8, 10, 12]' -s 'grid.length=(1.0, "a", "2*a")' \
    -s 'grid.x0=("a", 0.0, "a")' \
    -s 'sweep={ a=[0.5, 1.0, 2.0]; axis=["x", "z"]; }' -s run.batch=2
look tiny_compact root 0 -s grid.dim=2 -s 'grid.n=[8, 10]' -s 'sweep={ a=[0.5, 1.0]; axis=["x", "y"]; }' \
    -s 'boundary="3-4-6"' -s output.fields.precision=single
# times, points and words that differ from run to run
look tiny_ch root 0 \
    -s 'sweep={ length=["2*pi*2","2*pi*3"]; end=[1.0,2.0]; d=[0.05,0.1]; row=["cpu.plain","cpu.plain+cpu.lapack"]; }' \
    -s grid.length=length -s time.end=end -s time.dt=d -s 'stepper=$row' -s 'initial="0.05*cos(x)"' -s 'forcing=0'
$python tests/helpers/check_readers.py $files || failed=1
# the examples of docs/howto/read_results.md do run
mkdir "$tmp/results"
for name in tiny_ch tiny_nsweep tiny_compact; do
    "$SWEEP" run configs/$name.cfg --device cpu -q -o "$tmp/results/$name.h5" || failed=1
done
$python -c '
import re
for k, block in enumerate(re.findall("```python\n(.*?)```", open("docs/howto/read_results.md").read(), re.S)):
    open(f"'"$tmp"'/example{k}.py", "w").write(block)'
if $python -c 'import xarray, h5netcdf' 2>/dev/null; then
    for example in "$tmp"/example*.py; do
        (cd "$tmp" && $python "$example" >out 2>&1) || { cat "$example" "$tmp/out" >&2; failed=1; }
    done
fi
exit $failed
