/* test_formats.c: the shared formats are written and read back; each kind of damage is refused by name */
#include "unit.h"

#include "formats/bijection.h"
#include "formats/container/container.h"
#include "formats/base/crc.h"
#include "formats/edges/edges.h"
#include "formats/edges/edges_scan.h"
#include "formats/base/hash.h"
#include "formats/graph/manifest.h"
#include "formats/base/memory.h"
#include "formats/split.h"
#include "formats/base/text.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

static char folder[64];

static const char *path_of(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static unsigned char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    unsigned char *bytes = malloc(1 << 22);
    *size = file != NULL ? fread(bytes, 1, 1 << 22, file) : 0;
    if (file != NULL)
        fclose(file);
    return bytes;
}

static void write_file(const char *path, const unsigned char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
        abort();
}

/* ---- numbers ---- */

static void test_text(void)
{
    uint64_t x;
    double r;
    report(parse_u64("18446744073709551615", &x) == 0 && x == UINT64_MAX, "parse_u64 of 2^64-1");
    report(parse_u64("18446744073709551616", &x) != 0 && parse_u64("", &x) != 0 &&
               parse_u64("-1", &x) != 0 && parse_u64("+1", &x) != 0 && parse_u64("1x", &x) != 0 &&
               parse_u64(" 1", &x) != 0,
           "parse_u64 refuses overflow, signs, spaces, trailing text");
    report(parse_size("4G", &x) == 0 && x == UINT64_C(4) << 30 && parse_size("1k", &x) == 0 &&
               x == 1024 && parse_size("7", &x) == 0 && x == 7,
           "parse_size with and without suffix");
    report(parse_size("16777216T", &x) != 0 && parse_size("4GB", &x) != 0 &&
               parse_size("G", &x) != 0,
           "parse_size refuses overflow and other suffixes");
    report(parse_real("1e-7", &r) == 0 && r == 1e-7 && parse_real("nan", &r) != 0 &&
               parse_real("-1", &r) != 0 && parse_real("1e999", &r) != 0,
           "parse_real");
}

/* ---- bijection ---- */

static int is_permutation(uint64_t n, uint64_t seed)
{
    struct bijection b;
    unsigned char *seen = calloc(n, 1);
    int ok = 1;
    bijection_init(&b, n, seed);
    for (uint64_t i = 0; i < n && ok; i++) {
        uint64_t image = bijection_forward(&b, i);
        ok = image < n && !seen[image] && bijection_backward(&b, image) == i;
        if (ok)
            seen[image] = 1;
    }
    free(seen);
    return ok;
}

static void test_bijection(void)
{
    static const uint64_t sizes[] = {1, 2, 3, 5, 64, 65, 1000, 65536, 100003};
    int ok = 1;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (uint64_t seed = 0; seed < 3; seed++)
            ok &= is_permutation(sizes[i], seed);
    report(ok, "bijection permutes 0..n-1 and inverts, for n from 1 to 100003");

    struct bijection b;
    uint64_t n = (UINT64_C(1) << 48) - 59, id = 1;
    bijection_init(&b, n, 7);
    for (ok = 1; id < n && ok; id = id * 5 + 1)
        ok = bijection_backward(&b, bijection_forward(&b, id)) == id;
    report(ok, "bijection inverts near 2^48");

    uint64_t fixed = 0, mod7[7] = {0};
    bijection_init(&b, 70000, 1);
    for (uint64_t i = 0; i < 70000; i++) {
        fixed += bijection_forward(&b, i) == i;
        mod7[bijection_forward(&b, i) % 7] += i < 10000;
    }
    ok = fixed < 20;
    for (int i = 0; i < 7; i++) /* 10000/7 = 1429, standard deviation 35 */
        ok &= mod7[i] > 1429 - 180 && mod7[i] < 1429 + 180;
    report(ok, "bijection spreads a range evenly over residues");
}

/* ---- edge streams ---- */

