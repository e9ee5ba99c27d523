/* roots_file.c: see roots_file.h */
#include "roots_file.h"

#include "formats/base/launch.h"
#include "formats/base/memory.h"
#include "formats/base/text.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK = 1 << 16 };

/* Each rank reads the file. From a pipe each would get some of the lines, or wait forever. */
static enum status refuse_unshared(int fd, const char *name, struct error *e)
{
    struct stat st;
    const char *variable;
    if (launched_processes(&variable) == 1 || (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)))
        return ST_OK;
    return fail(e, ST_USAGE, "%s: under mpiexec, give a file that all ranks can read", name);
}

static FILE *open_text(const char *path, const char *name, struct error *e)
{
    int fd = path == NULL ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) : open(path, O_RDONLY | O_CLOEXEC);
    FILE *file = fd >= 0 && refuse_unshared(fd, name, e) == ST_OK ? fdopen(fd, "r") : NULL;
    if (file == NULL && e->status == ST_OK)
        fail_errno(e, name, "cannot open");
    if (file == NULL && fd >= 0)
        close(fd);
    return file;
}

static enum status refuse_large(const char *name, uint64_t most, struct error *e)
{
    char size[16];
    return fail(e, ST_RESOURCE, "%s: takes more than %s, half of the memory budget (-S)", name,
                format_size(most, size, sizeof size));
}

/* Makes room for another chunk, and a NUL behind it. */
static enum status grow_text(struct roots_file *f, size_t used, size_t *room, uint64_t most, const char *name,
                             struct error *e)
{
    if (*room - used > CHUNK)
        return ST_OK;
    *room = *room == 0 ? 2 * CHUNK : 2 * *room;
    if (*room > most)
        return refuse_large(name, most, e);
    char *grown = realloc(f->text, *room);
    if (grown == NULL)
        return fail_memory(e, name, *room);
    f->text = grown;
    return ST_OK;
}

/* Reads all of `file` as one text of at most so many bytes, and closes it. */
static enum status read_text(struct roots_file *f, FILE *file, const char *name, uint64_t most, struct error *e)
{
    size_t used = 0, room = 0, got = CHUNK;
    while (got == CHUNK && grow_text(f, used, &room, most, name, e) == ST_OK) {
        got = fread(f->text + used, 1, CHUNK, file);
        if (memchr(f->text + used, '\0', got) != NULL)
            fail(e, ST_BAD_DATA, "%s: is no text: it has a NUL", name);
        if (e->status != ST_OK)
            break;
        used += got;
        f->text[used] = '\0';
    }
    if (e->status == ST_OK && ferror(file))
        fail_errno(e, name, "cannot read");
    fclose(file);
    return e->status;
}

/* Lines that are not empty. */
static uint64_t count_lines(const char *text)
{
    uint64_t lines = 0;
    for (text += strspn(text, "\n"); *text != '\0'; text += strspn(text, "\n")) {
        text += strcspn(text, "\n");
        lines++;
    }
    return lines;
}

enum status roots_file_read(struct roots_file *f, const char *path, const char *item, uint64_t memory_bytes,
                            struct error *e)
{
    struct memory_budget budget;
    int is_stdin = strcmp(path, "-") == 0;
    const char *name = is_stdin ? "standard input" : path;
    memset(f, 0, sizeof *f);
    FILE *file = open_text(is_stdin ? NULL : path, name, e);
    memory_budget_init(&budget, memory_bytes);
    if (file == NULL || read_text(f, file, name, budget.limit_bytes / 2, e) != ST_OK)
        return e->status;
    const uint64_t most = count_lines(f->text);
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
