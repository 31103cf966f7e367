#!/bin/bash
# bench_bvp.sh [OPTION...] BUILD [FOLDER]: time -u'' = f (docs/explanation/bvp.md) by the published algorithms and by
# `scan`, 5 short repeats of each, verified; f evaluated, u left in memory, nothing measured or fetched.
#   BUILD            a folder with the program, as `make` leaves in build and `make portable` in build/portable
#   FOLDER           where bvp_PART_DEVICE.csv go (default: results/bench)
#   --device DEVICE  cpu or cuda (default: both, as far as they are there); repeatable
#   --part PART      sizes     P1 and P2, n = 2^20 .. 2^28 by fours, r = sqrt(n) as published
#                    batch     65536 problems of 1024 points that differ, double and single precision
#                    best      P1, the fastest r of the algorithms that have one, n by sixteens
#                    single    P1 and P2 in single precision, n by sixteens
#                    default: all, in this order; repeatable
#   --largest K      up to n = 2^K only (default: 28, which takes 2 GiB)
#   --limit S        begin nothing later than after S seconds; what is left out is told
#   --dry-run        print what would be timed
. "$(dirname "$0")/measure.sh"
device='' part='' largest=28 limit=1000000 dry_run=''
take_options 'device+ part+ largest= limit= dry-run' "$@"
take_build_and_folder
[ -n "$device" ] || { device=cpu; ! has_gpu || device='cuda cpu'; }
failed=0 points=0 left=0

# rows DEVICE ALGORITHM...: those that are there
rows() {
    local where=$1 list='' how
    shift
    for how in "$@"; do ! has "$where\\.$how" || list=$list${list:+,}$where.$how; done
    echo "$list"
}
# bench PART DEVICE SPEC ALGORITHM...: the first that is there is the baseline
bench() {
    local part=$1 where=$2 spec=$3 list
    shift 3
    list=$(rows "$where" "$@")
    [ -n "$list" ] || { echo "no row of $where for $spec"; return 0; }
    [ $SECONDS -lt "$limit" ] || { left=$((left + 1)); return 0; }
    points=$((points + 1))
    echo "[$SECONDS s] $part: $spec $list"
    [ -z "$dry_run" ] || return 0
    "$sweep" bench "$spec" --device "$where" --rows "$list" --baseline "${list%%,*}" --repeats 5 --longest 0.1 -q \
        -o "$folder/bvp_${part}_$where.csv" || failed=$((failed + 1))
}
sizes() {
    local k problem
    for ((k = 20; k <= largest; k += 2)); do
        for problem in P1 P2; do bench sizes "$1" "bvp:n=2^$k,problem=$problem" a2d a2sd a2s scan a1d; done
    done
}
# On a GPU the published rows take some kernels a problem, seconds in all: one of them will do.
batch() {
    bench batch "$1" "bvp:n=1024,batch=65536,per_run,problem=P1" a2d scan a1d
    bench batch "$1" "bvp:n=1024,batch=65536,per_run,problem=P2" scan a1d
    bench batch "$1" "bvp:n=1024,batch=65536,per_run,single,problem=P1" scan
    bench batch "$1" "bvp:n=1024,batch=65536,per_run,single,problem=P2" scan
}
single() {
    local k problem
    for ((k = largest; k >= 20; k -= 4)); do
        for problem in P1 P2; do bench single "$1" "bvp:n=2^$k,problem=$problem,single" a2s scan; done
    done
}
best() {
    local k
    for ((k = largest; k >= 20; k -= 4)); do bench best "$1" "bvp:n=2^$k,problem=P1,r=best" a2d a2sd a2s scan; done
}

for one in ${part:-sizes batch best single}; do
    case $one in sizes|batch|best|single) ;; *) give_up "no part $one" ;; esac
    for where in $device; do
        case $where in cpu|cuda) ;; *) give_up "no device $where" ;; esac
        [ -n "$dry_run" ] || rm -f "$folder/bvp_${one}_$where.csv"
        $one "$where"
    done
done
echo "$points points, $failed with a row that failed, $left left out, $SECONDS s"
[ $failed -eq 0 ]
