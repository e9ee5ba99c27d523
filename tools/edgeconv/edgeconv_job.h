/* edgeconv_job.h: the state of one run of edgeconv, and its first step. In the first step all inputs are looked at before
 * anything is written, so that inputs that do not fit together are refused early. */
#ifndef DBFS_EDGECONV_JOB_H
#define DBFS_EDGECONV_JOB_H

#include "edgeconv_options.h"
#include "tools/convert/names/compact.h"

#include "formats/bijection.h"
#include "formats/edges/edges.h"
#include "formats/base/outfile.h"

#include <stdint.h>
#include <sys/types.h>

/* An input, or one file of an archive, with its open streams and the reader of its edges. */
struct source {
    const char *path, *name;     /* the name for messages */
    dev_t pipe_device; /* which pipe it is; 0 for a regular file */
    ino_t pipe_inode;
    struct input *input;         /* NULL: opened again when its turn comes */
    struct graph_reader *reader; /* of the input */
    const char *format;
    struct graph_facts facts;
    int fold;
};

struct id_changes {
    struct bijection randomize, restore;
    int restores;
};

struct memory_shares {
    uint64_t whole_bytes;  /* -S */
    uint64_t ahead_bytes;  /* for inputs that are read ahead */
    uint64_t pieces_bytes; /* for the pieces between reading and writing */
};

/* The first input that is a list: all others must be like it. */
struct first_list {
    char name[256], format[16], header_line[64]; /* empty: there is none yet */
    struct list_facts facts;
};

/* Facts about the written edges, for the summary. */
struct findings {
    uint64_t edges;
    uint64_t dropped; /* entries that an .sg file leaves out */
    int lists_twice;  /* each edge is there as u v and as v u */
};

/* The notes that the user has had, each of them once. */
struct noted {
    int weights, direction;
};

struct job {
    const struct options *options;
    struct source *sources;
    int source_count;
    struct edges_info info; /* of the output */
    uint64_t n;             /* the number of vertices as far as options and inputs tell it */
    int n_known;            /* n bounds the ids of every input */
    struct id_changes ids;
    struct memory_shares memory;
    struct workspace space; /* the rest of the memory, and the temporary folders */
    struct compact *compact; /* NULL: ids stay as they are */
    struct outfile *map;
    uint64_t stored_bytes;
    struct first_list first;
    struct findings findings;
    int archives; /* inputs that are files of one */
    struct noted noted;
};

/* Opens every input, finds its format, direction and declared size, and decides from these what is written. Refuses inputs that
 * do not fit together. */
enum status look_at_inputs(struct job *job, struct error *e);

/* Opens the reader of the next input. */
enum status open_reader(const struct job *job, struct graph_reader **reader, struct input *input,
                        struct error *e);
void close_source(struct source *source);

/* Refuses an input that cannot be part of the same list of edges as the first input: ST_BAD_DATA. */
enum status refuse_part(const struct job *job, struct input *input, const char *found, const char *expected,
                        struct error *e);

/* Adds an input, or a file of an archive, to the job: decides how its edges are read, and checks that it fits the inputs before
 * it. `is_new` is nonzero if the user has not yet been told of it. */
enum status join_source(struct job *job, struct source *source, struct input *input, int is_new, struct error *e);

/* Adds to the message about a faulty file of an archive how to leave that file out. */
void explain_member(const struct job *job, struct input *input, struct error *e);

#endif
