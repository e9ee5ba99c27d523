/* shard_check.c: reads every element of a shard and proves it well-formed; see shard.h */
#include "shard.h"

#include <stddef.h>

static enum status bad_row(const struct shard *shard, enum subgraph g, uint64_t row,
                           const char *why, struct error *e)
{
    return fail(e, ST_BAD_DATA, "%s: %s: row %llu: %s", container_path(shard->file),
                subgraph_name[g], (unsigned long long)row, why);
}

/* One past the largest destination code of a row of `g`. For nn the shard part is checked apart. */
static int destination_ok(const struct shard *shard, enum subgraph g, uint64_t code)
{
    if (subgraph_columns(g) == DELEGATES)
        return code < shard->d;
    if (g == DN)
        return code < shard->locals;
    uint64_t local = code & ((UINT64_C(1) << shard->local_bits) - 1);
    uint64_t owner = code >> shard->local_bits;
    return owner < shard->p && (owner != shard->index || local < shard->locals);
}

/* Number of edges of a row, or UINT64_MAX and *why. */
static uint64_t check_row(const struct shard *shard, enum subgraph g, uint64_t row,
                          const char **why)
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
        else if (!destination_ok(shard, g, code))
            *why = "a destination is out of range";
        else if (count > 0 && code <= last)
            *why = "destinations do not ascend";
        last = code;
        count++;
    }
    return *why == NULL ? count : UINT64_MAX;
}

static enum status check_csr(const struct shard *shard, enum subgraph g, int threads,
                             struct error *e)
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
        return bad_row(shard, g, bad_at, bad_why, e);
    if (edges != csr->edges || sources != csr->source_rows)
        return fail(e, ST_BAD_DATA, "%s: %s: attributes and rows disagree on the number of edges",
                    container_path(shard->file), subgraph_name[g]);
    return ST_OK;
}

static enum status check_runs(const struct shard *shard, const char *name,
                              const struct degree_run *runs, uint64_t count, uint64_t vertices,
                              struct error *e)
{
    uint64_t sum = 0, last = UINT64_MAX;
    for (uint64_t i = 0; i < count; i++) {
        if (runs[i].degree >= last || runs[i].degree == 0 || runs[i].vertices > vertices - sum)
            return fail(e, ST_BAD_DATA, "%s: %s: run %llu is out of order or range",
                        container_path(shard->file), name, (unsigned long long)i);
        last = runs[i].degree;
        sum += runs[i].vertices;
    }
    if (sum != vertices)
        return fail(e, ST_BAD_DATA, "%s: %s: runs do not cover all vertices",
                    container_path(shard->file), name);
    return ST_OK;
}

static enum status check_vertices(const struct shard *shard, struct error *e)
{
    const char *path = container_path(shard->file);
    for (uint64_t i = 0; i < shard->locals; i++) {
        if ((uint64_t)shard->ids.local_slots[i] * shard->p + shard->index >= shard->n)
            return fail(e, ST_BAD_DATA, "%s: local-slots: entry %llu is not below n", path,
                        (unsigned long long)i);
    }
    for (uint64_t i = 0; i < shard->d; i++) {
        if (shard_delegate_id(shard, i) >= shard->n)
            return fail(e, ST_BAD_DATA, "%s: delegate-ids: entry %llu is not below n", path,
                        (unsigned long long)i);
    }
    for (uint64_t i = 0; i < shard->nd_sources.count; i++) {
        uint32_t row = shard->nd_sources.rows[i];
        if (row >= shard->locals || !mask_bit(shard->csr[ND].sources, row) ||
            (i > 0 && row <= shard->nd_sources.rows[i - 1]))
            return fail(e, ST_BAD_DATA, "%s: nd-source-list: entry %llu is wrong", path,
                        (unsigned long long)i);
    }
    for (uint64_t i = 0; i < shard->degrees.loop_counts; i++) {
        const struct loop_count *l = &shard->degrees.loops[i];
        uint64_t limit = l->at == LOOP_AT_LOCAL      ? shard->locals
                         : l->at == LOOP_AT_DELEGATE ? shard->d
                                                     : (shard->n + shard->p - 1) / shard->p;
        if (l->at > LOOP_AT_ISOLATED || l->index >= limit || l->count == 0)
            return fail(e, ST_BAD_DATA, "%s: loops: entry %llu is wrong", path,
                        (unsigned long long)i);
    }
    return ST_OK;
}

enum status shard_check(const struct shard *shard, int threads, struct error *e)
{
    if (check_vertices(shard, e) != ST_OK ||
        check_runs(shard, "local-degrees", shard->degrees.locals.runs, shard->degrees.locals.count,
                   shard->locals, e) != ST_OK ||
        check_runs(shard, "delegate-degrees", shard->degrees.delegates.runs,
                   shard->degrees.delegates.count, shard->d, e) != ST_OK)
        return e->status;
    for (int g = 0; g < SUBGRAPHS; g++) {
        if (check_csr(shard, (enum subgraph)g, threads, e) != ST_OK)
            return e->status;
    }
    return ST_OK;
}
