/* signals.h: handling of SIGINT, SIGTERM and SIGHUP: removes temporary files and prints a last message.
 *
 * The signal still ends the process, so that shells and make notice. Signals that were ignored when the process started stay ignored.
 */
#ifndef DBFS_SIGNALS_H
#define DBFS_SIGNALS_H

/* Creates a temporary file with mkstemp from the pattern `path`. From then on a signal removes the file,
 * until signals_forget(*slot). Returns the descriptor, or -1 with errno set: EMFILE when there are too many
 * such files. */
int signals_create(char *path, int *slot);

/* Gives an open file that has no name (O_TMPFILE) this one. Returns -1 with errno set where it cannot: EEXIST if the name
 * is taken. */
int signals_link(int fd, const char *path);

/* Gives an open file that has no name (O_TMPFILE) one from the pattern `path`, which a signal then removes, too.
 * Returns -1 with errno set where it cannot. */
int signals_name(int fd, char *path, int *slot);

/* Lets a signal remove a file that was created in another way, or by another process, or a folder that is empty once files are
 * removed. Returns its slot, -1 if there are too many. */
int signals_also_remove(const char *path);

/* From now on a signal leaves the file of this slot alone. The file itself is not touched. Slot -1: does nothing. */
void signals_forget(int slot);

/* Sets a line that is printed on standard error when a signal comes, such as how to resume the work. The line
 * includes its newline. NULL prints none. */
void signals_farewell(const char *line);

/* Removes the temporary files and ends the process. For handlers of other signals. */
_Noreturn void signals_leave(int exit_code);

/* Sets the function that ends a rank of a job, and the others with it. signals_leave calls it once the files of this
 * rank are removed, with the exit code of the rank; a signal has 128 and its number, as in shells. NULL: the process
 * ends alone. */
void signals_leave_by(void (*leave)(int exit_code));

/* Lets a write to a closed pipe, or beyond the limit of file sizes, fail with an errno and not by a signal.
 * Call it before the first write; signals_create does. */
void signals_ignore_writes(void);

#endif
