// SPDX-License-Identifier: Apache-2.0
// random and random_normal: the published answers of Philox, independence of groups and shapes, moments, accuracy.
#include <onepass/source/random.cuh>

#include <array>
#include <cstdint>

#include "catch.hpp"
#include "util.hpp"

namespace op = onepass;
using namespace test;

namespace {

using block = std::array<std::uint32_t, 4>;

block philox(const block &c, std::uint32_t k0, std::uint32_t k1) {
  const auto w = op::detail::philox({{c[0], c[1], c[2], c[3]}}, k0, k1);
  return {w[0], w[1], w[2], w[3]};
}

// Word of an element, by the definition alone.
std::uint32_t word(std::uint64_t seed, std::uint64_t offset, std::uint64_t i) {
  const std::uint64_t low = i / 4 + offset;
  const block c = {static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(low >> 32), low < offset, 0};
  return philox(c, static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32))[i % 4];
}

template <class Source>
std::vector<float> draw(const Source &source, std::size_t n) {
  std::vector<float> y(n);
  on_host(source | op::store(y.data()), n);
  return y;
}

constexpr std::uint64_t seed = 0x0123456789abcdef;

}  // namespace

TEST_CASE("Philox4x32-10 gives its published answers") {
  CHECK(philox({0, 0, 0, 0}, 0, 0) == block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, 0xffffffff, 0xffffffff) ==
        block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0xa4093822, 0x299f31d0) ==
        block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("an element is the upper 24 bits of its word") {
  const std::vector<float> y = draw(op::random(seed, 5), 1003);
  for (std::size_t i = 0; i < y.size(); ++i) CHECK(y[i] == std::ldexp(static_cast<float>(word(seed, 5, i) >> 8), -24));
}

TEST_CASE("offset skips counters of four elements, with a carry") {
  const std::vector<float> y = draw(op::random(seed), 100), later = draw(op::random(seed, 3), 88);
  for (std::size_t i = 0; i < later.size(); ++i) CHECK(later[i] == y[i + 12]);
  const op::detail::random_words words{seed, UINT64_MAX};
  const auto w = words.get<8>(0);
  const auto k0 = static_cast<std::uint32_t>(seed), k1 = static_cast<std::uint32_t>(seed >> 32);
  for (int i = 0; i < 4; ++i) {
    CHECK(w[i] == philox({0xffffffff, 0xffffffff, 0, 0}, k0, k1)[static_cast<std::size_t>(i)]);
    CHECK(w[i + 4] == philox({0, 0, 1, 0}, k0, k1)[static_cast<std::size_t>(i)]);
  }
  const std::int64_t far = INT64_C(1) << 62;  // elements beyond 32 bits of counters
  const auto at = op::place<4>(0, far, 1, far + 4);
  CHECK((op::random(1) | op::multiply(1)).get<4>(at)[1] ==
        std::ldexp(static_cast<float>(word(1, 0, (UINT64_C(1) << 62) + 1) >> 8), -24));
}

namespace {

// A group anywhere has the numbers of its elements, whatever is said of its alignment.
template <int N, op::access A, class Source>
void check_groups(const Source &source, const std::vector<float> &all) {
  bool equal = true;
  for (std::int64_t index = 0; index + N <= static_cast<std::int64_t>(all.size()); ++index) {
    const op::position<N, A> at{0, index, index, N, false, false};
    const auto v = source.template get<N>(at);
    for (int i = 0; i < N; ++i) equal = equal && v[i] == all[static_cast<std::size_t>(index + i)];
  }
  CHECK(equal);
}
template <class Source>
void check_source(const Source &source) {
  const std::vector<float> all = draw(source, 64);
  check_groups<1, op::access::any>(source, all);
  check_groups<2, op::access::any>(source, all);
  check_groups<4, op::access::any>(source, all);
  check_groups<8, op::access::any>(source, all);
  check_groups<16, op::access::any>(source, all);
  check_groups<2, op::access::aligned>(source, all);
  check_groups<4, op::access::whole>(source, all);
  check_groups<8, op::access::whole>(source, all);
  // Rows of any width are cut from the same sequence; a store of another type changes the lanes of a group.
  for (const std::int64_t columns : {1, 3, 4, 7}) {
    std::vector<float> y(64);
    std::vector<double> z(64);
    const std::int64_t rows = 64 / columns;
    on_host(source | op::store(y.data(), columns), onepass_extent_2d(rows, columns));
    on_host(source | op::store(z.data(), columns), onepass_extent_2d(rows, columns));
    for (std::size_t i = 0; i < static_cast<std::size_t>(rows * columns); ++i) {
      CHECK(y[i] == all[i]);
      CHECK(static_cast<float>(z[i]) == all[i]);
    }
  }
}

}  // namespace

TEST_CASE("numbers depend on the flat index alone") {
  check_source(op::random(seed, 11));
  check_source(op::random_normal(seed, 11));
}

