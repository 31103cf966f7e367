#!/bin/bash
# What a finished sweep takes over when its config changes: another title.
. tests/helpers.sh
tiny=(run "$top/configs/tiny_nsweep.cfg" --device cpu)

# ---- a title decides no numbers
expect 0 "${tiny[@]}" -o title.h5
cp title.h5 before.h5
expect 0 "${tiny[@]}" -o title.h5 -s 'title="anew"'
says 'title    "tiny: several n" -> "anew" in title.h5'; says 'nothing to do: 6 done'
expect 0 show title.h5; prints 'anew · hyperdiffusion'
[ -z "$python" ] || $python -c '
import h5py
a, b = (h5py.File(name, "r+") for name in ("title.h5", "before.h5"))
assert a.attrs["title"] == "anew" and a.attrs["history"].count("\n") == 1, a.attrs["history"]
assert a["provenance"].attrs["overrides"] == "title=\"anew\""
b.attrs.modify("title", "anew")
' 2>err || fail 'the title in the file'
same title.h5 before.h5
expect 0 "${tiny[@]}" -o title.h5 -s 'title="anew"'
if grep -q '^title' err; then fail 'a title that is there is set again'; fi
expect 0 resume title.h5; says 'nothing to do'
expect 0 show title.h5; prints 'anew · '
expect 0 merge title.h5 --virtual -o virtual.h5
expect 0 "${tiny[@]}" -o virtual.h5; says 'note     virtual.h5 keeps its title, "anew"'
summary
