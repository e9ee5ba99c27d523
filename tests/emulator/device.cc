/* device.cc: see device.h */
#include "device.h"

#include "settings.h"
#include "thread_state.h"

#include <cstdio>

namespace emulated {

int current_device()
{
    return own_state().device;
}

std::atomic<bool> &is_lost(int device)
{
    static std::atomic<bool> lost[MOST_DEVICES];
    return lost[device];
}

cudaError_t failed(cudaError_t error)
{
    own_state().last_error = error;
    return error;
}

}

using namespace emulated;

cudaError_t cudaGetLastError(void)
{
    const cudaError_t error = own_state().last_error;
    own_state().last_error = cudaSuccess;
    return error;
}

const char *cudaGetErrorString(cudaError_t error)
{
    switch (error) {
    case cudaSuccess: return "no error";
    case cudaErrorInvalidValue: return "invalid argument";
    case cudaErrorMemoryAllocation: return "out of memory";
    case cudaErrorInvalidConfiguration: return "invalid configuration argument";
    case cudaErrorInsufficientDriver: return "CUDA driver version is insufficient for CUDA runtime version";
    case cudaErrorNoDevice: return "no CUDA-capable device is detected";
    case cudaErrorInvalidDevice: return "invalid device ordinal";
    case cudaErrorInvalidResourceHandle: return "invalid resource handle";
    case cudaErrorNotReady: return "device not ready";
    case cudaErrorIllegalAddress: return "an illegal memory access was encountered";
    case cudaErrorPeerAccessAlreadyEnabled: return "peer access is already enabled";
    case cudaErrorECCUncorrectable: return "uncorrectable ECC error encountered";
    case cudaErrorLaunchFailure: return "unspecified launch failure";
    case cudaErrorCooperativeLaunchTooLarge: return "too many blocks in cooperative launch";
    default: break;
    }
    return "unrecognized error code";
}

static bool is_device(int number)
{
    return number >= 0 && number < setting().gpus;
}

cudaError_t cudaGetDeviceCount(int *count)
{
    *count = setting().gpus;
    return *count > 0 ? cudaSuccess : failed(cudaErrorNoDevice);
}

cudaError_t cudaSetDevice(int number)
{
    if (!is_device(number))
        return failed(cudaErrorInvalidDevice);
    own_state().device = number;
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int *number)
{
    *number = current_device();
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int number)
{
    enum { BUS_BITS = 4000 };
    if (!is_device(number))
        return failed(cudaErrorInvalidDevice);
    switch (attribute) {
    case cudaDevAttrMultiProcessorCount: *value = setting().processors; return cudaSuccess;
    case cudaDevAttrPciBusId: *value = number + 1; return cudaSuccess;
    case cudaDevAttrPciDeviceId:
    case cudaDevAttrPciDomainId: *value = 0; return cudaSuccess;
    case cudaDevAttrComputeCapabilityMajor: *value = gpu_of(number).capability / 10; return cudaSuccess;
    case cudaDevAttrComputeCapabilityMinor: *value = gpu_of(number).capability % 10; return cudaSuccess;
    case cudaDevAttrClockRate: *value = (int)(gpu_of(number).clock_hz / 1e3); return cudaSuccess;
    case cudaDevAttrMemoryClockRate: *value = (int)(gpu_of(number).bytes_s / 2e3 / (BUS_BITS / 8)); return cudaSuccess;
    case cudaDevAttrGlobalMemoryBusWidth: *value = BUS_BITS; return cudaSuccess;
    case cudaDevAttrL2CacheSize: *value = (int)gpu_of(number).cache_bytes; return cudaSuccess;
    case cudaDevAttrMaxThreadsPerMultiProcessor: *value = gpu_of(number).threads; return cudaSuccess;
    case cudaDevAttrCooperativeLaunch: *value = 1; return cudaSuccess;
    case cudaDevAttrConcurrentManagedAccess: *value = setting().managed; return cudaSuccess;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = (int)gpu_of(number).shared_bytes; return cudaSuccess;
    }
    return failed(cudaErrorInvalidValue);
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int number)
{
    if (!is_device(number))
        return failed(cudaErrorInvalidDevice);
    snprintf(properties->name, sizeof properties->name, "emulated %s of %d processors", gpu_of(number).name, setting().processors);
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    *version = 12000;
    return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int *possible, int number, int peer)
{
    if (!is_device(number) || !is_device(peer))
        return failed(cudaErrorInvalidDevice);
    *possible = setting().peers && number != peer;
    return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned)
{
    static bool enabled[MOST_DEVICES][MOST_DEVICES];
    const int device = current_device();
    if (!is_device(peer) || peer == device || !setting().peers)
        return failed(cudaErrorInvalidDevice);
    if (enabled[device][peer])
        return failed(cudaErrorPeerAccessAlreadyEnabled);
    enabled[device][peer] = true;
    return cudaSuccess;
}
