/* The matrix in compressed rows (cuda/elliptic/elliptic_csr.cu) against the sums of the CPU, for every kind of problem.
 * */
#include <stdlib.h>

#include "base/sw_err.h"
#include "device/sw_device.h"
#include "helpers.h"

#ifdef SW_HAVE_CUDA
#include <math.h>
#include <string.h>

#include "base/sw_mem.h"
#include "elliptic/elliptic_cells_cpu.h"
#include "elliptic/elliptic_device_cuda.h"

static const struct sw_elliptic_numbers usual = {.omega2 = 0.3, .lambda2 = 0.2, .delta = 1, .depth = 0.5,
                                                 .tolerance = 1e-10, .iterations = 1};

struct rows { size_t cells, entries; int64_t *offsets, *columns; double *values; };

static struct rows fetch(struct sw_device *device, const struct sw_elliptic_desc *d,
                         const struct sw_elliptic_matrix *matrix, bool narrow, double *const diagonals[3])
{
    struct elliptic_device on;
    struct sw_owned own = {.device = device};
    struct rows r = {.cells = (size_t)(d->n[0] * d->n[1] * d->n[2])};
    char *offsets = NULL, *columns = NULL, *bytes = NULL;
    double *values = NULL;
    const size_t index = narrow ? sizeof(int32_t) : sizeof(int64_t);
    elliptic_device_make(d, device, 0, 1, true, &own, &on);
    assert_ok(own.status);
    assert_ok(elliptic_device_load(&on, 1, matrix));
    r.entries = (size_t)sw_cuda_elliptic_entries(&on.matrix);
    assert_ok(sw_device_alloc(device, (r.cells + 1) * index, &offsets));
    assert_ok(sw_device_alloc(device, r.entries * index, &columns));
    assert_ok(sw_device_alloc(device, r.entries, &values));
    const struct sw_cuda_csr out = {narrow, false, offsets, columns, values, diagonals[0], diagonals[1], diagonals[2]};
    assert_ok(sw_cuda_elliptic_csr(device->compute, &on.matrix, &out));
    assert_ok(sw_alloc(r.cells + 1, &r.offsets));
    assert_ok(sw_alloc(r.entries, &r.columns));
    assert_ok(sw_alloc(r.entries, &r.values));
    assert_ok(sw_alloc((r.cells + 1 + r.entries) * index, &bytes));
    assert_ok(sw_device_download(device, bytes, offsets, (r.cells + 1) * index));
    assert_ok(sw_device_download(device, bytes + (r.cells + 1) * index, columns, r.entries * index));
    assert_ok(sw_device_download(device, r.values, values, r.entries * sizeof *values));
    for (size_t k = 0; k < r.cells + 1 + r.entries; k++) {
        int32_t word;
        int64_t *const to = k <= r.cells ? &r.offsets[k] : &r.columns[k - r.cells - 1];
        if (narrow) {
            memcpy(&word, bytes + k * index, index);
            *to = word;
        } else {
            memcpy(to, bytes + k * index, index);
        }
    }
    sw_free(bytes);
    sw_device_free(device, offsets);
    sw_device_free(device, columns);
    sw_device_free(device, values);
    sw_owned_free(&own);
    return r;
}

/* A row's cell, as arrays of fields have it. */
static size_t cell_of(const struct sw_elliptic_desc *d, size_t row, bool in_columns)
{
    const size_t nx = (size_t)d->n[0], nz = (size_t)d->n[2];
    return in_columns ? (row / (nx * nz) * nz + row % nz) * nx + row / nz % nx : row;
}

/* The diagonals of M solve what elliptic_precondition_slab() does: M z = r. And a field turned has its columns one
 * after another. */
static void check_columns(struct sw_device *device, const struct sw_elliptic_desc *d,
                          const struct sw_elliptic_matrix *matrix, double *const diagonals[3], const double *u,
                          double *scratch)
{
    const size_t nz = (size_t)d->n[2], slab = (size_t)d->n[0] * nz, cells = slab * (size_t)d->n[1];
    double *diagonal[3], *z = zeros(cells), *turned = zeros(cells), *there[2];
    for (size_t j = 0; j < (size_t)d->n[1]; j++)
        elliptic_precondition_slab(matrix, (int64_t)j, u + j * slab, z + j * slab, scratch);
    for (int k = 0; k < 3; k++) {
        diagonal[k] = zeros(cells);
        assert_ok(sw_device_download(device, diagonal[k], diagonals[k], cells * sizeof *z));
    }
    for (int k = 0; k < 2; k++) assert_ok(sw_device_alloc(device, cells, &there[k]));
    assert_ok(sw_device_upload(device, there[0], u, cells * sizeof *u));
    const struct sw_cuda_elliptic shape = {.nx = d->n[0], .ny = d->n[1], .nz = d->n[2], .systems = 1};
    assert_ok(sw_cuda_elliptic_into_columns(device->compute, &shape, false, 2, there[0], there[1]));
    assert_ok(sw_cuda_elliptic_from_columns(device->compute, &shape, false, 0.5, there[1], there[0]));
    assert_ok(sw_device_download(device, turned, there[0], cells * sizeof *u));
    assert_memory_equal(turned, u, cells * sizeof *u);
    assert_ok(sw_device_download(device, turned, there[1], cells * sizeof *u));
    for (size_t row = 0; row < cells; row++) turned[row] /= 2;
    for (size_t row = 0; row < cells; row++) {
        const bool first = row % nz == 0, last = row % nz == nz - 1;
        const double below = first ? 0 : diagonal[0][row] * z[cell_of(d, row - 1, true)],
                     above = last ? 0 : diagonal[2][row] * z[cell_of(d, row + 1, true)],
                     own = diagonal[1][row] * z[cell_of(d, row, true)];
        assert_true(turned[row] == u[cell_of(d, row, true)]);
        assert_true(fabs(below + own + above - turned[row]) <= 1e-12 * (fabs(below) + fabs(own) + fabs(above)));
        if (first) assert_true(diagonal[0][row] == 0);
        if (last) assert_true(diagonal[2][row] == 0);
    }
    for (int k = 0; k < 3; k++) sw_free(diagonal[k]);
    for (int k = 0; k < 2; k++) sw_device_free(device, there[k]);
    sw_free(z);
    sw_free(turned);
}

