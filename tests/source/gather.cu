// SPDX-License-Identifier: Apache-2.0
// gather: every index is looked up, also one that a pipeline computes; outside an array of known size nothing is read.
#include <onepass/source/gather.cuh>
#include <onepass/unfused.cuh>

#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>

#include "catch.hpp"
#include "util.hpp"

namespace op = onepass;
namespace detail = onepass::detail;
using namespace test;

namespace {

template <class T>
std::vector<T> numbers(std::size_t n) {
  std::vector<T> all(n);
  for (std::size_t i = 0; i < n; ++i) {
    if constexpr (std::is_integral_v<T>) all[i] = static_cast<T>(i * 7 % 100);
    else all[i] = nearest<T>(static_cast<long double>(i * 7 % 100) + 0.5L);
  }
  return all;
}

// Looked up by an index of type Index, in a table of exactly `size` elements.
template <class T, class Index>
void check_lookup() {
  const std::size_t size = 61;
  std::unique_ptr<T[]> exact(new T[size]);
  const std::vector<T> table = numbers<T>(size);
  std::copy(table.begin(), table.end(), exact.get());
  for (std::size_t n = 0; n <= 35; ++n) {
    std::vector<Index> index(n);
    for (std::size_t i = 0; i < n; ++i) index[i] = static_cast<Index>(i * 17 % size);
    if constexpr (std::is_same_v<Index, bool>)
      for (std::size_t i = 0; i < n; ++i) index[i] = i % 3 == 0;
    std::vector<double> y(n), z(n);
    // Not vector::data: that of bool is none.
    std::unique_ptr<Index[]> copy(new Index[n]);
    std::copy(index.begin(), index.end(), copy.get());
    on_host(op::gather(exact.get(), op::load(copy.get())) | op::store(y.data()), n);
    on_host(op::gather(exact.get(), op::load(copy.get()), size) | op::store(z.data()), n);
    for (std::size_t i = 0; i < n; ++i) {
      CHECK(y[i] == static_cast<double>(value(table[static_cast<std::size_t>(copy[i])])));
      CHECK(z[i] == y[i]);
    }
  }
}

}  // namespace

static_assert(
    std::is_same_v<behind<float, decltype(op::add(op::gather(std::declval<const f16 *>(), op::index())))>, float>);
static_assert(std::is_same_v<behind<float, decltype(op::add(op::gather(std::declval<const double *>(), 0)))>, double>);

TEST_CASE("tables of every type") {
  check_lookup<float, std::int32_t>();
  check_lookup<double, std::int64_t>();
  check_lookup<f16, std::int64_t>();
  check_lookup<bf16, std::uint8_t>();
  check_lookup<std::int8_t, std::uint16_t>();
  check_lookup<std::uint64_t, std::uint64_t>();
  check_lookup<bool, std::int8_t>();
  check_lookup<float, std::uint32_t>();
  check_lookup<float, bool>();
}

TEST_CASE("the index is a pipeline: a permutation, an embedding, a table of a table") {
  const std::vector<float> x = numbers<float>(12);
  const std::vector<std::int32_t> rows = {3, 0, 3};
  const std::vector<std::uint8_t> first = {2, 0, 1};
  std::vector<float> y(12), z(9), w(5);
  on_host(op::gather(x.data(), op::index() | op::multiply(-1) | op::add(11)) | op::store(y.data()), 12);
  for (std::size_t i = 0; i < 12; ++i) CHECK(y[i] == x[11 - i]);
  // Row rows[row] of a matrix of 3 columns.
  on_host(
      op::gather(x.data(), op::per_row(rows.data()) | op::multiply(3) | op::add(op::column())) | op::store(z.data()),
      onepass_extent_2d(3, 3));
  for (std::size_t i = 0; i < 9; ++i) CHECK(z[i] == x[static_cast<std::size_t>(rows[i / 3]) * 3 + i % 3]);
  on_host(op::load(x.data()) | op::add(op::gather(x.data(), op::gather(first.data(), op::index(), 3)) | op::negate) |
              op::store(w.data()),
          5);
  CHECK(w == std::vector<float>{x[0] - x[2], x[1] - x[0], x[2] - x[1], x[3] - x[0], x[4] - x[0]});
}

TEST_CASE("a number as the index") {
  const std::vector<float> x = {5, 6, 7};
  CHECK(through<float>(std::vector<float>{1, 2}, op::add(op::gather(x.data(), 2))) == std::vector<float>{8, 9});
}

TEST_CASE("an index outside reads nothing and gives 0") {
  std::unique_ptr<float[]> table(new float[3]{10, 20, 30});
  const std::int64_t big = INT64_C(1) << 32, most = INT64_MAX;
  const std::vector<std::int64_t> signed_index = {-1,   0,         2,     3, big,     big + 1,  -big,
                                                  most, INT64_MIN, -most, 1, big * 4, -big + 1, 2};
  std::vector<float> y(signed_index.size(), -1);
  on_host(op::gather(table.get(), op::load(signed_index.data()), 3) | op::store(y.data()), y.size());
  CHECK(y == std::vector<float>{0, 10, 30, 0, 0, 0, 0, 0, 0, 0, 20, 0, 0, 30});
  const std::vector<std::uint64_t> unsigned_index = {UINT64_MAX, 2, UINT64_C(1) << 63, (UINT64_C(1) << 63) + 1, 3, 1};
  y.assign(6, -1);
  on_host(op::gather(table.get(), op::load(unsigned_index.data()), 3) | op::store(y.data()), 6);
  CHECK(y == std::vector<float>{0, 30, 0, 0, 0, 20});
  const std::vector<std::int32_t> narrow = {INT32_MIN, -1, 2, INT32_MAX, 1};
  y.assign(5, -1);
  on_host(op::gather(table.get(), op::load(narrow.data()), 3) | op::store(y.data()), 5);
  CHECK(y == std::vector<float>{0, 0, 30, 0, 20});
  const std::vector<std::int8_t> least = {-128, -1, 0, 127};
  y.assign(4, -1);
  on_host(op::gather(table.get(), op::load(least.data()), 3) | op::store(y.data()), 4);
  CHECK(y == std::vector<float>{0, 0, 10, 0});
  // Of a table of nothing, or of a size that is none, every index is outside, and the pointer may be null.
  for (const std::int64_t size : {std::int64_t{0}, std::int64_t{-1}, INT64_MIN}) {
    y.assign(4, -1);
    const float *volatile none = nullptr;  // (a compiler that sees the null warns of reads that are never made)
    on_host(op::gather(static_cast<const float *>(none), op::index(), size) | op::store(y.data()), 4);
    CHECK(y == std::vector<float>(4, 0));
  }
}

