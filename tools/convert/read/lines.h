/* lines.h: cuts an input into pieces of whole lines.
 *
 * A plain file is cut by offsets, so that taking a piece costs nothing and many threads can read one file: the thread that
 * loads a piece finds the ends of its lines, and loads it in parts, which stay in its core's cache until they are parsed. Any
 * other input is read in order, when a piece is taken. Either way each line is in exactly one piece, the pieces in order are
 * the whole input, and every line ends in '\n', which is added to a last line without one.
 */
#ifndef DBFS_LINES_H
#define DBFS_LINES_H

#include "fields.h"
#include "tools/convert/input/input.h"
#include "tools/convert/piece/piece.h"

struct line_feed {
    struct input *input;
    int by_offset;
    uint64_t first, next; /* by offset: of the first line, and of the next piece */
    uint64_t max_buffer_bytes;
    char *carry; /* in order: the start of a line whose end is not read yet */
    size_t carry_bytes, carry_capacity;
    uint64_t at; /* in order: bytes given out or carried */
    int quotes;  /* in order: lines may go on within quotes, with this separator of fields */
    enum separator separator;
};

/* Prepares a feed of lines, which begin after `skip` bytes of the input; these must have been peeked at. With `in_order` a file
 * is not cut by offsets. A line longer than `max_buffer_bytes` will be ST_RESOURCE when it is read. */
enum status line_feed_init(struct line_feed *feed, struct input *input, size_t skip, int in_order,
                           uint64_t max_buffer_bytes, struct error *e);
void line_feed_free(struct line_feed *feed);

/* Takes the next piece, in order. */
enum status line_feed_take(struct line_feed *feed, struct piece *piece, int *end, struct error *e);

/* Goes back to the first part of a piece. */
void line_feed_rewind(const struct line_feed *feed, struct piece *piece);

/* Sets piece->in.text to the next part of the piece, which may be empty, and *last if no part follows. Any thread may call it,
 * but only one for each piece. */
enum status line_feed_load(const struct line_feed *feed, struct piece *piece, int *last,
                           struct error *e);

#endif
