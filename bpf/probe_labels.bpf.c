// SPDX-License-Identifier: GPL-2.0
/*
 * probe_labels: profiler labels. runtime_setProfLabel() stores a set of labels in g.labels of the
 * goroutine that calls it. The program never changes a set that it has made, and the collector
 * cannot free the set while the function has its address, so that the probe reads the set as the
 * program made it. Up to Go 1.23 a set is a map of strings, of which the probe reads two buckets;
 * from Go 1.24 on it is a slice of pairs (labels_in_map). The record has the number of labels in
 * the set, so that user space knows if some are missing.
 */
#include "emit.h"

/*
 * The layout of bmap for map[string]string (runtime/map.go). Two buckets hold the labels of nearly
 * all sets.
 */
enum {
	SLOTS = 8,
	MIN_TOP_HASH = 5,
	KEYS = 8,
	VALUES = KEYS + SLOTS * 16,
	NEXT = VALUES + SLOTS * 16,
	BUCKET = NEXT + 8
};

struct go_string {
	__u64 at, len;
};

struct label_pair {
	struct go_string key, value;
};

struct map_head {		/* runtime.hmap */
	__u64 count;
	__u8 flags, log_buckets;
	__u16 overflows;
	__u32 seed;
	__u64 buckets;
};

/* Where the labels of a set are, and their number. */
struct label_set {
	__u64 address, count, at;
	__u8 log_buckets;	/* of a map */
};

/* A set that cannot be read counts as one label, which is missing. */
static __always_inline struct label_set set_at(__u64 address)
{
	struct label_set unknown = { .address = address, .count = !!address };

	if (labels_in_map) {
		struct map_head map;
		__u64 at;

		if (!address || !read_user(&at, sizeof(at), address) ||
		    !read_user(&map, sizeof(map), at))
			return unknown;
		return (struct label_set){ address, map.count, map.buckets, map.log_buckets };
	} else {
		__u64 slice[2];

		if (!address || !read_user(slice, sizeof(slice), address))
			return unknown;
		return (struct label_set){ address, slice[1], slice[0], 0 };
	}
}

/*
 * Copies a text into the record. A text that cannot be read is most likely a constant in a page
 * that no code has read: user space takes it from the program's file (user/capture/texts.h).
 * Returns whether the text is missing.
 */
static __always_inline bool put_text(char *to, const __u32 room, const struct go_string *from)
{
	__u32 n = from->len > room ? room : from->len;

	if (n > room)
		n = room;
	if (!n || !bpf_probe_read_user(to, n, (void *)from->at))
		return false;
	__sync_fetch_and_add(&texts_missing, 1);
	__builtin_memcpy(__builtin_assume_aligned(to, 4), &from->at, sizeof(from->at));
	return true;
}

static __always_inline void put_label(struct rec_user *u, __u32 slot, const struct label_pair *pair)
{
	struct rec_label *label = (void *)u->text + slot * sizeof(*label);
	__u64 key = pair->key.len, value = pair->value.len;
	__u8 flags = REC_LABEL;

	if (put_text(label->key, REC_LABEL_KEY, &pair->key))
		flags |= REC_LABEL_KEY_MISSING;
	if (put_text(label->value, REC_LABEL_VALUE, &pair->value))
		flags |= REC_LABEL_VALUE_MISSING;
	if (flags != REC_LABEL)
		u->r.sub = REC_MISSING_FIRST;
	label->key_len = key > REC_LABEL_KEY ? REC_LABEL_KEY : key;
	label->value_len = value > REC_LABEL_VALUE ? REC_LABEL_VALUE : value;
	label->flags = flags | (key > REC_LABEL_KEY ? REC_LABEL_KEY_CUT : 0) |
		       (value > REC_LABEL_VALUE ? REC_LABEL_VALUE_CUT : 0);
}

/*
 * The next bucket in the chain of the one at @at. At the end of the chain, with @beside: the bucket
 * that lies after it in memory.
 */
static __always_inline __u64 next_bucket(__u64 at, bool beside)
{
	__u64 next = read_u64(at + NEXT);

	return next || !beside ? next : at + BUCKET;
}

static __always_inline void put_slice(struct rec_user *u, const struct label_set *set,
				      const __u32 most)
{
	struct label_pair pair;
	__u32 n;

	for (n = 0; n < most; n++) {
		if (n >= set->count || !read_user(&pair, sizeof(pair), set->at + n * sizeof(pair)))
			break;
		put_label(u, n, &pair);
	}
}

/*
 * Copies the labels of a map: slot i of its two buckets to place i of the record, also if slots
 * before slot i are empty. With a counter of used slots as the place, the verifier would have to
 * follow each value that the counter can have, for each slot.
 */
static __always_inline void put_map(struct rec_user *u, const struct label_set *set,
				    const __u32 most)
{
	__u64 at = set->at, top;
	bool beside = set->log_buckets;
	struct label_pair pair;
	__u32 i;

	/*
	 * With two buckets the first one can be empty (in one of 512 sets of nine labels): the
	 * second one then has a chain.
	 */
	if (set->log_buckets == 1 && !read_u64(at)) {
		at += BUCKET;
		beside = false;
	}
	for (i = 0; i < most; i++) {
		if (i % SLOTS == 0) {
			if (i)
				at = next_bucket(at, beside);
			if (!at)
				break;
			top = read_u64(at);
		}
		if ((top >> 8 * (i % SLOTS) & 0xff) < MIN_TOP_HASH ||
		    !read_user(&pair.key, sizeof(pair.key), at + KEYS + i % SLOTS * 16) ||
		    !read_user(&pair.value, sizeof(pair.value), at + VALUES + i % SLOTS * 16))
			continue;
		put_label(u, i, &pair);
	}
}

static __always_inline void send_labels(__u64 pid_tgid, __u64 goid, const struct label_set *set,
					const __u32 most)
{
	const __u32 room = most * sizeof(struct rec_label);
	struct rec_user *u = ring_reserve(ring_of_cpu(), sizeof(*u) + room);

	if (!u)
		return;
	rec_fill(&u->r, (__u32)pid_tgid, REC_USER_LABELS, 0);
	u->r.id = goid;
	u->r.ptr = set->address;
	u->stack = 0;
	u->arg = set->count;
	u->room = room;
	u->len[0] = room;
	u->len[1] = 0;
	if (labels_in_map)
		put_map(u, set, most);
	else
		put_slice(u, set, most);
	rec_submit(u);
}

/* runtime_setProfLabel(labels unsafe.Pointer) */
SEC("uprobe")
int GO_PROGRAM(set_labels)(struct pt_regs *ctx)
{
	__u64 pid_tgid = current_ids(), goid;
	struct label_set set;

	if (!is_target(pid_tgid) || go_restarts(ctx, INLINE_NONE))
		return 0;
	goid = read_u64(go_g(ctx) + off.g_goid);
	set = set_at(go_arg1(ctx));
	if (set.count <= SLOTS)
		send_labels(pid_tgid, goid, &set, SLOTS);
	else
		send_labels(pid_tgid, goid, &set, REC_LABELS_MOST);
	return 0;
}
