/* pair_log.h: vertices that ranks send to each other, by level, source and destination: Mastrostefano's table of
 * messages. Only what leaves a group is counted, as within it nothing is sent. */
#ifndef DBFS_PAIR_LOG_H
#define DBFS_PAIR_LOG_H

#include "formats/base/status.h"

#include <stdint.h>

enum pair_member {
    PAIR_LEVEL,
    PAIR_SOURCE,      /* a rank */
    PAIR_DESTINATION, /* another one */
    PAIR_FOUND,       /* vertices, before duplicates are dropped */
    PAIR_SENT,        /* of them, those sent in lists */
    PAIR_BYTES,       /* of lists and bits */
    PAIR_MEMBERS
};

struct pair_note {
    uint64_t of[PAIR_MEMBERS];
};

extern const char *const pair_member_name[PAIR_MEMBERS];

/* The levels of one search. A zeroed log is empty. */
struct pair_log {
    struct pair_note *note; /* [count]: pairs that moved something. Owned */
    uint64_t count;
    struct pair_note *row;  /* [ranks]: of this level, from this rank. Owned */
    uint64_t levels;
    int failed; /* there was no memory for a level; it and those after it are lost */
};

struct comm;
struct group;
struct vertices;

/* Counts what this rank found for others. It is called once in each level, while duplicates are there. */
void pair_log_count_found(struct pair_log *log, const struct group *group);

/* Counts what the boxes have, and ends the level. */
void pair_log_end_level(struct pair_log *log, const struct vertices *vertices);

/* Collective. Every rank gets the notes of all. */
enum status pair_log_gather(struct pair_log *log, const struct comm *comm, struct error *e);
void pair_log_free(struct pair_log *log);

#endif
