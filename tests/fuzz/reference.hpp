// SPDX-License-Identifier: Apache-2.0
// The reference of the fuzz test: what each word means, in float64 and stage by stage, with the error that it may have.
//
// A value is an interval: exact where it was loaded, and at each stage what the stage makes of its ends, widened by
// the bound that the stage's header states. No number here is measured by this test: a value outside is a bug.
#ifndef ONEPASS_TESTS_FUZZ_REFERENCE_HPP
#define ONEPASS_TESTS_FUZZ_REFERENCE_HPP

#include <initializer_list>

#include "util.hpp"

namespace fuzz {

namespace op = onepass;
using namespace test;
using f32 = float;
using f64 = double;
using e4m3 = __nv_fp8_e4m3;
using e5m2 = __nv_fp8_e5m2;
using i8 = std::int8_t;
using i16 = std::int16_t;
using i32 = std::int32_t;
using i64 = std::int64_t;
using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

#ifdef ONEPASS_FUZZ_DEVICE
inline constexpr bool on_device = true;
#else
inline constexpr bool on_device = false;
#endif

// ---- numbers in memory

// A float by its digits, least exponent and greatest number, beyond which lies infinity, or nothing.
struct float_format {
  int digits, least;
  double most;
  bool saturates;
};
template <class T>
constexpr float_format format_of() {
  if (std::is_same_v<T, f16>) return {11, -14, 65504, false};
  if (std::is_same_v<T, bf16>) return {8, -126, 0x1.FEp127, false};
  if (std::is_same_v<T, e4m3>) return {4, -6, 448, true};
  if (std::is_same_v<T, e5m2>) return {3, -14, 57344, true};
  return {24, -126, 0x1.FFFFFEp127, false};
}

// The step between neighbouring numbers around x, as if the exponents had no upper end.
inline double step_at(double x, int digits, int least) {
  return std::ldexp(1.0, (x == 0 || !std::isfinite(x) ? least : std::max(std::ilogb(x), least)) - digits + 1);
}

// x as a store to T writes it: nearest even; an integer is saturated, and of NaN it is 0.
template <class T>
double stored(double x) {
  if constexpr (std::is_same_v<T, bool>) {
    return x != 0;
  } else if constexpr (std::is_integral_v<T>) {
    constexpr auto low = static_cast<double>(std::numeric_limits<T>::min());
    constexpr auto high = static_cast<double>(std::numeric_limits<T>::max());
    return std::isnan(x) ? 0 : std::min(std::max(std::nearbyint(x), low), high) + 0.0;  // without a sign of 0
  } else if constexpr (std::is_same_v<T, f64>) {
    return x;
  } else {
    constexpr float_format f = format_of<T>();
    const double step = step_at(x, f.digits, f.least), r = std::isfinite(x) ? std::nearbyint(x / step) * step : x;
    return std::fabs(r) > f.most ? std::copysign(f.saturates ? f.most : infinity, x) : r;
  }
}

// The number that lies in memory.
template <class T>
double number_in(T x) {
  if constexpr (std::is_arithmetic_v<T>) {
    return static_cast<double>(x);
  } else if constexpr (sizeof(T) == 2) {
    return static_cast<double>(value(x));
  } else {
    constexpr int fraction_bits = format_of<T>().digits - 1;
    const int bits = bits_of<u8>(x), exponent = (bits & 0x7f) >> fraction_bits;
    const int fraction = bits & ((1 << fraction_bits) - 1), top = 0x7f >> fraction_bits;
    double size = std::ldexp(fraction + (exponent > 0 ? 1 << fraction_bits : 0),
                             std::max(exponent, 1) - 1 + format_of<T>().least - fraction_bits);
    if (std::is_same_v<T, e5m2> ? exponent == top : (bits & 0x7f) == 0x7f)
      size = std::is_same_v<T, e5m2> && fraction == 0 ? infinity : not_a_number;
    return bits & 0x80 ? -size : size;
  }
}

// ---- intervals

struct near {
  double low, value, high;
};

inline near exact(double x) { return {x, x, x}; }
inline near any_number() { return {-infinity, not_a_number, infinity}; }  // of which nothing is known
inline bool is_known(const near &v) { return !std::isnan(v.value) || std::isnan(v.low); }
inline bool is_point(const near &v) {
  return std::isnan(v.low) || (v.low == v.high && std::signbit(v.low) == std::signbit(v.high));
}

// What the sinks behind a stage can tell apart: the functions may then be approximate.
enum class math { full, f16, bf16, both };

inline double error_at(double x, double ulps, math m) {
  const double half = step_at(x, 11, -14) + 0x1p-24, bfloat = step_at(x, 8, -126) + 0x1p-133;
  if (m == math::full) return ulps * step_at(x, 24, -126);
  return m == math::f16 ? half : m == math::bf16 ? bfloat : std::min(half, bfloat);
}

// Each end as the f32 that it may be. Through a volatile: GCC 12 forgets the rounding of a pair that it vectorises.
inline near in_f32(const near &v) {
  const auto f = [](double x) {
    const volatile float y = static_cast<float>(x);
    return static_cast<double>(y);
  };
  return {f(v.low), f(v.value), f(v.high)};
}

// An f32 result within `ulps`, or before 16-bit stores within a step of theirs. A function's zeros are exact.
inline near within(const near &v, double ulps, math m = math::full) {
  const bool zero = v.low == 0 && v.high == 0;
  if (!is_known(v) || std::isnan(v.low) || zero || (m == math::full && ulps <= 0.5)) return in_f32(v);
  const auto off = [&](double x) { return std::isinf(x) ? 0 : error_at(x, ulps, m); };
  return in_f32({v.low - off(v.low), v.value, v.high + off(v.high)});
}

// Where a function of an interval is looked at: the ends, 0 (of either sign), and where the function turns.
struct samples {
  double x[6];
  int n = 0;
  samples(const near &v, double turn) {
    x[n++] = v.value;
    if (is_point(v)) return;
    x[n++] = v.low;
    x[n++] = v.high;
    if (v.low <= 0 && v.high >= 0) x[n++] = 0.0, x[n++] = -0.0;
    if (v.low < turn && turn < v.high) x[n++] = turn;
  }
};
template <class F>
void each(const F &f) {
  f();
}
template <class F, class... More>
void each(const F &f, const samples &first, const More &...more) {
  for (int i = 0; i < first.n; ++i) each([&](auto... x) { f(first.x[i], x...); }, more...);
}

// f over intervals, in which it is monotone but for 0 and `turn`. Partly NaN is not known.
template <class F, class... X>
near map_turning(double turn, const F &f, const X &...x) {
  if (!(is_known(x) && ...)) return any_number();
  near r{infinity, static_cast<double>(f(x.value...)), -infinity};
  bool nan = false, number = false;
  each(
      [&](auto... s) {
        const double y = static_cast<double>(f(s...));
        (std::isnan(y) ? nan : number) = true;
        if (y < r.low || (y == r.low && std::signbit(y))) r.low = y;
        if (y > r.high || (y == r.high && !std::signbit(y))) r.high = y;
      },
      samples(x, turn)...);
  return nan && number ? any_number() : nan ? exact(not_a_number) : r;
}
template <class F, class... X>
near map(const F &f, const X &...x) {
  return map_turning(0, f, x...);
}

// ---- the words

template <class T>
struct functor_of;
template <class F, class... O>
struct functor_of<op::detail::pointwise<F, O...>> {
  using type = F;
};
template <class F>
struct functor_of<op::detail::op_with_operands<F>> {
  using type = F;
};
template <class F>
struct functor_of<op::detail::comparison<F>> {
  using type = F;
};
// Whether a word has an approximate form for operands of f32.
template <class... T, class Word>
constexpr bool has_narrow(const Word &) {
  return op::detail::has_narrow<typename functor_of<Word>::type, op::detail::list<T...>>::value;
}

namespace ref {

inline double lesser(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return not_a_number;
  return a < b || (a == b && std::signbit(a)) ? a : b;
}
inline double greater(double a, double b) { return -lesser(-a, -b); }
inline double minus_0_below(double x, double formula) { return x == -infinity ? -0.0 : formula; }  // a limit

// Of one value: the word, its bound in ulp of f32, where it turns, and what it is.
#define FUZZ_UNARY(name, ulps, turn, ...)                                                     \
  inline near name(const near &v, [[maybe_unused]] math m = math::full) {                     \
    const auto f = [](double x) -> double { return __VA_ARGS__; };                            \
    return within(map_turning(turn, f, v), ulps, has_narrow<f32>(op::name) ? m : math::full); \
  }
#define FUZZ_BINARY(name, ulps, ...)                                                           \
  inline near name(const near &v, const near &operand, [[maybe_unused]] math m = math::full) { \
    const auto f = [](double x, double b) -> double { return __VA_ARGS__; };                   \
    return within(map(f, v, operand), ulps, has_narrow<f32, f32>(op::name) ? m : math::full);  \
  }

// clang-format off
FUZZ_UNARY(negate, 0, 0, -x)
FUZZ_UNARY(abs, 0, 0, std::fabs(x))
FUZZ_UNARY(sign, 0, 0, x == 0 || std::isnan(x) ? x : std::copysign(1, x))
FUZZ_UNARY(square, 0.5, 0, x * x)
FUZZ_UNARY(reciprocal, 0.5, 0, 1 / x)
FUZZ_UNARY(floor, 0, 0, std::floor(x))
FUZZ_UNARY(ceil, 0, 0, std::ceil(x))
FUZZ_UNARY(trunc, 0, 0, std::trunc(x))
FUZZ_UNARY(round, 0, 0, std::nearbyint(x))
FUZZ_UNARY(sqrt, 0.5, 0, std::sqrt(x))
FUZZ_UNARY(rsqrt, 1.52, 0, 1 / std::sqrt(x))
FUZZ_UNARY(exp, 1.94, 0, std::exp(x))
FUZZ_UNARY(exp2, 2, 0, std::exp2(x))
FUZZ_UNARY(expm1, 1, 0, std::expm1(x))
FUZZ_UNARY(log, 0.87, 0, std::log(x))
FUZZ_UNARY(log2, 1, 0, std::log2(x))
FUZZ_UNARY(log10, 2, 0, std::log10(x))
FUZZ_UNARY(log1p, 1, 0, std::log1p(x))
FUZZ_UNARY(tanh, (on_device ? 1.82 : 2.19), 0, std::tanh(x))  // on the host the C library's
FUZZ_UNARY(sigmoid, 4.4, 0, 1 / (1 + std::exp(-x)))
FUZZ_UNARY(erf, 2, 0, std::erf(x))
FUZZ_UNARY(relu, 0, 0, greater(x, 0))
FUZZ_UNARY(relu6, 0, 0, lesser(greater(x, 0), 6))
FUZZ_UNARY(squared_relu, 0.5, 0, greater(x, 0) * greater(x, 0))
FUZZ_UNARY(hardtanh, 0, 0, lesser(greater(x, -1), 1))
FUZZ_UNARY(hardsigmoid, 1.6, 0, lesser(greater(x + 3, 0), 6) / 6)
FUZZ_UNARY(hardswish, 2.5, -1.5, minus_0_below(x, x * lesser(greater(x + 3, 0), 6) / 6))
FUZZ_UNARY(softsign, 1.6, 0, std::isinf(x) ? std::copysign(1, x) : x / (1 + std::fabs(x)))
FUZZ_UNARY(selu, 2, 0, 1.0507009873554804934 * (x > 0 ? x : 1.6732632423543772848 * std::expm1(x)))
FUZZ_UNARY(softplus, 3, 0, greater(x, 0) + std::log1p(std::exp(-std::fabs(x))))
FUZZ_UNARY(log_sigmoid, 3, 0, lesser(x, 0) - std::log1p(std::exp(-std::fabs(x))))
FUZZ_UNARY(silu, 5.2, -1.2784645428, minus_0_below(x, x / (1 + std::exp(-x))))
FUZZ_UNARY(mish, 6, -1.1924312147, minus_0_below(x, x * std::tanh(std::log1p(std::exp(x)))))
FUZZ_UNARY(gelu, 8, -0.7517915247, minus_0_below(x, x * std::erfc(x * -0.70710678118654752440) / 2))
FUZZ_UNARY(gelu_tanh, 6, -0.7524614221,
           minus_0_below(x, x / (1 + std::exp(-1.5957691216057307118 * (x + 0.044715 * x * x * x)))))
FUZZ_UNARY(quick_gelu, 6, -0.7511542554, minus_0_below(x, x / (1 + std::exp(-1.702 * x))))
FUZZ_UNARY(is_nan, 0, 0, std::isnan(x))
FUZZ_UNARY(is_inf, 0, 0, std::isinf(x))
FUZZ_UNARY(is_finite, 0, 0, std::isfinite(x))

FUZZ_BINARY(add, 0.5, x + b)
FUZZ_BINARY(subtract, 0.5, x - b)
FUZZ_BINARY(multiply, 0.5, x * b)
FUZZ_BINARY(divide, 0.5, x / b)
FUZZ_BINARY(power, 4, std::pow(x, b))
FUZZ_BINARY(leaky_relu, 0.5, x > 0 ? x : b * (b == 0 ? greater(x, -std::numeric_limits<float>::max()) : x))
FUZZ_BINARY(elu, 2, x > 0 ? x : b * std::expm1(x))
FUZZ_BINARY(celu, 2.5, x > 0 ? x : b * std::expm1(x / b))
FUZZ_BINARY(less, 0, x < b)
FUZZ_BINARY(less_equal, 0, x <= b)
FUZZ_BINARY(logical_and, 0, x != 0 && b != 0)
FUZZ_BINARY(logical_or, 0, x != 0 || b != 0)
FUZZ_BINARY(logical_xor, 0, (x != 0) != (b != 0))
// clang-format on
#undef FUZZ_UNARY
#undef FUZZ_BINARY

inline near prelu(const near &v, const near &b) { return leaky_relu(v, b); }
inline near minimum(const near &v, const near &b) { return map(lesser, v, b); }
inline near maximum(const near &v, const near &b) { return map(greater, v, b); }
inline near clamp(const near &v, const near &low, const near &high) { return minimum(maximum(v, low), high); }
inline near greater(const near &v, const near &b) { return less(b, v); }
inline near greater_equal(const near &v, const near &b) { return less_equal(b, v); }
inline near equal(const near &v, const near &b) {
  const bool apart = v.high < b.low || v.low > b.high;
  if (!is_known(v) || !is_known(b) || apart || (is_point(v) && is_point(b))) return map(std::equal_to<double>(), v, b);
  return {0, v.value == b.value ? 1.0 : 0.0, 1};
}
inline near logical_not(const near &v) { return equal(v, exact(0)); }
inline near not_equal(const near &v, const near &b) { return logical_not(equal(v, b)); }

// Between multiples of the half turn pi / 2 that an interval holds, and beyond, a sine is anything.
inline near wave(const near &v, double (*f)(double), double ulps, math m, double turn) {
  const double pi = 3.14159265358979323846, first = std::ceil((v.low - turn) / pi),
               turns = (v.high - turn) / pi - first;
  const near r = map_turning(turns >= 0 ? first * pi + turn : 0, f, v);
  return within(is_known(r) && turns >= 1 ? near{-1, r.value, 1} : r, ulps, m);
}
inline near sin(const near &v, math m = math::full) { return wave(v, std::sin, 2, m, 1.57079632679489661923); }
inline near cos(const near &v, math m = math::full) { return wave(v, std::cos, 2, m, 0); }

// x * a + b, rounded once: in f64 to odd first. The product of two f32 is exact there.
inline near multiply_add(const near &v, const near &a, const near &b) {
  const auto f = [](double x, double y, double z) {
    const double p = x * y, s = p + z, t = s - p, rest = (p - (s - t)) + (z - t);
    if (!(rest != 0) || !std::isfinite(rest) || (bits_of<u64>(s) & 1)) return s;
    return std::nextafter(s, rest > 0 ? infinity : -infinity);
  };
  return in_f32(map(f, v, a, b));
}

// Exact, and linear as long as the quotient does not change; else anything of the sign of x.
inline near remainder(const near &v, const near &b) {
  const near r = map([](double x, double y) { return std::fmod(x, y); }, v, b);
  const near q = map([](double x, double y) { return std::trunc(x / y); }, v, b);
  if (!is_known(r) || std::isnan(r.low) || (is_point(v) && is_point(b)) || (is_known(q) && q.low == q.high)) return r;
  const double size = std::max(std::fabs(b.low), std::fabs(b.high));
  return {v.low < 0 ? -size : 0, r.value, v.high > 0 ? size : 0};
}

inline near where(const near &v, const near &mask, const near &other) {
  return map([](double x, double m, double b) { return m != 0 ? x : b; }, v, mask, other);
}
template <class T>
near cast(const near &v) {
  return map(stored<T>, v);
}
template <class Array>
near gather(const Array &table, const near &index, double size) {
  return index.value >= 0 && index.value < size ? table.element(static_cast<i64>(index.value)) : exact(0);
}

// Pairs.
inline near swiglu(const near &g, const near &u, math m = math::full) { return multiply(silu(g, m), u); }
inline near geglu(const near &g, const near &u, math m = math::full) { return multiply(gelu(g, m), u); }
inline near geglu_tanh(const near &g, const near &u, math m = math::full) { return multiply(gelu_tanh(g, m), u); }
inline near reglu(const near &g, const near &u) { return multiply(relu(g), u); }
inline near swiglu_clamped(const near &g, const near &u, double alpha, double limit, math m = math::full) {
  const auto f = [&](double x) { return minus_0_below(x, x / (1 + std::exp(-alpha * x))); };
  const near gate = within(map_turning(-1.2784645428 / alpha, f, minimum(g, exact(limit))), 6, m);  // as quick_gelu
  return multiply(gate, add(clamp(u, exact(-limit), exact(limit)), exact(1)));
}
inline near product(const near &a, const near &b) { return map(std::multiplies<double>(), a, b); }  // not rounded

// Integers, computed in T and never rounded.
template <class T>
struct whole {
// clang-format off
#define FUZZ_WHOLE(name, ...)                                                                              \
  static near name(const near &v, const near &operand) {                                                   \
    const auto f = [](T x, T b) -> T { return static_cast<T>(__VA_ARGS__); };                              \
    return map([&](double x, double b) { return number_in(f(static_cast<T>(x), static_cast<T>(b))); }, v, operand); \
  }
  FUZZ_WHOLE(add, x + b)
  FUZZ_WHOLE(subtract, x - b)
  FUZZ_WHOLE(multiply, x * b)
  FUZZ_WHOLE(divide, b == 0 ? 0 : x / b)
  FUZZ_WHOLE(remainder, b == 0 ? 0 : x % b)
  FUZZ_WHOLE(minimum, std::min(x, b))
  FUZZ_WHOLE(maximum, std::max(x, b))
  FUZZ_WHOLE(bit_and, x & b)
  FUZZ_WHOLE(bit_or, x | b)
  FUZZ_WHOLE(bit_xor, x ^ b)
  FUZZ_WHOLE(shift_left, b < 32 ? x << b : 0)
  FUZZ_WHOLE(shift_right, b < 32 ? x >> b : std::is_signed_v<T> ? x >> 31 : 0)
// clang-format on
#undef FUZZ_WHOLE
  static near multiply_add(const near &v, const near &a, const near &b) { return add(multiply(v, a), b); }
  static near bit_not(const near &v) { return bit_xor(v, exact(number_in(static_cast<T>(-1)))); }
  static near square(const near &v) { return multiply(v, v); }
};

// ---- statistics of all values, in order

using values = std::vector<near>;

// Whether enough is known of all for a sum: no end at infinity that is not the value.
inline bool all_known(const values &all) {
  return std::all_of(all.begin(), all.end(), [](const near &v) {
    return is_known(v) && (is_point(v) || (std::isfinite(v.low) && std::isfinite(v.high)));
  });
}
inline double n_of(const values &all) { return static_cast<double>(all.size()); }
// How many roundings lie between a value and the sum: the depth of a tree.
inline double depth(const values &all) { return std::log2(n_of(all) + 1) + 3; }

// The sum of f of the values, `size` the sum of their magnitudes. Where partial sums may overflow nothing is known.
template <class F>
near total(const values &all, const F &f, double &size) {
  near r = exact(0);
  size = 0;
  if (!all_known(all)) return any_number();
  for (const near &v : all) {
    const near x = f(v);
    r = {r.low + x.low, r.value + x.value, r.high + x.high};
    if (std::isfinite(x.value)) size += std::max(std::fabs(x.low), std::fabs(x.high));
  }
  return size < 3e38 ? r : any_number();
}
inline near widened(const near &v, double by) { return {v.low - by, v.value, v.high + by}; }
inline near itself(const near &v) { return v; }
inline near unrounded_square(const near &v) {
  return map([](double x) { return x * x; }, v);
}

// With one value more.
inline values with(values all, double initial) {
  all.push_back(exact(initial));
  return all;
}

inline near exact_sum(const values &all) {  // of integers
  double size;
  return total(all, itself, size);
}
inline near sum(const values &all) {
  double size;
  const near r = total(all, itself, size);
  return in_f32(widened(r, 0x1p-24 * depth(all) * size));
}
inline near sum_of_squares(const values &all) {
  double size;
  const near r = total(all, unrounded_square, size);
  return in_f32(widened(r, 0x1p-24 * depth(all) * size + 0x1p-149 * n_of(all)));
}
inline near norm2(const values &all) {
  near r = exact(0);
  if (!all_known(all)) return any_number();
  for (const near &v : all) {
    const near x = unrounded_square(v);
    r = {r.low + x.low, r.value + x.value, r.high + x.high};
  }
  const auto root = [&](double x, double sign) { return std::sqrt(x) * (1 + sign * 0x1p-25 * depth(all)); };
  return within({root(r.low, -1), std::sqrt(r.value), root(r.high, 1)}, 1);
}
inline near mean(const values &all) { return divide(sum(all), exact(n_of(all))); }
inline near log_sum_exp(const values &all) {
  if (!all_known(all)) return any_number();
  const auto of = [&](double near::*end) {
    double most = -infinity, s = 0;
    for (const near &v : all) most = greater(most, v.*end);
    if (std::isinf(most) || std::isnan(most)) return most;
    for (const near &v : all) s += std::exp(v.*end - most);
    return most + std::log(s);
  };
  const near r{of(&near::low), of(&near::value), of(&near::high)};
  return within(widened(r, 1e-6), 1);
}
// Values that move by d each move the root of their variance by at most the root of the mean of d^2.
inline near standard_deviation(const values &all) {
  const double n = n_of(all), origin = all.empty() ? 0 : all[0].value;  // of equal values the differences are 0
  double mean = 0, squares = 0, moved = 0, most = 0;
  if (!all_known(all)) return any_number();
  for (const near &v : all) {
    mean += (v.value - origin) / n;
    most = std::max({most, std::fabs(v.low), std::fabs(v.high)});
  }
  for (const near &v : all) {
    squares += (v.value - origin - mean) * (v.value - origin - mean);
    moved += std::max(v.value - v.low, v.high - v.value) * std::max(v.value - v.low, v.high - v.value);
  }
  if (std::isnan(mean) || std::isinf(mean) || all.empty()) return exact(not_a_number);  // of infinities too
  if (most * most * n > 3e38) return any_number();
  const double root = std::sqrt(squares / n), off = std::sqrt(moved / n) + root * 0x1p-25 * depth(all) + 0x1p-72;
  return within({std::max(root - off, 0.0), root, root + off}, 1);
}
// The mean beside a variance; no sum of it overflows.
inline near mean_of_moments(const values &all) {
  double size, squares = 0;
  const near r = total(all, itself, size);
  for (const near &v : all) squares += v.value * v.value;
  if (all.empty() || !is_known(r) || std::isnan(squares)) return all.empty() ? exact(not_a_number) : r;
  const double n = n_of(all), by = std::isinf(squares) ? 0 : 0x1p-24 * depth(all) * std::sqrt(squares / n);
  return in_f32(widened({r.low / n, r.value / n, r.high / n}, by));
}
inline near variance(const values &all) { return square(standard_deviation(all)); }
inline near minimum(const values &all) {
  near r = exact(infinity);
  for (const near &v : all) r = minimum(r, v);
  return r;
}
inline near maximum(const values &all) {
  near r = exact(-infinity);
  for (const near &v : all) r = maximum(r, v);
  return r;
}
// Of several zeros argmin and argmax take the first.
inline near first_zero(const near &v) { return v.low == 0 && v.high == 0 ? near{-0.0, v.value, 0.0} : v; }
// The lowest index of the least value, [first, last] that it may be. (Of the greatest: of the negated values.)
inline near argmin(const values &all) {
  const near best = minimum(all);
  if (all.empty()) return exact(-1);
  if (!is_known(best)) return any_number();
  near r = any_number();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto at = static_cast<double>(i);
    const bool may = std::isnan(best.low) ? std::isnan(all[i].low) : all[i].low <= best.high;
    if (!may) continue;
    if (std::isnan(r.value)) r = exact(at);
    r.high = at;
    if (std::isnan(best.low) || all[i].high <= best.low) break;  // it is this one, or one before
  }
  return r;
}
inline near argmax(values all) {
  for (near &v : all) v = {-v.high, -v.value, -v.low};
  return argmin(all);
}
// How many may be, and must be, other than 0.
inline near count(const values &all) {
  near r = exact(0);
  if (!all_known(all)) return any_number();
  for (const near &v : all) {
    const near x = logical_not(v);
    r = {r.low + 1 - x.high, r.value + 1 - x.value, r.high + 1 - x.low};
  }
  return r;
}
inline near any(const values &all) { return cast<bool>(count(all)); }
inline near all(const values &all) { return equal(count(all), exact(n_of(all))); }

}  // namespace ref
}  // namespace fuzz

#endif
