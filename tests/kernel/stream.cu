// SPDX-License-Identifier: Apache-2.0
// Streams and devices: a launch is ordered by the stream that it is given, and touches no other and no other device.
#include <algorithm>
#include <array>
#include <thread>

#include "gpu.hpp"

namespace {

// Keeps a stream busy, and only then writes.
__global__ void write_late(float *x, int n, float value, long long cycles) {
  const long long start = clock64();
  while (clock64() - start < cycles) {}
  for (int i = static_cast<int>(threadIdx.x); i < n; i += static_cast<int>(blockDim.x)) x[i] = value;
}

// The current device while it lives; the one before afterwards.
class on_device {
 public:
  explicit on_device(int device) {
    CUDA_CHECK(cudaGetDevice(&before_));
    CUDA_CHECK(cudaSetDevice(device));
  }
  ~on_device() { cudaSetDevice(before_); }
  on_device(const on_device &) = delete;
  on_device &operator=(const on_device &) = delete;

 private:
  int before_ = 0;
};

int current_device() {
  int device = -1;
  CUDA_CHECK(cudaGetDevice(&device));
  return device;
}

int device_count() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

}  // namespace

TEST_CASE("a launch sees what was written late on its stream, whatever stream that is") {
  const int n = 100000;
  const workspace w;
  const device_array<float> x(n), sum(1);
  cudaStream_t own, blocking;
  CUDA_CHECK(cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamCreate(&blocking));
  float value = 1;
  for (const cudaStream_t stream : {own, blocking, cudaStream_t{nullptr}, cudaStreamLegacy, cudaStreamPerThread}) {
    value += 1;
    sum.fill(0xA5);
    CUDA_CHECK(cudaDeviceSynchronize());
    write_late<<<1, 1024, 0, stream>>>(x.at(), n, value, 20000000);  // some 10 ms
    OP_CHECK(op::launch(op::load(x.at()) | op::reduce(op::sum, sum.at()), op::extent(n), w.exec(stream)));
    if (stream == own && !reduced()) CHECK(cudaStreamQuery(stream) == cudaErrorNotReady);  // the host did not wait
    CUDA_CHECK(cudaStreamSynchronize(stream));
    CHECK(sum.one() == value * n);
  }
  CUDA_CHECK(cudaStreamDestroy(own));
  CUDA_CHECK(cudaStreamDestroy(blocking));
}

TEST_CASE("a launch waits for no other stream") {
  if (reduced()) return;  // under a tool the other stream is done before the launch
  const device_array<float> x(std::vector<float>(1000, 3.0f)), y(1000), other(1000);
  cudaStream_t busy, own;
  CUDA_CHECK(cudaStreamCreateWithFlags(&busy, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking));
  onepass_exec_t exec{};
  exec.stream = own;
  const auto negated = op::load(x.at()) | op::negate | op::store(y.at());
  OP_CHECK(op::launch(negated, op::extent(1000), exec));  // a kernel is loaded with its first launch, which waits
  y.fill(0);
  CUDA_CHECK(cudaDeviceSynchronize());
  write_late<<<1, 32, 0, busy>>>(other.at(), 1000, 1, 400000000);  // some 200 ms
  OP_CHECK(op::launch(negated, op::extent(1000), exec));
  CUDA_CHECK(cudaStreamSynchronize(own));
  CHECK(cudaStreamQuery(busy) == cudaErrorNotReady);
  CUDA_CHECK(cudaStreamSynchronize(busy));
  CHECK(y.one(999) == -3.0f);
  CUDA_CHECK(cudaStreamDestroy(busy));
  CUDA_CHECK(cudaStreamDestroy(own));
}

TEST_CASE("threads that launch for the first time at once, on every device") {
  const int devices = std::min(device_count(), 8);
  std::vector<std::thread> threads;
  std::array<int, 32> right{};
  for (int k = 0; k < 4 * devices; ++k)
    threads.emplace_back([&, k] {
      const std::int64_t n = 1 << 20;
      float *x = nullptr, *out = nullptr;
      void *memory = nullptr;
      onepass_exec_t exec{};
      exec.workspace_bytes = 1 << 16;
      if (cudaSetDevice(k % devices) != cudaSuccess || cudaMalloc(&x, n * sizeof(float)) != cudaSuccess ||
          cudaMalloc(&out, sizeof(float)) != cudaSuccess || cudaMalloc(&memory, exec.workspace_bytes) != cudaSuccess ||
          cudaMemset(memory, 0, exec.workspace_bytes) != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess)
        return;
      exec.workspace = memory;
      exec.stream = cudaStreamPerThread;
      float sum = 0;
      const auto first = op::launch(op::value(2.0f) | op::store(x), op::extent(n), exec);
      const auto second = op::launch(op::load(x) | op::square | op::reduce(op::sum, out), op::extent(n), exec);
      const bool read = cudaMemcpyAsync(&sum, out, sizeof sum, cudaMemcpyDeviceToHost, cudaStreamPerThread) == cudaSuccess &&
                        cudaStreamSynchronize(cudaStreamPerThread) == cudaSuccess;
      int device = -1;
      right[static_cast<std::size_t>(k)] = first == ONEPASS_SUCCESS && second == ONEPASS_SUCCESS && read &&
                                           sum == 4.0f * static_cast<float>(n) && cudaGetDevice(&device) == cudaSuccess &&
                                           device == k % devices;
      cudaFree(x);
      cudaFree(out);
      cudaFree(memory);
    });
  for (std::thread &thread : threads) thread.join();
  CHECK(std::count(right.begin(), right.end(), 1) == 4 * devices);
}

TEST_CASE("two devices: the current one is used, and stays current") {
  if (device_count() < 2) {
    std::puts("skipped: needs two devices");
    return;
  }
  for (const int device : {1, 0, 1}) {
    const on_device current(device);
    const workspace w;
    const device_array<float> x(std::vector<float>(50000, 2.0f)), out(1);
    cudaStream_t stream;
    CUDA_CHECK(cudaStreamCreate(&stream));
    OP_CHECK(op::launch(op::load(x.at()) | op::reduce(op::sum, out.at()), op::extent(50000), w.exec(stream)));
    CUDA_CHECK(cudaStreamSynchronize(stream));
    CHECK(out.one() == 100000.0f);
    CHECK(current_device() == device);
    CUDA_CHECK(cudaStreamDestroy(stream));
  }
}
