// SPDX-License-Identifier: Apache-2.0
/*
 * goroutines: gs, the sudogs of their waits, and what stacks hold. See internal.h.
 *
 * A goroutine that waits for a channel has its sudogs in g.waiting; since Go 1.26 that is so for
 * locks and sync.Cond, too. Before, the frame of the function that waits has the sudog
 * (semacquire1, notifyListWait), which names its g. A sudog of a lock has the address of the
 * semaphore in its elem. Before Go 1.26 that of a sync.Cond has no elem; it is in a list that
 * begins in the Cond, so that the sudog itself is reachable as long as the Cond is.
 */
#include <stdlib.h>
#include <string.h>

#include "heapgraph/frames.h"
#include "heapgraph/internal.h"
#include "live/corefile.h"
#include "live/fields.h"
#include "live/memory.h"
#include "live/pointers.h"
#include "live/thread_ids.h"
#include "release/release.h"
#include "stacks/goroutines.h"
#include "stacks/threads.h"

enum {
	BYTES_PER_G = 64, MAX_GS = 1 << 30, MAX_PS = 1 << 16,
	SCAN_BIT = 0x1000,
	SUDOG_BYTES = 128,		/* covers every field that is read, in all releases */
	LIST_MOST = 1 << 16,		/* cases of a select */
	/* of the stack of a goroutine that waits, where its sudog is looked for */
	FRAMES_BYTES = 1024,
	/* a larger stack counts with each of its words */
	STACK_MOST = 1 << 20,
};

/* What can end a wait, by the name of its reason (release/waitreason.def). */
enum wait_class { CLASS_NONE, CLASS_FOREVER, CLASS_CHANNEL, CLASS_SYNC, CLASS_COND };

static const struct {
	const char *name;
	enum wait_class class;
} wait_classes[] = {
	{ "ChanReceiveNilChan", CLASS_FOREVER }, { "ChanSendNilChan", CLASS_FOREVER },
	{ "SelectNoCases", CLASS_FOREVER },	 { "ChanReceive", CLASS_CHANNEL },
	{ "ChanSend", CLASS_CHANNEL },		 { "Select", CLASS_CHANNEL },
	{ "Semacquire", CLASS_SYNC },		 { "SyncMutexLock", CLASS_SYNC },
	{ "SyncRWMutexRLock", CLASS_SYNC },	 { "SyncRWMutexLock", CLASS_SYNC },
	{ "SyncWaitGroupWait", CLASS_SYNC },	 { "SyncCondWait", CLASS_COND },
};

static enum wait_class wait_class_of(int minor, uint8_t reason)
{
	const char *name = release_wait_name(minor, reason);
	size_t i;

	for (i = 0; name && i < sizeof(wait_classes) / sizeof(wait_classes[0]); i++)
		if (!strcmp(name, wait_classes[i].name))
			return wait_classes[i].class;
	return CLASS_NONE;
}

/* --- waits --- */

static void graph_gs_set_opaque(struct heapgraph *hg, uint64_t addr, enum graph_opaque what)
{
	uint32_t object = heapgraph_object_at(hg, addr);

	if (object != GRAPH_NONE)
		*map64_put(&hg->opaque, object, NULL) = what;
}

/* Adds what can end the wait. What is in no object of the heap can end it at any time. */
static void graph_gs_add_waker(struct heapgraph *hg, struct graph_goroutine *g, uint64_t addr)
{
	uint32_t object = heapgraph_object_at(hg, addr);

	if (object == GRAPH_NONE) {
		g->wait = GRAPH_RUNS;
		return;
	}
	*(uint32_t *)vec_push(&hg->wakers, sizeof(uint32_t)) = object;
	g->objects++;
}

/* Reads the sudog at @addr; false if it is none of @g. */
static bool graph_gs_sudog(struct heapgraph *hg, const struct graph_goroutine *g, uint64_t addr,
		     uint8_t bytes[SUDOG_BYTES])
{
	return addr && memory_read(hg->opts.proc, addr, bytes, SUDOG_BYTES) &&
	       u64_at(bytes, hg->opts.plan->offsets.sudog_g) == g->g;
}

