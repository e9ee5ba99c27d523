/* args.h: the command line of the programs that search: the values of all options */
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

/* The values of all options of the programs that search. */
struct args {
    struct cli cli;
    const char *folder;
    int roots_given;   /* the user named the roots; 0: `count` roots are drawn */
    int count_given;
    uint64_t *roots;   /* [count] original ids. Owned; NULL with a map */
    char **root_names; /* [count] names, with a map. The array is owned, the names are not */
    struct roots_file roots_from; /* the file of --roots-from */
    int serve;         /* roots come on standard input while the program runs */
    int in_place;      /* with `serve`: result files that exist are overwritten in place */
    int result_format; /* of depths and parents; an enum result_format */
    const char *map;   /* the file that maps ids to names; NULL: none */
    uint64_t count;
    uint64_t seed;
    uint64_t shards_per_rank; /* 0: p / R, for R ranks */
    enum backend_choice backend;
    enum residence resident;
    int breakdown;      /* the times of the phases of each level are recorded */
    int count_pairs;    /* the vertices and bytes between each pair of ranks are counted */
    int plan;           /* the program prints the memory that a search would take, and ends */
    int dry_run;        /* the program checks options and result files, and ends */
    int reverse;         /* the search goes against the edges of a directed graph */
    int undirected_only; /* the program refuses directed graphs */
    int direction;      /* a mode of choose.h, or DIRECTION_BY_COST */
    struct direction_policy policy;
    struct exchange_options exchange;
    uint64_t warm_up; /* untimed searches before the first search that counts */
    uint64_t max_depth; /* the depth at which searches end; NO_MAX_DEPTH: not given */
    int check;        /* the CRC of every section is compared before searching */
    int trust;        /* the ranges of ids and offsets are not checked */
    union { /* names of results; NULL: not wanted. The names of files of one root may have a %d, which becomes the root */
        struct {
            const char *depths, *parents;
            const char *reached; /* the file of --list-reached */
            const char *json, *trace;
            const char *centrality; /* of dbfs-batch */
        };
        const char *results[RESULTS]; /* the same names, by their numbers */
    };
    int no_answer;       /* only `reached` is wanted, so searches make no answer */
    enum answer_kind answer; /* the kind of answer of which answer_s is the time */
    int record_parents;      /* parents are the answer, or are written to a file */
    int parents_wide;        /* the choice of --parents-width, for 4 << parents_wide bytes; PARENTS_AS_IDS: not given */
    /* Options of dbfs-batch. */
    uint64_t batch;     /* roots of one batch */
    int all_roots;      /* -n all */
    int no_checksum;
    int resume;
    uint32_t parents_width; /* bytes of a parent in files that are not text; 0: 4 if 4 bytes are enough, else 8 */
};

_Static_assert(offsetof(struct args, centrality) == offsetof(struct args, results[RESULTS - 1]) &&
                   offsetof(struct args, json) == offsetof(struct args, results[RESULT_JSON]),
               "the numbers of results are those of their names");

/* Sets the defaults of all options. `program` is the name of the program. */
void args_defaults(struct args *args, const char *program);

/* Frees what the members own. */
void args_free(struct args *args);

/* Sets the members that follow from several options. Called after options_read. */
void args_settle(struct args *args);

/* Prints a note for each given option that has no effect. `directed`: the graph has directed edges. Called by rank 0. */
void args_note_idle(const struct args *args, int directed);

/* Returns whether the levels of searches must be noted. */
int args_want_levels(const struct args *args);

/* Returns how many results go to standard output. */
int args_stdouts(const struct args *args);

#endif
