/* args.h: the command line of dbfs-traverse */
#ifndef DBFS_ARGS_H
#define DBFS_ARGS_H

#include "roots_file.h"
#include "traverse/session/backend_choose.h"
#include "traverse/engine/choose.h"
#include "traverse/engine/residence.h"
#include "traverse/exchange/exchange.h"

#include "formats/base/cli.h"

#include <stddef.h>
#include <stdint.h>

enum { MAX_ROOTS = 1 << 20, DIRECTION_BY_COST = DIRECTION_PULL + 1, PARENTS_AS_IDS = -1, NO_MAX_DEPTH = INT32_MAX };

/* Results that can be files are numbered in the order of their names in struct args. VALUE_RESULTS is the number of those
 * that have a value for each id. ROOT_RESULTS is the number of those that are files of one root each. */
enum { VALUE_RESULTS = 2, ROOT_RESULTS = 3, RESULT_JSON = ROOT_RESULTS, RESULTS = 6 };

struct args {
    struct cli cli;
    const char *folder;
    int roots_given;   /* 0: a sample of `count` */
    int count_given;
    uint64_t *roots;   /* [count] original ids, owned; NULL with a map */
    char **root_names; /* [count] with a map; owned, without the text of the names */
    struct roots_file roots_from; /* the file of --roots-from */
    int serve;         /* roots come on standard input while it runs */
    int in_place;      /* with `serve`: result files are written over where they stand */
    int result_format; /* of depths and parents; an enum result_format */
    const char *map;   /* file that maps ids to names; NULL: none */
    uint64_t count;
    uint64_t seed;
    uint64_t shards_per_rank; /* 0: p / R */
    enum backend_choice backend;
    enum residence resident;
    int breakdown;      /* times are noted for the phases of each level */
    int count_pairs;    /* vertices and bytes between pairs of ranks are counted */
    int plan;           /* prints the memory that a search would take, and ends */
    int dry_run;        /* options and result files are checked, and the program ends */
    int reverse;         /* the search goes against the edges of a directed graph */
    int undirected_only; /* the program refuses directed graphs */
    int direction;      /* a mode of choose.h, or DIRECTION_BY_COST */
    struct direction_policy policy;
    struct exchange_options exchange;
    uint64_t warm_up; /* searches before the first one that counts */
    uint64_t max_depth; /* the depth at which searches end; NO_MAX_DEPTH: not given */
    int check;        /* the CRC of every section is compared before searching */
    int trust;        /* the ranges of indices are not checked */
    union { /* names of results; NULL: not wanted. The names of files of one root may have a %d, which becomes the root */
        struct {
            const char *depths, *parents;
            const char *reached; /* the file of --list-reached */
            const char *json, *trace;
            const char *centrality; /* of dbfs-batch */
        };
        const char *results[RESULTS]; /* the same, by their numbers */
    };
    int no_answer;       /* only `reached` is wanted, so no answer is made */
    enum answer_kind answer; /* the one whose time is answer_s */
    int record_parents;      /* parents are the answer, or are written */
    int parents_wide;        /* --parents-width: 4 << this; PARENTS_AS_IDS: not given */
    /* options of dbfs-batch */
    uint64_t batch;     /* roots of one batch */
    int all_roots;      /* -n all */
    int no_checksum;
    int resume;
    uint32_t parents_width; /* bytes of a parent in files that are not text; 0: 4 if that is enough */
};

_Static_assert(offsetof(struct args, centrality) == offsetof(struct args, results[RESULTS - 1]) &&
                   offsetof(struct args, json) == offsetof(struct args, results[RESULT_JSON]),
               "the numbers of results are those of their names");

/* Sets the defaults of all options. */
void args_defaults(struct args *args, const char *program);

void args_free(struct args *args);

/* Sets members that follow from several options, after options_read. */
void args_settle(struct args *args);

/* Says which of the given options have no effect. `directed`: the edges of the graph are. Rank 0 calls it. */
void args_note_idle(const struct args *args, int directed);

/* Returns whether notes of each level are wanted. */
int args_want_levels(const struct args *args);

/* Returns the number of results on standard output. */
int args_stdouts(const struct args *args);

#endif