/* Takes the list g.waiting. @field: of a sudog, what can end the wait. */
static void graph_gs_take_waiting(struct heapgraph *hg, struct graph_goroutine *g, uint64_t sudog,
			    unsigned int field, bool whole_list)
{
	uint8_t bytes[SUDOG_BYTES];
	unsigned int n;

	for (n = 0; graph_gs_sudog(hg, g, sudog, bytes) && n < LIST_MOST; n++) {
		graph_gs_set_opaque(hg, sudog, GRAPH_SUDOG);
		if (u64_at(bytes, field))
			graph_gs_add_waker(hg, g, u64_at(bytes, field));
		if (!whole_list)
			return;
		sudog = u64_at(bytes, hg->opts.plan->offsets.sudog_waitlink);
	}
}

/*
 * Takes each sudog of @g that the innermost frames have. Some may be left from earlier waits: their
 * elem and c are nil. For a lock they do not count, and for a sync.Cond they make the goroutine
 * reachable at most.
 */
static void graph_gs_take_frames(struct heapgraph *hg, struct graph_goroutine *g,
				 const uint8_t *bytes, enum wait_class class)
{
	const struct go_offsets *off = &hg->opts.plan->offsets;
	uint64_t sp = u64_at(bytes, off->g_sched_sp), hi = u64_at(bytes, off->g_stack_hi), word;
	uint8_t frames[FRAMES_BYTES], sudog[SUDOG_BYTES];
	size_t i, n = hi - sp < FRAMES_BYTES ? hi - sp : FRAMES_BYTES;

	if (sp >= hi || !memory_read(hg->opts.proc, sp, frames, n))
		return;
	for (i = 0; i + 8 <= n; i += 8) {
		word = u64_at(frames + i, 0);
		if (heapgraph_object_at(hg, word) == GRAPH_NONE ||
		    !graph_gs_sudog(hg, g, word, sudog) || u64_at(sudog, off->sudog_c))
			continue;
		if (class == CLASS_SYNC && u64_at(sudog, off->sudog_elem)) {
			graph_gs_set_opaque(hg, word, GRAPH_SUDOG);
			graph_gs_add_waker(hg, g, u64_at(sudog, off->sudog_elem));
		} else if (class == CLASS_COND && !u64_at(sudog, off->sudog_elem)) {
			graph_gs_set_opaque(hg, word, GRAPH_SUDOG_COND);
			graph_gs_add_waker(hg, g, word);
		}
	}
}

static void graph_gs_take_wait(struct heapgraph *hg, struct graph_goroutine *g,
			       const uint8_t *bytes)
{
	const struct go_offsets *off = &hg->opts.plan->offsets;
	enum wait_class class = wait_class_of(hg->opts.plan->minor, g->reason);
	uint64_t waiting = u64_at(bytes, off->g_waiting);

	g->wait = GRAPH_RUNS;
	if ((g->status != G_WAITING && g->status != G_LEAKED) || class == CLASS_NONE)
		return;
	g->wait = GRAPH_OBJECTS;
	g->first_object = (uint32_t)hg->wakers.len;
	if (class == CLASS_FOREVER)
		g->wait = GRAPH_FOREVER;
	else if (class == CLASS_CHANNEL)
		graph_gs_take_waiting(hg, g, waiting, off->sudog_c, true);
	else if (release_has(hg->opts.plan->minor, RELEASE_SEMA_IN_G))
		graph_gs_take_waiting(hg, g, waiting, off->sudog_elem, false);
	else
		graph_gs_take_frames(hg, g, bytes, class);
	if (g->wait == GRAPH_OBJECTS && !g->objects) {
		g->wait = GRAPH_RUNS;
		hg->counts.waits_unknown++;
	}
}

/* --- gs --- */

