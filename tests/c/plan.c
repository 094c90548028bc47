// SPDX-License-Identifier: Apache-2.0
// Part of onepass: plans cover every element once, are the same for the same shape, and refuse what a grid cannot hold.
#include "onepass/plan.h"

#include <string.h>

#include "check.h"

static onepass_leaf_t array_at(uintptr_t address, int64_t pitch, int32_t element_bytes, onepass_span_t span) {
  const onepass_leaf_t leaf = {(const void *)address, pitch, element_bytes, 1, span, 0, ONEPASS_ROWS, 0, 0, 0, 1, 0};
  return leaf;
}

static onepass_geometry_t geometry_of(onepass_family_t family, int32_t lanes, int32_t by_row, int32_t state_bytes,
                                      int32_t row_stages, int32_t held_bytes, int32_t neighbours) {
  const onepass_geometry_t geometry = {.family = family,
                                       .lanes = lanes,
                                       .by_row = by_row,
                                       .state_bytes = state_bytes,
                                       .row_stages = row_stages,
                                       .held_bytes = held_bytes,
                                       .neighbours = neighbours};
  return geometry;
}

// The plan of one f32 array at `address`.
static onepass_plan_t plan_of(onepass_geometry_t geometry, onepass_extent_t extent, uintptr_t address) {
  const onepass_leaf_t leaf = array_at(address, ONEPASS_DENSE, 4, ONEPASS_PER_ELEMENT);
  onepass_plan_t plan = {0};
  CHECK(onepass_plan(&geometry, extent, &leaf, 1, ONEPASS_ROW_AUTO, NULL, &plan) == ONEPASS_SUCCESS);
  return plan;
}

static int is_aligned(int32_t lanes, onepass_extent_t shape, onepass_leaf_t leaf) {
  const onepass_geometry_t geometry = geometry_of(ONEPASS_MAP, lanes, 1, 0, 0, 0, 0);
  return onepass_is_aligned(&geometry, shape, &leaf, 1);
}

// Groups that a row needs whose first element is element `start` of a group.
static int64_t groups_from(int64_t start, int64_t columns, int64_t lanes) {
  int64_t groups = 0;
  for (int64_t element = start; columns > 0 && element < start + columns; ++element)
    if (element == start || element % lanes == 0) ++groups;
  return groups;
}

// Every group of a row is needed, and every element has one.
static void check_rows(onepass_geometry_t geometry, onepass_extent_t extent, const onepass_plan_t *plan) {
  const onepass_extent_t shape = geometry.by_row ? extent : onepass_extent_1d(extent.rows * extent.columns);
  int64_t most = 0;  // over all starts of a row within a group that can occur
  for (int64_t start = 0; start < (plan->aligned || geometry.family == ONEPASS_REDUCE ? 1 : geometry.lanes); ++start) {
    const int64_t groups = groups_from(start, shape.columns, geometry.lanes);
    if (groups > most) most = groups;
  }
  CHECK(plan->groups_per_row == most);
  CHECK(plan->groups == shape.rows * most);
}

// Every group lies in exactly one tile that some block handles, and no tile of a map is empty.
static void check_tiles(onepass_geometry_t geometry, const onepass_plan_t *plan) {
  const int64_t tile = (int64_t)plan->threads * plan->packs;
  CHECK(plan->threads >= 32 && plan->threads <= 1024 && plan->threads % 32 == 0 && plan->packs >= 1);
  CHECK(plan->blocks <= INT32_MAX);
  if (geometry.family == ONEPASS_MAP) {
    CHECK(plan->blocks * tile >= plan->groups && plan->blocks * tile - plan->groups < tile);
    CHECK(plan->workspace_bytes == 0);
  } else {
    // Part p takes tiles p, p + blocks, ..., so any number of blocks covers all; none may be without a tile.
    CHECK(plan->blocks >= 1 && (plan->blocks == 1 || (plan->blocks - 1) * tile < plan->groups));
    CHECK(plan->blocks <= 512);
    if (plan->blocks == 1) CHECK(plan->workspace_bytes == 0);
    if (plan->blocks > 1) CHECK(plan->workspace_bytes == 1024 + (size_t)plan->blocks * (size_t)geometry.state_bytes);
  }
  CHECK(plan->passes == 1);
}

static void check_small_shapes(void) {
  for (int family = 0; family < 2; ++family)
    for (int32_t lanes = 1; lanes <= 16; lanes *= 2)
      for (int by_row = 0; by_row < 2; ++by_row)
        for (uintptr_t address = 4096; address < 4096 + 64; address += 20)
          for (int64_t rows = 0; rows < 5; ++rows)
            for (int64_t columns = 0; columns < 70; ++columns) {
              const onepass_geometry_t geometry = geometry_of((onepass_family_t)family, lanes, by_row, 8, 0, 0, 0);
              const onepass_extent_t extent = onepass_extent_2d(rows, columns);
              const onepass_plan_t plan = plan_of(geometry, extent, address);
              check_rows(geometry, extent, &plan);
              check_tiles(geometry, &plan);
            }
}

// Sizes around every power of two: tiles, cuts, and counts beyond 32 bits.
static void check_sizes(onepass_geometry_t geometry, int last) {
  for (int power = 0; power <= last; ++power)
    for (int64_t n = (INT64_C(1) << power) - 1; n <= (INT64_C(1) << power) + 1; ++n) {
      const onepass_plan_t plan = plan_of(geometry, onepass_extent_1d(n), 4096);
      CHECK(plan.groups == n / geometry.lanes + (n % geometry.lanes != 0));
      check_tiles(geometry, &plan);
      if (geometry.family == ONEPASS_REDUCE) CHECK(plan.workspace_bytes < (size_t)64 << 20);
    }
}

// The partition of a reduction is a function of geometry and extent alone.
static void check_partition(onepass_geometry_t geometry, onepass_extent_t extent) {
  const onepass_plan_t first = plan_of(geometry, extent, 4096);
  onepass_plan_t bare = {0};
  CHECK(onepass_plan(&geometry, extent, NULL, 0, ONEPASS_ROW_AUTO, NULL, &bare) == ONEPASS_SUCCESS);
  for (uintptr_t address = 4096; address < 4096 + 64; address += 4) {
    const onepass_plan_t plan = address == 4096 ? bare : plan_of(geometry, extent, address);
    CHECK(plan.threads == first.threads && plan.packs == first.packs && plan.blocks == first.blocks);
    CHECK(plan.groups_per_row == first.groups_per_row && plan.groups == first.groups);
    CHECK(plan.workspace_bytes == first.workspace_bytes);
  }
}

