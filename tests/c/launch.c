// SPDX-License-Identifier: Apache-2.0
// Part of onepass: what onepass_launch refuses, what it passes on, and that it starts nothing when it refuses. The
// kernels here are made by hand: their leaves are their args, and they only record that they were called.
#include "onepass/launch.h"

#include "check.h"
#include "onepass/report.h"

typedef struct {
  onepass_leaf_t leaves[4];
  int count;
  onepass_status_t answer;  // of start and host
} args_t;

static struct {
  int started, ran_on_host, asked;
  const void *args;
  const onepass_exec_t *exec;
  onepass_extent_t extent;
  onepass_plan_t plan;
} record;

static int leaves_of(const void *args, onepass_leaf_t *leaves) {
  const args_t *call = (const args_t *)args;
  for (int i = 0; i < call->count; ++i) leaves[i] = call->leaves[i];
  return call->count;
}

static onepass_status_t start(const void *args, onepass_extent_t extent, const onepass_plan_t *plan,
                              const onepass_exec_t *exec) {
  ++record.started;
  record.args = args;
  record.exec = exec;
  record.extent = extent;
  record.plan = *plan;
  return ((const args_t *)args)->answer;
}

static onepass_status_t host(const void *args, onepass_extent_t extent) {
  ++record.ran_on_host;
  record.args = args;
  record.extent = extent;
  return ((const args_t *)args)->answer;
}

// What a device has for rows in shared memory.
static struct {
  onepass_status_t answer;
  onepass_row_device_t device;
} row_device_here;

static onepass_status_t row_device(onepass_row_device_t *device) {
  ++record.asked;
  *device = row_device_here.device;
  return row_device_here.answer;
}

static onepass_status_t report(const onepass_plan_t *plan, onepass_report_t *out) {
  out->plan = *plan;
  out->registers = 32;
  return ONEPASS_SUCCESS;
}

// clang-format off
#define KERNEL(name, kind, sees_rows, bytes, stages, on_host)                                                          \
  static const onepass_kernel_t name = {                                                                               \
      .text = #name,                                                                                                   \
      .geometry = {.family = kind, .lanes = 4, .by_row = sees_rows, .state_bytes = bytes, .row_stages = stages,        \
                   .held_bytes = 16, .neighbours = 1},                                                                 \
      .cost = {.read = {8}, .written = {4}, .kernels = 1},                                                             \
      .unfused = {.read = {16}, .written = {12}, .intermediate = 16, .kernels = 3},                                    \
      .args_bytes = sizeof(args_t), .capability = 75, .leaves = leaves_of, .start = start, .host = on_host,            \
      .row_device = row_device, .report = report}
// clang-format on
KERNEL(map, ONEPASS_MAP, 0, 0, 0, host);
KERNEL(rows, ONEPASS_MAP, 1, 0, 0, host);
KERNEL(sum, ONEPASS_REDUCE, 0, 8, 0, host);
KERNEL(softmax, ONEPASS_ROW, 1, 8, 1, host);
KERNEL(device_only, ONEPASS_MAP, 0, 0, 0, NULL);

static int reached[ONEPASS_STATUS_COUNT];

// Launches and returns the status; the record then holds this launch alone.
static onepass_status_t launch(const onepass_kernel_t *kernel, onepass_extent_t extent, const args_t *args,
                               const onepass_exec_t *exec) {
  record.started = record.ran_on_host = record.asked = 0;
  const onepass_status_t status = onepass_launch(kernel, extent, args, exec);
  if (status >= 0 && status < ONEPASS_STATUS_COUNT) reached[status] = 1;
  return status;
}

static int refused(onepass_status_t expected, const onepass_kernel_t *kernel, onepass_extent_t extent,
                   const args_t *args, const onepass_exec_t *exec) {
  return launch(kernel, extent, args, exec) == expected && record.started == 0 && record.ran_on_host == 0;
}

static int started(const onepass_kernel_t *kernel, onepass_extent_t extent, const args_t *args,
                   const onepass_exec_t *exec) {
  return launch(kernel, extent, args, exec) == args->answer && record.started == 1 && record.ran_on_host == 0 &&
         record.args == args && record.exec == exec && record.extent.rows == extent.rows &&
         record.extent.columns == extent.columns;
}

static int ran_on_host(const onepass_kernel_t *kernel, onepass_extent_t extent, const args_t *args,
                       const onepass_exec_t *exec) {
  return launch(kernel, extent, args, exec) == args->answer && record.started == 0 && record.ran_on_host == 1 &&
         record.args == args && record.extent.rows == extent.rows && record.extent.columns == extent.columns;
}

// Addresses are numbers here; nothing reads or writes through them. Arrays of f32, 2^44 bytes apart.
static onepass_leaf_t array(int which, onepass_span_t span, int written) {
  const onepass_leaf_t leaf = {
      (const void *)((uintptr_t)(which + 1) << 44), ONEPASS_DENSE, 4, 1, span, written, ONEPASS_ROWS, 0, 0, 0, 1, 0};
  return leaf;
}

