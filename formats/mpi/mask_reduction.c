/* mask_reduction.c: see mask_reduction.h */
#include "mask_reduction.h"
#include "leaders.h"

#include <mpi.h>

enum { MOST_DIRECT = 16, PIECE_WORDS = 65536, MOST_PIECES = 16 };

/* The transfers of a peer and piece. COLLECT goes to the rank that reduces the piece, SPREAD has the result. */
enum step { COLLECT_IN, COLLECT_OUT, SPREAD_IN, SPREAD_OUT, STEPS };

struct mask_reduction {
    MPI_Comm comm;
    uint32_t rank, ranks, pieces; /* of the part of a rank */
    uint64_t count;
    uint64_t *words;       /* of the reduction that has begun; NULL: none has */
    uint64_t *inbox;       /* [ranks][own part]: the copies of peers */
    uint32_t *missing;     /* [pieces]: peers whose part has not come */
    MPI_Request *requests; /* [STEPS][ranks][pieces] */
    int left;              /* of these, those that are not over or have not begun */
};

/* Nonzero if MPI reduces the mask. Then there is one request. */
static int is_left_to_mpi(const struct mask_reduction *m)
{
    return m->ranks > MOST_DIRECT;
}

/* ---- where pieces lie ---- */

static uint64_t begin_of(const struct mask_reduction *m, uint32_t rank, uint32_t piece)
{
    return ((uint64_t)rank * m->pieces + piece) * m->count / ((uint64_t)m->ranks * m->pieces);
}

static int size_of(const struct mask_reduction *m, uint32_t rank, uint32_t piece)
{
    return (int)(begin_of(m, rank, piece + 1) - begin_of(m, rank, piece));
}

static uint64_t own_words(const struct mask_reduction *m)
{
    return begin_of(m, m->rank + 1, 0) - begin_of(m, m->rank, 0);
}

static uint64_t *inbox_of(const struct mask_reduction *m, uint32_t peer, uint32_t piece)
{
    return m->inbox + peer * own_words(m) + begin_of(m, m->rank, piece) - begin_of(m, m->rank, 0);
}

static MPI_Request *request_of(const struct mask_reduction *m, enum step step, uint32_t peer, uint32_t piece)
{
    return &m->requests[((size_t)step * m->ranks + peer) * m->pieces + piece];
}

/* ---- steps ---- */

/* Sends a piece of the part of rank `owner`. */
static void send_piece(const struct mask_reduction *m, enum step step, uint32_t to, uint32_t owner, uint32_t piece)
{
    MPI_Isend(m->words + begin_of(m, owner, piece), size_of(m, owner, piece), MPI_UINT64_T, (int)to,
              (int)(2 * piece) + (step == SPREAD_OUT), m->comm, request_of(m, step, to, piece));
}

static void receive_piece(const struct mask_reduction *m, enum step step, uint64_t *words, uint32_t from,
                          uint32_t owner, uint32_t piece)
{
    MPI_Irecv(words, size_of(m, owner, piece), MPI_UINT64_T, (int)from, (int)(2 * piece) + (step == SPREAD_IN),
              m->comm, request_of(m, step, from, piece));
}

static void begin_steps(struct mask_reduction *m)
{
    for (uint32_t piece = 0; piece < m->pieces; piece++) {
        m->missing[piece] = m->ranks - 1;
        for (uint32_t i = 1; i < m->ranks; i++) {
            const uint32_t from = (m->rank + m->ranks - i) % m->ranks;
            receive_piece(m, COLLECT_IN, inbox_of(m, from, piece), from, m->rank, piece);
        }
    }
    for (uint32_t piece = 0; piece < m->pieces; piece++) {
        for (uint32_t i = 1; i < m->ranks; i++)
            send_piece(m, COLLECT_OUT, (m->rank + i) % m->ranks, (m->rank + i) % m->ranks, piece);
    }
    m->left = (int)(STEPS * (m->ranks - 1) * m->pieces);
}

/* ORs a piece of a peer into the own part. When the last one has come, all get the result. */
static void take_piece(struct mask_reduction *m, uint32_t from, uint32_t piece)
{
    uint64_t *own = m->words + begin_of(m, m->rank, piece);
    const uint64_t *other = inbox_of(m, from, piece);
    const int size = size_of(m, m->rank, piece);
    for (int i = 0; i < size; i++)
        own[i] |= other[i];
    if (--m->missing[piece] > 0)
        return;
    for (uint32_t i = 1; i < m->ranks; i++)
        send_piece(m, SPREAD_OUT, (m->rank + i) % m->ranks, m->rank, piece);
}

