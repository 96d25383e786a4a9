// SPDX-License-Identifier: Apache-2.0
/*
 * snapshot: see snapshot.h. Reads runtime.allgs and runtime.allp (slices of
 * pointers; roots.h). A g is never freed or moved and allgs never shrinks, so an old
 * array stays readable while the runtime grows it.
 */
#define _GNU_SOURCE
#include "live/snapshot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/map64.h"
#include "live/snapshot_memory.h"

enum {
	G_SIZE = 512,		/* covers every field we read, all releases */
	M_SIZE = 2048,
	P_SIZE = 64,
	BATCH = 512,		/* gs per process_vm_readv */
	MAX_GS = 64 << 20,	/* sanity limits of the slice headers */
	MAX_PS = 1 << 20,
	STACK_PIECE = 2048,	/* of a goroutine's stack read at a time */
	SCAN_BIT = 0x1000,
};

#define NO_RECORD SIZE_MAX

/* runtime/runtime2.go: g.atomicstatus; DEADEXTRA from Go 1.26 on, of an extra M's */
enum { RUNNABLE = 1, SYSCALL = 3, WAITING = 4, DEAD = 6, DEADEXTRA = 11 };

struct reader {
	const struct plan *plan;
	const struct process *proc;
	const struct roots *roots;
	struct buf *out;
	struct map64 ms;	/* address of an m -> index in m_facts */
	struct vec m_facts;	/* struct m_fact */
	bool translate;		/* m.procid is not what records have: a PID namespace */
	struct map64 tids;	/* from the one to the other */
	uint64_t now;
	unsigned int depth;
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

/* Reads the slice of pointers at @root; the caller frees. */
static int read_pointers(const struct reader *rd, uint64_t root, size_t max, const char *name,
			 uint64_t **ret, size_t *n, struct error *err)
{
	uint64_t header[3], *p;

	if (!process_read(rd->proc, root, header, sizeof(header)))
		return error_set(err, -ESRCH,
				 "cannot read the memory of process %d: %s", rd->proc->pid,
				 errno == EPERM ? "run gotap as root or with CAP_SYS_PTRACE" :
						  strerror(errno));
	if (header[1] > header[2] || header[1] > max)
		return error_set(err, -EINVAL, "%s of process %d makes no sense", name,
				 rd->proc->pid);
	p = xcalloc(header[1], sizeof(*p));
	if (header[1] && !process_read(rd->proc, header[0], p, header[1] * sizeof(*p))) {
		free(p);
		return error_set(err, -ESRCH, "cannot read %s of process %d: %s", name,
				 rd->proc->pid, strerror(errno));
	}
	*ret = p;
	*n = header[1];
	return 0;
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
	if (!tid) {
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
	if (!process_read(rd->proc, m, bytes, off->m_syscalltick + 4u))
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
	struct reader rd = { .plan = plan, .proc = proc, .out = out, .now = now_ns() };
	uint64_t *ps;
	size_t i, n;
	int r = read_pointers(&rd, roots->allp, MAX_PS, "runtime.allp", &ps, &n, err);

	if (r)
		return r;
	for (i = 0; i < n; i++) {
		struct rec rec = { .time = rd.now, .kind = REC_SNAP_P_NAME, .ptr = ps[i] };
		int32_t id;

		if (!process_read(proc, ps[i] + plan->offsets.p_id, &id, sizeof(id)))
			continue;
		if (id != (int32_t)i) {
			r = error_set(err, -EINVAL,
				      "allp[%zu].id of process %d is %d: the field offsets do not fit "
				      "this program", i, proc->pid, id);
			break;
		}
		rec.id = (uint64_t)id;
		buf_add(out, &rec, sizeof(rec));
	}
	free(ps);
	return r;
}

/*
 * Up to Go 1.25 a P in a syscall (status 2) has no m; the thread is the one
 * whose m.oldp it is and whose tick it still carries.
 */
static uint32_t syscall_holder(const struct reader *rd, uint64_t p, uint32_t tick)
{
	size_t i;

	for (i = 0; i < rd->m_facts.len; i++) {
		const struct m_fact *f = vec_at(&rd->m_facts, struct m_fact, i);

		if (f->oldp == p && f->syscalltick == tick)
			return f->tid;
	}
	return 0;
}

static void take_p(struct reader *rd, uint64_t ptr, size_t id)
{
	enum { P_IN_SYSCALL = 2 };
	const struct go_offsets *off = &rd->plan->offsets;
	uint8_t p[P_SIZE];
	const struct m_fact *m;
	struct rec_long *l;
	uint32_t tid = 0;

	if (!process_read(rd->proc, ptr, p, sizeof(p)))
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
	uint64_t *ps;
	size_t i, n;
	int r = read_pointers(rd, rd->roots->allp, MAX_PS, "runtime.allp", &ps, &n, err);

	if (r)
		return r;
	for (i = 0; i < n; i++)
		take_p(rd, ps[i], i);
	counts->procs = n;
	free(ps);
	return 0;
}

/* --- stacks --- */

/* A window onto one goroutine's stack; frames mostly lie close together. */
struct window {
	uint64_t start;
	size_t len;
	uint8_t bytes[STACK_PIECE];
};

static bool window_frame(const struct reader *rd, struct window *w, uint64_t bp, uint64_t hi,
			 uint64_t frame[2])
{
	size_t n;

	/* Unsigned, so below it too: of a stack that changes meanwhile @bp may be anything. */
	if (w->len < 16 || bp - w->start > w->len - 16) {
		n = bp < hi && hi - bp < STACK_PIECE ? hi - bp : STACK_PIECE;
		if (n < 16 || !process_read(rd->proc, bp, w->bytes, n)) {
			n = 16;
			if (!process_read(rd->proc, bp, w->bytes, n))
				return false;
		}
		w->start = bp;
		w->len = n;
	}
	memcpy(frame, w->bytes + (bp - w->start), 16);
	return true;
}

/* Any good mix will do: keys only have to differ, and from the kernel's too. */
static uint64_t key_of(const uint64_t *pcs, size_t n)
{
	uint64_t h = 0x676f746170ULL;
	size_t i;

	for (i = 0; i < n; i++)
		h = hash64(h ^ pcs[i]);
	return stack_key_of_hash(h, false);
}

static uint64_t add_stack(struct reader *rd, const uint64_t *pcs, size_t n)
{
	struct rec_stack head = {
		.r = { .time = rd->now, .kind = REC_STACK, .sub = STACK_SNAPSHOT },
		.n = (uint32_t)n,
		.room = (uint32_t)n,
	};

	head.r.id = key_of(pcs, n);
	buf_add(rd->out, &head, sizeof(head));
	buf_add(rd->out, pcs, n * sizeof(*pcs));
	return head.r.id;
}

static uint64_t take_stack(struct reader *rd, const uint8_t *g, bool in_syscall)
{
	const struct go_offsets *off = &rd->plan->offsets;
	uint64_t pcs[REC_MAX_FRAMES], frame[2], bp, hi = u64_at(g, off->g_stack_hi);
	struct window w = { 0 };
	size_t n = 0;

	if (!rd->depth)
		return 0;
	if (in_syscall && off->g_syscallbp == GO_OFFSET_NONE)
		return 0;	/* the saved frame pointer is gone by then (Go 1.22) */
	pcs[n++] = u64_at(g, in_syscall ? off->g_syscallpc : off->g_sched_pc);
	bp = u64_at(g, in_syscall ? off->g_syscallbp : off->g_sched_bp);
	while (bp && !(bp & 7) && n < rd->depth && window_frame(rd, &w, bp, hi, frame)) {
		pcs[n++] = frame[1];
		bp = frame[0];
	}
	return pcs[0] ? add_stack(rd, pcs, n) : 0;
}

/* --- Gs --- */

/* Returns where in the output the record is. */
static size_t take_g(struct reader *rd, uint64_t ptr, const uint8_t *g)
{
	const struct go_offsets *off = &rd->plan->offsets;
	uint32_t status = u32_at(g, off->g_atomicstatus) & ~(uint32_t)SCAN_BIT;
	struct m_fact *m = fact_of(rd, u64_at(g, off->g_m));
	uint64_t goid = u64_at(g, off->g_goid), stack = 0;
	struct rec_long *l;

	if (m && (status == DEAD || status == DEADEXTRA))
		forget_dropped(m, status);
	if (!goid || !status || status == DEAD || status == DEADEXTRA)
		return NO_RECORD;
	if (status == WAITING || status == RUNNABLE || status == SYSCALL)
		stack = take_stack(rd, g, status == SYSCALL);
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

/*
 * Of every g, also a dead one that keeps its stack. Sizes are powers of two: what is
 * none was read while the stack was being changed, which has records.
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
static size_t g_bytes(const struct go_offsets *off)
{
	size_t n = off->g_startpc + 8u;

	return n > G_SIZE ? G_SIZE : n;
}

/* Reads @size bytes at @offset of each g, to places of @room bytes each. Returns how many were read. */
static size_t read_gs(const struct reader *rd, const uint64_t *gs, size_t n, unsigned int offset,
		      size_t size, void *to, size_t room)
{
	struct iovec local[BATCH], remote[BATCH];
	size_t i;

	for (i = 0; i < n; i++) {
		local[i] = (struct iovec){ (uint8_t *)to + i * room, size };
		remote[i] = (struct iovec){ (void *)(uintptr_t)(gs[i] + offset), size };
	}
	return process_read_many(rd->proc, local, remote, n);
}

/*
 * The collector moves the stack of a goroutine that waits to a smaller one (shrinkstack),
 * and of that there is no record: what was read of the old place may be another's by then.
 */
static void forget_moved_stacks(struct reader *rd, const uint64_t *gs, size_t n,
				const uint8_t *bytes, const size_t *records)
{
	unsigned int offset = rd->plan->offsets.g_stack_hi;
	uint64_t hi[BATCH];
	size_t got = read_gs(rd, gs, n, offset, sizeof(*hi), hi, sizeof(*hi)), i;

	for (i = 0; i < n; i++)
		if (records[i] != NO_RECORD &&
		    (i >= got || hi[i] != u64_at(bytes + i * G_SIZE, offset)))
			((struct rec_long *)(rd->out->data + records[i]))->stack = 0;
}

static size_t take_batch(struct reader *rd, const uint64_t *gs, size_t n, uint8_t *bytes)
{
	size_t size = g_bytes(&rd->plan->offsets), records[BATCH], i;
	size_t got = read_gs(rd, gs, n, 0, size, bytes, G_SIZE);

	for (i = 0; i < got; i++) {
		records[i] = take_g(rd, gs[i], bytes + i * G_SIZE);
		if (rd->plan->groups & 1u << GROUP_STACKS)
			take_gstack(rd, bytes + i * G_SIZE);
	}
	if (rd->depth)
		forget_moved_stacks(rd, gs, got, bytes, records);
	return got;
}

static int take_gs(struct reader *rd, struct snapshot_counts *counts, struct error *err)
{
	uint64_t *gs;
	uint8_t *bytes;
	size_t i, n, want, got;
	int r = read_pointers(rd, rd->roots->allgs, MAX_GS, "runtime.allgs", &gs, &n, err);

	if (r)
		return r;
	bytes = xcalloc(BATCH, G_SIZE);
	for (i = 0; i < n; i += got) {
		want = n - i < BATCH ? n - i : BATCH;
		got = take_batch(rd, gs + i, want, bytes);
		if (got < want) {	/* the next one is unreadable: step over it */
			counts->unreadable++;
			got++;
		}
	}
	counts->goroutines = n;
	free(bytes);
	free(gs);
	return 0;
}

/* Is a cycle under way? Without the symbol, its first sign is the next GC record. */
static void take_gc(struct reader *rd)
{
	struct rec rec = { .time = rd->now, .kind = REC_SNAP_GC };
	uint32_t phase;

	if (!rd->plan->gcphase ||
	    !process_read(rd->proc, rd->plan->gcphase + rd->proc->bias, &phase, sizeof(phase)))
		return;
	rec.sub = (uint8_t)phase;
	buf_add(rd->out, &rec, sizeof(rec));
}

static bool points_at(const struct reader *rd, uint64_t from, uint64_t to)
{
	uint64_t v;

	return process_read(rd->proc, from, &v, sizeof(v)) && v == to;
}

/* m.g0.m == m, for some goroutine's thread; true too if none has a thread. */
static bool some_m_fits(const struct reader *rd, const uint64_t *gs, size_t n)
{
	const struct go_offsets *off = &rd->plan->offsets;
	size_t i, asked = 0;
	uint64_t m, g0;

	for (i = 0; i < n && asked < 64; i++) {
		if (!process_read(rd->proc, gs[i] + off->g_m, &m, 8) || !m)
			continue;
		asked++;
		if (process_read(rd->proc, m + off->m_g0, &g0, 8) &&
		    points_at(rd, g0 + off->g_m, m))
			return true;
	}
	return !asked;
}

/* The offsets must describe this process, or everything would be nonsense. */
static int self_check(struct reader *rd, struct error *err)
{
	const struct go_offsets *off = &rd->plan->offsets;
	const char *wrong = NULL;
	uint64_t *gs;
	size_t n;
	int r = read_pointers(rd, rd->roots->allgs, MAX_GS, "runtime.allgs", &gs, &n, err);

	if (r)
		return r;
	/* gs[1] and up have run at least once in a live program; g.sched.g is set then. */
	if (n > 1 && !points_at(rd, gs[1] + off->g_sched_g, gs[1]))
		wrong = "g.sched.g";
	else if (!some_m_fits(rd, gs, n))
		wrong = "m.g0.m";
	if (wrong)
		r = error_set(err, -EINVAL, "%s of process %d does not point back at its owner: the "
			      "field offsets (%s) do not fit this program", wrong, rd->proc->pid,
			      rd->plan->offsets_source);
	free(gs);
	return r;
}

bool snapshot_fits(const struct plan *plan, const struct process *proc)
{
	struct reader rd = { .plan = plan, .proc = proc };
	struct buf names = {0};
	struct roots roots;
	uint64_t *gs = NULL;
	size_t n = 0, i;
	bool fits;

	if (roots_find(plan, proc, &roots, NULL) ||
	    read_pointers(&rd, roots.allgs, MAX_GS, "runtime.allgs", &gs, &n, NULL))
		return false;
	/* the first three are there before main.main: main, forcegc, bgsweep */
	fits = n >= 3 && some_m_fits(&rd, gs, n);
	for (i = 0; i < n && i < 3; i++)
		fits &= points_at(&rd, gs[i] + plan->offsets.g_sched_g, gs[i]);
	fits &= !snapshot_names(plan, proc, &roots, &names, NULL) && names.len;
	buf_free(&names);
	free(gs);
	return fits;
}

int snapshot_take(const struct plan *plan, const struct process *proc,
		  const struct roots *roots, unsigned int stack_depth, struct buf *out,
		  struct snapshot_counts *counts, struct error *err)
{
	struct reader rd = {
		.plan = plan,
		.proc = proc,
		.roots = roots,
		.out = out,
		.now = now_ns(),
		.depth = stack_depth < REC_MAX_FRAMES ? stack_depth : REC_MAX_FRAMES - 1,
	};
	int r;

	rd.translate = process_needs_tid_map(proc);
	r = self_check(&rd, err);

	if (!r)
		r = take_gs(&rd, counts, err);	/* first: it finds the Ms that take_ps needs */
	if (!r)
		r = take_ps(&rd, counts, err);
	if (!r) {
		take_gc(&rd);
		snapshot_memory(plan, proc, rd.now, out);
	}
	map64_free(&rd.ms);
	vec_free(&rd.m_facts);
	map64_free(&rd.tids);
	return r;
}

