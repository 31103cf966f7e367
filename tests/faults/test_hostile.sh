#!/bin/bash
# Results files that somebody else has made: what a file of this program never has is refused before it is read. Other
# files are not opened for it (a pipe would hang, a secret would come out), and no memory is asked for that the file's
# length does not account for.
. tests/helpers/helpers.sh || exit 1
py_loads=matplotlib.pyplot
trap 'chmod -R u+w "$tmp"; rm -rf "$tmp"' EXIT
[ -n "$python" ] || { summary; exit; }
"$sweep" run "$top/configs/tiny_ch.cfg" --device cpu -q -o ch.h5 || fail 'run'
for k in 1 2; do "$sweep" run "$top/configs/tiny_heat.cfg" --device cpu -q -o s.h5 --shard $k/2 || fail "shard $k"; done
"$sweep" merge -q s.shard-*.h5 -o virtual.h5 || fail 'merge'
as_virtual virtual.h5 s.shard-*.h5
mkfifo pipe
py - <<'PY' || fail 'the files could not be made'
import shutil
import struct
import h5py
import numpy as np

open("secret.raw", "wb").write(b"SECRET~!" * 4096)
with h5py.File("secret.h5", "w") as h:
    h["mass"] = np.frombuffer(b"SECRET~!" * 132, "f8").reshape(12, 11)


def copy(to, of="ch.h5"):
    shutil.copy(of, to)
    return h5py.File(to, "r+")


def replace(to, name, put, of="ch.h5"):
    with copy(to, of) as h:
        shape, dtype = h[name].shape, h[name].dtype
        del h[name]
        put(h, name, shape, dtype)


def virtual(file, path="/mass"):
    def put(h, name, shape, dtype):
        layout = h5py.VirtualLayout(shape, dtype)
        layout[...] = h5py.VirtualSource(file, path, shape)
        h.create_virtual_dataset(name, layout)
    return put


# ---- attributes
for owner, name in ("/", "sweep_runs"), ("/", "points"), ("/", "field_first"), ("/provenance", "git_dirty"):
    with copy(f"eight_{name}.h5") as h:
        h[owner].attrs[name] = np.full(8, 0x4141414141414141)
for owner, name, value in ("/", "sweep_runs", 2**63 - 1), ("/", "field_first", 2**62), ("/", "points", -1):
    with copy(f"vast_{name}.h5") as h:
        h[owner].attrs[name] = value
with copy("vast_run.h5") as h:
    h["run"][3] = -2**63
with copy("fixed.h5") as h:
    h.attrs["title"] = np.bytes_(b"a title")
# ---- other files
size = 12 * 11 * 8
replace("stored.h5", "mass", lambda h, n, s, d: h.create_dataset(n, s, d, external=[("secret.raw", 0, size)]))
replace("linked.h5", "mass", lambda h, n, s, d: h.__setitem__(n, h5py.ExternalLink("pipe", "/mass")))
with copy("linked_group.h5") as h:
    del h["provenance"]
    h["provenance"] = h5py.ExternalLink("pipe", "/")
with copy("linked_soft.h5") as h:
    del h["mass"]
    h["away"] = h5py.ExternalLink("secret.h5", "/")
    h["mass"] = h5py.SoftLink("/away/mass")
with copy("unlimited.h5") as h:  # HDF5 opens the pipe as soon as it is asked for the extent
    del h["steps"]
    layout = h5py.VirtualLayout((12,), "i8", maxshape=(None,))
    layout[0:h5py.h5s.UNLIMITED] = h5py.VirtualSource("pipe", "/u", (12,), maxshape=(None,))[0:h5py.h5s.UNLIMITED]
    h.create_virtual_dataset("steps", layout)
with copy("unlisted.h5", "virtual.h5") as h:
    del h["provenance/parts"]
replace("virtual_away.h5", "mass", virtual("../secret.h5"))
replace("virtual_absolute.h5", "mass", virtual("/etc/passwd"))
for to, part in ("parts_away.h5", "../s.shard-1-of-2.h5"), ("parts_absolute.h5", "/etc/passwd"):
    with copy(to, "virtual.h5") as h:
        h["provenance/parts"][0] = part
shutil.copy("virtual.h5", "circle.h5")
with h5py.File("circle.h5", "r+") as h:
    h["provenance/parts"][:] = "circle.h5"
    h["provenance/part_bytes"][:] = 0
import os
with h5py.File("circle.h5", "r+") as h:
    h["provenance/part_bytes"][:] = os.path.getsize("circle.h5")
