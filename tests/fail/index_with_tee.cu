// SPDX-License-Identifier: Apache-2.0
// The index of a gather is stored on its way.
// expect: onepass: a tee in the index of a gather would store before other arrays are read
#include <onepass/onepass.cuh>

namespace op = onepass;

onepass_status_t run(const float *table, const int *i, int *kept, float *y) {
  return op::launch(op::gather(table, op::load(i) | op::tee(op::store(kept))) | op::store(y), op::extent(8));
}
