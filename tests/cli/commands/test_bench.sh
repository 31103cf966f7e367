#!/bin/bash
# sweep bench: what it refuses, that rows are verified, and what it prints. Sizes are tiny and no time is judged.
# SWEEP is the program.
cd "$(dirname "$0")/../../.." || exit 1
. tests/helpers/helpers.sh || exit 1
subcommand=bench py_loads=matplotlib.pyplot

# ---- refused, with what is known
expect 2; says 'needs SPEC'
expect 2 wave:n=5; says "there is no benchmark 'wave'"
says 'known: '; for name in hyperdiffusion heat cahn_hilliard swift_hohenberg allen_cahn bvp compact advection band gradient; do says " $name"; done
expect 2 heat:n=32,speed=3; says "heat has no setting 'speed'"
says 'known: steps= batch= runs= per_run single forced n= length='; says ' dt= '; says ' kappa= order= '
expect 2 bvp:forced; says "bvp has no setting 'forced'"
says 'known: steps= batch= runs= per_run single problem=P1 problem=P2 n='; says ' r='; says ' left.dirichlet= '
expect 2 compact:forced; says "compact has no setting 'forced'"
says 'known: steps= batch= runs= split= along= single dimensions= n='; says ' boundary= axis= alpha='
expect 2 compact:axis=u; says "compact: error: 'axis' = \"u\" is none of x, y, z"
expect 2 compact:axis=z,dimensions=2; says "'axis' = \"z\": there is no z on a grid of 2 dimensions"
expect 2 compact:scheme=; says "'scheme' needs a value"
expect 2 compact:scheme=d1_c5; says "'scheme' = \"d1_c5\" is none of d1_c4"; says "did you mean 'd1_c4'?"
expect 2 compact:boundary=wall; says "'boundary' = \"wall\" is none of periodic, 3-4-6"
expect 2 gradient:axis=x; says "gradient has no setting 'axis'; known: steps= split= along= single dimensions= n="
expect 2 gradient:batch=2; says "gradient has no setting 'batch'"
expect 2 gradient:scheme=d2_c6; says 'the gradient takes a scheme of first derivatives'
expect 2 gradient:operator=laplacian; says "gradient has no setting 'operator'"
expect 2 compact:operator=laplacian,scheme=d2_c6; says 'operator=laplacian: derivative and gradient can be timed'
expect 2 gradient:boundary=wall; says "'boundary' = \"wall\" is none of periodic, 3-4-6"
expect 2 compact:n=4; says "'grid.n' = 4: d1_c6, periodic needs at least 5 points along x"
expect 2 bvp:problem=P3; says 'problem=P3: problem=P1 or problem=P2 is needed'
expect 2 bvp:n=100,r=51; says 'r = 51: at most n/2 = 50'
expect 2 bvp:r=worst; says "'r', column 1: unknown name 'worst'"
expect 2 bvp:n=63; says 'n = 63: at least 64 points are needed'
expect 2 bvp:n=2^; says "'grid.n', column 2: missing operand after '^'"
expect 2 bvp:n=2^41; says "'grid.n' = 2199023255552: must be at most 1e+12"
expect 2 bvp:single --rows cpu.a1d --device cpu; says "no row 'cpu.a1d'"
says 'those that do: cpu.scan cpu.a2sd cpu.a2s cpu.a1s'
expect 2 band:n=32,forced; says "band has no setting 'forced'"; says 'lower= upper= periodic uniform'
expect 2 heat:n=ten; says "heat: error: 'grid.n', column 1: unknown name 'ten'"
expect 2 band:n=ten; says "'n' needs a number, as in n=1024; got 'ten'"
expect 2 heat:n; says "'n' needs a value"
expect 2 heat:batch=2.5; says 'batch = 2.5: a whole number'
expect 2 heat:steps=0; says 'steps = 0: a whole number'
expect 2 heat:n=4; says "'grid.n' = 4: the stencil of heat needs at least 5 points"
expect 2 heat:kappa=-1; says "'physics.kappa' = -1: must be greater than 0"
expect 2 heat:output.file=5; says "'output.file'"
expect 2 heat:gird.n=5; says "unknown key 'gird'"
expect 5 no/such.cfg; says 'cannot read no/such.cfg'
expect 2 $top/configs/tiny_ch.cfg:per_run; says "cahn_hilliard has no setting 'per_run'"
for spec in heat:n=16,stepper=cpu.simd heat:n=16,solver=cpu.simd bvp:n=100,solver=cpu.scan bvp:n=100,stepper=x \
    compact:n=16,differences=cpu.simd compact:n=16,solver=x gradient:n=16,differences=x advection:n=16,solver=x \
    band:n=16,solver=x heat:stepper $top/configs/tiny_ch.cfg:stepper=cpu.simd $top/configs/tiny_bvp.cfg:solver=x; do
    expect 2 $spec; says 'all rows are timed; use --rows ROW for some of them'
