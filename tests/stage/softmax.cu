// SPDX-License-Identifier: Apache-2.0
// softmax and log_softmax against long double, in one pass over a row and in two phases; rows with infinities and NaN.
#include <onepass/stage/softmax.cuh>

#include <cstdint>
#include <limits>

#include "catch.hpp"
#include "row.hpp"

namespace op = onepass;
namespace detail = onepass::detail;
using namespace test;

namespace {

const float inf = std::numeric_limits<float>::infinity(), not_number = std::numeric_limits<float>::quiet_NaN();

// Both forms of a row's values, and lse as it is kept in each.
struct both_forms {
  std::vector<float> y, held;
  float lse, held_lse;

  template <class Word>
  both_forms(const Word &word, const std::vector<float> &x) : lse(7) {
    y = row_through(x, word(op::keep(&lse)));
    held = held_row(word, x);
    held_lse = held_result(word, x).kept();
  }
  bool is(std::size_t i, float p) const { return same(y[i], p) && same(held[i], p); }
  bool are(const std::vector<float> &p) const {
    bool right = y.size() == p.size();
    for (std::size_t i = 0; right && i < p.size(); ++i) right = is(i, p[i]);
    return right;
  }
  bool are_nan() const { return are(std::vector<float>(y.size(), not_number)); }
  bool keep(float x) const { return same(lse, x) && same(held_lse, x); }
};

// The worst errors of an array of every width: of softmax relative to the value, of log_softmax to its terms.
template <class R, class Out, class In>
void check_widths(double bound, double log_bound, double kept_bound) {
  worst softmax, log_softmax, kept, held, held_log;
  for (std::size_t i = 0; i < row_widths; ++i) {
    const std::size_t columns = row_width(i), rows = 3;
    const auto low = std::is_unsigned_v<In> ? 0.0 : -8.0;
    const matrix<In> x(rows, columns, uniform<In>(rows * columns, low, 8, static_cast<unsigned>(i)));
    std::vector<R> lse(rows), log_lse(rows);
    const matrix<Out> p = rows_through<Out>(x, op::softmax(op::keep(lse.data())));
    const matrix<Out> q = rows_through<Out>(x, op::log_softmax(op::keep(log_lse.data())));
    CHECK(lse == log_lse);
    for (std::size_t r = 0; r < rows; ++r) {
      const row_truth truth(x.row(r));
      const long double all = truth.most + std::log(truth.powers), at = static_cast<long double>(columns);
      const auto flowing = widened(x.row(r));
      const auto held_p = held_row(op::softmax, flowing), held_q = held_row(op::log_softmax, flowing);
      kept.add(roundings<R>(lse[r], all, 1), at);
      for (std::size_t c = 0; c < columns; ++c) {
        const long double v = value(x(r, c)), exact = std::exp(v - truth.most) / truth.powers;
        const long double scale = exact * (1 + truth.most - v), log_scale = 1 + truth.most - v + std::fabs(v - all);
        softmax.add(roundings<R>(p(r, c), exact, scale), at);
        held.add(roundings<R>(held_p[c], exact, scale), at);
        log_softmax.add(roundings<R>(q(r, c), v - all, log_scale), at);
        held_log.add(roundings<R>(held_q[c], v - all, log_scale), at);
      }
    }
  }
  CHECK(softmax <= bound);
  CHECK(held <= bound);
  CHECK(log_softmax <= log_bound);
  CHECK(held_log <= log_bound);
  CHECK(kept <= kept_bound);
}

}  // namespace

// In roundings of e^x and of its exponent, beyond that of a store.
TEST_CASE("softmax and log_softmax of rows of any width") {
  check_widths<float, float, float>(2.5, 2, 4);
  check_widths<float, f16, f16>(2.5, 2, 4);
  check_widths<float, bf16, bf16>(2.5, 2, 4);
  check_widths<float, float, bf16>(2.5, 2, 4);
  check_widths<double, double, double>(2.5, 2, 4);
  check_widths<double, double, std::int32_t>(2.5, 2, 4);
  check_widths<double, double, std::uint8_t>(2.5, 2, 4);
}

