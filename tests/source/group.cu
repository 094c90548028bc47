// SPDX-License-Identifier: Apache-2.0
// per_group: an element for each group of columns, of rows of any width and elements of any type, and back from a
// quantised store.
#include <onepass/source/group.cuh>

#include <cstdint>

#include "../stage/row.hpp"
#include "catch.hpp"

namespace op = onepass;
namespace detail = onepass::detail;
using namespace test;

namespace {

using e4m3 = __nv_fp8_e4m3;
using e5m2 = __nv_fp8_e5m2;
using e8m0 = __nv_fp8_e8m0;

template <class T>
auto number(T x) {
  return detail::widen(x);
}

// Elements that differ from their neighbours.
template <class T>
matrix<T> some_groups(std::size_t rows, std::size_t groups, std::size_t gap) {
  matrix<T> p(rows, groups, gap);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t g = 0; g < groups; ++g)
      p(r, g) = detail::narrow<T>(std::ldexp(1.0f, static_cast<int>((3 * r + g) % 7)));
  return p;
}

// As the source itself, and beside an array: with a pitch, and dense where there are whole groups or one row.
template <int Columns, class T>
void check_widths() {
  using V = detail::compute_t<T>;
  constexpr std::size_t group = Columns;
  for (const std::size_t n : {std::size_t{1}, std::size_t{4}, std::size_t{7}, std::size_t{31}, std::size_t{32},
                              std::size_t{33}, std::size_t{100}, group - 1, group, group + 1, 2 * group, 5 * group,
                              5 * group + 3}) {
    const std::size_t rows = 3, groups = (n + group - 1) / group;
    const onepass_extent_t extent = onepass_extent_2d(3, static_cast<std::int64_t>(n));
    const matrix<T> p = some_groups<T>(rows, groups, 2), together = some_groups<T>(rows, groups, 0);
    const matrix<float> x(rows, n, uniform<float>(rows * n, -2, 2));
    matrix<V> y(rows, n, 1);
    std::vector<V> alone(rows * n), dense(rows * n);
    const auto pitch = static_cast<std::int64_t>(p.pitch);
    CHECK(launch_on_host(op::per_group<Columns>(p.data.data(), pitch) | op::store(alone.data()), extent) ==
          ONEPASS_SUCCESS);
    CHECK(launch_on_host(x.load() | op::multiply(0) | op::add(op::per_group<Columns>(p.data.data(), pitch)) | y.store(),
                         extent) == ONEPASS_SUCCESS);
    const auto flat = op::per_group<Columns>(together.data.data()) | op::store(dense.data());
    const bool whole = n % group == 0;
    std::fill(dense.begin(), dense.end(), V{55});
    CHECK(launch_on_host(flat, extent) == (whole ? ONEPASS_SUCCESS : ONEPASS_ERROR_GROUPS));
    if (!whole) {
      CHECK(dense == std::vector<V>(rows * n, V{55}));
      CHECK(launch_on_host(flat, onepass_extent_1d(static_cast<std::int64_t>(n))) == ONEPASS_SUCCESS);
    }
    int wrong = 0;
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t c = 0; c < n; ++c) {
        const V exact = number(p(r, c / group));
        wrong += alone[r * n + c] != exact || y(r, c) != exact;
        if (whole || r == 0) wrong += dense[r * n + c] != exact;
      }
    INFO(n << " columns by " << Columns);
    CHECK(wrong == 0);
    CHECK(y.gaps_are_untouched());
  }
}

// A group of lanes that begins at any column, also where it lies in two groups or beyond the row.
template <int N, class P, class T>
int wrong_lanes(const P &pipeline, const matrix<T> &p, std::int64_t columns, std::int64_t group) {
  int wrong = 0;
  const auto rows = static_cast<std::int64_t>(p.rows);
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < columns; ++c) {
      const auto v = pipeline.template get<N>(op::place<N>(r, c, rows, columns));
      for (int i = 0; i < N && c + i < columns; ++i)
        wrong += v[i] != number(p(static_cast<std::size_t>(r), static_cast<std::size_t>((c + i) / group)));
    }
  return wrong;
}

}  // namespace

