/* cuda_device.h: the state of one shard's search on a GPU, shared by the C files of the CUDA backend */
#ifndef DBFS_CUDA_DEVICE_H
#define DBFS_CUDA_DEVICE_H

#include "traverse/backend.h"
#include "cuda_kernels.h"
#include "cuda_plan.h"

struct device {
    const struct shard *shard;
    int ordinal;
    char where[320]; /* host, rank and GPU, for messages */

    void *memory; /* one allocation for everything */
    struct gpu_csr csr[SUBGRAPHS];
    struct gpu_vertices of[GPU_KINDS];
    void *masks; /* visited and next masks, and `incoming`, together */
    size_t mask_bytes;
    uint32_t *incoming; /* delegates as reduced over all devices; NULL where there is one shard */
    uint32_t *in;       /* where the next previsit takes delegates from: `incoming` or next */
    uint64_t *prefix;
    void *scratch;
    size_t scratch_bytes;
    struct gpu_chunk *chunks[GPU_KINDS]; /* by destination */
    uint64_t *codes;
    uint32_t *sent_ids, *received_ids;
    unsigned long long *bin_begin, *bin_cursor; /* [p + 1] */
    struct gpu_level *level;

    /* host memory that the device writes to */
    struct gpu_level *published;
    unsigned int *updated_published;
    unsigned long long *bins_published; /* [p + 1] */

    enum exchange_memory exchange_memory;
    /* where vertices are made unique in device memory, else NULL */
    uint32_t *seen; /* mask of any shard's local ids, zero between uses */
    uint64_t seen_words;
    unsigned long long *kept_published; /* [p], host memory: what is left of each box */

    cudaStream_t stream[GPU_KINDS];
    cudaEvent_t reached[GPU_KINDS]; /* for one stream to follow the other */
    cudaEvent_t masks_read; /* by this device, of others */

    int updated; /* some delegate, in this level */
    int binned;  /* sent_ids are of this level */
    uint64_t fresh[GPU_KINDS];
    int listed[GPU_KINDS]; /* the queue holds the whole frontier */
    uint64_t sources[SUBGRAPHS], forward[SUBGRAPHS], unvisited[SUBGRAPHS];

    struct device_load load;
    int timing;
    cudaEvent_t begin[DEVICE_PARTS], end[DEVICE_PARTS];
    int timed[DEVICE_PARTS]; /* in this level */
};

/* cuda_open.c */
enum status gpu_open(struct device **device, const struct shard *shard,
                     const struct device_options *options, struct error *e);
void gpu_close(struct device *device);
struct device_load gpu_load(const struct device *device);

/* cuda_exchange.c */
void *gpu_host_take(size_t bytes);
void gpu_host_release(void *memory);
void *gpu_exchange_take(struct device *device, size_t bytes);
void gpu_exchange_release(struct device *device, void *memory);
enum status gpu_uniquify(struct device *device, struct outbox *boxes, uint32_t count,
                         struct error *e);
uint64_t gpu_outgoing(const struct device *device, uint32_t shard);
enum status gpu_take_outgoing(struct device *device, uint32_t shard, uint32_t *ids,
                              struct error *e);
enum status gpu_receive(struct device *device, const uint32_t *ids, uint64_t count,
                        struct error *e);
enum status gpu_receive_local(struct device *device, struct device *const *devices, uint32_t count,
                              struct error *e);
int gpu_updated(const struct device *device);
enum status gpu_read_masks(struct device *device, struct device *const *devices, uint32_t count,
                           uint64_t *mask, struct error *e);
enum status gpu_take_mask(struct device *device, struct device *const *devices, uint32_t count,
                          const uint64_t *mask, struct error *e);

/* cuda_times.c: begin and end do nothing where the device does not time */
void gpu_time_begin(struct device *device, enum part part, enum gpu_kind stream);
void gpu_time_end(struct device *device, enum part part, enum gpu_kind stream);
enum status gpu_times(struct device *device, struct breakdown *times, struct error *e);

#endif
