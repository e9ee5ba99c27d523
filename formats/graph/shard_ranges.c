/* shard_ranges.c: see shard_ranges.h; cuda_ranges.cu is the twin of csr_find_faults on GPUs.
 *
 * 32 rows are checked together, as bits of a word that is compared with a word of the source mask; no branch depends on a row.
 * Elements are checked in blocks; only a block with a fault is read again, to find the first one. Bytes that must move: every
 * section once, except raw columns whose largest element is known since their CRC was compared.
 */
#include "shard_ranges.h"

#include "formats/base/arith.h"
#include "formats/base/clones.h"
#include "formats/graph/partition.h"

enum { STEP_ROWS = 32, TASK_ROWS = 1 << 13, BLOCK_ELEMENTS = 1 << 14, PIECE_BLOCKS = 32 };

typedef unsigned long long ull;

/* Sets *least to `at` if that is less. Several threads may call it at once. */
static void lower_to(uint64_t *least, uint64_t at)
{
    uint64_t before = __atomic_load_n(least, __ATOMIC_RELAXED);
    while (at < before && !__atomic_compare_exchange_n(least, &before, at, 1, __ATOMIC_RELAXED,
                                                       __ATOMIC_RELAXED))
        ;
}

/* ---- elements ---- */

/* Nonzero if any number exceeds `most`. */
WIDE_CLONES
static int any_above_u32(const uint32_t *x, uint64_t count, uint32_t most)
{
    uint32_t above = 0;
    for (uint64_t i = 0; i < count; i++)
        above |= x[i] > most;
    return above != 0;
}

WIDE_CLONES
static int any_above_u64(const uint64_t *x, uint64_t count, uint64_t most)
{
    uint64_t above = 0;
    for (uint64_t i = 0; i < count; i++)
        above |= x[i] > most;
    return above != 0;
}

/* Element i, of either width. */
static inline uint64_t number(const void *array, uint32_t width, uint64_t i)
{
    return width == 4 ? ((const uint32_t *)array)[i] : ((const uint64_t *)array)[i];
}

/* Nonzero if any column is no local vertex of a shard. Inlined for either width; no branch depends on a column. */
static inline __attribute__((always_inline)) int
any_outside_codes(const void *x, uint32_t width, uint64_t begin, uint64_t end, const struct column_bounds *b)
{
    uint64_t mask = (UINT64_C(1) << b->local_bits) - 1;
    int outside = 0;
    for (uint64_t i = begin; i < end; i++) {
        uint64_t code = number(x, width, i), owner = code >> b->local_bits;
        uint64_t known = owner < b->p ? owner : 0;
        outside |= owner >= b->p;
        outside |= (code & mask) >= b->locals[known];
    }
    return outside;
}

/* Nonzero if any element from `begin` to end - 1 is out of bounds. */
static int any_outside(const void *x, uint32_t width, uint64_t begin, uint64_t end, const struct column_bounds *b)
{
    if (b->locals != NULL)
        return width == 4 ? any_outside_codes(x, 4, begin, end, b)
                          : any_outside_codes(x, 8, begin, end, b);
    if (b->bound == 0)
        return 1;
    if (width == 8)
        return any_above_u64((const uint64_t *)x + begin, end - begin, b->bound - 1);
    return b->bound <= UINT32_MAX &&
           any_above_u32((const uint32_t *)x + begin, end - begin, (uint32_t)(b->bound - 1));
}

/* The first of `count` elements that is out of bounds, or NO_FAULT. */
static uint64_t first_outside(const void *x, uint32_t width, uint64_t count, const struct column_bounds *b, int threads)
{
    uint64_t first = NO_FAULT;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 4) if (count > BLOCK_ELEMENTS)
    for (uint64_t begin = 0; begin < count; begin += BLOCK_ELEMENTS) {
        uint64_t end = smaller(begin + BLOCK_ELEMENTS, count);
        uint64_t at = any_outside(x, width, begin, end, b) ? begin : end;
        while (at < end && column_in_bounds(b, number(x, width, at)))
            at++;
        if (at < end)
            lower_to(&first, at);
    }
    return first;
}

