/* test_comm.c: agreements, sums, copies and messages of the ranks of a job (formats/mpi/comm.h).
 *
 * Without mpiexec it is one rank without MPI. tests/cli/comm.sh runs it under mpiexec with an argument: `start`
 * starts MPI even for one rank, `abort` lets the last rank end the job, and `stop` stops it while all wait. Rank 0
 * reports, and so does every rank on which a check fails. */
#include "formats/base/memory.h"
#include "formats/mpi/comm.h"
#include "formats/mpi/watch.h"
#include "formats/mpi/window.h"
#include "unit.h"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct comm comm;

#define checked(ok, name) checked_at(ok, name, __LINE__)

static void checked_at(int ok, const char *name, int line)
{
    char named[256];
    snprintf(named, sizeof named, "%s (rank %u of %u)", name, comm.rank, comm.ranks);
    if (comm.rank == 0 || !ok)
        report_at(ok, named, __FILE__, line);
    fflush(stdout);
}

static void *allocate(size_t bytes)
{
    void *memory = calloc(1, bytes + 1);
    if (memory == NULL)
        abort();
    return memory;
}

/* ---- start-up and failures ---- */

static void test_start(void)
{
    checked(comm.rank < comm.ranks && comm.host_ranks == comm.ranks && comm.host_rank == comm.rank,
            "all ranks are on this host");
    checked(comm.ranks == 1 || (comm.host[0] != '\0' && comm.library[0] != '\0'),
            "host and library have names");
    checked(comm_alone.rank == 0 && comm_alone.ranks == 1 && comm_alone.host_ranks == 1 &&
                comm_alone.library[0] == '\0',
            "without MPI there is one rank");
}

static void test_memory(void)
{
    uint64_t all = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t share = comm_memory(&comm, 0);
    checked(comm_memory(&comm, 12345) == 12345, "memory: what is given stays");
    if (comm.ranks == 1)
        checked(share == 0, "memory: one rank is told nothing");
    else
        checked(share > 0 && share <= all / 4 * 3 / comm.host_ranks,
                "memory: at most a rank's share of three quarters of the host's");
    if (comm.ranks > 1) {
        struct comm crowded = comm;
        crowded.host_ranks = 1000 * comm.host_ranks;
        checked(comm_memory(&crowded, 0) < share / 100, "memory: the share of a crowd is small");
    }
}

/* Every rank whose bit is set in `failing` fails with a status and text of its own. */
static struct error agreed(unsigned failing)
{
    struct error e = {0};
    if (failing >> comm.rank & 1)
        fail(&e, comm.rank % 2 == 0 ? ST_BAD_DATA : ST_RESOURCE, "cause %u", comm.rank);
    enum status status = comm_agree(&comm, &e);
    if (status != e.status)
        snprintf(e.text, sizeof e.text, "the status returned is another one");
    return e;
}

static void test_agree(void)
{
    int statuses = 1, causes = 1, names = 1;
    unsigned all = (1u << comm.ranks) - 1;
    for (unsigned failing = 1; failing <= all; failing++) {
        struct error e = agreed(failing);
        uint32_t lowest = 0;
        char cause[32], name[384];
        while (!(failing >> lowest & 1))
            lowest++;
        snprintf(cause, sizeof cause, "cause %u", lowest);
        snprintf(name, sizeof name, "rank %u on %.64s: cause %u", lowest, comm.host, lowest);
        statuses &= e.status == (lowest % 2 == 0 ? ST_BAD_DATA : ST_RESOURCE);
        causes &= strstr(e.text, cause) != NULL;
        names &= strcmp(e.text, failing == all ? cause : name) == 0;
    }
    checked(agreed(0).status == ST_OK, "agree: nobody failed");
    checked(statuses, "agree: all have the status of the lowest failing rank");
    checked(causes, "agree: and its text");
    checked(names, "agree: with its name, unless all failed");
}

/* ---- reductions and copies ---- */

enum { PIECES = (1 << 21) + 77 }; /* more than one MPI call takes */

