/* batch_exchange.cu: kernels that write and read the messages of ranks which divide a graph (batch_exchange.h). batch_ranks.c does the same
 * on a CPU.
 *
 * Memory traffic of a message of a dense level: a first kernel counts the vertices that have a word to send, and a second one writes the
 * message, so both read the same words. For a ghost these are the next and the seen words, for a vertex that other ranks know the frontier
 * words. The words of ghosts and of delegates lie side by side; those of vertices that other ranks know lie at random places. In
 * a sparse level, only words of listed vertices are read. */
#include "batch_exchange.h"
#include "batch_words.cuh"

/* Returns vertex i of a side. Any thread may call it. */
__device__ static inline uint64_t side_vertex(const gpu_batch_message &side, uint64_t i)
{
    return side.list != NULL ? side.list[i] : side.first + i;
}

/* Returns the words that vertex v of a side sends: those that were pushed to a ghost, or the frontier words for roots that pull. */
template <int W>
__device__ static inline batch_words<W> sent_words(const gpu_batch &b, uint64_t v, batch_exchange exchange)
{
    if (exchange != BATCH_FRONTIER)
        return words_without<W>(load_words<W>(b.next, v), load_words<W>(b.seen, v));
    batch_words<W> words = load_words<W>(b.now, v);
    for (int j = 0; j < W; j++)
        words.of[j] &= b.pulls[j];
    return words;
}

/* ORs `words` into the words of vertex v, which no other thread changes at the same time. */
template <int W> __device__ static inline void add_words(uint64_t *to, uint64_t v, const batch_words<W> &words)
{
    batch_words<W> sum = load_words<W>(to, v);
    for (int j = 0; j < W; j++)
        sum.of[j] |= words.of[j];
    store_words<W>(to, v, sum);
}

/* ---- dense levels ---- */

/* Counts the vertices of a side that have a word to send. */
template <int W>
__global__ static void __launch_bounds__(BLOCK)
    batch_count_words_kernel(gpu_batch b, gpu_batch_message side, batch_exchange exchange, unsigned long long *used)
{
    __shared__ unsigned long long shared[WARPS];
    unsigned long long own = 0;
    for (uint64_t i = (uint64_t)blockIdx.x * BLOCK + threadIdx.x; i < side.count; i += (uint64_t)gridDim.x * BLOCK)
        own += is_any<W>(sent_words<W>(b, side_vertex(side, i), exchange));
    block_add(own, shared, used);
}

/* Writes the words of a side into a whole message. */
template <int W>
static void write_whole(const gpu_batch &b, const gpu_batch_message &m, batch_exchange exchange, cudaStream_t stream)
{
    each(m.count, stream, [=] __device__(uint64_t i) {
        const uint64_t v = side_vertex(m, i);
        const batch_words<W> words = sent_words<W>(b, v, exchange);
        store_words<W>(m.words, i, words);
        if (exchange != BATCH_FRONTIER)
            add_words<W>(b.seen, v, words);
    });
}

/* Writes the words of a side that are not 0 into a list, in any order. */
template <int W>
static void write_list(const gpu_batch &b, const gpu_batch_message &m, batch_exchange exchange, unsigned long long *used,
                       cudaStream_t stream)
{
    list_each(
        m.count, used, stream,
        [=] __device__(uint64_t i) { return is_any<W>(sent_words<W>(b, side_vertex(m, i), exchange)) ? 1u : 0u; },
        [=] __device__(uint64_t i, unsigned long long at) {
            const uint64_t v = side_vertex(m, i);
            const batch_words<W> words = sent_words<W>(b, v, exchange);
            store_words<W>(m.words, at, words);
            m.index[at] = (uint32_t)i;
            if (exchange != BATCH_FRONTIER)
                add_words<W>(b.seen, v, words);
        });
}

/* Takes the words of a message. A vertex has one entry at most, so only pushes of a sparse level need atomics. */
template <int W>
static void read_words(const gpu_batch &b, const gpu_batch_message &m, batch_exchange exchange, uint64_t entries, uint32_t *brief,
                       cudaStream_t stream)
{
    each(entries, stream, [=] __device__(uint64_t i) {
        const uint64_t v = side_vertex(m, m.index != NULL ? m.index[i] : i);
        const batch_words<W> words = load_words<W>(m.words, i);
        if (exchange == BATCH_FOUND) {
            push_to<W>(b, (uint32_t)v, words);
        } else if (exchange == BATCH_PUSHED) {
            add_words<W>(b.next, v, words);
        } else {
            store_words<W>(b.now, v, words);
            add_words<W>(b.seen, v, words);
            if (brief != NULL)
                brief[v] = brief_of<W>(words);
        }
    });
}

/* ---- sparse levels ---- */

/* Moves what a push has found of ghosts into messages, and notes what it has found of delegates, with a thread for each listed
 * vertex. Lanes whose ghosts have one owner reserve their entries together. */
