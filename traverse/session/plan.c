/* plan.c: adds up the device memory that all shards need, and prints the sums (--plan); see plan.h */
#include "plan.h"

#include "traverse/engine/answer_ids.h"
#include "traverse/cuda/device/cuda_plan.h"
#include "predict_time.h"
#include "report_text.h"

#include "formats/base/arith.h"
#include "formats/base/json_format.h"
#include "formats/base/outfile.h"
#include "formats/base/text.h"

/* A number of bytes or of edges: the sum over all shards, and the largest number of any shard. */
struct plan_count {
    uint64_t all, largest;
};

enum plan_sum {
    SUM_GRAPH,
    SUM_WORKING,
    SUM_TOTAL,
    SUM_LOADING, /* SUM_TOTAL and the memory that is needed only while the shard is loaded */
    SUM_AMPLE,   /* SUM_TOTAL and additional memory that makes searches faster */
    SUM_HOST,    /* the memory of the host from which the GPU reads */
    SUMS
};

/* The names of the sums. A sum without a name (NULL) is not printed. */
static const char *const sum_name[RESIDENCES][SUMS] = {
    {"graph", "working arrays", "total", "total, while loading"},
    {"graph, packed", "working arrays, packed", "total, packed", NULL, "total, packed, for speed"},
    {"graph, host", "working arrays, host", "total, host", NULL, "total, host, for speed", "memory of the host"}};

/* The device memory of all shards for one way to keep columns: RESIDENT_RAW, RESIDENT_PACKED or RESIDENT_HOST. */
struct residence_plan {
    struct gpu_plan_options options;
    const char *name[GPU_ARRAY_COUNT];
    struct plan_count array[GPU_ARRAY_COUNT], sum[SUMS];
    uint32_t gpus; /* the number of GPUs with -S bytes of memory each that can hold the graph; 0: no number is enough */
};

/* The plan of the device memory of a graph. */
struct plan {
    const struct args *args;
    struct manifest manifest;
    struct residence_plan of[RESIDENCES]; /* one plan for each residence of columns */
    const char *mode;               /* how a single GPU searches columns that lie raw; NULL: the graph has several shards */
    uint64_t locals, words;         /* sums over all shards: of the number of normal vertices, and of bitmap_words_of */
    struct shard joined; /* of several shards: the sums of their sizes, as one shard has them. It has no content */
    struct joined_bytes joined_bytes;
    struct plan_count nn, messages; /* edges of nn; most ids or words of bitmaps that a shard sends and receives in a level */
};

/* ---- adding up shards ---- */

/* Adds the bytes of a shard to sum->all. If sum->largest is less, sets it to these bytes. */
static void add_bytes(struct plan_count *sum, uint64_t bytes)
{
    sum->all += bytes;
    sum->largest = larger(sum->largest, bytes);
}

/* Returns the number of 32-bit words in a bitmap of the shard's normal vertices; 0 if the shard cannot send bitmaps. */
static uint64_t bitmap_words_of(const struct shard *shard)
{
    return shard_has_masks(shard) ? gpu_mask_words(shard->locals) : 0;
}

/* Adds the device memory of a shard to the sums of each residence, and its messages to plan->messages. Raises `gpus` of each
 * residence to the number of GPUs that this shard needs, or sets it to 0 if no number is enough. plan->words must be the sum
 * over all shards. */
