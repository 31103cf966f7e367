#!/bin/bash
# sweep.mode = "table": the rows of a CSV file, as pandas, numpy and spreadsheets write it, are the runs. What is wrong
# with a table is named at its line. What was read is in the output file, which needs the table no more.
. tests/helpers/helpers.sh || exit 1
subcommand=''
cat >t.cfg <<'C'
problem = "hyperdiffusion";
grid    = { n = 16; length = 1.0; };
physics = { gamma = "g"; D = 1.0; };
time    = { dt = 0.001; end = 0.01; };
sweep   = { mode = "table"; file = "runs.csv"; };
define  = { k = "2*pi*m"; };
initial = "2 + cos(k*x)";
output  = { scalars = { every = 0.01; }; };
C
table() { printf "$@" >runs.csv; }
list() { "$sweep" check --list --device cpu "$@" 2>err | cut -d, -f1,3-; }
runs() {  # runs LINES COMMAND...: the table of runs, without their ids
    local wanted=$1
    shift
    [ "$("$@")" = "$wanted" ] || { "$@" >out; fail "not the runs that are wanted: $wanted"; }
}
three=$'run,g,m\n0,0.1,1\n1,0.2,2\n2,1e-05,1'

# as it is typed, with blanks, comments, blank lines; of a spreadsheet with its mark, quotes and the line ends of
# Windows or of a first Mac; of pandas with and without its numbers; of numpy
table 'g, m\n# a comment\n0.1, 1\n\n0.2 ,2\n1e-5,1'; runs "$three" list t.cfg; silent err
prints3() { runs "$three" list t.cfg; }
table '\xef\xbb\xbf"g","m"\r\n"0.1","1"\r\n0.2,2\r\n0.00001,1\r\n'; prints3; silent err
table 'g,m\r0.1,1\r0.2,2\r1e-5,1\r'; prints3; silent err
table '# g,m\n1.000000000000000056e-01,1.0e+00\n0.2,2\n1e-5,1\n'; prints3; silent err
table ',g,m\n0,0.1,1\n1,0.2,2\n2,1e-05,1\n'; prints3
says 'runs.csv:1: warning: the first column has no name, as pandas numbers rows: it is left out'
table 'g,m\n0.1,1\n0.2,2\n1e-5,1\n0.10,1.0\n'; prints3
says 'runs.csv:5: warning: the row of line 2 again: it is computed once'
table 'g,m\n0.1,1\n0.1,1\n0.2,2\n1e-5,1\n0.2,2\n'; prints3
says 'runs.csv:3: warning: the row of line 2 again; 2 rows are such: each is computed once'
table 'name,g,m\na,0.1,1\nb,0.2,2\n"c, d",1e-5,1\n'
runs "$three" list t.cfg -s 'table.columns="g, m"'; silent err
# a text in the config, and words, which a key takes from the table
runs "$three" list t.cfg -s sweep.file='""' -s 'table.rows="g,m\n0.1,1\n0.2,2\n1e-5,1"'
runs $'run,g,how\n0,0.1,imex2\n1,0.2,crank_nicolson\n2,0.3,imex2' list t.cfg -s define.k=1.0 -s 'method=$how' \
    -s 'table.rows="g,how\n0.1,imex2\n0.2,crank_nicolson\n0.3,\"imex2\"\n"'
# every value of another axis with each row
table 'g\n0.1\n0.2\n'
runs $'run,g,m\n0,0.1,1\n1,0.1,2\n2,0.2,1\n3,0.2,2' list t.cfg -s 'sweep.m=[1,2]'
# a key without a default takes the column of its name
table 'gamma,m\n0.1,1\n'; grep -v physics t.cfg >named.cfg
expect 0 check named.cfg --device cpu -s physics.D=1.0; prints '1 run = table(gamma, m)'

# what is wrong with a table
while IFS='|' read -r text message; do
    table "$text"
    expect 3 check t.cfg --device cpu
    says "$message"
