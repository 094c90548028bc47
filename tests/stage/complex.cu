// SPDX-License-Identifier: Apache-2.0
// Complex values: arithmetic against long double, real operands, quotients over the whole range, equality, sums.
#include <onepass/stage/arithmetic.cuh>
#include <onepass/stage/complex.cuh>
#include <onepass/stage/where.cuh>

#include <cuda/std/complex>

#include <complex>
#include <cstdint>
#include <type_traits>

#include "catch.hpp"
#include "util.hpp"

namespace op = onepass;
using namespace test;

using c32 = cuda::std::complex<float>;
using c64 = cuda::std::complex<double>;

// A type of one's own that is no template.
struct pair {
  using value_type = float;
  float re = 0, im = 0;
  pair() = default;
  __host__ __device__ pair(float a, float b) : re(a), im(b) {}
  __host__ __device__ float real() const { return re; }
  __host__ __device__ float imag() const { return im; }
};

static_assert(op::detail::is_complex<c32> && op::detail::is_complex<c64> && op::detail::is_complex<pair>);
static_assert(!op::detail::is_complex<float> && !op::detail::is_complex<cuda::std::tuple<float, float>>);
static_assert(!op::detail::is_complex<std::vector<float>> && !op::detail::is_complex<cuda::std::complex<float> *>);
static_assert(std::is_same_v<behind<c32, decltype(op::add(1))>, c32>);
static_assert(std::is_same_v<behind<c32, decltype(op::multiply(0.5))>, c32>);
static_assert(std::is_same_v<behind<c32, decltype(op::multiply(op::value(0.5)))>, c64>);
static_assert(std::is_same_v<behind<float, decltype(op::multiply(op::load(static_cast<c32 *>(nullptr))))>, c32>);
static_assert(std::is_same_v<behind<c32, decltype(op::multiply(op::value(c64())))>, c64>);
static_assert(std::is_same_v<behind<c32, decltype(op::abs)>, float>);
static_assert(std::is_same_v<behind<c64, decltype(op::imag)>, double>);
static_assert(std::is_same_v<behind<c32, decltype(op::equal(1))>, bool>);
static_assert(std::is_same_v<behind<pair, decltype(op::multiply(op::value(2.f)))>, pair>);

namespace {

using wide = std::complex<long double>;
template <class C>
wide widened(const C &z) {
  return {static_cast<long double>(z.real()), static_cast<long double>(z.imag())};
}

// Parts of magnitudes up to 2^range, some zero.
template <class C>
std::vector<C> numbers(int n, int range, unsigned seed) {
  using V = typename C::value_type;
  std::mt19937 bits(seed);
  const auto part = [&] {
    const int exponent = static_cast<int>(bits() % static_cast<unsigned>(2 * range + 1)) - range;
    const double m = 1 + static_cast<double>(bits()) / 4294967296.0;
    return bits() % 16 == 0 ? V(0) : static_cast<V>(std::ldexp(bits() % 2 == 0 ? m : -m, exponent));
  };
  std::vector<C> all;
  for (int i = 0; i < n; ++i) all.push_back(C(part(), part()));
  return all;
}

// The largest |got - exact| / |exact| in units of the machine epsilon 2^(1 - digits).
template <class V, class C, class F>
worst relative(const std::vector<C> &got, const F &exact) {
  worst w;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const wide right = exact(i);
    const long double miss = std::abs(widened(got[i]) - right), size = std::abs(right);
    const bool in_range =
        std::isfinite(static_cast<V>(size)) && size > static_cast<long double>(std::numeric_limits<V>::min());
    if (in_range)
      w.add(static_cast<double>(miss / size * std::scalbn(1.0L, format<V>::digits - 1)), static_cast<long double>(i));
  }
  return w;
}

template <class C>
void arithmetic() {
  using V = typename C::value_type;
  const std::vector<C> a = numbers<C>(20000, 20, 1), b = numbers<C>(20000, 20, 2), c = numbers<C>(20000, 20, 3);
  const auto x = [&](std::size_t i) { return widened(a[i]); };
  const auto y = [&](std::size_t i) { return widened(b[i]); };
  CHECK(relative<V>(through<C>(a, op::add(op::load(b.data()))), [&](std::size_t i) { return x(i) + y(i); }) <= 0.5);
  CHECK(relative<V>(through<C>(a, op::subtract(op::load(b.data()))), [&](std::size_t i) { return x(i) - y(i); }) <=
        0.5);
  CHECK(relative<V>(through<C>(a, op::multiply(op::load(b.data()))), [&](std::size_t i) { return x(i) * y(i); }) <= 1);
  CHECK(relative<V>(through<C>(a, op::square), [&](std::size_t i) { return x(i) * x(i); }) <= 0.94);
  worst w;
  const std::vector<C> z = through<C>(a, op::multiply_add(op::load(b.data()), op::load(c.data())));
  for (std::size_t i = 0; i < z.size(); ++i) {
    const wide product = x(i) * y(i), right = product + widened(c[i]);
    const long double scale = std::max(std::abs(product), std::abs(right));
    if (scale != 0)
      w.add(static_cast<double>(std::abs(widened(z[i]) - right) / scale * std::scalbn(1.0L, format<V>::digits - 1)), 0);
  }
  CHECK(w <= 0.94);
}

}  // namespace

