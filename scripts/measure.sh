# What the scripts that measure have in common: they source it, and are in the checkout then. The comment at the top of
# a script is its usage; a BUILD is a folder with the program, as `make` leaves in build and `make portable` in
# build/portable.
script=$(realpath "$0") name=$(basename "$0")
cd "$(dirname "$script")/.." || exit 1
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

# draw FOLDER [SCRIPT]: the pictures of what is there
draw() {
    local python=${SWEEP_PYTHON:-/usr/bin/python3}
    "$python" -c 'import matplotlib' 2>/dev/null || python=python3
    "$python" scripts/"${2:-plot_bench.py}" "$1"
}
