/* text_reader.c: the functions that the readers of text formats share; see graph_reader.h */
#include "graph_reader.h"

#include "plain_lines.h"
#include "tools/convert/piece/names.h"
#include "scan_text.h"

#include <stdlib.h>

enum { HEAD_FIRST_BYTES = 1 << 16 };

typedef unsigned long long ull;

/* ---- the head ---- */

/* Copies the whole lines of the peeked bytes to r->text.head, in place of what it had. */
static enum status copy_head(struct graph_reader *r, const unsigned char *bytes, size_t count,
                             int complete, struct error *e)
{
    free(r->text.head);
    r->text.head = malloc(count + 1 + PIECE_PADDING);
    if (r->text.head == NULL)
        return fail_memory(e, r->name, count);
    memcpy(r->text.head, bytes, count);
    const char *newline = memrchr(r->text.head, '\n', count);
    size_t whole = newline != NULL ? (size_t)(newline + 1 - r->text.head) : 0;
    if (complete && whole < count) {
        whole = count + 1;
        r->text.head[count] = '\n';
    }
    memset(r->text.head + whole, 0, PIECE_PADDING);
    r->text.head_bytes = whole;
    return ST_OK;
}

static int is_data_line(const char *p, struct comment_rule comments)
{
    return !is_comment_line(comments, p) && !at_line_end(p);
}

const char *text_head_start(const struct graph_reader *r)
{
    const struct text_state *text = &r->text;
    int marked = text->head_bytes >= 3 && memcmp(text->head, BYTE_ORDER_MARK, 3) == 0;
    return marked ? text->head + 3 : text->head;
}

/* Returns the first line of data at or behind `p`; counts *line on. NULL at the end of the head. */
const char *text_data_line(const struct graph_reader *r, const char *p, uint64_t *line)
{
    const char *end = r->text.head + r->text.head_bytes;
    for (; p < end; p = next_line(p), ++*line) {
        if (is_data_line(p, r->text.comments))
            return p;
    }
    return NULL;
}

static int has_data_lines(const struct graph_reader *r, int lines)
{
    uint64_t line = 0;
    const char *p = text_head_start(r);
    while (lines > 0 && (p = text_data_line(r, p, &line)) != NULL) {
        p = next_line(p);
        lines--;
    }
    return lines == 0;
}

/* Sets which lines are comments, and copies more and more of the input until the head has `lines` lines of data. */
static enum status peek(struct graph_reader *r, struct comment_rule comments, int lines, struct error *e)
{
    const unsigned char *bytes;
    size_t count, want = HEAD_FIRST_BYTES;
    r->text.comments = comments;
    for (;; want *= 4) {
        if (input_peek(r->input, want, &bytes, &count, e) != ST_OK ||
            copy_head(r, bytes, count, count < want, e) != ST_OK)
            return e->status;
        if (has_data_lines(r, lines) || count < want || want >= HEAD_MAX_BYTES)
            return ST_OK;
    }
}

/* Copies the beginning of the input to r->text.head; nothing is consumed. */
enum status text_peek(struct graph_reader *r, const char *comments, struct error *e)
{
    return peek(r, (struct comment_rule){comments, 0}, 1, e);
}

/* As text_peek, with the comments that --comments chooses. */
enum status text_peek_list(struct graph_reader *r, int lines, struct error *e)
{
    const char *chosen = r->options.comments;
    struct comment_rule rule = {chosen != NULL ? chosen : LIST_COMMENTS, chosen == NULL && r->options.names};
    return peek(r, rule, lines, e);
}

static int is_hex(char c)
{
    return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'f');
}

/* Returns the place behind the last line above the data that is certainly a comment, and sets *line to the lines before. Lines
 * above it that begin with a sign are comments, too, even if ids may begin with the sign. */
static const char *behind_comments(const struct graph_reader *r, uint64_t *line)
{
    const struct comment_rule any_sign = {r->text.comments.signs, 0};
    const char *p = text_head_start(r), *end = r->text.head + r->text.head_bytes, *behind = p;
    uint64_t lines = 0;
    for (; p < end && (is_comment_line(any_sign, p) || at_line_end(p)); p = next_line(p)) {
        lines++;
        if (is_comment_line(r->text.comments, p)) {
            behind = next_line(p);
            *line = lines;
        }
    }
    return behind;
}

/* Finds the first line of data in the head. ST_USAGE if it may be a comment instead. */
enum status text_first_of_list(const struct graph_reader *r, const char **first, uint64_t *line, struct error *e)
{
    char word[DESCRIBED_BYTES];
    *line = 0;
    *first = text_data_line(r, behind_comments(r, line), line);
    if (*first == NULL) {
        *first = r->text.head + r->text.head_bytes;
        return ST_OK;
    }
    const char *p = skip_blanks(*first);
    int is_escape = *p == '%' && is_hex(p[1]) && is_hex(p[2]); /* as in URLs */
    if (!r->text.comments.spaced || !is_comment(*p) || is_escape)
        return ST_OK;
    return fail(e, ST_USAGE,
                "%s:%llu: %s may begin a comment or be an id: `--comments '%c'` takes such lines for comments, and "
                "`--comments none` for edges",
                r->name, (ull)*line + 1, describe_word(p, word), *p);
}

