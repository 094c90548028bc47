// SPDX-License-Identifier: Apache-2.0
// onepass, the C side: statuses, extents, leaves, traffic, plans, launch. C11 or C++, no CUDA.
#ifndef ONEPASS_H
#define ONEPASS_H

#include "extent.h"
#include "launch.h"
#include "leaf.h"
#include "plan.h"
#include "report.h"
#include "status.h"
#include "traffic.h"
#include "version.h"

#endif
