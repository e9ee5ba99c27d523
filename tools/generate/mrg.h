/* mrg.h: a multiple recursive random generator modulo 2^31 - 1, with jumps of any length; that of the Graph500 benchmark.
 *
 *     x[n] = 107374182 x[n-1] + 104480 x[n-5]  mod 2^31 - 1
 *
 * (L'Ecuyer, Blouin, Couture 1993, table 3.) A jump by k is the polynomial t^k modulo the characteristic polynomial t^5 -
 * 107374182 t^4 - 104480. If c are its coefficients, then x[n+k] = c[0] x[n] + c[1] x[n+1] + ... + c[4] x[n+4] for every n. Two
 * jumps are joined by multiplying their polynomials.
 */
#ifndef DBFS_MRG_H
#define DBFS_MRG_H

#include <stdint.h>

enum { MRG_ORDER = 5 };

#define MRG_MODULUS UINT32_C(0x7fffffff)
#define MRG_NEWEST_FACTOR UINT32_C(107374182)
#define MRG_OLDEST_FACTOR UINT32_C(104480)

struct mrg_state {
    uint32_t x[MRG_ORDER]; /* oldest first, each below the modulus, not all 0 */
};

struct mrg_jump {
    uint32_t c[MRG_ORDER];
};

/* Returns a number congruent to x modulo 2^31 - 1: at most 2^31 + 2^33 for any x, and below 2^32 for x below 2^62. */
static inline uint64_t mrg_fold(uint64_t x)
{
    return (x & MRG_MODULUS) + (x >> 31);
}

/* Returns the next number, 0 to 2^31 - 2. */
uint32_t mrg_next(struct mrg_state *state);

/* mrg_jump_one makes the jump over one number. mrg_jump_join makes the jump that does `first` and then `second`. */
struct mrg_jump mrg_jump_one(void);
struct mrg_jump mrg_jump_join(struct mrg_jump first, struct mrg_jump second);

/* The jump that does `jump` 2^doublings times, or `times` times. */
struct mrg_jump mrg_jump_double(struct mrg_jump jump, int doublings);
struct mrg_jump mrg_jump_repeat(struct mrg_jump jump, uint64_t times);

void mrg_skip(struct mrg_state *state, const struct mrg_jump *jump);

#endif
