/* A block of the product, ROWS x 2 registers, stays in registers while its sums run over all levels: a step loads two
 * registers and ROWS numbers for 2 ROWS products. COLUMNS of `from` are packed at a time, 512 bytes a level, so that
 * they stay in the second cache for all blocks of rows, and rows a power of two of bytes apart do not compete for its
 * lines. */
#include "elliptic/elliptic_transform_cpu.h"

#include <string.h>

enum { ROWS = 6, COLUMNS = 64 };
#ifdef __AVX512F__
enum { VL = 8 };
#else
enum { VL = 4 };
#endif
enum { WIDTH = 2 * VL };  /* columns of a block */
typedef double vec __attribute__((vector_size(8 * VL), may_alias));
typedef double unaligned __attribute__((vector_size(8 * VL), aligned(8), may_alias));  /* of a field */

static int64_t blocks_of(int64_t nz) { return (nz + ROWS - 1) / ROWS; }

size_t elliptic_packed_words(int64_t nz) { return (size_t)(blocks_of(nz) * ROWS * nz); }

size_t elliptic_transform_scratch(int64_t nz) { return (size_t)nz * COLUMNS; }

void elliptic_pack(int64_t nz, const double *x, bool transposed, double *packed)
{
    for (int64_t block = 0; block < blocks_of(nz); block++)
        for (int64_t k = 0; k < nz; k++)
            for (int64_t r = 0; r < ROWS; r++) {
                const int64_t row = block * ROWS + r;
                *packed++ = row >= nz ? 0 : transposed ? x[k * nz + row] : x[row * nz + k];
            }
}

/* Columns of `from` as [blocks of WIDTH][nz][WIDTH], zeros behind the last. */
static void pack_columns(int64_t nz, int64_t columns, const double *from, int64_t stride, double *restrict to)
{
    const int64_t whole = columns / WIDTH * WIDTH;
    for (int64_t k = 0; k < nz; k++) {
        const double *restrict row = from + k * stride;
        for (int64_t first = 0; first < whole; first += WIDTH) {
            const unaligned *v = (const unaligned *)(row + first);
            vec *put = (vec *)(to + first * nz + k * WIDTH);
            put[0] = v[0];
            put[1] = v[1];
        }
        for (int64_t i = 0; whole < columns && i < WIDTH; i++)
            to[whole * nz + k * WIDTH + i] = whole + i < columns ? row[whole + i] : 0;
    }
}

/* ROWS rows of X times WIDTH columns. */
static inline void multiply_block(int64_t nz, const double *restrict x, const double *restrict columns,
                                  vec sum[ROWS][2])
{
    vec s[ROWS][2] = {{{0}}};
    for (int64_t k = 0; k < nz; k++) {
        const vec *v = (const vec *)(columns + k * WIDTH);
        const vec left = v[0], right = v[1];
        for (int r = 0; r < ROWS; r++) {
            s[r][0] += x[k * ROWS + r] * left;
            s[r][1] += x[k * ROWS + r] * right;
        }
    }
    memcpy(sum, s, sizeof s);
}

static inline void put_row(double *restrict to, const vec sum[2], int64_t count, bool add)
{
    const double *of = (const double *)sum;
    unaligned *v = (unaligned *)to;
    if (count < WIDTH) for (int64_t i = 0; i < count; i++) to[i] = add ? to[i] + of[i] : of[i];
    else if (add) v[0] += sum[0], v[1] += sum[1];
    else v[0] = sum[0], v[1] = sum[1];
}

void elliptic_multiply(int64_t nz, int64_t nx, const double *packed, const double *from, int64_t from_stride,
                       double *to, int64_t to_stride, bool add, double *scratch)
{
    vec sum[ROWS][2];
    for (int64_t first = 0; first < nx; first += COLUMNS) {
        const int64_t columns = nx - first < COLUMNS ? nx - first : COLUMNS;
        pack_columns(nz, columns, from + first, from_stride, scratch);
        for (int64_t block = 0; block < blocks_of(nz); block++)
            for (int64_t at = 0; at < columns; at += WIDTH) {
                const int64_t rows = nz - block * ROWS < ROWS ? nz - block * ROWS : ROWS,
                              count = columns - at < WIDTH ? columns - at : WIDTH;
                multiply_block(nz, packed + block * ROWS * nz, scratch + at * nz, sum);
                for (int64_t r = 0; r < rows; r++)
                    put_row(to + (block * ROWS + r) * to_stride + first + at, sum[r], count, add);
            }
    }
}
