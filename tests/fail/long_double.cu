// SPDX-License-Identifier: Apache-2.0
// A number that a device cannot hold.
// expect: onepass: an operand is a number, or a source with pointwise stages of its own
#include <onepass/onepass.cuh>

namespace op = onepass;

onepass_status_t run(const float *x, float *y) {
  return op::launch(op::load(x) | op::add(1.0L) | op::store(y), op::extent(8));
}
