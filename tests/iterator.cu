// SPDX-License-Identifier: Apache-2.0
// The way to and from CUB and Thrust, on the host: a source in the algorithms of Thrust and of the standard library,
// and the iterators of both, and of CUB, as sources.
#include <onepass/iterator.cuh>

#include <cub/iterator/arg_index_input_iterator.cuh>
#include <cub/iterator/cache_modified_input_iterator.cuh>
#include <thrust/copy.h>
#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>

#include <array>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <type_traits>

#include "catch.hpp"
#include "util.hpp"

namespace op = onepass;
namespace detail = onepass::detail;
using namespace test;

namespace {

struct squared {
  ONEPASS_HD double operator()(float x) const { return static_cast<double>(x) * x; }
};
struct add_up {
  ONEPASS_HD double operator()(float a, std::int64_t b, double c) const { return a + static_cast<double>(b) + c; }
};
struct at_most {
  float bound;
  ONEPASS_HD bool operator()(float x) const { return x <= bound; }
};
struct key_of {  // the place of a key and value, not its value
  ONEPASS_HD std::int64_t operator()(const cub::KeyValuePair<std::ptrdiff_t, float> &pair) const { return pair.key; }
};

const std::vector<float> x = {1, -2, 3, -4, 5, -6, 7};
constexpr std::int64_t n = 7;

template <class P>
using leaves_in = detail::leaves_t<P>;
template <class Source>
constexpr bool is_load_of_float = std::is_same_v<Source, detail::load_dense<float>>;

}  // namespace

TEST_CASE("a source as an iterator has what random access asks for") {
  const auto first = op::as_iterator(op::load(x.data()) | op::abs);
  using It = std::decay_t<decltype(first)>;
  using traits = std::iterator_traits<It>;
  static_assert(std::is_same_v<traits::value_type, float> && std::is_same_v<traits::reference, float>);
  static_assert(std::is_same_v<traits::difference_type, std::int64_t> && std::is_same_v<traits::pointer, void>);
  static_assert(std::is_convertible_v<traits::iterator_category, std::random_access_iterator_tag>);
  static_assert(std::is_trivially_copyable_v<It> && std::is_default_constructible_v<It>);
  static_assert(std::is_same_v<thrust::iterator_system_t<It>, thrust::any_system_tag>);
  static_assert(std::is_convertible_v<thrust::iterator_traversal_t<It>, thrust::random_access_traversal_tag>);
#if __cplusplus >= 202002L
  static_assert(std::random_access_iterator<It>);
#endif

  It it = first;
  CHECK((*it == 1 && it[3] == 4 && *(it + 6) == 7 && *(6 + it) == 7));
  CHECK((*++it == 2 && *it++ == 2 && *it == 3 && *it-- == 3 && *--it == 1));
  CHECK((*(it += 5) == 6 && *(it -= 2) == 4 && it[-1] == 3 && *(it - 3) == 1));
  CHECK((it - first == 3 && first - it == -3 && std::distance(first, it) == 3));
  CHECK((it != first && it > first && it >= first && first < it && first <= it && !(it == first) && it == first + 3));
  It other;
  other = it;
  CHECK(*other == 4);
}

TEST_CASE("the value is that of the source, of every type and by the stages' full form") {
  const std::vector<f16> halves = {nearest<f16>(1), nearest<f16>(-2)};
  const std::vector<std::uint8_t> bytes = {200, 255};
  const auto value_type = [](const auto &it) { return *it; };
  static_assert(std::is_same_v<decltype(value_type(op::as_iterator(op::load(halves.data())))), float>);
  static_assert(std::is_same_v<decltype(value_type(op::as_iterator(op::load(bytes.data())))), std::uint8_t>);
  static_assert(std::is_same_v<decltype(value_type(op::as_iterator(op::load(bytes.data()) | op::add(1)))), int>);
  static_assert(std::is_same_v<decltype(value_type(op::as_iterator(op::index()))), std::int64_t>);
  CHECK((op::as_iterator(op::load(halves.data()))[1] == -2 &&
         op::as_iterator(op::load(bytes.data()) | op::add(1))[1] == 256));
  CHECK(op::as_iterator(op::value(2.5))[INT64_C(1) << 50] == 2.5);
  CHECK(op::as_iterator(op::index() | op::multiply(2))[INT64_C(1) << 40] == INT64_C(1) << 41);
  const auto pair = op::as_iterator(op::zip(op::load(x.data()), op::index()))[3];
  CHECK((cuda::std::get<0>(pair) == -4 && cuda::std::get<1>(pair) == 3));
  CHECK(op::as_iterator(op::gather(x.data(), op::load(bytes.data()), n))[0] == 0);
}

