// SPDX-License-Identifier: Apache-2.0
// reduce_rows: a statistic of each row, of rows of any width and type, alone, behind stages, and on the way.
#include <onepass/sink/reduce_rows.cuh>

#include <cstdint>
#include <limits>

#include "../stage/row.hpp"
#include "catch.hpp"

namespace op = onepass;
using namespace test;

namespace {

// Errors in roundings: of the sum of magnitudes, of mean and deviation, of the value, of 1.
template <class R, class In>
void check_widths() {
  worst sums, means, variances, lengths, logs;
  for (std::size_t i = 0; i < row_widths; ++i) {
    const std::size_t n = row_width(i), rows = 3;
    const auto low = std::is_unsigned_v<In> ? 0.0 : -4.0;
    const matrix<In> x(rows, n, uniform<In>(rows * n, low, 9, static_cast<unsigned>(i)));
    std::vector<double> sum(rows), least(rows), most(rows);
    std::vector<R> mean(rows), variance(rows), length(rows), lse(rows);
    std::vector<std::int64_t> place(rows), count(rows);
    on_host(x.load() |
                op::tee(op::reduce_rows(op::several(op::mean_variance, op::norm2, op::log_sum_exp), mean.data(),
                                        variance.data(), length.data(), lse.data())) |
                op::tee(op::reduce_rows(op::argmax, most.data(), place.data())) |
                op::reduce_rows(op::several(op::sum, op::minimum, op::count), sum.data(), least.data(), count.data()),
            x.extent());
    for (std::size_t r = 0; r < rows; ++r) {
      const row_truth truth(x.row(r));
      long double smallest = HUGE_VALL, magnitudes = 0;
      std::size_t first = n, nonzero = 0;
      for (std::size_t c = 0; c < n; ++c) {
        smallest = std::min(smallest, value(x(r, c)));
        magnitudes += std::fabs(value(x(r, c)));
        if (first == n && value(x(r, c)) == truth.most) first = c;
        nonzero += value(x(r, c)) != 0;
      }
      const long double at = static_cast<long double>(n), norm = std::sqrt(truth.squares * at);
      const long double spread = std::fabs(truth.mean) + std::sqrt(truth.variance);
      CHECK(least[r] == static_cast<double>(smallest));
      CHECK(most[r] == static_cast<double>(truth.most));
      CHECK(place[r] == static_cast<std::int64_t>(r * n + first));  // row * columns + column
      CHECK(count[r] == static_cast<std::int64_t>(nonzero));
      sums.add(roundings<R>(static_cast<R>(sum[r]), truth.mean * at, magnitudes), at);
      means.add(roundings<R>(mean[r], truth.mean, spread), at);
      if (n > 1) variances.add(roundings<R>(variance[r], truth.variance, truth.variance), at);
      lengths.add(roundings<R>(length[r], norm, norm), at);
      logs.add(roundings<R>(lse[r], truth.most + std::log(truth.powers), 1), at);
    }
  }
  CHECK(sums <= 1);
  CHECK(means <= 1.5);
  CHECK(variances <= 3);
  CHECK(lengths <= 1);
  CHECK(logs <= 3.5);
}

}  // namespace

TEST_CASE("statistics of rows of any width") {
  check_widths<float, float>();
  check_widths<float, f16>();
  check_widths<float, bf16>();
  check_widths<double, double>();
  check_widths<double, std::int32_t>();
  check_widths<double, std::uint8_t>();
}

TEST_CASE("each result goes to its row, and no further") {
  const matrix<float> x(300, 7, uniform<float>(2100, -1, 1));
  std::vector<float> most(302, 7);
  on_host(x.load() | op::abs | op::reduce_rows(op::maximum, most.data() + 1), x.extent());
  CHECK(most.front() == 7);
  CHECK(most.back() == 7);
  for (std::size_t r = 0; r < 300; ++r) {
    float exact = 0;
    for (std::size_t c = 0; c < 7; ++c) exact = std::max(exact, std::fabs(x(r, c)));
    CHECK(most[r + 1] == exact);
  }
}

TEST_CASE("results of rows convert to the type of their pointer") {
  const std::vector<float> x = {300, -2.5f, 1, -1000, 0, 0, 70000, 1, 1};
  std::vector<std::int8_t> sums(3);
  std::vector<f16> most(3);
  on_host(op::load(x.data()) | op::reduce_rows(op::several(op::sum, op::maximum), sums.data(), most.data()),
          onepass_extent_2d(3, 3));
  CHECK(sums == std::vector<std::int8_t>{127, -128, 127});
  CHECK(value(most[0]) == 300);
  CHECK(value(most[1]) == 0);
  CHECK(value(most[2]) == HUGE_VALL);
}

