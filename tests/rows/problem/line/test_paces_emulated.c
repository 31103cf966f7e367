/* cuda.fused with paces, its kernels on this machine's processor (helpers/emulated_device.h): each run has the bits
 * that it has alone, and about the numbers of cpu.plain. Launchers of kernels that nvcc compiles are replaced when the
 * program is linked (Makefile). */
#include "emulated_device.h"
#include "line_paces.h"

#include "cuda/line/line_kernels.h"
#include "problem/line/cuda/batch_point.h"

/* ------------------------------------------------------------------ launchers */

int __wrap_cudaSetDevice(int index);
enum sw_status __wrap_sw_cuda_line_reset(sw_cuda_stream stream, const struct sw_line_batch *b);
enum sw_status __wrap_sw_cuda_to_lines(sw_cuda_stream stream, const struct sw_line_batch *b, const double *u,
                                       enum sw_cuda_lines order, bool single, void *lines);
enum sw_status __wrap_sw_cuda_line_measure(sw_cuda_stream stream, const struct sw_line_batch *b,
                                           const struct sw_cuda_spectrum *p, const double *u, const double *measured,
                                           double *scalars);

int __wrap_cudaSetDevice(int index) { return index; }

enum sw_status __wrap_sw_cuda_line_reset(sw_cuda_stream stream, const struct sw_line_batch *b)
{
    (void)stream;
    for (int j = 0; j < b->count; j++) b->first_bad[j] = b->load_error[j] ? 0 : SW_LINE_FINITE;
    return SW_OK;
}

enum sw_status __wrap_sw_cuda_to_lines(sw_cuda_stream stream, const struct sw_line_batch *b, const double *u,
                                       enum sw_cuda_lines order, bool single, void *lines)
{
    const size_t line = (size_t)b->n * (size_t)b->unknowns;
    (void)stream;
    assert_true(order == SW_LINES_OF_RUNS && !single && b->point == 1);
    for (size_t c = 0; c < (size_t)b->count * line; c++)
        ((double *)lines)[c] = b->first_bad[c / line] != SW_LINE_FINITE ? NAN : u[c];
    return SW_OK;
}

/* What the kernel of the steps has measured; in place of what the spectrum says, by what it is compared with zero. */
enum sw_status __wrap_sw_cuda_line_measure(sw_cuda_stream stream, const struct sw_line_batch *b,
                                           const struct sw_cuda_spectrum *p, const double *u, const double *measured,
                                           double *scalars)
{
    (void)stream, (void)u;
    for (int j = 0; j < b->count; j++) {
        const bool finite = b->first_bad[j] == SW_LINE_FINITE;
        for (int k = 0; k < SW_LINE_SCALARS; k++)
            scalars[j * SW_LINE_SCALARS + k] = finite ? measured[j * SW_LINE_SCALARS + k] : NAN;
        if (finite) scalars[j * SW_LINE_SCALARS + SW_DOMAIN_LENGTH] = b->noise[j] * p->noise_growth;
    }
    return SW_OK;
}

/* ------------------------------------------------------------------ the same bits */

static const struct sw_stepper_ops *row_named(const char *name)
{
    int k = 0;
    while (strcmp(sw_stepper_table[k]->name, name)) k++;
    return sw_stepper_table[k];
}

static void paces_change_no_bit(void **state)
{
    (void)state;
    if (emulated_absent()) skip_unless_needed("c++", emulated_absent());
    host = emulated_host;
    paces_change_nothing(row_named("cuda.fused"), &emulated_device, row_named("cpu.plain"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(paces_change_no_bit)};
    return cmocka_run_group_tests_name("cuda.fused", tests, open_emulated_host, close_emulated_host);
}
