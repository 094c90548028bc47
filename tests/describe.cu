// SPDX-License-Identifier: Apache-2.0
// What a pipeline's type says of itself: bytes counted by hand, lanes, rows, states, leaves, device-only functors.
#include <onepass/unfused.cuh>

#include <cstdint>

#include "catch.hpp"
#include "util.hpp"

namespace op = onepass;
namespace detail = onepass::detail;
using namespace test;

namespace {

// Arrays of every type; only their types are looked at.
const float *x = nullptr, *r = nullptr;
const bf16 *xh = nullptr, *rh = nullptr;
const double *xd = nullptr;
const std::uint8_t *xb = nullptr;
float *y = nullptr, *z = nullptr;
bf16 *yh = nullptr, *zh = nullptr;
double *yd = nullptr;
std::uint8_t *yb = nullptr;
std::int64_t *yi = nullptr;

bool is(const onepass_cost_t &cost, onepass_extent_t extent, std::int64_t read, std::int64_t written,
        std::int64_t intermediate, int kernels) {
  const onepass_traffic_t t = onepass_traffic_of_cost(&cost, extent);
  UNSCOPED_INFO("read " << t.bytes_read << ", written " << t.bytes_written << ", intermediate " << t.intermediate_bytes
                        << ", kernels " << t.kernels);
  return t.bytes_read == read && t.bytes_written == written && t.intermediate_bytes == intermediate &&
         t.kernels == kernels && t.passes == 1;
}

// Fused: one kernel, nothing written to be read again.
template <class P>
bool fused(const P &, onepass_extent_t extent, std::int64_t read, std::int64_t written) {
  return is(detail::cost_of<P>(), extent, read, written, 0, 1);
}
template <class P>
bool unfused(const P &, onepass_extent_t extent, std::int64_t read, std::int64_t written, std::int64_t intermediate,
             int kernels) {
  return is(detail::unfused_cost_of<P>(), extent, read, written, intermediate, kernels);
}

constexpr std::int64_t n = 1000, rows = 30, columns = 70, elements = rows * columns;
const onepass_extent_t flat = onepass_extent_1d(n), matrix = onepass_extent_2d(rows, columns);

struct to_double {
  ONEPASS_HD double operator()(float a, double b) const { return a + b; }
};

}  // namespace

TEST_CASE("a copy is one kernel either way") {
  const auto p = op::load(x) | op::store(y);
  CHECK(fused(p, flat, 4 * n, 4 * n));
  CHECK(unfused(p, flat, 4 * n, 4 * n, 0, 1));
  const auto narrowing = op::load(xd) | op::store(yb);
  CHECK(fused(narrowing, flat, 8 * n, n));
  CHECK(unfused(narrowing, flat, 8 * n, n, 0, 1));
}

TEST_CASE("scale, bias, gelu, residual, clamp") {
  const auto p =
      op::load(x) | op::multiply(2) | op::add(1) | op::gelu | op::add(op::load(r)) | op::clamp(-1, 6) | op::store(y);
  CHECK(fused(p, flat, 8 * n, 4 * n));
  // Five kernels of 4 bytes in and 4 out, and the residual; all but the last write for the next.
  CHECK(unfused(p, flat, 5 * 4 * n + 4 * n, 5 * 4 * n, 4 * 4 * n, 5));
}

TEST_CASE("bias and gelu in bf16, the bias once per column") {
  const auto p = op::load(xh) | op::add(op::per_column(rh)) | op::gelu | op::store(yh);
  CHECK(fused(p, matrix, 2 * elements + 2 * columns, 2 * elements));
  CHECK(unfused(p, matrix, 4 * elements + 2 * columns, 4 * elements, 2 * elements, 2));
  CHECK(fused(p, flat, 4 * n, 2 * n));
}

TEST_CASE("a residual that is kept") {
  const auto p = op::load(xh) | op::add(op::load(rh)) | op::tee(op::store(zh)) | op::gelu_tanh | op::store(yh);
  CHECK(fused(p, flat, 4 * n, 4 * n));
  CHECK(unfused(p, flat, 6 * n, 4 * n, 0, 2));  // what the first kernel writes is wanted anyhow
  const auto wide = op::load(xh) | op::tee(op::store(y)) | op::tee(op::store(zh)) | op::store(yh);
  CHECK(fused(wide, flat, 2 * n, 8 * n));
}