/* The first packed column out of bounds, or NO_FAULT; sets *corrupt if a block is. Decodes pieces that stay in the cache. */
static uint64_t first_packed_outside(const struct csr *csr, const struct packed *packed,
                                     const struct column_bounds *b, int threads, uint64_t *corrupt)
{
    struct packed_rows rows = shard_rows(csr);
    uint64_t first = NO_FAULT;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 16) if (packed->blocks > PIECE_BLOCKS)
    for (uint64_t block = 0; block < packed->blocks; block += PIECE_BLOCKS) {
        uint32_t piece[PIECE_BLOCKS * PACKED_BLOCK];
        uint64_t begin = block * PACKED_BLOCK, at = 0;
        uint64_t count = smaller(PIECE_BLOCKS * PACKED_BLOCK, packed->count - begin);
        if (packed_decode_piece(packed, &rows, block, block + PIECE_BLOCKS, piece) != ST_OK)
            __atomic_store_n(corrupt, 1, __ATOMIC_RELAXED);
        else if (any_outside(piece, 4, 0, count, b)) {
            while (column_in_bounds(b, piece[at]))
                at++;
            lower_to(&first, begin + at);
        }
    }
    return first;
}

/* ---- rows ---- */

/* Returns a word whose bit i is set if row base + i has columns beyond its heads. Sets bit i of *descends if the offset of that
 * row is above the offset of the next row. */
static inline __attribute__((always_inline)) uint32_t
rows_with_rest(const void *offsets, uint32_t width, uint64_t base, int rows, uint32_t *descends)
{
    uint32_t rest = 0, down = 0;
    for (int i = 0; i < rows; i++) {
        uint64_t begin = number(offsets, width, base + (uint64_t)i);
        uint64_t end = number(offsets, width, base + (uint64_t)i + 1);
        rest |= (uint32_t)(end != begin) << i;
        down |= (uint32_t)(end < begin) << i;
    }
    *descends = down;
    return rest;
}

/* Returns a word whose bit i is set if row i has an entry in this head column. Bit i of *outside is set if that entry is out of bounds. */
static inline __attribute__((always_inline)) uint32_t
rows_with_head(const uint32_t *heads, int rows, const struct column_bounds *b, uint32_t *outside)
{
    uint32_t present = 0, wrong = 0, bound = (uint32_t)b->bound; /* of vertices of one shard */
    for (int i = 0; i < rows; i++)
        present |= (uint32_t)(heads[i] != HEAD_NONE) << i;
    for (int i = 0; i < rows && b->locals == NULL; i++)
        wrong |= (uint32_t)(heads[i] >= bound) << i;
    for (int i = 0; i < rows && b->locals != NULL; i++)
        wrong |= (uint32_t)!column_in_bounds(b, heads[i]) << i;
    *outside = wrong & present;
    return present;
}

/* If any bit of `rows` is set, lowers *first to the row of the lowest one, which has a fault. Bit i stands for row base + i. */
static void note_rows(uint64_t *first, uint64_t base, uint32_t rows)
{
    if (rows != 0)
        lower_to(first, base + (uint64_t)__builtin_ctz(rows));
}

/* Checks rows `base` to base + rows - 1, at most STEP_ROWS, and adds what it finds to *found. */
static inline __attribute__((always_inline)) void
look_at_rows(const struct csr *csr, const struct column_bounds *b, uint64_t base, int rows, struct csr_faults *found)
{
    uint32_t descends, outside, wrong = 0, mask = (uint32_t)(csr->sources[base / 64] >> base % 64);
    uint32_t rest = csr->offset_width == 4 ? rows_with_rest(csr->offsets, 4, base, rows, &descends)
                                           : rows_with_rest(csr->offsets, 8, base, rows, &descends);
    uint32_t sources = rest, before = UINT32_MAX;
    for (uint32_t j = 0; j < csr->head_columns; j++) {
        uint32_t present = rows_with_head(csr->heads + j * csr->rows + base, rows, b, &outside);
        wrong |= outside | (rest & ~present) | (present & ~before);
        sources |= present;
        before = present;
        found->edges += (uint64_t)__builtin_popcount(present);
    }
    found->source_rows += (uint64_t)__builtin_popcount(sources);
    note_rows(&found->first[FAULT_OFFSETS], base, descends);
    note_rows(&found->first[FAULT_HEADS], base, wrong);
    note_rows(&found->first[FAULT_SOURCES], base, sources ^ mask);
}

static const struct csr_faults nothing_found = {
    .first = {NO_FAULT, NO_FAULT, NO_FAULT, NO_FAULT}};

