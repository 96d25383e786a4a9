// SPDX-License-Identifier: GPL-2.0
/* emit: the maps through which records leave; emit.h has the code. */
#include "common.h"

struct rings_map rings SEC(".maps");
struct lost_map lost SEC(".maps");
struct nowhere_map nowhere SEC(".maps");
struct calibration_map calibration SEC(".maps");
