/* edge_source.c: see edge_source.h */
#include "edge_source.h"

#include "edge_union.h"

#include "formats/base/arith.h"
#include "formats/base/cli.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- opening ---- */

/* Refuses an input that several ranks cannot share: standard input, which launchers give to one rank, and a pipe, which can be
 * read only once. */
static enum status refuse_unshared(const char *path, struct error *e)
{
    struct stat st;
    int is_stdin = strcmp(path, "-") == 0;
    if (!is_stdin && (stat(path, &st) != 0 || S_ISREG(st.st_mode)))
        return ST_OK;
    return fail(e, ST_USAGE, "%s: under mpiexec, give a file that all ranks can read%s",
                is_stdin ? "standard input" : path,
                is_stdin ? "" : ", or one for each rank, with %r in the name");
}

/* Refuses the stream opened last if another one is the same file. */
static enum status refuse_twice(const struct edge_source *s, struct error *e)
{
    const struct edge_stream *last = &s->stream[s->count - 1];
    for (size_t i = 0; i + 1 < s->count; i++) {
        const struct edge_stream *before = &s->stream[i];
        if (before->inode != 0 && before->inode == last->inode && before->device == last->device)
            return fail(e, ST_USAGE, "%s: is given twice, before as %s", last->name, s->stream[i].name);
    }
    return ST_OK;
}

/* Appends to s->stream the streams that all ranks share, or those of this rank (`own`), and their facts to facts[]. */
static enum status open_streams(struct edge_source *s, const struct edge_inputs *in, int own,
                                const char *tmpdir, struct stream_facts *facts, struct error *e)
{
    for (size_t i = 0; i < in->count && e->status == ST_OK; i++) {
        struct edge_stream *stream = &s->stream[s->count];
        if (!in->own[i] != !own)
            continue;
        if (s->comm->ranks > 1 && !own && refuse_unshared(in->path[i], e) != ST_OK)
            return e->status;
        enum pipe_use use = in->count == 1 && s->comm->ranks == 1 ? in->pipe_use : PIPE_KEPT;
        if (edge_stream_open(stream, in->path[i], use, tmpdir, s->budget, &facts[s->count].info, e) !=
            ST_OK)
            return e->status;
        stream->own = own;
        struct stream_facts *f = &facts[s->count++];
        snprintf(f->name, sizeof f->name, "%s", stream->name);
        f->bytes = stream->bytes;
        f->totals = stream->totals;
        refuse_twice(s, e);
    }
    return e->status;
}

/* ---- one graph ---- */

/* Adds the shared streams to the union, after checking that all ranks mean the same stream by a name. */
static enum status add_shared(struct edge_union *u, const struct edge_source *s,
                              const struct stream_facts *facts, struct error *e)
{
    if (comm_min_of(s->comm, s->shared) != comm_max_of(s->comm, s->shared))
        return fail(e, ST_USAGE, "edge streams: the ranks are given different numbers of them");
    for (size_t i = 0; i < s->shared; i++) {
        struct edges_totals first = facts[i].totals;
        comm_broadcast(s->comm, &first, sizeof first, 0);
        if (memcmp(&first, &facts[i].totals, sizeof first) != 0)
            fail(e, ST_BAD_DATA, "%s: is another edge stream here than on rank 0 (%%r in a name: "
                 "each rank reads its own)", facts[i].name);
        if (e->status == ST_OK)
            edge_union_add(u, &facts[i], e);
    }
    return comm_agree(s->comm, e);
}

/* Adds the own streams of every rank to the union, on all ranks. */
static enum status add_own(struct edge_union *u, const struct edge_source *s,
                           const struct stream_facts *facts, struct error *e)
{
    if (comm_max_of(s->comm, s->count - s->shared) == 0)
        return ST_OK;
    for (uint32_t root = 0; root < s->comm->ranks; root++) {
        uint64_t count = s->count - s->shared;
        comm_broadcast(s->comm, &count, sizeof count, root);
        for (uint64_t i = 0; i < count; i++) {
            struct stream_facts f = {.bytes = 0};
            if (root == s->comm->rank)
                f = facts[s->shared + i];
            comm_broadcast(s->comm, &f, sizeof f, root);
            if (e->status == ST_OK)
                edge_union_add(u, &f, e);
        }
    }
    return comm_agree(s->comm, e);
}

