/* batch_files.c: writes the files of --depths and --parents; see batch_files.h */
#include "batch_files.h"

#include "traverse/engine/answer_ids.h"
#include "traverse/results/outputs.h"
#include "traverse/results/results.h"

#include "formats/base/arith.h"
#include "formats/base/outfile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- opening ---- */

int batch_files_want_matrix(const struct args *args)
{
    return args->depths != NULL && strstr(args->depths, "%d") == NULL && result_format_of(RESULT_BY_SUFFIX, args->depths) == RESULT_NPY &&
           (args->count > 1 || args->all_roots);
}

/* Returns whether several roots have their lines in the file with this name, which may be NULL. */
static int is_table_of_roots(const struct batch_files *f, const char *name)
{
    return f->searcher->roots.count > 1 && args_is_table(f->args, name) && strstr(name, "%d") == NULL;
}

/* Opens the tables of several roots on rank 0. */
static enum status open_tables(struct batch_files *f, struct error *e)
{
    const struct searcher *s = f->searcher;
    const int both = args_in_one_table(f->args);
    const struct batch_table table = {.fields = 3, .has_vertices = {1, 1, 0, 1}, .map = s->map, .base = s->graph.base, .comm = &s->comm};
    f->depths = f->parents = table;
    f->depths.columns = both ? "root,id,distance,parent" : "root,id,distance";
    f->depths.fields += both;
    f->parents.columns = "root,id,parent";
    f->parents.has_vertices[2] = 1;
    if (is_table_of_roots(f, f->args->depths))
        f->depths.name = f->args->depths;
    if (is_table_of_roots(f, f->args->parents) && !both)
        f->parents.name = f->args->parents;
    if (s->comm.rank == 0 && f->depths.name != NULL && e->status == ST_OK)
        batch_table_open(&f->depths, e);
    if (s->comm.rank == 0 && f->parents.name != NULL && e->status == ST_OK)
        batch_table_open(&f->parents, e);
    return e->status;
}

/* Allocates f->values and f->parent_ids. Of ranks that divide the graph, rank r has the ids from r * f->ids on for a table, and rank 0 all
 * ids for other files. */
static enum status take_values(struct batch_files *f, struct error *e)
{
    const struct args *args = f->args;
    const uint64_t n = f->searcher->graph.manifest.totals.n;
    const int one_table = args_in_one_table(args), divides = f->sharing->ranks > 1 && f->depths.name != NULL;
    f->ids = n;
    if (divides) {
        const uint64_t share = divide_up(n, f->sharing->ranks);
        f->first = smaller(n, f->sharing->rank * share);
        f->ids = smaller(n - f->first, share);
    }
    if ((args->depths != NULL || args->parents != NULL) && (divides || f->sharing->rank == 0))
        memory_take(f->budget, &f->values, f->ids, one_table || divides ? 4 : 8, "results by id", e);
    f->parent_ids = f->values;
    if (one_table && e->status == ST_OK)
        memory_take(f->budget, &f->parent_ids, n, answer_id_bytes(n), "parents by id", e);
    return e->status;
}

/* Collective. Opens the matrix on all ranks, because each rank will write the rows of its own roots; if ranks divide the graph, only on
 * rank 0. Rank 0 writes the header, and leaves space for all rows. */
static enum status open_matrix(struct batch_files *f, struct error *e)
{
    const char *name = f->args->depths;
    const struct comm *comm = &f->searcher->comm;
    const uint64_t n = f->searcher->graph.manifest.totals.n, roots = f->searcher->roots.count;
    if (comm->rank == 0 && outfile_open(&f->matrix, name, e) == ST_OK) {
        char header[NPY_HEADER_BYTES];
        npy_header(header, f->args->depths_width, roots, n);
        if (!outfile_seekable(f->matrix))
            fail(e, ST_USAGE, "%s: a matrix needs a regular file", name);
        else if (outfile_write(f->matrix, header, sizeof header, e) == ST_OK)
            outfile_skip(f->matrix, roots * n * f->args->depths_width, &f->matrix_at, e);
    }
    if (comm_agree(comm, e) != ST_OK || comm->ranks == 1 || f->sharing->ranks > 1)
        return e->status;
    comm_broadcast(comm, &f->matrix_at, sizeof f->matrix_at, 0);
    if (!outputs_join(&f->matrix, comm, 1, name))
        return fail(e, ST_RUNTIME, "%s: cannot be written by several ranks", name);
    return ST_OK;
}

enum status batch_files_open(struct batch_files *f, struct error *e)
{
    if (open_tables(f, e) == ST_OK)
        take_values(f, e);
    if (comm_agree(&f->searcher->comm, e) == ST_OK && batch_files_want_matrix(f->args))
        open_matrix(f, e);
    return e->status;
}

