/* signals.h: what SIGINT, SIGTERM and SIGHUP leave behind: no temporary file, and a word to the user.
 *
 * The process still ends by the signal. Signals that were ignored when it started stay ignored.
 */
#ifndef DBFS_SIGNALS_H
#define DBFS_SIGNALS_H

/* mkstemp of the pattern `path`, which a signal removes from then on, until signals_forget(*slot).
 * Returns the descriptor, or -1 with errno; EMFILE when there are too many such files. */
int signals_create(char *path, int *slot);
void signals_forget(int slot); /* -1 is allowed */

/* A line, newline included, that a signal leaves on standard error, such as how to go on; NULL:
 * none. */
void signals_farewell(const char *line);

#endif