static void graph_gs_take(struct heapgraph *hg, uint64_t addr, const uint8_t *bytes)
{
	const struct go_offsets *off = &hg->opts.plan->offsets;
	struct graph_goroutine g = {
		.g = addr,
		.goid = u64_at(bytes, off->g_goid),
		.start_pc = u64_at(bytes, off->g_startpc),
		.reason = bytes[off->g_waitreason],
	};
	uint32_t status = u32_at(bytes, off->g_atomicstatus) & ~(uint32_t)SCAN_BIT;

	graph_gs_set_opaque(hg, addr, GRAPH_G);
	if (status >= G_STATUSES) {
		hg->counts.goroutines_unreadable++;
		return;
	}
	if (!status || status == G_DEAD || status == G_DEADEXTRA)
		return;
	g.status = (uint8_t)status;
	graph_gs_take_wait(hg, &g, bytes);
	*(struct graph_goroutine *)vec_push(&hg->goroutines, sizeof(g)) = g;
}

static void graph_gs_read_batch(struct heapgraph *hg, const uint64_t *gs, size_t n, uint8_t *bytes)
{
	enum { BATCH = 256 };
	struct memory_range ranges[BATCH];
	size_t i;

	for (i = 0; i < n; i++)
		ranges[i] = (struct memory_range){ gs[i], bytes + i * G_BYTES, G_BYTES, false };
	memory_read_each(hg->opts.proc, ranges, n);
	for (i = 0; i < n; i++) {
		if (ranges[i].ok)
			graph_gs_take(hg, gs[i], ranges[i].to);
		else
			hg->counts.goroutines_unreadable++;
	}
}

int graph_read_goroutines(struct heapgraph *hg, struct error *err)
{
	enum { BATCH = 256 };
	const struct heapgraph_opts *o = &hg->opts;
	struct pointers gs = {0};
	uint8_t *bytes = xcalloc(BATCH, G_BYTES);
	size_t i, n;
	int r = pointers_read(&gs, o->proc, o->roots->allgs,
			      pointers_room(memory_size(o->proc), BYTES_PER_G, MAX_GS),
			      "runtime.allgs", o->stop, err);

	if (!r)
		pointers_sort(&gs, o->stop);
	for (i = 0; i < gs.n && !r; i += n) {
		n = gs.n - i < BATCH ? gs.n - i : BATCH;
		graph_gs_read_batch(hg, gs.at + i, n, bytes);
		r = graph_stopped(hg, err);
	}
	pointers_free(&gs);
	free(bytes);
	return r;
}

/* --- what goroutines hold --- */

struct stack_scan {
	struct heapgraph *hg;
	struct thread_ids tids;
	/* bytes of stacks that may still be read: no more than the memory of the program */
	uint64_t bytes_left;
	struct frames frames;
	uint8_t *bytes;			/* STACK_MOST, of one stack */
};

static void stack_scan_range(struct stack_scan *s, uint64_t from, uint64_t to)
{
	from &= ~7ULL;
	if (from >= to)
		return;
	if (to - from > s->bytes_left) {
		s->hg->counts.unreadable_bytes += to - from;
		return;
	}
	s->bytes_left -= to - from;
	graph_add_range(s->hg, from, to);
}

/* Adds the pointers of a stack that was left at @pc by a call. */
static void stack_scan_frames(struct stack_scan *s, uint64_t pc, uint64_t sp, uint64_t hi)
{
	struct frames_stack stack = { pc, sp, s->bytes, hi - sp };

	if (hi - sp > STACK_MOST || hi - sp > s->bytes_left || sp % 8 ||
	    !memory_read(s->hg->opts.proc, sp, s->bytes, hi - sp)) {
		stack_scan_range(s, sp, hi);
		return;
	}
	s->bytes_left -= hi - sp;
	frames_scan(&s->frames, &stack);
}

static void stack_scan_registers(struct stack_scan *s, uint64_t m)
{
	const struct process *p = s->hg->opts.proc;
	const struct corefile_thread *t;
	uint64_t procid;
	unsigned int i;

	t = p->core && m && memory_read(p, m + s->hg->opts.plan->offsets.m_procid, &procid, 8) ?
		    corefile_thread(p->core, (uint32_t)procid) : NULL;
	if (!t) {
		s->hg->counts.registers_unknown++;
		return;
	}
	for (i = 0; i < t->n; i++)
		graph_add_word(s->hg, t->registers[i]);
}

