// SPDX-License-Identifier: Apache-2.0
// Part of onepass: bytes of pipelines that can be counted by hand.
#include "onepass/traffic.h"

#include "check.h"

static int moves(onepass_cost_t cost, onepass_extent_t extent, int64_t read, int64_t written) {
  const onepass_traffic_t traffic = onepass_traffic_of_cost(&cost, extent);
  return traffic.bytes_read == read && traffic.bytes_written == written && traffic.kernels == cost.kernels &&
         traffic.passes == 1;
}

int main(void) {
  // load(x) | add(load(r)) | store(y), f32: 12 bytes per element.
  const onepass_cost_t chain = {.read = {4 + 4}, .written = {4}, .intermediate = 0, .kernels = 1};
  CHECK(moves(chain, onepass_extent_1d(1000), 8000, 4000));
  CHECK(moves(chain, onepass_extent_2d(10, 100), 8000, 4000));
  CHECK(moves(chain, onepass_extent_1d(INT64_C(1) << 32), INT64_C(1) << 35, INT64_C(1) << 34));

  // load | abs | reduce(sum), f32: 4 bytes per element and the result.
  const onepass_cost_t sum = {.read = {4}, .written = {0, 0, 0, 4}, .kernels = 1};
  CHECK(moves(sum, onepass_extent_1d(1000), 4000, 4));

  // bf16: load | multiply(per_column) | add(per_row) | multiply(value_at) | store, with another tee to f32.
  const onepass_cost_t spans = {.read = {2, 2, 2, 4}, .written = {2 + 4}, .kernels = 1};
  CHECK(moves(spans, onepass_extent_2d(10, 100), 2 * 1000 + 2 * 100 + 2 * 10 + 4, 6 * 1000));
  CHECK(moves(spans, onepass_extent_1d(100), 2 * 100 + 2 * 100 + 2 * 1 + 4, 600));

  CHECK(moves(spans, onepass_extent_1d(1), 2 + 2 + 2 + 4, 6));

  // A result per column, per row, and one, f64: written by rows and columns.
  const onepass_cost_t results = {.read = {8}, .written = {0, 8, 16, 32}, .kernels = 1};
  CHECK(moves(results, onepass_extent_2d(3, 5), 8 * 15, 8 * 5 + 16 * 3 + 32));

  // One scale of 4 bytes for each group of 32 columns, the last of a row perhaps shorter: written, and read back.
  const onepass_cost_t quantized = {.read = {4}, .written = {1, 0, 0, 0, 4}, .group = 32, .kernels = 1};
  const onepass_cost_t restored = {.read = {1, 0, 0, 0, 4}, .written = {2}, .group = 32, .kernels = 1};
  for (int64_t columns = 0; columns < 200; ++columns) {
    const int64_t groups = columns / 32 + (columns % 32 > 0);
    CHECK(moves(quantized, onepass_extent_2d(3, columns), 4 * 3 * columns, 3 * columns + 4 * 3 * groups));
    CHECK(moves(restored, onepass_extent_2d(3, columns), 3 * columns + 4 * 3 * groups, 2 * 3 * columns));
    CHECK(moves(quantized, onepass_extent_2d(0, columns), 0, 0));
  }
  CHECK(moves(quantized, onepass_extent_1d(INT64_C(1) << 40), INT64_C(1) << 42, (INT64_C(1) << 40) + (INT64_C(1) << 37)));

  // scale, bias, GELU, residual, clamp, f32, one kernel per stage: 5 kernels, 6 reads, 5 writes, of which four arrays
  // are written only to be read again.
  const onepass_cost_t unfused = {.read = {24}, .written = {20}, .intermediate = 32, .kernels = 5};
  const onepass_traffic_t traffic = onepass_traffic_of_cost(&unfused, onepass_extent_2d(8, 16));
  CHECK(moves(unfused, onepass_extent_2d(8, 16), 24 * 128, 20 * 128));
  CHECK(traffic.intermediate_bytes == 32 * 128 && traffic.kernels == 5);
  CHECK(onepass_traffic_of_cost(&chain, onepass_extent_1d(1000)).intermediate_bytes == 0);

  // No elements: nothing is read; what a reduction of nothing means is written.
  CHECK(moves(spans, onepass_extent_1d(0), 0, 0));
  CHECK(moves(spans, onepass_extent_2d(0, 9), 0, 0));
  CHECK(moves(spans, onepass_extent_2d(9, 0), 0, 0));
  CHECK(moves(sum, onepass_extent_1d(0), 0, 4));
  CHECK(moves(results, onepass_extent_2d(0, 5), 0, 8 * 5 + 32));
  CHECK(moves(results, onepass_extent_2d(3, 0), 0, 16 * 3 + 32));

  // The last size that fits, and beyond it the largest number, never a negative one.
  const int64_t most = INT64_MAX;
  CHECK(moves(chain, onepass_extent_1d(most / 8), most / 8 * 8, most / 8 * 4));
  CHECK(moves(chain, onepass_extent_1d(most / 8 + 1), most, (most / 8 + 1) * 4));
  CHECK(moves(chain, onepass_extent_1d(most), most, most));
  CHECK(moves(results, onepass_extent_2d(1, most / 8), most / 8 * 8, most));  // 8 per column leave no room for 48 more
  CHECK(moves(quantized, onepass_extent_1d(most), most, most));
  CHECK(moves(quantized, onepass_extent_2d(most, 0), 0, 0));
  CHECK(onepass_traffic_of_cost(&unfused, onepass_extent_1d(most / 16)).intermediate_bytes == most);
  return check_result();
}
