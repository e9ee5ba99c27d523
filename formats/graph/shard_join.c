/* shard_join.c: joins all shards of a graph into one; see shard_join.h
 *
 * The delegates are those of each shard. The normals of all shards are numbered anew, by descending degree and ascending id, which
 * keeps the order within each shard. So a row is the ascending parts of several shards, or of several owners in nn, which are merged.
 * Joining reads and writes 4 bytes an edge, and once more where a row has heads. */
#include "shard_join.h"

#include "formats/base/arith.h"
#include "formats/graph/partition.h"
#include "formats/graph/shard_ranges.h"

#include <inttypes.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* The state of joining. */
struct joining {
    const struct join_options *options;
    struct shard *shards; /* [p] */
    uint32_t p;
    uint32_t *shard_locals; /* [p] the number of normals of each shard */
    uint64_t *first;        /* [p + 1] sums of shard_locals */
    uint64_t locals;        /* first[p] */
    uint32_t *number;       /* [locals] normal i of shard s is normal number[first[s] + i] of the joined shard */
    struct section_content section[CONTAINER_MAX_SECTIONS]; /* of the joined shard, so far */
    uint32_t sections;
    uint64_t *attributes;   /* elements of the section SHARD_ATTRIBUTES */
};

/* Adds a section of zeros to the joined shard, and returns its elements. Returns NULL after a failure. */
static void *add_section(struct joining *j, uint32_t type, uint32_t width, uint64_t count, struct error *e)
{
    void *elements = NULL;
    if (memory_take(j->options->budget, &elements, count, width, shard_kind.section_name(type), e) == ST_OK)
        j->section[j->sections++] = (struct section_content){type, width, count, elements};
    return elements;
}

/* ---- vertices ---- */

/* Loads all shards without columns, and checks what numbers vertices. Sets shard_locals, first and locals. */
static enum status load_vertices(struct joining *j, struct error *e)
{
    const struct join_options *o = j->options;
    uint64_t most = 0;
    j->shard_locals = zeroed(j->p, sizeof *j->shard_locals, "shards", e);
    j->first = zeroed(j->p + UINT64_C(1), sizeof *j->first, "shards", e);
    for (uint32_t s = 0; s < j->p && e->status == ST_OK; s++) {
        j->shard_locals[s] = (uint32_t)j->shards[s].locals;
        j->first[s + 1] = j->first[s] + j->shards[s].locals;
        most = larger(most, j->shards[s].locals);
        if (!shard_can_join(j->shards[s].n))
            fail(e, ST_RESOURCE, "%s: the graph has %" PRIu64 " vertices, and one shard takes %" PRIu32 ": leave out -g 1", o->path,
                 j->shards[s].n, SHARD_MAX_LOCAL - 1);
        else
            shard_load(&j->shards[s], SHARD_NO_COLUMNS, o->threads, o->budget, e);
    }
    for (uint32_t s = 0; s < j->p && e->status == ST_OK; s++) {
        if (shard_check_widths(&j->shards[s], most, e) == ST_OK && !o->trust)
            shard_check_ids(&j->shards[s], o->threads, e);
    }
    j->locals = e->status == ST_OK ? j->first[j->p] : 0;
    return e->status;
}

/* The next normal of a shard, while the normals of all shards are numbered. */
struct next_normal {
    uint64_t degree, id;   /* degree 0: there is none left */
    uint64_t local;        /* its number in the shard */
    uint64_t run, run_end; /* how many runs of degrees begin before the next normal, and how many normals these runs have */
};

/* Sets degree and id of *next to those of normal number next->local of a shard, or the degree to 0 if the shard has no more. */
static void read_next_normal(struct next_normal *next, const struct shard *shard)
{
    const struct degree_list *degrees = &shard->degrees.locals;
    next->degree = 0;
    if (next->local == shard->locals)
        return;
    for (; next->local == next->run_end; next->run++)
        next->run_end += degrees->runs[next->run].vertices;
    next->degree = degrees->runs[next->run - 1].degree;
    next->id = vertex_of_slot(shard->ids.local_slots[next->local], shard->index, shard->p);
}

