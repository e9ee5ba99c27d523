/* name_map.c: see name_map.h */
#include "name_map.h"

#include "formats/base/bytes.h"
#include "formats/base/keyed_hash.h"
#include "formats/base/mapped.h"
#include "formats/base/text.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef unsigned long long ull;

struct name_map {
    const char *path;
    struct mapped_file mapped;
    const char *text;
    size_t bytes;
    uint64_t n;
    uint64_t *start; /* [steps]: byte at which line NAME_MAP_STEP * i starts */
    struct memory_budget *budget;
};

/* ---- opening ---- */

/* Maps the file m->path as m->text, which stays NULL if the file is empty. */
static enum status map_file(struct name_map *m, struct error *e)
{
    struct stat st;
    int fd = open(m->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) != 0) {
        fail_errno(e, m->path, "cannot open");
    } else if (!S_ISREG(st.st_mode)) {
        fail(e, ST_RUNTIME, "%s: is not a regular file, as a map must be", m->path);
    } else if (st.st_size > 0) {
        mapped_open(&m->mapped, fd, (size_t)st.st_size, m->path, e);
        m->text = m->mapped.bytes;
        m->bytes = m->mapped.size;
    }
    if (fd >= 0)
        close(fd);
    return e->status;
}

/* Nonzero for an index: its lines end in a tab and their number, the first one in "\t0". */
static int is_index(const struct name_map *m)
{
    const char *newline = m->bytes > 0 ? memchr(m->text, '\n', m->bytes) : NULL;
    return newline != NULL && newline - m->text > 2 && memcmp(newline - 2, "\t0", 2) == 0;
}

/* Fills in m->start, and checks that there are m->n lines, none of them empty. */
static enum status index_lines(struct name_map *m, struct error *e)
{
    const char *p = m->text, *end = m->bytes > 0 ? p + m->bytes : p;
    uint64_t lines = 0;
    for (; p < end; lines++) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        if (newline == NULL)
            return fail(e, ST_BAD_DATA,
                        "%s:%llu: found a last line without newline: the file may have been cut",
                        m->path, (ull)lines + 1);
        if (newline == p)
            return fail(e, ST_BAD_DATA, "%s:%llu: found an empty line, expected a name", m->path,
                        (ull)lines + 1);
        if (lines % NAME_MAP_STEP == 0 && lines < m->n)
            m->start[lines / NAME_MAP_STEP] = (uint64_t)(p - m->text);
        p = newline + 1;
    }
    return lines == m->n ? ST_OK
                         : fail(e, ST_BAD_DATA,
                                "%s: found %llu names, expected %llu, one for each vertex of the "
                                "graph",
                                m->path, (ull)lines, (ull)m->n);
}

enum status name_map_open(struct name_map **result, const char *path, uint64_t n,
                          struct memory_budget *budget, struct error *e)
{
    struct name_map *m = *result = zeroed(1, sizeof *m, path, e);
    if (m == NULL)
        return e->status;
    m->path = path;
    m->n = n;
    m->budget = budget;
    if (map_file(m, e) == ST_OK && is_index(m))
        fail(e, ST_BAD_DATA,
             "%s: is an index (name, tab, id), expected a map: `edgeconv -f wdc-index -o MAP` "
             "makes it one",
             path);
    if (e->status != ST_OK ||
        memory_take(budget, (void **)&m->start, n / NAME_MAP_STEP + 1, sizeof *m->start, "index of the map",
                    e) != ST_OK ||
        index_lines(m, e) != ST_OK) {
        name_map_close(m);
        *result = NULL;
    }
    return e->status;
}

void name_map_close(struct name_map *m)
{
    if (m == NULL)
        return;
    memory_release(m->budget, m->start);
    mapped_close(&m->mapped);
    free(m);
}

/* ---- by number ---- */

static struct map_name name_starting_at(const char *p)
{
    return (struct map_name){p, (size_t)((const char *)rawmemchr(p, '\n') - p)};
}

struct map_name name_map_after(struct map_name name)
{
    return name_starting_at(name.bytes + name.length + 1);
}

struct map_name name_map_at(const struct name_map *m, uint64_t vertex)
{
    struct map_name name = name_starting_at(m->text + m->start[vertex / NAME_MAP_STEP]);
    for (uint64_t i = vertex % NAME_MAP_STEP; i > 0; i--)
        name = name_map_after(name);
    return name;
}

