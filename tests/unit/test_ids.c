/* test_ids.c: the parts of --compact and .sg beside simple twins: temporary streams, sorting, maps, and the
 * numbering of names with little and with ample memory */
#include "unit.h"

#include "tools/convert/names/compact.h"
#include "tools/convert/names/name_spill.h"
#include "tools/convert/piece/names.h"

#include "formats/base/hash.h"
#include "formats/name_map.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static char folder[] = "/tmp/dbfs-ids.XXXXXX";

static struct workspace make_space(uint64_t limit_bytes)
{
    struct workspace space;
    struct cli cli = {.tmpdir = {folder, "/tmp"}, .tmpdirs = 2};
    workspace_init(&space, &cli, limit_bytes, 2);
    return space;
}

/* ---- streams ---- */

enum { STREAMS = 5, WORDS = 200000 };

static int stream_holds(struct spill_stream *stream, uint64_t key, int drop)
{
    struct error e = {0};
    struct spill_cursor cursor;
    uint64_t word;
    int same = 1;
    spill_cursor_init(&cursor, stream, drop);
    for (uint64_t i = 0; i < WORDS; i++)
        same &=
            spill_cursor_read(&cursor, &word, sizeof word, &e) == ST_OK && word == random64(key, i);
    same &= spill_cursor_at_end(&cursor) && spill_cursor_read(&cursor, &word, 1, &e) == ST_RUNTIME;
    spill_cursor_close(&cursor);
    return same;
}

static void fill(struct spill_stream *stream, struct spill_chunks *chunks, uint64_t key,
                 struct error *e)
{
    spill_stream_init(stream, chunks);
    for (uint64_t i = 0; i < WORDS; i++)
        spill_stream_append(stream, &(uint64_t){random64(key, i)}, 8, e);
    spill_stream_seal(stream, e);
}

static void test_streams(void)
{
    struct error e = {0};
    struct workspace space = make_space(16 << 20);
    struct spill_chunks *chunks;
    struct spill_stream stream[STREAMS];
    int same = 1;
    spill_chunks_open(&chunks, &space, &e);
    for (int s = 0; s < STREAMS; s++)
        spill_stream_init(&stream[s], chunks);
    for (uint64_t i = 0; i < WORDS; i++) {
        for (uint64_t s = 0; s < STREAMS; s++)
            spill_stream_append(&stream[s], &(uint64_t){random64(s, i)}, 8, &e);
    }
    for (int s = 0; s < STREAMS; s++)
        spill_stream_seal(&stream[s], &e);
    uint64_t bytes = spill_chunks_bytes(chunks);
    for (uint64_t s = 0; s < STREAMS; s++)
        same &= stream_holds(&stream[s], s, 0) && stream_holds(&stream[s], s, 1);
    report(e.status == ST_OK && same,
           "streams of one chunks keep what was appended, in two folders");
    for (uint64_t s = 0; s < STREAMS; s++)
        fill(&stream[s], chunks, s + 100, &e);
    for (uint64_t s = 0; s < STREAMS; s++)
        same &= stream_holds(&stream[s], s + 100, 1);
    report(e.status == ST_OK && same && spill_chunks_bytes(chunks) == bytes,
           "chunks that were dropped are used again");
    spill_chunks_close(chunks);
    report(space.budget.taken_bytes == 0, "streams give their memory back");
}

static void test_full_disk(void)
{
    struct error e = {0};
    struct workspace space = make_space(16 << 20);
    struct spill_chunks *chunks;
    struct spill_stream stream;
    struct rlimit old, small = {1 << 16, 1 << 16};
    getrlimit(RLIMIT_FSIZE, &old);
    small.rlim_max = old.rlim_max;
    spill_chunks_open(&chunks, &space, &e);
    setrlimit(RLIMIT_FSIZE, &small);
    fill(&stream, chunks, 1, &e);
    setrlimit(RLIMIT_FSIZE, &old);
    report(e.status != ST_OK && strstr(e.text, "cannot write a temporary file") != NULL,
           "a temporary file that cannot grow is an error");
    spill_stream_release(&stream);
    spill_chunks_close(chunks);
}

/* ---- numbering ---- */

enum { KINDS = 60000, EDGES = 300000, PIECE = 4096, NOBODY = -1 };

/* Edge i of the test: keys of names; v is NOBODY if there is no edge. Early keys are frequent. */
static void test_edge(uint64_t i, int64_t key[2])
{
    uint64_t a = random64(3, 2 * i) % KINDS, b = random64(3, 2 * i + 1) % KINDS;
    key[0] = (int64_t)(i % 3 == 0 ? a % 50 : a);
    key[1] = i % 1000 == 7 ? NOBODY : (int64_t)b;
}

/* Names of all lengths up to the longest; few are that long. */
static size_t name_of(int64_t key, char *name)
{
    size_t length = (size_t)sprintf(name, "%llx", (unsigned long long)mix64((uint64_t)key + 1));
    size_t pad = key % 10000 == 77 ? NAME_MAX_BYTES - length : (size_t)key % 23;
    memset(name + length, '#', pad);
    name[length + pad] = '\0';
    return length + pad;
}

static uint64_t add_key(struct piece *piece, int64_t key)
{
    static char name[NAME_MAX_BYTES + 32];
    struct error e = {0};
    size_t length = name_of(key, name);
    piece_reserve_names(piece, 1, 2 * NAME_MAX_BYTES, &e);
    return piece_add_name(piece, name, length);
}

