// SPDX-License-Identifier: Apache-2.0
// Sources in the algorithms of CUB and Thrust on a device, and their iterators as sources.
#include <onepass/iterator.cuh>

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <cub/device/device_select.cuh>
#include <cub/iterator/cache_modified_input_iterator.cuh>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/scan.h>
#include <thrust/sort.h>

#include <algorithm>
#include <numeric>

#include "gpu.hpp"

namespace {

constexpr std::int64_t most = 100003;

struct is_even {
  ONEPASS_HD bool operator()(std::int64_t i) const { return i % 2 == 0; }
};
struct plus_one {
  ONEPASS_HD std::int32_t operator()(std::int32_t i) const { return i + 1; }
};
struct weigh {
  ONEPASS_HD std::int64_t operator()(std::int32_t a, std::int64_t b, std::int32_t c) const { return a * b + c; }
};

std::vector<std::int32_t> whole_numbers(std::int64_t n) {
  std::vector<std::int32_t> all(static_cast<std::size_t>(n));
  for (auto &x : all) x = static_cast<std::int32_t>(generator()() % 2001) - 1000;
  return all;
}

// A CUB algorithm, with the memory that it asks for.
template <class F>
void with_storage(const F &f) {
  std::size_t bytes = 0;
  CUDA_CHECK(f(nullptr, bytes));
  void *storage = nullptr;
  CUDA_CHECK(cudaMalloc(&storage, bytes));
  CUDA_CHECK(f(storage, bytes));
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaFree(storage));
}

template <class T>
std::vector<T> to_host(const thrust::device_vector<T> &v) {
  std::vector<T> all(v.size());
  thrust::copy(v.begin(), v.end(), all.begin());
  return all;
}

}  // namespace

TEST_CASE("CUB: reduce, scan and select over what a pipeline computes") {
  for (const std::int64_t n : {std::int64_t{1}, std::int64_t{1000}, most}) {
    const auto x = whole_numbers(n);
    const device_array<std::int32_t> d(x), selected(n), count(1);
    const device_array<std::int64_t> sum(1), scanned(n);
    const auto squares = op::load(d.at()) | op::cast<std::int64_t>() | op::square;
    const auto it = op::as_iterator(squares);
    with_storage([&](void *p, std::size_t &bytes) { return cub::DeviceReduce::Sum(p, bytes, it, sum.at(), n); });
    with_storage(
        [&](void *p, std::size_t &bytes) { return cub::DeviceScan::InclusiveSum(p, bytes, it, scanned.at(), n); });
    std::vector<std::int64_t> expected(x.size());
    std::int64_t running = 0;
    for (std::size_t i = 0; i < x.size(); ++i) expected[i] = running += std::int64_t{x[i]} * x[i];
    CHECK(sum.one() == running);
    CHECK(scanned.get(n) == expected);

    // The flags of a selection are a pipeline too.
    const auto flags = op::as_iterator(op::load(d.at()) | op::maximum(0) | op::cast<bool>());
    with_storage([&](void *p, std::size_t &bytes) {
      return cub::DeviceSelect::Flagged(p, bytes, d.at(), flags, selected.at(), count.at(), n);
    });
    std::vector<std::int32_t> positive;
    std::copy_if(x.begin(), x.end(), std::back_inserter(positive), [](std::int32_t v) { return v > 0; });
    REQUIRE(count.one() == static_cast<std::int32_t>(positive.size()));
    CHECK(selected.get(count.one()) == positive);
  }
}

TEST_CASE("CUB: the rows of a matrix, each reduced as a segment of a pipeline") {
  const std::int64_t rows = 37, columns = 501;
  const auto x = whole_numbers(rows * columns), bias = whole_numbers(columns);
  const device_array<std::int32_t> d(x), b(bias);
  const device_array<std::int64_t> sums(rows);
  const auto it =
      op::as_iterator(op::load(d.at()) | op::add(op::per_column(b.at())) | op::cast<std::int64_t>(), columns);
  const auto begins = op::as_iterator(op::index() | op::multiply(columns));
  with_storage([&](void *p, std::size_t &bytes) {
    return cub::DeviceSegmentedReduce::Sum(p, bytes, it, sums.at(), rows, begins, begins + 1);
  });
  const auto got = sums.get(rows);
  for (std::int64_t r = 0; r < rows; ++r) {
    std::int64_t sum = 0;
    for (std::int64_t c = 0; c < columns; ++c)
      sum += x[static_cast<std::size_t>(r * columns + c)] + bias[static_cast<std::size_t>(c)];
    CHECK(got[static_cast<std::size_t>(r)] == sum);
  }
}

