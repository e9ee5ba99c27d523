/* shard.h: the part of a degree-separated graph that one device holds, as it lies in a file (SPEC-shard.md).
 *
 * A shard has the four subgraphs nn, nd, dn, dd in CSR with 32-bit local ids, and the data that pull needs (Pan et al.,
 * sections III and IV-B):
 * - Delegate i is the vertex with the i-th highest degree of those above TH (ties by id). Every shard knows all d
 *   delegates.
 * - Local vertex i is the shard's normal vertex with the i-th highest degree (ties by id). Vertices without edges have
 *   no local id.
 * - The columns of a row ascend by local or delegate id, so vertices of high degree come first.
 * - The first k columns of each row may be in k dense head columns instead: heads[j*rows + row] is column j of the row,
 *   or HEAD_NONE if the row has fewer. Offsets and columns then hold only the rest of each row.
 * - The column of nn for local vertex i of shard s is (s << local_bits) | i. It takes 4 bytes if all columns fit, else 8.
 *
 * In a directed graph these rows are the out-rows, which a push reads, and the shard also has the four subgraphs of
 * in-rows, which a pull reads (subgraph.h). The in-rows may have been left out: then nothing can be pulled.
 *
 * shard_open maps a shard, and shard_load decodes its packed sections (packed.h); raw sections are used where they are
 * mapped. Columns may stay packed (packed_row.h).
 */
#ifndef DBFS_SHARD_H
#define DBFS_SHARD_H

#include "formats/container/container.h"
#include "formats/container/packed_row.h"
#include "formats/graph/subgraph.h"

#include <stdint.h>

#define HEAD_NONE UINT32_MAX
enum { HEADS_USUAL = 2 };
/* The most local vertices, and the most delegates, of a shard: ids have 31 bits, and a few values are kept free. */
#define SHARD_MAX_LOCAL ((UINT32_C(1) << 31) - 8)

enum shard_section {
    SHARD_ATTRIBUTES = 1,       /* u64, enum shard_attribute */
    SHARD_LOCAL_SLOTS = 2,      /* u32[locals]: slot of local vertex i; its id is slot*p + shard */
    SHARD_LOCAL_DEGREES = 3,    /* struct degree_run[]: input degrees in local order */
    SHARD_DELEGATE_IDS = 4,     /* u32 or u64[d]: global ids in delegate order */
    SHARD_DELEGATE_DEGREES = 5, /* struct degree_run[]: input degrees in delegate order */
    SHARD_LOOPS = 6,            /* struct loop_count[]: self-loops at vertices this shard owns */

    /* of subgraph s: 16 + 4*s + ... */
    SHARD_OFFSETS = 16,
    SHARD_COLUMNS = 17, /* u32 (nn: u32 or u64) */
    SHARD_HEADS = 18,   /* u32[k*rows]; absent when k = 0 */
    SHARD_SOURCES = 19, /* u64[ceil(rows/64)]: bit i is set where row i is not empty */

    SHARD_ND_SOURCE_LIST = 40, /* of versions 2 and 3; not read: the set bits of nd's sources as a list */

    SHARD_IN_ROWS = 48 /* in-rows of subgraph s: the same from 48 + 4*s on */
};

/* The type of section `kind` (SHARD_OFFSETS to SHARD_SOURCES) of subgraph s. */
static inline uint32_t shard_section_of(enum subgraph s, enum shard_section kind)
{
    uint32_t gap = s >= IN_NN ? SHARD_IN_ROWS - SHARD_OFFSETS - 4 * SUBGRAPHS : 0;
    return (uint32_t)kind + 4 * (uint32_t)s + gap;
}

/* `vertices` consecutive vertices of the same input degree. */
struct degree_run {
    uint64_t degree, vertices;
};

enum loop_at { LOOP_AT_LOCAL = 0, LOOP_AT_DELEGATE = 1, LOOP_AT_ISOLATED = 2 };

/* A vertex that has `count` self-loops. `index` is its local id, its delegate id or, if it has no other edges, its slot; `at`
 * says which. */
struct loop_count {
    uint32_t at, index;
    uint64_t count;
};

