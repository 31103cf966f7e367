# What the scripts that measure have in common: they source it, and are in the checkout then. The comment at the top of
# a script is its usage; a BUILD is a folder with the program, as `make` leaves in build and `make portable` in
# build/portable.
script=$(realpath "$0") name=$(basename "$0")
cd "$(dirname "$script")/../.." || exit 1
usage() { sed -n '/^#!/d; /^#/!q; s/^# \{0,1\}//p' "$script" >&2; exit 2; }
give_up() { echo "$name: $*" >&2; exit 1; }

# take_options "KIND..." ARGUMENT...: options at the front go into variables of their names (dry-run into dry_run), the
# rest into the array `arguments`. KIND: NAME alone is 1 where it is given, NAME= takes a value, NAME+ a word of a list.
take_options() {
    local kinds=" $1 " option variable
    shift
    while [ $# -gt 0 ] && [ "${1#-}" != "$1" ]; do
        option=${1#--} variable=${option//-/_}
        case $kinds in
            *" $option "*) printf -v "$variable" 1 ;;
            *" $option= "*) [ $# -ge 2 ] || usage; shift; printf -v "$variable" %s "$1" ;;
            *" $option+ "*) [ $# -ge 2 ] || usage; shift; printf -v "$variable" %s "${!variable:+${!variable} }$1" ;;
            *) usage ;;
        esac
        shift
    done
    arguments=("$@")
}

# take_program BUILD: into $sweep, and what it lists into $listed
take_program() {
    [ -n "$1" ] || usage
    sweep=$1/sweep
    [ -x "$sweep" ] || give_up "no program $sweep"
    listed=$("$sweep" list) || give_up "$sweep list fails"
}

