// SPDX-License-Identifier: Apache-2.0
// A statistic without finish.
// expect: onepass: a row stage begins with a statistic of the value that reaches it, such as mean
#include <onepass/onepass.cuh>

namespace op = onepass;

struct greatest {
  template <class T>
  __host__ __device__ T identity() const {
    return T{};
  }
  template <class T>
  __host__ __device__ T lift(T x, op::coordinate) const {
    return x;
  }
  template <class T>
  __host__ __device__ T combine(T a, T b) const {
    return a < b ? b : a;
  }
};
struct over {
  __host__ __device__ float operator()(float x, float most) const { return x / most; }
};

onepass_status_t run(const float *x, float *y) {
  return op::launch(op::load(x) | op::by_row(greatest{}, over{}) | op::store(y), op::extent(4, 8));
}
