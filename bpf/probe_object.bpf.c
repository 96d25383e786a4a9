// SPDX-License-Identifier: GPL-2.0
/*
 * probe_object: objects of the heap in slots of object_min bytes and more, at the places where the
 * runtime's own tracer records them if GODEBUG=traceallocfree=1 is set. The probes make their
 * records without that setting. A probe records an object before any goroutine can use it, and a
 * freed slot before mallocgc() can return it again, so that the records of one address are in the
 * right order.
 */
#include "emit.h"
#include "operand.h"

/* abi.Type */
struct type {
	__u64 size, ptr_bytes;
	__u32 hash;
	__u8 flags, align, field_align, kind;
	__u64 equal, gcdata;
	__s32 name, ptr_to_this;
};

enum {
	/*
	 * abi.TFlagExtraStar: the stored name has a * in front, which is not part of the type's
	 * name
	 */
	TYPE_EXTRA_STAR = 2,
	SHORT_NAME = 128,
};

struct name {
	__u64 at;
	__u32 len;
	/* its flags and length could not be read, so that @at and @len are unknown */
	bool missing;
};

/* Returns whether the linker wrote the type, which is then in the program's file. */
static __always_inline bool is_in_file(__u64 type)
{
	return type >= types_start && type < types_end;
}

/*
 * Reads the abi.Name of a type that the linker wrote: a byte of flags, the length as a varint, the
 * text.
 */
static __always_inline struct name name_of(__u64 type, const struct type *t)
{
	struct name n = {};
	__u8 head[3] = {};
	__u64 star = !!(t->flags & TYPE_EXTRA_STAR);

	if (!is_in_file(type) || t->name < 0)
		return n;
	n.at = types_start + t->name;
	if (bpf_probe_read_user(head, sizeof(head), (void *)n.at)) {
		n.missing = true;
		return n;
	}
	n.len = head[1] & 0x7f;
	n.at += 2;
	if (head[1] & 0x80) {
		n.len |= (head[2] & 0x7f) << 7;
		n.at++;
	}
	if (n.len <= star)
		return (struct name){};
	n.at += star;
	n.len -= star;
	return n;
}

static __always_inline bool send_type_in(__u64 pid_tgid, __u64 type, const struct type *t,
					 const struct name *name, const __u32 room)
{
	struct rec_user *u = ring_reserve(ring_of_cpu(), sizeof(*u) + room);
	__u32 len = name->len;

	if (!u)
		return false;
	rec_fill(&u->r, (__u32)pid_tgid, REC_OBJECT_TYPE, 0);
	u->r.id = type;
	u->r.ptr = t->size;
	u->stack = 0;
	u->arg = t->ptr_bytes;
	u->room = room;
	/*
	 * The compiler knows the bound already and would drop the test; old verifiers want the test
	 * right before the read.
	 */
	barrier_var(len);
	if (len > room)
		len = room;
	if (name->missing || (len && bpf_probe_read_user(u->text, len, (void *)name->at))) {
		__sync_fetch_and_add(&texts_missing, 1);
		u->r.sub = REC_MISSING_FIRST;
		len = 0;
	}
	u->len[0] = len;
	u->len[1] = 0;
	rec_submit(u);
	return true;
}

/*
 * The addresses of types that have a record, each in the slot of its hash. Two types with the same
 * slot replace each other: a type is then sent once more, which costs a record and nothing more.
 */
enum { TYPES_SENT = 4096 };

static __u64 types_sent[TYPES_SENT];

static __always_inline __u64 *type_slot(__u64 type)
{
	return &types_sent[(type * 0x9e3779b97f4a7c15ULL >> 52) & (TYPES_SENT - 1)];
}

/*
 * Sends the size and name of a type. The runtime reads the head of a type when it makes an object,
 * but hardly ever the name: the page of the name may not be in memory. If anything cannot be read,
 * the record is marked, and user space takes it from the program's file (user/capture/texts.h).
 */
static __noinline void send_type(__u64 pid_tgid, __u64 type)
{
	struct name name = {};
	struct type t = {};

	if (!bpf_probe_read_user(&t, sizeof(t), (void *)type)) {
		name = name_of(type, &t);
	} else if (is_in_file(type)) {
		name.missing = true;
	} else {
		count_unreadable();
		return;
	}
	if (!name.missing && name.len <= SHORT_NAME ?
		    send_type_in(pid_tgid, type, &t, &name, SHORT_NAME) :
		    send_type_in(pid_tgid, type, &t, &name, REC_TEXT_MAX))
		*type_slot(type) = type;
}

