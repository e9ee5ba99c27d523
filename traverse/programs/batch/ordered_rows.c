/* ordered_rows.c: see ordered_rows.h */
#include "ordered_rows.h"

#include "formats/base/arith.h"

#include <stdlib.h>

enum { GROUP = 32 }; /* the most pieces that are in memory at once */

enum status put_in_order(uint64_t count, uint64_t piece, make_rows *make, const void *context, put_rows *put, void *to,
                         const char *what, size_t piece_bytes, struct error *e)
{
    for (uint64_t first = 0; first < count && e->status == ST_OK; first += GROUP * piece) {
        struct row_bytes rows[GROUP];
        const int pieces = (int)smaller(divide_up(count - first, piece), GROUP);
#pragma omp parallel for schedule(dynamic) if (pieces > 1)
        for (int i = 0; i < pieces; i++) {
            const uint64_t begin = first + (uint64_t)i * piece;
            rows[i] = make(context, begin, smaller(begin + piece, count));
        }
        for (int i = 0; i < pieces; i++) {
            if (rows[i].bytes == NULL)
                fail_memory(e, what, piece_bytes);
            else if (e->status == ST_OK)
                put(to, rows[i].bytes, rows[i].size, e);
            free(rows[i].bytes);
        }
    }
    return e->status;
}

void close_row_stream(FILE *stream, struct row_bytes *rows, const struct error *e)
{
    const int failed = ferror(stream);
    if (fclose(stream) == 0 && !failed && e->status == ST_OK)
        return;
    free(rows->bytes);
    rows->bytes = NULL;
}
