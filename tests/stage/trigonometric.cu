// SPDX-License-Identifier: Apache-2.0
// sin and cos against long double: errors in ulp over f32 and f64, every input of f16 and bf16, arguments of any size.
//
// The bounds are those measured here, with the C library's functions.
#include <onepass/stage/trigonometric.cuh>

#include <cstdint>
#include <type_traits>

#include "catch.hpp"
#include "util.hpp"

namespace op = onepass;
using namespace test;

static_assert(std::is_same_v<behind<f16, decltype(op::sin)>, float>);
static_assert(std::is_same_v<behind<std::int32_t, decltype(op::cos)>, double>);

namespace {

using function = long double (*)(long double);
constexpr function sine = std::sin, cosine = std::cos;

template <class T>
std::vector<T> multiples(std::int64_t n) {
  std::vector<T> x;
  for (std::int64_t i = 1; i < n; ++i)
    x.push_back(static_cast<T>(1.57079632679489661923L * static_cast<long double>(i)));
  return x;
}

// All exponents, some periods, and the numbers nearest to zeros of either function on both sides of 2^16.
template <class T>
std::vector<T> inputs() {
  std::vector<T> x = sweep<T>();
  for (const auto &more : {uniform<T>(1 << 17, -10, 10), uniform<T>(1 << 17, -70000, 70000, 2), multiples<T>(60000)})
    x.insert(x.end(), more.begin(), more.end());
  return x;
}

}  // namespace

TEST_CASE("sin and cos of f32") {
  const std::vector<float> x = inputs<float>();
  CHECK(worst_ulp<float>(x, op::sin, sine) <= 0.57);
  CHECK(worst_ulp<float>(x, op::cos, cosine) <= 0.57);
}

TEST_CASE("sin and cos of f64") {
  const std::vector<double> x = inputs<double>();
  CHECK(worst_ulp<double>(x, op::sin, sine) <= 0.52);
  CHECK(worst_ulp<double>(x, op::cos, cosine) <= 0.52);
}

TEST_CASE("before a 16-bit store every input is within one step of the nearest") {
  CHECK(worst_steps<f16>(sweep<f16>(), op::sin, sine) <= 1);
  CHECK(worst_steps<f16>(sweep<f16>(), op::cos, cosine) <= 1);
  CHECK(worst_steps<bf16>(sweep<bf16>(), op::sin, sine) <= 1);
  CHECK(worst_steps<bf16>(sweep<bf16>(), op::cos, cosine) <= 1);
}

TEST_CASE("so is f32 on its way to a 16-bit store, also beside the zeros") {
  const std::vector<float> x = inputs<float>();
  CHECK(worst_steps<f16>(x, op::sin, sine) <= 1);
  CHECK(worst_steps<f16>(x, op::cos, cosine) <= 1);
  CHECK(worst_steps<bf16>(x, op::sin, sine) <= 1);
  CHECK(worst_steps<bf16>(x, op::cos, cosine) <= 1);
}

namespace {

template <class T, class Stage>
long double at(double x, const Stage &stage) {
  return value(through<T>(std::vector<T>{nearest<T>(x)}, stage)[0]);
}

template <class T>
void limits() {
  CHECK(same(at<T>(0, op::sin), 0));
  CHECK(same(at<T>(-0.0, op::sin), -0.0L));
  CHECK(at<T>(0, op::cos) == 1);
  CHECK(at<T>(-0.0, op::cos) == 1);
  for (const double x : {infinity, -infinity, not_a_number}) {
    CHECK(std::isnan(at<T>(x, op::sin)));
    CHECK(std::isnan(at<T>(x, op::cos)));
  }
}

}  // namespace

TEST_CASE("zeros, infinities and NaN") {
  SECTION("f16") { limits<f16>(); }
  SECTION("bf16") { limits<bf16>(); }
  SECTION("f32") { limits<float>(); }
  SECTION("f64") { limits<double>(); }
}

TEST_CASE("a tiny angle is its own sine") {
  const float least = std::ldexp(1.0f, -149);
  CHECK(through<float>(std::vector<float>{least, -1e-30f}, op::sin) == std::vector<float>{least, -1e-30f});
  CHECK(through<bf16>(std::vector<float>{1e-39f}, op::sin)[0] == nearest<bf16>(1e-39f));
}

TEST_CASE("integers are computed in f64") {
  const std::vector<std::int64_t> x = {0, 1, -3, 1000000007};
  const std::vector<double> s = through<double>(x, op::sin), c = through<double>(x, op::cos);
  for (std::size_t i = 0; i < x.size(); ++i) {
    CHECK(error_in_ulp(s[i], std::sin(value(x[i]))) <= 0.52);
    CHECK(error_in_ulp(c[i], std::cos(value(x[i]))) <= 0.52);
  }
}
