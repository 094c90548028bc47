// SPDX-License-Identifier: Apache-2.0
// Complex values have no order.
// expect: onepass: a complex value reaches an op that is defined for real values alone
#include <onepass/onepass.cuh>

#include <cuda/std/complex>

namespace op = onepass;

onepass_status_t run(const cuda::std::complex<float> *x, bool *y) {
  return op::launch(op::load(x) | op::less(1) | op::store(y), op::extent(8));
}
