# What tests of one large run of `tridiagonal` share; after helpers.sh.
given='lower = "rand(seed) - 0.5"; main = "rand(seed + 0.1) - 0.5"; upper = "rand(seed + 0.2) - 0.5";'
tridiagonal_config() {  # tridiagonal_config RUN N LINE...: RUN goes into run; the lines are further settings
    local run=$1 n=$2
    shift 2
    cat <<CFG
problem = "tridiagonal";
grid    = { n = $n; };
run     = { device = "cpu"; $run };
output  = { fields = { precision = "double"; }; };
CFG
    printf '%s\n' "$@"
}
