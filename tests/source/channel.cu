// SPDX-License-Identifier: Apache-2.0
// per_channel against its formula, for small images of every shape, and a group norm.
#include <onepass/source/channel.cuh>

#include <cstdint>
#include <numeric>

#include "../stage/row.hpp"
#include "catch.hpp"

namespace op = onepass;
namespace detail = onepass::detail;
using namespace test;

namespace {

// n images of groups x channels channels of `spatial` elements each, as rows.
struct images {
  std::int64_t n, groups, channels, spatial;
  onepass_extent_t extent() const { return onepass_extent_2d(n * groups, channels * spatial); }
  std::int64_t channel(std::int64_t row, std::int64_t column) const {
    return row % groups * channels + column / spatial;
  }
  template <class T>
  auto source(const T *p) const {
    return op::per_channel(p, groups, channels, spatial);
  }
};
template <class F>
void each_shape(const F &f) {
  for (const std::int64_t n : {1, 3})
    for (std::int64_t groups = 1; groups < 5; ++groups)
      for (std::int64_t channels = 1; channels < 6; ++channels)
        for (const std::int64_t spatial : {1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 40}) f(images{n, groups, channels, spatial});
}

// As many lanes as T asks for.
template <class T>
void check_shapes() {
  std::vector<T> p(20);
  for (std::size_t i = 0; i < p.size(); ++i) p[i] = detail::narrow<T>(static_cast<float>(i + 1));
  int wrong = 0;
  each_shape([&](const images &shape) {
    const onepass_extent_t extent = shape.extent();
    const auto size = static_cast<std::size_t>(extent.rows * extent.columns);
    std::vector<T> alone(size), x(size, detail::narrow<T>(1.0f)), product(size);
    on_host(shape.source(p.data()) | op::store(alone.data()), extent);
    on_host(op::load(x.data()) | op::multiply(shape.source(p.data())) | op::store(product.data()), extent);
    for (std::int64_t r = 0; r < extent.rows; ++r)
      for (std::int64_t c = 0; c < extent.columns; ++c) {
        const auto i = static_cast<std::size_t>(r * extent.columns + c);
        const auto exact = static_cast<float>(detail::widen(p[static_cast<std::size_t>(shape.channel(r, c))]));
        wrong += static_cast<float>(detail::widen(alone[i])) != exact;
        wrong += static_cast<float>(detail::widen(product[i])) != exact;
      }
  });
  CHECK(wrong == 0);
}

// Lanes that begin at any column.
template <int N>
int wrong_lanes() {
  std::vector<std::int32_t> p(20);
  std::iota(p.begin(), p.end(), 0);
  int wrong = 0;
  each_shape([&](const images &shape) {
    const onepass_extent_t extent = shape.extent();
    const auto pipeline = shape.source(p.data()) | op::multiply(1);
    for (std::int64_t r = 0; r < extent.rows; ++r)
      for (std::int64_t c = 0; c < extent.columns; ++c) {
        const auto v = pipeline.template get<N>(op::place<N>(r, c, extent.rows, extent.columns));
        for (int i = 0; i < N && c + i < extent.columns; ++i) wrong += v[i] != shape.channel(r, c + i);
      }
  });
  return wrong;
}

}  // namespace

TEST_CASE("per_channel of small images of every shape") {
  check_shapes<float>();
  check_shapes<double>();
  check_shapes<bf16>();
  check_shapes<f16>();
  check_shapes<std::uint8_t>();
  check_shapes<std::int64_t>();
  check_shapes<__nv_fp8_e4m3>();
}

TEST_CASE("lanes begin in one channel and end in any other") {
  CHECK(wrong_lanes<1>() == 0);
  CHECK(wrong_lanes<2>() == 0);
  CHECK(wrong_lanes<4>() == 0);
  CHECK(wrong_lanes<8>() == 0);
  CHECK(wrong_lanes<16>() == 0);
}

TEST_CASE("numbers beyond 32 bits") {
  std::int32_t p[6] = {0, 1, 2, 3, 4, 5};
  const std::int64_t spatial = (INT64_C(1) << 33) + 5, row = (INT64_C(1) << 40) + 1;
  const auto pipeline = op::per_channel(p, 2, 3, spatial) | op::multiply(1);
  const auto at = [&](std::int64_t column) {
    const auto v = pipeline.get<4>(op::place<4>(row, column, row + 1, 3 * spatial));
    return std::vector<int>(v.lane, v.lane + 4);
  };
  CHECK(at(0) == std::vector<int>{3, 3, 3, 3});
  CHECK(at(spatial - 2) == std::vector<int>{3, 3, 4, 4});
  CHECK(at(2 * spatial - 1) == std::vector<int>{4, 5, 5, 5});
  CHECK(at(3 * spatial - 4) == std::vector<int>{5, 5, 5, 5});
  const auto many = op::per_channel(p, INT64_C(1) << 40, 3, 1) | op::multiply(1);
  CHECK(many.get<1>(op::place<1>((INT64_C(1) << 41) + 1, 2, INT64_MAX / 4, 3))[0] == 5);
}

