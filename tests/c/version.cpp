// SPDX-License-Identifier: Apache-2.0
// Part of onepass: the C++ half of version.c.
#include "onepass/version.h"

#include <cstring>

extern "C" int version_in_cpp(const char *text);

static_assert(ONEPASS_VERSION_AT_LEAST(ONEPASS_VERSION_MAJOR, ONEPASS_VERSION_MINOR, ONEPASS_VERSION_PATCH), "");
static_assert(!ONEPASS_VERSION_AT_LEAST(ONEPASS_VERSION_MAJOR, ONEPASS_VERSION_MINOR, ONEPASS_VERSION_PATCH + 1), "");

int version_in_cpp(const char *text) {
  return std::strcmp(text, onepass_version_string()) == 0 && std::strcmp(text, ONEPASS_VERSION_STRING) == 0 ? 1 : 0;
}
