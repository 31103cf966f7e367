#!/bin/bash
# Every word that a config can hold is explained, from the tables; an unknown one is answered with the nearest.
# `sweep list --json` and `sweep help` stand on the same tables.
cd "$(dirname "$0")/../../.." || exit 1
. tests/helpers/helpers.sh || exit 1
explained=0 seen=' '
explains() {  # explains WORD...: each is
    for word; do
        case $seen in *" $word "*) continue ;; esac
        seen="$seen$word "
        "$sweep" explain "$word" >out 2>err || fail "explain '$word' ends with $?"
        grep -qE '^    [A-Z]' out || fail "explain '$word' says nothing"
        explained=$((explained + 1))
    done
}
expect 0 explain
cp out keys
expect 0 list --json; is_json out; silent err
cp out list.json

# ---- keys, by their paths and last parts; the words they take; functions
paths=$(sed -n 's/^\([a-z][A-Za-z0-9_.]*\)\(  (.*)\)\{0,1\}$/\1/p' keys | sort -u)
[ "$(wc -w <<<"$paths")" -gt 60 ] || fail 'sweep explain prints few keys'
explains $paths $(sed 's/.*[.]//' <<<"$paths" | sort -u)
explains $(sed -n 's/^    word: \([^;]*\);.*/\1/p' keys | tr -d ',' | tr ' ' '\n' | sort -u)
explains $(sed -n 's/.*BINDS_CALL.*//; s/^    X([A-Z0-9]*, *[0-9], *"\([a-z0-9]*\)".*/\1/p' "$top/src/expr/expr_impl.h")
explains linspace logspace range uniform loguniform pi e x y z t u n nx ny nz length dt end
explains ladder values up down both spectrum
explains auto cpu cuda true false cpu.plain+cpu.lapack cuda.split+cusparse.gpsv scan a1d a2sd

# ---- rows of the tables
names=$(sed -n 's/^ *"name": "\([^"]*\)",$/\1/p' list.json | grep -vx 'cuda:[0-9]*\|cpu:[0-9]*' | sort -u)
[ "$(wc -w <<<"$names")" -gt 50 ] || fail 'sweep list --json has few names'
explains $names
for key in problems steppers field_steppers band_solvers bvp_solvers tridiagonal_solvers matrices banded_matrices \
           elliptic_solvers difference_solvers schemes boundaries transports devices; do
    grep -q "^  \"$key\": \[" list.json || fail "sweep list --json has no $key"
done
expect 0 list
sed -n '/^steppers in two and three dimensions/,/^band solvers/p' out >fields
for name in cpu.simd cpu.plain cpu.fourier cuda.fused cuda.stream cuda.cufft; do
    grep -q "^  $name " fields || fail "sweep list does not print the stepper $name of fields"
done
for name in $names; do grep -q "^  $name " out || fail "sweep list does not print $name"; done

# ---- words of the shipped configs, but for names of the user's own and texts for people
if [ -n "$python" ]; then
    py - "$top"/configs/*.cfg >words 2>err <<'END' || fail 'words of the configs'
import re, sys
words = set()
for path in sys.argv[1:]:
    text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", open(path, encoding="utf-8").read(), flags=re.S)
    text = re.sub(r'\b(title|file)\s*=\s*"[^"]*"', " ", text)
    own = set()
    for rows in re.findall(r'\brows\s*=\s*((?:"[^"]*"\s*)+)', text):   # a table: names and words of the user's own
        own |= set(re.findall(r"\w+", rows.split("\\n")[0]))
        text = text.replace(rows, " ")
    for group in re.findall(r"\b(?:sweep|define)\s*=\s*\{((?:[^{}]|\{[^{}]*\})*)\}", text, flags=re.S):
        own |= set(re.findall(r"\b([A-Za-z_]\w*)\s*=[^=]", group)) - {"mode", "values", "ladder"}
    words |= {w for w in re.findall(r"[A-Za-z_][\w.]*", re.sub(r"\b\d[\w.]*(?:e[+-]?\d+)?", " ", text))} - own
print("\n".join(sorted(words)))
END
    [ "$(wc -l <words)" -gt 40 ] || fail 'the configs have few words'
    explains $(cat words)
fi

# ---- what is said
expect 0 explain d1_c6; prints 'alpha = 1/3, a = 14/9, b = 1/9'; prints 'periodic, 3-4-6, 4-4-6'
expect 0 explain 3-4-6; prints 'd1_c6 (alpha = 2 at the wall), d2_c6 (alpha = 11 at the wall)'
expect 0 explain cpu.thomas; prints 'A band solver'; prints 'A solver of boundary value problems'
expect 0 explain pi; prints '3.141592653589793'
expect 0 explain u; prints 'Expressions that know it: forcing, velocity.x'
expect 0 explain zip; prints 'A value of sweep.mode: How the axes are combined'
expect 0 explain nx; prints 'grid.n'
expect 0 explain scan; prints 'cpu.scan'; prints 'cuda.scan'
expect 0 explain backward_error; prints 'A column of the table of runs, which `sweep show` prints: maximum of A x - f'
expect 0 explain energy; prints 'A number of the series that output.scalars saves: free energy'
expect 0 explain cpu.plain+cpu.lapack; prints 'A stepper'; prints 'A band solver'

# ---- the nearest
near() { expect 2 explain "$1"; says "'$1' is not a word of a config; did you mean '$2'?"; }
near d1_c66 d1_c6; near cpu.thoms cpu.thomas; near perodic periodic; near ssp_rk ssp_rk3; near randnn randn
near cahn_hiliard cahn_hilliard; near time.ed time.end; near zero_men zero_mean
expect 2 explain xyzzyxyzzy; says 'is not a word of a config'; says '`sweep list`'
expect 2 explain cpu.plain+nonsense; says 'is not a word'

# ---- help
expect 0 help; cp out all
expect 0 --help; cmp -s out all || fail 'sweep help is not sweep --help'
for command in $(sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' all); do
    expect 0 help "$command"; cp out one
    expect 0 "$command" --help; cmp -s out one || fail "sweep help $command is not sweep $command --help"
done
expect 2 help shoe; says "unknown command 'shoe'; did you mean 'show'?"
expect 2 help qqqqqqq; says "unknown command 'qqqqqqq'; \`sweep help\` lists the commands"
expect 2 help run show; says 'does not take'
for word in lap grad2 div; do expect 0 explain $word; prints "$word(a"; done
summary "$explained words explained"
