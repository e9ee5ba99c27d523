/* late.h: shared libraries that are loaded when a program first needs them, as some take longer to load than a small graph */
#ifndef DBFS_LATE_H
#define DBFS_LATE_H

#include "status.h"

#include <stddef.h>

/* Loads the library with this file name, and sets functions[i], an array of `count` pointers to functions, to that with names[i]. Does
 * nothing if functions[0] is set. Any thread may call it. Fails with ST_RUNTIME if there is no such library, or if it lacks a function. */
enum status late_load(const char *library, const char *const *names, size_t count, void *functions, struct error *e);

#endif
