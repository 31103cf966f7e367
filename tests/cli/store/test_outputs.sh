#!/bin/bash
# What an output may replace: only a file that sweep has written, whatever the options say; a symbolic link is followed;
# folders, devices and pipes are refused before anything is computed. And what is said is said: where stdout, stderr,
# the log or a table cannot be written, the exit code is 5.
cd "$(dirname "$0")/../../.." || exit 1
. tests/helpers/helpers.sh || exit 1
export OMP_NUM_THREADS=1
three_heats >o.cfg
computed() { grep -q '^plan' err; }

# ---- a file that is not ours, a folder, a device, a pipe: with --force and without
mkdir folder far
mkfifo pipe
printf 'precious\n' >precious
: >empty
cp o.cfg own.cfg
[ -z "$python" ] || py -c 'import h5py; h5py.File("other.h5", "w").attrs["title"] = "foreign"' || fail 'h5py'
[ -e other.h5 ] || printf 'precious\n' >other.h5
mknod device c 1 3 2>/dev/null || ln -s /dev/null device
"$sweep" run -q o.cfg -o torn.h5 || fail 'torn.h5'
truncate -s 3000 torn.h5
md5sum own.cfg precious empty other.h5 torn.h5 >sums
for name in own.cfg precious empty other.h5 torn.h5 folder device pipe .; do
    for force in --force ''; do
        timeout 20 "$sweep" run own.cfg -o $name $force >out 2>err
        [ $? = 5 ] || fail "run -o $name $force: not 5"
        says "error: $name is "
        computed && fail "run -o $name $force: it began to compute"
        [ -n "$force" ] && says 'only an output of sweep is ever replaced: use -o FILE, or move it away'
    done
done
for name in folder/ nothing/; do
    expect 2 run own.cfg -o $name --force; says "'$name' names a folder; an output is a file"
done
"$sweep" run -q o.cfg || fail 'o.h5'
for name in own.cfg precious empty other.h5 torn.h5 folder device pipe .; do
    expect 5 merge o.h5 -o $name --force; says 'only an output of sweep is ever replaced'
    expect 5 merge o.h5 -o $name
done
md5sum --quiet -c sums || fail 'a file was replaced'
[ -d folder ] && [ -p pipe ] && [ -c device ] || fail 'a folder, a pipe or a device was replaced'

# ---- what lies where an output is prepared
mkdir mine
for name in p.h5.tmp p.h5.new p.h5.longer; do cp o.h5 $name; done  # of sweep, and yet not this sweep's to remove
printf 'precious\n' >p.xdmf.tmp
md5sum p.* >mine/sums
expect 0 run o.cfg -o p.h5
expect 0 run o.cfg -o p.h5 --force
expect 0 merge o.h5 -o p.h5 --force
expect 0 xdmf p.h5
md5sum --quiet -c mine/sums || fail 'a file of the user was written into, or is gone'
rm p.h5.* p.xdmf.tmp p.xdmf
printf 'precious\n' >.sweep-p.h5.new
expect 5 run o.cfg -o p.h5 --force; says '.sweep-p.h5.new is not an HDF5 file; only an output'
grep -q precious .sweep-p.h5.new || fail '.sweep-p.h5.new was replaced'
ln -sf o.h5 .sweep-p.h5.new
expect 5 run o.cfg -o p.h5 --force; says '.sweep-p.h5.new is in the way, and is no file of yours: move it away'
rm .sweep-p.h5.new
mkdir p.xdmf; expect 5 xdmf p.h5; says 'p.xdmf is a folder, not a file'; rmdir p.xdmf

# ---- a symbolic link stays one, and its end is the output: not there yet, replaced, added to
ln -s far/end.h5 link.h5
ln -s "$tmp/link.h5" again.h5
expect 0 run o.cfg -o again.h5; says 'far/end.h5'; same far/end.h5 o.h5
expect 0 run o.cfg -o again.h5 --force; says 'done     3 ok'
expect 0 run o.cfg -o again.h5 -s 'sweep.k=[1.0, 2.0, 3.0, 4.0]'; says '1 of 4 runs left'
expect 0 show again.h5; expect 0 status again.h5; prints '4 done'
expect 0 resume again.h5; says 'nothing to do: 4 done'
expect 0 merge o.h5 -o again.h5 --force; same far/end.h5 o.h5
ln -s end-too.xdmf far/end.xdmf
expect 0 xdmf again.h5; [ -f far/end-too.xdmf ] || fail 'an .xdmf by a link'
[ -L again.h5 ] && [ -L link.h5 ] && [ ! -L far/end.h5 ] && [ -L far/end.xdmf ] || fail 'a link was replaced'
[ "$(find . -name '*.d' -o -name '.sweep-*' -o -name '*.tmp')" = '' ] || fail "left behind: $(find . -name '*.d')"
# while it is under way, by either name
expect 75 run o.cfg -o again.h5 --force -s time.end=1e6 -s 'output.fields.times=[1e6]' --max-time 0.01s
[ -d far/.sweep-end.h5.new.d ] || fail 'parts do not lie beside the end of the link'
rm -r far/end.h5 far/.sweep-end.h5.new.d
expect 75 run o.cfg -o again.h5 -s time.end=1e6 -s 'output.fields.times=[1e6]' --max-time 0.01s
expect 0 status again.h5; prints 'interrupted'
ln -s a b; ln -s b a
expect 5 run o.cfg -o a; says 'a: Too many levels of symbolic links'

# ---- a log, or a table, is not added to what is not one
md5sum own.cfg o.h5 >sums
for name in own.cfg o.h5; do
    expect 5 run o.cfg --log-json $name; says "$name is there and was not written by sweep, so nothing is added to it"
