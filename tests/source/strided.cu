// SPDX-License-Identifier: Apache-2.0
// strided: any two strides, against the element that their formula names; the array is exactly as large as they reach.
#include <onepass/source/strided.cuh>

#include <cstdint>
#include <memory>
#include <type_traits>

#include "catch.hpp"
#include "util.hpp"

namespace op = onepass;
namespace detail = onepass::detail;
using namespace test;

namespace {

template <class T>
T numbered(std::int64_t i) {
  if constexpr (std::is_same_v<T, bool>) return i % 3 == 0;
  else if constexpr (std::is_arithmetic_v<T>) return static_cast<T>(i % 120);
  else return nearest<T>(static_cast<long double>(i % 120));
}

// An array that ends at the lowest and at the highest element that the strides reach, numbered by offset.
template <class T>
struct reached {
  std::int64_t low = 0, high = 0;
  std::unique_ptr<T[]> all;

  reached(std::int64_t rows, std::int64_t columns, std::int64_t row_stride, std::int64_t column_stride) {
    for (const std::int64_t r : {std::int64_t{0}, rows - 1})
      for (const std::int64_t c : {std::int64_t{0}, columns - 1}) {
        low = std::min(low, r * row_stride + c * column_stride);
        high = std::max(high, r * row_stride + c * column_stride);
      }
    all.reset(new T[static_cast<std::size_t>(high - low + 1)]);
    for (std::int64_t i = low; i <= high; ++i) all[static_cast<std::size_t>(i - low)] = numbered<T>(i - low);
  }
  const T *first() const { return all.get() - low; }
};

template <class P>
onepass_leaf_t leaf_of(const P &source) {
  onepass_leaf_t leaf[2];
  CHECK(detail::write_leaves((source | op::add(0)).inner, leaf) == 1);
  return leaf[0];
}

}  // namespace

TEMPLATE_TEST_CASE("every pair of strides, of any sign", "", float, bf16, double, std::int8_t, bool) {
  using T = TestType;
  for (const std::int64_t rows : {1, 2, 5})
    for (const std::int64_t columns : {1, 2, 4, 9, 33})
      for (const std::int64_t row_stride :
           {std::int64_t{0}, std::int64_t{1}, columns, columns + 3, -columns, std::int64_t{-1}})
        for (const std::int64_t column_stride :
             {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, rows, -rows, std::int64_t{-1}}) {
          const reached<T> x(rows, columns, row_stride, column_stride);
          std::vector<float> y(static_cast<std::size_t>(rows * columns), -1);
          on_host(op::strided(x.first(), row_stride, column_stride) | op::store(y.data()),
                  onepass_extent_2d(rows, columns));
          int wrong = 0;
          for (std::int64_t r = 0; r < rows; ++r)
            for (std::int64_t c = 0; c < columns; ++c)
              wrong += y[static_cast<std::size_t>(r * columns + c)] !=
                       static_cast<float>(value(x.first()[r * row_stride + c * column_stride]));
          INFO(rows << " x " << columns << ", strides " << row_stride << ", " << column_stride);
          CHECK(wrong == 0);
        }
}

TEST_CASE("a transposed matrix, a reversed one, a window that moves") {
  const std::vector<std::int64_t> x = {0, 1, 2, 3, 4, 5};
  std::vector<std::int64_t> y(6);
  on_host(op::strided(x.data(), 1, 3) | op::store(y.data()), onepass_extent_2d(3, 2));  // 2 x 3
  CHECK(y == std::vector<std::int64_t>{0, 3, 1, 4, 2, 5});
  on_host(op::strided(x.data() + 5, -3, -1) | op::store(y.data()), onepass_extent_2d(2, 3));
  CHECK(y == std::vector<std::int64_t>{5, 4, 3, 2, 1, 0});
  on_host(op::strided(x.data(), 1, 1) | op::store(y.data()), onepass_extent_2d(2, 3));
  CHECK(y == std::vector<std::int64_t>{0, 1, 2, 1, 2, 3});
  std::int64_t sum = 0;
  on_host(op::strided(x.data() + 2, 0, 0) | op::reduce(op::sum, &sum), onepass_extent_2d(1000, 1000));
  CHECK(sum == 2000000);
}