/* Numbers the normals of all shards, and makes the sections of slots and degrees. */
static enum status number_normals(struct joining *j, struct error *e)
{
    struct next_normal *next = zeroed(j->p, sizeof *next, "shards", e);
    uint64_t most_runs = 0;
    for (uint32_t s = 0; s < j->p; s++)
        most_runs += j->shards[s].degrees.locals.count;
    uint32_t *slots = add_section(j, SHARD_LOCAL_SLOTS, 4, j->locals, e);
    struct degree_run *runs = add_section(j, SHARD_LOCAL_DEGREES, sizeof *runs, most_runs, e);
    uint64_t count = 0;
    memory_take(j->options->budget, (void **)&j->number, j->locals, 4, "numbers of vertices", e);
    for (uint32_t s = 0; s < j->p && e->status == ST_OK; s++)
        read_next_normal(&next[s], &j->shards[s]);
    for (uint64_t v = 0; v < j->locals && e->status == ST_OK; v++) {
        uint32_t best = 0;
        for (uint32_t s = 1; s < j->p; s++) {
            if (next[s].degree > next[best].degree || (next[s].degree == next[best].degree && next[s].id < next[best].id))
                best = s;
        }
        if (count == 0 || runs[count - 1].degree != next[best].degree)
            runs[count++].degree = next[best].degree;
        runs[count - 1].vertices++;
        slots[v] = (uint32_t)next[best].id;
        j->number[j->first[best] + next[best].local++] = (uint32_t)v;
        read_next_normal(&next[best], &j->shards[best]);
    }
    if (runs != NULL)
        j->section[j->sections - 1].count = count;
    free(next);
    return e->status;
}

/* Makes the sections of delegates, which are those of any shard. */
static enum status copy_delegates(struct joining *j, struct error *e)
{
    const struct shard *shard = &j->shards[0];
    const struct degree_list *degrees = &shard->degrees.delegates;
    void *ids = add_section(j, SHARD_DELEGATE_IDS, shard->ids.delegate_width, shard->d, e);
    void *runs = add_section(j, SHARD_DELEGATE_DEGREES, sizeof *degrees->runs, degrees->count, e);
    if (e->status == ST_OK) {
        memcpy(ids, shard->ids.delegates, shard->d * shard->ids.delegate_width);
        memcpy(runs, degrees->runs, degrees->count * sizeof *degrees->runs);
    }
    return e->status;
}

/* Makes the section of self-loops, in the order of vertices. */
static enum status join_loops(struct joining *j, struct error *e)
{
    uint64_t *next = zeroed(j->p, sizeof *next, "shards", e), count = 0;
    for (uint32_t s = 0; s < j->p; s++)
        count += j->shards[s].degrees.loop_counts;
    struct loop_count *loops = add_section(j, SHARD_LOOPS, sizeof *loops, count, e);
    for (uint64_t i = 0; i < count && e->status == ST_OK; i++) {
        uint64_t vertex = UINT64_MAX;
        uint32_t best = 0;
        for (uint32_t s = 0; s < j->p; s++) {
            const struct shard *shard = &j->shards[s];
            if (next[s] < shard->degrees.loop_counts && shard_loop_vertex(shard, &shard->degrees.loops[next[s]]) < vertex) {
                vertex = shard_loop_vertex(shard, &shard->degrees.loops[next[s]]);
                best = s;
            }
        }
        loops[i] = j->shards[best].degrees.loops[next[best]++];
        if (loops[i].at == LOOP_AT_LOCAL)
            loops[i].index = j->number[j->first[best] + loops[i].index];
        else if (loops[i].at == LOOP_AT_ISOLATED)
            loops[i].index = (uint32_t)vertex;
    }
    free(next);
    return e->status;
}

/* ---- rows ---- */

/* Decodes the columns of subgraph g of all shards, as far as they are packed, and checks the rows. */
static enum status load_columns(struct joining *j, enum subgraph g, struct error *e)
{
    const struct join_options *o = j->options;
    for (uint32_t s = 0; s < j->p && e->status == ST_OK; s++) {
        struct shard *shard = &j->shards[s];
        struct csr *csr = &shard->csr[g];
        const struct packed_rows rows = shard_rows(csr);
        const struct column_bounds bounds = csr_column_bounds(shard, g, j->shard_locals);
        struct csr_faults found;
        struct packed packed;
        void *columns;
        if (shard_packed_columns(shard, g, &packed) &&
            memory_take(o->budget, &columns, csr->column_count, csr->column_width, "columns", e) == ST_OK) {
            csr->columns = columns;
            if (packed_decode_all(&packed, &rows, columns, o->threads) != ST_OK)
                fail(e, ST_BAD_DATA, "%s: %s-columns: a packed block is corrupt", container_path(shard->file), subgraph_name[g]);
        }
        if (e->status == ST_OK && !o->trust) {
            csr_find_faults(csr, NULL, &bounds, o->threads, &found);
            csr_judge_faults(shard, g, &found, e);
        }
    }
    return e->status;
}

/* Frees the columns that load_columns decoded. */
static void release_columns(struct joining *j, enum subgraph g)
{
    for (uint32_t s = 0; s < j->p; s++) {
        struct packed packed;
        if (!shard_packed_columns(&j->shards[s], g, &packed))
            continue;
        memory_release(j->options->budget, (void *)j->shards[s].csr[g].columns);
        j->shards[s].csr[g].columns = NULL;
    }
}

