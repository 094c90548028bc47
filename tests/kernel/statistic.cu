// SPDX-License-Identifier: Apache-2.0
// The statistics on a device, against float64, the same bits for every alignment and grid. Sums, maxima, argmax and
// mean_variance: reduce.cu.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "gpu.hpp"

namespace {

template <class T>
unsigned long long bits(T x) {
  unsigned long long b = 0;
  std::memcpy(&b, static_cast<const void *>(&x), sizeof x);
  return b;
}

// Many in one pass: what the device makes of them at each misalignment and for each grid, and what is right. `tolerance`
// is relative, for variances ten times as large.
template <class T>
void check_statistics(double tolerance) {
  const workspace w;
  const device_array<double> out(9);
  const auto skews = static_cast<std::int64_t>(16 / sizeof(T));
  int wrong = 0, different = 0;
  for (const std::int64_t n : {1, 2, 5, 33, 517, 2049, 20011, 1000003}) {
    if (reduced() && n > 3000) break;
    const auto values = random_values<T>(n);
    double sum = 0, squares = 0, logarithm = 0, deviations = 0, least = INFINITY;
    std::int64_t at = -1, count = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      const auto v = static_cast<double>(op::detail::widen(values[static_cast<std::size_t>(i)]));
      sum += v;
      squares += v * v;
      logarithm += std::exp(v);
      count += v != 0;
      if (v < least) least = v, at = i;
    }
    for (const T v : values) deviations += std::pow(static_cast<double>(op::detail::widen(v)) - sum / static_cast<double>(n), 2);
    const double variance = deviations / static_cast<double>(n - 1);
    const std::vector<double> right = {sum / static_cast<double>(n), variance, std::sqrt(squares),
                                       std::log(logarithm), least, static_cast<double>(at), static_cast<double>(count),
                                       static_cast<double>(count > 0), static_cast<double>(count == n)};
    const device_array<T> x(n + 16);
    std::vector<double> first;
    for (std::int64_t skew = 0; skew < skews; ++skew) {
      x.fill(0xFF);
      x.put(values, skew);
      auto exec = w.exec();
      exec.max_blocks = skew % 2 == 0 ? 0 : 3;
      double *o = out.at();
      out.fill(0);
      if constexpr (std::is_integral_v<T>) {  // the others compute in f64, as those of f64 do
        OP_CHECK(op::launch(op::load(x.at(skew)) | op::reduce(op::several(op::mean, op::norm2, op::argmin, op::count, op::any, op::all),
                                                              o, o + 2, o + 4, o + 5, o + 6, o + 7, o + 8),
                            op::extent(n), exec));
      } else {
        OP_CHECK(op::launch(op::load(x.at(skew)) |
                                op::reduce(op::several(op::mean_variance(1), op::norm2, op::log_sum_exp, op::argmin, op::count,
                                                       op::any, op::all),
                                           o, o + 1, o + 2, o + 3, o + 4, o + 5, o + 6, o + 7, o + 8),
                            op::extent(n), exec));
      }
      const auto got = out.get(9);
      if (skew == 0) first = got;
      for (std::size_t i = 0; i < 9; ++i) {
        different += bits(got[i]) != bits(first[i]);
        if (std::is_integral_v<T> && (i == 1 || i == 3)) continue;
        const double relative = tolerance * std::fabs(right[i]);
        const double allowed = i == 0 ? 4 * tolerance : i == 1 ? 10 * relative : i == 2 ? relative : i == 3 ? relative + tolerance : 0;
        wrong += std::isnan(right[i]) ? !std::isnan(got[i]) : !(std::fabs(got[i] - right[i]) <= allowed);
      }
    }
  }
  CHECK(wrong == 0);
  CHECK(different == 0);
}

// A statistic of f32 with one result of type R, of values in device memory.
template <class R, class S>
R result_of(const workspace &w, const S &s, const std::vector<float> &v) {
  const device_array<float> x(v);
  const device_array<R> out(1);
  OP_CHECK(op::launch(op::load(x.at()) | op::reduce(s, out.at()), op::extent(static_cast<std::int64_t>(v.size())), w.exec()));
  return out.one();
}

}  // namespace

TEST_CASE("the statistics against float64, the same bits for each alignment and grid: f32") { check_statistics<float>(1e-6); }
TEST_CASE("the statistics against float64, the same bits for each alignment and grid: f64") { check_statistics<double>(1e-13); }
TEST_CASE("the statistics against float64, the same bits for each alignment and grid: bf16") { check_statistics<__nv_bfloat16>(1e-6); }
TEST_CASE("the statistics against float64, the same bits for each alignment and grid: i8") { check_statistics<std::int8_t>(1e-13); }
TEST_CASE("the statistics against float64, the same bits for each alignment and grid: u32") { check_statistics<std::uint32_t>(1e-13); }

