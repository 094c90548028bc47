// SPDX-License-Identifier: Apache-2.0
// The functor has no device body.
// expect: calling a __host__ function from a __host__ __device__ function is not allowed
#include <onepass/onepass.cuh>

namespace op = onepass;

struct halve {
  float operator()(float x) const { return 0.5f * x; }
};

onepass_status_t run(const float *x, float *y) {
  return op::launch(op::load(x) | op::fn(halve{}) | op::store(y), op::extent(8));
}
