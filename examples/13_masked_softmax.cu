// SPDX-License-Identifier: Apache-2.0
// A softmax over scaled scores under a causal mask, which is a comparison of coordinates, and a mask of bytes in memory:
// masks are stages in front of the softmax, not variants of it. Returns nonzero if an element is wrong.
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

enum { rows = 257, columns = 257, n = rows * columns };

// What a row may look at: the columns up to its own.
struct causal {
  __host__ __device__ float operator()(float score, int64_t row, int64_t column) const {
    return column <= row ? score : -INFINITY;
  }
};

static void attend(const float *scores, const bool *allowed, float *p, float *lse, onepass_exec_t exec) {
  const auto pipeline = op::load(scores) | op::multiply(0.125f) | op::fn(causal{}, op::row(), op::column())
                        | op::where(op::load(allowed), -INFINITY) | op::softmax(op::keep(lse)) | op::store(p);
  must(op::launch(pipeline, op::extent(rows, columns), exec));
}

int main() {
  float *scores = (float *)malloc(n * sizeof(float)), *p = (float *)malloc(n * sizeof(float));
  float *lse = (float *)malloc(rows * sizeof(float));
  bool *allowed = (bool *)malloc(n);
  if (scores == NULL || p == NULL || lse == NULL || allowed == NULL) return 1;
  for (int i = 0; i < n; ++i) {
    scores[i] = (float)(i % 97) * 0.5f - 20;
    allowed[i] = i % 5 != 3 || i % (columns + 1) == 0;  // of itself at least
  }

  int devices = 0;
  onepass_exec_t exec = {};
  if (cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0) {
    float *d_scores, *d_p, *d_lse;
    bool *d_allowed;
    must(cudaMalloc(&d_scores, n * sizeof(float)));
    must(cudaMalloc(&d_p, n * sizeof(float)));
    must(cudaMalloc(&d_lse, rows * sizeof(float)));
    must(cudaMalloc(&d_allowed, n));
    must(cudaMemcpy(d_scores, scores, n * sizeof(float), cudaMemcpyHostToDevice));
    must(cudaMemcpy(d_allowed, allowed, n, cudaMemcpyHostToDevice));
    attend(d_scores, d_allowed, d_p, d_lse, exec);
    must(cudaMemcpy(p, d_p, n * sizeof(float), cudaMemcpyDeviceToHost));
    must(cudaMemcpy(lse, d_lse, rows * sizeof(float), cudaMemcpyDeviceToHost));
    must(cudaFree(d_scores));
    must(cudaFree(d_p));
    must(cudaFree(d_lse));
    must(cudaFree(d_allowed));
  } else {
    printf("there is no GPU: on the host\n");
    exec.where = ONEPASS_HOST;
    attend(scores, allowed, p, lse, exec);
  }

  double worst = 0;
  for (int row = 0; row < rows; ++row) {
    double sum = 0;
    for (int c = 0; c <= row; ++c)
      if (allowed[row * columns + c]) sum += exp(scores[row * columns + c] * 0.125);
    for (int c = 0; c < columns; ++c) {
      const int i = row * columns + c;
      const double exact = c <= row && allowed[i] ? exp(scores[i] * 0.125) / sum : 0;
      worst = fmax(worst, fabs(p[i] - exact));
    }
    worst = fmax(worst, fabs(lse[row] - log(sum)) / (1 + fabs(log(sum))));
  }
  printf("the worst error is %.1e\n", worst);
  free(scores);
  free(p);
  free(lse);
  free(allowed);
  return worst < 1e-6 ? 0 : 1;
}
