/* packed_encode.c: from arrays to packed sections; see packed.h */
#include "packed_layout.h"

#include "formats/base/bytes.h"
#include "formats/base/clones.h"

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum {
    NO_GAPS = UINT32_MAX >> 1, /* the words of a gap block that is impossible */
    FEW_BLOCKS = 256,          /* not worth a second thread */
    SAMPLE_BLOCKS = 512        /* of an estimate, at least, where there are as many */
};

/* One block on its way: its elements, and both ways to keep them. */
struct block {
    uint32_t width, count;
    uint64_t element[PACKED_BLOCK];
    uint64_t sum[PACKED_BLOCK]; /* S of packed.h */
    uint64_t base;
    unsigned char kind;
    uint64_t row; /* holds the first element, or one before it */
};

/* The largest element of this width. */
static uint64_t modulus_mask(uint32_t width)
{
    return width == 4 ? UINT32_MAX : UINT64_MAX;
}

/* Bits of the number, 0 for 0. */
static uint32_t bits_of(uint64_t x)
{
    return x == 0 ? 0 : 64 - (uint32_t)__builtin_clzll(x);
}

/* ---- frames ---- */

/* Returns the bits of codes in a frame, and its base in *least; elements count with `shift` added: 1 turns HEAD_NONE into 0. */
static uint32_t frame_range(const struct block *b, uint64_t shift, uint64_t *least)
{
    uint64_t mask = modulus_mask(b->width), low = UINT64_MAX, high = 0;
    for (uint32_t i = 0; i < b->count; i++) {
        uint64_t x = (b->element[i] + shift) & mask;
        low = x < low ? x : low;
        high = x > high ? x : high;
    }
    *least = (low - shift) & mask;
    return bits_of(high - low);
}

/* Returns a lower bound of the words that plan_frame finds for the block: each code has at least the bits of the difference between the
 * first and the last element. */
static uint32_t frame_bound(const struct block *b)
{
    uint64_t first = b->element[0], last = b->element[b->count - 1];
    uint32_t bits = bits_of(first < last ? last - first : first - last);
    return bits == 8 * b->width ? 0 : WORDS_PER_BIT * bits; /* one may be HEAD_NONE */
}

/* Returns the words that the block takes as a frame, and sets *base. */
static uint32_t plan_frame(const struct block *b, uint64_t *base)
{
    uint64_t wrapped_base;
    uint32_t bits = frame_range(b, 0, base);
    if (bits == 8 * b->width) {
        uint32_t wrapped = frame_range(b, 1, &wrapped_base);
        if (wrapped < bits) {
            bits = wrapped;
            *base = wrapped_base;
        }
    }
    return WORDS_PER_BIT * bits;
}

/* ---- gaps ---- */

/* Sets b->sum to the codes of a block of gaps, and b->row to its row; `step` is 0 if elements may repeat, else 1. */
static void find_codes(struct block *b, const struct packed_rows *rows, uint64_t first, uint64_t step)
{
    uint64_t mask = modulus_mask(b->width);
    b->sum[0] = 0;
    for (uint32_t i = 1; i < b->count; i++)
        b->sum[i] = (b->element[i] - b->element[i - 1] - step) & mask;
    if (rows == NULL)
        return;
    /* of rows that begin at one place the last is the one that is not empty */
    b->row = packed_row_of(rows, b->row, first);
    for (uint64_t row = b->row + 1; row < rows->rows; row++) {
        uint64_t at = packed_offset(rows, row) - first;
        if (at >= b->count)
            break;
        b->sum[at] = (b->element[at] - packed_row_start(rows, row)) & mask;
    }
}

/* Replaces the codes in b->sum by their running sums. Codes that fill the block up count as 0. Returns nonzero if a sum exceeds
 * 64 bits, which cannot happen if elements have 4 bytes. */
static int add_up(struct block *b)
{
    int overflow = 0;
    if (b->width == 4) {
        for (uint32_t i = b->count; i < PACKED_BLOCK; i++)
            b->sum[i] = 0;
        for (uint32_t i = 1; i < PACKED_BLOCK; i++)
            b->sum[i] += b->sum[i - 1];
        return 0;
    }
    for (uint32_t i = 1; i < PACKED_BLOCK; i++) {
        uint64_t code = i < b->count ? b->sum[i] : 0;
        overflow |= __builtin_add_overflow(b->sum[i - 1], code, &b->sum[i]);
    }
    return overflow;
}

