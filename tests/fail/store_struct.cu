// SPDX-License-Identifier: Apache-2.0
// The value does not convert to the element.
// expect: onepass: the value that reaches a store does not convert to its element
#include <onepass/onepass.cuh>

namespace op = onepass;

struct pair {
  float a, b;
};
struct both {
  __host__ __device__ pair operator()(float x) const { return {x, -x}; }
};

onepass_status_t run(const float *x, float *y) {
  return op::launch(op::load(x) | op::fn(both{}) | op::store(y), op::extent(8));
}
