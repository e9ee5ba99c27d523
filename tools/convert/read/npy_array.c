/* npy_array.c: see npy_array.h */
#include "npy_array.h"

#include "formats/base/bytes.h"

#include <inttypes.h>
#include <stdlib.h>

typedef unsigned long long ull;

static const char magic[] = "\x93NUMPY";

enum { MAGIC_BYTES = 6, LARGEST_HEADER = 1 << 16, WIDEST_ITEM = 1 << 16 };

int npy_sniff(const char *bytes, size_t count)
{
    return count >= MAGIC_BYTES && memcmp(bytes, magic, MAGIC_BYTES) == 0;
}

/* ---- the header ---- */

static enum status bad_header(struct input *input, const char *expected, struct error *e)
{
    return fail(e, ST_BAD_DATA, "%s: found no header of a .npy file, expected %s", input_name(input), expected);
}

/* The text behind a key of the dict; NULL: there is none. */
static const char *value_of(const char *header, const char *key)
{
    const char *p = strstr(header, key);
    if (p == NULL)
        return NULL;
    p += strlen(key);
    p += strspn(p, " ");
    if (*p++ != ':')
        return NULL;
    return p + strspn(p, " ");
}

/* Sets type, kind, byte order and width of the items from 'descr': '<i8', or a list of fields, which is no type of one
 * number. */
static enum status read_type(struct npy_array *a, const char *value, struct input *input, struct error *e)
{
    if (value != NULL && *value == '[') {
        strcpy(a->type, "a structure of fields");
        a->kind = 'V';
        return ST_OK;
    }
    const char *end = value != NULL && *value == '\'' ? strchr(value + 1, '\'') : NULL;
    size_t length = end != NULL ? (size_t)(end - value - 1) : 0;
    if (length < 2 || length >= sizeof a->type)
        return bad_header(input, "a type such as '<i8' as 'descr'", e);
    memcpy(a->type, value + 1, length);
    a->type[length] = '\0';
    const char *p = a->type;
    if (strchr("<>|=", *p) != NULL)
        a->swapped = *p++ == '>';
    a->kind = *p++;
    unsigned long width = strtoul(p, NULL, 10);
    if (width > WIDEST_ITEM)
        return bad_header(input, "items of at most 65536 bytes", e);
    a->width = (uint32_t)width * (a->kind == 'U' ? 4 : 1);
    return ST_OK;
}

/* Sets the dimensions and the number of items from 'shape': (), (5,) or (5, 2); Python 2 wrote 5L. */
static enum status read_shape(struct npy_array *a, const char *p, struct input *input, struct error *e)
{
    a->items = 1;
    if (p == NULL || *p++ != '(')
        return bad_header(input, "a tuple as 'shape'", e);
    for (p += strspn(p, " "); *p != ')'; p += strspn(p, " ")) {
        char *end;
        uint64_t length = strtoull(p, &end, 10);
        if (end == p || *p == '-' || a->dimensions == NPY_MAX_DIMENSIONS || size_mul(a->items, length, &a->items))
            return bad_header(input, "a 'shape' of at most 4 lengths", e);
        a->shape[a->dimensions++] = length;
        p = end + (*end == 'L');
        p += *p == ',';
    }
    return ST_OK;
}

/* Fills the array's members from the header's text; a->begin is known already. */
static enum status read_dict(struct npy_array *a, const char *header, struct input *input, struct error *e)
{
    const char *order = value_of(header, "'fortran_order'");
    uint64_t bytes;
    if (order == NULL || (strncmp(order, "True", 4) != 0 && strncmp(order, "False", 5) != 0))
        return bad_header(input, "True or False as 'fortran_order'", e);
    a->fortran = *order == 'T';
    if (read_type(a, value_of(header, "'descr'"), input, e) != ST_OK ||
        read_shape(a, value_of(header, "'shape'"), input, e) != ST_OK)
        return e->status;
    if (size_mul(a->items, a->width, &bytes) || size_add(bytes, a->begin, &bytes))
        return bad_header(input, "an array that is not larger than memory can be", e);
    return ST_OK;
}

static enum status read_exactly(struct input *input, void *bytes, size_t count, struct error *e)
{
    size_t got;
    if (input_read(input, bytes, count, &got, e) != ST_OK)
        return e->status;
    return got == count ? ST_OK : bad_header(input, "more bytes than the file has", e);
}

