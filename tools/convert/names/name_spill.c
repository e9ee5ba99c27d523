/* name_spill.c: see name_spill.h */
#include "name_spill.h"

#include "name_table.h"

#include "formats/base/keyed_hash.h"
#include "formats/base/text.h"

#include <stdlib.h>

#define MARK (UINT64_C(1) << 63)

struct partition {
    struct spill_stream names;   /* u16 length and bytes of each occurrence */
    struct spill_stream indexes; /* u32 index of each occurrence, then the name if it is new */
    struct spill_stream numbers; /* u64 of each name by index, then of each occurrence */
    struct spill_cursor cursor;
    uint32_t count, seen; /* all names, and those of the pass under way so far */
};

struct name_spill {
    struct workspace *space;
    struct spill_chunks *chunks;
    struct partition partition[NAME_PARTITIONS];
    struct spill_stream edges;
    struct spill_cursor edge_cursor;
    uint64_t edge_count, next_edge;
    char name[2 + NAME_MAX_BYTES]; /* u16 length and bytes */
};

enum status name_spill_open(struct name_spill **result, struct workspace *space, struct error *e)
{
    *result = NULL;
    struct name_spill *s = calloc(1, sizeof *s);
    if (s == NULL)
        return fail_memory(e, "temporary files", sizeof *s);
    if (spill_chunks_open(&s->chunks, space, e) != ST_OK) {
        free(s);
        return e->status;
    }
    s->space = space;
    for (int i = 0; i < NAME_PARTITIONS; i++) {
        spill_stream_init(&s->partition[i].names, s->chunks);
        spill_stream_init(&s->partition[i].indexes, s->chunks);
        spill_stream_init(&s->partition[i].numbers, s->chunks);
    }
    spill_stream_init(&s->edges, s->chunks);
    *result = s;
    return ST_OK;
}

void name_spill_close(struct name_spill *s)
{
    if (s == NULL)
        return;
    for (int i = 0; i < NAME_PARTITIONS; i++) {
        struct partition *p = &s->partition[i];
        spill_stream_release(&p->names);
        spill_stream_release(&p->indexes);
        spill_stream_release(&p->numbers);
        spill_cursor_close(&p->cursor);
    }
    spill_stream_release(&s->edges);
    spill_cursor_close(&s->edge_cursor);
    spill_chunks_close(s->chunks);
    free(s);
}

uint64_t name_spill_bytes(const struct name_spill *s)
{
    return spill_chunks_bytes(s->chunks);
}

/* ---- taking ---- */

/* Appends a name to a stream: length and bytes. */
static enum status append_name(struct spill_stream *stream, const struct name *name, struct error *e)
{
    unsigned char length[2] = {(unsigned char)(name->length & 255),
                               (unsigned char)(name->length >> 8)};
    if (spill_stream_append(stream, length, sizeof length, e) == ST_OK)
        spill_stream_append(stream, name->bytes, name->length, e);
    return e->status;
}

/* Appends a name to the stream of its partition on disk; *mark stands for it in its edge. */
enum status name_spill_name(struct name_spill *s, const struct name *name, uint64_t *mark, struct error *e)
{
    uint64_t partition = (name->hash >> 32) % NAME_PARTITIONS; /* by bits that the hash table of a partition (name_table.c) does not use */
    *mark = MARK | partition;
    return append_name(&s->partition[partition].names, name, e);
}

enum status name_spill_edge(struct name_spill *s, const struct edge *edge, struct error *e)
{
    s->edge_count++;
    return spill_stream_append(&s->edges, edge, sizeof *edge, e);
}

/* Nonzero for an end of an edge that stands for a spilled name: MARK and its partition. */
static int is_mark(uint64_t id)
{
    return (id & MARK) != 0 && id != NAME_NONE;
}

/* ---- the passes ---- */

