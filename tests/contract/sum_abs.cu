// SPDX-License-Identifier: Apache-2.0
// The sum of absolute values: nothing is stored but partial sums.
// contract: reduce of 4 groups of 4 lanes, flat; 4 entries
// contract: whole tile: loads 4 x 16, stores none
#include <onepass/onepass.cuh>

struct sum_abs_args {
  const float *x;
  float *sum;
};

ONEPASS_DECLARE(sum_abs);
ONEPASS_EXPORT(sum_abs, sum_abs_args, op::load(args.x) | op::abs | op::reduce(op::sum, args.sum));
