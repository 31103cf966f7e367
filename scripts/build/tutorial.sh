#!/bin/sh
# tutorial.sh [--small] [FOLDER]: type the commands of docs/tutorial/tutorial.md, plane.md and answers.md, those in
# their blocks of sh, in FOLDER/tutorial, FOLDER/plane and FOLDER/answers (default results/tutorial), and copy the
# pictures to docs/pictures. --small: 6 values of an axis in place of 25 and more, and no copies. SWEEP is the program
# (default ./sweep).
set -e
cd "$(dirname "$0")/../.."
[ "$1" = --small ] && small=1 && shift
top=${1:-results/tutorial}
program=$(realpath "${SWEEP:-./sweep}")
python=$(scripts/build/find_python.sh)
[ -n "$python" ] || { echo "tutorial.sh: there is no python3 with h5py" >&2; exit 1; }
# page PICTURE...
page() {
    folder=$top/$1
    mkdir -p "$folder/bin"
    ln -sf "$program" "$folder/bin/sweep"
    rm -f "$folder/bin/python3"
    printf '#!/bin/sh\nexec "%s" "$@"\n' "$python" > "$folder/bin/python3"  # a link is not in its venv
    chmod +x "$folder/bin/python3"
    awk '/^```sh$/ { on = 1; next } /^```$/ { on = 0 } on' "docs/tutorial/$1.md" > "$folder/commands.sh"
    [ -z "$small" ] || sed -i -E 's/, (400|100|40|25)\)"/, 6)"/' "$folder/commands.sh"
    (cd "$folder" && PATH=$PWD/bin:$PATH sh -e commands.sh)
    name=$1
    shift
    [ -n "$small" ] || for picture; do cp "$folder/$picture.png" "docs/pictures/${name}_$picture.png"; done
}
page tutorial pulse few map amount
page plane spot few contrast column
page answers domains order settled loop noisy fold
