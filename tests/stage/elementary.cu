// SPDX-License-Identifier: Apache-2.0
// The elementary functions against long double: errors in ulp over f32 and f64, every input of f16 and bf16, limits.
//
// The bounds are those measured here: f32 over all inputs where it is not 0.5, with the C library's expf (0.51), logf
// (0.82) and tanhf (2.19).
#include <onepass/stage/elementary.cuh>

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

namespace {

long double reciprocal_root(long double x) { return 1 / std::sqrt(x); }
long double logistic(long double x) { return 1 / (1 + std::exp(-x)); }

using function = long double (*)(long double);
constexpr function root = std::sqrt, exponential = std::exp, logarithm = std::log, hyperbolic = std::tanh;

// All exponents, and evenly where the functions have their shape.
template <class T>
std::vector<T> inputs() {
  std::vector<T> x = sweep<T>();
  for (const auto &more :
       {uniform<T>(1 << 17, -1, 1), uniform<T>(1 << 17, -20, 20, 2), uniform<T>(1 << 17, -750, 710, 3)})
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
}

TEST_CASE("elementary functions of f64") {
  const std::vector<double> x = inputs<double>();
  CHECK(worst_ulp<double>(x, op::sqrt, root) <= 0.5);
  CHECK(worst_ulp<double>(x, op::rsqrt, reciprocal_root) <= 1.5);
  CHECK(worst_ulp<double>(x, op::exp, exponential) <= 0.52);
  CHECK(worst_ulp<double>(x, op::log, logarithm) <= 0.52);
  CHECK(worst_ulp<double>(x, op::tanh, hyperbolic) <= 2.2);
  CHECK(worst_ulp<double>(x, op::sigmoid, logistic) <= 2.41);
}

namespace {

// Values of In stored as T, with the approximations that the store allows.
template <class T, class In>
void within_a_step() {
  const std::vector<In> x = sweep<In>();
  CHECK(worst_steps<T>(x, op::sqrt, root) <= 1);
  CHECK(worst_steps<T>(x, op::rsqrt, reciprocal_root) <= 1);
  CHECK(worst_steps<T>(x, op::exp, exponential) <= 1);
  CHECK(worst_steps<T>(x, op::log, logarithm) <= 1);
  CHECK(worst_steps<T>(x, op::tanh, hyperbolic) <= 1);
  CHECK(worst_steps<T>(x, op::sigmoid, logistic) <= 1);
}

}  // namespace

TEST_CASE("before a 16-bit store every input is within one step of the nearest") {
  SECTION("f16") { within_a_step<f16, f16>(); }
  SECTION("bf16") { within_a_step<bf16, bf16>(); }
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
  CHECK(through<double>(std::vector<std::int64_t>{INT64_C(1) << 60}, op::sqrt)[0] == std::ldexp(1, 30));
  CHECK(through<double>(std::vector<std::uint8_t>{16}, op::rsqrt)[0] == 0.25);
}
