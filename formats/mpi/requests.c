/* requests.c: see requests.h */
#include "requests.h"

#include <mpi.h>
#include <stdlib.h>

enum status comm_requests_open(struct comm_requests *requests, uint32_t count, struct error *e)
{
    MPI_Request *list = malloc((count + 1) * sizeof *list);
    *requests = (struct comm_requests){.list = list, .count = count};
    if (list == NULL)
        return fail_memory(e, "message requests", count * sizeof *list);
    for (uint32_t i = 0; i < count; i++)
        list[i] = MPI_REQUEST_NULL;
    return ST_OK;
}

void comm_requests_close(struct comm_requests *requests)
{
    free(requests->list);
    *requests = (struct comm_requests){0};
}

/* Returns the request of a place. */
static MPI_Request *request_of(struct comm_requests *requests, uint32_t place)
{
    return (MPI_Request *)requests->list + place;
}

void comm_requests_send(struct comm_requests *requests, uint32_t place, const struct transfer *m)
{
    MPI_Isend(m->bytes, (int)m->size, MPI_BYTE, (int)m->rank, m->tag, MPI_COMM_WORLD, request_of(requests, place));
}

void comm_requests_receive(struct comm_requests *requests, uint32_t place, const struct transfer *m)
{
    MPI_Irecv(m->bytes, (int)m->size, MPI_BYTE, (int)m->rank, m->tag, MPI_COMM_WORLD, request_of(requests, place));
}

int comm_requests_is_over(struct comm_requests *requests, uint32_t place)
{
    int over = 0;
    MPI_Test(request_of(requests, place), &over, MPI_STATUS_IGNORE);
    return over;
}