template <int W> __global__ static void __launch_bounds__(BLOCK) batch_send_listed_kernel(gpu_batch b, gpu_batch_ranks ranks)
{
    const batch_words<W> none = {};
    const uint64_t count = b.level->listed;
    for (uint64_t base = (uint64_t)blockIdx.x * BLOCK; base < count; base += (uint64_t)gridDim.x * BLOCK) {
        const bool is_here = base + threadIdx.x < count;
        const uint64_t v = is_here ? b.list[base + threadIdx.x] : 0, ghost = v - b.vertices;
        const bool is_ghost = is_here && v >= b.vertices;
        const unsigned owner =
            !is_ghost ? ranks.ranks : (unsigned)last_not_above(0, ranks.ranks, ghost, [&](uint64_t r) { return ranks.begin[r]; });
        const batch_words<W> words = is_here ? load_words<W>(b.next, v) : none;
        unsigned long long at = 0;
        for (unsigned rest = __ballot_sync(ALL_LANES, is_ghost); rest != 0;) {
            const unsigned one = __shfl_sync(ALL_LANES, owner, __ffs(rest) - 1);
            const unsigned same = __ballot_sync(ALL_LANES, owner == one);
            if (owner == one)
                at = reserve_for_lanes(same, &ranks.used[one]);
            rest &= ~same;
        }
        if (is_ghost) {
            uint64_t *message = ranks.sent + ranks.at[owner];
            const uint64_t first = ranks.begin[owner], whole = (ranks.begin[owner + 1] - first) * W;
            store_words<W>(message, at, words);
            ((uint32_t *)(message + whole))[at] = (uint32_t)(ghost - first);
            add_words<W>(b.seen, v, words);
            store_words<W>(b.next, v, none);
        }
        if (!is_here || v >= ranks.delegates)
            continue;
        const uint64_t delegate = v < ranks.turn ? v + ranks.delegates - ranks.turn : v - ranks.turn;
        for (int j = 0; j < W; j++) {
            if (words.of[j] == 0)
                continue;
            at = atomicAdd(&ranks.used[ranks.ranks], 1ull);
            if (at < ranks.most)
                ranks.changed[at] = gpu_changed_word{delegate * W + j, words.of[j]};
        }
    }
}

/* ---- delegates ---- */

/* Returns the vertex of delegate i. Any thread may call it. */
__device__ static inline uint64_t delegate_vertex(const gpu_batch_ranks &ranks, uint64_t i)
{
    return i + ranks.turn < ranks.delegates ? i + ranks.turn : i + ranks.turn - ranks.delegates;
}

template <int W> static void list_changed(const gpu_batch &b, const gpu_batch_ranks &ranks, cudaStream_t stream)
{
    list_each(
        ranks.delegates * W, &ranks.used[ranks.ranks], stream,
        [=] __device__(uint64_t i) { return b.next[delegate_vertex(ranks, i / W) * W + i % W] != 0 ? 1u : 0u; },
        [=] __device__(uint64_t i, unsigned long long at) {
            if (at < ranks.most)
                ranks.changed[at] = gpu_changed_word{i, b.next[delegate_vertex(ranks, i / W) * W + i % W]};
        });
}

/* ORs word j of a delegate into its next words. In a sparse level lists the delegate if that is its first new bit. */
template <int W>
__device__ static inline void take_delegate_word(const gpu_batch &b, uint64_t v, int j, uint64_t bits, int sparse)
{
    batch_words<W> words = {};
    for (int k = 0; k < W; k++)
        words.of[k] = k == j ? bits : 0;
    if (sparse)
        push_to<W>(b, (uint32_t)v, words);
    else if (bits != 0)
        atomicOr((unsigned long long *)&b.next[v * W + j], (unsigned long long)bits);
}

/* Launches a thread for each changed word, which takes the word of a delegate (take_delegate_word). With `sparse` it also lists the
 * delegate. */
template <int W>
static void take_changed(const gpu_batch &b, const gpu_batch_ranks &ranks, const gpu_changed_word *changed, uint64_t count, int sparse,
                         cudaStream_t stream)
{
    each(count, stream, [=] __device__(uint64_t i) {
        const gpu_changed_word word = changed[i];
        take_delegate_word<W>(b, delegate_vertex(ranks, word.at / W), (int)(word.at % W), word.bits, sparse);
    });
}

template <int W>
static void take_delegates(const gpu_batch &b, const gpu_batch_ranks &ranks, const uint64_t *words, int sparse, cudaStream_t stream)
{
    each(ranks.delegates * W, stream, [=] __device__(uint64_t i) {
        take_delegate_word<W>(b, delegate_vertex(ranks, i / W), (int)(i % W), words[i], sparse);
    });
}

