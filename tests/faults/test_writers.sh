#!/bin/bash
# Two calls that write one file: at each call of the first that locks, renames or removes a file it waits until the
# second has ended. Of what either says is done (exit code 0) nothing is lost: the file is what the one that was not
# refused makes alone.
cd "$(dirname "$0")/../.." || exit 1
. tests/helpers/helpers.sh || exit 1
# ---- where locks do nothing the second is told of the first, and disturbs nothing
three_heats >o.cfg; sed 's/end = 1.0e-4/end = 2000.0/; s/\[1.0e-4\]/[2000.0]/' o.cfg >long.cfg
export FAIL_KIND=flock FAIL_AT=0 LD_PRELOAD=$(dirname "$sweep")/fail_nth.so
"$sweep" run long.cfg -q -j 1 & pid=$!
begun o.h5.d/status.json
for second in "run o.cfg" "run long.cfg" "run o.cfg --force" "merge o.h5 -o o.h5"; do
    expect 5 $second
    grep -qE "o.h5 (is being written|is not there yet|.*computes it)" err || fail "$second: not told"
    [ -e o.h5.d/lock ] && [ -e o.h5.d/status.json ] || fail "$second: takes away what is the first's"
done
expect 5 run o.cfg; says "o.h5 is being written by process $pid on $(hostname); wait for it, stop it, or use -o FILE ("
kill -TERM $pid; wait $pid; [ $? = 75 ] || fail "without locks: the first ends with $?"
expect 5 run o.cfg; says 'holds another sweep'
"$sweep" run long.cfg -q -j 1 & pid=$!
begun o.h5.d/status.json
kill -9 $pid; wait $pid 2>/dev/null
"$sweep" run long.cfg -q --max-time 0.1s  # he is gone, and nobody else has the file
case $? in 0 | 75) ;; *) fail 'without locks: one that was killed' ;; esac
rm -rf o.h5 o.h5.d
"$sweep" run o.cfg -q || fail 'without locks'
unset FAIL_KIND FAIL_AT LD_PRELOAD

at_call=$(dirname "$sweep")/at_call
[ -x "$at_call" ] || { echo "$at_call is missing: make tests" >&2; exit 1; }
"$at_call" true
[ $? != 77 ] || { skipped 'all of it: this machine lets no program be traced'; summary; exit; }
export OMP_NUM_THREADS=1

