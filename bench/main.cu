// SPDX-License-Identifier: Apache-2.0
// The measured claims of onepass: each workload against the roof of its bytes, and against what a user would take
// instead.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "harness.cuh"
#include "suites.cuh"

namespace {

constexpr const char *usage =
    "onepass_bench [--list] [--filter text] [--rounds n] [--seconds s] [--json file]\n"
    "  --list      name the workloads and stop\n"
    "  --filter    only workloads whose name contains the text\n"
    "  --rounds    samples of each implementation (41)\n"
    "  --seconds   of rounds per workload at most (10)\n"
    "  --json      append one object per result\n"
    "Exit status: 0, 1 if a result was wrong or a call failed, 2 if the arguments were.\n";

struct arguments {
  bench::options options;
  const char *json = nullptr;
  bool list = false;
};

// False for arguments that make no sense.
bool parse(int count, char **words, arguments &parsed) {
  for (int k = 1; k < count; ++k) {
    const char *word = words[k], *value = k + 1 < count ? words[k + 1] : nullptr;
    if (std::strcmp(word, "--list") == 0) {
      parsed.list = true;
      continue;
    }
    if (value == nullptr) return false;
    ++k;
    if (std::strcmp(word, "--filter") == 0) {
      parsed.options.filter = value;
    } else if (std::strcmp(word, "--rounds") == 0) {
      parsed.options.rounds = std::atoi(value);
    } else if (std::strcmp(word, "--seconds") == 0) {
      parsed.options.most_seconds = std::atof(value);
    } else if (std::strcmp(word, "--json") == 0) {
      parsed.json = value;
    } else {
      return false;
    }
  }
  return parsed.options.rounds > 0;
}

}  // namespace

int main(int count, char **words) try {
  arguments parsed;
  if (!parse(count, words, parsed)) {
    std::fputs(usage, stderr);
    return 2;
  }
  bench::suite all;
  bench::add_reductions(all);
  bench::add_maps(all);
  bench::add_launches(all);
  bench::add_words(all);
  bench::add_softmax(all);
  bench::add_norms(all);
  bench::add_rows(all);
  bench::add_losses(all);
  if (parsed.list) {
    for (const bench::entry &each : all) std::puts(each.name.c_str());
    return 0;
  }
  if (parsed.json != nullptr && (parsed.options.json = std::fopen(parsed.json, "a")) == nullptr) {
    std::perror(parsed.json);
    return 2;
  }
  bench::harness harness(parsed.options);
  bool right = true;
  for (const bench::entry &each : all)
    if (each.name.find(parsed.options.filter) != std::string::npos) right = harness.run(each) && right;
  if (parsed.options.json != nullptr) std::fclose(parsed.options.json);
  return right ? 0 : 1;
} catch (const std::exception &error) {
  std::fprintf(stderr, "onepass_bench: %s\n", error.what());
  return 1;
}
