/* cuda_plan.c: plans the memory of a shard on its GPU: computes the size of each array; see cuda_plan.h */
#include "cuda_plan.h"

#include "cuda_limits.h"

#include "traverse/engine/answer_ids.h"

#include "formats/base/arith.h"
#include "formats/graph/partition.h"
#include "formats/container/packed_layout.h"

#include <string.h>

/* The names that arrays other than sections have in memory plans. */
static const char *const names[GPU_ARRAY_COUNT] = {
#define ARRAY(id, name, member) [GPU_##id] = name,
#include "cuda_arrays.def"
#undef ARRAY
};

/* Plans an array with which searches work, of `count` elements of `width` bytes. Adds its bytes, with the gap behind it,
 * to plan->working_bytes. Called once for an id. */
static void plan_array(struct gpu_plan *plan, enum gpu_array_id id, uint64_t count, uint64_t width)
{
    plan->array[id] = (struct gpu_array){.name = names[id], .bytes = count * width};
    plan->working_bytes += gpu_aligned(count * width);
}

/* Plans an array of the graph in device memory, of `count` elements of `width` bytes that are copied from `source`.
 * `source` is NULL if the elements are decoded or made, or if the shard is not loaded. Adds the bytes, with the gap
 * behind the array, to plan->graph_bytes. Called once for an id. */
static void plan_section(struct gpu_plan *plan, int id, const char *name, uint64_t count, uint64_t width,
                        const void *source)
{
    plan->array[id] = (struct gpu_array){name, count * width, source, 0};
    plan->graph_bytes += gpu_aligned(count * width);
}

/* Returns whether the columns of subgraph g stay packed, and then sets *packed to them. The file must have them packed in a way that a
 * search can read. */
int gpu_keeps_columns(const struct shard *shard, enum subgraph g, enum residence resident, struct packed *packed)
{
    return resident == RESIDENT_PACKED && shard_can_keep(shard, g, packed);
}

/* Returns whether the columns of subgraph g lie in memory of the host under these options. */
static int hosts_columns(const struct shard *shard, enum subgraph g, const struct gpu_plan_options *options)
{
    return options->resident == RESIDENT_HOST && (options->hosted >> g & 1) != 0 &&
           shard->csr[g].column_count > 0;
}

/* Sets *copied for one subgraph. */
static void find_copied(const struct csr *csr, struct gpu_copied *copied)
{
    for (uint64_t row = csr->rows; row > 0 && copied->columns < COPIED_COLUMNS; row--) {
        while (copied->columns < COPIED_COLUMNS && csr_offset(csr, row) - csr_offset(csr, row - 1) > copied->columns) {
            const uint64_t end = copied->begin[copied->columns] + row; /* of the column that is copied for the first `row` rows */
            if (8 * end > csr->column_count)
                return;
            copied->begin[++copied->columns] = end;
        }
    }
}

void gpu_find_copied(const struct shard *shard, struct gpu_copied copied[ROW_SETS])
{
    for (int g = 0; g < ROW_SETS; g++) {
        const int is_pulled = g < shard_row_sets(shard) && (!shard->kept.directed || g >= SUBGRAPHS);
        copied[g] = (struct gpu_copied){0};
        if (is_pulled && shard->csr[g].column_count > 0 && shard->csr[g].column_width == 4)
            find_copied(&shard->csr[g], &copied[g]);
    }
}

/* Returns whether columns of subgraph g are slow to read: packed, or in memory of the host. */
static int reads_slowly(const struct shard *shard, enum subgraph g, const struct gpu_plan_options *options)
{
    struct packed packed;
    return hosts_columns(shard, g, options) || gpu_keeps_columns(shard, g, options->resident, &packed);
}

/* Returns the section of packed columns that the device decodes, or NULL if there are no columns, or if they are raw in
 * the file, stay packed, or lie in memory of the host. */
const struct section *gpu_decoded_columns(const struct gpu_plan *plan, const struct shard *shard, enum subgraph g)
{
    const struct section *s = container_find(shard->file, shard_section(shard, g, SHARD_COLUMNS));
    struct packed packed;
    if (s == NULL || s->encoding != ENCODING_PACKED || s->count == 0 ||
        plan->array[GPU_SECTIONS * g + GPU_COLUMNS].hosted ||
        gpu_keeps_columns(shard, g, plan->resident, &packed))
        return NULL;
    return s;
}

