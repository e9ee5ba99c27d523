/* claim_kinds.c: see claim_kinds.h */
#include "claim_kinds.h"

#include "formats/base/bytes.h"
#include "tools/spill/unnamed.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NPY_MAGIC_BYTES = 6, TEXT_VALUES = 1 << 16 };

/* ---- .npy ---- */

/* Nonzero if a file that begins so is an array of NumPy. */
int claim_is_npy(const unsigned char *head, size_t count)
{
    return count > NPY_MAGIC_BYTES + 6 && memcmp(head, "\x93NUMPY", NPY_MAGIC_BYTES) == 0;
}

static enum status refuse_npy(const struct claim_file *f, const char *why, struct error *e)
{
    return fail(e, ST_BAD_DATA, "%s: .npy header: %s", f->name, why);
}

/* What follows `key` in the dictionary, or NULL. */
static const char *npy_value(const char *dictionary, const char *key)
{
    const char *at = strstr(dictionary, key);
    return at == NULL ? NULL : at + strlen(key);
}

/* Takes width and sign from the element type, such as '<i4'. */
static enum status parse_descr(struct claim_file *f, const char *dictionary, struct error *e)
{
    const char *descr = npy_value(dictionary, "'descr': '");
    if (descr == NULL || strlen(descr) < 4)
        return refuse_npy(f, "it has no element type", e);
    if (descr[0] == '>')
        return refuse_npy(f, "the integers are big-endian", e);
    if ((descr[1] != 'i' && descr[1] != 'u') || strchr("1248", descr[2]) == NULL ||
        descr[3] != '\'')
        return refuse_npy(f, "the elements are not integers of 1, 2, 4 or 8 bytes", e);
    f->is_unsigned = descr[1] == 'u';
    f->width = (uint32_t)(descr[2] - '0');
    return ST_OK;
}

/* Takes f->count from the shape, which must have one dimension. */
static enum status parse_shape(struct claim_file *f, const char *dictionary, struct error *e)
{
    int length = 0;
    const char *shape = npy_value(dictionary, "'shape': (");
    if (shape == NULL || sscanf(shape, "%" SCNu64 ",)%n", &f->count, &length) != 1 || length == 0)
        return refuse_npy(f, "the array has not one dimension", e);
    return ST_OK;
}

/* Reads the header of an array of NumPy: where its values begin, their width and number. */
enum status claim_npy_open(struct claim_file *f, const unsigned char *head, size_t count,
                            uint64_t bytes, struct error *e)
{
    char dictionary[CLAIM_HEAD_BYTES];
    uint64_t values;
    size_t wide = head[NPY_MAGIC_BYTES] > 1, begin = NPY_MAGIC_BYTES + (wide ? 6 : 4);
    size_t length = wide ? get_u32(head + 8) : (size_t)head[8] | (size_t)head[9] << 8;
    if (length > count - begin)
        return refuse_npy(f, "it is cut, or longer than 4 KiB", e);
    memcpy(dictionary, head + begin, length);
    dictionary[length] = '\0';
    if (parse_descr(f, dictionary, e) != ST_OK || parse_shape(f, dictionary, e) != ST_OK)
        return e->status;
    f->start += (off_t)(begin + length);
    if (size_mul(f->count, f->width, &values) || values != bytes - begin - length)
        return fail(e, ST_BAD_DATA,
                    "%s: its size is not that of the %" PRIu64 " values of its header", f->name,
                    f->count);
    return ST_OK;
}

/* ---- text ---- */

/* Sets *layout to that of a text that begins with `head`. Nonzero if its first line of values is that of the vertex
 * `base`. */
int claim_is_text(const unsigned char *head, size_t count, uint32_t base, struct text_layout *layout)
{
    static const char *const titles[] = {"id,distance\n", "id,parent\n", "id,distance,parent\n"};
    size_t at = 0;
    *layout = (struct text_layout){.fields = 1};
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++) {
        if (count > strlen(titles[i]) && memcmp(head, titles[i], strlen(titles[i])) == 0) {
            at = layout->begin = strlen(titles[i]);
            layout->titled = 1;
        }
    }
    if (count < at + 4 || head[at] != '0' + base || strchr(layout->titled ? "," : " ,\t", head[at + 1]) == NULL)
        return 0;
    layout->separator = (char)head[at + 1];
    for (at++; at < count && head[at] == (unsigned char)layout->separator && layout->fields < 3; layout->fields++) {
        at += 1 + (at + 1 < count && head[at + 1] == '-');
        while (at < count && isdigit(head[at]))
            at++;
    }
    return at < count && head[at] == '\n';
}