/* Reads the next name of a stream into s->name, where *name points until the next one is read. */
static enum status read_name(struct name_spill *s, struct spill_cursor *cursor, struct name *name, struct error *e)
{
    unsigned char *bytes = (unsigned char *)s->name;
    if (spill_cursor_read(cursor, bytes, 2, e) != ST_OK)
        return e->status;
    name->length = (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8;
    name->bytes = s->name + 2;
    return spill_cursor_read(cursor, s->name + 2, name->length, e);
}

/* Pass 1 of a partition: reads its names, which are freed, and writes p->indexes. */
static enum status index_names(struct name_spill *s, struct partition *p, struct name_table *table, struct error *e)
{
    struct name name = {0};
    spill_cursor_init(&p->cursor, &p->names, 1);
    while (e->status == ST_OK && !spill_cursor_at_end(&p->cursor)) {
        if (read_name(s, &p->cursor, &name, e) != ST_OK)
            break;
        name.hash = keyed_hash(name.bytes, name.length);
        uint64_t number = name_table_number(table, &name);
        uint32_t index = (uint32_t)number;
        if (number >= UINT32_MAX) {
            char limit[16];
            return fail(e, ST_RESOURCE, "--compact: the names of one of %d partitions do not fit %s of memory: expected a larger -S",
                        NAME_PARTITIONS, format_size(s->space->budget.limit_bytes, limit, sizeof limit));
        }
        if (spill_stream_append(&p->indexes, &index, sizeof index, e) == ST_OK &&
            index == p->count) {
            p->count++;
            append_name(&p->indexes, &name, e);
        }
    }
    spill_cursor_close(&p->cursor);
    return e->status == ST_OK ? spill_stream_seal(&p->indexes, e) : e->status;
}

/* Reads the next occurrence of a name in a partition. The first occurrence of a name gets the next number, and is written to the map. */
static enum status number_occurrence(struct name_spill *s, struct partition *p,
                                     struct outfile *map, uint64_t *count, struct error *e)
{
    uint32_t index;
    struct name name = {0};
    if (spill_cursor_read(&p->cursor, &index, sizeof index, e) != ST_OK || index < p->seen ||
        read_name(s, &p->cursor, &name, e) != ST_OK ||
        name_map_write(map, name.bytes, name.length, e) != ST_OK)
        return e->status;
    p->seen++;
    return spill_stream_append(&p->numbers, &(uint64_t){(*count)++}, sizeof *count, e);
}

/* Pass 2: goes along the edges, and gives each new name of a partition the next number and a line of the map. */
static enum status number_names(struct name_spill *s, struct outfile *map, uint64_t *count, struct error *e)
{
    for (int i = 0; i < NAME_PARTITIONS; i++)
        spill_cursor_init(&s->partition[i].cursor, &s->partition[i].indexes, 0);
    spill_cursor_init(&s->edge_cursor, &s->edges, 0);
    for (uint64_t i = 0; i < s->edge_count && e->status == ST_OK; i++) {
        uint64_t id[2];
        if (spill_cursor_read(&s->edge_cursor, id, sizeof id, e) != ST_OK)
            break;
        for (int side = 0; side < 2 && e->status == ST_OK; side++) {
            if (is_mark(id[side]))
                number_occurrence(s, &s->partition[id[side] & ~MARK], map, count, e);
        }
    }
    spill_cursor_close(&s->edge_cursor);
    for (int i = 0; i < NAME_PARTITIONS; i++) {
        spill_cursor_close(&s->partition[i].cursor);
        if (e->status == ST_OK)
            spill_stream_seal(&s->partition[i].numbers, e);
    }
    return e->status;
}

/* Loads the number of each name of a partition, and empties p->numbers, so that pass 3 can fill it. */
static enum status read_numbers(struct partition *p, uint64_t *numbers, struct error *e)
{
    spill_cursor_init(&p->cursor, &p->numbers, 1);
    spill_cursor_read(&p->cursor, numbers, p->count * sizeof *numbers, e);
    spill_cursor_close(&p->cursor);
    spill_stream_init(&p->numbers, p->numbers.chunks);
    return e->status;
}

/* Pass 3 of a partition: writes to p->numbers the number of each occurrence, in place of its index. */
static enum status number_occurrences(struct name_spill *s, struct partition *p,
                                      const uint64_t *numbers, struct error *e)
{
    struct name name = {0};
    uint32_t index, seen = 0;
    spill_cursor_init(&p->cursor, &p->indexes, 1);
    while (e->status == ST_OK && !spill_cursor_at_end(&p->cursor)) {
        if (spill_cursor_read(&p->cursor, &index, sizeof index, e) != ST_OK)
            break;
        if (index == seen) {
            seen++;
            read_name(s, &p->cursor, &name, e);
        }
        if (e->status == ST_OK)
            spill_stream_append(&p->numbers, &numbers[index], sizeof *numbers, e);
    }
    spill_cursor_close(&p->cursor);
    return e->status == ST_OK ? spill_stream_seal(&p->numbers, e) : e->status;
}

/* Pass 3 of a partition, with the numbers of its names in memory. */
static enum status number_partition(struct name_spill *s, struct partition *p, struct error *e)
{
    uint64_t *numbers;
    if (memory_take(&s->space->budget, (void **)&numbers, p->count, sizeof *numbers,
                    "numbers of a partition", e) != ST_OK)
        return e->status;
    if (read_numbers(p, numbers, e) == ST_OK)
        number_occurrences(s, p, numbers, e);
    memory_release(&s->space->budget, numbers);
    return e->status;
}

/* Makes passes 1 to 3, after the last edge: all names are numbered, and new ones written to the map. */
enum status name_spill_resolve(struct name_spill *s, struct outfile *map, uint64_t *count,
                               uint64_t table_bytes, struct error *e)
{
    if (spill_stream_seal(&s->edges, e) != ST_OK)
        return e->status;
    /* frees the buffers that names were written through, so that the passes have their memory */
    for (int i = 0; i < NAME_PARTITIONS; i++) {
        if (spill_stream_seal(&s->partition[i].names, e) != ST_OK)
            return e->status;
    }
    for (int i = 0; i < NAME_PARTITIONS; i++) {
        struct name_table *table;
        if (name_table_open(&table, &s->space->budget, table_bytes, e) == ST_OK)
            index_names(s, &s->partition[i], table, e);
        name_table_close(table);
        if (e->status != ST_OK)
            return e->status;
    }
    if (number_names(s, map, count, e) != ST_OK)
        return e->status;
    for (int i = 0; i < NAME_PARTITIONS; i++) {
        if (number_partition(s, &s->partition[i], e) != ST_OK)
            return e->status;
        spill_cursor_init(&s->partition[i].cursor, &s->partition[i].numbers, 1);
    }
    spill_cursor_init(&s->edge_cursor, &s->edges, 1);
    return ST_OK;
}

/* ---- giving ---- */

/* Replaces an id that is a mark by the next number of its partition. Call it in the order of the edges. */
static enum status resolve_mark(struct name_spill *s, uint64_t *id, struct error *e)
{
    return is_mark(*id) ? spill_cursor_read(&s->partition[*id & ~MARK].cursor, id, sizeof *id, e)
                        : ST_OK;
}

/* Pass 4: reads edges, with numbers in place of marks; lines of a vertex alone are left out. */
enum status name_spill_next(struct name_spill *s, struct edge *edges, size_t room, size_t *count, struct error *e)
{
    *count = 0;
    while (*count < room && s->next_edge < s->edge_count) {
        struct edge *edge = &edges[*count];
        if (spill_cursor_read(&s->edge_cursor, edge, sizeof *edge, e) != ST_OK ||
            resolve_mark(s, &edge->u, e) != ST_OK || resolve_mark(s, &edge->v, e) != ST_OK)
            return e->status;
        s->next_edge++;
        *count += edge->v != NAME_NONE;
    }
    return ST_OK;
}
