// SPDX-License-Identifier: Apache-2.0
// Views in the place of pointers: mdspans of columns and of a part of a larger matrix, and a span. A view knows its
// shape, so that a launch that would reach beyond it is refused. Transposes a matrix, multiplies it by a scalar in
// memory, adds a bias, and stores the result into a window of a larger matrix. Returns nonzero if a result is wrong.
#include <onepass/onepass.cuh>

#include <cuda/std/array>
#include <cuda/std/mdspan>
#include <cuda/std/span>

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

enum { rows = 100, columns = 37, pitch = 64, padded = rows * pitch };

using shape = cuda::std::dextents<int64_t, 2>;
using by_columns = cuda::std::mdspan<const float, shape, cuda::std::layout_left>;  // element (r, c) at p[c * rows + r]
using window = cuda::std::mdspan<float, shape, cuda::std::layout_stride>;
using vector = cuda::std::span<const float>;

static onepass_status_t run(by_columns x, vector bias, const float *scale, window y, onepass_extent_t extent,
                            onepass_exec_t exec) {
  const auto pipeline = op::load(x) | op::multiply(op::value_at(scale)) | op::add(op::per_column(bias)) | op::store(y);
  return op::launch(pipeline, extent, exec);
}

int main() {
  static float x[rows * columns], bias[columns], y[padded];
  const float scale = 0.5f;
  for (int i = 0; i < rows * columns; ++i) x[i] = (float)(i * 7919 % 10007) * 0.001f;
  for (int i = 0; i < columns; ++i) bias[i] = (float)i;

  int devices = 0;
  onepass_exec_t exec = {};
  float *in_x = x, *in_bias = bias, *out = y;
  const float *in_scale = &scale;
  const int on_device = cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
  if (on_device) {
    float *scale_on_device;
    must(cudaMalloc(&in_x, sizeof x));
    must(cudaMalloc(&in_bias, sizeof bias));
    must(cudaMalloc(&scale_on_device, sizeof scale));
    must(cudaMalloc(&out, sizeof y));
    must(cudaMemcpy(in_x, x, sizeof x, cudaMemcpyHostToDevice));
    must(cudaMemcpy(in_bias, bias, sizeof bias, cudaMemcpyHostToDevice));
    must(cudaMemcpy(scale_on_device, &scale, sizeof scale, cudaMemcpyHostToDevice));
    must(cudaMemset(out, 0, sizeof y));
    in_scale = scale_on_device;
  } else {
    printf("there is no GPU: on the host\n");
    exec.where = ONEPASS_HOST;
  }

  // Views over the memory: what lies where is said once, here.
  const shape matrix(rows, columns);
  const by_columns from(in_x, matrix);
  const window to(out, {matrix, cuda::std::array<int64_t, 2>{pitch, 1}});
  const vector along(in_bias, columns);
  must(run(from, along, in_scale, to, op::extent(from), exec));

  // One column more than the views have: nothing is launched.
  const onepass_status_t refused = run(from, along, in_scale, to, op::extent(rows, columns + 1), exec);
  printf("one column more: %s\n", onepass_status_string(refused));

  if (on_device) {
    must(cudaMemcpy(y, out, sizeof y, cudaMemcpyDeviceToHost));  // waits for the launch
    must(cudaFree(in_x));
    must(cudaFree(in_bias));
    must(cudaFree((void *)in_scale));
    must(cudaFree(out));
  }
  int wrong = refused != ONEPASS_ERROR_SIZE;
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < pitch; ++c) {
      const double expected = c < columns ? (double)x[c * rows + r] * scale + bias[c] : 0;
      wrong += fabs(y[r * pitch + c] - expected) > 1e-5;
    }
  printf("%d x %d, transposed, scaled and moved into a matrix of %d columns: %s\n", rows, columns, pitch,
         wrong == 0 ? "right" : "WRONG");
  return wrong != 0;
}
