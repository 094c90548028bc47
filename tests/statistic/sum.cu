// SPDX-License-Identifier: Apache-2.0
// sum, sum_of_squares, product and dot against long double, for every type.
#include <onepass/statistic/sum.cuh>

#include <cuda/std/complex>

#include <cstdint>
#include <limits>
#include <type_traits>

#include "catch.hpp"
#include "result.hpp"

namespace op = onepass;
using namespace test;

namespace {

const float inf = std::numeric_limits<float>::infinity();

}  // namespace

TEST_CASE("sums of integers are 64-bit of the same signedness") {
  static_assert(std::is_same_v<decltype(op::sum.identity<std::int8_t>()), op::int64_t>);
  static_assert(std::is_same_v<decltype(op::sum.identity<std::uint8_t>()), op::uint64_t>);
  static_assert(std::is_same_v<decltype(op::sum.identity<bool>()), op::int64_t>);
  static_assert(std::is_same_v<decltype(op::sum_of_squares.identity<std::uint32_t>()), op::uint64_t>);
  CHECK(result<std::int32_t>(op::sum, std::vector<std::int8_t>(1000, 127)) == 127000);
  CHECK(result<std::int32_t>(op::sum, std::vector<std::uint8_t>(1000, 255)) == 255000);
  CHECK(result<std::int64_t>(op::sum, std::vector<std::int32_t>(4, 1 << 30)) == INT64_C(1) << 32);
  CHECK(result<std::int64_t>(op::sum, std::vector<std::int32_t>(3, INT32_MIN)) == -3 * (INT64_C(1) << 31));
  CHECK(result<std::uint64_t>(op::sum, std::vector<std::uint64_t>{UINT64_C(1) << 63, (UINT64_C(1) << 62) + 1}) ==
        (UINT64_C(3) << 62) + 1);
  CHECK(result<std::int64_t>(op::sum, std::vector<std::int64_t>{(INT64_C(1) << 53) + 1, 1, 1}) ==
        (INT64_C(1) << 53) + 3);
  CHECK(result<std::int64_t>(op::sum_of_squares, std::vector<std::int8_t>(1000, -128)) == 16384000);
  CHECK(result<std::uint64_t>(op::sum_of_squares, std::vector<std::uint32_t>{UINT32_MAX}) ==
        UINT64_C(0xfffffffe00000001));
  CHECK(result<std::int64_t>(op::sum_of_squares, std::vector<std::int64_t>{INT64_C(-3037000499)}) ==
        INT64_C(9223372030926249001));
}

TEST_CASE("sums of floats stay exact where the sum is") {
  const auto sum_of = [](float x, std::size_t n) { return result_of_equal<float>(op::sum, x, n); };
  CHECK(sum_of(1, 16777218) == 16777218);
  CHECK(sum_of(-1, 4500 * 4500) == -20250000);
  CHECK(sum_of(100, 1000000) == 100000000);
  CHECK(sum_of(1, std::size_t{1} << 26) == 67108864);
  CHECK(value(result<f16>(op::sum, std::vector<f16>(20000, nearest<f16>(1)))) == 20000);
  CHECK(value(result<bf16>(op::sum, std::vector<bf16>(70000, nearest<bf16>(1)))) ==
        70144);  // the bf16 nearest to 70000
}

