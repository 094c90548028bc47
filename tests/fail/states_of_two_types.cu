// SPDX-License-Identifier: Apache-2.0
// A statistic whose identity is an int and whose other states are floats.
// expect: onepass: identity, lift and combine of a statistic return one type, its state
#include <onepass/onepass.cuh>

namespace op = onepass;

struct cut {
  template <class T>
  __host__ __device__ int identity() const {
    return 0;
  }
  __host__ __device__ float lift(float x, const op::coordinate &) const { return x; }
  __host__ __device__ float combine(float a, float b) const { return a + b; }
  __host__ __device__ float finish(float s, int64_t) const { return s; }
};

onepass_status_t run(const float *x, float *out) {
  return op::launch(op::load(x) | op::reduce(cut{}, out), op::extent(8));
}