# ---- more than there is
replace("long_run.h5", "run", lambda h, n, s, d: h.create_dataset(n, (20000,), d, chunks=(10,), maxshape=(None,)))
replace("sparse.h5", "u", lambda h, n, s, d: h.create_dataset(n, s, d, chunks=(1, 1, s[2])))
replace("texts.h5", "run_id", lambda h, n, s, d: h.create_dataset(n, (12,), h5py.string_dtype(), chunks=(1,)))
replace("filled.h5", "message", lambda h, n, s, d: h.create_dataset(n, (12,), d, fillvalue="of all"))
replace("vast.h5", "message", lambda h, n, s, d: h.create_dataset(n, (2**40,), d))
# constant columns, whose values are not stored: no list that decides what others have, and as long as that
replace("constant_run.h5", "run", lambda h, n, s, d: h.create_dataset(n, (12,), d, fillvalue=3))
replace("constant_id.h5", "run_id", lambda h, n, s, d: h.create_dataset(n, (12,), d, fillvalue=3))
replace("constant_vast.h5", "steps", lambda h, n, s, d: h.create_dataset(n, (2**40,), d, fillvalue=3))
replace("constant_unset.h5", "steps", lambda h, n, s, d: h.create_dataset(n, (12,), d))
replace("filtered.h5", "mass", lambda h, n, s, d: h.create_dataset(n, data=np.zeros(s), compression="gzip"))
replace("wide.h5", "mass", lambda h, n, s, d: h.create_dataset(n, data=np.zeros(s, "g")))
with copy("deep_state.h5") as h:
    h.pop("state", None)
    h["state/u"] = np.zeros((1,) * 32)
replace("table.h5", "run_id", lambda h, n, s, d: h.create_dataset(n, data=np.array([b"0" * 16] * 12)))
replace("signed.h5", "run_id", lambda h, n, s, d: h.create_dataset(n, data=-np.arange(12)))

# ---- heaps of texts
with copy("bare.h5") as h:  # without checksums
    del h.attrs["sweep_checksum"]
    h["message"][:] = [f"said of run {k}" for k in range(12)]
data = open("bare.h5", "rb").read()
heaps = [at for at in range(0, len(data), 8) if data[at:at + 5] == b"GCOL\1"]


def heap_file(to, edits):
    changed = bytearray(data)
    for at, form, value in edits:
        struct.pack_into(form, changed, at, value)
    open(to, "wb").write(changed)


heap_file("heap_size.h5", [(at + 8, "<Q", 2**40) for at in heaps])
heap_file("heap_object.h5", [(at + 24, "<Q", 2**40) for at in heaps])
heap_file("heap_number.h5", [(at + 16, "<H", 0xffff) for at in heaps])
with h5py.File("bare.h5") as h:  # those in attributes have checksums around them
    first = h["message"].id.get_offset()
references = [first + 16 * k for k in range(12)]
heap_file("heap_length.h5", [(k, "<I", 0xfffffff0) for k in references])
heap_file("heap_address.h5", [(k + 4, "<Q", 2**62) for k in references])
PY
limit() { (ulimit -v 4000000; exec timeout 30 "$sweep" "$@") >out 2>err </dev/null; }
[ -z "$SW_SANITIZED" ] || limit() { timeout 60 "$sweep" "$@" >out 2>err </dev/null; }  # which reserves terabytes
# refused FILE TEXT: by all commands that read it, and nothing of the secret comes out
refused() {
    local command
    for command in "show $1" "status $1" "merge $1 -o joined.h5" "xdmf $1" "resume -n $1"; do
        limit $command
        local got=$?
        [ $got = 5 ] || fail "sweep $command: exit code $got, expected 5"
        [ -z "$2" ] || says "$2"
        ! grep -aq 'SECRET' out err || fail "sweep $command prints a secret"
        rm -f joined.h5
    done
}
for name in sweep_runs points field_first git_dirty; do
    refused eight_$name.h5 "eight_$name.h5: attribute $name of"