TEST_CASE("what a gather says of itself") {
  float table[16] = {}, y[8] = {};
  std::int32_t index[8] = {};
  onepass_leaf_t leaf[4];
  const auto check = [&](const auto &p, onepass_extent_t extent) {
    return onepass_check_leaves(leaf, detail::write_leaves(p.inner, leaf), extent);
  };
  const auto p = op::gather(table, op::load(index)) | op::store(y);
  CHECK(check(p, onepass_extent_1d(8)) == ONEPASS_SUCCESS);
  CHECK((leaf[0].pointer == table && leaf[0].layout == ONEPASS_SCATTERED && leaf[0].view_rank == 0));
  CHECK((leaf[1].pointer == index && leaf[1].layout == ONEPASS_ROWS));
  CHECK(check(op::gather(table, op::load(index), 16) | op::store(y), onepass_extent_1d(8)) == ONEPASS_SUCCESS);
  CHECK((leaf[0].layout == ONEPASS_SCATTERED && leaf[0].view_rank == 1 && leaf[0].view_columns == 16));

  // In place is not: another thread's element may have been overwritten.
  CHECK(check(op::gather(y, op::load(index)) | op::store(y), onepass_extent_1d(8)) == ONEPASS_ERROR_OVERLAP);
  CHECK(check(op::gather(table, op::load(index), 16) | op::store(table + 8), onepass_extent_1d(8)) ==
        ONEPASS_ERROR_OVERLAP);
  CHECK(check(op::gather(table, op::load(index), 8) | op::store(table + 8), onepass_extent_1d(8)) == ONEPASS_SUCCESS);
  CHECK(check(op::gather(table + 8, op::load(index)) | op::store(table), onepass_extent_1d(8)) == ONEPASS_SUCCESS);
  const float *none = nullptr;
  CHECK(check(op::gather(none, op::load(index)) | op::store(y), onepass_extent_1d(8)) == ONEPASS_ERROR_NULL);
  CHECK(check(op::gather(none, op::load(index), 4) | op::store(y), onepass_extent_1d(8)) == ONEPASS_ERROR_NULL);
  CHECK(check(op::gather(none, op::load(index), 0) | op::store(y), onepass_extent_1d(8)) == ONEPASS_SUCCESS);
  const auto *crooked = reinterpret_cast<const float *>(reinterpret_cast<const char *>(table) + 2);
  CHECK(check(op::gather(crooked, op::load(index)) | op::store(y), onepass_extent_1d(8)) == ONEPASS_ERROR_ALIGNMENT);

  // Bytes: an element of the table and one of the index for each; the stages of an index by row need rows.
  using P = std::decay_t<decltype(p)>;
  const onepass_cost_t cost = detail::cost_of<P>();
  CHECK(onepass_traffic_of_cost(&cost, onepass_extent_1d(100)).bytes_read == 800);
  CHECK(!detail::any_by_row<P>::value);
  CHECK(detail::any_by_row<decltype(op::gather(table, op::per_row(index)) | op::store(y))>::value);
  // With a kernel per stage: x + table[2 * index] in f16 is the index written and read, then the sum.
  using Q = decltype(op::load(std::declval<const f16 *>()) |
                     op::add(op::gather(std::declval<const f16 *>(), op::load(index) | op::multiply(2))) |
                     op::store(std::declval<f16 *>()));
  const onepass_cost_t unfused = detail::unfused_cost_of<Q>(), direct = detail::unfused_cost_of<P>();
  const onepass_traffic_t t = onepass_traffic_of_cost(&unfused, onepass_extent_1d(100));
  CHECK((t.kernels == 2 && t.intermediate_bytes == 400));
  CHECK((t.bytes_read == 400 + 400 + 200 + 200 && t.bytes_written == 400 + 200));
  const onepass_traffic_t d = onepass_traffic_of_cost(&direct, onepass_extent_1d(100));
  CHECK((d.kernels == 1 && d.intermediate_bytes == 0 && d.bytes_read == 800 && d.bytes_written == 400));
  // The width of a group is that of the arrays that are read in order.
  const auto lanes = [&](const auto &pipeline) { return detail::lanes_v<std::decay_t<decltype(pipeline)>>; };
  const std::vector<std::uint8_t> bytes(1);
  const std::vector<double> doubles(1);
  std::vector<f16> halves(1);
  std::vector<std::uint8_t> out(1);
  CHECK(lanes(op::gather(bytes.data(), op::load(index)) | op::store(y)) == 4);
  CHECK(lanes(op::gather(doubles.data(), op::load(index)) | op::store(halves.data())) == 8);
  CHECK(lanes(op::gather(doubles.data(), op::load(bytes.data())) | op::store(out.data())) == 8);  // 64 bytes of values
  CHECK(lanes(op::gather(doubles.data(), op::index()) | op::reduce(op::sum, y)) == 4);
}