/* Its product with some numbers, that each row is where its offsets say, and has no column twice. */
static void compare(struct sw_device *device, const struct sw_elliptic_desc *d, bool narrow, bool in_columns)
{
    const size_t nx = (size_t)d->n[0], ny = (size_t)d->n[1], nz = (size_t)d->n[2];
    uint64_t seed = 3;
    double *face[3] = {NULL}, *u = zeros(nx * ny * nz), *y = zeros(nx * ny * nz), *scratch;
    const size_t faces_of[3] = {(nx + 1) * ny * nz, nx * (ny + 1) * nz, nx * ny * (nz + 1)};
    struct sw_elliptic_matrix matrix;
    for (int k = 0; k < 3 && d->variable; k++) {
        face[k] = zeros(faces_of[k]);
        for (size_t i = 0; i < faces_of[k]; i++) face[k][i] = 1.5 + test_random(&seed);
    }
    const struct sw_elliptic_faces faces = {face[0], face[1], face[2]};
    assert_ok(sw_elliptic_matrix_make(d, &usual, d->variable ? &faces : NULL, NULL, &matrix));
    for (size_t i = 0; i < nx * ny * nz; i++) u[i] = test_random(&seed);
    scratch = zeros(elliptic_scratch(&matrix));
    for (size_t j = 0; j < ny; j++)
        elliptic_apply_slab(&matrix, u, elliptic_own_ends(&matrix, u), (int64_t)j, y + j * nx * nz, scratch);
    double *diagonals[3] = {NULL};
    for (int k = 0; k < 3 && in_columns; k++) assert_ok(sw_device_alloc(device, nx * ny * nz, &diagonals[k]));
    struct rows r = fetch(device, d, &matrix, narrow, diagonals);
    if (in_columns) check_columns(device, d, &matrix, diagonals, u, scratch);
    for (int k = 0; k < 3; k++) sw_device_free(device, diagonals[k]);
    assert_int_equal(r.offsets[0], 0);
    assert_int_equal(r.offsets[r.cells], r.entries);
    for (size_t at = 0; at < r.cells; at++) {
        double sum = 0, size = 0;
        for (int64_t e = r.offsets[at]; e < r.offsets[at + 1]; e++) {
            assert_in_range(r.columns[e], 0, r.cells - 1);
            const double term = r.values[e] * u[cell_of(d, (size_t)r.columns[e], in_columns)];
            for (int64_t o = r.offsets[at]; o < e; o++) assert_true(r.columns[o] != r.columns[e]);
            sum += term, size += fabs(term);
        }
        assert_true(fabs(sum - y[cell_of(d, at, in_columns)]) <= 1e-14 * size);
    }
    sw_free(r.offsets);
    sw_free(r.columns);
    sw_free(r.values);
    sw_free(u);
    sw_free(y);
    sw_free(scratch);
    for (int k = 0; k < 3; k++) sw_free(face[k]);
    sw_elliptic_matrix_free(&matrix);
}

static void has_the_rows_of_the_operator(void **state)
{
    static const int64_t sizes[][3] = {{1, 1, 1}, {2, 1, 3}, {1, 3, 2}, {2, 2, 1}, {5, 4, 1}, {7, 5, 6}, {17, 3, 9}};
    struct sw_device *device = NULL;
    (void)state;
    if (sw_device_open("cuda", 1, &device)) skip_unless_needed("cuda", sw_err_message());
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int kind = 0; kind < 7; kind++) {
            struct sw_elliptic_desc d = {.n = {sizes[s][0], sizes[s][1], sizes[s][2]}, .batch = 1, .graded = kind % 2};
            if (kind == 1) d.sides[0] = SW_ELLIPTIC_PERIODIC;
            if (kind == 2) d.sides[0] = d.sides[1] = SW_ELLIPTIC_PERIODIC, d.top = SW_ELLIPTIC_NEUMANN;
            if (kind == 3) d.sides[1] = SW_ELLIPTIC_NEUMANN;
            if (kind == 4) d.variable = true;
            if (kind > 4) d.geometry = SW_ELLIPTIC_SHELL, d.full = kind == 6;
            for (int in_columns = 0; in_columns < 2; in_columns++) {
                compare(device, &d, true, in_columns);
                compare(device, &d, false, in_columns);
            }
        }
    sw_device_close(&device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(has_the_rows_of_the_operator)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
static void needs_cuda(void **state)
{
    (void)state;
    skip_unless_needed("cuda", SW_WITHOUT_CUDA);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(needs_cuda)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