static void add_shard(struct plan *plan, const struct shard *shard)
{
    const uint64_t capacity = plan->args->cli.memory_bytes;
    for (int r = 0; r < RESIDENCES; r++) {
        struct residence_plan *of = &plan->of[r];
        struct gpu_plan_options ample = of->options;
        struct gpu_plan gpu;
        ample.saves = 0;
        gpu_plan_make(&gpu, shard, &ample);
        add_bytes(&of->sum[SUM_AMPLE], gpu_plan_bytes(&gpu));
        gpu_plan_make(&gpu, shard, &of->options);
        if (r == RESIDENT_RAW && shard->p == 1)
            plan->mode = !gpu_searches_by_slices(&gpu, shard)  ? "fused"
                         : !gpu_slices_have_heads(&gpu, shard) ? "sliced"
                                                               : "sliced by rows";
        for (int i = 0; i < GPU_ARRAY_COUNT; i++) {
            if (gpu.array[i].name != NULL)
                of->name[i] = gpu.array[i].name;
            add_bytes(&of->array[i], gpu.array[i].bytes);
        }
        add_bytes(&of->sum[SUM_GRAPH], gpu.graph_bytes);
        add_bytes(&of->sum[SUM_WORKING], gpu.working_bytes);
        add_bytes(&of->sum[SUM_TOTAL], gpu_plan_bytes(&gpu));
        add_bytes(&of->sum[SUM_LOADING], gpu_loading_bytes(&gpu));
        add_bytes(&of->sum[SUM_HOST], gpu.host_bytes);
        const uint32_t gpus = capacity > 0 ? gpu_plan_shards(shard, &of->options, capacity) : 0;
        const int first = shard->index == 0, none = gpus == 0 || of->gpus == 0;
        of->gpus = first ? gpus : none ? 0 : (uint32_t)larger(of->gpus, gpus);
    }
    if (shard->p == 1)
        return;
    /* Counts ids or bitmaps, whichever are larger, once as sent and once as received. A shard receives as many ids as it sends,
     * because each edge to another shard has a reverse edge. */
    const uint64_t edges = shard->csr[NN].edges, words = bitmap_words_of(shard);
    add_bytes(&plan->nn, edges);
    add_bytes(&plan->messages, larger(edges, plan->words - words) + larger(edges, (shard->p - 1) * words));
}

/* Adds the sizes of a shard to those of plan->joined. */
static void add_to_joined(struct plan *plan, const struct shard *shard)
{
    struct shard *joined = &plan->joined;
    if (shard->index == 0) {
        joined->kept = shard->kept;
        joined->p = 1;
        joined->n = shard->n;
        joined->d = shard->d;
    }
    joined->locals += shard->locals;
    for (int g = 0; g < shard_row_sets(shard); g++) {
        struct csr *to = &joined->csr[g];
        const struct csr *from = &shard->csr[g];
        to->rows = subgraph_rows((enum subgraph)g) == NORMALS ? joined->locals : joined->d;
        to->edges += from->edges;
        to->column_count += from->edges; /* at most: some lie in heads */
        to->head_columns = (uint32_t)larger(to->head_columns, from->head_columns);
        to->column_width = 4;
        to->offset_width = to->column_count > UINT32_MAX ? 8 : 4;
    }
}

/* Sets plan->joined_bytes, from plan->joined. `open` is any shard of the graph, whose file the plan asks for encodings. */
static void plan_one_gpu(struct plan *plan, const struct shard *open)
{
    struct gpu_plan gpu;
    plan->joined.file = open->file;
    plan->joined.degrees = open->degrees;
    gpu_plan_make(&gpu, &plan->joined, &plan->of[RESIDENT_RAW].options);
    plan->joined_bytes = (struct joined_bytes){gpu_plan_bytes(&gpu), 2 * gpu.graph_bytes + 16 * plan->joined.locals};
}

/* Adds up the bytes of all shards. Opens each shard twice, because the bytes of a shard depend on `locals` and `words` of
 * all shards: the first pass sums these two, and the second pass adds the bytes. */
