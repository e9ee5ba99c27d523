/* unwrap.c: see unwrap.h. Each compression or archive around the data is a layer, which reads the bytes of the layer outside
 * it, removes its wrapping, and gives the result to the next layer. */
#include "unwrap.h"

#include "formats/base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_PATH = 240 };

/* ---- names ---- */

/* Makes "file" or "file(path)" the name for messages. Those before stay valid. */
static enum status set_name(struct unwrap *u, const char *file, const char *path, struct error *e)
{
    size_t bytes = strlen(file) + (path != NULL ? strlen(path) + 2 : 0) + 1;
    struct unwrap_name *name = malloc(sizeof *name + bytes);
    if (name == NULL)
        return fail_memory(e, file, bytes);
    snprintf(name->text, bytes, path != NULL ? "%s(%s)" : "%s", file, path);
    name->before = u->name;
    u->name = name;
    return ST_OK;
}

/* ---- layers ---- */

/* byte_source.read of the layer inside a gzip file. */
static enum status read_gzip(void *from, void *bytes, size_t count, size_t *got, struct error *e)
{
    return gzip_in_read(from, bytes, count, got, e);
}

/* byte_source.read of the layer inside an archive, or inside data that libarchive decompresses. */
static enum status read_archive(void *from, void *bytes, size_t count, size_t *got, struct error *e)
{
    return archive_in_read(from, bytes, count, got, e);
}

/* Adds an innermost layer, which reads from `source`. */
static enum status add_layer(struct unwrap *u, struct byte_source source, struct error *e)
{
    struct unwrap_layer *layer = &u->layers[++u->top];
    memset(layer, 0, sizeof *layer);
    layer->raw = &layer->own;
    return raw_in_init(layer->raw, source, u->name->text, e);
}

/* Closes the layers inside layer `kept`; with -1 all of them. */
static void drop_layers(struct unwrap *u, int kept)
{
    for (; u->top > kept; u->top--) {
        struct unwrap_layer *layer = &u->layers[u->top];
        gzip_in_close(layer->gzip);
        archive_in_close(layer->archive);
        raw_in_free(&layer->own);
    }
}

/* Goes to the next file of an archive, and makes it the innermost layer. */
static enum status enter_file(struct unwrap *u, struct unwrap_layer *layer, int *end, struct error *e)
{
    if (archive_in_next(layer->archive, end, e) != ST_OK || *end)
        return e->status;
    const char *path = archive_in_path(layer->archive);
    if (path != NULL && strlen(path) > LONGEST_PATH) /* of a longer one the end, so that messages have room for the rest */
        path += strlen(path) - LONGEST_PATH;
    if (path != NULL && set_name(u, layer->raw->name, path, e) != ST_OK)
        return e->status;
    return add_layer(u, (struct byte_source){layer->archive, read_archive}, e);
}

/* Removes the compression or archive that the innermost layer shows. */
static enum status remove_wrapping(struct unwrap *u, enum wrapping kind, struct error *e)
{
    struct unwrap_layer *layer = &u->layers[u->top];
    int end;
    if (u->top + 1 == UNWRAP_LAYERS)
        return fail(e, ST_BAD_DATA, "%s: found data compressed %d times over, expected a graph",
                    u->name->text, UNWRAP_LAYERS);
    layer->kind = kind;
    if (kind == WRAPPING_GZIP) {
        if (gzip_in_open(&layer->gzip, layer->raw, e) == ST_OK)
            add_layer(u, (struct byte_source){layer->gzip, read_gzip}, e);
        return e->status;
    }
    if (wrapping_is_archive(kind)) {
        if (u->archive_at != UNWRAP_NO_ARCHIVE)
            return fail(e, ST_BAD_DATA,
                        "%s: found a %s inside of an archive, expected a graph: unpack it first",
                        u->name->text, wrapping_name(kind));
        u->archive_at = u->top;
    }
    if (archive_in_open(&layer->archive, layer->raw, kind, u->member, e) != ST_OK)
        return e->status;
    return enter_file(u, layer, &end, e);
}

/* Removes wrapping after wrapping until the innermost layer shows none. */
static enum status remove_wrappings(struct unwrap *u, struct error *e)
{
    for (;;) {
        struct raw_in *raw = u->layers[u->top].raw;
        while (raw->end - raw->at < WRAPPING_SNIFF_BYTES && !raw->ended) {
            if (raw_in_fill(raw, e) != ST_OK)
                return e->status;
        }
        enum wrapping kind = wrapping_sniff(raw->buffer + raw->at, raw->end - raw->at);
        if (kind == WRAPPING_NONE || remove_wrapping(u, kind, e) != ST_OK)
            return e->status;
    }
}

/* ---- the whole ---- */

/* Removes what is around `file`, and enters the first file that fits `member`; leaves all as it is if `as_stored`. */
enum status unwrap_open(struct unwrap **result, struct raw_in *file, int as_stored, const char *member,
                        struct error *e)
{
    struct unwrap *u = *result = zeroed(1, sizeof *u, file->name, e);
    if (u == NULL)
        return e->status;
    u->layers[0].raw = file;
    u->archive_at = UNWRAP_NO_ARCHIVE;
    u->member = member;
    if (set_name(u, file->name, NULL, e) != ST_OK || (!as_stored && remove_wrappings(u, e) != ST_OK)) {
        unwrap_close(u);
        *result = NULL;
    }
    return e->status;
}

void unwrap_close(struct unwrap *u)
{
    if (u == NULL)
        return;
    drop_layers(u, -1);
    while (u->name != NULL) {
        struct unwrap_name *name = u->name;
        u->name = name->before;
        free(name);
    }
    free(u);
}

/* Drops the layers inside the archive, enters its next file, and removes what that is wrapped in. */
enum status unwrap_next(struct unwrap *u, int *end, struct error *e)
{
    *end = u->archive_at == UNWRAP_NO_ARCHIVE || u->is_over;
    if (*end)
        return ST_OK;
    drop_layers(u, u->archive_at);
    enter_file(u, &u->layers[u->archive_at], end, e);
    u->is_over = *end;
    if (e->status != ST_OK || *end)
        return e->status;
    return remove_wrappings(u, e);
}

enum wrapping unwrap_innermost(const struct unwrap *u)
{
    return u->top > 0 ? u->layers[u->top - 1].kind : WRAPPING_NONE;
}

/* Returns the bytes that all layers hold. */
size_t unwrap_memory(const struct unwrap *u)
{
    size_t bytes = 0;
    for (int i = 0; i <= u->top; i++)
        bytes += RAW_IN_BYTES + wrapping_memory(u->layers[i].kind);
    return bytes;
}