// y = x + r
static args_t chain(void) {
  const args_t args = {
      {array(0, ONEPASS_PER_ELEMENT, 0), array(1, ONEPASS_PER_ELEMENT, 0), array(2, ONEPASS_PER_ELEMENT, 1)},
      3,
      ONEPASS_SUCCESS};
  return args;
}

// *out = sum of x
static args_t total(void) {
  const args_t args = {{array(0, ONEPASS_PER_ELEMENT, 0), array(1, ONEPASS_ONCE, 1)}, 2, ONEPASS_SUCCESS};
  return args;
}

static void check_arguments(const onepass_exec_t *exec) {
  const args_t args = chain();
  const onepass_extent_t n = onepass_extent_1d(1000);
  CHECK(started(&map, n, &args, exec));
  CHECK(refused(ONEPASS_ERROR_ARGUMENT, NULL, n, &args, exec));
  CHECK(refused(ONEPASS_ERROR_ARGUMENT, &map, n, NULL, exec));
  CHECK(refused(ONEPASS_ERROR_ARGUMENT, &map, n, &args, NULL));
  for (int where = -2; where < 5; ++where) {
    onepass_exec_t other = *exec;
    other.where = (onepass_where_t)where;
    if (where != ONEPASS_DEVICE && where != ONEPASS_HOST)
      CHECK(refused(ONEPASS_ERROR_ARGUMENT, &map, n, &args, &other));
  }
  onepass_exec_t limited = *exec;
  limited.max_blocks = -1;
  CHECK(refused(ONEPASS_ERROR_ARGUMENT, &map, n, &args, &limited));
  limited.max_blocks = 1;
  CHECK(started(&map, n, &args, &limited));
}

static void check_extents(const onepass_exec_t *exec) {
  const args_t args = chain();
  const int64_t most = INT64_MAX;
  const int64_t bad[][2] = {{1, -1},   {-1, 1},   {-1, -1},         {0, -1},
                            {most, 2}, {2, most}, {most, most},     {INT64_MIN, INT64_MIN},
                            {1, most}, {most, 1}, {most / 4 + 1, 1}};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
    const onepass_extent_t extent = onepass_extent_2d(bad[i][0], bad[i][1]);
    CHECK(refused(ONEPASS_ERROR_EXTENT, &map, extent, &args, exec));
    CHECK(refused(ONEPASS_ERROR_EXTENT, &rows, extent, &args, exec));
  }
  // 2^31 - 1 tiles are a grid; one element more is not. The sums of as much start.
  args_t big = total();
  const int64_t tiles = INT32_MAX;
  CHECK(started(&map, onepass_extent_1d(1), &args, exec));
  const int64_t tile = 4 * (int64_t)record.plan.threads * record.plan.packs;
  CHECK(started(&map, onepass_extent_1d(tile * tiles), &args, exec) && record.plan.blocks == tiles);
  CHECK(refused(ONEPASS_ERROR_TOO_LARGE, &map, onepass_extent_1d(tile * tiles + 1), &args, exec));
  CHECK(started(&sum, onepass_extent_1d(tile * tiles + 1), &big, exec));
}

// Nothing to do: data may be null; a map starts nothing, a reduction still writes its result.
static void check_empty(const onepass_exec_t *exec) {
  const int64_t shapes[][2] = {{1, 0}, {0, 0}, {0, 9}, {9, 0}};
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; ++i) {
    const onepass_extent_t empty = onepass_extent_2d(shapes[i][0], shapes[i][1]);
    args_t args = chain();
    for (int k = 0; k < args.count; ++k) args.leaves[k].pointer = NULL;
    CHECK(refused(ONEPASS_SUCCESS, &map, empty, &args, exec));
    CHECK(refused(ONEPASS_SUCCESS, &rows, empty, &args, exec));
    args = total();
    args.leaves[0].pointer = NULL;
    CHECK(started(&sum, empty, &args, exec) && record.plan.groups == 0 && record.plan.blocks == 1);
    args.leaves[1].pointer = NULL;
    CHECK(refused(ONEPASS_ERROR_NULL, &sum, empty, &args, exec));
  }
}

static void check_pointers(const onepass_exec_t *exec) {
  const onepass_extent_t n = onepass_extent_1d(1000);
  for (int i = 0; i < 3; ++i) {
    args_t args = chain();
    args.leaves[i].pointer = NULL;
    CHECK(refused(ONEPASS_ERROR_NULL, &map, n, &args, exec));
    for (uintptr_t off = 0; off < 16; ++off) {
      args = chain();
      args.leaves[i].pointer = (const void *)((uintptr_t)args.leaves[i].pointer + off);
      if (off % 4 != 0) CHECK(refused(ONEPASS_ERROR_ALIGNMENT, &map, n, &args, exec));
      if (off % 4 == 0) CHECK(started(&map, n, &args, exec) && record.plan.aligned == (off == 0));
    }
  }
}