TEST_CASE("means and standard deviations alone") {
  const workspace w;
  const auto v = random_values<float>(reduced() ? 3000 : 1000003);
  double sum = 0, squares = 0;
  for (const float x : v) sum += static_cast<double>(x);
  const double n = static_cast<double>(v.size()), mean = sum / n;
  for (const float x : v) squares += (static_cast<double>(x) - mean) * (static_cast<double>(x) - mean);
  CHECK(std::fabs(result_of<double>(w, op::mean, v) - mean) <= 2e-6);
  CHECK(result_of<double>(w, op::standard_deviation, v) == Approx(std::sqrt(squares / n)).epsilon(1e-5));
  CHECK(result_of<double>(w, op::standard_deviation(1), {1, 2, 3, 4}) == Approx(std::sqrt(5.0 / 3)).epsilon(1e-6));
  CHECK(result_of<float>(w, op::variance(4), {1, 2, 3}) == INFINITY);
  CHECK(std::isnan(result_of<float>(w, op::variance(1), {1})));
  CHECK(result_of<float>(w, op::variance(0), {1}) == 0);
  const device_array<float> out(1);
  OP_CHECK(op::launch(op::value(-1.0f) | op::reduce(op::mean, out.at()), op::extent(4500 * 4500), w.exec()));
  CHECK(out.one() == -1);
}

TEST_CASE("the statistics of nothing") {
  const workspace w;
  const device_array<float> out(8);
  const float *none = nullptr;
  float *o = out.at();
  OP_CHECK(op::launch(op::load(none) | op::reduce(op::several(op::norm2, op::log_sum_exp, op::any, op::all, op::count, op::product,
                                                              op::mean, op::variance(1)),
                                                  o, o + 1, o + 2, o + 3, o + 4, o + 5, o + 6, o + 7),
                      op::extent(0), w.exec()));
  CHECK(out.get(6) == std::vector<float>{0, -INFINITY, 0, 1, 0, 1});
  CHECK(std::isnan(out.one(6)));
  CHECK(std::isnan(out.one(7)));
}

TEST_CASE("norms from the least to the greatest number, with infinities and NaN") {
  const workspace w;
  for (const std::int64_t n : {3, 1000, 300007}) {
    if (reduced() && n > 1000) break;
    for (const int low : {-149, -110, -60, -10, 30, 100}) {
      for (const int width : {1, 10, 50}) {
        std::vector<float> v = random_values<float>(n);
        double squares = 0;
        for (float &x : v) {
          x = std::scalbn(x, low + static_cast<int>(generator()() % static_cast<unsigned>(width)) - 2);
          squares += static_cast<double>(x) * static_cast<double>(x);
        }
        if (std::sqrt(squares) > 1e38) continue;
        const double right = std::sqrt(squares);
        CHECK(std::fabs(static_cast<double>(result_of<float>(w, op::norm2, v)) - right) <= 2e-7 * right + 1e-45);
        const auto i = static_cast<std::size_t>(generator()() % static_cast<unsigned>(n));
        v[i] = -INFINITY;
        CHECK(result_of<float>(w, op::norm2, v) == INFINITY);
        v[v.size() - 1 - i] = NAN;
        CHECK(std::isnan(result_of<float>(w, op::norm2, v)));
      }
    }
    CHECK(result_of<float>(w, op::norm2, std::vector<float>(static_cast<std::size_t>(n))) == 0);
  }
  CHECK(result_of<float>(w, op::norm2, {1e20f, 1, 1}) == 1e20f);
  CHECK(result_of<float>(w, op::norm2, {1e-30f, 1e-30f}) == 1.41421356e-30f);
}

TEST_CASE("log_sum_exp: masks, infinities, NaN, rising and falling values") {
  const workspace w;
  const auto of = [&](const std::vector<float> &v) { return result_of<float>(w, op::log_sum_exp, v); };
  const auto check = [&](const std::vector<float> &v) {
    double greatest = -INFINITY, sum = 0;
    for (const float x : v) greatest = std::max(greatest, static_cast<double>(x));
    for (const float x : v) sum += std::exp(static_cast<double>(x) - greatest);
    const double right = greatest + std::log(sum);
    CHECK(std::fabs(static_cast<double>(of(v)) - right) <= 1e-6 + 6e-8 * std::fabs(right));
  };
  CHECK(of({1000, 1000}) == Approx(1000.693147f).epsilon(1e-7));
  CHECK(of({-1000, -1000}) == Approx(-999.306853f).epsilon(1e-7));
  CHECK(of({0, INFINITY}) == INFINITY);
  CHECK(of({INFINITY, -INFINITY}) == INFINITY);
  for (const std::int64_t n : {1, 9, 2048, 200003}) {
    if (reduced() && n > 3000) break;
    const auto size = static_cast<std::size_t>(n);
    std::vector<float> v(size, -INFINITY);
    CHECK(of(v) == -INFINITY);
    for (const std::size_t i : {size - 1, size / 2, size_t{0}}) {
      v.assign(size, -INFINITY);
      v[i] = 2.5f;
      CHECK(of(v) == 2.5f);
      v[i] = INFINITY;
      CHECK(of(v) == INFINITY);
      v[size - 1 - i] = NAN;
      CHECK(std::isnan(of(v)));
    }
    for (const float step : {1e-6f, 1e-3f, 0.3f, 5.0f}) {
      for (std::size_t i = 0; i < size; ++i) v[i] = static_cast<float>(i) * step - 100;
      check(v);
      std::reverse(v.begin(), v.end());
      check(v);
    }
    check(random_values<float>(n));
  }
}

