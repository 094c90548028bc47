// SPDX-License-Identifier: Apache-2.0
// What the tests of statistics share: the results of an array.
#ifndef ONEPASS_TESTS_STATISTIC_RESULT_HPP
#define ONEPASS_TESTS_STATISTIC_RESULT_HPP

#include "../util.hpp"

namespace test {

// The result of an array, in memory that held something else.
template <class R, class S, class T>
R result(const S &s, const std::vector<T> &x) {
  R r;
  std::memset(static_cast<void *>(&r), 0x33, sizeof(R));
  on_host(onepass::load(x.data()) | onepass::reduce(s, &r), x.size());
  return r;
}

// That of n equal values, without an array.
template <class R, class S, class T>
R result_of_equal(const S &s, T x, std::size_t n) {
  R r{};
  on_host(onepass::value(x) | onepass::reduce(s, &r), n);
  return r;
}

// n numbers whose exponents are spread over [low, high), of either sign.
template <class T>
std::vector<T> log_uniform(std::size_t n, int low, int high, unsigned seed = 1) {
  std::mt19937 bits(seed);
  std::vector<T> x(n);
  for (T &y : x) {
    const double u = static_cast<double>(bits()) / 4294967296.0;
    const int exponent = low + static_cast<int>(bits() % static_cast<unsigned>(high - low));
    y = static_cast<T>(std::scalbn(bits() % 2 ? 1 + u : -1 - u, exponent));
  }
  return x;
}

}  // namespace test

#endif
