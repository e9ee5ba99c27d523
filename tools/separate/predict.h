/* predict.h: predicts the time of a search with each TH.
 *
 * growth.h says which vertices each level finds. From these, and from the counts of edges of each
 * class, predict.c counts the steps of each level: rows and edges of a push, rows and probes of a
 * pull, words of masks. The cheaper direction is taken, as in a search. Several shards also move
 * bytes: masks of delegates, and vertices of nn as a list or as bits, whichever is less. Rates
 * (formats/rates.def) give the time of a step, on CPUs and on GPUs.
 */
#ifndef DBFS_PREDICT_H
#define DBFS_PREDICT_H

#include "formats/base/memory.h"
#include "formats/split.h"
#include "separate.h"

#include <stdint.h>

enum machine { MACHINE_CPU, MACHINE_GPU, MACHINES };

/* The way between shards: they read each other's memory, or send messages within a host or over a
 * network. */
enum link { LINK_PEER, LINK_HOST, LINK_NETWORK, LINKS };

/* The links between all shards. LINKS_AUTO: up to 8 shards read each other's memory, as those of one host do;
 * more are on hosts of 8, with a network between these. */
enum shard_links { LINKS_AUTO, LINKS_PEER, LINKS_HOST, LINKS_NETWORK, SHARD_LINKS };

struct shard_layout {
    uint64_t p;
    enum shard_links links;
};

/* Steps of a search, by the rows TH of formats/rates.def: how many there are, or the nanoseconds of each. */
struct th_steps {
#define TH(name, cpu, cpus, gpu, unit, what) double name;
#include "formats/rates.def"
};

/* A search with one TH, on each machine. */
struct predicted {
    uint64_t ns[MACHINES];
    struct th_steps steps[MACHINES]; /* of all levels, by classes of edges, each in its cheaper way */
};

/* Predicts the time of a search for each of `rows` thresholds, ascending, the last one infinite.
 * *predicted[rows] is allocated from the budget. */
enum status predict_sweep(struct predicted **predicted, const struct separation *separation,
                          const struct sweep_row *row, uint64_t rows, struct shard_layout layout,
                          struct memory_budget *budget, struct error *e);

#endif
