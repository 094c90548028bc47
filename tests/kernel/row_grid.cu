// SPDX-License-Identifier: Apache-2.0
// On a device: rows that stream, shared by as many blocks as the device holds, against float64 and against the bits of
// a block alone. Kernels that stream are all that is compiled here, except for one launch through the door.
#include <cmath>

#include "row.hpp"

namespace {

// The exported constant of a pipeline, whose launch knows no other kernel than the two that stream.
template <class P>
onepass_status_t start_streaming(const void *args, onepass_extent_t extent, const onepass_plan_t *plan,
                                 const onepass_exec_t *exec) {
  const op::detail::kernel_handle aligned = &op::detail::row_stream_kernel<P, true>,
                                  misaligned = &op::detail::row_stream_kernel<P, false>;
  if (plan->strategy != ONEPASS_ROW_STREAM) return ONEPASS_ERROR_STRATEGY;
  return op::detail::start_rows<P>(plan->aligned ? aligned : misaligned, *static_cast<const P *>(args), extent, *plan,
                                   *exec);
}
template <class P>
inline constexpr onepass_kernel_t streaming = {"streaming",
                                               op::detail::geometry_of<P>(),
                                               op::detail::cost_of<P>(),
                                               {},
                                               sizeof(P),
                                               75,
                                               &op::detail::entries<P>::leaves,
                                               &start_streaming<P>,
                                               nullptr,
                                               &op::detail::entries<P>::row_device,
                                               nullptr};

template <class P>
onepass_plan_t plan_of(const P &, onepass_extent_t extent) {
  onepass_plan_t plan;
  OP_CHECK(onepass_plan_here(&streaming<P>, extent, nullptr, 0, ONEPASS_ROW_STREAM, &plan));
  return plan;
}
template <class P>
onepass_status_t stream(const P &p, onepass_extent_t extent, onepass_exec_t exec = {}) {
  exec.row_strategy = ONEPASS_ROW_STREAM;
  return onepass_launch(&streaming<P>, extent, &p, &exec);
}

// A workspace of just the size, behind its tickets not zero, as other launches leave it; with a guard.
class shared_rows {
 public:
  template <class P>
  shared_rows(const P &p, onepass_extent_t extent)
      : plan_(plan_of(p, extent)), bytes_(static_cast<std::int64_t>(plan_.workspace_bytes)) {
    CUDA_CHECK(cudaMalloc(&p_, plan_.workspace_bytes + 256));
    CUDA_CHECK(cudaMemset(p_, 0xA5, plan_.workspace_bytes + 256));
    if (bytes_ > 0) CUDA_CHECK(cudaMemset(p_, 0, ONEPASS_WORKSPACE_HEADER_BYTES));
    CUDA_CHECK(cudaStreamSynchronize(nullptr));
  }
  ~shared_rows() { cudaFree(p_); }
  shared_rows(const shared_rows &) = delete;
  shared_rows &operator=(const shared_rows &) = delete;

  int row_blocks() const { return plan_.row_blocks; }
  onepass_exec_t exec(cudaStream_t stream = nullptr, int max_blocks = 0) const {
    onepass_exec_t e{};
    e.stream = stream;
    e.workspace = p_;
    e.workspace_bytes = plan_.workspace_bytes;
    e.max_blocks = max_blocks;
    if (reduced() && max_blocks == 0) e.max_blocks = 100;  // a tool may leave no room for two blocks
    return e;
  }
  // All tickets are back, and nothing behind the workspace is touched.
  bool is_left_as_it_was() const {
    std::vector<unsigned char> all(static_cast<std::size_t>(bytes_) + 256);
    CUDA_CHECK(cudaMemcpy(all.data(), p_, all.size(), cudaMemcpyDeviceToHost));
    bool right = true;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (bytes_ > 0 && i < ONEPASS_WORKSPACE_HEADER_BYTES) right = right && all[i] == 0;
      if (i >= static_cast<std::size_t>(bytes_)) right = right && all[i] == 0xA5;
    }
    return right;
  }

 private:
  onepass_plan_t plan_;
  std::int64_t bytes_;
  unsigned char *p_ = nullptr;
};

