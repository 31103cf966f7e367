#!/bin/bash
# What somebody else may have put where sweep writes: links in place of files, a folder of another user or one that
# others may write into, pipes and devices. No file is written into that is not the program's own, and nothing waits.
cd "$(dirname "$0")/../.." || exit 1
. tests/helpers/helpers.sh || exit 1
export OMP_NUM_THREADS=1
umask 022
three_heats >o.cfg
"$sweep" run -q o.cfg || fail 'o.h5'
long=(-s time.end=1e6 -s 'output.fields.times=[1e6]' --max-time 0.01s)  # ends at a checkpoint
# within CODE ARGUMENT...: the same as expect, and in 20 s
within() {
    local code=$1
    shift
    timeout -k 1 20 "$sweep" "$@" >out 2>err </dev/null
    local got=$?
    [ $got = "$code" ] || fail "sweep $*: exit code $got, expected $code"
}

# ---- links that lead to files of the user
printf 'precious\n' >precious
cp precious kept
untouched() {
    cmp -s precious kept && [ "$(stat -c %h precious)" = 1 ] || fail "$1: a file of the user was written into"
}
mkdir a.h5.d
ln -s "$tmp/precious" a.h5.d/lock
within 5 run o.cfg -o a.h5; says 'a.h5.d/lock is a link, a device or a pipe, and was not made by sweep: remove it'
untouched 'the lock'
rm a.h5.d/lock
ln precious a.h5.d/lock
within 5 run o.cfg -o a.h5; says 'a.h5.d/lock is a link'
rm a.h5.d/lock
untouched 'the lock'
mkfifo a.h5.d/lock
within 5 run o.cfg -o a.h5; says 'a.h5.d/lock is a link, a device or a pipe'
within 5 status a.h5
rm a.h5.d/lock
for name in status.json status.json.new part-000001.h5.tmp part-000002.h5.tmp; do
    ln -s "$tmp/precious" a.h5.d/$name
done
for name in .h5.tmp .h5.new .h5.new.d .xdmf.tmp; do ln -s "$tmp/precious" a$name; done
within 0 run o.cfg -o a.h5
within 0 run o.cfg -o a.h5 --force
within 0 xdmf a.h5
untouched 'a run, a replacement, an xdmf'
[ -L a.h5.tmp ] && [ -L a.h5.new ] && [ -L a.xdmf.tmp ] || fail 'a link of the user is gone'
same a.h5 o.h5
rm -rf a.*
ln -s "$tmp/precious" .sweep-o.h5.new
within 5 run o.cfg --force; says '.sweep-o.h5.new is in the way, and is no file of yours'
untouched 'what a replacement grows in'
rm .sweep-o.h5.new

# ---- the folder of a submission
mkdir bin a.h5.jobs
printf '#!/bin/sh\necho 17\n' >bin/sbatch
chmod +x bin/sbatch
for name in sweep.cfg.tmp arguments.tmp shards.sh.tmp merge.sh.tmp sweep.cfg shards.sh merge.sh; do
    ln -s "$tmp/precious" a.h5.jobs/$name
done
PATH="$tmp/bin:$PATH" within 0 submit o.cfg -o a.h5 --shards 2
untouched 'a submission'
[ -f a.h5.jobs/shards.sh ] && [ ! -L a.h5.jobs/shards.sh ] || fail 'a script is a link'
ln -sf "$tmp/precious" a.h5.jobs/jobs
PATH="$tmp/bin:$PATH" within 5 submit --missing a.h5
untouched 'the list of jobs'
chmod 777 a.h5.jobs
PATH="$tmp/bin:$PATH" within 5 submit --missing a.h5; says 'a.h5.jobs may be written by anyone'
rm -r a.h5.jobs

