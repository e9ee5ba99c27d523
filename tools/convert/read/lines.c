/* lines.c: see lines.h */
#include "lines.h"

#include <stdlib.h>
#include <string.h>

enum { TAIL_BYTES = 256 /* read behind a piece at first, to complete its last line */ };

typedef unsigned long long ull;

/* Prepares a feed of the lines behind `skip` bytes; reads past these if the input is read in order. */
enum status line_feed_init(struct line_feed *feed, struct input *input, size_t skip, int in_order,
                           uint64_t max_buffer_bytes, struct error *e)
{
    char skipped[4096];
    memset(feed, 0, sizeof *feed);
    feed->input = input;
    feed->by_offset = input_random_access(input) && !in_order;
    feed->first = feed->next = feed->at = skip;
    feed->max_buffer_bytes = max_buffer_bytes;
    while (!feed->by_offset && skip > 0) {
        size_t part = skip < sizeof skipped ? skip : sizeof skipped, got;
        if (input_read(input, skipped, part, &got, e) != ST_OK)
            return e->status;
        skip = got == part ? skip - part : 0;
    }
    return ST_OK;
}

void line_feed_free(struct line_feed *feed)
{
    free(feed->carry);
    feed->carry = NULL;
}

static enum status line_too_long(const struct line_feed *feed, uint64_t at, struct error *e)
{
    return fail(e, ST_RESOURCE,
                "%s: byte %llu: found a line of more than %llu bytes, which the memory allowed "
                "(-S) does not hold",
                input_name(feed->input), (ull)at, (ull)feed->max_buffer_bytes);
}

/* Ends the text with a newline if it has none, and clears the bytes behind it. */
static void terminate_text(struct piece *piece)
{
    if (piece->in.text_bytes > 0 && piece->in.text[piece->in.text_bytes - 1] != '\n') {
        piece->in.text[piece->in.text_bytes++] = '\n';
        piece->in.unterminated = 1;
    }
    /* scans that look ahead must see no digit of an earlier text */
    memset(piece->in.text + piece->in.text_bytes, 0, 16);
}

/* ---- by offset ---- */

/* Takes the next piece of a file that is cut by offsets. */
static enum status take_range(struct line_feed *feed, struct piece *piece, int *end)
{
    uint64_t size = input_size(feed->input), left = size - feed->next;
    if (feed->next >= size) {
        *end = 1;
        return ST_OK;
    }
    piece->in.range_begin = feed->next;
    feed->next += left < PIECE_BYTES ? left : PIECE_BYTES;
    piece->in.range_end = feed->next;
    piece->input_bytes = piece->in.range_end - piece->in.range_begin;
    line_feed_rewind(feed, piece);
    return ST_OK;
}

/* The byte of the input behind the bytes in the buffer. */
static uint64_t loaded_upto(const struct piece *piece)
{
    return piece->in.buffer_at + piece->in.have;
}

/* Drops the lines that were given out, and reads about `count` more bytes of the input, but not far beyond the end of the piece. */
static enum status load_more(const struct line_feed *feed, struct piece *piece, uint64_t count, struct error *e)
{
    uint64_t upto = loaded_upto(piece), left = input_size(feed->input) - upto;
    uint64_t goal = piece->in.range_end + TAIL_BYTES;
    if (upto < piece->in.range_end && goal - upto < count + count / 4)
        count = goal - upto;
    size_t want = (size_t)(count < left ? count : left), got;
    piece->in.have -= piece->in.used;
    piece->in.buffer_at += piece->in.used;
    if (piece->in.used > 0 && piece->in.have > 0)
        memmove(piece->in.buffer, piece->in.buffer + piece->in.used, piece->in.have);
    piece->in.used = 0;
    if (piece->in.have + want > feed->max_buffer_bytes)
        return line_too_long(feed, piece->in.buffer_at, e);
    if (piece_reserve_text(piece, piece->in.have + want + 1, e) != ST_OK ||
        input_read_at(feed->input, loaded_upto(piece), piece->in.buffer + piece->in.have, want,
                      &got, e) != ST_OK)
        return e->status;
    if (got < want)
        return fail(e, ST_RUNTIME, "%s: byte %llu: the file became shorter while it was read",
                    input_name(feed->input), (ull)(loaded_upto(piece) + got));
    piece->in.have += want;
    memset(piece->in.buffer + piece->in.have, 0, 16); /* nothing of an earlier text */
    return ST_OK;
}

/* Returns the place behind the last whole line in the buffer that belongs to the piece, which is the piece in which the line
 * starts. NULL if more must be loaded first. Sets *last if no line of the piece follows. */
static char *find_cut(const struct line_feed *feed, const struct piece *piece, int *last)
{
    uint64_t upto = loaded_upto(piece), final = piece->in.range_end - 1;
    char *from = piece->in.buffer + piece->in.used, *end = piece->in.buffer + piece->in.have,
         *newline;
    if (upto < piece->in.range_end) {
        newline = memrchr(from, '\n', (size_t)(end - from));
        return newline != NULL ? newline + 1 : NULL;
    }
    if (final > piece->in.buffer_at + piece->in.used)
        from = piece->in.buffer + (final - piece->in.buffer_at);
    newline = memchr(from, '\n', (size_t)(end - from));
    *last = newline != NULL || upto == input_size(feed->input);
    return newline != NULL ? newline + 1 : *last ? end : NULL;
}

/* Skips to the first line that starts in the piece's range, because the range mostly begins in the middle of a line. Sets *last
 * if no line starts there. */
