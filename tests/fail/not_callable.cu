// SPDX-License-Identifier: Apache-2.0
// The functor takes a pointer, and a float reaches it.
// expect: onepass: a stage's functor cannot be called with the value that reaches it and the stage's operands
#include <onepass/onepass.cuh>

namespace op = onepass;

struct dereference {
  __host__ __device__ float operator()(const float *p) const { return *p; }
};

onepass_status_t run(const float *x, float *y) {
  return op::launch(op::load(x) | op::fn(dereference{}) | op::relu | op::store(y), op::extent(8));
}
