// SPDX-License-Identifier: Apache-2.0
/*
 * snapshot: see snapshot.h. Reads runtime.allgs and runtime.allp (slices of
 * pointers; roots.h, pointers.h). A g is never freed or moved.
 *
 * The program may be broken or hostile: the snapshot is no larger than the memory that the program
 * has (memory_size()), and every loop over that ends when a stop is requested.
 */
#define _GNU_SOURCE
#include "live/snapshot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/map64.h"
#include "live/labels.h"
#include "live/memory.h"
#include "live/pointers.h"
#include "live/snapshot_memory.h"
#include "live/snapshot_stack.h"

enum {
	G_SIZE = 512,		/* covers every field we read, all releases */
	M_SIZE = 2048,
	P_SIZE = 64,
	BATCH = STACK_WALKS,	/* gs read by one request */
	/* The least memory of each in the program, in all releases: limits of the lists. */
	BYTES_PER_G = 64, BYTES_PER_P = 1024, BYTES_PER_FRAME = 16,
	MAX_GS = 1 << 30, MAX_PS = 1 << 16,
	TID_LOOKS = 16,		/* for threads that are new */
	SCAN_BIT = 0x1000,
};

#define NO_RECORD SIZE_MAX

/* runtime/runtime2.go: g.atomicstatus; DEADEXTRA from Go 1.26 on, of an extra M's */
enum { RUNNABLE = 1, SYSCALL = 3, WAITING = 4, DEAD = 6, DEADEXTRA = 11, STATUSES = 12 };

struct reader {
	const struct plan *plan;
	const struct process *proc;
	const struct roots *roots;
	struct buf *out;
	struct map64 ms;	/* address of an m -> index in m_facts */
	struct vec m_facts;	/* struct m_fact */
	uint64_t size;		/* memory_size() */
	bool translate;		/* m.procid is not the records' thread id: a PID namespace */
	struct map64 tids;	/* from the one to the other */
	unsigned int tid_looks;
	struct map64 syscalls;	/* P and tick -> tid: the threads of Ps in syscalls */
	uint64_t now;
	struct stack_reader stacks;
	struct stack_walk *walks;	/* BATCH of them */
	struct live_labels *labels;	/* room for one set; NULL: they are not wanted */
	const struct stop_request *stop;
};

struct m_fact {
	uint32_t tid;
	uint64_t oldp;
	uint32_t syscalltick;
};

static uint64_t u64_at(const uint8_t *p, unsigned int offset)
{
	uint64_t v;

	memcpy(&v, p + offset, sizeof(v));
	return v;
}

static uint32_t u32_at(const uint8_t *p, unsigned int offset)
{
	uint32_t v;

	memcpy(&v, p + offset, sizeof(v));
	return v;
}

static int read_gs_list(const struct reader *rd, struct pointers *ret, struct error *err)
{
	return pointers_read(ret, rd->proc, rd->roots->allgs,
			     pointers_room(rd->size, BYTES_PER_G, MAX_GS), "runtime.allgs", rd->stop, err);
}

static int read_ps_list(const struct reader *rd, struct pointers *ret, struct error *err)
{
	return pointers_read(ret, rd->proc, rd->roots->allp,
			     pointers_room(rd->size, BYTES_PER_P, MAX_PS), "runtime.allp", rd->stop, err);
}

static struct rec_long *add_record(struct reader *rd, uint8_t kind)
{
	struct rec_long zero = { .r = { .time = rd->now, .kind = kind } };
	size_t at = rd->out->len;

	buf_add(rd->out, &zero, sizeof(zero));
	return (struct rec_long *)(rd->out->data + at);
}

/* --- Ms, met through g.m and p.m --- */

/* Threads that are new since the map was made need another look. */
static uint32_t tid_of(struct reader *rd, uint64_t procid)
{
	uint64_t *tid;

	if (!rd->translate || !procid)
		return (uint32_t)procid;
	tid = map64_get(&rd->tids, procid);
	if (!tid && rd->tid_looks++ < TID_LOOKS) {
		process_map_tids(rd->proc, &rd->tids);
		tid = map64_get(&rd->tids, procid);
	}
	return tid ? (uint32_t)*tid : 0;
}

