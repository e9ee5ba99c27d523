/* dbfs_words.h: messages of the programs that the script dbfs runs, in its words */
#ifndef DBFS_DBFS_WORDS_H
#define DBFS_DBFS_WORDS_H

#include <stdio.h>

/* Prints the text, with commands and options of edgeconv as those of dbfs that do the same, and paths that dbfs made as
 * the names that the user gave. $DBFS_NAMES has these: lines of a path and its name, in turn. */
void print_for_dbfs(FILE *out, const char *text);

#endif
