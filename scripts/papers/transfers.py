#!/usr/bin/env python3
"""Time copies between the memory of the host and a GPU's, pageable and pinned: what the papers add to a solve.

usage: transfers.py WORDS...    how many numbers of 8 bytes
A line a copy: memory,direction,words,seconds; the least of 5 repeats. Uses the CUDA driver alone, nothing to build.
Standard library only."""
import ctypes
import sys
import time

REPEATS = 5


class Driver:
    """libcuda: a call that fails ends the program with its number."""
    def __init__(self):
        try:
            self.library = ctypes.CDLL("libcuda.so.1")
        except OSError as error:
            sys.exit(f"error: {error}")

    def __call__(self, name, *arguments):
        code = getattr(self.library, name)(*arguments)
        if code:
            sys.exit(f"error: {name}: CUDA error {code}")


def open_device(cuda):
    device, context = ctypes.c_int(), ctypes.c_void_p()
    cuda("cuInit", 0)
    cuda("cuDeviceGet", ctypes.byref(device), 0)
    cuda("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    cuda("cuCtxSetCurrent", context)


def least(cuda, copy):
    times = []
    for _ in range(REPEATS + 1):  # the first one touches the pages
        start = time.perf_counter()
        copy()
        cuda("cuCtxSynchronize")
        times.append(time.perf_counter() - start)
    return min(times[1:])


def copies(cuda, words):
    size, there, pinned = ctypes.c_size_t(8 * words), ctypes.c_uint64(), ctypes.c_void_p()
    cuda("cuMemAlloc_v2", ctypes.byref(there), size)
    cuda("cuMemAllocHost_v2", ctypes.byref(pinned), size)
    pageable = ctypes.create_string_buffer(8 * words)
    for memory, here in (("pageable", ctypes.cast(pageable, ctypes.c_void_p)), ("pinned", pinned)):
        for direction, copy in (("to", lambda here=here: cuda("cuMemcpyHtoD_v2", there, here, size)),
                                ("from", lambda here=here: cuda("cuMemcpyDtoH_v2", here, there, size))):
            print(f"{memory},{direction},{words},{least(cuda, copy):.6g}")
    cuda("cuMemFree_v2", there)
    cuda("cuMemFreeHost", pinned)


def main():
    if len(sys.argv) < 2 or not all(word.isdigit() for word in sys.argv[1:]):
        print(__doc__, file=sys.stderr)
        return 2
    cuda = Driver()
    open_device(cuda)
    for words in sys.argv[1:]:
        copies(cuda, int(words))
    return 0


sys.exit(main())
