// SPDX-License-Identifier: Apache-2.0
// Part of the benchmarks: the roofs, plain kernels that move the bytes of a workload and do nothing else.
//
// A time is judged against the roof of the same bytes, measured in the same rounds. The cuts are the best of a sweep
// on an H200 (4.8 TB/s on paper): read 4.62, copy 4.24, two reads and a write 4.40 TB/s. For copies, grid-stride loops,
// streaming hints and bulk copies through shared memory were all slower than one 16-byte access per thread.
//
// All pointers are aligned to 16 bytes and all sizes are multiples of a tile, so no kernel here has a remainder.
#ifndef ONEPASS_BENCH_ROOF_CUH
#define ONEPASS_BENCH_ROOF_CUH

#include <cstdint>  // int64_t

#include "check.cuh"

namespace bench::roof {

inline int multiprocessors() {
  static const int count = [] {
    int device = 0, value = 0;
    BENCH_CHECK(cudaGetDevice(&device));
    BENCH_CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, device));
    return value;
  }();
  return count;
}

// Reads `tiles` tiles of Threads * Packs packs of 16 bytes. Every bit that is read takes part in the comparison with
// `never`, a value that the compiler cannot know, so no load can be left out. `sink` is one word.
template <int Threads, int Packs, int BlocksPerSm>
__global__ void __launch_bounds__(Threads, BlocksPerSm)
    read_kernel(const uint4 *x, int64_t tiles, unsigned never, unsigned *sink) {
  unsigned mixed = 0;
  for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const uint4 *mine = x + tile * (Threads * Packs) + threadIdx.x;
    uint4 pack[Packs];
#pragma unroll
    for (int k = 0; k < Packs; ++k) pack[k] = mine[k * Threads];
#pragma unroll
    for (int k = 0; k < Packs; ++k) mixed ^= pack[k].x ^ pack[k].y ^ pack[k].z ^ pack[k].w;
  }
  if (mixed == never) *sink = mixed;
}

template <int Threads, int Packs>
constexpr int64_t tile_bytes = int64_t{16} * Threads *Packs;

// bytes: a multiple of tile_bytes<Threads, Packs>.
template <int Threads, int Packs, int BlocksPerSm>
void read(const void *x, int64_t bytes, unsigned *sink, cudaStream_t stream) {
  const int64_t tiles = bytes / tile_bytes<Threads, Packs>;
  const int64_t most = int64_t{BlocksPerSm} * multiprocessors();
  read_kernel<Threads, Packs, BlocksPerSm><<<unsigned(tiles < most ? tiles : most), Threads, 0, stream>>>(
      static_cast<const uint4 *>(x), tiles, 0x9e3779b9u, sink);
  BENCH_CHECK(cudaGetLastError());
}

constexpr int copy_threads = 256;
constexpr int64_t copy_tile_bytes = tile_bytes<copy_threads, 1>;

template <class Void = void>  // a template only so that every translation unit may hold it
__global__ void __launch_bounds__(copy_threads) copy_kernel(const uint4 *x, uint4 *y) {
  const int64_t i = int64_t{blockIdx.x} * copy_threads + threadIdx.x;
  y[i] = x[i];
}

template <class Void = void>
__global__ void __launch_bounds__(copy_threads) merge_kernel(const uint4 *a, const uint4 *b, uint4 *y) {
  const int64_t i = int64_t{blockIdx.x} * copy_threads + threadIdx.x;
  const uint4 p = a[i], q = b[i];
  y[i] = make_uint4(p.x ^ q.x, p.y ^ q.y, p.z ^ q.z, p.w ^ q.w);
}

// Reads packs of 16 bytes per thread, and writes as many as Writes: maps from one width to another.
template <int Reads, int Writes>
__global__ void __launch_bounds__(copy_threads) stream_kernel(const uint4 *x, uint4 *y) {
  uint4 mixed = make_uint4(1, 2, 3, 4), pack[Reads > 0 ? Reads : 1];
#pragma unroll
  for (int k = 0; k < Reads; ++k) pack[k] = x[(int64_t{blockIdx.x} * Reads + k) * copy_threads + threadIdx.x];
#pragma unroll
  for (int k = 0; k < Reads; ++k)
    mixed = make_uint4(mixed.x ^ pack[k].x, mixed.y ^ pack[k].y, mixed.z ^ pack[k].z, mixed.w ^ pack[k].w);
#pragma unroll
  for (int k = 0; k < Writes; ++k) y[(int64_t{blockIdx.x} * Writes + k) * copy_threads + threadIdx.x] = mixed;
}

// threads: a multiple of copy_threads; each moves Reads and Writes packs.
template <int Reads, int Writes>
void stream(const void *x, void *y, int64_t threads, cudaStream_t stream) {
  stream_kernel<Reads, Writes><<<unsigned(threads / copy_threads), copy_threads, 0, stream>>>(
      static_cast<const uint4 *>(x), static_cast<uint4 *>(y));
  BENCH_CHECK(cudaGetLastError());
}

// bytes: of one array, a multiple of copy_tile_bytes.
inline void copy(const void *x, void *y, int64_t bytes, cudaStream_t stream) {
  copy_kernel<><<<unsigned(bytes / copy_tile_bytes), copy_threads, 0, stream>>>(static_cast<const uint4 *>(x),
                                                                                static_cast<uint4 *>(y));
  BENCH_CHECK(cudaGetLastError());
}

// Two reads and one write; bytes as above.
inline void merge(const void *a, const void *b, void *y, int64_t bytes, cudaStream_t stream) {
  merge_kernel<><<<unsigned(bytes / copy_tile_bytes), copy_threads, 0, stream>>>(
      static_cast<const uint4 *>(a), static_cast<const uint4 *>(b), static_cast<uint4 *>(y));
  BENCH_CHECK(cudaGetLastError());
}

}  // namespace bench::roof

#endif
