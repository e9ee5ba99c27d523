/* test_sparse_ids.c: a stream of many vertices and few edges is packed to the same bytes with dense ids and
 * without, with a given TH and a suggested one */
#include "stream.h"
#include "unit.h"

#include "formats/graph/manifest.h"
#include "tools/pack/pack.h"

enum { EDGES = 3000 };

static char folder[2][64];

static void part_path(char *path, size_t size, int i, uint32_t shard, uint32_t p)
{
    char name[64] = MANIFEST_NAME;
    if (shard < p)
        manifest_part_name(name, sizeof name, shard, p);
    snprintf(path, size, "%s/%s", folder[i], name);
}

static int same_file(const char *a, const char *b)
{
    FILE *x = fopen(a, "rb"), *y = fopen(b, "rb");
    int same = x != NULL && y != NULL, c = 0;
    while (same && c != EOF) {
        c = getc(x);
        same = c == getc(y);
    }
    if (x != NULL)
        fclose(x);
    if (y != NULL)
        fclose(y);
    return same;
}

/* Compares both folders, and removes them. Entry p stands for the manifest. */
static int same_folders(uint32_t p)
{
    int same = 1;
    for (uint32_t s = 0; s <= p; s++) {
        char path[2][160];
        for (int i = 0; i < 2; i++)
            part_path(path[i], sizeof path[i], i, s, p);
        same &= same_file(path[0], path[1]);
        unlink(path[0]);
        unlink(path[1]);
    }
    return rmdir(folder[0]) == 0 && rmdir(folder[1]) == 0 && same;
}

/* Returns the number of ids that the passes gave. */
static uint64_t pack_into(const char *where, const struct stream *s, struct pack_options o, int dense)
{
    struct memory_budget budget = {.limit_bytes = 1 << 28};
    struct edge_source source = open_stream(s);
    struct pack_report packed;
    struct error e = {0};
    o.folder = where;
    for (int g = 0; g < SUBGRAPHS; g++)
        o.heads[g] = HEADS_AUTO;
    if ((dense && edge_source_make_dense(&source, o.p, o.threads, &budget, &e) != ST_OK) ||
        pack(&o, &source, &budget, &packed, &e) != ST_OK)
        stop_at(&e);
    uint64_t ids = edge_source_ids(&source);
    edge_source_close(&source);
    return ids;
}

static void compare(const struct stream *s, struct pack_options o)
{
    char name[96];
    uint64_t all = pack_into(folder[0], s, o, 0), few = pack_into(folder[1], s, o, 1);
    snprintf(name, sizeof name, "p %u, TH %s %lld: the same bytes with dense ids", o.p,
             o.th_given ? "given" : "suggested", (long long)o.th);
    report(all == s->n && few <= 2 * EDGES * o.p + 1 && same_folders(o.p), name);
}

int main(void)
{
    struct stream s = random_stream(3, 1500, EDGES, 0);
    for (int i = 0; i < 2; i++)
        snprintf(folder[i], sizeof folder[i], "/tmp/dbfs-unit.%ld.%c", (long)getpid(), 'a' + i);
    s.n = UINT64_C(1) << 20;
    for (size_t i = 0; i < s.count; i++)
        s.edges[i] = (struct edge){s.edges[i].u * 1301 % s.n, s.edges[i].v * 1301 % s.n};
    for (uint32_t p = 1; p <= 4; p++) {
        compare(&s, (struct pack_options){.p = p, .threads = 2});
        for (uint64_t th = 0; th <= 12; th += 12)
            compare(&s, (struct pack_options){.p = p, .threads = 2, .th_given = 1, .th = th});
        compare(&s, (struct pack_options){.p = p, .threads = 2, .th_given = 1, .th = TH_INFINITE});
    }
    free(s.edges);
    return unit_result();
}
