// SPDX-License-Identifier: Apache-2.0
// Part of onepass: how many values are not zero, whether any is, whether all are. NaN is not zero.
#ifndef ONEPASS_STATISTIC_COUNT_CUH
#define ONEPASS_STATISTIC_COUNT_CUH

#include "../pack.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

struct count_statistic {
  static constexpr bool commutative = true;
  template <class T>
  ONEPASS_HD int64_t identity() const {
    return 0;
  }
  template <class T>
  ONEPASS_HD int64_t lift(const T &x, const coordinate &) const {
    return x != T{};
  }
  ONEPASS_HD int64_t combine(int64_t a, int64_t b) const { return a + b; }
  // The lanes of a group are counted in 32 bits.
  template <class T, int N, access A>
  ONEPASS_HD int64_t fold(int64_t count, const pack<T, N> &v, const position<N, A> &at) const {
    int32_t here = 0;
    ONEPASS_UNROLL
    for (int i = 0; i < N; ++i) here += at.has(i) && v[i] != T{};
    return count + here;
  }
  ONEPASS_HD int64_t finish(int64_t count, int64_t) const { return count; }
};

struct any_statistic {
  static constexpr bool commutative = true;
  template <class T>
  ONEPASS_HD bool identity() const {
    return false;
  }
  template <class T>
  ONEPASS_HD bool lift(const T &x, const coordinate &) const {
    return x != T{};
  }
  ONEPASS_HD bool combine(bool a, bool b) const { return a || b; }
  ONEPASS_HD bool finish(bool any, int64_t) const { return any; }
};

struct all_statistic : any_statistic {
  template <class T>
  ONEPASS_HD bool identity() const {
    return true;
  }
  ONEPASS_HD bool combine(bool a, bool b) const { return a && b; }
};

}  // namespace detail

// One result each, exact.
ONEPASS_OBJECT detail::count_statistic count{};  // int64; of nothing: 0
ONEPASS_OBJECT detail::any_statistic any{};      // bool; of nothing: false
ONEPASS_OBJECT detail::all_statistic all{};      // bool; of nothing: true

}  // namespace onepass

#endif
