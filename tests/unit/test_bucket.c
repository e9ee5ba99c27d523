/* test_bucket.c: a bucket store gives back its records, from memory and from spill files. It notices bytes that a
 * disk has changed, and reports a disk that refuses. */
#include "unit.h"

#include "formats/base/hash.h"
#include "tools/bucket/bucket.h"

#include <fcntl.h>
#include <omp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { BUCKETS = 37, THREADS = 3, RECORDS = 200000 /* of each thread */ };

/* Thread t's record i, and its bucket: most go to bucket 5, none to bucket 8. */
static uint32_t record_of(int t, int i)
{
    return (uint32_t)random64((uint64_t)t, (uint64_t)i);
}

static uint32_t bucket_of(uint32_t record)
{
    uint32_t b = record % 3 == 0 ? 5 : record / 3 % BUCKETS;
    return b == 8 ? 9 : b;
}

static unsigned bytes_of(uint32_t bucket)
{
    static const unsigned bytes[] = {4, 8, 5, 6};
    return bytes[bucket % 4];
}

/* The record as a bucket has it: all of its bits are used. */
static uint64_t stored(uint32_t record, uint32_t bucket)
{
    uint64_t word = (uint64_t)record * UINT64_C(0x9e3779b97f4a7c15);
    return bytes_of(bucket) == 4 ? record : word >> (64 - 8 * bytes_of(bucket));
}

static void fill(struct bucket_store *store)
{
#pragma omp parallel num_threads(THREADS)
    {
        int t = omp_get_thread_num();
        for (int i = 0; i < RECORDS; i++) {
            uint32_t record = record_of(t, i), b = bucket_of(record);
            if (bytes_of(b) == 4)
                bucket_append_u32(&store->writer[t], b, record);
            else
                bucket_append_long(&store->writer[t], b, stored(record, b), bytes_of(b));
        }
    }
}

/* The records of a bucket as count and sum of hashes, in any order. */
struct digest {
    uint64_t count, sum;
};

static void plain_digests(struct digest *digest)
{
    memset(digest, 0, BUCKETS * sizeof *digest);
    for (int t = 0; t < THREADS; t++) {
        for (int i = 0; i < RECORDS; i++) {
            uint32_t record = record_of(t, i), b = bucket_of(record);
            digest[b].count++;
            digest[b].sum += mix64(stored(record, b));
        }
    }
}

static uint64_t record_at(const void *records, unsigned bytes, size_t i)
{
    if (bytes == 4)
        return ((const uint32_t *)records)[i];
    return bytes == 8 ? ((const uint64_t *)records)[i] : bucket_odd_record(records, bytes, i);
}

static struct digest read_digest(const struct bucket_store *store, uint32_t b, struct error *e)
{
    struct digest d = {0};
    size_t count;
    const void *records;
    void *buffer = malloc(BUCKET_READ_BYTES);
    struct bucket_reader r = bucket_read(store, b, bytes_of(b), buffer, e);
    while ((count = bucket_reader_next(&r, &records)) > 0) {
        d.count += count;
        for (size_t i = 0; i < count; i++)
            d.sum += mix64(record_at(records, bytes_of(b), i));
    }
    free(buffer);
    return d;
}

static int agrees(const struct bucket_store *store, const struct digest *plain, struct error *e)
{
    int ok = 1;
    for (uint32_t b = 0; b < BUCKETS; b++) {
        struct digest d = read_digest(store, b, e);
        ok &= d.count == plain[b].count && d.sum == plain[b].sum;
    }
    return ok && e->status == ST_OK;
}

static enum status make(struct bucket_store *store, uint64_t capacity, struct spill *spill,
                        struct memory_budget *budget, struct error *e)
{
    struct bucket_options o = {.buckets = BUCKETS,
                               .threads = THREADS,
                               .expected_bytes = 4 * THREADS * RECORDS,
                               .most_bytes = 8 * THREADS * RECORDS,
                               .room_bytes = capacity,
                               .spill = spill};
    *budget = (struct memory_budget){.limit_bytes = capacity};
    if (bucket_store_open(store, &o, budget, e) != ST_OK)
        return e->status;
    fill(store);
    return bucket_store_seal(store, e);
}

