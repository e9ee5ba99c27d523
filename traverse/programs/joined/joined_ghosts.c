/* joined_ghosts.c: numbers the ghosts of a rank, and tells their owners; see joined_ghosts.h */
#include "joined_ghosts.h"

#include "formats/base/arith.h"

#include <stdlib.h>

/* Allocates the marks of ghosts, for all vertices of all shards. With one rank there are no ghosts, and nothing is allocated. */
enum status joined_ghosts_open(struct joined_ghosts *g, const struct comm *comm, const struct graph *graph,
                               struct memory_budget *budget, struct error *e)
{
    const uint32_t p = graph->manifest.p;
    uint64_t most = 1;
    *g = (struct joined_ghosts){.comm = comm, .budget = budget};
    if (comm->ranks == 1)
        return ST_OK;
    for (uint32_t s = 0; s < p; s++)
        most = larger(most, graph->locals[s]);
    g->shard_words = mask_words(most);
    g->begin = zeroed(comm->ranks + 1, sizeof *g->begin, "ghosts", e);
    g->shown_begin = zeroed(comm->ranks + 1, sizeof *g->shown_begin, "ghosts", e);
    return e->status == ST_OK ? memory_take(budget, (void **)&g->words, p * g->shard_words, sizeof *g->words, "marks of ghosts", e)
                              : e->status;
}

void joined_ghosts_forget_ids(struct joined_ghosts *g)
{
    memory_release(g->budget, g->words);
    g->words = NULL;
}

void joined_ghosts_close(struct joined_ghosts *g)
{
    joined_ghosts_forget_ids(g);
    memory_release(g->budget, g->shown);
    free(g->begin);
    free(g->shown_begin);
    *g = (struct joined_ghosts){0};
}

/* Sets g->begin, and `before` of all words: ghosts are numbered by owner, then by shard, then by local id. */
static void number(struct joined_ghosts *g, uint32_t p)
{
    const uint32_t ranks = g->comm->ranks;
    uint64_t count = 0;
    for (uint32_t r = 0; r < ranks; r++) {
        g->begin[r] = count;
        for (uint32_t s = r; s < p; s += ranks) {
            for (uint64_t w = s * g->shard_words; w < (s + 1) * g->shard_words; w++) {
                g->words[w].before = count;
                count += (uint64_t)__builtin_popcountll(g->words[w].bits);
            }
        }
    }
    g->begin[ranks] = count;
}

/* Sets own[i] to the number that ghost i has at its owner, where the local vertices of a shard come after those of its shards before. */
static void find_owned(const struct joined_ghosts *g, const struct graph *graph, uint32_t *own)
{
    const uint32_t p = graph->manifest.p, ranks = g->comm->ranks;
    for (uint32_t r = 0; r < ranks; r++) {
        uint64_t first = graph->manifest.d; /* number, at the owner, of the first local vertex of the shard */
        for (uint32_t s = r; s < p; first += graph->locals[s], s += ranks) {
#pragma omp parallel for schedule(static)
            for (uint64_t w = 0; w < g->shard_words; w++) {
                const struct ghost_word *word = &g->words[s * g->shard_words + w];
                uint64_t i = word->before;
                for (uint64_t bits = word->bits; bits != 0; bits &= bits - 1)
                    own[i++] = (uint32_t)(first + 64 * w + (uint64_t)__builtin_ctzll(bits));
            }
        }
    }
}

enum status joined_ghosts_number(struct joined_ghosts *g, const struct graph *graph, struct error *e)
{
    const uint32_t ranks = g->comm->ranks;
    uint32_t *own = NULL;
    uint64_t *counts;
    if (ranks == 1)
        return e->status;
    number(g, graph->manifest.p);
    counts = zeroed(ranks, sizeof *counts, "ghosts", e);
    if (counts != NULL && memory_take(g->budget, (void **)&own, joined_ghosts_count(g), 4, "numbers of ghosts", e) == ST_OK) {
        for (uint32_t r = 0; r < ranks; r++)
            counts[r] = g->begin[r + 1] - g->begin[r];
        find_owned(g, graph, own);
    }
    /* called after a failure, too, as the other ranks wait in it */
    comm_deal(g->comm, own, counts, 4, g->budget, (void **)&g->shown, g->shown_begin, "vertices that other ranks know", e);
    memory_release(g->budget, own);
    free(counts);
    return e->status;
}
