/* SPDX-License-Identifier: GPL-2.0 */
/*
 * regions: the state of probe_region.bpf.c, which is compiled twice (old.bpf.c). User space makes
 * the map as large as the recording needs.
 */
#ifndef GOTAP_BPF_REGIONS_H
#define GOTAP_BPF_REGIONS_H

#include "common.h"
#include "region.h"

struct regions_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u64);
	__type(value, struct region_point);
};

/* Address of a probed instruction -> the place; defined in emit.bpf.c. */
extern struct regions_map regions SEC(".maps");
/* Indexed by the number of the function. User space reads them while the programs run. */
extern struct region_hits region_hits[REGIONS_MOST];

#endif