static void check_places(const onepass_exec_t *exec) {
  const onepass_extent_t shape = onepass_extent_2d(10, 64);
  for (int i = 0; i < 3; ++i) {
    args_t args = chain();
    const onepass_status_t narrow = i == 2 ? ONEPASS_ERROR_OVERLAPPING_ROWS : ONEPASS_ERROR_PITCH;
    const int64_t below[] = {63, 0, -64, -INT64_MAX};
    for (int k = 0; k < 4; ++k) {
      args.leaves[i].pitch = below[k];
      CHECK(refused(narrow, &rows, shape, &args, exec));
    }
    args.leaves[i].pitch = 72;
    CHECK(started(&rows, shape, &args, exec) && record.plan.aligned);
    args.leaves[i].pitch = 73;
    CHECK(started(&rows, shape, &args, exec) && !record.plan.aligned);
    args.leaves[i].pitch = INT64_MAX;
    CHECK(refused(ONEPASS_ERROR_EXTENT, &rows, shape, &args, exec));
  }
  // In place, shifted by one element, a column window beside the source's, one that touches it.
  args_t args = chain();
  const char *x = (const char *)args.leaves[0].pointer;
  args.leaves[2].pointer = x;
  CHECK(started(&rows, shape, &args, exec));
  args.leaves[2].pointer = x + 4;
  CHECK(refused(ONEPASS_ERROR_OVERLAP, &rows, shape, &args, exec));
  args.leaves[0].pitch = args.leaves[2].pitch = 128;
  args.leaves[2].pointer = x + 4 * 64;
  CHECK(started(&rows, shape, &args, exec));
  args.leaves[2].pointer = x + 4 * 63;
  CHECK(refused(ONEPASS_ERROR_OVERLAP, &rows, shape, &args, exec));
  args.leaves[2].pointer = x + 4 * 65;  // wraps into the next row's window
  CHECK(refused(ONEPASS_ERROR_OVERLAP, &rows, shape, &args, exec));
  // A sink whose columns are apart, an array of one element too few.
  args = chain();
  args.leaves[2].layout = ONEPASS_STRIDED;
  args.leaves[2].column_stride = 2;
  CHECK(refused(ONEPASS_ERROR_STRIDE, &rows, shape, &args, exec));
  args = chain();
  args.leaves[1].view_rank = 1;
  args.leaves[1].view_columns = 640;
  CHECK(started(&rows, shape, &args, exec));
  args.leaves[1].view_columns = 639;
  CHECK(refused(ONEPASS_ERROR_SIZE, &rows, shape, &args, exec));
  // Two sinks in one place.
  args = chain();
  args.leaves[1] = args.leaves[2];
  CHECK(refused(ONEPASS_ERROR_OVERLAP, &rows, shape, &args, exec));
}

// The workspace, for many parts: there, aligned, large enough. One part, a map and the host need none.
static void check_workspace(const onepass_exec_t *exec) {
  const args_t args = total(), copy = chain();
  const onepass_extent_t n = onepass_extent_1d(1 << 24), few = onepass_extent_1d(1000);
  const size_t needed = onepass_workspace_bytes(&sum, n);
  onepass_exec_t own = *exec;
  CHECK(needed > ONEPASS_WORKSPACE_HEADER_BYTES && needed < 1 << 16);
  own.workspace_bytes = needed;
  CHECK(started(&sum, n, &args, &own) && record.plan.workspace_bytes == needed);
  own.workspace_bytes = needed - 1;
  CHECK(refused(ONEPASS_ERROR_WORKSPACE_SIZE, &sum, n, &args, &own));
  own.workspace_bytes = 0;
  CHECK(refused(ONEPASS_ERROR_WORKSPACE_SIZE, &sum, n, &args, &own));
  own.workspace_bytes = needed + 64;
  for (uintptr_t off = 1; off < 16; ++off) {
    own.workspace = (void *)((uintptr_t)exec->workspace + off);
    CHECK(refused(ONEPASS_ERROR_WORKSPACE_ALIGNMENT, &sum, n, &args, &own));
  }
  own.workspace = (void *)((uintptr_t)exec->workspace + 16);
  CHECK(started(&sum, n, &args, &own));
  own.workspace = NULL;
  CHECK(refused(ONEPASS_ERROR_WORKSPACE_MISSING, &sum, n, &args, &own));
  own.workspace_bytes = 0;
  CHECK(started(&sum, few, &args, &own) && onepass_workspace_bytes(&sum, few) == 0);
  CHECK(started(&map, n, &copy, &own) && onepass_workspace_bytes(&map, n) == 0);
  own.where = ONEPASS_HOST;
  CHECK(ran_on_host(&sum, n, &args, &own));
  // The workspace in the array, and where the result goes; right behind the array it is apart.
  own = *exec;
  const uintptr_t x = (uintptr_t)args.leaves[0].pointer, out = (uintptr_t)args.leaves[1].pointer;
  own.workspace = (void *)x;
  CHECK(refused(ONEPASS_ERROR_OVERLAP, &sum, n, &args, &own));
  own.workspace = (void *)(x + 4 * (1 << 24) - 16);
  CHECK(refused(ONEPASS_ERROR_OVERLAP, &sum, n, &args, &own));
  own.workspace = (void *)(x + 4 * (1 << 24));
  CHECK(started(&sum, n, &args, &own));
  own.workspace = (void *)(out - 128);
  CHECK(refused(ONEPASS_ERROR_OVERLAP, &sum, n, &args, &own));
  CHECK(onepass_workspace_bytes(NULL, n) == 0);
  CHECK(onepass_workspace_bytes(&sum, onepass_extent_1d(-1)) == 0);
  CHECK(onepass_workspace_bytes(&sum, onepass_extent_2d(INT64_MAX, 2)) == 0);
}

