/* webgraph.c: see webgraph.h */
#include "webgraph.h"

#include "formats/base/arith.h"

#include <stdlib.h>

typedef unsigned long long ull;

enum status webgraph_open(struct webgraph_decoder *d, const struct webgraph_properties *properties,
                          struct bit_source source, const char *name, uint64_t most_bytes, struct error *e)
{
    *d = (struct webgraph_decoder){.properties = properties, .name = name, .most_bytes = most_bytes};
    d->window = calloc(properties->window + 1, sizeof *d->window);
    if (d->window == NULL)
        return fail_memory(e, name, (properties->window + 1) * sizeof *d->window);
    return bits_open(&d->in, source, name, e);
}

void webgraph_close(struct webgraph_decoder *d)
{
    for (uint64_t i = 0; d->window != NULL && i <= d->properties->window; i++)
        free(d->window[i].ids);
    free(d->window);
    free(d->runs);
    bits_close(&d->in);
    d->window = NULL;
    d->runs = NULL;
}

/* Goes to a node, which begins at `bit`, and forgets all lists. */
void webgraph_seek(struct webgraph_decoder *d, uint64_t node, uint64_t bit)
{
    d->first = d->next = node;
    d->is_short = 0;
    for (uint64_t i = 0; i <= d->properties->window; i++)
        d->window[i].count = 0;
    bits_seek(&d->in, bit);
}

/* Where the list of a node is kept: later nodes take its place. */
static struct webgraph_list *list_of(const struct webgraph_decoder *d, uint64_t node)
{
    return &d->window[node % (d->properties->window + 1)];
}

/* ---- memory ---- */

/* Changes the room of an array of 8-byte numbers within the memory allowed, counted in d->taken_bytes. */
static enum status resize(struct webgraph_decoder *d, void **array, uint64_t *room, uint64_t wanted, struct error *e)
{
    uint64_t others = d->taken_bytes - 8 * *room;
    if (wanted > (d->most_bytes - others) / 8)
        return fail(e, ST_RESOURCE,
                    "%s: node %llu: its list of successors and those that it may copy from need more than the %llu bytes "
                    "that the memory allowed (-S) leaves them",
                    d->name, (ull)d->next, (ull)d->most_bytes);
    void *grown = realloc(*array, wanted > 0 ? 8 * wanted : 8);
    if (grown == NULL)
        return fail_memory(e, d->name, 8 * wanted);
    *array = grown;
    *room = wanted;
    d->taken_bytes = others + 8 * wanted;
    return ST_OK;
}

static enum status resize_list(struct webgraph_decoder *d, struct webgraph_list *list, uint64_t count, struct error *e)
{
    void *ids = list->ids;
    if (resize(d, &ids, &list->room, count, e) == ST_OK)
        list->ids = ids;
    return e->status;
}

/* If memory is short for `count` more numbers, all lists free their unused memory. From then on each list does so when its node leaves the
 * window, as going over all lists for each node would take long. */
static enum status save_memory(struct webgraph_decoder *d, uint64_t count, struct error *e)
{
    if (d->is_short || count <= (d->most_bytes - d->taken_bytes) / 8)
        return ST_OK;
    d->is_short = 1;
    for (uint64_t i = 0; i <= d->properties->window && e->status == ST_OK; i++) {
        struct webgraph_list *list = &d->window[i];
        if (list->count < list->room)
            resize_list(d, list, list->count, e);
    }
    return e->status;
}

/* Makes room for `count` ids of a list without ids. */
static enum status reserve_ids(struct webgraph_decoder *d, struct webgraph_list *list, uint64_t count, struct error *e)
{
    if (count <= list->room)
        return ST_OK;
    return save_memory(d, count, e) == ST_OK ? resize_list(d, list, count, e) : e->status;
}

/* Makes room for `count` runs in d->runs; those there are kept. */
static enum status reserve_runs(struct webgraph_decoder *d, uint64_t count, struct error *e)
{
    void *runs = d->runs;
    uint64_t numbers = 2 * d->run_room;
    if (count <= d->run_room)
        return ST_OK;
    if (save_memory(d, 2 * count, e) != ST_OK || resize(d, &runs, &numbers, 2 * count, e) != ST_OK)
        return e->status;
    d->runs = runs;
    d->run_room = count;
    return ST_OK;
}

