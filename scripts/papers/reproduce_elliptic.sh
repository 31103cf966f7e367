#!/bin/bash
# reproduce_elliptic.sh [OPTION...] BUILD [FOLDER]: what "Matrix-free GPU implementation of a preconditioned conjugate
# gradient solver for anisotropic elliptic PDEs" (Mueller, Guo, Scheichl, Shi, 2013) measures, with the rows of this
# machine (docs/explanation/elliptic.md): tables 2 to 7 and figures 4 to 7, as far as the parts below say; and what
# methods beyond it do. In the end scripts/papers/claims.py prints each published value and claim beside ours.
#   BUILD            a folder with the program, as `make` leaves in build and `make portable` in build/portable
#   FOLDER           where elliptic_PART.csv, of a GPU elliptic_PART_cuda.csv, and the pictures go (default:
#                    results/bench)
#   --part PART      iteration  tables 2, 5, 6: seconds, operations and words of an iteration of the paper's method, and
#                               of 1e-5 in all, set-up apart; where rows take it also in single precision, to 1e-4, as
#                               rounding u leaves about 1e-5; 256 x 256 x 128 cells, 128 x 128 x 64 on a CPU
#                    transfers  table 5: copies to a GPU and back
#                    kernels    tables 2 to 4 and 7, figures 4 and 5: what an iteration consists of, by each row and
#                               precision that BUILD/bench_elliptic (make benches) has kernels of
#                    counters   tables 3, 4 and 7, figures 4 and 5: each kernel of an iteration of `csr`, `pcg` and
#                               `interleaved` on a GPU, its time, load efficiency and cache hits, by Nsight Compute
#                    sizes      figures 6 and 7: such an iteration over the number of cells, 128 levels
#                    solve      seconds of every method to 1e-5 and to 1e-7, Courant number 8.4, and to 1e-7, 40
#                    orders     errors over n: the box, both stencils of the shell against the solution on the sphere,
#                               and two-point fluxes against the operator that they tend to
#                    counts     iterations over Courant number, anisotropy, depth, resolution
#                    history    the residual after each iteration
#                    sphere     errors and iterations over n on the whole sphere, which the paper says that its method
#                               can be extended to: both stencils, each row that joins the panels
#                    default: all; repeatable
#   --device DEVICE  cpu or cuda (default: both, as far as they are there); repeatable
#   --full           256 x 256 x 128 cells on a CPU, too, in parts `iteration` and `solve`: an hour
#   --largest N      up to N x N columns only (default 512, of a CPU 128)
#   --limit S        begin no timing later than after S seconds; what is left out is told
#   --dry-run        print what would be run
# Times are of the solve alone, f and u in the memory of the device. The paper's CPU code ran on one core, as cpu.pcg@1
# does here.
. "$(dirname "$0")/../bench/measure.sh"
part='' device='' largest='' limit=1000000 full='' dry_run=''
take_options 'part+ device+ largest= limit= full dry-run' "$@"
take_build_and_folder
[ -n "$device" ] || { device=cpu; ! has_gpu || device='cpu cuda'; }
make_tmp
work=elliptic

methods() { rows_of 'elliptic problems' "$1[.]"; }
# What is there of the paper's method on WHERE, of a CPU by one core as there; the last one is the baseline: the
# explicit matrix.
of_paper() {
    methods "$1" | grep -E '[.](interleaved|interleaved_single|pcg|csr)$' | awk -v core="${1/cuda/}" '
        { at[++count] = $1 (core ? "@1" : "") } /[.]csr$/ { last = count }
        END { for (k = 1; k <= count; k++) if (k != last) print at[k]; if (last) print at[last] }'
}
# side_of WHERE [SIDE]: columns along a side of the paper's problem, SIDE on a CPU (128), and no more than --largest
side_of() {
    local n=256
    [ "$1" = cuda ] || [ -n "$full" ] || n=${2:-128}
    [ -z "$largest" ] || [ "$largest" -ge $n ] || n=$largest
    echo "$n"
}
# in_single WHERE: of the paper's rows those that compute in single precision where the work has the word `single`
in_single() {
    local row
    for row in $(of_paper "$1"); do
        [[ $row != *_single* ]] && "$sweep" bench 'elliptic:n=[8,8,8],tolerance=1e-3,single' --device "$1" \
            --rows "$row" --repeats 1 --longest 0.001 -q >/dev/null 2>&1 && echo "$row"
    done
}
words() { sed "s/^$1[.]//; s/.*/\"&\"/" | paste -sd, -; }

