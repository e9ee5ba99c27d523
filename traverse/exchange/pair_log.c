/* pair_log.c: counts the vertices that ranks send to each other, by level and pair of ranks (exchange_counts.h) */
#include "exchange_counts.h"

#include "formats/base/memory.h"
#include "formats/mpi/comm.h"

#include <stdlib.h>
#include <string.h>

const char *const pair_member_name[PAIR_MEMBERS] = {"level",          "source",        "destination",
                                                    "found_vertices", "sent_vertices", "bytes"};

/* Appends a note for each rank that got something in this level, unless memory is short. Counts the level in any case. */
void pair_log_add(struct pair_log *log, const struct comm *comm, const struct pair_note *to)
{
    for (uint32_t r = 0; r < comm->ranks && !log->failed; r++) {
        struct pair_note note = to[r];
        note.of[PAIR_LEVEL] = log->levels;
        note.of[PAIR_SOURCE] = comm->rank;
        note.of[PAIR_DESTINATION] = r;
        if (note.of[PAIR_FOUND] + note.of[PAIR_BYTES] == 0)
            continue;
        struct pair_note *grown = memory_grow(log->note, log->count, sizeof *grown);
        log->failed = grown == NULL;
        if (log->failed)
            break;
        log->note = grown;
        log->note[log->count++] = note;
    }
    log->levels++;
}

/* Collective. Gives each rank the notes of all ranks, in the order of the ranks: each writes its own into zeroed
 * memory, and a sum over all ranks merges them. If any rank could not log, or has no memory, all ranks fail, and the
 * log stays as it was. */
enum status pair_log_gather(struct pair_log *log, const struct comm *comm, struct error *e)
{
    uint64_t before = comm_sum_before(comm, log->count), all = log->count;
    comm_sum_u64(comm, &all, 1);
    struct pair_note *note = calloc(all + 1, sizeof *note);
    if (log->failed || note == NULL)
        fail_memory(e, "vertices by pairs of ranks", (all + 1) * sizeof *note);
    if (comm_agree(comm, e) != ST_OK) {
        free(note);
        return e->status;
    }
    if (log->count > 0)
        memcpy(note + before, log->note, log->count * sizeof *note);
    comm_sum_u64(comm, note->of, all * PAIR_MEMBERS);
    free(log->note);
    log->note = note;
    log->count = all;
    return ST_OK;
}

void pair_log_free(struct pair_log *log)
{
    free(log->note);
    *log = (struct pair_log){0};
}
