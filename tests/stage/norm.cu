// SPDX-License-Identifier: Apache-2.0
// layer_norm, rms_norm and l2_normalize against long double, in one pass over a row and in two phases; gamma and beta
// of any type or none; constant rows, offsets, overflow.
#include <onepass/stage/norm.cuh>

#include <cstdint>
#include <limits>

#include "catch.hpp"
#include "row.hpp"

namespace op = onepass;
namespace detail = onepass::detail;
using namespace test;

namespace {

const float inf = std::numeric_limits<float>::infinity(), not_number = std::numeric_limits<float>::quiet_NaN();

bool all_nan(const std::vector<float> &x) {
  for (const float v : x)
    if (!std::isnan(v)) return false;
  return !x.empty();
}
long double rstd_of(long double mean_square, double eps) { return 1 / std::sqrt(mean_square + eps); }

// The worst errors of an array of every width, beyond the rounding of a store: of layer_norm in roundings of 1 and of
// the value, of the others relative to the value; of what is kept.
template <class R, class Out, class In>
void check_widths(double bound, double relative, double kept_bound) {
  const double eps = 1e-5;
  worst layer, held, rms, l2, kept;
  for (std::size_t i = 0; i < row_widths; ++i) {
    const std::size_t columns = row_width(i), rows = 3;
    const auto low = std::is_unsigned_v<In> ? 0.0 : -4.0;
    const matrix<In> x(rows, columns, uniform<In>(rows * columns, low, 9, static_cast<unsigned>(i)));
    std::vector<R> mean(rows), rstd(rows), rms_rstd(rows), norm(rows);
    const matrix<Out> y = rows_through<Out>(x, op::layer_norm(eps, op::keep(mean.data(), rstd.data())));
    const matrix<Out> z = rows_through<Out>(x, op::rms_norm(eps, op::keep(rms_rstd.data())));
    const matrix<Out> u = rows_through<Out>(x, op::l2_normalize(1e-12, op::keep(norm.data())));
    for (std::size_t r = 0; r < rows; ++r) {
      const row_truth truth(x.row(r));
      const long double n = static_cast<long double>(columns), length = std::sqrt(truth.squares * n);
      const long double one = rstd_of(truth.variance, eps), other = rstd_of(truth.squares, eps);
      const auto in_phases = held_row(op::layer_norm(eps), widened(x.row(r)));
      kept.add(roundings<R>(mean[r], truth.mean, std::fabs(truth.mean) + std::sqrt(truth.variance)), n);
      kept.add(roundings<R>(rstd[r], one, one), n);
      kept.add(roundings<R>(rms_rstd[r], other, other), n);
      kept.add(roundings<R>(norm[r], length, length), n);
      for (std::size_t c = 0; c < columns; ++c) {
        const long double v = value(x(r, c)), normal = (v - truth.mean) * one, scale = 1 + std::fabs(normal);
        layer.add(roundings<R>(y(r, c), normal, scale), n);
        held.add(roundings<R>(in_phases[c], normal, scale), n);
        rms.add(roundings<R>(z(r, c), v * other, std::fabs(v * other)), n);
        const long double unit = length == 0 ? 0 : v / length;
        l2.add(roundings<R>(u(r, c), unit, std::fabs(unit)), n);
      }
    }
  }
  CHECK(layer <= bound);
  CHECK(held <= bound);
  CHECK(rms <= relative);
  CHECK(l2 <= relative);
  CHECK(kept <= kept_bound);
}

}  // namespace

TEST_CASE("norms of rows of any width") {
  check_widths<float, float, float>(4.5, 2.5, 3.5);
  check_widths<float, f16, f16>(4.5, 2.5, 3.5);
  check_widths<float, bf16, bf16>(4.5, 2.5, 3.5);
  check_widths<float, float, f16>(4.5, 2.5, 3.5);
  check_widths<double, double, double>(4.5, 2.5, 3.5);
  check_widths<double, double, std::int32_t>(4.5, 2.5, 3.5);
  check_widths<double, double, std::uint8_t>(4.5, 2.5, 3.5);
}

