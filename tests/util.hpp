// SPDX-License-Identifier: Apache-2.0
// What the tests of values share: number formats and errors in ulp, inputs, and pipelines on the host.
//
// Nothing here converts or rounds by the library's or CUDA's own functions, so that both can be judged by it.
#ifndef ONEPASS_TESTS_UTIL_HPP
#define ONEPASS_TESTS_UTIL_HPP

#include <onepass/host.cuh>
#include <onepass/launch.h>  // onepass_exec_t

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <ostream>
#include <random>
#include <type_traits>
#include <utility>
#include <vector>

namespace test {

using f16 = __half;
using bf16 = __nv_bfloat16;

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

// ---- number formats

template <class To, class From>
To bits_of(const From &from) {
  static_assert(sizeof(To) == sizeof(From), "");
  To to;
  std::memcpy(static_cast<void *>(&to), &from, sizeof(To));
  return to;
}

// A binary format: digits of the significand with the hidden one, exponents of the least and greatest normal number.
template <class T>
struct format;
template <>
struct format<f16> {
  using word = std::uint16_t;
  static constexpr int digits = 11, least = -14, greatest = 15;
};
template <>
struct format<bf16> {
  using word = std::uint16_t;
  static constexpr int digits = 8, least = -126, greatest = 127;
};
template <>
struct format<float> {
  using word = std::uint32_t;
  static constexpr int digits = 24, least = -126, greatest = 127;
};
template <>
struct format<double> {
  using word = std::uint64_t;
  static constexpr int digits = 53, least = -1022, greatest = 1023;
};

// The value of x, exact.
template <class T>
long double value(T x) {
  return static_cast<long double>(x);
}
template <class T>
long double value_of_bits(T x) {
  using F = format<T>;
  const int bits = bits_of<typename F::word>(x), hidden = 1 << (F::digits - 1);
  const int exponent = (bits & 0x7fff) >> (F::digits - 1), fraction = bits & (hidden - 1);
  const long double sign = bits & 0x8000 ? -1 : 1;
  if (exponent == F::greatest - F::least + 2) return fraction != 0 ? std::nanl("") : sign * HUGE_VALL;
  if (exponent == 0) return sign * std::scalbn(static_cast<long double>(fraction), F::least - F::digits + 1);
  return sign * std::scalbn(static_cast<long double>(hidden + fraction), exponent - 1 + F::least - F::digits + 1);
}
inline long double value(f16 x) { return value_of_bits(x); }
inline long double value(bf16 x) { return value_of_bits(x); }

// The step between neighbouring numbers of T around x.
template <class T>
long double ulp(long double x) {
  using F = format<T>;
  const int exponent = x == 0 ? F::least : std::ilogb(x);
  return std::scalbn(1.0L, std::min(std::max(exponent, F::least), F::greatest) - F::digits + 1);
}

// x rounded to nearest even in T.
template <class T>
long double rounded(long double x) {
  using F = format<T>;
  if (x == 0 || !std::isfinite(x)) return x;
  const long double step = ulp<T>(x), r = std::nearbyint(x / step) * step;
  return std::fabs(r) < std::scalbn(1.0L, F::greatest + 1) ? r : std::copysign(HUGE_VALL, x);
}

// The place of x among the numbers of T in order, 0 for both zeros; infinity follows the greatest number.
template <class T>
std::int64_t index_of(long double x) {
  using F = format<T>;
  const auto magnitude = std::isinf(x) ? std::scalbn(1.0L, F::greatest + 1) : std::fabs(x);
  const int exponent = magnitude == 0 ? F::least : std::max(std::ilogb(magnitude), F::least);
  const auto significand = static_cast<std::int64_t>(std::scalbn(magnitude, F::digits - 1 - exponent));
  const auto index = significand + (std::int64_t{exponent - F::least} << (F::digits - 1));
  return std::signbit(x) ? -index : index;
}

// The T nearest to x.
template <class T>
T nearest(long double x) {
  using word = typename format<T>::word;
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(x);
  } else {
    if (std::isnan(x)) return bits_of<T>(static_cast<word>(0x7fff));
    const int sign = std::signbit(x) ? 0x8000 : 0;
    return bits_of<T>(static_cast<word>(sign | static_cast<int>(std::llabs(index_of<T>(rounded<T>(x))))));
  }
}

// Steps of T between a result and the correctly rounded value; NaN is only near NaN.
template <class T>
double steps(T result, long double exact) {
  const long double got = value(result), best = rounded<T>(exact);
  if (std::isnan(got) || std::isnan(best)) return std::isnan(got) && std::isnan(best) ? 0 : infinity;
  return static_cast<double>(std::llabs(index_of<T>(got) - index_of<T>(best)));
}

// |result - exact| in ulp of T. Beyond the greatest number both count as the power of two that follows it.
template <class T>
double error_in_ulp(T result, long double exact) {
  const long double got = value(result), end = std::scalbn(1.0L, format<T>::greatest + 1);
  if (std::isnan(got) || std::isnan(exact)) return std::isnan(got) && std::isnan(exact) ? 0 : infinity;
  if (got == rounded<T>(exact) && std::isinf(got)) return 0;
  const auto inside = [&](long double x) { return std::min(std::max(x, -end), end); };
  return static_cast<double>(std::fabs(inside(got) - inside(exact)) / ulp<T>(exact));
}

// Equal in value, or both NaN; zeros of equal sign.
inline bool same(long double a, long double b) {
  return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
}

