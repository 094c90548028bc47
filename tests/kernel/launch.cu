// SPDX-License-Identifier: Apache-2.0
// flags: --extended-lambda
// A launch on a device: one node, its statuses, a stranger's pending error, lambdas, collectives in a user's kernel.
#include <algorithm>
#include <cmath>

#include "gpu.hpp"

namespace {

__global__ void bad_kernel() {}

struct of_the_future {
  static constexpr int capability = 999;
  template <class T>
  __host__ __device__ T operator()(T x) const {
    return x;
  }
};

}  // namespace

TEST_CASE("a stranger's pending error is neither returned nor cleared") {
  const workspace w;
  const device_array<float> x(std::vector<float>(1000, 2.0f)), out(1);
  bad_kernel<<<1, 2048>>>();
  const cudaError_t pending = cudaPeekAtLastError();
  REQUIRE(pending != cudaSuccess);
  OP_CHECK(op::launch(op::load(x.at()) | op::reduce(op::sum, out.at()), op::extent(1000), w.exec()));
  CHECK(cudaGetLastError() == pending);
  CHECK(out.one() == 2000.0f);
}

TEST_CASE("a refused launch writes nothing and leaves no error") {
  const workspace w;
  const std::int64_t n = 100000;
  const device_array<float> x(n), y(n);
  const device_array<float> expected(1);
  const error_counter errors;
  auto missing = w.exec(), small = w.exec(), skewed = w.exec();
  missing.workspace = nullptr;
  small.workspace_bytes = op::workspace_bytes(op::load(x.at()) | op::reduce(op::sum, y.at()), op::extent(n)) - 1;
  skewed.workspace = static_cast<char *>(skewed.workspace) + 4;
  const auto sum = op::load(x.at()) | op::reduce(op::sum, y.at());
  CHECK(op::launch(sum, op::extent(n), missing) == ONEPASS_ERROR_WORKSPACE_MISSING);
  CHECK(op::launch(sum, op::extent(n), small) == ONEPASS_ERROR_WORKSPACE_SIZE);
  CHECK(op::launch(sum, op::extent(n), skewed) == ONEPASS_ERROR_WORKSPACE_ALIGNMENT);
  CHECK(op::launch(op::load(x.at()) | op::store(x.at() + 1), op::extent(n - 1)) == ONEPASS_ERROR_OVERLAP);
  CHECK(op::launch(op::load(x.at()) | op::fn(of_the_future{}) | op::store(y.at()), op::extent(n)) ==
        ONEPASS_ERROR_CAPABILITY);
  CHECK(op::launch(op::load(x.at()) | op::store(y.at()), op::extent(-1)) == ONEPASS_ERROR_EXTENT);
  float *null = nullptr;
  CHECK(op::launch(op::load(x.at()) | op::store(null), op::extent(n)) == ONEPASS_ERROR_NULL);
  CHECK(cudaGetLastError() == cudaSuccess);
  errors.check(y, 0, expected.at(), 0);
  CHECK(errors.get() == 0);
}

TEST_CASE("a map is one kernel node of a captured graph") {
  const device_array<float> x(std::vector<float>(5000, 2.0f)), y(5000);
  cudaStream_t stream;
  CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  onepass_exec_t exec{};
  exec.stream = stream;
  cudaGraph_t graph;
  cudaGraphExec_t instance;
  CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  OP_CHECK(op::launch(op::load(x.at()) | op::add(1) | op::store(y.at()), op::extent(5000), exec));
  OP_CHECK(op::launch(op::load(x.at()) | op::add(1) | op::store(y.at()), op::extent(0), exec));  // no node
  CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
  std::size_t nodes = 0;
  CUDA_CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
  CHECK(nodes == 1);
  CUDA_CHECK(cudaGraphInstantiate(&instance, graph, 0));
  CUDA_CHECK(cudaGraphLaunch(instance, stream));
  CUDA_CHECK(cudaStreamSynchronize(stream));
  CHECK(y.one(4999) == 3.0f);
  CUDA_CHECK(cudaGraphExecDestroy(instance));
  CUDA_CHECK(cudaGraphDestroy(graph));
  CUDA_CHECK(cudaStreamDestroy(stream));
}

namespace {

// A graph of what `capture` puts on a stream, with one node.
class one_node_graph {
 public:
  template <class Capture>
  explicit one_node_graph(const Capture &capture) {
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    cudaGraph_t graph;
    CUDA_CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
    capture(stream_);
    CUDA_CHECK(cudaStreamEndCapture(stream_, &graph));
    std::size_t nodes = 0;
    CUDA_CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
    CHECK(nodes == 1);
    CUDA_CHECK(cudaGraphInstantiate(&instance_, graph, 0));
    CUDA_CHECK(cudaGraphDestroy(graph));
  }
  ~one_node_graph() {
    cudaGraphExecDestroy(instance_);
    cudaStreamDestroy(stream_);
  }
  one_node_graph(const one_node_graph &) = delete;
  one_node_graph &operator=(const one_node_graph &) = delete;
  void replay() const {
    CUDA_CHECK(cudaGraphLaunch(instance_, stream_));
    CUDA_CHECK(cudaStreamSynchronize(stream_));
  }