/* Plans the sections of subgraph g: heads, offsets, columns, the directory of columns that stay packed, and sources.
 * Columns in memory of the host count in plan->host_bytes, everything else in plan->graph_bytes. An imagined shard
 * (gpu_plan_shards) has only a part of the columns of the file, and its packed columns take the same part of the bytes. */
static void plan_csr(struct gpu_plan *plan, const struct shard *shard, enum subgraph g,
                    const struct gpu_plan_options *options)
{
    const struct csr *csr = &shard->csr[g];
    const uint64_t columns = csr->column_count;
    int at = GPU_SECTIONS * (int)g;
    struct packed packed;
    plan_section(plan, at + GPU_HEADS, "heads", csr->head_columns * csr->rows, 4, csr->heads);
    plan_section(plan, at + GPU_OFFSETS, "offsets", csr->rows + 1, csr->offset_width, csr->offsets);
    if (plan->copied[g].columns > 0)
        plan_section(plan, at + GPU_COPIES, "copied columns", gpu_copied_bytes(&plan->copied[g]), 1, NULL);
    if (hosts_columns(shard, g, options)) {
        const uint64_t bytes = columns * csr->column_width;
        plan->array[at + GPU_COLUMNS] = (struct gpu_array){
            .name = "columns, of the host", .bytes = bytes, .source = csr->columns, .hosted = 1};
        plan->host_bytes += gpu_aligned(bytes);
    } else if (gpu_keeps_columns(shard, g, plan->resident, &packed)) {
        uint64_t bytes = (uint64_t)(packed.base - packed.bits);
        if (columns != packed.count) /* an imagined shard */
            bytes = (uint64_t)((double)bytes / (double)packed.count * (double)columns);
        plan_section(plan, at + GPU_COLUMNS, "columns", bytes, 1, packed.bits);
        plan_section(plan, at + GPU_COLUMN_PLACES, "columns directory", packed_blocks(columns), sizeof(struct packed_place),
                    NULL);
    } else {
        plan_section(plan, at + GPU_COLUMNS, "columns", columns, csr->column_width, csr->columns);
    }
    plan_section(plan, at + GPU_SOURCES, "sources", mask_words(csr->rows), 8, csr->sources);
}

/* Sets plan->staging_bytes, the device memory for a piece of packed columns while it is decoded (cuda_shard.c). A piece has at
 * most LOAD_PIECE_GROUPS groups of blocks. The bytes are enough for blocks of the largest possible size, but are at most those
 * of a whole section. An imagined shard (gpu_plan_shards) has a part of the section. */
static void plan_staging(struct gpu_plan *plan, const struct shard *shard)
{
    enum { COPIES = 4 }; /* a piece is made by 4 copies; each begins at a multiple of 256 bytes */
    for (int g = 0; g < shard_row_sets(shard); g++) {
        const struct section *s = gpu_decoded_columns(plan, shard, (enum subgraph)g);
        const uint64_t elements = shard->csr[g].column_count;
        if (s == NULL)
            continue;
        uint64_t block = 4 * (WORDS_PER_BIT * 8 * s->width + UNARY_MOST_WORDS) + s->width + 4, bytes = s->bytes;
        uint64_t most = LOAD_PIECE_GROUPS * (GROUP_BLOCKS * block + 8);
        if (elements != s->count)
            bytes = (uint64_t)((double)s->bytes / (double)s->count * (double)elements);
        plan->staging_bytes =
            larger(plan->staging_bytes, gpu_aligned(smaller(most, bytes) + 8) + COPIES * gpu_aligned(1));
    }
}

/* Returns the number of 32-bit words of a bitmap of the normals of all shards, 0 if there are none (shard_has_masks). */
static uint64_t all_normals_words(const struct shard *shard)
{
    return shard_has_masks(shard) ? ((uint64_t)shard->p << shard->local_bits) / 32 : 0;
}

/* Returns an upper bound for the pieces of long rows in stepped pushes of the subgraphs a and b. The two share an array for
 * pieces, which one push uses after the other. */
