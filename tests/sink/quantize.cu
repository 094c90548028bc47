// SPDX-License-Identifier: Apache-2.0
// Quantised stores: the scale exactly, each value as it is rounded over that scale, and back within half a step. Rows of
// nothing but zeros, of tiny numbers, with infinity and NaN.
#include <onepass/sink/quantize.cuh>
#include <onepass/unfused.cuh>

#include <cfloat>
#include <cstdint>
#include <limits>

#include "../stage/row.hpp"
#include "catch.hpp"

namespace op = onepass;
namespace detail = onepass::detail;
using namespace test;

namespace {

using e4m3 = __nv_fp8_e4m3;
using e5m2 = __nv_fp8_e5m2;
using e8m0 = __nv_fp8_e8m0;

const float inf = std::numeric_limits<float>::infinity(), not_number = std::numeric_limits<float>::quiet_NaN();
const float least_scale = std::ldexp(1.0f, -126);

template <class Q>
constexpr float greatest = std::numeric_limits<Q>::max();
template <>
constexpr float greatest<e4m3> = 448;
template <>
constexpr float greatest<e5m2> = 57344;

// The value of a stored number or scale; conversions are tested in convert.cu.
template <class T>
float number(T x) {
  return static_cast<float>(detail::widen(x));
}
template <class Q>
bool equal(Q a, Q b) {
  return same(number(a), number(b));
}

// The distance of neighbouring numbers of Q around v.
template <class Q>
long double step_at(long double v) {
  if constexpr (std::is_integral_v<Q>) return 1;
  constexpr bool is_e4m3 = std::is_same_v<Q, e4m3>;
  const int least = is_e4m3 ? -6 : -14, exponent = v == 0 ? least : std::max(std::ilogb(v), least);
  return std::scalbn(1.0L, exponent - (is_e4m3 ? 3 : 2));
}

// The scale of values up to `most`, a number.
template <class Q, class Scale>
float scale_for(float most) {
  if constexpr (std::is_same_v<Scale, float>) {
    return std::max(most / greatest<Q>, least_scale);
  } else {
    int power = -126;
    while (std::scalbn(static_cast<long double>(most), -power) > static_cast<long double>(greatest<Q>)) ++power;
    return std::ldexp(1.0f, power);
  }
}

// Whether x[0, n) and q are one group of that scale.
template <class Q, class Scale, class In>
bool is_group(const In *x, const Q *q, std::size_t n, Scale scale) {
  float most = 0;
  for (std::size_t i = 0; i < n; ++i) most = std::max(most, std::fabs(static_cast<float>(value(x[i]))));
  const float s = number(scale), inverse = 1 / s, exact = scale_for<Q, Scale>(most);
  if (s != exact) {
    UNSCOPED_INFO("scale " << s << " and not " << exact);
    return false;
  }
  for (std::size_t i = 0; i < n; ++i) {
    const auto v = static_cast<float>(value(x[i]));
    const long double back = static_cast<long double>(number(q[i])) * static_cast<long double>(s);
    const long double half = step_at<Q>(value(v) / static_cast<long double>(s)) * static_cast<long double>(s) / 2;
    if (!equal(q[i], detail::narrow<Q>(v * inverse)) ||
        !(std::fabs(value(x[i]) - back) <= half + std::scalbn(std::fabs(value(x[i])), -22))) {
      UNSCOPED_INFO("element " << i << " of " << n << ": " << v << " is " << number(q[i]) << " of " << s);
      return false;
    }
  }
  return true;
}

// Rows of sizes far apart.
template <class In>
matrix<In> some_rows(std::size_t rows, std::size_t columns, unsigned seed) {
  matrix<In> x(rows, columns, 4);
  const std::vector<double> values = uniform<double>(rows * columns, -1, 1, seed);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c) {
      const double size = std::ldexp(100.0, 4 * static_cast<int>((r + c / 32) % 3) - 4), v = size * values[r * columns + c];
      if constexpr (std::is_integral_v<In>) x(r, c) = static_cast<In>(v * 1000);
      else x(r, c) = nearest<In>(v);
    }
  return x;
}

