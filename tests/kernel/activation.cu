// SPDX-License-Identifier: Apache-2.0
// The activations and gated pairs on a device against float64: over all 2^32 inputs in f32, over all 65536 in f16 and
// bf16.
#include "ulp.hpp"

namespace {

// The functions in float64, here for the host and the device. Parameters are exact in f32.
constexpr double slope = 0.0078125, alpha = 0.75, up = 1.375, limit = 7;

__host__ __device__ double log_of_exp(double x) { return log1p(exp(-fabs(x))); }
__host__ __device__ double above(double x) { return x > 0 || x != x ? x : 0; }
__host__ __device__ double logistic_of(double x, double z) { return x < -1e4 ? -0.0 : x / (1 + exp(-z)); }

struct leaky_relu64 {
  __host__ __device__ static double of(double x) { return x > 0 ? x : slope * x; }
};
struct squared_relu64 {
  __host__ __device__ static double of(double x) { return above(x) * above(x); }
};
struct hardsigmoid64 {
  __host__ __device__ static double of(double x) { return x < -3 ? 0 : x > 3 ? 1 : (x + 3) / 6; }
};
struct hardswish64 {
  __host__ __device__ static double of(double x) { return x < -3 ? -0.0 : x * hardsigmoid64::of(x); }
};
struct softsign64 {
  __host__ __device__ static double of(double x) { return fabs(x) > 1e300 ? copysign(1.0, x) : x / (1 + fabs(x)); }
};
struct elu64 {
  __host__ __device__ static double of(double x) { return x > 0 ? x : alpha * expm1(x); }
};
struct selu64 {
  __host__ __device__ static double of(double x) {
    return x > 0 ? 1.0507009873554804934 * x : 1.7580993408473768599 * expm1(x);
  }
};
struct celu64 {
  __host__ __device__ static double of(double x) { return x > 0 ? x : alpha * expm1(x / alpha); }
};
struct softplus64 {
  __host__ __device__ static double of(double x) { return above(x) + log_of_exp(x); }
};
struct log_sigmoid64 {
  __host__ __device__ static double of(double x) { return -softplus64::of(-x); }
};
struct silu64 {
  __host__ __device__ static double of(double x) { return logistic_of(x, x); }
};
struct quick_gelu64 {
  __host__ __device__ static double of(double x) { return logistic_of(x, 1.702 * x); }
};
struct gelu_tanh64 {
  __host__ __device__ static double of(double x) {
    return x < -25 ? -0.0 : logistic_of(x, 1.5957691216057307 * (x + 0.044715 * x * x * x));
  }
};
struct gelu64 {
  __host__ __device__ static double of(double x) {
    return x < -100 ? -0.0 : 0.5 * x * erfc(-x * 0.70710678118654752440);
  }
};
struct mish64 {
  __host__ __device__ static double of(double x) {
    if (x < -1e4 || x > 300) return x > 0 ? x : -0.0;
    const double n = exp(x), w = n * (n + 2);
    return x * (w / (w + 2));
  }
};
template <class Activation>
struct times_up64 {
  __host__ __device__ static double of(double x) { return Activation::of(x) * up; }
};
struct clamped64 {
  __host__ __device__ static double of(double x) {
    const double g = x > limit ? limit : x;
    return logistic_of(g, alpha * g) * (up + 1);
  }
};

const auto other = op::value(static_cast<float>(up));
const auto clamped = op::swiglu_clamped(alpha, limit)(other);

template <class T>
void check_narrow_ops() {
  CHECK(worst_ulp<T, leaky_relu64>(op::leaky_relu(slope)) <= 1);
  CHECK(worst_ulp<T, squared_relu64>(op::squared_relu) <= 1);
  CHECK(worst_ulp<T, hardsigmoid64>(op::hardsigmoid) <= 1);
  CHECK(worst_ulp<T, hardswish64>(op::hardswish) <= 1);
  CHECK(worst_ulp<T, softsign64>(op::softsign) <= 1);
  CHECK(worst_ulp<T, elu64>(op::elu(alpha)) <= 1);
  CHECK(worst_ulp<T, selu64>(op::selu) <= 1);
  CHECK(worst_ulp<T, celu64>(op::celu(alpha)) <= 1);
  CHECK(worst_ulp<T, softplus64>(op::softplus) <= 1);
  CHECK(worst_ulp<T, log_sigmoid64>(op::log_sigmoid) <= 1);
  CHECK(worst_ulp<T, silu64>(op::silu) <= 1);
  CHECK(worst_ulp<T, mish64>(op::mish) <= 1);
  CHECK(worst_ulp<T, gelu64>(op::gelu) <= 1);
  CHECK(worst_ulp<T, gelu64, op::detail::full_math>(op::gelu) <= 1);
  CHECK(worst_ulp<T, gelu_tanh64>(op::gelu_tanh) <= 1);
  CHECK(worst_ulp<T, quick_gelu64>(op::quick_gelu) <= 1);
  CHECK(worst_ulp<T, times_up64<silu64>>(op::swiglu(other)) <= 1);
  CHECK(worst_ulp<T, times_up64<gelu64>>(op::geglu(other)) <= 1);
  CHECK(worst_ulp<T, times_up64<gelu_tanh64>>(op::geglu_tanh(other)) <= 1);
  CHECK(worst_ulp<T, clamped64>(clamped) <= 1);
}

}  // namespace

TEST_CASE("f16 results of every input") { check_narrow_ops<__half>(); }
TEST_CASE("bf16 results of every input") { check_narrow_ops<__nv_bfloat16>(); }

