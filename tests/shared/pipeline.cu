// SPDX-License-Identifier: Apache-2.0
// One of the two libraries: NAME(x, y, results, n) writes y = |2 x| and the sum, greatest value, its place and the mean
// of y, through both doors, on the host.
#include <onepass/onepass.cuh>

namespace op = onepass;

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define KERNEL JOIN(NAME, _kernel)

struct arguments {
  const float *y;
  float *results;
};

ONEPASS_EXPORT(KERNEL, arguments,
               op::load(args.y) | op::tee(op::reduce(op::mean, args.results + 3)) |
                   op::reduce(op::several(op::sum, op::argmax), args.results, args.results + 1, args.results + 2));

extern "C" int NAME(const float *x, float *y, float *results, op::int64_t n) {
  onepass_exec_t exec{};
  exec.where = ONEPASS_HOST;
  const auto map = op::load(x) | op::multiply(2) | op::abs | op::store(y);
  const onepass_status_t status = op::launch(map, op::extent(n), exec);
  if (status != ONEPASS_SUCCESS) return status;
  const arguments args{y, results};
  return onepass_launch(&KERNEL, op::extent(n), &args, &exec);
}
