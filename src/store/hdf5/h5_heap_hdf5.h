#ifndef H5_HEAP_HDF5_H
#define H5_HEAP_HDF5_H
/* Texts of variable length, read without HDF5's own reader of heaps, which trusts them: a damaged one makes it write
 * beyond its buffers, go round for ever, or ask for 4 GB for a text. HDF5 hands over the references as they are in the
 * file; here the heaps they point to are read, and each number in them is checked first. (HDF5 File Format
 * Specification 3.0, III.E: Global Heap.) */
#include "store/hdf5/h5_hdf5.h"

enum { SW_H5_REFERENCE = 16 };  /* bytes of a reference in the file: length, address of a heap, number in the heap */

/** Type in memory of references; reading texts as this type does not follow them. Not to be closed. */
hid_t sw_h5_references(void);
/** The text that a reference leads to, up to its first zero byte; NULL where h->status has become a failure: the heap
 * is not what it should be, or the texts read so far are longer than the file. It stays until the next call.
 * @param length  out: of the text; no zero byte need follow it */
const char *sw_h5_heap_find(struct sw_h5 *h, const unsigned char reference[SW_H5_REFERENCE], size_t *length);
/** A copy of it; free with sw_free(). */
char *sw_h5_heap_text(struct sw_h5 *h, const unsigned char reference[SW_H5_REFERENCE]);
void sw_h5_heap_close(struct sw_h5 *h);
#endif
