#!/bin/bash
# The commands of docs/tutorial/tutorial.md, plane.md and answers.md, in a small form, and what they say that these
# print. SWEEP is the program.
cd "$(dirname "$0")/../../.." || exit 1
. tests/helpers/helpers.sh || exit 1
if [ -z "$python" ] || ! py_plots; then
    skipped 'the tutorial: no python3 with h5py and matplotlib'
    exit 0
fi
SWEEP=$sweep "$top/scripts/build/tutorial.sh" --small "$tmp/small" >out 2>err || fail 'its commands'
for picture in tutorial/{pulse,few,map,amount} plane/{spot,few,contrast,column} \
    answers/{domains,order,settled,loop,noisy,fold}; do
    [ -s "small/$picture.png" ] || fail "no picture $picture.png"
done
# what was understood is told as it is; the outcome of the runs, up to its numbers
awk '/^```text$/ { on = 1; next } /^```$/ { on = 0 } on' "$top"/docs/tutorial/{tutorial,plane,answers}.md >told
[ "$(wc -l <told)" -gt 8 ] || fail 'the tutorial tells little'
cat out err | tr -s '0-9' '#' | sed 's/# .#/#/' >printed
while IFS= read -r line; do
    case $line in
    [uv]_t\ * | \ \ * | method*) prints "$line" ;;
    done*) grep -q '^done  *# ok' printed || fail 'not all runs are done' ;;
    *) grep -qF -- "$(tr -s '0-9' '#' <<<"$line" | sed 's/#[.]#.*//')" printed || fail "it does not print: $line" ;;
    esac
done <told
for page in tutorial plane; do
    [ "$("$sweep" show small/$page/results/map.h5 --csv | grep -c ',done,')" = 36 ] || fail "$page: not 36 runs"
done
# what answers.md finds does not depend on how many seeds there are: a loop as wide as its formula says
cat out err | sed -n 's/^s = .*at r = \(-[0-9.]*\), the fold at \(-[0-9.]*\)$/\1 \2/p' >folds
if [ "$(wc -l <folds)" != 4 ] || ! awk '{ if ($1 - $2 > 0.02 || $2 - $1 > 0.02) exit 1 }' folds; then
    fail 'the folds are elsewhere'
fi
[ "$("$sweep" show small/answers/results/order.h5 --csv | grep -c ',done,')" = 60 ] || fail 'answers: not 60 runs'
summary
