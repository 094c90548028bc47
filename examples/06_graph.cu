// SPDX-License-Identifier: Apache-2.0
// A launch captured in a CUDA graph: one kernel node, replayed while the contents of the arrays change. Returns nonzero
// if a result is wrong, and 77 where there is no GPU.
#include <onepass/onepass.cuh>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

namespace op = onepass;

static void must(onepass_status_t status) {
  if (status == ONEPASS_SUCCESS) return;
  fprintf(stderr, "onepass: %s\n", onepass_status_string(status));
  exit(1);
}

static void must(cudaError_t error) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(error));
  exit(1);
}

int main() {
  enum { n = 1 << 20, replays = 5 };
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    printf("there is no GPU, and a CUDA graph runs nowhere else\n");
    return 77;
  }

  float *host = (float *)malloc(n * sizeof(float)), *x, *out;
  if (host == NULL) return 1;
  must(cudaMalloc(&x, n * sizeof(float)));
  must(cudaMalloc(&out, sizeof(float)));
  const auto sum_abs = op::load((const float *)x) | op::abs | op::reduce(op::sum, out);

  cudaStream_t stream;
  must(cudaStreamCreate(&stream));
  onepass_exec_t exec = {};
  exec.stream = stream;
  exec.workspace_bytes = op::workspace_bytes(sum_abs, op::extent(n));
  must(cudaMalloc(&exec.workspace, exec.workspace_bytes));
  must(cudaMemset(exec.workspace, 0, exec.workspace_bytes));  // once, for all replays

  cudaGraph_t graph;
  cudaGraphExec_t executable;
  must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  must(op::launch(sum_abs, op::extent(n), exec));
  must(cudaStreamEndCapture(stream, &graph));
  must(cudaGraphInstantiate(&executable, graph, 0));

  size_t nodes = 0;
  must(cudaGraphGetNodes(graph, NULL, &nodes));
  printf("the graph has %zu node\n", nodes);
  int right = nodes == 1;

  for (int replay = 0; replay < replays; ++replay) {
    double exact = 0;
    float result = 0;
    for (int i = 0; i < n; ++i) {
      host[i] = (float)(i % 1009 - 504) * (0.001f * (float)(replay + 1));
      exact += fabs((double)host[i]);
    }
    must(cudaMemcpyAsync(x, host, n * sizeof(float), cudaMemcpyHostToDevice, stream));
    must(cudaGraphLaunch(executable, stream));
    must(cudaMemcpyAsync(&result, out, sizeof result, cudaMemcpyDeviceToHost, stream));
    must(cudaStreamSynchronize(stream));

    const int same = fabs(result - exact) <= 1e-5 * exact;
    printf("replay %d: %.9g, in float64 %.12g, %s\n", replay, (double)result, exact, same ? "right" : "WRONG");
    right &= same;
  }

  must(cudaGraphExecDestroy(executable));
  must(cudaGraphDestroy(graph));
  must(cudaStreamDestroy(stream));
  must(cudaFree(exec.workspace));
  must(cudaFree(out));
  must(cudaFree(x));
  free(host);
  return right ? 0 : 1;
}
