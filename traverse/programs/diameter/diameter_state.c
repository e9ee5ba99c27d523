/* diameter_state.c: writes and reads the file of --resume (diameter_state.h) */
#include "diameter_state.h"

#include "traverse/results/outputs.h"

#include "formats/base/crc.h"
#include "formats/base/outfile.h"
#include "formats/base/read_fully.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEY_BYTES = 160, MOST_ARRAYS = 6 };

/* What is at the beginning of the file. */
struct state_head {
    char key[KEY_BYTES];
    struct known known;
    uint64_t crc; /* of `known` */
};

/* One array of the file, on the rank that has it. */
struct state_array {
    void *values;
    uint64_t bytes, at; /* its bytes, and its offset in the file */
    uint64_t number;    /* its number among all arrays */
};

/* Returns how many arrays each part of the state has: those of one set of bounds or, of a directed graph, of two. */
static int arrays_of_part(const struct finder *f)
{
    return directed_is_open(&f->directed) ? MOST_ARRAYS : MOST_ARRAYS / 2;
}

/* Returns the number of arrays in the file. */
static uint64_t array_count(const struct finder *f)
{
    return (uint64_t)arrays_of_part(f) * (f->search.searcher->graph.manifest.p + UINT64_C(1));
}

/* Returns the vertices of part `part`: of a shard, or, behind the last shard, of the delegates. */
static uint64_t vertices_of_part(const struct graph *graph, uint32_t part)
{
    return part < graph->manifest.p ? graph->locals[part] : graph->manifest.d;
}

/* Sets *array to where array number `kind`, below arrays_of_part, of a part is in memory and in the file. Returns 0 if another rank has the
 * array. */
static int find_array(const struct finder *f, uint32_t part, int kind, struct state_array *array)
{
    const struct searcher *s = f->search.searcher;
    const struct graph *graph = &s->graph;
    const uint32_t p = graph->manifest.p, ranks = s->comm.ranks;
    const uint64_t vertices = vertices_of_part(graph, part), arrays = (uint64_t)arrays_of_part(f);
    const struct bounds *against = &f->directed.against;
    const int is_mine = part < p ? rank_of_shard(part, ranks) == s->comm.rank : s->comm.rank == 0;
    const uint64_t first = !is_mine ? 0 : f->search.first[part < p ? device_of_shard(part, ranks) : graph->device_count];
    int32_t *const values[MOST_ARRAYS] = {f->bounds.lower, f->bounds.upper, (int32_t *)f->bounds.sum,
                                          against->lower, against->upper, (int32_t *)against->sum};
    *array = (struct state_array){.values = values[kind] + first,
                                  .bytes = 4 * vertices,
                                  .at = sizeof(struct state_head) + 8 * array_count(f) + 4 * vertices * (uint64_t)kind,
                                  .number = arrays * part + (uint64_t)kind};
    for (uint32_t before = 0; before < part; before++)
        array->at += 4 * arrays * vertices_of_part(graph, before);
    return is_mine;
}

/* Prints the key of this graph and what is wanted of it. */
static void make_key(char key[KEY_BYTES], const struct finder *f, uint64_t component)
{
    const struct goals *g = &f->goals;
    memset(key, 0, KEY_BYTES);
    snprintf(key, KEY_BYTES, "dbfs-diameter state 1: graph %016" PRIx64 "%s%s%s%s, component of %" PRId64 ", %zu\n",
             f->search.searcher->graph.manifest.pack_id, g->diameter ? " diameter" : "", g->radius ? " radius" : "",
             g->all ? " all" : "", g->every ? " every" : "", (int64_t)component, sizeof(struct known));
}

/* Collective. Writes the state to a file (diameter_state.h): rank 0 the head and the CRCs, each rank its arrays. */
enum status diameter_state_write(const char *name, struct finder *f, uint64_t component, struct error *e)
{
    const struct searcher *s = f->search.searcher;
    const struct comm *comm = &s->comm;
    const uint64_t arrays = array_count(f);
    struct state_head head = {.known = f->known, .crc = crc32_bytes(0, &f->known, sizeof f->known)};
    struct state_array array;
    struct outfile *out = NULL;
    uint64_t at = 0, *crc = zeroed(arrays, sizeof *crc, "checksums", e);
    make_key(head.key, f, component);
    if (comm->rank == 0 && e->status == ST_OK && outfile_open(&out, name, e) == ST_OK) {
        find_array(f, s->graph.manifest.p, arrays_of_part(f) - 1, &array);
        outfile_skip(out, array.at + array.bytes, &at, e);
    }
    if (comm_agree(comm, e) == ST_OK && comm->ranks > 1 && !outputs_join(&out, comm, 1, name))
        fail(e, ST_RUNTIME, "%s: cannot be written by several ranks", name);
    for (uint32_t part = 0; part <= s->graph.manifest.p && e->status == ST_OK; part++) {
        for (int kind = 0; kind < arrays_of_part(f) && e->status == ST_OK; kind++) {
            if (!find_array(f, part, kind, &array))
                continue;
            crc[array.number] = crc32_parallel(array.values, array.bytes, s->threads);
            outfile_fill(out, at + array.at, array.values, array.bytes, e);
        }
    }
    if (comm_agree(comm, e) == ST_OK) {
        comm_sum_u64(comm, crc, arrays);
        if (comm->rank == 0 && outfile_fill(out, at, &head, sizeof head, e) == ST_OK)
            outfile_fill(out, at + sizeof head, crc, arrays * sizeof *crc, e);
    }
    free(crc);
    return outputs_commit(&out, comm, e);
}

