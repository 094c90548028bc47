// SPDX-License-Identifier: Apache-2.0
// RMSNorm to 8-bit floats whose scale follows the data: the norm reduces the row, the store finds the greatest magnitude
// of what it makes, and the row is read once. With a scale per row, and with one per group of 128 columns that is a
// power of two, and back again. Returns nonzero if an element is further off than its format allows.
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

enum { rows = 200, columns = 1024, group = 128, groups = columns / group, n = rows * columns };

int main() {
  int devices = 0;
  const int on_device = cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
  onepass_exec_t exec = {};
  if (!on_device) {
    printf("there is no GPU: on the host\n");
    exec.where = ONEPASS_HOST;
  }
  auto *x = (__nv_bfloat16 *)memory(n * sizeof(__nv_bfloat16), on_device);
  auto *gamma = (float *)memory(columns * sizeof(float), on_device);
  auto *q = (__nv_fp8_e4m3 *)memory(n, on_device), *blocks = (__nv_fp8_e4m3 *)memory(n, on_device);
  auto *scale = (float *)memory(rows * sizeof(float), on_device);
  auto *block_scale = (__nv_fp8_e8m0 *)memory(rows * groups, on_device);
  auto *from_q = (float *)memory(n * sizeof(float), on_device), *from_blocks = (float *)memory(n * sizeof(float), on_device);
  for (int i = 0; i < n; ++i) x[i] = __float2bfloat16((float)(i * 7919 % 2001 - 1000) / 500);
  for (int c = 0; c < columns; ++c) gamma[c] = 1 + (float)(c % 32) / 32;

  must(op::launch(op::load(x) | op::rms_norm(gamma, 1e-6) | op::quantize_rows(op::store(q), scale),
                  op::extent(rows, columns), exec));
  must(op::launch(op::load(x) | op::rms_norm(gamma, 1e-6) | op::quantize_groups<group>(op::store(blocks), block_scale),
                  op::extent(rows, columns), exec));
  must(op::launch(op::load(q) | op::multiply(op::per_row(scale)) | op::store(from_q), op::extent(rows, columns), exec));
  must(op::launch(op::load(blocks) | op::multiply(op::per_group<group>(block_scale)) | op::store(from_blocks),
                  op::extent(rows, columns), exec));
  if (on_device) must(cudaDeviceSynchronize());

  // A number of e4m3 has 4 bits: it is off by at most 1/16 of its size, or half the least step of the scale, 2^-9.
  double worst = 0;
  for (int r = 0; r < rows; ++r) {
    double squares = 0;
    for (int c = 0; c < columns; ++c) squares += pow(__bfloat162float(x[r * columns + c]), 2) / columns;
    for (int c = 0; c < columns; ++c) {
      const int i = r * columns + c;
      const double y = __bfloat162float(x[i]) / sqrt(squares + 1e-6) * gamma[c];
      const double of_block = ldexp(1, block_scale[r * groups + c / group].__x - 127);
      worst = fmax(worst, fabs(from_q[i] - y) / fmax(fabs(y) / 16, scale[r] / 1024));
      worst = fmax(worst, fabs(from_blocks[i] - y) / fmax(fabs(y) / 16, of_block / 1024));
    }
  }
  printf("the worst error is %.3f of what the format allows; a row's scale is %.5f, its first blocks' 2^%d and 2^%d\n",
         worst, scale[0], block_scale[0].__x - 127, block_scale[1].__x - 127);
  return worst < 1.001 ? 0 : 1;
}
