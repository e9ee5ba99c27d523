/* file_kind.c: see file_kind.h */
#include "file_kind.h"

#include "formats/base/text.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum kind { KIND_EDGES, KIND_SPLIT, KIND_PART, KIND_MANIFEST, KIND_OTHER };

/* The kind of the file that begins with these bytes. */
static enum kind kind_of_bytes(const unsigned char *bytes, size_t count)
{
    static const struct {
        const char *start;
        enum kind kind;
    } starts[] = {{"DBFSEDGE", KIND_EDGES},
                  {"DBFSSPLT", KIND_SPLIT},
                  {"DBFSSHRD", KIND_PART},
                  {"dbfs-manifest ", KIND_MANIFEST}};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        size_t length = strlen(starts[i].start);
        if (count >= length && memcmp(bytes, starts[i].start, length) == 0)
            return starts[i].kind;
    }
    return KIND_OTHER;
}

/* Always fails: says what kind of file it is, and which program takes it. */
enum status file_kind_not_edges(const char *name, const unsigned char *bytes, size_t count, struct error *e)
{
    if (count == 0)
        return fail(e, ST_BAD_DATA, "%s: is empty, not an edge stream: graphs in other formats go through "
                    "edgeconv first", name);
    switch (kind_of_bytes(bytes, count)) {
    case KIND_SPLIT:
        return fail(e, ST_BAD_DATA, "%s: is a split, not an edge stream: dbfs-pack takes it with -s, beside "
                    "the stream that degsplit made it from", name);
    case KIND_PART:
    case KIND_MANIFEST:
        return fail(e, ST_BAD_DATA, "%s: is a file of packed shards, not an edge stream: dbfs-traverse "
                    "searches the folder it is in", name);
    case KIND_EDGES:
    case KIND_OTHER: break;
    }
    return fail(e, ST_BAD_DATA, "%s: not an edge stream: graphs in other formats go through edgeconv first",
                name);
}

/* The kind of a file, by its first bytes; KIND_OTHER if it cannot be read. */
static enum kind kind_of_file(const char *path)
{
    unsigned char bytes[16];
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t got = fd >= 0 ? read(fd, bytes, sizeof bytes) : -1;
    if (fd >= 0)
        close(fd);
    return got > 0 ? kind_of_bytes(bytes, (size_t)got) : KIND_OTHER;
}

/* Always fails: says what kind of file it is, and which command makes shards of it. */
static enum status refuse_file(const char *path, struct error *e)
{
    const enum kind kind = kind_of_file(path);
    char *word = text_word(path); /* of the command */
    if (word == NULL)
        return fail_memory(e, path, strlen(path));
    switch (kind) {
    case KIND_EDGES:
        fail(e, ST_BAD_DATA, "%s: is an edge stream, not a folder of shards: `dbfs-pack -o DIR %s` makes one", path, word);
        break;
    case KIND_SPLIT:
        fail(e, ST_BAD_DATA, "%s: is a split, not a folder of shards: `dbfs-pack -s %s -o DIR` makes one from it and its edge stream",
             path, word);
        break;
    case KIND_PART:
    case KIND_MANIFEST:
        fail(e, ST_BAD_DATA, "%s: is one file of packed shards: give the folder it is in", path);
        break;
    case KIND_OTHER:
        fail(e, ST_BAD_DATA, "%s: is a file, not a folder of shards: `edgeconv -u FILE | dbfs-pack -o DIR -` makes one from a "
             "graph, and dbfs does both and searches", path);
        break;
    }
    free(word);
    return e->status;
}

/* Always fails: says why this path, which has no manifest, is no folder of shards. */
enum status file_kind_refuse_shards(const char *path, struct error *e)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return fail_errno(e, path, "cannot open");
    if (!S_ISDIR(st.st_mode))
        return refuse_file(path, e);
    return fail(e, ST_RUNTIME, "%s: is a folder without a packed graph (no manifest): `dbfs-pack -o DIR "
                "FILE.edges` makes one, in a new or empty folder", path);
}
