/* plant_faults.c: gives the validator of dbfs-graph500 answers with planted faults
 *
 *   plant_faults cpu|cuda DIR ROOT [FAULT...] [/ [FAULT...]]...        also under mpiexec
 *
 * For each set of faults it searches from ROOT, plants them, validates, and prints the first offence, a line each. It
 * exits with 4 if there is one. Faults: p ID PARENT, d ID DEPTH, r ROOT (validation is asked about this root). */
#include "traverse/programs/graph500/validate.h"
#include "traverse/session/record.h"

#include "formats/base/cli.h"

#ifdef DBFS_CUDA
#include "traverse/cuda/device/cuda_device.h"
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FAULTS = 4, /* the first argument that is a fault */
       MOST_ROOTS = 8 };

struct planting {
    char *const *command; /* argv */
    struct args args;
    struct searcher searcher;
    struct validation validation;
};

/* Changes the answer, at the owner of the vertex. */
static void set_parent(const struct searcher *s, uint64_t id, int64_t parent, struct error *e)
{
    answers_set_value(&s->results.answers, stored_id(&s->graph, id), parent, e);
}

/* Changes a depth where the proof of device g reads it: on a GPU in its memory, else in the results. */
static void set_depth_on(struct searcher *s, uint32_t g, uint64_t vertex, int32_t depth, struct error *e)
{
    const uint64_t locals = s->graph.shards[g].locals;
    const int is_local = vertex < locals;
#ifdef DBFS_CUDA
    struct device *dev = s->rank.devices[g];
    if (s->rank.backend == &backend_cuda) {
        gpu_copy(dev, is_local ? dev->of[NORMALS].depth + vertex : dev->of[DELEGATES].depth + (vertex - locals), &depth,
                 sizeof depth, e);
        return;
    }
#endif
    (void)e;
    *(is_local ? s->results.depth[g] + vertex : s->results.delegate_depth + (vertex - locals)) = depth;
}

/* Changes the depth of the vertex with an input id. */
static void set_depth(struct searcher *s, uint64_t id, int32_t depth, struct error *e)
{
    for (uint32_t g = 0; g < s->rank.device_count; g++) {
        const struct shard *shard = &s->graph.shards[g];
        for (uint64_t i = 0; i < shard->locals + shard->d && e->status == ST_OK; i++) {
            if (original_id(&s->graph, numbered_vertex_id(shard, i)) == id)
                set_depth_on(s, g, i, depth, e);
        }
    }
}

static uint64_t place_of_root(const struct planting *b, uint64_t id)
{
    uint64_t i = 0;
    while (b->searcher.roots.ids[i] != id)
        i++;
    return i;
}

/* Plants the set of faults that begins at argv[*at] and moves *at behind it. Returns the place of the root for
 * validation. */
static uint64_t plant(struct planting *b, char *const *argv, int *at, struct error *e)
{
    uint64_t asked = 0;
    int i = *at;
    while (argv[i] != NULL && argv[i][0] != '/') {
        const char kind = argv[i][0];
        uint64_t id = strtoull(argv[i + 1], NULL, 10);
        if (kind == 'r')
            asked = place_of_root(b, id);
        else if (kind == 'p')
            set_parent(&b->searcher, id, atoll(argv[i + 2]), e);
        else
            set_depth(&b->searcher, id, atoi(argv[i + 2]), e);
        i += kind == 'r' ? 2 : 3;
    }
    *at = i;
    return asked;
}

/* Searches once with one set of faults. Returns 1 if there is an offence. */
static int judge(struct planting *b, int *at, struct error *e)
{
    struct record record = {0};
    struct offence first = {0};
    char text[160];
    if (record_search(&record, &b->searcher, &b->args, &(struct root_set){b->searcher.roots.root, 1}, e) != ST_OK)
        return 0;
    uint64_t root = plant(b, b->command, at, e);
    if (validation_check(&b->validation, &b->searcher.roots.root[root], &first, e) != ST_OK)
        return 0;
    offence_print(&first, /* base */ 0, text, sizeof text);
    if (b->searcher.comm.rank == 0)
        puts(text);
    return first.kind != OFFENCE_NONE;
}

static void work(void *context, struct error *e)
{
    struct planting *b = context;
    int at = FAULTS, wrong = 0;
    struct searcher *s = &b->searcher;
    if (searcher_open(s, 1, e) != ST_OK || validation_open(&b->validation, &s->rank, &s->results, e) != ST_OK ||
        roots_choose(&s->roots, &s->rank, &b->args, NULL, e) != ST_OK)
        return;
    do
        wrong += judge(b, &at, e);
    while (e->status == ST_OK && b->command[at++] != NULL);
    if (e->status == ST_OK && wrong > 0)
        fail(e, ST_INVALID, "%d trees are wrong", wrong);
}

static void close(void *context)
{
    validation_close(&((struct planting *)context)->validation);
}

int main(int argc, char **argv)
{
    static struct planting b;
    uint64_t *roots = calloc(MOST_ROOTS, sizeof *roots);
    if (argc < FAULTS || roots == NULL)
        return ST_USAGE;
    b.searcher.method = &bfs_by_levels;
    args_begin(&b.args, "dbfs-graph500");
    b.args.answer = ANSWER_PARENTS;
    b.args.record_parents = 1;
    b.command = argv;
    b.args.folder = argv[2];
    b.args.roots_given = 1;
    b.args.roots = roots;
    b.args.backend = strcmp(argv[1], "cuda") == 0 ? BACKEND_CUDA : BACKEND_CPU;
    if (b.args.backend == BACKEND_CUDA) /* all ranks prove, also where they share a GPU */
        b.args.exchange.memory = EXCHANGE_MEMORY_PEER;
    b.args.cli.threads = 2;
    roots[0] = strtoull(argv[3], NULL, 10);
    b.args.count = 1;
    for (int i = FAULTS; i + 1 < argc && b.args.count < MOST_ROOTS; i++) {
        if (argv[i][0] == 'r')
            roots[b.args.count++] = strtoull(argv[i + 1], NULL, 10);
    }
    return searcher_run(&b.searcher, &b.args, 0, work, close, &b);
}
