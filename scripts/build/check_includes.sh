#!/bin/sh
# Fail if a file includes from a layer it may not see. Who may see whom is the table of docs/developer/design.md,
# "Folders, and who may include whom": a folder of src/ or cuda/, and the folders its files may include from besides
# itself; "nothing"; "all above". src/main.c has a row of its own. Also: a library has one home.
cd "$(dirname "$0")/../.." || exit 1
rules=$(awk -F' *[|] *' '/^## /{ inside = /^## Folders, and who may include whom/ }
    inside && /^[|] `/ { gsub(/`/, ""); gsub(/,/, "", $4); sub(/nothing/, "", $4); sub(/all above/, "*", $4)
                         n = split($2, names, ", "); for (k = 1; k <= n; k++) print names[k] ": " $4 }' \
    docs/developer/design.md)
[ "$(echo "$rules" | wc -l)" -ge 30 ] || { echo 'check_includes.sh: no table in docs/developer/design.md' >&2; exit 1; }
bad=$(grep -rn '^#include "' src cuda --include='*.[ch]' --include='*.cu' --include='*.cuh' |
awk -F: -v rules="$rules" '
BEGIN { n = split(rules, line, "\n")
        for (i = 1; i <= n; i++) if (split(line[i], p, ":") == 2) may[p[1]] = may[p[1]] " " p[1] " " p[2] " " }
# The room of a file: the longest folder of the table that holds it.
function folder(path) { while (!(path in may) && sub(/\/[^\/]*$/, "", path)); return path }
{ from = $1; sub(/^src\//, "", from); from = folder(from)
  file = $3; sub(/^#include "/, "", file); sub(/".*/, "", file)
  if (file == "build_info.h") next
  to = folder(file)
  if (index(may[from], " " to " ") == 0 && may[from] !~ / \* /)
      print $1 ":" $2 ": " from " may not include " file
  else if (to ~ /^cuda/ && from !~ /^cuda/ && $1 !~ /_cuda\.[ch]$/)
      print $1 ":" $2 ": only *_cuda.[ch] may include " file
  else if (from ~ /^cuda/ && to !~ /^(base|cuda.*)$/ && file !~ /_point\.h$/)
      print $1 ":" $2 ": cuda may include only *_point.h from " to }')
home() {  # home HEADER-PATTERN FILE-PATTERN: who else includes it?
    grep -rnE "^#include <($1)" src cuda | grep -vE "^($2):" |
        awk -v home="$2" '{print $0 ": only " home " may include it"}'
}
strays=$(home 'libconfig' 'src/sweep/config_parse[.]c'; home 'hdf5' 'src/(store/[a-z0-9]*|input)/[a-z0-9_]*_hdf5[.][ch]'
         home 'nvrtc' 'src/device/kernels/compiler_cuda[.]c'
         home 'cusparse|cublas|cufft' 'src/linalg/libraries/[a-z_]*_cuda[.]c'
         home 'cuda_runtime|cuda[.]h' '(src/[a-z/]*/[a-z_]*_cuda[.][ch]|cuda/[a-z_/]*[.]cuh?|cuda/[a-z_/]*[.]h)'
         home 'mpi[.]h' 'src/comm/[a-z_]*_mpi[.][ch]'; home 'sha2|md5|sha' 'src/base/sw_hash[.]h'
         home 'nccl' 'src/comm/comm_nccl_cuda[.]c'; home 'xxh' 'src/base/sw_checksum[.]c')
all=$(printf '%s\n%s\n' "$bad" "$strays" | sed '/^$/d')
[ -z "$all" ] || { echo "$all" >&2; exit 1; }
