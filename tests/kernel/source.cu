// SPDX-License-Identifier: Apache-2.0
// The sources that do not read in order, on a device: strided, gathered, scalars in device memory, views. Every result
// is compared, bit for bit, with that of the host executor.
#include <cuda/std/array>
#include <cuda/std/mdspan>
#include <cuda/std/span>

#include "gpu.hpp"

namespace cs = cuda::std;

namespace {

constexpr std::int64_t tile = 1024;

template <class T>
std::vector<T> zeros(std::int64_t n) {
  return std::vector<T>(static_cast<std::size_t>(n));
}

// build(arrays..., y) on the host, then on the device into `y` at each offset: equal bytes, nothing else touched.
template <class Out, class OnHost, class OnDevice>
void check_equal(const error_counter &errors, onepass_extent_t extent, const OnHost &on_the_host,
                 const OnDevice &on_the_device) {
  const std::int64_t n = extent.rows * extent.columns;
  auto expected = zeros<Out>(n);
  OP_CHECK(op::launch(on_the_host(expected.data()), extent, on_host()));
  const device_array<Out> e(expected), y(n);
  for (const std::int64_t offset : {0, 1, 3}) {
    y.fill(0xA5);
    OP_CHECK(op::launch(on_the_device(y.at(offset)), extent));
    errors.check(y, offset, e.at(), n);
  }
}

// Strides of every kind over an array that ends where they do, on both sides.
template <class T>
void check_strides() {
  const error_counter errors;
  for (const std::int64_t rows : {1, 2, 7, 33})
    for (const std::int64_t columns : {1, 3, 4, 8, 16, 31, 64, 257, 1040})
      for (int which = 0; which < 9; ++which) {
        if (reduced() && (rows > 7 || columns > 70)) continue;
        const std::int64_t strides[9][2] = {{columns, 1},  {columns + 3, 1}, {1, rows},        {0, 1}, {1, 0},
                                            {-columns, 1}, {-1, -rows},      {2 * columns, 2}, {1, 1}};
        const std::int64_t row = strides[which][0], column = strides[which][1];
        const std::int64_t low =
            std::min<std::int64_t>(0, (rows - 1) * row) + std::min<std::int64_t>(0, (columns - 1) * column);
        const std::int64_t high =
            std::max<std::int64_t>(0, (rows - 1) * row) + std::max<std::int64_t>(0, (columns - 1) * column);
        const auto x = random_values<T>(high - low + 1);
        const device_array<T> d(high - low + 1);
        for (const std::int64_t offset : {0, 1}) {
          d.put(x, offset);
          check_equal<T>(
              errors, op::extent(rows, columns),
              [&](T *y) { return op::strided(x.data() - low, row, column) | op::store(y); },
              [&](T *y) { return op::strided(d.at(offset - low), row, column) | op::store(y); });
        }
      }
  CHECK(errors.get() == 0);
}

}  // namespace

TEST_CASE("strides: f32") { check_strides<float>(); }
TEST_CASE("strides: bf16") { check_strides<__nv_bfloat16>(); }
TEST_CASE("strides: u8") { check_strides<std::uint8_t>(); }
TEST_CASE("strides: f64") { check_strides<double>(); }

TEST_CASE("strides of one element beside others that are aligned") {
  const error_counter errors;
  const std::int64_t n = 3 * tile;
  const auto x = random_values<float>(n), r = random_values<float>(4 * n);
  const device_array<float> dx(x), dr(r);
  for (const std::int64_t stride : {1, 2, 4, 0})
    for (const std::int64_t count : counts_up_to(n, 40, tile))
      check_equal<float>(
          errors, op::extent(count),
          [&](float *y) {
            return op::load(x.data()) | op::add(op::strided(r.data(), stride) | op::abs) | op::store(y);
          },
          [&](float *y) { return op::load(dx.at()) | op::add(op::strided(dr.at(), stride) | op::abs) | op::store(y); });
  CHECK(errors.get() == 0);
}

TEST_CASE("more elements than 32 bits count, of an array that repeats") {
  if (reduced()) return;
  const workspace w;
  const std::vector<std::int32_t> x = {1, 2, 4, 8, 16, 32, 64, 128};
  const device_array<std::int32_t> d(x);
  const device_array<std::int64_t> sum(1);
  const std::int64_t rows = (INT64_C(1) << 30) + 3;
  OP_CHECK(op::launch(op::strided(d.at(), 0, 1) | op::reduce(op::sum, sum.at()), op::extent(rows, 8), w.exec()));
  CHECK(sum.one() == rows * 255);
  // By an index beyond 32 bits; indices beyond the table give 0.
  OP_CHECK(op::launch(op::gather(d.at(), op::index() | op::subtract(rows * 8 - 8), 8) | op::reduce(op::sum, sum.at()),
                      op::extent(rows, 8), w.exec()));
  CHECK(sum.one() == 255);
}