template <class Q, class In, class Scale>
void check_rows() {
  for (std::size_t i = 0; i < row_widths; ++i) {
    const std::size_t n = row_width(i), rows = 4;
    const matrix<In> x = some_rows<In>(rows, n, static_cast<unsigned>(i));
    matrix<Q> q(rows, n, 5);
    matrix<Scale> scales(1, rows, 2);
    on_host(x.load() | op::quantize_rows(q.store(), scales.data.data()), x.extent());
    bool right = true;
    for (std::size_t r = 0; right && r < rows; ++r) right = is_group(&x(r, 0), &q(r, 0), n, scales(0, r));
    CHECK(right);
    CHECK(q.gaps_are_untouched());
    CHECK(scales.gaps_are_untouched());
  }
}

template <int Columns, class Q, class In, class Scale>
void check_groups() {
  constexpr std::size_t group = Columns;
  for (const std::size_t n : {std::size_t{1}, std::size_t{5}, std::size_t{16}, std::size_t{31}, std::size_t{32},
                              std::size_t{33}, std::size_t{47}, group - 1, group, group + 1, 2 * group, 3 * group,
                              3 * group + 17, std::size_t{1000}, std::size_t{2048}}) {
    const std::size_t rows = 3, groups = (n + group - 1) / group;
    const matrix<In> x = some_rows<In>(rows, n, static_cast<unsigned>(n));
    matrix<Q> q(rows, n, 5);
    matrix<Scale> scales(rows, groups, 3);
    CHECK(launch_on_host(x.load() | op::quantize_groups<Columns>(q.store(), scales.data.data(),
                                                                 static_cast<std::int64_t>(scales.pitch)),
                         x.extent()) == ONEPASS_SUCCESS);
    bool right = true;
    for (std::size_t r = 0; right && r < rows; ++r)
      for (std::size_t g = 0; right && g < groups; ++g)
        right = is_group(&x(r, g * group), &q(r, g * group), std::min(group, n - g * group), scales(r, g));
    CHECK(right);
    CHECK(q.gaps_are_untouched());
    CHECK(scales.gaps_are_untouched());

    // Without a pitch: the same where the columns are whole groups, and of one row; else nothing is written.
    matrix<Q> dense(rows, n, 5), untouched = dense;
    matrix<Scale> together(1, rows * groups, 3);
    const auto p = x.load() | op::quantize_groups<Columns>(dense.store(), together.data.data());
    if (n % group == 0) {
      CHECK(launch_on_host(p, x.extent()) == ONEPASS_SUCCESS);
      bool equals = true;
      for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t g = 0; g < groups; ++g) equals &= equal(scales(r, g), together(0, r * groups + g));
      CHECK(equals);
    } else {
      CHECK(launch_on_host(p, x.extent()) == ONEPASS_ERROR_GROUPS);
      const matrix<Scale> none(1, rows * groups, 3);
      CHECK(std::memcmp(together.data.data(), none.data.data(), none.data.size() * sizeof(Scale)) == 0);
      CHECK(std::memcmp(dense.data.data(), untouched.data.data(), dense.data.size() * sizeof(Q)) == 0);
      CHECK(launch_on_host(p, onepass_extent_1d(static_cast<std::int64_t>(n))) == ONEPASS_SUCCESS);
      bool equals = true;
      for (std::size_t g = 0; g < groups; ++g) equals &= equal(scales(0, g), together(0, g));
      CHECK(equals);
    }
    CHECK(together.gaps_are_untouched());
    CHECK(dense.gaps_are_untouched());
  }
}

// A row, or a group, of 40 columns or fewer.
template <class Q, class Scale>
struct quantized {
  std::vector<Q> rows, groups;
  Scale row_scale, group_scale;

  explicit quantized(const std::vector<float> &x) : rows(x.size()), groups(x.size()) {
    on_host(op::load(x.data()) | op::quantize_rows(op::store(rows.data()), &row_scale), x.size());
    on_host(op::load(x.data()) | op::quantize_groups<64>(op::store(groups.data()), &group_scale), x.size());
  }
  bool has(float scale, const std::vector<float> &q) const {
    UNSCOPED_INFO("scales " << number(row_scale) << " and " << number(group_scale));
    bool right = same(number(row_scale), scale) && same(number(group_scale), scale);
    for (std::size_t i = 0; right && i < q.size(); ++i) {
      UNSCOPED_INFO("element " << i << ": " << number(rows[i]) << " and " << number(groups[i]));
      right = same(number(rows[i]), q[i]) && same(number(groups[i]), q[i]);
    }
    return right;
  }
};

}  // namespace