TEST_CASE("any, all and count find one value everywhere") {
  const workspace w;
  for (const std::int64_t n : {1, 31, 5000, 1000003}) {
    if (reduced() && n > 5000) break;
    const auto size = static_cast<std::size_t>(n);
    for (const std::size_t i : {size - 1, size / 2, size_t{0}}) {
      std::vector<float> v(size, 0.0f);
      CHECK(result_of<int>(w, op::any, v) == 0);
      v[i] = NAN;
      CHECK(result_of<int>(w, op::any, v) == 1);
      CHECK(result_of<int>(w, op::all, v) == (n == 1));
      CHECK(result_of<std::int64_t>(w, op::count, v) == 1);
      v.assign(size, 1e-45f);
      CHECK(result_of<int>(w, op::all, v) == 1);
      v[i] = -0.0f;
      CHECK(result_of<int>(w, op::all, v) == 0);
      CHECK(result_of<std::int64_t>(w, op::count, v) == n - 1);
    }
  }
}

TEST_CASE("argmin: NaN first, ties lowest, everywhere") {
  const workspace w;
  const device_array<double> value(1);
  const device_array<std::int64_t> index(1);
  for (const std::int64_t n : {9, 5000, 1000000}) {
    if (reduced() && n > 5000) break;
    std::vector<double> v = random_values<double>(n);
    const device_array<double> x(n);
    const auto run = [&] {
      x.put(v);
      OP_CHECK(op::launch(op::load(x.at()) | op::reduce(op::argmin, value.at(), index.at()), op::extent(n), w.exec()));
      return std::make_pair(value.one(), index.one());
    };
    for (const std::int64_t i : {n - 1, n / 2, std::int64_t{3}, std::int64_t{0}}) {
      v[static_cast<std::size_t>(i)] = -100.0;  // ties: ever lower
      CHECK(run() == std::make_pair(-100.0, i));
    }
    for (const std::int64_t i : {n - 1, n / 2, std::int64_t{3}, std::int64_t{0}}) {
      v[static_cast<std::size_t>(i)] = NAN;
      const auto got = run();
      CHECK((std::isnan(got.first) && got.second == i));
    }
    v.assign(v.size(), INFINITY);
    CHECK(run() == std::make_pair(static_cast<double>(INFINITY), std::int64_t{0}));
  }
}

TEST_CASE("dot of pairs: against float64, and of integers exactly") {
  const workspace w;
  const device_array<float> f(1);
  const device_array<std::int64_t> i(1);
  for (const std::int64_t n : {1, 100, 4099, 1000003}) {
    if (reduced() && n > 5000) break;
    const auto a = random_values<float>(n), b = random_values<float>(n);
    const auto c = random_values<std::int8_t>(n);
    double right = 0, size = 0;
    std::int64_t exact = 0;
    for (std::size_t k = 0; k < a.size(); ++k) {
      const double product = static_cast<double>(a[k]) * static_cast<double>(b[k]);
      right += product;
      size += std::fabs(product);
      exact += c[k] * c[k];
    }
    const device_array<float> x(a), y(n + 1);
    const device_array<std::int8_t> z(c);
    for (const std::int64_t skew : {0, 1}) {
      y.put(b, skew);
      OP_CHECK(op::launch(op::zip(op::load(x.at()), op::load(y.at(skew))) | op::reduce(op::dot, f.at()), op::extent(n), w.exec()));
      CHECK(std::fabs(static_cast<double>(f.one()) - right) <= 2e-7 * size);
    }
    OP_CHECK(op::launch(op::zip(op::load(z.at()), op::load(z.at())) | op::reduce(op::dot, i.at()), op::extent(n), w.exec()));
    CHECK(i.one() == exact);
  }
}

TEST_CASE("products of integers wrap, an initial value counts once") {
  const workspace w;
  const device_array<std::uint64_t> product(1);
  for (const std::int64_t n : {0, 1, 255, 256, 257, 5000, 1000000}) {
    if (reduced() && n > 5000) break;
    std::vector<std::uint32_t> v(static_cast<std::size_t>(n));
    std::uint64_t right = 7;
    for (auto &x : v) right *= x = static_cast<std::uint32_t>(generator()()) | 1;
    const device_array<std::uint32_t> x(v);
    OP_CHECK(op::launch(op::load(x.at()) | op::reduce(op::with_initial(op::product, 7), product.at()), op::extent(n), w.exec()));
    CHECK(product.one() == right);
  }
}
