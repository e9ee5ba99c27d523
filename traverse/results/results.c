/* results.c: copies depths to the host, and counts reached vertices and edges; see results.h */
#include "results.h"

#include "traverse/engine/answer_ids.h"
#include "traverse/engine/root_set.h"
#include "traverse/engine/threads.h"

#include "formats/base/clones.h"
#include "formats/base/hash.h"

#include <stdlib.h>

/* ---- arrays ---- */

void results_close(struct results *r)
{
    windows_close(&r->windows);
    kept_answers_close(&r->kept, &r->answers);
    answers_close(&r->answers);
    for (uint32_t g = 0; r->depth != NULL && g < r->graph->device_count; g++)
        memory_release(r->budget, r->depth[g]);
    free(r->depth);
    memory_release(r->budget, r->delegate_depth);
}

/* Returns whether searches make answers, for the reasons in results.h. */
int results_wanted(const struct graph *graph, const struct args *args, int files)
{
    return !args->no_answer && (files || ids_are_dense(graph->manifest.totals.n, graph->vertices));
}

/* Collective. Charges the arrays of depths to the memory budget, and opens answers if searches make answers. */
enum status results_open(struct results *r, const struct rank *rank, const struct args *args, int files,
                         struct error *e)
{
    const uint32_t G = rank->graph->device_count;
    *r = (struct results){.rank = rank,
                          .graph = rank->graph,
                          .comm = rank->comm,
                          .budget = rank->budget,
                          .answering = results_wanted(rank->graph, args, files),
                          .counts_kept = !args->serve || rank->graph->manifest.direction == EDGES_DIRECTED};
    r->depth = zeroed(G, sizeof *r->depth, "depths of results", e);
    for (uint32_t g = 0; g < G && e->status == ST_OK; g++)
        memory_take(r->budget, (void **)&r->depth[g], r->graph->shards[g].locals, 4, "depths of results", e);
    if (e->status == ST_OK)
        memory_take(r->budget, (void **)&r->delegate_depth, r->graph->manifest.d, 4, "delegate depths", e);
    if (comm_agree(r->comm, e) == ST_OK && r->answering)
        answers_open(&r->answers, rank, args->record_parents, e);
    return e->status;
}

/* ---- counting ---- */

/* Sums over the reached vertices of a search: their number, the sums of their degrees and of their hashes, and the largest
 * depth. */
struct sums {
    uint64_t vertices, degrees, checksum, deepest;
};

/* The number of ids that one call of add_hashes hashes, with vector instructions. */
enum { HASHED = 512 };

/* Adds the reached ones of `count` vertices to the sums, but leaves sums->degrees as it is. id[count] has their input ids,
 * and depth[count] their depths. Hashes of unreached vertices are masked out, because a branch would keep the compiler from
 * using vector instructions. */
WIDE_CLONES static void add_hashes(const uint64_t *id, const int32_t *depth, uint64_t count, struct sums *sums)
{
    uint64_t reached = 0, hash = 0;
    int32_t deepest = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t mask = depth[i] == DEPTH_UNREACHED ? 0 : UINT64_MAX;
        reached -= mask;
        hash += hash_pair(id[i], (uint64_t)depth[i]) & mask;
        deepest = depth[i] > deepest ? depth[i] : deepest;
    }
    sums->vertices += reached;
    sums->checksum += hash;
    if ((uint64_t)deepest > sums->deepest)
        sums->deepest = (uint64_t)deepest;
}

/* Adds the reached ones of the vertices first to end - 1 to the sums, but leaves sums->degrees as it is. These are local
 * vertices of the shard if `at` is ROOT_AT_LOCAL, otherwise delegates. Uses threads of OpenMP if there are many vertices. */
static void add_range(const struct results *r, const struct shard *shard, enum root_at at, uint64_t first, uint64_t end,
                    struct sums *sums)
{
    const int32_t *depth = at == ROOT_AT_LOCAL ? r->depth[shard - r->graph->shards] : r->delegate_depth;
    uint64_t reached = 0, hash = 0, deepest = 0;
#pragma omp parallel for schedule(static) if (end - first > WORTH_THREADS) reduction(+ : reached, hash) \
    reduction(max : deepest)
    for (uint64_t i = first; i < end; i += HASHED) {
        const uint64_t count = end - i < HASHED ? end - i : HASHED;
        struct sums piece = {0};
        uint64_t id[HASHED];
        for (uint64_t j = 0; j < count; j++)
            id[j] = original_id(r->graph, at == ROOT_AT_LOCAL ? local_vertex_id(shard, i + j)
                                                              : shard_delegate_id(shard, i + j));
        add_hashes(id, depth + i, count, &piece);
        reached += piece.vertices;
        hash += piece.checksum;
        deepest = piece.deepest > deepest ? piece.deepest : deepest;
    }
    sums->vertices += reached;
    sums->checksum += hash;
    sums->deepest = deepest > sums->deepest ? deepest : sums->deepest;
}

/* Adds the reached local vertices of a shard (ROOT_AT_LOCAL), or its reached delegates, to the sums, with their degrees.
 * Vertices are in the order of their degrees, so each run of the degree list is a range of vertices of one degree. */