 private:
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t instance_ = nullptr;
};

}  // namespace

TEST_CASE("a captured graph replays with the count that lies in device memory") {
  const std::int64_t most = 300001;
  const workspace w;
  const auto v = random_values<float>(most + 1);
  for (const std::int64_t offset : {0, 1}) {  // both kernels
    const device_array<float> x(v), y(most + 1), sum(1), greatest(1);
    const device_array<std::int64_t> n(std::vector<std::int64_t>{0}), where(1);
    const auto extent = op::extent_at(n.at(), most);
    const float *from = x.at(offset);
    const one_node_graph map([&](cudaStream_t stream) {
      onepass_exec_t exec{};
      exec.stream = stream;
      OP_CHECK(op::launch(op::load(from) | op::negate | op::store(y.at(offset)), extent, exec));
    });
    const one_node_graph both([&](cudaStream_t stream) {
      OP_CHECK(op::launch(op::load(from) | op::tee(op::reduce(op::sum, sum.at())) | op::negate |
                              op::tee(op::reduce(op::argmax, greatest.at(), where.at())) | op::store(y.at(offset)),
                          extent, w.exec(stream)));
    });
    for (const std::int64_t now : {std::int64_t{0}, std::int64_t{1}, std::int64_t{7}, std::int64_t{2048}, std::int64_t{100003}, most, most + 5, std::int64_t{-3}}) {
      n.put({now});
      const std::int64_t count = now < 0 ? 0 : now < most ? now : most;
      std::vector<float> expected(v.begin() + offset, v.begin() + offset + count);
      double total = 0;
      for (float &e : expected) {
        total += static_cast<double>(e);
        e = -e;
      }
      const device_array<float> right(expected);
      for (const auto *graph : {&map, &both}) {
        const error_counter errors;
        y.fill(0xA5);
        sum.fill(0xA5);
        graph->replay();
        errors.check(y, offset, right.at(), count);
        CHECK(errors.get() == 0);
      }
      CHECK(static_cast<double>(sum.one()) == Approx(total).margin(1e-2));
      const auto best = std::max_element(expected.begin(), expected.end());
      CHECK(where.one() == (count == 0 ? -1 : best - expected.begin()));
      CHECK(greatest.one() == (count == 0 ? -INFINITY : *best));
    }
  }
}

TEST_CASE("dependent launches see what their predecessors wrote") {
  for (const std::int64_t n : {std::int64_t{1000}, std::int64_t{1} << 20}) {
    const workspace w;
    const device_array<float> x(std::vector<float>(static_cast<std::size_t>(n), 1.0f)), greatest(1);
    auto exec = w.exec();
    exec.dependent_launch = 1;
    float right = 1;
    for (int i = 0; i < 200; ++i) {  // in place; the greatest value so far is wanted by the next launch
      OP_CHECK(op::launch(op::load(x.at()) | op::add(1) | op::store(x.at()), op::extent(n), exec));
      OP_CHECK(op::launch(op::load(x.at()) | op::reduce(op::maximum, greatest.at()), op::extent(n), exec));
      OP_CHECK(op::launch(op::load(x.at()) | op::add(op::per_row(greatest.at())) | op::multiply(0.5f) | op::store(x.at()),
                          op::extent(n), exec));
      right += 1;
    }
    CUDA_CHECK(cudaDeviceSynchronize());
    const device_array<float> expected(std::vector<float>(static_cast<std::size_t>(n), right));
    const error_counter errors;
    count_different<0><<<64, 256>>>(reinterpret_cast<const unsigned char *>(x.at()),
                                    reinterpret_cast<const unsigned char *>(expected.at()), n * 4, errors.pointer());
    CHECK(errors.get() == 0);
  }
}

TEST_CASE("what a kernel costs") {
  if (reduced()) return;  // the code that a tool adds costs registers too
  const device_array<float> x(1000), y(1000), out(1);
  const auto map = op::load(x.at()) | op::gelu | op::store(y.at());
  const auto sum = op::load(x.at()) | op::reduce(op::sum, out.at());
  onepass_report_t report{};
  OP_CHECK(op::report(map, op::extent(1000), &report));
  CHECK(report.registers > 8);
  CHECK(report.registers <= 64);
  CHECK(report.spilled_bytes == 0);
  CHECK(report.shared_bytes == 0);
  CHECK(report.blocks_per_sm >= 8);
  CHECK(report.occupancy > 0.4);
  CHECK(report.occupancy <= 1);
  CHECK(report.plan.threads == ONEPASS_MAP_THREADS);
  OP_CHECK(op::report(sum, op::extent(1 << 24), &report));
  CHECK(report.shared_bytes >= 64);
  CHECK(report.spilled_bytes == 0);
  CHECK(report.plan.blocks > 1);
  CHECK(op::report(sum, op::extent(-1), &report) == ONEPASS_ERROR_EXTENT);
}

