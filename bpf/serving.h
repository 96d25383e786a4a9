/* SPDX-License-Identifier: GPL-2.0 */
/*
 * serving: the request that a goroutine serves, for the programs of HTTP/2, which are
 * compiled twice (old.bpf.c) and share one map. A program that serves more requests at a time than
 * the map has room for loses the data of the oldest ones, not their ends.
 */
#ifndef GOTAP_BPF_SERVING_H
#define GOTAP_BPF_SERVING_H

#include "common.h"

#ifndef GO_INLINE

struct serving {
	__u64 request;		/* *http.Request */
	__u64 writer;		/* the data word of the http.ResponseWriter */
};

struct servings_map {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);	/* user space adds some for each CPU */
	__type(key, __u64);
	__type(value, struct serving);
};

/* Address of a g -> the request that it serves; defined in emit.bpf.c. */
extern struct servings_map servings SEC(".maps");

#endif

#endif
