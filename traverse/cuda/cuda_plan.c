/* cuda_plan.c: see cuda_plan.h */
#include "cuda_plan.h"

#include "cuda_limits.h"

#include "traverse/devices/answer_blocks.h"

#include "formats/base/arith.h"
#include "formats/graph/partition.h"
#include "formats/container/packed_layout.h"

#include <string.h>

static void put(struct gpu_plan *plan, enum gpu_array_id id, const char *name, uint64_t count,
                uint64_t width, const void *source)
{
    uint64_t bytes = gpu_aligned(count * width);
    plan->array[id] = (struct gpu_array){name, count * width, source, 0};
    if (id < GPU_MASKS) /* also of a packed shard that is not loaded */
        plan->graph_bytes += bytes;
    else
        plan->working_bytes += bytes;
}

int gpu_keeps_columns(const struct shard *shard, enum subgraph g, enum residence resident,
                      struct packed *packed)
{
    return resident == RESIDENT_PACKED && shard_can_keep(shard, g, packed);
}

static int hosts_columns(const struct shard *shard, enum subgraph g, const struct gpu_plan_options *options)
{
    return options->resident == RESIDENT_HOST && (options->hosted >> g & 1) != 0 &&
           shard->csr[g].column_count > 0;
}

static enum residence residence_of(const struct shard *shard, const struct gpu_plan_options *options)
{
    struct packed packed;
    int keeps = 0, hosts = 0;
    for (int g = 0; g < shard_row_sets(shard); g++) {
        keeps |= gpu_keeps_columns(shard, (enum subgraph)g, options->resident, &packed);
        hosts |= hosts_columns(shard, (enum subgraph)g, options);
    }
    return hosts ? RESIDENT_HOST : keeps ? RESIDENT_PACKED : RESIDENT_RAW;
}

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

/* Bytes are in proportion to elements, as gpu_plan_shards plans shards that have a part of them. */
static void put_packed(struct gpu_plan *plan, int at, const struct packed *packed, uint64_t count)
{
    uint64_t bytes = (uint64_t)(packed->base - packed->bits);
    if (count != packed->count)
        bytes = (uint64_t)((double)bytes / (double)packed->count * (double)count);
    put(plan, (enum gpu_array_id)at, "columns", bytes, 1, packed->bits);
    put(plan, (enum gpu_array_id)(at + 1), "columns directory", packed_blocks(count), sizeof(struct packed_place),
        NULL);
}

static void put_hosted(struct gpu_plan *plan, const struct csr *csr, enum subgraph g)
{
    uint64_t bytes = csr->column_count * csr->column_width;
    plan->array[GPU_SECTIONS * g + GPU_COLUMNS] = (struct gpu_array){"columns, of the host", bytes, csr->columns, 1};
    plan->host_bytes += gpu_aligned(bytes);
}

static void put_rows(struct gpu_plan *plan, const struct shard *shard, enum subgraph g,
                     const struct gpu_plan_options *options)
{
    const struct csr *csr = &shard->csr[g];
    int at = GPU_SECTIONS * (int)g;
    struct packed packed;
    put(plan, (enum gpu_array_id)(at + GPU_OFFSETS), "offsets", csr->rows + 1, csr->offset_width,
        csr->offsets);
    if (hosts_columns(shard, g, options))
        put_hosted(plan, csr, g);
    else if (gpu_keeps_columns(shard, g, plan->resident, &packed))
        put_packed(plan, at + GPU_COLUMNS, &packed, csr->column_count);
    else
        put(plan, (enum gpu_array_id)(at + GPU_COLUMNS), "columns", csr->column_count, csr->column_width,
            csr->columns);
}

static void put_sections(struct gpu_plan *plan, const struct shard *shard,
                         const struct gpu_plan_options *options)
{
    for (int g = 0; g < shard_row_sets(shard); g++) {
        const struct csr *csr = &shard->csr[g];
        if (csr->edges == 0)
            continue;
        int at = GPU_SECTIONS * g;
        put(plan, at + GPU_HEADS, "heads", csr->head_columns * csr->rows, 4, csr->heads);
        put_rows(plan, shard, (enum subgraph)g, options);
        put(plan, at + GPU_SOURCES, "sources", mask_words(csr->rows), 8, csr->sources);
    }
}

/* The most bytes that a piece of packed columns takes (cuda_unpack.c): codes of all bits and a bit vector for each
 * block, and the directory; or the section, in proportion to the elements as in put_packed. */
static uint64_t piece_bytes(const struct section *s, uint64_t elements)
{
    enum { COPIES = 4 };
    uint64_t block = 4 * (WORDS_PER_BIT * 8 * s->width + UNARY_MOST_WORDS) + s->width + 4;
    uint64_t most = LOAD_PIECE_GROUPS * (GROUP_BLOCKS * block + 8);
    uint64_t bytes = elements == s->count
                         ? s->bytes
                         : (uint64_t)((double)s->bytes / (double)s->count * (double)elements);
    return gpu_aligned(smaller(most, bytes) + 8) + COPIES * gpu_aligned(1);
}

