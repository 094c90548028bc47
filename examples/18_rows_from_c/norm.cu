// SPDX-License-Identifier: Apache-2.0
// The kernel that main.c launches. Inside ONEPASS_EXPORT, `args` is the caller's struct and `op` is onepass.
#include "norm.h"

#include <onepass/onepass.cuh>

ONEPASS_EXPORT(norm_i8, norm_args,
               op::load(args.x) | op::add(op::load(static_cast<const float *>(args.residual)))
                 | op::tee(op::store(args.residual)) | op::rms_norm(args.gamma, 1e-6)
                 | op::quantize_rows(op::store(args.q), args.scale));
