// SPDX-License-Identifier: Apache-2.0
// The arithmetic ops: every pair of special values, rounded once; NaN through minima and maxima; integers as in C++.
#include <onepass/stage/arithmetic.cuh>

#include <cstdint>
#include <limits>
#include <type_traits>

#include "catch.hpp"
#include "util.hpp"

namespace op = onepass;
using namespace test;

// Values promote as in C++; a number takes the type that it meets.
static_assert(std::is_same_v<behind<f16, decltype(op::add(1))>, float>);
static_assert(std::is_same_v<behind<bf16, decltype(op::multiply(0.5))>, float>);
static_assert(std::is_same_v<behind<float, decltype(op::multiply(0.5))>, float>);
static_assert(std::is_same_v<behind<float, decltype(op::multiply(op::value(0.5)))>, double>);
static_assert(std::is_same_v<behind<float, decltype(op::multiply_add(op::value(0.5), 1))>, double>);
static_assert(std::is_same_v<behind<std::uint8_t, decltype(op::add(1))>, int>);
static_assert(
    std::is_same_v<behind<std::uint8_t, decltype(op::subtract(op::load(static_cast<std::uint8_t *>(nullptr))))>, int>);
static_assert(std::is_same_v<behind<std::int32_t, decltype(op::add(op::value(INT64_C(1))))>, std::int64_t>);
static_assert(std::is_same_v<behind<std::int32_t, decltype(op::add(op::value(1.f)))>, float>);
static_assert(std::is_same_v<behind<std::int64_t, decltype(op::maximum(0))>, std::int64_t>);
static_assert(std::is_same_v<behind<std::uint8_t, decltype(op::negate)>, int>);
static_assert(std::is_same_v<behind<std::int32_t, decltype(op::abs)>, std::int64_t>);
static_assert(std::is_same_v<behind<std::int8_t, decltype(op::abs)>, int>);
static_assert(std::is_same_v<behind<std::uint32_t, decltype(op::abs)>, std::uint32_t>);
static_assert(std::is_same_v<behind<std::uint8_t, decltype(op::square)>, int>);
static_assert(std::is_same_v<behind<std::uint8_t, decltype(op::sign)>, int>);
static_assert(std::is_same_v<behind<std::uint64_t, decltype(op::sign)>, std::uint64_t>);
static_assert(std::is_same_v<behind<f16, decltype(op::reciprocal)>, float>);
static_assert(std::is_same_v<behind<std::int32_t, decltype(op::reciprocal)>, double>);
static_assert(std::is_same_v<behind<std::uint8_t, decltype(op::remainder(3))>, int>);
static_assert(std::is_same_v<behind<bool, decltype(op::add(1))>, int>);
static_assert(std::is_same_v<behind<bool, decltype(op::negate)>, int>);
static_assert(std::is_same_v<behind<bool, decltype(op::sign)>, int>);

namespace {

// Every pair of special values, and pairs of arbitrary bits.
template <class T>
struct all_pairs {
  std::vector<T> a, b;
  all_pairs() {
    const std::vector<T> special = specials<T>();
    for (const T x : special)
      for (const T y : special) {
        a.push_back(x);
        b.push_back(y);
      }
    std::mt19937_64 bits(7);
    for (int i = 0; i < 20000; ++i) {
      a.push_back(bits_of<T>(static_cast<typename format<T>::word>(bits())));
      b.push_back(bits_of<T>(static_cast<typename format<T>::word>(bits())));
    }
  }
};

// How many pairs differ from f(a, b), NaN being equal to NaN, and zeros by their sign.
template <class Out, class T, class Stage, class F>
int wrong(const all_pairs<T> &pairs, const Stage &stage, const F &f) {
  const std::vector<Out> y = through<Out>(pairs.a, stage(op::load(pairs.b.data())));
  int n = 0;
  for (std::size_t i = 0; i < y.size(); ++i) n += !same(value(y[i]), f(pairs.a[i], pairs.b[i]));
  return n;
}

template <class T>
T lesser(T a, T b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<T>::quiet_NaN();
  return a == b ? (std::signbit(a) ? a : b) : std::min(a, b);
}

}  // namespace