static struct m_fact *fact_of(struct reader *rd, uint64_t m)
{
	const struct go_offsets *off = &rd->plan->offsets;
	uint8_t bytes[M_SIZE];
	struct m_fact *fact;
	uint64_t *slot;
	bool is_new;

	if (!m)
		return NULL;
	slot = map64_put(&rd->ms, m, &is_new);
	if (!is_new)
		return *slot ? vec_at(&rd->m_facts, struct m_fact, *slot - 1) : NULL;
	/* syscalltick is the farthest field */
	if (!memory_read(rd->proc, m, bytes, off->m_syscalltick + 4u))
		return NULL;
	fact = vec_push(&rd->m_facts, sizeof(*fact));
	fact->tid = tid_of(rd, u64_at(bytes, off->m_procid));
	fact->oldp = u64_at(bytes, off->m_oldp);
	fact->syscalltick = u32_at(bytes, off->m_syscalltick);
	*slot = rd->m_facts.len;
	return fact;
}

/*
 * The M of a dead goroutine. Mostly it is about to leave it; but an extra M, which no
 * C thread has now, keeps its goroutine, the id of its last thread and, up to Go 1.21
 * as if the syscall went on, the P of that one: the P is nobody's (proc.go, dropm).
 */
static void forget_dropped(struct m_fact *m, uint32_t status)
{
	m->oldp = 0;	/* of a running M it is 0 anyway */
	if (status == DEADEXTRA)
		m->tid = 0;
}

/* --- Ps --- */

int snapshot_names(const struct plan *plan, const struct process *proc,
		   const struct roots *roots, struct buf *out, struct error *err)
{
	struct reader rd = { .plan = plan, .proc = proc, .roots = roots, .out = out,
			     .now = now_ns(), .size = memory_size(proc) };
	struct pointers ps;
	size_t i;
	int r = read_ps_list(&rd, &ps, err);

	for (i = 0; i < ps.n && !r; i++) {
		struct rec rec = { .time = rd.now, .kind = REC_SNAP_P_NAME, .ptr = ps.at[i] };
		int32_t id;

		if (!memory_read(proc, ps.at[i] + plan->offsets.p_id, &id, sizeof(id)))
			continue;
		if (id != (int32_t)i)
			r = error_set(err, -EINVAL,
				      "allp[%zu].id of process %d is %d: the field offsets do not fit "
				      "this program", i, proc->pid, id);
		rec.id = (uint64_t)id;
		if (!r)
			buf_add(out, &rec, sizeof(rec));
	}
	pointers_free(&ps);
	return r;
}

/*
 * Up to Go 1.25 a P in a syscall (status 2) has no m; its thread is the one with this P
 * as m.oldp and the same tick.
 */
static uint64_t syscall_key(uint64_t p, uint32_t tick)
{
	return hash64(p) ^ tick;
}

static void find_syscalls(struct reader *rd)
{
	size_t i;
	bool is_new;

	for (i = 0; i < rd->m_facts.len; i++) {
		const struct m_fact *f = vec_at(&rd->m_facts, struct m_fact, i);
		uint64_t *tid = map64_put(&rd->syscalls, syscall_key(f->oldp, f->syscalltick), &is_new);

		if (f->oldp && is_new)
			*tid = f->tid;
	}
}

static uint32_t syscall_holder(struct reader *rd, uint64_t p, uint32_t tick)
{
	const uint64_t *tid = map64_get(&rd->syscalls, syscall_key(p, tick));

	return tid ? (uint32_t)*tid : 0;
}

