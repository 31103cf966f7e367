#!/bin/sh
# make_docs.sh PROGRAM [FOLDER]: write reference/config.md, reference/equations.md and man/sweep.cfg.5 into FOLDER
# (default docs) from the hand-written *.in files there, the key tables in the program, which go to the line @KEYS@, and
# the comments of configs/equations/, which go to the line @EQUATIONS@.
set -e
program=$(realpath "$1")
cd "$(dirname "$0")/../.."
to=${2:-docs}
wrap() {  # text lines of a man page, at 78 columns: its lint asks for it
    awk 'function put(line) { print (line ~ /^[.\047]/ ? "\\&" : "") line }
         /^\./ || length <= 78 { print; next }
         { line = ""
           for (i = 1; i <= NF; i++) {
               if (line != "" && length(line) + length($i) > 76) { put(line); line = "" }
               line = line (line == "" ? "" : " ") $i }
           put(line) }' "$1" > "$1.wrapped"
    mv "$1.wrapped" "$1"
}
fill() {  # fill TEMPLATE OPTION RESULT
    "$program" explain "$2" > "$3.keys"
    [ "$2" = --markdown ] || wrap "$3.keys"
    sed -e "/^@KEYS@\$/{r $3.keys" -e 'd}' "$1" > "$3.new"
    rm "$3.keys"
    mv "$3.new" "$3"
}
equations() {  # a heading, the comment and the picture of each config of the catalogue
    for config in configs/equations/*.cfg; do
        name=$(basename "$config" .cfg)
        awk -v name="$name" '
            function picture() { printf "![%s](../pictures/equation_%s.png)\n\n", title, name }
            !/^\/\// { exit }
            { sub(/^\/\/ ?/, "") }
            NR == 1 { title = about = $0; sub(/:.*/, "", title); sub(/^[^:]*: /, "", about)
                      printf "## %s\n%s%s\n", title, toupper(substr(about, 1, 1)), substr(about, 2); next }
            /^ +sweep configs/ { picture() }
            { print }
            END { print "" }' "$config"
    done | sed '$d'
}
mkdir -p "$to/man" "$to/reference"
page=$to/reference/equations.md
equations > "$page.all"
sed -e "/^@EQUATIONS@\$/{r $page.all" -e 'd}' docs/reference/equations.md.in > "$page.new"
rm "$page.all"
mv "$page.new" "$page"
fill docs/reference/config.md.in --markdown "$to/reference/config.md"
fill docs/man/sweep.cfg.5.in --man "$to/man/sweep.cfg.5"
