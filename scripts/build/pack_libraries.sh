#!/bin/bash
# pack_libraries.sh FOLDER: for a machine that has a compiler and CUDA, but not the libraries that sweep is built with
# (libconfig, HDF5, nettle, xxHash, cmocka), and on which nothing can be installed, as on many a cluster.
#   FOLDER   is filled with their headers and static libraries, of this machine's packages, some 13 MB, and with the
#            program FOLDER/make.sh. Carry it there inside the checkout (git need not be there: the commit goes along).
# There, FOLDER/make.sh TARGET... builds from the top of the checkout, with all cores, and fills build/portable:
#   FOLDER/make.sh sweep test_elliptic fail_nth.so     these
#   FOLDER/make.sh                                     what `make portable` has; SM=90 in the environment: only for it
cd "$(dirname "$0")/../.." || exit 1
[ $# = 1 ] && [ "${1#-}" = "$1" ] || { sed -n '/^#!/d; /^#/!q; s/^# \{0,1\}//p' "$0" >&2; exit 2; }
folder=$1
set -e
find_library() {  # NAME: where the linker of this machine has it
    local path
    path=$("${CC:-gcc}" $(pkg-config --libs-only-L hdf5 2>/dev/null) -print-file-name="$1")
    for path in "$path" /usr/lib/*/hdf5/serial/"$1"; do [ -e "$path" ] && { echo "$path"; return; }; done
    echo "pack_libraries.sh: no $1 here: scripts/build/setup.sh installs what is missing" >&2
    return 1
}
rm -rf "$folder/include" "$folder/lib"
mkdir -p "$folder/include" "$folder/lib"
echo "*" > "$folder/.gitignore"
for library in libconfig.a libnettle.a libhdf5.a libhdf5_hl.a libsz.a libaec.a libz.a libcmocka.so libcmocka.so.0; do
    path=$(find_library $library)
    cp -L "$path" "$folder/lib/"
done
cp -r /usr/include/libconfig.h /usr/include/cmocka*.h /usr/include/xxhash.h /usr/include/nettle \
    /usr/include/hdf5/serial/* "$folder/include/"
git rev-parse --short=12 HEAD > "$folder/commit"
cat > "$folder/make.sh" <<'END'
#!/bin/bash
folder=$(realpath "$(dirname "$0")") objects=build/portable-objects
cd "$(git -C "$folder" rev-parse --show-toplevel 2>/dev/null || dirname "$folder")" || exit 1
export CPATH=$folder/include LIBRARY_PATH=$folder/lib
mkdir -p $objects build/portable
cp -u "$folder/lib/libcmocka.so.0" $objects/
settings=(PORTABLE=1 B=$objects COMMIT="$(cat "$folder/commit")" HDF5_CFLAGS= HDF5_LDFLAGS="-L$folder/lib"
    HDF5_LIBS='-lhdf5_hl -lhdf5')
if [ $# -gt 0 ]; then targets=("${@/#/$objects/}"); else targets=(tests benches); fi
make -j"$(nproc)" "${settings[@]}" ${SM:+SM="$SM"} "${targets[@]}" || exit 1
find $objects -maxdepth 1 -type f \( -perm -u+x -o -name '*.so*' \) -exec cp -u {} build/portable/ \;
END
chmod +x "$folder/make.sh"
du -sh "$folder"
