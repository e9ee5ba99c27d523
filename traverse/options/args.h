/* args.h: the values of all options of the programs that search */
#ifndef DBFS_ARGS_H
#define DBFS_ARGS_H

#include "roots_file.h"
#include "traverse/session/backend_choose.h"
#include "traverse/engine/choose.h"
#include "traverse/engine/residence.h"
#include "traverse/exchange/exchange.h"

#include "formats/base/cli.h"
#include "formats/edges/edges.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { MAX_ROOTS = 1 << 20, DIRECTION_BY_COST = DIRECTION_PULL + 1, WIDTH_BY_DEFAULT = -1, NO_MAX_DEPTH = INT32_MAX };

/* The numbers 0 to RESULTS - 1 stand for results that can be files, in the order of their names in struct args. The first
 * VALUE_RESULTS have a value for each id. The first ROOT_RESULTS belong to one root, so each root may have its own file. Those behind
 * RESULT_CENTRALITY have rows for each root. */
enum { RESULT_PARENTS = 1, VALUE_RESULTS = 3, ROOT_RESULTS = 4, RESULT_JSON = ROOT_RESULTS, RESULT_CENTRALITY = 6, RESULTS = 10 };

/* The format of a result file, in the order of the choices of --result-format. */
enum result_format { RESULT_BY_SUFFIX, RESULT_TEXT, RESULT_CSV, RESULT_RAW, RESULT_NPY };

/* The values of all options of the programs that search. */
struct args {
    struct cli cli;
    const char *folder;
    int roots_given;   /* nonzero: the user has given the roots; 0: `count` roots are drawn */
    int count_given;   /* 1: -n was given */
    uint64_t *roots;   /* [count] without a map: the original ids of the given roots. Owned */
    char **root_names; /* [count] with a map: the names of the given roots. The array is owned, but the names are not */
    struct roots_file roots_from; /* the lines of the file of --roots-from */
    int together;      /* 1: all roots, or all roots of a line with `serve`, are searched as one */
    int serve;         /* 1: roots are read from standard input while the program runs */
    int in_place;      /* 1: with `serve`, result files that exist are overwritten in place */
    int device_answers; /* 1: with `serve`, depths and parents stay in device memory, for other processes */
    int result_format; /* the format of depths and parents, an enum result_format */
    enum base_choice base; /* what people call the first vertex */
    const char *map;   /* the file that maps ids to names; NULL: there is none */
    uint64_t count;    /* the number of roots */
    uint64_t seed;     /* the seed of the draw of roots */
    uint64_t shards_per_rank; /* 0: p / R, for p shards and R ranks */
    enum backend_choice backend;
    enum residence resident;
    int breakdown;      /* 1: the times of the phases of each level are recorded */
    int count_pairs;    /* 1: the vertices and bytes between each pair of ranks are counted */
    int plan_gpu;       /* an enum gpu_known (cuda_traits.h): the GPU of the plan */
    int plan;           /* 1: the program prints the memory that a search would need, and ends */
    int dry_run;        /* 1: the program checks options and result files, and ends */
    int reverse;         /* 1: the search goes against the edges of a directed graph */
    const char *undirected_only; /* what else finds what is wanted of a directed graph, which the program refuses; NULL: it takes it */
    int direction;      /* an enum direction_mode, or DIRECTION_BY_COST */
    struct direction_policy policy;
    struct exchange_options exchange;
    uint64_t warm_up; /* the number of untimed searches before the first timed search */
    uint64_t max_depth; /* the depth at which searches end; NO_MAX_DEPTH: the option was not given */
    int check;        /* 1: the CRC of every section is compared before the search */
    int trust;        /* 1: the ranges of ids and offsets are not checked */
    union { /* the names of result files; NULL: not wanted. In the name of a result of one root, %d stands for the root */
        struct {
            const char *depths, *parents;
            const char *nearest; /* the file of --nearest */
            const char *reached; /* the file of --list-reached */
            const char *json, *trace;
            /* files of dbfs-batch: --centrality, --reached, --hops, and --depths if there are targets, when `depths` is NULL */
            const char *centrality, *balls, *hops, *to_targets;
        };
        const char *results[RESULTS]; /* the names above as an array, by the numbers of results */
    };
    /* Of dbfs-batch: the targets, as `roots`, `root_names` and `roots_from` have the roots. */
    uint64_t target_count, *targets;
    char **target_names;
    struct roots_file targets_from;
    int no_answer;       /* 1: searches make no answer, because only `reached` is wanted */
    enum answer_kind answer; /* the kind of answer that is made, and timed as answer_s, after each search */
    int record_parents;      /* 1: searches record parents, for the answer or for a file of parents */
    int parents_width_choice; /* the choice of --parents-width: 0 for 4 bytes, 1 for 8; WIDTH_BY_DEFAULT: not given */
    /* The next six are options of dbfs-batch. */
    uint64_t batch;     /* the number of roots in a batch */
    int all_roots;      /* 1: "-n all" was given */
    uint64_t sample;    /* the number of sampled vertices from which the centralities of all are estimated; 0: exact ones are wanted */
    int no_checksum;
    int resume;
    int distribute;     /* 1: ranks divide the shards among them, and search from each batch together */
    int depths_width_choice; /* the choice of --depths-width: 0, 1 or 2 for 1, 2 or 4 bytes; WIDTH_BY_DEFAULT: not given */
    uint32_t depths_width;  /* bytes of a depth in files that are not text: 1, 2 or 4 */
    uint32_t parents_width; /* bytes of a parent in files that are not text: 4 or 8. 0: 4 if ids need no more, otherwise 8 */
};

_Static_assert(offsetof(struct args, to_targets) == offsetof(struct args, results[RESULTS - 1]) &&
                   offsetof(struct args, json) == offsetof(struct args, results[RESULT_JSON]),
               "the numbers of results are those of their names");

/* Overwrites *args with the defaults of all options. Called before options_read. `program`: the name of the program. */
void args_begin(struct args *args, const char *program);

/* Frees the memory that *args owns. */
void args_free(struct args *args);

/* Sets the members that follow from other members. Called after options_read. Exits with 2 if several results would go to
 * standard output. */
void args_finish(struct args *args);

/* Prints a note for each given option that has no effect. `directed`: the graph has directed edges. Called on rank 0. */
void args_note_idle(const struct args *args, int directed);

/* Returns whether searches must record their levels. */
int args_want_levels(const struct args *args);

/* Returns the format of a result file with this name: `wanted` or, if that is RESULT_BY_SUFFIX, the format of the suffix. */
enum result_format result_format_of(enum result_format wanted, const char *name);

/* Returns whether a result is a table of text, to which each root may append its lines. `name`: the name of the file; NULL is
 * no result. */
int args_is_table(const struct args *args, const char *name);

/* Returns whether one file may have the results of several roots: a table, or an array of numpy, which then is a matrix. */
int args_takes_roots(const struct args *args, const char *name);

/* Returns whether depths and parents are columns of one table, because both have the same name, which is that of a text. */
int args_in_one_table(const struct args *args);

/* Returns the number of results that go to standard output. Depths and parents in one table are one result. */
int args_stdouts(const struct args *args);

/* Returns where reports are printed: standard output, or standard error if a result goes to standard output. */
FILE *args_talk(const struct args *args);

#endif
