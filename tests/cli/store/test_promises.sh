#!/bin/bash
# What docs/reference/promises.md says that versions 1.x keep is there: each line of tests/helpers/promises_1.0.txt, a
# key and its kind, a command, an option, a word of an expression, a dataset or an attribute and its type, an id.
# PRINT=1 prints the lines of this program; those of a released version are never changed.
. tests/helpers/helpers.sh || exit 1
[ -n "$python" ] || { echo "skipped: no python3 with h5py"; exit 0; }
small=(tiny_advection tiny_bvp tiny_ch tiny_compact tiny_elliptic tiny_heat tiny_hyperdiffusion tiny_nsweep tiny_sh)
configs=("${small[@]}" banded statistics hysteresis refine equations/gray_scott equations/gray_scott_2d pfhub/7a)

keys() {
    "$sweep" explain --markdown | awk -F' *[|] *' '/^### / { of = $0; sub(/^### (Keys of )?/, "", of) }
        /^[|] `/ { gsub(/`/, "", $2); print "key", of ": " $2 ": " $3 }'
}
commands() {
    local command
    for command in $("$sweep" help | awk '/^Commands:/ { on = 1; next } /^$/ { on = 0 } on { print $1 }'); do
        echo "command $command"
        "$sweep" help "$command" | sed -n 's/^ .*\(--[a-z-]*\).*  .*/\1/p' | sed "s/^/option $command /"
    done
}
words() {  # of expressions: what the page names, and the program explains
    local word
    for word in $(sed -n 's/^| functions | `\(.*\)` |$/\1/p' "$top/docs/reference/config.md") pi e \
                dx dxx dxxx dxxxx dy lap grad2 div mean integral crossings; do
        "$sweep" explain "$word" 2>/dev/null | sed -n "s/^$word(\([^)]*\))$/word $word: \1/p"
    done
}
ids() {
    local config
    for config in "${configs[@]}"; do
        "$sweep" check "$top/configs/$config.cfg" --device cpu --json |
            py -c 'import json, sys; print("id", sys.argv[1], json.load(open("/dev/stdin"))["sweep_id"])' "$config"
    done
}
files() {
    local config
    for config in "${small[@]}"; do
        "$sweep" run "$top/configs/$config.cfg" --device cpu -q -o "$config.h5" >/dev/null 2>&1
        py - "$config" <<'PY'
import sys, h5py
of = sys.argv[1]
with h5py.File(of + ".h5") as file:
    def tell(name, item):
        kind = item.dtype.kind + str(item.dtype.itemsize) if isinstance(item, h5py.Dataset) else "group"
        dimensions = item.ndim if isinstance(item, h5py.Dataset) else 0
        print("data", name, kind, dimensions)
        for key in sorted(item.attrs):
            if key.isupper() or key.startswith("_"):   # HDF5's own, of dimension scales
                continue
            value = item.attrs[key]
            print("attribute", name or "/", key, type(value).__name__)
    tell("", file)
    file.visititems(tell)
PY
    done
}
all() { { keys; commands; words; ids; files; } | LC_ALL=C sort -u; }

if [ -n "$PRINT" ]; then all; exit; fi
all >now
LC_ALL=C comm -23 "$top/tests/helpers/promises_1.0.txt" now >gone
[ ! -s gone ] || fail "1.0 had these, which versions 1.x keep: $(head -n 20 gone)"
[ "$(wc -l <now)" -gt 800 ] || fail "only $(wc -l <now) lines"
summary
