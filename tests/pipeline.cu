// SPDX-License-Identifier: Apache-2.0
// Pipelines and lists of stages as values, their use inside a kernel of one's own, and which math a stage may use.
#include <onepass/pipeline.cuh>

#include <onepass/launch.cuh>

#include <cstdint>
#include <type_traits>

#include "catch.hpp"
#include "util.hpp"

namespace op = onepass;
using namespace test;

TEST_CASE("a list of stages is a value, reused behind any source") {
  const std::vector<float> bias = {1, -2, 3}, a = uniform<float>(12, -2, 2);
  const std::vector<bf16> b = uniform<bf16>(12, -2, 2, 5);
  const auto epilogue = op::add(op::per_column(bias.data())) | op::gelu;
  static_assert(std::is_trivially_copyable_v<decltype(epilogue)>);
  std::vector<float> y(12), inline_y(12);
  const onepass_extent_t extent = op::extent(4, 3);
  REQUIRE(op::launch(op::load(a.data()) | epilogue | op::store(y.data()), extent, host()) == ONEPASS_SUCCESS);
  on_host(op::load(a.data()) | op::add(op::per_column(bias.data())) | op::gelu | op::store(inline_y.data()), extent);
  CHECK(y == inline_y);
  on_host(op::load(b.data()) | epilogue | epilogue | op::store(y.data()), extent);
  on_host(op::load(b.data()) | op::add(op::per_column(bias.data())) | op::gelu | op::add(op::per_column(bias.data())) |
              op::gelu | op::store(inline_y.data()),
          extent);
  CHECK(y == inline_y);
}

TEST_CASE("however parts are joined, the pipeline is the same") {
  const std::vector<float> x = {1, -2};
  std::vector<float> y(2), z(2);
  const auto left = ((op::load(x.data()) | op::relu) | op::negate) | op::store(y.data());
  const auto right = op::load(x.data()) | (op::relu | (op::negate | op::store(z.data())));
  static_assert(std::is_same_v<decltype(left), decltype(right)>);
  on_host(left, 2);
  on_host(right, 2);
  CHECK(y == z);
  static_assert(decltype(op::load(x.data()) | op::relu)::part == op::kind::source);  // so it is an operand
  static_assert(decltype(op::relu | op::abs)::part == op::kind::list);
  static_assert(std::decay_t<decltype(left)>::part == op::kind::list);
}

TEST_CASE("parts are constants") {
  constexpr auto stages = op::multiply(2.0f) | op::add(1.0f) | op::relu;
  CHECK(through<float>(std::vector<float>{1, -3}, stages) == std::vector<float>{3, 0});
}

TEST_CASE("get: the values of a pipeline at a place") {
  const float x[] = {1, 2, 3, 4, 5, 6}, gamma[] = {10, 20, 30};
  const auto values = op::load(x) | op::multiply(op::per_column(gamma)) | op::add(1);
  const op::pack<float, 4> all = values.get<4>(op::place<4>(1, 0, 2, 3));  // 3 of 4 exist
  CHECK(all[0] == 41);
  CHECK(all[1] == 101);
  CHECK(all[2] == 181);
  CHECK(values.get<1>(op::place<1>(0, 2, 2, 3))[0] == 91);
  static_assert(std::is_same_v<decltype((op::load(x) | op::add(op::value(1.0))).get<2>(op::place<2>(0, 0, 1, 6))),
                               op::pack<double, 2>>);
  // In two steps, as an evaluator does it.
  const auto at = op::place<2>(0, 1, 2, 3);
  const op::pack<float, 2> same_values = values.view_with<op::detail::full_math, 2>(values.fetch<2>(at), at);
  CHECK(same_values[0] == values.get<2>(at)[0]);
  CHECK(same_values[1] == 91);
}

TEST_CASE("apply: a list of stages behind values that are at hand") {
  const float bias[] = {1, 2, 3, 4, 5};
  float kept[5] = {};
  const auto epilogue = op::multiply(2) | op::tee(op::store(kept)) | op::add(op::per_column(bias)) | op::negate;
  const op::pack<float, 4> accumulators{{10, 20, 30, 40}};
  const op::pack<float, 4> y = epilogue.apply<4>(accumulators, op::place<4>(0, 1, 1, 5));
  CHECK(y[0] == -22);
  CHECK(y[3] == -85);
  CHECK(kept[0] == 0);
  CHECK(kept[1] == 20);
  CHECK(kept[4] == 80);
  const op::pack<double, 2> wide{{0.1, 0.2}};
  static_assert(
      std::is_same_v<decltype((op::abs | op::negate).apply<2>(wide, op::place<2>(0, 0, 1, 2))), op::pack<double, 2>>);
}

namespace {

// Adds 1 by its full form, 1000 by its narrow one.
struct which_form {
  template <class T>
  ONEPASS_HD T operator()(T x) const {
    return x + T(1);
  }
  ONEPASS_HD float narrow(float x) const { return x + 1000; }
};

struct sum_of_two {
  ONEPASS_HD float operator()(float a, float b) const { return a + b; }
};

const auto form = op::fn(which_form{});
const std::vector<float> zero = {0};

}  // namespace

