// SPDX-License-Identifier: Apache-2.0
// mean, variance, standard_deviation and mean_variance against long double.
#include <onepass/statistic/moments.cuh>

#include <cstdint>
#include <limits>
#include <type_traits>

#include "catch.hpp"
#include "result.hpp"

namespace op = onepass;
using namespace test;

namespace {

const float inf = std::numeric_limits<float>::infinity(), not_number = std::numeric_limits<float>::quiet_NaN();

}  // namespace

namespace {

struct moments {
  long double mean, variance;
};

template <class T>
moments exact_moments(const std::vector<T> &x) {
  const auto n = static_cast<long double>(x.size());
  long double mean = 0, squares = 0;
  for (const T y : x) mean += value(y) / n;
  for (const T y : x) squares += (value(y) - mean) * (value(y) - mean);
  return {mean, squares / n};
}

template <class R = double, class T>
moments moments_of(const std::vector<T> &x) {
  R mean = -7, variance = -7;
  on_host(op::load(x.data()) | op::reduce(op::mean_variance, &mean, &variance), x.size());
  return {mean, variance};
}

}  // namespace

TEST_CASE("the variance of a constant is exactly zero") {
  for (const float c : {10000.1f, 0.1f, -1.0f / 3, 1e30f, -3e38f, 1e-40f, 16777217.0f, 0.0f}) {
    for (const std::size_t n : {1u, 2u, 3u, 5u, 7u, 16u, 63u, 1000u, 3001u, 5000u}) {
      const moments m = moments_of<float>(std::vector<float>(n, c));
      INFO(c << " x " << n);
      CHECK(m.mean == c);
      CHECK(same(m.variance, 0));
    }
  }
  CHECK(moments_of(std::vector<double>(3001, 0.1)).variance == 0);
  CHECK(moments_of(std::vector<bf16>(70000, nearest<bf16>(1))).mean == 1);
  CHECK(moments_of(std::vector<bf16>(70000, nearest<bf16>(1))).variance == 0);
}

TEST_CASE("mean and variance with a large offset") {
  for (const float offset : {0.0f, 100.0f, 1000.0f, 10000.0f}) {
    std::vector<float> x(16);
    for (std::size_t i = 0; i < 16; ++i)
      x[i] = static_cast<float>(static_cast<double>(offset) + static_cast<double>(i) * 1e-3);
    const moments m = moments_of<float>(x), exact = exact_moments(x);
    INFO("offset " << offset);
    if (offset == 100) CHECK(static_cast<double>(exact.variance) == Approx(2.12567e-5).epsilon(1e-5));
    CHECK(std::fabs(m.variance / exact.variance - 1) < 3e-7L);
    CHECK(error_in_ulp(static_cast<float>(m.mean), exact.mean) <= 1);
  }
  const moments m = moments_of<float>(std::vector<float>{2000, 2000.5f, 2001, 2003});
  CHECK(m.mean == 2001.125L);
  CHECK(m.variance == 1.296875L);
}

TEST_CASE("mean and variance of many values") {
  for (const double offset : {0.0, 5.0, -300.0, 1e4}) {
    for (const std::size_t n : {7u, 1000u, 99991u}) {
      const std::vector<float> x = uniform<float>(n, offset - 1, offset + 1);
      const moments m = moments_of<float>(x), exact = exact_moments(x);
      INFO("n = " << n << ", offset " << offset);
      CHECK(std::fabs(m.variance / exact.variance - 1) < 3e-7L);
      CHECK(std::fabs(m.mean - exact.mean) < 2e-7L * (1 + std::fabs(exact.mean)));
      const std::vector<double> d(x.begin(), x.end());
      CHECK(std::fabs(moments_of(d).variance / exact.variance - 1) < 1e-15L);
    }
  }
}

TEST_CASE("mean and variance of integers are computed in f64") {
  static_assert(std::is_same_v<decltype(op::mean_variance.identity<std::uint8_t>().squares), double>);
  const moments a = moments_of(std::vector<std::uint8_t>{200, 10});
  CHECK(a.mean == 105);
  CHECK(a.variance == 9025);
  CHECK(moments_of(std::vector<std::uint8_t>{250, 250}).mean == 250);
  const moments b = moments_of(std::vector<std::int32_t>{INT32_MIN, INT32_MAX});
  CHECK(b.mean == -0.5L);
  CHECK(b.variance == 4611686016279904256.0L);  // (2^32 - 1)^2 / 4 in f64
}

