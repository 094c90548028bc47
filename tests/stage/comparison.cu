// SPDX-License-Identifier: Apache-2.0
// Comparisons: every pair of special floats, integers of every signedness, bare numbers; the classes of floats.
#include <onepass/stage/comparison.cuh>
#include <onepass/stage/cast.cuh>

#include <cstdint>
#include <type_traits>

#include "catch.hpp"
#include "util.hpp"

namespace op = onepass;
using namespace test;

static_assert(std::is_same_v<behind<f16, decltype(op::less(1))>, bool>);
static_assert(std::is_same_v<behind<double, decltype(op::equal(op::value(1.f)))>, bool>);
static_assert(std::is_same_v<behind<std::int32_t, decltype(op::is_nan)>, bool>);
// A bool promotes in the arithmetic behind it.
static_assert(std::is_same_v<behind<float, decltype(op::less(1) | op::add(1))>, int>);
static_assert(std::is_same_v<behind<float, decltype(op::less(1) | op::multiply(op::value(0.5f)))>, float>);
static_assert(std::is_same_v<behind<float, decltype(op::less(1) | op::cast<float>() | op::multiply(0.5))>, float>);

namespace {

using results = std::vector<std::uint8_t>;

// How often an op differs from f over all pairs of values.
template <class A, class B, class Op, class F>
int wrong(const std::vector<A> &a, const std::vector<B> &b, const Op &stage, const F &f) {
  int n = 0;
  for (const B &y : b) {
    const std::vector<B> all(a.size(), y);
    const results r = through<std::uint8_t>(a, stage(op::load(all.data())));
    for (std::size_t i = 0; i < a.size(); ++i) n += r[i] != static_cast<std::uint8_t>(f(value(a[i]), value(y)));
  }
  return n;
}

// long double holds every f64 and every 64-bit integer.
template <class A, class B>
void compare(const std::vector<A> &a, const std::vector<B> &b) {
  CHECK(wrong(a, b, op::less, [](long double x, long double y) { return x < y; }) == 0);
  CHECK(wrong(a, b, op::less_equal, [](long double x, long double y) { return x <= y; }) == 0);
  CHECK(wrong(a, b, op::greater, [](long double x, long double y) { return x > y; }) == 0);
  CHECK(wrong(a, b, op::greater_equal, [](long double x, long double y) { return x >= y; }) == 0);
  CHECK(wrong(a, b, op::equal, [](long double x, long double y) { return x == y; }) == 0);
  CHECK(wrong(a, b, op::not_equal, [](long double x, long double y) { return x != y; }) == 0);
}

}  // namespace

TEST_CASE("floats: NaN is unequal to all, the zeros are equal") {
  compare(specials<float>(), specials<float>());
  compare(specials<double>(), specials<double>());
  compare(specials<f16>(), specials<bf16>());
}

TEST_CASE("integers compare as numbers") {
  const std::vector<std::int32_t> i32 = {INT32_MIN, -1, 0, 1, INT32_MAX};
  const std::vector<std::uint32_t> u32 = {0, 1, INT32_MAX, UINT32_C(1) << 31, UINT32_MAX};
  const std::vector<std::int64_t> i64 = {INT64_MIN, INT32_MIN, -1, 0, INT64_C(0xffffffff), INT64_MAX};
  const std::vector<std::uint64_t> u64 = {0, UINT32_MAX, UINT64_C(1) << 63, UINT64_MAX};
  const std::vector<std::int8_t> i8 = {-128, -1, 0, 127};
  compare(i32, u32);
  compare(u32, i32);
  compare(i64, u64);
  compare(u64, i8);
  compare(i8, u32);
  compare(i32, u64);
}

TEST_CASE("a bare integer keeps its type") {
  const std::vector<std::uint32_t> x = {0, 1, UINT32_MAX};
  CHECK(through<std::uint8_t>(x, op::greater(-1)) == results{1, 1, 1});
  CHECK(through<std::uint8_t>(x, op::less(INT64_C(1) << 40)) == results{1, 1, 1});
  CHECK(through<std::uint8_t>(std::vector<std::uint8_t>{0, 255}, op::less(300)) == results{1, 1});
  // Any other number takes the type that it meets.
  CHECK(through<std::uint8_t>(std::vector<float>{0.1f, 0.25f}, op::equal(0.1)) == results{1, 0});
}

TEST_CASE("a result is 0 or 1 in arithmetic") {
  const std::vector<float> x = {-1, 0, 2};
  CHECK(through<int>(x, op::greater(0) | op::add(1)) == std::vector<int>{1, 1, 2});
  CHECK(through<int>(x, op::greater_equal(0) | op::negate) == std::vector<int>{0, -1, -1});
  CHECK(through<float>(x, op::greater(0) | op::multiply(op::load(x.data()))) == std::vector<float>{-0.0f, 0, 2});
}

TEST_CASE("the classes of floats") {
  const auto check = [](auto type) {
    using T = decltype(type);
    const std::vector<T> x = sweep<T>(1 << 12);
    const results n = through<std::uint8_t>(x, op::is_nan), i = through<std::uint8_t>(x, op::is_inf),
                  f = through<std::uint8_t>(x, op::is_finite);
    int different = 0;
    for (std::size_t k = 0; k < x.size(); ++k) {
      const long double v = value(x[k]);
      different += (n[k] != 0) != std::isnan(v);
      different += (i[k] != 0) != std::isinf(v);
      different += (f[k] != 0) != std::isfinite(v);
    }
    CHECK(different == 0);
  };
  check(f16{});
  check(bf16{});
  check(float{});
  check(double{});
  const std::vector<std::int32_t> integers = {0, -1, INT32_MAX};
  CHECK(through<std::uint8_t>(integers, op::is_nan) == results{0, 0, 0});
  CHECK(through<std::uint8_t>(integers, op::is_inf) == results{0, 0, 0});
  CHECK(through<std::uint8_t>(integers, op::is_finite) == results{1, 1, 1});
}
