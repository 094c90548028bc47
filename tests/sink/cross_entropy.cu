// SPDX-License-Identifier: Apache-2.0
// cross_entropy against long double, in one pass over a row and as threads that share it: labels of every type, ignored
// and out of range, smoothing, z-loss, padding; rows with infinities and NaN.
#include <onepass/sink/cross_entropy.cuh>

#include <cstdint>
#include <limits>

#include "../stage/row.hpp"
#include "catch.hpp"

namespace op = onepass;
namespace detail = onepass::detail;
using namespace test;

namespace {

const float inf = std::numeric_limits<float>::infinity(), not_number = std::numeric_limits<float>::quiet_NaN();

struct exact_loss {
  long double lse, loss, terms;  // terms: the sum of the sizes of what the loss is made of
};
template <class T>
exact_loss loss_of(const std::vector<T> &row, std::int64_t label, const op::cross_entropy_options &options) {
  const auto n = static_cast<std::size_t>(std::min<std::int64_t>(options.columns, static_cast<std::int64_t>(row.size())));
  const std::vector<T> x(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(n));
  const row_truth truth(x);
  exact_loss exact{truth.most + std::log(truth.powers), 0, 0};
  if (label == options.ignore_index) return exact;
  if (label < 0 || label >= static_cast<std::int64_t>(n)) return {exact.lse, std::nanl(""), 0};
  const long double e = options.smoothing, z = options.z_loss, at = value(x[static_cast<std::size_t>(label)]);
  exact.loss = (1 - e) * (exact.lse - at) + e * (exact.lse - truth.mean) + z * exact.lse * exact.lse;
  long double sizes = 0;
  for (const T v : x) sizes += std::fabs(value(v)) / static_cast<long double>(n);
  exact.terms = 1 + std::fabs(exact.lse - at) + e * sizes + z * exact.lse * exact.lse;
  return exact;
}

// The loss and log_sum_exp of a row as eight threads share it.
template <class R, class T>
std::pair<R, R> shared_loss(const std::vector<T> &row, std::int64_t label, const op::cross_entropy_options &options) {
  using V = detail::compute_t<T>;
  const detail::cross_entropy_statistic<op::cross_entropy_options, true> statistic{options};
  std::vector<cuda::std::tuple<V, std::int64_t>> x;
  for (const V v : widened(row)) x.push_back({v, label});
  const auto result = statistic.finish(folded(statistic, x), static_cast<std::int64_t>(x.size()));
  return {cuda::std::get<0>(result), cuda::std::get<1>(result)};
}

// Rows of every width, and in each the options one by one and all together, with NaN in the columns that do not count.
template <class R, class In, class Label>
void check_widths() {
  worst losses, smooth, lses, shared, shared_smooth, shared_lses;
  std::mt19937 random(7);
  for (std::size_t i = 0; i < row_widths; ++i) {
    const std::size_t n = row_width(i), rows = 3, padding = i % 5;
    const auto low = std::is_unsigned_v<In> ? 0.0 : -8.0;
    const std::vector<In> values = uniform<In>(rows * n, low, 8, static_cast<unsigned>(i));
    const matrix<In> plain(rows, n, values);
    matrix<In> padded(rows, n + padding, std::vector<In>(1, std::is_integral_v<In> ? In{} : nearest<In>(not_a_number)));
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t c = 0; c < n; ++c) padded(r, c) = plain(r, c);
    std::vector<Label> labels(rows);
    for (Label &label : labels) label = static_cast<Label>(random() % std::min<std::size_t>(n, 256));
    op::cross_entropy_options all[6];
    const auto columns = static_cast<std::int64_t>(n);
    all[1].ignore_index = static_cast<std::int64_t>(labels[1]);
    all[2].smoothing = 0.1;
    all[3].z_loss = 1e-2;
    all[4].columns = columns;
    all[5] = {static_cast<std::int64_t>(labels[2]), 0.25, 1e-4, columns};
    std::vector<R> alone(rows);
    on_host(plain.load() | op::cross_entropy(labels.data(), alone.data()), plain.extent());
    for (int k = 0; k < 6; ++k) {
      const op::cross_entropy_options &options = all[k];
      const matrix<In> &x = k < 4 ? plain : padded;
      std::vector<R> loss(rows), same_loss(rows), lse(rows);
      const Label *const p = labels.data();
      on_host(x.load() | op::cross_entropy(p, options, loss.data(), lse.data()), x.extent());
      on_host(x.load() | op::cross_entropy(op::per_row(p), options, same_loss.data()), x.extent());
      CHECK(same_loss == loss);
      if (k == 0) CHECK(alone == loss);
      for (std::size_t r = 0; r < rows; ++r) {
        const auto label = static_cast<std::int64_t>(labels[r]);
        const exact_loss exact = loss_of(x.row(r), label, options);
        const auto held = shared_loss<R>(x.row(r), label, options);
        if (label == options.ignore_index) CHECK((loss[r] == 0 && held.first == 0));
        const auto at = static_cast<long double>(n);
        lses.add(roundings<R>(lse[r], exact.lse, 1), at);
        shared_lses.add(roundings<R>(held.second, exact.lse, 1), at);
        if (label == options.ignore_index) continue;
        (options.smoothing > 0 ? smooth : losses).add(roundings<R>(loss[r], exact.loss, exact.terms), at);
        (options.smoothing > 0 ? shared_smooth : shared).add(roundings<R>(held.first, exact.loss, exact.terms), at);
      }
    }
  }
  CHECK(losses <= 3);
  CHECK(shared <= 3);
  CHECK(smooth <= 2);
  CHECK(shared_smooth <= 2);
  CHECK(lses <= 5);
  CHECK(shared_lses <= 5);
}

