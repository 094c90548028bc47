// SPDX-License-Identifier: Apache-2.0
// A type without a greatest value has no minimum of nothing.
// expect: onepass: a minimum or maximum over a type that has no least or greatest value
#include <onepass/onepass.cuh>

namespace op = onepass;

struct money {
  long long cents;
  __host__ __device__ bool operator<(money other) const { return cents < other.cents; }
  __host__ __device__ bool operator!=(money other) const { return cents != other.cents; }
};

onepass_status_t run(const money *x, money *least) {
  return op::launch(op::load(x) | op::reduce(op::minimum, least), op::extent(8));
}