/* A CSR subgraph. */
struct csr {
    uint64_t rows;
    uint64_t edges;        /* head entries included */
    uint64_t column_count; /* the others: the end of the offsets */
    uint32_t head_columns; /* k */
    uint32_t offset_width; /* 4 or 8 */
    uint32_t column_width; /* 4, or 8 for nn */
    const uint32_t *heads; /* [k][rows]; NULL when k = 0 */
    const void *offsets;   /* [rows + 1], into columns */
    const void *columns;   /* NULL: not loaded, or read from `packed` */
    uint64_t columns_below; /* if it is known: columns are below it, and have 4 bytes; otherwise 0 */
    const uint64_t *sources; /* bit mask of rows */
    uint64_t source_rows;    /* bits set in it */
    struct packed_columns packed; /* words NULL: the columns are not kept packed */
};

/* Degrees in the order of the vertices, as runs. */
struct degree_list {
    const struct degree_run *runs;
    uint64_t count;
};

struct shard_ids {
    const uint32_t *local_slots;
    const void *delegates;
    uint32_t delegate_width; /* 4 or 8 bytes */
};

/* Degrees and self-loops in the input graph, for reports. */
struct shard_degrees {
    struct degree_list locals, delegates;
    const struct loop_count *loops;
    uint64_t loop_counts;
};

/* Which sets of rows the shard has, and whether a search pushes out-rows or, after shard_reverse, in-rows. */
struct shard_rows_kept {
    int directed;
    int with_in;  /* there are in-rows */
    int reversed; /* shard_reverse has exchanged the two */
};

/* A shard. Pointers point into the mapped file, or to memory where shard_load decoded a packed section. Until then the
 * pointer to a packed section is NULL. */
struct shard {
    struct container *file;
    struct memory_budget *budget; /* of the decoded sections */
    void *decoded[CONTAINER_MAX_SECTIONS]; /* by place in the section table; NULL where raw */
    uint32_t index, p; /* this is shard `index` of p */
    uint64_t n;
    uint64_t th;
    uint64_t d;
    uint64_t locals;
    uint32_t local_bits; /* of an nn destination */
    uint64_t pack_id;    /* equal in all shards and the manifest of one packing */
    struct shard_rows_kept kept;
    struct csr csr[ROW_SETS]; /* of undirected graphs only the first SUBGRAPHS */
    struct shard_ids ids;
    struct shard_degrees degrees;
};

enum shard_attribute {
    SHARD_AT_INDEX,
    SHARD_AT_P,
    SHARD_AT_N,
    SHARD_AT_TH,
    SHARD_AT_D,
    SHARD_AT_LOCALS,
    SHARD_AT_LOCAL_BITS,
    SHARD_AT_PACK_ID,
    SHARD_AT_EDGES,                              /* [SUBGRAPHS] */
    SHARD_AT_HEADS = SHARD_AT_EDGES + SUBGRAPHS, /* k of each subgraph [SUBGRAPHS] */
    SHARD_AT_SOURCES = SHARD_AT_HEADS + SUBGRAPHS, /* rows that are not empty [SUBGRAPHS] */
    SHARD_ATTRIBUTE_COUNT = SHARD_AT_SOURCES + SUBGRAPHS,

    /* only in directed graphs: the attributes of the in-rows, all 0 if there are no in-rows */
    SHARD_AT_WITH_IN = SHARD_ATTRIBUTE_COUNT, /* whether there are in-rows */
    SHARD_AT_IN_EDGES,
    SHARD_AT_IN_HEADS = SHARD_AT_IN_EDGES + SUBGRAPHS,
    SHARD_AT_IN_SOURCES = SHARD_AT_IN_HEADS + SUBGRAPHS,
    SHARD_DIRECTED_ATTRIBUTE_COUNT = SHARD_AT_IN_SOURCES + SUBGRAPHS
};

/* Returns the index of subgraph g's attribute, given the attribute of nn: SHARD_AT_EDGES, SHARD_AT_HEADS or SHARD_AT_SOURCES. */
static inline uint32_t shard_attribute_of(enum subgraph g, enum shard_attribute first)
{
    uint32_t in = SHARD_AT_IN_EDGES - SHARD_AT_EDGES;
    return (uint32_t)first + (uint32_t)g % SUBGRAPHS + (g >= IN_NN ? in : 0);
}

extern const struct container_kind shard_kind;          /* as it is read, and as undirected graphs are written */
extern const struct container_kind directed_shard_kind; /* as directed graphs are written */

