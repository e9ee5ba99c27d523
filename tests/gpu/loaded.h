/* loaded.h: the subgraphs that lie on the device (kernel_use, kernel_use_packed of steps.h) */
#ifndef DBFS_TESTS_GPU_LOADED_H
#define DBFS_TESTS_GPU_LOADED_H

#include "formats/graph/shard.h"

#include "traverse/cuda/device/cuda_kernels.h"

const struct gpu_csr *loaded_csr(const struct shard *shard, enum subgraph g);

#endif
