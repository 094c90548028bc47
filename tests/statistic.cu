// SPDX-License-Identifier: Apache-2.0
// The values of the statistics against long double, for every type; a user's own. Their laws: statistic_laws.cu.
#include <onepass/statistic.cuh>

#include <cstdint>
#include <limits>
#include <numeric>
#include <type_traits>

#include "catch.hpp"
#include "util.hpp"

namespace op = onepass;
using namespace test;

namespace {

const float inf = std::numeric_limits<float>::infinity(), not_number = std::numeric_limits<float>::quiet_NaN();

// The result of an array, in memory that held something else.
template <class R, class S, class T>
R result(const S &s, const std::vector<T> &x) {
  R r;
  std::memset(static_cast<void *>(&r), 0x33, sizeof(R));
  on_host(op::load(x.data()) | op::reduce(s, &r), x.size());
  return r;
}

}  // namespace

TEST_CASE("sums of integers are 64-bit of the same signedness") {
  static_assert(std::is_same_v<decltype(op::sum.identity<std::int8_t>()), op::int64_t>);
  static_assert(std::is_same_v<decltype(op::sum.identity<std::uint8_t>()), op::uint64_t>);
  static_assert(std::is_same_v<decltype(op::sum.identity<bool>()), op::int64_t>);
  static_assert(std::is_same_v<decltype(op::sum_of_squares.identity<std::uint32_t>()), op::uint64_t>);
  CHECK(result<std::int32_t>(op::sum, std::vector<std::int8_t>(1000, 127)) == 127000);
  CHECK(result<std::int32_t>(op::sum, std::vector<std::uint8_t>(1000, 255)) == 255000);
  CHECK(result<std::int64_t>(op::sum, std::vector<std::int32_t>(4, 1 << 30)) == INT64_C(1) << 32);
  CHECK(result<std::int64_t>(op::sum, std::vector<std::int32_t>(3, INT32_MIN)) == -3 * (INT64_C(1) << 31));
  CHECK(result<std::uint64_t>(op::sum, std::vector<std::uint64_t>{UINT64_C(1) << 63, (UINT64_C(1) << 62) + 1}) ==
        (UINT64_C(3) << 62) + 1);
  CHECK(result<std::int64_t>(op::sum, std::vector<std::int64_t>{(INT64_C(1) << 53) + 1, 1, 1}) ==
        (INT64_C(1) << 53) + 3);
  CHECK(result<std::int64_t>(op::sum_of_squares, std::vector<std::int8_t>(1000, -128)) == 16384000);
  CHECK(result<std::uint64_t>(op::sum_of_squares, std::vector<std::uint32_t>{UINT32_MAX}) ==
        UINT64_C(0xfffffffe00000001));
  CHECK(result<std::int64_t>(op::sum_of_squares, std::vector<std::int64_t>{INT64_C(-3037000499)}) ==
        INT64_C(9223372030926249001));
}

TEST_CASE("sums of floats stay exact where the sum is") {
  const auto sum_of = [](float x, std::size_t n) {
    float r = -1;
    on_host(op::value(x) | op::reduce(op::sum, &r), n);
    return r;
  };
  CHECK(sum_of(1, 16777218) == 16777218);
  CHECK(sum_of(-1, 4500 * 4500) == -20250000);
  CHECK(sum_of(100, 1000000) == 100000000);
  CHECK(value(result<f16>(op::sum, std::vector<f16>(20000, nearest<f16>(1)))) == 20000);
  CHECK(value(result<bf16>(op::sum, std::vector<bf16>(70000, nearest<bf16>(1)))) ==
        70144);  // the bf16 nearest to 70000
}

