/* table.c: writes text results as lines of fields; see table.h */
#include "table.h"

#include "formats/base/text.h"
#include "formats/result_name.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum table_form table_form_of(const char *name)
{
    return name != NULL && name_ends_in(name, ".csv") ? TABLE_CSV : TABLE_TABS;
}

void table_begin(struct table *t, struct outfile *out, enum table_form form, const struct name_map *map, uint64_t base)
{
    *t = (struct table){.out = out, .form = form, .map = map, .base = base, .on_terminal = outfile_is_terminal(out)};
}

void table_begin_stream(struct table *t, FILE *stream, enum table_form form, const struct name_map *map, uint64_t base)
{
    *t = (struct table){.stream = stream, .form = form, .map = map, .base = base, .on_terminal = isatty(fileno(stream))};
}

/* ---- numbers in memory ---- */

char *table_put_number(char *at, int64_t value)
{
    uint64_t x = value < 0 ? -(uint64_t)value : (uint64_t)value;
    unsigned digits = 1;
    for (uint64_t rest = x; rest >= 10; rest /= 10)
        digits++;
    if (value < 0)
        *at++ = '-';
    for (unsigned i = digits; i > 0; i--, x /= 10)
        at[i - 1] = (char)('0' + x % 10);
    return at + digits;
}

char *table_put_id(char *at, int64_t id, uint64_t base)
{
    return table_put_number(at, id < 0 ? id : id + (int64_t)base);
}

/* ---- fields ---- */

/* Writes bytes to the file or the stream of the table. */
static enum status put(struct table *t, const char *bytes, size_t count, struct error *e)
{
    if (e->status != ST_OK || count == 0)
        return e->status;
    if (t->out != NULL)
        return outfile_write(t->out, bytes, count, e);
    fwrite(bytes, 1, count, t->stream);
    return ST_OK;
}

/* Begins a field, by a separator if another field is before it in the line. */
static enum status begin_field(struct table *t, struct error *e)
{
    const char separator = table_separator(t->form);
    return t->fields++ > 0 ? put(t, &separator, 1, e) : e->status;
}

enum status table_columns(struct table *t, const char *columns, struct error *e)
{
    if (t->form == TABLE_CSV && put(t, columns, strlen(columns), e) == ST_OK)
        put(t, "\n", 1, e);
    return e->status;
}

enum status table_number(struct table *t, int64_t value, struct error *e)
{
    char text[TABLE_NUMBER_BYTES];
    begin_field(t, e);
    return put(t, text, (size_t)(table_put_number(text, value) - text), e);
}

enum status table_real(struct table *t, double value, struct error *e)
{
    char text[32];
    begin_field(t, e);
    return put(t, text, (size_t)snprintf(text, sizeof text, "%.17g", value), e);
}

/* Writes a text with some of its characters replaced, each by two: in a table of CSV a quote by two quotes, and in a table of
 * tabs a tab, a CR and a LF by a backslash and a letter. */
static enum status put_replaced(struct table *t, const char *bytes, size_t length, struct error *e)
{
    const char *const replaced = t->form == TABLE_CSV ? "\"" : "\t\r\n", *const by = t->form == TABLE_CSV ? "\"" : "trn";
    size_t done = 0;
    for (size_t i = 0; i < length; i++) {
        const char *at = bytes[i] != '\0' ? strchr(replaced, bytes[i]) : NULL;
        if (at == NULL)
            continue;
        const char pair[2] = {t->form == TABLE_CSV ? '"' : '\\', by[at - replaced]};
        put(t, bytes + done, i - done, e);
        put(t, pair, 2, e);
        done = i + 1;
    }
    return put(t, bytes + done, length - done, e);
}

/* Returns whether a text has to be quoted in a table of CSV (table.h). */
static int needs_quotes(const char *bytes, size_t length)
{
    if (length == 0 || bytes[0] == ' ' || bytes[0] == '\t' || bytes[length - 1] == ' ' || bytes[length - 1] == '\t')
        return 1;
    for (size_t i = 0; i < length; i++) {
        if (bytes[i] == ',' || bytes[i] == '"' || bytes[i] == '\r' || bytes[i] == '\n')
            return 1;
    }
    return 0;
}

/* A text that print_visible prints. */
struct piece {
    const char *bytes;
    size_t length;
};

/* Prints a text, with control characters as \xNN. Called by text_printed, which collects it in memory, with a struct piece. */
static void print_visible(FILE *stream, const void *context)
{
    const struct piece *text = context;
    text_print_visible(stream, text->bytes, text->length);
}

/* Writes a text as one field (table.h): on a terminal with visible control characters, in CSV in quotes where it needs them. */
enum status table_text(struct table *t, const char *bytes, size_t length, struct error *e)
{
    char *shown = t->on_terminal ? text_printed(print_visible, &(struct piece){bytes, length}, &length) : NULL;
    if (t->on_terminal && shown == NULL)
        return fail_memory(e, "a field of a table", length);
    const char *text = shown != NULL ? shown : bytes;
    const int quoted = t->form == TABLE_CSV && needs_quotes(text, length);
    begin_field(t, e);
    put(t, "\"", (size_t)quoted, e);
    put_replaced(t, text, length, e);
    put(t, "\"", (size_t)quoted, e);
    free(shown);
    return e->status;
}

enum status table_vertex(struct table *t, int64_t id, struct error *e)
{
    char text[TABLE_NUMBER_BYTES];
    if (id >= 0 && t->map != NULL) {
        struct map_name name = name_map_at(t->map, (uint64_t)id);
        return table_text(t, name.bytes, name.length, e);
    }
    begin_field(t, e);
    return put(t, text, (size_t)(table_put_id(text, id, t->base) - text), e);
}

enum status table_end_line(struct table *t, struct error *e)
{
    t->fields = 0;
    return put(t, "\n", 1, e);
}
