/* bounds.c: narrows the bounds of the eccentricities of a rank's vertices (bounds.h). Each function is one pass over the
 * vertices, by the threads of the pool; the inner loops have no branches, so that the compiler uses vector instructions. */
#include "bounds.h"

#include "formats/base/arith.h"
#include "formats/base/clones.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 14 }; /* vertices that a thread handles at a time */

/* Opens the bounds of `count` vertices, and the thread pool (bounds.h). */
enum status bounds_open(struct bounds *b, uint64_t count, int threads, struct memory_budget *budget, struct error *e)
{
    *b = (struct bounds){.budget = budget, .threads = threads, .count = count};
    if (memory_take_huge(budget, (void **)&b->lower, count, 4, "bounds of eccentricities", e) != ST_OK ||
        memory_take_huge(budget, (void **)&b->upper, count, 4, "bounds of eccentricities", e) != ST_OK ||
        memory_take_huge(budget, (void **)&b->sum, count, 4, "sums of distances", e) != ST_OK)
        return e->status;
    memset(b->lower, 0xff, count * sizeof *b->lower); /* NEVER_REACHED */
    return pool_open(&b->pool, threads, e);
}

void bounds_close(struct bounds *b)
{
    if (b->budget == NULL)
        return;
    memory_release(b->budget, b->lower);
    memory_release(b->budget, b->upper);
    memory_release(b->budget, b->sum);
    pool_close(b->pool);
}

/* The arguments of a pass, as the functions of bounds.h have them, and what its threads find. A pass uses some of them. */
struct pass {
    const struct bounds *bounds, *targets;
    const int32_t *distance, *from;
    int32_t eccentricity, size, floor, top, largest, smallest, least;
    int32_t guess; /* assumed_bound for a distance of 0 */
    const int32_t *limit, *uncovered, *excess;
    int32_t *assumed; /* [count] */
    int32_t *far;     /* of each thread: [top + 1] its far[] in bounds_farthest_by_upper; its largest distance in bounds_raise_by_round */
    struct open_bounds *open;       /* [threads] */
    struct landmark_counts *levels; /* [threads] */
};

/* Runs `body` for all vertices, by the threads of the pool. */
static void run_pass(const struct bounds *b, pool_body *body, struct pass *pass)
{
    pass->bounds = b;
    pool_for(b->pool, b->threads, b->count, PIECE, body, pass);
}

/* Begins the component of the vertices begin..end with a distance (bounds_begin_component). */
WIDE_CLONES static void begin_piece(void *context, uint64_t begin, uint64_t end)
{
    const struct pass *p = context;
    const int32_t *distance = p->distance, e = p->eccentricity, most = p->size - 1;
    int32_t *lower = p->bounds->lower, *upper = p->bounds->upper;
    for (uint64_t v = begin; v < end; v++) {
        const int32_t d = distance[v], most_by_root = e + d < most ? e + d : most;
        lower[v] = d < 0 ? lower[v] : d > e - d ? d : e - d;
        upper[v] = d < 0 ? 0 : most_by_root;
        p->bounds->sum[v] = d < 0 ? 0 : (uint32_t)d;
    }
}

/* Makes the vertices that a search has reached live, and sets their first bounds by that search (bounds.h). */
void bounds_begin_component(struct bounds *b, const int32_t *distance, int32_t eccentricity, int32_t size)
{
    run_pass(b, begin_piece, &(struct pass){.distance = distance, .eccentricity = eccentricity, .size = size});
}

/* Makes all vertices live (bounds.h). */
void bounds_begin_all(struct bounds *b, int32_t most)
{
    for (uint64_t v = 0; v < b->count; v++) {
        b->lower[v] = 0;
        b->upper[v] = most;
        b->sum[v] = 0;
    }
}

/* Leaves out the vertices begin..end with a distance. */
static void leave_out_piece(void *context, uint64_t begin, uint64_t end)
{
    const struct pass *p = context;
    for (uint64_t v = begin; v < end; v++)
        p->bounds->lower[v] = p->distance[v] < 0 ? p->bounds->lower[v] : LEFT_OUT;
}

/* Leaves out a component (bounds.h). */
void bounds_leave_out(struct bounds *b, const int32_t *distance)
{
    run_pass(b, leave_out_piece, &(struct pass){.distance = distance});
}

