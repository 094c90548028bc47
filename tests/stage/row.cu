// SPDX-License-Identifier: Apache-2.0
// by_row and keep: statistics and functors of one's own, several row stages and reductions of rows in one pipeline, and
// what is kept on the way.
#include <onepass/stage/row.cuh>

#include <cstdint>
#include <limits>

#include "catch.hpp"
#include "row.hpp"

namespace op = onepass;
using namespace test;

namespace {

struct less_first {
  template <class T, class R>
  ONEPASS_HD auto operator()(T x, R of_row) const {
    return x - of_row;
  }
};
struct standard_score {
  template <class T, class R>
  ONEPASS_HD R operator()(T x, R mean, R variance) const {
    return (static_cast<R>(x) - mean) / op::detail::sqrt_op{}(variance);
  }
};
struct min_max {
  template <class T>
  ONEPASS_HD auto operator()(T x, T least, T greatest) const {
    return static_cast<float>(x - least) / static_cast<float>(greatest - least);
  }
};
// The sum of every other column, which must be told columns and not indices.
struct even_columns {
  static constexpr bool by_row = true;
  template <class T>
  ONEPASS_HD double identity() const {
    return 0;
  }
  template <class T>
  ONEPASS_HD double lift(T x, const op::coordinate &at) const {
    return at.column % 2 == 0 ? static_cast<double>(x) : 0;
  }
  ONEPASS_HD double combine(double a, double b) const { return a + b; }
  ONEPASS_HD double finish(double sum, op::int64_t) const { return sum; }
};
struct share {
  template <class T>
  ONEPASS_HD double operator()(T x, double of) const {
    return static_cast<double>(x) / of;
  }
};
// Of pairs: the first, less the mean of what is dotted.
struct difference_of_pair {
  ONEPASS_HD float operator()(float a, float b, float dot) const { return a - b + dot; }
};
struct counts_narrow {
  ONEPASS_HD float operator()(float x, float) const { return x; }
  ONEPASS_HD float narrow(float x, float) const { return x + 1; }
};

}  // namespace

TEST_CASE("by_row with results of one statistic, of any type") {
  for (std::size_t i = 0; i < row_widths; i += i < 18 ? 1 : 5) {
    const std::size_t n = row_width(i);
    const matrix<float> x(3, n, uniform<float>(3 * n, -3, 5, static_cast<unsigned>(i)));
    std::vector<double> means(3), variances(3);
    std::vector<float> most(3);
    const matrix<float> y = rows_through<float>(x, op::by_row(op::maximum, less_first{}, op::keep(most.data())));
    const matrix<float> z = rows_through<float>(
        x, op::by_row(op::mean_variance, standard_score{}, op::keep(means.data(), variances.data())));
    const matrix<double> w = rows_through<double>(x, op::by_row(even_columns{}, share{}));
    for (std::size_t r = 0; r < 3; ++r) {
      const row_truth truth(x.row(r));
      double even = 0;
      for (std::size_t c = 0; c < n; c += 2) even += static_cast<double>(x(r, c));
      CHECK(most[r] == truth.most);
      CHECK(means[r] == Approx(static_cast<double>(truth.mean)).epsilon(1e-6).margin(1e-6));
      CHECK(variances[r] == Approx(static_cast<double>(truth.variance)).epsilon(3e-7));
      for (std::size_t c = 0; c < n; ++c) {
        REQUIRE(y(r, c) == x(r, c) - most[r]);
        const long double score = (value(x(r, c)) - truth.mean) / std::sqrt(truth.variance);
        if (n > 1) REQUIRE(roundings<float>(z(r, c), score, 1 + std::fabs(score)) <= 4);
        REQUIRE(w(r, c) == Approx(static_cast<double>(x(r, c)) / even).epsilon(1e-12));
      }
    }
  }
}

TEST_CASE("min-max by several, of integers as they are") {
  const matrix<std::int16_t> x(4, 37, uniform<std::int16_t>(4 * 37, -500, 900));
  std::vector<std::int32_t> low(4);
  std::vector<float> high(4);
  const matrix<float> y = rows_through<float>(
      x, op::by_row(op::several(op::minimum, op::maximum), min_max{}, op::keep(low.data(), high.data())));
  for (std::size_t r = 0; r < 4; ++r) {
    const std::vector<std::int16_t> row = x.row(r);
    const int least = *std::min_element(row.begin(), row.end()), most = *std::max_element(row.begin(), row.end());
    CHECK(low[r] == least);
    CHECK(high[r] == static_cast<float>(most));
    for (std::size_t c = 0; c < 37; ++c)
      CHECK(y(r, c) == static_cast<float>(x(r, c) - least) / static_cast<float>(most - least));
  }
  const std::vector<float> of_floats =
      row_through({3, 5, 4, 3, 5}, op::by_row(op::several(op::minimum, op::maximum), min_max{}));
  CHECK(of_floats == std::vector<float>{0, 1, 0.5f, 0, 1});
}

