/* pack_verify.c: see pack_verify.h. Whether two sets of edges are each other's reverse is decided by sums of hashes of their (source,
 * destination) pairs. A sum does not depend on order, so a directory of any size is read once, one part after the other. */
#include "pack_verify.h"

#include "parts_checksum.h"

#include "tools/pack/grid/grid_verify.h"

#include "formats/base/arith.h"
#include "formats/base/hash.h"
#include "formats/graph/partition.h"
#include "formats/graph/shard_ranges.h"
#include "formats/split.h"

#include <stdlib.h>
#include <string.h>

typedef unsigned long long ull;

struct verify {
    const struct manifest *m;
    struct shard *shard;      /* [p], open */
    struct memory_budget *budget;
    int threads;
    uint64_t edges[SUBGRAPHS];
    uint64_t nn_forward, nn_backward; /* sums of hashes of nn's edges, and of the reversed edges of nn's reverse */
    uint64_t degree_sum, loops;
    uint64_t *delegate_id;    /* [d] of the first part */
    uint32_t *delegate_run;   /* [d] the delegate's run of equal degrees */
    uint64_t *delegate_edges; /* [d] edges kept, over all shards */
};

/* Fails: this section of the part is wrong. */
static enum status bad(const struct shard *s, const char *section, const char *why, struct error *e)
{
    return fail(e, ST_BAD_DATA, "%s: %s: %s", container_path(s->file), section, why);
}

/* The same, with the entry of the section. */
static enum status bad_at(const struct shard *s, const char *section, uint64_t index, const char *why, struct error *e)
{
    return fail(e, ST_BAD_DATA, "%s: %s: entry %llu: %s", container_path(s->file), section,
                (ull)index, why);
}

/* ---- rows ---- */

/* Sums the hashes of all (row, destination) pairs of a subgraph, and those of the reversed pairs. `tag` is put above the row's
 * bits, so that rows of different shards differ. */
static void sum_pairs(const struct csr *csr, uint64_t tag, int threads, uint64_t *forward, uint64_t *backward)
{
    uint64_t f = 0, b = 0;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1024) reduction(+ : f, b)
    for (uint64_t row = 0; row < csr->rows; row++) {
        uint64_t length = csr_row_length(csr, row);
        for (uint64_t j = 0; j < length; j++) {
            uint64_t destination = csr_destination(csr, row, j);
            f += hash_pair(tag | row, destination);
            b += hash_pair(destination, tag | row);
        }
    }
    *forward += f;
    *backward += b;
}

/* Checks that a subgraph without head columns has no section of heads, as the format demands. */
static enum status check_heads(const struct shard *s, struct error *e)
{
    for (int g = 0; g < shard_row_sets(s); g++) {
        uint32_t type = shard_section_of((enum subgraph)g, SHARD_HEADS);
        if (s->csr[g].head_columns == 0 && container_find(s->file, type) != NULL)
            return bad(s, shard_kind.section_name(type), "is there, though k is 0", e);
    }
    return ST_OK;
}

/* ---- vertices ---- */

/* Notes a vertex of this shard in seen[]; fails if it is there already. */
static enum status mark_vertex(const struct shard *s, uint64_t *seen, uint64_t slot,
                               const char *section, uint64_t index, struct error *e)
{
    if (mask_bit(seen, slot))
        return bad_at(s, section, index, "the vertex is there twice", e);
    seen[slot / 64] |= UINT64_C(1) << (slot % 64);
    return ST_OK;
}

/* Checks that no local vertex is there twice, ids ascend within a degree, and degrees are at most TH. Fills seen[]. */
static enum status check_locals(const struct shard *s, uint64_t *seen, uint64_t *degree_sum, struct error *e)
{
    uint64_t i = 0;
    for (uint64_t run = 0; run < s->degrees.locals.count; run++) {
        const struct degree_run *r = &s->degrees.locals.runs[run];
        *degree_sum += r->degree * r->vertices;
        if (r->degree > s->th)
            return bad_at(s, "local-degrees", run, "a normal vertex with a degree above TH", e);
        for (uint64_t end = i + r->vertices; i < end; i++) {
            if (i > end - r->vertices && s->ids.local_slots[i] <= s->ids.local_slots[i - 1])
                return bad_at(s, "local-slots", i, "vertices of one degree do not ascend", e);
            if (mark_vertex(s, seen, s->ids.local_slots[i], "local-slots", i, e) != ST_OK)
                return e->status;
        }
    }
    return ST_OK;
}

