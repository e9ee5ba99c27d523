/* benchmark.c: see benchmark.h */
#include "benchmark.h"

#include <stdlib.h>

void benchmark_defaults(struct benchmark *b)
{
    args_defaults(&b->args, "dbfs-graph500");
    b->args.answer = ANSWER_PARENTS;
    b->args.record_parents = 1;
    b->construction_s = -1;
    b->measure_energy = 1;
}

enum status benchmark_open(struct benchmark *b, struct error *e)
{
    struct searcher *s = &b->searcher;
    if (searcher_open(s, 1, e) != ST_OK || validation_open(&b->validation, &s->rank, s->results, e) != ST_OK ||
        roots_choose(&s->roots, &s->rank, &b->args, NULL, e) != ST_OK)
        return e->status;
    b->runs = calloc(s->roots.count, sizeof *b->runs);
    if (b->runs == NULL)
        fail_memory(e, "records", s->roots.count * sizeof *b->runs);
    return comm_agree(&s->comm, e);
}

void benchmark_close(void *context)
{
    struct benchmark *b = context;
    free(b->runs);
    validation_close(b->validation);
}