/*
 * mallocgc(size, typ, needzero), at the jump on debug.malloc, after the object has been allocated
 * (user/target/mallocgc.h).
 */
SEC("uprobe")
int object_alloc(struct pt_regs *ctx)
{
	__u64 pid_tgid = current_ids(), size, type;
	struct rec_long *l;

	if (!is_target(pid_tgid))
		return 0;
	size = operand(ctx, &object_size);
	if (size < object_min)
		return 0;
	type = operand(ctx, &object_type);
	l = rec_begin(sizeof(*l), pid_tgid, REC_OBJECT_ALLOC, 0);
	if (!l)
		return 0;
	l->r.id = operand(ctx, &object_addr);
	l->r.ptr = size;
	l->stack = 0;
	l->arg = type;
	rec_submit(l);
	if (type && *type_slot(type) != type)
		send_type(pid_tgid, type);
	return 0;
}

/* The span that a thread sweeps, with the slots that were allocated when the sweep began. */
struct swept_slots {
	__u64 span;		/* 0: no slot of the span needs a record */
	__u64 marks;		/* mspan.gcmarkBits; a swept span has other mark bits */
	__u64 taken;		/* bit i: slot i was allocated */
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, __u32);
	__type(value, struct swept_slots);
} slots_swept SEC(".maps");

/* A span has at most 64 slots of object_min bytes and more, so that one word holds their bits. */
enum { MAX_SLOTS = 64 };

static __always_inline __u64 low_bits(__u32 n)
{
	return n >= 64 ? ~0ULL : (1ULL << n) - 1;
}

/*
 * The allocated slots of a span. A slot below freeindex is allocated; a slot from freeindex on is
 * allocated unless allocCache, the complement of allocBits from freeindex on, has its bit
 * (nextFreeFast). The runtime never refills allocCache of a span with at most 64 slots. allocBits
 * itself may lie in a page that no code has touched: the runtime does not read it as long as the
 * span is new.
 */
static __always_inline __u64 slots_taken(__u64 span, __u32 nelems)
{
	__u32 next = read_u16(span + off.mspan_freeindex);
	__u64 free = read_u64(span + off.mspan_alloc_cache);

	return (low_bits(next) | (next < 64 ? ~free << next : 0)) & low_bits(nelems);
}

/* (sl *sweepLocked).sweep(preserve) */
SEC("uprobe")
int object_sweep(struct pt_regs *ctx)
{
	__u64 pid_tgid = current_ids();
	__u32 tid = (__u32)pid_tgid, nelems;
	struct swept_slots now = {};

	if (!is_target(pid_tgid))
		return 0;
	now.span = read_u64(go_arg1(ctx));
	nelems = read_u16(now.span + off.mspan_nelems);
	if (read_u64(now.span + off.mspan_elemsize) < object_min || nelems > MAX_SLOTS)
		now.span = 0;
	if (now.span) {
		now.taken = slots_taken(now.span, nelems);
		now.marks = read_u64(now.span + off.mspan_gcmark_bits);
	}
	bpf_map_update_elem(&slots_swept, &tid, &now, BPF_ANY);
	return 0;
}

/*
 * The probe sits in sweep at the call of newMarkBits. gcmarkBits is final there, since sweep has
 * marked the objects that finalizers keep alive, and becomes allocBits next. The budget may detach
 * a probe for a while and attach it again in the middle of a sweep: the thread's entry is then of
 * an earlier span. That span has been swept since and has other mark bits, all clear, by which each
 * of its objects would look freed.
 */
SEC("uprobe")
int object_swept(void *ctx)
{
	__u64 pid_tgid = current_ids(), freed, span;
	__u32 tid = (__u32)pid_tgid;
	struct swept_slots *now;
	struct rec_long *l;

	if (!is_target(pid_tgid))
		return 0;
	now = bpf_map_lookup_elem(&slots_swept, &tid);
	if (!now || !now->span)
		return 0;
	span = now->span;
	now->span = 0;
	if (read_u64(span + off.mspan_gcmark_bits) != now->marks)
		return 0;
	freed = now->taken & ~read_u64(now->marks);
	if (!freed)
		return 0;
	l = rec_begin(sizeof(*l), pid_tgid, REC_OBJECT_FREE, 0);
	if (!l)
		return 0;
	l->r.id = read_u64(span + off.mspan_start);
	l->r.ptr = read_u64(span + off.mspan_elemsize);
	l->stack = 0;
	l->arg = freed;
	rec_submit(l);
	return 0;
}
