// SPDX-License-Identifier: Apache-2.0
// fn: a functor of the value and its operands; stages of a user's own; exact.
#include <onepass/stage/pointwise.cuh>

#include <cstdint>
#include <type_traits>

#include "catch.hpp"
#include "util.hpp"

namespace op = onepass;
using namespace test;

namespace {

struct scale_and_shift {  // with a state
  float scale, shift;
  ONEPASS_HD float operator()(float x) const { return x * scale + shift; }
};
struct weighted {  // of the value and two operands
  template <class W, class N>
  ONEPASS_HD double operator()(float x, W weight, N n) const {
    return x * static_cast<double>(weight) + static_cast<double>(n);
  }
};
struct look_up {
  const float *table;
  ONEPASS_HD float operator()(float x) const { return table[static_cast<int>(x)]; }
};
struct is_positive {
  template <class T>
  ONEPASS_HD bool operator()(T x) const {
    return x > T(0);
  }
};
struct to_half {
  __host__ __device__ f16 operator()(float x) const { return __float2half(x); }
};
struct add_all {  // of a tuple's elements
  ONEPASS_HD float operator()(float a, float b, float c) const { return a + b + c; }
};

// Says which of its two forms was used.
struct two_forms {
  template <class... T>
  ONEPASS_HD auto operator()(T... x) const {
    return (x + ...) * 0 + 1;
  }
  ONEPASS_HD float narrow(float) const { return 2; }
  ONEPASS_HD float narrow(float, float) const { return 3; }
};

static_assert(std::is_same_v<behind<f16, decltype(op::fn(scale_and_shift{}))>, float>);
static_assert(std::is_same_v<behind<float, decltype(op::fn(weighted{}, 1.0, op::index()))>, double>);
static_assert(std::is_same_v<behind<std::int64_t, decltype(op::fn(is_positive{}))>, bool>);
static_assert(std::is_same_v<behind<float, decltype(op::fn(to_half{}))>, float>);  // a result computes on in f32

}  // namespace

TEST_CASE("a functor of one value") {
  CHECK(through<float>(std::vector<float>{1, 2, 3}, op::fn(scale_and_shift{2, 0.5f})) ==
        std::vector<float>{2.5f, 4.5f, 6.5f});
  CHECK(through<std::uint8_t>(std::vector<double>{-1, 0, 1e-300}, op::fn(is_positive{})) ==
        std::vector<std::uint8_t>{0, 0, 1});
  CHECK(through<float>(std::vector<float>{1 + 1.0f / 4096, 3}, op::fn(to_half{}) | op::multiply(2)) ==
        std::vector<float>{2, 6});
}

TEST_CASE("a functor of the value and its operands") {
  const std::vector<float> x = {1, 2, 3, 4, 5};
  const std::vector<double> w = {1e-3, 1, 10, 0.5, -1};
  const auto y = through<double>(x, op::fn(weighted{}, op::load(w.data()), op::index()));
  for (std::size_t i = 0; i < x.size(); ++i) CHECK(y[i] == x[i] * w[i] + static_cast<double>(i));
  // A bare number takes the type of the value it meets, here f32.
  CHECK(through<double>(std::vector<float>{1}, op::fn(weighted{}, 0.1, 0))[0] == static_cast<double>(0.1f));
  CHECK(through<double>(std::vector<float>{1}, op::fn(weighted{}, op::value(0.1), 0))[0] == 0.1);
}

TEST_CASE("operands have stages of their own") {
  const std::vector<float> x = {-1, 2, -3}, r = {-10, 20, -30};
  const auto y = through<float>(
      x, op::add(op::load(r.data()) | op::relu | op::multiply(op::load(x.data()) | op::square)) | op::negate);
  CHECK(y == std::vector<float>{1, -82, 3});
}

TEST_CASE("a functor may look things up in memory of its own") {
  const float table[] = {10, 20, 30, 40};
  CHECK(through<float>(std::vector<float>{3, 0, 1}, op::fn(look_up{table})) == std::vector<float>{40, 10, 20});
}

TEST_CASE("a functor's narrow form is used before 16-bit stores, for values of f32 alone") {
  const auto form = [](auto out, auto in, const auto &stage) {
    using T = decltype(in);
    return static_cast<int>(value(through<decltype(out)>(std::vector<T>{nearest<T>(1)}, stage)[0]));
  };
  CHECK(form(bf16{}, bf16{}, op::fn(two_forms{})) == 2);
  CHECK(form(f16{}, float{}, op::fn(two_forms{})) == 2);
  CHECK(form(bf16{}, float{}, op::fn(two_forms{}, 1.0)) == 3);  // the number is f32 here
  CHECK(form(bf16{}, float{}, op::fn(two_forms{}, op::value(nearest<f16>(1)))) == 3);
  CHECK(form(float{}, bf16{}, op::fn(two_forms{})) == 1);
  CHECK(form(double{}, float{}, op::fn(two_forms{})) == 1);
  CHECK(form(bf16{}, double{}, op::fn(two_forms{})) == 1);
  CHECK(form(bf16{}, float{}, op::fn(two_forms{}, op::value(1.0))) == 1);
  CHECK(form(bf16{}, float{}, op::exact(op::fn(two_forms{}))) == 1);
  CHECK(form(bf16{}, float{}, op::exact(op::fn(two_forms{}, 1))) == 1);
}

TEST_CASE("exact leaves the values as they are") {
  const std::vector<float> x = {1, 2, 3}, r = {0.5f, 0.25f, 0.125f};
  CHECK(through<float>(x, op::exact(op::add(op::load(r.data())))) == std::vector<float>{1.5f, 2.25f, 3.125f});
  std::vector<float> y(3);
  on_host(op::zip(op::load(x.data()), op::load(r.data()), 1.0f) | op::exact(op::fn(add_all{})) | op::store(y.data()),
          3);
  CHECK(y == std::vector<float>{2.5f, 3.25f, 4.125f});
}

namespace {

// A stage that is neither an op nor a functor: it sees its lanes and where they are.
struct reverse_in_group {
  static constexpr op::kind part = op::kind::pointwise;
  template <int N, class T, op::access A>
  ONEPASS_HD op::pack<T, N> apply(const op::pack<T, N> &v, const op::position<N, A> &at) const {
    op::pack<T, N> r = v;
    for (int i = 0; i < N; ++i)
      if (at.has(i)) r[i] = v[at.count - 1 - i];
    return r;
  }
};

// A source that is computed: i * i.
struct squares {
  static constexpr op::kind part = op::kind::source;
  template <int N, op::access A>
  ONEPASS_HD op::pack<double, N> get(const op::position<N, A> &at) const {
    op::pack<double, N> v;
    for (int i = 0; i < N; ++i) v[i] = static_cast<double>((at.index + i) * (at.index + i));
    return v;
  }
};

}  // namespace

TEST_CASE("a stage and a source of one's own stand among the others") {
  const std::vector<float> x = {1, 2, 3, 4, 5, 6, 7, 8};  // groups of 4
  CHECK(through<float>(x, reverse_in_group{} | op::negate) == std::vector<float>{-4, -3, -2, -1, -8, -7, -6, -5});
  const auto y = through<double>(x, op::add(squares{}));
  for (std::size_t i = 0; i < x.size(); ++i) CHECK(y[i] == x[i] + static_cast<double>(i * i));
  std::vector<float> z(5);
  on_host(squares{} | op::sqrt | op::store(z.data()), 5);
  CHECK(z == std::vector<float>{0, 1, 2, 3, 4});
}
