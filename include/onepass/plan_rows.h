// SPDX-License-Identifier: Apache-2.0
// Part of onepass: the plan of rows: where a row lives while it is reduced, and who takes which. Plain C11, no CUDA.
#ifndef ONEPASS_PLAN_ROWS_H
#define ONEPASS_PLAN_ROWS_H

#include "geometry.h"
#include "integer.h"
#include "status.h"

#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"  // C has no other
#endif

// What the device of a row pipeline has; a null pointer stands for the most.
typedef struct onepass_row_device_t {
  int32_t cluster;       // blocks of a cluster at most, 1 without clusters
  int32_t shared_bytes;  // that a block can ask for
  int32_t multiprocessors;
  int32_t stream_blocks[2];  // that a multiprocessor holds of rows that stream and can share: misaligned, aligned ones
} onepass_row_device_t;

// The table of rows in registers: a row goes to the first line whose threads x packs hold its groups. A group has 16
// bytes of the smallest element; of more than 8 lanes, a thread takes half as many. Idle threads cost as much as busy
// ones, hence the steps; single elements that are not there cost nothing.
typedef enum onepass_row_by { ONEPASS_BY_GROUPS = 1, ONEPASS_BY_SINGLES = 2, ONEPASS_BY_BOTH = 3 } onepass_row_by_t;
typedef struct onepass_row_cut_t {  // onepass_row_cut is the function below
  onepass_row_strategy_t strategy;
  int32_t threads, packs;
  int32_t lanes;  // of a group, at least
  onepass_row_by_t by;
} onepass_row_cut_t;

ONEPASS_INLINE ONEPASS_CONSTEXPR onepass_row_cut_t onepass_row_cut(int i) {
  const onepass_row_cut_t cuts[] = {{ONEPASS_ROW_WARP, 4, 2, 1, ONEPASS_BY_GROUPS},
                                    {ONEPASS_ROW_WARP, 8, 2, 1, ONEPASS_BY_BOTH},
                                    {ONEPASS_ROW_WARP, 16, 2, 1, ONEPASS_BY_GROUPS},
                                    {ONEPASS_ROW_WARP, 8, 5, 8, ONEPASS_BY_GROUPS},
                                    {ONEPASS_ROW_WARP, 16, 4, 1, ONEPASS_BY_BOTH},
                                    {ONEPASS_ROW_WARP, 32, 4, 1, ONEPASS_BY_BOTH},
                                    {ONEPASS_ROW_BLOCK, 64, 4, 1, ONEPASS_BY_BOTH},
                                    {ONEPASS_ROW_BLOCK, 96, 4, 1, ONEPASS_BY_GROUPS},
                                    {ONEPASS_ROW_BLOCK, 128, 4, 1, ONEPASS_BY_BOTH},
                                    {ONEPASS_ROW_BLOCK, 96, 6, 8, ONEPASS_BY_SINGLES},
                                    {ONEPASS_ROW_BLOCK, 160, 4, 1, ONEPASS_BY_GROUPS},
                                    {ONEPASS_ROW_BLOCK, 192, 4, 1, ONEPASS_BY_BOTH},
                                    {ONEPASS_ROW_BLOCK, 256, 4, 1, ONEPASS_BY_BOTH},
                                    {ONEPASS_ROW_BLOCK, 192, 8, 1, ONEPASS_BY_BOTH},
                                    {ONEPASS_ROW_BLOCK, 256, 6, 8, ONEPASS_BY_SINGLES},
                                    {ONEPASS_ROW_BLOCK, 384, 4, 8, ONEPASS_BY_GROUPS},
                                    {ONEPASS_ROW_BLOCK, 256, 7, 8, ONEPASS_BY_SINGLES},
                                    {ONEPASS_ROW_BLOCK, 512, 4, 1, ONEPASS_BY_BOTH},
                                    {ONEPASS_ROW_BLOCK, 384, 8, 1, ONEPASS_BY_GROUPS},
                                    {ONEPASS_ROW_BLOCK, 512, 8, 1, ONEPASS_BY_BOTH},
                                    {ONEPASS_ROW_AUTO, 0, 0, 0, ONEPASS_BY_BOTH}};  // the end
  return cuts[i];
}