/* ---- distances ---- */

/* Counts the distances by_id[n] that are larger than what --depths-width holds, for the warning at the end. */
static void count_deeper(struct batch_files *f, const int32_t *by_id, uint64_t n)
{
    const int64_t deepest = deepest_of_width(f->args->depths_width);
    uint64_t deeper = 0;
    if (f->args->depths_width == 4 || args_is_table(f->args, f->args->depths))
        return;
    for (uint64_t i = 0; i < n; i++)
        deeper += by_id[i] > deepest;
    f->deeper += deeper;
}

/* A vertex and its distance, as a rank sends them. */
struct sent_depth {
    uint64_t id;
    int64_t depth;
};

/* Collective over the ranks that divide the graph. Adds to by_id[n] of rank 0 the distances that the other ranks have noted. Each of
 * them in turn sends those of the vertices that were reached; a message that is not full is its last one. If a rank fails, all do. */
static enum status gather_depths(const struct batch_files *f, const int32_t *depth, int32_t *by_id, struct error *e)
{
    enum { SENT = 1 << 16 };
    const struct comm *comm = f->sharing;
    struct sent_depth *sent = zeroed(SENT, sizeof *sent, "distances of other ranks", e);
    uint64_t count = SENT, v = 0;
    if (comm_agree(comm, e) == ST_OK && comm->rank > 0) {
        while (count == SENT) {
            for (count = 0; count < SENT && v < f->noted->vertices; v++) {
                if (depth[v] >= 0)
                    sent[count++] = (struct sent_depth){f->noted->ids[v], depth[v]};
            }
            comm_swap(comm, 0, sent, count * sizeof *sent, COMM_NONE, NULL, 0);
        }
    }
    for (uint32_t rank = 1; e->status == ST_OK && comm->rank == 0 && rank < comm->ranks; rank += count < SENT) {
        count = comm_swap(comm, COMM_NONE, NULL, 0, rank, sent, SENT * sizeof *sent) / sizeof *sent;
        for (uint64_t i = 0; i < count; i++)
            by_id[sent[i].id] = (int32_t)sent[i].depth;
    }
    free(sent);
    return e->status;
}

/* Fills f->values with the distances from root number `number` of the last batch, number `row` of all roots, by input id. Vertices without
 * edges are unreached, except the root. Collective over the ranks that divide the graph, of which rank 0 gets all distances; if a rank
 * fails, all do. */
static enum status find_depths(const struct batch_files *f, uint32_t number, uint64_t row, struct error *e)
{
    const int32_t *depth = batch_depths_of(f->found, number);
    const struct graph *graph = &f->searcher->graph;
    int32_t *by_id = f->values;
    if (f->sharing->rank == 0) {
        memset(by_id, 0xff, graph->manifest.totals.n * sizeof *by_id); /* all values become DEPTH_UNREACHED */
        by_id[f->searcher->roots.ids[row]] = 0;
#pragma omp parallel for schedule(static)
        for (uint64_t v = 0; v < f->noted->vertices; v++)
            by_id[f->noted->ids[v]] = depth[v];
    }
    return f->sharing->ranks > 1 ? gather_depths(f, depth, by_id, e) : ST_OK;
}

/* Writes the distances of f->values, from root number `row` of all roots, as row `row` of the matrix or to a file. Overwrites f->values. */
static enum status write_depths(struct batch_files *f, uint64_t row, struct error *e)
{
    const struct rank writer = {.comm = &comm_alone, .graph = &f->searcher->graph, .budget = f->budget};
    const struct result_file file = {.name = f->args->depths, .kind = ANSWER_DEPTHS, .map = f->searcher->map, .values = f->values,
                                     .depth_bytes = f->args->depths_width};
    const uint32_t width = f->args->depths_width;
    const uint64_t n = f->searcher->graph.manifest.totals.n;
    count_deeper(f, f->values, n);
    if (f->matrix == NULL)
        return results_write_values(&writer, &f->searcher->roots.root[row], &file, e);
    if (width < 4)
        narrow_depths(f->values, f->values, n, width);
    return outfile_fill(f->matrix, f->matrix_at + row * n * width, f->values, n * width, e);
}

/* Collective over the ranks that divide the graph. Gives each rank the distances of its range of ids from root number `number` of the last
 * batch, number `row` of all roots, in f->values. If a rank fails, all do. */
