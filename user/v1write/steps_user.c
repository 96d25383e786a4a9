// SPDX-License-Identifier: Apache-2.0
/* steps_user: what the program says of itself, and samples of the CPU. See steps.h. */
#include "v1write/steps_internal.h"

/* Tasks, regions and logs came together, with Go 1.11. */
static bool has_annotations(struct v1_steps *s)
{
	if (v1_writer_has(s->w, V1_TASK_CREATE))
		return true;
	v1_leave_out(s, V1_LEFT_ANNOTATIONS);
	return false;
}

void v1_task_create(struct v1_steps *s, struct v1_p *p, uint64_t task, uint64_t parent,
		    struct v1_text name, uint64_t stack)
{
	bool is_new;
	uint64_t id;

	if (!has_annotations(s))
		return;
	map64_put(&s->tasks, task, &is_new);
	if (!is_new) {
		v1_leave_out(s, V1_LEFT_RANGE_ENDS);
		return;
	}
	id = v1_writer_string(s->w, p->out, name.s, name.n);
	steps_put(s, p, V1_TASK_CREATE, STEPS_ARGS(task, parent, id), stack);
}

void v1_task_end(struct v1_steps *s, struct v1_p *p, uint64_t task, uint64_t stack)
{
	if (!has_annotations(s))
		return;
	map64_del(&s->tasks, task);
	steps_put(s, p, V1_TASK_END, STEPS_ARGS(task), stack);
}

enum { BEGIN, END };

void v1_region_begin(struct v1_steps *s, struct v1_p *p, uint64_t task, struct v1_text name,
		     uint64_t stack)
{
	struct v1_region *r;

	if (!has_annotations(s))
		return;
	if (!p->g) {
		v1_leave_out(s, V1_LEFT_RANGE_ENDS);
		return;
	}
	r = vec_push(&p->g->regions, sizeof(*r));
	*r = (struct v1_region){ task, v1_writer_string(s->w, p->out, name.s, name.n) };
	steps_put(s, p, V1_REGION, STEPS_ARGS(task, BEGIN, r->name), stack);
}

/*
 * Ends a region. Parsers refuse the end of a region that is not the innermost one. The end of a
 * region that began before the trace is written: it is no part of another region.
 */
void v1_region_end(struct v1_steps *s, struct v1_p *p, uint64_t task, struct v1_text name,
		   uint64_t stack)
{
	const struct v1_region *r;
	uint64_t id;

	if (!has_annotations(s))
		return;
	p->started = NULL;
	id = v1_writer_string(s->w, p->out, name.s, name.n);
	r = p->g && p->g->regions.len ?
	    vec_at(&p->g->regions, struct v1_region, p->g->regions.len - 1) : NULL;
	if (!p->g || (r && (r->task != task || r->name != id))) {
		v1_leave_out(s, V1_LEFT_RANGE_ENDS);
		return;
	}
	if (r)
		p->g->regions.len--;
	steps_put(s, p, V1_REGION, STEPS_ARGS(task, END, id), stack);
}

void v1_log(struct v1_steps *s, struct v1_p *p, uint64_t task, struct v1_text key,
	    struct v1_text text, uint64_t stack)
{
	uint64_t id;

	if (!has_annotations(s))
		return;
	id = v1_writer_string(s->w, p->out, key.s, key.n);
	p->started = NULL;
	s->last = steps_tick(s, p);
	v1_writer_log(s->w, p->out, s->last, STEPS_ARGS(task, id), stack, text.s, text.n);
}

/* No runtime since Go 1.11 writes this event, and readers since Go 1.23 refuse it. */
void v1_futile(struct v1_steps *s, struct v1_p *p)
{
	enum { FIRST_WITHOUT = 11 };

	if (s->version >= FIRST_WITHOUT || !v1_writer_has(s->w, V1_FUTILE_WAKEUP)) {
		v1_leave_out(s, V1_LEFT_FUTILE);
		return;
	}
	steps_put(s, p, V1_FUTILE_WAKEUP, STEPS_NONE, 0);
}

/*
 * Writes a CPU sample. The runtime writes samples later than they happen, from a buffer of their
 * own; parsers order them by the tick among their arguments.
 */
void v1_sample(struct v1_steps *s, uint64_t tick, uint64_t p, uint64_t g, uint64_t stack)
{
	const struct v1_g *of = v1_g(s, g);
	struct v1_out *out;
	uint64_t now;

	if (!v1_writer_has(s->w, V1_CPU_SAMPLE)) {
		v1_leave_out(s, V1_LEFT_SAMPLES);
		return;
	}
	/*
	 * Parsers fail with "already exists" at the creation of a goroutine that an earlier sample
	 * names.
	 */
	if (of && tick <= of->created)
		tick = of->created + 1;
	if (!of && !steps_has_ended(s, g))
		g = 0;
	out = v1_writer_out(s->w, V1_SAMPLES);
	now = tick;
	if (now <= out->last)
		now = out->last + 1;
	v1_writer_event(s->w, out, now, V1_CPU_SAMPLE, STEPS_ARGS(tick, p, g), stack);
}