/* Sees the delegates, with a lane for each. Estimates of edges are those of all delegates, as each rank has a part of the edges;
 * numbers of found vertices are those of noted ones. */
template <int W> __global__ static void __launch_bounds__(BLOCK) batch_see_delegates_kernel(gpu_batch b, gpu_batch_ranks ranks)
{
    __shared__ unsigned long long shared[WARPS];
    const batch_words<W> none = {};
    bit_counts<W> noted = {}, others = {};
    unsigned long long vertices = 0, edges = 0;
    for (uint64_t base = (uint64_t)blockIdx.x * BLOCK; base < ranks.delegates; base += (uint64_t)gridDim.x * BLOCK) {
        const uint64_t v = base + threadIdx.x;
        const bool is_here = v < ranks.delegates, is_noted = is_here && v >= b.noted;
        const batch_words<W> found = is_here ? load_words<W>(b.next, v) : none;
        const unsigned own = is_here ? (unsigned)row_edges(b.push, v) : 0;
        const float mean = (float)warp_sum(own) / WARP;
        count_bits<W>(noted, is_noted ? found : none, mean);
        count_bits<W>(others, is_noted ? none : found, mean);
        if (is_here && W > 1)
            b.next_brief[v] = brief_of<W>(found);
        if (!is_any<W>(found))
            continue;
        add_words<W>(b.seen, v, found);
        vertices += is_noted;
        edges += own;
    }
    add_by_root<W>(noted.of, b.level->count);
    add_by_root<W>(noted.edges, b.level->weight);
    add_by_root<W>(others.edges, b.level->weight);
    block_add(vertices, shared, &b.level->vertices);
    block_add(edges, shared, &b.level->edges);
}

/* ---- launches ---- */

/* Launches the count of the vertices of a side that have a word to send. */
void cuda_batch_count_words(const struct gpu_batch *b, const struct gpu_batch_message *side, enum batch_exchange exchange,
                            unsigned long long *used, cudaStream_t stream)
{
    BATCH_BY_WORDS(b, batch_count_words_kernel<W><<<blocks_for(side->count, BLOCK), BLOCK, 0, stream>>>(*b, *side, exchange, used));
}

/* Launches the writing of a message, whole or as a list. */
void cuda_batch_write_words(const struct gpu_batch *b, const struct gpu_batch_message *message, enum batch_exchange exchange,
                            unsigned long long *used, cudaStream_t stream)
{
    if (message->index != NULL)
        BATCH_BY_WORDS(b, write_list<W>(*b, *message, exchange, used, stream));
    else
        BATCH_BY_WORDS(b, write_whole<W>(*b, *message, exchange, stream));
}

/* Launches the reading of a message. */
void cuda_batch_read_words(const struct gpu_batch *b, const struct gpu_batch_message *message, enum batch_exchange exchange,
                           uint64_t entries, uint32_t *brief, cudaStream_t stream)
{
    BATCH_BY_WORDS(b, read_words<W>(*b, *message, exchange, entries, brief, stream));
}

/* Launches the kernel that moves what a sparse level has found of ghosts and delegates. */
void cuda_batch_send_listed(const struct gpu_batch *b, const struct gpu_batch_ranks *ranks, uint64_t most, cudaStream_t stream)
{
    BATCH_BY_WORDS(b, batch_send_listed_kernel<W><<<blocks_for(most, BLOCK), BLOCK, 0, stream>>>(*b, *ranks));
}

/* Launches the listing of words of delegates that changed. */
void cuda_batch_list_changed(const struct gpu_batch *b, const struct gpu_batch_ranks *ranks, cudaStream_t stream)
{
    BATCH_BY_WORDS(b, list_changed<W>(*b, *ranks, stream));
}

/* Launches the taking of changed words of delegates. */
void cuda_batch_take_changed(const struct gpu_batch *b, const struct gpu_batch_ranks *ranks, const struct gpu_changed_word *changed,
                             uint64_t count, int sparse, cudaStream_t stream)
{
    BATCH_BY_WORDS(b, take_changed<W>(*b, *ranks, changed, count, sparse, stream));
}

/* Launches the taking of all words of delegates. */
void cuda_batch_take_delegates(const struct gpu_batch *b, const struct gpu_batch_ranks *ranks, const uint64_t *words, int sparse,
                               cudaStream_t stream)
{
    BATCH_BY_WORDS(b, take_delegates<W>(*b, *ranks, words, sparse, stream));
}

/* Launches the kernel that sees and counts delegates. */
void cuda_batch_see_delegates(const struct gpu_batch *b, const struct gpu_batch_ranks *ranks, cudaStream_t stream)
{
    BATCH_BY_WORDS(b, batch_see_delegates_kernel<W><<<blocks_for(ranks->delegates, BLOCK), BLOCK, 0, stream>>>(*b, *ranks));
}
