// SPDX-License-Identifier: Apache-2.0
// The activations against long double: errors in ulp, every input of f16 and bf16, limits, negative tails, NaN.
#include <onepass/stage/activation.cuh>

#include <cstdint>
#include <limits>
#include <type_traits>

#include "catch.hpp"
#include "util.hpp"

namespace op = onepass;
using namespace test;

static_assert(std::is_same_v<behind<double, decltype(op::silu)>, double>);
static_assert(std::is_same_v<behind<bf16, decltype(op::mish)>, float>);
static_assert(std::is_same_v<behind<std::uint8_t, decltype(op::relu)>, int>);
static_assert(std::is_same_v<behind<std::int64_t, decltype(op::relu)>, std::int64_t>);
static_assert(std::is_same_v<behind<std::int8_t, decltype(op::squared_relu)>, int>);
static_assert(std::is_same_v<behind<std::int32_t, decltype(op::hardswish)>, double>);
static_assert(std::is_same_v<behind<float, decltype(op::elu(0.5))>, float>);
static_assert(std::is_same_v<behind<f16, decltype(op::leaky_relu(0.5))>, float>);

namespace {

using real = long double;

real relu(real x) { return std::isnan(x) || x > 0 ? x : 0; }
real squared_relu(real x) { return relu(x) * relu(x); }
real clamp(real x, real low, real high) { return x < low ? low : x > high ? high : x; }
real relu6(real x) { return clamp(x, 0, 6); }
real hardtanh(real x) { return clamp(x, -1, 1); }
real hardsigmoid(real x) { return clamp(x + 3, 0, 6) / 6; }
real hardswish(real x) { return x <= -3 ? -0.0L : x * hardsigmoid(x); }
real softsign(real x) { return std::isinf(x) ? std::copysign(1.0L, x) : x / (1 + std::fabs(x)); }
real elu_with(real x, real alpha) { return x > 0 ? x : alpha * std::expm1(x); }
real selu(real x) { return 1.0507009873554804934193349852946L * elu_with(x, 1.6732632423543772848170429916717L); }
real log_of_exp(real x) { return std::log1p(std::exp(-std::fabs(x))); }
real softplus(real x) { return relu(x) + log_of_exp(x); }
real log_sigmoid(real x) { return -softplus(-x); }
real silu(real x) { return x == -HUGE_VALL ? -0.0L : x / (1 + std::exp(-x)); }
real mish(real x) {
  if (x == -HUGE_VALL || x > 40) return x > 0 ? x : -0.0L;
  const real n = std::exp(x), w = n * (n + 2);
  return x * (w / (w + 2));
}
template <class T>
const auto leaky_relu = [](real x) { return x > 0 ? x : value(nearest<T>(0.01L)) * x; };
template <class T>
const auto elu = [](real x) { return elu_with(x, value(nearest<T>(0.7L))); };
template <class T>
const auto celu = [](real x) {
  const real alpha = value(nearest<T>(0.7L));
  return x > 0 ? x : alpha * std::expm1(x / alpha);
};

template <class T>
std::vector<T> inputs() {
  std::vector<T> x = sweep<T>();
  for (const auto &more :
       {uniform<T>(1 << 17, -4, 4), uniform<T>(1 << 17, -40, 10, 2), uniform<T>(1 << 16, -750, 10, 3)})
    x.insert(x.end(), more.begin(), more.end());
  return x;
}

template <class T>
void within_bounds() {
  const std::vector<T> x = inputs<T>();
  CHECK(worst_ulp<T>(x, op::relu, relu) <= 0);
  CHECK(worst_ulp<T>(x, op::relu6, relu6) <= 0);
  CHECK(worst_ulp<T>(x, op::hardtanh, hardtanh) <= 0);
  CHECK(worst_ulp<T>(x, op::squared_relu, squared_relu) <= 0.5);
  CHECK(worst_ulp<T>(x, op::leaky_relu(0.01), leaky_relu<T>) <= 0.5);
  CHECK(worst_ulp<T>(x, op::hardsigmoid, hardsigmoid) <= 1.51);
  CHECK(worst_ulp<T>(x, op::hardswish, hardswish) <= 2.41);
  CHECK(worst_ulp<T>(x, op::softsign, softsign) <= 1.49);
  CHECK(worst_ulp<T>(x, op::elu(0.7), elu<T>) <= 1.52);
  CHECK(worst_ulp<T>(x, op::selu, selu) <= 1.66);
  CHECK(worst_ulp<T>(x, op::celu(0.7), celu<T>) <= 2.15);
  CHECK(worst_ulp<T>(x, op::softplus, softplus) <= 1.48);
  CHECK(worst_ulp<T>(x, op::log_sigmoid, log_sigmoid) <= 1.46);
  CHECK(worst_ulp<T>(x, op::silu, silu) <= 3.08);
  CHECK(worst_ulp<T>(x, op::mish, mish) <= 3.96);
}

}  // namespace

