#!/bin/sh
# install.sh PREFIX [PROGRAM]: put the program (default ./sweep), its kernels, plot script, configs, man pages,
# completions and docs under PREFIX.
# Doing it again replaces them.
set -e
[ -n "$1" ] || { echo "usage: install.sh PREFIX [PROGRAM]" >&2; exit 2; }
cd "$(dirname "$0")/../.."
to=$1 program=${2:-./sweep}
[ -x "$program" ] || { echo "install.sh: no $program yet; run make first" >&2; exit 1; }
put() {  # put MODE FOLDER FILE...
    mode=$1 folder=$to/$2
    shift 2
    install -d "$folder"
    install -m "$mode" "$@" "$folder"
}
put 755 bin "$program"
put 755 share/sweep scripts/plot/plot.py
put 644 share/sweep/sweep_plot scripts/plot/sweep_plot/*.py scripts/plot/sweep_plot/*.html    # its parts
put 644 share/sweep/pysweep python/pysweep/*.py python/pysweep/py.typed
put 755 share/sweep/ask scripts/ask/*.py
ln -sfn ../pysweep "$to/share/sweep/ask/pysweep"
put 644 share/sweep/configs configs/*.cfg
put 644 share/sweep/configs/equations configs/equations/*.cfg
kernels=$(dirname "$program")/kernels  # of `make kernels`
[ "$program" != ./sweep ] || kernels=build/kernels
rm -f "$to"/lib/sweep/kernels/*.cubin  # of another version
[ -z "$(ls "$kernels" 2>/dev/null)" ] || put 644 lib/sweep/kernels "$kernels"/*.cubin
put 644 share/man/man1 docs/man/sweep.1
put 644 share/man/man5 docs/man/sweep.cfg.5
complete() {  # complete SHELL FOLDER NAME: where the shell looks for what completes a command's options
    "$program" completion "$1" > "$folder_of_scripts/$3"
    put 644 "$2" "$folder_of_scripts/$3"
}
folder_of_scripts=$(mktemp -d)
trap 'rm -rf "$folder_of_scripts"' EXIT
complete bash share/bash-completion/completions sweep
complete zsh share/zsh/site-functions _sweep
put 644 share/doc/sweep README.md CHANGELOG.md LICENSE SECURITY.md
for folder in $(find docs -name '*.md' -printf '%h\n' | sort -u); do
    put 644 "share/doc/sweep/$folder" "$folder"/*.md
done
put 644 share/doc/sweep/docs/pictures docs/pictures/*.png
put 644 share/doc/sweep/results/bench results/bench/*.png results/bench/steps_equations.csv   # the docs lead there
echo "installed: $to/bin/sweep, and plot.py, configs, man pages, completions and docs under $to/share"
