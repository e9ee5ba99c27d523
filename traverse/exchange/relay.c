/* relay.c: see relay.h */
#include "relay.h"

#include "formats/base/arith.h"
#include "formats/mpi/watch.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    PACKET_VERTICES = 480, /* the most vertices that go in a packet */
    CROWDED_SLEEP_NS = 50000 /* between two passes in which nothing moves, where another thread wants the core */
};

/* The beginning of a message: the values of a flag, and the first vertices. */
struct packet {
    uint64_t value[RELAY_VALUES];
    unsigned long long vertices[PACKET_VERTICES];
};

/* The messages of a link. Each has a place in relay->requests while it is under way. */
enum relay_place { SEND_PACKET, SEND_VERTICES, SEND_SINGLE, SEND_ALL, GET_PACKET, GET_VERTICES, GET_SINGLE, GET_ALL, RELAY_PLACES };

/* What a link does next: wait for the device's flag, for the far device's packet, or for the rest of both messages. */
enum link_step { AWAIT_FLAG, AWAIT_PACKET, AWAIT_REST };

struct relay_link {
    const struct relay_buffers *own; /* the buffers of the device */
    const struct far_buffers *far;   /* those for the far device */
    uint32_t far_rank;
    int tag_out, tag_in;
    uint32_t first_place; /* in relay->requests */
    enum link_step step;
    uint32_t number;  /* of the barrier that is being passed on, as devices number it (relay_buffers.number_limit) */
    uint64_t barrier; /* the number of this barrier since relay_open */
    int sends_all;    /* the far device receives what the device tells all, for its group (group_receives) */
    int receives_all; /* the device receives what the far one tells all, for this group */
    unsigned char *all_in;     /* where what the far device tells all arrives, for all peers of the device */
    _Atomic uint64_t *arrived; /* the note: the last barrier, since relay_open, whose message is there; NULL: the device has no peers */
    struct packet out, in;
};

/* ---- opening ---- */

/* Collective. Returns the handles (engine.h) of the devices of all shards outside the group, in the order of the shards. The caller
 * frees them, also after a failure, when they are incomplete or NULL. */
static struct peer_handle *share_handles(const struct group *group, struct error *e)
{
    const struct rank *rank = group->rank;
    const uint32_t p = rank->graph->manifest.p;
    struct peer_handle *handles = zeroed(p, sizeof *handles, "handles of devices", e);
    uint32_t far = 0;
    for (uint32_t g = 0; g < rank->device_count && e->status == ST_OK; g++)
        rank->backend->show(rank->devices[g], 0 /* no other process opens them */, &handles[group->shard[group->first_peer + g]], e);
    if (comm_agree(rank->comm, e) != ST_OK)
        return handles;
    /* other ranks have zeros there, so the sum has every handle */
    comm_sum_u64(rank->comm, handles->words, p * (sizeof *handles / sizeof *handles->words));
    for (uint32_t s = 0; s < p; s++) {
        if (!group_has_shard(group, s))
            handles[far++] = handles[s];
    }
    return handles;
}

/* Returns the note (struct relay_link.arrived) behind what a far device tells all. */
static _Atomic uint64_t *note_of(const struct relay_buffers *buffers, uint32_t far)
{
    return (_Atomic uint64_t *)(relay_all_in(buffers, far) + relay_all_piece(buffers) - RELAY_NOTE_BYTES);
}

/* Appends the links of a device of this rank to relay->links: one for each shard that is not in the group, in the order of the
 * shards. Their tags are those of the nn exchange, too, which is idle in such a search. */
