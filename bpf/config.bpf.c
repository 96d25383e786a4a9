// SPDX-License-Identifier: GPL-2.0
/*
 * config: defines the knobs of all probes (knobs.def) and the variables that user space shares with
 * them (common.h).
 */
#include "common.h"
#include "regions.h"

#define KNOB(code, type, name, initial) const volatile __typeof__(type) name = initial;
#include "knobs.def"

__u32 active = 0;
__u64 names_from = ~0ULL;
__u64 names_lost = 0;
__u64 names_lost_before = 0;
__u32 stacks = STACKS_WHOLE;
__u64 texts_missing = 0;
__u32 threads_active = 0;
__u32 threads_tgid = 0;
__u64 exec_time = 0;
__u64 oom_time = 0;
struct region_hits region_hits[REGIONS_MOST] = {};

char LICENSE[] SEC("license") = "GPL";