TEST_CASE("a scale for each row, of any width") {
  SECTION("e4m3 of f32") { check_rows<e4m3, float, float>(); }
  SECTION("e5m2 of f16") { check_rows<e5m2, f16, e8m0>(); }
  SECTION("e4m3 of bf16") { check_rows<e4m3, bf16, e8m0>(); }
  SECTION("int8 of bf16") { check_rows<std::int8_t, bf16, float>(); }
  SECTION("int16 of f64") { check_rows<std::int16_t, double, float>(); }
  SECTION("int8 of int32") { check_rows<std::int8_t, std::int32_t, e8m0>(); }
}

TEST_CASE("a scale for each group of columns, of rows of any width") {
  SECTION("e4m3 of bf16, by 32") { check_groups<32, e4m3, bf16, e8m0>(); }
  SECTION("int8 of f16, by 64") { check_groups<64, std::int8_t, f16, float>(); }
  SECTION("e4m3 of f32, by 128") { check_groups<128, e4m3, float, float>(); }
  SECTION("e5m2 of int32, by 128") { check_groups<128, e5m2, std::int32_t, e8m0>(); }
  SECTION("int16 of f64, by 256") { check_groups<256, std::int16_t, double, float>(); }
  SECTION("e5m2 of bf16, by 512") { check_groups<512, e5m2, bf16, e8m0>(); }
  SECTION("int8 of f16, by 1024") { check_groups<1024, std::int8_t, f16, float>(); }
  SECTION("e4m3 of f32, by 2048") { check_groups<2048, e4m3, float, e8m0>(); }
  SECTION("int16 of f64, by 4096") { check_groups<4096, std::int16_t, double, float>(); }
  SECTION("e4m3 of bf16, by 8192") { check_groups<8192, e4m3, bf16, float>(); }
}

// One value, whose size is near the greatest number times a power of two.
TEST_CASE("a scale of UE8M0 is the least power of two that is enough") {
  const auto check = [](auto type) {
    using Q = decltype(type);
    int wrong = 0;
    for (int power = -149; power < 128; power += power % 7 == 0 ? 3 : 1)
      for (int step = -2; step <= 2; ++step) {
        float x = std::ldexp(greatest<Q>, power - std::ilogb(greatest<Q>));
        for (int i = 0; i < std::abs(step); ++i) x = std::nextafter(x, step < 0 ? 0.0f : inf);
        if (!std::isfinite(x)) continue;
        Q q, g;
        e8m0 row, group;
        on_host(op::load(&x) | op::quantize_rows(op::store(&q), &row), 1);
        on_host(op::load(&x) | op::quantize_groups<32>(op::store(&g), &group), 1);
        wrong += number(row) != scale_for<Q, e8m0>(x) || number(group) != number(row);
        wrong += !equal(q, detail::narrow<Q>(x / number(row))) || !equal(q, g);
      }
    CHECK(wrong == 0);
  };
  check(e4m3{});
  check(e5m2{});
  check(std::int8_t{});
  check(std::int16_t{});
}

TEST_CASE("rows of zeros and of tiny numbers have a scale whose inverse is a number") {
  const std::vector<float> zeros(33, 0.0f);
  CHECK(quantized<e4m3, float>(zeros).has(least_scale, zeros));
  CHECK(quantized<e5m2, e8m0>(zeros).has(least_scale, zeros));
  CHECK(quantized<std::int8_t, float>(zeros).has(least_scale, zeros));
  CHECK(quantized<std::int16_t, e8m0>(zeros).has(least_scale, zeros));

  const std::vector<float> tiny(33, 1e-30f);
  CHECK(quantized<e4m3, float>(tiny).has(1e-30f / 448, std::vector<float>(33, 448)));
  CHECK(quantized<std::int8_t, float>(tiny).has(1e-30f / 127, std::vector<float>(33, 127)));
  const auto powers = quantized<e4m3, e8m0>(tiny);
  CHECK(number(powers.row_scale) == scale_for<e4m3, e8m0>(1e-30f));
  CHECK(std::fabs(number(powers.rows[7]) * number(powers.row_scale) - 1e-30f) <= 1e-30f / 16);

  // Subnormal numbers: over 2^-126 they are fractions.
  const std::vector<float> less = {1e-40f, -1e-40f, FLT_TRUE_MIN, 0, -0.0f, std::ldexp(1.0f, -127)};
  std::vector<float> q8, q1;
  for (const float x : less) {
    q8.push_back(number(detail::narrow<e4m3>(x / least_scale)));
    q1.push_back(number(detail::narrow<std::int8_t>(x / least_scale)));
  }
  CHECK(quantized<e4m3, float>(less).has(least_scale, q8));
  CHECK(quantized<e4m3, e8m0>(less).has(least_scale, q8));
  CHECK(quantized<std::int8_t, float>(less).has(least_scale, q1));
  CHECK(q8[5] == 0.5f);

  // The greatest numbers beside the least: no NaN, no inf.
  const std::vector<float> wide = {FLT_MAX, -FLT_MAX, 1, FLT_TRUE_MIN, 0};
  CHECK(quantized<e4m3, float>(wide).has(FLT_MAX / 448, {448, -448, 0, 0, 0}));
  CHECK(quantized<std::int16_t, float>(wide).has(FLT_MAX / 32767, {32767, -32767, 0, 0, 0}));
  CHECK(number(quantized<std::int8_t, e8m0>(wide).row_scale) == std::ldexp(1.0f, 122));
}