static void test_rooms(void)
{
    static const char *const folders[] = {"/tmp", "."};
    static struct digest plain[BUCKETS];
    struct bucket_options least = {.buckets = BUCKETS, .threads = THREADS,
                                   .most_bytes = 8 * THREADS * RECORDS};
    uint64_t capacity = bucket_store_least(&least), first = 0, last = 0;
    int ok = 1;
    plain_digests(plain);
    for (unsigned i = 0; i < 8; i++, capacity += capacity / 2) {
        struct error e = {0};
        struct memory_budget budget;
        struct bucket_store store;
        struct spill spill;
        spill_open(&spill, folders, 2);
        ok &= make(&store, capacity, &spill, &budget, &e) == ST_OK && agrees(&store, plain, &e) &&
              budget.taken_bytes <= capacity;
        first = i == 0 ? spill_bytes(&spill) : first;
        last = spill_bytes(&spill);
        ok &= i > 0 || (spill.end[0] > 0 && spill.end[1] > 0);
        bucket_store_close(&store);
        ok &= budget.taken_bytes == 0;
        spill_close(&spill);
    }
    report(ok, "all records come back from any room, over two folders");
    report(first > 3 * RECORDS && last == 0, "little room spills most, ample room nothing");
    struct error e = {0};
    struct memory_budget budget;
    struct bucket_store store;
    report(make(&store, UINT64_C(64) << 20, NULL, &budget, &e) == ST_OK &&
               agrees(&store, plain, &e), "all records come back from memory");
    bucket_store_close(&store);
}

static void test_refusals(void)
{
    static const char *const folders[] = {"/tmp"};
    struct error e = {0};
    struct memory_budget budget;
    struct bucket_store store;
    report(make(&store, 10000, NULL, &budget, &e) == ST_RESOURCE, "too little room for a store");
    e = (struct error){0};
    report(make(&store, UINT64_C(3) << 20, NULL, &budget, &e) == ST_RESOURCE,
           "records beyond the room, and nowhere to spill");
    bucket_store_close(&store);

    struct spill spill;
    struct rlimit old, small = {.rlim_cur = 100000, .rlim_max = RLIM_INFINITY};
    getrlimit(RLIMIT_FSIZE, &old);
    small.rlim_max = old.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    e = (struct error){0};
    spill_open(&spill, folders, 1);
    setrlimit(RLIMIT_FSIZE, &small);
    enum status status = make(&store, UINT64_C(3) << 20, &spill, &budget, &e);
    setrlimit(RLIMIT_FSIZE, &old);
    report(status == ST_RUNTIME && strstr(e.text, "/tmp: cannot write") != NULL,
           "a spill file that cannot grow names its folder");
    bucket_store_close(&store);
    spill_close(&spill);
}

static void test_corruption(void)
{
    static const char *const folders[] = {"/tmp"};
    static struct digest plain[BUCKETS];
    struct error e = {0};
    struct memory_budget budget;
    struct bucket_store store;
    struct spill spill;
    unsigned char byte;
    plain_digests(plain);
    spill_open(&spill, folders, 1);
    if (make(&store, UINT64_C(3) << 20, &spill, &budget, &e) != ST_OK ||
        pread(spill.fd[0], &byte, 1, 5000) != 1) {
        report(0, e.text);
        return;
    }
    byte ^= 1;
    int written = pwrite(spill.fd[0], &byte, 1, 5000) == 1;
    report(written && !agrees(&store, plain, &e) && e.status == ST_RUNTIME &&
               strstr(e.text, "/tmp: a temporary file is corrupt") != NULL,
           "a flipped bit in a spill file is found");
    e = (struct error){0};
    report(ftruncate(spill.fd[0], 4096) == 0 && !agrees(&store, plain, &e) &&
               strstr(e.text, "/tmp: a temporary file ends at byte") != NULL,
           "a spill file that lost its end is found");
    bucket_store_close(&store);
    spill_close(&spill);
}

int main(void)
{
    test_rooms();
    test_refusals();
    test_corruption();
    return unit_result();
}
