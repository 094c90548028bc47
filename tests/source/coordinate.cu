// SPDX-License-Identifier: Apache-2.0
// index, row and column: the coordinate as 64-bit values.
#include <onepass/source/coordinate.cuh>

#include <cstdint>
#include <type_traits>

#include "catch.hpp"
#include "util.hpp"

namespace op = onepass;
using namespace test;

namespace {

struct encode {
  ONEPASS_HD std::int64_t operator()(std::int64_t index, std::int64_t row, std::int64_t column) const {
    return index * 1000000 + row * 1000 + column;
  }
};
struct lower_triangle {
  ONEPASS_HD float operator()(float x, std::int64_t row, std::int64_t column) const { return column <= row ? x : 0; }
};

}  // namespace

TEST_CASE("each element knows its coordinate, in every shape") {
  for (const std::int64_t rows : {1, 2, 5}) {
    for (const std::int64_t columns : {1, 2, 3, 4, 9}) {
      std::vector<std::int64_t> y(static_cast<std::size_t>(rows * columns));
      on_host(op::index() | op::fn(encode{}, op::row(), op::column()) | op::store(y.data()),
              onepass_extent_2d(rows, columns));
      for (std::size_t i = 0; i < y.size(); ++i) {
        const auto k = static_cast<std::int64_t>(i);
        CHECK(y[i] == k * 1000000 + k / columns * 1000 + k % columns);
      }
    }
  }
}

TEST_CASE("coordinates are operands of a functor") {
  const std::vector<float> x = uniform<float>(25, 1, 2);
  std::vector<float> y(25);
  on_host(op::load(x.data()) | op::fn(lower_triangle{}, op::row(), op::column()) | op::store(y.data()),
          onepass_extent_2d(5, 5));
  for (std::size_t i = 0; i < 25; ++i) CHECK(y[i] == (i % 5 <= i / 5 ? x[i] : 0));
}

TEST_CASE("a 1-D extent is one row") {
  std::vector<std::int64_t> row(6, -1), column(6, -1);
  on_host(op::row() | op::store(row.data()), 6);
  on_host(op::column() | op::store(column.data()), 6);
  CHECK(row == std::vector<std::int64_t>(6, 0));
  CHECK(column == std::vector<std::int64_t>{0, 1, 2, 3, 4, 5});
}

TEST_CASE("indices beyond 32 bits") {
  const std::int64_t columns = (INT64_C(1) << 31) + 5, rows = INT64_C(1) << 31;
  const auto all = op::index() | op::add(0);
  const auto at = op::place<4>(rows - 1, columns - 2, rows, columns);
  const op::pack<std::int64_t, 4> v = all.get<4>(at);
  CHECK(v[0] == rows * columns - 2);
  CHECK(v[1] == rows * columns - 1);
  CHECK((op::row() | op::add(0)).get<4>(at)[0] == rows - 1);
  CHECK((op::column() | op::add(0)).get<4>(at)[1] == columns - 1);
}
