/* paths_main.c: dbfs-paths: distances and shortest paths between pairs of vertices.
 *
 * Each rank maps all shards and takes its share of the pairs, on CPUs or on a GPU; ranks only add up results. */
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
    struct pairs pairs;
};

/* With fewer pairs the CPU has done all searches before the graph is on a GPU. */
enum { PAIRS_FOR_GPU = 64 };

/* Collective. Checks the given pairs, or samples pairs, and fills the searcher's roots. Fails if a given id is not below the
 * number of vertices, or if the search from the target, which goes against the edges, would lack its rows. Sampled vertices
 * are distinct, so a graph may have too few vertices for all pairs: there are fewer pairs then, and a warning says so. */
static enum status choose_pairs(struct run *run, struct error *e)
{
    const struct args *args = &run->paths.args;
    struct searcher *s = &run->searcher;
    const struct manifest *manifest = &s->graph.manifest;
    if (manifest->out_only && !run->paths.one_sided)
        return fail(e, ST_USAGE, "%s: the directed graph has out-rows alone: --one-sided, or pack it with --rows out,in",
                    args->folder);
    for (uint64_t i = 0; args->roots != NULL && i < args->count; i++) {
        if (args->roots[i] >= manifest->totals.n)
            return fail(e, ST_USAGE, "pair %" PRIu64 ": %s %" PRIu64 ": the graph has %" PRIu64 " vertices", i / 2 + 1,
                        i % 2 == 0 ? "source" : "target", args->roots[i], manifest->totals.n);
    }
    if (roots_choose(&s->roots, &s->rank, args, s->map, e) != ST_OK)
        return e->status;
    if (s->roots.count < 2)
        return fail(e, ST_RUNTIME, "%s: fewer than two vertices have edges: there is no pair to sample", args->folder);
    if (s->roots.count < args->count)
        cli_warn(&args->cli, "only %" PRIu64 " vertices have edges to follow: %" PRIu64 " pairs", s->roots.count,
                 s->roots.count / 2);
    return ST_OK;
}

/* Collective. Chooses the backend, by itself the CPU for fewer than PAIRS_FOR_GPU pairs, opens all shards and chooses the
 * pairs; fills run->job. Columns stay packed if the backend has no bytes_needed, as it then reads columns once. */
static enum status set_up(struct run *run, struct error *e)
{
    const struct args *args = &run->paths.args;
    struct searcher *s = &run->searcher;
    const struct backend *devices = &backend_cpu;
    if (args->backend != BACKEND_AUTO || args->count / 2 >= PAIRS_FOR_GPU)
        backend_choose(&devices, args->backend, e);
    const struct pair_backend *backend = devices == &backend_cpu ? &pair_cpu : &pair_cuda;
    if (e->status == ST_OK &&
        searcher_open_all_shards(s, backend->bytes_needed != NULL ? args->resident : RESIDENT_PACKED,
                                 backend->bytes_needed, e) == ST_OK)
        choose_pairs(run, e);
    run->job = (struct pair_job){.comm = &s->comm,
                                 .graph = &s->graph,
                                 .roots = &s->roots,
                                 .backend = backend,
                                 .budget = &s->budget,
                                 .threads = s->threads,
                                 .one_sided = run->paths.one_sided,
                                 .paths = run->paths.paths};
    return comm_agree(&s->comm, e);
}

/* Prints the results on rank 0: a line for each pair, the summary, and JSON if wanted. Text goes to standard error if another
 * result takes standard output. */
static enum status report(const struct run *run, struct error *e)
{
    const struct args *args = &run->paths.args;
    const struct paths_report report = {&run->paths, run->command, &run->job, &run->pairs, run->searcher.map};
    FILE *talk = args_stdouts(args) > 0 ? stderr : stdout;
    if (!args->cli.quiet)
        paths_report_pairs(talk, &report);
    if (args->cli.quiet ? talk == stdout : run->pairs.count > 1)
        paths_report_summary(talk, &report);
    if (stream_flush(talk, e) != ST_OK)
        return e->status;
    return args->json != NULL ? paths_report_json(args->json, &report, e) : ST_OK;
}

/* Opens, searches between all pairs with a progress display on rank 0, and prints the results; searcher_run calls it.
 * `context` is the struct run. */
static void work(void *context, struct error *e)
{
    struct run *run = context;
    const struct comm *comm = &run->searcher.comm;
    if (set_up(run, e) != ST_OK)
        return;
    if (comm->rank == 0)
        progress_start(&run->paths.args.cli);
    progress_stage("searching", run->searcher.roots.count / 2 / comm->ranks, PROGRESS_ITEMS);
    watch_phase("searching between pairs");
    pairs_search(&run->pairs, &run->job, e);
    progress_end();
    if (e->status != ST_OK)
        return;
    if (comm->rank == 0)
        report(run, e);
    comm_agree(comm, e);
}

/* Releases the results; searcher_run calls it at the end. `context` is the struct run. */
static void tear_down(void *context)
{
    pairs_free(&((struct run *)context)->pairs);
}

int main(int argc, char **argv)
{
    static struct run run;
    cli_begin();
    paths_parse(&run.paths, argc, argv);
    run.command = argv;
    return searcher_run(&run.searcher, &run.paths.args, 1, work, tear_down, &run);
}
