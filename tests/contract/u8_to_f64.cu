// SPDX-License-Identifier: Apache-2.0
// u8 to f64: a group is at most 64 bytes of the widest type, and 8 of the narrowest here.
// contract: map of 2 groups of 8 lanes, flat; 4 entries
// contract: whole tile: loads 2 x 8, stores 8 x 16
#include <onepass/onepass.cuh>

struct u8_to_f64_args {
  const unsigned char *pixels;
  double *y;
};

ONEPASS_DECLARE(u8_to_f64);
ONEPASS_EXPORT(u8_to_f64, u8_to_f64_args,
               op::load(args.pixels) | op::cast<double>() | op::multiply(1.0 / 255) | op::store(args.y));