/* Words of the bit vector of a block of gaps. */
static uint32_t unary_words(uint64_t last_sum, uint32_t low_bits)
{
    return last_sum == 0 ? 0 : (uint32_t)((last_sum >> low_bits) + PACKED_BLOCK + 31) / 32;
}

/* Computes the sums, the base and the kind of the block as gaps. Returns the number of words that it takes, or NO_GAPS. */
static uint32_t plan_gaps(struct block *b, const struct packed_rows *rows, uint64_t first, uint64_t step)
{
    find_codes(b, rows, first, step);
    if (add_up(b))
        return NO_GAPS;
    uint64_t last = b->sum[PACKED_BLOCK - 1];
    uint32_t bits = bits_of(last);
    uint32_t low_bits = bits > UNARY_MOST_ZEROS_BITS ? bits - UNARY_MOST_ZEROS_BITS : 0;
    b->base = b->element[0];
    b->kind = (unsigned char)(KIND_GAPS | (step == 0 ? KIND_STEP_0 : 0) | low_bits);
    return WORDS_PER_BIT * low_bits + unary_words(last, low_bits);
}

/* ---- bits ---- */

/* Writes codes of at most 16 bits. 8 codes have `bits` bytes, and are written as one or two 64-bit words. So up to 16 bytes
 * behind the codes are overwritten. */
static inline void put_few_bits(unsigned char *p, const uint64_t *code, uint32_t bits)
{
    uint64_t mask = (UINT64_C(1) << bits) - 1;
    for (uint32_t i = 0; i < PACKED_BLOCK; i += 8, p += bits, code += 8) {
        uint64_t low = 0, high = 0;
        for (uint32_t k = 0; k < 4; k++) {
            low |= (code[k] & mask) << k * bits;
            high |= (code[4 + k] & mask) << k * bits;
        }
        if (bits < 16)
            low |= high << 4 * bits;
        put_u64(p, low);
        if (bits > 8)
            put_u64(p + 8, high >> (64 - 4 * bits));
    }
}

/* The same, with shifts that are constants, because the compiler knows the number of bits in each case. */
static void switch_few_bits(unsigned char *p, const uint64_t *code, uint32_t bits)
{
#define CASE(b) case b: put_few_bits(p, code, b); break;
#define CASES_4(b) CASE(b) CASE(b + 1) CASE(b + 2) CASE(b + 3)
    switch (bits) {
        CASES_4(1)
        CASES_4(5)
        CASES_4(9)
        CASES_4(13)
    default: break; /* no bits */
    }
#undef CASES_4
#undef CASE
}

/* Writes the low `bits` bits of each code, one after the other. */
static void put_bits(uint32_t *words, const uint64_t *code, uint32_t bits)
{
    uint32_t low_bits = bits < 32 ? bits : 32, high_bits = bits - low_bits, held_bits = 0;
    uint64_t low_mask = (UINT64_C(1) << low_bits) - 1, high_mask = (UINT64_C(1) << high_bits) - 1;
    uint64_t held = 0; /* under 32 bits before each step */
    if (bits <= 16) {
        switch_few_bits((unsigned char *)words, code, bits);
        return;
    }
    for (uint32_t i = 0; i < PACKED_BLOCK; i++) {
        held |= (code[i] & low_mask) << held_bits;
        held_bits += low_bits;
        if (held_bits >= 32) {
            *words++ = (uint32_t)held;
            held >>= 32;
            held_bits -= 32;
        }
        if (high_bits == 0)
            continue;
        held |= (code[i] >> 32 & high_mask) << held_bits;
        held_bits += high_bits;
        if (held_bits >= 32) {
            *words++ = (uint32_t)held;
            held >>= 32;
            held_bits -= 32;
        }
    }
}

/* Brings the top bits of 32 bytes together, the first byte's first. */
static uint32_t gather_bits(const unsigned char *marked)
{
#ifdef __SSE2__
    __m128i low = _mm_loadu_si128((const __m128i *)marked);
    __m128i high = _mm_loadu_si128((const __m128i *)(marked + 16));
    return (uint32_t)_mm_movemask_epi8(low) | (uint32_t)_mm_movemask_epi8(high) << 16;
#else
    uint32_t bits = 0;
    for (uint32_t i = 0; i < 32; i++)
        bits |= (uint32_t)(marked[i] >> 7) << i;
    return bits;
#endif
}

