/* plain_lines.h: lines of two numbers and nothing else, as most lines of lists are.
 *
 * A mask of the next 64 bytes says which are no digits, so the places of all numbers there are known before any of them is read. A loop
 * that reads one number after the other waits for the length of each. */
#ifndef DBFS_PLAIN_LINES_H
#define DBFS_PLAIN_LINES_H

#include "graph_reader.h"

/* Adds the edges of piece->in.text and counts its lines, up to a fault. The text ends in '\n', with PIECE_PADDING bytes behind it, as
 * windows read up to 63 bytes beyond the last line. Lines that are not plain, such as those with more blanks or an id that the reader does
 * not allow, are for `odd`. */
void plain_lines_parse(const struct graph_reader *r, struct piece *piece, enum plain_lines plain, line_parser *odd);

#endif