int shard_version_directed(uint32_t version); /* whether a version of the format is one of directed graphs */

/* Maps a shard and checks its structure: that section sizes fit the attributes, and the directories of packed sections.
 * The content of sections is not read. */
enum status shard_open(struct shard *shard, const char *path, struct error *e);
void shard_close(struct shard *shard); /* a zeroed shard is allowed */

/* Opens a shard whose raw sections lie in memory of `budget` (memory_take), one array each. `path` stands for the file in messages.
 * On success the shard owns the arrays, and shard_close frees them; otherwise they stay the caller's. */
enum status shard_of_sections(struct shard *shard, const char *path, const struct section_content *content, uint32_t count, int directed,
                              int threads, struct memory_budget *budget, struct error *e);

/* Returns the type in the file of section `kind` of csr[g]: after shard_reverse, of the other set of rows in the file. */
uint32_t shard_section(const struct shard *shard, enum subgraph g, enum shard_section kind);

/* Exchanges in-rows and out-rows, so that a search goes against the edges of a directed graph. The shard must have in-rows.
 * Call it after shard_open and before shard_load. */
void shard_reverse(struct shard *shard);

/* Flags for shard_load: bit 1 << g asks for the columns of subgraph g. With SHARD_KEEP_PACKED, packed columns of 4
 * bytes are not decoded: csr.packed is set and csr.columns is NULL. */
enum {
    SHARD_NO_COLUMNS = 0,
    SHARD_ALL_COLUMNS = (1 << ROW_SETS) - 1,
    SHARD_KEEP_PACKED = 1 << ROW_SETS
};

/* Decodes the packed sections with `threads` threads, into memory of `budget`, which must outlive the shard. Columns are
 * decoded only if `columns` asks for them, because a device may decode them itself. Checks that the last offset of each
 * subgraph is the number of its columns, and that no mask has a bit past the last row. Touches only memory of the shard,
 * whatever the file contains, even if CRCs were not compared. ST_BAD_DATA names the section, ST_RESOURCE the memory. */
enum status shard_load(struct shard *shard, unsigned columns, int threads,
                       struct memory_budget *budget, struct error *e);
void shard_unload(struct shard *shard);

/* Reads all of a loaded shard and checks that offsets ascend, that ids are in range, that rows ascend without
 * duplicates, and that masks, lists and counts agree. CRCs are not compared (container_check_all). */
enum status shard_check(const struct shard *shard, int threads, struct error *e);

/* The id of a vertex with self-loops; the shard is loaded. */
uint64_t shard_loop_vertex(const struct shard *shard, const struct loop_count *loop);

/* Returns the bytes that a device holds of the shard: all sections, decoded, except slots, ids, degrees and loops. */
uint64_t shard_device_bytes(const struct shard *shard);

/* If section `type` is packed, sets *packed to it, as it is stored, and returns nonzero. To decode columns of csr[g], a caller
 * also needs shard_rows, which is valid once the shard is loaded. */
int shard_packed(const struct shard *shard, uint32_t type, struct packed *packed);

/* The same for the columns of csr[g]. */
int shard_packed_columns(const struct shard *shard, enum subgraph g, struct packed *packed);

/* Returns nonzero if a search can read the columns of csr[g] packed; *packed is then set to their section. */
int shard_can_keep(const struct shard *shard, enum subgraph g, struct packed *packed);
struct packed_rows shard_rows(const struct csr *csr);

static inline uint64_t csr_offset(const struct csr *csr, uint64_t i)
{
    return csr->offset_width == 4 ? ((const uint32_t *)csr->offsets)[i]
                                  : ((const uint64_t *)csr->offsets)[i];
}

/* Column i of columns that are not packed. */
static inline uint64_t csr_column(const struct csr *csr, uint64_t i)
{
    return csr->column_width == 4 ? ((const uint32_t *)csr->columns)[i]
                                  : ((const uint64_t *)csr->columns)[i];
}

/* Returns the number of edges of a row. A row that has edges in the columns has one in every head column, too. */
static inline uint64_t csr_row_length(const struct csr *csr, uint64_t row)
{
    uint64_t rest = csr_offset(csr, row + 1) - csr_offset(csr, row), heads = 0;
    if (rest > 0)
        return rest + csr->head_columns;
    while (heads < csr->head_columns && csr->heads[heads * csr->rows + row] != HEAD_NONE)
        heads++;
    return heads;
}

