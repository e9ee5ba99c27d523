/* answer_places.h: the tables by which devices put values into the order of input ids */
#ifndef DBFS_ANSWER_PLACES_H
#define DBFS_ANSWER_PLACES_H

#include "traverse/devices/rank_devices.h"

/* The tables of the devices of a rank. */
struct places {
    const struct rank *rank;
    struct answer_places *of; /* [G] the tables that devices get */
    uint64_t **starts;        /* [G] each: the arrays that `of` points to */
    uint32_t **vertex;
    void **ids;
    uint32_t **before;
    struct id_marks **marks;
    uint64_t **marks_of;
};

/* Collective. Makes all tables; those of ids only with `parents`. If a rank fails, here or before, all do. */
enum status places_open(struct places *places, const struct rank *rank, int parents,
                        struct error *e);
void places_close(struct places *places); /* a zeroed one is allowed */

/* Releases the tables that devices have copied: all but `starts` and `marks_of`. */
void places_forget(struct places *places);

#endif
