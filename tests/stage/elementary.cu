// SPDX-License-Identifier: Apache-2.0
// The elementary functions against long double: errors in ulp over f32 and f64, every input of f16 and bf16, limits.
//
// The bounds are those measured here, with the C library's functions: f32 over all inputs where it is not 0.5 for expf
// (0.51), logf (0.82) and tanhf (2.19).
#include <onepass/stage/elementary.cuh>
#include <onepass/stage/comparison.cuh>

#include <cstdint>
#include <type_traits>

#include "catch.hpp"
#include "util.hpp"

namespace op = onepass;
using namespace test;

// An integer is computed in f64.
static_assert(std::is_same_v<behind<f16, decltype(op::exp)>, float>);
static_assert(std::is_same_v<behind<float, decltype(op::rsqrt)>, float>);
static_assert(std::is_same_v<behind<double, decltype(op::tanh)>, double>);
static_assert(std::is_same_v<behind<std::uint8_t, decltype(op::sqrt)>, double>);
static_assert(std::is_same_v<behind<std::int64_t, decltype(op::sigmoid)>, double>);
static_assert(std::is_same_v<behind<bf16, decltype(op::log1p)>, float>);
static_assert(std::is_same_v<behind<bool, decltype(op::exp2)>, double>);

namespace {

long double reciprocal_root(long double x) { return 1 / std::sqrt(x); }
long double logistic(long double x) { return 1 / (1 + std::exp(-x)); }

using function = long double (*)(long double);
constexpr function root = std::sqrt, exponential = std::exp, logarithm = std::log, hyperbolic = std::tanh;
constexpr function power_of_2 = std::exp2, power_less_1 = std::expm1, of_1_plus = std::log1p, to_base_2 = std::log2,
                   to_base_10 = std::log10, error_function = std::erf;

// All exponents, and evenly where the functions have their shape.
template <class T>
std::vector<T> inputs() {
  std::vector<T> x = sweep<T>(1 << 16);
  for (const auto &more :
       {uniform<T>(1 << 14, -1, 1), uniform<T>(1 << 14, -20, 20, 2), uniform<T>(1 << 14, -750, 710, 3),
        uniform<T>(1 << 14, 0.9, 1.1, 4), uniform<T>(1 << 14, -0.1, 0.1, 5)})
    x.insert(x.end(), more.begin(), more.end());
  return x;
}

}  // namespace

TEST_CASE("elementary functions of f32") {
  const std::vector<float> x = inputs<float>();
  CHECK(worst_ulp<float>(x, op::sqrt, root) <= 0.5);
  CHECK(worst_ulp<float>(x, op::rsqrt, reciprocal_root) <= 0.5001);
  CHECK(worst_ulp<float>(x, op::exp, exponential) <= 0.51);
  CHECK(worst_ulp<float>(x, op::log, logarithm) <= 0.82);
  CHECK(worst_ulp<float>(x, op::tanh, hyperbolic) <= 2.19);
  CHECK(worst_ulp<float>(x, op::sigmoid, logistic) <= 2.41);
  CHECK(worst_ulp<float>(x, op::exp2, power_of_2) <= 0.51);
  CHECK(worst_ulp<float>(x, op::expm1, power_less_1) <= 0.77);
  CHECK(worst_ulp<float>(x, op::log2, to_base_2) <= 0.75);
  CHECK(worst_ulp<float>(x, op::log10, to_base_10) <= 2);
  CHECK(worst_ulp<float>(x, op::log1p, of_1_plus) <= 0.8);
  CHECK(worst_ulp<float>(x, op::erf, error_function) <= 0.87);
}

TEST_CASE("elementary functions of f64") {
  const std::vector<double> x = inputs<double>();
  CHECK(worst_ulp<double>(x, op::sqrt, root) <= 0.5);
  CHECK(worst_ulp<double>(x, op::rsqrt, reciprocal_root) <= 1.5);
  CHECK(worst_ulp<double>(x, op::exp, exponential) <= 0.52);
  CHECK(worst_ulp<double>(x, op::log, logarithm) <= 0.52);
  CHECK(worst_ulp<double>(x, op::tanh, hyperbolic) <= 2.2);
  CHECK(worst_ulp<double>(x, op::sigmoid, logistic) <= 2.41);
  CHECK(worst_ulp<double>(x, op::exp2, power_of_2) <= 0.51);
  CHECK(worst_ulp<double>(x, op::expm1, power_less_1) <= 0.83);
  CHECK(worst_ulp<double>(x, op::log2, to_base_2) <= 0.55);
  CHECK(worst_ulp<double>(x, op::log10, to_base_10) <= 1.6);
  CHECK(worst_ulp<double>(x, op::log1p, of_1_plus) <= 0.8);
  CHECK(worst_ulp<double>(x, op::erf, error_function) <= 1.07);
}

