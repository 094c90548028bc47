// SPDX-License-Identifier: Apache-2.0
// reduce: results into any type, of any shape, of nothing; launched as a program would.
#include <onepass/sink/reduce.cuh>

#include <onepass/launch.cuh>

#include <cstdint>
#include <limits>

#include "catch.hpp"
#include "util.hpp"

namespace op = onepass;
using namespace test;

TEST_CASE("the sum of absolute values") {
  const std::vector<float> x = uniform<float>(1003, -1, 1);
  long double exact = 0;
  for (const float v : x) exact += std::fabs(value(v));
  float sum = -1;
  CHECK(op::launch(op::load(x.data()) | op::abs | op::reduce(op::sum, &sum), op::extent(1003), host()) ==
        ONEPASS_SUCCESS);
  CHECK(std::fabs(sum / exact - 1) < 3e-7L);
  CHECK(op::launch(op::load(x.data()) | op::abs | op::reduce(op::sum, &sum), op::extent(0), host()) == ONEPASS_SUCCESS);
  CHECK(sum == 0);  // nothing stale
  float *null = nullptr;
  CHECK(op::launch(op::load(x.data()) | op::abs | op::reduce(op::sum, null), op::extent(3), host()) ==
        ONEPASS_ERROR_NULL);
  CHECK(op::launch(op::load(x.data()) | op::abs | op::reduce(op::sum, null), op::extent(0), host()) ==
        ONEPASS_ERROR_NULL);
}

TEST_CASE("one pointer per result, in order, no two of them the same") {
  const std::vector<double> x = {4, -2, 9, 9, 0};
  std::int64_t at[2] = {-1, -1};
  double best[2] = {-1, -1};
  const auto p = [&](double *v, std::int64_t *i, double *sum) {
    return op::load(x.data()) | op::reduce(op::several(op::argmax, op::sum), v, i, sum);
  };
  CHECK(op::launch(p(&best[0], &at[0], &best[1]), op::extent(5), host()) == ONEPASS_SUCCESS);
  CHECK(best[0] == 9);
  CHECK(at[0] == 2);
  CHECK(best[1] == 20);
  CHECK(op::launch(p(&best[0], &at[0], &best[0]), op::extent(5), host()) == ONEPASS_ERROR_OVERLAP);
}

TEST_CASE("results convert to the type of their pointer") {
  const std::vector<float> x = {0.25f, 300, -1000000};  // sum -999699.75, maximum 300
  const auto sum = [&](auto type) {
    decltype(type) r{};
    on_host(op::load(x.data()) | op::reduce(op::sum, &r), x.size());
    return value(r);
  };
  CHECK(sum(double{}) == -999699.75L);
  CHECK(sum(float{}) == -999699.75L);
  CHECK(sum(bf16{}) == rounded<bf16>(-999699.75L));
  CHECK(sum(f16{}) == -HUGE_VALL);
  CHECK(sum(std::int32_t{}) == -999700);
  CHECK(sum(std::int8_t{}) == -128);
  CHECK(sum(std::uint8_t{}) == 0);
  const std::vector<std::uint8_t> ones(1000, 255);
  const auto total = [&](auto type) {
    decltype(type) r{};
    on_host(op::load(ones.data()) | op::reduce(op::sum, &r), ones.size());
    return value(r);
  };
  CHECK(total(float{}) == 255000);
  CHECK(total(std::int8_t{}) == 127);
  CHECK(total(f16{}) == HUGE_VALL);
}

TEST_CASE("of nothing, each statistic writes what it means") {
  const float *none = nullptr;
  float sum = 7, squares = 7, least = 7, greatest = 7, value_at = 7, mean = 7, variance = 7, initial = 7;
  std::int64_t at = 7;
  for (const onepass_extent_t extent : {onepass_extent_1d(0), onepass_extent_2d(0, 9), onepass_extent_2d(9, 0)}) {
    on_host(op::load(none) | op::reduce(op::several(op::sum, op::sum_of_squares, op::minimum, op::maximum, op::argmax,
                                                    op::mean_variance, op::with_initial(op::maximum, 100)),
                                        &sum, &squares, &least, &greatest, &value_at, &at, &mean, &variance, &initial),
            extent);
    CHECK(same(sum, 0));
    CHECK(same(squares, 0));
    CHECK(least == HUGE_VALF);
    CHECK(greatest == -HUGE_VALF);
    CHECK(value_at == -HUGE_VALF);
    CHECK(at == -1);
    CHECK(std::isnan(mean));
    CHECK(std::isnan(variance));
    CHECK(initial == 100);
  }
  std::int32_t low = 7, high = 7;
  on_host(op::load(static_cast<const std::int32_t *>(nullptr)) |
              op::reduce(op::several(op::maximum, op::minimum), &low, &high),
          0);
  CHECK(low == INT32_MIN);
  CHECK(high == INT32_MAX);
}

