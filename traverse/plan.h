/* plan.h: prints the device memory that a packed graph will take, before a search (dbfs-traverse --plan) */
#ifndef DBFS_PLAN_H
#define DBFS_PLAN_H

#include "traverse/devices/residence.h"

#include "formats/base/status.h"

struct plan_request {
    const char *folder;
    const char *json; /* may be "-"; NULL: none */
    int parents;      /* parents will be recorded */
    enum residence resident; /* the arrays of this residence are listed; RESIDENT_AUTO: those of raw */
    int by_classes;   /* as gpu_plan_options has it (cuda_plan.h) */
    uint64_t room;    /* of a GPU, in bytes; 0: not known */
};

/* Prints on standard output the bytes of every section and working array, for all shards together and for the
 * largest one, and the sums with raw and with packed columns. The bytes of the graph stand beside those of Table I
 * of Pan et al. With `room` it says how many GPUs are enough. No GPU is needed. With `json` that file gets the
 * same as a JSON object instead. */
enum status plan_print(const struct plan_request *request, struct error *e);

#endif
