/* contract.c: see contract.h */
#include "contract.h"

#include "formats/base/arith.h"
#include "formats/base/progress.h"
#include "formats/mpi/watch.h"
#include "tools/spill/spill_stream.h"
#include "tools/stream/input_ids.h"

#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    AHEAD = 32,          /* edges between fetching the slots of an edge into the cache and joining its ends */
    LEFT_EDGES = 1024,   /* that a thread collects before it takes the lock */
    READ_EDGES = 8192,   /* that a thread takes from a file at a time */
    SEND_SLOTS = 1 << 16 /* of a message between ranks */
};

/* The edges that one thread leaves to windows below, in cache lines of its own. */
struct left_edges {
    _Alignas(64) size_t count;
    struct edge edge[LEFT_EDGES];
};

struct contract {
    struct forest *forest;
    struct edge_source *source;
    struct workspace *space;
    struct contraction *done;
    struct input_ids ids;
    struct slots slots;          /* of the window in memory */
    struct left_edges *thread;   /* [threads] */
    pthread_mutex_t lock;        /* of all that follows */
    struct spill_chunks *chunks; /* NULL: there is one window */
    struct spill_stream file[VALUES_MOST_WINDOWS]; /* edges of each window */
    uint64_t count[VALUES_MOST_WINDOWS];           /* edges in them */
    struct spill_cursor cursor;  /* in the file that is read */
    uint64_t unread;             /* edges behind it */
};

uint64_t contract_bytes(const struct workspace *space, const struct comm *comm)
{
    uint64_t threads = (uint64_t)space->threads * (sizeof(struct left_edges) + READ_EDGES * sizeof(struct edge));
    uint64_t message = comm->ranks > 1 ? SEND_SLOTS * sizeof(uint64_t) : 0;
    return threads + message + (VALUES_MOST_WINDOWS + 2) * space->chunk_bytes;
}

/* ---- edges that are left ---- */

/* Bytes of an id in a temporary file. */
static size_t id_bytes(const struct contract *c)
{
    return c->forest->slot_bytes;
}

/* Appends the edges that a thread has collected to the files of their windows. */
static enum status save_left(struct contract *c, struct left_edges *left, struct error *e)
{
    pthread_mutex_lock(&c->lock);
    for (size_t i = 0; i < left->count && e->status == ST_OK; i++) {
        const struct edge edge = left->edge[i];
        uint32_t w = forest_window_of(c->forest, larger(edge.u, edge.v)), narrow[2] = {(uint32_t)edge.u, (uint32_t)edge.v};
        spill_stream_append(&c->file[w], id_bytes(c) == 4 ? (const void *)narrow : &edge, 2 * id_bytes(c), e);
        c->count[w]++;
    }
    c->done->left_edges += left->count;
    pthread_mutex_unlock(&c->lock);
    left->count = 0;
    return e->status;
}

/* Joins the ends of `count` edges, and collects what is left to windows below. */
static inline enum status unite_edges(struct contract *c, unsigned bytes, struct left_edges *left, const struct edge *edges,
                                      size_t count, struct error *e)
{
    const struct slots s = c->slots;
    for (size_t i = 0; i < count && e->status == ST_OK; i++) {
        if (i + AHEAD < count) {
            uint64_t u = edges[i + AHEAD].u - s.first, v = edges[i + AHEAD].v - s.first;
            __builtin_prefetch((const char *)s.at + (u < s.count ? u : 0) * bytes);
            __builtin_prefetch((const char *)s.at + (v < s.count ? v : 0) * bytes);
        }
        if (forest_unite(&s, bytes, edges[i].u, edges[i].v, &left->edge[left->count]) && ++left->count == LEFT_EDGES)
            save_left(c, left, e);
    }
    return e->status;
}

/* The same, with the width of slots as a constant. */
static enum status unite_piece(struct contract *c, int thread, const struct edge *edges, size_t count, struct error *e)
{
    struct left_edges *left = &c->thread[thread];
    return c->slots.bytes == 4 ? unite_edges(c, 4, left, edges, count, e) : unite_edges(c, 8, left, edges, count, e);
}