/* Ends a component (bounds.h). */
void bounds_end_component(struct bounds *b)
{
    memset(b->upper, 0, b->count * sizeof *b->upper);
}

/* Narrows the bounds of the vertices begin..end (bounds_narrow). The upper bound 0 of a vertex that is not live stays. */
WIDE_CLONES static void narrow_piece(void *context, uint64_t begin, uint64_t end)
{
    const struct pass *p = context;
    const int32_t *distance = p->distance, e = p->eccentricity;
    int32_t *lower = p->bounds->lower, *upper = p->bounds->upper;
    uint32_t *sum = p->bounds->sum;
    for (uint64_t v = begin; v < end; v++) {
        const int32_t d = distance[v], low = d > e - d ? d : e - d;
        lower[v] = upper[v] > 0 && low > lower[v] ? low : lower[v];
        upper[v] = d >= 0 && e + d < upper[v] ? e + d : upper[v];
        sum[v] += d >= 0 ? (uint32_t)d : 0;
    }
}

/* Narrows the bounds by a search from a root with this eccentricity (bounds.h). */
void bounds_narrow(struct bounds *b, const int32_t *distance, int32_t eccentricity)
{
    run_pass(b, narrow_piece, &(struct pass){.distance = distance, .eccentricity = eccentricity});
}

/* Raises the lower bounds of the vertices begin..end to their distances (bounds_raise_lower). */
WIDE_CLONES static void find_piece(void *context, uint64_t begin, uint64_t end)
{
    const struct pass *p = context;
    const int32_t *distance = p->distance, *upper = p->bounds->upper;
    int32_t *lower = p->bounds->lower;
    uint32_t *sum = p->bounds->sum;
    for (uint64_t v = begin; v < end; v++) {
        const int32_t d = distance[v];
        lower[v] = upper[v] > 0 && d > lower[v] ? d : lower[v];
        sum[v] += d >= 0 ? (uint32_t)d : 0;
    }
}

/* Raises the lower bounds by a search in the other direction (bounds.h). */
void bounds_raise_lower(struct bounds *b, const int32_t *distance)
{
    run_pass(b, find_piece, &(struct pass){.distance = distance});
}

/* Lowers the upper bound of the neighbour of the root, if it is among the vertices begin..end (bounds_limit_neighbour). */
WIDE_CLONES static void neighbour_piece(void *context, uint64_t begin, uint64_t end)
{
    const struct pass *p = context;
    const int32_t *distance = p->distance, most = p->eccentricity - 1;
    int32_t *upper = p->bounds->upper;
    for (uint64_t v = begin; v < end; v++)
        upper[v] = distance[v] == 1 && most < upper[v] ? most : upper[v];
}

/* Lowers the upper bound of the one neighbour of the root (bounds.h). */
void bounds_limit_neighbour(struct bounds *b, const int32_t *distance, int32_t eccentricity)
{
    run_pass(b, neighbour_piece, &(struct pass){.distance = distance, .eccentricity = eccentricity});
}

/* Shares what the search tells with the other leaves at the neighbour of the root (bounds.h): those at the distance 2. */
void bounds_share_leaf(struct bounds *b, const int32_t *distance, int32_t eccentricity, uint64_t first, uint64_t end)
{
    for (uint64_t v = first; v < end; v++) {
        if (distance[v] == 2) {
            b->lower[v] = eccentricity;
            b->upper[v] = 0;
        }
    }
}

/* Returns how many of the vertices of a piece have a distance. */
static uint64_t count_piece(void *context, int thread, uint64_t piece)
{
    const struct pass *p = context;
    uint64_t reached = 0;
    (void)thread;
    for (uint64_t v = piece * PIECE; v < smaller((piece + 1) * PIECE, p->bounds->count); v++)
        reached += p->distance[v] >= 0;
    return reached;
}

/* Returns the number of vertices with a distance. */
uint64_t bounds_count_reached(const struct bounds *b, const int32_t *distance)
{
    struct pass pass = {.bounds = b, .distance = distance};
    return pool_run(b->pool, b->threads, divide_up(b->count, PIECE), count_piece, &pass);
}

/* ---- pairs that a landmark rules out ---- */