# take_build_and_folder: BUILD [FOLDER] of `arguments`: as take_program does, and into $folder, which is made
take_build_and_folder() {
    [ ${#arguments[@]} -ge 1 ] && [ ${#arguments[@]} -le 2 ] || usage
    take_program "${arguments[0]}"
    folder=${arguments[1]:-results/bench}
    mkdir -p "$folder" || exit 1
}

# make_tmp [TEMPLATE]: the folder $tmp, which is removed at the end
make_tmp() {
    tmp=$(realpath "$(mktemp -d "$@")") || exit 1
    trap 'rm -rf "$tmp"' EXIT
}

# has 'cuda\.fused': whether a row or device of this name is there; has_gpu
has() { echo "$listed" | grep -E "^  $1 " | grep -qv 'absent:'; }
has_gpu() { has 'cuda(:[0-9]+)? '; }

machine() { sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1; }
# The commit of the program measured, not of the checkout it is run in.
commit() { "$sweep" -V | sed -n 's/^commit *//p'; }

# draw FOLDER [SCRIPT]: the pictures of what is there; SUM_UP=no: reproduce_all.sh draws and compares in the end
draw() {
    [ "${SUM_UP:-yes}" = yes ] || return 0
    local python=${SWEEP_PYTHON:-/usr/bin/python3}
    "$python" -c 'import matplotlib' 2>/dev/null || python=python3
    "$python" scripts/"${2:-bench/plot_bench.py}" "$1"
}

# compare PAPER: each value that the paper publishes beside ours, P, B, K, S or E; without python3 not
compare() {
    [ "${SUM_UP:-yes}" = yes ] || return 0
    command -v python3 >/dev/null || { echo "no python3: nothing is compared with the published values"; return 0; }
    python3 scripts/papers/claims.py --paper "$1" --device "cpu$(! has_gpu || echo ,cuda)" "$folder"
}

# ---- scripts whose parts write FOLDER/WORK_PART.csv, and of a GPU WORK_PART_cuda.csv: they set $work, and have the
# options `part+ device+ limit= dry-run`
failed=0 left=0

# try COMMAND...: say it, and do it
try() { echo "[$SECONDS s] $*" >&2; [ -n "$dry_run" ] || "$@"; }
suffix() { [ "$1" = cpu ] || echo "_$1"; }
csv_of() { echo "$folder/${work}_$1$(suffix "$2").csv"; }  # PART WHERE
on() { [ "$1" = cpu ] && echo "$(machine), $(nproc) threads" ||
       echo "$listed" | sed -n "s/^  $1\(:0\)\{0,1\}  *//p" | head -n 1; }
# first CSV TITLE WHERE COLUMNS: what stands at the top
first() { [ -n "$dry_run" ] || printf '# %s; %s, commit %s\n%s\n' "$2" "$(on "$3")" "$(commit)" "$4" >"$1"; }
anew() { [ -n "$dry_run" ] || rm -f "$(csv_of "$1" "$2")"; }

# rows_of TITLE PREFIX: of a table that `sweep list` prints, in its order, those that are there
rows_of() {
    echo "$listed" | sed -n "/^$1\$/,/^[^ ]/p" | grep -E "^  $2" | grep -v 'absent:' | awk '{ print $1 }'
}

# runs CONFIG WHERE FILTER OPTION...: a line a run, its columns after those named by the awk program FILTER; a run that
# fails (a solver that breaks down) is a line, too. The file is $tmp/t.h5
runs() {
    local config=configs/$1.cfg where=$2 filter=$3 rc=0
    shift 3
    try "$sweep" run "$config" -q --device "$where" --force -o "$tmp/t.h5" "$@" || rc=$?
    [ -z "$dry_run" ] || return 0
    [ $rc -le 1 ] && "$sweep" show "$tmp/t.h5" --csv >"$tmp/t.csv" || return 1
    awk -F, "NR == 1 { for (k = 1; k <= NF; k++) at[\$k] = k; next }
             function v(name) { return \$at[name] }
             function value(name) { return tolower(v(name)) ~ /nan|inf/ ? \"\" : sprintf(\"%.6g\", v(name)) }
             $filter" "$tmp/t.csv"
}

# bench PART WHERE SPEC ROW...: the last row is the baseline
bench() {
    local name=$1 where=$2 spec=$3 list
    shift 3
    list=$(printf '%s,' "$@")
    list=${list%,}
    [ $SECONDS -lt "$limit" ] || { left=$((left + 1)); return 0; }
    try "$sweep" bench "$spec" --device "$where" --rows "$list" --baseline "${list##*,}" --repeats 5 --longest 0.2 \
        -q -o "$(csv_of "$name" "$where")" || failed=$((failed + 1))
}

# count_kernels SPEC ROW LABEL NAME=PATTERN...: lines of the columns $counted, of a solve that ncu watches; LABEL: what
# stands for the row
counted='row,kernel,launches,microseconds,load efficiency,store efficiency,L1 hits'
count_kernels() {
    local spec=$1 row=$2 label=$3 metrics
    shift 3
    metrics=$(python3 scripts/papers/counters.py --metrics) || return 1
    try ncu --csv --clock-control none -c 200 --metrics "$metrics" "$sweep" bench "$spec" --device cuda --rows "$row" \
        --repeats 1 --longest 0.01 >"$tmp/ncu.csv" || return 1
    [ -n "$dry_run" ] || python3 scripts/papers/counters.py "$label" "$@" <"$tmp/ncu.csv"
}

# transfers WHERE, a part of the papers that have seconds with copies: as many numbers as 2^23 rows of a tridiagonal
# matrix have, and the solution or a field of 256 x 256 x 128 cells; half of these in single precision
transfers() {
    local csv=$folder/transfers_cuda.csv
    [ "$1" = cuda ] || return 0
    first "$csv" 'Seconds of copies between host and GPU' cuda memory,direction,words,seconds
    if [ -n "$dry_run" ]; then try scripts/papers/transfers.py; return 0; fi
    try python3 scripts/papers/transfers.py $((1 << 22)) $((1 << 23)) $((1 << 25)) >>"$csv"
}

# Those of $parts that $part names, or all, on each of $device, or on all there are: each is a function of WHERE. The
# GPU first, as a limit of time leaves out what comes last.
do_parts() {
    local one where in_turn
    for one in $part; do [[ " $parts " = *" $one "* ]] || give_up "no part $one"; done
    for where in $device; do [ "$where" = cpu ] || [ "$where" = cuda ] || give_up "no device $where"; done
    in_turn=$(printf '%s\n' $device | sort -ru)
    for one in ${part:-$parts}; do
        for where in $in_turn; do $one "$where" || give_up "$one failed on $where"; done
    done
}
