// SPDX-License-Identifier: Apache-2.0
// A functor of a tuple and of the index.
// contract: map of 2 groups of 4 lanes, flat; 4 entries
// contract: whole tile: loads 4 x 16, stores 2 x 16
#include <onepass/onepass.cuh>

struct pick {
  __host__ __device__ float operator()(float a, float b, long long index) const { return a + b * float(index); }
};

struct zip_index_args {
  const float *a, *b;
  float *y;
};

ONEPASS_DECLARE(zip_index);
ONEPASS_EXPORT(zip_index, zip_index_args,
               op::zip(op::load(args.a), op::load(args.b)) | op::fn(pick{}, op::index()) | op::store(args.y));
