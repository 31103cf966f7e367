#!/bin/sh
# try_packages.sh [FOLDER]: install the packages of FOLDER (default build/packages) in a root that has nothing but
# Debian's base, and come to a first picture in two commands; it is FOLDER/first.png. The root is mmdebstrap's, from
# MIRROR (default: the first mirror of apt here). What is done there is %post and %test of the recipe of Apptainer, the
# picture, a sweep on an emulated processor without AVX, and the removal of the packages.
# Where no such root can be made, the packages are unpacked into a folder and tried there, with this machine's
# libraries; the last line says which of both was done, and why.
#   REBUILD=1   first builds them again from the source package, in another such root that has what this asks for
set -e
out=$(realpath -m "${1:-$(dirname "$0")/../../build/packages}")
cd "$(dirname "$0")/../.."
say() { printf '  %-9s %s\n' "$1" "$2"; }
die() { echo "try_packages.sh: $*" >&2; exit 1; }
set -- "$out"/sweep_*_amd64.deb "$out"/sweep-doc_*_all.deb
[ -e "$1" ] && [ -e "$2" ] && [ $# = 2 ] || die "no packages in $out: make packages"

suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
mirror=${MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' "Codename: $suite" | head -n 1)}
mirror=${mirror%/}
section() { awk -v on="%$1" '/^%/ { inside = $1 == on; next } inside' packaging/apptainer/sweep.def; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# ---- why there can be no root; each is one line
why=''
if ! command -v mmdebstrap >/dev/null; then
    why='mmdebstrap is not here; as root: apt-get install mmdebstrap'
elif [ "$(id -u)" != 0 ] && ! unshare --user --map-root-user true 2>/dev/null; then
    why='this is not root, and there are no user namespaces'
elif [ -z "$mirror" ]; then
    why="apt has no mirror of $suite here; give one: MIRROR=..."
elif ! /usr/lib/apt/apt-helper download-file "$mirror/dists/$suite/InRelease" "$work/InRelease" >/dev/null 2>&1; then
    why="no network: $mirror does not answer; give another one: MIRROR=..."
fi

# in_root FOLDER LOG HOOK: a new root whose /opt is FOLDER runs the commands of standard input there, then HOOK outside
in_root() {
    { echo 'set -ex'; cat; } > "$1/try.sh"
    # apt there takes what a package recommends, as it does on Debian, by the proxies that apt takes here.
    echo 'APT::Install-Recommends "true";' > "$work/apt.conf"
    apt-config dump | grep -E '^Acquire::https?::Proxy' >> "$work/apt.conf" || true
    say ROOT "$suite from $mirror; the log is $2"
    mmdebstrap --variant=apt --aptopt="$work/apt.conf" --customize-hook="sync-in $1 /opt" \
        --chrooted-customize-hook='sh /opt/try.sh' --customize-hook="$3" "$suite" /dev/null "$mirror" > "$2" 2>&1 ||
        { tail -n 30 "$2"; die "in the clean root: see $2"; }
}

pictures() {  # pictures CONFIGS: a first picture in two commands
    cat <<END
sweep $1/equations/kuramoto_sivashinsky.cfg
sweep plot results/equations/kuramoto_sivashinsky.h5 --run 0-7 -o first.png
test -s first.png
END
}

if [ -z "$why" ] && [ "$REBUILD" ]; then
    rm -rf "$out/rebuilt"
    mkdir "$work/source" "$out/rebuilt"
    cp "$out"/*.dsc "$out"/*.tar.xz "$work/source"
    in_root "$work/source" "$out/rebuild.log" "sync-out /root/built $out/rebuilt" <<END
export DEBIAN_FRONTEND=noninteractive DEB_BUILD_OPTIONS='${DEB_BUILD_OPTIONS-parallel=$(nproc)}'
apt-get update -q
apt-get install -y -q --no-install-recommends build-essential
apt-get build-dep -y -q --no-install-recommends /opt/*.dsc
mkdir /root/built /root/source
cd /root/source
dpkg-source -x /opt/*.dsc sweep
cd sweep
dpkg-buildpackage -us -uc -b
mv ../*.deb /root/built
END
    set -- "$out"/rebuilt/sweep_*_amd64.deb "$out"/rebuilt/sweep-doc_*_all.deb
    say BUILT "in the root, from the source package: $out/rebuilt"
fi

if [ -z "$why" ]; then
    mkdir "$work/opt"
    cp "$@" "$work/opt"
    {
        section post
        echo 'cd /root; export HOME=/root'
        section test
        pictures /usr/share/sweep/configs
        # on a processor that has no AVX, as QEMU emulates it: one of 2009, and as those of small machines were in 2016
        echo 'apt-get update -q && apt-get install -y -q --no-install-recommends qemu-user'
        echo 'qemu-x86_64 -cpu Nehalem /usr/bin/sweep --version'
        echo 'qemu-x86_64 -cpu Nehalem /usr/bin/sweep run -q /usr/share/sweep/configs/tiny_heat.cfg -o old.h5'
        echo 'apt-get install -y -q /opt/sweep-doc_*.deb'
        echo 'test -s /usr/share/doc/sweep/html/index.html'
        echo 'apt-get purge -y -q sweep sweep-doc'
        echo 'test ! -e /usr/bin/sweep && test ! -e /usr/share/sweep && test ! -e /usr/share/doc/sweep'
    } | in_root "$work/opt" "$out/root.log" "copy-out /root/first.png $out"
    say DONE "installed, tried and removed in a clean root; $out/first.png is what it drew"
else
    say FOLDER "no clean root: $why"
    for package; do dpkg-deb -x "$package" "$work/root"; done
    {
        echo 'set -ex'
        section test
        pictures "$work/root/usr/share/sweep/configs"
        echo "test -s $work/root/usr/share/doc/sweep/html/index.html"
    } > "$work/try.sh"
    (cd "$work" && PATH="$work/root/usr/bin:$PATH" sh try.sh > "$out/root.log" 2>&1) ||
        { tail -n 30 "$out/root.log"; die "in a folder: see $out/root.log"; }
    cp "$work/first.png" "$out"
    say DONE "tried unpacked in a folder, not in a clean root ($why); $out/first.png is what it drew"
fi
