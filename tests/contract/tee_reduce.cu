// SPDX-License-Identifier: Apache-2.0
// A store and a sum of what is stored: one read, one write, and the state in registers.
// contract: reduce of 4 groups of 4 lanes, flat; 4 entries
// contract: whole tile: loads 4 x 16, stores 4 x 16
#include <onepass/onepass.cuh>

struct kept_args {
  const float *x;
  float *y, *sum;
};

ONEPASS_DECLARE(kept);
ONEPASS_EXPORT(kept, kept_args, op::load(args.x) | op::relu | op::tee(op::reduce(op::sum, args.sum)) | op::store(args.y));