/* The same for rows `begin` to end - 1, the task of a thread; other threads add to *sum, too. */
WIDE_CLONES
static void look_at_task(const struct csr *csr, const struct column_bounds *b, uint64_t begin,
                         uint64_t end, struct csr_faults *sum)
{
    struct csr_faults found = nothing_found;
    for (; end - begin >= STEP_ROWS; begin += STEP_ROWS)
        look_at_rows(csr, b, begin, STEP_ROWS, &found);
    if (begin < end)
        look_at_rows(csr, b, begin, (int)(end - begin), &found);
    for (int f = 0; f < RANGE_FAULTS; f++)
        lower_to(&sum->first[f], found.first[f]);
    __atomic_fetch_add(&sum->edges, found.edges, __ATOMIC_RELAXED);
    __atomic_fetch_add(&sum->source_rows, found.source_rows, __ATOMIC_RELAXED);
}

/* ---- a subgraph ---- */

/* What the columns of csr[g] must be below; `locals` has the number of local vertices of each shard. */
struct column_bounds csr_column_bounds(const struct shard *shard, enum subgraph g, const uint32_t *locals)
{
    if (subgraph_columns(g) == DELEGATES)
        return (struct column_bounds){.bound = shard->d};
    if (subgraph_rows(g) == DELEGATES || shard->p == 1)
        return (struct column_bounds){.bound = shard->locals};
    return (struct column_bounds){
        .local_bits = shard->local_bits, .p = shard->p, .locals = locals};
}

/* Nonzero if the largest column, found when the CRC was compared, is in bounds. */
static int columns_are_known(const struct csr *csr, const struct column_bounds *b)
{
    return csr->column_width == 4 && b->locals == NULL && csr->columns_below > 0 &&
           csr->columns_below <= b->bound;
}

/* Checks the rows and columns of a subgraph, with `threads` threads, and sets *found to the first faults and the counts. */
void csr_find_faults(const struct csr *csr, const struct packed *packed,
                     const struct column_bounds *bounds, int threads, struct csr_faults *found)
{
    *found = nothing_found;
#pragma omp parallel for num_threads(threads) schedule(dynamic) if (csr->rows > TASK_ROWS)
    for (uint64_t row = 0; row < csr->rows; row += TASK_ROWS)
        look_at_task(csr, bounds, row, smaller(row + TASK_ROWS, csr->rows), found);
    if (packed != NULL)
        found->first[FAULT_COLUMNS] =
            first_packed_outside(csr, packed, bounds, threads, &found->corrupt);
    else if (!columns_are_known(csr, bounds))
        found->first[FAULT_COLUMNS] =
            first_outside(csr->columns, csr->column_width, csr->column_count, bounds, threads);
    found->edges += csr->column_count;
}

/* Fails with the first fault that csr_find_faults found, or if its counts are not those of the attributes. */
enum status csr_judge_faults(const struct shard *shard, enum subgraph g,
                             const struct csr_faults *found, struct error *e)
{
    static const char *const why[RANGE_FAULTS] = {
        "offsets descend", "a head is missing or out of range", "its bit in the source mask is wrong",
        "is out of range"};
    const char *path = container_path(shard->file), *name = subgraph_name[g];
    const struct csr *csr = &shard->csr[g];
    if (found->corrupt)
        return fail(e, ST_BAD_DATA, "%s: %s-columns: a packed block is corrupt", path, name);
    for (int f = 0; f < RANGE_FAULTS; f++) {
        if (found->first[f] != NO_FAULT)
            return fail(e, ST_BAD_DATA, "%s: %s: %s %llu: %s", path, name,
                        f == FAULT_COLUMNS ? "column" : "row", (ull)found->first[f], why[f]);
    }
    if (found->edges != csr->edges || found->source_rows != csr->source_rows)
        return fail(e, ST_BAD_DATA, "%s: %s: attributes and rows disagree on the number of edges",
                    path, name);
    return ST_OK;
}

/* ---- the rest of a shard: slots, ids, degrees, self-loops ---- */

