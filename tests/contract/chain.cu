// SPDX-License-Identifier: Apache-2.0
// Scale, bias, GELU, residual, clamp of floats: two reads and a write of 16 bytes per group.
// contract: map of 2 groups of 4 lanes, flat; 4 entries
// contract: whole tile: loads 4 x 16, stores 2 x 16
#include <onepass/onepass.cuh>

struct chain_args {
  const float *x, *r;
  float *y;
  float scale, bias;
};

ONEPASS_DECLARE(chain);
ONEPASS_EXPORT(chain, chain_args,
               op::load(args.x) | op::multiply(args.scale) | op::add(args.bias) | op::gelu | op::add(op::load(args.r)) |
                   op::clamp(-1.0f, 6.0f) | op::store(args.y));
