/* answers.h: depths or parents of all vertices, by input id, in the memory of the devices (backend.h) */
#ifndef DBFS_ANSWERS_H
#define DBFS_ANSWERS_H

#include "answer_places.h"
#include "answer_slices.h"

struct answers {
    const struct rank *rank;
    struct places places;
    struct slices slices, replies;
    void *delegate_parents; /* [d] for MPI to reduce; NULL for one rank, or without parents */
    struct slice *values;   /* [G][p] of each device, for each block */
    uint32_t id_bytes;
    int looks; /* devices look up parents in the memory of all others */
    enum answer_kind kind; /* of the last answer */
    uint32_t levels;       /* its depths are below this */
};

/* Collective. Prepares the devices for answers: makes tables for the order of input ids. Parents are possible only if
 * the devices were opened to record them. */
enum status answers_open(struct answers *answers, const struct rank *rank, int parents, struct error *e);
void answers_close(struct answers *answers); /* a zeroed one is allowed */

/* Collective. Makes the answer of the last search, whose depths are below `levels`. On return this rank's values
 * lie in the memory of its devices; other ranks may still work. A failure is known to this rank only, and the
 * other ranks wait for it, so the caller must end the job. */
enum status answers_make(struct answers *answers, enum answer_kind kind, const struct root *root,
                         uint32_t levels, struct error *e);

/* Bytes of a value: 4 of a depth, 4 or 8 of a parent. */
uint32_t answers_width(const struct answers *answers, enum answer_kind kind);

/* Copies the values of ids first..first+count, which this rank has, to memory of the host. */
enum status answers_read(const struct answers *answers, enum answer_kind kind, uint64_t first,
                         uint64_t count, void *values, struct error *e);

/* The same values in place; NULL if they do not lie in memory of the host, or not on one device. */
const void *answers_see(const struct answers *answers, enum answer_kind kind, uint64_t first, uint64_t count);

#endif