template <class P>
onepass_cost_t cost_of(const P &) {
  return detail::cost_of<P>();
}

// Both forms of one row's loss and log_sum_exp.
struct both_forms {
  float loss = 7, lse = 7;
  std::pair<float, float> shared;

  both_forms(const std::vector<float> &x, std::int64_t label, const op::cross_entropy_options &options = {}) {
    on_host(op::load(x.data()) | op::cross_entropy(&label, options, &loss, &lse), x.size());
    shared = shared_loss<float>(x, label, options);
  }
  bool are(float exact_loss, float exact_lse) const {
    UNSCOPED_INFO("loss " << loss << " and " << shared.first << ", lse " << lse << " and " << shared.second);
    const auto near = [](float a, float b) { return same(a, b) || std::fabs(a - b) <= 4e-7f * std::fabs(b); };
    return near(loss, exact_loss) && near(lse, exact_lse) && near(shared.first, exact_loss) &&
           near(shared.second, exact_lse);
  }
};

}  // namespace

// In roundings of the terms of the loss, beyond that of the result.
TEST_CASE("cross_entropy of rows of any width") {
  SECTION("f32, labels of 32 bits") { check_widths<float, float, std::int32_t>(); }
  SECTION("f16, labels of 64 bits") { check_widths<float, f16, std::int64_t>(); }
  SECTION("bf16, labels of bytes") { check_widths<float, bf16, std::uint8_t>(); }
  SECTION("f64, labels of 32 bits without sign") { check_widths<double, double, std::uint32_t>(); }
}

TEST_CASE("logits that are integers are computed in f64") {
  const std::vector<std::int32_t> x = {3, -2, 7, 7, 0, 1, 1000, 999};
  const std::int16_t labels[] = {2, 3};
  double loss[2];
  on_host(op::load(x.data()) | op::cross_entropy(labels, loss), onepass_extent_2d(2, 4));
  const long double first = std::log(std::exp(-4.0L) + std::exp(-9.0L) + 2), second = 1 + std::log1p(std::exp(-1.0L));
  CHECK(error_in_ulp(loss[0], first) <= 2);
  CHECK(error_in_ulp(loss[1], second) <= 2);
}

TEST_CASE("masked logits: their loss is inf, and no other is touched") {
  std::vector<float> x(4096, -inf);
  x[4095] = 0;
  CHECK(both_forms(x, 4095).are(0, 0));
  CHECK(both_forms(x, 0).are(inf, 0));
  CHECK(both_forms(x, 4094).are(inf, 0));
  x[4095] = -inf;
  x[0] = x[2048] = -5;
  CHECK(both_forms(x, 0).are(0.6931472f, -4.306853f));
  CHECK(both_forms(x, 2048).are(0.6931472f, -4.306853f));
  CHECK(both_forms(x, 2047).are(inf, -4.306853f));
  for (std::size_t i = 0; i < 4096; ++i) x[i] = i < 1024 ? -inf : 0.0f;
  CHECK(both_forms(x, 1024).are(8.030084f, 8.030084f));
  CHECK(both_forms(x, 1023).are(inf, 8.030084f));
  // The same of halves, which compute in f32.
  std::vector<f16> h(4096, nearest<f16>(-HUGE_VALL));
  h[0] = h[2048] = nearest<f16>(-5);
  const std::int64_t labels[] = {0, 1};
  for (const std::int64_t &label : labels) {
    float loss, lse;
    on_host(op::load(h.data()) | op::cross_entropy(&label, &loss, &lse), h.size());
    CHECK(lse == Approx(-4.306853).epsilon(3e-7));
    if (label == 0) CHECK(loss == Approx(0.6931472).epsilon(3e-7));
    else CHECK(loss == inf);
  }
  // All columns count a little: one that is impossible makes the loss inf.
  op::cross_entropy_options options;
  options.smoothing = 0.1;
  CHECK(both_forms(x, 1024, options).are(inf, 8.030084f));
  CHECK(both_forms(x, 0, options).are(inf, 8.030084f));
}

