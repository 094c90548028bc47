// SPDX-License-Identifier: Apache-2.0
// Built by tests/device.sh for an architecture that the device is not: a launch says so and leaves no work behind.
#include <cuda_runtime.h>

#include <cstdio>

#include <onepass/onepass.cuh>

namespace op = onepass;

int main() {
  float *x = nullptr;
  if (cudaMalloc(&x, 1024) != cudaSuccess) return 1;
  const onepass_status_t status = op::launch(op::load(x) | op::abs | op::store(x), op::extent(256));
  std::printf("%s\n", onepass_status_string(status));
  return status == ONEPASS_ERROR_NO_KERNEL_IMAGE && cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
