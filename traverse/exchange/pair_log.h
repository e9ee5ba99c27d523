/* pair_log.h: vertices that ranks send to each other, by level, source and destination: Mastrostefano's table of
 * messages. Only what leaves a group is counted, as within it nothing is sent. */
#ifndef DBFS_PAIR_LOG_H
#define DBFS_PAIR_LOG_H

#include "exchange_counts.h"

#include "formats/base/status.h"

extern const char *const pair_member_name[PAIR_MEMBERS];

/* The levels of one search. A zeroed log is empty. */
struct pair_log {
    struct pair_note *note; /* [count]: pairs that moved something. Owned */
    uint64_t count;
    uint64_t levels;
    int failed; /* there was no memory for a level; it and those after it are lost */
};

struct comm;

/* Adds a level of this rank. `to`: its counts for each rank. */
void pair_log_add(struct pair_log *log, const struct comm *comm, const struct pair_note *to);

/* Collective. Every rank gets the notes of all. */
enum status pair_log_gather(struct pair_log *log, const struct comm *comm, struct error *e);
void pair_log_free(struct pair_log *log);

#endif
