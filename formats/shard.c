/* shard.c: opens a shard and checks its structure; see shard.h and SPEC-shard.md */
#include "shard.h"

#include <string.h>

const char *const subgraph_name[SUBGRAPHS] = {"nn", "nd", "dn", "dd"};

static const char *section_name(uint32_t type)
{
    static const char *const of_subgraph[SUBGRAPHS][4] = {
        {"nn-offsets", "nn-columns", "nn-heads", "nn-sources"},
        {"nd-offsets", "nd-columns", "nd-heads", "nd-sources"},
        {"dn-offsets", "dn-columns", "dn-heads", "dn-sources"},
        {"dd-offsets", "dd-columns", "dd-heads", "dd-sources"}};
    if (type >= SHARD_OFFSETS && type < SHARD_OFFSETS + 4 * SUBGRAPHS)
        return of_subgraph[(type - SHARD_OFFSETS) / 4][(type - SHARD_OFFSETS) % 4];
    switch (type) {
    case SHARD_ATTRIBUTES: return "attributes";
    case SHARD_LOCAL_SLOTS: return "local-slots";
    case SHARD_LOCAL_DEGREES: return "local-degrees";
    case SHARD_DELEGATE_IDS: return "delegate-ids";
    case SHARD_DELEGATE_DEGREES: return "delegate-degrees";
    case SHARD_LOOPS: return "loops";
    case SHARD_ND_SOURCE_LIST: return "nd-source-list";
    default: return "unknown";
    }
}

const struct container_kind shard_kind = {
    .magic = "DBFSSHRD", .what = "shard", .version = 1, .section_name = section_name};

static enum status bad(const struct shard *shard, const char *where, const char *why,
                       struct error *e)
{
    return fail(e, ST_BAD_DATA, "%s: %s: %s", container_path(shard->file), where, why);
}

static enum status read_attributes(struct shard *shard, const uint64_t **attributes,
                                   struct error *e)
{
    const struct section *s;
    if (container_need(shard->file, SHARD_ATTRIBUTES, 8, SHARD_ATTRIBUTE_COUNT, &s, e) != ST_OK ||
        container_check(shard->file, s, 1, e) != ST_OK)
        return e->status;
    const uint64_t *at = s->data;
    if (at[SHARD_AT_P] == 0 || at[SHARD_AT_P] > UINT32_MAX || at[SHARD_AT_INDEX] >= at[SHARD_AT_P] ||
        at[SHARD_AT_D] > SHARD_MAX_LOCAL || at[SHARD_AT_LOCALS] > SHARD_MAX_LOCAL ||
        at[SHARD_AT_LOCAL_BITS] > 32 || at[SHARD_AT_N] > UINT64_C(1) << 48)
        return bad(shard, "attributes", "impossible values", e);
    shard->index = (uint32_t)at[SHARD_AT_INDEX];
    shard->p = (uint32_t)at[SHARD_AT_P];
    shard->n = at[SHARD_AT_N];
    shard->th = at[SHARD_AT_TH];
    shard->d = at[SHARD_AT_D];
    shard->locals = at[SHARD_AT_LOCALS];
    shard->local_bits = (uint32_t)at[SHARD_AT_LOCAL_BITS];
    shard->pack_id = at[SHARD_AT_PACK_ID];
    *attributes = at;
    return ST_OK;
}

static enum status open_heads(const struct shard *shard, enum subgraph g, struct csr *csr,
                              struct error *e)
{
    const struct section *heads;
    uint64_t count;
    if (csr->head_columns == 0)
        return ST_OK;
    if (__builtin_mul_overflow(csr->rows, (uint64_t)csr->head_columns, &count))
        return bad(shard, subgraph_name[g], "too many head columns", e);
    if (container_need(shard->file, shard_section_of(g, SHARD_HEADS), 4, count, &heads, e) != ST_OK)
        return e->status;
    csr->heads = heads->data;
    return ST_OK;
}

