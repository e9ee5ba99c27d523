/* mail.c: see mail.h */
#include "mail.h"

#include <mpi.h>
#include <stdlib.h>

enum status comm_mail_open(struct comm_mail *mail, uint32_t count, struct error *e)
{
    MPI_Request *requests = malloc((count + 1) * sizeof *requests);
    *mail = (struct comm_mail){.requests = requests, .count = count};
    if (requests == NULL)
        return fail_memory(e, "message requests", count * sizeof *requests);
    for (uint32_t i = 0; i < count; i++)
        requests[i] = MPI_REQUEST_NULL;
    return ST_OK;
}

void comm_mail_close(struct comm_mail *mail)
{
    free(mail->requests);
    *mail = (struct comm_mail){0};
}

/* Returns the request of a place. */
static MPI_Request *request_of(const struct comm_mail *mail, uint32_t place)
{
    return (MPI_Request *)mail->requests + place;
}

void comm_mail_send(const struct comm_mail *mail, uint32_t place, const struct transfer *m)
{
    MPI_Isend(m->bytes, (int)m->size, MPI_BYTE, (int)m->rank, m->tag, MPI_COMM_WORLD, request_of(mail, place));
}

void comm_mail_receive(const struct comm_mail *mail, uint32_t place, const struct transfer *m)
{
    MPI_Irecv(m->bytes, (int)m->size, MPI_BYTE, (int)m->rank, m->tag, MPI_COMM_WORLD, request_of(mail, place));
}

int comm_mail_is_over(const struct comm_mail *mail, uint32_t place)
{
    int over = 0;
    MPI_Test(request_of(mail, place), &over, MPI_STATUS_IGNORE);
    return over;
}