static enum status skip_to_line(const struct line_feed *feed, struct piece *piece, int *last, struct error *e)
{
    uint64_t stop = piece->in.range_end - 1;
    while (piece->in.buffer_at + piece->in.used < stop) {
        if (load_more(feed, piece, PART_BYTES, e) != ST_OK)
            return e->status;
        uint64_t upto = loaded_upto(piece), until = upto < stop ? upto : stop;
        char *newline = memchr(piece->in.buffer, '\n', (size_t)(until - piece->in.buffer_at));
        if (newline != NULL) {
            piece->in.used = (size_t)(newline + 1 - piece->in.buffer);
            return ST_OK;
        }
        piece->in.used = (size_t)(until - piece->in.buffer_at);
    }
    *last = 1; /* the whole range lies within a line of an earlier piece */
    return ST_OK;
}

/* Loads the next whole lines of a piece of a file that is cut by offsets. */
static enum status load_range(const struct line_feed *feed, struct piece *piece, int *last, struct error *e)
{
    char *cut = NULL;
    uint64_t more = PART_BYTES;
    piece->in.text_bytes = 0;
    if (piece->in.have == 0 && piece->in.buffer_at < piece->in.range_begin &&
        (skip_to_line(feed, piece, last, e) != ST_OK || *last))
        return e->status;
    if (piece->in.have > piece->in.used)
        cut = find_cut(feed, piece, last);
    for (; cut == NULL; more *= 2) {
        if (load_more(feed, piece, more, e) != ST_OK)
            return e->status;
        cut = find_cut(feed, piece, last);
    }
    piece->in.text = piece->in.buffer + piece->in.used;
    piece->in.text_bytes = (size_t)(cut - piece->in.text);
    piece->in.used = (size_t)(cut - piece->in.buffer);
    if (*last)
        terminate_text(piece);
    return ST_OK;
}

/* ---- in order ---- */

/* Keeps the part of a line with which a piece ends, for the next piece. */
static enum status save_carry(struct line_feed *feed, const char *bytes, size_t count, struct error *e)
{
    if (count > feed->carry_capacity) {
        char *grown = realloc(feed->carry, count);
        if (grown == NULL)
            return fail_memory(e, "input buffer", count);
        feed->carry = grown;
        feed->carry_capacity = count;
    }
    if (count > 0)
        memcpy(feed->carry, bytes, count);
    feed->carry_bytes = count;
    return ST_OK;
}

/* Returns the place behind the last whole line of a text; NULL if none ends in the last `got` bytes, which are new. The `have`
 * bytes before were searched already. */
static const char *last_line_end(const struct line_feed *feed, const char *text, size_t have, size_t got)
{
    if (feed->quotes)
        return fields_last_line_end(text, have + got, feed->separator);
    const char *newline = memrchr(text + have, '\n', got);
    return newline != NULL ? newline + 1 : NULL;
}

/* Reads the next whole lines, behind those carried over, into the piece; carries the rest. *end: nothing was left. */
static enum status take_bytes(struct line_feed *feed, struct piece *piece, int *end, struct error *e)
{
    size_t have = feed->carry_bytes, want = have + PIECE_BYTES, got;
    const char *behind = NULL; /* the last whole line */
    uint64_t stored = input_stored_position(feed->input);
    if (piece_reserve_text(piece, want + 1, e) != ST_OK)
        return e->status;
    if (have > 0)
        memcpy(piece->in.buffer, feed->carry, have);
    for (;;) {
        if (input_read(feed->input, piece->in.buffer + have, want - have, &got, e) != ST_OK)
            return e->status;
        behind = last_line_end(feed, piece->in.buffer, have, got);
        have += got;
        feed->at += got;
        if (behind != NULL || have < want)
            break;
        want *= 2;
        if (want > feed->max_buffer_bytes)
            return line_too_long(feed, feed->at - have, e);
        if (piece_reserve_text(piece, want + 1, e) != ST_OK)
            return e->status;
    }
    /* fewer than wanted: the end of the input, so its last line is complete */
    size_t whole = have < want ? have : (size_t)(behind - piece->in.buffer);
    piece->in.text = piece->in.buffer;
    piece->in.text_bytes = whole;
    piece->input_bytes = input_stored_position(feed->input) - stored;
    if (save_carry(feed, piece->in.buffer + whole, have - whole, e) != ST_OK)
        return e->status;
    *end = have == 0;
    return ST_OK;
}

/* Takes the next piece: by offset, its range; in order, its text. */
enum status line_feed_take(struct line_feed *feed, struct piece *piece, int *end, struct error *e)
{
    piece->in.unterminated = 0;
    return feed->by_offset ? take_range(feed, piece, end) : take_bytes(feed, piece, end, e);
}

/* Goes back to the start of a piece that is loaded by offset; in order it has its text still. */
void line_feed_rewind(const struct line_feed *feed, struct piece *piece)
{
    if (feed->by_offset) {
        piece->in.buffer_at = piece->in.range_begin - (piece->in.range_begin > feed->first);
        piece->in.have = piece->in.used = 0;
    }
}

/* Sets the next text of a piece: by offset, reads more of its range; in order, only ends the text that it has. */
enum status line_feed_load(const struct line_feed *feed, struct piece *piece, int *last, struct error *e)
{
    *last = !feed->by_offset;
    if (feed->by_offset)
        return load_range(feed, piece, last, e);
    terminate_text(piece);
    return ST_OK;
}