TEST_CASE("f32 results are rounded once") {
  const all_pairs<float> pairs;
  CHECK(wrong<float>(pairs, op::add, [](float a, float b) { return rounded<float>(value(a) + value(b)); }) == 0);
  CHECK(wrong<float>(pairs, op::subtract, [](float a, float b) { return rounded<float>(value(a) - value(b)); }) == 0);
  CHECK(wrong<float>(pairs, op::multiply, [](float a, float b) { return rounded<float>(value(a) * value(b)); }) == 0);
  CHECK(wrong<float>(pairs, op::divide, [](float a, float b) { return rounded<float>(value(a) / value(b)); }) == 0);
}

TEST_CASE("f64 results are those of the machine") {
  const all_pairs<double> pairs;
  CHECK(wrong<double>(pairs, op::add, [](double a, double b) { return a + b; }) == 0);
  CHECK(wrong<double>(pairs, op::subtract, [](double a, double b) { return a - b; }) == 0);
  CHECK(wrong<double>(pairs, op::multiply, [](double a, double b) { return a * b; }) == 0);
  CHECK(wrong<double>(pairs, op::divide, [](double a, double b) { return a / b; }) == 0);
}

TEST_CASE("minimum and maximum propagate NaN and order the zeros") {
  const all_pairs<float> f32;
  CHECK(wrong<float>(f32, op::minimum, [](float a, float b) { return lesser(a, b); }) == 0);
  CHECK(wrong<float>(f32, op::maximum, [](float a, float b) { return -lesser(-a, -b); }) == 0);
  const all_pairs<double> f64;
  CHECK(wrong<double>(f64, op::minimum, [](double a, double b) { return lesser(a, b); }) == 0);
  CHECK(wrong<double>(f64, op::maximum, [](double a, double b) { return -lesser(-a, -b); }) == 0);
  const all_pairs<f16> halves;
  CHECK(wrong<f16>(halves, op::minimum, [](f16 a, f16 b) { return lesser(value(a), value(b)); }) == 0);
  const all_pairs<bf16> bfloat;
  CHECK(wrong<bf16>(bfloat, op::maximum, [](bf16 a, bf16 b) { return -lesser(-value(a), -value(b)); }) == 0);
}

TEST_CASE("clamp keeps NaN, also of a bound") {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  const std::vector<float> x = {nan, -inf, -3, -0.0f, 0, 0.5f, 2, 7, inf};
  const auto compare = [&](float low, float high, const std::vector<float> &expected) {
    const std::vector<float> y = through<float>(x, op::clamp(low, high));
    for (std::size_t i = 0; i < x.size(); ++i) {
      INFO(x[i] << " in [" << low << ", " << high << "]");
      CHECK(same(y[i], expected[i]));
    }
  };
  compare(0, 1, {nan, 0, 0, 0, 0, 0.5f, 1, 1, 1});
  compare(-1, 6, {nan, -1, -1, -0.0f, 0, 0.5f, 2, 6, 6});
  compare(-inf, inf, x);
  compare(5, 1, std::vector<float>{nan, 1, 1, 1, 1, 1, 1, 1, 1});  // an empty interval: the upper bound
  compare(nan, 1, std::vector<float>(9, nan));
  compare(0, nan, std::vector<float>(9, nan));
}