done <<'R'
|runs.csv:1: error: the table is empty: its first line names the columns
g,m\n|runs.csv:1: error: the table has no rows below its header
g,m\n0.1,1\n0.2\n|runs.csv:3: error: 1 value, where the header has 2 names
g,m\n0,1,1,0\n|runs.csv:2: error: 4 values, where the header has 2 names: a decimal fraction is written with a point
g,m\n0.1,1\n0.2,\n|runs.csv:3: error: column 'm' has no value
g,m\n0.1,NaN\n|runs.csv:2: error: column 'm': "NaN" is not a number
g,m\n0.1,inf\n|runs.csv:2: error: column 'm': "inf" is not finite
g,m\n0.1,1e999\n|runs.csv:2: error: column 'm': "1e999" is not finite
g,m\n0.1,one\n|runs.csv:2: error: column 'm': "one" is no number
g,m\n0.1,0x10\n|runs.csv:2: error: column 'm': "0x10" is no number
g,m\n0.1,"1,5"\n|runs.csv:2: error: column 'm': "1,5" is no number
g,m\n0.1,"1\n|runs.csv:2: error: quotes are not closed on their line
g,m\n0.1,"1"2\n|runs.csv:2: error: something follows quotes that are closed
g;m\n0,1;1\n|runs.csv:1: error: the columns are separated by ';': save the table with commas
g\tm\n0.1\t1\n|runs.csv:1: error: the columns are separated by tabs
0.1,1\n0.2,2\n|runs.csv:1: error: the first line has numbers: it must name the columns, "a,b"
g,m,g\n0.1,1,1\n|runs.csv:1: error: two columns are called 'g'
g,,m\n0.1,1,1\n|runs.csv:1: error: column 2 has no name
g,m,2x\n0.1,1,2\n0.2,1,2\n|runs.csv:1: error: 'sweep.2x' cannot be called '2x': a name is made of letters, digits and _
g,m,t\n0.1,1,2\n0.2,1,2\n|runs.csv:1: error: 'sweep.t' cannot be called 't': it is a coordinate
g,m,note\n0.1,1,2\n0.2,1,3\n|runs.csv:1: error: 'sweep.note' changes nothing: no key or expression uses it
g,m,note\n0.1,1,2\n|runs.csv:1: error: 'sweep.note' changes nothing: no key or expression uses it
g,m,note\n0.1,1,2\n0.1,1,2\n|runs.csv:1: error: 'sweep.note' changes nothing: no key or expression uses it
g,n\n0.1,1\n|t.cfg:6: error: 'define.k', column 6: unknown name 'm'
g,m\n0.1,\xff\n|runs.csv:2: error: byte 0xff is not UTF-8
R
printf 'g,m\n0.1,1\n\0' >runs.csv; expect 3 check t.cfg
says 't.cfg:5: error: '"'sweep.file' = \"runs.csv\" is no text: it holds a zero byte"
for k in 1 2 3 4 5 6 7 8 9 10; do echo x,y; done >>runs.csv; sed -i '1s/.*/g,m/; 2,3d' runs.csv
expect 3 check t.cfg; says 'error: the rest of the table was not read'
rm runs.csv; expect 3 check t.cfg
says "t.cfg:5: error: 'sweep.file' = \"runs.csv\": cannot be read: No such file"
[ "$(grep -c error: err)" = 1 ] || fail 'a table that is not there has other errors follow'
mkdir runs.csv; expect 3 check t.cfg; says 'Is a directory'; rmdir runs.csv
table 'g,m\n0.1,1\n0.2,2\n'
expect 3 check t.cfg -s sweep.mode=zip; says "'sweep.file' needs sweep.mode = \"table\""
expect 3 check t.cfg -s sweep.mode=zip -s sweep.file='""' -s table.columns=g
says "'table' needs sweep.mode = \"table\""
expect 3 check t.cfg -s sweep.file=1; says "'sweep.file' must be a text in quotes"
expect 3 check t.cfg -s 'table.columns="g, n"'
says "the table has no column 'n'; its columns are g, m"
expect 3 check t.cfg -s 'table.columns=","'; says "'table.columns' names no column"
expect 3 check t.cfg -s 'sweep.g=[1.0]'
says "'sweep.g' is a column of the table as well; leave one out"
sed 's/file = "runs.csv"; //' t.cfg >none.cfg; expect 3 check none.cfg
says "none.cfg:5: error: 'sweep.file' is missing"
sed 's/^define/table = { rows = "g,m"; };\n&/' t.cfg >two.cfg; expect 3 check two.cfg
says "'table.rows' and 'sweep.file' are two tables; leave one out"
sed 's/^define/table = { rows = "g,m\\n1,1\\nx,2\\n"; };\n&/; s/file = "runs.csv"; //' t.cfg >own.cfg
expect 3 check own.cfg; says "own.cfg:6: error: 'table.rows', line 3: column 'g': \"x\" is no number"

# the file of the results has the table: it is continued without it, or when it has changed
expect 0 run t.cfg --device cpu -o t.h5
table 'g,m\n0.5,1\n'
expect 0 resume t.h5 --device cpu; says 'nothing to do: 2 done'
rm runs.csv
expect 0 resume t.h5 --device cpu; says 'nothing to do: 2 done'
expect 0 status t.h5; prints 'runs     2: 2 done'
# half of it, then the rest from what was stored
table 'g,m\n0.1,1\n0.2,2\n0.3,1\n0.4,2\n'
expect 0 run t.cfg --device cpu -o half.h5 --only 'run < 2'
rm runs.csv
expect 0 resume half.h5 --device cpu; says '2 of 4 runs left'; says 'done     4 ok'
# rows that come later are computed, those that are done are not; rows that are missing now are told
table 'g,m\n0.1,1\n0.2,2\n0.3,1\n0.4,2\n0.5,1\n'
expect 0 run t.cfg --device cpu -o half.h5; says '1 of 5 runs left'
table 'g,m\n0.7,1\n0.2,2\n'
expect 5 run t.cfg --device cpu -o half.h5
says 'half.h5 holds another sweep (its table lacks rows that are computed there); use -o FILE, with -s '
# another table for the results that are there
table 'g,m\n0.1,1\n0.2,2\n0.6,1\n'
expect 0 resume t.h5 --device cpu -s sweep.file=runs.csv; says '1 of 3 runs left'
# the same runs by a table and by lists: the same bits
expect 0 run t.cfg --device cpu -o table.h5 -s 'table.rows="m,g\n1,0.1\n2,0.1\n1,0.3\n2,0.3\n"'
expect 0 run t.cfg --device cpu -o lists.h5 -s sweep.file='""' -s sweep.mode=product -s 'sweep.g=[0.1,0.3]' \
    -s 'sweep.m=[1,2]'