/* Raises the thread's far[] by the live vertices of a piece. A live vertex has an upper bound of 1 or more, so that far[0]
 * takes what is not live. Returns 0. */
static uint64_t far_piece(void *context, int thread, uint64_t piece)
{
    const struct pass *p = context;
    const int32_t *upper = p->bounds->upper, *distance = p->distance, top = p->top;
    int32_t *far = p->far + (size_t)thread * ((size_t)top + 1);
    for (uint64_t v = piece * PIECE; v < smaller((piece + 1) * PIECE, p->bounds->count); v++) {
        const int32_t u = upper[v] < top ? upper[v] : top;
        if (distance[v] > far[u])
            far[u] = distance[v];
    }
    return 0;
}

/* Raises far[1] to far[top] by the live vertices (bounds.h). Each thread has a table of its own, as threads would write to
 * the same few numbers all the time; if there is no memory for them, or `top` is large, one thread does the work. */
void bounds_farthest_by_upper(const struct bounds *b, const int32_t *distance, int32_t *far, int32_t top)
{
    const size_t width = (size_t)top + 1;
    const int threads = b->count / (uint64_t)b->threads > 4 * width ? b->threads : 1;
    int32_t *tables = threads > 1 ? malloc((size_t)threads * width * sizeof *tables) : NULL;
    struct pass pass = {.bounds = b, .distance = distance, .top = top, .far = tables != NULL ? tables : far};
    if (tables != NULL)
        memset(tables, 0xff, (size_t)threads * width * sizeof *tables);
    pool_run(b->pool, tables != NULL ? threads : 1, divide_up(b->count, PIECE), far_piece, &pass);
    for (size_t i = 0; tables != NULL && i < (size_t)threads * width; i++)
        far[i % width] = tables[i] > far[i % width] ? tables[i] : far[i % width];
    free(tables);
}

/* Sets limit[-1] to limit[most] (bounds.h). As d grows, the smallest L cannot fall, so that one walk over far[] serves all d. */
void bounds_find_limits(int32_t *limit, int32_t most, int32_t *far, int32_t top)
{
    int32_t L = 0;
    for (int32_t u = top - 1; u > 0; u--) /* far[u]: now the largest distance to a vertex with an upper bound of u or more */
        far[u] = far[u + 1] > far[u] ? far[u + 1] : far[u];
    limit[-1] = 0;
    for (int32_t d = 0; d <= most; d++) {
        while (L < top && far[L + 1] >= 0 && L < d + far[L + 1])
            L++;
        limit[d] = L;
    }
}

/* Lowers the upper bounds of the vertices begin..end to their limits (bounds_apply_limits), but not below a lower bound or the floor.
 * limit[-1] is for a vertex without a path to the landmark. `uncovered` is NULL or bounds the distances of uncovered pairs; callers pass
 * NULL as a constant. */
static inline void lower_to_limits(const struct pass *p, const int32_t *uncovered, uint64_t begin, uint64_t end)
{
    const int32_t *distance = p->distance, *limit = p->limit, *lower = p->bounds->lower, floor = p->floor;
    int32_t *upper = p->bounds->upper;
    for (uint64_t v = begin; v < end; v++) {
        const int32_t by_landmark = limit[distance[v]], least = lower[v] > floor ? lower[v] : floor;
        const int32_t far = uncovered != NULL && uncovered[v] > by_landmark ? uncovered[v] : by_landmark;
        const int32_t most = far > least ? far : least;
        upper[v] = most < upper[v] ? most : upper[v];
    }
}

/* Called by the threads of a pass (lower_to_limits). */
WIDE_CLONES static void limit_piece(void *context, uint64_t begin, uint64_t end)
{
    const struct pass *p = context;
    if (p->uncovered == NULL)
        lower_to_limits(p, NULL, begin, end);
    else
        lower_to_limits(p, p->uncovered, begin, end);
}

/* Lowers the upper bounds by the limits of a landmark (bounds.h). */
void bounds_apply_limits(struct bounds *b, const int32_t *distance, const int32_t *limit, const int32_t *uncovered, int32_t floor)
{
    run_pass(b, limit_piece, &(struct pass){.distance = distance, .limit = limit, .uncovered = uncovered, .floor = floor});
}

