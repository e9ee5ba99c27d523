/* test_parts_checksum.c: parts give the checksum of their input again, with slots of all parts in memory or of one
 * part at a time */
#include "stream.h"
#include "unit.h"

#include "formats/base/hash.h"
#include "tools/pack/folder/parts_checksum.h"
#include "tools/pack/pack.h"

enum { VERTICES = 700, P = 5 };

static char folder[64];

/* Each edge once, self-loops, too, and in both directions if the stream is symmetric. */
static struct stream simple_stream(int symmetric)
{
    struct stream s = {.direction = symmetric ? EDGES_SYMMETRIC : EDGES_UNDIRECTED_ONCE, .n = VERTICES};
    s.edges = calloc(VERTICES * VERTICES / 2, sizeof *s.edges);
    for (uint64_t u = 0; u < VERTICES; u++) {
        for (uint64_t v = u; v < VERTICES; v += 1 + random64(u, v) % (2 + u)) {
            s.edges[s.count++] = u % 2 ? (struct edge){u, v} : (struct edge){v, u};
            if (symmetric && u != v)
                s.edges[s.count++] = u % 2 ? (struct edge){v, u} : (struct edge){u, v};
        }
    }
    return s;
}

static void pack_stream(const struct stream *s, enum pack_encoding encoding, uint64_t th)
{
    struct pack_options o = {
        .p = P, .th_given = 1, .th = th, .threads = 2, .folder = folder, .encoding = encoding};
    struct memory_budget budget = {.limit_bytes = 1 << 28};
    struct edge_source source = open_stream(s);
    struct pack_report packed;
    struct error e = {0};
    for (int g = 0; g < SUBGRAPHS; g++)
        o.heads[g] = g;
    if (pack(&o, &source, &budget, &packed, &e) != ST_OK)
        stop_at(&e);
    edge_source_close(&source);
}

/* Computes the sum with this much memory. */
static uint64_t sum_with(struct checked_parts *parts, uint64_t bytes, enum status *status)
{
    struct memory_budget budget = {.limit_bytes = bytes};
    struct error e = {0};
    uint64_t sum = 0;
    parts->budget = &budget;
    *status = parts_checksum(parts, &sum, &e);
    return sum;
}

static void test_sums(struct checked_parts *parts, const char *how)
{
    char name[96];
    uint64_t wanted = parts->manifest->totals.checksum, bytes = 0;
    enum status status;
    snprintf(name, sizeof name, "%s: the checksum of the input", how);
    report(sum_with(parts, 1 << 26, &status) == wanted && status == ST_OK, name);
    while (sum_with(parts, bytes, &status) != wanted && status == ST_RESOURCE && bytes < 1 << 20)
        bytes += 64;
    snprintf(name, sizeof name, "%s: with as little memory as does (%llu bytes)", how,
             (unsigned long long)bytes);
    report(status == ST_OK && sum_with(parts, bytes, &status) == wanted, name);
}

static void remove_folder(const struct manifest *m)
{
    char path[160], name[64];
    for (uint32_t s = 0; s <= m->p; s++) {
        snprintf(path, sizeof path, "%s/%s", folder,
                 s < m->p ? manifest_part_name(name, sizeof name, s, m->p) : MANIFEST_NAME);
        unlink(path);
    }
    rmdir(folder);
}

static void test_graph(int symmetric, enum pack_encoding encoding, uint64_t th, const char *how)
{
    struct stream stream = simple_stream(symmetric);
    struct shard shard[P];
    struct manifest m;
    struct error e = {0};
    pack_stream(&stream, encoding, th);
    if (manifest_read(&m, folder, &e) != ST_OK)
        stop_at(&e);
    struct checked_parts parts = {&m, shard, 2, NULL};
    for (uint32_t s = 0; s < P; s++) {
        if (manifest_open_shard(&m, folder, s, &shard[s], &e) != ST_OK)
            stop_at(&e);
    }
    test_sums(&parts, how);
    for (uint32_t s = 0; s < P; s++)
        shard_close(&shard[s]);
    remove_folder(&m);
    manifest_free(&m);
    free(stream.edges);
}

int main(void)
{
    snprintf(folder, sizeof folder, "/tmp/dbfs-unit.%ld.checksum", (long)getpid());
    test_graph(0, PACK_RAW, 20, "undirected, raw");
    test_graph(0, PACK_PACKED, 20, "undirected, packed");
    test_graph(1, PACK_PACKED, 20, "symmetric, packed");
    test_graph(1, PACK_RAW, TH_INFINITE, "symmetric, no delegates");
    test_graph(0, PACK_PACKED, 0, "undirected, delegates alone");
    return unit_result();
}