/* Fields of the g that are pointers to what it holds; g.waiting leads to its sudogs. */
static void stack_scan_g(struct stack_scan *s, const struct graph_goroutine *g,
			 const uint8_t *bytes, size_t n)
{
	const struct go_offsets *off = &s->hg->opts.plan->offsets;
	size_t i;

	for (i = 0; i + 8 <= n; i += 8)
		if (i != off->g_waiting && i != off->g_m)
			graph_add_word(s->hg, u64_at(bytes + i, 0));
}

/*
 * Adds the deferred calls of a g (runtime/runtime2.go, _defer). Most are in frames, where no bitmap
 * has them: the collector follows the list, too (runtime/mgcmark.go, scanstack). A record in a
 * frame may come after one in the heap. Up to Go 1.17 the arguments of the call follow a record.
 */
static void stack_scan_defers(struct stack_scan *s, const uint8_t *g)
{
	enum { MINOR_SHORT = 22, SHORT = 48, LONG = 72, MINOR_ARGS = 17 };
	const struct plan *plan = s->hg->opts.plan;
	bool is_short = plan->minor >= MINOR_SHORT;
	unsigned int n = is_short ? SHORT : LONG, link = is_short ? 32 : 40;
	/* g._defer comes before g.m in all releases from Go 1.15 to 1.27 */
	uint64_t at = u64_at(g, plan->offsets.g_m - GRAPH_WORD), args;
	uint8_t record[LONG];

	for (; at && !stop_requested(s->hg->opts.stop); at = u64_at(record, link)) {
		if (s->bytes_left < n || !memory_read(s->hg->opts.proc, at, record, n)) {
			s->hg->counts.unreadable_bytes += n;
			return;
		}
		args = plan->minor <= MINOR_ARGS ? u32_at(record, 0) : 0;
		/* a record always takes from bytes_left: a list without an end ends */
		stack_scan_range(s, at, at + n);
		stack_scan_range(s, at + n, at + n + args);
	}
}

static size_t stack_size_of_g(const struct heapgraph *hg, uint64_t g)
{
	uint32_t object = heapgraph_object_at(hg, g);
	uint64_t size = object == GRAPH_NONE ? 0 : heapgraph_span_of(hg, object)->elemsize;

	return size && size < G_BYTES ? size : G_BYTES;
}

static void stack_scan_goroutine(struct stack_scan *s, const struct graph_goroutine *g)
{
	const struct go_offsets *off = &s->hg->opts.plan->offsets;
	uint8_t bytes[G_BYTES];
	uint64_t lo, hi, sp;

	graph_begin_node(s->hg);
	if (!memory_read(s->hg->opts.proc, g->g, bytes, sizeof(bytes))) {
		s->hg->counts.goroutines_unreadable++;
		return;
	}
	stack_scan_g(s, g, bytes, stack_size_of_g(s->hg, g->g));
	stack_scan_defers(s, bytes);
	lo = u64_at(bytes, off->g_stack_lo);
	hi = u64_at(bytes, off->g_stack_hi);
	sp = u64_at(bytes, g->status == G_SYSCALL ? off->g_syscallsp : off->g_sched_sp);
	if (g->status == G_RUNNING)
		stack_scan_registers(s, u64_at(bytes, off->g_m));
	if (g->status == G_RUNNING || g->status == G_COPYSTACK || sp < lo || sp > hi)
		stack_scan_range(s, lo, hi);
	else
		stack_scan_frames(s, u64_at(bytes, g->status == G_SYSCALL ? off->g_syscallpc :
									    off->g_sched_pc),
				  sp, hi);
}