TEST_CASE("the sum of absolute values, and other reductions") {
  const auto p = op::load(x) | op::abs | op::reduce(op::sum, y);
  CHECK(fused(p, flat, 4 * n, 4));
  CHECK(unfused(p, flat, 8 * n, 4 * n + 4, 4 * n, 2));
  CHECK(fused(op::load(xb) | op::reduce(op::argmax, yb, yi), flat, n, 9));
  CHECK(fused(op::load(xh) | op::reduce(op::several(op::mean_variance, op::sum), y, z, yd), flat, 2 * n, 16));
  CHECK(unfused(op::load(xh) | op::reduce(op::mean_variance, y, z), flat, 2 * n, 8, 0, 1));
  // Of nothing: a reduction still writes.
  CHECK(fused(p, onepass_extent_1d(0), 0, 4));
  CHECK(fused(p, onepass_extent_2d(0, 5), 0, 4));
}

TEST_CASE("types of different width") {
  const auto p = op::load(xb) | op::cast<double>() | op::sqrt | op::store(yd);
  CHECK(fused(p, flat, n, 8 * n));
  CHECK(unfused(p, flat, n + 8 * n, 16 * n, 8 * n, 2));
  const auto zipped = op::zip(op::load(x), op::load(xd)) | op::fn(to_double{}) | op::store(y);
  CHECK(fused(zipped, flat, 12 * n, 4 * n));
  CHECK(unfused(zipped, flat, 12 * n, 4 * n, 0, 1));
}

TEST_CASE("an operand's own stages are kernels of their own") {
  const auto p = op::load(x) | op::add(op::load(r) | op::square) | op::store(y);
  CHECK(fused(p, flat, 8 * n, 4 * n));
  CHECK(unfused(p, flat, 4 * n + 8 * n, 8 * n, 4 * n, 2));
}

TEST_CASE("vectors, scalars and coordinates") {
  CHECK(
      fused(op::load(x) | op::multiply(op::per_row(r)) | op::store(y), matrix, 4 * elements + 4 * rows, 4 * elements));
  CHECK(fused(op::index() | op::store(yi), flat, 0, 8 * n));
  CHECK(fused(op::value(1.0f) | op::add(op::column()) | op::store(y), matrix, 0, 4 * elements));
  CHECK(fused(op::load(x, 100) | op::store(y, 90), matrix, 4 * elements, 4 * elements));  // gaps are not moved
}

TEST_CASE("row pipelines: every matrix once, vectors once, against a kernel per stage") {
  const auto softmax = op::load(xh) | op::softmax | op::store(yh);
  CHECK(fused(softmax, matrix, 2 * elements, 2 * elements));
  CHECK(unfused(softmax, matrix, 2 * elements, 2 * elements, 0, 1));
  const auto kept = op::load(x) | op::softmax(op::keep(z)) | op::store(y);
  CHECK(fused(kept, matrix, 4 * elements, 4 * elements + 4 * rows));
  CHECK(unfused(kept, matrix, 4 * elements, 4 * elements + 4 * rows, 0, 1));
  // Add, layer_norm and gelu: the sum is wanted anyhow, and the norm's value is written for the third kernel alone.
  const auto block = op::load(xh) | op::add(op::load(rh)) | op::tee(op::store(zh)) | op::layer_norm(rh, rh, 1e-5) |
                     op::gelu_tanh | op::store(yh);
  CHECK(fused(block, matrix, 4 * elements + 4 * columns, 4 * elements));
  CHECK(unfused(block, matrix, (4 + 2 + 2) * elements + 4 * columns, (2 + 2 + 2) * elements, 2 * elements, 3));
  const auto statistics = op::load(x) | op::rms_norm(r, 1e-5, op::keep(y)) | op::store(z);
  CHECK(fused(statistics, matrix, 4 * elements + 4 * columns, 4 * elements + 4 * rows));
  CHECK(unfused(statistics, matrix, 4 * elements + 4 * columns, 4 * elements + 4 * rows, 0, 1));
  // gamma + 1 is a kernel over the columns, which is counted as if it were one over the matrix.
  const auto shifted = op::load(x) | op::layer_norm(op::per_column(r) | op::add(1), op::per_row(r), 1e-5) | op::store(z);
  CHECK(fused(shifted, matrix, 4 * elements + 4 * columns + 4 * rows, 4 * elements));
  CHECK(detail::unfused_cost_of<std::decay_t<decltype(shifted)>>().kernels == 2);
}

