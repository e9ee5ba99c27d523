/* device_mpi.c: says for the MPI library that it takes device memory; for LD_PRELOAD. It does take that of an emulated
 * GPU, which is the host's. The two questions are those of formats/mpi/messages.c.
 */
int MPIX_GPU_query_support(int type, int *takes);
int MPIX_Query_cuda_support(void);

int MPIX_GPU_query_support(int type, int *takes)
{
    (void)type;
    *takes = 1;
    return 0; /* MPI_SUCCESS */
}

int MPIX_Query_cuda_support(void)
{
    return 1;
}
