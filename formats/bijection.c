/* bijection.c: see bijection.h */
#include "bijection.h"

#include "formats/base/hash.h"

static uint64_t inverse_of_odd(uint64_t a)
{
    uint64_t x = a; /* right in the lowest 3 bits; each Newton step doubles them */
    for (int i = 0; i < 5; i++)
        x *= 2 - a * x;
    return x;
}

void bijection_init(struct bijection *b, uint64_t n, uint64_t seed)
{
    int bits = 1;
    while (bits < 64 && (n - 1) >> bits != 0)
        bits++;
    b->n = n;
    b->mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    b->shift = (bits + 1) / 2;
    for (int r = 0; r < BIJECTION_ROUNDS; r++) {
        b->multiplier[r] = random64(seed, 2 * (uint64_t)r) | 1;
        b->addend[r] = random64(seed, 2 * (uint64_t)r + 1);
        b->inverse[r] = inverse_of_odd(b->multiplier[r]);
    }
}

static uint64_t step_back(const struct bijection *b, uint64_t x)
{
    for (int r = BIJECTION_ROUNDS - 1; r >= 0; r--) {
        x ^= x >> b->shift;
        x = ((x - b->addend[r]) * b->inverse[r]) & b->mask;
    }
    return x;
}

uint64_t bijection_backward(const struct bijection *b, uint64_t id)
{
    do {
        id = step_back(b, id);
    } while (id >= b->n);
    return id;
}
