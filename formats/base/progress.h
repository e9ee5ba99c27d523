/* progress.h: one line on the terminal that shows the stage of a long run, the share done and the time left.
 *
 * A process has one terminal, so the line is state of the process. Main files start and end it.
 * Library code names stages and adds work that is done; without progress_start, as in tests, this
 * does nothing. Nothing is drawn where standard error is no terminal.
 */
#ifndef DBFS_PROGRESS_H
#define DBFS_PROGRESS_H

#include "cli.h"

#include <stdint.h>

enum progress_unit { PROGRESS_ITEMS, PROGRESS_BYTES };

/* Starts the line, unless -q or a silent rank. With -v, a message tells the time of each stage as it ends. */
void progress_start(const struct cli *cli);

/* Ends the stage before and begins this one. `name` is a literal such as "counting degrees".
 * `total` is the sum of all that will be added; 0: not known. */
void progress_stage(const char *name, uint64_t total, enum progress_unit unit);

/* Adds work that is done. Any thread may call it. The line is drawn a few times a second at
 * most. */
void progress_add(uint64_t done);

/* Ends the last stage, and clears the line for good. Main files call it before cli_finish, too. */
void progress_end(void);

#endif
