/* gather.c: see gather.h. A message is a sequence of frames. A frame has the number of a bucket within the shard and a length in
 * bytes, 4 bytes each, then the records, padded to 8 bytes. An empty message means that its sender has no more for the receiver. */
#include "gather.h"

#include <stdlib.h>
#include <string.h>

enum { MESSAGE_BYTES = GATHER_MESSAGE_BYTES, FRAME_BYTES = 8 };

struct frame {
    uint32_t bucket, bytes;
};

/* A walk over the records of one shard in this rank's store. */
struct sender {
    const struct placement *own;
    uint32_t shard;
    uint32_t bucket; /* within the shard */
    struct bucket_reader reader;
    const unsigned char *records; /* of the current run, those still to be sent */
    size_t bytes;
    void *read_buffer;
    struct error *error;
};

/* ---- sending ---- */

/* Goes on to this bucket of the shard; behind the last one nothing is left to send. */
static void open_bucket(struct sender *s, uint32_t bucket)
{
    const struct placement *own = s->own;
    s->bucket = bucket;
    if (bucket < own->shard_buckets)
        s->reader = bucket_read(&own->store, s->shard * own->shard_buckets + bucket,
                                placement_bucket_bytes(own, bucket), s->read_buffer, s->error);
}

/* Nonzero while there is a run of records to send. */
static int find_run(struct sender *s)
{
    while (s->bytes == 0 && s->bucket < s->own->shard_buckets) {
        const void *records;
        size_t count = bucket_reader_next(&s->reader, &records);
        s->records = records;
        s->bytes = count * s->reader.width;
        if (count == 0)
            open_bucket(s, s->bucket + 1);
    }
    return s->bytes > 0;
}

/* Fills a message with the next records for its receiver. Returns its bytes. */
static size_t fill_message(struct sender *s, unsigned char *message)
{
    size_t used = 0;
    while (used + FRAME_BYTES + 8 <= MESSAGE_BYTES && find_run(s)) {
        size_t room = MESSAGE_BYTES - used - FRAME_BYTES;
        size_t take = s->bytes < room ? s->bytes : room / s->reader.width * s->reader.width;
        struct frame frame = {.bucket = s->bucket, .bytes = (uint32_t)take};
        memcpy(message + used, &frame, sizeof frame);
        memcpy(message + used + FRAME_BYTES, s->records, take);
        used += FRAME_BYTES + (take + 7) / 8 * 8;
        s->records += take;
        s->bytes -= take;
    }
    return used;
}

/* ---- receiving ---- */

/* Appends records of `width` bytes to a bucket. */
static void append_records(struct bucket_writer *w, uint32_t bucket, unsigned width,
                         const unsigned char *records, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += width) {
        uint64_t record = 0;
        memcpy(&record, records + at, width);
        if (width == 4)
            bucket_append_u32(w, bucket, (uint32_t)record);
        else
            bucket_append_long(w, bucket, record, width);
    }
}

/* Appends the records of a message to their buckets. */
static void append_message(struct placement *pl, const unsigned char *message, size_t bytes)
{
    for (size_t at = 0; at < bytes;) {
        struct frame frame;
        memcpy(&frame, message + at, sizeof frame);
        append_records(&pl->store.writer[0], frame.bucket, placement_bucket_bytes(pl, frame.bucket),
                     message + at + FRAME_BYTES, frame.bytes);
        at += FRAME_BYTES + (frame.bytes + 7) / 8 * 8;
    }
}

/* Opens the store for the records of a shard that arrive, with the rows of g->own. */
static enum status open_store(struct gathered *to, const struct gathering *g, uint32_t shard,
                              struct memory_budget *budget, struct error *e)
{
    struct placement *pl = &to->placement;
    *pl = *g->own;
    pl->first_shard = shard;
    memset(&pl->store, 0, sizeof pl->store);
    if (g->spill != NULL)
        spill_open(&to->spill, g->spill->folder, g->spill->count);
    struct bucket_options o = {.buckets = pl->shard_buckets,
                               .threads = 1,
                               .expected_bytes = 4 * g->shard_records,
                               .most_bytes = 16 * g->shard_records,
                               .room_bytes = g->store_bytes,
                               .spill = g->spill != NULL ? &to->spill : NULL};
    return bucket_store_open(&pl->store, &o, budget, e);
}

/* ---- the round ---- */

struct buffers {
    unsigned char *send, *receive;
    void *read;
};

/* Makes one step of a round: sends one rank records of the shard that it builds, and receives records from another rank. In
 * step 0 both are this rank. */
static void run_step(struct gathered *to, const struct gathering *g, uint32_t step,
                     const struct buffers *b, struct error *e)
{
    const struct comm *comm = g->comm;
    uint32_t receiver = (comm->rank + step) % comm->ranks;
    uint32_t source = (comm->rank + comm->ranks - step) % comm->ranks;
    int sending = g->target[receiver] != COMM_NONE;
    int receiving = g->target[comm->rank] != COMM_NONE;
    struct sender s = {.own = g->own, .read_buffer = b->read, .error = e};
    if (sending) {
        s.shard = g->target[receiver];
        open_bucket(&s, 0);
    }
    while (sending || receiving) {
        size_t bytes = sending ? fill_message(&s, b->send) : 0, got = bytes;
        if (step > 0)
            got = comm_swap(comm, sending ? receiver : COMM_NONE, b->send, bytes,
                             receiving ? source : COMM_NONE, b->receive, MESSAGE_BYTES);
        if (receiving)
            append_message(&to->placement, step > 0 ? b->receive : b->send, got);
        sending = sending && bytes > 0;
        receiving = receiving && got > 0;
    }
}

/* Gathers the records of the shard that this rank builds, if it builds one. Collective. */
enum status gather_shard(struct gathered *to, const struct gathering *g, struct memory_budget *budget, struct error *e)
{
    uint32_t own = g->target[g->comm->rank];
    struct buffers b = {0};
    memset(to, 0, sizeof *to);
    memory_take(budget, (void **)&b.send, MESSAGE_BYTES, 1, "messages", e);
    memory_take(budget, (void **)&b.receive, MESSAGE_BYTES, 1, "messages", e);
    if (memory_take(budget, &b.read, bucket_read_bytes(&g->own->store), 1, "messages", e) == ST_OK && own != COMM_NONE)
        open_store(to, g, own, budget, e);
    if (comm_agree(g->comm, e) == ST_OK) {
        for (uint32_t step = 0; step < g->comm->ranks; step++)
            run_step(to, g, step, &b, e);
        if (own != COMM_NONE)
            bucket_store_seal(&to->placement.store, e);
    }
    memory_release(budget, b.send);
    memory_release(budget, b.receive);
    memory_release(budget, b.read);
    if (comm_agree(g->comm, e) != ST_OK)
        gather_free(to);
    return e->status;
}

void gather_free(struct gathered *g)
{
    bucket_store_close(&g->placement.store);
    spill_close(&g->spill);
    memset(g, 0, sizeof *g);
}