enum { TEST_EDGES = EDGES_BLOCK_EDGES + 1000 };

static struct edge *make_edges(uint64_t largest)
{
    struct edge *edges = malloc(TEST_EDGES * sizeof *edges);
    for (uint64_t i = 0; i < TEST_EDGES; i++)
        edges[i] = (struct edge){random64(1, 2 * i) % largest, random64(1, 2 * i + 1) % largest};
    edges[5].v = edges[5].u; /* a loop */
    return edges;
}

static enum status write_stream(const char *path, const struct edge *edges, size_t count,
                                enum edges_direction direction, uint64_t n,
                                struct edges_totals *totals)
{
    struct error e = {0};
    struct outfile *out = NULL;
    struct edges_writer *writer = NULL;
    struct edges_info info = {.direction = direction, .provenance = "test\n"};
    if (outfile_open(&out, path, &e) == ST_OK &&
        edges_writer_open(&writer, out, &info, &e) == ST_OK) {
        edges_writer_add(writer, edges, count / 2, &e); /* in two calls, of which blocks are independent */
        edges_writer_add(writer, edges + count / 2, count - count / 2, &e);
        edges_writer_finish(writer, n, totals, &e);
    }
    edges_writer_free(writer);
    if (e.status == ST_OK)
        outfile_commit(out, NULL, &e);
    else
        outfile_abort(out);
    return e.status;
}

struct collected {
    uint64_t count, sum;
};

static enum status collect(void *context, int thread, const struct edge *edges, size_t count,
                           struct error *e)
{
    struct collected *c = context;
    uint64_t sum = 0;
    (void)thread;
    for (size_t i = 0; i < count; i++)
        sum += edges[i].u * 3 + edges[i].v;
#pragma omp atomic
    c->count += count;
#pragma omp atomic
    c->sum += sum;
    return e->status;
}

static enum status scan_stream(const char *path, struct collected *c, struct edges_totals *totals,
                               struct error *e)
{
    struct edges_reader *reader = NULL;
    memset(c, 0, sizeof *c);
    memset(e, 0, sizeof *e);
    if (edges_reader_open_fd(&reader, open(path, O_RDONLY), path, e) == ST_OK)
        edges_scan(reader, 2, collect, c, totals, e);
    edges_reader_close(reader);
    return e->status;
}

static void test_round_trip(uint64_t largest, const char *name)
{
    struct edge *edges = make_edges(largest);
    struct edges_totals written, read;
    struct collected c;
    struct error e = {0};
    uint64_t sum = 0;
    for (int i = 0; i < TEST_EDGES; i++)
        sum += edges[i].u * 3 + edges[i].v;
    const char *path = path_of("round.edges");
    int ok = write_stream(path, edges, TEST_EDGES, EDGES_UNDIRECTED_ONCE, largest + 9, &written) ==
                 ST_OK &&
             scan_stream(path, &c, &read, &e) == ST_OK && c.count == TEST_EDGES && c.sum == sum &&
             memcmp(&written, &read, sizeof read) == 0 && read.n == largest + 9 && read.loops >= 1;
    report(ok, name);
    free(edges);
}

static void test_checksum(void)
{
    struct edge *edges = make_edges(1000);
    struct edges_totals forward = {0}, turned = {0}, directed = {0}, turned_directed = {0};
    edges_tally(&forward, EDGES_UNDIRECTED_ONCE, edges, TEST_EDGES);
    edges_tally(&directed, EDGES_DIRECTED, edges, TEST_EDGES);
    for (int i = 0; i < TEST_EDGES / 2; i++) { /* reverses the order and every orientation */
        struct edge a = edges[i], b = edges[TEST_EDGES - 1 - i];
        edges[i] = (struct edge){b.v, b.u};
        edges[TEST_EDGES - 1 - i] = (struct edge){a.v, a.u};
    }
    edges_tally(&turned, EDGES_UNDIRECTED_ONCE, edges, TEST_EDGES);
    edges_tally(&turned_directed, EDGES_DIRECTED, edges, TEST_EDGES);
    report(forward.checksum == turned.checksum,
           "checksum of undirected edges ignores order and orientation");
    report(directed.checksum != turned_directed.checksum, "checksum of arcs sees orientation");
    edges[7].u ^= 1;
    turned.checksum = 0;
    edges_tally(&turned, EDGES_UNDIRECTED_ONCE, edges, TEST_EDGES);
    report(forward.checksum != turned.checksum, "checksum sees one changed id");
    free(edges);
}