// Whether the threads of a row, pack by pack, are whole runs of `neighbours` threads that a stage takes together.
ONEPASS_INLINE ONEPASS_CONSTEXPR int onepass_row_has_runs(int32_t threads, int32_t neighbours) {
  return neighbours <= 1 || threads % neighbours == 0;
}

// The packs of a thread in a line of the table.
ONEPASS_INLINE ONEPASS_CONSTEXPR int32_t onepass_row_packs(int32_t packs, int32_t lanes) {
  return lanes > 8 ? packs / 2 : packs;
}

// Bytes of the images of a misaligned row of `groups`: behind each are 32 more, as its words are read two at a time.
ONEPASS_INLINE ONEPASS_CONSTEXPR int32_t onepass_row_images(const onepass_geometry_t *geometry, int32_t groups) {
  return groups * geometry->staged_bytes + 32 * geometry->staged;
}

// Whether rows of `groups` that are not whole groups are taken element by element.
ONEPASS_INLINE ONEPASS_CONSTEXPR int onepass_has_singles(onepass_singles_t singles, int64_t groups) {
  return singles == ONEPASS_SINGLES_ALL || (singles == ONEPASS_SINGLES_WIDE && groups > ONEPASS_SINGLE_GROUPS);
}

// Whether a pipeline has a line of the table, `bytes` of whose arrays and vectors make a group: a thread holds up to
// ONEPASS_THREAD_ELEMENTS (more in lines of singles alone), the threads are whole runs of the neighbours that a stage
// takes together, and a multiprocessor has room for two blocks. (On an H200 the share of a copy is, of 8192 floats,
// 0.97 to 0.99 by 512 threads of 4 packs and 0.96 to 0.97 by 256 of 8; of 12288 bf16, softmax, 0.96 by 384 threads and
// 0.87 by 192 with 64 elements each; of 6144 floats, layer_norm, 0.97 by 192 threads and 0.90 by 384; of 16384 floats
// by one block, layer_norm, 0.89, and by blocks that stay 0.95; of 257 bf16, softmax, 0.87 by 8 threads of 5 packs and
// 0.67 by 16 of 4. By singles, of 4097 bf16, rms_norm and layer_norm, 0.88 and 0.82 by 96 threads of 6 packs, 0.86 and
// 0.70 by 192 of 4; of 12289 0.84 and 0.74 by 256 of 7, 0.77 and 0.59 by 512 of 4.)
ONEPASS_INLINE ONEPASS_CONSTEXPR int onepass_row_cut_exists(onepass_row_cut_t cut, int32_t lanes, int32_t neighbours,
                                                            int32_t bytes, int single) {
  return lanes >= cut.lanes && (lanes <= 8 || cut.packs % 2 == 0) &&
         (cut.by & (single ? ONEPASS_BY_SINGLES : ONEPASS_BY_GROUPS)) != 0 &&
         (cut.by == ONEPASS_BY_SINGLES ||
          onepass_row_packs(cut.packs, lanes) * lanes <= ONEPASS_THREAD_ELEMENTS) &&
         onepass_row_has_runs(cut.threads, neighbours) && (single || cut.threads * cut.packs < 4096 || bytes <= 32);
}
// The rows of a block, and whether a line of the table holds rows of `groups`: misaligned ones need images, and aligned
// ones do as they, so that a row's bits are the same.
ONEPASS_INLINE ONEPASS_CONSTEXPR int32_t onepass_row_cut_rows(onepass_row_cut_t cut) {
  return cut.strategy == ONEPASS_ROW_WARP ? ONEPASS_WARP_ROW_THREADS / cut.threads : 1;
}
ONEPASS_INLINE ONEPASS_CONSTEXPR int onepass_row_cut_holds(onepass_row_cut_t cut, const onepass_geometry_t *geometry,
                                                           int64_t groups, int32_t shared_bytes, int single) {
  const int32_t held = cut.threads * onepass_row_packs(cut.packs, geometry->lanes);
  return held >= groups &&
         onepass_row_cut_exists(cut, geometry->lanes, geometry->neighbours,
                                geometry->held_bytes + geometry->kept_bytes, single) &&
         (single || onepass_row_cut_rows(cut) * onepass_row_images(geometry, held) <= shared_bytes);
}