static void take_p(struct reader *rd, uint64_t ptr, size_t id)
{
	enum { P_IN_SYSCALL = 2 };
	const struct go_offsets *off = &rd->plan->offsets;
	uint8_t p[P_SIZE];
	const struct m_fact *m;
	struct rec_long *l;
	uint32_t tid = 0;

	if (!memory_read(rd->proc, ptr, p, sizeof(p)))
		return;
	m = fact_of(rd, u64_at(p, off->p_m));
	if (m)
		tid = m->tid;
	else if (u32_at(p, off->p_status) == P_IN_SYSCALL)
		tid = syscall_holder(rd, ptr, u32_at(p, off->p_syscalltick));
	l = add_record(rd, REC_SNAP_P);
	l->r.id = id;
	l->r.ptr = ptr;
	l->r.tid = tid;
	l->r.sub = u32_at(p, off->p_status) == P_IN_SYSCALL;
}

static int take_ps(struct reader *rd, struct snapshot_counts *counts, struct error *err)
{
	struct pointers ps;
	size_t i;
	int r = read_ps_list(rd, &ps, err);

	if (!r)
		find_syscalls(rd);
	for (i = 0; i < ps.n && !r; i++)
		take_p(rd, ps.at[i], i);
	counts->procs = ps.n;
	pointers_free(&ps);
	return r;
}

/* --- Gs --- */

static uint32_t status_of(const struct reader *rd, const uint8_t *g)
{
	return u32_at(g, rd->plan->offsets.g_atomicstatus) & ~(uint32_t)SCAN_BIT;
}

/* Where the stack of @g begins; no pc: it has none, or runs. */
static struct stack_walk walk_of(const struct reader *rd, const uint8_t *g)
{
	const struct go_offsets *off = &rd->plan->offsets;
	uint32_t status = status_of(rd, g);
	bool in_syscall = status == SYSCALL;
	struct stack_walk w = {0};

	if (!rd->stacks.depth || (status != WAITING && status != RUNNABLE && !in_syscall))
		return w;
	if (in_syscall && off->g_syscallbp == GO_OFFSET_NONE)
		return w;	/* the saved frame pointer is gone by then (Go 1.22) */
	w.pc = u64_at(g, in_syscall ? off->g_syscallpc : off->g_sched_pc);
	w.bp = u64_at(g, in_syscall ? off->g_syscallbp : off->g_sched_bp);
	w.lo = u64_at(g, off->g_stack_lo);
	w.hi = u64_at(g, off->g_stack_hi);
	return w;
}

/* Returns where in the output the record is. */
static size_t take_g(struct reader *rd, uint64_t ptr, const uint8_t *g, const struct stack_walk *w)
{
	const struct go_offsets *off = &rd->plan->offsets;
	uint32_t status = status_of(rd, g);
	struct m_fact *m = fact_of(rd, u64_at(g, off->g_m));
	uint64_t goid = u64_at(g, off->g_goid), stack;
	struct rec_long *l;

	if (m && (status == DEAD || status == DEADEXTRA))
		forget_dropped(m, status);
	if (!goid || !status || status == DEAD || status == DEADEXTRA)
		return NO_RECORD;
	stack = stack_walk_record(&rd->stacks, w, rd->now, rd->out);
	l = add_record(rd, REC_SNAP_G);
	l->r.id = goid;
	l->r.ptr = ptr;
	l->r.tid = m ? m->tid : 0;
	l->r.sub = (uint8_t)status;
	l->r.flags = g[off->g_waitreason];
	if (off->g_in_mark_assist != GO_OFFSET_NONE && g[off->g_in_mark_assist])
		l->r.flags |= 1 << 8;
	l->stack = stack;
	l->arg = u64_at(g, off->g_startpc);
	return (size_t)((uint8_t *)l - rd->out->data);
}

static uint8_t put_text(char *to, size_t room, const struct label_bytes *from, bool *cut)
{
	size_t n = from->len < room ? from->len : room;

	memcpy(to, from->text, n);
	*cut = from->cut || n < from->len;
	return (uint8_t)n;
}

static struct rec_label label_record(const struct live_label *l)
{
	struct rec_label ret = {0};
	bool key_cut, value_cut;

