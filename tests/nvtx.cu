// SPDX-License-Identifier: Apache-2.0
// The range around a launch, as a profiler sees it: this program is its own profiler, which notes what is pushed.
// flags: -DONEPASS_NVTX
#include <onepass/nvtx.cuh>

#include <onepass/onepass.cuh>

#include <string>
#include <vector>

#include "catch.hpp"

namespace op = onepass;

namespace {

std::vector<std::string> pushed;
int depth = 0, popped = 0;

int push(const char *name) {
  pushed.push_back(name);
  return depth++;
}
int pop() {
  ++popped;
  return --depth;
}

// What NVTX calls before its first range: puts push and pop into its table.
int attach(NvtxGetExportTableFunc_t table_of) {
  const auto *callbacks = static_cast<const NvtxExportTableCallbacks *>(table_of(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable table = nullptr;
  unsigned size = 0;
  if (callbacks == nullptr || !callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &size)) return 0;
  *table[NVTX_CBID_CORE_RangePushA] = reinterpret_cast<NvtxFunctionPointer>(&push);
  *table[NVTX_CBID_CORE_RangePop] = reinterpret_cast<NvtxFunctionPointer>(&pop);
  return 1;
}

struct arguments {
  const float *x;
  float *sum;
};

}  // namespace

ONEPASS_EXPORT(sum_abs, arguments, op::load(args.x) | op::abs | op::reduce(op::sum, args.sum));

TEST_CASE("a launch is a range named after its pipeline") {
  const float x[] = {1.0f, -2.0f, 3.0f};
  float sum = 0.0f, y[3] = {};
  onepass_exec_t exec{};
  exec.where = ONEPASS_HOST;
  const arguments args{x, &sum};
  InitializeInjectionNvtx2_fnptr = &attach;  // asked at the first range

  REQUIRE(op::launch(op::load(x) | op::abs | op::store(y), op::extent(3), exec) == ONEPASS_SUCCESS);
  REQUIRE(pushed.size() == 1);
  CHECK(pushed[0].find("onepass") == std::string::npos);  // without namespaces
  CHECK(pushed[0].find("load_dense<float>") != std::string::npos);
  CHECK(pushed[0].find("abs") < pushed[0].find("store_dense<float>"));
  CHECK(popped == 1);

  REQUIRE(onepass_launch(&sum_abs, onepass_extent_1d(3), &args, &exec) == ONEPASS_SUCCESS);
  REQUIRE(pushed.size() == 2);
  CHECK(pushed[1] == "op::load(args.x) | op::abs | op::reduce(op::sum, args.sum)");  // as written
  CHECK(popped == 2);
  CHECK(depth == 0);
  CHECK(sum == 6.0f);

  // A refused launch is none.
  CHECK(op::launch(op::load(static_cast<const float *>(nullptr)) | op::store(y), op::extent(3), exec) ==
        ONEPASS_ERROR_NULL);
  CHECK(pushed.size() == 2);
}
