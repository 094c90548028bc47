// SPDX-License-Identifier: Apache-2.0
// A float has no bit ops.
// expect: onepass: a value that is no integer reaches a bit op or a shift
#include <onepass/onepass.cuh>

namespace op = onepass;

onepass_status_t run(const float *x, float *y) {
  return op::launch(op::load(x) | op::bit_and(1) | op::store(y), op::extent(8));
}
