/* breakdown.c: see breakdown.h */
#include "breakdown.h"

const char *const part_name[PARTS] = {"previsit",        "visit_nn",        "visit_nd",
                                      "visit_dn",        "visit_dd",        "bins",
                                      "local_exchange",  "remote_exchange", "mask_reduction"};

void breakdown_max(struct breakdown *sum, const struct breakdown *other)
{
    for (int i = 0; i < PARTS; i++)
        sum->part_s[i] = sum->part_s[i] > other->part_s[i] ? sum->part_s[i] : other->part_s[i];
}
