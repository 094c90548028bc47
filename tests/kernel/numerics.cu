// SPDX-License-Identifier: Apache-2.0
// The elementary ops on a device against float64: over all 2^32 inputs in f32, over all 65536 in f16 and bf16. What is
// exact, or rounded once, has the bits of the host.
#include <cuda/std/complex>

#include <cstring>

#include "ulp.hpp"

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
struct exp2_64 {
  __host__ __device__ static double of(double x) { return exp2(x); }
};
struct expm1_64 {
  __host__ __device__ static double of(double x) { return expm1(x); }
};
struct log64 {
  __host__ __device__ static double of(double x) { return log(x); }
};
struct log2_64 {
  __host__ __device__ static double of(double x) { return log2(x); }
};
struct log10_64 {
  __host__ __device__ static double of(double x) { return log10(x); }
};
struct log1p64 {
  __host__ __device__ static double of(double x) { return log1p(x); }
};
struct tanh64 {
  __host__ __device__ static double of(double x) { return tanh(x); }
};
struct sigmoid64 {
  __host__ __device__ static double of(double x) { return 1 / (1 + exp(-x)); }
};
struct erf64 {
  __host__ __device__ static double of(double x) { return erf(x); }
};
struct sin64 {
  __host__ __device__ static double of(double x) { return sin(x); }
};
struct cos64 {
  __host__ __device__ static double of(double x) { return cos(x); }
};
struct third64 {
  __host__ __device__ static double of(double x) { return x / 3; }
};
struct reciprocal64 {
  __host__ __device__ static double of(double x) { return 1 / x; }
};
// x^(Eighths / 8)
template <int Eighths>
struct power64 {
  __host__ __device__ static double of(double x) { return pow(x, Eighths / 8.0); }
};
struct remainder64 {
  __host__ __device__ static double of(double x) { return fmod(x, 0.75); }
};
struct floor64 {
  __host__ __device__ static double of(double x) { return floor(x); }
};
struct ceil64 {
  __host__ __device__ static double of(double x) { return ceil(x); }
};
struct trunc64 {
  __host__ __device__ static double of(double x) { return trunc(x); }
};
struct round64 {
  __host__ __device__ static double of(double x) { return rint(x); }
};
struct sign64 {
  __host__ __device__ static double of(double x) { return x == 0 || x != x ? x : copysign(1.0, x); }
};

template <class T>
void check_narrow_ops() {
  CHECK(worst_ulp<T, sqrt64>(op::sqrt) <= 1);
  CHECK(worst_ulp<T, rsqrt64>(op::rsqrt) <= 1);
  CHECK(worst_ulp<T, exp64>(op::exp) <= 1);
  CHECK(worst_ulp<T, exp2_64>(op::exp2) <= 1);
  CHECK(worst_ulp<T, expm1_64>(op::expm1) <= 1);
  CHECK(worst_ulp<T, log64>(op::log) <= 1);
  CHECK(worst_ulp<T, log2_64>(op::log2) <= 1);
  CHECK(worst_ulp<T, log10_64>(op::log10) <= 1);
  CHECK(worst_ulp<T, log1p64>(op::log1p) <= 1);
  CHECK(worst_ulp<T, tanh64>(op::tanh) <= 1);
  CHECK(worst_ulp<T, sigmoid64>(op::sigmoid) <= 1);
  CHECK(worst_ulp<T, erf64>(op::erf) <= 1);
  CHECK(worst_ulp<T, sin64>(op::sin) <= 1);
  CHECK(worst_ulp<T, cos64>(op::cos) <= 1);
  CHECK(worst_ulp<T, third64>(op::divide(3.0f)) <= 1);
  CHECK(worst_ulp<T, reciprocal64>(op::reciprocal) <= 1);
  CHECK(worst_ulp<T, power64<16>>(op::power(2)) <= 1);
  CHECK(worst_ulp<T, power64<24>>(op::power(3)) <= 1);
  CHECK(worst_ulp<T, power64<-8>>(op::power(-1)) <= 1);
  CHECK(worst_ulp<T, power64<4>>(op::power(0.5)) <= 1);
  CHECK(worst_ulp<T, power64<-13>>(op::power(-1.625)) <= 1);
  CHECK(worst_ulp<T, power64<7201>>(op::power(900.125)) <= 1);
  CHECK(worst_ulp<T, power64<88000>>(op::power(11000)) <= 1);
  CHECK(worst_ulp<T, power64<0>>(op::power(0)) <= 1);
  CHECK(worst_ulp<T, remainder64>(op::remainder(0.75)) <= 0);
  CHECK(worst_ulp<T, log64, op::detail::full_math>(op::log) <= 1);
}

}  // namespace