TEST_CASE("f32 results of every input: the bounds that are stated") {
  check_f32<leaky_relu64>("leaky_relu", op::leaky_relu(slope), 0.5);
  check_f32<squared_relu64>("squared_relu", op::squared_relu, 0.5);
  check_f32<hardsigmoid64>("hardsigmoid", op::hardsigmoid, 1.34);
  check_f32<hardswish64>("hardswish", op::hardswish, 2.49);
  check_f32<softsign64>("softsign", op::softsign, 1.5);
  check_f32<elu64>("elu", op::elu(alpha), 2.13);
  check_f32<selu64>("selu", op::selu, 2.3);
  check_f32<celu64>("celu", op::celu(alpha), 2.81);
  check_f32<softplus64>("softplus", op::softplus, 2.71);
  check_f32<log_sigmoid64>("log_sigmoid", op::log_sigmoid, 2.71);
  check_f32<silu64>("silu", op::silu, 5.17);
  check_f32<mish64>("mish", op::mish, 5.17);
  check_f32<gelu64>("gelu", op::gelu, 7.91);
  check_f32<gelu_tanh64>("gelu_tanh", op::gelu_tanh, 5.26);
  check_f32<quick_gelu64>("quick_gelu", op::quick_gelu, 5.27);
  check_f32<times_up64<silu64>>("swiglu", op::swiglu(other), 6.43);
  check_f32<times_up64<gelu64>>("geglu", op::geglu(other), 8.81);
  check_f32<times_up64<gelu_tanh64>>("geglu_tanh", op::geglu_tanh(other), 5.49);
  check_f32<clamped64>("swiglu_clamped", clamped, 5.73);
}

TEST_CASE("special values pass through") {
  const float inf = INFINITY, nan = NAN;
  const std::vector<float> x{nan, inf, -inf, 0.0f, -0.0f, 1e-40f, -1e-40f, 3.4e38f, -3.4e38f};
  const auto run = [&](const auto &stage) {
    const std::vector<float> y = applied<op::detail::full_math, float>(x, stage);
    const auto z = applied<op::detail::narrow_math, __nv_bfloat16>(x, stage);
    for (std::size_t i = 0; i < y.size(); ++i) {
      const float narrow = __bfloat162float(z[i]);
      CHECK(std::isnan(y[i]) == (i == 0));
      CHECK(std::isnan(narrow) == (i == 0));
      if (i == 1 || i == 2) CHECK((narrow == y[i] || std::fabs(narrow / y[i] - 1) < 0.004f));
      if (y[i] == 0) CHECK(std::signbit(narrow) == std::signbit(y[i]));
    }
    return y;
  };
  run(op::relu6);
  run(op::hardtanh);
  run(op::hardsigmoid);
  run(op::squared_relu);
  for (const auto &y : {run(op::gelu), run(op::gelu_tanh), run(op::quick_gelu), run(op::silu), run(op::mish),
                        run(op::hardswish), run(op::leaky_relu(0))}) {
    CHECK(y[1] == inf);
    CHECK((y[2] == 0 && std::signbit(y[2])));
    CHECK((y[4] == 0 && std::signbit(y[4])));
    CHECK(y[8] == 0);
  }
  for (const auto &y : {run(op::gelu), run(op::gelu_tanh), run(op::quick_gelu), run(op::silu)})
    CHECK(y[5] == Approx(0.5e-40f).epsilon(0.01));
  for (const auto &y : {run(op::elu(0.5)), run(op::celu(0.5))}) {
    CHECK((y[1] == inf && y[2] == -0.5f && y[6] < 0));
    CHECK((y[4] == 0 && std::signbit(y[4])));
  }
  CHECK(run(op::selu)[2] == 1.7580993408473768599f * -1);
  CHECK(run(op::softsign)[2] == -1);
  CHECK(run(op::softplus)[2] == 0);
  CHECK(run(op::log_sigmoid)[2] == -inf);
  run(clamped);
  run(op::swiglu(2.0f));
  run(op::geglu(2.0f));
}

namespace {

template <class T>
void check_layouts(std::int64_t rows, std::int64_t columns, std::int64_t offset) {
  const std::int64_t n = rows * columns;
  const auto p = random_values<T>(2 * n);
  const device_array<T> dp(2 * n + 16), dy(n + 16);
  dp.put(p, offset);
  std::vector<T> expected(static_cast<std::size_t>(n));
  const device_array<T> right(n);
  const auto check = [&](const auto &on_device, const auto &on_cpu) {
    dy.fill(0xA5);
    OP_CHECK(op::launch(on_device | op::store(dy.at(offset)), op::extent(rows, columns)));
    OP_CHECK(op::launch(on_cpu | op::store(expected.data()), op::extent(rows, columns), on_host()));
    right.put(expected);
    const error_counter errors;
    errors.check(dy, offset, right.at(), n);
    CHECK(errors.get() == 0);
  };
  // A product, in which device and host agree in every bit.
  check(op::halves(dp.at(offset), columns) | op::reglu, op::halves(p.data(), columns) | op::reglu);
  if (offset % 2 == 0) {
    // The host's copy is aligned as any allocation is.
    check(op::pairs(dp.at(offset)) | op::reglu, op::pairs(p.data()) | op::reglu);
  }
}

}  // namespace

TEMPLATE_TEST_CASE("halves and pairs in every shape and alignment", "", __nv_bfloat16, float) {
  for (const std::int64_t offset : {0, 1, 2, 3})
    for (const std::int64_t rows : {1, 3})
      for (const std::int64_t columns : {1, 7, 8, 64, 1001, 4096}) check_layouts<TestType>(rows, columns, offset);
}
