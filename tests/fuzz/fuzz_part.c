/* fuzz_part.c: a part of a shard directory: it is opened and loaded, its ranges are checked, then all of it
 *
 * A search may index with everything that passes the check of ranges, so each row is read with those numbers here.
 * The check accepts the same parts whether columns are decoded or stay packed. */
#include "fuzz.h"

#include "formats/graph/shard_ranges.h"

#include <stdlib.h>

/* Marks each vertex that a search could find. An index out of range accesses memory outside these arrays. */
static void follow(const struct shard *s, const uint32_t *locals)
{
    unsigned char *delegates = calloc(s->d + 1, 1), *normals = calloc(s->locals + 1, 1);
    for (int g = 0; g < shard_row_sets(s) && delegates != NULL && normals != NULL; g++) {
        const struct csr *csr = &s->csr[g];
        for (uint64_t row = 0; row < csr->rows; row++) {
            uint64_t length = csr_row_length(csr, row), rest = csr_offset(csr, row);
            for (uint64_t j = 0; j < length; j++) {
                uint64_t to = j < csr->head_columns ? csr->heads[j * csr->rows + row]
                                                    : csr_column_of_row(csr, row, rest + j - csr->head_columns);
                uint64_t owner = to >> s->local_bits;
                if (g % SUBGRAPHS == NN && s->p > 1 && owner != s->index) {
                    to -= owner << s->local_bits;
                    if (to >= locals[owner])
                        __builtin_trap();
                } else if (subgraph_columns((enum subgraph)g) == DELEGATES) {
                    delegates[to] = 1;
                } else {
                    normals[g % SUBGRAPHS == NN && s->p > 1 ? to - (owner << s->local_bits) : to] = 1;
                }
            }
        }
    }
    free(delegates);
    free(normals);
}

static void look_at(const struct shard *s, struct error *e)
{
    uint32_t *locals = s->p <= 4096 ? calloc(s->p, sizeof *locals) : NULL;
    for (uint32_t i = 0; locals != NULL && i < s->p; i++)
        locals[i] = (uint32_t)s->locals;
    if (locals == NULL)
        fail(e, ST_RESOURCE, "too many shards");
    else if (shard_check_ranges(s, locals, 1, e) == ST_OK)
        follow(s, locals);
    free(locals);
}

static enum status load_and_look(struct shard *s, unsigned columns, struct memory_budget *budget,
                                 struct error *e)
{
    if (shard_load(s, columns, 1, budget, e) == ST_OK)
        look_at(s, e);
    return e->status;
}

int fuzz_one(const unsigned char *bytes, size_t size)
{
    struct memory_budget budget = {.limit_bytes = 64 << 20};
    struct shard shard;
    struct error e = {0};
    int file;
    if (shard_open(&shard, fuzz_file(bytes, size, &file), &e) == ST_OK) {
        container_check_all(shard.file, 1, &e);
        e = (struct error){0};
        enum status packed = load_and_look(&shard, SHARD_ALL_COLUMNS | SHARD_KEEP_PACKED, &budget, &e);
        shard_unload(&shard);
        e = (struct error){0};
        enum status decoded = load_and_look(&shard, SHARD_ALL_COLUMNS, &budget, &e);
        if (packed != decoded && packed != ST_RESOURCE && decoded != ST_RESOURCE)
            __builtin_trap();
        if (decoded == ST_OK)
            shard_check(&shard, 1, &e);
    }
    shard_close(&shard);
    if (budget.taken_bytes != 0)
        __builtin_trap();
    return e.status == ST_OK;
}
