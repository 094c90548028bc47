// SPDX-License-Identifier: Apache-2.0
// norm2 against long double over the whole range of the types.
#include <onepass/statistic/norm.cuh>

#include <cstdint>
#include <limits>
#include <type_traits>

#include "catch.hpp"
#include "result.hpp"

namespace op = onepass;
using namespace test;

namespace {

const float inf = std::numeric_limits<float>::infinity(), not_number = std::numeric_limits<float>::quiet_NaN();

template <class T>
auto norm(const std::vector<T> &x) {
  return result<decltype(op::norm2.finish(op::norm2.identity<T>(), 0))>(op::norm2, x);
}
float norm(std::initializer_list<float> x) { return norm(std::vector<float>(x)); }

// The error in ulp.
template <class T>
double norm_error(const std::vector<T> &x) {
  long double exact = 0;
  for (const T y : x) exact += value(y) * value(y);
  const auto r = norm(x);
  return error_in_ulp(static_cast<std::conditional_t<std::is_same_v<T, double>, double, float>>(r), std::sqrt(exact));
}

}  // namespace

TEST_CASE("norms that overflow or underflow as sums of squares") {
  CHECK(norm({1e20f, 1, 1}) == 1e20f);
  CHECK(norm({1e-30f, 1e-30f}) == 1.41421356e-30f);
  CHECK(norm({3e-40f, 4e-40f}) == Approx(5e-40f).epsilon(1e-5));
  CHECK(norm({1e-45f}) == 1e-45f);
  CHECK(norm({std::numeric_limits<float>::max()}) == std::numeric_limits<float>::max());
  CHECK(norm({3e38f, 3e38f}) == inf);
  CHECK(norm(std::vector<double>{1e200, 1e200}) == Approx(1.4142135623730951e200).epsilon(1e-15));
  CHECK(norm(std::vector<double>{1e-300, 1e-300}) == Approx(1.4142135623730951e-300).epsilon(1e-15));
  CHECK(norm(std::vector<double>{5e-324}) == 5e-324);
  CHECK(value(result<f16>(op::norm2, std::vector<f16>{nearest<f16>(600), nearest<f16>(800)})) == 1000);
  CHECK(value(result<f16>(op::norm2, std::vector<f16>(3, nearest<f16>(200)))) == 346.5);
}

TEST_CASE("norms of zeros, of infinities and of NaN") {
  CHECK(same(norm({}), 0));
  CHECK(same(norm({0, -0.0f, 0, 0, 0, 0, 0}), 0));
  CHECK(same(norm(std::vector<double>(9)), 0));
  for (const std::size_t n : {1u, 4u, 7u, 300u}) {
    for (std::size_t i = 0; i < n; i += 1 + n / 9) {
      std::vector<float> x(n, 1e-42f);
      x[i] = -inf;
      CHECK(norm(x) == inf);
      x[n - 1 - i] = inf;
      CHECK(norm(x) == inf);
      x[(i + 3) % n] = not_number;
      CHECK(std::isnan(norm(x)));
      x.assign(n, 0);
      x[i] = not_number;
      CHECK(std::isnan(norm(x)));
    }
  }
}

TEST_CASE("norms of integers are f64") {
  static_assert(std::is_same_v<decltype(norm(std::vector<std::int8_t>{})), double>);
  CHECK(norm(std::vector<std::int16_t>{0, 0, 256}) == 256);
  CHECK(norm(std::vector<std::int8_t>(4, 100)) == 200);
  CHECK(norm(std::vector<std::int8_t>(100, -128)) == 1280);
  CHECK(norm(std::vector<std::uint16_t>(10000, 65535)) == 6553500);
  CHECK(norm(std::vector<std::int32_t>(4, INT32_MIN)) == 4294967296.0);
  CHECK(norm(std::vector<std::uint64_t>(4, UINT64_MAX)) == 36893488147419103232.0);
  const bool bits[] = {true, false, true, true, true};
  double r = 0;
  on_host(op::load(bits) | op::reduce(op::norm2, &r), 5);
  CHECK(r == 2);
}

// Exponents spread over all, over those near a bound between accumulators, and over a few.
TEST_CASE("the error of a norm, wherever its values lie: 0.95 ulp") {
  worst w, w64;
  for (const std::size_t n : {1u, 2u, 3u, 5u, 8u, 33u, 1000u}) {
    for (int low = -149; low < 118; low += 3) {
      for (const int width : {1, 4, 40, 200}) {
        if (low + width <= 122) w.add(norm_error(log_uniform<float>(n, low, low + width, 7)), low + width / 1000.0L);
      }
    }
    for (int low = -1074; low < 990; low += 37) {
      for (const int width : {1, 9, 100, 1000}) {
        if (low + width <= 1012) w64.add(norm_error(log_uniform<double>(n, low, low + width, 7)), low);
      }
    }
  }
  CHECK(w <= 0.95);
  CHECK(w64 <= 0.95);
}

TEST_CASE("the error of a long norm: 0.75 ulp") {
  CHECK(norm_error(uniform<float>(999983, -1, 1)) <= 0.75);
  CHECK(norm_error(uniform<float>(999983, 0, 1e-30)) <= 0.75);
  CHECK(norm_error(uniform<float>(999983, 0, 1e30)) <= 0.75);
  CHECK(norm_error(uniform<double>(99991, 0, 1e-300)) <= 0.75);
}

TEST_CASE("many values that are all beyond the middle add up without overflow or underflow") {
  const std::size_t n = std::size_t{1} << 24;
  CHECK(result_of_equal<float>(op::norm2, 0x1p115f, n) == 0x1p127f);
  CHECK(result_of_equal<float>(op::norm2, 0x1p-149f, n) == 0x1p-137f);
  CHECK(result_of_equal<float>(op::norm2, 0x1p40f, n) == 0x1p52f);
}