TEST_CASE("sums, products and fused products") {
  SECTION("f32") { arithmetic<c32>(); }
  SECTION("f64") { arithmetic<c64>(); }
}

namespace {

template <class C>
void quotients() {
  using V = typename C::value_type;
  // Over the whole range, subnormal parts included: where the quotient has a place, it is found.
  const int range = format<V>::greatest;
  for (const auto &[a, b] : {std::pair{numbers<C>(20000, 20, 1), numbers<C>(20000, 20, 2)},
                             std::pair{numbers<C>(20000, range, 3), numbers<C>(20000, range, 4)}}) {
    const std::vector<C> q = through<C>(a, op::divide(op::load(b.data())));
    worst w;
    int missed = 0;
    for (std::size_t i = 0; i < q.size(); ++i) {
      if (b[i] == C(0, 0)) continue;
      // Long double has the exponents for the squares of every f64.
      const wide right = widened(a[i]) / widened(b[i]);
      const long double size = std::abs(right);
      const long double least = std::numeric_limits<V>::min(), most = std::numeric_limits<V>::max();
      if (size > 2 * most) missed += std::isfinite(q[i].real()) && std::isfinite(q[i].imag());
      else if (size > most) continue;  // the parts may be finite
      else if (size >= least)
        w.add(static_cast<double>(std::abs(widened(q[i]) - right) / size * std::scalbn(1.0L, format<V>::digits - 1)),
              static_cast<long double>(i));
      else
        w.add(static_cast<double>(std::abs(widened(q[i]) - right) /
                                  std::scalbn(1.0L, format<V>::least - format<V>::digits + 1)),
              static_cast<long double>(i));
    }
    CHECK(w <= 1.78);
    CHECK(missed == 0);
  }
}

}  // namespace

TEST_CASE("quotients neither overflow nor underflow on the way") {
  SECTION("f32") { quotients<c32>(); }
  SECTION("f64") { quotients<c64>(); }
}

TEST_CASE("quotients at the ends of the range") {
  const float most = std::numeric_limits<float>::max(), inf = std::numeric_limits<float>::infinity();
  const float least = std::ldexp(1.0f, -149), nan = std::numeric_limits<float>::quiet_NaN();
  const auto quotient = [](c32 a, c32 b) { return through<c32>(std::vector<c32>{a}, op::divide(op::value(b)))[0]; };
  CHECK(quotient({most, most}, {most, most}) == c32(1, 0));
  CHECK(quotient({least, 0}, {least, 0}) == c32(1, 0));
  CHECK(quotient({least, least}, {0, least}) == c32(1, -1));
  CHECK(quotient({most, 0}, {0, 0.5f}).imag() == -inf);
  CHECK(quotient({1, 2}, {inf, 3}) == c32(0, 0));
  CHECK(quotient({1, 2}, {inf, -inf}) == c32(0, 0));
  CHECK(std::isinf(quotient({1, 0}, {0, 0}).real()));
  CHECK(std::isnan(quotient({0, 0}, {0, 0}).real()));
  CHECK(std::isnan(quotient({1, 1}, {nan, 1}).real()));
  for (const c32 z : numbers<c32>(1000, 100, 9))
    if (z != c32(0, 0)) CHECK(quotient(z, z) == c32(1, 0));
}

TEST_CASE("a real operand meets a complex value as it is") {
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<c32> z = {{1, 2}, {-0.0f, -0.0f}, {3, inf}};
  const std::vector<float> r = {2, 3, inf};
  const auto check = [](const std::vector<c32> &y, const std::vector<c32> &expected) {
    for (std::size_t i = 0; i < y.size(); ++i)
      CHECK((same(y[i].real(), expected[i].real()) && same(y[i].imag(), expected[i].imag())));
  };
  check(through<c32>(z, op::add(1)), {{2, 2}, {1, -0.0f}, {4, inf}});
  check(through<c32>(z, op::subtract(1)), {{0, 2}, {-1, -0.0f}, {2, inf}});
  check(through<c32>(z, op::multiply(2)), {{2, 4}, {-0.0f, -0.0f}, {6, inf}});
  check(through<c32>(z, op::divide(2)), {{0.5f, 1}, {-0.0f, -0.0f}, {1.5f, inf}});
  check(through<c32>(z, op::multiply_add(2, 1)), {{3, 4}, {1, -0.0f}, {7, inf}});
  check(through<c32>(z, op::multiply(op::load(r.data()))), {{2, 4}, {-0.0f, -0.0f}, {inf, inf}});
  check(through<c32>(r, op::multiply(op::load(z.data()))), {{2, 4}, {-0.0f, -0.0f}, {inf, inf}});
  check(through<c32>(r, op::subtract(op::load(z.data()))), {{1, -2}, {3, 0}, {inf, -inf}});
  check(through<c32>(r, op::multiply_add(op::load(z.data()), op::load(r.data()))), {{4, 4}, {3, -0.0f}, {inf, inf}});
  check(through<c32>(r, op::multiply_add(op::load(r.data()), op::load(z.data()))), {{5, 2}, {9, -0.0f}, {inf, inf}});
  const std::vector<c32> one = {{3, 4}};
  check(through<c32>(one, op::reciprocal), {{0.12f, -0.16f}});
  check(through<c32>(std::vector<float>{25}, op::divide(op::load(one.data()))), {{3, -4}});
}

