/* cuda_answers.h: launches the kernels that make answers, and describes a GPU's memory for answers; plain C
 *
 * An answer is the depths or the parents of all vertices (on a CPU, cpu_answers.c makes it). Each function launches kernels on the
 * given stream and does not wait. Errors of the launches are found by the next CUDA_LAUNCHED. All pointers are device memory unless
 * the comment says otherwise. The vertices of a device are numbered (struct answer_tables in engine.h): first its local vertices,
 * 0 to locals - 1, and behind them the delegates. Parents are input ids, of `id_bytes` bytes each: 4 or 8.
 */
#ifndef DBFS_CUDA_ANSWERS_H
#define DBFS_CUDA_ANSWERS_H

#include "traverse/cuda/device/cuda_kernels.h"

#include "traverse/engine/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The most levels of a search whose depths + 1 fit four bits, or a byte. */
enum { NIBBLE_LEVELS = 15, BYTE_LEVELS = 255 };

/* The type of the values in an array that is indexed by number of vertex. */
enum value_form {
    VALUE_NIBBLE, /* four bits, depth + 1; 0: the vertex was not reached. Of stripes alone (cuda_fused_nibble_depths) */
    VALUE_BYTE,   /* the same in a byte */
    VALUE_32,
    VALUE_64
};

/* Writes the depths of all vertices of one kind to to[], by vertex, in the form VALUE_BYTE or VALUE_32. The depths of the
 * search must be complete (gpu_fused_settle). */
void cuda_write_depths(const struct gpu_vertices *vertices, enum value_form form, void *to,
                       cudaStream_t stream);

/* The parents that a device recorded for one kind of vertices, and where cuda_write_parents writes them as input ids. */
struct gpu_records {
    const uint32_t *visited; /* bitmap of visited vertices; NULL if the others have the record PARENT_NONE already */
    const uint32_t *record;  /* [count] recorded parents (PARENT_... in engine.h) */
    uint64_t count;          /* vertices of the kind */
    uint64_t first;          /* the number of the first vertex: 0 for locals, `locals` for delegates */
    uint64_t locals;         /* local vertices of the device */
    const void *ids;         /* [locals + d] input id of each vertex */
    uint32_t id_bytes;
    void *to;                /* [locals + d + 1] receives the parents, by number of vertex or by input id */
    int scatter;             /* 1: `to` is indexed by input id; 0: `to` is indexed by number of vertex */
    uint32_t *with_remote_parent; /* receives the vertices that have a parent on another device; NULL: no list is made */
    unsigned long long *remote_count; /* length of `with_remote_parent`; zero before the launch */
};

/* Writes the depth of each visited vertex of one kind to `to`, at the index of its input id. ids[i], of id_bytes bytes, is the
 * input id of vertex i. All other elements of `to` stay as they are. */
void cuda_scatter_depths(const struct gpu_vertices *vertices, const void *ids, uint32_t id_bytes, int32_t *to,
                         cudaStream_t stream);

/* Writes the parent of each vertex as an input id, or -1 if the device has recorded none, or if the parent is on another
 * device. Vertices with a parent on another device are also listed in `with_remote_parent`, unless that is NULL. */
void cuda_write_parents(const struct gpu_records *records, cudaStream_t stream);

/* Sets to[i], for i < count, to the element of by_vertex for vertex vertex[i]. Bytes in by_vertex become int32 depths. */
void cuda_gather_values(const uint32_t *vertex, uint64_t count, enum value_form form, const void *by_vertex, void *to,
                        cudaStream_t stream);

/* The order of an answer in fewer bytes than one vertex number for each value has (cuda_stripes.cu). A stripe is ANSWER_STRIPE consecutive
 * values. Its vertices are sorted by number, and lie in words: 32 vertices each, the last of a stripe fewer. A run is several vertices
 * of a stripe with consecutive numbers. */
enum { ANSWER_SPARE_WORDS = 32 };
struct gpu_stripe {
    uint32_t words, runs; /* of all stripes before */
};
struct gpu_stripe_word {
    uint32_t starts; /* bit i: vertex i of the word starts a run */
    uint32_t run;    /* the number of runs that start before the word, minus 1 */
};
struct gpu_stripes {
    struct gpu_stripe *before;    /* [stripes + 1] */
    struct gpu_stripe_word *word; /* [words + ANSWER_SPARE_WORDS] the last ones have no meaning, and are read with others */
    uint32_t *run;                /* [runs] number of the first vertex, minus its index among the vertices of its stripe */
    uint16_t *place;              /* [32 for each word] index in the stripe of the value of each vertex; ANSWER_STRIPE: no vertex */
};

/* Makes before[]. vertex[count] are the vertices of all values, `none` where there is no vertex. */
void cuda_count_stripes(const uint32_t *vertex, uint64_t count, uint32_t none, struct gpu_stripe *before, cudaStream_t stream);

/* Makes the arrays of stripes for the same vertices, except before[], which is made. */
void cuda_fill_stripes(const uint32_t *vertex, uint64_t count, uint32_t none, const struct gpu_stripes *stripes, cudaStream_t stream);

