/* progress.h: a line on the terminal that shows the stage of a long run, the share done and the time left. Main files start and
 * end the line. Library code names the stages and adds the work that is done; without progress_start, as in tests, this does
 * nothing. There is one line for the process, and none where standard error is no terminal. */
#ifndef DBFS_PROGRESS_H
#define DBFS_PROGRESS_H

#include "cli.h"

#include <stdint.h>

enum progress_unit { PROGRESS_ITEMS, PROGRESS_BYTES };

/* Starts the line, unless -q is given or the rank prints no messages. With -v, a message tells the time of each stage when it ends. */
void progress_start(const struct cli *cli);

/* Ends the stage before and begins a new one. `name` is a literal such as "counting degrees". `total` is the
 * sum of all that progress_add will add; 0 if it is not known. */
void progress_stage(const char *name, uint64_t total, enum progress_unit unit);

/* Adds work that is done in this stage. Any thread may call it. The line is drawn a few times a second at most. */
void progress_add(uint64_t done);

/* Ends the last stage, and clears the line for good. Main files call it before cli_finish, too. */
void progress_end(void);

#endif
