/* suggest.h: suggests a TH: by the time that is predicted for a search, or by the paper's rule of memory.
 *
 * By time, the candidates are the thresholds of the sweep whose shards fit into the memory of a device. A candidate's loss on a
 * machine is its predicted time divided by the least one there. The candidate whose larger loss over the machines asked for is
 * the smallest is taken; among equals, the largest TH. For both machines, if shards have 64 MiB or more, candidates that lose
 * up to 10% more but have at least 1% fewer bytes are preferred: the fastest of those with about the fewest. Bytes are those of
 * Table I of Pan et al., with 4 bytes for a column of nn if there is one shard.
 */
#ifndef DBFS_SUGGEST_H
#define DBFS_SUGGEST_H

#include "formats/base/cli.h"
#include "formats/base/memory.h"
#include "formats/split.h"
#include "predict.h"
#include "separate.h"

#include <stdint.h>

/* A TH and the facts about it. */
struct suggested_th {
    uint64_t th, bytes;     /* of all shards */
    double loss[MACHINES];  /* predicted time over that of the fastest TH */
    double ms[MACHINES];
};

struct suggestion {
    enum th_choice choice; /* the one of both that is taken; not TH_GIVEN */
    struct suggested_th by_time, by_memory;
    uint64_t fastest_th; /* of the smallest loss; by_time may have fewer bytes */
    int both_met; /* by_memory meets both bounds of threshold.h */
    int fits;     /* by_time fits into the memory of the devices */
};

/* Looks at all TH of the separation, which must have its class counts. */
enum status suggest(struct suggestion *suggestion, const struct separation *separation,
                    struct shard_layout layout, enum th_choice choice, struct memory_budget *budget,
                    struct error *e);

/* The TH that is taken. */
uint64_t suggestion_th(const struct suggestion *suggestion);

/* The values of --suggest, --for and --links, as indices of their words. */
struct suggest_words {
    int rule, machines;
    enum shard_links links;
};

/* The rows of these options, for cli_read_rows. */
#define SUGGEST_ROWS(of) \
    {"suggest", 0, CLI_CHOICE, .value = &(of)->rule, .words = "time|memory"}, \
    {"for", 0, CLI_CHOICE, .value = &(of)->machines, .words = "both|gpu|cpu"}, \
    {"links", 0, CLI_CHOICE, .value = &(of)->links, .words = "auto|peer|host|network"}

/* The name of the first of these options that was given, or NULL. */
const char *suggest_option_given(const struct cli_row *rows, int count);

/* Returns the choice that --suggest and --for make. It is a usage error if --for or --links is given with --suggest memory. */
enum th_choice suggest_choice(const struct cli *cli, const struct suggest_words *words, const struct cli_row *rows, int count);

/* Writes two lines that say which TH each rule suggests, and a third that says which one is taken and why. */
enum { SUGGEST_LINES = 3, SUGGEST_LINE_BYTES = 256 };
void suggest_describe(const struct suggestion *suggestion, char line[SUGGEST_LINES][SUGGEST_LINE_BYTES]);

#endif
