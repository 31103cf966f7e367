#!/bin/bash
# bench_tolerance.sh BUILD [CSV]: how many steps runs take that choose them, by method and tolerance: the eight runs of
# configs/equations/gray_scott.cfg to t = 400, on the CPU. Counts, not times: they differ between machines by little.
#   BUILD  a folder with the program, as `make` leaves in build
#   CSV    what is written (default: results/bench/tolerance.csv)
# Columns: method, tolerance, steps of a run (mean, most), refused steps (mean).
. "$(dirname "$0")/measure.sh"
take_options '' "$@"
[ ${#arguments[@]} -ge 1 ] && [ ${#arguments[@]} -le 2 ] || usage
take_program "$(realpath "${arguments[0]}")"
csv=${arguments[1]:-results/bench/tolerance.csv}
make_tmp
mkdir -p "$(dirname "$csv")" || exit 1
printf '# Steps of adaptive runs; %s, commit %s\nmethod,tolerance,steps_mean,steps_most,refused_mean\n' "$(machine)" \
    "$(commit)" >"$csv"
for method in imex2 imex3; do
    for tolerance in 1e-3 1e-4 1e-5 1e-6 1e-7 1e-8; do
        "$sweep" run configs/equations/gray_scott.cfg -q --device cpu --force -o "$tmp/t.h5" -s "method=$method" \
            -s "time={ tolerance = $tolerance; end = 400.0; }" || exit 1
        "$sweep" show "$tmp/t.h5" --csv | awk -F, -v what="$method,$tolerance" '
            NR == 1 { for (k = 1; k <= NF; k++) at[$k] = k; next }
            { n++; s = $at["steps"]; sum += s; if (s > most) most = s; refused += $at["steps_refused"] }
            END { printf "%s,%.0f,%.0f,%.1f\n", what, sum / n, most, refused / n }' | tee -a "$csv"
    done
done