/* Returns the row of the joined shard that has the edges of a row of shard s. */
static inline uint64_t joined_row(const struct joining *j, uint32_t s, enum subgraph g, uint64_t row)
{
    return subgraph_rows(g) == NORMALS ? j->number[j->first[s] + row] : row;
}

/* Returns the column of the joined shard for a column of subgraph g of shard s. */
static inline uint32_t joined_column(const struct joining *j, uint32_t s, enum subgraph g, uint64_t column)
{
    const uint32_t bits = j->shards[s].local_bits;
    if (subgraph_columns(g) == DELEGATES)
        return (uint32_t)column;
    if (subgraph_rows(g) == DELEGATES)
        return j->number[j->first[s] + column];
    return j->number[j->first[column >> bits] + (column & ((UINT64_C(1) << bits) - 1))];
}

/* Goes over the rows of subgraph g of all shards. Is called twice. The first call, with `all` NULL, adds the length of each row to
 * begins[row + 2]. The second call copies the row to all[begins[row + 1]], and sets begins[row + 1] to the index behind the row. */
static void copy_rows(const struct joining *j, enum subgraph g, uint64_t *begins, uint32_t *all)
{
    for (uint32_t s = 0; s < j->p; s++) {
        const struct csr *csr = &j->shards[s].csr[g];
#pragma omp parallel for num_threads(j->options->threads) schedule(dynamic, 1024)
        for (uint64_t row = 0; row < csr->rows; row++) {
            const uint64_t length = csr_row_length(csr, row), joined = joined_row(j, s, g, row), to = begins[joined + 1];
            if (all == NULL)
                begins[joined + 2] += length;
            for (uint64_t i = 0; all != NULL && i < length; i++)
                all[to + i] = joined_column(j, s, g, csr_destination(csr, row, i));
            if (all != NULL)
                begins[joined + 1] = to + length;
        }
    }
}

/* Returns the index behind the ascending part of a row that begins at index `at`. */
static uint64_t part_end(const uint32_t *row, uint64_t at, uint64_t count)
{
    while (++at < count && row[at - 1] <= row[at])
        ;
    return smaller(at, count);
}

/* Merges the ascending parts of a row: pairs of neighbours, until one part is left. `spare` has room for the row. */
static void merge_parts(uint32_t *row, uint64_t count, uint32_t *spare)
{
    while (part_end(row, 0, count) < count) {
        for (uint64_t begin = 0, end; begin < count; begin = end) {
            const uint64_t middle = part_end(row, begin, count);
            uint64_t a = begin, b = middle;
            end = middle < count ? part_end(row, middle, count) : middle;
            for (uint64_t to = begin; to < end; to++)
                spare[to] = b == end || (a < middle && row[a] < row[b]) ? row[a++] : row[b++];
        }
        memcpy(row, spare, count * sizeof *row);
    }
}

/* Returns the number of head columns of subgraph g of the joined shard: as dbfs-pack chooses it or, if the shards have another number
 * than that, theirs. */
static uint32_t joined_heads(const struct joining *j, enum subgraph g, uint64_t rows, uint64_t source_rows)
{
    uint32_t given = 0;
    int usual = 1;
    for (uint32_t s = 0; s < j->p; s++) {
        const struct csr *csr = &j->shards[s].csr[g];
        if (csr->rows == 0 || csr->column_width == 8)
            continue;
        usual &= csr->head_columns == shard_usual_heads(g, csr->rows, csr->source_rows);
        given = csr->head_columns > given ? csr->head_columns : given;
    }
    return usual ? shard_usual_heads(g, rows, source_rows) : rows > 0 ? given : 0;
}

/* Makes the sections of subgraph g from its rows: row i is all[begins[i]] to all[begins[i + 1] - 1]. `all` is the section that was added
 * last, and becomes that of columns: the heads of rows are taken out of it, and what is left closes up. */
