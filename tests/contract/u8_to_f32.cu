// SPDX-License-Identifier: Apache-2.0
// u8 to f32: 16 lanes are one read and four writes.
// contract: map of 2 groups of 16 lanes, flat; 4 entries
// contract: whole tile: loads 2 x 16, stores 8 x 16
#include <onepass/onepass.cuh>

struct u8_to_f32_args {
  const unsigned char *pixels;
  float *y;
};

ONEPASS_DECLARE(u8_to_f32);
ONEPASS_EXPORT(u8_to_f32, u8_to_f32_args,
               op::load(args.pixels) | op::cast<float>() | op::multiply(1.0f / 255) | op::store(args.y));
