// SPDX-License-Identifier: Apache-2.0
// Conversions between memory and values: exact one way, rounded once or saturated the other.
#include <onepass/convert.cuh>

#include <cstdint>
#include <limits>
#include <tuple>
#include <type_traits>

#include "catch.hpp"
#include "util.hpp"

namespace op = onepass;
namespace detail = onepass::detail;
using namespace test;

static_assert(std::is_same_v<detail::compute_t<f16>, float>);
static_assert(std::is_same_v<detail::compute_t<bf16>, float>);
static_assert(std::is_same_v<detail::compute_t<__nv_fp8_e4m3>, float>);
static_assert(std::is_same_v<detail::compute_t<double>, double>);
static_assert(std::is_same_v<detail::compute_t<unsigned char>, unsigned char>);
static_assert(std::is_same_v<detail::promoted_t<signed char>, int>);
static_assert(std::is_same_v<detail::promoted_t<std::uint32_t>, std::uint32_t>);

namespace {

// Both types of 16 bits.
template <class F>
void each_float16(const F &f) {
  f(f16{});
  f(bf16{});
}

// x and, on both sides, the neighbours of x in From.
template <class From>
std::vector<From> around(long double x) {
  const auto middle = static_cast<From>(x);
  const From end = std::numeric_limits<From>::infinity();
  return {std::nextafter(middle, -end), middle, std::nextafter(middle, end)};
}

// What nearest even makes of every number of T, of every midpoint between two, and of what lies just beside them.
template <class T, class From>
worst worst_rounding() {
  worst w;
  for (const T x : sweep<T>()) {
    const long double v = value(x);
    if (!std::isfinite(v)) continue;
    for (const long double y : {v, v + ulp<T>(v) / 2, v - ulp<T>(v) / 2, v + ulp<T>(v) / 4}) {
      for (const From z : around<From>(y)) {
        const T stored = detail::narrow<T>(z);
        w.add(same(value(stored), rounded<T>(z)) ? 0 : 1 + steps(stored, z), z);
      }
    }
  }
  for (const From z : sweep<From>()) {
    const T stored = detail::narrow<T>(z);
    w.add(same(value(stored), rounded<T>(z)) ? 0 : 1 + steps(stored, z), z);
  }
  return w;
}

}  // namespace

TEST_CASE("16-bit floats widen exactly and come back unchanged") {
  each_float16([](auto type) {
    using T = decltype(type);
    int wrong = 0;
    for (const T x : sweep<T>()) {
      const float wide = detail::widen(x);
      wrong += !same(wide, value(x));
      if (!std::isnan(wide)) wrong += bits_of<std::uint16_t>(detail::narrow<T>(wide)) != bits_of<std::uint16_t>(x);
    }
    CHECK(wrong == 0);
  });
}

TEST_CASE("floats store to 16 bits rounded to nearest even, f64 without a stop at f32") {
  CHECK(worst_rounding<f16, float>() <= 0);
  CHECK(worst_rounding<f16, double>() <= 0);
  CHECK(worst_rounding<bf16, float>() <= 0);
  CHECK(worst_rounding<bf16, double>() <= 0);
  // Just above the midpoint of two numbers, by less than f32 can see.
  CHECK(value(detail::narrow<f16>(1 + std::ldexp(1, -11) + std::ldexp(1, -40))) == 1 + std::ldexp(1, -10));
  CHECK(value(detail::narrow<bf16>(1 + std::ldexp(1, -8) + std::ldexp(1, -40))) == 1 + std::ldexp(1, -7));
}

TEST_CASE("f64 stores to f32 rounded to nearest even") {
  worst w;
  for (const float x : sweep<float>()) {
    if (!std::isfinite(x)) continue;
    const double middle = static_cast<double>(x) + static_cast<double>(ulp<float>(x)) / 2;
    for (const double z : around<double>(middle)) w.add(same(detail::narrow<float>(z), rounded<float>(z)) ? 0 : 1, z);
  }
  CHECK(w <= 0);
  CHECK(std::isnan(detail::narrow<float>(not_a_number)));
}

