// SPDX-License-Identifier: GPL-2.0
/* emit: the maps through which records leave; emit.h has the code. */
#include "common.h"

struct ring_chunks_map ring_chunks SEC(".maps");
struct ring_states_map ring_states SEC(".maps");
struct nowhere_map nowhere SEC(".maps");