/* ---- faults ---- */

/* Refuses the list of the next node: names the number that was found, and the bound for it. A read past the end is told
 * instead, since the number is then of no use. */
static enum status bad(const struct webgraph_decoder *d, struct error *e, const char *what, uint64_t found,
                       const char *expected, uint64_t bound)
{
    if (e->status != ST_OK) /* the file could not be read */
        return e->status;
    if (!bits_ok(&d->in))
        return fail(e, ST_BAD_DATA,
                    "%s: node %llu: found the end of the file, or a number beyond 64 bits, expected its list of successors",
                    d->name, (ull)d->next);
    return fail(e, ST_BAD_DATA, "%s: node %llu: found %s %llu, expected %s %llu", d->name, (ull)d->next, what, (ull)found,
                expected, (ull)bound);
}

/* Refuses a list that does not ascend, or has ids beyond the nodes: names the first fault. */
static enum status bad_list(const struct webgraph_decoder *d, const uint64_t *ids, uint64_t count, struct error *e)
{
    uint64_t i = 0, n = d->properties->nodes;
    while (i + 1 < count && ids[i] < n && ids[i] < ids[i + 1])
        i++;
    if (bits_ok(&d->in) && ids[i] >= n)
        return fail(e, ST_BAD_DATA, "%s: node %llu: found the successor %lld, expected one of the %llu nodes", d->name,
                    (ull)d->next, (long long)ids[i], (ull)n);
    return bad(d, e, "a list with a successor that is not above the one before it,", ids[i], "ascending ones from 0 to",
               n - 1);
}

/* ---- a list ---- */

/* Reads the blocks of the list that is copied from, and makes runs of the copied ones. Returns in *copied how many ids they
 * have. */
static enum status read_blocks(struct webgraph_decoder *d, uint64_t length, uint64_t *runs, uint64_t *copied,
                               struct error *e)
{
    const struct webgraph_properties *p = d->properties;
    uint64_t count = bits_value(&d->in, p->code[PART_BLOCK_COUNT], 0), at = 0;
    *runs = *copied = 0;
    if (count > length + 1 || count > bits_left(&d->in))
        return bad(d, e, "a number of blocks of", count, "at most", smaller(length + 1, bits_left(&d->in)));
    if (reserve_runs(d, count / 2 + 1, e) != ST_OK)
        return e->status;
    for (uint64_t i = 0; i <= count; i++) {
        uint64_t block = i < count ? bits_value(&d->in, p->code[PART_BLOCKS], 0) : length - at;
        if (i > 0 && i < count && block < UINT64_MAX)
            block++;
        if (block > length - at)
            return bad(d, e, "a block of", block, "at most the rest of the list that it copies from,", length - at);
        if (i % 2 == 0 && block > 0) {
            d->runs[(*runs)++] = (struct webgraph_run){at, block};
            *copied += block;
        }
        at += block;
    }
    return ST_OK;
}

/* Reads the intervals behind the `first` runs. Returns in *left how many of `extra` successors are in none. */
static enum status read_intervals(struct webgraph_decoder *d, uint64_t extra, uint64_t first, uint64_t *runs, uint64_t *left,
                                  struct error *e)
{
    const struct webgraph_properties *p = d->properties;
    uint64_t end = d->next;
    *runs = first;
    *left = extra;
    if (extra == 0 || p->least_interval == 0)
        return ST_OK;
    uint64_t count = bits_gamma(&d->in), most = smaller(extra / p->least_interval, bits_left(&d->in));
    if (count > most)
        return bad(d, e, "a number of intervals of", count, "at most", most);
    if (reserve_runs(d, first + count, e) != ST_OK)
        return e->status;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t gap = bits_gamma(&d->in), longer = bits_gamma(&d->in);
        uint64_t begin = i == 0 ? end + bits_signed(gap) : end + gap + 1;
        if (longer > *left || longer + p->least_interval > *left)
            return bad(d, e, "an interval longer than the least by", longer, "at most the successors that are left,", *left);
        if (begin >= p->nodes || longer + p->least_interval > p->nodes - begin)
            return begin > INT64_MAX && bits_ok(&d->in) /* a negative one has wrapped */
                       ? bad(d, e, "an interval before node 0 by", 0 - begin, "one within the nodes,", p->nodes)
                       : bad(d, e, "an interval at", begin, "one within the nodes,", p->nodes);
        d->runs[(*runs)++] = (struct webgraph_run){begin, longer + p->least_interval};
        *left -= longer + p->least_interval;
        end = begin + longer + p->least_interval;
    }
    return ST_OK;
}

