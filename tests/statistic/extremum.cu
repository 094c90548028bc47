// SPDX-License-Identifier: Apache-2.0
// minimum, maximum, argmin and argmax of every type: infinities, NaN, zeros, ties.
#include <onepass/statistic/extremum.cuh>

#include <cstdint>
#include <limits>

#include "catch.hpp"
#include "result.hpp"

namespace op = onepass;
using namespace test;

namespace {

const float inf = std::numeric_limits<float>::infinity(), not_number = std::numeric_limits<float>::quiet_NaN();

}  // namespace

namespace {

// All extremes of an array in one pass.
template <class T>
struct extremes {
  T least, greatest, value_at_least, value_at_greatest;
  std::int64_t at_least = -7, at_greatest = -7;
  explicit extremes(const std::vector<T> &x) {
    on_host(op::load(x.data()) | op::reduce(op::several(op::minimum, op::maximum, op::argmin, op::argmax), &least,
                                            &greatest, &value_at_least, &at_least, &value_at_greatest, &at_greatest),
            x.size());
  }
};

// One value that differs, at every place of arrays of every length.
template <class T>
void extremes_of(T low, T middle, T high) {
  for (std::size_t n = 1; n < 40; n += 1 + n / 9) {
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<T> x(n, middle);
      x[i] = low;
      const extremes<T> d(x);
      CHECK(value(d.least) == value(low));
      CHECK(value(d.value_at_least) == value(low));
      CHECK(d.at_least == static_cast<std::int64_t>(i));
      x[i] = high;
      const extremes<T> e(x);
      CHECK(value(e.greatest) == value(high));
      CHECK(value(e.value_at_greatest) == value(high));
      CHECK(e.at_greatest == static_cast<std::int64_t>(i));
    }
  }
}

template <class T>
void extremes_of_integers() {
  using limits = std::numeric_limits<T>;
  extremes_of<T>(limits::min(), static_cast<T>(limits::max() - 1), limits::max());
  extremes_of<T>(static_cast<T>(limits::max() - 2), static_cast<T>(limits::max() - 1), limits::max());
}

}  // namespace

TEST_CASE("minimum, maximum and their places, of every type") {
  extremes_of_integers<std::int8_t>();
  extremes_of_integers<std::uint8_t>();
  extremes_of_integers<std::int16_t>();
  extremes_of_integers<std::uint32_t>();
  extremes_of_integers<std::int32_t>();
  extremes_of_integers<std::int64_t>();
  extremes_of_integers<std::uint64_t>();
  extremes_of<std::int64_t>(INT64_C(1) << 53, (INT64_C(1) << 53) + 1, (INT64_C(1) << 53) + 2);
  extremes_of<f16>(nearest<f16>(-HUGE_VALL), nearest<f16>(1), nearest<f16>(HUGE_VALL));
  extremes_of<bf16>(nearest<bf16>(-HUGE_VALL), nearest<bf16>(1), nearest<bf16>(HUGE_VALL));
  extremes_of<float>(1.0f, std::nextafter(1.0f, 2.0f), 2);
  extremes_of<double>(-infinity, 0, 1e-320);
}

TEST_CASE("extremes of infinities alone, of zeros and of subnormals") {
  const auto alone = [](auto x) {
    using T = decltype(x);
    for (const std::size_t n : {1u, 10u, 300u}) {
      const extremes<T> e(std::vector<T>(n, x));
      CHECK(value(e.least) == value(x));
      CHECK(value(e.greatest) == value(x));
      CHECK(value(e.value_at_least) == value(x));
      CHECK(value(e.value_at_greatest) == value(x));
      CHECK(e.at_least == 0);
      CHECK(e.at_greatest == 0);
    }
  };
  for (const long double x : {HUGE_VALL, -HUGE_VALL}) {
    alone(nearest<f16>(x));
    alone(nearest<bf16>(x));
    alone(nearest<float>(x));
    alone(nearest<double>(x));
  }
  const extremes<float> zeros({0.0f, -0.0f, 0.0f, -0.0f, 0.0f});
  CHECK(std::signbit(zeros.least));
  CHECK_FALSE(std::signbit(zeros.greatest));
  CHECK(zeros.at_least == 0);  // zeros are equal
  CHECK(zeros.at_greatest == 0);
  const extremes<float> small({1e-45f, 3e-45f, 3e-45f, 1e-45f});
  CHECK(small.least == 1e-45f);
  CHECK(small.greatest == 3e-45f);
  CHECK(small.at_greatest == 1);
  CHECK(small.at_least == 0);
}