// Values in [-4, 4) that differ from call to call.
template <class T>
__global__ void fill_kernel(T *x, std::int64_t n, std::uint64_t seed) {
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
       i += static_cast<std::int64_t>(gridDim.x) * blockDim.x) {
    std::uint64_t bits = (static_cast<std::uint64_t>(i) + seed) * 0x9e3779b97f4a7c15u;
    bits = (bits ^ (bits >> 31)) * 0xd6e8feb86659fd93u;
    x[i] = op::detail::narrow<T>(static_cast<float>(bits >> 40) * 0x1p-21f - 4.0f);
  }
}
template <class T>
void fill(const device_array<T> &x, std::uint64_t seed = generator()()) {
  fill_kernel<<<1024, 256>>>(x.at(), x.size(), seed);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaStreamSynchronize(nullptr));
}
template <class T>
bool same_bits(const device_array<T> &a, std::int64_t at, const device_array<T> &b, std::int64_t n,
               std::int64_t other = 0) {
  const error_counter errors;
  count_different<0><<<256, 256>>>(reinterpret_cast<const unsigned char *>(a.at(at)),
                                   reinterpret_cast<const unsigned char *>(b.at(other)),
                                   n * static_cast<std::int64_t>(sizeof(T)), errors.pointer());
  CUDA_CHECK(cudaGetLastError());
  return errors.get() == 0;
}
template <class T>
std::vector<row_truth> truths(const T *x, std::int64_t rows, std::int64_t n) {
  const device_array<row_truth> truth(rows);
  find_truth<<<static_cast<unsigned>(rows), 256>>>(x, n, n, truth.at());
  CUDA_CHECK(cudaGetLastError());
  return truth.get(rows);
}
bool near(double got, double want, double size, double units = 0x1p-20) {
  return std::fabs(got - want) <= units * (std::fabs(want) + size);
}

int stream_slots() {
  int device = 0, multiprocessors = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  return multiprocessors;  // and more, where two blocks find room
}

struct shape {
  std::int64_t rows, columns;
};
std::vector<shape> shapes() {
  if (reduced()) return {{1, (1 << 18) + 3}, {3, 1 << 18}};
  return {{1, (1 << 20) + 3},   {1, 1 << 24},       {1, (1 << 24) - 5},   {2, 1 << 22},
          {3, (1 << 23) + 512}, {7, (1 << 21) + 1}, {131, (1 << 20) + 8}, {133, 1 << 20}};
}
const std::int64_t wide_row = reduced() ? 1 << 18 : (1 << 22) + 64;

// y = stages(x): shared by blocks, and by fewer, and by a block alone, aligned or not, has the same bits, which are
// right.
template <class T, class Make, class Want>
void check_streams(const Make &stages, const Want &want, double relative = rounding<T>()) {
  for (const shape s : shapes()) {
    const std::int64_t n = s.rows * s.columns;
    const device_array<T> x(n + 1), y(n + 1), z(n);
    const auto extent = op::extent(s.rows, s.columns);
    fill(x);
    for (const std::int64_t skip : {0, 1}) {
      CAPTURE(s.rows, s.columns, skip);
      const auto pipeline = [&](T *out) {
        return op::load(static_cast<const T *>(x.at(skip))) | stages(s.rows) | op::store(out);
      };
      const shared_rows shared(pipeline(y.at()), extent);
      if (2 * s.rows <= stream_slots()) CHECK(shared.row_blocks() > 1);
      OP_CHECK(stream(pipeline(z.at()), extent));
      const auto y_at = skip == 0 ? 0 : 1;
      for (const int blocks : {0, 5, 37, 100}) {
        y.fill(0xA5);
        OP_CHECK(stream(pipeline(y.at(y_at)), extent, shared.exec(nullptr, blocks)));
        CHECK(same_bits(y, y_at, z, n));
        CHECK(touched(y, y_at, n) == 0);
        CHECK(shared.is_left_as_it_was());
      }
      CHECK(wrong_in_rows(x.at(skip), s.columns, y.at(y_at), s.columns, s.rows, s.columns, want, relative) == 0);
    }
  }
}

}  // namespace

TEST_CASE("softmax of few wide rows") {
  check_streams<float>([](std::int64_t) { return op::softmax; }, softmax_truth{});
  check_streams<bf16>([](std::int64_t) { return op::softmax; }, softmax_truth{});
}

TEST_CASE("log_softmax, and what it keeps of each row") {
  const device_array<float> kept(256);
  check_streams<float>([&](std::int64_t) { return op::log_softmax(op::keep(kept.at())); }, log_softmax_truth{});
  const device_array<float> x(7 * wide_row), y(7 * wide_row);
  fill(x);
  kept.fill(0xA5);
  const auto pipeline =
      op::load(static_cast<const float *>(x.at())) | op::log_softmax(op::keep(kept.at())) | op::store(y.at());
  const shared_rows shared(pipeline, op::extent(7, wide_row));
  OP_CHECK(stream(pipeline, op::extent(7, wide_row), shared.exec()));
  const auto t = truths(x.at(), 7, wide_row);
  const auto lse = kept.get(7);
  for (std::size_t r = 0; r < 7; ++r) CHECK(near(static_cast<double>(lse[r]), t[r].most + std::log(t[r].powers), 0));
  CHECK(touched(kept, 0, 7) == 0);
}