iteration() {
    local n single
    n=$(side_of "$1")
    anew iteration "$1"
    # shellcheck disable=SC2046
    bench iteration "$1" "elliptic:n=[$n,$n,$((n / 2))],tolerance=1e-5" $(of_paper "$1")
    single=$(in_single "$1")
    # shellcheck disable=SC2086
    [ -z "$single" ] || bench iteration "$1" "elliptic:n=[$n,$n,$((n / 2))],tolerance=1e-4,single" $single
}
# A program that does not say the precision of a line times double precision alone.
kernels() {
    local csv program=${sweep%/sweep}/bench_elliptic n
    csv=$(csv_of kernels "$1")
    n=$(side_of "$1")
    [ -x "$program" ] || { echo "no $program (make benches): kernels left out"; return 0; }
    first "$csv" 'Seconds of what an iteration consists of' "$1" row,kernel,cells,seconds,operations,words,precision
    [ -n "$dry_run" ] && { try "$program" "$1" "$n"; return 0; }
    try "$program" "$1" "$n" >"$tmp/kernels" && awk -F, '{ print $0 (NF < 7 ? ",double" : "") }' "$tmp/kernels" >>"$csv"
}
# Of interleaved an iteration is two kernels, SpMV and preconditioner with vector operations.
# count ROW LABEL WORDS
count() {
    count_kernels "elliptic:n=[$n,$n,$((n / 2))],$3" "$1" "$2" \
        'SpMV=elliptic_apply_k|elliptic_advance_k|csrmv|csr_mv|spmv' \
        'prec=elliptic_columns_k|elliptic_reduce_k|gtsv|pcrGtsv|thomas' \
        'vectors=elliptic_dot_k|elliptic_combine_k|dot_kernel|axpy|scal_kernel|nrm2|copy_kernel' >>"$csv"
}
counters() {
    local row n csv=$folder/elliptic_counters_cuda.csv
    [ "$1" = cuda ] || return 0
    command -v ncu >/dev/null || { echo 'no ncu here: counters left out'; return 0; }
    n=$(side_of cuda)
    first "$csv" "Counters of the kernels of an iteration, $n x $n x $((n / 2)) cells" cuda "$counted"
    for row in $(of_paper cuda); do count "$row" "$row" tolerance=1e-5 || return 1; done
    for row in $(in_single cuda); do count "$row" "${row}_single" tolerance=1e-4,single || return 1; done
}
sizes() {
    local n single end=${largest:-512}
    [ "$1" = cuda ] || [ "$end" -le 128 ] || end=128
    anew sizes "$1"
    single=$(in_single "$1")
    # shellcheck disable=SC2046,SC2086
    for ((n = 32; n <= end; n *= 2)); do
        bench sizes "$1" "elliptic:n=[$n,$n,128],tolerance=1e-3" $(of_paper "$1")
        [ -z "$single" ] || bench sizes "$1" "elliptic:n=[$n,$n,128],tolerance=1e-3,single" $single
    done
}
solve() {
    local n what
    n=$(side_of "$1")
    anew solve "$1"
    # shellcheck disable=SC2046
    for what in courant=8.4,tolerance=1e-5 courant=8.4 courant=40; do
        bench solve "$1" "elliptic:n=[$n,$n,$((n / 2))],$what" $(methods "$1")
    done
}

# The horizontal part of u, and the vertical one
s='(1-x^2)*(1-y^2)/(1+x^2+y^2)^2' g='(1+cos(q*(z-1))/2)'
# flux X Y: (sqrt(1 + X^2) s_X)_X of s = a b/t^2, a = 1 - X^2, b = 1 - Y^2, t = 1 + x^2 + y^2
flux() {
    local t='(1+x^2+y^2)' a="(1-$1^2)"
    echo "(-2*(1-$2^2)*($1^2/sqrt(1+$1^2)*($t+2*$a)/$t^3" \
         "+ sqrt(1+$1^2)*(($t+2*$a)/$t^3 - 4*$1^2*(2*$t+3*$a)/$t^4)))"
}
orders() {
    local csv=$folder/elliptic_orders.csv end=${largest:-64} list=8 k limit_of_two f
    [ "$1" = "${device%% *}" ] || return 0
    for ((k = 16; k <= end && k <= 64; k *= 2)); do list=$list,$k; done
    limit_of_two="(1+x^2+y^2)^1.5*($(flux x y)/sqrt(1+y^2) + $(flux y x)/sqrt(1+x^2))"
    f="(delta*$s - omega2*$limit_of_two/z^2)*$g + omega2*lambda2*$s*(q^2*cos(q*(z-1))/2 + q*sin(q*(z-1))/z)"
    first "$csv" 'Errors over n^3 cells, graded levels, H = 0.2, omega2 = 0.05, lambda2 = 0.3' "$1" \
        what,n,status,err_l2,err_max
    # err WHAT OPTION...
    err() {
        local what=$1
        shift
        runs elliptic_convergence "${device%% *}" "{ print \"$what,\" v(\"n\") \",\" v(\"status\") \",\" \
            value(\"err_rel\") \",\" value(\"err_max\") }" -s "sweep={ n=[$list]; }" "$@" >>"$csv"
    }
    err 'full' -s 'stencil="full"' &&
    err 'tpfa' -s 'stencil="tpfa"' &&
    err 'tpfa against its limit' -s 'stencil="tpfa"' -s "f=\"$f\"" &&
    err 'box' -s 'stencil="tpfa"' -s 'geometry="box"' -s 'exact="sin(pi*x)*sin(pi*y)*(1+cos(q*z)/2)"' \
        -s 'f="sin(pi*x)*sin(pi*y)*((delta+2*pi^2*omega2)*(1+cos(q*z)/2) + omega2*lambda2*q^2*cos(q*z)/2)"'
}

