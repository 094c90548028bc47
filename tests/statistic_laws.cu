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

}  // namespace

TEST_CASE("the laws hold exactly where nothing is rounded") {
  const std::vector<std::int64_t> i64 = {5, -3, 7, 7, INT64_C(1) << 53, (INT64_C(1) << 53) + 1, -9, 0, 4, 4, 7};
  laws(op::sum, i64, 0);
  laws(op::minimum, i64, 0);
  laws(op::maximum, i64, 0);
  laws(op::argmax, i64, 0);
  laws(op::sum_of_squares, std::vector<std::int32_t>{1, -2, 3, 65536, -65536, 0, 9}, 0);
  const std::vector<float> f32 = {1, -2, 0.5f, -0.0f, 8, 8, -1024, 3, 0, 8};
  laws(op::sum, f32, 0);
  laws(op::minimum, f32, 0);
  laws(op::argmax, f32, 0);
}

TEST_CASE("the laws hold with infinities and NaN") {
  for (const auto &x : {std::vector<float>{1, -inf, 3, 2, -inf, 5}, std::vector<float>{inf, 4, inf, 0, 1},
                        std::vector<float>{1, not_number, 3, inf, not_number, 2}, std::vector<float>{-inf, -inf, -inf},
                        std::vector<float>{not_number, not_number}, std::vector<float>{0.0f, -0.0f, 0.0f}}) {
    laws(op::sum, x, 0);
    laws(op::sum_of_squares, x, 0);
    laws(op::minimum, x, 0);
    laws(op::maximum, x, 0);
    laws(op::argmax, x, 0);
    laws(op::mean_variance, x, 1e-6L);
  }
}

TEST_CASE("the laws hold up to rounding") {
  const std::vector<float> x = uniform<float>(21, 1, 2);
  laws(op::sum, x, 4e-7L);
  laws(op::sum_of_squares, x, 4e-7L);
  laws(op::mean_variance, x, 1e-6L);
  laws(op::mean_variance, uniform<double>(21, -1, 2), 1e-14L);
  laws(op::several(op::sum, op::maximum, op::mean_variance), x, 1e-6L);
}