static enum status add_shards(struct plan *plan, struct error *e)
{
    const struct args *args = plan->args;
    const struct manifest *m = &plan->manifest;
    struct shard shard;
    for (uint32_t s = 0; s < m->p; s++) {
        if (manifest_open_shard(m, args->folder, s, &shard, e) != ST_OK)
            return e->status;
        plan->locals += shard.locals;
        plan->words += bitmap_words_of(&shard);
        add_to_joined(plan, &shard);
        shard_close(&shard);
    }
    for (int r = 0; r < RESIDENCES; r++)
        plan->of[r].options = (struct gpu_plan_options){
            .parents = args->record_parents,
            .answers = args->record_parents || ids_are_dense(m->totals.n, m->d + plan->locals),
            .permuted = m->randomized,
            .resident = (enum residence)r,
            .hosted = GPU_ALL_HOSTED,
            .by_subgraphs = direction_by_subgraphs(&args->policy),
            .gpu = &gpu_traits_known[args->plan_gpu],
            .saves = r != RESIDENT_RAW};
    for (uint32_t s = 0; s < m->p; s++) {
        if (manifest_open_shard(m, args->folder, s, &shard, e) != ST_OK)
            return e->status;
        add_shard(plan, &shard);
        if (s == 0)
            plan_one_gpu(plan, &shard);
        shard_close(&shard);
    }
    return ST_OK;
}

/* ---- printing ---- */

/* Prints the bytes of all shards and of the largest shard: with --json as a member of an object, otherwise as a line of
 * text. */
static void print_bytes(FILE *out, const struct plan *plan, const char *name, uint64_t all, uint64_t largest)
{
    if (plan->args->json != NULL)
        fprintf(out, ",\n  \"%s\": {\"all\": %" PRIu64 ", \"largest\": %" PRIu64 "}", name, all, largest);
    else
        fprintf(out, "%-28s %18" PRIu64 " %18" PRIu64 "\n", name, all, largest);
}

/* Prints the bytes of each array that is not empty, for columns in the residence of --resident ("auto": RESIDENT_RAW). */
static void print_arrays(FILE *out, const struct plan *plan)
{
    const enum residence wanted = plan->args->resident;
    const struct residence_plan *of = &plan->of[wanted == RESIDENT_AUTO ? RESIDENT_RAW : wanted];
    for (int i = 0; i < GPU_ARRAY_COUNT; i++) {
        char name[64] = "";
        if (i < GPU_MASKS)
            snprintf(name, sizeof name, "%s %s", subgraph_name[i / GPU_SECTIONS % ROW_SETS], of->name[i]);
        if (of->array[i].all > 0)
            print_bytes(out, plan, i < GPU_MASKS ? name : of->name[i], of->array[i].all, of->array[i].largest);
    }
}

/* Prints the sums of each residence. Leaves out sums without a name. */
static void print_sums(FILE *out, const struct plan *plan)
{
    for (int r = 0; r < RESIDENCES; r++) {
        for (int s = 0; s < SUMS; s++) {
            if (sum_name[r][s] != NULL)
                print_bytes(out, plan, sum_name[r][s], plan->of[r].sum[s].all, plan->of[r].sum[s].largest);
        }
    }
    if (plan->manifest.p > 1)
        print_bytes(out, plan, "total, joined", plan->joined_bytes.device, plan->joined_bytes.device);
}

/* Prints the largest sizes of the arrays that grow during a search. Messages have 4 bytes for each id. On the CPU, vertices
 * for other shards are collected in bins and then copied into a list. This takes 12 bytes for each edge of nn: 4 in the
 * list, and 8 in the bins, because a growing bin may have twice the space that it needs. */
static void print_growing(FILE *out, const struct plan *plan)
{
    enum { UNIT_BYTES = 4, BIN_BYTES = 2 * 4 + 4 };
    print_bytes(out, plan, "messages", UNIT_BYTES * plan->messages.all, UNIT_BYTES * plan->messages.largest);
    print_bytes(out, plan, "bins (cpu)", BIN_BYTES * plan->nn.all, BIN_BYTES * plan->nn.largest);
}

