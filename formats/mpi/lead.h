/* lead.h: a job of several ranks of one host whose work rank 0 does alone.
 *
 * The other ranks wait for its end without using their cores, which rank 0 takes.
 */
#ifndef DBFS_COMM_LEAD_H
#define DBFS_COMM_LEAD_H

#include "comm.h"

/* Collective. From here on rank 0 is the only rank of its *comm, and may run on the cores of all ranks, as far
 * as the system lets it. The *comm of the other ranks stays as it is. */
void comm_lead(struct comm *comm);

/* Called by all ranks that called comm_lead: by rank 0 when its work is over, with how it ended, and by the others
 * at once. These sleep until then. Afterwards all have the *e of rank 0. */
void comm_await_lead(struct error *e);

#endif
