// SPDX-License-Identifier: Apache-2.0
// softmax of bf16, a pipeline with a row stage: read once by 16 bytes, reduced twice, written by 16 bytes.
#include <onepass/onepass.cuh>

struct softmax_args {
  const __nv_bfloat16 *x;
  __nv_bfloat16 *y;
};

ONEPASS_DECLARE(softmax_bf16);
ONEPASS_EXPORT(softmax_bf16, softmax_args, op::load(args.x) | op::softmax | op::store(args.y));
