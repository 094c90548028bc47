// SPDX-License-Identifier: Apache-2.0
// The main of the tests that need a device: 77, which ctest counts as skipped, where there is none.
#include <cuda_runtime_api.h>

#include <cstdio>

#define CATCH_CONFIG_RUNNER
#include "catch.hpp"

int main(int argc, char **argv) {
  int devices = 0;
  const cudaError_t error = cudaGetDeviceCount(&devices);
  if (error != cudaSuccess || devices == 0) {
    std::printf("skipped: no CUDA device (%s)\n", cudaGetErrorString(error));
    return 77;
  }
  return Catch::Session().run(argc, argv);
}
