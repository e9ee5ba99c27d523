/* parts.c: see parts.h */
#include "parts.h"

#include "shard_prove.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What ranks tell each other about a part, summed over all ranks: all words are 0 but on the rank that has the part. */
struct part_note {
    uint64_t there, bytes, table_crc, edges[SUBGRAPHS];
};

enum { NOTE_WORDS = sizeof(struct part_note) / sizeof(uint64_t) };

/* Describes a part that this rank has. */
static void fill_note(struct part_note *n, const struct written_shard *written)
{
    n->there = 1;
    n->bytes = written->part.bytes;
    n->table_crc = written->part.table_crc;
    for (int g = 0; g < SUBGRAPHS; g++)
        n->edges[g] = written->counts[g].edges;
}

/* Shares the notes of each rank with all, and enters the parts into manifest and folder; notes[i] is about part shard[i]. */
static void take_over(struct parts *parts, struct part_note *notes, const uint32_t *shard, uint32_t count)
{
    comm_sum_u64(parts->comm, (uint64_t *)(void *)notes, (uint64_t)count * NOTE_WORDS);
    for (uint32_t i = 0; i < count; i++) {
        if (!notes[i].there)
            continue;
        parts->manifest.part[shard[i]] = (struct manifest_part){
            .bytes = notes[i].bytes, .table_crc = (uint32_t)notes[i].table_crc};
        for (int g = 0; g < SUBGRAPHS; g++)
            parts->manifest.edges[g] += notes[i].edges[g];
        pack_folder_note(&parts->folder, shard[i]);
    }
}

/* ---- parts of an earlier run ---- */

/* Fills in the note if the part is there and whole. */
static void prove_part(const struct parts *parts, uint32_t shard, struct part_note *n)
{
    const struct manifest *m = &parts->manifest;
    struct written_shard written;
    struct error why = {0};
    char *path = pack_folder_part(&parts->folder, shard);
    if (path != NULL && access(path, F_OK) == 0 &&
        shard_prove(path, shard, m->p, m->pack_id, parts->threads, &written, &why))
        fill_note(n, &written);
    free(path);
}

/* Keeps the parts of an earlier run that are whole, which each rank proves its share of. Collective. */
enum status parts_prove(struct parts *parts, struct error *e)
{
    uint32_t p = parts->manifest.p;
    const struct comm *comm = parts->comm;
    struct part_note *notes = calloc(p, sizeof *notes);
    uint32_t *all = calloc(p, sizeof *all);
    if (notes == NULL || all == NULL)
        fail_memory(e, "parts", p * sizeof *notes);
    if (comm_agree(comm, e) == ST_OK) {
        for (uint32_t shard = 0; shard < p; shard++) {
            all[shard] = shard;
            if (shard % comm->ranks == comm->rank)
                prove_part(parts, shard, &notes[shard]);
        }
        take_over(parts, notes, all, p);
    }
    free(notes);
    free(all);
    return e->status;
}

/* ---- building ---- */

/* Writes a part from the edges placed here, and fills in its note. */
static enum status write_part(struct parts *parts, const struct packing *packing, uint32_t shard,
                              struct part_note *n, struct error *e)
{
    struct written_shard written;
    char *path = pack_folder_part(&parts->folder, shard);
    if (path == NULL)
        return fail_memory(e, parts->folder.path, strlen(parts->folder.path));
    if (shard_write(packing, shard, path, parts->budget, &written, e) == ST_OK) {
        parts->sync_seconds += written.sync_seconds;
        fill_note(n, &written);
    }
    free(path);
    return e->status;
}

/* Gathers the edges of a part from all ranks, and writes the part. */
static enum status write_gathered(struct parts *parts, const struct packing *packing,
                                  const struct gathering *gathering, struct part_note *notes,
                                  struct error *e)
{
    struct gathered gathered;
    struct packing own = *packing;
    uint32_t rank = parts->comm->rank, shard = gathering->target[rank];
    if (gather_shard(&gathered, gathering, parts->budget, e) != ST_OK)
        return e->status;
    own.placement = &gathered.placement;
    if (shard != COMM_NONE)
        write_part(parts, &own, shard, &notes[rank], e);
    gather_free(&gathered);
    return e->status;
}

/* Chooses the next missing part for each rank, from the last part to the first. Returns how many there are. */
static uint32_t choose_targets(const struct parts *parts, uint32_t *end, uint32_t *target)
{
    uint32_t count = 0;
    for (; *end > 0 && count < parts->comm->ranks; --*end) {
        if (!parts->folder.finished[*end - 1])
            target[count++] = *end - 1;
    }
    for (uint32_t rank = count; rank < parts->comm->ranks; rank++)
        target[rank] = COMM_NONE;
    return count;
}

/* Writes the missing parts in rounds, one for each rank. Collective. */
enum status parts_write(struct parts *parts, const struct packing *packing,
                        const struct gathering *gathering, struct error *e)
{
    const struct comm *comm = parts->comm;
    struct gathering round = *gathering;
    uint32_t end = parts->manifest.p, count;
    struct part_note *notes = calloc(comm->ranks, sizeof *notes);
    uint32_t *target = calloc(comm->ranks, sizeof *target);
    if (notes == NULL || target == NULL)
        fail_memory(e, "parts", comm->ranks * sizeof *notes);
    round.target = target;
    while (comm_agree(comm, e) == ST_OK && (count = choose_targets(parts, &end, target)) > 0) {
        memset(notes, 0, comm->ranks * sizeof *notes);
        if (comm->ranks > 1)
            write_gathered(parts, packing, &round, notes, e);
        else
            write_part(parts, packing, target[0], &notes[0], e);
        take_over(parts, notes, target, count);
    }
    free(notes);
    free(target);
    return e->status;
}

/* ---- the end ---- */

/* Nonzero if the folder has this very manifest. */
static int is_written(const struct parts *parts)
{
    struct manifest m;
    struct error ignored = {0};
    if (!parts->folder.has_manifest ||
        manifest_read(&m, parts->folder.path, &ignored) != ST_OK)
        return 0;
    int same = manifest_same(&m, &parts->manifest);
    manifest_free(&m);
    return same;
}

/* The parts that this rank does not see in its folder. */
static uint32_t count_unseen(const struct parts *parts)
{
    uint32_t unseen = 0;
    for (uint32_t shard = 0; shard < parts->manifest.p; shard++) {
        char *path = pack_folder_part(&parts->folder, shard);
        unseen += path != NULL && access(path, F_OK) != 0;
        free(path);
    }
    return unseen;
}

/* Writes the manifest, unless an earlier run has (*was_complete), and removes the journal. Collective. */
enum status parts_finish(struct parts *parts, int *was_complete, struct error *e)
{
    *was_complete = 0;
    if (parts->comm->rank == 0) {
        *was_complete = is_written(parts);
        if (*was_complete || manifest_write(&parts->manifest, parts->folder.path, e) == ST_OK)
            pack_folder_finish(&parts->folder, e);
        parts->unseen = count_unseen(parts);
    }
    return comm_agree(parts->comm, e);
}

/* Frees *parts, after a packing that ended with `status`: closes the folder, which is abandoned first if the packing failed. */
void parts_end(struct parts *parts, enum status status)
{
    if (status != ST_OK)
        pack_folder_abandon(&parts->folder);
    pack_folder_close(&parts->folder);
    manifest_free(&parts->manifest);
}