TEST_CASE("what is kept converts to the type of its pointer") {
  const matrix<float> x(2, 5, {1000, 300, -2.5f, 7, 100000, 0, -1, -2, -3, -300.5f});
  std::vector<f16> narrowed(2);
  std::vector<std::int8_t> byte(2);
  rows_through<float>(x, op::by_row(op::maximum, less_first{}, op::keep(narrowed.data())));
  rows_through<float>(x, op::by_row(op::minimum, less_first{}, op::keep(byte.data())));
  CHECK(value(narrowed[0]) == HUGE_VALL);
  CHECK(value(narrowed[1]) == 0);
  CHECK(byte == std::vector<std::int8_t>{-2, -128});
}

TEST_CASE("a value of two parts reaches the functor as its parts") {
  const std::vector<float> a = {1, 2, 3}, b = {4, 5, 7};
  std::vector<float> y(3);
  on_host(
      op::zip(op::load(a.data()), op::load(b.data())) | op::by_row(op::dot, difference_of_pair{}) | op::store(y.data()),
      3);
  CHECK(y == std::vector<float>{32, 32, 31});
}

TEST_CASE("a functor's narrow form is taken where 16-bit floats alone are stored behind it") {
  const std::vector<float> x = {1, 2, 3};
  std::vector<float> sums(1);
  const auto stage = op::by_row(op::maximum, counts_narrow{});
  CHECK(row_through(x, stage) == x);
  CHECK(value(row_through<bf16>(x, stage)[0]) == 2);
  std::vector<f16> y(3);
  on_host(op::load(x.data()) | stage | op::tee(op::reduce_rows(op::sum, sums.data())) | op::store(y.data()), 3);
  CHECK(sums[0] == 6);
  CHECK(value(y[2]) == 3);
  on_host(op::load(x.data()) | stage | op::softmax | op::store(y.data()), 3);  // the second statistic may tell
  CHECK(value(y[2]) == rounded<f16>(1 / (1 + std::exp(-1.0L) + std::exp(-2.0L))));
}

TEST_CASE("two row stages, with stages, stores and reductions of rows between and behind them") {
  for (const std::size_t n : {1u, 3u, 8u, 70u, 1000u}) {
    const matrix<float> x(3, n, uniform<float>(3 * n, -2, 2)), r(3, n, uniform<float>(3 * n, -1, 1, 2));
    std::vector<float> gamma = uniform<float>(n, 0, 2, 3), mean(3), rstd(3), lse(3), before(3), between(3), most(3);
    matrix<float> sum(3, n), normal(3, n), y(3, n);
    on_host(x.load() | op::add(r.load()) | op::tee(sum.store()) | op::tee(op::reduce_rows(op::sum, before.data())) |
                op::layer_norm(gamma.data(), 1e-5, op::keep(mean.data(), rstd.data())) | op::tee(normal.store()) |
                op::multiply(2) |
                op::tee(op::reduce_rows(op::several(op::sum, op::maximum), between.data(), most.data())) |
                op::softmax(op::keep(lse.data())) | y.store(),
            x.extent());
    // The same, one launch after the other.
    matrix<float> first(3, n), second(3, n), third(3, n), fourth(3, n);
    std::vector<float> own(9);
    on_host(x.load() | op::add(r.load()) | first.store(), x.extent());
    on_host(first.load() | op::reduce_rows(op::sum, own.data()), x.extent());
    on_host(first.load() | op::layer_norm(gamma.data(), 1e-5) | second.store(), x.extent());
    on_host(second.load() | op::multiply(2) | third.store(), x.extent());
    on_host(third.load() | op::reduce_rows(op::several(op::sum, op::maximum), own.data() + 3, own.data() + 6),
            x.extent());
    on_host(third.load() | op::softmax | fourth.store(), x.extent());
    CHECK(sum.data == first.data);
    CHECK(normal.data == second.data);
    CHECK(y.data == fourth.data);
    before.insert(before.end(), between.begin(), between.end());
    before.insert(before.end(), most.begin(), most.end());
    CHECK(before == own);
    for (std::size_t i = 0; i < 3; ++i) {
      const row_truth truth(first.row(i)), of_third(third.row(i));
      CHECK(mean[i] == Approx(static_cast<double>(truth.mean)).margin(1e-6));
      CHECK(rstd[i] == Approx(static_cast<double>(1 / std::sqrt(truth.variance + 1e-5L))).epsilon(3e-7));
      CHECK(lse[i] == Approx(static_cast<double>(of_third.most + std::log(of_third.powers))).margin(1e-6));
    }
  }
}

