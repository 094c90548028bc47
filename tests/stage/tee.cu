// SPDX-License-Identifier: Apache-2.0
// tee: a store on the way, of the value as it is there; what flows on is not rounded.
#include <onepass/stage/tee.cuh>

#include <cstdint>

#include "catch.hpp"
#include "util.hpp"

namespace op = onepass;
using namespace test;

TEST_CASE("a tee stores a rounded value and passes the exact one on") {
  const std::vector<bf16> x = {nearest<bf16>(1), nearest<bf16>(3), nearest<bf16>(-0.1L), nearest<bf16>(1e30L),
                               nearest<bf16>(7)};
  std::vector<bf16> kept(5);
  const std::vector<float> y = through<float>(x, op::add(256) | op::tee(op::store(kept.data())) | op::subtract(256));
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto sum = static_cast<float>(value(x[i])) + 256.0f;
    CHECK(value(kept[i]) == rounded<bf16>(sum));
    CHECK(y[i] == sum - 256.0f);
  }
}

TEST_CASE("tees of every type, one behind the other and right behind the source") {
  const std::vector<double> x = {0.1, -300.5, 2.5, 1e300, 0, 1, 2, 3, 4};
  std::vector<double> first(x.size()), second(x.size());
  std::vector<float> narrowed(x.size());
  std::vector<std::int8_t> saturated(x.size());
  const std::vector<double> y = through<double>(
      x, op::tee(op::store(first.data())) | op::tee(op::store(narrowed.data())) | op::negate |
             op::tee(op::store(saturated.data())) | op::tee(op::store(second.data())) | op::multiply(2));
  CHECK(first == x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    CHECK(narrowed[i] == static_cast<float>(x[i]));
    CHECK(second[i] == -x[i]);
    CHECK(y[i] == -2 * x[i]);
  }
  CHECK(saturated == std::vector<std::int8_t>{0, 127, -2, -128, 0, -1, -2, -3, -4});
}

TEST_CASE("a tee before a reduction") {
  const std::vector<float> x = {1, -2, 3, -4, 5};
  std::vector<float> y(5);
  double sum = 0;
  on_host(op::load(x.data()) | op::abs | op::tee(op::store(y.data())) | op::reduce(op::sum, &sum), 5);
  CHECK(y == std::vector<float>{1, 2, 3, 4, 5});
  CHECK(sum == 15);
}

TEST_CASE("a reduction as a tee takes the value where it stands") {
  const std::vector<float> x = {1, -2, 3, -4, 5, 6, -7};
  std::vector<float> y(x.size());
  double sum = 0, squares = 0;
  float greatest = 0, least = 0, mean = 0, variance = 0;
  on_host(op::load(x.data()) | op::tee(op::reduce(op::several(op::sum, op::maximum), &sum, &greatest)) | op::abs |
              op::tee(op::reduce(op::mean_variance, &mean, &variance)) | op::multiply(2) |
              op::tee(op::reduce(op::sum_of_squares, &squares)) | op::tee(op::store(y.data())) | op::negate |
              op::reduce(op::minimum, &least),
          x.size());
  CHECK(sum == 2);
  CHECK(greatest == 6);
  CHECK(mean == 4);
  CHECK(variance == 4);
  CHECK(squares == 4 * 140);
  CHECK(least == -14);
  for (std::size_t i = 0; i < x.size(); ++i) CHECK(y[i] == 2 * std::fabs(x[i]));

  on_host(op::load(x.data()) | op::tee(op::reduce(op::sum, &sum)) | op::store(y.data()), 0);
  CHECK(sum == 0);
  CHECK(y[0] == 2);
}

TEST_CASE("a reduction as a tee keeps the stages before it exact, whatever is stored behind it") {
  const std::vector<float> x = uniform<float>(1000, -3, 3);
  std::vector<bf16> y(x.size());
  float both = 0, alone = 0;
  on_host(op::load(x.data()) | op::gelu | op::tee(op::reduce(op::maximum, &both)) | op::store(y.data()), x.size());
  on_host(op::load(x.data()) | op::gelu | op::reduce(op::maximum, &alone), x.size());
  CHECK(both == alone);
}

TEST_CASE("an operand stores on its way") {
  const std::vector<float> x = {1, 2, 3, 4, 5}, r = {10, 20, 30, 40, 50};
  std::vector<float> y(5);
  std::vector<bf16> kept(5), between(5);
  on_host(op::load(x.data()) |
              op::add(op::load(r.data()) | op::multiply(2) | op::tee(op::store(kept.data())) | op::add(1)) |
              op::tee(op::store(between.data())) | op::store(y.data()),
          5);
  for (std::size_t i = 0; i < 5; ++i) {
    CHECK(value(kept[i]) == rounded<bf16>(2 * r[i]));
    CHECK(y[i] == x[i] + 2 * r[i] + 1);
  }
  // What flows on to an f32 store is not approximated for the sake of the 16-bit store before it.
  std::vector<float> exact(5), plain(5);
  on_host(op::load(x.data()) | op::add(op::load(r.data()) | op::gelu | op::tee(op::store(kept.data()))) | op::store(exact.data()), 5);
  on_host(op::load(x.data()) | op::add(op::load(r.data()) | op::gelu) | op::store(plain.data()), 5);
  CHECK(exact == plain);
}

TEST_CASE("a tee has a pitch of its own and leaves the gaps alone") {
  constexpr int rows = 3, columns = 7, pitch = 10;
  const std::vector<float> x = uniform<float>(rows * columns, -1, 1);
  std::vector<float> kept(rows * pitch, 99), y(rows * columns);
  on_host(op::load(x.data()) | op::tee(op::store(kept.data(), pitch)) | op::negate | op::store(y.data()),
          onepass_extent_2d(rows, columns));
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < pitch; ++c) CHECK(kept[r * pitch + c] == (c < columns ? x[r * columns + c] : 99));
  for (std::size_t i = 0; i < x.size(); ++i) CHECK(y[i] == -x[i]);
}
