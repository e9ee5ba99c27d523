/* parts_checksum.c: see parts_checksum.h */
#include "parts_checksum.h"

#include "formats/base/arith.h"
#include "formats/base/hash.h"
#include "formats/graph/partition.h"

#include <stdlib.h>
#include <string.h>

/* The parts whose slots are in memory. */
struct slot_group {
    uint32_t first, end;
    uint32_t *slots;  /* part after part */
    uint64_t *begin;  /* [end - first] of a part in `slots` */
};

struct summing {
    const struct checked_parts *parts;
    const struct shard *shard; /* loaded */
    struct slot_group group;
    int counts_all; /* sums up all edges of the rows; else only those from the smaller id */
    uint64_t sum;
};

/* ---- slots ---- */

/* The memory that loading a part takes besides mapped pages. */
static uint64_t decoded_bytes(const struct shard *s)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < container_sections(s->file); i++) {
        const struct section *section = container_section(s->file, i);
        bytes += section->encoding == ENCODING_PACKED ? section->count * section->width : 0;
    }
    return bytes;
}

/* Chooses the next group of parts whose slots are in memory together: as many as there is room for beside the largest part, but
 * at least one. */
static void choose_group(struct slot_group *g, const struct checked_parts *parts)
{
    uint64_t largest = 0, slots = 0;
    for (uint32_t s = 0; s < parts->manifest->p; s++)
        largest = larger(largest, decoded_bytes(&parts->shard[s]));
    uint64_t left = memory_left(parts->budget), room = left - smaller(left, largest);
    g->first = g->end;
    do
        slots += parts->shard[g->end++].locals;
    while (g->end < parts->manifest->p && (slots + parts->shard[g->end].locals) * sizeof *g->slots < room);
}

/* Copies or decodes the slots of a part. */
static enum status read_slots(struct shard *s, uint32_t *slots, int threads, struct error *e)
{
    struct packed packed;
    if (!shard_packed(s, SHARD_LOCAL_SLOTS, &packed)) {
        if (s->locals > 0)
            memcpy(slots, s->ids.local_slots, s->locals * sizeof *slots);
        return ST_OK;
    }
    if (packed_decode_all(&packed, NULL, slots, threads) != ST_OK)
        return fail(e, ST_BAD_DATA, "%s: local-slots: a packed block is corrupt", container_path(s->file));
    return ST_OK;
}

/* Chooses the next group of parts and reads their slots. */
static enum status open_group(struct slot_group *g, const struct checked_parts *parts, struct error *e)
{
    uint64_t slots = 0;
    choose_group(g, parts);
    if (memory_take(parts->budget, (void **)&g->begin, g->end - g->first, sizeof *g->begin, "slots", e) !=
        ST_OK)
        return e->status;
    for (uint32_t s = g->first; s < g->end; s++) {
        g->begin[s - g->first] = slots;
        slots += parts->shard[s].locals;
    }
    if (memory_take(parts->budget, (void **)&g->slots, slots, sizeof *g->slots, "slots", e) != ST_OK)
        return e->status;
    for (uint32_t s = g->first; s < g->end && e->status == ST_OK; s++)
        read_slots(&parts->shard[s], g->slots + g->begin[s - g->first], parts->threads, e);
    return e->status;
}

static void close_group(struct slot_group *g, struct memory_budget *budget)
{
    memory_release(budget, g->slots);
    memory_release(budget, g->begin);
    g->slots = NULL;
    g->begin = NULL;
}

/* ---- edges ---- */

/* The id of a local vertex of a loaded part. */
static uint64_t own_id(const struct shard *s, uint64_t local)
{
    return vertex_of_slot(s->ids.local_slots[local], s->index, s->p);
}

/* Sets *id to the id of a column. Nonzero: the part of the column is not in the group. */
static inline int find_id(const struct summing *w, enum subgraph g, uint64_t column, uint64_t *id)
{
    const struct shard *s = w->shard;
    const struct slot_group *group = &w->group;
    if (g != NN) {
        *id = subgraph_columns(g) == DELEGATES ? shard_delegate_id(s, column) : own_id(s, column);
        return 0;
    }
    uint64_t part = column >> s->local_bits, local = column & ((UINT64_C(1) << s->local_bits) - 1);
    if (part < group->first || part >= group->end)
        return 1;
    *id = vertex_of_slot(group->slots[group->begin[part - group->first] + local], (uint32_t)part, s->p);
    return 0;
}

/* Sums the hashes of a row's edges. Parts have each undirected edge in both directions; of an undirected-once input only the
 * one from the smaller id counts. */
static uint64_t sum_row(const struct summing *w, enum subgraph g, uint64_t row)
{
    const struct shard *s = w->shard;
    const struct csr *csr = &s->csr[g];
    uint64_t length = csr_row_length(csr, row), sum = 0, to = 0;
    uint64_t from = subgraph_rows(g) == DELEGATES ? shard_delegate_id(s, row) : own_id(s, row);
    for (uint64_t j = 0; j < length; j++) {
        if (find_id(w, g, csr_destination(csr, row, j), &to) == 0 && (w->counts_all || from < to))
            sum += hash_pair(from, to);
    }
    return sum;
}

static void sum_edges(struct summing *w, enum subgraph g)
{
    uint64_t rows = w->shard->csr[g].rows, sum = 0;
#pragma omp parallel for num_threads(w->parts->threads) schedule(dynamic, 1024) reduction(+ : sum)
    for (uint64_t row = 0; row < rows; row++)
        sum += sum_row(w, g, row);
    w->sum += sum;
}

static void sum_loops(struct summing *w)
{
    const struct shard *s = w->shard;
    for (uint64_t i = 0; i < s->degrees.loop_counts; i++) {
        uint64_t id = shard_loop_vertex(s, &s->degrees.loops[i]);
        w->sum += s->degrees.loops[i].count * hash_pair(id, id);
    }
}

/* Adds the hashes of a part's edges in nn to the sum. With the first group of slots it also adds self-loops and the edges of
 * nd, dn and dd, which need no slots of other parts. */
static enum status sum_part(struct summing *w, struct shard *s, struct error *e)
{
    const struct checked_parts *parts = w->parts;
    unsigned columns = w->group.first == 0 ? SHARD_ALL_COLUMNS : 1 << NN;
    if (shard_load(s, columns, parts->threads, parts->budget, e) != ST_OK)
        return e->status;
    w->shard = s;
    for (int g = 0; g < SUBGRAPHS; g++) {
        if (columns >> g & 1)
            sum_edges(w, (enum subgraph)g);
    }
    if (w->group.first == 0)
        sum_loops(w);
    shard_unload(s);
    return ST_OK;
}

/* Computes the checksum of the input from the edges and self-loops of all parts. */
enum status parts_checksum(const struct checked_parts *parts, uint64_t *checksum, struct error *e)
{
    struct summing w = {.parts = parts, .counts_all = parts->manifest->direction != EDGES_UNDIRECTED_ONCE};
    while (w.group.end < parts->manifest->p && e->status == ST_OK) {
        open_group(&w.group, parts, e);
        for (uint32_t s = 0; s < parts->manifest->p && e->status == ST_OK; s++)
            sum_part(&w, &parts->shard[s], e);
        close_group(&w.group, parts->budget);
    }
    *checksum = w.sum;
    return e->status;
}