static void check_alignment(void) {
  const int64_t dense = ONEPASS_DENSE;
  const onepass_extent_t line = onepass_extent_1d(101), rows = onepass_extent_2d(3, 64);
  // Accesses are 16 bytes, or a group where that is less.
  for (uintptr_t address = 4096; address < 4096 + 64; ++address) {
    CHECK(is_aligned(4, line, array_at(address, dense, 4, ONEPASS_PER_ELEMENT)) == (address % 16 == 0));
    CHECK(is_aligned(4, line, array_at(address, dense, 2, ONEPASS_PER_ELEMENT)) == (address % 8 == 0));
    CHECK(is_aligned(16, line, array_at(address, dense, 1, ONEPASS_PER_ELEMENT)) == (address % 16 == 0));
    CHECK(is_aligned(8, line, array_at(address, dense, 4, ONEPASS_PER_ELEMENT)) == (address % 16 == 0));
    CHECK(is_aligned(1, line, array_at(address, dense, 4, ONEPASS_PER_ELEMENT)) == (address % 4 == 0));
    CHECK(is_aligned(4, rows, array_at(address, dense, 4, ONEPASS_PER_COLUMN)) == (address % 16 == 0));
    CHECK(is_aligned(4, rows, array_at(address, dense, 4, ONEPASS_PER_ROW)));
    CHECK(is_aligned(4, rows, array_at(address, dense, 4, ONEPASS_ONCE)));
  }
  // Every row starts aligned: by its pitch in bytes, and in whole groups.
  for (int64_t pitch = 64; pitch < 80; ++pitch) {
    CHECK(is_aligned(4, rows, array_at(4096, pitch, 4, ONEPASS_PER_ELEMENT)) == (pitch % 4 == 0));
    CHECK(is_aligned(8, rows, array_at(4096, pitch, 2, ONEPASS_PER_ELEMENT)) == (pitch % 8 == 0));
    CHECK(is_aligned(4, onepass_extent_2d(1, 64), array_at(4096, pitch, 4, ONEPASS_PER_ELEMENT)));
    CHECK(is_aligned(4, rows, array_at(4096, pitch, 4, ONEPASS_PER_COLUMN)));  // a vector has no rows
  }
  CHECK(is_aligned(4, rows, array_at(4096, INT64_MAX, 4, ONEPASS_PER_ELEMENT)) == 0);
  CHECK(is_aligned(4, rows, array_at(4096, -64, 4, ONEPASS_PER_ELEMENT)));
  CHECK(is_aligned(4, onepass_extent_2d(2, 66), array_at(4096, 68, 4, ONEPASS_PER_ELEMENT)) == 0);
  CHECK(is_aligned(4, onepass_extent_2d(1, 66), array_at(4096, 68, 4, ONEPASS_PER_ELEMENT)));
  // Groups by row are counted with 32 bits; flat ones, in the plan, are not.
  const int64_t small = ONEPASS_MAX_SMALL_GROUPS;
  CHECK(is_aligned(4, onepass_extent_2d(small, 4), array_at(4096, dense, 4, ONEPASS_PER_ELEMENT)));
  CHECK(!is_aligned(4, onepass_extent_2d(small + 1, 4), array_at(4096, dense, 4, ONEPASS_PER_ELEMENT)));
  CHECK(!is_aligned(4, onepass_extent_2d(1, 4 * (small + 1)), array_at(4096, dense, 4, ONEPASS_PER_ELEMENT)));
  // One misaligned leaf of several is enough, wherever it stands; no leaves are aligned.
  const onepass_geometry_t geometry = geometry_of(ONEPASS_MAP, 4, 1, 0, 0, 0, 0);
  for (int bad = 0; bad < 3; ++bad) {
    onepass_leaf_t leaves[3];
    for (int i = 0; i < 3; ++i) leaves[i] = array_at(i == bad ? 4100 : 4096, dense, 4, ONEPASS_PER_ELEMENT);
    CHECK(!onepass_is_aligned(&geometry, line, leaves, 3));
  }
  const onepass_leaf_t mixed[] = {array_at(4100, dense, 4, ONEPASS_PER_ROW),
                                  array_at(4100, dense, 4, ONEPASS_PER_ELEMENT)};
  CHECK(onepass_is_aligned(&geometry, line, mixed, 1) && !onepass_is_aligned(&geometry, line, mixed, 2));
  CHECK(onepass_is_aligned(&geometry, line, NULL, 0));
  // What is read element by element may lie anyhow; a store that says its stride writes by words.
  onepass_leaf_t apart = array_at(4100, dense, 4, ONEPASS_PER_ELEMENT);
  apart.layout = ONEPASS_STRIDED;
  CHECK(onepass_is_aligned(&geometry, line, &apart, 1));
  apart.written = 1;
  CHECK(!onepass_is_aligned(&geometry, line, &apart, 1));
  apart.pointer = (const void *)(uintptr_t)4096;
  CHECK(onepass_is_aligned(&geometry, line, &apart, 1));
  onepass_leaf_t anywhere = array_at(4100, dense, 4, ONEPASS_PER_ELEMENT);
  anywhere.layout = ONEPASS_SCATTERED;
  CHECK(onepass_is_aligned(&geometry, line, &anywhere, 1));
}

static void check_limits(void) {
  const onepass_geometry_t map = geometry_of(ONEPASS_MAP, 1, 0, 0, 0, 0, 0), wide = geometry_of(ONEPASS_MAP, 16, 1, 0, 0, 0, 0),
                           reduce = geometry_of(ONEPASS_REDUCE, 1, 1, 8, 0, 0, 0);
  onepass_plan_t plan;
  // The last map that a grid holds has 2^31 - 1 tiles.
  const onepass_plan_t one = plan_of(map, onepass_extent_1d(1), 4096);
  const int64_t most = (int64_t)one.threads * one.packs * INT32_MAX;
  CHECK(plan_of(map, onepass_extent_1d(most), 4096).blocks == INT32_MAX);
  CHECK(onepass_plan(&map, onepass_extent_1d(most + 1), NULL, 0, ONEPASS_ROW_AUTO, NULL, &plan) ==
        ONEPASS_ERROR_TOO_LARGE);
  CHECK(onepass_plan(&map, onepass_extent_1d(INT64_MAX), NULL, 0, ONEPASS_ROW_AUTO, NULL, &plan) ==
        ONEPASS_ERROR_TOO_LARGE);
  CHECK(onepass_plan(&wide, onepass_extent_2d(INT64_MAX, 1), NULL, 0, ONEPASS_ROW_AUTO, NULL, &plan) ==
        ONEPASS_ERROR_TOO_LARGE);
  CHECK(onepass_plan(&reduce, onepass_extent_1d(INT64_MAX), NULL, 0, ONEPASS_ROW_AUTO, NULL, &plan) == ONEPASS_SUCCESS);
  CHECK(onepass_plan(&reduce, onepass_extent_2d(INT64_MAX, 1), NULL, 0, ONEPASS_ROW_AUTO, NULL, &plan) == ONEPASS_SUCCESS);
  CHECK(onepass_plan(&map, onepass_extent_1d(-1), NULL, 0, ONEPASS_ROW_AUTO, NULL, &plan) == ONEPASS_ERROR_EXTENT);
  CHECK(onepass_plan(&map, onepass_extent_2d(INT64_MAX, 2), NULL, 0, ONEPASS_ROW_AUTO, NULL, &plan) ==
        ONEPASS_ERROR_EXTENT);
  // Crooked rows may have a group for every element, not more.
  const onepass_leaf_t crooked = array_at(4097, ONEPASS_DENSE, 1, ONEPASS_PER_ELEMENT);
  CHECK(onepass_plan(&wide, onepass_extent_2d(INT64_MAX / 2, 2), &crooked, 1, ONEPASS_ROW_AUTO, NULL, &plan) ==
        ONEPASS_ERROR_TOO_LARGE);
  CHECK(plan.groups == INT64_MAX - 1);

  // Nothing to do: no tile of a map, one part of a reduction, which writes what a reduction of nothing means.
  const int64_t shapes[][2] = {{1, 0}, {0, 0}, {0, 9}, {9, 0}, {0, INT64_MAX}, {INT64_MAX, 0}};
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; ++i)
    for (int by_row = 0; by_row < 2; ++by_row)
      for (uintptr_t address = 4096; address <= 4100; address += 4) {
        const onepass_geometry_t none = geometry_of(ONEPASS_MAP, 4, by_row, 0, 0, 0, 0), sum = geometry_of(ONEPASS_REDUCE, 4, by_row, 8, 0, 0, 0);
        plan = plan_of(none, onepass_extent_2d(shapes[i][0], shapes[i][1]), address);
        CHECK(plan.groups == 0 && plan.blocks == 0);
        plan = plan_of(sum, onepass_extent_2d(shapes[i][0], shapes[i][1]), address);
        CHECK(plan.groups == 0 && plan.blocks == 1 && plan.workspace_bytes == 0);
      }
}

// ---- rows

// A thread holds up to 40 elements, but in lines of single elements alone.
static int row_line_exists(onepass_row_cut_t cut, int32_t lanes, int single) {
  if (cut.by == ONEPASS_BY_SINGLES) return single && lanes >= cut.lanes && (lanes <= 8 || cut.packs % 2 == 0);
  return (single ? cut.by == ONEPASS_BY_BOTH : 1) && lanes >= cut.lanes &&
         onepass_row_packs(cut.packs, lanes) * lanes <= 40 && (lanes <= 8 || cut.packs % 2 == 0);
}

static int64_t row_capacity(onepass_row_cut_t cut, int32_t lanes) {
  return (int64_t)cut.threads * onepass_row_packs(cut.packs, lanes);
}