done
expect 2 advection:n=16,stepper=none; says "'method' = \"none\""  # a former name of it
expect 2 bvp:n=100,r=0; says 'r = 0: at least 1 is needed'
expect 2 $top/configs/tiny_bvp.cfg:r=0; says 'r = 0: at least 1 is needed'
expect 2 hyperdiffusion:n=0; says "hyperdiffusion: error: 'grid.n' = 0: must be at least 1"
expect 2 compact:axis=w; says "'axis' = \"w\" is none of x, y, z"
expect 2 $top/configs/tiny_ch.cfg:time.dt=-1; says "cahn_hilliard: error: 'time.dt' = -1: must be"
printf 'problem = "heat";\ngird = 1;\n' >wrong.cfg
expect 3 ./wrong.cfg; says "wrong.cfg:2: error: unknown key 'gird'"
expect 3 ./wrong.cfg:kappa=-1; says "wrong.cfg:2: error: unknown key 'gird'"
expect 2 band:n=16,periodic=1; says "'periodic' takes no value"
expect 2 band:n=4,periodic; says 'at least 5 points are needed'
expect 2 band:lower=5; says 'a whole number from 0 to 4'
expect 2 heat:n=16 --rows cpu.none; says "no row 'cpu.none'"; says 'cpu.plain+cpu.thomas'
expect 2 heat:n=16 --rows cpu.plain+cpu.thomas@0; says '@T is a number of threads'
expect 2 heat:n=16 --device cpu --rows cpu.plain+cpu.thomas --baseline cpu.other
says "--baseline 'cpu.other' is not among the rows"
expect 2 heat:n=16 --repeats none; says '--repeats takes a whole number from 1 to 100000'
expect 2 heat:n=16 --longest 0; says '--longest takes a number of seconds above 0, at most 86400'
expect 2 heat:n=16 --csv --json; says 'exclude each other'
expect 2 heat:n=16 heat:n=17 --json; says '--json prints one object: one SPEC at a time, not 2'

# ---- every kind of work, every row that this machine has: verified. One command, so that devices are measured once
works=(compact:n=20,operator=gradient,dimensions=2
       hyperdiffusion:n=37,batch=5,per_run,steps=9 heat:n=24,batch=3,order=2,per_run heat:n=16,batch=2,forced
        heat:n=31,batch=40,single hyperdiffusion:n=37,batch=5,single,per_run
        cahn_hilliard:n=33,batch=40,single,forced,per_run cahn_hilliard:n=33,batch=7,steps=40
        swift_hohenberg:n=33,batch=7,forced,per_run allen_cahn:n=33,batch=7,forced,per_run
        cahn_hilliard:n=32,batch=9,forced,per_run band:n=17,batch=3,periodic,lower=1,upper=1
        band:n=9,batch=2,lower=2,upper=0 bvp:n=64 bvp:n=2^7,problem=P2,batch=3,per_run
        bvp:n=1001,problem=P2,single,batch=2 bvp:n=1000,r=7 bvp:n=2^12,r=best,batch=2,per_run,single
        elliptic:grid.n=[12,10,6] elliptic:grid.n=[9,8,5],geometry=box,batch=3,per_run elliptic:grid.n=[12,10,6],single
        tridiagonal:n=100 tridiagonal:n=64,batch=5,per_run tridiagonal:n=2^6,batch=2,cyclic=true,matrix=main_64
        bvp:n=4099,r=best compact:n=33 compact:n=40,axis=y,boundary=3-4-6
        compact:n=21,axis=z,scheme=d2_c6,boundary=4-4-6,batch=2 compact:n=4999,dimensions=1,scheme=d1_c10
        compact:n=64,dimensions=2,axis=y,scheme=f8,boundary=reduced,single gradient:n=33
        gradient:n=24,boundary=3-4-6,single gradient:n=65,dimensions=2,scheme=d1_c10 gradient:n=99,dimensions=1
        band:n=33,batch=9,periodic,uniform hyperdiffusion:n=40,batch=9,steps=9
        advection:n=24,batch=2,steps=5,per_run heat:n=24,runs=3,steps=5,physics.kappa=0.5,x0=1 bvp:n=65,q=1+x
        'equation:n=24,batch=4,steps=5,rhs=-dxxxx(u)-u*dx(u),per_run' $top/configs/equations/gray_scott.cfg:n=32,steps=5
        'bvp:n=100,batch=2,per_run,f=exp(x),exact=0' $top/configs/tiny_ch.cfg $top/configs/tiny_compact.cfg
        $top/configs/tiny_advection.cfg:steps=10 $top/configs/bvp_robin.cfg
        $top/configs/hyperdiffusion.cfg:batch=3,steps=7)
