/* pair_log.c: see pair_log.h */
#include "pair_log.h"

#include "group.h"

#include "vertices/vertices.h"

#include "formats/base/memory.h"

#include <stdlib.h>
#include <string.h>

const char *const pair_member_name[PAIR_MEMBERS] = {"level",          "source",        "destination",
                                                    "found_vertices", "sent_vertices", "bytes"};

/* ---- a level ---- */

static void begin_level(struct pair_log *log, const struct comm *comm)
{
    if (log->row == NULL)
        log->row = calloc(comm->ranks, sizeof *log->row);
    log->failed |= log->row == NULL;
    for (uint32_t r = 0; r < comm->ranks && !log->failed; r++)
        log->row[r] = (struct pair_note){{log->levels, comm->rank, r}};
    log->levels++;
}

void pair_log_count_found(struct pair_log *log, const struct group *group)
{
    const struct rank *rank = group->rank;
    const uint32_t devices = rank->device_count, shards = rank->comm->ranks * devices;
    begin_level(log, rank->comm);
    for (uint32_t i = 0; i < devices * shards && !log->failed; i++) {
        const uint32_t from = i / shards, s = i % shards;
        if (group_has_shard(group, s))
            continue;
        struct parcel parcel = group_parcel_for(group, from, s);
        if (parcel.form == OUTGOING_LIST)
            log->row[rank_of_shard(s, rank->comm->ranks)].of[PAIR_FOUND] += parcel.count;
    }
}

static void add_note(struct pair_log *log, const struct pair_note *note)
{
    struct pair_note *grown = memory_grow(log->note, log->count, sizeof *grown);
    log->failed = grown == NULL;
    if (log->failed)
        return;
    log->note = grown;
    log->note[log->count++] = *note;
}

void pair_log_end_level(struct pair_log *log, const struct vertices *v)
{
    const uint32_t G = v->rank->device_count, R = v->rank->comm->ranks;
    for (size_t i = 0; i < G * boxes_of_device(v) && !log->failed; i++) {
        const struct outbox *box = &v->box[i];
        uint64_t *of = log->row[i % boxes_of_device(v) / G].of;
        of[PAIR_SENT] += box->form == OUTGOING_LIST ? box->count : 0;
        of[PAIR_BYTES] += box->count * sizeof *box->ids;
    }
    for (uint32_t r = 0; r < R && !log->failed; r++) {
        if (log->row[r].of[PAIR_FOUND] + log->row[r].of[PAIR_BYTES] > 0)
            add_note(log, &log->row[r]);
    }
}

/* ---- the search ---- */

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
    free(log->row);
    *log = (struct pair_log){0};
}
