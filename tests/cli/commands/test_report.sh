#!/bin/bash
# sweep report writes a page that is one file, says what became of the runs, and holds their table: its columns are
# unpacked here as the page's script does, and compared with `sweep show --json`. How it looks is for eyes.
cd "$(dirname "$0")/../../.." || exit 1
. tests/helpers/helpers.sh || exit 1
python=${SW_PYTHON-$("$top/scripts/build/find_python.sh")}
[ -n "$python" ] && "$python" -c 'import h5py, matplotlib' 2>/dev/null ||
    { skipped 'no python3 with h5py and matplotlib'; summary; exit; }
export SWEEP_PYTHON=$python

"$python" -B - <<'PY' >check.py || exit 1
print(r'''
import base64, html.parser, json, re, sys
import numpy as np
page, shown, needs = open(sys.argv[1], encoding="utf-8").read(), json.load(open(sys.argv[2])), sys.argv[3:]
class Page(html.parser.HTMLParser):
    void, open, text, pictures, ids = {"meta", "img", "br", "col", "link"}, [], "", 0, set()
    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        for name in ("src", "href"):    # nothing from elsewhere
            assert attributes.get(name, "data:").startswith("data:"), attributes
        assert tag != "link" and "onclick" not in attributes
        assert attributes.get("id") not in self.ids
        self.ids |= {attributes["id"]} if "id" in attributes else set()
        if tag == "img":
            kind, _, data = attributes["src"].partition(",")
            assert kind == "data:image/png;base64" and base64.b64decode(data)[:4] == b"\x89PNG" and attributes["alt"]
            self.pictures += 1
        self.open += [] if tag in self.void else [tag]
    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag
    def handle_data(self, data):
        self.text += " " + data if self.open and self.open[-1] not in ("script", "style") else ""
p = Page()
p.feed(page)
assert not p.open and p.pictures >= 1, (p.open, p.pictures)
style = re.search(r"<style>(.*?)</style>", page, re.S)[1]
for end in range(len(style)):
    assert 0 <= style[:end].count("{") - style[:end].count("}") <= 2, style[end - 60:end]
assert not re.search(r"https?://|@import|url\(", page)
text = " ".join(p.text.split())
for need in needs:
    assert need in text, (need, text[:3000])
data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)[1])
kinds = {"u1": "<u1", "u2": "<u2", "u4": "<u4", "i4": "<i4", "f4": "<f4", "f8": "<f8"}
assert data["count"] == len(shown["runs"])
columns = {}
for c in data["columns"]:
    stored = np.arange(data["count"]) + int(c["first"]) if c["type"] == "range" else np.zeros(data["count"], int) \
        if c["type"] == "one" else np.frombuffer(base64.b64decode(c["data"]), kinds[c["type"]])
    assert len(stored) == data["count"]
    columns[c["name"]] = [c["values"][k] for k in stored] if "values" in c else stored.tolist()
def alike(here, there):     # 1e-6: numbers of the page have single precision
    missing = here in (None, "") or here != here
    return there in (None, "") if missing else here == there or abs(here - there) <= 1e-6 * abs(there)
for name, values in columns.items():
    for k, run in enumerate(shown["runs"]):
        want = {**run, **run.get("parameters", {})}[name]
        want = "failed" if (name, want) == ("status", "error") else want
        assert alike(values[k], want), (name, k, values[k], want)
assert {"run", "status"} <= set(columns)
''')
PY
report() {  # report FILE TEXT...: written, and right
    local file=$1
    shift
    expect 0 report "$file.h5" -o "$file.html"
    grep -qx "$file.html" out || fail 'the name of the page is not printed'
    expect 0 show "$file.h5" --json; cp out "$file.json"
    "$python" -B check.py "$file.html" "$file.json" "$@" || fail "the page of $file"
}

expect 0 run -q "$top/configs/tiny_ch.cfg" -o ch.h5 -s 'title="<b>&amp; $x$ </script>"'
report ch 'u_t = D (u^3 - u - gamma u_xx)_xx + forcing' 'forcing a*cos(q*(x - v*t))' '12 runs 12 done' \
    'v 2 0 0.5' 'No run diverged or failed.' 'sweep run ch.cfg -o ch.again.h5 -s' '<b>&amp; $x$ </script>' \
    'sweep plot ch.h5 --kind spacetime' 'title = '
expect 1 run -q "$top/configs/tiny_diverge.cfg" -o bad.h5
report bad '1 diverged' '1 run of 4 did not end well' 'run 2 (amplitude = 100)' 'not finite at t = 0.25'
expect 0 run -q "$top/configs/tiny_nsweep.cfg" -o n.h5
report n 'root mean square error' 'n 3 16 32 64'
# of some runs; of one that fails, there is nothing to draw, but much to say
expect 0 report ch.h5 --where 'a > 0.01 and v == 0' -o some.html
grep -q 'those with a &gt; 0.01 and v == 0' some.html || fail 'the page does not say which runs'
expect 0 report bad.h5 --where 'amplitude == 100' -o none.html
grep -q 'There is nothing to draw.' none.html || fail 'a page without pictures'
expect 0 report ch.h5; prints ch.report.html; [ -s ch.report.html ] || fail 'no ch.report.html'
# of a sweep that was stopped, what there is; nothing is left in TMPDIR
mkdir temporary && export TMPDIR=$tmp/temporary
part=(run -q "$top/configs/tiny_ch.cfg" -o part.h5 -s run.batch=4 -j 1 --max-time 0.1s)
slowly 0.0015 expect 75 "${part[@]}"
for ((tries = 0; tries < 50; tries++)); do
    "$sweep" report part.h5 >out 2>err && break
    says 'part.h5 is not complete, and no run in its parts has ended yet'
    slowly 0.0015 "$sweep" "${part[@]}" 2>err
done
says 'part.h5 is not complete: this is of the '; prints part.report.html
grep -qE 'The sweep is not complete: these are (4|8) of its 12 runs' part.report.html || fail 'the page calls it whole'
grep -q 'part.h5 · cahn_hilliard' part.report.html || fail 'the page does not name its file'
expect 0 plot part.h5 --kind spacetime; prints part.spacetime.png; says 'part.h5 is not complete'
[ -z "$(ls temporary)" ] || fail "left behind: $(ls temporary)"
unset TMPDIR
# as with pictures
expect 2 report ch.h5 -o page.png; says "the name of a page must end in .html"
expect 2 report ch.h5 --kind lines; says "no option '--kind'"
expect 5 report none.h5; says 'No such file'
expect 5 report ch.h5 -o /nowhere/page.html; says 'cannot write /nowhere/page.html'
cp ch.h5 torn.h5
printf 'x' | dd of=torn.h5 bs=1 seek=20000 conv=notrunc 2>/dev/null
expect 5 report torn.h5 -o torn.html; [ ! -e torn.html ] || fail 'a page of a damaged file'
summary
