/* result_name.h: what the suffix of a result's file name says, for all programs that write results */
#ifndef DBFS_RESULT_NAME_H
#define DBFS_RESULT_NAME_H

#include "formats/base/status.h"

/* What a result may be written as. */
enum result_content {
    RESULT_IS_REPORT, /* one format of its own, such as JSON, whatever the suffix */
    RESULT_IS_VALUES, /* an array (.npy, .raw) or lines of text */
    RESULT_IS_TABLE   /* lines of text alone */
};

/* Returns whether a name ends in the suffix. Upper case and lower case differ. */
int name_ends_in(const char *name, const char *suffix);

/* Fails with ST_USAGE if the suffix of a result's name, in upper or lower case, is that of a format that is not written. Formats of
 * compressed files, such as .gz, never are; other formats, such as .parquet, and for a table .npy and .raw, are not unless the result
 * is a report. Without this check, only the next program that reads the file would find the mistake. `program` is for the message. */
enum status result_name_check(const char *name, enum result_content content, const char *program, struct error *e);

#endif
