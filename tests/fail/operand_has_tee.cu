// SPDX-License-Identifier: Apache-2.0
// The operand stores on its way.
// expect: onepass: an operand is a number, or a source with pointwise stages of its own
#include <onepass/onepass.cuh>

namespace op = onepass;

onepass_status_t run(const float *x, const float *r, float *kept, float *y) {
  return op::launch(op::load(x) | op::add(op::load(r) | op::tee(op::store(kept))) | op::store(y), op::extent(8));
}