namespace {

// Values of In stored as T, with the approximations that the store allows.
template <class T, class In>
void within_a_step() {
  std::vector<In> x = sweep<In>();
  if constexpr (sizeof(In) == 4) x = inputs<In>();
  CHECK(worst_steps<T>(x, op::sqrt, root) <= 1);
  CHECK(worst_steps<T>(x, op::rsqrt, reciprocal_root) <= 1);
  CHECK(worst_steps<T>(x, op::exp, exponential) <= 1);
  CHECK(worst_steps<T>(x, op::log, logarithm) <= 1);
  CHECK(worst_steps<T>(x, op::tanh, hyperbolic) <= 1);
  CHECK(worst_steps<T>(x, op::sigmoid, logistic) <= 1);
  CHECK(worst_steps<T>(x, op::exp2, power_of_2) <= 1);
  CHECK(worst_steps<T>(x, op::expm1, power_less_1) <= 1);
  CHECK(worst_steps<T>(x, op::log2, to_base_2) <= 1);
  CHECK(worst_steps<T>(x, op::log10, to_base_10) <= 1);
  CHECK(worst_steps<T>(x, op::log1p, of_1_plus) <= 1);
  CHECK(worst_steps<T>(x, op::erf, error_function) <= 1);
}

}  // namespace

TEST_CASE("before a 16-bit store every input is within one step of the nearest") {
  SECTION("f16") { within_a_step<f16, f16>(); }
  SECTION("bf16") { within_a_step<bf16, bf16>(); }
  SECTION("f32 to f16") { within_a_step<f16, float>(); }
  SECTION("f32 to bf16") { within_a_step<bf16, float>(); }
}

TEST_CASE("so is every input of the exact forms") {
  CHECK(worst_steps<f16>(sweep<f16>(), op::exact(op::exp), exponential) <= 1);
  CHECK(worst_steps<f16>(sweep<f16>(), op::exact(op::tanh), hyperbolic) <= 1);
  CHECK(worst_steps<bf16>(sweep<bf16>(), op::exact(op::sigmoid), logistic) <= 1);
}

