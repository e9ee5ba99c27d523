/* shard_write.c: see shard_write.h */
#include "shard_write.h"

#include "formats/base/outfile.h"
#include "section_write.h"

#include <string.h>

/* Writes the slots of the local vertices. */
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

/* Writes the sections of slots, ids, degrees and self-loops. */
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

/* Writes the section of attributes, from the counts of all subgraphs. */
static enum status write_attributes(const struct packing *pk, uint32_t shard,
                                    const struct csr_counts *counts, struct container_writer *w,
                                    struct error *e)
{
    const struct vertex_order *o = pk->placement->order;
    enum placed_rows rows = pk->placement->rows;
    uint64_t at[SHARD_DIRECTED_ATTRIBUTE_COUNT] = {[SHARD_AT_INDEX] = shard,
                                          [SHARD_AT_P] = o->p,
                                          [SHARD_AT_N] = o->n,
                                          [SHARD_AT_TH] = pk->th,
                                          [SHARD_AT_D] = o->d,
                                          [SHARD_AT_LOCALS] = o->shard[shard].locals,
                                          [SHARD_AT_LOCAL_BITS] = o->local_bits,
                                          [SHARD_AT_PACK_ID] = pk->pack_id,
                                          [SHARD_AT_WITH_IN] = rows == ROWS_OUT_AND_IN};
    for (int i = 0; i < ROW_SETS; i++) {
        enum subgraph g = (enum subgraph)i;
        at[shard_attribute_of(g, SHARD_AT_EDGES)] = counts[i].edges;
        at[shard_attribute_of(g, SHARD_AT_HEADS)] = counts[i].head_columns;
        at[shard_attribute_of(g, SHARD_AT_SOURCES)] = counts[i].source_rows;
    }
    return container_add(w, SHARD_ATTRIBUTES, 8,
                         rows == ROWS_UNDIRECTED ? SHARD_ATTRIBUTE_COUNT : SHARD_DIRECTED_ATTRIBUTE_COUNT, at, e);
}

/* The values that writing any subgraph of a shard needs. */
struct subgraph_writer {
    const struct packing *pk;
    uint32_t shard;
    const struct section_writer *out;
    struct csr_counts *counts; /* [ROW_SETS] */
};

/* Builds a subgraph from its records alone, without a transpose. */
static enum status write_alone(const struct subgraph_writer *w, enum subgraph g, struct error *e)
{
    const struct packing *pk = w->pk;
    struct csr_source source = {.placement = pk->placement, .shard = w->shard};
    return csr_build(&source, g, pk->heads[g % SUBGRAPHS], w->out, &w->counts[g], e);
}

/* Builds subgraph g and the subgraph `reverse`, which has the same edges the other way round and is made from a transpose of
 * g's sorted records. The reverse of dd is dd itself. */
static enum status write_pair(const struct subgraph_writer *w, enum subgraph g, enum subgraph reverse, struct error *e)
{
    const struct packing *pk = w->pk;
    const struct section_writer *out = w->out;
    struct csr_counts *counts = w->counts;
    struct placement *pl = pk->placement;
    uint32_t shard = w->shard;
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
        csr_build(&first, g, pk->heads[g % SUBGRAPHS], out, &counts[g], e) == ST_OK && g != reverse)
        csr_build(&second, reverse, pk->heads[reverse % SUBGRAPHS], out, &counts[reverse], e);
    transpose_close(&transpose);
    return e->status;
}

/* Builds the subgraphs of an undirected graph. */
static enum status write_undirected(const struct subgraph_writer *w, struct error *e)
{
    if (write_pair(w, DD, DD, e) == ST_OK && write_pair(w, DN, ND, e) == ST_OK)
        write_alone(w, NN, e);
    return e->status;
}

/* Builds the subgraphs of a directed graph. An edge with its out-row in dd, dn or nd has its in-row in dd, nd or dn. */
static enum status write_directed(const struct subgraph_writer *w, struct error *e)
{
    static const enum subgraph placed[] = {DD, DN, ND};
    int with_in = w->pk->placement->rows == ROWS_OUT_AND_IN;
    for (int i = 0; i < 3 && e->status == ST_OK; i++) {
        if (with_in)
            write_pair(w, placed[i], subgraph_in(subgraph_reverse(placed[i])), e);
        else
            write_alone(w, placed[i], e);
    }
    if (e->status == ST_OK && write_alone(w, NN, e) == ST_OK && with_in)
        write_alone(w, IN_NN, e);
    return e->status;
}

/* Builds and writes all sections of a shard, and sets *written. */
static enum status write_sections(const struct packing *pk, uint32_t shard,
                                  struct container_writer *w, struct memory_budget *budget,
                                  struct written_shard *written, struct error *e)
{
    struct section_writer out = {
        .writer = w, .encoding = pk->encoding, .threads = pk->threads, .budget = budget};
    const struct subgraph_writer subgraphs = {pk, shard, &out, written->counts};
    int directed = pk->placement->rows != ROWS_UNDIRECTED;
    if ((directed ? write_directed(&subgraphs, e) : write_undirected(&subgraphs, e)) == ST_OK &&
        write_vertices(pk, shard, &out, e) == ST_OK &&
        write_attributes(pk, shard, written->counts, w, e) == ST_OK)
        container_writer_finish(w, &written->part.table_crc, e);
    return e->status;
}

/* Writes a shard to the file `path`, and sets *written. */
enum status shard_write(const struct packing *pk, uint32_t shard, const char *path,
                        struct memory_budget *budget, struct written_shard *written,
                        struct error *e)
{
    struct outfile *out = NULL;
    struct container_writer *w = NULL;
    int directed = pk->placement->rows != ROWS_UNDIRECTED;
    memset(written, 0, sizeof *written);
    if (outfile_open(&out, path, e) == ST_OK &&
        container_writer_open(&w, directed ? &directed_shard_kind : &shard_kind, out, e) == ST_OK &&
        write_sections(pk, shard, w, budget, written, e) == ST_OK)
        written->part.bytes = outfile_tell(out);
    container_writer_free(w);
    return outfile_commit(out, &written->sync_seconds, e);
}
