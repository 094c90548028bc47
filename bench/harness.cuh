// SPDX-License-Identifier: Apache-2.0
// Part of the benchmarks: what a workload is, and how its implementations are checked, timed and reported.
//
// Checked first: every implementation runs on poisoned outputs and is compared with float64; a wrong one is reported,
// not timed, and makes the exit status nonzero. Then timed in rounds: a round takes one sample of each implementation
// of a workload, so that a drift of clocks or temperature hits all alike; medians are compared within a run only.
#ifndef ONEPASS_BENCH_HARNESS_CUH
#define ONEPASS_BENCH_HARNESS_CUH

#include <algorithm>   // sort
#include <chrono>      // steady_clock
#include <cstdint>     // int64_t
#include <cstdio>      // printf
#include <ctime>       // strftime
#include <exception>   // exception
#include <functional>  // function
#include <memory>      // shared_ptr
#include <string>
#include <utility>  // exchange, move
#include <vector>

#include "check.cuh"
#include "roof.cuh"

namespace bench {

using call = std::function<void(cudaStream_t)>;  // enqueues the work once; allocates nothing

// One of one kernel, and what that costs a multiprocessor: members of a JSON object, with a comma in front, or none.
struct kernel_call {
  call run;
  std::string cost;
  operator call() const { return run; }
};

enum class timing {
  cold,   // device time of one call behind a cleared L2 cache
  graph,  // device time of one call among many in a CUDA graph, with a warm L2 cache
  host    // time that the calling thread spends on one call
};

struct implementation {
  std::string name;  // "roof" is the yardstick; of several roofs the fastest counts
  double slack;      // what the check allows beyond the rounding of the result; see data.cuh
  call run;
  std::string cost;  // of its kernel, where it is known
};

// One piece of work on one set of arrays, which it owns.
class workload {
 public:
  double bytes = 0;  // the fewest that the work must move, in DRAM; 0 if it is not about bytes
  std::function<std::string(double slack)> check = [](double) { return std::string(); };  // empty, or what is wrong
  std::vector<implementation> implementations;

  void add(std::string name, double slack, call run) {
    implementations.push_back({std::move(name), slack, std::move(run), {}});
  }
  void add(std::string name, call run) { add(std::move(name), 0, std::move(run)); }
  void add(std::string name, double slack, kernel_call one) {
    implementations.push_back({std::move(name), slack, std::move(one.run), std::move(one.cost)});
  }
  void add(std::string name, kernel_call one) { add(std::move(name), 0, std::move(one)); }

  // Device memory for `count` elements, zeroed, the first of them `skip` elements behind an aligned address.
  template <class T>
  T *array(int64_t count, int64_t skip = 0) {
    void *memory = nullptr;
    const size_t size = size_t(count + skip) * sizeof(T);
    BENCH_CHECK(cudaMalloc(&memory, size));
    arrays_.emplace_back(memory, cudaFree);
    BENCH_CHECK(cudaMemset(memory, 0, size));
    return static_cast<T *>(memory) + skip;
  }

  // The same, poisoned before every checked run.
  template <class T>
  T *output(int64_t count, int64_t skip = 0) {
    T *memory = array<T>(count, skip);
    outputs_.push_back({memory, size_t(count) * sizeof(T)});
    return memory;
  }

  // All bits set: NaN in every floating-point type, -1 in every integer.
  void poison(cudaStream_t stream) const {
    for (const span &output : outputs_) BENCH_CHECK(cudaMemsetAsync(output.memory, 0xff, output.size, stream));
  }

 private:
  struct span {
    void *memory;
    size_t size;
  };
  std::vector<std::shared_ptr<void>> arrays_;
  std::vector<span> outputs_;
};

struct entry {
  std::string name;
  timing how;
  std::function<void(workload &)> build;  // called when its turn comes: arrays of 1 GiB live one workload at a time
};
using suite = std::vector<entry>;

struct options {
  std::string filter;    // a part of the workload's name
  FILE *json = nullptr;  // results, one object a line
  int rounds = 41;
  double most_seconds = 10;  // of rounds, per workload; at least 5 rounds are taken
};

class harness {
 public:
  explicit harness(options wanted) : options_(std::move(wanted)) {
    cudaDeviceProp properties;
    int device = 0, version = 0;
    BENCH_CHECK(cudaGetDevice(&device));
    BENCH_CHECK(cudaGetDeviceProperties(&properties, device));
    BENCH_CHECK(cudaRuntimeGetVersion(&version));
    device_ = properties.name;
    cuda_ = std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
    const std::time_t now = std::time(nullptr);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
    date_ = text;
    // Four times the L2: its replacement is not strictly least-recently-used. Whole tiles of the read kernel.
    constexpr int64_t tile = roof::tile_bytes<1024, 4>;
    clearing_bytes_ = (int64_t{4} * properties.l2CacheSize / tile + 1) * tile;
    clearing_ = scratch_.array<char>(clearing_bytes_);
    sink_ = scratch_.array<unsigned>(1);
    BENCH_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    std::printf("%s, CUDA %s, %s\n", device_.c_str(), cuda_.c_str(), date_.c_str());
  }
  harness(const harness &) = delete;
  harness &operator=(const harness &) = delete;
  ~harness() { cudaStreamDestroy(stream_); }

