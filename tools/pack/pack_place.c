/* pack_place.c: divides the memory that is left, and moves the edges into the buckets of their shards */
#include "pack_job.h"

#include "formats/base/cli.h"
#include "formats/base/progress.h"
#include "tools/pack/place/pack_memory.h"

#include <string.h>

/* Returns how many edges this rank holds at a time: its share of the stream and, if there are several ranks, one shard gathered
 * from all of them. */
static uint64_t held_edges(const struct pack_job *j)
{
    const struct degrees *d = &j->separation.degrees;
    if (j->source->comm->ranks == 1)
        return d->directed_edges;
    uint64_t own = (d->info.direction == EDGES_SYMMETRIC ? 1 : 2) * d->own_edges;
    return own + d->directed_edges / j->options->p;
}

/* Returns an upper bound of the nn edges among `held` edges: as many as begin at normal vertices, as all nn edges do. */
static uint64_t held_nn(const struct pack_job *j, uint64_t held)
{
    const struct separation *s = &j->separation;
    uint64_t ends = 0, directed = s->degrees.directed_edges;
    for (uint32_t r = 0; r < ranks_cut(&s->ranks, j->report->th); r++)
        ends += s->ranks.degrees[r].degree * s->ranks.degrees[r].vertices;
    return directed > 0 ? (uint64_t)((double)ends * ((double)held / (double)directed)) : 0;
}

/* Fills in the sizes by which the memory is divided. They are the same on all ranks, which must have the same buckets. */
static struct pack_size fill_pack_size(const struct pack_job *j)
{
    const struct vertex_order *o = &j->order;
    const struct comm *comm = j->source->comm;
    const struct bucket_store *tiles = &j->separation.degrees.tiles.store;
    uint64_t held = comm_max_of(comm, held_edges(j));
    struct pack_size s = {.p = o->p,
                          .ranks = comm->ranks,
                          .order = o,
                          .d = o->d,
                          .directed_edges = j->separation.degrees.directed_edges,
                          .held_edges = held,
                          .held_nn = held_nn(j, held),
                          .tiles = {comm_min_of(comm, tiles->slab_count * tiles->slab_bytes),
                                    comm_max_of(comm, tiles->chunk_bytes),
                                    comm_max_of(comm, tiles->slab_bytes)},
                          .rows = pack_rows(j->options, &j->separation.degrees.info),
                          .nn_column_bytes = o->nn_column_bytes,
                          .column_bits = placement_column_bits(o),
                          .limit_bytes = j->budget->limit_bytes,
                          .threads = (int)comm_max_of(comm, (uint64_t)j->options->threads)};
    if (o->delegate_run_count > 0) /* a delegate's row is spread over all shards */
        s.longest = o->delegate_runs[0].degree / o->p;
    for (uint32_t i = 0; i < o->p; i++) {
        const struct shard_vertices *sv = &o->shard[i];
        s.locals = sv->locals > s.locals ? sv->locals : s.locals;
        if (sv->run_count > 0 && sv->runs[0].degree > s.longest)
            s.longest = sv->runs[0].degree;
    }
    memcpy(s.heads, j->options->heads, sizeof s.heads);
    return s;
}

/* Divides the memory left among placed edges, building, and edges gathered from other ranks. *stow: labels must go to disk. */
static enum status divide_memory(struct pack_job *j, struct pack_memory *memory,
                                 uint64_t *store_bytes, int *stow, struct error *e)
{
    const struct vertex_values *labels = &j->order.labels.values;
    const struct comm *comm = j->source->comm;
    struct pack_size size = fill_pack_size(j);
    uint64_t left = comm_min_of(comm, memory_left(j->budget));
    if (comm->ranks > 1)
        left -= left < GATHER_BUFFER_BYTES ? left : GATHER_BUFFER_BYTES;
    /* labels can give their memory back before shards are built */
    *stow = labels->windows > 1 || (j->options->spill != NULL && !pack_memory_ample(&size, left));
    uint64_t building = left + (*stow ? labels->bytes : 0);
    if (pack_memory_divide(memory, &size, left, building, e) != ST_OK)
        return e->status;
    *store_bytes = memory->store_bytes;
    j->gather_bytes = memory->gather_bytes;
    j->transpose_bytes = memory->transpose_bytes;
    j->rows_bytes = memory->rows_bytes + memory->sort_bytes;
    return ST_OK;
}

/* Divides the memory while edges are in tiles. If there is too little, and the streams can be read again, frees the tiles; if
 * there is enough, frees the copies of pipes, which nobody will read again. Then divides anew. All ranks decide alike. */
static enum status divide_with_tiles(struct pack_job *j, struct pack_memory *memory,
                                     uint64_t *store_bytes, int *stow, struct error *e)
{
    struct edge_tiles *tiles = &j->separation.degrees.tiles;
    divide_memory(j, memory, store_bytes, stow, e);
    if (tiles->ranges == 0 || (e->status != ST_OK && e->status != ST_RESOURCE))
        return e->status;
    if (e->status == ST_OK)
        edge_source_forget(j->source);
    else if (edge_source_forgotten(j->source))
        return e->status;
    else
        edge_tiles_close(tiles);
    *e = (struct error){.status = ST_OK};
    return divide_memory(j, memory, store_bytes, stow, e);
}

/* The step that moves all edges into the buckets of the shards, in memory that it divides before. */
enum status pack_place(struct pack_job *j, struct error *e)
{
    double start = cli_seconds();
    const struct degrees *d = &j->separation.degrees;
    struct pack_memory memory;
    struct edge_supply edges;
    struct placing_options options = {.edges = &edges,
                                      .labels = &j->order.labels,
                                      .own_edges = d->own_edges,
                                      .symmetric = d->info.direction == EDGES_SYMMETRIC,
                                      .threads = j->options->threads,
                                      .spill = j->options->spill};
    int stow = 0;
    progress_stage("placing edges", d->own_edges * values_scan_passes(&j->order.labels.values),
                   PROGRESS_ITEMS);
    if (j->parts.folder.finished_count > 0)
        options.finished = j->parts.folder.finished;
    if (divide_with_tiles(j, &memory, &options.store_bytes, &stow, e) == ST_OK)
        placement_plan(&j->placement, &j->order, pack_rows(j->options, &d->info), memory.limits, e);
    edges = degrees_edges(&j->separation.degrees, j->source);
    if (comm_agree(j->source->comm, e) == ST_OK &&
        place_edges(&j->placement, &options, j->budget, e) == ST_OK && stow)
        order_stow(&j->order, j->options->spill, e);
    j->report->seconds.buckets += cli_seconds() - start;
    return comm_agree(j->source->comm, e);
}
