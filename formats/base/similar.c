/* similar.c: see similar.h */
#include "similar.h"

#include <stdlib.h>
#include <string.h>

enum { TOO_FAR = MISSPELT_LETTERS + 1, LONGEST = 63 };

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

/* Returns the edit distance of two words, TOO_FAR at most (similar.h), by Levenshtein's table. `row` is a row of that table: row[i] is
 * the edit distance of the first w + 1 letters of `word` and the first i letters of `other`. */
int letters_between(const char *word, int length, const char *other)
{
    int row[LONGEST + 1], other_length = (int)strlen(other);
    if (other_length > LONGEST || abs(length - other_length) >= TOO_FAR)
        return TOO_FAR;
    for (int i = 0; i <= other_length; i++)
        row[i] = i;
    for (int w = 0; w < length; w++) {
        int diagonal = row[0];
        row[0] = w + 1;
        for (int i = 1; i <= other_length; i++) {
            int replaced = diagonal + (word[w] != other[i - 1]);
            diagonal = row[i];
            row[i] = smaller(replaced, 1 + smaller(row[i], row[i - 1]));
        }
    }
    return smaller(row[other_length], TOO_FAR);
}
