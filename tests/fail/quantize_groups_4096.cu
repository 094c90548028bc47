// SPDX-License-Identifier: Apache-2.0
// The store of floats beside leaves a thread 4 columns, and 512 threads share a row.
// expect: onepass: a group of quantize_groups has more columns than the 512 threads that may share a row hold
#include <onepass/onepass.cuh>

#include <cstdint>

namespace op = onepass;

onepass_status_t run(const float *x, float *kept, std::int8_t *y, float *scales) {
  return op::launch(op::load(x) | op::tee(op::store(kept)) | op::quantize_groups<4096>(op::store(y), scales),
                    op::extent(4, 8192));
}
