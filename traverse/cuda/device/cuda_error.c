/* cuda_error.c: see cuda_error.h */
#include "cuda_error.h"

/* Codes that are not in the headers of all versions of CUDA. */
enum { ERROR_CONTAINED = 226 };

/* Returns what an error means that the GPU or its driver causes, and what would do; NULL for other errors. */
static const char *advice(int code)
{
    switch (code) {
    case cudaErrorECCUncorrectable:
    case ERROR_CONTAINED:
        return "its memory is faulty: see 'nvidia-smi -q -d ECC,ROW_REMAPPER' and 'dmesg | grep Xid', and reset it, or leave it out "
               "by CUDA_VISIBLE_DEVICES";
    case cudaErrorNvlinkUncorrectable:
        return "its link to another GPU is faulty: see 'nvidia-smi nvlink -e' and 'dmesg | grep Xid'";
    case cudaErrorNoDevice:
    case cudaErrorDevicesUnavailable:
    case cudaErrorDeviceUninitialized:
    case cudaErrorSystemNotReady:
    case cudaErrorUnknown:
        return "it is lost, or not to be used: see 'nvidia-smi' and 'dmesg | grep Xid', and reset it, or leave it out by "
               "CUDA_VISIBLE_DEVICES";
    case cudaErrorLaunchTimeout:
        return "its driver ends long kernels, as it does for a GPU with a display: take another one";
    case cudaErrorIllegalAddress:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
        return "a fault of the GPU if 'dmesg | grep Xid' has other numbers for it than 13, 31 and 43, otherwise one of dbfs: please "
               "report it";
    default:
        return NULL;
    }
}

enum status cuda_fail(cudaError_t code, const char *call, const char *file, int line, const char *where, struct error *e)
{
    const char *known = advice((int)code);
    cudaGetLastError(); /* what is launched later, if the caller goes on without what it asked for, has not failed */
    return fail(e, code == cudaErrorMemoryAllocation ? ST_RESOURCE : ST_RUNTIME, "%s: %s%s%s (%s:%d: %s)", where,
                cudaGetErrorString(code), known != NULL ? ": " : "", known != NULL ? known : "", file, line, call);
}
