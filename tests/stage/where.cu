// SPDX-License-Identifier: Apache-2.0
// where: masks of every arithmetic type, the result's type, operands with stages of their own.
#include <onepass/stage/where.cuh>
#include <onepass/stage/arithmetic.cuh>

#include <cstdint>
#include <type_traits>

#include "catch.hpp"
#include "util.hpp"

namespace op = onepass;
using namespace test;

static_assert(std::is_same_v<behind<f16, decltype(op::where(true, 0))>, float>);
static_assert(std::is_same_v<behind<float, decltype(op::where(1, op::value(0.5)))>, double>);
static_assert(std::is_same_v<behind<std::int8_t, decltype(op::where(1, 0))>, int>);
static_assert(
    std::is_same_v<behind<std::uint8_t, decltype(op::where(1, op::load(static_cast<std::uint8_t *>(nullptr))))>,
                   std::uint8_t>);

namespace {

template <class Mask>
void check_mask(const std::vector<Mask> &mask) {
  const std::vector<float> x = {1, 2, 3, 4};
  const std::vector<float> y = through<float>(x, op::where(op::load(mask.data()), -1));
  for (std::size_t i = 0; i < x.size(); ++i) CHECK(y[i] == (value(mask[i]) == 0 ? -1 : x[i]));
}

}  // namespace

TEST_CASE("the value where the mask is not zero, the operand elsewhere") {
  check_mask<std::uint8_t>({0, 1, 255, 0});
  check_mask<std::int64_t>({INT64_MIN, 0, INT64_C(1) << 32, -1});
  check_mask<float>({0, -0.0f, 1e-45f, std::numeric_limits<float>::quiet_NaN()});
  check_mask<double>({0, 1e-320, -infinity, not_a_number});
  check_mask<f16>({nearest<f16>(0), nearest<f16>(-0.0L), nearest<f16>(6e-8L), nearest<f16>(std::nanl(""))});
  const bool b[] = {true, false, true, false};
  CHECK(through<float>(std::vector<float>{1, 2, 3, 4}, op::where(op::load(b), op::value(0))) ==
        std::vector<float>{1, 0, 3, 0});
}

TEST_CASE("the other value is not computed with") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> x = {1, nan, 3}, other = {nan, 2, nan};
  CHECK(through<float>(x, op::where(op::load(x.data()) | op::is_nan | op::logical_not, op::load(other.data()))) ==
        std::vector<float>{1, 2, 3});
}

TEST_CASE("mask and operand have stages of their own") {
  const std::vector<float> x = {-2, -0.5f, 0.5f, 2};
  CHECK(through<float>(x, op::where(op::load(x.data()) | op::abs | op::less(1), op::load(x.data()) | op::square)) ==
        std::vector<float>{4, -0.5f, 0.5f, 4});
  CHECK(through<float>(x, op::where(op::index() | op::less(2), 9)) == std::vector<float>{-2, -0.5f, 9, 9});
  CHECK(through<bf16>(x, op::where(nearest<f16>(0), nearest<bf16>(3)))[0] == nearest<bf16>(3));
}

TEST_CASE("a choice between types is made in their common type") {
  const std::vector<std::int32_t> x = {-1, 7};
  const std::vector<std::uint8_t> mask = {0, 1};
  CHECK(through<double>(x, op::where(op::load(mask.data()), op::value(0.5))) == std::vector<double>{0.5, 7});
  CHECK(through<std::int64_t>(x, op::where(op::load(mask.data()), op::value(INT64_C(1) << 40))) ==
        std::vector<std::int64_t>{INT64_C(1) << 40, 7});
}