static void open_links(struct relay *relay, const struct group *group, uint32_t device)
{
    const struct rank *rank = group->rank;
    const uint32_t ranks = rank->comm->ranks, G = rank->device_count;
    const uint32_t own = group->shard[group->first_peer + device];
    struct relay_buffers *buffers = &relay->buffers[device];
    uint32_t next = 0;
    buffers->all_in = relay->all_in.bytes;
    for (uint32_t s = 0; s < rank->graph->manifest.p; s++) {
        if (group_has_shard(group, s))
            continue;
        const uint32_t other = device_of_shard(s, ranks);
        relay->links[relay->count] = (struct relay_link){.own = buffers,
                                                         .far = &buffers->far[next],
                                                         .all_in = relay_all_in(buffers, next),
                                                         .arrived = group->count > 1 ? note_of(buffers, next) : NULL,
                                                         .barrier = 1,
                                                         .sends_all = group_receives(group, s, own),
                                                         .receives_all = group_receives(group, own, s),
                                                         .far_rank = rank_of_shard(s, ranks),
                                                         .tag_out = (int)(device * G + other),
                                                         .tag_in = (int)(other * G + device),
                                                         .first_place = relay->count * RELAY_PLACES};
        relay->count++;
        next++;
    }
}

/* Collective. Opens the memory for what is told all devices, and the links. If memory is short, searches are stepped, without an error. */
static enum status open_messages(struct relay *relay, struct group *group, struct error *e)
{
    const struct rank *rank = group->rank;
    struct relay_buffers *buffers = relay->buffers;
    for (uint32_t g = 0; g < rank->device_count; g++)
        buffers[g].all_second = group->count > 1 ? buffers[g].all_bytes : 0;
    group_share_memory(group, &relay->all_in, buffers->count * relay_all_piece(buffers), "message buffers", e);
    for (uint32_t g = 0; g < rank->device_count && e->status == ST_OK; g++) {
        open_links(relay, group, g);
        rank->backend->hear(rank->devices[g], &buffers[g]);
    }
    relay->searches_fused = e->status == ST_OK;
    if (e->status == ST_RESOURCE) /* the level loop needs no such messages */
        *e = (struct error){0};
    return e->status;
}

enum status relay_open(struct relay *relay, struct group *group, struct error *e)
{
    const struct rank *rank = group->rank;
    const uint32_t far = rank->graph->manifest.p - group->count, most = far * rank->device_count;
    uint64_t cannot = 0; /* devices of this rank that cannot search so */
    *relay = (struct relay){0};
    relay->buffers = zeroed(rank->device_count, sizeof *relay->buffers, "message buffers", e);
    relay->links = zeroed(most, sizeof *relay->links, "links to other ranks", e);
    if (e->status == ST_OK)
        comm_requests_open(&relay->requests, most * RELAY_PLACES, e);
    if (comm_agree(rank->comm, e) != ST_OK)
        return e->status;
    struct peer_handle *handles = share_handles(group, e);
    for (uint32_t g = 0; g < rank->device_count && e->status == ST_OK; g++) {
        int can = 0;
        rank->backend->reach(rank->devices[g], handles, far, &relay->buffers[g], &can, e);
        cannot += !can;
    }
    free(handles);
    if (comm_agree(rank->comm, e) != ST_OK || comm_max_of(rank->comm, cannot) > 0)
        return e->status;
    return open_messages(relay, group, e);
}

void relay_close(struct relay *relay, const struct rank *rank)
{
    group_free_memory(rank, &relay->all_in);
    comm_requests_close(&relay->requests);
    free(relay->links);
    free(relay->buffers);
    *relay = (struct relay){0};
}

/* ---- a search ---- */

void relay_begin(struct relay *relay)
{
    relay->sent_vertices = 0;
    if (relay->number >= relay->buffers->number_limit)
        relay->number &= 1;
    for (uint32_t i = 0; i < relay->count; i++) {
        relay->links[i].step = AWAIT_FLAG;
        relay->links[i].number = relay->number + 1;
    }
}

/* Begins a message of `size` bytes. Places SEND_... send it to the far device, and places GET_... receive it from there. Does nothing if
 * `size` is 0. */
static void begin_message(struct relay *relay, const struct relay_link *link, enum relay_place place, void *bytes, uint64_t size)
{
    const int sends = place <= SEND_ALL;
    const struct transfer message = {link->far_rank, sends ? link->tag_out : link->tag_in, bytes, size};
    if (size == 0)
        return;
    (sends ? comm_requests_send : comm_requests_receive)(&relay->requests, link->first_place + place, &message);
}