TEST_CASE("NaN wins at every place, the first one in argmin and argmax") {
  const auto check = [](auto type) {
    using T = decltype(type);
    for (const std::size_t n : {1u, 4u, 5u, 16u, 37u}) {
      for (std::size_t i = 0; i < n; ++i) {
        std::vector<T> x(n, nearest<T>(2));
        x[0] = nearest<T>(HUGE_VALL);
        x[n - 1] = nearest<T>(-HUGE_VALL);
        for (std::size_t k = i; k < n; k += 3) x[k] = nearest<T>(std::nanl(""));
        const extremes<T> e(x);
        CHECK(std::isnan(value(e.least)));
        CHECK(std::isnan(value(e.greatest)));
        CHECK(std::isnan(value(e.value_at_least)));
        CHECK(std::isnan(value(e.value_at_greatest)));
        CHECK(e.at_least == static_cast<std::int64_t>(i));
        CHECK(e.at_greatest == static_cast<std::int64_t>(i));
      }
    }
  };
  check(f16{});
  check(bf16{});
  check(float{});
  check(double{});
}

TEST_CASE("argmin and argmax take the lowest index of equal values") {
  std::mt19937 bits(3);
  for (int round = 0; round < 300; ++round) {
    std::vector<float> x(1 + bits() % 50);
    for (float &y : x) {
      const unsigned k = bits() % 8;
      y = k == 0                     ? -inf
          : k == 1 && round % 3 == 0 ? not_number
          : k == 2                   ? -0.0f
          : k == 3                   ? 0.0f
                                     : static_cast<float>(k % 3) - 1;
    }
    std::size_t least = 0, greatest = 0;
    for (std::size_t i = 1; i < x.size(); ++i) {
      if (!std::isnan(x[least]) && (std::isnan(x[i]) || x[i] < x[least])) least = i;
      if (!std::isnan(x[greatest]) && (std::isnan(x[i]) || x[i] > x[greatest])) greatest = i;
    }
    const extremes<float> e(x);
    CHECK(e.at_least == static_cast<std::int64_t>(least));
    CHECK(same(e.value_at_least, x[least]));
    CHECK(e.at_greatest == static_cast<std::int64_t>(greatest));
    CHECK(same(e.value_at_greatest, x[greatest]));
  }
}

TEST_CASE("argmin and argmax compare before they convert, and count along the rows") {
  const std::vector<float> x = {1.2f, 1.9f, 1.5f, 1.8f, 1.7f, 1.6f};
  std::int32_t v = 0;
  std::uint8_t at = 0;
  on_host(op::load(x.data()) | op::reduce(op::argmax, &v, &at), onepass_extent_2d(2, 3));
  CHECK(v == 2);  // 1.9 to nearest even
  CHECK(at == 1);
  const std::vector<float> falling = {1.9f, 1.2f};
  on_host(op::load(falling.data()) | op::reduce(op::argmin, &v, &at), 2);
  CHECK(v == 1);
  CHECK(at == 1);
  const std::vector<float> padded = {1, 2, 99, 3, 0, 99};
  std::int64_t index = 0;
  on_host(op::load(padded.data(), 3) | op::reduce(op::argmax, &v, &index), onepass_extent_2d(2, 2));
  CHECK(index == 2);  // row 1, column 0
  CHECK(v == 3);
}

TEST_CASE("the extremes of nothing") {
  const extremes<float> f({});
  CHECK(f.least == inf);
  CHECK(f.value_at_least == inf);
  CHECK(f.at_least == -1);
  CHECK(f.greatest == -inf);
  CHECK(f.value_at_greatest == -inf);
  CHECK(f.at_greatest == -1);
  const extremes<std::uint16_t> u({});
  CHECK(u.least == UINT16_MAX);
  CHECK(u.value_at_least == UINT16_MAX);
  CHECK(u.greatest == 0);
  CHECK(u.at_greatest == -1);
}