TEST_CASE("a matrix by rows") {
  const std::vector<float> bias = {10, 20, 30}, scale = {1, -1};
  const auto rows = op::load(x.data()) | op::add(op::per_column(bias.data())) | op::multiply(op::per_row(scale.data()));
  const auto it = op::as_iterator(rows, 3);
  CHECK(std::vector<float>(it, it + 6) == std::vector<float>{11, 18, 33, -6, -25, -24});
  const auto transposed = op::as_iterator(op::strided(x.data(), 1, 3), 2);  // of 2 x 3
  CHECK(std::vector<float>(transposed, transposed + 6) == std::vector<float>{1, -4, -2, 5, 3, -6});
  // Without columns: one row.
  const auto line = op::as_iterator(op::column() | op::add(op::row() | op::multiply(100)));
  CHECK((line[0] == 0 && line[250] == 250));
  CHECK(op::as_iterator(op::row(), INT64_C(1) << 33)[(INT64_C(1) << 35) + 1] == 4);
}

TEST_CASE("in the algorithms of Thrust, on the host") {
  const auto it = op::as_iterator(op::load(x.data()) | op::abs);
  CHECK(thrust::reduce(thrust::host, it, it + n) == 28);
  std::vector<float> y(7);
  thrust::inclusive_scan(thrust::host, it, it + n, y.begin());
  CHECK(y == std::vector<float>{1, 3, 6, 10, 15, 21, 28});
  const auto end = thrust::copy_if(thrust::host, it, it + n, y.begin(), at_most{3});
  CHECK((end - y.begin() == 3 && y[2] == 3));
  // As the keys that an array is chosen by; and the indices of a sort by what a pipeline computes.
  const auto signs = op::as_iterator(op::load(x.data()) | op::minimum(0) | op::abs | op::cast<bool>());
  CHECK(thrust::copy_if(thrust::host, x.begin(), x.end(), signs, y.begin(), cuda::std::identity{}) - y.begin() == 3);
  CHECK((y[0] == -2 && y[1] == -4 && y[2] == -6));
  std::vector<float> keys(7);
  std::vector<std::int64_t> order(7);
  const auto descending = op::as_iterator(op::load(x.data()) | op::negate);
  thrust::copy(thrust::host, descending, descending + n, keys.begin());
  const auto indices = op::as_iterator(op::index());
  thrust::copy(thrust::host, indices, indices + n, order.begin());
  thrust::sort_by_key(thrust::host, keys.begin(), keys.end(), order.begin());
  on_host(op::gather(x.data(), op::load(order.data())) | op::store(y.data()), 7);
  CHECK(y == std::vector<float>{7, 5, 3, 1, -2, -4, -6});
}

TEST_CASE("in the algorithms of the standard library") {
  const auto it = op::as_iterator(op::load(x.data()) | op::square);
  CHECK(std::accumulate(it, it + n, 0.0) == 140);
  CHECK(*std::max_element(it, it + n) == 49);
  CHECK(std::lower_bound(it, it + n, 20.f) - it == 4);
  CHECK(std::inner_product(it, it + n, op::as_iterator(op::index()), 0.0) == 644);
}

TEST_CASE("pointers and iterators that are pointers in disguise become a load") {
  std::vector<float> copy = x;
  const thrust::host_vector<float> host_vector(x.begin(), x.end());
  const thrust::device_ptr<const float> device_pointer(x.data());
  static_assert(is_load_of_float<decltype(op::from(x.data()))> && is_load_of_float<decltype(op::from(copy.data()))>);
  static_assert(is_load_of_float<decltype(op::from(x.begin()))> && is_load_of_float<decltype(op::from(copy.begin()))>);
  static_assert(is_load_of_float<decltype(op::from(host_vector.begin()))>);
  static_assert(is_load_of_float<decltype(op::from(device_pointer))>);
  CHECK((op::from(x.begin() + 2).p == x.data() + 2 && op::from(device_pointer + 1).p == x.data() + 1));
  CHECK(op::from(host_vector.begin()).p == thrust::raw_pointer_cast(host_vector.data()));
  // Not what goes the other way.
  static_assert(!is_load_of_float<decltype(op::from(thrust::make_reverse_iterator(x.data() + n)))>);
  static_assert(!is_load_of_float<decltype(op::from(thrust::make_reverse_iterator(host_vector.end())))>);
}

