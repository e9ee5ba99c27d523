/* fail_cuda.c: makes calls of the CUDA runtime fail
 *
 * It is linked into tests/fail_cuda, which is dbfs-traverse otherwise. Each function __wrap_NAME replaces the runtime's
 * function NAME (ld --wrap). It counts the call, and makes it unless the call is to fail. How the runtime finds its
 * driver does not matter.
 *
 * FAIL_CUDA='NAME N CODE' makes the N-th call of NAME, and each later one, return CODE. The name `any` counts the calls
 * of all functions. Code 2 means too little memory. Any other code means a lost GPU: after the first failure all other
 * functions fail, too. FAIL_CUDA_COUNT=FILE gets a line "NAME CALLS" for each function at the end.
 *
 * Functions whose answer a lost GPU does not change, and functions that free something, are not replaced. */
#include <cuda_runtime_api.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if CUDART_VERSION >= 13000
typedef struct cudaMemLocation location_t; /* an argument of cudaMemAdvise */
#else
typedef int location_t;
#endif

/* Each function with its parameters and arguments. <<<>>> calls cudaLaunchKernel, or another one: see below. */
#define CALLS(CALL) \
    CALL(cudaGetDeviceCount, (int *count), (count)) \
    CALL(cudaSetDevice, (int device), (device)) \
    CALL(cudaDeviceSynchronize, (void), ()) \
    CALL(cudaDeviceEnablePeerAccess, (int peer, unsigned flags), (peer, flags)) \
    CALL(cudaStreamCreateWithFlags, (cudaStream_t *s, unsigned flags), (s, flags)) \
    CALL(cudaStreamSynchronize, (cudaStream_t s), (s)) \
    CALL(cudaStreamQuery, (cudaStream_t s), (s)) \
    CALL(cudaStreamWaitEvent, (cudaStream_t s, cudaEvent_t event, unsigned flags), (s, event, flags)) \
    CALL(cudaEventCreate, (cudaEvent_t *event), (event)) \
    CALL(cudaEventCreateWithFlags, (cudaEvent_t *event, unsigned flags), (event, flags)) \
    CALL(cudaEventRecord, (cudaEvent_t event, cudaStream_t s), (event, s)) \
    CALL(cudaEventQuery, (cudaEvent_t event), (event)) \
    CALL(cudaEventSynchronize, (cudaEvent_t event), (event)) \
    CALL(cudaMalloc, (void **memory, size_t bytes), (memory, bytes)) \
    CALL(cudaMallocManaged, (void **memory, size_t bytes, unsigned flags), (memory, bytes, flags)) \
    CALL(cudaMemAdvise, (const void *memory, size_t bytes, enum cudaMemoryAdvise advice, location_t location), \
         (memory, bytes, advice, location)) \
    CALL(cudaMallocHost, (void **memory, size_t bytes), (memory, bytes)) \
    CALL(cudaHostRegister, (void *memory, size_t bytes, unsigned flags), (memory, bytes, flags)) \
    CALL(cudaHostAlloc, (void **memory, size_t bytes, unsigned flags), (memory, bytes, flags)) \
    CALL(cudaMemGetInfo, (size_t *unused, size_t *total), (unused, total)) \
    CALL(cudaMemcpyAsync, \
         (void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t s), \
         (to, from, bytes, kind, s)) \
    CALL(cudaMemcpyPeerAsync, \
         (void *to, int to_device, const void *from, int from_device, size_t bytes, cudaStream_t s), \
         (to, to_device, from, from_device, bytes, s)) \
    CALL(cudaMemsetAsync, (void *to, int value, size_t bytes, cudaStream_t s), (to, value, bytes, s)) \
    CALL(cudaIpcGetMemHandle, (cudaIpcMemHandle_t *handle, void *memory), (handle, memory)) \
    CALL(cudaIpcOpenMemHandle, (void **memory, cudaIpcMemHandle_t handle, unsigned flags), \
         (memory, handle, flags)) \
    CALL(cudaIpcGetEventHandle, (cudaIpcEventHandle_t *handle, cudaEvent_t event), (handle, event)) \
    CALL(cudaIpcOpenEventHandle, (cudaEvent_t *event, cudaIpcEventHandle_t handle), (event, handle)) \
    CALL(cudaFuncGetAttributes, (struct cudaFuncAttributes *attributes, const void *kernel), (attributes, kernel)) \
    CALL(cudaLaunchKernel, \
         (const void *kernel, dim3 blocks, dim3 threads, void **arguments, size_t bytes, cudaStream_t s), \
         (kernel, blocks, threads, arguments, bytes, s)) \
    CALL(cudaLaunchKernelExC, (const cudaLaunchConfig_t *config, const void *kernel, void **arguments), \
         (config, kernel, arguments))

