// SPDX-License-Identifier: Apache-2.0
// The fused kernels of chain.cu as a C program sees them: a struct of arguments and a constant for each.
#ifndef ONEPASS_EXAMPLES_CHAIN_H
#define ONEPASS_EXAMPLES_CHAIN_H

#include <onepass/onepass.h>

// y = clamp(gelu(x * scale + bias) + r, -1, 6)
typedef struct chain_args {
  const float *x, *r;
  float *y;
  float scale, bias;
} chain_args;
ONEPASS_DECLARE(chain_f32);

// The mean and the variance of x * scale + bias.
typedef struct moments_args {
  const float *x;
  float *mean, *variance;
  float scale, bias;
} moments_args;
ONEPASS_DECLARE(moments_f32);

#endif