TEST_CASE("one stride takes every n-th element of the flat index") {
  const std::vector<float> x = uniform<float>(100, -1, 1);
  for (const std::int64_t stride : {1, 2, 7, 0, -3}) {
    const float *p = stride < 0 ? x.data() + 99 : x.data();
    std::vector<float> y(12);
    on_host(op::strided(p, stride) | op::store(y.data()), onepass_extent_2d(3, 4));
    for (std::int64_t i = 0; i < 12; ++i) CHECK(y[static_cast<std::size_t>(i)] == p[i * stride]);
  }
}

TEST_CASE("strides as an operand, with stages of their own") {
  const std::vector<float> x = uniform<float>(6, 1, 2);
  const std::vector<f16> table = {nearest<f16>(-1), nearest<f16>(0), nearest<f16>(2), nearest<f16>(0)};
  std::vector<float> y(6);
  on_host(op::load(x.data()) | op::multiply(op::strided(table.data(), 2, 0) | op::abs) | op::store(y.data()),
          onepass_extent_2d(2, 3));
  for (std::size_t i = 0; i < 6; ++i) CHECK(y[i] == x[i] * (i < 3 ? 1 : 2));
}

TEST_CASE("offsets beyond 32 bits") {
  const std::int64_t far = INT64_C(1) << 40;
  const auto source = op::strided(static_cast<const float *>(nullptr), far, -far);
  const onepass_leaf_t leaf = leaf_of(source);
  std::int64_t below = 0, above = 0;
  CHECK(onepass_leaf_reach(&leaf, onepass_extent_2d(INT64_C(1) << 20, 1 << 10), &below, &above) == 1);
  CHECK(below == ((INT64_C(1) << 10) - 1) * far * 4);
  CHECK(above == ((INT64_C(1) << 20) - 1) * far * 4 + 4);
  // The offset of the element itself: of a row and a column whose offsets cancel, in one array of one element.
  const float x = 3;
  const auto at = op::place<1>(INT64_C(1) << 20, INT64_C(1) << 20, INT64_C(1) << 21, INT64_C(1) << 21);
  CHECK((op::strided(&x, far, -far) | op::add(1)).get<1>(at)[0] == 4);
  CHECK((op::strided(&x, 0) | op::add(1)).get<1>(at)[0] == 4);
}

TEST_CASE("what a strided source says of itself") {
  const float x = 0;
  const onepass_leaf_t leaf = leaf_of(op::strided(&x, -7, 3)), flat = leaf_of(op::strided(&x, -2));
  CHECK((leaf.pointer == &x && leaf.pitch == -7 && leaf.column_stride == 3 && leaf.layout == ONEPASS_STRIDED));
  CHECK((leaf.span == ONEPASS_PER_ELEMENT && !leaf.written && leaf.element_bytes == 4 && leaf.view_rank == 0));
  CHECK((flat.pitch == ONEPASS_DENSE && flat.column_stride == -2 && flat.layout == ONEPASS_STRIDED));
  // The mark of a dense array is no row stride: as one it is beyond every size.
  const onepass_leaf_t least = leaf_of(op::strided(&x, INT64_MIN, 1));
  CHECK(onepass_check_leaf(&least, onepass_extent_2d(2, 2)) == ONEPASS_ERROR_EXTENT);
  CHECK(leaf_of(op::load(&x)).layout == ONEPASS_ROWS);

  using P = decltype(op::strided(&x, 1, 1) | op::store(static_cast<float *>(nullptr)));
  CHECK(detail::any_by_row<P>::value);
  CHECK(!detail::any_by_row<decltype(op::strided(&x, 1) | op::store(static_cast<float *>(nullptr)))>::value);
  const onepass_cost_t cost = detail::cost_of<P>();
  CHECK(onepass_traffic_of_cost(&cost, onepass_extent_2d(3, 5)).bytes_read == 60);
}