TEST_CASE("one 16-bit type stores as the other") {
  int wrong = 0;
  for (const f16 x : sweep<f16>()) wrong += !same(value(detail::narrow<bf16>(x)), rounded<bf16>(value(x)));
  for (const bf16 x : sweep<bf16>()) wrong += !same(value(detail::narrow<f16>(x)), rounded<f16>(value(x)));
  CHECK(wrong == 0);
}

TEST_CASE("packs store as their lanes do") {
  each_float16([](auto type) {
    using T = decltype(type);
    const std::vector<float> x = sweep<float>(1 << 12);
    int wrong = 0;
    const auto compare = [&](auto lanes) {
      constexpr int N = decltype(lanes)::value;
      for (std::size_t i = 0; i + N <= x.size(); i += N) {
        op::pack<float, N> v;
        for (int k = 0; k < N; ++k) v[k] = x[i + static_cast<std::size_t>(k)];
        const auto stored = detail::narrow_pack<T>(v);
        const auto back = detail::widen_pack(stored);
        for (int k = 0; k < N; ++k) {
          wrong += !same(value(stored[k]), value(detail::narrow<T>(v[k])));
          wrong += !same(back[k], value(stored[k]));
        }
      }
    };
    compare(std::integral_constant<int, 1>{});
    compare(std::integral_constant<int, 2>{});
    compare(std::integral_constant<int, 8>{});
    CHECK(wrong == 0);
  });
}

namespace {

using integers = std::tuple<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                            std::int64_t, std::uint64_t>;

template <class F>
void each_integer(const F &f) {
  std::apply([&](auto... types) { (f(types), ...); }, integers{});
}

// The nearest even integer of x, cut to the range of To; 0 for NaN.
template <class To>
To stored_integer(long double x) {
  if (std::isnan(x)) return 0;
  const long double low = std::numeric_limits<To>::min(), high = std::numeric_limits<To>::max();
  const long double r = std::nearbyint(x);
  return r < low ? std::numeric_limits<To>::min() : r > high ? std::numeric_limits<To>::max() : static_cast<To>(r);
}

template <class From, class To>
worst worst_integer_store() {
  std::vector<From> x = sweep<From>(1 << 12);
  for (int i = -600; i <= 600; ++i) x.push_back(static_cast<From>(i) / 4);  // with halves
  for (int bits = 7; bits <= 64; ++bits)
    for (const long double offset : {-2.0L, -1.0L, -0.5L, 0.0L, 0.5L, 1.0L})
      for (const From y : around<From>(std::scalbn(1.0L, bits) + offset)) {
        x.push_back(y);
        x.push_back(-y);
      }
  worst w;
  for (const From y : x) w.add(detail::narrow<To>(y) == stored_integer<To>(y) ? 0 : 1, y);
  return w;
}

}  // namespace

TEST_CASE("floats store to integers rounded to nearest even and saturated, NaN as 0") {
  each_integer([](auto to) {
    using To = decltype(to);
    INFO((std::is_signed_v<To> ? "signed, bytes: " : "unsigned, bytes: ") << sizeof(To));
    CHECK(worst_integer_store<float, To>() <= 0);
    CHECK(worst_integer_store<double, To>() <= 0);
    CHECK(detail::narrow<To>(std::numeric_limits<float>::infinity()) == std::numeric_limits<To>::max());
    CHECK(detail::narrow<To>(-std::numeric_limits<double>::infinity()) == std::numeric_limits<To>::min());
    CHECK(detail::narrow<To>(std::numeric_limits<float>::quiet_NaN()) == 0);
    CHECK(detail::narrow<To>(nearest<bf16>(2.5L)) == 2);
  });
  const float x[] = {-200, -128.5f, -2.5f, -1.5f, -0.5f, 0.5f, 1.5f, 2.5f, 126.5f, 127.4f, 127.5f, 200};
  const int stored[] = {-128, -128, -2, -2, 0, 0, 2, 2, 126, 127, 127, 127};
  for (int i = 0; i < 12; ++i) CHECK(detail::narrow<std::int8_t>(x[i]) == stored[i]);
}