static void add_vertices(const struct results *r, const struct shard *shard, enum root_at at, struct sums *sums)
{
    const struct degree_list *degrees = at == ROOT_AT_LOCAL ? &shard->degrees.locals : &shard->degrees.delegates;
    uint64_t first = 0;
    for (uint64_t run = 0; run < degrees->count; run++) {
        uint64_t end = first + degrees->runs[run].vertices, before = sums->vertices;
        add_range(r, shard, at, first, end, sums);
        sums->degrees += (sums->vertices - before) * degrees->runs[run].degree;
        first = end;
    }
}

/* Returns the number of self-loops at reached vertices, by the records of self-loops (degrees.loops) in this rank's
 * shards. */
static uint64_t count_loops(const struct results *r, const struct root_set *roots)
{
    uint64_t sum = 0;
    for (uint32_t g = 0; g < r->graph->device_count; g++) {
        const struct shard *shard = &r->graph->shards[g];
        for (uint64_t i = 0; i < shard->degrees.loop_counts; i++) {
            const struct loop_count *l = &shard->degrees.loops[i];
            int reached = l->at == LOOP_AT_LOCAL ? r->depth[g][l->index] != DEPTH_UNREACHED
                          : l->at == LOOP_AT_DELEGATE
                              ? r->delegate_depth[l->index] != DEPTH_UNREACHED
                              : root_set_has_isolated(roots, shard->index, l->index);
            sum += reached ? l->count : 0;
        }
    }
    return sum;
}

/* Returns the number of directed edges of a subgraph that begin at reached vertices. depth[rows] has the depths of its
 * rows. Subtracts the edges of unreached rows from all edges, because usually fewer rows are unreached than reached. */
static uint64_t count_kept(const struct csr *csr, const int32_t *depth)
{
    uint64_t unreached = 0;
    if (csr->edges == 0)
        return 0;
#pragma omp parallel for if (csr->rows > WORTH_THREADS) schedule(static) reduction(+ : unreached)
    for (uint64_t i = 0; i < csr->rows; i++) {
        if (depth[i] == DEPTH_UNREACHED && mask_bit(csr->sources, i))
            unreached += csr_row_length(csr, i);
    }
    return csr->edges - unreached;
}

/* Collective. Copies the depths of the last search to the host, and sets *reach to counts over all ranks. Rank 0 alone
 * counts the delegates, which every shard has, and roots without edges, which no device has. Only this rank knows of a
 * failure. */
enum status results_collect(struct results *r, const struct root_set *roots, struct reach *reach,
                            struct error *e)
{
    const struct rank *rank = r->rank;
    struct sums sums = {0};
    uint64_t kept = 0;
    int directed = r->graph->manifest.direction == EDGES_DIRECTED;
    for (uint32_t g = 0; g < rank->device_count; g++) {
        const struct shard *shard = &r->graph->shards[g];
        if (rank->backend->answers->read_depths(rank->devices[g], r->depth[g], r->delegate_depth, e) != ST_OK)
            return e->status;
        add_vertices(r, shard, ROOT_AT_LOCAL, &sums);
        for (int s = 0; s < SUBGRAPHS && r->counts_kept; s++)
            kept += count_kept(&shard->csr[s],
                               subgraph_rows((enum subgraph)s) == NORMALS ? r->depth[g] : r->delegate_depth);
    }
    if (r->comm->rank == 0)
        add_vertices(r, &r->graph->shards[0], ROOT_AT_DELEGATE, &sums);
    const struct root_set isolated = root_set_of_kind(roots, ROOT_AT_ISOLATED);
    for (uint64_t i = 0; r->comm->rank == 0 && i < isolated.count; i++) {
        sums.vertices++;
        sums.checksum += hash_pair(original_id(r->graph, isolated.root[i].id), 0);
    }
    uint64_t totals[5] = {sums.vertices, sums.degrees, sums.checksum, kept, count_loops(r, roots)};
    comm_sum_u64(r->comm, totals, 5);
    *reach = (struct reach){.vertices = totals[0],
                            .edges = directed ? totals[3] : totals[1] / 2 + totals[4],
                            .edges_no_loops = directed ? totals[3] : totals[1] / 2,
                            .edges_kept = directed ? totals[3] : totals[3] / 2,
                            .levels = comm_max_of(r->comm, sums.deepest) + 1,
                            .checksum = totals[2]};
    return ST_OK;
}

/* Collective. Returns how many vertices are deeper than `depth` (results.h). Rank 0 counts the delegates, which all ranks know. */
uint64_t results_count_deeper(const struct results *r, int64_t depth)
{
    uint64_t deeper = 0;
    for (uint32_t g = 0; g < r->graph->device_count; g++) {
        for (uint64_t i = 0; i < r->graph->shards[g].locals; i++)
            deeper += r->depth[g][i] > depth;
    }
    for (uint64_t i = 0; r->comm->rank == 0 && i < r->graph->shards[0].d; i++)
        deeper += r->delegate_depth[i] > depth;
    comm_sum_u64(r->comm, &deeper, 1);
    return deeper;
}
