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

static_assert(std::is_same_v<behind<bf16, decltype(op::gelu)>, float>);
static_assert(std::is_same_v<behind<double, decltype(op::silu)>, double>);
static_assert(std::is_same_v<behind<std::uint8_t, decltype(op::relu)>, int>);
static_assert(std::is_same_v<behind<std::int64_t, decltype(op::relu)>, std::int64_t>);
static_assert(std::is_same_v<behind<std::int32_t, decltype(op::gelu_tanh)>, double>);

namespace {

constexpr long double root_half = 0.707106781186547524400844362104849039L;

long double relu(long double x) { return std::isnan(x) || x > 0 ? x : 0; }

long double silu(long double x) { return x == -HUGE_VALL ? -0.0L : x / (1 + std::exp(-x)); }

// x Phi(x). In the tail by the continued fraction of Mills' ratio, Phi(-t) = phi(t) / (t + 1 / (t + 2 / (t + ...))).
long double gelu(long double x) {
  if (x == -HUGE_VALL) return -0.0L;
  if (!(x < -3)) return x / 2 * std::erfc(-x * root_half);
  long double below = 0;
  for (int k = 200; k > 0; --k) below = k / (below - x);
  return x * 0.398942280401432677939946059934381868L * std::exp(-x * x / 2) / (below - x);
}

// Twice the argument of tanh in gelu_tanh.
long double argument(long double x) { return 1.595769121605730711759542L * (x + 0.044715L * x * x * x); }
long double gelu_tanh(long double x) { return x == -HUGE_VALL ? -0.0L : x / (1 + std::exp(-argument(x))); }

template <class T>
std::vector<T> inputs() {
  std::vector<T> x = sweep<T>();
  for (const auto &more :
       {uniform<T>(1 << 17, -4, 4), uniform<T>(1 << 17, -40, 10, 2), uniform<T>(1 << 16, -750, 10, 3)})
    x.insert(x.end(), more.begin(), more.end());
  return x;
}

// The error of gelu_tanh in ulp beyond 2.5 |z| for the e^z of the negative tail: there a rounding of z counts |z|
// times.
template <class T>
worst worst_gelu_tanh() {
  const std::vector<T> x = inputs<T>(), y = through<T>(x, op::gelu_tanh);
  worst w;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const long double v = value(x[i]), e = error_in_ulp(y[i], gelu_tanh(v));
    if (e > 0) w.add(static_cast<double>(v < 0 ? e + 2.5L * argument(v) : e), v);
  }
  return w;
}

}  // namespace

TEST_CASE("activations of f32") {
  const std::vector<float> x = inputs<float>();
  CHECK(worst_ulp<float>(x, op::relu, relu) <= 0);
  CHECK(worst_ulp<float>(x, op::silu, silu) <= 3.08);
  CHECK(worst_ulp<float>(x, op::gelu, gelu) <= 0.5001);
  CHECK(worst_gelu_tanh<float>() <= 4);
}

TEST_CASE("activations of f64") {
  const std::vector<double> x = inputs<double>();
  CHECK(worst_ulp<double>(x, op::relu, relu) <= 0);
  CHECK(worst_ulp<double>(x, op::silu, silu) <= 3.08);
  CHECK(worst_ulp<double>(x, op::gelu, gelu) <= 1.5);
  CHECK(worst_gelu_tanh<double>() <= 4);
}

namespace {

template <class T, class In>
void within_a_step() {
  const std::vector<In> x = sweep<In>();
  CHECK(worst_steps<T>(x, op::relu, relu) <= 0);
  CHECK(worst_steps<T>(x, op::silu, silu) <= 1);
  CHECK(worst_steps<T>(x, op::gelu, gelu) <= 1);
  CHECK(worst_steps<T>(x, op::gelu_tanh, gelu_tanh) <= 1);
}

}  // namespace

TEST_CASE("before a 16-bit store every input is within one step of the nearest") {
  SECTION("f16") { within_a_step<f16, f16>(); }
  SECTION("bf16") { within_a_step<bf16, bf16>(); }
  SECTION("f32 to f16") { within_a_step<f16, float>(); }
  SECTION("f32 to bf16") { within_a_step<bf16, float>(); }
}

TEST_CASE("so is every input of the exact forms") {
  CHECK(worst_steps<f16>(sweep<f16>(), op::exact(op::gelu), gelu) <= 1);
  CHECK(worst_steps<bf16>(sweep<bf16>(), op::exact(op::gelu_tanh), gelu_tanh) <= 1);
  CHECK(worst_steps<bf16>(sweep<bf16>(), op::exact(op::silu), silu) <= 1);
}