// The host runs the same checks, and then the pipeline, wherever it has one.
static void check_host(const onepass_exec_t *exec) {
  const onepass_extent_t n = onepass_extent_1d(1000);
  onepass_exec_t here = *exec;
  args_t args = chain();
  here.where = ONEPASS_HOST;
  CHECK(ran_on_host(&map, n, &args, &here));
  CHECK(refused(ONEPASS_ERROR_DEVICE_ONLY, &device_only, n, &args, &here));
  CHECK(started(&device_only, n, &args, exec));
  CHECK(refused(ONEPASS_ERROR_EXTENT, &map, onepass_extent_1d(-1), &args, &here));
  args.answer = ONEPASS_ERROR_LAUNCH;
  CHECK(ran_on_host(&map, n, &args, &here));
  args.leaves[0].pointer = NULL;
  CHECK(refused(ONEPASS_ERROR_NULL, &map, n, &args, &here));
  const args_t nothing = total();
  CHECK(ran_on_host(&sum, onepass_extent_1d(0), &nothing, &here));
}

// What only the device knows comes back from start as it is. One pass is required of plans that have one: no change.
static void check_answers(const onepass_exec_t *exec) {
  const onepass_status_t answers[] = {ONEPASS_ERROR_PASSES,     ONEPASS_ERROR_NO_DEVICE,       ONEPASS_ERROR_LAUNCH,
                                      ONEPASS_ERROR_CAPABILITY, ONEPASS_ERROR_NO_KERNEL_IMAGE, ONEPASS_SUCCESS};
  for (size_t i = 0; i < sizeof answers / sizeof answers[0]; ++i) {
    args_t args = chain();
    args.answer = answers[i];
    CHECK(started(&map, onepass_extent_1d(1000), &args, exec));
  }
  onepass_exec_t once = *exec;
  const args_t args = chain();
  once.require_one_pass = 1;
  CHECK(started(&map, onepass_extent_1d(1000), &args, &once) && record.plan.passes == 1);
}