TEST_CASE("rows with inf, NaN, or -inf alone") {
  CHECK(both_forms({0, inf}, 0).are(inf, inf));
  CHECK(both_forms({0, inf}, 1).are(not_number, inf));
  CHECK(both_forms({inf, -inf}, 0).are(not_number, inf));
  CHECK(both_forms({inf, -inf}, 1).are(inf, inf));
  CHECK(both_forms({0, inf, 1}, 2).are(inf, inf));
  for (const std::size_t n : {1u, 4u, 5u, 70u, 300u}) {
    const auto last = static_cast<std::int64_t>(n - 1);
    CHECK(both_forms(std::vector<float>(n, -inf), last).are(not_number, -inf));
    for (const std::size_t at : {std::size_t{0}, n / 2, n - 1}) {
      std::vector<float> x(n, 1);
      x[at] = not_number;
      CHECK(both_forms(x, 0).are(not_number, not_number));
      CHECK(both_forms(x, last).are(not_number, not_number));
      CHECK(both_forms(x, -100).are(0, not_number));  // ignored: what its logits are does not reach a sum of losses
      x[at] = inf;
      CHECK(both_forms(x, -100).are(0, inf));
    }
  }
}

TEST_CASE("values far apart") {
  const float most = std::numeric_limits<float>::max();
  CHECK(both_forms({most, -most, 0}, 0).are(0, most));
  CHECK(both_forms({-most, -most}, 1).are(0.6931472f, -most));
  CHECK(both_forms({1000, 1000}, 0).are(0.6931472f, 1000.6931f));
  CHECK(both_forms({200, -1000}, 1).are(1200, 200));
  CHECK(both_forms({-1000}, 0).are(0, -1000));
  CHECK(both_forms({2, 2, 2, 2, 2}, 4).are(1.6094379f, 3.6094379f));
}

TEST_CASE("labels that no column has give NaN, and touch no other row") {
  const std::vector<float> x = uniform<float>(50, -3, 3);
  const auto check = [&](auto type, std::vector<std::int64_t> all) {
    using T = decltype(type);
    std::vector<T> labels;
    for (const std::int64_t label : all) labels.push_back(static_cast<T>(label));
    std::vector<float> loss(7, 7), lse(5), none(5);
    on_host(op::load(x.data()) | op::cross_entropy(labels.data(), loss.data() + 1, lse.data()), onepass_extent_2d(5, 10));
    on_host(op::load(x.data()) | op::reduce_rows(op::log_sum_exp, none.data()), onepass_extent_2d(5, 10));
    CHECK(lse == none);
    CHECK(loss.front() == 7);
    CHECK(loss.back() == 7);
    for (std::size_t r = 0; r < 5; ++r) {
      const std::int64_t label = all[r];
      const bool known = label >= 0 && label < 10;
      if (label == -100) CHECK((loss[r + 1] == 0 && !std::signbit(loss[r + 1])));
      else if (!known) CHECK(std::isnan(loss[r + 1]));
      else CHECK(loss[r + 1] == Approx(lse[r] - x[10 * r + static_cast<std::size_t>(label)]).epsilon(1e-6));
    }
  };
  const std::int64_t most = INT64_MAX, least = INT64_MIN, far = INT64_C(1) << 40;
  check(std::int64_t{}, {3, 10, -4, far, 0});
  check(std::int64_t{}, {far + 3, most, 9, (INT64_C(1) << 32) + 3, -1});
  check(std::int64_t{}, {least, least + 5, 1, -(INT64_C(1) << 32), most - 9});
  check(std::int32_t{}, {3, 10, -4, INT32_MAX, 0});
  check(std::int32_t{}, {INT32_MIN, 0, -1, 11, 9});
  check(std::int8_t{}, {3, 10, -4, 127, 0});
  check(std::int16_t{}, {-100, 9, -100, -99, -101});
  check(std::uint8_t{}, {3, 10, 252, 255, 0});
  check(std::int64_t{}, {-100, -100, -100, -100, -100});  // all ignored: zeros
  check(std::int32_t{}, {-100, -100, -100, -100, -100});

  const std::uint64_t huge[] = {UINT64_MAX, (UINT64_C(1) << 63) + 5, 4};  // none of them is negative
  float loss[3];
  on_host(op::load(x.data()) | op::cross_entropy(huge, loss), onepass_extent_2d(3, 10));
  CHECK(std::isnan(loss[0]));
  CHECK(std::isnan(loss[1]));
  CHECK(loss[2] > 0);
}

