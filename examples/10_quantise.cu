// SPDX-License-Identifier: Apache-2.0
// Types that mix: a matrix of bf16 to int8 with a scale per row, and to 8-bit floats, and back again. A store rounds to
// nearest even and saturates, so that quantising is a multiplication and a store; a load of int8 gives integers, which
// cast<float>() takes into arithmetic. Returns nonzero if an element is further off than half a step.
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

enum { rows = 64, columns = 1000, n = rows * columns };

int main() {
  int devices = 0;
  const int on_device = cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
  onepass_exec_t exec = {};
  if (!on_device) {
    printf("there is no GPU: on the host\n");
    exec.where = ONEPASS_HOST;
  }
  auto *x = (__nv_bfloat16 *)memory(n * sizeof(__nv_bfloat16), on_device);
  auto *scale = (float *)memory(rows * sizeof(float), on_device);
  auto *q = (int8_t *)memory(n, on_device);
  auto *f = (__nv_fp8_e4m3 *)memory(n, on_device);
  auto *from_q = (float *)memory(n * sizeof(float), on_device);
  auto *from_f = (float *)memory(n * sizeof(float), on_device);
  for (int r = 0; r < rows; ++r) scale[r] = (float)(r + 1) / 1024;  // of one step of row r
  for (int i = 0; i < n; ++i) x[i] = __float2bfloat16((float)(i * 7919 % 2001 - 1000) / 1000 * 127 * scale[i / columns]);

  // Both quantised forms in one pass: 2 bytes read and 2 written per element.
  const auto quantise = op::load(x) | op::tee(op::store(f)) | op::divide(op::per_row(scale)) | op::store(q);
  const auto dequantise = op::load(q) | op::cast<float>() | op::multiply(op::per_row(scale)) | op::store(from_q);
  const auto widen = op::load(f) | op::store(from_f);
  must(op::launch(quantise, op::extent(rows, columns), exec));
  must(op::launch(dequantise, op::extent(rows, columns), exec));
  must(op::launch(widen, op::extent(n), exec));
  if (on_device) must(cudaDeviceSynchronize());

  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    const float exact = __bfloat162float(x[i]), step = scale[i / columns];
    wrong += !(fabsf(from_q[i] - exact) <= 0.5001f * step);
    wrong += !(fabsf(from_f[i] - exact) <= fabsf(exact) / 16 + 0x1p-10f);  // 3 bits of fraction, then subnormals
  }
  printf("%d x %d to int8 and e4m3 and back: %s\n", rows, columns, wrong == 0 ? "right" : "WRONG");
  return wrong != 0;
}