/* Writes the bit vector of a block of gaps: `count` words in which bit (sum[i] >> low_bits) + i is set for each i. First marks
 * each bit in a byte of its own, because steps that set bits of the same word would wait for each other. */
static void put_unary(uint32_t *words, uint32_t count, const uint64_t *sum, uint32_t low_bits)
{
    unsigned char marked[UNARY_MOST_WORDS * 32] = {0};
    for (uint32_t i = 0; i < PACKED_BLOCK; i++)
        marked[(uint32_t)(sum[i] >> low_bits) + i] = 0x80;
    for (uint32_t i = 0; i < count; i++)
        words[i] = gather_bits(marked + i * 32);
}

/* Writes the codes of b, planned as a frame; overwrites b->sum. */
static void put_frame(struct block *b, uint32_t *words)
{
    uint64_t mask = modulus_mask(b->width);
    for (uint32_t i = 0; i < PACKED_BLOCK; i++)
        b->sum[i] = i < b->count ? (b->element[i] - b->base) & mask : 0;
    put_bits(words, b->sum, b->kind);
}

/* Writes the low bits of the sums of b, planned as gaps, and their bit vector. */
static void put_gaps(struct block *b, uint32_t *words)
{
    uint64_t last = b->sum[PACKED_BLOCK - 1];
    uint32_t low_bits = b->kind & KIND_LOW_BITS;
    put_bits(words, b->sum, low_bits);
    put_unary(words + WORDS_PER_BIT * low_bits, unary_words(last, low_bits), b->sum, low_bits);
}

/* Encodes b->element into `words`, as gaps or as a frame, and returns the number of words. `first` is the index in the
 * array of the block's first element. */
static uint32_t encode_block(struct block *b, const struct packed_rows *rows, uint64_t first, uint32_t *words)
{
    uint32_t gaps = plan_gaps(b, rows, first, 1);
    if (gaps + gaps / 32 >= frame_bound(b)) {
        uint64_t base;
        uint32_t frame = plan_frame(b, &base);
        /* equal neighbours make gaps - 1 wrap around; rows of a CSR have none */
        if (rows == NULL && gaps + gaps / 32 >= frame)
            gaps = plan_gaps(b, rows, first, 0);
        if (gaps + gaps / 32 >= frame) {
            b->base = base;
            b->kind = (unsigned char)(frame / WORDS_PER_BIT);
            put_frame(b, words);
            return frame;
        }
    }
    put_gaps(b, words);
    return gaps;
}

/* ---- pieces ---- */

/* The most words that `count` elements take. */
uint64_t packed_most_words(uint32_t width, uint64_t count)
{
    return packed_blocks(count) * PACKED_BLOCK * (width / 4);
}

/* Encodes the block that begins at element `first`. *row is the row of that element or an earlier one; it becomes the row where the next
 * call may begin. */
WIDE_CLONES __attribute__((flatten))
static struct packed_block encode_at(uint32_t width, const struct packed_rows *rows,
                                     const void *elements, uint64_t first, uint64_t count,
                                     uint64_t *row, uint32_t *words)
{
    uint64_t left = count - first;
    struct block b;
    b.width = width;
    b.row = *row;
    b.count = left < PACKED_BLOCK ? (uint32_t)left : PACKED_BLOCK;
    for (uint32_t i = 0; i < b.count; i++)
        b.element[i] = width == 4 ? ((const uint32_t *)elements)[first + i] : ((const uint64_t *)elements)[first + i];
    uint32_t made = encode_block(&b, rows, first, words);
    *row = b.row;
    return (struct packed_block){.base = b.base, .words = made, .kind = b.kind};
}

/* Encodes all elements and returns the words. Blocks go to the places of full blocks first, and are then moved together. So
 * `words` may be the memory of the elements: a block overwrites only its own, which encode_at has copied before. */
uint64_t packed_encode_blocks(uint32_t width, const struct packed_rows *rows, const void *elements,
                              uint64_t count, uint32_t *words, struct packed_block *block,
                              int threads)
{
    uint64_t blocks = packed_blocks(count), made = 0;
    uint64_t most = packed_most_words(width, 1), row = 0;
#pragma omp parallel for num_threads(threads) schedule(static) firstprivate(row)                   \
    if (blocks > FEW_BLOCKS)
    for (uint64_t i = 0; i < blocks; i++)
        block[i] =
            encode_at(width, rows, elements, i * PACKED_BLOCK, count, &row, words + i * most);
    for (uint64_t i = 0; i < blocks; i++) {
        memmove(words + made, words + i * most, block[i].words * sizeof *words);
        made += block[i].words;
    }
    return made;
}