TEST_CASE("reductions of rows write a result for each") {
  const auto sums = op::load(xh) | op::abs | op::reduce_rows(op::several(op::mean_variance, op::argmax), y, z, yd, yi);
  CHECK(fused(sums, matrix, 2 * elements, (4 + 4 + 8 + 8) * rows));
  CHECK(unfused(sums, matrix, 4 * elements, 2 * elements + 24 * rows, 2 * elements, 2));
  CHECK(fused(sums, onepass_extent_2d(rows, 0), 0, 24 * rows));
  CHECK(fused(sums, onepass_extent_2d(0, columns), 0, 0));
  const auto between = op::load(x) | op::tee(op::reduce_rows(op::maximum, yd)) | op::softmax | op::store(y);
  CHECK(fused(between, matrix, 4 * elements, 4 * elements + 8 * rows));
  CHECK(unfused(between, matrix, 8 * elements, 4 * elements + 8 * rows, 0, 2));
}

namespace {

template <class P>
constexpr int lanes(const P &) {
  return detail::lanes_v<P>;
}
template <class P>
constexpr bool by_row(const P &) {
  return detail::any_by_row<P>::value;
}

}  // namespace

TEST_CASE("a group is 16 bytes of the narrowest array, and fewer where a store would be wider while as much is read") {
  CHECK(lanes(op::load(x) | op::store(y)) == 4);
  CHECK(lanes(op::load(xh) | op::store(yh)) == 8);
  CHECK(lanes(op::load(xd) | op::store(yd)) == 2);
  CHECK(lanes(op::load(xb) | op::store(yb)) == 16);
  CHECK(lanes(op::load(xh) | op::store(y)) == 8);
  CHECK(lanes(op::load(xb) | op::store(y)) == 16);
  CHECK(lanes(op::load(xb) | op::store(yd)) == 8);
  CHECK(lanes(op::load(xh) | op::add(op::load(xd)) | op::store(y)) == 4);
  CHECK(lanes(op::load(x) | op::tee(op::store(yb)) | op::store(y)) == 4);
  CHECK(lanes(op::load(xh) | op::where(op::load(xb), 0) | op::store(yh)) == 8);
  // Vectors and results do not count.
  CHECK(lanes(op::load(xh) | op::add(op::per_column(x)) | op::reduce(op::sum, yd)) == 8);
  CHECK(lanes(op::load(xd) | op::multiply(op::per_row(xb)) | op::store(yd)) == 2);
  CHECK(lanes(op::value(1.0) | op::reduce(op::sum, y)) == 4);
  CHECK(lanes(op::load(xh) | op::layer_norm(x, xd, 1e-5, op::keep(yd, yd)) | op::store(yh)) == 8);
  CHECK(lanes(op::load(xb) | op::reduce_rows(op::sum, yd)) == 16);
}

TEST_CASE("a pipeline asks for rows only where a part needs them") {
  CHECK_FALSE(by_row(op::load(x) | op::add(op::load(r)) | op::tee(op::store(z)) | op::store(y)));
  CHECK_FALSE(by_row(op::index() | op::reduce(op::sum, yi)));
  CHECK(by_row(op::load(x, 8) | op::store(y)));
  CHECK(by_row(op::load(x) | op::store(y, 8)));
  CHECK(by_row(op::load(x) | op::tee(op::store(z, 8)) | op::store(y)));
  CHECK(by_row(op::load(x) | op::add(op::per_column(r)) | op::store(y)));
  CHECK(by_row(op::load(x) | op::add(op::per_row(r)) | op::store(y)));
  CHECK(by_row(op::load(x) | op::add(op::row()) | op::store(y)));
  CHECK(by_row(op::zip(op::load(x), op::column()) | op::fn(to_double{}) | op::store(y)));
  CHECK(by_row(op::load(x) | op::add(op::load(r) | op::multiply(op::per_column(r))) | op::store(y)));  // deep inside
}

namespace {

template <class P>
onepass_geometry_t geometry(const P &) {
  return detail::geometry_of<P>();
}

}  // namespace

TEST_CASE("geometry and states") {
  const onepass_geometry_t map = geometry(op::load(x) | op::store(y));
  CHECK(map.family == ONEPASS_MAP);
  CHECK(map.lanes == 4);
  CHECK(map.by_row == 0);
  CHECK(map.state_bytes == 0);
  const onepass_geometry_t sum = geometry(op::load(xb) | op::reduce(op::sum, yi));
  CHECK(sum.family == ONEPASS_REDUCE);
  CHECK(sum.lanes == 16);
  CHECK(sum.by_row == 0);
  CHECK(sum.state_bytes == 8);  // a 64-bit sum
  const onepass_geometry_t both = geometry(op::load(x, 8) | op::reduce(op::several(op::sum, op::argmax), y, z, yi));
  CHECK(both.by_row == 1);
  CHECK(both.state_bytes >= 4 + 4 + 8);
  CHECK(geometry(op::load(xh) | op::reduce(op::maximum, yh)).state_bytes == 4);  // f32 until the end
  CHECK(map.row_stages == 0);
  CHECK(sum.row_stages == 0);
}