TEST_CASE("per_group of every type") {
  check_widths<32, float>();
  check_widths<32, double>();
  check_widths<32, f16>();
  check_widths<32, bf16>();
  check_widths<32, e4m3>();
  check_widths<32, e5m2>();
  check_widths<32, e8m0>();
  check_widths<32, std::int8_t>();
  check_widths<32, std::uint16_t>();
  check_widths<32, std::int32_t>();
  check_widths<32, std::uint64_t>();
}

TEST_CASE("per_group of every width") {
  check_widths<64, float>();
  check_widths<128, e8m0>();
  check_widths<256, float>();
  check_widths<2048, e8m0>();
  check_widths<65536, float>();
}

TEST_CASE("lanes begin in one group and end in the next") {
  const matrix<float> p = some_groups<float>(2, 4, 1);
  const auto pitch = static_cast<std::int64_t>(p.pitch);
  const auto by_32 = op::per_group<32>(p.data.data(), pitch) | op::multiply(1);
  const auto by_64 = op::per_group<64>(p.data.data(), pitch) | op::multiply(1);
  for (const std::int64_t columns : {1, 15, 32, 33, 96, 100, 128}) {
    CHECK(wrong_lanes<1>(by_32, p, columns, 32) == 0);
    CHECK(wrong_lanes<2>(by_32, p, columns, 32) == 0);
    CHECK(wrong_lanes<4>(by_32, p, columns, 32) == 0);
    CHECK(wrong_lanes<8>(by_32, p, columns, 32) == 0);
    CHECK(wrong_lanes<16>(by_32, p, columns, 32) == 0);
    CHECK(wrong_lanes<16>(by_64, p, columns, 64) == 0);
  }
  const matrix<float> dense = some_groups<float>(2, 4, 0);
  CHECK(wrong_lanes<16>(op::per_group<32>(dense.data.data()) | op::multiply(1), dense, 128, 32) == 0);
}

TEST_CASE("what was quantised comes back within half a step, scale times number") {
  const std::size_t rows = 3;
  for (const std::size_t n : {std::size_t{40}, std::size_t{128}, std::size_t{300}}) {
    const matrix<bf16> x(rows, n, uniform<bf16>(rows * n, -3, 3, static_cast<unsigned>(n)));
    matrix<e4m3> f(rows, n);
    matrix<std::int8_t> q(rows, n);
    const std::size_t groups = (n + 31) / 32;
    matrix<e8m0> powers(rows, groups);
    matrix<float> scales(rows, groups), y(rows, n), z(rows, n);
    const auto pitch = static_cast<std::int64_t>(scales.pitch);
    CHECK(launch_on_host(x.load() | op::quantize_groups<32>(f.store(), powers.data.data(), pitch), x.extent()) ==
          ONEPASS_SUCCESS);
    CHECK(launch_on_host(x.load() | op::quantize_groups<32>(q.store(), scales.data.data(), pitch), x.extent()) ==
          ONEPASS_SUCCESS);
    CHECK(launch_on_host(f.load() | op::multiply(op::per_group<32>(powers.data.data(), pitch)) | y.store(),
                         x.extent()) == ONEPASS_SUCCESS);
    CHECK(launch_on_host(q.load() | op::multiply(op::per_group<32>(scales.data.data(), pitch)) | z.store(),
                         x.extent()) == ONEPASS_SUCCESS);
    int wrong = 0;
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t c = 0; c < n; ++c) {
        const float power = number(powers(r, c / 32)), scale = scales(r, c / 32);
        const auto exact = static_cast<float>(value(x(r, c)));
        wrong += y(r, c) != number(f(r, c)) * power || z(r, c) != static_cast<float>(q(r, c)) * scale;
        wrong += !(std::fabs(y(r, c) - exact) <= std::max(std::fabs(exact) / 16, power / 1024));
        wrong += !(std::fabs(z(r, c) - exact) <= scale * 0.5001f);
      }
    CHECK(wrong == 0);
  }
}