/* Prints the name of a vertex; without a map (NULL), its number. */
void name_map_print(FILE *out, const struct name_map *m, uint64_t vertex)
{
    if (m == NULL) {
        fprintf(out, "%" PRIu64, vertex);
        return;
    }
    struct map_name name = name_map_at(m, vertex);
    fwrite(name.bytes, 1, name.length, out);
}

/* The same for people to read: control characters are printed as \xNN. */
void name_map_show(FILE *out, const struct name_map *m, uint64_t vertex)
{
    if (m == NULL) {
        name_map_print(out, m, vertex);
        return;
    }
    struct map_name name = name_map_at(m, vertex);
    text_print_visible(out, name.bytes, name.length);
}

/* ---- by name ---- */

/* A hash table of the names that are looked for, with open addressing. A slot holds the index of a name plus 1; 0 is free. */
struct wanted {
    const char *const *names;
    uint64_t *slots, mask;
    uint64_t left; /* names not found yet */
};

static int is_name(const char *name, const char *bytes, size_t length)
{
    return strnlen(name, length + 1) == length && memcmp(name, bytes, length) == 0;
}

/* The slot of a name, or the free one where it would be. */
static uint64_t slot_of(const struct wanted *w, const char *bytes, size_t length)
{
    uint64_t slot = keyed_hash(bytes, length) & w->mask;
    while (w->slots[slot] != 0 && !is_name(w->names[w->slots[slot] - 1], bytes, length))
        slot = (slot + 1) & w->mask;
    return slot;
}

/* Enters the names that are looked for into the hash table, one given twice only once. Each gets no vertex (UINT64_MAX) yet. */
static void look_for(struct wanted *w, uint64_t count, uint64_t *vertices)
{
    for (uint64_t i = 0; i < count; i++) {
        uint64_t slot = slot_of(w, w->names[i], strlen(w->names[i]));
        w->left += w->slots[slot] == 0;
        if (w->slots[slot] == 0)
            w->slots[slot] = i + 1;
        vertices[i] = UINT64_MAX;
    }
}

/* Goes through the map until all names in the hash table are found, and sets vertices[] of those. */
static void look_through(const struct name_map *m, struct wanted *w, uint64_t *vertices)
{
    struct map_name name = {0};
    for (uint64_t vertex = 0; vertex < m->n && w->left > 0; vertex++) {
        name = vertex == 0 ? name_map_at(m, 0) : name_map_after(name);
        uint64_t found = w->slots[slot_of(w, name.bytes, name.length)];
        if (found != 0 && vertices[found - 1] == UINT64_MAX) {
            vertices[found - 1] = vertex;
            w->left--;
        }
    }
}

/* Sets vertices[i] to the vertex named names[i]. Fails for the first name that the map does not have. */
enum status name_map_find(const struct name_map *m, const char *const *names, uint64_t count,
                          uint64_t *vertices, struct error *e)
{
    struct wanted w = {.names = names, .mask = 1};
    while (w.mask < 2 * count)
        w.mask = 2 * w.mask + 1;
    w.slots = calloc(w.mask + 1, sizeof *w.slots);
    if (w.slots == NULL)
        return fail_memory(e, "names to look for", (w.mask + 1) * sizeof *w.slots);
    look_for(&w, count, vertices);
    look_through(m, &w, vertices);
    for (uint64_t i = 0; i < count && e->status == ST_OK; i++) {
        /* of equal names the first one was looked for */
        vertices[i] = vertices[w.slots[slot_of(&w, names[i], strlen(names[i]))] - 1];
        if (vertices[i] == UINT64_MAX) { /* the message has another name, which shows how names are spelt */
            const struct map_name first = m->n > 0 ? name_map_at(m, 0) : (struct map_name){"", 0};
            fail(e, ST_USAGE, "%s: '%s' is none of its names, of which there are %" PRIu64 ", from '%.*s' on", m->path, names[i], m->n,
                 (int)first.length, first.bytes);
        }
    }
    free(w.slots);
    return e->status;
}

/* ---- writing ---- */

/* Appends the name of the next vertex, and a newline. */
enum status name_map_write(struct outfile *out, const char *bytes, size_t length, struct error *e)
{
    if (outfile_write(out, bytes, length, e) == ST_OK)
        outfile_write(out, "\n", 1, e);
    return e->status;
}
