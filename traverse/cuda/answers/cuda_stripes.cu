/* cuda_stripes.cu: writes the answer of a single GPU stripe by stripe (struct gpu_stripes)
 *
 * Vertices are numbered by descending degree, and by ascending id among equal degrees. So the vertices of a stripe, 4,096 consecutive
 * ids, form runs of consecutive numbers: of the vertices of RMAT 26 one in thirteen begins a run, of those of a uniform graph one in a
 * hundred. A block reads the values of a stripe run by run, puts each to its place in shared memory, and writes them out in order.
 *
 * Bytes of memory that must move for each id: 4 that are written, and 1.3 of stripes for RMAT 26, where half of the ids have no edges
 * (2.3 for a uniform graph), in place of the 4 of a vertex number. For each vertex with edges also the record of its parent, 4.
 * Depths of few levels are nibbles that lie in the cache. The twin is the gather of cuda_answers.cu, and that of both cpu_answers.c.
 */
#include "cuda_answers.h"
#include "traverse/cuda/device/cuda_common.cuh"
#include "traverse/cuda/device/cuda_ptx.cuh"

enum {
    STRIPE = ANSWER_STRIPE,
    AT_ONCE = ANSWER_SPARE_WORDS / WARPS /* words of a warp whose random reads overlap */
};

/* Returns the number of stripes of `count` values, which is the number of blocks. */
static unsigned stripes_of(uint64_t count)
{
    return (unsigned)((count + STRIPE - 1) / STRIPE);
}

/* ---- making stripes ---- */

/* Kernel, a block for each stripe: sorts the vertices of the stripe by number (a bitonic sort), and counts them in words and their runs
 * or, with `fills`, writes all arrays but before[]. Values of `none` have no vertex. */
__global__ static void __launch_bounds__(BLOCK)
    stripe_kernel(const uint32_t *vertex, uint64_t count, uint32_t none, gpu_stripes stripes, bool fills)
{
    __shared__ uint64_t sorted[STRIPE]; /* number of a vertex, and in the lower bits its place */
    const uint64_t first = (uint64_t)blockIdx.x * STRIPE;
    for (unsigned i = threadIdx.x; i < STRIPE; i += BLOCK)
        sorted[i] = (uint64_t)(first + i < count ? vertex[first + i] : none) << 32 | i;
    for (unsigned size = 2; size <= STRIPE; size *= 2) {
        for (unsigned step = size / 2; step > 0; step /= 2) {
            __syncthreads();
            for (unsigned i = threadIdx.x; i < STRIPE; i += BLOCK) {
                const unsigned other = i ^ step;
                if (i < other && (sorted[i] > sorted[other]) == ((i & size) == 0)) {
                    const uint64_t kept = sorted[i];
                    sorted[i] = sorted[other];
                    sorted[other] = kept;
                }
            }
        }
    }
    __syncthreads();
    const gpu_stripe before = fills ? stripes.before[blockIdx.x] : gpu_stripe{};
    gpu_stripe sum = {};
    for (unsigned base = 0; base < STRIPE; base += BLOCK) {
        const unsigned i = base + threadIdx.x, word = before.words + i / 32;
        const uint32_t number = (uint32_t)(sorted[i] >> 32);
        const bool is_vertex = number != none, starts = is_vertex && (i == 0 || number != (uint32_t)(sorted[i - 1] >> 32) + 1);
        const unsigned starts_word = __ballot_sync(ALL_LANES, starts), vertices_word = __ballot_sync(ALL_LANES, is_vertex);
        unsigned runs, words;
        const unsigned run = before.runs + sum.runs + block_prefix(starts, &runs);
        block_prefix(lane_id() == 0 && vertices_word != 0, &words);
        if (fills && vertices_word != 0) {
            stripes.place[(uint64_t)word * 32 + lane_id()] = is_vertex ? (uint16_t)sorted[i] : (uint16_t)STRIPE;
            if (lane_id() == 0)
                stripes.word[word] = gpu_stripe_word{starts_word, run - 1};
            if (starts)
                stripes.run[run] = number - i;
        }
        sum.words += words;
        sum.runs += runs;
    }
    if (!fills && threadIdx.x == 0)
        stripes.before[blockIdx.x] = sum;
}

