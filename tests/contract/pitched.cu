// SPDX-License-Identifier: Apache-2.0
// Rows with a pitch, a scale per row and a shift per column: of the scale one element per group.
// contract: map of 2 groups of 4 lanes, by row; 4 entries
// contract: whole tile: loads 4 x 16 + 2 x 4, stores 2 x 16
#include <onepass/onepass.cuh>

struct pitched_args {
  const float *x, *scale, *shift;
  float *y;
  int64_t x_pitch, y_pitch;
};

ONEPASS_DECLARE(pitched);
ONEPASS_EXPORT(pitched, pitched_args,
               op::load(args.x, args.x_pitch) | op::multiply(op::per_row(args.scale)) |
                   op::add(op::per_column(args.shift)) | op::store(args.y, args.y_pitch));
