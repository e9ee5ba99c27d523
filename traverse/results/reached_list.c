/* reached_list.c: writes a list of the vertices that a search has reached (--list-reached); see results.h */
#include "results.h"

#include "outputs.h"

#include "traverse/engine/root_set.h"

#include "formats/table.h"

#include <stdlib.h>

static const char what[] = "the list of reached vertices";

/* A vertex that the search has reached. */
struct reached_vertex {
    uint64_t id, depth; /* `id` is the input id */
};

/* The reached vertices of one rank, and later, on rank 0, of all ranks. */
struct reached_list {
    struct reached_vertex *vertex; /* [count]; NULL while vertices are only counted */
    uint64_t count;
};

/* Appends a vertex to the list if it was reached. Only counts it if list->vertex is NULL. `stored` is its stored id. */
static void add_vertex(struct reached_list *list, const struct graph *graph, uint64_t stored, int32_t depth)
{
    if (depth == DEPTH_UNREACHED)
        return;
    if (list->vertex != NULL)
        list->vertex[list->count] = (struct reached_vertex){original_id(graph, stored), (uint64_t)depth};
    list->count++;
}

/* Appends the reached normals of this rank's shards to the list, and on rank 0 also the reached delegates and roots
 * without edges. Only counts these vertices if list->vertex is NULL. */
static void add_own(struct reached_list *list, const struct results *r, const struct root_set *roots)
{
    const struct shard *shard = &r->graph->shards[0];
    for (uint32_t g = 0; g < r->graph->device_count; g++) {
        for (uint64_t i = 0; i < r->graph->shards[g].locals; i++)
            add_vertex(list, r->graph, local_vertex_id(&r->graph->shards[g], i), r->depth[g][i]);
    }
    for (uint64_t i = 0; r->comm->rank == 0 && i < shard->d; i++)
        add_vertex(list, r->graph, shard_delegate_id(shard, i), r->delegate_depth[i]);
    const struct root_set isolated = root_set_of_kind(roots, ROOT_AT_ISOLATED);
    for (uint64_t i = 0; r->comm->rank == 0 && i < isolated.count; i++)
        add_vertex(list, r->graph, isolated.root[i].id, 0);
}

/* ---- the file ---- */

/* Compares two struct reached_vertex for qsort: by depth, and vertices of one depth by id. */
static int compare(const void *a, const void *b)
{
    const struct reached_vertex *x = a, *y = b;
    if (x->depth != y->depth)
        return x->depth < y->depth ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* Writes a line for each vertex of the list: its id or name, and its depth, after the root if the table has several
 * roots. `base`: what people call input id 0. Called on rank 0. */
static enum status write_list(const struct reached_list *list, const struct result_file *file, uint64_t base, struct error *e)
{
    struct result_table *shared = file->table;
    struct outfile *out = shared != NULL ? shared->out : NULL;
    struct table table = {0};
    char *name = outputs_name(file->name, file->map, file->root, base);
    if (name == NULL)
        return fail_memory(e, file->name, 24);
    const int is_new = out == NULL;
    if (!is_new || outfile_open(&out, name, e) == ST_OK)
        table_begin(&table, out, table_form_of(name), file->map, base);
    if (is_new && e->status == ST_OK)
        table_columns(&table, shared != NULL ? "root,id,distance" : "id,distance", e);
    free(name);
    for (uint64_t i = 0; i < list->count && e->status == ST_OK; i++) {
        if (shared != NULL)
            table_vertex(&table, (int64_t)file->root, e);
        table_vertex(&table, (int64_t)list->vertex[i].id, e);
        table_number(&table, (int64_t)list->vertex[i].depth, e);
        table_end_line(&table, e);
    }
    if (shared != NULL)
        shared->out = out;
    else
        outfile_commit(out, NULL, e);
    return e->status;
}

/* Collective. Counts the vertices of each rank, then lists them. Rank 0 gathers the lists, sorts the vertices, and writes the file. */
enum status reached_list_write(struct results *r, const struct root_set *roots, const struct result_file *file,
                               struct error *e)
{
    const struct comm *comm = r->comm;
    const uint32_t ranks = comm->ranks;
    struct reached_list list = {0};
    void *all = NULL;
    uint64_t *to = zeroed(2 * ranks + 1, sizeof *to, what, e); /* [ranks] what goes to each rank: all to rank 0 */
    add_own(&list, r, roots);
    memory_take(r->budget, (void **)&list.vertex, list.count + 1, sizeof *list.vertex, what, e);
    if (comm_agree(comm, e) == ST_OK) {
        uint64_t *begin = to + ranks; /* [ranks + 1] */
        list.count = 0;
        add_own(&list, r, roots);
        to[0] = list.count;
        if (ranks > 1 && comm_deal(comm, list.vertex, to, sizeof *list.vertex, r->budget, &all, begin, what, e) == ST_OK) {
            memory_release(r->budget, list.vertex);
            list = (struct reached_list){all, begin[ranks]};
        }
    }
    if (e->status == ST_OK && comm->rank == 0) {
        qsort(list.vertex, list.count, sizeof *list.vertex, compare);
        write_list(&list, file, r->graph->base, e);
    }
    if (file->table != NULL)
        file->table->begun = 1;
    memory_release(r->budget, list.vertex);
    free(to);
    return comm_agree(comm, e);
}
