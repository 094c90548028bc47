// SPDX-License-Identifier: Apache-2.0
// A gated unit of bf16: silu(gate) * up.
// contract: map of 2 groups of 8 lanes, flat; 4 entries
// contract: whole tile: loads 4 x 16, stores 2 x 16
#include <onepass/onepass.cuh>

struct swiglu_args {
  const __nv_bfloat16 *gate, *up;
  __nv_bfloat16 *y;
};

ONEPASS_DECLARE(swiglu);
ONEPASS_EXPORT(swiglu, swiglu_args,
               op::load(args.gate) | op::silu | op::multiply(op::load(args.up)) | op::store(args.y));