/* ---- searches from many roots, which tell lower bounds alone ---- */

/* Raises the lower bounds of the vertices of a piece, and lowers their assumed upper bounds (bounds_raise_by_round). Raises the thread's
 * far[] to the largest distance. Returns 0. */
WIDE_CLONES static uint64_t raise_piece(void *context, int thread, uint64_t piece)
{
    const struct pass *p = context;
    const int32_t *distance = p->distance, *upper = p->bounds->upper, guess = p->guess;
    int32_t *lower = p->bounds->lower, *assumed = p->assumed, largest = p->far[thread];
    const uint64_t begin = piece * PIECE, end = smaller(begin + PIECE, p->bounds->count);
    for (uint64_t v = begin; v < end; v++) {
        const int32_t d = distance[v];
        largest = d > largest ? d : largest;
        lower[v] = upper[v] > 0 && d > lower[v] ? d : lower[v];
    }
    for (uint64_t v = begin; assumed != NULL && v < end; v++) {
        const int32_t by_root = distance[v] * ROUND_MOST + guess;
        assumed[v] = distance[v] >= 0 && by_root < assumed[v] ? by_root : assumed[v];
    }
    p->far[thread] = largest;
    return 0;
}

/* Raises the lower bounds to the distances from a root (bounds.h). */
int32_t bounds_raise_by_round(struct bounds *b, const int32_t *distance, int32_t guess, uint32_t number, int32_t *assumed)
{
    int32_t far[MOST_POOL_THREADS], largest = -1;
    struct pass pass = {.bounds = b, .distance = distance, .guess = assumed_bound(guess, number), .assumed = assumed, .far = far};
    memset(far, 0xff, (size_t)b->threads * sizeof *far);
    pool_run(b->pool, b->threads, divide_up(b->count, PIECE), raise_piece, &pass);
    for (int i = 0; i < b->threads; i++)
        largest = far[i] > largest ? far[i] : largest;
    return largest;
}

/* Lowers the upper bounds of the vertices begin..end to what was assumed (bounds_apply_assumed). */
WIDE_CLONES static void assume_piece(void *context, uint64_t begin, uint64_t end)
{
    const struct pass *p = context;
    const int32_t *assumed = p->assumed, *lower = p->bounds->lower, *excess = p->excess;
    int32_t *upper = p->bounds->upper;
    for (uint64_t v = begin; v < end; v++) {
        const int32_t by_root = (assumed[v] >> ROUND_BITS) + excess[assumed[v] % ROUND_MOST];
        const int32_t most = by_root > lower[v] ? by_root : lower[v];
        upper[v] = most < upper[v] ? most : upper[v];
    }
}

/* Lowers the upper bounds to what was assumed (bounds.h). */
void bounds_apply_assumed(struct bounds *b, const int32_t *assumed, const int32_t excess[ROUND_MOST])
{
    run_pass(b, assume_piece, &(struct pass){.assumed = (int32_t *)assumed, .excess = excess});
}

/* Adds the vertices of a piece to the thread's counts (bounds_count_levels). Returns 0. */
static uint64_t levels_piece(void *context, int thread, uint64_t piece)
{
    const struct pass *p = context;
    struct landmark_counts *counts = &p->levels[thread];
    for (uint64_t v = piece * PIECE; v < smaller((piece + 1) * PIECE, p->bounds->count); v++) {
        const int32_t lower = p->bounds->lower[v], upper = p->bounds->upper[v], d = p->distance[v], from = p->from[v];
        if (p->targets->upper[v] > p->least && from >= 0)
            counts->candidates[from]++;
        if (upper > lower && upper > 0 && d >= 0)
            counts->settled[smaller((uint64_t)(lower - d), MOST_LEVELS - 1)]++;
    }
    return 0;
}