static enum status share_depths(const struct batch_files *f, uint32_t number, uint64_t row, struct error *e)
{
    static const char what[] = "distances of other ranks";
    const struct comm *comm = f->sharing;
    const int32_t *depth = batch_depths_of(f->found, number);
    const uint64_t *ids = f->noted->ids, vertices = f->noted->vertices, root = f->searcher->roots.ids[row];
    const uint64_t share = divide_up(f->searcher->graph.manifest.totals.n, comm->ranks);
    uint64_t *counts = zeroed(3 * (uint64_t)comm->ranks + 1, sizeof *counts, what, e);
    struct sent_depth *own = NULL, *got = NULL;
    uint64_t reached = 0;
    for (uint64_t v = 0; counts != NULL && v < vertices; v++)
        counts[ids[v] / share] += depth[v] >= 0;
    uint64_t *next = counts + comm->ranks, *begin = next + comm->ranks;
    for (uint32_t r = 0; counts != NULL && r < comm->ranks; r++) {
        next[r] = reached;
        reached += counts[r];
    }
    if (counts != NULL)
        memory_take(f->budget, (void **)&own, reached, sizeof *own, what, e);
    for (uint64_t v = 0; e->status == ST_OK && v < vertices; v++) {
        if (depth[v] >= 0)
            own[next[ids[v] / share]++] = (struct sent_depth){ids[v], depth[v]};
    }
    if (comm_deal(comm, own, counts, sizeof *own, f->budget, (void **)&got, begin, what, e) == ST_OK) {
        int32_t *by_id = f->values;
        memset(by_id, 0xff, f->ids * sizeof *by_id); /* all values become DEPTH_UNREACHED */
        if (root - f->first < f->ids)
            by_id[root - f->first] = 0;
        for (uint64_t i = 0; i < begin[comm->ranks]; i++)
            by_id[got[i].id - f->first] = (int32_t)got[i].depth;
    }
    memory_release(f->budget, own);
    memory_release(f->budget, got);
    free(counts);
    return e->status;
}

/* ---- parents ---- */

/* Returns the parent of the reached vertex v. The parent is the first neighbour that is one level nearer to the root. If
 * v is the root, returns v. Returns JOINED_NOWHERE if no neighbour is one level nearer: the edge over which the search has
 * found v is missing in the rows of v. `depth` is [vertices], the distances by vertex of the joined graph. */
static uint64_t parent_of(const struct joined_graph *graph, const int32_t *depth, uint64_t v)
{
    const struct joined_rows *rows = graph->pull;
    uint64_t at = rows->offsets[v], end = rows->offsets[v + 1];
    if (depth[v] == 0)
        return v;
    while (at < end && depth[rows->columns[at]] != depth[v] - 1)
        at++;
    return at < end ? rows->columns[at] : JOINED_NOWHERE;
}

/* Fails with ST_BAD_DATA, as the rows of vertex v do not have the edge over which the search has found v. The message names
 * the file that has these rows. */
static enum status fail_orphan(const struct batch_files *f, uint64_t v, struct error *e)
{
    const struct graph *graph = &f->searcher->graph;
    const uint64_t id = f->all->ids[v];
    const uint32_t shard = shard_of_vertex(stored_id(graph, id), graph->manifest.p);
    return fail(e, ST_BAD_DATA, "%s: vertex %" PRIu64 " was found over an edge that it does not have: the parts contradict "
                "each other, see `dbfs-pack --verify`", container_path(graph->shards[shard].file), shown_id(graph, id));
}

/* Fills f->parent_ids with the parents of the search from root number `number` of the last batch, number `row` of all roots, by input id,
 * from the distances of the search. Fails with ST_BAD_DATA if a reached vertex has no parent. */
static enum status find_parents(const struct batch_files *f, uint32_t number, uint64_t row, struct error *e)
{
    const int32_t *depth = batch_depths_of(f->found, number);
    const uint64_t n = f->searcher->graph.manifest.totals.n, own = f->searcher->roots.ids[row];
    const uint32_t width = answer_id_bytes(n);
    memset(f->parent_ids, 0xff, n * width); /* all values become -1, which stands for no parent */
    answer_set_id(f->parent_ids, width, own, (int64_t)own);
    uint64_t orphan = JOINED_NOWHERE; /* the first reached vertex without a parent */
#pragma omp parallel for schedule(dynamic, 4096) reduction(min : orphan)
    for (uint64_t v = 0; v < f->all->vertices; v++) {
        const uint64_t parent = depth[v] >= 0 ? parent_of(f->all, depth, v) : v;
        if (parent == JOINED_NOWHERE)
            orphan = smaller(orphan, v);
        else if (depth[v] >= 0)
            answer_set_id(f->parent_ids, width, f->all->ids[v], (int64_t)f->all->ids[parent]);
    }
    return orphan != JOINED_NOWHERE ? fail_orphan(f, orphan, e) : ST_OK;
}