static void put_staging(struct gpu_plan *plan, const struct shard *shard)
{
    for (int g = 0; g < shard_row_sets(shard); g++) {
        const struct section *s = gpu_decoded_columns(plan, shard, (enum subgraph)g);
        if (s != NULL)
            plan->staging_bytes = larger(plan->staging_bytes, piece_bytes(s, shard->csr[g].column_count));
    }
}

/* Words of a mask with a bit for each column that nn may have. */
static uint64_t column_words(const struct shard *shard)
{
    return shard_has_masks(shard) ? ((uint64_t)shard->p << shard->local_bits) / 32 : 0;
}

/* Words of a mask of any shard's local ids, by which duplicates are dropped. */
static uint64_t shard_words(const struct shard *shard)
{
    return gpu_mask_words(UINT64_C(1) << shard->local_bits);
}

static uint64_t chunk_room(const struct shard *shard, enum subgraph a, enum subgraph b)
{
    return larger(gpu_chunk_room(shard->csr[a].edges), gpu_chunk_room(shard->csr[b].edges));
}

/* Arrays for a search that is one kernel, on a GPU that is alone or on each of several. */
static void put_whole(struct gpu_plan *plan, const struct shard *shard,
                     const struct gpu_plan_options *options)
{
    uint64_t edges = shard_pushed_edges(shard), whole = (uint64_t)gpu_searches_whole(plan);
    uint64_t alone = shard->p == 1 && whole, together = shard->p > 1 && whole;
    put(plan, GPU_WHOLE_STATE, "state of a search", WHOLE_STATE_BYTES, 1, NULL);
    put(plan, GPU_WHOLE_LISTS, "frontier lists",
        whole ? 2 * (alone ? gpu_whole_room : gpu_group_room)(shard->d + shard->locals, edges) : 0,
        WHOLE_PIECE_BYTES, NULL);
    put(plan, GPU_GROUP_STATE, "state of a group", together ? GROUP_STATE_BYTES : 0, 1, NULL);
    put(plan, GPU_GROUP_ARRIVALS, "vertices from peers",
        together ? UINT64_C(2) * shard->p * GROUP_LISTED_EDGES : 0, GROUP_ARRIVAL_BYTES, NULL);
    put(plan, GPU_GROUP_MASK, "second mask to send", together ? column_words(shard) : 0, 4, NULL);
    put(plan, GPU_WHOLE_NOTES, "notes of levels", options->notes && whole ? WHOLE_NOTES_KEPT : 0,
        WHOLE_NOTE_BYTES, NULL);
}

uint64_t gpu_longest_row(const struct shard *shard)
{
    const struct degree_list *d = &shard->degrees.delegates, *l = &shard->degrees.locals;
    return larger(d->count > 0 ? d->runs[0].degree : 0, l->count > 0 ? l->runs[0].degree : 0);
}

int gpu_degrees_alike(const struct shard *shard)
{
    return gpu_longest_row(shard) * (shard->d + shard->locals) <= SLICED_ALIKE_LONGEST * shard_pushed_edges(shard);
}

/* Whether levels by slices go by rows: if edges are many, or some marks of visited vertices are far; and on half as many
 * edges where all degrees are alike and not small, as such a graph may be deep, and frontiers of some thousand vertices go
 * by lists then. */
static int sliced_by_rows(const struct shard *shard)
{
    const uint64_t edges = shard_pushed_edges(shard), vertices = shard->d + shard->locals;
    const uint32_t words = gpu_sliced_words(shard->d, shard->locals);
    const int many = edges > SLICED_ALL_EDGES || gpu_sliced_near(words) < words;
    if (many || shard->kept.directed)
        return many;
    return edges > SLICED_ALL_EDGES / 2 && edges >= SLICED_ALIKE_DEGREE * vertices && gpu_degrees_alike(shard);
}

int gpu_searches_by_slices(const struct gpu_plan *plan, const struct shard *shard)
{
    const struct shard_rows_kept *kept = &shard->kept;
    const uint64_t edges = shard_pushed_edges(shard);
    return shard->p == 1 && (!kept->directed || (kept->with_in && !sliced_by_rows(shard))) && !plan->by_classes &&
           gpu_searches_whole(plan) && plan->resident == RESIDENT_RAW &&
           SLICED_TAKES(shard->d + shard->locals, edges);
}

