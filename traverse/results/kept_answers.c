/* kept_answers.c: see kept_answers.h */
#include "kept_answers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Frees the answer at this index, and closes the hole in the array. */
static void release_at(struct kept_answers *kept, const struct answers *answers, uint64_t i)
{
    const struct rank *rank = answers->rank;
    rank->backend->answers->release(rank->devices[0], &kept->all[i].at);
    kept->count--;
    memmove(&kept->all[i], &kept->all[i + 1], (kept->count - i) * sizeof *kept->all);
}

/* Makes the answer of this kind, unless the device holds it, and keeps a copy. Afterwards the last search has an answer of this
 * kind. */
static enum status keep_kind(struct kept_answers *kept, struct answers *answers, enum answer_kind kind, struct error *e)
{
    const struct rank *rank = answers->rank;
    struct kept_answer *grown = realloc(kept->all, (kept->count + 1) * sizeof *grown);
    if (grown == NULL)
        return fail_memory(e, "answers that are kept", (kept->count + 1) * sizeof *grown);
    kept->all = grown;
    if (answers_need(answers, kind, e) != ST_OK)
        return e->status;
    struct kept_answer *one = &kept->all[kept->count];
    *one = (struct kept_answer){.width = answers_width(answers, kind), .values = rank->graph->manifest.totals.n};
    if (rank->backend->answers->keep(rank->devices[0], answers->arrays[0].values, one->values * one->width, &one->at, e) != ST_OK) {
        kept->is_full = e->status == ST_RESOURCE;
        return e->status;
    }
    one->number = ++kept->last;
    kept->count++;
    return ST_OK;
}

/* Keeps parents first, as the device has them already. */
enum status kept_answers_add(struct kept_answers *kept, struct answers *answers, struct error *e)
{
    const uint64_t before = kept->count;
    kept->is_full = 0;
    if (keep_kind(kept, answers, ANSWER_PARENTS, e) == ST_OK)
        keep_kind(kept, answers, ANSWER_DEPTHS, e);
    if (e->status != ST_OK && kept->count > before)
        release_at(kept, answers, before);
    return e->status;
}

/* Looks for the number from the first answer on. */
enum status kept_answers_release(struct kept_answers *kept, const struct answers *answers, uint64_t number, struct error *e)
{
    for (uint64_t i = 0; i < kept->count; i++) {
        if (kept->all[i].number == number) {
            release_at(kept, answers, i);
            return ST_OK;
        }
    }
    return fail(e, ST_USAGE, "release %" PRIu64 ": no answer with this number is kept", number);
}

/* Frees all answers, and the array. */
void kept_answers_close(struct kept_answers *kept, const struct answers *answers)
{
    while (kept->count > 0)
        release_at(kept, answers, kept->count - 1);
    free(kept->all);
    *kept = (struct kept_answers){0};
}