TEST_CASE("multiply_add is rounded once") {
  const float e = std::ldexp(1.0f, -23);
  CHECK(through<float>(std::vector<float>{1 + e}, op::multiply_add(1 - e, -1))[0] == -e * e);
  const double d = std::ldexp(1.0, -52);
  CHECK(through<double>(std::vector<double>{1 + d}, op::multiply_add(1 - d, -1))[0] == -d * d);
  // 16-bit values meet in f32, where the product is exact.
  const std::vector<f16> x = {nearest<f16>(65504), nearest<f16>(-0.1L)};
  const std::vector<float> y = through<float>(x, op::multiply_add(nearest<f16>(3), nearest<bf16>(0.5L)));
  CHECK(y[0] == 65504 * 3 + 0.5f);
  CHECK(y[1] == static_cast<float>(value(x[1]) * 3 + 0.5L));

  const all_pairs<float> pairs;
  const std::vector<float> z =
      through<float>(pairs.a, op::multiply_add(op::load(pairs.b.data()), op::load(pairs.a.data())));
  int different = 0;
  for (std::size_t i = 0; i < z.size(); ++i)
    different += !same(z[i], rounded<float>(value(pairs.a[i]) * value(pairs.b[i]) + value(pairs.a[i])));
  CHECK(different == 0);
}

TEST_CASE("f32 flows between 16-bit ends: nothing is rounded on the way") {
  // 65504 * 3 and 1e-5 * 1e-3 leave f16; the next op brings them back.
  const std::vector<f16> x = {nearest<f16>(65504), nearest<f16>(6e-8L)};
  const std::vector<f16> y = through<f16>(x, op::multiply(3.0f) | op::multiply(1e-6f) | op::divide(3e-6f));
  CHECK(value(y[0]) == 65504);
  CHECK(value(y[1]) == value(x[1]));
}

TEST_CASE("division before a 16-bit store is within one step of the nearest") {
  for (const double b : {3.0, -7.0, 0.1, 1.0 / 3, 1e-3, 40000.0}) {
    const auto f = [&](long double x) { return x / static_cast<float>(b); };
    INFO("divisor " << b);
    CHECK(worst_steps<f16>(sweep<f16>(), op::divide(b), f) <= 1);
    CHECK(worst_steps<bf16>(sweep<bf16>(), op::divide(b), f) <= 1);
    CHECK(worst_steps<f16>(sweep<f16>(), op::exact(op::divide(b)), f) <= 1);
  }
  // f32 values that reach far beyond the range of either: tiny, huge and infinite divisors.
  const all_pairs<float> pairs;
  const std::vector<bf16> y = through<bf16>(pairs.a, op::divide(op::load(pairs.b.data())));
  worst w;
  for (std::size_t i = 0; i < y.size(); ++i) w.add(steps(y[i], value(pairs.a[i]) / value(pairs.b[i])), pairs.b[i]);
  CHECK(w <= 1);
}

TEST_CASE("remainders are exact, of the sign of x") {
  const all_pairs<float> f32;
  CHECK(wrong<float>(f32, op::remainder, [](float a, float b) { return std::fmod(value(a), value(b)); }) == 0);
  const all_pairs<double> f64;
  CHECK(wrong<double>(f64, op::remainder, [](double a, double b) { return std::fmod(value(a), value(b)); }) == 0);
  const all_pairs<bf16> bfloat;
  CHECK(wrong<bf16>(bfloat, op::remainder, [](bf16 a, bf16 b) { return std::fmod(value(a), value(b)); }) == 0);
  CHECK(through<float>(std::vector<float>{-5.5f, 5.5f, -6}, op::remainder(3)) ==
        std::vector<float>{-2.5f, 2.5f, -0.0f});
}

TEST_CASE("reciprocals are rounded once, before a 16-bit store within one step of the nearest") {
  const auto f = [](long double x) { return 1 / x; };
  CHECK(worst_ulp<float>(sweep<float>(), op::reciprocal, f) <= 0.5);
  CHECK(worst_ulp<double>(sweep<double>(), op::reciprocal, f) <= 0.501);
  CHECK(worst_steps<f16>(sweep<f16>(), op::reciprocal, f) <= 1);
  CHECK(worst_steps<bf16>(sweep<bf16>(), op::reciprocal, f) <= 1);
  CHECK(worst_steps<bf16>(sweep<float>(), op::reciprocal, f) <= 1);
  CHECK(through<double>(std::vector<std::int32_t>{4, -2, 0}, op::reciprocal) ==
        std::vector<double>{0.25, -0.5, infinity});
  CHECK(through<float>(std::vector<float>{-0.0f}, op::reciprocal)[0] == -HUGE_VALF);
}

