/* exchange_counts.h: counts before and after each option that makes messages smaller (figure 8 of Pan et al.), and counts
 * of what ranks send to each other.
 *
 * Two kinds of bytes are counted: bytes that leave a rank in messages, and bytes that devices of the rank read in the
 * memory of their peers. The files of masks/ and vertices/ add to the counts where they send or read. */
#ifndef DBFS_EXCHANGE_COUNTS_H
#define DBFS_EXCHANGE_COUNTS_H

#include "formats/base/status.h"

#include <stdint.h>

enum exchange_count {
    COUNT_FOUND_VERTICES, /* vertices for other groups, before duplicates are dropped */
    COUNT_SENT_VERTICES,  /* the part of the found vertices that is sent in lists */
    COUNT_LIST_BYTES,
    COUNT_BITS_BYTES,
    COUNT_FRONTIER_BYTES,
    COUNT_MASK_BYTES,
    COUNT_WHOLE_MASK_BYTES, /* the value that COUNT_MASK_BYTES would have if every mask were sent whole */
    COUNT_MESSAGES,         /* messages with vertices; messages with frontiers or masks are not counted */
    COUNT_PEER_VERTICES, /* vertices in lists that devices read in the memory of peers */
    COUNT_PEER_BYTES, /* bytes that devices read in the memory of peers: lists and bitmaps of vertices, frontiers, and masks
                       * of delegates */
    COUNT_DROPPED_VERTICES, /* duplicates dropped between the finder and the owner; only a 2D search counts these */
    EXCHANGE_COUNTS
};

struct exchange_counts {
    uint64_t of[EXCHANGE_COUNTS];
};

extern const char *const exchange_count_name[EXCHANGE_COUNTS];

/* The counts of the vertices that one rank sends to another rank in one level (struct pair_log). */
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

/* ---- pair_log.c: the vertices that ranks send to each other, by level, sender and receiver. Mastrostefano has such a
 * table of messages. Only vertices that leave a group are counted, because within a group nothing is sent. ---- */

extern const char *const pair_member_name[PAIR_MEMBERS];

/* The notes of one search's levels. A zeroed log is empty. */
struct pair_log {
    struct pair_note *note; /* [count] a note for each level and pair of ranks, if the pair moved something. Owned by the
                             * log */
    uint64_t count;
    uint64_t levels;
    int failed; /* memory for a note was missing; this note and all later notes are lost */
};

struct comm;

/* Adds the notes of a level of this rank, and counts the level in `levels`. to[ranks]: the counts of this rank for each
 * receiving rank. */
void pair_log_add(struct pair_log *log, const struct comm *comm, const struct pair_note *to);

/* Collective. Replaces the notes of each rank by the notes of all ranks. */
enum status pair_log_gather(struct pair_log *log, const struct comm *comm, struct error *e);
void pair_log_free(struct pair_log *log); /* frees the notes; the log is empty afterwards */

#endif
