/* plan.c: see plan.h */
#include "plan.h"

#include "traverse/engine/answer_ids.h"
#include "traverse/cuda/device/cuda_plan.h"
#include "report_text.h"

#include "formats/base/arith.h"
#include "formats/base/outfile.h"
#include "formats/base/text.h"
#include "formats/graph/manifest.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of all shards, and of the largest. */
struct plan_bytes {
    uint64_t all, largest;
};

/* Bytes of all shards, with columns in one residence. */
struct plan_sum {
    const char *name[GPU_ARRAY_COUNT];
    struct plan_bytes array[GPU_ARRAY_COUNT];
    struct plan_bytes graph, working, total;
    struct plan_bytes loading; /* as total, while the shard is loaded */
    struct plan_bytes ample;   /* as total, with memory for speed */
    struct plan_bytes host;    /* memory of the host */
    uint32_t gpus;             /* so many are enough */
    struct gpu_plan_options options;
};

struct plans {
    struct plan_sum of[RESIDENCES];
    struct plan_bytes nn;       /* edges */
    struct plan_bytes messages; /* ids and words of masks, 4 bytes each */
    uint64_t locals, words;     /* of all shards: normals, and words of their masks */
    const struct manifest *manifest;
    const struct args *args;
};

static void add_bytes(struct plan_bytes *sum, uint64_t bytes)
{
    sum->all += bytes;
    sum->largest = larger(sum->largest, bytes);
}

static void add_shard(struct plan_sum *sum, const struct gpu_plan *plan)
{
    for (int i = 0; i < GPU_ARRAY_COUNT; i++) {
        if (plan->array[i].name != NULL)
            sum->name[i] = plan->array[i].name;
        add_bytes(&sum->array[i], plan->array[i].bytes);
    }
    add_bytes(&sum->graph, plan->graph_bytes);
    add_bytes(&sum->working, plan->working_bytes);
    add_bytes(&sum->total, gpu_plan_bytes(plan));
    add_bytes(&sum->loading, gpu_loading_bytes(plan));
    add_bytes(&sum->host, plan->host_bytes);
}

/* Called with each shard in turn, while the shard is open. */
typedef void look_at_shard(void *context, const struct shard *shard);

static enum status for_shards(const struct manifest *m, const char *folder, look_at_shard *look, void *context,
                              struct error *e)
{
    for (uint32_t s = 0; s < m->p; s++) {
        struct shard shard;
        if (manifest_open_shard(m, folder, s, &shard, e) != ST_OK)
            return e->status;
        look(context, &shard);
        shard_close(&shard);
    }
    return ST_OK;
}

/* 32-bit words of the bitmap of a shard's normals, if vertices may be sent as bitmaps. */
static uint64_t words_of(const struct shard *shard)
{
    return shard_has_masks(shard) ? gpu_mask_words(shard->locals) : 0;
}

static void add_locals(void *context, const struct shard *shard)
{
    struct plans *plans = context;
    plans->locals += shard->locals;
    plans->words += words_of(shard);
}

/* Adds the bytes of a shard in each residence, and of the messages of a level. */
static void add_planned(void *context, const struct shard *shard)
{
    struct plans *plans = context;
    const uint64_t capacity = plans->args->cli.memory_bytes;
    for (int r = 0; r < RESIDENCES; r++) {
        struct plan_sum *sum = &plans->of[r];
        struct gpu_plan_options ample = sum->options;
        struct gpu_plan plan;
        ample.saves = 0;
        gpu_plan_make(&plan, shard, &ample);
        add_bytes(&sum->ample, gpu_plan_bytes(&plan));
        gpu_plan_make(&plan, shard, &sum->options);
        add_shard(sum, &plan);
        if (capacity == 0)
            continue;
        const uint32_t gpus = gpu_plan_shards(shard, &sum->options, capacity); /* 0: no number is enough */
        if (shard->index == 0)
            sum->gpus = gpus;
        else
            sum->gpus = sum->gpus == 0 || gpus == 0 ? 0 : (uint32_t)larger(sum->gpus, gpus);
    }
    if (shard->p == 1)
        return;
    /* The most that a shard sends and receives in a level, as ids or as bitmaps. Each edge that leads out of the shard has a
     * reverse that leads back. */
    const uint64_t edges = shard->csr[NN].edges, words = words_of(shard);
    add_bytes(&plans->nn, edges);
    add_bytes(&plans->messages, larger(edges, plans->words - words) + larger(edges, (shard->p - 1) * words));
}

static enum status add_shards(struct plans *plans, const struct manifest *m, struct error *e)
{
    const struct args *args = plans->args;
    if (for_shards(m, args->folder, add_locals, plans, e) != ST_OK)
        return e->status;
    for (int r = 0; r < RESIDENCES; r++)
        plans->of[r].options = (struct gpu_plan_options){
            .parents = args->record_parents,
            .answers = args->record_parents || ids_are_dense(m->totals.n, m->d + plans->locals),
            .permuted = m->randomized,
            .resident = (enum residence)r,
            .hosted = GPU_ALL_HOSTED,
            .by_classes = direction_by_classes(&args->policy),
            .saves = r != RESIDENT_RAW};
    return for_shards(m, args->folder, add_planned, plans, e);
}

/* The residence whose arrays are listed. */
static const struct plan_sum *listed(const struct plans *plans)
{
    enum residence resident = plans->args->resident;
    return &plans->of[resident == RESIDENT_AUTO ? RESIDENT_RAW : resident];
}

/* Prints an array's name and its bytes, of all shards and of the largest: as a line of text (print_line) or as a member of a
 * JSON object (print_json_line). */