/* Checks that self-loops are at vertices of this shard, by ascending id. A vertex listed as isolated must be no local vertex or
 * delegate. */
static enum status check_loops(struct verify *v, const struct shard *s, const uint64_t *seen, struct error *e)
{
    for (uint64_t i = 0; i < s->degrees.loop_counts; i++) {
        const struct loop_count *l = &s->degrees.loops[i];
        v->loops += l->count;
        if (shard_of_vertex(shard_loop_vertex(s, l), s->p) != s->index)
            return bad_at(s, "loops", i, "a vertex of another shard", e);
        if (l->at == LOOP_AT_ISOLATED && mask_bit(seen, l->index))
            return bad_at(s, "loops", i, "not an isolated vertex of this shard", e);
        if (i > 0 && shard_loop_vertex(s, l) <= shard_loop_vertex(s, l - 1))
            return bad_at(s, "loops", i, "vertices do not ascend", e);
    }
    return ST_OK;
}

/* Checks that no vertex of this shard is both a delegate and a local vertex. */
static enum status check_coverage(struct verify *v, const struct shard *s, struct error *e)
{
    uint64_t words = mask_words(slots_of_shard(s->n, s->index, s->p)), *seen;
    if (memory_take(v->budget, (void **)&seen, words, 8, "vertex mask", e) != ST_OK)
        return e->status;
    check_locals(s, seen, &v->degree_sum, e);
    for (uint64_t i = 0; i < s->d && e->status == ST_OK; i++) {
        uint64_t id = shard_delegate_id(s, i);
        if (shard_of_vertex(id, s->p) == s->index)
            mark_vertex(s, seen, slot_of_vertex(id, s->p), "delegate-ids", i, e);
    }
    if (e->status == ST_OK)
        check_loops(v, s, seen, e);
    memory_release(v->budget, seen);
    return e->status;
}

/* The edges of a normal vertex, in all of its rows. */
static uint64_t local_edges(const struct shard *s, uint64_t row)
{
    uint64_t edges = csr_row_length(&s->csr[NN], row) + csr_row_length(&s->csr[ND], row);
    if (s->kept.with_in)
        edges += csr_row_length(&s->csr[IN_NN], row) + csr_row_length(&s->csr[IN_ND], row);
    return edges;
}

/* Nonzero if a local vertex may have no edge in its shard: without in-rows, a directed edge is only in the row of its tail. */
static int may_be_empty(const struct shard *s)
{
    return s->kept.directed && !s->kept.with_in;
}

/* Checks that each local vertex has an edge (unless may_be_empty), and no more edges than its degree, all in this shard. */
static enum status check_local_edges(const struct shard *s, struct error *e)
{
    uint64_t row = 0;
    for (uint64_t run = 0; run < s->degrees.locals.count; run++) {
        for (uint64_t i = 0; i < s->degrees.locals.runs[run].vertices; i++, row++) {
            uint64_t kept = local_edges(s, row);
            if ((kept == 0 && !may_be_empty(s)) || kept > s->degrees.locals.runs[run].degree)
                return bad_at(s, "local-degrees", run, "more or fewer edges than the degree", e);
        }
    }
    return ST_OK;
}

/* ---- delegates ---- */

/* Nonzero if a shard has the delegates of the first one. */
static int same_delegates(const struct verify *v, const struct shard *s)
{
    const struct shard *first = &v->shard[0];
    for (uint64_t i = 0; i < s->d; i++) {
        if (shard_delegate_id(s, i) != v->delegate_id[i])
            return 0;
    }
    return s->degrees.delegates.count == first->degrees.delegates.count &&
           memcmp(s->degrees.delegates.runs, first->degrees.delegates.runs,
                  s->degrees.delegates.count * sizeof *s->degrees.delegates.runs) == 0;
}

/* Checks the delegates: keeps those of the first shard, with their runs of equal degrees; other shards must have the same. */
static enum status check_delegates(struct verify *v, const struct shard *s, struct error *e)
{
    uint64_t i = 0;
    if (s->index > 0)
        return same_delegates(v, s)
                   ? ST_OK
                   : bad(s, "delegate-ids", "differ from those of the other parts", e);
    for (uint64_t run = 0; run < s->degrees.delegates.count; run++) {
        const struct degree_run *r = &s->degrees.delegates.runs[run];
        v->degree_sum += r->degree * r->vertices;
        if (r->degree <= s->th)
            return bad_at(s, "delegate-degrees", run, "a delegate with a degree up to TH", e);
        for (uint64_t end = i + r->vertices; i < end; i++) {
            v->delegate_id[i] = shard_delegate_id(s, i);
            v->delegate_run[i] = (uint32_t)run;
            if (i > end - r->vertices && shard_delegate_id(s, i) <= shard_delegate_id(s, i - 1))
                return bad_at(s, "delegate-ids", i, "delegates of one degree do not ascend", e);
        }
    }
    return ST_OK;
}

