// SPDX-License-Identifier: Apache-2.0
// count, any and all: every type, NaN, nothing.
#include <onepass/statistic/count.cuh>

#include <cstdint>
#include <limits>
#include <type_traits>

#include "catch.hpp"
#include "result.hpp"

namespace op = onepass;
using namespace test;

namespace {

struct counted {
  std::int64_t count = -7;
  bool any = false, all = false;
};

template <class T>
counted counts(const std::vector<T> &x) {
  counted c;
  on_host(op::load(x.data()) | op::reduce(op::several(op::count, op::any, op::all), &c.count, &c.any, &c.all),
          x.size());
  return c;
}

// One value that differs, at every place of arrays of every length.
template <class T>
void counts_of(T zero, T other) {
  for (std::size_t n = 1; n < 40; n += 1 + n / 9) {
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<T> x(n, zero);
      CHECK(counts(x).count == 0);
      CHECK_FALSE(counts(x).any);
      CHECK_FALSE(counts(x).all);
      x[i] = other;
      CHECK(counts(x).count == 1);
      CHECK(counts(x).any);
      CHECK(counts(x).all == (n == 1));
      x.assign(n, other);
      CHECK(counts(x).count == static_cast<std::int64_t>(n));
      CHECK(counts(x).all);
      x[i] = zero;
      CHECK(counts(x).count == static_cast<std::int64_t>(n) - 1);
      CHECK(counts(x).any == (n > 1));
      CHECK_FALSE(counts(x).all);
    }
  }
}

}  // namespace

TEST_CASE("count, any and all of every type; NaN and subnormals are not zero, -0 is") {
  static_assert(std::is_same_v<decltype(op::any.finish(op::any.identity<float>(), 1)), bool>);
  static_assert(std::is_same_v<decltype(op::count.identity<std::uint8_t>()), op::int64_t>);
  counts_of<std::int8_t>(0, -128);
  counts_of<std::uint64_t>(0, UINT64_C(1) << 63);
  counts_of<f16>(nearest<f16>(-0.0L), nearest<f16>(std::nanl("")));
  counts_of<float>(-0.0f, 1e-45f);
  counts_of<double>(0.0, infinity);
}

TEST_CASE("count, any and all of nothing and of booleans") {
  const counted none = counts(std::vector<float>{});
  CHECK(none.count == 0);
  CHECK_FALSE(none.any);
  CHECK(none.all);
  const bool x[] = {true, false, true, true, false};
  std::int64_t count = -1;
  on_host(op::load(x) | op::reduce(op::count, &count), 5);
  CHECK(count == 3);
  float as_float = -1;  // a bool stores as 0 or 1
  on_host(op::load(x) | op::reduce(op::all, &as_float), 5);
  CHECK(as_float == 0);
  CHECK(result_of_equal<std::int64_t>(op::count, std::uint8_t{1}, 3000001) == 3000001);
}