// Where clusters do not draw their rows: how many each of those that the device has room for takes one after the other,
// and how many rows are left for clusters that begin where one of those has ended. They end unevenly (on an H200 after
// 55 to 130 us of 130), and the last round is seldom full; but a row of a few rounds is on its way while the one before
// is reduced (132 rows of 32768 floats, rms_norm: 13.5 us in two rounds, 16.5 in one and as many clusters behind it).
// So up to three rounds are as full as each other.
ONEPASS_INLINE void onepass_plan_rounds(int64_t rows, onepass_plan_t *plan) {
  const int64_t part = plan->cluster == 1 ? 16 : plan->cluster == 2 ? 24 : 32;
  const int64_t most = plan->resident > 0 ? onepass_ceil_div(rows, plan->resident) : 0;
  if (most > 1 && most <= 3) plan->resident = (int32_t)(rows / most);
  const int64_t rounds = plan->resident > 0 ? rows / plan->resident : 0;
  const int64_t some = (rounds + part / 2) / part, left = rounds <= 3 ? 0 : some < 1 ? 1 : some > 3 ? 3 : some;
  plan->rounds = rounds > left ? rounds - left : plan->resident > 0;
  plan->blocks = plan->cluster * (plan->resident + rows - plan->resident * plan->rounds);
  plan->workspace_bytes = 0;
}

// Whether blocks that stay keep vectors in shared memory, beside a place for `held` bytes of each group.
ONEPASS_INLINE ONEPASS_CONSTEXPR int onepass_cluster_keeps(int32_t lanes, int32_t held, int32_t kept) {
  return kept > 0 && ONEPASS_CLUSTER_THREADS * onepass_row_packs(ONEPASS_CLUSTER_PACKS, lanes) * (held + kept) <=
                         ONEPASS_MAX_SHARED_BYTES;
}

// The packs of a thread of such a block: as many elements as ONEPASS_CLUSTER_PACKS groups are; or, where they go one by
// one (of `registers` registers each, else 0), up to ONEPASS_SINGLE_CLUSTER_ELEMENTS.
ONEPASS_INLINE ONEPASS_CONSTEXPR int32_t onepass_cluster_packs(int32_t lanes, int32_t registers) {
  if (registers == 0) return onepass_row_packs(ONEPASS_CLUSTER_PACKS, lanes);
  int32_t elements = ONEPASS_SINGLE_CLUSTER_ELEMENTS;
  while (elements > ONEPASS_SINGLE_CHUNK && elements * registers > 2 * ONEPASS_SINGLE_CLUSTER_ELEMENTS) elements /= 2;
  return elements > lanes ? elements / lanes : 1;
}

// The threads of a block that takes groups: few while a cluster of at most `most` such blocks holds the row. Small
// blocks of a multiprocessor have their phases in turn, and a few rows find more of them. (On an H200, of bf16 by 512,
// 256 and 128 threads: softmax of 4096 x 32768 0.94, 0.93 and 0.95 of a copy, of 1024 x 131072 0.88, 0.93 and 0.95;
// rms_norm 0.95, 0.95 and 0.94, 0.94, 0.96 and 0.94; softmax of one row of 32768 0.54, 0.62 and 0.64. Floats, 32 to a
// thread, are as fast by 512 threads or faster.)
ONEPASS_INLINE ONEPASS_CONSTEXPR int32_t onepass_cluster_threads(int32_t lanes, int32_t neighbours, int32_t kept,
                                                                 int64_t groups, int32_t most) {
  int32_t small = ONEPASS_SMALL_CLUSTER_THREADS * (kept > 0 ? 2 : 1);
  while (!onepass_row_has_runs(small, neighbours)) small *= 2;
  const int fits = groups <= (int64_t)most * small * onepass_cluster_packs(lanes, 0);
  return lanes >= 8 && fits ? small : ONEPASS_CLUSTER_THREADS;
}

