/* similar.h: finds how far a word is from another one, for messages about misspelt options */
#ifndef DBFS_SIMILAR_H
#define DBFS_SIMILAR_H

/* Letters that a misspelt option may have wrong. */
enum { MISSPELT_LETTERS = 2 };

/* Returns the number of letters to insert, to delete or to replace so that the first `length` bytes of `word` become `other`.
 * Returns MISSPELT_LETTERS + 1 if it is larger than MISSPELT_LETTERS. */
int letters_between(const char *word, int length, const char *other);

#endif
