// SPDX-License-Identifier: Apache-2.0
// Part of onepass: random numbers as a function of seed, offset and flat index alone: never of the launch, the lanes of
// a group or the alignment.
//
// Philox4x32-10: Salmon, Moraes, Dror and Shaw, Parallel random numbers: as easy as 1, 2, 3, 2011. Element i takes word
// i % 4 of the counter i / 4 + offset, a number of 128 bits, under the key `seed`: offset counts counters, of 4
// elements each. Streams of one seed are apart if their counters are: the second of two over n elements takes an offset
// of at least ceil(n / 4) more.
#ifndef ONEPASS_SOURCE_RANDOM_CUH
#define ONEPASS_SOURCE_RANDOM_CUH

#include "../stage/elementary.cuh"  // sqrt

namespace ONEPASS_LOCAL onepass {
namespace detail {

// a * b in full, by one instruction: the compiler adds a product by 0 to what C++ says.
ONEPASS_HD uint64_t wide_product(uint32_t a, uint32_t b) {
#ifdef __CUDA_ARCH__
  uint64_t r;
  asm("mul.wide.u32 %0, %1, %2;" : "=l"(r) : "r"(a), "r"(b));
  return r;
#else
  return uint64_t{a} * b;
#endif
}

ONEPASS_HD pack<uint32_t, 4> philox(pack<uint32_t, 4> counter, uint32_t key_low, uint32_t key_high) {
  ONEPASS_UNROLL
  for (uint32_t round = 0; round < 10; ++round) {
    const uint64_t a = wide_product(counter[0], 0xD2511F53), b = wide_product(counter[2], 0xCD9E8D57);
    const auto high = [](uint64_t x) { return static_cast<uint32_t>(x >> 32); };
    counter = {{high(b) ^ counter[1] ^ (key_low + round * 0x9E3779B9u), static_cast<uint32_t>(b),
                high(a) ^ counter[3] ^ (key_high + round * 0xBB67AE85u), static_cast<uint32_t>(a)}};
  }
  return counter;
}

struct random_words {
  uint64_t seed, offset;

  // The words of elements [index, index + N): N is 1, 2 or a multiple of 4. Those that begin at a counter cost one call
  // per 4, others one call more.
  template <int N>
  ONEPASS_HD pack<uint32_t, N> get(int64_t index) const {
    constexpr int calls = (N + 3) / 4;
    const auto first = static_cast<unsigned>(index) % 4;
    pack<uint32_t, 4 * calls + 4> all{};
    ONEPASS_UNROLL
    for (int i = 0; i < calls; ++i) put(all, i, index);
    if (first + N > 4 * calls) put(all, calls, index);
    if (first != 0) {
      ONEPASS_UNROLL
      for (int i = 0; i < N + 2; ++i) all[i] = first % 2 != 0 ? all[i + 1] : all[i];
      ONEPASS_UNROLL
      for (int i = 0; i < N; ++i) all[i] = first >= 2 ? all[i + 2] : all[i];
    }
    pack<uint32_t, N> words;
    ONEPASS_UNROLL
    for (int i = 0; i < N; ++i) words[i] = all[i];
    return words;
  }

 private:
  // The words of the i-th counter from that of `index`.
  template <int M>
  ONEPASS_HD void put(pack<uint32_t, M> &all, int i, int64_t index) const {
    const uint64_t low = static_cast<uint64_t>(index) / 4 + static_cast<uint64_t>(i) + offset;
    const pack<uint32_t, 4> words =
        philox({{static_cast<uint32_t>(low), static_cast<uint32_t>(low >> 32), low < offset, 0}},
               static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32));
    ONEPASS_UNROLL
    for (int j = 0; j < 4; ++j) all[4 * i + j] = words[j];
  }
};

struct random_source {
  static constexpr kind part = kind::source;
  static constexpr bool draws = true;
  random_words words;

  template <int N, access A>
  ONEPASS_HD pack<float, N> get(const position<N, A> &at) const {
    return each_lane([](uint32_t word) { return times(static_cast<float>(word >> 8), 5.9604645e-8f); },
                     words.get<N>(at.index));
  }
};

// Two normal numbers of two words: Box and Muller, 1958. (a + 1/2) / 2^32 is in (0, 1]; the angle is b / 2^31 half
// turns, in [-1, 1).
ONEPASS_HD pack<float, 2> box_muller(uint32_t a, uint32_t b) {
  const float u = fused(static_cast<float>(a), 2.3283064e-10f, 1.1641532e-10f);
  const float turn = times(static_cast<float>(static_cast<int32_t>(b)), 4.6566129e-10f);
  const float radius = sqrt_op{}(times(-2.0f, ::logf(u)));
  return {{times(radius, ::cospif(turn)), times(radius, ::sinpif(turn))}};
}

// Elements 2 k and 2 k + 1 are made of their two words.
struct random_normal_source {
  static constexpr kind part = kind::source;
  static constexpr bool draws = true;
  random_words words;

  template <int N, access A>
  ONEPASS_HD pack<float, N> get(const position<N, A> &at) const {
    constexpr int even = N == 1 ? 2 : N;
    const bool odd = at.index % 2 != 0;
    const int64_t first = at.index - odd;
    pack<float, even + 2> all{};
    put(all, 0, words.get<even>(first));
    if (odd) {
      if constexpr (N > 1) put(all, even, words.get<2>(first + even));
      ONEPASS_UNROLL
      for (int i = 0; i < N; ++i) all[i] = all[i + 1];
    }
    pack<float, N> values;
    ONEPASS_UNROLL
    for (int i = 0; i < N; ++i) values[i] = all[i];
    return values;
  }

 private:
  template <int M, int N>
  ONEPASS_HD static void put(pack<float, M> &all, int first, const pack<uint32_t, N> &word) {
    ONEPASS_UNROLL
    for (int i = 0; i < N; i += 2) {
      const pack<float, 2> two = box_muller(word[i], word[i + 1]);
      all[first + i] = two[0];
      all[first + i + 1] = two[1];
    }
  }
};

}  // namespace detail

// f32 in [0, 1): multiples of 2^-24, all equally likely.
ONEPASS_HD constexpr detail::random_source random(uint64_t seed, uint64_t offset = 0) { return {{seed, offset}}; }

// f32 of mean 0 and variance 1, at most 6.77 in magnitude.
ONEPASS_HD constexpr detail::random_normal_source random_normal(uint64_t seed, uint64_t offset = 0) {
  return {{seed, offset}};
}

}  // namespace onepass

#endif
