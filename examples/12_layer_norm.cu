// SPDX-License-Identifier: Apache-2.0
// Residual, LayerNorm and GELU in one launch: every matrix is touched once. The sum with the residual is kept for the
// next layer, the mean and the reciprocal deviation of each row for a backward pass. Returns nonzero if an element is
// wrong.
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

enum { rows = 300, columns = 1000, n = rows * columns };

// In device memory, or in host memory for a host launch.
typedef struct layer {
  float *x, *residual, *y;  // rows x columns; the residual is replaced by the sum
  float *gamma, *beta;      // columns
  float *mean, *rstd;       // rows
} layer;

static void run(layer l, onepass_exec_t exec) {
  const auto pipeline = op::load(l.x) | op::add(op::load(l.residual)) | op::tee(op::store(l.residual))
                        | op::layer_norm(l.gamma, l.beta, 1e-5, op::keep(l.mean, l.rstd)) | op::gelu | op::store(l.y);
  must(op::launch(pipeline, op::extent(rows, columns), exec));

  const onepass_traffic_t fused = op::traffic_of(pipeline, op::extent(rows, columns));
  const onepass_traffic_t unfused = op::unfused_traffic_of(pipeline, op::extent(rows, columns));
  printf("%d kernel, %.1f bytes per element; one kernel per stage: %d kernels, %.1f bytes\n", fused.kernels,
         (double)(fused.bytes_read + fused.bytes_written) / n, unfused.kernels,
         (double)(unfused.bytes_read + unfused.bytes_written) / n);
}

int main() {
  // x, residual, y, gamma, beta, mean, rstd
  const size_t counts[7] = {n, n, n, columns, columns, rows, rows};
  float *host[7], *sum = (float *)malloc(n * sizeof(float));
  for (int i = 0; i < 7; ++i) {
    host[i] = (float *)malloc(counts[i] * sizeof(float));
    if (host[i] == NULL || sum == NULL) return 1;
    for (size_t k = 0; k < counts[i]; ++k) host[i][k] = (float)((k * 37 + (size_t)i * 11) % 101) * 0.04f - 2;
  }
  for (int k = 0; k < n; ++k) sum[k] = host[0][k] + host[1][k];

  int devices = 0;
  onepass_exec_t exec = {};
  if (cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0) {
    float *d[7];
    for (int i = 0; i < 7; ++i) {
      must(cudaMalloc(&d[i], counts[i] * sizeof(float)));
      must(cudaMemcpy(d[i], host[i], counts[i] * sizeof(float), cudaMemcpyHostToDevice));
    }
    run(layer{d[0], d[1], d[2], d[3], d[4], d[5], d[6]}, exec);
    for (int i = 0; i < 7; ++i) {
      must(cudaMemcpy(host[i], d[i], counts[i] * sizeof(float), cudaMemcpyDeviceToHost));
      must(cudaFree(d[i]));
    }
  } else {
    printf("there is no GPU: on the host\n");
    exec.where = ONEPASS_HOST;
    run(layer{host[0], host[1], host[2], host[3], host[4], host[5], host[6]}, exec);
  }

  double worst = 0;
  for (int row = 0; row < rows; ++row) {
    const float *of_row = sum + row * columns;
    double mean = 0, variance = 0;
    for (int c = 0; c < columns; ++c) mean += of_row[c] / (double)columns;
    for (int c = 0; c < columns; ++c) variance += (of_row[c] - mean) * (of_row[c] - mean) / columns;
    const double rstd = 1 / sqrt(variance + 1e-5);
    for (int c = 0; c < columns; ++c) {
      const double t = (of_row[c] - mean) * rstd * host[3][c] + host[4][c], gelu = 0.5 * t * erfc(-t * sqrt(0.5));
      worst = fmax(worst, fabs(host[2][row * columns + c] - gelu) / (1 + fabs(t)));
      worst = fmax(worst, fabs((double)host[1][row * columns + c] - of_row[c]));
    }
    worst = fmax(worst, fmax(fabs(host[5][row] - mean), fabs(host[6][row] - rstd)));
  }
  printf("the worst error is %.1e\n", worst);
  for (int i = 0; i < 7; ++i) free(host[i]);
  free(sum);
  return worst < 2e-6 ? 0 : 1;
}
