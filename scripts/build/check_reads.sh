#!/bin/sh
# Fail if attributes or datasets of HDF5 files are read anywhere but where their types, extents and layouts have been
# checked: src/store/hdf5/h5_read_hdf5.c for files that this program writes, src/input/input_hdf5.c for those of users;
# or if objects of a file that is read are opened with lists of properties that let links lead into other files.
cd "$(dirname "$0")/../.." || exit 1
read='H5(Aread|Dread|Dread_chunk|Dread_multi|Dvlen_get_buf_size|LT[a-z_]*|Diterate|DOread_chunk)'
strays=$(grep -rnE "\\b$read *\\(" src --include='*.[ch]' | grep -vE '^src/(store/hdf5/h5_read|input/input)_hdf5[.]c:' |
    sed 's/$/: values are read in h5_read_hdf5.c and input_hdf5.c only/')
open='H5(Oopen[a-z0-9_]*|Dopen2?|Gopen2?|Aopen_by_[a-z]*|[LAO]exists[a-z_]*|Oget_info_by_[a-z0-9]*)'
links=$(grep -nE "\\b$open *\\(.*H5P_DEFAULT\\)" src/store/hdf5/h5_read_hdf5.c src/input/input_hdf5.c |
    sed 's/$/: a link may lead into another file here/')
all=$(printf '%s\n%s\n' "$strays" "$links" | sed '/^$/d')
[ -z "$all" ] || { echo "$all" >&2; exit 1; }
