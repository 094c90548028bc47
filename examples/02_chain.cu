// SPDX-License-Identifier: Apache-2.0
// Scale, bias, GELU, residual and clamp in one launch: two arrays are read, one is written, and what lies between never
// leaves the registers. Prints what the launch moves, and what one kernel per stage would; returns nonzero if an
// element is wrong.
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

// y = clamp(gelu(x * scale + bias) + r, -1, 6), for n elements.
static void chain(const float *x, const float *r, float *y, int64_t n, float scale, float bias, onepass_exec_t exec) {
  const auto pipeline = op::load(x) | op::multiply(scale) | op::add(bias) | op::gelu | op::add(op::load(r))
                        | op::clamp(-1, 6) | op::store(y);
  must(op::launch(pipeline, op::extent(n), exec));

  const onepass_traffic_t fused = op::traffic_of(pipeline, op::extent(n));
  const onepass_traffic_t unfused = op::unfused_traffic_of(pipeline, op::extent(n));
  printf("%d kernel, %lld bytes per element\n", fused.kernels,
         (long long)((fused.bytes_read + fused.bytes_written) / n));
  printf("one kernel per stage: %d kernels, %lld bytes per element\n", unfused.kernels,
         (long long)((unfused.bytes_read + unfused.bytes_written) / n));
}

int main() {
  enum { n = 1 << 20 };
  const float scale = 1.25f, bias = 0.5f;
  const size_t bytes = n * sizeof(float);
  float *x = (float *)malloc(bytes), *r = (float *)malloc(bytes), *y = (float *)malloc(bytes);
  if (x == NULL || r == NULL || y == NULL) return 1;
  for (int i = 0; i < n; ++i) {
    x[i] = (float)(i % 1999) * 0.01f - 10;  // -10 to 9.98
    r[i] = (float)(i % 13) * 0.5f - 3;
  }

  int devices = 0;
  onepass_exec_t exec = {};
  if (cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0) {
    float *on_device[3];  // x, r, y
    for (int i = 0; i < 3; ++i) must(cudaMalloc(&on_device[i], bytes));
    must(cudaMemcpy(on_device[0], x, bytes, cudaMemcpyHostToDevice));
    must(cudaMemcpy(on_device[1], r, bytes, cudaMemcpyHostToDevice));
    chain(on_device[0], on_device[1], on_device[2], n, scale, bias, exec);
    must(cudaMemcpy(y, on_device[2], bytes, cudaMemcpyDeviceToHost));  // waits for the launch
    for (int i = 0; i < 3; ++i) must(cudaFree(on_device[i]));
  } else {
    printf("there is no GPU: on the host\n");
    exec.where = ONEPASS_HOST;
    chain(x, r, y, n, scale, bias, exec);
  }

  double worst = 0;  // error, in units of 2^-24 of the values that went into the element
  for (int i = 0; i < n; ++i) {
    const double t = (double)x[i] * scale + bias, gelu = 0.5 * t * erfc(-t * sqrt(0.5));
    const double exact = fmin(fmax(gelu + r[i], -1), 6), unit = (1 + fabs(t) + fabs((double)r[i])) * 0x1p-24;
    const double error = fabs(y[i] - exact) / unit;
    if (!(error <= worst)) worst = error;
  }
  const int right = worst < 4;
  printf("largest error %.2f units of 2^-24: %s\n", worst, right ? "right" : "WRONG");

  free(x);
  free(r);
  free(y);
  return right ? 0 : 1;
}