/* Prints the plan as text, with all that plan.h lists. */
static void print_text(FILE *out, const struct plan *plan)
{
    const struct manifest *m = &plan->manifest;
    const uint64_t capacity = plan->args->cli.memory_bytes;
    uint64_t table = 8 * m->totals.n + 8 * m->d * m->p + 4 * m->edges[NN]; /* Table I of Pan et al. */
    for (int g = 0; g < SUBGRAPHS; g++)
        table += 4 * m->edges[g];
    edges_print(out, m, 0);
    fputs("for a GPU like ", out);
    gpu_traits_print(out, &gpu_traits_known[plan->args->plan_gpu]);
    fprintf(out, "%s%s\n", plan->mode != NULL ? "\na single GPU searches " : "", plan->mode != NULL ? plan->mode : "");
    fprintf(out, "%-28s %18s %18s\n", "bytes of device memory", "all GPUs", "largest GPU");
    print_arrays(out, plan);
    fputc('\n', out);
    print_sums(out, plan);
    print_bytes(out, plan, "Table I", table, table / m->p);
    for (int r = 0; r < RESIDENCES && capacity > 0; r++) {
        char size[16];
        format_size(capacity, size, sizeof size);
        if (plan->of[r].gpus > 0)
            fprintf(out, "about %u GPUs with %s each would do, %s\n", plan->of[r].gpus, size, residence_name[r]);
        else
            fprintf(out, "no number of GPUs with %s each would do, %s\n", size, residence_name[r]);
    }
    if (m->p > 1)
        fprintf(out, "a search is predicted to take %.0f us by %u GPUs, and %.0f us by one with all shards joined\n",
                1e6 * predicted_seconds(m, m->p), m->p, 1e6 * predicted_seconds(m, 1));
    if (plan->nn.all == 0)
        return;
    fprintf(out, "\n%-28s %18s %18s\n", "in a search, at most", "all shards", "largest shard");
    print_growing(out, plan);
}

/* Called by outfile_print. Prints the plan as a JSON object. The context is a struct plan. */
static void print_json(FILE *out, const void *context)
{
    const struct plan *plan = context;
    struct json json = {out, "  ", 0};
    fputs(JSON_OPEN, out);
    json_member(&json, "shards", "%u", plan->manifest.p);
    json_text(&json, "gpu", gpu_traits_known[plan->args->plan_gpu].name);
    if (plan->mode != NULL)
        json_text(&json, "mode", plan->mode);
    edges_json(&json, &plan->manifest);
    print_arrays(out, plan);
    print_sums(out, plan);
    print_growing(out, plan);
    if (plan->manifest.p > 1) {
        json_begin(&json, "\npredicted_s", '{');
        json_member(&json, "gpus", JSON_SECONDS, predicted_seconds(&plan->manifest, plan->manifest.p));
        json_member(&json, "one_gpu", JSON_SECONDS, predicted_seconds(&plan->manifest, 1));
        json_end(&json, '}');
    }
    if (plan->args->cli.memory_bytes > 0) {
        json_begin(&json, "\nGPUs", '{');
        json_member(&json, "room", JSON_COUNT, plan->args->cli.memory_bytes);
        for (int r = 0; r < RESIDENCES; r++)
            json_member(&json, residence_name[r], "%u", plan->of[r].gpus);
        json_end(&json, '}');
    }
    fputs("\n}\n", out);
}

enum status plan_joined(const struct args *args, struct joined_bytes *bytes, struct error *e)
{
    struct plan plan = {.args = args};
    if (manifest_read(&plan.manifest, args->folder, e) == ST_OK && add_shards(&plan, e) == ST_OK)
        *bytes = plan.joined_bytes;
    manifest_free(&plan.manifest);
    return e->status;
}

/* Computes the device memory that the graph in args->folder needs, and prints it. */
enum status plan_print(const struct args *args, struct error *e)
{
    struct plan plan = {.args = args};
    if (manifest_read(&plan.manifest, args->folder, e) != ST_OK)
        return e->status;
    if (add_shards(&plan, e) == ST_OK && args->json != NULL) {
        outfile_print(args->json, print_json, &plan, e);
    } else if (e->status == ST_OK) {
        print_text(stdout, &plan);
        stream_flush(stdout, e);
    }
    manifest_free(&plan.manifest);
    return e->status;
}
