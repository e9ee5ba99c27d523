/* dbfs_words.h: rewrites messages of a program that the script dbfs runs, so that they fit the command the user typed */
#ifndef DBFS_DBFS_WORDS_H
#define DBFS_DBFS_WORDS_H

#include <stdio.h>

/* Prints the text in the words of dbfs: commands and options of edgeconv become those of dbfs, and paths that dbfs made
 * become the names that the user gave. $DBFS_NAMES lists such paths, each on a line before the line with its name. */
void print_for_dbfs(FILE *out, const char *text);

#endif