/* Nonzero if a file that begins so is a text of any kind. */
int claim_is_lines(const unsigned char *head, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if ((head[i] < ' ' && !isspace(head[i])) || head[i] == 0xff)
            return 0;
    return memchr(head, '\n', count) != NULL;
}

/* Reads the digits at *text and moves *text past them. Returns nonzero if there are none, or too many. */
static int take_digits(const char **text, uint64_t *value)
{
    const char *p = *text;
    for (*value = 0; isdigit((unsigned char)*p); p++) {
        if (*value > (uint64_t)INT64_MAX / 10 - 1)
            return 1;
        *value = *value * 10 + (uint64_t)(*p - '0');
    }
    if (p == *text)
        return 1;
    *text = p;
    return 0;
}

/* Reads a line of the id and one or two values, and takes the value of the last field, or with `second` of the second. Nonzero
 * if it has this id, and the separator and fields of the layout. */
static int parse_line(const char *line, uint64_t id, const struct text_layout *layout, int second, int64_t *value)
{
    uint64_t found, size;
    if (take_digits(&line, &found) || found != id)
        return 0;
    for (unsigned field = 1; field < layout->fields; field++) {
        if (*line++ != layout->separator)
            return 0;
        int negative = *line == '-';
        line += negative;
        if (take_digits(&line, &size))
            return 0;
        if (field == 1 || !second)
            *value = negative ? -(int64_t)size : (int64_t)size;
    }
    return *line == '\n';
}

/* Appends the values of all lines to the file `to`, and counts them in f->count. */
static enum status convert_lines(struct claim_file *f, FILE *text, const struct text_layout *layout, int64_t *values, int to,
                                 const char *tmpdir, struct error *e)
{
    const char *const shown = layout->separator == '\t' ? "\\t" : layout->separator == ',' ? "," : " ";
    char line[96];
    size_t held = 0;
    while (fgets(line, sizeof line, text) != NULL) {
        const uint64_t id = f->count + f->base, number = f->count + 1 + (uint64_t)layout->titled;
        if (!parse_line(line, id, layout, f->is_depths, &values[held]))
            return fail(e, ST_BAD_DATA, "%s:%" PRIu64 ": not '%" PRIu64 "%sVALUE%s' with a newline", f->name, number, id, shown,
                        layout->fields < 3 ? "" : layout->separator == ',' ? ",PARENT" : "\\tPARENT");
        if (!f->is_depths && values[held] >= 0 && (values[held] -= f->base) < 0)
            return fail(e, ST_INVALID, "%s:%" PRIu64 ": vertex %" PRIu64 ": 0 is no parent, as ids begin at 1", f->name, number,
                        id);
        f->count++;
        if (++held < TEXT_VALUES)
            continue;
        if (unnamed_append(to, values, held * 8, tmpdir, "results", e) != ST_OK)
            return e->status;
        held = 0;
    }
    if (ferror(text))
        return fail_errno(e, f->name, "cannot read");
    return unnamed_append(to, values, held * 8, tmpdir, "results", e);
}

/* The same for the text f->fd, through a stream and a buffer of its own. */
enum status claim_text_convert(struct claim_file *f, const struct text_layout *layout, int to, const char *tmpdir,
                               struct error *e)
{
    int64_t *values = malloc(TEXT_VALUES * sizeof *values);
    int fd = dup(f->fd);
    FILE *text = NULL;
    if (values == NULL)
        fail_memory(e, f->name, TEXT_VALUES * sizeof *values);
    else if (fd < 0 || lseek(fd, f->start + (off_t)layout->begin, SEEK_SET) < 0 || (text = fdopen(fd, "r")) == NULL)
        fail_errno(e, f->name, "cannot open again");
    else
        convert_lines(f, text, layout, values, to, tmpdir, e);
    if (text != NULL)
        fclose(text);
    else if (fd >= 0)
        close(fd);
    free(values);
    return e->status;
}