TEST_CASE("a row of -inf alone is NaN, and its log_sum_exp -inf") {
  for (const std::size_t n : {1u, 2u, 4u, 5u, 70u, 2048u}) {
    const std::vector<float> x(n, -inf);
    CHECK(both_forms(op::softmax, x).are_nan());
    CHECK(both_forms(op::log_softmax, x).are_nan());
    CHECK(both_forms(op::softmax, x).keep(-inf));
  }
}

TEST_CASE("a row with inf or NaN is NaN") {
  for (std::size_t n = 1; n < 40; ++n) {
    for (const std::size_t at : {std::size_t{0}, n / 2, n - 1}) {
      std::vector<float> x(n, 1);
      x[n / 3] = -inf;
      x[at] = inf;
      CHECK(both_forms(op::softmax, x).are_nan());
      CHECK(both_forms(op::log_softmax, x).are_nan());
      CHECK(both_forms(op::softmax, x).keep(inf));
      x[at] = not_number;
      CHECK(both_forms(op::softmax, x).are_nan());
      CHECK(both_forms(op::log_softmax, x).are_nan());
      CHECK(both_forms(op::softmax, x).keep(not_number));
    }
  }
  CHECK(both_forms(op::softmax, {0, inf, 1}).are_nan());
}

TEST_CASE("masked rows: -inf is 0, and so is its logarithm's e^x") {
  std::vector<float> x(4096, -inf), p(4096, 0.0f), q(4096, -inf);
  x[4095] = 0;
  p[4095] = 1;
  q[4095] = 0;
  CHECK(both_forms(op::softmax, x).are(p));
  CHECK(both_forms(op::softmax, x).keep(0));
  CHECK(both_forms(op::log_softmax, x).are(q));

  x[4095] = -inf;
  x[0] = x[2048] = -5;
  p.assign(4096, 0);
  p[0] = p[2048] = 0.5f;
  CHECK(both_forms(op::softmax, x).are(p));
  CHECK(both_forms(op::softmax, x).keep(-4.306853f));
  CHECK(both_forms(op::log_softmax, x).is(2048, -0.6931472f));

  for (std::size_t i = 0; i < 4096; ++i) x[i] = i < 1024 ? -inf : 0.0f;
  const both_forms rest(op::softmax, x);
  CHECK(rest.is(1023, 0));
  CHECK(rest.is(1024, 1 / 3072.0f));
  CHECK(rest.is(4095, 1 / 3072.0f));
  CHECK(rest.keep(8.030084f));
}

TEST_CASE("equal values, and values far apart") {
  const std::vector<bf16> equal = row_through<bf16>(std::vector<bf16>(512, nearest<bf16>(3.25)), op::softmax);
  for (const bf16 p : equal) CHECK(value(p) == 0.001953125);
  const float most = std::numeric_limits<float>::max();
  CHECK(both_forms(op::softmax, {most, -most, 0}).are({1, 0, 0}));
  CHECK(both_forms(op::softmax, {-most, -most}).are({0.5f, 0.5f}));
  CHECK(both_forms(op::softmax, {1000, 1000}).are({0.5f, 0.5f}));
  CHECK(both_forms(op::softmax, {-1000}).are({1}));
  CHECK(both_forms(op::log_softmax, {-1000}).are({0}));
  CHECK(both_forms(op::log_softmax, {200, -1000}).are({0, -1200}));
}

TEST_CASE("scale, mask, and where a mask says, in front of softmax") {
  const std::vector<float> x = {1, 2, 3, 4, 5}, mask = {0, -inf, 0, 0, -inf};
  const bool seen[] = {true, false, true, true, false};
  const long double sum = std::exp(0.5L) + std::exp(1.5L) + std::exp(2.0L);
  const std::vector<float> added = row_through(x, op::multiply(0.5) | op::add(op::load(mask.data())) | op::softmax);
  const std::vector<float> chosen = row_through(x, op::multiply(0.5) | op::where(op::load(seen), -inf) | op::softmax);
  CHECK(added == chosen);
  CHECK(added[1] == 0);
  CHECK(added[4] == 0);
  for (const std::size_t i : {0u, 2u, 3u}) CHECK(error_in_ulp(added[i], std::exp(0.5L * x[i]) / sum) <= 2);
}