/* Joins the facts about all streams of all ranks, and makes them the source's: those of one graph. */
static enum status unite(struct edge_source *s, const struct stream_facts *facts, enum base_choice base, struct error *e)
{
    struct edge_union u = {.base = base};
    if (add_shared(&u, s, facts, e) == ST_OK && add_own(&u, s, facts, e) == ST_OK) {
        edge_union_finish(&u);
        s->info = u.info;
        s->totals = u.totals;
        s->bytes = u.bytes;
        s->missing_edges = u.streams > 1 ? edge_union_missing(&u) : 0;
        uint64_t shared = 0, own = 0; /* edges of the streams that all ranks share, and of those of this rank */
        for (size_t i = 0; i < s->count; i++)
            *(i < s->shared ? &shared : &own) += s->stream[i].totals.edges;
        s->share_edges = shared / s->comm->ranks + own; /* about what this rank reads in a pass */
        s->open_ended = s->count == 1 && s->stream[0].live != NULL && s->totals.n == 0;
        s->largest_share = comm_max_of(s->comm, s->share_edges);
        s->names = u.names;
        u.names = NULL;
        char name[STREAM_NAME_BYTES + 40];
        snprintf(name, sizeof name, "%s", u.first);
        if (u.streams > 1)
            snprintf(name, sizeof name, "%s and %" PRIu64 " more", u.first, u.streams - 1);
        s->name = strdup(name);
        if (s->name == NULL)
            fail_memory(e, u.first, STREAM_NAME_BYTES);
    }
    edge_union_free(&u);
    return comm_agree(s->comm, e);
}

enum status edge_source_open(struct edge_source *s, const struct edge_inputs *inputs,
                             const char *tmpdir, const struct comm *comm,
                             struct memory_budget *budget, struct error *e)
{
    struct stream_facts *facts = calloc(inputs->count, sizeof *facts);
    memset(s, 0, sizeof *s);
    s->comm = comm;
    s->budget = budget;
    s->stream = calloc(inputs->count, sizeof *s->stream);
    if (facts == NULL || s->stream == NULL)
        fail_memory(e, "edge streams", inputs->count * sizeof *facts);
    open_streams(s, inputs, /* own */ 0, tmpdir, facts, e);
    s->shared = s->count;
    open_streams(s, inputs, /* own */ 1, tmpdir, facts, e);
    if (comm_agree(comm, e) == ST_OK)
        unite(s, facts, inputs->base, e);
    free(facts);
    if (e->status != ST_OK)
        edge_source_close(s);
    return e->status;
}

void edge_source_close(struct edge_source *s)
{
    for (size_t i = 0; i < s->count; i++)
        edge_stream_close(&s->stream[i]);
    free(s->stream);
    free(s->name);
    free(s->names);
    sparse_ids_close(s->sparse, s->budget);
    free(s->sparse);
    memset(s, 0, sizeof *s);
}

/* Frees the copies of pipes in memory, so that these cannot be read again. */
void edge_source_forget(struct edge_source *s)
{
    for (size_t i = 0; i < s->count; i++)
        edge_stream_forget(&s->stream[i]);
}

enum status edge_source_peek(struct edge_source *s, struct error *e)
{
    const struct edges_block *block = edges_reader_peek(edge_stream_live_reader(&s->stream[0]), e);
    struct edge edges[EDGES_VISIT_PIECE];
    uint64_t ids = 0;
    s->first_edges = block != NULL ? edges_block_count(block) : 0;
    for (size_t first = 0; first < s->first_edges; first += EDGES_VISIT_PIECE)
        ids |= edges_decode_ids(block, first, edges, smaller(s->first_edges - first, EDGES_VISIT_PIECE));
    s->likely_ids = UINT64_C(1) << bits_for(ids + 1);
    return e->status;
}

/* Reads a live pipe to its end; its trailer then gives the totals. */
enum status edge_source_keep(struct edge_source *s, const struct edges_taken *taken, struct error *e)
{
    if (s->count != 1 || s->stream[0].live == NULL || edge_stream_keep(&s->stream[0], taken, e) != ST_OK)
        return e->status;
    s->open_ended = s->stopped = 0;
    s->totals = s->stream[0].totals;
    s->bytes = s->stream[0].bytes;
    s->share_edges = s->largest_share = s->totals.edges;
    return ST_OK;
}

enum status edge_source_keep_while_read(struct edge_source *s, struct error *e)
{
    return s->count == 1 && s->stream[0].live != NULL ? edge_stream_keep_while_read(&s->stream[0], e) : e->status;
}

