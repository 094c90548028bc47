// SPDX-License-Identifier: Apache-2.0
// Device memory behind C functions.
#include "device_memory.h"

#include <cuda_runtime_api.h>

int device_count(void) {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

void *to_device(const void *host, size_t bytes) {
  void *device = NULL;
  if (cudaMalloc(&device, bytes) != cudaSuccess) return NULL;
  const cudaError_t error = host != NULL ? cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice)
                                         : cudaMemset(device, 0, bytes);
  if (error == cudaSuccess) return device;
  cudaFree(device);
  return NULL;
}

int to_host(void *host, const void *device, size_t bytes) {
  return cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost) == cudaSuccess ? 0 : 1;
}

void device_free(void *device) { cudaFree(device); }