TEST_CASE("NaN and infinity make the scale, and are NaN, or 0, in their row alone") {
  for (const std::size_t at : {0u, 15u, 16u, 31u, 32u}) {
    std::vector<float> x(33, 2);
    x[at] = not_number;
    CHECK(quantized<e4m3, float>(x).has(not_number, std::vector<float>(33, not_number)));
    CHECK(quantized<e5m2, e8m0>(x).has(not_number, std::vector<float>(33, not_number)));
    CHECK(quantized<std::int8_t, float>(x).has(not_number, std::vector<float>(33, 0)));
    CHECK(quantized<std::int16_t, e8m0>(x).has(not_number, std::vector<float>(33, 0)));
    for (const float end : {inf, -inf}) {
      x[at] = end;
      std::vector<float> q(33, 0);
      CHECK(quantized<std::int8_t, float>(x).has(inf, q));
      q[at] = not_number;
      CHECK(quantized<e4m3, float>(x).has(inf, q));
      CHECK(quantized<e4m3, e8m0>(x).has(std::ldexp(1.0f, 127), q));  // the greatest that there is
    }
  }
  // Groups and rows beside it are as if it were not there.
  matrix<float> x(3, 96, std::vector<float>(1, 3.0f));
  x(1, 40) = not_number;
  x(1, 95) = inf;
  std::vector<float> by_row(3), by_group(9);
  matrix<std::int8_t> q(3, 96), g(3, 96);
  on_host(x.load() | op::quantize_rows(q.store(), by_row.data()), x.extent());
  on_host(x.load() | op::quantize_groups<32>(g.store(), by_group.data()), x.extent());
  for (std::size_t r = 0; r < 3; ++r) {
    CHECK(same(by_row[r], r == 1 ? not_number : 3.0f / 127));
    for (std::size_t k = 0; k < 3; ++k)
      CHECK(same(by_group[3 * r + k], r != 1 || k == 0 ? 3.0f / 127 : k == 1 ? not_number : inf));
    for (std::size_t c = 0; c < 96; ++c) {
      CHECK(q(r, c) == (r == 1 ? 0 : 127));
      CHECK(g(r, c) == (r == 1 && c >= 32 ? 0 : 127));
    }
  }
}

