#!/bin/bash
# Ranks that mpirun has started: what sw_comm.h promises, and lines cut over them, on 1, 2 and 3. Skipped where the
# program is built without MPI, or there is no mpirun.
build=$(dirname "${SWEEP:-build/sweep}")
[ -x "$build/test_comm" ] || build=build
cd "$(dirname "$0")/.." || exit 1
case $build in /*) ;; *) build=$PWD/$build ;; esac
. tests/helpers.sh
command -v mpirun >/dev/null || { echo "# skipped: no mpirun (Debian: openmpi-bin)"; exit 0; }
ldd "$build/test_comm" | grep -q libmpi || { echo "# skipped: built without MPI"; exit 0; }

# more ranks than processors, and root, are what a test needs; the names of Open MPI 4 and 5
export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
ranks() { local n=$1; shift; timeout 120 mpirun -n "$n" "$@" >out 2>err </dev/null; }

for n in 1 2 3; do
    head -c 64 /dev/zero >shared
    SW_TEST_SHARED=$tmp/shared ranks $n "$build/test_comm" mpi || fail "test_comm on $n ranks"
    [ "$(grep -c '17 test(s) run' out)" = $n ] || fail "test_comm: not all of $n ranks ran"
    [ $n = 1 ] || ranks $n "$build/test_fd_distributed" || fail "test_fd_distributed on $n ranks"
done

summary