// Rows: what the chip holds, the strategy that exec asks for, and what the device has for wide ones.
static void check_row_strategies(const onepass_exec_t *exec) {
  args_t args = chain();
  onepass_exec_t forced = *exec, once = *exec, here = *exec;
  once.require_one_pass = 1;
  here.where = ONEPASS_HOST;
  const onepass_extent_t narrow = onepass_extent_2d(9, 1000), wide = onepass_extent_2d(9, 40000),
                         endless = onepass_extent_2d(9, 100000000);
  const onepass_row_device_t all = {16, 224 * 1024, 132, {2, 2}}, little = {1, 48 * 1024, 40, {2, 2}};
  row_device_here.answer = ONEPASS_SUCCESS;
  row_device_here.device = all;
  CHECK(started(&softmax, narrow, &args, exec) && record.plan.strategy == ONEPASS_ROW_BLOCK && record.asked == 0);
  CHECK(started(&softmax, wide, &args, exec) && record.plan.strategy == ONEPASS_ROW_CLUSTER && record.asked == 1);
  CHECK(started(&softmax, wide, &args, &once) && record.plan.passes == 1);
  CHECK(started(&softmax, endless, &args, exec) && record.plan.strategy == ONEPASS_ROW_STREAM && record.asked == 1);
  CHECK(record.plan.passes == 2);
  CHECK(refused(ONEPASS_ERROR_PASSES, &softmax, endless, &args, &once));
  CHECK(ran_on_host(&softmax, endless, &args, &here));

  // Without them a wide row streams, or is refused.
  row_device_here.device = little;
  CHECK(started(&softmax, narrow, &args, exec) && record.asked == 0);
  CHECK(started(&softmax, wide, &args, exec) && record.plan.strategy == ONEPASS_ROW_STREAM && record.asked == 1);
  CHECK(record.plan.passes == 2 && record.plan.cluster == 1);
  CHECK(refused(ONEPASS_ERROR_PASSES, &softmax, wide, &args, &once));
  forced.row_strategy = ONEPASS_ROW_SHARED;
  CHECK(refused(ONEPASS_ERROR_STRATEGY, &softmax, wide, &args, &forced) && record.asked == 1);
  row_device_here.answer = ONEPASS_ERROR_NO_DEVICE;
  CHECK(refused(ONEPASS_ERROR_NO_DEVICE, &softmax, wide, &args, exec));
  row_device_here.answer = ONEPASS_SUCCESS;
  row_device_here.device = all;
  CHECK(started(&softmax, narrow, &args, &forced) && record.plan.strategy == ONEPASS_ROW_SHARED);

  forced.row_strategy = ONEPASS_ROW_WARP;
  CHECK(started(&softmax, onepass_extent_2d(9, 512), &args, &forced) && record.plan.strategy == ONEPASS_ROW_WARP);
  CHECK(refused(ONEPASS_ERROR_STRATEGY, &softmax, narrow, &args, &forced));
  forced.row_strategy = ONEPASS_ROW_BLOCK;
  CHECK(started(&softmax, onepass_extent_2d(9, 1), &args, &forced) && record.plan.strategy == ONEPASS_ROW_BLOCK);
  CHECK(refused(ONEPASS_ERROR_STRATEGY, &softmax, wide, &args, &forced) && record.asked == 0);
  forced.row_strategy = ONEPASS_ROW_STREAM;
  CHECK(started(&softmax, narrow, &args, &forced) && record.plan.strategy == ONEPASS_ROW_STREAM);
  forced.require_one_pass = 1;
  CHECK(refused(ONEPASS_ERROR_PASSES, &softmax, narrow, &args, &forced));
  forced.require_one_pass = 0;
  CHECK(started(&map, narrow, &args, &forced));  // which has no rows to hold
  forced.where = ONEPASS_HOST;
  CHECK(ran_on_host(&softmax, narrow, &args, &forced));
  forced = *exec;
  for (int strategy = -2; strategy < ONEPASS_ROW_STRATEGY_COUNT + 3; ++strategy) {
    forced.row_strategy = (onepass_row_strategy_t)strategy;
    if (strategy < 0 || strategy >= ONEPASS_ROW_STRATEGY_COUNT)
      CHECK(refused(ONEPASS_ERROR_ARGUMENT, &softmax, narrow, &args, &forced));
  }

  // No rows: nothing starts. Rows of nothing write what a reduction of nothing means.
  CHECK(refused(ONEPASS_SUCCESS, &softmax, onepass_extent_2d(0, 9), &args, exec));
  CHECK(started(&softmax, onepass_extent_2d(9, 0), &args, exec) && record.plan.groups == 0 && record.plan.blocks > 0);

  onepass_report_t out;
  CHECK(onepass_report(&softmax, wide, &args, ONEPASS_ROW_AUTO, &out) == ONEPASS_SUCCESS);
  CHECK(out.plan.strategy == ONEPASS_ROW_CLUSTER);
  CHECK(onepass_report(&softmax, wide, NULL, ONEPASS_ROW_STREAM, &out) == ONEPASS_SUCCESS);
  CHECK(out.plan.strategy == ONEPASS_ROW_STREAM);
  CHECK(onepass_report(&softmax, wide, NULL, ONEPASS_ROW_WARP, &out) == ONEPASS_ERROR_STRATEGY);
  row_device_here.device = little;
  CHECK(onepass_report(&softmax, wide, &args, ONEPASS_ROW_AUTO, &out) == ONEPASS_SUCCESS);
  CHECK(out.plan.strategy == ONEPASS_ROW_STREAM);

  // What streams is read in each pass, and written once.
  const onepass_traffic_t held = onepass_traffic_of(&softmax, narrow), streamed = onepass_traffic_of(&softmax, endless);
  CHECK(held.bytes_read == 8 * 9000 && held.bytes_written == 4 * 9000 && held.passes == 1 && held.kernels == 1);
  CHECK(streamed.bytes_read == 2 * 8 * INT64_C(900000000) && streamed.bytes_written == 4 * INT64_C(900000000));
  CHECK(streamed.passes == 2 && streamed.kernels == 1);

  // Several blocks share a row where there is a workspace; without one, or with one that is too small, it has a block.
  const size_t needed = onepass_workspace_bytes(&softmax, endless);
  const uintptr_t x = (uintptr_t)args.leaves[0].pointer;
  CHECK(needed == 1024 + 9 * (4097 * 8 + 8) && onepass_workspace_bytes(&softmax, wide) == 0);
  row_device_here.device = all;
  onepass_exec_t own = *exec;
  own.workspace_bytes = needed;
  CHECK(started(&softmax, endless, &args, &own) && record.plan.workspace_bytes == needed);
  CHECK(record.plan.row_blocks == 29 && record.plan.blocks == 9 * 29 && record.asked == 1);  // 29 of 9 parts hold 256
  const int32_t packs = record.plan.packs;
  own.max_blocks = 100;
  CHECK(started(&softmax, endless, &args, &own) && record.plan.row_blocks == 11 && record.plan.packs == packs);
  CHECK(record.plan.workspace_bytes == needed && record.plan.blocks == 99);
  own.max_blocks = 17;
  CHECK(started(&softmax, endless, &args, &own) && record.plan.row_blocks == 1 && record.plan.workspace_bytes == 0);
  own.max_blocks = 1000;
  CHECK(started(&softmax, endless, &args, &own) && record.plan.row_blocks == 29);
  own.max_blocks = 0;
  own.workspace = (void *)(x + 64);
  CHECK(refused(ONEPASS_ERROR_OVERLAP, &softmax, endless, &args, &own));
  own.workspace = (void *)((uintptr_t)exec->workspace + 4);
  CHECK(refused(ONEPASS_ERROR_WORKSPACE_ALIGNMENT, &softmax, endless, &args, &own));
  own.workspace_bytes = needed - 1;
  for (int i = 0; i < 2; ++i) {
    CHECK(started(&softmax, endless, &args, &own) && record.plan.row_blocks == 1 && record.plan.packs == packs);
    CHECK(record.plan.workspace_bytes == 0 && record.plan.blocks == 9);
    own.workspace = NULL;
  }
  row_device_here.device.stream_blocks[1] = 0;  // where no block can wait for another
  CHECK(started(&softmax, endless, &args, exec) && record.plan.row_blocks == 1 && record.plan.workspace_bytes == 0);
}