TEST_CASE("gamma and beta: of other types, operands, or none") {
  const std::size_t n = 77;
  const matrix<float> x(2, n, uniform<float>(2 * n, -2, 3));
  const auto g = uniform<float>(n, -1, 2, 2), b = uniform<float>(n, -3, 3, 3);
  const std::vector<bf16> half_g = uniform<bf16>(n, -1, 2, 4);
  const std::vector<double> wide_b = uniform<double>(n, -3, 3, 5);
  const std::vector<std::int8_t> whole_g = uniform<std::int8_t>(n, -4, 5, 6);
  const float *gamma = g.data(), *beta = b.data();
  // The stage is gamma(c) times the norm, and beta(c) more.
  const auto check = [&](bool centred, const auto &stage, const auto &gamma_at, const auto &beta_at) {
    const matrix<float> y = rows_through<float>(x, stage);
    worst w;
    for (std::size_t r = 0; r < x.rows; ++r) {
      const row_truth truth(x.row(r));
      for (std::size_t c = 0; c < n; ++c) {
        const long double v = value(x(r, c));
        const long double normal =
            centred ? (v - truth.mean) * rstd_of(truth.variance, 1e-3) : v * rstd_of(truth.squares, 1e-3);
        const long double factor = value(gamma_at(c)), exact = normal * factor + value(beta_at(c));
        w.add(roundings<float>(y(r, c), exact, (1 + std::fabs(normal)) * std::fabs(factor) + std::fabs(exact) + 1e-30L),
              v);
      }
    }
    CHECK(w <= 2);
  };
  const auto g_at = [&](std::size_t c) { return g[c]; };
  const auto b_at = [&](std::size_t c) { return b[c]; };
  const auto one = [](std::size_t) { return 1.0; };
  const auto zero = [](std::size_t) { return 0.0; };
  const double eps = 1e-3;
  check(true, op::layer_norm(gamma, beta, eps), g_at, b_at);
  check(true, op::layer_norm(g.data(), op::load(b.data()) | op::subtract(op::load(b.data())), eps), g_at, zero);
  check(true, op::layer_norm(gamma, eps), g_at, zero);
  check(true, op::layer_norm(gamma, nullptr, eps), g_at, zero);
  check(true, op::layer_norm(nullptr, beta, eps), one, b_at);
  check(true, op::layer_norm(nullptr, nullptr, eps), one, zero);
  check(true, op::layer_norm(nullptr, eps), one, zero);
  check(
      true, op::layer_norm(half_g.data(), wide_b.data(), eps), [&](std::size_t c) { return half_g[c]; },
      [&](std::size_t c) { return wide_b[c]; });
  check(
      true, op::layer_norm(whole_g.data(), beta, eps), [&](std::size_t c) { return whole_g[c]; }, b_at);
  check(
      true, op::layer_norm(op::per_column(gamma) | op::add(1), op::value(0.25), eps),
      [&](std::size_t c) { return 1 + value(g[c]); }, [](std::size_t) { return 0.25; });
  check(false, op::rms_norm(gamma, eps), g_at, zero);
  check(false, op::rms_norm(nullptr, eps), one, zero);
  check(
      false, op::rms_norm(half_g.data(), eps), [&](std::size_t c) { return half_g[c]; }, zero);
  check(
      false, op::rms_norm(op::per_column(half_g.data()) | op::add(1), eps),
      [&](std::size_t c) { return 1 + value(half_g[c]); }, zero);
}

// In f16 and bf16 what is stored is the nearest number, but for values next to a tie.
TEST_CASE("gamma and beta of a 16-bit row") {
  const std::size_t n = 1003;
  const auto x = uniform<bf16>(n, -2, 3), gamma = uniform<bf16>(n, 0.5, 2, 2), beta = uniform<bf16>(n, -1, 1, 3);
  const std::vector<bf16> y = row_through<bf16>(x, op::layer_norm(gamma.data(), beta.data(), 1e-5f));
  const row_truth truth(x);
  worst w;
  for (std::size_t i = 0; i < n; ++i) {
    const long double normal = (value(x[i]) - truth.mean) * rstd_of(truth.variance, 1e-5f);
    const long double exact = normal * value(gamma[i]) + value(beta[i]);
    w.add(std::fabs(exact) < 0.01L ? 0 : error_in_ulp(y[i], exact), value(x[i]));
  }
  CHECK(w <= 0.501);
}

TEST_CASE("a constant row is 0, whatever its value") {
  for (const std::size_t n : {1u, 2u, 3u, 7u, 100u, 3001u, 5000u}) {
    for (const float v : {10000.1f, 0.1f, -3e-20f, 1e30f, 0.0f}) {
      const std::vector<float> x(n, v);
      float mean = -1, rstd = -1;
      const std::vector<float> y = row_through(x, op::layer_norm(1e-5, op::keep(&mean, &rstd)));
      CHECK(y == std::vector<float>(n, 0.0f));
      CHECK(mean == v);
      CHECK(rstd == Approx(316.227766f).epsilon(1.5e-7));
      if (v > 1e20f) continue;  // there squares of what rounding left of the mean are not small
      INFO(n << " times " << v);
      const auto held = held_result(op::layer_norm(1e-14), x);
      CHECK(1 / (static_cast<double>(held.rstd) * held.rstd) < 1e-12 + 1e-14);  // the variance, and eps
      CHECK(cuda::std::get<0>(held.kept()) == Approx(v).epsilon(1e-7));
      CHECK(held_row(op::layer_norm(1e-5), x) == std::vector<float>(n, 0.0f));
    }
  }
}

