// SPDX-License-Identifier: Apache-2.0
// log_sum_exp: infinities, NaN, offsets, and its error against long double.
#include <onepass/statistic/log_sum_exp.cuh>

#include <cstdint>
#include <limits>
#include <type_traits>

#include "catch.hpp"
#include "result.hpp"

namespace op = onepass;
using namespace test;

namespace {

const float inf = std::numeric_limits<float>::infinity(), not_number = std::numeric_limits<float>::quiet_NaN();
const float most = std::numeric_limits<float>::max();

float of(const std::vector<float> &x) { return result<float>(op::log_sum_exp, x); }

template <class T>
long double exact(const std::vector<T> &x) {
  long double greatest = -HUGE_VALL, sum = 0;
  for (const T y : x) greatest = std::max(greatest, value(y));
  for (const T y : x) sum += std::exp(value(y) - greatest);
  return greatest + std::log(sum);
}

// The error, less half an ulp of the result.
template <class T, class R = std::conditional_t<std::is_same_v<T, double>, double, float>>
long double error(const std::vector<T> &x) {
  const long double e = exact(x);
  return std::fabs(value(result<R>(op::log_sum_exp, x)) - e) - ulp<R>(e) / 2;
}

}  // namespace

TEST_CASE("log_sum_exp of values that e^x does not reach") {
  CHECK(of({1000, 1000}) == 1000.693147f);
  CHECK(of({-1000, -1000}) == -999.306853f);
  CHECK(of({-inf, -inf, 2}) == 2);
  CHECK(of({1e30f, -1e30f, 3}) == 1e30f);
  CHECK(of({most, most, -most}) == most);
  CHECK(of({-most, -most}) == -most);
  CHECK(of({-most}) == -most);
  CHECK(of({0.1f}) == 0.1f);
  CHECK(result<double>(op::log_sum_exp, std::vector<double>{-1e5, -1e5}) == Approx(-1e5 + std::log(2)).epsilon(1e-16));
  CHECK(result<double>(op::log_sum_exp, std::vector<std::int32_t>{1000, 1000}) ==
        Approx(1000.69314718056).epsilon(1e-14));
  CHECK(value(result<f16>(op::log_sum_exp, std::vector<f16>(512, nearest<f16>(1)))) ==
        rounded<f16>(1 + std::log(512.0L)));
}

TEST_CASE("log_sum_exp of infinities: never inf - inf") {
  CHECK(of({}) == -inf);
  for (const std::size_t n : {1u, 2u, 4u, 5u, 2048u}) CHECK(of(std::vector<float>(n, -inf)) == -inf);
  CHECK(result<double>(op::log_sum_exp, std::vector<double>(9, -infinity)) == -infinity);
  CHECK(of({0, inf}) == inf);
  CHECK(of({inf, -inf}) == inf);
  CHECK(of({inf, inf, inf, inf, inf}) == inf);
  CHECK(of({most, inf, most, 1, 2, 3}) == inf);
  for (const std::size_t n : {1u, 3u, 9u, 40u}) {
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<float> x(n, -inf);
      x[i] = 5;
      CHECK(of(x) == 5);
      x[n - 1 - i] = inf;
      CHECK(of(x) == inf);
      x[(i + 5) % n] = not_number;
      CHECK(std::isnan(of(x)));
      x.assign(n, -inf);
      x[i] = not_number;
      CHECK(std::isnan(of(x)));
    }
  }
  std::vector<float> masked(4096, -inf);
  masked[4095] = 0;
  CHECK(of(masked) == 0);
  masked[4095] = -inf;
  masked[0] = masked[2048] = -5;
  CHECK(of(masked) == -4.306853f);
  std::fill(masked.begin(), masked.begin() + 1024, -inf);
  std::fill(masked.begin() + 1024, masked.end(), 0.0f);
  CHECK(of(masked) == 8.030084f);
}

// The library's 2^x is within 1 ulp here; on a device within 2.
TEST_CASE("the error of log_sum_exp: 4e-7, and half an ulp") {
  for (const std::size_t n : {1u, 2u, 3u, 7u, 100u, 4096u, 100003u}) {
    for (const double offset : {0.0, -50.0, 300.0, 1e5}) {
      for (const double spread : {1e-3, 1.0, 10.0, 60.0, 1000.0}) {
        const std::vector<float> x = uniform<float>(n, offset - spread, offset + spread);
        INFO("n = " << n << ", " << offset << " +- " << spread);
        CHECK(error(x) < 4e-7L);
      }
    }
  }
  const std::vector<double> d = uniform<double>(4096, -20, 20);
  CHECK(error(d) < 3e-16L);
}

// Each new maximum may move the base; a slow rise must not add up its errors.
TEST_CASE("the error of log_sum_exp of values that rise or fall") {
  for (const double step : {1e-5, 1e-3, 0.1, 0.3, 1.1, 7.0}) {
    std::vector<float> x(20000);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(static_cast<double>(i) * step);
    INFO("step " << step);
    CHECK(error(x) < 4e-7L);
    std::reverse(x.begin(), x.end());
    CHECK(error(x) < 4e-7L);
  }
}

// As a thread of a device takes its share of 2^28 values, group after group into one state.
TEST_CASE("the error of log_sum_exp of one long state: 1e-6") {
  const op::detail::log_sum_exp_statistic s;
  for (const double step : {0.0, 1e-5, 1e-3, 0.1, 0.3, 1.1, 7.0, -1e-3, -0.3}) {
    std::vector<float> x(1328);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(static_cast<double>(i) * step);
    auto state = s.identity<float>();
    for (std::size_t i = 0; i < x.size(); i += 4)
      state = s.fold(state, op::pack<float, 4>{{x[i], x[i + 1], x[i + 2], x[i + 3]}}, op::place_whole<4>(0, 0, 4));
    INFO("step " << step);
    CHECK(std::fabs(s.finish(state, 1328) - exact(x)) < ulp<float>(exact(x)) / 2 + 1e-6L);
  }
}
