/* requests.h: messages that begin and end one by one, in any order, while the caller does other work */
#ifndef DBFS_COMM_REQUESTS_H
#define DBFS_COMM_REQUESTS_H

#include "comm.h"

/* Messages that are under way, at most as many as were opened. Zeroed: none. */
struct comm_requests {
    void *list; /* [count] */
    uint32_t count;
};

/* Allocates `count` places for messages under way; comm_requests_close frees them: all must be over then
 * (comm_requests_is_over), or the job must end. Not collective. */
enum status comm_requests_open(struct comm_requests *requests, uint32_t count, struct error *e);
void comm_requests_close(struct comm_requests *requests);

/* Begin to send or to receive a message of less than 2^31 bytes in a place that is free. A receive may have room for more bytes than are
 * sent. Messages between two ranks with one tag arrive in the order in which they were sent. Not collective. */
void comm_requests_send(struct comm_requests *requests, uint32_t place, const struct transfer *message);
void comm_requests_receive(struct comm_requests *requests, uint32_t place, const struct transfer *message);

/* Returns whether the place is free: nothing was begun there, or it is over. Lets MPI go on. Not collective. */
int comm_requests_is_over(struct comm_requests *requests, uint32_t place);

#endif