// Where elements go one by one, the arrays of a block's part of the row (at most so many groups) lie in shared memory
// as they lie in global, with a word of 16 bytes more for each, of which there are no more than bytes of an element.
// Vectors are kept beside them if a multiprocessor has room for two such blocks.
ONEPASS_INLINE ONEPASS_CONSTEXPR int32_t onepass_single_groups(int32_t lanes, int32_t registers) {
  return onepass_cluster_packs(lanes, registers) * ONEPASS_SINGLE_CLUSTER_THREADS;
}
ONEPASS_INLINE ONEPASS_CONSTEXPR int32_t onepass_single_bytes(int32_t lanes, int32_t group_bytes, int32_t groups) {
  return group_bytes / lanes * (groups * lanes + 16);
}
ONEPASS_INLINE ONEPASS_CONSTEXPR int onepass_single_keeps(int32_t lanes, int32_t registers, int32_t held,
                                                          int32_t kept) {
  const int32_t bytes = onepass_single_bytes(lanes, held + kept, onepass_single_groups(lanes, registers));
  return kept > 0 && 2 * (bytes + ONEPASS_BLOCK_SHARED_BYTES) <= ONEPASS_MAX_SHARED_BYTES;
}
// The blocks that a multiprocessor then has room for, by the registers of their elements and by shared memory. (On an
// H200, softmax of 50257 and 128257 bf16 is 0.82 and 0.82 of a copy by five blocks, 0.80 and 0.77 by four; by two of
// 256 threads, whose elements come from global memory, 0.63 and 0.69.)
ONEPASS_INLINE ONEPASS_CONSTEXPR int32_t onepass_single_cluster_blocks(int32_t lanes, int32_t registers, int32_t held,
                                                                       int32_t kept) {
  const int32_t groups = onepass_single_groups(lanes, registers),
                elements = groups / ONEPASS_SINGLE_CLUSTER_THREADS * lanes,
                most = elements * registers > ONEPASS_SINGLE_CLUSTER_ELEMENTS ? 2 : kept > 0 ? 4 : 5,
                vectors = onepass_single_keeps(lanes, registers, held, kept) ? kept : 0,
                bytes = onepass_single_bytes(lanes, held + vectors, groups) + ONEPASS_BLOCK_SHARED_BYTES,
                fit = ONEPASS_MAX_SHARED_BYTES / bytes;
  return fit < 1 ? 1 : fit < most ? fit : most;
}

// The clusters that a device has room for, with `each` of their blocks on a multiprocessor. The blocks of one are
// neighbours, and so those of 4 and more find no room everywhere. (On an H200, of one block each, 30, 15 and 7 of 4, 8
// and 16; of five, 84 of 7 and 35 of 16.)
ONEPASS_INLINE ONEPASS_CONSTEXPR int64_t onepass_cluster_room(int32_t multiprocessors, int32_t cluster, int32_t each) {
  const int64_t usable = cluster > 2 ? (int64_t)multiprocessors * 10 / 11 : multiprocessors,
                room = cluster > 8 ? usable / 16 * (16 * each / cluster) : usable * each / cluster;
  return room > 1 ? room : 1;
}

