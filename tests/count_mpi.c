/* count_mpi.c: notes the messages that a program sends through MPI, so that a test can count them
 *
 * It is loaded before the MPI library (LD_PRELOAD). Each rank appends lines to the file $COUNT_MPI.RANK:
 *   start                         MPI has started
 *   barrier                       dbfs-traverse calls one at the start of each search
 *   alltoall                      dbfs-traverse calls one at the end of each level
 *   send TO TAG BYTES             a message
 *   reduce blocking|nonblocking or|other WORDS
 *   gather WORDS                  the words that this rank gives to an allgather
 *   repeated TO TAG IDS           how many of the 4-byte ids for one rank and tag since the last alltoall were repetitions.
 *                                 The line stands before an alltoall and at the end. A message may end within an id
 *
 * With COUNT_MPI_HOLD=N a nonblocking reduction of masks takes as long as on a slow network: the first N questions
 * about it are answered with no. With COUNT_MPI_LEVEL=N MPI says that it provides level N of threads (MPI_THREAD_SINGLE is the
 * least). The rank that COUNT_MPI_FAILS names gets an error from each alltoall.
 *
 * A call by another thread than that which started MPI ends the job. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The bytes sent to one rank with one tag since the last alltoall. */
struct stream {
    int to, tag;
    unsigned char *bytes;
    size_t count;
};

static FILE *notes;
static struct stream *streams;
static size_t stream_count;
static MPI_Request *masks; /* of the last nonblocking reduction of masks */
static long held;          /* questions about it that are still answered with no */

static void stop(const char *why)
{
    fprintf(stderr, "count_mpi: %s\n", why);
    MPI_Abort(MPI_COMM_WORLD, 1);
    exit(1);
}

static FILE *open_notes(void)
{
    const char *prefix = getenv("COUNT_MPI");
    char path[4096];
    int rank, is_main;
    PMPI_Is_thread_main(&is_main);
    if (!is_main)
        stop("a thread calls MPI that did not start it");
    if (notes != NULL)
        return notes;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(path, sizeof path, "%s.%d", prefix != NULL ? prefix : "count_mpi", rank);
    notes = fopen(path, "a");
    if (notes == NULL)
        stop("cannot open the notes");
    return notes;
}

/* ---- ids that are sent twice ---- */

static struct stream *stream_of(int to, int tag)
{
    for (size_t i = 0; i < stream_count; i++) {
        if (streams[i].to == to && streams[i].tag == tag)
            return &streams[i];
    }
    streams = realloc(streams, (stream_count + 1) * sizeof *streams);
    if (streams == NULL)
        stop("no memory");
    streams[stream_count] = (struct stream){.to = to, .tag = tag};
    return &streams[stream_count++];
}

static void keep(struct stream *s, const void *bytes, size_t count)
{
    s->bytes = realloc(s->bytes, s->count + count + 1);
    if (s->bytes == NULL)
        stop("no memory");
    memcpy(s->bytes + s->count, bytes, count);
    s->count += count;
}

static int compare_ids(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(uint32_t));
}

static size_t repeated_ids(struct stream *s)
{
    size_t ids = s->count / sizeof(uint32_t), repeated = 0;
    qsort(s->bytes, ids, sizeof(uint32_t), compare_ids);
    for (size_t i = 1; i < ids; i++)
        repeated += memcmp(s->bytes + 4 * i, s->bytes + 4 * (i - 1), 4) == 0;
    return repeated;
}

static void note_repeated(void)
{
    for (size_t i = 0; i < stream_count; i++) {
        struct stream *s = &streams[i];
        if (s->count > 0)
            fprintf(open_notes(), "repeated %d %d %zu\n", s->to, s->tag, repeated_ids(s));
        s->count = 0;
    }
}

/* ---- MPI's functions ---- */

int MPI_Init_thread(int *argc, char ***argv, int wanted, int *provided)
{
    const char *level = getenv("COUNT_MPI_LEVEL");
    int status = PMPI_Init_thread(argc, argv, wanted, provided);
    if (level != NULL)
        *provided = atoi(level);
    fprintf(open_notes(), "start\n");
    return status;
}

int MPI_Isend(const void *from, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    int width;
    PMPI_Type_size(type, &width);
    fprintf(open_notes(), "send %d %d %d\n", to, tag, count * width);
    keep(stream_of(to, tag), from, (size_t)count * (size_t)width);
    return PMPI_Isend(from, count, type, to, tag, comm, request);
}

static void note_reduction(const char *how, int count, MPI_Op op)
{
    fprintf(open_notes(), "reduce %s %s %d\n", how, op == MPI_BOR ? "or" : "other", count);
}

int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm)
{
    note_reduction("blocking", count, op);
    return PMPI_Allreduce(from, to, count, type, op, comm);
}

int MPI_Iallreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm, MPI_Request *request)
{
    const char *hold = getenv("COUNT_MPI_HOLD");
    note_reduction("nonblocking", count, op);
    if (op == MPI_BOR) {
        masks = request;
        held = hold != NULL ? atol(hold) : 0;
    }
    return PMPI_Iallreduce(from, to, count, type, op, comm, request);
}

int MPI_Test(MPI_Request *request, int *over, MPI_Status *status)
{
    if (request == masks && held-- > 0) {
        *over = 0;
        return MPI_SUCCESS;
    }
    return PMPI_Test(request, over, status);
}

int MPI_Alltoall(const void *from, int count, MPI_Datatype type, void *to, int receive_count,
                 MPI_Datatype receive_type, MPI_Comm comm)
{
    const char *fails = getenv("COUNT_MPI_FAILS");
    int rank;
    note_repeated();
    fprintf(open_notes(), "alltoall\n");
    PMPI_Comm_rank(comm, &rank);
    if (fails != NULL && rank == atoi(fails))
        return PMPI_Comm_call_errhandler(comm, MPI_ERR_OTHER);
    return PMPI_Alltoall(from, count, type, to, receive_count, receive_type, comm);
}

int MPI_Allgatherv(const void *from, int count, MPI_Datatype type, void *to, const int *counts,
                   const int *begins, MPI_Datatype received, MPI_Comm comm)
{
    fprintf(open_notes(), "gather %d\n", count);
    return PMPI_Allgatherv(from, count, type, to, counts, begins, received, comm);
}

int MPI_Barrier(MPI_Comm comm)
{
    fprintf(open_notes(), "barrier\n");
    return PMPI_Barrier(comm);
}

int MPI_Finalize(void)
{
    note_repeated();
    int failed = notes != NULL && fclose(notes) != 0;
    for (size_t i = 0; i < stream_count; i++)
        free(streams[i].bytes);
    free(streams);
    if (failed)
        stop("cannot write the notes");
    return PMPI_Finalize();
}
