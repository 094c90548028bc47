// SPDX-License-Identifier: Apache-2.0
// The ops on a device against float64: over all 2^32 inputs in f32, over all 65536 in f16 and bf16.
#include "gpu.hpp"

namespace {

// The functions in float64, here for the host and the device.
struct sqrt64 {
  __host__ __device__ static double of(double x) { return sqrt(x); }
};
struct rsqrt64 {
  __host__ __device__ static double of(double x) { return 1 / sqrt(x); }
};
struct exp64 {
  __host__ __device__ static double of(double x) { return exp(x); }
};
struct log64 {
  __host__ __device__ static double of(double x) { return log(x); }
};
struct tanh64 {
  __host__ __device__ static double of(double x) { return tanh(x); }
};
struct sigmoid64 {
  __host__ __device__ static double of(double x) { return 1 / (1 + exp(-x)); }
};
struct silu64 {
  __host__ __device__ static double of(double x) { return x < -1500 ? -0.0 : x / (1 + exp(-x)); }
};
struct gelu64 {
  __host__ __device__ static double of(double x) { return x < -100 ? -0.0 : 0.5 * x * erfc(-x * 0.70710678118654752440); }
};
struct gelu_tanh64 {
  __host__ __device__ static double of(double x) {
    return x < -25 ? -0.0 : x / (1 + exp(-1.5957691216057307 * (x + 0.044715 * x * x * x)));
  }
};
struct third64 {
  __host__ __device__ static double of(double x) { return x / 3; }
};

// The float whose bits are the index.
struct from_bits {
  __host__ __device__ float operator()(std::int64_t i) const {
    return op::detail::bit_copy<float>(static_cast<std::uint32_t>(i));
  }
};

// By how many f32 ulp y misses the function of x; huge where one is NaN or an infinity and the other is not.
template <class Function>
struct ulp_error {
  float low, high;  // outside, nothing counts
  __host__ __device__ double operator()(float y, float x) const {
    if (!(x >= low && x <= high)) return x == x || y != y ? 0 : 1e9;
    const double right = Function::of(static_cast<double>(x));
    if (right != right || y != y) return right != right && y != y ? 0 : 1e9;
    const float rounded = static_cast<float>(right);
    if (isinf(rounded) || isinf(y)) return rounded == y ? 0 : 1e9;
    int exponent = -126;
    if (right != 0) frexp(right, &exponent);
    exponent = exponent - 1 < -126 ? -126 : exponent - 1;
    return fabs(static_cast<double>(y) - right) / ldexp(1.0, exponent - 23);
  }
};

// The worst of all 2^32 inputs, found by a pipeline: one pass without an array.
template <class Function, class Stage>
void check_f32(const char *name, const Stage &stage, double bound, float low = -INFINITY, float high = INFINITY) {
  static const workspace w;
  const device_array<double> worst(1);
  const device_array<std::int64_t> where(1);
  const auto x = op::index() | op::fn(from_bits{});
  OP_CHECK(op::launch(x | stage | op::fn(ulp_error<Function>{low, high}, x) | op::reduce(op::argmax, worst.at(), where.at()),
                      op::extent(reduced() ? 1 << 16 : std::int64_t{1} << 32), w.exec()));
  std::printf("f32 %-10s [%g, %g]: %.3f ulp at %g\n", name, static_cast<double>(low), static_cast<double>(high),
              worst.one(), static_cast<double>(from_bits{}(where.one())));
  CHECK(worst.one() <= bound);
}

// The worst of all 65536 inputs, in ulp from the correctly rounded value.
template <class T, class Function, class Stage>
int worst_ulp(const Stage &stage) {
  std::vector<T> x(65536);
  for (unsigned i = 0; i < 65536; ++i) x[i] = op::detail::bit_copy<T>(static_cast<unsigned short>(i));
  const device_array<T> dx(x), dy(65536);
  OP_CHECK(op::launch(op::load(dx.at()) | stage | op::store(dy.at()), op::extent(65536)));
  const auto y = dy.get(65536);
  const auto order = [](T v) {
    const int bits = op::detail::bit_copy<unsigned short>(v);
    return bits & 0x8000 ? -(bits & 0x7fff) : bits;
  };
  int worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double right = Function::of(static_cast<double>(op::detail::widen(x[i])));
    const double got = static_cast<double>(op::detail::widen(y[i]));
    if (std::isnan(right) || std::isnan(got)) {
      if (std::isnan(right) != std::isnan(got)) worst = 1 << 20;
      continue;
    }
    worst = std::max(worst, std::abs(order(y[i]) - order(op::detail::narrow<T>(right))));
  }
  return worst;
}

