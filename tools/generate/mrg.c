/* mrg.c: see mrg.h */
#include "mrg.h"

#include <string.h>

/* sum + a * b modulo MRG_MODULUS. */
static uint32_t multiply_add(uint32_t sum, uint32_t a, uint32_t b)
{
    return (uint32_t)((sum + (uint64_t)a * b) % MRG_MODULUS);
}

uint32_t mrg_next(struct mrg_state *state)
{
    uint64_t next = (uint64_t)MRG_NEWEST_FACTOR * state->x[MRG_ORDER - 1] +
                    (uint64_t)MRG_OLDEST_FACTOR * state->x[0];
    memmove(state->x, state->x + 1, sizeof state->x - sizeof *state->x);
    state->x[MRG_ORDER - 1] = (uint32_t)(next % MRG_MODULUS);
    return state->x[MRG_ORDER - 1];
}

struct mrg_jump mrg_jump_one(void)
{
    return (struct mrg_jump){{0, 1}};
}

/* Multiplies the polynomials and reduces the product by the characteristic one. */
struct mrg_jump mrg_jump_join(struct mrg_jump first, struct mrg_jump second)
{
    uint32_t product[2 * MRG_ORDER - 1] = {0};
    for (int i = 0; i < MRG_ORDER; i++) {
        for (int j = 0; j < MRG_ORDER; j++)
            product[i + j] = multiply_add(product[i + j], first.c[i], second.c[j]);
    }
    /* from the top: t^k = newest_factor t^(k-1) + oldest_factor t^(k-5) */
    for (int k = 2 * MRG_ORDER - 2; k >= MRG_ORDER; k--) {
        product[k - 1] = multiply_add(product[k - 1], product[k], MRG_NEWEST_FACTOR);
        product[k - MRG_ORDER] =
            multiply_add(product[k - MRG_ORDER], product[k], MRG_OLDEST_FACTOR);
    }
    struct mrg_jump joined;
    memcpy(joined.c, product, sizeof joined.c);
    return joined;
}

struct mrg_jump mrg_jump_double(struct mrg_jump jump, int doublings)
{
    for (int i = 0; i < doublings; i++)
        jump = mrg_jump_join(jump, jump);
    return jump;
}

struct mrg_jump mrg_jump_repeat(struct mrg_jump jump, uint64_t times)
{
    struct mrg_jump result = {{1}};
    for (; times > 0; times >>= 1) {
        if (times & 1)
            result = mrg_jump_join(result, jump);
        jump = mrg_jump_join(jump, jump);
    }
    return result;
}

/* Moves the state on by the length of the jump. */
void mrg_skip(struct mrg_state *state, const struct mrg_jump *jump)
{
    struct mrg_state result, window = *state;
    for (int i = 0; i < MRG_ORDER; i++) {
        uint32_t sum = 0;
        for (int k = 0; k < MRG_ORDER; k++)
            sum = multiply_add(sum, jump->c[k], window.x[k]);
        result.x[i] = sum;
        mrg_next(&window);
    }
    *state = result;
}
