// SPDX-License-Identifier: Apache-2.0
// Bias per column and GELU of f16: a row of the bias is read by words too.
// contract: map of 2 groups of 8 lanes, by row; 4 entries
// contract: whole tile: loads 4 x 16, stores 2 x 16
#include <onepass/onepass.cuh>

struct bias_gelu_args {
  const __half *x, *bias;
  __half *y;
};

ONEPASS_DECLARE(bias_gelu);
ONEPASS_EXPORT(bias_gelu, bias_gelu_args,
               op::load(args.x) | op::add(op::per_column(args.bias)) | op::gelu | op::store(args.y));