TEST_CASE("offsets of elements beyond 32 bits") {
  const std::int64_t far = (INT64_C(1) << 32) + 5;
  unsigned char *p = nullptr;
  if (reduced() || cudaMalloc(&p, static_cast<std::size_t>(far + 8)) != cudaSuccess) {
    cudaGetLastError();
    return;
  }
  CUDA_CHECK(cudaMemset(p, 1, static_cast<std::size_t>(far + 8)));
  CUDA_CHECK(cudaMemset(p + far, 7, 8));
  const device_array<std::uint8_t> y(16);
  OP_CHECK(op::launch(op::strided(static_cast<const std::uint8_t *>(p), far, 1) | op::store(y.at()), op::extent(2, 8)));
  CHECK((y.one(0) == 1 && y.one(7) == 1 && y.one(8) == 7 && y.one(15) == 7));
  OP_CHECK(op::launch(op::strided(static_cast<const std::uint8_t *>(p) + far, 1, -far) | op::store(y.at()),
                      op::extent(8, 2)));
  CHECK((y.one(0) == 7 && y.one(1) == 1 && y.one(14) == 7 && y.one(15) == 1));
  OP_CHECK(op::launch(
      op::gather(static_cast<const std::uint8_t *>(p), op::index() | op::multiply(far), far + 8) | op::store(y.at()),
      op::extent(3)));
  CHECK((y.one(0) == 1 && y.one(1) == 7 && y.one(2) == 0));
  OP_CHECK(op::launch(op::gather(static_cast<const std::uint8_t *>(p), op::index() | op::add(far)) | op::store(y.at()),
                      op::extent(8)));
  CHECK((y.one(0) == 7 && y.one(7) == 7));
  cudaFree(p);
}

TEST_CASE("a scalar that an earlier launch computed") {
  const workspace w;
  const error_counter errors;
  const std::int64_t most = 2 * tile + 1;
  const auto x = random_values<float>(most);
  const device_array<float> d(x), scale(1);
  const device_array<double> offset(1);
  for (const std::int64_t n : counts_up_to(most, 40, tile)) {
    if (n == 0) continue;
    float host_scale = 0;
    double host_offset = 0;
    OP_CHECK(op::launch(op::load(x.data()) | op::abs | op::reduce(op::maximum, &host_scale), op::extent(n), on_host()));
    OP_CHECK(op::launch(op::load(x.data()) | op::cast<double>() | op::reduce(op::minimum, &host_offset), op::extent(n),
                        on_host()));
    OP_CHECK(op::launch(op::load(d.at()) | op::abs | op::reduce(op::maximum, scale.at()), op::extent(n), w.exec()));
    OP_CHECK(op::launch(op::load(d.at()) | op::cast<double>() | op::reduce(op::minimum, offset.at()), op::extent(n),
                        w.exec()));
    check_equal<double>(
        errors, op::extent(n),
        [&](double *y) {
          return op::load(x.data()) | op::divide(op::value_at(&host_scale)) | op::subtract(op::value_at(&host_offset)) |
                 op::store(y);
        },
        [&](double *y) {
          return op::load(d.at()) | op::divide(op::value_at(scale.at())) | op::subtract(op::value_at(offset.at())) |
                 op::store(y);
        });
  }
  CHECK(errors.get() == 0);
}

namespace {

// Indices in and around a table of 1000 elements.
template <class Index>
std::vector<Index> random_indices(std::int64_t n, bool inside) {
  std::vector<Index> all(static_cast<std::size_t>(n));
  std::uniform_int_distribution<std::int64_t> in(0, sizeof(Index) == 1 ? 100 : 999);
  const std::int64_t outside[] = {
      -1, 1000, INT64_MIN, INT64_MAX, INT64_C(1) << 32, -1 - (INT64_C(1) << 32), (INT64_C(1) << 32) + 7, 1001};
  for (Index &i : all) {
    const std::int64_t k = in(generator());
    i = static_cast<Index>(!inside && k % 4 == 0 ? outside[k / 4 % 8] : k);
  }
  return all;
}

template <class T, class Index>
void check_gather() {
  const error_counter errors;
  const std::int64_t most = 2 * tile + 1;
  const auto table = random_values<T>(1000);
  const auto inside = random_indices<Index>(most, true), anywhere = random_indices<Index>(most, false);
  const auto r = random_values<float>(most);
  const device_array<T> dt(table);
  const device_array<Index> di(most);
  const device_array<float> dr(r);
  for (const std::int64_t offset : {0, 1})
    for (const std::int64_t n : counts_up_to(most, 70, tile)) {
      di.put(inside, offset);
      check_equal<float>(
          errors, op::extent(n),
          [&](float *y) {
            return op::load(r.data()) | op::multiply(op::gather(table.data(), op::load(inside.data()))) | op::store(y);
          },
          [&](float *y) {
            return op::load(dr.at()) | op::multiply(op::gather(dt.at(), op::load(di.at(offset)))) | op::store(y);
          });
      di.put(anywhere, offset);
      check_equal<T>(
          errors, op::extent(n),
          [&](T *y) { return op::gather(table.data(), op::load(anywhere.data()), 1000) | op::store(y); },
          [&](T *y) { return op::gather(dt.at(), op::load(di.at(offset)), 1000) | op::store(y); });
    }
  CHECK(errors.get() == 0);
}

}  // namespace

