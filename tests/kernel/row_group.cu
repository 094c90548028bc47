// SPDX-License-Identifier: Apache-2.0
// On a device: groups of columns that more than a warp holds, quantised behind a map and behind a norm by every strategy
// that can: the scales and values of float64, of rows of any width and alignment, and back again.
#include <cmath>
#include <limits>

#include "row.hpp"

namespace {

using e4m3 = __nv_fp8_e4m3;
using e5m2 = __nv_fp8_e5m2;
using e8m0 = __nv_fp8_e8m0;
using std::int8_t;

template <class T>
double number(T x) {
  return static_cast<double>(op::detail::widen(x));
}

// The greatest number of Q, and the distance of its numbers around v.
template <class Q>
constexpr double greatest = std::is_same_v<Q, e4m3> ? 448 : std::is_same_v<Q, e5m2> ? 57344 : 127;
template <class Q>
double step_at(double v) {
  if constexpr (std::is_same_v<Q, int8_t>) {
    return 1;
  } else {
    constexpr bool is_e4m3 = std::is_same_v<Q, e4m3>;
    const int least = is_e4m3 ? -6 : -14;
    return std::ldexp(1.0, std::max(v == 0 ? least : std::ilogb(v), least) - (is_e4m3 ? 3 : 2));
  }
}

// Whether y[0, n) is one group q of that scale, where each y is known to a relative `error`.
template <class Q, class Scale>
bool is_group(const double *y, const Q *q, std::int64_t n, Scale scale, double error) {
  double most = 0;
  for (std::int64_t i = 0; i < n; ++i) most = std::fmax(most, std::fabs(y[i]));
  const double s = number(scale), exact = std::fmax(most / greatest<Q>, 0x1p-126);
  if constexpr (std::is_same_v<Scale, float>) {
    if (!(std::fabs(s - exact) <= error * exact)) return false;
  } else {  // the least power of two that is enough
    if (std::ldexp(1.0, std::ilogb(s)) != s || !(s >= exact * (1 - error))) return false;
    if (s > 0x1p-126 && !(s / 2 < exact * (1 + error))) return false;
  }
  for (std::int64_t i = 0; i < n; ++i)
    if (!(std::fabs(number(q[i]) * s - y[i]) <= step_at<Q>(y[i] / s) * s / 2 + error * std::fabs(y[i]))) return false;
  return true;
}

// Rows of which each group has its own greatest value, at any place; the first row is zeros.
std::vector<bf16> some_rows(std::int64_t rows, std::int64_t n, std::int64_t group) {
  std::vector<bf16> x = random_values<bf16>(rows * n);
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t first = 0, g = 0; first < n; first += group, ++g) {
      const auto width = static_cast<std::uint64_t>(std::min(group, n - first));
      const std::uint64_t place = g % 3 == 0 ? 0 : g % 3 == 1 ? width - 1 : generator()() % width;
      const float most = 4.5f + static_cast<float>((3 * r + g) % 7) / 2;
      x[static_cast<std::size_t>(r * n + first) + place] = op::detail::narrow<bf16>(g % 2 == 0 ? most : -most);
    }
  for (std::int64_t i = 0; i < n; ++i) x[static_cast<std::size_t>(i)] = op::detail::narrow<bf16>(0.0f);
  return x;
}

struct times_five_quarters {
  auto stages(const float *) const { return op::multiply(1.25); }
  double operator()(double x, double, double) const { return 1.25 * x; }
  static constexpr double error = 0x1p-23;  // the scale's rounding, and its inverse's
  static constexpr bool same_bits = true;   // on the host and in every strategy
};
struct normalized {
  auto stages(const float *gamma) const { return op::rms_norm(gamma, 1e-6); }
  double operator()(double x, double squares, double gamma) const { return x / std::sqrt(squares + 1e-6) * gamma; }
  static constexpr double error = rounding<float>();
  static constexpr bool same_bits = false;
};

