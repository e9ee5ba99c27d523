/* result_name.h: what the suffix of an output's name says, for all programs that write files */
#ifndef DBFS_RESULT_NAME_H
#define DBFS_RESULT_NAME_H

#include "formats/base/status.h"

/* What an output holds. */
enum result_content {
    RESULT_IS_REPORT,  /* JSON, or lines of it */
    RESULT_IS_VALUES,  /* an array (.npy, .raw), CSV (.csv), or lines with tabs */
    RESULT_IS_TABLE,   /* CSV (.csv), or lines with tabs */
    RESULT_IS_TABS,    /* lines with tabs, whatever the name */
    RESULT_IS_NAMES,   /* a map: a name in each line */
    RESULT_IS_STREAM,  /* an edge stream */
    RESULT_IS_SPLIT,   /* the result of degsplit */
    RESULT_IS_NUMBERS, /* integers without a head */
    RESULT_IS_SG,      /* a serialised graph of GAPBS */
    RESULT_IS_FOLDER   /* a folder of shards */
};

/* Returns whether a name ends in the suffix, in upper or lower case. */
int name_ends_in(const char *name, const char *suffix);

/* Fails with ST_USAGE if the suffix of an output's name is known to be that of another format than the
 * output has, and says which name would do. Any unknown suffix is taken. Formats of compressed files, such as .gz, are never
 * written. Without this check, only the next program that reads the file would find the mistake. `name` may be NULL, for no
 * output. `program` is for the message. */
enum status result_name_check(const char *name, enum result_content content, const char *program, struct error *e);

#endif
