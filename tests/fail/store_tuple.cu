// SPDX-License-Identifier: Apache-2.0
// Two values per element, and one place to store them.
// expect: onepass: a store takes one value per element, and a tuple reaches it: bring it together with fn(f)
#include <onepass/onepass.cuh>

namespace op = onepass;

onepass_status_t run(const float *a, const float *b, float *y) {
  return op::launch(op::zip(op::load(a), op::load(b)) | op::store(y), op::extent(8));
}