/* Nonzero if an edge between delegates a and b belongs to this shard by Algorithm 1: the lower degree decides, then the smaller id. */
static int dd_belongs_here(const struct verify *v, const struct shard *s, uint64_t a, uint64_t b)
{
    uint64_t ia = shard_delegate_id(s, a), ib = shard_delegate_id(s, b);
    uint64_t decider = v->delegate_run[a] != v->delegate_run[b]
                           ? (v->delegate_run[a] > v->delegate_run[b] ? ia : ib)
                           : (ia < ib ? ia : ib);
    return a != b && shard_of_vertex(decider, s->p) == s->index;
}

/* The subgraph that has the edges of out-rows g in the opposite direction. */
static const struct csr *reverse_of(const struct shard *s, enum subgraph g)
{
    enum subgraph reverse = subgraph_reverse(g);
    return &s->csr[s->kept.directed ? subgraph_in(reverse) : reverse];
}

/* Counts the edges of each delegate in subgraphs g and `to_normals`. Checks that Algorithm 1 puts the edges of g, whose ends
 * are both delegates, into this shard. */
static enum status check_dd_rows(struct verify *v, const struct shard *s, enum subgraph g, enum subgraph to_normals,
                                 struct error *e)
{
    const struct csr *csr = &s->csr[g];
    uint64_t misplaced = 0;
#pragma omp parallel for num_threads(v->threads) schedule(dynamic, 256) reduction(+ : misplaced)
    for (uint64_t row = 0; row < csr->rows; row++) {
        uint64_t length = csr_row_length(csr, row);
        v->delegate_edges[row] += length + csr_row_length(&s->csr[to_normals], row);
        for (uint64_t j = 0; j < length; j++)
            misplaced += !dd_belongs_here(v, s, row, csr_destination(csr, row, j));
    }
    if (misplaced > 0)
        return bad(s, shard_kind.section_name(shard_section_of(g, SHARD_COLUMNS)),
                   "edges that Algorithm 1 puts elsewhere, or self-loops", e);
    return ST_OK;
}

/* Checks that no delegate has more edges than its degree, over all shards, or none. */
static enum status check_delegate_edges(const struct verify *v, struct error *e)
{
    const struct shard *s = &v->shard[0];
    for (uint64_t i = 0; i < s->d; i++) {
        const struct degree_run *run = &s->degrees.delegates.runs[v->delegate_run[i]];
        if ((v->delegate_edges[i] == 0 && !may_be_empty(s)) || v->delegate_edges[i] > run->degree)
            return bad_at(s, "delegate-degrees", v->delegate_run[i],
                          "more or fewer edges than the degree", e);
    }
    return ST_OK;
}

/* ---- nd, dn, nn ---- */

/* Checks that the edges of subgraph g are those of its reverse in the same shard. */
static enum status check_transpose(const struct verify *v, const struct shard *s, enum subgraph g, struct error *e)
{
    const struct csr *csr = &s->csr[g], *reverse = reverse_of(s, g);
    uint64_t own = 0, own_reversed = 0, other = 0, other_reversed = 0;
    sum_pairs(csr, 0, v->threads, &own, &own_reversed);
    sum_pairs(reverse, 0, v->threads, &other, &other_reversed);
    if (csr->edges == reverse->edges && own == other_reversed && other == own_reversed)
        return ST_OK;
    if (csr == reverse)
        return bad(s, "dd-columns", "not symmetric", e);
    return bad(s, shard_kind.section_name(shard_section_of(g, SHARD_COLUMNS)), g == DN && !s->kept.directed
               ? "not the reverse of nd" : "not the reverse of the in-rows", e);
}

/* Checks transposes. In an undirected graph nd and dn are each other's. */
static enum status check_transposes(const struct verify *v, const struct shard *s, struct error *e)
{
    if (may_be_empty(s) || check_transpose(v, s, DD, e) != ST_OK || check_transpose(v, s, DN, e) != ST_OK)
        return e->status;
    return s->kept.directed ? check_transpose(v, s, ND, e) : ST_OK;
}