TEST_CASE("scales are undone in front of a row stage, and new ones made in the same pass") {
  const std::size_t rows = 3, n = 192;
  const matrix<std::int8_t> q(rows, n, uniform<std::int8_t>(rows * n, -127, 127));
  const matrix<float> scales = some_groups<float>(rows, 3, 1);
  const auto pitch = static_cast<std::int64_t>(scales.pitch);
  matrix<float> x(rows, n), p(rows, n), again(rows, n);
  const auto by_64 = op::per_group<64>(scales.data.data(), pitch);
  on_host(q.load() | op::multiply(by_64) | op::multiply(0.01) | op::tee(x.store()) | op::softmax | p.store(), x.extent());
  for (std::size_t r = 0; r < rows; ++r) {
    long double sum = 0;
    const row_truth truth(x.row(r));
    for (std::size_t c = 0; c < n; ++c) {
      CHECK(x(r, c) == static_cast<float>(q(r, c)) * scales(r, c / 64) * 0.01f);
      CHECK(std::fabs(p(r, c) - std::exp(value(x(r, c)) - truth.most) / truth.powers) <= 1e-6L);
      sum += value(p(r, c));
    }
    CHECK(std::fabs(sum - 1) <= 1e-6L);
  }
  // Behind a row stage they are read late.
  on_host(x.load() | op::softmax | op::multiply(by_64) | again.store(), x.extent());
  matrix<std::int8_t> q2(rows, n);
  matrix<float> new_scales(rows, 3, 1), most(1, rows * 3);
  CHECK(launch_on_host(q.load() | op::multiply(by_64) |
                           op::quantize_groups<64>(q2.store(), new_scales.data.data(), pitch),
                       x.extent()) == ONEPASS_SUCCESS);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < n; ++c) {
      const float v = static_cast<float>(q(r, c)) * scales(r, c / 64);
      CHECK(again(r, c) == Approx(p(r, c) * scales(r, c / 64)).epsilon(1e-6));
      CHECK(std::fabs(static_cast<float>(q2(r, c)) * new_scales(r, c / 64) - v) <= new_scales(r, c / 64) * 0.5001f);
    }
}

TEST_CASE("a map with per_group sees rows, and its sinks stay off the scales") {
  std::vector<float> x(128), scales(8);
  const auto p = op::load(x.data()) | op::multiply(op::per_group<32>(scales.data())) | op::store(x.data());
  const onepass_geometry_t geometry = detail::geometry_of<std::decay_t<decltype(p)>>();
  CHECK(geometry.family == ONEPASS_MAP);
  CHECK(geometry.by_row);
  CHECK(geometry.neighbours <= 1);
  CHECK(launch_on_host(p, onepass_extent_2d(2, 64)) == ONEPASS_SUCCESS);
  // One row of 4 columns has one scale: the second may be overwritten, the first may not.
  const auto onto = [&](float *y) {
    return launch_on_host(op::load(x.data()) | op::multiply(op::per_group<32>(scales.data())) | op::store(y),
                          onepass_extent_1d(4));
  };
  CHECK(onto(scales.data() + 1) == ONEPASS_SUCCESS);
  CHECK(onto(scales.data()) == ONEPASS_ERROR_OVERLAP);
  const auto of = [&](const float *s) {
    return launch_on_host(op::load(x.data()) | op::multiply(op::per_group<32>(s, 2)) | op::store(x.data()),
                          onepass_extent_2d(2, 64));
  };
  CHECK(of(scales.data()) == ONEPASS_SUCCESS);
  CHECK(of(x.data() + 125) == ONEPASS_ERROR_OVERLAP);
  CHECK(of(nullptr) == ONEPASS_ERROR_NULL);
}