TEST_CASE("less than one counts as one, and columns that are too many read inside the vector") {
  const std::vector<std::int32_t> p = {10, 11, 12, 13, 14, 15};
  std::vector<std::int32_t> y(8 * 6);
  const auto through_rows = [&](auto source) {
    on_host(source | op::store(y.data()), onepass_extent_2d(6, 8));
    return y;
  };
  CHECK(through_rows(op::per_channel(p.data(), 0, 0, 0)) == std::vector<std::int32_t>(48, 10));
  CHECK(through_rows(op::per_channel(p.data(), -3, 1, INT64_MIN)) == std::vector<std::int32_t>(48, 10));
  CHECK(through_rows(op::per_channel(p.data(), -3, 6, 2)) == through_rows(op::per_channel(p.data(), 1, 6, 2)));
  for (std::int64_t spatial = 1; spatial < 5; ++spatial) {
    through_rows(op::per_channel(p.data(), 2, 3, spatial));
    for (std::size_t r = 0; r < 6; ++r)
      for (std::size_t c = 0; c < 8; ++c) {
        const auto column = static_cast<std::int64_t>(c);
        const std::int32_t v = y[8 * r + c];
        CHECK((v >= 10 && v <= 15));
        if (column < 3 * spatial) CHECK(v == 10 + static_cast<int>(r % 2) * 3 + static_cast<int>(column / spatial));
      }
  }
}

TEST_CASE("the vector is a leaf of its own size, and no sink may lie on it") {
  std::vector<float> p(12), y(96);
  const auto status = [&](const float *gamma, float *out) {
    return launch_on_host(op::per_channel(gamma, 3, 4, 4) | op::store(out), onepass_extent_2d(6, 16));
  };
  CHECK(status(p.data(), y.data()) == ONEPASS_SUCCESS);
  CHECK(status(nullptr, y.data()) == ONEPASS_ERROR_NULL);
  CHECK(status(y.data() + 95, y.data()) == ONEPASS_ERROR_OVERLAP);
  CHECK(launch_on_host(op::per_channel(p.data(), 3, 4, 4) | op::store(p.data() + 8), onepass_extent_2d(1, 4)) ==
        ONEPASS_ERROR_OVERLAP);  // also where these rows do not reach so far
  onepass_leaf_t leaf{};
  op::per_channel(p.data(), 3, 4, 4).describe(leaf);
  CHECK(leaf.count == 12);
  op::per_channel(p.data(), INT64_C(1) << 40, INT64_C(1) << 40, 4).describe(leaf);
  CHECK(leaf.count == INT32_MAX);
  op::per_channel(p.data(), INT32_MAX, 1, 4).describe(leaf);
  CHECK(leaf.count == INT32_MAX);
  op::per_channel(p.data(), 1, INT64_C(1) << 32, 4).describe(leaf);
  CHECK(leaf.count == INT32_MAX);
}

namespace {

// Roundings of R, relative to the terms of the result.
template <class R, class T>
void check_group_norm() {
  worst w;
  for (const images shape : {images{2, 4, 8, 9}, images{3, 2, 3, 1}, images{1, 1, 5, 49}, images{2, 8, 1, 64}}) {
    const onepass_extent_t extent = shape.extent();
    const auto rows = static_cast<std::size_t>(extent.rows), columns = static_cast<std::size_t>(extent.columns),
               all = static_cast<std::size_t>(shape.groups * shape.channels);
    const matrix<T> x(rows, columns, uniform<T>(rows * columns, -3, 5));
    const std::vector<T> gamma = uniform<T>(all, -2, 2, 5), beta = uniform<T>(all, -1, 1, 6);
    const matrix<T> y = rows_through<T>(
        x, op::layer_norm(shape.source(gamma.data()), shape.source(beta.data()), 1e-5));
    for (std::size_t r = 0; r < rows; ++r) {
      const row_truth truth(x.row(r));
      for (std::size_t c = 0; c < columns; ++c) {
        const auto k = static_cast<std::size_t>(
            shape.channel(static_cast<std::int64_t>(r), static_cast<std::int64_t>(c)));
        const long double z = (value(x(r, c)) - truth.mean) / std::sqrt(truth.variance + 1e-5L);
        const long double exact = z * value(gamma[k]) + value(beta[k]);
        const long double terms = (1 + std::fabs(z)) * std::fabs(value(gamma[k])) + std::fabs(value(beta[k]));
        w.add(roundings<R>(y(r, c), exact, terms), exact);
      }
    }
  }
  CHECK(w <= 3);
}

}  // namespace

TEST_CASE("a group norm") {
  check_group_norm<float, float>();
  check_group_norm<float, bf16>();
  check_group_norm<double, double>();
}
