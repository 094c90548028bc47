// SPDX-License-Identifier: Apache-2.0
// Views in the place of pointers: spans and mdspans of every layout, and the extents that they refuse.
#include <onepass/source/view.cuh>

#include <cuda/std/array>
#include <cuda/std/mdspan>
#include <cuda/std/span>

#include <array>
#include <cstdint>
#include <string>
#include <type_traits>

#include "catch.hpp"
#include "util.hpp"

namespace op = onepass;
namespace detail = onepass::detail;
namespace cs = cuda::std;
using namespace test;

namespace {

using dynamic1 = cs::dextents<std::int64_t, 1>;
using dynamic2 = cs::dextents<int, 2>;

template <class P>
onepass_status_t check(const P &p, onepass_extent_t extent) {
  onepass_leaf_t leaf[ONEPASS_MAX_LEAVES];
  return onepass_check_leaves(leaf, detail::write_leaves(p.inner, leaf), extent);
}
// Checked as a launch does, then run.
template <class P>
onepass_status_t run(const P &p, onepass_extent_t extent) {
  const onepass_status_t status = check(p, extent);
  if (status == ONEPASS_SUCCESS) on_host(p, extent);
  return status;
}

template <class T>
std::vector<T> numbers(std::size_t n) {
  std::vector<T> all(n);
  for (std::size_t i = 0; i < n; ++i) all[i] = static_cast<T>(i);
  return all;
}

// What is a view and what is not: owners are not, for a temporary one would be gone when the launch reads it.
static_assert(detail::is_span<cs::span<float>>::value && detail::is_span<cs::span<const double, 4>>::value);
static_assert(!detail::is_span<std::vector<float>>::value && !detail::is_span<std::array<float, 4>>::value);
static_assert(!detail::is_span<cs::array<float, 4>>::value && !detail::is_span<std::string>::value);
static_assert(!detail::is_span<float *>::value && !detail::is_span<cs::mdspan<float, dynamic2>>::value);
static_assert(detail::is_mdspan<cs::mdspan<float, dynamic2>>::value && !detail::is_mdspan<cs::span<float>>::value);

// Which are dense is known from the type.
template <class Layout, class Extents>
constexpr bool dense = detail::is_dense<cs::mdspan<float, Extents, Layout>>();
static_assert(dense<cs::layout_right, dynamic1> && dense<cs::layout_left, dynamic1>);
static_assert(!dense<cs::layout_stride, dynamic1> && !dense<cs::layout_stride, dynamic2>);
static_assert(dense<cs::layout_right, dynamic2> && dense<cs::layout_right, cs::extents<int, 3, 5>>);
static_assert(!dense<cs::layout_left, dynamic2> && !dense<cs::layout_left, cs::extents<int, 3, 5>>);
static_assert(dense<cs::layout_right, cs::extents<int, cs::dynamic_extent, 5>>);
static_assert(!dense<cs::layout_left, cs::extents<int, cs::dynamic_extent, 5>>);
static_assert(!dense<cs::layout_left, cs::extents<int, 3, cs::dynamic_extent>>);

// A store to a view is a store of its element type: the stages before it may be as short.
template <class View>
constexpr bool is_narrow = detail::stores_small_float<decltype(op::store(std::declval<View>()))>;
static_assert(is_narrow<cs::span<f16>> && is_narrow<cs::mdspan<bf16, dynamic2>> && !is_narrow<cs::span<float>>);
static_assert(is_narrow<cs::mdspan<f16, dynamic2, cs::layout_stride>> &&
              is_narrow<cs::mdspan<f16, dynamic1, cs::layout_stride>>);

}  // namespace

TEST_CASE("spans, of fixed and of any size") {
  const std::vector<float> x = {1, -2, 3, -4, 5};
  std::vector<f16> y(5);
  const cs::span<const float> in(x.data(), 5);
  const cs::span<f16> out(y.data(), 5);
  const cs::span<const float, 5> fixed(x.data(), 5);
  CHECK(run(op::load(in) | op::abs | op::add(op::load(fixed)) | op::store(out), op::extent(in)) == ONEPASS_SUCCESS);
  for (std::size_t i = 0; i < 5; ++i) CHECK(value(y[i]) == std::fabs(x[i]) + x[i]);
  CHECK((op::extent(in).rows == 1 && op::extent(in).columns == 5 && op::extent(fixed).columns == 5));

  // The flat index of a matrix, and a part of what is there.
  CHECK(run(op::load(in) | op::store(out), onepass_extent_2d(2, 2)) == ONEPASS_SUCCESS);
  CHECK(value(y[3]) == -4);
  for (std::int64_t n = 0; n < 9; ++n)
    CHECK(check(op::load(in) | op::store(out), onepass_extent_1d(n)) ==
          (n <= 5 ? ONEPASS_SUCCESS : ONEPASS_ERROR_SIZE));
  CHECK(check(op::load(in) | op::store(out), onepass_extent_2d(2, 3)) == ONEPASS_ERROR_SIZE);
  // Each for itself.
  std::vector<float> wide(6);
  CHECK(check(op::load(wide.data()) | op::store(cs::span<float>(wide.data(), 5)), onepass_extent_1d(6)) ==
        ONEPASS_ERROR_SIZE);
  CHECK(check(op::load(in) | op::store(wide.data()), onepass_extent_1d(6)) == ONEPASS_ERROR_SIZE);
  CHECK(check(op::load(wide.data()) | op::add(op::load(in) | op::negate) | op::store(wide.data()),
              onepass_extent_1d(6)) == ONEPASS_ERROR_SIZE);
  CHECK(check(op::load(wide.data()) | op::tee(op::store(cs::span<float>(wide.data(), 3))) | op::store(y.data()),
              onepass_extent_1d(5)) == ONEPASS_ERROR_SIZE);
  CHECK(check(op::load(cs::span<float>()) | op::store(out), onepass_extent_1d(1)) == ONEPASS_ERROR_SIZE);
  CHECK(check(op::load(cs::span<float>()) | op::store(out), onepass_extent_1d(0)) == ONEPASS_SUCCESS);
}