/* Frees the head, and lets the feed begin at `body`. */
static enum status start(struct graph_reader *r, const char *body, uint64_t lines, int in_order, struct error *e)
{
    size_t skip = (size_t)(body - r->text.head);
    free(r->text.head);
    r->text.head = NULL;
    r->text.lines = lines;
    return line_feed_init(&r->text.feed, r->input, skip, in_order, r->options.max_buffer_bytes, e);
}

/* Begins to take pieces at `body`, and frees the head. */
enum status text_start(struct graph_reader *r, const char *body, uint64_t lines, struct error *e)
{
    return start(r, body, lines, 0, e);
}

/* As text_start, but pieces are read, in order, when they are taken. */
enum status text_start_in_order(struct graph_reader *r, const char *body, uint64_t lines, struct error *e)
{
    return start(r, body, lines, 1, e);
}

/* ---- pieces ---- */

/* reader_class.take: the lines of the next piece, or only its range in a plain file. */
enum status text_take(struct graph_reader *r, struct piece *piece, int *end, struct error *e)
{
    return line_feed_take(&r->text.feed, piece, end, e);
}

/* reader_class.parse: empties the piece, and parses one part of its text after the other, up to a fault. */
enum status text_parse(const struct graph_reader *r, struct piece *piece, struct error *e)
{
    const struct reader_class *class = r->class;
    int last = 0;
    size_t bytes = r->text.feed.by_offset ? (size_t)(piece->in.range_end - piece->in.range_begin) : piece->in.text_bytes;
    if (piece_clear_edges(piece, bytes / class->shortest_entry + 1, e) != ST_OK)
        return e->status;
    while (!last && piece->fault.at == NULL) {
        if (line_feed_load(&r->text.feed, piece, &last, e) != ST_OK ||
            piece_extend_edges(piece, piece->in.text_bytes / class->shortest_entry + 1, e) != ST_OK ||
            (r->facts.names && piece_reserve_names(piece, piece->in.text_bytes / 4 + 1, piece->in.text_bytes, e) != ST_OK))
            return e->status;
        if (class->lines != NULL)
            class->lines(r, piece);
        else
            plain_lines_parse(r, piece, r->text.plain, class->line);
    }
    piece->tally.entries = piece->count;
    return ST_OK;
}

/* Sets *line to the line of the piece that holds its data line number `index`. Goes through the text of the piece again. */
static enum status find_entry(const struct graph_reader *r, struct piece *piece, uint64_t index,
                              uint64_t *line, struct error *e)
{
    int last = 0;
    *line = 0;
    for (line_feed_rewind(&r->text.feed, piece); !last;) {
        if (line_feed_load(&r->text.feed, piece, &last, e) != ST_OK)
            return e->status;
        const char *p = piece->in.text, *end = p + piece->in.text_bytes;
        for (; p < end; p = next_line(p), ++*line) {
            if (is_data_line(p, r->text.comments) && index-- == 0)
                return ST_OK;
        }
    }
    return ST_OK;
}

/* Fails at the line of the first entry beyond the declared number. */
static enum status too_many_entries(const struct graph_reader *r, struct piece *piece, struct error *e)
{
    uint64_t line;
    if (find_entry(r, piece, r->text.declared_entries - (r->total.entries - piece->tally.entries), &line, e) != ST_OK)
        return e->status;
    return fail(
        e, ST_BAD_DATA, "%s:%llu: found more than %llu entries, expected as many as line %llu says",
        r->name, (ull)(r->text.lines + line + 1), (ull)r->text.declared_entries,
        (ull)r->text.declared_line);
}

/* Reports the piece's fault, if it has one; else adds its lines to r->text.lines. */
enum status text_account(struct graph_reader *r, struct piece *piece, struct error *e)
{
    const struct fault *fault = &piece->fault;
    if (r->total.entries > r->text.declared_entries)
        return too_many_entries(r, piece, e);
    if (fault->at != NULL)
        return reader_bad_line(r, r->text.lines + fault->line + 1, fault->at, NULL, fault->expected,
                               e);
    r->text.lines += piece->tally.lines;
    r->facts.notes.unterminated |= piece->in.unterminated;
    return ST_OK;
}

/* Checks that there were as many entries as declared. */
enum status text_finish(struct graph_reader *r, struct error *e)
{
    if (r->text.declared_entries != NO_COUNT && r->total.entries < r->text.declared_entries)
        return fail(e, ST_BAD_DATA,
                    "%s:%llu: found the end of the file after %llu entries, expected %llu as line "
                    "%llu says",
                    r->name, (ull)r->text.lines, (ull)r->total.entries,
                    (ull)r->text.declared_entries, (ull)r->text.declared_line);
    return ST_OK;
}