static enum status take_heads(struct joining *j, enum subgraph g, uint64_t rows, const uint64_t *begins, uint32_t *all, struct error *e)
{
    struct section_content *columns = &j->section[j->sections - 1];
    uint64_t source_rows = 0, kept = 0, at = 0;
    for (uint64_t row = 0; row < rows; row++)
        source_rows += begins[row + 1] > begins[row];
    const uint32_t k = joined_heads(j, g, rows, source_rows);
    for (uint64_t row = 0; row < rows; row++) {
        const uint64_t length = begins[row + 1] - begins[row];
        kept += length > k ? length - k : 0;
    }
    const uint32_t width = kept > UINT32_MAX ? 8 : 4;
    uint32_t *heads = k > 0 ? add_section(j, shard_section_of(g, SHARD_HEADS), 4, k * rows, e) : NULL;
    void *offsets = add_section(j, shard_section_of(g, SHARD_OFFSETS), width, rows + 1, e);
    uint64_t *sources = add_section(j, shard_section_of(g, SHARD_SOURCES), 8, mask_words(rows), e);
    if (e->status != ST_OK)
        return e->status;
    for (uint64_t row = 0; row < rows; row++) {
        uint64_t from = begins[row];
        sources[row / 64] |= (uint64_t)(begins[row + 1] > from) << row % 64;
        for (uint32_t i = 0; i < k; i++)
            heads[i * rows + row] = from < begins[row + 1] ? all[from++] : HEAD_NONE;
        if (at < from)
            memmove(&all[at], &all[from], (begins[row + 1] - from) * sizeof *all);
        at += begins[row + 1] - from;
        if (width == 4)
            ((uint32_t *)offsets)[row + 1] = (uint32_t)at;
        else
            ((uint64_t *)offsets)[row + 1] = at;
    }
    columns->count = kept;
    j->attributes[shard_attribute_of(g, SHARD_AT_EDGES)] = begins[rows];
    j->attributes[shard_attribute_of(g, SHARD_AT_HEADS)] = k;
    j->attributes[shard_attribute_of(g, SHARD_AT_SOURCES)] = source_rows;
    return ST_OK;
}

/* Makes the sections of subgraph g. */
static enum status join_rows(struct joining *j, enum subgraph g, struct error *e)
{
    const struct join_options *o = j->options;
    const uint64_t rows = subgraph_rows(g) == NORMALS ? j->locals : j->shards[0].d;
    uint64_t *begins = NULL, longest = 0;
    uint32_t *all = NULL, *spare = NULL;
    if (load_columns(j, g, e) == ST_OK && memory_take(o->budget, (void **)&begins, rows + 2, 8, "rows of all shards", e) == ST_OK) {
        copy_rows(j, g, begins, NULL);
        for (uint64_t row = 2; row < rows + 2; row++) {
            longest = larger(longest, begins[row]);
            begins[row] += begins[row - 1];
        }
        all = add_section(j, shard_section_of(g, SHARD_COLUMNS), 4, begins[rows + 1], e);
        memory_advise_huge(all);
        memory_take(o->budget, (void **)&spare, longest * (uint64_t)o->threads, 4, "rows of all shards", e);
    }
    if (e->status == ST_OK) {
        copy_rows(j, g, begins, all);
#pragma omp parallel for num_threads(o->threads) schedule(dynamic, 1024)
        for (uint64_t row = 0; row < rows; row++)
            merge_parts(&all[begins[row]], begins[row + 1] - begins[row], &spare[longest * (uint64_t)omp_get_thread_num()]);
        take_heads(j, g, rows, begins, all, e);
    }
    memory_release(o->budget, spare);
    memory_release(o->budget, begins);
    release_columns(j, g);
    return e->status;
}

/* ---- the shard ---- */

/* Makes the section of attributes, but for those of subgraphs. */
static enum status add_attributes(struct joining *j, struct error *e)
{
    const struct shard *shard = &j->shards[0];
    uint64_t *at = add_section(j, SHARD_ATTRIBUTES, 8, shard->kept.directed ? SHARD_DIRECTED_ATTRIBUTE_COUNT : SHARD_ATTRIBUTE_COUNT, e);
    j->attributes = at;
    if (at == NULL)
        return e->status;
    at[SHARD_AT_P] = 1;
    at[SHARD_AT_N] = shard->n;
    at[SHARD_AT_TH] = shard->th;
    at[SHARD_AT_D] = shard->d;
    at[SHARD_AT_LOCALS] = j->locals;
    at[SHARD_AT_LOCAL_BITS] = local_bits_for(j->locals);
    at[SHARD_AT_PACK_ID] = shard->pack_id;
    if (shard->kept.directed)
        at[SHARD_AT_WITH_IN] = (uint64_t)shard->kept.with_in;
    return ST_OK;
}

enum status shard_join(struct shard *joined, struct shard *shards, uint32_t p, const struct join_options *options, struct error *e)
{
    struct joining j = {.options = options, .shards = shards, .p = p};
    memset(joined, 0, sizeof *joined);
    if (load_vertices(&j, e) == ST_OK && number_normals(&j, e) == ST_OK && copy_delegates(&j, e) == ST_OK && join_loops(&j, e) == ST_OK)
        add_attributes(&j, e);
    for (int g = 0; g < shard_row_sets(&shards[0]) && e->status == ST_OK; g++)
        join_rows(&j, (enum subgraph)g, e);
    if (e->status == ST_OK)
        shard_of_sections(joined, options->path, j.section, j.sections, shards[0].kept.directed, options->threads, options->budget, e);
    for (uint32_t i = 0; i < j.sections && e->status != ST_OK; i++)
        memory_release(options->budget, (void *)j.section[i].elements);
    memory_release(options->budget, j.number);
    free(j.first);
    free(j.shard_locals);
    return e->status;
}
