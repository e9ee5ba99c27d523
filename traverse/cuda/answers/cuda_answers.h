/* cuda_answers.h: the launch interface of the kernels that make answers, and the memory behind answers of a GPU;
 * plain C.
 *
 * Twins: cpu_answers.c and cpu_questions.c. All pointers are device memory unless it is said otherwise; launches
 * are asynchronous on the stream given. Vertices are numbered as in struct answer_tables (backend.h). Parents are
 * input ids of `id_bytes`: 4 or 8.
 */
#ifndef DBFS_CUDA_ANSWERS_H
#define DBFS_CUDA_ANSWERS_H

#include "traverse/cuda/device/cuda_kernels.h"

#include "traverse/engine/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

/* With this many levels, depth + 1 is still a byte. */
enum { BYTE_LEVELS = 255 };

/* The form of values that lie by number of vertex. */
enum value_form { VALUE_BYTE /* depth + 1, 0: unreached */, VALUE_32, VALUE_64 };

/* Depths of one kind of vertices, as VALUE_BYTE or VALUE_32, to[0] being the first. */
void cuda_write_depths(const struct gpu_vertices *vertices, enum value_form form, void *to,
                       cudaStream_t stream);

/* The parents that a device recorded, and the ids that they become. */
struct gpu_records {
    const uint32_t *visited; /* NULL: records say none where a vertex was not found */
    const uint32_t *record;  /* [count] */
    uint64_t count;
    uint64_t first;          /* number of the first vertex: 0 of locals, `locals` of delegates */
    uint64_t locals;
    const void *ids;         /* [locals + d] */
    uint32_t id_bytes;
    void *to;                /* [locals + d + 1] by number of vertex */
    int scatter;             /* to[] is by input id, and not by number of vertex */
    uint32_t *remote;        /* vertices with a parent on another device; NULL: there are none */
    unsigned long long *remote_count; /* zero before */
};

/* to[ids[i]] = the depth of vertex i, for those that were visited. */
void cuda_scatter_depths(const struct gpu_vertices *vertices, const void *ids, uint32_t id_bytes, int32_t *to,
                         cudaStream_t stream);

void cuda_write_parents(const struct gpu_records *records, cudaStream_t stream);

/* to[i] = the value of vertex[i], for i < count. Depths become int32. */
void cuda_gather_values(const uint32_t *vertex, uint64_t count, enum value_form form, const void *by_vertex, void *to,
                        cudaStream_t stream);

/* Writes `value` to memory of the host when all launches before it on the stream are done. */
void cuda_report_answer(volatile uint64_t *to, uint64_t value, cudaStream_t stream);

/* The values of permuted input ids first..first+count-1 that one of several devices has. */
struct gpu_listing {
    const void *values;
    uint32_t width;
    struct bijection bijection;
    uint32_t p, own_shard;
    uint64_t first, count;
    void *to;        /* [at most `count`] values */
    uint32_t *index; /* of each: its id, from `first` on */
    unsigned long long *listed; /* zero before */
};

void cuda_list_values(const struct gpu_listing *listing, cudaStream_t stream);

/* The questions of the vertices in a list, or of all. */
struct gpu_asking {
    struct gpu_csr nn;
    const uint32_t *vertices;         /* as cuda_write_parents listed them; NULL: all rows */
    const unsigned long long *count;  /* of them */
    const int32_t *depth;
    uint32_t own_shard;
    unsigned local_bits;
    unsigned long long *cursor;       /* [p] */
    struct question *questions;
    uint32_t *neighbours;             /* instead of questions, local ids alone; NULL: questions */
    uint32_t *askers;
};

/* Adds the questions for each shard to the cursors or, with `list`, writes them from the cursors on. */
void cuda_ask(const struct gpu_asking *asking, int list, cudaStream_t stream);

struct gpu_replying {
    const struct question *questions;
    uint64_t count;
    struct gpu_vertices locals;
    const void *ids;
    uint32_t id_bytes;
    void *replies;
    unsigned int *bad; /* becomes 1 if a question names a vertex that does not exist */
};

void cuda_reply(const struct gpu_replying *replying, cudaStream_t stream);

/* to[askers[i]] = replies[i] unless that is none. */
void cuda_take_replies(const void *replies, const uint32_t *askers, uint64_t count,
                       uint32_t id_bytes, void *to, cudaStream_t stream);

/* The arrays of its vertices that a device shows to others, which look for parents there. */
struct gpu_shown {
    const void *parents;      /* of delegates */
    const void *ids;          /* of locals */
    const uint8_t *bytes;     /* depth + 1 of locals, 0: not visited; NULL: there were many levels */
    const int32_t *depth;     /* of locals that were visited */
    const uint32_t *visited;
    uint64_t locals;
};

struct gpu_looking {
    struct gpu_csr nn;
    const uint32_t *vertices;        /* the vertices that look, as cuda_write_parents listed them */
    const unsigned long long *count; /* of them */
    const struct gpu_shown *shown;   /* [p] */
    uint32_t p, own_shard;
    unsigned local_bits;
    uint64_t delegates;
    const uint32_t *not_owned; /* delegates that need not look */
    uint32_t id_bytes;
    void *to;          /* [locals + d] by number of vertex */
    unsigned int *bad; /* as in struct gpu_replying */
};

/* Gives the listed vertices a parent among their neighbours on other shards, and delegates without one the parent that
 * another device has. */
void cuda_look(const struct gpu_looking *looking, cudaStream_t stream);

/* Each id of `to` becomes the larger one of itself and that of `from`. */
void cuda_max_ids(void *to, const void *from, uint64_t count, uint32_t id_bytes, cudaStream_t stream);

/* ---- the memory of a device (cuda_results.c, cuda_parents.c) ---- */

/* What a device that reads all others needs to look for parents there (cuda_look.c). */
struct gpu_look {
    struct gpu_shown *shown; /* [2 * p] */
    uint8_t *copies;         /* of others' depths; NULL: they are read where they lie */
    int by_bytes;            /* depths of the last search are shown as bytes */
};

/* Arrays of the plan. */
struct gpu_answers {
    uint32_t id_bytes;
    uint64_t count;   /* of values */
    uint32_t *vertex; /* [count]; NULL: values are scattered */
    void *ids, *by_vertex, *values;
    void *listed;     /* of ids that are permuted: values, and their indices behind them */
    struct bijection bijection; /* n is 0 if ids are not permuted */
    void *delegates;            /* [d] the largest parents of this rank's devices */
    void *replies;
    void *tables;               /* gpu_answer_table_bytes: cursors, a count, a flag */
    struct gpu_look look;
    unsigned long long *counts; /* [p] host memory */
};

#ifdef __cplusplus
}
#endif

#endif