  // Builds, checks, times and reports one workload; false if an implementation was wrong.
  bool run(const entry &what) {
    workload work;
    what.build(work);
    BENCH_CHECK(cudaDeviceSynchronize());  // the inputs are filled on the default stream
    bool right = true;
    std::vector<lane> lanes;
    for (const implementation &tried : work.implementations) {
      lanes.emplace_back(tried);
      const std::string fault = prepare(lanes.back(), work, what.how);
      if (fault.empty()) continue;
      std::printf("\n%s, %s: WRONG, not timed: %s\n", what.name.c_str(), tried.name.c_str(), fault.c_str());
      lanes.pop_back();
      right = false;
    }
    take_rounds(lanes, what.how);
    report(what.name, work.bytes, lanes);
    return right;
  }

 private:
  static constexpr int calls_per_graph = 50;   // the launch of the graph vanishes in them
  static constexpr int calls_per_batch = 500;  // fewer than the launch queue holds, or the host would wait in a launch
  static constexpr int warmups = 2;

  // An implementation on its way through the rounds.
  struct lane {
    explicit lane(const implementation &it) : work(it) {
      BENCH_CHECK(cudaEventCreate(&start));
      BENCH_CHECK(cudaEventCreate(&stop));
    }
    lane(lane &&other) noexcept
        : work(other.work),
          us(std::move(other.us)),
          start(std::exchange(other.start, nullptr)),
          stop(std::exchange(other.stop, nullptr)),
          graph(std::exchange(other.graph, nullptr)) {}
    lane &operator=(lane &&) = delete;
    ~lane() {
      if (start != nullptr) cudaEventDestroy(start);
      if (stop != nullptr) cudaEventDestroy(stop);
      if (graph != nullptr) cudaGraphExecDestroy(graph);
    }

    // The q-th quantile, q in [0, 1]; of sorted samples.
    double quantile(double q) const { return us[size_t(q * double(us.size() - 1) + 0.5)]; }
    double median() const { return quantile(0.5); }

    const implementation &work;
    std::vector<double> us;  // samples, microseconds per call
    cudaEvent_t start = nullptr, stop = nullptr;
    cudaGraphExec_t graph = nullptr;
  };

  // Checks the implementation, in the very form in which it is timed, and says what is wrong with it.
  std::string prepare(lane &checked, const workload &work, timing how) {
    try {
      checked.work.run(stream_);  // loads the kernels, which a capture must not
      BENCH_CHECK(cudaStreamSynchronize(stream_));
      if (how == timing::graph) capture(checked);
      if (checked.work.name == "roof") return {};  // computes nothing that could be wrong
      work.poison(stream_);
      if (how == timing::graph)
        BENCH_CHECK(cudaGraphLaunch(checked.graph, stream_));
      else
        checked.work.run(stream_);
      BENCH_CHECK(cudaStreamSynchronize(stream_));
      return work.check(checked.work.slack);
    } catch (const std::exception &error) {
      return error.what();
    }
  }

  void capture(lane &captured) {
    cudaGraph_t graph;
    BENCH_CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    for (int k = 0; k < calls_per_graph; ++k) captured.work.run(stream_);
    BENCH_CHECK(cudaStreamEndCapture(stream_, &graph));
    const cudaError_t error = cudaGraphInstantiate(&captured.graph, graph, 0);
    BENCH_CHECK(cudaGraphDestroy(graph));
    BENCH_CHECK(error);
    BENCH_CHECK(cudaGraphUpload(captured.graph, stream_));
  }

