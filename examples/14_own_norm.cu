// SPDX-License-Identifier: Apache-2.0
// Norms of the reader's own: by_row takes a statistic of the row and a functor of a value and its results. Min-max to
// [0, 1], and the distance from the row's mean in mean absolute values, whose statistic is the reader's too. Returns
// nonzero if an element is wrong.
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

struct between {
  __host__ __device__ float operator()(float x, float least, float greatest) const {
    return (x - least) / (greatest - least);
  }
};

// The sum of absolute values.
struct mean_size {
  template <class T>
  __host__ __device__ float identity() const { return 0; }
  __host__ __device__ float lift(float x, const op::coordinate &) const { return fabsf(x); }
  __host__ __device__ float combine(float a, float b) const { return a + b; }
  __host__ __device__ float finish(float sum, int64_t n) const { return sum / (float)n; }
};
struct in_sizes {
  __host__ __device__ float operator()(float x, float mean, float size) const { return (x - mean) / size; }
};

enum { rows = 100, columns = 777, n = rows * columns };

static void run(const float *x, float *y, float *z, onepass_exec_t exec) {
  const auto extent = op::extent(rows, columns);
  const auto min_max = op::by_row(op::several(op::minimum, op::maximum), between{});
  must(op::launch(op::load(x) | min_max | op::store(y), extent, exec));
  must(op::launch(op::load(x) | op::by_row(op::several(op::mean, mean_size{}), in_sizes{}) | op::store(z), extent, exec));
}

int main() {
  const size_t bytes = n * sizeof(float);
  float *x = (float *)malloc(bytes), *y = (float *)malloc(bytes), *z = (float *)malloc(bytes);
  if (x == NULL || y == NULL || z == NULL) return 1;
  for (int i = 0; i < n; ++i) x[i] = (float)(i * 7 % 1009) * 0.01f - 3;

  int devices = 0;
  onepass_exec_t exec = {};
  if (cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0) {
    float *d[3];
    for (int i = 0; i < 3; ++i) must(cudaMalloc(&d[i], bytes));
    must(cudaMemcpy(d[0], x, bytes, cudaMemcpyHostToDevice));
    run(d[0], d[1], d[2], exec);
    must(cudaMemcpy(y, d[1], bytes, cudaMemcpyDeviceToHost));
    must(cudaMemcpy(z, d[2], bytes, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 3; ++i) must(cudaFree(d[i]));
  } else {
    printf("there is no GPU: on the host\n");
    exec.where = ONEPASS_HOST;
    run(x, y, z, exec);
  }

  double worst = 0;
  for (int row = 0; row < rows; ++row) {
    const float *in = x + row * columns;
    double least = INFINITY, greatest = -INFINITY, mean = 0, size = 0;
    for (int c = 0; c < columns; ++c) {
      least = fmin(least, in[c]);
      greatest = fmax(greatest, in[c]);
      mean += in[c] / (double)columns;
      size += fabs(in[c]) / (double)columns;
    }
    for (int c = 0; c < columns; ++c) {
      worst = fmax(worst, fabs(y[row * columns + c] - (in[c] - least) / (greatest - least)));
      worst = fmax(worst, fabs(z[row * columns + c] - (in[c] - mean) / size));
    }
  }
  printf("the worst error is %.1e\n", worst);
  free(x);
  free(y);
  free(z);
  return worst < 1e-5 ? 0 : 1;
}