// The plan of rows of so many groups, and the line of the table that it took; -1 where it streams, -2 where it is
// refused.
static int row_line(int32_t lanes, int single, int64_t rows, int64_t columns, onepass_row_strategy_t wanted,
                    onepass_plan_t *plan) {
  onepass_geometry_t geometry = geometry_of(ONEPASS_ROW, lanes, 1, 0, 2, 0, 0);
  geometry.singles = single ? ONEPASS_SINGLES_ALL : ONEPASS_SINGLES_NONE;
  geometry.element_registers = 1;
  const onepass_status_t status =
      onepass_plan(&geometry, onepass_extent_2d(rows, columns), NULL, 0, wanted, NULL, plan);
  if (status == ONEPASS_ERROR_STRATEGY) return -2;
  CHECK(status == ONEPASS_SUCCESS);
  CHECK(plan->groups_per_row == onepass_ceil_div(columns, lanes) && plan->groups == rows * plan->groups_per_row);
  CHECK(plan->counted == 0 && plan->aligned == (columns % lanes == 0));
  CHECK(plan->single == (single && columns % lanes != 0 && plan->strategy != ONEPASS_ROW_STREAM));
  if (plan->strategy == ONEPASS_ROW_STREAM) {
    CHECK(plan->threads == ONEPASS_STREAM_THREADS && plan->packs >= 8 && plan->cluster == 1);
    CHECK(plan->blocks == rows * plan->row_blocks && plan->passes == 3);  // one for each of two row stages, one that writes
    return -1;
  }
  CHECK(plan->passes == 1 && plan->cluster == 1 && plan->shared_bytes == 0);
  CHECK(plan->row_blocks == 1 && plan->workspace_bytes == 0);
  int line = 0;
  for (onepass_row_cut_t cut = onepass_row_cut(0); cut.threads > 0; cut = onepass_row_cut(++line))
    if (plan->strategy == cut.strategy && plan->threads == cut.threads &&
        plan->packs == onepass_row_packs(cut.packs, lanes))
      return line;
  CHECK(line < 0);  // none has this plan
  return -3;
}

// The first line that holds a row is taken, each by some width, and no width has a gap.
// (With Single, rows that are not whole groups: by their single elements.)
static void check_row_table(int32_t lanes, int single) {
  const int64_t cut_short = single || lanes > 1;  // columns that a row may lack of its last group
  static const onepass_row_strategy_t all[] = {ONEPASS_ROW_AUTO, ONEPASS_ROW_WARP, ONEPASS_ROW_BLOCK};
  int reached[64] = {0}, lines = 0;
  onepass_plan_t plan;
  while (onepass_row_cut(lines).threads > 0) ++lines;
  CHECK(lines > 0 && lines < 64 && onepass_row_cut(lines).strategy == ONEPASS_ROW_AUTO);
  for (size_t w = 0; w < sizeof all / sizeof all[0]; ++w) {
      int64_t held = 0;  // groups that the lines up to here hold
      int previous = -1;
      for (int i = 0; i < lines; ++i) {
        const onepass_row_cut_t cut = onepass_row_cut(i);
        if (all[w] != ONEPASS_ROW_AUTO && all[w] != cut.strategy) continue;
        const int64_t capacity = row_capacity(cut, lanes);
        if (!row_line_exists(cut, lanes, single)) continue;
        CHECK(cut.threads % 32 == 0 || 32 % cut.threads == 0);
        CHECK(cut.strategy == ONEPASS_ROW_WARP ? cut.threads <= 32 : cut.threads > 32 && cut.threads <= 1024);
        CHECK(onepass_row_packs(cut.packs, lanes) >= 1);
        if (capacity <= held) {  // only where the strategy is forced
          CHECK(all[w] == ONEPASS_ROW_AUTO && onepass_row_cut(previous).strategy != cut.strategy);
          continue;
        }
        CHECK(row_line(lanes, single, 5, held * lanes + 1, all[w], &plan) == i);
        CHECK(row_line(lanes, single, 5, (held + 1) * lanes - single, all[w], &plan) == i);
        CHECK(row_line(lanes, single, 5, capacity * lanes - single, all[w], &plan) == i);
        CHECK(row_line(lanes, single, 5, capacity * lanes - cut_short, all[w], &plan) == i);
        reached[i] = 1;
        previous = i;
        held = capacity;
        // Whole rows, and no block without one.
        const int64_t together = cut.strategy == ONEPASS_ROW_WARP ? ONEPASS_WARP_ROW_THREADS / cut.threads : 1;
        for (int64_t rows = 0; rows < 70; ++rows) {
          CHECK(row_line(lanes, single, rows, capacity * lanes - single, all[w], &plan) == i);
          CHECK(plan.blocks * together >= rows);
          CHECK(rows == 0 ? plan.blocks == 0 : (plan.blocks - 1) * together < rows);
        }
      }
      CHECK(row_line(lanes, single, 5, held * lanes + 1, all[w], &plan) == (all[w] == ONEPASS_ROW_AUTO ? -1 : -2));
      CHECK(row_line(lanes, single, 5, INT64_C(1) << 50, all[w], &plan) == (all[w] == ONEPASS_ROW_AUTO ? -1 : -2));
      // A row of nothing is held by the first.
      if (held > 0 && !single)
        CHECK(row_line(lanes, single, 5, 0, all[w], &plan) == row_line(lanes, single, 5, 1, all[w], &plan));
    }
  for (int i = 0; i < lines; ++i) CHECK(reached[i] == row_line_exists(onepass_row_cut(i), lanes, single));
  for (int64_t columns = 0; columns <= INT64_C(1) << 50; columns = 8 * columns + 1)
    CHECK(row_line(lanes, single, 5, columns, ONEPASS_ROW_STREAM, &plan) == -1);
}

