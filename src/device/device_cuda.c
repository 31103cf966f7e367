/* One CUDA device. Work is queued on the stream `compute`; copies to the host that overlap with it go through `copy`.
 * Both are non-blocking streams, so nothing here may use the default stream: it would not wait for them, nor they for
 * it. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_err.h"
#include "cuda/cu_check.cuh"
#include "device/sw_device.h"

static double gib(size_t bytes) { return (double)bytes * 0x1p-30; }

/* The current device belongs to the thread: each entry sets it, since any thread may come. */
static enum sw_status enter(const struct sw_device *device)
{
    CU_TRY(cudaSetDevice(device->index));
    return SW_OK;
}

/* Why there is no device, as a user would say it. */
static enum sw_status no_device(cudaError_t error)
{
    int driver = 0, runtime = 0;
    cudaDriverGetVersion(&driver);  /* 0 without a driver */
    cudaRuntimeGetVersion(&runtime);
    cudaGetLastError();             /* failures here are not errors of later calls */
    if (!driver) return SW_FAIL(SW_E_ABSENT, "no CUDA device: no NVIDIA driver is installed on this machine");
    if (error == cudaErrorInsufficientDriver)
        return SW_FAIL(SW_E_ABSENT,
                       "no CUDA device: the NVIDIA driver supports CUDA %d.%d, this program needs %d.%d; "
                       "install a newer driver",
                       driver / 1000, driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10);
    return SW_FAIL(SW_E_ABSENT, "no CUDA device: %s",
                   error ? cudaGetErrorString(error) : "the driver sees none (is CUDA_VISIBLE_DEVICES set?)");
}

static enum sw_status check_index(int index)
{
    int count = 0;
    cudaError_t error = cudaGetDeviceCount(&count);
    if (error || count == 0) return no_device(error);
    if (index >= count)
        return SW_FAIL(SW_E_ABSENT, "there is no device 'cuda:%d'; this machine has %d CUDA device%s, counted from 0",
                       index, count, count == 1 ? "" : "s");
    return SW_OK;
}

static int cuda_count(void)
{
    int count = 0;
    if (cudaGetDeviceCount(&count)) cudaGetLastError();
    return count;
}

/* The driver's own version is not in the CUDA interface: "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04
 * ...". */
static void read_driver(char *version, size_t room)
{
    char line[256];
    int cuda = 0;
    FILE *f = fopen("/proc/driver/nvidia/version", "r");
    cudaDriverGetVersion(&cuda);
    snprintf(version, room, "CUDA %d.%d", cuda / 1000, cuda % 1000 / 10);
    if (f && fgets(line, sizeof line, f))
        for (char *save = NULL, *word = strtok_r(line, " \n", &save); word; word = strtok_r(NULL, " \n", &save))
            if (isdigit((unsigned char)word[0]) && strchr(word, '.')) {
                snprintf(version, room, "%s", word);
                break;
            }
    if (f) fclose(f);
}

static enum sw_status read_properties(struct sw_device *device)
{
    struct cudaDeviceProp p;
    int runtime;
    CU_TRY(cudaGetDeviceProperties(&p, device->index));
    CU_TRY(cudaRuntimeGetVersion(&runtime));
    snprintf(device->name, sizeof device->name, "%.*s", (int)sizeof device->name - 1, p.name);
    snprintf(device->runtime, sizeof device->runtime, "%d.%d", runtime / 1000, runtime % 1000 / 10);
    read_driver(device->driver, sizeof device->driver);
    device->sm = 10 * p.major + p.minor;
    device->processors = p.multiProcessorCount;
    device->memory_total = p.totalGlobalMem;
    device->on_chip = (struct sw_on_chip){(int)p.sharedMemPerMultiprocessor, (int)p.reservedSharedMemPerBlock,
                                          (int)p.sharedMemPerBlockOptin, p.l2CacheSize};
    memcpy(device->uuid, &p.uuid, sizeof device->uuid);
    return SW_OK;
}

static void cuda_close(struct sw_device *device)
{
    if (enter(device)) return;
    if (device->compute) cudaStreamDestroy(device->compute);
    if (device->copy) cudaStreamDestroy(device->copy);
    device->compute = device->copy = NULL;
}

