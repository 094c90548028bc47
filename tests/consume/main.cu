// SPDX-License-Identifier: Apache-2.0
// The smallest program that uses the device side: one pipeline, run on the host, so that it runs anywhere.
#include <onepass/onepass.cuh>

#include <cstdio>
#include <cstring>

namespace op = onepass;

int main() {
  const float x[] = {1.0f, -2.0f, 3.0f};
  float sum = 0.0f;
  onepass_exec_t exec{};
  exec.where = ONEPASS_HOST;
  const onepass_status_t status = op::launch(op::load(x) | op::abs | op::reduce(op::sum, &sum), op::extent(3), exec);
  std::printf("onepass %s: %s, sum %g\n", ONEPASS_VERSION_STRING, onepass_status_string(status), double(sum));
  return status == ONEPASS_SUCCESS && sum == 6.0f && std::strcmp(ONEPASS_VERSION_STRING, EXPECTED_VERSION) == 0 ? 0 : 1;
}