/* Numbers names by the simplest means: an array by key. */
struct twin {
    int64_t number[KINDS], key_of[KINDS];
    int64_t count;
};

static uint64_t twin_number(struct twin *t, int64_t key)
{
    if (t->number[key] < 0) {
        t->key_of[t->count] = key;
        t->number[key] = t->count++;
    }
    return (uint64_t)t->number[key];
}

static int is_next(struct twin *t, uint64_t *i, const struct edge *edge)
{
    int64_t key[2];
    for (test_edge(*i, key); key[1] == NOBODY; test_edge(*i, key)) {
        twin_number(t, key[0]);
        ++*i;
    }
    ++*i;
    uint64_t u = twin_number(t, key[0]), v = twin_number(t, key[1]);
    return edge->u == u && edge->v == v;
}

static int same_edges(const struct piece *piece, struct twin *t, uint64_t *i)
{
    int same = 1;
    for (size_t k = 0; k < piece->count; k++)
        same &= is_next(t, i, &piece->edges[k]);
    return same;
}

static int number_all(struct compact *c, struct twin *t, struct error *e)
{
    struct piece piece = {0};
    struct graph_reader *rest = NULL;
    uint64_t checked = 0;
    int same = 1, end = 0;
    for (uint64_t first = 0; first < EDGES && e->status == ST_OK; first += PIECE) {
        piece_clear_edges(&piece, PIECE, e);
        for (uint64_t i = first; i < EDGES && i < first + PIECE; i++) {
            int64_t key[2];
            test_edge(i, key);
            uint64_t u = add_key(&piece, key[0]);
            uint64_t v = key[1] == NOBODY ? NAME_NONE : add_key(&piece, key[1]);
            piece.edges[piece.count++] = (struct edge){u, v};
        }
        compact_number(c, &piece, e);
        same &= same_edges(&piece, t, &checked);
    }
    compact_rest(c, &rest, e);
    while (rest != NULL && e->status == ST_OK && !end) {
        rest->class->take(rest, &piece, &end, e);
        same &= same_edges(&piece, t, &checked);
    }
    graph_reader_close(rest);
    piece_free(&piece);
    return same && e->status == ST_OK && checked == EDGES &&
           c->count == (uint64_t)t->count;
}

static int same_map(const char *path, const struct twin *t)
{
    static char name[NAME_MAX_BYTES + 32];
    struct error e = {0};
    struct memory_budget budget;
    struct name_map *map;
    const char *wanted[3];
    uint64_t found[3];
    memory_budget_init(&budget, 1 << 20);
    if (name_map_open(&map, path, (uint64_t)t->count, &budget, &e) != ST_OK)
        return 0;
    struct map_name next = name_map_at(map, 0);
    int same = 1;
    for (int64_t k = 0; k < t->count; k++) {
        struct map_name at = name_map_at(map, (uint64_t)k);
        size_t length = name_of(t->key_of[k], name);
        same &= at.length == length && memcmp(at.bytes, name, length) == 0 &&
                at.bytes == next.bytes && at.length == next.length;
        next = k + 1 < t->count ? name_map_after(next) : next;
    }
    name_of(t->key_of[t->count - 1], name);
    wanted[0] = wanted[2] = name;
    wanted[1] = strndup(name_map_at(map, 0).bytes, name_map_at(map, 0).length);
    same &= name_map_find(map, wanted, 3, found, &e) == ST_OK &&
            found[0] == (uint64_t)t->count - 1 && found[1] == 0 && found[2] == found[0];
    wanted[2] = "nobody";
    same &= name_map_find(map, wanted, 3, found, &e) == ST_USAGE;
    free((void *)(uintptr_t)wanted[1]);
    name_map_close(map);
    return same && budget.taken_bytes == 0;
}

static void test_compact(uint64_t limit_bytes, int spills, const char *name)
{
    struct error e = {0};
    struct workspace space = make_space(limit_bytes);
    struct outfile *map = NULL;
    struct compact *c = NULL;
    struct twin *t = calloc(1, sizeof *t);
    char path[64], text[128];
    memset(t->number, 0xff, sizeof t->number);
    snprintf(path, sizeof path, "%s/map", folder);
    outfile_open(&map, path, &e);
    int same = compact_open(&c, &space, map, &e) == ST_OK && number_all(c, t, &e);
    int spilled = c != NULL && c->spilled_bytes > 0;
    compact_close(c);
    same &= outfile_commit(map, NULL, &e) == ST_OK;
    snprintf(text, sizeof text, "numbers in order of first appearance, %s", name);
    report(same && spilled == spills, text);
    snprintf(text, sizeof text, "the map has the names in order of first appearance, %s", name);
    report(same_map(path, t), text);
    report(space.budget.taken_bytes == 0, "numbers in order of first appearance: memory is given back");
    unlink(path);
    free(t);
}

int main(void)
{
    if (mkdtemp(folder) == NULL)
        return 1;
    signal(SIGXFSZ, SIG_IGN);
    test_streams();
    test_full_disk();
    test_compact(64 << 20, 0, "in memory");
    test_compact(3 << 20, 1, "on disk");
    test_compact(4 << 20, 1, "on disk, with more memory");
    rmdir(folder);
    return unit_result();
}
