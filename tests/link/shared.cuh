// SPDX-License-Identifier: Apache-2.0
// What both halves of the program compile: the same pipelines, launched and exported.
#ifndef ONEPASS_TEST_LINK_SHARED_CUH
#define ONEPASS_TEST_LINK_SHARED_CUH

#include <onepass/onepass.cuh>

struct link_args {
  const float *x;
  float *y, *sum;
};

// y = |2 x| and sum = sum(y), of n elements: in each half a function of its own around the same templates.
static onepass_status_t launch_both(const link_args &args, int64_t n, const onepass_exec_t &exec) {
  namespace op = onepass;
  const auto value = op::load(args.x) | op::multiply(2) | op::abs;
  const onepass_status_t status = op::launch(value | op::store(args.y), op::extent(n), exec);
  return status != ONEPASS_SUCCESS ? status : op::launch(value | op::reduce(op::sum, args.sum), op::extent(n), exec);
}

onepass_status_t launch_both_in_b(const link_args &args, int64_t n, const onepass_exec_t &exec);
ONEPASS_DECLARE(map_of_a);
ONEPASS_DECLARE(map_of_b);

#endif