/* Joins the ends of edges of the stream, by their ids in the input; an edges_visitor. */
static enum status visit_edges(void *context, int thread, const struct edge *edges, size_t count, struct error *e)
{
    struct contract *c = context;
    struct edge restored[EDGES_VISIT_PIECE];
    return unite_piece(c, thread, input_ids_restore(&c->ids, edges, count, restored), count, e);
}

/* ---- a window ---- */

/* Takes the next edges of the file that is read. Returns their number; 0 at the end, or after a failure. */
static size_t take_edges(struct contract *c, struct edge *edges, struct error *e)
{
    size_t bytes = 2 * id_bytes(c);
    pthread_mutex_lock(&c->lock);
    size_t count = e->status == ST_OK ? smaller(c->unread, READ_EDGES) : 0;
    if (count > 0 && spill_cursor_read(&c->cursor, edges, count * bytes, e) != ST_OK)
        count = 0;
    c->unread -= count;
    pthread_mutex_unlock(&c->lock);
    for (size_t i = count; bytes == 8 && i > 0; i--) {
        uint32_t narrow[2];
        memcpy(narrow, (const char *)edges + (i - 1) * 8, 8);
        edges[i - 1] = (struct edge){narrow[0], narrow[1]};
    }
    return count;
}

/* The work of a thread: takes edges until none is left, and joins their ends. */
static void unite_file_edges(struct contract *c, int thread, struct error *e)
{
    size_t count;
    struct edge *edges = zeroed(READ_EDGES, sizeof *edges, "edges", e);
    while (e->status == ST_OK && (count = take_edges(c, edges, e)) > 0) {
        unite_piece(c, thread, edges, count, e);
        progress_add(count);
    }
    free(edges);
}

/* Joins the ends of all edges in the file of window w. */
static enum status unite_file(struct contract *c, uint32_t w, struct error *e)
{
    if (e->status != ST_OK || spill_stream_seal(&c->file[w], e) != ST_OK)
        return e->status;
    spill_cursor_init(&c->cursor, &c->file[w], /* drop */ 1);
    c->unread = c->count[w];
#pragma omp parallel num_threads(c->space->threads)
    {
        struct error own = {0};
        unite_file_edges(c, omp_get_thread_num(), &own);
        fail_thread(e, &own);
    }
    spill_cursor_close(&c->cursor);
    return e->status;
}

/* Joins the trees of another rank with those of this one, a message at a time. */
static enum status unite_slots(struct contract *c, const struct slots *theirs, struct error *e)
{
#pragma omp parallel num_threads(c->space->threads)
    {
        struct error own = {0};
#pragma omp for schedule(static)
        for (uint64_t i = 0; i < theirs->count; i++) {
            struct edge edge = {theirs->first + i, slot_get(theirs, theirs->bytes, i)};
            if (edge.u != edge.v)
                unite_piece(c, omp_get_thread_num(), &edge, 1, &own);
        }
        fail_thread(e, &own);
    }
    return e->status;
}

/* Sends the window to rank `to`, or receives that of rank `from` and joins it with this one; COMM_NONE: neither. A rank that
 * fails goes on to exchange messages, because the other one waits for them. */
static void exchange_window(struct contract *c, uint32_t to, uint32_t from, void *buffer, struct error *e)
{
    const struct slots own = c->slots;
    for (uint64_t first = 0; first < own.count && (to != COMM_NONE || from != COMM_NONE); first += SEND_SLOTS) {
        uint64_t count = smaller(SEND_SLOTS, own.count - first), bytes = count * own.bytes;
        comm_swap(c->source->comm, to, (char *)own.at + first * own.bytes, to != COMM_NONE ? bytes : 0, from, buffer, bytes);
        const struct slots theirs = {buffer, own.bytes, own.first + first, count};
        if (from != COMM_NONE && e->status == ST_OK)
            unite_slots(c, &theirs, e);
    }
}