// A count in device memory: planned for the most, read by the host only in a host launch.
static void check_count(const onepass_exec_t *exec) {
  const args_t args = chain(), sums = total();
  onepass_exec_t here = *exec;
  here.where = ONEPASS_HOST;
  int64_t n[2] = {5, 0};
  const onepass_extent_t at = onepass_extent_at(n, 1000);
  CHECK(started(&map, at, &args, exec) && record.extent.columns_at == n && record.plan.groups == 250);
  CHECK(started(&sum, at, &sums, exec) && record.extent.columns_at == n);
  const int64_t seen[][2] = {{5, 5}, {0, 0}, {-7, 0}, {1000, 1000}, {1001, 1000}};
  for (int i = 0; i < 5; ++i) {
    n[0] = seen[i][0];
    CHECK(launch(&map, at, &args, &here) == ONEPASS_SUCCESS && record.ran_on_host == 1);
    CHECK(record.extent.rows == 1 && record.extent.columns == seen[i][1] && record.extent.columns_at == NULL);
  }
  const int64_t *skewed = (const int64_t *)((uintptr_t)n + 4);
  CHECK(refused(ONEPASS_ERROR_EXTENT, &map, onepass_extent_at(NULL, 1000), &args, exec));
  CHECK(refused(ONEPASS_ERROR_EXTENT, &map, onepass_extent_at(n, -1), &args, exec));
  CHECK(refused(ONEPASS_ERROR_ALIGNMENT, &map, onepass_extent_at(skewed, 1000), &args, exec));
  args_t onto = args;
  onto.leaves[2].pointer = (const void *)((uintptr_t)n - 4);
  CHECK(refused(ONEPASS_ERROR_OVERLAP, &map, at, &onto, exec));
  CHECK(refused(ONEPASS_SUCCESS, &map, onepass_extent_at(n, 0), &args, exec));
  // A reduction of nothing reads the count all the same; and it must not lie in the workspace.
  CHECK(started(&sum, onepass_extent_at(n, 0), &sums, exec));
  CHECK(refused(ONEPASS_ERROR_ALIGNMENT, &sum, onepass_extent_at(skewed, 0), &sums, exec));
  onto = sums;
  onto.leaves[1].pointer = n;
  CHECK(refused(ONEPASS_ERROR_OVERLAP, &sum, onepass_extent_at(n, 0), &onto, exec));
  const int64_t *inside = (const int64_t *)((uintptr_t)exec->workspace + 64);
  CHECK(refused(ONEPASS_ERROR_OVERLAP, &sum, onepass_extent_at(inside, 1 << 24), &sums, exec));
}