static uint64_t chunk_capacity(const struct shard *shard, enum subgraph a, enum subgraph b)
{
    return larger(gpu_chunk_capacity(shard->csr[a].edges), gpu_chunk_capacity(shard->csr[b].edges));
}

/* Plans the arrays of a fused search, on one GPU or with peers. If searches are never fused, only FUSED_STATE is not empty. */
static void plan_fused(struct gpu_plan *plan, const struct shard *shard, const struct gpu_plan_options *options)
{
    const uint64_t edges = shard_pushed_edges(shard), vertices = shard->d + shard->locals;
    const int fused = gpu_searches_fused(plan), together = shard->p > 1 && fused;
    const uint64_t pieces = shard->p > 1 ? gpu_peers_capacity(vertices, edges) : gpu_fused_capacity(vertices, edges);
    plan_array(plan, GPU_FUSED_STATE, FUSED_STATE_BYTES, 1);
    plan_array(plan, GPU_FUSED_LISTS, fused ? 2 * pieces : 0, FUSED_ITEM_BYTES);
    plan_array(plan, GPU_PEERS_STATE, together ? PEERS_STATE_BYTES : 0, 1);
    plan_array(plan, GPU_PEERS_ARRIVALS, together ? UINT64_C(2) * shard->p * PEERS_LISTED_EDGES : 0, PEERS_ARRIVAL_BYTES);
    plan_array(plan, GPU_PEERS_MASK, together ? all_normals_words(shard) : 0, 4);
    plan_array(plan, GPU_FUSED_NOTES, options->notes && fused ? FUSED_NOTES_KEPT : 0, FUSED_NOTE_BYTES);
}

/* Returns the largest degree: that of the first delegate or first normal, as each kind is in the order of falling degrees. */
uint64_t gpu_longest_row(const struct shard *shard)
{
    const struct degree_list *d = &shard->degrees.delegates, *l = &shard->degrees.locals;
    return larger(d->count > 0 ? d->runs[0].degree : 0, l->count > 0 ? l->runs[0].degree : 0);
}

/* Returns the number of leaves, vertices of degree 1, or 0 in a directed graph. Degrees descend, so leaves are the last normals or, if all
 * vertices are delegates, the last delegates. */
uint64_t gpu_leaves(const struct shard *shard)
{
    const struct degree_list *last = shard->locals > 0 ? &shard->degrees.locals : &shard->degrees.delegates;
    if (shard->kept.directed || last->count == 0 || last->runs[last->count - 1].degree != 1)
        return 0;
    return last->runs[last->count - 1].vertices;
}

/* Returns whether at least half of the vertices are leaves, as in trees of stars. */
int gpu_is_leafy(const struct shard *shard)
{
    return 2 * gpu_leaves(shard) >= shard->d + shard->locals;
}

/* Returns whether the largest degree is at most SLICED_ALIKE_LONGEST times the mean degree. */
int gpu_degrees_alike(const struct shard *shard)
{
    return gpu_longest_row(shard) * (shard->d + shard->locals) <= SLICED_ALIKE_LONGEST * shard_pushed_edges(shard);
}

/* Returns whether a sliced search of the graph has heads, copies of the first slices of all rows. With heads a level need
 * not read all rows (cuda_sliced.h), and has sparse levels. Graphs have heads in three cases:
 * - The graph has more than bounds.all_edges edges, or its visited bits do not all fit into shared memory. It may have twice
 *   as many edges if it has no directions, its degrees are not alike, and it has fewer than bounds.all_edges / 8 vertices: reading all
 *   slices takes .67 of the time there on the web graph cnr-2000 and .91 on RMAT 18, but 1.09 on a uniform graph of 2^18 vertices.
 * - The graph has more than half of bounds.all_edges edges, has no directions, and its degrees are alike and not small.
 *   It may be deep, with frontiers of some thousand vertices, for which there are sparse levels.
 * - The graph has no directions, its degrees are alike and small, and it has at least bounds.all_edges / 8 vertices (2^19 on an H200). It
 *   may be a road network or a grid, with frontiers of more than 500 vertices. One block does smaller frontiers faster. */
