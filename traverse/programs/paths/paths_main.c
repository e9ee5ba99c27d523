/* paths_main.c: dbfs-paths: distances and shortest paths between pairs of vertices.
 *
 * Each rank maps all shards and takes its share of the pairs, on CPUs or on a GPU; ranks only add up results. */
#include "pair_backend.h"
#include "paths_report.h"

#include "traverse/session/searcher.h"

#include "formats/base/outfile.h"
#include "formats/base/progress.h"
#include "formats/mpi/watch.h"

#include <inttypes.h>

struct run {
    struct paths_args paths;
    char *const *command; /* argv */
    struct searcher searcher; /* its roots are source and target of each pair */
    struct pair_job job;
    struct pair_runs runs;
};

/* Fewer pairs are done by the CPU before a GPU has the graph. */
enum { PAIRS_FOR_GPU = 64 };

static enum status choose_backend(struct run *run, struct error *e)
{
    const struct args *args = &run->paths.args;
    const struct backend *backend = &backend_cpu;
    if (args->backend != BACKEND_AUTO || args->count / 2 >= PAIRS_FOR_GPU)
        backend_choose(&backend, args->backend, e);
    run->job.backend = backend == &backend_cpu ? &pair_cpu : &pair_cuda;
    return e->status;
}

static enum status check_ids(const struct run *run, struct error *e)
{
    const struct args *args = &run->paths.args;
    const uint64_t n = run->searcher.graph.manifest.totals.n;
    for (uint64_t i = 0; args->roots != NULL && i < args->count; i++) {
        if (args->roots[i] >= n)
            return fail(e, ST_USAGE, "pair %" PRIu64 ": %s %" PRIu64 ": the graph has %" PRIu64 " vertices", i / 2 + 1,
                        i % 2 == 0 ? "source" : "target", args->roots[i], n);
    }
    return ST_OK;
}

/* The side of the target goes against the edges. */
static enum status check_rows(const struct run *run, struct error *e)
{
    if (run->searcher.graph.manifest.out_only && !run->paths.one_sided)
        return fail(e, ST_USAGE, "%s: the directed graph has out-rows alone: --one-sided, or pack it with --rows out,in",
                    run->paths.args.folder);
    return ST_OK;
}

/* Sampled vertices are distinct, so a graph may have too few for all pairs. */
static enum status choose_pairs(struct run *run, struct error *e)
{
    const struct args *args = &run->paths.args;
    struct searcher *s = &run->searcher;
    if (check_rows(run, e) != ST_OK || check_ids(run, e) != ST_OK ||
        roots_choose(&s->roots, &s->rank, args, s->map, e) != ST_OK)
        return e->status;
    if (s->roots.count < 2)
        return fail(e, ST_RUNTIME, "%s: fewer than two vertices have edges: there is no pair to sample", args->folder);
    if (s->roots.count < args->count)
        cli_warn(&args->cli, "only %" PRIu64 " vertices have edges to follow: %" PRIu64 " pairs", s->roots.count,
                 s->roots.count / 2);
    return ST_OK;
}

/* Without `takes` columns stay packed, as they are read once. */
static enum status set_up(struct run *run, struct error *e)
{
    const struct args *args = &run->paths.args;
    struct searcher *s = &run->searcher;
    if (choose_backend(run, e) == ST_OK &&
        searcher_open_all_shards(s, run->job.backend->bytes_needed != NULL ? args->resident : RESIDENT_PACKED,
                            run->job.backend->bytes_needed, e) == ST_OK)
        choose_pairs(run, e);
    run->job = (struct pair_job){.comm = &s->comm,
                                 .graph = &s->graph,
                                 .roots = &s->roots,
                                 .backend = run->job.backend,
                                 .budget = &s->budget,
                                 .threads = s->threads,
                                 .one_sided = run->paths.one_sided,
                                 .paths = run->paths.paths};
    return comm_agree(&s->comm, e);
}

static enum status search_all(struct run *run, struct error *e)
{
    const struct searcher *s = &run->searcher;
    if (s->comm.rank == 0)
        progress_start(&run->paths.args.cli);
    progress_stage("searching", s->roots.count / 2 / s->comm.ranks, PROGRESS_ITEMS);
    watch_phase("searching between pairs");
    pair_runs_make(&run->runs, &run->job, e);
    progress_end();
    return e->status;
}

static enum status conclude(const struct run *run, struct error *e)
{
    const struct args *args = &run->paths.args;
    const struct paths_report report = {&run->paths, run->command, &run->job, &run->runs, run->searcher.map};
    FILE *talk = args_stdouts(args) > 0 ? stderr : stdout;
    if (run->searcher.comm.rank > 0)
        return ST_OK;
    if (!args->cli.quiet)
        paths_report_pairs(talk, &report);
    if (args->cli.quiet ? talk == stdout : run->runs.count > 1)
        paths_report_summary(talk, &report);
    if (stream_flush(talk, e) != ST_OK)
        return e->status;
    return args->json != NULL ? paths_report_json(args->json, &report, e) : ST_OK;
}

static void work(void *context, struct error *e)
{
    struct run *run = context;
    if (set_up(run, e) != ST_OK || search_all(run, e) != ST_OK)
        return;
    conclude(run, e);
    comm_agree(&run->searcher.comm, e);
}

static void tear_down(void *context)
{
    pair_runs_free(&((struct run *)context)->runs);
}

int main(int argc, char **argv)
{
    static struct run run;
    static char own_name[] = "dbfs-paths";
    paths_parse(&run.paths, argc, argv);
    if (run.paths.args.cli.within_dbfs)
        argv[0] = own_name; /* the command in the report can be run again */
    run.command = argv;
    return searcher_run(&run.searcher, &run.paths.args, 1, work, tear_down, &run);
}