/* Writes the `count` depths of an answer to `to`, from by_vertex[] as in cuda_gather_values. Ids without a vertex get -1. The
 * device has `locals` local vertices. */
void cuda_stripe_depths(const struct gpu_stripes *stripes, uint64_t count, enum value_form form, const void *by_vertex, uint64_t locals,
                        int32_t *to, cudaStream_t stream);

/* Writes the `count` parents of an answer to `to`: what cuda_write_parents would write for each vertex, and -1 without a vertex. Both
 * records have a bitmap `visited`; `to` and what follows it in them is not used. */
void cuda_stripe_parents(const struct gpu_stripes *stripes, uint64_t count, const struct gpu_records *normals,
                         const struct gpu_records *delegates, void *to, cudaStream_t stream);

/* Writes `value` to *to when all earlier launches on the stream are over. `to` is mapped memory of the host. */
void cuda_report_answer(volatile uint64_t *to, uint64_t value, cudaStream_t stream);

/* How one of several devices lists its values of a window. The window is the permuted input ids first to first + count - 1, and
 * the device has values only for those that belong to its shard. */
struct gpu_listing {
    const void *values;         /* all values of the device; the value of stored id v is values[v / p] */
    uint32_t width;             /* bytes of a listed value: 1 or 2, of narrowed depths; or 4 or 8, those of `values` */
    struct bijection bijection; /* from input ids to stored ids */
    uint32_t p, own_shard;      /* number of shards; the shard of this device */
    uint64_t first, count;
    struct list_block *blocks;  /* receives where the list has the values of each block of the window */
    void *to;                   /* [count at most] receives the values, block by block, in any order of blocks */
    uint8_t *index;             /* [count at most] receives the number of each value's id in its block */
    unsigned long long *listed; /* number of values that were listed; zero before the launch */
};

/* Lists the values of the window's ids that belong to the own shard (struct value_list). Adds the number of these values to *listed. */
void cuda_list_values(const struct gpu_listing *listing, cudaStream_t stream);

/* Writes `count` depths to `to`, as integers of `width` bytes, 1 or 2; a depth that is too large for them becomes the largest
 * (narrow_depths). */
void cuda_narrow_depths(const int32_t *depth, uint64_t count, uint32_t width, void *to, cudaStream_t stream);

/* The vertices that need a parent on another device, and the memory for their questions. A vertex asks each of its nn
 * neighbours on other shards. */
struct gpu_asking {
    struct gpu_csr nn;
    const uint32_t *vertices;         /* the local vertices that ask, listed by cuda_write_parents; NULL: all local vertices */
    const unsigned long long *count;  /* length of `vertices`; not read if `vertices` is NULL */
    const int32_t *depth;             /* of local vertices */
    uint32_t own_shard;
    unsigned local_bits;              /* a column of nn is shard << local_bits | local id */
    unsigned long long *cursor;       /* [p] for each shard: first the number of questions, then the index of the next question */
    struct question *questions;       /* receives the questions */
    uint32_t *neighbours;             /* receives the neighbours' local ids, not `questions`; NULL: `questions` does */
    uint32_t *askers;                 /* receives, for each question, the local vertex that asks */
};

/* Counts or writes the questions for each shard s. If `writes` is 0, adds their number to cursor[s]. If it is 1, writes the
 * questions, and for each the vertex that asks, from index cursor[s] on, and then adds their number to cursor[s]. */
void cuda_ask(const struct gpu_asking *asking, int writes, cudaStream_t stream);

/* The questions of one other shard to this device, and the array for the replies. */
struct gpu_replying {
    const struct question *questions;
    uint64_t count;
    struct gpu_vertices locals; /* the local vertices of this device, which the questions are about */
    const void *ids;            /* input ids of `locals`, of id_bytes bytes each */
    uint32_t id_bytes;
    void *replies;     /* [count] receives the replies, of id_bytes bytes each */
    unsigned int *bad; /* becomes 1 if a question names a vertex that does not exist; otherwise unchanged */
};

/* Replies to questions, which ask whether a vertex has a certain depth. The reply is the vertex's input id if so, or -1. */
void cuda_reply(const struct gpu_replying *replying, cudaStream_t stream);

/* The delegates that ask: those that this shard owns, and that only other devices have found. */
struct gpu_missing {
    const uint32_t *vertex;  /* [values] the number of the vertex of each value of this shard */
    uint64_t values;
    uint64_t locals, d;      /* delegate i has the number locals + i */
    const uint32_t *visited; /* bitmap of delegates */
    const void *parents;     /* [locals + d] parents by number of vertex, of id_bytes bytes each; -1: none was recorded */
    uint32_t id_bytes;
    uint32_t *list;             /* [d] receives the delegates, in any order */
    unsigned long long *listed; /* their number; zero before the launch */
};

/* Lists the delegates that ask. */
void cuda_list_missing(const struct gpu_missing *missing, cudaStream_t stream);

