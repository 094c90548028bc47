// SPDX-License-Identifier: Apache-2.0
// A source and a stage alone write nothing.
// expect: onepass: a pipeline ends in a sink, such as store(p) or reduce(sum, out)
#include <onepass/onepass.cuh>

namespace op = onepass;

onepass_status_t run(const float *x) { return op::launch(op::load(x) | op::relu, op::extent(8)); }
