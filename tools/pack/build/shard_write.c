/* shard_write.c: see shard_write.h */
#include "shard_write.h"

#include "formats/base/outfile.h"
#include "section_write.h"

#include <string.h>

static enum status write_slots(const struct vertex_order *o, uint32_t shard,
                               const struct section_writer *out, struct error *e)
{
    uint64_t locals = o->shard[shard].locals;
    uint32_t *slots;
    if (memory_take(out->budget, (void **)&slots, locals, 4, "local vertices", e) != ST_OK)
        return e->status;
    if (order_slots(o, shard, slots, e) == ST_OK)
        section_write(out, SHARD_LOCAL_SLOTS, 4, locals, slots, e);
    memory_release(out->budget, slots);
    return e->status;
}

static enum status write_vertices(const struct packing *pk, uint32_t shard,
                                  const struct section_writer *out, struct error *e)
{
    struct container_writer *w = out->writer;
    const struct vertex_order *o = pk->placement->order;
    const struct shard_vertices *sv = &o->shard[shard];
    const struct shard_loops *sl = pk->loops;
    uint64_t first = sl->first[shard], loops = sl->first[shard + 1] - first;
    if (write_slots(o, shard, out, e) != ST_OK)
        return e->status;
    container_add(w, SHARD_LOCAL_DEGREES, sizeof *sv->runs, sv->run_count, sv->runs, e);
    section_write(out, SHARD_DELEGATE_IDS, o->delegate_id_width, o->d, o->delegate_ids, e);
    container_add(w, SHARD_DELEGATE_DEGREES, sizeof *o->delegate_runs, o->delegate_run_count,
                  o->delegate_runs, e);
    return container_add(w, SHARD_LOOPS, sizeof *sl->entries, loops, sl->entries + first, e);
}

static enum status write_attributes(const struct packing *pk, uint32_t shard,
                                    const struct csr_counts *counts, struct container_writer *w,
                                    struct error *e)
{
    const struct vertex_order *o = pk->placement->order;
    uint64_t at[SHARD_ATTRIBUTE_COUNT] = {[SHARD_AT_INDEX] = shard,
                                          [SHARD_AT_P] = o->p,
                                          [SHARD_AT_N] = o->n,
                                          [SHARD_AT_TH] = pk->th,
                                          [SHARD_AT_D] = o->d,
                                          [SHARD_AT_LOCALS] = o->shard[shard].locals,
                                          [SHARD_AT_LOCAL_BITS] = o->local_bits,
                                          [SHARD_AT_PACK_ID] = pk->pack_id};
    for (int g = 0; g < SUBGRAPHS; g++) {
        at[SHARD_AT_EDGES + g] = counts[g].edges;
        at[SHARD_AT_HEADS + g] = counts[g].head_columns;
        at[SHARD_AT_SOURCES + g] = counts[g].source_rows;
    }
    return container_add(w, SHARD_ATTRIBUTES, 8, SHARD_ATTRIBUTE_COUNT, at, e);
}

/* Builds a subgraph, and its reverse where that is another one, of which the transpose of the first is all
 * there is. */
static enum status write_pair(const struct packing *pk, uint32_t shard, enum subgraph g,
                              const struct section_writer *out, struct csr_counts *counts,
                              struct error *e)
{
    struct placement *pl = pk->placement;
    enum subgraph reverse = subgraph_reverse(g);
    struct transpose transpose = {0};
    struct csr_source first = {.placement = pl, .shard = shard, .to = &transpose},
                      second = {.placement = pl, .shard = shard, .from = &transpose};
    if (g == reverse)
        first.from = &transpose;
    struct transpose_limits limits = {.threads = out->threads,
                                      .records = pk->shard_records,
                                      .room_bytes = pk->transpose_bytes,
                                      .left_bytes = pk->rows_bytes};
    if (transpose_open(&transpose, &pl->plan[reverse], pl, &limits, out->budget, e) == ST_OK &&
        csr_build(&first, g, pk->heads[g], out, &counts[g], e) == ST_OK && g != reverse)
        csr_build(&second, reverse, pk->heads[reverse], out, &counts[reverse], e);
    transpose_close(&transpose);
    return e->status;
}

static enum status write_sections(const struct packing *pk, uint32_t shard,
                                  struct container_writer *w, struct memory_budget *budget,
                                  struct written_shard *written, struct error *e)
{
    struct section_writer out = {
        .writer = w, .encoding = pk->encoding, .threads = pk->threads, .budget = budget};
    struct csr_source nn = {.placement = pk->placement, .shard = shard};
    if (write_pair(pk, shard, DD, &out, written->counts, e) == ST_OK &&
        write_pair(pk, shard, DN, &out, written->counts, e) == ST_OK &&
        csr_build(&nn, NN, pk->heads[NN], &out, &written->counts[NN], e) == ST_OK &&
        write_vertices(pk, shard, &out, e) == ST_OK &&
        write_attributes(pk, shard, written->counts, w, e) == ST_OK)
        container_writer_finish(w, &written->part.table_crc, e);
    return e->status;
}

enum status shard_write(const struct packing *pk, uint32_t shard, const char *path,
                        struct memory_budget *budget, struct written_shard *written,
                        struct error *e)
{
    struct outfile *out = NULL;
    struct container_writer *w = NULL;
    memset(written, 0, sizeof *written);
    if (outfile_open(&out, path, e) == ST_OK &&
        container_writer_open(&w, &shard_kind, out, e) == ST_OK &&
        write_sections(pk, shard, w, budget, written, e) == ST_OK) {
        written->part.bytes = outfile_tell(out);
        outfile_commit(out, &written->sync_seconds, e);
        out = NULL;
    }
    container_writer_free(w);
    outfile_abort(out);
    return e->status;
}
