/* own_rows.c: finds the delegates of a shard that the shard owns (own_rows.h) */
#include "own_rows.h"

#include "formats/graph/partition.h"

/* Splits the delegates that have rows for a pull of dd, by whether this shard owns them. Overwrites both masks. */
void own_rows_split(const struct shard *shard, uint64_t *own, uint64_t *others)
{
    const struct csr *dd = shard_pull_rows(shard, DD);
    for (uint64_t w = 0; w < mask_words(shard->d); w++) {
        uint64_t sources = dd->edges > 0 ? dd->sources[w] : 0, owned = 0;
        for (uint64_t bits = sources; bits != 0; bits &= bits - 1) {
            uint64_t id = shard_delegate_id(shard, 64 * w + (uint64_t)__builtin_ctzll(bits));
            owned |= shard_of_vertex(id, shard->p) == shard->index ? bits & -bits : 0;
        }
        own[w] = owned;
        others[w] = sources & ~owned;
    }
}
