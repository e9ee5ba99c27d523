/* exchange_counts.h: counts of what an exchange moves, before and after each option that makes messages smaller (figure
 * 8 of Pan et al.)
 *
 * Bytes are counted in two places: those that leave a rank in messages, and those that devices of the rank read in the
 * memory of their peers. The files of masks/ and vertices/ count where they send or read. */
#ifndef DBFS_EXCHANGE_COUNTS_H
#define DBFS_EXCHANGE_COUNTS_H

#include "formats/base/status.h"

#include <stdint.h>

enum exchange_count {
    COUNT_FOUND_VERTICES, /* vertices for other groups, before duplicates are dropped */
    COUNT_SENT_VERTICES,  /* the found vertices that are sent in lists, after duplicates are dropped */
    COUNT_LIST_BYTES,
    COUNT_BITS_BYTES,
    COUNT_FRONTIER_BYTES,
    COUNT_MASK_BYTES,
    COUNT_WHOLE_MASK_BYTES, /* what COUNT_MASK_BYTES would be if every mask were sent whole */
    COUNT_MESSAGES,         /* chunks of messages with vertices; frontiers and masks do not count */
    COUNT_PEER_VERTICES, /* vertices in lists that devices read in the memory of peers */
    COUNT_PEER_BYTES, /* bytes read in the memory of peers: vertices, frontiers and masks of delegates */
    COUNT_DROPPED_VERTICES, /* duplicates dropped between finder and owner; counted by 2D searches alone */
    EXCHANGE_COUNTS
};

struct exchange_counts {
    uint64_t of[EXCHANGE_COUNTS];
};

extern const char *const exchange_count_name[EXCHANGE_COUNTS];

/* What one rank sent to another in one level, as numbers (struct pair_log). */
enum pair_member {
    PAIR_LEVEL,
    PAIR_SOURCE,      /* number of the sending rank */
    PAIR_DESTINATION, /* number of the receiving rank */
    PAIR_FOUND,       /* vertices, before duplicates are dropped */
    PAIR_SENT,        /* the part of the found vertices that is sent in lists */
    PAIR_BYTES,       /* bytes of lists and bitmaps of vertices */
    PAIR_MEMBERS
};

struct pair_note {
    uint64_t of[PAIR_MEMBERS];
};

/* ---- pair_log.c: how many vertices each rank sends to each other rank in each level, as in tables of Mastrostefano's
 * paper. Vertices that stay in a group are not sent, so they do not count ---- */

extern const char *const pair_member_name[PAIR_MEMBERS];

/* The notes of one search's levels. A zeroed log is empty. */
struct pair_log {
    struct pair_note *note; /* [count] owned; one for each level and pair of ranks that moved something */
    uint64_t count;
    uint64_t levels;
    int failed; /* memory for a note was missing; this note and all later ones are lost */
};

struct comm;

/* Adds what this rank sent in one level to the log. to[ranks] has the counts for each receiving rank. */
void pair_log_add(struct pair_log *log, const struct comm *comm, const struct pair_note *to);

/* Collective. Replaces the notes of each rank by the notes of all ranks. */
enum status pair_log_gather(struct pair_log *log, const struct comm *comm, struct error *e);
void pair_log_free(struct pair_log *log); /* frees the notes; the log is empty afterwards */

#endif
