// SPDX-License-Identifier: Apache-2.0
// The functor of an operand's own stage cannot be called.
// expect: onepass: a stage's functor cannot be called with the value that reaches it and the stage's operands
#include <onepass/onepass.cuh>

namespace op = onepass;

struct dereference {
  __host__ __device__ float operator()(const float *p) const { return *p; }
};

onepass_status_t run(const float *x, const float *r, float *y) {
  return op::launch(op::load(x) | op::add(op::load(r) | op::fn(dereference{}) | op::cast<float>()) | op::store(y),
                    op::extent(8));
}