static void put_sliced(struct gpu_plan *plan, const struct shard *shard)
{
    int sliced = gpu_searches_by_slices(plan, shard);
    uint64_t vertices = shard->d + shard->locals, edges = shard_pushed_edges(shard);
    uint64_t room = sliced ? gpu_sliced_room(vertices, edges) : 0;
    uint64_t links = sliced && shard->kept.directed ? gpu_sliced_room(vertices, edges + vertices) : room;
    uint64_t words = sliced ? gpu_sliced_words(shard->d, shard->locals) : 0;
    put(plan, GPU_SLICED_STATE, "state of a search by slices", sliced ? SLICED_STATE_BYTES : 0, 1, NULL);
    put(plan, GPU_SLICED_SLICES, "slices of rows", room, SLICED_SLICE_BYTES, NULL);
    put(plan, GPU_SLICED_LINKS, "links of slices", links, SLICED_LINKS_BYTES, NULL);
    put(plan, GPU_SLICED_ROWS, "rows of slices", room, 4, NULL);
    put(plan, GPU_SLICED_FIRST, "first slices", sliced ? 32 * words + 1 : 0, 4, NULL);
    put(plan, GPU_SLICED_FOUND, "masks of slices", SLICED_MASKS * words, 4, NULL);
    int by_rows = sliced_by_rows(shard);
    put(plan, GPU_SLICED_HEADS, "first slices of rows", by_rows ? 32 * words : 0, SLICED_SLICE_BYTES, NULL);
    put(plan, GPU_SLICED_PIECES, "pieces of long rows", by_rows ? gpu_sliced_pieces(room) : 0, SLICED_PIECE_BYTES, NULL);
    put(plan, GPU_SLICED_PUSHERS, "vertices of links", shard->kept.directed ? links : 0, 4, NULL);
}

/* Arrays of a device that is alone and has no memory to spare: its answer is scattered by input id,
 * not gathered, and lies over the arrays that are free once a search is over. */
static void put_scattered_answers(struct gpu_plan *plan, const struct shard *shard)
{
    uint64_t id = answer_id_bytes(shard->n), free_bytes = 0;
    for (int i = GPU_QUEUE_D; i < GPU_ANSWER_REST; i++)
        free_bytes += gpu_aligned(plan->array[i].bytes);
    uint64_t width = plan->array[GPU_PARENT_D].bytes + plan->array[GPU_PARENT_N].bytes > 0 ? id : 4;
    uint64_t block = shard->n * width;
    put(plan, GPU_ANSWER_REST, "answer beyond the lists", block > free_bytes ? block - free_bytes : 0, 1,
        NULL);
    put(plan, GPU_ANSWER_IDS, "input ids of vertices", shard->locals + shard->d, id, NULL);
    put(plan, GPU_ANSWER_TABLES, "tables of answers", gpu_answer_table_bytes(shard->p), 1, NULL);
}

/* The most vertices that the shard finds, or asks for their ids, in one direction of nn. */
static uint64_t across_edges(const struct shard *shard)
{
    return larger(shard->csr[NN].edges, shard_pull_rows(shard, NN)->edges);
}

/* Arrays for answers in the order of input ids. */
static void put_answers(struct gpu_plan *plan, const struct shard *shard,
                        const struct gpu_plan_options *options)
{
    uint64_t slots = slots_of_shard(shard->n, shard->index, shard->p),
             block = block_first(shard->n, shard->p, 1); /* the first block is the longest */
    uint64_t vertices = shard->locals + shard->d, several = shard->p > 1, owned = smaller(slots, vertices);
    uint64_t parents = options->parents, id = answer_id_bytes(shard->n), width = parents ? id : 4;
    if (!options->answers)
        return;
    if (gpu_scatters_answers(plan, shard)) {
        put_scattered_answers(plan, shard);
        return;
    }
    put(plan, GPU_ANSWER_VERTEX, "vertices by input id", several ? owned : slots, 4, NULL);
    put(plan, GPU_ANSWER_IDS, "input ids of parents", parents ? vertices : 0, id, NULL);
    put(plan, GPU_ANSWER_BY_VERTEX, "answer by vertex", vertices + 1, width, NULL);
    put(plan, GPU_ANSWER_VALUES, "answer for other shards", several ? owned : 0, width, NULL);
    put(plan, GPU_ANSWER_BLOCK, "answer by input id", block, width, NULL);
    put(plan, GPU_ANSWER_MARKS, "ids with edges", several ? block / 32 + shard->p : 0, 8, NULL);
    put(plan, GPU_ANSWER_BEFORE, "order of permuted ids",
        several && options->permuted ? block : 0, 4, NULL);
    put(plan, GPU_ANSWER_DELEGATES, "parents of delegates", several && parents ? shard->d : 0, id,
        NULL);
    put(plan, GPU_ANSWER_REPLIES, "replies about parents",
        several && parents ? across_edges(shard) : 0, id, NULL);
    put(plan, GPU_ANSWER_SHOWN, "what others show of parents", several && parents ? 2 * (uint64_t)shard->p : 0,
        GPU_SHOWN_BYTES, NULL);
    put(plan, GPU_ANSWER_TABLES, "tables of answers", gpu_answer_table_bytes(shard->p), 1, NULL);
}