// A row in the registers of as few blocks as hold it, by at most so many packs of each thread. The next row lands in
// shared memory, beside vectors if there is room.
ONEPASS_INLINE int onepass_plan_cluster_row(const onepass_geometry_t *geometry, int64_t rows, int64_t groups_per_row,
                                            onepass_row_device_t device, onepass_plan_t *plan) {
  const int32_t lanes = geometry->lanes, held = geometry->held_bytes, kept = geometry->kept_bytes,
                registers = geometry->element_registers, single = plan->single;
  const int32_t of_groups =
      onepass_cluster_threads(lanes, geometry->neighbours, kept, groups_per_row, device.cluster);
  const int64_t own = onepass_cluster_packs(lanes, single ? registers : 0),
                threads = single ? ONEPASS_SINGLE_CLUSTER_THREADS : of_groups;
  if (held == 0 || (single && device.cluster == 1)) return 0;
  const int keeps =
      single ? onepass_single_keeps(lanes, registers, held, kept) : onepass_cluster_keeps(lanes, held, kept);
  const int64_t fewest = onepass_ceil_div(groups_per_row, own * threads), cluster = fewest > 1 ? fewest : 1;
  if (cluster > device.cluster) return 0;
  const int64_t some = onepass_ceil_div(groups_per_row, cluster * threads), packs = some > 1 ? some : 1;
  // Single elements are shared out by what a warp has of a chunk.
  const int64_t even = onepass_ceil_div(groups_per_row * lanes, cluster * 32 * ONEPASS_SINGLE_CHUNK),
                part = single ? even * 32 * ONEPASS_SINGLE_CHUNK / lanes : packs * threads;
  // Of groups a place for each pack, so that none is asked for.
  const int32_t all = held + (keeps ? kept : 0),
                bytes = single ? onepass_single_bytes(lanes, all, (int32_t)part) : (int32_t)(own * threads) * all,
                images = single ? 0 : onepass_row_images(geometry, (int32_t)(own * threads));
  // Aligned or not: a row's bits are the same.
  if (bytes > device.shared_bytes || images > device.shared_bytes) return 0;
  plan->strategy = ONEPASS_ROW_CLUSTER;
  plan->threads = (int32_t)threads;
  plan->packs = (int32_t)packs;
  plan->cluster = (int32_t)cluster;
  plan->part = (int32_t)part;
  plan->keeps = (plan->aligned || single) && keeps;
  plan->shared_bytes = plan->aligned || single ? bytes : images;
  plan->image_bytes = plan->aligned ? 0 : images;
  const int32_t by_registers = single ? onepass_single_cluster_blocks(lanes, registers, held, kept)
                                      : ONEPASS_CLUSTER_THREADS / (int32_t)threads,
                by_memory = (device.shared_bytes + ONEPASS_BLOCK_SHARED_BYTES) /
                            (plan->shared_bytes + ONEPASS_BLOCK_SHARED_BYTES),
                each = by_memory < by_registers ? by_memory : by_registers;
  const int64_t fit = onepass_cluster_room(device.multiprocessors, plan->cluster, each);
  plan->resident = (int32_t)(rows < fit ? rows : fit);
  plan->blocks = cluster * plan->resident;
  plan->workspace_bytes = ONEPASS_WORKSPACE_HEADER_BYTES;
  // The first are taken by number, and blocks that meet at no row stage could not tell each other of a draw.
  if (rows <= ONEPASS_CLUSTER_NUMBERED * plan->resident || rows > INT32_MAX || geometry->row_stages == 0)
    onepass_plan_rounds(rows, plan);
  return 1;
}

// A row in shared memory: in as few blocks as hold it by ONEPASS_SHARED_BYTES each, so that a multiprocessor has
// several of them; or, where the device has no more blocks to a cluster, by as many bytes as it takes.
ONEPASS_INLINE int onepass_plan_shared_row(const onepass_geometry_t *geometry, int64_t groups_per_row,
                                           onepass_row_device_t device, onepass_plan_t *plan) {
  if (geometry->held_bytes == 0 || !onepass_row_has_runs(ONEPASS_SHARED_THREADS, geometry->neighbours)) return 0;
  const int64_t pack = (int64_t)ONEPASS_SHARED_THREADS * geometry->held_bytes;  // bytes
  const int64_t usual = ONEPASS_SHARED_BYTES / pack * ONEPASS_SHARED_THREADS;   // groups of a block
  int64_t cluster = usual > 0 ? onepass_ceil_div(groups_per_row, usual) : device.cluster;
  if (cluster < 1) cluster = 1;
  if (cluster > device.cluster) cluster = device.cluster;
  const int64_t packs = onepass_ceil_div(groups_per_row, cluster * ONEPASS_SHARED_THREADS);
  // Where more than 8 blocks share a row, a multiprocessor takes two, since fewer than 16 may be within reach.
  if (packs > device.shared_bytes / (cluster > 8 ? 2 : 1) / pack) return 0;
  plan->strategy = ONEPASS_ROW_SHARED;
  plan->threads = ONEPASS_SHARED_THREADS;
  plan->packs = (int32_t)packs;
  plan->cluster = (int32_t)cluster;
  plan->shared_bytes = (int32_t)(packs * pack);
  return 1;
}