/* Successors that are not copied: those of intervals and residuals, merged as the residuals are decoded. */
struct extras {
    struct bit_reader *in;
    const struct webgraph_run *run, *run_end; /* the intervals that are left */
    uint64_t interval, interval_end;          /* of the present one: the next id, and the end */
    uint64_t residual, residuals_left;        /* the next one; those behind it */
};

#define NO_SUCCESSOR UINT64_MAX

/* Returns the smallest id that is left of intervals and residuals, and decodes the residual behind it. */
static inline uint64_t take_extra(struct extras *x, enum code code, unsigned k)
{
    uint64_t id;
    if (x->interval < x->residual) {
        id = x->interval++;
        if (x->interval == x->interval_end) {
            int more = x->run < x->run_end;
            x->interval = more ? x->run->first : NO_SUCCESSOR;
            x->interval_end = more ? x->run->first + x->run->count : 0;
            x->run += more;
        }
        return id;
    }
    id = x->residual;
    if (x->residuals_left > 0) {
        x->residuals_left--;
        x->residual += bits_value(x->in, code, k) + 1;
    } else {
        x->residual = NO_SUCCESSOR;
    }
    return id;
}

/* Merges the copied successors with the others, and decodes residuals on the way. A successor moves its bits, 8 bytes of the
 * list, and 8 of the list that it is copied from. The counts add up to `count`, so that no loop writes more. */
static inline __attribute__((always_inline)) void merge(struct webgraph_decoder *d, uint64_t *restrict out, uint64_t count,
                                                        const uint64_t *source, uint64_t copies, uint64_t runs,
                                                        uint64_t residuals, enum code code, unsigned k)
{
    struct bit_reader in = d->in; /* in registers */
    struct extras x = {.in = &in, .run = d->runs + copies, .run_end = d->runs + runs, .interval = NO_SUCCESSOR,
                       .residual = NO_SUCCESSOR};
    uint64_t i = 0;
    if (residuals > 0) {
        x.residual = d->next + bits_signed(bits_value(&in, code, k));
        x.residuals_left = residuals - 1;
    }
    if (copies == 0 && runs == 0) {
        for (uint64_t id = x.residual; i < count; i++) {
            out[i] = id;
            if (i + 1 < count)
                id += bits_value(&in, code, k) + 1;
        }
        d->in = in;
        return;
    }
    if (x.run < x.run_end) {
        x.interval = x.run->first;
        x.interval_end = x.run->first + x.run->count;
        x.run++;
    }
    uint64_t extra = take_extra(&x, code, k);
    for (const struct webgraph_run *run = d->runs; run < d->runs + copies; run++) {
        for (const uint64_t *id = source + run->first, *end = id + run->count; id < end; id++) {
            while (extra < *id) {
                out[i++] = extra;
                extra = take_extra(&x, code, k);
            }
            out[i++] = *id;
        }
    }
    while (i < count) {
        out[i++] = extra;
        extra = take_extra(&x, code, k);
    }
    d->in = in;
}

/* Nonzero if the ids ascend and are below n. */
static int is_list(const uint64_t *ids, uint64_t count, uint64_t n)
{
    int wrong = count > 0 && ids[count - 1] >= n;
    for (uint64_t i = 1; i < count; i++)
        wrong |= ids[i - 1] >= ids[i];
    return !wrong;
}