TEST_CASE("mean and variance of one value, of nothing, of infinities and of NaN") {
  CHECK(moments_of<float>(std::vector<float>{-3.5f}).mean == -3.5L);
  CHECK(same(moments_of<float>(std::vector<float>{-3.5f}).variance, 0));
  CHECK(std::isnan(moments_of<float>(std::vector<float>{}).mean));
  CHECK(std::isnan(moments_of<float>(std::vector<float>{}).variance));
  for (const std::size_t n : {1u, 2u, 4u, 5u, 9u, 40u}) {
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<float> x(n, 2);
      x[i] = inf;
      CHECK(moments_of<float>(x).mean == HUGE_VALL);
      CHECK(!std::isfinite(moments_of<float>(x).variance));
      x[i] = -inf;
      CHECK(moments_of<float>(x).mean == -HUGE_VALL);
      x[n - 1 - i] = inf;
      CHECK(
          (n == 1 || 2 * i + 1 == n ? moments_of<float>(x).mean == HUGE_VALL : std::isnan(moments_of<float>(x).mean)));
      x[i] = not_number;
      CHECK(std::isnan(moments_of<float>(x).mean));
      CHECK(std::isnan(moments_of<float>(x).variance));
    }
  }
}

TEST_CASE("the mean of values near the ends of f32") {
  const float greatest = std::numeric_limits<float>::max();
  CHECK(moments_of<float>(std::vector<float>{1e30f, -1e30f, 2e30f, -2e30f}).mean == 0);
  CHECK(moments_of<float>(std::vector<float>{greatest, -greatest}).mean == 0);
  CHECK(moments_of<float>(std::vector<float>(10, greatest)).mean == greatest);
}

TEST_CASE("variance, standard deviation and mean alone are those of mean_variance") {
  for (const std::size_t n : {0u, 1u, 3u, 4u, 1001u}) {
    const std::vector<float> x = uniform<float>(n, 100, 101);
    const moments m = moments_of<float>(x);
    CHECK(same(result<float>(op::variance, x), m.variance));
    CHECK(same(result<float>(op::standard_deviation, x), static_cast<float>(std::sqrt(m.variance))));
    const float mean = result<float>(op::mean, x);
    CHECK((n == 0 ? std::isnan(mean) : error_in_ulp(mean, m.mean) <= 1));
  }
}

TEST_CASE("a variance with a correction") {
  const auto all = [](const std::vector<float> &x, auto correction, long double expected) {
    float mean = -7, variance = -7;
    on_host(op::load(x.data()) | op::reduce(op::mean_variance(correction), &mean, &variance), x.size());
    CHECK(same(variance, expected));
    CHECK(same(mean, x.empty() ? std::nanl("") : exact_moments(x).mean));
    CHECK(same(result<float>(op::variance(correction), x), expected));
    CHECK(same(result<float>(op::standard_deviation(correction), x), static_cast<float>(std::sqrt(expected))));
  };
  const long double nan = std::nanl("");
  all({2}, 0, 0);
  all({2}, 1, nan);  // 0 / 0
  all({}, 0, nan);
  all({}, 1, nan);
  all({1, 2, 3}, 0, 2.0f / 3);
  all({1, 2, 3}, 1, 1);
  all({1, 2, 3}, 2, 2);
  all({1, 2, 3}, 3, HUGE_VALL);  // 2 / 0
  all({1, 2, 3}, 4, HUGE_VALL);
  all({4, 4, 4}, 4, nan);
  all({1, 2, 3}, 2.5, 4);
  all({1, 2, 3}, -1, 0.5L);
  CHECK(result<double>(op::variance(1), std::vector<std::uint8_t>{200, 10}) == 18050);
}

TEST_CASE("means of floats: as exact as their sums") {
  CHECK(result_of_equal<float>(op::mean, -1.0f, 4500 * 4500) == -1);
  CHECK(result_of_equal<float>(op::mean, 1.0f, (std::size_t{1} << 24) + 3) == 1);
  CHECK(value(result<bf16>(op::mean, std::vector<bf16>(70000, nearest<bf16>(1)))) == 1);
  CHECK(value(result<f16>(op::mean, std::vector<f16>(70000, nearest<f16>(65504)))) == 65504);
  CHECK(std::isnan(result<float>(op::mean, std::vector<float>{})));
  CHECK(result<float>(op::mean, std::vector<float>{1, inf, 2}) == inf);
  CHECK(std::isnan(result<float>(op::mean, std::vector<float>{inf, -inf})));
  for (const std::size_t n : {7u, 1000u, 99991u}) {
    const std::vector<float> x = uniform<float>(n, 0, 1);
    CHECK(error_in_ulp(result<float>(op::mean, x), exact_moments(x).mean) <= 2);
  }
}

TEST_CASE("means of integers: the exact sum, divided in f64") {
  static_assert(std::is_same_v<decltype(op::mean.finish(op::mean.identity<std::uint8_t>(), 1)), double>);
  CHECK(result<double>(op::mean, std::vector<std::uint8_t>{250, 250}) == 250);
  CHECK(result<double>(op::mean, std::vector<std::int8_t>{-128, -127}) == -127.5);
  CHECK(result<double>(op::mean, std::vector<std::int64_t>{(INT64_C(1) << 53) + 1, -(INT64_C(1) << 53), 0, 0}) == 0.25);
  CHECK(result<double>(op::mean, std::vector<std::uint32_t>(5, UINT32_MAX)) == UINT32_MAX);
  CHECK(result<float>(op::mean, std::vector<std::int32_t>{1, 2}) == 1.5f);
  CHECK(std::isnan(result<double>(op::mean, std::vector<std::int32_t>{})));
}
