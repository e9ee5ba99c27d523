/* joined_ghosts.h: ghosts, the vertices of other ranks to which rows of this rank lead, where ranks divide a graph among them.
 *
 * Only rows of nn lead to ghosts, because each rank knows all delegates. The ghosts of a rank are numbered by the rank that owns
 * them. For each other rank, the owner has a list of its vertices that are ghosts there, in the order of their numbers there. So
 * two ranks can send values of ghosts, in either direction, without ids. */
#ifndef DBFS_JOINED_GHOSTS_H
#define DBFS_JOINED_GHOSTS_H

#include "traverse/session/graph.h"

/* 64 local vertices of a shard, while ghosts are found and numbered. */
struct ghost_word {
    uint64_t bits;   /* a bit for each vertex; 1: it is a ghost of this rank */
    uint64_t before; /* number of ghosts before those of this word */
};

struct joined_ghosts {
    const struct comm *comm; /* the ranks that divide the graph; a single rank has all shards and no ghosts */
    struct memory_budget *budget;
    uint64_t *begin;       /* [ranks + 1] rank r owns the ghosts begin[r] to begin[r + 1] - 1 */
    uint64_t *shown_begin; /* [ranks + 1] rank r has the vertices shown[shown_begin[r]] to shown[shown_begin[r + 1] - 1] as ghosts */
    uint32_t *shown;       /* vertices of this rank */
    /* while rows are made: the words of shard s are those from s * shard_words on */
    struct ghost_word *words;
    uint64_t shard_words;
};

/* Prepares to find the ghosts of the rank of `comm`, which has opened its shards of the graph. Does nothing with a single rank.
 * Not collective. The caller calls joined_ghosts_close, even after a failure. */
enum status joined_ghosts_open(struct joined_ghosts *ghosts, const struct comm *comm, const struct graph *graph,
                               struct memory_budget *budget, struct error *e);
void joined_ghosts_close(struct joined_ghosts *ghosts); /* frees all memory; *ghosts may be all zeros */

/* Marks local vertex number `local` of a shard of another rank as a ghost. Several threads may call it at once. */
static inline void joined_ghosts_mark(struct joined_ghosts *ghosts, uint64_t shard, uint64_t local)
{
    uint64_t *bits = &ghosts->words[shard * ghosts->shard_words + local / 64].bits, bit = UINT64_C(1) << (local % 64);
    if ((__atomic_load_n(bits, __ATOMIC_RELAXED) & bit) == 0)
        __atomic_fetch_or(bits, bit, __ATOMIC_RELAXED);
}

/* Collective. Gives the marked vertices their numbers as ghosts, tells each owner which of its vertices are ghosts here, and sets
 * `shown` to those of this rank that are ghosts elsewhere. */
enum status joined_ghosts_number(struct joined_ghosts *ghosts, const struct graph *graph, struct error *e);

/* Returns the number of a ghost. Called until joined_ghosts_forget_ids. */
static inline uint64_t joined_ghost(const struct joined_ghosts *ghosts, uint64_t shard, uint64_t local)
{
    const struct ghost_word *word = &ghosts->words[shard * ghosts->shard_words + local / 64];
    return word->before + (uint64_t)__builtin_popcountll(word->bits & ((UINT64_C(1) << (local % 64)) - 1));
}

/* Frees what is needed only while rows are made. */
void joined_ghosts_forget_ids(struct joined_ghosts *ghosts);

/* Returns the number of ghosts of this rank. */
static inline uint64_t joined_ghosts_count(const struct joined_ghosts *ghosts)
{
    return ghosts->begin != NULL ? ghosts->begin[ghosts->comm->ranks] : 0;
}

#endif
