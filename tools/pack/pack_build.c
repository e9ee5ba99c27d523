/* pack_build.c: builds the parts of a packing from the buckets of their shards */
#include "pack_job.h"

#include "formats/base/cli.h"
#include "formats/base/progress.h"

#include <string.h>

/* If a shard has fewer records than this, starting threads for it takes longer than building it. */
enum { PARALLEL_RECORDS = 1 << 16 };

/* The step that builds and writes the parts that are missing. Before, the first rank claims the folder. */
enum status pack_build(struct pack_job *j, struct error *e)
{
    double start = cli_seconds();
    uint64_t records = j->separation.degrees.directed_edges / j->options->p;
    struct packing packing = {.placement = &j->placement,
                              .loops = &j->loops,
                              .th = j->report->th,
                              .pack_id = j->parts.manifest.pack_id,
                              .encoding = j->options->encoding,
                              .threads = records < PARALLEL_RECORDS ? 1 : j->options->threads,
                              .shard_records = records,
                              .rows_bytes = j->rows_bytes,
                              .transpose_bytes = j->transpose_bytes};
    struct gathering gathering = {.own = &j->placement,
                                  .comm = j->source->comm,
                                  .shard_records = records,
                                  .store_bytes = j->gather_bytes,
                                  .spill = j->options->spill};
    progress_stage("building shards",
                   j->separation.degrees.directed_edges / j->source->comm->ranks, PROGRESS_ITEMS);
    memcpy(packing.heads, j->options->heads, sizeof packing.heads);
    if (j->source->comm->rank == 0)
        pack_folder_claim(&j->parts.folder, e);
    parts_write(&j->parts, &packing, &gathering, e);
    j->report->seconds.build = cli_seconds() - start;
    j->report->seconds.sync = j->parts.sync_seconds;
    j->report->spilled_bytes = j->options->spill != NULL ? spill_bytes(j->options->spill) : 0;
    return e->status;
}