int graph_scan_goroutines(struct heapgraph *hg, struct error *err)
{
	uint64_t size = memory_size(hg->opts.proc);
	struct stack_scan s = { .hg = hg, .bytes_left = size > UINT64_MAX / 8 ? size : 2 * size };
	size_t i;
	int r = 0;

	s.frames.hg = hg;
	s.bytes = xcalloc(1, STACK_MOST);
	for (i = 0; i < hg->goroutines.len && !r; i++) {
		stack_scan_goroutine(&s, vec_at(&hg->goroutines, struct graph_goroutine, i));
		if (!(i % 1024))
			r = graph_stopped(hg, err);
	}
	frames_free(&s.frames);
	free(s.bytes);
	return r;
}

/* --- threads --- */

/* Reads the stack of the g at @addr. False: it has none, or cannot be read. */
static bool threads_stack(const struct stack_scan *s, uint64_t addr, uint64_t stack[2])
{
	return addr && memory_read(s->hg->opts.proc, addr + s->hg->opts.plan->offsets.g_stack_lo,
				   stack, 16) && stack[0] < stack[1];
}

static bool threads_is_in(uint64_t sp, const uint64_t stack[2])
{
	return sp >= stack[0] && sp < stack[1];
}

/*
 * Adds the stack on which the thread of @m schedules (m.g0), if it is there now: a timer that has
 * just fired, for instance, is nowhere else. A thread that handles a signal is on m.gsignal, and
 * may have come from any place of g0. While it runs its goroutine nothing is on g0.
 */
static void threads_scan_m(struct stack_scan *s, uint64_t m)
{
	const struct go_offsets *off = &s->hg->opts.plan->offsets;
	const struct process *p = s->hg->opts.proc;
	struct thread_place place;
	/* m.gsignal comes after m.procid in all releases from Go 1.15 to 1.27 */
	uint64_t g0, ids[2], curg, stack[2], other[2];
	uint32_t tid;
	bool known;

	if (!memory_read(p, m + off->m_g0, &g0, 8) || !threads_stack(s, g0, stack) ||
	    !memory_read(p, m + off->m_procid, ids, sizeof(ids)) ||
	    !memory_read(p, m + off->m_curg, &curg, 8)) {
		s->hg->counts.threads_unreadable++;
		return;
	}
	tid = thread_ids_of(&s->tids, ids[0]);
	known = tid && thread_place(p, tid, &place);
	if (known && threads_is_in(place.sp, stack)) {
		stack_scan_range(s, place.sp, stack[1]);
		return;
	}
	if (known && threads_stack(s, curg, other) && threads_is_in(place.sp, other))
		return;
	stack_scan_range(s, stack[0], stack[1]);
	if (threads_stack(s, ids[1], other) && (!known || threads_is_in(place.sp, other)))
		stack_scan_range(s, known ? place.sp : other[0], other[1]);
}

static void threads_scan_registers(struct heapgraph *hg)
{
	const struct corefile *core = hg->opts.proc->core;
	size_t i;
	unsigned int k;

	for (i = 0; core && i < corefile_threads(core)->len; i++) {
		const struct corefile_thread *t =
			vec_at(corefile_threads(core), struct corefile_thread, i);

		for (k = 0; k < t->n; k++)
			graph_add_word(hg, t->registers[k]);
	}
}

void graph_scan_threads(struct heapgraph *hg)
{
	const struct heapgraph_opts *o = &hg->opts;
	struct stack_scan s = { .hg = hg, .bytes_left = 1ULL << 30 };
	struct pointers ps = {0};
	uint64_t m;
	size_t i;

	graph_begin_node(hg);
	thread_ids_init(&s.tids, o->proc);
	if (pointers_read(&ps, o->proc, o->roots->allp, MAX_PS, "runtime.allp", o->stop, NULL)) {
		hg->counts.threads_unreadable++;
		ps.n = 0;
	}
	for (i = 0; i < ps.n && !stop_requested(o->stop); i++) {
		if (!memory_read(o->proc, ps.at[i] + o->plan->offsets.p_m, &m, 8))
			hg->counts.threads_unreadable++;
		else if (m)
			threads_scan_m(&s, m);
	}
	threads_scan_registers(hg);
	pointers_free(&ps);
	thread_ids_free(&s.tids);
}