int edge_source_forgotten(const struct edge_source *s)
{
    int forgotten = 0;
    for (size_t i = 0; i < s->count; i++)
        forgotten |= s->stream[i].forgotten;
    return forgotten;
}

void edge_source_warn_missing(const struct edge_source *s, const struct cli *cli)
{
    if (s->missing_edges > 0)
        cli_warn(cli, "%s: %" PRIu64 " edges of the generated graph are in none of the streams", s->name, s->missing_edges);
}

uint64_t edge_source_spooled_bytes(const struct edge_source *s)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < s->count; i++)
        bytes += s->stream[i].spooled_bytes;
    return bytes;
}

/* ---- dense ids ---- */

/* A visitor that gets dense ids in place of those of the stream. */
struct dense_visit {
    const struct edge_source *source;
    edges_visitor visit;
    void *context;
};

/* Gives the visitor dense ids in place of those of the stream. */
static enum status visit_dense(void *context, int thread, const struct edge *edges, size_t count, struct error *e)
{
    const struct dense_visit *d = context;
    struct edge dense[EDGES_VISIT_PIECE];
    if (sparse_ids_translate(d->source->sparse, edges, count, dense))
        return edges_scan_changed(d->source->name, e);
    return d->visit(d->context, thread, dense, count, e);
}

/* Puts `dense` between a scan and its visitor, if ids are dense. */
static void make_visits_dense(const struct edge_source *s, struct edges_scan *scan, struct dense_visit *dense)
{
    if (s->sparse == NULL || scan->visit == NULL)
        return;
    *dense = (struct dense_visit){s, scan->visit, scan->context};
    scan->visit = visit_dense;
    scan->context = dense;
}

/* Lists and numbers the ids in a pass; s->sparse then changes what visitors get. */
enum status edge_source_make_dense(struct edge_source *s, uint32_t p, int threads,
                                   struct memory_budget *budget, struct error *e)
{
    uint64_t own_edges;
    uint64_t room = comm_min_of(s->comm, sparse_ids_room(&s->totals, s->bytes, p, budget));
    if (room == 0 || s->open_ended || edge_source_keep(s, NULL, e) != ST_OK)
        return e->status;
    struct sparse_ids *ids = calloc(1, sizeof *ids);
    if (ids == NULL)
        fail_memory(e, "ids", sizeof *ids);
    else
        sparse_ids_open(ids, room, budget, e);
    if (edge_source_first_scan(s, threads, sparse_ids_note, ids, &own_edges, e) == ST_OK)
        sparse_ids_number(ids, p, s->comm, e);
    s->sparse = ids;
    s->budget = budget;
    return e->status;
}

/* ---- passes ---- */

/* Nonzero if no other rank reads this stream. */
static int alone(const struct edge_source *s, const struct edge_stream *stream)
{
    return stream->own || s->comm->ranks == 1;
}

/* Opens a reader of this rank's share of stream i. R ranks share a stream by turns: each takes every R-th block, and the first
 * block of stream i goes to a rank that depends on i. */
enum status edge_source_open_share(const struct edge_source *s, size_t i, struct edges_reader **reader, struct error *e)
{
    const struct comm *comm = s->comm;
    if (edge_stream_open_reader(&s->stream[i], reader, e) == ST_OK && !alone(s, &s->stream[i]))
        edges_reader_slice(*reader, (uint32_t)((comm->rank + i) % comm->ranks), comm->ranks, e);
    return e->status;
}

/* Makes a pass over this rank's share of stream i; scan.reader and scan.trailer are set here. */
static enum status scan_stream(const struct edge_source *s, size_t i, struct edges_scan scan,
                               struct edges_totals *tally, struct error *e)
{
    scan.trailer = &s->stream[i].totals;
    if (edge_source_open_share(s, i, &scan.reader, e) == ST_OK)
        edges_scan_slice(&scan, tally, e);
    edges_reader_close(scan.reader);
    return e->status;
}

/* Finds out whether a damaged block made a pass fail that had not compared CRCs. If so, *e becomes the damage. */
static void find_damage(const struct edge_stream *stream, int threads, struct error *e)
{
    struct edges_reader *reader = NULL;
    struct edges_totals totals;
    struct error cause = {0};
    if (edge_stream_open_reader(stream, &reader, &cause) == ST_OK)
        edges_scan(reader, threads, NULL, NULL, &totals, &cause);
    edges_reader_close(reader);
    if (cause.status == ST_BAD_DATA)
        *e = cause;
}

