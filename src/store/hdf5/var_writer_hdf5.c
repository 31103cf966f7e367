#include <math.h>
#include <string.h>

#include "base/sw_mem.h"
#include "store/hdf5/var_writer_hdf5.h"

/* Outputs are gathered up to the first; one of more than the second is not: it is large enough for one write. (Chunks
 * of more than 1 MiB are also those that HDF5 reads in slices; smaller ones it reads and keeps whole.) */
enum { BLOCK_BYTES = 4 << 20, ALONE_BYTES = 1 << 20 };

/* So many of `count` in each chunk that no chunk holds more than `most`, and the last one has little room to spare. */
static int64_t equal_share(int64_t count, int64_t most)
{
    int64_t chunks = (count + most - 1) / most;
    return (count + chunks - 1) / chunks;
}

static hid_t make_dataset(const struct sw_var_writer *s, const struct sw_data_group *data_group,
                          const struct sw_var *var, int64_t outputs)
{
    int64_t most = sw_clamp(BLOCK_BYTES / (int64_t)s->row, 1, s->count);
    int64_t rows = s->depth > 1 ? s->count : equal_share(s->count, most);
    struct sw_h5_shape shape = {0};
    shape.rank = sw_var_size(data_group, s->kind, s->count, 0, shape.dim);
    sw_var_chunk(data_group, s->kind, rows, s->depth, shape.chunk);
    sw_var_size(data_group, s->kind, s->count, outputs, shape.most);
    return sw_h5_make_var(s->h5, data_group, var, &shape);
}

enum sw_status sw_var_writer_open(struct sw_var_writer *s, struct sw_h5 *h, const struct sw_data_group *data_group,
                                  const struct sw_var *var, int64_t outputs)
{
    *s = (struct sw_var_writer){.h5 = h, .data_group = data_group, .kind = var->kind, .type = var->type, .dataset = -1,
                                .count = data_group->count};
    if (outputs < 1) outputs = 1;
    s->inner = sw_var_inner(data_group, var->kind);
    s->row = (size_t)s->inner * sw_h5_size(var->type);
    int64_t bytes = s->count * (int64_t)s->row;
    s->depth = bytes > ALONE_BYTES ? 1 : equal_share(outputs, sw_clamp(BLOCK_BYTES / bytes, 1, outputs));
    if (s->depth > 1 || s->kind != SW_VAR_FIELD) SW_TRY(sw_alloc((size_t)(s->count * s->depth) * s->row, &s->block));
    s->dataset = make_dataset(s, data_group, var, outputs);
    return h->status;
}

static void write_block(struct sw_var_writer *s, const void *data, int64_t outputs)
{
    hsize_t size[SW_H5_RANK], start[SW_H5_RANK], count[SW_H5_RANK];
    int rank = sw_var_size(s->data_group, s->kind, s->count, s->written + outputs, size);
    sw_var_start(s->data_group, s->kind, 0, s->written, start);
    sw_var_size(s->data_group, s->kind, s->count, outputs, count);
    sw_h5_grow(s->h5, s->dataset, size);
    sw_h5_write(s->h5, s->dataset, s->type, rank, start, count, data);
    s->written += outputs;
    s->filled = 0;
}

void sw_var_writer_flush(struct sw_var_writer *s)
{
    if (!s->filled) return;
    for (int64_t j = 1; s->filled < s->depth && j < s->count; j++)  /* close the gaps of a block that is not full */
        memmove(s->block + (size_t)(j * s->filled) * s->row, s->block + (size_t)(j * s->depth) * s->row,
                (size_t)s->filled * s->row);
    write_block(s, s->block, s->filled);
}

/* An output without values. */
static void add_nothing(struct sw_var_writer *s)
{
    const size_t values = (size_t)(s->count * s->inner);
    void *nan = NULL;
    if (sw_alloc_bytes(values, sw_h5_size(s->type), &nan)) { sw_h5_fail(s->h5, SW_E_MEMORY, "out of memory"); return; }
    for (size_t k = 0; k < values; k++) {
        if (s->type == SW_H5_SINGLE) ((float *)nan)[k] = NAN;
        else ((double *)nan)[k] = NAN;
    }
    sw_var_writer_add(s, nan, s->row);
    sw_free(nan);
}

void sw_var_writer_add(struct sw_var_writer *s, const void *data, size_t stride)
{
    const char *from = data;
    if (!data) { add_nothing(s); return; }
    if (!s->block) {  /* a field that is a block as it is: straight from the caller's memory */
        write_block(s, data, 1);
        return;
    }
    for (int64_t j = 0; j < s->count; j++)
        memcpy(s->block + (size_t)(j * s->depth + s->filled) * s->row, from + (size_t)j * stride, s->row);
    if (++s->filled == s->depth) sw_var_writer_flush(s);
}

void sw_var_writer_add_piece(struct sw_var_writer *s, const void *data, int64_t first, int64_t count)
{
    hsize_t size[SW_H5_RANK], start[SW_H5_RANK], part[SW_H5_RANK];
    const int rank = sw_var_size(s->data_group, s->kind, s->count, s->written + 1, size);
    sw_var_start(s->data_group, s->kind, 0, s->written, start);
    sw_var_size(s->data_group, s->kind, s->count, 1, part);
    start[rank - 1] = (hsize_t)first;
    part[rank - 1] = (hsize_t)count;
    sw_h5_grow(s->h5, s->dataset, size);
    sw_h5_write(s->h5, s->dataset, s->type, rank, start, part, data);
    s->written += first + count == s->inner;
}

void sw_var_writer_free(struct sw_var_writer *s)
{
    sw_free(s->block);
    s->block = NULL;
}