static void check_row_plans(void) {
  const onepass_geometry_t rows = geometry_of(ONEPASS_ROW, 4, 1, 0, 1, 0, 0), none = geometry_of(ONEPASS_ROW, 4, 1, 0, 0, 0, 0);
  onepass_plan_t plan;
  for (int32_t lanes = 1; lanes <= 16; lanes *= 2) check_row_table(lanes, 0);
  for (int32_t lanes = 2; lanes <= 16; lanes *= 2) check_row_table(lanes, 1);

  // By hand: 512 floats are 128 groups, 32 threads by 4; 4096 and one more.
  CHECK(onepass_plan(&rows, onepass_extent_2d(1000, 512), NULL, 0, ONEPASS_ROW_AUTO, NULL, &plan) == ONEPASS_SUCCESS);
  CHECK(plan.strategy == ONEPASS_ROW_WARP && plan.threads == 32 && plan.packs == 4 && plan.blocks == 250);
  CHECK(onepass_plan(&rows, onepass_extent_2d(1000, 4096), NULL, 0, ONEPASS_ROW_AUTO, NULL, &plan) == ONEPASS_SUCCESS);
  CHECK(plan.strategy == ONEPASS_ROW_BLOCK && plan.threads == 256 && plan.packs == 4 && plan.blocks == 1000);
  CHECK(onepass_plan(&rows, onepass_extent_2d(1000, 4097), NULL, 0, ONEPASS_ROW_AUTO, NULL, &plan) == ONEPASS_SUCCESS);
  CHECK(plan.strategy == ONEPASS_ROW_BLOCK && plan.threads * plan.packs > 1024 && !plan.aligned);
  // A reduction of rows that streams reads them once.
  CHECK(onepass_plan(&none, onepass_extent_2d(2, 1000), NULL, 0, ONEPASS_ROW_STREAM, NULL, &plan) == ONEPASS_SUCCESS);
  CHECK(plan.passes == 1 && plan.strategy == ONEPASS_ROW_STREAM);

  // The line that a row takes, and so its bits, depend on its width alone.
  for (int64_t columns = 1; columns < 1 << 18; columns = columns * 3 + 1) {
    onepass_plan_t first;
    CHECK(onepass_plan(&rows, onepass_extent_2d(1, columns), NULL, 0, ONEPASS_ROW_AUTO, NULL, &first) == ONEPASS_SUCCESS);
    for (uintptr_t address = 4096; address < 4096 + 32; address += 4)
      for (int64_t count = 1; count < 2000000; count = 11 * count + 3) {
        const onepass_leaf_t leaf = array_at(address, columns + 1, 4, ONEPASS_PER_ELEMENT);
        CHECK(onepass_plan(&rows, onepass_extent_2d(count, columns), &leaf, 1, ONEPASS_ROW_AUTO, NULL, &plan) ==
              ONEPASS_SUCCESS);
        CHECK(plan.strategy == first.strategy && plan.threads == first.threads && plan.packs == first.packs);
        CHECK(plan.cluster == first.cluster && plan.groups_per_row == first.groups_per_row);
      }
  }

  // Aligned: whole groups at 16 bytes in every row. A count in device memory may be any.
  onepass_leaf_t leaf = array_at(4096, ONEPASS_DENSE, 4, ONEPASS_PER_ELEMENT);
  const struct {
    int64_t rows, columns, pitch;
    int aligned;
  } shapes[] = {{3, 64, ONEPASS_DENSE, 1},
                {3, 66, ONEPASS_DENSE, 0},
                {1, 66, ONEPASS_DENSE, 0},
                {1, 64, 65, 1},
                {3, 64, 65, 0},
                {3, 64, 68, 1},
                {3, 65, 68, 0}};
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; ++i) {
    leaf.pitch = shapes[i].pitch;
    CHECK(onepass_plan(&rows, onepass_extent_2d(shapes[i].rows, shapes[i].columns), &leaf, 1, ONEPASS_ROW_AUTO, NULL,
                       &plan) == ONEPASS_SUCCESS);
    CHECK(plan.aligned == shapes[i].aligned);
  }
  const int64_t count = 64;
  CHECK(onepass_plan(&rows, onepass_extent_at(&count, 64), &leaf, 1, ONEPASS_ROW_AUTO, NULL, &plan) == ONEPASS_SUCCESS);
  CHECK(plan.counted && !plan.aligned);

  // Rows that a grid holds: 32 to a block of 4 threads each, one otherwise.
  const int64_t most = INT32_MAX;
  CHECK(onepass_plan(&rows, onepass_extent_2d(32 * most, 1), NULL, 0, ONEPASS_ROW_AUTO, NULL, &plan) == ONEPASS_SUCCESS);
  CHECK(plan.blocks == most);
  CHECK(onepass_plan(&rows, onepass_extent_2d(32 * most + 1, 1), NULL, 0, ONEPASS_ROW_AUTO, NULL, &plan) ==
        ONEPASS_ERROR_TOO_LARGE);
  CHECK(onepass_plan(&rows, onepass_extent_2d(most, 4096), NULL, 0, ONEPASS_ROW_AUTO, NULL, &plan) == ONEPASS_SUCCESS);
  CHECK(onepass_plan(&rows, onepass_extent_2d(most + 1, 4096), NULL, 0, ONEPASS_ROW_AUTO, NULL, &plan) ==
        ONEPASS_ERROR_TOO_LARGE);
  CHECK(onepass_plan(&rows, onepass_extent_2d(INT64_MAX, 1), NULL, 0, ONEPASS_ROW_AUTO, NULL, &plan) ==
        ONEPASS_ERROR_TOO_LARGE);
  CHECK(onepass_plan(&rows, onepass_extent_2d(INT64_MAX, 0), NULL, 0, ONEPASS_ROW_BLOCK, NULL, &plan) ==
        ONEPASS_ERROR_TOO_LARGE);
  CHECK(onepass_plan(&rows, onepass_extent_2d(-1, 4), NULL, 0, ONEPASS_ROW_AUTO, NULL, &plan) == ONEPASS_ERROR_EXTENT);

  // Every strategy has a word of its own, and a number that is none has a sentence.
  const char *other = onepass_row_strategy_string(ONEPASS_ROW_STRATEGY_COUNT);
  CHECK(onepass_row_strategy_string((onepass_row_strategy_t)99) == other && strchr(other, ' ') != NULL);
  for (int i = 0; i < ONEPASS_ROW_STRATEGY_COUNT; ++i) {
    const char *text = onepass_row_strategy_string((onepass_row_strategy_t)i);
    CHECK(text != NULL && text[0] != 0 && strchr(text, ' ') == NULL);
    for (int j = 0; j < i; ++j) CHECK(strcmp(text, onepass_row_strategy_string((onepass_row_strategy_t)j)) != 0);
  }
  CHECK(strcmp(onepass_row_strategy_string(ONEPASS_ROW_STREAM), "stream") == 0);
}

