// SPDX-License-Identifier: Apache-2.0
// Cross-entropy of logits and labels, forward and backward: the loss and log_sum_exp of each row from one read of the
// logits, and from these the gradient, in place, by one more. Rows of the label -100 are left out; the last columns are
// padding of the vocabulary, which nothing touches. Returns nonzero if a result is wrong.
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

enum { rows = 64, vocabulary = 5003, pitch = 5008 };

// The gradient of the sum of losses: softmax(x) - (column == label), 0 for a row that is left out.
struct gradient {
  __host__ __device__ float operator()(float x, float lse, int label, int64_t column) const {
    return label == -100 ? 0.0f : expf(x - lse) - (column == label ? 1.0f : 0.0f);
  }
};

int main() {
  int devices = 0;
  const int on_device = cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
  onepass_exec_t exec = {};
  if (!on_device) {
    printf("there is no GPU: on the host\n");
    exec.where = ONEPASS_HOST;
  }
  auto *logits = (float *)memory(rows * pitch * sizeof(float), on_device);
  auto *was = (float *)malloc(rows * pitch * sizeof(float));
  auto *labels = (int *)memory(rows * sizeof(int), on_device);
  auto *loss = (float *)memory(rows * sizeof(float), on_device), *lse = (float *)memory(rows * sizeof(float), on_device);
  if (was == NULL) return 1;
  for (int i = 0; i < rows * pitch; ++i) {
    was[i] = (float)(i * 7919LL % 2003) / 100 - 10;
    logits[i] = i % pitch < vocabulary ? was[i] : NAN;
  }
  for (int r = 0; r < rows; ++r) labels[r] = r % 5 == 4 ? -100 : r * 77 % vocabulary;

  const auto forward = op::load((const float *)logits, pitch) | op::cross_entropy(labels, loss, lse);
  const auto backward = op::load((const float *)logits, pitch)
                        | op::fn(gradient{}, op::per_row((const float *)lse), op::per_row((const int *)labels), op::column())
                        | op::store(logits, pitch);
  must(op::launch(forward, op::extent(rows, vocabulary), exec));
  must(op::launch(backward, op::extent(rows, vocabulary), exec));
  if (on_device) must(cudaDeviceSynchronize());

  double worst = 0, mean = 0;
  int counted = 0;
  for (int r = 0; r < rows; ++r) {
    const float *x = was + r * pitch;
    double sum = 0;
    for (int c = 0; c < vocabulary; ++c) sum += exp((double)x[c]);
    const double exact = labels[r] == -100 ? 0 : log(sum) - x[labels[r]];
    worst = fmax(worst, fmax(fabs(loss[r] - exact), fabs(lse[r] - log(sum))));
    for (int c = 0; c < vocabulary; ++c) {
      const double slope = labels[r] == -100 ? 0 : exp(x[c]) / sum - (c == labels[r]);
      worst = fmax(worst, fabs(logits[r * pitch + c] - slope));
    }
    mean += loss[r];
    counted += labels[r] != -100;
  }
  printf("the mean loss of %d rows is %.6f, the worst error of a loss or a gradient %.1e\n", counted, mean / counted, worst);
  return worst < 1e-5 ? 0 : 1;
}
