// SPDX-License-Identifier: Apache-2.0
/* model: see model.h. One small handler per kind of record, in a table. */
#include "sched/model.h"

#include <errno.h>
#include <stdlib.h>

#include "release/release.h"
#include "sched/generation.h"
#include "sched/handlers.h"
#include "sched/ops.h"
#include "sched/route.h"
#include "sched/state.h"
#include "sched/steps.h"
#include "sched/waits.h"

typedef void handler(struct model *s, struct M *m, const struct rec *r);

/* --- samples --- */

/*
 * The probe reads m.curg and m.p. On the system stack the scheduler may be switching
 * them, a moment before or after the record of that switch is made. There the model's own
 * state counts, so that the sample agrees with the events around it.
 */
void cpu_sample(struct model *s, struct M *m, const struct rec *r)
{
	struct P *p = r->ptr ? p_by_ptr(s, r->ptr) : NULL;
	struct sink_sample sample;
	uint64_t goid = r->id;

	if (!s->started)
		return;
	if ((r->flags & REC_CPU_SYSTEM) && !m->unheard && !(m->g && m->g->status == G_SYSCALL)) {
		goid = m->g ? m->g->id : 0;
		p = m->p;
	}
	sample = (struct sink_sample){
		.time = r->time,
		.thread = r->tid,
		.p = p ? p->id : TRACEV2_NO_ID,
		.g = goid,
		.stack = as_long(r)->stack,
	};
	s->sink.ops->cpu_sample(s->sink.ctx, &sample);
}

/* --- records --- */

static handler *const handlers[256] = {
#define HANDLE(kind, handler) [REC_##kind] = handler,
#define IGNORE(kind)
#include "sched/dispatch.def"
#undef HANDLE
#undef IGNORE
};

/* Each kind of record.def stands in dispatch.def. */
enum {
#define HANDLE(kind, handler) IS_DISPATCHED_##kind,
#define IGNORE(kind) IS_DISPATCHED_##kind,
#include "sched/dispatch.def"
#undef HANDLE
#undef IGNORE
#define KIND(number, name, ...) DISPATCH_OF_##name = IS_DISPATCHED_##name,
#include "record.def"
#undef KIND
};

/*
 * A P keeps its address (runtime.procresize): the other one is forged. Later records that name the
 * P by its address alone would be those of another P.
 */
static bool is_misnamed(struct model *s, const struct rec *r)
{
	const struct P *p;

	if (!r->ptr)
		return false;
	p = p_get(s, r->id);
	if (p && p->ptr)
		return p->ptr != r->ptr;
	return p_by_ptr(s, r->ptr);
}

/* Workers of the collector never enter a syscall: the record is another goroutine's. */
static bool is_foreign(struct model *s, const struct rec *r)
{
	const struct G *g = g_get(s, r->id);

	return g && g->gc_work;
}

/* In a gap a goroutine from before it counts already: to leave that one out would end it. */
static bool is_new_goroutine(struct model *s, uint64_t goid)
{
	return goid && !g_get(s, goid) && !map64_get(&s->aside.gs, goid);
}

/*
 * Goroutines that the tables have, each once. Before the trace begins and in a gap the tables also
 * have those that have ended since.
 */
static size_t goroutines_held(const struct model *s)
{
	if (s->started)
		return s->gs.len;
	return s->dead.len + (s->gap.open ? s->aside.gs.len + s->gap.born : s->gs.len);
}

static bool names_new_goroutine(struct model *s, const struct rec *r)
{
	return is_new_goroutine(s, r->id) ||
	       ((r->kind == REC_GO_SWITCH || r->kind == REC_GO_SWITCH_DEAD) &&
		is_new_goroutine(s, as_long(r)->stack));
}

/* The memory of the program may have grown since the model asked last. */
static void goroutines_ask_fit(struct model *s)
{
	size_t fit;

	if (!s->opts.goroutines_fit || (s->fit_asked && s->now < s->fit_asked + FIT_NS))
		return;
	s->fit_asked = s->now;
	fit = s->opts.goroutines_fit(s->opts.fit_ctx);
	s->most_goroutines = fit > s->opts.most_goroutines ? fit : s->opts.most_goroutines;
}

/* Would the record, which is of a goroutine, add one where there are as many as there may be? */
static bool is_one_too_many(struct model *s, const struct rec *r)
{
	if (goroutines_held(s) < s->most_goroutines || !names_new_goroutine(s, r))
		return false;
	goroutines_ask_fit(s);
	return goroutines_held(s) >= s->most_goroutines;
}

/*
 * In a gap only records about the capture itself count. An id of 0 is one that the probe could not
 * read; one of a P that is too high is damaged.
 *
 * No thread has the number 0: a record has it where an M has lost its own (runtime.mexit), or where
 * the program has forged it. It can say that a P is given away, and nothing that binds a thread:
 * the events of a stand-in are those of thread 0, which holds nothing (procs.c).
 *
 * Sweeping frees spans; a sample, and each span, is no sign of anything else.
 */
