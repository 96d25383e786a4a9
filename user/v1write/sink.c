// SPDX-License-Identifier: Apache-2.0
/* sink: see sink.h. Gives each event to the handler of its kind. */
#include "v1write/sink_internal.h"

#include <stdlib.h>

/* Each timed event has a row in sink.def. */
enum {
#define SINK(name, handler) HAS_SINK_##name,
#include "v1write/sink.def"
#undef SINK
#define EV(number, name, version, class, args, stacks, strings) \
	TRACEV2_IF_TIMED(class, SINK_OF_##name = HAS_SINK_##name, )
#include "tracev2.def"
#undef EV
};

static v1_sink_fn *const handlers[256] = {
#define SINK(name, handler) [EV_##name] = handler,
#include "v1write/sink.def"
#undef SINK
};

static bool v1_sink_is_status(enum tracev2_event kind)
{
	return kind == EV_ProcStatus || kind == EV_GoStatus || kind == EV_GoStatusStack;
}

/* --- threads --- */

static void v1_sink_thread(void *ctx, uint64_t id)
{
}

static void v1_sink_thread_done(void *ctx, uint64_t id)
{
	struct v1_sink *v = ctx;
	uint64_t *slot = map64_get(&v->ms, id);
	struct v1_m *m = slot ? (struct v1_m *)(uintptr_t)*slot : NULL;

	if (!m || m->p || m->g)
		return;
	v->recent[id % SINK_RECENT] = NULL;
	map64_del(&v->ms, id);
	free(m);
}

/* --- events --- */

static uint64_t v1_sink_ticks(const struct v1_sink *v, uint64_t ns)
{
	return (ns >> V1_SINK_TICK_SHIFT) + v->ahead;
}

/*
 * Finds room for the ticks of the beginning. It ends at the time of the first status: a goroutine
 * that runs has run since then. A tick is more than 0, also that of the first event.
 */
static void v1_sink_make_room(struct v1_sink *v, uint64_t ns)
{
	uint64_t first = ns >> V1_SINK_TICK_SHIFT, events = 2 * v->statuses.len + 4;

	v->ahead = first > events ? 0 : events - first + 1;
	v->s.last = first + v->ahead - events;
	v->s.now = v->s.last + 1;
}

static void v1_sink_begin(struct v1_sink *v, const struct sink_event *e)
{
	v->began = true;
	v1_sink_make_room(v, v->statuses.len ? v->stated : e->time);
	sink_begin(v, e->kind == EV_ProcsChange ? e->args[0] : 0);
}

static void v1_sink_event(void *ctx, const struct sink_event *e)
{
	struct v1_sink *v = ctx;

	if (!v->began && !v1_sink_is_status(e->kind))
		v1_sink_begin(v, e);
	v->s.now = v1_sink_ticks(v, e->time);
	v->events++;
	if (handlers[e->kind])
		handlers[e->kind](v, sink_thread(v, e->thread), e);
	else
		v1_leave_out(&v->s, V1_LEFT_EXPERIMENTS);
}

static void v1_sink_cpu_sample(void *ctx, const struct sink_sample *e)
{
	struct v1_sink *v = ctx;
	bool has_p = e->p != TRACEV2_NO_ID;

	if (!v->began && v->statuses.len)
		v1_sink_begin(v, &(struct sink_event){ .time = e->time, .kind = EV_ProcStatus });
	if (v1_writer_has(v->w, V1_CPU_SAMPLE))
		v1_leave_out(&v->s, V1_LEFT_SAMPLE_THREADS);
	v1_sample(&v->s, v1_sink_ticks(v, e->time) + 1,
		  has_p ? (uint64_t)v1_p(&v->s, e->p)->id : e->p, e->g == TRACEV2_NO_ID ? 0 : e->g,
		  v1_writer_stack(v->w, e->stack));
}

static void v1_sink_experiment(void *ctx, uint8_t exp, uint64_t time, const void *body, size_t n)
{
	struct v1_sink *v = ctx;

	v1_leave_out(&v->s, V1_LEFT_EXPERIMENTS);
}

/* --- generations --- */

static void v1_sink_gen_begin(void *ctx)
{
}

static int v1_sink_gen_end(void *ctx, const struct trace_clock *clock, struct error *err)
{
	struct v1_sink *v = ctx;
	int r;

	if (!v->began && v->statuses.len)
		v1_sink_begin(v,
			      &(struct sink_event){ .time = clock->time, .kind = EV_ProcStatus });
	r = v1_writer_turn(v->w, err);
	v1_leave_out(&v->s, V1_LEFT_CLOCKS);
	v->generations += !r && v->events;
	return r;
}

static const struct sink_ops ops = {
	.gen_begin = v1_sink_gen_begin,
	.gen_end = v1_sink_gen_end,
	.thread = v1_sink_thread,
	.thread_done = v1_sink_thread_done,
	.event = v1_sink_event,
	.cpu_sample = v1_sink_cpu_sample,
	.experiment = v1_sink_experiment,
};

int v1_sink_new(struct v1_sink **ret, int fd, const struct v1_sink_opts *opts, struct error *err)
{
	struct v1_writer_opts w = {
		.version = opts->version,
		.frequency = 1000000000 >> V1_SINK_TICK_SHIFT,
		.frames = opts->frames,
		.ctx = opts->ctx,
		.name = opts->name,
	};
	struct v1_sink *v = xcalloc(1, sizeof(*v));
	int r = v1_writer_new(&v->w, fd, &w, err);

	if (r) {
		free(v);
		return r;
	}
	v1_steps_init(&v->s, v->w, opts->version);
	*ret = v;
	return 0;
}

struct sink v1_sink(struct v1_sink *v)
{
	return (struct sink){ .ops = &ops, .ctx = v };
}

int v1_sink_finish(struct v1_sink *v, struct error *err)
{
	int r = v1_writer_finish(v->w, err);

	v->whole = !r;
	return r;
}

const uint64_t *v1_sink_generations(const struct v1_sink *v)
{
	return &v->generations;
}

void v1_sink_counts(const struct v1_sink *v, struct v1_sink_counts *ret)
{
	*ret = (struct v1_sink_counts){ .trace = *v1_writer_counts(v->w),
					.generations = v->generations, .whole = v->whole };
	v1_steps_left(&v->s, ret->left);
}

void v1_sink_free(struct v1_sink *v)
{
	size_t i;

	if (!v)
		return;
	v1_steps_release(&v->s);
	v1_writer_free(v->w);
	for (i = 0; i < v->ms.cap; i++)
		if (v->ms.slots[i].used)
			free((void *)(uintptr_t)v->ms.slots[i].value);
	map64_free(&v->ms);
	vec_free(&v->statuses);
	free(v);
}