TEST_CASE("a small spread on an offset") {
  for (const float offset : {0.0f, 100.0f, 1000.0f, 10000.0f}) {
    std::vector<float> x(16);
    for (std::size_t i = 0; i < 16; ++i) x[i] = offset + static_cast<float>(i) * 1e-3f;
    const row_truth truth(x);
    const std::vector<float> y = row_through(x, op::layer_norm(1e-5)), held = held_row(op::layer_norm(1e-5), x);
    worst w;
    for (std::size_t i = 0; i < 16; ++i) {
      const long double exact = (value(x[i]) - truth.mean) * rstd_of(truth.variance, 1e-5);
      w.add(roundings<float>(y[i], exact, 1), value(x[i]));
      w.add(roundings<float>(held[i], exact, 1), value(x[i]));
    }
    INFO(offset);
    CHECK(w <= 4);
  }
}

// Parts with a mean of their own each, parts without a value, and rows of one value.
template <class T>
void check_parts(double bound) {
  worst w;
  for (const std::vector<std::size_t> &begins : {std::vector<std::size_t>{0}, {0, 64}, {0, 100, 200, 250, 250}, {0, 20, 40, 60, 80, 100, 120, 140, 300, 300, 300}})
    for (const double slope : {0.0, 0.01, 1.0, 100.0})
      for (const double step : {0.0, 1e3, -1e4}) {  // of the first part from the others
        std::vector<T> x = uniform<T>(300, -1, 1);
        for (std::size_t i = 0; i < x.size(); ++i)
          x[i] += static_cast<T>(slope * static_cast<double>(i) + (begins.size() > 1 && i < begins[1] ? step : 0.0));
        const row_truth truth(x);
        const auto row = joined_result(op::layer_norm(1e-5), x, begins);
        w.add(roundings<T>(row.rstd, rstd_of(truth.variance, 1e-5), rstd_of(truth.variance, 1e-5)), static_cast<long double>(step));
        w.add(roundings<T>(cuda::std::get<0>(row.kept()), truth.mean, std::fabs(truth.mean) + std::sqrt(truth.variance)), static_cast<long double>(slope));
      }
  CHECK(w <= bound);
  for (const T v : {T(10000.1f), T(0.1f), T(-3e-20f), T(0)}) {
    const std::vector<T> x(300, v);
    const auto row = joined_result(op::layer_norm(1e-5), x, {0, 7, 50, 50, 256});
    CHECK(op::detail::layer_norm_op{}(v, row) == 0);
    CHECK(cuda::std::get<0>(row.kept()) == v);
  }
}
TEST_CASE("layer_norm by parts of a row") {
  check_parts<float>(4);
  check_parts<double>(4);
}

TEST_CASE("zeros, with an eps that f16 does not hold") {
  const std::vector<f16> x(10, nearest<f16>(0)), gamma(10, nearest<f16>(1)), beta(10, nearest<f16>(0.25));
  for (const f16 y : row_through<f16>(x, op::layer_norm(gamma.data(), beta.data(), 1e-12))) CHECK(value(y) == 0.25L);
  for (const f16 y : row_through<f16>(x, op::rms_norm(gamma.data(), 1e-12))) CHECK(same(value(y), 0));
  for (const f16 y : row_through<f16>(x, op::l2_normalize)) CHECK(same(value(y), 0));
  float rstd = 0;
  row_through<f16>(x, op::rms_norm(1e-12, op::keep(&rstd)));
  CHECK(rstd == 1e6f);
}

TEST_CASE("squares that overflow make a row NaN, never a silent 0") {
  const std::vector<float> x = {1e30f, -1e30f, 2e30f, -2e30f};
  CHECK(all_nan(row_through(x, op::layer_norm(1e-5))));
  CHECK(all_nan(held_row(op::layer_norm(1e-5), x)));
  CHECK(all_nan(row_through(x, op::rms_norm(1e-5))));
  for (const std::size_t n : {1u, 4u, 9u})
    CHECK(all_nan(row_through(std::vector<float>(n, 1e25f), op::rms_norm(1e-5))));
  CHECK(all_nan(row_through({3e38f, 3e38f, 0}, op::l2_normalize)));  // the norm itself is no f32
  // In f64, and of integers, they do not.
  const std::vector<std::int32_t> whole(9, INT32_MAX);
  for (const double y : row_through<double>(whole, op::rms_norm(1e-5))) CHECK(y == Approx(1).epsilon(1e-15));
  for (const double y : row_through<double>(std::vector<double>{1e30, -1e30}, op::layer_norm(1e-5)))
    CHECK(std::fabs(y) == Approx(1).epsilon(1e-15));
}