template <class T>
bool equal(const std::vector<T> &a, const std::vector<T> &b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

// What a launch leaves, without what was there before.
template <class Q, class Scale>
struct quantised {
  std::vector<Q> q;
  std::vector<Scale> scales;
};

template <int Group, class Q, class Scale, class Head>
void check_groups(const Head &head) {
  constexpr std::int64_t group = Group, rows = 5;
  const std::vector<std::int64_t> columns =
      reduced() ? std::vector<std::int64_t>{group + 3}
                : std::vector<std::int64_t>{1, 97, group - 1, group, group + 3, 5 * group / 2 + 16, 3 * group, 33001};
  for (const std::int64_t n : columns) {
    const std::int64_t groups = (n + group - 1) / group, pitch = groups + 1;
    const std::vector<bf16> x = some_rows(rows, n, group);
    const std::vector<float> gamma = random_values<float>(n);
    std::vector<double> y(x.size());
    for (std::int64_t r = 0; r < rows; ++r) {
      double squares = 0;
      for (std::int64_t c = 0; c < n; ++c) squares += std::pow(number(x[static_cast<std::size_t>(r * n + c)]), 2);
      for (std::int64_t c = 0; c < n; ++c)
        y[static_cast<std::size_t>(r * n + c)] =
            head(number(x[static_cast<std::size_t>(r * n + c)]), squares / static_cast<double>(n),
                 static_cast<double>(gamma[static_cast<std::size_t>(c)]));
    }
    const auto wrong_groups = [&](const quantised<Q, Scale> &of) {
      int wrong = 0;
      for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t g = 0; g < groups; ++g) {
          const auto at = static_cast<std::size_t>(r * n + g * group);
          wrong += !is_group(&y[at], &of.q[at], std::min(group, n - g * group),
                             of.scales[static_cast<std::size_t>(r * pitch + g)], Head::error);
        }
      return wrong;
    };
    const auto extent = op::extent(rows, n);
    quantised<Q, Scale> host{std::vector<Q>(x.size()), std::vector<Scale>(static_cast<std::size_t>(rows * pitch))};
    std::memset(static_cast<void *>(host.scales.data()), 0xA5, host.scales.size() * sizeof(Scale));
    OP_CHECK(op::launch(op::load(x.data()) | head.stages(gamma.data()) |
                            op::quantize_groups<Group>(op::store(host.q.data()), host.scales.data(), pitch),
                        extent, on_host()));
    CHECK(wrong_groups(host) == 0);

    for (const std::int64_t skip : {0, 1, 3}) {
      const device_array<bf16> in(rows * n + 4);
      in.put(x, skip);
      const device_array<float> vector(gamma);
      const device_array<Q> q(rows * n + 4);
      const device_array<Scale> scales(rows * pitch);
      for (const auto strategy : {ONEPASS_ROW_AUTO, ONEPASS_ROW_BLOCK, ONEPASS_ROW_CLUSTER, ONEPASS_ROW_SHARED, ONEPASS_ROW_STREAM}) {
        INFO(Group << " of " << n << " columns, skip " << skip << ", " << onepass_row_strategy_string(strategy));
        q.fill(0xA5);
        scales.fill(0xA5);
        const auto launched = op::launch(op::load(in.at(skip)) | head.stages(vector.at()) |
                                             op::quantize_groups<Group>(op::store(q.at(skip)), scales.at(), pitch),
                                         extent, forced(strategy));
        // Rows are shared by 256 threads in shared memory, and by 512 in registers, where each has 2 packs of 16 columns.
        const std::int64_t held = 16 * 2 * 512;
        if ((strategy == ONEPASS_ROW_SHARED && group > 4096) || (strategy == ONEPASS_ROW_BLOCK && n > held)) {
          CHECK(launched == ONEPASS_ERROR_STRATEGY);
          CHECK(touched(q, 0, 0) == 0);
          continue;
        }
        OP_CHECK(launched);
        const quantised<Q, Scale> got{q.get(rows * n, skip), scales.get(rows * pitch)};
        CHECK(wrong_groups(got) == 0);
        if (Head::same_bits) CHECK((equal(got.q, host.q) && equal(got.scales, host.scales)));
        for (std::int64_t r = 0; r < rows; ++r)
          CHECK(std::memcmp(&got.scales[static_cast<std::size_t>(r * pitch + groups)], &host.scales[static_cast<std::size_t>(r * pitch + groups)], sizeof(Scale)) == 0);
        CHECK(touched(q, skip, rows * n) == 0);
        CHECK(touched(scales, 0, rows * pitch) == 0);
        if constexpr (Head::same_bits) {
          if (strategy != ONEPASS_ROW_AUTO) continue;
          const device_array<float> back(rows * n);
          OP_CHECK(op::launch(op::load(q.at(skip)) | op::multiply(op::per_group<Group>(scales.at(), pitch)) | op::store(back.at()), extent));
          const std::vector<float> values = back.get(rows * n);
          int wrong = 0;
          for (std::int64_t r = 0; r < rows; ++r)
            for (std::int64_t c = 0; c < n; ++c) {
              const auto i = static_cast<std::size_t>(r * n + c);
              const double exact = number(got.q[i]) * number(got.scales[static_cast<std::size_t>(r * pitch + c / group)]);
              wrong += values[i] != static_cast<float>(exact);
            }
          CHECK(wrong == 0);
        }
      }
    }
  }
}

}  // namespace