expect 0 "${works[@]}" --repeats 1 --csv -o all.csv
[ "$(grep -c '^bench ' err)" = ${#works[@]} ] || fail 'a spec is not timed'
[ "$(awk -F, 'NR > 1 && !/,(ok|absent),/' out | wc -l)" = 0 ] || fail 'a row is not ok'
for work in "${works[@]}"; do
    grep -F -e "\"$work\"," -e "$work," out | grep -q ',ok,' || fail "$work: no row is ok"
done
[ "$(grep -c '^spec,' all.csv)" = 1 ] || fail 'a CSV file has one header'
[ "$(grep -c '^spec,' out)" = 1 ] || fail 'several specs have one header'

# ---- without batch= fewer runs on larger grids: 2^22 points in all, at most a kind's own number of runs
expect 0 heat:n=[512,256],per_run,steps=1 heat:n=9,steps=1 --device cpu --rows cpu.simd --repeats 1 --csv
grep -q ',heat,512,32,1,cpu.simd,ok,' out || fail 'a batch of fields'
grep -q ',heat,9,8192,1,cpu.simd,ok,' out || fail 'a batch of short lines'

# ---- rows whose solves are others have other steps, and are compared with the like
expect 0 'cahn_hilliard:n=[16,16],batch=2,steps=9,dt=1' --device cpu --rows cpu.plain,cpu.fourier --repeats 1 --csv
for name in cpu.plain cpu.fourier; do grep -q ",$name,ok," out || fail "$name is not ok"; done

# ---- a grid that is cut over ranks: threads, and processes of mpirun. Each rank sends 2 planes of 40 x 40 points and
# one of values beside its part, each way
expect 2 compact:n=9,split=1; says 'split = 1: a whole number from 2'
expect 2 compact:n=9,along=y; says 'along=y: split=N is needed beside it'
expect 2 compact:n=9,split=2,along=w; says 'along=w: x, y or z is needed'
expect 2 compact:n=9,split=10; says 'split = 10: the grid has 9 points along z'
expect 2 elliptic:split=2,along=x; says 'along=x: grids of elliptic are cut along y'
expect 2 heat:n=16,split=2; says "heat has no setting 'split'"
expect 2 compact:n=9,split=100; says 'split = 100: '
expect 2 compact:n=40,split=2,axis=z --device cpu --rows cpu.simd; says "no row 'cpu.simd'"
says 'those that do: cpu.mattor'
cut=(compact:n=40,axis=z,split=2 compact:n=90,axis=z,split=2,boundary=3-4-6 compact:n=83,axis=y,split=2,along=y,batch=2
     compact:n=200,axis=x,dimensions=2,split=3,along=x,scheme=d1_c10,single compact:n=30,axis=x,split=2
     compact:grid.n=[9,9,90],axis=z,scheme=d2_c6,boundary=4-4-6,split=2 gradient:n=41,split=2
     elliptic:grid.n=[12,16,6],split=2 advection:n=24,batch=2,dim=3,steps=3,split=2
     advection:n=50,dim=2,batch=3,per_run,steps=3,split=2,along=x)
expect 0 "${cut[@]}" --device cpu --repeats 1 --longest 0.1 --csv
for work in "${cut[@]}"; do
    grep -F -e "\"$work\"," -e "$work," out | grep -q ',ok,.*threads$' || fail "$work: no row is ok"
done
grep -q '^"compact:n=40,axis=z,split=2",.*,cpu.mattor,ok,.*,2,76800,76800,3,2,threads$' out || fail 'what ranks send'
grep -q '^"compact:n=30,axis=x,split=2",.*,cpu.simd,ok,.*,2,0,0,0,0,threads$' out || fail 'ranks send nothing'
expect 0 compact:n=40,axis=z,split=2 --device cpu --repeats 1 --longest 0.1
matches '^row .* error +bytes sent +at least +messages +at least$'
matches 'messages: by each of 2 ranks in a step'
build=$(dirname "$sweep")
. "$top/tests/helpers/mpi_helpers.sh"
if built_with_mpi && command -v mpirun >/dev/null; then
    ranks 0 2 "$sweep" bench "${cut[0]}" compact:n=16 "${cut[6]}" --device cpu --repeats 1 --longest 0.1 --csv
    grep -q '^"compact:n=40,.*,ok,.*,2,76800,76800,3,2,mpi$' out || fail 'processes do a grid that is cut'
    grep -q '^"gradient:.*,cpu.mattor,ok,.*,mpi$' out || fail 'processes do a gradient that is cut'
    grep -q '^compact:n=16,.*,cpu.simd,ok,' out || fail 'one process does what is not cut'
    ranks 2 3 "$sweep" bench "${cut[0]}"; once 'each of the 3 processes that mpirun has started is a rank'
else
    skipped 'processes: no MPI'
fi

# ---- the table, and threads
expect 0 hyperdiffusion:n=16,batch=4,steps=3 --rows cpu.plain+cpu.thomas,cpu.plain+cpu.thomas@1 \
    --baseline cpu.plain+cpu.thomas@1 --device cpu --repeats 4
matches '^row +set-up s +least s/step +median +pt\*step/s +ratio +of copy +of FMA +bytes +ops +error$'
matches '^cpu.plain\+cpu.thomas@1( +[0-9.e+-]+){4} +1 +[0-9.]+ % +[0-9.]+ % +5.33 +25 +[0-9.e-]+$'
matches 'ratio: to cpu.plain\+cpu.thomas@1'
COLUMNS=60 expect 0 band:n=16,batch=4 --rows cpu.thomas --device cpu --repeats 3
matches '^row +unknown/s +ratio +of copy +of FMA +error$'
says 'copies'; says 'FMA/s'; says 'error'; says '3 repeats of 20 steps'

expect 0 band:n=999,batch=999,steps=1000000 --rows cpu.thomas --device cpu --repeats 1 --longest 0.01
says '1 repeats of'; grep -q '1000000 steps' err && fail '--longest cuts nothing'

# ---- an answer beyond its bound is reported and not timed: here no row can be right, the solution has died away
expect 1 hyperdiffusion:n=16,batch=2,steps=250,dt=1e-4 --rows cpu.plain+cpu.thomas --device cpu --repeats 1 --csv
matches ',wrong,0,,,,'

# ---- fine grids: the condition of a matrix is 1.2e7; a band solver loses by it, rows of the recursive form do not, and
# the reference hides neither
sed 's/n = 256/n = 512/; s/end = 200.0/end = 1.0/' $top/configs/equations/kuramoto_sivashinsky.cfg >fine.cfg
expect 0 ./fine.cfg --rows cpu.simd,cpu.plain+cpu.thomas --device cpu --repeats 1 --csv
columns='NR == 1 { for (k = 1; k <= NF; k++) at[$k] = k; next }'
awk -F, "$columns"' / *cpu.simd/ { e = $at["error"]; b = $at["bound"] } END { exit !(e < 1e-11 && b < 1e-9) }' out ||
    fail 'the error of cpu.simd is not its own'
awk -F, "$columns"' / *cpu.plain/ { e = $at["error"]; b = $at["bound"] } END { exit !(e > 1e-10 && b < 1e-6) }' out ||
    fail 'the error of cpu.plain is not its own'

# ---- a run that diverges by the reference, too, says nothing of a row
expect 1 'equation:n=64,batch=1,steps=50,dt=0.1,rhs=dxx(u)+10+100*u^3' --rows cpu.simd --device cpu --repeats 1
says 'the reference is not finite after'

# ---- -u'' = f: the r of the timing is told; the error is the paper's (P2, 2^16: 14.4338 h^2); what does not fit is
# absent
expect 0 bvp:n=2^16,r=best,problem=P2 --rows cpu.a2d,cpu.scan --device cpu --repeats 3
matches '^row +set-up s +least s/solve +median +points/s +ratio'
matches '^cpu.a2d, r = [1-9][0-9]* +[0-9.e+-]+'; says ', r = '; matches 'counted for one point'
matches ' 3\.4e-09$'
expect 0 elliptic:grid.n=[12,10,6] --rows cpu.pcg --device cpu --repeats 1 -o pcg.csv; matches ' s/iteration$'
grep -q ',[1-9][0-9]*,,,,,,$' pcg.csv || fail 'a CSV file tells iterations'
expect 0 'elliptic:grid.n=[12,10,6],run.precision="single"' elliptic:grid.n=[12,10,6],single,tolerance=1e-3 \
    --rows cpu.pcg --device cpu --repeats 1 --csv
matches ',cpu.pcg,ok,.*e-05,0.0001,'; matches ',cpu.pcg,ok,.*,0.001,'
expect 0 bvp:n=1000000,r=300 --rows cpu.a2d --device cpu --repeats 1 --csv; matches ',300,,,,,,,$'
expect 0 bvp:n=1000,r=7 --rows cpu.a2d,cpu.scan --device cpu --repeats 1 --json
[ "$(grep -c '"r": *7' out)" = 1 ] || fail 'JSON tells r where there is one'
expect 1 bvp:n=2^36 --rows cpu.a1d --device cpu --csv; matches ',absent,0,'
says 'it needs 512.0 GiB'
expect 1 gradient:n=9999 compact:n=9999 --rows cpu.simd --device cpu --csv; says 'it needs 29793.4 GiB'
says 'it needs 14896.7 GiB'
expect 0 gradient:n=48 --rows cpu.simd,cpu.simd+apart --device cpu --repeats 1; says 'bytes of copy a point'
matches '^cpu.simd\+apart.* 48 +[0-9]+ '
expect 0 bvp:n=2^12 --rows cpu.a1d,cpu.scan,cpu.lapack --device cpu --repeats 1 --csv; matches ',cpu.lapack,[0-9]'
# without an exact solution a row is compared with another one, never with itself: its last digits differ, all others
# agree
expect 0 bvp:n=1000,f=1+x --rows cpu.scan,cpu.a1d,cpu.a2d --device cpu --repeats 1 --json
[ "$(grep -cE '"error": [1-9][0-9.]*e-1[56],' out)" = 3 ] || fail 'a row is compared with itself, or wrong'
[ "$(grep -cE '"bound": [1-9][0-9.]*e-1[23],' out)" = 3 ] || fail 'the bound of a row'

# ---- JSON
expect 0 band:n=16,batch=4 --device cpu --rows cpu.thomas --json --repeats 3
if [ -n "$python" ]; then
    py - out <<'END' 2>err || fail 'JSON'
import json, sys
d = json.load(open(sys.argv[1]))
row, = d["rows"]
assert d["baseline"] == row["row"] == "cpu.thomas" and row["state"] == "ok" and row["ratio"] == 1, d
assert row["bytes"] == 56 and 0 < row["least_s"] <= row["median_s"] and row["error"] <= row["bound"], row
assert row["copy_bytes_per_s"] > 0 and row["fma_per_s"] > 0, row
END
fi

# ---- the scripts name rows and works that exist: their first, tiny part runs, the rest is listed
cd "$top" || exit 1
build=$(dirname "$sweep")
scripts/papers/reproduce_cupentbatch.sh --dry-run "$build" "$tmp/dry" >"$tmp/out" 2>"$tmp/err" ||
    fail 'reproduce_cupentbatch.sh --dry-run'
both='cuda.split+cuda.thomas,cpu.simd@8,cpu.plain+cpu.thomas@8'
grep -q "openmp: hyperdiffusion:n=512,batch=65536,steps=250 .*$both" "$tmp/out" ||
    fail 'reproduce_cupentbatch.sh --dry-run'
scripts/bench/bench_steps.sh --dry-run "$build" "$tmp/dry" cpu >"$tmp/out" 2>&1 &&
    grep -q 'forced,per_run' "$tmp/out" || fail 'bench_steps.sh --dry-run'
scripts/bench/bench_bvp.sh --dry-run --device cuda --device cpu "$build" "$tmp/dry" >"$tmp/out" 2>&1 &&
    grep -q 'batch: bvp:n=1024,batch=65536,per_run,problem=P1 cpu.a2d,' "$tmp/out" || fail 'bench_bvp.sh --dry-run'
SWEEP_PYTHON=/bin/true scripts/papers/reproduce_bvp.sh --table 1 --table 3 --device cpu --largest 20 "$build" \
    "$tmp/bvp" >"$tmp/out" 2>"$tmp/err"
grep -q '^1048576,a1d,1.93[0-9]*e-13$' "$tmp/bvp/bvp_table1.csv" &&
    grep -q '^1048576,a2d,[0-9.]*$' "$tmp/bvp/bvp_table3.csv" || fail reproduce_bvp.sh
! command -v python3 >/dev/null ||
    { grep -q '^Table III: ' "$tmp/out" && grep -q ' a1d, n = 1048576  *1.930917e-13  *1.93e-13  *1 ×$' "$tmp/out"; } ||
    fail 'reproduce_bvp.sh: beside the published values'
scripts/bench/bench_compact.sh --dry-run --device cuda --device cpu "$build" "$tmp/dry" >"$tmp/out" 2>&1 &&
    grep -q 'schemes: compact:n=512,axis=z,scheme=f10,boundary=reduced --rows cuda.fused' "$tmp/out" &&
    grep -q 'gradient: gradient:n=512,scheme=d1_c6,boundary=3-4-6 --rows cuda.fused,cuda.fused+apart' "$tmp/out" &&
    grep -q '^318 points' "$tmp/out" || fail 'bench_compact.sh --dry-run'
SWEEP_PYTHON=/bin/true scripts/papers/reproduce_compact.sh --part convergence "$build" "$tmp/compact" \
    >"$tmp/out" 2>"$tmp/err" &&
    [ "$(grep -c '^[a-z][a-z0-9_]*,[0-9a-z-]*,1024,[0-9]' "$tmp/compact/compact_convergence.csv")" = 29 ] ||
    fail 'reproduce_compact.sh: 16 schemes and 13 closures'
scripts/papers/reproduce_spike.sh --dry-run --device cpu "$build" "$tmp/dry" >"$tmp/out" 2>&1 &&
    grep -q 'tridiagonal_toeplitz.cfg .*"cpu.relations",.*"cpu.spike","cpu.spike_thomas"' "$tmp/out" &&
    grep -q 'n=2^26,matrix=uniform .*cpu.spike,.*,cpu.lapack@1 --baseline cpu.lapack@1' "$tmp/out" ||
    fail 'reproduce_spike.sh --dry-run'
SWEEP_PYTHON=/bin/true scripts/papers/reproduce_spike.sh --part matrices --part devices --device cpu --largest 12 \
    "$build" "$tmp/spike" >"$tmp/out" 2>"$tmp/err" &&
    grep -q '^weak,1,4096,done,[0-9.e-]*$' "$tmp/spike/spike_devices.csv" &&
    [ "$(grep -c '^"tridiagonal:n=2^12,.*,cpu.spike,ok' "$tmp/spike/spike_matrices.csv")" = 2 ] ||
    fail reproduce_spike.sh
mkdir "$tmp/few" && ln -s "$(realpath "$sweep")" "$tmp/few/sweep"
cat >"$tmp/few/bench_accuracy" <<'END'
#!/bin/sh
echo 'matrix,n,seed,row,condition,backward_error,residual,forward_error,fault
cut,512,1,dgtsv,10,1e-17,1e-16,4e-16,0
cut,512,1,cpu.spike,10,,,,4
cut,512,2,dgtsv,1000,4e-17,1e-14,1e-16,0
cut,512,2,cpu.spike,1000,,,,2
cut,512,3,dgtsv,1e9,,,,0'
END
chmod +x "$tmp/few/bench_accuracy"
SWEEP_PYTHON=/bin/true scripts/papers/reproduce_spike.sh --part forward --device cpu "$tmp/few" "$tmp/spike" \
    >"$tmp/out" 2>"$tmp/err" && [ "$(wc -l <"$tmp/spike/spike_forward.csv")" = 4 ] &&
    grep -qx 'cut,512,cpu.spike,2,2,,,,,,,,,,,,' "$tmp/spike/spike_forward.csv" &&
    grep -qx 'cut,512,dgtsv,3,1,10,100,1000,1e-17,2e-17,4e-17,1e-16,1e-15,1e-14,1e-16,2e-16,4e-16' \
        "$tmp/spike/spike_forward.csv" || fail 'reproduce_spike.sh: errors of several seeds'
if [ -n "$python" ]; then
    scripts/bench/bench_devices.sh --devices 'cpu:0 cpu:0,1' --runs 400 --seconds 0.1 --repeats 1 "$build" "$tmp" \
        "$tmp/devices.csv" >"$tmp/out" 2>"$tmp/err" &&
        grep -q '^"cpu:0,1",2,512,400,.*,2,1,.*,yes,400,' "$tmp/devices.csv" || fail bench_devices.sh
fi
if command -v python3 >/dev/null; then
    scripts/bench/bench_distributed.sh --device cpu --by threads --ranks '1 2' --side 16 --repeats 1 --longest 0.01 \
        --work 'compact, cut lines' --scaling weak "$build" "$tmp/cut" >"$tmp/out" 2>"$tmp/err" &&
        grep -q '^"compact, cut lines",weak,threads,2,"compact:grid.n=\[16,16,32\],.*,cpu.mattor,threads,' \
            "$tmp/cut/distributed_cpu.csv" && grep -q '^compact, cut lines  *weak  *threads  *2 ' "$tmp/out" ||
        fail bench_distributed.sh
else
    skipped 'bench_distributed.sh: no python3'
fi
cores=cpu.interleaved@1,cpu.pcg@1,cpu.csr@1
scripts/papers/reproduce_elliptic.sh --dry-run --device cpu "$build" "$tmp/dry" >"$tmp/out" 2>&1 &&
    grep -q "n=\[128,128,64\],tolerance=1e-5 .*--rows $cores --baseline cpu.csr@1" "$tmp/out" &&
    grep -q "n=\[128,128,128\],tolerance=1e-3 --device cpu --rows $cores " "$tmp/out" &&
    grep -q 'elliptic_shell.cfg .* sweep={ row=\["modal","multigrid","pcg"\]; depth=' "$tmp/out" ||
    fail 'reproduce_elliptic.sh --dry-run'
# 16 x 16 columns: orders near 2, but for fluxes of two points against the solution on the sphere
SWEEP_PYTHON=$python scripts/papers/reproduce_elliptic.sh --part orders --part sphere --part counts --part iteration \
    --part kernels --part history --device cpu --largest 16 "$build" "$tmp/elliptic" >"$tmp/out" 2>"$tmp/err"
awk -F, '$2 == 8 { coarse[$1] = $4 } $2 == 16 { ratio[$1] = coarse[$1]/$4; count++ }
         END { exit !(count == 4 && ratio["box"] > 3.8 && ratio["full"] > 3.8 && ratio["tpfa"] < 2 &&
                      ratio["tpfa against its limit"] > 3.8) }' "$tmp/elliptic/elliptic_orders.csv" &&
    awk -F, '$2 != "full" { next } $3 == 8 { coarse[$1] = $5 } $3 == 16 && coarse[$1]/$5 > 3.8 { count++ }
             END { exit count != 3 }' "$tmp/elliptic/elliptic_sphere.csv" &&
    grep -q '^courant,8.4,cpu.pcg,done,3[0-9],[1-9][0-9.]*e-06$' "$tmp/elliptic/elliptic_counts.csv" &&
    grep -q '^n,32,cpu.multigrid,done,[4-6],' "$tmp/elliptic/elliptic_counts.csv" &&
    [ "$(grep -c '^"elliptic:n=\[16,16,8\],.*,cpu.[a-z]*@1,ok' "$tmp/elliptic/elliptic_iteration.csv")" = 6 ] ||
    fail reproduce_elliptic.sh
[ ! -x "$build/bench_elliptic" ] ||
    [ "$(grep -cE '^cpu.(pcg|csr|interleaved)@1,(SpMV|prec),2048,.*,(double|single)$' \
        "$tmp/elliptic/elliptic_kernels.csv")" = 12 ] ||
    fail 'reproduce_elliptic.sh: kernels'
[ -z "$python" ] || grep -q '^cpu.multigrid,40,1,0.[0-9]*$' "$tmp/elliptic/elliptic_history.csv" ||
    fail 'reproduce_elliptic.sh: histories'
[ ! -x "$build/bench_checksum" ] ||
    { scripts/bench/bench_checksum.sh --mib 64 --repeats 1 "$build" "$tmp" "$tmp/checksum.csv" \
          >"$tmp/out" 2>"$tmp/err" &&
      [ "$(grep -cE '^(part|join|shards|read),67108864,1,' "$tmp/checksum.csv")" = 4 ]; } || fail bench_checksum.sh
# their arguments are parsed in one place
for path in papers/reproduce_{all,bvp,cupentbatch,compact,spike,elliptic} \
    bench/bench_{bvp,steps,output,compact,devices,checksum,read_back,distributed}; do
    script=${path#*/}
    scripts/$path.sh --no-such-option >"$tmp/out" 2>"$tmp/err" && fail "$script.sh takes any option"
    head -1 "$tmp/err" | grep -q "^$script.sh" || fail "usage of $script.sh"
    scripts/$path.sh no/such/build "$tmp" >"$tmp/out" 2>"$tmp/err" && fail "$script.sh without program"
    grep -q "^$script.sh: no program no/such/build/sweep" "$tmp/err" || fail "$script.sh without program"
done
if [ -n "$python" ]; then
    # a wave that is not what the coefficients say is found: the same file with one result off by 1e-9
    SWEEP_PYTHON=$python
    export SWEEP_PYTHON
    "$sweep" run configs/compact_waves.cfg -q --device cpu -o "$tmp/waves.h5" -s 'sweep.k=[1, 30, 64]' \
        >"$tmp/out" 2>&1 &&
        py scripts/papers/compact_waves.py "$tmp/waves.csv" "$tmp/waves.h5" >"$tmp/out" 2>&1 &&
        grep -q '^33 waves' "$tmp/out" || fail compact_waves.py
    py -c 'import h5py, sys; f = h5py.File(sys.argv[1], "r+"); f["g"][4, 0] *= 1 + 1e-9' "$tmp/waves.h5"
    py scripts/papers/compact_waves.py "$tmp/waves.csv" "$tmp/waves.h5" >"$tmp/out" 2>"$tmp/err" &&
        fail 'compact_waves.py: a wrong result'
    grep -q '^d1_c6, k = 30: .* rounding explains' "$tmp/err" || fail 'compact_waves.py: a wrong result'
    scripts/bench/bench_output.sh --device cpu --gb 0.003 --repeats 1 "$build" "$tmp" "$tmp/output.csv" \
        >"$tmp/out" 2>&1 &&
        [ "$(grep -c '^cpu,1024,.*,cpu.simd,' "$tmp/output.csv")" = 2 ] ||
        fail bench_output.sh
fi
if [ -n "$python" ] && py -c 'import matplotlib' 2>/dev/null; then
    # what was measured is drawn
    mkdir "$tmp/drawn" && cp results/bench/*.csv "$tmp/drawn"
    rm "$tmp"/drawn/cupentbatch_{small,long,serial}.csv  # eight pictures, drawn as those of the other two parts are
    for script in bench/plot_bench papers/plot_compact papers/plot_spike; do
        py scripts/$script.py "$tmp/drawn" >"$tmp/out" 2>"$tmp/err" || fail "$script.py"
    done
    for picture in cupentbatch_figure{s_05_06,_02,_14} goals lengths \
        bvp_errors compact_orders compact_waves spike_table4 spike_backward spike_forward; do
        [ -s "$tmp/drawn/$picture.png" ] || fail "no picture $picture.png"
    done
else
    skipped 'pictures: no python3 with h5py and matplotlib'
fi
if command -v python3 >/dev/null; then
    scripts/bench/bench_merge.sh --small --parts 3 --repeats 1 "$build" "$tmp" "$tmp/merge.csv" >"$tmp/out" 2>&1 &&
        [ "$(wc -l <"$tmp/merge.csv")" = 6 ] || fail bench_merge.sh
    scripts/bench/bench_scale.sh --small "$build" "$tmp" "$tmp/scale.csv" >"$tmp/out" 2>&1 &&
        [ "$(wc -l <"$tmp/scale.csv")" = 15 ] || fail bench_scale.sh
else
    skipped 'bench_merge.sh, bench_scale.sh: no python3'
fi
summary
