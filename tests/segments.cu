// SPDX-License-Identifier: Apache-2.0
// Segments on the host: every pipeline of rows makes of each segment, in one launch, what it makes of it alone; of empty
// segments what nothing means; and nothing that lies in none is written.
#include <onepass/pipeline.cuh>

#include <cstdint>
#include <limits>

#include "catch.hpp"
#include "stage/row.hpp"

namespace op = onepass;
namespace detail = onepass::detail;
using namespace test;

namespace {

const float inf = std::numeric_limits<float>::infinity();

template <class Offset>
struct segments {
  std::vector<Offset> offsets;
  std::int64_t most = 5000;  // as many as gamma has, and more than any is long

  std::size_t rows() const { return offsets.size() - 1; }
  std::size_t first(std::size_t row) const { return static_cast<std::size_t>(offsets[row]); }
  std::size_t length(std::size_t row) const {
    const auto n = static_cast<std::int64_t>(offsets[row + 1]) - static_cast<std::int64_t>(offsets[row]);
    return static_cast<std::size_t>(std::max<std::int64_t>(0, std::min(n, most)));
  }
  onepass_extent_t extent() const {
    const auto n = static_cast<std::int64_t>(rows());
    if constexpr (sizeof(Offset) == 4) return onepass_extent_segments_i32(offsets.data(), n, most);
    else return onepass_extent_segments_i64(offsets.data(), n, most);
  }
  // Which of `size` elements lie in a segment, as far as it is not cut.
  std::vector<bool> covered(std::size_t size) const {
    std::vector<bool> in(size);
    for (std::size_t r = 0; r < rows(); ++r)
      for (std::size_t c = 0; c < length(r); ++c) in[first(r) + c] = true;
    return in;
  }
};

// Offsets that begin at 0 or not, empty segments at the ends and between, one that ends before it begins, a long one,
// and segments that are cut. No two share an element.
template <class F>
void each_set(const F &f) {
  const auto sets = [&](auto offset) {
    using Offset = decltype(offset);
    f(segments<Offset>{{0, 5, 5, 12, 40}});
    f(segments<Offset>{{7, 7, 8, 24, 24, 57, 58, 58}});
    f(segments<Offset>{{90, 60, 70, 20, 30, 30, 5}});
    f(segments<Offset>{{3, 1300, 5500}});
    f(segments<Offset>{{0, 100, 116, 117, 150, 164}, 16});
    f(segments<Offset>{{2, 40, 90}, 0});
    f(segments<Offset>{{11}});
    f(segments<Offset>{{64, 1}});
  };
  sets(std::int32_t{});
  sets(std::int64_t{});
}

constexpr std::size_t size = 5600;

// y, of which all was `before`, is in each segment what `alone` makes of it, and elsewhere as it was.
template <class Offset, class T, class F>
bool is_alone(const segments<Offset> &s, const std::vector<T> &y, T before, const F &alone) {
  const std::vector<bool> in = s.covered(y.size());
  for (std::size_t i = 0; i < y.size(); ++i)
    if (!in[i] && !same(value(y[i]), value(before))) return false;
  for (std::size_t r = 0; r < s.rows(); ++r) {
    const std::vector<T> exact = alone(r, s.first(r), s.length(r));
    for (std::size_t c = 0; c < s.length(r); ++c)
      if (!same(value(y[s.first(r) + c]), value(exact[c]))) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("softmax of segments, each of which adds up to one") {
  const std::vector<float> x = uniform<float>(size, -4, 4);
  each_set([&](const auto &s) {
    std::vector<float> y(size, 7), in_place = x, lse(s.rows() + 1, 7);
    CHECK(launch_on_host(op::load(x.data()) | op::softmax(op::keep(lse.data())) | op::store(y.data()), s.extent()) ==
          ONEPASS_SUCCESS);
    CHECK(is_alone(s, y, 7.0f, [&](std::size_t, std::size_t first, std::size_t n) {
      const auto at = static_cast<std::ptrdiff_t>(first);
      return row_through(std::vector<float>(x.begin() + at, x.begin() + at + static_cast<std::ptrdiff_t>(n)), op::softmax);
    }));
    CHECK(lse.back() == 7);
    CHECK(launch_on_host(op::load(in_place.data()) | op::softmax | op::store(in_place.data()), s.extent()) ==
          ONEPASS_SUCCESS);
    const std::vector<bool> in = s.covered(size);
    int moved = 0;
    for (std::size_t i = 0; i < size; ++i) moved += in_place[i] != (in[i] ? y[i] : x[i]);
    CHECK(moved == 0);
    for (std::size_t r = 0; r < s.rows(); ++r) {
      if (s.length(r) == 0) {
        CHECK(lse[r] == -inf);
        continue;
      }
      const auto at = x.begin() + static_cast<std::ptrdiff_t>(s.first(r));
      const row_truth truth(std::vector<float>(at, at + static_cast<std::ptrdiff_t>(s.length(r))));
      long double sum = 0;
      for (std::size_t c = 0; c < s.length(r); ++c) sum += value(y[s.first(r) + c]);
      CHECK(std::fabs(sum - 1) <= 1e-6L);
      CHECK(lse[r] == Approx(static_cast<double>(truth.most + std::log(truth.powers))).epsilon(1e-6));
    }
  });
}

TEST_CASE("norms of segments: gamma and beta begin anew in each, a factor of a row is its own") {
  const std::vector<bf16> x = uniform<bf16>(size, -3, 5), gamma = uniform<bf16>(size, 0.5, 2, 3);
  const std::vector<float> beta = uniform<float>(size, -1, 1, 4), factor = {1, 2, 3, 4, 5, 6, 7};
  each_set([&](const auto &s) {
    std::vector<float> y(size, 7), z(size, 7), rstd(8, 7), mean(8, 7), other(8, 7);
    CHECK(launch_on_host(op::load(x.data()) |
                             op::layer_norm(gamma.data(), beta.data(), 1e-5, op::keep(mean.data(), other.data())) |
                             op::multiply(op::per_row(factor.data())) | op::store(y.data()),
                         s.extent()) == ONEPASS_SUCCESS);
    CHECK(launch_on_host(op::load(x.data()) | op::rms_norm(gamma.data(), 1e-5, op::keep(rstd.data())) |
                             op::store(z.data()),
                         s.extent()) == ONEPASS_SUCCESS);
    CHECK(is_alone(s, y, 7.0f, [&](std::size_t r, std::size_t first, std::size_t n) {
      std::vector<float> exact(n);
      on_host(op::load(x.data() + first) | op::layer_norm(gamma.data(), beta.data(), 1e-5) |
                  op::multiply(op::per_row(factor.data() + r)) | op::store(exact.data()),
              n);
      return exact;
    }));
    CHECK(is_alone(s, z, 7.0f, [&](std::size_t r, std::size_t first, std::size_t n) {
      std::vector<float> exact(n);
      float own = 0;
      on_host(op::load(x.data() + first) | op::rms_norm(gamma.data(), 1e-5, op::keep(&own)) | op::store(exact.data()), n);
      CHECK(same(own, rstd[r]));
      return exact;
    }));
    for (std::size_t r = 0; r < s.rows(); ++r) {
      if (s.length(r) == 0) {
        CHECK(std::isnan(mean[r]));
        continue;
      }
      const auto at = x.begin() + static_cast<std::ptrdiff_t>(s.first(r));
      const row_truth truth(std::vector<bf16>(at, at + static_cast<std::ptrdiff_t>(s.length(r))));
      CHECK(mean[r] == Approx(static_cast<double>(truth.mean)).margin(1e-6).epsilon(1e-6));
    }
    CHECK(rstd[s.rows()] == 7);
  });
}

TEST_CASE("statistics of segments, several at once; a place is that in the array") {
  const std::vector<float> x = uniform<float>(size, -5, 5);
  each_set([&](const auto &s) {
    std::vector<float> most(8, 7), least(8, 7), mean(8, 7), variance(8, 7);
    std::vector<double> sum(8, 7);
    std::vector<std::int64_t> place(8, 7);
    CHECK(launch_on_host(op::load(x.data()) | op::tee(op::reduce_rows(op::argmax, most.data(), place.data())) |
                             op::tee(op::reduce_rows(op::several(op::sum, op::minimum), sum.data(), least.data())) |
                             op::reduce_rows(op::mean_variance, mean.data(), variance.data()),
                         s.extent()) == ONEPASS_SUCCESS);
    for (std::size_t r = 0; r < s.rows(); ++r) {
      const auto at = x.begin() + static_cast<std::ptrdiff_t>(s.first(r));
      const std::vector<float> row(at, at + static_cast<std::ptrdiff_t>(s.length(r)));
      if (row.empty()) {
        CHECK(most[r] == -inf);
        CHECK(least[r] == inf);
        CHECK(place[r] == -1);
        CHECK(sum[r] == 0);
        CHECK(std::isnan(mean[r]));
        CHECK(std::isnan(variance[r]));
        continue;
      }
      const row_truth truth(row);
      const auto top = std::max_element(row.begin(), row.end());
      CHECK(most[r] == *top);
      CHECK(least[r] == *std::min_element(row.begin(), row.end()));
      CHECK(place[r] == static_cast<std::int64_t>(s.first(r)) + (top - row.begin()));
      CHECK(std::fabs(sum[r] - static_cast<double>(truth.mean) * static_cast<double>(row.size())) <=
            4e-7 * 5 * static_cast<double>(row.size()));
      CHECK(mean[r] == Approx(static_cast<double>(truth.mean)).margin(1e-6));
      CHECK(variance[r] == Approx(static_cast<double>(truth.variance)).epsilon(1e-6));
    }
    for (std::size_t r = s.rows(); r < 8; ++r) CHECK((most[r] == 7 && place[r] == 7 && sum[r] == 7 && mean[r] == 7));
  });
}

TEST_CASE("cross_entropy of segments, with a label for each") {
  const std::vector<f16> x = uniform<f16>(size, -3, 3);
  const std::int32_t labels[] = {4, 0, 6, -100, 5, 1, 0};
  each_set([&](const auto &s) {
    std::vector<float> loss(8, 7), lse(8, 7);
    CHECK(launch_on_host(op::load(x.data()) | op::cross_entropy(labels, loss.data(), lse.data()), s.extent()) ==
          ONEPASS_SUCCESS);
    for (std::size_t r = 0; r < s.rows(); ++r) {
      float own = 7, own_lse = 7;
      on_host(op::load(x.data() + s.first(r)) | op::cross_entropy(labels + r, &own, &own_lse), s.length(r));
      const auto label = static_cast<std::int64_t>(labels[r]), n = static_cast<std::int64_t>(s.length(r));
      CHECK(same(lse[r], own_lse));
      CHECK(same(loss[r], own));
      if (label >= n) CHECK(std::isnan(loss[r]));
      else if (label >= 0) CHECK(loss[r] >= 0);
      else if (n > 0) CHECK(loss[r] == 0);
    }
    for (std::size_t r = s.rows(); r < 8; ++r) CHECK((loss[r] == 7 && lse[r] == 7));
  });
}

TEST_CASE("quantised segments: a scale for each, or a padded row of scales for its groups") {
  const std::vector<float> x = uniform<float>(size, -9, 9);
  each_set([&](const auto &s) {
    const std::int64_t pitch = 140;
    std::vector<std::int8_t> q(size, 99), g(size, 99);
    std::vector<float> scales(8, 7), group_scales(8 * 140, 7), y(size, 99);
    auto extent = s.extent();
    extent.columns = std::min<std::int64_t>(extent.columns, 4400);
    CHECK(launch_on_host(op::load(x.data()) | op::quantize_rows(op::store(q.data()), scales.data()), extent) ==
          ONEPASS_SUCCESS);
    const auto groups = op::load(x.data()) | op::quantize_groups<32>(op::store(g.data()), group_scales.data(), pitch);
    CHECK(launch_on_host(groups, extent) == ONEPASS_SUCCESS);
    int wrong = 0;
    for (std::size_t r = 0; r < s.rows(); ++r) {
      const std::size_t n = s.length(r), first = s.first(r);
      std::vector<std::int8_t> own(n), own_groups(n);
      std::vector<float> own_scales((n + 31) / 32);
      float scale = 7;
      on_host(op::load(x.data() + first) | op::quantize_rows(op::store(own.data()), &scale), n);
      on_host(op::load(x.data() + first) | op::quantize_groups<32>(op::store(own_groups.data()), own_scales.data()), n);
      wrong += scales[r] != scale;
      for (std::size_t c = 0; c < n; ++c) wrong += q[first + c] != own[c] || g[first + c] != own_groups[c];
      for (std::size_t k = 0; k < 140; ++k)
        wrong += group_scales[r * 140 + k] != (k < own_scales.size() ? own_scales[k] : 7);
    }
    CHECK(wrong == 0);
    const std::vector<bool> in = s.covered(size);
    for (std::size_t i = 0; i < size; ++i) wrong += !in[i] && (q[i] != 99 || g[i] != 99);
    CHECK(wrong == 0);
    // And back, behind nothing but a row's own pass.
    std::vector<float> most(8, 7);
    CHECK(launch_on_host(op::load(g.data()) | op::multiply(op::per_group<32>(group_scales.data(), pitch)) |
                             op::tee(op::store(y.data())) | op::reduce_rows(op::maximum, most.data()),
                         extent) == ONEPASS_SUCCESS);
    for (std::size_t i = 0; i < size; ++i) wrong += in[i] ? !(std::fabs(y[i] - x[i]) <= 0.04f) : y[i] != 99;
    CHECK(wrong == 0);
    // Without a pitch there is no place for the scales of a group, whatever the columns.
    const std::vector<float> before = group_scales;
    const auto dense = op::load(x.data()) | op::quantize_groups<32>(op::store(g.data()), group_scales.data());
    extent.columns = 64;
    CHECK(launch_on_host(dense, extent) == (s.rows() > 0 ? ONEPASS_ERROR_GROUPS : ONEPASS_SUCCESS));
    CHECK(group_scales == before);
  });
}

TEST_CASE("what has a pitch has rows of its own: segments are padded, and packed again") {
  const std::vector<float> x = uniform<float>(100, -4, 4);
  const std::int64_t offsets[] = {10, 14, 14, 30, 37};
  const onepass_extent_t extent = onepass_extent_segments_i64(offsets, 4, 16);
  matrix<float> padded(4, 16);
  std::vector<float> packed(100, 7), most(4);
  CHECK(launch_on_host(op::load(x.data()) | op::softmax | padded.store(), extent) == ONEPASS_SUCCESS);
  CHECK(launch_on_host(padded.load() | op::tee(op::store(packed.data())) | op::reduce_rows(op::maximum, most.data()),
                       extent) == ONEPASS_SUCCESS);
  std::vector<float> y(100, 7);
  CHECK(launch_on_host(op::load(x.data()) | op::softmax | op::store(y.data()), extent) == ONEPASS_SUCCESS);
  CHECK(packed == y);
  const matrix<float> untouched(4, 16);
  for (std::size_t r = 0; r < 4; ++r)
    for (std::size_t c = 0; c < 19; ++c)
      if (c >= static_cast<std::size_t>(offsets[r + 1] - offsets[r]))
        CHECK(bits_of<std::uint32_t>(padded.data[19 * r + c]) == bits_of<std::uint32_t>(untouched.data[0]));
}

TEST_CASE("places in a segment") {
  const std::int32_t offsets[] = {5, 9, 9, 12};
  std::vector<std::int64_t> index(20, -1), row(20, -1), column(20, -1), sums(3, -1);
  const auto store = [&](auto source, std::vector<std::int64_t> &out) {
    CHECK(launch_on_host(source | op::tee(op::store(out.data())) | op::reduce_rows(op::sum, sums.data()),
                         onepass_extent_segments_i32(offsets, 3, 100)) == ONEPASS_SUCCESS);
  };
  store(op::index(), index);
  store(op::row(), row);
  store(op::column(), column);
  CHECK(sums == std::vector<std::int64_t>{6, 0, 3});
  for (std::int64_t i = 0; i < 20; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const bool first = i >= 5 && i < 9, last = i >= 9 && i < 12;
    CHECK(index[k] == (first || last ? i : -1));
    CHECK(row[k] == (first ? 0 : last ? 2 : -1));
    CHECK(column[k] == (first ? i - 5 : last ? i - 9 : -1));
  }
}

TEST_CASE("segments are refused where there are no rows, or no offsets, and nothing is written") {
  const std::vector<float> x(20, 1);
  std::vector<float> y(20, 7);
  float out[3] = {7, 7, 7};
  const std::int32_t offsets[] = {0, 5, 20};
  const onepass_extent_t extent = onepass_extent_segments_i32(offsets, 2, 20);
  const auto map = op::load(x.data()) | op::exp | op::store(y.data());
  const auto by_row = op::load(x.data()) | op::multiply(op::per_row(x.data())) | op::store(y.data());
  const auto sum = op::load(x.data()) | op::reduce(op::sum, out);
  const auto softmax = op::load(x.data()) | op::softmax(op::keep(out)) | op::store(y.data());
  CHECK(launch_on_host(map, extent) == ONEPASS_ERROR_SEGMENTS);
  CHECK(launch_on_host(by_row, extent) == ONEPASS_ERROR_SEGMENTS);
  CHECK(launch_on_host(sum, extent) == ONEPASS_ERROR_SEGMENTS);
  CHECK(launch_on_host(softmax, onepass_extent_segments_i32(nullptr, 2, 20)) == ONEPASS_ERROR_EXTENT);
  CHECK(launch_on_host(softmax, onepass_extent_segments_i64(nullptr, 2, 20)) == ONEPASS_ERROR_EXTENT);
  CHECK(launch_on_host(softmax, onepass_extent_segments_i32(offsets, -1, 20)) == ONEPASS_ERROR_EXTENT);
  CHECK(launch_on_host(softmax, onepass_extent_segments_i32(offsets, 2, -1)) == ONEPASS_ERROR_EXTENT);
  const auto *const inside = reinterpret_cast<const std::int32_t *>(out);
  CHECK(launch_on_host(softmax, onepass_extent_segments_i32(inside, 2, 20)) == ONEPASS_ERROR_OVERLAP);
  CHECK(y == std::vector<float>(20, 7));
  CHECK((out[0] == 7 && out[1] == 7 && out[2] == 7));
  // Rows of at most nothing: each has its result, and no element is written.
  CHECK(launch_on_host(softmax, onepass_extent_segments_i32(offsets, 2, 0)) == ONEPASS_SUCCESS);
  CHECK(y == std::vector<float>(20, 7));
  CHECK((out[0] == -inf && out[1] == -inf && out[2] == 7));
}