/* Decodes a list behind its head, and checks it. Its ids go to `list`. */
static enum status decode(struct webgraph_decoder *d, struct webgraph_list *list, uint64_t degree, uint64_t reference,
                          struct error *e)
{
    const struct webgraph_properties *p = d->properties;
    const struct webgraph_list *source = reference > 0 ? list_of(d, d->next - reference) : NULL;
    uint64_t copies = 0, copied = 0, runs, residuals;
    if (source != NULL && read_blocks(d, source->count, &copies, &copied, e) != ST_OK)
        return e->status;
    if (copied > degree)
        return bad(d, e, "blocks that copy", copied, "at most its successors,", degree);
    if (read_intervals(d, degree - copied, copies, &runs, &residuals, e) != ST_OK)
        return e->status;
    if (residuals > bits_left(&d->in))
        return bad(d, e, "a number of single successors of", residuals, "at most the bits that are left,",
                   bits_left(&d->in));
    if (reserve_ids(d, list, degree, e) != ST_OK)
        return e->status;
    const uint64_t *ids = source != NULL ? source->ids : NULL;
    if (p->code[PART_RESIDUALS] == CODE_ZETA && p->zeta_k == 3)
        merge(d, list->ids, degree, ids, copies, runs, residuals, CODE_ZETA, 3);
    else
        merge(d, list->ids, degree, ids, copies, runs, residuals, p->code[PART_RESIDUALS], p->zeta_k);
    list->count = degree;
    if (!bits_ok(&d->in) || !is_list(list->ids, degree, p->nodes))
        return bad_list(d, list->ids, degree, e);
    return ST_OK;
}

/* Reads the list of node d->next, whose head may refer to an unknown list if `approaches`. d->next stays. */
static enum status read_list(struct webgraph_decoder *d, int approaches, struct error *e)
{
    const struct webgraph_properties *p = d->properties;
    struct webgraph_list *list = list_of(d, d->next);
    uint64_t degree, reference;
    d->in.error = e;
    webgraph_head(&d->in, p, &degree, &reference);
    list->count = 0;
    list->known = 1;
    if (d->is_short && list->room > 0 && resize_list(d, list, 0, e) != ST_OK)
        return e->status;
    if (!bits_ok(&d->in) || degree > p->nodes)
        return bad(d, e, "an outdegree of", degree, "at most the number of nodes,", p->nodes);
    if (reference > smaller(p->window, d->next))
        return bad(d, e, "a reference to a node before by", reference, "at most", smaller(p->window, d->next));
    if (reference > d->next - d->first || (reference > 0 && !list_of(d, d->next - reference)->known)) {
        list->known = 0;
        return approaches ? ST_OK
                          : fail(e, ST_RUNTIME, "%s: node %llu: the file changed while it was read", d->name, (ull)d->next);
    }
    return degree > 0 ? decode(d, list, degree, reference, e) : ST_OK;
}

/* Decodes the list of the next node, and moves on. */
enum status webgraph_next(struct webgraph_decoder *d, const struct webgraph_list **list, struct error *e)
{
    *list = list_of(d, d->next);
    if (read_list(d, /* approaches */ 0, e) == ST_OK)
        d->next++;
    return e->status;
}

/* Reads the list of the next node, which begins at `bit`; it may be unknown, as those that it refers to. */
enum status webgraph_approach(struct webgraph_decoder *d, uint64_t bit, struct error *e)
{
    bits_seek(&d->in, bit);
    if (read_list(d, /* approaches */ 1, e) == ST_OK)
        d->next++;
    return e->status;
}

/* Refuses a file that does not end where the reader is, but for zeros, which are read. */
enum status webgraph_check_end(struct bit_reader *in, const char *name, const char *what, struct error *e)
{
    uint64_t at = bits_position(in), bytes = in->source.bytes;
    if (bits_padding_follows(in) || e->status != ST_OK)
        return e->status;
    if (divide_up(at, 8) == bytes)
        return fail(e, ST_BAD_DATA, "%s: byte %llu: found a bit that is set behind %s, expected zeros up to the end", name,
                    (ull)(bytes - 1), what);
    return fail(e, ST_BAD_DATA, "%s: byte %llu: found %llu bytes more behind %s, expected the end of the file", name,
                (ull)divide_up(at, 8), (ull)(bytes - divide_up(at, 8)), what);
}
