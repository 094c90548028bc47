// SPDX-License-Identifier: Apache-2.0
// Rounding to whole numbers: exact over every 16-bit input and samples of the wider types; integers unchanged.
#include <onepass/stage/rounding.cuh>

#include <cstdint>
#include <type_traits>

#include "catch.hpp"
#include "util.hpp"

namespace op = onepass;
using namespace test;

static_assert(std::is_same_v<behind<f16, decltype(op::floor)>, float>);
static_assert(std::is_same_v<behind<double, decltype(op::round)>, double>);
static_assert(std::is_same_v<behind<std::uint8_t, decltype(op::trunc)>, std::uint8_t>);
static_assert(std::is_same_v<behind<std::int64_t, decltype(op::ceil)>, std::int64_t>);

namespace {

template <class T, class Stage>
int wrong(const std::vector<T> &x, const Stage &stage, long double (*f)(long double)) {
  const std::vector<T> y = through<T>(x, stage);
  int n = 0;
  for (std::size_t i = 0; i < x.size(); ++i) n += !same(value(y[i]), f(value(x[i])));
  return n;
}

template <class T>
void exact() {
  std::vector<T> x = sweep<T>();
  for (const auto &more : {uniform<T>(1 << 16, -100, 100), uniform<T>(1 << 16, -1e7, 1e7, 2)})
    x.insert(x.end(), more.begin(), more.end());
  for (int i = -40; i <= 40; ++i) x.push_back(nearest<T>(i / 4.0L));
  CHECK(wrong<T>(x, op::floor, std::floor) == 0);
  CHECK(wrong<T>(x, op::ceil, std::ceil) == 0);
  CHECK(wrong<T>(x, op::trunc, std::trunc) == 0);
  CHECK(wrong<T>(x, op::round, std::nearbyint) == 0);
}

}  // namespace

TEST_CASE("rounding is exact and keeps zeros' signs, infinities and NaN") {
  SECTION("f16") { exact<f16>(); }
  SECTION("bf16") { exact<bf16>(); }
  SECTION("f32") { exact<float>(); }
  SECTION("f64") { exact<double>(); }
}

TEST_CASE("halves go to the even neighbour") {
  const std::vector<float> x = {-2.5f, -1.5f, -0.5f, 0.5f, 1.5f, 2.5f, 8388607.5f};
  const std::vector<float> y = through<float>(x, op::round), expected = {-2, -2, -0.0f, 0, 2, 2, 8388608};
  for (std::size_t i = 0; i < x.size(); ++i) CHECK(same(y[i], expected[i]));
}

TEST_CASE("integers pass unchanged") {
  const std::vector<std::int64_t> x = {0, -1, (INT64_C(1) << 53) + 1, INT64_MAX, INT64_MIN};
  CHECK(through<std::int64_t>(x, op::floor | op::ceil | op::round | op::trunc) == x);
  const std::vector<std::uint8_t> u = {0, 7, 255};
  CHECK(through<std::uint8_t>(u, op::floor | op::ceil | op::round | op::trunc) == u);
}
