// SPDX-License-Identifier: Apache-2.0
// No group is as short as the lanes of one thread.
// expect: onepass: a group has 32 columns, 64, 128 or any power of two above
#include <onepass/onepass.cuh>

namespace op = onepass;

onepass_status_t run(const float *x, const float *scales, float *y) {
  return op::launch(op::load(x) | op::multiply(op::per_group<16>(scales)) | op::store(y), op::extent(4, 96));
}