done
refused vast_sweep_runs.h5 "says sweep_runs = 9223372036854775807 at '/'"
refused vast_field_first.h5 "says field_first = 4611686018427387904 at '/'"
refused vast_points.h5 "says points = -1 at '/'"
refused vast_run.h5 'holds a run -9223372036854775808, as no sweep has'
refused fixed.h5 'fixed.h5: attribute title of / is not the text it should be'
refused stored.h5 'stored.h5: a dataset has its values in another file'
refused linked.h5 'linked.h5: has a link into another file, as sweep never writes one'
refused linked_group.h5 'has a link into another file'
refused linked_soft.h5 'has a link into another file'
refused virtual_away.h5 'values are taken from files in its folder, or below it, and from no others'
refused virtual_absolute.h5 'values are taken from files in its folder, or below it, and from no others'
refused unlimited.h5 'has a virtual dataset that sweep would not write'
refused parts_away.h5 'lists a part that is not in its folder, nor below it'
refused parts_absolute.h5 'lists a part that is not in its folder, nor below it'
expect 5 merge unlisted.h5 -o joined.h5; says 'has virtual datasets, but lists no parts that they are in'
expect 5 merge circle.h5 -o joined.h5; says 'is virtual, and so are its parts, and theirs, without an end'
refused long_run.h5 'long_run.h5: '
refused sparse.h5 'a dataset has a larger extent than is stored of it'
for name in texts filled; do refused $name.h5 'a dataset has a larger extent than is stored of it'; done
refused vast.h5 'dataset /message is not the list of 12 texts it should be'
for name in run id unset; do
    refused constant_$name.h5 'a dataset has a larger extent than is stored of it'
done
refused constant_vast.h5 'dataset /steps is not the list of 12 numbers it should be'
refused filtered.h5 'a dataset is compressed or filtered, as sweep never writes one; h5repack -f NONE undoes it'
refused wide.h5 'a dataset of numbers holds something else'
refused deep_state.h5 'a dataset has more dimensions than it should'
refused table.h5 'dataset /run_id is not the list of 12 numbers it should be'
refused signed.h5 'dataset /run_id is not the list of 12 numbers it should be'
# a part of a build without checksums that does not say which program it is of: its text was NULL
mkdir x.h5.d
cp ch.h5 x.h5.d/part-000001.h5
py - <<'PY' || fail 'a part without source'
import h5py
with h5py.File("x.h5.d/part-000001.h5", "r+") as h:
    del h.attrs["source"], h.attrs["sweep_checksum"]
PY
limit show x.h5 --run 0 || fail "a part without source: exit code $?"
prints 'problem      cahn_hilliard'
for what in size object number length address; do refused heap_$what.h5 'has a damaged heap of texts'; done
# ---- texts: what a terminal would act on, and what a table program would compute
py - <<'PY' || fail 'a file with texts'
import h5py
with h5py.File("bare.h5", "r+") as h:
    h["message"][:8] = ["a\x1b[2Jb", "=cmd|' /C calc'!A0", "+1+1", "-1", "@SUM(1)", "two\nlines", 'a,"b"', "\u202ec"]
PY
limit show bare.h5 --csv
for text in 'a\x1b[2Jb' "'=cmd|' /C calc'!A0" "'+1+1" '-1' "'@SUM(1)" 'two\nlines' '"a,""b"""' '\u202ec'; do
    prints ",$text"
done
[ "$(wc -l <out)" = 13 ] || fail 'a line of show --csv is none of a run'
! LC_ALL=C grep -q $'[\x01-\x09\x0b-\x1f]' out || fail 'show --csv prints control characters'
# ---- pictures
if py_plots; then
    for name in stored linked linked_soft virtual_away virtual_absolute parts_away parts_absolute filtered; do
        (exec timeout 60 "$sweep" plot $name.h5 --kind lines --of mass -o picture.png) >out 2>err </dev/null
        [ $? = 5 ] || fail "plot of $name.h5 is not refused"
        grep -q 'error: .*\(in another file, or filtered\|a link into another\|nor below it\)' err ||
            fail "plot $name.h5"
    done
    (exec timeout 30 "$sweep" plot unlimited.h5 -o picture.png) >out 2>err </dev/null
    [ $? = 5 ] || fail 'plot of unlimited.h5 is not refused'
    expect 0 plot virtual.h5 -o picture.png
fi
# ---- and files of users: a table of numbers where they are
py - <<'PY' || fail 'the files could not be made'
import h5py
with h5py.File("input.h5", "w") as h:
    h.create_dataset("sparse", (10**9,), "f8", chunks=(64,))[0] = 1
    h.create_dataset("packed", data=[0.5] * 64, chunks=(64,), compression="gzip")
    h["away"] = h5py.ExternalLink("pipe", "/u")
PY
from_file() {
    limit check "$top/configs/tiny_ch.cfg" -s 'grid.n=64' -s "initial={ file=\"input.h5\"; dataset=\"$1\"; }"
}
from_file sparse; says 'it says that it has 1000000000 numbers, and only 512 bytes of them are in the file'
from_file away; says 'it is a link into another file'
from_file packed; ! grep -q 'packed' err || fail 'a packed dataset of a user is refused'
summary
