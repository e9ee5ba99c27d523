/* signals.h: removes temporary files and prints a last message when SIGINT, SIGTERM or SIGHUP ends the program. The process
 * still ends by the signal, so that shells and make notice. Signals that were ignored when the process started stay ignored. */
#ifndef DBFS_SIGNALS_H
#define DBFS_SIGNALS_H

#include <signal.h>

/* Creates a temporary file with mkstemp from the pattern `path`. From then on a signal removes it, until signals_forget(*slot).
 * Returns the descriptor, or -1 with errno set: EMFILE when there are too many such files. */
int signals_create(char *path, int *slot);

/* Gives an open file that has no name (O_TMPFILE) the name `path`. Returns -1 with errno set on failure: EEXIST if the name is taken. */
int signals_link(int fd, const char *path);

/* Gives an open file that has no name (O_TMPFILE) a name from the pattern `path`, under which a signal then removes it. Returns
 * -1 with errno set on failure. */
int signals_name(int fd, char *path, int *slot);

/* Lets a signal remove a file or an empty folder that was not made by signals_create. Files are removed before folders. Returns
 * the slot; -1 if all slots are taken. */
int signals_also_remove(const char *path);

/* Takes the file out of its slot: from now on a signal does not remove it. Slot -1 is allowed and does nothing. */
void signals_forget(int slot);

/* Sets a line, with its newline, that is printed on standard error when a signal comes, for example how to resume the work. NULL
 * prints none. */
void signals_farewell(const char *line);

/* Removes the temporary files and ends the process. Handlers of other signals call it. */
_Noreturn void signals_leave(int exit_code);

/* From now on the first SIGINT or SIGTERM only stores its number in *asked, which must be 0 before, so that the program can end
 * its work in order. Another signal ends the program as described above. */
void signals_ask(volatile sig_atomic_t *asked);

/* Sets the function that ends a rank together with its job; NULL: the process ends alone. signals_leave calls it after it has
 * removed the temporary files, with the exit code: after a signal 128 plus the signal's number, as in shells. */
void signals_leave_by(void (*leave)(int exit_code));

/* Makes a write to a closed pipe, or beyond the limit of file sizes, fail with an errno instead of ending the process by a
 * signal. Call it before the first write, unless signals_create was called. */
void signals_ignore_writes(void);

#endif