/* Reads the input up to the first item. */
enum status npy_read_header(struct npy_array *a, struct input *input, struct error *e)
{
    unsigned char start[12];
    char header[LARGEST_HEADER + 1];
    memset(a, 0, sizeof *a);
    if (read_exactly(input, start, 10, e) != ST_OK)
        return e->status;
    if (!npy_sniff((const char *)start, 10) || start[6] < 1 || start[6] > 3)
        return bad_header(input, "the mark of NumPy and a version from 1 to 3", e);
    uint64_t length = start[8] | (uint64_t)start[9] << 8;
    a->begin = 10;
    if (start[6] > 1) {
        if (read_exactly(input, start + 10, 2, e) != ST_OK)
            return e->status;
        length = get_u32(start + 8);
        a->begin = 12;
    }
    if (length > LARGEST_HEADER)
        return bad_header(input, "one of at most 65536 bytes", e);
    if (read_exactly(input, header, length, e) != ST_OK)
        return e->status;
    header[length] = '\0';
    a->begin += length;
    return read_dict(a, header, input, e);
}

/* ---- the items ---- */

enum status npy_check_integers(const struct npy_array *a, const char *name, struct error *e)
{
    int is_integer = (a->kind == 'i' || a->kind == 'u') &&
                     (a->width == 1 || a->width == 2 || a->width == 4 || a->width == 8);
    if (is_integer)
        return ST_OK;
    if (a->kind == 'O')
        return fail(e, ST_BAD_DATA, "%s: holds Python objects (a pickle), which only Python reads, expected integers: "
                    "save it as a.astype('int64')", name);
    return fail(e, ST_BAD_DATA, "%s: holds items of type %s, expected integers%s", name, a->type,
                a->kind == 'f' ? ": save it as a.astype('int64')" : "");
}

/* Reads all items into a->bytes, with a zero behind them. */
enum status npy_load(struct npy_array *a, struct input *input, uint64_t most, struct error *e)
{
    uint64_t bytes = a->items * a->width;
    size_t got;
    if (bytes > most)
        return fail(e, ST_RESOURCE, "%s: its %llu bytes must be in memory, of which %llu bytes are allowed for it (-S)",
                    input_name(input), (ull)bytes, (ull)most);
    a->bytes = malloc(bytes + 1);
    if (a->bytes == NULL)
        return fail_memory(e, input_name(input), bytes);
    if (input_read(input, a->bytes, bytes, &got, e) != ST_OK)
        return e->status;
    a->bytes[bytes] = '\0';
    if (got < bytes)
        return fail(e, ST_BAD_DATA, "%s: byte %llu: found the end of the array, expected %llu bytes in all",
                    input_name(input), (ull)(a->begin + got), (ull)(a->begin + bytes));
    return npy_check_end(input, e);
}

/* Refuses further bytes in the input; consumes nothing. */
enum status npy_check_end(struct input *input, struct error *e)
{
    const unsigned char *bytes;
    size_t count;
    if (input_peek(input, 1, &bytes, &count, e) != ST_OK || count == 0)
        return e->status;
    return fail(e, ST_BAD_DATA, "%s: found more bytes behind the array than its header says, expected one array", input_name(input));
}

void npy_free(struct npy_array *a)
{
    free(a->bytes);
    a->bytes = NULL;
}

/* One integer, in the order of its bytes, and with its sign through 64 bits if it has one. */
static inline uint64_t widen(const char *at, uint32_t width, int swapped, int is_signed)
{
    uint64_t x = 0;
    memcpy(&x, at, width);
    if (swapped)
        x = __builtin_bswap64(x) >> (64 - 8 * width);
    int shift = 64 - 8 * (int)width;
    return is_signed ? (uint64_t)((int64_t)(x << shift) >> shift) : x;
}

#define WIDEN_ALL(WIDTH)                                                                           \
    for (size_t i = 0; i < count; i++)                                                             \
    ids[2 * i] = widen(bytes + i * stride, WIDTH, a->swapped, a->kind == 'i')

/* Writes ids[0], ids[2], ... so that they are one end of edges. */
void npy_widen(const struct npy_array *a, const char *bytes, size_t stride, size_t count, uint64_t *ids)
{
    switch (a->width) {
    case 1: WIDEN_ALL(1); break;
    case 2: WIDEN_ALL(2); break;
    case 4: WIDEN_ALL(4); break;
    case 8: WIDEN_ALL(8); break;
    }
}

/* Prints a number into `text`, with its sign if the array has signed ones. */
void npy_number_text(const struct npy_array *a, uint64_t number, char text[NPY_NUMBER_BYTES])
{
    snprintf(text, NPY_NUMBER_BYTES, a != NULL && a->kind == 'i' ? "%" PRId64 : "%" PRIu64, number);
}

uint64_t npy_at(const struct npy_array *a, uint64_t index)
{
    return widen(a->bytes + index * a->width, a->width, a->swapped, a->kind == 'i');
}