int gpu_slices_have_heads(const struct gpu_plan *plan, const struct shard *shard)
{
    const uint64_t most = plan->bounds.all_edges;
    const uint64_t edges = shard_pushed_edges(shard), vertices = shard->d + shard->locals;
    const uint32_t words = gpu_sliced_words(shard->d, shard->locals);
    const int alike = gpu_degrees_alike(shard), uneven = !alike && !shard->kept.directed && vertices < most / 8;
    const int many = edges > (uneven ? 2 * most : most) || gpu_sliced_near(words, plan->bounds.near_vertices) < words;
    if (many || shard->kept.directed)
        return many;
    const int dense = edges > most / 2 && edges >= SLICED_ALIKE_DEGREE * vertices;
    const int planar = vertices >= most / 8 && edges < SLICED_DEEP_DEGREE * vertices;
    return (dense || planar) && alike;
}

/* Returns whether searches are sliced. All these conditions must hold:
 * - There is one shard, which is small enough. Its columns may lie anywhere, as only the making of slices reads them. Leaves may have far
 *   bits whatever the degrees are, if they are half of the vertices, because a level of one block does not read these bits.
 * - The options do not ask for a search by classes of edges (nn, nd, dn, dd).
 * - The plan does not save memory.
 * - If the graph has directions, the shard has rows by destination, and needs no heads. */
int gpu_searches_by_slices(const struct gpu_plan *plan, const struct shard *shard)
{
    const struct shard_rows_kept *kept = &shard->kept;
    const uint64_t edges = shard_pushed_edges(shard), vertices = shard->d + shard->locals, near = plan->bounds.near_vertices,
                   most = plan->bounds.most_vertices;
    const int only_leaves_far = gpu_is_leafy(shard) && vertices <= most && SLICED_TAKES(vertices - gpu_leaves(shard), edges, near, near);
    return shard->p == 1 && (!kept->directed || (kept->with_in && !gpu_slices_have_heads(plan, shard))) && !plan->by_subgraphs &&
           gpu_searches_fused(plan) &&
           (SLICED_TAKES(vertices, edges, near, most) || only_leaves_far);
}

/* Plans the arrays of a sliced search, all empty if searches are not sliced. SLICED_HEADS and SLICED_PIECES are only for
 * graphs with heads, and SLICED_LINK_ROWS is only for graphs with directions. */
static void plan_sliced(struct gpu_plan *plan, const struct shard *shard)
{
    const int sliced = gpu_searches_by_slices(plan, shard), heads = gpu_slices_have_heads(plan, shard);
    const uint64_t vertices = shard->d + shard->locals, edges = shard_pushed_edges(shard);
    const uint64_t capacity = sliced ? gpu_sliced_capacity(vertices, edges) : 0;
    const uint64_t links = sliced && shard->kept.directed ? gpu_sliced_capacity(vertices, edges + vertices) : capacity;
    const uint64_t words = sliced ? gpu_sliced_words(shard->d, shard->locals) : 0;
    plan_array(plan, GPU_SLICED_STATE, sliced ? SLICED_STATE_BYTES : 0, 1);
    plan_array(plan, GPU_SLICED_SLICES, capacity, SLICED_SLICE_BYTES);
    plan_array(plan, GPU_SLICED_LINKS, links, SLICED_LINKS_BYTES);
    plan_array(plan, GPU_SLICED_ROWS, capacity, 4);
    plan_array(plan, GPU_SLICED_FIRST, sliced ? 32 * words + 1 : 0, 4);
    plan_array(plan, GPU_SLICED_FOUND, SLICED_BITMAPS * words, 4);
    plan_array(plan, GPU_SLICED_HEADS, heads ? 32 * words : 0, SLICED_SLICE_BYTES);
    plan_array(plan, GPU_SLICED_PIECES, heads ? gpu_sliced_pieces(capacity) : 0, SLICED_PIECE_BYTES);
    plan_array(plan, GPU_SLICED_LINK_ROWS, shard->kept.directed ? links : 0, 4);
}

/* Returns an upper bound for the vertices of other shards that this shard finds in a level. It is the number of edges of nn, in
 * the direction that has more. This also bounds the ids for which the shard asks others to find parents. */
