// SPDX-License-Identifier: Apache-2.0
// Part of onepass: every status has a sentence of its own, and a number that is no status has one too.
#include "onepass/status.h"

#include <string.h>

#include "check.h"

int main(void) {
  const char *none = onepass_status_string(ONEPASS_STATUS_COUNT);
  CHECK(ONEPASS_SUCCESS == 0);
  CHECK(none != NULL && strlen(none) > 0);
  CHECK(onepass_status_string((onepass_status_t)1000) == none);
  CHECK(strcmp(onepass_status_string(ONEPASS_SUCCESS), "success") == 0);
  for (int i = 0; i < ONEPASS_STATUS_COUNT; ++i) {
    const char *text = onepass_status_string((onepass_status_t)i);
    CHECK(text != NULL && strlen(text) > 0);
    CHECK(strcmp(text, none) != 0);
    CHECK(text[strlen(text) - 1] != '.' && text[strlen(text) - 1] != '\n');  // the caller ends the line
    for (int j = 0; j < i; ++j) CHECK(strcmp(text, onepass_status_string((onepass_status_t)j)) != 0);
  }
  // A sentence names what it is about.
  CHECK(strstr(onepass_status_string(ONEPASS_ERROR_NULL), "null") != NULL);
  CHECK(strstr(onepass_status_string(ONEPASS_ERROR_ALIGNMENT), "aligned") != NULL);
  CHECK(strstr(onepass_status_string(ONEPASS_ERROR_PITCH), "source") != NULL);
  CHECK(strstr(onepass_status_string(ONEPASS_ERROR_OVERLAPPING_ROWS), "sink") != NULL);
  CHECK(strstr(onepass_status_string(ONEPASS_ERROR_SIZE), "smaller than the extent") != NULL);
  CHECK(strstr(onepass_status_string(ONEPASS_ERROR_STRIDE), "sink") != NULL);
  CHECK(strstr(onepass_status_string(ONEPASS_ERROR_WORKSPACE_SIZE), "onepass_workspace_bytes") != NULL);
  return check_result();
}
