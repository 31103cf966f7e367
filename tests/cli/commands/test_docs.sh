#!/bin/sh
# The documentation agrees with the program, the tables and the files that are here.
cd "$(dirname "$0")/../../.." || exit 1
: "${SWEEP:=./build/sweep}"
failed=0
wrong=0    # something, in the test at hand
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
bad() { echo "  BAD   $1"; wrong=1 failed=1; }
ok() { [ $wrong -eq 1 ] || echo "  ok    $1"; wrong=0; }
configs='configs/*.cfg configs/equations/*.cfg'
documents='README.md SECURITY.md CHANGELOG.md results/README.md '$(find docs -name '*.md' | sort | xargs)

man_pages_are_clean() {
    command -v mandoc >/dev/null || { echo "  skip  $1: no mandoc here"; return; }
    found=$(mandoc -T lint docs/man/sweep.1 docs/man/sweep.cfg.5)
    if man -l docs/man/sweep.1 >/dev/null 2>&1; then   # groff has its own opinions, by the width
        for page in docs/man/sweep.1 docs/man/sweep.cfg.5; do
            found=$found$(LC_ALL=C MANWIDTH=80 man -l $page 2>&1 >/dev/null)
        done
    fi
    [ -z "$found" ] && ok "$1" || { echo "$found"; bad "$1"; }
}

generated_pages_are_up_to_date() {
    scripts/build/make_docs.sh "$SWEEP" "$dir" &&
        for page in reference/config.md reference/equations.md reference/output.md reference/commands.md \
            reference/rows.md man/sweep.cfg.5; do
            diff -u "docs/$page" "$dir/$page" || bad "$1 (make docs writes them again)"
        done && diff -ru docs/reference/keys "$dir/reference/keys" &&
        ok "$1" || bad "$1 (make docs writes them again)"
}

# Each figure of the pages about benchmarks is one of results/bench/*.csv.
benchmark_tables_agree_with_the_measurements() {
    python3 -c '' 2>/dev/null || { echo "  skip  $1: no python3 here"; return; }
    cp docs/explanation/papers.md "$dir/tampered.md"
    sed -i '/^<!-- paper -->$/,/^<!-- end -->$/s/[0-9]/7/' "$dir/tampered.md"
    export PYTHONDONTWRITEBYTECODE=1
    python3 scripts/bench/bench_tables.py --check results/bench "$dir/tampered.md" 2>/dev/null &&
        bad "$1: a table that says something else passes"
    python3 scripts/bench/bench_tables.py --check && ok "$1" || bad "$1 (make docs writes them again)"
}

# The functions that the program knows stand in the texts.
functions_are_documented() {
    row='^    X([A-Z0-9]*, *[0-9], *"\([a-z0-9]*\)", *BINDS_CALL.*'
    for function in $(sed -n "s/$row/\1/p" src/expr/expr_impl.h); do
        "$SWEEP" explain $function >/dev/null 2>&1 || bad "$1: sweep explain $function"
        grep -q "^| functions.*[ \`]$function[ \`]" docs/reference/config.md || bad "$1: $function in config.md"
        sed -n '/^Functions:/,/[.]$/p' docs/man/sweep.cfg.5 | grep -qw "$function" ||
            bad "$1: $function in sweep.cfg(5)"
    done
    for function in linspace logspace range uniform loguniform; do
        "$SWEEP" explain $function | grep -q "^$function(a, b" || bad "$1: sweep explain $function"
    done
    ok "$1"
}

# The columns of the run table stand in the text about the output file.
columns_are_documented() {
    columns=$(sed -n 's/^    X([A-Z]*, \([a-z0-9_]*\), .*/\1/p' src/sweep/sw_run_result.h)
    [ "$(echo $columns | wc -w)" -ge 9 ] || bad "$1: src/sweep/sw_run_result.h is not read"
    for column in $columns; do
        sed -n '/^## What is in it/,/^Over runs and time/p' docs/reference/output.md | grep -q "^|.*\`$column\`.*|" ||
            bad "$1: $column in docs/reference/output.md"
    done
    ok "$1"
}

