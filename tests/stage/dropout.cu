// SPDX-License-Identifier: Apache-2.0
// dropout: which elements are kept, how often, what the others become, the mask, and that it can be repeated.
#include <onepass/stage/dropout.cuh>

#include <cstdint>
#include <memory>

#include "catch.hpp"
#include "util.hpp"

namespace op = onepass;
using namespace test;

namespace {

constexpr std::uint64_t seed = 0x5eed;

// The words that decide, by elements.
std::vector<std::uint32_t> words(std::size_t n, std::uint64_t offset = 0) {
  std::vector<std::uint32_t> w(n);
  for (std::size_t i = 0; i < n; ++i)
    w[i] = op::detail::random_words{seed, offset}.get<1>(static_cast<std::int64_t>(i))[0];
  return w;
}

}  // namespace

TEST_CASE("an element is kept where its word is below (1 - p) 2^32, and scaled") {
  const std::size_t n = 1003;
  const std::vector<float> x = uniform<float>(n, 1, 2);
  const std::vector<std::uint32_t> w = words(n, 9);
  for (const double p : {0.0, 0.1, 0.25, 0.5, 0.9, 1.0}) {
    std::vector<float> y(n);
    std::vector<std::uint8_t> mask(n, 7);
    on_host(op::load(x.data()) | op::dropout(p, seed, 9, op::tee(op::store(mask.data()))) | op::store(y.data()), n);
    const std::vector<float> without_mask = through<float>(x, op::dropout(p, seed, 9));
    for (std::size_t i = 0; i < n; ++i) {
      const bool kept = w[i] < (1 - p) * 4294967296.0;
      CHECK(mask[i] == kept);
      CHECK(y[i] == (kept ? x[i] * static_cast<float>(1 / (1 - p)) : 0));
      CHECK(same(static_cast<long double>(without_mask[i]), static_cast<long double>(y[i])));
    }
  }
}

TEST_CASE("as often as is said") {
  const std::size_t n = 1 << 20;
  std::vector<std::uint8_t> ones(n, 1);
  for (const double p : {0.001, 0.1, 0.5, 0.9, 0.999}) {
    const std::vector<float> y = through<float>(std::vector<float>(n, 1.0f), op::dropout(p, seed));
    double kept = 0, sum = 0;
    for (const float v : y) {
      kept += v != 0;
      sum += static_cast<double>(v);
    }
    const double count = static_cast<double>(n), deviation = std::sqrt(p * (1 - p) * count);
    CHECK(std::fabs(kept - (1 - p) * count) < 4 * deviation);
    CHECK(std::fabs(sum - count) < 4 * deviation / (1 - p));  // the expectation of a value is the value
  }
  // Of the whole range of probabilities, to 2^-32.
  CHECK(op::detail::keep_but(0, 1, 0).kept == UINT64_C(1) << 32);
  CHECK(op::detail::keep_but(1, 1, 0).kept == 0);
  CHECK(op::detail::keep_but(std::ldexp(1.0, -32), 1, 0).kept == UINT32_MAX);
  CHECK(op::detail::keep_but(1 - std::ldexp(1.0, -32), 1, 0).kept == 1);
}

TEST_CASE("p = 0 changes nothing, p = 1 leaves nothing") {
  const std::vector<float> x = specials<float>(), kept = through<float>(x, op::dropout(0, seed)),
                           none = through<float>(x, op::dropout(1, seed));
  for (std::size_t i = 0; i < x.size(); ++i) {
    CHECK(same(static_cast<long double>(kept[i]), static_cast<long double>(x[i])));
    CHECK(same(static_cast<long double>(none[i]), 0));
  }
}

TEST_CASE("what is dropped is 0 whatever it was, what is kept stays NaN or an infinity") {
  for (const double special : {not_a_number, infinity, -infinity, -0.0}) {
    const std::vector<double> x(256, special), y = through<double>(x, op::dropout(0.5, seed));
    const std::vector<std::uint32_t> w = words(256);
    for (std::size_t i = 0; i < 256; ++i)
      CHECK(same(static_cast<long double>(y[i]), w[i] < 0x80000000u ? static_cast<long double>(special) : 0));
  }
}

TEST_CASE("the same elements for every type, shape and place in a pipeline") {
  const std::size_t n = 105;
  const std::vector<std::uint32_t> w = words(n);
  const std::vector<bf16> x(n, nearest<bf16>(1));
  std::vector<bf16> y(n), stages(n);
  const std::unique_ptr<bool[]> mask(new bool[n]);
  for (const std::int64_t columns : {1, 3, 5, 7, 15, 105}) {
    const auto drop = op::dropout(0.5, seed, op::tee(op::store(mask.get(), columns)));
    on_host(op::load(x.data()) | drop | op::store(y.data(), columns), onepass_extent_2d(105 / columns, columns));
    on_host(op::load(x.data()) | op::dropout(0.5, seed) | op::relu | op::store(stages.data()),
            onepass_extent_2d(105 / columns, columns));
    for (std::size_t i = 0; i < n; ++i) {
      CHECK(mask[i] == (w[i] < 0x80000000u));
      CHECK(value(y[i]) == (mask[i] ? 2 : 0));
      CHECK(value(stages[i]) == value(y[i]));
    }
  }
}
