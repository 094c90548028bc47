// SPDX-License-Identifier: Apache-2.0
// What the tests on a device share: memory with guards on both sides, comparison by bits on the device, a workspace.
#ifndef ONEPASS_TESTS_KERNEL_GPU_HPP
#define ONEPASS_TESTS_KERNEL_GPU_HPP

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <random>
#include <vector>

#include <onepass/onepass.cuh>

#include "catch.hpp"

namespace op = onepass;

#define CUDA_CHECK(call) REQUIRE((call) == cudaSuccess)
#define OP_CHECK(call) REQUIRE(std::string(onepass_status_string(call)) == "success")

// Set by the sanitizers' run: fewer counts.
inline bool reduced() { return std::getenv("ONEPASS_TEST_REDUCED") != nullptr; }

// Device memory for `n` elements at `offset` elements behind a 256-byte boundary, 512 bytes of guard on both sides.
template <class T>
class device_array {
 public:
  static constexpr std::int64_t guard = 512 / static_cast<std::int64_t>(sizeof(T));

  explicit device_array(std::int64_t n) : n_(n) {
    CUDA_CHECK(cudaMalloc(&base_, static_cast<std::size_t>(n + 2 * guard + 16) * sizeof(T)));
    fill(0xA5);
  }
  explicit device_array(const std::vector<T> &values) : device_array(static_cast<std::int64_t>(values.size())) {
    put(values);
  }
  ~device_array() { cudaFree(base_); }
  device_array(const device_array &) = delete;
  device_array &operator=(const device_array &) = delete;

  T *at(std::int64_t offset = 0) const { return base_ + guard + offset; }
  std::int64_t size() const { return n_; }
  // What fill and put write is there when they return, for every stream.
  void fill(int byte) const {
    CUDA_CHECK(cudaMemset(base_, byte, static_cast<std::size_t>(n_ + 2 * guard + 16) * sizeof(T)));
    CUDA_CHECK(cudaStreamSynchronize(nullptr));
  }
  void put(const std::vector<T> &values, std::int64_t offset = 0) const {
    CUDA_CHECK(cudaMemcpy(at(offset), values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaStreamSynchronize(nullptr));
  }
  std::vector<T> get(std::int64_t count, std::int64_t offset = 0) const {
    std::vector<T> values(static_cast<std::size_t>(count));
    CUDA_CHECK(cudaMemcpy(values.data(), at(offset), values.size() * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }
  T one(std::int64_t offset = 0) const { return get(1, offset)[0]; }

 private:
  T *base_ = nullptr;
  std::int64_t n_;
};

// Counts bytes of `p` in [0, bytes) that are not `byte`, outside [first, last).
template <int = 0>
__global__ void count_touched(const unsigned char *p, std::int64_t bytes, std::int64_t first, std::int64_t last,
                                     unsigned char byte, unsigned long long *errors) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < bytes; i += step)
    if ((i < first || i >= last) && p[i] != byte) atomicAdd(errors, 1ull);
}

// Counts bytes in which two arrays differ.
template <int = 0>
__global__ void count_different(const unsigned char *a, const unsigned char *b, std::int64_t bytes,
                                       unsigned long long *errors) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < bytes; i += step)
    if (a[i] != b[i]) atomicAdd(errors, 1ull);
}

// Errors that checks on the device have counted so far.
class error_counter {
 public:
  error_counter() {
    CUDA_CHECK(cudaMalloc(&count_, sizeof *count_));
    CUDA_CHECK(cudaMemset(count_, 0, sizeof *count_));
  }
  ~error_counter() { cudaFree(count_); }
  error_counter(const error_counter &) = delete;
  error_counter &operator=(const error_counter &) = delete;

  unsigned long long *pointer() const { return count_; }
  unsigned long long get() const {
    unsigned long long n = 0;
    CUDA_CHECK(cudaMemcpy(&n, count_, sizeof n, cudaMemcpyDeviceToHost));
    return n;
  }
  // y[offset, offset + n) equals expected[0, n), and nothing around it has been touched since y.fill(0xA5).
  template <class T>
  void check(const device_array<T> &y, std::int64_t offset, const T *expected, std::int64_t n) const {
    const auto size = static_cast<std::int64_t>(sizeof(T));
    if (n > 0)
      count_different<0><<<64, 256>>>(reinterpret_cast<const unsigned char *>(y.at(offset)),
                                   reinterpret_cast<const unsigned char *>(expected), n * size, count_);
    const auto *base = reinterpret_cast<const unsigned char *>(y.at(-device_array<T>::guard));
    const std::int64_t first = (device_array<T>::guard + offset) * size;
    count_touched<0><<<64, 256>>>(base, (y.size() + 2 * device_array<T>::guard + 16) * size, first, first + n * size, 0xA5,
                               count_);
    CUDA_CHECK(cudaGetLastError());
  }

 private:
  unsigned long long *count_ = nullptr;
};

// A workspace large enough for every test, zeroed once.
class workspace {
 public:
  workspace() {
    CUDA_CHECK(cudaMalloc(&p_, bytes));
    CUDA_CHECK(cudaMemset(p_, 0, bytes));
  }
  ~workspace() { cudaFree(p_); }
  workspace(const workspace &) = delete;
  workspace &operator=(const workspace &) = delete;

  onepass_exec_t exec(cudaStream_t stream = nullptr) const {
    onepass_exec_t e{};
    e.stream = stream;
    e.workspace = p_;
    e.workspace_bytes = bytes;
    return e;
  }
  bool tickets_are_zero() const {
    unsigned char header[ONEPASS_WORKSPACE_HEADER_BYTES];
    CUDA_CHECK(cudaMemcpy(header, p_, sizeof header, cudaMemcpyDeviceToHost));
    return std::all_of(std::begin(header), std::end(header), [](unsigned char byte) { return byte == 0; });
  }

 private:
  static constexpr std::size_t bytes = 1 << 20;
  void *p_ = nullptr;
};

inline onepass_exec_t on_host() {
  onepass_exec_t e{};
  e.where = ONEPASS_HOST;
  return e;
}

inline std::mt19937_64 &generator() {
  static std::mt19937_64 g{std::random_device{}()};
  return g;
}

// Random values in [-4, 4), integers in [-4, 4) or [0, 8).
template <class T>
std::vector<T> random_values(std::int64_t n) {
  std::uniform_real_distribution<double> real(-4, 4);
  std::vector<T> values(static_cast<std::size_t>(n));
  for (T &v : values) {
    const double x = real(generator());
    if constexpr (std::is_unsigned_v<T>) v = static_cast<T>(x + 4);
    else if constexpr (op::detail::is_float16<T>) v = op::detail::narrow<T>(x);
    else v = static_cast<T>(x);
  }
  return values;
}

// Where counts get interesting: all of them up to `all`, then around multiples of `tile`, then sparse.
inline std::vector<std::int64_t> counts_up_to(std::int64_t most, std::int64_t all, std::int64_t tile) {
  std::vector<std::int64_t> counts;
  for (std::int64_t n = 0; n <= (reduced() ? 40 : all); ++n) counts.push_back(n);
  for (std::int64_t t = tile; t <= most; t += tile)
    for (std::int64_t d = -2; d <= 2; ++d)
      if (t + d > counts.back() && t + d <= most) counts.push_back(t + d);
  return counts;
}

#endif