  void take_rounds(std::vector<lane> &lanes, timing how) {
    const auto begin = std::chrono::steady_clock::now();
    const auto late = [&] {
      const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
      return spent.count() > options_.most_seconds;
    };
    for (int round = -warmups; round < options_.rounds && (round < 5 || !late()); ++round) {
      // Each round begins with another lane, so that nobody always runs behind the same neighbour.
      for (size_t k = 0; k < lanes.size(); ++k) enqueue(lanes[(size_t(round + warmups) + k) % lanes.size()], how);
      BENCH_CHECK(cudaStreamSynchronize(stream_));
      for (lane &read : lanes) {
        if (how != timing::host) {
          float ms = 0;
          BENCH_CHECK(cudaEventElapsedTime(&ms, read.start, read.stop));
          read.us.push_back(1e3 * double(ms) / (how == timing::graph ? calls_per_graph : 1));
        }
        if (round < 0) read.us.clear();
      }
    }
    for (lane &timed : lanes) std::sort(timed.us.begin(), timed.us.end());
  }

  // One sample. What stands before the first event also keeps the device busy until the host has enqueued the rest, so
  // no launch latency is measured.
  void enqueue(lane &timed, timing how) {
    switch (how) {
      case timing::cold:
        // By reading, not by writing: the lines left behind are clean, and nobody pays for writing them back.
        roof::read<1024, 4, 2>(clearing_, clearing_bytes_, sink_, stream_);
        BENCH_CHECK(cudaEventRecord(timed.start, stream_));
        timed.work.run(stream_);
        BENCH_CHECK(cudaEventRecord(timed.stop, stream_));
        break;
      case timing::graph:
        BENCH_CHECK(cudaGraphLaunch(timed.graph, stream_));
        BENCH_CHECK(cudaEventRecord(timed.start, stream_));
        BENCH_CHECK(cudaGraphLaunch(timed.graph, stream_));
        BENCH_CHECK(cudaEventRecord(timed.stop, stream_));
        break;
      case timing::host: {
        BENCH_CHECK(cudaStreamSynchronize(stream_));
        const auto begin = std::chrono::steady_clock::now();
        for (int k = 0; k < calls_per_batch; ++k) timed.work.run(stream_);
        const std::chrono::duration<double, std::micro> spent = std::chrono::steady_clock::now() - begin;
        timed.us.push_back(spent.count() / calls_per_batch);
        break;
      }
    }
  }

  void report(const std::string &name, double bytes, const std::vector<lane> &lanes) {
    const lane *roof = nullptr;
    for (const lane &timed : lanes)
      if (timed.work.name == "roof" && (roof == nullptr || timed.median() < roof->median())) roof = &timed;
    std::printf("\n%-46s median us       min       max  spread    TB/s  of roof\n", name.c_str());
    for (const lane &timed : lanes) {
      if (timed.work.name == "roof" && &timed != roof) continue;
      print(timed, bytes, roof);
      if (options_.json != nullptr) write(name, timed, bytes, roof);
    }
    std::fflush(stdout);
  }

  static void print(const lane &timed, double bytes, const lane *roof) {
    std::printf("  %-44s %9.3f %9.3f %9.3f %6.1f%%", timed.work.name.c_str(), timed.median(), timed.us.front(),
                timed.us.back(), 100 * spread(timed) / timed.median());
    bytes > 0 ? std::printf(" %7.3f", bytes / timed.median() * 1e-6) : std::printf("       -");
    roof != nullptr ? std::printf(" %8.3f\n", roof->median() / timed.median()) : std::printf("        -\n");
  }

  void write(const std::string &name, const lane &timed, double bytes, const lane *roof) const {
    std::fprintf(options_.json,
                 "{\"workload\": \"%s\", \"impl\": \"%s\", \"median_us\": %.4f, \"min_us\": %.4f, \"max_us\": %.4f, "
                 "\"spread_us\": %.4f, \"bytes\": %.0f, \"roof_us\": %s, \"device\": \"%s\", \"date\": \"%s\", "
                 "\"rounds\": %zu, \"cuda\": \"%s\"%s}\n",
                 name.c_str(), timed.work.name.c_str(), timed.median(), timed.us.front(), timed.us.back(),
                 spread(timed), bytes, roof != nullptr ? std::to_string(roof->median()).c_str() : "null",
                 device_.c_str(), date_.c_str(), timed.us.size(), cuda_.c_str(), timed.work.cost.c_str());
    std::fflush(options_.json);
  }

  // Half of all samples lie in a band this wide.
  static double spread(const lane &timed) { return timed.quantile(0.75) - timed.quantile(0.25); }

  options options_;
  std::string device_, cuda_, date_;
  workload scratch_;  // owns the two arrays below
  void *clearing_ = nullptr;
  int64_t clearing_bytes_ = 0;
  unsigned *sink_ = nullptr;
  cudaStream_t stream_ = nullptr;
};

}  // namespace bench

#endif