TEST_CASE("activations of f32") { within_bounds<float>(); }
TEST_CASE("activations of f64") { within_bounds<double>(); }

namespace {

template <class T, class In>
void within_a_step() {
  const std::vector<In> x = sweep<In>();
  CHECK(worst_steps<T>(x, op::elu(0.7f), elu<float>) <= 1);
  CHECK(worst_steps<T>(x, op::selu, selu) <= 1);
  CHECK(worst_steps<T>(x, op::celu(0.7f), celu<float>) <= 1);
  CHECK(worst_steps<T>(x, op::softplus, softplus) <= 1);
  CHECK(worst_steps<T>(x, op::log_sigmoid, log_sigmoid) <= 1);
  CHECK(worst_steps<T>(x, op::silu, silu) <= 1);
  CHECK(worst_steps<T>(x, op::mish, mish) <= 1);
}

}  // namespace

TEST_CASE("before a 16-bit store every input is within one step of the nearest") {
  SECTION("f16") { within_a_step<f16, f16>(); }
  SECTION("bf16") { within_a_step<bf16, bf16>(); }
  SECTION("f32 to f16") { within_a_step<f16, float>(); }
  SECTION("f32 to bf16") { within_a_step<bf16, float>(); }
}

TEST_CASE("so are those without a short form, and the exact forms") {
  const std::vector<f16> x = sweep<f16>();
  CHECK(worst_steps<f16>(x, op::relu, relu) <= 0);
  CHECK(worst_steps<f16>(x, op::squared_relu, squared_relu) <= 0);
  CHECK(worst_steps<f16>(x, op::leaky_relu(0.01f), leaky_relu<float>) <= 1);
  CHECK(worst_steps<f16>(x, op::hardsigmoid, hardsigmoid) <= 1);
  CHECK(worst_steps<f16>(x, op::hardswish, hardswish) <= 1);
  CHECK(worst_steps<f16>(x, op::softsign, softsign) <= 1);
  CHECK(worst_steps<bf16>(sweep<bf16>(), op::exact(op::silu), silu) <= 1);
  CHECK(worst_steps<bf16>(sweep<bf16>(), op::exact(op::mish), mish) <= 1);
}

TEST_CASE("negative tails keep their relative accuracy") {
  const auto relative = [](double got, double exact) { return std::fabs(got / exact - 1); };
  const auto f32 = [](float x, const auto &stage) {
    return static_cast<double>(through<float>(std::vector<float>{x}, stage)[0]);
  };
  const auto f64 = [](double x, const auto &stage) { return through<double>(std::vector<double>{x}, stage)[0]; };
  CHECK(relative(f32(-30, op::silu), -2.8072868906520527e-12) < 3e-7);
  CHECK(relative(f32(-87, op::silu), static_cast<double>(silu(-87))) < 3e-7);
  CHECK(relative(f64(-700, op::silu), static_cast<double>(silu(-700))) < 1e-15);
  CHECK(relative(f32(-87, op::mish), static_cast<double>(mish(-87))) < 3e-7);
  CHECK(relative(f32(-87, op::softplus), static_cast<double>(softplus(-87))) < 3e-7);
  CHECK(relative(f32(87, op::log_sigmoid), static_cast<double>(log_sigmoid(87))) < 3e-7);
  CHECK(f32(-100, op::silu) < 0);  // subnormal
  CHECK(f64(-745, op::mish) < 0);
  CHECK(f32(-100, op::softplus) > 0);
  CHECK(f32(30, op::softplus) == 30);  // exactly
}

