// SPDX-License-Identifier: Apache-2.0
// cast<T> is the rounding of a store to T and a load back, in the type that T computes in.
#include <onepass/stage/cast.cuh>

#include <cstdint>
#include <limits>
#include <type_traits>

#include "catch.hpp"
#include "util.hpp"

namespace op = onepass;
using namespace test;

static_assert(std::is_same_v<behind<float, decltype(op::cast<bf16>())>, float>);
static_assert(std::is_same_v<behind<double, decltype(op::cast<f16>())>, float>);
static_assert(std::is_same_v<behind<float, decltype(op::cast<double>())>, double>);
static_assert(std::is_same_v<behind<float, decltype(op::cast<std::uint8_t>())>, std::uint8_t>);
static_assert(std::is_same_v<behind<float, decltype(op::cast<std::uint8_t>() | op::add(1))>, int>);
static_assert(std::is_same_v<behind<std::int64_t, decltype(op::cast<bool>())>, bool>);

namespace {

// A cast against a store and a load, over x.
template <class T, class In>
int different(const std::vector<In> &x) {
  std::vector<T> stored(x.size());
  on_host(op::load(x.data()) | op::store(stored.data()), x.size());
  using C = behind<In, decltype(op::cast<T>())>;
  const std::vector<C> cast = through<C>(x, op::cast<T>()), twice = through<C>(x, op::cast<T>() | op::cast<T>());
  int n = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    n += !same(value(cast[i]), value(stored[i]));
    n += !same(value(twice[i]), value(cast[i]));
  }
  return n;
}

}  // namespace

TEST_CASE("a cast is a store and a load") {
  const std::vector<float> f32 = sweep<float>(1 << 14);
  CHECK(different<f16>(f32) == 0);
  CHECK(different<bf16>(f32) == 0);
  CHECK(different<double>(f32) == 0);
  CHECK(different<std::int8_t>(f32) == 0);
  CHECK(different<std::int64_t>(f32) == 0);
  const std::vector<double> f64 = sweep<double>(1 << 14);
  CHECK(different<bf16>(f64) == 0);
  CHECK(different<float>(f64) == 0);
  CHECK(different<std::uint8_t>(f64) == 0);
  const std::vector<std::int64_t> i64 = {
      0, 1, -1, 127, 128, 300, -200, INT32_MAX, INT64_MAX, INT64_MIN, (INT64_C(1) << 53) + 1};
  CHECK(different<std::uint8_t>(i64) == 0);
  CHECK(different<std::int32_t>(i64) == 0);
  CHECK(different<float>(i64) == 0);
  CHECK(different<f16>(i64) == 0);
}

TEST_CASE("a cast to 16 bits rounds every value to nearest even") {
  const std::vector<float> x = sweep<float>();
  const std::vector<float> halves = through<float>(x, op::cast<f16>()), bfloat = through<float>(x, op::cast<bf16>());
  int wrong = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    wrong += !same(halves[i], rounded<f16>(x[i])) + !same(bfloat[i], rounded<bf16>(x[i]));
  CHECK(wrong == 0);
}

TEST_CASE("a cast states the rounding of an unfused chain") {
  // 256 + 1 is a tie of bf16 that goes to 256; 256 + 3 is one that goes to 260. Without the cast the sum stays in f32.
  const std::vector<bf16> x = {nearest<bf16>(1), nearest<bf16>(3)};
  CHECK(through<float>(x, op::add(256)) == std::vector<float>{257, 259});
  CHECK(through<float>(x, op::add(256) | op::cast<bf16>() | op::subtract(256)) == std::vector<float>{0, 4});
}

TEST_CASE("in front of a cast to 16 bits stages compute as in front of a store") {
  const std::vector<float> x = uniform<float>(1 << 14, -8, 8);
  const auto narrow = op::gelu | op::multiply(3);
  std::vector<bf16> stored(x.size());
  std::vector<float> seen(x.size());
  on_host(op::load(x.data()) | narrow | op::store(stored.data()), x.size());
  const std::vector<float> cast = through<float>(x, narrow | op::cast<bf16>());
  int wrong = 0;
  for (std::size_t i = 0; i < x.size(); ++i) wrong += !same(cast[i], value(stored[i]));
  CHECK(wrong == 0);
  // What an f32 tee in front of the cast sees is as exact as ever.
  on_host(op::load(x.data()) | op::gelu | op::tee(op::store(seen.data())) | op::cast<bf16>() | op::store(stored.data()),
          x.size());
  const std::vector<float> exact = through<float>(x, op::gelu),
                           rounded_later = through<float>(x, op::gelu | op::cast<float>());
  for (std::size_t i = 0; i < x.size(); ++i) wrong += !same(seen[i], exact[i]) + !same(rounded_later[i], exact[i]);
  CHECK(wrong == 0);
  using bf16_store = decltype(op::store(stored.data()));
  using f32_tee = decltype(op::tee(op::store(seen.data())));
  namespace od = op::detail;
  using rounds = decltype(op::cast<f16>());
  using sum = decltype(op::reduce(op::sum, seen.data()));
  CHECK(std::is_same_v<od::math_before<od::full_math, rounds, sum>, od::narrow_math>);
  CHECK(std::is_same_v<od::math_before<od::full_math, rounds, f32_tee, bf16_store>, od::narrow_math>);
  CHECK(std::is_same_v<od::math_before<od::full_math, f32_tee, rounds, bf16_store>, od::full_math>);
  CHECK(std::is_same_v<od::math_before<od::full_math, decltype(op::cast<float>()), sum>, od::full_math>);
  CHECK(std::is_same_v<od::math_before<od::full_math, decltype(op::cast<int>()), bf16_store>, od::narrow_math>);
}

TEST_CASE("a cast to an integer is nearest even, saturated, and 0 for NaN") {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> x = {-200,   -128.5f, -2.5f,  -1.5f, -0.5f, 0.5f, 1.5f, 2.5f,
                                126.5f, 127.4f,  127.5f, 200,   inf,   -inf, nan};
  CHECK(through<int>(x, op::cast<std::int8_t>()) ==
        std::vector<int>{-128, -128, -2, -2, 0, 0, 2, 2, 126, 127, 127, 127, 127, -128, 0});
  // What is computed behind it is computed in integers.
  CHECK(through<int>(std::vector<float>{2.5f, 3.5f}, op::cast<int>() | op::divide(3)) == std::vector<int>{0, 1});
}

TEST_CASE("a cast to bool is 0 or 1") {
  CHECK(through<int>(std::vector<double>{0, -0.0, 1e-300, -5}, op::cast<bool>()) == std::vector<int>{0, 0, 1, 1});
}

TEST_CASE("a rounding to f32 is made even where f64 follows") {
  const std::vector<double> x = uniform<double>(64, -1, 1);
  const std::vector<double> y = through<double>(x, op::cast<float>() | op::cast<double>());
  int wrong = 0;
  for (std::size_t i = 0; i < x.size(); ++i) wrong += value(y[i]) != rounded<float>(x[i]);
  CHECK(wrong == 0);
}
