#!/bin/bash
# Packages: the recipes agree with the program, the Makefile and setup.sh, and what is wrong in one is found; what is
# missing for them is named in one line; a package of this program comes to a first picture; --version says where the
# program is from. (`make packages` builds them and tries them in a clean root.)
cd "$(dirname "$0")/../../.." || exit 1
. tests/helpers/helpers.sh || exit 1

# ---- where the program comes from
expect 0 --version
matches '^(commit   ([0-9a-f]{12}|unknown: )|package  sweep )'

# ---- recipes
copied='packaging Makefile LICENSE scripts/build/setup.sh src/base/sw_version.h'
wrong() {  # wrong MESSAGE FILE SED: check_recipes.py of such a tree says so
    rm -rf copy
    mkdir copy && (cd "$top" && cp -r --parents $copied "$tmp/copy")
    sed -i "$3" "copy/$2"
    python3 -B copy/packaging/check_recipes.py >out 2>err && fail "passes: $2: $3"
    says "$1"
}
if python3 -c 'import yaml' 2>/dev/null; then
    python3 -B "$top/packaging/check_recipes.py" >out 2>err || fail 'recipes'
    silent out
    silent err
    wrong 'conda: not version' packaging/conda/recipe.yaml 's/version: "/&9/'
    wrong 'Spack: not version' packaging/spack/package.py 's/tag="v/&9/'
    wrong 'conda: not version 9.9.9' src/base/sw_version.h 's/^.define SW_VERSION.*/#define SW_VERSION "9.9.9"/'
    wrong 'setup.sh: the table of check_recipes.py lacks libfftw3-dev' scripts/build/setup.sh \
        's/^packages=./&libfftw3-dev /'
    wrong 'Debian: Build-Depends lacks nettle-dev' packaging/debian/control '/nettle-dev/d'
    wrong 'Debian: Build-Depends has libfftw3-dev, which' packaging/debian/control 's/nettle-dev,/& libfftw3-dev,/'
    wrong 'Debian: Recommends lacks python3-h5py' packaging/debian/control 's/python3-h5py, //'
    wrong 'Debian: the Makefile has no ODA' packaging/debian/rules 's/ CUDA=/ ODA=/; s/settings = CUDA/settings = ODA/'
    wrong 'conda: build and host lacks xxhash' packaging/conda/recipe.yaml '/xxhash/d'
    wrong 'conda: the Makefile has no PACKET' packaging/conda/build.sh 's/PACKAGE=/PACKET=/'
    wrong 'Spack: depends_on lacks libconfig' packaging/spack/package.py '/libconfig/d'
    wrong 'Spack: the Makefile has no OPTIONS' packaging/spack/package.py 's/"OPT=/"OPTIONS=/'
    wrong 'Apptainer: no %test' packaging/apptainer/sweep.def 's/^%test/%tests/'
else
    skipped 'recipes: no python3 with yaml'
fi

# ---- what is missing
only() {  # only COMMAND...: a PATH that has these alone
    rm -rf few
    mkdir few
    local command
    for command; do ln -s "$(command -v "$command")" few; done
}
mkdir mine
echo mine >mine/file
"$top/scripts/build/make_packages.sh" mine >out 2>err && fail 'make_packages.sh empties a folder'
says "make_packages.sh: $tmp/mine has files that are not of this script"
[ -s mine/file ] || fail 'make_packages.sh emptied a folder'
only sh dirname realpath ls
PATH=$tmp/few "$top/scripts/build/make_packages.sh" none >out 2>err && fail 'make_packages.sh without tools'
silent out
[ "$(wc -l <err)" = 1 ] || fail 'more than a line'
says 'missing here; as root: apt-get install git dpkg-dev debhelper lintian mkdocs mkdocs-material xz-utils'
"$top/scripts/build/try_packages.sh" none >out 2>err && fail 'try_packages.sh without packages'
says "try_packages.sh: no packages in $tmp/none: make packages"

# ---- a package of this program, where no clean root can be made
if command -v dpkg-deb >/dev/null && [ -n "$python" ] && /usr/bin/python3 -c 'import h5py, matplotlib' 2>/dev/null; then
    mkdir -p packages sweep/DEBIAN sweep-doc/DEBIAN sweep-doc/usr/share/doc/sweep/html
    (cd "$top" && scripts/build/install.sh "$tmp/sweep/usr" "$sweep") >out 2>err || fail 'install.sh'
    echo page >sweep-doc/usr/share/doc/sweep/html/index.html
    for package in sweep:amd64 sweep-doc:all; do
        name=${package%:*}
        printf '%s\n' "Package: $name" 'Version: 1' "Architecture: ${package#*:}" 'Maintainer: x <x@example.org>' \
            'Description: x' >"$name/DEBIAN/control"
        dpkg-deb -Znone -b "$name" "packages/${name}_1_${package#*:}.deb" >out 2>err || fail "dpkg-deb $name"
    done
    # without mmdebstrap
    mkdir rest
    ln -s /usr/bin/* /bin/* rest 2>/dev/null
    rm -f rest/mmdebstrap
    PATH=$tmp/rest "$top/scripts/build/try_packages.sh" packages >out 2>err || fail 'try_packages.sh'
    silent err
    reason='mmdebstrap is not here; as root: apt-get install mmdebstrap'
    prints "no clean root: $reason"
    prints "tried unpacked in a folder, not in a clean root ($reason"
    [ -s packages/first.png ] || fail 'no first picture'
    # without a network; no more than the reason is looked at
    if command -v mmdebstrap >/dev/null; then
        ln -sf /bin/false rest/dpkg-deb
        ln -s "$(command -v mmdebstrap)" rest
        PATH=$tmp/rest MIRROR=http://127.0.0.1:9/debian "$top/scripts/build/try_packages.sh" packages >out 2>err
        prints 'no clean root: no network: http://127.0.0.1:9/debian does not answer; give another one: MIRROR=...'
    else
        skipped 'no network: no mmdebstrap'
    fi
else
    skipped 'a package: no dpkg-deb, or no python3 with h5py and matplotlib'
fi
summary