// The largest of many errors and the input that has it: CHECK(worst <= 2).
struct worst {
  double error = 0;
  long double input = 0;
  void add(double e, long double x) {
    if (e <= error) return;
    error = e;
    input = x;
  }
};
inline bool operator<=(const worst &w, double bound) { return w.error <= bound; }
inline std::ostream &operator<<(std::ostream &out, const worst &w) {
  out.precision(20);
  return out << w.error << " at " << w.input;
}

// ---- inputs

// Zeros, the ends of the subnormal and normal numbers, neighbours of 1, infinities, NaN.
template <class T>
std::vector<T> specials() {
  using F = format<T>;
  const auto power = [](int n) { return std::scalbn(1.0L, n); };
  std::vector<T> all;
  for (const long double x : {0.0L, power(F::least - F::digits + 1), power(F::least) * (1 - power(1 - F::digits)),
                              power(F::least), 0.5L, 1 - power(-F::digits), 1.0L, 1 + power(1 - F::digits), 1.5L, 2.0L,
                              2.5L, 10.0L, power(F::greatest) * (2 - power(1 - F::digits)), HUGE_VALL}) {
    all.push_back(nearest<T>(x));
    all.push_back(nearest<T>(-x));
  }
  all.push_back(nearest<T>(std::nanl("")));
  return all;
}

// All numbers of a 16-bit type; of a wider one the specials and n bit patterns, evenly spaced.
template <class T>
std::vector<T> sweep([[maybe_unused]] std::uint64_t n = 1 << 18) {
  using word = typename format<T>::word;
  std::vector<T> all;
  if constexpr (sizeof(T) == 2) {
    for (int i = 0; i < 65536; ++i) all.push_back(bits_of<T>(static_cast<word>(i)));
  } else {
    all = specials<T>();
    const std::uint64_t stride = (std::numeric_limits<word>::max() / n) | 1;
    for (std::uint64_t i = 0; i < n; ++i) all.push_back(bits_of<T>(static_cast<word>(i * stride)));
  }
  return all;
}

// n numbers in [low, high), the same on every machine.
template <class T>
std::vector<T> uniform(std::size_t n, double low, double high, unsigned seed = 1) {
  std::mt19937 bits(seed);
  std::vector<T> all(n);
  for (T &x : all) {
    const double u = low + (high - low) * static_cast<double>(bits()) / 4294967296.0;
    if constexpr (std::is_integral_v<T>)
      x = static_cast<T>(std::floor(u));
    else
      x = nearest<T>(u);
  }
  return all;
}

// ---- pipelines on the host

inline onepass_exec_t host() {
  onepass_exec_t exec{};
  exec.where = ONEPASS_HOST;
  return exec;
}

// What onepass::launch does by host(), without its checks and without the kernels being compiled.
template <class P>
void on_host(const P &pipeline, onepass_extent_t extent) {
  onepass::detail::run_on_host(pipeline, extent);
}
template <class P>
void on_host(const P &pipeline, std::size_t n) {
  on_host(pipeline, onepass_extent_1d(static_cast<std::int64_t>(n)));
}

// The same with the checks of a launch, and its status.
template <class P>
onepass_status_t launch_on_host(const P &pipeline, onepass_extent_t extent) {
  onepass_kernel_t kernel{};
  kernel.geometry = onepass::detail::geometry_of<P>();
  kernel.cost = onepass::detail::cost_of<P>();
  kernel.leaves = [](const void *args, onepass_leaf_t *leaves) {
    return onepass::detail::write_leaves(static_cast<const P *>(args)->inner, leaves);
  };
  kernel.host = [](const void *args, onepass_extent_t shape) {
    on_host(*static_cast<const P *>(args), shape);
    return ONEPASS_SUCCESS;
  };
  const onepass_exec_t exec = host();
  return onepass_launch(&kernel, extent, &pipeline, &exec);
}

// The type of a value of In behind the stages.
template <class In, class Stages>
using behind = std::decay_t<decltype((onepass::load(static_cast<const In *>(nullptr)) | std::declval<Stages>())
                                         .template get<4>(onepass::place<4>(0, 0, 1, 4))[0])>;

// What the stages make of x, stored as Out.
template <class Out, class In, class Stages>
std::vector<Out> through(const std::vector<In> &x, const Stages &stages) {
  std::vector<Out> y(x.size());
  on_host(onepass::load(x.data()) | stages | onepass::store(y.data()), x.size());
  return y;
}

// The largest error of the stages over x against f of each, by `measure` (steps or error_in_ulp).
template <class Out, class In, class Stages, class F, class Measure>
worst compare(const std::vector<In> &x, const Stages &stages, const F &f, const Measure &measure) {
  const std::vector<Out> y = through<Out>(x, stages);
  worst w;
  for (std::size_t i = 0; i < x.size(); ++i) w.add(measure(y[i], f(value(x[i]))), value(x[i]));
  return w;
}
template <class Out, class In, class Stages, class F>
worst worst_ulp(const std::vector<In> &x, const Stages &stages, const F &f) {
  return compare<Out>(x, stages, f, [](Out y, long double exact) { return error_in_ulp(y, exact); });
}
template <class Out, class In, class Stages, class F>
worst worst_steps(const std::vector<In> &x, const Stages &stages, const F &f) {
  return compare<Out>(x, stages, f, [](Out y, long double exact) { return steps(y, exact); });
}

}  // namespace test

#endif