TEST_CASE("gather: f32 by i32") { check_gather<float, std::int32_t>(); }
TEST_CASE("gather: bf16 by i64") { check_gather<__nv_bfloat16, std::int64_t>(); }
TEST_CASE("gather: f64 by u16") { check_gather<double, std::uint16_t>(); }
TEST_CASE("gather: u8 by u64") { check_gather<std::uint8_t, std::uint64_t>(); }
TEST_CASE("gather: i64 by i8") { check_gather<std::int64_t, std::int8_t>(); }

TEST_CASE("gather: rows of an embedding, by a pipeline of rows and columns") {
  const error_counter errors;
  for (const std::int64_t columns : {1, 7, 64, 768}) {
    const std::int64_t words = 50, tokens = 33;
    const auto table = random_values<__half>(words * columns);
    std::vector<std::int32_t> token(static_cast<std::size_t>(tokens));
    for (auto &t : token) t = static_cast<std::int32_t>(generator()() % static_cast<std::uint64_t>(words));
    const device_array<__half> dt(table);
    const device_array<std::int32_t> di(token);
    const auto build = [&](const __half *t, const std::int32_t *i, __half *y) {
      return op::gather(t, op::per_row(i) | op::multiply(columns) | op::add(op::column())) | op::store(y);
    };
    check_equal<__half>(
        errors, op::extent(tokens, columns), [&](__half *y) { return build(table.data(), token.data(), y); },
        [&](__half *y) { return build(dt.at(), di.at(), y); });
  }
  CHECK(errors.get() == 0);
}

TEST_CASE("views: transposed in, pitched out, a bias from a span") {
  const error_counter errors;
  for (const std::int64_t rows : {1, 5, 64})
    for (const std::int64_t columns : {1, 7, 64, 260}) {
      using shape = cs::dextents<std::int64_t, 2>;
      const std::int64_t pitch = columns + 4;
      const auto x = random_values<float>(rows * columns), bias = random_values<float>(columns);
      const device_array<float> dx(x), db(bias), dy(rows * pitch), expected(rows * pitch);
      auto y = zeros<float>(rows * pitch);
      const shape s(rows, columns);
      const cs::layout_stride::mapping<shape> mapping(s, cs::array<std::int64_t, 2>{pitch, 1});
      const auto build = [&](const float *x_, const float *b_, float *y_) {
        return op::load(cs::mdspan<const float, shape, cs::layout_left>(x_, s)) |
               op::add(op::per_column(cs::span<const float>(b_, static_cast<std::size_t>(columns)))) |
               op::store(cs::mdspan<float, shape, cs::layout_stride>(y_, mapping));
      };
      const onepass_extent_t extent = op::extent(cs::mdspan<const float, shape>(x.data(), s));
      OP_CHECK(op::launch(build(x.data(), bias.data(), y.data()), extent, on_host()));
      OP_CHECK(op::launch(build(dx.at(), db.at(), dy.at()), extent));
      expected.fill(0xA5);
      for (std::int64_t row = 0; row < rows; ++row)
        CUDA_CHECK(cudaMemcpy(expected.at(row * pitch), &y[static_cast<std::size_t>(row * pitch)],
                              static_cast<std::size_t>(columns) * sizeof(float), cudaMemcpyHostToDevice));
      errors.check(dy, 0, expected.at(), rows * pitch);
      // Beyond the view nothing is launched.
      CHECK(op::launch(build(dx.at(), db.at(), dy.at()), op::extent(rows + 1, columns)) == ONEPASS_ERROR_SIZE);
      CHECK(op::launch(build(dx.at(), db.at(), dy.at()), op::extent(rows, columns + 1)) == ONEPASS_ERROR_SIZE);
    }
  CHECK(errors.get() == 0);
}
