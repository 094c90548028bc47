// SPDX-License-Identifier: Apache-2.0
// A quantised value has a sign.
// expect: onepass: a quantised store is of f8 (e4m3 or e5m2), int8_t or int16_t
#include <onepass/onepass.cuh>

#include <cstdint>

namespace op = onepass;

onepass_status_t run(const float *x, std::uint8_t *y) {
  return op::launch(op::load(x) | op::quantize(op::store(y), 0.5), op::extent(4, 8));
}