TEST_CASE("an ignored label is compared as it is, whatever it is") {
  const std::vector<float> x = uniform<float>(30, -3, 3);
  op::cross_entropy_options options;
  for (const std::int64_t ignored : {INT64_C(-1), INT64_C(0), INT64_C(9), INT64_C(10), INT64_C(1) << 40, INT64_MIN}) {
    options.ignore_index = ignored;
    const std::int64_t labels[] = {ignored, 4, -100};
    float loss[3] = {7, 7, 7};
    on_host(op::load(x.data()) | op::cross_entropy(labels, options, loss), onepass_extent_2d(3, 10));
    CHECK(loss[0] == 0);
    CHECK(loss[1] > 0);
    CHECK(std::isnan(loss[2]));  // no longer ignored
  }
}

TEST_CASE("columns that do not count: no label has them, and all but none may be padding") {
  for (std::int64_t columns = 0; columns < 12; ++columns) {
    std::vector<float> x(10, not_number);
    for (std::int64_t c = 0; c < std::min<std::int64_t>(columns, 10); ++c) x[static_cast<std::size_t>(c)] = 2;
    op::cross_entropy_options options;
    options.columns = columns;
    options.smoothing = 0.5;
    const auto n = static_cast<float>(std::min<std::int64_t>(columns, 10));
    for (std::int64_t label = -1; label < 12; ++label) {
      const bool known = label >= 0 && label < columns && label < 10;
      CHECK(both_forms(x, label, options).are(known ? std::log(n) : not_number, n > 0 ? 2 + std::log(n) : -inf));
    }
    CHECK(both_forms(x, -100, options).are(0, n > 0 ? 2 + std::log(n) : -inf));
  }
}

TEST_CASE("rows of nothing have no loss, and no rows write none") {
  const std::int32_t labels[] = {0, 1, 2};
  float loss[3] = {7, 7, 7}, lse[3] = {7, 7, 7};
  const auto p = op::load(static_cast<const float *>(nullptr)) | op::cross_entropy(labels, loss, lse);
  on_host(p, onepass_extent_2d(0, 9));
  CHECK(loss[0] == 7);
  CHECK(lse[0] == 7);
  on_host(p, onepass_extent_2d(2, 0));
  for (int r = 0; r < 2; ++r) {
    CHECK(std::isnan(loss[r]));
    CHECK(lse[r] == -inf);
  }
  CHECK(loss[2] == 7);
  CHECK(lse[2] == 7);
}

