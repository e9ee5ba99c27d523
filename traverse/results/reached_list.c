/* reached_list.c: writes the vertices that a search reached as a list; see results.h */
#include "results.h"

#include "outputs.h"

#include "formats/base/outfile.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Bytes of a message. */
enum { CHUNK_BYTES = 1 << 22 };

/* A vertex that the search reached. */
struct reached_vertex {
    uint64_t id, depth; /* id of the input */
};

/* The reached vertices of one rank or, on rank 0 in the end, of all. */
struct reached_list {
    struct reached_vertex *vertex; /* NULL: entries are only counted */
    uint64_t count;
};

/* Appends a vertex, given by its id as stored, to the list if it was reached, or only counts it if the list has no
 * memory. */
static void add_vertex(struct reached_list *list, const struct graph *graph, uint64_t stored, int32_t depth)
{
    if (depth == DEPTH_UNREACHED)
        return;
    if (list->vertex != NULL)
        list->vertex[list->count] = (struct reached_vertex){original_id(graph, stored), (uint64_t)depth};
    list->count++;
}

/* Appends the reached vertices of this rank: its locals and, on rank 0 only, the delegates and a root without
 * edges. */
static void add_own(struct reached_list *list, const struct results *r, const struct root *root)
{
    const struct shard *shard = &r->graph->shards[0];
    for (uint32_t g = 0; g < r->graph->device_count; g++) {
        for (uint64_t i = 0; i < r->graph->shards[g].locals; i++)
            add_vertex(list, r->graph, local_vertex_id(&r->graph->shards[g], i), r->depth[g][i]);
    }
    for (uint64_t i = 0; r->comm->rank == 0 && i < shard->d; i++)
        add_vertex(list, r->graph, shard_delegate_id(shard, i), r->delegate_depth[i]);
    if (r->comm->rank == 0 && root->at == ROOT_AT_ISOLATED)
        add_vertex(list, r->graph, root->id, 0);
}

/* Collective. Sets first[ranks + 1] to the index, in the list of rank 0, of the first vertex of each rank, and
 * first[ranks] to the total. `own`: the number of reached vertices of this rank. */
static void count_ranks(const struct comm *comm, uint64_t own, uint64_t *first)
{
    for (uint32_t i = 0; i <= comm->ranks; i++)
        first[i] = i > comm->rank ? own : 0;
    comm_sum_u64(comm, first, comm->ranks + 1);
}

/* Collective. Copies the vertices of all other ranks into the list of rank 0, at first[rank]; the vertices of rank
 * 0 are at the start of its list already. If one rank fails, all do. */
static enum status gather_list(struct reached_list *list, const struct comm *comm, const uint64_t *first, struct error *e)
{
    const uint64_t width = sizeof *list->vertex;
    struct transfer own = {.rank = 0, .bytes = list->vertex, .size = list->count * width};
    struct transfer *all = zeroed(comm->ranks, sizeof *all, "ranks", e);
    uint32_t count = 0;
    for (uint32_t i = 1; i < comm->ranks && all != NULL && comm->rank == 0; i++) {
        if (first[i + 1] > first[i])
            all[count++] = (struct transfer){
                .rank = i, .bytes = list->vertex + first[i], .size = (first[i + 1] - first[i]) * width};
    }
    if (comm_agree(comm, e) == ST_OK)
        comm_transfer(comm, &own, comm->rank > 0 && list->count > 0, all, count, CHUNK_BYTES, e);
    free(all);
    return comm_agree(comm, e);
}

/* ---- the file ---- */

/* Compares two struct reached_vertex for qsort: by depth, then by id. */
static int compare(const void *a, const void *b)
{
    const struct reached_vertex *x = a, *y = b;
    if (x->depth != y->depth)
        return x->depth < y->depth ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* The context of print_list. */
struct printed_list {
    const struct reached_list *list;
    const struct name_map *map;
};

/* Called by outfile_print: prints a line of id or name, tab and depth for each vertex. The context is a struct
 * printed_list. */
static void print_list(FILE *out, const void *context)
{
    const struct printed_list *p = context;
    for (uint64_t i = 0; i < p->list->count; i++) {
        const struct reached_vertex *v = &p->list->vertex[i];
        name_map_print(out, p->map, v->id);
        fprintf(out, "\t%" PRIu64 "\n", v->depth);
    }
}

/* On rank 0: sorts the list in place, and writes it to the file of this root. `pattern`: the file name, which may
 * have a %d. */
static enum status print_file(const struct reached_list *list, const struct graph *graph, const struct root *root,
                              const char *pattern, const struct name_map *map, struct error *e)
{
    const struct printed_list printed = {list, map};
    char *name = outputs_name(pattern, original_id(graph, root->id));
    if (name == NULL)
        return fail_memory(e, pattern, 24);
    qsort(list->vertex, list->count, sizeof *list->vertex, compare);
    outfile_print(name, print_list, &printed, e);
    free(name);
    return e->status;
}

/* Counts the vertices of all ranks, takes memory, and then lists them; see results.h. */
enum status reached_list_write(struct results *r, const struct root *root, const char *name,
                               const struct name_map *map, struct error *e)
{
    struct reached_list list = {0};
    const uint32_t ranks = r->comm->ranks;
    uint64_t *first = zeroed(ranks + 1, sizeof *first, "ranks", e);
    add_own(&list, r, root);
    if (comm_agree(r->comm, e) == ST_OK) {
        count_ranks(r->comm, list.count, first);
        memory_take(r->budget, (void **)&list.vertex, (r->comm->rank == 0 ? first[ranks] : list.count) + 1,
                    sizeof *list.vertex, "the list of reached vertices", e);
    }
    if (comm_agree(r->comm, e) == ST_OK) {
        list.count = 0;
        add_own(&list, r, root);
        if (gather_list(&list, r->comm, first, e) == ST_OK && r->comm->rank == 0) {
            list.count = first[ranks];
            print_file(&list, r->graph, root, name, map, e);
        }
    }
    memory_release(r->budget, list.vertex);
    free(first);
    return comm_agree(r->comm, e);
}
