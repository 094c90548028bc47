// SPDX-License-Identifier: Apache-2.0
// A pointer to a function as a functor.
// expect: onepass: fn takes a functor
#include <onepass/onepass.cuh>

namespace op = onepass;

__host__ __device__ float half_of(float x) { return 0.5f * x; }

onepass_status_t run(const float *x, float *y) {
  return op::launch(op::load(x) | op::fn(&half_of) | op::store(y), op::extent(8));
}
