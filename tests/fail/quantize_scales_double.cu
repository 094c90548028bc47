// SPDX-License-Identifier: Apache-2.0
// Scales are float or powers of two.
// expect: onepass: the scales of a quantised store are float or __nv_fp8_e8m0
#include <onepass/onepass.cuh>

#include <cstdint>

namespace op = onepass;

onepass_status_t run(const float *x, std::int8_t *y, double *scales) {
  return op::launch(op::load(x) | op::quantize_rows(op::store(y), scales), op::extent(4, 8));
}
