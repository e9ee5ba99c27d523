/* results.h: the results of a search: counts, checksums, and files of depths and parents by original id */
#ifndef DBFS_RESULTS_H
#define DBFS_RESULTS_H

#include "windows.h"

#include "traverse/options/args.h"

#include "formats/name_map.h"

/* Counts of a search over all ranks. An edge is an undirected input edge with a reached end. */
struct reach {
    uint64_t vertices;      /* reached vertices, the root included */
    uint64_t edges;         /* as Graph500's specification counts: with duplicates and self-loops */
    uint64_t edges_no_loops;/* as Graph500's reference code counts: without self-loops */
    uint64_t edges_kept;    /* without duplicates and self-loops */
    uint64_t levels;        /* largest depth + 1 */
    uint64_t checksum;      /* over (original id, depth) of reached vertices */
};

/* The results of the searches of one rank: depths and counts on the host, and answers on its devices. */
struct results {
    const struct rank *rank;
    const struct graph *graph; /* graph, comm and budget are copied from the rank */
    const struct comm *comm;
    struct memory_budget *budget;
    int32_t **depth;         /* [G][locals] depths of normals, set by results_collect */
    int32_t *delegate_depth; /* [d] depths of delegates, set by results_collect */
    int answering;           /* searches make answers */
    struct answers answers;  /* open only if `answering` */
    struct windows windows;  /* opened by the first results_write that reads values from devices */
    int counts_kept;         /* edges_kept is counted */
};

/* Returns whether searches make answers. `files`: results_write will write files of answers. Without files searches make no
 * answers if ids are so sparse that an array over them is much larger than the graph. */
int results_wanted(const struct graph *graph, const struct args *args, int files);

/* Collective. Allocates arrays over the vertices of this rank, and prepares the devices for answers if answers are wanted.
 */
enum status results_open(struct results *results, const struct rank *rank, const struct args *args, int files,
                         struct error *e);
void results_close(struct results *results); /* frees everything; zeroed results are allowed */

/* Collective. Copies the depths of the last search to the host, and fills *reach with the counts over all ranks. */
enum status results_collect(struct results *results, const struct root *root, struct reach *reach,
                            struct error *e);

/* In the order of the choices of --result-format. */
enum result_format { RESULT_BY_SUFFIX, RESULT_TEXT, RESULT_CSV, RESULT_RAW, RESULT_NPY };

/* A file of one answer. */
struct result_file {
    const char *name; /* %d stands for the original id of the root */
    enum answer_kind kind;
    enum result_format format;
    int in_place;               /* an existing file is overwritten in place, without a temporary file */
    uint32_t id_bytes;          /* bytes of a parent in a file that is not text, 4 or 8. 0: 4 if 4 bytes suffice, otherwise
                                 * 8 */
    const struct name_map *map; /* on rank 0: names of vertices; NULL: the file has ids */
    const void *values;         /* for results_write_values: values by id, int32, or parents in answer_id_bytes(n) */
};

/* Collective, after answers_make. All ranks write one file together. The format is file->format or, with RESULT_BY_SUFFIX,
 * depends on the end of the name:
 * - RESULT_NPY, .npy: an array of numpy, indexed by id. Depths are int32, and parents int32 or int64, little-endian.
 * - RESULT_RAW, .raw: the same array without a header.
 * - RESULT_CSV, .csv: lines of text, "id,value".
 * - RESULT_TEXT, any other name: lines of text, "id value".
 * If text has a map, a line has the name of the vertex, a tab, and the depth or the name of the parent. The value -1 stands
 * for a vertex that was not reached. */
enum status results_write(struct results *results, const struct result_file *file,
                          struct error *e);

/* Writes a file of values in memory (file->values), without devices. The rank must be the only one of its comm. */
enum status results_write_values(const struct rank *rank, const struct root *root, const struct result_file *file,
                                 struct error *e);

/* In reached_list.c. Collective, after results_collect. Rank 0 writes a line for each reached vertex: id or name, tab,
 * depth. The lines are in the order of depths, and at equal depths of ids. A %d in `pattern` stands for the original id of
 * the root. The list takes 16 bytes for each reached vertex, both on the vertex's rank and on rank 0. No array over all ids
 * is made. */
enum status reached_list_write(struct results *results, const struct root *root, const char *pattern,
                               const struct name_map *map, struct error *e);

/* results_npy_header writes the header of a numpy array of `n` integers of `width` bytes. If `rows` is not 0, the array is a
 * matrix of rows x n. */
enum { NPY_HEADER_BYTES = 128 };
void results_npy_header(char header[NPY_HEADER_BYTES], uint32_t width, uint64_t rows, uint64_t n);

#endif
