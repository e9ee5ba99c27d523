/* keyed_hash.c: SipHash of Aumasson and Bernstein with one round for each word and three at the end; see keyed_hash.h */
#include "keyed_hash.h"

#include "bytes.h"

#include <pthread.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

static uint64_t key[2];

/* Sets the key to random bits. Early after booting the system may have none, and time, process id and an address are used instead. */
static void draw_key(void)
{
    struct timespec now;
    if (getrandom(key, sizeof key, GRND_NONBLOCK) == (ssize_t)sizeof key)
        return;
    clock_gettime(CLOCK_REALTIME, &now);
    key[0] = (uint64_t)now.tv_nsec << 32 ^ (uint64_t)now.tv_sec ^ (uint64_t)getpid() << 20;
    key[1] = (uint64_t)(uintptr_t)&now;
}

static inline uint64_t rotate(uint64_t x, int bits)
{
    return x << bits | x >> (64 - bits);
}

/* One round of SipHash. */
static inline void stir(uint64_t v[4])
{
    v[0] += v[1];
    v[2] += v[3];
    v[1] = rotate(v[1], 13) ^ v[0];
    v[3] = rotate(v[3], 16) ^ v[2];
    v[0] = rotate(v[0], 32);
    v[2] += v[1];
    v[0] += v[3];
    v[1] = rotate(v[1], 17) ^ v[2];
    v[3] = rotate(v[3], 21) ^ v[0];
    v[2] = rotate(v[2], 32);
}

/* Mixes the next 8 bytes of a key into the state. */
static inline void absorb(uint64_t v[4], uint64_t word)
{
    v[3] ^= word;
    stir(v);
    v[0] ^= word;
}

uint64_t keyed_hash(const char *bytes, size_t length)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, draw_key);
    uint64_t v[4] = {key[0] ^ UINT64_C(0x736f6d6570736575), key[1] ^ UINT64_C(0x646f72616e646f6d),
                     key[0] ^ UINT64_C(0x6c7967656e657261), key[1] ^ UINT64_C(0x7465646279746573)};
    uint64_t last = (uint64_t)length << 56, rest = 0;
    for (; length >= 8; bytes += 8, length -= 8)
        absorb(v, get_u64(bytes));
    memcpy(&rest, bytes, length);
    absorb(v, last | rest);
    v[2] ^= 0xff;
    for (int i = 0; i < 3; i++)
        stir(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}
