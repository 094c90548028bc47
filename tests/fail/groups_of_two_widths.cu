// SPDX-License-Identifier: Apache-2.0
// Values over scales of 64 columns, to scales of 128.
// expect: onepass: per_group and quantize_groups of one pipeline have groups of one width
#include <onepass/onepass.cuh>

#include <cstdint>

namespace op = onepass;

onepass_status_t run(const std::int8_t *x, const float *scales, std::int8_t *y, float *new_scales) {
  return op::launch(op::load(x) | op::multiply(op::per_group<64>(scales)) |
                        op::quantize_groups<128>(op::store(y), new_scales),
                    op::extent(4, 256));
}
