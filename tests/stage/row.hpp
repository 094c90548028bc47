// SPDX-License-Identifier: Apache-2.0
// What the tests of row stages share: matrices with gaps between their rows, what a row is in long double, and the two
// phases in which rows are reduced that a kernel holds.
#ifndef ONEPASS_TESTS_STAGE_ROW_HPP
#define ONEPASS_TESTS_STAGE_ROW_HPP

#include <any>

#include "../catch.hpp"
#include "../util.hpp"

namespace test {

constexpr std::size_t row_widths = 72;
inline std::size_t row_width(std::size_t i) { return i < 70 ? i + 1 : i == 70 ? 1000 : 4099; }

// Rows `pitch` elements apart; what lies between them must stay as it is.
template <class T>
struct matrix {
  std::size_t rows, columns, pitch;
  std::vector<T> data;

  matrix(std::size_t r, std::size_t c, std::size_t gap = 3) : rows(r), columns(c), pitch(c + gap), data(r * pitch) {
    std::memset(static_cast<void *>(data.data()), 0x33, data.size() * sizeof(T));
  }
  matrix(std::size_t r, std::size_t c, const std::vector<T> &values) : matrix(r, c) {
    for (std::size_t i = 0; i < r * c; ++i) (*this)(i / c, i % c) = values[i % values.size()];
  }
  T &operator()(std::size_t r, std::size_t c) { return data[r * pitch + c]; }
  const T &operator()(std::size_t r, std::size_t c) const { return data[r * pitch + c]; }
  std::vector<T> row(std::size_t r) const {
    const auto first = data.begin() + static_cast<std::ptrdiff_t>(r * pitch);
    return {first, first + static_cast<std::ptrdiff_t>(columns)};
  }
  onepass_extent_t extent() const {
    return onepass_extent_2d(static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns));
  }
  auto load() const { return onepass::load(data.data(), static_cast<std::int64_t>(pitch)); }
  auto store() { return onepass::store(data.data(), static_cast<std::int64_t>(pitch)); }
  bool gaps_are_untouched() const {
    for (std::size_t i = 0; i < data.size(); ++i)
      if (i % pitch >= columns)
        for (std::size_t k = 0; k < sizeof(T); ++k)
          if (reinterpret_cast<const unsigned char *>(&data[i])[k] != 0x33) return false;
    return true;
  }
};

// What the stages make of a matrix, stored as Out.
template <class Out, class In, class Stages>
matrix<Out> rows_through(const matrix<In> &x, const Stages &stages) {
  matrix<Out> y(x.rows, x.columns, 5);
  on_host(x.load() | stages | y.store(), x.extent());
  if (!y.gaps_are_untouched()) FAIL_CHECK("an element beyond a row has been written");
  return y;
}
template <class Out = float, class In, class Stages>
std::vector<Out> row_through(const std::vector<In> &x, const Stages &stages) {
  return rows_through<Out>(matrix<In>(1, x.size(), x), stages).row(0);
}
template <class Stages>
std::vector<float> row_through(std::initializer_list<float> x, const Stages &stages) {
  return row_through(std::vector<float>(x), stages);
}

// A row as it is.
struct row_truth {
  long double most = -HUGE_VALL, powers = 0, mean = 0, variance = 0, squares = 0;  // powers: of e^(x - most)

  template <class T>
  explicit row_truth(const std::vector<T> &x) {
    const auto n = static_cast<long double>(x.size());
    for (const T v : x) {
      most = std::max(most, value(v));
      mean += value(v) / n;
      squares += value(v) * value(v) / n;
    }
    for (const T v : x) {
      powers += std::exp(value(v) - most);
      variance += (value(v) - mean) * (value(v) - mean) / n;
    }
  }
};

// |got - exact| beyond half an ulp of T, in roundings of R (2^-24 of f32) of `scale`; NaN is only near NaN.
template <class R, class T>
double roundings(T got, long double exact, long double scale) {
  if (std::isnan(value(got)) || std::isnan(exact)) return std::isnan(value(got)) && std::isnan(exact) ? 0 : infinity;
  if (value(got) == exact) return 0;
  const long double e = std::fabs(value(got) - exact) - ulp<T>(exact) / 2;
  return e <= 0 ? 0 : static_cast<double>(std::scalbn(e / scale, format<R>::digits));
}

// A statistic's state of a row: by groups of 4, of 8 threads.
template <class S, class T>
auto folded(const S &statistic, const std::vector<T> &x) {
  const auto none = statistic.template identity<T>();
  auto all = none;
  const std::size_t n = x.size();
  for (std::size_t thread = 0; thread < 8; ++thread) {
    auto own = none;
    for (std::size_t i = 4 * thread; i < n; i += 32) {
      onepass::pack<T, 4> v{};
      for (std::size_t k = 0; k < 4 && i + k < n; ++k) v[static_cast<int>(k)] = x[i + k];
      own = onepass::detail::fold(statistic, own, v,
                                  onepass::place<4>(0, static_cast<std::int64_t>(i), 1, static_cast<std::int64_t>(n)));
    }
    all = statistic.combine(all, own);
  }
  return all;
}