/* A prefix of any length, and a flipped bit anywhere, must be refused as bad data. */
static void test_stream_corruption(void)
{
    struct edge *edges = make_edges(100);
    struct edges_totals totals;
    struct collected c;
    struct error e;
    const char *path = path_of("good.edges");
    write_stream(path, edges, 300, EDGES_DIRECTED, 0, &totals);
    size_t size;
    unsigned char *bytes = read_file(path, &size);
    int refused = 1, undamaged = scan_stream(path, &c, &totals, &e) == ST_OK;
    for (size_t cut = 0; cut < size; cut++) {
        write_file(path, bytes, cut);
        refused &= scan_stream(path, &c, &totals, &e) == ST_BAD_DATA && e.text[0] != '\0';
    }
    report(undamaged && refused, "an edge stream cut at any byte is refused");
    refused = 1;
    for (size_t at = 0; at < size; at++) {
        bytes[at] ^= (unsigned char)(1 << at % 8);
        write_file(path, bytes, size);
        if (scan_stream(path, &c, &totals, &e) != ST_BAD_DATA) {
            printf("# byte %zu of %zu\n", at, size);
            refused = 0;
        }
        bytes[at] ^= (unsigned char)(1 << at % 8);
    }
    report(refused, "an edge stream with any bit flipped is refused");
    bytes = realloc(bytes, size + 1);
    bytes[size] = 0;
    write_file(path, bytes, size + 1);
    report(scan_stream(path, &c, &totals, &e) == ST_BAD_DATA && strstr(e.text, "follows") != NULL,
           "data after the trailer is refused");
    bytes[8] ^= 2; /* the version, with a right CRC: unsupported, not corrupt */
    uint32_t crc = (uint32_t)crc32_z(0, bytes, 60);
    memcpy(bytes + 60, &crc, 4);
    write_file(path, bytes, size);
    report(scan_stream(path, &c, &totals, &e) == ST_BAD_DATA &&
               strstr(e.text, "not supported") != NULL,
           "another version is unsupported, not corrupt");
    free(bytes);
    free(edges);
}

/* ---- containers, splits ---- */

static struct memory_budget split_budget = {.limit_bytes = 1 << 20};

static struct split make_split(void)
{
    static uint64_t ids[] = {7, 2, 9}, degrees[] = {40, 12, 12};
    static struct degree_count histogram[] = {{0, 1}, {2, 6}, {12, 2}, {40, 1}};
    static struct sweep_row sweep[] = {{3, 3, 10, 20, 20, 26}, {TH_INFINITE, 0, 76, 0, 0, 0}};
    struct split s = {.direction = EDGES_UNDIRECTED_ONCE,
                      .totals = {.edges = 38, .n = 10, .max_id = 9, .checksum = 99},
                      .directed_edges = 76,
                      .th = 3,
                      .d = 3,
                      .delegate_ids = ids,
                      .delegate_degrees = degrees,
                      .histogram_rows = 4,
                      .histogram = histogram,
                      .sweep_rows = 2,
                      .sweep = sweep};
    return s;
}

static enum status write_split_file(const char *path, const struct split *split)
{
    struct error e = {0};
    struct outfile *out = NULL;
    if (outfile_open(&out, path, &e) == ST_OK && split_write(split, out, &e) == ST_OK)
        return outfile_commit(out, NULL, &e);
    outfile_abort(out);
    return e.status;
}

