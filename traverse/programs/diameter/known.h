/* known.h: what is wanted of a graph, and what is known so far */
#ifndef DBFS_KNOWN_H
#define DBFS_KNOWN_H

#include "root_search.h"

/* What is wanted. */
struct goals {
    int diameter, radius, all;
    int every; /* 1: of every component; 0: of one */
};

/* What is known of a number. The two are the same once it is found. */
struct range {
    int32_t lower, upper;
};

/* What is known so far. It is the same on all ranks, and part of the state that --resume reads, where it stands as it is in
 * memory. */
struct known {
    uint64_t searches;
    uint64_t components; /* components that are finished */
    uint64_t size;       /* vertices of the component that is searched now, or was searched last; 0: none was begun */
    uint64_t open, above, below; /* the live vertices that struct open_bounds counts */
    uint64_t steps;        /* since the component was begun, but for those that were set by `next` */
    uint64_t remote_steps; /* with goals.all: those of them from remote vertices */
    struct range diameter; /* of all components so far; `lower` is -1 before the first search */
    struct range radius;   /* of the component */
    int32_t least_open;    /* the least lower bound of a vertex with different bounds */
    uint32_t landmarks;    /* the number of landmarks, LANDMARKS at most */
    uint32_t oldest;       /* the landmark that a new one replaces if there are LANDMARKS, modulo this number */
    uint32_t refine_at;    /* the number of searches from which on the landmarks lower upper bounds again */
    int32_t has_next;      /* 1: `next` is the root of the next step, unless its eccentricity is known by then */
    int32_t has_hub;       /* 1: a landmark has the highest degree of the component; 0: the user gave the first landmark */
    uint32_t next_side;    /* enum side of the search from `next` */
    uint32_t sweeps;       /* of a directed graph: how many more roots are those farthest from the root before */
    struct root next;
    struct root from, to;  /* a pair of vertices at the distance diameter.lower */
    struct root center;    /* a vertex with the eccentricity radius.upper or less */
    struct root landmark[LANDMARKS];
    struct root last;      /* the last root */
    int32_t farthest[SIDES][LANDMARKS]; /* the largest distance from each landmark, and to it */
};

/* Takes over a pair of vertices at this distance, if no pair so far is farther apart. */
static inline void known_take_pair(struct known *k, int32_t distance, const struct root *from, const struct root *to)
{
    if (distance <= k->diameter.lower)
        return;
    k->diameter.lower = distance;
    k->from = *from;
    k->to = *to;
}

/* Makes a vertex the center if this upper bound of its eccentricity is below radius.upper, which it then becomes. */
static inline void known_take_center(struct known *k, int32_t eccentricity, const struct root *center)
{
    if (eccentricity >= k->radius.upper)
        return;
    k->radius.upper = eccentricity;
    k->center = *center;
}

#endif
