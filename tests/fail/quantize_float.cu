// SPDX-License-Identifier: Apache-2.0
// A store of floats has nothing to be quantised to.
// expect: onepass: a quantised store is of f8 (e4m3 or e5m2), int8_t or int16_t
#include <onepass/onepass.cuh>

namespace op = onepass;

onepass_status_t run(const float *x, float *y, float *scales) {
  return op::launch(op::load(x) | op::quantize_rows(op::store(y), scales), op::extent(4, 8));
}
