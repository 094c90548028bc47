// SPDX-License-Identifier: Apache-2.0
// Catch2's own main, for a version 2 that is its header alone.
#define CATCH_CONFIG_MAIN
#include "catch.hpp"
