// SPDX-License-Identifier: Apache-2.0
// halves and pairs: a gate and its other projection in one array.
#include <onepass/source/pairs.cuh>

#include <cuda/std/tuple>

#include <type_traits>

#include <onepass/launch.cuh>

#include "catch.hpp"
#include "util.hpp"

namespace op = onepass;
using namespace test;

namespace {

struct weigh {  // tells the two apart
  template <class T>
  ONEPASS_HD T operator()(T gate, T up) const {
    return gate * 256 + up;
  }
};

// Elements 0, 1, 2, ... of both halves, exact in every type and in the weighted sum.
template <class T>
void check(std::int64_t rows, std::int64_t columns) {
  using V = op::detail::compute_t<T>;
  const auto n = static_cast<std::size_t>(rows * columns), width = static_cast<std::size_t>(columns);
  std::vector<T> split(2 * n), interleaved(2 * n);
  std::vector<V> expected(n), a(n), b(n);
  for (std::size_t i = 0; i < n; ++i) {
    const T gate = nearest<T>(static_cast<double>(i % 200)), up = nearest<T>(static_cast<double>((7 * i + 3) % 128));
    split[i / width * 2 * width + i % width] = interleaved[2 * i] = gate;
    split[i / width * 2 * width + width + i % width] = interleaved[2 * i + 1] = up;
    expected[i] = static_cast<V>(value(gate) * 256 + value(up));
  }
  on_host(op::halves(split.data(), columns) | op::fn(weigh{}) | op::store(a.data()), onepass_extent_2d(rows, columns));
  on_host(op::pairs(interleaved.data()) | op::fn(weigh{}) | op::store(b.data()), onepass_extent_2d(rows, columns));
  CHECK(a == expected);
  CHECK(b == expected);
}

template <class Source>
using value_t =
    std::decay_t<decltype(op::as_pipeline(std::declval<Source>()).template get<4>(op::place<4>(0, 0, 1, 4))[0])>;

static_assert(
    std::is_same_v<value_t<decltype(op::pairs(static_cast<const bf16 *>(nullptr)))>, cuda::std::tuple<float, float>>);
static_assert(std::is_same_v<value_t<decltype(op::halves(static_cast<const double *>(nullptr), 1))>,
                             cuda::std::tuple<double, double>>);

}  // namespace

TEMPLATE_TEST_CASE("both layouts yield (gate, up), for odd columns too", "", f16, bf16, float, double) {
  for (const std::int64_t rows : {1, 2, 3})
    for (const std::int64_t columns : {1, 2, 3, 4, 5, 7, 8, 16, 33}) check<TestType>(rows, columns);
}

TEST_CASE("nothing beyond the array is read") {
  // A group at the end of the pairs: lanes that do not exist hold what the first does.
  const std::vector<float> p = {1, 2, 3, 4, 5, 6};
  const auto at = op::place<4>(0, 0, 1, 3);
  const auto v = op::as_pipeline(op::pairs(p.data())).get<4>(at);
  CHECK(cuda::std::get<0>(v[2]) == 5);
  CHECK(cuda::std::get<1>(v[2]) == 6);
  CHECK(cuda::std::get<0>(v[3]) == 1);
  CHECK(cuda::std::get<1>(v[3]) == 2);
}

TEST_CASE("the array of pairs is aligned to a pair") {
  const auto leaf = [](const auto &source, onepass_extent_t extent) {
    using S = std::decay_t<decltype(source)>;
    onepass_leaf_t l{};
    l.pointer = source.pointer();
    l.pitch = source.pitch();
    l.element_bytes = static_cast<int32_t>(sizeof(typename S::element));
    l.span = S::span;
    return onepass_check_leaf(&l, extent);
  };
  alignas(16) static const float p[8] = {};
  CHECK(leaf(op::pairs(p), onepass_extent_1d(2)) == ONEPASS_SUCCESS);
  CHECK(leaf(op::pairs(p + 1), onepass_extent_1d(2)) == ONEPASS_ERROR_ALIGNMENT);
  CHECK(leaf(op::pairs(p + 2), onepass_extent_1d(2)) == ONEPASS_SUCCESS);
}

TEST_CASE("an extent of more columns than halves has is refused") {
  std::vector<float> p(12, 1.0f), y(8, 7.0f);
  const auto pipeline = op::halves(p.data(), 3) | op::swiglu | op::store(y.data());
  CHECK(op::launch(pipeline, op::extent(2, 4), host()) == ONEPASS_ERROR_SIZE);
  CHECK(y[0] == 7);
  CHECK(op::launch(pipeline, op::extent(2, 3), host()) == ONEPASS_SUCCESS);
  CHECK(op::launch(pipeline, op::extent(2, 2), host()) == ONEPASS_SUCCESS);
}
