// SPDX-License-Identifier: Apache-2.0
// zip: a tuple per coordinate, taken whole or as arguments.
#include <onepass/source/zip.cuh>

#include <cuda/std/tuple>

#include <cstdint>
#include <type_traits>

#include <cuda/std/complex>

#include "catch.hpp"
#include "util.hpp"

namespace op = onepass;
using namespace test;

namespace {

struct of_tuple {
  ONEPASS_HD double operator()(const cuda::std::tuple<float, std::int64_t, double> &t) const {
    return cuda::std::get<0>(t) + static_cast<double>(cuda::std::get<1>(t)) * cuda::std::get<2>(t);
  }
};
struct of_elements {
  ONEPASS_HD double operator()(float a, std::int64_t b, double c) const { return a + static_cast<double>(b) * c; }
};
struct complex_product {  // a tuple to a tuple, with a tuple as an operand
  template <class T>
  ONEPASS_HD cuda::std::tuple<T, T> operator()(const cuda::std::tuple<T, T> &a, const cuda::std::tuple<T, T> &b) const {
    const auto [ar, ai] = a;
    const auto [br, bi] = b;
    return {ar * br - ai * bi, ar * bi + ai * br};
  }
};
struct real_part {
  ONEPASS_HD float operator()(float re, float) const { return re; }
};
struct weigh {  // two elements of a tuple, and an operand
  ONEPASS_HD float operator()(float a, float b, float weight) const { return a * weight + b; }
};

const std::vector<bf16> a = {nearest<bf16>(0.5L), nearest<bf16>(-2), nearest<bf16>(3), nearest<bf16>(4),
                             nearest<bf16>(-8)};
const std::vector<std::int64_t> b = {1, -1, 7, 1000000007, 0};
const std::vector<double> c = {0.1, 0.2, -0.3, 1e-9, 5};

}  // namespace

TEST_CASE("a functor takes the tuple or its elements") {
  std::vector<double> whole(5), elements(5);
  const auto source = op::zip(op::load(a.data()), op::load(b.data()), op::load(c.data()));
  on_host(source | op::fn(of_tuple{}) | op::store(whole.data()), 5);
  on_host(source | op::fn(of_elements{}) | op::store(elements.data()), 5);
  for (std::size_t i = 0; i < 5; ++i) {
    CHECK(whole[i] == static_cast<double>(value(a[i])) + static_cast<double>(b[i]) * c[i]);
    CHECK(elements[i] == whole[i]);
  }
}

TEST_CASE("members have stages of their own, and may be numbers and coordinates") {
  std::vector<double> y(5);
  on_host(op::zip(op::load(a.data()) | op::abs, op::index() | op::add(10), 0.5) | op::fn(of_elements{}) |
              op::store(y.data()),
          5);
  for (std::size_t i = 0; i < 5; ++i)
    CHECK(y[i] == static_cast<double>(std::fabs(value(a[i]))) + static_cast<double>(i + 10) * 0.5);
}

TEST_CASE("a tuple meets operands, tuples too") {
  const std::vector<float> re = {1, 0, 2, -1, 3}, im = {0, 1, -1, 5, 2}, weight = {1, 2, 3, 4, 5};
  std::vector<float> y(5), z(5);
  const auto number = op::zip(op::load(re.data()), op::load(im.data()));
  on_host(number | op::fn(complex_product{}, number) | op::fn(real_part{}) | op::store(y.data()), 5);
  on_host(number | op::fn(weigh{}, op::load(weight.data())) | op::store(z.data()), 5);
  for (std::size_t i = 0; i < 5; ++i) {
    CHECK(y[i] == re[i] * re[i] - im[i] * im[i]);
    CHECK(z[i] == re[i] * weight[i] + im[i]);
  }
}

TEST_CASE("members of different spans") {
  const std::vector<float> x = {1, 2, 3, 4, 5, 6}, column = {10, 20, 30}, row = {100, 200};
  std::vector<float> y(6);
  on_host(op::zip(op::load(x.data()), op::per_column(column.data())) | op::fn(weigh{}, op::per_row(row.data())) |
              op::store(y.data()),
          onepass_extent_2d(2, 3));
  CHECK(y == std::vector<float>{110, 220, 330, 810, 1020, 1230});
}

TEST_CASE("complex arrays side by side") {
  using complex = cuda::std::complex<float>;
  const std::vector<complex> a = {{1, 2}, {3, -1}, {0, 5}}, b = {{2, 0}, {1, 1}, {-1, 4}};
  complex dot{};
  on_host(op::zip(op::load(a.data()), op::load(b.data())) | op::reduce(op::dot, &dot), a.size());
  CHECK(dot.real() == 2 + 4 - 20);  // no conjugate
  CHECK(dot.imag() == 4 + 2 - 5);
}