done
expect 5 run o.cfg --log-json folder; says 'folder: Is a directory'
md5sum --quiet -c sums || fail 'something was added to a file'
expect 0 run o.cfg --log-json log; expect 0 run o.cfg --log-json log
[ "$(grep -c '"event": "start"' log)" = 2 ] || fail 'two calls into one log'

# ---- what cannot be written is told: the log, with how many events it lacks; the result is there all the same
expect 5 run o.cfg -o l.h5 --log-json /dev/full
says 'warning: /dev/full: No space left on device; the sweep continues, but its log lacks lines'
says 'done     3 ok'
grep -qE '^error: /dev/full: No space left on device; [4-9] events are not in it' err || fail 'the end of the log'
same l.h5 o.h5
expect 75 run o.cfg -o m.h5 --log-json /dev/full -s time.end=1e6 -s 'output.fields.times=[1e6]' --max-time 0.01s
grep -qE '^error: /dev/full: .* events are not in it' err || fail 'a log that is stopped'
(ulimit -f 1; exec "$sweep" run o.cfg -q -o n.h5 --log-json small.log) 2>err; code=$?
[ $code = 5 ] || fail "a log that may not grow: $code"
# every command on a stdout that is full
for command in 'show o.h5' 'show --csv o.h5' 'show --json o.h5' 'show --run 0 o.h5' 'status o.h5' 'status --json o.h5' \
    'status --watch o.h5' 'check o.cfg' 'check --list o.cfg' 'run -n o.cfg' list explain 'explain time.dt' init \
    'init heat' --version --help 'run --help' 'bench --help' 'bench --list' 'explain --man'; do
    timeout 60 "$sweep" $command >/dev/null 2>err || continue  # not every one is there
    timeout 60 "$sweep" $command >/dev/full 2>err
    code=$?
    [ $code = 5 ] || fail "$command >/dev/full: exit code $code"
    says 'error: standard output: could not write all of it'
done
# and on a stderr that is; one that is closed, or is a terminal that is gone, wants to hear nothing
rm -f l.h5
"$sweep" run o.cfg -o l.h5 >out 2>/dev/full; code=$?
[ $code = 5 ] || fail "stderr is full: exit code $code"
same l.h5 o.h5
rm -f l.h5; "$sweep" run o.cfg -o l.h5 2>&-; code=$?
[ $code = 0 ] || fail "stderr is closed: exit code $code"
rm -f l.h5; "$sweep" run o.cfg -q -o l.h5 2>/dev/full; code=$?
[ $code = 0 ] || fail "nothing is said: exit code $code"
# ---- what would fail at the end, after hours, is refused at the start
keeps() {  # keeps WHY ARGUMENT...
    expect 5 run -q o.cfg -o kept.h5 "${@:2}"
    says "error: kept.h5: $1: results could not get this name at the end"
    [ -z "$(find . -name 'kept.h5.d' -o -name '.sweep-*')" ] || fail "$1: something is left"
}
other=(-s 'time.dt=5.0e-6' --force)
cp o.h5 kept.h5
if chattr +i kept.h5 2>/dev/null; then
    keeps 'Operation not permitted' "${other[@]}"
    chattr -i kept.h5
else skipped 'a file that is immutable'; fi
if mount --bind o.h5 kept.h5 2>/dev/null; then
    keeps 'Device or resource busy' "${other[@]}"
    umount kept.h5
else skipped 'a file that is mounted'; fi
mkdir -m 1777 shared
cp o.h5 shared/kept.h5; chmod 666 shared/kept.h5
if [ "$(id -u)" = 0 ] && setpriv --reuid=65534 --clear-groups "$sweep" --version >/dev/null 2>&1; then
    chmod a+rx .
    cp o.cfg shared
    (cd shared && setpriv --reuid=65534 --clear-groups "$sweep" run -q o.cfg -o kept.h5 "${other[@]}") 2>err
    says "error: kept.h5: Operation not permitted: results could not get this name"
    [ -z "$(find shared -name '*.d' -o -name '.sweep-*')" ] || fail "a folder with the sticky bit: something is left"
else skipped "another user's file in a folder with the sticky bit"; fi
same o.h5 kept.h5
expect 2 run o.cfg -o log.h5 --log-json log.h5; says '--log-json log.h5 is the output file as well'
[ -z "$(find . -name 'log.h5*')" ] || fail 'an output that is its own log: something is left'
ln -s log.h5 link.json
expect 2 run o.cfg -o log.h5 --log-json link.json; says 'is the output file as well'
[ -h link.json ] && [ ! -e log.h5 ] || fail "a log by a link to the output: $(ls log.h5 link.json 2>&1)"
for name in log.h5.d ./log.xdmf "$PWD/log.h5.d/log"; do  # what belongs to it, too
    [ "${name##*/}" != log ] || mkdir log.h5.d
    expect 2 run o.cfg -o log.h5 --log-json "$name"; says "--log-json $name is the output file as well, or what belongs"
    [ ! -f "$name" ] || fail "$name is left"
done
rmdir log.h5.d || fail 'a log among the parts: something is left'
expect 5 run o.cfg --force -o kept.h5 --log-json ./kept.h5; same o.h5 kept.h5
# every command takes a name, or none does
name=$(printf 'n%.0s' {1..240})
for command in "run o.cfg -o $name" "show $name" "verify $name" "status $name" "merge o.h5 -o $name" "xdmf $name" \
    "resume $name"; do
    expect 2 $command; says 'has more than 239 bytes'
done
name=${name%n}
expect 0 run -q o.cfg -o $name; expect 0 run -q o.cfg -o $name "${other[@]}"; expect 0 show $name
summary