// A __device__ lambda may not stand in a private scope such as a test's own function.
void launch_lambdas(const workspace &w, const device_array<float> &x, const device_array<float> &y,
                    const device_array<float> &out, float factor) {
  OP_CHECK(op::launch(op::load(x.at()) | op::fn([factor] __device__(float v) { return v * factor; }) | op::store(y.at()),
                      op::extent(x.size())));
  OP_CHECK(op::launch(op::load(x.at()) | op::fn([factor] __device__(float v) { return v * factor; }) |
                          op::cast<float>() | op::reduce(op::sum, out.at()),
                      op::extent(x.size()), w.exec()));
  OP_CHECK(op::launch(op::load(x.at()) | op::fn([] __device__(float v) { return __float2half(v); }) | op::add(1) |
                          op::store(x.at()),
                      op::extent(x.size())));
}

TEST_CASE("__device__ lambdas") {
  const workspace w;
  const device_array<float> x(std::vector<float>(3000, 2.0f)), y(3000), out(1);
  launch_lambdas(w, x, y, out, 1.5f);
  CHECK(y.one(2999) == 3.0f);
  CHECK(out.one() == 9000.0f);
  CHECK(x.one(2999) == 3.0f);
}

namespace {

template <class S>
__global__ void reduce_in_block(S statistic, const float *x, float *result, float *of_warps) {
  __shared__ op::block_storage<float> storage;
  const float own = x[threadIdx.x];
  const unsigned left = blockDim.x - threadIdx.x / 32 * 32;
  of_warps[threadIdx.x] = left < 32 ? op::warp_reduce(statistic, own, left) : op::warp_reduce(statistic, own);
  result[threadIdx.x] = op::block_reduce(statistic, own, storage);
}

template <class Source, class Stages>
__global__ void own_kernel(Source source, Stages stages, float *y, std::int64_t n) {
  const std::int64_t first = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) * 4;
  if (first >= n) return;
  const auto at = op::place<4>(0, first, 1, n);
  const auto v = stages.template apply<4>(source.template get<4>(at), at);
  for (int i = 0; i < 4; ++i)
    if (at.has(i)) y[first + i] = v[i];
}

}  // namespace

TEST_CASE("collectives give every thread the same bits, for every block size") {
  const auto x = random_values<float>(1024);
  const device_array<float> dx(x), result(1024), warps(1024);
  for (unsigned threads = 1; threads <= 1024; threads += reduced() ? 31u : 1u) {
    reduce_in_block<<<1, threads>>>(op::detail::sum_statistic{}, dx.at(), result.at(), warps.at());
    CUDA_CHECK(cudaDeviceSynchronize());
    const auto r = result.get(threads), s = warps.get(threads);
    double sum = 0;
    for (unsigned i = 0; i < threads; ++i) sum += static_cast<double>(x[i]);
    for (unsigned i = 0; i < threads; ++i) {
      CHECK(r[i] == r[0]);
      CHECK(s[i] == s[i - i % 32]);
    }
    CHECK(static_cast<double>(r[0]) == Approx(sum).margin(1e-3));
  }
}

TEST_CASE("a lone source and a lone stage inside a user's own kernel") {
  const std::int64_t n = 1003;
  const auto v = random_values<float>(n);
  const device_array<float> x(v), y(n), expected(n);
  OP_CHECK(op::launch(op::load(x.at()) | op::gelu | op::store(expected.at()), op::extent(n)));
  own_kernel<<<2, 128>>>(op::as_pipeline(op::load(x.at())), op::as_pipeline(op::gelu), y.at(), n);
  const error_counter errors;
  errors.check(y, 0, expected.at(), n);
  CHECK(errors.get() == 0);
}

TEST_CASE("sources and stages inside a user's own kernel") {
  const std::int64_t n = 1003;
  const auto v = random_values<float>(n);
  const device_array<float> x(v), y(n), expected(n);
  const auto stages = op::multiply(2) | op::gelu | op::add(op::load(x.at()));
  OP_CHECK(op::launch(op::load(x.at()) | op::abs | stages | op::store(expected.at()), op::extent(n)));
  own_kernel<<<2, 128>>>(op::load(x.at()) | op::abs, stages, y.at(), n);
  const error_counter errors;
  errors.check(y, 0, expected.at(), n);
  CHECK(errors.get() == 0);
}