TEST_CASE("behind a stage, beside a store and a statistic, labels from a buffer's middle or computed") {
  const std::size_t rows = 6, n = 37;
  const matrix<bf16> x(rows, n, uniform<bf16>(rows * n, -4, 4));
  matrix<float> scaled(rows, n);
  std::vector<std::int64_t> buffer(rows + 7, -1);
  for (std::size_t r = 0; r < rows; ++r) buffer[r + 3] = static_cast<std::int64_t>(r * 6);
  std::vector<float> loss(rows), again(rows), most(rows), exact(rows);
  on_host(x.load() | op::multiply(0.5) | op::tee(scaled.store()) | op::tee(op::reduce_rows(op::maximum, most.data())) |
              op::cross_entropy(buffer.data() + 3, loss.data()),
          x.extent());
  on_host(x.load() | op::multiply(0.5) | op::cross_entropy(buffer.data() + 3, again.data()), x.extent());
  CHECK(loss == again);
  CHECK(scaled.gaps_are_untouched());
  for (std::size_t r = 0; r < rows; ++r) {
    const std::vector<float> row = scaled.row(r);
    const exact_loss truth = loss_of(row, buffer[r + 3], {});
    CHECK(loss[r] == Approx(static_cast<double>(truth.loss)).epsilon(1e-6));
    CHECK(most[r] == *std::max_element(row.begin(), row.end()));
  }
  // Labels that count from 1, and one for all rows.
  std::vector<std::int32_t> from_one(rows);
  for (std::size_t r = 0; r < rows; ++r) from_one[r] = static_cast<std::int32_t>(buffer[r + 3] + 1);
  on_host(x.load() | op::multiply(0.5) | op::cross_entropy(op::per_row(from_one.data()) | op::subtract(1), again.data()),
          x.extent());
  CHECK(loss == again);
  std::vector<std::int64_t> fives(rows, 5);
  on_host(scaled.load() | op::cross_entropy(fives.data(), exact.data()), x.extent());
  on_host(scaled.load() | op::cross_entropy(op::value(5), again.data()), x.extent());
  CHECK(exact == again);
  // Results convert to the type of their pointer.
  std::vector<double> wide(rows);
  std::vector<f16> narrow(rows);
  on_host(scaled.load() | op::cross_entropy(fives.data(), wide.data(), narrow.data()), x.extent());
  for (std::size_t r = 0; r < rows; ++r) {
    CHECK(wide[r] == static_cast<double>(exact[r]));
    CHECK(value(narrow[r]) == Approx(static_cast<double>(loss_of(scaled.row(r), 5, {}).lse)).epsilon(1e-3));
  }
}

TEST_CASE("the gradient from lse: e^(logit - lse), less 1 at the label") {
  const std::size_t n = 19;
  const matrix<float> x(3, n, uniform<float>(3 * n, -4, 4));
  const std::int32_t labels[] = {0, 11, 18};
  float loss[3], lse[3];
  on_host(x.load() | op::cross_entropy(labels, loss, lse), x.extent());
  for (std::size_t r = 0; r < 3; ++r) {
    const row_truth truth(x.row(r));
    for (std::size_t c = 0; c < n; ++c) {
      const long double p = std::exp(value(x(r, c)) - truth.most) / truth.powers;
      CHECK(std::exp(static_cast<double>(x(r, c)) - static_cast<double>(lse[r])) ==
            Approx(static_cast<double>(p)).epsilon(2e-6));
    }
    CHECK(std::exp(-static_cast<double>(loss[r])) ==
          Approx(std::exp(static_cast<double>(x(r, static_cast<std::size_t>(labels[r]))) - static_cast<double>(lse[r])))
              .epsilon(2e-6));
  }
}

TEST_CASE("the arrays of cross_entropy are checked and counted") {
  std::vector<float> x(200), out(20);
  std::vector<std::int32_t> labels(10);
  const auto check = [&](const std::int32_t *label, float *loss, float *lse, onepass_extent_t extent) {
    const auto p = op::load(x.data()) | op::cross_entropy(label, loss, lse);
    onepass_leaf_t leaves[ONEPASS_MAX_LEAVES];
    return onepass_check_leaves(leaves, detail::write_leaves(p.inner, leaves), extent);
  };
  const onepass_extent_t rows = onepass_extent_2d(10, 20);
  const auto *const inside = reinterpret_cast<const std::int32_t *>(out.data());
  CHECK(check(labels.data(), out.data(), out.data() + 10, rows) == ONEPASS_SUCCESS);
  CHECK(check(labels.data(), out.data(), out.data() + 9, rows) == ONEPASS_ERROR_OVERLAP);
  CHECK(check(labels.data(), x.data() + 3, out.data(), rows) == ONEPASS_ERROR_OVERLAP);
  CHECK(check(inside, out.data(), out.data() + 10, rows) == ONEPASS_ERROR_OVERLAP);
  CHECK(check(nullptr, out.data(), out.data() + 10, rows) == ONEPASS_ERROR_NULL);
  CHECK(check(labels.data(), out.data(), nullptr, rows) == ONEPASS_ERROR_NULL);
  CHECK(check(nullptr, nullptr, nullptr, onepass_extent_2d(0, 20)) == ONEPASS_SUCCESS);
  const auto p = op::load(x.data()) | op::cross_entropy(labels.data(), out.data(), out.data());
  const onepass_cost_t cost = cost_of(p);
  const onepass_traffic_t traffic = onepass_traffic_of_cost(&cost, rows);
  CHECK(traffic.bytes_read == 4 * 200 + 4 * 10);
  CHECK(traffic.bytes_written == 2 * 4 * 10);
}
