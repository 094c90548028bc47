// SPDX-License-Identifier: Apache-2.0
// power against long double: errors in ulp, every 16-bit input to many exponents, C's special cases, integers.
//
// The bounds are those measured here, with the C library's functions.
#include <onepass/stage/power.cuh>

#include <cstdint>
#include <type_traits>

#include "catch.hpp"
#include "util.hpp"

namespace op = onepass;
using namespace test;

static_assert(std::is_same_v<behind<f16, decltype(op::power(2))>, float>);
static_assert(std::is_same_v<behind<float, decltype(op::power(0.5))>, float>);
static_assert(std::is_same_v<behind<float, decltype(op::power(op::value(0.5)))>, double>);
static_assert(std::is_same_v<behind<float, decltype(op::power(op::value(3)))>, float>);
static_assert(std::is_same_v<behind<std::uint8_t, decltype(op::power(2))>, int>);
static_assert(std::is_same_v<behind<std::int32_t, decltype(op::power(op::value(0.5f)))>, float>);

namespace {

template <class T>
struct bases_and_exponents {
  std::vector<T> x, b;
  void add(T base, T exponent) {
    x.push_back(base);
    b.push_back(exponent);
  }
};

// Results over the whole range, of bases of all sizes and of bases near 1; whole exponents of either sign; any bits.
template <class T>
bases_and_exponents<T> pairs() {
  bases_and_exponents<T> p;
  std::mt19937_64 bits(11);
  const auto unit = [&] { return static_cast<double>(bits()) / 18446744073709551616.0; };
  const double most = format<T>::greatest + 3;
  for (int i = 0; i < 100000; ++i) {
    const double log_of_base = i % 2 == 0 ? (2 * unit() - 1) * most : (2 * unit() - 1) * 0.3 * unit();
    p.add(static_cast<T>(std::exp2(log_of_base)), static_cast<T>((2 * unit() - 1) * most / std::fabs(log_of_base)));
    p.add(static_cast<T>(8 * unit() - 4), static_cast<T>(std::floor(40 * unit()) - 20));
    p.add(bits_of<T>(static_cast<typename format<T>::word>(bits())),
          bits_of<T>(static_cast<typename format<T>::word>(bits())));
  }
  return p;
}

template <class Out, class T, class Measure>
worst worst_power(const bases_and_exponents<T> &p, const Measure &measure) {
  const std::vector<Out> y = through<Out>(p.x, op::power(op::load(p.b.data())));
  worst w;
  for (std::size_t i = 0; i < y.size(); ++i)
    w.add(measure(y[i], std::pow(value(p.x[i]), value(p.b[i]))), value(p.x[i]));
  return w;
}

}  // namespace

TEST_CASE("power of floats") {
  CHECK(worst_power<float>(pairs<float>(), [](float y, long double exact) { return error_in_ulp(y, exact); }) <= 0.78);
  CHECK(worst_power<double>(pairs<double>(), [](double y, long double exact) { return error_in_ulp(y, exact); }) <=
        0.51);
}

TEST_CASE("before a 16-bit store f32 pairs are within one step of the nearest") {
  const bases_and_exponents<float> p = pairs<float>();
  CHECK(worst_power<f16>(p, [](f16 y, long double exact) { return steps(y, exact); }) <= 1);
  CHECK(worst_power<bf16>(p, [](bf16 y, long double exact) { return steps(y, exact); }) <= 1);
}

TEST_CASE("so is every 16-bit input to many exponents") {
  const std::vector<f16> small = sweep<f16>();
  const std::vector<bf16> bfloat = sweep<bf16>();
  for (const float b : {0.0f,        -0.0f,
                        1.0f,        2.0f,
                        3.0f,        -1.0f,
                        -2.0f,       -7.0f,
                        0.5f,        -0.5f,
                        1.0f / 3,    0.1f,
                        2.2f,        10.0f,
                        127.0f,      1e-3f,
                        -1e-40f,     900.5f,
                        5000.0f,     11000.0f,
                        16777217.0f, 1e30f,
                        -1e38f,      HUGE_VALF,
                        -HUGE_VALF,  std::numeric_limits<float>::quiet_NaN()}) {
    INFO("exponent " << b);
    const auto f = [&](long double x) { return std::pow(x, static_cast<long double>(b)); };
    CHECK(worst_steps<f16>(small, op::power(b), f) <= 1);
    CHECK(worst_steps<bf16>(bfloat, op::power(b), f) <= 1);
  }
}

