/* th_steps.c: counts the steps of a search with each TH by predict.c, for `scripts/fit-rates sweeps`
 *
 *   th_steps FILE.edges NAME    prints lines separated by tabs: NAME, TH, machine, and the steps, named as in rates.def */
#include "unit/stream.h"

#include "tools/separate/predict.h"
#include "tools/separate/separate.h"

static void print_steps(const struct predicted *predicted, const char *name, const char *th)
{
    static const char *const machine[MACHINES] = {[MACHINE_CPU] = "cpu", [MACHINE_GPU] = "gpu"};
    for (int m = 0; m < MACHINES; m++) {
        const struct th_steps *steps = &predicted->steps[m];
        printf("%s\t%s\t%s", name, th, machine[m]);
#define TH(step, cpu, cpus, gpu, unit, what) printf("\t%.9g", steps->step);
#include "formats/rates.def"
        putchar('\n');
    }
}

static void print_sweep(const struct separation *s, const char *name, struct memory_budget *budget)
{
    struct error e = {0};
    struct sweep_row *row;
    struct predicted *predicted;
    uint64_t rows;
    char th[24];
    if (sweep_make(&s->edges, 0, TH_INFINITE, &row, &rows, budget, &e) != ST_OK ||
        predict_sweep(&predicted, s, row, rows, (struct shard_layout){.p = 1}, budget, &e) != ST_OK)
        stop_at(&e);
    printf("graph\tth\tmachine");
#define TH(step, cpu, cpus, gpu, unit, what) printf("\t" #step);
#include "formats/rates.def"
    putchar('\n');
    for (uint64_t r = 0; r < rows; r++)
        print_steps(&predicted[r], name, th_format(row[r].th, th, sizeof th));
    memory_release(budget, predicted);
    memory_release(budget, row);
}

int main(int argc, char **argv)
{
    struct error e = {0};
    struct memory_budget budget;
    struct edge_source source;
    struct separation s = {0};
    const struct separation_options options = {.threads = 1, .p = 1};
    if (argc != 3) {
        fputs("usage: th_steps FILE.edges NAME\n", stderr);
        return ST_USAGE;
    }
    memory_budget_init(&budget, UINT64_C(1) << 36);
    if (open_source(&source, argv + 1, 1, &e) != ST_OK ||
        edge_source_make_dense(&source, 1, 1, &budget, &e) != ST_OK ||
        separation_degrees(&s, &source, &options, &budget, &e) != ST_OK ||
        separation_classes(&s, &source, &budget, &e) != ST_OK)
        stop_at(&e);
    print_sweep(&s, argv[2], &budget);
    separation_free(&s, &budget);
    edge_source_close(&source);
    return 0;
}
