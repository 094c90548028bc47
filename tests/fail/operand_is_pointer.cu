// SPDX-License-Identifier: Apache-2.0
// The operand is a bare pointer: load(p), per_column(p) and per_row(p) read it in different ways.
// expect: onepass: an operand is a number, or a source with pointwise stages of its own
#include <onepass/onepass.cuh>

namespace op = onepass;

onepass_status_t run(const float *x, const float *bias, float *y) {
  return op::launch(op::load(x) | op::add(bias) | op::store(y), op::extent(8));
}