template <class T>
void check_narrow_ops() {
  CHECK(worst_ulp<T, gelu64>(op::gelu) <= 1);
  CHECK(worst_ulp<T, gelu_tanh64>(op::gelu_tanh) <= 1);
  CHECK(worst_ulp<T, sigmoid64>(op::sigmoid) <= 1);
  CHECK(worst_ulp<T, silu64>(op::silu) <= 1);
  CHECK(worst_ulp<T, tanh64>(op::tanh) <= 1);
  CHECK(worst_ulp<T, exp64>(op::exp) <= 1);
  CHECK(worst_ulp<T, log64>(op::log) <= 1);
  CHECK(worst_ulp<T, sqrt64>(op::sqrt) <= 1);
  CHECK(worst_ulp<T, rsqrt64>(op::rsqrt) <= 1);
  CHECK(worst_ulp<T, third64>(op::divide(3.0f)) <= 1);
  CHECK(worst_ulp<T, gelu64>(op::exact(op::gelu)) <= 1);
}

}  // namespace

TEST_CASE("f16 results of every input") { check_narrow_ops<__half>(); }
TEST_CASE("bf16 results of every input") { check_narrow_ops<__nv_bfloat16>(); }

TEST_CASE("f32 results of every input: the bounds of the table") {
  check_f32<sqrt64>("sqrt", op::sqrt, 0.5);
  check_f32<rsqrt64>("rsqrt", op::rsqrt, 1.52);
  check_f32<exp64>("exp", op::exp, 1.94);
  check_f32<log64>("log", op::log, 0.87);
  check_f32<tanh64>("tanh", op::tanh, 1.82);
  check_f32<sigmoid64>("sigmoid", op::sigmoid, 4.4);
  check_f32<silu64>("silu", op::silu, 5.2);
  check_f32<gelu64>("gelu", op::gelu, 8);
  check_f32<gelu_tanh64>("gelu_tanh", op::gelu_tanh, 220);
  check_f32<gelu_tanh64>("gelu_tanh", op::gelu_tanh, 34, -5.0f);
  check_f32<gelu_tanh64>("gelu_tanh", op::gelu_tanh, 3.5, -1.0f);
}

TEST_CASE("special values pass through") {
  const float inf = INFINITY, nan = NAN;
  const std::vector<float> x{nan, inf, -inf, 0.0f, -0.0f, 1e-40f, -1e-40f, 3.4e38f, -3.4e38f};
  const auto n = static_cast<std::int64_t>(x.size());
  const device_array<float> dx(x), dy(n);
  const auto run = [&](const auto &stage) {
    OP_CHECK(op::launch(op::load(dx.at()) | stage | op::store(dy.at()), op::extent(n)));
    return dy.get(n);
  };
  for (const auto &y : {run(op::relu), run(op::gelu), run(op::gelu_tanh), run(op::silu), run(op::clamp(-1, 6)),
                        run(op::minimum(1)), run(op::maximum(1)), run(op::sigmoid), run(op::tanh)}) {
    CHECK(std::isnan(y[0]));
    for (std::size_t i = 1; i < y.size(); ++i) CHECK(!std::isnan(y[i]));
  }
  for (const auto &y : {run(op::gelu), run(op::gelu_tanh), run(op::silu)}) {
    CHECK(y[1] == inf);
    CHECK((y[2] == 0.0f && std::signbit(y[2])));
    CHECK(y[5] == Approx(0.5e-40f).epsilon(0.01));
    CHECK(y[8] == 0.0f);
  }
}

