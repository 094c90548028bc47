// SPDX-License-Identifier: Apache-2.0
// NVRTC compiles everything below the doors and the host executor: the grammar in a kernel of one's own, and the
// library's kernels. Needs libnvrtc and no device.
//   compile <include directory of onepass> <include directories of CUDA>...
#include <nvrtc.h>

#include <cstdio>
#include <string>
#include <vector>

namespace {

// Every family of the grammar, by each function that a kernel author calls.
const char *const own_kernel = R"(
#include <onepass/pipeline.cuh>
#include <onepass/collective/block.cuh>
#include <onepass/collective/warp.cuh>

namespace op = onepass;

struct softsign {
  __host__ __device__ float operator()(float x) const { return x / (1.0f + (x < 0.0f ? -x : x)); }
};

// y = the stages over x, and their sum of squares and greatest value over the block.
template <class T>
__device__ void run(const T *x, const float *bias, const op::int32_t *places, T *y, float *results, op::int64_t n) {
  constexpr int lanes = 16 / sizeof(T);
  const auto source = op::load(x) | op::cast<float>();
  const auto stages = op::add(op::per_column(bias)) | op::multiply(op::gather(bias, op::load(places), n)) | op::gelu |
                      op::add(op::random(7)) | op::where(op::index() | op::greater(3), 0.5) | op::fn(softsign{}) |
                      op::clamp(-1, 6);
  const auto statistic = op::several(op::sum_of_squares, op::maximum, op::mean_variance, op::log_sum_exp);
  auto own = statistic.template identity<float>();
  for (op::int64_t i = static_cast<op::int64_t>(threadIdx.x) * lanes; i < n; i += blockDim.x * lanes) {
    const auto at = op::place<lanes>(0, i, 1, n);
    const auto v = stages.template apply<lanes>(source.template get<lanes>(at), at);
    own = statistic.fold(own, v, at);
    op::store(y).put(v, at);
  }
  __shared__ op::block_storage<decltype(own)> storage;
  const auto result = statistic.finish(op::block_reduce(statistic, own, storage), n);
  if (threadIdx.x == 0) results[0] = cuda::std::get<0>(result);
  const float warp = op::warp_reduce(op::sum, static_cast<float>(threadIdx.x));
  if (threadIdx.x == 1) results[1] = warp + static_cast<float>(cuda::std::get<4>(result));
}

extern "C" __global__ void own_f32(const float *x, const float *bias, const op::int32_t *places, float *y,
                                   float *results, op::int64_t n) {
  run(x, bias, places, y, results, n);
}
extern "C" __global__ void own_bf16(const __nv_bfloat16 *x, const float *bias, const op::int32_t *places,
                                    __nv_bfloat16 *y, float *results, op::int64_t n) {
  run(x, bias, places, y, results, n);
}
)";

// The kernels that a launch starts, of a map, of a reduction and of rows.
const char *const library_kernels = R"(
#include <onepass/kernel/map.cuh>
#include <onepass/kernel/reduce.cuh>
#include <onepass/kernel/row_cluster.cuh>
#include <onepass/kernel/row_pass.cuh>

namespace op = onepass;

struct center {
  __host__ __device__ float operator()(float x, float mean, float) const { return x - mean; }
};

using map = decltype(op::load((const __half *)nullptr, 0) | op::multiply(2) | op::silu | op::tee(op::store((float *)nullptr)) |
                     op::store((__half *)nullptr));
using reduction = decltype(op::load((const float *)nullptr) | op::abs |
                           op::reduce(op::several(op::sum, op::argmax), (double *)nullptr, (float *)nullptr,
                                      (op::int64_t *)nullptr));
using layer = decltype(op::load((const __nv_bfloat16 *)nullptr) | op::add(op::load((const __nv_bfloat16 *)nullptr)) |
                      op::layer_norm((const float *)nullptr, (const float *)nullptr, 1e-5f) | op::gelu_tanh |
                      op::store((__nv_bfloat16 *)nullptr));
using rows = decltype(op::load((const float *)nullptr) | op::tee(op::reduce_rows(op::argmax, (float *)nullptr, (int *)nullptr)) |
                      op::by_row(op::mean_variance, center{}, op::keep((float *)nullptr, (float *)nullptr)) |
                      op::rms_norm(1e-5) | op::l2_normalize | op::softmax | op::log_softmax |
                      op::reduce_rows(op::sum, (float *)nullptr));
)";

