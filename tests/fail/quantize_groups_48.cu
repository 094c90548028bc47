// SPDX-License-Identifier: Apache-2.0
// A group is a power of two, so that it lies in neighbouring threads.
// expect: onepass: a group has 32 columns, 64, 128 or any power of two above
#include <onepass/onepass.cuh>

#include <cstdint>

namespace op = onepass;

onepass_status_t run(const float *x, std::int8_t *y, float *scales) {
  return op::launch(op::load(x) | op::quantize_groups<48>(op::store(y), scales), op::extent(4, 96));
}