TEST_CASE("integers store to integers saturated, for every pair of types") {
  std::vector<__int128> points;
  each_integer([&](auto type) {
    using limits = std::numeric_limits<decltype(type)>;
    for (int i = -2; i <= 2; ++i) {
      points.push_back(static_cast<__int128>(limits::min()) + i);
      points.push_back(static_cast<__int128>(limits::max()) + i);
    }
  });
  points.push_back((__int128{1} << 53) + 1);
  each_integer([&](auto from) {
    using From = decltype(from);
    each_integer([&](auto to) {
      using To = decltype(to);
      int wrong = 0;
      for (const __int128 x : points) {
        if (x < std::numeric_limits<From>::min() || x > std::numeric_limits<From>::max()) continue;
        const __int128 low = std::numeric_limits<To>::min(), high = std::numeric_limits<To>::max();
        wrong += detail::narrow<To>(static_cast<From>(x)) != static_cast<To>(x < low ? low : x > high ? high : x);
      }
      INFO("from " << sizeof(From) << " bytes, to " << sizeof(To));
      CHECK(wrong == 0);
    });
  });
}

TEST_CASE("integers store to floats rounded once") {
  const std::int64_t big = (INT64_C(1) << 53) - 1;
  std::vector<std::int64_t> x = {0,      1,   -1,  2049,     2051,     65503, 65519, 65520,
                                 -65520, 257, 259, 16777217, 33554435, big,   -big};
  for (int bits = 8; bits < 53; ++bits)
    for (int i = -1; i <= 1; ++i) {  // a midpoint of bf16, of f16 and of f32, and beside it
      x.push_back((INT64_C(1) << bits) + (bits >= 8 ? INT64_C(1) << (bits - 8) : 0) + i);
      x.push_back((INT64_C(1) << bits) + (bits >= 11 ? INT64_C(1) << (bits - 11) : 0) + i);
      x.push_back((INT64_C(1) << bits) + (bits >= 24 ? INT64_C(1) << (bits - 24) : 0) + i);
    }
  int wrong = 0;
  for (const std::int64_t i : x) {
    const auto exact = static_cast<long double>(i);
    wrong += !same(value(detail::narrow<f16>(i)), rounded<f16>(exact));
    wrong += !same(value(detail::narrow<bf16>(i)), rounded<bf16>(exact));
    wrong += !same(value(detail::narrow<float>(i)), rounded<float>(exact));
    wrong += !same(value(detail::narrow<double>(i)), exact);
    wrong +=
        !same(value(detail::narrow<bf16>(static_cast<int>(i % 100000))), rounded<bf16>(static_cast<int>(i % 100000)));
  }
  // Beyond 53 bits: just above and just below the midpoint of two numbers, and the greatest integers.
  for (int bits = 54; bits < 63; ++bits)
    for (const int digits : {8, 11, 24})
      for (int i = -1; i <= 1; ++i) {
        const std::int64_t y = (INT64_C(1) << bits) + (INT64_C(1) << (bits - digits)) + i;
        wrong += !same(value(detail::narrow<bf16>(y)), rounded<bf16>(static_cast<long double>(y)));
        wrong += !same(value(detail::narrow<bf16>(-y)), rounded<bf16>(-static_cast<long double>(y)));
        wrong += !same(value(detail::narrow<float>(y)), rounded<float>(static_cast<long double>(y)));
      }
  wrong += value(detail::narrow<bf16>(std::numeric_limits<std::uint64_t>::max())) != std::scalbn(1.0L, 64);
  wrong += value(detail::narrow<bf16>(std::numeric_limits<std::int64_t>::min())) != -std::scalbn(1.0L, 63);
  CHECK(wrong == 0);
}