namespace {

// x over a scale, by the words and by hand.
template <class Q, class In, class Word, class F>
void check_static(const matrix<In> &x, const Word &word, const F &by_hand) {
  matrix<Q> q(x.rows, x.columns, 5);
  on_host(x.load() | word(q.store()), x.extent());
  bool right = true;
  for (std::size_t r = 0; r < x.rows; ++r)
    for (std::size_t c = 0; c < x.columns; ++c)
      right &= equal(q(r, c), detail::narrow<Q>(by_hand(static_cast<detail::compute_t<In>>(value(x(r, c))), r, c)));
  CHECK(right);
  CHECK(q.gaps_are_untouched());
}
template <class Q, class In>
void check_static() {
  const matrix<In> x = some_rows<In>(5, 41, 3);
  using V = std::conditional_t<std::is_same_v<In, double>, double, float>;
  const std::vector<float> row = uniform<float>(5, 0.1, 2), column = uniform<float>(41, 0.1, 2);
  const float one = 0.3f;
  e8m0 power[5];
  for (int r = 0; r < 5; ++r) power[r] = detail::narrow<e8m0>(std::ldexp(1.0f, r - 2));
  const auto over = [](auto v, float scale) { return static_cast<V>(v) / static_cast<V>(scale); };
  if constexpr (!std::is_integral_v<In>)
    check_static<Q>(x, [](auto store) { return op::quantize(store, 0.037); },
                    [](auto v, std::size_t, std::size_t) { return v * static_cast<V>(1 / 0.037); });
  check_static<Q>(x, [](auto store) { return op::cast<float>() | op::quantize(store, 3); },
                  [](auto v, std::size_t, std::size_t) { return static_cast<float>(v) * static_cast<float>(1 / 3.0); });
  check_static<Q>(x, [&](auto store) { return op::quantize(store, op::per_row(row.data())); },
                  [&](auto v, std::size_t r, std::size_t) { return over(v, row[r]); });
  check_static<Q>(x, [&](auto store) { return op::quantize(store, op::per_row(power)); },
                  [&](auto v, std::size_t r, std::size_t) { return over(v, std::ldexp(1.0f, static_cast<int>(r) - 2)); });
  check_static<Q>(x, [&](auto store) { return op::quantize(store, op::per_column(column.data())); },
                  [&](auto v, std::size_t, std::size_t c) { return over(v, column[c]); });
  check_static<Q>(x, [&](auto store) { return op::quantize(store, op::value_at(&one)); },
                  [&](auto v, std::size_t, std::size_t) { return over(v, one); });
}

}  // namespace

TEST_CASE("with a scale that is given") {
  check_static<e4m3, float>();
  check_static<e5m2, bf16>();
  check_static<std::int8_t, f16>();
  check_static<std::int16_t, double>();
  check_static<std::int8_t, std::int32_t>();
}

TEST_CASE("stores saturate, and round to nearest even") {
  const std::vector<float> x = {-200, -128.5f, -2.5f, -1.5f, -0.5f, 0.5f, 1.5f, 2.5f, 126.5f, 127.4f, 127.5f, 200,
                                inf, -inf, not_number};
  const std::vector<std::int8_t> expected = {-128, -128, -2, -2, 0, 0, 2, 2, 126, 127, 127, 127, 127, -128, 0};
  std::vector<std::int8_t> q(15);
  on_host(op::load(x.data()) | op::quantize(op::store(q.data()), 1), x.size());
  CHECK(q == expected);
  std::vector<float> halves;
  for (const float v : x) halves.push_back(v / 2);
  on_host(op::load(halves.data()) | op::quantize(op::store(q.data()), 0.5), x.size());
  CHECK(q == expected);

  const std::vector<float> wide = {448, 449, 464, 465, 1000, -1000, inf, not_number};
  const std::vector<float> wide_q = {448, 448, 448, 448, 448, -448, 448, not_number};
  std::vector<e4m3> f(8);
  on_host(op::load(wide.data()) | op::quantize(op::store(f.data()), 1), 8);
  for (std::size_t i = 0; i < 8; ++i) CHECK(same(number(f[i]), wide_q[i]));
  const std::vector<float> wider = {57344, 60000, 61440, 1e6f, inf, not_number};
  std::vector<e5m2> h(6);
  on_host(op::load(wider.data()) | op::quantize(op::store(h.data()), 1), 6);
  for (std::size_t i = 0; i < 6; ++i) CHECK(same(number(h[i]), i < 5 ? 57344 : not_number));
}