TEST_CASE("the residual is kept in its own place, and the result in that of the input") {
  const std::size_t n = 70;
  matrix<bf16> x(3, n, uniform<bf16>(3 * n, -2, 2)), r(3, n, uniform<bf16>(3 * n, -1, 1, 2));
  const std::vector<bf16> gamma = uniform<bf16>(n, 0.5, 2, 3), beta = uniform<bf16>(n, -1, 1, 4);
  matrix<bf16> kept(3, n), y(3, n);
  const auto stages = [&](const auto &residual, const auto &kept_in) {
    return op::add(residual) | op::tee(kept_in) | op::layer_norm(gamma.data(), beta.data(), 1e-5) | op::gelu_tanh;
  };
  on_host(x.load() | stages(r.load(), kept.store()) | y.store(), x.extent());
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t c = 0; c < n; ++c) REQUIRE(value(kept(i, c)) == rounded<bf16>(value(x(i, c)) + value(r(i, c))));
  on_host(x.load() | stages(r.load(), r.store()) | x.store(), x.extent());
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t c = 0; c < n; ++c) {
      REQUIRE(value(r(i, c)) == value(kept(i, c)));
      REQUIRE(value(x(i, c)) == value(y(i, c)));
    }
  }
  CHECK(r.gaps_are_untouched());
  CHECK(x.gaps_are_untouched());
}

TEST_CASE("each row for itself, and a flat extent is one row") {
  const matrix<float> x(5, 9, uniform<float>(45, -1, 1));
  const matrix<float> y = rows_through<float>(x, op::by_row(op::maximum, less_first{}));
  for (std::size_t r = 0; r < 5; ++r) CHECK(y.row(r) == row_through(x.row(r), op::by_row(op::maximum, less_first{})));
  std::vector<float> flat(9);
  on_host(op::load(x.data.data()) | op::by_row(op::maximum, less_first{}) | op::store(flat.data()), 9);
  CHECK(flat == y.row(0));
}

TEST_CASE("vectors and coordinates beside a row stage") {
  const matrix<float> x(3, 11, uniform<float>(33, -1, 1));
  const std::vector<float> scale = {1, 2, -1}, bias = uniform<float>(11, -1, 1, 2);
  const matrix<float> y = rows_through<float>(x, op::multiply(op::per_row(scale.data())) | op::add(op::column()) |
                                                     op::by_row(op::minimum, less_first{}) |
                                                     op::add(op::per_column(bias.data())) | op::add(op::row()));
  for (std::size_t r = 0; r < 3; ++r) {
    float least = HUGE_VALF, v[11];
    for (std::size_t c = 0; c < 11; ++c) least = std::min(least, v[c] = x(r, c) * scale[r] + static_cast<float>(c));
    for (std::size_t c = 0; c < 11; ++c) CHECK(y(r, c) == v[c] - least + bias[c] + static_cast<float>(r));
  }
}

TEST_CASE("of no rows and no columns") {
  std::vector<float> x(10, 1), y(10, 7), most(3, 7);
  const auto p =
      op::load(x.data()) | op::by_row(op::maximum, less_first{}, op::keep(most.data())) | op::store(y.data());
  on_host(p, onepass_extent_2d(0, 5));
  CHECK(most == std::vector<float>(3, 7));
  on_host(p, onepass_extent_2d(2, 0));
  CHECK(most == std::vector<float>{-HUGE_VALF, -HUGE_VALF, 7});
  CHECK(y == std::vector<float>(10, 7));
}

// What a launch checks of the arrays: vectors of `rows`, apart from all others.
TEST_CASE("the arrays of keep are checked") {
  std::vector<float> x(60), y(60), kept(6);
  const auto check = [&](float *mean, float *rstd, onepass_extent_t extent) {
    const auto p = op::load(x.data()) | op::layer_norm(1e-5, op::keep(mean, rstd)) | op::store(y.data());
    onepass_leaf_t leaves[ONEPASS_MAX_LEAVES];
    return onepass_check_leaves(leaves, op::detail::write_leaves(p.inner, leaves), extent);
  };
  const onepass_extent_t rows = onepass_extent_2d(3, 20);
  CHECK(check(kept.data(), kept.data() + 3, rows) == ONEPASS_SUCCESS);
  CHECK(check(kept.data(), kept.data() + 2, rows) == ONEPASS_ERROR_OVERLAP);
  CHECK(check(kept.data(), nullptr, rows) == ONEPASS_ERROR_NULL);
  CHECK(check(kept.data(), x.data() + 59, rows) == ONEPASS_ERROR_OVERLAP);
  CHECK(check(kept.data(), y.data(), rows) == ONEPASS_ERROR_OVERLAP);
  CHECK(check(nullptr, nullptr, onepass_extent_2d(0, 20)) == ONEPASS_SUCCESS);
  CHECK(check(nullptr, kept.data(), onepass_extent_2d(3, 0)) == ONEPASS_ERROR_NULL);
}
