// SPDX-License-Identifier: Apache-2.0
// Bit ops and shifts: every signedness, amounts beyond the width and below zero.
#include <onepass/stage/bitwise.cuh>

#include <cstdint>
#include <type_traits>

#include "catch.hpp"
#include "util.hpp"

namespace op = onepass;
using namespace test;

static_assert(std::is_same_v<behind<std::uint8_t, decltype(op::bit_and(1))>, int>);
static_assert(std::is_same_v<behind<std::uint32_t, decltype(op::bit_or(1))>, std::uint32_t>);
static_assert(std::is_same_v<behind<std::int32_t, decltype(op::bit_xor(op::value(INT64_C(1))))>, std::int64_t>);
static_assert(std::is_same_v<behind<std::uint64_t, decltype(op::bit_not)>, std::uint64_t>);
static_assert(std::is_same_v<behind<std::uint8_t, decltype(op::shift_left(1))>, int>);
static_assert(std::is_same_v<behind<std::uint32_t, decltype(op::shift_right(op::value(INT64_C(1))))>, std::uint32_t>);
static_assert(std::is_same_v<behind<bool, decltype(op::bit_and(op::value(true)))>, int>);

TEST_CASE("bit by bit") {
  const std::vector<std::uint32_t> x = {0, 0xdeadbeef, UINT32_MAX};
  CHECK(through<std::uint32_t>(x, op::bit_and(0xffff0000u)) == std::vector<std::uint32_t>{0, 0xdead0000, 0xffff0000});
  CHECK(through<std::uint32_t>(x, op::bit_or(1)) == std::vector<std::uint32_t>{1, 0xdeadbeef, UINT32_MAX});
  CHECK(through<std::uint32_t>(x, op::bit_xor(op::load(x.data()))) == std::vector<std::uint32_t>{0, 0, 0});
  CHECK(through<std::uint32_t>(x, op::bit_not) == std::vector<std::uint32_t>{UINT32_MAX, 0x21524110, 0});
  const std::vector<std::int8_t> small = {-128, -1, 5};
  CHECK(through<std::int32_t>(small, op::bit_not) == std::vector<std::int32_t>{127, 0, -6});
  CHECK(through<std::int32_t>(small, op::bit_and(0xf0)) == std::vector<std::int32_t>{128, 0xf0, 0});
  CHECK(through<std::int64_t>(std::vector<std::int64_t>{-1}, op::bit_xor(op::value(UINT32_MAX)))[0] ==
        -(INT64_C(1) << 32));
}

namespace {

template <class T>
void shifts() {
  using U = std::make_unsigned_t<T>;
  constexpr int width = 8 * sizeof(T);
  const std::vector<T> x = {0, 1, static_cast<T>(-1), std::numeric_limits<T>::max(), std::numeric_limits<T>::min(), 77};
  for (const int b : {-1000, -1, 0, 1, 7, width - 1, width, width + 1, 1000}) {
    INFO("by " << b);
    const std::vector<std::int32_t> amounts(x.size(), b);
    const std::vector<T> left = through<T>(x, op::shift_left(op::load(amounts.data()))),
                         right = through<T>(x, op::shift_right(op::load(amounts.data())));
    for (std::size_t i = 0; i < x.size(); ++i) {
      U up = static_cast<U>(x[i]);
      long double down = static_cast<long double>(x[i]);
      for (int k = 0; k < b; ++k) {
        up = static_cast<U>(up + up);
        down = std::floor(down / 2);
      }
      CHECK(static_cast<U>(left[i]) == up);
      CHECK(static_cast<long double>(right[i]) == down);
    }
  }
}

}  // namespace

TEST_CASE("a shift by any amount") {
  SECTION("i32") { shifts<std::int32_t>(); }
  SECTION("u32") { shifts<std::uint32_t>(); }
  SECTION("i64") { shifts<std::int64_t>(); }
  SECTION("u64") { shifts<std::uint64_t>(); }
}

TEST_CASE("small integers shift as promoted, amounts may be of any type") {
  const std::vector<std::uint8_t> x = {1, 255};
  CHECK(through<std::int32_t>(x, op::shift_left(20)) == std::vector<std::int32_t>{1 << 20, 255 << 20});
  CHECK(through<std::int32_t>(std::vector<std::int8_t>{-128}, op::shift_right(3))[0] == -16);
  CHECK(through<std::uint32_t>(std::vector<std::uint32_t>{8}, op::shift_right(op::value(UINT64_MAX)))[0] == 0);
  CHECK(through<std::uint32_t>(std::vector<std::uint32_t>{8}, op::shift_left(op::value(true)))[0] == 16);
}
