/* edge_source.c: see edge_source.h */
#include "edge_source.h"

#include "formats/base/progress.h"
#include "formats/base/signals.h"
#include "tools/spill/unnamed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

/* A pipe may take the KEPT_SHARE-th part of the memory that is left. */
enum { COPY_BYTES = 1 << 20, KEPT_SHARE = 4 };

/* ---- a pipe ---- */

/* A pipe on its way to a file that can be read again. */
struct copy {
    struct edge_source *source;
    const char *folder; /* for a file on disk */
    uint64_t most_kept; /* bytes that may stay in memory */
    int file;
    unsigned char *buffer; /* [COPY_BYTES] */
};

/* A file in memory; -1 if the system has none, or none is allowed. */
static int file_in_memory(const struct copy *c)
{
    signals_ignore_writes(); /* the limit of file sizes holds here too */
    return c->most_kept > 0 ? memfd_create("edge stream", MFD_CLOEXEC) : -1;
}

static enum status append(const struct copy *c, size_t count, struct error *e)
{
    return unnamed_append(c->file, c->buffer, count, c->folder, "a temporary copy of the edge stream", e);
}

/* Goes on in a file on disk, where what is in memory is written first. */
static enum status move_to_disk(struct copy *c, struct error *e)
{
    struct edge_source *s = c->source;
    int memory = c->file;
    off_t at = 0;
    ssize_t moved = 1;
    c->file = unnamed_file(c->folder);
    if (c->file < 0)
        fail_errno(e, c->folder, "cannot create a temporary file");
    while (e->status == ST_OK && memory >= 0 && (uint64_t)at < s->kept_bytes && moved > 0) {
        moved = sendfile(c->file, memory, &at, COPY_BYTES);
        if (moved < 0 && errno != EINTR)
            fail_errno(e, c->folder, "cannot write a temporary copy of the edge stream");
        moved = moved < 0 ? 1 : moved;
    }
    if (memory >= 0)
        close(memory);
    s->spooled_bytes = s->kept_bytes;
    memory_discharge(s->budget, s->kept_bytes);
    s->kept_bytes = 0;
    return e->status;
}

/* Takes what was read to where it stays: in memory as long as that has room. */
static enum status keep_bytes(struct copy *c, size_t count, struct error *e)
{
    struct edge_source *s = c->source;
    int in_memory = s->spooled_bytes == 0 && c->file >= 0;
    if (in_memory && s->kept_bytes + count > c->most_kept) {
        in_memory = 0;
        if (move_to_disk(c, e) != ST_OK)
            return e->status;
    }
    if (append(c, count, e) != ST_OK)
        return e->status;
    if (in_memory) {
        s->kept_bytes += count;
        memory_charge_planned(s->budget, count);
    } else {
        s->spooled_bytes += count;
    }
    return ST_OK;
}

static enum status copy_pipe(struct copy *c, struct error *e)
{
    struct edge_source *s = c->source;
    while (e->status == ST_OK) {
        ssize_t got = read(s->fd, c->buffer, COPY_BYTES);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            fail_errno(e, s->name, "cannot read");
        if (got <= 0)
            break;
        keep_bytes(c, (size_t)got, e);
        progress_add((uint64_t)got);
    }
    return e->status;
}

/* Replaces the pipe s->fd by a file that holds what came out of it. */
static enum status keep_pipe(struct edge_source *s, const char *folder, struct error *e)
{
    struct copy c = {.source = s, .folder = folder, .most_kept = memory_left(s->budget) / KEPT_SHARE};
    c.buffer = malloc(COPY_BYTES);
    if (c.buffer == NULL)
        return fail_memory(e, s->name, COPY_BYTES);
    progress_stage("reading the pipe", 0, PROGRESS_BYTES);
    fcntl(s->fd, F_SETPIPE_SZ, COPY_BYTES); /* fewer turns; where it is refused, the pipe stays as it is */
    c.file = file_in_memory(&c);
    if (c.file >= 0 || move_to_disk(&c, e) == ST_OK)
        copy_pipe(&c, e);
    if (e->status == ST_OK && s->kept_bytes + s->spooled_bytes == 0)
        fail(e, ST_BAD_DATA, "%s: is empty: the program before the pipe wrote nothing", s->name);
    free(c.buffer);
    close(s->fd);
    s->fd = c.file;
    s->start = 0;
    return e->status;
}