/* Reads `count` bytes at an offset, all of which must be there. */
static enum status read_at(int fd, const char *name, uint64_t at, void *bytes, size_t count, struct error *e)
{
    size_t got = 0;
    if (read_fully_at(fd, at, bytes, count, &got) != 0)
        return fail_errno(e, name, "cannot be read");
    return got == count ? ST_OK : fail(e, ST_BAD_DATA, "%s: is not a whole state of --resume", name);
}

/* Returns whether a root of a state is a vertex of the graph. */
static int is_vertex(const struct graph *graph, const struct root *root)
{
    const struct manifest *m = &graph->manifest;
    if (root->at == ROOT_AT_DELEGATE)
        return root->index < m->d;
    return root->shard < m->p && (root->at == ROOT_AT_LOCAL      ? root->index < graph->locals[root->shard]
                                  : root->at == ROOT_AT_ISOLATED ? root->index < slots_of_shard(m->totals.n, root->shard, m->p)
                                                                 : 0);
}

/* Returns whether all numbers of a state that become indices are in range. The distances farthest from landmarks are not looked at, as
 * finder_restore finds them again. */
static int is_in_range(const struct graph *graph, const struct known *k)
{
    int fits = k->landmarks <= LANDMARKS && k->next_side < SIDES && (!k->has_next || is_vertex(graph, &k->next)) &&
               (k->searches == 0 || is_vertex(graph, &k->last));
    for (uint32_t i = 0; fits && i < k->landmarks; i++)
        fits = is_vertex(graph, &k->landmark[i]);
    return fits;
}

/* Returns whether bounds of a state are numbers that bounds can be. */
static int are_bounds(const int32_t *values, uint64_t count, int32_t least, uint64_t most)
{
    for (uint64_t i = 0; i < count; i++) {
        if (values[i] < least || (values[i] > 0 && (uint64_t)values[i] > most))
            return 0;
    }
    return 1;
}

/* Reads the state of this rank from an open file, and compares the checksums. `key` is the expected key. */
static enum status read_state(int fd, const char *name, const char key[KEY_BYTES], struct finder *f, struct error *e)
{
    const struct searcher *s = f->search.searcher;
    struct state_head head;
    struct state_array array;
    if (read_at(fd, name, 0, &head, sizeof head, e) != ST_OK)
        return e->status;
    if (memcmp(head.key, key, KEY_BYTES) != 0)
        return fail(e, ST_BAD_DATA, "%s: is not the state of this search, but of another graph, of other options, or another "
                    "file: give --resume another name", name);
    if (head.crc != crc32_bytes(0, &head.known, sizeof head.known))
        return fail(e, ST_BAD_DATA, "%s: is damaged: remove it to begin anew", name);
    if (!is_in_range(&s->graph, &head.known))
        return fail(e, ST_BAD_DATA, "%s: names vertices that the graph has not: remove it to begin anew", name);
    f->known = head.known;
    for (uint32_t part = 0; part <= s->graph.manifest.p; part++) {
        for (int kind = 0; kind < arrays_of_part(f); kind++) {
            uint64_t crc;
            if (!find_array(f, part, kind, &array))
                continue;
            if (read_at(fd, name, sizeof head + 8 * array.number, &crc, sizeof crc, e) != ST_OK ||
                read_at(fd, name, array.at, array.values, array.bytes, e) != ST_OK)
                return e->status;
            if (crc != crc32_parallel(array.values, array.bytes, s->threads))
                return fail(e, ST_BAD_DATA, "%s: is damaged: remove it to begin anew", name);
            const int is_lower = kind % (MOST_ARRAYS / 2) == 0, is_sum = kind % (MOST_ARRAYS / 2) == 2;
            if (!is_sum && !are_bounds(array.values, array.bytes / 4, is_lower ? LEFT_OUT : 0, s->graph.manifest.totals.n))
                return fail(e, ST_BAD_DATA, "%s: has bounds that no vertex can have: remove it to begin anew", name);
        }
    }
    return ST_OK;
}

/* Collective. Reads the state from a file (diameter_state.h). */
enum status diameter_state_read(const char *name, struct finder *f, uint64_t component, int *found, struct error *e)
{
    const struct comm *comm = &f->search.searcher->comm;
    char key[KEY_BYTES];
    int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    make_key(key, f, component);
    if (fd < 0 && errno != ENOENT)
        fail_errno(e, name, "cannot go on");
    if (comm_agree(comm, e) == ST_OK) {
        *found = comm_max_of(comm, fd >= 0) == 1;
        if (*found && fd < 0)
            fail(e, ST_RUNTIME, "%s: is there for some ranks alone", name);
        else if (*found)
            read_state(fd, name, key, f, e);
    }
    if (fd >= 0)
        close(fd);
    return comm_agree(comm, e);
}