TEST_CASE("behind rms_norm, beside a store and a statistic, all in one pass") {
  const std::size_t rows = 4, n = 200;
  const matrix<bf16> x(rows, n, uniform<bf16>(rows * n, -3, 3));
  const std::vector<bf16> gamma = uniform<bf16>(n, 0.5, 1.5, 9);
  matrix<float> y(rows, n), again(rows, n);
  matrix<e4m3> q(rows, n), alone(rows, n), by_row(rows, n), row_alone(rows, n);
  matrix<float> scales(rows, 2), scales_alone(rows, 2);
  std::vector<float> most(rows), row_scales(rows), row_scales_alone(rows), largest(rows);
  const auto pitch = static_cast<std::int64_t>(scales.pitch);
  on_host(x.load() | op::rms_norm(gamma.data(), 1e-5) | op::tee(y.store()) |
              op::tee(op::reduce_rows(op::maximum, most.data())) |
              op::quantize_groups<128>(q.store(), scales.data.data(), pitch),
          x.extent());
  on_host(y.load() | op::quantize_groups<128>(alone.store(), scales_alone.data.data(), pitch), x.extent());
  on_host(x.load() | op::rms_norm(gamma.data(), 1e-5) | op::tee(again.store()) |
              op::tee(op::reduce_rows(op::maximum, largest.data())) |
              op::quantize_rows(by_row.store(), row_scales.data()),
          x.extent());
  on_host(y.load() | op::quantize_rows(row_alone.store(), row_scales_alone.data()), x.extent());
  CHECK(again.data == y.data);
  CHECK(scales.data == scales_alone.data);
  CHECK(row_scales == row_scales_alone);
  CHECK(most == largest);
  for (std::size_t r = 0; r < rows; ++r) {
    const std::vector<float> row = y.row(r);
    CHECK(most[r] == *std::max_element(row.begin(), row.end()));
    CHECK(is_group(&y(r, 0), &q(r, 0), 128, scales(r, 0)));
    CHECK(is_group(&y(r, 128), &q(r, 128), n - 128, scales(r, 1)));
    CHECK(is_group(&y(r, 0), &by_row(r, 0), n, row_scales[r]));
  }
  CHECK(std::memcmp(q.data.data(), alone.data.data(), q.data.size()) == 0);
  CHECK(std::memcmp(by_row.data.data(), row_alone.data.data(), q.data.size()) == 0);
}

TEST_CASE("in place, where the type is the same") {
  const std::vector<std::int16_t> x = uniform<std::int16_t>(300, -1000, 1000);
  std::vector<std::int16_t> q(300), inside = x, groups(300), groups_inside = x;
  float scales[3], inside_scales[3], group_scales[6], group_inside_scales[6];
  const onepass_extent_t extent = onepass_extent_2d(3, 100);
  CHECK(launch_on_host(op::load(x.data()) | op::quantize_rows(op::store(q.data()), scales), extent) == ONEPASS_SUCCESS);
  CHECK(launch_on_host(op::load(inside.data()) | op::quantize_rows(op::store(inside.data()), inside_scales), extent) ==
        ONEPASS_SUCCESS);
  CHECK(launch_on_host(op::load(x.data()) | op::quantize_groups<64>(op::store(groups.data()), group_scales, 2),
                       extent) == ONEPASS_SUCCESS);
  CHECK(launch_on_host(op::load(groups_inside.data()) |
                           op::quantize_groups<64>(op::store(groups_inside.data()), group_inside_scales, 2),
                       extent) == ONEPASS_SUCCESS);
  CHECK(q == inside);
  CHECK(groups == groups_inside);
  for (int i = 0; i < 3; ++i) CHECK(scales[i] == inside_scales[i]);
  for (int i = 0; i < 6; ++i) CHECK(group_scales[i] == group_inside_scales[i]);
}

TEST_CASE("nothing to quantise: rows of nothing have the least scale, groups have none") {
  float scales[4] = {7, 7, 7, 7};
  std::int8_t q[1] = {7};
  const float *const none = nullptr;
  CHECK(launch_on_host(op::load(none) | op::quantize_rows(op::store(q), scales), onepass_extent_2d(0, 9)) ==
        ONEPASS_SUCCESS);
  CHECK(scales[0] == 7);
  CHECK(launch_on_host(op::load(none) | op::quantize_groups<32>(op::store(q), scales), onepass_extent_2d(3, 0)) ==
        ONEPASS_SUCCESS);
  CHECK(scales[0] == 7);
  CHECK(launch_on_host(op::load(none) | op::quantize_rows(op::store(q), scales), onepass_extent_2d(3, 0)) ==
        ONEPASS_SUCCESS);
  for (int r = 0; r < 3; ++r) CHECK(scales[r] == least_scale);
  CHECK(scales[3] == 7);
  CHECK(q[0] == 7);
}

