# What tests of ranks share; after helpers.sh. More ranks than processors, bound to none of them, and root, are what a
# test needs; the names of Open MPI 4 and 5.
export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
export OMPI_MCA_hwloc_base_binding_policy=none PRTE_MCA_hwloc_default_binding_policy=none
export OMPI_MCA_odls_base_sigkill_timeout=0  # how long mpirun waits after any exit code but 0: 1 s, unless told
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_pml=ob1  # what it takes within a machine: to look for others is a third of the time of a start
unbuffered="env LD_PRELOAD=$build/synchronous_sends.so"  # before a program: MPI buffers nothing that it sends
patience=300  # seconds, after which something hangs; on a busy machine all of this takes several times as long

built_with_mpi() { ldd "$sweep" | grep -q libmpi; }
# need_mpirun: or nothing more is tested
need_mpirun() { command -v mpirun >/dev/null || { skipped 'no mpirun (Debian: openmpi-bin)'; summary; exit; }; }
# ranks CODE NUMBER PROGRAM...: its output goes to out and err
ranks() {
    local code=$1 n=$2
    shift 2
    timeout -k 5 $patience mpirun -n "$n" "$@" >out 2>err </dev/null
    local got=$?
    [ $got = "$code" ] || fail "mpirun -n $n $*: exit code $got, expected $code"
}
once() { [ "$(grep -cF -- "$1" err)" = 1 ] || fail "stderr does not say once: $1"; }
