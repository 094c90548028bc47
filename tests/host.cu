// SPDX-License-Identifier: Apache-2.0
// The host executor through the door: random shapes, pitches and offsets, in place; a refused call writes nothing.
#include <onepass/host.cuh>

#include <onepass/launch.cuh>

#include <cmath>
#include <cstdint>
#include <cstring>

#include "catch.hpp"
#include "util.hpp"

namespace op = onepass;
using namespace test;

namespace {

// An array inside a larger one that is filled with a mark.
template <class T>
struct window {
  std::vector<T> all;
  std::int64_t offset, pitch, rows, columns;

  window(std::mt19937 &bits, std::int64_t r, std::int64_t c)
      : offset(static_cast<std::int64_t>(bits() % 9)),
        pitch(c + static_cast<std::int64_t>(bits() % 6)),
        rows(r),
        columns(c) {
    all.assign(static_cast<std::size_t>(offset + rows * pitch + 8), mark());
  }
  static T mark() { return T{77}; }
  T *data() { return all.data() + offset; }
  T &at(std::int64_t r, std::int64_t c) { return all[static_cast<std::size_t>(offset + r * pitch + c)]; }
  void fill(std::mt19937 &bits) {
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t c = 0; c < columns; ++c) at(r, c) = static_cast<T>(bits() % 100);
  }
  // What lies outside the rows is as it was.
  bool intact() const {
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(all.size()); ++i) {
      const std::int64_t k = i - offset;
      const bool inside = k >= 0 && pitch > 0 && k / pitch < rows && k % pitch < columns;
      if (!inside && all[static_cast<std::size_t>(i)] != mark()) return false;
    }
    return true;
  }
};

// y = -x by the executor, against each element on its own.
template <class In, class Out>
int wrong_negations() {
  constexpr std::int64_t n = 4099;
  std::mt19937 bits(12);
  std::vector<In> x(n);
  std::vector<Out> y(n);
  for (In &e : x) e = op::detail::narrow<In>(std::ldexp(static_cast<float>(bits()) - 0x1p31f, -static_cast<int>(bits() % 48)));
  onepass_exec_t exec{};
  exec.where = ONEPASS_HOST;
  if (op::launch(op::load(x.data()) | op::negate | op::store(y.data()), op::extent(n), exec) != ONEPASS_SUCCESS) return -1;
  int wrong = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Out right = op::detail::narrow<Out>(-op::detail::widen(x[i]));
    wrong += std::memcmp(&y[i], &right, sizeof right) != 0;
  }
  return wrong;
}
template <class In>
int wrong_negations_to_all() {
  return wrong_negations<In, __nv_fp8_e4m3>() + wrong_negations<In, __nv_fp8_e5m2>() + wrong_negations<In, __half>() +
         wrong_negations<In, __nv_bfloat16>() + wrong_negations<In, float>();
}

}  // namespace

TEST_CASE("every float to every float, element by element") {
  CHECK(wrong_negations_to_all<__nv_fp8_e4m3>() == 0);
  CHECK(wrong_negations_to_all<__nv_fp8_e5m2>() == 0);
  CHECK(wrong_negations_to_all<__half>() == 0);
  CHECK(wrong_negations_to_all<__nv_bfloat16>() == 0);
  CHECK(wrong_negations_to_all<float>() == 0);
}

TEST_CASE("random shapes, pitches and offsets of mixed types") {
  std::mt19937 bits(11);
  for (int round = 0; round < 200; ++round) {
    const auto rows = static_cast<std::int64_t>(bits() % 7), columns = static_cast<std::int64_t>(bits() % 40);
    window<float> x(bits, rows, columns);
    window<std::uint8_t> r(bits, rows, columns);
    window<double> y(bits, rows, columns), kept(bits, rows, columns);
    window<float> gamma(bits, 1, columns);
    x.fill(bits);
    r.fill(bits);
    gamma.fill(bits);
    const auto p = op::load(x.data(), x.pitch) | op::add(op::load(r.data(), r.pitch)) |
                   op::tee(op::store(kept.data(), kept.pitch)) | op::multiply(op::per_column(gamma.data())) |
                   op::add(op::row()) | op::store(y.data(), y.pitch);
    REQUIRE(op::launch(p, op::extent(rows, columns), host()) == ONEPASS_SUCCESS);
    int wrong = 0;
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t k = 0; k < columns; ++k) {
        const float sum = x.at(i, k) + r.at(i, k);
        wrong += kept.at(i, k) != sum;
        wrong += y.at(i, k) != sum * gamma.at(0, k) + static_cast<float>(i);
      }
    INFO(rows << " x " << columns << ", offset " << y.offset << ", pitch " << y.pitch);
    CHECK(wrong == 0);
    CHECK((x.intact() && r.intact() && gamma.intact() && y.intact() && kept.intact()));
  }
}