/* Checks that `runs` cover the vertices exactly and that degrees descend. */
static enum status check_runs(const struct shard *shard, const char *name,
                              const struct degree_list *list, uint64_t vertices, struct error *e)
{
    uint64_t sum = 0, last = UINT64_C(1) << 32;
    for (uint64_t i = 0; i < list->count; i++) {
        const struct degree_run *run = &list->runs[i];
        if (run->degree >= last || run->degree == 0 || run->vertices > vertices - sum)
            return fail(e, ST_BAD_DATA, "%s: %s: run %llu is out of order or range",
                        container_path(shard->file), name, (ull)i);
        last = run->degree;
        sum += run->vertices;
    }
    if (sum != vertices)
        return fail(e, ST_BAD_DATA, "%s: %s: runs do not cover all vertices",
                    container_path(shard->file), name);
    return ST_OK;
}

/* Checks that vertices with self-loops are in range. */
static enum status check_loops(const struct shard *shard, struct error *e)
{
    const uint64_t limit[] = {[LOOP_AT_LOCAL] = shard->locals,
                              [LOOP_AT_DELEGATE] = shard->d,
                              [LOOP_AT_ISOLATED] = slots_of_shard(shard->n, shard->index, shard->p)};
    for (uint64_t i = 0; i < shard->degrees.loop_counts; i++) {
        const struct loop_count *l = &shard->degrees.loops[i];
        if (l->at > LOOP_AT_ISOLATED || l->index >= limit[l->at] || l->count == 0)
            return fail(e, ST_BAD_DATA, "%s: loops: entry %llu is wrong",
                        container_path(shard->file), (ull)i);
    }
    return ST_OK;
}

/* Fails if the first entry out of bounds is not NO_FAULT. */
static enum status check_ids_below(const struct shard *shard, const char *section, uint64_t first, struct error *e)
{
    if (first == NO_FAULT)
        return ST_OK;
    return fail(e, ST_BAD_DATA, "%s: %s: entry %llu is not below n", container_path(shard->file),
                section, (ull)first);
}

/* Checks slots, delegate ids, runs of degrees and self-loops. */
enum status shard_check_ids(const struct shard *shard, int threads, struct error *e)
{
    const struct shard_ids *ids = &shard->ids;
    struct column_bounds slots = {.bound = slots_of_shard(shard->n, shard->index, shard->p)};
    struct column_bounds vertices = {.bound = shard->n};
    if (check_ids_below(shard, "local-slots",
                        first_outside(ids->local_slots, 4, shard->locals, &slots, threads),
                        e) != ST_OK ||
        check_ids_below(shard, "delegate-ids",
                        first_outside(ids->delegates, ids->delegate_width, shard->d, &vertices,
                                      threads),
                        e) != ST_OK ||
        check_runs(shard, "local-degrees", &shard->degrees.locals, shard->locals, e) != ST_OK ||
        check_runs(shard, "delegate-degrees", &shard->degrees.delegates, shard->d, e) != ST_OK)
        return e->status;
    return check_loops(shard, e);
}

/* Checks that the shard has the column widths that follow from the largest shard, as all shards must. */
enum status shard_check_widths(const struct shard *shard, uint64_t most_locals, struct error *e)
{
    if (shard->local_bits != local_bits_for(most_locals))
        return fail(e, ST_BAD_DATA, "%s: attributes: %u local bits, and the parts together need %u",
                    container_path(shard->file), shard->local_bits, local_bits_for(most_locals));
    if (shard->csr[NN].column_width != nn_column_bytes_for(most_locals, shard->p))
        return fail(e, ST_BAD_DATA, "%s: nn-columns: elements of %u bytes, and the parts together need %u",
                    container_path(shard->file), shard->csr[NN].column_width,
                    nn_column_bytes_for(most_locals, shard->p));
    return ST_OK;
}

/* Checks all of a shard that was loaded with SHARD_ALL_COLUMNS; `locals` has the number of local vertices of each shard. */
enum status shard_check_ranges(const struct shard *shard, const uint32_t *locals, int threads, struct error *e)
{
    struct csr_faults found;
    shard_check_ids(shard, threads, e);
    for (int g = 0; g < shard_row_sets(shard) && e->status == ST_OK; g++) {
        struct column_bounds bounds = csr_column_bounds(shard, (enum subgraph)g, locals);
        const struct csr *csr = &shard->csr[g];
        struct packed packed;
        int is_kept =
            csr->packed.words != NULL && shard_packed_columns(shard, (enum subgraph)g, &packed);
        csr_find_faults(csr, is_kept ? &packed : NULL, &bounds, threads, &found);
        csr_judge_faults(shard, (enum subgraph)g, &found, e);
    }
    return e->status;
}
