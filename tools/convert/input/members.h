/* members.h: decides which members of an archive are read, and remembers their names for messages.
 *
 * The members of an archive should be parts of one list. Documents are skipped. A name twice is an error, since one
 * of the two would replace the other where the archive is unpacked. So is a table of vertices beside one of edges, as
 * far as names tell; edgeconv_look.c compares the content.
 */
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

/* Compares the name of a member that is to be read with those before it. ST_BAD_DATA: it is no part of the same list;
 * `archive` is for the message. */
enum status members_join(struct members *members, const char *archive, const char *path, struct error *e);

/* Nonzero when further names would not be shown. */
int member_list_is_full(const struct member_list *list);

/* Appends to a message which members there are, and the option that chooses one. Nothing if there is one member. */
void members_explain(const struct members *members, struct error *e);

#endif
