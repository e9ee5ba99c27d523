/* wdc_index.c: see wdc_index.h */
#include "wdc_index.h"

#include "tools/convert/read/lines.h"
#include "tools/convert/read/scan_text.h"

#include "formats/name_map.h"

#include <stdio.h>

struct place {
    const char *input;
    uint64_t line;
};

static enum status bad_line(const struct place *place, const char *at, const char *expected, struct error *e)
{
    char word[DESCRIBED_BYTES];
    return fail(e, ST_BAD_DATA, "%s:%llu: found %s, expected %s", place->input,
                (unsigned long long)place->line, describe_word(at, word), expected);
}

/* Checks the line from `p` to `next`, whose id must be `id`, and writes its name to the map. */
static enum status take_line(const char *p, const char *next, const struct place *place,
                             struct outfile *map, uint64_t id, struct error *e)
{
    char expected[48];
    uint64_t found;
    const char *tab = next - 1;
    while (tab > p && *tab != '\t')
        tab--;
    if (*tab != '\t')
        return bad_line(place, p, "a name, a tab and an id", e);
    if (tab == p)
        return bad_line(place, p, "a name before the tab", e);
    const char *end = scan_id(tab + 1, &found);
    snprintf(expected, sizeof expected, "the id %llu", (unsigned long long)id);
    if (end == tab + 1 || found != id || skip_line_end(end) != next)
        return bad_line(place, tab + 1, expected, e);
    return name_map_write(map, p, (size_t)(tab - p), e);
}

/* Takes all lines of a piece; counts *id and place->line on. */
static enum status take_lines(const struct piece *piece, struct place *place, struct outfile *map,
                              uint64_t *id, struct error *e)
{
    const char *p = piece->in.text, *end = p + piece->in.text_bytes;
    while (p < end && e->status == ST_OK) {
        const char *next = next_line(p);
        take_line(p, next, place, map, *id, e);
        p = next;
        place->line++;
        ++*id;
    }
    return e->status;
}

/* Reads one file of names to its end, and writes them to the map. *next is the id expected next. */
static enum status read_file(struct input *input, struct outfile *map, uint64_t max_line_bytes,
                             uint64_t *next, struct error *e)
{
    struct line_feed feed = {0};
    struct piece piece = {0};
    struct place place = {input_name(input), 1};
    int end = 0, last;
    line_feed_init(&feed, input, /* skip */ 0, /* in_order */ 1, max_line_bytes, e);
    while (e->status == ST_OK && line_feed_take(&feed, &piece, &end, e) == ST_OK && !end) {
        if (line_feed_load(&feed, &piece, &last, e) == ST_OK)
            take_lines(&piece, &place, map, next, e);
        if (piece.in.unterminated)
            fail(e, ST_BAD_DATA,
                 "%s:%llu: found the end of the file within a line: it may have been cut",
                 place.input, (unsigned long long)place.line - 1);
    }
    piece_free(&piece);
    line_feed_free(&feed);
    return e->status;
}

enum status wdc_index_read(const char *path, const char *member, struct outfile *map,
                           uint64_t max_line_bytes, uint64_t *next, struct error *e)
{
    struct input *input;
    int end = 0;
    if (input_open_first(&input, path, member, e) != ST_OK)
        return e->status;
    while (!end && read_file(input, map, max_line_bytes, next, e) == ST_OK)
        input_next(input, &end, e);
    input_close(input);
    return e->status;
}