/* The bytes that the elements would take when packed, from a sample of their blocks. */
uint64_t packed_estimate(uint32_t width, const void *elements, uint64_t count)
{
    uint64_t blocks = packed_blocks(count), words = 0, sampled = 0;
    uint64_t step = blocks / SAMPLE_BLOCKS + 1, row = 0;
    uint32_t room[PACKED_BLOCK * 2];
    for (uint64_t i = 0; i < blocks; i += step, sampled++)
        words += encode_at(width, NULL, elements, i * PACKED_BLOCK, count, &row, room).words;
    return blocks == 0 ? 0 : (uint64_t)((double)words * 4 / (double)sampled * (double)blocks) +
                                 blocks * (width + 4);
}

/* ---- sections ---- */

void packed_encoder_init(struct packed_encoder *encoder, uint32_t width, struct memory_budget *budget)
{
    *encoder = (struct packed_encoder){.width = width, .budget = budget};
}

/* Frees the blocks; the encoder may begin anew. */
void packed_encoder_free(struct packed_encoder *encoder)
{
    memory_release(encoder->budget, encoder->block);
    packed_encoder_init(encoder, encoder->width, encoder->budget);
}

/* Makes room for so many blocks in all. */
static enum status grow(struct packed_encoder *encoder, uint64_t blocks, struct error *e)
{
    struct packed_block *grown;
    if (blocks <= encoder->capacity)
        return ST_OK;
    uint64_t capacity = blocks > 2 * encoder->capacity ? blocks : 2 * encoder->capacity;
    if (memory_take(encoder->budget, (void **)&grown, capacity, sizeof *grown,
                    "directory of a packed section", e) != ST_OK)
        return e->status;
    if (encoder->blocks > 0)
        memcpy(grown, encoder->block, encoder->blocks * sizeof *grown);
    memory_release(encoder->budget, encoder->block);
    encoder->block = grown;
    encoder->capacity = capacity;
    return ST_OK;
}

enum status packed_encoder_reserve(struct packed_encoder *encoder, uint64_t count, struct error *e)
{
    return grow(encoder, packed_blocks(count), e);
}

/* Adds blocks of the next `count` elements to the directory; their `words` become the words before them. */
enum status packed_encoder_add(struct packed_encoder *encoder, uint64_t count,
                               const struct packed_block *block, uint64_t words, struct error *e)
{
    uint64_t blocks = packed_blocks(count), before = encoder->words;
    if (grow(encoder, encoder->blocks + blocks, e) != ST_OK)
        return e->status;
    for (uint64_t i = 0; i < blocks; i++) {
        struct packed_block *to = &encoder->block[encoder->blocks + i];
        *to = block[i];
        to->words = before;
        before += block[i].words;
    }
    encoder->blocks += blocks;
    encoder->count += count;
    encoder->words += words;
    return ST_OK;
}

/* Bytes of the directory, with the zeros that fill up an odd number of words. */
uint64_t packed_directory_bytes(const struct packed_encoder *encoder)
{
    if (encoder->blocks == 0)
        return 0;
    return encoder->words % 2 * 4 + (packed_groups(encoder->blocks) + 1) * 8 +
           encoder->blocks * (encoder->width + 4);
}

/* Writes the directory, as the section has it behind its words. */
void packed_directory(const struct packed_encoder *encoder, void *bytes)
{
    const struct packed_block *block = encoder->block;
    unsigned char *p = bytes;
    if (encoder->blocks == 0)
        return;
    if (encoder->words % 2 != 0) {
        put_u32(p, 0);
        p += 4;
    }
    for (uint64_t i = 0; i < encoder->blocks; i += GROUP_BLOCKS, p += 8)
        put_u64(p, block[i].words);
    put_u64(p, encoder->words);
    p += 8;
    for (uint64_t i = 0; i < encoder->blocks; i++, p += encoder->width)
        memcpy(p, &block[i].base, encoder->width);
    for (uint64_t i = 0; i < encoder->blocks; i++, p += 4) {
        uint64_t group = block[i / GROUP_BLOCKS * GROUP_BLOCKS].words;
        put_u32(p, (uint32_t)(block[i].words - group) | (uint32_t)block[i].kind << POSITION_BITS);
    }
}
