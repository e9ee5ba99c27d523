/* predict_time.h: predicts the time of a search by one GPU and by several, without a search */
#ifndef DBFS_PREDICT_TIME_H
#define DBFS_PREDICT_TIME_H

#include "formats/graph/manifest.h"

/* Returns the predicted seconds of a search of the graph by so many GPUs, which read each other's memory, or by one, which has all shards
 * joined. All are H200s: rates are not scaled to other GPUs. */
double predicted_seconds(const struct manifest *manifest, uint32_t gpus);

/* Returns whether one GPU, with all shards joined, is predicted to be faster than `gpus` by a clear margin, or if `gpus` is 1: to search
 * several shards by one GPU is never faster. */
int one_is_predicted_faster(const struct manifest *manifest, uint32_t gpus);

#endif
