// SPDX-License-Identifier: Apache-2.0
// Gated linear units: the forms of each word agree, errors against long double, the clamped formula, limits, NaN.
#include <onepass/stage/gate.cuh>

#include <type_traits>

#include "catch.hpp"
#include "util.hpp"

namespace op = onepass;
using namespace test;

namespace {

using real = long double;

real silu(real x) { return x == -HUGE_VALL ? -0.0L : x / (1 + std::exp(-x)); }
real gelu(real x) {
  if (x == -HUGE_VALL) return -0.0L;
  if (!(x < -3)) return x / 2 * std::erfc(-x * 0.707106781186547524400844362104849039L);
  real below = 0;
  for (int k = 200; k > 0; --k) below = k / (below - x);
  return x * 0.398942280401432677939946059934381868L * std::exp(-x * x / 2) / (below - x);
}
real gelu_tanh(real x) {
  return x == -HUGE_VALL ? -0.0L : x / (1 + std::exp(-1.595769121605730711759542L * (x + 0.044715L * x * x * x)));
}
real relu(real x) { return std::isnan(x) || x > 0 ? x : 0; }
// Of the clamped form, the factor of the gate and that of the other projection.
real gate_of(real g, real alpha, real limit) {
  if (g == -HUGE_VALL) return -0.0L;
  const real x = g > limit ? limit : g;
  return x / (1 + std::exp(-alpha * x));
}
real up_of(real u, real limit) { return (u > limit ? limit : u < -limit ? -limit : u) + 1; }

const real f32_alpha = static_cast<real>(1.702f);

// What a word makes of gates and ups that are two arrays.
template <class Out, class In, class Word>
std::vector<Out> of_two(const std::vector<In> &g, const std::vector<In> &u, const Word &word) {
  std::vector<Out> y(g.size());
  on_host(op::load(g.data()) | word(op::load(u.data())) | op::store(y.data()), g.size());
  return y;
}

template <class T, class Word>
void forms_agree(const Word &word) {
  const std::size_t n = 37;
  const std::vector<T> g = uniform<T>(n, -6, 6), u = uniform<T>(n, -9, 9, 2);
  const std::vector<T> y = of_two<T>(g, u, word);
  std::vector<T> z(n), scaled(n), y_scaled(n);
  on_host(op::zip(op::load(g.data()), op::load(u.data())) | word | op::store(z.data()), n);
  const auto stages = word | op::multiply(2);  // also as a part of a list
  on_host(op::zip(op::load(g.data()), op::load(u.data())) | stages | op::store(scaled.data()), n);
  on_host(op::load(g.data()) | word(op::load(u.data())) | op::multiply(2) | op::store(y_scaled.data()), n);
  std::size_t different = 0;
  for (std::size_t i = 0; i < n; ++i) {
    CHECK(same(value(y[i]), value(z[i])));
    CHECK(same(value(y_scaled[i]), value(scaled[i])));
    different += i > 0 && value(y[i]) != value(y[i - 1]);
  }
  CHECK(different > n / 2);
}

}  // namespace

TEST_CASE("behind a gate and behind a pair a word is the same") {
  forms_agree<float>(op::swiglu);
  forms_agree<double>(op::swiglu);
  forms_agree<f16>(op::swiglu);
  forms_agree<bf16>(op::swiglu);
  forms_agree<float>(op::swiglu_clamped(1.702, 7));
  forms_agree<bf16>(op::swiglu_clamped(1.702f, 7.0f));
  forms_agree<bf16>(op::geglu);
  forms_agree<f16>(op::geglu_tanh);
}

namespace {

// The worst error over gates and ups against act(g) * factor(u), by `measure`.
template <class Out, class In, class Word, class Act, class Factor, class Measure>
worst against(const std::vector<In> &g, const Word &word, const Act &act, const Factor &factor,
              const Measure &measure) {
  worst w;
  for (const double up : {1.0, -0.37109375, 2.890625, -11.25}) {  // exact in every type
    const std::vector<Out> y = of_two<Out>(g, std::vector<In>(g.size(), nearest<In>(up)), word);
    for (std::size_t i = 0; i < g.size(); ++i) w.add(measure(y[i], act(value(g[i])) * factor(up)), value(g[i]));
  }
  return w;
}

const auto in_ulp = [](auto y, real exact) { return error_in_ulp(y, exact); };
const auto in_steps = [](auto y, real exact) { return steps(y, exact); };
const auto itself = [](real u) { return u; };

template <class T>
std::vector<T> gates() {  // those whose activation is a normal number
  std::vector<T> g = uniform<T>(1 << 15, -12, 12);
  for (const T x : uniform<T>(1 << 15, -80, 20, 2)) g.push_back(x);
  return g;
}

}  // namespace

