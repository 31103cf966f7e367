#!/bin/sh
# make_docs.sh PROGRAM [FOLDER]: write reference/config.md, equations.md and output.md, and man/sweep.cfg.5, into
# FOLDER (default docs) from the hand-written *.in files there: the key tables in the program go to the line @KEYS@, the
# comments of configs/equations/ to @EQUATIONS@, the table of columns in src/sweep/sw_run_result.h to @COLUMNS@.
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
columns() {  # a table of the columns of the table of runs, from SW_RUN_COLUMNS: X(type, name, unit, "meaning", …)
    awk 'function end_row() {
             if (row == "") return
             split(row, part, /, */)
             type = part[1] == "REAL" ? "real" : part[1] == "COUNT" ? "integer" : "byte"
             if (part[3] == "\"s\"") type = type ", in seconds"
             meaning = row
             sub(/^[A-Z]*, [a-z0-9_]*, (NULL|"[^"]*"), "/, "", meaning)
             sub(/".*/, "", meaning)
             gsub(/[|]/, "\\\\&", meaning)
             only = match(row, /[.]present = [a-z_]*/) ? substr(row, RSTART + 11, RLENGTH - 11) : ""
             gsub(/_/, " ", only)
             printf "| `%s` | %s | %s | %s |\n", part[2], type, meaning, only
         }
         BEGIN { print "| column | type | | only in a sweep that |\n|---|---|---|---|" }
         /^#define SW_RUN_COLUMNS/ { on = 1; next }
         !on { next }
         { more = /\\$/; gsub(/^ +| *\\$/, "") }
         /^X[(]/ { end_row(); row = substr($0, 3); if (more) next }
         !/^X[(]/ { row = row " " $0 }
         !more { end_row(); exit }' src/sweep/sw_run_result.h
}
fill_with() {  # fill_with FUNCTION MARK PAGE: what the function prints takes the place of the line @MARK@
    "$1" > "$to/$3.all"
    sed -e "/^@$2@\$/{r $to/$3.all" -e 'd}' "docs/$3.in" > "$to/$3.new"
    rm "$to/$3.all"
    mv "$to/$3.new" "$to/$3"
}
mkdir -p "$to/man" "$to/reference"
fill_with equations EQUATIONS reference/equations.md
fill_with columns COLUMNS reference/output.md
fill docs/reference/config.md.in --markdown "$to/reference/config.md"
fill docs/man/sweep.cfg.5.in --man "$to/man/sweep.cfg.5"
