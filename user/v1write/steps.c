// SPDX-License-Identifier: Apache-2.0
/* steps: see steps.h. The steps of Ps and of the whole program. */
#include "v1write/steps_internal.h"

#include <stdlib.h>
#include <string.h>

#include "v1/words.h"

static const struct {
	const char *text;
	bool added;
} kinds[V1_LEFT_KINDS] = {
#define V1_LEFT(name, text) [V1_LEFT_##name] = { text, false },
#define V1_ADDED(name, text) [V1_ADDED_##name] = { text, true },
#include "v1write/left.def"
#undef V1_LEFT
#undef V1_ADDED
};

const char *v1_left_text(enum v1_left kind)
{
	return kinds[kind].text;
}

bool v1_left_is_added(enum v1_left kind)
{
	return kinds[kind].added;
}

bool v1_left_is_repair(enum v1_left kind)
{
	return kind == V1_ADDED_CREATED || kind == V1_ADDED_GO_STEPS || kind == V1_ADDED_PROC_STEPS;
}

void v1_steps_init(struct v1_steps *s, struct v1_writer *w, int version)
{
	*s = (struct v1_steps){ .w = w, .version = version };
}

void v1_steps_left(const struct v1_steps *s, uint64_t *left)
{
	const struct v1_writer_counts *counts = v1_writer_counts(s->w);

	memcpy(left, s->left, sizeof(s->left));
	left[V1_LEFT_CUT_TEXTS] += counts->cut_texts;
	left[V1_LEFT_TEXTS] += counts->texts_too_many;
	left[V1_LEFT_NAMES] += counts->unnamed;
}

/* --- Ps --- */

void v1_proc_start(struct v1_steps *s, struct v1_p *p, uint64_t thread)
{
	if (p->runs) {
		v1_leave_out(s, V1_ADDED_PROC_STEPS);
		v1_proc_stop(s, p);
	}
	steps_p_runs(s, p, thread);
}

void v1_proc_stop(struct v1_steps *s, struct v1_p *p)
{
	steps_clear(s, p);
	if (!p->runs)
		return;
	p->runs = false;
	steps_put_local(s, p, V1_PROC_STOP, STEPS_NONE, 0);
}

void v1_gomaxprocs(struct v1_steps *s, struct v1_p *p, uint64_t procs, uint64_t stack)
{
	s->procs = procs;
	steps_put_local(s, p, V1_GOMAXPROCS, STEPS_ARGS(procs), stack);
}

void v1_sweep_start(struct v1_steps *s, struct v1_p *p, uint64_t stack)
{
	if (p->sweeps)
		return;
	p->sweeps = true;
	steps_put_local(s, p, V1_SWEEP_START, STEPS_NONE, stack);
}

void v1_sweep_done(struct v1_steps *s, struct v1_p *p, uint64_t swept, uint64_t reclaimed)
{
	enum { FIRST_WITH_AMOUNTS = 9 };

	if (!p->sweeps) {
		v1_leave_out(s, V1_LEFT_RANGE_ENDS);
		return;
	}
	p->sweeps = false;
	if (s->version < FIRST_WITH_AMOUNTS && (swept || reclaimed))
		v1_leave_out(s, V1_LEFT_SWEPT);
	steps_put_local(s, p, V1_SWEEP_DONE, STEPS_ARGS(swept, reclaimed), 0);
}

/* --- the program --- */

/*
 * Returns the flag of an open collection. Before Go 1.5 each P has one: parsers pair begin and end
 * by the P.
 */
static bool *v1_steps_gc_of(struct v1_steps *s, struct v1_p *p)
{
	return s->version == V1_GOTRACE ? &p->gc : &s->gc;
}

void v1_gc_start(struct v1_steps *s, struct v1_p *p, uint64_t stack)
{
	if (*v1_steps_gc_of(s, p))
		return;
	s->gc = *v1_steps_gc_of(s, p) = true;
	s->gc_p = p;
	steps_put(s, p, V1_GC_START, STEPS_ARGS(s->gc_seq++), stack);
}

void v1_gc_done(struct v1_steps *s, struct v1_p *p)
{
	if (!*v1_steps_gc_of(s, p) && s->gc_p)
		p = s->gc_p;
	if (!*v1_steps_gc_of(s, p)) {
		v1_leave_out(s, V1_LEFT_RANGE_ENDS);
		return;
	}
	s->gc = *v1_steps_gc_of(s, p) = false;
	steps_put(s, p, V1_GC_DONE, STEPS_NONE, 0);
}

/*
 * Returns the flag of an open stop of the world. Before Go 1.10 each P has one: the event is then a
 * scan by one P (GCScanStart), and several Ps may scan at the same time.
 */
static bool *v1_steps_stw_of(struct v1_steps *s, struct v1_p *p)
{
	return s->version < 10 ? &p->stw : &s->stw;
}

bool v1_stw_start(struct v1_steps *s, struct v1_p *p, const char *reason, size_t n)
{
	int kind = *v1_steps_stw_of(s, p) ? -1 : v1_stw_kind(s->version, reason, n);

	if (kind < 0 || (kind == 0 && s->version >= 21))
		v1_leave_out(s, V1_LEFT_STOPS);
	if (kind < 0)
		return false;
	*v1_steps_stw_of(s, p) = true;
	steps_put(s, p, V1_STW_START, STEPS_ARGS((uint64_t)kind), 0);
	return true;
}

void v1_stw_done(struct v1_steps *s, struct v1_p *p)
{
	if (!*v1_steps_stw_of(s, p))
		return;
	*v1_steps_stw_of(s, p) = false;
	steps_put(s, p, V1_STW_DONE, STEPS_NONE, 0);
}

void v1_heap(struct v1_steps *s, struct v1_p *p, unsigned int type, uint64_t bytes)
{
	steps_put(s, p, type, STEPS_ARGS(bytes), 0);
}

void v1_assist(struct v1_steps *s, struct v1_p *p, unsigned int type, uint64_t stack)
{
	bool begins = type == V1_ASSIST_START;

	if (!v1_writer_has(s->w, type)) {
		v1_leave_out(s, V1_LEFT_ASSISTS);
		return;
	}
	if (!p->g || (begins && p->g->assist)) {
		v1_leave_out(s, V1_LEFT_RANGE_ENDS);
		return;
	}
	p->g->assist = begins;
	steps_put(s, p, type, STEPS_NONE, stack);
}
