#!/bin/sh
# Run configs/ch_forcing.cfg on whatever device there is, and draw what came out. `make demo` builds first.
set -e
cd "$(dirname "$0")/../.."
out=results/ch_forcing

if ! nvidia-smi -L >/dev/null 2>&1; then
    echo "demo: no NVIDIA GPU here: the CPU does the work"
elif ! ./sweep list | grep -q 'cuda'; then
    echo "demo: there is an NVIDIA GPU, but sweep was built without CUDA:" \
         "install the CUDA toolkit, then make clean demo"
fi

mkdir -p results
code=0
./sweep run configs/ch_forcing.cfg || code=$?
[ $code -le 1 ] || exit $code    # 1: some runs diverged, the others are there

# Runs count seed fastest, then v, then a: run 32 i + 4 j has a = 0.005 i, v = 0.1 j, seed = 1.
./sweep plot $out.h5 --kind spacetime --run 0,128,136,144,388,396,404,412 -o $out.spacetime.png >/dev/null
./sweep plot $out.h5 --kind heatmap --of domain_length -o $out.heatmap.png >/dev/null
./sweep plot $out.h5 --kind lines --of energy --run 0,128,388,396 -o $out.lines.png >/dev/null
cat <<END

results   $PWD/$out.h5               sweep show $out.h5
pictures  $PWD/$out.spacetime.png    u(x, t) for some amplitudes and speeds of the force
          $PWD/$out.heatmap.png      size of the domains over amplitude and speed
          $PWD/$out.lines.png        energy over time of four runs
END
exit $code
