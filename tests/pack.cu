// SPDX-License-Identifier: Apache-2.0
// Lanes and places: which lanes of a group exist, and where they are.
#include <onepass/pack.cuh>

#include <cstdint>
#include <type_traits>

#include "catch.hpp"

namespace op = onepass;
namespace detail = onepass::detail;

static_assert(std::is_trivially_copyable_v<op::pack<double, 4>>);
static_assert(sizeof(op::pack<unsigned char, 16>) == 16 && sizeof(op::pack<double, 8>) == 64);
static_assert(std::is_trivially_copyable_v<op::position<4>>);

TEST_CASE("place says which lanes of a group exist") {
  constexpr int N = 4;
  for (std::int64_t rows = 0; rows < 4; ++rows) {
    for (std::int64_t columns = 0; columns < 14; ++columns) {
      for (std::int64_t row = 0; row < rows + 2; ++row) {
        for (std::int64_t column = 0; column < columns + 9; ++column) {
          const auto at = op::place<N>(row, column, rows, columns);
          INFO(rows << " x " << columns << " at " << row << ", " << column);
          CHECK(at.row == row);
          CHECK(at.column == column);
          CHECK(at.index == row * columns + column);
          int exist = 0;
          for (int i = 0; i < N; ++i) {
            const bool inside = row < rows && column + i < columns;
            exist += inside;
            CHECK(at.has(i) == inside);
          }
          CHECK(at.full() == (exist == N));
          // Words that reach beyond a group are inside its row where it touches neither end.
          if (!at.edge) CHECK((column > 0 && column + N < columns));
        }
      }
    }
  }
}

TEST_CASE("a lane knows its coordinate") {
  const auto at = op::place<4>(2, 5, 3, 100);
  const op::coordinate c = at.lane(3);
  CHECK(c.row == 2);
  CHECK(c.column == 8);
  CHECK(c.index == 208);
}

TEST_CASE("places are 64-bit") {
  const std::int64_t rows = INT64_C(1) << 31, columns = (INT64_C(1) << 31) + 7;
  const auto at = op::place<8>(rows - 1, columns - 3, rows, columns);
  CHECK(at.index == rows * columns - 3);
  CHECK(at.count == 3);
  // Far behind the end is still behind the end, however far.
  for (const std::int64_t beyond :
       {INT64_C(0), INT64_C(1), (INT64_C(1) << 32) - 3, INT64_C(1) << 32, INT64_C(1) << 62}) {
    const auto none = op::place<8>(0, 5 + beyond, 1, 5);
    INFO(beyond);
    for (int i = 0; i < 8; ++i) CHECK_FALSE(none.has(i));
    CHECK_FALSE(none.full());
  }
}

TEST_CASE("a whole place has all lanes at compile time") {
  const auto at = op::place_whole<4>(3, 8, 12);
  CHECK(decltype(at)::mode == op::access::whole);
  CHECK(at.index == 44);
  CHECK(at.full());
  for (int i = 0; i < 4; ++i) CHECK(at.has(i));
}

TEST_CASE("places are constants where their arguments are") {
  constexpr auto at = op::place<4>(1, 2, 2, 5);
  static_assert(at.count == 3 && at.index == 7 && at.lane(1).column == 3);
}

namespace {

struct sum_of_two {
  ONEPASS_HD double operator()(int x, double y) const { return x + y; }
};

}  // namespace

TEST_CASE("each_lane lifts a functor of several packs") {
  const op::pack<int, 4> a{{1, 2, 3, 4}};
  const op::pack<double, 4> b{{0.5, 0.25, -1, 8}};
  const auto sum = detail::each_lane(sum_of_two{}, a, b);
  static_assert(std::is_same_v<decltype(sum), const op::pack<double, 4>>);
  for (int i = 0; i < 4; ++i) CHECK(sum[i] == a[i] + b[i]);

  const auto ones = detail::broadcast<8>(1.5f);
  for (int i = 0; i < 8; ++i) CHECK(ones[i] == 1.5f);
}
