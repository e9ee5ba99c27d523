/* gzip_in.c: see gzip_in.h */
#include "gzip_in.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum {
    GZIP_WRAPPER_ONLY = 15 + 16 /* zlib: window bits, and a gzip header and trailer to check */
};

struct gzip_in {
    z_stream z;
    struct raw_in *raw;
    uint64_t members, member_start; /* the member under way and the byte it starts at */
    int in_member, ended;
};

typedef unsigned long long ull;

enum status gzip_in_open(struct gzip_in **result, struct raw_in *raw, struct error *e)
{
    *result = NULL;
    struct gzip_in *g = calloc(1, sizeof *g);
    if (g == NULL || inflateInit2(&g->z, GZIP_WRAPPER_ONLY) != Z_OK) {
        free(g);
        return fail_memory(e, raw->name, sizeof *g);
    }
    g->raw = raw;
    *result = g;
    return ST_OK;
}

void gzip_in_close(struct gzip_in *g)
{
    if (g == NULL)
        return;
    inflateEnd(&g->z);
    free(g);
}

/* Fails with ST_BAD_DATA at the byte that is read next, within the member under way. */
static enum status bad_member(const struct gzip_in *g, const char *found, const char *expected, struct error *e)
{
    return fail(e, ST_BAD_DATA,
                "%s: byte %llu: found %s in gzip member %llu (from byte %llu), expected %s",
                g->raw->name, (ull)raw_in_position(g->raw), found, (ull)g->members,
                (ull)g->member_start, expected);
}

/* Begins the member whose first byte is the next in the buffer. A byte with which no member begins is a fault. */
static enum status start_member(struct gzip_in *g, struct error *e)
{
    struct raw_in *raw = g->raw;
    unsigned char first = raw->buffer[raw->at];
    g->member_start = raw_in_position(raw);
    if (first != 0x1f)
        return fail(e, ST_BAD_DATA,
                    "%s: byte %llu: found byte 0x%02x after gzip member %llu, expected another "
                    "member or the end of the file",
                    raw->name, (ull)g->member_start, first, (ull)g->members);
    g->members++;
    g->in_member = 1;
    inflateReset(&g->z);
    return ST_OK;
}

/* Skips zero bytes, which may pad the file, up to its end, where g->ended is set. Any other byte is a fault. */
static enum status skip_padding(struct gzip_in *g, struct error *e)
{
    struct raw_in *raw = g->raw;
    do {
        for (; raw->at < raw->end; raw->at++) {
            if (raw->buffer[raw->at] != 0)
                return fail(e, ST_BAD_DATA,
                            "%s: byte %llu: found byte 0x%02x after zero padding, expected the end "
                            "of the file",
                            raw->name, (ull)raw_in_position(raw), raw->buffer[raw->at]);
        }
        if (raw_in_fill(raw, e) != ST_OK)
            return e->status;
    } while (raw->at < raw->end);
    g->ended = 1;
    return ST_OK;
}

/* Makes what inflate returned a status. At the end of a member, clears g->in_member. */
static enum status check_result(struct gzip_in *g, int result, struct error *e)
{
    const char *why = g->z.msg != NULL ? g->z.msg : "";
    switch (result) {
    case Z_OK:
    case Z_BUF_ERROR: /* no input or no room: the caller brings either */ return ST_OK;
    case Z_STREAM_END: g->in_member = 0; return ST_OK;
    case Z_MEM_ERROR: return fail_memory(e, g->raw->name, 1 << 15);
    default: break;
    }
    if (strcmp(why, "incorrect data check") == 0)
        return bad_member(g, "data that does not match its CRC", "an undamaged member", e);
    if (strcmp(why, "incorrect length check") == 0)
        return bad_member(g, "data that does not match its length", "an undamaged member", e);
    if (strcmp(why, "incorrect header check") == 0)
        return bad_member(g, "no gzip header", "1f 8b 08", e);
    return bad_member(g, *why != '\0' ? why : "damaged data", "deflated data", e);
}

/* Inflates bytes of the buffer, at most up to the end of the member. *got may be 0. */
static enum status inflate_some(struct gzip_in *g, unsigned char *bytes, size_t count, size_t *got, struct error *e)
{
    struct raw_in *raw = g->raw;
    uInt room = count < (1u << 30) ? (uInt)count : 1u << 30;
    g->z.next_in = raw->buffer + raw->at;
    g->z.avail_in = (uInt)(raw->end - raw->at);
    g->z.next_out = bytes;
    g->z.avail_out = room;
    int result = inflate(&g->z, Z_NO_FLUSH);
    raw->at = raw->end - g->z.avail_in;
    *got = room - g->z.avail_out;
    return check_result(g, result, e);
}

/* One step of reading: fills the buffer, enters a member, or inflates. *got may be 0; g->ended is set at the end of the
 * file. */
static enum status read_step(struct gzip_in *g, unsigned char *bytes, size_t count, size_t *got, struct error *e)
{
    struct raw_in *raw = g->raw;
    *got = 0;
    if (raw->at == raw->end && raw_in_fill(raw, e) != ST_OK)
        return e->status;
    if (raw->at == raw->end && !g->in_member) {
        g->ended = 1;
        return ST_OK;
    }
    if (raw->at == raw->end) /* zlib may still hold output, but then it would not want input */
        return bad_member(g, "the end of the file", "the rest of the member", e);
    if (!g->in_member && g->members > 0 && raw->buffer[raw->at] == 0)
        return skip_padding(g, e);
    if (!g->in_member && start_member(g, e) != ST_OK)
        return e->status;
    return inflate_some(g, bytes, count, got, e);
}

enum status gzip_in_read(struct gzip_in *g, void *bytes, size_t count, size_t *got, struct error *e)
{
    *got = 0;
    while (*got < count && !g->ended) {
        size_t done;
        if (read_step(g, (unsigned char *)bytes + *got, count - *got, &done, e) != ST_OK)
            return e->status;
        *got += done;
    }
    return ST_OK;
}
