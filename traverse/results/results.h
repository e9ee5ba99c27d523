/* results.h: the results of a search: counts, checksums, and depths and parents by original id */
#ifndef DBFS_RESULTS_H
#define DBFS_RESULTS_H

#include "windows.h"

#include "traverse/options/args.h"

#include "formats/name_map.h"

/* Counts over all ranks. An edge is an undirected input edge with a reached end. */
struct reach {
    uint64_t vertices;      /* with the root */
    uint64_t edges;         /* of Graph500's specification: with duplicates and self-loops */
    uint64_t edges_no_loops;/* of its reference code: without self-loops */
    uint64_t edges_kept;    /* without duplicates and self-loops */
    uint64_t levels;        /* largest depth + 1 */
    uint64_t checksum;      /* over (original id, depth) of reached vertices */
};

/* The results of the searches of one rank: depths and counts on the host, and answers on its devices. */
struct results {
    const struct rank *rank;
    const struct graph *graph; /* graph, comm and budget are those of the rank */
    const struct comm *comm;
    struct memory_budget *budget;
    int32_t **depth;         /* [G][locals] depths of normals; this and delegate_depth are set by results_collect */
    int32_t *delegate_depth; /* [d] */
    int answering;           /* searches make answers */
    struct answers answers;  /* open only if `answering` */
    struct windows windows;  /* opened by the first results_write from devices */
    int counts_kept;         /* edges_kept is counted */
};

/* Returns whether searches make answers. Without `files`, which results_write writes, they do not if ids are so sparse
 * that an array over them is much larger than the graph. */
int results_wanted(const struct graph *graph, const struct args *args, int files);

/* Allocates arrays over the vertices of this rank, and prepares the devices for answers if they are wanted. */
enum status results_open(struct results *results, const struct rank *rank, const struct args *args, int files,
                         struct error *e);
void results_close(struct results *results); /* a zeroed one is allowed */

/* Collective. Fetches the depths of the last search, and fills *reach with the counts over all ranks. */
enum status results_collect(struct results *results, const struct root *root, struct reach *reach,
                            struct error *e);

/* In the order of the choices of --result-format. */
enum result_format { RESULT_BY_SUFFIX, RESULT_TEXT, RESULT_CSV, RESULT_RAW, RESULT_NPY };

/* A file of one answer. */
struct result_file {
    const char *name; /* %d stands for the original id of the root */
    enum answer_kind kind;
    enum result_format format;
    int in_place;               /* a file that exists is written over where it stands */
    uint32_t id_bytes;          /* bytes of a parent, in files that are not text; 0: 4 if that is enough, otherwise
                                 * 8 */
    const struct name_map *map; /* on rank 0; NULL: ids instead of names */
    const void *values;         /* values by id for results_write_values: int32, or parents in answer_id_bytes(n) */
};

/* Collective, after answers_make. All ranks write one file together. RESULT_NPY, or a name ending in .npy, gives an array
 * of numpy indexed by id; .raw gives the same without a header: depths as int32, parents as int32 or int64, little-endian.
 * Other files have lines "id value", or with a map lines of name, tab, and depth or name. -1 means unreached. */
enum status results_write(struct results *results, const struct result_file *file,
                          struct error *e);

/* Writes a file of values in memory, without a search by devices. The rank must be the only one of its comm. */
enum status results_write_values(const struct rank *rank, const struct root *root, const struct result_file *file,
                                 struct error *e);

/* reached_list.c. Collective, after results_collect. Rank 0 writes lines of id or name, tab and depth, by depth and then by
 * id. A %d in `pattern` stands for the original id of the root. The list takes 16 bytes for each reached vertex, on its rank
 * and on rank 0; no array over all ids is made. */
enum status reached_list_write(struct results *results, const struct root *root, const char *pattern,
                               const struct name_map *map, struct error *e);

/* Makes the header of a numpy array of `n` integers of `width` bytes or, if `rows` is not 0, of a matrix of rows x n. */
enum { NPY_HEADER_BYTES = 128 };
void results_npy_header(char header[NPY_HEADER_BYTES], uint32_t width, uint64_t rows, uint64_t n);

#endif