TEST_CASE("every length, and in place") {
  for (std::int64_t n = 0; n < 70; ++n) {
    std::vector<bf16> x = uniform<bf16>(static_cast<std::size_t>(n) + 1, -8, 8);
    const std::vector<bf16> before = x;
    REQUIRE(op::launch(op::load(x.data()) | op::multiply(3) | op::store(x.data()), op::extent(n), host()) ==
            ONEPASS_SUCCESS);
    int wrong = value(x.back()) != value(before.back());  // the element behind
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i)
      wrong += value(x[i]) != rounded<bf16>(3 * value(before[i]));
    INFO("n = " << n);
    CHECK(wrong == 0);
  }
}

TEST_CASE("rows in place with a pitch") {
  std::mt19937 bits(5);
  window<float> x(bits, 5, 13);
  x.fill(bits);
  const window<float> before = x;
  REQUIRE(op::launch(op::load(x.data(), x.pitch) | op::multiply(2) | op::store(x.data(), x.pitch), op::extent(5, 13),
                     host()) == ONEPASS_SUCCESS);
  CHECK(x.intact());
  for (std::int64_t r = 0; r < 5; ++r)
    for (std::int64_t c = 0; c < 13; ++c) CHECK(x.at(r, c) == 2 * window<float>(before).at(r, c));
}

TEST_CASE("a sum has the same bits whatever the shape, the pitch and the offset") {
  const std::vector<float> values = uniform<float>(960, -1, 1);
  float expected = 0;
  on_host(op::load(values.data()) | op::reduce(op::sum, &expected), 960);
  for (const std::int64_t columns : {4, 8, 96, 960}) {  // rows of whole groups
    for (const std::int64_t gap : {0, 1, 5}) {
      const std::int64_t rows = 960 / columns, pitch = columns + gap;
      std::vector<float> x(static_cast<std::size_t>(rows * pitch + 3), 1e30f);
      for (std::int64_t i = 0; i < 960; ++i)
        x[static_cast<std::size_t>(i / columns * pitch + i % columns + 3)] = values[static_cast<std::size_t>(i)];
      float sum = 0;
      on_host(op::load(x.data() + 3, pitch) | op::reduce(op::sum, &sum), onepass_extent_2d(rows, columns));
      CHECK(sum == expected);
    }
  }
}

TEST_CASE("states combine in the order of the array, in a tree") {
  // With integers as values of f64 the association shows in nothing but the count of combinations.
  for (const std::size_t n : {1u, 2u, 3u, 8u, 9u, 1000u, 4097u}) {
    double sum = -1;
    on_host(op::index() | op::cast<double>() | op::reduce(op::sum, &sum), n);
    CHECK(sum == static_cast<double>(n) * static_cast<double>(n - 1) / 2);
  }
}

TEST_CASE("a refused call says why and writes nothing") {
  alignas(16) float x[16] = {}, y[16];
  for (float &v : y) v = 7;
  const auto run = [&](const float *from, std::int64_t from_pitch, float *to, std::int64_t to_pitch,
                       onepass_extent_t extent) {
    return op::launch(op::load(from, from_pitch) | op::multiply(2) | op::store(to, to_pitch), extent, host());
  };
  const onepass_extent_t extent = op::extent(2, 4);
  CHECK(run(nullptr, 4, y, 4, extent) == ONEPASS_ERROR_NULL);
  CHECK(run(x, 4, nullptr, 4, extent) == ONEPASS_ERROR_NULL);
  CHECK(run(x, 3, y, 4, extent) == ONEPASS_ERROR_PITCH);
  CHECK(run(x, 4, y, 3, extent) == ONEPASS_ERROR_OVERLAPPING_ROWS);
  CHECK(run(y, 4, y + 1, 4, extent) == ONEPASS_ERROR_OVERLAP);
  CHECK(run(y, 5, y, 4, extent) == ONEPASS_ERROR_OVERLAP);
  CHECK(run(x, 4, y, 4, op::extent(-1, 4)) == ONEPASS_ERROR_EXTENT);
  CHECK(run(reinterpret_cast<const float *>(reinterpret_cast<const char *>(x) + 2), 4, y, 4, extent) ==
        ONEPASS_ERROR_ALIGNMENT);
  for (const float v : y) CHECK(v == 7);
  CHECK(run(nullptr, 4, nullptr, 4, op::extent(0, 4)) == ONEPASS_SUCCESS);
  CHECK(run(nullptr, 4, nullptr, 4, op::extent(2, 0)) == ONEPASS_SUCCESS);
  CHECK(run(x, 4, y, 4, extent) == ONEPASS_SUCCESS);
  CHECK(y[0] == 0);
}

namespace {

struct on_device {
  static constexpr bool device_only = true;
  template <class T>
  __device__ float operator()(T x) const {
    return x;
  }
};

}  // namespace

TEST_CASE("a functor that exists on the device only has no host launch") {
  float x[4] = {}, y[4] = {7, 7, 7, 7};
  CHECK(op::launch(op::load(x) | op::fn(on_device{}) | op::store(y), op::extent(4), host()) ==
        ONEPASS_ERROR_DEVICE_ONLY);
  for (const float v : y) CHECK(v == 7);
}
