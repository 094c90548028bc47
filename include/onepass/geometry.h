// SPDX-License-Identifier: Apache-2.0
// Part of onepass: what the plan needs to know of a pipeline, and what a plan says. Plain C11, no CUDA.
#ifndef ONEPASS_GEOMETRY_H
#define ONEPASS_GEOMETRY_H

#include "integer.h"
#include "status.h"

#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"  // C has no other
#endif

typedef enum onepass_family { ONEPASS_MAP, ONEPASS_REDUCE, ONEPASS_ROW } onepass_family_t;

// Where a row lives while it is reduced.
typedef enum onepass_row_strategy {
  ONEPASS_ROW_AUTO,    // as the table of plan_rows.h says
  ONEPASS_ROW_WARP,    // in the registers of a part of a warp: several rows per block
  ONEPASS_ROW_BLOCK,   // in the registers of a block
  ONEPASS_ROW_CLUSTER,  // in the registers of a block that stays, or of a cluster of such blocks (sm_90)
  ONEPASS_ROW_SHARED,  // in the shared memory of a block, or of a cluster of blocks (sm_90)
  ONEPASS_ROW_STREAM,  // nowhere: it is read again for each row stage, by a block or several
  ONEPASS_ROW_STRATEGY_COUNT
} onepass_row_strategy_t;

ONEPASS_INLINE const char *onepass_row_strategy_string(onepass_row_strategy_t strategy) {
  switch (strategy) {
    case ONEPASS_ROW_AUTO: return "auto";
    case ONEPASS_ROW_WARP: return "warp";
    case ONEPASS_ROW_BLOCK: return "block";
    case ONEPASS_ROW_CLUSTER: return "cluster";
    case ONEPASS_ROW_SHARED: return "shared";
    case ONEPASS_ROW_STREAM: return "stream";
    case ONEPASS_ROW_STRATEGY_COUNT: break;
  }
  return "not a row strategy of onepass";
}

// Which rows threads take element by element where they are not whole groups.
typedef enum onepass_singles { ONEPASS_SINGLES_NONE, ONEPASS_SINGLES_WIDE, ONEPASS_SINGLES_ALL } onepass_singles_t;

// What the plan needs to know of a pipeline's type.
typedef struct onepass_geometry {
  onepass_family_t family;
  int32_t lanes;        // elements per group
  int32_t by_row;       // nonzero if a part needs a row, a column or a pitch: groups then end at a row's end
  int32_t state_bytes;  // of a partial result of a reduction, or the most of those of a row
  int32_t row_stages;   // how often a row is reduced before its last value is known
  int32_t held_bytes;   // of a group in shared memory, 0 if what is read cannot be copied there
  int32_t kept_bytes;   // of a group of the vectors that are read along a row
  int32_t neighbours;   // threads whose groups a stage takes together, a power of two up to 512; 0 or 1: none does
  int32_t staged;       // stores that keep an image of a misaligned row in shared memory,
  int32_t staged_bytes;  // and their bytes of a group
  onepass_singles_t singles;  // WIDE: those of more than ONEPASS_SINGLE_GROUPS
  int32_t element_registers;  // that such an element takes while it is read
} onepass_geometry_t;

typedef struct onepass_plan_t {  // onepass_plan is the function below
  int32_t threads, packs;        // of a tile, or of a part of a row that streams
  int32_t aligned;               // every group is one aligned access of each leaf
  int32_t single;                // threads take elements one by one: a row is not whole groups
  int32_t counted;               // the number of columns lies in device memory
  int32_t passes;
  onepass_row_strategy_t strategy;  // of rows; `threads` is then those of a row in a block
  int32_t cluster;                  // blocks of a cluster, which share a row
  int32_t part;                     // groups of a part of a row that streams, or that such a block takes
  int32_t row_blocks;               // blocks that share a row that streams and take its parts in turn; more than 1
                                    // where there is a workspace of workspace_bytes
  int32_t shared_bytes;             // of a block: of the row or its part, or of images of it,
  int32_t image_bytes;              // and those of one row's images
  int32_t keeps;                    // nonzero: vectors are kept in shared memory too
  int32_t resident;                 // clusters that stay: as many as the device has room for
  int64_t rounds;                   // rows of each of them, and those behind take one; 0: all draw rows until none is
                                    // left, where there is a workspace of workspace_bytes
  int64_t groups_per_row, groups;
  int64_t blocks;          // tiles of a map; partial results of a reduction; those that share out the rows
  size_t workspace_bytes;  // 0: none is needed
} onepass_plan_t;

enum {
  ONEPASS_WORKSPACE_HEADER_BYTES = 1024,  // tickets: that of a reduction, or one for each row
  ONEPASS_WORKSPACE_ALIGNMENT = 16,
  ONEPASS_MAP_THREADS = 128,
  ONEPASS_MAP_PACKS = 2,
  ONEPASS_REDUCE_THREADS = 512,  // at most
  ONEPASS_REDUCE_PACKS = 4,
  ONEPASS_WARP_ROW_THREADS = 128,  // of a block of several rows
  ONEPASS_THREAD_ELEMENTS = 40,    // of a row, at most, that a thread of a block holds in registers
  ONEPASS_STREAM_THREADS = 512,
  ONEPASS_PASSING_STREAM_THREADS = 256,  // of rows that no stage holds, and of those of up to so many groups
  ONEPASS_NARROW_STREAM_THREADS = 64,
  ONEPASS_NARROW_STREAM_GROUPS = 4096,
  ONEPASS_WARP_STREAM_THREADS = 32,  // and so many
  ONEPASS_WARP_STREAM_GROUPS = 512,
  ONEPASS_STREAM_PARTS = 256,  // of a row, at most, if several blocks are to share it
  ONEPASS_CLUSTER_THREADS = 512,
  ONEPASS_SMALL_CLUSTER_THREADS = 128,  // of groups of 8 lanes and more, twice as many with vectors, while they hold it
  ONEPASS_CLUSTER_PACKS = 8,
  ONEPASS_SINGLE_GROUPS = 1024,  // rows of more groups are wide: see onepass_singles_t
  ONEPASS_SINGLE_CLUSTER_THREADS = 128,  // of elements one by one: such blocks have their phases in turn,
  ONEPASS_SINGLE_CLUSTER_ELEMENTS = 64,  // hold so many at most
  ONEPASS_SINGLE_CHUNK = 8,              // and take so many under one condition
  ONEPASS_CLUSTER_NUMBERED = 3,  // rows that a cluster takes by their number, before it draws
  ONEPASS_SHARED_THREADS = 256,
  ONEPASS_SHARED_BYTES = 65536,       // of a block, where the row's cluster may have as many blocks as it takes
  ONEPASS_MAX_SHARED_BYTES = 229376,  // of a block on sm_90, beside what reductions need
  ONEPASS_BLOCK_SHARED_BYTES = 3072,  // which is this, with what the device takes for each block
  ONEPASS_MAX_CLUSTER = 16,
  ONEPASS_MAX_SMALL_GROUPS = 0x7fffff00  // a row's number is found with 32 bits up to here, tile included
};

ONEPASS_INLINE ONEPASS_CONSTEXPR int64_t onepass_ceil_div(int64_t a, int64_t b) { return a / b + (a % b != 0); }

#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

#endif