void gpu_plan_make(struct gpu_plan *plan, const struct shard *shard,
                   const struct gpu_plan_options *options)
{
    int parents = options->parents;
    uint64_t d = shard->d, locals = shard->locals;
    uint64_t words_d = gpu_mask_words(d), words_n = gpu_mask_words(locals);
    int alone = shard->p == 1;
    uint64_t leaving = alone ? 0 : across_edges(shard);
    memset(plan, 0, sizeof *plan);
    plan->resident = residence_of(shard, options);
    plan->saves = options->saves;
    plan->by_classes = options->by_classes;
    put_sections(plan, shard, options);
    put_staging(plan, shard);
    put(plan, GPU_MASKS, "visited and next masks", (alone ? 2 : 3) * words_d + 2 * words_n, 4,
        NULL);
    put(plan, GPU_FRONTIER_D, "delegate frontier", words_d, 4, NULL);
    put(plan, GPU_FRONTIER_N, "normal frontier", words_n, 4, NULL);
    put(plan, GPU_QUEUE_D, "delegate queue", d, 4, NULL);
    put(plan, GPU_QUEUE_N, "normal queue", locals, 4, NULL);
    put(plan, GPU_DEPTH_D, "delegate depths", d, 4, NULL);
    put(plan, GPU_DEPTH_N, "normal depths", locals, 4, NULL);
    put(plan, GPU_PARENT_D, "delegate parents", parents ? d : 0, 4, NULL);
    put(plan, GPU_PARENT_N, "normal parents", parents ? locals : 0, 4, NULL);
    put(plan, GPU_MERGE_PREFIX, "dd prefix sums", d + 1, 8, NULL);
    put(plan, GPU_MERGE_SCRATCH, "dd scan scratch", gpu_merge_scratch_bound(d + 1), 1, NULL);
    put(plan, GPU_CHUNKS_D, "long rows to delegates", chunk_room(shard, DD, ND), WHOLE_PIECE_BYTES,
        NULL);
    put(plan, GPU_CHUNKS_N, "long rows to normals", chunk_room(shard, DN, NN), WHOLE_PIECE_BYTES,
        NULL);
    put(plan, GPU_CODES, "vertices found elsewhere", leaving, 8, NULL);
    put(plan, GPU_SENT_IDS, "vertices to send", leaving, 4, NULL);
    put(plan, GPU_RECEIVED_IDS, "vertices received",
        smaller(larger(leaving, alone ? 0 : words_n), GPU_RECEIVE_IDS), 4, NULL);
    put(plan, GPU_SENT_MASK, "mask to send",
        alone ? 0 : larger(column_words(shard), shard_words(shard)), 4, NULL);
    put(plan, GPU_GATHERED, "gathered frontier", column_words(shard), 4, NULL);
    put(plan, GPU_NEWS_SOURCES, "normals with nn edges", column_words(shard), 4, NULL);
    put(plan, GPU_NEWS_BEGINS, "beginnings of frontier messages",
        column_words(shard) > 0 ? shard->p * gpu_news_begins(column_words(shard) / shard->p) : 0, 4, NULL);
    put(plan, GPU_DD_ROWS, "delegates by owner", alone ? 0 : 2 * words_d, 4, NULL);
    put(plan, GPU_BIN_TABLES, "bin tables", alone ? 0 : 2 * ((uint64_t)shard->p + 1), 8, NULL);
    put(plan, GPU_COUNTERS, "counters", GPU_COUNTER_BYTES, 1, NULL);
    put_whole(plan, shard, options);
    put_sliced(plan, shard);
    put_answers(plan, shard, options);
}

/* The shard as it would be, except for its content, if the graph had p shards. */
static struct shard reshaped(const struct shard *shard, uint32_t p)
{
    struct shard s = *shard;
    double share = (double)shard->p / (double)p;
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
    return s;
}

uint32_t gpu_plan_shards(const struct shard *shard, const struct gpu_plan_options *options, uint64_t room)
{
    enum { MOST_SHARDS = 4096 };
    struct gpu_plan_options least = *options;
    least.by_classes = 1; /* a search by slices takes more */
    for (uint32_t p = shard->p; p <= MOST_SHARDS; p++) {
        struct shard s = reshaped(shard, p);
        struct gpu_plan plan;
        gpu_plan_make(&plan, p == shard->p ? shard : &s, &least);
        if (gpu_loading_bytes(&plan) <= room)
            return p;
    }
    return 0;
}
