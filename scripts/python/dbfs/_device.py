"""Arrays in memory of a GPU that a dbfs-traverse has allocated: opened by its handle, through the driver of CUDA."""
from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import threading
from typing import Any

import numpy

from dbfs._programs import Error


class _Handle(ctypes.Structure):
    """CUipcMemHandle, which is that of cudaIpcGetMemHandle."""
    _fields_ = [("bytes", ctypes.c_ubyte * 64)]


@functools.lru_cache(maxsize=None)
def _driver():
    """The driver's library. Error: it is not there."""
    try:
        library = ctypes.CDLL("libcuda.so.1")
    except OSError as e:
        raise Error(f"arrays on a GPU need the driver of CUDA: {e}", 1) from None
    library.cuIpcOpenMemHandle_v2.argtypes = ctypes.c_void_p, _Handle, ctypes.c_uint
    library.cuIpcCloseMemHandle.argtypes = (ctypes.c_uint64,)
    library.cuCtxPushCurrent_v2.argtypes = (ctypes.c_void_p,)
    _call(library, "cuInit", 0)
    return library


def _call(library, name: str, *arguments) -> None:
    code = getattr(library, name)(*arguments)
    if code != 0:
        text = ctypes.c_char_p()
        library.cuGetErrorString(code, ctypes.byref(text))
        raise Error(f"{name}: {(text.value or b'error %d' % code).decode()}", 1)


_contexts: dict = {}  # by the address of the GPU; never released, as torch and cupy use the same ones
_contexts_lock = threading.RLock()  # an array may be given back in the middle of any call


@contextlib.contextmanager
def _on(gpu: str):
    """Calls of the driver in the block are for this GPU, whatever this thread has used before and will use then."""
    library = _driver()
    with _contexts_lock:
        if gpu not in _contexts:
            number, context = ctypes.c_int(), ctypes.c_void_p()
            _call(library, "cuDeviceGetByPCIBusId", ctypes.byref(number), gpu.encode())
            _call(library, "cuDevicePrimaryCtxRetain", ctypes.byref(context), number)
            _contexts[gpu] = context
    _call(library, "cuCtxPushCurrent_v2", _contexts[gpu])
    try:
        yield library
    finally:
        library.cuCtxPopCurrent_v2(ctypes.byref(ctypes.c_void_p()))


def open_memory(gpu: str, handle: str) -> int:
    """The address of the memory with this handle, in hexadecimal digits. Error: this process cannot open the memory."""
    address = ctypes.c_uint64()
    with _on(gpu) as library:
        _call(library, "cuIpcOpenMemHandle_v2", ctypes.byref(address), _Handle.from_buffer_copy(bytes.fromhex(handle)), 1)
    return address.value


def close_memory(gpu: str, address: int) -> None:
    """Waits for the GPU, which may still read the memory, and gives the address back."""
    with _on(gpu) as library:
        library.cuCtxSynchronize()
        library.cuIpcCloseMemHandle(address)


class DeviceArray:
    """An array of integers in memory of a GPU: torch.as_tensor(array, device="cuda") and cupy.asarray(array) take it as it is.

    What they make keeps the array. Nobody else has the memory, which may be written. The array is of its process alone.
    """

    def __init__(self, gpu: str, address: int, n: int, width: int):
        self._address, self._process = address, os.getpid()
        self.gpu = gpu  # the address on the PCI bus, as text
        self.dtype = numpy.dtype(f"<i{width}")
        self.shape = (n,)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        if os.getpid() != self._process:
            raise Error("an array on a GPU is of the process that has searched, not of one forked from it", 1)
        return {"version": 3, "shape": self.shape, "typestr": self.dtype.str, "data": (self._address, False), "strides": None}

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return f"<dbfs.DeviceArray of {len(self)} {self.dtype.name} on GPU {self.gpu}>"

    def __reduce__(self):
        raise TypeError("an array on a GPU is of its process alone: copy it, by torch or cupy, to pickle it")
