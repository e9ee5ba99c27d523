/* known.h: what is wanted of a graph, and what is known so far */
#ifndef DBFS_KNOWN_H
#define DBFS_KNOWN_H

#include "root_search.h"

/* What is wanted. */
struct goals {
    int diameter, radius, all;
    int every; /* 1: of every component; 0: of one */
};

/* What is known so far. It is the same on all ranks, and part of the state that --resume reads, where it stands as it is in
 * memory. */
struct known {
    uint64_t searches;
    uint64_t components; /* components that are finished */
    uint64_t size;       /* vertices of the component that is searched now, or was searched last; 0: none was begun */
    uint64_t open, above, below; /* the live vertices that struct open_bounds counts */
    uint64_t turn, remote; /* steps since the component was begun; those of them from remote vertices, with goals.all */
    int32_t diameter[2]; /* the lower and the upper bound of the diameter, of all components so far */
    int32_t radius[2];   /* the same of the radius of the component */
    int32_t least_open;  /* the least lower bound of a vertex with different bounds */
    uint32_t landmarks, oldest; /* the number of landmarks; the next one that a new one replaces, if there are LANDMARKS */
    uint32_t refined_at; /* the number of searches from which on the landmarks are used again */
    int32_t has_next;    /* 1: `next` is searched from in the next step */
    int32_t at_hub;      /* 1: a landmark has the highest degree of the component; 0: the user gave the first landmark */
    uint32_t next_side;  /* enum side of the search from `next` */
    uint32_t sweeps;     /* of a directed graph: how many of the first roots are yet to be found by the search before them */
    struct root next;
    struct root from, to; /* a pair of vertices at the distance diameter[0] */
    struct root center;   /* a vertex with the eccentricity radius[1] or less */
    struct root landmark[LANDMARKS];
    struct root last;     /* the last root */
    int32_t eccentricity[LANDMARKS]; /* of the landmarks */
    int32_t against[LANDMARKS];      /* of a directed graph: the largest distance to each landmark */
};

/* Takes over a pair of vertices at this distance, if no pair so far is farther apart. */
static inline void known_take_pair(struct known *k, int32_t distance, const struct root *from, const struct root *to)
{
    if (distance <= k->diameter[0])
        return;
    k->diameter[0] = distance;
    k->from = *from;
    k->to = *to;
}

/* Takes over a vertex whose eccentricity is this number or less, if no center so far has a smaller one. */
static inline void known_take_center(struct known *k, int32_t eccentricity, const struct root *center)
{
    if (eccentricity >= k->radius[1])
        return;
    k->radius[1] = eccentricity;
    k->center = *center;
}

#endif
