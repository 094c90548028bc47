// SPDX-License-Identifier: Apache-2.0
// gelu and its approximations against long double: errors in ulp, every input of f16 and bf16, limits, tails, NaN.
#include <onepass/stage/gelu.cuh>

#include <cstdint>
#include <type_traits>

#include "catch.hpp"
#include "util.hpp"

namespace op = onepass;
using namespace test;

static_assert(std::is_same_v<behind<bf16, decltype(op::gelu)>, float>);
static_assert(std::is_same_v<behind<double, decltype(op::quick_gelu)>, double>);
static_assert(std::is_same_v<behind<std::int32_t, decltype(op::gelu_tanh)>, double>);

namespace {

constexpr long double root_half = 0.707106781186547524400844362104849039L;

// x Phi(x). In the tail by the continued fraction of Mills' ratio, Phi(-t) = phi(t) / (t + 1 / (t + 2 / (t + ...))).
long double gelu(long double x) {
  if (x == -HUGE_VALL) return -0.0L;
  if (!(x < -3)) return x / 2 * std::erfc(-x * root_half);
  long double below = 0;
  for (int k = 200; k > 0; --k) below = k / (below - x);
  return x * 0.398942280401432677939946059934381868L * std::exp(-x * x / 2) / (below - x);
}

// z is twice the argument of tanh.
long double gelu_tanh(long double x) {
  const long double z = 1.595769121605730711759542L * (x + 0.044715L * x * x * x);
  return x == -HUGE_VALL ? -0.0L : x / (1 + std::exp(-z));
}
long double quick_gelu(long double x) { return x == -HUGE_VALL ? -0.0L : x / (1 + std::exp(-1.702L * x)); }

template <class T>
std::vector<T> inputs() {
  std::vector<T> x = sweep<T>();
  for (const auto &more :
       {uniform<T>(1 << 17, -4, 4), uniform<T>(1 << 17, -40, 10, 2), uniform<T>(1 << 16, -750, 10, 3)})
    x.insert(x.end(), more.begin(), more.end());
  return x;
}

}  // namespace

TEST_CASE("f32") {
  const std::vector<float> x = inputs<float>();
  CHECK(worst_ulp<float>(x, op::gelu, gelu) <= 0.5001);
  CHECK(worst_ulp<float>(x, op::gelu_tanh, gelu_tanh) <= 3.15);
  CHECK(worst_ulp<float>(x, op::quick_gelu, quick_gelu) <= 3.56);
}

TEST_CASE("f64") {
  const std::vector<double> x = inputs<double>();
  CHECK(worst_ulp<double>(x, op::gelu, gelu) <= 1.5);
  CHECK(worst_ulp<double>(x, op::gelu_tanh, gelu_tanh) <= 3.27);
  CHECK(worst_ulp<double>(x, op::quick_gelu, quick_gelu) <= 3.11);
}

namespace {

template <class T, class In>
void within_a_step() {
  const std::vector<In> x = sweep<In>();
  CHECK(worst_steps<T>(x, op::gelu, gelu) <= 1);
  CHECK(worst_steps<T>(x, op::gelu_tanh, gelu_tanh) <= 1);
  CHECK(worst_steps<T>(x, op::quick_gelu, quick_gelu) <= 1);
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
  const auto relative = [](double got, long double exact) { return std::fabs(got / static_cast<double>(exact) - 1); };
  const auto f32 = [](float x, const auto &stage) {
    return static_cast<double>(through<float>(std::vector<float>{x}, stage)[0]);
  };
  const auto f64 = [](double x, const auto &stage) { return through<double>(std::vector<double>{x}, stage)[0]; };
  CHECK(relative(f32(-5, op::gelu), -1.4332578593606064e-06L) < 1e-7);
  CHECK(relative(f32(-12, op::gelu), -2.1317787348598553e-32L) < 1e-7);
  CHECK(relative(f64(-37, op::gelu), gelu(-37)) < 1e-15);
  CHECK(relative(f32(-5, op::gelu_tanh), -2.2917961972623857e-07L) < 2e-7);
  CHECK(relative(f32(-10, op::gelu_tanh), gelu_tanh(-10)) < 3e-7);
  CHECK(relative(f64(-21, op::gelu_tanh), gelu_tanh(-21)) < 1e-15);
  CHECK(relative(f32(-50, op::quick_gelu), quick_gelu(-50)) < 3e-7);
  CHECK(f32(-60, op::quick_gelu) < 0);  // subnormal
}

TEST_CASE("limits, zeros and NaN") {
  const auto check = [](auto type) {
    using T = decltype(type);
    const long double greatest = std::scalbn(2.0L - ulp<T>(1), format<T>::greatest);
    const std::vector<T> x = {nearest<T>(infinity),  nearest<T>(-infinity),     nearest<T>(greatest),
                              nearest<T>(-greatest), nearest<T>(std::nanl("")), nearest<T>(0.0L),
                              nearest<T>(-0.0L)};
    const auto each = [&](const auto &stage) {
      const std::vector<T> y = through<T>(x, stage);
      CHECK(value(y[0]) == HUGE_VALL);
      CHECK(same(value(y[1]), -0.0L));
      CHECK(value(y[2]) == greatest);
      CHECK(same(value(y[3]), -0.0L));
      CHECK(std::isnan(value(y[4])));
      CHECK(same(value(y[5]), 0));
      CHECK(same(value(y[6]), -0.0L));
    };
    each(op::gelu);
    each(op::gelu_tanh);
    each(op::quick_gelu);
  };
  check(f16{});
  check(bf16{});
  check(float{});
  check(double{});
}
