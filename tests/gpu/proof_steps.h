/* proof_steps.h: the checks of a proof by the kernels of traverse/programs/graph500/cuda/. Arguments are those of the twins
 * in traverse/programs/graph500/proof_loops.h, in memory of the host. Marks are written back. */
#ifndef DBFS_TESTS_GPU_PROOF_STEPS_H
#define DBFS_TESTS_GPU_PROOF_STEPS_H

#include "traverse/programs/graph500/proof_loops.h"

void kernel_check_vertices(const struct proved_vertices *v, int64_t root, struct offence *first);
void kernel_check_isolated(const struct proved_values *v, int64_t root, struct offence *first);

/* `column_count`: the length of rows->columns. */
void kernel_check_rows(const struct proved_rows *rows, uint64_t column_count,
                       struct offence *first);
void kernel_check_edges(const struct proved_vertices *v, const uint32_t *asker,
                        const struct vertex_end *other, uint64_t count, struct offence *first);
void kernel_check_parents(const struct proved_vertices *v, int64_t root, struct offence *first);

/* The values that a proof moves, of `count` vertices: see proof_kernels.h. `numbers` is a permutation, and `places` are
 * those of its first half; others are elsewhere. */
struct proof_moves {
    const void *ids;
    uint32_t id_bytes;
    const int32_t *depth;
    const uint32_t *numbers, *places;
    uint64_t count;
};

struct proof_moved {
    struct vertex_end *end, *gathered_end; /* [count], and so is the next one */
    int64_t *gathered_claim;               /* claims are gathered from ids */
    uint32_t *marked;                      /* places */
};

void kernel_move(const struct proof_moves *m, struct proof_moved *out);

#endif
