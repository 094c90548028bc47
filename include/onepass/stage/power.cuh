// SPDX-License-Identifier: Apache-2.0
// Part of onepass: power, x^b.
#ifndef ONEPASS_STAGE_POWER_CUH
#define ONEPASS_STAGE_POWER_CUH

#include <cuda/std/limits>  // infinity, NaN

#include "elementary.cuh"

namespace ONEPASS_LOCAL onepass {
namespace detail {

struct power_op {
  template <class A, class B>
  ONEPASS_HD auto operator()(A x, B b) const {
    using T = common_t<A, B>;
    if constexpr (!check_real<A, B>()) return x;
    else if constexpr (cs::is_same_v<T, float>) return ::powf(static_cast<float>(x), static_cast<float>(b));
    else if constexpr (cs::is_same_v<T, double>) return ::pow(static_cast<double>(x), static_cast<double>(b));
    else return of_integers(static_cast<T>(x), b);
  }
  // As the square of 2^(b log2|x| / 2), so that a subnormal result comes from normal factors. What depends on b alone
  // is computed once where b is a number.
  ONEPASS_HD float narrow(float x, float b) const {
    const float halved = times(b, 0.5f);
    const bool whole = ::rintf(b) == b, odd = ::fabsf(minus(halved, ::truncf(halved))) == 0.5f;
    const float exponent = times(lesser(greater(b, -3e38f), 3e38f), 0.5f);  // 0 times it is 0
    const float size = ::fabsf(x), root = fast_exp2(times(fast_log2(size, minus(size, 1.0f)), exponent));
    const uint32_t sign = odd ? bit_copy<uint32_t>(x) & 0x80000000u : 0;
    const float result = bit_copy<float>(bit_copy<uint32_t>(times(root, root)) | sign);
    const bool undefined = !whole && x < 0.0f && size < cs::numeric_limits<float>::infinity();
    return b == 0.0f || x == 1.0f ? 1.0f : undefined ? cs::numeric_limits<float>::quiet_NaN() : result;
  }

 private:
  // By squaring, modulo 2^bits. A negative exponent cuts 1 / x^|b| to an integer: of 1 and -1 it is their power, of any
  // other x it is 0.
  template <class T, class B>
  ONEPASS_HD static T of_integers(T x, B b) {
    using U = cs::make_unsigned_t<T>;
    using E = promoted_t<B>;
    auto exponent = static_cast<cs::make_unsigned_t<E>>(b);
    if constexpr (cs::is_signed_v<B>) {
      if (b < B{0}) {
        if constexpr (cs::is_signed_v<T>)
          if (x == T{-1}) return (exponent & 1) != 0 ? x : T{1};
        return x == T{1} ? x : T{0};
      }
    }
    U result = 1, factor = static_cast<U>(x);
    for (; exponent != 0; exponent >>= 1) {
      if ((exponent & 1) != 0) result *= factor;
      factor *= factor;
    }
    return static_cast<T>(result);
  }
};

}  // namespace detail

// power(b): x^b as C's pow: 1 of x = 1 and of b = 0 whatever the other is, NaN too; NaN of a negative x unless b is a
// whole number. Of integers exact modulo 2^bits; 0^-1 is 0. The worst error in f32 is 4 ulp (as CUDA's math
// library states it; 0.95 over all x for the exponents 3, 0.5, -1.625 and 11000);
// before a 16-bit store 1 ulp of that type. Of a fixed small exponent square and multiply are shorter.
ONEPASS_OBJECT detail::op_with_operands<detail::power_op> power{};

}  // namespace onepass

#endif