TEST_CASE("Thrust: scan, copy_if and sort over what a pipeline computes") {
  const auto x = whole_numbers(most);
  const thrust::device_vector<std::int32_t> d(x.begin(), x.end());
  const auto source = op::from(d.begin()) | op::abs;
  const auto first = op::as_iterator(source);
  thrust::device_vector<std::int32_t> scanned(x.size()), chosen(x.size()), keys(x.size());
  thrust::inclusive_scan(thrust::device, first, first + most, scanned.begin());
  std::vector<std::int32_t> expected(x.size());
  std::int32_t running = 0;
  for (std::size_t i = 0; i < x.size(); ++i) expected[i] = running += std::abs(x[i]);
  CHECK(to_host(scanned) == expected);

  // No policy: the iterator is of any system, the output says which.
  const auto end = thrust::copy_if(first, first + most, op::as_iterator(op::index()), chosen.begin(), is_even{});
  REQUIRE(end - chosen.begin() == (most + 1) / 2);
  CHECK((chosen[0] == std::abs(x[0]) && chosen[1] == std::abs(x[2])));

  // Sorted by a key that is computed, and gathered in that order.
  thrust::device_vector<std::int64_t> order(x.size());
  thrust::copy(first, first + most, keys.begin());
  const auto places = op::as_iterator(op::index());
  thrust::copy(places, places + most, order.begin());
  thrust::stable_sort_by_key(keys.begin(), keys.end(), order.begin());
  const device_array<std::int32_t> sorted(most);
  OP_CHECK(
      op::launch(op::gather(thrust::raw_pointer_cast(d.data()), op::from(order.begin()), most) | op::store(sorted.at()),
                 op::extent(most)));
  auto by_size = x;
  std::stable_sort(by_size.begin(), by_size.end(),
                   [](std::int32_t a, std::int32_t b) { return std::abs(a) < std::abs(b); });
  CHECK(sorted.get(most) == by_size);
}

TEST_CASE("iterators of Thrust and CUB as sources") {
  for (const std::int64_t n : {std::int64_t{1}, std::int64_t{7}, std::int64_t{1024}, most}) {
    const auto x = whole_numbers(n);
    const thrust::device_vector<std::int32_t> d(x.begin(), x.end());
    const std::int32_t *p = thrust::raw_pointer_cast(d.data());
    const device_array<std::int64_t> y(n + 1);
    const auto check = [&](const auto &source, const auto &expected) {
      for (const std::int64_t offset : {0, 1}) {
        OP_CHECK(op::launch(source | op::store(y.at(offset)), op::extent(n)));
        const auto got = y.get(n, offset);
        std::int64_t wrong = 0;
        for (std::int64_t i = 0; i < n; ++i) wrong += got[static_cast<std::size_t>(i)] != expected(i);
        CHECK(wrong == 0);
      }
    };
    const auto at = [&](std::int64_t i) { return std::int64_t{x[static_cast<std::size_t>(i)]}; };
    check(op::from(d.begin()), at);
    check(op::from(p), at);
    check(op::from(d.data()), at);
    check(op::from(thrust::counting_iterator<std::int64_t>(-3)), [](std::int64_t i) { return i - 3; });
    check(op::from(thrust::make_transform_iterator(p, plus_one{})), [&](std::int64_t i) { return at(i) + 1; });
    check(op::from(thrust::make_transform_iterator(d.begin(), plus_one{})), [&](std::int64_t i) { return at(i) + 1; });
    check(op::from(thrust::make_reverse_iterator(d.end())), [&](std::int64_t i) { return at(n - 1 - i); });
    check(op::from(thrust::make_permutation_iterator(
              d.begin(), thrust::make_reverse_iterator(thrust::counting_iterator<std::int64_t>(n)))),
          [&](std::int64_t i) { return at(n - 1 - i); });
    check(op::from(cub::CacheModifiedInputIterator<cub::LOAD_CG, std::int32_t>(p)), at);
    const auto zipped = thrust::make_zip_iterator(d.begin(), thrust::counting_iterator<std::int64_t>(0),
                                                  thrust::constant_iterator<std::int32_t>(5));
    check(op::from(zipped) | op::fn(weigh{}), [&](std::int64_t i) { return at(i) * i + 5; });
    check(op::load(p) | op::add(op::from(thrust::make_transform_iterator(d.begin(), plus_one{})) | op::negate),
          [](std::int64_t) { return -1; });
    // What dereferences on the device alone has no host launch.
    CHECK(op::launch(op::from(zipped) | op::fn(weigh{}) | op::store(y.at()), op::extent(n), on_host()) ==
          ONEPASS_ERROR_DEVICE_ONLY);
  }
}
