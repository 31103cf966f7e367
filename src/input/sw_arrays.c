#include "input/sw_arrays.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/sw_hash.h"
#include "base/sw_mem.h"
#include "input/input_impl.h"

struct sw_arrays {
    const struct input_format *format;
    void *own;
};

/* @param length  in: room, out: bytes there are */
static enum sw_status read_head(const char *path, char *head, size_t *length)
{
    struct stat s;
    FILE *file = fopen(path, "rb");
    if (!file && errno == ENOENT) return SW_FAIL(SW_E_CONFIG, "there is no such file; a path begins in this folder");
    if (!file) return SW_FAIL(SW_E_CONFIG, "%s", strerror(errno));
    const bool regular = !fstat(fileno(file), &s) && S_ISREG(s.st_mode);
    *length = regular ? fread(head, 1, *length, file) : 0;
    const bool failed = ferror(file);
    fclose(file);
    if (!regular) return SW_FAIL(SW_E_CONFIG, "it is a folder or a device, not a file");
    return failed ? SW_FAIL(SW_E_IO, "it cannot be read") : SW_OK;
}

enum sw_status sw_arrays_open(const char *path, struct sw_arrays **input)
{
    char head[64];
    size_t length = sizeof head;
    const struct input_format *const *format = input_formats;
    *input = NULL;
    SW_TRY(read_head(path, head, &length));
    while (*format && !(*format)->recognizes(head, length)) format++;
    if (!*format) return SW_FAIL(SW_E_CONFIG, "it is neither an HDF5 file nor a Matrix Market one");
    SW_TRY(sw_alloc(1, input));
    (*input)->format = *format;
    enum sw_status st = (*format)->open(path, &(*input)->own);
    if (st) sw_arrays_close(input);
    return st;
}

void sw_arrays_close(struct sw_arrays **input)
{
    if (!input || !*input) return;
    (*input)->format->close((*input)->own);
    sw_free(*input);
    *input = NULL;
}

enum sw_arrays_kind sw_arrays_kind(const struct sw_arrays *input)
{
    return input->format->kind ? input->format->kind(input->own) : SW_ARRAYS_DATASETS;
}

enum sw_status sw_arrays_find(struct sw_arrays *input, const char *name, struct sw_array *array)
{
    return input->format->find(input->own, name, array);
}

enum sw_status sw_arrays_read(struct sw_arrays *input, const struct sw_array *array, const struct sw_array_part *part,
                              double *out)
{
    return part->systems && part->count ? input->format->read(input->own, array, part, out) : SW_OK;
}

/* Many short systems, or part of a long one, at a time. */
enum sw_status sw_arrays_digest(struct sw_arrays *input, const struct sw_array *a, unsigned char digest[32])
{
    const int64_t piece = 1 << 17, shape[2] = {a->systems, a->n};
    const int64_t many = a->n < piece ? piece / a->n : 1;
    struct sw_hash h;
    double *number;
    enum sw_status st = SW_OK;
    SW_TRY(sw_alloc((size_t)piece, &number));
    sw_hash_start(&h);
    sw_hash_add(&h, shape, sizeof shape);
    for (int64_t s = 0; s < a->systems && !st; s += many)
        for (int64_t first = 0; first < a->n && !st; first += piece) {
            const struct sw_array_part part = {s, a->systems - s < many ? a->systems - s : many, first,
                                               a->n - first < piece ? a->n - first : piece};
            st = sw_arrays_read(input, a, &part, number);
            if (!st) sw_hash_add(&h, number, (size_t)(part.systems * part.count) * sizeof *number);
        }
    sw_hash_end(&h, digest);
    sw_free(number);
    return st;
}
