/* SPDX-License-Identifier: Apache-2.0
   main <library> <function> <library> <function>: opens both for all to see, in this order, and runs both. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

enum { n = 1000 };

typedef int run_t(const float *x, float *y, float *results, int64_t n);

static int is_right(const char *name, run_t *run) {
  static float x[n], y[n];
  float results[4] = {-1, -1, -1, -1};
  int i, right;
  for (i = 0; i < n; ++i) {
    x[i] = i % 2 == 0 ? (float)i : -(float)i;
    y[i] = -1;
  }
  right = run(x, y, results, n) == 0;
  for (i = 0; i < n; ++i) right = right && y[i] == 2 * (float)i;
  right = right && results[0] == (float)n * (n - 1) && results[1] == 2 * (n - 1) && results[2] == n - 1 &&
          results[3] == n - 1;
  if (!right) printf("%s: wrong\n", name);
  return right;
}

int main(int count, char **arguments) {
  run_t *run[2];
  int i, right = 1;
  if (count != 5) return 2;
  for (i = 0; i < 2; ++i) {
    void *library = dlopen(arguments[1 + 2 * i], RTLD_NOW | RTLD_GLOBAL);
    void *symbol = library != NULL ? dlsym(library, arguments[2 + 2 * i]) : NULL;
    if (symbol == NULL) {
      printf("%s\n", dlerror());
      return 1;
    }
    *(void **)&run[i] = symbol;
  }
  for (i = 0; i < 4; ++i) right = is_right(arguments[2 + 2 * (i % 2)], run[i % 2]) && right;
  return right ? 0 : 1;
}
