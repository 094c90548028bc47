// SPDX-License-Identifier: Apache-2.0
// A __device__ lambda cannot stand in an export.
// flags: --extended-lambda
// expect: The enclosing parent function ("build") for an extended __device__ lambda must not have deduced return type
#include <onepass/onepass.cuh>

namespace op = onepass;

struct map_args {
  const float *x;
  float *y;
};

ONEPASS_DECLARE(square);
ONEPASS_EXPORT(square, map_args,
               op::load(args.x) | op::fn([] __device__(float v) { return v * v; }) | op::store(args.y));
