// SPDX-License-Identifier: Apache-2.0
// A stage that sees its whole row, between others.
// expect: onepass: a row stage needs the whole row before its first result
#include <onepass/onepass.cuh>

namespace op = onepass;

onepass_status_t run(const float *x, const float *r, const float *gamma, const float *beta, float *kept, float *y) {
  return op::launch(op::load(x) | op::add(op::load(r)) | op::tee(op::store(kept)) | op::layer_norm(gamma, beta, 1e-5f) |
                        op::gelu_tanh | op::store(y),
                    op::extent(4, 8));
}
