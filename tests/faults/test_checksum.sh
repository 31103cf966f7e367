#!/bin/bash
# Checksums: a single bit that flips in a checkpoint, a part or a finished file gives no wrong number with exit code 0.
# A damaged part is named, kept, and its runs are computed again; `sweep verify` finds each flip, and what else may
# become of a file. SW_FLIPS: how many flips each (24; at night 200); SW_SMALL: few.
cd "$(dirname "$0")/../.." || exit 1
. tests/helpers/helpers.sh || exit 1
[ -n "$python" ] || { summary; exit; }
export OMP_NUM_THREADS=1
flips=${SW_FLIPS:-${SW_SMALL:+8}}
flips=${flips:-${SW_LONG:+200}}
flips=${flips:-24}
sed 's/dt = 0.05/dt = 0.004/; s/n = 48/n = 256/; s/end, 6/end, 41/; s/; precision = "single"//' \
    "$top/configs/tiny_ch.cfg" >c.cfg
config=c.cfg common=(--device cpu -s run.batch=4)
expect 0 run $config -o whole.h5 "${common[@]}" -q

# ---- a sweep that was stopped in its second or third batch, and once more in the same one: a part with runs that are
# done, and two checkpoints in a chain
count() { find stopped.h5.d -name 'part-*.h5' 2>/dev/null | wc -l; }
stops() { slowly "$1" "$sweep" "${@:2}" --device cpu --max-time 1s >out 2>err; [ $? = 75 ]; }
midway() {  # whether runs of it are in the middle: a stop may meet the end of a batch
    rm -rf x.h5*
    cp -r stopped.h5.d x.h5.d
    "$sweep" resume x.h5 --device cpu >out 2>err
    grep -q ' from step ' err
}
stops_twice() {  # how often the program looks at the clock depends on what else the machine does
    local look again
    for look in 0.001 0.002 0.004 0.006 0.008 0.01 0.014 0.02 0.03 0.05 0.1; do
        rm -rf stopped.h5*
        stops $look run $config -o stopped.h5 -s run.batch=4 && [ "$(count)" -ge 2 ] && [ "$(count)" -le 3 ] || continue
        for again in 0.02 0.03 0.04 0.05 0.07 0.1 0.15 0.2 0.3; do
            rm -rf before
            cp -r stopped.h5.d before
            stops $again resume stopped.h5 && [ "$(count)" -gt "$(find before -name 'part-*.h5' | wc -l)" ] &&
                [ "$(count)" -ge 3 ] && midway && return
            rm -rf stopped.h5*; mv before stopped.h5.d
        done
    done
    return 1
}
stops_twice || stops_twice
expect 0 verify stopped.h5
parts=(stopped.h5.d/part-*.h5)
[ "$(grep -c '^whole' out)" = ${#parts[@]} ] && [ ${#parts[@]} -ge 3 ] || {
    fail "no three parts: ${parts[*]}"
    summary
}

py - "$sweep" $config "$flips" "$top/tests/helpers/compare_h5.py" <<'PY' >out 2>err || fail 'flips of bits'
"""Flip bits one at a time; run, resume, merge, show and verify what comes of it."""
import os
import random
import shutil
import subprocess
import sys

sweep, config, flips, compare = sys.argv[1:]
flips = int(flips)
random.seed(7)
failures = []
again = []


def call(*arguments):
    done = subprocess.run([sweep, *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout, done.stderr


def flip(path, bit):
    with open(path, "r+b") as f:
        f.seek(bit // 8)
        byte = f.read(1)[0]
        f.seek(bit // 8)
        f.write(bytes([byte ^ 1 << bit % 8]))


def bits(path, count):
    """Places in a file: all over it, each eighth in what ends it."""
    size = 8 * os.path.getsize(path)
    return [size - 1 - random.randrange(8 * 200) if k % 8 == 0 else random.randrange(size) for k in range(count)]


def clear():
    shutil.rmtree("x.h5.d", ignore_errors=True)
    for name in os.listdir("."):
        if name.startswith(("x.h5", "m.h5")):
            os.unlink(name)


def of_parts(names, count):
    for k in range(count):
        name = names[k % len(names)]
        clear()
        shutil.copytree("stopped.h5.d", "x.h5.d")
        part = f"x.h5.d/{name}"
        bit = bits(part, 8)[k % 8]
        flip(part, bit)
        where = f"{name}, bit {bit} of {8 * os.path.getsize(part)}"
        code, out, _ = call("verify", "x.h5")
        if code != 5 or f"damaged       {part}" not in out:
            failures.append(f"verify does not find {where}: {code} {out}")
        code, _, err = call("resume", "x.h5", "--device", "cpu")
        if code == 5 and "is damaged, its config too" in err:
            failures.append(f"resume of {where}: {err}")
        if code:
            failures.append(f"resume of {where}: exit code {code}: {err}")
        kept = f"kept     {part}.damaged, until x.h5 has"
        if f"warning: {part} is a damaged HDF5 file: " not in err or kept not in err:
            failures.append(f"{where} is not named: {err}")
        if os.path.exists("x.h5.d"):
            failures.append(f"{where}: left behind: {os.listdir('x.h5.d')}")
        if os.path.exists("x.h5"):
            again.append(f"again-{len(again)}.h5")
            os.rename("x.h5", again[-1])


def of_file(count):
    right = call("show", "whole.h5", "--csv")[1]
    for k, bit in enumerate(bits("whole.h5", count)):
        clear()
        shutil.copy("whole.h5", "x.h5")
        flip("x.h5", bit)
        code, out, err = call("verify", "x.h5")
        said = [int(word) for word in err.replace(":", "").split() if word.isdigit()]
        if code != 5 or not ("checksums at its end" in err or (len(said) > 1 and said[-2] <= bit // 8 <= said[-1])):
            failures.append(f"verify does not find bit {bit}: {code} {err}")
        code, out, _ = call("show", "x.h5", "--csv")
        if code not in (0, 5) or (code == 0 and out != right):
            failures.append(f"show, bit {bit}: {code} {out}")
        code, _, err = call("plot", "x.h5", "-o", "x.h5.png")
        if code != 5 or "checksum" not in err or os.path.exists("x.h5.png"):
            failures.append(f"plot, bit {bit}: {code} {err}")
        more = ["run", config, "-o", "x.h5", "--device", "cpu", "-s", "sweep.a=[0.0, 0.05, 0.1, 0.3]"]
        code, _, err = call(*([more, ["merge", "x.h5", "-o", "m.h5"]][k % 2]))
        if code not in (0, 5) or (code == 5 and "damaged" not in err):
            failures.append(f"merge or run, bit {bit}: {code} {err}")
        if code == 0 and k % 2:
            again.append(f"again-{len(again)}.h5")
            os.rename("m.h5", again[-1])
        elif code == 0:
            failures.append(f"run, bit {bit}: runs were added to a damaged file")


parts = sorted(name for name in os.listdir("stopped.h5.d") if name.endswith(".h5"))
of_parts(parts[-2:], flips)  # checkpoints
of_parts(parts[:1], flips)
of_file(flips)
clear()
for k in range(0, len(again), 50):
    done = subprocess.run([sys.executable, compare, "whole.h5", *again[k:k + 50]], capture_output=True, text=True)
    if done.returncode:
        failures.append(done.stdout + done.stderr)
print(f"{len(again)} results compared")
print("\n".join(failures[:20]), file=sys.stderr)
sys.exit(bool(failures))
PY
cat out

# ---- what else may become of a part: in each case it is kept until the sweep is through, also if that is stopped again
last=x.h5.d/${parts[-1]##*/}
ready() { rm -rf x.h5*; cp -r stopped.h5.d x.h5.d; }
through() {  # through WHAT TEXT: the part was set aside by a call that is stopped, and is gone when all runs are there
    cp "$last" harmed
    slowly 0.2 expect 75 resume x.h5 --device cpu --max-time 1s
    says "warning: $last$2"; says "kept     $last.damaged, until x.h5 has all runs"
    cmp -s harmed "$last.damaged" || fail "$1: it was not kept as it was"
    expect 0 resume x.h5 --device cpu
    ! grep -q warning err || fail "$1: it is named again, though it was set aside"
    [ ! -e x.h5.d ] || fail "$1: left behind: $(ls x.h5.d)"
    same whole.h5 x.h5
}
bytes=$(stat -c %s "${parts[-1]}")
ready; : >$last; through empty ' is not an HDF5 file'
ready; truncate -s $((bytes - 1)) $last
through 'a byte short' ' is a damaged HDF5 file: its end, where its checksums were'
ready; truncate -s $((bytes / 2)) $last; through half ' is a damaged HDF5 file: truncated file'
ready; printf 'x' >>$last; through 'a byte long' ' is a damaged HDF5 file: its end, where its checksums were'
ready; tail -c 96 $last >end; cat end >>$last; through 'two ends' ' is a damaged HDF5 file: the checksums at its end'
ready; py -c "import h5py; h5py.File('$last', 'r+').close()"; through changed ' has lost its checksums: '
# all that there is, and with it the config
ready; rm x.h5.d/part-*; cp "${parts[0]}" x.h5.d/part-000001.h5
printf 'zeros' | dd of=x.h5.d/part-000001.h5 bs=1 seek=100 conv=notrunc status=none
expect 5 resume x.h5; says 'x.h5: all that there is of it, in x.h5.d, is damaged, its config too: `sweep run CONFIG -o'
expect 0 run $config -o x.h5 "${common[@]}"; says 'kept     x.h5.d/part-000001.h5.damaged'; same whole.h5 x.h5
# a look changes nothing
ready; truncate -s 5000 $last
for command in 'status x.h5' 'check c.cfg -o x.h5' 'show x.h5' 'resume -n x.h5'; do
    expect 0 $command
    [ -e $last ] && [ ! -e $last.damaged ] || fail "sweep $command renames a part"
done
expect 5 verify x.h5; says "$last is a damaged HDF5 file: truncated file"

# ---- parts of a build that wrote no checksums: they are gone on with; an id of none of the runs is damage
ready; without_checksums x.h5.d/part-*.h5
expect 1 verify x.h5; prints "no checksums  $last: an earlier build of sweep wrote it"
expect 0 resume x.h5 --device cpu; says ' from step '; same whole.h5 x.h5
for number in 1 ${#parts[@]}; do
    ready; without_checksums x.h5.d/part-*.h5
    py - x.h5.d/part-00000$number.h5 <<'PY'
import sys
import h5py
import numpy as np
with h5py.File(sys.argv[1], "r+") as h:
    h["run_id"][0] ^= np.uint64(1) << np.uint64(50)
PY
    expect 0 resume x.h5 --device cpu; same whole.h5 x.h5
    [ ! -e x.h5.d ] || fail "an id that flipped: left behind: $(ls x.h5.d)"
done

# ---- finished files
cp whole.h5 f.h5
expect 0 verify f.h5 whole.h5; prints 'whole         f.h5: '; [ "$(wc -l <out)" = 2 ] || fail 'verify of two files'
expect 0 verify -q f.h5; silent out
expect 0 show whole.h5; matches '^written 20.*Z · (verified on 20.*Z|not verified since \(`sweep verify`\))$'
if py -c 'import os; os.getxattr("whole.h5", "user.sweep.verified")' 2>/dev/null; then
    matches ' · verified on 20'
    expect 0 show whole.h5 --json; matches '"verified": "20.*Z"'
    # what has changed, for all that is known, though its length and its time are the same; and a copy
    cp -a whole.h5 copied.h5; expect 0 show copied.h5; prints 'not verified since'
    expect 0 verify copied.h5; expect 0 show copied.h5; prints 'verified on 20'
    sleep 0.2; touch -r copied.h5 time
    printf 'x' | dd of=copied.h5 bs=1 seek=$(($(stat -c %s copied.h5) / 2)) conv=notrunc status=none
    touch -r time copied.h5
    expect 0 show copied.h5; prints 'not verified since'
    expect 0 show whole.h5; prints 'verified on 20'
    touch whole.h5; expect 0 show whole.h5; prints 'not verified since'
else
    skipped 'when a file was verified: the file system keeps no attributes'
fi
expect 0 verify f.h5 --json; is_json out; prints '"verdict": "whole"'
size=$(stat -c %s f.h5)
for harm in 'truncate -s -1' 'truncate -s 5000' 'truncate -s 0' 'truncate -s +1' 'truncate -s +4096'; do
    cp whole.h5 f.h5; $harm f.h5
    expect 5 verify f.h5; prints 'damaged       f.h5'; says 'error: f.h5 is '; says 'copy it once more from where'
    expect 5 merge f.h5 -o m.h5
done
cp whole.h5 f.h5; tail -c 96 f.h5 >end; cat end >>f.h5
expect 5 verify f.h5; says 'the checksums at its end are not what was written'
cp whole.h5 f.h5; py -c 'import h5py; h5py.File("f.h5", "r+").attrs["mine"] = 1'
expect 5 verify f.h5; says 'f.h5 was changed after sweep had written it, by a program that opened it to write'
prints 'changed       f.h5'; says 'if its numbers are what they should be, `sweep merge f.h5 -o NEW.h5` gives them new'
expect 5 verify f.h5 --json; is_json out; prints '"verdict": "changed"'
expect 0 show f.h5; prints 'no checksums'
expect 0 merge f.h5 -o m.h5; says 'warning: f.h5 was changed after sweep had written it'; same whole.h5 m.h5
expect 0 verify m.h5
without_checksums f.h5
expect 1 verify f.h5; prints 'no checksums  f.h5'
expect 0 verify whole.h5 m.h5
expect 5 verify f.h5 absent.h5; says 'absent.h5: there is no such file'
expect 5 verify "$top/README.md"; says 'README.md is not an HDF5 file'
# neither what another program wrote, nor what it has open to write, is damaged
py -c 'import h5py; h5py.File("foreign.h5", "w")["u"] = [1.0, 2.0]'
expect 5 verify foreign.h5; prints 'other         foreign.h5'
says 'foreign.h5 is an HDF5 file, but not one that sweep has'
grep -q compute err && fail 'what is of another program is to be computed'
cp whole.h5 newer.h5; py -c 'import h5py; h5py.File("newer.h5", "r+").attrs["sweep_schema"] = "99.0"'
expect 5 verify newer.h5; prints 'other         newer.h5'
says 'is written by a newer sweep (schema 99.0; this one reads'
ready; cp whole.h5 held.h5
$python - x.h5.d/part-000001.h5 <<'PY' & holding=$!
import h5py, os, sys, time
held, part = h5py.File("held.h5", "r+"), h5py.File(sys.argv[1], "r+")
begun = h5py.File("begun.h5", "w", libver="latest")
for f in (held, part): f.attrs["mine"] = 1; f.flush()
begun["u"] = [1.0]
open("holds", "w").close()
while os.path.exists("holds"): time.sleep(0.05)
PY
for ((k = 0; k < 600; k++)); do [ -e holds ] && break; sleep 0.1; done
printf '%s\n' 'problem = "heat"; physics = { kappa = 1.0; }; grid = { n = 16; length = 1.0; };' \
    'time = { dt = 0.01; end = 0.1; }; initial = { file = "begun.h5"; }; run = { device = "cpu"; };' >reads.cfg
told='is open in another program, which writes into it: close it there, then run the same command'
for command in 'verify held.h5' 'verify x.h5' 'resume x.h5' 'show begun.h5' 'verify begun.h5' \
    'merge begun.h5 -o n.h5' 'run c.cfg -o begun.h5 --force'; do
    expect 5 $command; says "$told"
    grep -qE 'damaged|comput' out err && fail "$command: what another program has open is damaged, or to be computed"
done
expect 3 check reads.cfg; says "it $told"
expect 0 show held.h5; prints 'no checksums'
[ -e x.h5.d/part-000001.h5 ] || fail 'a part that another program has open is put aside'
rm holds; wait $holding
expect 5 verify held.h5; prints 'changed       held.h5'
# whose numbers are damaged is said
py - <<'PY' || fail 'a bit of the fifth run'
import h5py
with h5py.File("whole.h5") as h:
    u = h["u"]
    at = u.id.get_offset() + int(4.5 * u.size * u.dtype.itemsize / 12)
with open("whole.h5", "rb") as f:
    data = bytearray(f.read())
data[at] ^= 1
open("f.h5", "wb").write(data)
PY
expect 5 verify f.h5; matches '^damaged       f.h5: 1 of [0-9]+ blocks of 64 KiB, with u of runs 4(..5)?$'
expect 5 run $config -o f.h5 "${common[@]}" -s 'sweep.a=[0.0, 0.05, 0.1, 0.3]'
says 'move it away, and the same command computes its runs again'
# h5py, by which pictures are drawn, knows nothing of what was behind the end
truncate -s -10 f.h5; expect 5 plot f.h5 -o f.png; says 'its end, where its checksums were, was cut off or added to'
cp whole.h5 changed.h5; py -c "import h5py; h5py.File('changed.h5', 'r+').close()"
if py -c 'import matplotlib' 2>/dev/null; then
    expect 0 plot changed.h5 -o f.png; says 'warning: changed.h5 was changed after sweep had written it, and has no'
fi
# a virtual file: each file has its own
for k in 1 2; do expect 0 run $config -o s.h5 "${common[@]}" -q --shard $k/2; done
expect 0 merge s.shard-1-of-2.h5 s.shard-2-of-2.h5 -o v.h5 -q; as_virtual v.h5 s.shard-*.h5
expect 1 verify v.h5; [ "$(grep -c '^whole' out)" = 2 ] || fail 'verify of a virtual file'
printf 'x' | dd of=s.shard-2-of-2.h5 bs=1 seek=$(($(stat -c %s s.shard-2-of-2.h5) / 2)) conv=notrunc status=none
expect 5 verify v.h5; prints 'damaged       s.shard-2-of-2.h5'
[ "$(grep -c '^whole' out)" = 1 ] || fail 'the other one is whole'
expect 5 merge v.h5 -o m.h5 --force; says 's.shard-2-of-2.h5 is a damaged HDF5 file: by their checksum, bytes'
expect 5 plot v.h5 -o v.png; says 's.shard-2-of-2.h5 is a damaged HDF5 file: by their checksum, bytes'
# a sweep that is lengthened continues from no state that is damaged
expect 0 run $config -o l.h5 "${common[@]}" -q -s output.state=true -s 'output.fields.times="linspace(0, 10, 41)"'
py - <<'PY' || fail 'a bit of a state'
import h5py
with h5py.File("l.h5") as h:
    at = h["state_last"].id.get_offset() + 3000
with open("l.h5", "r+b") as f:
    f.seek(at)
    f.write(b"flip")
PY
expect 5 run $config -o l.h5 "${common[@]}" -q -s output.state=true -s time.end=11.0 \
    -s 'output.fields.times="linspace(0, 10, 41)"'
says 'l.h5 is a damaged HDF5 file: by their checksum, bytes'
summary "$flips flips each in checkpoints, parts and files"
