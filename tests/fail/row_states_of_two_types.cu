// SPDX-License-Identifier: Apache-2.0
// The state of nothing is a double, that of a value a float.
// expect: onepass: identity, lift and combine of a statistic return one type, its state
#include <onepass/onepass.cuh>

namespace op = onepass;

struct total {
  template <class T>
  __host__ __device__ double identity() const {
    return 0;
  }
  template <class T>
  __host__ __device__ T lift(T x, op::coordinate) const {
    return x;
  }
  __host__ __device__ double combine(double a, double b) const { return a + b; }
  __host__ __device__ double finish(double sum, op::int64_t) const { return sum; }
};
struct over {
  __host__ __device__ double operator()(float x, double sum) const { return x / sum; }
};

onepass_status_t run(const float *x, float *y) {
  return op::launch(op::load(x) | op::by_row(total{}, over{}) | op::store(y), op::extent(4, 8));
}
