/* roots_file.c: reads a file with a root, or a pair of roots, on each line; see roots_file.h */
#include "roots_file.h"

#include "formats/base/launch.h"
#include "formats/base/memory.h"
#include "formats/base/outfile.h"
#include "formats/base/text.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK = 1 << 16 };

/* Opens the file `path`, or standard input if `path` is NULL. With several ranks, refuses all but regular files, because
 * each rank reads the whole file, and from a pipe would get only some of the lines. `name` is the name of the file in
 * messages. Returns NULL after a failure. */
static FILE *open_text(const char *path, const char *name, struct error *e)
{
    struct stat st;
    const char *variable;
    FILE *file = NULL;
    int fd = path == NULL ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) : open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && launched_processes(&variable) != 1 && (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)))
        fail(e, ST_USAGE, "%s: under mpiexec, give a file that all ranks can read", name);
    else if (fd < 0 || (file = fdopen(fd, "r")) == NULL)
        fail_errno(e, name, "cannot open");
    if (file == NULL && fd >= 0)
        close(fd);
    return file;
}

/* Fails with ST_RESOURCE, because the text, or the array of its lines, needs more than `most` bytes. */
static enum status refuse_large(const char *name, uint64_t most, struct error *e)
{
    char size[16];
    return fail(e, ST_RESOURCE, "%s: takes more than %s, half of the memory budget (-S)", name,
                format_size(most, size, sizeof size));
}

/* Reads the whole file into f->text, appends a NUL, and closes the file. Fails with ST_RESOURCE if the text needs more than
 * `most` bytes, and with ST_BAD_DATA if the file has a NUL. */
static enum status read_text(struct roots_file *f, FILE *file, const char *name, uint64_t most, struct error *e)
{
    size_t used = 0, capacity = 0, got = CHUNK;
    while (got == CHUNK && e->status == ST_OK) {
        if (capacity - used <= CHUNK) {
            capacity = capacity == 0 ? 2 * CHUNK : 2 * capacity;
            char *grown = capacity <= most ? realloc(f->text, capacity) : NULL;
            if (capacity > most)
                refuse_large(name, most, e);
            else if (grown == NULL)
                fail_memory(e, name, capacity);
            if (grown == NULL)
                break;
            f->text = grown;
        }
        got = fread(f->text + used, 1, CHUNK, file);
        if (memchr(f->text + used, '\0', got) != NULL)
            fail(e, ST_BAD_DATA, "%s: is no text: it has a NUL", name);
        used += got;
        f->text[used] = '\0';
    }
    if (e->status == ST_OK && ferror(file))
        fail_errno(e, name, "cannot read");
    fclose(file);
    return e->status;
}

/* Reads the lines of the file `path`, without empty lines (roots_file.h). Half of the memory of -S is for the text of the
 * file, and the other half for the array of lines. */
enum status roots_file_read(struct roots_file *f, const char *path, const char *item, uint64_t memory_bytes,
                            struct error *e)
{
    struct memory_budget budget;
    int is_stdin = strcmp(path, "-") == 0;
    const char *name = is_stdin ? "standard input" : path;
    memset(f, 0, sizeof *f);
    if (outfile_refuse_inputs("-", &path, 1, e) != ST_OK) /* the records go there */
        return e->status;
    FILE *file = open_text(is_stdin ? NULL : path, name, e);
    memory_budget_init(&budget, memory_bytes);
    if (file == NULL || read_text(f, file, name, budget.limit_bytes / 2, e) != ST_OK)
        return e->status;
    uint64_t most = 0; /* the number of lines that are not empty */
    for (const char *at = f->text + strspn(f->text, "\n"); *at != '\0'; at += strspn(at, "\n")) {
        at += strcspn(at, "\n");
        most++;
    }
    if (most * sizeof *f->line > budget.limit_bytes / 2)
        return refuse_large(name, budget.limit_bytes / 2, e);
    f->line = calloc(most + 1, sizeof *f->line);
    if (f->line == NULL)
        return fail_memory(e, name, most * sizeof *f->line);
    for (char *rest = f->text, *line; (line = strsep(&rest, "\n")) != NULL;) {
        line[strcspn(line, "\r")] = '\0';
        if (*line != '\0')
            f->line[f->count++] = line;
    }
    return f->count > 0 ? ST_OK
                        : fail(e, ST_BAD_DATA, "%s: has no %ss: expected one on each line", name, item);
}

void roots_file_free(struct roots_file *f)
{
    free(f->text);
    free(f->line);
    memset(f, 0, sizeof *f);
}