static uint64_t across_edges(const struct shard *shard)
{
    return larger(shard->csr[NN].edges, shard_pull_rows(shard, NN)->edges);
}

/* Plans the arrays of answers, if the device makes answers. Usually values are written in the order of vertices first,
 * and then gathered in the order of the answer. A single GPU that saves memory scatters its answer instead: it writes
 * each value directly at its input id, over arrays that are free when a search is over (from SPARSE_D on). ANSWER_REST
 * has the bytes of the answer for which these arrays have no room. */
static void plan_answers(struct gpu_plan *plan, const struct shard *shard, const struct gpu_plan_options *options)
{
    const uint64_t values = slots_of_shard(shard->n, shard->index, shard->p), vertices = shard->locals + shard->d;
    const uint64_t several = shard->p > 1, parents = options->parents, id = answer_id_bytes(shard->n);
    const uint64_t width = parents ? id : 4, window = smaller(values, ANSWER_WINDOW);
    if (!options->answers)
        return;
    if (several && options->permuted) /* a list: a value, and a byte that says which id it belongs to */
        plan_array(plan, GPU_ANSWER_WINDOW, GPU_LIST_BLOCKS_BYTES + window * (width + 1), 1);
    else /* narrowed depths */
        plan_array(plan, GPU_ANSWER_WINDOW, window, 2);
    plan_array(plan, GPU_ANSWER_TABLES, gpu_answer_table_bytes(shard->p), 1);
    if (gpu_scatters_answers(plan, shard)) {
        uint64_t free_bytes = 0;
        for (int i = GPU_SPARSE_D; i < GPU_ANSWER_REST; i++)
            free_bytes += gpu_aligned(plan->array[i].bytes);
        plan_array(plan, GPU_ANSWER_REST, shard->n * width > free_bytes ? shard->n * width - free_bytes : 0, 1);
        plan_array(plan, GPU_ANSWER_IDS, vertices, id);
        plan->array[GPU_ANSWER_IDS].name = "input ids of vertices";
        return;
    }
    plan_array(plan, GPU_ANSWER_VERTEX, values, 4);
    plan_array(plan, GPU_ANSWER_IDS, parents ? vertices : 0, id);
    plan_array(plan, GPU_ANSWER_BY_VERTEX, vertices + 1, width);
    plan_array(plan, GPU_ANSWER_VALUES, values, width);
    plan_array(plan, GPU_ANSWER_REPLIES, several && parents ? across_edges(shard) : 0, id);
    plan_array(plan, GPU_ANSWER_SHOWN, several && parents ? 2 * (uint64_t)shard->p : 0, GPU_SHOWN_BYTES);
}

/* Plans all arrays. plan->resident becomes options->resident if any columns have this residence, and RESIDENT_RAW
 * otherwise. The order matters: later steps read plan->resident, and plan_answers reads the sizes of other arrays. */
