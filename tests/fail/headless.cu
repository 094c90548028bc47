// SPDX-License-Identifier: Apache-2.0
// A list of stages is a value to put behind a source, and not a launch.
// expect: onepass: a pipeline begins with a source, such as load(p); a list of stages is a value to put behind one
#include <onepass/onepass.cuh>

namespace op = onepass;

onepass_status_t run(float s, float *y) {
  const auto epilogue = op::multiply(s) | op::relu;
  return op::launch(epilogue | op::store(y), op::extent(8));
}
