/* flow.c: see flow.h */
#include "flow.h"
#include "wait.h"

#include "formats/base/arith.h"

#include <mpi.h>
#include <sched.h>
#include <stdlib.h>

enum { IDLE_LOOKS = 64 /* at messages under way, before another process gets the core */ };

/* A message that arrives. Its chunks have consecutive requests. */
struct inflow {
    const struct transfer *transfer;
    uint64_t arrived; /* bytes */
    MPI_Request *next; /* of the first chunk that has not arrived */
};

struct comm_flow {
    uint64_t chunk_bytes;
    struct inflow *in; /* [in_count] */
    size_t in_count, first; /* those before `first` have arrived whole */
    MPI_Request *requests; /* of receives, then of sends */
    size_t receives, sends;
    unsigned idle; /* looks since a chunk arrived */
};

/* Bytes of the chunk that begins at byte `at` of the message. */
static int chunk_size(const struct comm_flow *f, const struct transfer *t, uint64_t at)
{
    return (int)smaller(t->size - at, f->chunk_bytes);
}

/* Posts the receives of all chunks, and fills in f->in. */
static void post_receives(struct comm_flow *f, const struct transfer *receives)
{
    for (size_t i = 0; i < f->in_count; i++) {
        const struct transfer *t = &receives[i];
        f->in[i] = (struct inflow){.transfer = t, .next = f->requests + f->receives};
        for (uint64_t at = 0; at < t->size; at += f->chunk_bytes)
            MPI_Irecv((unsigned char *)t->bytes + at, chunk_size(f, t, at), MPI_BYTE, (int)t->rank,
                      t->tag, MPI_COMM_WORLD, &f->requests[f->receives++]);
    }
}

/* Opens a flow and posts all its receives. */
enum status comm_flow_open(struct comm_flow **flow, const struct transfer *receives,
                           size_t receive_count, size_t send_count, uint64_t chunk_bytes,
                           struct error *e)
{
    size_t requests = send_count;
    for (size_t i = 0; i < receive_count; i++)
        requests += divide_up(receives[i].size, chunk_bytes);
    *flow = NULL;
    struct comm_flow *f = calloc(1, sizeof *f);
    struct inflow *in = calloc(receive_count + 1, sizeof *in);
    MPI_Request *all = malloc((requests + 1) * sizeof *all);
    if (f == NULL || in == NULL || all == NULL) {
        free(f);
        free(in);
        free(all);
        return fail_memory(e, "message requests", requests * sizeof *all);
    }
    *f = (struct comm_flow){
        .chunk_bytes = chunk_bytes, .in = in, .in_count = receive_count, .requests = all};
    post_receives(f, receives);
    *flow = f;
    return ST_OK;
}

/* Sends a chunk; its bytes must stay unchanged until the flow is closed. */
void comm_flow_send(struct comm_flow *f, const struct transfer *t)
{
    MPI_Isend(t->bytes, (int)t->size, MPI_BYTE, (int)t->rank, t->tag, MPI_COMM_WORLD,
              &f->requests[f->receives + f->sends++]);
}

/* Takes the next chunk of a message if it has arrived: puts it into *chunk and returns nonzero. */
static int take_arrival(struct comm_flow *f, size_t message, struct flow_chunk *chunk)
{
    struct inflow *in = &f->in[message];
    int arrived = 0;
    if (in->arrived == in->transfer->size)
        return 0;
    MPI_Test(in->next, &arrived, MPI_STATUS_IGNORE);
    if (!arrived)
        return 0;
    uint64_t size = (uint64_t)chunk_size(f, in->transfer, in->arrived);
    *chunk = (struct flow_chunk){message, in->arrived, size};
    in->arrived += size;
    in->next++;
    return 1;
}

/* Looks for a chunk that has arrived, which is described in *chunk; 0: none yet. Lets MPI go on. */
int comm_flow_arrived(struct comm_flow *f, struct flow_chunk *chunk)
{
    while (!comm_flow_has_arrived(f) && f->in[f->first].arrived == f->in[f->first].transfer->size)
        f->first++;
    for (size_t i = f->first; i < f->in_count; i++) {
        if (take_arrival(f, i, chunk)) {
            f->idle = 0;
            return 1;
        }
    }
    if (f->idle++ > IDLE_LOOKS)
        sched_yield();
    return 0;
}

/* Nonzero if all messages were taken whole by comm_flow_arrived. */
int comm_flow_has_arrived(const struct comm_flow *f)
{
    return f->first == f->in_count;
}

/* Waits for all that is under way, and frees the flow. */
void comm_flow_close(struct comm_flow *f)
{
    if (f == NULL)
        return;
    watch_wait_begin();
    for (size_t i = 0; i < f->in_count; i++) {
        watch_wait_for(f->in[i].transfer->rank);
        for (; f->in[i].arrived < f->in[i].transfer->size; f->in[i].arrived += f->chunk_bytes)
            wait_for(f->in[i].next++, MPI_STATUS_IGNORE);
    }
    watch_wait_for(COMM_NONE);
    for (size_t i = f->receives; i < f->receives + f->sends; i++)
        wait_for(&f->requests[i], MPI_STATUS_IGNORE);
    watch_wait_end();
    free(f->in);
    free(f->requests);
    free(f);
}