namespace {

using e4m3 = __nv_fp8_e4m3;
using e5m2 = __nv_fp8_e5m2;

// The number that a byte is, by the definition of the format: digits of the fraction, bias of the exponent.
template <class T>
long double value_of_byte(int byte) {
  constexpr bool is_e4m3 = std::is_same_v<T, e4m3>;
  constexpr int digits = is_e4m3 ? 3 : 2, bias = is_e4m3 ? 7 : 15, top = is_e4m3 ? 15 : 31;
  const int exponent = (byte & 0x7f) >> digits, fraction = byte & ((1 << digits) - 1);
  const long double sign = byte & 0x80 ? -1 : 1;
  if (is_e4m3 ? (byte & 0x7f) == 0x7f : exponent == top && fraction != 0) return std::nanl("");
  if (!is_e4m3 && exponent == top) return sign * HUGE_VALL;
  if (exponent == 0) return sign * std::scalbn(static_cast<long double>(fraction), 1 - bias - digits);
  return sign * std::scalbn(static_cast<long double>((1 << digits) + fraction), exponent - bias - digits);
}

// The byte of the finite number nearest to x, of two the even one; NaN is 0x7f.
template <class T>
int nearest_byte(long double x) {
  if (std::isnan(x)) return 0x7f;
  constexpr int greatest = std::is_same_v<T, e4m3> ? 0x7e : 0x7b;
  const long double size = std::min(std::fabs(x), value_of_byte<T>(greatest));
  int best = 0;
  for (int byte = 1; byte <= greatest; ++byte) {
    const long double now = std::fabs(value_of_byte<T>(byte) - size);
    const long double before = std::fabs(value_of_byte<T>(best) - size);
    if (now < before || (now == before && byte % 2 == 0)) best = byte;
  }
  return best | (std::signbit(x) ? 0x80 : 0);
}

template <class T>
T of_byte(int byte) {
  return bits_of<T>(static_cast<std::uint8_t>(byte));
}
template <class T>
int byte_of(T x) {
  const int byte = bits_of<std::uint8_t>(x);
  return std::isnan(value_of_byte<T>(byte)) ? 0x7f : byte;  // any NaN
}

template <class T>
void check_float8() {
  int wrong = 0;
  for (int byte = 0; byte < 256; ++byte) {  // exact to a value, and back
    const long double v = value_of_byte<T>(byte);
    wrong += !same(detail::widen(of_byte<T>(byte)), v);
    if (std::isfinite(v)) wrong += byte_of(detail::narrow<T>(detail::widen(of_byte<T>(byte)))) != byte;
  }
  CHECK(wrong == 0);

  std::vector<long double> x;  // every number, every midpoint, and their neighbours
  for (int byte = 0; byte < 0x7f; ++byte) {
    const long double v = value_of_byte<T>(byte), middle = (v + value_of_byte<T>(byte + 1)) / 2;
    for (const long double y : {v, middle})
      if (std::isfinite(y))
        for (const float z : around<float>(y)) x.insert(x.end(), {z, -z});
  }
  for (const float y : sweep<float>(1 << 11)) x.push_back(y);
  wrong = 0;
  for (const long double y : x) {
    const int best = nearest_byte<T>(y);
    wrong += byte_of(detail::narrow<T>(static_cast<float>(y))) != best;
    wrong += byte_of(detail::narrow<T>(static_cast<double>(y))) != best;
    const op::pack<float, 2> pair{{static_cast<float>(y), static_cast<float>(-y)}};
    const auto stored = detail::narrow_pack<T>(pair);
    wrong += byte_of(stored[0]) != best || byte_of(stored[1]) != nearest_byte<T>(-y);
    const auto back = detail::widen_pack(stored);
    wrong += !same(back[0], value_of_byte<T>(best)) || !same(back[1], value_of_byte<T>(nearest_byte<T>(-y)));
  }
  CHECK(wrong == 0);
  // f64 without a stop at f32.
  const double middle = static_cast<double>((value_of_byte<T>(0x38) + value_of_byte<T>(0x39)) / 2);
  CHECK(byte_of(detail::narrow<T>(middle)) == 0x38);
  CHECK(byte_of(detail::narrow<T>(middle * (1 + 0x1p-50))) == 0x39);
  // Integers, f16 and bf16.
  CHECK(byte_of(detail::narrow<T>(17)) == nearest_byte<T>(17));
  CHECK(byte_of(detail::narrow<T>(INT64_C(-3000000))) == nearest_byte<T>(-3000000));
  CHECK(byte_of(detail::narrow<T>(true)) == nearest_byte<T>(1));
  CHECK(byte_of(detail::narrow<T>(nearest<bf16>(0.3L))) == nearest_byte<T>(value(nearest<bf16>(0.3L))));
}

}  // namespace

