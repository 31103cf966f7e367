#ifndef ELLIPTIC_REAL_H
#define ELLIPTIC_REAL_H
/* The numbers of vectors and matrices in files that are compiled twice, mostly the CPU's: `real` is double; in the
 * files *_single_cpu.c and *_single_cuda.c, which define ELLIPTIC_SINGLE and may include another one, it is float. What
 * these export ends with _single, and the matrix of the CPU is elliptic_matrix_single. Scalars are double, and so are
 * sums over slabs: what a slab adds to a sum is added up in `real`, in eight lanes. */
#include "elliptic/sw_elliptic_impl.h"

/* What the CPU's rows look at of a matrix, rounded (sw_elliptic.h has the members). */
struct elliptic_faces_single { const float *kx, *ky, *kz; };
struct elliptic_matrix_single {
    int64_t nx, ny, nz;
    bool    periodic[2];
    int64_t panel;
    const float *area, *east, *north, *cross, *a, *b, *c, *d;
    struct elliptic_faces_single faces;
};

typedef struct sw_elliptic_matrix elliptic_matrix_double;

#ifdef ELLIPTIC_SINGLE
typedef float real;
#define sw_elliptic_matrix             elliptic_matrix_single
#define sw_elliptic_faces              elliptic_faces_single
#define elliptic_scratch               elliptic_scratch_single
#define elliptic_own_ends              elliptic_own_ends_single
#define elliptic_cell_beyond           elliptic_cell_beyond_single
#define elliptic_row_beyond            elliptic_row_beyond_single
#define elliptic_apply_slab            elliptic_apply_slab_single
#define elliptic_apply_row             elliptic_apply_row_single
#define elliptic_precondition_slab     elliptic_precondition_slab_single
#define elliptic_precondition_columns  elliptic_precondition_columns_single
#define elliptic_columns               elliptic_columns_single
#define elliptic_eliminate             elliptic_eliminate_single
#define elliptic_substitute            elliptic_substitute_single
#define elliptic_host_make             elliptic_host_make_single
#define elliptic_host_begin            elliptic_host_begin_single
#define elliptic_host_scratch          elliptic_host_scratch_single
#define elliptic_host_slabs            elliptic_host_slabs_single
#define elliptic_host_slabs_again      elliptic_host_slabs_again_single
#define elliptic_host_sums             elliptic_host_sums_single
#define elliptic_host_space            elliptic_host_space_single
#define elliptic_host_fused            elliptic_host_fused_single
#define elliptic_host_solve            elliptic_host_solve_single
#define elliptic_pcg_pass              elliptic_pcg_pass_single
#define elliptic_run_product           elliptic_run_product_single
#define elliptic_run_preconditioner    elliptic_run_preconditioner_single
#define elliptic_run_dot               elliptic_run_dot_single
#define elliptic_run_combine           elliptic_run_combine_single
#define elliptic_interleaved_cpu       elliptic_interleaved_single_cpu
#define elliptic_pcg_cpu               elliptic_pcg_single_cpu
#define elliptic_csr_cpu               elliptic_csr_single_cpu
#define elliptic_csr_cuda              elliptic_csr_single_cuda
#else
typedef double real;
#endif
#endif
