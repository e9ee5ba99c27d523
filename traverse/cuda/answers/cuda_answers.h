/* cuda_answers.h: the launch interface of the kernels that make answers, and the memory behind answers of a GPU;
 * plain C.
 *
 * Twin: cpu_answers.c. All pointers are device memory unless it is said otherwise; launches
 * are asynchronous on the stream given. Vertices are numbered as in struct answer_tables (engine.h). Parents are
 * input ids of `id_bytes`: 4 or 8.
 */
#ifndef DBFS_CUDA_ANSWERS_H
#define DBFS_CUDA_ANSWERS_H

#include "traverse/cuda/device/cuda_kernels.h"

#include "traverse/engine/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

/* With this many levels, depth + 1 is still a byte. */
enum { BYTE_LEVELS = 255 };

/* The type of values in an array that is indexed by vertex number. */
enum value_form { VALUE_BYTE /* depth + 1, 0: unreached */, VALUE_32, VALUE_64 };

/* Writes the depths of all vertices of one kind, as VALUE_BYTE or VALUE_32; to[i] is the value of vertex i of the kind. */
void cuda_write_depths(const struct gpu_vertices *vertices, enum value_form form, void *to,
                       cudaStream_t stream);

/* The parents that a device recorded for one kind of vertices, and where their input ids go. */
struct gpu_records {
    const uint32_t *visited; /* bitmap; NULL: the record of a vertex that was not found is PARENT_NONE */
    const uint32_t *record;  /* [count] */
    uint64_t count;
    uint64_t first;          /* vertex number of record[0]: 0 for locals, `locals` for delegates */
    uint64_t locals;
    const void *ids;         /* [locals + d] */
    uint32_t id_bytes;
    void *to;                /* [locals + d + 1] by number of vertex */
    int scatter;             /* to[] is by input id, and not by number of vertex */
    uint32_t *remote;        /* receives the vertices with a parent on another device; NULL: no list is made */
    unsigned long long *remote_count; /* length of the list; zero before the launch */
};

/* Sets to[ids[i]] to the depth of each visited vertex i; other entries stay as they are. */
void cuda_scatter_depths(const struct gpu_vertices *vertices, const void *ids, uint32_t id_bytes, int32_t *to,
                         cudaStream_t stream);

/* Writes the parent of each record as an input id to to[], -1 for none, and lists the vertices with a parent on
 * another device in `remote`. */
void cuda_write_parents(const struct gpu_records *records, cudaStream_t stream);

/* Sets to[i] to the value of vertex[i] in by_vertex, for i < count. Depths become int32. */
void cuda_gather_values(const uint32_t *vertex, uint64_t count, enum value_form form, const void *by_vertex, void *to,
                        cudaStream_t stream);

/* Writes `value` to memory of the host when all launches before it on the stream are done. */
void cuda_report_answer(volatile uint64_t *to, uint64_t value, cudaStream_t stream);

/* The window of permuted input ids first..first+count-1, of which one of several devices lists the values it has. */
struct gpu_listing {
    const void *values;
    uint32_t width;
    struct bijection bijection;
    uint32_t p, own_shard;
    uint64_t first, count;
    void *to;        /* [at most `count`] values */
    uint32_t *index; /* [at most `count`] for each value: its input id minus `first` */
    unsigned long long *listed; /* number of values listed; zero before the launch */
};

/* Lists the values of the ids of the window that the own shard has, in any order, with their indices in the
 * window; adds their number to *listed. */
void cuda_list_values(const struct gpu_listing *listing, cudaStream_t stream);

/* The vertices that ask all their nn neighbours on other shards, and where the questions go. */
struct gpu_asking {
    struct gpu_csr nn;
    const uint32_t *vertices;         /* as cuda_write_parents listed them; NULL: all rows */
    const unsigned long long *count;  /* length of `vertices`; not read if that is NULL */
    const int32_t *depth;             /* of locals */
    uint32_t own_shard;
    unsigned local_bits;
    unsigned long long *cursor;       /* [p] counts, or the index of the next question for each shard */
    struct question *questions;
    uint32_t *neighbours;             /* receives only local ids of neighbours; NULL: questions are written instead */
    uint32_t *askers;                 /* for each question the local vertex that asks it */
};

/* Adds the number of questions for each shard to cursor[]; with `list` the questions are also written, those for
 * shard s from index cursor[s] on. */
void cuda_ask(const struct gpu_asking *asking, int list, cudaStream_t stream);

/* The questions of one shard, and the replies to them. */
struct gpu_replying {
    const struct question *questions;
    uint64_t count;
    struct gpu_vertices locals;
    const void *ids;
    uint32_t id_bytes;
    void *replies;
    unsigned int *bad; /* becomes 1 if a question names a vertex that does not exist */
};

/* Writes the reply to each question: the input id of the vertex if it was visited at the depth asked for,
 * otherwise -1. */
void cuda_reply(const struct gpu_replying *replying, cudaStream_t stream);

/* Sets to[askers[i]] to replies[i] for each i < count with a reply other than -1. */
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

/* A search by one device, in the memory of all others, for the parents of its vertices. */
struct gpu_looking {
    struct gpu_csr nn;
    const uint32_t *vertices;        /* the vertices that need a parent, as cuda_write_parents listed them */
    const unsigned long long *count; /* length of `vertices` */
    const struct gpu_shown *shown;   /* [p] */
    uint32_t p, own_shard;
    unsigned local_bits;
    uint64_t delegates;
    const uint32_t *not_owned; /* bitmap of delegates whose owner is another shard: skipped */
    uint32_t id_bytes;
    void *to;          /* [locals + d] by number of vertex */
    unsigned int *bad; /* as in struct gpu_replying */
};

/* Gives the listed vertices a parent among their neighbours on other shards, and delegates without one the parent that
 * another device has. */
void cuda_look(const struct gpu_looking *looking, cudaStream_t stream);

/* ---- the memory of a device ---- */

/* Arrays of the plan. */
struct gpu_answers {
    uint32_t id_bytes;
    int all_read;     /* as in struct answer_tables */
    uint64_t count;   /* number of values of an answer */
    uint32_t *vertex; /* [count] vertex number of each value; NULL: values are scattered by input id */
    void *ids, *by_vertex, *values;
    void *listed;     /* for permuted ids: the values listed of a window, and behind the values their indices */
    struct bijection bijection; /* n is 0 if ids are not permuted */
    void *replies;
    void *tables;               /* gpu_answer_table_bytes: cursors, a count, a flag */
    struct gpu_shown *shown;    /* [2 * p] with all_read: what each device shows, and the same without `bytes` */
    uint8_t *copies;            /* of the peers' depths as bytes; NULL: depths are read in the memory of the peers */
    int by_bytes;               /* depths of the last search are shown as bytes */
    unsigned long long *counts; /* [p] host memory */
};

#ifdef __cplusplus
}
#endif

#endif
