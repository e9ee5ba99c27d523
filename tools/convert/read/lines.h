/* lines.h: cuts an input into pieces of whole lines.
 *
 * A plain file is cut by offsets. Taking a piece then costs nothing. The thread that loads the piece reads it
 * and finds the ends of its lines, so many threads can read one file. It loads the piece in parts, which stay
 * in its core's cache until they are parsed. Any other input is read in order, when a piece is taken. In both
 * cases each line is in exactly one piece, the pieces in order are the whole input, and every line ends in
 * '\n': a last line without one gets it.
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

/* Prepares a feed of lines. The lines start after `skip` bytes of the input, which must have been peeked at.
 * `in_order` reads in order even if cutting by offsets is possible. A line longer than `max_buffer_bytes` is
 * ST_RESOURCE. */
enum status line_feed_init(struct line_feed *feed, struct input *input, size_t skip, int in_order,
                           uint64_t max_buffer_bytes, struct error *e);
void line_feed_free(struct line_feed *feed);

/* Takes the next piece, in order. */
enum status line_feed_take(struct line_feed *feed, struct piece *piece, int *end, struct error *e);

/* Goes back to the first part of a piece. */
void line_feed_rewind(const struct line_feed *feed, struct piece *piece);

/* Sets piece->in.text to the next part of the piece, which may be empty. Sets *last if no other part follows.
 * Any thread may call it, but only one thread for each piece. */
enum status line_feed_load(const struct line_feed *feed, struct piece *piece, int *last,
                           struct error *e);

#endif
