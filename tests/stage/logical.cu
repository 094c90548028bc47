// SPDX-License-Identifier: Apache-2.0
// Logical ops: tables of truth; NaN is true, both zeros are false.
#include <onepass/stage/logical.cuh>

#include <cstdint>
#include <type_traits>

#include "catch.hpp"
#include "util.hpp"

namespace op = onepass;
using namespace test;

static_assert(std::is_same_v<behind<float, decltype(op::logical_and(1))>, bool>);
static_assert(std::is_same_v<behind<std::uint8_t, decltype(op::logical_not)>, bool>);
static_assert(std::is_same_v<behind<float, decltype(op::logical_not | op::add(1))>, int>);

namespace {

using results = std::vector<std::uint8_t>;

}  // namespace

TEST_CASE("tables of truth") {
  const std::vector<std::uint8_t> a = {0, 0, 1, 2};
  const std::vector<double> b = {0, 1e-300, -0.0, -1};
  CHECK(through<std::uint8_t>(a, op::logical_and(op::load(b.data()))) == results{0, 0, 0, 1});
  CHECK(through<std::uint8_t>(a, op::logical_or(op::load(b.data()))) == results{0, 1, 1, 1});
  CHECK(through<std::uint8_t>(a, op::logical_xor(op::load(b.data()))) == results{0, 1, 1, 0});
  CHECK(through<std::uint8_t>(a, op::logical_not) == results{1, 1, 0, 0});
}

TEST_CASE("what is not zero is true, NaN and the least number too") {
  const auto check = [](auto type) {
    using T = decltype(type);
    const std::vector<T> x = sweep<T>(1 << 12);
    const results falsehood = through<std::uint8_t>(x, op::logical_not),
                  truth = through<std::uint8_t>(x, op::logical_and(true));
    int different = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
      different += falsehood[i] != (value(x[i]) == 0) || truth[i] != !(value(x[i]) == 0);
    CHECK(different == 0);
  };
  check(f16{});
  check(bf16{});
  check(float{});
  check(double{});
}

TEST_CASE("a bare integer keeps its type") {
  const std::vector<std::int32_t> x = {0, 1};
  CHECK(through<std::uint8_t>(x, op::logical_or(INT64_C(1) << 40)) == results{1, 1});
  CHECK(through<std::uint8_t>(x, op::logical_xor(true)) == results{1, 0});
}
