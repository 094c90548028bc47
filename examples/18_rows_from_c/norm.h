// SPDX-License-Identifier: Apache-2.0
// The fused kernel of norm.cu as a C program sees it.
#ifndef ONEPASS_EXAMPLES_NORM_H
#define ONEPASS_EXAMPLES_NORM_H

#include <onepass/onepass.h>

// q = round(rms_norm(x + residual) * gamma / scale), a scale per row; the residual becomes the sum.
typedef struct norm_args {
  const float *x, *gamma;  // rows x columns, columns
  float *residual;         // rows x columns
  int8_t *q;               // rows x columns
  float *scale;            // rows
} norm_args;
ONEPASS_DECLARE(norm_i8);

#endif
