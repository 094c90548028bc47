// SPDX-License-Identifier: Apache-2.0
// softmax and log_softmax on a device against float64: every width from 1 to 1100 and odd ones up to 1000003, aligned and
// not.
#include "row.hpp"

TEST_CASE("softmax of every width: bf16 and f32") {
  const auto stage = [](std::int64_t) { return op::softmax; };
  const auto want = [](std::int64_t) { return softmax_truth{}; };
  check_widths<bf16, bf16>(3, stage, want);
  check_widths<float, float>(2, stage, want);
}

TEST_CASE("log_softmax of f16 into f32") {
  check_widths<f16, float>(2, [](std::int64_t) { return op::log_softmax; }, [](std::int64_t) { return log_softmax_truth{}; });
}

