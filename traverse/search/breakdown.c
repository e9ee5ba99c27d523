/* breakdown.c: see breakdown.h */
#include "breakdown.h"

const char *const phase_name[PHASES] = {"previsit",        "visit_nn",        "visit_nd",
                                      "visit_dn",        "visit_dd",        "bins",
                                      "local_exchange",  "remote_exchange", "mask_reduction",
                                      "merged_exchange", "choose",          "ahead"};

void breakdown_max(struct breakdown *sum, const struct breakdown *other)
{
    for (int i = 0; i < PHASES; i++)
        sum->phase_s[i] = sum->phase_s[i] > other->phase_s[i] ? sum->phase_s[i] : other->phase_s[i];
}
