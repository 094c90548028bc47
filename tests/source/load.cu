// SPDX-License-Identifier: Apache-2.0
// load: every type comes in exactly, whatever the length, the offset and the pitch; gaps are never read.
#include <onepass/source/load.cuh>

#include <cstdint>
#include <type_traits>

#include "catch.hpp"
#include "util.hpp"

namespace op = onepass;
using namespace test;

namespace {

template <class T>
T numbered(std::size_t i) {
  if constexpr (std::is_arithmetic_v<T>)
    return static_cast<T>(i % 120);
  else
    return nearest<T>(static_cast<long double>(i % 120));
}
template <class T>
T gap() {  // what would be seen in a result
  if constexpr (std::is_integral_v<T>)
    return T{121};
  else
    return nearest<T>(std::nanl(""));
}

template <class T>
using loaded =
    std::decay_t<decltype(op::load(static_cast<const T *>(nullptr)).view(op::pack<T, 4>{}, op::position<4>{})[0])>;
static_assert(std::is_same_v<loaded<f16>, float> && std::is_same_v<loaded<bf16>, float>);
static_assert(std::is_same_v<loaded<float>, float> && std::is_same_v<loaded<double>, double>);
static_assert(std::is_same_v<loaded<std::uint8_t>, std::uint8_t> && std::is_same_v<loaded<std::int64_t>, std::int64_t>);

}  // namespace

TEMPLATE_TEST_CASE("an array of every length, from every element on", "", f16, bf16, float, double, std::int32_t,
                   std::int64_t, std::uint8_t) {
  using T = TestType;
  for (std::size_t n = 0; n <= 35; ++n) {
    for (std::size_t offset = 0; offset < 17; offset += offset < 4 ? 1 : 5) {
      std::vector<T> x(offset + n), y(n);  // no element more: a checker of memory sees a read past the end
      for (std::size_t i = 0; i < n; ++i) x[offset + i] = numbered<T>(i);
      on_host(op::load(x.data() + offset) | op::store(y.data()), n);
      int wrong = 0;
      for (std::size_t i = 0; i < n; ++i) wrong += value(y[i]) != value(numbered<T>(i));
      INFO("n = " << n << ", offset " << offset);
      CHECK(wrong == 0);
    }
  }
}

TEMPLATE_TEST_CASE("rows with a pitch, and nothing of what lies between them", "", bf16, float, std::uint8_t) {
  using T = TestType;
  for (const std::int64_t rows : {1, 2, 5}) {
    for (const std::int64_t columns : {1, 3, 4, 16, 21}) {
      for (const std::int64_t pitch : {columns, columns + 1, columns + 7}) {
        std::vector<T> x(static_cast<std::size_t>((rows - 1) * pitch + columns), gap<T>());
        std::vector<T> y(static_cast<std::size_t>(rows * columns));
        for (std::int64_t r = 0; r < rows; ++r)
          for (std::int64_t c = 0; c < columns; ++c)
            x[static_cast<std::size_t>(r * pitch + c)] = numbered<T>(static_cast<std::size_t>(r * columns + c));
        on_host(op::load(x.data(), pitch) | op::store(y.data()), onepass_extent_2d(rows, columns));
        int wrong = 0;
        for (std::size_t i = 0; i < y.size(); ++i) wrong += value(y[i]) != value(numbered<T>(i));
        INFO(rows << " x " << columns << ", pitch " << pitch);
        CHECK(wrong == 0);
      }
    }
  }
}

TEST_CASE("a source is read in two steps, and lanes that do not exist are zero") {
  const bf16 x[] = {nearest<bf16>(1), nearest<bf16>(2), nearest<bf16>(3)};
  const auto source = op::load(x);
  const auto at = op::place<4>(0, 1, 1, 3);
  const op::pack<float, 4> v = source.view(source.fetch(at), at);
  CHECK(v[0] == 2);
  CHECK(v[1] == 3);
  CHECK(v[2] == 0);
  CHECK(v[3] == 0);
}

TEST_CASE("an empty array may be null") {
  float y = 5;
  on_host(op::load(static_cast<const float *>(nullptr)) | op::store(&y), 0);
  CHECK(y == 5);
}
