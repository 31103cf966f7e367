#!/bin/sh
# Install the Debian or Ubuntu packages that building, testing and drawing need and that are missing here.
#   setup.sh          says what it will install, then installs it (as root, or with sudo); silent if nothing is
#                             missing
#   scripts/build/setup.sh --print  only says what is missing
#   setup.sh --tests  also what `make test` alone needs: a Slurm to submit to, Open MPI, shells that complete,
#                     an optimiser, mkdocs for the site
# On other systems nothing is installed: it goes on if the tools are there, and otherwise says what is needed.
set -e

# what each is for: compiler, config reader, HDF5, tests, SHA-256, checksums, test reference for band solvers; plots and
# readers in tests
packages='gcc libc6-dev make pkg-config libconfig-dev libhdf5-dev libcmocka-dev nettle-dev libxxhash-dev liblapack3
python3-h5py python3-matplotlib python3-xarray python3-h5netcdf python3-netcdf4 hdf5-tools netcdf-bin mandoc'

test_packages='slurmctld slurmd slurm-client munge libopenmpi-dev openmpi-bin zsh python3-scipy
mkdocs mkdocs-material'

die() { echo "setup.sh: $*" >&2; exit 1; }

find_nvcc() { command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null; }

find_nccl() {  # its header, where the Makefile looks for it
    ls "$(dirname "$(find_nvcc)")/../include/nccl.h" /usr/include/nccl.h /usr/local/include/nccl.h 2>/dev/null
}

about_cuda() {
    if nvcc=$(find_nvcc); then
        echo "CUDA: $nvcc"
        [ -n "$(find_nccl)" ] ||
            echo "NCCL: no nccl.h: GPUs will exchange numbers through the memory of the host" \
                 "(with NVIDIA's package libnccl-dev installed, make builds for NCCL too)"
    else
        echo "CUDA: no nvcc: sweep will be built for the CPU only" \
             "(with the CUDA toolkit installed, make builds for the GPU too)"
    fi
}

missing_packages() {  # not installed, one a line; an absent apt is a system without any of them
    for package in $packages; do
        case $(dpkg-query -W -f='${db:Status-Abbrev}' "$package" 2>/dev/null) in
            ii*|hi*) ;;
            *) echo "$package" ;;
        esac
    done
}

missing_tools() {  # the same question where there is no dpkg: does what the packages bring work?
    for tool in "${CC:-gcc}" make pkg-config; do
        command -v "$tool" >/dev/null || echo "$tool"
    done
    for header in libconfig.h cmocka.h nettle/sha2.h xxhash.h; do
        printf '#include <%s>\n' stdarg.h stddef.h setjmp.h sys/types.h $header |
            "${CC:-gcc}" -E - >/dev/null 2>&1 || echo "$header"
    done
    pkg-config --exists hdf5 2>/dev/null || pkg-config --exists hdf5-serial 2>/dev/null ||
        echo 'hdf5 (known to pkg-config)'
    python3 -c 'import h5py, matplotlib' 2>/dev/null || echo 'python3 with h5py and matplotlib'
}

install() {
    if [ "$(id -u)" -eq 0 ]; then as_root=''
    elif command -v sudo >/dev/null; then as_root=sudo
    else die "these packages are missing and this is neither root nor a machine with sudo; as root:
    apt-get install $*"
    fi
    echo "setup: installing${as_root:+ with sudo}: $*"
    about_cuda
    $as_root apt-get update -qq || echo "setup: apt-get update failed; trying with the package lists that are here" >&2
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null ||
        die "apt-get could not install them (see above); when that is mended, run it again"
}

case ${1-} in
    ''|--print) ;;
    --tests) packages="$packages $test_packages" ;;
    *) die "usage: setup.sh [--print | --tests]" ;;
esac

if command -v dpkg-query >/dev/null && command -v apt-get >/dev/null; then
    if find_nvcc >/dev/null; then packages="$packages g++"; fi   # nvcc compiles its host code with it
    if find_nvcc >/dev/null && [ -z "$(find_nccl)" ] && apt-cache show libnccl-dev >/dev/null 2>&1; then
        packages="$packages libnccl-dev"  # only NVIDIA's archive has it
    fi
    missing=$(missing_packages | tr '\n' ' ')
    if [ "${1-}" = --print ]; then
        if [ -n "$missing" ]; then echo "missing: $missing"; else echo "nothing is missing"; fi
        about_cuda
    elif [ -n "$missing" ]; then
        install $missing
    fi
else
    missing=$(missing_tools | paste -s -d, - | sed 's/,/, /g')
    if [ "${1-}" = --print ]; then
        echo "not a Debian-like system. Debian's names of what is needed:" $packages
        echo "missing here: ${missing:-nothing}"
        about_cuda
    elif [ -n "$missing" ]; then
        die "not a Debian-like system, so nothing is installed; missing here: $missing
    Debian's names of what is needed:" $packages
    fi
fi
