#!/bin/sh
# make_packages.sh [FOLDER]: Debian's source and binary packages of the last commit in FOLDER (default build/packages),
# checked by lintian; then scripts/build/try_packages.sh installs them in a clean root and draws a first picture there.
# The recipes of conda, Spack and Apptainer are checked as far as can be without these programs; where python3 has
# py-rattler-build, that of conda is built, with the libraries of this machine.
#   SWEEP_CUDA=            leaves out the kernels of GPUs, which are compiled where nvcc is, as `make` does; the program
#                          starts where there is neither GPU nor CUDA all the same
#   DEB_BUILD_OPTIONS      'parallel=2 nocheck' (default: a compiler for each core)
#   MIRROR                 where the clean root comes from (default: the first mirror of apt here)
set -e
out=$(realpath -m "${1:-$(dirname "$0")/../../build/packages}")
cd "$(dirname "$0")/../.."
say() { printf '  %-9s %s\n' "$1" "$2"; }
die() { echo "make_packages.sh: $*" >&2; exit 1; }

[ -z "$(ls -A "$out" 2>/dev/null)" ] || [ -e "$out/debian.log" ] || die "$out has files that are not of this script"

needed=''
need() {  # need COMMAND PACKAGE: what is missing is named in one line
    command -v "$1" >/dev/null || needed="$needed $2"
}
need git git
need dpkg-buildpackage dpkg-dev
need dh debhelper
need lintian lintian
need mkdocs 'mkdocs mkdocs-material'
need xz xz-utils
[ -z "$needed" ] || die "missing here; as root: apt-get install$needed"
missing=$(dpkg-checkbuilddeps packaging/debian/control 2>&1 | sed -n 's/.*[uU]nmet build dependencies: //p')
[ -z "$missing" ] || die "missing here; as root: apt-get install $missing"
git rev-parse HEAD >/dev/null 2>&1 || die 'not a git checkout: packages are made of its last commit'
nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null) || true
: "${SWEEP_CUDA=${nvcc:+1}}"
[ -z "$SWEEP_CUDA" ] || [ "$nvcc" ] || die 'SWEEP_CUDA=1 needs nvcc: install the CUDA toolkit, 12.3 or newer'

# A commit that is not a release is older than the release, and newer than the commits before it.
version=$(sed -n 's/^.define SW_VERSION "\(.*\)"/\1/p' src/base/sw_version.h)
commit=$(git rev-parse --short=12 HEAD)
upstream=$version
[ "$(git describe --tags --exact-match 2>/dev/null)" = "v$version" ] ||
    upstream=$version~git$(TZ=UTC git log -1 --date=format-local:%Y%m%d%H%M%S --format=%cd).$commit
source=$out/sweep-$upstream
[ -z "$(git status --porcelain -uno)" ] || say NOTE "of the last commit, $commit: uncommitted changes are not in it"

# ---- the source package: the files of the commit, and debian/ beside them
rm -rf "$out"
mkdir -p "$source"
: > "$out/debian.log"
git archive --format=tar --prefix="sweep-$upstream/" HEAD > "$out/sweep_$upstream.orig.tar"
tar -x -C "$out" -f "$out/sweep_$upstream.orig.tar"
xz -T0 -6 "$out/sweep_$upstream.orig.tar"
cp -r "$source/packaging/debian" "$source/debian"
rm "$source/debian/changelog.in"
echo "$commit" > "$source/debian/commit"
sed -e "s/@VERSION@/$upstream-1/" -e "s/@COMMIT@/$commit/" -e "s/@DATE@/$(git log -1 --format=%cD)/" \
    packaging/debian/changelog.in > "$source/debian/changelog"
: "${DEB_BUILD_OPTIONS=parallel=$(nproc)}"
export DEB_BUILD_OPTIONS
say DEB "sweep $upstream-1${SWEEP_CUDA:++cuda}; its log is $out/debian.log"
(cd "$source" && dpkg-buildpackage -us -uc -F ${SWEEP_CUDA:+-Ppkg.sweep.cuda} > "$out/debian.log" 2>&1) ||
    { tail -n 20 "$out/debian.log"; exit 1; }
for package in "$out"/*.deb; do say "" "$(stat -c %s "$package") bytes: $package"; done
say LINTIAN "$(lintian --version)"
lintian --allow-root --fail-on error,warning --display-level '>=warning' "$out"/*.changes
rm -r "$source"

# ---- the recipes, and the packages in a root that has nothing else
python3 -B packaging/check_recipes.py
say CHECK 'recipes of conda, Spack, Apptainer'
if python3 -c 'import rattler_build' 2>/dev/null; then
    package=$(python3 -B packaging/conda/build_here.py "$out"/*.orig.tar.xz "$out/conda" 2> "$out/conda.log") ||
        { tail -n 20 "$out/conda.log"; exit 1; }
    say CONDA "built and tested: $package"
else
    say CONDA 'read, not built: this python3 has no py-rattler-build (of PyPI)'
fi
scripts/build/try_packages.sh "$out"