void gpu_plan_make(struct gpu_plan *plan, const struct shard *shard, const struct gpu_plan_options *options)
{
    const int parents = options->parents, several = shard->p > 1;
    const uint64_t d = shard->d, locals = shard->locals, words_d = gpu_mask_words(d), words_n = gpu_mask_words(locals);
    const uint64_t leaving = several ? across_edges(shard) : 0, nn_words = all_normals_words(shard);
    memset(plan, 0, sizeof *plan);
    plan->resident = RESIDENT_RAW;
    plan->saves = options->saves;
    plan->by_subgraphs = options->by_subgraphs;
    plan->bounds = gpu_sliced_bounds(options->gpu);
    for (int g = 0; g < shard_row_sets(shard); g++) {
        if (reads_slowly(shard, (enum subgraph)g, options))
            plan->resident = options->resident;
    }
    for (int g = 0; g < shard_row_sets(shard); g++) {
        if (options->copied != NULL && !gpu_searches_by_slices(plan, shard) && reads_slowly(shard, (enum subgraph)g, options))
            plan->copied[g] = options->copied[g]; /* searches by slices read no columns */
        if (shard->csr[g].edges > 0)
            plan_csr(plan, shard, (enum subgraph)g, options);
    }
    plan_staging(plan, shard);
    plan_array(plan, GPU_MASKS, (several ? 3 : 2) * words_d + 2 * words_n, 4);
    plan_array(plan, GPU_FRONTIER_D, words_d, 4);
    plan_array(plan, GPU_FRONTIER_N, words_n, 4);
    plan_array(plan, GPU_SPARSE_D, d, 4);
    plan_array(plan, GPU_SPARSE_N, locals, 4);
    plan_array(plan, GPU_DEPTH_D, d, 4);
    plan_array(plan, GPU_DEPTH_N, locals, 4);
    plan_array(plan, GPU_PARENT_D, parents ? d : 0, 4);
    plan_array(plan, GPU_PARENT_N, parents ? locals : 0, 4);
    plan_array(plan, GPU_MERGE_PREFIX, d + 1, 8); /* after a search: replies to questions of delegates, of 8 bytes at most */
    plan_array(plan, GPU_MERGE_SCRATCH, gpu_merge_scratch_bound(d + 1), 1);
    plan_array(plan, GPU_CHUNKS_D, chunk_capacity(shard, DD, ND), FUSED_ITEM_BYTES);
    plan_array(plan, GPU_CHUNKS_N, chunk_capacity(shard, DN, NN), FUSED_ITEM_BYTES);
    plan_array(plan, GPU_CODES, leaving, 8);
    plan_array(plan, GPU_SENT_IDS, leaving, 4);
    plan_array(plan, GPU_RECEIVED_IDS, smaller(larger(leaving, several ? words_n : 0), GPU_RECEIVE_IDS), 4);
    /* levels that send bitmaps need bits for the normals of all shards, and dropping duplicates needs those of one shard */
    plan_array(plan, GPU_SENT_MASK, several ? larger(nn_words, gpu_mask_words(UINT64_C(1) << shard->local_bits)) : 0, 4);
    plan_array(plan, GPU_GATHERED, nn_words, 4);
    plan_array(plan, GPU_UPDATE_SOURCES, nn_words, 4);
    plan_array(plan, GPU_UPDATE_BEGINS, nn_words > 0 ? shard->p * gpu_frontier_update_begins(nn_words / shard->p) : 0, 4);
    plan_array(plan, GPU_DD_ROWS, several ? 2 * words_d : 0, 4);
    plan_array(plan, GPU_BIN_TABLES, several ? 2 * ((uint64_t)shard->p + 1) : 0, 8);
    plan_array(plan, GPU_COUNTERS, GPU_COUNTER_BYTES, 1);
    plan_fused(plan, shard, options);
    plan_sliced(plan, shard);
    plan_answers(plan, shard, options);
}

/* Finds the number of shards by planning for one more shard at a time. Each plan is for an imagined shard: a part of this
 * shard, with all its delegates. Returns 0 if no number up to MOST_SHARDS is enough. */
uint32_t gpu_plan_shards(const struct shard *shard, const struct gpu_plan_options *options, uint64_t capacity)
{
    enum { MOST_SHARDS = 4096 };
    struct gpu_plan_options least = *options;
    least.by_subgraphs = 1; /* plans without the arrays of sliced searches, which need more memory */
    for (uint32_t p = shard->p; p <= MOST_SHARDS; p++) {
        /* the imagined shard has the sizes that it would have among p shards, but the content of the real shard */
        struct shard s = *shard;
        struct gpu_plan plan;
        const double share = (double)shard->p / (double)p;
        s.p = p;
        s.index = 0;
        s.locals = (uint64_t)((double)shard->locals * share) + 1;
        s.local_bits = bits_for(s.locals + 1);
        for (int g = 0; g < shard_row_sets(shard); g++) {
            struct csr *csr = &s.csr[g];
            csr->rows = subgraph_rows((enum subgraph)g) == NORMALS ? s.locals : s.d;
            csr->edges = (uint64_t)((double)csr->edges * share);
            csr->column_count = (uint64_t)((double)csr->column_count * share);
        }
        gpu_plan_make(&plan, p == shard->p ? shard : &s, &least);
        if (gpu_loading_bytes(&plan) <= capacity)
            return p;
    }
    return 0;
}
