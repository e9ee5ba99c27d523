/* lead.h: lets the other ranks sleep while rank 0 alone does the work of a job of one host, or waits for its input */
#ifndef DBFS_COMM_LEAD_H
#define DBFS_COMM_LEAD_H

#include "comm.h"

/* Makes rank 0 the only rank of its *comm and lets it run on the cores of all ranks, as far as the system permits. The
 * *comm of the others stays as it is. Collective. */
void comm_lead(struct comm *comm);

/* Ends what comm_lead began. Rank 0 calls it when its work is over, with the outcome in *e; the others call it at once
 * and sleep until then. All get the *e of rank 0. */
void comm_await_lead(struct error *e);

/* Copies `count` bytes of rank 0 to all ranks. The others sleep until rank 0 calls; --timeout ignores this time. Collective. */
void comm_await(const struct comm *comm, void *bytes, int count);

#endif
