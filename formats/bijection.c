/* bijection.c: see bijection.h */
#include "bijection.h"

#include "formats/base/clones.h"
#include "formats/base/hash.h"

/* The number whose product with the odd number `a` is 1, modulo 2^64. */
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

/* Sets to[i] to bijection_step of first + i, which may be n or more. In vectors. */
WIDE_CLONES static void step_range(const struct bijection *bijection, uint64_t first, uint64_t count, uint64_t *to)
{
    const struct bijection b = *bijection; /* which `to` cannot overlap */
    for (uint64_t i = 0; i < count; i++)
        to[i] = bijection_step(&b, first + i);
}

/* Permutes ids first to first + count - 1 into stored[]; ids of n or more stay as they are. */
void bijection_forward_range(const struct bijection *b, uint64_t first, uint64_t count, uint64_t *stored)
{
    step_range(b, first, count, stored);
    for (uint64_t i = 0; i < count; i++) {
        if (first + i >= b->n)
            stored[i] = first + i;
        else if (stored[i] >= b->n)
            stored[i] = bijection_forward(b, stored[i]);
    }
}
