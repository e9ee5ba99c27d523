/* answer_steps.h: the steps that make answers. As in steps.h, twin_ functions (answer_twin.c) and kernel_
 * functions (answer_kernels.c) do the same. */
#ifndef DBFS_TESTS_GPU_ANSWER_STEPS_H
#define DBFS_TESTS_GPU_ANSWER_STEPS_H

#include "steps.h"

#include "traverse/engine/engine.h"

/* A search that is over, and the tables of its values. */
struct answering {
    const struct shard *shard;
    enum answer_kind kind;
    uint32_t levels;
    const uint64_t *visited[VERTEX_KINDS];
    const int32_t *depth[VERTEX_KINDS];
    const uint32_t *record[VERTEX_KINDS];
    struct answer_tables tables;
};

/* Returns the word that cuda_report_answer makes of a value. */
uint64_t kernel_report(uint64_t value);

/* values: [tables.values]; by_stripes: cuda_stripe_ functions write them, and no other device has a parent */
void twin_values(const struct answering *a, void *values);
void kernel_values(const struct answering *a, int by_stripes, void *values);

/* Questions by shard: those for shard s are begin[s] to begin[s + 1] - 1. */
struct questions {
    uint64_t *begin; /* [p + 1] */
    struct question *question;
    uint32_t *asker;
};

void twin_ask(const struct answering *a, struct questions *out);
void kernel_ask(const struct answering *a, struct questions *out);

/* list: [d] receives, in any order, the delegates of this shard that only other devices have found. Returns how many. */
uint64_t twin_asking_delegates(const struct answering *a, uint32_t *list);
uint64_t kernel_asking_delegates(const struct answering *a, uint32_t *list);

struct replying {
    const struct shard *shard;
    const uint64_t *visited;
    const int32_t *depth;
    const void *ids;
    uint32_t id_bytes;
    const struct question *questions;
    uint64_t count;
};

/* Returns nonzero if the kernel accepts all vertices. */
void twin_reply(const struct replying *r, void *replies);
int kernel_reply(const struct replying *r, void *replies);

/* Questions of delegates to a device that has recorded these parents. */
struct replying_to_delegates {
    const struct shard *shard;
    const void *parents; /* [d] */
    uint32_t id_bytes;
    const uint32_t *delegates; /* [count] */
    uint64_t count;
};

/* Returns nonzero if the kernel accepts all delegates. */
void twin_reply_to_delegates(const struct replying_to_delegates *r, void *replies);
int kernel_reply_to_delegates(const struct replying_to_delegates *r, void *replies);

/* asker i takes reply i */
void kernel_take(const struct replying *r, const void *replies, void *to);

/* A window of permuted ids, and the values of the shard that lists its own. */
struct window_list {
    const struct shard *shard;
    const void *values; /* [count_values] */
    uint64_t count_values;
    enum answer_kind kind;
    uint32_t held, width; /* bytes of a value in `values`, and in the list */
    const struct bijection *bijection;
    uint64_t first, count;
};

/* window[i] becomes the value of id first + i, if the shard has it. Returns how many are listed. */
uint64_t twin_window(const struct window_list *l, void *window);
uint64_t kernel_window(const struct window_list *l, void *window);

/* Copies the values of a list to the indices of their ids in the window. */
void spread_list(const struct value_list *list, uint64_t ids, void *window);

/* to: [count] of `width` bytes */
void twin_narrow(const int32_t *depth, uint64_t count, uint32_t width, void *to);
void kernel_narrow(const int32_t *depth, uint64_t count, uint32_t width, void *to);

/* The arrays that the devices of p shards show each other, and the vertices that one device looks for. Each shard
 * has `locals` of shard, and vertex v of shard s is number s * locals + v. */
struct looking {
    const struct shard *shard; /* the shard that looks */
    uint64_t shown;            /* locals that each other shard shows */
    const uint64_t *visited;   /* [p] masks of locals */
    const int32_t *depth;      /* [p * locals]; NULL: depths are bytes */
    const uint8_t *bytes;      /* [p * locals] depth + 1, 0: not visited; or NULL */
    int by_residues;           /* 1: other shards show what cuda_write_residues makes of `depth` */
    const void *ids;           /* [p * locals] */
    const void *parents;       /* [p * d] of delegates */
    const uint64_t *not_owned; /* a mask of delegates */
    const uint32_t *list;      /* locals whose parents are looked for */
    uint64_t count;
    uint32_t id_bytes;
};

/* to: [locals + d], in and out. Returns nonzero if the kernel accepts all vertices. */
int kernel_look(const struct looking *l, void *to);

/* A kind of vertices after a search that kept the frontiers of some levels as masks. */
enum { MOST_KEPT = 24 };
struct kept_levels {
    uint64_t count;
    const uint64_t *visited, *masks; /* of masks there is one for each kept level */
    const int32_t *depth;            /* depths of vertices in other levels */
    uint32_t kept;
    int32_t kept_depth[MOST_KEPT];
    uint32_t levels; /* depths are below */
    uint32_t shift;  /* distance of the bytes from an aligned address */
};

/* bytes: [count] depth + 1; depth: [count] as settled. Returns whether vertices of both kinds together get the same, in nibbles, too, if
 * there are few levels. */
int kernel_kept_depths(const struct kept_levels *k, uint8_t *bytes, int32_t *depth);

#endif