// The second phase of a row stage's statistic, which knows the first, and what it makes of the values.
template <class Math, class Stage, class T>
auto second_phase(const Stage &stage, const std::vector<T> &x) {
  const auto n = static_cast<std::int64_t>(x.size());
  const auto size = onepass::detail::size_of_row(n);
  const auto statistic = stage.template statistic_in<Math>();
  return statistic.second(folded(statistic.template first<T>(size), x), size);
}
template <class S, class T>
auto mapped(const S &second, const std::vector<T> &x) {
  if constexpr (onepass::detail::has_map<S, T>::value) {
    std::vector<decltype(second.map(x[0]))> y;
    for (const T v : x) y.push_back(second.map(v));
    return y;
  } else {
    return x;
  }
}
// The result of a row stage's statistic by its two phases, and the values by it; of values as they are computed with.
template <class Math = onepass::detail::full_math, class Stage, class T>
auto held_result(const Stage &stage, const std::vector<T> &x) {
  const auto n = static_cast<std::int64_t>(x.size());
  const auto second = second_phase<Math>(stage, x);
  const auto size = onepass::detail::size_of_row(n);
  return stage.template statistic_in<Math>().finish(second.whole(folded(second, mapped(second, x)), size), size);
}
template <class Math = onepass::detail::full_math, class Stage, class T>
auto held_row(const Stage &stage, const std::vector<T> &x) {
  namespace detail = onepass::detail;
  const auto result = held_result<Math>(stage, x);
  const auto second = second_phase<Math>(stage, x);
  const auto values = mapped(second, x);
  const auto finished = [&](const auto &each) {
    std::vector<decltype(each(values[0]))> y;
    for (const auto v : values) y.push_back(each(v));
    return y;
  };
  using F = decltype(stage.f);
  using R = decltype(result);
  if constexpr (detail::has_map<std::decay_t<decltype(second)>, T>::value) {
    const detail::functor_of_mapped<Math, F> f{stage.f};
    const R of_values = second.of_part(result);
    return finished(detail::row_lane_call<detail::full_math, detail::functor_of_mapped<Math, F>, R>{f, of_values});
  } else {
    return finished(detail::row_lane_call<Math, F, R>{stage.f, result});
  }
}
// What the lanes of a warp get of states that they combine at once, one after the other instead of in lockstep: a lane
// runs until it asks for a combination that is not known yet, and again when all have asked for it.
struct one_by_one {
  struct asked {};
  struct combination {
    std::vector<std::any> of_lanes;
    std::any all;
  };
  std::vector<combination> &known;
  std::size_t lanes;
  mutable std::size_t next = 0;

  template <class S, class State>
  __host__ __device__ State operator()(const S &statistic, const State &state) const {
#ifdef __CUDA_ARCH__
    return state;  // never called
#else
    combination &c = take(state);
    if (!c.all.has_value()) {
      State all = std::any_cast<State>(c.of_lanes[0]);
      for (std::size_t i = 1; i < lanes; ++i) all = statistic.combine(all, std::any_cast<State>(c.of_lanes[i]));
      c.all = all;
    }
    return std::any_cast<State>(c.all);
#endif
  }

 private:
  template <class T>
  combination &take(const T &x) const {
    if (next == known.size()) known.emplace_back();
    combination &c = known[next++];
    if (c.of_lanes.size() < lanes) {
      c.of_lanes.push_back(x);
      throw asked{};
    }
    return c;
  }
};
// The result of a row stage's statistic by the parts of a row that begin at `begins`, which are combined at once.
template <class Math = onepass::detail::full_math, class Stage, class T>
auto joined_result(const Stage &stage, const std::vector<T> &x, std::vector<std::size_t> begins) {
  const auto statistic = stage.template statistic_in<Math>();
  begins.push_back(x.size());
  std::vector<decltype(statistic.template identity<T>())> states;
  for (std::size_t i = 0; i + 1 < begins.size(); ++i) {
    const std::vector<T> part(x.begin() + static_cast<std::ptrdiff_t>(begins[i]), x.begin() + static_cast<std::ptrdiff_t>(begins[i + 1]));
    const auto second = second_phase<Math>(stage, part);
    states.push_back(second.whole(folded(second, mapped(second, part)), onepass::detail::size_of_row(static_cast<std::int64_t>(part.size()))));
  }
  std::vector<one_by_one::combination> known;
  for (std::size_t lane = 0;; lane = (lane + 1) % states.size()) try {
      const auto all = statistic.across(states[lane], one_by_one{known, states.size()});
      return statistic.finish(all, onepass::detail::size_of_row(static_cast<std::int64_t>(x.size())));
    } catch (const one_by_one::asked &) {
    }
}

// As the values flow: f32 of 16-bit floats.
template <class T>
auto widened(const std::vector<T> &x) {
  using V = onepass::detail::compute_t<T>;
  std::vector<V> y;
  for (const T v : x) y.push_back(static_cast<V>(value(v)));
  return y;
}

}  // namespace test

#endif
