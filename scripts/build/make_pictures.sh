#!/bin/sh
# Draw the pictures of the documentation again (docs/pictures) from the configs that they show, and keep the numbers
# behind slopes (results/convergence.csv). Each picture carries version, commit and sweep id; each row commit, machine
# and compiler.
set -e
cd "$(dirname "$0")/../.."
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
commit=$(git rev-parse --short=12 HEAD)$(git diff --quiet HEAD -- src cuda || echo +)
machine=$(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1)
compiler=$(./sweep -V | sed -n 's/^compiler *//p' | tr -d ,)
record() {  # record CONFIG: the runs of a sweep, one a row
    ./sweep show "$dir/$1.h5" --csv | cut -d, -f1-9 |
        sed -e "1s/^/config,commit,machine,compiler,/" -e "2,\$s|^|$1,$commit,$machine,$compiler,|"
}
draw() {  # draw CONFIG PICTURE ARGUMENTS...
    file=$dir/$1.h5 config=configs/$1.cfg picture=docs/pictures/$2.png
    shift 2
    ./sweep run -q "$config" -o "$file"
    ./sweep plot "$file" "$@" -o "$picture"
}
mkdir -p docs/pictures
# The first block of README is the config of the picture behind it.
awk '/^```$/ { if (on) exit; on = 1; next } on' README.md > "$dir/map.cfg"
./sweep run -q "$dir/map.cfg" -o "$dir/map.h5"
./sweep plot "$dir/map.h5" --over k,F -o docs/pictures/map.png
# Each row of docs/howto/examples.md names a config, a command and a picture; those of the catalogue come below.
awk -F '[|] *' '/^[|].*[.]cfg`.*pictures/ {
    config = $3; gsub(/`|configs[/]|[.]cfg|[ ]/, "", config)
    options = $4; sub(/^`sweep plot [^ ]*/, "", options); sub(/` *$/, "", options)
    picture = $5; sub(/.*pictures[/]/, "", picture); sub(/[.]png.*/, "", picture)
    if (config !~ /^equations/) print config, picture, options }' docs/howto/examples.md |
    while read -r config picture options; do draw "$config" "$picture" $options < /dev/null; done
draw hyperdiffusion_convergence convergence --kind convergence
draw elliptic_convergence elliptic --kind convergence
mkdir -p "$dir/equations"
for config in configs/equations/*.cfg; do
    name=$(basename "$config" .cfg)
    draw "equations/$name" "equation_$name" --dpi 80 $(sed -n 's,^//  *sweep plot [^ ]* ,,p' "$config")
done
scripts/build/tutorial.sh "$dir/tutorial"
{ record hyperdiffusion_convergence; record heat_convergence | sed 1d; } > results/convergence.csv