TEST_CASE("sums keep subnormals") {
  std::vector<float> x(1000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = i % 2 ? 1e-40f : -1e-40f;
  float r = 0;
  on_host(op::load(x.data()) | op::abs | op::reduce(op::sum, &r), x.size());
  CHECK(r == static_cast<float>(1000 * value(1e-40f)));
  CHECK(result<float>(op::sum, std::vector<f16>(1000, nearest<f16>(6e-8L))) ==
        static_cast<float>(1000 * rounded<f16>(6e-8L)));
}

namespace {

// The error of a sum relative to the sum of absolute values, in units of the type's rounding.
template <class T>
double sum_error(const std::vector<T> &x) {
  long double exact = 0, size = 0;
  for (const T y : x) {
    exact += value(y);
    size += std::fabs(value(y));
  }
  return static_cast<double>(std::fabs(value(result<T>(op::sum, x)) - exact) / size *
                             std::scalbn(1.0L, format<T>::digits));
}

}  // namespace

TEST_CASE("the error of a sum grows with the logarithm of n") {
  for (const std::size_t n : {std::size_t{1000}, std::size_t{1} << 17, std::size_t{999983}}) {
    const double bound = std::log2(static_cast<double>(n)) / 16;
    CHECK(sum_error(uniform<float>(n, 0, 1)) <= bound);
    CHECK(sum_error(uniform<float>(n, -1, 1)) <= bound);
    CHECK(sum_error(uniform<double>(n, 0, 1)) <= bound);
  }
}

TEST_CASE("sums of infinities") {
  CHECK(result<float>(op::sum, std::vector<float>{1, inf, 2, 3, 4, 5}) == inf);
  CHECK(result<float>(op::sum, std::vector<float>{1, 2, 3, 4, -inf, -inf, 7}) == -inf);
  CHECK(std::isnan(result<float>(op::sum, std::vector<float>{inf, 1, 2, 3, 4, -inf})));
  CHECK(result<float>(op::sum_of_squares, std::vector<float>{1, -inf, 2}) == inf);
  CHECK(result<double>(op::sum, std::vector<double>{-infinity}) == -infinity);
}

namespace {

// All extremes of an array in one pass.
template <class T>
struct extremes {
  T least, greatest, at_index;
  std::int64_t index = -7;
  explicit extremes(const std::vector<T> &x) {
    on_host(op::load(x.data()) |
                op::reduce(op::several(op::minimum, op::maximum, op::argmax), &least, &greatest, &at_index, &index),
            x.size());
  }
};

// One value that differs, at every place of arrays of every length.
template <class T>
void extremes_of(T low, T middle, T high) {
  for (std::size_t n = 1; n < 40; n += 1 + n / 9) {
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<T> x(n, middle);
      x[i] = low;
      CHECK(value(extremes<T>(x).least) == value(low));
      x[i] = high;
      const extremes<T> e(x);
      CHECK(value(e.greatest) == value(high));
      CHECK(value(e.at_index) == value(high));
      CHECK(e.index == static_cast<std::int64_t>(i));
    }
  }
}

template <class T>
void extremes_of_integers() {
  using limits = std::numeric_limits<T>;
  extremes_of<T>(limits::min(), static_cast<T>(limits::max() - 1), limits::max());
  extremes_of<T>(static_cast<T>(limits::max() - 2), static_cast<T>(limits::max() - 1), limits::max());
}

}  // namespace

TEST_CASE("minimum, maximum and argmax of every type") {
  extremes_of_integers<std::uint8_t>();
  extremes_of_integers<std::int32_t>();
  extremes_of_integers<std::int64_t>();
  extremes_of<f16>(nearest<f16>(-HUGE_VALL), nearest<f16>(1), nearest<f16>(HUGE_VALL));
  extremes_of<float>(1.0f, std::nextafter(1.0f, 2.0f), 2);
  extremes_of<double>(-infinity, 0, 1e-320);
}

