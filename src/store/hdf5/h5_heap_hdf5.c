/* Texts of variable length, read without HDF5's own reader of heaps, which trusts them: a damaged one makes it write
 * beyond its buffers, go round for ever, or ask for 4 GB for a text. HDF5 hands over the references as they are in the
 * file; here the heaps they point to are read, and each number in them is checked first. (HDF5 File Format
 * Specification 3.0, III.E: Global Heap.) */
#include <string.h>

#include "base/sw_mem.h"
#include "store/hdf5/h5_hdf5.h"

/* Texts that were written together lie in the same heap, or the next. */
enum { KEPT = 8, HEAD = 16, OBJECT_HEAD = 16 };

struct heap {
    uint64_t  at;      /* in the file                                                   */
    uint64_t  used;    /* when, for the choice of what to drop                          */
    size_t    bytes, objects;
    unsigned char *data;
    uint32_t *object;  /* [objects] where in data the head of each begins, 0: not there */
};
struct sw_h5_heap {
    struct heap heap[KEPT];
    uint64_t clock, loaded;  /* bytes read so far */
};

/* ---- references */

/* HDF5 converts from texts to references: it leaves them as they are. */
static herr_t keep_reference(hid_t from, hid_t to, H5T_cdata_t *c, size_t count, size_t stride, size_t back_stride,
                             void *data, void *background, hid_t transfer)
{
    (void)count; (void)stride; (void)back_stride; (void)data; (void)background; (void)transfer;
    if (c->command != H5T_CONV_INIT) return 0;
    c->need_bkg = H5T_BKG_NO;
    return H5Tis_variable_str(from) > 0 && H5Tget_size(from) == SW_H5_REFERENCE && H5Tget_size(to) == SW_H5_REFERENCE
               ? 0 : -1;
}

hid_t sw_h5_references(void)
{
    static hid_t type = -1;
    if (type >= 0) return type;
    type = H5Tcreate(H5T_OPAQUE, SW_H5_REFERENCE);
    H5Tregister(H5T_PERS_SOFT, "sweep_reference", sw_h5_native(SW_H5_TEXT), type, keep_reference);
    return type;
}

/* ---- heaps */

static uint64_t little_endian(const unsigned char *from, int bytes)
{
    uint64_t value = 0;
    for (int k = bytes; k-- > 0;) value = value << 8 | from[k];
    return value;
}

static struct heap *damaged_heap(struct sw_h5 *h)
{
    const int error = sw_h5_driver_error(h->file);
    if (error) sw_h5_fail_errno(h, error);
    else sw_h5_damaged(h, "has a damaged heap of texts");
    return NULL;
}

/* Addresses count from the beginning of the file, and have 8 bytes, as in all files that this program writes. */
static bool open_heaps(struct sw_h5 *h)
{
    hsize_t before = 1;
    size_t address = 0, length = 0;
    if (h->heap) return true;
    hid_t creation = H5Fget_create_plist(h->file);
    const bool usual = creation >= 0 && H5Pget_sizes(creation, &address, &length) >= 0 && address == 8 && length == 8 &&
                       H5Pget_userblock(creation, &before) >= 0 && before == 0;
    if (creation >= 0) H5Pclose(creation);
    if (!usual) {
        damaged_heap(h);
        return false;
    }
    if (sw_alloc(1, &h->heap)) { h->status = SW_E_MEMORY; return false; }
    return true;
}

static void drop_heap(struct heap *p)
{
    sw_free(p->data);
    sw_free(p->object);
    *p = (struct heap){0};
}

/* Where each object begins. The free space at the end is object 0. */
static bool list_objects(struct heap *p)
{
    size_t at = HEAD;
    while (at + OBJECT_HEAD <= p->bytes) {
        const uint64_t number = little_endian(p->data + at, 2), length = little_endian(p->data + at + 8, 8);
        if (!number) return true;
        if (length > p->bytes - at - OBJECT_HEAD || number >= p->objects || p->object[number]) return false;
        p->object[number] = (uint32_t)at;
        at += OBJECT_HEAD + (length + 7) / 8 * 8;
    }
    return true;
}

/* A file may say that its heaps overlap. So much is read that it does not matter in one that we wrote: there each heap
 * is read a few times at most. */
static bool may_load(struct sw_h5 *h, size_t bytes)
{
    enum { TIMES = 64, FREELY = 64 << 20 };
    h->heap->loaded += bytes;
    return h->heap->loaded <= TIMES * (uint64_t)h->bytes + FREELY;
}

static struct heap *load(struct sw_h5 *h, uint64_t at)
{
    unsigned char head[HEAD];
    struct sw_h5_heap *s = h->heap;
    struct heap *oldest = &s->heap[0];
    for (int k = 0; k < KEPT; k++) {
        if (s->heap[k].data && s->heap[k].at == at) {
            s->heap[k].used = ++s->clock;
            return &s->heap[k];
        }
        if (s->heap[k].used < oldest->used) oldest = &s->heap[k];
    }
    if (at > h->bytes || h->bytes - at < HEAD || !sw_h5_driver_read(h->file, at, HEAD, head) ||
        memcmp(head, "GCOL\1", 5))
        return damaged_heap(h);
    const uint64_t bytes = little_endian(head + 8, 8);
    if (bytes < HEAD || bytes > h->bytes - at || bytes > UINT32_MAX || !may_load(h, bytes)) return damaged_heap(h);
    drop_heap(oldest);
    *oldest = (struct heap){.at = at, .used = ++s->clock, .bytes = bytes, .objects = bytes / OBJECT_HEAD + 1};
    if (sw_alloc(bytes, &oldest->data) || sw_alloc(oldest->objects, &oldest->object)) {
        drop_heap(oldest);
        h->status = SW_E_MEMORY;
        return NULL;
    }
    if (sw_h5_driver_read(h->file, at, bytes, oldest->data) && list_objects(oldest)) return oldest;
    drop_heap(oldest);
    return damaged_heap(h);
}

const char *sw_h5_heap_find(struct sw_h5 *h, const unsigned char reference[SW_H5_REFERENCE], size_t *length)
{
    const uint64_t stored = little_endian(reference, 4), number = little_endian(reference + 12, 4);
    const char *from = "";
    if (h->status) return NULL;
    if (stored) {
        struct heap *p = open_heaps(h) ? load(h, little_endian(reference + 4, 8)) : NULL;
        const uint32_t at = p && number < p->objects ? p->object[number] : 0;
        if (p && (!at || stored > little_endian(p->data + at + 8, 8))) damaged_heap(h);
        if (!h->status) sw_h5_charge(h, (int64_t)stored, 1);
        if (h->status) return NULL;
        from = (const char *)p->data + at + OBJECT_HEAD;
    }
    *length = strnlen(from, stored);
    return from;
}

char *sw_h5_heap_text(struct sw_h5 *h, const unsigned char reference[SW_H5_REFERENCE])
{
    size_t length;
    const char *from = sw_h5_heap_find(h, reference, &length);
    char *text = from ? sw_strndup(from, length) : NULL;
    if (from && !text) h->status = SW_E_MEMORY;
    return text;
}

void sw_h5_heap_close(struct sw_h5 *h)
{
    for (int k = 0; h->heap && k < KEPT; k++) drop_heap(&h->heap->heap[k]);
    sw_free(h->heap);
    h->heap = NULL;
}
