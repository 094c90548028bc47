// SPDX-License-Identifier: Apache-2.0
// Part of onepass: a check that counts, for test programs in plain C. One program is one file with
//   int main(void) { CHECK(...); return check_result(); }
#ifndef ONEPASS_TESTS_C_CHECK_H
#define ONEPASS_TESTS_C_CHECK_H

#include <stdio.h>

static struct { long passed, failed; } check_counts;

// A failing check inside a loop may fail a million times: only the first ones are printed.
static inline void check_that(int holds, const char *text, const char *file, int line) {
  if (holds) {
    ++check_counts.passed;
  } else if (++check_counts.failed <= 20) {
    printf("%s:%d: CHECK(%s) failed\n", file, line, text);
  }
}

#define CHECK(condition) check_that((condition) ? 1 : 0, #condition, __FILE__, __LINE__)

// What main returns. A program that checked nothing has failed.
static inline int check_result(void) {
  printf("%ld checks passed, %ld failed\n", check_counts.passed, check_counts.failed);
  return check_counts.failed != 0 || check_counts.passed == 0;
}

#endif
