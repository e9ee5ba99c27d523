/* shard_check.c: reads every element of a shard and proves it well-formed; see shard.h */
#include "shard_ranges.h"

#include <stddef.h>

/* Nonzero if subgraph g can have the column `code`. In nn the sizes of other shards are not known, nor compared. */
static int is_possible_column(const struct shard *shard, enum subgraph g, uint64_t code)
{
    if (subgraph_columns(g) == DELEGATES)
        return code < shard->d;
    if (subgraph_rows(g) == DELEGATES)
        return code < shard->locals;
    uint64_t local = code & ((UINT64_C(1) << shard->local_bits) - 1);
    uint64_t owner = code >> shard->local_bits;
    return owner < shard->p && (owner != shard->index || local < shard->locals);
}

/* Returns the number of edges of a row; if it has a fault, UINT64_MAX, and the fault in *why. */
static uint64_t check_row(const struct shard *shard, enum subgraph g, uint64_t row, const char **why)
{
    const struct csr *csr = &shard->csr[g];
    uint64_t begin = csr_offset(csr, row), end = csr_offset(csr, row + 1), count = 0, last = 0;
    int ended = 0;
    *why = NULL;
    if (begin > end || end > csr_offset(csr, csr->rows)) {
        *why = "offsets descend";
        return UINT64_MAX;
    }
    for (uint64_t j = 0; j < csr->head_columns + (end - begin) && *why == NULL; j++) {
        int in_heads = j < csr->head_columns;
        uint64_t code = in_heads ? csr->heads[j * csr->rows + row]
                                 : csr_column(csr, begin + (j - csr->head_columns));
        if (in_heads && code == HEAD_NONE) {
            ended = 1;
            continue;
        }
        if (ended)
            *why = "entries follow an empty head";
        else if (!is_possible_column(shard, g, code))
            *why = "a destination is out of range";
        else if (count > 0 && code <= last)
            *why = "destinations do not ascend";
        last = code;
        count++;
    }
    return *why == NULL ? count : UINT64_MAX;
}

/* Checks all rows of a subgraph, and that their edges are those of the attributes. Fails for the first row with a fault. */
static enum status check_csr(const struct shard *shard, enum subgraph g, int threads, struct error *e)
{
    const struct csr *csr = &shard->csr[g];
    uint64_t edges = 0, sources = 0, bad_at = UINT64_MAX;
    const char *bad_why = NULL;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 4096) reduction(+ : edges, sources)
    for (uint64_t row = 0; row < csr->rows; row++) {
        const char *why;
        uint64_t count = check_row(shard, g, row, &why);
        if (why == NULL && (count > 0) != mask_bit(csr->sources, row))
            why = "its bit in the source mask is wrong";
        if (why != NULL) {
#pragma omp critical(shard_check_failure)
            if (row < bad_at) {
                bad_at = row;
                bad_why = why;
            }
            continue;
        }
        edges += count;
        sources += count > 0;
    }
    if (bad_why != NULL)
        return fail(e, ST_BAD_DATA, "%s: %s: row %llu: %s", container_path(shard->file), subgraph_name[g], (unsigned long long)bad_at,
                    bad_why);
    if (edges != csr->edges || sources != csr->source_rows)
        return fail(e, ST_BAD_DATA, "%s: %s: attributes and rows disagree on the number of edges",
                    container_path(shard->file), subgraph_name[g]);
    return ST_OK;
}

/* Checks all numbers of a loaded shard. */
enum status shard_check(const struct shard *shard, int threads, struct error *e)
{
    if (shard_check_ids(shard, threads, e) != ST_OK)
        return e->status;
    for (int g = 0; g < shard_row_sets(shard); g++) {
        if (check_csr(shard, (enum subgraph)g, threads, e) != ST_OK)
            return e->status;
    }
    return ST_OK;
}