TEST_CASE("gelu is the erf form and gelu_tanh the tanh form") {
  const std::vector<double> x = {-2.699, -1, 0.5, 1, 3}, erf_form = through<double>(x, op::gelu),
                            tanh_form = through<double>(x, op::gelu_tanh);
  const double expected_erf[] = {-0.009385526, -0.1586553, 0.3457312, 0.8413447, 2.9959503};
  const double expected_tanh[] = {-0.008912291, -0.1588080, 0.3457140, 0.8411920, 2.9963626};
  for (std::size_t i = 0; i < x.size(); ++i) {
    CHECK(std::fabs(erf_form[i] - expected_erf[i]) < 1e-7);
    CHECK(std::fabs(tanh_form[i] - expected_tanh[i]) < 1e-7);
  }
  // Where they differ most; a tolerance of 1e-3 could not tell them apart.
  const std::vector<double> all = uniform<double>(1 << 16, -6, 6), a = through<double>(all, op::gelu),
                            b = through<double>(all, op::gelu_tanh);
  std::size_t at = 0;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (std::fabs(a[i] - b[i]) > std::fabs(a[at] - b[at])) at = i;
  CHECK(std::fabs(a[at] - b[at]) == Approx(4.732e-4).epsilon(1e-4));
  CHECK(std::fabs(all[at]) == Approx(2.699).epsilon(1e-2));
  // The same in f32, and in f16 before the store, where the two are a step or more apart.
  CHECK(through<float>(std::vector<float>{-2.699f}, op::gelu)[0] == Approx(-0.009385526).margin(1e-7));
  CHECK(through<float>(std::vector<float>{-2.699f}, op::gelu_tanh)[0] == Approx(-0.008912291).margin(1e-7));
}

TEST_CASE("negative tails keep their relative accuracy") {
  const auto relative = [](double got, double exact) { return std::fabs(got / exact - 1); };
  const auto f32 = [](float x, const auto &stage) {
    return static_cast<double>(through<float>(std::vector<float>{x}, stage)[0]);
  };
  const auto f64 = [](double x, const auto &stage) { return through<double>(std::vector<double>{x}, stage)[0]; };
  CHECK(relative(f32(-5, op::gelu), -1.4332578593606064e-06) < 1e-7);
  CHECK(relative(f32(-12, op::gelu), -2.1317787348598553e-32) < 1e-7);
  CHECK(relative(f64(-37, op::gelu), static_cast<double>(gelu(-37))) < 1e-15);
  CHECK(relative(f32(-5, op::gelu_tanh), -2.2917961972623857e-07) < 3e-6);
  CHECK(relative(f32(-30, op::silu), -2.8072868906520527e-12) < 3e-7);
  CHECK(relative(f32(-87, op::silu), static_cast<double>(silu(-87))) < 3e-7);
  CHECK(relative(f64(-700, op::silu), static_cast<double>(silu(-700))) < 1e-15);
  CHECK(f32(-100, op::silu) < 0);  // subnormal
  CHECK(f64(-745, op::silu) < 0);
}

TEST_CASE("limits, zeros and NaN") {
  const auto check = [](auto type) {
    using T = decltype(type);
    const auto at = [](double x, const auto &stage) {
      return value(through<T>(std::vector<T>{nearest<T>(x)}, stage)[0]);
    };
    const double greatest = static_cast<double>(std::scalbn(2.0L - ulp<T>(1), format<T>::greatest));
    const auto each = [&](const auto &stage) {
      CHECK(at(infinity, stage) == HUGE_VALL);
      CHECK(at(-infinity, stage) == 0);
      CHECK(std::isnan(at(not_a_number, stage)));
      CHECK(at(greatest, stage) == greatest);
      CHECK(at(-greatest, stage) == 0);
      CHECK(at(0, stage) == 0);
      CHECK(at(-0.0, stage) == 0);
    };
    each(op::relu);
    each(op::silu);
    each(op::gelu);
    each(op::gelu_tanh);
    CHECK(same(at(-0.0, op::relu), 0));
    CHECK(same(at(-0.0, op::silu), -0.0L));
    if (sizeof(T) > 2) CHECK(same(at(-0.0, op::gelu), -0.0L));
    CHECK(same(at(-0.0, op::gelu_tanh), -0.0L));
  };
  check(f16{});
  check(bf16{});
  check(float{});
  check(double{});
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

TEST_CASE("relu of integers") {
  CHECK(through<int>(std::vector<std::int8_t>{-128, -1, 0, 127}, op::relu) == std::vector<int>{0, 0, 0, 127});
  CHECK(through<std::int64_t>(std::vector<std::int64_t>{INT64_MIN, INT64_MAX}, op::relu) ==
        std::vector<std::int64_t>{0, INT64_MAX});
  CHECK(through<std::uint32_t>(std::vector<std::uint32_t>{0, UINT32_MAX}, op::relu) ==
        std::vector<std::uint32_t>{0, UINT32_MAX});
}
