/* roots_file.c: see roots_file.h */
#include "roots_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum status read_text(struct roots_file *f, const char *path, struct error *e)
{
    size_t capacity = 0;
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return fail_errno(e, path, "cannot open");
    ssize_t length = getdelim(&f->text, &capacity, '\0', file);
    if (ferror(file))
        fail_errno(e, path, "cannot read");
    else if (length <= 0)
        fail(e, ST_BAD_DATA, "%s: has no roots: expected one on each line", path);
    else if (!feof(file)) /* it stopped at a NUL */
        fail(e, ST_BAD_DATA, "%s: is no text: expected a root on each line", path);
    fclose(file);
    return e->status;
}

enum status roots_file_read(struct roots_file *f, const char *path, struct error *e)
{
    memset(f, 0, sizeof *f);
    if (read_text(f, path, e) != ST_OK)
        return e->status;
    uint64_t most = 1;
    for (const char *p = f->text; (p = strchr(p, '\n')) != NULL; p++)
        most++;
    f->line = calloc(most, sizeof *f->line);
    if (f->line == NULL)
        return fail_memory(e, path, most * sizeof *f->line);
    for (char *rest = f->text, *line; (line = strsep(&rest, "\n")) != NULL;) {
        line[strcspn(line, "\r")] = '\0';
        if (*line != '\0')
            f->line[f->count++] = line;
    }
    return f->count > 0 ? ST_OK : fail(e, ST_BAD_DATA, "%s: has no roots: expected one on each line", path);
}

void roots_file_free(struct roots_file *f)
{
    free(f->text);
    free(f->line);
    memset(f, 0, sizeof *f);
}