# Links to files, and paths in backquotes, lead to something. (CHANGELOG.md names files as they were then.)
links_resolve() {
    for document in $documents; do
        case $document in CHANGELOG.md | results/*) continue ;; esac  # what had these names then
        [ -f "$document" ] || { bad "$1: no $document"; continue; }
        folder=$(dirname "$document")
        for link in $(grep -oE '\]\([^)#]+' "$document" | sed 's/^](//'); do
            case $link in http*) continue ;; esac
            [ -e "$folder/$link" ] || bad "$1: $document -> $link"
        done
        case $document in CHANGELOG.md | results/*) continue ;; esac  # what had these names then
        in_backquotes='`(src|cuda|scripts|configs|tests|docs)/[A-Za-z0-9_./]*`'
        for path in $(grep -oE "$in_backquotes" "$document" | tr -d '`' | sort -u); do
            case $path in *[A-Z][A-Z]*) continue ;; esac    # a placeholder: cmd_NAME.c
            [ -e "$path" ] || bad "$1: $document names $path"
        done
    done
    ok "$1"
}

# A link to a heading (PAGE#ANCHOR) names a heading of that page, as GitHub forms its anchor.
headings_resolve() {
    for document in $documents; do
        folder=$(dirname "$document")
        for link in $(grep -oE '\]\([^):]*#[^)]+' "$document" | sed 's/^](//'); do
            page=$folder/${link%%#*}
            [ "${link%%#*}" ] || page=$document
            grep -E '^#+ ' "$page" | sed 's/^#* //; s/](.*)//' | tr 'A-Z' 'a-z' | sed 's/[^a-z0-9_ -]//g; s/ /-/g' |
                grep -qx -- "${link#*#}" || bad "$1: $document -> $link"
        done
    done
    ok "$1"
}

# The site (mkdocs.yml) and docs/README.md lead to each page.
pages_are_listed() {
    for page in $(cd docs && find . -name '*.md' ! -path ./README.md | cut -c3-); do
        grep -q ": $page\$" mkdocs.yml || bad "$1: $page in mkdocs.yml"
        case $page in
        explanation/[a-z]*) index=docs/explanation/README.md ;;
        reference/keys/*) index=docs/reference/config.md ;;
        *) index=docs/README.md ;;
        esac
        grep -q "($(basename "$page"))\|($page)\|(${page#reference/})" $index || bad "$1: $page in $index"
    done
    ok "$1"
}

# Functions of the design text are in the source (so that "followed by names alone" stays true).
functions_exist() {
    for name in $(grep -ohE '`(sw|cli|cmd)_[a-z0-9_]+\(\)`' $documents | tr -d '`()' | sort -u); do
        grep -rqE "(^|[^a-z_])$name\(" src cuda || bad "$1: $name()"
    done
    ok "$1"
}

# Each `sweep COMMAND --option` of the texts and of the man page is one the program knows.
commands_exist() {
    "$SWEEP" --help >"$dir/help" 2>&1
    for command in $(grep -ohE '(^ +|`)(\./)?sweep [a-z]+( |$)' $documents | sed 's/.*sweep //; s/ //' | sort -u); do
        grep -qE "^ +(sweep )?$command( |\$)" "$dir/help" || bad "$1: sweep $command"
    done
    for command in run check status resume show verify plot xdmf submit merge init explain list bench help \
        completion; do
        "$SWEEP" $command --help 2>&1
    done >"$dir/options"
    sed 's/\\-/-/g' docs/man/sweep.1 >"$dir/sweep.1"
    for option in $(grep -ohE -- '--[a-z][a-z-]+' "$dir/sweep.1" $documents $configs | sort -u); do
        # scripts, sbatch
        case $option in --medium | --short | --part | --jobs | --limit | --check) continue ;; esac
        case $option in --write | --raise | --mem) continue ;; esac
        case $option in --nodes | --ntasks-per-node | --gpus-per-node | --gpus-per-task | --mpi) continue ;; esac
        case $option in --virtual) continue ;; esac  # of earlier versions (CHANGELOG.md)
        case $option in --bind-to | --map-by | --mca) continue ;; esac          # of mpirun
        case $option in --joblog | --resume-failed) continue ;; esac            # of GNU parallel
        grep -qe "$option" "$dir/options" "$dir/help" || bad "$1: $option"
    done
    for target in $(grep -ohE '(^ +|`)make [a-z]+' $documents | sed 's/.*make //' | sort -u); do
        grep -qE "^$target:" Makefile || bad "$1: make $target"
    done
    ok "$1"
}

man_pages_are_clean "man pages are clean"
generated_pages_are_up_to_date "generated pages are up to date"
benchmark_tables_agree_with_the_measurements "benchmark tables agree with results/bench"
functions_are_documented "functions of expressions and axes are documented"
columns_are_documented "columns of the run table are documented"
links_resolve "links and paths resolve"
headings_resolve "links to headings resolve"
pages_are_listed "pages are listed"
functions_exist "functions named in docs exist"
commands_exist "commands and options in docs exist"
exit $failed