/* Joins the windows of all ranks into that of rank 0: in each round half of the ranks that are left give theirs away. */
static enum status unite_ranks(struct contract *c, struct error *e)
{
    const struct comm *comm = c->source->comm;
    void *buffer = NULL;
    if (comm->ranks == 1)
        return e->status;
    if (e->status == ST_OK)
        memory_take(&c->space->budget, &buffer, SEND_SLOTS, c->slots.bytes, "slots of another rank", e);
    if (comm_agree(comm, e) == ST_OK) {
        for (uint32_t step = 1; step < comm->ranks; step *= 2) {
            uint32_t to = comm->rank % (2 * step) == step ? comm->rank - step : COMM_NONE;
            uint32_t from = comm->rank % (2 * step) == 0 && comm->rank + step < comm->ranks ? comm->rank + step : COMM_NONE;
            exchange_window(c, to, from, buffer, e);
        }
    }
    memory_release(&c->space->budget, buffer);
    return comm_agree(comm, e);
}

/* Does all for window w, of which the last one takes the edges from the streams. */
static enum status contract_window(struct contract *c, uint32_t w, struct error *e)
{
    uint64_t own_edges;
    c->slots = forest_begin_window(c->forest, w);
    if (w + 1 == forest_windows(c->forest)) {
        progress_stage("joining the ends of edges", c->source->share_edges, PROGRESS_ITEMS);
        edge_source_first_scan(c->source, c->space->threads, visit_edges, c, &own_edges, e);
    } else {
        progress_stage("joining what is left", c->count[w], PROGRESS_ITEMS);
        unite_file(c, w, e);
    }
    watch_phase("joining the forests of all ranks");
    unite_ranks(c, e);
    forest_flatten(&c->slots, c->space->threads);
    for (int t = 0; c->chunks != NULL && t < c->space->threads && e->status == ST_OK; t++)
        save_left(c, &c->thread[t], e);
    forest_keep(c->forest, w, e);
    return comm_agree(c->source->comm, e);
}

/* ---- all windows ---- */

/* Takes the memory of all threads, and opens the temporary files if there are several windows. */
static enum status open_contract(struct contract *c, struct error *e)
{
    size_t bytes = (size_t)c->space->threads * sizeof *c->thread;
    pthread_mutex_init(&c->lock, NULL);
    const struct edges_info *info = &c->source->info;
    input_ids_init(&c->ids, info->randomized, info->random_n, info->random_seed);
    c->thread = aligned_alloc(_Alignof(struct left_edges), bytes);
    if (c->thread == NULL)
        return fail_memory(e, "edges of threads", bytes);
    memset(c->thread, 0, bytes);
    if (forest_windows(c->forest) == 1 || spill_chunks_open(&c->chunks, c->space, e) != ST_OK)
        return e->status;
    for (uint32_t w = 0; w < forest_windows(c->forest); w++)
        spill_stream_init(&c->file[w], c->chunks);
    return ST_OK;
}

static void close_contract(struct contract *c)
{
    if (c->chunks != NULL) {
        c->done->spilled_bytes = spill_chunks_bytes(c->chunks);
        for (uint32_t w = 0; w < forest_windows(c->forest); w++)
            spill_stream_release(&c->file[w]);
    }
    spill_chunks_close(c->chunks);
    free(c->thread);
    pthread_mutex_destroy(&c->lock);
}

enum status contract_edges(struct forest *forest, struct edge_source *source, struct workspace *space, struct contraction *done,
                           struct error *e)
{
    struct contract *c = zeroed(1, sizeof *c, "windows of edges", e);
    *done = (struct contraction){0};
    if (c != NULL) {
        *c = (struct contract){.forest = forest, .source = source, .space = space, .done = done};
        open_contract(c, e);
    }
    if (comm_agree(source->comm, e) == ST_OK) {
        for (uint32_t w = forest_windows(forest); w > 0 && e->status == ST_OK; w--)
            contract_window(c, w - 1, e);
    }
    if (c != NULL)
        close_contract(c);
    free(c);
    return e->status;
}
