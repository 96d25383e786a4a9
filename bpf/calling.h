/* SPDX-License-Identifier: GPL-2.0 */
/*
 * calling: the request that a goroutine sends, for the programs of probe_http_call.bpf.c, which are
 * compiled twice (old.bpf.c) and share one map. A program that sends more requests at a time than
 * the map has room for loses the paths of the oldest ones.
 */
#ifndef GOTAP_BPF_CALLING_H
#define GOTAP_BPF_CALLING_H

#include "common.h"

struct callings_map {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);	/* user space adds some for each CPU */
	__type(key, __u64);
	__type(value, __u64);
};

/* Address of a g -> the *http.Request that it sends; defined in emit.bpf.c. */
extern struct callings_map callings SEC(".maps");

#endif
