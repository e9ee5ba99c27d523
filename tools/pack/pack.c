/* pack.c: see pack.h */
#include "pack.h"

#include "formats/base/cli.h"
#include "formats/base/hash.h"
#include "formats/split.h"
#include "formats/base/text.h"
#include "tools/pack/order/order.h"
#include "tools/pack/folder/parts.h"
#include "tools/pack/place/place.h"
#include "tools/separate/separate.h"
#include "tools/pack/order/shard_loops.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Records of a shard below which starting threads for it takes longer than the work. */
enum { PARALLEL_RECORDS = 1 << 16 };

struct job {
    const struct pack_options *options;
    const struct edge_source *source;
    struct memory_budget *budget;
    struct pack_report *report;
    struct split split; /* where one was given */
    struct separation separation;
    struct vertex_order order;
    struct shard_loops loops;
    struct placement placement;
    uint64_t gather_bytes; /* memory for the edges of a shard that come from other ranks */
    uint64_t transpose_bytes; /* for those that are passed on within a shard */
    struct parts parts;
};

/* ---- which vertices are delegates ---- */

static enum status mismatch(const struct job *j, const char *what, struct error *e)
{
    return fail(e, ST_BAD_DATA, "%s: was made from another edge stream than %s: %s differ%s",
                j->options->split_path, j->source->name, what,
                what[strlen(what) - 1] == 's' ? "" : "s");
}

static enum status check_split(const struct job *j, struct error *e)
{
    const struct edges_totals *a = &j->split.totals, *b = &j->separation.degrees.totals;
    if (j->split.direction != j->separation.degrees.info.direction)
        return mismatch(j, "the direction", e);
    if (a->n != b->n)
        return mismatch(j, "the numbers of vertices", e);
    if (a->edges != b->edges || a->loops != b->loops)
        return mismatch(j, "the numbers of edges", e);
    if (a->checksum != b->checksum || a->max_id != b->max_id)
        return mismatch(j, "the checksums", e);
    if (j->split.d != separation_delegates(&j->separation, j->split.th))
        return mismatch(j, "the delegates", e);
    return ST_OK;
}

/* Whether TH is known without counting classes. */
static int find_th(struct job *j)
{
    struct pack_report *r = j->report;
    if (j->options->split_path != NULL)
        r->th = j->split.th;
    else if (j->options->th_given)
        r->th = j->options->th;
    else
        return pack_folder_suggested_th(&j->parts.folder, r->totals.checksum, &r->th);
    return 1;
}

static enum status suggest(struct job *j, struct error *e)
{
    struct pack_report *r = j->report;
    if (separation_classes(&j->separation, j->source, j->budget, e) == ST_OK)
        r->th = suggest_th(&j->separation.edges, j->options->p, &r->both_bounds_met);
    r->suggested = 1;
    return e->status;
}

static enum status separate(struct job *j, struct error *e)
{
    struct separation_options options = {
        .threads = j->options->threads, .p = j->options->p, .spill = j->options->spill,
        .beside_edge = PACK_EDGE_BYTES,
        .beside_vertex = PACK_VERTEX_BYTES};
    if (separation_degrees(&j->separation, j->source, &options, j->budget, e) != ST_OK)
        return e->status;
    j->report->degree_seconds = j->separation.degree_seconds;
    j->report->totals = j->separation.degrees.totals;
    if (!find_th(j))
        suggest(j, e);
    else if (j->options->split_path != NULL)
        check_split(j, e);
    return comm_agree(j->source->comm, e);
}

/* The delegates' ids stay until they have been compared. */
static enum status read_split(struct job *j, struct error *e)
{
    if (j->options->split_path == NULL ||
        split_read(&j->split, j->options->split_path, j->budget, e) != ST_OK)
        return e->status;
    memory_release(j->budget, j->split.delegate_degrees);
    j->split.delegate_degrees = NULL;
    return ST_OK;
}

static enum status check_split_delegates(const struct job *j, struct error *e)
{
    for (uint64_t i = 0; j->options->split_path != NULL && i < j->split.d; i++) {
        if (j->split.delegate_ids[i] != order_delegate_id(&j->order, i))
            return mismatch(j, "the delegates", e);
    }
    return ST_OK;
}

static enum status number_vertices(struct job *j, struct error *e)
{
    double start = cli_seconds();
    struct separation *s = &j->separation;
    if (order_make(&j->order, &s->degrees.values, &s->ranks, j->options->p, j->report->th,
                   j->budget, e) == ST_OK &&
        check_split_delegates(j, e) == ST_OK) {
        split_free(&j->split);
        shard_loops_make(&j->loops, &j->separation.degrees.loops, &j->order, j->budget, e);
    }
    j->report->order_seconds += cli_seconds() - start;
    return comm_agree(j->source->comm, e);
}

