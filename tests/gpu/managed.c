/* managed.c: see managed.h */
#include "managed.h"
#include "steps.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRY(call) try((call), #call, __LINE__)

static void try(cudaError_t code, const char *call, int line)
{
    if (code == cudaSuccess)
        return;
    printf("not ok - managed.c:%d: %s: %s\n", line, call, cudaGetErrorString(code));
    exit(1);
}

enum { MOST_ARRAYS = 256 };

static void *arrays[MOST_ARRAYS];
static int array_count;

void *managed(const void *from, size_t bytes)
{
    void *to = NULL;
    if (bytes == 0)
        return NULL;
    if (array_count == MOST_ARRAYS)
        try(cudaErrorMemoryAllocation, "managed", __LINE__);
    TRY(cudaMallocManaged(&to, bytes, cudaMemAttachGlobal));
    arrays[array_count++] = to;
    if (from == NULL)
        memset(to, POISON_BYTE, bytes);
    else
        memcpy(to, from, bytes);
    return to;
}

void *managed_zeros(size_t bytes)
{
    void *to = managed(NULL, bytes);
    if (bytes > 0)
        memset(to, 0, bytes);
    return to;
}

void managed_settle(void)
{
    TRY(cudaGetLastError());
    TRY(cudaDeviceSynchronize());
}

void managed_finish(void *to, const void *from, size_t bytes)
{
    if (bytes > 0 && to != NULL)
        memcpy(to, from, bytes);
    while (array_count > 0)
        TRY(cudaFree(arrays[--array_count]));
}