// Rows in the registers of blocks that stay: as few blocks as hold them, every row taken once.
static void check_cluster_rows(void) {
  const onepass_geometry_t one = geometry_of(ONEPASS_ROW, 4, 1, 0, 1, 16, 0), two = geometry_of(ONEPASS_ROW, 4, 1, 0, 1, 32, 0);
  onepass_geometry_t norm = one, bytes = geometry_of(ONEPASS_ROW, 16, 1, 0, 1, 32, 0), scattered = geometry_of(ONEPASS_ROW, 4, 1, 0, 1, 0, 0);
  onepass_geometry_t halves = geometry_of(ONEPASS_ROW, 8, 1, 0, 1, 16, 0), pairs = halves, runs = halves, scaled = halves, four = halves;
  four.held_bytes = 64;  // three such blocks to a multiprocessor
  pairs.neighbours = 256;
  runs.neighbours = 512;
  scaled.kept_bytes = 16;
  norm.kept_bytes = 32;
  bytes.kept_bytes = 128;  // more than there is room for
  const onepass_row_device_t most = {16, 224 * 1024, 132, {2, 2}}, no_clusters = {1, 160 * 1024, 108, {2, 2}}, small = {1, 48 * 1024, 40, {2, 2}};
  onepass_plan_t plan;
  const struct {
    const onepass_geometry_t *geometry;
    int64_t groups;
    const onepass_row_device_t *device;
    int cluster, packs, keeps, resident;  // cluster 0: refused
  } rows[] = {{&one, 4096, &most, 1, 8, 0, 132},  {&one, 4097, &most, 2, 5, 0, 66},     {&one, 8192, &most, 2, 8, 0, 66},
              {&one, 16384, &most, 4, 8, 0, 30},  {&one, 32768, &most, 8, 8, 0, 15},    {&one, 65536, &most, 16, 8, 0, 7},
              {&one, 65537, &most, 0, 0, 0, 0},   {&one, 4096, &no_clusters, 1, 8, 0, 108}, {&one, 4097, &no_clusters, 0, 0, 0, 0},
              {&one, 100, &small, 0, 0, 0, 0},     {&two, 8192, &most, 2, 8, 0, 66},
              {&norm, 4096, &most, 1, 8, 1, 132}, {&norm, 100, &most, 1, 1, 1, 132},    {&bytes, 2048, &most, 2, 4, 0, 132},
              {&bytes, 2049, &most, 3, 3, 0, 80}, {&scattered, 100, &most, 0, 0, 0, 0},
              // Of 8 lanes and more, blocks of 128 threads while a cluster of them holds the row, of 256 with vectors.
              {&halves, 1024, &most, 1, 8, 0, 528}, {&halves, 4096, &most, 4, 8, 0, 120}, {&halves, 16384, &most, 16, 8, 0, 28},
              {&halves, 16385, &most, 5, 7, 0, 24}, {&halves, 65537, &most, 0, 0, 0, 0}, {&halves, 1025, &no_clusters, 1, 3, 0, 108},
              {&pairs, 2048, &most, 1, 8, 0, 264}, {&four, 1024, &most, 1, 8, 0, 396}, {&runs, 4096, &most, 1, 8, 0, 132},
              {&scaled, 2048, &most, 1, 8, 1, 264}, {&scaled, 4096, &most, 2, 8, 1, 132}, {&scaled, 16384, &most, 8, 8, 1, 30},
              {&scaled, 32768, &most, 16, 8, 1, 14}, {&scaled, 32769, &most, 9, 8, 1, 7}, {&scaled, 2049, &no_clusters, 1, 5, 1, 108}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
    for (int64_t count = 0; count < 20000000; count = count < 300 ? count + 1 : 7 * count + 1) {
      const onepass_geometry_t *geometry = rows[i].geometry;
      const onepass_status_t status = onepass_plan(geometry, onepass_extent_2d(count, rows[i].groups * geometry->lanes), NULL,
                                                   0, ONEPASS_ROW_CLUSTER, rows[i].device, &plan);
      CHECK(status == (rows[i].cluster == 0 ? ONEPASS_ERROR_STRATEGY : ONEPASS_SUCCESS));
      if (rows[i].cluster == 0) continue;
      CHECK(plan.strategy == ONEPASS_ROW_CLUSTER && plan.passes == 1);
      const int32_t most_packs = onepass_row_packs(ONEPASS_CLUSTER_PACKS, geometry->lanes);
      const int32_t least = geometry->kept_bytes > 0 ? 256 : 128, threads = geometry->neighbours > least ? geometry->neighbours : least;
      const int fits = geometry->lanes >= 8 && rows[i].groups <= (int64_t)threads * most_packs * rows[i].device->cluster;
      CHECK(plan.threads == (fits ? threads : 512) && plan.part == plan.packs * plan.threads);
      CHECK(plan.cluster == rows[i].cluster && plan.packs == rows[i].packs && plan.keeps == rows[i].keeps);
      const int32_t group = geometry->held_bytes + (plan.keeps ? geometry->kept_bytes : 0);
      const int32_t packs = onepass_row_packs(ONEPASS_CLUSTER_PACKS, geometry->lanes);
      CHECK(plan.shared_bytes == packs * plan.threads * group && plan.shared_bytes <= rows[i].device->shared_bytes);
      CHECK(plan.packs * plan.threads * plan.cluster >= rows[i].groups);
      // Where there are more rows than are taken by number they are drawn; else the rounds are as full as each other.
      const int draw = count > ONEPASS_CLUSTER_NUMBERED * rows[i].resident;
      const int64_t rounds = onepass_ceil_div(count, rows[i].resident);
      CHECK(plan.resident == (draw ? rows[i].resident : rounds > 0 ? count / rounds : 0));
      CHECK(plan.workspace_bytes == (draw ? ONEPASS_WORKSPACE_HEADER_BYTES : 0) && (plan.rounds == 0) == (draw || count == 0));
      if (draw) {
        CHECK(plan.blocks == (int64_t)plan.cluster * plan.resident);
        onepass_plan_rounds(count, &plan);
      }
      // Else the clusters that stay and those behind them take every row once, and no cluster has none.
      const int64_t clusters = plan.blocks / plan.cluster;
      CHECK(plan.blocks % plan.cluster == 0 && plan.rounds >= (count > 0) && plan.workspace_bytes == 0);
      CHECK(plan.resident * plan.rounds + (clusters - plan.resident) == count);
    }
  // A misaligned row has an image for each store; where there is no room for it, aligned rows go elsewhere too.
  onepass_geometry_t stored = one;
  stored.staged = 1;
  stored.staged_bytes = 16;
  const onepass_leaf_t odd = array_at(4100, ONEPASS_DENSE, 4, ONEPASS_PER_ELEMENT);
  CHECK(onepass_plan(&stored, onepass_extent_2d(5, 16384), &odd, 1, ONEPASS_ROW_CLUSTER, &most, &plan) == ONEPASS_SUCCESS);
  CHECK(!plan.aligned && plan.packs == 8 && plan.shared_bytes == 4096 * 16 + 32);
  stored.staged_bytes = 64;
  for (int i = 0; i < 2; ++i) {
    CHECK(onepass_plan(&stored, onepass_extent_2d(5, 16384), &odd, i, ONEPASS_ROW_CLUSTER, &most, &plan) ==
          ONEPASS_ERROR_STRATEGY);
    CHECK(onepass_plan(&stored, onepass_extent_2d(5, 4096), &odd, i, ONEPASS_ROW_BLOCK, &most, &plan) == ONEPASS_SUCCESS);
    CHECK(plan.aligned == !i && plan.shared_bytes == (i ? 1024 * 64 + 32 : 0));
  }
  // Single elements: more blocks of fewer threads, by the registers of an element; of rows wider than that, and where
  // there are no clusters, groups again.
  onepass_geometry_t singles = stored;
  singles.singles = ONEPASS_SINGLES_WIDE;
  static const struct {
    int32_t registers, vectors, cluster, packs, part, keeps, resident;
    int64_t widest;
  } by[] = {{1, 0, 3, 14, 1728, 0, 200, 131072}, {1, 16, 3, 14, 1728, 1, 120, 131072},  {1, 32, 3, 14, 1728, 1, 80, 131072},
            {1, 48, 3, 14, 1728, 0, 160, 131072}, {2, 16, 3, 14, 1728, 1, 80, 131072}, {3, 0, 5, 8, 1024, 0, 48, 65536},
            {9, 0, 20, 2, 256, 0, 0, 16384}};
  for (size_t i = 0; i < sizeof by / sizeof by[0]; ++i) {
    singles.element_registers = by[i].registers;
    singles.kept_bytes = by[i].vectors;
    const int within = by[i].cluster <= 16;
    CHECK(onepass_plan(&singles, onepass_extent_2d(5000, 20001), NULL, 0, ONEPASS_ROW_AUTO, &most, &plan) == ONEPASS_SUCCESS);
    CHECK((plan.strategy == ONEPASS_ROW_CLUSTER) == within && plan.single == within && !plan.aligned);
    if (within) {
      CHECK(plan.threads == 128 && plan.cluster == by[i].cluster && plan.packs == by[i].packs && plan.part == by[i].part);
      CHECK(plan.keeps == by[i].keeps && plan.resident == by[i].resident && plan.image_bytes == 0);
      CHECK(plan.shared_bytes == (16 + (by[i].keeps ? by[i].vectors : 0)) / 4 * (plan.part * 4 + 16));
    }
    CHECK(onepass_plan(&singles, onepass_extent_2d(5000, 20000), &odd, 1, ONEPASS_ROW_AUTO, &most, &plan) == ONEPASS_SUCCESS);
    CHECK(!plan.single && !plan.aligned);
    for (int wider = 0; wider < 2; ++wider) {
      const int64_t n = by[i].widest - 1 + 2 * wider;
      singles.staged_bytes = 16;
      CHECK(onepass_plan(&singles, onepass_extent_2d(5, n), NULL, 0, ONEPASS_ROW_CLUSTER, &most, &plan) == ONEPASS_SUCCESS);
      CHECK(plan.single == !wider && plan.threads == (wider ? ONEPASS_CLUSTER_THREADS : 128));
      if (!wider) CHECK(plan.cluster == 16 && plan.cluster * plan.part * 4 > n && (plan.cluster - 1) * plan.part * 4 < n);
      CHECK(onepass_plan(&singles, onepass_extent_2d(5, n), NULL, 0, ONEPASS_ROW_CLUSTER, &no_clusters, &plan) ==
            (n <= 16384 ? ONEPASS_SUCCESS : ONEPASS_ERROR_STRATEGY));
      CHECK(n > 16384 || !plan.single);
      singles.staged_bytes = 64;
    }
    // Narrow ones if all are.
    CHECK(onepass_plan(&singles, onepass_extent_2d(5, 1001), NULL, 0, ONEPASS_ROW_AUTO, &most, &plan) == ONEPASS_SUCCESS);
    CHECK(plan.single == (singles.singles == ONEPASS_SINGLES_ALL) && (plan.image_bytes == 0) == plan.single);
    singles.singles = ONEPASS_SINGLES_ALL;
  }
  // Without a row stage rows stream by, once.
  onepass_geometry_t sums = one;
  sums.row_stages = 0;
  CHECK(onepass_plan(&sums, onepass_extent_2d(5, 1 << 20), NULL, 0, ONEPASS_ROW_AUTO, &most, &plan) == ONEPASS_SUCCESS);
  CHECK(plan.strategy == ONEPASS_ROW_STREAM && plan.passes == 1);
}

// Rows in shared memory: a cluster of blocks of 64 KiB each, or fewer blocks of more.
static void check_shared_rows(void) {
  const onepass_geometry_t one = geometry_of(ONEPASS_ROW, 4, 1, 0, 1, 16, 0), two = geometry_of(ONEPASS_ROW, 4, 1, 0, 1, 32, 0);
  const onepass_geometry_t wide = geometry_of(ONEPASS_ROW, 1, 1, 0, 1, 1024, 0);
  const onepass_row_device_t no_clusters = {1, 160 * 1024, 108, {2, 2}}, small = {1, 48 * 1024, 40, {2, 2}}, most = {16, 224 * 1024, 132, {2, 2}};
  onepass_plan_t plan;
  const struct {
    const onepass_geometry_t *geometry;
    int64_t groups;
    const onepass_row_device_t *device;
    int cluster, packs;  // 0: streams
  } rows[] = {{&one, 4097, &most, 2, 9},           {&one, 8192, &most, 2, 16},  {&one, 8193, &most, 3, 11},
              {&one, 65536, &most, 16, 16},        {&one, 65537, &most, 16, 17}, {&one, 16 * 28 * 256, &most, 16, 28},
              {&one, 16 * 28 * 256 + 1, &most, 0, 0}, {&one, 8192, &no_clusters, 1, 32}, {&one, 40 * 256, &no_clusters, 1, 40},
              {&one, 40 * 256 + 1, &no_clusters, 0, 0}, {&one, 4097, &small, 0, 0},  {&two, 4097, &most, 3, 6},
              {&two, 4097, &no_clusters, 1, 17},   {&wide, 5000, &most, 0, 0}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
    for (int64_t count = 0; count < 20000000; count = 7 * count + 1) {
      const onepass_extent_t extent = onepass_extent_2d(count, rows[i].groups * rows[i].geometry->lanes);
      const onepass_status_t forced =
          onepass_plan(rows[i].geometry, extent, NULL, 0, ONEPASS_ROW_SHARED, rows[i].device, &plan);
      CHECK(forced == (rows[i].cluster == 0 ? ONEPASS_ERROR_STRATEGY : ONEPASS_SUCCESS));
      if (rows[i].cluster == 0) {
        CHECK(onepass_plan(rows[i].geometry, extent, NULL, 0, ONEPASS_ROW_AUTO, rows[i].device, &plan) ==
              ONEPASS_SUCCESS);
        CHECK(plan.strategy == ONEPASS_ROW_STREAM && plan.passes == 2 && plan.shared_bytes == 0);
        continue;
      }
      CHECK(plan.strategy == ONEPASS_ROW_SHARED && plan.passes == 1 && plan.threads == ONEPASS_SHARED_THREADS);
      CHECK(plan.cluster == rows[i].cluster && plan.packs == rows[i].packs && plan.blocks == count * plan.cluster);
      CHECK(plan.shared_bytes == plan.packs * plan.threads * rows[i].geometry->held_bytes);
      CHECK(plan.shared_bytes <= rows[i].device->shared_bytes);
    }
  // Forced, also for a row that registers hold; where it cannot, it is refused.
  CHECK(onepass_plan(&one, onepass_extent_2d(3, 5), NULL, 0, ONEPASS_ROW_SHARED, &small, &plan) == ONEPASS_SUCCESS);
  CHECK(plan.strategy == ONEPASS_ROW_SHARED && plan.cluster == 1 && plan.packs == 1);
  CHECK(onepass_plan(&one, onepass_extent_2d(3, 4 * 4097), NULL, 0, ONEPASS_ROW_SHARED, &small, &plan) ==
        ONEPASS_ERROR_STRATEGY);
  // Without a device, the most that there is.
  CHECK(onepass_plan(&one, onepass_extent_2d(3, 4 * 65536), NULL, 0, ONEPASS_ROW_AUTO, NULL, &plan) == ONEPASS_SUCCESS);
  CHECK(plan.strategy == ONEPASS_ROW_CLUSTER && plan.cluster == ONEPASS_MAX_CLUSTER);
}

// Rows that stream: cut into parts as their width alone says, which as many blocks share as end sooner for it.
static void check_streamed_rows(void) {
  const onepass_geometry_t rows = geometry_of(ONEPASS_ROW, 4, 1, 12, 1, 0, 0), sums = geometry_of(ONEPASS_ROW, 8, 1, 16, 0, 32, 0);
  const onepass_row_device_t devices[] = {{16, 224 * 1024, 132, {1, 2}}, {1, 48 * 1024, 40, {2, 3}}, {1, 48 * 1024, 20, {0, 0}}};
  onepass_plan_t first, plan;
  for (int64_t groups = 1; groups < INT64_C(1) << 40; groups += 1 + groups / 7) {
    const int64_t columns = 8 * groups - groups % 8;
    CHECK(onepass_plan(&sums, onepass_extent_2d(1, columns), NULL, 0, ONEPASS_ROW_STREAM, NULL, &first) == ONEPASS_SUCCESS);
    const int64_t part = (int64_t)first.threads * first.packs, parts = onepass_row_parts(&first);
    // The parts are whole rounds of the threads, none is empty, and few are more than a block needs.
    CHECK(parts >= 1 && (parts - 1) * part < first.groups_per_row && first.groups_per_row <= parts * part);
    CHECK(parts == 1 ? part == (first.groups_per_row > 4096 ? 8192 : 4096) : part >= (first.groups_per_row > 65536 ? 4096 : 8192));
    CHECK(parts <= 256 || first.packs == INT32_MAX / 512);
    for (int64_t count = 0; count < 1000000; count += 1 + count / 3)
      for (int d = 0; d < 3; ++d)
        for (uintptr_t address = 4096; address < 4096 + 32; address += 16 + 2) {
          const onepass_leaf_t leaf = array_at(address, ONEPASS_DENSE, 2, ONEPASS_PER_ELEMENT);
          CHECK(onepass_plan(&sums, onepass_extent_2d(count, columns), &leaf, 1, ONEPASS_ROW_STREAM, &devices[d], &plan) ==
                ONEPASS_SUCCESS);
          CHECK(plan.threads == first.threads && plan.packs == first.packs && plan.passes == 1 && plan.cluster == 1);
          CHECK(plan.row_blocks >= 1 && plan.blocks == count * plan.row_blocks);
          // No block is without a part, and a block fewer would have one more to take.
          const int64_t each = onepass_ceil_div(parts, plan.row_blocks);
          CHECK((plan.row_blocks - 1) * each < parts);
          const int64_t held = (int64_t)devices[d].multiprocessors * devices[d].stream_blocks[plan.aligned];
          const int shared = parts > 1 && parts <= 256 && count > 0 && count <= 256 && held / count > 1;
          CHECK((plan.row_blocks > 1) == shared && (plan.workspace_bytes > 0) == shared);
          if (!shared) continue;
          CHECK(plan.blocks <= held);
          CHECK(each == onepass_ceil_div(parts, held / count < parts ? held / count : parts));
          // A ticket for each row, and for each row a state of 8 warps for each part, and one more.
          CHECK(plan.workspace_bytes == 1024 + (size_t)count * (size_t)(parts * 8 + 1) * 16);
          onepass_share_rows(count, plan.blocks - 1, &plan);
          CHECK(plan.blocks < held && plan.row_blocks >= 1 && plan.packs == first.packs);
          onepass_share_rows(count, 2 * count - 1, &plan);
          CHECK(plan.row_blocks == 1 && plan.blocks == count && plan.workspace_bytes == 0);
        }
  }
  // By hand: 2^24 floats by 4 are 2^22 groups, 256 parts of 32 x 512; 2^18 are 8 of 16 x 512.
  const struct {
    int64_t columns, rows;
    int packs, row_blocks;
  } shapes[] = {{1 << 24, 1, 32, 256}, {1 << 24, 2, 32, 128}, {1 << 24, 3, 32, 86}, {1 << 24, 7, 32, 37}, {1 << 24, 131, 32, 2},
                {1 << 24, 132, 32, 2}, {1 << 24, 133, 32, 1}, {1 << 18, 1, 16, 8},  {1 << 18, 8, 16, 8},  {1 << 18, 40, 16, 4},
                {1 << 15, 1, 16, 1},   {(1 << 15) + 4, 1, 16, 2}, {(1 << 18) + 4, 1, 8, 17}, {(1 << 22) + 4, 1, 9, 228}};
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; ++i) {
    CHECK(onepass_plan(&rows, onepass_extent_2d(shapes[i].rows, shapes[i].columns), NULL, 0, ONEPASS_ROW_STREAM, NULL,
                       &plan) == ONEPASS_SUCCESS);
    CHECK(plan.packs == shapes[i].packs && plan.row_blocks == shapes[i].row_blocks && plan.passes == 2);
  }
  CHECK(onepass_plan(&rows, onepass_extent_2d(3, 1 << 24), NULL, 0, ONEPASS_ROW_STREAM, NULL, &plan) == ONEPASS_SUCCESS);
  CHECK(plan.workspace_bytes == 1024 + 3 * (4097 * 12 + 4));  // of a row in whole units of 16 bytes
  // What is too wide to be held streams, and is shared; rows of which the device knows the width are not.
  CHECK(onepass_plan(&rows, onepass_extent_2d(1, 1 << 24), NULL, 0, ONEPASS_ROW_AUTO, NULL, &plan) == ONEPASS_SUCCESS);
  CHECK(plan.strategy == ONEPASS_ROW_STREAM && plan.row_blocks == 256);
  const int64_t count = 1 << 24;
  const int32_t offsets[] = {0, 1 << 24};
  CHECK(onepass_plan(&rows, onepass_extent_at(&count, 1 << 24), NULL, 0, ONEPASS_ROW_STREAM, NULL, &plan) == ONEPASS_SUCCESS);
  CHECK(plan.row_blocks == 1 && plan.packs == 32 && plan.workspace_bytes == 0);
  CHECK(onepass_plan(&rows, onepass_extent_segments_i32(offsets, 1, 1 << 24), NULL, 0, ONEPASS_ROW_STREAM, NULL, &plan) ==
        ONEPASS_SUCCESS);
  CHECK(plan.row_blocks == 1 && plan.packs == 32 && plan.workspace_bytes == 0);
  // States of which there is no room for all.
  onepass_geometry_t large = rows;
  large.state_bytes = 1 << 20;
  CHECK(onepass_plan(&large, onepass_extent_2d(1, 1 << 24), NULL, 0, ONEPASS_ROW_STREAM, NULL, &plan) == ONEPASS_SUCCESS);
  CHECK(plan.row_blocks == 1 && plan.workspace_bytes == 0);
}

// Where a stage takes the groups of neighbouring threads together, the threads of a row are whole runs of that many, in
// the first line of the table where they are and that holds it; a strategy without such a line is refused.
static void check_neighbours(void) {
  static const onepass_row_strategy_t all[] = {ONEPASS_ROW_AUTO, ONEPASS_ROW_WARP, ONEPASS_ROW_BLOCK, ONEPASS_ROW_SHARED,
                                               ONEPASS_ROW_STREAM};
  int changed = 0, refused = 0;
  onepass_plan_t plan, other;
  for (size_t w = 0; w < sizeof all / sizeof all[0]; ++w)
    for (int32_t lanes = 1; lanes <= 16; lanes *= 2)
      for (int32_t neighbours = 1; neighbours <= 512; neighbours *= 2)
        for (int64_t groups = 1; groups < 20000; groups += 1 + groups / 4) {
          const onepass_geometry_t alone = geometry_of(ONEPASS_ROW, lanes, 1, 0, 1, 16, 0);
          onepass_geometry_t together = alone;
          together.neighbours = neighbours;
          const onepass_extent_t extent = onepass_extent_2d(7, groups * lanes);
          const onepass_status_t status = onepass_plan(&together, extent, NULL, 0, all[w], NULL, &plan);
          const onepass_status_t freely = onepass_plan(&alone, extent, NULL, 0, all[w], NULL, &other);
          int line = 0;
          while (onepass_row_cut(line).threads > 0) {
            const onepass_row_cut_t cut = onepass_row_cut(line);
            if ((all[w] == ONEPASS_ROW_AUTO || all[w] == cut.strategy) && cut.threads % neighbours == 0 &&
                row_capacity(cut, lanes) >= groups && row_line_exists(cut, lanes, 0))
              break;
            ++line;
          }
          const onepass_row_cut_t cut = onepass_row_cut(line);
          const int in_registers = all[w] == ONEPASS_ROW_WARP || all[w] == ONEPASS_ROW_BLOCK;
          if ((in_registers && cut.threads == 0) || (all[w] == ONEPASS_ROW_SHARED && neighbours > ONEPASS_SHARED_THREADS)) {
            CHECK(status == ONEPASS_ERROR_STRATEGY);
            refused += freely == ONEPASS_SUCCESS;
          } else {
            CHECK(status == freely);
          }
          if (status != ONEPASS_SUCCESS) continue;
          CHECK(plan.threads % neighbours == 0);
          if (cut.threads > 0)
            CHECK(plan.strategy == cut.strategy && plan.threads == cut.threads &&
                  plan.packs == onepass_row_packs(cut.packs, lanes));
          else CHECK(plan.strategy >= ONEPASS_ROW_CLUSTER);
          const int64_t together_rows = plan.strategy == ONEPASS_ROW_WARP ? ONEPASS_WARP_ROW_THREADS / plan.threads : 1;
          if (plan.strategy != ONEPASS_ROW_CLUSTER)
            CHECK(plan.blocks == plan.cluster * plan.row_blocks * onepass_ceil_div(7, together_rows));
          // (A cluster of blocks that suit the neighbours may hold a row that one of smaller blocks does not.)
          if (other.threads % neighbours == 0 && plan.strategy != ONEPASS_ROW_CLUSTER)
            CHECK(plan.threads == other.threads && plan.packs == other.packs);
          changed += plan.threads != other.threads;
        }
  CHECK(changed > 20);
  CHECK(refused > 20);

  // A block of 512 threads has one array and one vector, of 16 bytes to a group.
  for (int32_t vectors = 0; vectors <= 32; vectors += 16) {
    onepass_geometry_t norm = geometry_of(ONEPASS_ROW, 4, 1, 0, 1, 16, 1);
    norm.kept_bytes = vectors;
    CHECK(onepass_plan(&norm, onepass_extent_2d(7, 16384), NULL, 0, ONEPASS_ROW_AUTO, NULL, &plan) == ONEPASS_SUCCESS);
    CHECK((plan.strategy == ONEPASS_ROW_BLOCK && plan.threads == 512 && plan.packs == 8) == (vectors <= 16));
    CHECK((plan.strategy == ONEPASS_ROW_CLUSTER) == (vectors > 16));
  }

  // By hand: 64 bytes are 4 groups of 16, and one thread could take two; with 256 columns to a scale, 16 threads share
  // a row, and with 256 floats by 8, 32.
  const onepass_geometry_t bytes = geometry_of(ONEPASS_ROW, 16, 1, 0, 0, 64, 16), floats = geometry_of(ONEPASS_ROW, 8, 1, 0, 0, 64, 32);
  CHECK(onepass_plan(&bytes, onepass_extent_2d(100, 64), NULL, 0, ONEPASS_ROW_AUTO, NULL, &plan) == ONEPASS_SUCCESS);
  CHECK(plan.strategy == ONEPASS_ROW_WARP && plan.threads == 16 && plan.blocks == 13);
  CHECK(onepass_plan(&floats, onepass_extent_2d(100, 1), NULL, 0, ONEPASS_ROW_AUTO, NULL, &plan) == ONEPASS_SUCCESS);
  CHECK(plan.strategy == ONEPASS_ROW_WARP && plan.threads == 32 && plan.blocks == 25);
  // 8192 columns to a scale are 512 threads by 16, which a block has, whatever the width. 2048 are 128: 384 threads are
  // three of those.
  onepass_geometry_t wide = geometry_of(ONEPASS_ROW, 16, 1, 0, 0, 32, 512);
  for (wide.row_stages = 0; wide.row_stages < 2; ++wide.row_stages) {
    CHECK(onepass_plan(&wide, onepass_extent_2d(100, 64), NULL, 0, ONEPASS_ROW_AUTO, NULL, &plan) == ONEPASS_SUCCESS);
    CHECK(plan.strategy == ONEPASS_ROW_BLOCK && plan.threads == 512 && plan.packs == 2 && plan.passes == 1);
  }
  wide.row_stages = 1;
  wide.neighbours = 128;
  CHECK(onepass_plan(&wide, onepass_extent_2d(100, 16 * 700), NULL, 0, ONEPASS_ROW_AUTO, NULL, &plan) == ONEPASS_SUCCESS);
  CHECK(plan.strategy == ONEPASS_ROW_BLOCK && plan.threads == 384 && plan.packs == 2);
  CHECK(onepass_plan(&wide, onepass_extent_2d(100, 16 * 1100), NULL, 0, ONEPASS_ROW_AUTO, NULL, &plan) == ONEPASS_SUCCESS);
  CHECK(plan.strategy == ONEPASS_ROW_CLUSTER);  // more than a block holds
  wide.lanes = 4;
  CHECK(onepass_plan(&wide, onepass_extent_2d(100, 4 * 2100), NULL, 0, ONEPASS_ROW_AUTO, NULL, &plan) == ONEPASS_SUCCESS);
  CHECK(plan.strategy == ONEPASS_ROW_BLOCK && plan.threads == 384 && plan.packs == 8);
}

// Segments: the plan of rows of the most that one has, none of which is known to be aligned; no other family has one.
static void check_segments(void) {
  static const int32_t offsets[] = {0};
  onepass_plan_t plan, dense;
  for (int family = 0; family < 3; ++family)
    for (int by_row = 0; by_row < 2; ++by_row) {
      const onepass_geometry_t geometry = geometry_of((onepass_family_t)family, 4, family == ONEPASS_ROW || by_row, 8, 1, 16, 0);
      const onepass_extent_t extent = onepass_extent_segments_i32(offsets, 1000, 4096);
      const onepass_status_t status = onepass_plan(&geometry, extent, NULL, 0, ONEPASS_ROW_AUTO, NULL, &plan);
      CHECK(status == (family == ONEPASS_ROW ? ONEPASS_SUCCESS : ONEPASS_ERROR_SEGMENTS));
    }
  const onepass_geometry_t rows = geometry_of(ONEPASS_ROW, 4, 1, 0, 1, 16, 0);
  for (int64_t most = 0; most < 1 << 20; most = 3 * most + 4)
    for (int64_t count = 0; count < 100000; count = 9 * count + 1) {
      const onepass_leaf_t leaf = array_at(4096, ONEPASS_DENSE, 4, ONEPASS_PER_ELEMENT);
      CHECK(onepass_plan(&rows, onepass_extent_segments_i32(offsets, count, most), &leaf, 1, ONEPASS_ROW_AUTO, NULL,
                         &plan) == ONEPASS_SUCCESS);
      CHECK(onepass_plan(&rows, onepass_extent_2d(count, most), &leaf, 1, ONEPASS_ROW_AUTO, NULL, &dense) ==
            ONEPASS_SUCCESS);
      CHECK(!plan.aligned && !plan.counted && plan.strategy == dense.strategy && plan.threads == dense.threads);
      CHECK(plan.packs == dense.packs && plan.cluster == dense.cluster && plan.blocks == dense.blocks);
      CHECK(plan.passes == dense.passes);
      CHECK(plan.workspace_bytes == (plan.strategy == ONEPASS_ROW_CLUSTER ? dense.workspace_bytes : 0));
      CHECK(plan.strategy == ONEPASS_ROW_CLUSTER || plan.shared_bytes == dense.shared_bytes);
    }
  onepass_extent_t other = onepass_extent_segments_i32(offsets, 10, 10);
  other.offset_bytes = 2;
  CHECK(onepass_plan(&rows, other, NULL, 0, ONEPASS_ROW_AUTO, NULL, &plan) == ONEPASS_ERROR_EXTENT);
  CHECK(onepass_plan(&rows, onepass_extent_segments_i32(NULL, 10, 10), NULL, 0, ONEPASS_ROW_AUTO, NULL, &plan) ==
        ONEPASS_ERROR_EXTENT);
}

int main(void) {
  check_row_plans();
  check_cluster_rows();
  check_shared_rows();
  check_streamed_rows();
  check_neighbours();
  check_segments();
  for (int64_t a = 0; a < 40; ++a)
    for (int64_t b = 1; b < 20; ++b) CHECK(onepass_ceil_div(a, b) * b >= a && onepass_ceil_div(a, b) * b - a < b);
  CHECK(onepass_ceil_div(INT64_MAX, 1) == INT64_MAX && onepass_ceil_div(INT64_MAX, 2) == INT64_C(1) << 62);

  check_small_shapes();
  check_alignment();
  check_limits();
  for (int32_t lanes = 1; lanes <= 16; lanes *= 2) {
    const onepass_geometry_t map = geometry_of(ONEPASS_MAP, lanes, 0, 0, 0, 0, 0);
    check_sizes(map, 38);
    for (int32_t state = 4; state <= 4096; state *= 4) {
      const onepass_geometry_t reduce = geometry_of(ONEPASS_REDUCE, lanes, 0, state, 0, 0, 0);
      check_sizes(reduce, 61);
    }
    for (int by_row = 0; by_row < 2; ++by_row) {
      const onepass_geometry_t reduce = geometry_of(ONEPASS_REDUCE, lanes, by_row, 8, 0, 0, 0);
      const int64_t counts[] = {
          0, 1, 100, 5000, 1 << 20, (1 << 24) + 1, INT64_C(1) << 31, 2 * INT64_C(2147483647), INT64_C(1) << 40};
      for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
        check_partition(reduce, onepass_extent_1d(counts[i]));
        check_partition(reduce, onepass_extent_2d(counts[i], 3));
        CHECK(plan_of(reduce, onepass_extent_1d(counts[i]), 4096).workspace_bytes < (size_t)64 << 20);
      }
    }
  }

  // By hand: 2^24 + 1 floats by 4 are 2^22 + 1 groups: 2^14 full tiles of 128 x 2, and one with a single group.
  const onepass_geometry_t map = geometry_of(ONEPASS_MAP, 4, 0, 0, 0, 0, 0), sum = geometry_of(ONEPASS_REDUCE, 4, 0, 8, 0, 0, 0);
  onepass_plan_t plan = plan_of(map, onepass_extent_1d((1 << 24) + 1), 4096);
  CHECK(plan.aligned && plan.groups == (1 << 22) + 1 && plan.blocks == (1 << 14) + 1);
  plan = plan_of(map, onepass_extent_1d(INT64_C(1) << 31), 4096);
  CHECK(plan.groups == 1 << 29 && plan.blocks == 1 << 21);
  CHECK(onepass_plan(&map, onepass_extent_1d(INT64_C(1) << 40), NULL, 0, ONEPASS_ROW_AUTO, NULL, &plan) ==
        ONEPASS_SUCCESS);
  CHECK(plan.groups == INT64_C(1) << 38 && plan.blocks == 1 << 30);
  CHECK(plan.aligned);
  // Flat, 3 x 5 is 15 elements in 4 groups; by row 2 groups a row, and 2 where rows are crooked.
  const onepass_geometry_t by_row = geometry_of(ONEPASS_MAP, 4, 1, 0, 0, 0, 0);
  CHECK(plan_of(map, onepass_extent_2d(3, 5), 4096).groups == 4);
  CHECK(plan_of(by_row, onepass_extent_2d(3, 5), 4096).groups == 6);
  CHECK(plan_of(by_row, onepass_extent_2d(3, 6), 4096).groups == 9);
  CHECK(plan_of(by_row, onepass_extent_2d(1, 6), 4096).groups == 2);
  // The partition of a sum on both sides of each cut. A change here changes the bits of sums.
  const struct {
    int64_t groups;
    int32_t threads, packs, blocks;
  } parts[] = {{0, 32, 4, 1},
               {128, 32, 4, 1},
               {129, 64, 4, 1},
               {256, 64, 4, 1},
               {1921, 512, 4, 1},
               {4096, 512, 4, 1},
               {4097, 256, 4, 5},
               {1 << 19, 256, 4, 192},
               {(1 << 19) + 1, 512, 4, 256},
               {1 << 22, 512, 4, 256},
               {(1 << 22) + 1, 512, 4, 396},
               {INT64_C(1) << 38, 512, 4, 396}};
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; ++i) {
    plan = plan_of(sum, onepass_extent_1d(4 * parts[i].groups), 4096);
    CHECK(plan.threads == parts[i].threads && plan.packs == parts[i].packs && plan.blocks == parts[i].blocks);
  }
  CHECK(plan.workspace_bytes == 1024 + 396 * 8);
  return check_result();
}