	ret.key_len = put_text(ret.key, sizeof(ret.key), &l->key, &key_cut);
	ret.value_len = put_text(ret.value, sizeof(ret.value), &l->value, &value_cut);
	ret.flags = REC_LABEL | (key_cut ? REC_LABEL_KEY_CUT : 0) | (value_cut ? REC_LABEL_VALUE_CUT : 0);
	return ret;
}

/* What cannot be read counts as one label of which nothing is known. */
static void take_labels(struct reader *rd, const uint8_t *g)
{
	const struct go_offsets *off = &rd->plan->offsets;
	uint64_t address = u64_at(g, off->g_labels);
	struct rec_user u = { .r = { .time = rd->now, .kind = REC_SNAP_LABELS, .id = u64_at(g, off->g_goid), .ptr = address } };
	bool known = address && labels_read(rd->proc, rd->plan->minor, address, rd->labels);
	struct rec_label label;
	size_t i, n = known ? rd->labels->n : 0;

	if (!address || (known && !n && !rd->labels->more))
		return;
	u.arg = known ? n + rd->labels->more : 1;
	n = n < REC_LABELS_MOST ? n : REC_LABELS_MOST;
	u.room = (uint32_t)(n * sizeof(label));
	u.len[0] = (uint16_t)u.room;
	buf_add(rd->out, &u, sizeof(u));
	for (i = 0; i < n; i++) {
		label = label_record(&rd->labels->all[i]);
		buf_add(rd->out, &label, sizeof(label));
	}
}

/*
 * Of every g, also a dead one that keeps its stack. Sizes are powers of two: another one was
 * read while the stack was being changed, which has records.
 */
static void take_gstack(struct reader *rd, const uint8_t *g)
{
	uint64_t lo = u64_at(g, rd->plan->offsets.g_stack_lo);
	uint64_t size = u64_at(g, rd->plan->offsets.g_stack_hi) - lo;
	struct rec rec = { .time = rd->now, .kind = REC_SNAP_GSTACK, .id = lo, .ptr = size };

	if (lo && size && !(size & (size - 1)))
		buf_add(rd->out, &rec, sizeof(rec));
}

/* Bytes of a g that hold every field we read. */
static size_t g_bytes(const struct reader *rd)
{
	const struct go_offsets *off = &rd->plan->offsets;
	size_t n = off->g_startpc + 8u;

	if (rd->labels && n < off->g_labels + 8u)
		n = off->g_labels + 8u;
	return n > G_SIZE ? G_SIZE : n;
}

/* Reads @size bytes at @offset of each g, to places of @room bytes each; @ok: which were readable. */
static void read_gs(const struct reader *rd, const uint64_t *gs, size_t n, unsigned int offset,
		    size_t size, void *to, size_t room, bool *ok)
{
	_cleanup_free_ struct memory_range *ranges = xcalloc(n, sizeof(*ranges));
	size_t i;

	for (i = 0; i < n; i++)
		ranges[i] = (struct memory_range){ gs[i] + offset, (uint8_t *)to + i * room, size,
						   false };
	memory_read_each(rd->proc, ranges, n);
	for (i = 0; i < n; i++)
		ok[i] = ranges[i].ok;
}

/*
 * The collector moves the stack of a goroutine that waits to a smaller one (shrinkstack),
 * and of that there is no record: the old place may have been another stack by the time it was read.
 */
static void forget_moved_stacks(struct reader *rd, const uint64_t *gs, size_t n,
				const uint8_t *bytes, const size_t *records)
{
	unsigned int offset = rd->plan->offsets.g_stack_hi;
	_cleanup_free_ uint64_t *hi = xcalloc(n, sizeof(*hi));
	bool ok[BATCH];
	size_t i;

	read_gs(rd, gs, n, offset, sizeof(*hi), hi, sizeof(*hi), ok);
	for (i = 0; i < n; i++)
		if (records[i] != NO_RECORD &&
		    (!ok[i] || hi[i] != u64_at(bytes + i * G_SIZE, offset)))
			((struct rec_long *)(rd->out->data + records[i]))->stack = 0;
}