/* Describes the row for a reader of packed columns that is opened at element `at`. */
static inline struct packed_span csr_span(const struct csr *csr, uint64_t row, uint64_t at)
{
    uint32_t k = csr->head_columns;
    return (struct packed_span){.row_begin = csr_offset(csr, row),
                                .at = at,
                                .start = k > 0 ? csr->heads[(k - 1) * csr->rows + row] + 1 : 0};
}

/* Returns element `at` of the columns, packed or not. The element must belong to row `row`. */
static inline uint64_t csr_column_of_row(const struct csr *csr, uint64_t row, uint64_t at)
{
    if (csr->packed.words == NULL)
        return csr_column(csr, at);
    struct packed_span span = csr_span(csr, row, at);
    struct packed_reader reader = packed_open_row(&csr->packed, &span);
    return packed_element(&reader, (uint32_t)(at % PACKED_BLOCK));
}

/* The j-th of the csr_row_length destinations of a row, heads first. */
static inline uint64_t csr_destination(const struct csr *csr, uint64_t row, uint64_t j)
{
    return j < csr->head_columns
               ? csr->heads[j * csr->rows + row]
               : csr_column_of_row(csr, row, csr_offset(csr, row) + j - csr->head_columns);
}

static inline uint64_t shard_delegate_id(const struct shard *shard, uint64_t i)
{
    return shard->ids.delegate_width == 4 ? ((const uint32_t *)shard->ids.delegates)[i]
                                         : ((const uint64_t *)shard->ids.delegates)[i];
}

static inline int mask_bit(const uint64_t *mask, uint64_t i)
{
    return (int)(mask[i / 64] >> (i % 64) & 1);
}

static inline uint64_t mask_words(uint64_t bits)
{
    return (bits + 63) / 64;
}

/* A word of a mask where few words are not zero. */
struct mask_word {
    uint64_t at, bits;
};

/* Nonzero if the shard can use bitmaps over the columns of nn. In such a bitmap a column itself is the number of its bit, and
 * the bits of each shard begin a new word. */
static inline int shard_has_masks(const struct shard *shard)
{
    return shard->p > 1 && shard->csr[NN].column_width == 4 && shard->local_bits >= 6;
}

/* Returns how many of csr[] the shard has: the four subgraphs, or eight with the in-rows of a directed graph. */
static inline int shard_row_sets(const struct shard *shard)
{
    return shard->kept.with_in ? ROW_SETS : SUBGRAPHS;
}

/* Returns the in-rows between the same kinds of vertices as the out-rows g: these are what a pull reads. In an undirected graph
 * returns g itself, because one set of rows serves for both. */
static inline enum subgraph shard_pulled(const struct shard *shard, enum subgraph g)
{
    return shard->kept.directed ? subgraph_in(g) : g;
}

/* Returns the number of head columns that dbfs-pack gives subgraph g unless the user says otherwise: HEADS_USUAL for nd and dd if at
 * least half of the rows have an edge, and 0 otherwise. */
static inline uint32_t shard_usual_heads(enum subgraph g, uint64_t rows, uint64_t source_rows)
{
    return subgraph_columns(g) == DELEGATES && rows > 0 && 2 * source_rows >= rows ? HEADS_USUAL : 0;
}

/* The rows that a pull along g reads: they find what a push along g finds. */
static inline const struct csr *shard_pull_rows(const struct shard *shard, enum subgraph g)
{
    return &shard->csr[shard_pulled(shard, subgraph_reverse(g))];
}

/* The edges of the rows that are pushed. */
static inline uint64_t shard_pushed_edges(const struct shard *shard)
{
    return shard->csr[NN].edges + shard->csr[ND].edges + shard->csr[DN].edges + shard->csr[DD].edges;
}

/* Returns the number of edges in all subgraphs. In a directed graph with in-rows each edge counts twice. */
static inline uint64_t shard_edges(const struct shard *shard)
{
    uint64_t edges = 0;
    for (int g = 0; g < shard_row_sets(shard); g++)
        edges += shard->csr[g].edges;
    return edges;
}

#endif
