// SPDX-License-Identifier: Apache-2.0
// The statistics as monoids: identity, associativity, commutativity, empty states, lift against fold.
#include <onepass/statistic.cuh>

#include <cstdint>
#include <limits>

#include "catch.hpp"
#include "util.hpp"

namespace op = onepass;
namespace detail = onepass::detail;
using namespace test;

namespace {

const float inf = std::numeric_limits<float>::infinity(), not_number = std::numeric_limits<float>::quiet_NaN();

// The state of x[begin, end), by groups of N.
template <int N, class S, class T>
auto state_of(const S &s, const std::vector<T> &x, std::size_t begin, std::size_t end) {
  auto state = s.template identity<T>();
  for (std::size_t i = begin; i < end; i += N) {
    op::pack<T, N> v{};
    for (std::size_t k = 0; k < N && i + k < end; ++k) v[static_cast<int>(k)] = x[i + k];
    const auto at = op::place<N>(0, static_cast<std::int64_t>(i), 1, static_cast<std::int64_t>(end));
    state = detail::fold(s, state, v, at);
  }
  return state;
}

// The results of n values as a list of numbers.
template <class S, class State>
std::vector<long double> finish(const S &s, const State &state, std::size_t n) {
  return cuda::std::apply([](auto... r) { return std::vector<long double>{value(r)...}; },
                          detail::as_tuple(s.finish(state, static_cast<std::int64_t>(n))));
}

bool near(const std::vector<long double> &a, const std::vector<long double> &b, long double tolerance) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!same(a[i], b[i]) && !(std::fabs(a[i] - b[i]) <= tolerance * std::max(std::fabs(a[i]), std::fabs(b[i]))))
      return false;
  return a.size() == b.size();
}

// The laws over x, cut into three parts at every place: results equal up to a relative tolerance.
template <class S, class T>
void laws(const S &s, const std::vector<T> &x, long double tolerance) {
  const std::size_t n = x.size();
  const auto none = s.template identity<T>();
  const auto whole = finish(s, state_of<4>(s, x, 0, n), n);
  CHECK(near(finish(s, s.combine(none, none), 0), finish(s, none, 0), 0));
  for (std::size_t i = 0; i <= n; ++i) {
    for (std::size_t k = i; k <= n; k += 3) {
      const auto a = state_of<4>(s, x, 0, i), b = state_of<4>(s, x, i, k), c = state_of<4>(s, x, k, n);
      INFO("parts [0, " << i << ", " << k << ", " << n << ")");
      CHECK(near(finish(s, s.combine(none, a), n), finish(s, a, n), 0));
      CHECK(near(finish(s, s.combine(a, none), n), finish(s, a, n), 0));
      CHECK(near(finish(s, s.combine(s.combine(a, b), c), n), whole, tolerance));
      CHECK(near(finish(s, s.combine(a, s.combine(b, c)), n), whole, tolerance));
      CHECK(near(finish(s, s.combine(s.combine(c, b), a), n), whole, tolerance));
      CHECK(near(finish(s, s.combine(s.combine(b, c), a), n), whole, tolerance));
    }
  }
  for (std::size_t i = 0; i < n; ++i) {  // a group of one is one value lifted
    const std::vector<T> one(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(i + 1));
    const auto lifted = s.lift(x[i], op::coordinate{0, static_cast<std::int64_t>(i), static_cast<std::int64_t>(i)});
    CHECK(near(finish(s, lifted, 1), finish(s, state_of<4>(s, one, i, i + 1), 1), 0));
  }
}

// Of the extremes nothing is rounded, of the others up to `tolerance`.
template <class T>
void all_laws(const std::vector<T> &x, long double tolerance) {
  laws(op::several(op::minimum, op::maximum, op::argmin, op::argmax, op::any, op::all, op::count), x, 0);
  laws(op::several(op::sum, op::sum_of_squares, op::product, op::mean, op::norm2, op::log_sum_exp), x, tolerance);
  laws(op::several(op::mean_variance, op::variance(1), op::standard_deviation), x, 3 * tolerance);
}

// The laws of dot, of the array and itself in the other order.
template <class T>
void laws_of_pairs(const std::vector<T> &x, long double tolerance) {
  std::vector<cuda::std::tuple<T, T>> pairs;
  for (std::size_t i = 0; i < x.size(); ++i) pairs.push_back({x[i], x[x.size() - 1 - i]});
  laws(op::dot, pairs, tolerance);
}

}  // namespace

TEST_CASE("the laws hold exactly where nothing is rounded") {
  const std::vector<std::int64_t> i64 = {5, -3, 7, 7, INT64_C(1) << 53, (INT64_C(1) << 53) + 1, -9, 0, 4, 4, 7};
  const auto exact = op::several(op::sum, op::minimum, op::maximum, op::argmin, op::argmax, op::product, op::any,
                                 op::all, op::count, op::sum_of_squares, op::mean);
  laws(exact, i64, 0);
  laws_of_pairs(i64, 0);
  laws(exact, std::vector<std::uint64_t>{UINT64_MAX, 3, 5, UINT64_C(1) << 63, 7, 8, 9}, 0);  // they wrap
  laws(op::several(op::sum_of_squares, op::norm2), std::vector<std::int32_t>{1, -2, 3, 65536, -65536, 0, 9}, 0);
  laws(exact, std::vector<std::int8_t>{-128, 127, -128, 5, 0, 1, -1, 3, 3}, 0);
  const std::vector<float> f32 = {1, -2, 0.5f, -0.0f, 8, 8, -1024, 3, 0, 8};
  laws(exact, f32, 0);
  laws_of_pairs(f32, 0);
}

TEST_CASE("the laws hold with infinities and NaN") {
  for (const auto &x : {std::vector<float>{1, -inf, 3, 2, -inf, 5}, std::vector<float>{inf, 4, inf, 0, 1},
                        std::vector<float>{1, not_number, 3, inf, not_number, 2}, std::vector<float>{-inf, -inf, -inf},
                        std::vector<float>{not_number, not_number}, std::vector<float>{0.0f, -0.0f, 0.0f},
                        std::vector<float>{-inf, 2, inf, -inf}}) {
    all_laws(x, 3e-7L);
    laws_of_pairs(x, 0);
  }
}

TEST_CASE("the laws hold up to rounding") {
  const std::vector<float> x = uniform<float>(21, 1, 2);
  all_laws(x, 5e-7L);
  laws_of_pairs(x, 5e-7L);
  all_laws(uniform<double>(21, 1, 2), 1e-15L);
  laws(op::mean_variance, uniform<double>(21, -1, 2), 1e-14L);
  laws(op::several(op::sum, op::maximum, op::mean_variance), x, 1e-6L);
}

TEST_CASE("the laws hold where the scale changes") {
  laws(op::norm2, std::vector<float>{1e-40f, 1, 1e30f, 1e-20f, 1e25f, 1e-16f, 3e-15f, 0, 1e13f}, 2e-7L);
  laws(op::norm2, std::vector<float>{1e-40f, 2e-40f, 1e-30f, 1e-16f, 3e-15f, 0, 1e-18f}, 2e-7L);
  laws(op::norm2, std::vector<double>{1e-310, 1, 1e300, 1e-200, 1e200, 0, 1e130, 1e140}, 1e-15L);
  laws(op::log_sum_exp, std::vector<float>{-1000, 2, 3.5f, -3e38f, 3, 80, 81.5f, 81.6f, -inf, 79}, 3e-7L);
  laws(op::log_sum_exp, std::vector<double>{0, 1, 2.5, 3, 700, 701, -1e308, 690}, 1e-15L);
}
