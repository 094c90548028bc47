// SPDX-License-Identifier: Apache-2.0
// The operand reduces on its way.
// expect: onepass: an operand is a number, or a source with pointwise stages of its own
#include <onepass/onepass.cuh>

namespace op = onepass;

onepass_status_t run(const float *x, const float *r, float *sum, float *y) {
  return op::launch(op::load(x) | op::add(op::load(r) | op::tee(op::reduce(op::sum, sum))) | op::store(y), op::extent(8));
}