// Before a 16-bit store 2^x is a hardware instruction: 1 ulp of the stored type, also where e^x is subnormal.
TEST_CASE("softmax before a 16-bit store") {
  worst w, b;
  for (const std::size_t n : {3u, 64u, 1000u}) {
    for (const auto &[spread, offset] : {std::pair{1.0, 0.0}, {10.0, 0.0}, {40.0, 0.0}, {1.0, 1e3}, {10.0, -1e5}, {40.0, 1e7},
                                         {300.0, -1e8}, {1e3, 1e9}, {1e3, -3e9}, {1e6, 5e9}, {1e20, 1e27}, {1e38, 2e38}}) {
      const std::vector<float> x = uniform<float>(n, offset - spread, offset + spread);
      const row_truth truth(x);
      const std::vector<f16> y = row_through<f16>(x, op::softmax);
      const std::vector<bf16> z = row_through<bf16>(x, op::softmax);
      const std::vector<float> held = held_row<detail::narrow_math>(op::softmax, x);
      for (std::size_t i = 0; i < n; ++i) {
        const long double p = std::exp(value(x[i]) - truth.most) / truth.powers;
        w.add(steps(y[i], p), value(x[i]));
        w.add(steps(nearest<f16>(held[i]), p), value(x[i]));
        b.add(steps(z[i], p), value(x[i]));
        b.add(steps(nearest<bf16>(held[i]), p), value(x[i]));
      }
    }
  }
  CHECK(w <= 1);
  CHECK(b <= 1);
}

TEST_CASE("softmax by parts of a row, which have a greatest value each, or none") {
  for (const double spread : {1.0, 50.0, 1e4}) {
    const std::vector<float> x = uniform<float>(300, -spread, spread);
    const row_truth truth(x);
    for (const std::vector<std::size_t> &begins : {std::vector<std::size_t>{0}, {0, 1}, {0, 0, 100, 200, 250, 300}}) {
      const auto full = joined_result(op::softmax, x, begins);
      const auto narrow = joined_result<detail::narrow_math>(op::softmax, x, begins);
      CHECK(full.base == truth.most);
      CHECK(narrow.base == truth.most);
      CHECK(std::fabs(full.sum - truth.powers) <= 1e-6L * truth.powers);
      CHECK(std::fabs(narrow.sum - truth.powers) <= 1e-5L * truth.powers);
    }
  }
  for (const float special : {inf, not_number}) {
    std::vector<float> x(300, 1);
    x[200] = special;
    const auto row = joined_result(op::softmax, x, {0, 100, 250});
    CHECK(row.inverse != row.inverse);
  }
  const std::vector<float> nothing(300, -inf);
  const auto row = joined_result(op::softmax, nothing, {0, 100, 250});
  CHECK(row.inverse != row.inverse);
}

TEST_CASE("in place, and of rows or columns that are not there") {
  matrix<float> x(3, 10, uniform<float>(30, -3, 3));
  const matrix<float> y = rows_through<float>(x, op::softmax);
  on_host(x.load() | op::softmax | x.store(), x.extent());
  for (std::size_t r = 0; r < 3; ++r) CHECK(x.row(r) == y.row(r));
  CHECK(x.gaps_are_untouched());

  const matrix<float> before = x;
  float lse[3] = {7, 7, 7};
  on_host(x.load() | op::softmax(op::keep(lse)) | x.store(), onepass_extent_2d(0, 10));
  CHECK(lse[0] == 7);
  on_host(x.load() | op::softmax(op::keep(lse)) | x.store(), onepass_extent_2d(2, 0));
  CHECK(lse[0] == -inf);
  CHECK(lse[1] == -inf);
  CHECK(lse[2] == 7);
  CHECK(x.data == before.data);
}