/* Checks that destinations exist, and that there are no self-loops. shard_check does not know the sizes of other shards. */
static enum status check_nn_rows(const struct verify *v, const struct shard *s, enum subgraph g, struct error *e)
{
    const struct csr *csr = &s->csr[g];
    uint64_t beyond = 0, mask = (UINT64_C(1) << s->local_bits) - 1;
    uint64_t own = (uint64_t)s->index << s->local_bits;
#pragma omp parallel for num_threads(v->threads) schedule(dynamic, 1024) reduction(+ : beyond)
    for (uint64_t row = 0; row < csr->rows; row++) {
        uint64_t length = csr_row_length(csr, row);
        for (uint64_t j = 0; j < length; j++) {
            uint64_t code = csr_destination(csr, row, j);
            beyond += (code & mask) >= v->shard[code >> s->local_bits].locals ||
                      code == (own | row);
        }
    }
    if (beyond > 0)
        return bad(s, shard_kind.section_name(shard_section_of(g, SHARD_COLUMNS)),
                   "destinations that do not exist, or self-loops", e);
    return ST_OK;
}

/* Checks the rows of nn, and adds their edges to the sums that must agree over all shards. */
static enum status check_nn(struct verify *v, const struct shard *s, struct error *e)
{
    uint64_t own = (uint64_t)s->index << s->local_bits, ignored = 0;
    if (check_nn_rows(v, s, NN, e) != ST_OK || may_be_empty(s))
        return e->status;
    if (!s->kept.directed) {
        sum_pairs(&s->csr[NN], own, v->threads, &v->nn_forward, &v->nn_backward);
    } else if (check_nn_rows(v, s, IN_NN, e) == ST_OK) {
        sum_pairs(&s->csr[NN], own, v->threads, &v->nn_forward, &ignored);
        sum_pairs(&s->csr[IN_NN], own, v->threads, &ignored, &v->nn_backward);
    }
    return e->status;
}

/* ---- everything ---- */

/* Checks a loaded part against the others, and adds what it has to the totals. */
static enum status check_shard(struct verify *v, const struct shard *s, struct error *e)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < s->p; i++)
        most = larger(most, v->shard[i].locals);
    if (shard_check_widths(s, most, e) != ST_OK || check_heads(s, e) != ST_OK || check_delegates(v, s, e) != ST_OK ||
        check_coverage(v, s, e) != ST_OK ||
        check_local_edges(s, e) != ST_OK || check_dd_rows(v, s, DD, DN, e) != ST_OK ||
        (s->kept.with_in && check_dd_rows(v, s, IN_DD, IN_DN, e) != ST_OK) ||
        check_transposes(v, s, e) != ST_OK || check_nn(v, s, e) != ST_OK)
        return e->status;
    for (int g = 0; g < SUBGRAPHS; g++)
        v->edges[g] += s->csr[g].edges;
    return ST_OK;
}

/* Edge ends of the input that degrees count, without self-loops. */
static uint64_t edge_ends(const struct manifest *m)
{
    uint64_t records = m->totals.edges - m->totals.loops;
    return m->direction == EDGES_SYMMETRIC ? records : 2 * records;
}

/* Returns how many directed edges the input has without self-loops. Out-rows have as many if there were no duplicates. */
static uint64_t directed_edges(const struct manifest *m)
{
    return m->direction == EDGES_DIRECTED ? edge_ends(m) / 2 : edge_ends(m);
}

/* Compares the sums over all parts with each other and the manifest. */
static enum status check_totals(const struct verify *v, const char *folder, struct error *e)
{
    const struct manifest *m = v->m;
    if (v->nn_forward != v->nn_backward)
        return fail(e, ST_BAD_DATA, "%s: nn-columns of all parts: not %s", folder,
                    m->direction == EDGES_DIRECTED ? "the reverse of in-nn" : "symmetric");
    for (int g = 0; g < SUBGRAPHS; g++) {
        if (v->edges[g] != m->edges[g])
            return fail(e, ST_BAD_DATA, "%s/%s: edges-%s is %llu, the parts hold %llu", folder,
                        MANIFEST_NAME, subgraph_name[g], (ull)m->edges[g], (ull)v->edges[g]);
    }
    if (v->degree_sum != edge_ends(m))
        return fail(e, ST_BAD_DATA, "%s: the degrees of all parts do not sum up to the edges",
                    folder);
    if (v->loops != m->totals.loops)
        return fail(e, ST_BAD_DATA, "%s: the parts list %llu self-loops, the manifest %llu", folder,
                    (ull)v->loops, (ull)m->totals.loops);
    return ST_OK;
}