// All headers that NVRTC sees, in another dialect.
const char *const headers = R"(
#include <onepass/kernel/map.cuh>
#include <onepass/kernel/reduce.cuh>
#include <onepass/kernel/row_pass.cuh>

extern "C" __global__ void copy(const double *x, double *y, onepass::int64_t n) {
  const auto at = onepass::place_whole<2>(0, 2 * threadIdx.x, n);
  onepass::store(y).put((onepass::load(x) | onepass::sqrt).get<2>(at), at);
}
)";

struct unit {
  const char *name, *source, *dialect;
  std::vector<std::string> expressions, entries;  // kernels to instantiate, and what the PTX must hold
};

bool compile(const unit &u, std::vector<std::string> options) {
  options.push_back(u.dialect);
  nvrtcProgram program = nullptr;
  if (nvrtcCreateProgram(&program, u.source, u.name, 0, nullptr, nullptr) != NVRTC_SUCCESS) return false;
  for (const std::string &expression : u.expressions) nvrtcAddNameExpression(program, expression.c_str());
  std::vector<const char *> pointers;
  for (const std::string &option : options) pointers.push_back(option.c_str());
  const nvrtcResult result = nvrtcCompileProgram(program, static_cast<int>(pointers.size()), pointers.data());

  std::size_t bytes = 0;
  nvrtcGetProgramLogSize(program, &bytes);
  std::string log(bytes, '\0'), ptx;
  nvrtcGetProgramLog(program, &log[0]);
  bool right = result == NVRTC_SUCCESS;
  if (log.size() > 1) right = false;  // a warning is an error
  if (right) {
    nvrtcGetPTXSize(program, &bytes);
    ptx.resize(bytes);
    nvrtcGetPTX(program, &ptx[0]);
    std::vector<std::string> entries = u.entries;
    for (const std::string &expression : u.expressions) {
      const char *lowered = nullptr;
      if (nvrtcGetLoweredName(program, expression.c_str(), &lowered) == NVRTC_SUCCESS) entries.push_back(lowered);
      else right = false;
    }
    for (const std::string &entry : entries) {
      if (ptx.find(".entry " + entry + "(") != std::string::npos) continue;
      std::printf("%s: no kernel %s\n", u.name, entry.c_str());
      right = false;
    }
    if (ptx.find("ld.global.v") == std::string::npos) {
      std::printf("%s: no load of 16 bytes\n", u.name);
      right = false;
    }
  }
  std::printf("%s: %s, %zu bytes of PTX\n%s", u.name, right ? "compiled" : nvrtcGetErrorString(result), ptx.size(),
              log.c_str());
  nvrtcDestroyProgram(&program);
  return right;
}

}  // namespace

int main(int count, char **arguments) {
  std::vector<std::string> options{"--gpu-architecture=compute_90"};
  for (int i = 1; i < count; ++i) options.push_back(std::string("--include-path=") + arguments[i]);
  const std::string d = "onepass::detail::";
  const unit units[] = {
      {"own_kernel.cu", own_kernel, "--std=c++17", {}, {"own_f32", "own_bf16"}},
      {"library_kernels.cu",
       library_kernels,
       "--std=c++17",
       {d + "map_kernel<map, true, false>", d + "map_kernel<map, false, false>",
        d + "reduce_kernel<reduction, true, true>", d + "reduce_kernel<reduction, false, false>",
        d + "row_kernel<layer, 8, 2, onepass::access::entire>", d + "row_kernel<layer, 128, 4, onepass::access::image>", d + "row_kernel<layer, 96, 6, onepass::access::single>",
        d + "row_stream_kernel<layer, true>", d + "row_shared_kernel<layer, 256, true>",
        d + "row_cluster_kernel<layer, 512, 8, onepass::access::entire>", d + "row_cluster_kernel<layer, 512, 8, onepass::access::image>",
        d + "row_cluster_kernel<layer, 128, 8, onepass::access::landed>", d + "row_kernel<rows, 32, 2, onepass::access::image>",
        d + "row_stream_kernel<rows, false>"},
       {}},
      {"headers.cu", headers, "--std=c++20", {}, {"copy"}},
  };
  bool right = true;
  for (const unit &u : units) right = compile(u, options) && right;
  return right ? 0 : 1;
}