TEST_CASE("in f32 a pair costs one rounding more than its activation") {
  const std::vector<float> g = gates<float>(), near = uniform<float>(1 << 16, -10, 10);
  CHECK(against<float>(g, op::swiglu, silu, itself, in_ulp) <= 3.5);
  CHECK(against<float>(near, op::geglu, gelu, itself, in_ulp) <= 1.5);
  CHECK(against<float>(near, op::geglu_tanh, gelu_tanh, itself, in_ulp) <= 3.7);
  CHECK(against<float>(g, op::reglu, relu, itself, in_ulp) <= 0.5);
  const auto gate = [](real x) { return gate_of(x, f32_alpha, 7); };
  const auto up = [](real x) { return up_of(x, 7); };
  CHECK(against<float>(uniform<float>(1 << 16, -45, 12), op::swiglu_clamped(1.702f, 7), gate, up, in_ulp) <= 4);
}

namespace {

template <class T>
void within_a_step() {
  std::vector<T> g = sweep<T>();
  CHECK(against<T>(g, op::swiglu, silu, itself, in_steps) <= 1);
  CHECK(against<T>(g, op::geglu, gelu, itself, in_steps) <= 1);
  CHECK(against<T>(g, op::geglu_tanh, gelu_tanh, itself, in_steps) <= 1);
  CHECK(against<T>(g, op::reglu, relu, itself, in_steps) <= 0);
  const auto gate = [](real x) { return gate_of(x, f32_alpha, 7); };
  const auto up = [](real x) { return up_of(x, 7); };
  CHECK(against<T>(g, op::swiglu_clamped(1.702, 7.0), gate, up, in_steps) <= 1);
}

struct short_form {
  ONEPASS_HD float operator()(float a, float b) const { return a * b; }
  ONEPASS_HD float narrow(float, float) const { return 1000; }
};

}  // namespace

TEST_CASE("before a 16-bit store every gate is within one step of the nearest") {
  SECTION("f16") { within_a_step<f16>(); }
  SECTION("bf16") { within_a_step<bf16>(); }
}

TEST_CASE("a short form is used behind a pair as behind a value and an operand") {
  const std::vector<float> a = {3}, b = {5};
  std::vector<float> f32(1);
  std::vector<bf16> bfloat(1);
  const auto pair = op::zip(op::load(a.data()), op::load(b.data()));
  on_host(pair | op::fn(short_form{}) | op::store(bfloat.data()), 1);
  CHECK(value(bfloat[0]) == 1000);
  on_host(pair | op::exact(op::fn(short_form{})) | op::store(bfloat.data()), 1);
  CHECK(value(bfloat[0]) == 15);
  on_host(pair | op::fn(short_form{}) | op::store(f32.data()), 1);
  CHECK(f32[0] == 15);
  on_host(op::zip(op::load(a.data())) | op::fn(short_form{}, op::load(b.data())) | op::store(bfloat.data()), 1);
  CHECK(value(bfloat[0]) == 1000);
  on_host(pair | op::exact(op::swiglu) | op::store(bfloat.data()), 1);
  CHECK(value(bfloat[0]) == rounded<bf16>(silu(3) * 5));
}

TEST_CASE("limits and NaN") {
  const float inf = HUGE_VALF, nan = std::nanf("");
  const auto at = [](const auto &word, float g, float u) {
    return of_two<float>(std::vector<float>{g}, std::vector<float>{u}, word)[0];
  };
  const auto each = [&](const auto &word) {
    CHECK(at(word, inf, 2) == inf);
    CHECK(at(word, -inf, 2) == 0);
    CHECK(at(word, 0, 2) == 0);
    CHECK(std::isnan(at(word, nan, 2)));
    CHECK(std::isnan(at(word, 2, nan)));
  };
  each(op::swiglu);
  each(op::geglu);
  each(op::geglu_tanh);
  each(op::reglu);
  const auto clamped = op::swiglu_clamped(1.702f, 7.0f);
  const float most = static_cast<float>(gate_of(7, f32_alpha, 7));
  for (const float g : {7.0f, 8.0f, 3e38f, inf}) {
    CHECK(at(clamped, g, 0) == Approx(most).epsilon(1e-6));
    CHECK(at(clamped, g, inf) == Approx(8 * most).epsilon(1e-6));
    CHECK(at(clamped, g, -100) == Approx(-6 * most).epsilon(1e-6));
    CHECK(at(clamped, g, -1) == 0);
  }
  for (const float g : {-200.0f, -3e38f, -inf})
    for (const float u : {-inf, -1.0f, 0.0f, inf}) CHECK(at(clamped, g, u) == 0);
  CHECK(at(clamped, -8, 0) == Approx(static_cast<double>(gate_of(-8, f32_alpha, 7))).epsilon(1e-6));  // only from above
  CHECK(std::isnan(at(clamped, nan, 2)));
  CHECK(std::isnan(at(clamped, 2, nan)));
  CHECK(at(op::swiglu_clamped(1, inf), inf, 1) == inf);  // without a limit
  // alpha takes the type of the gate.
  CHECK(at(op::swiglu_clamped(1.702, 7), -3, 2) == at(clamped, -3, 2));
}