// Segments: for rows alone; the offsets are there, aligned, and apart from what the kernel writes.
static void check_segments(const onepass_exec_t *exec) {
  const uintptr_t place = (uintptr_t)9 << 44;  // no array begins there
  const int32_t *small = (const int32_t *)place;
  const int64_t *large = (const int64_t *)place;
  const onepass_extent_t i32 = onepass_extent_segments_i32(small, 10, 1000), i64 = onepass_extent_segments_i64(large, 10, 1000);
  const onepass_extent_t both[] = {i32, i64};
  onepass_exec_t here = *exec;
  here.where = ONEPASS_HOST;
  args_t args = chain(), sums = total();
  CHECK(refused(ONEPASS_ERROR_EXTENT, &softmax, onepass_extent_segments_i32(NULL, 10, 1000), &args, exec));
  CHECK(refused(ONEPASS_ERROR_EXTENT, &softmax, onepass_extent_segments_i64(NULL, 0, 1000), &args, &here));
  for (int i = 0; i < 2; ++i) {
    const onepass_extent_t extent = both[i];
    const uintptr_t bytes = (uintptr_t)extent.offset_bytes, end = place + 11 * bytes;  // rows + 1 of them
    CHECK(started(&softmax, extent, &args, exec) && record.extent.offsets == extent.offsets);
    CHECK(record.extent.offset_bytes == extent.offset_bytes && record.plan.strategy == ONEPASS_ROW_BLOCK);
    CHECK(!record.plan.aligned && !record.plan.counted);
    CHECK(ran_on_host(&softmax, extent, &args, &here) && record.extent.offsets == extent.offsets);
    CHECK(record.extent.offset_bytes == extent.offset_bytes);
    // What sees no rows is refused, also where it has a count of elements to do.
    CHECK(refused(ONEPASS_ERROR_SEGMENTS, &map, extent, &args, exec));
    CHECK(refused(ONEPASS_ERROR_SEGMENTS, &rows, extent, &args, exec));
    CHECK(refused(ONEPASS_ERROR_SEGMENTS, &sum, extent, &sums, exec));
    CHECK(refused(ONEPASS_ERROR_SEGMENTS, &map, extent, &args, &here));
    CHECK(refused(ONEPASS_ERROR_SEGMENTS, &sum, extent, &sums, &here));
    onepass_extent_t other = extent;
    for (uintptr_t off = 0; off < 16; ++off) {
      other.offsets = (const void *)(place + off);
      const int aligned = off % bytes == 0;
      CHECK(aligned ? started(&softmax, other, &args, exec)
                    : refused(ONEPASS_ERROR_ALIGNMENT, &softmax, other, &args, exec));
      other.rows = 0;  // of which the first offset is there all the same
      CHECK(refused(aligned ? ONEPASS_SUCCESS : ONEPASS_ERROR_ALIGNMENT, &softmax, other, &args, exec));
      other.rows = 10;
    }
    other = extent;
    for (int32_t wrong = -4; wrong <= 16; ++wrong) {
      other.offset_bytes = wrong;
      if (wrong != 4 && wrong != 8) CHECK(refused(ONEPASS_ERROR_EXTENT, &softmax, other, &args, exec));
    }
    other = extent;
    other.rows = -1;
    CHECK(refused(ONEPASS_ERROR_EXTENT, &softmax, other, &args, exec));

    // The offsets in a sink's first element, and in a vector of results; each of them counts, none is behind.
    args_t onto = chain();
    onto.leaves[2].pointer = (const void *)place;
    CHECK(refused(ONEPASS_ERROR_OVERLAP, &softmax, extent, &onto, exec));
    CHECK(refused(ONEPASS_ERROR_OVERLAP, &softmax, extent, &onto, &here));
    onto.leaves[2].pointer = (const void *)(end - 4);
    CHECK(refused(ONEPASS_ERROR_OVERLAP, &softmax, extent, &onto, exec));
    onto.leaves[2].pointer = (const void *)end;
    CHECK(started(&softmax, extent, &onto, exec));
    onto.leaves[2] = array(2, ONEPASS_PER_ROW, 1);
    onto.leaves[2].pointer = (const void *)(place - 40);
    CHECK(started(&softmax, extent, &onto, exec));
    onto.leaves[2].pointer = (const void *)(place - 36);
    CHECK(refused(ONEPASS_ERROR_OVERLAP, &softmax, extent, &onto, exec));
    onto.leaves[2].pointer = (const void *)(end - 4);
    CHECK(refused(ONEPASS_ERROR_OVERLAP, &softmax, extent, &onto, exec));
    onto.leaves[2].pointer = (const void *)end;
    CHECK(started(&softmax, extent, &onto, exec));
    onto = chain();
    onto.leaves[0].pointer = (const void *)place;  // a source may be what it likes
    CHECK(started(&softmax, extent, &onto, exec));

    // How far a dense array goes stands in the offsets: two that rows x columns would overlap are apart or one.
    onto = chain();
    const char *x = (const char *)onto.leaves[0].pointer;
    onto.leaves[2].pointer = x;
    CHECK(started(&softmax, extent, &onto, exec));
    onto.leaves[2].pointer = x + 4;
    CHECK(started(&softmax, extent, &onto, exec));
    onto.leaves[2].pointer = x;
    onto.leaves[2].element_bytes = 2;
    CHECK(refused(ONEPASS_ERROR_OVERLAP, &softmax, extent, &onto, exec));
    // Rows of nothing write what a reduction of nothing means.
    CHECK(started(&softmax, i ? onepass_extent_segments_i64(large, 10, 0) : onepass_extent_segments_i32(small, 10, 0),
                  &args, exec));
  }
}