TEST_CASE("vectors from spans") {
  const std::vector<float> x = numbers<float>(6), bias = {10, 20, 30}, scale = {1, -1};
  std::vector<float> y(6);
  const cs::span<const float> b(bias.data(), 3), s(scale.data(), 2);
  const auto p = op::load(x.data()) | op::add(op::per_column(b)) | op::multiply(op::per_row(s)) | op::store(y.data());
  CHECK(run(p, onepass_extent_2d(2, 3)) == ONEPASS_SUCCESS);
  CHECK(y == std::vector<float>{10, 21, 32, -13, -24, -35});
  CHECK(check(p, onepass_extent_2d(3, 2)) == ONEPASS_ERROR_SIZE);
  CHECK(check(p, onepass_extent_2d(1, 4)) == ONEPASS_ERROR_SIZE);
  CHECK(check(p, onepass_extent_2d(2, 2)) == ONEPASS_SUCCESS);
}

TEST_CASE("a gather from a span reads nothing outside") {
  const std::vector<double> x = {1, 2, 3};
  std::vector<double> y(5, -1);
  on_host(op::gather(cs::span<const double>(x.data(), 3), op::index() | op::subtract(1)) | op::store(y.data()), 5);
  CHECK(y == std::vector<double>{0, 1, 2, 3, 0});
}

TEST_CASE("mdspans of one rank") {
  const std::vector<float> x = numbers<float>(40);
  std::vector<float> y(10);
  const cs::mdspan<const float, dynamic1> right(x.data(), 10);
  const cs::mdspan<const float, dynamic1, cs::layout_left> left(x.data(), 10);
  const cs::layout_stride::mapping<dynamic1> every_fourth(dynamic1(10), cs::array<std::int64_t, 1>{4}),
      every(dynamic1(10), cs::array<std::int64_t, 1>{1});
  const cs::mdspan<const float, dynamic1, cs::layout_stride> apart(x.data(), every_fourth), dense_run(x.data(), every);
  const cs::mdspan<float, dynamic1> out(y.data(), 10);
  CHECK(run(op::load(right) | op::add(op::load(left)) | op::store(out), op::extent(out)) == ONEPASS_SUCCESS);
  for (std::size_t i = 0; i < 10; ++i) CHECK(y[i] == 2 * x[i]);
  CHECK(run(op::load(apart) | op::add(op::load(dense_run)) | op::store(out), op::extent(apart)) == ONEPASS_SUCCESS);
  for (std::size_t i = 0; i < 10; ++i) CHECK(y[i] == x[4 * i] + x[i]);
  // In a matrix too, the flat index.
  CHECK(run(op::load(apart) | op::store(out), onepass_extent_2d(2, 5)) == ONEPASS_SUCCESS);
  for (std::size_t i = 0; i < 10; ++i) CHECK(y[i] == x[4 * i]);
  CHECK(check(op::load(right) | op::store(y.data()), onepass_extent_1d(11)) == ONEPASS_ERROR_SIZE);
  CHECK(check(op::load(apart) | op::store(y.data()), onepass_extent_1d(11)) == ONEPASS_ERROR_SIZE);
  CHECK(check(op::load(apart) | op::store(out), onepass_extent_2d(3, 4)) == ONEPASS_ERROR_SIZE);

  const cs::mdspan<float, dynamic1, cs::layout_stride> sink(y.data(), every), none(y.data(), every_fourth);
  CHECK(run(op::load(right) | op::negate | op::store(sink), op::extent(sink)) == ONEPASS_SUCCESS);
  for (std::size_t i = 0; i < 10; ++i) CHECK(y[i] == -x[i]);
  CHECK(check(op::load(right) | op::store(none), op::extent(none)) == ONEPASS_ERROR_STRIDE);
  CHECK(check(op::load(right) | op::store(none), onepass_extent_1d(1)) == ONEPASS_SUCCESS);
}