# ---- who may write into the folder of the parts
within 75 run o.cfg -o w.h5 "${long[@]}"
[ "$(stat -c %a w.h5.d)" = 755 ] || fail "mode of a new folder: $(stat -c %a w.h5.d)"
chmod o+w w.h5.d
within 5 run o.cfg -o w.h5 "${long[@]}"; says 'w.h5.d may be written by anyone on this machine'
within 5 resume w.h5 --max-time 0.01s; says 'w.h5.d may be written by anyone'
within 5 merge o.h5 -o w.h5; says 'w.h5.d may be written by anyone'
within 5 resume w.h5 --max-time 0.01s --trust group; says 'w.h5.d may be written by anyone'
within 75 resume w.h5 --max-time 0.01s --trust anyone
within 0 status w.h5
chmod 775 w.h5.d
if [ "$(id -gn)" = "$(id -un)" ]; then within 75 resume w.h5 --max-time 0.01s; fi  # the user's own private group
within 2 resume w.h5 --trust me; says '--trust takes nobody, group or anyone'
(umask 002; within 75 run o.cfg -o u.h5 "${long[@]}"; within 75 run o.cfg -o u.h5 "${long[@]}")
mkdir g.h5.d
if [ "$(id -u)" = 0 ] && getent group daemon >/dev/null; then
    chgrp daemon g.h5.d
    chmod 2775 g.h5.d
    within 5 run o.cfg -o g.h5; says 'g.h5.d may be written by the group daemon'; says '--trust group'
fi
(umask 002; within 75 run o.cfg -o t.h5 --trust group "${long[@]}")
[ "$(stat -c %a t.h5.d)" = 775 ] || fail "mode of a folder for the group: $(stat -c %a t.h5.d)"

# ---- another user: his folder, his link to a folder of ours
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    chmod 755 "$tmp"
    mkdir shared
    chmod 1777 shared
    as_other() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
    as_other mkdir shared/x.h5.d
    as_other ln -s "$tmp/precious" shared/x.h5.d/status.json
    within 5 run o.cfg -o shared/x.h5; says 'shared/x.h5.d belongs to '; says ', who can put anything there'
    as_other rm -r shared/x.h5.d
    as_other ln -s "$tmp/w.h5.d" shared/x.h5.d
    chmod 755 w.h5.d
    : >w.h5.d/part-000077.h5.tmp
    within 5 run o.cfg -o shared/x.h5; says 'shared/x.h5.d is a link that belongs to '
    [ -e w.h5.d/part-000077.h5.tmp ] || fail 'what is in another folder is gone'
    as_other rm shared/x.h5.d
    # his links do not say where an output goes; what is only read may be behind one
    mkdir -m 755 home
    cp o.h5 home/
    for name in l.h5 l.xdmf; do as_other ln -s "$tmp/home/$name" shared/$name; done
    as_other ln -s "$tmp/home/o.h5" shared/k.h5
    within 5 run o.cfg -o shared/l.h5; says 'shared/l.h5 is a link that belongs to '
    within 5 run o.cfg -o shared/k.h5 --force; says 'shared/k.h5 is a link that belongs to '
    within 5 merge o.h5 -o shared/l.h5; says 'shared/l.h5 is a link that belongs to '
    within 5 xdmf shared/k.h5; says 'shared/k.h5 is a link that belongs to '
    within 0 show shared/k.h5
    within 0 status shared/k.h5
    cp o.h5 shared/m.h5
    as_other ln -s "$tmp/home/l.xdmf" shared/m.xdmf
    within 5 xdmf shared/m.h5; says 'shared/m.xdmf is a link that belongs to '
    cmp -s o.h5 home/o.h5 && [ "$(ls home)" = o.h5 ] || fail "written through a link of another user: $(ls home)"
    within 0 run o.cfg -o shared/l.h5 --trust anyone
    [ -f home/l.h5 ] || fail '--trust anyone: a link is not followed'
    # the other way round: he looks at a sweep, and cannot take it
    within 75 run o.cfg -o shared/mine.h5 "${long[@]}"
    if as_other test -x "$sweep"; then
        as_other "$sweep" status shared/mine.h5 >out 2>err || fail 'status of the sweep of another user'
        as_other "$sweep" resume shared/mine.h5 >out 2>err && fail 'another user goes on with a sweep'
    else
        skipped 'what another user sees: he may not run the program from here'
    fi
    as_other mkdir -p shared/y.h5.jobs
    printf -- '--shards\n2\n' | as_other tee shared/y.h5.jobs/arguments >/dev/null
    PATH="$tmp/bin:$PATH" within 5 submit --missing shared/y.h5; says 'shared/y.h5.jobs belongs to '