/* Goes on after a request that is over. Memory that was sent can take the result. */
static void follow(struct mask_reduction *m, int request)
{
    const uint32_t piece = (uint32_t)request % m->pieces, peer = (uint32_t)request / m->pieces % m->ranks;
    const enum step step = (enum step)((uint32_t)request / m->pieces / m->ranks);
    if (step == COLLECT_IN)
        take_piece(m, peer, piece);
    else if (step == COLLECT_OUT)
        receive_piece(m, SPREAD_IN, m->words + begin_of(m, peer, piece), peer, peer, piece);
}

void mask_reduction_begin(struct mask_reduction *m, uint64_t *words)
{
    if (m->comm == MPI_COMM_NULL || m->ranks == 1)
        return;
    m->words = words;
    m->left = 1;
    if (is_left_to_mpi(m))
        MPI_Iallreduce(MPI_IN_PLACE, words, (int)m->count, MPI_UINT64_T, MPI_BOR, m->comm, &m->requests[0]);
    else
        begin_steps(m);
}

int mask_reduction_is_over(struct mask_reduction *m)
{
    int over = m->words != NULL;
    while (over && m->left > 0) {
        int request;
        MPI_Testany((int)(STEPS * m->ranks * m->pieces), m->requests, &request, &over, MPI_STATUS_IGNORE);
        m->left -= over;
        if (over && !is_left_to_mpi(m))
            follow(m, request);
    }
    if (m->left == 0)
        m->words = NULL;
    return m->words == NULL;
}

/* ---- opening ---- */

static void set_ranks(struct mask_reduction *m, MPI_Comm comm)
{
    int rank, ranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    m->rank = (uint32_t)rank;
    m->ranks = (uint32_t)ranks;
    const uint64_t part = m->count / m->ranks / PIECE_WORDS;
    m->pieces = part < 1 || is_left_to_mpi(m) ? 1 : part < MOST_PIECES ? (uint32_t)part : MOST_PIECES;
}

static enum status take_memory(struct mask_reduction *m, struct memory_budget *budget, struct error *e)
{
    const uint64_t requests = (uint64_t)STEPS * m->ranks * m->pieces,
                   inbox = is_left_to_mpi(m) ? 0 : m->ranks * own_words(m);
    memory_take(budget, (void **)&m->inbox, inbox + 1, sizeof *m->inbox, "a mask of other ranks", e);
    memory_take(budget, (void **)&m->missing, m->pieces, sizeof *m->missing, "a mask of other ranks", e);
    memory_take(budget, (void **)&m->requests, requests, sizeof *m->requests, "a mask of other ranks", e);
    for (uint64_t i = 0; i < requests && e->status == ST_OK; i++)
        m->requests[i] = MPI_REQUEST_NULL;
    return e->status;
}

enum status mask_reduction_open(struct mask_reduction **reduction, const struct comm *comm,
                                const struct comm_window *window, uint64_t words,
                                struct memory_budget *budget, struct error *e)
{
    const MPI_Comm from = comm->ranks == 1 ? MPI_COMM_NULL : window_leaders(window);
    struct mask_reduction *m = NULL;
    *reduction = NULL;
    if (e->status == ST_OK && memory_take(budget, (void **)&m, 1, sizeof *m, "a mask of other ranks", e) == ST_OK) {
        *reduction = m;
        *m = (struct mask_reduction){.comm = MPI_COMM_NULL, .count = words};
        if (from != MPI_COMM_NULL)
            set_ranks(m, from);
        if (from != MPI_COMM_NULL)
            take_memory(m, budget, e);
    }
    if (comm_agree(comm, e) == ST_OK && from != MPI_COMM_NULL)
        MPI_Comm_dup(from, &m->comm);
    return e->status;
}

void mask_reduction_close(struct mask_reduction *m, struct memory_budget *budget)
{
    if (m == NULL)
        return;
    if (m->comm != MPI_COMM_NULL)
        MPI_Comm_free(&m->comm);
    memory_release(budget, m->inbox);
    memory_release(budget, m->missing);
    memory_release(budget, m->requests);
    memory_release(budget, m);
}