/* Copies the values of a flag if all its words have the number of a barrier. Returns whether they have. */
static int read_flag(const volatile struct relay_flag *flag, uint32_t number, uint64_t *values)
{
    for (int k = RELAY_VALUES - 1; k >= 0; k--) {
        const uint64_t low = flag->half[0][k], high = flag->half[1][k];
        if (low >> 32 != number || high >> 32 != number)
            return 0;
        values[k] = (uint32_t)low | high << 32;
    }
    atomic_thread_fence(memory_order_acquire); /* messages are read after the flag */
    return 1;
}

/* Writes the values of a flag, each word with the number. */
static void write_flag(volatile struct relay_flag *flag, uint32_t number, const uint64_t *values)
{
    atomic_thread_fence(memory_order_release); /* messages are written before the flag */
    for (int k = 0; k < RELAY_VALUES; k++) {
        flag->half[0][k] = (uint64_t)number << 32 | (uint32_t)values[k];
        flag->half[1][k] = (uint64_t)number << 32 | values[k] >> 32;
    }
}

/* Returns whether all vertices are there: each has the number of the barrier. */
static int vertices_are_there(const volatile unsigned long long *vertices, uint64_t count, uint32_t number)
{
    for (uint64_t i = count; i > 0; i--) {
        if (vertices[i - 1] >> 32 != number)
            return 0;
    }
    atomic_thread_fence(memory_order_acquire);
    return 1;
}

/* Returns the vertices of a barrier in one of the two buffers. */
static unsigned long long *vertices_of(const struct relay_link *link, unsigned long long *buffers)
{
    return buffers + (link->number & 1) * link->own->most_vertices;
}

/* Returns the bytes of a message from the value in a flag, in whose two lowest bits the device has notes of its own. */
static uint64_t bytes_of(uint64_t value)
{
    return value & ~UINT64_C(3);
}

/* Sends what the device wrote before a barrier, and begins to receive the far device's packet. */
static void send_message(struct relay *relay, struct relay_link *link)
{
    const struct far_buffers *far = link->far;
    const uint64_t *value = link->out.value, vertices = value[RELAY_VERTICES], packed = smaller(vertices, PACKET_VERTICES);
    unsigned long long *from = vertices_of(link, far->vertices_out);
    memcpy(link->out.vertices, from, packed * sizeof *from);
    begin_message(relay, link, GET_PACKET, &link->in, sizeof link->in);
    begin_message(relay, link, SEND_PACKET, &link->out, offsetof(struct packet, vertices) + packed * sizeof *from);
    begin_message(relay, link, SEND_VERTICES, from + packed, (vertices - packed) * sizeof *from);
    begin_message(relay, link, SEND_SINGLE, far->single_out, bytes_of(value[RELAY_SINGLE_BYTES]));
    begin_message(relay, link, SEND_ALL, link->own->all_out, link->sends_all ? bytes_of(value[RELAY_ALL_BYTES]) : 0);
    relay->sent_vertices += vertices;
}

/* Begins to receive what follows the far device's packet. Fails with ST_BAD_DATA if a buffer is too small. */
static enum status receive_rest(struct relay *relay, const struct relay_link *link, struct error *e)
{
    const struct far_buffers *far = link->far;
    const uint64_t *value = link->in.value, vertices = value[RELAY_VERTICES], packed = smaller(vertices, PACKET_VERTICES);
    unsigned long long *to = vertices_of(link, far->vertices_in);
    if (vertices > link->own->most_vertices || bytes_of(value[RELAY_SINGLE_BYTES]) > link->own->single_bytes ||
        bytes_of(value[RELAY_ALL_BYTES]) > link->own->all_bytes)
        return fail(e, ST_BAD_DATA, "rank %u sent a message that is longer than its buffer", link->far_rank);
    memcpy(to, link->in.vertices, packed * sizeof *to);
    begin_message(relay, link, GET_VERTICES, to + packed, (vertices - packed) * sizeof *to);
    begin_message(relay, link, GET_SINGLE, far->single_in, bytes_of(value[RELAY_SINGLE_BYTES]));
    begin_message(relay, link, GET_ALL, link->all_in + (link->number & 1) * link->own->all_second,
                  link->receives_all ? bytes_of(value[RELAY_ALL_BYTES]) : 0);
    return ST_OK;
}

