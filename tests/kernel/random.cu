// SPDX-License-Identifier: Apache-2.0
// Random numbers and dropout on a device: bit for bit those of the host, in every shape, width and alignment.
#include "gpu.hpp"

namespace {

constexpr std::uint64_t seed = 0xfeedface;

template <class T, class Source>
std::vector<T> device(const Source &source, std::int64_t rows, std::int64_t columns, std::int64_t offset) {
  const device_array<T> y(rows * columns + 16);
  OP_CHECK(op::launch(source | op::store(y.at(offset)), op::extent(rows, columns)));
  return y.get(rows * columns, offset);
}
template <class T, class Source>
std::vector<T> host(const Source &source, std::int64_t rows, std::int64_t columns) {
  std::vector<T> y(static_cast<std::size_t>(rows * columns));
  OP_CHECK(op::launch(source | op::store(y.data()), op::extent(rows, columns), on_host()));
  return y;
}

template <class T>
void same_as_host(std::int64_t rows, std::int64_t columns, std::int64_t offset) {
  const auto flat = op::random(seed, 3);
  const auto by_row = op::random(seed, 3) | op::add(op::column() | op::multiply(0) | op::cast<float>());
  const auto right = host<T>(flat, rows, columns);
  const auto equal = [&](const std::vector<T> &y) {
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < right.size(); ++i) wrong += op::detail::widen(y[i]) != op::detail::widen(right[i]);
    CHECK(wrong == 0);
  };
  equal(device<T>(flat, rows, columns, offset));
  equal(device<T>(by_row, rows, columns, offset));
}

}  // namespace

TEMPLATE_TEST_CASE("uniform numbers are those of the host", "", std::uint8_t, __nv_bfloat16, float) {
  for (const std::int64_t offset : {0, 1, 2, 3, 5})
    for (const std::int64_t rows : {1, 5})
      for (const std::int64_t columns : {1, 3, 4, 250, 1024, 100003}) same_as_host<TestType>(rows, columns, offset);
}

TEST_CASE("normal numbers are those of the host to a few ulp") {
  for (const std::int64_t offset : {0, 1, 2}) {
    const std::int64_t n = reduced() ? 1000 : 1000003;
    const auto y = device<float>(op::random_normal(seed), 1, n, offset),
               right = host<float>(op::random_normal(seed), 1, n);
    double worst = 0;
    for (std::size_t i = 0; i < y.size(); ++i)  // against the radius, which is at most 6.77
      worst = std::max(worst, std::fabs(static_cast<double>(y[i]) - static_cast<double>(right[i])));
    std::printf("random_normal: %g from the host's\n", worst);
    CHECK(worst <= 2e-6);
  }
}

namespace {

template <class T>
void check_dropout(std::int64_t rows, std::int64_t columns, std::int64_t offset) {
  const std::int64_t n = rows * columns;
  const auto x = random_values<T>(n);
  const device_array<T> dx(n + 16), dy(n + 16), plain(n + 16);
  const device_array<std::uint8_t> mask(n + 16);
  dx.put(x, offset);
  for (const double p : {0.0, 0.3, 1.0}) {
    OP_CHECK(op::launch(op::load(dx.at(offset)) | op::dropout(p, seed, 1, op::tee(op::store(mask.at(offset)))) |
                            op::store(dy.at(offset)),
                        op::extent(rows, columns)));
    OP_CHECK(op::launch(op::load(dx.at(offset)) | op::dropout(p, seed, 1) | op::store(plain.at(offset)),
                        op::extent(rows, columns)));
    std::vector<T> y(x.size());
    std::vector<std::uint8_t> kept(x.size());
    OP_CHECK(
        op::launch(op::load(x.data()) | op::dropout(p, seed, 1, op::tee(op::store(kept.data()))) | op::store(y.data()),
                   op::extent(rows, columns), on_host()));
    CHECK(mask.get(n, offset) == kept);
    std::size_t wrong = 0;
    const auto a = dy.get(n, offset), b = plain.get(n, offset);
    for (std::size_t i = 0; i < y.size(); ++i) {
      wrong += op::detail::widen(a[i]) != op::detail::widen(y[i]);
      wrong += op::detail::widen(b[i]) != op::detail::widen(y[i]);
    }
    CHECK(wrong == 0);
  }
}

}  // namespace

TEMPLATE_TEST_CASE("dropout and its mask are those of the host", "", __nv_bfloat16, float) {
  for (const std::int64_t offset : {0, 1, 2})
    for (const std::int64_t rows : {1, 3})
      for (const std::int64_t columns : {1, 5, 16, 1000, 50001}) check_dropout<TestType>(rows, columns, offset);
}