TEST_CASE("extremes of infinities alone, of zeros and of subnormals") {
  const auto alone = [](auto x) {
    using T = decltype(x);
    for (const std::size_t n : {1u, 10u, 300u}) {
      const extremes<T> e(std::vector<T>(n, x));
      CHECK(value(e.least) == value(x));
      CHECK(value(e.greatest) == value(x));
      CHECK(value(e.at_index) == value(x));
      CHECK(e.index == 0);
    }
  };
  for (const long double x : {HUGE_VALL, -HUGE_VALL}) {
    alone(nearest<f16>(x));
    alone(nearest<float>(x));
    alone(nearest<double>(x));
  }
  const extremes<float> zeros({0.0f, -0.0f, 0.0f, -0.0f, 0.0f});
  CHECK(std::signbit(zeros.least));
  CHECK_FALSE(std::signbit(zeros.greatest));
  CHECK(zeros.index == 0);  // zeros are equal
  const extremes<float> small({1e-45f, 3e-45f, 3e-45f, 1e-45f});
  CHECK(small.least == 1e-45f);
  CHECK(small.greatest == 3e-45f);
  CHECK(small.index == 1);
}

TEST_CASE("NaN wins at every place, the first one in argmax") {
  const auto check = [](auto type) {
    using T = decltype(type);
    for (const std::size_t n : {1u, 4u, 5u, 16u, 37u}) {
      for (std::size_t i = 0; i < n; ++i) {
        std::vector<T> x(n, nearest<T>(2));
        x[0] = nearest<T>(HUGE_VALL);
        for (std::size_t k = i; k < n; k += 3) x[k] = nearest<T>(std::nanl(""));
        const extremes<T> e(x);
        CHECK(std::isnan(value(e.least)));
        CHECK(std::isnan(value(e.greatest)));
        CHECK(std::isnan(value(e.at_index)));
        CHECK(e.index == static_cast<std::int64_t>(i));
      }
    }
  };
  check(f16{});
  check(float{});
  check(double{});
}

TEST_CASE("argmax takes the lowest index of equal values") {
  std::mt19937 bits(3);
  for (int round = 0; round < 300; ++round) {
    std::vector<float> x(1 + bits() % 50);
    for (float &y : x) {
      const unsigned k = bits() % 8;
      y = k == 0                     ? -inf
          : k == 1 && round % 3 == 0 ? not_number
          : k == 2                   ? -0.0f
          : k == 3                   ? 0.0f
                                     : static_cast<float>(k % 3) - 1;
    }
    std::size_t expected = 0;
    for (std::size_t i = 1; i < x.size(); ++i)
      if (!std::isnan(x[expected]) && (std::isnan(x[i]) || x[i] > x[expected])) expected = i;
    float v = 0;
    std::int64_t at = -7;
    on_host(op::load(x.data()) | op::reduce(op::argmax, &v, &at), x.size());
    CHECK(at == static_cast<std::int64_t>(expected));
    CHECK(same(v, x[expected]));
  }
  std::int64_t at = -7;
  float v = 0;
  on_host(op::value(-inf) | op::reduce(op::argmax, &v, &at), 1000);
  CHECK(at == 0);
  CHECK(v == -inf);
}

TEST_CASE("argmax compares before it converts, and counts along the rows") {
  const std::vector<float> x = {1.2f, 1.9f, 1.5f, 1.8f, 1.7f, 1.6f};
  std::int32_t v = 0;
  std::uint8_t at = 0;
  on_host(op::load(x.data()) | op::reduce(op::argmax, &v, &at), onepass_extent_2d(2, 3));
  CHECK(v == 2);
  CHECK(at == 1);
  const std::vector<float> padded = {1, 2, 99, 3, 0, 99};
  std::int64_t index = 0;
  on_host(op::load(padded.data(), 3) | op::reduce(op::argmax, &v, &index), onepass_extent_2d(2, 2));
  CHECK(index == 2);  // row 1, column 0
  CHECK(v == 3);
}

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

TEST_CASE("an initial value counts once, whatever n") {
  for (const std::size_t n : {0u, 1u, 2u, 3u, 4u, 5u, 255u, 256u, 257u, 100003u}) {
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
