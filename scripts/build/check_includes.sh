#!/bin/sh
# Fail if a file includes from a layer it may not see. Left: a folder of src/, or cuda; right: the folders its files may
# include from, besides itself; *: any (docs/developer/design.md has the same table). A domain includes the launchers of
# its own kernels only. src/main.c may see cli and base.
# Also: a library has one home.
cd "$(dirname "$0")/../.." || exit 1
rules='
base:
input:   base
expr:    base
device:  base cuda
comm:    base device
linalg:  base device comm cuda cuda/band cuda/tridiagonal
field:   base expr
fd:      base device comm linalg cuda cuda/fd
elliptic: base device linalg cuda cuda/elliptic
problem: base input expr device field
problem/line:      base expr device linalg field fd problem cuda cuda/line
problem/bvp:       base expr device linalg field problem cuda cuda/bvp
problem/tridiagonal: base input expr device comm linalg field problem cuda cuda/tridiagonal
problem/elliptic: base expr device elliptic field problem
problem/compact:   base expr device comm linalg field fd problem cuda
problem/advection: base expr device comm linalg field fd problem cuda cuda/advection
sweep:   base expr device problem
store:   base problem sweep
run:     base expr device comm field problem sweep store
bench: base expr device linalg elliptic fd problem problem/line problem/bvp problem/compact problem/elliptic sweep
bench: cuda cuda/bench
cli:     *
main.c:  base cli
cuda:             base
cuda/band:        base linalg cuda
cuda/tridiagonal: base linalg cuda
cuda/fd:          base fd cuda
cuda/elliptic:    base elliptic cuda
cuda/bvp:         base problem/bvp cuda
cuda/advection:   base cuda
cuda/line:        base field problem/line cuda
cuda/bench:       base cuda
'
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
         home 'nvrtc' 'src/device/kernel_cuda[.]c'; home 'cusparse|cublas|cufft' 'src/linalg/libraries/[a-z_]*_cuda[.]c'
         home 'cuda_runtime|cuda[.]h' '(src/[a-z/]*/[a-z_]*_cuda[.][ch]|cuda/[a-z_/]*[.]cuh?|cuda/[a-z_/]*[.]h)'
         home 'mpi[.]h' 'src/comm/[a-z_]*_mpi[.][ch]'; home 'sha2|md5|sha' 'src/base/sw_hash[.]h'
         home 'xxh' 'src/base/sw_checksum[.]c')
all=$(printf '%s\n%s\n' "$bad" "$strays" | sed '/^$/d')
[ -z "$all" ] || { echo "$all" >&2; exit 1; }
