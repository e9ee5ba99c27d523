/* test_table.c: text results have the bytes that readers of tab-separated lines and of CSV take apart */
#include "unit.h"

#include "formats/table.h"

#include <stdlib.h>
#include <string.h>

/* Writes a text, a number, a real and no vertex as a line of a table. */
static void write_line(struct table *t, const char *text, struct error *e)
{
    table_columns(t, "name,id,mean,parent", e);
    table_text(t, text, strlen(text), e);
    table_number(t, INT64_MIN, e);
    table_real(t, .1, e);
    table_vertex(t, -1, e);
    table_end_line(t, e);
}

/* Returns whether a table with a line of this text has the bytes `wanted`. */
static int is_written(enum table_form form, const char *text, const char *wanted)
{
    struct error e = {0};
    struct table t;
    char *bytes = NULL;
    size_t count;
    FILE *stream = open_memstream(&bytes, &count);
    table_begin_stream(&t, stream, form, NULL, 0);
    write_line(&t, text, &e);
    fclose(stream);
    int same = e.status == ST_OK && strcmp(bytes, wanted) == 0;
    if (!same)
        printf("# %s", bytes);
    free(bytes);
    return same;
}

#define HEAD "name,id,mean,parent\n"
#define REST "-9223372036854775808,0.10000000000000001,-1\n"
#define TABS "\t-9223372036854775808\t0.10000000000000001\t-1\n"

int main(void)
{
    report(is_written(TABLE_TABS, "a \"b\", c", "a \"b\", c" TABS), "a table of tabs has no header, no quotes and no other blanks");
    report(is_written(TABLE_TABS, "a\tb\r\nc\\", "a\\tb\\r\\nc\\" TABS),
           "a table of tabs has one line and as many fields, whatever a name has");
    report(is_written(TABLE_CSV, "a b#", HEAD "a b#," REST), "CSV has a header, and quotes only where they are needed");
    report(is_written(TABLE_CSV, "a,\"b\"", HEAD "\"a,\"\"b\"\"\"," REST), "CSV doubles quotes within quotes");
    report(is_written(TABLE_CSV, "a\r\nb", HEAD "\"a\r\nb\"," REST), "CSV quotes the ends of lines");
    report(is_written(TABLE_CSV, " a", HEAD "\" a\"," REST) && is_written(TABLE_CSV, "a\t", HEAD "\"a\t\"," REST) &&
               is_written(TABLE_CSV, "", HEAD "\"\"," REST),
           "CSV quotes blanks at an end, and the empty text");
    report(table_form_of("a.csv") == TABLE_CSV && table_form_of("csv") == TABLE_TABS && table_form_of("a.csv.tsv") == TABLE_TABS &&
               table_form_of(NULL) == TABLE_TABS,
           "the suffix of a file chooses the form of its table");
    return unit_result();
}