/* ---- opening ---- */

static enum status open_path(struct edge_source *s, const char *path, const char *tmpdir,
                             struct error *e)
{
    struct stat st;
    int is_stdin = strcmp(path, "-") == 0;
    s->name = strdup(is_stdin ? "standard input" : path);
    s->fd = is_stdin ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) : open(path, O_RDONLY | O_CLOEXEC);
    if (s->name == NULL) {
        fail_memory(e, path, strlen(path));
    } else if (s->fd < 0 || fstat(s->fd, &st) != 0) {
        fail_errno(e, s->name, "cannot open");
    } else if (S_ISREG(st.st_mode)) {
        s->start = lseek(s->fd, 0, SEEK_CUR);
        posix_fadvise(s->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    } else if (S_ISDIR(st.st_mode)) {
        fail(e, ST_BAD_DATA, "%s: is a directory, not an edge stream", s->name);
    } else if (isatty(s->fd)) {
        fail(e, ST_USAGE, "%s: is a terminal, not an edge stream: give a file, or a pipe from edgeconv "
             "or rmatgen", s->name);
    } else {
        keep_pipe(s, tmpdir, e);
    }
    return e->status;
}

/* Launchers give standard input to one rank, and a pipe can be read once. */
static enum status refuse_unshared(const char *path, struct error *e)
{
    struct stat st;
    int is_stdin = strcmp(path, "-") == 0;
    if (!is_stdin && (stat(path, &st) != 0 || S_ISREG(st.st_mode)))
        return ST_OK;
    return fail(e, ST_USAGE, "%s: under mpiexec, give a file that all ranks can read",
                is_stdin ? "standard input" : path);
}

enum status edge_source_open(struct edge_source *s, const char *path, const char *tmpdir,
                             const struct comm *comm, struct memory_budget *budget,
                             struct error *e)
{
    memset(s, 0, sizeof *s);
    s->comm = comm;
    s->budget = budget;
    if (comm->ranks == 1 || refuse_unshared(path, e) == ST_OK)
        open_path(s, path, tmpdir, e);
    if (comm_agree(comm, e) != ST_OK)
        edge_source_close(s);
    return e->status;
}

void edge_source_close(struct edge_source *s)
{
    if (s->name != NULL && s->fd >= 0)
        close(s->fd);
    if (s->kept_bytes > 0)
        memory_discharge(s->budget, s->kept_bytes);
    free(s->name);
    sparse_ids_close(s->sparse, s->budget);
    free(s->sparse);
    memset(s, 0, sizeof *s);
}

void edge_source_forget(struct edge_source *s)
{
    if (s->kept_bytes == 0 || ftruncate(s->fd, 0) != 0)
        return;
    memory_discharge(s->budget, s->kept_bytes);
    s->kept_bytes = 0;
}

enum status edge_source_reader(const struct edge_source *s, struct edges_reader **reader,
                               struct error *e)
{
    *reader = NULL;
    int fd = fcntl(s->fd, F_DUPFD_CLOEXEC, 3);
    if (fd < 0)
        return fail_errno(e, s->name, "cannot open again");
    if (lseek(fd, s->start, SEEK_SET) < 0) {
        fail_errno(e, s->name, "cannot read again from its start");
        close(fd);
        return e->status;
    }
    return edges_reader_open_fd(reader, fd, s->name, e);
}

/* ---- dense ids ---- */

/* A visitor that is given dense ids instead. */
struct dense_visit {
    const struct edge_source *source;
    edges_visitor visit;
    void *context;
};

static enum status visit_dense(void *context, int thread, const struct edge *edges, size_t count,
                               struct error *e)
{
    const struct dense_visit *d = context;
    struct edge dense[EDGES_VISIT_PIECE];
    if (sparse_ids_translate(d->source->sparse, edges, count, dense))
        return edges_scan_changed(d->source->name, e);
    return d->visit(d->context, thread, dense, count, e);
}

/* Puts `dense` between a scan and its visitor, if ids are dense. */
static void make_visits_dense(const struct edge_source *s, struct edges_scan *scan,
                              struct dense_visit *dense)
{
    if (s->sparse == NULL || scan->visit == NULL)
        return;
    *dense = (struct dense_visit){s, scan->visit, scan->context};
    scan->visit = visit_dense;
    scan->context = dense;
}