TEST_CASE("NaN and infinities in a row") {
  for (const float special : {not_number, inf, -inf}) {
    for (std::size_t n = 2; n < 20; ++n) {
      std::vector<float> x(n, 1);
      x[n / 2] = special;
      CHECK(all_nan(row_through(x, op::layer_norm(1e-5))));
      CHECK(all_nan(held_row(op::layer_norm(1e-5), x)));
      CHECK(all_nan(row_through(x, op::rms_norm(1e-5))));
      CHECK(all_nan(row_through(x, op::l2_normalize)));
    }
  }
}

TEST_CASE("l2_normalize beyond the range of squares") {
  CHECK(row_through({1e20f, 1, 1}, op::l2_normalize) == std::vector<float>{1, 1e-20f, 1e-20f});
  CHECK(row_through({3e-30f, 4e-30f}, op::l2_normalize) == std::vector<float>{3e-18f, 4e-18f});  // over eps
  float norm = 0;
  const std::vector<float> small = row_through({3e-30f, 4e-30f}, op::l2_normalize(0, op::keep(&norm)));
  CHECK(small[0] == Approx(0.6f).epsilon(1e-7));
  CHECK(small[1] == Approx(0.8f).epsilon(1e-7));
  CHECK(norm == 5e-30f);
  CHECK(row_through({1e-30f, 1e-30f}, op::l2_normalize) == std::vector<float>{1e-18f, 1e-18f});
  const std::vector<float> large = row_through({1.2e38f, 1.6e38f}, op::l2_normalize);
  CHECK(large[0] == Approx(0.6f).epsilon(3e-7));
  CHECK(large[1] == Approx(0.8f).epsilon(3e-7));
  const std::vector<f16> halves =
      row_through<f16>(std::vector<f16>{nearest<f16>(600), nearest<f16>(800)}, op::l2_normalize);
  CHECK(value(halves[0]) == rounded<f16>(0.6L));
  CHECK(value(halves[1]) == rounded<f16>(0.8L));
  CHECK(row_through({0, 0, 0}, op::l2_normalize) == std::vector<float>{0, 0, 0});
}

TEST_CASE("rms_norm of a bf16 row has no bias") {
  const std::size_t n = 1024;
  std::vector<bf16> x(n);
  double squares = 0;
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = nearest<bf16>((static_cast<double>(i * 37 % 101) - 50) / 16);
    squares += static_cast<double>(value(x[i]) * value(x[i]));
  }
  const std::vector<bf16> y = row_through<bf16>(x, op::rms_norm(1e-6));
  double bias = 0, counted = 0;
  worst w;
  for (std::size_t i = 0; i < n; ++i) {
    const double exact = static_cast<double>(value(x[i])) / std::sqrt(squares / static_cast<double>(n) + 1e-6);
    w.add(error_in_ulp(y[i], exact), value(x[i]));
    if (exact == 0) continue;
    bias += (static_cast<double>(value(y[i])) - exact) / exact;
    ++counted;
  }
  CHECK(w <= 0.501);
  CHECK(std::fabs(bias / counted) < 0x1p-12);
}

TEST_CASE("norms in place, and of rows or columns that are not there") {
  const auto gamma = uniform<float>(10, 0, 2, 2);
  matrix<float> x(3, 10, uniform<float>(30, -3, 3));
  const matrix<float> y = rows_through<float>(x, op::layer_norm(gamma.data(), 1e-5));
  on_host(x.load() | op::layer_norm(gamma.data(), 1e-5) | x.store(), x.extent());
  for (std::size_t r = 0; r < 3; ++r) CHECK(x.row(r) == y.row(r));
  CHECK(x.gaps_are_untouched());

  const matrix<float> before = x;
  float mean[3] = {7, 7, 7}, rstd[3] = {7, 7, 7};
  const auto p = x.load() | op::layer_norm(1e-5, op::keep(mean, rstd)) | x.store();
  on_host(p, onepass_extent_2d(0, 10));
  CHECK(mean[0] == 7);
  on_host(p, onepass_extent_2d(2, 0));
  for (int r = 0; r < 2; ++r) {
    CHECK(std::isnan(mean[r]));
    CHECK(std::isnan(rstd[r]));
  }
  CHECK(mean[2] == 7);
  const auto held = held_result(op::layer_norm(1e-5), std::vector<float>{}).kept();
  CHECK(std::isnan(cuda::std::get<0>(held)));
  CHECK(std::isnan(cuda::std::get<1>(held)));
  on_host(x.load() | op::l2_normalize(1e-5, op::keep(mean)) | x.store(), onepass_extent_2d(2, 0));
  CHECK(mean[1] == 0);
  CHECK(x.data == before.data);
}
