/* java_properties.h: reads a file of Java's properties: keys with values, in lines KEY=VALUE.
 *
 * As Java has it, = may also be : or a blank, lines of # or ! are comments, a backslash at the end of a line joins it with the
 * next one, and \uXXXX and other escapes stand for characters. Characters that are not of ASCII, or not printed, become '?',
 * since values come into messages. A byte order mark is left out, and so are blanks at the end of a value.
 */
#ifndef DBFS_JAVA_PROPERTIES_H
#define DBFS_JAVA_PROPERTIES_H

#include "formats/base/status.h"

enum { JAVA_PROPERTIES_BYTES = 1 << 22 }; /* the largest file: WDC says 1.5 MB of its graph of 2012 */

struct java_properties {
    char *next; /* the text that is left */
    char *text;
};

/* Reads the file. A pipe of that name is not waited for. ST_BAD_DATA: it is no regular file, or a large one. The caller closes `p` in any
 * case. */
enum status java_properties_load(struct java_properties *p, const char *name, struct error *e);
void java_properties_close(struct java_properties *p);

/* Takes the next key and its value, which are valid as long as `p`. Returns 0 at the end. */
int java_properties_next(struct java_properties *p, const char **key, char **value);

#endif
