/* plant_faults.c: the validator of dbfs-graph500 on answers with planted faults
 *
 *   plant_faults cpu|cuda DIR ROOT [FAULT]...        also under mpiexec
 *
 * It searches from ROOT, plants the faults, validates, and prints the first offence. It exits with 4 if there is
 * one. Faults: p ID PARENT, d ID DEPTH, r ROOT (the root that is asked about).
 */
#include "traverse/graph500/benchmark.h"

#include "formats/base/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FAULTS = 4 }; /* the first argument that is one */

/* The roots are those of the faults r, or the first. */
static uint64_t plant(struct benchmark *b, char **argv, int argc, struct error *e)
{
    uint64_t asked = 0;
    for (int i = FAULTS; i + 1 < argc;) {
        uint64_t id = strtoull(argv[i + 1], NULL, 10);
        long long value = i + 2 < argc ? atoll(argv[i + 2]) : 0;
        if (argv[i][0] == 'p')
            validation_set_parent(b->validation, id, value, e);
        else if (argv[i][0] == 'd')
            validation_set_depth(b->validation, id, (int32_t)value, e);
        else
            asked = 1;
        i += argv[i][0] == 'r' ? 2 : 3;
    }
    return asked;
}

static void run(struct benchmark *b, char **argv, int argc, struct error *e)
{
    struct run_record record = {0};
    struct reach reach;
    struct offence first = {0};
    char text[160];
    if (benchmark_open(b, e) != ST_OK)
        return;
    benchmark_search(b, &b->roots.root[0], &record);
    if (results_collect(b->searcher.results, &b->roots.root[0], &reach, e) != ST_OK)
        return;
    uint64_t root = plant(b, argv, argc, e);
    if (validation_check(b->validation, &b->roots.root[root], &first, e) != ST_OK)
        return;
    offence_print(&first, text, sizeof text);
    if (b->searcher.comm.rank == 0)
        puts(text);
    if (first.kind != OFFENCE_NONE)
        e->status = ST_INVALID;
}

int main(int argc, char **argv)
{
    static struct benchmark b;
    static uint64_t roots[2];
    struct error error = {0};
    if (argc < FAULTS)
        return ST_USAGE;
    benchmark_defaults(&b, NULL);
    b.args.folder = argv[2];
    b.args.roots_given = 1;
    b.args.roots = roots;
    b.args.backend = strcmp(argv[1], "cuda") == 0 ? BACKEND_CUDA : BACKEND_CPU;
    if (b.args.backend == BACKEND_CUDA) /* ranks that share a GPU all search */
        b.args.exchange.memory = EXCHANGE_MEMORY_PEER;
    b.args.cli.threads = 2;
    roots[0] = strtoull(argv[3], NULL, 10);
    b.args.count = 1;
    for (int i = FAULTS; i + 1 < argc; i++) {
        if (argv[i][0] == 'r') {
            roots[1] = strtoull(argv[i + 1], NULL, 10);
            b.args.count = 2;
        }
    }
    if (searcher_start(&b.searcher, &b.args, &error) == ST_OK)
        run(&b, argv, argc, &error);
    if (error.text[0] != '\0')
        fprintf(stderr, "plant_faults: %s\n", error.text);
    benchmark_close(&b);
    return (int)error.status;
}
