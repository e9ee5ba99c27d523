/* sniff_lgl.c: see sniff_likeness.h. In LGL a line `# vertex` stands before the lines of its neighbours, each a word and perhaps a weight.
 * So every comment of the file is one word. If all neighbours have whole numbers as weights, the file could also be pairs, with
 * comments. */
#include "sniff_likeness.h"

#include "fields.h"

/* What the lines so far have shown. */
struct lgl_look {
    int vertices;      /* lines of # */
    int words;         /* of these, such as are no numbers */
    int lists;         /* of neighbours, so far */
    int neighbours, numbers; /* lines of neighbours; of these, such as begin with a number */
    int could_be_pairs;
    int in_list;
};

/* Counts what a line shows in *look. Returns 0 if LGL has no such line. */
static int look_at(struct lgl_look *look, const char *line)
{
    struct field word[2];
    const char *p = skip_blanks(line);
    int is_vertex = *p == '#';
    int words = fields_split(is_vertex ? p + 1 : p, SEPARATOR_BLANK, word, 2);
    if (*p == '%' || memchr(p, ',', (size_t)(next_line(p) - p)) != NULL || word[0].end == word[0].begin)
        return 0;
    if (is_vertex) {
        look->vertices++;
        look->words += !field_is_number(word[0]);
        look->in_list = 0;
        return words == 1;
    }
    if (look->vertices == 0 || words > 2 || (words == 2 && !field_is_weight(word[1])))
        return 0;
    look->lists += !look->in_list;
    look->in_list = 1;
    look->neighbours++;
    look->numbers += field_is_number(word[0]);
    look->could_be_pairs &= words == 2 && field_is_number(word[1]);
    return 1;
}

/* Judges whether lines are LGL; UNLIKE, too, if a list of pairs with comments is as good a reading. */
enum likeness lgl_likeness(const char *p, const char *end, int names)
{
    struct lgl_look look = {.could_be_pairs = 1};
    for (; p < end; p = next_line(p)) {
        if (!at_line_end(p) && !look_at(&look, p))
            return UNLIKE;
    }
    if (look.neighbours == 0)
        return UNLIKE;
    /* a list of numbers, whose comments are words, is no LGL */
    if (look.words > 0 && look.numbers == look.neighbours)
        return UNLIKE;
    if (!names && look.could_be_pairs && look.numbers < look.neighbours)
        return UNLIKE;
    return look.lists > 1 && !look.could_be_pairs ? CERTAIN : LIKE;
}
