/* device_mpi.c: makes the MPI library say that it accepts device memory; for LD_PRELOAD. An emulated GPU has
 * memory of the host, so it does. formats/mpi/messages.c asks by these two functions. */
int MPIX_GPU_query_support(int type, int *bytes_needed);
int MPIX_Query_cuda_support(void);

int MPIX_GPU_query_support(int type, int *bytes_needed)
{
    (void)type;
    *bytes_needed = 1;
    return 0; /* MPI_SUCCESS */
}

int MPIX_Query_cuda_support(void)
{
    return 1;
}
