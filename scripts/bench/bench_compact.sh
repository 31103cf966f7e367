#!/bin/bash
# bench_compact.sh [OPTION...] BUILD [FOLDER]: time compact differences (docs/explanation/compact.md) at the works that
# their speed is stated for, 5 short repeats of each, verified; f read from the memory of the device and the result
# written to it.
#   BUILD            a folder with the program, as `make` leaves in build and `make portable` in build/portable
#   FOLDER           where compact_PART_DEVICE.csv go (default: results/bench)
#   --device DEVICE  cpu or cuda (default: cuda where there is one, else cpu); repeatable
#   --part PART      cube      d1_c6, 512^3 (CPU: 128^3) along x, y and z, periodic and between walls, every row
#                    paper     lines of 32 to 4096 points, d1_c4 between walls (rows 1 and n differ, as in the paper),
#                              every row, against cuSPARSE's gtsv2StridedBatch
#                    lengths   n = 96, 333, 500, 1000, 2048, periodic and between walls, along x and y of planes, z of
#                              boxes
#                    schemes   every scheme, periodic and with each of its closures, 512^3 along x, y and z
#                    single    the cube in single precision
#                    gradient  gradients of 512^3, d1_c6, periodic and between walls: two axes at once against one after
#                              the other
#                    default: all, in this order; repeatable
#   --limit S        begin nothing later than after S seconds; what is left out is told
#   --small          a hundredth of the points and one repeat, to try the script
#   --dry-run        print what would be timed
. "$(dirname "$0")/measure.sh"
device='' part='' limit=1000000 small='' dry_run=''
take_options 'device+ part+ limit= small dry-run' "$@"
take_build_and_folder
[ -n "$device" ] || { device=cpu; ! has_gpu || device=cuda; }
failed=0 points=0 left=0 side=512 all=$((1 << 27)) repeats=(--repeats 5 --longest 0.1)
[ -z "$small" ] || side=48 all=$((1 << 17)) repeats=(--repeats 1 --longest 0.02)

# Rows differ in what they take: where all are wanted, `sweep bench` picks those that take the shape.
ours() { [ "$1" = cuda ] && echo '--rows cuda.fused' || echo '--rows cpu.simd'; }
baseline() {
    local row=cpu.thomas
    [ "$1" = cpu ] || row=cusparse.gtsv_strided
    ! has "$row" || echo "--baseline $row"
}

# bench PART DEVICE SPEC OPTION...
bench() {
    local part=$1 where=$2 work=compact spec
    [ "$part" != gradient ] || work=gradient
    spec=$work:$3
    shift 3
    [ $SECONDS -lt "$limit" ] || { left=$((left + 1)); return 0; }
    points=$((points + 1))
    echo "[$SECONDS s] $part: $spec $*"
    [ -z "$dry_run" ] || return 0
    "$sweep" bench "$spec" --device "$where" "$@" "${repeats[@]}" -q \
        -o "$folder/compact_${part}_$where.csv" || failed=$((failed + 1))
}
# cubes PART DEVICE SCHEME BOUNDARY OPTION...: along each axis
cubes() {
    local part=$1 where=$2 what=scheme=$3,boundary=$4 axis
    shift 4
    for axis in x y z; do bench "$part" "$where" "n=$side,axis=$axis,$what" "$@"; done
}
cube() {
    local side=$side
    [ "$1" = cuda ] || [ -n "$small" ] || side=128
    cubes cube "$1" d1_c6 periodic
    cubes cube "$1" d1_c6 3-4-6
}
single() {
    cubes single "$1" d1_c6 periodic,single $(ours "$1")
    cubes single "$1" d1_c6 3-4-6,single $(ours "$1")
}
paper() {
    local n
    for n in 32 64 128 256 512 1024 2048 4096; do
        bench paper "$1" "n=$n,batch=$((all / 4 / n)),dimensions=1,axis=x,scheme=d1_c4,boundary=3-4-4" $(baseline "$1")
    done
}
lengths() {
    local n boundary batch
    for n in 96 333 500 1000 2048; do
        for boundary in periodic 3-4-6; do
            batch=$((all / n / n > 0 ? all / n / n : 1))
            bench lengths "$1" "n=$n,batch=$batch,dimensions=2,axis=x,scheme=d1_c6,boundary=$boundary" $(ours "$1")
            bench lengths "$1" "n=$n,batch=$batch,dimensions=2,axis=y,scheme=d1_c6,boundary=$boundary" $(ours "$1")
            batch=$((all / n / n / n))
            [ $batch -eq 0 ] ||  # boxes of 1000^3 have 8 GB and more
                bench lengths "$1" "n=$n,batch=$batch,axis=z,scheme=d1_c6,boundary=$boundary" $(ours "$1")
        done
    done
}
gradient() {
    local boundary row=cpu.simd
    [ "$1" = cpu ] || row=cuda.fused
    for boundary in periodic 3-4-6; do
        bench gradient "$1" "n=$side,scheme=d1_c6,boundary=$boundary" --rows "$row,$row+apart" --baseline "$row+apart"
    done
}
schemes() {
    local scheme boundary
    for scheme in $(echo "$listed" | sed -n '/^compact schemes$/,/^[a-z]/s/^  \([a-z0-9_]*\) .*/\1/p'); do
        cubes schemes "$1" "$scheme" periodic $(ours "$1")
        case $scheme in
            d[12]_[ac]4) boundary='3-4-4 4-4-4' ;;
            d[12]_c6) boundary='3-4-6 4-4-6' ;;
            f*) boundary=reduced ;;
            *) boundary='' ;;
        esac
        for boundary in $boundary; do cubes schemes "$1" "$scheme" "$boundary" $(ours "$1"); done
    done
}

for one in ${part:-cube paper lengths schemes single gradient}; do
    case $one in cube|paper|lengths|schemes|single|gradient) ;; *) give_up "no part $one" ;; esac
    for where in $device; do
        case $where in cpu|cuda) ;; *) give_up "no device $where" ;; esac
        [ -n "$dry_run" ] || rm -f "$folder/compact_${one}_$where.csv"
        $one "$where"
    done
done
echo "$points points, $failed with a row that failed, $left left out, $SECONDS s"
[ $failed -eq 0 ]
