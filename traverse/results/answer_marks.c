/* answer_marks.c: marks that say which ids of a block have edges; see answer_places.h
 *
 * Only the rank of a shard knows which of its ids have edges. It tells each block's device once, a bit for each id,
 * as a slice: all slices of all ranks together have n bits.
 */
#include "answer_places.h"
#include "answer_slices.h"

#include <stdlib.h>
#include <string.h>

/* The bits of a device's shard, by block. Each block begins with a word. */
struct bits {
    uint32_t *words;
    uint64_t *at; /* [p + 1] */
};

/* Writes marks of ids begin..end of a shard to `bits`, and appends the numbers of those with edges at *to. */
static void list_vertices(uint32_t *vertex, uint64_t begin, uint64_t end, uint32_t none, uint64_t *to, uint32_t *bits)
{
    for (uint64_t i = begin; i < end; i++) {
        uint32_t number = vertex[i], has_edges = number != none;
        bits[(i - begin) / 32] |= has_edges << ((i - begin) % 32);
        vertex[*to] = number;
        *to += has_edges;
    }
}

static void list_device(const struct shard *shard, const struct answer_places *t, const struct bits *bits)
{
    uint64_t *starts = t->starts, listed = 0;
    for (uint32_t b = 0; b < shard->p; b++) {
        uint64_t begin = starts[b];
        starts[b] = listed;
        list_vertices(t->vertex, begin, starts[b + 1], (uint32_t)(shard->locals + shard->d), &listed,
                      bits->words + bits->at[b]);
    }
    starts[shard->p] = listed;
}

static enum status take_bits(const struct places *places, uint32_t g, struct bits *bits, struct error *e)
{
    struct answer_places *t = &places->at[g];
    struct memory_budget *budget = places->rank->budget;
    const uint32_t p = places->rank->graph->manifest.p;
    bits->at = calloc((size_t)p + 1, sizeof *bits->at);
    if (bits->at == NULL)
        return fail_memory(e, "blocks of ids", (p + 1) * sizeof *bits->at);
    for (uint32_t b = 0; b < p; b++)
        bits->at[b + 1] = bits->at[b] + marks_for(t->starts[b + 1] - t->starts[b]);
    if (memory_take(budget, (void **)&bits->words, bits->at[p], 4, "ids with edges", e) != ST_OK)
        return e->status;
    memset(bits->words, 0, bits->at[p] * sizeof *bits->words);
    return memory_take(budget, (void **)&t->marks, t->marks_of[p], sizeof *t->marks, "ids with edges", e);
}

/* Makes the marks of the block of device g of the bits of all shards. */
static void set_marks(const struct answer_places *t, const struct slice *bits, uint32_t p)
{
    for (uint32_t s = 0; s < p; s++) {
        const uint32_t *words = bits[s].at;
        uint32_t earlier = 0;
        for (uint64_t i = t->marks_of[s]; i < t->marks_of[s + 1]; i++) {
            t->marks[i] = (struct id_marks){words[i - t->marks_of[s]], earlier};
            earlier += (uint32_t)__builtin_popcount(t->marks[i].bits);
        }
    }
}

static enum status list_all(const struct places *places, struct bits *bits, struct slices *slices, struct error *e)
{
    const struct rank *rank = places->rank;
    for (uint32_t g = 0; g < rank->device_count && e->status == ST_OK; g++)
        take_bits(places, g, &bits[g], e);
    if (e->status != ST_OK)
        return e->status;
#pragma omp parallel for schedule(dynamic)
    for (uint32_t g = 0; g < rank->device_count; g++)
        list_device(&rank->graph->shards[g], &places->at[g], &bits[g]);
    for (uint32_t g = 0; g < rank->device_count; g++) {
        for (uint32_t b = 0; b < slices->p; b++)
            *slice_for_block(slices, g, b) = (struct slice){bits[g].words + bits[g].at[b],
                                                            4 * (bits[g].at[b + 1] - bits[g].at[b])};
    }
    return ST_OK;
}

enum status places_mark(const struct places *places, struct error *e)
{
    const struct rank *rank = places->rank;
    struct bits *bits = zeroed(rank->device_count, sizeof *bits, "ids with edges", e);
    struct slices slices;
    if (slices_open(&slices, rank, e) == ST_OK)
        list_all(places, bits, &slices, e);
    if (slices_exchange_hosted(&slices, rank->comm, e) == ST_OK) {
        for (uint32_t g = 0; g < rank->device_count; g++)
            set_marks(&places->at[g], slices_in(&slices, g), slices.p);
    }
    slices_close(&slices);
    for (uint32_t g = 0; bits != NULL && g < rank->device_count; g++) {
        memory_release(rank->budget, bits[g].words);
        free(bits[g].at);
    }
    free(bits);
    return e->status;
}
