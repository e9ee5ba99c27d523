/* roots_file.c: see roots_file.h */
#include "roots_file.h"

#include "formats/base/launch.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* Reads all of `file` as one text, and closes it. */
static enum status read_text(struct roots_file *f, FILE *file, const char *name, const char *item, struct error *e)
{
    size_t capacity = 0;
    ssize_t length = getdelim(&f->text, &capacity, '\0', file);
    if (ferror(file))
        fail_errno(e, name, "cannot read");
    else if (length <= 0)
        fail(e, ST_BAD_DATA, "%s: has no %ss: expected one on each line", name, item);
    else if (!feof(file)) /* reading stopped at a NUL */
        fail(e, ST_BAD_DATA, "%s: is no text: expected a %s on each line", name, item);
    fclose(file);
    return e->status;
}

enum status roots_file_read(struct roots_file *f, const char *path, const char *item, struct error *e)
{
    int is_stdin = strcmp(path, "-") == 0;
    const char *name = is_stdin ? "standard input" : path;
    memset(f, 0, sizeof *f);
    FILE *file = open_text(is_stdin ? NULL : path, name, e);
    if (file == NULL || read_text(f, file, name, item, e) != ST_OK)
        return e->status;
    uint64_t most = 1;
    for (const char *p = f->text; (p = strchr(p, '\n')) != NULL; p++)
        most++;
    f->line = calloc(most, sizeof *f->line);
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
