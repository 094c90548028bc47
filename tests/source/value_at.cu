// SPDX-License-Identifier: Apache-2.0
// value_at: a scalar in memory, read by the launch, in the type that a load of it has.
#include <onepass/source/value_at.cuh>

#include <cstdint>
#include <type_traits>

#include "catch.hpp"
#include "util.hpp"

namespace op = onepass;
namespace detail = onepass::detail;
using namespace test;

static_assert(
    std::is_same_v<behind<float, decltype(op::multiply(op::value_at(std::declval<const double *>())))>, double>);
static_assert(std::is_same_v<behind<float, decltype(op::multiply(op::value_at(std::declval<const f16 *>())))>, float>);
static_assert(
    std::is_same_v<behind<float, decltype(op::add(op::value_at(std::declval<const std::int8_t *>())))>, float>);

TEST_CASE("a scale that an earlier launch computed") {
  const std::vector<float> x = {1, 2, 3, 4, 5};
  std::vector<float> y(5);
  float scale = -1;
  const auto p = op::load(x.data()) | op::multiply(op::value_at(&scale)) | op::store(y.data());
  on_host(op::load(x.data()) | op::reduce(op::maximum, &scale), 5);
  on_host(p, 5);  // made before, it reads the scalar now
  CHECK(y == std::vector<float>{5, 10, 15, 20, 25});
}

TEST_CASE("a scalar of any type") {
  const f16 half_value = nearest<f16>(0.1L);
  const bf16 bfloat_value = nearest<bf16>(0.1L);
  const std::int64_t big = (INT64_C(1) << 53) + 1;
  const std::int8_t small = -128;
  const bool yes = true;
  const double third = 1.0 / 3;
  const std::vector<float> zero = {0, 0, 0};
  CHECK(through<float>(zero, op::add(op::value_at(&half_value)))[2] == static_cast<float>(rounded<f16>(0.1L)));
  CHECK(through<float>(zero, op::add(op::value_at(&bfloat_value)))[1] == static_cast<float>(rounded<bf16>(0.1L)));
  CHECK(through<double>(zero, op::add(op::value_at(&third)))[0] == third);
  CHECK(through<int>(std::vector<int>{1}, op::add(op::value_at(&small)))[0] == -127);
  CHECK(through<int>(std::vector<int>{1}, op::add(op::value_at(&yes)))[0] == 2);
  std::vector<std::int64_t> y(7);
  on_host(op::value_at(&big) | op::add(op::index()) | op::store(y.data()), 7);  // as the source of a pipeline
  for (std::int64_t i = 0; i < 7; ++i) CHECK(y[static_cast<std::size_t>(i)] == big + i);
}

TEST_CASE("it has stages of its own, and is read once whatever the extent") {
  const float mean = 3, deviation = 4;
  const std::vector<float> x = {3, 7, -1, 11};
  const auto p = op::subtract(op::value_at(&mean)) | op::divide(op::value_at(&deviation) | op::square | op::sqrt);
  CHECK(through<float>(x, p) == std::vector<float>{0, 1, -1, 2});
  using whole = decltype(op::load(x.data()) | p | op::store(std::declval<float *>()));
  const onepass_cost_t cost = detail::cost_of<whole>();
  CHECK(onepass_traffic_of_cost(&cost, onepass_extent_2d(3, 5)).bytes_read == 60 + 8);
  CHECK(onepass_traffic_of_cost(&cost, onepass_extent_1d(0)).bytes_read == 0);
}

TEST_CASE("its leaf is one element, which no sink may overwrite") {
  float x[4] = {}, other[4] = {};
  onepass_leaf_t leaf[4];
  const auto check = [&](const auto &p, onepass_extent_t extent) {
    return onepass_check_leaves(leaf, detail::write_leaves(p.inner, leaf), extent);
  };
  const auto p = op::value_at(&x[2]) | op::add(op::load(other)) | op::store(other);
  CHECK(check(p, onepass_extent_1d(4)) == ONEPASS_SUCCESS);
  CHECK((leaf[0].pointer == &x[2] && leaf[0].span == ONEPASS_ONCE && leaf[0].count == 1 && !leaf[0].written));
  const auto into = [&](float *y) { return op::value_at(&x[2]) | op::store(y); };
  CHECK(check(into(x), onepass_extent_1d(2)) == ONEPASS_SUCCESS);
  CHECK(check(into(x), onepass_extent_1d(3)) == ONEPASS_ERROR_OVERLAP);
  CHECK(check(into(x + 2), onepass_extent_1d(1)) == ONEPASS_ERROR_OVERLAP);  // the same place: read by every thread
  CHECK(check(into(x + 3), onepass_extent_1d(1)) == ONEPASS_SUCCESS);
  CHECK(check(op::value_at(static_cast<float *>(nullptr)) | op::store(x), onepass_extent_1d(1)) == ONEPASS_ERROR_NULL);
  CHECK(check(op::value_at(static_cast<float *>(nullptr)) | op::store(x), onepass_extent_1d(0)) == ONEPASS_SUCCESS);
  const auto *crooked = reinterpret_cast<const float *>(reinterpret_cast<const char *>(x) + 2);
  CHECK(check(op::value_at(crooked) | op::store(other), onepass_extent_1d(1)) == ONEPASS_ERROR_ALIGNMENT);
}