/* Returns whether no message in the places from `first` to `last` of a link is under way. */
static int are_over(struct relay *relay, const struct relay_link *link, enum relay_place first, enum relay_place last)
{
    for (enum relay_place place = first; place <= last; place++) {
        if (!comm_requests_is_over(&relay->requests, link->first_place + place))
            return 0;
    }
    return 1;
}

/* Returns whether what the far device tells all is there, if it has told anything. If this link receives the message, sets the note. */
static int note_arrival(struct relay *relay, const struct relay_link *link)
{
    if (link->arrived == NULL || bytes_of(link->in.value[RELAY_ALL_BYTES]) == 0)
        return are_over(relay, link, GET_ALL, GET_ALL);
    if (link->receives_all && are_over(relay, link, GET_ALL, GET_ALL))
        atomic_store_explicit(link->arrived, link->barrier, memory_order_release);
    return atomic_load_explicit(link->arrived, memory_order_acquire) >= link->barrier; /* the peer that receives may be one barrier ahead */
}

/* Goes one step on with a link, if it can. Returns whether it did. The last step writes the far device's flag, on which the device waits:
 * by then its own messages have been sent, so it may write its buffers again, and those of the far device are here. */
static int go_on(struct relay *relay, struct relay_link *link, struct error *e)
{
    switch (link->step) {
    case AWAIT_FLAG:
        if (!read_flag(&link->far->flag_out[link->number & 1], link->number, link->out.value) ||
            !vertices_are_there(vertices_of(link, link->far->vertices_out), link->out.value[RELAY_VERTICES], link->number))
            return 0;
        send_message(relay, link);
        link->step = AWAIT_PACKET;
        return 1;
    case AWAIT_PACKET:
        if (!are_over(relay, link, GET_PACKET, GET_PACKET))
            return 0;
        if (receive_rest(relay, link, e) != ST_OK)
            return 0;
        link->step = AWAIT_REST;
        return 1;
    case AWAIT_REST:
        if (!note_arrival(relay, link) || !are_over(relay, link, SEND_PACKET, GET_SINGLE))
            return 0;
        write_flag(&link->far->flag_in[link->number & 1], link->number, link->in.value);
        relay->number = link->number++;
        link->barrier++;
        link->step = AWAIT_FLAG;
        return 1;
    }
    return 0;
}

/* Tells the watch that this rank waits for the rank of the link `late`, or (NULL) for none, unless the watch knows this. */
static void tell_watch(struct relay *relay, const struct relay_link *late)
{
    if ((late != NULL) == relay->told_watch)
        return;
    relay->told_watch = late != NULL;
    if (late == NULL) {
        watch_wait_end();
        return;
    }
    watch_wait_begin();
    watch_wait_for(late->far_rank);
}

/* Spins once. Sleeps for a moment if another thread wants this core, as a rank with too few cores would hold up its own devices. */
static void wait_a_little(struct relay *relay)
{
    const struct timespec moment = {.tv_nsec = CROWDED_SLEEP_NS};
    (void)patience_is_over(&relay->patience, 0); /* spins; the rank waits in any case */
    if (patience_was_taken(&relay->patience))
        nanosleep(&moment, NULL);
}

enum status relay_pass(void *context, struct error *e)
{
    struct relay *relay = context;
    const struct relay_link *late = NULL;
    int moved = 0;
    for (uint32_t i = 0; i < relay->count && e->status == ST_OK; i++) {
        while (e->status == ST_OK && go_on(relay, &relay->links[i], e))
            moved = 1;
        if (relay->links[i].step != AWAIT_FLAG && (late == NULL || relay->links[i].step < late->step))
            late = &relay->links[i];
    }
    if (moved)
        relay->patience = (struct patience){0};
    else
        wait_a_little(relay);
    /* patience has begun if nothing moved in many passes: then a message is late, not about to come */
    tell_watch(relay, relay->patience.begun > 0 ? late : NULL);
    return e->status;
}