// One element for each group of columns: dense rows of whole groups, or a pitch.
static void check_groups(const onepass_exec_t *exec) {
  onepass_exec_t here = *exec;
  here.where = ONEPASS_HOST;
  args_t args = chain();
  for (int i = 0; i < 3; ++i) {
    args = chain();
    args.leaves[i].span = ONEPASS_PER_GROUP;
    args.leaves[i].group = 64;
    const onepass_extent_t whole = onepass_extent_2d(10, 256), part = onepass_extent_2d(10, 250);
    CHECK(started(&rows, whole, &args, exec) && ran_on_host(&rows, whole, &args, &here));
    CHECK(refused(ONEPASS_ERROR_GROUPS, &rows, part, &args, exec));
    CHECK(refused(ONEPASS_ERROR_GROUPS, &softmax, part, &args, exec));
    CHECK(refused(ONEPASS_ERROR_GROUPS, &softmax, part, &args, &here));
    CHECK(started(&rows, onepass_extent_2d(1, 250), &args, exec));
    CHECK(refused(ONEPASS_SUCCESS, &rows, onepass_extent_2d(0, 250), &args, exec));
    args.leaves[i].pitch = 4;
    CHECK(started(&rows, part, &args, exec) && started(&softmax, part, &args, exec));
    args.leaves[i].pitch = 3;
    CHECK(refused(i == 2 ? ONEPASS_ERROR_OVERLAPPING_ROWS : ONEPASS_ERROR_PITCH, &rows, part, &args, exec));
  }
  // Two sinks: an element each, and one for each group, in what is left of a row of the first.
  args = chain();
  args.leaves[1] = args.leaves[2];
  args.leaves[1].span = ONEPASS_PER_GROUP;
  args.leaves[1].group = 64;
  args.leaves[1].pitch = args.leaves[2].pitch = 260;
  args.leaves[1].pointer = (const char *)args.leaves[2].pointer + 4 * 256;
  CHECK(started(&softmax, onepass_extent_2d(10, 256), &args, exec));
  CHECK(refused(ONEPASS_ERROR_OVERLAP, &softmax, onepass_extent_2d(10, 257), &args, exec));
  CHECK(refused(ONEPASS_ERROR_OVERLAP, &softmax, onepass_extent_1d(257), &args, exec));
}

static void check_report(void) {
  const onepass_extent_t n = onepass_extent_1d(1000);
  onepass_report_t out;
  args_t args = chain();
  CHECK(onepass_report(&map, n, &args, ONEPASS_ROW_AUTO, &out) == ONEPASS_SUCCESS && out.registers == 32 &&
        out.plan.aligned);
  args.leaves[0].pointer = (const char *)args.leaves[0].pointer + 4;
  CHECK(onepass_report(&map, n, &args, ONEPASS_ROW_AUTO, &out) == ONEPASS_SUCCESS && !out.plan.aligned);
  CHECK(onepass_report(&map, n, NULL, ONEPASS_ROW_AUTO, &out) == ONEPASS_SUCCESS && out.plan.aligned &&
        out.plan.groups == 250);
  CHECK(onepass_report(NULL, n, &args, ONEPASS_ROW_AUTO, &out) == ONEPASS_ERROR_ARGUMENT);
  CHECK(onepass_report(&map, n, &args, ONEPASS_ROW_AUTO, NULL) == ONEPASS_ERROR_ARGUMENT);
  CHECK(onepass_report(&map, onepass_extent_1d(-1), &args, ONEPASS_ROW_AUTO, &out) == ONEPASS_ERROR_EXTENT);
}

static void check_traffic(void) {
  const onepass_extent_t n = onepass_extent_1d(1000);
  const onepass_traffic_t fused = onepass_traffic_of(&map, n), apart = onepass_unfused_traffic_of(&map, n);
  CHECK(fused.bytes_read == 8000 && fused.bytes_written == 4000 && fused.kernels == 1);
  CHECK(fused.intermediate_bytes == 0 && fused.passes == 1);
  CHECK(apart.bytes_read == 16000 && apart.bytes_written == 12000 && apart.kernels == 3);
  CHECK(apart.intermediate_bytes == 16000);
}

int main(void) {
  onepass_exec_t exec = {ONEPASS_DEVICE, NULL, (void *)(uintptr_t)4096, 1 << 20, 0, 0, 0, ONEPASS_ROW_AUTO};
  check_arguments(&exec);
  check_extents(&exec);
  check_empty(&exec);
  check_pointers(&exec);
  check_places(&exec);
  check_workspace(&exec);
  check_host(&exec);
  check_answers(&exec);
  check_row_strategies(&exec);
  check_count(&exec);
  check_segments(&exec);
  check_groups(&exec);
  check_report();
  check_traffic();
  for (int status = 0; status < ONEPASS_STATUS_COUNT; ++status) CHECK(reached[status]);
  return check_result();
}
