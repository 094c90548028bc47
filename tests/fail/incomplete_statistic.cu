// SPDX-License-Identifier: Apache-2.0
// A statistic without combine.
// expect: onepass: reduce begins with a statistic of the value that reaches it, such as sum
#include <onepass/onepass.cuh>

namespace op = onepass;

struct latest {
  template <class T>
  __host__ __device__ T identity() const {
    return T{};
  }
  template <class T>
  __host__ __device__ T lift(T x, op::coordinate) const {
    return x;
  }
};

onepass_status_t run(const float *x, float *y) {
  return op::launch(op::load(x) | op::reduce(latest{}, y), op::extent(8));
}
