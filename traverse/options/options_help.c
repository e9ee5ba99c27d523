/* options_help.c: makes the text of --help from the table of options; see options.h */
#include "options.h"

#include <string.h>

enum { TEXT_COLUMN = 30, WIDTH = 100 };

static const char *const group_name[OPTION_GROUPS] = {
    [GROUP_ROOTS] = "Roots",     [GROUP_RESULTS] = "Results ('-' is standard output)",
    [GROUP_SEARCH] = "Search",   [GROUP_EXCHANGE] = "Between devices and ranks",
    [GROUP_MACHINE] = "Machine", [GROUP_COMMON] = "Common"};

/* Prints a text, wrapped between words into lines from column TEXT_COLUMN to at most column WIDTH. `column` is the number
 * of characters that are already on the first line. */
static void print_words(FILE *out, const char *text, int column)
{
    while (*text != '\0') {
        int length = (int)strcspn(text, " ");
        if (column + 1 + length > WIDTH) {
            fputc('\n', out);
            column = 0;
        }
        if (column < TEXT_COLUMN)
            column += fprintf(out, "%*s", TEXT_COLUMN - column, "");
        else
            column += fprintf(out, " ");
        column += fprintf(out, "%.*s", length, text);
        text += length + (text[length] == ' ');
    }
    fputc('\n', out);
}

/* Prints the names of an option, the name of its value, and its text. If the names are long, the text begins on the next
 * line. */
static void print_row(FILE *out, const struct option_row *row)
{
    const char *value = row->shown != NULL ? row->shown : row->value;
    int has_letter = row->letter > 0 && row->letter < 128;
    int column = has_letter ? fprintf(out, "  -%c, --%s", row->letter, row->name)
                            : fprintf(out, "      --%s", row->name);
    if (value != NULL)
        column += fprintf(out, " %s", value);
    if (column + 2 > TEXT_COLUMN) {
        fputc('\n', out);
        column = 0;
    }
    print_words(out, row->help, column);
}

/* Puts the options of the program and of the table into groups, each under a heading. */
char *options_help(const struct option_program *program, int all)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    fputs(program->usage, out);
    for (int group = 0; group < OPTION_GROUPS; group++) {
        int printed = 0;
        for (size_t i = 0; i < program->own_count + option_table_rows; i++) {
            const struct option_row *row =
                i < program->own_count ? &program->own[i] : &option_table[i - program->own_count];
            if (row->group != (enum option_group)group || (row->of & program->bit) == 0 || row->of & FOR_TESTS ||
                (!all && (row->of & EVERYDAY) == 0))
                continue;
            if (printed++ == 0)
                fprintf(out, "%s:\n", group_name[group]);
            print_row(out, row);
        }
    }
    if (!all)
        fprintf(out, "'%s --help=all' lists every option; %s(1) explains them.\n", program->name, program->name);
    fputs(program->exit_codes, out);
    return fclose(out) == 0 ? text : NULL;
}
