// SPDX-License-Identifier: Apache-2.0
// The pieces of a launch inside a kernel of one's own, here RMS norm with a block per row. The values come from a
// source that the kernel does not know, and go through stages that it does not know: residual, gamma and GELU are added
// where it is launched. Without a GPU the same pieces run in a loop on the host. Returns nonzero if a result is wrong.
#include <onepass/onepass.cuh>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

namespace op = onepass;

static void must(cudaError_t error) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(error));
  exit(1);
}

enum { lanes = 4 };  // neighbouring columns that a thread handles at once: 16 bytes of float

struct shape {
  int64_t rows, columns;
};

// The sum of squares over the groups of a row that begin at columns first, first + step, ...
template <class Source>
__host__ __device__ float squares_of(const Source &source, shape s, int64_t row, int64_t first, int64_t step) {
  float squares = 0;
  for (int64_t column = first; column < s.columns; column += step) {
    const auto at = op::place<lanes>(row, column, s.rows, s.columns);
    const auto v = source.template get<lanes>(at);
    for (int i = 0; i < lanes; ++i)
      if (at.has(i)) squares += v[i] * v[i];  // lanes past the end of the row hold nothing
  }
  return squares;
}

// The same groups once more: normalized, through the stages, and stored.
template <class Source, class Stages>
__host__ __device__ void finish_row(const Source &source, const Stages &stages, float *y, shape s, int64_t row,
                                    int64_t first, int64_t step, float squares) {
  const float factor = 1 / sqrtf(squares / (float)s.columns + 1e-5f);
  for (int64_t column = first; column < s.columns; column += step) {
    const auto at = op::place<lanes>(row, column, s.rows, s.columns);
    auto v = source.template get<lanes>(at);
    for (int i = 0; i < lanes; ++i) v[i] *= factor;
    op::store(y).put(stages.template apply<lanes>(v, at), at);  // writes only the lanes that exist
  }
}

template <class Source, class Stages>
__global__ void rms_norm(Source source, Stages stages, float *y, shape s) {
  __shared__ op::block_storage<float> storage;
  const int64_t first = threadIdx.x * lanes, step = blockDim.x * lanes;
  const float own = squares_of(source, s, blockIdx.x, first, step);
  const float squares = op::block_reduce(op::sum, own, storage);  // every thread gets it, with the same bits
  finish_row(source, stages, y, s, blockIdx.x, first, step, squares);
}

int main() {
  const shape s = {100, 1001};
  const size_t size = (size_t)(s.rows * s.columns), bytes = size * sizeof(float);
  float *x = (float *)malloc(bytes), *r = (float *)malloc(bytes), *y = (float *)malloc(bytes), gamma[1001];
  if (x == NULL || r == NULL || y == NULL) return 1;
  for (size_t i = 0; i < size; ++i) x[i] = (float)(i * 7919 % 10007) * 0.0003f - 1.5f;
  for (size_t i = 0; i < size; ++i) r[i] = (float)(i * 104729 % 1009) * 0.001f - 0.5f;
  for (int i = 0; i < s.columns; ++i) gamma[i] = 0.5f + 0.001f * (float)i;

  int devices = 0;
  if (cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0) {
    float *on_device[4];  // x, r, y, gamma
    for (int i = 0; i < 3; ++i) must(cudaMalloc(&on_device[i], bytes));
    must(cudaMalloc(&on_device[3], sizeof gamma));
    must(cudaMemcpy(on_device[0], x, bytes, cudaMemcpyHostToDevice));
    must(cudaMemcpy(on_device[1], r, bytes, cudaMemcpyHostToDevice));
    must(cudaMemcpy(on_device[3], gamma, sizeof gamma, cudaMemcpyHostToDevice));
    const auto source = op::load((const float *)on_device[0]) | op::add(op::load((const float *)on_device[1]));
    const auto stages = op::multiply(op::per_column((const float *)on_device[3])) | op::gelu;
    rms_norm<<<(unsigned)s.rows, 128>>>(source, stages, on_device[2], s);
    must(cudaGetLastError());
    must(cudaMemcpy(y, on_device[2], bytes, cudaMemcpyDeviceToHost));  // waits for the kernel
    for (int i = 0; i < 4; ++i) must(cudaFree(on_device[i]));
  } else {
    printf("there is no GPU: on the host\n");
    const auto source = op::load((const float *)x) | op::add(op::load((const float *)r));
    const auto stages = op::multiply(op::per_column((const float *)gamma)) | op::gelu;
    for (int64_t row = 0; row < s.rows; ++row)
      finish_row(source, stages, y, s, row, 0, lanes, squares_of(source, s, row, 0, lanes));
  }

  double worst = 0;
  for (int64_t row = 0; row < s.rows; ++row) {
    const float *xs = x + row * s.columns, *rs = r + row * s.columns, *ys = y + row * s.columns;
    double squares = 0;
    for (int64_t i = 0; i < s.columns; ++i) squares += ((double)xs[i] + rs[i]) * ((double)xs[i] + rs[i]);
    for (int64_t i = 0; i < s.columns; ++i) {
      const double t = ((double)xs[i] + rs[i]) / sqrt(squares / (double)s.columns + 1e-5) * gamma[i];
      const double error = fabs(ys[i] - 0.5 * t * erfc(-t * sqrt(0.5)));
      if (!(error <= worst)) worst = error;
    }
  }
  printf("RMS norm with residual, gamma and GELU: largest error %.1e, %s\n", worst, worst < 1e-5 ? "right" : "WRONG");
  free(x);
  free(r);
  free(y);
  return worst < 1e-5 ? 0 : 1;
}
