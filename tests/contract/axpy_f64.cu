// SPDX-License-Identifier: Apache-2.0
// Doubles: a group is two.
// contract: map of 2 groups of 2 lanes, flat; 4 entries
// contract: whole tile: loads 4 x 16, stores 2 x 16
#include <onepass/onepass.cuh>

struct axpy_f64_args {
  const double *x, *y;
  double *z;
  double a;
};

ONEPASS_DECLARE(axpy_f64);
ONEPASS_EXPORT(axpy_f64, axpy_f64_args,
               op::load(args.x) | op::multiply_add(args.a, op::load(args.y)) | op::store(args.z));
