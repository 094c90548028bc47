// SPDX-License-Identifier: Apache-2.0
// Statistics together: several, with_initial, a user's own. The values of each: statistic/; their laws:
// statistic_laws.cu.
#include <onepass/statistic.cuh>

#include <cstdint>

#include "catch.hpp"
#include "statistic/result.hpp"

namespace op = onepass;
using namespace test;

TEST_CASE("several statistics share one pass, their results in order") {
  const std::vector<float> x = {3, -1, 7, 7, 2};
  float sum = 0, mean = 0, variance = 0, value_of_max = 0;
  double least = 0;
  std::int64_t at = 0;
  on_host(op::load(x.data()) | op::reduce(op::several(op::sum, op::minimum, op::argmax, op::mean_variance), &sum,
                                          &least, &value_of_max, &at, &mean, &variance),
          x.size());
  CHECK(sum == 18);
  CHECK(least == -1);
  CHECK(value_of_max == 7);
  CHECK(at == 2);
  CHECK(mean == Approx(3.6f));
  CHECK(variance == Approx(9.44f));
  // Each is what it is alone, and lists may hold lists.
  float alone = 0, nested_sum = 0, nested_max = 0, nested_squares = 0;
  on_host(op::load(x.data()) | op::reduce(op::mean_variance, &alone, &nested_sum), x.size());
  CHECK(alone == mean);
  CHECK(nested_sum == variance);
  on_host(op::load(x.data()) | op::reduce(op::several(op::several(op::sum, op::maximum), op::sum_of_squares),
                                          &nested_sum, &nested_max, &nested_squares),
          x.size());
  CHECK(nested_sum == 18);
  CHECK(nested_max == 7);
  CHECK(nested_squares == 112);
}

TEST_CASE("several of everything") {
  const std::vector<float> x = {3, -1, 7, 0, 7, 2};
  double sum = 0, product = 0, squares = 0, mean = 0, variance = 0, deviation = 0, norm = 0, logarithm = 0, least = 0;
  std::int64_t place = -1, count = -1;
  bool any = false, all = true;
  on_host(op::load(x.data()) |
              op::reduce(op::several(op::any, op::sum, op::count, op::product, op::all, op::sum_of_squares, op::mean,
                                     op::variance(1), op::standard_deviation, op::norm2, op::log_sum_exp, op::argmin),
                         &any, &sum, &count, &product, &all, &squares, &mean, &variance, &deviation, &norm, &logarithm,
                         &least, &place),
          x.size());
  CHECK(any);
  CHECK(sum == 18);
  CHECK(count == 5);
  CHECK(product == 0);
  CHECK_FALSE(all);
  CHECK(squares == 112);
  CHECK(mean == 3);
  CHECK(variance == Approx(11.6));
  CHECK(deviation == Approx(3.10912635));
  CHECK(norm == Approx(10.5830052));
  CHECK(logarithm == Approx(7.70621193));
  CHECK(least == -1);
  CHECK(place == 1);
}

TEST_CASE("an initial value where the state is a number") {
  const std::vector<float> x = {2, 3, 0.5f};
  CHECK(result<float>(op::with_initial(op::product, -4), x) == -12);
  CHECK(result<float>(op::with_initial(op::sum_of_squares, 1), x) == 14.25f);
  CHECK(result<std::int64_t>(op::with_initial(op::count, 7), x) == 10);
  CHECK(result<bool>(op::with_initial(op::all, false), x) == false);
  CHECK(result<bool>(op::with_initial(op::any, true), std::vector<float>{0}) == true);
  CHECK(result<float>(op::with_initial(op::minimum, 1), x) == 0.5f);
  CHECK(result<float>(op::with_initial(op::maximum, 100), x) == 100);
  CHECK(std::isnan(result<float>(op::with_initial(op::maximum, NAN), x)));
  float dot = 0;
  on_host(op::zip(op::load(x.data()), op::load(x.data())) | op::reduce(op::with_initial(op::dot, 100), &dot), 3);
  CHECK(dot == 113.25f);
}

TEST_CASE("an initial value counts once, whatever n") {
  for (const std::size_t n : {0u, 1u, 2u, 3u, 4u, 5u, 255u, 256u, 257u, 1000000u}) {
    float r = -1;
    on_host(op::value(1.0f) | op::reduce(op::with_initial(op::sum, 5), &r), n);
    CHECK(r == static_cast<float>(n) + 5);
    std::int64_t count = -1;
    on_host(op::value(std::uint8_t{1}) | op::reduce(op::with_initial(op::sum, INT64_C(1) << 40), &count), n);
    CHECK(count == (INT64_C(1) << 40) + static_cast<std::int64_t>(n));
  }
}

