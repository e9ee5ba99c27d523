/* args.h: the command line of dbfs-traverse */
#ifndef DBFS_ARGS_H
#define DBFS_ARGS_H

#include "roots_file.h"
#include "traverse/devices/backend_choose.h"
#include "traverse/search/direction.h"
#include "traverse/devices/residence.h"
#include "traverse/exchange/exchange.h"

#include "formats/base/cli.h"

#include <stdint.h>

enum { MAX_ROOTS = 1 << 20, DIRECTION_BY_COST = DIRECTION_PULL + 1, PARENTS_AS_IDS = -1, NO_MAX_DEPTH = INT32_MAX };

struct args {
    struct cli cli;
    const char *folder;
    int roots_given;   /* 0: a sample of `count` */
    int count_given;
    uint64_t *roots;   /* [count] original ids, owned; NULL with a map */
    char **root_names; /* [count] with a map; owned, but for the text of the names */
    struct roots_file roots_from; /* of --roots-from */
    int serve;         /* roots come on standard input while it runs */
    const char *map;   /* file that maps ids to names; NULL: none */
    uint64_t count;
    uint64_t seed;
    uint64_t shards_per_rank; /* 0: p / R */
    enum backend_choice backend;
    enum residence resident;
    int breakdown;      /* time the phases of each level */
    int count_pairs;    /* count what each rank sends to each other one */
    int plan;           /* only print how much memory it would take */
    int dry_run;        /* options and result files are checked, and nothing else is done */
    int reverse;         /* against the edges of a directed graph */
    int undirected_only; /* the program refuses directed graphs */
    int direction;      /* a mode of direction.h, or DIRECTION_BY_COST */
    struct direction_policy policy;
    struct exchange_options exchange;
    uint64_t warm_up; /* searches before the first one that counts */
    uint64_t max_depth; /* the depth at which searches end; NO_MAX_DEPTH: not given */
    int check;        /* compare the CRC of every section before searching */
    int trust;        /* do not check the ranges of indices */
    const char *depths, *parents, *json, *trace;
    const char *reached; /* --list-reached */
    int no_answer;       /* only that list is wanted: no answer is made */
    enum answer_kind answer; /* that answer_s is the time of */
    int record_parents;      /* they are the answer, or written */
    int parents_wide;        /* --parents-width: 4 << this; PARENTS_AS_IDS: not given */
    /* of dbfs-batch */
    uint64_t batch;     /* roots that are searched from at once */
    int all_roots;      /* -n all */
    int no_checksum;
    int resume;
    const char *centrality;
    uint32_t parents_width; /* bytes of a parent in files that are not text; 0: 4 where that is enough */
};

/* Everything as it is if no option is given. */
void args_defaults(struct args *args, const char *program);

/* Reads the command line of dbfs-traverse. It exits with 2 if that is wrong, and with 0 after --help or --version. */
void args_parse(struct args *args, int argc, char **argv);
void args_free(struct args *args);

/* Settings that follow from all options together. */
void args_settle(struct args *args);

/* Says that --reverse has no effect on a graph that is not directed. */
void args_note_reverse(const struct args *args, int directed);

/* Whether notes of each level are wanted. */
int args_want_levels(const struct args *args);

/* How many results go to standard output. */
int args_stdouts(const struct args *args);

#endif