static void test_split(void)
{
    struct split split = make_split(), back;
    struct error e = {0};
    const char *path = path_of("a.split");
    int ok = write_split_file(path, &split) == ST_OK &&
             split_read(&back, path, &split_budget, &e) == ST_OK && back.d == 3 &&
             memcmp(back.delegate_ids, split.delegate_ids, 24) == 0 && back.histogram_rows == 4 &&
             back.sweep_rows == 2 && back.th == 3 && split_row(&back, TH_INFINITE)->nn == 76 &&
             split_row(&back, 4) == NULL &&
             memcmp(&back.totals, &split.totals, sizeof back.totals) == 0;
    report(ok, "a split round-trips");
    split_free(&back);
    split.delegate_ids[1] = 9;
    split.delegate_ids[2] = 2; /* equal degrees must come by ascending id */
    memset(&e, 0, sizeof e);
    report(write_split_file(path, &split) == ST_OK &&
               split_read(&back, path, &split_budget, &e) == ST_BAD_DATA,
           "a split whose delegates are out of order is refused");
    split.delegate_ids[1] = 2;
    split.delegate_ids[2] = 9;
}

static void test_container_corruption(void)
{
    struct split split = make_split(), back;
    const char *path = path_of("b.split");
    write_split_file(path, &split);
    size_t size;
    unsigned char *bytes = read_file(path, &size);
    int refused = 1, named = 1, flips = 0;
    for (size_t cut = 0; cut < size; cut += cut < 4096 ? 1 : 97) {
        struct error e = {0};
        write_file(path, bytes, cut);
        refused &= split_read(&back, path, &split_budget, &e) == ST_BAD_DATA;
    }
    report(refused, "a split cut at any byte is refused");
    for (size_t at = 0; at < size; at++) {
        struct error e = {0};
        bytes[at] ^= 4;
        write_file(path, bytes, size);
        enum status status = split_read(&back, path, &split_budget, &e);
        bytes[at] ^= 4;
        refused &= status == ST_BAD_DATA;
        named &= at < 4096 || at % 4096 >= 96 || strstr(e.text, "section ") != NULL ||
                 strstr(e.text, "padding") != NULL;
        flips++;
        if (status != ST_BAD_DATA)
            printf("# byte %zu\n", at);
    }
    report(refused && flips > 500, "a split with any bit flipped is refused");
    report(named, "the section is named");
    free(bytes);
}

static void test_crc(void)
{
    size_t size = 5000001;
    unsigned char *bytes = malloc(size);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)random64(3, i);
    report(crc32_parallel(bytes, size, 3) == crc32_z(0, bytes, size) &&
               crc32_parallel(bytes, 10, 3) == crc32_z(0, bytes, 10) &&
               crc32_parallel(bytes, 0, 3) == crc32_z(0, NULL, 0),
           "crc32_parallel equals zlib's");
    free(bytes);
}

/* ---- manifests ---- */

static void test_manifest(void)
{
    struct manifest_part part[2] = {{4096, 0x1234}, {8192, 0xfeed}};
    struct manifest m = {.direction = EDGES_SYMMETRIC,
                         .totals = {.edges = 5, .n = 4, .max_id = 3, .checksum = 0xabc},
                         .p = 2,
                         .th = TH_INFINITE,
                         .edges = {1, 2, 3, 4},
                         .pack_id = 77,
                         .randomized = 1,
                         .random_n = 4,
                         .random_seed = 9,
                         .provenance = "rmatgen\nscale 2\n",
                         .part = part},
                    back;
    struct error e = {0};
    int ok = manifest_write(&m, folder, &e) == ST_OK && manifest_read(&back, folder, &e) == ST_OK &&
             back.p == 2 && back.th == TH_INFINITE && back.part[1].bytes == 8192 &&
             back.part[0].table_crc == 0x1234 && back.randomized && back.random_seed == 9 &&
             back.edges[DD] == 4 && strcmp(back.provenance, m.provenance) == 0 &&
             memcmp(&back.totals, &m.totals, sizeof m.totals) == 0;
    report(ok, "a manifest round-trips");
    manifest_free(&back);
    const char *path = path_of(MANIFEST_NAME);
    size_t size;
    unsigned char *bytes = read_file(path, &size);
    int refused = 1;
    for (size_t at = 0; at < size; at++) {
        struct error cut = {0}, flip = {0};
        write_file(path, bytes, at);
        refused &= manifest_read(&back, folder, &cut) == ST_BAD_DATA;
        bytes[at] ^= 1;
        write_file(path, bytes, size);
        refused &= manifest_read(&back, folder, &flip) == ST_BAD_DATA;
        bytes[at] ^= 1;
    }
    report(refused, "a manifest cut or with a bit flipped anywhere is refused");
    free(bytes);
}

