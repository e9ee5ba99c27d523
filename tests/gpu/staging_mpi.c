/* staging_mpi.c: makes an MPI library accept device memory that does not
 *
 * It is loaded before the MPI library (LD_PRELOAD). It says that CUDA is supported, and moves messages in device
 * memory through host memory. So scripts/check-gpu.sh can test the code for such libraries with any MPI library.
 * It knows the calls that formats/mpi/ makes. At the end it prints how much it moved, so that a test sees that it
 * was used. */
#include <cuda_runtime_api.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* A message that is under way. */
struct staged {
    MPI_Request request;
    void *device, *host; /* pinned */
    size_t bytes;
    int receives;
    struct staged *next;
};

static struct staged *under_way;
static unsigned long long messages;

int MPIX_Query_cuda_support(void);
int MPIX_GPU_query_support(int kind, int *bytes_needed);

int MPIX_Query_cuda_support(void)
{
    return 1;
}

/* MPICH's function for this question; kind 0 is CUDA. */
int MPIX_GPU_query_support(int kind, int *bytes_needed)
{
    *bytes_needed = kind == 0;
    return MPI_SUCCESS;
}

static void stop(const char *why)
{
    fprintf(stderr, "staging_mpi: %s\n", why);
    MPI_Abort(MPI_COMM_WORLD, 1);
    exit(1);
}

static int is_device_memory(const void *memory)
{
    struct cudaPointerAttributes attributes;
    if (cudaPointerGetAttributes(&attributes, memory) == cudaSuccess)
        return attributes.type == cudaMemoryTypeDevice;
    cudaGetLastError(); /* CUDA before 11 gives an error for memory that it does not know */
    return 0;
}

/* Copies. With pinned memory the copy has ended when the call returns, for each stream and device. */
static void copy(void *to, const void *from, size_t bytes)
{
    cudaError_t code = cudaMemcpy(to, from, bytes, cudaMemcpyDefault);
    if (code != cudaSuccess)
        stop(cudaGetErrorString(code));
}

static struct staged *stage(void *device, size_t bytes, int receives)
{
    struct staged *s = malloc(sizeof *s);
    if (s == NULL || cudaMallocHost(&s->host, bytes) != cudaSuccess)
        stop("no memory for a message");
    s->device = device;
    s->bytes = bytes;
    s->receives = receives;
    s->next = under_way;
    under_way = s;
    messages++;
    return s;
}

int MPI_Isend(const void *from, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    int width;
    MPI_Type_size(type, &width);
    if (!is_device_memory(from))
        return PMPI_Isend(from, count, type, to, tag, comm, request);
    struct staged *s = stage((void *)from, (size_t)count * (size_t)width, 0);
    copy(s->host, from, s->bytes);
    int code = PMPI_Isend(s->host, count, type, to, tag, comm, request);
    s->request = *request;
    return code;
}

int MPI_Irecv(void *to, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    int width;
    MPI_Type_size(type, &width);
    if (!is_device_memory(to))
        return PMPI_Irecv(to, count, type, from, tag, comm, request);
    struct staged *s = stage(to, (size_t)count * (size_t)width, 1);
    int code = PMPI_Irecv(s->host, count, type, from, tag, comm, request);
    s->request = *request;
    return code;
}

/* Messages that end at once may share one request. Any of them will do. */
static struct staged **find_staged(MPI_Request request)
{
    struct staged **at = &under_way;
    while (*at != NULL && (*at)->request != request)
        at = &(*at)->next;
    return at;
}

static void finish_staged(struct staged **at)
{
    struct staged *s = *at;
    if (s == NULL)
        return;
    if (s->receives)
        copy(s->device, s->host, s->bytes);
    *at = s->next;
    cudaFreeHost(s->host);
    free(s);
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    struct staged **at = find_staged(*request);
    int code = PMPI_Wait(request, status);
    finish_staged(at);
    return code;
}

int MPI_Test(MPI_Request *request, int *over, MPI_Status *status)
{
    struct staged **at = find_staged(*request);
    int code = PMPI_Test(request, over, status);
    if (*over)
        finish_staged(at);
    return code;
}

int MPI_Finalize(void)
{
    if (under_way != NULL)
        stop("a message was not waited for");
    fprintf(stderr, "staging_mpi: %llu messages in device memory\n", messages);
    return PMPI_Finalize();
}