TEST_CASE("fancy iterators as sources and as operands") {
  std::vector<double> y(7);
  on_host(op::from(thrust::counting_iterator<int>(-3)) |
              op::multiply(op::from(thrust::constant_iterator<double>(0.5))) | op::store(y.data()),
          7);
  for (std::size_t i = 0; i < 7; ++i) CHECK(y[i] == (static_cast<double>(i) - 3) / 2);
  on_host(op::load(x.data()) | op::add(op::from(thrust::make_transform_iterator(x.data(), squared{})) | op::negate) |
              op::store(y.data()),
          7);
  for (std::size_t i = 0; i < 7; ++i) CHECK(y[i] == x[i] - static_cast<double>(x[i]) * x[i]);
  const std::vector<std::int32_t> order = {6, 5, 4, 3, 2, 1, 0};
  on_host(op::from(thrust::make_permutation_iterator(x.data(), order.data())) | op::store(y.data()), 7);
  for (std::size_t i = 0; i < 7; ++i) CHECK(y[i] == x[6 - i]);
  on_host(op::from(thrust::make_reverse_iterator(x.data() + n)) | op::store(y.data()), 7);
  for (std::size_t i = 0; i < 7; ++i) CHECK(y[i] == x[6 - i]);
  std::vector<std::int64_t> where(7);
  on_host(op::from(cub::ArgIndexInputIterator<const float *>(x.data())) | op::fn(key_of{}) | op::store(where.data()),
          7);
  CHECK(where == std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6});
  // There and back.
  on_host(op::from(op::as_iterator(op::load(x.data()) | op::abs) + 2) | op::store(y.data()), 5);
  CHECK((y[0] == 3 && y[4] == 7));
}

TEST_CASE("a zip of iterators is a tuple of their values") {
  const std::vector<f16> halves = {nearest<f16>(0.5L), nearest<f16>(1), nearest<f16>(2)};
  const std::vector<double> c = {100, 200, 300};
  const auto zipped = thrust::make_zip_iterator(x.data(), thrust::counting_iterator<std::int64_t>(10), c.begin());
  std::vector<double> y(3);
  on_host(op::from(zipped) | op::fn(add_up{}) | op::store(y.data()), 3);
  CHECK(y == std::vector<double>{111, 209, 315});
  const auto widened =
      op::from(thrust::make_zip_iterator(halves.begin(), thrust::constant_iterator<std::int64_t>(1), c.data()));
  on_host(widened | op::fn(add_up{}) | op::store(y.data()), 3);
  CHECK(y == std::vector<double>{101.5, 202, 303});
}

TEST_CASE("small floats are widened, and integers promoted, as by a load") {
  const std::vector<bf16> halves = {nearest<bf16>(1.5L), nearest<bf16>(-2)};
  const auto reversed = thrust::make_reverse_iterator(halves.data() + 2);
  static_assert(std::is_same_v<behind<float, decltype(op::add(op::from(reversed)))>, float>);
  static_assert(
      std::is_same_v<behind<int, decltype(op::add(op::from(thrust::counting_iterator<std::int8_t>(0))))>, int>);
  std::vector<float> y(2);
  on_host(op::from(reversed) | op::store(y.data()), 2);
  CHECK(y == std::vector<float>{-2, 1.5f});
}

TEST_CASE("indices beyond 32 bits") {
  const std::int64_t big = INT64_C(1) << 33;
  const auto source = op::from(thrust::counting_iterator<std::int64_t>(5)) | op::add(0);
  CHECK(source.get<2>(op::place<2>(1, big - 1, 2, 2 * big))[0] == 5 + 3 * big - 1);
  CHECK(op::as_iterator(source)[big] == big + 5);
}

TEST_CASE("lanes that do not exist are not asked for") {
  struct strict {
    using value_type = float;
    using difference_type = std::ptrdiff_t;
    using reference = float;
    using pointer = void;
    using iterator_category = std::random_access_iterator_tag;
    std::ptrdiff_t at, size;
    ONEPASS_HD strict operator+(std::ptrdiff_t k) const { return {at + k, size}; }
    ONEPASS_HD float operator*() const { return at >= 0 && at < size ? 1.f : NAN; }
  };
  const auto source = op::from(strict{0, 5}) | op::add(0);
  const auto v = source.get<4>(op::place<4>(0, 3, 1, 5));
  CHECK((v[0] == 1 && v[1] == 1 && v[2] == 0 && v[3] == 0));
}

TEST_CASE("an iterator that exists on the device only has no host launch, and no bytes of its own") {
  const cub::CacheModifiedInputIterator<cub::LOAD_CG, float> cached(x.data());
  static_assert(decltype(op::from(cached))::device_only);
  static_assert(!decltype(op::from(thrust::counting_iterator<int>(0)))::device_only);
  static_assert(!decltype(op::from(thrust::make_reverse_iterator(x.data())))::device_only);
  using reversed = thrust::reverse_iterator<thrust::device_ptr<const float>>;
  static_assert(decltype(op::from(std::declval<reversed>()))::device_only);
  using P = decltype(op::from(cached) | op::store(std::declval<float *>()));
  const onepass_cost_t cost = detail::cost_of<P>();
  CHECK(detail::any_device_only<P>::value);
  CHECK(onepass_traffic_of_cost(&cost, onepass_extent_1d(10)).bytes_read == 0);
  CHECK(onepass_traffic_of_cost(&cost, onepass_extent_1d(10)).bytes_written == 40);
}
