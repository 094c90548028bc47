// SPDX-License-Identifier: Apache-2.0
// Part of onepass: a statistic's states combined over the blocks of a cluster (sm_90), and what that takes: their
// barrier, the write into another one's shared memory, and the wait for what others write.
#ifndef ONEPASS_COLLECTIVE_CLUSTER_CUH
#define ONEPASS_COLLECTIVE_CLUSTER_CUH

#include "block.cuh"

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
// A barrier in shared memory that counts the bytes that arrive.
__device__ __forceinline__ void arrival_init(uint64_t *barrier) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;"
               :
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(barrier)))
               : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__device__ __forceinline__ void expect_arrival(uint64_t *barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
               :
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(barrier))), "r"(bytes)
               : "memory");
}
__device__ __forceinline__ void wait_for_arrival(uint64_t *barrier, unsigned parity) {
  const unsigned own = static_cast<unsigned>(__cvta_generic_to_shared(barrier));
  unsigned done;
  do {
    asm volatile(
        "{\n\t.reg .pred p;\n\tmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\tselp.u32 %0, 1, 0, p;\n\t}"
        : "=r"(done)
        : "r"(own), "r"(parity)
        : "memory");
  } while (done == 0);
}
// A word into the shared memory of block `rank`, whose barrier counts it; `p` and `barrier` are in one's own.
__device__ __forceinline__ void send_to_block(unsigned *p, uint64_t *barrier, unsigned rank, unsigned word) {
  asm volatile(
      "{\n\t.reg .b32 there, counted;\n\tmapa.shared::cluster.u32 there, %0, %2;\n\tmapa.shared::cluster.u32 counted, "
      "%1, %2;\n\tst.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [there], %3, [counted];\n\t}"
      :
      : "r"(static_cast<unsigned>(__cvta_generic_to_shared(p))),
        "r"(static_cast<unsigned>(__cvta_generic_to_shared(barrier))), "r"(rank), "r"(word)
      : "memory");
}
#else  // no plan has clusters there
__device__ __forceinline__ void arrival_init(uint64_t *) {}
__device__ __forceinline__ void expect_arrival(uint64_t *, unsigned) {}
__device__ __forceinline__ void wait_for_arrival(uint64_t *, unsigned) {}
__device__ __forceinline__ void send_to_block(unsigned *, uint64_t *, unsigned, unsigned) {}
__device__ __forceinline__ unsigned cluster_rank() { return 0; }
__device__ __forceinline__ unsigned cluster_blocks() { return 1; }
__device__ __forceinline__ void cluster_arrive() {}
__device__ __forceinline__ void cluster_wait() {}
__device__ __forceinline__ void write_to_block(unsigned *, unsigned, unsigned) {}
#endif

// The states of the blocks of a cluster, each from the thread that calls as the first of its block, to all of them:
// behind the barrier each combines them in the order of the blocks. `slot` lies at one address in every block.
constexpr unsigned most_cluster_blocks = 16;
template <class State>
struct cluster_slots {
  static constexpr unsigned words = (sizeof(State) + 3) / 4;
  unsigned word[most_cluster_blocks][words];

  __device__ __forceinline__ State state(unsigned block) const {
    State s;
    memcpy(static_cast<void *>(&s), word[block], sizeof(State));
    return s;
  }
};
// f(word of one's own slot in every block, word of the state), for every word.
template <class State, class F>
__device__ __forceinline__ void each_word(const State &own, cluster_slots<State> &slots, const F &f) {
  constexpr unsigned words = cluster_slots<State>::words;
  unsigned word[words]{};
  memcpy(word, &own, sizeof(State));
  ONEPASS_UNROLL
  for (unsigned i = 0; i < words; ++i) f(&slots.word[cluster_rank()][i], word[i]);
}
template <class S, class State>
__device__ __forceinline__ State combine_blocks(const S &statistic, const State &own, cluster_slots<State> &slots) {
  const unsigned blocks = cluster_blocks();
  if (threadIdx.x < blocks)
    each_word(own, slots, [](unsigned *p, unsigned w) { write_to_block(p, threadIdx.x, w); });
  cluster_arrive();
  cluster_wait();
  State all = slots.state(0);
  for (unsigned i = 1; i < blocks; ++i) all = statistic.combine(all, slots.state(i));
  return all;
}

// The same without a barrier: by the first warp of each block; behind wait_for_arrival all states are there.
template <class State>
__device__ __forceinline__ void send_to_blocks(const State &own, cluster_slots<State> &slots, uint64_t *arrived) {
  const unsigned blocks = cluster_blocks();
  if (threadIdx.x == 0) expect_arrival(arrived, blocks * cluster_slots<State>::words * 4);
  if (threadIdx.x < blocks)
    each_word(own, slots, [&](unsigned *p, unsigned w) { send_to_block(p, arrived, threadIdx.x, w); });
}

}  // namespace detail

// The shared memory of a cluster reduction in each of its blocks, owned by the caller.
template <class State>
struct cluster_storage {
  block_storage<State> block;
  detail::cluster_slots<State> slots;
};

// The states of all threads of a cluster (sm_90) combined in the order of blocks and threads; every thread gets the
// result, with the same bits. All threads of all blocks must call, with `storage` at one address in each; blocks and
// cluster are 1-D, of 16 blocks at most. Without a cluster, or on older devices, block_reduce.
template <class S, class State>
__device__ __forceinline__ State cluster_reduce(const S &statistic, const State &state,
                                                cluster_storage<State> &storage) {
  const State own = block_reduce(statistic, state, storage.block);
  if (detail::cluster_blocks() == 1) return own;
  detail::cluster_arrive();  // all blocks have begun, and nobody reads an earlier result any more
  detail::cluster_wait();
  return detail::combine_blocks(statistic, own, storage.slots);
}

}  // namespace onepass

#endif