TEST_CASE("sign keeps zeros and NaN") {
  const auto check = [](auto type) {
    using T = decltype(type);
    const std::vector<T> x = sweep<T>(1 << 12), y = through<T>(x, op::sign);
    int different = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const long double v = value(x[i]);
      different += !same(value(y[i]), v == 0 || std::isnan(v) ? v : std::copysign(1.0L, v));
    }
    CHECK(different == 0);
  };
  check(f16{});
  check(bf16{});
  check(float{});
  check(double{});
  CHECK(through<std::int64_t>(std::vector<std::int64_t>{INT64_MIN, 0, 7}, op::sign) ==
        std::vector<std::int64_t>{-1, 0, 1});
  CHECK(through<std::int8_t>(std::vector<std::int8_t>{-128, 0, 127}, op::sign) == std::vector<std::int8_t>{-1, 0, 1});
  CHECK(through<std::uint32_t>(std::vector<std::uint32_t>{0, UINT32_MAX}, op::sign) ==
        std::vector<std::uint32_t>{0, 1});
}

TEST_CASE("negate, abs and square of floats keep zeros, infinities and NaN") {
  const auto check = [](auto type) {
    using T = decltype(type);
    const std::vector<T> x = sweep<T>(1 << 12);
    const std::vector<T> minus = through<T>(x, op::negate), size = through<T>(x, op::abs),
                         product = through<T>(x, op::square);
    int different = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const long double v = value(x[i]);
      different += !same(value(minus[i]), -v) + !same(value(size[i]), std::fabs(v));
      different += !same(value(product[i]), rounded<T>(v * v));
    }
    CHECK(different == 0);
  };
  check(f16{});
  check(bf16{});
  check(float{});
  check(double{});
}

TEST_CASE("integers compute as in C++") {
  const std::vector<std::uint8_t> u8 = {0, 1, 2, 127, 128, 200, 255};
  const std::vector<std::int32_t> i32 = {0, 5, -7, INT32_MAX, INT32_MIN, 100, -100};
  const std::vector<std::int64_t> i64 = {0, (INT64_C(1) << 53) + 1, -(INT64_C(1) << 62), INT64_MAX, INT64_MIN, 12, -12};

  const auto sums = through<int>(u8, op::add(op::load(u8.data())));
  const auto differences = through<int>(u8, op::subtract(200));
  const auto quotients = through<int>(u8, op::divide(3));
  const auto squares = through<int>(u8, op::square);
  const auto opposite = through<int>(u8, op::negate);
  const auto products = through<std::int64_t>(i32, op::multiply(op::value(INT64_C(4))));
  const auto fused = through<std::int64_t>(i32, op::multiply_add(op::value(INT64_C(2)), 3));
  const auto minima = through<std::int64_t>(i64, op::minimum(op::load(i32.data())));
  const auto clamped = through<std::int64_t>(i64, op::clamp(-(INT64_C(1) << 60) - 1, (INT64_C(1) << 53) + 3));
  for (std::size_t i = 0; i < u8.size(); ++i) {
    CHECK(sums[i] == u8[i] + u8[i]);
    CHECK(differences[i] == u8[i] - 200);
    CHECK(quotients[i] == u8[i] / 3);
    CHECK(squares[i] == u8[i] * u8[i]);
    CHECK(opposite[i] == -u8[i]);
    CHECK(products[i] == i32[i] * INT64_C(4));
    CHECK(fused[i] == i32[i] * INT64_C(2) + 3);
    CHECK(minima[i] == std::min<std::int64_t>(i64[i], i32[i]));
    CHECK(clamped[i] == std::clamp(i64[i], -(INT64_C(1) << 60) - 1, (INT64_C(1) << 53) + 3));
  }
  // Signed meets unsigned in unsigned.
  CHECK(through<std::uint32_t>(std::vector<std::int32_t>{-1}, op::maximum(op::value(1u)))[0] == UINT32_MAX);
  CHECK(through<std::uint32_t>(std::vector<std::uint32_t>{1}, op::negate)[0] == UINT32_MAX);
}