// The parts of a row that streams. Each is reduced by itself, and their states are combined in order, so the bits of a
// row are a function of its width, whoever takes which part. A part costs a reduction over each warp: few parts where
// there may be many rows, more where a row is a launch's whole work.
ONEPASS_INLINE int64_t onepass_row_parts(const onepass_plan_t *plan) {
  const int64_t parts = onepass_ceil_div(plan->groups_per_row, (int64_t)plan->threads * plan->packs);
  return parts > 1 ? parts : 1;
}
// Whether nothing holds a row: then it costs less to go through it with few threads than to share it out to many, each
// of which has its part in the reduction. (Cross-entropy on an H200, as a share of a kernel that reads the row: of 4096
// bf16 0.90 by 32 threads and 0.81 by 64; of 32768 0.91 by 64 threads, 0.86 by 256 and 0.70 by 512; of 131072 0.89 by
// 256 and 0.82 by 512.)
ONEPASS_INLINE ONEPASS_CONSTEXPR int onepass_rows_pass_by(const onepass_geometry_t *geometry) {
  return geometry->row_stages == 0 && geometry->neighbours <= 1;
}
ONEPASS_INLINE ONEPASS_CONSTEXPR int32_t onepass_stream_threads(const onepass_geometry_t *geometry) {
  return onepass_rows_pass_by(geometry) ? ONEPASS_PASSING_STREAM_THREADS : ONEPASS_STREAM_THREADS;
}
ONEPASS_INLINE void onepass_plan_stream(const onepass_geometry_t *geometry, onepass_plan_t *plan) {
  const int32_t threads = onepass_stream_threads(geometry);
  const int64_t least = plan->groups_per_row > 65536 ? 4096 : 8192, most = INT32_MAX / ONEPASS_STREAM_THREADS;
  const int64_t even = onepass_ceil_div(plan->groups_per_row, ONEPASS_STREAM_PARTS);
  const int64_t packs = onepass_ceil_div(even < least ? least : even, threads);  // of a part
  plan->strategy = ONEPASS_ROW_STREAM;
  plan->threads = threads;
  plan->packs = (int32_t)(packs < most ? packs : most);
  plan->passes = geometry->row_stages + 1;
  if (onepass_rows_pass_by(geometry) && plan->groups_per_row <= ONEPASS_NARROW_STREAM_GROUPS) {
    plan->threads = plan->groups_per_row <= ONEPASS_WARP_STREAM_GROUPS ? ONEPASS_WARP_STREAM_THREADS
                                                                       : ONEPASS_NARROW_STREAM_THREADS;
    plan->packs = ONEPASS_NARROW_STREAM_GROUPS / plan->threads;
  }
  plan->part = plan->packs * plan->threads;
}

// Lets as many of `blocks` share each row as end sooner for it; fewer than two are one, without a workspace.
ONEPASS_INLINE void onepass_share_rows(int64_t rows, int64_t blocks, onepass_plan_t *plan) {
  const int64_t parts = onepass_row_parts(plan), most = rows > 0 ? blocks / rows : 0;
  const int64_t each = onepass_ceil_div(parts, most > 1 ? most : 1);  // parts of a block
  plan->row_blocks = most > 1 ? (int32_t)onepass_ceil_div(parts, each) : 1;
  plan->blocks = rows * plan->row_blocks;
  if (plan->row_blocks == 1) plan->workspace_bytes = 0;
}

// Bytes of workspace of a row that blocks share: the result, and a state of each warp for each part.
ONEPASS_INLINE int64_t onepass_shared_row_bytes(const onepass_geometry_t *geometry, const onepass_plan_t *plan) {
  const int64_t unit = ONEPASS_WORKSPACE_ALIGNMENT, states = onepass_row_parts(plan) * (plan->threads / 32);
  return (onepass_ceil_div(geometry->state_bytes, unit) + onepass_ceil_div(states * geometry->state_bytes, unit)) *
         unit;
}

