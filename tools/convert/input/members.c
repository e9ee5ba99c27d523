/* members.c: see members.h */
#include "members.h"

#include "formats/base/hash.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

typedef unsigned long long ull;

enum {
    FIRST_ROOM = 64,
    AND_MORE_BYTES = 32, /* of "and 18446744073709551615 more" */
    LONGEST_SHOWN = 80   /* of a name in a list */
};

void members_init(struct members *m, const char *pattern)
{
    *m = (struct members){.pattern = pattern};
    if (getentropy(&m->key, sizeof m->key) != 0)
        m->key = 0; /* then an archive of chosen names takes longer */
}

void members_free(struct members *m)
{
    free(m->seen);
    m->seen = NULL;
}

/* ---- lists of names ---- */

int member_list_is_full(const struct member_list *list)
{
    return list->count > list->shown;
}

/* Counts a path in a list, and appends it to the text, shortened, unless the list is full. */
static void list_name(struct member_list *list, const char *path)
{
    size_t used = strlen(list->text), length = strlen(path), room = sizeof list->text - AND_MORE_BYTES;
    if (list->count++ > list->shown) /* full before */
        return;
    if (used + (length < LONGEST_SHOWN ? length : LONGEST_SHOWN) + sizeof ", ..." >= room)
        return;
    snprintf(list->text + used, room - used, "%s%.*s%s", used > 0 ? ", " : "", LONGEST_SHOWN, path,
             length > LONGEST_SHOWN ? "..." : "");
    list->shown++;
}

/* Appends to a message which members the archive has, if it has several. */
void members_explain(const struct members *m, struct error *e)
{
    size_t used = strlen(e->text);
    if (m->all.count > 1)
        snprintf(e->text + used, sizeof e->text - used, "; --member=NAME chooses among %s%s", m->all.text,
                 member_list_is_full(&m->all) ? " and others" : "");
}

/* ---- what a name says ---- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* Nonzero if a name ends so, in capitals or not. */
static int has_suffix(const char *name, const char *suffix)
{
    size_t length = strlen(name), tail = strlen(suffix);
    return length >= tail && strcasecmp(name + length - tail, suffix) == 0;
}

/* Nonzero for files that people and programs put beside data. */
static int is_document(const char *path)
{
    static const char *const begins[] = {".", "readme", "license", "licence", "copying", "copyright",
                                         "notice", "citation", "_success"};
    static const char *const ends[] = {".md", ".pdf", ".html", ".htm"};
    const char *base = base_name(path);
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
        if (strncasecmp(base, begins[i], strlen(begins[i])) == 0)
            return 1;
    }
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        if (has_suffix(base, ends[i]))
            return 1;
    }
    return 0;
}

/* Tells by the name of a file what it holds: bit 0 is set for edges, bit 1 for vertices or properties. Arrays of NumPy are told
 * apart by their readers instead. */
static int subject_of(const char *path)
{
    static const struct {
        const char *word;
        int subject;
    } words[] = {{"edge", 1}, {"link", 1},  {"relation", 1}, {"node", 2}, {"vert", 2},
                 {"label", 2}, {"class", 2}, {"communit", 2}, {"cmty", 2}, {"featur", 2}, {"attr", 2}};
    const char *base = base_name(path);
    int subject = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words && !has_suffix(base, ".npy"); i++)
        subject |= strcasestr(base, words[i].word) != NULL ? words[i].subject : 0;
    return subject;
}

/* ---- --member ---- */

static int is_literal(const char *pattern)
{
    return strpbrk(pattern, "*?[\\") == NULL;
}

/* Nonzero if a name is the pattern itself, or fits it as of a shell. */
static int fits(const char *pattern, const char *name)
{
    return strcmp(pattern, name) == 0 || fnmatch(pattern, name, 0) == 0;
}

/* Nonzero if a path fits a pattern. One without a slash may fit the file's name alone, in any folder, with or without .npy. */
static int matches(const char *pattern, const char *path)
{
    char array[LONGEST_SHOWN];
    const char *base = base_name(path);
    if (strncmp(pattern, "./", 2) == 0)
        return fits(pattern + 2, path);
    if (strchr(pattern, '/') != NULL || fits(pattern, path))
        return fits(pattern, path);
    snprintf(array, sizeof array, "%.*s", has_suffix(base, ".npy") ? (int)strlen(base) - 4 : 0, base);
    return fits(pattern, base) || (*array != '\0' && fits(pattern, array));
}

/* Lists the member under m->all, or m->skipped if it is a document that nobody asked for. Nonzero if it is to be read. */
int members_want(struct members *m, const char *path)
{
    if (strncmp(path, "__MACOSX/", 9) == 0 || strncmp(base_name(path), "._", 2) == 0) /* macOS stores resource forks so */
        return 0;
    list_name(&m->all, path);
    if (m->pattern != NULL && !matches(m->pattern, path))
        return 0;
    if (!is_document(path) || (m->pattern != NULL && is_literal(m->pattern)))
        return 1;
    list_name(&m->skipped, path);
    return 0;
}

/* ---- names before ---- */

/* Hashes a path with the table's key; never 0, which marks a free place. */
static uint64_t hash_of(const struct members *m, const char *path)
{
    uint64_t hash = m->key;
    for (; *path != '\0'; path++)
        hash = mix64(hash + (unsigned char)*path + 1);
    return hash | 1; /* 0 is free */
}

/* The place of a hash in the table, or the free one for it. */
static uint64_t *find_seen(const struct members *m, uint64_t hash)
{
    uint64_t at = (hash >> 1) % m->seen_room;
    while (m->seen[at] != 0 && m->seen[at] != hash)
        at = (at + 1) % m->seen_room;
    return &m->seen[at];
}

/* Doubles the table of hashes. */
static enum status grow_seen(struct members *m, struct error *e)
{
    struct members larger = {.seen_room = m->seen_room > 0 ? 2 * m->seen_room : FIRST_ROOM};
    larger.seen = calloc(larger.seen_room, sizeof *larger.seen);
    if (larger.seen == NULL)
        return fail_memory(e, "names of members", larger.seen_room * sizeof *larger.seen);
    for (uint64_t i = 0; i < m->seen_room; i++) {
        if (m->seen[i] != 0)
            *find_seen(&larger, m->seen[i]) = m->seen[i];
    }
    free(m->seen);
    m->seen = larger.seen;
    m->seen_room = larger.seen_room;
    return ST_OK;
}

static enum status refuse(const char *archive, const char *path, const char *found, const char *expected, struct error *e)
{
    return fail(e, ST_BAD_DATA, "%s(%.200s): found %s, expected %s", archive, path, found, expected);
}

/* Adds the name to those that were read, after comparing it with them. */
enum status members_join(struct members *m, const char *archive, const char *path, struct error *e)
{
    int subject = subject_of(path);
    if (2 * m->seen_count >= m->seen_room && grow_seen(m, e) != ST_OK)
        return e->status;
    uint64_t hash = hash_of(m, path), *place = find_seen(m, hash);
    if (*place == hash)
        return refuse(archive, path, "two members of this name", "one: unpack the archive, and give the right one", e);
    *place = hash;
    if (++m->seen_count == 1)
        m->subject = subject;
    else if (m->pattern != NULL && is_literal(m->pattern))
        return refuse(archive, path, "a second member of the name that --member gives",
                      "its path (./NAME, if it is in no folder)", e);
    if (m->pattern == NULL && subject != m->subject)
        return refuse(archive, path, "a name that speaks of another thing than the first one, as of vertices and of edges",
                      "the parts of one list (--member='*' says that they are)", e);
    return ST_OK;
}