/* Counts vertices by their distances from a landmark, and to it (bounds.h). */
void bounds_count_levels(const struct bounds *b, const int32_t *distance, const struct bounds *targets, const int32_t *from,
                         int32_t least, struct landmark_counts *counts)
{
    struct landmark_counts of_thread[MOST_POOL_THREADS];
    struct pass pass = {.bounds = b, .distance = distance, .targets = targets, .from = from, .least = least, .levels = of_thread};
    memset(of_thread, 0, (size_t)b->threads * sizeof *of_thread);
    pool_run(b->pool, b->threads, divide_up(b->count, PIECE), levels_piece, &pass);
    memset(counts, 0, sizeof *counts);
    for (int i = MOST_LEVELS - 1; i >= 0; i--) {
        counts->settled[i] = i + 1 < MOST_LEVELS ? counts->settled[i + 1] : 0;
        for (int thread = 0; thread < b->threads; thread++) {
            counts->candidates[i] += of_thread[thread].candidates[i];
            counts->settled[i] += of_thread[thread].settled[i];
        }
    }
}

/* ---- what is open, and what is picked ---- */

/* Adds what a piece of the vertices leaves open to the thread's summary. Returns 0. */
WIDE_CLONES static uint64_t summarise_piece(void *context, int thread, uint64_t piece)
{
    const struct pass *p = context;
    const int32_t *lowers = p->bounds->lower, *uppers = p->bounds->upper, largest = p->largest, smallest = p->smallest;
    const uint64_t end = smaller((piece + 1) * PIECE, p->bounds->count);
    int32_t least_lower = INT32_MAX, least_open = INT32_MAX, greatest_upper = 0;
    uint32_t open = 0, above = 0, below = 0;
    for (uint64_t v = piece * PIECE; v < end; v++) {
        const int32_t lower = lowers[v], upper = uppers[v], live = upper > 0 ? lower : INT32_MAX,
                      different = upper > lower ? live : INT32_MAX;
        least_lower = live < least_lower ? live : least_lower;
        least_open = different < least_open ? different : least_open;
        greatest_upper = upper > greatest_upper ? upper : greatest_upper;
        open += upper > lower && upper > 0;
        above += upper > largest;
        below += live < smallest;
    }
    struct open_bounds *o = &p->open[thread];
    o->least_lower = least_lower < o->least_lower ? least_lower : o->least_lower;
    o->least_open = least_open < o->least_open ? least_open : o->least_open;
    o->greatest_upper = greatest_upper > o->greatest_upper ? greatest_upper : o->greatest_upper;
    o->open += open;
    o->above += above;
    o->below += below;
    return 0;
}

/* Sets *open to what the bounds of the live vertices leave open (bounds.h). */
void bounds_summarise(const struct bounds *b, int32_t largest, int32_t smallest, struct open_bounds *open)
{
    struct open_bounds of_thread[MOST_POOL_THREADS];
    struct pass pass = {.bounds = b, .largest = largest, .smallest = smallest, .open = of_thread};
    *open = (struct open_bounds){.least_lower = INT32_MAX, .least_open = INT32_MAX};
    for (int i = 0; i < b->threads; i++)
        of_thread[i] = *open;
    pool_run(b->pool, b->threads, divide_up(b->count, PIECE), summarise_piece, &pass);
    for (int i = 0; i < b->threads; i++) {
        const struct open_bounds *o = &of_thread[i];
        open->least_lower = o->least_lower < open->least_lower ? o->least_lower : open->least_lower;
        open->least_open = o->least_open < open->least_open ? o->least_open : open->least_open;
        open->greatest_upper = o->greatest_upper > open->greatest_upper ? o->greatest_upper : open->greatest_upper;
        open->open += o->open;
        open->above += o->above;
        open->below += o->below;
    }
}

/* Returns how many of the live vertices of a piece have a distance, and a lower bound below p->smallest. */
static uint64_t below_piece(void *context, int thread, uint64_t piece)
{
    const struct pass *p = context;
    uint64_t below = 0;
    (void)thread;
    for (uint64_t v = piece * PIECE; v < smaller((piece + 1) * PIECE, p->bounds->count); v++)
        below += p->distance[v] >= 0 && p->bounds->upper[v] > 0 && p->bounds->lower[v] < p->smallest;
    return below;
}

/* Returns how many live vertices have a distance, and a lower bound below `smallest`. */
uint64_t bounds_count_below(const struct bounds *b, const int32_t *distance, int32_t smallest)
{
    struct pass pass = {.bounds = b, .distance = distance, .smallest = smallest};
    return pool_run(b->pool, b->threads, divide_up(b->count, PIECE), below_piece, &pass);
}

