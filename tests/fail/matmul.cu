// SPDX-License-Identifier: Apache-2.0
// A tensor-core product with its epilogue.
// expect: onepass: matmul is a source that tensor cores compute
#include <onepass/onepass.cuh>

namespace op = onepass;

onepass_status_t run(const float *a, const float *b, const float *bias, float *d) {
  return op::launch(op::matmul(a, b, 16) | op::add(op::per_column(bias)) | op::gelu | op::store(d), op::extent(4, 8));
}
