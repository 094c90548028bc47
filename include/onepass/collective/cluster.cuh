// SPDX-License-Identifier: Apache-2.0
// Part of onepass: the blocks of a cluster (sm_90): their barrier, and the write into another one's shared memory.
#ifndef ONEPASS_COLLECTIVE_CLUSTER_CUH
#define ONEPASS_COLLECTIVE_CLUSTER_CUH

#include "../pack.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
__device__ __forceinline__ unsigned cluster_rank() {
  unsigned r;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
  return r;
}
__device__ __forceinline__ unsigned cluster_blocks() {
  unsigned n;
  asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(n));
  return n;
}
// All threads of all blocks: what was written before the arrival is seen behind the wait.
__device__ __forceinline__ void cluster_arrive() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}
__device__ __forceinline__ void cluster_wait() { asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory"); }

// A word into the shared memory of block `rank`, where `p` is in one's own.
__device__ __forceinline__ void write_to_block(unsigned *p, unsigned rank, unsigned word) {
  const unsigned own = static_cast<unsigned>(__cvta_generic_to_shared(p));
  asm volatile(
      "{\n\t.reg .u32 there;\n\tmapa.shared::cluster.u32 there, %0, %1;\n\tst.shared::cluster.u32 [there], %2;\n\t}"
      :
      : "r"(own), "r"(rank), "r"(word)
      : "memory");
}
#else  // no plan has clusters there
__device__ __forceinline__ unsigned cluster_rank() { return 0; }
__device__ __forceinline__ unsigned cluster_blocks() { return 1; }
__device__ __forceinline__ void cluster_arrive() {}
__device__ __forceinline__ void cluster_wait() {}
__device__ __forceinline__ void write_to_block(unsigned *, unsigned, unsigned) {}
#endif

}  // namespace detail
}  // namespace onepass

#endif