cat > w.cfg <<'CFG'
problem = "heat";
grid    = { n = 16; length = 1.0; };
physics = { kappa = "c*k"; };
define  = { c = 1.0; };
time    = { dt = 1.0e-3; end = 0.01; };
sweep   = { k = [0.1, 0.2]; };
initial = "cos(2*pi*x)";
output  = { state = true; fields = { times = [0.0, 0.01]; }; };
run     = { device = "cpu"; };
CFG
half=(run w.cfg -q --only 'k < 0.15' -o f.h5)
whole=(run w.cfg -q -o f.h5)
longer=(run w.cfg -q --only 'k < 0.15' -s time.end=0.02 -o f.h5)
forced=(run w.cfg -q -s define.c=2.0 --force -o f.h5)
other=(run w.cfg -q -s define.c=2.0 -o f.h5)
merged=(merge -q s.shard-1-of-2.h5 s.shard-2-of-2.h5 -o f.h5)
for shard in 1/2 2/2; do "$sweep" run w.cfg -q -o s.h5 --shard $shard; done
half() { rm -rf ./*f.h5* .sweep-*; "$sweep" "${half[@]}"; }
none() { rm -rf ./*f.h5* .sweep-*; }

# pair BEFORE FIRST SECOND EARLIER: names of the arrays above. EARLIER: how often both may end with 0, the second before
# the first has locked the file, which then replaces what it was told to replace
pair() {
    local before=$1 earlier=$4 k both=0
    local -n first=$2 second=$3
    $before; "$sweep" "${first[@]}" || fail "$2 alone"; cp f.h5 first.h5
    $before; "$sweep" "${second[@]}" || fail "$3 alone"; cp f.h5 second.h5
    printf '"%s"' "$sweep" >command; printf " '%s'" "${second[@]}" >>command
    for ((k = 1; ; k++)); do
        $before; rm -f code
        "$at_call" -k $k -c flock,rename,unlink,unlinkat -l log \
            -a "run:($(cat command)) >out 2>second; echo \$? >code" "$sweep" "${first[@]}" >out 2>err
        local code=$?
        [ -e code ] || break
        case "$code $(cat code)" in
            '0 0') both=$((both + 1)); same f.h5 first.h5 ;;
            '0 5') cp second err
                   grep -qE 'is being written by process [0-9]+ on .*; wait|holds another sweep|among the files' err ||
                       fail "$2 with $3 at $k: the second does not say why"
                   same f.h5 first.h5 ;;
            '5 0') grep -qE 'holds another sweep|is longer than|holds run 1, which --only|not among the files to' err ||
                       fail "$2 with $3 at $k: the first does not say why"
                   same f.h5 second.h5 ;;
            *) fail "$2 with $3 at $k: exit codes $code and $(cat code)" ;;
        esac
        [ ! -e f.h5.d ] || fail "$2 with $3 at $k: left behind: $(ls -A f.h5.d)"
    done
    [ $k -gt 4 ] || fail "$2 with $3: hardly a call was counted"
    [ $both = "$earlier" ] || fail "$2 with $3: both end with 0 at $both calls"
    echo "$2 with $3: $((k - 1)) calls"
}
pair half longer whole 0
pair half forced whole 1
pair none merged other 0
if [ -n "$SW_LONG" ]; then  # at night: the same calls meet in another order
    pair half whole longer 0
    pair half longer forced 0
    pair none other whole 0
    merged+=(--force)
    pair half merged longer 1
fi

# ---- what has come under the name by other means than sweep stays, too
half; "$sweep" run w.cfg -q -s define.c=3.0 -o strange.h5; "$sweep" run w.cfg -q -s define.c=2.0 -o forced.h5
"$at_call" -k 1 -c rename -f .sweep-f.h5 -a 'run:cp strange.h5 f.h5' "$sweep" "${forced[@]}" 2>err
[ $? = 5 ] || fail 'a copy that came while --force computed is replaced'
says 'f.h5 is not the file any more that this call was to replace, and stays; the new result is complete: rename'
same f.h5 strange.h5; same .sweep-f.h5.new forced.h5

# ---- an account for ParaView is of the file that is there, or the call says that it is not
"$sweep" "${whole[@]}" --force; "$sweep" xdmf f.h5 -q; cp f.h5 old.h5; cp f.xdmf old.xdmf
replace="'$sweep' run w.cfg -q -o f.h5 --force -s define.c=2.0 -s output.fields.times=[0.0,0.005,0.01]; echo >code"
for ((k = 1; ; k++)); do
    cp old.h5 f.h5; cp old.xdmf f.xdmf; rm -f code
    "$at_call" -k $k -c pread64,rename -p f. -a "run:$replace" "$sweep" xdmf f.h5 -q 2>err; code=$?
    [ -e code ] || break
    if [ $code = 0 ]; then
        cp f.xdmf is.xdmf; "$sweep" xdmf f.h5 -q; cmp -s f.xdmf is.xdmf || fail "xdmf at $k: of a file that is gone"
    else
        says 'f.h5 was replaced while its fields were looked up; run the same command again'
    fi
done
[ $k -gt 3 ] || fail 'xdmf: hardly a call was counted'

# ---- the folder is moved to another file system while the sweep runs: it is computed again there, or the call says why
# not and the next one does
three_heats >m.cfg; moved=0
"$sweep" run m.cfg -q -j 1 -o whole.h5 || fail 'a sweep that nobody moves'
for ((k = 2; ; k = k * 4 / 3 + 1)); do
    rm -rf out gone code; mkdir out
    "$at_call" -k $k -c open,openat,rename,unlink,unlinkat,flock -p out/f.h5 -l log \
        -a 'run:cp -r out gone && rm -rf out && echo >code' "$sweep" run m.cfg -q -j 1 -o out/f.h5 2>err; code=$?
    [ -e code ] || break
    moved=$((moved + 1))
    case $code in
        0) ;;
        5) grep -q 'f[.]h5' err || fail "moved at $k: names no file: $(cat err)"
           mkdir -p out; "$sweep" run m.cfg -q -j 1 -o out/f.h5 2>err || fail "moved at $k, again: $(cat err)" ;;
        *) fail "moved at $k: exit code $code: $(cat err)" ;;
    esac
    if [ -e out/f.h5 ]; then same out/f.h5 whole.h5; else same gone/f.h5 whole.h5; fi
done
[ $moved -gt 4 ] || fail "moved $moved times"
summary
