// SPDX-License-Identifier: Apache-2.0
// An exercise: bias, GELU and the sum of each row, the matrix kept too, fused into one kernel and split in two. The split
// form reads the matrix once more. The cast states that the sum is one of values as they are stored, so that both forms
// have the same sums, to the bit; without it the fused one would sum f32 values, with a GELU of more instructions. Which
// is faster shows on the GPU. Returns nonzero if an element is wrong.
#include <onepass/onepass.cuh>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

enum { rows = 2048, columns = 8192 };
static const int64_t n = (int64_t)rows * columns;

// The median of some launches in milliseconds.
template <class Launch>
static double time_of(const Launch &launch) {
  float times[9];
  cudaEvent_t start, stop;
  must(cudaEventCreate(&start));
  must(cudaEventCreate(&stop));
  for (float &t : times) {
    must(cudaEventRecord(start));
    launch();
    must(cudaEventRecord(stop));
    must(cudaEventSynchronize(stop));
    must(cudaEventElapsedTime(&t, start, stop));
  }
  qsort(times, 9, sizeof times[0], [](const void *a, const void *b) { return *(const float *)a < *(const float *)b ? -1 : 1; });
  must(cudaEventDestroy(start));
  must(cudaEventDestroy(stop));
  return times[4];
}

int main() {
  int devices = 0;
  const int on_device = cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
  const int64_t used = on_device ? rows : 32;  // few on the host
  onepass_exec_t exec = {};
  if (!on_device) {
    printf("there is no GPU: on the host\n");
    exec.where = ONEPASS_HOST;
  }
  auto *x = (__half *)memory(n * sizeof(__half), on_device), *bias = (__half *)memory(columns * sizeof(__half), on_device);
  auto *y = (__half *)memory(n * sizeof(__half), on_device), *z = (__half *)memory(n * sizeof(__half), on_device);
  auto *sums = (float *)memory(rows * sizeof(float), on_device), *split = (float *)memory(rows * sizeof(float), on_device);
  for (int64_t i = 0; i < used * columns; ++i) x[i] = __float2half((float)(i * 7919 % 4001 - 2000) / 1000);
  for (int c = 0; c < columns; ++c) bias[c] = __float2half((float)(c % 17 - 8) / 16);

  const auto biased = op::load(x) | op::add(op::per_column(bias)) | op::gelu | op::cast<__half>();
  const auto fused = biased | op::tee(op::store(y)) | op::reduce_rows(op::sum, sums);
  const auto matrix = biased | op::store(z);
  const auto row_sums = op::load((const __half *)z) | op::reduce_rows(op::sum, split);
  const onepass_extent_t extent = op::extent(used, columns);
  const auto in_one = [&] { must(op::launch(fused, extent, exec)); };
  const auto in_two = [&] {
    must(op::launch(matrix, extent, exec));
    must(op::launch(row_sums, extent, exec));
  };
  in_one();
  in_two();
  if (on_device) must(cudaDeviceSynchronize());

  double worst = 0;
  for (int64_t r = 0; r < used; r += 16) {
    double sum = 0, size = 0;
    for (int64_t c = 0; c < columns; ++c) {
      const double t = (double)__half2float(x[r * columns + c]) + __half2float(bias[c]), gelu = 0.5 * t * erfc(-t * sqrt(0.5));
      sum += gelu;
      size += fabs(gelu);
      worst = fmax(worst, fabs(__half2float(y[r * columns + c]) - gelu) / (0x1p-10 * fmax(fabs(gelu), 0x1p-14)));
      if (memcmp(&y[r * columns + c], &z[r * columns + c], sizeof *y) != 0) worst = INFINITY;
    }
    worst = fmax(worst, fabs(sums[r] - sum) / (0x1p-11 * size));  // of rounded values
    if (sums[r] != split[r]) worst = INFINITY;
  }
  printf("the worst error is %.2f of what is allowed\n", worst);
  const onepass_traffic_t one = op::traffic_of(fused, extent), two = op::traffic_of(row_sums, extent);
  printf("fused: 1 kernel, %.1f bytes per element; split: 2 kernels, %.1f bytes\n",
         (double)(one.bytes_read + one.bytes_written) / (double)(used * columns),
         (double)(one.bytes_read + one.bytes_written + two.bytes_read) / (double)(used * columns));
  if (on_device) printf("fused: %.3f ms; split: %.3f ms\n", time_of(in_one), time_of(in_two));
  return worst < 1.01 ? 0 : 1;
}
