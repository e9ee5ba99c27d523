/* lead.h: waiting for rank 0 without using a core, while rank 0 alone does the work of a job of one
 * host or waits for its input.
 */
#ifndef DBFS_COMM_LEAD_H
#define DBFS_COMM_LEAD_H

#include "comm.h"

/* Collective. From here on rank 0 is the only rank of its *comm, and may run on the cores of all ranks, as far
 * as the system lets it. The *comm of the other ranks stays as it is. */
void comm_lead(struct comm *comm);

/* Called by all ranks that called comm_lead: by rank 0 when its work is over, with its outcome, and
 * by the others at once. These sleep until then. Afterwards all have the *e of rank 0. */
void comm_await_lead(struct error *e);

/* Collective. Copies `bytes` of rank 0 to all. The others sleep until then; the time does not count
 * for --timeout. */
void comm_await(const struct comm *comm, void *bytes, int count);

#endif
