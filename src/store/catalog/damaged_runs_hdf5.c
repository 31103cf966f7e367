#include "store/catalog/damaged_runs_hdf5.h"

#include <string.h>

#include "base/sw_checksum.h"
#include "base/sw_mem.h"
#include "store/merge/merge_impl.h"
#include "store/hdf5/schema_hdf5.h"

/* HDF5 1.10 looks for each chunk from the first on. */
enum { MOST_CHUNKS = 4096 };

struct search {
    const unsigned char *bad;
    uint64_t blocks;
    bool *row;      /* [rows] out: damaged */
    hsize_t rows;
};

static bool any_bad(const struct search *s, uint64_t at, uint64_t bytes)
{
    for (uint64_t k = at / SW_CHECKSUM_BLOCK; bytes && k <= (at + bytes - 1) / SW_CHECKSUM_BLOCK && k < s->blocks; k++)
        if (s->bad[k]) return true;
    return false;
}

/* Rows of `bytes` bytes each, from a place in the file on. */
static void mark_rows(const struct search *s, uint64_t at, hsize_t first, hsize_t rows, uint64_t bytes)
{
    for (hsize_t k = 0; k < rows && first + k < s->rows; k++) s->row[first + k] |= any_bad(s, at + k * bytes, bytes);
}

static uint64_t row_bytes(const hsize_t *dim, int rank, enum sw_h5_type type)
{
    uint64_t bytes = sw_h5_size(type);
    for (int k = 1; k < rank; k++) bytes *= dim[k];
    return bytes;
}

static void mark_chunks(const struct search *s, hid_t dataset, const struct sw_h5_shape *shape, enum sw_h5_type type)
{
#if H5_VERSION_GE(1, 10, 5)
    hsize_t count = 0, at[SW_H5_RANK] = {0}, bytes = 0;
    haddr_t address = HADDR_UNDEF;
    unsigned filters;
    hid_t space = H5Dget_space(dataset);
    if (space >= 0 && H5Dget_num_chunks(dataset, space, &count) >= 0 && count <= MOST_CHUNKS)
        for (hsize_t k = 0; k < count; k++)
            if (H5Dget_chunk_info(dataset, space, k, at, &filters, &address, &bytes) >= 0 && address != HADDR_UNDEF)
                mark_rows(s, address, at[0], shape->chunk[0], row_bytes(shape->chunk, shape->rank, type));
    if (space >= 0) H5Sclose(space);
#else
    (void)s; (void)dataset; (void)shape; (void)type;
#endif
}

static void add_runs(const struct search *s, const struct sw_data_group *group, const char *name, struct sw_text *text)
{
    struct sw_text list = {0};
    hsize_t first = 0, count = 0;
    for (hsize_t k = 0; k <= s->rows; k++) {
        const bool here = k < s->rows && s->row[k];
        if (here && !count++) first = k;
        if (here || !count) continue;
        sw_run_ranges_add(&list, group->index[first], group->index[first + count - 1]);
        count = 0;
    }
    if (list.length) sw_text_printf(text, "%s%s of runs %s", text->length ? "; " : "", name, sw_text_get(&list));
    sw_text_free(&list);
}

static void add_variable(struct sw_h5 *h, const struct sw_data_group *group, const struct sw_var *var, struct search *s,
                         struct sw_text *text)
{
    char path[SW_PATH];
    struct sw_h5_shape shape;
    enum sw_h5_type type;
    hid_t dataset = sw_h5_dataset(h, sw_data_group_path(group, var->name, path), &shape, &type);
    if (dataset < 0) return;
    s->rows = shape.rank > 1 && shape.dim[0] <= (hsize_t)group->count ? shape.dim[0] : 0;
    memset(s->row, 0, (size_t)group->count * sizeof *s->row);
    const haddr_t at = shape.chunk[0] || shape.is_virtual ? HADDR_UNDEF : H5Dget_offset(dataset);
    if (shape.chunk[0]) mark_chunks(s, dataset, &shape, type);
    else if (at != HADDR_UNDEF) mark_rows(s, at, 0, s->rows, row_bytes(shape.dim, shape.rank, type));
    add_runs(s, group, var->name, text);
    sw_h5_dataset_close(dataset);
}

void sw_damaged_runs_add(const struct sw_input_file *in, const unsigned char *bad, uint64_t blocks,
                         struct sw_text *text)
{
    struct sw_h5 h;
    struct search s = {.bad = bad, .blocks = blocks};
    enum sw_status st = sw_h5_open(&h, in->path);
    for (int g = 0; g < in->ndata_group && !st; g++) {
        const struct sw_data_group *group = &in->data_group[g];
        if (sw_alloc((size_t)group->count, &s.row)) break;
        for (int k = 0; k < group->nvar && !h.status; k++) add_variable(&h, group, &group->var[k], &s, text);
        sw_free(s.row);
    }
    sw_h5_close(&h);
}
