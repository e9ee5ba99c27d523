/* offence.c: the texts of offences */
#include "offence.h"

#include <inttypes.h>
#include <stdio.h>

/* Writes a description of an offence to text[size], with all numbers that the offence has. */
void offence_print(const struct offence *offence, char *text, size_t size)
{
    uint64_t v = offence->vertex;
    int64_t u = offence->other, dv = offence->depth, du = offence->other_depth;
    switch (offence->kind) {
    case OFFENCE_NONE: snprintf(text, size, "nothing is wrong"); break;
    case OFFENCE_ROOT:
        snprintf(text, size, "vertex %" PRIu64 ": the root has depth %" PRId64, v, dv);
        break;
    case OFFENCE_NO_PARENT:
        snprintf(text, size, "vertex %" PRIu64 ": depth %" PRId64 ", and no parent", v, dv);
        break;
    case OFFENCE_NO_DEPTH:
        snprintf(text, size, "vertex %" PRIu64 ": parent %" PRId64 ", and not reached", v, u);
        break;
    case OFFENCE_OWN_PARENT:
        snprintf(text, size, "vertex %" PRIu64 ": parent %" PRId64 ", as only a root may have", v, u);
        break;
    case OFFENCE_EDGE:
        snprintf(text, size, "edge %" PRIu64 " %" PRId64 ": depths %" PRId64 " and %" PRId64, v, u, dv, du);
        break;
    case OFFENCE_LEVEL:
        snprintf(text, size, "edge %" PRIu64 " %" PRId64 ": to the parent, with depths %" PRId64
                 " and %" PRId64, v, u, dv, du);
        break;
    case OFFENCE_NO_EDGE:
        snprintf(text, size, "edge %" PRIu64 " %" PRId64 ": to the parent, and not in the graph", v, u);
        break;
    }
}