/* Kernel of one block: each of before[count] becomes the sum of the elements before it, and before[count] the sum of all. */
__global__ static void __launch_bounds__(BLOCK) sum_stripes_kernel(gpu_stripe *before, uint64_t count)
{
    gpu_stripe sum = {};
    for (uint64_t base = 0; base <= count; base += BLOCK) {
        const uint64_t i = base + threadIdx.x;
        const gpu_stripe own = i < count ? before[i] : gpu_stripe{};
        unsigned words, runs;
        const unsigned words_before = block_prefix(own.words, &words), runs_before = block_prefix(own.runs, &runs);
        if (i <= count)
            before[i] = gpu_stripe{sum.words + words_before, sum.runs + runs_before};
        sum.words += words;
        sum.runs += runs;
    }
}

/* Makes before[] of stripes: counts, and then sums. Does not wait. */
void cuda_count_stripes(const uint32_t *vertex, uint64_t count, uint32_t none, gpu_stripe *before, cudaStream_t stream)
{
    const unsigned blocks = stripes_of(count);
    gpu_stripes stripes = {};
    stripes.before = before;
    stripe_kernel<<<blocks, BLOCK, 0, stream>>>(vertex, count, none, stripes, false);
    sum_stripes_kernel<<<1, BLOCK, 0, stream>>>(before, blocks);
}

/* Makes all other arrays of stripes. Does not wait. */
void cuda_fill_stripes(const uint32_t *vertex, uint64_t count, uint32_t none, const gpu_stripes *stripes, cudaStream_t stream)
{
    stripe_kernel<<<stripes_of(count), BLOCK, 0, stream>>>(vertex, count, none, *stripes, true);
}

/* ---- values ----
 *
 * Where values come from: read() begins to find the value of a vertex, found() ends it, so that reads of several vertices overlap. A
 * value has the type `held` in shared memory, and is `none` for an id without a vertex; value_of() makes of it what is written. A
 * multiprocessor runs BLOCKS blocks. With FETCHES a block fetches the stripe of a later block: depths of RMAT 26 took 10 us less, and
 * parents 8 us more, so only depths do it.
 */

/* Depths, by number of vertex: as bytes of depth + 1, or as int32. */
template <typename Held> struct depths_by_vertex {
    typedef Held held;
    typedef int32_t value;
    enum { BLOCKS = 8, FETCHES = 1 };
    static constexpr Held none = sizeof(Held) == 1 ? 0 : (Held)-1;
    const Held *depth;
    __device__ uint32_t read(uint32_t vertex) const { return (uint32_t)depth[vertex]; }
    __device__ Held found(uint32_t, uint32_t depth_read) const { return (Held)depth_read; }
    __device__ static int32_t value_of(Held h) { return (int32_t)h - (sizeof(Held) == 1); }
};

/* Depths of few levels, as nibbles of depth + 1. Delegates begin at a multiple of 64 vertices, `gap` vertices behind their numbers. */
struct depths_by_nibbles {
    typedef uint8_t held;
    typedef int32_t value;
    enum { BLOCKS = 8, FETCHES = 1 };
    static constexpr uint8_t none = 0;
    const uint8_t *nibbles;
    uint32_t locals, gap;
    __device__ uint32_t read(uint32_t vertex) const
    {
        const uint32_t at = vertex + (vertex >= locals ? gap : 0);
        return nibbles[at / 2] >> at % 2 * 4 & 15;
    }
    __device__ uint8_t found(uint32_t, uint32_t depth_read) const { return (uint8_t)depth_read; }
    __device__ static int32_t value_of(uint8_t h) { return h - 1; }
};

