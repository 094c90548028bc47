// SPDX-License-Identifier: Apache-2.0
// Parts of one's own: an op, the same with a faster form for 16-bit results, and a source. Each is a small struct; it
// stands in a pipeline like those of the library, and in the same one kernel. (A statistic is in 04_statistics.cu.)
// Adds noise to an array, compresses the sum, and stores it as f16. Returns nonzero if an element is wrong.
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

// An op: a call operator, of the value and of the operands that fn is given.
struct mix {
  __host__ __device__ float operator()(float x, float other, float share) const { return x + share * (other - x); }
};

// With `narrow`, which is called instead where a 16-bit float is stored behind it, and is exact enough for that.
struct softsign {
  __host__ __device__ float operator()(float x) const { return x / (1 + fabsf(x)); }
  __host__ __device__ float narrow(float x) const {
#ifdef __CUDA_ARCH__
    return __fdividef(x, 1 + fabsf(x));
#else
    return (*this)(x);
#endif
  }
};

// A source: the values of the N columns that begin at `at`. This one reads no memory: noise in [0, 1), a function of
// the place alone.
struct noise {
  static constexpr op::kind part = op::kind::source;
  uint32_t seed;

  template <int N, op::access A>
  __host__ __device__ op::pack<float, N> get(const op::position<N, A> &at) const {
    op::pack<float, N> v;
    for (int i = 0; i < N; ++i) {
      uint32_t bits = ((uint32_t)(at.index + i) ^ seed) * 0x9e3779b1u;
      bits = (bits ^ (bits >> 15)) * 0x85ebca77u;
      v[i] = (float)((bits ^ (bits >> 13)) >> 8) * 0x1p-24f;
    }
    return v;
  }
};

static onepass_status_t compress(const float *x, __half *y, int64_t n, onepass_exec_t exec) {
  const auto pipeline = op::load(x) | op::fn(mix{}, noise{7}, 0.25f) | op::fn(softsign{}) | op::store(y);
  return op::launch(pipeline, op::extent(n), exec);
}

int main() {
  enum { n = 100003 };
  static float x[n];
  static __half y[n];
  for (int i = 0; i < n; ++i) x[i] = (float)(i % 1999) * 0.01f - 10;

  int devices = 0;
  onepass_exec_t exec = {};
  if (cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0) {
    float *x_on_device;
    __half *y_on_device;
    must(cudaMalloc(&x_on_device, sizeof x));
    must(cudaMalloc(&y_on_device, sizeof y));
    must(cudaMemcpy(x_on_device, x, sizeof x, cudaMemcpyHostToDevice));
    must(compress(x_on_device, y_on_device, n, exec));
    must(cudaMemcpy(y, y_on_device, sizeof y, cudaMemcpyDeviceToHost));  // waits for the launch
    must(cudaFree(y_on_device));
    must(cudaFree(x_on_device));
  } else {
    printf("there is no GPU: on the host\n");
    exec.where = ONEPASS_HOST;
    must(compress(x, y, n, exec));
  }

  double worst = 0;  // in units of half an ulp of the result
  for (int i = 0; i < n; ++i) {
    const double other = noise{7}.get(op::place<1>(0, i, 1, n))[0], t = x[i] + 0.25 * (other - x[i]);
    const double exact = t / (1 + fabs(t)), unit = ldexp(fmax(fabs(exact), 0x1p-14), -11);
    const double error = fabs((double)__half2float(y[i]) - exact) / unit;
    if (!(error <= worst)) worst = error;
  }
  printf("largest error %.2f of half an ulp of f16: %s\n", worst, worst < 1.1 ? "right" : "WRONG");
  return worst < 1.1 ? 0 : 1;
}