static void test_sums(void)
{
    uint64_t *wide = allocate(PIECES * sizeof *wide), last_wide = UINT64_MAX - 1;
    uint32_t *narrow = allocate(PIECES * sizeof *narrow), last_narrow = UINT32_MAX - 1;
    uint32_t ranks = comm.ranks;
    uint64_t of_ranks = (uint64_t)ranks * (ranks - 1) / 2;
    int same_wide = 1, same_narrow = 1;
    for (uint64_t i = 0; i < PIECES; i++) {
        wide[i] = (i << 20) + comm.rank;
        narrow[i] = (uint32_t)i + comm.rank;
    }
    comm_sum_u64(&comm, wide, PIECES);
    comm_sum_u32(&comm, narrow, PIECES);
    for (uint64_t i = 0; i < PIECES; i++) {
        same_wide &= wide[i] == (i << 20) * ranks + of_ranks;
        same_narrow &= narrow[i] == (uint32_t)(i * ranks + of_ranks);
    }
    checked(same_wide, "sums of u64, of more values than one call takes");
    checked(same_narrow, "sums of u32");
    comm_sum_u64(&comm, &last_wide, 1);
    comm_sum_u32(&comm, &last_narrow, 1);
    checked(last_wide == (UINT64_MAX - 1) * ranks && last_narrow == (UINT32_MAX - 1) * ranks,
            "sums modulo the width");
    comm_sum_u64(&comm, NULL, 0);
    free(wide);
    free(narrow);
}

static void test_order(void)
{
    uint64_t half = UINT64_C(1) << 63, ranks = comm.ranks, last = ranks - 1;
    uint64_t least[] = {half + comm.rank, UINT64_MAX - comm.rank, comm.rank == last ? 7 : half, 0,
                        UINT64_MAX};
    double seconds[] = {comm.rank + 0.5, -1.0 - comm.rank};
    int32_t narrow[] = {(int32_t)comm.rank, -1, comm.rank == last ? INT32_MAX : -1};
    int64_t most[] = {(int64_t)comm.rank, -5 - (int64_t)comm.rank, INT64_MIN, INT64_MAX};
    comm_min_u64(&comm, least, 5);
    checked(least[0] == half && least[1] == UINT64_MAX - last && least[2] == 7 && least[3] == 0 &&
                least[4] == UINT64_MAX,
            "least of u64, on both sides of 2^63");
    checked(comm_min_of(&comm, comm.rank == last ? half - 1 : half) == half - 1 &&
                comm_max_of(&comm, comm.rank == last ? half : half - 1) == half &&
                comm_max_of(&comm, UINT64_MAX - comm.rank) == UINT64_MAX &&
                comm_min_of(&comm, comm.rank) == 0,
            "least and most of one value of each rank");
    comm_max_double(&comm, seconds, 2);
    checked(seconds[0] == last + 0.5 && seconds[1] == -1, "most of doubles");
    comm_max_ids(&comm, most, 8, 4);
    checked(most[0] == (int64_t)last && most[1] == -5 && most[2] == INT64_MIN &&
                most[3] == INT64_MAX,
            "most of ids of 8 bytes");
    comm_max_ids(&comm, narrow, 4, 3);
    checked(narrow[0] == (int32_t)last && narrow[1] == -1 && narrow[2] == INT32_MAX,
            "most of ids of 4 bytes");
}

static uint64_t mask_word(uint32_t rank, uint64_t i)
{
    if (i % 5 == rank)
        return UINT64_C(1) << i % 64;
    return i % 7 == 0 ? UINT64_C(1) << (63 - rank) : 0;
}

static int is_or_of_all(const uint64_t *words, uint64_t count)
{
    int same = 1;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t all = 0;
        for (uint32_t r = 0; r < comm.ranks; r++)
            all |= mask_word(r, i);
        same &= words[i] == all;
    }
    return same;
}

static void fill_mask(uint64_t *words, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        words[i] = mask_word(comm.rank, i);
}

static void test_masks(void)
{
    uint64_t *words = allocate(PIECES * sizeof *words);
    fill_mask(words, PIECES);
    comm_or_masks(&comm, words, PIECES);
    checked(is_or_of_all(words, PIECES), "masks in one step");
    free(words);
}

/* Twice, with a sum between their steps. */
static void test_masks_in_two_steps(void)
{
    uint64_t *words = allocate(PIECES * sizeof *words);
    int same = 1;
    for (int i = 0; i < 2 && comm.ranks > 1; i++) {
        uint64_t one = 1;
        fill_mask(words, PIECES);
        comm_window_begin_or_masks(NULL, words, PIECES);
        comm_sum_u64(&comm, &one, 1);
        while (!comm_masks_are_here())
            sched_yield();
        same &= is_or_of_all(words, PIECES) && one == comm.ranks;
    }
    checked(same, "masks in two steps, with a sum between them");
    free(words);
}

static unsigned char byte_of(uint32_t from, uint32_t to, uint64_t i)
{
    return (unsigned char)(i * 31 + i / 251 + from * 7 + to * 3);
}

static int is_pattern(const unsigned char *bytes, uint64_t count, uint32_t from, uint32_t to)
{
    int same = 1;
    for (uint64_t i = 0; i < count; i++)
        same &= bytes[i] == byte_of(from, to, i);
    return same;
}

