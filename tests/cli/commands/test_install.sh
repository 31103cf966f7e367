#!/bin/sh
# What is installed works from where it is; setup.sh asks for what is missing and is silent when nothing is; make makes
# again what was made with other flags.
cd "$(dirname "$0")/../../.." || exit 1
: "${SWEEP:=./build/sweep}"
failed=0
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
ok() { echo "  ok    $1"; }
bad() { echo "  BAD   $1"; failed=1; }

# ---- install.sh
{ scripts/build/install.sh "$dir/to" "$SWEEP" && scripts/build/install.sh "$dir/to" "$SWEEP"; } >"$dir/out" 2>&1 &&
    ok "installs, twice" || { cat "$dir/out"; bad "installs, twice"; }
for file in bin/sweep share/sweep/plot.py share/sweep/pysweep/results.py share/sweep/ask/pysweep/session.py \
            share/sweep/configs/ch_forcing.cfg \
            share/bash-completion/completions/sweep share/zsh/site-functions/_sweep share/man/man1/sweep.1 \
            share/man/man5/sweep.cfg.5 \
            share/doc/sweep/README.md share/doc/sweep/docs/reference/config.md; do
    [ -s "$dir/to/$file" ] || bad "installs $file"
done
for shell in bash:bash-completion/completions/sweep zsh:zsh/site-functions/_sweep; do
    "$SWEEP" completion ${shell%%:*} | cmp -s - "$dir/to/share/${shell#*:}" || bad "installs the completion of $shell"
done
missing=
for document in $(find "$dir/to/share/doc/sweep/docs" -name '*.md'); do
    for link in $(grep -oE '\]\([^)#]+' "$document" | sed 's/^](//'); do
        case $link in http*) continue ;; esac
        [ -e "$(dirname "$document")/$link" ] || missing="$missing $(basename "$document"):$link"
    done
done
[ -z "$missing" ] && ok "links of the installed docs resolve" || bad "links of the installed docs resolve:$missing"
if /usr/bin/python3 -c 'import h5py, matplotlib' 2>/dev/null; then
    (cd "$dir" && to/bin/sweep run -q to/share/sweep/configs/tiny_heat.cfg &&
        to/bin/sweep plot results/tiny_heat.h5 -o heat.png) >"$dir/out" 2>&1 && [ -s "$dir/heat.png" ] &&
        [ -z "$(find "$dir/to" -name __pycache__)" ] &&
        ok "the installed program runs and plots elsewhere" ||
        { cat "$dir/out"; bad "the installed program runs and plots elsewhere"; }
fi

# ---- setup.sh, with a dpkg and an apt of our own: packages listed in $dir/missing are not installed
mkdir "$dir/bin"
cat >"$dir/bin/dpkg-query" <<END
#!/bin/sh
for last; do :; done
grep -qx "\$last" "$dir/missing" || echo "ii "
END
printf '#!/bin/sh\necho "apt-get $*" >>%s/apt\n' "$dir" >"$dir/bin/apt-get"
printf '#!/bin/sh\necho 0\n' >"$dir/bin/id"
chmod +x "$dir"/bin/*
: >"$dir/missing"
setup() { PATH="$dir/bin:$PATH" scripts/build/setup.sh "$@" >"$dir/out" 2>&1; }

setup && [ ! -s "$dir/out" ] && [ ! -e "$dir/apt" ] && ok "nothing missing: silent, and apt is left alone" ||
    bad "nothing missing: silent, and apt is left alone"
printf 'nettle-dev\nmandoc\n' >"$dir/missing"
setup --print && grep -q '^missing: nettle-dev mandoc' "$dir/out" && [ ! -e "$dir/apt" ] && ok "--print only prints" ||
    { cat "$dir/out"; bad "--print only prints"; }
setup && grep -q 'installing: nettle-dev mandoc' "$dir/out" &&
    grep -q 'apt-get install .* nettle-dev mandoc' "$dir/apt" &&
    ok "says what it installs, and installs that" || { cat "$dir/out"; bad "says what it installs, and installs that"; }
printf 'slurmd\n' >"$dir/missing"
setup && [ ! -s "$dir/out" ] && setup --tests && grep -q 'installing: slurmd' "$dir/out" &&
    ok "--tests alone asks for Slurm" || { cat "$dir/out"; bad "--tests alone asks for Slurm"; }
printf 'nettle-dev\nmandoc\n' >"$dir/missing"
printf '#!/bin/sh\nexit 1\n' >"$dir/bin/apt-get"
if setup; then bad "an apt that fails is an error"; else
    grep -q 'could not install' "$dir/out" && ok "an apt that fails is an error" ||
        { cat "$dir/out"; bad "an apt that fails is an error"; }
fi

# ---- make, with a compiler of our own, which writes down what it compiles
cat >"$dir/cc" <<END
#!/bin/sh
for word; do
    [ "\$before" != -o ] || out=\$word
    before=\$word
done
[ -z "\$out" ] || { echo "\$before" >>"$dir/compiled"; : >"\$out"; }
END
chmod +x "$dir/cc"
# compiles "FILE..." SETTING...
compiles() {
    : >"$dir/compiled"
    expected=$1
    shift
    MAKEFLAGS='' make -s B="$dir/build" CC="$dir/cc" CUDA= "$@" $objects >"$dir/out" 2>&1
    [ "$(sort "$dir/compiled" | xargs)" = "$expected" ] && ok "make $*: compiles ${expected:-nothing}" ||
        { cat "$dir/out" "$dir/compiled"; bad "make $*: compiles ${expected:-nothing}"; }
}
both='src/base/sw_err.c src/comm/launch.c'
launch=$dir/build/src/comm/launch.o
objects="$dir/build/src/base/sw_err.o $launch"
if command -v make >/dev/null; then
    compiles "$both" MPI=
    compiles '' MPI=
    compiles '' MPI= WERROR=1
    compiles src/comm/launch.c MPI=1 MPI_CFLAGS="-DOF='ours'"
    compiles '' MPI=1 MPI_CFLAGS="-DOF='ours'"
    objects=$launch compiles '' MPI=1 MPI_CFLAGS="-DOF='ours'"  # its flags are no others'
    compiles '' MPI=1 MPI_CFLAGS="-DOF='ours'"
    compiles src/comm/launch.c MPI=
    compiles "$both" MPI= OPT=-O1
    compiles "$both" MPI= OPT=-O1 HDF5_CFLAGS=-I/elsewhere
else
    echo "# skipped: make"
fi
exit $failed