TEST_CASE("f16 results of every input") { check_narrow_ops<__half>(); }
TEST_CASE("bf16 results of every input") { check_narrow_ops<__nv_bfloat16>(); }

TEST_CASE("f32 results of every input: the bounds of the table") {
  check_f32<sqrt64>("sqrt", op::sqrt, 0.5);
  check_f32<rsqrt64>("rsqrt", op::rsqrt, 1.52);
  check_f32<exp64>("exp", op::exp, 1.94);
  check_f32<exp2_64>("exp2", op::exp2, 2.39);
  check_f32<expm1_64>("expm1", op::expm1, 1.45);
  check_f32<log64>("log", op::log, 0.87);
  check_f32<log2_64>("log2", op::log2, 0.92);
  check_f32<log10_64>("log10", op::log10, 2.09);
  check_f32<log1p64>("log1p", op::log1p, 0.89);
  check_f32<tanh64>("tanh", op::tanh, 1.82);
  check_f32<sigmoid64>("sigmoid", op::sigmoid, 4.22);
  check_f32<erf64>("erf", op::erf, 1.04);
  check_f32<sin64>("sin", op::sin, 1.5);
  check_f32<cos64>("cos", op::cos, 1.52);
  check_f32<reciprocal64>("reciprocal", op::reciprocal, 0.5);
  check_f32<power64<24>>("power(3)", op::power(3), 0.95);
  check_f32<power64<4>>("power(0.5)", op::power(0.5), 0.95);
  check_f32<power64<-13>>("power(-1.625)", op::power(-1.625), 0.95);
  check_f32<power64<88000>>("power(11000)", op::power(11000), 0.95);
  check_f32<remainder64>("remainder", op::remainder(0.75), 0);
  check_f32<floor64>("floor", op::floor, 0);
  check_f32<ceil64>("ceil", op::ceil, 0);
  check_f32<trunc64>("trunc", op::trunc, 0);
  check_f32<round64>("round", op::round, 0);
  check_f32<sign64>("sign", op::sign, 0);
}

TEST_CASE("special values pass through") {
  const float inf = INFINITY, nan = NAN;
  const std::vector<float> x{nan, inf, -inf, 0.0f, -0.0f, 1e-40f, -1e-40f, 3.4e38f, -3.4e38f};
  const auto run = [&](const auto &stage) {
    const std::vector<float> y = applied<op::detail::full_math, float>(x, stage);
    const auto z = applied<op::detail::narrow_math, __nv_bfloat16>(x, stage);
    for (std::size_t i = 0; i < y.size(); ++i) {
      const float narrow = __bfloat162float(z[i]);
      CHECK(std::isnan(narrow) == std::isnan(y[i]));
      if (y[i] == 0) CHECK((narrow == 0 && std::signbit(narrow) == std::signbit(y[i])));
    }
    CHECK(std::isnan(y[0]));
    return y;
  };
  for (const auto &y : {run(op::relu), run(op::clamp(-1, 6)), run(op::minimum(1)), run(op::maximum(1)),
                        run(op::sigmoid), run(op::tanh), run(op::erf), run(op::expm1), run(op::sign), run(op::round)})
    for (std::size_t i = 1; i < y.size(); ++i) CHECK(!std::isnan(y[i]));
  // Odd functions that are their argument near 0.
  for (const auto &y :
       {run(op::sin), run(op::tanh), run(op::expm1), run(op::log1p), run(op::erf), run(op::floor), run(op::power(3))}) {
    CHECK((y[3] == 0 && !std::signbit(y[3])));
    CHECK((y[4] == 0 && std::signbit(y[4])));
  }
  for (const auto &y : {run(op::sin), run(op::cos)}) CHECK((std::isnan(y[1]) && std::isnan(y[2])));
  for (const auto &y : {run(op::log), run(op::log2), run(op::log10)}) {
    CHECK((y[1] == inf && std::isnan(y[2]) && y[3] == -inf && y[4] == -inf && std::isnan(y[6])));
  }
  const std::vector<float> cube = run(op::power(3)), inverse = run(op::power(-1)), root = run(op::power(0.5));
  CHECK((cube[1] == inf && cube[2] == -inf && cube[7] == inf && cube[8] == -inf));
  CHECK((inverse[3] == inf && inverse[4] == -inf && inverse[1] == 0 && std::signbit(inverse[2])));
  CHECK((root[2] == inf && std::isnan(root[8])));
}

