/* kept_answers.h: answers of searches of one device that stay in its memory until they are released (--device-answers)
 *
 * Each kind of answer of each search has memory of its own, which another process opens by a handle, and a number, by which the
 * process releases the memory. */
#ifndef DBFS_KEPT_ANSWERS_H
#define DBFS_KEPT_ANSWERS_H

#include "answers.h"

/* One answer that is kept. */
struct kept_answer {
    uint64_t number; /* counts from 1; no other answer gets the same */
    uint32_t width;  /* bytes of a value */
    uint64_t values;
    struct kept_values at;
};

/* All answers that are kept; zeroed before the first. */
struct kept_answers {
    struct kept_answer *all; /* [count], by number. Owned */
    uint64_t count;
    uint64_t last; /* the highest number yet */
    int is_full;   /* the last kept_answers_add failed as the device had no memory for one more answer */
};

/* Keeps the parents and the depths of the last search, in this order, as the last two of kept->all. The graph has one shard, and the
 * search has recorded parents and made an answer. After a failure nothing of this search is kept. If the device has too little memory,
 * returns ST_RESOURCE and sets kept->is_full; searches can then go on. */
enum status kept_answers_add(struct kept_answers *kept, struct answers *answers, struct error *e);

/* Frees the answer of this number. Fails with ST_USAGE if none has the number. */
enum status kept_answers_release(struct kept_answers *kept, const struct answers *answers, uint64_t number, struct error *e);

/* Frees all. Called before the devices are closed. *kept may be zeroed. */
void kept_answers_close(struct kept_answers *kept, const struct answers *answers);

#endif