namespace {

// The value of one stage at one point.
template <class T, class Stage>
long double at(double x, const Stage &stage) {
  return value(through<T>(std::vector<T>{nearest<T>(x)}, stage)[0]);
}

template <class T>
void limits() {
  const double inf = infinity;
  CHECK(same(at<T>(-inf, op::exp), 0));
  CHECK(at<T>(inf, op::exp) == inf);
  CHECK(at<T>(0, op::exp) == 1);
  CHECK(at<T>(0, op::log) == -inf);
  CHECK(at<T>(-0.0, op::log) == -inf);
  CHECK(same(at<T>(1, op::log), 0));
  CHECK(std::isnan(at<T>(-1, op::log)));
  CHECK(at<T>(inf, op::log) == inf);
  CHECK(same(at<T>(-0.0, op::sqrt), -0.0L));
  CHECK(std::isnan(at<T>(-1, op::sqrt)));
  CHECK(at<T>(inf, op::sqrt) == inf);
  CHECK(at<T>(0, op::rsqrt) == inf);
  CHECK(at<T>(-0.0, op::rsqrt) == -inf);
  CHECK(same(at<T>(inf, op::rsqrt), 0));
  CHECK(std::isnan(at<T>(-1, op::rsqrt)));
  CHECK(same(at<T>(-0.0, op::tanh), -0.0L));
  CHECK(same(at<T>(0, op::tanh), 0));
  CHECK(at<T>(inf, op::tanh) == 1);
  CHECK(at<T>(-inf, op::tanh) == -1);
  CHECK(same(at<T>(-inf, op::sigmoid), 0));
  CHECK(at<T>(inf, op::sigmoid) == 1);
  CHECK(at<T>(-0.0, op::sigmoid) == 0.5);
  CHECK(same(at<T>(-inf, op::exp2), 0));
  CHECK(at<T>(inf, op::exp2) == inf);
  CHECK(at<T>(-3, op::exp2) == 0.125);
  CHECK(at<T>(-inf, op::expm1) == -1);
  CHECK(at<T>(inf, op::expm1) == inf);
  CHECK(same(at<T>(0, op::expm1), 0));
  CHECK(same(at<T>(-0.0, op::expm1), -0.0L));
  CHECK(at<T>(0, op::log2) == -inf);
  CHECK(at<T>(inf, op::log2) == inf);
  CHECK(at<T>(0.125, op::log2) == -3);
  CHECK(same(at<T>(1, op::log2), 0));
  CHECK(std::isnan(at<T>(-1, op::log2)));
  CHECK(at<T>(-0.0, op::log10) == -inf);
  CHECK(at<T>(inf, op::log10) == inf);
  CHECK(at<T>(1000, op::log10) == 3);
  CHECK(same(at<T>(1, op::log10), 0));
  CHECK(std::isnan(at<T>(-inf, op::log10)));
  CHECK(at<T>(-1, op::log1p) == -inf);
  CHECK(at<T>(inf, op::log1p) == inf);
  CHECK(same(at<T>(0, op::log1p), 0));
  CHECK(same(at<T>(-0.0, op::log1p), -0.0L));
  CHECK(std::isnan(at<T>(-1.5, op::log1p)));
  CHECK(at<T>(inf, op::erf) == 1);
  CHECK(at<T>(-inf, op::erf) == -1);
  CHECK(same(at<T>(0, op::erf), 0));
  CHECK(same(at<T>(-0.0, op::erf), -0.0L));
  for (const auto &y : {at<T>(not_a_number, op::exp2), at<T>(not_a_number, op::expm1), at<T>(not_a_number, op::log2),
                        at<T>(not_a_number, op::log10), at<T>(not_a_number, op::log1p), at<T>(not_a_number, op::erf)})
    CHECK(std::isnan(y));
  for (const auto &y :
       {at<T>(not_a_number, op::exp), at<T>(not_a_number, op::log), at<T>(not_a_number, op::sqrt),
        at<T>(not_a_number, op::rsqrt), at<T>(not_a_number, op::tanh), at<T>(not_a_number, op::sigmoid)})
    CHECK(std::isnan(y));
}

}  // namespace

TEST_CASE("limits, zeros and NaN") {
  SECTION("f16") { limits<f16>(); }
  SECTION("bf16") { limits<bf16>(); }
  SECTION("f32") { limits<float>(); }
  SECTION("f64") { limits<double>(); }
}

TEST_CASE("the tail of sigmoid reaches the least number of its type") {
  CHECK(error_in_ulp(static_cast<float>(at<float>(-103, op::sigmoid)), std::exp(-103.0L)) <= 1);
  CHECK(at<float>(-103, op::sigmoid) > 0);
  CHECK(at<bf16>(-92, op::sigmoid) > 0);
  CHECK(at<f16>(-17, op::sigmoid) > 0);
  CHECK(at<double>(-744, op::sigmoid) > 0);
}

TEST_CASE("integers are computed in f64") {
  const std::vector<std::int32_t> x = {0, 1, 2, 100, -3};
  const std::vector<double> e = through<double>(x, op::exp), t = through<double>(x, op::tanh),
                            s = through<double>(x, op::sigmoid);
  for (std::size_t i = 0; i < x.size(); ++i) {
    CHECK(error_in_ulp(e[i], std::exp(value(x[i]))) <= 0.52);
    CHECK(error_in_ulp(t[i], std::tanh(value(x[i]))) <= 2.2);
    CHECK(error_in_ulp(s[i], logistic(value(x[i]))) <= 2.41);
  }
  CHECK(through<double>(x, op::log1p)[3] == std::log1p(100.0));
  CHECK(through<double>(x, op::exp2)[4] == 0.125);
  CHECK(through<double>(std::vector<std::uint8_t>{0, 1}, op::greater(0) | op::erf)[1] ==
        std::erf(1.0));  // of a bool, too
  CHECK(through<double>(std::vector<std::int64_t>{INT64_C(1) << 60}, op::sqrt)[0] == std::ldexp(1, 30));
  CHECK(through<double>(std::vector<std::uint8_t>{16}, op::rsqrt)[0] == 0.25);
}