typedef void print_bytes(FILE *out, const char *name, const struct plan_bytes *bytes);

static void print_line(FILE *out, const char *name, const struct plan_bytes *bytes)
{
    fprintf(out, "%-28s %18" PRIu64 " %18" PRIu64 "\n", name, bytes->all, bytes->largest);
}

static void print_json_line(FILE *out, const char *name, const struct plan_bytes *bytes)
{
    fprintf(out, ",\n  \"%s\": {\"all\": %" PRIu64 ", \"largest\": %" PRIu64 "}", name, bytes->all,
            bytes->largest);
}

static void print_arrays(const struct plan_sum *sum, print_bytes *print, FILE *out)
{
    for (int i = 0; i < GPU_ARRAY_COUNT; i++) {
        char name[64];
        if (sum->array[i].all == 0)
            continue;
        snprintf(name, sizeof name, "%s %s", subgraph_name[i / GPU_SECTIONS % ROW_SETS], sum->name[i]);
        print(out, i < GPU_MASKS ? name : sum->name[i], &sum->array[i]);
    }
}

enum { SUMS = 6 };
static const char *const sum_names[RESIDENCES][SUMS] = {
    {"graph", "working arrays", "total", "total, while loading"},
    {"graph, packed", "working arrays, packed", "total, packed", NULL, "total, packed, for speed"},
    {"graph, host", "working arrays, host", "total, host", NULL, "total, host, for speed", "memory of the host"}};

static void print_sums(const struct plans *plans, print_bytes *print, FILE *out)
{
    for (int i = 0; i < RESIDENCES; i++) {
        const struct plan_sum *sum = &plans->of[i];
        const char *const *name = sum_names[i];
        const struct plan_bytes *bytes[SUMS] = {&sum->graph, &sum->working, &sum->total, &sum->loading,
                                                &sum->ample, &sum->host};
        for (int s = 0; s < SUMS; s++) {
            if (name[s] != NULL)
                print(out, name[s], bytes[s]);
        }
    }
}

/* Prints memory that grows in a search: messages, and on the CPU bins, which double, and the list made of them, up
 * to so many bytes for an edge of nn. */
static void print_growing(const struct plans *plans, print_bytes *print, FILE *out)
{
    enum { UNIT_BYTES = 4, BIN_BYTES = 2 * 4 + 4 };
    const struct plan_bytes *nn = &plans->nn, *messages = &plans->messages;
    print(out, "messages", &(struct plan_bytes){UNIT_BYTES * messages->all, UNIT_BYTES * messages->largest});
    print(out, "bins (cpu)", &(struct plan_bytes){BIN_BYTES * nn->all, BIN_BYTES * nn->largest});
}

/* Prints the plan as text: edges of each subgraph, bytes of each array and their sums beside Table I of the paper, how many
 * GPUs of --memory's size would do, and what grows in a search. */
static void print_plan(const struct plans *plans, const struct manifest *m, FILE *out)
{
    const uint64_t capacity = plans->args->cli.memory_bytes;
    uint64_t kept = 0;
    for (int g = 0; g < SUBGRAPHS; g++)
        kept += m->edges[g];
    const uint64_t table = 8 * m->totals.n + 8 * m->d * m->p + 4 * kept + 4 * m->edges[NN]; /* Table I of Pan et al. */
    edges_print(out, m, 0);
    fprintf(out, "%-28s %18s %18s\n", "bytes of device memory", "all GPUs", "largest GPU");
    print_arrays(listed(plans), print_line, out);
    fputc('\n', out);
    print_sums(plans, print_line, out);
    print_line(out, "Table I", &(struct plan_bytes){table, table / m->p});
    for (int r = 0; r < RESIDENCES && capacity > 0; r++) {
        char size[16];
        format_size(capacity, size, sizeof size);
        if (plans->of[r].gpus > 0)
            fprintf(out, "about %u GPUs with %s each would do, %s\n", plans->of[r].gpus, size, residence_name[r]);
        else
            fprintf(out, "no number of GPUs with %s each would do, %s\n", size, residence_name[r]);
    }
    if (plans->nn.all == 0)
        return;
    fprintf(out, "\n%-28s %18s %18s\n", "in a search, at most", "all shards", "largest shard");
    print_growing(plans, print_line, out);
}

static void print_json(FILE *out, const void *context)
{
    const struct plans *plans = context;
    fprintf(out, "{\n  \"shards\": %u,\n  ", plans->manifest->p);
    edges_json(out, plans->manifest);
    print_arrays(listed(plans), print_json_line, out);
    print_sums(plans, print_json_line, out);
    print_growing(plans, print_json_line, out);
    if (plans->args->cli.memory_bytes > 0) {
        fprintf(out, ",\n  \"GPUs\": {\"room\": %" PRIu64, plans->args->cli.memory_bytes);
        for (int r = 0; r < RESIDENCES; r++)
            fprintf(out, ", \"%s\": %u", residence_name[r], plans->of[r].gpus);
        fputs("}", out);
    }
    fputs("\n}\n", out);
}

enum status plan_print(const struct args *args, struct error *e)
{
    struct manifest m;
    struct plans plans;
    memset(&plans, 0, sizeof plans);
    plans.args = args;
    if (manifest_read(&m, args->folder, e) != ST_OK)
        return e->status;
    plans.manifest = &m;
    if (add_shards(&plans, &m, e) == ST_OK && args->json != NULL) {
        outfile_print(args->json, print_json, &plans, e);
    } else if (e->status == ST_OK) {
        print_plan(&plans, &m, stdout);
        stream_flush(stdout, e);
    }
    manifest_free(&m);
    return e->status;
}