namespace {

// load(x) | build(b) has the same bits on the device and on the host.
template <class Out, class Build, class T>
void check_bits(const Build &build, const std::vector<T> &x, const std::vector<T> &b) {
  const auto n = static_cast<std::int64_t>(x.size());
  const device_array<T> dx(x), db(b);
  const device_array<Out> dy(n);
  std::vector<Out> y(x.size());
  OP_CHECK(op::launch(op::load(dx.at()) | build(db.at()) | op::store(dy.at()), op::extent(n)));
  OP_CHECK(op::launch(op::load(x.data()) | build(b.data()) | op::store(y.data()), op::extent(n), on_host()));
  const device_array<Out> right(y);
  const error_counter errors;
  errors.check(dy, 0, right.at(), n);
  CHECK(errors.get() == 0);
}

// Any bits of a finite value.
template <class T>
std::vector<T> any_values(std::size_t n) {
  std::vector<T> x(n);
  for (T &v : x) do {
      const std::uint64_t bits = generator()();
      std::memcpy(&v, &bits, sizeof v);
    } while (!op::detail::is_finite_op{}(v));
  return x;
}

}  // namespace

TEST_CASE("integers: bits, shifts, divisions and powers as on the host") {
  const auto build = [](const std::int32_t *b) {
    return op::power(op::load(b) | op::bit_and(15)) | op::bit_xor(op::load(b)) |
           op::shift_right(op::load(b) | op::bit_and(63) | op::subtract(8)) |
           op::divide(op::load(b) | op::remainder(5)) |
           op::bit_or(op::load(b) | op::shift_left(op::load(b) | op::bit_and(63))) | op::remainder(op::load(b));
  };
  check_bits<std::int32_t>(build, any_values<std::int32_t>(100001), any_values<std::int32_t>(100001));
}

TEST_CASE("comparisons and choices as on the host") {
  const auto build = [](const float *b) {
    return op::where(op::load(b) | op::less(0) | op::logical_xor(op::load(b) | op::abs | op::greater(1e10)),
                     op::load(b) | op::remainder(0.3)) |
           op::add(op::load(b) | op::is_finite | op::logical_and(op::load(b) | op::sign));
  };
  check_bits<float>(build, any_values<float>(100001), any_values<float>(100001));
}

TEST_CASE("complex products and quotients as on the host") {
  using c32 = cuda::std::complex<float>;
  const auto values = [](std::size_t n, float end) {
    const std::vector<float> parts = any_values<float>(2 * n);
    std::vector<c32> z(n);
    for (std::size_t i = 0; i < n; ++i) z[i] = c32(std::fmod(parts[2 * i], end), std::fmod(parts[2 * i + 1], end));
    return z;
  };
  const auto products = [](const c32 *b) {
    return op::multiply(op::load(b)) | op::multiply_add(1e-20, op::load(b) | op::conjugate) |
           op::subtract(op::load(b) | op::real);
  };
  check_bits<c32>(products, values(100001, 1e15f), values(100001, 1e15f));
  const auto quotients = [](const c32 *b) { return op::divide(op::load(b)); };
  check_bits<c32>(quotients, values(100001, INFINITY), values(100001, INFINITY));
}
