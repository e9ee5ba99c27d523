/* lookup.c: see lookup.h */
#include "lookup.h"

#include <stdlib.h>
#include <string.h>

void lookup_close(struct lookup *l)
{
    if (l->rank == NULL)
        return;
    slices_close(&l->keys);
    slices_close(&l->values);
    for (uint32_t g = 0; g < l->rank->device_count; g++) {
        if (l->sorted != NULL)
            free(l->sorted[g]);
        if (l->order != NULL)
            free(l->order[g]);
        if (l->replies != NULL)
            free(l->replies[g]);
    }
    free(l->sorted);
    free(l->order);
    free(l->replies);
    free(l->room);
    free(l->reply_room);
}

enum status lookup_open(struct lookup *l, const struct rank *rank, lookup_find *find,
                        void *context, struct error *e)
{
    uint32_t G = rank->device_count;
    *l = (struct lookup){.rank = rank, .find = find, .context = context};
    l->sorted = calloc(G, sizeof *l->sorted);
    l->order = calloc(G, sizeof *l->order);
    l->replies = calloc(G, sizeof *l->replies);
    l->room = calloc(G, sizeof *l->room);
    l->reply_room = calloc(G, sizeof *l->reply_room);
    if (l->sorted == NULL || l->order == NULL || l->replies == NULL || l->room == NULL ||
        l->reply_room == NULL)
        return fail_memory(e, "lookups", G * sizeof *l->sorted);
    if (slices_open(&l->keys, rank, e) == ST_OK)
        slices_open(&l->values, rank, e);
    return e->status;
}

static enum status make_room(struct lookup *l, uint32_t g, uint64_t count, struct error *e)
{
    if (count <= l->room[g])
        return ST_OK;
    free(l->sorted[g]);
    free(l->order[g]);
    l->sorted[g] = malloc(count * sizeof **l->sorted);
    l->order[g] = malloc(count * sizeof **l->order);
    l->room[g] = count;
    return l->sorted[g] != NULL && l->order[g] != NULL
               ? ST_OK
               : fail_memory(e, "lookups", count * sizeof **l->order);
}

/* By shard; the keys for a shard keep their order. */
static enum status sort_keys(struct lookup *l, uint32_t g, const struct wanted *w, struct error *e)
{
    struct slice *out = slices_out(&l->keys, g);
    uint32_t p = l->keys.p;
    uint64_t *next = calloc((size_t)p + 1, sizeof *next);
    if (next == NULL)
        return fail_memory(e, "lookups", p * sizeof *next);
    if (make_room(l, g, w->count + 1, e) == ST_OK) {
        for (uint64_t i = 0; i < w->count; i++)
            next[w->shard[i] + 1]++;
        for (uint32_t s = 0; s < p; s++) {
            out[s] = (struct slice){l->sorted[g] + next[s], next[s + 1] * sizeof **l->sorted};
            next[s + 1] += next[s];
        }
        for (uint64_t i = 0; i < w->count; i++) {
            l->order[g][i] = next[w->shard[i]]++;
            l->sorted[g][l->order[g][i]] = w->key[i];
        }
    }
    free(next);
    return e->status;
}

static enum status reply(struct lookup *l, uint32_t g, struct error *e)
{
    const struct slice *in = slices_in(&l->keys, g);
    struct slice *out = slices_out(&l->values, g);
    uint64_t count = 0;
    for (uint32_t s = 0; s < l->keys.p; s++)
        count += in[s].bytes / sizeof(uint32_t);
    if (count > l->reply_room[g]) {
        free(l->replies[g]);
        l->replies[g] = malloc(count * sizeof **l->replies);
        l->reply_room[g] = count;
        if (l->replies[g] == NULL)
            return fail_memory(e, "lookups", count * sizeof **l->replies);
    }
    struct found *at = l->replies[g];
    for (uint32_t s = 0; s < l->keys.p; s++) {
        uint64_t keys = in[s].bytes / sizeof(uint32_t);
        out[s] = (struct slice){at, keys * sizeof *at};
        if (keys > 0)
            l->find(l->context, g, in[s].at, keys, at);
        at += keys;
    }
    return ST_OK;
}

static void take(struct lookup *l, uint32_t g, const struct wanted *w)
{
    const struct slice *in = slices_in(&l->values, g), *out = slices_out(&l->keys, g);
#pragma omp parallel for schedule(static)
    for (uint64_t i = 0; i < w->count; i++) {
        uint32_t s = w->shard[i];
        uint64_t first = (uint64_t)((const uint32_t *)out[s].at - l->sorted[g]);
        w->found[i] = ((const struct found *)in[s].at)[l->order[g][i] - first];
    }
}

enum status lookup_run(struct lookup *l, struct wanted *wanted, struct error *e)
{
    uint32_t G = l->rank->device_count;
    for (uint32_t g = 0; g < G && e->status == ST_OK; g++)
        sort_keys(l, g, &wanted[g], e);
    if (comm_agree(l->rank->comm, e) != ST_OK || slices_exchange(&l->keys, e) != ST_OK)
        return e->status;
    for (uint32_t g = 0; g < G && e->status == ST_OK; g++)
        reply(l, g, e);
    if (comm_agree(l->rank->comm, e) != ST_OK || slices_exchange(&l->values, e) != ST_OK)
        return e->status;
    for (uint32_t g = 0; g < G; g++)
        take(l, g, &wanted[g]);
    return e->status;
}
