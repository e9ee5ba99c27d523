/* pack_folder_steps.c: the steps that open the folder of a packing, begin its journal, and find its parts */
#include "pack_job.h"

#include "formats/base/cli.h"
#include "formats/base/hash.h"

#include <string.h>

/* What the options ask for, as a journal. */
static struct journal describe_packing(const struct pack_options *o, const struct edge_source *source,
                                    const struct split *split)
{
    struct journal journal = {.inputs = source->names, .p = o->p, .encoding = o->encoding};
    memcpy(journal.heads, o->heads, sizeof journal.heads);
    journal.th_choice = o->split_path == NULL && !o->th_given ? o->suggest_by : TH_GIVEN;
    journal.links = o->links;
    journal.th_known = journal.th_choice == TH_GIVEN;
    journal.th = o->split_path != NULL ? split->th : o->th_given ? o->th : 0;
    return journal;
}

/* The step that opens the folder: the first rank opens it for all. */
enum status pack_open_folder(struct pack_job *j, struct error *e)
{
    const struct pack_options *o = j->options;
    struct pack_folder *folder = &j->parts.folder;
    struct journal journal = describe_packing(o, j->source, &j->split);
    *folder = (struct pack_folder){.fd = -1};
    if (e->status == ST_OK && j->source->comm->rank == 0)
        pack_folder_open(folder, o->folder, o->mode, &journal, e);
    else if (e->status == ST_OK)
        pack_folder_join(folder, o->folder, o->mode, &journal, e);
    return pack_folder_share(folder, j->source->comm, e);
}

/* Returns the pack id (SPEC-shard.md), which is equal if the same graph is packed with the same options, at any time and on any machine. */
static uint64_t pack_id(const struct pack_job *j)
{
    const struct edges_totals *t = &j->report->totals;
    uint64_t id = hash_pair(t->checksum, t->n);
    id = hash_pair(id, j->options->p);
    id = hash_pair(id, j->report->th);
    for (int g = 0; g < SUBGRAPHS; g++)
        id = hash_pair(id, (uint64_t)(int64_t)j->options->heads[g]);
    id = hash_pair(id, j->options->encoding);
    const struct edges_info *info = &j->separation.degrees.info;
    id = hash_pair(id, info->direction == EDGES_DIRECTED ? directed_shard_kind.version : shard_kind.version);
    if (info->direction == EDGES_DIRECTED)
        id = hash_pair(id, (uint64_t)!j->options->out_only);
    return info->base == 0 ? id : hash_pair(id, info->base);
}

/* Fills in the manifest, except for the parts, and j->report->d. */
static enum status start_manifest(struct pack_job *j, struct error *e)
{
    const struct edges_info *info = &j->separation.degrees.info;
    struct manifest *m = &j->parts.manifest;
    m->direction = info->direction;
    m->totals = j->report->totals;
    m->p = j->options->p;
    m->th = j->report->th;
    m->d = j->report->d = separation_delegates(&j->separation, j->report->th);
    m->encoding = j->options->encoding;
    m->out_only = info->direction == EDGES_DIRECTED && j->options->out_only;
    m->pack_id = pack_id(j);
    m->randomized = info->randomized;
    m->random_n = info->random_n;
    m->random_seed = info->random_seed;
    m->base = info->base;
    memcpy(m->provenance, info->provenance, sizeof m->provenance);
    m->part = zeroed(m->p, sizeof *m->part, "manifest", e);
    return e->status;
}

/* The step that begins the manifest and completes the journal; fails if the graph does not suit the options. */
enum status pack_identify(struct pack_job *j, struct error *e)
{
    const struct manifest *m = &j->parts.manifest;
    if (j->options->out_only && j->separation.degrees.info.direction != EDGES_DIRECTED)
        fail(e, ST_USAGE, "--rows out: %s has undirected edges, whose rows are both out-rows and in-rows",
             j->source->name);
    if (j->options->layout.r > 0 && j->separation.degrees.info.direction == EDGES_DIRECTED)
        fail(e, ST_BAD_DATA, "%s has directed edges, and --layout is for undirected graphs: 'edgeconv -u' makes each an "
             "undirected edge", j->source->name);
    if (e->status == ST_OK && start_manifest(j, e) == ST_OK && j->source->comm->rank == 0)
        pack_folder_identify(&j->parts.folder, m->th, m->totals.checksum, m->pack_id, e);
    return comm_agree(j->source->comm, e);
}

/* The step that finds the parts of an interrupted run that are whole; they stay. */
enum status pack_prove_parts(struct pack_job *j, struct error *e)
{
    double start = cli_seconds();
    parts_prove(&j->parts, e);
    j->report->taken_over = j->parts.folder.finished_count;
    j->report->seconds.prove = cli_seconds() - start;
    return e->status;
}
