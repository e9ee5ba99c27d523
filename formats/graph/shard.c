/* shard.c: opens a shard, checks its structure and decodes it; see shard.h and SPEC-shard.md */
#include "shard.h"

#include "formats/base/progress.h"
#include "formats/graph/partition.h"

#include <stdio.h>
#include <string.h>

static const char *section_name(uint32_t type)
{
    static const char *const of_subgraph[ROW_SETS][4] = {
        {"nn-offsets", "nn-columns", "nn-heads", "nn-sources"},
        {"nd-offsets", "nd-columns", "nd-heads", "nd-sources"},
        {"dn-offsets", "dn-columns", "dn-heads", "dn-sources"},
        {"dd-offsets", "dd-columns", "dd-heads", "dd-sources"},
        {"in-nn-offsets", "in-nn-columns", "in-nn-heads", "in-nn-sources"},
        {"in-nd-offsets", "in-nd-columns", "in-nd-heads", "in-nd-sources"},
        {"in-dn-offsets", "in-dn-columns", "in-dn-heads", "in-dn-sources"},
        {"in-dd-offsets", "in-dd-columns", "in-dd-heads", "in-dd-sources"}};
    if (type >= SHARD_OFFSETS && type < SHARD_OFFSETS + 4 * SUBGRAPHS)
        return of_subgraph[(type - SHARD_OFFSETS) / 4][(type - SHARD_OFFSETS) % 4];
    if (type >= SHARD_IN_ROWS && type < SHARD_IN_ROWS + 4 * SUBGRAPHS)
        return of_subgraph[IN_NN + (type - SHARD_IN_ROWS) / 4][(type - SHARD_IN_ROWS) % 4];
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

/* Versions 2 and 3, of undirected and directed graphs, are read as well: they have a section more, which nobody reads. */
enum { FIRST_VERSION = 2, FIRST_DIRECTED = 3, VERSION = 4, VERSION_DIRECTED = 5 };

const struct container_kind shard_kind = {
    .magic = "DBFSSHRD", .what = "shard", .maker = "dbfs-pack", .version = VERSION,
    .section_name = section_name, .packed = 1, .first_version = FIRST_VERSION, .newest_version = VERSION_DIRECTED};

const struct container_kind directed_shard_kind = {
    .magic = "DBFSSHRD", .what = "shard", .maker = "dbfs-pack", .version = VERSION_DIRECTED,
    .section_name = section_name, .packed = 1};

/* Fails with ST_BAD_DATA; `where` is a section or a subgraph. */
static enum status bad(const struct shard *shard, const char *where, const char *why, struct error *e)
{
    return fail(e, ST_BAD_DATA, "%s: %s: %s", container_path(shard->file), where, why);
}

/* Nonzero if this version of the format is one of directed graphs. */
int shard_version_directed(uint32_t version)
{
    return version == FIRST_DIRECTED || version == VERSION_DIRECTED;
}

/* Reads the attributes into the shard, and sets *attributes to all of them. */
static enum status read_attributes(struct shard *shard, const uint64_t **attributes, struct error *e)
{
    const struct section *s;
    shard->kept.directed = shard_version_directed(container_version(shard->file));
    if (container_need(shard->file, SHARD_ATTRIBUTES, 8,
                       shard->kept.directed ? SHARD_DIRECTED_ATTRIBUTE_COUNT : SHARD_ATTRIBUTE_COUNT, &s,
                       e) != ST_OK ||
        container_check(shard->file, s, 1, e) != ST_OK)
        return e->status;
    if (s->encoding != ENCODING_RAW)
        return bad(shard, "attributes", "are packed", e);
    const uint64_t *at = s->data;
    if (at[SHARD_AT_P] == 0 || at[SHARD_AT_P] > UINT32_MAX ||
        at[SHARD_AT_INDEX] >= at[SHARD_AT_P] || at[SHARD_AT_D] > SHARD_MAX_LOCAL ||
        at[SHARD_AT_LOCALS] > SHARD_MAX_LOCAL || at[SHARD_AT_LOCAL_BITS] > 32 ||
        at[SHARD_AT_N] > UINT64_C(1) << 48 ||
        at[SHARD_AT_LOCALS] > UINT64_C(1) << at[SHARD_AT_LOCAL_BITS] ||
        (shard->kept.directed && at[SHARD_AT_WITH_IN] > 1))
        return bad(shard, "attributes", "impossible values", e);
    shard->index = (uint32_t)at[SHARD_AT_INDEX];
    shard->p = (uint32_t)at[SHARD_AT_P];
    shard->n = at[SHARD_AT_N];
    shard->th = at[SHARD_AT_TH];
    shard->d = at[SHARD_AT_D];
    shard->locals = at[SHARD_AT_LOCALS];
    shard->local_bits = (uint32_t)at[SHARD_AT_LOCAL_BITS];
    shard->pack_id = at[SHARD_AT_PACK_ID];
    shard->kept.with_in = shard->kept.directed && at[SHARD_AT_WITH_IN] == 1;
    *attributes = at;
    return ST_OK;
}

/* The type in the file of section `kind` of csr[g]: after shard_reverse, of the other set of rows. */
uint32_t shard_section(const struct shard *shard, enum subgraph g, enum shard_section kind)
{
    enum subgraph stored = (enum subgraph)(shard->kept.reversed ? (g + SUBGRAPHS) % ROW_SETS : g);
    return shard_section_of(stored, kind);
}

/* ---- sections against the attributes ---- */

/* Checks that the section of head columns has k * rows elements. */
static enum status check_heads(const struct shard *shard, enum subgraph g, struct error *e)
{
    const struct section *heads;
    const struct csr *csr = &shard->csr[g];
    uint64_t count;
    if (csr->head_columns == 0)
        return ST_OK;
    if (__builtin_mul_overflow(csr->rows, (uint64_t)csr->head_columns, &count))
        return bad(shard, subgraph_name[g], "too many head columns", e);
    return container_need(shard->file, shard_section(shard, g, SHARD_HEADS), 4, count, &heads, e);
}

/* Fills in the counts and widths of csr[g], and checks that its sections fit them. */
static enum status open_csr(struct shard *shard, enum subgraph g, const uint64_t *attributes, struct error *e)
{
    const struct section *offsets, *columns, *sources;
    struct csr *csr = &shard->csr[g];
    csr->rows = subgraph_rows(g) == NORMALS ? shard->locals : shard->d;
    csr->edges = attributes[shard_attribute_of(g, SHARD_AT_EDGES)];
    csr->source_rows = attributes[shard_attribute_of(g, SHARD_AT_SOURCES)];
    if (attributes[shard_attribute_of(g, SHARD_AT_HEADS)] > 64)
        return bad(shard, subgraph_name[g], "too many head columns", e);
    csr->head_columns = (uint32_t)attributes[shard_attribute_of(g, SHARD_AT_HEADS)];
    if (container_need(shard->file, shard_section(shard, g, SHARD_OFFSETS), 0, csr->rows + 1, &offsets,
                       e) != ST_OK ||
        container_need(shard->file, shard_section(shard, g, SHARD_COLUMNS), 0, UINT64_MAX, &columns,
                       e) != ST_OK ||
        container_need(shard->file, shard_section(shard, g, SHARD_SOURCES), 8, mask_words(csr->rows),
                       &sources, e) != ST_OK ||
        check_heads(shard, g, e) != ST_OK)
        return e->status;
    csr->offset_width = offsets->width;
    csr->column_width = columns->width;
    csr->column_count = columns->count;
    if (csr->edges < csr->column_count ||
        csr->edges - csr->column_count > csr->rows * csr->head_columns)
        return bad(shard, subgraph_name[g], "its edges are not those of its columns and heads", e);
    if (csr->source_rows > csr->rows)
        return bad(shard, subgraph_name[g], "more rows have edges than there are", e);
    if ((offsets->width != 4 && offsets->width != 8) ||
        (columns->width != 4 && !(g % SUBGRAPHS == NN && columns->width == 8)))
        return bad(shard, subgraph_name[g], "impossible element width", e);
    return ST_OK;
}

/* Checks the sections of slots, ids, degrees and loops, and takes their counts. */
static enum status open_vertex_sections(struct shard *shard, struct error *e)
{
    const struct section *slots, *local_runs, *delegate_ids, *delegate_runs, *loops;
    const struct container *f = shard->file;
    if (container_need(f, SHARD_LOCAL_SLOTS, 4, shard->locals, &slots, e) != ST_OK ||
        container_need(f, SHARD_LOCAL_DEGREES, sizeof(struct degree_run), UINT64_MAX, &local_runs,
                       e) != ST_OK ||
        container_need(f, SHARD_DELEGATE_IDS, 0, shard->d, &delegate_ids, e) != ST_OK ||
        container_need(f, SHARD_DELEGATE_DEGREES, sizeof(struct degree_run), UINT64_MAX,
                       &delegate_runs, e) != ST_OK ||
        container_need(f, SHARD_LOOPS, sizeof(struct loop_count), UINT64_MAX, &loops, e) != ST_OK)
        return e->status;
    if (delegate_ids->width != 4 && delegate_ids->width != 8)
        return bad(shard, "delegate-ids", "impossible element width", e);
    shard->ids.delegate_width = delegate_ids->width;
    shard->degrees.locals.count = local_runs->count;
    shard->degrees.delegates.count = delegate_runs->count;
    shard->degrees.loop_counts = loops->count;
    return ST_OK;
}

/* ---- where the elements are ---- */

/* The index of a section in the section table. */
static uint32_t place_of(const struct shard *shard, const struct section *s)
{
    return (uint32_t)(s - container_section(shard->file, 0));
}

/* Returns the elements of a section, mapped or decoded; NULL if the section is absent or not decoded yet. */
static const void *elements_of(const struct shard *shard, uint32_t type)
{
    const struct section *s = container_find(shard->file, type);
    if (s == NULL || s->encoding == ENCODING_RAW)
        return s == NULL ? NULL : s->data;
    return shard->decoded[place_of(shard, s)];
}

/* Sets the pointers of csr[g] to its elements, as far as they are there, and columns_below. */
static void point_at_csr(struct shard *shard, enum subgraph g)
{
    struct csr *csr = &shard->csr[g];
    const struct section *columns = container_find(shard->file, shard_section(shard, g, SHARD_COLUMNS));
    csr->offsets = elements_of(shard, shard_section(shard, g, SHARD_OFFSETS));
    csr->columns = elements_of(shard, shard_section(shard, g, SHARD_COLUMNS));
    csr->columns_below = columns == NULL ? 0 : 1 + (uint64_t)columns->most;
    csr->sources = elements_of(shard, shard_section(shard, g, SHARD_SOURCES));
    csr->heads = csr->head_columns == 0 ? NULL
                                        : elements_of(shard, shard_section(shard, g, SHARD_HEADS));
}

/* Sets all pointers of the shard; called whenever sections were decoded or released. */
static void point_at_elements(struct shard *shard)
{
    for (int g = 0; g < shard_row_sets(shard); g++)
        point_at_csr(shard, (enum subgraph)g);
    shard->ids.local_slots = elements_of(shard, SHARD_LOCAL_SLOTS);
    shard->degrees.locals.runs = elements_of(shard, SHARD_LOCAL_DEGREES);
    shard->ids.delegates = elements_of(shard, SHARD_DELEGATE_IDS);
    shard->degrees.delegates.runs = elements_of(shard, SHARD_DELEGATE_DEGREES);
    shard->degrees.loops = elements_of(shard, SHARD_LOOPS);
}

/* Checks the structure of shard->file, which is open, and sets all other members. Closes the shard after a failure. */
static enum status open_sections(struct shard *shard, struct error *e)
{
    const uint64_t *attributes = NULL;
    read_attributes(shard, &attributes, e);
    for (int g = 0; g < shard_row_sets(shard) && e->status == ST_OK; g++)
        open_csr(shard, (enum subgraph)g, attributes, e);
    if (e->status == ST_OK && open_vertex_sections(shard, e) == ST_OK)
        point_at_elements(shard);
    else
        shard_close(shard);
    return e->status;
}

/* Maps a shard and checks its structure. Packed sections are left to shard_load. */
enum status shard_open(struct shard *shard, const char *path, struct error *e)
{
    memset(shard, 0, sizeof *shard);
    return container_open(&shard->file, &shard_kind, path, e) == ST_OK ? open_sections(shard, e) : e->status;
}

enum status shard_of_sections(struct shard *shard, const char *path, const struct section_content *content, uint32_t count, int directed,
                              int threads, struct memory_budget *budget, struct error *e)
{
    memset(shard, 0, sizeof *shard);
    if (container_of_sections(&shard->file, directed ? &directed_shard_kind : &shard_kind, path, content, count, threads, e) != ST_OK ||
        open_sections(shard, e) != ST_OK)
        return e->status;
    shard->budget = budget;
    for (uint32_t i = 0; i < count; i++)
        shard->decoded[i] = (void *)content[i].elements;
    return ST_OK;
}

/* Exchanges the out-rows and in-rows of csr[]. */
void shard_reverse(struct shard *shard)
{
    for (int g = 0; g < SUBGRAPHS; g++) {
        struct csr out = shard->csr[g];
        shard->csr[g] = shard->csr[subgraph_in((enum subgraph)g)];
        shard->csr[subgraph_in((enum subgraph)g)] = out;
    }
    shard->kept.reversed = !shard->kept.reversed;
}

/* ---- decoding ---- */

/* Decodes a section into memory of the budget if it is packed; its pointer is set later (point_at_elements). */
static enum status decode(struct shard *shard, uint32_t type, const struct packed_rows *rows,
                          int threads, struct error *e)
{
    const struct section *s = container_find(shard->file, type);
    const char *name = shard_kind.section_name(type);
    if (s == NULL || s->encoding != ENCODING_PACKED)
        return ST_OK;
    struct packed packed = section_packed(s);
    void **array = &shard->decoded[place_of(shard, s)];
    char what[ERROR_TEXT_BYTES / 2];
    snprintf(what, sizeof what, "%s: %s", container_path(shard->file), name);
    if (memory_take_huge(shard->budget, array, s->count, s->width, what, e) != ST_OK)
        return e->status;
    if (packed_decode_all(&packed, rows, *array, threads) != ST_OK)
        return bad(shard, name, "a packed block is corrupt", e);
    return ST_OK;
}

/* Makes the directory of columns that stay packed. */
static enum status keep_packed(struct shard *shard, enum subgraph g, const struct packed *packed,
                               int threads, struct error *e)
{
    struct packed_columns *kept = &shard->csr[g].packed;
    const char *name = section_name(shard_section(shard, g, SHARD_COLUMNS));
    if (memory_take(shard->budget, (void **)&kept->place, packed->blocks, sizeof *kept->place, name,
                    e) != ST_OK)
        return e->status;
    kept->words = (const uint32_t *)packed->bits;
    kept->group = (const uint64_t *)packed->group;
    if (packed_places(packed, kept->place, threads) != ST_OK)
        return bad(shard, name, "a packed block is corrupt", e);
    return ST_OK;
}

/* Decodes the columns of a subgraph, if `columns` asks for them, or keeps them packed. The offsets and heads of its
 * rows must have been decoded before. */
static enum status load_columns(struct shard *shard, enum subgraph g, unsigned columns, int threads, struct error *e)
{
    struct packed_rows rows = shard_rows(&shard->csr[g]);
    struct packed packed;
    if ((columns >> g & 1) == 0)
        return ST_OK;
    if ((columns & SHARD_KEEP_PACKED) != 0 && shard_can_keep(shard, g, &packed))
        return keep_packed(shard, g, &packed, threads, e);
    return decode(shard, shard_section(shard, g, SHARD_COLUMNS), &rows, threads, e);
}

/* Decodes csr[g], its columns as `columns` says, and checks that its offsets span the columns. */
static enum status load_csr(struct shard *shard, enum subgraph g, unsigned columns, int threads, struct error *e)
{
    const struct csr *csr = &shard->csr[g];
    if (decode(shard, shard_section(shard, g, SHARD_OFFSETS), NULL, threads, e) != ST_OK ||
        decode(shard, shard_section(shard, g, SHARD_HEADS), NULL, threads, e) != ST_OK ||
        decode(shard, shard_section(shard, g, SHARD_SOURCES), NULL, threads, e) != ST_OK)
        return e->status;
    point_at_csr(shard, g);
    if (csr_offset(csr, 0) != 0 || csr_offset(csr, csr->rows) != csr->column_count)
        return bad(shard, subgraph_name[g], "offsets do not span the columns", e);
    if (csr->rows % 64 != 0 && csr->sources[csr->rows / 64] >> csr->rows % 64 != 0) /* searches take whole words */
        return bad(shard, section_name(shard_section(shard, g, SHARD_SOURCES)), "bits are set past the last row", e);
    load_columns(shard, g, columns, threads, e);
    progress_add(1);
    return e->status;
}

/* Decodes the packed sections; of the columns those that `columns` asks for. */
enum status shard_load(struct shard *shard, unsigned columns, int threads,
                       struct memory_budget *budget, struct error *e)
{
    shard->budget = budget;
    if (decode(shard, SHARD_LOCAL_SLOTS, NULL, threads, e) == ST_OK)
        decode(shard, SHARD_DELEGATE_IDS, NULL, threads, e);
    for (int g = 0; g < shard_row_sets(shard) && e->status == ST_OK; g++)
        load_csr(shard, (enum subgraph)g, columns, threads, e);
    if (e->status != ST_OK)
        shard_unload(shard);
    else
        point_at_elements(shard);
    return e->status;
}

/* Releases what shard_load decoded; the pointers to packed sections become NULL. */
void shard_unload(struct shard *shard)
{
    for (uint32_t i = 0; shard->file != NULL && i < container_sections(shard->file); i++) {
        memory_release(shard->budget, shard->decoded[i]);
        shard->decoded[i] = NULL;
    }
    for (int g = 0; g < ROW_SETS; g++) {
        memory_release(shard->budget, shard->csr[g].packed.place);
        shard->csr[g].packed = (struct packed_columns){0};
    }
    if (shard->file != NULL)
        point_at_elements(shard);
}

/* Nonzero if a section is packed; *packed is then the section. */
int shard_packed(const struct shard *shard, uint32_t type, struct packed *packed)
{
    const struct section *s = container_find(shard->file, type);
    if (s == NULL || s->encoding != ENCODING_PACKED)
        return 0;
    *packed = section_packed(s);
    return 1;
}

/* The same for the columns of csr[g]. */
int shard_packed_columns(const struct shard *shard, enum subgraph g, struct packed *packed)
{
    return shard_packed(shard, shard_section(shard, g, SHARD_COLUMNS), packed);
}

/* Nonzero if a search can read the columns of csr[g] packed; *packed is then their section. */
int shard_can_keep(const struct shard *shard, enum subgraph g, struct packed *packed)
{
    return shard->csr[g].column_width == 4 && shard->csr[g].column_count > 0 &&
           shard_packed_columns(shard, g, packed);
}

/* The rows of a loaded subgraph, as the decoder of its columns takes them. */
struct packed_rows shard_rows(const struct csr *csr)
{
    uint64_t last = csr->head_columns > 0 ? csr->head_columns - 1 : 0;
    return (struct packed_rows){.rows = csr->rows,
                                .offsets = csr->offsets,
                                .offset_width = csr->offset_width,
                                .heads = csr->heads == NULL ? NULL : csr->heads + last * csr->rows};
}

void shard_close(struct shard *shard)
{
    shard_unload(shard);
    container_close(shard->file);
    memset(shard, 0, sizeof *shard);
}

/* The id of a vertex with self-loops, in a loaded shard. */
uint64_t shard_loop_vertex(const struct shard *shard, const struct loop_count *loop)
{
    uint64_t slot = loop->at == LOOP_AT_LOCAL ? shard->ids.local_slots[loop->index] : loop->index;
    return loop->at == LOOP_AT_DELEGATE ? shard_delegate_id(shard, loop->index)
                                        : vertex_of_slot(slot, shard->index, shard->p);
}

/* Bytes that a device holds of the shard: the sections of subgraphs, decoded. */
uint64_t shard_device_bytes(const struct shard *shard)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < container_sections(shard->file); i++) {
        const struct section *s = container_section(shard->file, i);
        if (s->type >= SHARD_OFFSETS)
            bytes += section_decoded_bytes(s);
    }
    return bytes;
}