TEST_CASE("the arrays of a quantised store are checked, and its scales counted") {
  std::vector<float> x(640), scales(64);
  std::vector<std::int8_t> q(640);
  const onepass_extent_t rows = onepass_extent_2d(10, 64);
  const auto by_group = [&](float *s, std::int64_t pitch) {
    return op::load(x.data()) | op::quantize_groups<32>(op::store(q.data()), s, pitch);
  };
  const auto by_row = [&](float *s) { return op::load(x.data()) | op::quantize_rows(op::store(q.data()), s); };
  CHECK(launch_on_host(by_group(scales.data(), ONEPASS_DENSE), rows) == ONEPASS_SUCCESS);
  CHECK(launch_on_host(by_group(scales.data(), 2), rows) == ONEPASS_SUCCESS);
  CHECK(launch_on_host(by_group(scales.data(), 1), rows) == ONEPASS_ERROR_OVERLAPPING_ROWS);
  CHECK(launch_on_host(by_group(nullptr, 2), rows) == ONEPASS_ERROR_NULL);
  CHECK(launch_on_host(by_group(x.data() + 30, 2), rows) == ONEPASS_ERROR_OVERLAP);
  CHECK(launch_on_host(by_group(x.data() + 640 - 1, 2), rows) == ONEPASS_ERROR_OVERLAP);
  CHECK(launch_on_host(by_group(x.data(), ONEPASS_DENSE), onepass_extent_1d(1)) == ONEPASS_ERROR_OVERLAP);
  CHECK(launch_on_host(by_row(scales.data()), rows) == ONEPASS_SUCCESS);
  CHECK(launch_on_host(by_row(nullptr), rows) == ONEPASS_ERROR_NULL);
  CHECK(launch_on_host(by_row(x.data()), rows) == ONEPASS_ERROR_OVERLAP);
  CHECK(launch_on_host(by_row(x.data() + 639), rows) == ONEPASS_ERROR_OVERLAP);

  const auto moves = [](const auto &p, onepass_extent_t extent, std::int64_t read, std::int64_t written) {
    using P = std::decay_t<decltype(p)>;
    const onepass_cost_t cost = detail::cost_of<P>(), apart = detail::unfused_cost_of<P>();
    const onepass_traffic_t t = onepass_traffic_of_cost(&cost, extent), u = onepass_traffic_of_cost(&apart, extent);
    UNSCOPED_INFO("read " << t.bytes_read << ", written " << t.bytes_written << "; apart: " << u.bytes_read << " and "
                          << u.bytes_written << " in " << u.kernels);
    return t.bytes_read == read && t.bytes_written == written && t.kernels == 1 && u.bytes_read == read &&
           u.bytes_written == written && u.kernels == 1;
  };
  const onepass_extent_t crooked = onepass_extent_2d(10, 70);
  CHECK(moves(by_row(scales.data()), crooked, 4 * 700, 700 + 4 * 10));
  CHECK(moves(by_group(scales.data(), 4), crooked, 4 * 700, 700 + 4 * 3 * 10));
  CHECK(moves(by_group(scales.data(), 2), rows, 4 * 640, 640 + 4 * 2 * 10));
  e8m0 powers[40];
  e4m3 f[700];
  const bf16 *const xh = nullptr;
  CHECK(moves(op::load(xh) | op::quantize_groups<32>(op::store(f), powers, 4), crooked, 2 * 700, 700 + 3 * 10));
  CHECK(moves(op::load(xh) | op::quantize_rows(op::store(f), powers), crooked, 2 * 700, 700 + 10));
  CHECK(moves(op::load(xh) | op::quantize(op::store(f), op::per_row(x.data())), crooked, 2 * 700 + 4 * 10, 700));
}

TEST_CASE("what the plan knows of a group") {
  const float *const x = nullptr;
  const bf16 *const h = nullptr;
  std::int8_t *const q = nullptr;
  std::int16_t *const w = nullptr;
  float *const s = nullptr;
  const auto neighbours = [](const auto &p) {
    const onepass_geometry_t geometry = detail::geometry_of<std::decay_t<decltype(p)>>();
    CHECK(geometry.family == ONEPASS_ROW);
    return geometry.neighbours * geometry.lanes;
  };
  CHECK(neighbours(op::load(x) | op::quantize_groups<32>(op::store(q), s)) == 32);
  CHECK(neighbours(op::load(h) | op::quantize_groups<128>(op::store(q), s)) == 128);
  CHECK(neighbours(op::load(x) | op::quantize_groups<256>(op::store(w), s)) == 256);
  CHECK(neighbours(op::load(h) | op::rms_norm(1e-5) | op::quantize_groups<64>(op::store(w), s)) == 64);
  CHECK(neighbours(op::load(h) | op::quantize_groups<8192>(op::store(q), s)) == 8192);
  CHECK(detail::geometry_of<std::decay_t<decltype(op::load(x) | op::quantize_rows(op::store(q), s))>>().neighbours == 1);
}
