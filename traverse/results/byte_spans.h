/* byte_spans.h: brings byte spans from devices to other devices.
 *
 * A byte span is the bytes that one device has for the device of another shard. This receiver reads the span in place if both
 * devices are of one rank, or are peers on one host (engine.h). Otherwise the span is sent in a message, from and to memory of
 * the host. */
#ifndef DBFS_BYTE_SPANS_H
#define DBFS_BYTE_SPANS_H

#include "traverse/engine/rank_devices.h"

/* Memory of the host for the messages that one device sends, or receives. */
struct span_buffer {
    char *memory;
    uint64_t capacity;
};

/* The spans of all devices of a rank. G is the number of devices of each rank, p the number of shards, and R the number of
 * ranks. */
struct byte_spans {
    const struct rank *rank;
    uint32_t G, p;
    int caller_stages; /* 1: the caller puts all spans into memory of the host, even if devices have memory of their own */
    struct byte_span *out; /* [G][p] the span that device g has for shard s */
    struct byte_span *in;  /* [G][p] the span that shard s has for device g */
    struct byte_span *out_by_rank, *in_by_rank; /* [R][G * G] the spans of `out` and of `in`, by rank (pair_of) */
    struct transfer *sends, *receives; /* [G * p] the messages of the current exchange */
    struct transfers *transfers;       /* made from `sends` and `receives`; freed by byte_spans_close */
    struct span_buffer *send, *receive; /* [G] one buffer for each device */
};

/* Allocates the tables of spans. All spans are empty at first. The caller calls byte_spans_close, even after a failure. */
enum status byte_spans_open(struct byte_spans *spans, const struct rank *rank, struct error *e);
void byte_spans_close(struct byte_spans *spans); /* frees tables and buffers; *spans may be zeroed */

/* Returns the array of the spans that device g of this rank has for the p shards. */
static inline struct byte_span *byte_spans_out(const struct byte_spans *spans, uint32_t g)
{
    return spans->out + (size_t)g * spans->p;
}

/* Returns the array of the spans that device g of this rank has received from the p shards. */
static inline struct byte_span *byte_spans_in(const struct byte_spans *spans, uint32_t g)
{
    return spans->in + (size_t)g * spans->p;
}

/* Collective. Called when all spans of byte_spans_out are set. Brings the spans to their receivers, and sets all spans of
 * byte_spans_in. They are valid until the next exchange, or until the sender changes the bytes. A rank that fails must end the
 * job, because the other ranks wait for it. */
enum status byte_spans_exchange(struct byte_spans *spans, struct error *e);

/* Collective. Brings the spans to their receivers as byte_spans_exchange does, but a failure does not end the job. If one rank
 * fails, or passes an `e` that has failed, the call fails on all ranks. */
enum status byte_spans_exchange_agreed(struct byte_spans *spans, struct error *e);

#endif
