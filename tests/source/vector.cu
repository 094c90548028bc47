// SPDX-License-Identifier: Apache-2.0
// per_column and per_row: a vector along the columns or down the rows, of any type beside any other.
#include <onepass/source/vector.cuh>

#include <cstdint>

#include "catch.hpp"
#include "util.hpp"

namespace op = onepass;
using namespace test;

TEST_CASE("a vector per column and one per row, for every shape") {
  for (const std::int64_t rows : {0, 1, 2, 7}) {
    for (const std::int64_t columns : {0, 1, 3, 4, 5, 8, 13}) {
      const auto r = static_cast<std::size_t>(rows), c = static_cast<std::size_t>(columns);
      const std::vector<float> x = uniform<float>(r * c, -2, 2);
      const std::vector<bf16> bias = uniform<bf16>(c, -3, 3, 2);
      const std::vector<double> scale = uniform<double>(r, 0.5, 2, 3);
      std::vector<double> y(r * c);
      on_host(op::load(x.data()) | op::add(op::per_column(bias.data())) | op::multiply(op::per_row(scale.data())) |
                  op::store(y.data()),
              onepass_extent_2d(rows, columns));
      int wrong = 0;
      for (std::size_t i = 0; i < r; ++i)
        for (std::size_t k = 0; k < c; ++k)
          wrong += y[i * c + k] != static_cast<double>(x[i * c + k] + static_cast<float>(value(bias[k]))) * scale[i];
      INFO(rows << " x " << columns);
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("of one row, per_column is the element and per_row the first") {
  const std::vector<float> x = {1, 2, 3, 4, 5}, v = {10, 20, 30, 40, 50};
  CHECK(through<float>(x, op::add(op::per_column(v.data()))) == std::vector<float>{11, 22, 33, 44, 55});
  CHECK(through<float>(x, op::add(op::per_row(v.data()))) == std::vector<float>{11, 12, 13, 14, 15});
}

TEST_CASE("integers and narrow types") {
  const std::vector<std::uint8_t> table = {1, 2, 255};
  const std::vector<std::int64_t> rows = {(INT64_C(1) << 53) + 1, -7};
  std::vector<std::int64_t> y(6);
  on_host(op::per_column(table.data()) | op::add(op::per_row(rows.data())) | op::store(y.data()),
          onepass_extent_2d(2, 3));
  CHECK(y == std::vector<std::int64_t>{rows[0] + 1, rows[0] + 2, rows[0] + 255, -6, -5, 248});
}

TEST_CASE("vectors have stages of their own") {
  const std::vector<float> x = {1, 1, 1, 1}, gamma = {-2, 3};
  std::vector<float> y(4);
  on_host(op::load(x.data()) | op::multiply(op::per_column(gamma.data()) | op::abs | op::add(1)) | op::store(y.data()),
          onepass_extent_2d(2, 2));
  CHECK(y == std::vector<float>{3, 4, 3, 4});
}
