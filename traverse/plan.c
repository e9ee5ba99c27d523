/* plan.c: see plan.h */
#include "plan.h"

#include "traverse/answer_blocks.h"
#include "traverse/cuda/cuda_plan.h"

#include "formats/base/outfile.h"
#include "formats/base/text.h"
#include "formats/manifest.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The arrays of all shards, with columns in one residence. */
struct plan_sum {
    const char *name[GPU_ARRAY_COUNT];
    uint64_t all[GPU_ARRAY_COUNT], largest[GPU_ARRAY_COUNT];
    uint64_t graph, largest_graph, working, largest_working, largest_device;
    uint32_t gpus; /* that would do */
    struct gpu_plan_options options;
};

enum { RESIDENCES = 2 }; /* raw and packed */

struct plans {
    struct plan_sum of[RESIDENCES];
    uint64_t nn, largest_nn; /* edges */
    const struct plan_request *request;
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

/* Of what the shards want; 0: no number would do. */
static uint32_t most_gpus(uint32_t before, uint32_t wanted, uint32_t index)
{
    if (index == 0)
        return wanted;
    return before == 0 || wanted == 0 ? 0 : (uint32_t)larger(before, wanted);
}

static void add_planned(void *context, const struct shard *shard)
{
    struct plans *plans = context;
    uint64_t edges = shard->p > 1 ? shard->csr[NN].edges : 0, room = plans->request->room;
    for (int r = 0; r < RESIDENCES; r++) {
        struct plan_sum *sum = &plans->of[r];
        struct gpu_plan plan;
        gpu_plan_make(&plan, shard, &sum->options);
        add_shard(sum, &plan);
        if (room > 0)
            sum->gpus = most_gpus(sum->gpus, gpu_plan_shards(shard, &sum->options, room), shard->index);
    }
    plans->nn += edges;
    plans->largest_nn = larger(plans->largest_nn, edges);
}

static enum status add_shards(struct plans *plans, const struct manifest *m, struct error *e)
{
    const struct plan_request *request = plans->request;
    uint64_t vertices = m->d;
    if (for_shards(m, request->folder, add_locals, &vertices, e) != ST_OK)
        return e->status;
    for (int r = 0; r < RESIDENCES; r++)
        plans->of[r].options = (struct gpu_plan_options){
            .parents = request->parents,
            .answers = request->parents || ids_are_dense(m->totals.n, vertices),
            .permuted = m->randomized,
            .resident = (enum residence)r};
    return for_shards(m, request->folder, add_planned, plans, e);
}

/* Whose arrays are listed. */
static const struct plan_sum *listed(const struct plans *plans)
{
    return &plans->of[plans->request->resident == RESIDENT_PACKED ? RESIDENT_PACKED : RESIDENT_RAW];
}

/* What grows in a search, up to so many bytes an edge of nn: vertices that are sent and received, in memory for
 * messages; and on the CPU bins, which grow by doubling, and the list that is made of them. */
#define MESSAGES "messages"
#define BINS "bins (cpu)"
#define GRAPH_PACKED "graph, packed"
#define WORKING_PACKED "working arrays, packed"
#define TOTAL_PACKED "total, packed"
enum { MESSAGE_BYTES = 4 + 4, BIN_BYTES = 2 * 4 + 4 };

static void print_line(FILE *out, const char *name, uint64_t all, uint64_t largest)
{
    fprintf(out, "%-28s %18" PRIu64 " %18" PRIu64 "\n", name, all, largest);
}

static void print_gpus(FILE *out, const char *name, uint32_t gpus, uint64_t room)
{
    char size[16];
    format_size(room, size, sizeof size);
    if (gpus > 0)
        fprintf(out, "about %u GPUs with %s each would do, %s\n", gpus, size, name);
    else
        fprintf(out, "no number of GPUs with %s each would do, %s\n", size, name);
}

static void print_sums(const struct plans *plans, FILE *out)
{
    const struct plan_sum *raw = &plans->of[RESIDENT_RAW], *packed = &plans->of[RESIDENT_PACKED];
    print_line(out, "working arrays", raw->working, raw->largest_working);
    print_line(out, "total", raw->graph + raw->working, raw->largest_device);
    print_line(out, GRAPH_PACKED, packed->graph, packed->largest_graph);
    print_line(out, WORKING_PACKED, packed->working, packed->largest_working);
    print_line(out, TOTAL_PACKED, packed->graph + packed->working, packed->largest_device);
}

static void print_plan(const struct plans *plans, const struct manifest *m, FILE *out)
{
    const struct plan_sum *sum = listed(plans), *raw = &plans->of[RESIDENT_RAW];
    uint64_t kept = 0, room = plans->request->room;
    for (int g = 0; g < SUBGRAPHS; g++)
        kept += m->edges[g];
    uint64_t table = 8 * m->totals.n + 8 * m->d * m->p + 4 * kept + 4 * m->edges[NN];
    fprintf(out, "%-28s %18s %18s\n", "bytes of device memory", "all GPUs", "largest GPU");
    for (int i = 0; i < GPU_ARRAY_COUNT; i++) {
        if (sum->all[i] > 0)
            print_line(out, sum->name[i], sum->all[i], sum->largest[i]);
    }
    fputc('\n', out);
    print_line(out, "graph", raw->graph, raw->largest_graph);
    print_line(out, "Table I", table, table / m->p);
    print_sums(plans, out);
    for (int r = 0; r < RESIDENCES && room > 0; r++)
        print_gpus(out, residence_name[r], plans->of[r].gpus, room);
    if (plans->nn == 0)
        return;
    fprintf(out, "\n%-28s %18s %18s\n", "in a search, at most", "all shards", "largest shard");
    print_line(out, MESSAGES, MESSAGE_BYTES * plans->nn, MESSAGE_BYTES * plans->largest_nn);
    print_line(out, BINS, BIN_BYTES * plans->nn, BIN_BYTES * plans->largest_nn);
}

static void print_json_line(FILE *out, const char *name, uint64_t all, uint64_t largest, const char *end)
{
    fprintf(out, "  \"%s\": {\"all\": %" PRIu64 ", \"largest\": %" PRIu64 "}%s\n", name, all, largest, end);
}

static void print_json(FILE *out, const void *context)
{
    const struct plans *plans = context;
    const struct plan_sum *sum = listed(plans), *raw = &plans->of[RESIDENT_RAW];
    const struct plan_sum *packed = &plans->of[RESIDENT_PACKED];
    fputs("{\n", out);
    for (int i = 0; i < GPU_ARRAY_COUNT; i++) {
        if (sum->all[i] > 0)
            print_json_line(out, sum->name[i], sum->all[i], sum->largest[i], ",");
    }
    print_json_line(out, "graph", raw->graph, raw->largest_graph, ",");
    print_json_line(out, "working arrays", raw->working, raw->largest_working, ",");
    print_json_line(out, "total", raw->graph + raw->working, raw->largest_device, ",");
    print_json_line(out, GRAPH_PACKED, packed->graph, packed->largest_graph, ",");
    print_json_line(out, WORKING_PACKED, packed->working, packed->largest_working, ",");
    print_json_line(out, TOTAL_PACKED, packed->graph + packed->working, packed->largest_device, ",");
    if (plans->request->room > 0)
        fprintf(out, "  \"GPUs\": {\"room\": %" PRIu64 ", \"raw\": %u, \"packed\": %u},\n",
                plans->request->room, raw->gpus, packed->gpus);
    print_json_line(out, MESSAGES, MESSAGE_BYTES * plans->nn, MESSAGE_BYTES * plans->largest_nn, ",");
    print_json_line(out, BINS, BIN_BYTES * plans->nn, BIN_BYTES * plans->largest_nn, "");
    fputs("}\n", out);
}

enum status plan_print(const struct plan_request *request, struct error *e)
{
    struct manifest m;
    struct plans plans;
    memset(&plans, 0, sizeof plans);
    plans.request = request;
    if (manifest_read(&m, request->folder, e) != ST_OK)
        return e->status;
    if (add_shards(&plans, &m, e) == ST_OK && request->json != NULL) {
        outfile_print(request->json, print_json, &plans, e);
    } else if (e->status == ST_OK) {
        print_plan(&plans, &m, stdout);
        if (fflush(stdout) != 0 || ferror(stdout))
            fail_errno(e, "standard output", "cannot write");
    }
    manifest_free(&m);
    return e->status;
}
