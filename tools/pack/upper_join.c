/* upper_join.c: the second step of a sweep (upper_sweep.h): rows from both sides of the diagonal */
#include "upper_parts.h"

#include <string.h>

/* ---- below the diagonal ---- */

static uint64_t column_at(const struct sweep_lane *lane, uint64_t mask)
{
    return lane->reader.width == 4 ? *(const uint32_t *)lane->records & mask
                                   : *(const uint64_t *)lane->records & mask;
}

static void next_run(struct sweep_lane *lane, uint64_t mask)
{
    lane->count = bucket_reader_next(&lane->reader, &lane->records);
    lane->column = lane->count > 0 ? column_at(lane, mask) : UINT64_MAX;
}

/* The lane with the smallest column. *limit is the smallest of the others: no two have the same. */
static struct sweep_lane *first_lane(struct sweep_lane *lanes, int count, uint64_t *limit)
{
    struct sweep_lane *first = lanes;
    *limit = UINT64_MAX;
    for (int i = 1; i < count; i++) {
        uint64_t column = lanes[i].column;
        if (column < first->column) {
            *limit = first->column;
            first = &lanes[i];
        } else if (column < *limit) {
            *limit = column;
        }
    }
    return first;
}

/* Moves records of one run to their rows while their column is below `limit`; returns how many. */
static size_t scatter_below(const struct csr_rows *csr, uint64_t begin, const struct sweep_lane *lane,
                            uint64_t limit, uint64_t *restrict next, uint32_t *restrict to)
{
    const uint64_t mask = (UINT64_C(1) << csr->column_bits) - 1;
    const unsigned bits = csr->column_bits, width = lane->reader.width;
    const uint32_t *narrow = lane->records;
    const uint64_t *wide = lane->records;
    size_t i = 0;
    for (; width == 4 && i < lane->count && (narrow[i] & mask) < limit; i++)
        to[next[record_row_u32(narrow[i], bits, begin)]++] = (uint32_t)(narrow[i] & mask);
    for (; width == 8 && i < lane->count && (wide[i] & mask) < limit; i++)
        to[next[record_row_u64(wide[i], bits, begin)]++] = (uint32_t)(wide[i] & mask);
    return i;
}

/* What lies below the diagonal in the rows of range r. */
static void collect(const struct csr_rows *csr, struct upper_sweeper *s, uint32_t r,
                    uint32_t *columns)
{
    struct bucket_store *store = &csr->placement->store;
    const uint64_t mask = (UINT64_C(1) << csr->column_bits) - 1, begin = range_begin(csr, r);
    uint32_t bucket = placement_bucket(csr->placement, csr->shard, DD, r);
    unsigned width = upper_record_bytes(csr->placement->rows[DD], r, csr->column_bits);
    struct sweep_lane *lane;
    uint64_t limit;
    bucket_seal(store, bucket);
    for (int i = 0; i < store->threads; i++) {
        s->lane[i].reader = bucket_read_part(store, bucket, i, i + 1, width);
        next_run(&s->lane[i], mask);
    }
    while ((lane = first_lane(s->lane, store->threads, &limit))->column != UINT64_MAX) {
        size_t moved = scatter_below(csr, begin, lane, limit, s->next, columns);
        lane->records = (const char *)lane->records + moved * width;
        lane->count -= moved;
        if (lane->count > 0)
            lane->column = column_at(lane, mask);
        else
            next_run(lane, mask);
    }
    for (int i = 0; i < store->threads; i++)
        bucket_hand_over(store, bucket, i, s->writer);
}

/* ---- rows ---- */

/* Moves some ascending columns of a row to its heads, as long as there is room, and to `to`; returns
 * how many went there. */
static size_t finish(const struct csr_rows *csr, uint64_t row, const uint32_t *columns, size_t count,
                     uint32_t *heads, uint32_t *to)
{
    size_t at = 0;
    for (; *heads < csr->k && at < count; ++*heads)
        csr->heads[*heads * csr->rows + row] = columns[at++];
    memmove(to, columns + at, (count - at) * sizeof *to);
    return count - at;
}

uint64_t upper_sweep_join(const struct csr_rows *csr, struct upper_sweeper *s, uint32_t r,
                          uint32_t *columns, uint64_t *edges)
{
    const uint32_t *delegates = csr->placement->upper->delegates;
    uint64_t begin = range_begin(csr, r), end = range_begin(csr, r + 1), at = 0;
    for (uint64_t row = begin; row < end; row++) {
        s->next[row - begin] = at;
        at += csr->length[row] - delegates[row];
    }
    uint32_t *lower = columns_for(s, at), *to = columns;
    const uint32_t *upper = columns + csr->records[r] - kept_columns(csr, r);
    at = 0;
    collect(csr, s, r, lower);
    for (uint64_t row = begin; row < end; row++) {
        uint32_t heads = 0, room = csr->length[row] - delegates[row];
        size_t own = (size_t)(s->next[row - begin] - at);
        size_t kept = finish(csr, row, lower + at, own, &heads, to);
        kept += finish(csr, row, upper, delegates[row], &heads, to + kept);
        at += room;
        upper += delegates[row];
        to += kept;
        csr->length[row] = (uint32_t)kept;
        *edges += kept + heads;
    }
    return (uint64_t)(to - columns);
}