TEST_CASE("layer_norm with gamma and beta, also in place") {
  const std::int64_t most = (1 << 24) + 8;
  const device_array<bf16> gamma(most), beta(most);
  fill(gamma);
  fill(beta);
  check_streams<bf16>([&](std::int64_t) { return op::layer_norm(gamma.at(), beta.at(), 1e-5); },
                      layer_norm_truth<bf16, bf16>{gamma.at(), beta.at(), 1e-5});
  for (const std::int64_t skip : {0, 1})
    for (const std::int64_t rows : {1, 3}) {
      const std::int64_t n = rows * wide_row;
      const device_array<bf16> x(n + 1), y(n + 1);
      fill(x);
      const auto pipeline = [&](bf16 *to) {
        return op::load(static_cast<const bf16 *>(x.at(skip))) | op::layer_norm(gamma.at(), beta.at(), 1e-5) |
               op::store(to);
      };
      const auto extent = op::extent(rows, wide_row);
      const shared_rows shared(pipeline(y.at(skip)), extent);
      OP_CHECK(stream(pipeline(y.at(skip)), extent));
      OP_CHECK(stream(pipeline(x.at(skip)), extent, shared.exec()));
      CHECK(same_bits(x, skip, y, n, skip));
    }
}

TEST_CASE("reductions of few wide rows, none of whose blocks waits") {
  for (const shape s : shapes()) {
    CAPTURE(s.rows, s.columns);
    const std::int64_t n = s.rows * s.columns;
    const device_array<float> x(n + 1), sums(s.rows), most(s.rows), mean(s.rows), variance(s.rows);
    const device_array<std::int64_t> place(s.rows);
    const device_array<float> other(s.rows);
    fill(x);
    const std::int64_t where = s.columns - s.columns / 3;
    for (std::int64_t r = 0; r < s.rows; ++r) x.put({9.0f}, r * s.columns + where);
    const auto pipeline = [&](float *to) {
      return op::load(static_cast<const float *>(x.at())) |
             op::reduce_rows(op::several(op::sum, op::argmax, op::mean_variance), to, most.at(), place.at(), mean.at(),
                             variance.at());
    };
    const auto extent = op::extent(s.rows, s.columns);
    const shared_rows shared(pipeline(sums.at()), extent);
    if (2 * s.rows <= stream_slots()) CHECK(shared.row_blocks() > 1);
    OP_CHECK(stream(pipeline(other.at()), extent));
    const auto alone_mean = mean.get(s.rows), alone_variance = variance.get(s.rows);
    for (const int blocks : {0, 9}) {
      OP_CHECK(stream(pipeline(sums.at()), extent, shared.exec(nullptr, blocks)));
      const auto got = sums.get(s.rows), top = most.get(s.rows), m = mean.get(s.rows), v = variance.get(s.rows);
      const auto at = place.get(s.rows);
      CHECK(bool(got == other.get(s.rows)));
      CHECK(bool(m == alone_mean));
      CHECK(bool(v == alone_variance));
      const auto t = truths(x.at(), s.rows, s.columns);
      for (std::int64_t r = 0; r < s.rows; ++r) {
        const auto i = static_cast<std::size_t>(r);
        CHECK((top[i] == 9.0f && at[i] == r * s.columns + where));
        CHECK(near(static_cast<double>(got[i]), t[i].mean * static_cast<double>(s.columns),
                   2.3 * static_cast<double>(s.columns)));
        CHECK(near(static_cast<double>(m[i]), t[i].mean, 2.3));
        CHECK(near(static_cast<double>(v[i]), t[i].variance, 0));
      }
      CHECK(touched(sums, 0, s.rows) == 0);
      CHECK(shared.is_left_as_it_was());
    }
  }
}