TEST_CASE("f8 widens exactly, and stores round to nearest even and saturate") {
  SECTION("e4m3") {
    check_float8<e4m3>();
    const float x[] = {448, 449, 464, 465, 1000, -1000, HUGE_VALF, -HUGE_VALF};
    const float stored[] = {448, 448, 448, 448, 448, -448, 448, -448};
    for (int i = 0; i < 8; ++i) CHECK(detail::widen(detail::narrow<e4m3>(x[i])) == stored[i]);
    CHECK(std::isnan(detail::widen(detail::narrow<e4m3>(static_cast<float>(not_a_number)))));
  }
  SECTION("e5m2") {
    check_float8<e5m2>();
    for (const float x : {57344.0f, 60000.0f, 61440.0f, 1e6f, HUGE_VALF})
      CHECK(detail::widen(detail::narrow<e5m2>(x)) == 57344);
    CHECK(std::isnan(detail::widen(detail::narrow<e5m2>(static_cast<float>(not_a_number)))));
  }
}

namespace {

using e8m0 = __nv_fp8_e8m0;
static_assert(std::is_same_v<detail::compute_t<e8m0>, float>);

int code_of(e8m0 x) { return bits_of<std::uint8_t>(x); }
long double power_of_code(int code) { return code == 255 ? std::nanl("") : std::scalbn(1.0L, code - 127); }

// The code of the least power of two that is x or more, of those that there are.
int code_above(long double x) {
  if (std::isnan(x)) return 255;
  int code = 0;
  while (code < 254 && power_of_code(code) < x) ++code;
  return code;
}

}  // namespace