TEST_CASE("sums of integers are 64-bit") {
  const std::vector<std::int32_t> x(14, INT32_MAX);
  std::vector<std::int64_t> sums(2);
  on_host(op::load(x.data()) | op::reduce_rows(op::sum, sums.data()), onepass_extent_2d(2, 7));
  CHECK(sums == std::vector<std::int64_t>(2, 7 * INT64_C(2147483647)));
}

TEST_CASE("rows of nothing write the statistic of nothing") {
  float least[3], most[3], mean[3], sum[3];
  std::int64_t at[3];
  for (int r = 0; r < 3; ++r) least[r] = most[r] = mean[r] = sum[r] = 7;
  for (int r = 0; r < 3; ++r) at[r] = 7;
  const auto p = op::load(static_cast<const float *>(nullptr)) | op::tee(op::reduce_rows(op::argmin, least, at)) |
                 op::reduce_rows(op::several(op::maximum, op::mean, op::with_initial(op::sum, 5.0f)), most, mean, sum);
  on_host(p, onepass_extent_2d(0, 9));
  CHECK(most[0] == 7);
  on_host(p, onepass_extent_2d(2, 0));
  for (int r = 0; r < 2; ++r) {
    CHECK(least[r] == HUGE_VALF);
    CHECK(at[r] == -1);
    CHECK(most[r] == -HUGE_VALF);
    CHECK(std::isnan(mean[r]));
    CHECK(sum[r] == 5);
  }
  CHECK(least[2] == 7);
  CHECK(at[2] == 7);
  CHECK(most[2] == 7);
}

TEST_CASE("one NaN is found in its row alone") {
  for (const std::size_t column : {0u, 3u, 4u, 68u, 69u}) {
    matrix<bf16> x(3, 70, std::vector<bf16>(1, nearest<bf16>(-2)));
    x(1, column) = nearest<bf16>(std::nanl(""));
    float most[3], sum[3];
    on_host(x.load() | op::reduce_rows(op::several(op::maximum, op::sum), most, sum), x.extent());
    CHECK(most[0] == -2);
    CHECK(sum[2] == -140);
    CHECK(std::isnan(most[1]));
    CHECK(std::isnan(sum[1]));
    CHECK(most[2] == -2);
  }
}

TEST_CASE("behind a row stage, and on the way beside a store") {
  const std::size_t n = 33;
  const matrix<float> x(4, n, uniform<float>(4 * n, -2, 2));
  std::vector<float> lse(4), ones(4), most(4), entropy(4);
  matrix<float> kept(4, n), p(4, n);
  on_host(x.load() | op::tee(kept.store()) | op::tee(op::reduce_rows(op::log_sum_exp, lse.data())) | op::softmax |
              op::tee(op::reduce_rows(op::maximum, most.data())) | op::tee(p.store()) |
              op::reduce_rows(op::sum, ones.data()),
          x.extent());
  CHECK(kept.data == x.data);
  for (std::size_t r = 0; r < 4; ++r) {
    const row_truth truth(x.row(r));
    CHECK(lse[r] == Approx(static_cast<double>(truth.most + std::log(truth.powers))).epsilon(3e-7));
    CHECK(ones[r] == Approx(1).epsilon(3e-7));
    const std::vector<float> row = p.row(r);
    CHECK(most[r] == *std::max_element(row.begin(), row.end()));
    CHECK(most[r] == Approx(static_cast<double>(1 / truth.powers)).epsilon(3e-7));
  }
}

// What a launch checks of the results: vectors of `rows`, apart from all else, also where the rows have nothing.
TEST_CASE("the arrays of reduce_rows are checked") {
  std::vector<float> x(60), out(6);
  const auto check = [&](float *mean, float *variance, onepass_extent_t extent) {
    const auto p = op::load(x.data()) | op::reduce_rows(op::mean_variance, mean, variance);
    onepass_leaf_t leaves[ONEPASS_MAX_LEAVES];
    return onepass_check_leaves(leaves, op::detail::write_leaves(p.inner, leaves), extent);
  };
  const onepass_extent_t rows = onepass_extent_2d(3, 20);
  CHECK(check(out.data(), out.data() + 3, rows) == ONEPASS_SUCCESS);
  CHECK(check(out.data(), out.data() + 2, rows) == ONEPASS_ERROR_OVERLAP);
  CHECK(check(out.data(), nullptr, rows) == ONEPASS_ERROR_NULL);
  CHECK(check(nullptr, out.data(), onepass_extent_2d(3, 0)) == ONEPASS_ERROR_NULL);
  CHECK(check(nullptr, nullptr, onepass_extent_2d(0, 20)) == ONEPASS_SUCCESS);
  CHECK(check(x.data(), out.data(), rows) == ONEPASS_ERROR_OVERLAP);
  CHECK(check(x.data(), out.data(), onepass_extent_2d(60, 1)) == ONEPASS_ERROR_OVERLAP);  // a result, not a store
}
