// SPDX-License-Identifier: Apache-2.0
// Mean and variance of bf16 with the greatest value, in one pass: a state of several words.
// contract: reduce of 4 groups of 8 lanes, flat; 4 entries
// contract: whole tile: loads 4 x 16, stores none
#include <onepass/onepass.cuh>

struct statistics_args {
  const __nv_bfloat16 *x;
  float *mean, *variance, *greatest;
};

ONEPASS_DECLARE(statistics);
ONEPASS_EXPORT(statistics, statistics_args,
               op::load(args.x) |
                   op::reduce(op::several(op::mean_variance, op::maximum), args.mean, args.variance, args.greatest));
