#!/bin/bash
# Mostly waits. What takes no output for a while (a pipe that nobody reads, a terminal at Ctrl-S, a FIFO that nobody has
# opened) holds up no steps, no --max-time and no signal; and where it is read in the end, nothing is lost.
cd "$(dirname "$0")/../.." || exit 1
. tests/helpers/helpers.sh || exit 1
export OMP_NUM_THREADS=1

cat > b.cfg <<'CFG'
problem = "heat";
grid    = { n = 16; length = 1.0; };
physics = { kappa = "k"; };
time    = { dt = 1.0e-3; end = 0.1; };
sweep   = { k = "linspace(0.1, 0.9, 200)"; };
initial = "cos(2*pi*x)";
output  = { fields = { times = [0.1]; }; };
run     = { device = "cpu"; batch = 1; };
CFG
endless=(-s time.end=1e7 -s 'output.fields.times=[1e7]')
mkfifo full
exec 3<>full
full() { timeout 1 head -c 1048576 /dev/zero >&3; }  # until it takes no more
emptied() { timeout 1 cat <&3 >read; }
# within SECONDS CODE COMMAND...
within() {
    local most=$1 code=$2 start=$SECONDS
    shift 2
    timeout -s KILL $((10 * most)) "$@"
    local got=$?
    [ $got = "$code" ] || fail "$*: exit code $got, expected $code"
    [ $((SECONDS - start)) -le "$most" ] || fail "$*: took $((SECONDS - start)) s"
}

# ---- a pipe on stderr
full
within 60 5 "$sweep" run b.cfg -v -o p.h5 2>&3  # it gives up at the end, and says by its code that not all is said
[ -e p.h5 ] && [ ! -e p.h5.d ] || fail 'a full pipe on stderr: no results'
full
within 30 75 "$sweep" run b.cfg -o q.h5 "${endless[@]}" --max-time 0.3s 2>&3
"$sweep" run b.cfg -o r.h5 "${endless[@]}" 2>&3 & running=$!
for ((k = 0; k < 600; k++)); do [ -e r.h5.d/status.json ] && break; sleep 0.1; done
kill -TERM $running
within 30 0 tail --pid=$running -f /dev/null
wait $running; code=$?
[ $code = 75 ] || fail "a signal, with a full pipe on stderr: exit code $code"
[ -e r.h5.d/part-000001.h5 ] || fail 'a signal, with a full pipe on stderr: no checkpoint'
emptied; full
"$sweep" run b.cfg -v -o s.h5 2>&3 & running=$!
for ((k = 0; k < 600; k++)); do [ -e s.h5 ] && break; sleep 0.1; done
[ -e s.h5 ] || fail 'a full pipe on stderr: no results before it is read'
cat <&3 >read & reading=$!
wait $running || fail 'a pipe that is read in the end: exit code'
sleep 1; kill $reading; tr -d '\0' <read >err
[ "$(grep -c '^batch  ' err)" = 200 ] || fail 'a pipe that is read in the end: some of 200 messages are lost'
says 'done     200 ok'
same s.h5 p.h5

# ---- a log that is a FIFO
mkfifo log
within 60 5 "$sweep" run b.cfg -o t.h5 --log-json log 2>err
says 'error: log: nobody reads it; 203 events are not in it'; says 'done     200 ok'
same t.h5 p.h5
"$sweep" run b.cfg -o u.h5 --log-json log 2>err & running=$!
for ((k = 0; k < 600; k++)); do [ -e u.h5 ] && break; sleep 0.1; done
cat log >events
wait $running || fail 'a FIFO that is read in the end: exit code'
[ "$(grep -c '^{"event": ' events)" = 203 ] || fail 'a FIFO that is read in the end: some of 203 events are lost'

# ---- a terminal
[ -n "$python" ] || { skipped 'a terminal'; summary; exit; }
cat >terminal.py <<'PY'
import os, pty, sys, time
sweep, pid = sys.argv[1], 0
pid, terminal = pty.fork()
if not pid:
    time.sleep(0.5)
    os.execv(sweep, [sweep, "run", "b.cfg", "-v", "-o", "v.h5"])
os.write(terminal, b"\x13")  # Ctrl-S
for k in range(600):
    if os.path.exists("v.h5"): break
    time.sleep(0.1)
assert os.path.exists("v.h5"), "no results while the terminal is held up"
time.sleep(0.5)
assert os.waitpid(pid, os.WNOHANG)[0] == 0, "does not wait for the person who has held it up"
os.write(terminal, b"\x11")  # Ctrl-Q
text = b""
while True:
    try: piece = os.read(terminal, 65536)
    except OSError: break
    if not piece: break
    text += piece
assert os.waitpid(pid, 0)[1] == 0, "exit code"
assert text.count(b"batch      batch ") == 200 and b"done     200 ok" in text, (text.count(b"batch      "), text[:3000])
PY
timeout 120 $python terminal.py "$sweep" 2>err || fail 'a terminal at Ctrl-S'
same v.h5 p.h5
summary