TEST_CASE("a reduction of rows with a pitch sees the rows alone") {
  for (const std::int64_t rows : {1, 3}) {
    for (const std::int64_t columns : {1, 4, 5, 11}) {
      const std::int64_t pitch = columns + 3;
      std::vector<float> x(static_cast<std::size_t>(rows * pitch), std::numeric_limits<float>::quiet_NaN());
      for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t c = 0; c < columns; ++c)
          x[static_cast<std::size_t>(r * pitch + c)] = static_cast<float>(r * 100 + c);
      float sum = -1, greatest = -1;
      on_host(op::load(x.data(), pitch) | op::reduce(op::several(op::sum, op::maximum), &sum, &greatest),
              onepass_extent_2d(rows, columns));
      CHECK(sum == static_cast<float>(rows * (rows - 1) / 2 * 100 * columns + rows * columns * (columns - 1) / 2));
      CHECK(greatest == static_cast<float>((rows - 1) * 100 + columns - 1));
    }
  }
}

TEST_CASE("lanes past the end do not take part") {
  for (std::size_t n = 1; n < 40; ++n) {
    const std::vector<bf16> x(n, nearest<bf16>(-3));  // a lane of zeros would be the maximum
    float sum = 0, greatest = 0, mean = 0, variance = -1;
    on_host(op::load(x.data()) | op::add(1) |
                op::reduce(op::several(op::sum, op::maximum, op::mean_variance), &sum, &greatest, &mean, &variance),
            n);
    CHECK(sum == -2 * static_cast<float>(n));
    CHECK(greatest == -2);
    CHECK(mean == -2);
    CHECK(variance == 0);
  }
}

TEST_CASE("an initial value: 100 is the maximum of 1 and 2") {
  const std::vector<int> x = {1, 2};
  int r = 0;
  on_host(op::load(x.data()) | op::reduce(op::with_initial(op::maximum, 100), &r), 2);
  CHECK(r == 100);
  on_host(op::load(x.data()) | op::reduce(op::with_initial(op::minimum, 100), &r), 2);
  CHECK(r == 1);
  for (const int n : {0, 1, 255, 256, 257}) {
    double sum = -1;
    on_host(op::value(1.0) | op::reduce(op::with_initial(op::sum, 5), &sum), static_cast<std::size_t>(n));
    CHECK(sum == n + 5);
  }
}

TEST_CASE("sums and maxima of absolute values reach beyond the type") {
  const std::vector<std::uint32_t> u32 = {1, 2, 3};
  const std::vector<std::int8_t> i8 = {-128};
  const std::vector<std::int32_t> i32 = {INT32_MIN, 5};
  std::int64_t sum = 0, greatest = 0;
  on_host(op::load(u32.data()) | op::abs | op::reduce(op::several(op::sum, op::maximum), &sum, &greatest), 3);
  CHECK(sum == 6);
  CHECK(greatest == 3);
  on_host(op::load(i8.data()) | op::abs | op::reduce(op::sum, &sum), 1);
  CHECK(sum == 128);
  on_host(op::load(i32.data()) | op::abs | op::reduce(op::maximum, &greatest), 2);
  CHECK(greatest == INT64_C(1) << 31);
}

TEST_CASE("booleans count") {
  const bool x[] = {true, false, true, true, false};
  int count = 0;
  bool any = false, all = true;
  on_host(op::load(x) | op::reduce(op::several(op::sum, op::maximum, op::minimum), &count, &any, &all), 5);
  CHECK(count == 3);
  CHECK(any);
  CHECK_FALSE(all);
}

TEST_CASE("one NaN among many values is found wherever it is") {
  const std::size_t n = 100000;
  for (const std::size_t i : {std::size_t{0}, std::size_t{511}, n / 2, n - 1}) {
    std::vector<float> x(n, 1);
    x[i] = std::numeric_limits<float>::quiet_NaN();
    float least = 0, greatest = 0, value_at = 0, sum = 0;
    std::int64_t at = -1;
    on_host(op::load(x.data()) | op::reduce(op::several(op::minimum, op::maximum, op::argmax, op::sum), &least,
                                            &greatest, &value_at, &at, &sum),
            n);
    CHECK(std::isnan(least));
    CHECK(std::isnan(greatest));
    CHECK(std::isnan(value_at));
    CHECK(std::isnan(sum));
    CHECK(at == static_cast<std::int64_t>(i));
  }
}