/* ---- files of one root, and the matrix ---- */

enum status batch_files_write(struct batch_files *f, uint32_t number, uint64_t row, struct error *e)
{
    const struct args *args = f->args;
    const int one_table = args_in_one_table(args), writes = f->sharing->rank == 0;
    const struct result_file file = {.name = args->parents,
                                     .kind = one_table ? ANSWER_DEPTHS : ANSWER_PARENTS,
                                     .with_parents = one_table,
                                     .map = f->searcher->map,
                                     .values = f->values,
                                     .parents = one_table ? f->parent_ids : NULL};
    if (args->depths != NULL && f->depths.name == NULL) {
        if (find_depths(f, number, row, e) == ST_OK && writes && !one_table)
            write_depths(f, row, e);
        comm_agree(f->sharing, e);
    }
    if (args->parents != NULL && f->parents.name == NULL && !(one_table && f->depths.name != NULL) && e->status == ST_OK &&
        find_parents(f, number, row, e) == ST_OK)
        results_write_values(&f->searcher->rank, &f->searcher->roots.root[row], &file, e);
    return e->status;
}

/* ---- tables ---- */

/* The lines of one root after the other in a table. */
struct root_lines {
    struct batch_files *files;
    const struct batch_table *table;
    uint64_t first, root; /* the number of the first root of the batch among all roots; the input id of the root of the lines */
};

/* Returns whether a table has parents, and whether it has distances. */
static int has_parents(const struct root_lines *l)
{
    return l->table == &l->files->parents || l->table->fields == TABLE_FIELDS;
}
static int has_depths(const struct root_lines *l)
{
    return l->table == &l->files->depths;
}

/* Finds the distances and the parents of root `number` of the batch, for its lines. Called by batch_table_append_parts, with a struct
 * root_lines. */
static enum status begin_root(void *context, uint64_t number, struct error *e)
{
    struct root_lines *l = context;
    const uint64_t row = l->first + number;
    l->root = l->files->searcher->roots.ids[row];
    if (has_depths(l))
        find_depths(l->files, (uint32_t)number, row, e);
    if (has_parents(l) && e->status == ST_OK)
        find_parents(l->files, (uint32_t)number, row, e);
    return e->status;
}

/* Fills in lines of one root: all ids, with their distances and parents. */
static void fill_lines(const void *context, uint64_t begin, uint64_t end, int64_t (*row)[TABLE_FIELDS])
{
    const struct root_lines *l = context;
    const struct batch_files *f = l->files;
    const uint32_t width = answer_id_bytes(f->searcher->graph.manifest.totals.n);
    for (uint64_t i = begin; i < end; i++) {
        int64_t *field = row[i - begin];
        *field++ = (int64_t)l->root;
        *field++ = (int64_t)(f->first + i);
        if (has_depths(l))
            *field++ = ((const int32_t *)f->values)[i];
        if (has_parents(l))
            *field++ = answer_id(f->parent_ids, width, i);
    }
}

/* Collective. Appends the lines of the last batch to a table. */
static enum status append_table(struct batch_files *f, struct batch_table *table, uint64_t first, uint32_t count, struct error *e)
{
    struct root_lines lines = {f, table, first, 0};
    if (table->name == NULL)
        return e->status;
    if (f->sharing->ranks == 1)
        return batch_table_append_parts(table, count, begin_root, f->ids, fill_lines, &lines, e);
    for (uint32_t i = 0; i < count; i++) {
        lines.root = f->searcher->roots.ids[first + i];
        if (share_depths(f, i, first + i, e) != ST_OK || batch_table_append(table, f->ids, fill_lines, &lines, e) != ST_OK)
            return e->status;
    }
    return ST_OK;
}

enum status batch_files_append(struct batch_files *f, uint64_t first, uint32_t count, struct error *e)
{
    return append_table(f, &f->depths, first, count, e) == ST_OK ? append_table(f, &f->parents, first, count, e) : e->status;
}

/* ---- the end ---- */

enum status batch_files_commit(struct batch_files *f, struct error *e)
{
    if (comm_agree(&f->searcher->comm, e) == ST_OK && batch_table_commit(&f->depths, e) == ST_OK)
        batch_table_commit(&f->parents, e);
    return outputs_commit(&f->matrix, &f->searcher->comm, e);
}

void batch_files_close(struct batch_files *f)
{
    outfile_abort(f->matrix);
    batch_table_close(&f->depths);
    batch_table_close(&f->parents);
    if (f->budget == NULL)
        return;
    if (f->parent_ids != f->values)
        memory_release(f->budget, f->parent_ids);
    memory_release(f->budget, f->values);
}
