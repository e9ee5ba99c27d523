/* split.h: the result of degree separation: TH, the delegates, and the counts behind the choice of TH.
 *
 * degsplit makes a split from an edge stream; dbfs-pack uses it with the same stream (Pan et al., sections III-A and VI-B,
 * figures 5, 7 and 12). A degree is the number of edge ends at a vertex, with duplicates and without self-loops. Edges are
 * counted once for each direction, also with duplicates and without self-loops. SPEC-split.md has the layout.
 */
#ifndef DBFS_SPLIT_H
#define DBFS_SPLIT_H

#include "formats/container/container.h"
#include "formats/edges/edges.h"

#include <stdint.h>

#define TH_INFINITE UINT64_MAX

enum split_section {
    SPLIT_ATTRIBUTES = 1,      /* u64, in the order of enum split_attribute */
    SPLIT_DELEGATE_IDS = 2,    /* u64[d]: global ids, by degree descending, ties by id ascending */
    SPLIT_DELEGATE_DEGREES = 3,/* u64[d] */
    SPLIT_HISTOGRAM = 4,       /* struct degree_count[]: by degree ascending, degree 0 included */
    SPLIT_SWEEP = 5            /* struct sweep_row[]: by TH ascending, the last one infinite */
};

/* How TH was chosen: by the user, by the paper's rule of memory, or by the predicted time of a search on GPUs, on CPUs or on
 * both. The numbers are stored in splits and journals. */
enum th_choice { TH_GIVEN, TH_BY_MEMORY, TH_FOR_BOTH, TH_FOR_GPU, TH_FOR_CPU, TH_CHOICES };

struct degree_count {
    uint64_t degree, vertices;
};

/* The counts that one TH gives. */
struct sweep_row {
    uint64_t th;
    uint64_t delegates;
    uint64_t nn, nd, dn, dd; /* directed edges of each class */
};

/* A list of delegates that are not all in memory at once. */
struct delegate_list {
    /* Reads delegates `first` to first + count - 1 into ids[] and degrees[]. `count` is at most `at_once`. */
    enum status (*read)(void *context, uint64_t first, uint64_t count, uint64_t *ids,
                        uint64_t *degrees, struct error *e);
    void *context;
    uint64_t at_once;
    uint64_t *ids, *degrees; /* [at_once], owned */
};

struct split {
    struct memory_budget *budget; /* that the arrays are taken from */
    enum edges_direction direction;
    struct edges_totals totals; /* of the edge stream it was made from */
    uint64_t directed_edges;    /* after doubling, self-loops left out: nn + nd + dn + dd */
    uint64_t th;                /* delegates have degree > th; TH_INFINITE: none */
    uint64_t suggested_p;       /* the p that th was suggested for; 0 when th was given */
    enum th_choice choice;
    uint64_t near_edges;        /* edges, self-loops left out, whose ids differ by 4 sqrt(n) at most; 0 in version 1 */
    uint64_t d;                 /* delegates */
    uint64_t *delegate_ids, *delegate_degrees; /* [d], owned; NULL where there is a list */
    struct delegate_list list; /* for split_write */
    uint64_t histogram_rows;
    struct degree_count *histogram; /* owned */
    uint64_t sweep_rows;
    struct sweep_row *sweep; /* owned; contains a row for th */
};

void split_free(struct split *split); /* frees the arrays, zeroes the struct */

/* Writes to an open output. The caller keeps the output and commits it. */
enum status split_write(const struct split *split, struct outfile *out, struct error *e);

/* Reads the split in the file `path` ("-" is standard input), and checks all of it, CRCs included. The mapped file is charged
 * to `budget` only while the function copies from it. */
enum status split_read(struct split *split, const char *path, struct memory_budget *budget, struct error *e);

/* The sweep's row for `th`, or NULL. */
const struct sweep_row *split_row(const struct split *split, uint64_t th);

#endif