static void fill_pattern(unsigned char *bytes, uint64_t count, uint32_t from, uint32_t to)
{
    for (uint64_t i = 0; i < count; i++)
        bytes[i] = byte_of(from, to, i);
}

static void test_broadcast(void)
{
    /* the last one takes two MPI calls */
    static const uint64_t sizes[] = {0, 1, 4097, (1 << 26) + 12345};
    unsigned char *bytes = allocate(sizes[3]);
    int same = 1;
    for (int i = 0; i < 4; i++) {
        uint32_t root = (uint32_t)i % comm.ranks;
        memset(bytes, 0xee, sizes[i] + 1);
        if (comm.rank == root)
            fill_pattern(bytes, sizes[i], root, 0);
        comm_broadcast(&comm, bytes, sizes[i], root);
        same &= is_pattern(bytes, sizes[i], root, 0) && bytes[sizes[i]] == 0xee;
    }
    checked(same, "broadcasts of 0 bytes to more than 64 MiB");
    free(bytes);
}

static void test_alltoall(void)
{
    enum { COUNT = 3 };
    uint64_t *sent = allocate(comm.ranks * COUNT * sizeof *sent);
    uint64_t *received = allocate(comm.ranks * COUNT * sizeof *received);
    int same = 1;
    for (uint32_t i = 0; i < comm.ranks * COUNT; i++)
        sent[i] = (uint64_t)comm.rank << 40 | i;
    comm_alltoall_u64(&comm, sent, received, COUNT);
    for (uint32_t i = 0; i < comm.ranks * COUNT; i++)
        same &= received[i] == ((uint64_t)(i / COUNT) << 40 | (comm.rank * COUNT + i % COUNT));
    checked(same, "alltoall: every rank's slots");
    free(sent);
    free(received);
}

/* ---- messages ---- */

enum { MESSAGES = 3 }; /* from each rank to each other, each with its own tag */

static uint64_t message_size(uint32_t from, uint32_t to, int tag)
{
    static const uint64_t sizes[] = {0, 1, 99, 100, 101, 1000, 12345, 70001};
    return sizes[(from + 2 * to + 3 * (uint32_t)tag) % 8];
}

static uint32_t pattern_of(uint32_t to, int tag)
{
    return 16 * to + (uint32_t)tag;
}

/* Lists all messages from this rank, or to it. The last tags come first, so only the tags tell messages apart. */
static size_t list_messages(struct transfer *list, int sending)
{
    size_t count = 0;
    for (uint32_t other = 0; other < comm.ranks; other++) {
        for (int i = 0; i < MESSAGES && other != comm.rank; i++) {
            int tag = sending ? i : MESSAGES - 1 - i;
            uint32_t from = sending ? comm.rank : other, to = sending ? other : comm.rank;
            uint64_t size = message_size(from, to, tag);
            void *bytes = allocate(size);
            if (sending)
                fill_pattern(bytes, size, from, pattern_of(to, tag));
            list[count++] =
                (struct transfer){.rank = other, .tag = tag, .bytes = bytes, .size = size};
        }
    }
    return count;
}

static void free_messages(struct transfer *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(list[i].bytes);
    free(list);
}

static int transfers_arrive(uint64_t chunk_bytes)
{
    struct error e = {0};
    struct transfer *sends = allocate(comm.ranks * MESSAGES * sizeof *sends);
    struct transfer *receives = allocate(comm.ranks * MESSAGES * sizeof *receives);
    size_t sent = list_messages(sends, 1), received = list_messages(receives, 0);
    int same = comm_transfer(&comm, sends, sent, receives, received, chunk_bytes, &e) == ST_OK;
    for (size_t i = 0; i < received; i++) {
        const struct transfer *t = &receives[i];
        same &= is_pattern(t->bytes, t->size, t->rank, pattern_of(comm.rank, t->tag)) &&
                ((unsigned char *)t->bytes)[t->size] == 0;
    }
    free_messages(sends, sent);
    free_messages(receives, received);
    return same;
}

static void test_transfers(void)
{
    struct error e = {0};
    checked(transfers_arrive(100), "messages of 0 to 70001 bytes arrive in chunks of 100");
    checked(transfers_arrive(13), "messages of 0 to 70001 bytes arrive in chunks of 13");
    checked(transfers_arrive(4 << 20), "messages of 0 to 70001 bytes arrive in chunks larger than they are");
    checked(comm_transfer(&comm, NULL, 0, NULL, 0, 1, &e) == ST_OK, "no messages");
}

