// SPDX-License-Identifier: Apache-2.0
// Norms on a device against float64, likewise; vectors of types and alignments of their own.
#include "row.hpp"

TEST_CASE("layer_norm of bf16 with gamma of f32 and beta of bf16, each on its own alignment") {
  const device_array<float> gamma(random_values<float>(vector_length));
  const device_array<bf16> beta(random_values<bf16>(vector_length));
  check_widths<bf16, bf16>(
      3, [&](std::int64_t skip) { return op::layer_norm(gamma.at(3 * skip), beta.at(skip), 1e-5); },
      [&](std::int64_t skip) { return layer_norm_truth<float, bf16>{gamma.at(3 * skip), beta.at(skip), 1e-5}; });
}

TEST_CASE("layer_norm of f32, and rms_norm of f16") {
  const device_array<float> gamma(random_values<float>(vector_length)), beta(random_values<float>(vector_length));
  const device_array<f16> scale(random_values<f16>(vector_length));
  check_widths<float, float>(
      2, [&](std::int64_t skip) { return op::layer_norm(gamma.at(skip), beta.at(), 1e-5); },
      [&](std::int64_t skip) { return layer_norm_truth<float, float>{gamma.at(skip), beta.at(), 1e-5}; });
  check_widths<f16, f16>(
      2, [&](std::int64_t skip) { return op::rms_norm(scale.at(skip), 1e-6); },
      [&](std::int64_t skip) { return rms_norm_truth<f16>{scale.at(skip), 1e-6}; });
}

