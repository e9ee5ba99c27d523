/* plan.c: see plan.h */
#include "plan.h"

#include "traverse/answer_blocks.h"
#include "traverse/cuda/cuda_plan.h"

#include "formats/base/outfile.h"
#include "formats/manifest.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The arrays of all shards. */
struct plan_sum {
    const char *name[GPU_ARRAY_COUNT];
    uint64_t all[GPU_ARRAY_COUNT], largest[GPU_ARRAY_COUNT];
    uint64_t nn, largest_nn; /* edges */
    uint64_t graph, largest_graph, working, largest_working, largest_device;
    struct gpu_plan_options options;
};

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void add_shard(struct plan_sum *sum, const struct gpu_plan *plan)
{
    for (int i = 0; i < GPU_ARRAY_COUNT; i++) {
        const struct gpu_array *a = &plan->array[i];
        if (a->name != NULL)
            sum->name[i] = a->name;
        sum->all[i] += a->bytes;
        sum->largest[i] = larger(sum->largest[i], a->bytes);
    }
    sum->graph += plan->graph_bytes;
    sum->working += plan->working_bytes;
    sum->largest_graph = larger(sum->largest_graph, plan->graph_bytes);
    sum->largest_working = larger(sum->largest_working, plan->working_bytes);
    sum->largest_device = larger(sum->largest_device, plan->graph_bytes + plan->working_bytes);
}

/* A function that for_shards calls with each shard, which is open. */
typedef void look_at_shard(void *context, const struct shard *shard);

static enum status for_shards(const struct manifest *m, const char *folder, look_at_shard *look,
                              void *context, struct error *e)
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

static void add_locals(void *context, const struct shard *shard)
{
    *(uint64_t *)context += shard->locals;
}

static void add_planned(void *context, const struct shard *shard)
{
    struct plan_sum *sum = context;
    struct gpu_plan plan;
    uint64_t edges = shard->p > 1 ? shard->csr[NN].edges : 0;
    gpu_plan_make(&plan, shard, &sum->options);
    add_shard(sum, &plan);
    sum->nn += edges;
    sum->largest_nn = larger(sum->largest_nn, edges);
}

static enum status add_shards(struct plan_sum *sum, const struct manifest *m, const char *folder,
                              int parents, struct error *e)
{
    uint64_t vertices = m->d;
    if (for_shards(m, folder, add_locals, &vertices, e) != ST_OK)
        return e->status;
    sum->options = (struct gpu_plan_options){
        .parents = parents,
        .answers = parents || ids_are_dense(m->totals.n, vertices),
        .permuted = m->randomized};
    return for_shards(m, folder, add_planned, sum, e);
}

/* What grows in a search, up to so many bytes an edge of nn: vertices that are sent and received, in memory for
 * messages; and on the CPU bins, which grow by doubling, and the list that is made of them. */
#define MESSAGES "messages"
#define BINS "bins (cpu)"
enum { MESSAGE_BYTES = 4 + 4, BIN_BYTES = 2 * 4 + 4 };

static void print_line(FILE *out, const char *name, uint64_t all, uint64_t largest)
{
    fprintf(out, "%-28s %18" PRIu64 " %18" PRIu64 "\n", name, all, largest);
}

static void print_plan(const struct plan_sum *sum, const struct manifest *m, FILE *out)
{
    uint64_t kept = 0;
    for (int g = 0; g < SUBGRAPHS; g++)
        kept += m->edges[g];
    uint64_t table = 8 * m->totals.n + 8 * m->d * m->p + 4 * kept + 4 * m->edges[NN];
    fprintf(out, "%-28s %18s %18s\n", "bytes of device memory", "all GPUs", "largest GPU");
    for (int i = 0; i < GPU_ARRAY_COUNT; i++) {
        if (sum->all[i] > 0)
            print_line(out, sum->name[i], sum->all[i], sum->largest[i]);
    }
    fputc('\n', out);
    print_line(out, "graph", sum->graph, sum->largest_graph);
    print_line(out, "Table I", table, table / m->p);
    print_line(out, "working arrays", sum->working, sum->largest_working);
    print_line(out, "total", sum->graph + sum->working, sum->largest_device);
    if (sum->nn == 0)
        return;
    fprintf(out, "\n%-28s %18s %18s\n", "in a search, at most", "all shards", "largest shard");
    print_line(out, MESSAGES, MESSAGE_BYTES * sum->nn, MESSAGE_BYTES * sum->largest_nn);
    print_line(out, BINS, BIN_BYTES * sum->nn, BIN_BYTES * sum->largest_nn);
}

static void print_json_line(FILE *out, const char *name, uint64_t all, uint64_t largest, const char *end)
{
    fprintf(out, "  \"%s\": {\"all\": %" PRIu64 ", \"largest\": %" PRIu64 "}%s\n", name, all, largest, end);
}

static void print_json(FILE *out, const void *context)
{
    const struct plan_sum *sum = context;
    fputs("{\n", out);
    for (int i = 0; i < GPU_ARRAY_COUNT; i++) {
        if (sum->all[i] > 0)
            print_json_line(out, sum->name[i], sum->all[i], sum->largest[i], ",");
    }
    print_json_line(out, "graph", sum->graph, sum->largest_graph, ",");
    print_json_line(out, "working arrays", sum->working, sum->largest_working, ",");
    print_json_line(out, "total", sum->graph + sum->working, sum->largest_device, ",");
    print_json_line(out, MESSAGES, MESSAGE_BYTES * sum->nn, MESSAGE_BYTES * sum->largest_nn, ",");
    print_json_line(out, BINS, BIN_BYTES * sum->nn, BIN_BYTES * sum->largest_nn, "");
    fputs("}\n", out);
}

enum status plan_print(const char *folder, int parents, const char *json, struct error *e)
{
    struct manifest m;
    struct plan_sum sum;
    memset(&sum, 0, sizeof sum);
    if (manifest_read(&m, folder, e) != ST_OK)
        return e->status;
    if (add_shards(&sum, &m, folder, parents, e) == ST_OK && json != NULL) {
        outfile_print(json, print_json, &sum, e);
    } else if (e->status == ST_OK) {
        print_plan(&sum, &m, stdout);
        if (fflush(stdout) != 0 || ferror(stdout))
            fail_errno(e, "standard output", "cannot write");
    }
    manifest_free(&m);
    return e->status;
}