namespace {

// Every pair of integers that matter to a division.
template <class T>
void divisions() {
  using limits = std::numeric_limits<T>;
  const std::vector<T> all = {0, 1, 2, 7, 100, static_cast<T>(-1), static_cast<T>(-7), limits::min(), limits::max()};
  for (const T b : all) {
    const std::vector<T> divisors(all.size(), b);
    const std::vector<T> quotients = through<T>(all, op::divide(op::load(divisors.data()))),
                         rests = through<T>(all, op::remainder(op::load(divisors.data())));
    for (std::size_t i = 0; i < all.size(); ++i) {
      INFO(all[i] << " over " << b);
      const bool wraps = std::is_signed_v<T> && all[i] == limits::min() && b == static_cast<T>(-1);
      CHECK(quotients[i] == (b == 0 ? 0 : wraps ? all[i] : all[i] / b));
      CHECK(rests[i] == (b == 0 || wraps ? 0 : all[i] % b));
    }
  }
}

}  // namespace

TEST_CASE("an integer division ends no program") {
  SECTION("i32") { divisions<std::int32_t>(); }
  SECTION("u32") { divisions<std::uint32_t>(); }
  SECTION("i64") { divisions<std::int64_t>(); }
  SECTION("u64") { divisions<std::uint64_t>(); }
  CHECK(through<int>(std::vector<std::int8_t>{-128}, op::divide(-1))[0] == 128);  // promoted
  CHECK(through<int>(std::vector<std::int8_t>{-128}, op::divide(0))[0] == 0);
}

TEST_CASE("a bool is an int in arithmetic") {
  const bool x[] = {false, true};
  int y[2];
  on_host(op::load(x) | op::multiply(3) | op::subtract(op::load(x)) | op::store(y), 2);
  CHECK((y[0] == 0 && y[1] == 2));
  on_host(op::load(x) | op::negate | op::square | op::clamp(0, 5) | op::store(y), 2);
  CHECK((y[0] == 0 && y[1] == 1));
}

TEST_CASE("the absolute value of the least integer exists") {
  CHECK(through<int>(std::vector<std::int8_t>{-128, 127, -1}, op::abs) == std::vector<int>{128, 127, 1});
  CHECK(through<std::int64_t>(std::vector<std::int32_t>{INT32_MIN, 5}, op::abs) ==
        std::vector<std::int64_t>{INT64_C(1) << 31, 5});
  CHECK(through<std::int32_t>(std::vector<std::int32_t>{INT32_MIN}, op::abs)[0] ==
        INT32_MAX);  // saturated by the store
  CHECK(through<std::int64_t>(std::vector<std::int64_t>{INT64_MIN + 1, -3}, op::abs) ==
        std::vector<std::int64_t>{INT64_MAX, 3});
  CHECK(through<std::uint32_t>(std::vector<std::uint32_t>{0, UINT32_MAX}, op::abs) ==
        std::vector<std::uint32_t>{0, UINT32_MAX});
}

TEST_CASE("types mix freely") {
  const std::vector<std::uint8_t> a = {0, 3, 255};
  const std::vector<bf16> b = {nearest<bf16>(0.5L), nearest<bf16>(-2), nearest<bf16>(3)};
  const std::vector<double> c = {1e-300, 0.1, 1e300};
  const std::vector<std::int64_t> d = {(INT64_C(1) << 53) + 2, -1, 7};
  const std::vector<double> y = through<double>(a, op::multiply(op::load(b.data())) | op::add(op::load(c.data())) |
                                                       op::multiply_add(op::load(d.data()), op::value(0.25f)));
  for (std::size_t i = 0; i < a.size(); ++i)
    CHECK(y[i] == std::fma(static_cast<double>(static_cast<float>(a[i]) * static_cast<float>(value(b[i]))) + c[i],
                           static_cast<double>(d[i]), 0.25));
}
