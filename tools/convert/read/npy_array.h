/* npy_array.h: an array of NumPy in a .npy file: what its header says, and its numbers as ids.
 *
 *   magic "\x93NUMPY", u8 major, u8 minor, header length (u16 in version 1, u32 from 2 on), header, numbers
 *
 * The header is a Python dict: 'descr' (type and byte order, such as '<i8'), 'fortran_order' and 'shape'.
 */
#ifndef DBFS_NPY_ARRAY_H
#define DBFS_NPY_ARRAY_H

#include "tools/convert/input/input.h"

#include "formats/edges/edges.h"

enum { NPY_MAX_DIMENSIONS = 4 };

struct npy_array {
    char type[24];  /* as the header has it, for messages */
    char kind;      /* i, u: integers; S, U: text; O: Python objects; others are refused as ids */
    int swapped;    /* big-endian */
    int fortran;    /* the first index varies fastest */
    uint32_t width; /* bytes of an item */
    int dimensions;
    uint64_t shape[NPY_MAX_DIMENSIONS], items;
    uint64_t begin; /* byte of the file where the items are */
    char *bytes;    /* the items, after npy_load. Owned */
};

int npy_sniff(const char *bytes, size_t count);

/* Reads the header, from the start of the input. ST_BAD_DATA: it is none. */
enum status npy_read_header(struct npy_array *array, struct input *input, struct error *e);

/* Reads the array's items, which follow the header, to memory; nothing may follow them. ST_RESOURCE if they are more than `most` bytes. */
enum status npy_load(struct npy_array *array, struct input *input, uint64_t most, struct error *e);
void npy_free(struct npy_array *array); /* zeroed ones are allowed */

/* Refuses items that are no integers. */
enum status npy_check_integers(const struct npy_array *array, const char *name, struct error *e);

/* Widens `count` integers, which are `stride` bytes apart, to 64 bits at every second place of `ids`. Negative ones wrap around. */
void npy_widen(const struct npy_array *array, const char *bytes, size_t stride, size_t count, uint64_t *ids);

/* The integer of a loaded array. A negative one wraps. */
uint64_t npy_at(const struct npy_array *array, uint64_t index);

/* Writes such an integer with its sign; `array` NULL: it has none. */
enum { NPY_NUMBER_BYTES = 24 };
void npy_number_text(const struct npy_array *array, uint64_t number, char text[NPY_NUMBER_BYTES]);

/* Checks that the input ends behind the items, all of which were read. */
enum status npy_check_end(struct input *input, struct error *e);

#endif
