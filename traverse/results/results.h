/* results.h: the results of a search: counts, a checksum, and files of depths and of parents in the order of original ids */
#ifndef DBFS_RESULTS_H
#define DBFS_RESULTS_H

#include "kept_answers.h"
#include "windows.h"

#include "traverse/options/args.h"

#include "formats/name_map.h"
#include "formats/npy.h"

/* Counts of a search over all ranks. Counted edges are the undirected input edges at reached vertices. In a directed graph
 * all three counts of edges are the directed edges, without duplicates and self-loops, that begin at reached vertices. */
struct reach {
    uint64_t vertices;      /* the number of reached vertices; roots are among them */
    uint64_t edges;         /* the number of edges; duplicates and self-loops count, as in Graph500's specification */
    uint64_t edges_no_loops;/* the number of edges; duplicates count, self-loops do not, as in Graph500's reference code */
    uint64_t edges_kept;    /* the number of edges without duplicates and without self-loops */
    uint64_t levels;        /* the largest depth + 1 */
    uint64_t checksum;      /* a sum of hashes of (original id, depth) over the reached vertices */
};

/* The results of the searches of one rank: depths and counts on the host, and answers on its devices. */
struct results {
    const struct rank *rank;
    const struct graph *graph; /* graph, comm and budget are those of `rank` */
    const struct comm *comm;
    struct memory_budget *budget;
    int32_t **depth;         /* [G][locals] depths of normals, set by results_collect */
    int32_t *delegate_depth; /* [d] depths of delegates, set by results_collect */
    int answering;           /* 1: searches make answers */
    struct answers answers;  /* open only if `answering` is 1 */
    struct kept_answers kept; /* with --device-answers: the answers that were given to another process */
    struct windows windows;  /* opened by the first results_write that reads values from devices */
    int counts_kept;         /* 1: results_collect counts edges_kept */
};

/* Returns whether searches make answers. They do if `files` is 1, because results_write then writes the answers, or if an array
 * over all ids is not much larger than the graph. They do not if args->no_answer is set. */
int results_wanted(const struct graph *graph, const struct args *args, int files);

/* Collective. Allocates arrays over the vertices of this rank, and prepares the devices for answers if searches make
 * answers. The caller calls results_close, even after a failure. */
enum status results_open(struct results *results, const struct rank *rank, const struct args *args, int files,
                         struct error *e);
void results_close(struct results *results); /* frees everything; *results may be zeroed */

/* Collective. Copies the depths of the last search to the host. Sets *reach to the counts over all ranks. */
enum status results_collect(struct results *results, const struct root_set *roots, struct reach *reach,
                            struct error *e);

/* A file that has the results of several roots, one after the other: the lines of a text, or the rows of a matrix of numpy. It is open
 * from the first results_write on. The caller zeroes it before, sets `roots`, and calls result_table_commit or result_table_abort. */
struct result_table {
    uint64_t roots; /* the rows of a matrix */
    int begun;
    struct outfile *out; /* may be NULL on ranks that do not write */
    int all_write;       /* 1: every rank writes its own part of each root's result; 0: rank 0 writes all */
    uint64_t end;        /* if all_write is 1: the bytes of the file so far, over all ranks */
};

/* A file of one answer. */
struct result_file {
    const char *name; /* %d stands for the number `root` */
    uint64_t root;    /* the original id of the root, or of one of several */
    enum answer_kind kind;
    int with_parents; /* 1: the file is a table of depths, and has the parents in one more column; `kind` is ANSWER_DEPTHS */
    struct result_table *table; /* the file of several roots, where lines have the root as the first field; NULL: a file of its own */
    const char *columns;      /* the names of the columns of CSV; NULL: those of the kind */
    enum result_format format;
    int in_place;               /* 1: an existing file is overwritten in place, without a temporary file */
    uint32_t id_bytes;          /* bytes of a parent in a file that is not text: 4 or 8. 0: answer_id_bytes chooses */
    uint32_t depth_bytes;       /* bytes of a depth in a file that is not text: 1, 2 or 4; 0 is 4 */
    const struct name_map *map; /* on rank 0: the names of vertices; NULL: the file has ids instead of names */
    const void *values;         /* for results_write_values: [n] int32 depths, or parents of answer_id_bytes(n) bytes */
    const void *parents;        /* for results_write_values with with_parents: [n] parents of answer_id_bytes(n) bytes */
};

/* Collective. Called after answers_make. All ranks write one file together, in the format file->format, or with
 * RESULT_BY_SUFFIX in the format of the suffix of its name:
 * - RESULT_NPY, .npy: an array of numpy, indexed by id. Depths are int32, and parents int32 or int64, little-endian. With
 *   file->table the array is a row of a matrix.
 * - RESULT_RAW, .raw: the array of RESULT_NPY without a header.
 * - RESULT_CSV, .csv: a table of CSV (formats/table.h) with the columns id and distance, id and parent, id and nearest, or id,
 *   distance and parent; in a table of several roots the column root comes first.
 * - RESULT_TEXT, any other suffix: the same lines with tabs, without the names of the columns.
 * With a map, tables have names instead of ids. Vertices that were not reached have the value -1. With file->table the file
 * is not committed. Nearest roots have the types and widths of parents. They are written after the
 * parents of the same search, if both are, as they take their place. */
enum status results_write(struct results *results, const struct result_file *file,
                          struct error *e);

/* Writes the values of the array file->values, which belong to this root, to a file. Needs no devices. The rank must be the only rank of
 * its comm. */
enum status results_write_values(const struct rank *rank, const struct root *root, const struct result_file *file,
                                 struct error *e);

/* Collective. Called after results_collect. Returns how many vertices of all ranks are deeper than `depth` in the last search from
 * these roots. */
uint64_t results_count_deeper(const struct results *results, int64_t depth);

/* Collective. Completes a table of several roots on all ranks, or discards it. A table that is not begun is left alone. */
enum status result_table_commit(struct result_table *table, const struct comm *comm, struct error *e);
void result_table_abort(struct result_table *table, const struct comm *comm);

/* In reached_list.c. Collective. Called after results_collect. Rank 0 writes a table with a line for each reached vertex:
 * its id or name, and its depth; if file->table is not NULL, after the root. The lines are sorted by depth, and then by id. Of
 * *file only name, root, map and table are used. The list takes 16 bytes for each reached vertex on the vertex's own rank, and 16
 * bytes on rank 0. */
enum status reached_list_write(struct results *results, const struct root_set *roots, const struct result_file *file,
                               struct error *e);

#endif
