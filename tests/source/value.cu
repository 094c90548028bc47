// SPDX-License-Identifier: Apache-2.0
// value(x) has the type of x; a bare number takes the type of the value it meets.
#include <onepass/source/value.cuh>

#include <cstdint>
#include <type_traits>

#include "catch.hpp"
#include "util.hpp"

namespace op = onepass;
using namespace test;

static_assert(std::is_same_v<behind<float, decltype(op::add(0.5))>, float>);
static_assert(std::is_same_v<behind<float, decltype(op::add(INT64_C(1)))>, float>);
static_assert(std::is_same_v<behind<double, decltype(op::add(0.5f))>, double>);
static_assert(std::is_same_v<behind<std::uint8_t, decltype(op::add(INT64_C(1)))>, int>);
static_assert(std::is_same_v<behind<bool, decltype(op::add(true))>, int>);
static_assert(std::is_same_v<behind<float, decltype(op::add(f16{}))>, float>);
static_assert(std::is_same_v<behind<float, decltype(op::add(op::value(0.5)))>, double>);
static_assert(std::is_same_v<behind<std::uint8_t, decltype(op::add(op::value(0.5f)))>, float>);
static_assert(std::is_same_v<behind<std::uint8_t, decltype(op::add(op::value(bf16{})))>, float>);

TEST_CASE("a number is not rounded to the type in memory") {
  // 0.1 in f32 beside f16 values, in f64 beside f64 values.
  CHECK(through<float>(std::vector<f16>{nearest<f16>(0)}, op::add(0.1))[0] == 0.1f);
  CHECK(through<double>(std::vector<double>{0}, op::add(0.1))[0] == 0.1);
  // An eps of 1e-12 is 0 in f16, and is not rounded to it.
  CHECK(through<float>(std::vector<f16>{nearest<f16>(0)}, op::add(1e-12) | op::rsqrt)[0] == Approx(1e6));
  // A number of a 16-bit type has that type's value.
  CHECK(through<float>(std::vector<float>{0}, op::add(nearest<bf16>(0.1L)))[0] ==
        static_cast<float>(rounded<bf16>(0.1L)));
}

TEST_CASE("integer numbers are exact") {
  const std::int64_t big = (INT64_C(1) << 53) + 1;
  CHECK(through<std::int64_t>(std::vector<std::int64_t>{-1}, op::add(big))[0] == big - 1);
  CHECK(through<int>(std::vector<std::uint8_t>{200}, op::add(300))[0] == 500);
  CHECK(through<std::uint64_t>(std::vector<std::uint64_t>{0}, op::add(UINT64_MAX))[0] == UINT64_MAX);
}

TEST_CASE("a value keeps its own type") {
  CHECK(through<double>(std::vector<float>{1}, op::multiply(op::value(0.1)))[0] == 0.1);
  CHECK(through<double>(std::vector<std::int32_t>{INT32_MAX}, op::multiply(op::value(2.0)))[0] == 4294967294.0);
  CHECK(through<float>(std::vector<float>{1}, op::add(op::value(nearest<f16>(0.1L))))[0] ==
        1 + static_cast<float>(rounded<f16>(0.1L)));
}

TEST_CASE("a value is a source by itself") {
  std::vector<std::int64_t> y(11, 7);
  on_host(op::value(INT64_C(1) << 60) | op::add(op::index()) | op::store(y.data()), 10);
  for (std::size_t i = 0; i < 10; ++i) CHECK(y[i] == (INT64_C(1) << 60) + static_cast<std::int64_t>(i));
  CHECK(y[10] == 7);
}
