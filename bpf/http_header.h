/* SPDX-License-Identifier: GPL-2.0 */
/*
 * http_header: the header traceparent of a request (W3C Trace Context), in the map that a request
 * has just got from the server. A map of more than a few headers is not searched: the header is
 * then missing.
 */
#ifndef GOTAP_BPF_HTTP_HEADER_H
#define GOTAP_BPF_HTTP_HEADER_H

#include "common.h"

enum {
	HEADER_SLOTS = 8,	/* of a group, or a bucket */
	HEADER_GROUPS = 4,
	HEADER_NAME = 11,	/* bytes of "Traceparent" */
	HEADER_KEY = 16, HEADER_VALUE = 24,	/* a string; a slice */
	/* up to Go 1.23: runtime.bmap */
	BUCKET_KEYS = 8,
	BUCKET_VALUES = BUCKET_KEYS + HEADER_SLOTS * HEADER_KEY,
	/* the last word leads to the next bucket of its chain */
	BUCKET_SIZE = BUCKET_VALUES + HEADER_SLOTS * HEADER_VALUE + 8,
	BUCKET_USED = 5,	/* the lowest tophash of a key (minTopHash) */
	/* since Go 1.24: a group of internal/runtime/maps */
	GROUP_SLOTS = 8,
	SLOT_SIZE = HEADER_KEY + HEADER_VALUE,
	GROUP_SIZE = GROUP_SLOTS + HEADER_SLOTS * SLOT_SIZE,
	GROUP_FREE = 0x80,	/* of a control byte */
};

/* Is the string at @key the name, in the form that textproto gives it? */
static __always_inline bool header_is_parent(__u64 key)
{
	struct {
		__u64 at, len;
	} s = {};
	union {
		char bytes[16];
		__u64 words[2];
	} name = {}, want = { .bytes = "Traceparent" };

	if (bpf_probe_read_user(&s, sizeof(s), (void *)key) || s.len != HEADER_NAME ||
	    bpf_probe_read_user(name.bytes, HEADER_NAME, (void *)s.at))
		return false;
	return name.words[0] == want.words[0] && name.words[1] == want.words[1];
}

/* The first string of the slice at @value, if it can be one; 0: it cannot. */
static __always_inline __u64 header_first(__u64 value)
{
	__u64 slice[2] = {}, first[2] = {};

	if (bpf_probe_read_user(slice, sizeof(slice), (void *)value) || !slice[1] ||
	    bpf_probe_read_user(first, sizeof(first), (void *)slice[0]))
		return 0;
	return first[1] == HTTP_PARENT_LEN ? first[0] : 0;
}

/* Looks at the @i-th key of a bucket, or of a group. */
static __always_inline __u64 header_in_bucket(__u64 bucket, __u64 top, __u32 i)
{
	if ((top >> 8 * i & 0xff) < BUCKET_USED ||
	    !header_is_parent(bucket + BUCKET_KEYS + i * HEADER_KEY))
		return 0;
	return header_first(bucket + BUCKET_VALUES + i * HEADER_VALUE);
}

static __always_inline __u64 header_in_group(__u64 group, __u64 control, __u32 i)
{
	__u64 slot = group + GROUP_SLOTS + i * SLOT_SIZE;

	if ((control >> 8 * i & GROUP_FREE) || !header_is_parent(slot))
		return 0;
	return header_first(slot + HEADER_KEY);
}

/* The @n groups at @at lie side by side. */
static __always_inline __u64 header_in_groups(__u64 at, __u32 n)
{
	__u64 control = 0, found;
	__u32 i;

	for (i = 0; i < HEADER_GROUPS * HEADER_SLOTS; i++) {
		if (i / HEADER_SLOTS >= n)
			break;
		if (i % HEADER_SLOTS == 0)
			control = peek_u64(at + i / HEADER_SLOTS * GROUP_SIZE);
		found = header_in_group(at + i / HEADER_SLOTS * GROUP_SIZE, control,
					i % HEADER_SLOTS);
		if (found)
			return found;
	}
	return 0;
}

/* Likewise the buckets, each of which may have one more in its chain. */
static __always_inline __u64 header_in_buckets(__u64 first, __u32 n)
{
	__u64 top = 0, at = 0, found;
	__u32 i, bucket;

	for (i = 0; i < 2 * HEADER_GROUPS * HEADER_SLOTS; i++) {
		bucket = i / HEADER_SLOTS / 2;
		if (bucket >= n)
			break;
		if (i % HEADER_SLOTS == 0) {
			at = i / HEADER_SLOTS % 2 ? peek_u64(at + BUCKET_SIZE - 8) :
						    first + bucket * BUCKET_SIZE;
			top = at ? peek_u64(at) : 0;
		}
		found = header_in_bucket(at, top, i % HEADER_SLOTS);
		if (found)
			return found;
	}
	return 0;
}

struct header_map {		/* runtime.hmap */
	__u64 count;
	__u8 flags, log_buckets;
	__u16 overflows;
	__u32 seed;
	__u64 buckets;
};

struct header_swiss {		/* internal/runtime/maps.Map */
	__u64 used, seed;
	__u64 directory, length;
};

/*
 * Returns the address of the value of traceparent, of HTTP_PARENT_LEN bytes, in the http.Header
 * @header; 0: it is not there, or was not found.
 */
static __always_inline __u64 header_parent(__u64 header)
{
	if (!header || http.headers == HTTP_HEADERS_UNKNOWN)
		return 0;
	if (http.headers == HTTP_HEADERS_BUCKETS) {
		struct header_map map = {};

		if (bpf_probe_read_user(&map, sizeof(map), (void *)header) || !map.count ||
		    map.log_buckets > 2)
			return 0;
		return header_in_buckets(map.buckets, 1 << map.log_buckets);
	} else {
		struct header_swiss map = {};
		__u64 table, groups[2] = {};

		if (bpf_probe_read_user(&map, sizeof(map), (void *)header) || !map.used)
			return 0;
		if (!map.length)	/* no table: @directory is a group */
			return header_in_groups(map.directory, 1);
		table = map.length == 1 ? peek_u64(map.directory) : 0;
		/* its groups and their number - 1 */
		if (!table ||
		    bpf_probe_read_user(groups, sizeof(groups), (void *)(table + 16)) ||
		    groups[1] >= HEADER_GROUPS)
			return 0;
		return header_in_groups(groups[0], (__u32)groups[1] + 1);
	}
}

#endif
