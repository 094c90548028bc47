// SPDX-License-Identifier: Apache-2.0
// The place to store is constant.
// expect: onepass: a store through a pointer to const
#include <onepass/onepass.cuh>

namespace op = onepass;

onepass_status_t run(const float *x, const float *y) {
  return op::launch(op::load(x) | op::relu | op::store(y), op::extent(8));
}
