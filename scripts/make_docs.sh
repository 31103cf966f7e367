#!/bin/sh
# make_docs.sh PROGRAM [FOLDER]: write config.md and man/sweep.cfg.5 into FOLDER (default docs) from the hand-written
# *.in files there and the key tables in the program: the line @KEYS@ is where the keys go.
set -e
program=$(realpath "$1")
cd "$(dirname "$0")/.."
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
mkdir -p "$to/man"
fill docs/config.md.in --markdown "$to/config.md"
fill docs/man/sweep.cfg.5.in --man "$to/man/sweep.cfg.5"
