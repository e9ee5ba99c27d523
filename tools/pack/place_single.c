/* place_single.c: see place_single.h */
#include "place_single.h"

#include "formats/clones.h"

#include <stdlib.h>
#include <string.h>

enum { STEP = 128, AHEAD = 64 /* edges whose labels are on their way */ };

#define WIDE (UINT32_C(1) << 31) /* of a bucket: its records have 8 bytes */

/* One direction of the edges of a step: which granule's bucket, and the record. */
struct step_side {
    uint32_t granule[STEP];
    uint64_t record[STEP];
};

struct step {
    size_t count;
    uint32_t u[STEP], v[STEP]; /* labels */
    struct step_side forth, back;
};

/* ---- opening ---- */

static uint32_t granules_of(const struct row_ranges *rows)
{
    return rows->rows == 0 ? 1 : row_ranges_granule((uint32_t)(rows->rows - 1), rows->shift) + 1;
}

enum status single_placing_make(struct single_placing *s, const struct placement *pl, int both,
                                struct error *e)
{
    const struct vertex_order *o = pl->order;
    memset(s, 0, sizeof *s);
    s->label = o->labels->of;
    s->delegate_mask = (UINT32_C(1) << o->delegate_bits) - 1;
    s->both = both;
    s->granules[0] = granules_of(&pl->local_rows);
    s->granules[1] = granules_of(&pl->delegate_rows);
    uint32_t all = 2 * (s->granules[0] + s->granules[1]), *to;
    s->bucket_of = to = calloc(all, sizeof *s->bucket_of);
    if (to == NULL)
        return fail_memory(e, "row ranges", all * sizeof *s->bucket_of);
    for (int g = 0; g < SUBGRAPHS; g++) { /* in the order of enum subgraph */
        const struct row_ranges *rows = placement_rows(pl, (enum subgraph)g);
        s->shift[g / 2] = rows->shift;
        s->column_bits[g] = pl->plan[g].column_bits;
        for (uint32_t i = 0; i < s->granules[g / 2]; i++)
            *to++ = (pl->plan[g].first_bucket + rows->of_granule[i]) |
                    (pl->plan[g].bytes == 8 ? WIDE : 0);
    }
    return ST_OK;
}

void single_placing_free(struct single_placing *s)
{
    free(s->bucket_of);
    memset(s, 0, sizeof *s);
}

/* ---- a step ---- */

/* Labels of the edges that are no loops; returns how many edges it has seen. */
static size_t gather(const struct single_placing *s, struct step *step, const struct edge *edges,
                     size_t count)
{
    const uint32_t *label = s->label;
    size_t take = count < STEP ? count : STEP, used = 0;
    for (size_t i = 0; i < take; i++) {
        if (i + AHEAD < count) {
            __builtin_prefetch(&label[edges[i + AHEAD].u]);
            __builtin_prefetch(&label[edges[i + AHEAD].v]);
        }
        step->u[used] = label[edges[i].u];
        step->v[used] = label[edges[i].v];
        used += edges[i].u != edges[i].v;
    }
    step->count = used;
    return take;
}

/* All ones for a delegate's label, else zero. */
static inline uint32_t delegate(uint32_t label)
{
    return (uint32_t)((int32_t)label >> 31);
}

static inline uint32_t choose(uint32_t mask, uint32_t where_set, uint32_t otherwise)
{
    return otherwise ^ ((where_set ^ otherwise) & mask);
}

static inline void compute_side(const struct single_placing *s, struct step_side *side, size_t i,
                                uint32_t row, uint32_t column)
{
    uint32_t kind = delegate(row), to = delegate(column);
    uint32_t number = row & (s->delegate_mask | ~kind), end = column & (s->delegate_mask | ~to);
    uint32_t fine = number < ROW_RANGES_FINE ? number : ROW_RANGES_FINE;
    uint32_t granule = fine + ((number - fine) >> choose(kind, s->shift[1], s->shift[0]));
    granule += kind & (2 * s->granules[0]);
    granule += to & choose(kind, s->granules[1], s->granules[0]);
    uint32_t bits = choose(kind, choose(to, s->column_bits[DD], s->column_bits[DN]),
                           choose(to, s->column_bits[ND], s->column_bits[NN]));
    side->granule[i] = granule;
    side->record[i] = (uint64_t)number << bits | end;
}

WIDE_CLONES
static void compute(const struct single_placing *single, struct step *restrict step)
{
    const struct single_placing s = *single;
    for (size_t i = 0; i < STEP; i++) { /* those beyond the count are not used */
        uint32_t u = step->u[i], v = step->v[i];
        compute_side(&s, &step->forth, i, u, v);
        compute_side(&s, &step->back, i, v, u);
    }
}

static inline void append(struct bucket_writer *w, uint32_t bucket, uint64_t record)
{
    if ((bucket & WIDE) == 0)
        bucket_append_u32(w, bucket, (uint32_t)record);
    else
        bucket_append_u64(w, bucket & ~WIDE, record);
}

static void append_all(const uint32_t *bucket_of, struct bucket_writer *w, const struct step *step,
                       int both)
{
    for (size_t i = 0; i < step->count; i++) {
        append(w, bucket_of[step->forth.granule[i]], step->forth.record[i]);
        if (both)
            append(w, bucket_of[step->back.granule[i]], step->back.record[i]);
    }
}

void place_single(const struct single_placing *s, struct bucket_writer *w,
                  const struct edge *edges, size_t count)
{
    struct step step;
    memset(&step, 0, sizeof step);
    for (size_t at = 0; at < count;) {
        at += gather(s, &step, edges + at, count - at);
        compute(s, &step);
        append_all(s->bucket_of, w, &step, s->both);
    }
}