/* Opens the parts and compares all checksums, before anything is decoded. */
static enum status open_parts(struct verify *v, const char *folder, struct verify_report *report, struct error *e)
{
    for (uint32_t s = 0; s < v->m->p; s++) {
        if (manifest_open_shard(v->m, folder, s, &v->shard[s], e) != ST_OK ||
            container_check_all(v->shard[s].file, v->threads, e) != ST_OK)
            return e->status;
        report->bytes += container_bytes(v->shard[s].file);
    }
    return ST_OK;
}

/* Loads a part, checks it by itself and then against those before it. */
static enum status check_decoded(struct verify *v, struct shard *s, struct error *e)
{
    if (shard_load(s, SHARD_ALL_COLUMNS, v->threads, v->budget, e) == ST_OK &&
        shard_check(s, v->threads, e) == ST_OK)
        check_shard(v, s, e);
    shard_unload(s);
    return e->status;
}

/* Checks all parts, and what they sum up to. */
static enum status check_parts(struct verify *v, const char *folder, struct error *e)
{
    uint64_t d = v->m->d;
    if (memory_take(v->budget, (void **)&v->delegate_id, d, 8, "delegates", e) == ST_OK &&
        memory_take(v->budget, (void **)&v->delegate_run, d, 4, "delegates", e) == ST_OK &&
        memory_take(v->budget, (void **)&v->delegate_edges, d, 8, "delegates", e) == ST_OK) {
        for (uint32_t s = 0; s < v->m->p && e->status == ST_OK; s++)
            check_decoded(v, &v->shard[s], e);
        if (e->status == ST_OK && check_delegate_edges(v, e) == ST_OK)
            check_totals(v, folder, e);
    }
    memory_release(v->budget, v->delegate_id);
    memory_release(v->budget, v->delegate_run);
    memory_release(v->budget, v->delegate_edges);
    return e->status;
}

/* Checks the grid parts beside the shards, if there are any. */
static enum status check_grid(const struct verify *v, const char *folder, struct verify_report *report, struct error *e)
{
    struct grid_shards shards = {v->m, folder, NULL, v->shard[0].local_bits, v->nn_forward};
    uint32_t *locals = calloc(v->m->p, sizeof *locals);
    if (locals == NULL)
        return fail_memory(e, folder, v->m->p * sizeof *locals);
    for (uint32_t s = 0; s < v->m->p; s++)
        locals[s] = (uint32_t)v->shard[s].locals;
    shards.locals = locals;
    grid_verify(&shards, &report->grid_parts, e);
    free(locals);
    return e->status;
}

/* Compares the edges with the checksum of the input, which is possible only if there were no duplicates. */
static enum status check_input(struct verify *v, const char *folder, struct verify_report *report, struct error *e)
{
    const struct checked_parts parts = {v->m, v->shard, v->threads, v->budget};
    uint64_t checksum = 0;
    report->dropped = directed_edges(v->m) - report->edges;
    if (report->dropped > 0 || parts_checksum(&parts, &checksum, e) != ST_OK)
        return e->status;
    if (checksum != v->m->totals.checksum)
        return fail(e, ST_BAD_DATA, "%s: the edges of all parts do not sum up to the checksum of the input: "
                    "vertices have wrong ids, or it is another graph", folder);
    return ST_OK;
}

/* Proves that a shard directory is whole and right. */
enum status pack_verify(const char *folder, int threads, struct memory_budget *budget,
                        struct verify_report *report, struct error *e)
{
    struct manifest m;
    struct verify v = {.m = &m, .budget = budget, .threads = threads};
    memset(report, 0, sizeof *report);
    if (manifest_read(&m, folder, e) != ST_OK)
        return e->status;
    v.shard = calloc(m.p, sizeof *v.shard);
    if (v.shard == NULL)
        fail_memory(e, folder, m.p * sizeof *v.shard);
    else if (open_parts(&v, folder, report, e) == ST_OK && check_parts(&v, folder, e) == ST_OK)
        check_grid(&v, folder, report, e);
    report->p = m.p;
    for (int g = 0; g < SUBGRAPHS; g++)
        report->edges += v.edges[g];
    if (e->status == ST_OK)
        check_input(&v, folder, report, e);
    for (uint32_t s = 0; v.shard != NULL && s < m.p; s++) {
        shard_close(&v.shard[s]);
    }
    free(v.shard);
    manifest_free(&m);
    return e->status;
}