/* Rank r deals r + to + 1 records to each rank `to`, also to itself. */
static void test_deal(void)
{
    struct error e = {0};
    struct memory_budget budget;
    uint64_t *counts = allocate(comm.ranks * sizeof *counts), *begin = allocate((comm.ranks + 1) * sizeof *begin), *got = NULL;
    uint64_t *own = allocate((uint64_t)comm.ranks * (2 * comm.ranks + 1) * sizeof *own), count = 0;
    int same = 1;
    memory_budget_init(&budget, 1 << 20);
    for (uint32_t to = 0; to < comm.ranks; to++) {
        counts[to] = comm.rank + to + 1;
        for (uint64_t i = 0; i < counts[to]; i++)
            own[count++] = (uint64_t)comm.rank << 40 | (uint64_t)to << 20 | i;
    }
    checked(comm_deal(&comm, own, counts, sizeof *own, &budget, (void **)&got, begin, "records", &e) == ST_OK, "deal: records are dealt");
    for (uint32_t from = 0; from < comm.ranks; from++) {
        same &= begin[from + 1] - begin[from] == from + comm.rank + 1;
        for (uint64_t i = begin[from]; i < begin[from + 1]; i++)
            same &= got[i] == ((uint64_t)from << 40 | (uint64_t)comm.rank << 20 | (i - begin[from]));
    }
    checked(same, "deal: each rank has those that it was dealt, in the order of ranks");
    memory_release(&budget, got);
    if (comm.rank == 0)
        fail(&e, ST_RESOURCE, "rank 0 has had enough");
    checked(comm_deal(&comm, own, counts, sizeof *own, &budget, (void **)&got, begin, "records", &e) == ST_RESOURCE && got == NULL,
            "deal: all ranks learn that one has failed before");
    free(counts);
    free(begin);
    free(own);
}

/* Rank 0 has no rank before it, and the last rank none behind. The others pass on to the next. */
static void test_swaps(void)
{
    enum { SIZE = 5000 };
    unsigned char *out = allocate(SIZE), *in = allocate(SIZE);
    uint32_t last = comm.ranks - 1, next = comm.rank < last ? comm.rank + 1 : COMM_NONE;
    uint32_t before = comm.rank > 0 ? comm.rank - 1 : COMM_NONE;
    fill_pattern(out, SIZE, comm.rank, 9);
    size_t got = comm_swap(&comm, next, out, SIZE - comm.rank, before, in, SIZE);
    if (before == COMM_NONE)
        checked(got == 0 && in[0] == 0, "swap: nothing comes from nobody");
    else
        checked(got == SIZE - before && is_pattern(in, got, before, 9),
                "swap: the bytes of the rank before");
    uint32_t to = (comm.rank + 1) % comm.ranks, from = (comm.rank + last) % comm.ranks;
    got = comm_swap(&comm, to, out, 10 * comm.rank, from, in, SIZE);
    checked(got == 10 * from && is_pattern(in, got, from, 9),
            "swap: in a circle, with an empty message");
    got = comm_swap(&comm, COMM_NONE, out, SIZE, COMM_NONE, in, SIZE);
    checked(got == 0, "swap: nobody with nobody");
    free(out);
    free(in);
}

/* The others wait for the one that ends the job. */
static int abort_last(void)
{
    struct error e = {0};
    fail(&e, ST_RESOURCE, "the last rank has had enough");
    if (comm.rank == comm.ranks - 1)
        comm_abort(&comm, "test_comm", &e);
    comm_barrier(&comm);
    return 0;
}

/* The last rank is stopped while it waits, but begins to wait later than the others. */
static int stop_last(void)
{
    struct error e = {0};
    if (watch_start(&comm, "test_comm", 1.5, &e) != ST_OK)
        return 9;
    watch_phase("resting");
    watch_wait_begin();
    usleep(700000);
    if (comm.rank == comm.ranks - 1)
        raise(SIGSTOP);
    sleep(20);
    return 0;
}

int main(int argc, char **argv)
{
    struct error e = {0};
    const char *what = argc > 1 ? argv[1] : "";
    if (comm_start(&comm, &e) != ST_OK) {
        printf("not ok - %s\n", e.text);
        return 1;
    }
    if (strcmp(what, "abort") == 0)
        return abort_last();
    if (strcmp(what, "stop") == 0)
        return stop_last();
    test_start();
    test_memory();
    test_agree();
    test_sums();
    test_order();
    test_masks();
    test_masks_in_two_steps();
    test_broadcast();
    test_alltoall();
    test_transfers();
    test_deal();
    if (comm_start_mpi())
        test_swaps();
    comm_barrier(&comm);
    return unit_result();
}