namespace {

// How many values exceed a threshold.
struct count_above {
  float threshold;
  template <class T>
  ONEPASS_HD std::int64_t identity() const {
    return 0;
  }
  ONEPASS_HD std::int64_t lift(float x, const op::coordinate &) const { return x > threshold; }
  ONEPASS_HD std::int64_t combine(std::int64_t a, std::int64_t b) const { return a + b; }
  ONEPASS_HD double finish(std::int64_t count, std::int64_t n) const {
    return static_cast<double>(count) / static_cast<double>(n);
  }
};

// The same by groups; says how many groups there were.
struct count_groups {
  float threshold;
  struct state {
    std::int64_t count, groups;
  };
  template <class T>
  ONEPASS_HD state identity() const {
    return {0, 0};
  }
  ONEPASS_HD state combine(const state &a, const state &b) const { return {a.count + b.count, a.groups + b.groups}; }
  template <int N, op::access A>
  ONEPASS_HD state fold(state s, const op::pack<float, N> &v, const op::position<N, A> &at) const {
    for (int i = 0; i < N; ++i)
      if (at.has(i)) s.count += v[i] > threshold;
    ++s.groups;
    return s;
  }
  ONEPASS_HD cuda::std::tuple<std::int64_t, std::int64_t> finish(const state &s, std::int64_t) const {
    return {s.count, s.groups};
  }
};

// The centre of gravity, from the coordinates.
struct centroid {
  struct state {
    double mass, row, column;
  };
  template <class T>
  ONEPASS_HD state identity() const {
    return {0, 0, 0};
  }
  ONEPASS_HD state lift(float x, const op::coordinate &at) const {
    return {x, x * static_cast<double>(at.row), x * static_cast<double>(at.column)};
  }
  ONEPASS_HD state combine(const state &a, const state &b) const {
    return {a.mass + b.mass, a.row + b.row, a.column + b.column};
  }
  ONEPASS_HD cuda::std::tuple<double, double> finish(const state &s, std::int64_t) const {
    return {s.row / s.mass, s.column / s.mass};
  }
};

}  // namespace

TEST_CASE("a statistic of one's own") {
  const std::vector<float> x = {1, 5, 2, 6, 3, 7, 4, 0};
  CHECK(result<double>(count_above{3.5f}, x) == 0.5);
  std::int64_t count = 0, groups = 0;
  on_host(op::load(x.data()) | op::reduce(count_groups{3.5f}, &count, &groups), x.size());
  CHECK(count == 4);
  CHECK(groups == 2);
  double share = 0;
  float sum = 0;
  on_host(op::load(x.data()) |
              op::reduce(op::several(count_above{0}, op::sum, count_groups{5}), &share, &sum, &count, &groups),
          x.size());
  CHECK(share == 7.0 / 8);
  CHECK(sum == 28);
  CHECK(count == 2);
  CHECK(groups == 2);
}

TEST_CASE("a statistic may use the coordinate") {
  const std::vector<float> x = {0, 0, 2, 0, 0, 0, 0, 0, 0, 6};
  double row = 0, column = 0;
  on_host(op::load(x.data(), 5) | op::reduce(centroid{}, &row, &column), onepass_extent_2d(2, 5));
  CHECK(row == 0.75);
  CHECK(column == 3.5);
}

namespace {

// The sum of rows and columns.
struct places {
  static constexpr bool by_row = true;
  template <class T>
  ONEPASS_HD std::int64_t identity() const {
    return 0;
  }
  ONEPASS_HD std::int64_t lift(float, const op::coordinate &at) const { return 100 * at.row + at.column; }
  ONEPASS_HD std::int64_t combine(std::int64_t a, std::int64_t b) const { return a + b; }
  ONEPASS_HD std::int64_t finish(std::int64_t s, std::int64_t) const { return s; }
};

}  // namespace

TEST_CASE("a statistic that asks for rows gets its place in two dimensions, alone and among several") {
  const std::vector<float> x(6, 1.0f);
  std::int64_t alone = 0, among = 0;
  float sum = 0;
  const auto shape = onepass_extent_2d(2, 3);
  on_host(op::load(x.data()) | op::reduce(places{}, &alone), shape);
  on_host(op::load(x.data()) | op::reduce(op::several(op::sum, places{}), &sum, &among), shape);
  CHECK(alone == 300 + 2 * (0 + 1 + 2));
  CHECK(among == alone);
  CHECK(sum == 6);
}
