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
    if (searcher_open(s, &b->args, 1, e) != ST_OK ||
        validation_open(&b->validation, &s->rank, s->results, e) != ST_OK ||
        roots_choose(&b->roots, &s->rank, &b->args, NULL, e) != ST_OK)
        return e->status;
    b->runs = calloc(b->roots.count, sizeof *b->runs);
    if (b->runs == NULL)
        fail_memory(e, "records", b->roots.count * sizeof *b->runs);
    return comm_agree(&s->comm, e);
}

static void benchmark_close(struct benchmark *b)
{
    free(b->runs);
    validation_close(b->validation);
    searcher_close(&b->searcher);
    roots_free(&b->roots);
}

int benchmark_run(struct benchmark *b, void (*work)(struct benchmark *b, struct error *e))
{
    struct error error = {0};
    if (searcher_start(&b->searcher, &b->args, &error) == ST_OK && searcher_takes_part(&b->searcher))
        work(b, &error);
    searcher_end(&b->searcher, &error);
    int code = b->searcher.comm.rank == 0 ? cli_finish(&b->args.cli, &error) : (int)error.status;
    benchmark_close(b);
    return code;
}
