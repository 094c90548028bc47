// SPDX-License-Identifier: Apache-2.0
// A residual that is kept on the way: every array is touched once, and no load waits for a store.
// contract: map of 2 groups of 8 lanes, flat; 4 entries
// contract: whole tile: loads 4 x 16, stores 4 x 16
#include <onepass/onepass.cuh>

struct tee_args {
  const __nv_bfloat16 *x, *r;
  __nv_bfloat16 *kept, *y;
};

ONEPASS_DECLARE(tee);
ONEPASS_EXPORT(tee, tee_args,
               op::load(args.x) | op::add(op::load(args.r)) | op::tee(op::store(args.kept)) | op::gelu_tanh |
                   op::store(args.y));