/* Input ids of recorded parents. */
template <typename Id> struct parents_of_records {
    typedef Id held;
    typedef Id value;
    enum { BLOCKS = 6, FETCHES = 0 };
    static constexpr Id none = -1;
    gpu_records of[VERTEX_KINDS];
    __device__ uint32_t read(uint32_t vertex) const
    {
        const bool is_delegate = vertex >= of[NORMALS].count;
        const uint32_t *visited = is_delegate ? of[DELEGATES].visited : of[NORMALS].visited;
        const uint32_t *record = is_delegate ? of[DELEGATES].record : of[NORMALS].record;
        const uint32_t i = is_delegate ? vertex - (uint32_t)of[NORMALS].count : vertex, parent = record[i];
        return test_bit(visited, i) ? parent : PARENT_NONE;
    }
    __device__ Id found(uint32_t vertex, uint32_t record) const
    {
        const bool is_found = record <= PARENT_SELF;
        const Id id = ((const Id *)of[NORMALS].ids)[is_found ? parent_number(record, vertex, (uint32_t)of[NORMALS].locals) : 0];
        return is_found ? id : -1;
    }
    __device__ static Id value_of(Id id) { return id; }
};

/* Puts the values of the words w, w + WARPS, ... of a stripe, N in all, into held[]. `word` and `place` are those of the first one. The N
 * reads of a step are without conditions, so that none waits for another one: a place without a vertex, or a word that is not below
 * `words`, has reads in vain, and a value behind the stripe. All lanes of the warp call it. */
template <int N, class From>
__device__ static inline void put_words(const gpu_stripes &s, const From &from, const gpu_stripe_word *word, const uint16_t *place,
                                        unsigned w, unsigned words, typename From::held *held)
{
    const unsigned lane = lane_id();
    uint2 own[N]; /* a gpu_stripe_word */
    uint32_t vertex[N], read[N];
    unsigned put[N];
    typename From::held value[N];
#pragma unroll
    for (int k = 0; k < N; k++) {
        own[k] = *(const uint2 *)&word[k * WARPS];
        put[k] = __ldcs(&place[k * BLOCK]);
    }
#pragma unroll
    for (int k = 0; k < N; k++) {
        put[k] = w + k * WARPS < words && put[k] != STRIPE ? put[k] : STRIPE + threadIdx.x;
        vertex[k] = s.run[put[k] >= STRIPE ? 0 : own[k].y + __popc(own[k].x << (WARP - 1 - lane))];
    }
#pragma unroll
    for (int k = 0; k < N; k++) {
        vertex[k] = put[k] >= STRIPE ? 0 : vertex[k] + (w + k * WARPS) * WARP + lane;
        read[k] = from.read(vertex[k]);
    }
#pragma unroll
    for (int k = 0; k < N; k++)
        value[k] = from.found(vertex[k], read[k]);
#pragma unroll
    for (int k = 0; k < N; k++)
        held[put[k]] = value[k];
}

/* Begins to read the lines of a stripe into the L2 cache, a thread one line. */
__device__ static inline void fetch_stripe(const gpu_stripes &s, gpu_stripe begin, gpu_stripe end)
{
    enum { LINE = 128, PLACES = STRIPE * 2 / LINE + 1, WORDS = STRIPE / WARP * 8 / LINE + 1, RUNS = STRIPE * 4 / LINE + 1 };
    static_assert(PLACES + WORDS + RUNS <= BLOCK, "a thread for each line");
    unsigned i = threadIdx.x;
    const char *first = (const char *)(s.place + (uint64_t)begin.words * WARP),
               *last = (const char *)(s.place + (uint64_t)end.words * WARP);
    if (i >= PLACES + WORDS) {
        i -= PLACES + WORDS;
        first = (const char *)(s.run + begin.runs);
        last = (const char *)(s.run + end.runs);
    } else if (i >= PLACES) {
        i -= PLACES;
        first = (const char *)(s.word + begin.words);
        last = (const char *)(s.word + end.words);
    }
    if (first + i * LINE < last)
        prefetch_line(first + i * LINE);
}

/* Kernel, a block for each stripe: writes the values of all ids to to[count]. The block that takes the place of this one, when it has
 * ended, has the stripe whose number is larger by `ahead`. */