TEST_CASE("a stage may approximate where every sink behind it stores a 16-bit float, or a cast makes one") {
  std::vector<float> f32(1), r(1);
  std::vector<bf16> bfloat(1);
  std::vector<f16> halved(1);
  std::vector<std::int8_t> integer(1);
  float sum = 0;
  const auto load = op::load(zero.data());
  const auto stored = [&](const auto &pipeline) {
    f32[0] = -1;
    halved[0] = nearest<f16>(-1);
    bfloat[0] = nearest<bf16>(-1);
    on_host(pipeline, 1);
  };
  stored(load | form | op::store(bfloat.data()));
  CHECK(value(bfloat[0]) == 1000);
  stored(load | form | op::store(halved.data(), 1));
  CHECK(value(halved[0]) == 1000);
  stored(load | form | op::store(f32.data()));
  CHECK(f32[0] == 1);
  stored(load | form | op::store(integer.data()));
  CHECK(integer[0] == 1);
  stored(load | form | op::reduce(op::sum, bfloat.data()));
  CHECK(value(bfloat[0]) == 1);

  // A tee counts as a sink of what stands before it, not of what stands behind.
  stored(load | form | op::tee(op::store(halved.data())) | form | op::store(bfloat.data()));
  CHECK(value(halved[0]) == 1000);
  CHECK(value(bfloat[0]) == 2000);
  stored(load | form | op::tee(op::store(f32.data())) | form | op::store(bfloat.data()));
  CHECK(f32[0] == 1);
  CHECK(value(bfloat[0]) == rounded<bf16>(1001));
  stored(load | form | op::tee(op::store(halved.data())) | form | op::store(f32.data()));
  CHECK(value(halved[0]) == 1);
  CHECK(f32[0] == 2);
  stored(load | form | op::tee(op::store(halved.data())) | form | op::reduce(op::sum, &sum));
  CHECK(sum == 2);

  // A cast rounds like a store, whatever is behind it, and exact opts out.
  stored(load | form | op::cast<bf16>() | form | op::store(f32.data()));
  CHECK(f32[0] == 1001);
  stored(load | form | op::tee(op::store(f32.data())) | op::cast<bf16>() | op::store(halved.data()));
  CHECK(f32[0] == 1);
  stored(load | form | op::cast<float>() | op::store(f32.data()));
  CHECK(f32[0] == 1);
  stored(load | op::exact(form) | op::cast<bf16>() | op::store(f32.data()));
  CHECK(f32[0] == 1);
  stored(load | op::exact(form) | form | op::store(halved.data()));
  CHECK(value(halved[0]) == 1001);

  // An operand's stages are as exact as the stage that it is an operand of.
  stored(load | op::add(op::load(zero.data()) | form) | op::store(halved.data()));
  CHECK(value(halved[0]) == 1000);
  stored(load | op::add(op::load(zero.data()) | form) | op::store(f32.data()));
  CHECK(f32[0] == 1);
  stored(load | op::add(op::load(zero.data()) | form) | op::tee(op::store(f32.data())) |
         op::add(op::load(zero.data()) | form) | op::store(halved.data()));
  CHECK(f32[0] == 1);
  CHECK(value(halved[0]) == 1001);
  // So are those of the source.
  stored(op::zip(load | form, load) | op::fn(sum_of_two{}) | op::store(halved.data()));
  CHECK(value(halved[0]) == 1000);
}

TEST_CASE("get and apply approximate in front of a cast alone") {
  CHECK((op::load(zero.data()) | form).get<1>(op::place<1>(0, 0, 1, 1))[0] == 1);
  CHECK((form | form).apply<1>(op::pack<float, 1>{{0}}, op::place<1>(0, 0, 1, 1))[0] == 2);
  CHECK((form | op::cast<bf16>() | form).apply<1>(op::pack<float, 1>{{0}}, op::place<1>(0, 0, 1, 1))[0] == 1001);
}

TEST_CASE("the chain of the first example") {
  const std::size_t n = 1001;
  const std::vector<float> x = uniform<float>(n, -4, 4), r = uniform<float>(n, -1, 1, 2);
  const float s = 1.5f, b = -0.25f;
  std::vector<float> y(n);
  REQUIRE(op::launch(op::load(x.data()) | op::multiply(s) | op::add(b) | op::gelu | op::add(op::load(r.data())) |
                         op::clamp(-1.f, 6.f) | op::store(y.data()),
                     op::extent(static_cast<std::int64_t>(n)), host()) == ONEPASS_SUCCESS);
  worst w;
  for (std::size_t i = 0; i < n; ++i) {
    const double t = static_cast<double>(static_cast<float>(static_cast<float>(x[i] * s) + b));
    const double g = 0.5 * t * std::erfc(-t / std::sqrt(2.0));
    w.add(std::fabs(static_cast<double>(y[i]) - std::min(std::max(g + static_cast<double>(r[i]), -1.0), 6.0)), x[i]);
  }
  CHECK(w <= 5e-7);
}