// Each size behind a map or a norm, each type and kind of scale at some: narrower groups have all of them elsewhere.
TEST_CASE("groups of 512 columns: 32 threads") { check_groups<512, e4m3, float>(times_five_quarters{}); }
TEST_CASE("groups of 1024 columns: two warps") {
  check_groups<1024, e5m2, e8m0>(times_five_quarters{});
  check_groups<1024, int8_t, float>(normalized{});
}
TEST_CASE("groups of 2048 columns: four warps") { check_groups<2048, int8_t, float>(times_five_quarters{}); }
TEST_CASE("groups of 4096 columns: eight warps") { check_groups<4096, e4m3, e8m0>(normalized{}); }
TEST_CASE("groups of 8192 columns: sixteen warps") {
  check_groups<8192, e5m2, float>(times_five_quarters{});
  check_groups<8192, e4m3, float>(normalized{});
}

TEST_CASE("groups of many warps beside other sinks, in segments") {
  const std::vector<std::int64_t> offsets = {0, 1, 1, 2049, 4097, 4100, 9000, 9000, 15001};
  const std::int64_t rows = 8, n = 15001, most = 6001, pitch = 4;
  const std::vector<float> x = random_values<float>(n);
  const device_array<std::int64_t> at(offsets);
  const device_array<float> in(x), y(n), scales(rows * pitch), largest(rows);
  const device_array<int8_t> q(n);
  std::vector<float> h_y(x.size()), h_scales(static_cast<std::size_t>(rows * pitch)), h_largest(static_cast<std::size_t>(rows));
  std::vector<int8_t> h_q(x.size());
  std::memset(h_scales.data(), 0xA5, h_scales.size() * sizeof(float));
  const auto pipeline = [&](const float *from, float *kept, float *greatest_of_row, int8_t *to, float *of) {
    return op::load(from) | op::multiply(2) | op::tee(op::store(kept)) | op::tee(op::reduce_rows(op::maximum, greatest_of_row)) |
           op::quantize_groups<2048>(op::store(to), of, pitch);
  };
  const std::vector<std::int64_t> h_at = offsets;
  OP_CHECK(op::launch(pipeline(x.data(), h_y.data(), h_largest.data(), h_q.data(), h_scales.data()), op::segments(h_at.data(), rows, most), on_host()));
  for (const auto strategy : {ONEPASS_ROW_AUTO, ONEPASS_ROW_CLUSTER, ONEPASS_ROW_STREAM}) {
    y.fill(0xA5);
    q.fill(0xA5);
    scales.fill(0xA5);
    OP_CHECK(op::launch(pipeline(in.at(), y.at(), largest.at(), q.at(), scales.at()), op::segments(at.at(), rows, most), forced(strategy)));
    CHECK(equal(y.get(n), h_y));
    CHECK(equal(q.get(n), h_q));
    CHECK(equal(scales.get(rows * pitch), h_scales));
    CHECK(equal(largest.get(rows), h_largest));
    CHECK(touched(q, 0, n) == 0);
    CHECK(touched(y, 0, n) == 0);
  }
}

// Scales by group and vectors by channel in front of a row stage, of rows that start misaligned and fill many blocks.
TEST_CASE("scales of groups and channels in front of a norm of wide misaligned rows") {
  const std::int64_t rows = 3, n = 50257, groups = (n + 127) / 128;
  const std::vector<bf16> x = random_values<bf16>(rows * n);
  const std::vector<float> scale = random_values<float>(rows * groups), channel = random_values<float>(7);
  const device_array<float> scales(scale), channels(channel);
  const device_array<bf16> in(rows * n + 1);
  in.put(x, 1);
  const device_array<float> y(rows * n), z(rows * n);
  y.fill(0xA5);
  z.fill(0xA5);
  OP_CHECK(op::launch(op::load(in.at(1)) | op::multiply(op::per_group<128>(scales.at(), groups)) | op::rms_norm(1e-6) | op::store(y.at()),
                      op::extent(rows, n)));
  OP_CHECK(op::launch(op::load(in.at(1)) | op::multiply(op::per_channel(channels.at(), 1, 7, 7180)) | op::rms_norm(1e-6) | op::store(z.at()),
                      op::extent(rows, n)));
  const std::vector<float> got_y = y.get(rows * n), got_z = z.get(rows * n);
  for (std::int64_t r = 0; r < rows; ++r)
    for (const bool grouped : {true, false}) {
      const auto value = [&](std::int64_t c) {
        const float by = grouped ? scale[static_cast<std::size_t>(r * groups + c / 128)] : channel[static_cast<std::size_t>(c / 7180)];
        return number(x[static_cast<std::size_t>(r * n + c)]) * static_cast<double>(by);
      };
      double squares = 0;
      for (std::int64_t c = 0; c < n; ++c) squares += value(c) * value(c);
      const double factor = 1 / std::sqrt(squares / static_cast<double>(n) + 1e-6);
      int wrong = 0;
      for (std::int64_t c = 0; c < n; ++c) {
        const double exact = value(c) * factor, got = static_cast<double>((grouped ? got_y : got_z)[static_cast<std::size_t>(r * n + c)]);
        wrong += !(std::fabs(got - exact) <= rounding<float>() * std::fabs(exact));
      }
      CHECK(wrong == 0);
    }
}