static enum status open_csr(struct shard *shard, enum subgraph g, const uint64_t *attributes,
                            struct error *e)
{
    const struct section *offsets, *columns, *sources;
    struct csr *csr = &shard->csr[g];
    csr->rows = g == NN || g == ND ? shard->locals : shard->d;
    csr->edges = attributes[SHARD_AT_EDGES + g];
    csr->source_rows = attributes[SHARD_AT_SOURCES + g];
    if (attributes[SHARD_AT_HEADS + g] > 64)
        return bad(shard, subgraph_name[g], "too many head columns", e);
    csr->head_columns = (uint32_t)attributes[SHARD_AT_HEADS + g];
    if (container_need(shard->file, shard_section_of(g, SHARD_OFFSETS), 0, csr->rows + 1, &offsets,
                       e) != ST_OK ||
        container_need(shard->file, shard_section_of(g, SHARD_COLUMNS), 0, UINT64_MAX, &columns,
                       e) != ST_OK ||
        container_need(shard->file, shard_section_of(g, SHARD_SOURCES), 8, mask_words(csr->rows),
                       &sources, e) != ST_OK ||
        open_heads(shard, g, csr, e) != ST_OK)
        return e->status;
    csr->offset_width = offsets->width;
    csr->column_width = columns->width;
    csr->offsets = offsets->data;
    csr->columns = columns->data;
    csr->sources = sources->data;
    if ((offsets->width != 4 && offsets->width != 8) ||
        (columns->width != 4 && !(g == NN && columns->width == 8)))
        return bad(shard, subgraph_name[g], "impossible element width", e);
    if (csr_offset(csr, 0) != 0 || csr_offset(csr, csr->rows) != columns->count)
        return bad(shard, subgraph_name[g], "offsets do not span the columns", e);
    return ST_OK;
}

static enum status open_vertex_sections(struct shard *shard, struct error *e)
{
    const struct section *slots, *local_runs, *delegate_runs, *loops, *list;
    const struct container *f = shard->file;
    if (container_need(f, SHARD_LOCAL_SLOTS, 4, shard->locals, &slots, e) != ST_OK ||
        container_need(f, SHARD_LOCAL_DEGREES, sizeof(struct degree_run), UINT64_MAX, &local_runs,
                       e) != ST_OK ||
        container_need(f, SHARD_DELEGATE_IDS, 0, shard->d, &shard->delegate_ids, e) != ST_OK ||
        container_need(f, SHARD_DELEGATE_DEGREES, sizeof(struct degree_run), UINT64_MAX,
                       &delegate_runs, e) != ST_OK ||
        container_need(f, SHARD_LOOPS, sizeof(struct loop_count), UINT64_MAX, &loops, e) != ST_OK ||
        container_need(f, SHARD_ND_SOURCE_LIST, 4, shard->csr[ND].source_rows, &list, e) != ST_OK)
        return e->status;
    if (shard->delegate_ids->width != 4 && shard->delegate_ids->width != 8)
        return bad(shard, "delegate-ids", "impossible element width", e);
    shard->local_slots = slots->data;
    shard->local_degrees = local_runs->data;
    shard->local_degree_runs = local_runs->count;
    shard->delegate_degrees = delegate_runs->data;
    shard->delegate_degree_runs = delegate_runs->count;
    shard->loops = loops->data;
    shard->loop_counts = loops->count;
    shard->nd_source_list = list->data;
    shard->nd_source_count = list->count;
    return ST_OK;
}

enum status shard_open(struct shard *shard, const char *path, struct error *e)
{
    const uint64_t *attributes = NULL;
    memset(shard, 0, sizeof *shard);
    if (container_open(&shard->file, &shard_kind, path, e) != ST_OK)
        return e->status;
    read_attributes(shard, &attributes, e);
    for (int g = 0; g < SUBGRAPHS && e->status == ST_OK; g++)
        open_csr(shard, (enum subgraph)g, attributes, e);
    if (e->status == ST_OK)
        open_vertex_sections(shard, e);
    if (e->status != ST_OK)
        shard_close(shard);
    return e->status;
}

void shard_close(struct shard *shard)
{
    container_close(shard->file);
    memset(shard, 0, sizeof *shard);
}

uint64_t shard_device_bytes(const struct shard *shard)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < container_sections(shard->file); i++) {
        const struct section *s = container_section(shard->file, i);
        if (s->type >= SHARD_OFFSETS)
            bytes += s->bytes;
    }
    return bytes;
}
