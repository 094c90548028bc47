// SPDX-License-Identifier: Apache-2.0
// store: every length and pitch, in place, and nothing beside the elements is touched.
#include <onepass/sink/store.cuh>

#include <cstdint>

#include "catch.hpp"
#include "util.hpp"

namespace op = onepass;
using namespace test;

namespace {

// Bytes that no test stores.
template <class T>
T mark() {
  T x;
  std::memset(static_cast<void *>(&x), 0x5b, sizeof(T));
  return x;
}
template <class T>
bool is_mark(const T &x) {
  const T m = mark<T>();
  return std::memcmp(&x, &m, sizeof(T)) == 0;
}

}  // namespace

TEMPLATE_TEST_CASE("an array of every length, from every element on", "", bf16, float, double, std::uint8_t) {
  using T = TestType;
  for (std::size_t n = 0; n <= 35; ++n) {
    for (std::size_t offset = 0; offset < 17; offset += offset < 4 ? 1 : 5) {
      std::vector<T> y(offset + n + 20, mark<T>());
      on_host(op::index() | op::store(y.data() + offset), n);
      int wrong = 0;
      for (std::size_t i = 0; i < y.size(); ++i) {
        const bool inside = i >= offset && i < offset + n;
        wrong += inside ? value(y[i]) != static_cast<long double>(i - offset) : !is_mark(y[i]);
      }
      INFO("n = " << n << ", offset " << offset);
      CHECK(wrong == 0);
    }
  }
}

TEMPLATE_TEST_CASE("rows with a pitch, and nothing between them", "", bf16, double, std::uint8_t) {
  using T = TestType;
  for (const std::int64_t rows : {0, 1, 2, 5}) {
    for (const std::int64_t columns : {0, 1, 3, 4, 16, 21}) {
      for (const std::int64_t pitch : {columns, columns + 1, columns + 7}) {
        std::vector<T> y(static_cast<std::size_t>(rows * pitch + 9), mark<T>());
        on_host(op::index() | op::store(y.data(), pitch), onepass_extent_2d(rows, columns));
        int wrong = 0;
        for (std::int64_t i = 0; i < static_cast<std::int64_t>(y.size()); ++i) {
          const T stored = y[static_cast<std::size_t>(i)];
          const std::int64_t row = pitch > 0 ? i / pitch : rows, column = pitch > 0 ? i % pitch : 0;
          wrong += row < rows && column < columns ? value(stored) != static_cast<long double>(row * columns + column)
                                                  : !is_mark(stored);
        }
        INFO(rows << " x " << columns << ", pitch " << pitch);
        CHECK(wrong == 0);
      }
    }
  }
}

TEST_CASE("in place") {
  std::vector<float> x = uniform<float>(37, -1, 1);
  const std::vector<float> before = x;
  on_host(op::load(x.data()) | op::multiply(2) | op::add(op::load(x.data())) | op::store(x.data()), x.size());
  for (std::size_t i = 0; i < x.size(); ++i) CHECK(x[i] == before[i] * 2 + before[i]);
}

TEST_CASE("a store rounds to nearest even, saturates integers and keeps what fits") {
  const std::vector<double> x = {
      1 + std::ldexp(1, -8) + std::ldexp(1, -40), 65520, -0.0, 2.5, -200, 1e300, not_a_number};
  std::vector<bf16> bfloat(x.size());
  std::vector<f16> halves(x.size());
  std::vector<std::int8_t> integer(x.size());
  on_host(op::load(x.data()) | op::store(bfloat.data()), x.size());
  on_host(op::load(x.data()) | op::store(halves.data()), x.size());
  on_host(op::load(x.data()) | op::store(integer.data()), x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    CHECK(same(value(bfloat[i]), rounded<bf16>(x[i])));
    CHECK(same(value(halves[i]), rounded<f16>(x[i])));
  }
  CHECK(integer == std::vector<std::int8_t>{1, 127, 0, 2, -128, 127, 0});
  std::int64_t big = 0;
  on_host(op::value((INT64_C(1) << 53) + 1) | op::store(&big), 1);
  CHECK(big == (INT64_C(1) << 53) + 1);
}