static uint8_t model_checks_of(uint8_t kind)
{
	enum rec_family f = rec_family(kind);
	uint8_t checks = 0;

	if (f != REC_FAMILY_CAPTURE && f != REC_FAMILY_TABLE)
		checks |= CHECK_GAP;
	if (rec_is_of_goroutine(kind))
		checks |= CHECK_ID | CHECK_THREAD | CHECK_NUMBER;
	if (f == REC_FAMILY_SYSCALL)
		checks |= CHECK_SYSCALL;
	if (f == REC_FAMILY_MEMORY)
		checks |= CHECK_ID;
	if (rec_is_of_p(kind))
		checks |= CHECK_P;
	if (kind == REC_P_START)
		checks |= CHECK_THREAD;
	if (rec_is_of_thread(kind))
		checks |= CHECK_OF_THREAD;
	if (f != REC_FAMILY_SAMPLE && f != REC_FAMILY_SWEEP && f != REC_FAMILY_MEMORY)
		checks |= CHECK_SWEEP;
	return checks;
}

/* True: the record does not meet a condition, and is counted. */
static bool model_leaves_out(struct model *s, const struct rec *r, unsigned int checks)
{
	if (checks & CHECK_NUMBER && is_one_too_many(s, r)) {
		/* a loss also where nothing can be repaired yet */
		s->counts.repairs[REPAIR_DROPPED]++;
		return true;
	}
	if ((checks & CHECK_ID && !r->id) || (checks & CHECK_THREAD && !r->tid) ||
	    (checks & CHECK_P && (r->id >= P_ID_MAX || is_misnamed(s, r))) ||
	    (checks & CHECK_SYSCALL && is_foreign(s, r))) {
		repair(s, REPAIR_DROPPED);
		return true;
	}
	return false;
}

/*
 * Adds events that wait for a thread @m, NULL: none, after the event of a record. Returns 0, or the
 * error of the trace file.
 */
static __attribute__((noinline)) int model_tell(struct model *s, struct M *m)
{
	if (m && (s->tell_gc || s->gc_left_open))
		gc_tell(s, m);
	if (s->tell_procs)
		step_procs(s, m, G_RUNNING);
	if (s->tell_heap)
		heap_tell(s, m);
	if (s->tell_origin)
		origin_tell(s, m);
	if (s->tell_notes)
		notes_tell(s, m);
	if (s->tell_allocs)
		allocs_tell(s, m);
	return s->tell_gap ? gap_begin_told(s, m) : 0;
}

static inline void model_hear(struct M *m, const struct rec *r)
{
	m->uprobe_exit = r->kind == REC_SYS_EXIT && !(r->sub & REC_EXIT_HOOK);
}

/*
 * True for a record of a goroutine that meets all conditions of model_admits(), as nearly all do
 * once the trace has begun.
 */
static inline bool model_is_usual(struct model *s, const struct rec *r, unsigned int checks)
{
	return checks & CHECK_NUMBER && r->id && r->tid && r->time > s->now &&
	       r->time < s->usual_until && *s->gen_size < s->due_size &&
	       s->gs.len < s->most_goroutines && !(checks & CHECK_SYSCALL && is_foreign(s, r));
}

/*
 * Lets time pass up to the record, and ends the generation if that is due. Returns 1: the handler
 * takes the record; 0: it is left out; or the error of the trace file.
 */
static __attribute__((noinline)) int model_admits(struct model *s, const struct rec *r)
{
	unsigned int checks = s->checks[r->kind];
	int e;

	if (!handlers[r->kind])
		return r->kind == REC_GAP ? gap_record(s, r) : 0;
	if (s->gap.open && !s->gap.collecting && checks & CHECK_GAP)
		return 0;
	if (r->time > s->now && r->time < TIME_MAX)
		s->now = r->time;
	/* not for a REC_CAPTURE_END, which ends the generation anyway */
	if (generation_is_due(s, s->now) && s->started && r->kind != REC_CAPTURE_END) {
		e = generation_turn(s);
		if (e)
			return e;
	}
	return !model_leaves_out(s, r, checks);
}

/* Passes an admitted record to its handler; likewise. */
static __attribute__((noinline)) int model_handle(struct model *s, const struct rec *r)
{
	unsigned int checks = s->checks[r->kind];
	struct M *m = checks & CHECK_OF_THREAD ? m_put(s, r->tid) : NULL;

	if (m && m->sweep.place && checks & CHECK_SWEEP)
		step_sweep_end(s, m);
	if (s->has_labels)
		labels_tell(s, m);
	handlers[r->kind](s, m, r);
	if (s->has_labels)
		labels_tell(s, m);
	if (m)
		m->unheard = false;
	/* a CPU sample can come between any two other records of its thread */
	if (m && rec_family(r->kind) != REC_FAMILY_SAMPLE)
		model_hear(m, r);
	return s->tells ? model_tell(s, m) : 0;
}

