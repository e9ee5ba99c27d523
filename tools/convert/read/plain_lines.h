/* plain_lines.h: lines of two numbers and nothing else, as most lines of lists are.
 *
 * A mask of the next 64 bytes says which are no digits, so the places of all numbers there are known before any of them is read. A loop
 * that reads one number after the other waits for the length of each. */
#ifndef DBFS_PLAIN_LINES_H
#define DBFS_PLAIN_LINES_H

#include "graph_reader.h"

/* What may stand between the two numbers of a plain line: one of these bytes. NO_PLAIN_LINES: the text is left to the
 * odd_line_parser. */
enum plain_lines { NO_PLAIN_LINES, PLAIN_BLANK, PLAIN_BLANK_OR_COMMA };

/* The parser of the line at `p`, before which the piece has `lines` lines: adds its edge, if it has one. Returns the next line, or NULL
 * with a fault. */
typedef const char *odd_line_parser(const struct graph_reader *r, struct piece *piece, const char *p, uint64_t lines);

/* Adds the edges of piece->in.text and counts its lines, up to a fault. The text ends in '\n', with PIECE_PADDING bytes behind it, as
 * windows read up to 63 bytes beyond the last line. Lines that are not plain, such as those with more blanks or an id that the reader does
 * not allow, are for `odd`. A line_parser calls it. */
void plain_lines_parse(const struct graph_reader *r, struct piece *piece, enum plain_lines plain, odd_line_parser *odd);

#endif