TEST_CASE("limits, zeros and NaN") {
  const auto check = [](auto type) {
    using T = decltype(type);
    const real greatest = std::scalbn(2.0L - ulp<T>(1), format<T>::greatest);
    const std::vector<T> x = {nearest<T>(infinity),  nearest<T>(-infinity),     nearest<T>(greatest),
                              nearest<T>(-greatest), nearest<T>(std::nanl("")), nearest<T>(0.0L),
                              nearest<T>(-0.0L)};
    // top: at infinity; bottom: at -infinity; zero: at both zeros, of their sign where it is 0.
    const auto each = [&](const auto &stage, real top, real bottom, real greatest_is, real zero = 0) {
      const std::vector<T> y = through<T>(x, stage);
      CHECK(value(y[0]) == rounded<T>(top));
      CHECK(same(value(y[1]), rounded<T>(bottom)));
      CHECK(value(y[2]) == rounded<T>(greatest_is));
      CHECK(std::isnan(value(y[4])));
      CHECK(value(y[5]) == rounded<T>(zero));
      CHECK(value(y[6]) == rounded<T>(zero));
      if (zero == 0) CHECK(!std::signbit(value(y[5])));
      return y;
    };
    const auto keeps_sign = [&](const std::vector<T> &y) { CHECK(std::signbit(value(y[6]))); };
    const real inf = HUGE_VALL;
    each(op::relu, inf, 0, greatest);
    each(op::squared_relu, inf, 0, inf);
    each(op::relu6, 6, 0, 6);
    each(op::hardsigmoid, 1, 0, 1, 0.5L);
    keeps_sign(each(op::hardtanh, 1, -1, 1));
    keeps_sign(each(op::hardswish, inf, -0.0L, greatest));
    keeps_sign(each(op::softsign, 1, -1, 1));
    keeps_sign(each(op::leaky_relu(0.25f), inf, -inf, greatest));
    keeps_sign(each(op::leaky_relu(0.0f), inf, -0.0L, greatest));
    keeps_sign(each(op::elu(0.5f), inf, -0.5L, greatest));
    keeps_sign(each(op::celu(0.5f), inf, -0.5L, greatest));
    keeps_sign(each(op::selu, inf, -1.7580993408473768599L, inf));
    keeps_sign(each(op::silu, inf, -0.0L, greatest));
    keeps_sign(each(op::mish, inf, -0.0L, greatest));
    each(op::softplus, inf, 0, greatest, std::log(2.0L));
    each(op::log_sigmoid, 0, -inf, 0, -std::log(2.0L));
  };
  check(f16{});
  check(bf16{});
  check(float{});
  check(double{});
}

TEST_CASE("a slope per column, and alpha from memory") {
  const std::vector<float> x = {-4, 4, -4, -1, 2, -8}, slope = {0.5f, 0.25f, 0}, alpha = {1, 2, 3};
  std::vector<float> y(6);
  on_host(op::load(x.data()) | op::prelu(op::per_column(slope.data())) | op::store(y.data()), onepass_extent_2d(2, 3));
  CHECK(y == std::vector<float>{-2, 4, 0, -0.5f, 2, 0});
  on_host(op::load(x.data()) | op::elu(op::per_column(alpha.data())) | op::store(y.data()), onepass_extent_2d(2, 3));
  for (std::size_t i = 0; i < 6; ++i)
    CHECK(static_cast<double>(y[i]) == Approx(static_cast<double>(elu_with(x[i], alpha[i % 3]))));
}

TEST_CASE("a NaN bias survives bias, relu and residual") {
  const std::vector<float> x = {1, 2, 3}, bias = {1, std::numeric_limits<float>::quiet_NaN(), -5},
                           residual = {10, 20, 30};
  const std::vector<bf16> y =
      through<bf16>(x, op::add(op::load(bias.data())) | op::relu | op::add(op::load(residual.data())));
  CHECK(value(y[0]) == 12);
  CHECK(std::isnan(value(y[1])));
  CHECK(value(y[2]) == 30);
}

TEST_CASE("integers") {
  const std::vector<std::int8_t> x = {-128, -1, 0, 5, 127};
  CHECK(through<int>(x, op::relu) == std::vector<int>{0, 0, 0, 5, 127});
  CHECK(through<int>(x, op::relu6) == std::vector<int>{0, 0, 0, 5, 6});
  CHECK(through<int>(x, op::hardtanh) == std::vector<int>{-1, -1, 0, 1, 1});
  CHECK(through<int>(x, op::squared_relu) == std::vector<int>{0, 0, 0, 25, 127 * 127});
  CHECK(through<std::int64_t>(std::vector<std::int64_t>{INT64_MIN, INT64_MAX}, op::relu) ==
        std::vector<std::int64_t>{0, INT64_MAX});
  CHECK(through<std::uint32_t>(std::vector<std::uint32_t>{0, UINT32_MAX}, op::hardtanh) ==
        std::vector<std::uint32_t>{0, 1});
  CHECK(through<double>(x, op::silu)[3] == Approx(static_cast<double>(silu(5))).epsilon(1e-15));
}
