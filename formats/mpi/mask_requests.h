/* mask_requests.h: a reduction of a mask that has begun, for the files of this folder */
#ifndef DBFS_MPI_MASK_REQUESTS_H
#define DBFS_MPI_MASK_REQUESTS_H

#include <mpi.h>
#include <stdint.h>

enum { MASK_PIECES = 8 };

/* Pieces of equal size: one leaves while another one comes in, where a library does one step after the other. */
struct mask_requests {
    MPI_Request of[MASK_PIECES];
    int count; /* 0: none has begun */
};

void mask_requests_begin(struct mask_requests *requests, uint64_t *words, uint64_t count, MPI_Comm comm);

/* Whether all are over. */
int mask_requests_are_over(struct mask_requests *requests);

#endif