TEST_CASE("uniform numbers: range, moments, bytes, neighbours") {
  const std::size_t n = 1 << 20;
  const std::vector<float> y = draw(op::random(42), n);
  double sum = 0, squares = 0, lag = 0;
  bool inside = true;
  for (std::size_t i = 0; i < n; ++i) {
    const double d = static_cast<double>(y[i]) - 0.5;
    inside = inside && y[i] >= 0 && y[i] < 1;
    sum += d;
    squares += d * d;
    if (i > 0) lag += d * (static_cast<double>(y[i - 1]) - 0.5);
  }
  CHECK(inside);
  const double count = static_cast<double>(n);  // below: within four standard deviations
  CHECK(std::fabs(sum / count) < 4 * std::sqrt(1.0 / 12 / count));
  CHECK(std::fabs(squares / count - 1.0 / 12) < 4 * std::sqrt(1.0 / 180 / count));
  CHECK(std::fabs(lag / count) < 4 / 12.0 / std::sqrt(count));
  for (int shift = 0; shift < 32; shift += 8) {  // chi-square of each byte of the words, 255 degrees of freedom
    std::vector<int> times(256);
    for (std::size_t i = 0; i < n; ++i) ++times[word(42, 0, i) >> shift & 255];
    double chi = 0;
    for (const int t : times) chi += (t - count / 256) * (t - count / 256) / (count / 256);
    CHECK(std::fabs(chi - 255) < 4 * std::sqrt(2 * 255.0));
  }
}

TEST_CASE("other seeds and offsets are other numbers") {
  const std::vector<float> a = draw(op::random(1), 1 << 16), b = draw(op::random(2), 1 << 16),
                           c = draw(op::random(UINT64_C(1) | UINT64_C(1) << 32), 1 << 16),
                           d = draw(op::random(1, 1 << 14), 1 << 16);
  for (const auto *other : {&b, &c, &d}) {
    double product = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
      product += (static_cast<double>(a[i]) - 0.5) * (static_cast<double>((*other)[i]) - 0.5);
    CHECK(std::fabs(product) < 4 * std::sqrt(65536.0) / 12);
  }
}

TEST_CASE("normal numbers: moments, tails, halves of a pair") {
  const std::size_t n = 1 << 20;
  const std::vector<float> y = draw(op::random_normal(7), n);
  double m[5] = {}, pair = 0, beyond[4] = {};
  for (std::size_t i = 0; i < n; ++i) {
    const double x = static_cast<double>(y[i]);
    for (int k = 1; k <= 4; ++k) m[k] += std::pow(x, k);
    for (int k = 1; k < 4; ++k) beyond[k] += std::fabs(x) > k;
    if (i % 2 == 1) pair += x * static_cast<double>(y[i - 1]);
  }
  const double count = static_cast<double>(n), root = std::sqrt(count);
  CHECK(std::fabs(m[1]) < 4 * root);
  CHECK(std::fabs(m[2] - count) < 4 * std::sqrt(2.0) * root);
  CHECK(std::fabs(m[3]) < 4 * std::sqrt(15.0) * root);
  CHECK(std::fabs(m[4] - 3 * count) < 4 * std::sqrt(96.0) * root);
  CHECK(std::fabs(pair) < 4 * root / std::sqrt(2.0));
  for (int k = 1; k < 4; ++k) {
    const double p = std::erfc(k / std::sqrt(2.0));
    CHECK(std::fabs(beyond[k] - p * count) < 4 * std::sqrt(p * (1 - p) * count));
  }
}

TEST_CASE("normal numbers are Box and Muller's to a few ulp, and finite for every word") {
  const std::size_t n = 1 << 18;
  const std::vector<float> y = draw(op::random_normal(seed), n);
  const long double pi = 3.141592653589793238462643383279502884L;
  worst w;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t first = i & ~std::uint64_t{1};
    // The radius is that of u in f32, which counts near u = 1.
    const long double u = rounded<float>(rounded<float>(word(seed, 0, first)) / 4294967296.0L + std::ldexp(1.0L, -33));
    const long double angle = 2 * pi * word(seed, 0, first + 1) / 4294967296.0L, radius = std::sqrt(-2 * std::log(u));
    const long double exact = radius * (i % 2 == 0 ? std::cos(angle) : std::sin(angle));
    // The distance in ulp of the radius: near its zeros the angle's own rounding counts.
    w.add(static_cast<double>(std::fabs(value(y[i]) - exact) / ulp<float>(radius)), static_cast<long double>(y[i]));
  }
  CHECK(w <= 2.5);
  for (const std::uint32_t a : {0u, 1u, 0x7fffffffu, 0xfffffffeu, 0xffffffffu})
    for (const std::uint32_t b : {0u, 1u, 0x40000000u, 0x7fffffffu, 0x80000000u, 0xffffffffu})
      for (int i = 0; i < 2; ++i) CHECK(std::fabs(op::detail::box_muller(a, b)[i]) <= 6.77f);
}