[ -z "$python" ] || py - <<'P' 2>err || fail 'the runs of a table are not those of lists'
import h5py, numpy as np
with h5py.File("table.h5") as t, h5py.File("lists.h5") as l:
    for name in "g", "m", "run_id", "mass", "umax":
        if name in l: assert np.array_equal(t[name][()], l[name][()]), name
with h5py.File("t.h5") as f:
    assert list(f["g"][()]) == [0.1, 0.2, 0.6] and list(f["m"][()]) == [1, 2, 1]
P

# the same rows in HDF5 files: datasets, in a group, compounds, results of a sweep
cat >make.py <<'P'
import h5py, numpy as np
g, m = np.array([0.1, 0.2, 1e-5]), np.array([1, 2, 1])
with h5py.File("flat.h5", "w") as f:
    f["g"], f["m"], f["field"] = g, m.astype("i2"), np.zeros((3, 4))
    f["deep/g"], f["deep/m"], f["deep/extra"] = g[:2], m[:2], np.array([b"x", b"y"])
    f["long/g"], f["long/m"] = g, m[:2]
    f["nan/g"], f["nan/m"] = g, np.array([1, np.nan, 2])
    rows = np.zeros(3, dtype=[("m", "f4"), ("name", "S4"), ("g", "f8")])
    rows["g"], rows["m"], rows["name"] = g, m, b"x"
    f["rows"] = rows
    f["zip"] = f["deep"]
    f.create_dataset("packed/rows", data=rows, chunks=(2,), compression="gzip")
P
if [ -n "$python" ]; then
    py make.py 2>err || fail 'make.py'
    h5() { list t.cfg -s sweep.file=flat.h5 "$@"; }
    runs "$three" h5; silent err
    runs $'run,g,m\n0,0.1,1\n1,0.2,2' h5 -s table.dataset=deep
    runs $'run,g,m\n0,0.1,1\n1,0.2,2' h5 -s 'table.dataset=/deep/'
    sorted() { "$@" | cut -d, -f1; "$@" | cut -d, -f2 | sort; "$@" | cut -d, -f3 | sort; }
    [ "$(sorted h5 -s table.dataset=rows -s 'table.columns="g,m"')" = "$(sorted echo "$three")" ] || fail compounds
    [ "$(sorted h5 -s table.dataset=packed/rows)" = "$(h5 -s table.dataset=rows >out; sorted cat out)" ] || fail packed
    runs $'run,g,m\n0,0.1,1\n1,0.1,2\n2,0.3,1\n3,0.3,2' list t.cfg -s sweep.file=table.h5 -s 'table.columns="g,m"'
    while IFS='|' read -r dataset message; do
        expect 3 check t.cfg -s sweep.file=flat.h5 -s "table.dataset=$dataset"
        says "-s: error: 'sweep.file' = \"flat.h5\": $message"
    done <<'R'
deeper|'/deeper' has no numbers in one dimension, which columns of a table are; table.dataset names their group
long|'/long/g' has 3 numbers, and '/long/m' has 2: columns of a table are of one length
nan|'/nan/m': number 2 is missing, or not a number
R
    head -c 3000 flat.h5 >cut.h5; expect 3 check t.cfg -s sweep.file=cut.h5; says 'it is a damaged HDF5 file'
    expect 0 run t.cfg --device cpu -s sweep.file=flat.h5 -o from.h5
    rm flat.h5; expect 0 resume from.h5 --device cpu; says 'nothing to do: 3 done'
fi

# by a pipe: what was read is kept; jobs cannot read it again
table 'g,m\n0.1,1\n0.2,2\n'
"$sweep" run t.cfg --device cpu -s sweep.file=- -o piped.h5 <runs.csv 2>err || fail 'a table by a pipe'
sed 1q runs.csv | "$sweep" check t.cfg -s sweep.file=- 2>err && fail 'a pipe without rows'
says 'error: the table has no rows below its header'
expect 0 resume piped.h5 --device cpu; says 'nothing to do: 2 done'
expect 2 submit t.cfg -s sweep.file=- --shards 2 --print
says 'sweep.file = "-": standard input is gone when the jobs begin; save the table to a file'
# results do not take the place of the table
expect 5 run t.cfg --device cpu --force -o runs.csv; says 'runs.csv is not an HDF5 file'
summary
