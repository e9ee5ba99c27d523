/* npz_members.c: see npz_members.h */
#include "npz_members.h"

#include <string.h>

int npz_is_member(const char *input_name, const char *name)
{
    static const char end[] = ".npy)";
    size_t length = strlen(input_name), tail = strlen(name) + sizeof end - 1;
    if (length <= tail)
        return 0;
    const char *p = input_name + length - tail;
    return p[-1] == '(' && strncmp(p, name, strlen(name)) == 0 && strcmp(p + strlen(name), end) == 0;
}

/* Nonzero if an input is named as an array that scipy.sparse.save_npz writes. */
int npz_is_sparse(const char *input_name)
{
    static const char *const names[] = {"row",   "col",  "indices", "indptr", "format",
                                        "shape", "data", "offsets", "coords", "_is_array"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (npz_is_member(input_name, names[i]))
            return 1;
    }
    return 0;
}
