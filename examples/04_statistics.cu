// SPDX-License-Identifier: Apache-2.0
// Sum, maximum, mean, variance, the place of the greatest value and a statistic of one's own, all in one pass over the
// array. Prints each beside its float64 value; returns nonzero if one is wrong.
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

// The share of the values that lie above a threshold. A statistic is four functions; `identity` is told the type of the
// values, `finish` their number.
struct share_above {
  float threshold;

  template <class T>
  __host__ __device__ int64_t identity() const { return 0; }
  __host__ __device__ int64_t lift(float x, const op::coordinate &) const { return x > threshold; }
  __host__ __device__ int64_t combine(int64_t a, int64_t b) const { return a + b; }
  __host__ __device__ double finish(int64_t above, int64_t n) const { return double(above) / double(n); }
};

// One result of each statistic, two of some.
struct results {
  double sum;
  float maximum, mean, variance, greatest;
  int64_t where;
  double share;
};

static auto statistics_of(const float *x, results *out) {
  return op::load(x)
         | op::reduce(op::several(op::sum, op::maximum, op::mean_variance, op::argmax, share_above{1.5f}),
                      &out->sum, &out->maximum, &out->mean, &out->variance, &out->greatest, &out->where, &out->share);
}

static int report(const char *name, double result, double exact, double tolerance) {
  const int right = fabs(result - exact) <= tolerance * fabs(exact);
  printf("  %-9s %-14.9g in float64 %-18.12g %s\n", name, result, exact, right ? "right" : "WRONG");
  return right;
}

int main() {
  const int n = 1000003;
  const size_t bytes = n * sizeof(float);
  float *x = (float *)malloc(bytes);
  if (x == NULL) return 1;
  for (int i = 0; i < n; ++i) x[i] = (float)((i * 7919LL) % 10007) * 0.0003f;

  int devices = 0;
  results got = {};
  onepass_exec_t exec = {};
  if (cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0) {
    float *x_on_device;
    results *out;
    must(cudaMalloc(&x_on_device, bytes));
    must(cudaMalloc(&out, sizeof *out));
    must(cudaMemcpy(x_on_device, x, bytes, cudaMemcpyHostToDevice));
    const auto pipeline = statistics_of(x_on_device, out);
    exec.workspace_bytes = op::workspace_bytes(pipeline, op::extent(n));
    must(cudaMalloc(&exec.workspace, exec.workspace_bytes));
    must(cudaMemset(exec.workspace, 0, exec.workspace_bytes));  // once; every launch leaves it ready for the next
    must(op::launch(pipeline, op::extent(n), exec));
    must(cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost));  // waits for the launch
    must(cudaFree(exec.workspace));
    must(cudaFree(out));
    must(cudaFree(x_on_device));
    printf("one pass over %d floats, on the GPU\n", n);
  } else {
    exec.where = ONEPASS_HOST;
    must(op::launch(statistics_of(x, &got), op::extent(n), exec));
    printf("one pass over %d floats, on the host, as there is no GPU\n", n);
  }

  double sum = 0, squares = 0, above = 0;
  int64_t where = 0;
  for (int i = 0; i < n; ++i) {
    sum += x[i];
    above += x[i] > 1.5f;
    if (x[i] > x[where]) where = i;
  }
  for (int i = 0; i < n; ++i) squares += (x[i] - sum / n) * (x[i] - sum / n);

  int right = report("sum", got.sum, sum, 1e-5);
  right &= report("maximum", got.maximum, x[where], 0);
  right &= report("mean", got.mean, sum / n, 1e-5);
  right &= report("variance", got.variance, squares / n, 1e-5);
  right &= report("greatest", got.greatest, x[where], 0);
  right &= report("where", (double)got.where, (double)where, 0);
  right &= report("share", got.share, above / n, 0);
  free(x);
  return right ? 0 : 1;
}
