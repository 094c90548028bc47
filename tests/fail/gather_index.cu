// SPDX-License-Identifier: Apache-2.0
// The index of a gather is no integer.
// expect: onepass: gather(p, source) takes an index from its source, which is an integer: put cast<int64_t>() behind a value of another type
#include <onepass/onepass.cuh>

namespace op = onepass;

onepass_status_t run(const float *x, const float *where, float *y) {
  return op::launch(op::gather(x, op::load(where)) | op::store(y), op::extent(8));
}
