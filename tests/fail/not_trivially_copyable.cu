// SPDX-License-Identifier: Apache-2.0
// The functor travels to the device as bytes.
// expect: onepass: a pipeline holds a functor that is not trivially copyable
#include <onepass/onepass.cuh>

namespace op = onepass;

struct offset {
  float by;
  __host__ __device__ explicit offset(float b) : by(b) {}
  __host__ __device__ offset(const offset &other) : by(other.by) {}
  __host__ __device__ float operator()(float x) const { return x + by; }
};

onepass_status_t run(const float *x, float *y) {
  return op::launch(op::load(x) | op::fn(offset{1.0f}) | op::store(y), op::extent(8));
}
