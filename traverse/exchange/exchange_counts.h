/* exchange_counts.h: counts before and after each option that makes messages smaller: figure 8 of Pan et al., and what
 * ranks send to each other.
 *
 * Bytes are those that leave a rank in messages or that its devices read of their peers. The files of masks/ and
 * vertices/ add to the counts where they send or read. */
#ifndef DBFS_EXCHANGE_COUNTS_H
#define DBFS_EXCHANGE_COUNTS_H

#include "formats/base/status.h"

#include <stdint.h>

enum exchange_count {
    COUNT_FOUND_VERTICES, /* for other groups, before duplicates are dropped */
    COUNT_SENT_VERTICES,  /* of them, those sent in lists */
    COUNT_LIST_BYTES,
    COUNT_BITS_BYTES,
    COUNT_FRONTIER_BYTES,
    COUNT_MASK_BYTES,
    COUNT_WHOLE_MASK_BYTES, /* the same if no word were left out */
    COUNT_MESSAGES,         /* with vertices; frontiers and masks are left out */
    COUNT_PEER_VERTICES, /* read of peers, in lists */
    COUNT_PEER_BYTES,    /* lists and bits of vertices, frontiers, and masks of delegates */
    COUNT_DROPPED_VERTICES, /* duplicates dropped on the way to their owner: by a 2D search alone */
    EXCHANGE_COUNTS
};

struct exchange_counts {
    uint64_t of[EXCHANGE_COUNTS];
};

extern const char *const exchange_count_name[EXCHANGE_COUNTS];

/* The same of one rank for another, in one level (struct pair_log). */
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

/* ---- pair_log.c: vertices that ranks send to each other, by level, source and destination: Mastrostefano's table of
 * messages. Only what leaves a group is counted, as within it nothing is sent. ---- */

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