template <class From>
__global__ static void __launch_bounds__(BLOCK, From::BLOCKS)
    stripe_values_kernel(gpu_stripes s, uint64_t count, unsigned ahead, From from, typename From::value *to)
{
    typedef typename From::held held_value;
    typedef typename From::value value;
    enum { TOGETHER = sizeof(uint4) / sizeof(value) };
    struct alignas(TOGETHER * sizeof(held_value)) several {
        held_value of[TOGETHER];
    };
    __shared__ several held[(STRIPE + BLOCK) / TOGETHER];
    const unsigned warp = threadIdx.x / WARP, first = s.before[blockIdx.x].words, words = s.before[blockIdx.x + 1].words - first,
                   later = blockIdx.x + ahead < gridDim.x ? blockIdx.x + ahead : blockIdx.x;
    const gpu_stripe_word *word = s.word + first + warp;
    const uint16_t *place = s.place + ((uint64_t)first + warp) * WARP + lane_id();
    const gpu_stripe later_begin = s.before[later], later_end = s.before[later + 1];
    several none;
#pragma unroll
    for (int i = 0; i < TOGETHER; i++)
        none.of[i] = From::none;
#pragma unroll
    for (unsigned i = threadIdx.x; i < STRIPE / TOGETHER; i += BLOCK)
        held[i] = none;
    __syncthreads();
    unsigned w = warp;
    for (; w + WARPS < words; w += AT_ONCE * WARPS, word += AT_ONCE * WARPS, place += AT_ONCE * BLOCK)
        put_words<AT_ONCE>(s, from, word, place, w, words, (held_value *)held);
    if (w < words)
        put_words<1>(s, from, word, place, w, words, (held_value *)held);
    if (From::FETCHES)
        fetch_stripe(s, later_begin, later_end);
    __syncthreads();
    const uint64_t left = count - (uint64_t)blockIdx.x * STRIPE;
    to += (uint64_t)blockIdx.x * STRIPE;
    if (left < STRIPE) {
        for (unsigned i = threadIdx.x; i < left; i += BLOCK)
            to[i] = From::value_of(((const held_value *)held)[i]);
        return;
    }
#pragma unroll
    for (unsigned i = threadIdx.x; i < STRIPE / TOGETHER; i += BLOCK) {
        uint4 out;
#pragma unroll
        for (int j = 0; j < TOGETHER; j++)
            ((value *)&out)[j] = From::value_of(held[i].of[j]);
        __stcs((uint4 *)to + i, out);
    }
}

/* Launches stripe_values_kernel. Does not wait. */
template <class From>
static void write_values(const gpu_stripes *stripes, uint64_t count, const From &from, typename From::value *to, cudaStream_t stream)
{
    const unsigned ahead = (unsigned)cuda_full_grid() / 8 * From::BLOCKS; /* so many blocks run at the same time */
    stripe_values_kernel<<<stripes_of(count), BLOCK, 0, stream>>>(*stripes, count, ahead, from, to);
}

/* Writes depths that stand by number of vertex, in the form VALUE_NIBBLE, VALUE_BYTE or VALUE_32. Does not wait. */
void cuda_stripe_depths(const gpu_stripes *stripes, uint64_t count, enum value_form form, const void *by_vertex, uint64_t locals,
                        int32_t *to, cudaStream_t stream)
{
    if (form == VALUE_NIBBLE)
        write_values(stripes, count, depths_by_nibbles{(const uint8_t *)by_vertex, (uint32_t)locals, (uint32_t)(-locals & 63)}, to, stream);
    else if (form == VALUE_BYTE)
        write_values(stripes, count, depths_by_vertex<uint8_t>{(const uint8_t *)by_vertex}, to, stream);
    else
        write_values(stripes, count, depths_by_vertex<int32_t>{(const int32_t *)by_vertex}, to, stream);
}

/* Writes the parents of normals and delegates as input ids. Does not wait. */
void cuda_stripe_parents(const gpu_stripes *stripes, uint64_t count, const gpu_records *normals, const gpu_records *delegates, void *to,
                         cudaStream_t stream)
{
    if (normals->id_bytes == 4)
        write_values(stripes, count, parents_of_records<int32_t>{{*normals, *delegates}}, (int32_t *)to, stream);
    else
        write_values(stripes, count, parents_of_records<int64_t>{{*normals, *delegates}}, (int64_t *)to, stream);
}