TEST_CASE("UE8M0 widens exactly, comes back unchanged, and stores round up to a power of two") {
  int wrong = 0;
  for (int code = 0; code < 256; ++code) {
    const auto x = bits_of<e8m0>(static_cast<std::uint8_t>(code));
    const float wide = detail::widen(x);
    wrong += !same(wide, power_of_code(code));
    wrong += code_of(detail::narrow<e8m0>(wide)) != code;
    wrong += code_of(detail::narrow<e8m0>(static_cast<double>(wide))) != code;
    wrong += code_of(detail::narrow<e8m0>(x)) != code;
    if (code == 255) continue;
    // Just beside each number, between two, and where only f64 sees the difference.
    for (const float factor : {1.0f, 1.25f, 1.5f, 1.75f, 1.99f, 0.51f})
      for (const float y : around<float>(wide * factor)) {
        wrong += code_of(detail::narrow<e8m0>(y)) != code_above(y);
        wrong += code_of(detail::narrow<e8m0>(static_cast<double>(y))) != code_above(y);
      }
    const double power = static_cast<double>(power_of_code(code));
    for (const double y : around<double>(power)) wrong += code_of(detail::narrow<e8m0>(y)) != code_above(y);
    wrong += code_of(detail::narrow<e8m0>(power * (1 + 0x1p-40))) != std::min(code + 1, 254);
  }
  CHECK(wrong == 0);
  for (const float x : sweep<float>(1 << 14))
    if (!std::signbit(x)) wrong += code_of(detail::narrow<e8m0>(x)) != code_above(x);
  CHECK(wrong == 0);

  // Nothing is 0 or infinite: the least number and the greatest stand for what lies beyond.
  for (const double x : {0.0, -0.0, 1e-310, 1e-40, 0x1p-149, 0x1p-128, 0x1p-127}) {
    CHECK(code_of(detail::narrow<e8m0>(x)) == 0);
    CHECK(code_of(detail::narrow<e8m0>(static_cast<float>(x))) == 0);
  }
  for (const double x : {0x1p127, 0x1.000002p127, 0x1.fffffep127, 1e300, infinity}) {
    CHECK(code_of(detail::narrow<e8m0>(x)) == 254);
    CHECK(code_of(detail::narrow<e8m0>(static_cast<float>(x))) == 254);
  }
  CHECK(code_of(detail::narrow<e8m0>(not_a_number)) == 255);
  CHECK(code_of(detail::narrow<e8m0>(static_cast<float>(not_a_number))) == 255);
  CHECK(code_of(detail::narrow<e8m0>(-static_cast<float>(not_a_number))) == 255);

  // From integers and other floats, and packs as their lanes.
  CHECK(code_of(detail::narrow<e8m0>(1)) == 127);
  CHECK(code_of(detail::narrow<e8m0>(3)) == 129);
  CHECK(code_of(detail::narrow<e8m0>((INT64_C(1) << 40) + 1)) == 127 + 41);
  CHECK(code_of(detail::narrow<e8m0>(nearest<f16>(1.5L))) == 128);
  CHECK(code_of(detail::narrow<e8m0>(nearest<bf16>(0.125L))) == 124);
  CHECK(code_of(detail::narrow<e8m0>(bits_of<e4m3>(std::uint8_t{0x39}))) == 128);  // 1.125
  CHECK(value(detail::narrow<bf16>(bits_of<e8m0>(std::uint8_t{0}))) == std::scalbn(1.0L, -127));
  CHECK(detail::narrow<std::int8_t>(bits_of<e8m0>(std::uint8_t{130})) == 8);
  const op::pack<float, 4> v{{0.3f, 4, 5, static_cast<float>(not_a_number)}};
  const auto stored = detail::narrow_pack<e8m0>(v);
  const auto back = detail::widen_pack(stored);
  for (int i = 0; i < 4; ++i) {
    CHECK(code_of(stored[i]) == code_above(v[i]));
    CHECK(same(back[i], power_of_code(code_above(v[i]))));
  }
}

TEST_CASE("small integers become floats exactly") {
  int wrong = 0;
  for (int i = -32768; i < 65536; ++i) {
    if (i < 32768) wrong += detail::narrow<float>(static_cast<std::int16_t>(i)) != static_cast<float>(i);
    if (i >= 0) wrong += detail::narrow<float>(static_cast<std::uint16_t>(i)) != static_cast<float>(i);
    if (i >= -128 && i < 128) wrong += detail::narrow<float>(static_cast<std::int8_t>(i)) != static_cast<float>(i);
    if (i >= 0 && i < 256) wrong += detail::narrow<float>(static_cast<std::uint8_t>(i)) != static_cast<float>(i);
  }
  CHECK(wrong == 0);
  CHECK_FALSE(std::signbit(detail::narrow<float>(std::int8_t{0})));
}

TEST_CASE("what is stored in its own type is unchanged") {
  CHECK(detail::narrow<std::int64_t>(std::numeric_limits<std::int64_t>::max() - 1) ==
        std::numeric_limits<std::int64_t>::max() - 1);
  CHECK(detail::narrow<std::uint64_t>((UINT64_C(1) << 63) + 1) == (UINT64_C(1) << 63) + 1);
  CHECK(detail::narrow<double>(0.1) == 0.1);
}

TEST_CASE("bool stores as 0 or 1, and anything but zero stores to it as true") {
  CHECK(detail::narrow<int>(true) == 1);
  CHECK(value(detail::narrow<f16>(true)) == 1);
  CHECK(detail::narrow<float>(false) == 0);
  CHECK(detail::narrow<bool>(0.25f));
  CHECK(detail::narrow<bool>(256));
  CHECK(detail::narrow<bool>(not_a_number));
  CHECK_FALSE(detail::narrow<bool>(-0.0));
  CHECK(detail::narrow<bool>(nearest<f16>(0.25L)));
}
