#!/bin/sh
# make_docs.sh PROGRAM [FOLDER]: write what docs/ has of the program's tables into FOLDER (default docs): from the
# hand-written *.in files reference/config.md, equations.md, output.md, commands.md, rows.md and man/sweep.cfg.5, and
# a page of reference/keys for each problem. The pages of keys go to the line @KEYS@, the comments of
# configs/equations/ to @EQUATIONS@, the table of columns in src/sweep/sw_run_result.h to @COLUMNS@, what `sweep help`
# prints to @COMMANDS@, and the rows of `sweep list` to @ROWS@.
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
keys() {  # a page of reference/keys for each heading that the program prints, and a table that leads to them
    mkdir -p "$to/reference/keys"
    rm -f "$to"/reference/keys/*.md
    "$program" explain --markdown | awk -v folder="$to/reference/keys" '
        /^### / {
            sub(/^### /, "")
            of = $3                                          # "Keys of NAME: title"
            name = of == "all" ? of : tolower(of); sub(/:$/, "", name)
            fields = sub(/ that are not above$/, "")
            page = name (fields ? "_fields" : "")
            if (page in seen) exit 1
            seen[page] = 1
            if (file != "") close(file)
            file = folder "/" page ".md"
            printf "# %s\n\n", $0 > file
            if (name == "all") {
                print "Each problem has keys of its own beside these; [config.md](../config.md#keys) has the" > file
                print "pages.\n" > file
            } else {
                print "The keys of [all problems](all.md) go with these" (fields ? \
                      ", and those of the line where none of its name is\nhere." : ".") > file
                print "[config.md](../config.md) says how to write them.\n" > file
            }
            print "| [" page "](keys/" page ".md) | " $0 " |"
            next
        }
        file == "" || ($0 == "" && empty) { next }
        /^[|] `/ {                                          # | key | kind | unit | default | text |
            head = ""
            for (i = 0; i < 4; i++) { n = index($0, " | "); head = head substr($0, 1, n + 2); $0 = substr($0, n + 3) }
            sub(/ [|]$/, ""); gsub(/[|]/, "\\\\|")
            $0 = head $0 " |"
        }
        { empty = $0 == ""; print > file }' > "$to/keys.list"
    for page in "$to"/reference/keys/*.md; do  # no empty line at the end
        sed -e :a -e '/^\n*$/{$d;N;ba' -e '}' "$page" > "$page.new" && mv "$page.new" "$page"
    done
    printf '| page | |\n|---|---|\n'
    cat "$to/keys.list"
    rm "$to/keys.list"
}
commands() {  # what each command says of itself, but for the options that all have
    for command in $("$program" help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
        printf '## sweep %s\n\n' "$command"
        "$program" help "$command" | grep -vE '^  (-[qvhV]|   ), --(quiet|verbose|help|version) |^      --color ' |
            sed 's/./    &/'
        echo
    done | sed '$d'
}
rows() {  # a table for each table of rows, but those of this machine; what a GPU's rows do not every build knows
    "$program" list --json | awk -v skip=' problems equations transports devices ' '
        function value() {
            sub(/^ *"[a-z]*": "/, ""); sub(/",?$/, ""); gsub(/\\"/, "\""); gsub(/[|]/, "\\\\&")
            return $0
        }
        function end() { if (gpu != "") print gpu "."; gpu = "" }
        /^  "[a-z_]*": \[/ {
            gsub(/[" :[]/, ""); on = index(skip, " " $0 " ") == 0; gsub(/_/, " "); end()
            title = toupper(substr($0, 1, 1)) substr($0, 2)
            if (on) printf "%s## %s\n\n| row | |\n|---|---|\n", any++ ? "\n" : "", title
        }
        !on { next }
        /^ *"name": / { name = value(); gpus = name ~ /^cu(da|sparse)[.]/ }
        gpus && $0 == name {
            if (gpu == "") { gpu = "\nOn a GPU:"; width = 9 } else { gpu = gpu ","; width++ }
            next_line = width + length(name) > 94
            gpu = gpu (next_line ? "\n" : " ") "`" name "`"
            width = (next_line ? 0 : width + 1) + length(name) + 2
        }
        /^ *"about": / && !gpus { printf "| `%s` | %s |\n", name, value() }
        END { end() }'
}
man_keys() {  # the same for a man page
    "$program" explain --man > "$to/man.keys"
    wrap "$to/man.keys"
    cat "$to/man.keys"
    rm "$to/man.keys"
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
fill_with keys KEYS reference/config.md
fill_with commands COMMANDS reference/commands.md
fill_with rows ROWS reference/rows.md
fill_with man_keys KEYS man/sweep.cfg.5