/* ---- where edges go ---- */

/* The edges that a rank has at a time: its share of the stream, and a shard from all ranks. */
static uint64_t held_edges(const struct job *j)
{
    const struct degrees *d = &j->separation.degrees;
    if (j->source->comm->ranks == 1)
        return d->directed_edges;
    uint64_t own = (d->info.direction == EDGES_SYMMETRIC ? 1 : 2) * d->own_edges;
    return own + d->directed_edges / j->options->p;
}

/* The same on all ranks, because their buckets must be. */
static struct pack_size measure(const struct job *j)
{
    const struct vertex_order *o = &j->order;
    const struct comm *comm = j->source->comm;
    struct pack_size s = {.p = o->p,
                          .d = o->d,
                          .directed_edges = j->separation.degrees.directed_edges,
                          .held_edges = comm_max_of(comm, held_edges(j)),
                          .nn_column_bytes = o->nn_column_bytes,
                          .column_bits = placement_column_bits(o),
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

/* Placing and then building share the memory; among ranks, so do edges placed and edges gathered. */
static enum status divide_memory(struct job *j, struct pack_memory *memory, uint64_t *store_bytes,
                                 int *stow, struct error *e)
{
    const struct vertex_values *labels = &j->separation.degrees.values;
    const struct comm *comm = j->source->comm;
    struct pack_size size = measure(j);
    uint64_t left = comm_min_of(comm, memory_left(j->budget));
    if (comm->ranks > 1)
        left -= left < GATHER_BUFFER_BYTES ? left : GATHER_BUFFER_BYTES;
    /* what labels take can be given back before shards are built */
    *stow = labels->windows > 1 || (j->options->spill != NULL && !pack_memory_ample(&size, left));
    uint64_t building = left + (*stow ? labels->bytes : 0);
    if (pack_memory_divide(memory, &size, left, building, e) != ST_OK)
        return e->status;
    *store_bytes = memory->store_bytes;
    if (comm->ranks > 1)
        *store_bytes = memory->store_bytes / (size.p + comm->ranks) * size.p;
    j->gather_bytes = memory->store_bytes - *store_bytes;
    j->transpose_bytes = memory->transpose_bytes;
    return ST_OK;
}

static enum status place(struct job *j, struct error *e)
{
    double start = cli_seconds();
    const struct degrees *d = &j->separation.degrees;
    struct pack_memory memory;
    struct placing_options options = {.source = j->source,
                                      .totals = &d->totals,
                                      .own_edges = d->own_edges,
                                      .symmetric = d->info.direction == EDGES_SYMMETRIC,
                                      .threads = j->options->threads,
                                      .spill = j->options->spill};
    int stow = 0;
    if (j->parts.folder.finished_count > 0)
        options.finished = j->parts.folder.finished;
    if (divide_memory(j, &memory, &options.store_bytes, &stow, e) == ST_OK)
        placement_plan(&j->placement, &j->order, &memory, e);
    if (comm_agree(j->source->comm, e) == ST_OK &&
        place_edges(&j->placement, &options, j->budget, e) == ST_OK && stow)
        order_stow(&j->order, j->options->spill, e);
    j->report->bucket_seconds += cli_seconds() - start;
    return e->status;
}

/* ---- writing ---- */

/* The same for the same graph packed in the same way, whenever and wherever. */
static uint64_t pack_id(const struct job *j)
{
    const struct edges_totals *t = &j->report->totals;
    uint64_t id = hash_pair(t->checksum, t->n);
    id = hash_pair(id, j->options->p);
    id = hash_pair(id, j->report->th);
    for (int g = 0; g < SUBGRAPHS; g++)
        id = hash_pair(id, (uint64_t)(int64_t)j->options->heads[g]);
    id = hash_pair(id, j->options->encoding);
    return hash_pair(id, shard_kind.version);
}

static enum status start_manifest(struct job *j, struct error *e)
{
    const struct edges_info *info = &j->separation.degrees.info;
    struct manifest *m = &j->parts.manifest;
    m->direction = info->direction;
    m->totals = j->report->totals;
    m->p = j->options->p;
    m->th = j->report->th;
    m->d = j->report->d = separation_delegates(&j->separation, j->report->th);
    m->encoding = j->options->encoding;
    m->pack_id = pack_id(j);
    m->randomized = info->randomized;
    m->random_n = info->random_n;
    m->random_seed = info->random_seed;
    memcpy(m->provenance, info->provenance, sizeof m->provenance);
    return parts_start(&j->parts, e);
}

static int shard_threads(const struct job *j)
{
    uint64_t records = j->separation.degrees.directed_edges / j->options->p;
    return records < PARALLEL_RECORDS ? 1 : j->options->threads;
}

static enum status write_parts(struct job *j, struct error *e)
{
    double start = cli_seconds();
    struct packing packing = {.placement = &j->placement,
                              .loops = &j->loops,
                              .th = j->report->th,
                              .pack_id = j->parts.manifest.pack_id,
                              .encoding = j->options->encoding,
                              .threads = shard_threads(j),
                              .transpose_bytes = j->transpose_bytes};
    struct gathering gathering = {.own = &j->placement,
                                  .comm = j->source->comm,
                                  .shard_records =
                                      j->separation.degrees.directed_edges / j->options->p,
                                  .store_bytes = j->gather_bytes,
                                  .spill = j->options->spill};
    memcpy(packing.heads, j->options->heads, sizeof packing.heads);
    if (j->source->comm->rank == 0)
        pack_folder_claim(&j->parts.folder, e);
    parts_write(&j->parts, &packing, &gathering, e);
    j->report->build_seconds = cli_seconds() - start;
    j->report->sync_seconds = j->parts.sync_seconds;
    j->report->spilled_bytes = j->options->spill != NULL ? spill_bytes(j->options->spill) : 0;
    return e->status;
}

static enum status build_parts(struct job *j, struct error *e)
{
    if (number_vertices(j, e) == ST_OK)
        place(j, e);
    if (comm_agree(j->source->comm, e) == ST_OK)
        write_parts(j, e);
    return e->status;
}

static enum status prove_parts(struct job *j, struct error *e)
{
    double start = cli_seconds();
    parts_prove(&j->parts, e);
    j->report->taken_over = j->parts.folder.finished_count;
    j->report->prove_seconds = cli_seconds() - start;
    return e->status;
}

/* ---- everything ---- */

static struct journal start_journal(const struct pack_options *o, const struct edge_source *source,
                                    const struct split *split)
{
    struct journal journal = {.p = o->p, .encoding = o->encoding};
    snprintf(journal.input, sizeof journal.input, "%s", source->name);
    memcpy(journal.heads, o->heads, sizeof journal.heads);
    journal.th_suggested = o->split_path == NULL && !o->th_given;
    journal.th_known = !journal.th_suggested;
    journal.th = o->split_path != NULL ? split->th : o->th_given ? o->th : 0;
    return journal;
}

/* The first rank opens the folder for all. */
static enum status open_folder(struct job *j, struct error *e)
{
    const struct pack_options *o = j->options;
    struct pack_folder *folder = &j->parts.folder;
    struct journal journal = start_journal(o, j->source, &j->split);
    *folder = (struct pack_folder){.fd = -1};
    if (e->status == ST_OK && j->source->comm->rank == 0)
        pack_folder_open(folder, o->folder, o->mode, &journal, e);
    else if (e->status == ST_OK)
        pack_folder_join(folder, o->folder, o->mode, &journal, e);
    return pack_folder_share(folder, j->source->comm, e);
}

static enum status identify(struct job *j, struct error *e)
{
    const struct manifest *m = &j->parts.manifest;
    if (start_manifest(j, e) == ST_OK && j->source->comm->rank == 0)
        pack_folder_identify(&j->parts.folder, m->th, m->totals.checksum, m->pack_id, e);
    return comm_agree(j->source->comm, e);
}

static enum status pack_into(struct job *j, struct error *e)
{
    if (separate(j, e) != ST_OK || identify(j, e) != ST_OK)
        return e->status;
    if (j->options->mode == FOLDER_RESUME && prove_parts(j, e) != ST_OK)
        return e->status;
    if (!parts_complete(&j->parts) && build_parts(j, e) != ST_OK)
        return e->status;
    memcpy(j->report->edges, j->parts.manifest.edges, sizeof j->report->edges);
    return parts_finish(&j->parts, &j->report->complete, e);
}

static void free_job(struct job *j)
{
    placement_free(&j->placement);
    shard_loops_free(&j->loops, j->budget);
    order_free(&j->order, j->budget);
    separation_free(&j->separation, j->budget);
    split_free(&j->split);
}

enum status pack(const struct pack_options *options, const struct edge_source *source,
                 struct memory_budget *budget, struct pack_report *report, struct error *e)
{
    struct job j = {.options = options, .source = source, .budget = budget, .report = report};
    memset(report, 0, sizeof *report);
    j.parts.comm = source->comm;
    j.parts.budget = budget;
    j.parts.threads = options->threads;
    read_split(&j, e);
    if (open_folder(&j, e) == ST_OK)
        pack_into(&j, e);
    report->class_seconds = j.separation.class_seconds;
    report->finished_parts = j.parts.folder.finished_count;
    parts_end(&j.parts, e->status);
    free_job(&j);
    return e->status;
}