TEST_CASE("geometry of rows") {
  const onepass_geometry_t one = geometry(op::load(xh) | op::gelu | op::softmax | op::store(yh));
  CHECK(one.family == ONEPASS_ROW);
  CHECK(one.lanes == 8);
  CHECK(one.by_row == 1);
  CHECK(one.state_bytes == 8);  // the greatest value and a sum, where blocks share a row
  CHECK(one.row_stages == 1);
  const onepass_geometry_t two = geometry(op::load(x) | op::layer_norm(1e-5) | op::softmax | op::store(y));
  CHECK(two.row_stages == 2);
  CHECK(two.state_bytes == 16);  // the most of the two
  const onepass_geometry_t sums = geometry(op::load(x) | op::tee(op::reduce_rows(op::sum, y)) | op::store(y));
  CHECK(sums.family == ONEPASS_ROW);
  CHECK(sums.by_row == 1);
  CHECK(sums.row_stages == 0);
}

TEST_CASE("which rows are taken element by element") {
  const auto singles = [](const auto &p) { return geometry(p).singles; };
  CHECK(singles(op::load(xh) | op::softmax | op::store(yh)) == ONEPASS_SINGLES_WIDE);  // small elements alone
  CHECK(singles(op::load(x) | op::softmax | op::store(y)) == ONEPASS_SINGLES_ALL);
  CHECK(singles(op::load(xh) | op::softmax | op::store(y)) == ONEPASS_SINGLES_ALL);
  CHECK(singles(op::load(xh) | op::rms_norm(xh, 1e-6) | op::store(yh)) == ONEPASS_SINGLES_ALL);  // a vector beside
  CHECK(singles(op::load(xh) | op::multiply(op::per_row(x)) | op::softmax | op::store(yh)) == ONEPASS_SINGLES_WIDE);
  CHECK(singles(op::load(x) | op::store(y)) == ONEPASS_SINGLES_NONE);  // no rows
  // Several elements at a time cost what one does, or are taken together.
  CHECK(singles(op::load(x) | op::softmax | op::dropout(0.1, 1) | op::store(y)) == ONEPASS_SINGLES_NONE);
  CHECK(singles(op::load(x) | op::add(op::random(1)) | op::softmax | op::store(y)) == ONEPASS_SINGLES_NONE);
  CHECK(singles(op::load(x) | op::add(op::random_normal(1)) | op::softmax | op::store(y)) == ONEPASS_SINGLES_NONE);
  __nv_fp8_e4m3 *q = nullptr;
  CHECK(singles(op::load(x) | op::l2_normalize(1e-6) | op::quantize_groups<128>(op::store(q), y)) ==
        ONEPASS_SINGLES_NONE);
  CHECK(singles(op::load(x) | op::l2_normalize(1e-6) | op::quantize_rows(op::store(q), y)) == ONEPASS_SINGLES_ALL);
  const auto registers = [](const auto &p) { return geometry(p).element_registers; };
  CHECK(registers(op::load(xh) | op::softmax | op::store(yh)) == 1);
  CHECK(registers(op::load(xh) | op::add(op::load(xh)) | op::softmax | op::store(yh)) == 2);
  CHECK(registers(op::load(xh) | op::add(op::load(x)) | op::add(op::load(x)) | op::softmax | op::store(yh)) == 3);
  double *wide = nullptr;
  CHECK(registers(op::load(wide) | op::softmax | op::store(wide)) == 2);
}