static enum status list_ids(const struct edge_source *s, struct sparse_ids *ids, int threads,
                            struct error *e)
{
    struct edges_reader *reader = NULL;
    struct edges_totals totals;
    if (edge_source_reader(s, &reader, e) == ST_OK)
        edges_scan(reader, threads, sparse_ids_note, ids, &totals, e);
    edges_reader_close(reader);
    return e->status;
}

enum status edge_source_make_dense(struct edge_source *s, uint32_t p, int threads,
                                   struct memory_budget *budget, struct error *e)
{
    struct edges_totals totals;
    struct stat st;
    uint64_t room = 0;
    if (s->comm->ranks == 1 && edges_peek_totals(s->fd, &totals) && fstat(s->fd, &st) == 0)
        room = sparse_ids_room(&totals, (uint64_t)st.st_size, p, budget);
    if (room == 0)
        return ST_OK;
    struct sparse_ids *ids = calloc(1, sizeof *ids);
    if (ids == NULL)
        return fail_memory(e, "ids", sizeof *ids);
    if (sparse_ids_open(ids, room, budget, e) == ST_OK && list_ids(s, ids, threads, e) == ST_OK)
        sparse_ids_number(ids, p);
    s->sparse = ids;
    s->budget = budget;
    return e->status;
}

/* ---- passes ---- */

static enum status take_share(const struct edge_source *s, struct edges_reader *reader,
                              struct error *e)
{
    const struct comm *comm = s->comm;
    return comm->ranks == 1 ? ST_OK : edges_reader_slice(reader, comm->rank, comm->ranks, e);
}

/* The tallies of all ranks. */
static void sum_tallies(const struct comm *comm, struct edges_totals *tally)
{
    uint64_t sums[3] = {tally->edges, tally->loops, tally->checksum};
    comm_sum_u64(comm, sums, 3);
    tally->edges = sums[0];
    tally->loops = sums[1];
    tally->checksum = sums[2];
    tally->max_id = comm_max_of(comm, tally->max_id);
}

/* After a pass that has left the CRCs: where one says that a block is damaged, that is the failure. */
static void find_damage(const struct edge_source *s, int threads, struct error *e)
{
    struct edges_reader *reader = NULL;
    struct edges_totals totals;
    struct error cause = {0};
    if (edge_source_reader(s, &reader, &cause) == ST_OK)
        edges_scan(reader, threads, NULL, NULL, &totals, &cause);
    edges_reader_close(reader);
    if (cause.status == ST_BAD_DATA)
        *e = cause;
}

enum status edge_source_first_scan(const struct edge_source *s, struct edges_scan scan,
                                   struct edges_totals *totals, uint64_t *own_edges,
                                   struct error *e)
{
    struct edges_totals tally = {0};
    struct dense_visit dense;
    make_visits_dense(s, &scan, &dense);
    scan.crcs = s->comm->ranks == 1 ? EDGES_CRCS_LEFT : EDGES_CRCS_CHECKED;
    memset(totals, 0, sizeof *totals);
    if (e->status == ST_OK && take_share(s, scan.reader, e) == ST_OK)
        edges_scan_slice(&scan, &tally, e);
    if (comm_agree(s->comm, e) == ST_OK) {
        *own_edges = tally.edges;
        sum_tallies(s->comm, &tally);
        edges_reader_finish(scan.reader, &tally, totals, e);
    }
    if (e->status == ST_BAD_DATA && scan.crcs == EDGES_CRCS_LEFT)
        find_damage(s, scan.threads, e);
    return comm_agree(s->comm, e);
}

enum status edge_source_scan(const struct edge_source *s, const struct edges_totals *expected,
                             int threads, edges_visitor visit, void *context, struct error *e)
{
    struct edges_scan scan = {
        .threads = threads, .visit = visit, .context = context, .expected = expected};
    struct edges_totals tally = {0};
    struct dense_visit dense;
    make_visits_dense(s, &scan, &dense);
    if (e->status == ST_OK && edge_source_reader(s, &scan.reader, e) == ST_OK &&
        take_share(s, scan.reader, e) == ST_OK)
        edges_scan_slice(&scan, &tally, e);
    edges_reader_close(scan.reader);
    if (comm_agree(s->comm, e) != ST_OK)
        return e->status;
    comm_sum_u64(s->comm, &tally.edges, 1);
    return tally.edges == expected->edges ? ST_OK : edges_scan_changed(s->name, e);
}
