/* pack.c: see pack.h and README.md */
#include "pack_job.h"

#include "formats/mpi/watch.h"

#include <string.h>

/* Numbers the vertices, places the edges, and builds and writes the parts that are missing. */
static enum status make_parts(struct pack_job *j, struct error *e)
{
    watch_phase("numbering vertices");
    if (pack_number(j, e) != ST_OK)
        return e->status;
    watch_phase("placing edges");
    if (pack_place(j, e) != ST_OK)
        return e->status;
    watch_phase("building shards");
    return pack_build(j, e);
}

/* All steps from counting degrees to writing the last part. With --resume parts that are whole are kept. */
static enum status pack_into_folder(struct pack_job *j, struct error *e)
{
    watch_phase("counting degrees");
    if (pack_separate(j, e) != ST_OK)
        return e->status;
    if (pack_identify(j, e) != ST_OK)
        return e->status;
    if (j->options->mode == FOLDER_RESUME && pack_prove_parts(j, e) != ST_OK)
        return e->status;
    if (!parts_complete(&j->parts))
        make_parts(j, e);
    return e->status;
}

/* Writes the grid parts, if wanted, and then the manifest, without which the folder is no graph. Fills in the report. */
static enum status finish_folder(struct pack_job *j, struct error *e)
{
    const struct pack_options *o = j->options;
    struct parts *parts = &j->parts;
    memcpy(j->report->edges, parts->manifest.edges, sizeof j->report->edges);
    const struct grid_job grid = {&parts->manifest, o->folder, o->layout, parts->comm, j->budget, o->threads};
    watch_phase("writing the manifest");
    if (o->layout.r > 0 && grid_write(&grid, &j->report->grid, e) != ST_OK)
        return e->status;
    parts_finish(parts, &j->report->complete, e);
    j->report->complete &= j->report->grid.bytes == 0;
    return e->status;
}

static void free_job(struct pack_job *j)
{
    placement_free(&j->placement);
    shard_loops_free(&j->loops, j->budget);
    order_free(&j->order, j->budget);
    separation_free(&j->separation, j->budget);
    split_free(&j->split);
}

/* Packs the edges of `source` into the folder of the options, and fills in *report. Collective. */
enum status pack(const struct pack_options *options, struct edge_source *source,
                 struct memory_budget *budget, struct pack_report *report, struct error *e)
{
    struct pack_job j = {.options = options, .source = source, .budget = budget, .report = report};
    memset(report, 0, sizeof *report);
    j.parts.comm = source->comm;
    j.parts.budget = budget;
    j.parts.threads = options->threads;
    pack_read_split(&j, e);
    if (pack_open_folder(&j, e) == ST_OK)
        pack_into_folder(&j, e);
    report->seconds.classes = j.separation.class_seconds;
    free_job(&j);
    if (e->status == ST_OK)
        finish_folder(&j, e);
    report->finished_parts = j.parts.folder.finished_count;
    report->unseen_parts = j.parts.unseen;
    parts_end(&j.parts, e->status);
    return e->status;
}
