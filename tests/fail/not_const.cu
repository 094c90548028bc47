// SPDX-License-Identifier: Apache-2.0
// The functor counts its calls, and a stage is constant.
// expect: onepass: a stage's functor cannot be called with the value that reaches it and the stage's operands
#include <onepass/onepass.cuh>

namespace op = onepass;

struct counting {
  int calls = 0;
  __host__ __device__ float operator()(float x) { return x + float(++calls); }
};

onepass_status_t run(const float *x, float *y) {
  return op::launch(op::load(x) | op::fn(counting{}) | op::store(y), op::extent(8));
}
