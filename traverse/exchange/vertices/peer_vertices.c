/* peer_vertices.c: takes in vertices from the memory of peers, and counts them (vertices.h) */
#include "vertices.h"

#include <stdlib.h>

enum status vertices_take_peers(const struct group *group, const struct host_thread *t, struct error *e)
{
    const struct rank *rank = group->rank;
    struct vertex_span *spans = malloc(group->count * sizeof *spans);
    if (spans == NULL)
        return fail_memory(e, "vertices of peers", group->count * sizeof *spans);
    for (uint32_t g = t->first; g < t->end && e->status == ST_OK; g++) {
        uint64_t units = 0; /* the number of ids of lists and words of bitmaps */
        for (uint32_t i = 0; i < group->count; i++) {
            spans[i] = group_span_between(group, i, group->first_peer + g);
            units += spans[i].count;
        }
        if (units > 0)
            rank->backend->receive_peers(rank->devices[g], spans, e);
    }
    free(spans);
    return e->status;
}

/* Counts vertices in lists, and bytes of lists and bitmaps. */
void vertices_count_peers(const struct group *group, struct exchange_counts *counts)
{
    for (uint32_t to = group->first_peer; to < group->first_peer + group->rank->device_count; to++) {
        for (uint32_t from = 0; from < group->count; from++) {
            const struct vertex_span span = group_span_between(group, from, to);
            counts->of[COUNT_PEER_VERTICES] += span.form == OUTGOING_LIST ? span.count : 0;
            counts->of[COUNT_PEER_BYTES] += span.count * sizeof(uint32_t);
        }
    }
}

void vertices_count_frontiers(const struct group *group, struct exchange_counts *counts)
{
    for (uint32_t i = 0; i < group->count; i++)
        counts->of[COUNT_PEER_BYTES] +=
            group_readers(group, i) * group_shard_words(group, group->shard[i]) * sizeof(uint32_t);
}
