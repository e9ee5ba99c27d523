/* members.h: decides which members of an archive are read, and remembers their names for messages. The members should be parts
 * of one list of edges. Documents are skipped. A name that comes twice is an error, as unpacking the archive would keep only
 * one. So is a table of vertices beside one of edges, as far as names tell; edgeconv_look.c compares the content. */
#ifndef DBFS_MEMBERS_H
#define DBFS_MEMBERS_H

#include "formats/base/status.h"

#include <stdint.h>

enum { MEMBERS_LIST_BYTES = 320 };

/* A list of names as people read it: "a, b, c and 7 more". */
struct member_list {
    char text[MEMBERS_LIST_BYTES];
    uint64_t count, shown;
};

struct members {
    const char *pattern; /* --member; NULL: all are read */
    struct member_list all, skipped;
    uint64_t *seen; /* hashes of the names that were read: an open hash table, 0 is free */
    uint64_t seen_count, seen_room, key;
    int subject;    /* of the name that was read first */
};

void members_init(struct members *members, const char *pattern);
void members_free(struct members *members);

/* Notes a member that is a file. Nonzero if it is to be read. */
int members_want(struct members *members, const char *path);

/* Compares the name of the next member with those read before. ST_BAD_DATA if it cannot be part of the same list; `archive` is
 * for the message. */
enum status members_join(struct members *members, const char *archive, const char *path, struct error *e);

/* Nonzero when further names would not be shown. */
int member_list_is_full(const struct member_list *list);

/* Appends to a message which members the archive has, and the option that chooses one. Appends nothing if it has only one. */
void members_explain(const struct members *members, struct error *e);

#endif
