/* batch_files.c: writes distances and parents of the roots of a batch, by input id */
#include "batch_files.h"

#include "traverse/engine/answer_ids.h"
#include "traverse/results/outputs.h"
#include "traverse/results/results.h"

#include <string.h>

/* Returns whether --depths names one .npy matrix for several roots, and not a file for each. */
int batch_files_is_matrix(const struct args *args)
{
    return args->depths != NULL && strstr(args->depths, "%d") == NULL && outputs_ends_in(args->depths, ".npy") &&
           (args->count > 1 || args->all_roots);
}

/* Collective. Takes memory for the results of one root. If --depths names a matrix, rank 0 writes its header and makes room
 * for a row for each of `roots` roots, and the other ranks open the same file to write the rows of their own roots. */
enum status batch_files_open(struct batch_files *f, uint64_t roots, struct error *e)
{
    const uint64_t n = f->rank->graph->manifest.totals.n;
    char header[NPY_HEADER_BYTES];
    if (f->args->depths != NULL || f->args->parents != NULL)
        memory_take(f->rank->budget, &f->values, n, 8, "results by id", e);
    if (comm_agree(f->comm, e) != ST_OK || !batch_files_is_matrix(f->args))
        return e->status;
    if (f->comm->rank == 0 && outfile_open(&f->matrix, f->args->depths, e) == ST_OK) {
        results_npy_header(header, 4, roots, n);
        if (!outfile_seekable(f->matrix))
            fail(e, ST_USAGE, "%s: a matrix needs a regular file", f->args->depths);
        else if (outfile_write(f->matrix, header, sizeof header, e) == ST_OK)
            outfile_skip(f->matrix, roots * n * 4, &f->matrix_at, e);
    }
    if (comm_agree(f->comm, e) != ST_OK || f->comm->ranks == 1)
        return e->status;
    comm_broadcast(f->comm, &f->matrix_at, sizeof f->matrix_at, 0);
    if (!outputs_join(&f->matrix, f->comm, 1, f->args->depths))
        return fail(e, ST_RUNTIME, "%s: cannot be written by several ranks", f->args->depths);
    return ST_OK;
}

/* Discards a matrix that was not committed, and releases the memory. */
void batch_files_close(struct batch_files *f)
{
    outfile_abort(f->matrix);
    if (f->rank != NULL)
        memory_release(f->rank->budget, f->values);
}

/* Writes the distances from a root, by input id, as row `row` of the matrix or as a file of their own. `number`: the number
 * of the root in the batch. */
static enum status write_depths(struct batch_files *f, const struct root *root, uint32_t number, uint64_t row,
                                struct error *e)
{
    const struct joined_graph *graph = f->depths->graph;
    const int32_t *depth = batch_depths_of(f->depths, number);
    struct result_file file = {.name = f->args->depths, .kind = ANSWER_DEPTHS, .map = f->map, .values = f->values};
    uint64_t n = f->rank->graph->manifest.totals.n;
    int32_t *by_id = f->values;
    memset(by_id, 0xff, n * sizeof *by_id); /* DEPTH_UNREACHED */
    by_id[original_id(f->rank->graph, root->id)] = 0;
#pragma omp parallel for schedule(static)
    for (uint64_t v = 0; v < graph->vertices; v++)
        by_id[graph->ids[v]] = depth[v];
    if (f->matrix != NULL)
        return outfile_fill(f->matrix, f->matrix_at + row * n * 4, by_id, n * 4, e);
    return results_write_values(f->rank, root, &file, e);
}

/* Returns the first neighbour of the reached vertex v that is one level nearer to the root; for the root itself v. depth:
 * [vertices]. */
static uint64_t parent_of(const struct joined_graph *graph, const int32_t *depth, uint64_t v)
{
    const struct joined_rows *rows = graph->pull;
    uint64_t at = rows->offsets[v], end = rows->offsets[v + 1];
    if (depth[v] == 0)
        return v;
    while (at < end && depth[rows->columns[at]] != depth[v] - 1)
        at++;
    return rows->columns[at];
}

/* Derives the parents of a root's search from its distances, and writes them, by input id, as a file. `number`: the number
 * of the root in the batch. */
static enum status write_parents(struct batch_files *f, const struct root *root, uint32_t number, struct error *e)
{
    const struct joined_graph *graph = f->depths->graph;
    const int32_t *depth = batch_depths_of(f->depths, number);
    uint64_t n = f->rank->graph->manifest.totals.n, own = original_id(f->rank->graph, root->id);
    uint32_t width = answer_id_bytes(n);
    struct result_file file = {.name = f->args->parents, .kind = ANSWER_PARENTS, .map = f->map, .values = f->values};
    memset(f->values, 0xff, n * width); /* -1 */
    answer_set_id(f->values, width, own, (int64_t)own);
#pragma omp parallel for schedule(dynamic, 4096)
    for (uint64_t v = 0; v < graph->vertices; v++) {
        if (depth[v] >= 0)
            answer_set_id(f->values, width, graph->ids[v], (int64_t)graph->ids[parent_of(graph, depth, v)]);
    }
    return results_write_values(f->rank, root, &file, e);
}

/* Writes the wanted distances and parents of a root: number `number` of the batch, and number `row` of all roots. */
enum status batch_files_write(struct batch_files *f, const struct root *root, uint32_t number, uint64_t row,
                              struct error *e)
{
    if (f->args->depths != NULL && write_depths(f, root, number, row, e) != ST_OK)
        return e->status;
    return f->args->parents != NULL ? write_parents(f, root, number, e) : ST_OK;
}
