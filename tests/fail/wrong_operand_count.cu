// SPDX-License-Identifier: Apache-2.0
// The functor of two values gets one.
// expect: onepass: a stage's functor cannot be called with the value that reaches it and the stage's operands
#include <onepass/onepass.cuh>

namespace op = onepass;

struct blend {
  __host__ __device__ float operator()(float x, float other) const { return 0.5f * (x + other); }
};

onepass_status_t run(const float *x, float *sum) {
  return op::launch(op::load(x) | op::fn(blend{}) | op::reduce(op::sum, sum), op::extent(8));
}