static enum sw_status make_streams(struct sw_device *device)
{
    cudaStream_t compute = NULL, copy = NULL;
    int least, greatest;
    CU_TRY(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CU_TRY(cudaStreamCreateWithPriority(&compute, cudaStreamNonBlocking, device->urgent ? greatest : least));
    device->compute = compute;
    CU_TRY(cudaStreamCreateWithFlags(&copy, cudaStreamNonBlocking));
    device->copy = copy;
    return SW_OK;
}

static enum sw_status cuda_open(int index, struct sw_device *device)
{
    enum sw_status st;
    SW_TRY(check_index(index));
    device->space = SW_DEVICE;
    device->index = index;
    SW_TRY(enter(device));
    SW_TRY(read_properties(device));
    SW_TRY_TO(failed, st, make_streams(device));
    return SW_OK;
failed:
    cuda_close(device);
    return st;
}

static size_t cuda_memory_free(const struct sw_device *device)
{
    size_t left = 0, total = 0;
    if (enter(device) || cudaMemGetInfo(&left, &total)) return 0;
    return left;
}

static enum sw_status refuse(struct sw_device *device, size_t bytes, cudaError_t error)
{
    cudaGetLastError();  /* it is reported here; the next launch must not find it again */
    if (error != cudaErrorMemoryAllocation)
        return SW_FAIL(SW_E_CUDA, "allocating device memory: %s", cudaGetErrorString(error));
    return SW_FAIL(SW_E_MEMORY, "out of device memory: %.4g GiB (%zu bytes) asked for, %.4g GiB free of %.4g GiB",
                   gib(bytes), bytes, gib(cuda_memory_free(device)), gib(device->memory_total));
}

static enum sw_status cuda_alloc(struct sw_device *device, size_t bytes, void **out)
{
    cudaStream_t compute = device->compute;
    cudaError_t error;
    void *memory = NULL;
    SW_TRY(enter(device));
    *out = NULL;
    error = cudaMalloc(&memory, bytes ? bytes : 1);
    if (error) return refuse(device, bytes, error);
    error = cudaMemsetAsync(memory, 0, bytes, compute);
    if (!error) error = cudaStreamSynchronize(compute);  /* so that the stream `copy` sees the zeros too */
    if (error) {
        cudaFree(memory);
        return refuse(device, bytes, error);
    }
    *out = memory;
    return SW_OK;
}

static void cuda_free(struct sw_device *device, void *memory)
{
    if (!enter(device)) cudaFree(memory);
}

static enum sw_status cuda_alloc_host(struct sw_device *device, size_t bytes, void **out)
{
    cudaError_t error;
    SW_TRY(enter(device));
    *out = NULL;
    error = cudaHostAlloc(out, bytes ? bytes : 1, cudaHostAllocDefault);
    if (!error) {
        memset(*out, 0, bytes);
        return SW_OK;
    }
    cudaGetLastError();
    *out = NULL;
    return SW_FAIL(SW_E_MEMORY, "out of memory: %.4g GiB (%zu bytes) of page-locked host memory asked for: %s",
                   gib(bytes), bytes, cudaGetErrorString(error));
}

/* After a failure copies into the memory may be under way. */
static void cuda_free_host(struct sw_device *device, void *memory)
{
    cudaStream_t compute = device->compute, copy = device->copy;
    if (enter(device)) return;
    cudaStreamSynchronize(compute);
    cudaStreamSynchronize(copy);
    cudaFreeHost(memory);
}

static enum sw_status copy_and_wait(struct sw_device *device, void *to, const void *from, size_t bytes,
                                    enum cudaMemcpyKind kind)
{
    cudaStream_t compute = device->compute;
    SW_TRY(enter(device));
    CU_TRY(cudaMemcpyAsync(to, from, bytes, kind, compute));
    CU_TRY(cudaStreamSynchronize(compute));
    return SW_OK;
}

static enum sw_status cuda_upload(struct sw_device *device, void *to, const void *from, size_t bytes)
{
    return copy_and_wait(device, to, from, bytes, cudaMemcpyHostToDevice);
}

static enum sw_status cuda_download(struct sw_device *device, void *to, const void *from, size_t bytes)
{
    return copy_and_wait(device, to, from, bytes, cudaMemcpyDeviceToHost);
}

static enum sw_status cuda_wait(struct sw_device *device)
{
    cudaStream_t compute = device->compute, copy = device->copy;
    SW_TRY(enter(device));
    CU_TRY(cudaStreamSynchronize(compute));
    CU_TRY(cudaStreamSynchronize(copy));
    return SW_OK;
}

extern const struct sw_snapshot_ops snapshot_cuda;

extern const struct sw_device_ops device_cuda;
const struct sw_device_ops device_cuda = {
    .kind = "cuda",
    .count = cuda_count,
    .open = cuda_open,
    .close = cuda_close,
    .use = enter,
    .memory_free = cuda_memory_free,
    .alloc = cuda_alloc,
    .free = cuda_free,
    .alloc_host = cuda_alloc_host,
    .free_host = cuda_free_host,
    .upload = cuda_upload,
    .download = cuda_download,
    .wait = cuda_wait,
    .snapshot = &snapshot_cuda,
};