TEST_CASE("cross-entropy of few rows of a large vocabulary") {
  for (const shape s : {shape{8, 262144}, shape{3, (1 << 20) + 3}, shape{1, 131073}}) {
    if (reduced() && s.rows != 1) continue;
    CAPTURE(s.rows, s.columns);
    const device_array<bf16> x(s.rows * s.columns);
    const device_array<float> loss(s.rows), lse(s.rows), other(s.rows);
    std::vector<std::int64_t> label;
    for (std::int64_t r = 0; r < s.rows; ++r) label.push_back((r * 77777 + s.columns - 1) % s.columns);
    if (s.rows == 8) label[3] = -100;
    const device_array<std::int64_t> labels(label);
    fill(x);
    const auto pipeline = [&](float *to) {
      return op::load(static_cast<const bf16 *>(x.at())) | op::cross_entropy(labels.at(), to, lse.at());
    };
    const auto extent = op::extent(s.rows, s.columns);
    const shared_rows shared(pipeline(loss.at()), extent);
    CHECK(shared.row_blocks() > 1);
    OP_CHECK(stream(pipeline(other.at()), extent));
    OP_CHECK(stream(pipeline(loss.at()), extent, shared.exec()));
    const auto t = truths(x.at(), s.rows, s.columns);
    const auto got = loss.get(s.rows), got_lse = lse.get(s.rows);
    CHECK(bool(got == other.get(s.rows)));
    for (std::size_t r = 0; r < label.size(); ++r) {
      const double want = t[r].most + std::log(t[r].powers);
      CHECK(near(static_cast<double>(got_lse[r]), want, 0));
      const std::int64_t at = static_cast<std::int64_t>(r) * s.columns + (label[r] < 0 ? 0 : label[r]);
      const double logit = static_cast<double>(op::detail::widen(x.one(at)));
      CHECK(near(static_cast<double>(got[r]), label[r] < 0 ? 0 : want - logit, 8));
    }
    CHECK(shared.is_left_as_it_was());
  }
}

TEST_CASE("two row stages and a reduction behind them: three meetings of the blocks") {
  const std::int64_t rows = 3, n = rows * wide_row;
  const device_array<float> x(n), y(n), z(n), mean(rows), variance(rows), norm(rows), other(rows);
  fill(x);
  const auto pipeline = [&](float *to, float *of) {
    return op::load(static_cast<const float *>(x.at())) | op::layer_norm(1e-5) | op::multiply(0.5f) |
           op::softmax(op::keep(norm.at())) | op::tee(op::reduce_rows(op::mean_variance, of, variance.at())) |
           op::store(to);
  };
  const auto extent = op::extent(rows, wide_row);
  const shared_rows shared(pipeline(y.at(), mean.at()), extent);
  CHECK(shared.row_blocks() > 1);
  OP_CHECK(stream(pipeline(z.at(), other.at()), extent));
  const auto alone = norm.get(rows), alone_variance = variance.get(rows);
  for (const int blocks : {0, 7, 64}) {
    y.fill(0xA5);
    mean.fill(0xA5);
    norm.fill(0xA5);
    OP_CHECK(stream(pipeline(y.at(), mean.at()), extent, shared.exec(nullptr, blocks)));
    CHECK(same_bits(y, 0, z, n));
    CHECK(bool(mean.get(rows) == other.get(rows)));
    CHECK(bool(variance.get(rows) == alone_variance));
    CHECK(bool(norm.get(rows) == alone));
    for (const float m : mean.get(rows))
      CHECK(near(static_cast<double>(m) * static_cast<double>(wide_row), 1, 0, 1e-5));
    CHECK(touched(norm, 0, rows) == 0);
    CHECK(shared.is_left_as_it_was());
  }
}

TEST_CASE("a workspace serves launch after launch, a graph and its replays, and each stream its own") {
  const std::int64_t n = wide_row;
  const device_array<float> x(n), y(n), z(n), right(n);
  const auto pipeline = [&](const device_array<float> &to) {
    return op::load(static_cast<const float *>(x.at())) | op::softmax | op::store(to.at());
  };
  const auto extent = op::extent(1, n);
  const shared_rows w0(pipeline(y), extent), w1(pipeline(y), extent);
  cudaStream_t streams[2];
  for (auto &s : streams) CUDA_CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  fill(x);
  OP_CHECK(stream(pipeline(right), extent));
  CUDA_CHECK(cudaStreamSynchronize(nullptr));
  for (int i = 0; i < (reduced() ? 5 : 300); ++i) {
    OP_CHECK(stream(pipeline(y), extent, w0.exec(streams[0])));
    OP_CHECK(stream(pipeline(z), extent, w1.exec(streams[1], i % 3 == 0 ? 61 : 0)));
  }
  CUDA_CHECK(cudaDeviceSynchronize());
  CHECK(same_bits(y, 0, right, n));
  CHECK(same_bits(z, 0, right, n));

  cudaGraph_t graph;
  cudaGraphExec_t instance;
  CUDA_CHECK(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeGlobal));
  OP_CHECK(stream(pipeline(y), extent, w0.exec(streams[0])));
  CUDA_CHECK(cudaStreamEndCapture(streams[0], &graph));
  std::size_t nodes = 0;
  CUDA_CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
  CHECK(nodes == 1);
  CUDA_CHECK(cudaGraphInstantiate(&instance, graph, 0));
  for (int i = 0; i < (reduced() ? 2 : 20); ++i) {
    fill(x);
    OP_CHECK(stream(pipeline(right), extent));
    CUDA_CHECK(cudaStreamSynchronize(nullptr));
    for (int k = 0; k < 5; ++k) CUDA_CHECK(cudaGraphLaunch(instance, streams[0]));
    CUDA_CHECK(cudaStreamSynchronize(streams[0]));
    CHECK(same_bits(y, 0, right, n));
  }
  CUDA_CHECK(cudaGraphExecDestroy(instance));
  CUDA_CHECK(cudaGraphDestroy(graph));
  CHECK(w0.is_left_as_it_was());
  CHECK(w1.is_left_as_it_was());
  for (auto &s : streams) CUDA_CHECK(cudaStreamDestroy(s));
}

