/* test_messages.c: messages of devices that are no peers: frontiers without the bits that are known, and words of
 * masks */
#include "checks.h"
#include "steps.h"
#include "tests.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- frontiers ---- */

enum { TOLD_TOGETHER = 256 /* words of a mask whose bits begin with one word of the message */ };

static uint64_t words_of_bits(uint64_t bits)
{
    return (bits + 31) / 32;
}

static int bit_of(const uint32_t *mask, uint64_t i)
{
    return (int)(mask[i / 32] >> (i % 32) & 1);
}

/* Counts unknown bits in words first..last. With a message, puts them there in order and marks them as known. */
static uint64_t tell_some(uint32_t *known, const uint32_t *visited, uint64_t first, uint64_t last, uint32_t *message)
{
    uint64_t bits = 0;
    for (uint64_t i = 32 * first; i < 32 * last; i++) {
        if (bit_of(known, i))
            continue;
        if (message != NULL && bit_of(visited, i)) {
            message[bits / 32] |= UINT32_C(1) << (bits % 32);
            known[i / 32] |= UINT32_C(1) << (i % 32);
        }
        bits++;
    }
    return words_of_bits(bits);
}

void twin_tell(struct known *known, uint32_t shard, const uint32_t *visited, uint32_t *message,
               uint64_t *message_words)
{
    memset(message, 0, known->words * 4);
    for (uint32_t s = 0; s < known->p; s++) {
        message_words[s] = 0;
        for (uint64_t first = 0; first < known->words; first += TOLD_TOGETHER) {
            uint64_t end = first + TOLD_TOGETHER < known->words ? first + TOLD_TOGETHER : known->words;
            message_words[s] += tell_some(known->bits + s * known->words, visited, first, end,
                                          s == shard ? message + message_words[s] : NULL);
        }
    }
}

static uint32_t *mask_of_words(uint64_t words, enum mask_kind kind, uint64_t *random)
{
    uint32_t *mask = need_memory(words * 4 + 8);
    uint64_t *made = mask_make(32 * words, kind, random);
    memcpy(mask, made, words * 4);
    free(made);
    return mask;
}

/* Two devices know the same. One tells, the other hears. */
static void run_news(uint32_t p, uint64_t words, enum mask_kind known, enum mask_kind visited)
{
    uint64_t random = words + p, all = p * words, kernel_words[4], twin_words[4];
    uint32_t *before = mask_of_words(all, known, &random), *mask = mask_of_words(words, visited, &random);
    uint32_t *kernel_bits = need_memory(all * 4), *twin_bits = need_memory(all * 4), *heard_bits = need_memory(all * 4);
    uint32_t *kernel_message = need_memory(words * 4), *twin_message = need_memory(words * 4), shard = p - 1;
    memcpy(kernel_bits, before, all * 4);
    memcpy(twin_bits, before, all * 4);
    memcpy(heard_bits, before, all * 4);
    check_input("%" PRIu32 " shards of %" PRIu64 " words, known %s, visited %s", p, words, mask_kind_name[known],
                mask_kind_name[visited]);
    kernel_tell(&(struct known){p, words, kernel_bits}, shard, mask, kernel_message, kernel_words);
    twin_tell(&(struct known){p, words, twin_bits}, shard, mask, twin_message, twin_words);
    kernel_hear(&(struct known){p, words, heard_bits}, shard, kernel_message);
    for (uint32_t s = 0; s < p; s++)
        check_that(kernel_words[s] == twin_words[s], "%" PRIu64 " words for %" PRIu64, kernel_words[s], twin_words[s]);
    check_that(memcmp(kernel_message, twin_message, twin_words[shard] * 4) == 0, "another message");
    check_that(memcmp(kernel_bits, twin_bits, all * 4) == 0, "the teller knows something else");
    check_that(memcmp(heard_bits, twin_bits, all * 4) == 0, "the hearer knows something else");
    free(before);
    free(mask);
    free(kernel_bits);
    free(twin_bits);
    free(heard_bits);
    free(kernel_message);
    free(twin_message);
}

void test_news(void)
{
    static const uint64_t words[] = {2, 254, 256, 258, 1024, 5000};
    check_begin();
    for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        for (int known = MASK_NONE; known <= MASK_ALL; known++) {
            for (int visited = MASK_NONE; visited <= MASK_ALL; visited++)
                run_news(2 + (uint32_t)known % 2, words[w], (enum mask_kind)known, (enum mask_kind)visited);
        }
    }
    check_end("cuda_news_count, cuda_news_write, cuda_news_read");
}

/* ---- words of masks ---- */

static int by_place(const void *a, const void *b)
{
    const struct mask_word *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

/* Checks that the list holds words of the mask, each once, and all of them if they are few enough. */
static void check_list(const uint64_t *mask, uint64_t words, struct mask_word *list, uint64_t count, uint64_t most)
{
    uint64_t listed = count < most ? count : most, all = 0;
    for (uint64_t w = 0; w < words; w++)
        all += mask[w] != 0;
    check_that(count == all, "%" PRIu64 " words for %" PRIu64, count, all);
    qsort(list, listed, sizeof *list, by_place);
    for (uint64_t i = 0; i < listed; i++)
        check_that(list[i].at < words && list[i].bits != 0 && list[i].bits == mask[list[i].at] &&
                       (i == 0 || list[i].at > list[i - 1].at),
                   "word %" PRIu64 " of the list", i);
}

static void run_listed(uint64_t words, enum mask_kind kind, uint64_t most, int knows)
{
    uint64_t random = words + most, *mask = mask_make(64 * words, kind, &random);
    uint64_t *known = mask_make(64 * words, MASK_FEW, &random);
    uint64_t *sum = mask_make(64 * words, MASK_FEW, &random), *expected = need_memory(words * 8);
    struct mask_word *list = need_memory((most + 2) * sizeof *list);
    check_input("%" PRIu64 " words, %s, room for %" PRIu64 "%s", words, mask_kind_name[kind], most,
                knows ? ", some known" : "");
    uint64_t count = kernel_list_words(mask, knows ? known : NULL, words, list, most), listed = count < most ? count : most;
    for (uint64_t w = 0; knows && w < words; w++)
        mask[w] &= ~known[w];
    check_list(mask, words, list, count, most);
    memcpy(expected, sum, words * 8);
    for (uint64_t i = 0; i < listed; i++)
        expected[list[i].at] |= list[i].bits;
    list[listed] = (struct mask_word){words, 1}; /* this place is behind the mask */
    if (listed > 0)
        list[listed + 1] = list[0]; /* a word that comes twice */
    kernel_or_words(sum, words, list, listed + 1 + (listed > 0));
    check_that(memcmp(sum, expected, words * 8) == 0, "another mask");
    free(mask);
    free(known);
    free(sum);
    free(expected);
    free(list);
}

void test_listed_words(void)
{
    static const uint64_t words[] = {1, 64, 255, 256, 257, 40000};
    check_begin();
    for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        for (int kind = MASK_NONE; kind <= MASK_ALL; kind++) {
            run_listed(words[w], (enum mask_kind)kind, words[w], 0);
            run_listed(words[w], (enum mask_kind)kind, words[w], 1);
            run_listed(words[w], (enum mask_kind)kind, words[w] / 4, 0);
        }
    }
    check_end("cuda_list_words, cuda_or_words");
}
