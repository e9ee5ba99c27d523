/* edge_inputs.h: the edge streams that a command line names; all of them together are one graph. Under mpiexec a stream is
 * either shared, and each rank reads a share of its blocks, or it belongs to one rank, which alone opens it: then `%r` in its
 * name stands for the number of the rank. */
#ifndef DBFS_EDGE_INPUTS_H
#define DBFS_EDGE_INPUTS_H

#include "formats/base/cli.h"
#include "formats/base/status.h"
#include "formats/edges/edges.h"

#include <stddef.h>
#include <stdint.h>

/* What may be done with a single pipe: all of it is kept before the first pass; the first pass reads it, if its preamble tells how long it
 * is (edge_union_expect); or the first pass reads it in any case (edge_source.h: open_ended). */
enum pipe_use { PIPE_KEPT, PIPE_LIVE_IF_TOLD, PIPE_LIVE };

struct edge_inputs {
    size_t count;
    const char **path;  /* [count + 1] with the rank in place of %r; the last one is NULL */
    unsigned char *own; /* [count] */
    enum base_choice base; /* BASE_OF_STREAMS: all have the same */
    enum pipe_use pipe_use;
};

/* Takes --base 0|1, cli_row.take: stores an enum base_choice. */
void edge_base_take(struct cli *cli, const struct cli_row *row, const char *text);

/* Takes the words of a command line. Without words, the input is "-", standard input. ST_USAGE if standard input is named twice. */
enum status edge_inputs_open(struct edge_inputs *inputs, char *const *words, size_t count,
                             uint32_t rank, struct error *e);
void edge_inputs_close(struct edge_inputs *inputs); /* zeroed inputs are allowed */

/* Nonzero when one of them is standard input. */
int edge_inputs_have_stdin(const struct edge_inputs *inputs);

/* Returns the name of a file with the number of the rank in place of each %r, which the caller frees. NULL when memory is short. */
char *edge_name_of_rank(const char *word, uint32_t rank);

#endif