/* Returns how many could not be read, or are no goroutines. */
static size_t take_batch(struct reader *rd, const uint64_t *gs, size_t n, uint8_t *bytes)
{
	size_t records[BATCH], i, bad = 0;
	bool ok[BATCH];

	read_gs(rd, gs, n, 0, g_bytes(rd), bytes, G_SIZE, ok);
	for (i = 0; i < n; i++) {
		ok[i] = ok[i] && status_of(rd, bytes + i * G_SIZE) < STATUSES;
		rd->walks[i].pc = 0;
		if (ok[i])
			rd->walks[i] = walk_of(rd, bytes + i * G_SIZE);
		bad += !ok[i];
	}
	stack_walk_each(&rd->stacks, rd->walks, n);
	for (i = 0; i < n; i++) {
		records[i] = NO_RECORD;
		if (!ok[i])
			continue;
		records[i] = take_g(rd, gs[i], bytes + i * G_SIZE, &rd->walks[i]);
		if (rd->labels && records[i] != NO_RECORD)
			take_labels(rd, bytes + i * G_SIZE);
		if (rd->plan->groups & 1u << GROUP_STACKS)
			take_gstack(rd, bytes + i * G_SIZE);
	}
	if (rd->stacks.depth)
		forget_moved_stacks(rd, gs, n, bytes, records);
	return bad;
}

static int take_gs(struct reader *rd, struct snapshot_counts *counts, struct error *err)
{
	struct pointers gs;
	uint8_t *bytes = xcalloc(BATCH, G_SIZE);
	size_t i, n;
	int r = read_gs_list(rd, &gs, err);

	if (!r)
		pointers_sort(&gs, rd->stop);
	for (i = 0; i < gs.n && !r; i += n) {
		n = gs.n - i < BATCH ? gs.n - i : BATCH;
		if (stop_requested(rd->stop))
			r = memory_error(rd->proc, rd->stop, "goroutines", err);
		else
			counts->unreadable += take_batch(rd, gs.at + i, n, bytes);
		if (!r && memory_is_silent(rd->proc))
			r = memory_error(rd->proc, rd->stop, "goroutines", err);
	}
	counts->goroutines = gs.n;
	free(bytes);
	pointers_free(&gs);
	return r;
}

/* Is a cycle under way? Without the symbol, its first sign is the next GC record. */
static void take_gc(struct reader *rd)
{
	struct rec rec = { .time = rd->now, .kind = REC_SNAP_GC };
	uint32_t phase;

	if (!rd->plan->gcphase ||
	    !memory_read(rd->proc, rd->plan->gcphase + rd->proc->bias, &phase, sizeof(phase)))
		return;
	rec.sub = (uint8_t)phase;
	buf_add(rd->out, &rec, sizeof(rec));
}

static bool points_at(const struct reader *rd, uint64_t from, uint64_t to)
{
	uint64_t v;

	return memory_read(rd->proc, from, &v, sizeof(v)) && v == to;
}

static bool m_fits(const struct reader *rd, uint64_t m)
{
	const struct go_offsets *off = &rd->plan->offsets;
	uint64_t g0;

	return memory_read(rd->proc, m + off->m_g0, &g0, sizeof(g0)) &&
	       points_at(rd, g0 + off->g_m, m);
}

/* m.g0.m == m, for some goroutine's thread; true too if none has a thread. */
static bool some_m_fits(const struct reader *rd, const struct pointers *gs)
{
	enum { ENOUGH = 64 };
	uint64_t ms[BATCH];
	bool ok[BATCH];
	size_t at, i, n, asked = 0;

	for (at = 0; at < gs->n && asked < ENOUGH && !stop_requested(rd->stop); at += n) {
		n = gs->n - at < BATCH ? gs->n - at : BATCH;
		read_gs(rd, gs->at + at, n, rd->plan->offsets.g_m, sizeof(*ms), ms, sizeof(*ms), ok);
		for (i = 0; i < n && asked < ENOUGH; i++) {
			if (!ok[i] || !ms[i])
				continue;
			if (m_fits(rd, ms[i]))
				return true;
			asked++;
		}
	}
	return !asked;
}