/* The arguments of bounds_pick, and the best vertex of each thread. */
struct picking {
    const struct bounds *bounds;
    enum pick pick;
    const int32_t *distance;
    int32_t least;
    int (*precedes)(const void *context, uint64_t one, uint64_t other);
    const void *context;
    struct picked best[MOST_POOL_THREADS];
};

/* Returns the key of vertex v, or 0 if v is not eligible. No key of an eligible vertex is 0, as the lowest bit is set. */
static inline __attribute__((always_inline)) uint64_t key_of(const struct picking *p, const enum pick pick, uint64_t v)
{
    const struct bounds *b = p->bounds;
    const int32_t lower = b->lower[v], upper = b->upper[v];
    const uint64_t remote = b->sum[v], central = UINT32_MAX - b->sum[v];
    switch (pick) {
    case PICK_FARTHEST:
        return p->distance[v] < 0 ? 0 : (uint64_t)p->distance[v] << 33 | remote << 1 | 1;
    case PICK_REMOTE:
        return upper <= p->least || p->distance[v] < 0 ? 0 : (uint64_t)p->distance[v] << 33 | remote << 1 | 1;
    case PICK_EXTREME:
        return upper <= p->least ? 0 : (uint64_t)upper << 33 | remote << 1 | 1;
    case PICK_CENTRAL:
        return upper <= 0 || (p->distance != NULL && p->distance[v] < 0) ? 0 : (uint64_t)(INT32_MAX - lower) << 33 | central << 1 | 1;
    case PICK_OPEN_CENTRAL:
        return upper <= lower || upper <= 0 ? 0 : (uint64_t)(INT32_MAX - lower) << 33 | central << 1 | 1;
    default:
        return upper <= 0 || (p->distance != NULL && p->distance[v] < 0) ? 0 : (uint64_t)(INT32_MAX - upper) << 33 | central << 1 | 1;
    }
}

/* Compares the vertices of a piece with the best one so far, by a rule that the compiler knows. Returns the better one. */
static inline __attribute__((always_inline)) struct picked pick_by(const struct picking *p, const enum pick pick,
                                                                   uint64_t piece, struct picked best)
{
    const uint64_t end = smaller((piece + 1) * PIECE, p->bounds->count);
    for (uint64_t v = piece * PIECE; v < end; v++) {
        const uint64_t key = key_of(p, pick, v);
        if (key > best.key || (key == best.key && key > 0 && p->precedes(p->context, v, best.index)))
            best = (struct picked){key, v};
    }
    return best;
}

/* Compares the vertices of a piece with the best one of the thread. Returns 0. */
static uint64_t pick_piece(void *context, int thread, uint64_t piece)
{
    struct picking *p = context;
    const struct picked best = p->best[thread];
    p->best[thread] = p->pick == PICK_FARTHEST       ? pick_by(p, PICK_FARTHEST, piece, best)
                      : p->pick == PICK_REMOTE       ? pick_by(p, PICK_REMOTE, piece, best)
                      : p->pick == PICK_EXTREME      ? pick_by(p, PICK_EXTREME, piece, best)
                      : p->pick == PICK_CENTRAL      ? pick_by(p, PICK_CENTRAL, piece, best)
                      : p->pick == PICK_OPEN_CENTRAL ? pick_by(p, PICK_OPEN_CENTRAL, piece, best)
                                                     : pick_by(p, PICK_LEAST_UPPER, piece, best);
    return 0;
}

/* Picks a vertex by one of the rules (bounds.h). */
struct picked bounds_pick(const struct bounds *b, enum pick pick, const int32_t *distance, int32_t least,
                          int (*precedes)(const void *context, uint64_t one, uint64_t other), const void *context)
{
    struct picking picking = {
        .bounds = b, .pick = pick, .distance = distance, .least = least, .precedes = precedes, .context = context};
    struct picked best = {0};
    pool_run(b->pool, b->threads, divide_up(b->count, PIECE), pick_piece, &picking);
    for (int i = 0; i < b->threads; i++) {
        const struct picked *p = &picking.best[i];
        if (p->key > best.key || (p->key == best.key && p->key > 0 && precedes(context, p->index, best.index)))
            best = *p;
    }
    return best;
}