/* Makes the only pass over a live pipe, whose trailer then gives the totals, unless a visitor has stopped it. */
static enum status scan_live(struct edge_source *s, struct edges_scan scan, struct edges_totals *tally, struct error *e)
{
    struct edge_stream *stream = &s->stream[0];
    struct edges_totals totals;
    scan.reader = edge_stream_live_reader(stream);
    scan.most_ids = stream->totals.n;
    scan.stop = &s->stopped;
    if (edges_scan_slice(&scan, tally, e) != ST_OK)
        return e->status;
    if (s->open_ended && edges_reader_ended(scan.reader, &totals) && sparse_ids_room(&totals, s->bytes, s->dense_p, s->budget) > 0)
        s->stopped = 1;
    if (s->stopped || edge_stream_finish_live(stream, tally, e) != ST_OK)
        return e->status;
    s->totals = stream->totals;
    s->bytes = stream->bytes;
    s->share_edges = s->largest_share = s->totals.edges;
    s->open_ended = 0;
    return e->status;
}

/* Makes the first pass over stream i or this rank's share of it. A stream that no other rank reads is also proven here. */
static enum status prove_stream(struct edge_source *s, size_t i, struct edges_scan scan,
                                struct edges_totals *tally, struct error *e)
{
    const struct edge_stream *stream = &s->stream[i];
    if (stream->live != NULL)
        return scan_live(s, scan, tally, e);
    scan.crcs = alone(s, stream) ? EDGES_CRCS_LEFT : EDGES_CRCS_CHECKED;
    if (scan_stream(s, i, scan, tally, e) == ST_OK && alone(s, stream))
        edges_compare_tally(stream->name, &stream->totals, tally, e);
    if (e->status == ST_BAD_DATA && alone(s, stream))
        find_damage(stream, scan.threads, e);
    return e->status;
}

/* Compares the tally of each shared stream, summed over all ranks, with its trailer. */
static enum status prove_shared(const struct edge_source *s, struct edges_totals *tally, struct error *e)
{
    for (size_t i = 0; i < s->shared && s->comm->ranks > 1; i++) {
        uint64_t sums[3] = {tally[i].edges, tally[i].loops, tally[i].checksum};
        comm_sum_u64(s->comm, sums, 3);
        tally[i] = (struct edges_totals){.edges = sums[0], .loops = sums[1], .checksum = sums[2],
                                         .max_id = comm_max_of(s->comm, tally[i].max_id), .n = tally[i].n};
        edges_compare_tally(s->stream[i].name, &s->stream[i].totals, &tally[i], e);
    }
    return e->status;
}

/* Makes the first pass, which proves the own streams one by one, and the shared ones by the sum of all ranks. */
enum status edge_source_first_scan(struct edge_source *s, int threads, edges_visitor visit,
                                   void *context, uint64_t *own_edges, struct error *e)
{
    struct edges_scan scan = {.threads = threads, .visit = visit, .context = context};
    struct edges_totals *tally = calloc(s->count + 1, sizeof *tally);
    struct dense_visit dense;
    make_visits_dense(s, &scan, &dense);
    *own_edges = 0;
    if (tally == NULL)
        fail_memory(e, s->name, s->count * sizeof *tally);
    for (size_t i = 0; i < s->count && e->status == ST_OK; i++) {
        prove_stream(s, i, scan, &tally[i], e);
        *own_edges += tally[i].edges;
    }
    if (comm_agree(s->comm, e) == ST_OK)
        prove_shared(s, tally, e);
    free(tally);
    return comm_agree(s->comm, e);
}

/* Makes a further pass, and compares only the number of edges, of all ranks. */
enum status edge_source_scan(const struct edge_source *s, int threads, edges_visitor visit,
                             void *context, struct error *e)
{
    struct edges_scan scan = {.threads = threads, .visit = visit, .context = context, .proven = 1};
    struct dense_visit dense;
    uint64_t edges = 0;
    make_visits_dense(s, &scan, &dense);
    for (size_t i = 0; i < s->count && e->status == ST_OK; i++) {
        struct edges_totals tally = {.edges = 0};
        scan_stream(s, i, scan, &tally, e);
        edges += tally.edges;
    }
    if (comm_agree(s->comm, e) != ST_OK)
        return e->status;
    comm_sum_u64(s->comm, &edges, 1);
    return edges == s->totals.edges ? ST_OK : edges_scan_changed(s->name, e);
}