# iterations WHERE OPTION...: of a thin shell, f random, to 1e-5
iterations() {
    local where=$1
    shift
    runs elliptic_shell "$where" "$over" -s 'f="rand(1) - 0.5"' -s 'tolerance=1e-5' -s 'iterations=5000' "$@"
}
counts() {
    local csv list n=128 over where=$1 usual='Courant number 8.4, H = 0.01, lambda2 = 0.033'
    csv=$(csv_of counts "$1")
    [ -z "$largest" ] || [ "$largest" -ge $n ] || n=$largest
    list=$(methods "$1" | grep -vE '[.](interleaved|interleaved_single|csr)$' | words "$1")
    [ -n "$list" ] || { echo "no method on $1"; return 0; }
    first "$csv" "Iterations to 1e-5, f random, $n x $n x $((n / 2)) cells, $usual" "$1" \
        over,value,row,status,iterations,residual
    # along NAME VALUES OPTION...
    along() {
        local name=$1 values=$2
        shift 2
        over="{ print \"$name,\" v(\"$name\") + 0 \",$where.\" v(\"row\") \",\" v(\"status\") \",\" v(\"iterations\") \
            \",\" value(\"residual\") }"
        iterations "$where" -s "sweep={ row=[$list]; $name=[$values]; }" "$@" >>"$csv"
    }
    along courant '1.0, 2.0, 4.0, 8.4, 20.0, 40.0' -s "grid.n=[$n, $n, $((n / 2))]" &&
    along lambda2 '1.0, 0.1, 0.01, 0.001, 0.0001' -s "grid.n=[$n, $n, $((n / 2))]" -s physics.courant=8.4 \
        -s 'physics.lambda2="lambda2"' &&
    along depth '1.0, 0.1, 0.01, 0.001' -s "grid.n=[$n, $n, $((n / 2))]" -s physics.courant=8.4 \
        -s 'grid.depth="depth"' &&
    along n "$(for ((k = 16; k <= 2 * n; k *= 2)); do echo $k; done | paste -sd, -)" -s 'grid.n=("n", "n", 32)' \
        -s physics.courant=8.4
}
history() {
    local csv list python n=128
    csv=$(csv_of history "$1")
    [ -z "$largest" ] || [ "$largest" -ge $n ] || n=$largest
    list=$(methods "$1" | grep -vE '[.](interleaved_single|csr)$' | words "$1")
    python=$(scripts/build/find_python.sh)
    [ -n "$python" ] || give_up 'histories need python3 with h5py and numpy'
    [ -n "$list" ] || { echo "no method on $1"; return 0; }
    first "$csv" "Residual after each iteration, f = 1, $n x $n x $((n / 2)) cells, H = 0.01, lambda2 = 0.033" "$1" \
        row,courant,iteration,residual
    runs elliptic_shell "$1" '' -s 'f="1"' -s "grid.n=[$n, $n, $((n / 2))]" -s 'output.history=true' \
        -s "sweep={ row=[$list]; courant=[8.4, 40.0]; }" -s 'tolerance=1e-10' -s 'iterations=1024' &&
    { [ -n "$dry_run" ] || "$python" scripts/papers/elliptic_history.py "$1" "$tmp/t.h5" >>"$csv"; }
}

sphere() {
    local csv=$folder/elliptic_sphere.csv end=${largest:-64} list=8 k
    [ "$1" = cpu ] || return 0
    for ((k = 16; k <= end && k <= 64; k *= 2)); do list=$list,$k; done
    first "$csv" 'A harmonic of degree 4 on 6 n^3 cells, graded levels, H = 0.2, omega2 = 0.05, lambda2 = 0.3' cpu \
        row,stencil,n,status,err_l2,err_max,err_rel,iterations
    runs elliptic_sphere cpu '{ print "cpu." v("row") "," v("stencil") "," v("n") "," v("status") "," value("err_l2") \
        "," value("err_max") "," value("err_rel") "," v("iterations") }' -s 'solver="$row"' \
        -s "sweep={ row=[\"multigrid\", \"interleaved\", \"pcg\"]; stencil=[\"full\", \"tpfa\"]; n=[$list]; }" >>"$csv"
}

parts='iteration transfers kernels counters sizes solve orders counts history sphere'
do_parts
[ -n "$dry_run" ] || { draw "$folder" papers/plot_elliptic.py; compare E; }
echo "$failed works with a row that failed, $left left out, $SECONDS s"
