/* dbfs_words.h: messages of the programs that the script dbfs runs, in its words */
#ifndef DBFS_DBFS_WORDS_H
#define DBFS_DBFS_WORDS_H

#include <stdio.h>

/* Prints the text, with commands and options of edgeconv as those of dbfs that do the same. */
void print_for_dbfs(FILE *out, const char *text);

#endif
