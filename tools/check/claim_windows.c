/* claim_windows.c: see claim_windows.h */
#include "claim_windows.h"

#include "formats/base/text.h"

#include <string.h>

enum { CHUNK = 4096 };

/* ---- memory ---- */

/* Bytes of a vertex in memory. */
static uint64_t vertex_bytes(const struct claim_windows *w)
{
    uint64_t high = w->claims->has_parents && w->claims->n > UINT64_C(1) << 32 ? 2 : 0;
    return w->stride * sizeof *w->word + high;
}

/* Fails: the results do not fit `room`. */
static enum status refuse_windows(const struct claim_windows *w, uint64_t room, struct error *e)
{
    char need[16], left[16];
    int alone = !w->claims->has_depths;
    uint64_t bytes = w->claims->n * vertex_bytes(w);
    return fail(e, ST_RESOURCE,
                "%s of %llu vertices need %s, and %s of the memory budget (-S) are left%s",
                alone ? "levels that follow from parents" : "results",
                (unsigned long long)w->claims->n,
                format_size(alone ? bytes : bytes / CLAIM_MOST_WINDOWS * 2, need, sizeof need),
                format_size(room, left, sizeof left),
                alone ? ": with --depths they need not be found" : "");
}

/* Chooses the size and number of windows for `room` bytes: one, or several of which two fit. */
static enum status choose_size(struct claim_windows *w, uint64_t room, struct error *e)
{
    uint64_t n = w->claims->n, fits = room / vertex_bytes(w);
    w->size = n;
    w->count = 1;
    if (n <= fits)
        return ST_OK;
    w->size = fits / 2;
    if (!w->claims->has_depths || w->size < n / CLAIM_MOST_WINDOWS + 1)
        return refuse_windows(w, room, e);
    w->count = (uint32_t)((n + w->size - 1) / w->size);
    return ST_OK;
}

/* Chooses the windows and takes their memory, and the mask of settled vertices. On failure close them all the same. */
enum status claim_windows_open(struct claim_windows *w, const struct claims *claims,
                                int threads, struct memory_budget *budget, uint64_t room,
                                struct error *e)
{
    *w = (struct claim_windows){.claims = claims, .threads = threads, .budget = budget};
    w->stride = 1 + (claims->has_parents != 0) + (claims->has_nearest != 0);
    uint64_t settled_bytes = (claims->n / 64 + 1) * 8;
    if (memory_take(budget, (void **)&w->settled, claims->n / 64 + 1, 8, "mask of vertices", e) !=
            ST_OK ||
        choose_size(w, room > settled_bytes ? room - settled_bytes : 0, e) != ST_OK)
        return e->status;
    uint64_t slots = w->count == 1 ? w->size : 2 * w->size;
    if (memory_take_huge(budget, (void **)&w->word, slots * w->stride, sizeof *w->word, "results", e) !=
        ST_OK)
        return e->status;
    if (vertex_bytes(w) > w->stride * sizeof *w->word)
        memory_take(budget, (void **)&w->parent_high, slots, 2, "results", e);
    return e->status;
}

void claim_windows_close(struct claim_windows *w)
{
    memory_release(w->budget, w->word);
    memory_release(w->budget, w->parent_high);
    memory_release(w->budget, w->settled);
    memset(w, 0, sizeof *w);
}

uint64_t claim_window_begin(const struct claim_windows *w, uint32_t index)
{
    return index * w->size;
}

uint64_t claim_window_end(const struct claim_windows *w, uint32_t index)
{
    uint64_t end = (index + 1) * w->size;
    return end < w->claims->n ? end : w->claims->n;
}

/* ---- loading ---- */

/* The level of a vertex that no edge has settled. */
static uint32_t level_of(int64_t depth)
{
    return depth == CLAIM_NONE ? LEVEL_UNREACHED : (uint32_t)depth << 1;
}

/* Reads depths, parents and nearest roots of `count` vertices from `first` on into the memory from `slot` on. */
static enum status load_chunk(struct claim_windows *w, uint64_t first, uint64_t count, uint64_t slot, struct error *e)
{
    int64_t depth[CHUNK], parent[CHUNK], nearest[CHUNK];
    const struct claims *a = w->claims;
    if (a->has_depths && claim_file_read(&a->depths, first, count, depth, e) != ST_OK)
        return e->status;
    if (a->has_parents && claim_file_read(&a->parents, first, count, parent, e) != ST_OK)
        return e->status;
    if (a->has_nearest && claim_file_read(&a->nearest, first, count, nearest, e) != ST_OK)
        return e->status;
    for (uint64_t i = 0; i < count; i++) {
        if (a->has_depths && depth[i] > (int64_t)LEVEL_MOST_DEPTH)
            return fail(e, ST_RESOURCE,
                        "%s: vertex %lld: depth %lld is more than this program can check",
                        a->depths.name, claims_shown(a, (int64_t)(first + i)), (long long)depth[i]);
        uint32_t level = a->has_depths ? level_of(depth[i]) : parent[i] < 0 ? LEVEL_UNREACHED : 0;
        uint32_t *word = w->word + (slot + i) * w->stride;
        word[0] = level;
        if (a->has_parents)
            word[1] = (uint32_t)parent[i];
        if (a->has_parents && w->parent_high != NULL)
            w->parent_high[slot + i] = (uint16_t)((uint64_t)parent[i] >> 32);
        if (a->has_nearest) /* of a vertex that was not reached, this word is never read */
            word[w->stride - 1] = (uint32_t)claims_root_index(a, (uint64_t)nearest[i]);
    }
    return ST_OK;
}

/* Reads window `index` into half 0 or 1 of the memory. Without depths, reached vertices get level 0. */
enum status claim_windows_load(struct claim_windows *w, uint32_t index, int half, struct error *e)
{
    uint64_t begin = claim_window_begin(w, index), end = claim_window_end(w, index);
    uint64_t slot = half == 0 ? 0 : w->size;
#pragma omp parallel for num_threads(w->threads) schedule(dynamic, 16)
    for (uint64_t first = begin; first < end; first += CHUNK) {
        struct error cause = {0};
        uint64_t count = end - first < CHUNK ? end - first : CHUNK;
        load_chunk(w, first, count, slot + (first - begin), &cause);
        fail_thread(e, &cause);
    }
    return e->status;
}

/* ---- settled vertices ---- */

/* Marks the settled vertices of window `index`, in this half of the memory, in the mask; unreached ones count as such. */
void claim_windows_settle(struct claim_windows *w, uint32_t index, int half)
{
    uint64_t begin = claim_window_begin(w, index), end = claim_window_end(w, index);
    const uint32_t *word = w->word + (half == 0 ? 0 : w->size * w->stride);
    for (uint64_t v = begin; v < end; v++) {
        uint64_t bit = word[(v - begin) * w->stride] & LEVEL_SETTLED; /* set in LEVEL_UNREACHED too */
        w->settled[v / 64] |= bit << (v % 64);
    }
}
