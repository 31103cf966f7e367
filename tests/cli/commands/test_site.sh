#!/bin/bash
# The pages as a site: mkdocs makes it without a complaint, links and anchors lead somewhere, nothing is loaded from
# elsewhere, each page is read in ten minutes; what is wrong is found; the search answers where pages are opened as
# files.
cd "$(dirname "$0")/../../.." || exit 1
. tests/helpers/helpers.sh || exit 1
if ! command -v mkdocs >/dev/null || ! ls -d /usr/share/mkdocs/themes/material >/dev/null 2>&1 &&
    ! python3 -c 'import material' 2>/dev/null; then
    skipped 'the site: no mkdocs with its theme material'
    exit 0
fi
"$top/scripts/build/make_site.sh" "$tmp/site" >out 2>err || fail 'make_site.sh'
silent err
matches '^[0-9]+ pages, [0-9]+ words, the longest [0-9]+$'
for file in index.html configs/night.cfg results/bench/goals.png SECURITY.html reference/keys/heat.html; do
    [ -s "site/$file" ] || fail "no $file"
done
for file in reference/config.md.in man/sweep.1; do [ ! -e "site/$file" ] || fail "$file is part of the site"; done

# ---- what is wrong is found: such texts at the ends of articles, one in each, and no other
wrong() {  # wrong PAGE PATTERN HTML
    sed -i "s|</article>|$3</article>|" "spoilt/howto/$1.html"
    echo "^howto/$1.html: $2" >>expected
}
cp -r site spoilt
wrong ask 'no file nowhere.html' '<a href="nowhere.html">x</a>'
wrong mpi 'no anchor ask.html#nowhere' '<a href="ask.html#nowhere">x</a>'
wrong pictures 'no file ../pictures/nowhere.png' '<img src="../pictures/nowhere.png">'
wrong packages 'loads https://example.org/x.js' '<script src="https://example.org/x.js"></script>'
wrong slurm 'left as text: ' '<p>a list:\n- of one</p>'
wrong refine '[0-9]* words, more than 2000' "<p>$(yes word | head -n 2000 | xargs)</p>"
python3 -B "$top/scripts/build/check_site.py" spoilt >out 2>err && fail "passes what is wrong"
while read -r pattern; do matches "$pattern"; done <expected
grep -vE -f expected out | grep '^[a-z/]*[.]html: ' && fail 'says more than is wrong'

# ---- search, without a server
if browser=$(command -v chromium); then
    timeout 60 "$browser" --headless=new --no-sandbox --disable-gpu --user-data-dir="$tmp/browser" \
        --virtual-time-budget=5000 --dump-dom "file://$tmp/site/howto/ask.html?q=pentadiagonal" >dom 2>err
    grep -q 'href="[^"]*/explanation/[^"]*" class="md-search-result__link' dom || fail 'the search finds nothing'
else
    skipped 'search: no chromium'
fi
summary