/* Sets replies[i], for i < count, to the parent of delegate delegates[i] in parents[d], which may be -1. Sets *bad to 1 if there is
 * no such delegate. Replies and parents have id_bytes bytes each. */
void cuda_reply_to_delegates(const uint32_t *delegates, uint64_t count, const void *parents, uint64_t d, uint32_t id_bytes,
                             void *replies, unsigned int *bad, cudaStream_t stream);

/* Makes replies the parents of the vertices that asked: sets to[askers[i]] to replies[i] for each i < count, except replies of
 * -1. Both arrays have ids of id_bytes bytes. */
void cuda_take_replies(const void *replies, const uint32_t *askers, uint64_t count,
                       uint32_t id_bytes, void *to, cudaStream_t stream);

/* Writes the depths of normals modulo 3 to `to`: 2 bits each, 16 to a word; 3: not visited. The depths of the search must be
 * complete (gpu_fused_settle). */
void cuda_write_residues(const struct gpu_vertices *normals, uint32_t *to, cudaStream_t stream);

/* The arrays in the memory of a device that its peers read when they look for parents. A peer may first copy `bytes` to its own
 * memory; then `bytes` is the address of the copy. A device that only sends messages shows copies of its residues and ids. */
struct gpu_shown {
    const void *parents;      /* parents of delegates, as input ids; -1: the device has none */
    const void *ids;          /* input ids of local vertices */
    const uint8_t *bytes;     /* depth + 1 of local vertices; 0: not visited. NULL: too many levels for bytes */
    const uint32_t *residues; /* depths of local vertices modulo 3 (cuda_write_residues); NULL: `bytes` or `depth` are read */
    const int32_t *depth;     /* of local vertices that were visited */
    const uint32_t *visited;  /* bitmap of local vertices */
    uint64_t locals;          /* number of local vertices */
};

/* How one device looks for the parents of its own vertices in the memory of all devices. */
struct gpu_looking {
    struct gpu_csr nn;
    const uint32_t *vertices;        /* the local vertices that need a parent, listed by cuda_write_parents */
    const unsigned long long *count; /* length of `vertices` */
    const struct gpu_shown *shown;   /* [p] what the device of each shard shows */
    uint32_t p, own_shard;
    unsigned local_bits;       /* a column of nn is shard << local_bits | local id */
    uint64_t delegates;        /* number of delegates; 0: delegates do not look */
    const uint32_t *not_owned; /* bitmap of delegates that other shards own, which do not look for a parent */
    uint32_t id_bytes;
    void *to;          /* [locals + d] parents by number of vertex; those of delegates are also read */
    unsigned int *bad; /* becomes 1 if a column names a vertex that its shard does not have; otherwise unchanged */
};

/* Finds parents in the memory of other devices. Each listed vertex gets a parent among its nn neighbours on other shards. Each
 * delegate of the own shard that has no parent yet gets one that another device shows. Both get -1 if none is found. */
void cuda_look(const struct gpu_looking *looking, cudaStream_t stream);

/* ---- the memory of a device ---- */

/* The memory and settings of a device for its answers. The plan of device memory allocates the arrays, which live as long as the device. */
struct gpu_answers {
    uint32_t id_bytes; /* bytes of an input id, and of a parent: 4 or 8 */
    int all_read;      /* 1: devices read each other's memory, so no vertex asks questions (struct answer_tables) */
    uint64_t count;    /* number of values of an answer */
    uint32_t *vertex;  /* [count] the number of the vertex that each value of the answer is of; NULL: answers are scattered */
    struct gpu_stripes stripes; /* the same in the memory of vertex[], which then is not made; before is NULL: vertex[] is made */
    void *ids;         /* [locals + d] input id of each vertex */
    void *by_vertex;   /* [locals + d + 1] the value of each vertex by its number; the last value is for ids without a vertex */
    void *values;      /* [count] the answer */
    void *window;      /* what goes to the host of a window: narrowed depths; if ids are permuted, blocks, values and indices */
    struct bijection bijection; /* from input ids to stored ids; n is 0 if ids are not permuted */
    void *replies;              /* replies to the questions of other shards, of id_bytes bytes each */
    void *tables;               /* gpu_answer_table_bytes: [p] cursors, gpu_remote_count, gpu_bad_flag */
    struct gpu_shown *shown;    /* with all_read [2 * p] the arrays that each device shows: with `bytes`, and from element p on without.
                                 * With far_ids [p] the arrays of this device that have copies of them */
    uint8_t *copies;            /* copies of the depths of other devices: as bytes or, with far_ids, residues. NULL: depths are read in
                                 * the memory of the peers */
    void *far_ids;              /* input ids of the normals of all other shards, an allocation; NULL: not known (know_ids) */
    int by_bytes;               /* with all_read 1: the depths of the last search are shown as bytes */
    unsigned long long *counts; /* [p] host memory: numbers of questions; NULL: answers were not opened */
};

#ifdef __cplusplus
}
#endif

#endif