TEST_CASE("dependent launches, of rows whose blocks wait and of rows whose blocks do not") {
  const std::int64_t n = wide_row;
  const device_array<float> x(n), y(n), z(n), sum(1), other(1);
  const auto soft = [&](const device_array<float> &from, const device_array<float> &to) {
    return op::load(static_cast<const float *>(from.at())) | op::softmax | op::store(to.at());
  };
  const auto total = [&](const device_array<float> &to) {
    return op::load(static_cast<const float *>(z.at())) | op::reduce_rows(op::sum_of_squares, to.at());
  };
  const auto extent = op::extent(1, n);
  const shared_rows w(soft(x, y), extent);
  auto exec = w.exec();
  exec.dependent_launch = 1;
  fill(x);
  OP_CHECK(stream(soft(x, y), extent));
  OP_CHECK(stream(soft(y, z), extent));
  OP_CHECK(stream(total(other), extent));
  const float right = other.one();
  for (int i = 0; i < (reduced() ? 2 : 50); ++i) {
    OP_CHECK(stream(soft(x, y), extent, exec));
    OP_CHECK(stream(soft(y, z), extent, exec));
    OP_CHECK(stream(total(sum), extent, exec));
    OP_CHECK(stream(total(other), extent, exec));
  }
  CHECK(sum.one() == right);
  CHECK(other.one() == right);
  CHECK(w.is_left_as_it_was());
}

TEST_CASE("rows whose width the device knows have the bits of others, a block each") {
  const std::int64_t n = wide_row, rows = 2;
  const device_array<float> x(rows * n), y(rows * n), z(rows * n);
  const device_array<std::int64_t> count(std::vector<std::int64_t>{n}), offsets(std::vector<std::int64_t>{0, n, 2 * n});
  const auto pipeline = [&](const device_array<float> &to) {
    return op::load(static_cast<const float *>(x.at())) | op::softmax | op::store(to.at());
  };
  fill(x);
  const shared_rows w(pipeline(y), op::extent(rows, n));
  OP_CHECK(stream(pipeline(z), op::extent(rows, n), w.exec()));
  OP_CHECK(stream(pipeline(y), op::segments(offsets.at(), rows, n), w.exec()));
  CHECK(same_bits(y, 0, z, rows * n));
  y.fill(0xA5);
  OP_CHECK(stream(pipeline(y), op::extent_at(count.at(), n), w.exec()));
  CHECK(same_bits(y, 0, z, n));
  CHECK(w.is_left_as_it_was());
}

TEST_CASE("through the door, a row that no strategy holds") {
  constexpr std::int64_t n = 1 << 22;
  const device_array<float> x(n), y(n), z(n);
  const auto pipeline = op::load(static_cast<const float *>(x.at())) | op::rms_norm(1e-6) | op::store(y.at());
  const auto other = op::load(static_cast<const float *>(x.at())) | op::rms_norm(1e-6) | op::store(z.at());
  fill(x);
  const shared_rows w(pipeline, op::extent(1, n));
  CHECK(op::workspace_bytes(pipeline, op::extent(1, op::constant<n>)) == w.exec().workspace_bytes);
  OP_CHECK(op::launch(pipeline, op::extent(1, op::constant<n>), w.exec()));
  OP_CHECK(op::launch(other, op::extent(1, op::constant<n>)));
  CHECK(same_bits(y, 0, z, n));
  CHECK(wrong_in_rows(x.at(), n, y.at(), n, 1, n, rms_norm_truth<float>{nullptr, 1e-6}) == 0);
  CHECK(w.is_left_as_it_was());
}