TEST_CASE("mdspans of two ranks, of every layout") {
  const std::vector<float> x = numbers<float>(60);
  for (int rows = 1; rows < 5; ++rows)
    for (int columns = 1; columns < 6; ++columns) {
      const auto n = static_cast<std::size_t>(rows * columns);
      std::vector<float> y(60, -1);
      const dynamic2 shape(rows, columns);
      const cs::layout_stride::mapping<dynamic2> rows_of_12(shape, cs::array<int, 2>{12, 1}),
          pairs(shape, cs::array<int, 2>{12, 2}), columns_of_7(shape, cs::array<int, 2>{1, 7});
      const cs::mdspan<const float, dynamic2> right(x.data(), shape);
      const cs::mdspan<const float, dynamic2, cs::layout_left> left(x.data(), shape);
      const cs::mdspan<const float, dynamic2, cs::layout_stride> a(x.data(), rows_of_12), b(x.data(), pairs),
          c(x.data(), columns_of_7);
      const cs::mdspan<float, dynamic2> out(y.data(), shape);
      const cs::mdspan<float, dynamic2, cs::layout_stride> pitched(y.data(), rows_of_12), spread(y.data(), pairs);
      const onepass_extent_t extent = op::extent(right);
      CHECK((extent.rows == rows && extent.columns == columns));

      const auto same = [&](const auto &from, const auto &to) {
        for (int r = 0; r < rows; ++r)
          for (int k = 0; k < columns; ++k)
            if (to.data_handle()[to.mapping()(r, k)] != from.data_handle()[from.mapping()(r, k)]) return false;
        return true;
      };
      const auto copied = [&](const auto &from) {
        y.assign(60, -1);
        CHECK(run(op::load(from) | op::store(out), extent) == ONEPASS_SUCCESS);
        return same(from, out) && y[n] == -1;
      };
      CHECK(copied(right));
      CHECK(copied(left));
      CHECK(copied(a));
      CHECK(copied(b));
      CHECK(copied(c));
      y.assign(60, -1);
      CHECK(run(op::load(left) | op::store(pitched), extent) == ONEPASS_SUCCESS);
      CHECK(same(left, pitched));
      CHECK(std::count(y.begin(), y.end(), -1.f) == 60 - rows * columns);
      CHECK(check(op::load(left) | op::store(spread), extent) ==
            (columns > 1 ? ONEPASS_ERROR_STRIDE : ONEPASS_SUCCESS));

      // Every extent around it: views without a pitch have rows as long as the extent's.
      for (int r = 0; r < 6; ++r)
        for (int k = 0; k < 7; ++k) {
          const onepass_extent_t other = onepass_extent_2d(r, k);
          const bool any = r > 0 && k > 0, inside = r <= rows && k <= columns;
          const auto expected = [&](bool fits) { return any && !fits ? ONEPASS_ERROR_SIZE : ONEPASS_SUCCESS; };
          const auto into = [&](const auto &view) { return check(op::value(1.f) | op::store(view), other); };
          const auto from = [&](const auto &view) {
            return check(op::load(view) | op::reduce(op::sum, &y[59]), other);
          };
          CHECK(from(right) == expected(inside && (r == 1 || k == columns)));
          CHECK(from(left) == expected(inside));
          CHECK(from(a) == expected(inside));
          CHECK(from(c) == expected(inside));
          CHECK(into(out) == expected(inside && (r == 1 || k == columns)));
          CHECK(into(pitched) == expected(inside));
        }
    }
}

TEST_CASE("in place through views") {
  std::vector<float> x = numbers<float>(24);
  const dynamic2 shape(3, 4);
  const cs::layout_stride::mapping<dynamic2> rows_of_8(shape, cs::array<int, 2>{8, 1}),
      pairs(shape, cs::array<int, 2>{8, 2});
  const cs::mdspan<float, dynamic2> dense_view(x.data(), shape);
  const cs::mdspan<float, dynamic2, cs::layout_stride> pitched(x.data(), rows_of_8), apart(x.data(), pairs),
      other(x.data() + 4, rows_of_8);
  const onepass_extent_t extent = op::extent(dense_view);
  CHECK(check(op::load(dense_view) | op::store(dense_view), extent) == ONEPASS_SUCCESS);
  CHECK(check(op::load(pitched) | op::store(pitched), extent) == ONEPASS_SUCCESS);
  CHECK(check(op::load(x.data(), 8) | op::store(pitched), extent) == ONEPASS_SUCCESS);
  CHECK(check(op::load(other) | op::store(pitched), extent) == ONEPASS_SUCCESS);  // two windows of one matrix
  CHECK(check(op::load(dense_view) | op::store(pitched), extent) == ONEPASS_ERROR_OVERLAP);
  CHECK(check(op::load(apart) | op::store(pitched), extent) == ONEPASS_ERROR_OVERLAP);
  CHECK(check(op::load(apart) | op::store(dense_view), extent) == ONEPASS_ERROR_OVERLAP);
}
