// SPDX-License-Identifier: Apache-2.0
// The kernels that main.c launches. Inside ONEPASS_EXPORT, `args` is the caller's struct and `op` is onepass.
#include "chain.h"

#include <onepass/onepass.cuh>

ONEPASS_EXPORT(chain_f32, chain_args,
               op::load(args.x) | op::multiply(args.scale) | op::add(args.bias) | op::gelu
                 | op::add(op::load(args.r)) | op::clamp(-1, 6) | op::store(args.y));

ONEPASS_EXPORT(moments_f32, moments_args,
               op::load(args.x) | op::multiply(args.scale) | op::add(args.bias)
                 | op::reduce(op::mean_variance, args.mean, args.variance));