TEST_CASE("leaves stand in the order of the parts") {
  float a[8] = {}, b[8] = {}, c[8] = {};
  bf16 bias[8] = {};
  double out = 0;
  const auto p = op::load(a, 7) | op::multiply(3) | op::add(op::load(b) | op::multiply(op::per_column(bias))) |
                 op::tee(op::store(c, 6)) | op::multiply(op::per_row(b)) | op::reduce(op::sum, &out);
  onepass_leaf_t leaf[ONEPASS_MAX_LEAVES];
  REQUIRE(detail::write_leaves(p.inner, leaf) == 6);
  CHECK(detail::count(static_cast<detail::leaves_t<std::decay_t<decltype(p)>> *>(nullptr)) == 6);
  const void *pointers[] = {a, b, bias, c, b, &out};
  const std::int64_t pitches[] = {7, ONEPASS_DENSE, ONEPASS_DENSE, 6, ONEPASS_DENSE, ONEPASS_DENSE};
  const int bytes[] = {4, 4, 2, 4, 4, 8}, written[] = {0, 0, 0, 1, 0, 1};
  const onepass_span_t spans[] = {ONEPASS_PER_ELEMENT, ONEPASS_PER_ELEMENT, ONEPASS_PER_COLUMN,
                                  ONEPASS_PER_ELEMENT, ONEPASS_PER_ROW,     ONEPASS_ONCE};
  for (int i = 0; i < 6; ++i) {
    INFO("leaf " << i);
    CHECK(leaf[i].pointer == pointers[i]);
    CHECK(leaf[i].pitch == pitches[i]);
    CHECK(leaf[i].element_bytes == bytes[i]);
    CHECK(leaf[i].span == spans[i]);
    CHECK(leaf[i].written == written[i]);
    CHECK(leaf[i].count == 1);
  }
}

TEST_CASE("the leaves of a row stage: gamma and beta, then what it keeps") {
  float a[8] = {}, gamma[8] = {}, mean[2] = {}, rstd[2] = {}, out[8] = {}, sums[2] = {};
  double beta[8] = {};
  const auto p = op::load(a) | op::layer_norm(gamma, beta, 1e-5, op::keep(mean, rstd)) |
                 op::tee(op::reduce_rows(op::sum, sums)) | op::store(out);
  onepass_leaf_t leaf[ONEPASS_MAX_LEAVES];
  REQUIRE(detail::write_leaves(p.inner, leaf) == 7);
  const void *pointers[] = {a, gamma, beta, mean, rstd, sums, out};
  const int bytes[] = {4, 4, 8, 4, 4, 4, 4}, written[] = {0, 0, 0, 1, 1, 1, 1};
  const onepass_span_t spans[] = {ONEPASS_PER_ELEMENT, ONEPASS_PER_COLUMN, ONEPASS_PER_COLUMN, ONEPASS_PER_ROW,
                                  ONEPASS_PER_ROW,     ONEPASS_PER_ROW,    ONEPASS_PER_ELEMENT};
  for (int i = 0; i < 7; ++i) {
    INFO("leaf " << i);
    CHECK(leaf[i].pointer == pointers[i]);
    CHECK(leaf[i].element_bytes == bytes[i]);
    CHECK(leaf[i].span == spans[i]);
    CHECK(leaf[i].written == written[i]);
  }
}

TEST_CASE("values and coordinates are no leaves") {
  onepass_leaf_t leaf[ONEPASS_MAX_LEAVES];
  const auto p = op::index() | op::add(op::value(2.0)) | op::multiply(3) | op::reduce(op::sum, yd);
  CHECK(detail::write_leaves(p.inner, leaf) == 1);
  CHECK(leaf[0].pointer == yd);
}

namespace {

struct on_device {
  static constexpr bool device_only = true;
  template <class T>
  __device__ float operator()(T) const {
    return 0;
  }
};

struct statistic_on_device {
  static constexpr bool device_only = true;
};

template <class P>
constexpr bool device_only(const P &) {
  return detail::any_device_only<P>::value;
}

}  // namespace

TEST_CASE("a functor or statistic without a host body is seen wherever it stands") {
  CHECK_FALSE(device_only(op::load(x) | op::gelu | op::store(y)));
  CHECK(device_only(op::load(x) | op::fn(on_device{}) | op::store(y)));
  CHECK(device_only(op::load(x) | op::exact(op::fn(on_device{})) | op::store(y)));
  CHECK(device_only(op::load(x) | op::add(op::load(r) | op::fn(on_device{})) | op::store(y)));
  CHECK(device_only(op::zip(op::load(x) | op::fn(on_device{}), op::load(r)) | op::store(y)));
  CHECK(device_only(op::load(x) | op::reduce(statistic_on_device{}, y)));
  CHECK_FALSE(device_only(op::load(x) | op::layer_norm(r, 1e-5) | op::store(y)));
  CHECK(device_only(op::load(x) | op::by_row(op::sum, on_device{}) | op::store(y)));
  CHECK(device_only(op::load(x) | op::by_row(statistic_on_device{}, on_device{}) | op::store(y)));
  CHECK(device_only(op::load(x) | op::rms_norm(op::load(r) | op::fn(on_device{}), 1e-5) | op::store(y)));
  CHECK(device_only(op::load(x) | op::reduce_rows(statistic_on_device{}, y)));
  CHECK(device_only(op::load(x) | op::reduce(op::several(op::sum, statistic_on_device{}), y, z)));
}
