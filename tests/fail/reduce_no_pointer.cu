// SPDX-License-Identifier: Apache-2.0
// No place for the result.
// expect: onepass: reduce(statistic, out, ...) takes a pointer for each result
#include <onepass/onepass.cuh>

namespace op = onepass;

onepass_status_t run(const float *x) { return op::launch(op::load(x) | op::reduce(op::sum), op::extent(8)); }