TEST_CASE("sums keep subnormals") {
  std::vector<float> x(1000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = i % 2 ? 1e-40f : -1e-40f;
  float r = 0;
  on_host(op::load(x.data()) | op::abs | op::reduce(op::sum, &r), x.size());
  CHECK(r == static_cast<float>(1000 * value(1e-40f)));
  CHECK(result<float>(op::sum, std::vector<f16>(1000, nearest<f16>(6e-8L))) ==
        static_cast<float>(1000 * rounded<f16>(6e-8L)));
}

namespace {

// The error of a sum relative to the sum of absolute values, in units of the type's rounding.
template <class T>
double sum_error(const std::vector<T> &x) {
  long double exact = 0, size = 0;
  for (const T y : x) {
    exact += value(y);
    size += std::fabs(value(y));
  }
  return static_cast<double>(std::fabs(value(result<T>(op::sum, x)) - exact) / size *
                             std::scalbn(1.0L, format<T>::digits));
}

}  // namespace

TEST_CASE("the error of a sum grows with the logarithm of n") {
  for (const std::size_t n : {std::size_t{1000}, std::size_t{1} << 17, std::size_t{999983}}) {
    const double bound = std::log2(static_cast<double>(n)) / 16;
    CHECK(sum_error(uniform<float>(n, 0, 1)) <= bound);
    CHECK(sum_error(uniform<float>(n, -1, 1)) <= bound);
    CHECK(sum_error(uniform<double>(n, 0, 1)) <= bound);
  }
}

TEST_CASE("sums of infinities") {
  CHECK(result<float>(op::sum, std::vector<float>{1, inf, 2, 3, 4, 5}) == inf);
  CHECK(result<float>(op::sum, std::vector<float>{1, 2, 3, 4, -inf, -inf, 7}) == -inf);
  CHECK(std::isnan(result<float>(op::sum, std::vector<float>{inf, 1, 2, 3, 4, -inf})));
  CHECK(result<float>(op::sum_of_squares, std::vector<float>{1, -inf, 2}) == inf);
  CHECK(result<double>(op::sum, std::vector<double>{-infinity}) == -infinity);
}

TEST_CASE("sums and products of integers wrap") {
  CHECK(result<std::int64_t>(op::sum, std::vector<std::int64_t>{INT64_MAX, 1}) == INT64_MIN);
  CHECK(result<std::uint64_t>(op::sum, std::vector<std::uint64_t>{UINT64_MAX, 3}) == 2);
  CHECK(result<std::int64_t>(op::product, std::vector<std::int64_t>{INT64_MAX, 2}) == -2);
  CHECK(result<std::int64_t>(op::sum_of_squares, std::vector<std::int64_t>{INT64_MIN, 3}) == 9);
}

TEST_CASE("products") {
  static_assert(std::is_same_v<decltype(op::product.identity<std::int8_t>()), op::int64_t>);
  static_assert(std::is_same_v<decltype(op::product.identity<bool>()), op::int64_t>);
  static_assert(std::is_same_v<decltype(op::product.identity<std::uint16_t>()), op::uint64_t>);
  CHECK(result<float>(op::product, std::vector<float>{}) == 1);
  CHECK(result<std::int32_t>(op::product, std::vector<std::int32_t>{}) == 1);
  CHECK(result<std::int64_t>(op::product, std::vector<std::int8_t>(9, -128)) == -(INT64_C(1) << 62) * 2);
  CHECK(result<std::uint64_t>(op::product, std::vector<std::uint8_t>(8, 255)) == UINT64_C(0xf81bc845c81bf801));
  CHECK(result<std::int64_t>(op::product, std::vector<std::int32_t>{1 << 30, 1 << 30, -3}) == -3 * (INT64_C(1) << 60));
  CHECK(result<float>(op::product, std::vector<float>{1.5f, -2, 4, 0.25f, 8, 1}) == -24);
  CHECK(same(result<float>(op::product, std::vector<float>{1, -2, 0, 4, 5}), -0.0));
  CHECK(result<double>(op::product, std::vector<double>{-infinity, 2, -1}) == infinity);
  CHECK(std::isnan(result<float>(op::product, std::vector<float>{inf, 2, 3, 4, 5, 0})));
  CHECK(std::isnan(result<float>(op::product, std::vector<float>{0, 2, 3, 4, 5, NAN})));
  const std::vector<float> x = uniform<float>(3000, 0.95, 1.05);
  long double exact = 1;
  for (const float y : x) exact *= value(y);
  CHECK(std::fabs(result<float>(op::product, x) / exact - 1) < 3e-6L);  // 50 of the 2999 roundings that may add up
}

TEST_CASE("the error of a sum of squares is that of a sum") {
  for (const std::size_t n : {std::size_t{1000}, std::size_t{999983}}) {
    const std::vector<float> x = uniform<float>(n, -1, 1);
    long double exact = 0;
    for (const float y : x) exact += value(y) * value(y);
    CHECK(std::fabs(result<float>(op::sum_of_squares, x) / exact - 1) <
          std::log2(static_cast<double>(n)) / 16 * std::scalbn(1.0, -24));
  }
}

namespace {

template <class R, class A, class B>
R dot(const std::vector<A> &a, const std::vector<B> &b) {
  R r;
  std::memset(static_cast<void *>(&r), 0x33, sizeof(R));
  on_host(op::zip(op::load(a.data()), op::load(b.data())) | op::reduce(op::dot, &r), a.size());
  return r;
}

// An array of tuples, put together by assignment: no constructor of a tuple takes two complex numbers.
template <class A, class B>
std::vector<cuda::std::tuple<A, B>> paired(const std::vector<A> &a, const std::vector<B> &b) {
  std::vector<cuda::std::tuple<A, B>> pairs(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    cuda::std::get<0>(pairs[i]) = a[i];
    cuda::std::get<1>(pairs[i]) = b[i];
  }
  return pairs;
}

}  // namespace

TEST_CASE("dot, of pairs of one type or of two") {
  CHECK(dot<float>(std::vector<float>{}, std::vector<float>{}) == 0);
  CHECK(dot<float>(std::vector<float>{1, 2, 3, 4, 5}, std::vector<float>{6, 7, 8, 9, 10}) == 130);
  CHECK(dot<std::int64_t>(std::vector<std::int8_t>(1000, -128), std::vector<std::int8_t>(1000, 127)) == -16256000);
  CHECK(dot<std::int64_t>(std::vector<std::int8_t>(1000, -128), std::vector<std::uint8_t>(1000, 255)) == -32640000);
  CHECK(dot<std::int64_t>(std::vector<std::int32_t>(4, INT32_MIN), std::vector<std::int32_t>(4, 1 << 28)) ==
        -(INT64_C(1) << 61));
  CHECK(dot<std::uint64_t>(std::vector<std::uint32_t>(2, UINT32_MAX), std::vector<std::uint32_t>(2, 1)) ==
        UINT64_C(2) * UINT32_MAX);
  CHECK(dot<double>(std::vector<float>{0.1f, 2}, std::vector<double>{10, 0.5}) == 0.1f * 10.0 + 1);
  CHECK(dot<float>(std::vector<std::int32_t>{3, -4}, std::vector<float>{0.5f, 0.25f}) == 0.5f);
  CHECK(dot<float>(std::vector<f16>(5, nearest<f16>(600)), std::vector<bf16>(5, nearest<bf16>(1024))) == 3072000);
  CHECK(dot<float>(std::vector<float>{inf, 1}, std::vector<float>{2, 1}) == inf);
  CHECK(std::isnan(dot<float>(std::vector<float>{inf, 1}, std::vector<float>{0, 1})));
}

TEST_CASE("the error of dot, in the sum of absolute products") {
  for (const std::size_t n : {std::size_t{7}, std::size_t{1000}, std::size_t{999983}}) {
    const std::vector<float> a = uniform<float>(n, -1, 1), b = uniform<float>(n, -1, 1, 2);
    long double exact = 0, size = 0;
    for (std::size_t i = 0; i < n; ++i) {
      exact += value(a[i]) * value(b[i]);
      size += std::fabs(value(a[i]) * value(b[i]));
    }
    CHECK(std::fabs(dot<float>(a, b) - exact) <= size * std::scalbn(0.75L, -24));
  }
}

TEST_CASE("sums, products and dot of complex numbers; nothing is conjugated") {
  using complex = cuda::std::complex<float>;
  const std::vector<complex> a = {{1, 2}, {3, -4}, {0, 1}, {0.5f, 0}, {-1, -1}};
  const std::vector<complex> b = {{2, 0}, {0, 1}, {0, 1}, {4, 4}, {1, 1}};
  CHECK(result<complex>(op::sum, a) == complex(3.5f, -2));
  CHECK(result<complex>(op::mean, a) == complex(0.7f, -0.4f));
  CHECK(result<complex>(op::dot, paired(a, b)) == complex(7, 7));  // (2, 4) + (4, 3) + (-1, 0) + (2, 2) + (0, -2)
  CHECK(result<complex>(op::product, a) == complex(6.5f, -4.5f));
  CHECK(result<complex>(op::dot, paired(std::vector<float>{2, 3, 1, 1, 1}, b)) == complex(9, 9));
  CHECK(result<std::int64_t>(op::count, a) == 5);
}