else
    skipped 'folders of another user: this is not root, or there is no setpriv'
fi

# ---- the plot script beside the program: not of somebody else, and not one that others may write into
mkdir -p place/bin place/share/sweep/sweep_plot place/share/sweep/pysweep
cp "$sweep" place/bin/sweep
printf 'print("ran")\n' >place/share/sweep/plot.py
plot() { place/bin/sweep plot o.h5 >out 2>err; }
plot && grep -q ran out || fail 'a plot script of this user'
for name in plot.py sweep_plot pysweep .; do
    chmod o+w place/share/sweep/$name
    plot && fail "plot ran a script that others may write into: $name"
    says 'may be written by others than its owner, and is not run'
    chmod o-w place/share/sweep/$name
done
if [ "$(id -u)" = 0 ]; then
    for name in plot.py sweep_plot pysweep .; do
        chown 65534 place/share/sweep/$name
        plot && fail "plot ran a script of another user: $name"
        says ', and is not run'
        chown 0 place/share/sweep/$name
    done
    chown 65534 place/share/sweep/plot.py
    SWEEP_SHARE=$tmp/place/share/sweep plot || fail 'SWEEP_SHARE names it'
fi

# ---- pipes and devices are refused at once
mkfifo pipe
ln -s /dev/zero zero
for name in pipe zero; do
    within 5 run $name -o f.h5; says "cannot read $name: it is a device or a pipe, not a file"
    within 5 check $name; says "cannot read $name: it is a device or a pipe"
    within 5 run o.cfg -o $name; says "error: "
    within 5 merge $name -o f.h5
    within 5 show $name
    within 5 resume $name
    within 5 status $name
    within 5 xdmf $name
done
timeout 20 "$sweep" check /dev/stdin <o.cfg >out 2>err || fail 'a config from stdin'
timeout 20 "$sweep" check <(cat o.cfg) >out 2>err || fail 'a config from a command'
within 5 run pipe -o folder/
mkfifo w.h5.d/status.json
within 0 status w.h5
within 75 run o.cfg -o w.h5 "${long[@]}"
[ -e w.h5.d/status.json ] && fail 'status.json is left'
mkfifo w.h5.d/part-000900.h5
within 5 run o.cfg -o w.h5; says 'w.h5.d/part-000900.h5 is a device or a pipe, not a file'
within 5 status w.h5
mkdir dir
within 2 run o.cfg -o dir/; says "'dir/' names a folder; an output is a file"; grep -q '^plan' err && fail 'it computed'
within 5 run o.cfg -o dir; says 'dir is a folder'; grep -q '^plan' err && fail 'it computed'
# a folder that is mistyped is not made; that of the config is, whatever the file in it is called
for call in 'run o.cfg' 'check o.cfg' 'submit o.cfg --shards 2 --print' 'merge o.h5'; do
    within 2 $call -o 'reslts of/mine/o.h5'
    says '-o reslts of/mine/o.h5: there is no folder reslts of/mine/; if it is not mistyped, `mkdir -p '
    says "\`mkdir -p 'reslts of/mine/'\` makes it"
done
[ -e 'reslts of' ] && fail 'a mistyped folder is made'
sed 's,"o.h5","results/new/o.h5",' o.cfg >new.cfg
within 2 run new.cfg -o results/other/p.h5
within 0 run new.cfg -o results/new/p.h5
within 0 run new.cfg -o dir/p.h5
rm -r results; within 0 run new.cfg
sed -i 's,"o.h5","dir/",' o.cfg
within 2 run o.cfg; says "'dir/' names a folder"
summary