#define NUMBER(name, parameters, arguments) NUMBER_##name,
#define NAME(name, parameters, arguments) #name,
enum { CALLS(NUMBER) FUNCTIONS };
static const char *const names[FUNCTIONS] = {CALLS(NAME)};

enum { MOST_NAME = 64 };

static char chosen[MOST_NAME];
static unsigned long first_failing;
static int code;
static atomic_ulong calls[FUNCTIONS], calls_of_any;
static atomic_bool lost;

__attribute__((constructor)) static void start(void)
{
    const char *text = getenv("FAIL_CUDA");
    if (text == NULL || sscanf(text, "%63s %lu %d", chosen, &first_failing, &code) != 3)
        chosen[0] = '\0';
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("FAIL_CUDA_COUNT");
    FILE *file = path != NULL ? fopen(path, "w") : NULL;
    if (file == NULL)
        return;
    for (int i = 0; i < FUNCTIONS; i++)
        fprintf(file, "%s %lu\n", names[i], atomic_load(&calls[i]));
    fprintf(file, "any %lu\n", atomic_load(&calls_of_any));
    fclose(file);
}

/* The number of questions whether work is done differs from run to run, and a lost GPU is still there. So `any`
 * does not count these calls. */
static unsigned long count_for_any(int function)
{
    bool asks = function == NUMBER_cudaGetDeviceCount || strstr(names[function], "Query") != NULL;
    return asks ? atomic_load(&calls_of_any) : atomic_fetch_add(&calls_of_any, 1) + 1;
}

static bool fails(int function)
{
    unsigned long number = atomic_fetch_add(&calls[function], 1) + 1, number_for_any = count_for_any(function);
    bool any = strcmp(chosen, "any") == 0, is_chosen = any || strcmp(chosen, names[function]) == 0;
    if (first_failing > 0 && is_chosen && (any ? number_for_any : number) >= first_failing) {
        atomic_store(&lost, code != cudaErrorMemoryAllocation);
        return true;
    }
    return atomic_load(&lost);
}

#define STAND_IN(name, parameters, arguments) \
    __typeof__(name) __real_##name, __wrap_##name; \
    cudaError_t __wrap_##name parameters \
    { \
        return fails(NUMBER_##name) ? (cudaError_t)code : __real_##name arguments; \
    }
CALLS(STAND_IN)

/* <<<>>> calls this since CUDA 13. Earlier versions do not have it. */
cudaError_t __real___cudaLaunchKernel(void *kernel, dim3 blocks, dim3 threads, void **arguments, size_t bytes,
                                      cudaStream_t s) __attribute__((weak));
__typeof__(__real___cudaLaunchKernel) __wrap___cudaLaunchKernel;
cudaError_t __wrap___cudaLaunchKernel(void *kernel, dim3 blocks, dim3 threads, void **arguments, size_t bytes,
                                      cudaStream_t s)
{
    return fails(NUMBER_cudaLaunchKernel) ? (cudaError_t)code :
                                            __real___cudaLaunchKernel(kernel, blocks, threads, arguments, bytes, s);
}

/* the error that a launch by <<<>>> left */
__typeof__(cudaGetLastError) __real_cudaGetLastError, __wrap_cudaGetLastError;
cudaError_t __wrap_cudaGetLastError(void)
{
    return atomic_load(&lost) ? (cudaError_t)code : __real_cudaGetLastError();
}
