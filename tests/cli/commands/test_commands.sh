#!/bin/bash
# Every command that a page shows is one that works: those of README.md and of docs/, but of the tutorials
# (test_tutorial.sh types them) and of the catalogue of equations (test_equations.sh). What computes for long is planned
# with -n, made small, or printed; what needs a cluster has a test of its own. SWEEP is the program.
cd "$(dirname "$0")/../../.." || exit 1
. tests/helpers/helpers.sh || exit 1
py_plots && draws=1 || skipped 'pictures: no python3 with matplotlib'
subcommand=

# ---- the commands: PAGE:COMMAND, lines continued by \ joined, comments off
pages=$(cd "$top" && ls README.md docs/howto/*.md docs/reference/*.md docs/explanation/*.md docs/developer/*.md |
    grep -v -e reference/equations.md -e reference/commands.md)
for page in $pages; do
    awk -v page="$page" '
        /^```/ { fenced = !fenced; next }
        { shown = sub(/^    /, "") || fenced; if (!shown) next }
        { sub(/^[$] /, "") }
        /\\$/ { sub(/ *\\$/, ""); sub(/^ +/, " "); line = line $0; next }
        { sub(/^ +/, line == "" ? "" : " "); line = line $0 }
        line ~ /^(python3 [a-z]+[.]py [|] )?(mpirun( -n [0-9]+)? )?sweep +[^= ]|^(ncdump|h5dump) / {
            sub(/ +#.*$/, "", line)
            print page ":" line
        }
        { line = "" }' "$top/$page"
done | sort -u >commands
[ "$(wc -l <commands)" -ge 80 ] || fail "only $(wc -l <commands) commands are found"

# ---- the files that they name, each as its page makes it, with fewer runs
ln -s "$top/configs" "$top/scripts" .
mkdir -p results/equations
block() { awk -v n="$2" '/^```$|^```[a-z]+$/ { on = !on; k += on; next } on && k == n' "$top/$1"; }  # the n-th in ```
indented() {  # indented PAGE TEXT: the block of a page in which the text stands
    awk -v text="$2" '/^    / { block = block substr($0, 5) "\n"; next }
        { if (index(block, text)) { printf "%s", block; exit } block = "" }' "$top/$1"
}
block README.md 1 >map.cfg
indented README.md '"swift_hohenberg"' >own.cfg
indented docs/howto/manufactured.md 'source  = "exact"' >orders.cfg
{ indented docs/howto/ladders.md 'rhs        =' | sed '/^[$]/,$d'
  echo 'problem = "equation"; initial = "0"; grid = { n = 64; length = 64.0; }; time = { dt = 0.1; end = 2.0; };'
  echo 'output = { file = "stat.h5"; scalars = { times = ["end"]; }; };'; } >stat.cfg
sed 's/^time .*/time = { dt = 0.01; end = 1.0; };/' configs/tiny_ch.cfg >ch.cfg
cp configs/compact_3d.cfg big.cfg
makes() {  # makes CONFIG FILE ARGUMENTS...: runs of a config, into the file
    local config=$1 file=$2
    shift 2
    [ -e "$config" ] || { fail "no $config"; return; }
    expect 0 run "$config" --device cpu -q -o "$file" "$@"
}
few='"linspace(0.04, 0.068, 6)"'
makes map.cfg results/map.h5 -s "sweep.F=${few/0.068/0.07}" -s "sweep.k=$few" -s time.end=100.0
makes own.cfg results/my.h5 -s time.end=1.0 -s output.scalars.every=0.5
makes orders.cfg orders.h5
makes stat.cfg stat.h5
for name in tiny_ch statistics refine hysteresis swift_hohenberg; do makes configs/$name.cfg results/$name.h5; done
cp results/tiny_ch.h5 results/rehearsal.h5
makes configs/equations/kuramoto_sivashinsky.cfg results/equations/kuramoto_sivashinsky.h5 -s time.end=5.0
"$sweep" init cahn_hilliard | sed -E 's/(end|every) *= [0-9.]+/\1 = 1.0/' >my.cfg
makes my.cfg results/cahn_hilliard.h5

# ---- each of them
export PBS_ARRAY_INDEX=1
count=0
while IFS= read -r line; do
    page=${line%%:*} command=${line#*:}
    command=${command#mpirun }; command=${command#-n [0-9] }; command=${command#python3 design.py | }
    words=${command#sweep }
    words=$(sed -E 's/ > [a-z_./]+$//' <<<"$words")
    case $words in
    *CONFIG* | *' FILE'* | *' WORD'* | *' COMMAND'* | *' SHELL'* | *' SPEC'* | *'[NAME]'* | *…* | list\ *)
        continue ;;                                             # the table of commands: test_docs.sh
    'submit --missing'* | merge\ * | status\ *) continue ;;     # test_submit.sh, test_shards.sh, test_status.sh
    *sweep.file=-*) continue ;;                                 # test_table.sh
    bench*cuda* | bench*split=2*) continue ;;                   # test_bench.sh
    plot\ * | report\ *) [ "$draws" ] || continue ;;
    ncdump\ * | h5dump\ *) command -v "${words%% *}" >/dev/null || continue ;;
    esac
    words=$(sed -E 's/ --device cuda[:0-9,]*//; s/\[1024,1024,1024\]/[64,64,64]/; s,/usr/share/sweep/,,' <<<"$words")
    count=$((count + 1)) program=$sweep
    case $words in
    ncdump\ * | h5dump\ *) program=${words%% *} words=${words#* } ;;
    ask\ * | check\ * | show\ * | verify\ * | explain\ * | init\ * | list | help\ *) ;;
    bench\ *) words=$(sed -E 's/\<(n|batch|steps)=[0-9^]+/\1=64/g; s/n=\[[0-9,]*\]/n=[16,16,32]/' <<<"$words")
              words="$words --device cpu --repeats 1 --longest 0.01" ;;
    plot\ *) words="$words -o picture.png" ;;
    report\ *) words="$words -o page.html" ;;
    submit\ *) words="$words --print" ;;
    run\ *) words="$words -n" ;;
    *) words="run $words -n" ;;
    esac
    bash -n <<<"$words" 2>err || { fail "$page: $words"; continue; }
    eval "set -- $words"
    [ "$1" != submit ] || mv results kept     # what is there may be of another sweep
    "$program" "$@" >out 2>err </dev/null || fail "$page: $program $words: exit code $?"
    [ "$1" != submit ] || mv kept results
done <commands

# ---- the blocks of Python (those of read_results.md: test_readers.sh)
if [ -n "$python" ] && py -c 'import xarray, matplotlib' 2>err; then
    mkdir bin; ln -s "$sweep" bin/sweep
    for page in ask ladders statistics; do
        awk '/^```python$/ { on = 1; next } /^```$/ { on = 0 } on' "$top/docs/howto/$page.md" >$page.py
        [ -s $page.py ] || { indented docs/howto/$page.md 'import xarray' >$page.py; }
        PATH=$PWD/bin:$PATH PYTHONPATH=scripts/ask MPLBACKEND=Agg "$python" -B $page.py >out 2>err || fail "$page.md"
    done
fi
summary "$count commands"