// Few wide rows that stream: all blocks that the device holds at once share them.
ONEPASS_INLINE void onepass_plan_shared_stream(const onepass_geometry_t *geometry, int64_t rows,
                                               onepass_row_device_t device, onepass_plan_t *plan) {
  const int64_t parts = onepass_row_parts(plan), tickets = ONEPASS_WORKSPACE_HEADER_BYTES / 4;
  if (parts == 1 || parts > ONEPASS_STREAM_PARTS || rows > tickets) return;
  const int64_t bytes = ONEPASS_WORKSPACE_HEADER_BYTES + rows * onepass_shared_row_bytes(geometry, plan);
  if (bytes > INT32_MAX) return;
  plan->workspace_bytes = (size_t)bytes;
  onepass_share_rows(rows, (int64_t)device.multiprocessors * device.stream_blocks[plan->aligned], plan);
}

// Rows: the wanted strategy if it can hold the row; AUTO finds the first that can of registers, shared memory and none.
// Without a row stage nothing is held longer than a pass: wide rows stream by. Dense: of a width that the host knows.
ONEPASS_INLINE onepass_status_t onepass_plan_rows(const onepass_geometry_t *geometry, int64_t rows, int dense,
                                                  int64_t groups_per_row, onepass_row_strategy_t wanted,
                                                  const onepass_row_device_t *device, onepass_plan_t *plan) {
  const onepass_row_device_t most = {ONEPASS_MAX_CLUSTER, ONEPASS_MAX_SHARED_BYTES, 132, {2, 2}};
  const onepass_row_device_t here = device != NULL ? *device : most;
  const int wide = wanted == ONEPASS_ROW_AUTO && geometry->row_stages > 0;
  const int singles = plan->single && onepass_has_singles(geometry->singles, groups_per_row);
  int64_t rows_per_block = 1;
  plan->strategy = ONEPASS_ROW_AUTO;
  for (int i = 0; onepass_row_cut(i).threads > 0 && plan->strategy == ONEPASS_ROW_AUTO; ++i) {
    const onepass_row_cut_t cut = onepass_row_cut(i);
    const int32_t packs = onepass_row_packs(cut.packs, geometry->lanes);
    if (wanted != ONEPASS_ROW_AUTO && wanted != cut.strategy) continue;
    if (wanted == ONEPASS_ROW_AUTO && cut.strategy == ONEPASS_ROW_BLOCK && onepass_rows_pass_by(geometry)) break;
    if (!onepass_row_cut_holds(cut, geometry, groups_per_row, here.shared_bytes, singles)) continue;
    plan->strategy = cut.strategy;
    plan->single = singles;
    plan->threads = cut.threads;
    plan->packs = packs;
    plan->image_bytes = plan->aligned || singles ? 0 : onepass_row_images(geometry, cut.threads * packs);
    rows_per_block = onepass_row_cut_rows(cut);
    plan->shared_bytes = (int32_t)rows_per_block * plan->image_bytes;
  }
  for (int again = plan->single; plan->strategy == ONEPASS_ROW_AUTO && again >= 0; --again) {
    if ((wide || wanted == ONEPASS_ROW_CLUSTER) && onepass_plan_cluster_row(geometry, rows, groups_per_row, here, plan))
      return ONEPASS_SUCCESS;
    plan->single = 0;  // too wide for that
  }
  if (plan->strategy == ONEPASS_ROW_AUTO && (wide || wanted == ONEPASS_ROW_SHARED))
    onepass_plan_shared_row(geometry, groups_per_row, here, plan);
  if (plan->strategy == ONEPASS_ROW_AUTO) {
    if (wanted != ONEPASS_ROW_AUTO && wanted != ONEPASS_ROW_STREAM) return ONEPASS_ERROR_STRATEGY;
    onepass_plan_stream(geometry, plan);
  }
  if (rows > INT64_MAX / plan->cluster) return ONEPASS_ERROR_TOO_LARGE;
  plan->blocks = plan->cluster * onepass_ceil_div(rows, rows_per_block);
  if (plan->strategy == ONEPASS_ROW_STREAM && dense) onepass_plan_shared_stream(geometry, rows, here, plan);
  return ONEPASS_SUCCESS;
}

#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

#endif