TEST_CASE("absolute values neither overflow nor underflow on the way") {
  std::vector<c32> z = numbers<c32>(20000, 126, 5);
  const std::vector<float> size = through<float>(z, op::abs);
  worst w;
  for (std::size_t i = 0; i < z.size(); ++i)
    w.add(error_in_ulp(size[i], std::abs(widened(z[i]))), static_cast<long double>(i));
  CHECK(w <= 0.5);
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(through<float>(std::vector<c32>{{3e38f, 1e38f}, {inf, nan}, {-0.0f, 0}}, op::abs) ==
        std::vector<float>{std::hypot(3e38f, 1e38f), inf, 0});
}

TEST_CASE("parts, conjugates and opposites") {
  const std::vector<c32> z = {{1, -2}, {-0.0f, 0}};
  CHECK(through<float>(z, op::real) == std::vector<float>{1, 0});
  CHECK(through<float>(z, op::imag) == std::vector<float>{-2, 0});
  CHECK(through<c32>(z, op::conjugate)[0] == c32(1, 2));
  CHECK(std::signbit(through<c32>(z, op::conjugate)[1].imag()));
  CHECK(through<c32>(z, op::negate)[0] == c32(-1, 2));
  CHECK(std::signbit(through<c32>(z, op::negate)[1].imag()));
  CHECK(through<float>(std::vector<float>{3}, op::conjugate | op::real)[0] == 3);
  CHECK(through<float>(std::vector<float>{3}, op::imag)[0] == 0);
  // z times its conjugate is real.
  for (const c32 p : numbers<c32>(1000, 30, 6))
    CHECK(through<c32>(std::vector<c32>{p}, op::multiply(op::value(c32(p.real(), -p.imag()))))[0].imag() == 0);
}

TEST_CASE("equality and truth") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<c32> z = {{1, 0}, {1, 2}, {0, -0.0f}, {nan, 0}, {0, nan}};
  using results = std::vector<std::uint8_t>;
  CHECK(through<std::uint8_t>(z, op::equal(1)) == results{1, 0, 0, 0, 0});
  CHECK(through<std::uint8_t>(z, op::not_equal(op::load(z.data()))) == results{0, 0, 0, 1, 1});
  CHECK(through<std::uint8_t>(z, op::logical_not) == results{0, 0, 1, 0, 0});
  CHECK(through<std::uint8_t>(z, op::is_nan) == results{0, 0, 0, 1, 1});
  CHECK(through<std::uint8_t>(z, op::is_finite) == results{1, 1, 1, 0, 0});
  CHECK(through<c32>(z, op::where(op::load(z.data()) | op::equal(1), 5)) ==
        std::vector<c32>{{1, 0}, {5, 0}, {5, 0}, {5, 0}, {5, 0}});
  CHECK(through<c32>(std::vector<float>{7}, op::where(0, op::load(z.data() + 1)))[0] == c32(1, 2));
}

TEST_CASE("a sum of complex values") {
  const std::vector<c32> z = numbers<c32>(1000, 3, 8);
  wide right = 0;
  for (const c32 &x : z) right += widened(x);
  c32 total;
  on_host(op::load(z.data()) | op::reduce(op::sum, &total), z.size());
  CHECK(std::abs(widened(total) - right) <= 1e-3L);
  c64 product;
  on_host(op::load(z.data()) | op::multiply(op::value(2.0)) | op::reduce(op::sum, &product), z.size());
  CHECK(std::abs(widened(product) - 2.0L * right) <= 1e-12L);
}

TEST_CASE("a complex type of one's own") {
  const std::vector<pair> z = {{1, 2}, {3, -4}};
  const std::vector<float> size = through<float>(z, op::multiply(op::load(z.data())) | op::abs);
  CHECK(size == std::vector<float>{5, 25});
}
