/* predict.h: predicts the time of a search with each TH.
 *
 * growth.h says which vertices each level finds. From these, and from the numbers of edges of nn, nd, dn and dd, the steps of each level
 * are counted: rows and edges of a push or of a pull, whichever is cheaper, and words of masks. Several shards also move bytes: delegate
 * masks, and vertices of nn as a list or as bits, whichever is less. Rates (formats/rates.def) give the time of each step, on CPUs and on
 * GPUs.
 */
#ifndef DBFS_PREDICT_H
#define DBFS_PREDICT_H

#include "formats/base/memory.h"
#include "formats/split.h"
#include "separate.h"

#include <stdint.h>

enum machine { MACHINE_CPU, MACHINE_GPU, MACHINES };

/* How two shards exchange: they read each other's memory, or send messages within a host or over a network. */
enum link { LINK_PEER, LINK_HOST, LINK_NETWORK, LINKS };

/* How all shards exchange. With LINKS_AUTO, up to 8 shards read each other's memory, as on one host; more are on hosts of 8
 * with a network between them. */
enum shard_links { LINKS_AUTO, LINKS_PEER, LINKS_HOST, LINKS_NETWORK, SHARD_LINKS };

struct shard_layout {
    uint64_t p;
    enum shard_links links;
};

/* The steps of a search, a member for each row TH of formats/rates.def: either how many there are, or the nanoseconds that one takes. */
struct th_steps {
#define TH(name, cpu, cpus, gpu, unit, what) double name;
#include "formats/rates.def"
};

/* A search with one TH, on each machine. */
struct predicted {
    uint64_t ns[MACHINES];
    struct th_steps steps[MACHINES]; /* of all levels, by classes of edges, each in its cheaper way */
};

/* Predicts the time of a search for each of `rows` thresholds, which ascend and end with the infinite one. *predicted, with as
 * many entries, is allocated from the budget. */
enum status predict_sweep(struct predicted **predicted, const struct separation *separation,
                          const struct sweep_row *row, uint64_t rows, struct shard_layout layout,
                          struct memory_budget *budget, struct error *e);

#endif
