// SPDX-License-Identifier: Apache-2.0
// A norm that is not told its eps.
// expect: onepass: a norm is called with its eps: layer_norm(1e-5)
#include <onepass/onepass.cuh>

namespace op = onepass;

onepass_status_t run(const float *x, float *y) {
  return op::launch(op::load(x) | op::layer_norm | op::gelu | op::store(y), op::extent(4, 8));
}
