// SPDX-License-Identifier: Apache-2.0
// Random numbers and dropout: numbers depend on seed, offset and place alone, never on how a launch is cut. Adds normal
// noise, drops a quarter of the elements with the mask kept, and applies the same mask to gradients twice: from memory,
// and from the seed again without it. Returns nonzero if a number is wrong.
#include <onepass/onepass.cuh>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

namespace op = onepass;

static void must(onepass_status_t status) {
  if (status == ONEPASS_SUCCESS) return;
  fprintf(stderr, "onepass: %s\n", onepass_status_string(status));
  exit(1);
}

static void must(cudaError_t error) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(error));
  exit(1);
}

// Memory that this program and the device, if there is one, can both use.
static void *memory(size_t bytes, int on_device) {
  void *p = NULL;
  if (on_device) must(cudaMallocManaged(&p, bytes));
  else p = malloc(bytes);
  if (p == NULL) exit(1);
  return p;
}

enum { n = 100000 };

int main() {
  int devices = 0;
  const int on_device = cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
  onepass_exec_t exec = {};
  if (!on_device) {
    printf("there is no GPU: on the host\n");
    exec.where = ONEPASS_HOST;
  }
  auto *x = (float *)memory(n * sizeof(float), on_device), *y = (float *)memory(n * sizeof(float), on_device);
  auto *by_mask = (float *)memory(n * sizeof(float), on_device);
  auto *by_seed = (float *)memory(n * sizeof(float), on_device);
  auto *mask = (bool *)memory(n, on_device);
  for (int i = 0; i < n; ++i) x[i] = 100;
  const uint64_t seed = 2026;

  // The noise uses other numbers than the mask: another offset, in fours of elements.
  const auto forward = op::load(x) | op::add(op::random_normal(seed, n / 4)) |
                       op::dropout(0.25, seed, op::tee(op::store(mask))) | op::store(y);
  const auto backward = op::load(x) | op::where(op::load(mask), 0) | op::multiply(1 / 0.75) | op::store(by_mask);
  const auto again = op::load(x) | op::dropout(0.25, seed) | op::store(by_seed);
  must(op::launch(forward, op::extent(n), exec));
  must(op::launch(backward, op::extent(n), exec));
  must(op::launch(again, op::extent(n), exec));
  if (on_device) must(cudaDeviceSynchronize());

  int kept = 0, wrong = 0;
  double sum = 0, squares = 0;
  for (int i = 0; i < n; ++i) {
    const double noise = y[i] * 0.75 - 100;
    kept += mask[i];
    if (mask[i]) sum += noise, squares += noise * noise;
    wrong += (y[i] != 0) != mask[i] || fabsf(by_mask[i] - by_seed[i]) > 1e-4f;
  }
  const double mean = sum / kept, variance = squares / kept - mean * mean;
  wrong += fabs(kept - 0.75 * n) > 600 || fabs(mean) > 0.02 || fabs(variance - 1) > 0.03;
  printf("%d of %d kept, noise of mean %.4f and variance %.4f: %s\n", kept, n, mean, variance,
         wrong == 0 ? "right" : "WRONG");
  return wrong != 0;
}
