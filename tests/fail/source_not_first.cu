// SPDX-License-Identifier: Apache-2.0
// The stage comes before the source.
// expect: onepass: a pipeline begins with a source, such as load(p)
#include <onepass/onepass.cuh>

namespace op = onepass;

onepass_status_t run(const float *x, float *y) {
  return op::launch(op::relu | op::load(x) | op::store(y), op::extent(8));
}