/* The offsets must describe this process, or everything would be nonsense. */
static int self_check(struct reader *rd, struct error *err)
{
	const struct go_offsets *off = &rd->plan->offsets;
	const char *wrong = NULL;
	struct pointers gs;
	int r = read_gs_list(rd, &gs, err);

	/* gs[1] and up have run at least once in a live program; g.sched.g is set then. */
	if (!r && gs.n > 1 && !points_at(rd, gs.at[1] + off->g_sched_g, gs.at[1]))
		wrong = "g.sched.g";
	else if (!r && !some_m_fits(rd, &gs))
		wrong = "m.g0.m";
	pointers_free(&gs);
	if (wrong && (memory_is_silent(rd->proc) || stop_requested(rd->stop)))
		return memory_error(rd->proc, rd->stop, wrong, err);
	if (wrong)
		r = error_set(err, -EINVAL, "%s of process %d does not point back at its owner: the "
			      "field offsets (%s) do not fit this program", wrong, rd->proc->pid,
			      rd->plan->offsets_source);
	return r;
}

bool snapshot_fits(const struct plan *plan, const struct process *proc, const struct stop_request *stop)
{
	struct roots roots;
	struct reader rd = { .plan = plan, .proc = proc, .roots = &roots, .size = memory_size(proc), .stop = stop };
	struct buf names = {0};
	struct pointers gs;
	size_t i;
	bool fits;

	if (roots_find(plan, proc, stop, &roots, NULL))
		return false;
	/* the first three are there before main.main: main, forcegc, bgsweep */
	fits = !read_gs_list(&rd, &gs, NULL) && gs.n >= 3 && some_m_fits(&rd, &gs);
	for (i = 0; i < 3 && fits; i++)
		fits = points_at(&rd, gs.at[i] + plan->offsets.g_sched_g, gs.at[i]);
	fits = fits && !snapshot_names(plan, proc, &roots, &names, NULL) && names.len;
	buf_free(&names);
	pointers_free(&gs);
	return fits;
}

int snapshot_take(const struct plan *plan, const struct process *proc, const struct roots *roots,
		  const struct snapshot_opts *opts, struct buf *out, struct snapshot_counts *counts,
		  struct error *err)
{
	uint64_t size = memory_size(proc);
	struct reader rd = {
		.plan = plan,
		.proc = proc,
		.roots = roots,
		.out = out,
		.now = now_ns(),
		.size = size,
		.stacks = {
			.proc = proc,
			.depth = opts->stack_depth < REC_MAX_FRAMES ? opts->stack_depth :
								      REC_MAX_FRAMES - 1,
			.frames_left = size ? size / BYTES_PER_FRAME : UINT64_MAX,
		},
		.walks = xcalloc(BATCH, sizeof(*rd.walks)),
		.stop = opts->stop,
	};
	int r;

	*counts = (struct snapshot_counts){0};
	if (plan->groups & 1u << GROUP_LABELS)
		rd.labels = xcalloc(1, sizeof(*rd.labels));
	rd.translate = process_needs_tid_map(proc);
	r = opts->fits ? 0 : self_check(&rd, err);
	if (!r)
		r = take_gs(&rd, counts, err);	/* first: it finds the Ms that take_ps needs */
	if (!r)
		r = take_ps(&rd, counts, err);
	if (!r) {
		take_gc(&rd);
		counts->unreadable_spans = snapshot_memory(plan, proc, rd.now, opts->stop, out);
	}
	map64_free(&rd.ms);
	vec_free(&rd.m_facts);
	map64_free(&rd.tids);
	map64_free(&rd.syscalls);
	stack_reader_free(&rd.stacks);
	free(rd.walks);
	free(rd.labels);
	return r;
}