/* ---- outputs and memory ---- */

static void test_outfile(void)
{
    struct error e = {0};
    struct outfile *out = NULL;
    struct stat st;
    const char *path = path_of("out");
    outfile_open(&out, path, &e);
    outfile_write(out, "new", 3, &e);
    report(stat(path, &st) != 0, "an output has no final name before commit");
    outfile_abort(out);
    report(stat(path, &st) != 0, "an aborted output leaves nothing");
    write_file(path, (const unsigned char *)"old", 3);
    chmod(path, 0640);
    outfile_open(&out, path, &e);
    outfile_write(out, "newer", 5, &e);
    outfile_rewrite(out, "N", 1, &e);
    report(outfile_commit(out, NULL, &e) == ST_OK && stat(path, &st) == 0 && st.st_size == 5 &&
               (st.st_mode & 0777) == 0640,
           "a commit replaces the file and keeps its mode");
    size_t size;
    unsigned char *bytes = read_file(path, &size);
    report(size == 5 && memcmp(bytes, "Newer", 5) == 0, "a rewrite lands at its place");
    free(bytes);
    memset(&e, 0, sizeof e);
    outfile_open(&out, "/dev/full", &e);
    outfile_write(out, "x", 1, &e);
    report(outfile_commit(out, NULL, &e) == ST_RESOURCE && strstr(e.text, "/dev/full") != NULL,
           "a full device is an error that names it");
}

static void test_memory(void)
{
    struct memory_budget budget;
    struct error e = {0};
    void *array;
    memory_budget_init(&budget, 1000);
    report(memory_take(&budget, &array, 100, 8, "small", &e) == ST_OK && array != NULL,
           "memory within the budget is given");
    void *kept = array;
    report(memory_take(&budget, &array, 100, 8, "large", &e) == ST_RESOURCE && array == NULL &&
               strstr(e.text, "large") != NULL,
           "memory over the budget is refused by name");
    report(memory_take(&budget, &array, 1, 8, "small", &e) == ST_RESOURCE && array == NULL,
           "memory is refused after a failure, whose status is that of all requests");
    memory_release(&budget, kept);
    report(budget.taken_bytes == 0, "memory released is back in the budget");
    memset(&e, 0, sizeof e);
    report(memory_take(&budget, &array, UINT64_MAX / 4, 8, "huge", &e) == ST_RESOURCE,
           "an overflowing size is refused");
    memory_budget_init(&budget, 0);
    report(budget.limit_bytes > 1 << 20, "the default budget is what the machine has");
}

int main(void)
{
    snprintf(folder, sizeof folder, "%s/dbfs-formats.XXXXXX", unit_place());
    if (mkdtemp(folder) == NULL)
        return 1;
    test_text();
    test_bijection();
    test_round_trip(1000, "an edge stream of 4-byte ids round-trips");
    test_round_trip(UINT64_C(1) << 40, "an edge stream of 8-byte ids round-trips");
    test_checksum();
    test_stream_corruption();
    test_split();
    test_container_corruption();
    test_crc();
    test_manifest();
    test_outfile();
    test_memory();
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) != 0 || unit_result();
}