/* A record that is not usual. */
static __attribute__((noinline)) int model_record_any(struct model *s, const struct rec *r)
{
	int e = model_admits(s, r);

	return e <= 0 ? e : model_handle(s, r);
}

int model_record(struct model *s, const struct rec *r, struct error *err)
{
	struct M *m;

	s->err = err;
	if (!model_is_usual(s, r, s->checks[r->kind]))
		return model_record_any(s, r);
	s->now = r->time;
	m = m_get(s, r->tid);
	if (!m || m->unheard | m->sweep.place | s->has_labels)
		return model_handle(s, r);
	handlers[r->kind](s, m, r);
	model_hear(m, r);
	return s->tells ? model_tell(s, m) : 0;
}

struct model *model_new(struct sink sink, const struct model_opts *opts)
{
	static const size_t unlimited;
	struct model *s = xcalloc(1, sizeof(*s));
	unsigned int i;

	s->sink = sink;
	s->gen_size = sink.gen_size ? sink.gen_size : &unlimited;
	s->opts = *opts;
	s->most_goroutines = opts->most_goroutines ? opts->most_goroutines : SIZE_MAX;
	s->unit = 1ULL << opts->time_shift;
	s->now = 1;	/* readers take no clock that says 0 */
	for (i = 0; i < 256; i++) {
		s->checks[i] = model_checks_of((uint8_t)i);
		s->block_reasons[i] = release_block_reason(opts->minor, i);
		s->worker_waits[i] = release_wait_is_worker(opts->minor, i);
		s->wait_forms[i] = (struct wait_form){
			(uint8_t)release_wait_kind(opts->minor, i),
			(uint8_t)release_wait_offset(opts->minor, i) };
	}
	return s;
}

void model_clock(struct model *s, uint64_t mono_ns, uint64_t wall_ns)
{
	s->clock_mono = mono_ns;
	s->clock_wall = wall_ns;
}

/* The begin of the gap has ended the generation before. */
static int model_finish_gap(struct model *s)
{
	gap_abandon(s);
	generation_next(s);
	notes_tell_last(s);
	return generation_end(s);
}

int model_finish(struct model *s, uint64_t time, struct error *err)
{
	bool later = !s->ended && time > s->now && time < TIME_MAX;

	s->err = err;
	if (later)
		s->now = time;
	if (!model_started(s))
		return 0;
	s->counts.end = s->now;
	return s->gap.open ? model_finish_gap(s) : generation_finish(s, later || s->ended);
}

uint64_t model_until(const struct model *s)
{
	return s->ended ? s->now : UINT64_MAX;
}

void model_note(struct model *s, const char *text)
{
	if (s->started || s->gap.open)
		note_add(s, "%s", text);
}

int model_turn(struct model *s, uint64_t time, struct error *err)
{
	s->err = err;
	if (!s->started || s->gap.open)
		return 0;
	if (s->stw && !generation_is_overdue(s))
		return -EAGAIN;
	if (time > s->now && time < TIME_MAX)
		s->now = time;
	allocs_tell_last(s);
	notes_tell_last(s);
	return generation_turn_now(s);
}

const struct model_counts *model_counts(const struct model *s)
{
	return &s->counts;
}

bool model_started(const struct model *s)
{
	return s->started || s->gap.open;
}

bool model_in_gap(const struct model *s)
{
	return s->gap.open;
}

const char *repair_text(enum repair kind)
{
	static const char *const text[REPAIR_KINDS] = {
		[REPAIR_GO_UNKNOWN] = "goroutine not announced",
		[REPAIR_GO_RUNNING] = "goroutine was elsewhere than on its thread",
		[REPAIR_GO_WAITING] = "goroutine started without a wake-up",
		[REPAIR_GO_NOT_WAITING] = "wake-up of a goroutine that did not wait",
		[REPAIR_GO_SYSCALL] = "syscall without its begin or end",
		[REPAIR_P_MISSING] = "thread without a P",
		[REPAIR_P_HELD] = "P taken from a running thread",
		[REPAIR_WORLD] = "world stopped and not started again",
		[REPAIR_CLOCK] = "generation dated as if the wall clock had not been set back",
		[REPAIR_DROPPED] = "record left out",
		[REPAIR_REQUEST] = "request without its end",
	};

	return text[kind];
}

void model_free(struct model *s)
{
	if (!s)
		return;
	s->started = false;	/* nothing more goes to the sink */
	gap_drop(s);
	state_clear(s);
	ops_free(s);
	map64_free(&s->child_starts);
	route_free_all(s);
	map64_free(&s->memory.spans);
	map64_free(&s->memory.stacks);
	objects_free(s);
	allocs_free(s);
	wait_sockets_free(s);
	map64_free(&s->dead);
	map64_free(&s->extras);
	buf_free(&s->notes);
	free(s);
}