namespace {

template <class T>
void special_cases() {
  const std::vector<T> special = specials<T>();
  bases_and_exponents<T> p;
  for (const T x : special)
    for (const T b : special) p.add(x, b);
  for (const double x : {-infinity, -2.0, -1.0, -0.0, 0.0, 1.0, infinity, not_a_number})
    for (const double b : {-infinity, -3.0, -2.0, -0.5, 0.0, 0.5, 2.0, 3.0, infinity, not_a_number})
      p.add(nearest<T>(x), nearest<T>(b));
  const std::vector<T> y = through<T>(p.x, op::power(op::load(p.b.data())));
  for (std::size_t i = 0; i < y.size(); ++i) {
    const long double x = value(p.x[i]), b = value(p.b[i]), right = std::pow(x, b), got = value(y[i]);
    INFO(x << " to the power of " << b);
    CHECK(std::isnan(got) == std::isnan(right));
    if (std::isnan(right)) continue;
    CHECK(std::signbit(got) == std::signbit(right));
    CHECK(error_in_ulp(y[i], right) <= 1.5);
  }
}

}  // namespace

TEST_CASE("special cases are those of C") {
  SECTION("f16") { special_cases<f16>(); }
  SECTION("bf16") { special_cases<bf16>(); }
  SECTION("f32") { special_cases<float>(); }
  SECTION("f64") { special_cases<double>(); }
}

TEST_CASE("integers are exact, modulo 2^bits") {
  const std::vector<std::int32_t> x = {0, 1, -1, 2, -2, 3, 10, -7, INT32_MAX, INT32_MIN};
  for (const int b : {0, 1, 2, 3, 5, 31, 32, 1000001}) {
    const std::vector<std::int32_t> y = through<std::int32_t>(x, op::power(b));
    for (std::size_t i = 0; i < x.size(); ++i) {
      std::uint32_t right = 1;
      for (int k = 0; k < b; ++k) right *= static_cast<std::uint32_t>(x[i]);
      CHECK(static_cast<std::uint32_t>(y[i]) == right);
    }
  }
  CHECK(through<std::int64_t>(std::vector<std::int64_t>{3, -3, 10},
                              op::power(op::load(std::vector<std::uint8_t>{39, 39, 18}.data()))) ==
        std::vector<std::int64_t>{INT64_C(4052555153018976267), -INT64_C(4052555153018976267),
                                  INT64_C(1000000000000000000)});
  CHECK(through<std::uint64_t>(std::vector<std::uint64_t>{3, 2}, op::power(63)) ==
        std::vector<std::uint64_t>{UINT64_C(15208858086377056683), UINT64_C(1) << 63});
  CHECK(through<int>(std::vector<std::uint8_t>{255}, op::power(3))[0] == 16581375);
}

TEST_CASE("a negative power of an integer is the reciprocal, cut to an integer") {
  const std::vector<std::int32_t> x = {0, 1, -1, 2, -2, INT32_MIN};
  CHECK(through<std::int32_t>(x, op::power(-1)) == std::vector<std::int32_t>{0, 1, -1, 0, 0, 0});
  CHECK(through<std::int32_t>(x, op::power(-2)) == std::vector<std::int32_t>{0, 1, 1, 0, 0, 0});
  CHECK(through<std::int32_t>(x, op::power(INT32_MIN)) == std::vector<std::int32_t>{0, 1, 1, 0, 0, 0});
  const std::vector<std::uint32_t> u = {0, 1, 2, UINT32_MAX};
  CHECK(through<std::uint32_t>(u, op::power(op::value(-3))) == std::vector<std::uint32_t>{0, 1, 0, 0});
}
