/* exchange_count.c: vertices and bytes that leave a rank or are read of peers (exchange.h) */
#include "exchange_internal.h"

const char *const exchange_count_name[EXCHANGE_COUNTS] = {
    "found_vertices", "sent_vertices",    "list_bytes", "bits_bytes",    "frontier_bytes",
    "mask_bytes",     "whole_mask_bytes", "messages",   "peer_vertices", "peer_bytes"};

void count_found(struct exchange *x)
{
    for (uint32_t from = 0; from < x->G; from++) {
        for (uint32_t s = 0; s < x->R * x->G; s++) {
            struct parcel parcel = {0};
            if (x->group.number[s] == GROUP_NONE)
                parcel = parcel_for(x, from, s);
            if (parcel.form == OUTGOING_LIST)
                x->counts.of[COUNT_FOUND_VERTICES] += parcel.count;
        }
    }
}

void count_masks(struct exchange *x, uint64_t bytes)
{
    x->counts.of[COUNT_MASK_BYTES] += bytes;
    x->counts.of[COUNT_WHOLE_MASK_BYTES] += x->masks.words * sizeof *x->masks.bits;
}

void count_box(struct exchange *x, const struct outbox *box)
{
    int list = box->form == OUTGOING_LIST;
    x->counts.of[COUNT_SENT_VERTICES] += list ? box->count : 0;
    x->counts.of[list ? COUNT_LIST_BYTES : COUNT_BITS_BYTES] += box->count * sizeof *box->ids;
}

/* What the devices of this rank read of the others in the group. */
void count_peers(struct exchange *x, int updated)
{
    const struct group *group = &x->group;
    for (uint32_t to = group->first; to < group->first + x->G; to++) {
        for (uint32_t from = 0; from < group->count; from++) {
            const struct parcel parcel = parcel_from_peer(x, from, to);
            if (from == to)
                continue;
            x->counts.of[COUNT_PEER_VERTICES] += parcel.form == OUTGOING_LIST ? parcel.count : 0;
            x->counts.of[COUNT_PEER_BYTES] += parcel.count * sizeof(uint32_t);
            if (updated && group->notes[from].updated)
                x->counts.of[COUNT_PEER_BYTES] += x->masks.words * sizeof *x->masks.bits;
        }
    }
}

void count_peer_frontiers(struct exchange *x)
{
    const struct group *group = &x->group;
    for (uint32_t i = 0; i < group->count; i++) {
        int here = i >= group->first && i < group->first + x->G;
        x->counts.of[COUNT_PEER_BYTES] +=
            (x->G - (uint32_t)here) * mask_parcel_words(x, group->shard[i]) * sizeof(uint32_t);
    }
}
