/* lookup.h: values that other devices have: each device names a shard and a key for each, and gets a value */
#ifndef DBFS_LOOKUP_H
#define DBFS_LOOKUP_H

#include "traverse/results/answer_slices.h"

/* One value: 16 bytes are enough for all that a validator asks for. */
struct found {
    int64_t id;
    int32_t depth;
};

/* What one device looks up: [count] each. The values come in the order of the keys. */
struct wanted {
    uint32_t *shard, *key;
    struct found *found;
    uint64_t count;
};

/* Finds the values of keys for device g of this rank. */
typedef void lookup_find(void *context, uint32_t g, const uint32_t *keys, uint64_t count,
                         struct found *found);

struct lookup {
    const struct rank *rank;
    struct slices keys, values;
    lookup_find *find;
    void *context;
    uint32_t **sorted;      /* [G] keys by shard; grown as needed, and so are the next two */
    uint64_t **order;       /* [G] where each key stands among the sorted ones */
    struct found **replies; /* [G] to others */
    uint64_t *room, *reply_room;
};

enum status lookup_open(struct lookup *lookup, const struct rank *rank, lookup_find *find,
                        void *context, struct error *e);
void lookup_close(struct lookup *lookup); /* a zeroed one is allowed */

/* Collective. `wanted`: [G], what each device of this rank looks up. */
enum status lookup_run(struct lookup *lookup, struct wanted *wanted, struct error *e);

#endif
